//! Memory stage → parallel stage: what is left without memory.
//!
//! ```text
//! let m_1: mem = alloc host 80                                      let a_2: [10]i64 = iota 10 : i64
//! let a_2: [10]i64 @ m_1 -> 0 + {(10 : 1)} = iota 10 : i64     →    in a_2
//! in m_1, a_2
//! ```
//!
//! Memory is not semantic: places, plans, blocks and the statements that make, share and free them go away, and the
//! rest means the same. Numbers that only occurred in layouts stay.

use crate::exp::Exp;
use crate::name::Name;
use crate::plan::Plan;
use crate::prog::{Body, Fun, Operand, Param, Prog, Stm};
use crate::types::Type;
use crate::visit::{VisitMut, walk_mut};
use rustc_hash::FxHashSet;

/// The program without blocks and places.
pub fn erase(prog: &Prog) -> Prog {
    let mut prog = prog.clone();
    let mut erase = Erase { blocks: FxHashSet::default() };
    for fun in &mut prog.funs {
        erase.fun(fun);
    }
    prog
}

struct Erase {
    /// The names of blocks; they are bound once in the whole program.
    blocks: FxHashSet<Name>,
}

impl Erase {
    fn binders(&mut self, params: &mut Vec<Param>) {
        self.blocks.extend(params.iter().filter(|p| is_block(p)).map(|p| p.name));
        params.retain(|p| !is_block(p));
    }

    fn operands(&self, operands: &mut Vec<Operand>) {
        operands.retain(|x| x.name().is_none_or(|name| !self.blocks.contains(&name)));
    }
}

impl VisitMut for Erase {
    fn fun(&mut self, fun: &mut Fun) {
        self.binders(&mut fun.params);
        self.binders(&mut fun.results);
        walk_mut::fun(self, fun);
    }

    fn body(&mut self, body: &mut Body) {
        walk_mut::body(self, body);
        self.operands(&mut body.results);
        // Statements about blocks alone go.
        body.stms.retain(|stm| match &stm.exp {
            Exp::Mem(_) => false,
            Exp::Operand(x) => x.name().is_none_or(|name| !self.blocks.contains(&name)),
            _ => true,
        });
    }

    fn stm(&mut self, stm: &mut Stm) {
        self.binders(&mut stm.pat);
        walk_mut::stm(self, stm);
    }

    fn exp(&mut self, exp: &mut Exp) {
        match exp {
            Exp::Call(_, args) => self.operands(args),
            Exp::Par(par) => par.plan = Plan::default(),
            Exp::Loop { params, .. } => {
                self.blocks.extend(params.iter().map(|(p, _)| p).filter(|p| is_block(p)).map(|p| p.name));
                params.retain(|(p, _)| !is_block(p));
            }
            _ => {}
        }
        walk_mut::exp(self, exp);
    }

    fn param(&mut self, param: &mut Param) {
        param.place = None;
        walk_mut::param(self, param);
    }
}

fn is_block(param: &Param) -> bool {
    matches!(param.ty, Type::Mem(_))
}
