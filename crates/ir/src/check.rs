//! What each stage promises.
//!
//! [`array()`] checks the array stage: names, types, sizes, and that nothing is used after it was consumed.
//! [`parallel()`] checks the same of the parallel stage, and which levels may stand in which. [`memory()`] checks the
//! same of the memory stage, that it is a program of the parallel stage when memory is erased, where arrays are, who
//! frees blocks, that nothing is overwritten that is needed, and that iterations keep apart. The rules are the variants
//! of [`Rule`]; each has a program in `tests/rejected*.ir` that breaks it. After `Ok`, a pass need not expect anything
//! else; an error is a fault of the compiler, never of its user.
//!
//! Types are compared as they are written: two sizes are equal when they are the same operand. Where an expression
//! brings sizes along with arrays (branches, loops, calls, `filter`), the names of the pattern stand for them.
//!
//! # How the later stages are checked
//!
//! One checker knows names, types, consumption and levels at every stage (`ir::check`); what the memory stage adds is
//! in `check/memory`. Memory is right when every array that is used is at its place at that time, and this is checked
//! name by name. A statement that writes to a region is an error if an array that is used later may be there: *unknown*
//! counts as yes. What is copied to where it already is writes nothing, so that values can be built in their slots; the
//! slot of an `update` is free as soon as all that is left to do with the array is that update. No aliases of values
//! are needed, since a view has a place of its own, but which names may stand for the same block is computed first
//! (`blocks`), so that two buffers that a loop exchanges are known to be different. The iterations of a `par` keep
//! apart because each stays in blocks that it allocates or in its slots of the results, and no two elements of a result
//! are at one address; whatever else they do is compared for two different iterations. A function writes only to its
//! own blocks and to the places of its unique parameters, and whoever calls it sees to it that nothing else that is
//! needed is there.
//!
//! Not checked: that a place fits into its block, and that memory was written before it is read.

mod alias;
mod entry;
mod exp;
mod memory;
mod par;
mod pins;
mod plan;
mod rule;
mod scope;
mod soac;

pub use pins::pins;
pub use rule::Rule;

use crate::erase::erase;
use crate::name::{Fresh, Name};
use crate::prog::{Fun, Param, Prog, Stm};
use kenaz_base::Symbol;
use rustc_hash::FxHashMap;
use scope::Checker;
use std::fmt;

/// How far a program has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Stage {
    #[default]
    Array,
    Parallel,
    Memory(Ownership),
}

/// Whether blocks have owners yet, see Note \[Ownership\] in [`crate::mem`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ownership {
    /// Not yet: blocks need not be given up, but nothing is used after it was freed.
    Open,
    /// Every block is given up exactly once on every way.
    Settled,
}

/// Whether a program keeps the promises of a stage.
pub fn stage(prog: &Prog, stage: Stage) -> Result<(), CheckError> {
    match stage {
        Stage::Array => array(prog),
        Stage::Parallel => parallel(prog),
        Stage::Memory(ownership) => memory(prog, ownership),
    }
}

/// Whether a program keeps the promises of the array stage.
pub fn array(prog: &Prog) -> Result<(), CheckError> {
    semantic(prog, Stage::Array)
}

/// Whether a program keeps the promises of the parallel stage.
pub fn parallel(prog: &Prog) -> Result<(), CheckError> {
    semantic(prog, Stage::Parallel)
}

/// Whether a program keeps the promises of the memory stage.
pub fn memory(prog: &Prog, ownership: Ownership) -> Result<(), CheckError> {
    semantic(prog, Stage::Memory(ownership))?;
    parallel(&erase(prog))?;
    memory::check(prog, ownership).map_err(|error| *error)
}

/// What does not depend on the contents of memory: names, types, consumption, levels.
fn semantic(prog: &Prog, stage: Stage) -> Result<(), CheckError> {
    let mut checker = Checker::after(&prog.funs, FxHashMap::default(), stage);
    for (i, fun) in prog.funs.iter().enumerate() {
        checker.fun(fun).map_err(|error| *error)?;
        checker.index.insert(fun.name, i);
    }
    Ok(())
}

/// Marks the results of functions as unique that alias neither a parameter that is not unique nor another result.
/// Functions that are not well formed stay as they are.
pub fn infer_unique_results(prog: &mut Prog) {
    let mut index = FxHashMap::default();
    for i in 0..prog.funs.len() {
        let (before, rest) = prog.funs.split_at_mut(i);
        let fun = &mut rest[0];
        let mut checker = Checker::after(before, index, Stage::Array);
        if let Ok(sets) = checker.fun(fun) {
            for (result, unique) in fun.results.iter_mut().zip(checker.stores.unique(&sets)) {
                result.unique |= unique;
            }
        }
        index = checker.index;
        index.insert(fun.name, i);
    }
}

/// Which results of a function of the memory stage are new: they alias no parameter and no other result, and are in
/// blocks of which the same is true. All functions that it calls are `before` it, and [`places`] has looked at it.
pub fn new_results(before: &[Fun], fun: &Fun, known: &Places) -> Vec<bool> {
    let index = before.iter().enumerate().map(|(i, fun)| (fun.name, i)).collect();
    let mut checker = Checker::after(before, index, Stage::Memory(Ownership::Open));
    let Ok(sets) = checker.fun(fun) else { return vec![false; fun.results.len()] };
    let is_new = |result: &Param| {
        let block = result.place.as_ref().map(|place| place.block);
        let at = fun.results.iter().position(|other| Some(other.name) == block);
        at.zip(known.0.get(&fun.name)).is_some_and(|(at, summary)| summary.is_new(at))
    };
    let unique = checker.stores.unique(&sets);
    fun.results.iter().zip(unique).map(|(result, unique)| unique && is_new(result)).collect()
}

/// Where blocks in the functions that were looked at come from, for [`places`].
#[derive(Debug, Default)]
pub struct Places(FxHashMap<Symbol, memory::Summary>);

/// Whether arrays are where they must be in a function that is right otherwise, and whose blocks have no owners yet.
/// All functions that it calls are `before` it, and were looked at.
pub fn places(before: &[Fun], fun: &Fun, fresh: &Fresh, known: &mut Places) -> Result<(), CheckError> {
    let funs = before.iter().map(|fun| (fun.name, fun)).collect();
    memory::check_fun(&funs, fun, fresh, Ownership::Open, &mut known.0).map_err(|error| *error)
}

/// A rule that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckError {
    pub rule: Rule,
    pub fun: Symbol,
    /// The innermost statement at fault, as text.
    pub stm: Option<String>,
    /// The names that it binds.
    pub bound: Vec<Name>,
    pub message: String,
}

impl CheckError {
    /// Says which statement is at fault, if no inner one is.
    fn within(&mut self, stm: &Stm) {
        if self.stm.is_none() {
            self.stm = Some(stm.to_string());
            self.bound = stm.pat.iter().map(|p| p.name).collect();
        }
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] in function `{}`: {}", self.rule, self.fun, self.message)?;
        let Some(stm) = &self.stm else { return Ok(()) };
        const SHOWN: usize = 30;
        for line in stm.lines().take(SHOWN) {
            write!(f, "\n  {line}")?;
        }
        if stm.lines().nth(SHOWN).is_some() { f.write_str("\n  …") } else { Ok(()) }
    }
}

impl std::error::Error for CheckError {}

/// The error is boxed because the way back from it is long and should be cheap.
type Checked<T = ()> = Result<T, Box<CheckError>>;
