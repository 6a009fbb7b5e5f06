//! Several workloads at the same time.

use std::collections::HashMap;

use super::peek::Peek;
use crate::{Error, Request, Skipped, Source, VOLUMES};

/// The requests of several sources in the order of their arrivals; of equal ones the source that is named first goes ahead.
/// Sources without times take turns.
pub(super) struct Interleave {
    name: String,
    sources: Vec<Peek>,
    /// Requests that each without times has given.
    given: Vec<u64>,
    /// The volume that (source, volume of the source) is in the whole.
    streams: HashMap<(usize, u32), u32>,
    /// What each volume of the whole is called: its source, and the volume there.
    labels: Vec<String>,
    skipped: Vec<Skipped>,
}

impl Interleave {
    pub fn new(sources: Vec<Box<dyn Source>>) -> Self {
        let names: Vec<&str> = sources.iter().map(|source| source.name()).collect();
        Self {
            name: names.join(" + "),
            given: vec![0; sources.len()],
            sources: sources.into_iter().map(Peek::new).collect(),
            streams: HashMap::new(),
            labels: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// The source whose next request arrives first, and that request.
    fn first(&mut self) -> Result<Option<(usize, Request)>, Error> {
        let mut first: Option<(u64, u64, usize, Request)> = None;
        for (number, source) in self.sources.iter_mut().enumerate() {
            let Some(&next) = source.peek()? else { continue };
            let place = (next.arrival_ns, self.given[number]);
            if first.is_none_or(|(arrival_ns, given, ..)| place < (arrival_ns, given)) {
                first = Some((place.0, place.1, number, next));
            }
        }
        Ok(first.map(|(_, _, number, next)| (number, next)))
    }

    fn stream(&mut self, source: usize, volume: u32) -> Result<u32, Error> {
        if let Some(&known) = self.streams.get(&(source, volume)) {
            return Ok(known);
        }
        let new = self.streams.len();
        if new == VOLUMES {
            let what = format!("the workloads have more than {VOLUMES} volumes together");
            return Err(Error::new(
                what,
                self.name.clone(),
                "choose volumes, or join fewer workloads",
            ));
        }
        let new = new as u32;
        self.streams.insert((source, volume), new);
        let inside = &self.sources[source].source;
        let label = match inside.stream_names().get(volume as usize) {
            Some(name) if !name.is_empty() => format!("{}:{name}", inside.name()),
            _ => format!("{}:{volume}", inside.name()),
        };
        self.labels.push(label);
        Ok(new)
    }

    /// What the sources passed over, in their order.
    fn join_skipped(&mut self) {
        self.skipped.clear();
        for skipped in self.sources.iter().flat_map(|source| source.source.skipped()) {
            match self.skipped.iter_mut().find(|known| known.reason == skipped.reason) {
                Some(known) => known.count += skipped.count,
                None => self.skipped.push(*skipped),
            }
        }
    }
}

impl Source for Interleave {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_batch(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        batch.clear();
        let room = batch.capacity().max(1);
        while batch.len() < room {
            let Some((source, request)) = self.first()? else { break };
            let stream = self.stream(source, request.stream)?;
            self.sources[source].skip();
            if self.sources[source].source.has_times() == Some(false) {
                self.given[source] += 1;
            }
            batch.push(Request { stream, ..request });
        }
        self.join_skipped();
        Ok(())
    }

    fn rewind(&mut self) -> Result<(), Error> {
        self.given.fill(0);
        self.sources.iter_mut().try_for_each(Peek::rewind)
    }

    fn clamped_arrivals(&self) -> u64 {
        self.sources.iter().map(|source| source.source.clamped_arrivals()).sum()
    }

    fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Of which workload each is.
    fn remarks(&self) -> Vec<String> {
        let of = |peek: &Peek| {
            let name = peek.source.name().to_owned();
            peek.source.remarks().into_iter().map(move |text| format!("{name}: {text}"))
        };
        self.sources.iter().flat_map(of).collect()
    }

    fn sort_by_time(&mut self) {
        self.sources.iter_mut().for_each(|peek| peek.source.sort_by_time());
    }

    fn has_sizes_in_bytes(&self) -> bool {
        self.sources.iter().all(|peek| peek.source.has_sizes_in_bytes())
    }

    fn stream_names(&self) -> &[String] {
        &self.labels
    }

    /// Each begins at 0, whenever it was recorded: together they have a beginning if that is the same.
    fn start_unix_ns(&self) -> Option<u64> {
        let mut starts = self.sources.iter().map(|source| source.source.start_unix_ns());
        let first = starts.next()??;
        starts.all(|start| start == Some(first)).then_some(first)
    }

    fn len_hint(&self) -> Option<u64> {
        self.sources.iter().map(|source| source.source.len_hint()).sum()
    }

    fn has_times(&self) -> Option<bool> {
        let all = || self.sources.iter().map(|source| source.source.has_times());
        let any = all().any(|has_times| has_times == Some(true));
        any.then_some(true).or_else(|| all().all(|known| known == Some(false)).then_some(false))
    }

    fn is_synthetic(&self) -> bool {
        self.sources.iter().any(|source| source.source.is_synthetic())
    }
}
