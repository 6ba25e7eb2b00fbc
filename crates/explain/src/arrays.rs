//! What the memory stage and the log know of blocks and copies, by the names that these keep when they are lowered.

use crate::model::PART;
use kenaz_base::{Prim, Symbol};
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Exp, Fun, Layout, LocId, Log, MemExp, Name, Operand, Param, Prog, Stm, Type, print};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What is known of the blocks of a program.
pub(crate) struct Known {
    blocks: FxHashMap<Name, Block>,
    /// Code that is written twice has new names in one of the copies, which begin alike.
    alike: FxHashMap<(Symbol, Symbol), Vec<Name>>,
    /// The arrays that are copied from one block to another.
    copies: BTreeMap<(Name, Name), Vec<Copied>>,
}

#[derive(Clone, Default)]
pub(crate) struct Block {
    pub loc: Option<LocId>,
    pub reason: String,
    pub arrays: Vec<Array>,
}

#[derive(Clone, PartialEq)]
pub(crate) struct Array {
    pub name: String,
    pub dims: Vec<Operand>,
    pub prim: Prim,
    pub layout: String,
    pub writer: String,
    pub loc: LocId,
}

#[derive(Clone)]
pub(crate) struct Copied {
    pub from: String,
    pub to: String,
    pub loc: LocId,
    pub reason: String,
}

impl Known {
    pub(crate) fn of(prog: &Prog, log: &Log) -> Known {
        let mut known = Known { blocks: FxHashMap::default(), alike: FxHashMap::default(), copies: BTreeMap::new() };
        for fun in &prog.funs {
            let mut find = Find { log, known: &mut known, places: FxHashMap::default(), fun: fun.name };
            find.fun(fun);
        }
        known
    }

    /// What is known of a block that a function allocates, which may have a new name.
    pub(crate) fn block(&self, fun: Symbol, name: Name) -> Option<&Block> {
        self.blocks.get(&name).or_else(|| match &self.alike.get(&(fun, name.base))?[..] {
            [only] => self.blocks.get(only),
            _ => None,
        })
    }

    /// What is copied from one block to another; the same for all of them if it is not known which.
    pub(crate) fn copy(&self, from: Name, to: Name, nth: usize) -> Option<&Copied> {
        let all = self.copies.get(&(from, to))?;
        all.get(nth).or(all.last())
    }
}

struct Find<'a> {
    log: &'a Log,
    known: &'a mut Known,
    /// The blocks of arrays.
    places: FxHashMap<Name, Name>,
    fun: Symbol,
}

impl Visit for Find<'_> {
    fn fun(&mut self, fun: &Fun) {
        fun.params.iter().for_each(|param| self.array(param, "the caller", fun.loc));
        walk::fun(self, fun);
    }

    fn stm(&mut self, stm: &Stm) {
        match (&stm.exp, &stm.pat[..]) {
            (Exp::Mem(MemExp::Alloc(..) | MemExp::AllocEach(_) | MemExp::Slot(_)), [block]) => {
                let placement = self.log.placement(block.name);
                let entry = self.known.blocks.entry(block.name).or_default();
                entry.loc = Some(stm.loc);
                entry.reason = placement.map(|placement| placement.reason.to_string()).unwrap_or_default();
                self.known.alike.entry((self.fun, block.name.base)).or_default().push(block.name);
            }
            (Exp::Copy(from), [to]) => self.copied(*from, to, stm.loc),
            (Exp::Update(_, _, Operand::Var(value)) | Exp::FlatUpdate(.., value), [to]) => {
                self.copied(*value, to, stm.loc);
            }
            (Exp::Concat(_, parts), [to]) => parts.iter().for_each(|part| self.copied(*part, to, stm.loc)),
            (Exp::Array(elems, _), [to]) => {
                elems.iter().filter_map(|elem| elem.name()).for_each(|part| self.copied(part, to, stm.loc));
            }
            _ => {}
        }
        if let Exp::Loop { params, .. } = &stm.exp {
            params.iter().for_each(|(param, _)| self.array(param, "a loop", stm.loc));
        }
        let writer = if stm.exp.is_view() { "" } else { writer(&stm.exp) };
        stm.pat.iter().for_each(|param| self.array(param, writer, stm.loc));
        walk::stm(self, stm);
    }
}

impl Find<'_> {
    fn array(&mut self, param: &Param, writer: &str, loc: LocId) {
        let (Type::Array(dims, prim), Some(place)) = (&param.ty, &param.place) else { return };
        self.places.insert(param.name, place.block);
        // Views are other ways to look at what somebody else has written.
        if writer.is_empty() {
            return;
        }
        let array = Array {
            name: param.name.base.to_string(),
            dims: dims.clone(),
            prim: *prim,
            layout: layout(&place.layout, &param.ty),
            writer: writer.to_string(),
            loc,
        };
        let block = self.known.blocks.entry(place.block).or_default();
        if !block.arrays.contains(&array) {
            block.arrays.push(array);
        }
    }

    fn copied(&mut self, from: Name, to: &Param, loc: LocId) {
        let (Some(source), Some(place)) = (self.places.get(&from).copied(), &to.place) else { return };
        let reason = self.log.placement(to.name).map(|placement| placement.reason.to_string()).unwrap_or_default();
        let copied = Copied { from: from.base.to_string(), to: to.name.base.to_string(), loc, reason };
        self.known.copies.entry((source, place.block)).or_default().push(copied);
    }
}

fn writer(exp: &Exp) -> &'static str {
    match exp {
        Exp::Par(_) => "a parallel loop",
        Exp::Loop { .. } => "a loop",
        Exp::If(..) | Exp::Match(..) => "a branch",
        Exp::Call(..) => "a function",
        Exp::Mem(_) => "",
        exp => print::operator(exp),
    }
}

/// How the elements of an array lie in its block.
fn layout(layout: &Layout, ty: &Type) -> String {
    let is_from_start = layout.offset.is_zero();
    let like = |dims: &[Operand]| {
        Layout::row_major(dims).map(|mut other| {
            other.offset = layout.offset.clone();
            other
        })
    };
    let dims = ty.dims();
    let offset = if is_from_start { "" } else { PART };
    if like(dims).as_ref() == Some(layout) {
        return format!("row-major{offset}");
    }
    let reversed: Vec<Operand> = dims.iter().rev().copied().collect();
    if dims.len() > 1
        && let Some(other) = like(&reversed)
        && other.dims.iter().rev().eq(&layout.dims)
    {
        return format!("column-major{offset}");
    }
    format!("strided{offset}")
}
