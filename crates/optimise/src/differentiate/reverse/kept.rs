//! Values that the first sweep yields besides, because the second would take long to compute them again.
//!
//! ```text
//! let ys = map n (rows) \row -> { let s = sum (row · w); let y = exp s; in y }
//! ⇒ first sweep:  let ys, ss = map n (rows) \row -> { let s = …; let y = exp s; in y, s }
//! ⇒ second sweep: map n (rows, ss, ys_bar) \row s y_bar -> { let y = exp s; … }
//! ```
//!
//! These are sums of many products, and sums and differences of such, where something is computed from them whose
//! derivative depends on them. They are kept where there is an array of that shape anyway: a result or an operand of
//! the outermost map around them, or a parameter of the loop around them. So memory grows by a constant factor at most.

use super::super::Bound;
use super::folds::deep_built_in;
use super::{Reverse, Step};
use kenaz_base::with_stack;
use kenaz_ir::visit::{Visit, free_in_stm};
use kenaz_ir::{BinOp, Body, Builder, Exp, Lambda, Name, Operand, Param, Scalar, Soac, Stm, Type, UnOp, effects};
use rustc_hash::{FxHashMap, FxHashSet};

/// A sum of as many numbers is soon computed again.
const FEW: i64 = 16;

/// The values that are kept: what they are called where they are computed, and the arrays that have them for all
/// iterations around them.
pub(super) type Known = Vec<(Name, Name)>;

/// The operands and the function of an operator that is only a map.
fn as_map(exp: &Exp) -> Option<(Operand, &[Name], &Lambda)> {
    match exp {
        Exp::Soac(Soac::Screma { width, arrays, map, scans, reduces, post: None })
            if scans.is_empty() && reduces.is_empty() =>
        {
            Some((*width, arrays, map))
        }
        _ => None,
    }
}

/// The values in a body that are worth keeping, and the arrays that they are in for all iterations of maps around them.
pub(super) type Costly = FxHashMap<Name, Type>;

/// Those of a body.
pub(super) fn costly(b: &Builder, body: &Body, around: &[Operand], shapes: &[Vec<Operand>]) -> Costly {
    let mut find = Find { b, shapes, found: Costly::default() };
    find.body(body, around);
    find.found
}

struct Find<'a> {
    b: &'a Builder,
    /// The shapes of arrays that are there anyway.
    shapes: &'a [Vec<Operand>],
    found: Costly,
}

impl Find<'_> {
    /// Looks into a body inside of maps over these numbers of iterations; says which results take long.
    fn body(&mut self, body: &Body, around: &[Operand]) -> Vec<bool> {
        with_stack(|| {
            let mut costly: FxHashSet<Name> = FxHashSet::default();
            let mut needed = Vec::new();
            for stm in &body.stms {
                let [p] = &stm.pat[..] else {
                    needed.extend(free_in_stm(stm));
                    continue;
                };
                let passes_on = match &stm.exp {
                    Exp::Bin(BinOp::Add | BinOp::Sub, x, y) => vec![*x, *y],
                    Exp::Un(UnOp::Neg, x) => vec![*x],
                    _ => Vec::new(),
                };
                if passes_on.iter().any(|x| x.name().is_some_and(|name| costly.contains(&name))) {
                    costly.insert(p.name);
                    continue;
                }
                needed.extend(free_in_stm(stm));
                if is_long_sum(stm, body) {
                    costly.insert(p.name);
                } else if let Some((width, _, map)) = as_map(&stm.exp) {
                    let inside: Vec<Operand> = around.iter().copied().chain([width]).collect();
                    if self.body(&map.body, &inside) == [true] {
                        costly.insert(p.name);
                    }
                }
            }
            for name in needed {
                if costly.contains(&name) {
                    self.note(name, around);
                }
            }
            body.results.iter().map(|x| x.name().is_some_and(|name| costly.contains(&name))).collect()
        })
    }

    /// Keeps a value if there is an array of its shape anyway.
    fn note(&mut self, name: Name, around: &[Operand]) {
        let ty = around.iter().rev().fold(self.b.type_of(name), |ty, n| ty.array_of(*n));
        if ty.dims().is_empty() || self.shapes.iter().any(|all| all.starts_with(ty.dims())) {
            self.found.insert(name, ty);
        }
    }
}

/// Whether a statement adds up many numbers that are quickly computed from what is not computed here.
fn is_long_sum(stm: &Stm, body: &Body) -> bool {
    let Exp::Soac(Soac::Screma { width, arrays, map, scans, reduces, post: None }) = &stm.exp else { return false };
    let ([reduce], true) = (&reduces[..], scans.is_empty()) else { return false };
    let is_float = matches!(stm.pat[0].ty, Type::Prim(prim) if prim.is_float());
    let is_long = !matches!(width, Operand::Const(Scalar::I64(n)) if *n <= FEW);
    let maker = |array: &Name| body.stms.iter().find(|stm| stm.pat.iter().any(|p| p.name == *array));
    let is_quickly_made = |array: &Name| {
        maker(array).is_none_or(|stm| match as_map(&stm.exp) {
            Some((_, _, map)) => is_quick(map),
            None => effects::is_view(&stm.exp),
        })
    };
    is_float
        && is_long
        && deep_built_in(&reduce.op).is_some_and(|ops| ops == [BinOp::Add])
        && is_quick(map)
        && arrays.iter().all(is_quickly_made)
}

