//! The options about passes that several subcommands share.

use crate::output;
use clap::ValueEnum;
use kenaz_base::{Diagnostic, RealFileSystem};
use kenaz_driver::{Compilation, Compiler, Report, Selection, Settings};
use kenaz_ir::{Decision, Ownership, Prog, Target, target};
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

    /// Stop after this pass; `NAME.2` is its second run. Implies --optimise
    #[arg(long, value_name = "PASS")]
    pub after: Option<String>,

    /// Run these passes instead of the usual ones, separated by commas. Implies --optimise
    #[arg(long, value_name = "PASSES", value_delimiter = ',')]
    pub passes: Vec<String>,

    /// Stop after this many rewrites
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

    /// The stage of the IR that a program goes to; from the last one of them it goes to the imperative stage.
    pub fn of_ir(self) -> kenaz_ir::Stage {
        match self {
            Stage::Array => kenaz_ir::Stage::Array,
            Stage::Parallel => kenaz_ir::Stage::Parallel,
            Stage::Memory | Stage::Imp => kenaz_ir::Stage::Memory(Ownership::Settled),
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

    /// The compiler that these options describe, for the files of this machine.
    pub fn compiler(&self) -> Compiler<'static> {
        Compiler::new(&RealFileSystem, self.target).with(self.settings())
    }

    pub fn settings(&self) -> Settings {
        let usual = Settings::default();
        let PassArgs { optimise, passes, after, fuel, check_passes, .. } = self.clone();
        let selection = Selection { optimise, passes, after };
        Settings { selection, fuel, check_passes: check_passes || usual.check_passes, ..usual }
    }

    /// Says on standard error what the options want to know about the passes that have run.
    pub fn tell(&self, compilation: &Compilation) {
        if self.decisions {
            let _ = output::to_stderr(&decisions(&compilation.prog, &compilation.report));
        }
        if self.time_passes {
            let _ = output::to_stderr(&table(&compilation.report));
        }
    }

    /// What the user should know about a program.
    pub fn warnings(&self, compilation: &Compilation) -> Vec<Diagnostic> {
        if self.silent { compilation.diagnostics.clone() } else { compilation.warnings() }
    }
}

/// One line for each decision, sorted by place; `<` leads from a place to the one it was inlined into.
fn decisions(prog: &Prog, report: &Report) -> String {
    let line = |decision: &Decision| {
        let places: Vec<&str> = prog.locs.chain(decision.loc).iter().map(|place| place.as_str()).collect();
        format!("{}: {}, because {}\n", places.join(" < "), decision.kind, decision.reason)
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
