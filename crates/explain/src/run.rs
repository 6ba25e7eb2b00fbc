//! A run beside what formulas say of it.

use crate::formula::Formula;
use crate::model::{Amount, Explanation, Function, Kind, Nest, Place};
use crate::notes::rounded;
use kenaz_ir::entry::{Signature, Slot};
use kenaz_ir::{Fun, Operand, Param, Type};
use serde::Serialize;
use std::collections::BTreeMap;

/// What was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The entry point.
    pub entry: String,
    /// What the arguments are called.
    pub data: String,
    pub arguments: Vec<Argument>,
    /// The mean of the runs.
    pub microseconds: f64,
    /// How far the ends of the 95 % confidence interval are from the mean.
    pub half: f64,
    pub runs: usize,
    /// The most memory that was in use at a time, arguments included, if the program says so.
    pub memory: Option<u64>,
    /// How many bytes a copy reads and writes in a second, together, on the same machine.
    pub copy_rate: f64,
}

/// An argument, as far as formulas ask for it.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A scalar, if it is an integer.
    Scalar(Option<i64>),
    /// The sizes of an array.
    Array(Vec<usize>),
}

/// A run of an entry point beside what formulas say of it.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    pub entry: String,
    pub data: String,
    pub microseconds: f64,
    pub half: f64,
    pub runs: usize,
    pub copy_rate: f64,
    /// The formula of the most memory, without the arguments, with the sizes of the run.
    pub peak: Option<f64>,
    pub memory: Option<u64>,
    pub loops: Vec<Loop>,
}

/// A loop that runs in no other one but loops of which one iteration follows the other.
#[derive(Clone, Debug, Serialize)]
pub struct Loop {
    /// Its number in the function.
    pub nest: usize,
    pub place: Option<Place>,
    pub what: String,
    /// How often it runs, if that is known.
    pub times: Option<f64>,
    /// In all of these, as far as they are known.
    pub bytes: Option<f64>,
    pub operations: Option<f64>,
    /// Whether these may be less.
    pub is_bound: bool,
    /// How long it takes to move the bytes as fast as a copy does.
    pub microseconds: Option<f64>,
}

/// The words for sizes and scalars that an entry point gets, by parts of its parameters: one word for a scalar, and one
/// for each dimension of an array that has a name.
pub(crate) fn words(fun: &Fun, word: &mut impl FnMut(Operand) -> Option<String>) -> Vec<Vec<Option<String>>> {
    let of_values = |params: &[Param]| -> Vec<Param> {
        params.iter().filter(|param| !matches!(param.ty, Type::Mem(_))).cloned().collect()
    };
    let (params, results) = (of_values(&fun.params), of_values(&fun.results));
    let Ok(signature) = Signature::of(fun.entry.as_ref(), &params, &results) else { return Vec::new() };
    let mut words: Vec<Vec<Option<String>>> = vec![Vec::new(); signature.takes.len()];
    for (param, slot) in params.iter().zip(&signature.params) {
        let Slot::Part(part) = slot else { continue };
        words[*part] = match &param.ty {
            Type::Array(dims, _) => dims.iter().map(|dim| word(*dim)).collect(),
            _ => vec![word(Operand::Var(param.name))],
        };
    }
    words
}

/// What formulas say of a run, beside what was measured; nothing if there is no such entry point.
pub fn run(of: &Explanation, measured: &Measured) -> Option<Run> {
    let function = of.functions.iter().find(|function| function.is_entry && function.name == measured.entry)?;
    let mut values: BTreeMap<&str, f64> = BTreeMap::new();
    for (words, argument) in function.words.iter().zip(&measured.arguments) {
        let numbers: Vec<Option<f64>> = match argument {
            Argument::Scalar(x) => vec![x.map(|x| x as f64)],
            Argument::Array(sizes) => sizes.iter().map(|size| Some(*size as f64)).collect(),
        };
        for (word, number) in words.iter().zip(numbers) {
            if let (Some(word), Some(number)) = (word, number) {
                values.insert(word, number);
            }
        }
    }
    let value = |formula: &Formula| formula.value(&|word| values.get(word).copied()).map(|x| x.max(0.0));
    let peaks: Option<Vec<f64>> = function.peak.of.iter().map(value).collect();
    let peak = peaks.filter(|_| !function.peak.has_more).map(|peaks| peaks.into_iter().fold(0.0, f64::max));
    let mut loops = Vec::new();
    for (at, nest) in function.nests.iter().enumerate() {
        if !is_unit(function, at) {
            continue;
        }
        let times = around(function, nest).try_fold(1.0, |times, outer| match &outer.trips {
            Some(trips) => Some(times * value(trips)?),
            None => None,
        });
        let amount = |amount: &Amount| Some(value(amount.formula.as_ref()?)? * times?);
        let (reads, writes) = (amount(&nest.cost.reads), amount(&nest.cost.writes));
        let bytes = reads.zip(writes).map(|(reads, writes)| reads + writes);
        let cost = &nest.cost;
        loops.push(Loop {
            nest: at,
            place: nest.place.clone(),
            what: nest.what.clone(),
            times,
            bytes,
            operations: amount(&cost.operations),
            is_bound: cost.reads.is_bound || cost.writes.is_bound || cost.operations.is_bound,
            microseconds: bytes.map(|bytes| bytes / measured.copy_rate * 1e6),
        });
    }
    let Measured { entry, data, microseconds, half, runs, memory, copy_rate, .. } = measured.clone();
    Some(Run { entry, data, microseconds, half, runs, copy_rate, peak, memory, loops })
}

