//! The compiler: from the text of a program to any stage, with what there is to say about it.

use crate::derivatives;
use crate::pipeline::{self, BrokenPass, Options, Pipeline, Report};
use crate::select::{Selection, SelectionError};
use crate::warn;
use kenaz_base::{Code, Diagnostic, FileSystem, Severity, SourceMap, render};
use kenaz_ir::{CheckError, Prog, Refusal, Stage, Target};
use kenaz_sema::{Checked, Reading};
use kenaz_syntax::ast::{Expr, ExprKind};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Compiles programs of a file system for a target.
#[derive(Clone)]
pub struct Compiler<'f> {
    pub fs: &'f dyn FileSystem,
    pub target: &'static Target,
    pub settings: Settings,
}

/// How programs are compiled.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How their text is read.
    pub reading: Reading,
    /// Which passes run.
    pub selection: Selection,
    /// Stop after this many rewrites.
    pub fuel: Option<u64>,
    /// Ask the checker after every pass.
    pub check_passes: bool,
}

/// The usual passes, with the checker between them in debug builds.
impl Default for Settings {
    fn default() -> Settings {
        let (reading, selection) = (Reading::default(), Selection::default());
        Settings { reading, selection, fuel: None, check_passes: cfg!(debug_assertions) }
    }
}

/// A program of the IR, and what is known about it.
pub struct Compilation {
    /// The file of the program.
    pub path: PathBuf,
    pub sources: SourceMap,
    /// What the front end has to say, sorted by position: warnings only.
    pub diagnostics: Vec<Diagnostic>,
    pub prog: Prog,
    /// The passes that have run, and what the program is for.
    pub pipeline: Pipeline,
    pub report: Report,
    /// Whether the checker is asked about what becomes of it, too.
    pub is_checked: bool,
}

/// A program that the front end does not accept.
pub struct Rejected {
    pub sources: SourceMap,
    /// Sorted by position, with warnings; one at least is an error.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why there is no program of the stage that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error(transparent)]
    Rejected(#[from] Box<Rejected>),
    #[error(transparent)]
    Selection(#[from] SelectionError),
    #[error(transparent)]
    Broken(#[from] Box<BrokenPass>),
}

/// Why there is no program in a file of IR.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("{}:{error}", path.display())]
    Syntax { path: PathBuf, error: kenaz_ir::parse::ParseError },
}

impl<'f> Compiler<'f> {
    /// A compiler with the usual settings.
    pub fn new(fs: &'f dyn FileSystem, target: &'static Target) -> Compiler<'f> {
        Compiler { fs, target, settings: Settings::default() }
    }

    /// The same with other settings.
    #[must_use]
    pub fn with(self, settings: Settings) -> Compiler<'f> {
        Compiler { settings, ..self }
    }

    /// The typed program in a file, with its sources and what there is to say about it.
    pub fn check(&self, path: &Path) -> Checked {
        kenaz_sema::check_file_as(path, self.fs, &self.settings.reading)
    }

    /// All that is known about a program without compiling it: what [`Compiler::check`] finds and, where it has
    /// attributes that must be obeyed, whether they can be.
    pub fn check_with_strategies(&self, path: &Path) -> (SourceMap, Vec<Diagnostic>) {
        let checked = self.check(path);
        let is_binding = |(_, expr): (_, &Expr)| match &expr.kind {
            ExprKind::Attr(attr, _) => attr.meaning.is_ok_and(|attr| attr.is_binding()),
            _ => false,
        };
        if checked.diagnostics.has_errors() || !checked.ast.exprs.iter().any(is_binding) {
            return (checked.sources, checked.diagnostics.into_sorted());
        }
        let plain: Vec<Diagnostic> = checked.diagnostics.iter().cloned().collect();
        match self.elaborate_checked(path, checked) {
            Ok(compilation) => (compilation.sources, compilation.diagnostics),
            // What cannot be compiled yet is not wrong.
            Err(rejected) if rejected.is_ours() => (rejected.sources, plain),
            Err(rejected) => (rejected.sources, rejected.diagnostics),
        }
    }

    /// The program in a file in the array stage, before all passes; only derivatives are written out.
    pub fn elaborate(&self, path: &Path) -> Result<Compilation, Box<Rejected>> {
        self.elaborate_checked(path, self.check(path))
    }

