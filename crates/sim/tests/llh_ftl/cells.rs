//! What reuse does to the cells, and what codes let through.

use crate::harness::told;
use crate::rig::{BLOCK, all_hot, bank, figure, plain, run, technique, writes};
use wordline_sim::config::Config;
use wordline_sim::metrics::RunResult;
use wordline_sim::technique::llh_ftl::{Chip, Code, LlhFtl, LlhFtlConfig, Safe};

const LIFE_PEC: u64 = 200;

/// Blocks that last for so many cycles.
fn mortal() -> Config {
    let mut config = bank();
    config.drive.chip.endurance_pec = LIFE_PEC;
    config
}

/// Units that the host wrote until the drive had no room left.
fn life(config: &Config, own: &LlhFtlConfig) -> u64 {
    let blocks = config.drive.chip.blocks_per_plane;
    let [result, ..] = run(config, own, &all_hot(2 * blocks * BLOCK * LIFE_PEC));
    assert!(result.host.refused_writes > 0, "it outlived its writes");
    result.flash.page_programs.host
}

#[test]
fn a_reused_cycle_wears_as_much_as_its_strain_says() {
    // Blocks of which one data is hot: every cycle is a reused one.
    for (strain, per_erase) in [(1.0, 1.0), (1.25, 1.25), (2.0, 2.0)] {
        let own = LlhFtlConfig { strain, ..plain() };
        for result in run(&bank(), &own, &all_hot(50_000)) {
            let cycles: u64 = result.wear.histogram.iter().map(|[erases, n]| erases * n).sum();
            let reused = figure(&result, "/rounds/second_empty");
            let expected = result.flash.erases as f64 * per_erase;
            // Of a block whose last cycles are not a whole one more, a part is left: 24 blocks.
            assert!((cycles as f64 - expected).abs() <= 24.0, "{cycles} {expected} {reused}");
        }
    }
}

#[test]
fn lives_to_their_end_are_those_of_the_publication() {
    // Section 4: 0.4 T of 1.25 N and 0.6 T of N, 10 % more; less the 5 to 6 % of T that reuse costs, 4 to 5 %.
    let none = life(&mortal(), &LlhFtlConfig { safe_share: 0.0, ..plain() }) as f64;
    for (strain, low, high) in [(1.0, 9.0, 11.0), (1.13, 4.0, 6.0), (1.15, 3.0, 5.0)] {
        let own = LlhFtlConfig { safe_share: 0.4, strain, ..plain() };
        let gain = 100.0 * (life(&mortal(), &own) as f64 / none - 1.0);
        // 0.4 (1.25 - strain) in closed form.
        assert!((low..high).contains(&gain), "{gain} % at {strain}");
        assert!((gain - 40.0 * (1.25 - strain)).abs() < 0.7, "{gain} % at {strain}");
    }
}

#[test]
fn blocks_are_reused_for_as_many_cycles_whatever_these_wear() {
    // 0.4 of 200 cycles, counted as erases, not as what they stand for.
    for strain in [1.0, 1.5] {
        let own = LlhFtlConfig { safe_share: 0.1, strain, ..plain() };
        let [result, ..] = run(&mortal(), &own, &all_hot(30_000));
        let reused = figure(&result, "/rounds/second_empty");
        assert_eq!(reused, 24 * 20, "{strain}");
    }
}

#[test]
fn a_chips_table_says_for_how_long_its_blocks_are_reused() {
    let of = |chip: Chip| LlhFtlConfig { safe: Safe::Table, chip, strain: 1.14, ..plain() };
    let reused = |own: &LlhFtlConfig| {
        let [result, ..] = run(&mortal(), own, &all_hot(70_000));
        assert!(figure(&result, "/rounds/past_safe_life") > 0);
        figure(&result, "/rounds/second_empty") as f64 / 24.0 / LIFE_PEC as f64
    };
    // A27's 0.405, as Table 4 says (59.5 % lost); A16's and B29's 0.62 and 0.66.
    for (chip, share) in [(Chip::A27, 0.404), (Chip::A16, 0.62), (Chip::B29, 0.664)] {
        assert!((reused(&of(chip)) - share).abs() < 0.01, "{chip}");
    }
    let refused = LlhFtl::new(of(Chip::B16), &mortal()).err().expect("it forbids reuse");
    assert!(format!("{refused:?}").contains("chip b16"), "{refused:?}");
}

