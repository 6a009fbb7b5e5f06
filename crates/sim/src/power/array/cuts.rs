//! Power fails at every operation of a run of an array, on all of its drives at once.

use super::super::damage::Damage;
use super::super::promises::Oracle;
use super::super::redundancy::ArrayReport;
use super::super::report::{CutReport, Loss, Plan, TOLD};
use super::super::restart::{Did, Restart};
use super::super::timeline::Event;
use super::array_snapshot::{Damages, Standing};
use super::contents::Logs;
use super::member::Member;
use super::restart::{ArrayRestarts, First};
use super::timeline::{Moment, Numbering, moments, numbering};
use crate::array::Layout;
use crate::error::Error;
use crate::flash::OpKind;
use crate::host::log::HostLog;
use crate::ids::{ById, Id, Lpn, MemberId, StripeId};
use crate::util::Rng;

/// A run of an array whose power is cut.
pub struct ArrayCuts<'a> {
    standing: Standing<'a>,
    log: &'a HostLog,
    /// What was promised of the array's pages.
    oracle: Oracle,
    plan: &'a Plan,
    numbering: Numbering,
    report: CutReport,
    array: ArrayReport,
}

impl<'a> ArrayCuts<'a> {
    /// Cuts of a run in which the host asked the array for what `log` holds.
    pub fn new(
        layout: Layout,
        members: ById<MemberId, Member<'a>>,
        (log, logs): (&'a HostLog, &'a Logs),
        plan: &'a Plan,
    ) -> Self {
        let none = Damage::default();
        let holds = |page: Lpn| {
            let place = layout.locate(page);
            members[MemberId(place.drive.0)].has_data(&none, place.stripe)
        };
        let oracle = Oracle::new(log, layout.pages(), holds);
        let commands = members.iter().map(|member| member.course.commands()).sum();
        let states = members.iter().map(|member| member.course.state());
        Self {
            report: CutReport { restart: Restart::of(states), ..CutReport::of(&oracle, commands) },
            array: ArrayReport::default(),
            numbering: Numbering::default(),
            standing: Standing::new(layout, members, logs),
            log,
            oracle,
            plan,
        }
    }

    /// Makes all cuts.
    ///
    /// # Errors
    /// A restart after which a drive cannot go on.
    pub fn run(mut self, restarts: &mut dyn ArrayRestarts) -> Result<CutReport, Error> {
        let flushes: Vec<u64> = self.oracle.moments.iter().map(|&(done, _)| done).collect();
        let moments = moments(&self.standing.members, &flushes);
        self.numbering = numbering(&moments);
        for (number, moment) in (0_u64..).zip(moments) {
            let touched = self.take_place(moment);
            if self.plan.means(number, || self.under_way().collect()) {
                self.cut((number, moment), touched, restarts)?;
            }
        }
        self.report.settle();
        self.array.settle(self.report.cuts, self.report.restarts);
        self.report.array = Some(self.array);
        Ok(self.report)
    }

    /// The numbers of the commands under way.
    fn under_way(&self) -> impl Iterator<Item = usize> {
        self.standing.under_way().map(|(member, command)| self.numbering.of(member, command))
    }

    /// Something happens; returns the stripes for which that may make a difference.
    fn take_place(&mut self, moment: Moment) -> Vec<StripeId> {
        if let Event::Flushed(flush) = moment.event {
            let pages = self.oracle.keep(flush);
            let layout = self.standing.layout;
            return pages.iter().map(|&page| layout.locate(page).stripe).collect();
        }
        self.standing.take_place(moment.member, moment.event)
    }

    /// Power fails.
    fn cut(
        &mut self,
        at: (u64, Moment),
        touched: Vec<StripeId>,
        restarts: &mut dyn ArrayRestarts,
    ) -> Result<(), Error> {
        let restarts_now = self.report.cuts.is_multiple_of(self.plan.restart_every.max(1));
        self.report.begin_cut(self.under_way().count());
        let mut rng = Rng::new(self.plan.seed ^ at.0, "power cut");
        let damages = self.standing.fall(self.plan.shares, &mut rng);
        let all = self.standing.stripes().iter().filter(|_| restarts_now);
        let left = self.standing.left(&damages, touched.into_iter().chain(all), &self.oracle);
        self.array.add(left.unmatched, left.hole_pages);
        self.report.losing_cuts += u64::from(!left.lost.is_empty());
        self.tell(at, false, left.lost);
        if restarts_now { self.restart(at, &damages, restarts) } else { Ok(()) }
    }

    /// The array restarts after a cut, and power fails at every moment of that.
    fn restart(
        &mut self,
        at: (u64, Moment),
        damages: &Damages,
        restarts: &mut dyn ArrayRestarts,
    ) -> Result<(), Error> {
        let first = First::new(&self.standing, damages)?;
        let restarted = first.restart(restarts)?;
        let how = (self.plan.shares, self.plan.seed ^ at.0);
        let again = first.cut_everywhere(&restarted, &self.oracle, how);
        let did = Did::side_by_side(restarted.iter().map(|drive| drive.did));
        self.report.restart.add(&first.scan(), &did);
        self.report.restarts += 1;
        self.array.add_restart(&first.reads(&restarted));
        self.report.double_cuts += again.cuts;
        self.report.losing_double_cuts += again.losing_cuts;
        self.array.hole_double_cuts += again.hole_cuts;
        self.tell(at, true, again.lost);
        Ok(())
    }

    fn tell(&mut self, (number, moment): (u64, Moment), restarting: bool, lost: Vec<(Lpn, u32)>) {
        for (page, found) in lost {
            if self.report.losses.len() < TOLD {
                let loss = self.loss(number, moment, page, found);
                let moment = if restarting { "restart" } else { loss.moment };
                self.report.losses.push(Loss { moment, ..loss });
            }
        }
    }

    fn loss(&self, cut: u64, Moment { at, event, member }: Moment, page: Lpn, found: u32) -> Loss {
        let of = |command| match self.standing.members[member].course.command(command).deed {
            OpKind::Program => "program",
            OpKind::Erase => "erase",
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
