//! What is wrong with data when it is read.

use crate::declare::{Kind, choice, params};

choice! {
    /// Where the errors of pages come from.
    pub enum ReadErrors {
        None = "none",
        Cell = "cell",
    }
}

choice! {
    /// What errors grow with.
    pub enum ErrorsBy {
        Damage = "damage",
        Cycles = "cycles",
    }
}

choice! {
    /// How pages are corrected: up to a bound of errors, or as a code's table of failures says.
    pub enum Code {
        Bound = "bound",
        Bch72 = "bch-72",
        Ldpc14 = "ldpc-14",
    }
}

choice! {
    /// The voltages that pages are read by.
    pub enum References {
        Default = "default",
        Best = "best",
    }
}

params! {
    /// `[drive.reads]`: what is wrong with data when it is read, and how often a page is sensed for it.
    pub struct ReadsConfig {
        model: ReadErrors = ReadErrors::None, Kind::OneOf(ReadErrors::NAMES), "",
            "none: one sensing reads a page, whatever its age; cell: pages have the errors that the tables of the cell laboratory say, and are sensed again where the code does not correct them. The tables are those of the chip by which the erase scheme erases; with `fixed`, of centaur-slc, llh-a16, reo-tlc or lazyrs-qlc by kind of cells";
        ecc_bits: f64 = 72.0, Kind::Float(1.0, 1000.0), "bits per KiB",
            "errors that the code corrects, with `code = \"bound\"`",
            "as remembered of Cho et al., ASPLOS 2024";
        code: Code = Code::Bound, Kind::OneOf(Code::NAMES), "",
            "when a page must be sensed again: beyond a bound of errors, or by chance as words of BCH (72 bits in 1 KiB) or of LDPC (4 KiB, 14 rows, hard decisions) are lost";
        errors_by: ErrorsBy = ErrorsBy::Damage, Kind::OneOf(ErrorsBy::NAMES), "",
            "what errors grow with: the damage that erases did, as far as the erase scheme knows it, or the number of P/E cycles whatever erased them";
        data_age_h: f64 = 0.0, Kind::Float(0.0, 1e6), "h",
            "age of all data, besides the time since it was programmed";
        temperature_c: f64 = 40.0, Kind::Float(0.0, 150.0), "°C",
            "temperature at which data ages: one of the chip's table";
        word_line_sigma: f64 = 1.0, Kind::Float(0.0, 10.0), "",
            "standard deviation over word lines of the logarithm of their error rates";
        references: References = References::Default, Kind::OneOf(References::NAMES), "",
            "the voltages that pages are read by: `default`, those of a new word line, or `best`, those with the fewest errors at its age and wear";
        retry_share: f64 = 0.5, Kind::Float(0.01, 0.99), "share",
            "errors of a retry, of those of the sensing before it",
            "assumed";
    }
}
