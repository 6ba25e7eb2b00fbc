//! Measuring programs on the data of their test blocks.

use crate::compare::{Compared, difference_of_rounds};
use crate::results::{Measurement, Outcome, Results};
use crate::rule::{Decision, Rule};
use crate::statistics::{mean, without_outliers};
use crate::turns::turn;
use kenaz_runtime::{Tolerance, Value};
use kenaz_testing::{
    CompileError, Compiled, DataCase, DataSet, Executor, Program, RunError, Session, agree, data_cases,
};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How to measure.
pub struct Options<'a> {
    pub executor: &'a dyn Executor,
    pub rule: Rule,
    /// How long all runs of a data set may take together.
    pub limit: Option<Duration>,
    /// Only the entry point of this name.
    pub entry: Option<String>,
    /// Cases with one of these tags are left out.
    pub exclude: Vec<String>,
    /// Where the test blocks are, if not in the programs.
    pub blocks: Option<PathBuf>,
    pub tolerance: Tolerance,
    /// How many programs are compiled at a time.
    pub concurrency: usize,
}

/// Another program that takes turns with each of the programs.
pub struct Rival<'a> {
    pub executor: &'a dyn Executor,
    /// Instead of the program itself.
    pub program: Option<PathBuf>,
}

/// What a program is measured with.
pub struct Chosen {
    pub path: PathBuf,
    pub cases: Vec<DataCase>,
}

/// A compiled program, and its rival.
pub struct Ready {
    pub chosen: Chosen,
    compiled: Compiled,
    rival: Option<Compiled>,
}

/// Something that is told how far the work is.
pub trait Watch {
    /// A program was compiled, of so many.
    fn compiled(&self, _done: usize, _of: usize) {}
    /// A data set is about to be measured.
    fn begins(&mut self, _benchmark: &str, _case: &str) {}
    /// There were so many runs, in so much time.
    fn ran(&mut self, _runs: usize, _elapsed: Duration) {}
    /// This is what became of it.
    fn ended(&mut self, _benchmark: &str, _case: &str, _outcome: &Outcome, _compared: Option<&Compared>) {}
}

/// Those of the programs that have something to measure, also for a rival if there is one; or what is wrong with their
/// test blocks.
pub fn choose(
    programs: &[PathBuf],
    options: &Options<'_>,
    rival: Option<&dyn Executor>,
) -> Result<Vec<Chosen>, String> {
    let not_for_us: Vec<String> = [Some(options.executor), rival]
        .into_iter()
        .flatten()
        .map(|executor| format!("no_{}", executor.name()))
        .collect();
    let is_excluded = |tag: &String| {
        matches!(tag.as_str(), "nobench" | "disable") || not_for_us.contains(tag) || options.exclude.contains(tag)
    };
    let is_wanted = |case: &DataCase| {
        options.entry.as_ref().is_none_or(|entry| *entry == case.entry) && !case.tags.iter().any(is_excluded)
    };
    let mut chosen = Vec::new();
    for path in programs {
        let mut cases = data_cases(path, options.blocks.as_deref())?;
        cases.retain(is_wanted);
        if !cases.is_empty() {
            chosen.push(Chosen { path: path.clone(), cases });
        }
    }
    Ok(chosen)
}

/// Compiles programs, and what they are compared with.
pub fn compile(
    chosen: Vec<Chosen>,
    options: &Options<'_>,
    rival: Option<&Rival<'_>>,
    watch: &(dyn Watch + Sync),
) -> Result<Vec<Ready>, CompileError> {
    let (next, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    type Built = Result<(Compiled, Option<Compiled>), CompileError>;
    let slots: Vec<Mutex<Option<Built>>> = chosen.iter().map(|_| Mutex::new(None)).collect();
    let build = |path: &Path| -> Built {
        let compiled = options.executor.compile(path)?;
        let other = rival.map(|rival| rival.executor.compile(rival.program.as_deref().unwrap_or(path)));
        Ok((compiled, other.transpose()?))
    };
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(program), Some(slot)) = (chosen.get(at), slots.get(at)) else { return };
            let built = build(&program.path);
            failed.fetch_or(built.is_err(), Ordering::Relaxed);
            watch.compiled(done.fetch_add(1, Ordering::Relaxed) + 1, chosen.len());
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(built);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..options.concurrency.clamp(1, chosen.len().max(1)) {
            // The parser and the passes recurse over the program, on stacks that grow.
            scope.spawn(work);
        }
    });
    let mut all = Vec::new();
    for slot in slots {
        // Those after one that failed may be missing; the error comes first.
        all.extend(slot.into_inner().ok().flatten());
    }
    if let Some(at) = all.iter().position(Result::is_err) {
        return all.swap_remove(at).map(|_| Vec::new());
    }
    let built = chosen.into_iter().zip(all.into_iter().flatten());
    Ok(built.map(|(chosen, (compiled, rival))| Ready { chosen, compiled, rival }).collect())
}

