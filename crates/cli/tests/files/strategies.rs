//! The examples of docs/strategies.md: each is compiled for the target behind its language, without a word, and run.
//!
//! The programs of tests/strategies are those of the paper on strategies: the file `.c` next to one is its own part of
//! the C for the target on its second line, kernels included. No pass touches what is pinned.
//!
//! tests/strategies/broken.txt has programs that cannot be obeyed, each with one that can.

use crate::devices::has_opencl;
use crate::language::shown;
use crate::{Result, list, read};
use kenaz_base::{RealFileSystem, attr};
use kenaz_cli::check::check_for;
use kenaz_driver::{Artefact, Compiler};
use kenaz_ir::target::Dialect;
use kenaz_ir::{Attr, Ownership, Space, Stage, Target};
use kenaz_runtime::Tolerance;
use kenaz_testing::executors::{CompiledByC, Interpreter};
use kenaz_testing::{Executor, Options, run};
use libtest_mimic::Trial;
use std::fs;
use std::path::Path;
use std::time::Duration;

const PAGE: &str = "docs/strategies.md";

/// The programs with their C.
const FOLDER: &str = "tests/strategies";

/// A trial for each example, for each program and for each pair of programs, and one for the page.
pub(crate) fn trials(bless: bool) -> Vec<Trial> {
    let page = read(PAGE).expect("the page is there");
    let mut trials = Vec::new();
    let mut lines = page.lines();
    let mut heading = String::new();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            heading = line.trim_start_matches(['#', ' ', '`']).trim_end_matches('`').to_string();
        }
        let Some(target) = line.strip_prefix("```futhark target=") else { continue };
        let target = target.to_string();
        let body = lines.by_ref().take_while(|line| !line.starts_with("```"));
        let text: String = body.map(|line| format!("{line}\n")).collect();
        let (name, number) = (format!("{PAGE}: {heading}, {target}"), trials.len());
        trials.push(Trial::test(name, move || example(&format!("example{number}"), &target, &text)));
    }
    for path in list(FOLDER, "fut") {
        trials.push(Trial::test(path.display().to_string(), move || as_written(&path, bless)));
    }
    trials.extend(pairs());
    trials.push(Trial::test(format!("{PAGE}: every attribute"), move || every_attribute(&page)));
    trials
}

fn example(name: &str, target: &str, text: &str) -> Result {
    let target = Target::from_name(target).ok_or("there is no such target")?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strategies").join(name);
    fs::create_dir_all(&folder)?;
    let path = folder.join("main.fut");
    fs::write(&path, text)?;
    let (sources, diagnostics) = check_for(&path, &RealFileSystem, target);
    if !diagnostics.is_empty() {
        return Err(shown(&sources, &diagnostics).into());
    }
    runs(&path, target)
}

/// Whether the test blocks of a program hold, where there is something that runs it.
fn runs(path: &Path, target: &'static Target) -> Result {
    if target.host_space == Space::Device && !(target.dialect == Dialect::OpenCl && has_opencl()) {
        return Ok(());
    }
    let mut executor = CompiledByC::new(target, Duration::from_secs(60))?;
    executor.tools.compiler = executor.tools.compiler.with_default_flags(&["-O1"]);
    passes(path, &executor)
}

fn passes(path: &Path, executor: &dyn Executor) -> Result {
    let options = Options {
        executor,
        reference: Some(&Interpreter::default()),
        cache: None,
        tolerance: Tolerance::STRICT,
        exclude: Vec::new(),
        threads: Some(1),
        progress: false,
    };
    let report = run(&[path.to_path_buf()], &options);
    if report.failed() > 0 { Err(report.to_string().into()) } else { Ok(()) }
}

