//! Throughput and latency against what geometry and timing allow.
//!
//! On the channel an operation takes c = command + bytes/rate; the array takes tR, tPROG or tBERS. A
//! die does one operation at a time, and the dies of a channel work side by side until their c fill
//! the time of one operation.

mod shapes;

use crate::case::{Case, Check, Setup, Value};
use crate::generated;
use shapes::{Expected, SHAPES, Shape};
use wordline_items::Served;
use wordline_sim::config::{Acknowledge, Config, HostMode, Pattern, PerPage, ServiceOrder};

const TOLERANCE: f64 = 0.005;

/// Each way of scheduling must come to the same figures where there is nothing to put first.
const ORDERS: &[ServiceOrder] = ServiceOrder::ALL;

/// The runs: all of them together take seconds.
pub fn cases(_quick: bool) -> Vec<Case> {
    ORDERS.iter().flat_map(|&order| SHAPES.iter().map(move |shape| case(shape, order))).collect()
}

fn case(shape: &'static Shape, order: ServiceOrder) -> Case {
    let id = format!("timing/{}/order={order}", shape.id);
    let workload = workload(shape);
    let (unit, reference, ours) = comparison(shape);
    let check = Check {
        id: id.clone(),
        source: shape.form.to_owned(),
        unit,
        tolerance: TOLERANCE,
        served: Served::Nothing,
        reference,
        ours,
        note: String::new(),
    };
    let setup = Setup { config: config(shape, order), workload: generated(workload.clone()) };
    Case { id, workload, setup: Ok(setup), others: Vec::new(), checks: vec![check] }
}

/// The unit of what is compared, what the form gives and what the run measured.
fn comparison(shape: &'static Shape) -> (&'static str, Value, Value) {
    let rate: Value = Box::new(|outcome| {
        outcome.result.host.iops.unwrap_or_default() * shape.pages_per_request as f64
    });
    match (shape.expected)(shape) {
        Expected::LatencyUs(us) => {
            ("us", Box::new(move |_| us), Box::new(|outcome| outcome.result.host.mean_us))
        }
        Expected::PagesPerSecond(pages_per_s) => ("pages/s", Box::new(move |_| pages_per_s), rate),
        Expected::OfCounts(form) => {
            ("pages/s", Box::new(move |outcome| form(shape, &outcome.result)), rate)
        }
    }
}

fn workload(shape: &Shape) -> String {
    let planes = shape.channels * shape.dies * shape.planes;
    let requests = shapes::PAGES_PER_PLANE * planes / shape.pages_per_request;
    let read = u8::from(shape.reads);
    let size_kib = 4 * shape.pages_per_request;
    match shape.poisson_interval_us {
        Some(us) => format!(
            "uniform:requests={},read={read},interval_us={us},arrival=exponential",
            100 * requests
        ),
        None => {
            let pattern = if shape.random { "uniform" } else { "sequential" };
            format!("{pattern}:requests={requests},read={read},size_kib={size_kib}")
        }
    }
}

fn config(shape: &Shape, order: ServiceOrder) -> Config {
    let mut config = Config::default();
    config.drive.scheduling.order = order;
    config.drive.channels = shape.channels;
    config.drive.chips_per_channel = shape.dies;
    let chip = &mut config.drive.chip;
    chip.planes = shape.planes;
    chip.blocks_per_plane = shapes::BLOCKS_PER_PLANE;
    chip.pages_per_block = shapes::PAGES_PER_BLOCK;
    chip.page_kib = shapes::PAGE_BYTES / 1024.0;
    chip.read_us = PerPage::One(shapes::READ_US);
    chip.program_us = PerPage::One(shapes::PROGRAM_US);
    chip.erase_ms = shapes::ERASE_US / 1000.0;
    chip.command_us = shapes::COMMAND_US;
    chip.transfer_mb_s = shape.transfer_mb_s;
    chip.program = shape.program;
    chip.multi_plane = shape.planes > 1;
    chip.cache_program = shape.cache;
    chip.cache_read = shape.cache;
    config.host.mode = match shape.poisson_interval_us {
        Some(_) => HostMode::Open,
        None => HostMode::Closed,
    };
    config.host.queue_depth = shape.queue_depth;
    config.ftl.acknowledge =
        if shape.buffered { Acknowledge::Buffer } else { Acknowledge::Program };
    if shape.overwrites {
        config.drive.over_provisioning = shapes::TIGHT_OVER_PROVISIONING;
    }
    let filled = shape.reads || shape.overwrites;
    config.precondition.pattern = if filled { Pattern::Sequential } else { Pattern::None };
    config
}
