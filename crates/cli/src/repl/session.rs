//! The definitions so far, and the meaning of the next input.
//!
//! Input number 3 is the file `[3].fut`, which exists only in memory. Its first line opens the last input that defined
//! something, so that an input sees all before it and may define a name again; the user does not see this line, nor do
//! positions count it.

use super::show;
use crate::check::outcome_of;
use crate::{Outcome, output, run};
use kenaz_base::{
    Code, Diagnostic, Diagnostics, FileId, FileSystem, MemoryFileSystem, RealFileSystem, Severity, SourceMap, Span,
    Symbol, render,
};
use kenaz_driver::{Compiler, Rejected, function, message};
use kenaz_interp::{Environment, Options, RunError, compile};
use kenaz_ir::target;
use kenaz_sema::Checked;
use kenaz_sema::scope::{Module, Term};
use kenaz_sema::types::{Scheme, TyKind};
use kenaz_syntax::ast::Ast;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

pub(super) struct Session {
    files: Files,
    /// Where imports are looked for: the folder of the loaded program.
    folder: PathBuf,
    /// The file with all definitions so far, as imports name it.
    definitions: Option<String>,
    next: usize,
}

/// The answer to an input.
#[derive(Default)]
pub(super) struct Answer {
    /// For standard output.
    pub text: String,
    /// For standard error.
    pub messages: String,
    pub outcome: Outcome,
}

/// The name of the definition that an expression becomes. The expression cannot mention it, so it is one that nobody
/// would give to something else.
const IT: &str = "it_as_typed'";

impl Session {
    pub(super) fn new() -> Session {
        Session { files: Files::default(), folder: PathBuf::new(), definitions: None, next: 1 }
    }

    /// The number of the next input.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Begins anew with the definitions of a program.
    pub(super) fn load(&mut self, path: &Path) -> Answer {
        let (checked, answer) = self.check(path);
        let name = path.file_stem().and_then(|stem| stem.to_str());
        match name.filter(|_| path.extension().is_some_and(|extension| extension == "fut")) {
            _ if checked.diagnostics.has_errors() => answer,
            Some(name) => {
                *self = Session::new();
                self.folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
                self.definitions = Some(name.to_string());
                answer
            }
            None => {
                let messages = format!("error: `{}` does not have the ending `.fut`\n", path.display());
                Answer { messages, outcome: Outcome::Mistake, ..Answer::default() }
            }
        }
    }

    /// Keeps a definition, evaluates an expression.
    pub(super) fn input(&mut self, text: &str, interrupt: &AtomicBool) -> Answer {
        match kind(text) {
            Kind::Definition(before) => {
                let path = self.add(before, text);
                let (checked, answer) = self.check(&path);
                if !checked.diagnostics.has_errors() {
                    self.definitions = Some(format!("[{}]", self.next));
                    self.next += 1;
                }
                answer
            }
            Kind::Expression => {
                let answer = self.expression(text, interrupt);
                self.next += 1;
                answer
            }
        }
    }

    /// The type of an expression.
    pub(super) fn type_of(&mut self, text: &str) -> Answer {
        let path = self.add(&format!("def {IT} ="), text);
        let (checked, mut answer) = self.check(&path);
        if let Some(scheme) = scheme(&checked) {
            answer.text = format!("{}\n", checked.names.show_scheme(scheme));
        }
        answer
    }

    fn expression(&mut self, text: &str, interrupt: &AtomicBool) -> Answer {
        // As an entry point it would have to have a type that the outside understands.
        let path = self.add(&format!("def {IT} ="), text);
        let (checked, mut answer) = self.check(&path);
        let Some(scheme) = scheme(&checked) else { return answer };
        let shown = checked.names.show_scheme(scheme);
        if !scheme.params.is_empty() || matches!(scheme.ty.kind(), TyKind::Arrow(_)) {
            answer.text = format!("a function : {shown}\n");
            return answer;
        }
        let path = self.add(&format!("entry {IT} ="), text);
        let compilation = match self.compiler().elaborate(&path) {
            Ok(compilation) => compilation,
            Err(rejected) => {
                let Rejected { sources, mut diagnostics } = *rejected;
                // The warnings were said about the definition.
                diagnostics.retain(|d| d.severity == Severity::Error);
                answer.outcome = outcome_of(&diagnostics);
                answer.messages.push_str(&self.rendered(&sources, diagnostics));
                return answer;
            }
        };
        let compiled = compile(&compilation.prog, Options::default());
        let mut environment = Environment { interrupt: Some(interrupt), ..Environment::default() };
        match compiled.run_entry(&function(IT), Vec::new(), &mut environment) {
            Ok(results) => answer.text = format!("{} : {shown}\n", show::value(&scheme.ty, &results)),
            Err(mut error) => {
                self.name_places(&mut error);
                answer.messages.push_str(&message(&error));
                answer.outcome = run::outcome(&error);
            }
        }
        answer
    }

    /// Makes the next input a file. `before` is what stands in front of the text, in the line that nobody sees.
    fn add(&mut self, before: &str, text: &str) -> PathBuf {
        let open = self.definitions.as_ref().map_or(String::new(), |name| format!("open import \"{name}\" "));
        let path = self.folder.join(format!("[{}].fut", self.next));
        self.files.0.add(&path, format!("{open}{before}\n{text}\n"));
        path
    }

