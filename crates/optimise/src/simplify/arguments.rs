//! Arguments that are the same constant in all calls of a function.
//!
//! ```text
//! fun f (n_1: i64) (e_2: f32) … = { … e_2 … }          fun f (n_1: i64) … = { … 0.5f32 … }
//! … call f (k_7, 0.5f32) … call f (k_8, 0.5f32)   →    … call f (k_7) … call f (k_8)
//! ```
//!
//! What stays a function is large, and loops in it that run on several cores get all they use from outside: what C
//! compilers find out about the arguments of a function does not reach them. One walk over the program.

use kenaz_base::Symbol;
use kenaz_ir::visit::{Subst, Visit, VisitMut, walk, walk_mut};
use kenaz_ir::{Exp, Fun, Log, Operand, Prog, Stm};
use rustc_hash::FxHashMap;

/// Puts such constants into the functions.
pub(super) fn settle(prog: &mut Prog, log: &mut Log) {
    let mut calls = Calls::default();
    prog.funs.iter().for_each(|fun| calls.fun(fun));
    let mut gone: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
    for fun in prog.funs.iter_mut().filter(|fun| fun.entry.is_none()) {
        let Some(args) = calls.0.get(&fun.name) else { continue };
        let mut places = Vec::new();
        let mut subst = Subst::new();
        for (at, arg) in args.iter().enumerate() {
            if let (Some(constant @ Operand::Const(_)), Some(param)) = (arg, fun.params.get(at))
                && log.fire("constant-argument")
            {
                subst.insert(param.name, *constant);
                places.push(at);
            }
        }
        if !places.is_empty() {
            put_in(fun, &places, &subst);
            gone.insert(fun.name, places);
        }
    }
    if !gone.is_empty() {
        let mut drop = Drop(gone);
        prog.funs.iter_mut().for_each(|fun| drop.fun(fun));
    }
}

fn put_in(fun: &mut Fun, places: &[usize], subst: &Subst) {
    super::control::retain(&mut fun.params, places);
    for param in fun.params.iter_mut().chain(&mut fun.results) {
        param.ty = subst.ty(&param.ty);
    }
    subst.apply_to_body(&mut fun.body);
}

/// For each function its arguments, as far as they are the same in all calls.
#[derive(Default)]
struct Calls(FxHashMap<Symbol, Vec<Option<Operand>>>);

impl Visit for Calls {
    fn stm(&mut self, stm: &Stm) {
        if let Exp::Call(f, args) = &stm.exp {
            let known = self.0.entry(*f).or_insert_with(|| args.iter().copied().map(Some).collect());
            for (known, arg) in known.iter_mut().zip(args) {
                if *known != Some(*arg) {
                    *known = None;
                }
            }
        }
        walk::stm(self, stm);
    }
}

struct Drop(FxHashMap<Symbol, Vec<usize>>);

impl VisitMut for Drop {
    fn stm(&mut self, stm: &mut Stm) {
        if let Exp::Call(f, args) = &mut stm.exp
            && let Some(places) = self.0.get(f)
        {
            super::control::retain(args, places);
        }
        walk_mut::stm(self, stm);
    }
}
