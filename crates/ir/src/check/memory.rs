//! The memory stage: where arrays are, and that nothing overwrites what is needed.
//!
//! Memory is right when every array that is used is, at that time, at its place. This is checked name by name: at each
//! statement that writes, whatever is used later and may be at the place it writes to is an error, unless what is
//! written there is what is there already. No question about aliases of values arises, since a view has a place of its
//! own; what is consumed is not used later, as the rules about consumption say.
//!
//! - [`blocks`] says which names may stand for the same block.
//! - [`own`] checks who gives up blocks, and [`slot`] who uses those with a part for each worker.
//! - [`reach`] checks that code uses only memory that its level reaches.
//! - [`place`](mod@place) checks that places follow from each other where they must.
//! - [`plan`] checks what plans need to be true of sizes and places.
//! - [`overlap`] checks what is overwritten, and [`race`] that the iterations of a `par` keep apart.
//!
//! # Note \[Built in place\]
//! A statement that copies (`concat`, `update`, `copy`, an array literal, what an iteration yields for `own`) copies
//! nothing where its source is already at its slot: the same block, and the same layout. So the value of an `update`
//! may be written before the `update`, while the array it updates is still needed: where this is all that is done with
//! the array, the slot is free.

mod blocks;
mod overlap;
mod own;
mod place;
mod plan;
mod race;
mod reach;
mod slot;

use super::{CheckError, Checked, Ownership, Rule};
use crate::effects;
use crate::exp::{Exp, LoopForm};
use crate::facts::Facts;
use crate::mem::Place;
use crate::name::{Fresh, Name};
use crate::prog::{Body, Fun, Operand, Param, Prog, Stm};
use crate::types::Type;
use crate::visit::Visit;
use blocks::Blocks;
pub(super) use blocks::Summary;
use kenaz_base::{Prim, Symbol, with_stack};
use overlap::{Frame, Lent};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Checks a program of which everything else is right.
pub(super) fn check(prog: &Prog, ownership: Ownership) -> Checked {
    let mut summaries: FxHashMap<Symbol, Summary> = FxHashMap::default();
    let mut funs: FxHashMap<Symbol, &Fun> = FxHashMap::default();
    for fun in &prog.funs {
        check_fun(&funs, fun, &prog.fresh, ownership, &mut summaries)?;
        funs.insert(fun.name, fun);
    }
    Ok(())
}

/// The same for a function that calls only these.
pub(super) fn check_fun(
    funs: &FxHashMap<Symbol, &Fun>,
    fun: &Fun,
    fresh: &Fresh,
    ownership: Ownership,
    summaries: &mut FxHashMap<Symbol, Summary>,
) -> Checked {
    slot::check(fun)?;
    reach::check(fun)?;
    own::check(fun, ownership)?;
    let blocks = Blocks::of(fun, summaries);
    let mut walk = Walk {
        funs,
        fun,
        fresh: fresh.clone(),
        blocks,
        facts: Facts::new(),
        arrays: FxHashMap::default(),
        lent: FxHashMap::default(),
        injective: FxHashSet::default(),
        placed: placed_in(fun),
        order: FxHashMap::default(),
        bounds: FxHashMap::default(),
        frames: Vec::new(),
    };
    walk.fun()?;
    summaries.insert(fun.name, walk.blocks.summary(fun));
    Ok(())
}

fn placed_in(fun: &Fun) -> FxHashSet<Name> {
    struct Placed(FxHashSet<Name>);
    impl Visit for Placed {
        fn param(&mut self, param: &Param) {
            if param.place.is_some() {
                self.0.insert(param.name);
            }
        }
    }
    let mut placed = Placed(FxHashSet::default());
    placed.fun(fun);
    placed.0
}

/// An array: where it is, and of what.
#[derive(Clone, Debug)]
struct Array {
    place: Place,
    prim: Prim,
    dims: Vec<Operand>,
    /// What it is a view of: all its addresses are those of this array.
    view_of: Option<Name>,
    /// The result of a call in which it lies, see [`Lent`](overlap::Lent).
    lent: Option<Name>,
}

/// A walk through a function.
struct Walk<'a> {
    funs: &'a FxHashMap<Symbol, &'a Fun>,
    fun: &'a Fun,
    fresh: Fresh,
    blocks: Blocks,
    facts: Facts,
    arrays: FxHashMap<Name, Array>,
    /// For the results of calls.
    lent: FxHashMap<Name, Rc<Lent>>,
    /// Arrays of which no two elements are at one address because of where they come from.
    injective: FxHashSet<Name>,
    /// The names of all arrays in the function.
    placed: FxHashSet<Name>,
    /// When each name was bound.
    order: FxHashMap<Name, usize>,
    /// Indices from 0 to below these.
    bounds: FxHashMap<Name, Operand>,
    /// The bodies around the current place, the innermost last.
    frames: Vec<Frame<'a>>,
}

impl<'a> Walk<'a> {
    fn fail<T>(&self, rule: Rule, message: impl Into<String>) -> Checked<T> {
        Err(Box::new(CheckError { rule, fun: self.fun.name, stm: None, bound: Vec::new(), message: message.into() }))
    }

    fn ensure(&self, holds: bool, rule: Rule, message: impl FnOnce() -> String) -> Checked {
        if holds { Ok(()) } else { self.fail(rule, message()) }
    }

    fn array(&self, name: Name) -> Option<&Array> {
        self.arrays.get(&name)
    }

    fn array_of(&self, x: Operand) -> Option<&Array> {
        self.array(x.name()?)
    }

