//! The types of `if`, `match`, `let` and `loop`.

use crate::checker::Checker;
use crate::names::{PrimSet, SizeCause, Usage, VarKind};
use crate::report::Context;
use crate::type_exp::count;
use crate::types::{Scheme, Size, Ty, TyArg, TyKind, VarId};
use crate::walk::{Subst, TyMap, free_vars, witnesses};
use kenaz_base::{Code, Diagnostic, Span, Symbol, with_stack};
use kenaz_syntax::ast::{Case, ExprId, Ident, Liftedness, LoopForm, PatId, PatKind, QualName};
use rustc_hash::{FxHashMap, FxHashSet};

impl Checker<'_> {
    pub(crate) fn conditional(&mut self, expr: ExprId, cond: ExprId, then: ExprId, otherwise: ExprId) -> Ty {
        let dispatch = std::mem::take(&mut self.dispatch);
        self.condition(cond, "the condition of `if`");
        let first = self.infer(then);
        let second = self.infer(otherwise);
        let result = self.join(expr, &first, &second, &|this| {
            Context::new(this.ast[otherwise].span, "the branches of `if` have different types")
                .cause(this.ast[then].span, "the other branch")
                .value(otherwise)
        });
        if !dispatch {
            self.require_value(&result, self.ast[expr].span, Code::FunctionFromBranch, "the result of `if`");
        }
        result
    }

    pub(crate) fn match_(&mut self, expr: ExprId, scrutinee: ExprId, cases: &[Case]) -> Ty {
        let dispatch = std::mem::take(&mut self.dispatch);
        let ty = self.infer(scrutinee);
        let mut result: Option<(Ty, ExprId)> = None;
        for case in cases {
            let mark = self.scope.mark();
            self.level += 1;
            let mut bound = Vec::new();
            self.check_pat(case.pat, Some(&ty), &mut bound);
            self.level += 1;
            let body = self.infer(case.body);
            self.level -= 2;
            self.scope.leave(mark);
            let body = self.unscope(expr, &body, &bound, None);
            result = Some(match result {
                None => (body, case.body),
                Some((so_far, first)) => {
                    let joined = self.join(expr, &so_far, &body, &|this| {
                        Context::new(this.ast[case.body].span, "the cases of `match` have different types")
                            .cause(this.ast[first].span, "the first case")
                            .value(case.body)
                    });
                    (joined, first)
                }
            });
        }
        let Some((result, _)) = result else { return Ty::error() };
        if !dispatch {
            self.require_value(&result, self.ast[expr].span, Code::FunctionFromBranch, "the result of `match`");
        }
        result
    }

    /// What comes out of control flow must not be a function.
    fn require_value(&mut self, ty: &Ty, span: Span, code: Code, what: &str) {
        let usage = Usage { span, what: what.to_string(), code };
        if let Err(clash) = self.names.require_liftedness(self.level, ty, Liftedness::SizeLifted, usage) {
            let headline = format!("{what} cannot be or contain a function");
            self.report_clash(ty, ty, &clash, Context::new(span, headline));
        }
    }

    /// The type of something that is one of two things: sizes in which they differ become unknown.
    fn join(&mut self, expr: ExprId, first: &Ty, second: &Ty, context: &dyn Fn(&Self) -> Context) -> Ty {
        let before = self.current.sizes.len();
        let loose = self.with_fresh_sizes(&self.names.zonk(second), self.ast[expr].span);
        let fresh: FxHashSet<VarId> = self.current.sizes[before..].iter().copied().collect();
        self.names.at = Some(self.ast[expr].span);
        let unified = self.names.unify(self.level, first, &loose);
        self.names.at = None;
        if let Err(clash) = unified {
            let context = context(self);
            self.report_clash(first, second, &clash, context);
            return Ty::error();
        }
        let (a, b) = (self.names.zonk(first), self.names.zonk(second));
        let mut seen = Vec::new();
        size_pairs(&a, &b, &mut seen);
        let seen = seen.iter().map(|(m, n)| (self.names.size(m), self.names.size(n))).collect();
        let mut join = Join { expr, fresh, seen, done: FxHashMap::default() };
        join.types(self, &a, &b)
    }

    /// The type with a size to be inferred for every size in it.
    pub(crate) fn with_fresh_sizes(&mut self, ty: &Ty, span: Span) -> Ty {
        struct Loosen<'a, 'b>(&'a mut Checker<'b>, Span);
        impl TyMap for Loosen<'_, '_> {
            fn size(&mut self, _: &Size) -> Size {
                self.0.fresh_size(self.1, "d", SizeCause::Inferred)
            }
            // The sizes of functions belong to them.
            fn arrow(&mut self, a: &crate::types::Arrow) -> Ty {
                Ty::new(TyKind::Arrow(a.clone()))
            }
        }
        Loosen(self, span).ty(ty)
    }

    /// Solves the sizes `open` of a type with those of `known`, a type of the same structure.
    pub(crate) fn fill_open_sizes(&mut self, open: &[VarId], ty: &Ty, known: &Ty) {
        let mut pairs = Vec::new();
        size_pairs(ty, known, &mut pairs);
        for (a, b) in pairs {
            if matches!(a, Size::Var(v) if open.contains(&v)) {
                let _ = self.names.unify_sizes(self.level, &a, &b);
            }
        }
    }

    pub(crate) fn let_pat(&mut self, expr: ExprId, sizes: &[Ident], pat: PatId, init: ExprId, body: ExprId) -> Ty {
        let init_ty = self.infer(init);
        let mark = self.scope.mark();
        self.level += 1;
        if !sizes.is_empty() {
            let mut idents = sizes.to_vec();
            self.pat_names(pat, &mut idents);
            self.check_distinct(idents.into_iter(), Code::DuplicateBinding, "name");
        }
        let size_vars = self.bind_sizes(sizes);
        let mut bound = Vec::new();
        self.matched = Some(init);
        self.check_let_sizes(expr, sizes, &size_vars, pat, &init_ty, &mut bound);
        self.level += 1;
        let result = self.infer(body);
        self.level -= 2;
        self.scope.leave(mark);
        let known = match self.simple_pat_var(pat) {
            Some(v) if self.names.shallow(&init_ty) == self.i64_ty() => {
                let size = self.size_of_expr(init).ok();
                if let Some(size) = &size {
                    self.note_size(size, init);
                }
                size.map(|size| (v, size))
            }
            _ => None,
        };
        bound.extend(&size_vars);
        self.unscope(expr, &result, &bound, known)
    }

    /// Sizes bound by a pattern: they are what the value turns out to have.
    fn bind_sizes(&mut self, sizes: &[Ident]) -> Vec<VarId> {
        sizes
            .iter()
            .map(|ident| {
                let kind = VarKind::Flexible(SizeCause::Pattern, None);
                let v = self.names.var(ident.name, ident.span, self.level, kind);
                self.names.vars[v].scheme = Some(Scheme { params: Vec::new(), ty: self.i64_ty() });
                self.current.sizes.push(v);
                self.scope.bind_value(ident.name, v);
                v
            })
            .collect()
    }

    fn check_let_sizes(
        &mut self,
        expr: ExprId,
        sizes: &[Ident],
        size_vars: &[VarId],
        pat: PatId,
        init_ty: &Ty,
        bound: &mut Vec<VarId>,
    ) {
        let mut idents = Vec::new();
        self.pat_names(pat, &mut idents);
        self.check_pat(pat, Some(init_ty), bound);
        for (ident, v) in sizes.iter().zip(size_vars) {
            let (used, seen) = self.pattern_sizes(pat, *v);
            if !seen {
                let name = ident.name;
                let why = if used { "only functions in the pattern have it" } else { "nothing in the pattern has it" };
                self.error(
                    Diagnostic::error(
                        Code::UnusedSize,
                        ident.span,
                        format!("size `[{name}]` cannot be bound: it is not the size of an array in the pattern"),
                    )
                    .label(why)
                    .hint(format!("give an array in the pattern this size: `(xs: [{name}]…)`")),
                );
            }
        }
        if !size_vars.is_empty() {
            self.info.bound_sizes.insert(expr, size_vars.to_vec());
        }
    }

    /// Whether a size occurs in the types that a pattern states, and whether a value would tell what it is.
    fn pattern_sizes(&self, pat: PatId, v: VarId) -> (bool, bool) {
        let mut used = false;
        let mut seen = false;
        self.for_each_ascription(pat, &mut |ty| {
            used |= free_vars(ty).contains(&v);
            seen |= witnesses(ty).contains(&v);
        });
        (used, seen)
    }

    fn for_each_ascription(&self, pat: PatId, f: &mut dyn FnMut(&Ty)) {
        match &self.ast[pat].kind {
            PatKind::Ascript(p, t) => {
                if let Some(ty) = self.info.type_exp.get(*t) {
                    f(ty);
                }
                self.for_each_ascription(*p, f);
            }
            PatKind::Paren(p) | PatKind::Attr(_, p) => self.for_each_ascription(*p, f),
            PatKind::Tuple(ps) | PatKind::Constr(_, ps) => {
                for p in ps {
                    self.for_each_ascription(*p, f);
                }
            }
            PatKind::Record(fields) => {
                for p in fields.iter().filter_map(|(_, p)| *p) {
                    self.for_each_ascription(p, f);
                }
            }
            PatKind::Error | PatKind::Name(_) | PatKind::Wild | PatKind::Lit(_) => {}
        }
    }

    /// Note [Sizes of loops]. The parameter of a loop starts with the type of the initial value, but with a fresh size
    /// for each size. What the body does decides what these are: a size that the body needs to be a certain one is that
    /// one; a size that comes out of the body as it went in, or as it was initially, is the initial one; every other
    /// size changes from iteration to iteration, and after the loop it is unknown.
    pub(crate) fn loop_(
        &mut self,
        expr: ExprId,
        pat: PatId,
        init: Option<ExprId>,
        form: &LoopForm,
        body: ExprId,
    ) -> Ty {
        let init_span = init.map_or(self.ast[pat].span, |e| self.ast[e].span);
        let init_ty = match init {
            Some(e) => self.infer(e),
            None => {
                let mut vars = Vec::new();
                let ty = self.implicit_init(pat, &mut vars);
                self.info.loop_init.insert(expr, vars);
                ty
            }
        };
        self.require_value(&init_ty, init_span, Code::FunctionInLoop, "a loop parameter");
        let header = match form {
            LoopForm::ForLess(_, bound) => {
                let ty = self.infer(*bound);
                let usage = self.usage(self.ast[*bound].span, "the bound of a `for` loop");
                if let Err(clash) = self.names.require_prim(self.level, &ty, PrimSet::signed(), usage) {
                    let headline = "the bound of a `for` loop must be a signed integer";
                    let hint = self.conversion(&self.i64_ty(), &self.names.zonk(&ty), *bound);
                    let context = Context::new(self.ast[*bound].span, headline).hint(hint);
                    self.report_clash(&ty, &ty, &clash, context);
                }
                ty
            }
            LoopForm::ForIn(_, array) => {
                let ty = self.infer(*array);
                let span = self.ast[*array].span;
                let size = self.fresh_size(span, "n", SizeCause::Inferred);
                let elem = self.fresh(span);
                let want = Ty::array(size, elem.clone());
                self.unify(&want, &ty, &|_| Context::new(span, "a `for` loop runs over an array"));
                elem
            }
            LoopForm::While(_) => Ty::unit(),
        };
        let mark = self.scope.mark();
        self.level += 1;
        let zonked_init = self.names.zonk(&init_ty);
        let start_ty = self.with_fresh_sizes(&zonked_init, init_span);
        let mut bound = Vec::new();
        let errors = self.current.errors;
        self.matched = init;
        let pat_ty = self.check_pat(pat, Some(&start_ty), &mut bound);
        // The sizes that the pattern leaves open, with what they are initially.
        let mut initial: FxHashMap<VarId, Size> = FxHashMap::default();
        let mut pairs = Vec::new();
        size_pairs(&self.names.zonk(&pat_ty), &zonked_init, &mut pairs);
        for (a, b) in pairs {
            if let Size::Var(v) = a
                && matches!(self.names.vars[v].kind, VarKind::Flexible(_, None))
            {
                initial.entry(v).or_insert(b);
            }
        }
        let mut fresh: Vec<VarId> = initial.keys().copied().collect();
        fresh.sort_unstable();
        if let LoopForm::ForIn(p, _) = form {
            self.check_pat(*p, Some(&header), &mut bound);
        }
        self.level += 1;
        match form {
            LoopForm::ForLess(i, _) => {
                let v = self.bind_value(*i, header);
                self.info.bound_var.insert(expr, v);
                bound.push(v);
            }
            LoopForm::ForIn(..) => {}
            LoopForm::While(cond) => self.condition(*cond, "the condition of `while`"),
        }
        let body_ty = self.infer(body);
        self.level -= 1;
        let result = if self.current.errors == errors {
            self.settle_loop(expr, &pat_ty, &init_ty, &body_ty, &fresh, &initial, (init_span, body))
        } else {
            // Let the sizes that nobody will settle now be the initial ones.
            for (v, size) in &initial {
                let _ = self.names.unify_sizes(self.level, &Size::Var(*v), size);
            }
            pat_ty
        };
        self.level -= 1;
        self.scope.leave(mark);
        self.unscope(expr, &result, &bound, None)
    }

    /// Decides which sizes of a loop change, see Note [Sizes of loops], and returns the type of the result.
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop")]
    fn settle_loop(
        &mut self,
        expr: ExprId,
        pat_ty: &Ty,
        init_ty: &Ty,
        body_ty: &Ty,
        fresh: &[VarId],
        initial: &FxHashMap<VarId, Size>,
        (init_span, body): (Span, ExprId),
    ) -> Ty {
        let body_span = self.ast[body].span;
        let not_body = |this: &Self| {
            Context::new(body_span, "the body of the loop does not have the type of the loop's parameter")
                .cause(init_span, "the parameter has the type of this initial value, unless its sizes change")
                .value(body)
                .detail(other_components(&this.names.zonk(pat_ty), &this.names.zonk(body_ty)))
        };
        let before = self.current.sizes.len();
        let loose = self.with_fresh_sizes(&self.names.zonk(body_ty), body_span);
        let loosened: FxHashSet<VarId> = self.current.sizes[before..].iter().copied().collect();
        if let Err(clash) = self.names.unify(self.level, pat_ty, &loose) {
            let context = not_body(self);
            self.report_clash(pat_ty, body_ty, &clash, context);
            return Ty::error();
        }
        let (pat_z, body_z) = (self.names.zonk(pat_ty), self.names.zonk(body_ty));
        let mut pairs = Vec::new();
        size_pairs(&pat_z, &body_z, &mut pairs);
        let mut variant: Vec<VarId> = Vec::new();
        for (p, b) in &pairs {
            let (p, b) = (self.names.size(p), self.names.size(b));
            if let Size::Var(v) = p
                && loosened.contains(&v)
            {
                let _ = self.names.unify_sizes(self.level, &p, &b);
                continue;
            }
            if let Size::Var(v) = p
                && fresh.contains(&v)
            {
                let same = b == p || initial.get(&v).is_some_and(|i| self.names.size(i) == b);
                if !same && !variant.contains(&v) {
                    variant.push(v);
                }
            }
        }
        for v in fresh {
            let open = matches!(self.names.vars[*v].kind, VarKind::Flexible(_, None));
            if open && !variant.contains(v) {
                let size = initial.get(v).cloned().unwrap_or(Size::Error);
                let _ = self.names.unify_sizes(self.level, &Size::Var(*v), &size);
            }
        }
        for v in &variant {
            self.names.vars[*v].kind = VarKind::SizeParam;
        }
        let pat_z = self.names.zonk(pat_ty);
        let instance = |this: &mut Self| {
            let mut subst = Subst::default();
            for v in &variant {
                subst.sizes.insert(*v, this.fresh_size(init_span, "d", SizeCause::Loop));
            }
            subst.apply(&pat_z)
        };
        let want = instance(self);
        let ok = self.unify(&want, init_ty, &|_| {
            Context::new(init_span, "the initial value does not have the type of the loop's parameter")
        });
        self.level += 1;
        let want = instance(self);
        self.level -= 1;
        if !(ok && self.unify(&want, body_ty, &not_body)) {
            return Ty::error();
        }
        if !variant.is_empty() {
            self.info.loop_sizes.insert(expr, variant.clone());
        }
        let mut subst = Subst::default();
        self.level -= 1;
        for v in &variant {
            let unknown = self.unknown_size(expr, "loop", SizeCause::Loop);
            subst.sizes.insert(*v, unknown);
        }
        self.level += 1;
        subst.apply(&pat_z)
    }

    /// The type of the variables that a loop pattern names.
    fn implicit_init(&mut self, pat: PatId, vars: &mut Vec<VarId>) -> Ty {
        let ast = self.ast;
        match &ast[pat].kind {
            PatKind::Error => Ty::error(),
            PatKind::Name(ident) => {
                let path = QualName { quals: Vec::new(), name: *ident };
                let Some((v, _)) = self.resolve_value(&path) else { return Ty::error() };
                vars.push(v);
                self.instantiate_var(v, ident.span).0
            }
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => self.implicit_init(*p, vars),
            PatKind::Tuple(ps) => Ty::tuple(ps.iter().map(|p| self.implicit_init(*p, vars)).collect()),
            PatKind::Record(fields) => {
                let fields: Vec<(Symbol, Ty)> = fields
                    .iter()
                    .map(|(name, p)| {
                        let ty = match p {
                            Some(p) => self.implicit_init(*p, vars),
                            None => {
                                let path = QualName { quals: Vec::new(), name: *name };
                                match self.resolve_value(&path) {
                                    Some((v, _)) => {
                                        vars.push(v);
                                        self.instantiate_var(v, name.span).0
                                    }
                                    None => Ty::error(),
                                }
                            }
                        };
                        (name.name, ty)
                    })
                    .collect();
                Ty::record(fields)
            }
            PatKind::Wild | PatKind::Lit(_) | PatKind::Constr(..) => {
                let span = ast[pat].span;
                self.error(
                    Diagnostic::error(Code::TypeMismatch, span, "this loop parameter has no initial value")
                        .label("only names can take their initial value from the surroundings")
                        .hint("write `loop p = initial value …`"),
                )
            }
        }
    }
}