fn is_quick(map: &Lambda) -> bool {
    let is_power = |stm: &Stm| matches!(&stm.exp, Exp::Bin(BinOp::Pow, _, Operand::Const(_)));
    map.body.stms.iter().all(|stm| is_power(stm) || effects::is_cheap_scalar(stm))
}

impl Reverse<'_> {
    /// Adds a map of the first sweep, with what the second needs besides.
    pub(super) fn add_map(&mut self, stm: &Stm) {
        let Some((width, arrays, map)) = as_map(&stm.exp) else { return self.cx.b.push(stm.clone()) };
        if !self.known_in(&map.body).is_empty() {
            let stm = self.with_known(stm);
            return self.cx.b.push(stm);
        }
        let shapes: Vec<Vec<Operand>> = (stm.pat.iter().map(|p| p.ty.dims().to_vec()))
            .chain(arrays.iter().map(|a| self.cx.b.type_of(*a).dims().to_vec()))
            .collect();
        let found = costly(&self.cx.b, &map.body, &[width], &shapes);
        let is_plain = self.gathered.is_empty() && !stm.pat.iter().any(|p| matches!(p.ty, Type::Acc { .. }));
        if found.is_empty() || !is_plain {
            return self.cx.b.push(stm.clone());
        }
        let (body, known) = self.yielding(Body { stms: vec![stm.clone()], results: Vec::new() }, &found);
        self.known.extend(known);
        body.stms.into_iter().for_each(|stm| self.cx.b.push(stm));
    }

    /// A body in which these values leave the maps that they are computed in.
    pub(super) fn yielding(&mut self, mut body: Body, found: &Costly) -> (Body, Known) {
        let mut known = Vec::new();
        for stm in &mut body.stms {
            known.extend(stm.pat.iter().filter(|p| found.contains_key(&p.name)).map(|p| (p.name, p.name)));
            if as_map(&stm.exp).is_none() {
                continue;
            }
            let Exp::Soac(Soac::Screma { width, map, .. }) = &mut stm.exp else { continue };
            let (inner, inside) = with_stack(|| self.yielding(std::mem::take(&mut map.body), found));
            map.body = inner;
            for (name, own) in inside {
                let ty = self.cx.b.type_of(own);
                let out = self.cx.b.param("kept", ty.array_of(*width));
                map.body.results.push(own.into());
                map.ret.push(ty);
                known.push((name, out.name));
                stm.pat.push(out);
            }
        }
        (body, known)
    }

    /// The values computed in a body that are known.
    fn known_in(&self, body: &Body) -> Known {
        if self.known.is_empty() {
            return Vec::new();
        }
        let mut bound = Bound::default();
        bound.body(body);
        bound.0.iter().filter_map(|name| Some((*name, *self.known.get(name)?))).collect()
    }

    /// The known values of a body, by the names in a copy of it.
    pub(super) fn known_in_copy(&self, body: &Body, copy: &Body, known: &FxHashMap<Name, Name>) -> Known {
        if known.is_empty() {
            return Vec::new();
        }
        let (mut old, mut new) = (Bound::default(), Bound::default());
        old.body(body);
        new.body(copy);
        old.0.iter().zip(&new.0).filter_map(|(old, new)| Some((*new, *known.get(old)?))).collect()
    }

    /// Those that a map over the copy of a body takes as parameters: arrays, and what they are inside.
    pub(super) fn known_params(&mut self, body: &Body, copy: &Body) -> Vec<(Name, Param)> {
        let mut params = Vec::new();
        for (name, array) in self.known_in_copy(body, copy, &self.known) {
            let ty = self.cx.b.type_of(array).row(1);
            params.push((array, self.known_here(copy, name, ty)));
        }
        params
    }

    /// The variable that has a known value, or its values in all iterations of maps, where the body begins.
    pub(super) fn known_here(&mut self, body: &Body, name: Name, ty: Type) -> Param {
        if body.stms.iter().any(|stm| stm.pat.iter().any(|p| p.name == name)) {
            self.bound.insert(name);
            return Param::new(name, ty);
        }
        let param = self.cx.b.param("known", ty);
        self.known.insert(name, param.name);
        param
    }

    /// A map that does not compute what is known.
    fn with_known(&mut self, stm: &Stm) -> Stm {
        let mut stm = stm.clone();
        let Exp::Soac(Soac::Screma { arrays, map, .. }) = &mut stm.exp else { return stm };
        for (name, array) in self.known_in(&map.body) {
            let ty = self.cx.b.type_of(array).row(1);
            let outer = self.known.remove(&name);
            let param = self.known_here(&map.body, name, ty);
            arrays.push(array);
            map.params.push(param);
            if self.bound.remove(&name) {
                map.body.stms.retain(|stm| stm.pat.iter().all(|p| p.name != name));
            } else {
                map.body.stms = std::mem::take(&mut map.body.stms).iter().map(|stm| self.with_known(stm)).collect();
            }
            outer.map(|outer| self.known.insert(name, outer));
        }
        stm
    }

    /// A statement of the first sweep whose value is there already; nothing if it has to be computed.
    pub(super) fn known_step(&self, stm: &Stm) -> Option<Option<Step>> {
        let is_known = !self.bound.is_empty() && stm.pat.iter().any(|p| self.bound.contains(&p.name));
        is_known.then(|| self.is_concerned(stm).then(|| Step::Plain(stm.clone())))
    }
}
