//! The order of the pages of a second round.

use crate::declare::choice;

choice! {
    /// The order of the pages of a second round.
    pub enum Order {
        Pairwise = "pairwise",
        Numbered = "numbered",
    }
}
