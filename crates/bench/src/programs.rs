//! Programs of a folder against the peer's, and for sequential C against C++.

use crate::program::{DataSet, Program};
use crate::race::{self, Runner};
use crate::session::Session;
use crate::summary::{Row, Summary};
use crate::{cpp, process, program, results, versus};
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use std::fs;
use std::path::{Path, PathBuf};

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
    let bar = session.progress(programs.iter().map(|program| program.sets.len()).sum());
    let mut rows = Vec::new();
    bar.suspend(|| println!("{}", Row::header(session.target)));
    for program in &programs {
        bar.set_message(program.name.clone());
        for row in measure_program(session, program, script, &bar)? {
            bar.suspend(|| println!("{}", row.line(session.target)));
            rows.push(row);
        }
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// The script that has both compilers take turns, if its programs run on as many threads as they should: it cannot tell
/// the peer's, which take as many as there are processors.
pub(crate) fn script(session: &Session) -> Option<&Path> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let fits = !session.target.is_parallel() || processors == session.threads as usize;
    session.script.as_deref().filter(|_| fits && !session.quick)
}

/// A row for every data set of a program. What goes wrong is in the rows; only an interrupt ends the work.
fn measure_program(session: &Session, program: &Program, script: Option<&Path>, bar: &ProgressBar) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = program.sets.iter().map(|set| Row::new(&program.name, &program.name_of(set))).collect();
    let ours = session.compile(&session.ours, "ours", program);
    let peer = session.peer.as_ref().map(|peer| session.compile(peer, "peer", program));
    let native = program.cpp.as_ref().filter(|_| !session.target.is_parallel());
    let native = native.map(|source| cpp::compile(source, &session.file("cpp")));
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
    for (set, row) in program.sets.iter().zip(&mut rows) {
        bar.set_message(format!("{} {}", program.name, set.name));
        let servers = [compiled.as_deref(), peer.as_deref()];
        let done = measure_set(session, set, row, servers, native.as_deref(), timed.is_none());
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
        bar.inc(1);
    }
    if let Some(row) = rows.first_mut() {
        match session.text_to_c(&session.ours, program, 5) {
            Ok(time) => row.to_c = Some(time),
            Err(error) => row.problems.push(format!("{error:#}")),
        }
        if let Some(peer) = &session.peer {
            row.peer_to_c = session.text_to_c(peer, program, 3).ok();
        }
        process::interrupted()?;
    }
    Ok(rows)
}

/// Memory and results on one data set, and the times against C++; with `alone` also those against the peer.
fn measure_set(
    session: &Session,
    set: &DataSet,
    row: &mut Row,
    [ours, peer]: [Option<&Path>; 2],
    native: Option<&Path>,
    alone: bool,
) -> Result<()> {
    let input = session.file("input");
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
        let result = session.file(&format!("{who}.result"));
        server.store(&result)?;
        same(who, result)?;
        // Both in memory at once would make the memory of one the other's problem.
        let needed = if who == "ours" { native.is_some() || alone } else { alone };
        running.push(needed.then_some(server));
    }
    let on_one = ours.filter(|_| session.also_on_one).map(|executable| session.serve(executable, 1, set, &input));
    running.push(on_one.transpose().context("our server on one thread")?);
    let (mut times, mut peer_times, mut native_times) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..session.rounds {
        for (server, times) in running.iter_mut().zip([&mut times, &mut peer_times, &mut row.on_one]) {
            if let Some(server) = server {
                times.push(race::turn(server, session.runs)?);
            }
            process::interrupted()?;
        }
        if let Some(native) = native {
            let result = session.file("cpp.result");
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
        same("C++", session.file("cpp.result"))?;
    }
    Ok(())
}

/// How long the C of a program of one line is, if it can be had.
fn lines_of_smallest(session: &Session) -> Result<Option<usize>> {
    let program = Path::new("bench/programs/1.fut");
    if !program.exists() {
        bail!("{} is missing", program.display());
    }
    let Ok(file) = session.library(&session.ours, program) else {
        process::interrupted()?;
        return Ok(None);
    };
    Ok(Some(fs::read_to_string(file)?.lines().count()))
}