/// What was measured: of the programs, of their rivals, and how these differ.
#[derive(Default)]
pub struct Measured {
    pub results: Results,
    pub rivals: Results,
    pub compared: Vec<Compared>,
}

impl Measured {
    /// Whether something went wrong.
    pub fn has_failed(&self) -> bool {
        self.results.iter().chain(self.rivals.iter()).any(|(_, _, outcome)| outcome.measurement().is_none())
    }
}

/// Measures compiled programs, one after the other.
pub fn measure(programs: &[Ready], options: &Options<'_>, watch: &mut dyn Watch) -> Measured {
    let mut measured = Measured::default();
    for ready in programs {
        for case in &ready.chosen.cases {
            let benchmark = format!("{}:{}", ready.chosen.path.display(), case.entry);
            watch.begins(&benchmark, &case.measured_name);
            let (outcome, rival, rounds) = match of_case(ready, case, options, watch) {
                Ok(Pair { first, second, rounds }) => {
                    (Outcome::Measured(first), second.map(Outcome::Measured), Some(rounds))
                }
                Err(Failure { message, is_rivals: false }) => (Outcome::Failed(message), None, None),
                Err(Failure { message, is_rivals: true }) => {
                    (Outcome::Failed(format!("the other side: {message}")), Some(Outcome::Failed(message)), None)
                }
            };
            let sides = (outcome.measurement(), rival.as_ref().and_then(Outcome::measurement));
            let compared = match (sides, &rounds) {
                ((Some(first), Some(second)), Some(rounds)) => {
                    let difference = difference_of_rounds(rounds);
                    Some(Compared::with(&benchmark, &case.measured_name, (first, second), difference))
                }
                _ => None,
            };
            watch.ended(&benchmark, &case.measured_name, &outcome, compared.as_ref());
            measured.compared.extend(compared);
            measured.results.add(&benchmark, &case.measured_name, outcome);
            if let Some(rival) = rival {
                measured.rivals.add(&benchmark, &case.measured_name, rival);
            }
        }
    }
    measured
}

struct Pair {
    first: Measurement,
    second: Option<Measurement>,
    rounds: Vec<(f64, f64)>,
}

struct Failure {
    message: String,
    is_rivals: bool,
}

fn of_case(ready: &Ready, case: &DataCase, options: &Options<'_>, watch: &mut dyn Watch) -> Result<Pair, Failure> {
    let ours = |message: String| Failure { message, is_rivals: false };
    let data = case.load(&ready.chosen.path, &*ready.compiled.program).map_err(ours)?;
    let Some(rival) = &ready.rival else {
        let first = alone(&*ready.compiled.program, &data, options, watch).map_err(ours)?;
        return Ok(Pair { first, second: None, rounds: Vec::new() });
    };
    in_turns([&*ready.compiled.program, &*rival.program], &data, options, watch)
}

/// A program with its arguments, of which the results of a first run are right.
struct Runner<'a> {
    session: Box<dyn Session + 'a>,
    results: Vec<Value>,
    times: Vec<f64>,
    left: Option<Duration>,
    /// How long the last run took.
    last: Duration,
}

