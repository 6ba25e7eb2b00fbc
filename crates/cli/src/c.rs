//! `kenaz c` and `kenaz multicore`: a program as C, compiled.

use crate::program::{self, Elaborated};
use crate::run::mistake;
use crate::{
    Outcome,
    check::outcome_of,
    output,
    passes::{PassArgs, Stage},
};
use kenaz_base::{Code, Diagnostic, FileSystem, RealFileSystem, Severity, SourceMap, Span, Symbol, render};
use kenaz_codegen::c::{self, CFile};
use kenaz_driver::build::{BuildError, Compiler};
use kenaz_ir::{Prog, Target};
use kenaz_sema::Reading;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How a program is compiled.
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to write the result; by default the name of the program without `.fut`
    #[arg(short, value_name = "OUT")]
    output: Option<PathBuf>,

    /// Make an executable, which is the default
    #[arg(long, conflicts_with_all = ["library", "server"])]
    executable: bool,

    /// Make a server, which reads commands from its standard input
    #[arg(long, conflicts_with = "library")]
    server: bool,

    /// Write C and a header, to be linked with other code, and a description of what is in them, as JSON
    #[arg(long)]
    library: bool,

    /// Do not print warnings
    #[arg(short = 'w')]
    no_warnings: bool,

    /// Say on standard error how long the passes took
    #[arg(short, long)]
    verbose: bool,

    /// Treat warnings as errors
    #[arg(long = "Werror")]
    warnings_are_errors: bool,

    /// Ignore `#[unsafe]`
    #[arg(long)]
    safe: bool,

    /// Treat this function as an entry point as well
    #[arg(long, value_name = "NAME")]
    entry_point: Vec<String>,

    /// The file holds the memory stage of a program, as text
    #[arg(long, hide = true)]
    from_ir: bool,
}

pub fn run(args: &Args, target: &'static Target) -> Outcome {
    let prog = if args.from_ir { memory_text(&args.file) } else { memory(args, target) };
    match prog {
        Ok(prog) => emit(args, target, &prog),
        Err(outcome) => outcome,
    }
}

/// The program in a file at the memory stage; what there is to say about it is printed.
fn memory(args: &Args, target: &'static Target) -> Result<Prog, Outcome> {
    if args.file.extension().is_none_or(|extension| extension != "fut") {
        return Err(mistake(&format!("{}: source files must have a .fut extension", args.file.display())));
    }
    let entry_points = args.entry_point.iter().map(|name| Symbol::intern(name)).collect();
    let reading = Reading { entry_points, safe: args.safe };
    let Elaborated { sources, mut diagnostics, mut prog } =
        program::elaborate_as(&args.file, &RealFileSystem, &reading);
    if let Some(prog) = &mut prog {
        let passes = PassArgs { stage: Stage::Memory, target, time_passes: args.verbose, ..PassArgs::default() };
        diagnostics.extend(passes.apply(prog)?);
    }
    if args.no_warnings {
        diagnostics.retain(|d| d.severity == Severity::Error);
    }
    if args.warnings_are_errors && diagnostics.iter().any(|d| d.severity == Severity::Warning) {
        for diagnostic in &mut diagnostics {
            diagnostic.severity = Severity::Error;
        }
        prog = None;
    }
    if !diagnostics.is_empty() {
        let _ = output::to_stderr(&render::terminal(&sources, &diagnostics, output::stderr_style()));
    }
    prog.ok_or_else(|| outcome_of(&diagnostics))
}

/// Prints what there is to say about a program as a whole.
fn say(path: &Path, diagnostic: impl FnOnce(Span) -> Diagnostic) -> Outcome {
    let mut sources = SourceMap::new();
    let file = sources.add(path, String::new());
    let diagnostic = diagnostic(Span::new(file, 0, 0));
    let outcome = outcome_of(std::slice::from_ref(&diagnostic));
    let _ = output::to_stderr(&render::terminal(&sources, &[diagnostic], output::stderr_style()));
    outcome
}

fn memory_text(path: &Path) -> Result<Prog, Outcome> {
    let text = RealFileSystem.read(path).map_err(|error| mistake(&format!("{}: {error}", path.display())))?;
    kenaz_ir::parse::prog(&String::from_utf8_lossy(&text))
        .map_err(|error| mistake(&format!("{}:{error}", path.display())))
}

fn emit(args: &Args, target: &'static Target, prog: &Prog) -> Outcome {
    let lowered = kenaz_driver::lower(prog, target);
    let options = options(&args.file, target);
    let file = kenaz_base::in_pass("codegen", || match (args.library, args.server) {
        (true, _) => c::library(&lowered, &options),
        (false, true) => c::server(&lowered, &options),
        (false, false) => c::executable(&lowered, &options),
    });
    let out = args.output.clone().unwrap_or_else(|| args.file.with_extension(""));
    let compile = |source: PathBuf| if args.library { Ok(()) } else { compile(args, target, &source, &out) };
    match write(&file, &out).and_then(compile) {
        Ok(()) => Outcome::Right,
        Err(outcome) => outcome,
    }
}

/// Writes the C, and the header and manifest of a library, beside where the result goes.
fn write(file: &CFile, out: &Path) -> Result<PathBuf, Outcome> {
    let beside = |extension: &str| {
        let mut name = OsString::from(out);
        name.push(extension);
        PathBuf::from(name)
    };
    let write = |path: PathBuf, text: &str| match std::fs::write(&path, text) {
        Ok(()) => Ok(path),
        Err(error) => {
            let _ = output::to_stderr(&format!("error: cannot write {}: {error}\n", path.display()));
            Err(Outcome::Failure)
        }
    };
    if let Some(header) = &file.header {
        write(beside(".h"), header)?;
    }
    if let Some(manifest) = &file.manifest {
        write(beside(".json"), manifest)?;
    }
    write(beside(".c"), &file.text)
}

fn compile(args: &Args, target: &'static Target, source: &Path, out: &Path) -> Result<(), Outcome> {
    match Compiler::from_env(target).executable(source, out) {
        Ok(()) => Ok(()),
        Err(error @ (BuildError::NoCompiler { .. } | BuildError::Io { .. })) => {
            let _ = output::to_stderr(&format!("error: {error}\n"));
            Err(Outcome::Failure)
        }
        Err(error @ BuildError::NoOpenMp { .. }) => {
            let hint = "`$CC` says which compiler to use; `kenaz c` makes a program for one core";
            let _ = output::to_stderr(&format!("error: {error}\nhint: {hint}\n"));
            Err(Outcome::Failure)
        }
        Err(BuildError::Refused { command, output }) => Err(refused(&args.file, &command, &output)),
    }
}

/// What we write is right, so if the C compiler refuses it, that is our fault.
pub fn refused(path: &Path, command: &str, said: &str) -> Outcome {
    say(path, |whole| {
        Diagnostic::error(Code::Bug, whole, "internal error: the C compiler refused our text")
            .note(format!("{command}\n{said}"))
            .hint(
                "this is a fault in Kenaz, not in your program, unless `$CC` or `$CFLAGS` are wrong: please report it",
            )
    })
}

/// How the program in a file is written as C.
pub fn options(path: &Path, target: &'static Target) -> c::Options {
    let source = path.file_name().unwrap_or_default().to_string_lossy().replace(['\n', '\\'], " ");
    c::Options { source, target }
}
