//! Where parts go, and how their programs are filled.

use crate::harness::figure;
use crate::rig::*;
use wordline_sim::config::{MapCacheChoice, Pattern};
use wordline_sim::technique::centaur::{CentaurConfig, InitialData, Mode, Partial};
use wordline_trace::Request;

#[test]
fn parts_are_cut_at_the_borders_of_programs() {
    // A request of a whole program's size that lies across a border: two halves.
    let across = [put(0, 6, 12)];
    for (criterion, parts) in [(6 * UNIT, (0, 2)), (6 * UNIT + 1, (2, 0))] {
        let own = CentaurConfig { initial_bytes: criterion, ..dispatcher() };
        for result in everywhere_with(&own, &two_kinds(), &across) {
            let of = |name| figure(&result, name);
            assert_eq!((of("dispatched_2d_parts"), of("dispatched_3d_parts")), parts);
            let [in_2d, in_3d] = valid(&result);
            assert_eq!((in_2d, in_3d), (6 * parts.0, 6 * parts.1));
        }
    }
}

#[test]
fn a_part_has_as_many_bytes_as_the_host_writes() {
    // 6 units less a byte, of which the last unit is written in part.
    for (short, parts) in [(0, (0, 1)), (1, (1, 0))] {
        let request = Request { size_bytes: 6 * UNIT as u32 - short, ..put(0, 0, 6) };
        let result = run_with(&dispatcher(), &two_kinds(), &[request]);
        let of = |name| figure(&result, name);
        assert_eq!((of("dispatched_2d_parts"), of("dispatched_3d_parts")), parts);
        assert_eq!(of("written_bytes"), 6 * UNIT - u64::from(short));
    }
}

#[test]
fn a_unit_in_the_3d_flash_takes_a_program_of_its_own() {
    let own = CentaurConfig { mode: Mode::All3d, ..dispatcher() };
    // Two units of one range, then one of another, each when the one before is over.
    let requests = [put(0, 0, 1), put(10_000, 1, 1), put(20_000, 12, 1)];
    for (partial, merged, padding) in [(Partial::Pad, 0, 33), (Partial::Merge, 1, 32)] {
        let own = CentaurConfig { partial, ..own.clone() };
        for result in everywhere_with(&own, &one_kind("b-tlc"), &requests) {
            assert_eq!(
                (figure(&result, "programs_3d"), figure(&result, "merged_units")),
                (3, merged)
            );
            assert_eq!((result.flash.program_operations, result.flash.padding), (3, padding));
            // Equation 4: 36 units for 3.
            assert_eq!(share(&result, "write_amplification"), 12.0);
        }
        let alone = run_with(&own, &one_kind("b-tlc"), &requests[..1]);
        // All of a program crosses the channel.
        assert_eq!(alone.host.write.max_us, 12.0 * 10.0 + 1500.0);
    }
}

#[test]
fn the_rest_of_a_range_is_read_page_by_page_and_written_along() {
    let requests = [whole(0, 0), put(50_000, 0, 6)];
    for (partial, merged, reads) in [(Partial::Merge, 6, 2), (Partial::Pad, 0, 0)] {
        let own = CentaurConfig { partial, ..dispatcher() };
        for result in everywhere_with(&own, &two_kinds(), &requests) {
            assert_eq!(figure(&result, "merged_units"), merged);
            assert_eq!(result.flash.page_programs.technique, merged);
            // Units 6 to 11 stand in the second page of four and the third.
            assert_eq!(result.flash.page_reads.technique, reads);
            assert_eq!(result.flash.program_operations, 2);
            assert_eq!(valid(&result), [0, 12]);
        }
    }
}

#[test]
fn what_stands_in_the_2d_flash_is_merged_too() {
    let requests = [put(0, 0, 1), put(0, 11, 1), put(50_000, 1, 6)];
    for (partial, left) in [(Partial::Merge, [0, 8]), (Partial::Pad, [2, 6])] {
        let own = CentaurConfig { partial, ..dispatcher() };
        for result in everywhere_with(&own, &two_kinds(), &requests) {
            assert_eq!(valid(&result), left);
        }
    }
}

#[test]
fn a_kibibyte_over_the_3d_flash_goes_to_the_2d_flash() {
    let update = Request { size_bytes: 1024, ..put(50_000, 3, 1) };
    for result in everywhere_with(&dispatcher(), &two_kinds(), &[whole(0, 0), update]) {
        // The rest of the page comes from the other kind.
        assert_eq!(result.flash.page_reads.total(), 1);
        assert_eq!(result.flash.program_operations, 2);
        assert_eq!(valid(&result), [1, 11]);
    }
}

