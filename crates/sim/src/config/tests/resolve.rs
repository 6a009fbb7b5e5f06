use super::super::load::load_with;
use super::super::{
    ArrayLevel, Cell, Config, HostMode, Kind, Param, PerPage, PresetKind, SchedulingConfig, TABLES,
    TechniqueDecl, VictimChoice, load, owners, policies, presets,
};
use super::{config, overrides};
use proptest::prelude::*;
use proptest::sample::select;

#[test]
fn layers_lie_over_one_another() {
    let text = "[drive]\npreset = \"tiny\"\nchannels = 3\n[drive.chip]\npreset = \"ressd-tlc\"\ndies = 4\n";
    let given = overrides(&["drive.chip.dies=5", "drive.chip.dies=6"]);
    let drive = load(text, "ssd.toml", &given).expect("a configuration").drive;
    assert_eq!(drive.chips_per_channel, 1, "from the drive preset");
    assert_eq!(drive.channels, 3, "from the text, over the drive preset");
    assert_eq!(drive.chip.pages_per_block, 384, "from the chip preset, over the drive preset");
    assert_eq!(drive.chip.dies, 6, "from the last override");
    let scheduling = Config::default().drive.scheduling;
    let tiny = SchedulingConfig {
        suspend_program: true,
        suspend_erase: true,
        suspend_loading: true,
        ..scheduling
    };
    assert_eq!(drive.scheduling, tiny, "from the drive preset; the rest from the defaults");
}

#[test]
fn groups_lie_over_what_their_chips_share() {
    let text = "[drive.chip]\ntransfer_mb_s = 333\nplanes = 4\n\
                [drive.group.b.chip]\npreset = \"centaur-slc\"\ndies = 3\n\
                [drive.group.a]\nchips_per_channel = 2\n";
    let given = overrides(&["drive.group.b.channels=5", "drive.group.b.chip.dies=6"]);
    let config = load(text, "ssd.toml", &given).expect("a configuration");
    let kinds = config.drive.kinds();
    let [a, b] = &kinds[..] else { panic!("two groups") };
    assert_eq!((a.name, a.channels, a.chips_per_channel), ("a", 8, 2));
    assert_eq!((a.chip.transfer_mb_s, a.chip.planes), (333.0, 4), "as in [drive.chip]");
    assert_eq!((b.name, b.channels, b.chips_per_channel), ("b", 5, 1));
    assert_eq!((b.chip.transfer_mb_s, b.chip.planes), (200.0, 2), "from its preset");
    assert_eq!((b.chip.dies, b.chip.cell), (6, Cell::Slc), "from the override; its preset");
    let again = load(&config.to_toml(), "result", &[]).expect("a configuration");
    assert_eq!(again, config);
}

#[test]
fn a_group_of_a_preset_may_be_changed() {
    let text = "preset = \"centaur-mixed-256g\"\ndrive.group.tlc.chip.erase_ms = 5";
    let given = overrides(&["drive.group.slc.chip.preset=disksim-slc"]);
    let drive = load(text, "ssd.toml", &given).expect("a configuration").drive;
    assert_eq!((drive.group["tlc"].channels, drive.group["tlc"].chip.erase_ms), (7, 5.0));
    assert_eq!(drive.group["tlc"].chip.pages_per_block, 768, "from its preset's chip");
    assert_eq!(drive.group["slc"].chip.pages_per_block, 63, "from the override's");
}

#[test]
fn an_override_may_choose_another_preset() {
    let text = "preset = \"reo-1t\"\ndrive.channels = 3";
    let given = overrides(&["drive.preset=tiny"]);
    let drive = load(text, "ssd.toml", &given).expect("a configuration").drive;
    assert_eq!((drive.channels, drive.chip.planes), (3, 2));
}

#[test]
fn numbers_are_read_as_declared() {
    let given = overrides(&[
        "drive.chip.page_kib=16",
        "workload.first=1e6",
        "run.seed=0x10",
        "drive.chip.read_us=[50, 60.5]",
        "ftl.hotness.policy=interval",
        "ftl.hotness.intervals_min=5",
        "host.mode=closed",
        "workload.source=uniform:writes=1e6,span=0.5",
        "run.records = true",
    ]);
    let config = load("", "ssd.toml", &given).expect("a configuration");
    assert_eq!(config.drive.chip.page_kib, 16.0);
    assert_eq!(config.workload.first, 1_000_000);
    assert_eq!(config.run.seed, 16);
    assert_eq!(config.drive.chip.read_us, PerPage::Many(vec![50.0, 60.5]));
    assert_eq!(config.ftl.hotness.intervals_min, [5.0]);
    assert_eq!(config.host.mode, HostMode::Closed);
    assert_eq!(config.workload.source, "uniform:writes=1e6,span=0.5");
    assert!(config.run.records);
}

