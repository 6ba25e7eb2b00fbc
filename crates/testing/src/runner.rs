//! Running the tests of many programs in parallel.

use crate::{
    Case, CompileError, Compiled, EntryPoint, EntryType, Executor, Expected, Fingerprint, Generated, Group, Input,
    Output, Program, Report, RunError, Spec, Subject, TestResult, Verdict, cache, script,
};
use indicatif::{ProgressBar, ProgressStyle};
use kenaz_base::{FileSystem, RealFileSystem};
use kenaz_runtime::{Generator, ParamType, Reader, Tolerance, Value, compare, write_binary};
use rayon::prelude::*;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How to test.
pub struct Options<'a> {
    pub executor: &'a dyn Executor,
    /// Whose results are expected where a program says `auto output`; without it such tests are skipped.
    pub reference: Option<&'a dyn Executor>,
    /// Where the results of the reference are kept.
    pub cache: Option<PathBuf>,
    pub tolerance: Tolerance,
    /// Programs and cases with one of these tags are skipped.
    pub exclude: Vec<String>,
    /// How many tests run at a time; as many as the machine has processors if it is not given.
    pub threads: Option<usize>,
    /// Whether to show on the terminal how far the tests are.
    pub progress: bool,
}

/// The seed of random inputs.
const SEED: u64 = 1;

/// The programs at a path: the file itself, or all programs in a folder and those below it.
pub fn find_programs(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut programs = Vec::new();
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            // A link to a folder may lead back.
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fut") {
                programs.push(path);
            }
        }
    }
    programs.sort();
    Ok(programs)
}

/// Runs all tests of these programs.
pub fn run(programs: &[PathBuf], options: &Options<'_>) -> Report {
    let bar = if options.progress { ProgressBar::new(programs.len() as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} programs, {elapsed}, {msg}") {
        bar.set_style(style);
    }
    let failed = std::sync::atomic::AtomicUsize::new(0);
    let all = || -> Vec<Vec<TestResult>> {
        let tested = programs.par_iter().map(|program| {
            let results = test_program(program, options);
            let failures = results.iter().filter(|result| matches!(result.verdict, Verdict::Failed(_))).count();
            let failed = failed.fetch_add(failures, std::sync::atomic::Ordering::Relaxed) + failures;
            bar.set_message(format!("{failed} failed"));
            bar.inc(1);
            results
        });
        tested.collect()
    };
    let pool = options.threads.and_then(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().ok());
    let results = pool.map_or_else(all, |pool| pool.install(all));
    bar.finish_and_clear();
    Report { results: results.into_iter().flatten().collect() }
}

/// The text of a file that people write, without a byte-order mark.
fn text(path: &Path) -> io::Result<String> {
    let text = String::from_utf8_lossy(&RealFileSystem.read(path)?).into_owned();
    Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
}

fn test_program(path: &Path, options: &Options<'_>) -> Vec<TestResult> {
    let whole = |verdict| vec![TestResult { program: path.to_path_buf(), case: None, verdict }];
    let source = match text(path) {
        Ok(text) => text,
        Err(error) => return whole(Verdict::Failed(format!("the program cannot be read: {error}"))),
    };
    let spec = match Spec::parse(&source) {
        Ok(Some(spec)) => spec,
        Ok(None) => return whole(Verdict::Skipped("the program has no test block".to_string())),
        Err(error) => {
            let place = format!("{}:{error}", path.display());
            return whole(Verdict::Failed(format!("the test block is wrong:\n{place}")));
        }
    };
    if let Some(tag) = excluded(&spec.tags, options) {
        return whole(Verdict::Skipped(format!("the program has the tag `{tag}`")));
    }
    let compiled = guarded(|| options.executor.compile(path)).unwrap_or_else(|fault| Err(CompileError::Failed(fault)));
    let (warnings, groups) = match spec.subject {
        Subject::Rejected(pattern) => {
            return whole(match compiled {
                Ok(_) => Verdict::Failed(format!("the program is accepted\nexpected: an error with `{pattern}`")),
                Err(CompileError::Rejected(message)) if pattern.matches(&message) => Verdict::Passed,
                Err(CompileError::Rejected(message)) => {
                    Verdict::Failed(format!("expected: an error with `{pattern}`\nactual: {}", message.trim_end()))
                }
                Err(CompileError::Failed(message)) => Verdict::Failed(message),
            });
        }
        Subject::Accepted { warnings, groups, structures: _ } => (warnings, groups),
    };
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(CompileError::Rejected(message) | CompileError::Failed(message)) => {
            return whole(Verdict::Failed(format!("the program does not compile\n{}", message.trim_end())));
        }
    };
    let mut results = Vec::new();
    for pattern in &warnings {
        results.extend(whole(if pattern.matches(&compiled.warnings) {
            Verdict::Passed
        } else {
            let found = compiled.warnings.trim_end();
            let found = if found.is_empty() { "no warning" } else { found };
            Verdict::Failed(format!("expected: a warning with `{pattern}`\nactual: {found}"))
        }));
    }
    let tester = Tester { path, compiled: &compiled, reference: OnceLock::new(), options };
    let tested = cases(&groups).into_par_iter().map(|(entry, index, case)| TestResult {
        program: path.to_path_buf(),
        case: Some((entry.to_string(), dataset_name(case, index))),
        verdict: guarded(|| tester.test(entry, case)).unwrap_or_else(Verdict::Failed),
    });
    results.extend(tested.collect::<Vec<_>>());
    if results.is_empty() {
        // There is nothing to test but that it compiles.
        results.extend(whole(Verdict::Passed));
    }
    results
}

