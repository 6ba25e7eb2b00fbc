//! Functions: lambdas, local and global definitions, and what they are polymorphic in.

use crate::checker::Checker;
use crate::names::{Constraint, Level, MetaState, SizeCause, TypeInfo, VarKind};
use crate::report::Context;
use crate::type_exp::Evaluated;
use crate::types::{Scheme, SchemeParam, Size, Ty, TyKind, VarId};
use crate::walk::{TyMap, close, free_vars, open_metas, open_sizes, witnesses};
use kenaz_base::{Code, Diagnostic, Symbol};
use kenaz_syntax::ast::{ExprId, ExprKind, Ident, LocalFun, PatId, TypeExpId, TypeParam, TypeParamKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The parts of a function as written.
pub(crate) struct Function<'a> {
    /// `None` for a lambda.
    pub name: Option<Ident>,
    pub type_params: &'a [TypeParam],
    pub params: &'a [PatId],
    pub ret: Option<TypeExpId>,
    pub body: ExprId,
}

/// The type of a function, with what the program says it is polymorphic in.
pub(crate) struct Typed {
    pub params: Vec<SchemeParam>,
    pub ty: Ty,
}

impl Checker<'_> {
    pub(crate) fn lambda(&mut self, params: &[PatId], ret: Option<TypeExpId>, body: ExprId) -> Ty {
        self.function(&Function { name: None, type_params: &[], params, ret, body }).ty
    }

    pub(crate) fn let_fun(&mut self, expr: ExprId, fun: &LocalFun, body: ExprId) -> Ty {
        let typed = self.function(&Function {
            name: Some(fun.name),
            type_params: &fun.type_params,
            params: &fun.params,
            ret: fun.ret,
            body: fun.body,
        });
        let scheme = self.generalise(typed);
        let mark = self.scope.mark();
        self.level += 1;
        let v = self.names.var(fun.name.name, fun.name.span, self.level, VarKind::Value);
        self.names.vars[v].scheme = Some(scheme);
        self.current.values.push(v);
        self.info.bound_var.insert(expr, v);
        self.scope.bind_value(fun.name.name, v);
        let result = self.infer(body);
        self.level -= 1;
        self.scope.leave(mark);
        self.unscope(expr, &result, &[v], None)
    }

    /// Checks a function and returns its type, not generalised yet.
    pub(crate) fn function(&mut self, fun: &Function<'_>) -> Typed {
        let keyword = if self.level == 0 { "def" } else { "let" };
        match fun.name {
            Some(name) => self.inside(keyword, name.name, |this| this.function_(fun)),
            None => self.function_(fun),
        }
    }

    fn function_(&mut self, fun: &Function<'_>) -> Typed {
        let base = self.level;
        let mark = self.scope.mark();
        let mut names: Vec<Ident> =
            fun.type_params.iter().filter(|p| p.kind == TypeParamKind::Size).map(|p| p.name).collect();
        for p in fun.params {
            self.pat_names(*p, &mut names);
        }
        self.check_distinct(names.into_iter(), Code::DuplicateBinding, "parameter");
        self.level += 1;
        let type_params = self.bind_type_params(fun.type_params);
        let errors = self.current.errors;
        let mut bound: Vec<Vec<VarId>> = Vec::new();
        let mut param_tys = Vec::new();
        for p in fun.params {
            self.level += 1;
            let mut vars = Vec::new();
            param_tys.push(self.pat(*p, None, &mut vars));
            bound.push(vars);
        }
        self.level += 1;
        // The sizes that a lambda leaves open are existential; those of a definition are what its body yields.
        let mut open = None;
        let declared = fun.ret.map(|t| {
            let Evaluated { ty, dims } = self.eval_type(t);
            let inferred = self.infer_dims(&ty, &dims, &SizeCause::Anonymous).0;
            self.info.type_exp.insert(t, inferred.clone());
            self.current.type_exps.push(t);
            if fun.name.is_none() && !dims.is_empty() {
                open = Some(close(dims, ty));
            }
            (t, inferred)
        });
        let body_ty = self.infer(fun.body);
        let ret_ty = match &declared {
            Some((t, declared)) => {
                let value = self.tail(fun.body);
                let body = self.ast[value].span;
                self.unify_at(body, declared, &body_ty, &|this| {
                    let what = match fun.name {
                        Some(name) => format!("the body of `{}` does not have its declared type", name.name),
                        None => "the body of this function does not have its declared type".to_string(),
                    };
                    Context::new(body, what).cause(this.ast[*t].span, "the declared type").value(value)
                });
                open.unwrap_or_else(|| declared.clone())
            }
            None => body_ty,
        };
        self.level = base;
        self.scope.leave(mark);
        let failed = self.current.errors > errors;
        let ty = self.assemble(fun, &bound, &param_tys, &ret_ty, failed);
        if !failed {
            self.check_size_params(&type_params, &ty);
        }
        Typed { params: type_params, ty }
    }

    /// The expression that the value of another one is that of: what stands behind the last `in`.
    fn tail(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::LetPat { body, .. } | ExprKind::LetFun { body, .. } | ExprKind::LetWith { body, .. } =
            &self.ast[expr].kind
        {
            expr = *body;
        }
        expr
    }

    /// The arrow type of a function: sizes that callers cannot express are existential in the result and an error in a
    /// parameter.
    fn assemble(
        &mut self,
        fun: &Function<'_>,
        bound: &[Vec<VarId>],
        param_tys: &[Ty],
        ret_ty: &Ty,
        failed: bool,
    ) -> Ty {
        let base = self.level;
        let mut hidden: FxHashSet<VarId> = FxHashSet::default();
        for (p, vars) in fun.params.iter().zip(bound) {
            if self.simple_pat_var(*p).is_none() {
                hidden.extend(vars);
            }
        }
        let mut ret = self.names.zonk(ret_ty);
        if fun.params.is_empty() {
            return ret;
        }
        if let Some(t) = fun.ret.filter(|_| !failed) {
            self.check_declared_result(t, &hidden);
        }
        ret = self.close_result_hiding(&ret, base, &hidden);
        if !failed {
            self.check_returned_function(fun, &ret, base);
        }
        for (i, p) in fun.params.iter().enumerate().rev() {
            let arg = self.names.zonk(&param_tys[i]);
            if !failed {
                self.check_param_sizes(fun, *p, &arg, base, &hidden);
            }
            let consumes = self.pat_consumes(*p);
            ret = Ty::arrow(self.simple_pat_var(*p), consumes, arg, ret);
        }
        ret
    }

    /// The declared type of a result must be meaningful to callers.
    fn check_declared_result(&mut self, exp: TypeExpId, hidden: &FxHashSet<VarId>) {
        let Some(declared) = self.info.type_exp.get(exp).cloned() else { return };
        let mut bad: Vec<VarId> = free_vars(&declared).into_iter().filter(|v| hidden.contains(v)).collect();
        bad.sort_unstable();
        let Some(v) = bad.first() else { return };
        let (name, bound_at) = (self.names.vars[*v].name, self.names.vars[*v].span);
        self.error(
            Diagnostic::error(
                Code::InaccessibleSize,
                self.ast[exp].span,
                format!("the declared result has size `{name}`, which callers cannot name"),
            )
            .label("not meaningful outside of the function")
            .cause(bound_at, "this is part of a pattern, so it is not visible in the function's type")
            .hint(format!("make `{name}` a parameter of its own, or leave the size open: `[]`")),
        );
    }

    /// A function that is returned must not need an argument of a size that only the inside of this one knows.
    fn check_returned_function(&mut self, fun: &Function<'_>, ret: &Ty, base: Level) {
        let (dims, body) = match ret.kind() {
            TyKind::Exists(dims, body) => (dims.clone(), body.clone()),
            _ => (Vec::new(), ret.clone()),
        };
        let seen = witnesses(&body);
        let mut bad = Vec::new();
        for_each_function(&body, &mut |arrow_arg| {
            for v in free_vars(arrow_arg) {
                let unknown = matches!(self.names.vars[v].kind, VarKind::Unknown(_)) && self.names.vars[v].level > base;
                if (unknown || dims.contains(&v)) && !seen.contains(&v) && !bad.contains(&v) {
                    bad.push(v);
                }
            }
        });
        bad.sort_unstable();
        if let Some(v) = bad.first() {
            let name = self.names.show_var(*v);
            let who = fun.name.map_or("this function".to_string(), |n| format!("`{}`", n.name));
            let mut diagnostic = Diagnostic::error(
                Code::UnknownParameterSize,
                self.ast[fun.body].span,
                format!("{who} returns a function that needs an argument of unknown size `{name}`"),
            )
            .label("nobody can make such an argument")
            .hint("let the parameter have any size, and coerce it inside with `:>`");
            if let Some(origin) = self.size_origin(*v) {
                diagnostic = diagnostic.cause(self.names.vars[*v].span, origin);
            }
            self.error(diagnostic);
        }
    }

    fn check_param_sizes(&mut self, fun: &Function<'_>, pat: PatId, arg: &Ty, base: Level, hidden: &FxHashSet<VarId>) {
        let mut used: Vec<VarId> = free_vars(arg).into_iter().collect();
        used.sort_unstable();
        for v in used {
            let span = self.ast[pat].span;
            let (name, shown) = (self.names.show_var(v), self.names.show(arg));
            let who = fun.name.map_or("this function".to_string(), |n| format!("`{}`", n.name));
            let is_local = self.names.vars[v].level > base;
            if hidden.contains(&v) {
                let bound_at = self.names.vars[v].span;
                self.error(
                    Diagnostic::error(
                        Code::InaccessibleSize,
                        span,
                        format!("a parameter of {who} has size `{name}`, which callers cannot name"),
                    )
                    .label(format!("this has type `{shown}`"))
                    .cause(bound_at, "this is part of a pattern, so it is not visible in the function's type")
                    .hint(format!("make `{name}` a parameter of its own, or coerce the array to that size inside")),
                );
                return;
            }
            if is_local && matches!(self.names.vars[v].kind, VarKind::Unknown(_)) {
                let mut diagnostic = Diagnostic::error(
                    Code::UnknownParameterSize,
                    span,
                    format!("a parameter of {who} has the unknown size `{name}`"),
                )
                .label(format!("this has type `{shown}`"))
                .hint("let the parameter have any size, and coerce it inside with `:>`");
                if let Some(origin) = self.size_origin(v) {
                    diagnostic = diagnostic.cause(self.names.vars[v].span, origin);
                }
                self.error(diagnostic);
                return;
            }
        }
    }

    /// Binds the unknown sizes that came into being at a level further in than `base`.
    pub(crate) fn close_result(&mut self, ty: &Ty, base: Level) -> Ty {
        self.close_result_hiding(&self.names.zonk(ty), base, &FxHashSet::default())
    }

    fn close_result_hiding(&mut self, ty: &Ty, base: Level, hidden: &FxHashSet<VarId>) -> Ty {
        let seen = witnesses(ty);
        let mut map = CloseResult { checker: self, base, hidden, seen, dims: Vec::new(), done: FxHashMap::default() };
        let ty = map.ty(ty);
        let dims = map.dims;
        close(dims, ty)
    }

    /// Every size parameter must be the size of something.
    fn check_size_params(&mut self, params: &[SchemeParam], ty: &Ty) {
        let used = free_vars(&self.names.zonk(ty));
        for param in params {
            if let SchemeParam::Size(v) = param
                && !used.contains(v)
            {
                let (name, span) = (self.names.vars[*v].name, self.names.vars[*v].span);
                self.error(
                    Diagnostic::error(
                        Code::UnusedSize,
                        span,
                        format!("size parameter `[{name}]` is not the size of anything"),
                    )
                    .label("no parameter or result has this size, so nothing tells what it is")
                    .hint(format!("use it in the type of a parameter, as in `(xs: [{name}]i32)`, or remove it")),
                );
            }
        }
    }

    /// Makes a type polymorphic in what is still open in it and belongs to this level. What is open but restricted
    /// stays so, to be decided by its uses.
    pub(crate) fn generalise(&mut self, typed: Typed) -> Scheme {
        let base = self.level;
        let ty = self.names.zonk(&typed.ty);
        let mut params = typed.params;
        self.keep_restricted(&ty, base);
        for meta in open_metas(&ty) {
            let info = &self.names.metas[meta];
            match &info.state {
                MetaState::Open(Constraint::Any) if info.level > base => {
                    let liftedness = info.liftedness;
                    let name = Symbol::intern(&type_name(params.len()));
                    let id = self.names.types.push(TypeInfo {
                        name,
                        span: info.span,
                        level: base + 1,
                        liftedness,
                        params: Vec::new(),
                        is_param: true,
                        origin: None,
                    });
                    self.names.metas[meta].state = MetaState::Solved(Ty::new(TyKind::Con(id, Vec::new())));
                    params.push(SchemeParam::Type(id, liftedness));
                }
                MetaState::Open(_) => {
                    let info = &mut self.names.metas[meta];
                    info.level = info.level.min(base);
                }
                MetaState::Solved(_) => {}
            }
        }
        for v in open_sizes(&self.names, &ty) {
            if self.names.vars[v].level > base {
                self.names.vars[v].kind = VarKind::SizeParam;
                params.push(SchemeParam::Size(v));
            }
        }
        Scheme { params, ty: self.names.zonk(&ty) }
    }
}