#[test]
fn quantities_are_read_in_the_unit_of_their_key() {
    let text = "[drive]\nover_provisioning = \"7%\"\n\
                [drive.chip]\nread_us = [\"0.05ms\", 60]\nerase_ms = \"3500us\"\n\
                page_kib = \"16KiB\"\nendurance_pec = \"3k\"\n";
    let given = overrides(&[
        "host.write_buffer_mib=1GiB",
        "ftl.merge_timeout_us=2ms",
        "drive.chip.transfer_mb_s=1.2GB/s",
        "workload.first=10k",
        "ftl.hotness.policy=interval",
        "ftl.hotness.intervals_min=[\"1h\", \"1d\"]",
        "workload.source=uniform:interval_us=2ms",
    ]);
    let config = load(text, "ssd.toml", &given).expect("a configuration");
    assert_eq!(config.drive.over_provisioning, 0.07);
    assert_eq!(config.drive.chip.read_us, PerPage::Many(vec![50.0, 60.0]));
    assert_eq!(config.drive.chip.erase_ms, 3.5);
    assert_eq!(config.drive.chip.page_kib, 16.0);
    assert_eq!(config.host.write_buffer_mib, 1024.0);
    assert_eq!(config.ftl.merge_timeout_us, 2000.0);
    assert_eq!(config.drive.chip.transfer_mb_s, 1200.0);
    assert_eq!(config.workload.first, 10_000);
    assert_eq!(config.ftl.hotness.intervals_min, [60.0, 1440.0]);
    assert_eq!(config.workload.source, "uniform:interval_us=2ms");
}

#[test]
fn an_erase_scheme_has_a_table_of_its_own() {
    let config = config("[erase]\nscheme = \"fixed\"\n[erase.fixed]\n");
    assert_eq!(load(&config.to_toml(), "result", &[]).expect("a configuration"), config);
    let error = load("[erase.fixed]\nx = 1", "ssd.toml", &[]).unwrap_err();
    assert_eq!(error.to_string(), "ssd.toml:2: unknown key `x` in [erase.fixed] (valid: none)");
}

#[test]
fn a_technique_brings_its_defaults() {
    const FLIP: &[Param] = &[
        Param { key: "share", kind: Kind::Float(0.0, 1.0), unit: "", help: "", source: "" },
        Param { key: "limit", kind: Kind::Int(0, 9), unit: "", help: "", source: "" },
    ];
    const DECLS: &[TechniqueDecl] = &[TechniqueDecl {
        name: "flip",
        params: FLIP,
        defaults: || toml::toml! { share = 0.5 limit = 3 },
    }];
    let text = "[technique.flip]\nlimit = 4\n";
    let config = load_with(text, "ssd.toml", &[], DECLS).expect("a configuration");
    assert_eq!(config.technique, toml::toml! { flip = { share = 0.5, limit = 4 } });
    let again = load_with(&config.to_toml(), "result", &[], DECLS).expect("a configuration");
    assert_eq!(again, config);
    let error = load_with("technique.flip.limt = 4", "ssd.toml", &[], DECLS).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ssd.toml:1: unknown key `limt` in [technique.flip] \
         (did you mean `limit`? valid: share, limit)"
    );
}

#[test]
fn an_empty_table_takes_the_techniques_of_every_preset_away() {
    let mut with_technique = 0;
    for preset in presets::all().iter().filter(|preset| preset.kind == PresetKind::Drive) {
        let text = format!("preset = {:?}", preset.name);
        let of = |given: &[&str]| load(&text, "ssd.toml", &overrides(given)).expect("it is right");
        let own = of(&[]);
        with_technique += u32::from(!own.technique.is_empty());
        let expected = Config { technique: toml::Table::new(), ..own };
        assert_eq!(of(&["technique={}"]), expected, "{}", preset.name);
        let again = of(&["technique.llh_ftl.floor=3", "technique={}", "technique.ressd={}"]);
        assert_eq!(again.technique.keys().collect::<Vec<_>>(), ["ressd"], "{}", preset.name);
    }
    assert!(with_technique >= 8, "{with_technique} presets have a technique");
}

