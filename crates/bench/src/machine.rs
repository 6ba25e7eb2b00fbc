//! What a measurement was made with: the processor, compilers, flags. Paths are left out, since they mean nothing
//! elsewhere.

use crate::session::{Session, flags, tool};
use crate::{process, programs, rival};
use kenaz_ir::Space;
use kenaz_measure::machine::{memory, processor};
use std::path::Path;
use std::process::Command;

/// Names of things and what they are.
pub(crate) fn describe(session: &Session) -> Vec<(String, String)> {
    let mut facts = vec![("processor".to_string(), processor()), ("memory".to_string(), memory())];
    let compiler = |variable: &str, usual: &str| {
        let name = tool(variable, usual);
        let shown = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (format!("`{shown}`"), version(&name))
    };
    facts.push(("ours".to_string(), version(&session.ours)));
    if let Some(peer) = &session.peer {
        facts.push(("peer".to_string(), version(peer)));
    }
    facts.push(compiler("CC", "cc"));
    if session.target.host_space == Space::Device {
        // The processor has little to do.
    } else if session.target.is_parallel() {
        let none = "none; products are compared with nothing".to_string();
        facts.push(("NumPy".to_string(), rival::numpy_version().unwrap_or(none)));
        facts.push(("threads".to_string(), format!("{} each", session.threads)));
    } else {
        facts.push(compiler("CXX", "g++"));
    }
    facts.push(("flags of all".to_string(), format!("`{}`", flags())));
    let by = if session.peer.is_some() && programs::script(session).is_some() {
        "through the peer's `bench`"
    } else {
        "by their servers"
    };
    let (rounds, runs) = (session.rounds, session.runs);
    facts.push(("timed".to_string(), format!("{rounds} alternating rounds of {runs} runs, {by}")));
    if session.pace.jobs > 1 {
        let jobs = session.pace.jobs;
        let text = format!("{jobs} programs on one thread, or compilers, at a time at most, each on a core of its own");
        facts.push(("beside each other".to_string(), text));
    }
    facts
}

/// The first line of what a command says about its version.
fn version(command: &Path) -> String {
    let text = process::run(Command::new(command).arg("--version")).unwrap_or_default();
    text.lines().next().map_or("unknown".to_string(), |line| line.trim().to_string())
}
