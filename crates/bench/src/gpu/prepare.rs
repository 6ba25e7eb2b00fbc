//! Compiles all programs with both compilers, several at a time, since a machine with a device may be lent for minutes.

use super::Chosen;
use crate::process;
use crate::program::{DataSet, Program};
use crate::race::Runner;
use crate::server::Server;
use crate::session::Session;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Ours,
    Peer,
}

impl Who {
    pub(super) const BOTH: [Who; 2] = [Who::Ours, Who::Peer];

    pub(super) fn name(self) -> &'static str {
        match self {
            Who::Ours => "ours",
            Who::Peer => "peer",
        }
    }

    fn compiler(self, session: &Session) -> Option<&Path> {
        match self {
            Who::Ours => Some(&session.ours),
            Who::Peer => session.peer.as_deref(),
        }
    }
}

/// The server of each compiler, or why there is none; nothing where there is no compiler, or no time.
pub(super) type Servers = [Option<Result<PathBuf, String>>; 2];

/// Compiles them, and runs the first data set of each entry point once, so that kernels are built and kept. What is not
/// begun by the deadline is not compiled.
pub(super) fn all(
    session: &Session,
    programs: &[Chosen],
    jobs: usize,
    deadline: Option<Instant>,
) -> Result<Vec<Servers>> {
    let bar = session.progress_of(2 * programs.len(), "programs compiled");
    let next = AtomicUsize::new(0);
    let servers: Mutex<Vec<Servers>> = Mutex::new(programs.iter().map(|_| [None, None]).collect());
    let work = || {
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            let (program, who) = (job / 2, Who::BOTH[job % 2]);
            let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if program >= programs.len() || is_late || process::interrupted().is_err() {
                return;
            }
            if let Some(compiler) = who.compiler(session) {
                let Chosen { folder, program: chosen, .. } = &programs[program];
                // Programs of several folders have the same names.
                let compiled = session.compile(compiler, &format!("{}-{folder}", who.name()), chosen);
                if let Ok(executable) = &compiled {
                    // What goes wrong here does so again when it is measured.
                    let _ = try_all(session, who, executable, chosen, job);
                }
                let compiled = compiled.map_err(|error| format!("{folder}/{}: {}: {error:#}", chosen.name, who.name()));
                if let Ok(mut servers) = servers.lock() {
                    servers[program][job % 2] = Some(compiled);
                }
            }
            bar.inc(1);
        }
    };
    thread::scope(|scope| (0..jobs.max(1)).for_each(|_| drop(scope.spawn(work))));
    bar.finish_and_clear();
    process::interrupted()?;
    Ok(servers.into_inner().unwrap_or_default())
}

fn try_all(session: &Session, who: Who, executable: &Path, program: &Program, job: usize) -> Result<()> {
    let input = session.file(&format!("input-{job}"));
    for (i, set) in program.sets.iter().enumerate() {
        if is_first(program, i) {
            set.write(&input)?;
            serve(session, who, executable, set, &input)?.run()?;
            process::interrupted()?;
        }
    }
    Ok(())
}

/// Whether a data set is the first of its entry point, which is the smallest.
fn is_first(program: &Program, i: usize) -> bool {
    program.sets[..i].iter().all(|other| other.entry != program.sets[i].entry)
}

/// Whether a data set is measured, of which a quick run needs only the first.
pub(super) fn is_wanted(session: &Session, program: &Program, set: &DataSet) -> bool {
    let at = program.sets.iter().position(|other| std::ptr::eq(other, set));
    !session.quick || at.is_some_and(|at| is_first(program, at))
}

/// A server that has its arguments. The peer's builds all its kernels when it starts, unless it may keep them.
pub(super) fn serve(session: &Session, who: Who, executable: &Path, set: &DataSet, input: &Path) -> Result<Server> {
    let options = match who {
        Who::Ours => Vec::new(),
        Who::Peer => vec!["--cache-file".to_string(), executable.with_extension("kernels").display().to_string()],
    };
    session.serve_with(executable, &options, set, input)
}
