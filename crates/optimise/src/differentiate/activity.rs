//! Which variables depend on those that are varied.
//!
//! The names found are an upper bound. An accumulator is active when its token is: the operator that makes it has
//! active destinations, or somebody adds something active to it.

use super::partial;
use kenaz_base::with_stack;
use kenaz_ir::{AccInput, Body, Builder, Exp, HistOp, Lambda, Name, Operand, Param, Soac, Stm, Type};
use rustc_hash::FxHashSet;

/// Adds to the active names those in the body that depend on them.
pub(super) fn spread(b: &Builder, body: &Body, active: &mut FxHashSet<Name>) {
    loop {
        let mut walk = Walk { b, active, changed: false };
        walk.body(body);
        if !walk.changed {
            return;
        }
    }
}

struct Walk<'a> {
    b: &'a Builder,
    active: &'a mut FxHashSet<Name>,
    changed: bool,
}

impl Walk<'_> {
    fn is(&self, x: Operand) -> bool {
        x.name().is_some_and(|name| self.active.contains(&name))
    }

    fn any(&self, xs: &[Operand]) -> bool {
        xs.iter().any(|x| self.is(*x))
    }

    fn mark(&mut self, name: Name) {
        let is_value = self.b.type_of_name(name).prim().is_some();
        self.changed |= is_value && self.active.insert(name);
    }

    fn mark_if(&mut self, condition: bool, name: Name) {
        if condition {
            self.mark(name);
        }
    }

    fn body(&mut self, body: &Body) {
        with_stack(|| body.stms.iter().for_each(|stm| self.stm(stm)));
    }

    /// Marks those of the pattern whose value is active in one of the bodies.
    fn branches<'b>(&mut self, bodies: impl Iterator<Item = &'b Body>, pat: &[Param]) {
        for body in bodies {
            self.body(body);
            for (p, x) in pat.iter().zip(&body.results) {
                self.mark_if(self.is(*x), p.name);
            }
        }
    }

    /// Marks the parameters for active arguments, and gives which results are active.
    fn lambda(&mut self, lambda: &Lambda, args: impl Iterator<Item = bool>) -> Vec<bool> {
        for (p, is_active) in lambda.params.iter().zip(args) {
            self.mark_if(is_active, p.name);
        }
        self.body(&lambda.body);
        lambda.body.results.iter().map(|x| self.is(*x)).collect()
    }

    /// Which results of combining are active, if these operands are.
    fn operator(&mut self, op: &Lambda, neutral: &[Operand], elems: &[bool]) -> Vec<bool> {
        let k = neutral.len();
        let mut all: Vec<bool> = neutral.iter().zip(elems).map(|(x, elem)| *elem || self.is(*x)).collect();
        loop {
            let twice: Vec<bool> = all.iter().chain(&all).copied().collect();
            let results = self.lambda(op, twice.into_iter());
            let next: Vec<bool> = (0..k).map(|i| all[i] || results.get(i) == Some(&true)).collect();
            if next == all {
                return all;
            }
            all = next;
        }
    }

    fn stm(&mut self, stm: &Stm) {
        let pat = &stm.pat;
        let depends = match &stm.exp {
            Exp::Cmp(..) | Exp::Assert(..) | Exp::Scratch(..) | Exp::Tunable(_) | Exp::Mem(_) | Exp::Par(_) => false,
            exp @ (Exp::Un(..) | Exp::Bin(..) | Exp::Conv(..) | Exp::Math(..)) => {
                let xs = partial::operands(exp);
                xs.iter().enumerate().any(|(k, x)| self.is(*x) && partial::depends(self.b, exp, k))
            }
            Exp::Operand(x) | Exp::Trace(_, x) | Exp::Opaque(x) | Exp::Replicate(_, x) => self.is(*x),
            Exp::Index(a, _) | Exp::Slice(a, _) | Exp::Rearrange(_, a) | Exp::Reshape(_, a) | Exp::Resize(_, a) => {
                self.is((*a).into())
            }
            Exp::Copy(a) | Exp::FlatIndex(a, ..) => self.is((*a).into()),
            Exp::Update(a, _, v) => self.is((*a).into()) || self.is(*v),
            Exp::FlatUpdate(a, _, _, v) => self.is((*a).into()) || self.is((*v).into()),
            Exp::Array(xs, _) => self.any(xs),
            Exp::Iota { start, stride, .. } => self.is(*start) || self.is(*stride),
            Exp::Concat(_, arrays) => arrays.iter().any(|a| self.is((*a).into())),
            Exp::Call(_, args) => self.any(args),
            Exp::If(_, yes, no) => return self.branches([yes, no].into_iter(), pat),
            Exp::Match(_, cases, default) => {
                return self.branches(cases.iter().map(|(_, body)| body).chain([default]), pat);
            }
            Exp::Loop { params, body, .. } => {
                for (p, init) in params {
                    self.mark_if(self.is(*init), p.name);
                }
                self.body(body);
                for (((p, _), next), result) in params.iter().zip(&body.results).zip(pat) {
                    self.mark_if(self.is(*next), p.name);
                    self.mark_if(self.is(p.name.into()), result.name);
                }
                return;
            }
            Exp::Soac(soac) => return self.soac(soac, pat),
            Exp::Jvp(_, at, direction) | Exp::Vjp(_, at, direction) => self.any(at) || self.any(direction),
        };
        if depends {
            pat.iter().for_each(|p| self.mark(p.name));
        }
    }

    fn soac(&mut self, soac: &Soac, pat: &[Param]) {
        let mut active: Vec<bool> = Vec::new();
        match soac {
            Soac::Screma { arrays, map, scans, reduces, post, .. } => {
                let args: Vec<bool> = arrays.iter().map(|a| self.is((*a).into())).collect();
                let mapped = self.lambda(map, args.into_iter());
                let mut rest = &mapped[..];
                let (mut scanned, mut reduced) = (Vec::new(), Vec::new());
                for scan in scans {
                    let (elems, others) = rest.split_at(scan.neutral.len());
                    scanned.extend(self.operator(&scan.op, &scan.neutral, elems));
                    rest = others;
                }
                for reduce in reduces {
                    let (elems, others) = rest.split_at(reduce.neutral.len());
                    reduced.extend(self.operator(&reduce.op, &reduce.neutral, elems));
                    rest = others;
                }
                match post {
                    Some(post) => {
                        let args: Vec<bool> = scanned.iter().chain(rest).copied().collect();
                        active.extend(reduced);
                        active.extend(self.lambda(post, args.into_iter()));
                    }
                    None => active.extend(scanned.iter().chain(&reduced).chain(rest)),
                }
            }
            Soac::Filter { arrays, pred, .. } => {
                let args: Vec<bool> = arrays.iter().map(|a| self.is((*a).into())).collect();
                let results = self.lambda(pred, args.iter().copied());
                active.push(false);
                active.extend(if results.len() > 1 { &results[1..] } else { &args });
            }
            Soac::Scatter { arrays, map, dests, .. } => {
                let args: Vec<bool> = arrays.iter().map(|a| self.is((*a).into())).collect();
                let results = self.lambda(map, args.into_iter());
                let values = &results[results.len() - dests.len()..];
                active.extend(dests.iter().zip(values).map(|(d, v)| *v || self.is(d.array.into())));
            }
            Soac::Hist { arrays, map, ops, .. } => {
                let args: Vec<bool> = arrays.iter().map(|a| self.is((*a).into())).collect();
                let results = self.lambda(map, args.into_iter());
                let indices: usize = ops.iter().map(|op| op.rank).sum();
                let mut rest = &results[indices..];
                for HistOp { dests, op, neutral, .. } in ops {
                    let (values, others) = rest.split_at(dests.len());
                    let elems: Vec<bool> = dests.iter().zip(values).map(|(d, v)| *v || self.is((*d).into())).collect();
                    active.extend(self.operator(op, neutral, &elems));
                    rest = others;
                }
            }
            Soac::WithAcc { inputs, body } => {
                for (AccInput { dests, op, .. }, token) in inputs.iter().zip(&body.params) {
                    if dests.iter().any(|d| self.is((*d).into())) {
                        self.changed |= self.active.insert(token.name);
                    }
                    if let Some((op, neutral)) = op
                        && self.active.contains(&token.name)
                    {
                        self.operator(op, neutral, &vec![true; neutral.len()]);
                    }
                }
                let results = self.lambda(body, std::iter::empty());
                for (input, token) in inputs.iter().zip(&body.params) {
                    let is_active = self.active.contains(&token.name);
                    active.extend(std::iter::repeat_n(is_active, input.dests.len()));
                }
                active.extend(results.iter().skip(inputs.len()));
            }
            Soac::UpdateAcc { acc, values, .. } => {
                if let Type::Acc { token, .. } = self.b.type_of_name(*acc)
                    && self.any(values)
                {
                    self.changed |= self.active.insert(*token);
                }
            }
        }
        for (p, is_active) in pat.iter().zip(active) {
            self.mark_if(is_active, p.name);
        }
    }
}
