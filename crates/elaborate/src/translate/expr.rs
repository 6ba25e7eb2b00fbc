//! Expressions.

use super::{Binding, LocalPoly, Result, Translate};
use crate::core::{CoerceKind, Exp, IndexDim, Kind, Loop, LoopForm, Ty, under_check};
use half::f16;
use kenaz_base::{Prim, Span, Symbol, with_stack};
use kenaz_ir::{LocId, Scalar};
use kenaz_sema::types::{self as sema, SchemeParam, TyKind, VarId};
use kenaz_syntax::ast::{self, BinOp, DimIndex, ExprId, ExprKind, FloatLit, Ident, PatId, PatKind, Slice};
use rustc_hash::FxHashMap;
use std::mem;
use std::sync::Arc;

impl Translate<'_> {
    pub fn expr(&mut self, expr: ExprId) -> Result<Exp> {
        let value = with_stack(|| self.expr_(expr))?;
        Ok(self.bind_unknown_sizes(expr, value))
    }

    fn inner(&mut self, expr: ExprId) -> Result<Exp> {
        self.block(|this| this.expr(expr))
    }

    fn boxed(&mut self, expr: ExprId) -> Result<Box<Exp>> {
        self.expr(expr).map(Box::new)
    }

    fn sema_ty(&self, expr: ExprId) -> Result<sema::Ty> {
        self.checked
            .info
            .expr_ty
            .get(expr)
            .cloned()
            .ok_or_else(|| self.bug(self.ast()[expr].span, "an expression without a type"))
    }

    /// The type of an expression; the sizes it brings into being are open.
    fn expr_ty(&mut self, expr: ExprId) -> Result<Ty> {
        let ty = self.sema_ty(expr)?;
        self.ty(&ty, self.ast()[expr].span)
    }

    fn expr_sized_ty(&mut self, expr: ExprId) -> Result<Ty> {
        let ty = self.sema_ty(expr)?;
        let unknown = self.checked.info.unknown_sizes.get(&expr).cloned().unwrap_or_default();
        self.sized_ty(&ty, &unknown, self.ast()[expr].span)
    }

    fn expr_(&mut self, expr: ExprId) -> Result<Exp> {
        let ast = self.ast();
        let span = ast[expr].span;
        let loc = self.loc(span);
        let ast_expr = &ast[expr];
        Ok(match &ast_expr.kind {
            ExprKind::Error => return Err(self.bug(span, "an expression that was not parsed")),
            ExprKind::Paren(e) | ExprKind::Ascript(e, _) | ExprKind::LocalOpen(_, e) => self.expr(*e)?,
            ExprKind::Int(lit) => self.literal(expr, loc, |p| int_scalar(p, lit.value, false))?,
            ExprKind::Float(lit) => self.literal(expr, loc, |p| float_scalar(p, lit, false))?,
            ExprKind::Char(c) => self.literal(expr, loc, |p| int_scalar(p, u128::from(*c), false))?,
            ExprKind::Bool(b) => Exp::bool(*b, loc),
            ExprKind::String(bytes) => {
                let byte = |b: &u8| Exp::new(Kind::Lit(Scalar::U8(*b)), Ty::Prim(Prim::U8), loc);
                let ty = self.expr_ty(expr)?;
                Exp::new(Kind::Array(bytes.iter().map(byte).collect()), ty, loc)
            }
            ExprKind::Hole => {
                let ty = self.expr_sized_ty(expr)?;
                Exp::new(Kind::Hole, ty, loc)
            }
            ExprKind::Tuple(es) => {
                let fields = es
                    .iter()
                    .enumerate()
                    .map(|(i, e)| Ok((Symbol::field(i), self.expr(*e)?)))
                    .collect::<Result<Vec<_>>>()?;
                record(fields, loc)
            }
            ExprKind::Record(fields) => {
                let mut out = Vec::new();
                for (i, field) in fields.iter().enumerate() {
                    let value = match field.value {
                        Some(e) => self.expr(e)?,
                        None => {
                            let Some(v) = self.checked.info.field_ref.get(&(expr, i)).copied() else {
                                return Err(self.bug(span, "a field without a value"));
                            };
                            let known = self.checked.info.field_instance.get(&(expr, i)).cloned();
                            let (instance, ty) = known.map_or((Vec::new(), None), |(args, ty)| (args, Some(ty)));
                            self.variable(v, &instance, ty.as_ref(), field.name.span)?
                        }
                    };
                    out.push((field.name.name, value));
                }
                sema::sort_fields(&mut out);
                record(out, loc)
            }
            ExprKind::Array(es) => {
                let elems = es.iter().map(|e| self.expr(*e)).collect::<Result<Vec<_>>>()?;
                let ty = self.expr_sized_ty(expr)?;
                Exp::new(Kind::Array(elems), ty, loc)
            }
            ExprKind::Var(path) => self.path(expr, path)?,
            ExprKind::Project(e, field) => {
                let e = self.expr(*e)?;
                project(e, field.name)
            }
            ExprKind::Index(e, slice) => {
                let array = self.boxed(*e)?;
                let dims = self.slice(slice)?;
                let ty = self.expr_ty(expr)?;
                Exp::new(Kind::Index(array, dims), ty, loc)
            }
            ExprKind::Apply(f, args) => {
                let mut values = Vec::new();
                for arg in args.iter().rev() {
                    values.push(self.argument(*arg)?);
                }
                values.reverse();
                let f = self.expr(*f)?;
                let ty = self.expr_ty(expr)?;
                self.apply(f, values, ty, loc)
            }
            ExprKind::Constr(name, args) => {
                let args = args.iter().map(|e| self.expr(*e)).collect::<Result<Vec<_>>>()?;
                let ty = self.expr_sized_ty(expr)?;
                Exp::new(Kind::Constr(name.name, args), ty, loc)
            }
            ExprKind::Not(e) => {
                let e = self.boxed(*e)?;
                let ty = e.ty.clone();
                Exp::new(Kind::Not(e), ty, loc)
            }
            ExprKind::Neg(e) => {
                let e = self.boxed(*e)?;
                let ty = e.ty.clone();
                Exp::new(Kind::Neg(e), ty, loc)
            }
            ExprKind::BinOp(op, a, b) => self.binary(expr, op, *a, *b, loc)?,
            ExprKind::OpSection(op) => match op.name.name.name.as_str() {
                "&&" | "||" if is_logical(op) => self.logical_section(op, None, None, loc)?,
                _ => self.operator(expr, op)?,
            },
            ExprKind::LeftSection(e, op) => {
                let e = self.expr(*e)?;
                let e = self.bind("x", e);
                if is_logical(op) {
                    return self.logical_section(op, Some(e), None, loc);
                }
                let op = self.operator(expr, op)?;
                let ty = op.ty.after(1);
                self.apply(op, vec![e], ty, loc)
            }
            ExprKind::RightSection(op, e) => {
                let e = self.expr(*e)?;
                let e = self.bind("y", e);
                if is_logical(op) {
                    return self.logical_section(op, None, Some(e), loc);
                }
                let op = self.operator(expr, op)?;
                let op = self.bind("op", op);
                let Ty::Arrow(left, _) = op.ty.clone() else {
                    return Err(self.bug(span, "an operator that is no function"));
                };
                let x = self.fresh("x");
                let ret = op.ty.after(2);
                let arg = Exp::var(x, (*left).clone(), loc);
                let body = self.apply(op, vec![arg, e], ret, loc);
                self.lambda(vec![(x, (*left).clone())], body, loc)
            }
            ExprKind::ProjectSection(fields) => {
                let (x, ty) = self.section_param(expr)?;
                let body = fields.iter().fold(Exp::var(x, ty.clone(), loc), |e, f| project(e, f.name));
                self.lambda(vec![(x, ty)], body, loc)
            }
            ExprKind::IndexSection(slice) => {
                let dims = self.slice(slice)?;
                let (x, ty) = self.section_param(expr)?;
                let ret = self.expr_ty(expr)?.after(1);
                let body = Exp::new(Kind::Index(Box::new(Exp::var(x, ty.clone(), loc)), dims), ret, loc);
                self.lambda(vec![(x, ty)], body, loc)
            }
            ExprKind::Coerce(e, t) => {
                let e = self.boxed(*e)?;
                let Some(written) = self.checked.info.type_exp.get(*t).cloned() else {
                    return Err(self.bug(span, "a type that was not evaluated"));
                };
                let ty = self.sized_ty(&written, &[], span)?;
                Exp::new(Kind::Coerce(e, CoerceKind::Coercion), ty, loc)
            }
            ExprKind::Range(range) => {
                let first = self.boxed(range.first)?;
                let second = range.second.map(|e| self.boxed(e)).transpose()?;
                let last = self.boxed(range.last)?;
                let ty = self.expr_ty(expr)?;
                Exp::new(Kind::Range { first, second, kind: range.kind, last }, ty, loc)
            }
            ExprKind::If { cond, then, otherwise } => {
                let cond = self.boxed(*cond)?;
                let then = Box::new(self.inner(*then)?);
                let otherwise = Box::new(self.inner(*otherwise)?);
                let ty = self.expr_ty(expr)?;
                Exp::new(Kind::If(cond, then, otherwise), ty, loc)
            }
            ExprKind::Match(e, cases) => {
                let value = self.expr(*e)?;
                let mut out = Vec::new();
                for case in cases {
                    let mut names = Vec::new();
                    let pat = self.pat(case.pat, &value.ty.clone(), &mut names)?;
                    for (v, name, ty) in names {
                        self.bind_var(v, name, ty);
                    }
                    out.push((pat, self.inner(case.body)?));
                }
                let ty = self.expr_ty(expr)?;
                Exp::new(Kind::Match(Box::new(value), out), ty, loc)
            }
            ExprKind::LetPat { .. } | ExprKind::LetFun { .. } | ExprKind::LetWith { .. } => self.lets(expr)?,
            ExprKind::Lambda { params, body, .. } => self.function(Vec::new(), params, *body, loc)?,
            ExprKind::Loop { pat, init, form, body } => self.loop_(expr, *pat, *init, form, *body, loc)?,
            ExprKind::Attr(a, e) => {
                // It belongs to what makes the value, not to the name that this gets when its sizes are not known
                // before.
                let mut e = *e;
                while let ExprKind::Paren(inner) = ast[e].kind {
                    e = inner;
                }
                let value = with_stack(|| self.expr_(e))?;
                let value = match a.meaning {
                    Ok(attr) => {
                        let ty = value.ty.clone();
                        Exp::new(Kind::Attr(attr, Box::new(value)), ty, loc)
                    }
                    Err(_) => value,
                };
                self.bind_unknown_sizes(e, value)
            }
            ExprKind::Assert(c, e) => {
                let text = spaced(self.checked.sources.text(ast[*c].span));
                let mut c = self.boxed(*c)?;
                let first = self.blocks.last().map_or(0, |block| block.bindings.len());
                let e = self.boxed(*e)?;
                let mut bindings =
                    self.blocks.last_mut().map(|block| mem::take(&mut block.bindings)).unwrap_or_default();
                c = under_check(&mut bindings, first, c, &text, || self.fresh("c"));
                if let Some(block) = self.blocks.last_mut() {
                    block.bindings = bindings;
                }
                let ty = e.ty.clone();
                Exp::new(Kind::Assert(c, e, text), ty, loc)
            }
            ExprKind::UpdateIndex(e, slice, value) => {
                let array = self.boxed(*e)?;
                let dims = self.slice(slice)?;
                let value = self.boxed(*value)?;
                let ty = array.ty.clone();
                Exp::new(Kind::Update(array, dims, value), ty, loc)
            }
            ExprKind::UpdateField(e, fields, value) => {
                let record = self.boxed(*e)?;
                let value = self.boxed(*value)?;
                let ty = self.expr_ty(expr)?;
                Exp::new(Kind::UpdateField(record, fields.iter().map(|f| f.name).collect(), value), ty, loc)
            }
        })
    }

    fn literal(&mut self, expr: ExprId, loc: LocId, f: impl Fn(Prim) -> Scalar) -> Result<Exp> {
        let ty = self.expr_ty(expr)?;
        let prim = ty.prim().unwrap_or(Prim::I32);
        Ok(Exp::new(Kind::Lit(f(prim)), ty, loc))
    }

    fn path(&mut self, expr: ExprId, path: &ast::QualName) -> Result<Exp> {
        let span = self.ast()[expr].span;
        let Some(resolved) = self.checked.info.resolved.get(expr) else {
            return Err(self.bug(span, "a name that was not resolved"));
        };
        let base = self.variable(resolved.var, &resolved.instance, Some(&resolved.ty), span)?;
        let parts: Vec<Ident> = path.quals.iter().chain([&path.name]).copied().collect();
        Ok(parts[parts.len() - resolved.fields..].iter().fold(base, |e, f| project(e, f.name)))
    }

    fn section_param(&mut self, expr: ExprId) -> Result<(kenaz_ir::Name, Ty)> {
        let ty = self.sema_ty(expr)?;
        let span = self.ast()[expr].span;
        let TyKind::Arrow(arrow) = ty.kind() else { return Err(self.bug(span, "a section that is no function")) };
        let ty = self.ty(&arrow.arg, span)?;
        Ok((self.fresh("x"), ty))
    }

    fn slice(&mut self, slice: &Slice) -> Result<Vec<IndexDim>> {
        let mut out = Vec::new();
        for dim in &slice.dims {
            out.push(match dim {
                DimIndex::Fix(e) => IndexDim::Fix(self.expr(*e)?),
                DimIndex::Slice { start, end, step, .. } => IndexDim::Slice {
                    start: start.map(|e| self.expr(e)).transpose()?,
                    end: end.map(|e| self.expr(e)).transpose()?,
                    step: step.map(|e| self.expr(e)).transpose()?,
                },
            });
        }
        Ok(out)
    }

    fn binary(&mut self, expr: ExprId, op: &BinOp, a: ExprId, b: ExprId, loc: LocId) -> Result<Exp> {
        if is_logical(op) {
            let a = self.boxed(a)?;
            let b = Box::new(self.inner(b)?);
            return Ok(logical(op, a, b, loc));
        }
        let a = self.expr(a)?;
        let b = self.expr(b)?;
        let f = self.operator(expr, op)?;
        let ty = self.expr_ty(expr)?;
        Ok(self.apply(f, vec![a, b], ty, loc))
    }

    fn operator(&mut self, expr: ExprId, op: &BinOp) -> Result<Exp> {
        let Some(resolved) = self.checked.info.resolved.get(expr) else {
            return Err(self.bug(op.span, "an operator that was not resolved"));
        };
        let base = self.variable(resolved.var, &resolved.instance, Some(&resolved.ty), op.span)?;
        let parts: Vec<Ident> = op.name.quals.iter().chain([&op.name.name]).copied().collect();
        Ok(parts[parts.len() - resolved.fields..].iter().fold(base, |e, f| project(e, f.name)))
    }

    /// `(&&)`, `(x &&)`, `(&& y)`
    fn logical_section(&mut self, op: &BinOp, left: Option<Exp>, right: Option<Exp>, loc: LocId) -> Result<Exp> {
        let mut params = Vec::new();
        let mut operand = |this: &mut Self, given: Option<Exp>, base: &str| {
            given.unwrap_or_else(|| {
                let name = this.fresh(base);
                params.push((name, Ty::BOOL));
                Exp::var(name, Ty::BOOL, loc)
            })
        };
        let a = operand(self, left, "x");
        let b = operand(self, right, "y");
        let body = logical(op, Box::new(a), Box::new(b), loc);
        Ok(self.lambda(params, body, loc))
    }

    /// `f a b …` of this type. The arguments go to the function that they complete.
    pub fn apply(&mut self, f: Exp, args: Vec<Exp>, ty: Ty, loc: LocId) -> Exp {
        if args.is_empty() {
            return f;
        }
        match f.kind {
            Kind::App(g, mut first) => {
                first.extend(args);
                Exp::new(Kind::App(g, first), ty, loc)
            }
            // The function that an intrinsic was wrapped in: put the arguments in directly.
            Kind::Lam(lam) if is_wrapper(&lam) && lam.params.len() == args.len() => {
                let Kind::Intrinsic(id, _) = &lam.body.kind else { return Exp::new(Kind::Lam(lam), ty, loc) };
                Exp::new(Kind::Intrinsic(*id, args), ty, loc)
            }
            kind => {
                let f = Exp { kind, ty: f.ty, loc: f.loc };
                Exp::new(Kind::App(Box::new(f), args), ty, loc)
            }
        }
    }

    /// A chain of `let`s.
    fn lets(&mut self, first: ExprId) -> Result<Exp> {
        let ast = self.ast();
        let mut expr = first;
        let mut open = Vec::new();
        loop {
            let span = ast[expr].span;
            match &ast[expr].kind {
                ExprKind::LetPat { pat, init, body, .. } => {
                    let mut value = self.expr(*init)?;
                    let sizes = self.checked.info.bound_sizes.get(&expr).cloned().unwrap_or_default();
                    if !sizes.is_empty() {
                        value = self.bind("p", value);
                    }
                    self.bind_pat(*pat, value.clone())?;
                    for v in sizes {
                        let size = self.bound_size(v, *pat, &value, span)?;
                        if let Exp { kind: Kind::Var(name), ty, .. } = self.bind("n", size) {
                            self.bind_var(v, name, ty);
                        }
                    }
                    open.push(expr);
                    expr = *body;
                }
                ExprKind::LetFun { fun, body } => {
                    let Some(v) = self.checked.info.bound_var.get(expr).copied() else {
                        return Err(self.bug(span, "a local function without a name"));
                    };
                    let params =
                        self.checked.names.vars[v].scheme.as_ref().map(|s| s.params.clone()).unwrap_or_default();
                    let poly = LocalPoly {
                        fun: fun.clone(),
                        params,
                        block: self.blocks.len() - 1,
                        instances: std::sync::Mutex::new(FxHashMap::default()),
                    };
                    self.scope.vars.insert(v, Binding::Local(Arc::new(poly)));
                    open.push(expr);
                    expr = *body;
                }
                ExprKind::LetWith { dest, slice, value, body } => {
                    let loc = self.loc(span);
                    let Some(resolved) = self.checked.info.resolved.get(expr) else {
                        return Err(self.bug(span, "an array that was not resolved"));
                    };
                    let array = self.variable(resolved.var, &resolved.instance, Some(&resolved.ty), dest.span)?;
                    let dims = self.slice(slice)?;
                    let value = self.boxed(*value)?;
                    let ty = array.ty.clone();
                    let name = self.fresh_symbol(dest.name);
                    self.push(name, Exp::new(Kind::Update(Box::new(array), dims, value), ty.clone(), loc));
                    if let Some(v) = self.checked.info.bound_var.get(expr) {
                        self.bind_var(*v, name, ty);
                    }
                    open.push(expr);
                    expr = *body;
                }
                _ => break,
            }
        }
        let mut value = self.expr(expr)?;
        // Sizes that became unknown because the names they consist of went out of scope; the outermost one is the
        // caller's.
        for expr in open.into_iter().skip(1).rev() {
            value = self.bind_unknown_sizes(expr, value);
        }
        Ok(value)
    }

    /// A size that the pattern of a `let` binds. One that is an expression is read off the value, not computed again.
    fn bound_size(&mut self, v: VarId, pat: PatId, value: &Exp, span: Span) -> Result<Exp> {
        let size = self.checked.names.size(&sema::Size::Var(v));
        if let (sema::Size::Term(_), Some(ty)) = (&size, self.checked.info.pat_ty.get(pat).cloned())
            && let Some(path) = self.find_size(&ty, &size)
        {
            return Ok(Exp::new(Kind::SizeOf(Box::new(value.clone()), path), Ty::I64, value.loc));
        }
        self.size_exp(&sema::Size::Var(v), span)
    }

    fn loop_(
        &mut self,
        expr: ExprId,
        pat: PatId,
        init: Option<ExprId>,
        form: &ast::LoopForm,
        body: ExprId,
        loc: LocId,
    ) -> Result<Exp> {
        let init = match init {
            Some(e) => self.expr(e)?,
            None => {
                let vars = self.checked.info.loop_init.get(&expr).cloned().unwrap_or_default();
                self.implicit_init(pat, &mut vars.into_iter())?
            }
        };
        let param = self.pat_name(pat);
        let ty = self.pat_type(pat)?.erased();
        let sizes = self.checked.info.loop_sizes.get(&expr).cloned().unwrap_or_default();
        let header = match form {
            ast::LoopForm::ForLess(_, e) | ast::LoopForm::ForIn(_, e) => Some(self.expr(*e)?),
            ast::LoopForm::While(_) => None,
        };
        let enter = |this: &mut Self| -> Result<()> {
            let value = Exp::var(param, ty.clone(), loc);
            if let Some(pat_ty) = this.checked.info.pat_ty.get(pat).cloned() {
                for v in &sizes {
                    this.bind_size_of(*v, &pat_ty, &value);
                }
            }
            this.bind_pat(pat, value)
        };
        let form = match (form, header) {
            (ast::LoopForm::ForLess(i, _), Some(bound)) => {
                let name = self.fresh_symbol(i.name);
                if let Some(v) = self.checked.info.bound_var.get(expr) {
                    self.bind_var(*v, name, bound.ty.clone());
                }
                LoopForm::For(name, bound)
            }
            (ast::LoopForm::ForIn(p, _), Some(array)) => {
                let name = self.pat_name(*p);
                LoopForm::ForIn(name, array)
            }
            (ast::LoopForm::While(cond), _) => LoopForm::While(self.block(|this| {
                enter(this)?;
                this.expr(*cond)
            })?),
            _ => return Err(self.bug(self.ast()[expr].span, "a loop without a bound")),
        };
        let element = match (&form, self.ast()[expr].kind.clone()) {
            (LoopForm::ForIn(name, array), ExprKind::Loop { form: ast::LoopForm::ForIn(p, _), .. }) => {
                let ty = array.ty.elem().cloned().unwrap_or_else(Ty::unit);
                Some((p, Exp::var(*name, ty, loc)))
            }
            _ => None,
        };
        let body = self.block(|this| {
            enter(this)?;
            if let Some((p, value)) = element {
                this.bind_pat(p, value)?;
            }
            this.expr(body)
        })?;
        Ok(Exp::new(Kind::Loop(Box::new(Loop { param, init, form, body })), ty, loc))
    }

    fn implicit_init(&mut self, pat: PatId, vars: &mut dyn Iterator<Item = VarId>) -> Result<Exp> {
        let ast = self.ast();
        let span = ast[pat].span;
        let loc = self.loc(span);
        match &ast[pat].kind {
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => self.implicit_init(*p, vars),
            PatKind::Name(_) => match vars.next() {
                Some(v) => self.variable(v, &[], None, span),
                None => Err(self.bug(span, "a loop without an initial value")),
            },
            PatKind::Tuple(pats) => {
                let fields = pats
                    .iter()
                    .enumerate()
                    .map(|(i, p)| Ok((Symbol::field(i), self.implicit_init(*p, vars)?)))
                    .collect::<Result<Vec<_>>>()?;
                Ok(record(fields, loc))
            }
            PatKind::Record(fields) => {
                let mut out = Vec::new();
                for (name, p) in fields {
                    let value = match (p, vars.next()) {
                        (Some(p), next) => {
                            let mut rest = next.into_iter().chain(&mut *vars);
                            self.implicit_init(*p, &mut rest)?
                        }
                        (None, Some(v)) => self.variable(v, &[], None, span)?,
                        (None, None) => return Err(self.bug(span, "a loop without an initial value")),
                    };
                    out.push((name.name, value));
                }
                sema::sort_fields(&mut out);
                Ok(record(out, loc))
            }
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) | PatKind::Constr(..) => {
                Err(self.bug(span, "a loop without an initial value"))
            }
        }
    }

    /// The number of size parameters of a scheme.
    pub fn count_sizes(params: &[SchemeParam]) -> usize {
        params.iter().filter(|p| matches!(p, SchemeParam::Size(_))).count()
    }
}