struct Join {
    expr: ExprId,
    /// Sizes that were made to compare the types, and stand for those of the second.
    fresh: FxHashSet<VarId>,
    /// The sizes of arrays in both types.
    seen: FxHashSet<(Size, Size)>,
    /// The same pair of sizes becomes the same unknown size.
    done: FxHashMap<(Size, Size), Size>,
}

impl Join {
    fn types(&mut self, checker: &mut Checker<'_>, a: &Ty, b: &Ty) -> Ty {
        with_stack(|| match (a.kind(), b.kind()) {
            (TyKind::Array(m, x), TyKind::Array(n, y)) => {
                let size = self.size(checker, m, n);
                Ty::array(size, self.types(checker, x, y))
            }
            (TyKind::Record(xs), TyKind::Record(ys)) if xs.len() == ys.len() => Ty::new(TyKind::Record(
                xs.iter().zip(ys).map(|((name, x), (_, y))| (*name, self.types(checker, x, y))).collect(),
            )),
            (TyKind::Sum(xs), TyKind::Sum(ys)) if xs.len() == ys.len() => Ty::new(TyKind::Sum(
                xs.iter()
                    .zip(ys)
                    .map(|((name, xs), (_, ys))| {
                        (*name, xs.iter().zip(ys).map(|(x, y)| self.types(checker, x, y)).collect())
                    })
                    .collect(),
            )),
            (TyKind::Con(f, xs), TyKind::Con(_, ys)) => {
                let args = xs
                    .iter()
                    .zip(ys)
                    .map(|(x, y)| match (x, y) {
                        (TyArg::Size(x), TyArg::Size(y)) => TyArg::Size(self.size(checker, x, y)),
                        (TyArg::Type(x), TyArg::Type(y)) => TyArg::Type(self.types(checker, x, y)),
                        _ => x.clone(),
                    })
                    .collect();
                Ty::new(TyKind::Con(*f, args))
            }
            _ => a.clone(),
        })
    }

