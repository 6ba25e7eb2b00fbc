//! The loops of a function, as the memory stage has them: each after those that it is in.

use crate::costs::{self, Costs};
use crate::memory::Formulas;
use crate::model::{Amount, Cost, Kind, Nest};
use crate::places::Places;
use kenaz_driver::strategies::what;
use kenaz_ir::plan::{Chunks, Lanes, Piece, Squares, Stream, Strips, Tile};
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Exp, Fun, Level, Locs, LoopForm, Par, Stm};

pub(crate) fn of(fun: &Fun, formulas: &mut Formulas, places: &mut Places<'_>, locs: &Locs) -> Vec<Nest> {
    let costs = costs::of(fun, formulas);
    let mut find = Find { costs, formulas, places, locs, inside: None, nests: Vec::new() };
    find.fun(fun);
    find.nests
}

struct Find<'a, 'p> {
    costs: Costs,
    formulas: &'a mut Formulas,
    places: &'a mut Places<'p>,
    locs: &'a Locs,
    inside: Option<usize>,
    nests: Vec<Nest>,
}

impl Visit for Find<'_, '_> {
    fn stm(&mut self, stm: &Stm) {
        let (kind, what, sizes, runs, plan) = match &stm.exp {
            Exp::Par(par) => (Kind::Parallel, what(par), self.sizes(par), runs(par.level), self.plan(par)),
            Exp::Loop { form, .. } => {
                let sizes = match form {
                    LoopForm::For(_, _, bound) => vec![self.formulas.number(bound)],
                    LoopForm::While(_) => Vec::new(),
                };
                let what = if sizes.is_empty() { "while loop" } else { "loop" };
                (Kind::Loop, what.to_string(), sizes, runs(None), Vec::new())
            }
            _ => return walk::stm(self, stm),
        };
        let place = self.places.of(self.locs, stm.loc);
        let around = self.inside;
        let cost = self.cost(stm);
        let trips = match &stm.exp {
            Exp::Loop { form: LoopForm::For(_, _, bound), .. } => self.formulas.formula_of(bound),
            _ => None,
        };
        self.nests.push(Nest { place, kind, what, sizes, runs, plan, inside: around, cost, trips });
        self.inside = Some(self.nests.len() - 1);
        walk::stm(self, stm);
        self.inside = around;
    }
}

impl Find<'_, '_> {
    fn sizes(&mut self, par: &Par) -> Vec<String> {
        par.space.iter().map(|(_, size)| self.formulas.number(size)).collect()
    }

    fn cost(&mut self, stm: &Stm) -> Cost {
        let found = stm.pat.first().and_then(|param| self.costs.remove(&param.name)).unwrap_or_default();
        let bytes = found.reads.plus(&found.writes);
        let intensity = intensity(&found.operations, &bytes);
        let mut amount = |amount: &costs::Amount| Amount {
            formula: amount.value.as_ref().map(|value| self.formulas.formula(value)),
            is_bound: amount.is_bound,
        };
        let (reads, writes) = (amount(&found.reads), amount(&found.writes));
        Cost { reads, writes, operations: amount(&found.operations), intensity }
    }

    /// What a plan says, in words.
    fn plan(&mut self, par: &Par) -> Vec<String> {
        let index = |dim: &usize| par.space.get(*dim).map_or_else(|| dim.to_string(), |(i, _)| i.base.to_string());
        let mut words = |piece: &Piece| match piece {
            Piece::Chunks(Chunks { work, uneven, inside }) => {
                let uneven = if *uneven { ", some perhaps much more than others" } else { "" };
                let inside = if *inside { "; what is inside is split where it has too few iterations" } else { "" };
                format!(
                    "split among the workers: an iteration costs about {} operations{uneven}{inside}",
                    self.formulas.poly(work)
                )
            }
            Piece::Tile(Tile { rows, columns, fewest, .. }) => {
                format!("tiles of {rows} by {columns} sums in registers, for sums of at least {fewest}")
            }
            Piece::Strips(Strips { dim, len, .. }) => {
                format!("strips of {len} neighbours along `{}` at once", index(dim))
            }
            Piece::Order(dims) => {
                format!("loops in the order {}", dims.iter().map(index).collect::<Vec<_>>().join(", "))
            }
            Piece::Squares(Squares { across, along, side }) => {
                format!("squares of {side} by {side} along `{}` and `{}`", index(across), index(along))
            }
            Piece::Split(split) => {
                let sizes: Vec<String> = split.sizes.iter().map(|size| self.formulas.poly(size)).collect();
                format!("`{}` in loops of {}", index(&split.dim), sizes.join(" by "))
            }
            Piece::Guard => "one test in front of the loops instead of one in each iteration".to_string(),
            Piece::Cuts(cuts) => match cuts.len() {
                1 => "cut where a comparison changes its answer".to_string(),
                n => format!("cut where one of {n} comparisons changes its answer"),
            },
            Piece::Lanes(Lanes { wide, fewest, .. }) => {
                format!("{wide} accumulators side by side, from {fewest} operands on")
            }
            Piece::Stream(Stream { .. }) => "large results are written past the caches".to_string(),
        };
        par.plan.pieces().iter().map(&mut words).collect()
    }
}

fn runs(level: Option<Level>) -> String {
    match level {
        None => "one thread".to_string(),
        Some(Level::Core) => "the cores".to_string(),
        Some(Level::Simd(0)) => "the lanes of vectors".to_string(),
        Some(Level::Simd(width)) => format!("vectors of {width}"),
        Some(Level::Grid) => "the threads of the device".to_string(),
        Some(Level::Block) => "the blocks of the device".to_string(),
        Some(Level::Lane) => "the threads of a block".to_string(),
    }
}

/// The quotient, where it is a number and both are known exactly.
fn intensity(operations: &costs::Amount, bytes: &costs::Amount) -> Option<f64> {
    let is_exact = !operations.is_bound && !bytes.is_bound;
    let (operations, bytes) = (operations.value.as_ref()?, bytes.value.as_ref().filter(|x| is_exact && !x.is_zero())?);
    let (product, n) = bytes.terms().next()?;
    let m = operations.coefficient(product);
    let is_same = operations.times_constant(n)? == bytes.times_constant(m)?;
    is_same.then_some(m as f64 / n as f64)
}
