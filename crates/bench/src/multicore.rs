//! C for several cores: all parts of the measurement, and the report.

mod by_hand;
mod growth;
mod products;
mod scaling;
mod variants;

use crate::pace::Pace;
use crate::section::{self, Section};
use crate::session::{Options, Session};
use crate::summary::{Row, Summary};
use crate::{chart, machine, programs, report, rival, write};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use kenaz_ir::{Target, target};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct Multicore {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    pace: Pace,
    /// Only these parts, separated by commas
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// One round on little data: whether all can be measured, not how fast it is
    #[arg(long)]
    quick: bool,
    /// How many threads, of ours, the peer's, NumPy's and those of C by hand
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// The folder for RESULTS.md and, in its folder `results`, the times and charts. It is `bench` when everything is
    /// measured; otherwise nothing is written if it is not given
    #[arg(long)]
    into: Option<PathBuf>,
    /// Of the programs of bench/c, only those with one of these names
    programs: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Part {
    /// The programs of bench/c against the peer's
    Programs,
    /// Products of matrices against NumPy's
    Products,
    /// Other products against plain ones
    Variants,
    /// Programs of bench/c against C with OpenMP
    ByHand,
    /// One thread against several
    Scaling,
    /// Time over size
    Growth,
}

/// Where the times and charts are, in the folder of the report.
const FOLDER: &str = "results";

/// Whether everything could be measured and all results agree.
pub(crate) fn run(args: &Multicore) -> Result<bool> {
    let mut session = Session::new(&target::MULTICORE, &args.options, args.threads, args.quick)?;
    session.pace = args.pace.start();
    if rival::numpy_version().is_none() {
        println!("note: without NumPy for $PYTHON, or python3, products are compared with nothing");
    }
    let wanted = |part: &&Part| args.only.is_empty() || args.only.contains(part);
    let mut sections = Vec::new();
    for part in Part::value_variants().iter().filter(wanted) {
        let section = match part {
            Part::Programs => against_the_peer(&session, &args.programs)?,
            Part::Products => products::measure(&session)?,
            Part::Variants => variants::measure(&session)?,
            Part::ByHand => by_hand::measure(&session)?,
            Part::Scaling => scaling::measure(&session)?,
            Part::Growth => growth::measure(&session)?,
        };
        sections.push(section);
        println!();
    }
    let all = args.only.is_empty() && args.programs.is_empty() && !args.quick;
    if let Some(folder) = args.into.clone().or(all.then(|| PathBuf::from("bench"))) {
        save(&session, &sections, &folder, PAGE, "Several cores\n\nWritten by `cargo xtask bench multicore`", &[])?;
    }
    Ok(sections.iter().all(|section| section.problems.is_empty()))
}

/// The page of most measurements.
pub(crate) const PAGE: &str = "RESULTS.md";

/// Writes a part of a page, which begins with its title, and what belongs to it; `more` is about the machine.
pub(crate) fn save(
    session: &Session,
    sections: &[Section],
    folder: &Path,
    page: &str,
    head: &str,
    more: &[(String, String)],
) -> Result<()> {
    let beside = folder.join(FOLDER);
    fs::create_dir_all(&beside).with_context(|| beside.display().to_string())?;
    for section in sections {
        if !section.times.is_empty() {
            write(&beside.join(section.name).with_extension("csv"), &section::csv(&section.times))?;
        }
        if let Some(chart) = &section.chart {
            write(&beside.join(section.name).with_extension("svg"), chart)?;
        }
    }
    let file = folder.join(page);
    let machine = [more.to_vec(), machine::describe(session)].concat();
    let part = report::part(head, &machine, sections, FOLDER);
    write(&file, &report::with_part(&fs::read_to_string(&file).unwrap_or_default(), &part))?;
    println!("written to {}", file.display());
    Ok(())
}

/// The columns of the programs of bench/c; how wide they are is their table's business.
pub(crate) const COLUMNS: [(&str, usize); 11] = [
    ("program", 0),
    ("data set", 0),
    ("ours ms", 0),
    ("peer ms", 0),
    ("ratio", 0),
    ("ours MB", 0),
    ("peer MB", 0),
    ("ratio", 0),
    ("to C", 0),
    ("peer", 0),
    ("ratio", 0),
];

/// The same with those of C++.
pub(crate) const COLUMNS_WITH_CPP: [(&str, usize); 13] = [
    ("program", 0),
    ("data set", 0),
    ("ours ms", 0),
    ("peer ms", 0),
    ("ratio", 0),
    ("C++ ms", 0),
    ("ratio", 0),
    ("ours MB", 0),
    ("peer MB", 0),
    ("ratio", 0),
    ("to C", 0),
    ("peer", 0),
    ("ratio", 0),
];

fn against_the_peer(session: &Session, names: &[String]) -> Result<Section> {
    let (rows, summary) = programs::measure(session, names)?;
    let text = format!(
        "The programs of `c`, compiled by both compilers, on {} threads: milliseconds, megabytes at most, and milliseconds \
         from text to C\n(`multicore --library`, in the first row of a program). A ratio is how many times faster ours is, or \
         how much memory for each\nbyte of the peer.",
        session.threads
    );
    Ok(of_rows(Section::new("programs", "Against the peer", text, &COLUMNS, 2), session.target, &rows, summary))
}

/// Fills a section with the columns of a target.
pub(crate) fn of_rows(mut section: Section, columns: &Target, rows: &[Row], summary: Summary) -> Section {
    for row in rows {
        let names = [row.program.clone(), row.set.clone()];
        let cells = row.cells(columns);
        section.rows.push(names.into_iter().chain(cells).collect());
        let problems = row.problems.iter().map(|problem| format!("{} {}: {problem}", row.program, row.set));
        section.problems.extend(problems);
    }
    section.lines = summary.lines;
    section.times = section::times(rows);
    section.chart = Some(chart::ratios(rows));
    section
}

/// A number of milliseconds, of which the times are microseconds.
fn ms(time: f64) -> String {
    format!("{:.3}", time / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::headings;

    #[test]
    fn the_table_against_the_peer_has_its_columns() {
        assert!(COLUMNS[2..].iter().map(|(name, _)| *name).eq(headings(&target::MULTICORE)));
        assert!(COLUMNS_WITH_CPP[2..].iter().map(|(name, _)| *name).eq(headings(&target::C)));
    }
}
