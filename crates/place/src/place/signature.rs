//! How functions take and yield arrays in the memory stage.
//!
//! An array is preceded by its block and its offset in it, from where on it is row-major. Entry points have arrays at
//! offset 0 of their blocks, and so are the results of other functions that lie there anyway.

use kenaz_base::Symbol;
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Exp, Fresh, Fun, Layout, Name, Operand, Param, Place, Poly, Prog, Space, Type, entry};
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions of a program as they were before.
#[derive(Debug, Default)]
pub(super) struct Interfaces(FxHashMap<Symbol, Interface>);

#[derive(Debug)]
pub(super) struct Interface {
    pub is_entry: bool,
    /// For each parameter whether it is an array.
    pub params: Vec<bool>,
    /// For each result whether it comes with an offset, once that is known.
    results: Option<Vec<bool>>,
    is_called: bool,
}

impl Interfaces {
    pub(super) fn of(prog: &Prog) -> Interfaces {
        let mut called = Called::default();
        prog.funs.iter().for_each(|fun| called.fun(fun));
        let interface = |fun: &Fun| Interface {
            is_entry: fun.entry.is_some(),
            params: fun.params.iter().map(|p| p.ty.is_array()).collect(),
            results: fun.entry.is_some().then(|| vec![false; fun.results.len()]),
            is_called: called.0.contains(&fun.name),
        };
        Interfaces(prog.funs.iter().map(|fun| (fun.name, interface(fun))).collect())
    }

    pub(super) fn get(&self, fun: Symbol) -> Option<&Interface> {
        self.0.get(&fun)
    }

    /// Which results of a function come with an offset. What is not known when somebody asks does.
    pub(super) fn offsets(&mut self, fun: Symbol, results: usize) -> Vec<bool> {
        let known = self.0.get_mut(&fun).map(|f| f.results.get_or_insert_with(|| vec![true; results]).clone());
        known.unwrap_or_else(|| vec![true; results])
    }

    /// Says which results of a function need an offset; gives those that come with one.
    pub(super) fn settle(&mut self, fun: Symbol, needed: Vec<bool>) -> Vec<bool> {
        match self.0.get_mut(&fun) {
            Some(interface) => interface.results.get_or_insert(needed).clone(),
            None => needed,
        }
    }
}

/// The functions that are called by others.
#[derive(Default)]
struct Called(FxHashSet<Symbol>);

impl Visit for Called {
    fn exp(&mut self, exp: &Exp) {
        if let Exp::Call(f, _) = exp {
            self.0.insert(*f);
        }
        walk::exp(self, exp);
    }
}

/// What an entry point takes for good is its to overwrite, also where the program changes nothing in place. Arrays that
/// are parts of one value may be the same.
pub(super) fn consume(fun: &mut Fun, interfaces: &Interfaces) {
    let is_called = interfaces.get(fun.name).is_none_or(|interface| interface.is_called);
    let (Some(entry), Ok(signature)) = (&fun.entry, entry::signature(fun)) else { return };
    let pieces = |owner: usize| signature.takes.iter().filter(move |piece| piece.owner == owner);
    for (owner, _) in entry.params.iter().enumerate().filter(|(_, p)| p.unique && !is_called) {
        if let (Some(piece), 1) = (pieces(owner).next(), pieces(owner).count()) {
            let param = &mut fun.params[piece.slot];
            param.unique |= param.ty.is_array();
        }
    }
}

/// New parameters for the block and the offset of an array, and its place. Without an offset it is at 0.
pub(super) fn carried(
    name: Name,
    dims: &[Operand],
    has_offset: bool,
    space: Space,
    fresh: &mut Fresh,
) -> (Vec<Param>, Option<Place>) {
    let block = fresh.named(&format!("{}_mem", name.base));
    let mut params = vec![Param::new(block, Type::Mem(space))];
    let mut offset = Poly::default();
    if has_offset {
        let name = fresh.named(&format!("{}_at", name.base));
        params.push(Param::new(name, Type::I64));
        offset = Poly::name(name);
    }
    let layout = Layout::row_major_at(offset, dims);
    (params, layout.map(|layout| Place { block, layout }))
}
