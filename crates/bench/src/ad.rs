//! The programs of bench/ad: how much derivatives take for each run of what they are derivatives of, and against the
//! peer's.

use crate::goals;
use crate::multicore::save;
use crate::programs;
use crate::section::{self, Section};
use crate::session::{Options, Session};
use crate::summary::{self, Goal, Line, Row};
use anyhow::Result;
use clap::{Args, ValueEnum};
use kenaz_ir::{Target, target};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct Ad {
    #[command(flatten)]
    options: Options,
    /// Only for this back end
    #[arg(long, value_enum)]
    backend: Option<Backend>,
    /// One round on one data set of each program: whether all can be measured, not how fast it is
    #[arg(long)]
    quick: bool,
    /// How many threads, of ours and the peer's
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// The folder for RESULTS-AD.md and, in its folder `results`, the times. It is `bench` when everything is measured;
    /// otherwise nothing is written if it is not given
    #[arg(long)]
    into: Option<PathBuf>,
    /// Only programs with one of these names
    programs: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Backend {
    C,
    Multicore,
    Cuda,
}

impl Backend {
    fn target(self) -> &'static Target {
        match self {
            Backend::C => &target::C,
            Backend::Multicore => &target::MULTICORE,
            Backend::Cuda => &target::CUDA,
        }
    }

    /// How a section for it is called, and its files.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Backend::C => ("ad-c", "Derivatives in sequence"),
            Backend::Multicore => ("ad-multicore", "Derivatives on several cores"),
            Backend::Cuda => ("ad-cuda", "Derivatives on a GPU"),
        }
    }
}

/// The page that all measurements of derivatives are parts of.
const PAGE: &str = "RESULTS-AD.md";

/// Whether everything could be measured and all results agree.
pub(crate) fn run(args: &Ad) -> Result<bool> {
    let is_wanted = |it: &&Backend| args.backend.map_or(**it != Backend::Cuda, |wanted| wanted == **it);
    let mut fine = true;
    for backend in Backend::value_variants().iter().filter(is_wanted) {
        let target = backend.target();
        let threads = if target.is_parallel() { args.threads } else { 1 };
        let session = Session::new(target, &args.options, threads, args.quick)?;
        let section = measure(&session, *backend, &args.programs, args.quick)?;
        fine &= section.problems.is_empty();
        let all = args.programs.is_empty() && !args.quick;
        if let Some(folder) = args.into.clone().or(all.then(|| PathBuf::from("bench"))) {
            let head = format!("{}\n\nWritten by `cargo xtask bench ad --backend {}`", section.title, target.name);
            save(&session, &[section], &folder, PAGE, &head, &[])?;
        }
    }
    Ok(fine)
}

fn measure(session: &Session, backend: Backend, names: &[String], quick: bool) -> Result<Section> {
    // Of a quick measurement, the one data set is that of a function without its derivative.
    let rows = programs::measure_in(session, Path::new("bench/ad"), names, None)?;
    let (name, title) = backend.names();
    let text = "The programs of `ad`: milliseconds of a function and of its derivative, how many times as long the\n\
                derivative takes, the same of the peer, how many times faster our derivative is, and the megabytes\n\
                of both.";
    let mut section = Section::new(name, title, text.to_string(), &COLUMNS, 2);
    let pairs = pairs(&rows);
    println!("\n{}", section.header());
    for pair in &pairs {
        println!("{}", section.line(&pair.cells()));
        section.rows.push(pair.cells());
    }
    for row in &rows {
        section.problems.extend(row.problems.iter().map(|it| format!("{} {}: {it}", row.program, row.set)));
    }
    if !quick {
        section.lines = lines(&pairs);
    }
    section.lines.iter().for_each(|line| println!("{line}"));
    section.times = section::times(&rows);
    Ok(section)
}

/// A function and its derivative on one data set.
struct Pair<'a> {
    what: String,
    set: &'a str,
    primal: &'a Row,
    gradient: &'a Row,
}

/// Entry points are called `primal` and `gradient`, with the same ending.
fn pairs(rows: &[Row]) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    for gradient in rows {
        let Some((rest, set)) = gradient.set.strip_prefix("gradient").and_then(|rest| rest.split_once(", ")) else {
            continue;
        };
        let wanted = format!("primal{rest}, {set}");
        if let Some(primal) = rows.iter().find(|row| row.program == gradient.program && row.set == wanted) {
            pairs.push(Pair { what: format!("{}{}", gradient.program, rest.replace('_', " ")), set, primal, gradient });
        }
    }
    pairs
}

