//! Programs of tests/run that cover every form of kernel, on a device by way of OpenCL. `cargo xtask test` says how to
//! install one that needs no hardware; without any nothing is tested here, and the command says so.

use crate::Result;
use kenaz_driver::native::device;
use kenaz_ir::target;
use kenaz_runtime::Tolerance;
use kenaz_testing::executors::{CompiledByC, Interpreter};
use kenaz_testing::{Options, find_programs, run};
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

/// The folders of tests/run whose programs become kernels of every kind. `cargo xtask nvrtc` takes the same.
const FOLDERS: &str = "tests/run/kernels.txt";

/// A trial for each program. Whether there is a device is asked by those that run, since trials are listed far more
/// often.
pub(crate) fn trials() -> Vec<Trial> {
    let folders = std::fs::read_to_string(FOLDERS).expect("the list is there");
    let programs = |folder: &str| find_programs(&Path::new("tests/run").join(folder)).expect("the folder is there");
    let trial = |path: PathBuf| Trial::test(format!("opencl: {}", path.display()), move || test(&path, &[]));
    let plain = folders.lines().flat_map(programs).map(trial);
    let forced = NESTED.iter().copied().flat_map(programs).flat_map(|path| {
        VERSIONS.iter().map(move |(name, options)| {
            let path = path.clone();
            Trial::test(format!("opencl, {name}: {}", path.display()), move || test(&path, options))
        })
    });
    plain.chain(forced).collect()
}

/// Those with nests that have several versions.
const NESTED: &[&str] = &["nesting", "versions"];

/// The versions, and what makes all nests that have it run in it; and kernels whose numbers have 64 bits. Odd sizes of
/// blocks are like others.
const VERSIONS: &[(&str, &[&str])] = &[
    ("64 bits", &["--build-option=-DKZ_WIDE"]),
    ("flat", &["--param", "flat=1000000000", "--param", "wide=0"]),
    ("few", &["--param", "flat=0", "--param", "few=1000000", "--param", "many=0"]),
    ("threads", &["--param", "wide=1000000000", "--param", "threads=0", "--param", "tiles=1000000000"]),
    ("tiles", &[TILES[0], TILES[1], TILES[2], TILES[3], TILES[4], TILES[5], "--param", "wide_tiles=1000000000"]),
    ("wide tiles", &[TILES[0], TILES[1], TILES[2], TILES[3], TILES[4], TILES[5], "--param", "wide_tiles=0"]),
    ("blocks of 16", BLOCKS),
    ("blocks of 7", &[BLOCKS[0], BLOCKS[1], BLOCKS[2], BLOCKS[3], BLOCKS[4], BLOCKS[5], "--default-group-size", "7"]),
];

/// They are instead of threads, for blocks of 256 lanes, and need a version of their own.
const TILES: &[&str] =
    &["--default-group-size=256", "--param=wide=1000000000", "--param", "threads=0", "--param", "tiles=0"];
const BLOCKS: &[&str] = &["--param", "wide=1000000000", "--param", "threads=1000000000", "--param", "lanes=0"];

/// Whether programs can run on a device by way of OpenCL; asked once.
pub(crate) fn has_opencl() -> bool {
    static IS_THERE: LazyLock<bool> = LazyLock::new(|| device::probe(&target::OPENCL).is_ok());
    *IS_THERE
}

fn test(path: &Path, options: &[&str]) -> Result {
    if !has_opencl() {
        return Ok(());
    }
    let mut executor = CompiledByC::new(&target::OPENCL, Duration::from_secs(60))?;
    executor.options = options.iter().map(|option| option.to_string()).collect();
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