/// The loops around one, from the innermost on.
fn around<'f>(function: &'f Function, nest: &Nest) -> impl Iterator<Item = &'f Nest> + use<'f> {
    let mut next = nest.inside;
    std::iter::from_fn(move || {
        let outer = function.nests.get(next?)?;
        next = outer.inside;
        Some(outer)
    })
}

/// Whether the time of a loop counts by itself: it is the outermost of which iterations may run at the same time, or
/// has none such around it or inside of it.
fn is_unit(function: &Function, at: usize) -> bool {
    let nest = &function.nests[at];
    if around(function, nest).any(|outer| outer.kind == Kind::Parallel || !has_parallel(function, outer)) {
        return false;
    }
    nest.kind == Kind::Parallel || !has_parallel(function, nest)
}

fn has_parallel(function: &Function, nest: &Nest) -> bool {
    let mut inside = function.nests.iter().filter(|other| other.kind == Kind::Parallel);
    inside.any(|other| around(function, other).any(|outer| std::ptr::eq(outer, nest)))
}

/// The lines of a run, for a terminal.
pub(crate) fn run_lines(run: &Run) -> Vec<String> {
    let time = |microseconds: f64| match microseconds {
        x if x < 1e3 => format!("{} µs", rounded(x)),
        x if x < 1e6 => format!("{} ms", rounded(x / 1e3)),
        x => format!("{} s", rounded(x / 1e6)),
    };
    let mut lines = vec![
        format!("a run of {} on {}", run.entry, run.data),
        format!(
            "  measured: {} ± {}, the mean of {} runs; a copy moves {} GB in a second",
            time(run.microseconds),
            time(run.half),
            run.runs,
            rounded(run.copy_rate / 1e9)
        ),
    ];
    let mut sum = Some(0.0);
    for each in &run.loops {
        let line = each.place.as_ref().map(|place| format!("line {}: ", place.start.line)).unwrap_or_default();
        let bound = if each.is_bound { " or less" } else { "" };
        let known = |x: Option<f64>, of: &str| match x {
            Some(x) => format!("{} {of}{bound}", whole(x)),
            None => format!("a number of {of} that is not known"),
        };
        let estimate = each.microseconds.map(|x| format!("; {} at the speed of a copy", time(x))).unwrap_or_default();
        let often = match each.times {
            Some(times) if times != 1.0 => format!(", {} times", whole(times)),
            Some(_) => String::new(),
            None => ", nobody knows how often".to_string(),
        };
        lines.push(format!(
            "  {line}{}{often}: {}, {}{estimate}",
            each.what,
            known(each.bytes, "bytes"),
            known(each.operations, "operations"),
        ));
        sum = sum.zip(each.microseconds).map(|(sum, x)| sum + x);
    }
    if let Some(sum) = sum.filter(|sum| *sum > 0.0) {
        let ratio = rounded(run.microseconds / sum);
        lines.push(format!("  estimated: {} for all loops together; the run takes {ratio} times that", time(sum)));
    }
    let peak = run.peak.map(|peak| format!("{} bytes besides the arguments, as the formula says", whole(peak)));
    let memory = run.memory.map(|bytes| format!("{bytes} bytes with them, as measured"));
    let memory: Vec<String> = peak.into_iter().chain(memory).collect();
    if !memory.is_empty() {
        lines.push(format!("  memory at most: {}", memory.join("; ")));
    }
    lines
}

fn whole(x: f64) -> String {
    format!("{x:.0}")
}
