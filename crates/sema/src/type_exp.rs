//! Types as written, to types.

use crate::checker::Checker;
use crate::names::{SizeCause, Usage, VarKind};
use crate::report::Context;
use crate::scope::TypeEntry;
use crate::types::{Scheme, SchemeParam, Size, Ty, TyArg, TyKind, TypeAbbr, TypeId, VarId};
use crate::walk::{Subst, close, witnesses};
use kenaz_base::{Code, Diagnostic, Span, Symbol, with_stack};
use kenaz_syntax::ast::{
    Ident, Liftedness, QualName, SizeExp, TypeArg, TypeExpId, TypeExpKind, TypeParam, TypeParamKind,
};
use std::sync::Arc;

/// A value of a sum type has its constructor in one byte.
const MAX_CONSTRUCTORS: usize = 256;

/// Where the sizes go that a type leaves anonymous: to the result of the function type they stand in, or to whatever
/// the type as a whole is for.
struct Anonymous {
    stack: Vec<Vec<VarId>>,
    current: usize,
    /// The parameters of the function types around.
    params: Vec<Ident>,
}

impl Anonymous {
    fn push(&mut self, v: VarId) {
        self.stack[self.current].push(v);
    }
}

/// Which of a type's anonymous sizes stand in the parameter of a function type.
pub(crate) struct Evaluated {
    pub ty: Ty,
    /// The existential sizes of the type as a whole; names for the anonymous ones included.
    pub dims: Vec<VarId>,
}

