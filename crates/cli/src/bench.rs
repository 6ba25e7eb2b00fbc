//! `kenaz bench`: how long do programs take on the data of their test blocks?

use crate::backend::{Backend, ThreadArgs};
use crate::executor::{Choice, Compiler};
use crate::program::mistake;
use crate::{Outcome, output};
use indicatif::{ProgressBar, ProgressStyle};
use kenaz_base::UnfinishedFile;
use kenaz_driver::native::CCompiler;
use kenaz_ir::{Target, target};
use kenaz_measure::bench::{self, Measured, Rival, Watch};
use kenaz_measure::compare::{Compared, Comparison};
use kenaz_measure::machine;
use kenaz_measure::report::Report;
use kenaz_measure::results::{Outcome as Measurement, Results};
use kenaz_measure::rule::Rule;
use kenaz_measure::table;
use kenaz_runtime::Tolerance;
use kenaz_testing::{CompileError, Executor, find_programs};
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure how long programs take
///
/// Each program is compiled and runs on the data of its test blocks; cases with the tag `nobench`, `disable` or
/// `no_BACKEND` are left out. The first run of a data set warms up, and its results must be those that the test block
/// expects. Then there are at least ten runs (`--runs`) and half a second of them; after that they go on until the 95 %
/// confidence interval of the mean ends within 1 % of it, or for `--convergence-max-seconds`. The interval is Student's
/// over the means of 20 batches of runs that follow one another, so that a slow change counts. Outliers, which are runs
/// more than three times as far outside the quartiles as these are apart, and 5 % of the median at least, do not count
/// for mean and interval, and are reported; if they are more than a tenth, they count. A data set is `unsteady` if its
/// interval did not become tight in time.
///
/// With `--against`, `--against-backend` or `--against-futhark` two programs take turns, and rounds of turns go on
/// until the interval of their ratio is tight. Intervals of ratios, and the probability that one is really faster, come
/// from 10,000 bootstrap samples, of rounds or, with `--compare`, of batches of runs. A difference counts as known from
/// 99 % on.
///
/// Options, data sets and JSON are those of `futhark bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Programs, and folders in which to look for programs
    #[arg(required_unless_present = "compare", value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// What runs the programs
    #[arg(long, value_parser = Backend::parser(), default_value = target::C.name)]
    backend: Backend,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Only this entry point
    #[arg(short, long, value_name = "NAME")]
    entry_point: Option<String>,

    /// Leave out cases with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    exclude_case: Vec<String>,

    /// Leave out programs whose path matches this regular expression; may be given several times
    #[arg(long, value_name = "REGEX", value_parser = regex::Regex::new)]
    ignore_files: Vec<regex::Regex>,

    /// How many runs there are at least
    #[arg(short, long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Do not wait for a tight confidence interval
    #[arg(long)]
    no_convergence_phase: bool,

    /// How long to wait for a tight confidence interval
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    convergence_max_seconds: u32,

    /// How many seconds all runs of a data set may take together; negative for any time
    #[arg(long, value_name = "SECONDS", default_value_t = -1, allow_negative_numbers = true)]
    timeout: i64,

    /// Start compiled programs with this option; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pass_option: Vec<String>,

    /// Compile programs with this option, such as `--safe`; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pass_compiler_option: Vec<String>,

    /// Compile with this command, which takes the arguments of `kenaz` or `futhark`, instead of this compiler
    #[arg(long, value_name = "COMMAND")]
    futhark: Option<PathBuf>,

    /// Do not compile: `a.fut` is there as the server `a`
    #[arg(long, conflicts_with = "futhark")]
    skip_compilation: bool,

    /// Take the test blocks of this file, which stand in no comment, instead of those of the programs
    #[arg(long, value_name = "FILE")]
    spec_file: Option<PathBuf>,

    /// The extension of tuning files: a program `a.fut` runs with the parameters in `a.fut.tuning`, if there is such a
    /// file
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    tuning: String,

    /// Do not look for tuning files
    #[arg(long)]
    no_tuning: bool,

    /// How many programs are compiled at a time; as many as there are processors if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,

    /// Write all times to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Say how the second of two such files differs from the first, instead of measuring
    #[arg(long, num_args = 2, value_names = ["FILE", "FILE"], conflicts_with_all = ["paths", "json", "against_json"])]
    compare: Option<Vec<PathBuf>>,

    /// Take turns with this program, another version of the one that is measured
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    against: Option<PathBuf>,

    /// Take turns with the same program on this back end
    #[arg(long, value_name = "BACKEND", value_parser = Backend::parser(), conflicts_with = "compare")]
    against_backend: Option<Backend>,

    /// Take turns with the same program compiled by this command
    #[arg(long, value_name = "COMMAND", conflicts_with = "compare")]
    against_futhark: Option<PathBuf>,

    /// Write the times of the other side to this file, as JSON
    #[arg(long, value_name = "FILE")]
    against_json: Option<PathBuf>,

    /// Draw everything as one page of HTML: ratios, times, how they grow with the data, the spread of the runs, and the
    /// bandwidth beside that of a copy
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// How far floats may be from what is expected, relative to the largest of an array
    #[arg(long, value_name = "NUMBER")]
    tolerance: Option<f64>,
}

