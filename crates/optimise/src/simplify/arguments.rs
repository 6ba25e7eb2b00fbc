//! Arguments that are the same constant in all calls of a function, or the same as another one in each of them.
//!
//! ```text
//! fun f (n_1: i64) (m_2: i64) (e_3: f32) (a_4: [m_2]f32) … = { … e_3 … }
//! … call f (k_7, k_7, 0.5f32, b_8) … call f (l_9, l_9, 0.5f32, c_10)
//! ```
//! becomes
//! ```text
//! fun f (n_1: i64) (a_4: [n_1]f32) … = { … 0.5f32 … }
//! … call f (k_7, b_8) … call f (l_9, c_10)
//! ```
//!
//! What stays a function is large, and loops in it that run on several cores get all they use from outside: what C
//! compilers find out about the arguments of a function does not reach them. A function that is used as a value has the
//! sizes of its arguments twice, once as what the value holds and once with the array: unless they are known to be the
//! same, no index into the array is known to be inside. One walk over the program.

use kenaz_base::Symbol;
use kenaz_ir::visit::{Subst, Visit, VisitMut, walk, walk_mut};
use kenaz_ir::{Exp, Fun, Log, Operand, Prog, Stm, Type};
use rustc_hash::FxHashMap;

/// Puts such constants into the functions, and one parameter in the place of several.
pub(super) fn settle(prog: &mut Prog, log: &mut Log) {
    let mut calls = Calls::default();
    prog.funs.iter().for_each(|fun| calls.fun(fun));
    let mut gone: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
    for fun in prog.funs.iter_mut().filter(|fun| fun.entry.is_none()) {
        let Some(args) = calls.0.get(&fun.name) else { continue };
        let mut places = Vec::new();
        let mut subst = Subst::new();
        for (at, (arg, param)) in args.iter().zip(&fun.params).enumerate() {
            let (rule, value) = match *arg {
                Argument::Constant(constant) => ("constant-argument", constant),
                Argument::Same(first) if first < at && matches!(param.ty, Type::Prim(_)) => {
                    ("same-argument", fun.params[first].name.into())
                }
                Argument::Same(_) => continue,
            };
            if log.fire(rule) {
                subst.insert(param.name, value);
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

/// What is known of an argument in all calls seen so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Argument {
    Constant(Operand),
    /// It is the argument at this place, the first of those that are the same.
    Same(usize),
}

/// For each function its arguments.
#[derive(Default)]
struct Calls(FxHashMap<Symbol, Vec<Argument>>);

impl Visit for Calls {
    fn stm(&mut self, stm: &Stm) {
        if let Exp::Call(f, args) = &stm.exp {
            // Arguments are the same after this call if they were before and are in it.
            let before = self.0.get(f);
            let mut first = FxHashMap::default();
            let all = args.iter().enumerate().map(|(at, arg)| {
                let known = before.map(|before| before[at]);
                let first = *first.entry((known, *arg)).or_insert(at);
                match (*arg, known) {
                    (Operand::Const(_), None) => Argument::Constant(*arg),
                    (_, Some(Argument::Constant(constant))) if constant == *arg => Argument::Constant(constant),
                    _ => Argument::Same(first),
                }
            });
            let all = all.collect();
            self.0.insert(*f, all);
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
