//! A compiled program as a server in a process of its own, where it may crash or hang without harm.

use super::failure::Failure;
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A running server. It is ended when this is dropped.
pub struct Server {
    process: Child,
    /// Where commands go, until there are no more.
    commands: Option<ChildStdin>,
    /// Its answers, line by line.
    lines: Receiver<Vec<u8>>,
    limit: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerError {
    /// The server says why not, and goes on.
    Refused(Failure),
    /// The server is of no use any more.
    Ended(End),
}

/// How a server ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    NotStarted(String),
    /// It was still working after so long a time, and was ended.
    TooSlow(Duration),
    /// It did not end when it should have.
    Lingers,
    /// With an exit code.
    Exited(i32),
    /// By a signal.
    Killed(i32),
    /// Otherwise, or nobody knows how.
    Somehow(String),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerError::Refused(failure) => failure.fmt(f),
            ServerError::Ended(end) => end.fmt(f),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::NotStarted(why) => write!(f, "the program cannot be started: {why}"),
            End::TooSlow(limit) => write!(f, "the program did not end within {} seconds", limit.as_secs_f64()),
            End::Lingers => f.write_str("the program does not end"),
            End::Exited(code) => write!(f, "the program ended with exit code {code}"),
            End::Killed(signal) => write!(f, "the program ended by signal {signal}"),
            End::Somehow(how) => write!(f, "the program ended{how}"),
        }
    }
}

impl std::error::Error for ServerError {}

impl Server {
    /// Starts a server by a command; it may take so long to answer anything, and what it says on standard error goes
    /// there.
    pub fn start_as(command: &mut Command, errors: Stdio, limit: Duration) -> Result<Server, ServerError> {
        let ended = |what: &str| ServerError::Ended(End::NotStarted(what.to_string()));
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|error| ended(&error.to_string()))?;
        let (Some(commands), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(ended("there are no pipes"));
        };
        let (send, lines) = channel();
        // Ends when the server does, or when nobody listens any more.
        thread::spawn(move || {
            let mut answers = BufReader::new(answers);
            loop {
                let mut line = Vec::new();
                match answers.read_until(b'\n', &mut line) {
                    Ok(1..) if send.send(line).is_ok() => {}
                    _ => return,
                }
            }
        });
        let mut server = Server { process, commands: Some(commands), lines, limit };
        server.answer().map(|_| server)
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The answer of the server to a command.
    pub fn ask(&mut self, words: &[&str]) -> Result<String, ServerError> {
        let mut line = String::new();
        for word in words {
            // A word with quotes cannot be said; no type has any.
            line.push_str(&if word.contains(' ') || word.is_empty() {
                format!("\"{word}\" ")
            } else {
                format!("{word} ")
            });
        }
        line.push('\n');
        self.say(&line)
    }

    /// The answer to a text.
    pub(super) fn say(&mut self, text: &str) -> Result<String, ServerError> {
        // If the server has ended, it is the answer that says so.
        if let Some(commands) = &mut self.commands {
            let _ = commands.write_all(text.as_bytes()).and_then(|()| commands.flush());
        }
        self.answer()
    }

    /// From now on it may take so long to answer anything.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// All that comes before the next `%%% OK`.
    fn answer(&mut self) -> Result<String, ServerError> {
        let end = Instant::now() + self.limit;
        let mut text = String::new();
        let mut refusal: Option<String> = None;
        loop {
            let line = match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.process.kill();
                    return Err(ServerError::Ended(End::TooSlow(self.limit)));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ServerError::Ended(self.end())),
            };
            let line = String::from_utf8_lossy(&line);
            match line.trim_end() {
                "%%% OK" => {
                    return refusal.map_or(Ok(text), |message| Err(ServerError::Refused(Failure::read(message))));
                }
                "%%% FAILURE" => refusal = Some(String::new()),
                _ => refusal.as_mut().unwrap_or(&mut text).push_str(&line),
            }
        }
    }

    /// Lets the server end by itself, which it must do without an error.
    pub fn finish(mut self) -> Result<(), ServerError> {
        self.commands = None;
        let end = Instant::now() + self.limit;
        let mut pause = Duration::from_micros(200);
        loop {
            match self.process.try_wait() {
                Ok(None) if Instant::now() < end => thread::sleep(pause),
                Ok(None) => return Err(ServerError::Ended(End::Lingers)),
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(_)) | Err(_) => return Err(ServerError::Ended(self.end())),
            }
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    fn end(&mut self) -> End {
        match self.process.wait() {
            Ok(status) => how(status),
            Err(error) => End::Somehow(format!(": {error}")),
        }
    }
}

fn how(status: ExitStatus) -> End {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return End::Killed(signal);
    }
    status.code().map_or_else(|| End::Somehow(" somehow".to_string()), End::Exited)
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A server that is a script.
    fn server(script: &str, limit: f64) -> Result<Server, ServerError> {
        Server::start_as(Command::new("sh").args(["-c", script]), Stdio::null(), Duration::from_secs_f64(limit))
    }

    #[test]
    fn answers_and_refusals() {
        let script = "echo '%%% OK'; while read -r line; do case $line in bad*) echo runtime: 3; echo '%%% FAILURE'; \
                      echo 'Error: no';; *) echo \"<$line>\";; esac; echo '%%% OK'; done";
        let mut server = server(script, 60.0).unwrap();
        assert_eq!(server.ask(&["say", "a b", "c"]), Ok("<say \"a b\" c>\n".to_string()));
        assert_eq!(server.ask(&["bad"]), Err(ServerError::Refused(Failure::read("Error: no\n"))));
        assert_eq!(server.ask(&["again"]), Ok("<again>\n".to_string()));
        assert_eq!(server.finish(), Ok(()));
    }

    #[test]
    fn the_end() {
        let ended = |script: &str, limit| match server(script, limit) {
            Ok(mut server) => server.ask(&["x"]).unwrap_err(),
            Err(error) => error,
        };
        let end = ServerError::Ended;
        assert_eq!(ended("exit 7", 60.0), end(End::Exited(7)));
        assert_eq!(ended("echo '%%% OK'; read x; kill -9 $$", 60.0), end(End::Killed(9)));
        let slow = ended("echo '%%% OK'; exec sleep 60", 0.5);
        assert_eq!(slow, end(End::TooSlow(Duration::from_millis(500))));
        assert_eq!(slow.to_string(), "the program did not end within 0.5 seconds");
        let unhappy = server("echo '%%% OK'; read x; exit 3", 60.0).unwrap();
        assert_eq!(unhappy.finish(), Err(end(End::Exited(3))));
        let nowhere = Server::start_as(&mut Command::new("/no/such/program"), Stdio::null(), Duration::from_secs(1));
        assert!(matches!(nowhere, Err(ServerError::Ended(End::NotStarted(_)))));
    }
}
