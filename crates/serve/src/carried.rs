//! Data on one drive of the simulator, which may be one of an array.

use std::any::Any;
use std::sync::Arc;
use wordline_media::{Flash, Lost, Reads, Sensed};
use wordline_sim::MemberDrive;
use wordline_sim::drive::DriveState;
use wordline_sim::ids::Lpn;

/// What the drive believes, and its flash.
pub fn flash(drive: &mut dyn MemberDrive) -> (&DriveState, &mut Flash) {
    let (state, medium) = drive.parts();
    let medium: Option<&mut dyn Any> = medium.map(|medium| medium as _);
    let flash = medium.and_then(|medium| medium.downcast_mut());
    (state, flash.expect("a served drive has flash that holds data"))
}

/// Hands over what is about to be written to a logical unit.
pub fn hand_over(drive: &mut dyn MemberDrive, lpn: Lpn, data: Arc<[u8]>) {
    flash(drive).1.hand_over(lpn, data);
}

/// Lets go of what was written to logical units, and of other data, that wait for a place no longer.
pub fn release(drive: &mut dyn MemberDrive, lpns: impl Iterator<Item = Lpn>) {
    let placed = flash(drive).1.take_placed();
    for lpn in lpns.chain(placed) {
        if !drive.holds(lpn) {
            flash(drive).1.take_back(lpn);
        }
    }
}

/// What is sensed for a logical unit.
pub fn sense(drive: &mut dyn MemberDrive, lpn: Lpn) -> Sensed {
    let unit = drive.unit_of(lpn);
    let (state, flash) = flash(drive);
    flash.sense(state, lpn, unit)
}

/// The data of a logical unit, decoded here and now.
///
/// # Errors
/// It cannot be had.
pub fn read(
    drive: &mut dyn MemberDrive,
    lpn: Lpn,
    data: &mut [u8],
    reads: &mut Reads,
) -> Result<(), Lost> {
    let unit = drive.unit_of(lpn);
    let (state, flash) = flash(drive);
    flash.read(state, (lpn, unit), data, reads)
}

/// False where a logical unit was never written, or trimmed.
pub fn has_data(drive: &mut dyn MemberDrive, lpn: Lpn) -> bool {
    drive.unit_of(lpn).is_some() || flash(drive).1.has_incoming(lpn)
}
