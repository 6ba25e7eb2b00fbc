//! Module type expressions.

use crate::checker::Checker;
use crate::decs::{Defined, Space};
use crate::expr::listed;
use crate::names::{Names, Origin, TypeOrigin, VarKind};
use crate::scope::{Env, ModFun, ModType, Module, Term, TypeEntry, nearest};
use crate::type_exp::Evaluated;
use crate::types::{AppId, Scheme, SchemeParam, Size, Ty, TyArg, TyKind, TypeAbbr, TypeId, VarId};
use crate::walk::{Subst, close, free_vars};
use kenaz_base::{Code, Diagnostic, Span, with_stack};
use kenaz_syntax::ast::{
    Ident, Liftedness, ModTypeExpId, ModTypeExpKind, QualName, SpecId, SpecKind, TypeExpId, TypeParam, TypeParamKind,
};
use std::sync::Arc;

/// Where the copy of a value comes from.
type Copies<'a> = &'a dyn Fn(VarId) -> Option<Origin>;

impl Checker<'_> {
    pub(crate) fn eval_mod_type(&mut self, exp: ModTypeExpId) -> ModType {
        with_stack(|| self.eval_mod_type_(exp))
    }

    fn eval_mod_type_(&mut self, exp: ModTypeExpId) -> ModType {
        let ast = self.ast;
        match &ast[exp].kind {
            ModTypeExpKind::Error => ModType { abstract_types: Vec::new(), module: Module::Error },
            ModTypeExpKind::Paren(inner) => self.eval_mod_type(*inner),
            ModTypeExpKind::Name(path) => match self.resolve_mod_type(path) {
                Some(mod_type) => self.refresh_mod_type(&mod_type),
                None => ModType { abstract_types: Vec::new(), module: Module::Error },
            },
            ModTypeExpKind::Specs(specs) => {
                let mut abstract_types = Vec::new();
                let mut env = Env::default();
                let mut defined = Defined::default();
                self.scoped(|this| {
                    for spec in specs {
                        this.check_spec(*spec, &mut env, &mut abstract_types, &mut defined);
                    }
                });
                ModType { abstract_types, module: Module::Env(Arc::new(env)) }
            }
            ModTypeExpKind::With { base, name, params, body } => {
                let base = self.eval_mod_type(*base);
                self.refine(base, name, params, *body)
            }
            ModTypeExpKind::Arrow { param, arg, ret } => {
                let arg = self.eval_mod_type(*arg);
                let result = self.scoped(|this| {
                    if let Some(param) = param {
                        this.scope.bind_term(param.name, Term::Module(arg.module.clone()));
                    }
                    this.eval_mod_type(*ret)
                });
                let mut result = result;
                made_types(&result.module, &mut result.abstract_types);
                let id = self.new_functor(&arg);
                let module = Module::Fun(Arc::new(ModFun { id, param: arg, result, sizes: Vec::new() }));
                ModType { abstract_types: Vec::new(), module }
            }
        }
    }

    /// A copy with abstract types and values of its own, and so for the types of parametric modules in it: two
    /// parameters of the same module type have nothing in common.
    fn refresh_mod_type(&mut self, mod_type: &ModType) -> ModType {
        let mut subst = Subst::default();
        let mut types = mod_type.abstract_types.clone();
        bound_types(&mod_type.module, &mut types);
        types.sort_unstable();
        types.dedup();
        self.refresh_types(&types, &mut subst, None);
        let module = self.copy_module(&mod_type.module, &mut subst, &|_| None);
        let abstract_types = renamed_types(&mod_type.abstract_types, &subst);
        ModType { abstract_types, module: self.refresh_functors(module) }
    }

    /// The same module type with new parametric modules in it.
    fn refresh_functors(&mut self, module: Module) -> Module {
        with_stack(|| match &module {
            Module::Error => module,
            Module::Fun(fun) => {
                let mut inner =
                    |mt: &ModType| ModType { module: self.refresh_functors(mt.module.clone()), ..mt.clone() };
                let (param, result) = (inner(&fun.param), inner(&fun.result));
                let id = self.new_functor(&param);
                Module::Fun(Arc::new(ModFun { id, param, result, sizes: fun.sizes.clone() }))
            }
            Module::Env(env) if env.terms.values().any(|term| matches!(term, Term::Module(_))) => {
                let mut out = (**env).clone();
                for term in out.terms.values_mut() {
                    if let Term::Module(m) = term {
                        *m = self.refresh_functors(m.clone());
                    }
                }
                Module::Env(Arc::new(out))
            }
            Module::Env(_) => module,
        })
    }

    /// New abstract types for these.
    pub(crate) fn refresh_types(&mut self, types: &[TypeId], subst: &mut Subst, app: Option<AppId>) {
        for old in types {
            let mut info = self.names.types[*old].clone();
            info.origin = app.map(|app| TypeOrigin::Instance(*old, app));
            let new = self.names.types.push(info);
            let abbr = self.abstract_abbr(new);
            subst.types.insert(*old, abbr);
        }
    }

    /// An abstract type as an abbreviation for itself.
    fn abstract_abbr(&mut self, id: TypeId) -> TypeAbbr {
        let info = self.names.types[id].clone();
        let (mut params, mut args) = (Vec::new(), Vec::new());
        for kind in &info.params {
            match kind {
                TypeParamKind::Size => {
                    let v = self.names.var(kenaz_base::Symbol::intern("n"), info.span, 0, VarKind::SizeParam);
                    params.push(SchemeParam::Size(v));
                    args.push(TyArg::Size(v.into()));
                }
                TypeParamKind::Type(liftedness) => {
                    let name = Ident { name: kenaz_base::Symbol::intern("a"), span: info.span };
                    let t = self.new_type(name, *liftedness, Vec::new(), true);
                    params.push(SchemeParam::Type(t, *liftedness));
                    args.push(TyArg::Type(Ty::new(TyKind::Con(t, Vec::new()))));
                }
            }
        }
        TypeAbbr { params, liftedness: info.liftedness, body: Ty::new(TyKind::Con(id, args)) }
    }

    /// A copy of a module with new values, under a substitution that grows by them.
    pub(crate) fn copy_module(&mut self, module: &Module, subst: &mut Subst, origin: Copies<'_>) -> Module {
        // All values get their new names before any type that mentions them is copied.
        let mut copies = Vec::new();
        self.copy_values(module, subst, origin, &mut copies);
        for v in copies {
            if let Some(scheme) = self.names.vars[v].scheme.take() {
                self.names.vars[v].scheme = Some(self.names.apply_to_scheme(subst, &scheme));
            }
        }
        copy_structure(&mut self.names, module, subst)
    }

    fn copy_values(&mut self, module: &Module, subst: &mut Subst, origin: Copies<'_>, copies: &mut Vec<VarId>) {
        with_stack(|| match module {
            Module::Error => {}
            Module::Fun(fun) => {
                self.copy_values(&fun.param.module, subst, origin, copies);
                self.copy_values(&fun.result.module, subst, origin, copies);
            }
            Module::Env(env) => {
                for term in env.terms.values() {
                    match term {
                        Term::Module(m) => self.copy_values(m, subst, origin, copies),
                        Term::Value(old) => {
                            let mut info = self.names.vars[*old].clone();
                            info.origin = origin(*old);
                            let new = self.names.vars.push(info);
                            subst.sizes.insert(*old, new.into());
                            copies.push(new);
                            let functors = &mut self.info.functors;
                            if let Some(functor) = functors.param_values.get(old).copied() {
                                functors.param_values.insert(new, functor);
                            }
                        }
                    }
                }
                for mod_type in env.mod_types.values() {
                    self.copy_values(&mod_type.module, subst, origin, copies);
                }
            }
        });
    }

    fn check_spec(&mut self, spec: SpecId, env: &mut Env, abstract_types: &mut Vec<TypeId>, defined: &mut Defined) {
        let ast = self.ast;
        match &ast[spec].kind {
            SpecKind::Error => {}
            SpecKind::Val { name, type_params, ty } => {
                self.define(*name, Space::Terms, defined);
                let v = self.check_val_spec(*name, type_params, *ty);
                self.scope.bind_value(name.name, v);
                env.terms.insert(name.name, Term::Value(v));
            }
            SpecKind::TypeAbbr(bind) => {
                self.define(bind.name, Space::Types, defined);
                let entry = self.check_type_bind(bind);
                self.scope.bind_type(bind.name.name, entry.clone());
                env.types.insert(bind.name.name, entry);
            }
            SpecKind::Type { liftedness, name, params } => {
                self.define(*name, Space::Types, defined);
                let kinds: Vec<TypeParamKind> = params.iter().map(|p| p.kind).collect();
                self.check_distinct(params.iter().map(|p| p.name), Code::DuplicateBinding, "type parameter");
                let id = self.new_type(*name, *liftedness, kinds, false);
                let abbr = self.abstract_abbr(id);
                abstract_types.push(id);
                let entry = TypeEntry { abbr: Arc::new(abbr), span: Some(name.span) };
                self.scope.bind_type(name.name, entry.clone());
                env.types.insert(name.name, entry);
            }
            SpecKind::Module { name, mod_type } => {
                self.define(*name, Space::Terms, defined);
                let inner = self.eval_mod_type(*mod_type);
                abstract_types.extend(&inner.abstract_types);
                self.scope.bind_term(name.name, Term::Module(inner.module.clone()));
                env.terms.insert(name.name, Term::Module(inner.module));
            }
            SpecKind::Include(mod_type) => {
                let inner = self.eval_mod_type(*mod_type);
                let span = ast[*mod_type].span;
                let Module::Env(included) = &inner.module else {
                    if matches!(inner.module, Module::Fun(_)) {
                        self.error(
                            Diagnostic::error(
                                Code::ParametricModule,
                                span,
                                "the type of a parametric module cannot be included",
                            )
                            .label("only a list of specifications can be included"),
                        );
                    }
                    return;
                };
                abstract_types.extend(&inner.abstract_types);
                self.include(included, &inner.abstract_types, env, span);
            }
        }
    }

    fn include(&mut self, included: &Env, abstract_types: &[TypeId], env: &mut Env, span: Span) {
        for (name, entry) in &included.types {
            // A type that is known hides nothing that could differ from it unnoticed.
            let is_abstract = matches!(entry.abbr.body.kind(), TyKind::Con(id, _) if abstract_types.contains(id));
            if let Some(old) = env.types.get(name).filter(|_| is_abstract) {
                // The words are those that the public test suite looks for.
                let mut diagnostic =
                    Diagnostic::warning(Code::ShadowedType, span, format!("Inclusion shadows type `{name}`"))
                        .label("this module type has a type of the same name");
                if let Some(old) = old.span {
                    diagnostic = diagnostic.cause(old, "the type that is shadowed");
                }
                self.warn(diagnostic);
            }
            env.types.insert(*name, entry.clone());
        }
        for (name, term) in &included.terms {
            env.terms.insert(*name, term.clone());
        }
        self.scope.open(included);
    }

    fn check_val_spec(&mut self, name: Ident, type_params: &[TypeParam], exp: TypeExpId) -> VarId {
        self.inside("val", name.name, |this| this.check_val_spec_(name, type_params, exp))
    }

    fn check_val_spec_(&mut self, name: Ident, type_params: &[TypeParam], exp: TypeExpId) -> VarId {
        let mark = self.scope.mark();
        let params = self.bind_type_params(type_params);
        let errors = self.current.errors;
        let Evaluated { ty, dims } = self.eval_type(exp);
        self.scope.leave(mark);
        if self.current.errors == errors {
            // Sizes that a function leaves open in its parameters are whatever the caller passes, so they need a name.
            let mut in_params = false;
            let mut rest = &ty;
            while let TyKind::Arrow(a) = rest.kind() {
                let used = free_vars(&a.arg);
                in_params |= dims.iter().any(|d| used.contains(d));
                rest = &a.ret;
            }
            if !dims.is_empty() && !matches!(ty.kind(), TyKind::Arrow(_)) {
                self.error(
                    Diagnostic::error(
                        Code::AnonymousSize,
                        self.ast[exp].span,
                        format!("the value `{}` must not have an open size in a module type", name.name),
                    )
                    .label("the size of a value that is no function must be named")
                    .hint(format!("specify the size as a value: `val n : i64`, `val {} : [n]…`", name.name)),
                );
            } else if in_params {
                self.error(
                    Diagnostic::error(
                        Code::AnonymousSize,
                        self.ast[exp].span,
                        format!("the parameters of `{}` must not have anonymous sizes in a module type", name.name),
                    )
                    .label("a size in front of an arrow must be named")
                    .hint(format!("bind the size: `val {} [n] : [n]… -> …`", name.name)),
                );
            }
            let used = free_vars(&ty);
            for param in &params {
                if let SchemeParam::Size(v) = param
                    && !used.contains(v)
                {
                    let (size, span) = (self.names.vars[*v].name, self.names.vars[*v].span);
                    self.error(
                        Diagnostic::error(
                            Code::UnusedSize,
                            span,
                            format!("size parameter `[{size}]` of `{}` is not the size of anything", name.name),
                        )
                        .label("not used in the type"),
                    );
                }
            }
        }
        let v = self.names.var(name.name, name.span, 0, VarKind::Global);
        self.names.vars[v].scheme = Some(Scheme { params, ty: close(dims, ty) });
        v
    }

    /// `base with name params = body`
    fn refine(&mut self, base: ModType, path: &QualName, params: &[TypeParam], body: TypeExpId) -> ModType {
        let Module::Env(env) = &base.module else {
            if !matches!(base.module, Module::Error) {
                self.error(
                    Diagnostic::error(
                        Code::CannotRefine,
                        path.span(),
                        "the type of a parametric module cannot be refined",
                    )
                    .label("it has no types of its own"),
                );
            }
            return base;
        };
        let mark = self.scope.mark();
        let errors = self.current.errors;
        let scheme_params = self.bind_type_params(params);
        let Evaluated { ty, dims } = self.eval_type(body);
        let liftedness = self.type_exp_liftedness(body);
        self.scope.leave(mark);
        let liftedness = if dims.is_empty() { liftedness } else { liftedness.max(Liftedness::SizeLifted) };
        if self.current.errors > errors {
            return base;
        }
        let mut found = Some(env.clone());
        for qual in &path.quals {
            found = match found.and_then(|e| e.terms.get(&qual.name).cloned()) {
                Some(Term::Module(Module::Env(inner))) => Some(inner),
                _ => None,
            };
        }
        let entry = found.as_ref().and_then(|e| e.types.get(&path.name.name).cloned());
        let span = path.span();
        let Some(entry) = entry else {
            let diagnostic =
                Diagnostic::error(Code::CannotRefine, span, format!("the module type has no type called `{path}`"))
                    .label("only types of the module type can be refined");
            let names = || found.iter().flat_map(|e| e.types.keys().copied());
            self.error(match nearest(path.name.name, names()) {
                Some(guess) => diagnostic.hint(format!("did you mean `{guess}`?")),
                None => diagnostic.hint(format!("it has {}", listed("type", "", names()))),
            });
            return base;
        };
        let id = match entry.abbr.body.kind() {
            TyKind::Con(id, _) if base.abstract_types.contains(id) => *id,
            _ => {
                let shown = self.names.show(&entry.abbr.body);
                self.error(
                    Diagnostic::error(Code::CannotRefine, span, format!("`{path}` is not an abstract type"))
                        .label(format!("the module type already says that it is `{shown}`")),
                );
                return base;
            }
        };
        let info = self.names.types[id].clone();
        let same_kind = |a: &TypeParamKind, b: &SchemeParam| {
            matches!((a, b), (TypeParamKind::Size, SchemeParam::Size(_)))
                || matches!((a, b), (TypeParamKind::Type(l), SchemeParam::Type(_, m)) if l <= m)
        };
        if info.params.len() != scheme_params.len()
            || !info.params.iter().zip(&scheme_params).all(|(a, b)| same_kind(a, b))
        {
            self.error(
                Diagnostic::error(
                    Code::CannotRefine,
                    span,
                    format!("`{path}` is refined with other parameters than it has"),
                )
                .label(format!("it has {}", crate::type_exp::count(info.params.len(), "parameter")))
                .cause(info.span, "specified here"),
            );
            return base;
        }
        let abbr = TypeAbbr {
            params: scheme_params,
            liftedness: liftedness.max(info.liftedness),
            body: close(dims, ty.without_unique()),
        };
        let mut subst = Subst::default();
        subst.types.insert(id, abbr);
        let module = self.copy_module(&base.module, &mut subst, &|_| None);
        ModType { abstract_types: base.abstract_types.into_iter().filter(|t| *t != id).collect(), module }
    }
}