    /// The same of a file that was checked before.
    pub fn elaborate_checked(&self, path: &Path, checked: Checked) -> Result<Compilation, Box<Rejected>> {
        let elaborated =
            if checked.diagnostics.has_errors() { None } else { Some(kenaz_elaborate::elaborate(&checked)) };
        let (sources, mut diagnostics) = (checked.sources, checked.diagnostics.into_sorted());
        match elaborated {
            Some(Ok(mut prog)) => {
                let refused = kenaz_schedule::illegal(&mut prog, None);
                diagnostics.extend(warn::refused(&prog, &refused));
                if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
                    return Err(Box::new(Rejected { sources, diagnostics }));
                }
                if let Err(diagnostic) = derivatives::expand(&mut prog, self.target) {
                    diagnostics.push(*diagnostic);
                    return Err(Box::new(Rejected { sources, diagnostics }));
                }
                let (pipeline, report) = (Pipeline::new(self.target, &[]), Report::default());
                let is_checked = self.settings.check_passes;
                Ok(Compilation { path: path.to_path_buf(), sources, diagnostics, prog, pipeline, report, is_checked })
            }
            Some(Err(diagnostic)) => {
                diagnostics.push(*diagnostic);
                Err(Box::new(Rejected { sources, diagnostics }))
            }
            None => Err(Box::new(Rejected { sources, diagnostics })),
        }
    }

    /// The program in a file at a stage.
    pub fn to(&self, path: &Path, stage: Stage) -> Result<Compilation, CompileError> {
        self.advance(self.elaborate(path)?, stage)
    }

    /// Leads a program that no pass has seen to a stage.
    pub fn advance(&self, mut compilation: Compilation, stage: Stage) -> Result<Compilation, CompileError> {
        let Settings { selection, fuel, check_passes, .. } = &self.settings;
        compilation.pipeline = selection.pipeline(self.target, stage)?;
        if compilation.pipeline.stage() > Stage::Array {
            let refused = kenaz_schedule::illegal(&mut compilation.prog, Some(self.target));
            compilation.diagnostics.extend(warn::refused(&compilation.prog, &refused));
            compilation = compilation.obeyed()?;
        }
        let options = Options { fuel: *fuel, check: *check_passes };
        compilation.report = pipeline::run(&mut compilation.prog, &compilation.pipeline, options, |_, _| {})?;
        compilation.obeyed()
    }

    /// The program in a file that holds the text of a stage of the IR. No pass runs, and nothing is checked.
    pub fn read(&self, path: &Path) -> Result<Compilation, ReadError> {
        let text = self.fs.read(path).map_err(|error| ReadError::Io { path: path.to_path_buf(), error })?;
        let prog = kenaz_ir::parse::prog(&String::from_utf8_lossy(&text))
            .map_err(|error| ReadError::Syntax { path: path.to_path_buf(), error })?;
        Ok(Compilation {
            path: path.to_path_buf(),
            sources: SourceMap::new(),
            diagnostics: Vec::new(),
            prog,
            pipeline: Pipeline::new(self.target, &[]),
            report: Report::default(),
            is_checked: self.settings.check_passes,
        })
    }
}

impl Compilation {
    /// What the passes have found that the user should know.
    pub fn findings(&self) -> Vec<Diagnostic> {
        if self.pipeline.passes.is_empty() {
            return Vec::new();
        }
        warn::warnings(&self.prog, &self.report.log)
    }

    /// The program, unless an attribute in it cannot be obeyed.
    fn obeyed(self) -> Result<Compilation, CompileError> {
        let refused: Vec<Refusal> = self.report.log.refusals().iter().cloned().collect();
        let mut diagnostics = [self.diagnostics.clone(), warn::refused(&self.prog, &refused)].concat();
        if diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error) {
            return Ok(self);
        }
        diagnostics.sort_by_key(|diagnostic| (diagnostic.primary.span, diagnostic.severity));
        Err(Box::new(Rejected { sources: self.sources, diagnostics }).into())
    }

    /// All that the user should know: what the front end says, and what the passes have found.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.diagnostics.iter().cloned().chain(self.findings()).collect()
    }

    /// The stage that the passes have led to.
    pub fn stage(&self) -> Stage {
        self.pipeline.stage()
    }

    /// Whether the program keeps the promises of its stage.
    pub fn check(&self) -> Result<(), CheckError> {
        kenaz_ir::check::stage(&self.prog, self.stage())
    }
}

impl Rejected {
    /// Whether it is not the user's mistake, but a fault of ours or something that is not supported yet.
    pub fn is_ours(&self) -> bool {
        let is_ours = |d: &Diagnostic| d.severity == Severity::Error && matches!(d.code, Code::Bug | Code::Limitation);
        self.diagnostics.iter().any(is_ours)
    }
}

