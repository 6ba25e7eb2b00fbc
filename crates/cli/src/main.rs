//! The command line of `kenaz`.

use clap::{Parser, Subcommand};
use kenaz_cli::{Outcome, bisect, c, check, dataset, explain_error, ir, output, repl, run, test};
use kenaz_driver::fault;
use kenaz_ir::target;
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
    /// Compile a program to sequential C
    ///
    /// The C compiler is `$CC` or `cc`, with the flags `$CFLAGS` or `-O3 -march=native`, behind
    /// `-fno-math-errno -fno-trapping-math -ffp-contract=fast`.
    C(c::Args),
    Check(check::Args),
    Dataset(dataset::Args),
    ExplainError(explain_error::Args),
    Ir(ir::Args),
    /// Compile a program to C that uses all cores
    ///
    /// The C compiler is `$CC` or `cc`, with the flags `$CFLAGS` or `-O3 -march=native`, behind
    /// `-fno-math-errno -fno-trapping-math -ffp-contract=fast`, and `-fopenmp` in any case. The executable or server takes `--num-threads`.
    Multicore(c::Args),
    Repl(repl::Args),
    Run(run::Args),
    Test(test::Args),
}

fn main() -> ExitCode {
    fault::install_hook(output::fault);
    let cli = Cli::parse();
    let outcome = fault::guard(|| match cli.command {
        Command::Bisect(args) => bisect::run(&args),
        Command::C(args) => c::run(&args, &target::C),
        Command::Check(args) => check::run(&args),
        Command::Dataset(args) => dataset::run(&args),
        Command::ExplainError(args) => explain_error::run(&args),
        Command::Ir(args) => ir::run(&args),
        Command::Multicore(args) => c::run(&args, &target::MULTICORE),
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
