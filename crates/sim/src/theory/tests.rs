use super::*;
use proptest::prelude::*;

fn close(ours: f64, reference: f64, tolerance: f64) {
    assert!(((ours - reference) / reference).abs() <= tolerance, "{ours} is not {reference}");
}

/// OP, greedy at b = 16, 64, 256, 2112, FIFO, random; computed independently by fixed-point
/// iteration and bisection, and by brute-force simulation within 0.3 %.
const TABLE: [(f64, [f64; 4], f64, f64); 6] = [
    (0.07, [5.328, 7.010, 7.597, 7.790], 7.817, 15.286),
    (0.10, [4.334, 5.247, 5.562, 5.663], 5.677, 11.000),
    (0.20, [2.717, 3.053, 3.153, 3.184], 3.188, 6.000),
    (0.25, [2.361, 2.599, 2.668, 2.690], 2.693, 5.000),
    (0.28, [2.202, 2.403, 2.461, 2.479], 2.481, 4.571),
    (0.50, [1.585, 1.681, 1.707, 1.715], 1.716, 3.000),
];

#[test]
fn reference_values_are_met() {
    for (op, by_block, fifo_value, random_value) in TABLE {
        let alpha = 1.0 + op;
        for (b, reference) in [16, 64, 256, 2112].into_iter().zip(by_block) {
            close(greedy(alpha, b), reference, 3e-4);
        }
        close(fifo(alpha), fifo_value, 3e-4);
        close(random(alpha), random_value, 3e-4);
    }
    for (d, reference) in [(2, 3.245), (3, 2.866), (5, 2.612), (10, 2.471)] {
        close(d_choices(1.28, 64, d), reference, 3e-4);
    }
}

/// Xiang and Kurkoski, arXiv:1110.4245: 2.36 at an over-provisioning of 0.3.
#[test]
fn published_anchor_is_met() {
    close(fifo(1.3), 2.36, 2e-3);
}

#[test]
fn hot_and_cold_data_are_better_apart() {
    let classes = [Class { space: 0.2, writes: 0.8 }, Class { space: 0.8, writes: 0.2 }];
    close(mixed_fifo(1.15, &classes), 4.370, 3e-4);
    let (best, split) = separate_fifo_optimal(1.15, &classes);
    close(best, 2.832, 3e-4);
    close(split.iter().sum(), 1.0, 1e-12);
    for step in [-0.02, 0.02] {
        assert!(separate_fifo(1.15, &classes, &[split[0] + step, split[1] - step]) > best);
    }
}

#[test]
fn classes_that_do_not_differ_are_one_class() {
    let same = [Class { space: 0.3, writes: 0.3 }, Class { space: 0.7, writes: 0.7 }];
    close(mixed_fifo(1.2, &same), fifo(1.2), 1e-9);
    let (apart, split) = separate_fifo_optimal(1.2, &same);
    close(apart, fifo(1.2), 1e-9);
    close(split[0], 0.3, 1e-6);
}

#[test]
fn limits_meet() {
    for b in [1, 2, 16, 64] {
        for alpha in [1.05, 1.28, 2.0, 40.0] {
            close(d_choices(alpha, b, 1), random(alpha), 1e-9);
            close(d_choices(alpha, b, 100_000), greedy(alpha, b), 1e-3);
        }
    }
    close(greedy(1.28, 200_000), fifo(1.28), 1e-4);
    close(greedy_desnoyers(1.28, 200_000), fifo(1.28), 1e-4);
    close(greedy_desnoyers(1.28, 64), greedy(1.28, 64), 0.02);
    close(greedy(3.0, 1), 1.0, 1e-12);
}

#[test]
fn nothing_can_be_reclaimed_without_spare_space() {
    for policy in [Cleaning::Fifo, Cleaning::Random, Cleaning::Greedy, Cleaning::DChoices(2)] {
        assert_eq!(write_amplification(policy, 1.0, 16), f64::INFINITY);
        assert_eq!(profile(policy, 0.9, 4).share, [0.0, 0.0, 0.0, 0.0, 1.0]);
    }
}