pub fn run(args: &Args) -> Outcome {
    let outcome = match &args.compare {
        Some(files) => compare(args, files),
        None => measure(args),
    };
    outcome.unwrap_or_else(|outcome| outcome)
}

/// Two files of measurements.
fn compare(args: &Args, files: &[PathBuf]) -> Result<Outcome, Outcome> {
    let report = args.report.as_deref().map(begin).transpose()?;
    let results = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let [first, second] = &*results else { return Err(mistake("`--compare` takes two files")) };
    let comparison = Comparison::of(first, second);
    if comparison.rows.is_empty() {
        return Err(mistake("there is nothing to compare: no data set was measured in both files"));
    }
    let names = different([stem(&files[0]), stem(&files[1])]);
    output::to_stdout(&table::of_comparison(&comparison, [&names[0], &names[1]]))?;
    if let Some((path, file)) = report {
        let page = Report {
            title: format!("{} and {}", names[0], names[1]),
            facts: Vec::new(),
            sides: names.into_iter().zip([first, second]).collect(),
            comparison: Some(&comparison),
            copy_rate: None,
        };
        write(path, file, &page.page())?;
    }
    Ok(Outcome::Right)
}

fn read(file: &Path) -> Result<Results, Outcome> {
    let said = |error: &dyn std::fmt::Display| mistake(&format!("`{}`: {error}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| said(&error))?;
    Results::parse(&text).map_err(|error| said(&error))
}

fn measure(args: &Args) -> Result<Outcome, Outcome> {
    let mut programs = Vec::new();
    for path in &args.paths {
        let found =
            find_programs(path).map_err(|error| mistake(&format!("`{}` cannot be read: {error}", path.display())))?;
        programs.extend(found);
    }
    programs.retain(|path| !args.ignore_files.iter().any(|regex| regex.is_match(&path.to_string_lossy())));
    let backends = [Some(args.backend), args.against_backend];
    let has_threads = backends.into_iter().flatten().map(|backend| args.threads.must_suit(target_of(backend)));
    has_threads.reduce(|one, other| one.or(other)).unwrap_or(Ok(())).map_err(|message| mistake(&message))?;
    let compiler = if args.skip_compilation { Compiler::None } else { Compiler::of(args.futhark.as_ref()) };
    let executor = executor(args, args.backend, compiler)?;
    let concurrency = args.concurrency.map(usize::from);
    let tolerance = args.tolerance.map(|t| Tolerance { f16: t, f32: t, f64: t, absolute: t, to_array: true });
    let options = bench::Options {
        executor: &*executor,
        rule: Rule {
            runs: args.runs as usize,
            least: Duration::from_millis(500),
            convergence: (!args.no_convergence_phase).then(|| Duration::from_secs(args.convergence_max_seconds.into())),
        },
        limit: u64::try_from(args.timeout).ok().map(Duration::from_secs),
        entry: args.entry_point.clone(),
        exclude: args.exclude_case.clone(),
        blocks: args.spec_file.clone(),
        tolerance: tolerance.unwrap_or(Tolerance::SUITE),
        concurrency: concurrency.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
    };
    let other = other_side(args)?;
    let chosen = bench::choose(&programs, &options, other.as_deref()).map_err(|message| mistake(&message))?;
    if chosen.is_empty() {
        return Err(mistake("there is nothing to measure: no test block has an `input` that is not left out"));
    }
    if args.against.is_some() && chosen.len() > 1 {
        return Err(mistake("`--against` is for one program"));
    }
    let files = Files::open(args)?;
    let rival = other.as_deref().map(|executor| Rival { executor, program: args.against.clone() });
    let sets = chosen.iter().map(|chosen| chosen.cases.len()).sum();
    let mut teller = Teller::new(sets, rival.is_some().then(|| names(args)));
    let ready = bench::compile(chosen, &options, rival.as_ref(), &Compiling(&teller.bar)).map_err(not_compiled)?;
    // Before the programs, which might leave less memory for it.
    let copy_rate = files.report.is_some().then(|| {
        teller.bar.set_message("copying an array");
        machine::copy_rate(&*executor)
    });
    let measured = bench::measure(&ready, &options, &mut teller);
    let comparison = teller.end()?;
    if let Some(Err(message)) = &copy_rate {
        let message = message.lines().next().unwrap_or_default();
        let _ = output::to_stderr(&format!("note: how fast memory is copied is not known: {message}\n"));
    }
    let all = [&measured.results, &measured.rivals];
    let sides: Vec<_> = match rival {
        Some(_) => names(args).into_iter().zip(all).collect(),
        None => vec![(String::new(), all[0])],
    };
    let page = Report {
        title: title(&programs_of(&measured.results)),
        facts: facts(args),
        comparison: (sides.len() > 1).then_some(&comparison),
        sides,
        copy_rate: copy_rate.and_then(Result::ok),
    };
    files.finish(&measured, &page)?;
    Ok(if measured.has_failed() { Outcome::Failure } else { Outcome::Right })
}

fn executor(args: &Args, backend: Backend, compiler: Compiler<'_>) -> Result<Box<dyn Executor>, Outcome> {
    Choice {
        compiler,
        threads: args.threads,
        limit: u64::try_from(args.timeout).map_or(Duration::from_secs(u32::MAX.into()), Duration::from_secs),
        options: &args.pass_option,
        compiler_options: &args.pass_compiler_option,
        tuning: (!args.no_tuning).then_some(&args.tuning),
        entry_points: &[],
    }
    .executor(backend)
}

/// What takes turns with the programs, if anything does.
fn other_side(args: &Args) -> Result<Option<Box<dyn Executor>>, Outcome> {
    let is_wanted = args.against.is_some() || args.against_backend.is_some() || args.against_futhark.is_some();
    if !is_wanted {
        return match args.against_json {
            Some(_) => Err(mistake("`--against-json` is for `--against`, `--against-backend` or `--against-futhark`")),
            None => Ok(None),
        };
    }
    let backend = args.against_backend.unwrap_or(args.backend);
    // It is compiled as the programs are, unless it is about compilers.
    let command = match (&args.against_futhark, args.against_backend) {
        (None, None) => args.futhark.as_ref(),
        (command, _) => command.as_ref(),
    };
    executor(args, backend, Compiler::of(command)).map(Some)
}

/// What to call both sides.
fn names(args: &Args) -> [String; 2] {
    let command = |command: &Option<PathBuf>| command.as_deref().map_or_else(|| "kenaz".to_string(), stem);
    let names = if let Some(other) = &args.against {
        [args.paths.first().map_or(String::new(), |path| stem(path)), stem(other)]
    } else if args.against_futhark.is_some() {
        [command(&args.futhark), command(&args.against_futhark)]
    } else {
        [args.backend, args.against_backend.unwrap_or(args.backend)].map(|backend| backend.name().to_string())
    };
    different(names)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Names that tell both sides apart.
fn different(names: [String; 2]) -> [String; 2] {
    if names[0] == names[1] { ["first", "second"].map(str::to_string) } else { names }
}

fn not_compiled(error: CompileError) -> Outcome {
    let (CompileError::Rejected(text) | CompileError::Failed(text)) = &error;
    let _ = output::to_stderr(&format!("{}\n", text.trim_end()));
    if let CompileError::Rejected(_) = error { Outcome::Mistake } else { Outcome::Fault }
}

/// The programs that were measured.
fn programs_of(results: &Results) -> Vec<&str> {
    let programs = results.benchmarks.0.iter().map(|(name, _)| name.rsplit_once(':').map_or(&**name, |(file, _)| file));
    let mut programs: Vec<&str> = programs.collect();
    programs.dedup();
    programs
}

fn title(programs: &[&str]) -> String {
    match programs {
        [one] => (*one).to_string(),
        [one, other] => format!("{one} and {other}"),
        [one, .., last] => format!("{one} … {last}"),
        [] => "Measurements".to_string(),
    }
}

/// What it was measured with.
fn facts(args: &Args) -> Vec<(String, String)> {
    let mut facts = vec![("measured", machine::now()), ("processor", machine::processor())];
    facts.extend([("memory", machine::memory()), ("back end", args.backend.name().to_string())]);
    let command = |command: &Path| format!("{}, another command", command.display());
    let own = || format!("kenaz {}", env!("CARGO_PKG_VERSION"));
    facts.push(("compiler", args.futhark.as_deref().map_or_else(own, command)));
    if let Some(other) = args.against_backend {
        facts.push(("the other back end", other.name().to_string()));
    }
    facts.extend(args.against_futhark.as_deref().map(|other| ("the other compiler", command(other))));
    facts.extend(args.against.as_deref().map(|other| ("the other program", other.display().to_string())));
    if let Some(compiler) = target_of(args.backend).and_then(|target| CCompiler::from_env(target).ok()) {
        facts.push(("C compiler", compiler.shown()));
    }
    if let Some(threads) = args.threads.num_threads {
        facts.push(("threads", threads.to_string()));
    }
    facts.into_iter().map(|(name, fact)| (name.to_string(), fact)).collect()
}

fn target_of(backend: Backend) -> Option<&'static Target> {
    if let Backend::Compiled(target) = backend { Some(target) } else { None }
}

/// The files that are written in the end, of which it is known at the beginning that they can be.
struct Files<'a> {
    json: Option<(&'a Path, UnfinishedFile)>,
    against_json: Option<(&'a Path, UnfinishedFile)>,
    report: Option<(&'a Path, UnfinishedFile)>,
}

impl Files<'_> {
    fn open(args: &Args) -> Result<Files<'_>, Outcome> {
        let json = args.json.as_deref().map(begin).transpose()?;
        let against_json = args.against_json.as_deref().map(begin).transpose()?;
        Ok(Files { json, against_json, report: args.report.as_deref().map(begin).transpose()? })
    }

    fn finish(self, measured: &Measured, page: &Report<'_>) -> Result<(), Outcome> {
        let texts = [(self.json, &measured.results), (self.against_json, &measured.rivals)];
        for (file, results) in texts {
            if let Some((path, file)) = file {
                write(path, file, &results.to_json())?;
            }
        }
        if let Some((path, file)) = self.report {
            write(path, file, &page.page())?;
        }
        Ok(())
    }
}

fn begin(path: &Path) -> Result<(&Path, UnfinishedFile), Outcome> {
    let file = UnfinishedFile::beside(path);
    match fs::write(file.path(), "") {
        Ok(()) if path.is_dir() => Err(mistake(&format!("`{}` cannot be written: it is a folder", path.display()))),
        Ok(()) => Ok((path, file)),
        Err(error) => Err(mistake(&format!("`{}` cannot be written: {error}", path.display()))),
    }
}

fn write(path: &Path, file: UnfinishedFile, text: &str) -> Result<(), Outcome> {
    let written = fs::write(file.path(), text).and_then(|()| file.finish(path));
    written.map_err(|error| mistake(&format!("`{}` cannot be written: {error}", path.display())))
}

/// Says how far the compiler is.
struct Compiling<'a>(&'a ProgressBar);

impl Watch for Compiling<'_> {
    fn compiled(&self, done: usize, of: usize) {
        self.0.set_message(format!("{done} of {of} programs compiled"));
        self.0.tick();
    }
}

