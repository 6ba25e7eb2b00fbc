//! The programs that are timed compute what they should: the small cases of their test blocks, interpreted, compiled
//! and by hand.

use kenaz_ir::target::{C, MULTICORE};
use kenaz_runtime::{Reader, Tolerance, compare, write_binary};
use kenaz_testing::executors::{CompiledByC, Interpreter};
use kenaz_testing::{Executor, Expected, Input, Options, Output, Spec, Subject, Verdict, find_programs, run};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn bench() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench")
}

/// The normal distribution of Black and Scholes is only approximated.
const TOLERANCE: Tolerance = Tolerance { f16: 0.0, f32: 1e-4, f64: 1e-12, absolute: 1e-15, to_array: false };

/// The results of whole programs were computed elsewhere, in another order and not to the last digit.
const OF_APPS: Tolerance = Tolerance { f16: 0.0, f32: 1e-3, f64: 1e-6, absolute: 1e-6, to_array: true };

fn small_cases_pass(folder: &str, executor: &dyn Executor) {
    let programs = find_programs(&bench().join(folder)).expect("the folder is there");
    let options = Options {
        executor,
        reference: None,
        cache: None,
        tolerance: if folder == "apps" { OF_APPS } else { TOLERANCE },
        // Those are the large cases.
        exclude: vec!["compiled".to_string()],
        threads: None,
        progress: false,
    };
    let report = run(&programs, &options);
    assert_eq!(report.failed(), 0, "{report}");
    // Some of those are only there to be compiled.
    for program in programs.iter().filter(|_| folder != "programs") {
        let checked = |result: &&kenaz_testing::TestResult| {
            result.program == *program && result.case.is_some() && matches!(result.verdict, Verdict::Passed)
        };
        assert!(report.results.iter().any(|result| checked(&result)), "{} has no small case", program.display());
    }
}

#[test]
fn small_cases_give_what_is_expected() {
    let interpreter = Interpreter { verify: true, ..Interpreter::default() };
    small_cases_pass("c", &interpreter);
    small_cases_pass("multicore", &interpreter);
    small_cases_pass("gpu", &interpreter);
    small_cases_pass("apps", &interpreter);
    small_cases_pass("ad", &interpreter);
    small_cases_pass("programs", &interpreter);
}

#[test]
fn small_cases_give_what_is_expected_compiled() {
    for (target, cache) in [(&C, "programs-c"), (&MULTICORE, "programs-multicore")] {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join(cache);
        let mut executor = CompiledByC::new(target, Duration::from_secs(60)).unwrap().with_cache(&cache);
        executor.tools.compiler.flags = vec!["-O0".to_string()];
        small_cases_pass("multicore", &executor);
        small_cases_pass("gpu", &executor);
        small_cases_pass("apps", &executor);
        small_cases_pass("ad", &executor);
        small_cases_pass("programs", &executor);
    }
}

#[test]
fn small_cases_give_what_is_expected_by_hand() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("by-hand");
    fs::create_dir_all(&folder).unwrap();
    let sources = fs::read_dir(bench().join("omp")).unwrap().map(|entry| entry.unwrap().path());
    let mut cases = 0;
    for source in sources.filter(|path| path.extension().is_some_and(|it| it == "c")) {
        let name = source.file_stem().unwrap().to_string_lossy().into_owned();
        let executable = folder.join(&name);
        let mut compile = Command::new("cc");
        compile.args(["-O1", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-o"]).arg(&executable);
        assert!(compile.arg(&source).arg("-lm").status().unwrap().success(), "{name}");
        let text = fs::read_to_string(bench().join("c").join(&name).with_extension("fut")).unwrap();
        let Some(Spec { subject: Subject::Accepted { groups, .. }, .. }) = Spec::parse(&text).unwrap() else {
            panic!("{name} has no test block");
        };
        for case in groups.into_iter().flat_map(|group| group.cases) {
            let (Input::Values(values), Expected::Output(Output::Values(expected))) = (case.input, case.expected)
            else {
                continue;
            };
            let (input, result) = (folder.join("input"), folder.join("result"));
            let mut file = File::create(&input).unwrap();
            values.iter().for_each(|value| write_binary(&mut file, value).unwrap());
            let mut command = Command::new(&executable);
            command.arg(&input).env("OMP_NUM_THREADS", "3").stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            write!(child.stdin.take().unwrap(), "run\nrun\nstore {}\n", result.display()).unwrap();
            let output = child.wait_with_output().unwrap();
            let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect();
            assert!(lines.len() == 3 && lines[0].parse::<f64>().is_ok() && lines[2] == "stored", "{name}: {lines:?}");
            let actual = Reader::new(File::open(&result).unwrap()).rest().unwrap();
            assert_eq!(actual.len(), expected.len(), "{name}");
            for (expected, actual) in expected.iter().zip(&actual) {
                assert!(compare(expected, actual, &TOLERANCE).is_ok(), "{name}: {actual} instead of {expected}");
            }
            cases += 1;
        }
    }
    assert!(cases >= 8, "only {cases} cases");
}