#[test]
fn lambert_inverts_its_definition() {
    assert_eq!(lambert_w0(0.0), 0.0);
    close(lambert_w0(1.0), 0.567_143_290_409_784, 1e-14);
    close(lambert_w0(std::f64::consts::E), 1.0, 1e-14);
    assert!((lambert_w0(-(-1.0_f64).exp()) + 1.0).abs() < 1e-7);
    assert!(lambert_w0(-0.4).is_nan());
}

/// Of the victims of greedy cleaning, b(1 − 1/A) is the mean of their valid units; by
/// construction it lies in the lowest occupied level or just under it.
#[test]
fn greedy_takes_its_victims_from_the_lowest_level() {
    let profile = profile(Cleaning::Greedy, 1.28, 64);
    let lowest = profile.share.iter().position(|&share| share > 0.0).unwrap() as f64;
    let victim = 64.0 * (1.0 - 1.0 / profile.write_amplification);
    assert!(lowest - 1.0 <= victim && victim <= lowest, "{victim} against {lowest}");
}

#[test]
fn fifo_profile_is_the_mixture_over_all_ages() {
    let steps = 20_000;
    let age = |step: i32| (f64::from(step) + 0.5) / f64::from(steps);
    let mean: f64 = (0..steps).map(|step| fifo_valid_share_by_age(1.28, age(step))).sum::<f64>();
    close(mean / f64::from(steps), 1.0 / 1.28, 1e-8);
    let empty: f64 =
        (0..steps).map(|step| (1.0 - fifo_valid_share_by_age(1.28, age(step))).powi(4)).sum();
    close(empty / f64::from(steps), profile(Cleaning::Fifo, 1.28, 4).share[0], 1e-6);
}

fn any_policy() -> impl Strategy<Value = Cleaning> {
    prop_oneof![
        Just(Cleaning::Fifo),
        Just(Cleaning::Random),
        Just(Cleaning::Greedy),
        (1_u32..40).prop_map(Cleaning::DChoices),
    ]
}

proptest! {
    #[test]
    fn lambert_holds(w in -0.99_f64..20.0) {
        let found = lambert_w0(w * w.exp());
        prop_assert!((found - w).abs() <= 1e-9 * (1.0 + w.abs()), "{found} is not {w}");
    }

    #[test]
    fn profiles_are_normalised(policy in any_policy(), alpha in 1.02_f64..5.0, b in 1_usize..200) {
        let profile = profile(policy, alpha, b);
        let total: f64 = profile.share.iter().sum();
        let valid: f64 = profile.share.iter().enumerate().map(|(i, s)| i as f64 * s).sum();
        prop_assert!(profile.share.iter().all(|&share| (0.0..=1.0).contains(&share)));
        prop_assert!((total - 1.0).abs() < 1e-9);
        prop_assert!((valid * alpha / b as f64 - 1.0).abs() < 1e-9, "{valid} valid units");
        let direct = write_amplification(policy, alpha, b);
        prop_assert!((profile.write_amplification / direct - 1.0).abs() < 1e-9);
    }

    #[test]
    fn policies_are_ordered(alpha in 1.001_f64..6.0, b in 1_usize..300, d in 1_u32..30) {
        let by_d = d_choices(alpha, b, d);
        prop_assert!(greedy(alpha, b) <= d_choices(alpha, b, d + 1) * (1.0 + 1e-9));
        prop_assert!(d_choices(alpha, b, d + 1) <= by_d * (1.0 + 1e-9));
        prop_assert!(by_d <= random(alpha) * (1.0 + 1e-9));
        prop_assert!(greedy(alpha, b) <= fifo(alpha) * (1.0 + 1e-9));
        prop_assert!(greedy(alpha, b) >= 1.0 - 1e-9);
    }

    #[test]
    fn any_split_is_no_better_than_the_optimal(
        alpha in 1.02_f64..3.0, space in 0.02_f64..0.98, writes in 0.0_f64..1.0,
        share in 0.001_f64..0.999,
    ) {
        let classes =
            [Class { space, writes }, Class { space: 1.0 - space, writes: 1.0 - writes }];
        let (best, _) = separate_fifo_optimal(alpha, &classes);
        let other = separate_fifo(alpha, &classes, &[share, 1.0 - share]);
        prop_assert!(best <= other * (1.0 + 1e-7), "{best} against {other}");
    }
}