/// A bank of pages of 32 KiB, and hot data alone.
fn large(own: &LlhFtlConfig) -> RunResult {
    let mut config = bank();
    config.drive.chip.page_kib = 32.0;
    let requests = writes((0..100_000).map(|n| n % (2 * BLOCK)));
    let [result, ..] = run(&config, own, &requests);
    result
}

#[test]
fn without_spare_area_codes_carry_three_units_of_eight() {
    for &code in &Code::ALL[1..] {
        let result = large(&LlhFtlConfig { code, ..plain() });
        // N + 3 N / 16 units a block of 64.
        let ideal = 100_000 / (64 + 12);
        let erases = result.flash.erases;
        assert!((ideal - 24..=ideal).contains(&erases), "{code}: {erases}, {ideal}");
        let encoding = &result.technique["encoding"];
        assert_eq!(encoding["share_of_page"], 0.375, "{code}");
        assert!(encoding["encode_us"].as_f64().is_some_and(|us| us > 50.0), "{code}");
    }
}

#[test]
fn with_the_spare_area_of_chips_they_carry_half_a_page() {
    for (code, spare_percent) in [(Code::Polar, 11.42), (Code::Elimination, 3.12)] {
        let result = large(&LlhFtlConfig { code, spare_percent, ..plain() });
        let ideal = 100_000 / (64 + 16);
        let erases = result.flash.erases;
        assert!((ideal - 24..=ideal + 10).contains(&erases), "{code}: {erases}, {ideal}");
        assert_eq!(result.technique["encoding"]["share_of_page"], 0.5, "{code}");
    }
}

#[test]
fn a_die_waits_for_the_encoder() {
    let busy_us = |encode_us: f64| {
        let own = LlhFtlConfig { encode_us, ..plain() };
        let result = &run(&bank(), &own, &all_hot(1_000))[1];
        let again = figure(result, "/reprograms");
        (again, result.flash.die_utilisation[0] * result.workload.duration_s * 1e6)
    };
    let ((again, without), (_, with_it)) = (busy_us(0.0), busy_us(100.0));
    let longer_us = with_it - without;
    assert!(
        again > 0 && (longer_us / (100.0 * again as f64) - 1.0).abs() < 0.001,
        "{longer_us} {again}"
    );
}

#[test]
fn what_does_not_fit_is_refused_with_the_spare_area_that_it_needs() {
    let refused = |code, spare_percent| {
        let own = LlhFtlConfig { code, spare_percent, ..plain() };
        format!("{:?}", LlhFtl::new(own, &bank()).err().expect("it does not fit"))
    };
    let message = refused(Code::Polar, 0.0);
    let (key, page) = ("technique.llh_ftl.spare_percent", "8 KiB");
    assert!(message.contains(key) && message.contains(page), "{message}");
    let mut config = bank();
    config.drive.chip.page_kib = 24.0;
    let own = LlhFtlConfig { code: Code::Ldgm, ..plain() };
    let message =
        format!("{:?}", LlhFtl::new(own, &config).err().expect("the table has no such page"));
    assert!(message.contains("24 KiB") && message.contains("drive.chip.page_kib"), "{message}");
    // What fails often is told.
    let own = LlhFtlConfig { code: Code::Polar, spare_percent: 6.5, ..plain() };
    let warned = told(&bank(), technique(&own, &bank()));
    assert!(warned.contains("of the second writes"), "{warned}");
}
