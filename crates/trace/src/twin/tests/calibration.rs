//! The search for the calibrated values of ReSSD's rows.

use super::super::rows::ressd::{self, Calibrated};
use super::*;

/// Finds the calibrated values of ReSSD's rows: run it after a change of the model, and put what it
/// prints into `presets/workloads/ressd.toml`.
#[test]
#[ignore = "prints the values to store; takes minutes"]
fn calibrate() {
    let only = std::env::var("TWIN").unwrap_or_default();
    for decl in of_paper("ressd").filter(|decl| only.is_empty() || only.contains(volume(decl))) {
        let (cost, best) = calibrated(decl);
        println!("[rows.{}.calibrated] # {cost:.2} of the tolerance", volume(decl));
        println!("update_pct = {:.2}", best.update_pct.unwrap_or_default());
        println!("hot_updates = {:.3}", best.hot_updates.unwrap_or_default());
        println!("tilt = {:.2}", best.tilt.unwrap_or_default());
        println!("youth = {:.1}", best.youth.unwrap_or_default());
        println!("eager = {:.0}", best.eager.unwrap_or_default());
        if let Some(follow) = best.follow {
            println!("follow = {follow}");
        }
        println!("limit = {}\n", best.limit.unwrap_or_default());
    }
}

fn volume(decl: &TwinDecl) -> &str {
    decl.name.split('/').next_back().unwrap_or_default()
}

fn calibrated(decl: &'static TwinDecl) -> (f64, Calibrated) {
    let mut best = (f64::INFINITY, Calibrated::default());
    let update_pct = published(decl, "update_pct");
    // Few updates a page: chance alone makes the skew too strong.
    let limit = if update_pct < 30.0 { 2 } else { 0 };
    // Youth and `follow`: what is written right after a place is as old as the place, and may be
    // near the end of its zone; where pages have no time to lose, none follow.
    let orders = [(1.0, None), (4.0, None), (100.0, Some(0.0))];
    for below in [0.0, 0.5, 1.0, 1.5, 1.8] {
        for eager in [1.0, 30.0, 300.0] {
            for (order, tilt) in orders
                .into_iter()
                .flat_map(|order| [0.0, 0.6, 1.2, 2.0, 3.0].map(|tilt| (order, tilt)))
            {
                let mut tried = Calibrated {
                    update_pct: Some(update_pct - below),
                    hot_updates: Some(0.739),
                    tilt: Some(tilt),
                    youth: Some(order.0),
                    eager: Some(eager),
                    limit: Some(limit),
                    follow: order.1,
                };
                best = adjusted(decl, &mut tried, best);
                if best.0 < 0.25 {
                    return best;
                }
            }
        }
        if best.0 < 0.6 {
            return best;
        }
    }
    best
}

/// Adjusts the share of hot updates until the skew is right; the best of what is found and `best`.
fn adjusted(
    decl: &'static TwinDecl,
    tried: &mut Calibrated,
    mut best: (f64, Calibrated),
) -> (f64, Calibrated) {
    for _ in 0..6 {
        let (cost, excess) = misfit(decl, *tried);
        if cost < best.0 {
            best = (cost, *tried);
        }
        if excess.abs() < 0.004 || cost > 2.0 + 100.0 * excess.abs() / 3.0 {
            break;
        }
        tried.hot_updates = tried.hot_updates.map(|hot| (hot - 1.2 * excess).clamp(0.05, 0.95));
    }
    best
}

/// The worst deviation in units of what is tolerated, and by how much the skew is too strong.
fn misfit(decl: &'static TwinDecl, calibrated: Calibrated) -> (f64, f64) {
    let model = ressd::with(volume(decl), calibrated).sampled(250_000);
    let mut source = open_model(&decl.name, model, &CONTEXT).expect("a twin");
    let stats = measure(&mut *source);
    let off = |key: &str, share: f64| (100.0 * share - published(decl, key)).abs();
    let hot = stats.skew.updates.expect("updates").on_hottest_20_percent;
    let mut cost = (off("hot_updates_pct", hot) / 3.0)
        .max(off("update_pct", stats.updates.share.expect("writes")) / 2.0);
    for (key, zone) in ZONES.into_iter().zip(stats.updates.intervals.expect("updates").zone_shares)
    {
        cost = cost.max(off(key, zone) / 3.0);
    }
    (cost, hot - published(decl, "hot_updates_pct") / 100.0)
}
