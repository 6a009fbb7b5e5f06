//! Generators against their definitions.

use super::*;
use crate::{Op, PlacementId, Request, from_spec, read_all_count};
use proptest::prelude::*;

const MIB: u64 = 1 << 20;
const CONTEXT: GeneratorContext = GeneratorContext::on_drive(64 * MIB, 7);

fn source(spec: &str) -> Box<dyn Source> {
    from_spec(spec, &CONTEXT).expect(spec)
}

fn requests(source: &mut dyn Source) -> Vec<Request> {
    let (mut all, mut batch) = (Vec::new(), Vec::with_capacity(100));
    loop {
        source.next_batch(&mut batch).expect("a generator does not fail");
        if batch.is_empty() {
            return all;
        }
        all.extend_from_slice(&batch);
    }
}

fn generate(spec: &str) -> Vec<Request> {
    requests(&mut *source(spec))
}

fn refusal(spec: &str) -> String {
    match from_spec(spec, &CONTEXT) {
        Ok(_) => panic!("`{spec}` was accepted"),
        Err(error) => error.to_string(),
    }
}

/// Asserts that `count` of `n` trials agrees with `probability`, within five standard errors.
fn assert_share(count: usize, n: usize, probability: f64, what: &str) {
    let (n, count) = (n as f64, count as f64);
    let error = (n * probability * (1.0 - probability)).sqrt();
    assert!((count - n * probability).abs() <= 5.0 * error + 1e-9, "{what}: {count} of {n}");
}

/// Σ (observed − expected)² / expected in standard deviations beyond its mean.
fn chi_square_excess(observed: &[u64], probabilities: &[f64]) -> f64 {
    let n = observed.iter().sum::<u64>() as f64;
    let chi: f64 = observed
        .iter()
        .zip(probabilities)
        .map(|(&count, &p)| (count as f64 - n * p).powi(2) / (n * p))
        .sum();
    let freedom = (observed.len() - 1) as f64;
    (chi - freedom) / (2.0 * freedom).sqrt()
}

fn slot_counts(requests: &[Request], slots: usize) -> Vec<u64> {
    let mut counts = vec![0; slots];
    for request in requests {
        counts[(request.offset_bytes / 4096) as usize] += 1;
    }
    counts
}

