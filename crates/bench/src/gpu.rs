//! Programs on a device against the peer's: those of bench/gpu, bench/c and bench/multicore.
//!
//! Nothing but the two compilers, a C compiler and a driver is needed, so that this binary can be carried to a machine
//! that has a device and nothing else.

mod groups;
mod limits;
mod prepare;

use crate::chart::Scale;
use crate::multicore::save;
use crate::panels::{Panel, Panels};
use crate::program::{DataSet, Program};
use crate::race::{Runner, turn_at_once};
use crate::section::{self, Section};
use crate::session::{Options, Session};
use crate::summary::{self, Goal, Row, Summary, capped_mean, median};
use crate::work::Work;
use crate::{process, program, results};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use groups::{GROUPS, Group};
use indicatif::ProgressBar;
use kenaz_ir::{Target, target};
use limits::{Limits, Stated};
use prepare::{Servers, Who, is_wanted};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

#[derive(Args)]
pub(crate) struct Gpu {
    #[command(flatten)]
    options: Options,
    /// The back end of both compilers
    #[arg(long, value_enum, default_value_t = Backend::Cuda)]
    backend: Backend,
    /// Only programs of these folders
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// One round on the first data set of each entry point, which is the smallest: whether all can be measured, not how
    /// fast it is
    #[arg(long)]
    quick: bool,
    /// Begin no data set after so many seconds, compiling included; the report says how many are missing
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// How many programs are compiled at a time; as many as there are processors if it is not given
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    #[command(flatten)]
    stated: Stated,
    /// The folder for RESULTS-GPU.md and, in its folder `results`, the times and charts. It is `bench` when everything
    /// is measured with CUDA; otherwise nothing is written if it is not given
    #[arg(long)]
    into: Option<PathBuf>,
    /// Only programs with one of these names
    programs: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Backend {
    Cuda,
    Opencl,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Part {
    Gpu,
    C,
    Multicore,
}

impl Backend {
    fn target(self) -> &'static Target {
        match self {
            Backend::Cuda => &target::CUDA,
            Backend::Opencl => &target::OPENCL,
        }
    }
}

impl Part {
    fn folder(self) -> &'static Path {
        Path::new(match self {
            Part::Gpu => "bench/gpu",
            Part::C => "bench/c",
            Part::Multicore => "bench/multicore",
        })
    }
}

const COLUMNS: [(&str, usize); 11] = [
    ("program", 22),
    ("data set", 30),
    ("ours ms", 10),
    ("peer ms", 10),
    ("ratio", 6),
    ("ours", 14),
    ("peer", 14),
    ("of limit", 8),
    ("peer", 8),
    ("ours MB", 8),
    ("peer MB", 8),
];

/// Of all data sets of a group.
const OVERVIEW: [(&str, usize); 7] =
    [("group", 40), ("data sets", 10), ("mean", 6), ("median", 6), ("least", 6), ("of limit", 8), ("memory", 8)];

/// The longest time that a run may take where time is short.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program to measure.
struct Chosen {
    group: &'static Group,
    /// The name of its folder.
    folder: String,
    program: Program,
}

/// What came out of a data set.
struct Measured {
    row: Row,
    work: Option<Work>,
    /// The part of what is possible, of ours and of the peer's.
    shares: [Option<f64>; 2],
}

