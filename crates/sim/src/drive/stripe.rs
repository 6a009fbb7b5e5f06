//! Which programs of a superblock take data, and which hold parity or metadata in its place.

/// How a block that lies over several dies is filled: each step is a program of one die, over its planes, and
/// as many steps as there are dies are a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stripe {
    /// Planes that a program covers.
    pub planes: u32,
    /// Programs of a row.
    pub programs: u32,
    /// Planes of a row's last program that hold the parity of the row: none, one or all.
    pub parity: u32,
    /// The share of the programs without parity that hold metadata, in parts of 2^32.
    metadata: u64,
}

/// One, as a share.
const WHOLE: u64 = 1 << 32;

impl Stripe {
    /// Rows whose programs all take data, but for the parity.
    pub fn new(planes: u32, programs: u32, parity: u32) -> Self {
        assert!(parity <= planes);
        Self { planes, programs, parity, metadata: 0 }
    }

    /// Rows with metadata, where `factor` units are programmed for each of data, parity aside. `None`: no program is
    /// without parity, or none would be left for data.
    pub fn with_metadata(self, factor: f64) -> Option<Self> {
        assert!(factor >= 1.0, "{factor} units for one");
        let of_row = f64::from(self.planes * self.programs - self.parity);
        let whole = f64::from(self.planes * self.without_parity(self.programs));
        let share = (1.0 - 1.0 / factor) * of_row / whole;
        let metadata = (share < 1.0).then_some((share * WHOLE as f64).round() as u64);
        metadata.map(|metadata| Self { metadata, ..self })
    }

    /// Whether some programs hold something else than data.
    pub fn is_mixed(self) -> bool {
        self.parity > 0 || self.metadata > 0
    }

    /// Whether a program of this number holds its row's parity, if rows have any.
    fn ends_row(self, program: u32) -> bool {
        program % self.programs == self.programs - 1
    }

    /// How many of the programs before one hold no parity.
    fn without_parity(self, program: u32) -> u32 {
        match self.parity {
            0 => program,
            _ => program - program / self.programs,
        }
    }

    /// How many of the programs before one hold metadata: evenly spread, those with parity left out.
    pub fn metadata_before(self, program: u32) -> u32 {
        let parts = u64::from(self.without_parity(program)) * self.metadata;
        ((parts + WHOLE / 2) / WHOLE) as u32
    }

    /// True for the number of a program that holds metadata alone.
    pub fn is_metadata(self, program: u32) -> bool {
        self.metadata_before(program + 1) > self.metadata_before(program)
    }

    /// Planes of a program that hold the parity of its row.
    pub fn parity_planes(self, program: u32) -> u32 {
        if self.ends_row(program) { self.parity } else { 0 }
    }

    /// Planes that take data in the program of this number.
    pub fn data_planes(self, program: u32) -> u32 {
        match self.is_metadata(program) {
            true => 0,
            false => self.planes - self.parity_planes(program),
        }
    }

    /// Planes that take data in all programs from one number up to another.
    pub fn data_planes_between(self, from: u32, until: u32) -> u32 {
        let rows = until / self.programs - from / self.programs;
        let metadata = self.metadata_before(until) - self.metadata_before(from);
        (until - from - metadata) * self.planes - rows * self.parity
    }
}

#[cfg(test)]
mod tests {
    use super::Stripe;

    #[test]
    fn planes_of_data_add_up_and_meet_the_factor() {
        for (planes, programs, parity) in [(1, 1, 0), (4, 16, 0), (4, 16, 1), (2, 4, 2), (1, 3, 1)]
        {
            for factor in [1.0, 1.0354, 1.25, 1.9] {
                let plain = Stripe::new(planes, programs, parity);
                let stripe = plain.with_metadata(factor).expect("data has room");
                let until = 3000 * programs;
                let (mut data, mut metadata) = (0, 0);
                for program in 0..until {
                    assert_eq!(data, stripe.data_planes_between(0, program), "{stripe:?}");
                    data += stripe.data_planes(program);
                    if stripe.is_metadata(program) {
                        metadata += planes;
                        assert_eq!(stripe.parity_planes(program), 0, "{stripe:?}");
                    }
                }
                let found = f64::from(data + metadata) / f64::from(data);
                assert!((found / factor - 1.0).abs() < 1e-3, "{found} for {factor} in {stripe:?}");
                let all = data + metadata + until / programs * parity;
                assert_eq!(all, until * planes);
            }
        }
    }

    #[test]
    fn metadata_is_spread_evenly() {
        // One of five programs, the third of each five.
        let stripe = Stripe::new(2, 4, 0).with_metadata(1.25).expect("data has room");
        let found: Vec<u32> = (0..20).filter(|&program| stripe.is_metadata(program)).collect();
        assert_eq!(found, [2, 7, 12, 17]);
    }

    #[test]
    fn rows_that_are_all_parity_have_no_room_for_metadata() {
        assert_eq!(Stripe::new(2, 1, 1).with_metadata(1.1), None);
        // Three of four programs would have to hold metadata, and one has parity.
        assert_eq!(Stripe::new(2, 4, 1).with_metadata(8.0), None);
    }
}