impl Checker<'_> {
    /// A variable that is part of what is known about a restricted one is decided by its uses, too.
    fn keep_restricted(&mut self, ty: &Ty, base: Level) {
        let mut work = open_metas(ty);
        while let Some(meta) = work.pop() {
            let MetaState::Open(constraint) = &self.names.metas[meta].state else { continue };
            let parts: Vec<Ty> = match constraint {
                Constraint::Fields(fields, _) => fields.values().cloned().collect(),
                Constraint::Constructors(constrs, _) => constrs.values().flatten().cloned().collect(),
                Constraint::Any | Constraint::Overloaded(..) | Constraint::Equality(_) => continue,
            };
            for part in parts {
                let part = self.names.zonk(&part);
                for inner in open_metas(&part) {
                    if self.names.metas[inner].level > base {
                        self.names.metas[inner].level = base;
                        work.push(inner);
                    }
                }
                for v in open_sizes(&self.names, &part) {
                    let info = &mut self.names.vars[v];
                    info.level = info.level.min(base);
                }
            }
        }
    }
}

struct CloseResult<'a, 'b, 'c> {
    checker: &'a mut Checker<'b>,
    base: Level,
    hidden: &'c FxHashSet<VarId>,
    /// The names whose value a value of the type tells.
    seen: FxHashSet<VarId>,
    dims: Vec<VarId>,
    done: FxHashMap<Size, Size>,
}