/// All cases, each with its entry point and its number among the cases of its block.
fn cases(groups: &[Group]) -> Vec<(&str, usize, &Case)> {
    groups
        .iter()
        .flat_map(|group| group.entries.iter().map(move |entry| (entry, &group.cases)))
        .flat_map(|(entry, cases)| cases.iter().enumerate().map(move |(i, case)| (entry.as_str(), i, case)))
        .collect()
}

/// The message of a panic is the panic hook's business; here it must only not end all other tests.
fn guarded<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        format!("internal error: {}", text.unwrap_or("unknown"))
    })
}

/// The tag for which these tests are not run.
fn excluded<'t>(tags: &'t [String], options: &Options<'_>) -> Option<&'t str> {
    let not_for_us = format!("no_{}", options.executor.name());
    let excludes = |tag: &&String| {
        matches!(tag.as_str(), "disable" | "notest")
            || **tag == not_for_us
            || options.exclude.contains(tag)
            || (*tag == "compiled" && options.executor.is_interpreter())
    };
    tags.iter().find(excludes).map(String::as_str)
}

fn dataset_name(case: &Case, index: usize) -> String {
    match (&case.name, &case.input) {
        (Some(name), _) => format!("\"{name}\""),
        (None, Input::File(file) | Input::ScriptFile(file)) => file.clone(),
        (None, input) => format!("#{index} ({input})"),
    }
}

/// Arguments for an entry point, and what must come out if that is known.
#[derive(Clone, Debug)]
pub struct DataSet {
    pub entry: String,
    pub name: String,
    pub arguments: Vec<Value>,
    pub expected: Option<Vec<Value>>,
}

/// The data with which the test blocks of a program say that its speed is measured: what succeeds, and is not tagged
/// `nobench` unless all is.
pub fn data_sets(path: &Path, program: &dyn Program) -> Result<Vec<DataSet>, String> {
    let source = text(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let spec = Spec::parse(&source).map_err(|error| format!("{}:{error}", path.display()))?;
    data_of(spec, path, program)
}

/// The same of test blocks in another file, where they stand in no comment.
pub fn data_sets_of(blocks: &Path, path: &Path, program: &dyn Program) -> Result<Vec<DataSet>, String> {
    let source = text(blocks).map_err(|error| format!("{}: {error}", blocks.display()))?;
    let commented: String = source.lines().map(|line| format!("-- {line}\n")).collect();
    let spec = Spec::parse(&commented).map_err(|error| format!("{}:{error}", blocks.display()))?;
    data_of(spec, path, program)
}

fn data_of(spec: Option<Spec>, path: &Path, program: &dyn Program) -> Result<Vec<DataSet>, String> {
    let Some(Spec { subject: Subject::Accepted { groups, .. }, .. }) = spec else { return Ok(Vec::new()) };
    let data = Data { path, program };
    let is_measured = |case: &Case| !case.tags.iter().any(|tag| tag == "nobench");
    let mut cases = cases(&groups);
    cases.retain(|(_, _, case)| !matches!(case.expected, Expected::Error(_)));
    if cases.iter().any(|(_, _, case)| is_measured(case)) {
        cases.retain(|(_, _, case)| is_measured(case));
    }
    let mut sets = Vec::new();
    for (entry, index, case) in cases {
        let (arguments, expected) = data.of(entry, case)?;
        sets.push(DataSet { entry: entry.to_string(), name: dataset_name(case, index), arguments, expected });
    }
    Ok(sets)
}

/// What test blocks name, given where the program is and the program itself, whose functions scripts call.
struct Data<'a> {
    path: &'a Path,
    program: &'a dyn Program,
}

