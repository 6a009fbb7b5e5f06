//! A law of error rates.

use crate::declare::{Kind, params};
use std::sync::LazyLock;

/// The coefficients of 72-layer TLC, with their sources.
const TLC_72_LAYER: &str = include_str!("../../../../presets/reads/tlc-72-layer.toml");

/// A coefficient of 72-layer TLC.
fn tlc(key: &str) -> f64 {
    static VALUES: LazyLock<toml::Table> =
        LazyLock::new(|| TLC_72_LAYER.parse().unwrap_or_default());
    let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|it| it as f64));
    VALUES.get(key).and_then(number).unwrap_or(f64::NAN)
}

params! {
    /// `[drive.reads.law]`: error rates as ε + α c^k + β c^m t^n + γ c^p r^q, with c P/E cycles, t days since the program,
    /// and r reads of each page of the block since its erase.
    pub struct LawConfig {
        epsilon: f64 = tlc("epsilon"), Kind::Float(0.0, 1.0), "", "wrong bits of any page, as a share of all: ε",
            "defaults of this table: Kim, Choi, Min, FAST 2019, 72-layer TLC, as copied into MQSim-JW (presets/reads/tlc-72-layer.toml)";
        alpha: f64 = tlc("alpha"), Kind::Float(0.0, 1.0), "", "factor on what P/E cycles add: α";
        k: f64 = tlc("k"), Kind::Float(0.0, 10.0), "", "exponent of P/E cycles there";
        beta: f64 = tlc("beta"), Kind::Float(0.0, 1.0), "", "factor on what age adds: β";
        m: f64 = tlc("m"), Kind::Float(0.0, 10.0), "", "exponent of P/E cycles there";
        n: f64 = tlc("n"), Kind::Float(0.0, 10.0), "", "exponent of days there";
        gamma: f64 = tlc("gamma"), Kind::Float(0.0, 1.0), "", "factor on what reads add: γ";
        p: f64 = tlc("p"), Kind::Float(0.0, 10.0), "", "exponent of P/E cycles there";
        q: f64 = tlc("q"), Kind::Float(0.0, 10.0), "", "exponent of reads of each page there";
        pec_max: f64 = tlc("pec_max"), Kind::Float(0.0, 1e7), "P/E cycles", "P/E cycles up to which the law holds",
            "assumed";
        age_max_d: f64 = tlc("age_max_d"), Kind::Float(0.0, 1e5), "d", "days up to which it holds",
            "assumed";
        reads_max: f64 = tlc("reads_max"), Kind::Float(0.0, 1e9), "", "reads of each page up to which it holds",
            "assumed";
    }
}

#[cfg(test)]
mod tests {
    use super::{LawConfig, TLC_72_LAYER};
    use crate::declare::Table;

    #[test]
    fn every_coefficient_of_the_preset_is_a_default() {
        let preset: toml::Table = TLC_72_LAYER.parse().expect("it is TOML");
        let is_told = |key: &&str| !["summary", "year", "sources"].contains(key);
        let mut told: Vec<&str> = preset.keys().map(String::as_str).filter(is_told).collect();
        let mut declared: Vec<&str> = LawConfig::PARAMS.iter().map(|param| param.key).collect();
        told.sort_unstable();
        declared.sort_unstable();
        assert_eq!(told, declared);
        let defaults = toml::Table::try_from(LawConfig::default()).expect("it is a table");
        assert!(defaults.values().all(|value| value.as_float().is_some_and(f64::is_finite)));
    }
}
