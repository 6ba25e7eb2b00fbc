//! `kenaz repl`: expressions and definitions, one after the other.
//!
//! Each input is a file of its own, `[1]`, `[2]`, …, that opens the one before it; see [`session`]. On a terminal there
//! are prompts, editing and a history; otherwise the inputs are the lines of standard input.

mod session;
mod show;

use crate::{Outcome, interrupt, output};
use kenaz_driver::fault;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use session::Session;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Evaluate expressions and definitions as they are typed
#[derive(clap::Args)]
pub struct Args {
    /// A program whose definitions to begin with
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

const HELP: &str = "\
EXPRESSION      its value and type
def x = …       a definition; also type, module, open and import
:load FILE      forget all definitions and begin with those of a program
:type EXPR      the type of an expression, which is not evaluated
:help           this text
:quit           leave; so does the end of the input
A line that ends in \\ goes on in the next one. Ctrl-C stops an evaluation.
";

/// Whether an input is being worked on, which Ctrl-C then stops.
static BUSY: AtomicBool = AtomicBool::new(false);
static INTERRUPT: AtomicBool = AtomicBool::new(false);

pub fn run(args: &Args) -> Outcome {
    let handler = ctrlc::set_handler(|| {
        // Whoever asks twice wants more than the end of an evaluation.
        let is_first = BUSY.load(Ordering::SeqCst) && !INTERRUPT.swap(true, Ordering::SeqCst);
        if !is_first {
            std::process::exit(interrupt::EXIT_CODE);
        }
    });
    if let Err(error) = handler {
        let _ = output::to_stderr(&format!("warning: Ctrl-C will end the program: {error}\n"));
    }
    let mut repl = Repl { session: Session::new(), worst: Outcome::Right };
    if let Some(file) = &args.file {
        repl.answer(|session| session.load(file));
    }
    if io::stdin().is_terminal() { interactive(&mut repl) } else { lines(&mut repl) }
}

/// Prompts, editing, history.
fn interactive(repl: &mut Repl) -> Outcome {
    let mut editor = match DefaultEditor::new() {
        Ok(editor) => editor,
        Err(error) => {
            let _ = output::to_stderr(&format!("error: the terminal cannot be used: {error}\n"));
            return Outcome::Failure;
        }
    };
    let history = history_file();
    if let Some(path) = &history {
        // The first time there is none.
        let _ = editor.load_history(path);
    }
    let _ = output::to_stdout(concat!("Kenaz ", env!("CARGO_PKG_VERSION"), ". Type :help for help.\n"));
    let mut input = String::new();
    loop {
        let prompt = if input.is_empty() { format!("[{}]> ", repl.session.next()) } else { "... ".to_string() };
        match editor.readline(&prompt) {
            Ok(line) => {
                let _ = editor.add_history_entry(&line);
                if continues(&mut input, &line) {
                    continue;
                }
                if !repl.input(&std::mem::take(&mut input)) {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => input.clear(),
            Err(_) => break,
        }
    }
    if let Some(path) = history {
        // Without a history the next session is poorer, nothing else.
        let _ = path.parent().map(std::fs::create_dir_all);
        let _ = editor.save_history(&path);
    }
    Outcome::Right
}

/// The lines of standard input; the command ends as its worst input did.
fn lines(repl: &mut Repl) -> Outcome {
    let mut input = String::new();
    for line in io::stdin().lock().lines() {
        match line {
            Ok(line) if continues(&mut input, &line) => {}
            Ok(_) => {
                if !repl.input(&std::mem::take(&mut input)) {
                    break;
                }
            }
            Err(error) => {
                let _ = output::to_stderr(&format!("error: standard input cannot be read: {error}\n"));
                return Outcome::Mistake;
            }
        }
    }
    if !input.is_empty() {
        repl.input(&input);
    }
    repl.worst
}

/// Adds a line to the input; whether it goes on.
fn continues(input: &mut String, line: &str) -> bool {
    let (line, more) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
    input.push_str(line);
    input.push('\n');
    more
}

struct Repl {
    session: Session,
    worst: Outcome,
}

impl Repl {
    /// Answers an input; false if it was the last one.
    fn input(&mut self, input: &str) -> bool {
        let input = input.trim_end();
        let Some(command) = input.trim_start().strip_prefix(':') else {
            let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with("--");
            if !input.lines().all(says_nothing) {
                self.answer(|session| session.input(input, &INTERRUPT));
            }
            return true;
        };
        let (name, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        match (name, argument.trim()) {
            ("quit" | "q", "") => return false,
            ("help" | "h" | "?", "") => {
                let _ = output::to_stdout(HELP);
            }
            ("load" | "l", file) if !file.is_empty() => self.answer(|session| session.load(Path::new(file))),
            ("type" | "t", exp) if !exp.is_empty() => self.answer(|session| session.type_of(exp)),
            ("load" | "l" | "type" | "t", _) => self.mistake(&format!("`:{name}` needs an argument")),
            ("quit" | "q" | "help" | "h" | "?", _) => self.mistake(&format!("`:{name}` takes no argument")),
            _ => self.mistake(&format!("there is no command `:{name}`; `:help` lists them")),
        }
        true
    }

    fn mistake(&mut self, message: &str) {
        let _ = output::to_stderr(&format!("error: {message}\n"));
        self.worst = self.worst.max(Outcome::Mistake);
    }

    /// Prints what comes of an input, whatever that is.
    fn answer(&mut self, f: impl FnOnce(&mut Session) -> session::Answer) {
        INTERRUPT.store(false, Ordering::SeqCst);
        BUSY.store(true, Ordering::SeqCst);
        let answer = fault::guard(|| f(&mut self.session));
        BUSY.store(false, Ordering::SeqCst);
        match answer {
            Ok(answer) => {
                let _ = output::to_stderr(&answer.messages);
                let written = output::to_stdout(&answer.text);
                self.worst = self.worst.max(answer.outcome).max(written.err().unwrap_or_default());
            }
            Err(fault) => {
                output::fault(&fault);
                self.worst = Outcome::Fault;
            }
        }
    }
}

/// As the conventions of the system have it.
fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    Some(state.join("kenaz").join("history"))
}
