//! Arrays that a thread of a device should work on in memory of its own.
//!
//! ```text
//! let b_1 = par grid (i_2 < n_3) own {
//!   let x_4: [m_5]f32 = replicate [m_5] 0
//!   let y_6 = loop (a_7 = x_4) for j_8 < k_9 { … in update a_7[…] = … }
//!   in y_6
//! }
//! ```
//!
//! The rows of a result follow one another, so that neighbouring threads never touch neighbours while each builds its
//! own. An array that a loop updates in place, with more accesses than elements, is in a block of the thread instead:
//! a slot whose elements alternate with those of other threads, or the stack. It is copied to its row at the end.
//! Accesses are counted by the loops around them: there are more than elements if there are more loops than dimensions.
//! An array that fits on the stack is worth it after one loop.

use kenaz_base::with_stack;
use kenaz_ir::visit::for_each_body;
use kenaz_ir::{Body, Exp, Fun, Level, Name, Operand, Par, Stm, Target, Type, WorkerOrder};

/// The results of loops that threads yield and should work on in memory of their own.
pub(super) fn used_often(fun: &Fun, target: &Target) -> Vec<Name> {
    let mut often = Vec::new();
    if target.worker_order == WorkerOrder::Innermost {
        body(&fun.body, target, &mut often);
    }
    often
}

fn body(body_: &Body, target: &Target, often: &mut Vec<Name>) {
    with_stack(|| {
        for stm in &body_.stms {
            match &stm.exp {
                Exp::Par(par) if par.level == Some(Level::Grid) => of_thread(par, target, often),
                exp => for_each_body(exp, |inner| body(inner, target, often)),
            }
        }
    });
}

fn of_thread(par: &Par, target: &Target, often: &mut Vec<Name>) {
    let is_yielded = |name: Name| par.body.results.contains(&Operand::Var(name));
    for stm in &par.body.stms {
        match &stm.exp {
            Exp::Loop { params, body, .. } => {
                for (result, (param, _)) in stm.pat.iter().zip(params) {
                    if !param.ty.is_array() || !is_yielded(result.name) {
                        continue;
                    }
                    let mut accesses = Accesses { names: vec![param.name], depth: 1, deepest: 0, has_updates: false };
                    accesses.body(body);
                    let least = if fits_on_stack(&param.ty, target) { 0 } else { param.ty.rank() };
                    if accesses.has_updates && accesses.deepest > least {
                        often.push(result.name);
                    }
                }
            }
            // A nest of maps.
            Exp::Par(inner) if inner.level.is_none() && stm.pat.iter().any(|param| is_yielded(param.name)) => {
                with_stack(|| of_thread(inner, target, often));
            }
            _ => {}
        }
    }
}

fn fits_on_stack(ty: &Type, target: &Target) -> bool {
    let each = ty.prim().map_or(8, |prim| prim.bytes() as i64);
    let bytes = ty.dims().iter().try_fold(each, |bytes, n| match n {
        Operand::Const(n) => bytes.checked_mul(n.as_i64()?),
        Operand::Var(_) => None,
    });
    bytes.is_some_and(|bytes| bytes >= 0 && bytes.cast_unsigned() <= target.stack_bytes)
}

/// The accesses to an array that loops update in place.
struct Accesses {
    /// The array, and what it is called after updates.
    names: Vec<Name>,
    /// How many loops are around, and how many at most around an access.
    depth: usize,
    deepest: usize,
    has_updates: bool,
}

impl Accesses {
    fn body(&mut self, body: &Body) {
        with_stack(|| body.stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Index(a, _) if self.names.contains(a) => self.deepest = self.deepest.max(self.depth),
            Exp::Update(a, ..) if self.names.contains(a) => {
                self.deepest = self.deepest.max(self.depth);
                self.has_updates = true;
                self.names.extend(stm.pat.iter().map(|param| param.name));
            }
            Exp::Loop { params, body, .. } => {
                for ((param, init), result) in params.iter().zip(&stm.pat) {
                    if init.name().is_some_and(|name| self.names.contains(&name)) {
                        self.names.extend([param.name, result.name]);
                    }
                }
                self.inside(1, |accesses| accesses.body(body));
            }
            Exp::Par(par) => self.inside(par.space.len(), |accesses| accesses.body(&par.body)),
            exp => {
                for_each_body(exp, |body| self.body(body));
                // A branch yields the array, changed or not.
                if let Exp::If(_, yes, no) = exp {
                    for ((x, y), result) in yes.results.iter().zip(&no.results).zip(&stm.pat) {
                        if [x, y].iter().any(|x| x.name().is_some_and(|name| self.names.contains(&name))) {
                            self.names.push(result.name);
                        }
                    }
                }
            }
        }
    }

    fn inside(&mut self, loops: usize, f: impl FnOnce(&mut Self)) {
        self.depth += loops;
        f(self);
        self.depth -= loops;
    }
}
