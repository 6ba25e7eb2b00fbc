//! A sample of tests/run under the sanitizers and without memory, and bugs in the run-time text that must be found that
//! way. `cargo xtask sanitize --faults` runs all of tests/run.

#![expect(clippy::print_stderr, reason = "a command line says there what it does and what went wrong")]

use kenaz_driver::fault;
use kenaz_runtime::Tolerance;
use kenaz_sanitize::{Checked, Checks};
use kenaz_testing::executors::Interpreter;
use kenaz_testing::{Options, Report, Verdict, run};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Blocks of all lifetimes, each kind of operator that is a loop, opaque values, and errors.
const SAMPLE: &[&str] = &[
    "accumulators/tuples",
    "arrays/literal-of-arrays",
    "entry/opaque-sum-script",
    "entry/unique-parameters",
    "errors/call-chain",
    "existential/loop-result",
    "filter/tuples-and-rows",
    "functions/top-level-values",
    "hist/tuples",
    "loops/growing-array",
    "match/arrays-of-different-size",
    "programs/quicksort-by-partition",
    "records/arrays-of-records",
    "scatter/rows",
];

fn report(checked: &Checked, names: &[&str]) -> Report {
    fault::install_hook(|fault| eprint!("{}", fault.text()));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let programs: Vec<PathBuf> = names.iter().map(|name| root.join(format!("tests/run/{name}.fut"))).collect();
    let options = Options {
        executor: checked,
        reference: Some(&Interpreter::default()),
        cache: None,
        tolerance: Tolerance::STRICT,
        exclude: Vec::new(),
        threads: None,
        progress: false,
    };
    run(&programs, &options)
}

#[test]
fn nothing_is_found_in_the_sample() {
    let checked = Checked::new(Checks::sanitizers("-O0", 60)).unwrap();
    let report = report(&checked, SAMPLE);
    assert_eq!(report.failed(), 0, "{report}");
    let skipped = report.results.iter().filter(|result| matches!(result.verdict, Verdict::Skipped(_)));
    assert_eq!(skipped.count(), 0, "{:?}", report.results);
    let faults = checked.totals.faults.load(Ordering::Relaxed);
    assert!(faults > 400, "only {faults} requests for memory failed");
}

/// What is said about a program if a piece of its C is another one.
fn found(piece: &'static str, bug: &'static str, faults: u64) -> String {
    let checks = Checks { planted: Some((piece, bug)), ..Checks::sanitizers("-O0", faults) };
    let report = report(&Checked::new(checks).unwrap(), &["scatter/rows"]);
    assert!(report.failed() > 0, "`{bug}` instead of `{piece}` is not found");
    report.to_string()
}

#[test]
fn bugs_are_found() {
    for (piece, bug, faults, expected) in [
        ("kz_data_of(block) + bytes,", "kz_data_of(block) + bytes - 1,", 0, "AddressSanitizer: use-after-poison"),
        ("  free(in);\n", "", 0, "LeakSanitizer: detected memory leaks"),
        ("code == 0 && i < out_parts", "code == 1 && i < out_parts", 0, "left references to blocks behind"),
        (
            "int64_t start = kz_microseconds();",
            "int64_t start = INT64_MAX + (count - 1);",
            0,
            "signed integer overflow",
        ),
        ("  if (in == NULL) return", "  if (false) return", 60, "null pointer"),
        ("    kz_refuse_by_error(s);\n    return false;", "    return true;", 60, "without memory for request"),
    ] {
        let report = found(piece, bug, faults);
        assert!(report.contains(expected), "`{bug}` instead of `{piece}` should give `{expected}`:\n{report}");
    }
}

/// Every kind of parallel loop: maps and maps of maps, reductions, scans, scatters, filters, histograms, accumulators;
/// iterations that allocate, call functions and fail.
const SHARED: &[&str] = &[
    "accumulators/tuples",
    "errors/index-in-map",
    "filter/tuples-and-rows",
    "hist/tuples",
    "nesting/filter-in-map",
    "nesting/hist-in-map",
    "nesting/irregular-work",
    "nesting/scan-in-map-in-loop",
    "reduce/segmented",
    "scatter/rows",
];

#[test]
fn threads_do_not_race_in_the_sample() {
    let checked = Checked::new(Checks::threads("-O1")).unwrap();
    let report = report(&checked, SHARED);
    assert_eq!(report.failed(), 0, "{report}");
    let loops = &checked.totals.loops;
    assert!(loops.count() >= 15 && loops.idle().is_empty(), "{loops}");
}

#[test]
fn races_and_loops_on_one_thread_are_found() {
    let planted = |piece, bug| {
        let checked = Checked::new(Checks { planted: Some((piece, bug)), ..Checks::threads("-O1") }).unwrap();
        let report = report(&checked, &["nesting/filter-in-map"]);
        (report, checked)
    };
    let (report, _) = planted("(char *)block + offset;", "(char *)block + 0 * offset;");
    assert!(report.failed() > 0 && report.to_string().contains("data race"), "{report}");
    let (report, checked) = planted("kz_on_threads(&ctx->pool, ctx->useful_threads,", "kz_on_threads(&ctx->pool, 1,");
    assert_eq!(report.failed(), 0, "{report}");
    let idle = checked.totals.loops.to_string();
    assert!(idle.contains("filter-in-map.fut:7:10-77: ran on one thread only"), "{idle}");
}
