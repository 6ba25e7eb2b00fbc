//! The command line of `kenaz`.

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use kenaz_cli::{Outcome, bisect, c, check, dataset, explain_error, ir, output, repl, run, test};
use kenaz_driver::fault;
use std::process::ExitCode;

/// Kenaz, an optimising compiler for the data-parallel array language Futhark.
///
/// Exit codes: 0 all is right, 1 a run-time or test failure, 2 a mistake in the program or on the command line, 3 a
/// fault of the compiler itself or something it does not support yet.
#[derive(Parser)]
#[command(name = "kenaz", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Bisect(bisect::Args),
    #[command(flatten)]
    Compile(c::Compile),
    Check(check::Args),
    Dataset(dataset::Args),
    ExplainError(explain_error::Args),
    Ir(ir::Args),
    Repl(repl::Args),
    Run(run::Args),
    Test(test::Args),
}

fn main() -> ExitCode {
    fault::install_hook(output::fault);
    // Subcommands are listed by name.
    let matches = Cli::command().mut_subcommands(|command| command.display_order(0)).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let outcome = fault::guard(|| match cli.command {
        Command::Bisect(args) => bisect::run(&args),
        Command::Compile(args) => c::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Dataset(args) => dataset::run(&args),
        Command::ExplainError(args) => explain_error::run(&args),
        Command::Ir(args) => ir::run(&args),
        Command::Repl(args) => repl::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Test(args) => test::command(&args),
    });
    outcome
        .unwrap_or_else(|fault| {
            output::fault(&fault);
            Outcome::Fault
        })
        .into()
}