/// As the user would see it, without colours.
impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render::terminal(&self.sources, &self.diagnostics, render::Style::PLAIN))
    }
}

impl fmt::Debug for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Rejected {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Artefact;
    use kenaz_base::{MemoryFileSystem, Symbol};
    use kenaz_ir::{Ownership, target};

    const MEMORY: Stage = Stage::Memory(Ownership::Settled);

    fn files(text: &str) -> MemoryFileSystem {
        MemoryFileSystem::new().with("a.fut", text)
    }

    fn path() -> &'static Path {
        Path::new("a.fut")
    }

    #[test]
    fn every_stage_and_every_artefact() {
        let files = files("entry main [n] (xs: [n]i32) = reduce (+) 0 (map (* 2) xs)\n");
        let compiler = Compiler::new(&files, &target::C);
        for stage in [Stage::Array, Stage::Parallel, MEMORY] {
            let compilation = compiler.to(path(), stage).unwrap();
            assert_eq!((compilation.stage(), compilation.check()), (stage, Ok(())));
            assert_eq!(compilation.entry_points()[0].name, "main");
            assert_eq!(compilation.report.times.len(), compilation.pipeline.passes.len());
        }
        let compilation = compiler.to(path(), MEMORY).unwrap();
        for artefact in [Artefact::Executable, Artefact::Server, Artefact::Library, Artefact::Module] {
            let file = compilation.emit(artefact);
            assert!(file.text.contains("entry_main"), "{artefact:?}");
            let is_library = artefact == Artefact::Library;
            assert_eq!((file.header.is_some(), file.manifest.is_some()), (is_library, is_library));
        }
    }

    #[test]
    fn what_is_rejected_says_why_and_whose_fault_it_is() {
        let wrong = files("def unused (x: i32) = 1\nentry main = nothing\n");
        let Err(CompileError::Rejected(rejected)) = Compiler::new(&wrong, &target::C).to(path(), MEMORY) else {
            panic!("it is accepted");
        };
        assert!(!rejected.is_ours());
        assert!(rejected.to_string().contains("error[unknown-name]"), "{rejected}");
    }

    #[test]
    fn settings_are_obeyed() {
        let text = "def twice (x: i32) = x + x\nentry main (x: i32) = twice x * (1 + 2)\n";
        let files = files(text);
        let mut compiler = Compiler::new(&files, &target::C);
        compiler.settings.reading.entry_points = vec![Symbol::intern("twice")];
        let names = |compilation: &Compilation| -> Vec<String> {
            compilation.entry_points().into_iter().map(|point| point.name).collect()
        };
        assert_eq!(names(&compiler.elaborate(path()).unwrap()), ["twice", "main"]);
        compiler.settings.selection.optimise = true;
        let whole = compiler.to(path(), Stage::Array).unwrap().report.log.used();
        compiler.settings.fuel = Some(1);
        let part = compiler.to(path(), Stage::Array).unwrap();
        assert!(whole > 1 && part.report.log.used() == 1, "{whole} rewrites\n{}", part.prog);
        compiler.settings.selection.after = Some("nothing".to_string());
        assert!(matches!(compiler.to(path(), Stage::Array), Err(CompileError::Selection(_))));
    }

    #[test]
    fn passes_find_what_never_works() {
        let files = files("entry main (x: i32) = [x, 2][7]\n");
        let compiler = Compiler::new(&files, &target::C);
        let findings = |stage| compiler.to(path(), stage).unwrap().findings();
        assert_eq!(findings(Stage::Array), []);
        assert_eq!(findings(MEMORY).iter().map(|d| d.code).collect::<Vec<_>>(), [Code::CheckAlwaysFails]);
    }

    #[test]
    fn text_of_the_ir_is_read() {
        let source = files("entry main (x: i32) = x + 1\n");
        let compilation = Compiler::new(&source, &target::C).to(path(), MEMORY).unwrap();
        let again = MemoryFileSystem::new().with("a.ir", compilation.prog.to_string()).with("b.ir", "fun");
        let compiler = Compiler::new(&again, &target::C);
        let read = compiler.read(Path::new("a.ir")).unwrap();
        assert_eq!(read.prog.to_string(), compilation.prog.to_string());
        let error = |path: &str| compiler.read(Path::new(path)).map(|_| ()).unwrap_err().to_string();
        assert!(error("b.ir").starts_with("b.ir:1:"), "{}", error("b.ir"));
        assert!(error("c.ir").starts_with("c.ir: "), "{}", error("c.ir"));
    }
}
