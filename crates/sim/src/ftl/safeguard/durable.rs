//! What the host asks to be made durable: by a flush everything, by a write with FUA what it wrote.

use super::Io;
use crate::engine::Scheduler;
use crate::ftl::{Eraser, Ftl, Writer};
use crate::nand::command::RequestId;
use crate::schema::PowerConfig;
use crate::technique::Hooks;

impl<T: Hooks, S: Scheduler> Ftl<T, S> {
    /// Makes durable what the host wrote; `id` waits for it.
    pub fn flush(&mut self, io: &mut Io<S>, id: Option<RequestId>) {
        let Some(PowerConfig { flush_completes, .. }) = self.safeguard.as_ref().map(|it| &it.rules)
        else {
            return self.end_all_programs(io);
        };
        let flush_completes = *flush_completes;
        self.keep_checkpoints(io);
        self.write_trims(io);
        if flush_completes {
            for point in self.points_where(|_, line| line.holds_host) {
                self.complete_line(io, point);
            }
        } else {
            self.end_all_programs(io);
        }
        if let (Some(id), Some(safeguard)) = (id, &self.safeguard) {
            io.requests.add_part(id);
            io.sched.wait(&safeguard.programs, id, &mut io.requests);
        }
    }
}

impl<T: Hooks, S: Scheduler> Eraser<T, S> {
    /// What the host writes from now on is to be durable before it is acknowledged, until [`Writer::end_fua`](crate::ftl::Writer::end_fua).
    pub fn begin_fua(&mut self) {
        if let Some(safeguard) = &mut self.safeguard {
            safeguard.fua = Some(S::Join::default());
        }
    }
}

impl<T: Hooks, S: Scheduler> Writer<T, S> {
    /// Word lines that hold what the host wrote since [`Eraser::begin_fua`](crate::ftl::Eraser::begin_fua) are filled up, and `id` waits for their
    /// programs. With a capacitor nothing is to be done.
    pub fn end_fua(&mut self, io: &mut Io<S>, id: Option<RequestId>) {
        let Some(safeguard) = &self.safeguard else { return };
        let flush_completes = safeguard.rules.flush_completes;
        for point in self.points_where(|_, line| line.holds_fua) {
            match flush_completes {
                true => self.complete_line(io, point),
                false => self.end_program(io, point),
            }
        }
        let Some(safeguard) = &mut self.safeguard else { return };
        safeguard.lines.iter_mut().for_each(|line| line.holds_fua = false);
        if let (Some(id), Some(ends)) = (id, safeguard.fua.take()) {
            io.requests.add_part(id);
            io.sched.wait(&ends, id, &mut io.requests);
        }
    }
}
