//! Block traces of Microsoft Research Cambridge.

use std::collections::HashMap;

use crate::read::columns::Columns;
use crate::read::fields::Separator;
use crate::read::format::{Described, Format, Record, Shape, TimeUnit, read_by_columns};
use crate::read::names::Names;
use crate::{Op, Request, VOLUMES};

/// Ticks of 100 ns from 1601-01-01, where Windows' file time begins, to 1970-01-01, where Unix
/// time does: 369 years, of which 89 are leap years.
pub(crate) const UNIX_EPOCH_TICKS: u64 = (369 * 365 + 89) * 86_400 * 10_000_000;

/// The last number that a volume can have.
const LAST: u32 = VOLUMES as u32 - 1;

/// Narayanan et al., "Write Off-Loading: Practical Power Management for Enterprise Storage",
/// FAST 2008; the format is that of SNIA's IOTTA repository.
#[derive(Clone, Default)]
pub(in crate::read) struct Msr {
    hosts: Names,
    /// Whether a number stands for a volume.
    taken: Vec<bool>,
    /// All numbers below it stand for volumes.
    next: u32,
    /// By host and disk, once there are several hosts; disks of the only one are their own numbers.
    volumes: HashMap<(u32, u32), u32>,
    /// The names of the volumes by number, once there are several hosts.
    names: Vec<String>,
}

impl Described for Msr {
    const NAME: &'static str = "msr";
    const SUMMARY: &'static str = "MSR Cambridge: comma-separated, with or without a header";
    const COLUMNS: &'static str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime \
         (times in 100 ns, sizes in bytes, Type Read or Write)";
    const TIME_UNIT: TimeUnit = TimeUnit::TICK;
}

impl Format for Msr {
    const UNIX_EPOCH_NS: Option<u64> = Some(UNIX_EPOCH_TICKS * Self::TIME_UNIT.ns);
    const SHAPE: Shape = Shape::Lines { header: Some("Timestamp,Hostname") };

    read_by_columns!(Separator::Byte(b','));

    fn stream_names(&self) -> &[String] {
        &self.names
    }
}

impl Msr {
    #[inline(always)]
    fn columns<'a, C: Columns<'a>>(&mut self, columns: &mut C) -> Result<Record, C::Bad> {
        let arrival_ns =
            columns.number("Timestamp", "ticks of 100 ns, a whole number", |ticks| {
                ticks.checked_mul(Self::TIME_UNIT.ns)
            })?;
        let host = columns.read("Hostname", "a text", Some)?;
        let disk = columns.stream("DiskNumber")?;
        let op = columns.read("Type", "Read or Write", |text| match text {
            b"Read" => Some(Op::Read),
            b"Write" => Some(Op::Write),
            _ if text.eq_ignore_ascii_case(b"Read") => Some(Op::Read),
            _ if text.eq_ignore_ascii_case(b"Write") => Some(Op::Write),
            _ => None,
        })?;
        let offset_bytes = columns.offset_bytes("Offset")?;
        let size_bytes = columns.size_bytes("Size")?;
        columns.number("ResponseTime", "ticks of 100 ns, a whole number", Some)?;
        columns.end()?;
        let stream = self.volume(host, disk);
        Ok(Record::Request(
            Request::new(op, offset_bytes, size_bytes).at(arrival_ns).of_stream(stream),
        ))
    }

    /// The number of a disk of a host: its own, unless one of another host has that.
    #[inline]
    fn volume(&mut self, host: &[u8], disk: u32) -> u32 {
        // Beyond so many hosts the last stands for all others.
        let host = self.hosts.number(host).unwrap_or(LAST);
        if host == 0 && self.volumes.is_empty() {
            self.take(disk);
            return disk;
        }
        self.volume_of_several(host, disk)
    }

    fn take(&mut self, number: u32) {
        let place = number as usize;
        if place >= self.taken.len() {
            self.taken.resize(place + 1, false);
        }
        self.taken[place] = true;
    }

    #[inline(never)]
    fn volume_of_several(&mut self, host: u32, disk: u32) -> u32 {
        if self.volumes.is_empty() {
            for disk in (0..).zip(&self.taken).filter(|(_, taken)| **taken) {
                self.volumes.insert((0, disk.0), disk.0);
            }
            let known: Vec<u32> = self.volumes.values().copied().collect();
            known.into_iter().for_each(|disk| self.name(0, disk, disk));
        }
        if let Some(&number) = self.volumes.get(&(host, disk)) {
            return number;
        }
        let number = match self.is_taken(disk) {
            true => self.first_free(),
            false => disk,
        };
        self.take(number);
        self.volumes.insert((host, disk), number);
        self.name(host, disk, number);
        number
    }

    fn is_taken(&self, number: u32) -> bool {
        self.taken.get(number as usize).is_some_and(|&taken| taken)
    }

    /// The first number that stands for no volume.
    fn first_free(&mut self) -> u32 {
        while self.next < LAST && self.is_taken(self.next) {
            self.next += 1;
        }
        self.next
    }

    /// Calls a volume as MSR's files are called: `hm_0` is disk 0 of host hm.
    fn name(&mut self, host: u32, disk: u32, number: u32) {
        let place = number as usize;
        if place >= self.names.len() {
            self.names.resize(place + 1, String::new());
        }
        let host = self.hosts.list().get(host as usize).map_or("", String::as_str);
        self.names[place] = format!("{host}_{disk}");
    }
}