    fn note(&mut self, name: Name) {
        let now = self.order.len();
        self.order.entry(name).or_insert(now);
    }

    /// Names that come into scope, whose facts are known.
    fn bind<'p>(&mut self, params: impl IntoIterator<Item = &'p Param>) -> Checked {
        for param in params {
            self.note(param.name);
            let (Some(place), Type::Array(dims, prim)) = (&param.place, &param.ty) else { continue };
            self.sizes(param.name, place, dims)?;
            let (place, dims) = ((**place).clone(), dims.clone());
            let lent = self.lent.contains_key(&param.name).then_some(param.name);
            self.arrays.insert(param.name, Array { place, prim: *prim, dims, view_of: None, lent });
        }
        Ok(())
    }

    fn fun(&mut self) -> Checked {
        let fun = self.fun;
        self.facts.enter_fun(fun);
        self.bind(&fun.params)?;
        self.boundary(&fun.params)?;
        self.boundary(&fun.results)?;
        let mut frame = Frame::of(&[&fun.body], &self.placed);
        // Whoever called the function may still need what it does not consume.
        frame.always = fun.params.iter().filter(|p| !p.unique && p.place.is_some()).map(|p| p.name).collect();
        self.frames.push(frame);
        self.stms(&fun.body)?;
        self.results(&fun.body.results, &fun.results)?;
        self.frames.pop();
        Ok(())
    }

    /// The statements of the body of the innermost frame.
    fn stms(&mut self, body: &'a Body) -> Checked {
        with_stack(|| {
            for stm in &body.stms {
                self.stm(stm).map_err(|mut error| {
                    error.within(stm);
                    error
                })?;
                if let Some(frame) = self.frames.last_mut() {
                    frame.advance();
                }
            }
            Ok(())
        })
    }

    fn stm(&mut self, stm: &'a Stm) -> Checked {
        // Sizes are not negative, also while the arrays that have them are made.
        self.facts.bind(&stm.pat);
        match &stm.exp {
            Exp::If(cond, yes, no) => {
                let yes = self.branch(yes, &stm.pat, |facts| facts.assume(*cond, true))?;
                let no = self.branch(no, &stm.pat, |facts| facts.assume(*cond, false))?;
                self.injective.extend(yes.intersection(&no));
            }
            Exp::Match(_, cases, default) => {
                let mut all = self.branch(default, &stm.pat, |_| {})?;
                for (_, body) in cases {
                    let other = self.branch(body, &stm.pat, |_| {})?;
                    all.retain(|name| other.contains(name));
                }
                self.injective.extend(all);
            }
            Exp::Loop { params, form, body } => self.loop_(params, form, body, &stm.pat)?,
            Exp::Par(par) => self.par(par, &stm.pat)?,
            Exp::Call(f, args) => self.call(*f, args, &stm.pat)?,
            exp => {
                self.reads_and_writes(exp, &stm.pat)?;
                self.derived(exp, &stm.pat)?;
            }
        }
        self.facts.stm(stm);
        self.bind(&stm.pat)?;
        if let (Some(source), [param]) = (effects::viewed(&stm.exp), &stm.pat[..]) {
            let lent = self.array(source).and_then(|array| array.lent);
            if let Some(array) = self.arrays.get_mut(&param.name) {
                array.view_of = Some(source);
                array.lent = lent;
            }
        }
        self.derive_injective(stm);
        Ok(())
    }

    /// Gives the names of the pattern that stand for arrays without two elements at one address.
    fn branch(&mut self, body: &'a Body, pat: &[Param], assume: impl FnOnce(&mut Facts)) -> Checked<FxHashSet<Name>> {
        let mark = self.facts.mark();
        assume(&mut self.facts);
        self.frames.push(Frame::of(&[body], &self.placed));
        self.stms(body)?;
        self.results(&body.results, pat)?;
        let injective = self.injective_among(&body.results, pat);
        self.frames.pop();
        self.facts.reset(mark);
        Ok(injective)
    }

    fn loop_(&mut self, params: &'a [(Param, Operand)], form: &LoopForm, body: &'a Body, pat: &[Param]) -> Checked {
        let (names, inits): (Vec<Param>, Vec<Operand>) = params.iter().cloned().unzip();
        self.results(&inits, &names)?;
        let injective = self.injective_among(&inits, &names);
        self.injective.extend(&injective);
        let mark = self.facts.mark();
        let mut frame = Frame::of(&[body], &self.placed);
        // The next iteration needs what this one does.
        frame.repeats(|name| self.arrays.contains_key(&name));
        self.facts.enter_loop(&names, form);
        if let LoopForm::For(i, prim, n) = form {
            self.note(*i);
            if *prim == Prim::I64 {
                self.bounds.insert(*i, *n);
            }
        }
        self.bind(&names)?;
        self.frames.push(frame);
        self.stms(body)?;
        self.results(&body.results, &names)?;
        let kept = self.injective_among(&body.results, &names);
        if let Some(param) = names.iter().find(|p| injective.contains(&p.name) && !kept.contains(&p.name)) {
            let message = format!("two elements of the next value of `{}` may be at one address", param.name);
            return self.fail(Rule::Injective, message);
        }
        self.frames.pop();
        self.facts.reset(mark);
        self.injective.extend(names.iter().zip(pat).filter(|(p, _)| injective.contains(&p.name)).map(|(_, r)| r.name));
        // The results are where the parameters were.
        let values: Vec<Operand> = names.iter().map(|p| p.name.into()).collect();
        self.results(&values, pat)
    }
}
