//! Some hundred random programs mean the same after every pass.

use kenaz_compare::{Finding, Outcome, Reporter, Totals, compare, program};
use kenaz_driver::Pipeline;
use kenaz_ir::{Ownership, Stage, Target, target};

/// Compares every fourth program from the first: all tests together have all of them and run side by side.
fn programs_agree(first: u64) {
    let pipeline = Pipeline::to(&target::C, Stage::Array);
    let mut totals = Totals::default();
    for seed in (first..300).step_by(4) {
        let program = program(seed);
        match compare(&program, &pipeline) {
            Outcome::Agrees(more, _) => totals.add(&more),
            Outcome::Rejected(message) => panic!("seed {seed}: {message}\n{}", program.with_tests()),
            Outcome::Differs(difference) => {
                let text = program.with_tests();
                let finding = Finding { name: format!("seed {seed}"), difference: *difference, program: None };
                let report = Reporter::new(pipeline, None).report(finding).expect("nothing is written");
                panic!("{report}{text}");
            }
        }
    }
    assert_eq!(totals.unlisted(), [""; 0], "rules that no list has");
    // Small programs hardly ever fail.
    assert!(totals.succeeded > 5 * totals.failed && totals.succeeded > 0, "{totals}");
}

/// Attributes change nothing of what programs mean on any target, and no pass touches what they pin.
#[test]
fn programs_with_strategies_agree() {
    for (seed, target) in (1000..1060).zip(Target::ALL.iter().copied().cycle()) {
        let pipeline = Pipeline::to(target, Stage::Memory(Ownership::Settled));
        let program = program(seed).with_strategies();
        match compare(&program, &pipeline) {
            Outcome::Agrees(..) => {}
            Outcome::Rejected(message) => panic!("seed {seed}: {message}\n{}", program.with_tests()),
            Outcome::Differs(difference) => {
                let text = program.with_tests();
                let finding = Finding { name: format!("seed {seed}"), difference: *difference, program: None };
                let report = Reporter::new(pipeline, None).report(finding).expect("nothing is written");
                panic!("{report}{text}");
            }
        }
    }
}

#[test]
fn large_programs_agree() {
    programs_agree(0);
}

#[test]
fn small_programs_agree() {
    programs_agree(1);
}

#[test]
fn medium_programs_agree() {
    programs_agree(2);
}

#[test]
fn more_medium_programs_agree() {
    programs_agree(3);
}
