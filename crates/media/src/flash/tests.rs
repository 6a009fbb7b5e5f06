use super::*;
use crate::storage::Memory;
use wordline_sim::config::load;
use wordline_sim::flash::Done;
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
        let (block, page) = self.state.geometry.locate(unit);
        let pages = [Done { span: Span { block, page, pages: 1 }, row: PROGRAM }];
        self.tickets += 1;
        let issued = Issued { ticket: self.tickets, deed: Deed::Program, pages: &pages };
        self.flash.issue(self.state, &issued);
        self.flash.hear(self.state, self.tickets, Phase::Begun);
        self.tickets
    }

    fn end(&mut self, ticket: u32) {
        self.flash.hear(self.state, ticket, Phase::Ended);
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
    let holder = image.map_or(Unit::NONE, |image| image.map[Lpn(1)]);
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
