use super::super::load;
use super::overrides;

/// Each text is refused with exactly this message.
fn refused(cases: &[(&str, &str)]) {
    for (text, message) in cases {
        let error = load(text, "ssd.toml", &[]).expect_err(text);
        assert_eq!(error.to_string(), *message, "{text}");
    }
}

#[test]
fn unknown_tables_and_keys() {
    refused(&[
        (
            "[drvie]\n",
            "ssd.toml:1: unknown table or key `drvie` (did you mean `drive`? valid: run, \
             drive, ftl, erase, power, data, host, array, precondition, workload, technique, preset)",
        ),
        (
            "\n[ftl.wear]\ntreshold = 4\n",
            "ssd.toml:3: unknown key `treshold` in [ftl.wear] (did you mean `threshold`? valid: \
             policy, threshold, set_blocks)",
        ),
        (
            "[drive]\npage_kib = 4",
            "ssd.toml:2: unknown key `page_kib` in [drive] (did you mean \
             `drive.chip.page_kib`? valid: channels, chips_per_channel, over_provisioning, \
             chip, scheduling, reads, group, preset)",
        ),
        (
            "channels = 4",
            "ssd.toml:1: unknown table or key `channels` (did you mean `drive.channels`? \
             valid: run, drive, ftl, erase, power, data, host, array, precondition, workload, technique, preset)",
        ),
        (
            "[drive.chpi]",
            "ssd.toml:1: unknown key `chpi` in [drive] (did you mean `chip`? valid: channels, \
             chips_per_channel, over_provisioning, chip, scheduling, reads, group, preset)",
        ),
    ]);
}

#[test]
fn groups_of_chips() {
    refused(&[
        (
            "[drive.group.slc]\nchanels = 2",
            "ssd.toml:2: unknown key `chanels` in [drive.group.slc] (did you mean `channels`? \
             valid: first_channel, channels, chips_per_channel, erase_scheme, chip)",
        ),
        (
            "[drive.group.slc]\nplanes = 2",
            "ssd.toml:2: unknown key `planes` in [drive.group.slc] (did you mean \
             `drive.group.slc.chip.planes`? valid: first_channel, channels, \
             chips_per_channel, erase_scheme, chip)",
        ),
        (
            "[drive]\ngroup.slc.chip.planes = 0",
            "ssd.toml:2: `drive.group.slc.chip.planes`: expected a whole number from 1 to 64 \
             per die, found 0 (planes of a die)",
        ),
        (
            "[drive.group]\nslc = 3",
            "ssd.toml:2: `drive.group.slc`: expected a table, found 3 (write [drive.group.slc] \
             above its keys)",
        ),
        (
            "[drive.group.\"a b\"]",
            "ssd.toml:1: `a b` cannot name a group (use letters, digits, `_` and `-`)",
        ),
        (
            "[drive.group.slc.chip]\npreset = \"centaur\"",
            "ssd.toml:2: unknown chip preset `centaur` (did you mean `centaur-tlc`? valid: \
             disksim-slc, ressd-tlc, openssd-mlc, lazyrs-tlc, reo-tlc, centaur-tlc, \
             centaur-tlc-page, centaur-slc, mqsim-mlc)",
        ),
    ]);
}

#[test]
fn tables_and_values_confused() {
    refused(&[
        (
            "drive = 3",
            "ssd.toml:1: `drive`: expected a table, found 3 (write [drive] above its keys)",
        ),
        (
            "[drive.channels]",
            "ssd.toml:1: `drive.channels`: expected a whole number from 1 to 1024, found a \
             table",
        ),
        (
            "[[drive]]",
            "ssd.toml:1: `drive`: expected a table, found [a table] (write [drive] above its \
             keys)",
        ),
    ]);
}

