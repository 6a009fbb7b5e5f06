//! An array restarts after a cut, and power fails again: first its drives clear up, each by itself; once all of them have,
//! what logs hold is written again, or stripes are made to match. However far that came, the next restart has to get to
//! the same.

use super::super::damage::Shares;
use super::super::promises::Oracle;
use super::super::restart::Did;
use super::super::scanned_pages::Scan;
use super::array_snapshot::{Damages, Standing};
use super::contents::Content;
use super::member::{Member, Recorded};
use super::stripe::Stripe;
use super::timeline::moments;
use crate::drive::DriveState;
use crate::error::Error;
use crate::flash::Image;
use crate::ids::{ById, Lpn, MemberId, StripeId};
use crate::util::Rng;

/// A drive of an array that has restarted.
#[derive(Debug)]
pub struct Restarted {
    /// What it did, and what it was asked.
    pub recorded: Recorded,
    /// As it then is.
    pub state: DriveState,
    /// What it did before it was asked anything.
    pub did: Did,
}

/// Restarts the drives of an array.
pub trait ArrayRestarts {
    /// Restarts that found `images` do what they have to; once all are done, pages are written to each drive.
    ///
    /// # Errors
    /// A drive that cannot go on.
    fn restart(
        &mut self,
        images: &ById<MemberId, Image>,
        writes: &ById<MemberId, Vec<StripeId>>,
    ) -> Result<ById<MemberId, Restarted>, Error>;
}

/// What is to be written to each drive once all have restarted: pages of its stripes.
type Writes = ById<MemberId, Vec<(StripeId, Content)>>;

/// An array after a cut.
pub struct First<'a> {
    standing: &'a Standing<'a>,
    damages: &'a Damages,
    images: ById<MemberId, Image>,
    /// Its stripes once everything was written.
    mended: Vec<Stripe>,
    reads: ById<MemberId, Vec<StripeId>>,
    writes: Writes,
}

/// What the cuts of a restart took.
#[derive(Debug, Default)]
pub struct Again {
    /// Cuts made.
    pub cuts: u64,
    /// Cuts after which something was missing that had been promised, and restarts after which something else was there
    /// than after one alone.
    pub losing_cuts: u64,
    /// Cuts after which a failing drive takes something that had been promised.
    pub hole_cuts: u64,
    /// The first losses.
    pub lost: Vec<(Lpn, u32)>,
}

impl<'a> First<'a> {
    /// After a cut that left `damages`.
    ///
    /// # Errors
    /// A drive whose checkpoint leads elsewhere than its flash.
    pub fn new(standing: &'a Standing<'a>, damages: &'a Damages) -> Result<Self, Error> {
        let members = standing.members.iter_with_ids();
        let images: Result<Vec<Image>, Error> =
            members.map(|(id, member)| member.image(&damages[id])).collect();
        let replays = standing.replays(damages);
        let mut writes: Writes = standing.members.iter().map(|_| Vec::new()).collect();
        let mut mended = Vec::new();
        for number in standing.stripes() {
            let mut stripe = standing.stripe(damages, number);
            let written = match replays.get(&number) {
                Some(logged) => stripe.redo(logged),
                None if standing.logs.are_kept => Vec::new(),
                None => stripe.mend(),
            };
            for (drive, content) in written {
                writes[MemberId(drive.0)].push((number, content));
            }
            mended.push(stripe);
        }
        let reads = standing.reads(damages, &replays);
        Ok(Self { standing, damages, images: images?.into(), mended, reads, writes })
    }

    /// What the array reads once its drives have restarted, side by side.
    pub fn reads(&self, restarted: &ById<MemberId, Restarted>) -> Scan {
        let members = self.standing.members.iter_with_ids();
        Scan::side_by_side(
            members.map(|(id, member)| member.scan(&restarted[id].state, &self.reads[id])),
        )
    }

    /// What the restarts of the drives read, side by side.
    pub fn scan(&self) -> Scan {
        let members = self.standing.members.iter_with_ids();
        Scan::side_by_side(
            members.map(|(id, member)| Scan::of(member.course.state(), &self.images[id])),
        )
    }

    /// The drives restart, and pages are written.
    ///
    /// # Errors
    /// A drive that cannot go on.
    pub fn restart(
        &self,
        restarts: &mut dyn ArrayRestarts,
    ) -> Result<ById<MemberId, Restarted>, Error> {
        let stripes = |list: &Vec<(StripeId, Content)>| list.iter().map(|(at, _)| *at).collect();
        restarts.restart(&self.images, &self.writes.iter().map(stripes).collect())
    }

    /// Power fails at every moment of that, in all drives at once.
    pub fn cut_everywhere(
        &self,
        restarted: &ById<MemberId, Restarted>,
        oracle: &Oracle,
        (shares, seed): (Shares, u64),
    ) -> Again {
        let members = self.standing.members.iter_with_ids().map(|(id, member)| {
            let (image, damage) = (&self.images[id], &self.damages[id]);
            let Restarted { recorded, state, .. } = &restarted[id];
            member.restarted((image, damage), (recorded, state), &self.writes[id])
        });
        let members: ById<MemberId, Member<'_>> = members.collect();
        let moments = moments(&members, &[]);
        let mut standing = Standing::after_cut(self.standing.layout, members, self.standing.logs);
        let mut rng = Rng::new(seed, "second power cut");
        let mut again = Again::default();
        let mut touched: Vec<StripeId> = standing.stripes().iter().collect();
        for moment in moments {
            again.add(&standing, touched, oracle, (shares, &mut rng));
            touched = standing.take_place(moment.member, moment.event);
        }
        again.add(&standing, touched, oracle, (shares, &mut rng));
        again.losing_cuts += u64::from(self.ends_elsewhere(&standing, (shares, &mut rng)));
        again
    }

    /// Whether another restart makes something else of the drives than this one, which is over, did.
    fn ends_elsewhere(&self, standing: &Standing<'_>, (shares, rng): (Shares, &mut Rng)) -> bool {
        let damages = standing.fall(shares, rng);
        let replays = standing.replays(&damages);
        standing.stripes().iter().zip(&self.mended).any(|(number, mended)| {
            let mut stripe = standing.stripe(&damages, number);
            stripe.replay_all(replays.get(&number));
            stripe != *mended
        })
    }
}

impl Again {
    fn add(
        &mut self,
        standing: &Standing<'_>,
        touched: Vec<StripeId>,
        oracle: &Oracle,
        (shares, rng): (Shares, &mut Rng),
    ) {
        let damages = standing.fall(shares, rng);
        let left = standing.left(&damages, touched.into_iter(), oracle);
        self.cuts += 1;
        self.losing_cuts += u64::from(!left.lost.is_empty());
        self.hole_cuts += u64::from(left.hole_pages > 0);
        self.lost.extend(left.lost.into_iter().take(1));
    }
}
