//! Patterns: those that cannot fail become projections, those of `match` stay.

use super::{Binding, Result, Translate};
use crate::core::{Exp, Kind, Pat, Ty};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir::{Name, Scalar};
use kenaz_sema::types::VarId;
use kenaz_syntax::ast::{PatId, PatKind, PatLit};

impl Translate<'_> {
    /// A name for a parameter that is a pattern.
    pub fn pat_name(&mut self, pat: PatId) -> Name {
        match &self.ast()[pat].kind {
            PatKind::Name(ident) => self.fresh_symbol(ident.name),
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => self.pat_name(*p),
            PatKind::Error
            | PatKind::Wild
            | PatKind::Lit(_)
            | PatKind::Tuple(_)
            | PatKind::Record(_)
            | PatKind::Constr(..) => self.fresh("p"),
        }
    }

    pub fn bind_var(&mut self, v: VarId, name: Name, ty: Ty) {
        self.scope.vars.insert(v, Binding::Value(name, ty));
    }

    /// Binds the names of a pattern to the parts of a value.
    pub fn bind_pat(&mut self, pat: PatId, value: Exp) -> Result<()> {
        with_stack(|| self.bind_pat_(pat, value))
    }

    fn bind_pat_(&mut self, pat: PatId, value: Exp) -> Result<()> {
        let ast = self.ast();
        match &ast[pat].kind {
            // The value is computed all the same, since it may fail. A part of one that has a name is there already.
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {
                if !matches!(&value.kind, Kind::Project(whole, _) if matches!(whole.kind, Kind::Var(_))) {
                    self.bind("p", value);
                }
                Ok(())
            }
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => self.bind_pat(*p, value),
            PatKind::Name(ident) => {
                let value = match value.kind {
                    Kind::Var(_) => value,
                    _ => {
                        let name = self.fresh_symbol(ident.name);
                        let (ty, loc) = (value.ty.clone(), value.loc);
                        self.push(name, value);
                        Exp::var(name, ty, loc)
                    }
                };
                if let (Kind::Var(name), Some(v)) = (&value.kind, self.checked.info.pat_var.get(pat)) {
                    self.bind_var(*v, *name, value.ty.clone());
                }
                Ok(())
            }
            PatKind::Tuple(pats) => {
                let value = self.bind("p", value);
                for (i, p) in pats.iter().enumerate() {
                    let part = self.part(&value, Symbol::field(i));
                    self.bind_pat(*p, part)?;
                }
                Ok(())
            }
            PatKind::Record(fields) => {
                let value = self.bind("p", value);
                for (i, (field, p)) in fields.iter().enumerate() {
                    let part = self.part(&value, field.name);
                    match p {
                        Some(p) => self.bind_pat(*p, part)?,
                        None => {
                            let name = self.fresh_symbol(field.name);
                            let ty = part.ty.clone();
                            self.push(name, part);
                            if let Some(v) = self.checked.info.field_var.get(&(pat, i)) {
                                self.bind_var(*v, name, ty);
                            }
                        }
                    }
                }
                Ok(())
            }
            // A sum with a single constructor: a match with a single case for each name.
            PatKind::Constr(..) => {
                let value = self.bind("p", value);
                let mut names = Vec::new();
                let pattern = self.pat(pat, &value.ty.clone(), &mut names)?;
                for (v, inner, ty) in names {
                    let outer = self.fresh_symbol(inner.base);
                    let renamed = rename(&pattern, inner, outer);
                    let result = Exp::var(outer, ty.clone(), value.loc);
                    let kind = Kind::Match(Box::new(value.clone()), vec![(renamed, result)]);
                    self.push(inner, Exp::new(kind, ty.clone(), value.loc));
                    self.bind_var(v, inner, ty);
                }
                Ok(())
            }
        }
    }

    fn part(&mut self, value: &Exp, field: Symbol) -> Exp {
        let ty = value.ty.field(field).cloned().unwrap_or_else(Ty::unit);
        Exp::new(Kind::Project(Box::new(value.clone()), field), ty, value.loc)
    }

    /// A pattern of `match`; its names are put into `names`, not into scope.
    pub fn pat(&mut self, pat: PatId, ty: &Ty, names: &mut Vec<(VarId, Name, Ty)>) -> Result<Pat> {
        let ast = self.ast();
        Ok(match &ast[pat].kind {
            PatKind::Error | PatKind::Wild => Pat::Wild,
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => self.pat(*p, ty, names)?,
            PatKind::Name(ident) => {
                let name = self.fresh_symbol(ident.name);
                if let Some(v) = self.checked.info.pat_var.get(pat) {
                    names.push((*v, name, ty.clone()));
                }
                Pat::Name(name, ty.clone())
            }
            PatKind::Lit(lit) => Pat::Lit(self.pat_lit(lit, ty)),
            PatKind::Tuple(pats) => Pat::Record(
                pats.iter()
                    .enumerate()
                    .map(|(i, p)| {
                        let field = Symbol::field(i);
                        let ty = ty.field(field).cloned().unwrap_or_else(Ty::unit);
                        Ok((field, self.pat(*p, &ty, names)?))
                    })
                    .collect::<Result<_>>()?,
            ),
            PatKind::Record(fields) => Pat::Record(
                fields
                    .iter()
                    .enumerate()
                    .map(|(i, (field, p))| {
                        let ty = ty.field(field.name).cloned().unwrap_or_else(Ty::unit);
                        let inner = match p {
                            Some(p) => self.pat(*p, &ty, names)?,
                            None => {
                                let name = self.fresh_symbol(field.name);
                                if let Some(v) = self.checked.info.field_var.get(&(pat, i)) {
                                    names.push((*v, name, ty.clone()));
                                }
                                Pat::Name(name, ty)
                            }
                        };
                        Ok((field.name, inner))
                    })
                    .collect::<Result<_>>()?,
            ),
            PatKind::Constr(constr, pats) => {
                let payload: Vec<Ty> = match ty {
                    Ty::Sum(constrs) => {
                        constrs.iter().find(|(n, _)| *n == constr.name).map(|(_, ts)| ts.clone()).unwrap_or_default()
                    }
                    _ => Vec::new(),
                };
                let pats = pats.iter().zip(&payload).map(|(p, t)| self.pat(*p, t, names)).collect::<Result<_>>()?;
                Pat::Constr(constr.name, pats, ty.clone())
            }
        })
    }

    fn pat_lit(&self, lit: &PatLit, ty: &Ty) -> Scalar {
        let prim = ty.prim().unwrap_or(Prim::I32);
        match lit {
            PatLit::Bool(b) => Scalar::Bool(*b),
            PatLit::Char(c) => super::expr::int_scalar(prim, u128::from(*c), false),
            PatLit::Int { negative, lit } => super::expr::int_scalar(prim, lit.value, *negative),
            PatLit::Float { negative, lit } => super::expr::float_scalar(prim, lit, *negative),
        }
    }
}

/// The pattern with one name replaced and all others ignored.
fn rename(pat: &Pat, old: Name, new: Name) -> Pat {
    match pat {
        Pat::Name(name, ty) if *name == old => Pat::Name(new, ty.clone()),
        Pat::Wild | Pat::Name(..) => Pat::Wild,
        Pat::Lit(lit) => Pat::Lit(*lit),
        Pat::Record(fields) => Pat::Record(fields.iter().map(|(n, p)| (*n, rename(p, old, new))).collect()),
        Pat::Constr(name, pats, ty) => {
            Pat::Constr(*name, pats.iter().map(|p| rename(p, old, new)).collect(), ty.clone())
        }
    }
}
