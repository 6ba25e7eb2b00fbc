//! `cargo xtask`: the chores of this repository.

#![expect(clippy::print_stderr, reason = "a command line says there what it does and what went wrong")]

mod allocations;
mod bench;
mod foreign;
mod gpu;
mod mutants;
mod nvrtc;
mod progress;
mod python;
mod reasons;
mod soacs;
mod step;
mod test;
mod vsix;

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test [--fast]        everything that must hold before a commit: format, lints, all tests; --fast leaves out the lints
  bless [FILTER…]      run the tests with BLESS=1, which rewrites their expectations: read the diff before you commit it
  bench check [RUNS]   time `kenaz check` in a release build
  bench interp [--peer PATH]
                       time `kenaz run --interpret` in a release build, and `PATH run` for comparison
  bench optimise [--peer PATH]
                       time the way from text to optimised IR in a release build, and `PATH dev -s` for comparison
  bench c …            time compiled programs, those of a `futhark` and C++; `cargo xtask bench c --help` says how
  bench multicore …    time programs on several cores, those of a `futhark`, NumPy and C by hand, and write
                       bench/RESULTS.md; `cargo xtask bench multicore --help` says how
  bench apps …         time whole programs and those of a `futhark`, and write them there too
  bench ad …           time derivatives against their functions and those of a `futhark`
  bench gpu …          time programs on a device and those of a `futhark`, and write bench/RESULTS-GPU.md
  compiled …           compile and test all programs of tests/run, with the options of `kenaz test`
  gallery [--check]    make docs/gallery.md and its pictures, or say what is not up to date
  foreign [--ours PATH] [--peer PATH] [python|rust|peer]…
                       clients that others have written, unchanged, with our compiler: packages from PyPI, crates, and the
                       tools of the `futhark` at PATH; says what is missing
  gpu [--backend cuda|opencl] [--ours PATH] [--print] [PATH…]
                       run all of tests/run, the small cases of bench and programs of other folders on a device, and with
                       CUDA a sample under compute-sanitizer; --print only shows the commands
  reasons SUITE        whether programs of the public suite are rejected for the reason in tests/conformance/rejects.tsv
  soacs SUITE --peer PATH
                       how many second-order operators are left of the programs of the public suite, and of PATH's
  allocations FOLDER… [--peer PATH] [--ours PATH] [--csv FILE] [--into FILE.md]
                       how many allocations and copies there are in the programs of folders, such as the public suite and
                       bench/apps, and in PATH's; fails if ours are no more in less than 97 % of one of them. Another kenaz
                       can be counted than ours; --into writes a part of bench/RESULTS.md
  random …             run random programs, and with --tests those of tests/run, before and after every pass of the optimiser;
                       `cargo xtask random --help` says how
  mutants [FILTER…]    whether that, the cases in tests/ir or a test of the optimiser find the bugs in crates/*/mutations
  nvrtc [--all] [--ours PATH]
                       whether the compilers of CUDA accept the kernels of a sample of tests/run; needs no GPU
  wheel [--dev]        build the package for Python as a wheel in target/wheels; with --dev from the crates of the tests
  python [--release] [FILTER…]
                       build the wheel, install it where nothing else is, and run python/tests
  sanitize …           run the programs of tests/run as C under the sanitizers or valgrind, with --faults also without memory,
                       with --threads on several cores under ThreadSanitizer;
                       `cargo xtask sanitize --help` says how
  vsix [OUT]           the extension for VS Code as one file, target/kenaz.vsix; needs npm
  mutate …             run mutants of programs through the compiler; `cargo xtask mutate help` says how
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all went well; what did not has been printed.
fn run(args: &[&str]) -> Result<bool> {
    // Cargo sets the folder of this package; the repository is the one around it.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))?;
    match args {
        ["test"] => return test::test(test::Lints::Checked),
        ["test", "--fast"] => return test::test(test::Lints::LeftOut),
        ["bless", filter @ ..] => test::bless(filter)?,
        ["vsix"] => vsix::vsix(None)?,
        ["vsix", out] => vsix::vsix(Some(out))?,
        ["bench", "check"] => bench::check(21)?,
        ["bench", "check", runs] => bench::check(runs.parse()?)?,
        ["bench", "interp"] => bench::interp(None)?,
        ["bench", "interp", "--peer", peer] => bench::interp(Some(Path::new(peer)))?,
        ["bench", "optimise"] => bench::optimise(None)?,
        ["bench", "optimise", "--peer", peer] => bench::optimise(Some(Path::new(peer)))?,
        ["bench", target, args @ ..] if !["check", "interp", "optimise"].contains(target) => {
            return tool("kenaz-bench", &[&[*target], args].concat());
        }
        ["compiled", args @ ..] => return tool("kenaz", &[&["test", "--backend", "c", "tests/run"], args].concat()),
        ["gallery", args @ ..] => {
            return tool("kenaz", &[&["literate", "examples/gallery.fut", "-o", "docs/gallery.md"], args].concat());
        }
        ["foreign", args @ ..] => return foreign::foreign(args),
        ["gpu", args @ ..] => return gpu::gpu(args),
        ["soacs", suite, "--peer", peer] => soacs::soacs(suite, peer)?,
        ["allocations", args @ ..] => return allocations::allocations(args),
        ["reasons", suite] => reasons::reasons(suite)?,
        ["random", args @ ..] => return tool("kenaz-compare", args),
        ["mutants", filters @ ..] => return mutants::mutants(filters),
        ["nvrtc", args @ ..] => nvrtc::nvrtc(args)?,
        ["wheel", args @ ..] => _ = python::wheel(args)?,
        ["python", args @ ..] => python::test(args)?,
        ["sanitize", args @ ..] => return tool("kenaz-sanitize", args),
        ["mutate", args @ ..] => return tool("kenaz-mutate", args),
        ["help" | "--help" | "-h"] | [] => print!("{USAGE}"),
        _ => bail!("unknown command `{}`\n\n{USAGE}", args.join(" ")),
    }
    Ok(true)
}

/// Larger tools are programs of their own, so that this one stays small; they are built as users get the compiler.
fn tool(package: &str, args: &[&str]) -> Result<bool> {
    let mut command = step::cargo(&format!("run --quiet --release --package {package} --"));
    let status = command.args(args).status().with_context(|| format!("cannot start {command:?}"))?;
    Ok(status.success())
}
