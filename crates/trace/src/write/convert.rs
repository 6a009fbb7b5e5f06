//! A workload into one file, or into one for each of its volumes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::output::compression_of;
use super::writer::{Closed, Options, TraceWriter, Written};
use crate::compact::{BLOCK, TraceMeta};
use crate::{Error, Request, Source};

/// Files that are open at the same time; more volumes take another pass over the workload.
const OPEN_FILES: usize = 128;

/// How far a conversion has come: requests read, and the arrival of the last one in nanoseconds.
/// `Break` stops it.
pub type Report<'a> = &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// Writes `source` to `path`. `None` when `report` stopped it: then nothing was written.
///
/// # Errors
/// Those of `source` and of [`TraceWriter`].
pub fn convert(
    source: &mut dyn Source,
    path: &Path,
    meta: &TraceMeta,
    options: Options<'_>,
    report: Report<'_>,
) -> Result<Option<Written>, Error> {
    let mut writer = TraceWriter::create(path, meta, options)?;
    match each_batch(source, report, |batch, start| append(&mut writer, batch, start))? {
        ControlFlow::Continue(()) => {
            writer.name_volumes(source.stream_names());
            writer.note(source.remarks());
            writer.close()?.publish().map(Some)
        }
        ControlFlow::Break(()) => Ok(None),
    }
}

/// [`convert`] from beginning to end.
///
/// # Errors
/// Those of `source` and of [`TraceWriter`].
pub fn copy(
    source: &mut dyn Source,
    path: &Path,
    meta: &TraceMeta,
    options: Options<'_>,
) -> Result<Written, Error> {
    let mut writer = TraceWriter::create(path, meta, options)?;
    let mut go_on = |_, _| ControlFlow::Continue(());
    let take = |batch: &[Request], start| append(&mut writer, batch, start);
    let flow = each_batch(source, &mut go_on, take)?;
    debug_assert!(flow.is_continue(), "nobody stops it");
    writer.name_volumes(source.stream_names());
    writer.note(source.remarks());
    writer.close()?.publish()
}

/// Writes each volume of `source` to a file of its own: `path` with the volume's number ahead of
/// the ending. `None` when `report` stopped it: then nothing was written.
///
/// # Errors
/// Those of `source` and of [`TraceWriter`].
pub fn split(
    source: &mut dyn Source,
    path: &Path,
    meta: &TraceMeta,
    options: Options<'_>,
    report: Report<'_>,
) -> Result<Option<Vec<(u32, Written)>>, Error> {
    let mut done: BTreeMap<u32, Closed> = BTreeMap::new();
    loop {
        let mut open: BTreeMap<u32, TraceWriter> = BTreeMap::new();
        let mut is_last = true;
        let mut route = |run: &[Request], start| {
            let volume = run[0].stream;
            if done.contains_key(&volume) {
                return Ok(());
            }
            if !open.contains_key(&volume) {
                if open.len() == OPEN_FILES {
                    is_last = false;
                    return Ok(());
                }
                let path = path_of(path, volume)?;
                open.insert(volume, TraceWriter::create(&path, meta, options)?);
            }
            open.get_mut(&volume).map_or(Ok(()), |writer| append(writer, run, start))
        };
        let by_volume = |batch: &[Request], start| {
            let mut runs = batch.chunk_by(|a, b| a.stream == b.stream);
            runs.try_for_each(|run| route(run, start))
        };
        if each_batch(source, report, by_volume)?.is_break() {
            return Ok(None);
        }
        for (volume, mut writer) in open {
            writer.name_volumes(source.stream_names());
            writer.note(source.remarks());
            done.insert(volume, writer.close()?);
        }
        if is_last {
            break;
        }
        source.rewind()?;
    }
    // Names are given when every file is whole.
    let published = done.into_iter().map(|(volume, closed)| Ok((volume, closed.publish()?)));
    published.collect::<Result<_, _>>().map(Some)
}

/// Writes requests of a source that starts at `start_unix_ns`.
fn append(
    writer: &mut TraceWriter,
    requests: &[Request],
    start_unix_ns: Option<u64>,
) -> Result<(), Error> {
    writer.starts_at(start_unix_ns);
    writer.write(requests)
}

/// Hands out each batch, and when the source starts.
fn each_batch(
    source: &mut dyn Source,
    report: Report<'_>,
    mut take: impl FnMut(&[Request], Option<u64>) -> Result<(), Error>,
) -> Result<ControlFlow<()>, Error> {
    let mut batch = Vec::with_capacity(BLOCK);
    let mut done = 0;
    loop {
        source.next_batch(&mut batch)?;
        let Some(last) = batch.last() else { return Ok(ControlFlow::Continue(())) };
        done += batch.len() as u64;
        let flow = report(done, last.arrival_ns);
        take(&batch, source.start_unix_ns())?;
        if flow.is_break() {
            return Ok(flow);
        }
    }
}

/// `trace.csv.gz` becomes `trace.7.csv.gz`.
fn path_of(path: &Path, volume: u32) -> Result<PathBuf, Error> {
    let (_, inner) = compression_of(path)?;
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = inner.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let endings = name(path)[stem.len()..].to_owned();
    Ok(path.with_file_name(format!("{stem}.{volume}{endings}")))
}
