//! Programs of bench/c against C with OpenMP.

use super::ms;
use super::products::agree;
use crate::chart::{Bar, Bars, Scale};
use crate::program::{self, DataSet, Program};
use crate::race::race;
use crate::rival::Rival;
use crate::section::Section;
use crate::session::Session;
use crate::summary::{self, Goal, Line, median};
use anyhow::Result;
use std::path::Path;

/// The share of the speed by hand that ours should reach.
const GOAL: f64 = 0.9;

const PROGRAMS: [&str; 7] = ["asum", "dot", "gemv", "jacobi1d", "jacobi2d", "scal", "transpose"];

pub(super) fn measure(session: &Session) -> Result<Section> {
    let text = format!(
        "Programs of `c` in turns with those of `omp`, C with OpenMP and vectors, on {} threads. They get the same data and \
         compute the\nsame in the same steps, into memory that is there already; where it pays, they write past the caches.",
        session.threads
    );
    const COLUMNS: [(&str, usize); 5] =
        [("program", 12), ("data set", 20), ("ours ms", 9), ("by hand ms", 11), ("share", 6)];
    let mut section = Section::new("by-hand", "Against C by hand", text, &COLUMNS, 2);
    let mut programs = program::list(Path::new("bench/c"), &PROGRAMS.map(str::to_string))?;
    if session.quick {
        programs.iter_mut().for_each(|program| program.sets.truncate(1));
    }
    let bar = session.progress(programs.iter().map(|program| program.sets.len()).sum());
    bar.suspend(|| println!("{}", section.header()));
    let (mut shares, mut bars) = (Vec::new(), Vec::new());
    for program in &programs {
        for set in &program.sets {
            let label = format!("{} {}", program.name, set.name);
            bar.set_message(label.clone());
            let times = measure_set(session, program, set);
            let Some(times) = section.attempt(&bar, &label, times)? else { continue };
            section.keep(&program.name, &set.name, "ours", &times[0]);
            section.keep(&program.name, &set.name, "by hand", &times[1]);
            let (ours, by_hand) = (median(&times[0]), median(&times[1]));
            let share = by_hand / ours.max(1.0);
            shares.push(share);
            bars.push(Bar { label, values: vec![Some(share)], goal: Some(GOAL) });
            let names = [program.name.clone(), set.name.clone()];
            section.row(&bar, names.into_iter().chain([ms(ours), ms(by_hand), format!("{share:.2}")]).collect());
        }
    }
    section.sum_up(Line::new("by hand / ours, least", &shares, summary::least, Goal::AtLeast(GOAL)));
    let title = "time by hand divided by ours; the lines are the goals";
    section.chart = Some(Bars { title, bars, scale: Scale::Linear }.svg());
    section.finish(&bar);
    Ok(section)
}

/// The times of ours and by hand, whose results must agree.
fn measure_set(session: &Session, program: &Program, set: &DataSet) -> Result<Vec<Vec<f64>>> {
    let input = session.file("input");
    set.write(&input)?;
    let executable = session.compile(&session.ours, "ours", program)?;
    let source = Path::new("bench/omp").join(&program.name).with_extension("c");
    let mut by_hand = Rival::by_hand(session, &source, &input)?;
    let mut ours = session.serve(&executable, session.threads, set, &input)?;
    let times = race(&mut [&mut ours, &mut by_hand], session.rounds, session.runs)?;
    agree(session, set, &mut ours, &mut by_hand)?;
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_by_hand_has_one_of_ours() {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
        assert!(program::list(&bench.join("c"), &PROGRAMS.map(str::to_string)).is_ok());
        for name in PROGRAMS {
            assert!(bench.join("omp").join(name).with_extension("c").exists(), "{name}");
        }
        assert_eq!(std::fs::read_dir(bench.join("omp")).unwrap().count(), PROGRAMS.len() + 1);
    }
}
