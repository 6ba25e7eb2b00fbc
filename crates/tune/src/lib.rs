//! The search for attributes that make a program faster.
//!
//! A *choice* is an attribute at an operator of the program, and a *candidate* some choices at different operators. The
//! compiler itself says which choices are legal ([`space`]), so that no others are built; one that leads to the same C
//! as another is not tried. Candidates run in turns with the program as it is, on the data of its test blocks
//! ([`bench`]), and their results are compared with those of the untuned program and with what the test blocks expect:
//! a candidate that computes something else is our own fault, and never wins. [`search`] decides what is measured
//! next, [`record`] keeps what was, so that a search can be continued, and [`page`] draws it.

pub mod bench;
pub mod page;
pub mod record;
pub mod search;
pub mod space;
pub mod thresholds;

use bench::Bench;
use kenaz_base::{FileSystem, RealFileSystem};
use kenaz_driver::Compiler;
use kenaz_driver::strategies::Sites;
use kenaz_ir::{Space as Memory, Target};
use kenaz_runtime::Tolerance;
use kenaz_testing::executors::CompiledByC;
use kenaz_testing::{CompileError, Compiled, DataSet, data_sets, must_fit};
use record::{Record, Trial};
use search::search;
use space::{Candidate, Choice, Space};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How to search.
pub struct Options {
    pub target: &'static Target,
    /// How long; what has begun is finished.
    pub budget: Duration,
    /// On how many threads a program for several cores runs, if not on as many as usual.
    pub threads: Option<u32>,
    pub seed: u64,
    pub tolerance: Tolerance,
    /// Where what was measured is kept, if it is.
    pub record: Option<PathBuf>,
    /// Data for entry points, instead of those of the test blocks.
    pub data: Vec<DataSet>,
}

/// What a search has found.
pub struct Report {
    /// The program with the best attributes, or as it was if there are none.
    pub program: String,
    pub best: Candidate,
    /// The time of the best program over that of the program as it was.
    pub ratio: f64,
    /// The choices that were tried, and in which order; a number of a candidate is an index of these.
    pub choices: Vec<Choice>,
    pub trials: Vec<Trial>,
    /// How many choices the compiler refused, and how many made no difference.
    pub refused: usize,
    pub same: usize,
    /// Programs that should compute the same as the untuned one, and do not, each with what is wrong.
    pub wrong: Vec<(String, String)>,
    /// The names of the data sets, and how long the untuned program took for each.
    pub data: Vec<(String, Duration)>,
}

/// Why there is no result.
#[derive(Debug)]
pub enum TuneError {
    /// The program does not compile as it is.
    Compile(CompileError),
    /// The user's mistake.
    Mistake(String),
    /// The program does not run as it is.
    Run(String),
}

/// Something that is told how far a search is.
pub trait Progress {
    /// There are so many choices to try.
    fn begins(&mut self, choices: usize);
    /// A candidate was tried; `left` is the part of the time that is left, and `best` the best ratio so far.
    fn tried(&mut self, trials: usize, left: f64, best: f64);
}

/// A file as it would be after an edit.
pub(crate) struct Edited<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl FileSystem for Edited<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.path { Ok(self.text.as_bytes().to_vec()) } else { RealFileSystem.read(path) }
    }

    fn exists(&self, path: &Path) -> bool {
        RealFileSystem.exists(path)
    }
}

/// Searches for attributes that make the program in a file faster.
pub fn tune(path: &Path, options: &Options, progress: &mut dyn Progress) -> Result<Report, TuneError> {
    const PATIENCE: Duration = Duration::from_secs(600);
    let mut executor =
        CompiledByC::new(options.target, PATIENCE).map_err(|error| TuneError::Mistake(error.to_string()))?;
    executor.threads = options.threads;
    let as_it_is = executor.translate(&RealFileSystem, path).map_err(TuneError::Compile)?;
    let (text, model) = (as_it_is.file.text.clone(), space::accesses(&as_it_is.loops));
    let untuned = executor.build(as_it_is).map_err(TuneError::Compile)?;
    let data = data_of(path, options, &untuned)?;
    let sites = Sites::of(&Compiler::new(&RealFileSystem, options.target), path)
        .map_err(|error| TuneError::Compile(error.into()))?;
    let space = Space::new(path, &executor, sites, &text);
    progress.begins(space.choices.len());
    // Nothing says which device it is, and what was measured on another one is worth nothing.
    let folder = options.record.as_deref().filter(|_| options.target.host_space != Memory::Device);
    let record = Record::open(folder, &text, &executor.tools.compiler, options.threads, &data);
    let mut bench = Bench::new(executor, &space, untuned, data, options, record, progress)?;
    bench.note_untuned(model);
    let (best, ratio) = search(&space.choices, &mut bench, options.seed);
    let program = space.annotated(&best).unwrap_or_default();
    let Bench { trials, wrong, data, .. } = bench;
    let data = data.into_iter().map(|one| (one.set.name, one.untuned)).collect();
    let Space { choices, refused, same, .. } = space;
    Ok(Report { program, best, ratio, choices, trials, refused, same, wrong, data })
}

fn data_of(path: &Path, options: &Options, untuned: &Compiled) -> Result<Vec<DataSet>, TuneError> {
    if !options.data.is_empty() {
        for DataSet { entry, name, arguments, .. } in &options.data {
            let wrong = |message: String| TuneError::Mistake(format!("{name}: {message}"));
            must_fit(&*untuned.program, entry, arguments).map_err(wrong)?;
        }
        return Ok(options.data.clone());
    }
    let data = data_sets(path, None, &*untuned.program).map_err(TuneError::Mistake)?;
    if data.is_empty() {
        let message =
            "there is nothing to measure: the program has no test block with an `input`, and no data are given";
        return Err(TuneError::Mistake(message.to_string()));
    }
    Ok(data)
}
