//! Types of the checker to types of the core.

use super::env::Env;
use super::{Result, Translate};
use crate::core::{Dim, Exp, Kind, Path, Step, Ty};
use kenaz_base::{Span, with_stack};
use kenaz_sema::types::{self as sema, Size, TyArg, TyKind, VarId};
use kenaz_syntax::ast::PatId;
use std::sync::Arc;

/// How much is known about sizes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sizes {
    /// Those that are variables or constants.
    Simple,
    /// All of them; compound ones are computed in the current block.
    All,
}

impl Translate<'_> {
    /// The type with hints for the sizes that are variables or constants.
    pub fn ty(&mut self, ty: &sema::Ty, span: Span) -> Result<Ty> {
        self.convert(ty, &self.here(), &mut Vec::new(), Sizes::Simple, span)
    }

    /// The type with hints for all sizes but `unknown` ones.
    pub fn sized_ty(&mut self, ty: &sema::Ty, unknown: &[VarId], span: Span) -> Result<Ty> {
        self.sized_ty_in(ty, &self.here(), unknown, span)
    }

    /// The same for a type that is to be understood elsewhere.
    pub fn sized_ty_in(&mut self, ty: &sema::Ty, env: &Env, unknown: &[VarId], span: Span) -> Result<Ty> {
        self.convert(ty, env, &mut unknown.to_vec(), Sizes::All, span)
    }

    pub fn pat_type(&mut self, pat: PatId) -> Result<Ty> {
        let span = self.ast()[pat].span;
        match self.checked.info.pat_ty.get(pat) {
            Some(ty) => {
                let ty = ty.clone();
                self.ty(&ty, span)
            }
            None => Err(self.bug(span, "a pattern without a type")),
        }
    }

    fn convert(&mut self, ty: &sema::Ty, env: &Env, bound: &mut Vec<VarId>, sizes: Sizes, span: Span) -> Result<Ty> {
        with_stack(|| match ty.kind() {
            TyKind::Error | TyKind::Meta(_) => Err(self.bug(span, "a type that is not known")),
            TyKind::Prim(p) => Ok(Ty::Prim(*p)),
            TyKind::Unique(t) => self.convert(t, env, bound, sizes, span),
            TyKind::Exists(dims, t) => {
                let depth = bound.len();
                bound.extend(dims);
                let result = self.convert(t, env, bound, sizes, span);
                bound.truncate(depth);
                result
            }
            TyKind::Array(size, elem) => {
                let dim = self.dim(size, env, bound, sizes, span)?;
                Ok(Ty::array(dim, self.convert(elem, env, bound, sizes, span)?))
            }
            TyKind::Record(fields) => Ok(Ty::Record(
                fields
                    .iter()
                    .map(|(n, t)| Ok((*n, self.convert(t, env, bound, sizes, span)?)))
                    .collect::<Result<_>>()?,
            )),
            TyKind::Sum(constrs) => Ok(Ty::Sum(
                constrs
                    .iter()
                    .map(|(n, ts)| {
                        let ts = ts.iter().map(|t| self.convert(t, env, bound, sizes, span)).collect::<Result<_>>()?;
                        Ok((*n, ts))
                    })
                    .collect::<Result<_>>()?,
            )),
            TyKind::Arrow(a) => {
                let arg = self.convert(&a.arg, env, bound, Sizes::Simple, span)?.erased();
                let ret = self.convert(&a.ret, env, bound, Sizes::Simple, span)?.erased();
                Ok(Ty::arrow(arg, ret))
            }
            TyKind::Con(id, args) => {
                if let Some(ty) = self.scope.types.get(id) {
                    return Ok(ty.clone());
                }
                if let Some((body, inner)) = self.unfold_con(*id, args, env) {
                    return self.convert(&body, &inner, bound, sizes, span);
                }
                let name = self.checked.names.types[*id].name;
                match args.first() {
                    Some(TyArg::Type(elem)) if name.as_str() == "acc" => {
                        let elem = self.convert(elem, env, bound, sizes, span)?;
                        Ok(Ty::Acc(Arc::new(elem)))
                    }
                    _ => Err(self.bug(span, format!("the type `{name}` is not known"))),
                }
            }
        })
    }

    fn dim(&mut self, size: &Size, env: &Env, bound: &[VarId], sizes: Sizes, span: Span) -> Result<Dim> {
        let filled = self.filled_size(size, env);
        let mut open = false;
        filled.for_each_var(&mut |v| open |= bound.contains(&v));
        if open {
            return Ok(Dim::Any);
        }
        match (&filled, sizes) {
            (Size::Const(n), _) => Ok(Dim::Const(*n)),
            (Size::Error, _) => Ok(Dim::Any),
            (Size::Var(_), Sizes::Simple) => Ok(match self.size_in(size, env, span) {
                Ok(Exp { kind: Kind::Var(name), .. }) => Dim::Var(name),
                Ok(Exp { kind: Kind::Lit(kenaz_ir::Scalar::I64(n)), .. }) => Dim::Const(n),
                _ => Dim::Any,
            }),
            (Size::Term(_), Sizes::Simple) => Ok(Dim::Any),
            (_, Sizes::All) => {
                let exp = self.size_in(size, env, span)?;
                Ok(match self.bind("n", exp).kind {
                    Kind::Var(name) => Dim::Var(name),
                    Kind::Lit(kenaz_ir::Scalar::I64(n)) => Dim::Const(n),
                    _ => Dim::Any,
                })
            }
        }
    }

    /// Where in a value of this type the size is.
    pub fn find_size(&mut self, ty: &sema::Ty, size: &Size) -> Option<Path> {
        self.find(ty, &self.here(), size, &mut Vec::new(), 0)
    }

    fn find(&mut self, ty: &sema::Ty, env: &Env, wanted: &Size, steps: &mut Vec<Step>, dim: usize) -> Option<Path> {
        with_stack(|| match ty.kind() {
            TyKind::Array(size, elem) => {
                if self.filled_size(size, env) == *wanted {
                    return Some(Path { steps: steps.clone(), dim });
                }
                self.find(elem, env, wanted, steps, dim + 1)
            }
            TyKind::Record(fields) => fields.iter().find_map(|(name, t)| {
                steps.push(Step::Field(*name));
                let found = self.find(t, env, wanted, steps, dim);
                steps.pop();
                found
            }),
            TyKind::Sum(constrs) => constrs.iter().find_map(|(name, ts)| {
                ts.iter().enumerate().find_map(|(i, t)| {
                    steps.push(Step::Payload(*name, i));
                    let found = self.find(t, env, wanted, steps, dim);
                    steps.pop();
                    found
                })
            }),
            TyKind::Unique(t) | TyKind::Exists(_, t) => self.find(t, env, wanted, steps, dim),
            TyKind::Con(id, args) => {
                let (body, inner) = self.unfold_con(*id, args, env)?;
                self.find(&body, &inner, wanted, steps, dim)
            }
            TyKind::Error | TyKind::Prim(_) | TyKind::Arrow(_) | TyKind::Meta(_) => None,
        })
    }
}

/// Calls `f` on every size in a type.
pub(super) fn for_each_size(ty: &sema::Ty, f: &mut dyn FnMut(&Size)) {
    with_stack(|| match ty.kind() {
        TyKind::Array(size, elem) => {
            f(size);
            for_each_size(elem, f);
        }
        TyKind::Record(fields) => fields.iter().for_each(|(_, t)| for_each_size(t, f)),
        TyKind::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| for_each_size(t, f)),
        TyKind::Unique(t) | TyKind::Exists(_, t) => for_each_size(t, f),
        TyKind::Arrow(a) => {
            for_each_size(&a.arg, f);
            for_each_size(&a.ret, f);
        }
        TyKind::Con(_, args) => args.iter().for_each(|arg| match arg {
            TyArg::Size(size) => f(size),
            TyArg::Type(t) => for_each_size(t, f),
        }),
        TyKind::Error | TyKind::Prim(_) | TyKind::Meta(_) => {}
    });
}
