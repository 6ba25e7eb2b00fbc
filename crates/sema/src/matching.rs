//! Whether a module has what a module type asks for.

use crate::checker::Checker;
use crate::names::{Origin, TypeInfo, TypeOrigin};
use crate::scope::{Env, ModType, Module, Term, TypeEntry};
use crate::types::{Scheme, SchemeParam, Size, Ty, TyKind, TypeAbbr, TypeId, VarId};
use crate::unify::Clash;
use crate::walk::{Subst, witnesses};
use kenaz_base::{Code, Diagnostic, Span, Symbol, with_stack};
use kenaz_syntax::ast::{Liftedness, TypeParamKind};
use std::sync::Arc;

/// How the parts of a module type are found in a module that has them.
#[derive(Default)]
pub(crate) struct Matching {
    /// What the abstract types are, and which values the sizes name.
    pub subst: Subst,
    /// Pairs of the value that is asked for and the one that is there.
    pub values: Vec<(VarId, VarId)>,
}

type Matched<T> = Result<T, Box<Diagnostic>>;

impl Checker<'_> {
    /// Finds the parts of `wanted` in `module`, which stands at `span`.
    pub(crate) fn match_module(
        &mut self,
        module: &Module,
        wanted: &ModType,
        span: Span,
        path: &str,
    ) -> Result<Matching, Box<Diagnostic>> {
        let mut matching = Matching::default();
        let level = std::mem::replace(&mut self.level, 1);
        let result = self
            .match_types(module, &wanted.module, &wanted.abstract_types, span, path, &mut matching)
            .and_then(|()| self.match_rest(module, &wanted.module, span, path, &mut matching));
        self.level = level;
        result.map(|()| matching)
    }

    /// The module as its module type shows it.
    pub(crate) fn seal(&mut self, wanted: ModType, matching: &Matching) -> Module {
        for (asked, found) in &matching.values {
            self.names.vars[*asked].origin = Some(Origin::Ascribed(*found));
        }
        // Among them are the types in the results of parametric modules.
        for (t, abbr) in &matching.subst.types {
            self.names.types[*t].origin = Some(TypeOrigin::Sealed(Arc::new(abbr.clone())));
        }
        wanted.module
    }

    /// Finds out what the abstract types are, before anything else mentions them.
    fn match_types(
        &mut self,
        module: &Module,
        wanted: &Module,
        abstract_types: &[TypeId],
        span: Span,
        path: &str,
        matching: &mut Matching,
    ) -> Matched<()> {
        let (Module::Env(env), Module::Env(want)) = (module, wanted) else { return Ok(()) };
        for (name, entry) in &want.types {
            let TyKind::Con(id, _) = entry.abbr.body.kind() else { continue };
            if !abstract_types.contains(id) || matching.subst.types.contains_key(id) {
                continue;
            }
            let Some(found) = env.types.get(name).cloned() else {
                return Err(self.missing(
                    "type",
                    path,
                    *name,
                    span,
                    self.names.types[*id].span,
                    env.types.keys().copied(),
                ));
            };
            let info = self.names.types[*id].clone();
            self.check_abstract(&info, &found, path, *name, span)?;
            matching.subst.types.insert(*id, (*found.abbr).clone());
        }
        for (name, term) in &want.terms {
            match (term, env.terms.get(name)) {
                (Term::Module(inner), Some(Term::Module(found))) => {
                    let (inner, found) = (inner.clone(), found.clone());
                    with_stack(|| {
                        self.match_types(&found, &inner, abstract_types, span, &join(path, *name), matching)
                    })?;
                }
                (Term::Value(asked), Some(Term::Value(found))) => {
                    matching.subst.sizes.insert(*asked, Size::Var(*found));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_abstract(&self, info: &TypeInfo, found: &TypeEntry, path: &str, name: Symbol, span: Span) -> Matched<()> {
        let full = join(path, name);
        let at = |d: Diagnostic| match found.span {
            Some(s) => d.cause(s, "defined here"),
            None => d,
        };
        let same_params = info.params.len() == found.abbr.params.len()
            && info.params.iter().zip(&found.abbr.params).all(|(a, b)| {
                matches!(
                    (a, b),
                    (TypeParamKind::Size, SchemeParam::Size(_)) | (TypeParamKind::Type(_), SchemeParam::Type(..))
                )
            });
        if !same_params {
            return Err(Box::new(at(Diagnostic::error(
                Code::ModuleMismatch,
                span,
                format!("type `{full}` of the module has other parameters than the module type asks for"),
            )
            .label("does not match its module type")
            .cause(info.span, "asked for here"))));
        }
        if found.abbr.liftedness > info.liftedness {
            let what = match found.abbr.liftedness {
                Liftedness::Lifted => "may contain functions",
                _ => "contains arrays of existential size",
            };
            let shown = self.names.show(&found.abbr.body);
            return Err(Box::new(at(Diagnostic::error(
                Code::ModuleMismatch,
                span,
                format!("type `{full}` is `{shown}`, which {what}, but the module type asks for a non-lifted type"),
            )
            .label("does not match its module type")
            .cause(info.span, "asked for here")
            .hint(format!("write `type^ {name}` or `type~ {name}` in the module type")))));
        }
        // A size that no array has could not be found again behind the abstraction.
        let seen = witnesses(&found.abbr.body);
        for param in &found.abbr.params {
            if let SchemeParam::Size(v) = param
                && !seen.contains(v)
            {
                let size = self.names.vars[*v].name;
                return Err(Box::new(at(Diagnostic::error(
                    Code::ModuleMismatch,
                    span,
                    format!("type `{full}` cannot be made abstract: its size `[{size}]` is not used constructively"),
                )
                .label("no array in the type has this size, so a value does not tell what it is")
                .cause(info.span, "asked for here"))));
            }
        }
        Ok(())
    }

    fn missing(
        &self,
        what: &str,
        path: &str,
        name: Symbol,
        span: Span,
        asked: Span,
        names: impl Iterator<Item = Symbol>,
    ) -> Box<Diagnostic> {
        let mut diagnostic = Diagnostic::error(
            Code::ModuleMismatch,
            span,
            format!("the module has no {what} `{}`, which its module type asks for", join(path, name)),
        )
        .label("does not match its module type")
        .cause(asked, "asked for here");
        if let Some(guess) = crate::scope::nearest(name, names) {
            diagnostic = diagnostic.hint(format!("there is `{}`", join(path, guess)));
        }
        Box::new(diagnostic)
    }

    fn match_rest(
        &mut self,
        module: &Module,
        wanted: &Module,
        span: Span,
        path: &str,
        matching: &mut Matching,
    ) -> Matched<()> {
        let fail = |message: String| {
            Err(Box::new(
                Diagnostic::error(Code::ModuleMismatch, span, message).label("does not match its module type"),
            ))
        };
        let here = || if path.is_empty() { "the module".to_string() } else { format!("module `{path}`") };
        match (module, wanted) {
            (Module::Error, _) | (_, Module::Error) => Ok(()),
            (Module::Env(env), Module::Env(want)) => self.match_env(env, want, span, path, matching),
            (Module::Fun(_), Module::Env(_)) => fail(format!("{} is parametric, but its module type is not", here())),
            (Module::Env(_), Module::Fun(_)) => {
                fail(format!("{} takes no parameter, but its module type is parametric", here()))
            }
            (Module::Fun(have), Module::Fun(want)) => {
                let (have, want) = (have.clone(), want.clone());
                // What the wanted function is given must do for the one that is there. So the one that is there is
                // applied to the parameter of the wanted one, and the result must be what is wanted.
                let mut subst = matching.subst.clone();
                let given = self.copy_module(&want.param.module, &mut subst, &|v| Some(Origin::Ascribed(v)));
                self.functors.push(want.id);
                let result = self.match_module(&given, &have.param, span, path);
                let result = result.map(|inner| self.instance_of(&have, inner).0);
                self.functors.pop();
                let result = result?;
                let mut wanted_subst = matching.subst.clone();
                // The result is described in terms of the parameter that was just copied.
                for (old, new) in pair_values(&want.param.module, &given) {
                    wanted_subst.sizes.insert(old, Size::Var(new));
                }
                let want_result = ModType {
                    abstract_types: want.result.abstract_types.clone(),
                    module: self.copy_module(&want.result.module, &mut wanted_subst, &|v| Some(Origin::Ascribed(v))),
                };
                self.functors.push(want.id);
                let outer = self.match_module(&result, &want_result, span, path);
                self.functors.pop();
                let outer = outer?;
                // The wanted results, under their own names, are those of the application.
                let asked: Vec<(VarId, VarId)> = pair_values(&want.result.module, &want_result.module);
                for (original, copy) in asked {
                    if let Some((_, found)) = outer.values.iter().find(|(v, _)| *v == copy) {
                        matching.values.push((original, *found));
                    }
                }
                matching.subst.types.extend(outer.subst.types);
                Ok(())
            }
        }
    }

    fn match_env(&mut self, env: &Env, want: &Env, span: Span, path: &str, matching: &mut Matching) -> Matched<()> {
        for (name, entry) in &want.types {
            let Some(found) = env.types.get(name).cloned() else {
                let asked = entry.span.unwrap_or(span);
                return Err(self.missing("type", path, *name, span, asked, env.types.keys().copied()));
            };
            self.match_type_abbr(entry, &found, span, path, *name, matching)?;
        }
        for (name, term) in &want.terms {
            match (term, env.terms.get(name)) {
                (Term::Value(asked), Some(Term::Value(found))) => {
                    self.match_value(*asked, *found, span, path, matching)?;
                    matching.values.push((*asked, *found));
                }
                (Term::Module(inner), Some(Term::Module(found))) => {
                    let (inner, found) = (inner.clone(), found.clone());
                    with_stack(|| self.match_rest(&found, &inner, span, &join(path, *name), matching))?;
                }
                (Term::Value(asked), _) => {
                    let asked = self.names.vars[*asked].span;
                    return Err(self.missing("value", path, *name, span, asked, env.terms.keys().copied()));
                }
                (Term::Module(_), _) => {
                    return Err(self.missing("module", path, *name, span, span, env.terms.keys().copied()));
                }
            }
        }
        Ok(())
    }

    fn match_type_abbr(
        &mut self,
        entry: &TypeEntry,
        found: &TypeEntry,
        span: Span,
        path: &str,
        name: Symbol,
        matching: &Matching,
    ) -> Matched<()> {
        let wanted = &entry.abbr;
        let mismatch = |this: &Self, want: &Ty, have: &Ty| {
            let full = join(path, name);
            let mut d = Diagnostic::error(
                Code::ModuleMismatch,
                span,
                format!(
                    "type `{full}` is `{}`, but the module type asks for `type {full} = {}`",
                    this.names.show(have),
                    this.names.show(want)
                ),
            )
            .label("does not match its module type");
            if let Some(s) = entry.span {
                d = d.cause(s, "asked for here");
            }
            if let Some(s) = found.span {
                d = d.cause(s, "defined here");
            }
            Err(Box::new(d))
        };
        if wanted.params.len() != found.abbr.params.len() {
            return mismatch(self, &wanted.body.clone(), &found.abbr.body.clone());
        }
        // Both bodies over the same parameters.
        let mut rename = Subst::default();
        for (w, f) in wanted.params.iter().zip(&found.abbr.params) {
            match (w, f) {
                (SchemeParam::Size(w), SchemeParam::Size(f)) => {
                    rename.sizes.insert(*f, Size::Var(*w));
                }
                (SchemeParam::Type(w, _), SchemeParam::Type(f, l)) => {
                    let body = Ty::new(TyKind::Con(*w, Vec::new()));
                    rename.types.insert(*f, TypeAbbr { params: Vec::new(), liftedness: *l, body });
                }
                _ => return mismatch(self, &wanted.body.clone(), &found.abbr.body.clone()),
            }
        }
        let want_body = self.names.apply_to_type(&matching.subst, &wanted.body);
        let have_body = rename.apply(&found.abbr.body);
        if self.names.unify(self.level, &want_body, &have_body).is_err() {
            return mismatch(self, &want_body, &have_body);
        }
        Ok(())
    }

    fn match_value(&mut self, asked: VarId, found: VarId, span: Span, path: &str, matching: &Matching) -> Matched<()> {
        let (Some(want), Some(have)) = (self.names.vars[asked].scheme.clone(), self.scheme_for_matching(found)) else {
            return Ok(());
        };
        let want = self.names.apply_to_scheme(&matching.subst, &want);
        let want_ty = want.ty.clone();
        if let (TyKind::Exists(..), Some(Scheme { ty, .. })) = (want_ty.kind(), &self.names.vars[asked].scheme)
            && !matches!(ty.kind(), TyKind::Exists(..))
        {
            let full = join(path, self.names.vars[found].name);
            return Err(Box::new(
                Diagnostic::error(
                    Code::ModuleMismatch,
                    span,
                    format!("the size of `{full}` would be hidden by the module type"),
                )
                .label("does not match its module type")
                .cause(self.names.vars[asked].span, "its type is abstract and does not tell the size")
                .hint("make it a function of `()`"),
            ));
        }
        let name = self.names.vars[found].name;
        let errors = self.current.errors;
        let (have_ty, _) = self.instantiate(&have, span, &|| name.to_string());
        let mut clash = self.names.unify(self.level, &want_ty, &have_ty).err();
        // A function of whose result a part is new passes for one of whose result all parts are.
        if matches!(clash.as_deref(), Some(Clash::NotUnique(..))) && with_result(&have_ty, &|t| Ty::mentions_unique(t))
        {
            let loose = without_unique_result(&want_ty);
            clash = self.names.unify(self.level, &loose, &have_ty).err();
            if clash.is_none() {
                self.warn_partly_unique(asked, found, span, path);
            }
        }
        self.current.errors = errors;
        let Some(clash) = clash else { return Ok(()) };
        if want_ty.is_error() || have.ty.is_error() {
            return Ok(());
        }
        let full = join(path, name);
        let (want_shown, have_shown) =
            (self.names.show_scheme(&Scheme { params: want.params, ty: want_ty }), self.names.show_scheme(&have));
        let mut diagnostic = Diagnostic::error(
            Code::ModuleMismatch,
            span,
            format!("value `{full}` has another type than the module type asks for"),
        )
        .label("does not match its module type")
        .cause(self.names.vars[asked].span, format!("asked for here: `{want_shown}`"))
        .cause(self.names.vars[found].span, format!("defined here: `{have_shown}`"));
        if let Clash::Consumes(..) = *clash {
            diagnostic = diagnostic.note("the function consumes its argument, which the module type does not allow");
        }
        Err(Box::new(diagnostic))
    }

    fn warn_partly_unique(&mut self, asked: VarId, found: VarId, span: Span, path: &str) {
        let full = join(path, self.names.vars[found].name);
        let (asked, found) = (self.names.vars[asked].span, self.names.vars[found].span);
        self.warn(
            Diagnostic::warning(
                Code::ImplicitCopy,
                span,
                format!("of the result of `{full}` only a part is new, but the module type says that all of it is"),
            )
            .label("the rest is copied before it is changed")
            .cause(asked, "the whole result has a `*` here")
            .cause(found, "not all of it here")
            .hint(
                "write the `*` in front of the whole result of the function, or of the same parts in the module type",
            ),
        );
    }

    /// An overloaded operator has no scheme of its own.
    fn scheme_for_matching(&mut self, v: VarId) -> Option<Scheme> {
        if let Some(scheme) = &self.names.vars[v].scheme {
            return Some(scheme.clone());
        }
        let span = self.names.vars[v].span;
        let ty = self.instantiate_var(v, span).0;
        Some(Scheme { params: Vec::new(), ty })
    }
}

/// What holds of the result of a function that is given all of its arguments.
fn with_result<T>(ty: &Ty, f: &dyn Fn(&Ty) -> T) -> T {
    match ty.kind() {
        TyKind::Arrow(a) => with_stack(|| with_result(&a.ret, f)),
        _ => f(ty),
    }
}

/// The type of a function without the `*` in its result.
fn without_unique_result(ty: &Ty) -> Ty {
    match ty.kind() {
        TyKind::Arrow(a) => with_stack(|| Ty::arrow(a.param, a.consumes, a.arg.clone(), without_unique_result(&a.ret))),
        _ => ty.without_unique(),
    }
}

/// The values at the same places of two modules of the same shape.
fn pair_values(a: &Module, b: &Module) -> Vec<(VarId, VarId)> {
    with_stack(|| match (a, b) {
        (Module::Env(a), Module::Env(b)) => {
            let mut out = Vec::new();
            for (name, term) in &a.terms {
                match (term, b.terms.get(name)) {
                    (Term::Value(x), Some(Term::Value(y))) => out.push((*x, *y)),
                    (Term::Module(x), Some(Term::Module(y))) => out.extend(pair_values(x, y)),
                    _ => {}
                }
            }
            out
        }
        (Module::Fun(a), Module::Fun(b)) => {
            let mut out = pair_values(&a.param.module, &b.param.module);
            out.extend(pair_values(&a.result.module, &b.result.module));
            out
        }
        _ => Vec::new(),
    })
}

fn join(path: &str, name: Symbol) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}
