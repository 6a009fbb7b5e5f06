//! Many tries, several at a time, each of which passes, is refused, or fails.

use std::any::Any;
use std::cell::RefCell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What became of a try.
pub enum Outcome {
    /// It passed, and so many moments, requests or the like with it.
    Passed(u64),
    Refused,
}

/// How many passed, and what they count together.
pub struct Passed {
    tries: u64,
    sum: u64,
    /// Whether the usual number of tries was made.
    is_usual: bool,
}

impl Passed {
    /// Of the usual tries so many have to pass, which count so many.
    pub fn needs(&self, tries: u64, sum: u64) {
        let Self { tries: passed, sum: counted, is_usual } = *self;
        let line = format!("{passed} passed, which count {counted}");
        if !is_usual {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
        assert!(!is_usual || passed > tries && counted > sum, "only {line}");
    }
}

thread_local! {
    /// What the try of this thread is.
    static SUBJECT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What a try is of that may fail in the midst of a run.
pub fn is_of(subject: String) {
    SUBJECT.set(subject);
}

/// Failures that are told.
const TOLD: usize = 20;
/// After that long a try is taken not to end.
const LONGEST: Duration = Duration::from_secs(600);

/// Makes tries, `usually` so many or as the environment says.
///
/// # Panics
/// Some fail, or do not end.
pub fn all(usually: u64, attempt: impl Fn(u64) -> Outcome + Sync) -> Passed {
    let of = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let only = of("COMPOSITION");
    let numbers = only.map_or(0..of("COMPOSITIONS").unwrap_or(usually), |only| only..only + 1);
    let next = AtomicU64::new(numbers.start);
    let (passed, sum) = (AtomicU64::new(0), AtomicU64::new(0));
    let failures = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let at_work: Vec<Mutex<Option<(u64, Instant)>>> =
        (0..workers).map(|_| Mutex::default()).collect();
    let work = |at_work: &Mutex<Option<(u64, Instant)>>| loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= numbers.end {
            *at_work.lock().expect("none panics with it") = None;
            break;
        }
        *at_work.lock().expect("none panics with it") = Some((number, Instant::now()));
        match catch_unwind(AssertUnwindSafe(|| attempt(number))) {
            Ok(Outcome::Passed(count)) => {
                passed.fetch_add(1, Ordering::Relaxed);
                sum.fetch_add(count, Ordering::Relaxed);
            }
            Ok(Outcome::Refused) => {}
            Err(panic) => {
                let text = format!("{}\n{}", text(&*panic), SUBJECT.take());
                tell(number, &text);
                failures.lock().expect("none panics with it").push((number, text));
            }
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = at_work.iter().map(|own| scope.spawn(move || work(own))).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            thread::sleep(Duration::from_millis(20));
            at_work.iter().for_each(watch);
        }
    });
    let mut failures = failures.into_inner().expect("none panics with it");
    failures.sort();
    let told: Vec<String> = failures
        .iter()
        .take(TOLD)
        .map(|(number, text)| format!("COMPOSITION={number}: {text}"))
        .collect();
    assert!(failures.is_empty(), "{} of {numbers:?} fail:\n{}", failures.len(), told.join("\n"));
    let is_usual = only.is_none() && of("COMPOSITIONS").is_none();
    Passed { tries: passed.into_inner(), sum: sum.into_inner(), is_usual }
}

/// A try that does not end cannot be stopped but with the whole process.
fn watch(at_work: &Mutex<Option<(u64, Instant)>>) {
    if let Some((number, since)) = *at_work.lock().expect("none panics with it")
        && since.elapsed() > LONGEST
    {
        tell(number, "it does not end");
        std::process::abort();
    }
}

/// At once, and past what the test harness holds back: of many tries one may bring the whole process down.
fn tell(number: u64, text: &str) {
    let line = text.lines().next().unwrap_or_default();
    let _ = writeln!(std::io::stderr(), "COMPOSITION={number}: {line}");
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}
