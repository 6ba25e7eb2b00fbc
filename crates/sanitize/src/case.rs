//! One test case in a process of its own: run once as it is, and once for every request for memory that fails.

use crate::Totals;
use crate::compile::{Process, words};
use crate::requests::{Requests, chosen};
use kenaz_driver::native::failure::{Failure, FailureKind};
use kenaz_driver::native::server::{Server, ServerError};
use kenaz_runtime::{EntryPoint, Reader, Value, from_stored, to_stored, write_binary};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

pub(crate) struct Case<'a> {
    point: &'a EntryPoint,
    /// The arguments, and where the results go.
    input: PathBuf,
    output: PathBuf,
    arguments: Vec<String>,
    results: Vec<String>,
    process: Process,
    requests: Requests,
}

/// What became of the entry point.
pub(crate) enum Outcome {
    Results(Vec<Value>),
    /// It stopped with this message.
    Failed(String),
}

/// The same, as far as two runs are compared.
#[derive(PartialEq)]
enum Answer {
    Stored(Vec<u8>),
    Refused(Failure),
}

impl<'a> Case<'a> {
    pub(crate) fn new(
        point: &'a EntryPoint,
        values: &[Value],
        stem: &Path,
        process: Process,
        requests: Requests,
    ) -> Result<Case<'a>, String> {
        let (input, output) = (stem.with_extension("in"), stem.with_extension("out"));
        let write = || -> std::io::Result<()> {
            let mut file = BufWriter::new(File::create(&input)?);
            let stored = to_stored(&point.parameters, values.to_vec());
            stored.iter().try_for_each(|value| write_binary(&mut file, value))?;
            file.flush()
        };
        write().map_err(|error| format!("{}: {error}", input.display()))?;
        let names = |prefix: &str, count: usize| (0..count).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>();
        let (arguments, results) = (names("argument", point.parameters.len()), names("result", point.results.len()));
        Ok(Case { point, input, output, arguments, results, process, requests })
    }

    /// What the entry point gives, and what the program has said; or what is wrong with how it does that.
    pub(crate) fn check(mut self, faults: u64, totals: &Totals) -> Result<(Outcome, String), String> {
        let checked = self.runs(faults, totals);
        let Case { point, process: Process { server, errors }, input, output, requests, .. } = self;
        let ended = match &checked {
            Ok(_) => server.finish().map_err(|error| error.to_string()),
            // The words of a server that is ended by a report are complete; another one need not go on.
            Err(_) => Ok(()),
        };
        let words = words(&errors);
        for file in [&errors, &input, &output, &requests.path] {
            // They go away with the folder at the latest.
            let _ = fs::remove_file(file);
        }
        let answer = checked.and_then(|answer| ended.map(|()| answer)).map_err(|error| format!("{error}\n{words}"))?;
        if words.contains("left references") || words.contains("left buffers") {
            return Err(format!("a run leaves blocks behind\n{words}"));
        }
        let outcome = match answer {
            Answer::Refused(failure) => Outcome::Failed(failure.message),
            Answer::Stored(bytes) => {
                let stored = Reader::new(&bytes[..]).rest();
                let stored = stored.map_err(|error| format!("the results cannot be read: {error}"))?;
                Outcome::Results(from_stored(&point.results, stored))
            }
        };
        Ok((outcome, words))
    }

    fn runs(&mut self, faults: u64, totals: &Totals) -> Result<Answer, String> {
        let right = self.run(0)?;
        if faults == 0 {
            return Ok(right);
        }
        let made = self.requests.made().map_err(|error| error.to_string())?;
        totals.requests.fetch_add(made, Ordering::Relaxed);
        for number in chosen(made, faults) {
            let what = format!("without memory for request {number} of {made}");
            totals.faults.fetch_add(1, Ordering::Relaxed);
            match self.run(number).map_err(|error| format!("{what}: {error}"))? {
                Answer::Refused(failure) if failure.kind == FailureKind::OutOfMemory => {}
                answer if answer == right => {
                    totals.recovered.fetch_add(1, Ordering::Relaxed);
                }
                Answer::Refused(message) => return Err(format!("{what} the server says: {message}")),
                Answer::Stored(_) => return Err(format!("{what} the result is another one")),
            }
            if self.run(0).map_err(|error| format!("after a run {what}: {error}"))? != right {
                return Err(format!("after a run {what} the result is another one"));
            }
        }
        Ok(right)
    }

    /// One run, in which this request for memory fails, or none if it is 0.
    fn run(&mut self, failing: u64) -> Result<Answer, String> {
        self.requests.restart(failing).map_err(|error| error.to_string())?;
        let (input, output) = (self.input.display().to_string(), self.output.display().to_string());
        let server = &mut self.process.server;
        let mut commands: Vec<Vec<&str>> = Vec::new();
        if !self.arguments.is_empty() {
            let mut restore = vec!["restore", &input];
            for (name, ty) in self.arguments.iter().zip(&self.point.parameters) {
                restore.extend([name, ty.name.trim_start_matches('*')]);
            }
            commands.push(restore);
        }
        let mut call = vec!["call", &self.point.name];
        call.extend(self.results.iter().chain(&self.arguments).map(String::as_str));
        commands.push(call);
        let mut store = vec!["store", &output];
        store.extend(self.results.iter().map(String::as_str));
        commands.push(store);
        let mut refusal = None;
        for command in &commands {
            match server.ask(command) {
                Ok(_) => {}
                Err(ServerError::Refused(failure)) => {
                    refusal = Some(failure);
                    break;
                }
                Err(error @ ServerError::Ended(_)) => return Err(format!("at `{}`: {error}", command.join(" "))),
            }
        }
        forget(server, self.results.iter().chain(&self.arguments), refusal.is_some())?;
        match refusal {
            Some(failure) => Ok(Answer::Refused(failure)),
            None => fs::read(&self.output).map(Answer::Stored).map_err(|error| error.to_string()),
        }
    }
}

/// Frees variables, all of which are there unless a command before was refused.
fn forget<'n>(server: &mut Server, names: impl Iterator<Item = &'n String>, some: bool) -> Result<(), String> {
    for name in names {
        match server.ask(&["free", name]) {
            Err(ServerError::Refused(_)) if some => {}
            Err(error) => return Err(format!("at `free {name}`: {error}")),
            Ok(_) => {}
        }
    }
    Ok(())
}