    fn size(&mut self, checker: &mut Checker<'_>, a: &Size, b: &Size) -> Size {
        let (a, b) = (checker.names.size(a), checker.names.size(b));
        if a == b || a == Size::Error || b == Size::Error {
            return a;
        }
        if let Size::Var(v) = a
            && self.fresh.contains(&v)
        {
            let _ = checker.names.unify_sizes(checker.level, &a, &b);
            return b;
        }
        if let Some(done) = self.done.get(&(a.clone(), b.clone())) {
            return done.clone();
        }
        let new = self.in_terms_of_others(checker, &a, &b).unwrap_or_else(|| {
            let cause = SizeCause::Branches(checker.names.show_size(&a), checker.names.show_size(&b));
            checker.unknown_size(self.expr, "differ", cause)
        });
        self.done.insert((a, b), new.clone());
        new
    }

    /// The same operation on both sides, if its arguments differ only in what are sizes of arrays: `[k]t` and
    /// `[n - k]t` on one side and `[l]t` and `[n - l]t` on the other are `[d]t` and `[n - d]t`.
    fn in_terms_of_others(&mut self, checker: &mut Checker<'_>, a: &Size, b: &Size) -> Option<Size> {
        let (Size::Term(x), Size::Term(y)) = (a, b) else { return None };
        if x.head != y.head || x.args.len() != y.args.len() {
            return None;
        }
        let mut args = Vec::new();
        for (m, n) in x.args.iter().zip(&y.args) {
            args.push(match self.seen.contains(&(m.clone(), n.clone())) {
                _ if m == n => m.clone(),
                true => self.size(checker, m, n),
                false => with_stack(|| self.in_terms_of_others(checker, m, n))?,
            });
        }
        Some(Size::term(x.head.clone(), args))
    }
}

