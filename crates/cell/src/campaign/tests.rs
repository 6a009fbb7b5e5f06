//! Campaigns resume, stop, and are the same for any number of threads.

use super::*;

fn chip() -> Chip {
    Chip::preset("lazyrs-tlc").unwrap()
}

fn settings(chips: u32, precision: f64, threads: usize) -> Settings {
    Settings {
        mode: None,
        conditions: Conditions::fresh(1000.0).aged(8760.0, 30.0),
        is_optimal: true,
        chips,
        pages: 576 * u64::from(chips),
        precision,
        confidence: 0.95,
        seed: 1,
        threads,
    }
}

fn ran(settings: Settings, done: Vec<ChipTally>) -> Campaign {
    let mut campaign = Campaign::new(chip(), settings, done).unwrap();
    campaign.run(|_| ControlFlow::Continue(()));
    campaign
}

#[test]
fn campaigns_resume_and_do_not_depend_on_threads() {
    let whole = ran(settings(20, 0.0, 2), vec![]);
    assert_eq!(whole.done.len(), 20);
    let stored = whole.done[..8].to_vec();
    assert_eq!(ran(settings(20, 0.0, 1), stored).done, whole.done);
    let outcome = whole.outcome().unwrap();
    assert_eq!((outcome.pages, outcome.chips), (576 * 20, 20));
    assert!(outcome.errors_low < outcome.errors && outcome.errors < outcome.errors_high);
    // The chip's nominal worst page has 54 errors after a year (experiment lazyrs).
    let worst = outcome.errors_by_page.iter().copied().fold(0.0, f64::max);
    assert!((45.0..70.0).contains(&worst), "{worst}");
    let mut other = settings(20, 0.0, 1);
    other.pages *= 2;
    assert!(
        Campaign::new(chip(), other, whole.done).unwrap_err().what.contains("another campaign")
    );
}

#[test]
fn campaigns_stop_when_the_mean_is_known() {
    let mut rounds = 0;
    let mut campaign = Campaign::new(chip(), settings(160, 0.05, 2), vec![]).unwrap();
    campaign.run(|_| {
        rounds += 1;
        ControlFlow::Continue(())
    });
    let outcome = campaign.outcome().unwrap();
    assert!(outcome.is_precise && outcome.chips < 160, "{outcome:?}");
    assert!(outcome.errors_high - outcome.errors <= 0.05 * outcome.errors);
    assert_eq!(rounds, outcome.chips / ROUND + 1);
    assert!(is_look(outcome.chips as usize));
}

#[test]
fn looks_come_after_half_as_many_chips_again() {
    let looks: Vec<usize> = (0..=170).filter(|chips| is_look(*chips)).collect();
    assert_eq!(looks, [16, 24, 40, 64, 96, 144]);
}

/// Campaigns over made-up chips, whose means are lognormal around 1: of the intervals at which they stop
/// of their own accord 95 % hold 1, within two standard deviations of what so many can tell.
#[test]
fn intervals_hold_the_mean() {
    const CAMPAIGNS: u32 = 1500;
    for (sigma, precision) in [(0.1, 0.05), (0.3, 0.1), (0.5, 0.15)] {
        let hold = |campaign: u32| {
            let mut means = Vec::new();
            loop {
                let chip = means.len() as u32;
                let drawn = rng::normal(5, 1, [campaign, chip, 0]);
                means.push(libm::exp(sigma * drawn - 0.5 * sigma * sigma));
                if is_look(means.len()) && is_known(&means, precision, 0.95) {
                    break;
                }
            }
            let mean = means.iter().sum::<f64>() / means.len() as f64;
            (mean - 1.0).abs() <= half_interval(&means, precision, 0.95)
        };
        let share = (0..CAMPAIGNS).filter(|one| hold(*one)).count() as f64 / f64::from(CAMPAIGNS);
        assert!(share >= 0.9387, "{sigma} {precision}: {share}");
    }
}

/// Of many draws, as many pages as the distribution says have so many errors in their worst codeword.
#[test]
fn worst_codewords_come_as_often_as_they_should() {
    for (mean, codewords) in [(0.4, 1.0), (3.0, 16.0), (54.0, 8.0)] {
        let draws = 20_000;
        let drawn: Vec<usize> = (0..draws)
            .map(|i| worst_codeword(mean, codewords, 1.0 - (f64::from(i) + 0.5) / f64::from(draws)))
            .collect();
        let mut term = libm::exp(-mean);
        let mut within = term;
        for errors in 0..80usize {
            let share = drawn.iter().filter(|d| **d <= errors).count() as f64 / f64::from(draws);
            let exact = libm::pow(within, codewords);
            assert!((share - exact).abs() < 1e-4, "{mean} {codewords} {errors}: {share} {exact}");
            term *= mean / (errors as f64 + 1.0);
            within += term;
        }
    }
}

/// Sums of the terms by themselves: of words with 10⁻³ errors on average 5.0 · 10⁻⁷ have two or more,
/// 1.7 · 10⁻¹⁰ three and 4.2 · 10⁻¹⁴ four; of those with 20, 7.9 · 10⁻¹⁹ have 71 or more and
/// 2.2 · 10⁻¹⁹ have 72.
#[test]
fn rare_pages_are_as_bad_as_they_should_be() {
    for (mean, above, errors) in
        [(1e-3, 1e-6, 1), (1e-3, 1e-9, 2), (1e-3, 1e-11, 3), (20.0, 8e-19, 70), (20.0, 5e-19, 71)]
    {
        assert_eq!(worst_codeword(mean, 1.0, above), errors, "{mean} {above}");
    }
    assert!(upper_share(u32::MAX, u32::MAX) > 0.0);
    assert!(upper_share(u32::MAX, 7) < 1.0 / 4_294_967_296.0);
    assert_eq!(worst_codeword(20.0, 1.0, upper_share(0, 0)), 0);
}

/// What a file may hold that no campaign wrote.
#[test]
fn tallies_that_no_chip_gives_are_refused() {
    let mut campaign = Campaign::new(chip(), settings(1, 0.0, 1), vec![]).unwrap();
    campaign.run(|_| ControlFlow::Continue(()));
    let good = campaign.done[0].clone();
    let taken = |tally: &ChipTally| Campaign::new(chip(), settings(1, 0.0, 1), vec![tally.clone()]);
    assert!(taken(&good).is_ok());
    for spoil in [
        |tally: &mut ChipTally| tally.worst.extend([u64::MAX, 1]),
        |tally: &mut ChipTally| tally.errors[0] = -1.0,
        |tally: &mut ChipTally| tally.errors[0] = f64::MAX,
        |tally: &mut ChipTally| tally.worst.resize(MOST_ERRORS + 2, 0),
        |tally: &mut ChipTally| tally.chip = 1,
    ] {
        let mut bad = good.clone();
        spoil(&mut bad);
        assert!(taken(&bad).is_err(), "{:?}", bad.errors);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let bad = |change: fn(&mut Settings)| {
        let mut settings = settings(8, 0.0, 1);
        change(&mut settings);
        Campaign::new(chip(), settings, vec![]).unwrap_err()
    };
    assert_eq!(bad(|s| s.chips = 0).place, "chips");
    assert_eq!(bad(|s| s.pages = 0).place, "pages");
    assert_eq!(bad(|s| s.precision = -0.1).place, "precision");
    assert_eq!(bad(|s| s.confidence = f64::NAN).place, "confidence");
    assert!(bad(|s| s.mode = Some(Levels::Qlc)).help.contains("tlc"));
}
