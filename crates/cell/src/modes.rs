//! Modes of a chip: its cells with as many bits as they hold, or with fewer.

use crate::pagewise::{Order, Pages, Pattern};
use crate::plan::program_and_neighbour;
use crate::{Chip, Error, Levels, Plan};

impl Plan {
    /// A program that uses as many states as `levels` has, `first` the lowest of them, each `first`
    /// states of the chip apart from where it would otherwise be; read by the references between. A
    /// chip that programs page by page does so in its own mode.
    ///
    /// # Errors
    /// A mode of more bits than the chip's cells hold.
    pub fn mode(chip: &Chip, levels: Levels) -> Result<Self, Error> {
        if levels > chip.levels {
            let valid: Vec<_> = Levels::ALL.into_iter().filter(|l| *l <= chip.levels).collect();
            let names: Vec<_> = valid.iter().map(|levels| levels.name()).collect();
            let what = format!("the chip is {}: no {} mode", chip.levels.name(), levels.name());
            return Err(Error::new(what, format!("valid: {}", names.join(", "))));
        }
        if let (true, Ok(pages)) = (levels == chip.levels, Pages::of(chip)) {
            return Ok(pages.plan(Pattern::Even, Order::Regular));
        }
        let mut plan = Self::in_states(chip, levels, 0);
        // Fewer states spread over the same window.
        let stride = chip.levels.states() / levels.states();
        if stride > 1 {
            let spread = |list: &[f64]| -> Vec<f64> {
                (1..levels.states()).map(|state| list[state * stride - 1]).collect()
            };
            let verify = spread(&chip.program.verify);
            // As many standard deviations from the erased state as from the lowest level.
            let (wide, narrow) = (chip.erased.sigma, chip.program.noise_at(0.0));
            let lowest = (chip.erased.mean * narrow + verify[0] * wide) / (wide + narrow);
            let between = verify.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
            plan.references = std::iter::once(lowest).chain(between).collect();
            plan.steps = program_and_neighbour(chip, &verify);
        }
        Ok(plan)
    }
}
