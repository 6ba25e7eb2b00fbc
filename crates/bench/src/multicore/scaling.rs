//! One thread against several.

use super::ms;
use super::products::agree;
use crate::chart::{Bar, Bars, Scale};
use crate::program::{self, DataSet, Program};
use crate::race::race;
use crate::section::Section;
use crate::session::Session;
use crate::summary::{self, Goal, Line, median};
use anyhow::Result;
use std::path::Path;

/// Programs whose time goes into arithmetic, and why it does.
const COMPUTING: [(&str, &str); 6] = [
    ("blackscholes", "a logarithm, five exponentials and a root for 20 bytes"),
    ("gmm", "for each point k triangles of d by d elements"),
    ("kmeans", "for each point the distances to k centres, which stay in the caches"),
    ("mandelbrot", "up to 256 steps for a point, and nothing to read"),
    ("mm", "n products for each element"),
    ("nbody", "n forces on each of n bodies"),
];

/// On two threads programs that compute should be so much faster, and those whose parallelism is inside one or two
/// rows.
const COMPUTING_GOAL: f64 = 1.8;
const ROWS_GOAL: f64 = 1.6;

pub(super) fn measure(session: &Session) -> Result<Section> {
    let reasons: String = COMPUTING.iter().map(|(name, why)| format!("- `{name}`: {why}.\n")).collect();
    let several = session.threads;
    let text = format!(
        "Programs of `c` that mostly compute, and `multicore/rows.fut`, whose parallelism is inside one or two rows of ten \
         million elements,\non one thread and on {several}, in turns. The results must be the same. These compute:\n\n{reasons}"
    );
    const COLUMNS: [(&str, usize); 5] =
        [("program", 14), ("data set", 28), ("1 thread ms", 12), ("threads ms", 11), ("ratio", 6)];
    let mut section = Section::new("scaling", "One thread and several", text, &COLUMNS, 2);
    let computing = program::list(Path::new("bench/c"), &COMPUTING.map(|(name, _)| name.to_string()))?;
    let rows = program::list(Path::new("bench/multicore"), &["rows".to_string()])?;
    let parts = [
        ("1 thread / several, computing, least", computing, COMPUTING_GOAL),
        ("1 thread / several, one or two rows, least", rows, ROWS_GOAL),
    ];
    let bar = session.progress(parts.iter().flat_map(|(_, programs, _)| programs).map(|it| it.sets.len()).sum());
    bar.suspend(|| println!("{}", section.header()));
    let mut bars = Vec::new();
    for (what, programs, goal) in &parts {
        let mut ratios = Vec::new();
        for (program, set) in programs.iter().flat_map(|program| program.sets.iter().map(move |set| (program, set))) {
            let name = if set.entry == "main" { &program.name } else { &set.entry };
            let label = format!("{name} {}", set.name);
            bar.set_message(label.clone());
            let times = measure_set(session, program, set);
            let Some(times) = section.attempt(&bar, &label, times)? else { continue };
            section.keep(name, &set.name, "1 thread", &times[0]);
            section.keep(name, &set.name, &format!("{several} threads"), &times[1]);
            let (one, more) = (median(&times[0]), median(&times[1]));
            let ratio = one / more.max(1.0);
            ratios.push(ratio);
            bars.push(Bar { label, values: vec![Some(ratio)], goal: Some(*goal) });
            let names = [name.clone(), set.name.clone()];
            section.row(&bar, names.into_iter().chain([ms(one), ms(more), format!("{ratio:.2}")]).collect());
        }
        section.sum_up(Line::new(what, &ratios, summary::least, Goal::AtLeast(*goal)));
    }
    let title = "time of one thread divided by that of several; the lines are the goals";
    section.chart = Some(Bars { title, bars, scale: Scale::Linear }.svg());
    section.finish(&bar);
    Ok(section)
}

/// The times of one thread and of several.
fn measure_set(session: &Session, program: &Program, set: &DataSet) -> Result<Vec<Vec<f64>>> {
    let input = session.file("input");
    set.write(&input)?;
    let executable = session.compile(&session.ours, "ours", program)?;
    let mut one = session.serve(&executable, 1, set, &input)?;
    let mut several = session.serve(&executable, session.threads, set, &input)?;
    let times = race(&mut [&mut one, &mut several], session.rounds, session.runs)?;
    agree(session, set, &mut several, &mut one)?;
    Ok(times)
}
