//! `kenaz c`, `kenaz multicore`: a program as C, compiled. There is a subcommand for every target.

use crate::program::{self, mistake};
use crate::warn::WarnArgs;
use crate::{Outcome, check::outcome_of, output, passes::PassArgs, passes::Stage};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, Command, Error, FromArgMatches, Subcommand};
use kenaz_base::{Code, Diagnostic, Severity, SourceMap, Span, Symbol};
use kenaz_driver::native::build::default_flags;
use kenaz_driver::native::{BuildError, CCompiler};
use kenaz_driver::{Artefact, Compilation, CompileError, Compiler};
use kenaz_ir::{Level, Target};
use kenaz_sema::Reading;
use std::path::{Path, PathBuf};

/// A program to be compiled for a target.
pub struct Compile {
    target: &'static Target,
    args: Args,
}

/// How a program is compiled.
#[derive(clap::Args)]
struct Args {
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

    #[command(flatten)]
    warn: WarnArgs,

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

impl Subcommand for Compile {
    fn augment_subcommands(command: Command) -> Command {
        Target::ALL.iter().fold(command, |command, target| command.subcommand(subcommand(target)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Compile::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Target::from_name(name).is_some()
    }
}

impl FromArgMatches for Compile {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Compile, Error> {
        let found = matches.subcommand().and_then(|(name, matches)| Some((Target::from_name(name)?, matches)));
        let (target, matches) = found.ok_or_else(|| Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Compile { target, args: Args::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Compile::from_arg_matches(matches)?;
        Ok(())
    }
}

fn subcommand(target: &Target) -> Command {
    let about = format!("Compile a program to {}", target.about);
    let flags = default_flags(target).join(" ");
    let mut more = format!(
        "The C compiler is `$CC` or `cc`, with the flags `$CFLAGS` or `{flags}`, after \
         `-fno-math-errno -fno-trapping-math -ffp-contract=fast`"
    );
    if target.runs(Level::Core) {
        more.push_str(", and `-pthread` in any case. The executable or server takes `--num-threads`");
    }
    Args::augment_args(Command::new(target.name)).long_about(format!("{about}\n\n{more}.")).about(about)
}

/// How programs are read according to options of a compiler, as another command passes them on; or what is wrong with
/// them.
pub fn reading(options: &[String]) -> Result<Reading, String> {
    let words = ["kenaz"].into_iter().chain(options.iter().map(String::as_str)).chain(["--", "a.fut"]);
    let matches = Args::augment_args(Command::new("kenaz")).try_get_matches_from(words);
    let args = matches.and_then(|matches| Args::from_arg_matches(&matches)).map_err(|error| {
        let said = error.render().to_string();
        let line = said.lines().next().unwrap_or_default();
        format!("as an option of the compiler: {}", line.trim_start_matches("error: "))
    })?;
    Ok(args.reading())
}

impl Args {
    fn reading(&self) -> Reading {
        let entry_points = self.entry_point.iter().map(|name| Symbol::intern(name)).collect();
        Reading { entry_points, safe: self.safe }
    }
}

pub fn run(&Compile { target, ref args }: &Compile) -> Outcome {
    let passes = PassArgs { stage: Stage::Memory, target, time_passes: args.verbose, ..PassArgs::default() };
    let mut compiler = passes.compiler();
    compiler.settings.reading = args.reading();
    let compiled = if args.from_ir {
        compiler.read(&args.file).map_err(|error| mistake(&error.to_string()))
    } else {
        memory(args, &passes, &compiler)
    };
    match compiled {
        Ok(compilation) => build(args, &compilation),
        Err(outcome) => outcome,
    }
}

/// The program in a file at the memory stage; what there is to say about it is printed.
fn memory(args: &Args, passes: &PassArgs, compiler: &Compiler) -> Result<Compilation, Outcome> {
    if args.file.extension().is_none_or(|extension| extension != "fut") {
        return Err(mistake(&format!("{}: source files must have a .fut extension", args.file.display())));
    }
    match compiler.to(&args.file, passes.stage.of_ir()) {
        Ok(compilation) => {
            passes.tell(&compilation);
            let mut warnings = compilation.warnings();
            warnings.extend(args.warn.about(&compilation));
            match say(args, &compilation.sources, &mut warnings) {
                Outcome::Right => Ok(compilation),
                outcome => Err(outcome),
            }
        }
        Err(CompileError::Rejected(mut rejected)) => Err(say(args, &rejected.sources, &mut rejected.diagnostics)),
        Err(error) => Err(program::failed(error, false)),
    }
}

/// Prints diagnostics as the options want them, and says what they mean for the program.
fn say(args: &Args, sources: &SourceMap, diagnostics: &mut Vec<Diagnostic>) -> Outcome {
    if args.no_warnings {
        diagnostics.retain(|d| d.severity == Severity::Error);
    }
    if args.warnings_are_errors && diagnostics.iter().any(|d| d.severity == Severity::Warning) {
        diagnostics.iter_mut().for_each(|diagnostic| diagnostic.severity = Severity::Error);
    }
    program::print(sources, diagnostics);
    outcome_of(diagnostics)
}

fn build(args: &Args, compilation: &Compilation) -> Outcome {
    let artefact = match (args.library, args.server) {
        (true, _) => Artefact::Library,
        (false, true) => Artefact::Server,
        (false, false) => Artefact::Executable,
    };
    let out = args.output.clone().unwrap_or_else(|| args.file.with_extension(""));
    let built = CCompiler::from_env(compilation.pipeline.target)
        .and_then(|compiler| compilation.build(artefact, &compiler, &out));
    match built {
        Ok(()) => Outcome::Right,
        Err(error) => not_built(&args.file, &error, None),
    }
}

/// Says why the program in a file was not built, with what to do without a C compiler.
pub fn not_built(path: &Path, error: &BuildError, no_compiler: Option<&str>) -> Outcome {
    let (outcome, hint) = match error {
        BuildError::Refused { command, output } => return refused(path, command, output),
        BuildError::NoCompiler { .. } => (Outcome::Failure, no_compiler),
        BuildError::Unusable { .. } | BuildError::Flags { .. } | BuildError::Unloadable { .. } => {
            (Outcome::Mistake, Some(UNUSABLE))
        }
        BuildError::Occupied { .. } => (Outcome::Mistake, Some("`-o` names another file, or remove this one")),
        BuildError::Words { .. } => (Outcome::Mistake, Some("it is read as a shell would read it")),
        BuildError::Io { .. } => (Outcome::Mistake, None),
    };
    let hint = hint.map_or(String::new(), |hint| format!("hint: {hint}\n"));
    let _ = output::to_stderr(&format!("error: {error}\n{hint}"));
    outcome
}

/// What to do when the C compiler cannot compile anything.
const UNUSABLE: &str = "`$CC` says which compiler to use, and `$CFLAGS` with which flags; it needs room on the disk, also \
                        for the files in `$TMPDIR`";

/// Our C is right for any program, so if the C compiler refuses it, that is our fault.
fn refused(path: &Path, command: &str, said: &str) -> Outcome {
    let mut sources = SourceMap::new();
    let file = sources.add(path, String::new());
    let what = "internal error: the C compiler refused our text";
    let diagnostic = Diagnostic::error(Code::Bug, Span::new(file, 0, 0), what)
        .note(format!("{command}\n{said}"))
        .hint("this is a fault in Kenaz, not in your program: please report it, with the program and this message");
    program::print(&sources, std::slice::from_ref(&diagnostic));
    outcome_of(&[diagnostic])
}
