//! Products of matrices against those of NumPy's library.

use super::ms;
use crate::chart::{Bar, Bars, Scale};
use crate::program::{self, DataSet, Program};
use crate::race::{Runner, race};
use crate::results;
use crate::rival::{self, Rival};
use crate::section::Section;
use crate::session::Session;
use crate::summary::{self, Goal, Line, median};
use anyhow::{Context, Result};
use std::path::Path;

/// The share of NumPy's rate that ours should reach.
const GOAL: f64 = 0.6;

/// Programs of bench/multicore and what their data sets are summed up as.
const PROGRAMS: [(&str, &str); 2] = [
    ("products", "rate, ours / NumPy's, one product, least"),
    ("batched", "rate, ours / NumPy's, 512 of 64 by 64, least"),
];
const SIZES: [&str; 4] = ["512", "1024", "2048", "512 of 64 by 64"];

pub(super) fn measure(session: &Session) -> Result<Section> {
    let text = format!(
        "`multicore/products.fut` and `multicore/batched.fut`, products written as plain nested maps, against `numpy.matmul`, \
         on {} threads\neach and in turns: milliseconds, and billions of floating-point operations per second (two for each \
         pair of elements).",
        session.threads
    );
    const COLUMNS: [(&str, usize); 7] = [
        ("elements", 10),
        ("size", 20),
        ("ours ms", 9),
        ("NumPy ms", 9),
        ("ours GFLOP/s", 13),
        ("NumPy GFLOP/s", 14),
        ("share", 6),
    ];
    let mut section = Section::new("products", "Products of matrices", text, &COLUMNS, 2);
    let programs = program::list(Path::new("bench/multicore"), &PROGRAMS.map(|(name, _)| name.to_string()))?;
    let wanted = |set: &&DataSet| {
        let floats = set.entry != "integer";
        floats && SIZES.contains(&set.name.as_str()) && !(session.quick && set.name.ends_with("2048"))
    };
    let bar = session.progress(programs.iter().flat_map(|program| &program.sets).filter(wanted).count());
    bar.suspend(|| println!("{}", section.header()));
    let numpy = rival::numpy_version().is_some();
    if !numpy {
        section.problems.push("there is no NumPy to compare with".to_string());
    }
    let mut groups = Vec::new();
    for (name, what) in PROGRAMS {
        let program = programs.iter().find(|program| program.name == name).context("the programs are listed")?;
        let mut shares = Vec::new();
        for set in program.sets.iter().filter(wanted) {
            let (elements, operations) = (elements(&set.entry), operations(set));
            bar.set_message(format!("{elements} {}", set.name));
            let times = measure_set(session, program, set, numpy);
            let Some(times) = section.attempt(&bar, &format!("{elements} {}", set.name), times)? else { continue };
            let rate = |rounds: &[f64]| operations / median(rounds) / 1e3;
            let ours = rate(&times[0]);
            let (mut theirs_ms, mut theirs_rate, mut share_shown) = ("-".to_string(), "-".to_string(), "-".to_string());
            section.keep(elements, &set.name, "ours", &times[0]);
            if let Some(theirs) = times.get(1) {
                section.keep(elements, &set.name, "NumPy", theirs);
                let share = ours / rate(theirs);
                shares.push(share);
                groups.push(Bar {
                    label: format!("{elements} {}", set.name),
                    values: vec![Some(share)],
                    goal: Some(GOAL),
                });
                (theirs_ms, theirs_rate) = (ms(median(theirs)), format!("{:.1}", rate(theirs)));
                share_shown = format!("{share:.2}");
            }
            let cells = [elements, &set.name, &ms(median(&times[0])), &theirs_ms, &format!("{ours:.1}")];
            let cells = cells.into_iter().chain([theirs_rate.as_str(), &share_shown]).map(str::to_string);
            section.row(&bar, cells.collect());
        }
        section.sum_up(Line::new(what, &shares, summary::least, Goal::AtLeast(GOAL)));
    }
    let title = "rate of ours divided by that of NumPy; the lines are the goals";
    section.chart = Some(Bars { title, bars: groups, scale: Scale::Linear }.svg());
    section.finish(&bar);
    Ok(section)
}

/// The times of ours and, if there is one, of NumPy, whose results must agree.
fn measure_set(session: &Session, program: &Program, set: &DataSet, numpy: bool) -> Result<Vec<Vec<f64>>> {
    let input = session.file("input");
    set.write(&input)?;
    let executable = session.compile(&session.ours, "ours", program)?;
    let mut ours = session.serve(&executable, session.threads, set, &input)?;
    if !numpy {
        return race(&mut [&mut ours], session.rounds, session.runs);
    }
    let mut theirs = Rival::numpy(session, "plain", &input)?;
    let times = race(&mut [&mut ours, &mut theirs], session.rounds, session.runs)?;
    agree(session, set, &mut ours, &mut theirs)?;
    Ok(times)
}

/// An error unless two programs, which have run, have the same result.
pub(super) fn agree(session: &Session, set: &DataSet, ours: &mut dyn Runner, theirs: &mut dyn Runner) -> Result<()> {
    let files = [session.file("ours.result"), session.file("theirs.result")];
    ours.store(&files[0])?;
    theirs.store(&files[1])?;
    results::agree(&files[1], &files[0], &set.exactness)
}

/// What the elements are, by the entry point.
pub(super) fn elements(entry: &str) -> &'static str {
    match entry.rsplit('_').next() {
        Some("single") => "f32",
        Some("double") => "f64",
        _ => "i32",
    }
}

/// How many additions and multiplications a product takes. Where an operand is transposed, it is a square.
pub(super) fn operations(set: &DataSet) -> f64 {
    let shapes = set.shapes();
    let count = |shape: &[usize]| shape.iter().product::<usize>() as f64;
    match shapes[..] {
        [a, b, ..] => {
            let batch = count(&a[..a.len().saturating_sub(2)]);
            let inner = a.last().map_or(1.0, |n| *n as f64);
            2.0 * count(a) * count(b) / (batch * inner)
        }
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_of_products() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/multicore");
        let programs = program::list(&folder, &["products".to_string(), "batched".to_string()]).unwrap();
        let of = |program: &Program, entry: &str, name: &str| operations(program.set(entry, name).unwrap());
        assert_eq!(of(&programs[1], "single", "512"), 2.0 * 512.0 * 512.0 * 512.0);
        assert_eq!(of(&programs[1], "double", "1000 by 37 by 513"), 2.0 * 1000.0 * 37.0 * 513.0);
        assert_eq!(of(&programs[0], "double", "512 of 64 by 64"), 512.0 * 2.0 * 64.0 * 64.0 * 64.0);
    }
}