/// Says how far the measurement is, and prints an entry point when all of it was measured.
struct Teller {
    bar: ProgressBar,
    /// How many data sets there are, and how many of them were begun.
    sets: usize,
    begun: usize,
    /// Of both sides, if there are two.
    names: Option<[String; 2]>,
    benchmark: String,
    dataset: String,
    outcomes: Vec<(String, Measurement)>,
    compared: Vec<Compared>,
    /// All of them.
    all: Comparison,
    /// How printing went.
    printed: Result<(), Outcome>,
}

impl Teller {
    fn new(sets: usize, names: Option<[String; 2]>) -> Teller {
        let bar = if io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message("compiling");
        bar.enable_steady_tick(Duration::from_millis(100));
        Teller {
            bar,
            sets,
            begun: 0,
            names,
            benchmark: String::new(),
            dataset: String::new(),
            outcomes: Vec::new(),
            compared: Vec::new(),
            all: Comparison::default(),
            printed: Ok(()),
        }
    }

    fn say(&self, what: &str) {
        let Teller { begun, sets, benchmark, dataset, .. } = self;
        self.bar.set_message(format!("{begun} of {sets}: {benchmark}, {dataset}: {what}"));
    }

    fn print(&mut self, text: &str) {
        let printed = self.bar.suspend(|| output::to_stdout(text));
        self.printed = self.printed.and(printed);
    }

