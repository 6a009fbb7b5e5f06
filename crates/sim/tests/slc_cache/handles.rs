//! Data with hints: the host's placement handles say what goes beside the cache.

use crate::rig::*;
use wordline_sim::config::HotnessChoice;
use wordline_sim::technique::slc_cache::{Bypass, SlcCacheConfig};
use wordline_trace::Request;

#[test]
fn the_last_handle_goes_beside_the_cache() {
    let mut config = drive();
    (config.ftl.hotness.policy, config.ftl.hotness.handles) = (HotnessChoice::Handle, 2);
    config.drive.over_provisioning = 1.0;
    let own = SlcCacheConfig { bypass: Bypass::Cold, ..cache() };
    // Those beyond the last share it.
    let handles = [0, 1, 2, 0, 200, 0];
    let requests = writes(0..6).into_iter().zip(handles);
    let requests: Vec<_> = requests.map(|(it, stream)| Request { stream, ..it }).collect();
    for result in run(&config, &own, &requests) {
        let of = |name: &str| figure(&result, &format!("/host_units/{name}"));
        assert_eq!((of("cached"), of("bypassed")), (3, 3));
    }
}
