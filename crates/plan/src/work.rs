//! The cost of an iteration, roughly, in operations: enough to say whether a second thread pays. The unit is an
//! operation on all lanes of a vector at once; one that cannot run in vectors counts several times.

use kenaz_base::with_stack;
use kenaz_ir::{BinOp, Body, Exp, Form, LoopForm, MathFn, Name, OpKind, Operand, Par, Poly, Stm, Type};
use rustc_hash::FxHashMap;

/// The assumed trip counts of a `for` loop whose length is not known where the `par` begins, and of a `while` loop.
const LENGTH: i128 = 16;
const WHILE: i128 = 64;

const DIVISION: i128 = 8;
const FUNCTION: i128 = 80;
const CALL: i128 = 800;

/// An access where others may be at the same time, and the operator of a scan, which waits for the one before.
const UPDATE: i128 = 12;
const SCAN: i128 = 6;

/// The factor for work that depends on the iteration before, which cannot run in vectors.
const IN_TURN: i128 = 4;

/// Branches that differ by more than this factor make iterations uneven.
const DIFFERENT: i128 = 8;

pub(crate) struct Cost {
    pub per_iteration: Poly,
    /// Iterations may differ much in what they cost.
    pub uneven: bool,
}

/// The cost of an iteration along the outermost dimension; `size` gives the sizes that are known before it.
pub(crate) fn of(par: &Par, size: &dyn Fn(Operand) -> Option<Poly>) -> Cost {
    let mut estimate = Estimate { size, minima: FxHashMap::default(), uneven: false };
    let per_iteration = estimate.par(par);
    Cost { per_iteration, uneven: estimate.uneven }
}

struct Estimate<'a> {
    size: &'a dyn Fn(Operand) -> Option<Poly>,
    /// What the smaller of two numbers was chosen from.
    minima: FxHashMap<Name, [Operand; 2]>,
    uneven: bool,
}

impl Estimate<'_> {
    /// The cost of an iteration along the outermost dimension.
    fn par(&mut self, par: &Par) -> Poly {
        let mut cost = self.body(&par.body);
        if let Some(post) = &par.post {
            cost = sum(cost, self.body(&post.body));
        }
        for op in &par.ops {
            let of_op = self.body(&op.lambda.body);
            let of_op = op.shape.iter().fold(of_op, |cost, n| self.times(*n, cost));
            cost = sum(cost, of_op);
            if op.kind == OpKind::Scan {
                cost = sum(cost, Poly::constant(SCAN));
            }
        }
        for form in &par.forms {
            if let Form::Write { .. } | Form::Acc { .. } = form {
                cost = sum(cost, Poly::constant(UPDATE));
            }
        }
        for (_, n) in &par.space[1..] {
            cost = self.times(*n, cost);
        }
        sum(cost, Poly::constant(1))
    }

    /// A size, or of what it is at most: the last part of something is often smaller.
    fn most(&self, n: Operand) -> Option<Poly> {
        let known = (self.size)(n);
        known.or_else(|| self.minima.get(&n.name()?)?.iter().find_map(|x| (self.size)(*x)))
    }

    fn body(&mut self, body: &Body) -> Poly {
        with_stack(|| {
            let mut cost = Poly::default();
            for stm in &body.stms {
                cost = sum(cost, self.stm(stm));
            }
            cost
        })
    }

    fn times(&self, n: Operand, cost: Poly) -> Poly {
        let n = self.most(n).unwrap_or_else(|| Poly::constant(LENGTH));
        // A polynomial that would become too large does not matter any more.
        n.times(&cost).unwrap_or(cost)
    }

    fn elements(&self, stm: &Stm) -> Poly {
        let one = Poly::constant(1);
        stm.pat.iter().fold(Poly::default(), |cost, param| match &param.ty {
            Type::Array(dims, _) => sum(cost, dims.iter().fold(one.clone(), |cost, n| self.times(*n, cost))),
            _ => cost,
        })
    }

    fn stm(&mut self, stm: &Stm) -> Poly {
        match &stm.exp {
            Exp::Bin(BinOp::Min, x, y) => {
                self.minima.extend(stm.pat.iter().map(|param| (param.name, [*x, *y])));
                Poly::constant(1)
            }
            Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow, ..) => Poly::constant(DIVISION),
            Exp::Math(MathFn::SizeMul, ..) => Poly::constant(1),
            Exp::Math(..) => Poly::constant(FUNCTION),
            Exp::Call(..) => Poly::constant(CALL),
            Exp::Concat(..) | Exp::Copy(_) | Exp::Replicate(..) | Exp::Iota { .. } => self.elements(stm),
            Exp::If(_, yes, no) => self.branches([yes, no].into_iter()),
            Exp::Match(_, cases, default) => self.branches(cases.iter().map(|(_, body)| body).chain([default])),
            Exp::Loop { form, body, .. } => {
                let cost = self.body(body);
                let cost = cost.times_constant(IN_TURN).unwrap_or(cost);
                match form {
                    LoopForm::For(_, _, n) => {
                        self.uneven |= self.most(*n).is_none();
                        self.times(*n, cost)
                    }
                    LoopForm::While(_) => {
                        self.uneven = true;
                        cost.times_constant(WHILE).unwrap_or(cost)
                    }
                }
            }
            Exp::Par(par) => {
                let cost = self.par(par);
                self.uneven |= self.most(par.space[0].1).is_none();
                self.times(par.space[0].1, cost)
            }
            _ => Poly::constant(1),
        }
    }

    /// The mean of all branches, as far as constants go.
    fn branches<'b>(&mut self, bodies: impl Iterator<Item = &'b Body>) -> Poly {
        let costs: Vec<Poly> = bodies.map(|body| self.body(body)).collect();
        let constants: Option<Vec<i128>> = costs.iter().map(Poly::as_constant).collect();
        match constants {
            Some(all) => {
                let (least, most) = (all.iter().min().copied().unwrap_or(0), all.iter().max().copied().unwrap_or(0));
                self.uneven |= most > DIFFERENT.saturating_mul(least.max(4));
                Poly::constant(all.iter().sum::<i128>() / i128::try_from(all.len().max(1)).unwrap_or(1) + 1)
            }
            None => {
                self.uneven = true;
                costs.into_iter().fold(Poly::constant(1), sum)
            }
        }
    }
}

fn sum(a: Poly, b: Poly) -> Poly {
    a.plus(&b, 1).unwrap_or(a)
}