#[test]
fn the_criterion_follows_the_lifetimes() {
    let own = CentaurConfig { step_bytes: 512, period_parts: 10, ..dispatcher() };
    let parts = |count: u64| (0..count).map(|n| put(n * 10_000, n, 1)).collect::<Vec<_>>();
    for (count, fallen) in [(9, 0), (10, 512), (19, 512), (20, 1024)] {
        for result in everywhere_with(&own, &two_kinds(), &parts(count)) {
            // Neither kind was erased: equal.
            assert_eq!(figure(&result, "criterion_bytes"), 6 * UNIT - fallen);
        }
    }
    // Erases of the 3D flash alone: the 2D flash has spent less.
    let large = (0..10_000).map(|n| whole(0, n % 3)).collect::<Vec<_>>();
    for result in everywhere_with(&own, &two_kinds(), &large) {
        assert!(share(&result, "spent_lifetime_3d") > 0.0);
        assert_eq!(share(&result, "spent_lifetime_2d"), 0.0);
        assert_eq!(figure(&result, "criterion_bytes"), RANGE * UNIT);
        let of_group = result.wear.groups[THREE_D].spent_lifetime.expect("it has an endurance");
        assert!((share(&result, "spent_lifetime") - of_group).abs() < 1e-12);
    }
}

#[test]
fn an_erase_wears_by_what_it_stands_for() {
    let large = (0..10_000).map(|n| whole(0, n % 3)).collect::<Vec<_>>();
    let spent = |cycles_per_erase| {
        let mut config = two_kinds();
        config.run.cycles_per_erase = cycles_per_erase;
        let results = everywhere_with(&dispatcher(), &config, &large);
        results.map(|result| share(&result, "spent_lifetime_3d"))
    };
    for (one, ten) in spent(1).into_iter().zip(spent(10)) {
        assert!(one > 0.0 && (ten - 10.0 * one).abs() < 1e-9, "{one} {ten}");
    }
}

/// Each program of the 3D flash writes its entries of the map, which the cache has no room for.
#[test]
fn the_map_stands_in_the_2d_flash() {
    let mut config = two_kinds();
    config.ftl.map_cache.policy = MapCacheChoice::Dftl;
    config.ftl.map_cache.capacity_kib = 1.0;
    config.drive.over_provisioning = 1.0;
    let large = (0..200).map(|n| whole(n * 20_000, n % 100)).collect::<Vec<_>>();
    for result in everywhere_with(&dispatcher(), &config, &large) {
        assert!(result.flash.page_programs.mapping > 0);
        let [two, three] = valid(&result);
        assert_eq!(three, 100 * RANGE);
        assert!(two > 0, "pages of the map");
    }
}

#[test]
fn caches_take_all_or_what_does_not_fill_a_program() {
    let requests = [whole(0, 0), put(50_000, 12, 11)];
    for (mode, left) in [(Mode::Cache, [23, 0]), (Mode::CachePartial, [11, 12])] {
        let own = CentaurConfig { mode, ..dispatcher() };
        for result in everywhere_with(&own, &two_kinds(), &requests) {
            assert_eq!(valid(&result), left, "{mode}");
        }
    }
}

#[test]
fn the_2d_reference_is_the_conventional_drive() {
    let own = CentaurConfig { mode: Mode::All2d, ..dispatcher() };
    let config = one_kind("a-slc");
    let requests: Vec<_> = (0..2000).map(|n| put(n, n * 7 % 100, 1 + (n % 3) as u32)).collect();
    let plain =
        crate::harness::run_hooks(&config, wordline_sim::technique::Conventional, requests.clone());
    let result = run_with(&own, &config, &requests);
    assert!(plain.flash.erases > 0);
    assert_eq!(
        (result.flash.program_operations, result.flash.erases, result.host.write.mean_us),
        (plain.flash.program_operations, plain.flash.erases, plain.host.write.mean_us)
    );
}

#[test]
fn a_fill_lies_in_the_3d_flash_or_where_the_criterion_says() {
    // 25 ranges and three units.
    let mut config = two_kinds();
    let units = crate::harness::logical_units(&config);
    (config.precondition.pattern, config.precondition.fill) =
        (Pattern::Sequential, 303.0 / units as f64);
    for partial in [Partial::Merge, Partial::Pad] {
        for (initial_data, left) in
            [(InitialData::ThreeD, [0, 303]), (InitialData::Dispatched, [3, 300])]
        {
            let own =
                CentaurConfig { initial_data, partial, initial_bytes: 4 * UNIT, ..dispatcher() };
            let result = run_with(&own, &config, &[]);
            assert_eq!(valid(&result), left);
            assert_eq!(figure(&result, "programs_3d"), 0);
        }
    }
}
