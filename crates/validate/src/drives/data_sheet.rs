//! What a data sheet says of a drive: reads and writes in sequence, reads and writes at random, and a read alone.

use super::load::writes_at_random;
use super::published::{self, check, measured};
use super::smaller::smaller;
use crate::case::{Case, Setup};
use wordline_sim::Outcome;

/// A drive of the catalogue.
struct Drive {
    /// The name in ids.
    id: &'static str,
    preset: &'static str,
    /// Pages of a block of ours.
    pages: u64,
    /// Requests of 4 KiB in flight where there are many.
    deep: u32,
    rows: &'static [Row],
}

const DRIVES: [Drive; 8] = [
    server("7450-max", "micron-7450-max-800g", 27),
    server("p5520", "solidigm-p5520-1920g", 24),
    server("cm7-r", "kioxia-cm7-r-3840g", 24),
    server("pm9a3", "samsung-pm9a3-960g", 24),
    of_pcs("840-evo", "samsung-840-evo-1t", 48, 32),
    of_pcs("970-evo", "samsung-970-evo-500g", 48, 128),
    of_pcs("870-qvo", "samsung-870-qvo-4t", 48, 32),
    of_pcs("mp700-elite", "corsair-mp700-elite-2t", 48, 128),
];

const fn server(id: &'static str, preset: &'static str, pages: u64) -> Drive {
    Drive { id, preset, pages, deep: 512, rows: &SERVERS }
}

const fn of_pcs(id: &'static str, preset: &'static str, pages: u64, deep: u32) -> Drive {
    Drive { id, preset, pages, deep, rows: &PCS }
}

/// A row: the end of its id, how the drive is filled before, the workload, requests in flight unless there are many, and
/// what of a run it is.
struct Row {
    name: &'static str,
    pattern: &'static str,
    workload: &'static str,
    depth: Option<u32>,
    figure: fn(&Outcome) -> f64,
}

const MB_S: fn(&Outcome) -> f64 = |it| it.result.host.bandwidth_mb_s.unwrap_or(f64::NAN);
const PER_S: fn(&Outcome) -> f64 = |it| it.result.host.iops.unwrap_or(f64::NAN);

/// The row of a write alone. It ends in the drive's buffer, so it says what the host takes and the controller.
const WRITE_ALONE: &str = "write-us";

const READS_IN_SEQUENCE: Row = Row {
    name: "read-mb-s",
    pattern: "sequential",
    workload: "sequential:requests=40000,read=1,size_kib=128",
    depth: Some(32),
    figure: MB_S,
};
const WRITES_IN_SEQUENCE: Row = Row {
    name: "write-mb-s",
    pattern: "sequential",
    workload: "sequential:writes=60000,size_kib=128",
    depth: Some(32),
    figure: MB_S,
};
const READS_AT_RANDOM: Row = Row {
    name: "random-read",
    pattern: "sequential",
    workload: "uniform:requests=300000,read=1",
    depth: None,
    figure: PER_S,
};
const A_WRITE_ALONE: Row = Row {
    name: WRITE_ALONE,
    pattern: "sequential",
    workload: "uniform:writes=3000",
    depth: Some(1),
    figure: |it| it.result.host.write.mean_us,
};
const A_READ_ALONE: Row = Row {
    name: "read-us",
    pattern: "sequential",
    workload: "uniform:requests=3000,read=1",
    depth: Some(1),
    figure: |it| it.result.host.read.mean_us,
};

/// Their writes at random are those of the steady state, beside the log's (`load`).
const SERVERS: [Row; 5] =
    [READS_IN_SEQUENCE, WRITES_IN_SEQUENCE, READS_AT_RANDOM, A_READ_ALONE, A_WRITE_ALONE];

/// Data sheets of drives of PCs have the writes that the cache takes.
const PCS: [Row; 5] = [
    READS_IN_SEQUENCE,
    Row { pattern: "none", workload: "sequential:writes=8000,size_kib=128", ..WRITES_IN_SEQUENCE },
    READS_AT_RANDOM,
    Row {
        name: "random-write",
        pattern: "none",
        workload: "uniform:writes=200000",
        ..READS_AT_RANDOM
    },
    A_READ_ALONE,
];

/// The runs.
pub fn cases() -> Vec<Case> {
    let of = |drive: &'static Drive| drive.rows.iter().filter_map(|row| drive.case(row));
    DRIVES.iter().flat_map(of).chain(writes_at_random()).collect()
}

impl Drive {
    fn id_of(&self, row: &str) -> String {
        format!("drives/{}/sheet/{row}", self.id)
    }

    /// The run of a row, where the data sheet has it.
    fn case(&self, row: &Row) -> Option<Case> {
        let id = self.id_of(row.name);
        if !published::has(&id) {
            return None;
        }
        let mut sets = vec![
            format!("precondition.pattern={}", row.pattern),
            format!("host.queue_depth={}", row.depth.unwrap_or(self.deep)),
            "host.mode=closed".into(),
        ];
        let alone = self.id_of(WRITE_ALONE);
        if row.depth == Some(1) && published::has(&alone) {
            sets.push(format!("host.overhead_us={}", measured(&alone)));
        }
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let config = smaller(self.preset, self.pages, &sets);
        let workload = row.workload.to_owned();
        let setup = Setup { config, workload: crate::generated(workload.clone()) };
        let checks = vec![check(&id, Box::new(row.figure))];
        Some(Case { id, workload, setup: Ok(setup), others: Vec::new(), checks })
    }
}

#[cfg(test)]
mod tests {
    use super::super::smaller::cache_mib;
    use super::*;

    fn config_of(id: &str) -> wordline_sim::config::Config {
        let case = cases().into_iter().find(|case| case.id == id).expect("a row");
        case.setup.unwrap_or_else(|(_, why)| panic!("{why}")).config
    }

    #[test]
    fn what_is_alone_has_the_host_of_the_data_sheet() {
        for (row, overhead_us, depth) in
            [("read-us", 15.0, 1), ("write-us", 15.0, 1), ("random-read", 9.0, 512)]
        {
            let host = config_of(&format!("drives/7450-max/sheet/{row}")).host;
            assert_eq!((host.overhead_us, host.queue_depth), (overhead_us, depth), "{row}");
        }
    }

    #[test]
    fn writes_of_drives_of_pcs_fit_into_their_caches() {
        for drive in DRIVES.iter().filter(|drive| drive.deep < 512) {
            let config = smaller(drive.preset, drive.pages, &[]);
            let sizes = ["static_mib", "dynamic_mib"].map(|key| cache_mib(&config, key));
            let mib: f64 = sizes.into_iter().flatten().sum();
            // 8,000 writes of 128 KiB, or 200,000 of 4.
            let written_mib = f64::max(8000.0 / 8.0, 200_000.0 / 256.0);
            assert!(mib > written_mib, "{}: {mib} MiB", drive.id);
        }
    }
}
