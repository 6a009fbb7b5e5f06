//! One drive of an array, as the array sees it: requests in, their ends out.

use crate::engine::Scheduler;
use crate::error::Fallible;
use crate::host::{Ask, Driver, Host, Sent};
use crate::ids::{Id, StripeId};
use crate::technique::Hooks;
use wordline_trace::{Op, Request};

/// A request of the array to one of its drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriveRequest {
    /// What it asks for.
    pub op: Op,
    /// First byte.
    pub offset_bytes: u64,
    /// Length; zero for a flush.
    pub size_bytes: u32,
    /// True for parity.
    pub parity: bool,
    /// True for a write that is durable before it is acknowledged.
    pub fua: bool,
}

impl DriveRequest {
    /// Whole pages of a drive, from the first on.
    #[inline]
    pub(super) fn pages(op: Op, first: StripeId, pages: u32, page_bytes: u64) -> Self {
        Self {
            op,
            offset_bytes: u64::from(first.number()) * page_bytes,
            size_bytes: (u64::from(pages) * page_bytes) as u32,
            parity: false,
            fua: false,
        }
    }

    /// A flush.
    pub const FLUSH: Self =
        Self { op: Op::Flush, offset_bytes: 0, size_bytes: 0, parity: false, fua: false };
}

/// What a drive tells that has taken a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// When that request ends, where this became known before whatever is told besides; otherwise `u64::MAX`.
    pub end_ns: u64,
    /// When the drive will next do something of its own accord, as in [`Member::wake`].
    pub next_ns: u64,
}

/// A drive of an array. Its requests are numbered from 0, in the order in which it takes them.
///
/// Whatever it does, it tells: it adds the requests whose ends have become known to `ends`, number, and when each ends,
/// which may lie ahead; and it returns when it will next do something of its own accord that may end a request;
/// `u64::MAX`: the ends of all that it was asked are known.
pub trait Member: Send {
    /// Takes a request at `now_ns`, which never runs backwards. Where the drive tells its end apart it is not in `ends`.
    ///
    /// # Errors
    /// An address beyond the drive.
    fn submit(
        &mut self,
        request: &DriveRequest,
        now_ns: u64,
        ends: &mut Vec<(u64, u64)>,
    ) -> Fallible<Told>;

    /// Asks the processor's cache for the map's entry of what a request touches that comes later.
    fn ask_for_map(&self, _offset_bytes: u64) {}

    /// Asks the processor's cache for what the map's entry, which should be there by now, leads to.
    fn ask_for_places(&self, _op: Op, _offset_bytes: u64) {}

    /// The time has come that it told.
    fn wake(&mut self, now_ns: u64, ends: &mut Vec<(u64, u64)>) -> u64;
}

impl<M: Member + ?Sized> Member for Box<M> {
    fn submit(
        &mut self,
        request: &DriveRequest,
        now_ns: u64,
        ends: &mut Vec<(u64, u64)>,
    ) -> Fallible<Told> {
        (**self).submit(request, now_ns, ends)
    }

    fn ask_for_map(&self, offset_bytes: u64) {
        (**self).ask_for_map(offset_bytes);
    }

    fn ask_for_places(&self, op: Op, offset_bytes: u64) {
        (**self).ask_for_places(op, offset_bytes);
    }

    fn wake(&mut self, now_ns: u64, ends: &mut Vec<(u64, u64)>) -> u64 {
        (**self).wake(now_ns, ends)
    }
}

impl<T: Hooks, S: Scheduler> Member for Driver<T, S> {
    fn submit(
        &mut self,
        request: &DriveRequest,
        now_ns: u64,
        ends: &mut Vec<(u64, u64)>,
    ) -> Fallible<Told> {
        match self.is_plain {
            true => self.submit_as::<true>(request, now_ns, ends),
            false => self.submit_as::<false>(request, now_ns, ends),
        }
    }

    fn ask_for_map(&self, offset_bytes: u64) {
        self.device.prefetch(Ask::Map, Op::Write, self.addresses.guess(offset_bytes));
    }

    fn ask_for_places(&self, op: Op, offset_bytes: u64) {
        self.device.prefetch(Ask::Places, op, self.addresses.guess(offset_bytes));
    }

    fn wake(&mut self, now_ns: u64, ends: &mut Vec<(u64, u64)>) -> u64 {
        self.pass_time_until(now_ns);
        if self.next_timer::<false>() <= now_ns {
            self.serve_timers();
        }
        let next_ns = self.announce::<false>();
        self.completions.move_to(ends);
        next_ns
    }
}

impl<T: Hooks, S: Scheduler> Driver<T, S> {
    /// Takes a request: compiled for a plain drive, and for any.
    #[inline(always)]
    fn submit_as<const PLAIN: bool>(
        &mut self,
        request: &DriveRequest,
        now_ns: u64,
        ends: &mut Vec<(u64, u64)>,
    ) -> Fallible<Told> {
        let &DriveRequest { op, offset_bytes, size_bytes, parity, fua } = request;
        let request = Request::new(op, offset_bytes, size_bytes).at(now_ns).with_fua(fua);
        // From now on the driver tells of ends, those of its first request included.
        self.completions.keep();
        self.come_to::<PLAIN>(now_ns);
        self.note_begin(&request, now_ns, now_ns);
        let sent = Sent { arrival_ns: now_ns, sent_ns: now_ns, parity };
        let end_ns = self.take::<PLAIN>(&request, sent)?;
        self.note_course();
        let next_ns = self.announce::<PLAIN>();
        self.completions.move_to(ends);
        Ok(Told { end_ns, next_ns })
    }
}
