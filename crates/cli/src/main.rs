//! The command line of `kenaz`.

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use kenaz_base::temporary;
use kenaz_cli::{
    Outcome, autotune, bench, bisect, c, check, dataset, devices, doc, examples, explain, explain_error, fmt, hash,
    interrupt, ir, literate, lsp, memory, new, output, pkg, program, repl, run, shell, test, tune,
};
use kenaz_driver::fault;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

/// Kenaz, an optimising compiler for the data-parallel array language Futhark.
///
/// Exit codes: 0 all is right, 1 a run-time or test failure, 2 a mistake in the program or on the command line, 3 a
/// fault of the compiler itself or something it does not support yet.
///
/// The compiler takes at most 4 GiB of memory for a program, or as much as `$KENAZ_MEMORY` says: `512M`, `8G`, `none`.
#[derive(Parser)]
#[command(name = "kenaz", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Autotune(autotune::Args),
    Bench(Box<bench::Args>),
    Bisect(bisect::Args),
    #[command(flatten)]
    Compile(c::Compile),
    Check(check::Args),
    Completions(shell::Completions),
    Dataset(dataset::Args),
    Devices(devices::Args),
    Doc(doc::Args),
    Explain(explain::Args),
    ExplainError(explain_error::Args),
    Fmt(fmt::Args),
    Hash(hash::Args),
    Ir(ir::Args),
    Literate(literate::Args),
    Lsp(lsp::Args),
    Man(shell::ManArgs),
    New(new::Args),
    Pkg(pkg::Args),
    Repl(repl::Args),
    Run(run::Args),
    Test(test::Args),
    Tune(tune::Args),
}

impl Command {
    /// Whether the memory that the command takes is that of the compiler, for one program after the other.
    fn is_limited(&self) -> bool {
        match self {
            Command::Compile(_)
            | Command::Check(_)
            | Command::Explain(_)
            | Command::Hash(_)
            | Command::Ir(_)
            | Command::Run(_) => true,
            Command::Autotune(_)
            | Command::Bench(_)
            | Command::Bisect(_)
            | Command::Completions(_)
            | Command::Dataset(_)
            | Command::Devices(_)
            | Command::Doc(_)
            | Command::ExplainError(_)
            | Command::Lsp(_)
            | Command::Pkg(_)
            | Command::Fmt(_)
            | Command::Literate(_)
            | Command::Man(_)
            | Command::New(_)
            | Command::Repl(_)
            | Command::Test(_)
            | Command::Tune(_) => false,
        }
    }
}

/// So that the memory of the compiler has a limit.
#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

/// The command line with all that its help says. Subcommands are listed by name. Options may be cut short where that is
/// clear, as those of Futhark.
fn command() -> clap::Command {
    examples::add(Cli::command()).mut_subcommands(|command| command.display_order(0).infer_long_args(true))
}

fn main() -> ExitCode {
    fault::install_hook(output::fault);
    let cli = match command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(answer) => return say(&answer).into(),
    };
    // The REPL stops its evaluation instead.
    if !matches!(cli.command, Command::Repl(_)) && !interrupt::hangups_are_ignored() {
        // Without it an interrupt leaves temporary files behind, nothing else.
        let _ = ctrlc::set_handler(|| {
            temporary::remove_all();
            std::process::exit(interrupt::EXIT_CODE);
        });
    }
    if cli.command.is_limited()
        && let Err(message) = memory::limit()
    {
        return program::mistake(&message).into();
    }
    let outcome = fault::guard(|| match cli.command {
        Command::Bench(args) => bench::run(&args),
        Command::Bisect(args) => bisect::run(&args),
        Command::Compile(args) => c::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Completions(args) => shell::completions(&args, command()),
        Command::Dataset(args) => dataset::run(&args),
        Command::Devices(args) => devices::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Doc(args) => doc::run(&args),
        Command::ExplainError(args) => explain_error::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Hash(args) => hash::run(&args),
        Command::Ir(args) => ir::run(&args),
        Command::Literate(args) => literate::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Man(args) => shell::man(&args, command()),
        Command::New(args) => new::run(&args),
        Command::Pkg(args) => pkg::run(&args),
        Command::Repl(args) => repl::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Test(args) => test::command(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Autotune(args) => autotune::run(&args),
    });
    kenaz_base::memory::wait_if_passed();
    outcome
        .unwrap_or_else(|fault| {
            output::fault(&fault);
            Outcome::Fault
        })
        .into()
}

/// Says what is wrong with the command line, or the help or version that it asks for.
fn say(answer: &clap::Error) -> Outcome {
    let text = |is_terminal: bool| {
        let text = answer.render();
        if is_terminal { text.ansi().to_string() } else { text.to_string() }
    };
    if answer.use_stderr() {
        let _ = output::to_stderr(&text(io::stderr().is_terminal()));
        return Outcome::Mistake;
    }
    output::to_stdout(&text(io::stdout().is_terminal())).map_or_else(|failure| failure, |()| Outcome::Right)
}
