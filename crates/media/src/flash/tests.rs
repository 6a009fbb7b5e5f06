use super::*;
use crate::storage::Memory;
use wordline_sim::config::load;
use wordline_sim::flash::RecordedSpan;
use wordline_sim::ids::BlockId;
use wordline_sim::nand::PROGRAM;
use wordline_sim::served;

const BARE: &str = "
    [drive]
    channels = 1
    chips_per_channel = 1
    over_provisioning = 1.0
    [drive.chip]
    dies = 1
    planes = 1
    blocks_per_plane = 24
    pages_per_block = 24
    page_kib = 4
    [precondition]
    fill = 0.0
    [host]
    mode = \"closed\"
    [power]
    protection = \"none\"
    torn_share = 1.0
";

/// The flash of a drive, of which nobody but the test asks anything.
struct Bench<'a> {
    state: &'a DriveState,
    flash: Flash,
    tickets: u32,
}

impl Bench<'_> {
    /// Gives data of the host a place: bytes that are all `value`.
    fn stage(&mut self, unit: Unit, lpn: Lpn, value: u8) {
        self.flash.hand_over(lpn, vec![value; self.flash.pages.unit_bytes()].into());
        self.flash.stage(self.state, unit, lpn, From::Host);
    }

    /// A program of what is staged for a unit begins; returns its ticket.
    fn begin(&mut self, unit: Unit) -> u32 {
        let (block, place) = self.state.geometry.locate(unit);
        let page = place / self.state.geometry.of(block).units_per_page;
        let pages = [RecordedSpan { span: Span { block, page, pages: 1 }, row: PROGRAM }];
        self.tickets += 1;
        let issued = Issued { ticket: self.tickets, deed: OpKind::Program, pages: &pages };
        self.flash.issue(self.state, &issued);
        self.flash.note_phase(self.state, self.tickets, Phase::Begun);
        self.tickets
    }

    fn end(&mut self, ticket: u32) {
        self.flash.note_phase(self.state, ticket, Phase::Ended);
    }

    /// Data of the host is programmed to a unit.
    fn write(&mut self, unit: Unit, lpn: Lpn) {
        self.stage(unit, lpn, 7);
        let ticket = self.begin(unit);
        self.end(ticket);
    }

    fn erase(&mut self, block: BlockId) {
        let pages = self.state.geometry.of(block).pages_per_block;
        let pages = [RecordedSpan { span: Span { block, page: 0, pages }, row: PROGRAM }];
        self.tickets += 1;
        let issued = Issued { ticket: self.tickets, deed: OpKind::Erase, pages: &pages };
        self.flash.issue(self.state, &issued);
        self.flash.note_phase(self.state, self.tickets, Phase::Begun);
        self.end(self.tickets);
    }
}

/// What a restart reads of a logical unit, whose unit of flash was being programmed for the second time when power failed;
/// a copy was made before, once the first program was over or while it was not.
fn found(config: &Config, state: &DriveState, is_over: bool) -> Result<u8, Error> {
    let memory = Memory::default();
    let (flash, _) = Flash::new(config, state, Home::Memory(memory.clone()))?;
    let mut bench = Bench { state, flash, tickets: 0 };
    bench.flash.set_up();
    let [unit, copy] = [3, 4].map(|block| state.geometry.first_unit(BlockId(block)));
    bench.stage(unit, Lpn(1), 7);
    let first = bench.begin(unit);
    if is_over {
        bench.end(first);
    }
    bench.stage(unit, Lpn(2), 9);
    bench.flash.stage_copy(state, copy, unit);
    if !is_over {
        bench.end(first);
    }
    let copied = bench.begin(copy);
    bench.end(copied);
    bench.begin(unit);
    let (mut flash, image) = Flash::new(config, state, Home::Memory(Memory::new(memory.images())))?;
    let holder = image.map_or(Unit::NONE, |image| image.map.at(Lpn(1)));
    let mut data = vec![0; flash.pages.unit_bytes()];
    let read = flash.read(state, (Lpn(1), holder.known()), &mut data, &mut Reads::default());
    assert_eq!((read, holder), (Ok(()), copy), "is over: {is_over}");
    Ok(data[0])
}

/// A drive copies what a program in place puts at risk once it has staged that program's data.
#[test]
fn a_copy_is_of_what_a_unit_holds_and_not_of_what_waits_for_a_program_there() {
    let config = load(BARE, "bare", &[]).expect("a drive");
    let tried = |state: &DriveState| {
        for is_over in [true, false] {
            assert_eq!(found(&config, state, is_over)?, 7, "is over: {is_over}");
        }
        let (flash, _) = Flash::new(&config, state, Home::Process)?;
        Ok((Box::new(flash) as Box<dyn Medium>, None))
    };
    served(&config, tried, &mut ()).expect("it works");
}

