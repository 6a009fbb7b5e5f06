//! Power fails at every operation of a run of an array, on all of its drives at once.

use super::super::course::Event;
use super::super::damage::Damage;
use super::super::oracle::Oracle;
use super::super::redundancy::ArrayReport;
use super::super::report::{CutReport, Loss, Plan, TOLD};
use super::contents::Logs;
use super::course::{Moment, Numbering, moments, numbering};
use super::member::Member;
use super::replay::replays;
use super::stripe::Stripe;
use crate::array::Layout;
use crate::flash::Deed;
use crate::host::log::HostLog;
use crate::ids::{ById, Id, Ids, Lpn, MemberId, StripeId};
use crate::util::Rng;
use std::collections::BTreeSet;

/// A run of an array whose power is cut.
pub struct ArrayCuts<'a> {
    layout: Layout,
    members: ById<MemberId, Member<'a>>,
    log: &'a HostLog,
    /// What was promised of the array's pages.
    oracle: Oracle,
    plan: &'a Plan,
    /// What was written before stripes.
    logs: Logs,
    numbering: Numbering,
    /// Stripes that do not match as the flash stands, without a cut.
    unmatched: BTreeSet<StripeId>,
    report: CutReport,
    array: ArrayReport,
}

impl<'a> ArrayCuts<'a> {
    /// Cuts of a run in which the host asked the array for what `log` holds.
    pub fn new(
        layout: Layout,
        members: ById<MemberId, Member<'a>>,
        (log, logs): (&'a HostLog, Logs),
        plan: &'a Plan,
    ) -> Self {
        let none = Damage::default();
        let holds = |page: Lpn| {
            let place = layout.locate(page);
            members[MemberId(place.drive.0)].has_data(&none, place.stripe)
        };
        let oracle = Oracle::new(log, layout.pages() as u32, holds);
        let commands = members.iter().map(|member| member.course.commands()).sum();
        Self {
            report: CutReport::of(&oracle, commands),
            array: ArrayReport::default(),
            numbering: Numbering::default(),
            unmatched: BTreeSet::new(),
            layout,
            members,
            log,
            oracle,
            plan,
            logs,
        }
    }

    /// Makes all cuts.
    pub fn run(mut self) -> CutReport {
        let flushes: Vec<u64> = self.oracle.moments.iter().map(|&(done, _)| done).collect();
        let moments = moments(&self.members, &flushes);
        self.numbering = numbering(&moments);
        for (number, moment) in (0_u64..).zip(moments) {
            let touched = self.take_place(moment);
            if self.plan.means(number, || self.under_way().collect()) {
                self.cut(number, moment, touched);
            }
        }
        self.report.settle();
        self.array.settle(self.report.cuts);
        self.report.array = Some(self.array);
        self.report
    }

    /// The numbers of the commands under way.
    fn under_way(&self) -> impl Iterator<Item = usize> {
        let members = self.members.iter_with_ids();
        members.flat_map(move |(member, drive)| {
            drive.course.under_way.iter().map(move |&it| self.numbering.of(member, it))
        })
    }

    /// Something happens; returns the stripes for which that may make a difference.
    fn take_place(&mut self, moment: Moment) -> Vec<StripeId> {
        if let Event::Flushed(flush) = moment.event {
            let pages = self.oracle.keep(flush);
            return pages.iter().map(|&page| self.layout.locate(page).stripe).collect();
        }
        let touched = self.members[moment.member].take_place(moment.event);
        let whole = self.members.iter().map(|_| Damage::default()).collect();
        for &stripe in &touched {
            match self.stripe(&whole, stripe).matches() {
                true => self.unmatched.remove(&stripe),
                false => self.unmatched.insert(stripe),
            };
        }
        touched
    }

    /// What the drives hold of a stripe.
    fn stripe(&self, damages: &ById<MemberId, Damage>, stripe: StripeId) -> Stripe {
        Stripe::new(self.layout, stripe, |drive| {
            let member = MemberId(drive.0);
            self.members[member].holds(&damages[member], stripe)
        })
    }

    /// Power fails.
    fn cut(&mut self, number: u64, moment: Moment, touched: Vec<StripeId>) {
        let looks_at_all = self.report.cuts.is_multiple_of(self.plan.restart_every.max(1));
        self.report.begin_cut(self.under_way().count());
        let mut rng = Rng::new(self.plan.seed ^ number, "power cut");
        let shares = self.plan.shares;
        let damages: ById<MemberId, Damage> =
            self.members.iter().map(|member| member.fall(shares, &mut rng)).collect();
        let mut stripes: BTreeSet<StripeId> = touched.into_iter().collect();
        stripes.extend(&self.unmatched);
        for (member, damage) in damages.iter_with_ids() {
            stripes.extend(self.members[member].concerned(damage));
        }
        if looks_at_all {
            stripes.extend(Ids::<StripeId>::all(self.layout.stripes).iter());
        }
        let replays = replays(&self.logs, self.layout, &self.members, &damages);
        stripes.extend(replays.keys());
        let (mut unmatched, mut hole_pages) = (0, 0);
        let mut lost = Vec::new();
        for number in stripes {
            let mut stripe = self.stripe(&damages, number);
            let logged = replays.get(&number).into_iter().flatten();
            logged.for_each(|logged| stripe.replay(logged));
            unmatched += u64::from(!stripe.matches());
            for (drive, page) in stripe.pages() {
                let (promised, found) = (self.oracle.promised(page), stripe.version(drive));
                if found < promised {
                    lost.push((page, found));
                }
                let is_short = |version| version < promised;
                hole_pages += u64::from(stripe.version_without(drive).is_some_and(is_short));
            }
        }
        self.array.add(unmatched, hole_pages);
        self.report.losing_cuts += u64::from(!lost.is_empty());
        for (page, found) in lost {
            if self.report.losses.len() < TOLD {
                let loss = self.loss(number, moment, page, found);
                self.report.losses.push(loss);
            }
        }
    }

    fn loss(&self, cut: u64, Moment { at, event, member }: Moment, page: Lpn, found: u32) -> Loss {
        let of = |command| match self.members[member].course.command(command).deed {
            Deed::Program => "program",
            Deed::Erase => "erase",
        };
        let oldest = self.under_way().min();
        let (command, moment) = match event {
            Event::Began(command) => (self.numbering.of(member, command), of(command)),
            Event::Ended(command) => {
                (oldest.unwrap_or_else(|| self.numbering.of(member, command)), of(command))
            }
            Event::Flushed(_) => (oldest.unwrap_or(0), "flush"),
        };
        let requests = self.log.requests.iter().take_while(|it| it.submitted <= at).count();
        let promised = self.oracle.promised(page);
        Loss { cut, command, moment, at, requests, lpn: page.number(), promised, found }
    }
}