const COLUMNS: [(&str, usize); 10] = [
    ("program", 20),
    ("data set", 36),
    ("primal ms", 10),
    ("derivative ms", 13),
    ("ratio", 7),
    ("goal", 7),
    ("peer's ratio", 12),
    ("peer / ours", 11),
    ("ours MB", 9),
    ("peer MB", 9),
];

impl Pair<'_> {
    /// How many times as long the derivative takes.
    fn ratio(&self) -> Option<f64> {
        Some(summary::time(&self.gradient.ours)? / summary::time(&self.primal.ours)?.max(1.0))
    }

    fn ratio_of_peer(&self) -> Option<f64> {
        Some(summary::time(&self.gradient.peer)? / summary::time(&self.primal.peer)?.max(1.0))
    }

    fn goal(&self) -> Option<f64> {
        goals::DERIVATIVES.iter().find(|(what, _)| self.what == *what).map(|(_, goal)| *goal)
    }

    fn cells(&self) -> Vec<String> {
        let ms = |times: &[f64]| summary::time(times).map(|time| format!("{:.2}", time / 1e3));
        let number = |x: Option<f64>| x.map(|x| format!("{x:.2}"));
        let megabytes = |bytes: Option<u64>| bytes.map(|bytes| format!("{:.1}", bytes as f64 / 1e6));
        let cells = [
            Some(self.what.clone()),
            Some(self.set.to_string()),
            ms(&self.primal.ours),
            ms(&self.gradient.ours),
            number(self.ratio()),
            number(self.goal()),
            number(self.ratio_of_peer()),
            number(self.gradient.ratio()),
            megabytes(self.gradient.memory),
            megabytes(self.gradient.peer_memory),
        ];
        cells.map(|cell| cell.unwrap_or("-".to_string())).to_vec()
    }
}

fn lines(pairs: &[Pair]) -> Vec<Line> {
    let against: Vec<f64> = pairs.iter().filter_map(|pair| pair.gradient.ratio()).collect();
    let mean =
        Line::new("peer / ours, geometric mean, capped at 4", &against, summary::capped_mean, Goal::AtLeast(1.3));
    let least = Line::new("peer / ours, least", &against, summary::least, Goal::AtLeast(0.95));
    let of_goal = |pair: &Pair| {
        let what = format!("derivative / primal, {}, {}", pair.what, pair.set);
        Line::new(&what, &[pair.ratio()?], summary::most, Goal::AtMost(pair.goal()?))
    };
    [mean, least].into_iter().flatten().chain(pairs.iter().filter_map(of_goal)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(program: &str, set: &str, ours: f64, peer: f64) -> Row {
        Row { ours: vec![ours], peer: vec![peer], ..Row::new(program, set) }
    }

    #[test]
    fn derivatives_are_compared_with_their_functions() {
        let rows = [
            row("folds", "primal_sum, 10M", 2e3, 2e3),
            row("folds", "gradient_sum, 10M", 6e3, 12e3),
            row("folds", "gradient_other, 10M", 1e3, 1e3),
            row("gmm", "primal, n 5, d 2", 1e3, 1e3),
            row("gmm", "gradient, n 5, d 2", 4e3, 2e3),
        ];
        let pairs = pairs(&rows);
        let cells: Vec<Vec<String>> = pairs.iter().map(Pair::cells).collect();
        let expected = ["folds sum", "10M", "2.00", "6.00", "3.00", "3.00", "6.00", "2.00", "-", "-"];
        assert_eq!(cells[0], expected.map(str::to_string));
        assert_eq!((cells.len(), cells[1][0].as_str(), cells[1][1].as_str()), (2, "gmm", "n 5, d 2"));
        let lines: Vec<(String, bool)> = lines(&pairs).iter().map(|line| (line.value(), line.reached())).collect();
        assert_eq!(
            lines,
            [("1.00", false), ("0.50", false), ("3.00", true), ("4.00", true)].map(|(x, y)| (x.to_string(), y))
        );
    }

    #[test]
    fn every_program_has_a_derivative_of_each_function() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/ad");
        let programs = crate::program::list(&folder, &[]).expect("the programs can be read");
        assert!(programs.len() >= 12, "only {} programs", programs.len());
        for program in &programs {
            let named = |set| Row::new(&program.name, &program.name_of(set));
            let rows: Vec<Row> = program.sets.iter().map(named).collect();
            assert_eq!(2 * pairs(&rows).len(), rows.len(), "{}", program.name);
        }
        let rows: Vec<Row> =
            programs.iter().flat_map(|p| p.sets.iter().map(|set| Row::new(&p.name, &p.name_of(set)))).collect();
        for (what, _) in goals::DERIVATIVES {
            assert!(pairs(&rows).iter().any(|pair| pair.what == what), "{what}");
        }
    }
}