impl Checker<'_> {
    /// A type, and the sizes it leaves open.
    pub(crate) fn eval_type(&mut self, exp: TypeExpId) -> Evaluated {
        let mut anonymous = Anonymous { stack: vec![Vec::new()], current: 0, params: Vec::new() };
        let ty = self.eval(exp, &mut anonymous);
        let dims = anonymous.stack.pop().unwrap_or_default();
        Evaluated { ty, dims }
    }

    /// A type whose open sizes are to be inferred.
    pub(crate) fn eval_type_inferred(&mut self, exp: TypeExpId, cause: &SizeCause) -> Ty {
        let Evaluated { ty, dims } = self.eval_type(exp);
        let ty = self.infer_dims(&ty, &dims, cause).0;
        self.info.type_exp.insert(exp, ty.clone());
        self.current.type_exps.push(exp);
        ty
    }

    /// The type with sizes to be inferred for `dims`, and these.
    pub(crate) fn infer_dims(&mut self, ty: &Ty, dims: &[VarId], cause: &SizeCause) -> (Ty, Vec<VarId>) {
        let mut subst = Subst::default();
        let mut fresh = Vec::new();
        for d in dims {
            let (name, span) = (self.names.vars[*d].name, self.names.vars[*d].span);
            let v = self.names.var(name, span, self.level, VarKind::Flexible(cause.clone(), None));
            self.current.sizes.push(v);
            subst.sizes.insert(*d, Size::Var(v));
            fresh.push(v);
        }
        (subst.apply(ty), fresh)
    }

    fn eval(&mut self, exp: TypeExpId, anonymous: &mut Anonymous) -> Ty {
        let ty = with_stack(|| self.eval_(exp, anonymous));
        self.note_large(self.ast[exp].span);
        ty
    }

    fn eval_(&mut self, exp: TypeExpId, anonymous: &mut Anonymous) -> Ty {
        let ast = self.ast;
        let span = ast[exp].span;
        match &ast[exp].kind {
            TypeExpKind::Error => Ty::error(),
            TypeExpKind::Paren(t) => self.eval(*t, anonymous),
            TypeExpKind::Name(path) => {
                let Some(entry) = self.resolve_type(path) else { return Ty::error() };
                self.info.type_names.extend(entry.span.map(|defined| (exp, defined)));
                self.apply_type(path, span, &entry, &[], anonymous)
            }
            TypeExpKind::Apply(head, args) => {
                let mut head = *head;
                while let TypeExpKind::Paren(inner) = &ast[head].kind {
                    head = *inner;
                }
                let TypeExpKind::Name(path) = &ast[head].kind else {
                    return self.error(
                        Diagnostic::error(Code::TypeArguments, span, "only a named type can be given arguments")
                            .label("this is not the name of a type"),
                    );
                };
                let Some(entry) = self.resolve_type(path) else { return Ty::error() };
                self.info.type_names.extend(entry.span.map(|defined| (exp, defined)));
                self.apply_type(path, span, &entry, args, anonymous)
            }
            TypeExpKind::Tuple(elems) => Ty::tuple(elems.iter().map(|t| self.eval(*t, anonymous)).collect()),
            TypeExpKind::Record(fields) => {
                self.check_distinct(fields.iter().map(|(name, _)| *name), Code::DuplicateField, "field");
                let mut out: Vec<(Symbol, Ty)> = Vec::new();
                for (name, t) in fields {
                    let ty = self.eval(*t, anonymous);
                    if out.iter().all(|(n, _)| *n != name.name) {
                        out.push((name.name, ty));
                    }
                }
                Ty::record(out)
            }
            TypeExpKind::Sum(constrs) => {
                self.check_distinct(constrs.iter().map(|(name, _)| *name), Code::DuplicateConstructor, "constructor");
                if constrs.len() > MAX_CONSTRUCTORS {
                    return self.error(
                        Diagnostic::error(
                            Code::TooManyConstructors,
                            span,
                            format!("a sum type can have at most {MAX_CONSTRUCTORS} constructors"),
                        )
                        .label(format!("this one has {}", constrs.len())),
                    );
                }
                let mut out: Vec<(Symbol, Vec<Ty>)> = Vec::new();
                for (name, ts) in constrs {
                    let tys = ts.iter().map(|t| self.eval(*t, anonymous)).collect();
                    if out.iter().all(|(n, _)| *n != name.name) {
                        out.push((name.name, tys));
                    }
                }
                Ty::sum(out)
            }
            TypeExpKind::Array(size, elem) => {
                let size = self.eval_size(size, anonymous);
                let elem_ty = self.eval(*elem, anonymous);
                let liftedness = self.type_exp_liftedness(*elem);
                if liftedness != Liftedness::Unlifted && !elem_ty.is_error() {
                    let shown = self.names.show(&elem_ty);
                    let (code, why) = if self.contains_arrow(&elem_ty) {
                        (Code::FunctionInArray, "functions cannot be put in arrays")
                    } else {
                        (Code::LiftedType, "its values may be functions or arrays of different sizes")
                    };
                    return self.error(
                        Diagnostic::error(code, span, format!("an array cannot have elements of type `{shown}`"))
                            .label(why),
                    );
                }
                Ty::array(size, elem_ty.without_unique())
            }
            TypeExpKind::Arrow { param, arg, ret } => {
                let current = std::mem::replace(&mut anonymous.current, 0);
                let params = std::mem::take(&mut anonymous.params);
                let arg = self.eval(*arg, anonymous);
                anonymous.params = params;
                anonymous.stack.push(Vec::new());
                anonymous.current = anonymous.stack.len() - 1;
                let consumes = arg.mentions_unique();
                let arg = arg.without_unique();
                let mark = self.scope.mark();
                let depth = anonymous.params.len();
                if let Some(p) = param {
                    anonymous.params.push(*p);
                    self.check_distinct(anonymous.params.clone().into_iter(), Code::DuplicateBinding, "parameter");
                }
                let param = param.filter(|p| p.name.as_str() != "_").map(|p| {
                    let v = self.names.var(p.name, p.span, 0, VarKind::Bound);
                    self.names.vars[v].scheme = Some(Scheme { params: Vec::new(), ty: arg.clone() });
                    self.scope.bind_value(p.name, v);
                    v
                });
                let ret = self.eval(*ret, anonymous);
                self.scope.leave(mark);
                anonymous.params.truncate(depth);
                let dims = anonymous.stack.pop().unwrap_or_default();
                anonymous.current = current;
                Ty::arrow(param, consumes, arg, close(dims, ret))
            }
            TypeExpKind::Unique(t) => {
                let ty = self.eval(*t, anonymous);
                if matches!(ty.kind(), TyKind::Prim(_) | TyKind::Arrow(_)) {
                    let shown = self.names.show(&ty);
                    self.warn(
                        Diagnostic::warning(
                            Code::NoEffect,
                            span,
                            format!("declaring `*{shown}` as unique has no effect"),
                        )
                        .label("only arrays, and what contains them, can be consumed"),
                    );
                }
                Ty::unique(ty)
            }
            TypeExpKind::Exists(sizes, body) => {
                self.check_distinct(sizes.iter().copied(), Code::DuplicateBinding, "size");
                let mark = self.scope.mark();
                let vars: Vec<VarId> = sizes.iter().map(|n| self.bound_size(*n)).collect();
                for (ident, v) in sizes.iter().zip(&vars) {
                    self.scope.bind_value(ident.name, *v);
                }
                let ty = self.eval(*body, anonymous);
                self.scope.leave(mark);
                let seen = witnesses(&ty);
                for (ident, v) in sizes.iter().zip(&vars) {
                    anonymous.push(*v);
                    if !seen.contains(v) && !ty.is_error() {
                        let name = ident.name;
                        self.error(
                            Diagnostic::error(
                                Code::ExistentialSize,
                                ident.span,
                                format!("existential size `{name}` is not the size of any array in the type"),
                            )
                            .label("no value of the type would tell what this size is")
                            .hint(format!("add an array that has it, such as `[{name}]()`")),
                        );
                    }
                }
                ty
            }
        }
    }

    fn bound_size(&mut self, ident: Ident) -> VarId {
        let v = self.names.var(ident.name, ident.span, 0, VarKind::Bound);
        self.names.vars[v].scheme = Some(Scheme { params: Vec::new(), ty: self.i64_ty() });
        v
    }

    fn anonymous_size(&mut self, span: Span, anonymous: &mut Anonymous) -> Size {
        let v = self.bound_size(Ident { name: Symbol::intern("d"), span });
        anonymous.push(v);
        Size::Var(v)
    }

    fn eval_size(&mut self, size: &SizeExp, anonymous: &mut Anonymous) -> Size {
        let Some(expr) = size.expr else { return self.anonymous_size(size.span, anonymous) };
        let errors = self.current.errors;
        let outer = std::mem::replace(&mut self.in_size, true);
        let ty = self.infer(expr);
        self.in_size = outer;
        let span = self.ast[expr].span;
        let i64_ty = self.i64_ty();
        let ok = self.unify(&i64_ty, &ty, &|_| {
            Context::new(span, "the size of an array must be of type `i64`").code(Code::SizeNotInteger).value(expr)
        });
        if !ok || self.current.errors > errors {
            return Size::Error;
        }
        // What cannot be compared with other sizes is equal to itself alone.
        let size = self.size_of_expr(expr).unwrap_or_else(|_| self.opaque_size(expr));
        self.note_size(&size, expr);
        size
    }

    fn apply_type(
        &mut self,
        path: &QualName,
        span: Span,
        entry: &TypeEntry,
        args: &[TypeArg],
        anonymous: &mut Anonymous,
    ) -> Ty {
        let abbr: Arc<TypeAbbr> = entry.abbr.clone();
        if abbr.params.len() != args.len() {
            let (want, have) = (abbr.params.len(), args.len());
            let mut diagnostic = Diagnostic::error(
                Code::TypeArguments,
                span,
                format!("type `{path}` takes {}, but {}", count(want, "argument"), are_given(have)),
            )
            .label(match abbr.params.len() {
                0 => "this type has no parameters".to_string(),
                _ => format!("write `{path}{}`", self.show_params(&abbr.params)),
            });
            if let Some(def) = entry.span {
                diagnostic = diagnostic.cause(def, "defined here");
            }
            let sizes: Option<Vec<String>> = args
                .iter()
                .map(|arg| match arg {
                    TypeArg::Size(size) => Some(self.text(size.span)),
                    TypeArg::Type(_) => None,
                })
                .collect();
            if let Some(sizes) = sizes.filter(|_| want == 0) {
                let text = format!("{}{path}", sizes.concat());
                diagnostic = diagnostic.hint(format!("brackets stand in front of the type: `{text}`"));
                diagnostic = diagnostic.fix(span, text);
            }
            return self.error(diagnostic);
        }
        let mut values = Vec::with_capacity(args.len());
        for (param, arg) in abbr.params.iter().zip(args) {
            values.push(match (param, arg) {
                (SchemeParam::Size(_), TypeArg::Size(size)) => TyArg::Size(self.eval_size(size, anonymous)),
                (SchemeParam::Type(..), TypeArg::Type(t)) => TyArg::Type(self.eval(*t, anonymous).without_unique()),
                // A name in brackets is parsed as a size, one without as a type.
                (SchemeParam::Size(v), TypeArg::Type(t)) => {
                    let name = self.names.vars[*v].name;
                    self.error(
                        Diagnostic::error(
                            Code::TypeArguments,
                            self.ast[*t].span,
                            format!("type `{path}` takes a size for its parameter `[{name}]`, not a type"),
                        )
                        .label("write a size in brackets here"),
                    );
                    TyArg::Size(Size::Error)
                }
                (SchemeParam::Type(id, _), TypeArg::Size(size)) => {
                    let name = self.names.types[*id].name;
                    self.error(
                        Diagnostic::error(
                            Code::TypeArguments,
                            size.span,
                            format!("type `{path}` takes a type for its parameter `'{name}`, not a size"),
                        )
                        .label("write a type here"),
                    );
                    TyArg::Type(Ty::error())
                }
            });
        }
        let ty = abbr.apply(&values);
        if !values.is_empty()
            && let Some(elem) = self.lifted_element(&ty)
        {
            let shown = self.names.show(&elem);
            return self.error(
                Diagnostic::error(
                    Code::FunctionInArray,
                    span,
                    format!("with these arguments, type `{path}` would contain an array of `{shown}`"),
                )
                .label("functions and lifted types cannot be put in arrays"),
            );
        }
        // Each use of a synonym has existential sizes of its own.
        let TyKind::Exists(dims, body) = ty.kind() else { return ty };
        let mut subst = Subst::default();
        for d in dims {
            let name = self.names.vars[*d].name;
            let fresh = self.bound_size(Ident { name, span });
            anonymous.push(fresh);
            subst.sizes.insert(*d, Size::Var(fresh));
        }
        subst.apply(body)
    }

    fn show_params(&self, params: &[SchemeParam]) -> String {
        params
            .iter()
            .map(|p| match p {
                SchemeParam::Size(v) => format!(" [{}]", self.names.vars[*v].name),
                SchemeParam::Type(id, _) => format!(" {}", self.names.types[*id].name),
            })
            .collect()
    }

    /// How lifted the values of a type as written may be.
    pub(crate) fn type_exp_liftedness(&self, exp: TypeExpId) -> Liftedness {
        with_stack(|| match &self.ast[exp].kind {
            TypeExpKind::Error => Liftedness::Unlifted,
            TypeExpKind::Paren(t) | TypeExpKind::Unique(t) | TypeExpKind::Array(_, t) => self.type_exp_liftedness(*t),
            TypeExpKind::Name(path) => self.peek_type(path).map_or(Liftedness::Unlifted, |e| e.abbr.liftedness),
            TypeExpKind::Apply(head, args) => {
                let inner = args.iter().map(|arg| match arg {
                    TypeArg::Size(_) => Liftedness::Unlifted,
                    TypeArg::Type(t) => self.type_exp_liftedness(*t),
                });
                inner.fold(self.type_exp_liftedness(*head), Liftedness::max)
            }
            TypeExpKind::Tuple(ts) => self.max_liftedness(ts.iter().copied()),
            TypeExpKind::Record(fields) => self.max_liftedness(fields.iter().map(|(_, t)| *t)),
            TypeExpKind::Sum(constrs) => self.max_liftedness(constrs.iter().flat_map(|(_, ts)| ts.iter().copied())),
            TypeExpKind::Arrow { .. } => Liftedness::Lifted,
            TypeExpKind::Exists(_, t) => self.type_exp_liftedness(*t).max(Liftedness::SizeLifted),
        })
    }

    fn max_liftedness(&self, types: impl Iterator<Item = TypeExpId>) -> Liftedness {
        types.fold(Liftedness::Unlifted, |l, t| l.max(self.type_exp_liftedness(t)))
    }

    /// [`Checker::resolve_type`] without messages.
    fn peek_type(&self, path: &QualName) -> Option<TypeEntry> {
        use crate::scope::{Module, Term};
        let mut env = None;
        for qual in &path.quals {
            let term = match &env {
                None => self.scope.term(qual.name).cloned(),
                Some(env) => {
                    let env: &Arc<crate::scope::Env> = env;
                    env.terms.get(&qual.name).cloned()
                }
            };
            match term {
                Some(Term::Module(Module::Env(inner))) => env = Some(inner),
                _ => return None,
            }
        }
        match env {
            None => self.scope.ty(path.name.name).cloned(),
            Some(env) => env.types.get(&path.name.name).cloned(),
        }
    }

    /// The type of an array's elements in this type that cannot be one.
    fn lifted_element(&self, ty: &Ty) -> Option<Ty> {
        with_stack(|| match ty.kind() {
            TyKind::Array(_, elem) => {
                if self.is_lifted(elem) {
                    Some(elem.clone())
                } else {
                    self.lifted_element(elem)
                }
            }
            TyKind::Record(fields) => fields.iter().find_map(|(_, t)| self.lifted_element(t)),
            TyKind::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).find_map(|t| self.lifted_element(t)),
            TyKind::Unique(t) | TyKind::Exists(_, t) => self.lifted_element(t),
            TyKind::Error | TyKind::Prim(_) | TyKind::Arrow(_) | TyKind::Con(..) | TyKind::Meta(_) => None,
        })
    }

    fn is_lifted(&self, ty: &Ty) -> bool {
        match ty.kind() {
            TyKind::Arrow(_) => true,
            TyKind::Con(id, _) => self.names.types[*id].liftedness > Liftedness::Unlifted,
            TyKind::Record(fields) => fields.iter().any(|(_, t)| self.is_lifted(t)),
            TyKind::Sum(constrs) => constrs.iter().any(|(_, ts)| ts.iter().any(|t| self.is_lifted(t))),
            TyKind::Unique(t) | TyKind::Exists(_, t) | TyKind::Array(_, t) => self.is_lifted(t),
            TyKind::Error | TyKind::Prim(_) | TyKind::Meta(_) => false,
        }
    }

    /// Whether a type is or contains a function.
    pub(crate) fn contains_arrow(&self, ty: &Ty) -> bool {
        with_stack(|| {
            let ty = self.names.shallow(ty);
            match ty.kind() {
                TyKind::Arrow(_) => true,
                TyKind::Error | TyKind::Prim(_) | TyKind::Meta(_) => false,
                TyKind::Con(id, args) => {
                    self.names.types[*id].liftedness == Liftedness::Lifted
                        || args.iter().any(|arg| matches!(arg, TyArg::Type(t) if self.contains_arrow(t)))
                }
                TyKind::Array(_, t) | TyKind::Unique(t) | TyKind::Exists(_, t) => self.contains_arrow(t),
                TyKind::Record(fields) => fields.iter().any(|(_, t)| self.contains_arrow(t)),
                TyKind::Sum(constrs) => constrs.iter().any(|(_, ts)| ts.iter().any(|t| self.contains_arrow(t))),
            }
        })
    }

    /// Brings type parameters into scope.
    pub(crate) fn bind_type_params(&mut self, params: &[TypeParam]) -> Vec<SchemeParam> {
        // Sizes and types are different names: `[t] 't` is fine.
        let of_kind = |size: bool| {
            params.iter().filter(move |p| (p.kind == TypeParamKind::Size) == size).map(|p| p.name).collect::<Vec<_>>()
        };
        self.check_distinct(of_kind(true).into_iter(), Code::DuplicateBinding, "size parameter");
        self.check_distinct(of_kind(false).into_iter(), Code::DuplicateBinding, "type parameter");
        params
            .iter()
            .map(|param| match param.kind {
                TypeParamKind::Size => {
                    let v = self.names.var(param.name.name, param.name.span, self.level, VarKind::SizeParam);
                    self.names.vars[v].scheme = Some(Scheme { params: Vec::new(), ty: self.i64_ty() });
                    self.scope.bind_value(param.name.name, v);
                    SchemeParam::Size(v)
                }
                TypeParamKind::Type(liftedness) => {
                    let id = self.new_type(param.name, liftedness, Vec::new(), true);
                    let abbr = TypeAbbr { params: Vec::new(), liftedness, body: Ty::new(TyKind::Con(id, Vec::new())) };
                    let entry = TypeEntry { abbr: Arc::new(abbr), span: Some(param.name.span) };
                    self.scope.bind_type(param.name.name, entry);
                    SchemeParam::Type(id, liftedness)
                }
            })
            .collect()
    }

    pub(crate) fn new_type(
        &mut self,
        name: Ident,
        liftedness: Liftedness,
        params: Vec<TypeParamKind>,
        is_param: bool,
    ) -> TypeId {
        let level = self.level;
        self.names.types.push(crate::names::TypeInfo {
            name: name.name,
            span: name.span,
            level,
            liftedness,
            params,
            is_param,
            origin: None,
        })
    }

    /// Reports names that occur twice in a list.
    pub(crate) fn check_distinct(&mut self, names: impl Iterator<Item = Ident>, code: Code, what: &str) {
        let mut seen: Vec<Ident> = Vec::new();
        for ident in names {
            if ident.name.as_str() == "_" {
                continue;
            }
            match seen.iter().find(|other| other.name == ident.name) {
                Some(first) => {
                    let (first, name) = (first.span, ident.name);
                    let mark = if code == Code::DuplicateConstructor { "#" } else { "" };
                    let hint = match code {
                        Code::DuplicateField | Code::DuplicateConstructor => "remove one of them",
                        _ => "give one of them another name",
                    };
                    self.error(
                        Diagnostic::error(code, ident.span, format!("{what} `{mark}{name}` occurs twice"))
                            .label("the second time")
                            .cause(first, "the first time")
                            .hint(hint),
                    );
                }
                None => seen.push(ident),
            }
        }
    }

    /// An element type must not be lifted.
    pub(crate) fn require_element(&mut self, ty: &Ty, span: Span) -> bool {
        let usage = Usage { span, what: "an array element".to_string(), code: Code::FunctionInArray };
        let required = self.names.require_liftedness(self.level, ty, Liftedness::Unlifted, usage);
        if let Err(clash) = &required {
            let shown = self.names.show(&self.names.zonk(ty));
            let headline = format!("an array cannot have elements of type `{shown}`");
            self.report_clash(ty, ty, clash, Context::new(span, headline));
        }
        required.is_ok()
    }
}

pub(crate) fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("one {what}"),
        n => format!("{n} {what}s"),
    }
}

/// `none is given`, `2 are given`
pub(crate) fn are_given(n: usize) -> String {
    match n {
        0 => "none is given".to_string(),
        1 => "one is given".to_string(),
        n => format!("{n} are given"),
    }
}