/// Blocks were erased seven times before they held anything.
#[test]
fn an_image_keeps_the_erases_of_every_block_that_was_used() {
    let config = load(BARE, "bare", &["drive.chip.initial_pec=7".to_owned()]).expect("a drive");
    let tried = |state: &DriveState| {
        let memory = Memory::default();
        let (flash, _) = Flash::new(&config, state, Home::Memory(memory.clone()))?;
        let mut bench = Bench { state, flash, tickets: 0 };
        bench.flash.set_up();
        let [written, erased] = [3, 4].map(BlockId);
        let unit = state.geometry.first_unit(written);
        bench.erase(written);
        bench.write(unit, Lpn(1));
        bench.erase(erased);
        let restarted = Home::Memory(Memory::new(memory.images()));
        let (_, found) = Flash::new(&config, state, restarted)?;
        let erases = found.expect("it was there").held.erases;
        assert_eq!([written, erased].map(|block| erases[block]), [7, 7]);
        let (flash, _) = Flash::new(&config, state, Home::Process)?;
        Ok((Box::new(flash) as Box<dyn Medium>, None))
    };
    served(&config, tried, &mut ()).expect("it works");
}

/// The newest data is gone with its block when the process goes, and what is left of the flash is older than the last trim.
/// What is written after that restart must be newer than the trim, or the next restart takes it for trimmed.
#[test]
fn what_is_written_after_a_restart_is_newer_than_every_trim_before_it() {
    let keys = ["power.protection=capacitor".to_owned()];
    let config = load(BARE, "bare", &keys).expect("a drive");
    let tried = |state: &DriveState| {
        let memory = Memory::default();
        let (flash, _) = Flash::new(&config, state, Home::Memory(memory.clone()))?;
        let mut bench = Bench { state, flash, tickets: 0 };
        bench.flash.set_up();
        let [old, newest, next] = [3, 4, 5].map(|block| state.geometry.first_unit(BlockId(block)));
        for (unit, lpn) in [(old, 1), (newest, 2)] {
            bench.write(unit, Lpn(lpn));
        }
        [1, 2].into_iter().for_each(|lpn| bench.flash.trim(Lpn(lpn)));
        bench.erase(BlockId(4));
        let restart = |memory: &Memory| {
            let memory = Memory::new(memory.images());
            let (flash, found) = Flash::new(&config, state, Home::Memory(memory.clone()))?;
            let holder = found.expect("it was there").map.at(Lpn(1)).known();
            Ok::<_, Error>((Bench { state, flash, tickets: 0 }, memory, holder))
        };
        let (mut bench, memory, holder) = restart(&memory)?;
        assert_eq!(holder, None, "it was trimmed");
        bench.write(next, Lpn(1));
        let (_, _, holder) = restart(&memory)?;
        assert_eq!(holder, Some(next), "it was written after the trim");
        let (flash, _) = Flash::new(&config, state, Home::Process)?;
        Ok((Box::new(flash) as Box<dyn Medium>, None))
    };
    served(&config, tried, &mut ()).expect("it works");
}

/// A unit is trimmed, written and trimmed again, and nothing is erased: it stays trimmed over any number of restarts.
#[test]
fn trims_outlive_restarts() {
    let keys = ["power.protection=capacitor".to_owned()];
    let config = load(BARE, "bare", &keys).expect("a drive");
    let tried = |state: &DriveState| {
        let memory = Memory::default();
        let (flash, _) = Flash::new(&config, state, Home::Memory(memory.clone()))?;
        let mut bench = Bench { state, flash, tickets: 0 };
        bench.flash.set_up();
        for block in [3, 4] {
            bench.write(state.geometry.first_unit(BlockId(block)), Lpn(1));
            bench.flash.trim(Lpn(1));
        }
        let mut images = memory.images();
        for restart in 1..=3 {
            let memory = Memory::new(images);
            let (_, found) = Flash::new(&config, state, Home::Memory(memory.clone()))?;
            let found = found.expect("it was there");
            assert_eq!(found.map.at(Lpn(1)).known(), None, "restart {restart}");
            images = memory.images();
        }
        let (flash, _) = Flash::new(&config, state, Home::Process)?;
        Ok((Box::new(flash) as Box<dyn Medium>, None))
    };
    served(&config, tried, &mut ()).expect("it works");
}