/// Program text with a space on both sides of every operator, in one line, as it is shown in messages.
fn spaced(text: &str) -> String {
    const OPERATORS: &str = "+-*/%=!><&^|";
    let mut out = String::new();
    let mut before = ' ';
    for c in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        let (is, was) = (OPERATORS.contains(c), OPERATORS.contains(before));
        // A prefix operator stays with its operand.
        let prefix = was && matches!(out.trim_end().chars().rev().nth(1), None | Some('(' | '[' | ','));
        if before != ' ' && c != ' ' && is != was && !prefix && !"([,".contains(before) && !")],".contains(c) {
            out.push(' ');
        }
        out.push(c);
        before = c;
    }
    out
}

pub(super) fn record(fields: Vec<(Symbol, Exp)>, loc: LocId) -> Exp {
    let ty = Ty::Record(fields.iter().map(|(n, e)| (*n, e.ty.clone())).collect());
    Exp::new(Kind::Record(fields), ty, loc)
}

pub(super) fn project(e: Exp, field: Symbol) -> Exp {
    let ty = e.ty.field(field).cloned().unwrap_or_else(Ty::unit);
    let loc = e.loc;
    Exp::new(Kind::Project(Box::new(e), field), ty, loc)
}

fn is_logical(op: &BinOp) -> bool {
    !op.backtick && op.name.quals.is_empty() && matches!(op.name.name.name.as_str(), "&&" | "||")
}

