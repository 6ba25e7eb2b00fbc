//! The programs of bench/apps, sequential and on several cores, against the peer's.

use crate::multicore::{COLUMNS, PAGE, of_rows, save};
use crate::pace::Pace;
use crate::section::Section;
use crate::session::{Options, Session};
use crate::summary::Summary;
use crate::{goals, programs};
use anyhow::Result;
use clap::{Args, ValueEnum};
use kenaz_ir::{Target, target};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct Apps {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    pace: Pace,
    /// Only for this back end
    #[arg(long, value_enum)]
    backend: Option<Backend>,
    /// One round on one data set of each program: whether all can be measured, not how fast it is
    #[arg(long)]
    quick: bool,
    /// How many threads, of ours and the peer's
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// The folder for RESULTS.md and, in its folder `results`, the times and charts. It is `bench` when everything is
    /// measured; otherwise nothing is written if it is not given
    #[arg(long)]
    into: Option<PathBuf>,
    /// Only programs with one of these names
    programs: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Backend {
    C,
    Multicore,
}

impl Backend {
    fn target(self) -> &'static Target {
        match self {
            Backend::C => &target::C,
            Backend::Multicore => &target::MULTICORE,
        }
    }
}

/// Whether everything could be measured and all results agree.
pub(crate) fn run(args: &Apps) -> Result<bool> {
    let pace = args.pace.start();
    let mut sections = Vec::new();
    let mut last = None;
    for backend in Backend::value_variants().iter().filter(|it| args.backend.is_none_or(|wanted| wanted == **it)) {
        let target = backend.target();
        let threads = if target.is_parallel() { args.threads } else { 1 };
        let mut session = Session::new(target, &args.options, threads, args.quick)?;
        session.goals = &goals::WHOLE_PROGRAMS;
        session.pace = pace;
        session.also_on_one = target.is_parallel();
        sections.push(measure(&session, &args.programs)?);
        last = Some(session);
    }
    let all = args.backend.is_none() && args.programs.is_empty() && !args.quick;
    if let (Some(session), Some(folder)) = (last, args.into.clone().or(all.then(|| PathBuf::from("bench")))) {
        let text = "Whole programs\n\nWritten by `cargo xtask bench apps`";
        save(&session, &sections, &folder, PAGE, text, &[])?;
    }
    Ok(sections.iter().all(|section| section.problems.is_empty()))
}

fn measure(session: &Session, names: &[String]) -> Result<Section> {
    // The peer's `bench` would not know which of several entry points a data set is for.
    let rows = programs::measure_in(session, Path::new("bench/apps"), names, None)?;
    let summary = Summary::new(session.goals, &rows, None);
    println!("{summary}");
    let (name, title, how) = match session.target.is_parallel() {
        false => ("apps-c", "Whole programs in sequence", "in sequence".to_string()),
        true => ("apps-multicore", "Whole programs on several cores", format!("on {} threads", session.threads)),
    };
    let text = format!(
        "The programs of `apps`, compiled by both compilers, {how}: milliseconds, megabytes at most, and milliseconds from\n\
         text to C. A ratio is how many times faster ours is, or how much memory for each byte of the peer.",
    );
    Ok(of_rows(Section::new(name, title, text, &COLUMNS, 2), &target::MULTICORE, &rows, summary))
}
