//! Branches, loops and calls. Their results are variables that are declared before and assigned inside.

use super::Lower;
use crate::{Arg, Exp, Stm, Ty};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::{BinOp, LoopForm, Name, Operand, Poly, Space, Type};
use rustc_hash::FxHashMap;

/// Branches of at most this many simple operations are both evaluated.
const SELECTED: usize = 3;

/// In lanes that run side by side it may be more, as `plan::lanes` counts as well.
const SELECTED_IN_LANES: usize = 8;

/// So are conditions of at most this many operations that another condition comes before.
const JOINED: usize = 6;

/// What a variable gets: a constant or another variable.
#[derive(Clone, PartialEq)]
enum Source {
    Scalar(Exp),
    Block(Name, Space),
}

impl Source {
    fn variable(&self) -> Option<Name> {
        match self {
            Source::Scalar(Exp::Var(name, _)) | Source::Block(name, _) => Some(*name),
            Source::Scalar(_) => None,
        }
    }

    fn assignment(self, name: Name) -> Stm {
        match self {
            Source::Scalar(value) => Stm::Set { name, value },
            Source::Block(from, _) => Stm::SetBlock { name, from },
        }
    }
}

impl Lower<'_> {
    pub(super) fn control(&mut self, stm: &ir::Stm) {
        let pat: Vec<&ir::Param> = stm.pat.iter().collect();
        match &stm.exp {
            ir::Exp::If(cond, yes, no) => {
                let cond = self.operand(*cond);
                let (yes_stms, no_stms, values) = self.both(yes, no);
                if self.joins(&stm.pat, [&yes_stms, &no_stms], &values) {
                    self.join(&stm.pat, cond, [yes_stms, no_stms], &values);
                    return;
                }
                if self.selects(&stm.pat, &yes_stms, &no_stms) {
                    self.select(&stm.pat, &cond, [yes_stms, no_stms], values);
                    return;
                }
                self.declare(&pat);
                let [yes_values, no_values] = values;
                let yes = self.finished(yes_stms, &pat, yes_values);
                let no = self.finished(no_stms, &pat, no_values);
                self.push(Stm::If { cond, yes, no });
            }
            ir::Exp::Match(on, cases, default) => {
                let on = self.operand(*on);
                self.declare(&pat);
                let branch = |cx: &mut Self, body: &ir::Body| {
                    cx.scoped(false, |cx| {
                        cx.body(body);
                        cx.assign(&pat, &body.results);
                    })
                };
                let cases = cases.iter().map(|(value, body)| (*value, branch(self, body))).collect();
                let default = branch(self, default);
                self.push(Stm::Switch { on, cases, default });
            }
            ir::Exp::Loop { params, form, body } => self.loop_(&pat, params, form, body),
            ir::Exp::Call(fun, args) => {
                self.declare(&pat);
                let args = args.iter().filter_map(|x| self.arg(*x)).collect();
                let is_variable = |p: &&&ir::Param| matches!(p.ty, Type::Prim(_) | Type::Mem(_));
                let results = pat.iter().filter(is_variable).map(|p| p.name).collect();
                self.push(Stm::Call { fun: *fun, args, results });
            }
            _ => {}
        }
        self.bind_arrays(pat);
    }

    /// Arrays and certificates are not passed.
    fn arg(&self, x: Operand) -> Option<Arg> {
        match x {
            Operand::Const(c) => Some(Arg::Scalar(Exp::Const(c))),
            Operand::Var(name) => match (self.scope.is_bound(x), self.scope.known_block(name)) {
                (true, _) => Some(Arg::Scalar(self.operand(x))),
                (false, Some(block)) => Some(Arg::Block(block)),
                (false, None) => None,
            },
        }
    }

    /// Declares the scalars and blocks of a pattern as variables.
    fn declare(&mut self, pat: &[&ir::Param]) {
        for param in pat {
            let ty = match param.ty {
                Type::Prim(prim) => {
                    self.variable(param.name, prim);
                    Ty::Scalar(prim)
                }
                Type::Mem(space) => {
                    self.scope.bind_block(param.name, param.name);
                    Ty::Block(space)
                }
                Type::Array(..) | Type::Cert | Type::Acc { .. } => continue,
            };
            self.push(Stm::Declare { name: param.name, ty });
        }
    }

    fn sources(&self, pat: &[&ir::Param], values: &[Operand]) -> Vec<(Name, Source)> {
        let source = |(param, value): (&&ir::Param, &Operand)| match param.ty {
            Type::Prim(_) => Some((param.name, Source::Scalar(self.operand(*value)))),
            Type::Mem(space) => value.name().map(|block| (param.name, Source::Block(self.scope.block(block), space))),
            Type::Array(..) | Type::Cert | Type::Acc { .. } => None,
        };
        pat.iter().zip(values).filter_map(source).collect()
    }

    /// Gives the variables of a pattern their values.
    pub(super) fn assign(&mut self, pat: &[&ir::Param], values: &[Operand]) {
        let sources = self.sources(pat, values);
        self.assign_all(sources);
    }

    /// Assigns scalars at the same time.
    pub(super) fn assign_scalars(&mut self, values: Vec<(Name, Exp)>) {
        self.assign_all(values.into_iter().map(|(name, value)| (name, Source::Scalar(value))).collect());
    }

    /// All values are those before the first assignment: one that reads what another assigns comes first, and where
    /// that goes in a circle an old value is kept.
    fn assign_all(&mut self, mut todo: Vec<(Name, Source)>) {
        todo.retain(|(name, source)| source.variable() != Some(*name));
        let targets: FxHashMap<Name, usize> = todo.iter().enumerate().map(|(at, (name, _))| (*name, at)).collect();
        // How many others read what is assigned.
        let mut readers = vec![0usize; todo.len()];
        let assigner = |source: &Source| source.variable().and_then(|name| targets.get(&name).copied());
        for (_, source) in &todo {
            assigner(source).into_iter().for_each(|at| readers[at] += 1);
        }
        let mut todo: Vec<Option<(Name, Source)>> = todo.into_iter().map(Some).collect();
        for start in 0..todo.len() {
            if readers[start] == 0 {
                self.assign_from(start, &mut todo, &mut readers, &assigner);
            }
        }
        // What is left are circles, in which each is read by one other. That one gets the old value.
        for start in 0..todo.len() {
            let Some((name, _)) = todo[start] else { continue };
            let old = self.fresh.like(name);
            for (_, source) in todo.iter_mut().flatten().filter(|(_, source)| source.variable() == Some(name)) {
                match source {
                    Source::Block(block, space) => {
                        *block = old;
                        self.push(Stm::Declare { name: old, ty: Ty::Block(*space) });
                        self.push(Stm::SetBlock { name: old, from: name });
                    }
                    Source::Scalar(value) => {
                        let (prim, value) = (value.prim(), std::mem::replace(value, Exp::Var(old, value.prim())));
                        self.variable(old, prim);
                        self.push(Stm::Let { name: old, prim, value });
                    }
                }
            }
            self.assign_from(start, &mut todo, &mut readers, &assigner);
        }
    }

    /// Assigns one that nobody has to read any more, then what only that one had to read, and so on.
    fn assign_from(
        &mut self,
        start: usize,
        todo: &mut [Option<(Name, Source)>],
        readers: &mut [usize],
        assigner: &impl Fn(&Source) -> Option<usize>,
    ) {
        let mut next = Some(start);
        while let Some(at) = next.take() {
            let Some((name, source)) = todo[at].take() else { return };
            let read = assigner(&source);
            self.push(source.assignment(name));
            if let Some(read) = read {
                readers[read] = readers[read].saturating_sub(1);
                next = (readers[read] == 0).then_some(read);
            }
        }
    }

    /// The statements of two branches, and the values they yield.
    fn both(&mut self, yes: &ir::Body, no: &ir::Body) -> (Vec<Stm>, Vec<Stm>, [Vec<Operand>; 2]) {
        let yes_stms = self.scoped(false, |cx| cx.body(yes));
        let no_stms = self.scoped(false, |cx| cx.body(no));
        (yes_stms, no_stms, [yes.results.clone(), no.results.clone()])
    }

    /// A branch with the assignments at its end.
    fn finished(&mut self, stms: Vec<Stm>, pat: &[&ir::Param], values: Vec<Operand>) -> Vec<Stm> {
        self.scoped(false, |cx| {
            let here = cx.here();
            cx.frames[here].stms = stms;
            cx.assign(pat, &values);
        })
    }

    /// Whether both branches may as well be evaluated.
    fn selects(&self, pat: &[ir::Param], yes: &[Stm], no: &[Stm]) -> bool {
        let is_simple = |stm: &Stm| match stm {
            Stm::Let { value, .. } => is_cheap(value),
            _ => false,
        };
        let scalars_only = pat.iter().all(|p| matches!(p.ty, Type::Prim(_) | Type::Cert | Type::Array(..)));
        let count = pat.iter().filter(|p| matches!(p.ty, Type::Prim(_))).count();
        let most = if self.in_lanes { SELECTED_IN_LANES } else { SELECTED };
        scalars_only
            && (1..=2).contains(&count)
            && [yes, no].into_iter().all(|stms| stms.len() <= most && stms.iter().all(is_simple))
    }

    /// Whether a branch is a condition that holds only if another does, or holds also if another does, and may as well
    /// be evaluated in any case: `c && d` or `c || d` for simple operations. What they compute is then there for the
    /// next iteration of a loop, which may need it again.
    fn joins(&self, pat: &[ir::Param], stms: [&[Stm]; 2], values: &[Vec<Operand>; 2]) -> bool {
        let is_simple = |stm: &Stm| matches!(stm, Stm::Let { value, .. } if is_cheap(value));
        let is_bool = matches!(pat, [param] if param.ty == Type::Prim(Prim::Bool));
        let all = || stms.into_iter().flatten();
        let is_constant = |value: bool, at: usize| values[at] == [Operand::bool(value)];
        is_bool
            && all().count() > SELECTED
            && all().count() <= JOINED
            && all().all(is_simple)
            && (is_constant(false, 1) || is_constant(true, 0))
    }

    fn join(&mut self, pat: &[ir::Param], cond: Exp, stms: [Vec<Stm>; 2], values: &[Vec<Operand>; 2]) {
        stms.into_iter().flatten().for_each(|stm| self.push(stm));
        let (op, at) = if values[1] == [Operand::bool(false)] { (BinOp::And, 0) } else { (BinOp::Or, 1) };
        let (Some(param), Some(value)) = (pat.first(), values[at].first()) else { return };
        // A variable, so that it is not put into what is evaluated only under the other condition.
        let other = self.fresh.like(param.name);
        let value = self.operand(*value);
        self.push(Stm::Declare { name: other, ty: Ty::Scalar(Prim::Bool) });
        self.push(Stm::Set { name: other, value });
        self.variable(other, Prim::Bool);
        self.bind(param.name, Exp::bin(op, cond, Exp::Var(other, Prim::Bool)));
    }

    fn select(&mut self, pat: &[ir::Param], cond: &Exp, stms: [Vec<Stm>; 2], values: [Vec<Operand>; 2]) {
        for stm in stms.into_iter().flatten() {
            self.push(stm);
        }
        for (param, (yes, no)) in pat.iter().zip(values[0].iter().zip(&values[1])) {
            if let Type::Prim(_) = param.ty {
                if let Some(sum) = self.chosen_before(cond, *yes, *no) {
                    self.define_index(param.name, &sum);
                    continue;
                }
                let [yes, no] = [*yes, *no].map(|x| self.operand(x));
                let value = if yes == no { yes } else { Exp::select(cond.clone(), yes, no) };
                self.bind(param.name, value);
            }
        }
        self.bind_arrays(pat);
    }

    /// Of two indices that differ by the same in each iteration of the loop around them, where the condition is the
    /// same in all: what they have in common, and a number that is chosen before the loop. So an element is reached in
    /// steps of one size, as loops that run in vectors need it.
    fn chosen_before(&mut self, cond: &Exp, yes: Operand, no: Operand) -> Option<Poly> {
        let inner = self.frames[self.here()].inner_loop?;
        let is_fixed = |cx: &Self, name: Name| cx.depths.get(&name).is_some_and(|depth| *depth < inner);
        if !matches!(cond, Exp::Var(test, _) if is_fixed(self, *test)) {
            return None;
        }
        let mut sides = Vec::new();
        for x in [yes, no] {
            let x = match self.operand(x) {
                Exp::Var(name, Prim::I64) => Poly::name(name),
                Exp::Const(c) => Poly::constant(c.as_i64()?.into()),
                _ => return None,
            };
            sides.push(self.expanded(&x));
        }
        let changes = |(names, _): &(&[Name], i128)| names.iter().any(|name| !is_fixed(self, *name));
        let changing = |x: &Poly| x.terms().filter(changes).map(|(names, n)| (names.to_vec(), n)).collect::<Vec<_>>();
        let common = changing(&sides[0]);
        if common.is_empty() || common != changing(&sides[1]) {
            return None;
        }
        let mut sum = Poly::default();
        for (names, n) in common {
            let term = names.iter().try_fold(Poly::constant(n), |term, name| term.times(&Poly::name(*name)))?;
            sum = sum.plus(&term, 1)?;
        }
        let [yes, no] = [sides[0].plus(&sum, -1)?, sides[1].plus(&sum, -1)?];
        let (yes, no) = (self.outside(&yes, inner), self.outside(&no, inner));
        let chosen = self.let_outside("c", Exp::select(cond.clone(), yes, no), inner);
        sum.plus(&Poly::name(chosen), 1)
    }

    /// The parameters are variables, and the results of the loop are other names for them.
    fn loop_(&mut self, pat: &[&ir::Param], params: &[(ir::Param, Operand)], form: &LoopForm, body: &ir::Body) {
        let vars: Vec<&ir::Param> = params.iter().map(|(param, _)| param).collect();
        let inits: Vec<Operand> = params.iter().map(|(_, init)| *init).collect();
        let sources = self.sources(&vars, &inits);
        self.declare(&vars);
        for (name, source) in sources {
            self.push(source.assignment(name));
        }
        let inside = |cx: &mut Self| {
            // The variables change in the loop.
            let here = cx.here();
            for param in &vars {
                cx.depths.insert(param.name, here);
            }
            cx.bind_arrays(vars.iter().copied());
            cx.body(body);
            cx.assign(&vars, &body.results);
        };
        match form {
            LoopForm::For(i, prim, n) => {
                let bound = self.operand(*n);
                self.for_loop(*i, *prim, bound, None, inside);
            }
            LoopForm::While(cond) => {
                let cond = self.operand(Operand::Var(*cond));
                let body = self.scoped(true, inside);
                self.push(Stm::While { cond, body });
            }
        }
        let here = self.here();
        for (result, var) in pat.iter().zip(&vars) {
            self.depths.insert(var.name, here);
            match var.ty {
                Type::Prim(prim) => self.stands_for(result.name, &Exp::Var(var.name, prim)),
                Type::Mem(_) => self.scope.bind_block(result.name, var.name),
                Type::Array(..) | Type::Cert | Type::Acc { .. } => {}
            }
        }
    }
}

/// Whether an expression costs little, and nothing can go wrong where it is not needed.
pub(super) fn is_cheap(x: &Exp) -> bool {
    let mut is_cheap = true;
    x.walk(&mut |x| {
        is_cheap &= match x {
            Exp::Bin(op, prim, ..) => match op {
                BinOp::Add
                | BinOp::Sub
                | BinOp::Mul
                | BinOp::Min
                | BinOp::Max
                | BinOp::And
                | BinOp::Or
                | BinOp::Xor
                | BinOp::Shl
                | BinOp::Shr => true,
                BinOp::Div => prim.is_float(),
                BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow => false,
            },
            Exp::Const(_) | Exp::Var(..) | Exp::Un(..) | Exp::Cmp(..) | Exp::Select(..) => true,
            // Not all of them are one instruction.
            Exp::Conv(from, to, _) => *from != Prim::F16 && *to != Prim::F16,
            Exp::Add(..) | Exp::Sub(..) | Exp::Mul(..) => true,
            Exp::Math(..) | Exp::Load { .. } | Exp::Quot(..) | Exp::Rem(..) => false,
        };
    });
    is_cheap
}
