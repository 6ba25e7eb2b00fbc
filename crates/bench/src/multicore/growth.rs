//! How time grows with size, and whether it leaps where parallelism sets in.

use super::products::agree;
use crate::chart::{self, Curve, Panel};
use crate::program::{self, DataSet};
use crate::race::{Runner, race};
use crate::section::Section;
use crate::session::Session;
use crate::summary::{self, Goal, Line, median};
use anyhow::{Context, Result};
use kenaz_ir::Scalar;
use kenaz_runtime::{Value, ValueType};
use kenaz_testing::Generated;
use std::path::{Path, PathBuf};

/// The entry points of the program, what they do, and on what.
const OPERATIONS: [(&str, &str, &str); 3] =
    [("maps", "map", "f32"), ("reductions", "reduce", "i32"), ("scans", "scan", "i32")];

/// Closer to each other where parallelism sets in.
const SIZES: [usize; 17] = [
    1_000,
    1_800,
    3_200,
    5_600,
    10_000,
    18_000,
    32_000,
    56_000,
    100_000,
    180_000,
    320_000,
    560_000,
    1_000_000,
    3_200_000,
    10_000_000,
    32_000_000,
    100_000_000,
];
/// Those of a try.
const QUICK: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// A call goes over so many elements at least, if need be several times over the same.
const ELEMENTS: usize = 10_000_000;

/// At no size may several threads take so much longer than one, and a larger array so much less time than a smaller
/// one.
const SLOWER: f64 = 1.1;
const FALL: f64 = 1.05;

pub(super) fn measure(session: &Session) -> Result<Section> {
    let several = session.threads;
    let text = format!(
        "`multicore/growth.fut`: the time of an operation over its size, on one thread and on {several}. Short arrays are gone \
         over many times\nin one call. There is a cliff if at some size several threads take more than {SLOWER} times as long \
         as one, which began too early,\nor a larger array takes less time than a smaller one (by more than {FALL}), which began \
         too late."
    );
    const COLUMNS: [(&str, usize); 6] = [
        ("operation", 10),
        ("size", 10),
        ("1 thread us", 12),
        ("threads us", 12),
        ("1 / threads", 12),
        ("peer us", 12),
    ];
    let mut section = Section::new("growth", "Time over size", text, &COLUMNS, 1);
    let programs = program::list(Path::new("bench/multicore"), &["growth".to_string()])?;
    let program = programs.first().context("the program is listed")?;
    let sizes: &[usize] = if session.quick { &QUICK } else { &SIZES };
    let compilers = 1 + usize::from(session.peer.is_some());
    let bar = session.progress(compilers + OPERATIONS.len() * sizes.len());
    let ours = session.compile(&session.ours, "ours", program);
    let Some(ours) = section.attempt(&bar, "ours", ours)? else { return Ok(section) };
    let peer = match &session.peer {
        Some(peer) => section.attempt(&bar, "peer", session.compile(peer, "peer", program))?,
        None => None,
    };
    bar.suspend(|| println!("{}", section.header()));
    let (mut slower, mut falls, mut panels) = (Vec::new(), Vec::new(), Vec::new());
    for (entry, operation, elements) in OPERATIONS {
        let names = ["1 thread".to_string(), format!("{several} threads"), "peer".to_string()];
        let mut curves = names.map(|name| Curve { name, points: Vec::new() });
        for &size in sizes {
            let label = format!("{operation} {size}");
            bar.set_message(label.clone());
            let set = data(entry, elements, size)?;
            let times = measure_size(session, &set, &ours, peer.as_deref());
            let Some(times) = section.attempt(&bar, &label, times)? else { continue };
            let passes = passes(size) as f64;
            let mut cells = vec![operation.to_string(), size.to_string()];
            for (rounds, curve) in times.iter().zip(&mut curves) {
                let once: Vec<f64> = rounds.iter().map(|time| time / passes).collect();
                section.keep(operation, &size.to_string(), &curve.name, &once);
                curve.points.push((size as f64, median(&once)));
            }
            let last = |curve: &Curve| curve.points.last().map_or(f64::NAN, |(_, time)| *time);
            let ratio = last(&curves[0]) / last(&curves[1]);
            slower.push(1.0 / ratio);
            cells.extend([format!("{:.3}", last(&curves[0])), format!("{:.3}", last(&curves[1]))]);
            cells.push(format!("{ratio:.2}"));
            cells.push(times.get(2).map_or("-".to_string(), |_| format!("{:.3}", last(&curves[2]))));
            section.row(&bar, cells);
        }
        falls.extend(curves[1].points.windows(2).map(|pair| pair[0].1 / pair[1].1));
        // What is drawn is nanoseconds for an element, which would be a straight line if size did not matter.
        for curve in &mut curves {
            curve.points.iter_mut().for_each(|(size, time)| *time *= 1e3 / *size);
        }
        let curves = curves.into_iter().filter(|curve| !curve.points.is_empty()).collect();
        panels.push(Panel { title: operation.to_string(), curves });
    }
    let what = "several threads / 1 thread, most";
    section.sum_up(Line::new(what, &slower, summary::most, Goal::AtMost(SLOWER)));
    let what = "time of a size / of the next larger, most";
    section.sum_up(Line::new(what, &falls, summary::most, Goal::AtMost(FALL)));
    section.chart = Some(chart::curves("nanoseconds for an element over the number of elements", &panels));
    section.finish(&bar);
    Ok(section)
}

/// How often an operation is done in a call.
fn passes(size: usize) -> usize {
    ELEMENTS.div_ceil(size)
}

fn data(entry: &str, elements: &str, size: usize) -> Result<DataSet> {
    let passes = Value::scalar(Scalar::I64(passes(size) as i64));
    let array: ValueType = format!("[{size}]{elements}").parse().context("an array of random elements")?;
    Ok(DataSet::random(&size.to_string(), entry, vec![Generated::Value(passes), Generated::Random(array)]))
}

/// The times of a call: of one thread, of several, and of the peer.
fn measure_size(session: &Session, set: &DataSet, ours: &Path, peer: Option<&Path>) -> Result<Vec<Vec<f64>>> {
    let input: PathBuf = session.file("input");
    set.write(&input)?;
    let mut one = session.serve(ours, 1, set, &input)?;
    let mut several = session.serve(ours, session.threads, set, &input)?;
    let mut peer = peer.map(|peer| session.serve(peer, session.threads, set, &input)).transpose()?;
    let mut runners: Vec<&mut dyn Runner> = vec![&mut one, &mut several];
    runners.extend(peer.as_mut().map(|peer| peer as &mut dyn Runner));
    let times = race(&mut runners, session.rounds, session.runs)?;
    agree(session, set, &mut several, &mut one)?;
    if let Some(peer) = &mut peer {
        agree(session, set, &mut several, peer).context("the peer's result")?;
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_and_calls_are_long() {
        assert!(SIZES.is_sorted() && SIZES.first() == Some(&1_000) && SIZES.last() == Some(&100_000_000));
        assert!(SIZES.iter().all(|size| passes(*size) * size >= ELEMENTS));
        assert_eq!(passes(100_000_000), 1);
    }
}
