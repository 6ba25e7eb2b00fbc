//! The programs that are timed compute what they should: the small cases of their test blocks, interpreted.

use kenaz_cli::interpreter::Interpreter;
use kenaz_runtime::Tolerance;
use kenaz_testing::{Options, Verdict, find_programs, run};
use std::path::Path;

#[test]
fn small_cases_give_what_is_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/c");
    let programs = find_programs(&folder).expect("the folder is there");
    // The normal distribution of Black and Scholes is only approximated.
    let tolerance = Tolerance { f16: 0.0, f32: 1e-4, f64: 1e-12, absolute: 1e-15, to_array: false };
    let options = Options {
        executor: &Interpreter { verify: true, ..Interpreter::default() },
        reference: None,
        cache: None,
        tolerance,
        exclude: Vec::new(),
        threads: None,
        progress: false,
    };
    let report = run(&programs, &options);
    assert_eq!(report.failed(), 0, "{report}");
    for program in &programs {
        let checked = |result: &&kenaz_testing::TestResult| {
            result.program == *program && result.case.is_some() && matches!(result.verdict, Verdict::Passed)
        };
        assert!(report.results.iter().any(|result| checked(&result)), "{} has no small case", program.display());
    }
}