impl Data<'_> {
    /// The arguments of a case, and its results as far as the test block has them.
    fn of(&self, entry: &str, case: &Case) -> Result<(Vec<Value>, Option<Vec<Value>>), String> {
        let (point, wanted) = parameters(self.program, entry)?;
        let arguments = self.arguments(&case.input, &wanted, &point.parameters)?;
        check_arguments(point, &arguments, &wanted)?;
        let expected = match &case.expected {
            Expected::Output(Output::Values(values)) => Some(values.clone()),
            Expected::Output(Output::File(file)) => Some(self.read_file(file, &point.results)?),
            Expected::Output(Output::Auto) | Expected::Success | Expected::Error(_) => None,
        };
        Ok((arguments, expected))
    }

    fn arguments(&self, input: &Input, wanted: &[ParamType], types: &[EntryType]) -> Result<Vec<Value>, String> {
        let evaluate = |exp: &script::Exp| {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            script::evaluate(exp, self.program, folder, wanted).map_err(|error| format!("the script failed: {error}"))
        };
        match input {
            Input::Values(values) => Ok(values.clone()),
            Input::File(file) => self.read_file(file, types),
            Input::Random(parts) => {
                let mut generator = Generator::new(SEED);
                let part = |part: &Generated| match part {
                    Generated::Value(value) => Ok(value.clone()),
                    Generated::Random(ty) => generator
                        .value(ty)
                        .ok_or_else(|| format!("there is not enough memory for a value of type {ty}")),
                };
                parts.iter().map(part).collect()
            }
            Input::Script(exp) => evaluate(exp),
            Input::ScriptFile(file) => {
                let path = self.beside(file);
                let text = text(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                evaluate(&script::parse(&text).map_err(|error| format!("{}:{error}", path.display()))?)
            }
        }
    }

    /// A file that the program names.
    fn beside(&self, file: &str) -> PathBuf {
        self.path.parent().map_or_else(|| PathBuf::from(file), |folder| folder.join(file))
    }

    /// The values in a file; a table or a picture is read as the first of the types.
    fn read_file(&self, file: &str, types: &[EntryType]) -> Result<Vec<Value>, String> {
        let path = self.beside(file);
        let mut reader = Reader::open(&path, None).map_err(|error| format!("{}: {error}", path.display()))?;
        reader.rest_as(types).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Tests the cases of one program.
struct Tester<'a> {
    path: &'a Path,
    compiled: &'a Compiled,
    /// The program as compiled by the reference, when it is first needed.
    reference: OnceLock<Result<Compiled, String>>,
    options: &'a Options<'a>,
}

impl Tester<'_> {
    fn test(&self, entry: &str, case: &Case) -> Verdict {
        if let Some(tag) = excluded(&case.tags, self.options) {
            return Verdict::Skipped(format!("the case has the tag `{tag}`"));
        }
        if matches!(case.expected, Expected::Output(Output::Auto)) && self.options.reference.is_none() {
            return Verdict::Skipped("there is no reference for `auto output`".to_string());
        }
        match self.outcome(entry, case) {
            Ok(()) => Verdict::Passed,
            Err(message) => Verdict::Failed(message),
        }
    }

    fn outcome(&self, entry: &str, case: &Case) -> Result<(), String> {
        let program = &*self.compiled.program;
        let (arguments, known) = Data { path: self.path, program }.of(entry, case)?;
        let expected = match &case.expected {
            Expected::Output(Output::Auto) => Some(self.reference_results(entry, &arguments)?),
            _ => known,
        };
        match (program.run(entry, arguments), &case.expected) {
            (Err(RunError::Broken(message)), _) => Err(message),
            (Err(RunError::Failed(message)), Expected::Error(pattern)) if pattern.matches(&message) => Ok(()),
            (Err(RunError::Failed(message)), Expected::Error(pattern)) => {
                Err(format!("expected: an error with `{pattern}`\nactual: {}", message.trim_end()))
            }
            (Err(RunError::Failed(message)), _) => Err(format!("the program failed: {}", message.trim_end())),
            (Ok(results), Expected::Error(pattern)) => {
                Err(format!("expected: an error with `{pattern}`\nactual: {}", shown(&results)))
            }
            (Ok(results), _) => match expected {
                Some(expected) => agree(&expected, &results, &self.options.tolerance),
                None => Ok(()),
            },
        }
    }

    fn reference_results(&self, entry: &str, arguments: &[Value]) -> Result<Vec<Value>, String> {
        let Some(reference) = self.options.reference else { return Err("there is no reference".to_string()) };
        let compiled = self.reference.get_or_init(|| match reference.compile(self.path) {
            Ok(compiled) => Ok(compiled),
            Err(CompileError::Rejected(message) | CompileError::Failed(message)) => {
                Err(format!("the reference does not compile the program\n{}", message.trim_end()))
            }
        });
        let program: &dyn Program = &*compiled.as_ref().map_err(Clone::clone)?.program;
        let mut key = Fingerprint::new();
        for part in [reference.name(), &program.fingerprint(), entry] {
            key.add(part.as_bytes());
        }
        for argument in arguments {
            write_binary(&mut key, argument).map_err(|error| error.to_string())?;
        }
        let cache = self.options.cache.as_deref();
        if let Some(values) = cache.and_then(|folder| cache::load(folder, key)) {
            return Ok(values);
        }
        let values = program.run(entry, arguments.to_vec()).map_err(|error| match error {
            RunError::Failed(message) | RunError::Broken(message) => {
                format!("the reference failed: {}", message.trim_end())
            }
        })?;
        if let Some(folder) = cache {
            // Without the cache the next run is slower, nothing else.
            let _ = cache::store(folder, key, &values);
        }
        Ok(values)
    }
}

