//! A drive put together from its configuration, in the state before the first request.

use super::drive::MemberDrive;
use super::scheduled::{Plain, scheduled};
use super::{Own, Watch, ask};
use crate::duties;
use crate::engine::Count;
use crate::error::Error;
use crate::flash::Image;
use crate::ftl::{Ftl, Io, Preconditioning, check_interface, precondition};
use crate::host::program_buffer;
use crate::nand::infeasible;
use crate::policy::gc;
use crate::schema::{ArrayLevel, Config, HostMode};
use crate::technique::superblocks::View;
use crate::technique::{self, Hooks, Stack, Technique, erase};

/// Power goes off by the times of arrival, of a drive alone.
pub fn check_power(config: &Config) -> Result<(), Error> {
    let off = &config.host.power_off;
    let (times, lengths, temperatures) = (off.at_s.len(), off.for_s.len(), off.temperature_c.len());
    if times != lengths || temperatures != 1 && temperatures != times {
        return Err(infeasible(
            format!(
                "host.power_off: {times} of at_s, {lengths} of for_s, {temperatures} of temperature_c"
            ),
            "give each time of at_s its length in for_s, and its temperature or one for all",
        ));
    }
    if !off.at_s.is_sorted() {
        return Err(infeasible(
            format!(
                "host.power_off.at_s = {:?}: a time comes before the one ahead of it",
                off.at_s
            ),
            "put the times of at_s in order, with their lengths",
        ));
    }
    let is_off = off.for_s.iter().any(|&s| s > 0.0);
    let host = &config.host;
    let goes_by_arrival = host.mode != HostMode::Closed && host.window == 0;
    if is_off && (!goes_by_arrival || config.array.level != ArrayLevel::None) {
        return Err(infeasible(
            "host.power_off.for_s is set, but power goes off by the times of arrival, of a drive alone",
            "set host.mode to \"open\", host.window to 0 and array.level to \"none\", or host.power_off.for_s to 0",
        ));
    }
    Ok(())
}

/// A drive in the state before the first request.
pub fn build_ftl<T: Hooks>(
    config: &Config,
    technique: T,
    own: Own,
    watch: &mut dyn Watch,
) -> Result<(Ftl<T, Count>, Preconditioning), Error> {
    let mut ftl = empty_ftl(config, technique, own)?;
    let preconditioning = fill_ftl(config, &mut ftl, watch)?;
    Ok((ftl, preconditioning))
}

/// A drive that nothing was ever written to.
pub fn empty_ftl<T: Hooks>(
    config: &Config,
    technique: T,
    own: Own,
) -> Result<Ftl<T, Count>, Error> {
    let erase_scheme = own.erase.map_or_else(|| erase::build(config), Ok)?;
    let victim_policy = own.victim.unwrap_or_else(|| gc::build(config));
    let ftl = Ftl::with(config, technique, erase_scheme, victim_policy)?
        .with_own(own.hotness, own.planes);
    program_buffer::check(config, &ftl.state.geometry)?;
    Ok(ftl)
}

/// Brings an empty drive into the state before the first request.
pub fn fill_ftl<T: Hooks>(
    config: &Config,
    ftl: &mut Ftl<T, Count>,
    watch: &mut dyn Watch,
) -> Result<Preconditioning, Error> {
    let preconditioning = precondition(config, ftl, &mut || ask(watch))?;
    if ftl.read_only {
        return Err(infeasible(
            "GC could not make progress on the preconditioned drive: it is full, and takes no write",
            "raise drive.over_provisioning, lower ftl.gc.free_block_threshold or precondition.fill, or enlarge ftl.map_cache.capacity_kib",
        ));
    }
    ftl.complete_first_lines(&mut Io::new(Count::default()));
    ftl.begin();
    Ok(preconditioning)
}

/// True for a drive on which no technique is in use, whose power cuts a capacitor bears, whose blocks are those
/// of the flash, whose reads end with their transfer and which has no duties: the one that is compiled for nothing else.
pub fn is_conventional(config: &Config) -> bool {
    config.technique.is_empty()
        && config.power.protection.bears_all()
        && config.ftl.superblock_dies == 0
        && config.drive.reads.decode_us == 0.0
        && !duties::has_any(&config.drive.reads)
}

/// The techniques of a configuration and those of the caller's own, joined.
pub fn stack(config: &Config, own: Vec<(String, Box<dyn Technique>)>) -> Result<Stack, Error> {
    check_interface(config)?;
    let mut techniques = Vec::new();
    let drive = View::of(config)?;
    for (name, table) in &config.technique {
        let entry = technique::find(name).ok_or_else(|| {
            infeasible(format!("there is no technique {name}"), "see `wordline list`")
        })?;
        let parameters = table.as_table().cloned().unwrap_or_default();
        techniques.push((name.clone(), (entry.build)(&parameters, &drive)?));
    }
    techniques.extend(own);
    techniques.extend(duties::of(&config.drive)?);
    Stack::new(techniques)
}

/// A drive that records what it does.
pub fn recorded(config: &Config, watch: &mut dyn Watch) -> Result<Box<dyn MemberDrive>, Error> {
    let mut ftl = empty_ftl(config, stack(config, Vec::new())?, Own::default())?;
    ftl.keep_marks();
    fill_ftl(config, &mut ftl, watch)?;
    let mut drive = scheduled::<Plain, _>(config, ftl);
    drive.record();
    Ok(drive)
}

/// A drive that has restarted from an image, and records what it does.
pub fn restarted(config: &Config, image: &Image) -> Result<Box<dyn MemberDrive>, Error> {
    let mut ftl = Ftl::<Stack, Count>::new(config, stack(config, Vec::new())?)?;
    ftl.take_up(&config.ftl, image);
    let mut drive = scheduled::<Plain, _>(config, ftl);
    drive.record();
    drive.clear(image)?;
    Ok(drive)
}
