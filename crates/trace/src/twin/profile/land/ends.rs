//! Runs that are open: where requests have ended, and which of them one continues.

use super::{ENDS, LOOKS, Land, NEAR_ENOUGH, REST};

/// The end of a request that another may continue.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub sector: u64,
    pub open: bool,
    pub front: u8,
    pub met: Met,
}

/// What a request comes to: new data, which the other operation has touched or not, or old data after an
/// interval, in octaves.
#[derive(Debug, Clone, Copy)]
pub(super) enum Met {
    New(bool),
    Old(u8),
}

impl Met {
    /// How much one differs from another, in octaves.
    pub fn off(self, other: Self) -> u32 {
        match (self, other) {
            (Self::New(a), Self::New(b)) => 3 * u32::from(a != b),
            (Self::Old(a), Self::Old(b)) => u32::from(a.abs_diff(b)),
            _ => 3,
        }
    }
}

impl Land {
    /// The end that a request continues, on old data or new: of those about as far back as is drawn
    /// the one where the request meets what the run has met before.
    pub(super) fn continued(&mut self, old: bool, bytes: u32, other: &Self) -> Option<(u64, u8)> {
        let back = self.depths[usize::from(old)].octave(&mut self.rng).max(1) as usize;
        let most = self.requests.min(ENDS as u64 - 1) as usize;
        let mut best: Option<(u32, usize)> = None;
        for step in 0..2 * LOOKS {
            // Nearer and farther in turn.
            let half = step.div_ceil(2);
            let at = if step % 2 == 0 { back.checked_sub(half) } else { Some(back + half) };
            let Some(at) = at.filter(|at| (1..=most).contains(at)) else { continue };
            let end = &self.ends[(self.requests as usize - at) % ENDS];
            if !end.open {
                continue;
            }
            let apart = 2 * octave(at as u64).abs_diff(octave(back as u64));
            let page = self.probed(end.sector, bytes);
            if best.is_some_and(|(least, _)| apart >= least) || self.is_touched(page) != old {
                continue;
            }
            let off = self.met(page, other).off(end.met) + apart;
            if best.is_none_or(|(least, _)| off < least) {
                best = Some((off, at));
            }
            if off <= NEAR_ENOUGH {
                break;
            }
        }
        let (_, at) = best?;
        let end = &mut self.ends[(self.requests as usize - at) % ENDS];
        end.open = false;
        Some((end.sector, end.front))
    }

    /// What a request would meet whose page this is.
    pub(super) fn met(&self, page: u32, other: &Self) -> Met {
        if !self.is_touched(page) {
            return Met::New(other.is_touched(page));
        }
        match self.map[page as usize] {
            REST => Met::Old(0),
            id => Met::Old(octave(self.age(id)) as u8),
        }
    }
}

/// The octave of an interval.
fn octave(pages: u64) -> u32 {
    (pages + 1).ilog2()
}
