//! The options about passes that several subcommands share.

use crate::{Outcome, output};
use clap::ValueEnum;
use kenaz_base::{Code, Diagnostic, SourceMap};
use kenaz_driver::warn::{Failing, always_failing};
use kenaz_driver::{Options, Pipeline, Report, pipelines};
use kenaz_interp::heap;
use kenaz_ir::{CheckError, Decision, Log, Prog, Target, target};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Which passes run, and how.
#[derive(clap::Args, Clone, Debug)]
pub struct PassArgs {
    /// The stage to go to; all but the first imply --optimise
    #[arg(long, value_enum, default_value_t = Stage::Array)]
    pub stage: Stage,

    /// Optimise the program
    #[arg(long)]
    pub optimise: bool,

    /// Stop behind this pass; `NAME.2` is its second run. Implies --optimise
    #[arg(long, value_name = "PASS")]
    pub after: Option<String>,

    /// Run these passes instead of the usual ones, separated by commas. Implies --optimise
    #[arg(long, value_name = "PASSES", value_delimiter = ',')]
    pub passes: Vec<String>,

    /// Stop after so many rewrites
    #[arg(long, value_name = "N")]
    pub fuel: Option<u64>,

    /// Ask the checker after every pass
    #[arg(long)]
    pub check_passes: bool,

    /// Say on standard error how long each pass took, how often each rule was used, and how much memory it took
    #[arg(long)]
    pub time_passes: bool,

    /// Say on standard error what the passes decided against, where and why
    #[arg(long)]
    pub decisions: bool,

    /// Say nothing about what the passes have found.
    #[arg(skip)]
    pub silent: bool,

    /// What the program is for, from the parallel stage on.
    #[arg(skip = &target::C)]
    pub target: &'static Target,
}

/// What the compiler makes of a program on its way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, ValueEnum)]
pub enum Stage {
    /// First-order, with explicit sizes and checks
    #[default]
    Array,
    /// What runs where: loops and operators over index spaces
    Parallel,
    /// Where arrays are: blocks of memory and layouts
    Memory,
    /// Loops, loads and stores; only for `kenaz ir`
    Imp,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Array => "array",
            Stage::Parallel => "parallel",
            Stage::Memory => "memory",
            Stage::Imp => "imperative",
        }
    }
}

impl Default for PassArgs {
    fn default() -> PassArgs {
        PassArgs {
            stage: Stage::Array,
            optimise: false,
            after: None,
            passes: Vec::new(),
            fuel: None,
            check_passes: false,
            time_passes: false,
            decisions: false,
            silent: false,
            target: &target::C,
        }
    }
}

impl PassArgs {
    /// Whether something other than the usual passes up to the last stage is asked for.
    pub fn is_partial(&self) -> bool {
        self.stage > Stage::Array || self.after.is_some() || !self.passes.is_empty() || self.fuel.is_some()
    }

    /// These options for a program that is to be compiled. What the optimiser finds is said only if it was asked for.
    pub fn to_memory(&self, target: &'static Target) -> PassArgs {
        PassArgs { stage: Stage::Memory, target, silent: !self.optimise, ..self.clone() }
    }

    /// What is wrong with these options for commands that run IR, which the last stage is not.
    pub fn must_be_ir(&self) -> Result<(), String> {
        if self.stage == Stage::Imp { Err("the stage `imp` cannot be interpreted".to_string()) } else { Ok(()) }
    }

    /// The passes to run; or what is wrong with the options.
    pub fn pipeline(&self) -> Result<Pipeline, String> {
        let mut passes = Vec::new();
        if self.passes.is_empty() {
            if self.optimise || self.after.is_some() || self.stage > Stage::Array {
                passes.extend(kenaz_driver::passes(pipelines::OPTIMISE));
            }
            if self.stage >= Stage::Parallel {
                passes.extend(kenaz_driver::passes(pipelines::schedule(self.target)));
            }
            if self.stage >= Stage::Memory {
                passes.extend(kenaz_driver::passes(pipelines::PLACE));
                passes.extend(kenaz_driver::passes(pipelines::PLAN));
            }
        }
        for name in &self.passes {
            passes.push(kenaz_driver::pass(name).ok_or_else(|| no_pass(name))?);
        }
        if let Some(after) = &self.after {
            let (name, number) = match after.split_once('.') {
                Some((name, number)) => (name, number.parse().map_err(|_| format!("`{number}` is not a number"))?),
                None => (after.as_str(), 1),
            };
            let mut places = passes.iter().enumerate().filter(|(_, pass)| pass.name == name).map(|(i, _)| i);
            let Some(place) = usize::checked_sub(number, 1).and_then(|n| places.nth(n)) else {
                return Err(if kenaz_driver::pass(name).is_none() {
                    no_pass(name)
                } else {
                    format!("`{name}` does not run {number} times")
                });
            };
            passes.truncate(place + 1);
        }
        Ok(Pipeline { target: self.target, passes })
    }

