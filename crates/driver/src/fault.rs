//! Faults of the compiler itself. A panic becomes a message that says where and asks for a report, and only with
//! `RUST_BACKTRACE` in the environment comes with a trace.

use kenaz_base::{Code, Diagnostic, SourceMap, Span, current_pass, render};
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;
use std::sync::Arc;

/// What is known about a panic.
#[derive(Clone, Debug)]
pub struct Fault {
    message: String,
    place: String,
    pass: Option<&'static str>,
    /// The calls that led there, if the user asked for them by `RUST_BACKTRACE`.
    trace: Option<Arc<Backtrace>>,
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<Option<Fault>> = const { RefCell::new(None) };
}

/// From now on a panic under [`guard`] is recorded silently, and any other is shown.
pub fn install_hook(show: fn(&Fault)) {
    panic::set_hook(Box::new(move |info| {
        let fault = Fault::new(info);
        if GUARDED.get() {
            LAST.set(Some(fault));
        } else {
            show(&fault);
        }
    }));
}

/// Runs `f`, catching a panic of it.
pub fn guard<R>(f: impl FnOnce() -> R) -> Result<R, Fault> {
    let outer = GUARDED.replace(true);
    // After a panic nothing that `f` could have left half done is used again.
    let result = panic::catch_unwind(AssertUnwindSafe(f));
    GUARDED.set(outer);
    result.map_err(|_| {
        let (message, place) = ("unknown".to_string(), "an unknown place".to_string());
        LAST.take().unwrap_or(Fault { message, place, pass: None, trace: None })
    })
}

/// In one line.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "internal error: {}, at {}", self.message, self.place)
    }
}

impl Fault {
    fn new(info: &PanicHookInfo<'_>) -> Fault {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let place = info.location().map_or("an unknown place".to_string(), ToString::to_string);
        let trace = Backtrace::capture();
        let trace = (trace.status() == BacktraceStatus::Captured).then(|| Arc::new(trace));
        Fault { message: text.unwrap_or("unknown").to_string(), place, pass: current_pass(), trace }
    }

    /// The fault as a diagnostic about a file, in a map that holds only the name of that file.
    pub fn about(&self, path: &Path) -> (SourceMap, Diagnostic) {
        let mut sources = SourceMap::new();
        let file = sources.add(path, String::new());
        (sources, self.diagnostic(Span::new(file, 0, 0)))
    }

    /// The fault as one that is about no file in particular, for people.
    pub fn text(&self) -> String {
        let nowhere = Span::new(kenaz_base::source::first_file(), 0, 0);
        render::terminal(&SourceMap::new(), &[self.diagnostic(nowhere)], render::Style::PLAIN)
    }

    /// The same about a file.
    pub fn text_about(&self, path: &Path) -> String {
        let (sources, diagnostic) = self.about(path);
        render::terminal(&sources, &[diagnostic], render::Style::PLAIN)
    }

    fn diagnostic(&self, span: Span) -> Diagnostic {
        let pass = self.pass.map_or(String::new(), |pass| format!(" in pass `{pass}`,"));
        let trace = self.trace.as_ref().map_or(String::new(), |trace| format!("\n{trace}"));
        Diagnostic::error(Code::Bug, span, format!("internal error: {}", self.message))
            .note(format!("kenaz {},{pass} at {}{trace}", env!("CARGO_PKG_VERSION"), self.place))
            .hint("this is a fault in Kenaz, not in your program: please report it, with the program and this message")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::in_pass;

    #[test]
    fn a_panic_becomes_a_diagnostic() {
        install_hook(|_| {});
        let fault = guard(|| in_pass("fuse", || panic!("no such {}", "thing"))).map(|(): ()| ()).unwrap_err();
        let text = fault.text_about(Path::new("p.fut"));
        assert!(text.starts_with("error[bug]: internal error: no such thing\n--> p.fut\n"), "{text}");
        assert!(text.contains("in pass `fuse`, at crates/driver/src/fault.rs:"), "{text}");
        assert!(text.contains("please report it"), "{text}");
        assert_eq!(guard(|| 3).ok(), Some(3));
    }
}