/// What makes second writes of the drive be coded.
const CODED: &[&str] = &[
    "drive.chip.cell=mlc",
    "drive.chip.page_kib=8",
    "ftl.mapping_unit_kib=4",
    "ftl.hotness.policy=size",
    "technique.llh_ftl.code=polar",
    "technique.llh_ftl.spare_percent=10.5",
    "data.second_write=coded",
    "data.code=ldpc",
];

/// The data of logical units: as a page holds it first, as it stands elsewhere then, and as it is coded over that page.
const FIRST: u8 = 3;
const MOVED: u8 = 5;
const AGAIN: u8 = 9;

impl Bench<'_> {
    /// The data of logical units is programmed, unit by unit from `unit` on.
    fn program(&mut self, unit: Unit, value: u8) -> u32 {
        for lpn in 0..2 {
            self.stage(unit.plus(lpn), Lpn(lpn.into()), value);
        }
        self.begin(unit)
    }

    /// The data of a logical unit fits over a page, and is staged there.
    fn code(&mut self, unit: Unit, lpn: Lpn) {
        self.flash.hand_over(lpn, vec![AGAIN; self.flash.pages.unit_bytes()].into());
        assert_eq!(self.flash.fits(self.state, unit, lpn, From::Host), Some(true));
        self.flash.stage(self.state, unit, lpn, From::Host);
    }
}

/// What a restart from an image reads of the two logical units.
fn after(config: &Config, state: &DriveState, image: &[u8]) -> Result<[u8; 2], Error> {
    let home = Home::Memory(Memory::new(vec![image.to_vec()]));
    let (mut flash, found) = Flash::new(config, state, home)?;
    let found = found.expect("it was there");
    let mut data = vec![0; flash.pages.unit_bytes()];
    let mut read = |lpn: Lpn| {
        let holder = found.map.at(lpn).known();
        let read = flash.read(state, (lpn, holder), &mut data, &mut Reads::default());
        assert_eq!(read, Ok(()), "{lpn:?} in {holder:?}");
        data[0]
    };
    Ok([0, 1].map(|lpn| read(Lpn(lpn))))
}

/// Its process is killed at each moment of a second write: what the page held is of no use by then, and what is coded over
/// it is there or not, with a capacitor once it has a place, without one once its program has ended.
#[test]
fn a_second_write_is_in_an_image_as_a_whole_or_not_at_all() {
    for protection in ["capacitor", "none"] {
        let keys: Vec<String> = CODED.iter().map(|&key| key.to_owned()).collect();
        let keys = [keys, vec![format!("power.protection={protection}")]].concat();
        let config = load(BARE, "bare", &keys).expect("a drive");
        let tried = |state: &DriveState| {
            let memory = Memory::default();
            let (flash, _) = Flash::new(&config, state, Home::Memory(memory.clone()))?;
            let mut bench = Bench { state, flash, tickets: 0 };
            bench.flash.set_up();
            let [unit, other] = [3, 4].map(|block| state.geometry.first_unit(BlockId(block)));
            let first = bench.program(unit, FIRST);
            let moved = bench.program(other, MOVED);
            bench.end(moved);
            // The second write is coded over cells that its page does not hold yet where that takes time.
            let mut image = memory.images().remove(0);
            memory.record();
            bench.code(unit, Lpn(0));
            if protection == "none" {
                bench.end(first);
                image = memory.images().remove(0);
                memory.record();
                let second = bench.begin(unit);
                bench.end(second);
            }
            let mut found = Vec::new();
            for (_, change) in memory.take_recorded() {
                for torn in (0..change.sectors()).filter_map(|sectors| change.torn(sectors)) {
                    let mut torn_image = image.clone();
                    torn.apply(&mut torn_image);
                    found.push(after(&config, state, &torn_image)?);
                }
                change.apply(&mut image);
                found.push(after(&config, state, &image)?);
            }
            assert_eq!(found.last(), Some(&[AGAIN, MOVED]), "{protection}");
            let is_there = found.iter().filter(|it| **it == [AGAIN, MOVED]).count();
            let is_not = found.iter().filter(|it| **it == [MOVED, MOVED]).count();
            assert_eq!(is_there + is_not, found.len(), "{protection}: {found:?}");
            assert!(is_not > 20, "{protection}: {found:?}");
            let (flash, _) = Flash::new(&config, state, Home::Process)?;
            Ok((Box::new(flash) as Box<dyn Medium>, None))
        };
        served(&config, tried, &mut ()).expect("it works");
    }
}