    /// How a program is run by heap after the passes. The iterations of parallel loops are mixed, so that it shows when
    /// their order matters.
    pub fn heap_options(&self) -> heap::Options {
        let leaks = self.pipeline().is_ok_and(|pipeline| pipeline.settles_owners());
        heap::Options { workers: 3, leaks, ..heap::Options::default() }
    }

    /// Whether a program keeps the promises of the stage that the passes lead to.
    pub fn check(&self, prog: &Prog) -> Result<(), CheckError> {
        kenaz_ir::check::stage(prog, self.pipeline().map_or_else(|_| Default::default(), |pipeline| pipeline.stage()))
    }

    /// Runs the passes on a program; gives what they have found that the user should know.
    pub fn apply(&self, prog: &mut Prog, sources: &SourceMap) -> Result<Vec<Diagnostic>, Outcome> {
        let pipeline = self.pipeline().map_err(|message| {
            let _ = output::to_stderr(&format!("error: {message}\n"));
            Outcome::Mistake
        })?;
        let options = Options { fuel: self.fuel, check: self.check_passes || cfg!(debug_assertions) };
        match kenaz_driver::run(prog, &pipeline, options, |_, _| {}) {
            Ok(report) => {
                if self.decisions {
                    let _ = output::to_stderr(&decisions(prog, &report));
                }
                if self.time_passes {
                    let _ = output::to_stderr(&table(&report));
                }
                Ok(if pipeline.passes.is_empty() || self.silent {
                    Vec::new()
                } else {
                    warnings(prog, &report.log, sources)
                })
            }
            Err(broken) => {
                let _ = output::to_stderr(&format!("error: {broken}\n"));
                Err(Outcome::Fault)
            }
        }
    }
}

/// What to tell the user about a program after the passes that wrote this log.
pub fn warnings(prog: &Prog, log: &Log, sources: &SourceMap) -> Vec<Diagnostic> {
    let warning = |failing: &Failing| {
        // A hole says what it is.
        let place = prog.locs.chain(failing.loc).first().and_then(|place| sources.find(place.as_str()))?;
        let warning = Diagnostic::warning(Code::CheckAlwaysFails, place, "a check that is made here never passes");
        Some(warning.label(failing.message.trim_end_matches('.')))
    };
    let failing = always_failing(prog);
    let failing = failing.iter().filter(|failing| !failing.message.starts_with("Reached hole")).filter_map(warning);
    failing.chain(refused_attributes(prog, log, sources)).collect()
}

/// The attributes that were not obeyed, each once, however often what it stands on was inlined.
fn refused_attributes(prog: &Prog, log: &Log, sources: &SourceMap) -> Vec<Diagnostic> {
    let refused = log.decisions().iter().filter(|decision| decision.what == kenaz_ir::ATTRIBUTE_REFUSED);
    let told: BTreeSet<(&str, &str)> = refused
        .filter_map(|decision| Some((prog.locs.chain(decision.loc).first()?.as_str(), decision.reason.as_str())))
        .collect();
    let warning = |(place, reason): (&str, &str)| {
        let place = sources.find(place)?;
        let warning = Diagnostic::warning(Code::AttributeRefused, place, "an attribute that stands here is not obeyed");
        Some(warning.label(reason))
    };
    told.into_iter().filter_map(warning).collect()
}

fn no_pass(name: &str) -> String {
    let names = kenaz_driver::all_passes().map(|pass| pass.name);
    match kenaz_base::similar(name, names.clone()).first() {
        Some(other) => format!("there is no pass `{name}`; did you mean `{other}`?"),
        None => format!("there is no pass `{name}`; there are: {}", names.collect::<Vec<&str>>().join(", ")),
    }
}

/// One line for each decision, sorted by place; `<` leads from a place to the one it was inlined into.
fn decisions(prog: &Prog, report: &Report) -> String {
    let line = |decision: &Decision| {
        let places: Vec<&str> = prog.locs.chain(decision.loc).iter().map(|place| place.as_str()).collect();
        format!("{}: {}, because {}\n", places.join(" < "), decision.what, decision.reason)
    };
    let mut lines: Vec<String> = report.log.decisions().iter().map(line).collect();
    lines.sort();
    lines.dedup();
    lines.concat()
}

/// The most memory that this process has had, in kilobytes, where the system tells.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
}

fn table(report: &Report) -> String {
    let mut text = String::new();
    for (name, time) in &report.times {
        let _ = writeln!(text, "{name:<12} {:>9.3} ms", time.as_secs_f64() * 1e3);
    }
    for (rule, count) in report.log.counts() {
        let _ = writeln!(text, "{rule:<28} {count:>6}");
    }
    if let Some(memory) = most_memory() {
        let _ = writeln!(text, "memory {memory} kB");
    }
    text
}
