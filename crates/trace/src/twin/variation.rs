//! Variations of a model: what a specification asks for beyond the published volume.

use super::model::{Class, Clock, Model};

/// Writes of fewer bytes are small: Margaglia et al., FAST 2016, section 5.3.
const SMALL_BYTES: u32 = 64 * 1024;

impl Model {
    /// The spatial sample of this volume that has `requests` requests: fewer or more places, each
    /// with the same history. Rates and footprints follow, shares and intervals stay.
    #[must_use]
    pub fn sampled(mut self, requests: u64) -> Self {
        let scale = requests as f64 / self.requests as f64;
        self.requests = requests;
        self.interval_us /= scale;
        if let Some(write) = self.write.as_mut().filter(|write| write.clock == Clock::Pages) {
            write.edges.iter_mut().for_each(|edge| *edge *= scale);
        }
        self
    }

    /// Gives the volume as much of this adjacency among its writes; `None` leaves it as it is.
    #[must_use]
    pub(super) fn with_adjacency(mut self, follow: Option<f64>, sequential: Option<f64>) -> Self {
        for class in self.write.iter_mut().flat_map(|write| &mut write.classes) {
            class.follow = follow.unwrap_or(class.follow);
            class.sequential = sequential.unwrap_or(class.sequential);
        }
        self
    }

    /// Puts so many of the volume's writes in runs, so many of them open; `None` leaves it as it is.
    ///
    /// # Errors
    /// Places share pages, and what lies behind one is in the same page.
    pub(super) fn with_runs(
        mut self,
        runs: Option<f64>,
        streams: Option<u32>,
    ) -> Result<Self, String> {
        if let Some(write) = &mut self.write {
            write.runs = runs.unwrap_or(write.runs);
            write.streams = streams.unwrap_or(write.streams);
        }
        self.check_runs().map(|()| self)
    }

    /// Lets writes below 64 KiB cover this share of the volume's written space; every class writes as
    /// much as before. `None` leaves it as it is.
    ///
    /// # Errors
    /// Its classes are not told apart by size, or one would have to be new more often than it is written.
    pub(super) fn with_hot_footprint(mut self, footprint: Option<f64>) -> Result<Self, String> {
        let (Some(footprint), Some(write)) = (footprint, self.write.as_mut()) else {
            return Ok(self);
        };
        let is_small = |class: &Class| class.sizes.max_bytes() < SMALL_BYTES;
        let is_large = |class: &Class| class.sizes.min_bytes() >= SMALL_BYTES;
        let classes = &mut write.classes;
        if !classes.iter().all(|class| is_small(class) || is_large(class))
            || classes.iter().all(is_small)
            || classes.iter().all(is_large)
        {
            return Err("its small and large writes share their places".into());
        }
        let all_new: f64 = classes.iter().map(|class| class.new).sum();
        for (of, share) in [(true, footprint), (false, 1.0 - footprint)] {
            let mut side: Vec<&mut Class> =
                classes.iter_mut().filter(|class| is_small(class) == of).collect();
            let new: f64 = side.iter().map(|class| class.new).sum();
            let total: f64 = side.iter().map(|class| class.total()).sum();
            let wanted = share * all_new;
            if wanted > total || new == 0.0 || new == total {
                return Err(format!(
                    "{} writes touch {total:.4} of the pages written, and would be new in {wanted:.4}",
                    if of { "small" } else { "large" }
                ));
            }
            for class in &mut side {
                class.new *= wanted / new;
                let again = (total - wanted) / (total - new);
                class.updates.iter_mut().for_each(|share| *share *= again);
            }
        }
        Ok(self)
    }

    /// Lets this share of the pages written be updates; `None` leaves it as it is.
    /// Within new pages and updates, classes and intervals keep their shares.
    #[must_use]
    pub(super) fn with_updates(mut self, updates: Option<f64>) -> Self {
        let (Some(updates), Some(write)) = (updates, self.write.as_mut()) else { return self };
        let classes = &mut write.classes;
        let new: f64 = classes.iter().map(|class| class.new).sum();
        let again: f64 = classes.iter().flat_map(|class| &class.updates).sum();
        // What has no new pages, or no updates, has no shares of them to keep.
        if new > 0.0 && again > 0.0 {
            let sum = new + again;
            for class in classes {
                class.new *= (1.0 - updates) * sum / new;
                class.updates.iter_mut().for_each(|share| *share *= updates * sum / again);
            }
        }
        self
    }

    /// The writes of this volume alone, as often as they come among its reads.
    ///
    /// # Errors
    /// It has none.
    pub(super) fn without_reads(mut self) -> Result<Self, String> {
        if self.write.is_none() || self.write_share == 0.0 {
            return Err("this volume writes nothing".into());
        }
        self.requests = (self.requests as f64 * self.write_share).round().max(1.0) as u64;
        self.interval_us /= self.write_share;
        self.write_share = 1.0;
        self.read = None;
        self.arrivals.operations.clear();
        Ok(self)
    }
}
