//! Patterns.

use crate::checker::{Checker, Literal};
use crate::names::{Constraint, PrimSet, SizeCause, VarKind};
use crate::report::Context;
use crate::types::{Scheme, Ty, TyKind, VarId};
use kenaz_base::{Code, Symbol, with_stack};
use kenaz_syntax::ast::{Ident, PatId, PatKind, PatLit};
use std::collections::BTreeMap;

impl Checker<'_> {
    /// Checks a pattern against the type of what it takes apart, if that is known already, and binds its names. Returns
    /// the pattern's type without `*`.
    pub(crate) fn check_pat(&mut self, pat: PatId, expected: Option<&Ty>, bound: &mut Vec<VarId>) -> Ty {
        let mut idents = Vec::new();
        self.pat_names(pat, &mut idents);
        self.check_distinct(idents.into_iter(), Code::DuplicateBinding, "name");
        self.pat(pat, expected, bound)
    }

    /// [`Checker::check_pat`] where it is known that no name occurs twice.
    pub(crate) fn pat(&mut self, pat: PatId, expected: Option<&Ty>, bound: &mut Vec<VarId>) -> Ty {
        let ty = with_stack(|| self.pat_(pat, expected, bound));
        self.info.pat_ty.insert(pat, ty.clone());
        self.current.pats.push(pat);
        ty
    }

    fn pat_(&mut self, pat: PatId, expected: Option<&Ty>, bound: &mut Vec<VarId>) -> Ty {
        let ast = self.ast;
        let span = ast[pat].span;
        let value = self.matched.take();
        let expected = expected.map(|t| self.names.shallow(t));
        let expected = expected.as_ref();
        match &ast[pat].kind {
            PatKind::Error => {
                self.current.errors += 1;
                Ty::error()
            }
            PatKind::Name(ident) => {
                let ty = expected.cloned().unwrap_or_else(|| self.fresh(span));
                let v = self.bind_component(*ident, ty.clone());
                self.info.pat_var.insert(pat, v);
                bound.push(v);
                ty
            }
            PatKind::Wild => expected.cloned().unwrap_or_else(|| self.fresh(span)),
            PatKind::Paren(p) | PatKind::Attr(_, p) => {
                self.matched = value;
                self.pat(*p, expected, bound)
            }
            PatKind::Ascript(p, t) => {
                let written = self.eval_type_inferred(*t, &SizeCause::Anonymous);
                let ty = written.without_unique();
                if let Some(expected) = expected {
                    self.unify(&ty, expected, &|this| match value {
                        Some(value) => {
                            let at = this.ast[value].span;
                            let headline = format!("`{}` does not have the type that is stated for it", this.text(at));
                            Context::new(at, headline).cause(this.ast[*t].span, "the type that is stated").value(value)
                        }
                        None => Context::new(span, "the value does not have the type that the pattern states"),
                    });
                }
                self.pat(*p, Some(&ty), bound);
                ty
            }
            PatKind::Tuple(pats) => {
                let known = match expected.map(Ty::kind) {
                    Some(TyKind::Record(fields)) if is_tuple_of(fields, pats.len()) => Some(fields.clone()),
                    _ => None,
                };
                if let Some(fields) = known {
                    let tys = pats.iter().zip(&fields).map(|(p, (_, t))| self.pat(*p, Some(t), bound)).collect();
                    return Ty::tuple(tys);
                }
                let tys: Vec<Ty> = pats.iter().map(|p| self.pat(*p, None, bound)).collect();
                self.expect(Ty::tuple(tys), expected, pat)
            }
            PatKind::Record(fields) => {
                self.check_distinct(fields.iter().map(|(name, _)| *name), Code::DuplicateField, "field");
                let known: Option<Vec<(Symbol, Ty)>> = match expected.map(Ty::kind) {
                    Some(TyKind::Record(known))
                        if known.len() == fields.len()
                            && fields.iter().all(|(name, _)| known.iter().any(|(n, _)| *n == name.name)) =>
                    {
                        Some(known.clone())
                    }
                    _ => None,
                };
                let mut out = Vec::new();
                for (i, (name, p)) in fields.iter().enumerate() {
                    let want = known.as_ref().and_then(|k| k.iter().find(|(n, _)| *n == name.name)).map(|(_, t)| t);
                    let ty = match p {
                        Some(p) => self.pat(*p, want, bound),
                        None => {
                            let ty = want.cloned().unwrap_or_else(|| self.fresh(name.span));
                            let v = self.bind_component(*name, ty.clone());
                            self.info.field_var.insert((pat, i), v);
                            bound.push(v);
                            ty
                        }
                    };
                    if out.iter().all(|(n, _)| *n != name.name) {
                        out.push((name.name, ty));
                    }
                }
                self.expect(Ty::record(out), expected, pat)
            }
            PatKind::Constr(name, pats) => {
                let known = match expected.map(Ty::kind) {
                    Some(TyKind::Sum(constrs)) => constrs
                        .iter()
                        .find(|(n, ts)| *n == name.name && ts.len() == pats.len())
                        .map(|(_, ts)| ts.clone()),
                    _ => None,
                };
                if let (Some(tys), Some(expected)) = (known, expected) {
                    for (p, t) in pats.iter().zip(&tys) {
                        self.pat(*p, Some(t), bound);
                    }
                    return expected.clone();
                }
                let tys: Vec<Ty> = pats.iter().map(|p| self.pat(*p, None, bound)).collect();
                let usage = self.usage(span, format!("pattern `#{}`", name.name));
                let constrs = BTreeMap::from([(name.name, tys)]);
                let ty = self.fresh_with(span, Constraint::Constructors(constrs, usage));
                self.expect(ty, expected, pat)
            }
            PatKind::Lit(lit) => {
                let ty = match lit {
                    PatLit::Bool(_) => self.bool_ty(),
                    PatLit::Char(c) => {
                        let ty = self.fresh_prim(span, PrimSet::numeric(), "a character literal");
                        let value = Literal::Int { value: u128::from(*c), overflow: false, negative: false };
                        self.current.literals.push((value, ty.clone(), span));
                        ty
                    }
                    PatLit::Int { negative, lit } => {
                        let value = Literal::Int { value: lit.value, overflow: lit.overflow, negative: *negative };
                        match lit.suffix {
                            Some(prim) => self.stated_literal(value, prim, span),
                            None => {
                                let ty = self.fresh_prim(span, PrimSet::numeric(), "an integer literal");
                                self.current.literals.push((value, ty.clone(), span));
                                ty
                            }
                        }
                    }
                    PatLit::Float { negative, lit } => {
                        let value = Literal::Float { value: lit.value, negative: *negative };
                        match lit.suffix {
                            Some(prim) => self.stated_literal(value, prim, span),
                            None => {
                                let ty = self.fresh_prim(span, PrimSet::float(), "a decimal literal");
                                self.current.literals.push((value, ty.clone(), span));
                                ty
                            }
                        }
                    }
                };
                self.expect(ty, expected, pat)
            }
        }
    }

    fn expect(&mut self, ty: Ty, expected: Option<&Ty>, pat: PatId) -> Ty {
        if let Some(expected) = expected {
            let shown = self.names.show(&self.names.zonk(expected));
            self.unify(&ty, expected, &|this| {
                Context::new(this.ast[pat].span, format!("this pattern does not match values of type `{shown}`"))
            });
        }
        ty
    }

    /// Binds a name in a pattern. The type of what is taken apart must not depend on it, so it is one level further in.
    fn bind_component(&mut self, ident: Ident, ty: Ty) -> VarId {
        self.nested(|this| this.bind_value(ident, ty))
    }

    /// Binds a name to a value of this type.
    pub(crate) fn bind_value(&mut self, ident: Ident, ty: Ty) -> VarId {
        let v = self.names.var(ident.name, ident.span, self.level, VarKind::Value);
        self.names.vars[v].scheme = Some(Scheme { params: Vec::new(), ty });
        self.current.values.push(v);
        self.scope.bind_value(ident.name, v);
        v
    }

    /// The names that a pattern binds, in order.
    pub(crate) fn pat_names(&self, pat: PatId, out: &mut Vec<Ident>) {
        with_stack(|| match &self.ast[pat].kind {
            PatKind::Name(ident) => out.push(*ident),
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => self.pat_names(*p, out),
            PatKind::Tuple(ps) | PatKind::Constr(_, ps) => ps.iter().for_each(|p| self.pat_names(*p, out)),
            PatKind::Record(fields) => {
                for (name, p) in fields {
                    match p {
                        Some(p) => self.pat_names(*p, out),
                        None => out.push(*name),
                    }
                }
            }
        });
    }

    /// If the pattern is just a name, perhaps with a type: its variable. Such a parameter can be named in the types of
    /// later parameters and of the result.
    pub(crate) fn simple_pat_var(&self, pat: PatId) -> Option<VarId> {
        match &self.ast[pat].kind {
            PatKind::Name(_) => self.info.pat_var.get(pat).copied(),
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => self.simple_pat_var(*p),
            PatKind::Error
            | PatKind::Wild
            | PatKind::Lit(_)
            | PatKind::Tuple(_)
            | PatKind::Record(_)
            | PatKind::Constr(..) => None,
        }
    }

    /// Whether the type that a pattern states has a `*` in it.
    pub(crate) fn pat_consumes(&self, pat: PatId) -> bool {
        with_stack(|| match &self.ast[pat].kind {
            PatKind::Ascript(p, t) => {
                self.info.type_exp.get(*t).is_some_and(Ty::mentions_unique) || self.pat_consumes(*p)
            }
            PatKind::Paren(p) | PatKind::Attr(_, p) => self.pat_consumes(*p),
            PatKind::Tuple(ps) | PatKind::Constr(_, ps) => ps.iter().any(|p| self.pat_consumes(*p)),
            PatKind::Record(fields) => fields.iter().any(|(_, p)| p.is_some_and(|p| self.pat_consumes(p))),
            PatKind::Error | PatKind::Name(_) | PatKind::Wild | PatKind::Lit(_) => false,
        })
    }
}

fn is_tuple_of(fields: &[(Symbol, Ty)], n: usize) -> bool {
    fields.len() == n && crate::types::is_tuple(fields)
}
