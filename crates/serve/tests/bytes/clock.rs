//! Replies that keep to the clock.

use crate::drives::config;
use std::time::Instant;
use wordline_serve::{Drive, Home, Logs, Pace};

#[test]
fn a_reply_comes_when_the_simulated_drive_has_it() {
    for order in ["in_order", "reads_first"] {
        let order = format!("drive.scheduling.order={order}");
        let config = config("clock", "", &[&order]);
        let pace = Pace::Clock { slower: 3.0 };
        let drive =
            Drive::new(&config, pace, Home::Process, Logs::default(), &mut ()).expect("it works");
        let begun = Instant::now();
        let mut data = vec![1; 4096];
        for unit in 0..10 {
            drive.write(4096 * unit, &data, unit % 2 == 0).expect("it takes it");
            drive.read(4096 * unit, &mut data).expect("it has it");
        }
        let elapsed_us = begun.elapsed().as_secs_f64() * 1e6;
        let lag = drive.counts().lag.expect("it keeps to the clock");
        assert_eq!(lag.replies, 25);
        let outcome = drive.finish().expect("it works");
        let host = &outcome.result.host;
        let due_us = 3.0 * 10.0 * (host.write.mean_us + host.read.mean_us);
        assert!(elapsed_us > due_us, "{order}: {elapsed_us} us, {due_us} due");
    }
}