/// The right operand is evaluated only when it decides.
fn logical(op: &BinOp, a: Box<Exp>, b: Box<Exp>, loc: LocId) -> Exp {
    let kind = if op.name.name.name.as_str() == "&&" {
        Kind::If(a, b, Box::new(Exp::bool(false, loc)))
    } else {
        Kind::If(a, Box::new(Exp::bool(true, loc)), b)
    };
    Exp::new(kind, Ty::BOOL, loc)
}

/// Whether a function passes its parameters on to an intrinsic as they are.
fn is_wrapper(lam: &crate::core::Lam) -> bool {
    let Kind::Intrinsic(_, args) = &lam.body.kind else { return false };
    args.len() == lam.params.len()
        && args.iter().zip(&lam.params).all(|(a, (p, _))| matches!(&a.kind, Kind::Var(n) if n == p))
}

pub(super) fn int_scalar(prim: Prim, value: u128, negative: bool) -> Scalar {
    let bits = value as u64;
    let bits = if negative { bits.wrapping_neg() } else { bits };
    let float = |v: f64| if negative { -v } else { v };
    match prim {
        Prim::F16 => Scalar::F16(f16::from_f64(float(value as f64))),
        Prim::F32 => Scalar::F32(if negative { -(value as f32) } else { value as f32 }),
        Prim::F64 => Scalar::F64(float(value as f64)),
        _ => Scalar::from_bits(prim, bits),
    }
}

pub(super) fn float_scalar(prim: Prim, lit: &FloatLit, negative: bool) -> Scalar {
    let sign = |v: f64| if negative { -v } else { v };
    match prim {
        Prim::F16 => Scalar::F16(f16::from_f64(sign(lit.value))),
        Prim::F32 => {
            // Rounded once, from the text; a hexadecimal literal has few enough digits for the detour.
            let value = lit.text.parse::<f32>().unwrap_or(lit.value as f32);
            Scalar::F32(if negative { -value } else { value })
        }
        _ => Scalar::F64(sign(lit.value)),
    }
}
