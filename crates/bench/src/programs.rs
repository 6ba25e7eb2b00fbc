//! Programs of a folder against the peer's, and for sequential C against C++.

use crate::program::{DataSet, Program};
use crate::race::{self, Runner};
use crate::session::Session;
use crate::summary::{Row, Summary};
use crate::{cpp, pace, process, program, results, versus};
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A row for every data set of the programs with the given names, or of all, and what they come to. Prints both.
pub(crate) fn measure(session: &Session, names: &[String]) -> Result<(Vec<Row>, Summary)> {
    let rows = measure_in(session, Path::new("bench/c"), names, script(session))?;
    let smallest = if session.goals.sequential.is_some() { lines_of_smallest(session)? } else { None };
    let summary = Summary::new(session.goals, &rows, smallest);
    print!("{summary}");
    Ok((rows, summary))
}

/// The rows of the programs of a folder, which are timed by a script, or by this program itself.
pub(crate) fn measure_in(
    session: &Session,
    folder: &Path,
    names: &[String],
    script: Option<&Path>,
) -> Result<Vec<Row>> {
    let mut programs = program::list(folder, names)?;
    if session.quick {
        programs.iter_mut().for_each(|program| program.sets.truncate(1));
    }
    let several = session.pace.jobs > 1;
    let script = script.filter(|_| !several);
    let mut known: Vec<Ahead> = vec![Ahead::default(); programs.len()];
    let cores = if several { pace::cores(session.pace.jobs)? } else { Vec::new() };
    if several {
        compile_ahead(session, &programs)?;
        if session.target.is_parallel() {
            known = pace::in_parallel(&programs, cores.len(), &cores, |program| Ahead::measure(session, program))?;
        }
    }
    let bar = session.progress(programs.iter().map(|program| program.sets.len()).sum());
    bar.suspend(|| println!("{}", Row::header(session.target)));
    let work = |(at, sets): &(usize, Range<usize>)| {
        let rows = measure_program(session, &programs[*at], sets.clone(), &known[*at], script, &bar)?;
        bar.suspend(|| rows.iter().for_each(|row| println!("{}", row.line(session.target))));
        Ok(rows)
    };
    // Programs for several cores have all of them for themselves.
    let jobs = if session.target.is_parallel() { 1 } else { session.pace.jobs.min(cores.len()) };
    let cores = if jobs > 1 { cores } else { Vec::new() };
    // Beside each other, data sets of one program need not wait for each other.
    let pieces = |(at, program): (usize, &Program)| {
        let count = program.sets.len();
        let step = if jobs > 1 { 1 } else { count.max(1) };
        (0..count).step_by(step).map(|start| (at, start..start + step)).collect::<Vec<_>>()
    };
    let items: Vec<_> = programs.iter().enumerate().flat_map(pieces).collect();
    let rows = pace::in_parallel(&items, jobs, &cores, work)?.concat();
    bar.finish_and_clear();
    Ok(rows)
}