fn zipf_probabilities(n: usize, theta: f64) -> Vec<f64> {
    let weights: Vec<f64> = (1..=n).map(|k| (k as f64).powf(-theta)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

#[test]
fn declarations_are_sound() {
    for decl in generators() {
        for (i, param) in decl.params.iter().enumerate() {
            assert!(!decl.params[..i].iter().any(|p| p.key == param.key), "{} twice", param.key);
            if !param.default.is_empty() {
                assert_eq!(
                    values::check(param, param.default),
                    Ok(()),
                    "{} {}",
                    decl.name,
                    param.key
                );
            }
        }
        let first = generate(&format!("{}:requests=10", decl.name));
        assert_eq!(first.len(), 10, "{}", decl.name);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    for decl in generators() {
        let spec = format!("{}:requests=500,read=0.5,size=exponential,interval_us=10", decl.name);
        let mut source = source(&spec);
        let first = requests(&mut *source);
        source.rewind().expect("a generator rewinds");
        assert_eq!(requests(&mut *source), first, "{spec}");
        assert_eq!(generate(&spec), first, "{spec}");
        assert_ne!(generate(&format!("{spec},seed=8")), first, "{spec}");
        assert_eq!(generate(&format!("{spec},seed=7")), first, "{spec}");
    }
}

#[test]
fn bits_are_the_same_on_every_machine() {
    let digest = |spec: &str| {
        generate(spec).iter().fold(0u64, |hash, r| {
            let word = r.offset_bytes ^ r.arrival_ns.rotate_left(20) ^ u64::from(r.size_bytes);
            (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(5)
        })
    };
    let tail = "requests=1000,size=exponential,interval_us=10";
    let digests = ["uniform", "zipf", "zipf_ycsb"].map(|name| digest(&format!("{name}:{tail}")));
    assert_eq!(
        digests,
        [2_844_635_681_607_115_608, 6_992_294_917_411_137_445, 9_944_740_950_791_345_272]
    );
}

#[test]
fn operations_do_not_move_addresses() {
    let offsets = |spec: &str| -> Vec<u64> {
        generate(spec).iter().map(|request| request.offset_bytes).collect()
    };
    let writes = offsets("zipf:requests=300");
    assert_eq!(offsets("zipf:requests=300,read=0.4,trim=0.1,interval_us=3"), writes);
}

#[test]
fn shares_and_counts_are_as_asked() {
    let n = 100_000;
    let all = generate("uniform:requests=1e5,read=0.3,trim=0.1");
    let count = |op| all.iter().filter(|request| request.op == op).count();
    assert_eq!(all.len(), n);
    assert_share(count(Op::Read), n, 0.3, "reads");
    assert_share(count(Op::Trim), n, 0.1, "trims");

    let flushed = generate("uniform:requests=1e5,read=0.3,trim=0.1,flush=0.2");
    let count = |op| flushed.iter().filter(|request| request.op == op).count();
    assert_share(count(Op::Flush), n, 0.2, "flushes");
    assert_share(count(Op::Read), n, 0.3, "reads beside flushes");
    assert_share(count(Op::Trim), n, 0.1, "trims beside flushes");
    let is_empty = |request: &Request| (request.offset_bytes, request.size_bytes) == (0, 0);
    assert!(flushed.iter().all(|request| is_empty(request) == (request.op == Op::Flush)));

    let durable = generate("uniform:requests=1e5,read=0.3,trim=0.1,flush=0.2,fua=0.25");
    let plain: Vec<Request> = durable.iter().map(|it| Request { fua: false, ..*it }).collect();
    assert_eq!(plain, flushed, "FUA changes nothing else");
    let fuas = durable.iter().filter(|request| request.fua);
    assert!(fuas.clone().all(|request| request.op == Op::Write));
    assert_share(fuas.count(), (0.4 * n as f64) as usize, 0.25, "writes with FUA");

    let placed = generate("uniform:requests=1e5,read=0.3,trim=0.1,flush=0.2,placement=5");
    let is_right = |it: &Request| it.placement == (it.op == Op::Write).then_some(PlacementId(5));
    assert!(placed.iter().all(is_right));
    assert!(placed.iter().zip(&flushed).all(|(it, plain)| it.with_placement(None) == *plain));

    let totals = read_all_count(&mut *source("uniform:writes=1_000,read=0.9")).expect("totals");
    assert_eq!(totals.writes, 1000);
    assert!(totals.reads > 8000);
    assert_eq!(source("uniform:writes=1000,read=0.9").len_hint(), Some(10_000));
    assert!(generate("uniform:requests=1000,read=1").iter().all(|r| r.op == Op::Read));
    assert!(generate("uniform:requests=1000,trim=1").iter().all(|r| r.op == Op::Trim));
}

#[test]
fn a_pass_writes_each_address_once_in_an_order_of_its_own() {
    let all = generate("uniform:requests=1000,span_mib=1,size_kib=4,passes=on");
    let slots: Vec<u64> = all.iter().map(|request| request.offset_bytes / 4096).collect();
    let passes: Vec<&[u64]> = slots.chunks_exact(256).collect();
    assert_eq!(passes.len(), 3);
    assert!(passes.iter().all(|pass| (0..256).all(|slot| pass.contains(&slot))));
    assert!(passes[0] != passes[1] && passes[1] != passes[2]);
    assert!(source("uniform:passes=on").uniform_span_bytes().is_none());
}

#[test]
fn uniform_addresses_are_uniform() {
    let counts = slot_counts(&generate("uniform:requests=2e5,span_mib=4"), 1024);
    let excess = chi_square_excess(&counts, &[1.0 / 1024.0; 1024]);
    assert!(excess.abs() < 4.0, "{excess}");
}

#[test]
fn zipf_follows_the_exact_probabilities() {
    for theta in [0.0, 0.5, 0.99, 1.0, 1.5, 3.0] {
        let spec = format!("zipf:theta={theta},scatter=off,requests=2e5,span_mib=0.25");
        let counts = slot_counts(&generate(&spec), 64);
        // Ranks too rare for the test are one class.
        let exact = zipf_probabilities(64, theta);
        let kept = exact.iter().take_while(|&&p| p > 2.5e-4).count();
        let fold = |tail: f64, head: &[f64]| [head, &[tail]].concat();
        let (mut observed, mut expected) = (counts[..kept].to_vec(), exact[..kept].to_vec());
        if kept < 64 {
            observed.push(counts[kept..].iter().sum());
            expected = fold(exact[kept..].iter().sum(), &expected);
        }
        let excess = chi_square_excess(&observed, &expected);
        assert!(excess.abs() < 4.0, "θ = {theta}: {excess}");
    }
}

#[test]
fn ycsb_gives_rank_three_a_fifth_too_much() {
    let n = 400_000;
    let all = generate("zipf_ycsb:theta=0.99,scatter=off,requests=4e5,span_mib=64");
    let counts = slot_counts(&all, 16_384);
    let exact = zipf_probabilities(16_384, 0.99);
    assert_share(counts[0] as usize, n, exact[0], "rank 1");
    assert_share(counts[1] as usize, n, exact[1], "rank 2");
    let excess = counts[2] as f64 / (n as f64 * exact[2]) - 1.0;
    assert!((0.15..0.23).contains(&excess), "rank 3: {excess}");
}

#[test]
fn fio_leaves_addresses_out_unless_they_are_a_power_of_two() {
    // Few ranks, each drawn often: whoever has none of 16 draws a rank has no rank.
    let touched = |slots: u64| {
        let spec = format!("zipf_fio:theta=0.01,requests={},size_kib=4", 16 * slots);
        let context = GeneratorContext::on_drive(slots * 4096, 5);
        let mut source = from_spec(&spec, &context).expect("valid");
        let counts = slot_counts(&requests(&mut *source), slots as usize);
        counts.iter().filter(|&&count| count > 0).count() as f64 / slots as f64
    };
    assert!(touched(4096) > 0.999);
    // About as if each rank chose an address by chance: 1 - 1/e of them are chosen.
    let share = touched(5000);
    assert!((0.55..0.75).contains(&share), "{share}");
}

#[test]
fn fio_sums_zeta_over_the_addresses_that_there_are() {
    let context = GeneratorContext::on_drive(1024 * 4096, 5);
    let spec = "zipf_fio:theta=0.99,requests=2e5,size_kib=4";
    let mut source = from_spec(spec, &context).expect("valid");
    let all = requests(&mut *source);
    let most = slot_counts(&all, 1024).into_iter().max().unwrap_or(0);
    assert_share(most as usize, all.len(), zipf_probabilities(1024, 0.99)[0], "rank 1");
}

#[test]
fn bursts_are_as_long_and_as_dense_as_asked() {
    let all =
        generate("uniform:requests=2e5,interval_us=100,arrival=bursty,burst=10,burst_speed=50");
    let gaps: Vec<u64> = all.windows(2).map(|w| w[1].arrival_ns - w[0].arrival_ns).collect();
    let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
    assert!((mean / 100_000.0 - 1.0).abs() < 0.03, "{mean}");
    // 2 µs within, (10 − 9/50) × 100 µs = 982 µs between: 44 µs part them, up to e^-22 and 4.4 %.
    let long = gaps.iter().filter(|&&gap| gap > 44_000).count();
    let between = 982_000.0f64;
    assert_share(long, gaps.len(), 0.1 * (-44_000.0 / between).exp(), "pauses");
}

#[test]
fn scattering_moves_ranks_and_keeps_their_popularity() {
    let sorted = |spec: &str| {
        let mut counts = slot_counts(&generate(spec), 1024);
        counts.sort_unstable();
        counts
    };
    let tail = "requests=1e4,span_mib=4";
    let (on, off) = (format!("zipf:{tail}"), format!("zipf:scatter=off,{tail}"));
    assert_eq!(sorted(&on), sorted(&off));
    assert_ne!(generate(&on), generate(&off));
}

#[test]
fn hot_addresses_take_their_share() {
    let all = generate("hotcold:hot=0.1,share=0.9,requests=1e5");
    let hot_bytes = (16_384.0f64 * 0.1).round() as u64 * 4096;
    let hot = all.iter().filter(|request| request.offset_bytes < hot_bytes).count();
    assert_share(hot, all.len(), 0.9, "hot");
}

#[test]
fn sequential_streams_take_turns_and_wrap() {
    let offsets = |spec: &str| -> Vec<u64> {
        generate(spec).iter().map(|request| request.offset_bytes / 4096).collect()
    };
    assert_eq!(offsets("sequential:requests=6,span_mib=0.015625"), [0, 1, 2, 3, 0, 1]);
    assert_eq!(offsets("sequential:requests=6,streams=2,span_mib=0.015625"), [0, 2, 1, 3, 0, 2]);
}

#[test]
fn mixed_requests_are_small_and_random_or_large_and_sequential() {
    let all = generate("mixed:random=0.7,requests=1e5");
    let large: Vec<&Request> = all.iter().filter(|r| r.size_bytes == 128 << 10).collect();
    assert_share(large.len(), all.len(), 0.3, "sequential");
    let followed = large.windows(2).filter(|pair| {
        let next = pair[0].offset_bytes + u64::from(pair[0].size_bytes);
        pair[1].offset_bytes == next % (64 * MIB)
    });
    assert_eq!(followed.count(), large.len() - 1);
    assert!(all.iter().all(|r| r.size_bytes == 4096 || r.size_bytes == 128 << 10));
}

#[test]
fn disksims_synthetic_workload_can_be_said() {
    let spec =
        "requests=1e5,size=exponential,size_kib=4,align_kib=4,interval_us=500,arrival=uniform";
    let all = generate(&format!("uniform:{spec}"));
    assert!(all.iter().all(|r| r.offset_bytes % 4096 == 0 && r.size_bytes % 4096 == 0));
    // Rounded up to its mean m, an exponential size has the mean m / (1 − e^-1).
    let mean = all.iter().map(|r| f64::from(r.size_bytes)).sum::<f64>() / all.len() as f64;
    assert!((mean / (4096.0 / (1.0 - (-1.0f64).exp())) - 1.0).abs() < 0.01, "{mean}");
    let gaps: Vec<u64> = all.windows(2).map(|w| w[1].arrival_ns - w[0].arrival_ns).collect();
    let mean_gap = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
    assert!(gaps.iter().all(|&gap| gap <= 1_000_000));
    assert!((mean_gap / 500_000.0 - 1.0).abs() < 0.01, "{mean_gap}");

    let run = generate(&format!("sequential:{spec}"));
    let adjoining = run.windows(2).filter(|w| {
        w[1].offset_bytes == 0
            || w[1].offset_bytes == w[0].offset_bytes + u64::from(w[0].size_bytes)
    });
    assert_eq!(adjoining.count(), run.len() - 1);
}

#[test]
fn arrivals_have_their_mean_and_start_at_zero() {
    for arrival in ["exponential", "uniform", "fixed"] {
        let spec = format!("uniform:requests=1e5,interval_us=20,arrival={arrival}");
        let all = generate(&spec);
        assert_eq!(all[0].arrival_ns, 0);
        let mean = all[all.len() - 1].arrival_ns as f64 / (all.len() - 1) as f64;
        assert!((mean / 20_000.0 - 1.0).abs() < 0.02, "{arrival}: {mean}");
    }
    assert!(generate("uniform:requests=100").iter().all(|r| r.arrival_ns == 0));
}

#[test]
fn mistakes_are_answered() {
    for (spec, expected) in [
        ("unifrom", "did you mean `uniform`?"),
        ("lru:requests=1", "unknown generator `lru`"),
        ("zipf:tetha=0.9", "did you mean `theta`?"),
        ("uniform:theta=0.9", "unknown key `theta`"),
        ("uniform:requests=2ms", "a whole number from 1"),
        ("uniform:requests=1e6,", "a comma with nothing behind it"),
        ("uniform:,requests=1e6", "a comma with nothing behind it"),
        ("uniform:", "nothing follows the colon"),
        ("uniform:writes", "write it as `writes=…`"),
        ("uniform:interval_us=4KiB", "a number from 0 to 1000000000 µs, or with one of ns, us,"),
        ("uniform:requests=1.5", "a whole number from 1"),
        ("uniform:read=30", "a number from 0 to 1"),
        ("uniform:read=nan", "a number from 0 to 1"),
        ("uniform:size=exponental", "did you mean `exponential`?"),
        ("uniform:read=0.1,read=0.2", "given twice"),
        ("uniform:read=0.7,trim=0.7", "more than all requests"),
        ("uniform:writes=5,requests=5", "both `writes` and `requests`"),
        ("uniform:writes=5,read=1", "never ends"),
        ("uniform:span_mib=0.001", "too small"),
        ("hotcold:hot=0", "leaves none hot"),
        ("hotcold:hot=1", "leaves none cold"),
        ("sequential:streams=60000,span_mib=1", "60000 sequential streams"),
        ("mixed:sequential_kib=2048,span_mib=1", "less than a request"),
        ("zipf_ycsb:span_mib=0.004", "too few"),
        ("zipf_fio:span_mib=0.004", "too few"),
        ("zipf_fio:theta=1", "fio refuses it"),
    ] {
        let message = refusal(spec);
        assert!(message.contains(expected), "{spec}: {message}");
        assert!(message.starts_with(spec), "{message}");
    }
}

proptest! {
    #[test]
    fn no_specification_panics(
        spec in "(uniform|zipf|zipf_ycsb|zipf_fio|hotcold|sequential|mixed|[a-z]{0,4})(:|)((requests|read|trim|size_kib|align_kib|span_mib|hot|share|theta|streams|random|x)=([0-9.e-]{0,6}|exponential),?){0,4}",
        span_bytes: u64,
    ) {
        let context = GeneratorContext::on_drive(span_bytes, 1);
        if let Ok(mut source) = from_spec(&spec, &context) {
            let mut batch = Vec::with_capacity(64);
            source.next_batch(&mut batch).expect("a generator does not fail");
            prop_assert!(!batch.is_empty());
        }
    }

    #[test]
    fn requests_stay_in_the_space_and_are_aligned(
        name in "uniform|zipf|zipf_ycsb|zipf_fio|hotcold|sequential|mixed",
        span_kib in 400u64..5000,
        align in 1u64..4,
        size in 1u64..9,
        distribution in "fixed|exponential",
    ) {
        let spec = format!(
            "{name}:requests=300,align_kib={},size_kib={},size={distribution}", 4 * align, 2 * size
        );
        let context = GeneratorContext::on_drive(span_kib * 1024, 3);
        let mut source = from_spec(&spec, &context).expect("valid");
        for request in requests(&mut *source) {
            prop_assert!(request.size_bytes > 0);
            prop_assert!(request.offset_bytes + u64::from(request.size_bytes) <= context.span_bytes);
            prop_assert_eq!(request.offset_bytes % (4096 * align), 0);
        }
    }
}
