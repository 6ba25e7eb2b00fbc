//! Sizes from expressions, and what becomes of sizes whose names go out of scope.

use crate::checker::Checker;
use crate::limits;
use crate::names::{SizeCause, VarKind};
use crate::types::{Size, SizeHead, Ty, TyKind, VarId};
use crate::walk::{Subst, TyMap, free_vars, visible_sizes};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_syntax::ast::{BinOp, DimIndex, ExprId, ExprKind, RangeKind, Slice};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why an expression cannot be a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotASize {
    /// It binds a name.
    Binds,
    /// It consumes something, or is a hole.
    Impure,
    /// It is so large that types with it in them would take ages to compare. Nobody writes it twice.
    Large,
}

impl Checker<'_> {
    /// The expression, which has been checked, as a size.
    pub(crate) fn size_of_expr(&self, expr: ExprId) -> Result<Size, NotASize> {
        let size = with_stack(|| self.size_of_expr_(expr))?;
        if size.extent().parts > limits::MAX_WRITTEN_SIZE_PARTS { Err(NotASize::Large) } else { Ok(size) }
    }

    /// Remembers which expression a compound size was made from.
    pub(crate) fn note_size(&mut self, size: &Size, expr: ExprId) {
        if let Size::Term(term) = size {
            self.info.has_typeless_sizes |= size.is_typeless();
            self.info.size_exprs.entry(size.clone()).or_insert(expr);
            // The parts of a size can end up in others.
            let parts: Vec<Option<ExprId>> = match &self.ast[expr].kind {
                ExprKind::Paren(e) | ExprKind::Ascript(e, _) | ExprKind::Attr(_, e) => {
                    return self.note_size(size, *e);
                }
                ExprKind::Apply(f, args) => std::iter::once(*f).chain(args.iter().copied()).map(Some).collect(),
                ExprKind::BinOp(_, a, b) => vec![Some(*a), Some(*b)],
                ExprKind::Neg(e) | ExprKind::Not(e) => vec![Some(*e)],
                ExprKind::Tuple(es) | ExprKind::Array(es) | ExprKind::Constr(_, es) => {
                    es.iter().copied().map(Some).collect()
                }
                ExprKind::Record(fields) => fields.iter().map(|field| field.value).collect(),
                _ => return,
            };
            let args = &term.args[term.args.len().saturating_sub(parts.len())..];
            for (size, e) in args.iter().zip(parts) {
                if let Some(e) = e {
                    self.note_size(size, e);
                }
            }
        }
    }

    fn size_of_expr_(&self, expr: ExprId) -> Result<Size, NotASize> {
        let all = |list: &[ExprId]| list.iter().map(|e| self.size_of_expr(*e)).collect::<Result<Vec<_>, _>>();
        let literal = |text: &str| Size::term(SizeHead::Literal(Symbol::intern(text)), Vec::new());
        Ok(match &self.ast[expr].kind {
            ExprKind::Error => Size::Error,
            ExprKind::Int(lit) => match (i64::try_from(lit.value), lit.suffix) {
                (_, Some(prim)) if prim != Prim::I64 => literal(&format!("{}{}", lit.value, prim.name())),
                (Ok(n), _) => Size::Const(n),
                (Err(_), _) => literal(&lit.value.to_string()),
            },
            ExprKind::Float(lit) => literal(&format!("{}{}", lit.text, lit.suffix.map_or("", |prim| prim.name()))),
            ExprKind::Bool(b) => literal(if *b { "true" } else { "false" }),
            ExprKind::Char(c) => Size::Const(i64::from(*c)),
            ExprKind::String(bytes) => literal(&format!("{:?}", String::from_utf8_lossy(bytes))),
            ExprKind::Hole => return Err(NotASize::Impure),
            ExprKind::Paren(e)
            | ExprKind::Attr(_, e)
            | ExprKind::Ascript(e, _)
            | ExprKind::Coerce(e, _)
            | ExprKind::LocalOpen(_, e) => self.size_of_expr(*e)?,
            ExprKind::Tuple(es) => Size::term(SizeHead::Tuple, all(es)?),
            ExprKind::Array(es) => Size::term(SizeHead::Array, all(es)?),
            ExprKind::Record(fields) => {
                let mut values = Vec::new();
                for (i, field) in fields.iter().enumerate() {
                    values.push(match field.value {
                        Some(e) => self.size_of_expr(e)?,
                        None => self.info.field_ref.get(&(expr, i)).map_or(Size::Error, |v| Size::Var(*v)),
                    });
                }
                Size::term(SizeHead::Record(fields.iter().map(|f| f.name.name).collect()), values)
            }
            ExprKind::Var(path) => {
                let Some(resolved) = self.info.resolved.get(expr) else { return Ok(Size::Error) };
                let parts: Vec<Symbol> = path.quals.iter().map(|q| q.name).chain([path.name.name]).collect();
                let fields = &parts[parts.len() - resolved.fields..];
                fields.iter().fold(Size::Var(resolved.var), |s, f| Size::term(SizeHead::Field(*f), vec![s]))
            }
            ExprKind::Project(e, field) => Size::term(SizeHead::Field(field.name), vec![self.size_of_expr(*e)?]),
            ExprKind::Index(e, slice) => {
                let mut args = vec![self.size_of_expr(*e)?];
                args.extend(self.size_of_slice(slice)?);
                Size::term(SizeHead::Index, args)
            }
            ExprKind::Apply(f, args) => {
                if self.consumes(*f, args.len()) {
                    return Err(NotASize::Impure);
                }
                let mut parts = vec![self.size_of_expr(*f)?];
                parts.extend(all(args)?);
                Size::term(SizeHead::Apply, parts)
            }
            ExprKind::Constr(name, args) => Size::term(SizeHead::Constr(name.name), all(args)?),
            ExprKind::Not(e) => Size::term(SizeHead::Not, vec![self.size_of_expr(*e)?]),
            ExprKind::Neg(e) => Size::term(SizeHead::Neg, vec![self.size_of_expr(*e)?]),
            ExprKind::BinOp(op, a, b) => {
                let (a, b) = (self.size_of_expr(*a)?, self.size_of_expr(*b)?);
                match self.logical(op) {
                    Some(head) => Size::term(head, vec![a, b]),
                    None => Size::term(SizeHead::Apply, vec![self.size_of_op(expr), a, b]),
                }
            }
            // These two are no functions that a size could name.
            ExprKind::OpSection(op) | ExprKind::LeftSection(_, op) | ExprKind::RightSection(op, _)
                if self.logical(op).is_some() =>
            {
                return Err(NotASize::Impure);
            }
            ExprKind::OpSection(_) => self.size_of_op(expr),
            ExprKind::LeftSection(e, _) => {
                Size::term(SizeHead::LeftSection, vec![self.size_of_expr(*e)?, self.size_of_op(expr)])
            }
            ExprKind::RightSection(_, e) => {
                Size::term(SizeHead::RightSection, vec![self.size_of_op(expr), self.size_of_expr(*e)?])
            }
            ExprKind::ProjectSection(fields) => {
                Size::term(SizeHead::ProjectSection(fields.iter().map(|f| f.name).collect()), Vec::new())
            }
            ExprKind::IndexSection(slice) => Size::term(SizeHead::IndexSection, self.size_of_slice(slice)?),
            ExprKind::Range(range) => {
                let mut args = vec![self.size_of_expr(range.first)?];
                args.extend(range.second.map(|e| self.size_of_expr(e)).transpose()?);
                args.push(self.size_of_expr(range.last)?);
                let op = match range.kind {
                    RangeKind::Inclusive => "...",
                    RangeKind::UpTo => "..<",
                    RangeKind::DownTo => "..>",
                };
                Size::term(SizeHead::Range(Symbol::intern(op)), args)
            }
            ExprKind::If { cond, then, otherwise } => Size::term(SizeHead::If, all(&[*cond, *then, *otherwise])?),
            ExprKind::Assert(_, e) => self.size_of_expr(*e)?,
            ExprKind::UpdateIndex(..) => return Err(NotASize::Impure),
            ExprKind::UpdateField(e, path, v) => {
                Size::term(SizeHead::UpdateField(path.iter().map(|f| f.name).collect()), all(&[*e, *v])?)
            }
            ExprKind::LetPat { .. }
            | ExprKind::LetFun { .. }
            | ExprKind::LetWith { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Match(..) => return Err(NotASize::Binds),
        })
    }

    /// The expression as a size that is equal to itself alone.
    pub(crate) fn opaque_size(&self, expr: ExprId) -> Size {
        let span = self.ast[expr].span;
        let mut used: Vec<Size> = Vec::new();
        for e in self.current.resolved.iter().rev() {
            if !span.contains(self.ast[*e].span) {
                break;
            }
            if let Some(resolved) = self.info.resolved.get(*e) {
                // What is bound inside the expression means nothing outside.
                let size = Size::Var(resolved.var);
                if !span.contains(self.names.vars[resolved.var].span) && !used.contains(&size) {
                    used.push(size);
                }
            }
        }
        Size::term(SizeHead::Opaque(expr), used)
    }

    fn size_of_slice(&self, slice: &Slice) -> Result<Vec<Size>, NotASize> {
        let part = |e: &Option<ExprId>| match e {
            Some(e) => self.size_of_expr(*e),
            None => Ok(Size::term(SizeHead::Absent, Vec::new())),
        };
        slice
            .dims
            .iter()
            .map(|dim| match dim {
                DimIndex::Fix(e) => self.size_of_expr(*e),
                DimIndex::Slice { start, end, step, .. } => {
                    Ok(Size::term(SizeHead::Slice, vec![part(start)?, part(end)?, part(step)?]))
                }
            })
            .collect()
    }

    fn size_of_op(&self, expr: ExprId) -> Size {
        self.info.resolved.get(expr).map_or(Size::Error, |r| Size::Var(r.var))
    }

    fn logical(&self, op: &BinOp) -> Option<SizeHead> {
        if op.backtick || !op.name.quals.is_empty() {
            return None;
        }
        match op.name.name.name.as_str() {
            "&&" => Some(SizeHead::And),
            "||" => Some(SizeHead::Or),
            _ => None,
        }
    }

    /// Whether one of the first `n` parameters of a function is consumed.
    fn consumes(&self, f: ExprId, n: usize) -> bool {
        let Some(ty) = self.info.expr_ty.get(f) else { return false };
        let mut ty = self.names.zonk(ty);
        for _ in 0..n {
            let TyKind::Arrow(arrow) = ty.kind() else { return false };
            if arrow.consumes {
                return true;
            }
            let next = arrow.ret.clone();
            ty = match next.kind() {
                TyKind::Unique(t) | TyKind::Exists(_, t) => t.clone(),
                _ => next,
            };
        }
        false
    }

    /// The type of `expr` for the outside, where the names of `gone` mean nothing: a name for which `known` has a size
    /// is replaced, every other size that needs one of them becomes unknown. If the size of an array becomes unknown,
    /// it is the same unknown size where other sizes mention it: `([c.0]t, [n - c.0]t)` becomes `([d]t, [n - d]t)`.
    pub(crate) fn unscope(&mut self, expr: ExprId, ty: &Ty, gone: &[VarId], known: Option<(VarId, Size)>) -> Ty {
        let mut ty = self.names.zonk(ty);
        let mut free = free_vars(&ty);
        if let Some((v, size)) = known
            && free.contains(&v)
        {
            ty = Subst::one_size(v, size).apply(&ty);
            free = free_vars(&ty);
        }
        for v in &free {
            let level = self.level;
            let info = &mut self.names.vars[*v];
            if let VarKind::Unknown(_) = info.kind {
                info.level = info.level.min(level);
            }
        }
        if gone.iter().any(|v| free.contains(v)) {
            let seen = visible_sizes(&ty);
            ty = Unscope { checker: self, expr, gone, seen, done: FxHashMap::default(), bound: Vec::new() }.ty(&ty);
        }
        ty
    }
}