impl<'a> Runner<'a> {
    fn new(program: &'a dyn Program, data: &DataSet, options: &Options<'_>) -> Result<Runner<'a>, String> {
        let session = program.session(&data.entry, &data.arguments).map_err(text)?;
        let mut runner =
            Runner { session, results: Vec::new(), times: Vec::new(), left: options.limit, last: Duration::ZERO };
        runner.session.clear().map_err(text)?;
        // The first run warms up.
        runner.run()?;
        runner.results = runner.session.results().map_err(text)?;
        if let Some(expected) = &data.expected {
            agree(expected, &runner.results, &options.tolerance)?;
        }
        Ok(runner)
    }

    /// The microseconds of one more run.
    fn run(&mut self) -> Result<f64, String> {
        if let Some(left) = self.left {
            // What is nearly as long as the one before may end.
            self.session.set_limit(left.max(2 * self.last));
        }
        let time = self.session.run().map_err(text)?;
        (self.left, self.last) = (self.left.map(|left| left.saturating_sub(time)), time);
        Ok(time.as_secs_f64() * 1e6)
    }

    /// Whether there is no time for one more.
    fn is_late(&self) -> bool {
        self.left.is_some_and(|left| left.is_zero() || left < self.last)
    }

    fn measurement(mut self, data: &DataSet, converged: Option<bool>) -> Result<Measurement, String> {
        let size = |values: &[Value]| values.iter().map(bytes).sum();
        Ok(Measurement {
            bytes: self.session.peak_memory().map_err(text)?,
            times: self.times,
            input_bytes: Some(size(&data.arguments)),
            output_bytes: Some(size(&self.results)),
            converged,
        })
    }
}

/// Measures a compiled program on one data set.
pub fn alone(
    program: &dyn Program,
    data: &DataSet,
    options: &Options<'_>,
    watch: &mut dyn Watch,
) -> Result<Measurement, String> {
    let mut runner = Runner::new(program, data, options)?;
    let (start, mut next) = (Instant::now(), options.rule.runs);
    loop {
        let time = runner.run()?;
        runner.times.push(time);
        let (runs, elapsed) = (runner.times.len(), start.elapsed());
        watch.ran(runs, elapsed);
        if runner.is_late() && runs < options.rule.runs {
            return Err(late(options));
        }
        if runs < next && !runner.is_late() {
            continue;
        }
        if let Decision::Enough { converged } = options.rule.decide(&runner.times, elapsed) {
            return runner.measurement(data, converged);
        }
        if runner.is_late() {
            return runner.measurement(data, options.rule.convergence.map(|_| false));
        }
        // To decide takes as long as there are runs.
        next = runs + 1 + runs / 10;
    }
}

/// Between turns, since the threads of the one before wait awake for a while for more to do.
const PAUSE: Duration = Duration::from_millis(10);

/// The mean of the runs of a turn.
fn take_turn(runner: &mut Runner<'_>) -> Result<f64, String> {
    thread::sleep(PAUSE);
    let times = turn(|| runner.run(), 1)?;
    runner.times.extend(&times);
    Ok(mean(&without_outliers(&times).numbers))
}

fn in_turns(
    programs: [&dyn Program; 2],
    data: &DataSet,
    options: &Options<'_>,
    watch: &mut dyn Watch,
) -> Result<Pair, Failure> {
    let ours = |message: String| Failure { message, is_rivals: false };
    let theirs = |message: String| Failure { message, is_rivals: true };
    let mut first = Runner::new(programs[0], data, options).map_err(ours)?;
    let mut second = Runner::new(programs[1], data, options).map_err(theirs)?;
    if let Err(difference) = agree(&first.results, &second.results, &options.tolerance) {
        return Err(ours(format!("the other side has other results: {difference}")));
    }
    let (start, mut next) = (Instant::now(), options.rule.runs);
    let mut rounds = Vec::new();
    let converged = loop {
        // Nobody is always the one that comes after a pause.
        let round = if rounds.len() % 2 == 0 {
            let one = take_turn(&mut first).map_err(ours)?;
            (one, take_turn(&mut second).map_err(theirs)?)
        } else {
            let other = take_turn(&mut second).map_err(theirs)?;
            (take_turn(&mut first).map_err(ours)?, other)
        };
        rounds.push(round);
        let elapsed = start.elapsed();
        watch.ran(rounds.len(), elapsed);
        let is_late = first.is_late() || second.is_late();
        if is_late && rounds.len() < options.rule.runs {
            return Err(ours(late(options)));
        }
        if rounds.len() < next && !is_late {
            continue;
        }
        if let Decision::Enough { converged } = options.rule.decide_rounds(&rounds, elapsed) {
            break converged;
        }
        if is_late {
            break options.rule.convergence.map(|_| false);
        }
        next = rounds.len() + 1 + rounds.len() / 10;
    };
    let first = first.measurement(data, converged).map_err(ours)?;
    let second = second.measurement(data, converged).map_err(theirs)?;
    Ok(Pair { first, second: Some(second), rounds })
}

