//! Programs of tests/run that cover every form of kernel, on a device by way of OpenCL. `cargo xtask test` says how to
//! install one that needs no hardware; without any there is one trial, which is left out.

use crate::Result;
use kenaz_ir::target;
use kenaz_runtime::Tolerance;
use kenaz_testing::executors::{CompiledByC, Interpreter};
use kenaz_testing::{Options, find_programs, run};
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folders of tests/run whose programs become kernels of every kind.
const FOLDERS: &[&str] = &[
    "accumulators",
    "existential",
    "filter",
    "hist",
    "loops",
    "nesting",
    "order",
    "partition",
    "reduce",
    "scan",
    "scatter",
    "stencils",
];

/// Where those who install a device say so.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// A trial for each program, if there is a device.
pub(crate) fn trials() -> Vec<Trial> {
    let is_there = std::fs::read_dir(VENDORS).is_ok_and(|mut entries| entries.next().is_some());
    if !is_there {
        return vec![Trial::test("opencl: there is no device", || Ok(())).with_ignored_flag(true)];
    }
    let programs = |folder: &&str| find_programs(&Path::new("tests/run").join(folder)).expect("the folder is there");
    let trial = |path: PathBuf| Trial::test(format!("opencl: {}", path.display()), move || test(&path));
    FOLDERS.iter().flat_map(programs).map(trial).collect()
}

fn test(path: &Path) -> Result {
    let mut executor = CompiledByC::new(&target::OPENCL, Duration::from_secs(60));
    executor.tools.compiler = executor.tools.compiler.with_default_flags(&["-O1"]);
    let options = Options {
        executor: &executor,
        reference: Some(&Interpreter::default()),
        cache: None,
        tolerance: Tolerance::STRICT,
        exclude: vec!["no_opencl".to_string()],
        threads: Some(1),
        progress: false,
    };
    let report = run(&[path.to_path_buf()], &options);
    if report.failed() > 0 { Err(report.to_string().into()) } else { Ok(()) }
}