/// Whether everything could be measured and all results agree; too little time for some data sets is no failure.
pub(crate) fn run(args: &Gpu) -> Result<bool> {
    let deadline = args.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut session = Session::new(args.backend.target(), &args.options, 1, args.quick)?;
    if deadline.is_some() || args.quick {
        session.patience = PATIENCE;
    }
    let programs = chosen(args)?;
    let jobs = args.jobs.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    println!("{} programs, {jobs} of them compiled at a time", programs.len());
    let start = Instant::now();
    let servers = prepare::all(&session, &programs, jobs, deadline)?;
    println!("compiled and tried in {:.0} s", start.elapsed().as_secs_f64());
    let mut problems = Vec::new();
    let limits = Limits::measure(&session, &args.stated, &mut problems)?;
    limits.facts().iter().for_each(|(name, value)| println!("{name}: {value}"));

    let wanted = |chosen: &Chosen| {
        let Chosen { program, .. } = chosen;
        program.sets.iter().filter(|set| is_wanted(&session, program, set)).count()
    };
    let bar = session.progress(programs.iter().map(wanted).sum());
    let mut sections: Vec<(&Group, Section, Vec<Measured>)> = Vec::new();
    let mut devices = None;
    let mut missing = 0;
    for (chosen, servers) in programs.iter().zip(&servers) {
        if sections.last().is_none_or(|(group, ..)| !std::ptr::eq(*group, chosen.group)) {
            let section = Section::new(chosen.group.name, chosen.group.title, String::new(), &COLUMNS, 2);
            bar.suspend(|| println!("{}", section.header()));
            sections.push((chosen.group, section, Vec::new()));
        }
        let Some((_, section, measured)) = sections.last_mut() else { continue };
        if let (Some(Ok(ours)), None) = (&servers[0], &devices) {
            devices = process::run(Command::new(ours).arg("--list-devices")).ok().map(|text| listed(&text));
        }
        missing += measure(&session, chosen, servers, &limits, deadline, section, measured, &bar)?;
    }
    for (_, section, measured) in &mut sections {
        problems.append(&mut section.problems.clone());
        section.chart = Some(chart(measured));
    }
    let mut overview = overview(&session, &sections, missing);
    let rows = || sections.iter().flat_map(|(_, _, measured)| measured);
    println!("{} data sets, {missing} missing, {} problems", rows().count(), problems.len());
    overview.problems = problems;
    overview.finish(&bar);
    let all = args.only.is_empty() && args.programs.is_empty() && !args.quick && args.backend == Backend::Cuda;
    let is_fine = overview.problems.is_empty();
    if let Some(folder) = args.into.clone().or(all.then(|| PathBuf::from("bench"))) {
        let head = "Programs on a device\n\nWritten by `kenaz-bench gpu`";
        let mut facts: Vec<(String, String)> = devices.map(|text| ("device".to_string(), text)).into_iter().collect();
        facts.extend(limits.facts());
        // Each problem stands with its group, or else in front.
        overview.problems.retain(|problem| sections.iter().all(|(_, section, _)| !section.problems.contains(problem)));
        let tables = sections.into_iter().map(|(_, section, _)| section).filter(|section| !section.rows.is_empty());
        let all: Vec<Section> = std::iter::once(overview).chain(tables).collect();
        save(&session, &all, &folder, "RESULTS-GPU.md", head, &facts)?;
    }
    Ok(is_fine)
}

/// The programs that are asked for, by groups.
fn chosen(args: &Gpu) -> Result<Vec<Chosen>> {
    let mut programs = Vec::new();
    for part in Part::value_variants().iter().filter(|part| args.only.is_empty() || args.only.contains(part)) {
        let folder = part.folder().file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A name may be one of several folders, and must be one of some.
        let all = program::list(part.folder(), &[])?.into_iter();
        for program in all.filter(|program| args.programs.is_empty() || args.programs.contains(&program.name)) {
            let group = GROUPS.iter().find(|group| group.has(*part, &program.name));
            let group = group.with_context(|| format!("{folder}/{} is in no group", program.name))?;
            programs.push(Chosen { group, folder: folder.clone(), program });
        }
    }
    let is_known = |name: &&String| programs.iter().any(|chosen| chosen.program.name == **name);
    if let Some(unknown) = args.programs.iter().find(|name| !is_known(name)) {
        anyhow::bail!("there is no program `{unknown}`");
    }
    let place = |chosen: &Chosen| GROUPS.iter().position(|group| std::ptr::eq(group, chosen.group));
    programs.sort_by_key(place);
    Ok(programs)
}

/// Adds a row for each data set of a program, and returns for how many there was no time. Only an interrupt ends the
/// work.
#[expect(clippy::too_many_arguments, reason = "they are what all data sets have in common, and where results go")]
fn measure(
    session: &Session,
    chosen: &Chosen,
    servers: &Servers,
    limits: &Limits,
    deadline: Option<Instant>,
    section: &mut Section,
    all: &mut Vec<Measured>,
    bar: &ProgressBar,
) -> Result<usize> {
    let Chosen { folder, program, .. } = chosen;
    let name = format!("{folder}/{}", program.name);
    for error in servers.iter().flatten().filter_map(|server| server.as_ref().err()) {
        bar.suspend(|| println!("{error}"));
        section.problems.push(error.clone());
    }
    let paths = [0, 1].map(|who| servers[who].as_ref().and_then(|server| server.as_deref().ok()));
    let mut missing = 0;
    for set in program.sets.iter().filter(|set| is_wanted(session, program, set)) {
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_late || servers[0].is_none() {
            missing += 1;
            continue;
        }
        let shown = program.name_of(set);
        bar.set_message(format!("{name} {shown}"));
        let raced = race(session, set, paths, Row::new(&name, &shown));
        let Some(row) = section.attempt(bar, &format!("{name} {shown}"), raced)? else { continue };
        let shares = [&row.ours, &row.peer].map(|times| limits.share(set.work?, summary::time(times)?));
        let measured = Measured { row, work: set.work, shares };
        section.row(bar, measured.cells());
        all.push(measured);
    }
    Ok(missing)
}