fn bytes(value: &Value) -> u64 {
    value.data().len() as u64 * value.prim().bytes() as u64
}

fn late(options: &Options<'_>) -> String {
    let seconds = options.limit.unwrap_or_default().as_secs_f64();
    format!("{} runs take longer than {seconds} seconds", options.rule.runs)
}

fn text(error: RunError) -> String {
    let (RunError::Failed(message) | RunError::Broken(message)) = error;
    message.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::TemporaryFolder;
    use kenaz_testing::{EntryPoint, EntryType};
    use std::fs;

    /// An executor whose programs return their argument plus a number, and say that their first run took ten seconds
    /// and others as many milliseconds as the next of some numbers, again and again.
    struct Toy {
        plus: i32,
        times: Vec<u64>,
    }

    struct ToyProgram {
        points: Vec<EntryPoint>,
        plus: i32,
        times: Vec<u64>,
    }

    struct ToySession {
        result: i32,
        times: Vec<u64>,
        runs: usize,
    }

    impl Executor for Toy {
        fn name(&self) -> &'static str {
            "toy"
        }
        fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
            if path.ends_with("wrong.fut") {
                return Err(CompileError::Rejected("no".to_string()));
            }
            let int = || vec![EntryType::plain("i32".parse().unwrap())];
            let points = vec![EntryPoint { name: "main".to_string(), parameters: int(), results: int() }];
            let program = ToyProgram { points, plus: self.plus, times: self.times.clone() };
            Ok(Compiled { program: Box::new(program), warnings: String::new() })
        }
    }

    impl Program for ToyProgram {
        fn entry_points(&self) -> &[EntryPoint] {
            &self.points
        }
        fn fingerprint(&self) -> String {
            String::new()
        }
        fn run(&self, _: &str, _: Vec<Value>) -> Result<Vec<Value>, RunError> {
            Err(RunError::Broken("there are sessions".to_string()))
        }
        fn session<'a>(&'a self, _: &str, arguments: &[Value]) -> Result<Box<dyn Session + 'a>, RunError> {
            let argument = arguments[0].elements::<i32>().unwrap()[0];
            if argument < 0 {
                return Err(RunError::Failed("negative".to_string()));
            }
            Ok(Box::new(ToySession { result: argument + self.plus, times: self.times.clone(), runs: 0 }))
        }
    }

    impl Session for ToySession {
        fn run(&mut self) -> Result<Duration, RunError> {
            self.runs += 1;
            let time = self.runs.checked_sub(2).map_or(10_000, |i| self.times[i % self.times.len()]);
            Ok(Duration::from_millis(time))
        }
        fn results(&mut self) -> Result<Vec<Value>, RunError> {
            Ok(vec![Value::from(self.result)])
        }
    }

    fn options<'a>(executor: &'a Toy, limit: Option<u64>, convergence: Option<u64>) -> Options<'a> {
        Options {
            executor,
            rule: Rule { runs: 5, least: Duration::ZERO, convergence: convergence.map(Duration::from_secs) },
            limit: limit.map(Duration::from_secs),
            entry: None,
            exclude: Vec::new(),
            blocks: None,
            tolerance: Tolerance::EXACT,
            concurrency: 2,
        }
    }

    struct Silent;
    impl Watch for Silent {}

    /// What becomes of a program with these lines in its test block.
    fn measured(block: &str, options: &Options<'_>, rival: Option<&Toy>) -> Measured {
        let folder = TemporaryFolder::new().unwrap();
        let path = folder.path.join("a.fut");
        fs::write(&path, format!("-- ==\n{block}")).unwrap();
        let rival = rival.map(|executor| Rival { executor, program: None });
        let chosen = choose(&[path], options, rival.as_ref().map(|rival| rival.executor)).unwrap();
        let ready = compile(chosen, options, rival.as_ref(), &Silent);
        let Ok(ready) = ready else { panic!("it compiles") };
        measure(&ready, options, &mut Silent)
    }

    fn only(measured: &Measured) -> &Outcome {
        let mut all = measured.results.iter();
        let (Some((_, _, outcome)), None) = (all.next(), all.next()) else { panic!("there is one data set") };
        outcome
    }

    const ONE: &str = "-- input { 1i32 } output { 1i32 }\n";

    #[test]
    fn the_first_run_warms_up() {
        let toy = Toy { plus: 0, times: vec![20, 30] };
        let measured = measured(ONE, &options(&toy, None, None), None);
        let measurement = only(&measured).measurement().unwrap();
        assert_eq!(measurement.times, [20_000.0, 30_000.0, 20_000.0, 30_000.0, 20_000.0]);
        assert_eq!((measurement.touched_bytes(), measurement.converged), (Some(8), None));
        assert!(!measured.has_failed());
    }

    #[test]
    fn what_varies_runs_until_the_limit() {
        let toy = Toy { plus: 0, times: vec![20, 30] };
        let varying = measured(ONE, &options(&toy, Some(11), Some(3600)), None);
        let measurement = only(&varying).measurement().unwrap();
        assert!(measurement.times.len() > 5 && measurement.times.iter().sum::<f64>() <= 1e6, "{measurement:?}");
        // Ten seconds are for the first run.
        let toy = Toy { plus: 0, times: vec![300] };
        let slow = measured(ONE, &options(&toy, Some(11), None), None);
        assert_eq!(*only(&slow), Outcome::Failed("5 runs take longer than 11 seconds".to_string()));
    }

    #[test]
    fn failures_are_said_and_the_rest_is_measured() {
        let toy = Toy { plus: 0, times: vec![20] };
        let block = "-- \"a\" input { 1i32 } output { 2i32 }\n-- \"b\" input { -1i32 }\n-- \"c\" input { 7i32 }\n\
            -- \"d\" no_toy input { 1i32 }\n-- \"e\" input { 1i32 } error: x\n";
        let measured = measured(block, &options(&toy, None, None), None);
        let said: Vec<_> =
            measured.results.iter().map(|(_, set, outcome)| (set, outcome.measurement().is_some())).collect();
        assert_eq!(said, [("a", false), ("b", false), ("c", true)]);
        assert!(measured.has_failed());
    }

    #[test]
    fn two_take_turns() {
        let (first, second) = (Toy { plus: 0, times: vec![20] }, Toy { plus: 0, times: vec![60] });
        let both = measured(ONE, &options(&first, None, None), Some(&second));
        let found = both.compared[0].difference.unwrap();
        assert!((found.ratio - 3.0).abs() < 1e-9 && found.probability == 1.0, "{found:?}");
        let times = both.rivals.iter().next().and_then(|(_, _, outcome)| outcome.measurement()).unwrap();
        assert_eq!(times.times, [60_000.0; 5]);
        let other = Toy { plus: 1, times: vec![20] };
        let block = "-- input { 1i32 }\n";
        let both = measured(block, &options(&first, None, None), Some(&other));
        assert!(
            matches!(only(&both), Outcome::Failed(message) if message.contains("other results")),
            "{:?}",
            both.results
        );
    }

    #[test]
    fn programs_that_do_not_compile_end_it() {
        let toy = Toy { plus: 0, times: vec![20] };
        let chosen = |name: &str| Chosen { path: PathBuf::from(name), cases: Vec::new() };
        let all = vec![chosen("a.fut"), chosen("wrong.fut"), chosen("b.fut")];
        let built = compile(all, &options(&toy, None, None), None, &Silent);
        assert!(matches!(built, Err(CompileError::Rejected(message)) if message == "no"));
        let built = compile(vec![chosen("a.fut"), chosen("b.fut")], &options(&toy, None, None), None, &Silent);
        let paths: Vec<_> = built.unwrap_or_default().into_iter().map(|ready| ready.chosen.path).collect();
        assert_eq!(paths, [Path::new("a.fut"), Path::new("b.fut")]);
    }
}