impl CloseResult<'_, '_, '_> {
    fn is_local(&self, v: VarId) -> bool {
        let info = &self.checker.names.vars[v];
        self.hidden.contains(&v) || (matches!(info.kind, VarKind::Unknown(_)) && info.level > self.base)
    }
}

impl TyMap for CloseResult<'_, '_, '_> {
    fn size(&mut self, size: &Size) -> Size {
        let mut local = Vec::new();
        size.for_each_var(&mut |v| {
            if self.is_local(v) {
                local.push(v);
            }
        });
        if local.is_empty() {
            return size.clone();
        }
        // An unknown size is bound under its own name, and then other sizes may mention it.
        if local.iter().all(|v| !self.hidden.contains(v) && (self.seen.contains(v) || *size == Size::Var(*v))) {
            for v in local {
                if !self.dims.contains(&v) {
                    self.dims.push(v);
                }
            }
            return size.clone();
        }
        if let Some(done) = self.done.get(size) {
            return done.clone();
        }
        let span = self.checker.names.vars[local[0]].span;
        let v = self.checker.names.var(Symbol::intern("d"), span, 0, VarKind::Bound);
        self.dims.push(v);
        self.done.insert(size.clone(), Size::Var(v));
        Size::Var(v)
    }
}

/// Calls `f` on the parameter type of every function type in a type.
fn for_each_function(ty: &Ty, f: &mut dyn FnMut(&Ty)) {
    match ty.kind() {
        TyKind::Arrow(a) => {
            f(&a.arg);
            for_each_function(&a.ret, f);
        }
        TyKind::Record(fields) => fields.iter().for_each(|(_, t)| for_each_function(t, f)),
        TyKind::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| for_each_function(t, f)),
        TyKind::Unique(t) | TyKind::Exists(_, t) => for_each_function(t, f),
        TyKind::Error | TyKind::Prim(_) | TyKind::Array(..) | TyKind::Con(..) | TyKind::Meta(_) => {}
    }
}

fn type_name(index: usize) -> String {
    match u8::try_from(index) {
        Ok(i) if i < 26 => char::from(b'a' + i).to_string(),
        _ => format!("t{index}"),
    }
}
