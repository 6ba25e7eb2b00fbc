//! Products of other kinds against the plain product of the same elements.

use super::ms;
use super::products::{agree, elements, operations};
use crate::chart::{Bar, Bars, Scale};
use crate::program::{self, DataSet, Program};
use crate::race::{Runner, race};
use crate::rival::{self, Rival};
use crate::section::Section;
use crate::session::Session;
use crate::summary::{self, Goal, Line, median};
use anyhow::{Context, Result};
use std::path::Path;

/// The share of the plain rate that each should reach.
const GOAL: f64 = 0.7;

struct Variant {
    what: &'static str,
    /// The program, entry point and data set.
    program: &'static str,
    entry: &'static str,
    set: &'static str,
    /// The function in NumPy's script that has the same result.
    numpy: &'static str,
}

const fn variant(what: &'static str, [program, entry, set]: [&'static str; 3], numpy: &'static str) -> Variant {
    Variant { what, program, entry, set, numpy }
}

const VARIANTS: [Variant; 13] = [
    variant("left operand transposed", ["transposed", "left_single", "1024"], "left"),
    variant("right operand transposed", ["transposed", "right_single", "1024"], "right"),
    variant("both transposed", ["transposed", "both_single", "1024"], "both"),
    variant("minimum of sums", ["minplus", "single", "1024"], "minplus"),
    variant("plain", ["products", "integer", "1024"], "plain"),
    variant("then x + bias, not below 0", ["epilogue", "single", "1024"], "epilogue"),
    variant("1000 by 37 by 513", ["products", "single", "1000 by 37 by 513"], "plain"),
    variant("left operand transposed", ["transposed", "left_double", "1024"], "left"),
    variant("right operand transposed", ["transposed", "right_double", "1024"], "right"),
    variant("both transposed", ["transposed", "both_double", "1024"], "both"),
    variant("minimum of sums", ["minplus", "double", "1024"], "minplus"),
    variant("then x + bias, not below 0", ["epilogue", "double", "1024"], "epilogue"),
    variant("1000 by 37 by 513", ["products", "double", "1000 by 37 by 513"], "plain"),
];

pub(super) fn measure(session: &Session) -> Result<Section> {
    let text = format!(
        "Products of 1024 by 1024 elements, and one of an odd shape, in turns with the plain product of 1024 by 1024 floats of \
         the same\nsize (for i32 that of f32), on {} threads: milliseconds, and billions of operations per second, two for each \
         pair of elements.\nNumPy computes them too, once, to compare the results.\n\nA sum and a minimum are two instructions \
         where a product and a sum are one. Where the units of a processor do as many sums\nand minima together as fused \
         products, half of the plain rate is all there is.",
        session.threads
    );
    const COLUMNS: [(&str, usize); 6] =
        [("elements", 8), ("product", 28), ("ms", 9), ("GOP/s", 8), ("plain GOP/s", 12), ("share", 6)];
    let mut section = Section::new("variants", "Other products", text, &COLUMNS, 2);
    let mut names: Vec<String> = VARIANTS.iter().map(|variant| variant.program.to_string()).collect();
    names.sort_unstable();
    names.dedup();
    let programs = program::list(Path::new("bench/multicore"), &names)?;
    let find = |name: &str| programs.iter().find(|program| program.name == name).context("the programs are listed");
    let plain = find("products")?;
    let bar = session.progress(VARIANTS.len());
    bar.suspend(|| println!("{}", section.header()));
    let numpy = rival::numpy_version().is_some();
    let (mut shares, mut bars) = (Vec::new(), Vec::new());
    for variant in &VARIANTS {
        let elements = elements(variant.entry);
        let label = format!("{elements}, {}", variant.what);
        bar.set_message(label.clone());
        let set = find(variant.program)?.set(variant.entry, variant.set)?;
        let plain_set = plain.set(if elements == "f64" { "double" } else { "single" }, "1024")?;
        let numpy = numpy.then_some(variant.numpy);
        let times = measure_variant(session, (find(variant.program)?, set), (plain, plain_set), numpy);
        let Some([ours, beside]) = section.attempt(&bar, &label, times)? else { continue };
        section.keep(elements, variant.what, "ours", &ours);
        section.keep(elements, variant.what, "plain beside it", &beside);
        let rate = |set: &DataSet, rounds: &[f64]| operations(set) / median(rounds) / 1e3;
        let (own, whole) = (rate(set, &ours), rate(plain_set, &beside));
        shares.push(own / whole);
        bars.push(Bar { label, values: vec![Some(own / whole)], goal: Some(GOAL) });
        let numbers = [ms(median(&ours)), format!("{own:.1}"), format!("{whole:.1}"), format!("{:.2}", own / whole)];
        section.row(&bar, [elements.to_string(), variant.what.to_string()].into_iter().chain(numbers).collect());
    }
    section.sum_up(Line::new("rate / that of the plain product, least", &shares, summary::least, Goal::AtLeast(GOAL)));
    let title = "rate divided by that of the plain product; the lines are the goals";
    section.chart = Some(Bars { title, bars, scale: Scale::Linear }.svg());
    section.finish(&bar);
    Ok(section)
}

/// The times of a product and of the plain one beside it. The result is that of the given function of NumPy's script.
fn measure_variant(
    session: &Session,
    (program, set): (&Program, &DataSet),
    (plain, plain_set): (&Program, &DataSet),
    numpy: Option<&str>,
) -> Result<[Vec<f64>; 2]> {
    let input = session.file("input");
    let start = |program: &Program, set: &DataSet| {
        set.write(&input)?;
        let executable = session.compile(&session.ours, "ours", program)?;
        session.serve(&executable, session.threads, set, &input)
    };
    let mut plain = start(plain, plain_set)?;
    let mut ours = start(program, set)?;
    let mut times = race(&mut [&mut ours, &mut plain], session.rounds, session.runs)?;
    if let Some(product) = numpy {
        let mut theirs = Rival::numpy(session, product, &input)?;
        theirs.run()?;
        agree(session, set, &mut ours, &mut theirs)?;
    }
    Ok([std::mem::take(&mut times[0]), std::mem::take(&mut times[1])])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_has_its_data() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/multicore");
        for variant in &VARIANTS {
            let program = program::list(&folder, &[variant.program.to_string()]).unwrap().remove(0);
            let set = program.set(variant.entry, variant.set).unwrap();
            assert!(operations(set) > 3e7, "{} {}", variant.program, variant.entry);
        }
    }
}
