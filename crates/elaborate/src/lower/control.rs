//! Conditionals, matches and loops.

use super::flat::Val;
use super::{Lower, Result};
use crate::core::{Exp, Kind, Loop, LoopForm, Pat, Ty};
use kenaz_base::{Prim, with_stack};
use kenaz_ir::visit::Subst;
use kenaz_ir::{Body, CmpOp, Exp as IrExp, LoopForm as IrLoopForm, Name, Operand, Param, Scalar, Type};

/// The condition with a number.
type Test<'t> = &'t dyn Fn(&mut Lower<'_>, usize) -> Result<Operand>;

/// The value in case of the condition with a number.
type Choice<'t> = &'t dyn Fn(&mut Lower<'_>, usize) -> Result<Val>;

/// Chains of conditions that are longer than this are not nested: see [`Lower::choose`].
const LONG: usize = 64;

impl Lower<'_> {
    pub fn if_(&mut self, c: &Exp, t: &Exp, f: &Exp) -> Result<Val> {
        let (mut arms, mut last) = (vec![(c, t)], f);
        while let Kind::If(c, t, f) = &last.kind {
            arms.push((c, t));
            last = f;
        }
        if arms.len() > LONG {
            let test = |this: &mut Lower<'_>, i: usize| this.operand(arms[i].0);
            let body = |this: &mut Lower<'_>, i: usize| this.exp(arms.get(i).map_or(last, |(_, body)| body));
            return self.choose(arms.len(), &test, &body);
        }
        let cond = self.operand(c)?;
        self.branch(cond, |this| this.exp(t), |this| this.exp(f))
    }

    /// The body of the first of `n` conditions that holds, or body `n`.
    ///
    /// ```text
    /// if c0 then e0 else if c1 then e1 else … en
    /// ```
    /// becomes, so that depth does not grow with the number of conditions,
    /// ```text
    /// let i = if c0 then 0 else … if c63 then 63 else n
    /// let i = if i == n then (if c64 then 64 else … n) else i
    /// …
    /// in if i < n/2 then (if i < n/4 then … e0 …) else …
    /// ```
    fn choose(&mut self, n: usize, test: Test<'_>, body: Choice<'_>) -> Result<Val> {
        let number = |i: usize| Operand::i64(i64::try_from(i).unwrap_or(i64::MAX));
        let mut chosen = self.first_of(0, LONG, n, test)?;
        for first in (LONG..n).step_by(LONG) {
            let last = n.min(first + LONG);
            let before = chosen.clone();
            let open = self.b.cmp(CmpOp::Eq, before.leaves[0], number(n));
            chosen = self.branch(open, |this| this.first_of(first, last, n, test), |_| Ok(before))?;
        }
        self.pick(chosen.leaves[0], 0, n + 1, body)
    }

    /// The number of the first condition from `i` to below `end` that holds, or `none`.
    fn first_of(&mut self, i: usize, end: usize, none: usize, test: Test<'_>) -> Result<Val> {
        let number = |i: usize| Val::scalar(Prim::I64, Operand::i64(i64::try_from(i).unwrap_or(i64::MAX)));
        if i == end {
            return Ok(number(none));
        }
        let cond = test(self, i)?;
        with_stack(|| self.branch(cond, |_| Ok(number(i)), |this| this.first_of(i + 1, end, none, test)))
    }

    /// Body `chosen`, which is one from `lo` to below `hi`.
    fn pick(&mut self, chosen: Operand, lo: usize, hi: usize, body: Choice<'_>) -> Result<Val> {
        if hi - lo == 1 {
            return body(self, lo);
        }
        let mid = lo.midpoint(hi);
        let below = self.b.cmp(CmpOp::Lt, chosen, Operand::i64(i64::try_from(mid).unwrap_or(i64::MAX)));
        self.branch(below, |this| this.pick(chosen, lo, mid, body), |this| this.pick(chosen, mid, hi, body))
    }

    /// A conditional of two bodies, with results for the sizes in which they differ.
    fn branch(
        &mut self,
        cond: Operand,
        yes: impl FnOnce(&mut Self) -> Result<Val>,
        no: impl FnOnce(&mut Self) -> Result<Val>,
    ) -> Result<Val> {
        let outside = self.b.fresh.next_id();
        self.b.begin();
        let yes_val = yes(self);
        let yes_body = self.b.end(Vec::new());
        let yes_val = yes_val?;
        self.b.begin();
        let no_val = no(self);
        let no_body = self.b.end(Vec::new());
        let no_val = no_val?;
        let known = |d: &Operand| match d {
            Operand::Const(_) => true,
            Operand::Var(n) => n.id < outside,
        };
        // Sizes that both branches agree on are those; the others are results.
        let mut sizes: Vec<(Operand, Operand, Name)> = Vec::new();
        let mut pat = Vec::new();
        for (a, b) in yes_val.leaves.iter().zip(&no_val.leaves) {
            let (mut ty, other) = (self.b.type_of(*a), self.b.type_of(*b));
            if let Type::Array(dims, _) = &mut ty {
                for (d, e) in dims.iter_mut().zip(other.dims()) {
                    if d == e && known(d) {
                        continue;
                    }
                    let name = match sizes.iter().find(|(x, y, _)| x == d && y == e) {
                        Some((_, _, name)) => *name,
                        None => {
                            let name = self.b.name("k", Type::I64);
                            sizes.push((*d, *e, name));
                            name
                        }
                    };
                    *d = Operand::Var(name);
                }
            }
            pat.push(ty);
        }
        let mut params: Vec<Param> = sizes.iter().map(|(_, _, name)| Param::new(*name, Type::I64)).collect();
        let mut leaves = Vec::new();
        for ty in pat {
            let param = self.b.param("r", ty);
            leaves.push(Operand::Var(param.name));
            params.push(param);
        }
        let finish = |body: Body, sizes: Vec<Operand>, val: &Val| Body {
            stms: body.stms,
            results: sizes.into_iter().chain(val.leaves.iter().copied()).collect(),
        };
        let yes_body = finish(yes_body, sizes.iter().map(|s| s.0).collect(), &yes_val);
        let no_body = finish(no_body, sizes.iter().map(|s| s.1).collect(), &no_val);
        self.b.let_pat(params, IrExp::If(cond, yes_body, no_body));
        Ok(Val { ty: yes_val.ty, leaves })
    }

    pub fn match_(&mut self, e: &Exp, cases: &[(Pat, Exp)]) -> Result<Val> {
        let value = self.exp(e)?;
        if cases.len() > LONG {
            let test = |this: &mut Lower<'_>, i: usize| Ok(this.test(&cases[i].0, &value));
            let body = |this: &mut Lower<'_>, i: usize| {
                this.bind(&cases[i].0, &value);
                this.exp(&cases[i].1)
            };
            // The last case matches whatever the others do not.
            return self.choose(cases.len() - 1, &test, &body);
        }
        self.cases(&value, cases)
    }

    fn cases(&mut self, value: &Val, cases: &[(Pat, Exp)]) -> Result<Val> {
        let Some(((pat, body), rest)) = cases.split_first() else { return Err(self.bug("a match without cases")) };
        // The last case matches whatever the others do not.
        if rest.is_empty() {
            self.bind(pat, value);
            return self.exp(body);
        }
        let cond = self.test(pat, value);
        if cond == Operand::bool(true) {
            self.bind(pat, value);
            return self.exp(body);
        }
        with_stack(|| {
            self.branch(
                cond,
                |this| {
                    this.bind(pat, value);
                    this.exp(body)
                },
                |this| this.cases(value, rest),
            )
        })
    }

    /// Whether a value matches a pattern.
    fn test(&mut self, pat: &Pat, value: &Val) -> Operand {
        match pat {
            Pat::Wild | Pat::Name(..) => Operand::bool(true),
            Pat::Lit(lit) => {
                let leaf = value.leaves[0];
                self.b.cmp(CmpOp::Eq, leaf, Operand::Const(*lit))
            }
            Pat::Record(fields) => {
                let mut all = Operand::bool(true);
                for (name, p) in fields {
                    let ok = self.test(p, &value.field(*name));
                    all = self.and(all, ok);
                }
                all
            }
            Pat::Constr(name, pats, _) => {
                let Ty::Sum(constrs) = &value.ty else { return Operand::bool(true) };
                let mut all = Operand::bool(true);
                if constrs.len() > 1 {
                    let tag = constrs.iter().position(|(n, _)| n == name).unwrap_or(0);
                    let tag = Operand::Const(Scalar::U8(u8::try_from(tag).unwrap_or(0)));
                    all = self.b.cmp(CmpOp::Eq, value.leaves[0], tag);
                }
                for (p, part) in pats.iter().zip(value.payload(*name)) {
                    let ok = self.test(p, &part);
                    all = self.and(all, ok);
                }
                all
            }
        }
    }

    fn bind(&mut self, pat: &Pat, value: &Val) {
        match pat {
            Pat::Wild | Pat::Lit(_) => {}
            Pat::Name(name, _) => {
                self.env.insert(*name, value.clone());
            }
            Pat::Record(fields) => {
                for (name, p) in fields {
                    self.bind(p, &value.field(*name));
                }
            }
            Pat::Constr(name, pats, _) => {
                for (p, part) in pats.iter().zip(value.payload(*name)) {
                    self.bind(p, &part);
                }
            }
        }
    }

    /// Every size of a loop parameter starts as a parameter of its own; those that turn out not to change are removed.
    pub fn loop_(&mut self, l: &Loop) -> Result<Val> {
        let init = self.exp(&l.init)?;
        let header = match &l.form {
            LoopForm::For(i, n) => {
                let bound = self.operand(n)?;
                Some((*i, bound, None))
            }
            LoopForm::ForIn(x, xs) => {
                let xs = self.exp(xs)?;
                let len = xs.leaves.first().map(|leaf| self.b.type_of(*leaf).dims()[0]);
                Some((*x, len.unwrap_or(Operand::i64(0)), Some(xs)))
            }
            LoopForm::While(_) => None,
        };
        let mut params: Vec<(Param, Operand)> = Vec::new();
        let mut leaves = Vec::new();
        let mut leaf_params = Vec::new();
        // One size for each dimension of the arrays in the type, whatever the number of its leaves.
        let groups = super::flat::dim_groups(&init.ty);
        let mut known: Vec<(usize, Name)> = Vec::new();
        let mut sources: Vec<(usize, usize)> = Vec::new();
        for (at, leaf) in init.leaves.iter().enumerate() {
            let mut ty = self.b.type_of(*leaf);
            if let Type::Array(dims, _) = &mut ty {
                for (i, dim) in dims.iter_mut().enumerate() {
                    let group = groups.get(at).and_then(|g| g.get(i)).copied().unwrap_or(usize::MAX);
                    let name = match known.iter().find(|(g, _)| *g == group) {
                        Some((_, name)) => *name,
                        None => {
                            let size = self.b.param("d", Type::I64);
                            let name = size.name;
                            params.push((size, *dim));
                            sources.push((at, i));
                            known.push((group, name));
                            name
                        }
                    };
                    *dim = Operand::Var(name);
                }
            }
            let param = self.b.param(l.param.base.as_str(), ty);
            leaves.push(Operand::Var(param.name));
            leaf_params.push((param, *leaf));
        }
        let sizes = params.len();
        params.extend(leaf_params);
        let value = Val { ty: init.ty.clone(), leaves };
        // A `while` loop carries whether it goes on.
        let form = match (&l.form, &header) {
            (LoopForm::While(cond), _) => {
                self.env.insert(l.param, init.clone());
                let first = self.operand(cond)?;
                let param = self.b.param("go_on", Type::BOOL);
                let name = param.name;
                params.push((param, first));
                IrLoopForm::While(name)
            }
            (_, Some((name, bound, xs))) => {
                let prim = if xs.is_some() { Prim::I64 } else { self.b.type_of(*bound).prim().unwrap_or(Prim::I64) };
                let i = self.b.name(name.base.as_str(), Type::Prim(prim));
                IrLoopForm::For(i, prim, *bound)
            }
            (_, None) => return Err(self.bug("a loop without a bound")),
        };
        self.b.begin();
        let result = self.loop_body(l, &value, &form, header);
        let body = self.b.end(Vec::new());
        let (result, go_on) = result?;
        let mut results: Vec<Operand> = Vec::new();
        for (leaf, dim) in sources {
            results.push(self.b.type_of(result.leaves[leaf]).dims()[dim]);
        }
        results.extend(&result.leaves);
        results.extend(go_on);
        let body = Body { stms: body.stms, results };
        Ok(self.finish_loop(params, sizes, form, body, value.ty))
    }

    fn loop_body(
        &mut self,
        l: &Loop,
        value: &Val,
        form: &IrLoopForm,
        header: Option<(Name, Operand, Option<Val>)>,
    ) -> Result<(Val, Option<Operand>)> {
        self.env.insert(l.param, value.clone());
        if let (IrLoopForm::For(i, prim, _), Some((name, _, xs))) = (form, header) {
            let element = match xs {
                None => Val::scalar(*prim, Operand::Var(*i)),
                Some(xs) => {
                    let ty = xs.ty.elem().cloned().unwrap_or_else(Ty::unit);
                    let mut leaves = Vec::new();
                    if super::flat::count(&ty) > 0 {
                        for leaf in &xs.leaves {
                            if let Operand::Var(array) = leaf {
                                leaves.push(self.b.index(*array, vec![Operand::Var(*i)]));
                            }
                        }
                    }
                    Val { ty, leaves }
                }
            };
            self.env.insert(name, element);
        }
        // What is said of a loop is not said of the statements in it.
        let attrs = std::mem::take(&mut self.b.attrs);
        let result = self.exp(&l.body);
        self.b.attrs = attrs;
        let result = result?;
        let go_on = match &l.form {
            LoopForm::While(cond) => {
                self.env.insert(l.param, result.clone());
                Some(self.operand(cond)?)
            }
            LoopForm::For(..) | LoopForm::ForIn(..) => None,
        };
        Ok((result, go_on))
    }

    /// Removes the sizes that do not change, and binds the results.
    fn finish_loop(
        &mut self,
        mut params: Vec<(Param, Operand)>,
        mut sizes: usize,
        form: IrLoopForm,
        mut body: Body,
        ty: Ty,
    ) -> Val {
        loop {
            let fixed = (0..sizes).find(|i| {
                let (param, init) = &params[*i];
                body.results[*i] == Operand::Var(param.name) || body.results[*i] == *init
            });
            let Some(i) = fixed else { break };
            let (param, init) = params.remove(i);
            body.results.remove(i);
            sizes -= 1;
            let mut subst = Subst::new();
            subst.insert(param.name, init);
            subst.apply_to_body(&mut body);
            for (p, x) in &mut params {
                p.ty = subst.ty(&p.ty);
                *x = subst.get(*x);
                self.b.declare(p.name, p.ty.clone());
            }
        }
        // A loop takes an accumulator for good. What the body still calls by its old name is what the loop was given: a
        // parameter that is not unique has not been added to.
        let mut subst = Subst::new();
        for (param, init) in params.iter().filter(|(p, _)| matches!(p.ty, Type::Acc { .. })) {
            if let Operand::Var(init) = init {
                subst.insert(*init, param.name);
            }
        }
        if !subst.is_empty() {
            subst.apply_to_body(&mut body);
        }
        let mut subst = Subst::new();
        let mut pat = Vec::new();
        let mut leaves = Vec::new();
        for (i, (param, _)) in params.iter().enumerate() {
            let new = self.b.param(param.name.base.as_str(), subst.ty(&param.ty));
            subst.insert(param.name, new.name);
            if i >= sizes {
                leaves.push(Operand::Var(new.name));
            }
            pat.push(new);
        }
        if let IrLoopForm::While(_) = form {
            leaves.pop();
        }
        self.b.let_pat(pat, IrExp::Loop { params, form, body });
        Val { ty, leaves }
    }
}
