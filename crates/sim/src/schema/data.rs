//! What the flash of a drive that holds data does to it.

use crate::declare::Kind;
use crate::declare::{choice, params};

choice! {
    /// The error-correcting code of the data.
    pub enum DataCode {
        None = "none",
        Bch = "bch",
        Ldpc = "ldpc",
    }
}

choice! {
    /// Where the wrong bits of a read come from.
    pub enum DataErrors {
        None = "none",
        Fixed = "fixed",
        ReoTlc = "reo-tlc",
        LazyrsTlc = "lazyrs-tlc",
        LlhA16 = "llh-a16",
        LlhA27 = "llh-a27",
        LlhB16 = "llh-b16",
        LlhB29 = "llh-b29",
        LlhC35 = "llh-c35",
        CentaurTlc = "centaur-tlc",
        CentaurSlc = "centaur-slc",
        LazyrsQlc = "lazyrs-qlc",
    }
}

choice! {
    /// What decides whether a second write of a page fits.
    pub enum SecondWriting {
        Drawn = "drawn",
        Coded = "coded",
    }
}

params! {
    /// `[data]`: codes and errors of a drive that holds data. A simulation without data does not look at it.
    pub struct DataConfig {
        code: DataCode = DataCode::None, Kind::OneOf(DataCode::NAMES), "",
            "the code of the data in the cells: none, BCH by 1 KiB or LDPC by 4 KiB";
        bch_bits: u64 = 72, Kind::Int(1, 200), "bits",
            "code = \"bch\": wrong bits that it corrects in each KiB";
        ldpc_rows: u64 = 14, Kind::Int(1, 64), "",
            "code = \"ldpc\": the stored code with so many rows of 32 bytes of parity for 4 KiB";
        errors: DataErrors = DataErrors::None, Kind::OneOf(DataErrors::NAMES), "",
            "wrong bits of a read: none, at one rate (fixed), or by a chip's table of the cell laboratory, by page type, P/E cycles and age";
        rber: f64 = 0.001, Kind::Float(0.0, 0.5), "",
            "errors = \"fixed\": probability of each bit to be read wrongly";
        age_h: f64 = 0.0, Kind::Float(0.0, 1e6), "h",
            "errors by a table: the age of all data";
        temperature_c: f64 = 40.0, Kind::Float(-50.0, 150.0), "°C",
            "errors by a table: the temperature at which data ages, one of the table's";
        retries: u64 = 3, Kind::Int(0, 15), "",
            "reads of a page again after its code has failed, before its data is given up";
        retry_share: f64 = 0.5, Kind::Float(0.0, 1.0), "",
            "wrong bits of a retry, of those of the read before", "assumed";
        second_write: SecondWriting = SecondWriting::Drawn, Kind::OneOf(SecondWriting::NAMES), "",
            "what decides whether a second write of LLH-FTL fits, and what it leaves in the cells. drawn: a coin, by the probability of technique.llh_ftl, and the data like any other; coded: the code of technique.llh_ftl.code, which is tried over the cells as they are, and read back by its decoder";
    }
}
