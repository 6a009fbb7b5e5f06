//! A smaller drive stands for each of the catalogue: its blocks have fewer pages, an erase takes as much less time, and
//! a cache holds as much less. Rates are those of whole word lines, so they stay.

use wordline_sim::config::{Config, load};

/// Keys of an SLC cache that hold sizes.
const CACHE_SIZES: [&str; 2] = ["static_mib", "dynamic_mib"];

/// A preset's drive with blocks of so many pages.
///
/// # Panics
/// Such blocks are none.
pub fn smaller(preset: &str, pages: u64, sets: &[&str]) -> Config {
    let whole = loaded(preset, &[]);
    let chip = &whole.drive.chip;
    let share = pages as f64 / chip.pages_per_block as f64;
    let mut ours = vec![
        format!("drive.chip.pages_per_block={pages}"),
        "drive.chip.layers_per_block=0".into(),
        format!("drive.chip.erase_ms={}", chip.erase_ms * share),
    ];
    let size = |key| Some(format!("technique.slc_cache.{key}={}", cache_mib(&whole, key)? * share));
    ours.extend(CACHE_SIZES.into_iter().filter_map(size));
    ours.extend(sets.iter().map(|&set| set.to_owned()));
    loaded(preset, &ours)
}

/// A size of the SLC cache, in MiB.
pub fn cache_mib(config: &Config, key: &str) -> Option<f64> {
    let mib = config.technique.get("slc_cache")?.get(key)?;
    mib.as_float().or_else(|| mib.as_integer().map(|whole| whole as f64))
}

fn loaded(preset: &str, sets: &[String]) -> Config {
    let text = format!("[drive]\npreset = {preset:?}\n");
    load(&text, preset, sets).expect("the catalogue's drives are valid, and smaller ones")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_drive_erases_as_fast_and_caches_the_same_share() {
        for (preset, pages) in [("micron-7450-max-800g", 27), ("samsung-970-evo-500g", 48)] {
            let (whole, ours) = (loaded(preset, &[]), smaller(preset, pages, &["host.mode=open"]));
            let of_a_page =
                |config: &Config, value: f64| value / config.drive.chip.pages_per_block as f64;
            let erase = [&whole, &ours].map(|it| of_a_page(it, it.drive.chip.erase_ms));
            assert!((erase[1] / erase[0] - 1.0).abs() < 1e-9, "{preset}");
            for key in CACHE_SIZES {
                let cache = [&whole, &ours].map(|it| Some(of_a_page(it, cache_mib(it, key)?)));
                let [Some(whole), Some(ours)] = cache else { continue };
                assert!((ours / whole - 1.0).abs() < 1e-9, "{preset} {key}");
            }
        }
    }
}
