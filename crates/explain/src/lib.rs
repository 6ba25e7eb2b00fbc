//! What became of a program: which loops there are and who runs them, where arrays are and what that costs, which
//! copies, allocations and checks are left, and why.
//!
//! [`explain`] looks at a program for which all has been decided: its memory stage, with the log of the passes
//! ([`nests`], [`arrays`]), and what that is lowered to ([`memory`]), so that every allocation and copy of the C is
//! accounted for. All sizes are in terms of what functions get. [`text`] and [`page`] show the same facts, as
//! [`notes`] on the source, and `serde` writes them as JSON.

mod arrays;
mod costs;
mod formula;
mod memory;
mod model;
mod nests;
mod notes;
mod page;
mod places;
mod run;
mod text;

pub use formula::Formula;
pub use model::{
    Amount, Array, Block, Check, Copy, Cost, Decision, Explanation, Function, Fusion, Kind, Nest, Peak, Place, Point,
    Source, Stage, Step,
};
pub use notes::{Note, Topic};
pub use page::page;
pub use run::{Argument, Loop, Measured, Run, run};
pub use text::text;

use kenaz_driver::{Artefact, Compilation};
use kenaz_ir::{Fun, Operand};
use places::Places;

/// What became of a program of the memory stage, after all passes.
pub fn explain(compilation: &Compilation) -> Explanation {
    let lowered = compilation.lower();
    let mut places = Places::new(&compilation.sources);
    let log = &compilation.report.log;
    let known = arrays::Known::of(&compilation.prog, log);
    let locs = &compilation.prog.locs;
    let mut functions = Vec::new();
    for fun in &compilation.prog.funs {
        let Some(lowered_fun) = lowered.funs.iter().find(|other| other.name == fun.name) else { continue };
        let mut found = memory::of(&lowered, lowered_fun, &known, &mut places, locs);
        let nests = nests::of(fun, &mut found.formulas, &mut places, locs);
        functions.push(Function {
            name: name_of(fun, compilation),
            is_entry: fun.entry.is_some(),
            place: places.of(locs, fun.loc),
            nests,
            blocks: found.blocks,
            copies: found.copies,
            checks: found.checks,
            steps: found.steps,
            length: found.length,
            peak: found.peak,
            words: run::words(fun, &mut |x| matches!(x, Operand::Var(_)).then(|| found.formulas.number(&x))),
            legend: found.formulas.into_legend(),
        });
    }
    let fusions = log
        .joins()
        .iter()
        .filter_map(|join| {
            let (first, second) = (places.of(locs, join.first)?, places.of(locs, join.second)?);
            Some(Fusion { first, second, is_shared: join.shared })
        })
        .collect();
    let decisions = log
        .decisions()
        .iter()
        .filter_map(|decision| {
            let place = places.of(locs, decision.loc)?;
            let (kind, about) = (decision.kind.id().to_string(), decision.kind.about().to_string());
            Some(Decision { kind, about, place, reason: decision.reason.clone(), is_asked: decision.is_asked })
        })
        .collect();
    let c = compilation.emit_lowered(&lowered, Artefact::Module).text;
    Explanation {
        program: compilation.path.display().to_string(),
        target: compilation.pipeline.target.name.to_string(),
        functions,
        fusions,
        decisions,
        advice: advice(compilation, &mut places),
        run: None,
        stages: vec![
            Stage { name: "memory".to_string(), text: compilation.prog.to_string() },
            Stage { name: "loops".to_string(), text: kenaz_imp::print::prog(&lowered) },
            Stage { name: "C".to_string(), text: c },
        ],
        sources: places.into_sources(),
    }
}

/// The user's name of a function.
fn name_of(fun: &Fun, compilation: &Compilation) -> String {
    if fun.entry.is_some() {
        return fun.name.as_str().strip_prefix("entry_").unwrap_or(fun.name.as_str()).to_string();
    }
    let text = compilation.prog.locs.span(fun.loc).map(|span| compilation.sources.text(span));
    text.filter(|text| !text.is_empty() && !text.contains(char::is_whitespace)).unwrap_or(fun.name.as_str()).to_string()
}

/// What `--warn copies` says.
fn advice(compilation: &Compilation, places: &mut Places<'_>) -> Vec<model::Advice> {
    let of = |diagnostic: kenaz_base::Diagnostic| {
        let place = places.of_span(diagnostic.primary.span);
        let message = diagnostic.message.clone();
        Some(model::Advice { place: place?, message, notes: diagnostic.notes.clone(), hints: diagnostic.hints.clone() })
    };
    compilation.copies().into_iter().filter_map(of).collect()
}

/// All facts as one JSON object.
pub fn json(of: &Explanation) -> String {
    serde_json::to_string_pretty(of).expect("the facts are plain data")
}