#[test]
fn wrong_types_and_ranges() {
    refused(&[
        (
            "[drive]\nchannels = 0",
            "ssd.toml:2: `drive.channels`: expected a whole number from 1 to 1024, found 0",
        ),
        (
            "[drive]\nchannels = -1",
            "ssd.toml:2: `drive.channels`: expected a whole number from 1 to 1024, found -1",
        ),
        (
            "[drive]\nchannels = 2.5",
            "ssd.toml:2: `drive.channels`: expected a whole number from 1 to 1024, found 2.5",
        ),
        (
            "[drive]\nchannels = \"eight\"",
            "ssd.toml:2: `drive.channels`: expected a whole number from 1 to 1024, found the \
             text \"eight\" (units: k, M, G)",
        ),
        (
            "[drive.chip]\nread_us = \"60KiB\"",
            "ssd.toml:2: `drive.chip.read_us`: expected a number from 0 to 1000000 µs, or a \
             list of them, found the text \"60KiB\" (tR: array to register, one value or one \
             per page type; units: ns, us, ms, s, min, h, d)",
        ),
        (
            "[drive]\nover_provisioning = 7",
            "ssd.toml:2: `drive.over_provisioning`: expected a number from 0 to 2 (1 is 100%), \
             found 7 ((T - U) / U: physical space beyond the logical, as a share of the \
             logical; 7 per cent is \"7%\")",
        ),
        (
            "[drive]\nover_provisioning = \"700%\"",
            "ssd.toml:2: `drive.over_provisioning`: expected a number from 0 to 2 (1 is 100%), \
             found the text \"700%\" ((T - U) / U: physical space beyond the logical, as a \
             share of the logical; units: %)",
        ),
        (
            "[drive.chip]\nread_us = []",
            "ssd.toml:2: `drive.chip.read_us`: expected a number from 0 to 1000000 µs, or a \
             list of them, found an empty list (tR: array to register, one value or one per \
             page type)",
        ),
        (
            "[drive.chip]\nread_us = [60, nan]",
            "ssd.toml:2: `drive.chip.read_us`: expected a number from 0 to 1000000 µs, or a \
             list of them, found [60, nan] (tR: array to register, one value or one per page \
             type)",
        ),
        (
            "[drive.chip]\npage_kib = nan",
            "ssd.toml:2: `drive.chip.page_kib`: expected a number from 0.5 to 1024 KiB, found \
             nan (user data of a page)",
        ),
        (
            "[drive.chip]\npage_kib = inf",
            "ssd.toml:2: `drive.chip.page_kib`: expected a number from 0.5 to 1024 KiB, found \
             inf (user data of a page)",
        ),
        (
            "[drive.chip]\npage_kib = 2000",
            "ssd.toml:2: `drive.chip.page_kib`: expected a number from 0.5 to 1024 KiB, found \
             2000 (user data of a page)",
        ),
        (
            "[run]\nrecords = 1",
            "ssd.toml:2: `run.records`: expected true or false, found 1 (keep a record of \
             every request)",
        ),
        (
            "[run]\nrecords = 2020-01-01",
            "ssd.toml:2: `run.records`: expected true or false, found a date (keep a record of \
             every request)",
        ),
    ]);
}

#[test]
fn unknown_choices() {
    refused(&[
        (
            "[ftl.gc]\nscope = \"plan\"",
            "ssd.toml:2: `ftl.gc.scope`: no such name as \"plan\" (did you mean `plane`? valid: \
             plane, die, drive)",
        ),
        (
            "[ftl.gc]\nscope = 3",
            "ssd.toml:2: `ftl.gc.scope`: expected one of plane, die, drive, found 3 (the domain \
             whose free blocks are counted and in which the victim is sought)",
        ),
        (
            "[workload]\nsource = 3",
            "ssd.toml:2: `workload.source`: expected text, found 3 (a trace file, or a \
             generator with its parameters)",
        ),
    ]);
}

#[test]
fn drives_of_arrays() {
    refused(&[
        (
            "[array.drive.one]",
            "ssd.toml:1: `one` cannot name a drive of an array (drives are numbered: \
             [array.drive.0] is the first)",
        ),
        (
            "[array.drive.01]",
            "ssd.toml:1: `01` cannot name a drive of an array (drives are numbered: \
             [array.drive.0] is the first)",
        ),
        (
            "[array.drive.1]\nhost.mode = \"open\"",
            "ssd.toml:2: unknown key `host` in [array.drive.1] (valid: drive, ftl, erase, \
             technique)",
        ),
        (
            "[array.drive.1.drive]\ngroup.slc.channels = 1",
            "ssd.toml:2: unknown key `group` in [array.drive.1.drive] (valid: channels, \
             chips_per_channel, over_provisioning, chip, scheduling, reads)",
        ),
        (
            "[array.drive.1.ftl.gc]\npolciy = \"fifo\"",
            "ssd.toml:2: unknown key `polciy` in [array.drive.1.ftl.gc] (did you mean `policy`? \
             valid: policy, ties, d, window, scope, free_block_threshold, counts, trigger, mode, background_threshold, \
             hard_threshold, idle_us)",
        ),
        (
            "[array.drive.1.ftl.gc]\nd = 0",
            "ssd.toml:2: `array.drive.1.ftl.gc.d`: expected a whole number from 1 to 100000 \
             blocks, found 0 (candidates of d_choices)",
        ),
        (
            "[array.drive.1.drive]\npreset = \"tiny\"",
            "ssd.toml:2: there are no presets for [array.drive.1.drive] (set it in [drive], \
             [drive.chip] or [drive.group.NAME.chip])",
        ),
    ]);
}

#[test]
fn presets_that_do_not_exist_or_fit() {
    refused(&[
        (
            "preset = \"reo\"",
            "ssd.toml:1: unknown drive preset `reo` (did you mean `reo-1t`? `wordline list presets` shows all)",
        ),
        (
            "[array.drive.1.drive.chip]\nread_uss = 3",
            "ssd.toml:2: unknown key `read_uss` in [array.drive.1.drive.chip] (did you mean `read_us`? \
             `wordline describe drive.chip` shows all)",
        ),
        (
            "[drive.chip]\npreset = \"reo-1t\"",
            "ssd.toml:2: unknown chip preset `reo-1t` (valid: disksim-slc, ressd-tlc, \
             openssd-mlc, lazyrs-tlc, reo-tlc, centaur-tlc, \
             centaur-tlc-page, centaur-slc, mqsim-mlc)",
        ),
        (
            "[ftl]\npreset = \"x\"",
            "ssd.toml:2: there are no presets for [ftl] (set it in [drive], [drive.chip] or \
             [drive.group.NAME.chip])",
        ),
        (
            "preset = 3",
            "ssd.toml:1: `preset`: expected a name, found 3 (the name of a preset, in quotes)",
        ),
        (
            "preset = \"tiny\"\n[drive]\npreset = \"reo-1t\"",
            "ssd.toml:3: two drive presets: `tiny` and `reo-1t` (keep one of them)",
        ),
    ]);
}