/// Compiles programs with both compilers, as many at a time as there are processors. What goes wrong does so again
/// when they are measured.
fn compile_ahead(session: &Session, programs: &[Program]) -> Result<()> {
    let compilers = [Some((&session.ours, "ours")), session.peer.as_ref().map(|peer| (peer, "peer"))];
    let pairs: Vec<_> = programs.iter().flat_map(|it| compilers.iter().flatten().map(move |who| (it, *who))).collect();
    let bar = session.progress_of(pairs.len(), "programs compiled");
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    pace::in_parallel(&pairs, processors, &[], |(program, (compiler, who))| {
        if !session.pace.is_late() {
            let _ = session.compile(compiler, who, program);
        }
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(())
}

/// How long each compiler takes from the text of a program to its C; the peer may be missing.
#[derive(Clone)]
struct ToC {
    ours: Result<Duration, String>,
    peer: Option<Duration>,
}

impl ToC {
    fn measure(session: &Session, program: &Program) -> ToC {
        let ours = session.text_to_c(&session.ours, program, 5).map_err(|error| format!("{error:#}"));
        let peer = session.peer.as_ref().and_then(|peer| session.text_to_c(peer, program, 3).ok());
        ToC { ours, peer }
    }
}

/// The script that has both compilers take turns, if its programs run on as many threads as they should: it cannot tell
/// the peer's, which take as many as there are processors.
pub(crate) fn script(session: &Session) -> Option<&Path> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let fits = !session.target.is_parallel() || processors == session.threads as usize;
    session.script.as_deref().filter(|_| fits && !session.quick)
}

/// What is measured of a program for several cores on one core, before it has all of them for itself.
#[derive(Clone, Default)]
struct Ahead {
    to_c: Option<ToC>,
    /// The times of ours on one thread, for each data set.
    on_one: Vec<Vec<f64>>,
}

impl Ahead {
    fn measure(session: &Session, program: &Program) -> Result<Ahead> {
        let mut known = Ahead { to_c: Some(ToC::measure(session, program)), on_one: Vec::new() };
        let ours = session.compile(&session.ours, "ours", program).ok().filter(|_| session.also_on_one);
        let input = session.folder_of(program)?.join("input");
        for set in program.sets.iter().filter(|_| !session.pace.is_late()) {
            let Some(executable) = &ours else { break };
            set.write(&input)?;
            // A set that fails does so again when all cores run it.
            let timed = session.serve(executable, 1, set, &input).and_then(|mut server| {
                (0..session.rounds).map(|_| race::turn_of_compiled(&mut server, session.runs)).collect()
            });
            known.on_one.push(timed.unwrap_or_default());
        }
        // Data of some are large.
        fs::remove_dir_all(session.folder_of(program)?)?;
        Ok(known)
    }
}

/// A row for each of some data sets of a program. What goes wrong is in the rows; only an interrupt ends the work.
fn measure_program(
    session: &Session,
    program: &Program,
    sets: Range<usize>,
    known: &Ahead,
    script: Option<&Path>,
    bar: &ProgressBar,
) -> Result<Vec<Row>> {
    let (is_first, start) = (sets.start == 0, sets.start);
    let on_one = known.on_one.get(sets.clone()).unwrap_or_default();
    let sets = &program.sets[sets];
    let mut rows: Vec<Row> = sets.iter().map(|set| Row::new(&program.name, &program.name_of(set))).collect();
    if session.pace.is_late() {
        rows.iter_mut().for_each(|row| row.problems.push(LATE.to_string()));
        bar.inc(rows.len() as u64);
        return Ok(rows);
    }
    let folder = session.file(&format!("of-{}-{start}", program.name));
    fs::create_dir_all(&folder)?;
    let ours = session.compile(&session.ours, "ours", program);
    let peer = session.peer.as_ref().map(|peer| session.compile(peer, "peer", program));
    let native = program.cpp.as_ref().filter(|_| !session.target.is_parallel());
    let native = native.map(|source| cpp::compile(source, &folder.join("cpp")));
    process::interrupted()?;
    let mut failures = Vec::new();
    let compiled = ours.map_err(|error| failures.push(format!("ours: {error:#}"))).ok();
    let peer = peer.and_then(|it| it.map_err(|error| failures.push(format!("peer: {error:#}"))).ok());
    let native = native.and_then(|it| it.map_err(|error| failures.push(format!("C++: {error:#}"))).ok());
    if let Some(row) = rows.first_mut() {
        row.problems = failures;
    }
    let timed = match (script, &session.peer) {
        (Some(script), Some(futhark)) if compiled.is_some() && peer.is_some() => {
            let times = versus::time(session, script, futhark, program);
            process::interrupted()?;
            Some(times)
        }
        _ => None,
    };
    for (row, on_one) in rows.iter_mut().zip(on_one) {
        row.on_one = on_one.clone();
    }
    for (set, row) in sets.iter().zip(&mut rows) {
        bar.set_message(format!("{} {}", program.name, set.name));
        bar.inc(1);
        if session.pace.is_late() {
            row.problems.push(LATE.to_string());
            continue;
        }
        let servers = [compiled.as_deref(), peer.as_deref()];
        let done = measure_set(session, &folder, set, row, servers, native.as_deref(), timed.is_none());
        process::interrupted()?;
        if let Err(error) = done {
            row.problems.push(format!("{error:#}"));
        }
        match &timed {
            Some(Ok(times)) => match times.get(&set.name) {
                Some(times) => (row.ours, row.peer) = times.clone(),
                None => row.problems.push("versus has no times of both".to_string()),
            },
            Some(Err(error)) => row.problems.push(format!("{error:#}")),
            None => {}
        }
    }
    if let Some(row) = rows.first_mut().filter(|_| is_first) {
        let measured = known.to_c.clone().unwrap_or_else(|| ToC::measure(session, program));
        match measured.ours {
            Ok(time) => row.to_c = Some(time),
            Err(error) => row.problems.push(error),
        }
        row.peer_to_c = measured.peer;
        process::interrupted()?;
    }
    // Data of some are large.
    fs::remove_dir_all(&folder)?;
    Ok(rows)
}

/// The problem of data sets for which there was no time.
const LATE: &str = "missing, since there was no time for it";

/// Memory and results on one data set, and the times against C++; with `alone` also those against the peer.
fn measure_set(
    session: &Session,
    folder: &Path,
    set: &DataSet,
    row: &mut Row,
    [ours, peer]: [Option<&Path>; 2],
    native: Option<&Path>,
    alone: bool,
) -> Result<()> {
    let input = folder.join("input");
    set.write(&input)?;
    let mut reference: Option<PathBuf> = None;
    let mut same = |what: &str, result: PathBuf| -> Result<()> {
        match &reference {
            None => reference = Some(result),
            Some(expected) => {
                let agreement = results::agree(expected, &result, &set.exactness);
                agreement.with_context(|| format!("the result of {what}"))?;
            }
        }
        Ok(())
    };
    let mut running = Vec::new();
    for (who, executable) in [("ours", ours), ("peer", peer)] {
        let Some(executable) = executable else {
            running.push(None);
            continue;
        };
        let server = session.serve(executable, session.threads, set, &input);
        let mut server = server.with_context(|| format!("the server of {who}"))?;
        for _ in 0..2 {
            server.run()?;
        }
        let memory = server.peak_memory();
        if who == "ours" {
            row.memory = memory
        } else {
            row.peer_memory = memory
        }
        let result = folder.join(format!("{who}.result"));
        server.store(&result)?;
        same(who, result)?;
        // Both in memory at once would make the memory of one the other's problem.
        let needed = if who == "ours" { native.is_some() || alone } else { alone };
        running.push(needed.then_some(server));
    }
    let on_one = ours
        .filter(|_| session.also_on_one && row.on_one.is_empty())
        .map(|executable| session.serve(executable, 1, set, &input));
    running.push(on_one.transpose().context("our server on one thread")?);
    let (mut times, mut peer_times, mut native_times) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..session.rounds {
        for (server, times) in running.iter_mut().zip([&mut times, &mut peer_times, &mut row.on_one]) {
            if let Some(server) = server {
                times.push(race::turn_of_compiled(server, session.runs)?);
            }
            process::interrupted()?;
        }
        if let Some(native) = native {
            let result = folder.join("cpp.result");
            let runs = cpp::time(native, &input, &result, session.runs)?;
            native_times.push(crate::summary::median(&runs));
        }
        process::interrupted()?;
    }
    if native.is_some() {
        (row.cpp, row.ours_beside_cpp) = (native_times, times.clone());
    }
    if alone {
        (row.ours, row.peer) = (times, peer_times);
    }
    if native.is_some() {
        same("C++", folder.join("cpp.result"))?;
    }
    Ok(())
}

/// How long the C of a program of one line is, if it can be had.
fn lines_of_smallest(session: &Session) -> Result<Option<usize>> {
    let program = Path::new("bench/programs/1.fut");
    if !program.exists() {
        bail!("{} is missing", program.display());
    }
    let Ok(file) = session.library(&session.ours, program, session.folder.path()) else {
        process::interrupted()?;
        return Ok(None);
    };
    Ok(Some(fs::read_to_string(file)?.lines().count()))
}