/// The abstract types that parametric modules in a module type bind, in their parameters and results.
fn bound_types(module: &Module, types: &mut Vec<TypeId>) {
    with_stack(|| match module {
        Module::Error => {}
        Module::Fun(fun) => {
            for mod_type in [&fun.param, &fun.result] {
                types.extend(&mod_type.abstract_types);
                bound_types(&mod_type.module, types);
            }
        }
        Module::Env(env) => {
            for term in env.terms.values() {
                if let Term::Module(m) = term {
                    bound_types(m, types);
                }
            }
        }
    });
}

/// The abstract types in the results of parametric modules in a module type.
fn made_types(module: &Module, types: &mut Vec<TypeId>) {
    with_stack(|| match module {
        Module::Error => {}
        Module::Fun(fun) => types.extend(&fun.result.abstract_types),
        Module::Env(env) => {
            for term in env.terms.values() {
                if let Term::Module(m) = term {
                    made_types(m, types);
                }
            }
        }
    });
}

/// Abstract types under a substitution that may put other abstract types in their place.
fn renamed_types(types: &[TypeId], subst: &Subst) -> Vec<TypeId> {
    let renamed = |t: &TypeId| match subst.types.get(t).map(|abbr| abbr.body.kind()) {
        Some(TyKind::Con(new, _)) => *new,
        _ => *t,
    };
    types.iter().map(renamed).collect()
}

