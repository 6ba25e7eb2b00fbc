//! On how many threads the parallel loops of programs ran.
//!
//! A loop is a `kz_parallel` in the C of a program. A nest of `par`s has several: one version runs the outer iterations
//! on several threads, if there are at least as many as threads, and another one the inner iterations. What runs
//! depends on the number of threads, so a program of which some loop has not run on [`THREADS`] of them is run on
//! [`OTHERS`] as well.
//!
//! After that, each loop must have run on two threads at least, or stand inside another one of the same function that
//! has: then its iterations were run by several threads, as parts of the outer ones. That is all that can be asked of a
//! map of a map over a square, of which the inner one would have to have as many iterations as there are threads, and
//! the outer one fewer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The threads of programs for several cores.
pub(crate) const THREADS: u64 = 4;
/// Fewer, so that an outer loop of two iterations has enough, and more, so that one of a dozen has not.
pub(crate) const OTHERS: [u64; 2] = [2, 16];

/// The parallel loops of all programs.
#[derive(Debug, Default)]
pub struct Loops(Mutex<BTreeMap<LoopName, Record>>);

/// The program and the function of a parallel loop.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoopName {
    pub program: String,
    pub function: String,
}

/// What is known about a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Where it stands, as the C says it.
    pub place: String,
    /// On how many of [`THREADS`] it ran at most, and of other numbers of threads; 0 if it never had two iterations.
    pub most: u64,
    pub most_of_others: u64,
}

impl Record {
    /// Whether several threads have run it at the same time, as far as we know.
    fn is_shared(&self) -> bool {
        self.most.max(self.most_of_others) > 1
    }
}

impl Loops {
    fn all(&self) -> MutexGuard<'_, BTreeMap<LoopName, Record>> {
        // What a panic left is right: each change is a single one.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of all loops in the C of a program.
    pub fn found(&self, program: &str, text: &str) {
        let mut all = self.all();
        let mut place = "";
        for line in text.lines() {
            if let Some(said) = line.strip_prefix("// a loop of ") {
                place = said;
            } else if let Some(rest) = line.strip_prefix("static int run_")
                && let Some((stem, _)) = rest.split_once('(')
            {
                // The body stands right before it, under a comment.
                let name = LoopName { program: program.to_string(), function: format!("run_{stem}") };
                all.entry(name).or_default().place = place.to_string();
            }
        }
    }

    /// Takes note of what a program said at its end, after a run on so many threads: `loop run_main_1: 4 threads`.
    pub fn ran(&self, program: &str, threads: u64, said: &str) {
        let runs =
            said.lines().filter_map(|line| line.strip_prefix("loop ")?.strip_suffix(" threads")?.split_once(": "));
        for (function, ran) in runs {
            let name = LoopName { program: program.to_string(), function: function.to_string() };
            let mut all = self.all();
            let record = all.entry(name).or_default();
            let most = if threads == THREADS { &mut record.most } else { &mut record.most_of_others };
            *most = ran.parse().unwrap_or(0).max(*most);
        }
    }

    /// Whether a loop of this program has not run on two threads yet.
    pub fn has_idle(&self, program: &str) -> bool {
        self.all().iter().any(|(name, record)| name.program == program && !record.is_shared())
    }

    /// The loops that have not run on two threads, nor a loop around them.
    pub fn idle(&self) -> Vec<(LoopName, Record)> {
        let all = self.all();
        let is_part = |of: &LoopName, inner: &Record| {
            let mut others = all.iter().filter(|(name, outer)| name.program == of.program && outer.is_shared());
            others.any(|(_, outer)| is_inside(&inner.place, &outer.place))
        };
        let idle = all.iter().filter(|(name, record)| !record.is_shared() && !is_part(name, record));
        idle.map(|(name, record)| (name.clone(), record.clone())).collect()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all().len()
    }
}

/// Whether a place in a function is a part of another one in it: `main, a.fut:3:7-12` of `main, a.fut:3:5-4:20`.
fn is_inside(inner: &str, outer: &str) -> bool {
    let parse = |place| -> Option<_> {
        let (file, span) = split_span(place)?;
        let (start, end) = span.split_once('-')?;
        let (line, column) = start.split_once(':')?;
        let (last, end) = end.split_once(':').unwrap_or((line, end));
        let number = |text: &str| text.parse::<u32>().ok();
        Some((file, (number(line)?, number(column)?), (number(last)?, number(end)?)))
    };
    match (parse(inner), parse(outer)) {
        (Some((file, start, end)), Some((other, first, last))) => {
            file == other && first <= start && end <= last && (first, last) != (start, end)
        }
        _ => false,
    }
}

