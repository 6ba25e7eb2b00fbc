//! Sizes that loops carry although they stay the same.
//!
//! ```text
//! loop (d = n, e = n, x: [d]f64 = a, y: [e]f64 = b) … { …; in e, d, y, x }
//! ⇒ loop (x: [n]f64 = a, y: [n]f64 = b) … { …; in y, x }
//! ```
//!
//! The arrays of all iterations can be kept in one array then. A size stays the same if its next value is it, or
//! another parameter that begins and stays with the same value, on every branch.

use super::Reverse;
use kenaz_ir::visit::Subst;
use kenaz_ir::{Body, Exp, LoopForm, Name, Operand, Param, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

impl Reverse<'_> {
    /// The statements that take the place of a loop whose sizes stay the same; none if it carries no sizes.
    pub(super) fn with_fixed_sizes(&mut self, stm: &Stm) -> Option<Vec<Stm>> {
        let Exp::Loop { params, form, body } = &stm.exp else { return None };
        let used: FxHashSet<Name> =
            params.iter().flat_map(|(p, _)| p.ty.dims().iter().filter_map(|n| n.name())).collect();
        let fixed = fixed(params, body, &used);
        if fixed.is_empty() {
            return None;
        }
        let subst: Subst = fixed.iter().map(|(name, x)| (*name, *x)).collect();
        let mut body = body.clone();
        subst.apply_to_body(&mut body);
        let stays = |i: &usize| !fixed.contains_key(&params[*i].0.name);
        let kept: Vec<usize> = (0..params.len()).filter(stays).collect();
        super::super::Declare(&mut self.cx.b).declare_body(&body);
        let mut own = Vec::new();
        for i in &kept {
            let (p, init) = &params[*i];
            let ty = subst.ty(&p.ty);
            self.cx.b.declare(p.name, ty.clone());
            own.push((Param { ty, ..p.clone() }, *init));
        }
        // The next values have the sizes of the parameters, though perhaps by other names.
        self.cx.b.begin();
        let results: Vec<Operand> = kept.iter().map(|i| body.results[*i]).collect();
        let mut next = Vec::new();
        self.cx.b.splice(Body { stms: body.stms, results: Vec::new() });
        for ((p, _), x) in own.iter().zip(results) {
            next.push(self.sized(x, &p.ty));
        }
        let body = self.cx.b.end(next);
        let form = match form {
            LoopForm::For(i, prim, n) => LoopForm::For(*i, *prim, *n),
            LoopForm::While(cond) => LoopForm::While(*cond),
        };
        self.cx.b.begin();
        let mut pat = Vec::new();
        for ((p, _), i) in own.iter().zip(&kept) {
            let new = self.cx.b.param("looped", p.ty.clone());
            if self.active.contains(&stm.pat[*i].name) {
                self.active.insert(new.name);
            }
            pat.push(new);
        }
        let names: Vec<Name> = pat.iter().map(|p| p.name).collect();
        self.cx.b.push(Stm { pat, exp: Exp::Loop { params: own, form, body }, ..stm.clone() });
        // First the sizes, then what has them.
        for (p, (param, _)) in stm.pat.iter().zip(params) {
            if let Some(x) = fixed.get(&param.name) {
                self.cx.b.let_pat(vec![p.clone()], Exp::Operand(*x));
            }
        }
        for (i, name) in kept.iter().zip(names) {
            let p = &stm.pat[*i];
            let exp = match &p.ty {
                Type::Array(dims, _) if self.cx.b.type_of(name) != p.ty => Exp::Resize(dims.clone(), name),
                _ => Exp::Operand(name.into()),
            };
            self.cx.b.let_pat(vec![p.clone()], exp);
        }
        Some(self.cx.b.end(Vec::new()).stms)
    }

    /// An array with the sizes of a type, to which its own are equal.
    pub(super) fn sized(&mut self, x: Operand, ty: &Type) -> Operand {
        match (x, ty) {
            (Operand::Var(name), Type::Array(dims, _)) if self.cx.b.type_of(name) != *ty => {
                self.cx.b.let_infer("sized", Exp::Resize(dims.clone(), name)).into()
            }
            _ => x,
        }
    }
}

/// The parameters that stay what they were first, with that.
fn fixed(params: &[(Param, Operand)], body: &Body, used: &FxHashSet<Name>) -> FxHashMap<Name, Operand> {
    let mut fixed: FxHashMap<Name, Operand> =
        params.iter().filter(|(p, _)| used.contains(&p.name)).map(|(p, init)| (p.name, *init)).collect();
    loop {
        let before = fixed.len();
        for ((p, init), next) in params.iter().zip(&body.results) {
            if fixed.contains_key(&p.name) && !is_always(*next, *init, &[body], &fixed) {
                fixed.remove(&p.name);
            }
        }
        if fixed.len() == before {
            return fixed;
        }
    }
}

/// Whether an operand in bodies, the innermost last, has a value for sure.
fn is_always(x: Operand, value: Operand, bodies: &[&Body], fixed: &FxHashMap<Name, Operand>) -> bool {
    if x == value || x.name().is_some_and(|name| fixed.get(&name) == Some(&value)) {
        return true;
    }
    let Operand::Var(name) = x else { return false };
    let found = bodies.iter().rev().flat_map(|body| &body.stms).find_map(|stm| {
        let at = stm.pat.iter().position(|p| p.name == name)?;
        Some((stm, at))
    });
    let inside = |inner: &Body, at: usize| {
        let mut bodies: Vec<&Body> = bodies.to_vec();
        bodies.push(inner);
        is_always(inner.results[at], value, &bodies, fixed)
    };
    match found.map(|(stm, at)| (&stm.exp, at)) {
        Some((Exp::Operand(y), _)) => is_always(*y, value, bodies, fixed),
        Some((Exp::If(_, yes, no), at)) => inside(yes, at) && inside(no, at),
        Some((Exp::Match(_, cases, default), at)) => {
            cases.iter().all(|(_, body)| inside(body, at)) && inside(default, at)
        }
        _ => false,
    }
}