#[test]
fn an_empty_table_takes_the_techniques_of_all_drives_of_an_array_away() {
    let text = "[array]\nlevel = \"raid5\"\n[technique.ressd]\n[array.drive.1.technique.llh_ftl]\n\
                [array.drive.2.technique.lazy_ftl]";
    let of = |given: &[&str], number| {
        let config = load(text, "ssd.toml", &overrides(given)).expect("a configuration");
        let drive = config.of_drive(number).expect("a configuration");
        drive.technique.keys().cloned().collect::<Vec<_>>()
    };
    for number in 0..4 {
        assert_eq!(of(&["technique={}"], number), [""; 0]);
        assert_eq!(of(&["technique={}", "technique.slc_cache={}"], number), ["slc_cache"]);
    }
    let of_one = |number| of(&["array.drive.1.technique={}"], number);
    assert_eq!([of_one(0), of_one(1), of_one(2)].map(|it| it.len()), [1, 0, 1]);
}

#[test]
fn a_drive_of_an_array_lies_over_what_all_share() {
    const DECLS: &[TechniqueDecl] = &[TechniqueDecl {
        name: "flip",
        params: &[Param {
            key: "limit",
            kind: Kind::Int(1, 9),
            unit: "pages",
            help: "the limit",
            source: "",
        }],
        defaults: || toml::toml! { limit = 3 },
    }];
    let text = "technique.flip.limit = 4\n[array]\nlevel = \"raid5\"\n\
                [array.drive.1.technique.flip]\n[array.drive.2]\ntechnique = {}\n\
                [array.drive.3.drive.chip]\nread_us = 5\nerase_ms = 7\n";
    let given = overrides(&["array.drive.3.ftl.gc.policy=fifo", "run.records=true"]);
    let config = load_with(text, "ssd.toml", &given, DECLS).expect("a configuration");
    let of = |number| config.of_drive(number).expect("a configuration");
    assert_eq!(of(0).technique, toml::toml! { flip = { limit = 4 } });
    assert_eq!(of(1).technique, toml::toml! { flip = { limit = 3 } }, "its own, at the default");
    assert_eq!(of(2).technique, toml::Table::new(), "its own: none");
    assert_eq!((of(2).drive, of(2).ftl), (config.drive.clone(), config.ftl.clone()));
    let third = of(3);
    assert_eq!(third.technique, config.technique);
    assert_eq!((third.ftl.gc.policy, third.drive.chip.erase_ms), (VictimChoice::Fifo, 7.0));
    let alone = load_with("drive.chip.read_us = 5", "ssd.toml", &[], DECLS);
    assert_eq!(third.drive.chip.read_us, PerPage::One(5.0));
    assert_eq!(third.drive.chip.read_us, alone.expect("a configuration").drive.chip.read_us);
    assert_eq!(third.drive.chip.planes, config.drive.chip.planes);
    assert_eq!((third.array.level, third.run.records), (ArrayLevel::None, false));
    assert_ne!(of(0).run.seed, of(1).run.seed);
    let again = load_with(&config.to_toml(), "result", &[], DECLS).expect("a configuration");
    assert_eq!(again, config);
}

/// The declaration of a key and its type name the same choices.
#[test]
fn every_declared_name_is_a_value_of_its_key() {
    let mut names_seen = 0;
    for (table, param) in TABLES.iter().flat_map(|t| t.params.iter().map(move |p| (t.path, p))) {
        let names = match param.kind {
            Kind::OneOf(names) | Kind::OneOfOr(names, ..) => names,
            Kind::Policy(slot) => policies(slot),
            _ => &[],
        };
        for name in names {
            let text = format!("{table}.{}={name}", param.key);
            let config =
                load("", "ssd.toml", std::slice::from_ref(&text)).unwrap_or_else(|e| panic!("{e}"));
            let json = serde_json::to_value(&config).expect("JSON");
            let value = json.pointer(&format!("/{table}/{}", param.key).replace('.', "/"));
            assert_eq!(value.and_then(|value| value.as_str()), Some(*name), "{text}");
            names_seen += 1;
        }
    }
    assert!(names_seen > 100, "{names_seen}");
}

