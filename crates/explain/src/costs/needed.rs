//! Which integers and booleans are data, and not only indices, sizes or what these are made from.

use kenaz_base::with_stack;
use kenaz_ir::{Body, Exp, Form, Fun, Lambda, LoopForm, MathFn, Name, Operand, Par, Param, Stm, Type};
use rustc_hash::FxHashSet;

pub(super) fn of(fun: &Fun) -> FxHashSet<Name> {
    let mut needed = Needed { names: FxHashSet::default() };
    fun.body.results.iter().for_each(|x| needed.use_of(*x));
    needed.body(&fun.body);
    needed.names
}

struct Needed {
    names: FxHashSet<Name>,
}

impl Needed {
    fn use_of(&mut self, x: Operand) {
        self.names.extend(x.name());
    }

    fn is_data(&self, param: &Param) -> bool {
        matches!(param.ty, Type::Prim(prim) if prim.is_float()) || self.names.contains(&param.name)
    }

    /// Backwards: whoever needs something comes after it. Its results were looked at already.
    fn body(&mut self, body: &Body) {
        with_stack(|| body.stms.iter().rev().for_each(|stm| self.stm(stm)));
    }

    /// Whether it matters for data which branch runs: not if branches only choose among indices.
    fn is_choice_of_data(&self, pat: &[Param]) -> bool {
        pat.is_empty() || pat.iter().any(|param| self.is_data(param) || !matches!(param.ty, Type::Prim(_)))
    }

    fn results(&mut self, pat: &[Param], body: &Body) {
        for (param, x) in pat.iter().zip(&body.results) {
            if self.is_data(param) {
                self.use_of(*x);
            }
        }
        self.body(body);
    }

    fn lambda(&mut self, lambda: &Lambda) {
        lambda.body.results.iter().for_each(|x| self.use_of(*x));
        self.body(&lambda.body);
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Par(par) => self.par(par),
            Exp::Loop { params, form, body } => self.repeat(stm, params, form, body),
            Exp::If(cond, yes, no) => {
                self.results(&stm.pat, yes);
                self.results(&stm.pat, no);
                if self.is_choice_of_data(&stm.pat) {
                    self.use_of(*cond);
                }
            }
            Exp::Match(on, cases, default) => {
                cases.iter().for_each(|(_, body)| self.results(&stm.pat, body));
                self.results(&stm.pat, default);
                if self.is_choice_of_data(&stm.pat) {
                    self.use_of(*on);
                }
            }
            Exp::Math(MathFn::SizeMul, ..) => {}
            Exp::Operand(x) | Exp::Opaque(x) | Exp::Trace(_, x) | Exp::Un(_, x) | Exp::Conv(_, x)
                if stm.pat.iter().any(|param| self.is_data(param)) =>
            {
                self.use_of(*x);
            }
            Exp::Bin(_, x, y) if stm.pat.iter().any(|param| self.is_data(param)) => {
                [*x, *y].into_iter().for_each(|x| self.use_of(x));
            }
            // Comparisons are of what they compare.
            Exp::Cmp(_, x, y) if stm.pat.iter().any(|param| self.is_data(param)) => {
                [*x, *y].into_iter().for_each(|x| self.use_of(x));
            }
            Exp::Math(_, _, xs) if stm.pat.iter().any(|param| self.is_data(param)) => {
                xs.iter().for_each(|x| self.use_of(*x));
            }
            Exp::Update(_, _, x) | Exp::Replicate(_, x) => self.use_of(*x),
            Exp::Array(elems, _) => elems.iter().for_each(|x| self.use_of(*x)),
            _ => {}
        }
    }

    fn par(&mut self, par: &Par) {
        let (body, first) = par.yields();
        let mut values = &body.results[first.min(body.results.len())..];
        for form in &par.forms {
            let (mine, rest) = values.split_at(form.operands().min(values.len()));
            values = rest;
            let indices = match form {
                Form::Own | Form::Tile(_) => 0,
                Form::Write { rank, .. } | Form::Acc { rank, .. } => *rank,
            };
            mine.iter().skip(indices).for_each(|x| self.use_of(*x));
            if let Form::Acc { op, .. } = form {
                self.lambda(op);
            }
        }
        if let Some(post) = &par.post {
            self.body(&post.body);
        }
        par.body.results.iter().take(par.operands()).for_each(|x| self.use_of(*x));
        par.ops.iter().for_each(|op| self.lambda(&op.lambda));
        self.body(&par.body);
    }

    fn repeat(&mut self, stm: &Stm, params: &[(Param, Operand)], form: &LoopForm, body: &Body) {
        if let LoopForm::While(cond) = form {
            self.names.insert(*cond);
        }
        // What one round needs, the one before must make.
        loop {
            let before = self.names.len();
            for ((param, _), (result, x)) in params.iter().zip(stm.pat.iter().zip(&body.results)) {
                if self.is_data(param) || self.is_data(result) {
                    self.use_of(*x);
                }
            }
            self.body(body);
            if self.names.len() == before {
                break;
            }
        }
        for (param, initial) in params {
            if self.is_data(param) {
                self.use_of(*initial);
            }
        }
    }
}
