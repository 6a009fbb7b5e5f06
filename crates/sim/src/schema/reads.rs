//! What is wrong with data when it is read, and what the drive does about it.

use super::LawConfig;
use crate::declare::{Kind, choice, params};

choice! {
    /// Where the errors of pages come from.
    pub enum ReadErrors {
        None = "none",
        Cell = "cell",
        Law = "law",
        Table = "table",
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

choice! {
    /// The order in which the steps of a retry table are tried.
    pub enum RetryOrder {
        Table = "table",
        LastGood = "last_good",
        Best = "best",
    }
}

choice! {
    /// What is tried once no step of the retry table has helped.
    pub enum SoftDecoding {
        None = "none",
        TwoBits = "two_bits",
        ThreeBits = "three_bits",
    }
}

params! {
    /// `[drive.reads]`: what is wrong with data when it is read, and how often a page is sensed for it.
    pub struct ReadsConfig {
        model: ReadErrors = ReadErrors::None, Kind::OneOf(ReadErrors::NAMES), "",
            "none: one sensing reads a page, whatever its age; cell: pages have the errors that the tables of the cell laboratory say, and are sensed again where the code does not correct them. The tables are those of the chip by which the erase scheme erases; with `fixed`, of centaur-slc, llh-a16, reo-tlc or lazyrs-qlc by kind of cells; law: errors by the coefficients of [drive.reads.law]; table: by a CSV of your own";
        table: String = String::new(), Kind::Text, "",
            "with model = \"table\": a CSV file of error rates, or its text. Column rber, and any of mode, pec, age_h, temperature_c, reads, page, layer and retry: without a column errors do not depend on it";
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
            "temperature at which data ages: one of the chip's table, or of your own";
        word_line_sigma: f64 = 1.0, Kind::Float(0.0, 10.0), "",
            "standard deviation over word lines of the logarithm of their error rates; 0: every word line has the rates of model as they are";
        references: References = References::Default, Kind::OneOf(References::NAMES), "",
            "the voltages that pages are read by: `default`, those of a new word line, or `best`, those with the fewest errors at its age and wear";
        retry_share: f64 = 0.5, Kind::Float(0.01, 0.99), "share",
            "errors of a retry, of those of the sensing before it, where no table has a column retry",
            "assumed";
        retry: RetryOrder = RetryOrder::Table, Kind::OneOf(RetryOrder::NAMES), "",
            "table: steps of the retry table in their order; last_good: from the step on by which a page of the block was read last; best: the step with the fewest errors first, of a table with a column retry";
        pipelined: bool = true, Kind::Bool, "",
            "true: the next step is sensed while the data of the one before is transferred and decoded; false: one after the other",
            "Park et al., ASPLOS 2021: PR²";
        sensing_cut: f64 = 0.0, Kind::Float(0.0, 0.9), "share",
            "by how much the sensings of retries are shorter than the first",
            "Park et al., ASPLOS 2021: AR², a quarter";
        decode_us: f64 = 0.0, Kind::Float(0.0, 1e4), "us", "time in which the code decodes a page, also with model = \"none\"";
        soft_decoding: SoftDecoding = SoftDecoding::None, Kind::OneOf(SoftDecoding::NAMES), "",
            "what follows the last step, with code = \"ldpc-14\": none; two_bits: two more sensings of each reference, and decoding by how doubtful each bit is; three_bits: then four more";
        refresh_after_h: f64 = 0.0, Kind::Float(0.0, 1e6), "h",
            "age at which the drive moves the data of a block, so that its pages need fewer retries; 0: never";
        reclaim_reads: u64 = 0, Kind::Int(0, 1_000_000_000), "reads",
            "pages of a block that the host reads before the drive moves its data; 0: any number",
            "MQSim-JW has 100,000";
        @table law: LawConfig, "Error rates by a law.";
    }
}