/// Whoever reads a configuration by other ways than [`load`] cannot hold an unknown name either.
#[test]
fn an_unknown_name_makes_no_configuration() {
    let read = |text: &str| serde_json::from_str::<Config>(text);
    assert_eq!(read(r#"{"drive":{"chip":{"cell":"qlc"}}}"#).unwrap().drive.chip.cell.bits(), 4);
    let error = read(r#"{"drive":{"chip":{"cell":"plc"}}}"#).unwrap_err().to_string();
    assert!(error.contains("unknown variant `plc`, expected one of `slc`"), "{error}");
    assert!(read(r#"{"drive":{"scheduling":{"order":"writes_first"}}}"#).is_err());
}

/// Overrides that set some key to a value that its declaration allows.
fn valid_overrides() -> impl Strategy<Value = Vec<String>> {
    let keys: Vec<(&str, &Param)> =
        TABLES.iter().flat_map(|t| t.params.iter().map(move |p| (t.path, p))).collect();
    (select(keys), any::<u64>(), 0.0..1.0f64).prop_map(|((table, param), bits, share)| {
        let number = |low: f64, high: f64| format!("{:?}", low + share * (high - low));
        let value = match param.kind {
            Kind::Bool => (bits % 2 == 0).to_string(),
            Kind::Int(low, high) => (low + bits % (high - low + 1)).to_string(),
            Kind::Float(low, high) => number(low, high),
            Kind::Floats(low, high) if bits % 2 == 0 => number(low, high),
            Kind::Floats(low, high) => format!("[{}, {}]", number(low, high), number(low, low)),
            Kind::OneOfOr(_, low, high) if bits % 2 == 0 => number(low, high),
            Kind::OneOf(names) | Kind::OneOfOr(names, ..) => {
                names[bits as usize % names.len()].to_owned()
            }
            Kind::Policy(slot) => {
                let names = policies(slot);
                names[bits as usize % names.len()].to_owned()
            }
            Kind::Ints(low, high) => format!("[{low}, {}]", low + bits % (high - low + 1)),
            Kind::Texts => format!("[\"text {bits}\", \"\"]"),
            Kind::Text => format!("\"text {bits} \\\" \\u00e4\""),
        };
        with_its_policy(table, param, &value)
    })
}

/// The override, with that of a policy which has such a parameter.
fn with_its_policy(table: &str, param: &Param, value: &str) -> Vec<String> {
    let declared = TABLES.iter().find(|declared| declared.path == table).expect("a table");
    let owner = declared.params.iter().find_map(|chooser| match chooser.kind {
        Kind::Policy(slot) => Some((chooser.key, *owners(slot, param.key).first()?)),
        _ => None,
    });
    let chosen = owner.map(|(key, name)| format!("{table}.{key}={name}"));
    chosen.into_iter().chain([format!("{table}.{}={value}", param.key)]).collect()
}

proptest! {
    #[test]
    fn a_resolved_configuration_is_read_back_unchanged(
        preset in select(presets::all()),
        given in prop::collection::vec(valid_overrides(), 0..12),
    ) {
        let text = match preset.kind {
            PresetKind::Drive => format!("preset = {:?}", preset.name),
            PresetKind::Chip => format!("drive.chip.preset = {:?}", preset.name),
        };
        let config = match load(&text, "ssd.toml", &given.concat()) {
            // One override chooses another policy than that of which the other sets a parameter.
            Err(error) if error.what.contains("has no such parameter") => return Ok(()),
            other => other.expect("a configuration"),
        };
        let again = load(&config.to_toml(), "result", &[]).expect("its own TOML");
        prop_assert_eq!(&again, &config);
        let json = serde_json::to_string(&config).expect("JSON");
        let from_json: Config = serde_json::from_str(&json).expect("a configuration");
        prop_assert_eq!(&from_json, &config);
        let through_toml = load(&from_json.to_toml(), "result", &[]).expect("TOML of the JSON");
        prop_assert_eq!(&through_toml, &config);
    }

    #[test]
    fn no_text_makes_the_loader_panic(text in "\\PC*", given in "\\PC{0,20}") {
        let _ = load(&text, "ssd.toml", &[given]);
    }

    #[test]
    fn no_toml_makes_the_loader_panic(
        lines in prop::collection::vec(
            "(\\[{1,2}|)(drive|ftl|chip|technique|preset|run|é|\"\"|seed|page_kib)(\\.(chip|x|gc|\" \"))?(\\]{1,2}|)( ?= ?(-?[0-9]{1,20}|nan|1e999|\"[a-z\\n]*\"|\\[[0-9,]*\\]|\\{\\}|2020-01-01|true|\"tiny\"))?",
            0..6,
        ),
    ) {
        let text = lines.join("\n");
        let _ = load(&text, "ssd.toml", &lines);
    }
}