    /// All of an entry point.
    fn flush(&mut self) {
        let (outcomes, rows) = (std::mem::take(&mut self.outcomes), std::mem::take(&mut self.compared));
        if outcomes.is_empty() {
            return;
        }
        let Some([first, second]) = self.names.clone() else {
            let named = outcomes.iter().map(|(name, outcome)| (name.as_str(), outcome));
            self.print(&format!("{}\n{}\n", self.benchmark, table::of_benchmark(named)));
            return;
        };
        let failed = outcomes.iter().filter(|(_, outcome)| outcome.measurement().is_none());
        let failed = failed.map(|(name, outcome)| (name.as_str(), outcome));
        let text = table::of_sides(&self.benchmark, &rows, failed, [&first, &second]);
        self.print(&text);
        self.all.rows.extend(rows);
    }

    /// All that was compared.
    fn end(mut self) -> Result<Comparison, Outcome> {
        self.flush();
        if let Some([first, second]) = self.names.clone()
            && let Some(line) = table::sum(&self.all, [&first, &second])
        {
            self.print(&line);
        }
        self.bar.finish_and_clear();
        self.printed.map(|()| self.all)
    }
}

impl Watch for Teller {
    fn begins(&mut self, benchmark: &str, dataset: &str) {
        if self.benchmark != benchmark {
            self.flush();
            self.benchmark = benchmark.to_string();
        }
        self.dataset = dataset.to_string();
        self.begun += 1;
        self.say("reading the data, and the first run");
    }

    fn ran(&mut self, runs: usize, elapsed: Duration) {
        if self.bar.is_hidden() {
            return;
        }
        let what = if self.names.is_some() { "rounds" } else { "runs" };
        let seconds = elapsed.as_secs_f64();
        self.say(&format!("{runs} {what}, {seconds:.1} s"));
    }

    fn ended(&mut self, _: &str, dataset: &str, outcome: &Measurement, compared: Option<&Compared>) {
        self.outcomes.push((dataset.to_string(), outcome.clone()));
        self.compared.extend(compared.cloned());
    }
}