struct Unscope<'a, 'b, 'c> {
    checker: &'a mut Checker<'b>,
    expr: ExprId,
    gone: &'c [VarId],
    /// The sizes of arrays, before anything becomes unknown.
    seen: FxHashSet<Size>,
    /// Equal sizes become the same unknown size.
    done: FxHashMap<Size, Size>,
    /// Names bound by the type itself.
    bound: Vec<VarId>,
}

impl Unscope<'_, '_, '_> {
    fn is_gone(&self, size: &Size) -> bool {
        let mut uses = false;
        size.for_each_var(&mut |v| uses |= self.gone.contains(&v) && !self.bound.contains(&v));
        uses
    }

    /// A size in terms of sizes of arrays, if all of it that goes out of scope is the size of an array.
    fn in_terms_of_others(&mut self, size: &Size) -> Option<Size> {
        let Size::Term(term) = size else { return None };
        let args = term.args.iter().map(|arg| match arg {
            arg if !self.is_gone(arg) => Some(arg.clone()),
            arg if self.seen.contains(arg) => Some(self.size(arg)),
            arg => with_stack(|| self.in_terms_of_others(arg)),
        });
        let args = args.collect::<Option<Vec<Size>>>()?;
        Some(Size::term(term.head.clone(), args))
    }
}

impl TyMap for Unscope<'_, '_, '_> {
    fn size(&mut self, size: &Size) -> Size {
        if !self.is_gone(size) {
            return size.clone();
        }
        if let Some(done) = self.done.get(size) {
            return done.clone();
        }
        let new = self.in_terms_of_others(size).unwrap_or_else(|| {
            let text = self.checker.names.show_size(size);
            self.checker.unknown_size(self.expr, "d", SizeCause::Scope(text))
        });
        self.done.insert(size.clone(), new.clone());
        new
    }

    fn arrow(&mut self, a: &crate::types::Arrow) -> Ty {
        let arg = self.ty(&a.arg);
        let depth = self.bound.len();
        self.bound.extend(a.param);
        let ret = self.ty(&a.ret);
        self.bound.truncate(depth);
        Ty::arrow(a.param, a.consumes, arg, ret)
    }
}