#[test]
fn unknown_techniques() {
    refused(&[
        (
            "[technique.resd]",
            "ssd.toml:1: unknown technique `resd` (did you mean `ressd`? valid: ressd, llh_ftl, centaur, slc_cache, lazy_ftl)",
        ),
        (
            "technique = 3",
            "ssd.toml:1: `technique`: expected a table, found 3 (write [technique] above its \
             keys)",
        ),
    ]);
}

#[test]
fn malformed_toml_and_odd_names() {
    refused(&[
        (
            "[drive]\nchannels = ",
            "ssd.toml:2:12: not valid TOML: string values must be quoted, expected literal \
             string",
        ),
        ("[drive]\nchannels 3", "ssd.toml:2:10: not valid TOML: key with no value, expected `=`"),
        ("[drive]\nchannels = 1\nchannels = 2", "ssd.toml:3:1: not valid TOML: duplicate key"),
        (
            "[drive]\n ä = 1",
            "ssd.toml:2:2: not valid TOML: invalid unquoted key, expected letters, numbers, \
             `-`, `_`",
        ),
        (
            "[erase.reo]\necc_bits = 50",
            "ssd.toml:2: unknown key `ecc_bits` in [erase.reo] (did you mean `drive.reads.ecc_bits`? valid: chip, \
             borrow, requirement, lazy, margin, gate_voltages, gate_need, gate_damage, misprediction_share, \
             misprediction_ms)",
        ),
        (
            "[erase]\n\"a\\nb\" = 1",
            "ssd.toml:2: unknown key `a\\nb` in [erase] (valid: scheme, ispe, i_ispe, dpes, aero, reo)",
        ),
    ]);
}

#[test]
fn overrides_are_located_by_themselves() {
    let cases = [
        (
            "drive.channels",
            "override `drive.channels`: no `=` (write it as table.key=value, such as \
             drive.channels=4)",
        ),
        ("=3", "override `=3`: not a key (write it as table.key=value, such as drive.channels=4)"),
        (
            "drive..x=3",
            "override `drive..x=3`: not a key (write it as table.key=value, such as \
             drive.channels=4)",
        ),
        (
            "drive.channels=",
            "override `drive.channels=`: the value is not valid TOML (text with blanks or \
             quotes goes in quotes)",
        ),
        (
            "ftl.wear.treshold=3",
            "override `ftl.wear.treshold=3`: unknown key `treshold` in [ftl.wear] (did you mean \
             `threshold`? valid: policy, threshold, set_blocks)",
        ),
        (
            "drive.channels=\"x",
            "override `drive.channels=\"x`: the value is not valid TOML (text with blanks or \
             quotes goes in quotes)",
        ),
        (
            "drive.channels=many",
            "override `drive.channels=many`: `drive.channels`: expected a whole number from 1 \
             to 1024, found the text \"many\" (units: k, M, G)",
        ),
        (
            "ftl.gc.scope=lun",
            "override `ftl.gc.scope=lun`: `ftl.gc.scope`: no such name as \"lun\" (valid: plane, \
             die, drive)",
        ),
        (
            "drive.chip.preset=reo-tcl",
            "override `drive.chip.preset=reo-tcl`: unknown chip preset `reo-tcl` (did you mean \
             `reo-tlc`? valid: disksim-slc, ressd-tlc, openssd-mlc, lazyrs-tlc, reo-tlc, \
             centaur-tlc, centaur-tlc-page, centaur-slc, mqsim-mlc)",
        ),
    ];
    for (given, message) in cases {
        let error = load("", "ssd.toml", &overrides(&[given])).expect_err(given);
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn deep_nesting_is_refused() {
    for text in [
        format!("x={}", "[".repeat(50_000)),
        format!("x={}", "{a=".repeat(50_000)),
        format!("{}x=1", "a.".repeat(50_000)),
        format!("[{}x]", "a.".repeat(50_000)),
    ] {
        let error = load(&text, "ssd.toml", &[]).expect_err("nesting");
        assert!(error.place.starts_with("ssd.toml:1"), "{}", error.place);
        load("", "ssd.toml", &[text]).expect_err("nesting");
    }
}

#[test]
fn long_values_are_cut_short() {
    let text = format!("[drive]\nchannels = \"{}\"", "ä".repeat(1000));
    let error = load(&text, "ssd.toml", &[]).expect_err("text");
    assert!(error.what.ends_with("ää…"), "{error}");
    assert!(error.what.chars().count() < 130, "{error}");
}
