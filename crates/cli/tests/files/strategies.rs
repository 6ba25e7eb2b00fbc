//! The examples of docs/strategies.md: each is compiled for the target behind its language, without a word, and run.

use crate::devices::has_opencl;
use crate::language::shown;
use crate::{Result, read};
use kenaz_base::{RealFileSystem, attr};
use kenaz_cli::check::check_for;
use kenaz_ir::target::Dialect;
use kenaz_ir::{Attr, Space, Target};
use kenaz_runtime::Tolerance;
use kenaz_testing::executors::{CompiledByC, Interpreter};
use kenaz_testing::{Options, run};
use libtest_mimic::Trial;
use std::fs;
use std::path::Path;
use std::time::Duration;

const PAGE: &str = "docs/strategies.md";

/// A trial for each example, and one for the page.
pub(crate) fn trials() -> Vec<Trial> {
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
    if target.host_space == Space::Device && !(target.dialect == Dialect::OpenCl && has_opencl()) {
        return Ok(());
    }
    let mut executor = CompiledByC::new(target, Duration::from_secs(60))?;
    executor.tools.compiler = executor.tools.compiler.with_default_flags(&["-O1"]);
    let options = Options {
        executor: &executor,
        reference: Some(&Interpreter::default()),
        cache: None,
        tolerance: Tolerance::STRICT,
        exclude: Vec::new(),
        threads: Some(1),
        progress: false,
    };
    let report = run(&[path], &options);
    if report.failed() > 0 { Err(report.to_string().into()) } else { Ok(()) }
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
