//! Runs the compiler on a program and checks what must hold for every input.

use kenaz_base::{Code, Diagnostic, FileSystem, Severity, SourceMap, Span, current_pass, render};
use kenaz_driver::{Artefact, CompileError, Compiler, Settings};
use kenaz_format::Refusal;
use kenaz_ir::{Ownership, Stage, Target};
use kenaz_sema::check_file;
use std::cell::RefCell;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

/// What the compiler says about a program.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub accepted: bool,
    /// The errors and warnings, one per line.
    pub said: String,
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Panics are remembered instead of printed, from now on and in all threads.
pub fn catch_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        let message = info.payload_as_str().unwrap_or("a panic");
        let pass = current_pass().unwrap_or("no pass");
        PANIC.with(|panic| *panic.borrow_mut() = Some(format!("panic in `{pass}` at {place}: {message}")));
    }));
}

/// The verdict of the front end on a program whose main file has this text; or what is wrong with the compiler.
pub fn probe(path: &Path, text: &[u8], others: &dyn FileSystem) -> Result<Verdict, String> {
    caught(|| check(path, text, others))
}

/// The same, and what is accepted becomes C for the targets, with all checkers in between.
pub fn probe_to(
    targets: &[&'static Target],
    path: &Path,
    text: &[u8],
    others: &dyn FileSystem,
) -> Result<Verdict, String> {
    let verdict = probe(path, text, others)?;
    for target in targets.iter().filter(|_| verdict.accepted) {
        caught(|| compile(target, path, text, others))?;
    }
    Ok(verdict)
}

fn caught<R>(f: impl FnOnce() -> Result<R, String>) -> Result<R, String> {
    panic::catch_unwind(AssertUnwindSafe(f))
        .unwrap_or_else(|_| Err(PANIC.with(|panic| panic.borrow_mut().take()).unwrap_or("a panic".to_string())))
}

fn check(path: &Path, text: &[u8], others: &dyn FileSystem) -> Result<Verdict, String> {
    if let Some(complaint) = std::str::from_utf8(text).ok().and_then(laid_out) {
        return Err(complaint);
    }
    let fs = Overlay { path, text, others };
    let checked = check_file(path, &fs);
    let diagnostics = checked.diagnostics.into_sorted();
    // That nothing here panics is part of what is checked.
    let said = render::concise(&checked.sources, &diagnostics);
    render::terminal(&checked.sources, &diagnostics, render::Style { colour: true, width: 80 });
    render::json(&checked.sources, &diagnostics);
    match complaints(&checked.sources, &diagnostics) {
        Some(complaint) => Err(complaint),
        None => Ok(Verdict { accepted: diagnostics.iter().all(|d| d.severity != Severity::Error), said }),
    }
}

/// What is wrong with the layout of a program that has no syntax errors: it is another program, or changes again.
fn laid_out(text: &str) -> Option<String> {
    let file = kenaz_base::source::first_file();
    let once = match kenaz_format::format(file, text) {
        Ok(once) => once,
        Err(Refusal::Rejected(_)) => return None,
        Err(Refusal::Fault(difference)) => return Some(format!("fmt: {}", without_numbers(&difference))),
    };
    match kenaz_format::format(file, &once) {
        Ok(twice) if twice == once => None,
        _ => Some("fmt: laid out again, it changes".to_string()),
    }
}

fn compile(target: &'static Target, path: &Path, text: &[u8], others: &dyn FileSystem) -> Result<(), String> {
    let fs = Overlay { path, text, others };
    let compiler = Compiler::new(&fs, target).with(Settings { check_passes: true, ..Settings::default() });
    match compiler.to(path, Stage::Memory(Ownership::Settled)) {
        Ok(compilation) => {
            compilation.emit(Artefact::Library);
            Ok(())
        }
        // What is not supported yet is no fault.
        Err(CompileError::Rejected(rejected)) => {
            complaints(&rejected.sources, &rejected.diagnostics).map_or(Ok(()), Err)
        }
        Err(error @ (CompileError::Selection(_) | CompileError::Broken(_))) => Err(without_numbers(&error.to_string())),
    }
}

/// The first line of a message, without what differs between two programs with the same fault.
fn without_numbers(message: &str) -> String {
    message.lines().next().unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).take(120).collect()
}

/// What is wrong with diagnostics, whatever the program was.
fn complaints(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Option<String> {
    for diagnostic in diagnostics {
        if diagnostic.code == Code::Bug {
            return Some(format!("bug: {}", diagnostic.message));
        }
        for label in std::iter::once(&diagnostic.primary).chain(&diagnostic.causes) {
            if !is_inside(sources, label.span) {
                return Some(format!("[{}] has a span outside its file: {:?}", diagnostic.code, label.span));
            }
        }
        if diagnostic.severity == Severity::Error && sources.file(diagnostic.primary.span.file).builtin {
            return Some(format!("[{}] is about the prelude: {}", diagnostic.code, diagnostic.message));
        }
    }
    None
}

fn is_inside(sources: &SourceMap, span: Span) -> bool {
    sources.ids().any(|id| id == span.file) && {
        let text = &sources.file(span.file).text;
        let (lo, hi) = (span.lo as usize, span.hi as usize);
        // The byte that is not UTF-8 is shown as a character of three bytes.
        lo <= hi && hi <= text.len() && (text.is_char_boundary(lo) && (text.is_char_boundary(hi) || hi == lo + 1))
    }
}

/// One file with a new text, among others.
struct Overlay<'a> {
    path: &'a Path,
    text: &'a [u8],
    others: &'a dyn FileSystem,
}

impl FileSystem for Overlay<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if kenaz_base::fs::normalise(path) == self.normalised() {
            Ok(self.text.to_vec())
        } else {
            self.others.read(path)
        }
    }

    fn exists(&self, path: &Path) -> bool {
        kenaz_base::fs::normalise(path) == self.normalised() || self.others.exists(path)
    }
}

impl Overlay<'_> {
    fn normalised(&self) -> PathBuf {
        kenaz_base::fs::normalise(self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::MemoryFileSystem;

    #[test]
    fn programs_may_import_others() {
        let fs = MemoryFileSystem::new().with("a/b.fut", "def x: i32 = 1\n").with("a/main.fut", "old");
        let verdict = |text: &str| probe(Path::new("a/main.fut"), text.as_bytes(), &fs).unwrap().accepted;
        assert!(verdict("import \"b\"\ndef y: i32 = x\n"));
        assert!(!verdict("def y: i32 = x\n"));
        assert!(probe(Path::new("a/main.fut"), b"def \xff", &fs).is_ok());
    }
}