/// Whether a program becomes the C beside it.
fn as_written(path: &Path, bless: bool) -> Result {
    let text = read(path)?;
    let name = text.lines().nth(1).and_then(|line| line.strip_prefix("-- target: ")).ok_or("line 2 has no target")?;
    let target = Target::from_name(name).ok_or("there is no such target")?;
    let mut compiler = Compiler::new(&RealFileSystem, target);
    compiler.settings.check_passes = true;
    let compilation = compiler.to(path, Stage::Memory(Ownership::Settled))?;
    let lowered = compilation.lower();
    kenaz_imp::check(&lowered).map_err(|error| format!("the imperative IR is not right: {error:?}"))?;
    let file = compilation.emit_lowered(&lowered, Artefact::Executable);
    let (expected, found) = (path.with_extension("c"), &file.text[file.program.clone()]);
    if bless {
        fs::write(&expected, found)?;
    } else if fs::read_to_string(&expected).unwrap_or_default() != found {
        return Err(format!("{} is not\n{found}", expected.display()).into());
    }
    runs(path, target)
}

/// A trial for each pair of tests/strategies/broken.txt: a line `== ID TARGET`, a program about which this is said, a
/// line `--`, and its twin with test blocks.
fn pairs() -> Vec<Trial> {
    let path = format!("{FOLDER}/broken.txt");
    let text = read(&path).expect("the file is there");
    let mut trials = Vec::new();
    for (number, pair) in text.split("\n== ").skip(1).enumerate() {
        let (head, rest) = pair.split_once('\n').unwrap_or((pair, ""));
        let (id, target) = head.trim().split_once(' ').unwrap_or((head, ""));
        let (broken, repaired) = rest.split_once("\n--\n").unwrap_or((rest, ""));
        let name = format!("pair{}", number + 1);
        let title = format!("{path}: {name}, {id}");
        let pair = [id, target, broken, repaired].map(str::to_string);
        trials.push(Trial::test(title, move || twins(&name, number % 5 == 0, &pair)));
    }
    let count = trials.len();
    trials.push(Trial::test(format!("{path}: there are enough"), move || {
        if count >= 40 { Ok(()) } else { Err(format!("only {count}").into()) }
    }));
    trials
}

fn twins(name: &str, is_compiled: bool, [id, target, broken, repaired]: &[String; 4]) -> Result {
    const LIBRARY: &str = "module s = import \"strategy\"\n";
    let of = Target::from_name(target).ok_or("there is no such target")?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strategies").join(name);
    fs::create_dir_all(&folder)?;
    let path = folder.join("broken.fut");
    fs::write(&path, format!("{LIBRARY}{broken}\n"))?;
    let (sources, diagnostics) = check_for(&path, &RealFileSystem, of);
    if diagnostics.is_empty() || diagnostics.iter().any(|diagnostic| diagnostic.code.id() != id) {
        return Err(format!("expected: {id}\nactual:\n{}", shown(&sources, &diagnostics)).into());
    }
    if !repaired.contains("-- ==") {
        return Err("the repaired program has no test block".into());
    }
    // Each runs, every fifth on its target.
    let path = folder.join("main.fut");
    fs::write(&path, format!("{LIBRARY}{repaired}\n"))?;
    let (sources, diagnostics) = check_for(&path, &RealFileSystem, of);
    match diagnostics.is_empty() {
        false => Err(shown(&sources, &diagnostics).into()),
        true if is_compiled => runs(&path, of),
        true => passes(&path, &Interpreter::default()),
    }
}

/// Each attribute that is obeyed or refused has a section of its own.
fn every_attribute(page: &str) -> Result {
    let one = attr::Arg::Number(4);
    for name in Attr::names() {
        let args: [Option<&[attr::Arg]>; 3] = [None, Some(&[one]), Some(&[one, one])];
        let is_binding = args.into_iter().filter_map(|args| Attr::parse(name, args).ok()).any(Attr::is_binding);
        let has_section =
            |line: &str| line.starts_with(&format!("### `#[{name}]")) || line.starts_with(&format!("### `#[{name}("));
        if is_binding && !page.lines().any(has_section) {
            return Err(format!("`#[{name}]` has no section").into());
        }
    }
    Ok(())
}