/// Whether a program has an entry point for these arguments; or what is wrong.
pub fn must_fit(program: &dyn Program, entry: &str, arguments: &[Value]) -> Result<(), String> {
    let (point, wanted) = parameters(program, entry)?;
    check_arguments(point, arguments, &wanted)
}

/// An entry point, and the arrays and scalars that it takes.
fn parameters<'a>(program: &'a dyn Program, entry: &str) -> Result<(&'a EntryPoint, Vec<ParamType>), String> {
    let Some(point) = program.entry_points().iter().find(|point| point.name == entry) else {
        return Err(format!("the program has no entry point `{entry}`"));
    };
    Ok((point, point.parameters.iter().flat_map(|ty| ty.parts.iter().copied()).collect()))
}

fn check_arguments(point: &EntryPoint, arguments: &[Value], wanted: &[ParamType]) -> Result<(), String> {
    if arguments.len() != wanted.len() {
        let (given, wanted, entry) = (arguments.len(), wanted.len(), &point.name);
        return Err(format!("the dataset has {given} values, the entry point `{entry}` takes {wanted}"));
    }
    for ((argument, wanted), i) in arguments.iter().zip(wanted).zip(1..) {
        if !wanted.accepts(argument) {
            let found = ParamType::of(argument);
            return Err(format!("value {i} of the dataset has type {found}, the entry point takes {wanted}"));
        }
    }
    Ok(())
}

/// Says how results differ from what is expected, if they do.
pub fn agree(expected: &[Value], actual: &[Value], tolerance: &Tolerance) -> Result<(), String> {
    if expected.len() != actual.len() {
        let (expected_number, actual_number) = (expected.len(), actual.len());
        let numbers = format!("expected {expected_number} values, got {actual_number}");
        return Err(format!("{numbers}\nexpected: {}\nactual: {}", shown(expected), shown(actual)));
    }
    for ((x, y), i) in expected.iter().zip(actual).zip(1..) {
        if let Err(difference) = compare(x, y, tolerance) {
            return Err(format!("value {i}: {difference}\nexpected: {}\nactual: {}", shown(expected), shown(actual)));
        }
    }
    Ok(())
}

/// Values, as far as they fit in a line.
fn shown(values: &[Value]) -> String {
    const MOST: usize = 200;
    let mut text = String::new();
    for value in values {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&format!("{value:?}"));
        if let Some((cut, _)) = text.char_indices().nth(MOST) {
            text.truncate(cut);
            text.push('…');
            break;
        }
    }
    text
}