/// That the body of a loop yields another number of values than the loop has parameters.
fn other_components(param: &Ty, body: &Ty) -> Option<String> {
    let (want, have) = (param.as_tuple(), body.as_tuple());
    let (want, have) = (want.map_or(1, |tys| tys.len()), have.map_or(1, |tys| tys.len()));
    (want != have).then(|| {
        let (want, have) = (count(want, "component"), count(have, "value"));
        format!("the body yields {have}, the loop's parameter has {want}")
    })
}

/// The sizes at the same places of two types of the same structure; those of functions are left out.
pub(crate) fn size_pairs(a: &Ty, b: &Ty, out: &mut Vec<(Size, Size)>) {
    with_stack(|| match (a.kind(), b.kind()) {
        (TyKind::Array(m, x), TyKind::Array(n, y)) => {
            out.push((m.clone(), n.clone()));
            size_pairs(x, y, out);
        }
        (TyKind::Record(xs), TyKind::Record(ys)) => {
            xs.iter().zip(ys).for_each(|((_, x), (_, y))| size_pairs(x, y, out));
        }
        (TyKind::Sum(xs), TyKind::Sum(ys)) => {
            xs.iter().zip(ys).for_each(|((_, xs), (_, ys))| xs.iter().zip(ys).for_each(|(x, y)| size_pairs(x, y, out)));
        }
        (TyKind::Con(_, xs), TyKind::Con(_, ys)) => xs.iter().zip(ys).for_each(|(x, y)| match (x, y) {
            (TyArg::Size(x), TyArg::Size(y)) => out.push((x.clone(), y.clone())),
            (TyArg::Type(x), TyArg::Type(y)) => size_pairs(x, y, out),
            _ => {}
        }),
        _ => {}
    });
}
