//! Saying what is being done while it takes long.

use crate::output;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Steps that are shorter than this are not reported.
const PATIENCE: Duration = Duration::from_secs(1);

/// Says what is being done, to a terminal, and only as long as it takes longer than a second.
pub fn with<R>(what: &str, f: impl FnOnce() -> R) -> R {
    if !io::stderr().is_terminal() {
        return f();
    }
    let (done, wait) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let _ = output::to_stderr(what);
                let _ = wait.recv();
                let _ = output::to_stderr("\r\x1b[K");
            }
        });
        let result = f();
        drop(done);
        result
    })
}