/// The name of a file, with what stands before it, and the rest of a place.
fn split_span(place: &str) -> Option<(&str, &str)> {
    let (_, after) = place.rsplit_once(".fut:")?;
    Some((&place[..place.len() - after.len()], after))
}

/// The counts, and each loop that is idle.
impl fmt::Display for Loops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let idle = self.idle();
        let (of_usual, of_any) = {
            let all = self.all();
            let count = |wanted: fn(&Record) -> bool| all.values().filter(|record| wanted(record)).count();
            (count(|record| record.most > 1), count(Record::is_shared))
        };
        let [fewer, more] = OTHERS;
        write!(f, "{} parallel loops: {of_usual} ran on two or more of {THREADS} threads, ", self.count())?;
        let inside = self.count() - of_any - idle.len();
        write!(f, "{} only of {fewer} or {more}, {inside} only inside a loop that did, ", of_any - of_usual)?;
        writeln!(f, "{} did not", idle.len())?;
        for (name, record) in idle {
            let why = match record.most.max(record.most_of_others) {
                0 => "never had two iterations",
                _ => "ran on one thread only",
            };
            writeln!(f, "{} in {}, {}: {why}", name.function, name.program, record.place)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// a loop of entry_main, a.fut:1:2-3\nstatic void loop_main_1(int64_t len) {\n}\n\n\
        static int run_main_1(struct futhark_context *ctx) {\n}\n\
        // a loop of entry_main, a.fut:4:5-6\nstatic int loop_main_2(int64_t len) {\n}\n\nstruct env_main_2 {\n};\n\n\
        static int run_main_2(struct futhark_context *ctx) {\n}\n\
        int x = kz_parallel(ctx, run_main_1, &env, n, chunks);\n";

    #[test]
    fn loops_are_found_with_their_places() {
        let loops = Loops::default();
        loops.found("a.fut", TEXT);
        let places: Vec<String> = loops.idle().into_iter().map(|(_, record)| record.place).collect();
        assert_eq!(places, ["entry_main, a.fut:1:2-3", "entry_main, a.fut:4:5-6"]);
    }

    #[test]
    fn runs_are_counted() {
        let loops = Loops::default();
        loops.found("a.fut", TEXT);
        loops.ran("a.fut", THREADS, "loop run_main_1: 4 threads\nloop run_main_1: 1 threads\nRan main\n");
        loops.ran("a.fut", THREADS, "loop run_main_2: 1 threads\n");
        assert!(loops.has_idle("a.fut") && !loops.has_idle("b.fut"));
        let report = loops.to_string();
        let wanted = "2 parallel loops: 1 ran on two or more of 4 threads, 0 only of 2 or 16, \
            0 only inside a loop that did, 1 did not\n\
            run_main_2 in a.fut, entry_main, a.fut:4:5-6: ran on one thread only\n";
        assert_eq!(report, wanted);
        loops.ran("a.fut", OTHERS[0], "loop run_main_2: 2 threads\n");
        assert!(!loops.has_idle("a.fut") && loops.idle().is_empty());
        let report = loops.to_string();
        assert!(report.ends_with(" 1 only of 2 or 16, 0 only inside a loop that did, 0 did not\n"), "{report}");
    }

    #[test]
    fn a_loop_may_run_inside_another() {
        let loops = Loops::default();
        loops.found("a.fut", &TEXT.replace("a.fut:1:2-3", "a.fut:4:5-5:1"));
        loops.ran("a.fut", THREADS, "loop run_main_1: 4 threads\n");
        assert!(loops.has_idle("a.fut") && loops.idle().is_empty());
        assert!(loops.to_string().ends_with(" 1 only inside a loop that did, 0 did not\n"));
        let outer = "f, a.fut:2:3-4:5";
        for inner in ["f, a.fut:2:3-2:9", "f, a.fut:3:1-9", "f, a.fut:4:1-5"] {
            assert!(is_inside(inner, outer), "{inner}");
        }
        for other in [outer, "f, a.fut:2:2-9", "f, a.fut:4:1-6", "f, b.fut:3:1-9", "g, a.fut:3:1-9", "f", ""] {
            assert!(!is_inside(other, outer), "{other}");
        }
    }
}
