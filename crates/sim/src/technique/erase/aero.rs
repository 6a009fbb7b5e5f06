//! AERO (Cho et al., ASPLOS 2024): erases as short as each block allows, told from failing bits; REO−
//! is its conservative mode.

use super::Entry;
use super::common::pulsed_params;
use super::prediction::Prediction;
use super::pulsed::Pulsed;
use crate::declare::{Kind, Table, TechniqueDecl, choice};
use crate::schema::SchemeChoice;

pub(super) const ENTRY: Entry = Entry {
    summary: "pulses as long as failing bits ask for; in conservative mode REO-",
    declaration: TechniqueDecl {
        name: SchemeChoice::Aero.name(),
        params: AeroConfig::PARAMS,
        defaults: AeroConfig::defaults,
    },
    build: |table, config| {
        let own = AeroConfig::read(table)?;
        let rule = Prediction {
            spends_up_to: (own.mode == Mode::Aggressive).then_some(own.requirement),
            margin_share: 1.0,
            misprediction_share: own.misprediction_share,
            misprediction_us: (own.misprediction_ms * 1000.0).round() as u32,
        };
        Pulsed::boxed(rule, own.common(), SchemeChoice::Aero, config)
    },
};

choice! {
    /// Whether erases may be left short.
    pub enum Mode {
        Conservative = "conservative",
        Aggressive = "aggressive",
    }
}

pulsed_params! {
    /// `[erase.aero]`.
    AeroConfig {
        mode: Mode = Mode::Conservative, Kind::OneOf(Mode::NAMES), "",
            "conservative: every erase completes; aggressive: it is left short by what the margin of the code bears";
        misprediction_share: f64 = 0.0, Kind::Float(0.0, 1.0), "share",
            "predictions that turn out too short";
        misprediction_ms: f64 = 0.5, Kind::Float(0.0, 3.5), "ms",
            "the further pulse that such a one takes",
            "simulator of Cho et al., ASPLOS 2024 (github.com/allencho1222/MQSim)";
    }
}