    fn compiler(&self) -> Compiler<'_> {
        Compiler::new(&self.files, &target::C)
    }

    fn check(&self, path: &Path) -> (Checked, Answer) {
        let checked = self.compiler().check(path);
        let mut diagnostics = checked.diagnostics.clone().into_sorted();
        // Warnings about earlier inputs were given then. Numbers without a type are usual here, and the
        // answer says which one was chosen.
        diagnostics.retain(|d| {
            let wanted = d.primary.span.file == checked.main && d.code != Code::DefaultedType;
            d.severity == Severity::Error || wanted
        });
        let outcome = outcome_of(&diagnostics);
        let messages = self.rendered(&checked.sources, diagnostics);
        (checked, Answer { messages, outcome, ..Answer::default() })
    }

    /// Diagnostics with the inputs as the user typed them.
    fn rendered(&self, sources: &SourceMap, mut diagnostics: Vec<Diagnostic>) -> String {
        if diagnostics.is_empty() {
            return String::new();
        }
        let mut typed = SourceMap::new();
        let mut hidden: Vec<(FileId, u32)> = Vec::new();
        for id in sources.ids() {
            let file = sources.file(id);
            if file.builtin {
                typed.add_builtin(file.path(), file.text.clone());
            } else if let Some(number) = self.input_number(file.path()) {
                let (_, text) = file.text.split_once('\n').unwrap_or_default();
                hidden.push((id, (file.text.len() - text.len()) as u32));
                typed.add(format!("[{number}]"), text.to_string());
            } else {
                typed.add(file.path(), file.text.clone());
            }
        }
        let move_span = |span: &mut Span| {
            if let Some((_, length)) = hidden.iter().find(|(file, _)| *file == span.file) {
                span.lo = span.lo.saturating_sub(*length);
                span.hi = span.hi.saturating_sub(*length);
            }
        };
        for diagnostic in &mut diagnostics {
            move_span(&mut diagnostic.primary.span);
            diagnostic.causes.iter_mut().for_each(|cause| move_span(&mut cause.span));
        }
        render::terminal(&typed, &diagnostics, output::stderr_style())
    }

    /// The places of a run-time error with the inputs as the user typed them.
    fn name_places(&self, error: &mut RunError) {
        error.trace = error.trace.iter().filter_map(|place| self.name_place(*place)).collect();
    }

    /// A place as the user knows it, or nothing if he did not type it. Places are written `file:line:column-column` or
    /// `file:line:column-line:column`.
    fn name_place(&self, place: Symbol) -> Option<Symbol> {
        let input = place
            .as_str()
            .split_once(".fut:")
            .and_then(|(path, position)| Some((self.input_number(Path::new(&format!("{path}.fut")))?, position)));
        let Some((number, position)) = input else { return Some(place) };
        let typed = |position: &str| {
            let (line, column) = position.split_once(':')?;
            let line = line.parse::<usize>().ok()?.checked_sub(1).filter(|line| *line > 0)?;
            Some(format!("{line}:{column}"))
        };
        let position = match position.split_once('-') {
            Some((start, end)) => format!("{}-{}", typed(start)?, typed(end).unwrap_or_else(|| end.to_string())),
            None => typed(position)?,
        };
        Some(Symbol::intern(&format!("[{number}]:{position}")))
    }

    /// The number of an input, if a file is one.
    fn input_number(&self, path: &Path) -> Option<usize> {
        if !self.files.0.exists(path) {
            return None;
        }
        path.file_stem()?.to_str()?.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
    }
}

/// The type of the expression that is being checked.
fn scheme(checked: &Checked) -> Option<&Scheme> {
    let Module::Env(env) = &checked.module else { return None };
    match env.terms.get(&Symbol::intern(IT))? {
        Term::Value(var) if !checked.diagnostics.has_errors() => checked.names.vars[*var].scheme.as_ref(),
        Term::Value(_) | Term::Module(_) => None,
    }
}

enum Kind {
    /// With what must stand in front of it, so that later inputs see what it defines.
    Definition(&'static str),
    Expression,
}

fn kind(text: &str) -> Kind {
    let text = text.trim_start();
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    match word {
        "import" => Kind::Definition("open"),
        "def" | "type" | "module" | "open" | "entry" | "local" => Kind::Definition(""),
        // With `in` it is an expression, without it an old way to write `def`.
        "let" => {
            let mut sources = SourceMap::new();
            let file = sources.add("", text.to_string());
            let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
            kenaz_syntax::parse_file(&mut ast, file, text, &mut diagnostics);
            if diagnostics.has_errors() { Kind::Expression } else { Kind::Definition("") }
        }
        _ if text.starts_with("#[") => {
            let attributed = text.split_once(']').map_or("", |(_, rest)| rest);
            kind(attributed)
        }
        _ => Kind::Expression,
    }
}

/// The files of this machine, and the inputs.
#[derive(Default)]
struct Files(MemoryFileSystem);

impl FileSystem for Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if self.0.exists(path) { self.0.read(path) } else { RealFileSystem.read(path) }
    }

    fn exists(&self, path: &Path) -> bool {
        self.0.exists(path) || RealFileSystem.exists(path)
    }
}