impl Measured {
    fn cells(&self) -> Vec<String> {
        let Measured { row, work, shares } = self;
        let cell = |text: Option<String>| text.unwrap_or("-".to_string());
        let ms = |times: &[f64]| cell(summary::time(times).map(|time| format!("{:.3}", time / 1e3)));
        let speed = |times: &[f64]| cell(work.and_then(|work| Some(work.speed(summary::time(times)?))));
        let share = |share: Option<f64>| cell(share.map(percent));
        let megabytes = |bytes: Option<u64>| cell(bytes.map(|bytes| format!("{:.1}", bytes as f64 / 1e6)));
        vec![
            row.program.clone(),
            row.set.clone(),
            ms(&row.ours),
            ms(&row.peer),
            cell(row.ratio().map(|ratio| format!("{ratio:.2}"))),
            speed(&row.ours),
            speed(&row.peer),
            share(shares[0]),
            share(shares[1]),
            megabytes(row.memory),
            megabytes(row.peer_memory),
        ]
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// What all groups come to, and how many data sets are missing.
fn overview(session: &Session, sections: &[(&Group, Section, Vec<Measured>)], missing: usize) -> Section {
    let mut text = format!(
        "The programs of `gpu`, and those of `c` and `multicore`, compiled by both compilers for a device (`{}`):\n\
         milliseconds of a call whose arguments are on the device and whose results stay there. A ratio is how many times\n\
         faster ours is; the mean is the geometric one, in which a ratio counts at most 4. Of programs that say how much\n\
         they have to move or to compute there are speeds, and which part of the limit that is: of the copy, or of the\n\
         arithmetic, whose speeds are above. Memory is what values and temporaries have on the device at most, the\n\
         arguments included; of groups there are medians of parts and of how much ours need for each byte of the peer's.",
        session.target.name
    );
    if missing > 0 {
        text.push_str(&format!("\n\n**{missing} data sets are missing**: there was no time for them."));
    }
    let mut overview = Section::new("gpu", "All programs", text, &OVERVIEW, 1);
    let all: Vec<&Measured> = sections.iter().flat_map(|(_, _, measured)| measured).collect();
    let mut labels = Vec::new();
    let mut bars = [Vec::new(), Vec::new()];
    let groups = sections.iter().map(|(group, _, measured)| (group.title, measured.iter().collect::<Vec<_>>()));
    for (title, measured) in groups.chain([("all", all.clone())]).filter(|(_, measured)| !measured.is_empty()) {
        let ratios: Vec<f64> = measured.iter().filter_map(|measured| measured.row.ratio()).collect();
        let memory: Vec<f64> = measured.iter().filter_map(|measured| measured.row.memory_ratio()).collect();
        let shares =
            [0, 1].map(|who| measured.iter().filter_map(|measured| measured.shares[who]).collect::<Vec<f64>>());
        let of = |numbers: &[f64], f: fn(&[f64]) -> f64| (!numbers.is_empty()).then(|| f(numbers));
        let cell = |number: Option<f64>| number.map_or("-".to_string(), |number| format!("{number:.2}"));
        overview.rows.push(vec![
            title.to_string(),
            measured.len().to_string(),
            cell(of(&ratios, capped_mean)),
            cell(of(&ratios, median)),
            cell(of(&ratios, summary::least)),
            of(&shares[0], median).map_or("-".to_string(), percent),
            cell(of(&memory, median)),
        ]);
        labels.push(title.to_string());
        bars[0].push(vec![of(&ratios, capped_mean)]);
        bars[1].push(shares.iter().map(|shares| of(shares, median)).collect());
    }
    let rows: Vec<Row> = all.iter().map(|measured| measured.row.clone()).collect();
    overview.lines = Summary::new(session.goals, &rows, None).lines;
    overview.times = section::times(&rows);
    let [ratios, shares] = bars;
    let goal = match session.goals.mean {
        Goal::AtLeast(goal) | Goal::AtMost(goal) => goal,
    };
    overview.chart = Some(panels(labels, ratios, "time of the peer / ours, mean", goal, shares));
    overview
}

/// A row for each data set.
fn chart(measured: &[Measured]) -> String {
    const LEAST: f64 = 0.9;
    let label = |row: &Row| {
        let name = row.program.split_once('/').map_or(row.program.as_str(), |(_, name)| name);
        format!("{name}: {}", row.set)
    };
    let labels = measured.iter().map(|measured| label(&measured.row)).collect();
    let ratios = measured.iter().map(|measured| vec![measured.row.ratio()]).collect();
    let shares = measured.iter().map(|measured| measured.shares.to_vec()).collect();
    panels(labels, ratios, "time of the peer / ours", LEAST, shares)
}

fn panels(
    labels: Vec<String>,
    ratios: Vec<Vec<Option<f64>>>,
    title: &'static str,
    goal: f64,
    shares: Vec<Vec<Option<f64>>>,
) -> String {
    let ratios =
        Panel { title, legend: &[], scale: Scale::Logarithmic { least: -1, most: 3 }, rows: ratios, goal: Some(goal) };
    let title = "part of what the device can do";
    let shares = Panel { title, legend: &["ours", "peer"], scale: Scale::Linear, rows: shares, goal: None };
    Panels { labels, panels: vec![ratios, shares] }.svg()
}

/// The names of devices, in one line.
fn listed(text: &str) -> String {
    let names = text.lines().map(str::trim).filter(|line| line.starts_with("Device")).map(|line| {
        let name = line.split_once(':').map_or(line, |(_, name)| name);
        name.trim().to_string()
    });
    names.collect::<Vec<_>>().join("; ")
}

/// Adds the times of both on a data set, in which they take turns, and their memory. Their results must agree.
fn race(session: &Session, set: &DataSet, servers: [Option<&Path>; 2], row: Row) -> Result<Row> {
    let input = session.file("input");
    set.write(&input)?;
    let mut running = Vec::new();
    let mut stored = Vec::new();
    for (who, executable) in Who::BOTH.into_iter().zip(servers) {
        let Some(executable) = executable else {
            running.push(None);
            continue;
        };
        let server = prepare::serve(session, who, executable, set, &input);
        let mut server = server.with_context(|| format!("the server of {}", who.name()))?;
        server.run().with_context(|| who.name())?;
        let result = session.file(&format!("{}.result", who.name()));
        server.store(&result).with_context(|| who.name())?;
        stored.push(result);
        running.push(Some(server));
    }
    if let [ours, peer] = &stored[..] {
        results::agree(ours, peer, &set.exactness).context("the result of peer")?;
    }
    // These may be large.
    stored.iter().try_for_each(std::fs::remove_file)?;
    let mut row = row;
    for _ in 0..session.rounds {
        for (server, times) in running.iter_mut().zip([&mut row.ours, &mut row.peer]) {
            if let Some(server) = server {
                times.push(turn_at_once(server, session.runs)?);
            }
            process::interrupted()?;
        }
    }
    for (server, memory) in running.iter_mut().zip([&mut row.memory, &mut row.peer_memory]) {
        *memory = server.as_mut().and_then(|server| server.peak_device_memory());
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_says_how_much_it_does() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/gpu");
        let mut programs = program::list(&folder, &[]).unwrap();
        let temporary = process::Folder::new().unwrap();
        let input = temporary.path().join("input");
        assert!(programs.len() >= 45, "only {} programs", programs.len());
        programs.extend(program::list(&folder.join("../limits"), &[]).unwrap());
        for program in &programs {
            assert!(program.sets.len() >= 2, "{} has less than two data sets", program.name);
            for set in &program.sets {
                assert!(set.work.is_some(), "{} {} says nothing", program.name, set.name);
                assert!(set.maker().is_some(), "{} {} is not made on the device", program.name, set.name);
                let written = set.write(&input);
                assert!(written.is_ok(), "{} {}: {written:?}", program.name, set.name);
            }
        }
    }

    #[test]
    fn devices_are_named_in_one_line() {
        let text = "Platform #0: Portable\n  Device #0: cpu-a: b\nPlatform #1: X\n  Device #1: GPU 3000\n";
        assert_eq!(listed(text), "cpu-a: b; GPU 3000");
    }
}
