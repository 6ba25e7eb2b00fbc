//! The programs of tests/run mean the same after every pass.

use kenaz_compare::{Compared, Finding, Reporter};
use kenaz_driver::Pipeline;
use kenaz_ir::{Stage, target};
use kenaz_runtime::Tolerance;
use kenaz_testing::{Options, find_programs, run};
use std::path::Path;

#[test]
fn programs_with_tests_agree() {
    let executor = Compared::new(Pipeline::to(&target::C, Stage::Array));
    let options = Options {
        executor: &executor,
        reference: None,
        cache: None,
        tolerance: Tolerance::STRICT,
        exclude: Vec::new(),
        threads: None,
        progress: false,
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let programs = find_programs(&folder).expect("the folder is there");
    run(&programs, &options);
    let (totals, found) = executor.take();
    let mut reporter = Reporter::new(executor.pipeline.clone(), None);
    let reports = found.into_iter().map(|(path, difference)| {
        let finding = Finding { name: path.display().to_string(), difference, program: None };
        reporter.report(finding).expect("nothing is written")
    });
    let reports: String = reports.collect();
    assert!(reports.is_empty(), "\n{reports}");
    assert_eq!(totals.unlisted(), [""; 0], "rules that no list has");
    assert!(totals.programs * 2 > programs.len(), "{totals}");
}
