//! Searches in small programs, with a real C compiler. How fast anything is makes no difference here.

use kenaz_base::TemporaryFolder;
use kenaz_ir::{Target, target};
use kenaz_runtime::Tolerance;
use kenaz_testing::DataSet;
use kenaz_tune::record::{Trial, Verdict};
use kenaz_tune::{Options, Progress, Report, TuneError, page, tune};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

struct Silent(usize);

impl Progress for Silent {
    fn begins(&mut self, _: usize) {}
    fn tried(&mut self, trials: usize, _: f64, _: f64) {
        self.0 = self.0.max(trials);
    }
}

const SUMS: &str = "\
-- ==
-- random input { [20000]f32 [20000]f32 }
entry main [n] (xs: [n]f32) (ys: [n]f32) : (f32, []f32) =
  let zs = map2 (\\x y -> x * y + 1) xs ys
  in (reduce (+) 0 (map2 (-) zs xs), map (* 2) zs)
";

fn options(target: &'static Target) -> Options {
    let budget = Duration::from_secs(6);
    let tolerance = Tolerance { f32: 1e-3, to_array: true, ..Tolerance::EXACT };
    Options { target, budget, threads: None, seed: 1, tolerance, record: None, data: Vec::new() }
}

fn program(text: &str) -> (TemporaryFolder, PathBuf) {
    let folder = TemporaryFolder::new().expect("there is a place for files");
    let path = folder.path.join("a.fut");
    fs::write(&path, text).expect("it can be written");
    (folder, path)
}

fn search(text: &str, options: &Options) -> Result<Report, TuneError> {
    let (_folder, path) = program(text);
    tune(&path, options, &mut Silent(0))
}

fn names(trials: &[Trial]) -> Vec<String> {
    trials.iter().map(|trial| trial.choices.join(" ")).collect()
}

#[test]
fn what_is_tried_is_legal_and_computes_the_same() {
    for target in [&target::C, &target::MULTICORE] {
        let report = search(SUMS, &options(target)).expect("the program runs");
        assert!(report.wrong.is_empty(), "{:?}", report.wrong);
        assert!(report.choices.len() > 3 && report.refused > 0, "{} choices", report.choices.len());
        assert!(report.trials[0].choices.is_empty(), "the untuned program comes first");
        // A choice alone is never refused: those are not built.
        let alone = report.trials.iter().filter(|trial| trial.choices.len() == 1);
        assert!(alone.clone().count() > 0);
        assert!(alone.into_iter().all(|trial| trial.verdict != Verdict::Refused));
        // The result is the program with the attributes of the best candidate.
        let attributes = report.program.matches("#[").count();
        assert_eq!(attributes, report.best.0.len());
        assert!(report.ratio < 1.0 || report.best.0.is_empty());
    }
}

#[test]
fn a_candidate_with_other_results_never_wins() {
    // Vectors add up in another order. With no tolerance at all, that is another result.
    let mut options = options(&target::C);
    options.tolerance = Tolerance::EXACT;
    // Long enough for all of them.
    options.budget = Duration::from_secs(60);
    let text = "-- ==\n-- random input { [30000]f32 }\nentry main (xs: []f32) = #[sequential] reduce (+) 0 xs\n";
    let sequential = search(text, &options).expect("the program runs");
    assert!(sequential.choices.is_empty(), "what the author decided stays");
    let report = search(&text.replace("#[sequential] ", ""), &options).expect("the program runs");
    assert!(!report.wrong.is_empty(), "no order differs: {:?}", names(&report.trials));
    for (program, message) in &report.wrong {
        assert!(program.contains("#[") && message.contains("value 1"), "{program}: {message}");
    }
    let best: Vec<String> = report.best.0.iter().map(|i| report.choices[*i].attribute.to_string()).collect();
    let wrong: Vec<&Trial> = report.trials.iter().filter(|t| matches!(t.verdict, Verdict::Wrong(_))).collect();
    assert!(wrong.iter().all(|trial| best.iter().all(|b| !trial.choices[0].contains(b.as_str()))));
}

#[test]
fn a_search_goes_on_where_it_was() {
    let (folder, path) = program(SUMS);
    let mut options = options(&target::C);
    options.record = Some(folder.path.join("record"));
    let first = tune(&path, &options, &mut Silent(0)).expect("the program runs");
    options.budget = Duration::from_secs(1);
    let second = tune(&path, &options, &mut Silent(0)).expect("the program runs");
    // Known candidates cost nothing, so that they are all there although there was hardly any time.
    let rounds = |report: &Report, name: &str| {
        report.trials.iter().find(|trial| trial.choices.join(" ") == name).map_or(0, |trial| trial.ratios().len())
    };
    let known: Vec<String> = names(&first.trials).into_iter().filter(|name| name.matches("#[").count() == 1).collect();
    assert!(!known.is_empty());
    for name in &known {
        assert!(rounds(&second, name) >= rounds(&first, name), "{name} was measured anew");
    }
    // Another program has a record of its own, and a damaged one is none.
    let files: Vec<PathBuf> =
        fs::read_dir(folder.path.join("record")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    fs::write(&files[0], "{\"choices\": [\n\u{0}\n").unwrap();
    assert!(tune(&path, &options, &mut Silent(0)).is_ok());
    fs::write(&path, SUMS.replace("* 2", "* 3")).unwrap();
    tune(&path, &options, &mut Silent(0)).expect("the program runs");
    assert_eq!(fs::read_dir(folder.path.join("record")).unwrap().count(), 2);
}

#[test]
fn what_cannot_be_measured_is_said() {
    let options = options(&target::C);
    let said = |text: &str, options: &Options| match search(text, options) {
        Err(TuneError::Mistake(message) | TuneError::Run(message)) => message,
        Err(TuneError::Compile(error)) => format!("{error:?}"),
        Ok(_) => "it is measured".to_string(),
    };
    assert!(said("entry main (x: i32) = x + 1", &options).contains("no test block"));
    assert!(said("entry main (x: i32) = y + 1", &options).contains("unknown-name"));
    let wrong = "-- ==\n-- input { 1 } output { 3 }\nentry main (x: i32) = x + 1";
    assert!(said(wrong, &options).contains("value 1"), "{}", said(wrong, &options));
    let fails = "-- ==\n-- input { 0 }\nentry main (x: i32) = 1 / x";
    assert!(said(fails, &options).contains("division by zero"), "{}", said(fails, &options));
    let data = |entry: &str, arguments| DataSet { entry: entry.into(), name: "d".into(), arguments, expected: None };
    let given = |entry: &str| Options { data: vec![data(entry, Vec::new())], ..crate::options(&target::C) };
    assert!(said(wrong, &given("other")).contains("no entry point `other`"));
    assert!(said(wrong, &given("main")).contains("takes 1"));
}

#[test]
fn the_page_shows_everything_and_escapes_it() {
    let text =
        "-- ==\n-- \"a <b> & c\" random input { [1000]f32 }\nentry main (xs: []f32) = reduce (+) 0 (map (*2) xs)\n";
    let report = search(text, &options(&target::C)).expect("the program runs");
    let drawn = page::page(&report, "a<b>.fut");
    assert!(drawn.contains("a&lt;b&gt;.fut") && drawn.contains("a &lt;b&gt; &amp; c") && !drawn.contains("a <b>"));
    assert_eq!(drawn.matches("<svg").count(), 2);
    let measured = report.trials.iter().filter(|trial| trial.ratio().is_some()).count();
    assert_eq!(drawn.matches("<circle").count(), 2 * measured);
    assert!(!drawn.contains("NaN") && !drawn.contains("inf\""), "a point that cannot be drawn");
}
