//! REO (Kim and Kim, Electronics 14:738, 2025): erases as short as each block allows and the margin of
//! the code bears; REO+ also sets the gate voltage of every word line so that all erase alike, which
//! spares read retries.

use super::Entry;
use super::cells::Gates;
use super::common::{Common, pulsed_params};
use super::prediction::Prediction;
use super::pulsed::Pulsed;
use crate::declare::{Kind, Table, TechniqueDecl, choice};
use crate::schema::SchemeChoice;

pub(super) const ENTRY: Entry = Entry {
    summary: "pulses as short as failing bits and the code's margin allow; REO+ with a gate voltage for each word line",
    declaration: TechniqueDecl {
        name: SchemeChoice::Reo.name(),
        params: ReoConfig::PARAMS,
        defaults: ReoConfig::defaults,
    },
    build: |table, config| {
        let own = ReoConfig::read(table)?;
        let rule = Prediction {
            spends_up_to: Some(own.requirement),
            margin_share: match own.margin {
                Margin::Table => 1.0,
                Margin::Data => MARGIN_SHARE_BY_DATA,
            },
            misprediction_share: own.misprediction_share,
            misprediction_us: (own.misprediction_ms * 1000.0).round() as u32,
        };
        Pulsed::boxed(rule, own.common_of_word_lines(), SchemeChoice::Reo, config)
    },
};

choice! {
    /// The gate voltages of a block's word lines in an erase.
    pub enum GateVoltages {
        Common = "common",
        WordLine = "word_line",
    }
}

choice! {
    /// The published source of what pulses may be shorter by.
    pub enum Margin {
        Table = "table",
        Data = "data",
    }
}

/// A quarter of the table's millisecond: what pulses of blocks of 0 and 500 cycles are shorter by in the
/// per-block data of AERO's simulator, 0.275 and 0.225 ms. Older blocks of both schemes are worn unlike.
const MARGIN_SHARE_BY_DATA: f64 = 0.25;

pulsed_params! {
    /// `[erase.reo]`.
    ReoConfig {
        margin: Margin = Margin::Table, Kind::OneOf(Margin::NAMES), "",
            "what pulses are shorter by: the prediction table's margins, or a quarter of them, as measured blocks of 0 and 500 cycles show; the two published sources disagree",
            "table: Kim and Kim, Electronics 14:738, 2025; data: per-block latency data of Cho et al., ASPLOS 2024 (github.com/allencho1222/MQSim)";
        gate_voltages: GateVoltages = GateVoltages::Common, Kind::OneOf(GateVoltages::NAMES), "",
            "common: one for all word lines of a block; word_line: one for each, so that all erase alike (REO+)";
        gate_need: f64 = 1.071, Kind::Float(1.0, 3.0), "times",
            "with gate_voltages = \"word_line\": time under pulses that a block needs, beside what it needs by common voltages, for more of its word lines are the last to be done",
            "measured by the cell laboratory (experiment erase-cells, gates/by_word_line/need over gates/ground/need): a block that takes 10 ms";
        gate_damage: f64 = 0.476, Kind::Float(0.01, 1.0), "times",
            "with gate_voltages = \"word_line\": damage of a millisecond of a pulse, beside that by common voltages",
            "measured by the cell laboratory (experiment erase-cells, gates/by_word_line/damage_per_ms); where a step of voltage damages 1.3 times as much, not 2.5 times, it is 0.80";
        misprediction_share: f64 = 0.0, Kind::Float(0.0, 1.0), "share",
            "predictions that turn out too short";
        misprediction_ms: f64 = 0.5, Kind::Float(0.0, 3.5), "ms",
            "the further pulse that such a one takes",
            "simulator of Cho et al., ASPLOS 2024 (github.com/allencho1222/MQSim)";
    }
}

impl ReoConfig {
    /// Word lines that erase alike have alike error rates; their gates cost time and spare damage.
    fn common_of_word_lines(&self) -> Common {
        let mut common = self.common();
        if self.gate_voltages == GateVoltages::WordLine {
            common.gates = Gates { need: self.gate_need, damage: self.gate_damage };
            common.word_lines_alike = true;
        }
        common
    }
}