/// The module with its types substituted and its values replaced by their copies.
fn copy_structure(names: &mut Names, module: &Module, subst: &Subst) -> Module {
    let mod_type = |names: &mut Names, mt: &ModType| ModType {
        abstract_types: renamed_types(&mt.abstract_types, subst),
        module: copy_structure(names, &mt.module, subst),
    };
    with_stack(|| match module {
        Module::Error => Module::Error,
        Module::Fun(fun) => {
            let param = mod_type(names, &fun.param);
            let result = mod_type(names, &fun.result);
            let size = |v: &VarId| match subst.sizes.get(v) {
                Some(Size::Var(new)) => *new,
                _ => *v,
            };
            let sizes = fun.sizes.iter().map(size).collect();
            Module::Fun(Arc::new(ModFun { id: fun.id, param, result, sizes }))
        }
        Module::Env(env) => {
            let mut out = Env { is_intrinsics: env.is_intrinsics, ..Env::default() };
            for (name, entry) in &env.types {
                let abbr = TypeAbbr { body: names.apply_to_type(subst, &entry.abbr.body), ..(*entry.abbr).clone() };
                out.types.insert(*name, TypeEntry { abbr: Arc::new(abbr), span: entry.span });
            }
            for (name, term) in &env.terms {
                let term = match term {
                    Term::Module(m) => Term::Module(copy_structure(names, m, subst)),
                    Term::Value(old) => match subst.sizes.get(old) {
                        Some(Size::Var(new)) => Term::Value(*new),
                        _ => Term::Value(*old),
                    },
                };
                out.terms.insert(*name, term);
            }
            for (name, mt) in &env.mod_types {
                out.mod_types.insert(*name, Arc::new(mod_type(names, mt)));
            }
            Module::Env(Arc::new(out))
        }
    })
}
