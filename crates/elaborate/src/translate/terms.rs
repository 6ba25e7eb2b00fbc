//! Compound sizes as ordinary expressions.
//!
//! A size of the checker is a term without types: when the arguments of a function are put into the type of its result,
//! no expression of the program stands for what comes out. Here the types are found again. They follow from the values
//! that are in scope: arguments whose types are evident are evaluated first, and tell the instance of the function,
//! which tells the types of the others, such as numbers and operators.

use super::env::Env;
use super::expr::{float_scalar, int_scalar, project, record};
use super::{Binding, Result, Translate};
use crate::core::{Dim, Exp, IndexDim, Kind, Ty};
use crate::resolve::Ctx;
use kenaz_base::{Prim, Span, Symbol, with_stack};
use kenaz_ir::LocId;
use kenaz_sema::intrinsics::{self, Intrinsic, IntrinsicId};
use kenaz_sema::names::VarKind;
use kenaz_sema::types::{self as sema, Scheme, SchemeParam, Size, SizeHead, SizeTerm, TyArg, TyKind, TypeId, VarId};
use kenaz_sema::walk::TyVisit;
use kenaz_syntax::ast::{FloatLit, RangeKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// An argument of a function in a size.
pub enum Arg {
    Value(Exp),
    Term(Size),
}

impl Translate<'_> {
    /// The value of a term, whose numbers are of the type that is wanted if nothing else tells theirs.
    pub fn term(&mut self, term: &SizeTerm, wanted: Option<&Ty>, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        let unfit = |this: &Self| {
            let size = Size::term(term.head.clone(), term.args.clone());
            this.bug(span, format!("the size `{}` cannot be computed", this.checked.names.show_size(&size)))
        };
        Ok(match (&term.head, &term.args[..]) {
            (SizeHead::Apply, [Size::Var(f), args @ ..]) => {
                self.call(*f, args.iter().cloned().map(Arg::Term).collect(), wanted, span)?
            }
            (SizeHead::Apply, [f, args @ ..]) => {
                let f = self.size_as(f, None, span)?;
                self.apply_terms(f, args.iter().cloned().map(Arg::Term).collect(), span)?
            }
            (SizeHead::Neg | SizeHead::Not, [a]) => {
                let a = Box::new(self.size_as(a, wanted, span)?);
                let ty = a.ty.clone();
                let kind = if let SizeHead::Neg = term.head { Kind::Neg(a) } else { Kind::Not(a) };
                Exp::new(kind, ty, loc)
            }
            (SizeHead::Field(name), [a]) => {
                let a = self.size_as(a, None, span)?;
                if a.ty.field(*name).is_none() {
                    return Err(unfit(self));
                }
                project(a, *name)
            }
            (SizeHead::Tuple, parts) => {
                let names = (0..parts.len()).map(Symbol::field).collect::<Vec<_>>();
                self.record_term(&names, parts, wanted, span)?
            }
            (SizeHead::Record(names), parts) => self.record_term(names, parts, wanted, span)?,
            (SizeHead::UpdateField(path), [e, v]) => {
                let e = self.size_as(e, wanted, span)?;
                let field = path.iter().try_fold(&e.ty, |ty, name| ty.field(*name)).cloned();
                let v = self.size_as(v, field.as_ref(), span)?;
                let ty = e.ty.clone();
                Exp::new(Kind::UpdateField(Box::new(e), path.clone(), Box::new(v)), ty, loc)
            }
            (SizeHead::If, [c, t, f]) => {
                let c = self.size_as(c, Some(&Ty::BOOL), span)?;
                let t = self.block(|this| this.size_as(t, wanted, span))?;
                let f = self.block(|this| this.size_as(f, Some(&t.ty), span))?;
                let ty = t.ty.erased();
                Exp::new(Kind::If(Box::new(c), Box::new(t), Box::new(f)), ty, loc)
            }
            (SizeHead::And | SizeHead::Or, [a, b]) => {
                let a = Box::new(self.size_as(a, Some(&Ty::BOOL), span)?);
                let b = Box::new(self.block(|this| this.size_as(b, Some(&Ty::BOOL), span))?);
                let kind = match term.head {
                    SizeHead::And => Kind::If(a, b, Box::new(Exp::bool(false, loc))),
                    _ => Kind::If(a, Box::new(Exp::bool(true, loc)), b),
                };
                Exp::new(kind, Ty::BOOL, loc)
            }
            (SizeHead::Array, elems) => {
                let mut wanted = wanted.and_then(Ty::elem).cloned();
                let mut values = Vec::new();
                for elem in elems {
                    let value = self.size_as(elem, wanted.as_ref(), span)?;
                    wanted = Some(value.ty.clone());
                    values.push(value);
                }
                let Some(elem) = wanted else { return Err(unfit(self)) };
                let dim = Dim::Const(i64::try_from(values.len()).unwrap_or(i64::MAX));
                Exp::new(Kind::Array(values), Ty::array(dim, elem), loc)
            }
            (SizeHead::Constr(name), args) => {
                let Some(ty @ Ty::Sum(constrs)) = wanted else { return Err(unfit(self)) };
                let payload = constrs.iter().find(|(n, _)| n == name).map(|(_, ts)| ts.clone()).unwrap_or_default();
                let args = args.iter().zip(&payload).map(|(a, t)| self.size_as(a, Some(t), span));
                let args = args.collect::<Result<Vec<_>>>()?;
                Exp::new(Kind::Constr(*name, args), ty.clone(), loc)
            }
            (SizeHead::Literal(text), _) => match literal(text.as_str(), wanted) {
                Some((scalar, prim)) => Exp::new(Kind::Lit(scalar), Ty::Prim(prim), loc),
                None => return Err(unfit(self)),
            },
            (SizeHead::Index, [array, dims @ ..]) => {
                let array = self.size_as(array, None, span)?;
                self.index_term(array, dims, span)?
            }
            (
                SizeHead::IndexSection | SizeHead::ProjectSection(_) | SizeHead::LeftSection | SizeHead::RightSection,
                _,
            ) => match wanted {
                Some(Ty::Arrow(arg, ret)) => {
                    self.section(term, (**arg).clone(), Some(ret), span)?.ok_or_else(|| unfit(self))?
                }
                _ => return Err(unfit(self)),
            },
            (SizeHead::Range(kind), [first, rest @ .., last]) => {
                let elem = wanted.and_then(Ty::elem).cloned();
                let parts: Vec<Size> = [first, last].into_iter().chain(rest).cloned().collect();
                let mut parts = self.same_type(parts, elem.as_ref(), span)?.into_iter();
                let (Some(first), Some(last)) = (parts.next(), parts.next()) else { return Err(unfit(self)) };
                let ty = Ty::array(Dim::Any, first.ty.clone());
                let kind = match kind.as_str() {
                    "..<" => RangeKind::UpTo,
                    "..>" => RangeKind::DownTo,
                    _ => RangeKind::Inclusive,
                };
                let second = parts.next().map(Box::new);
                Exp::new(Kind::Range { first: Box::new(first), second, kind, last: Box::new(last) }, ty, loc)
            }
            (SizeHead::Opaque(expr), _) => self.expr(*expr)?,
            (
                SizeHead::Apply
                | SizeHead::Neg
                | SizeHead::Not
                | SizeHead::Field(_)
                | SizeHead::UpdateField(_)
                | SizeHead::If
                | SizeHead::And
                | SizeHead::Or
                | SizeHead::Index
                | SizeHead::Range(_)
                | SizeHead::Slice
                | SizeHead::Absent,
                _,
            ) => return Err(unfit(self)),
        })
    }

    fn record_term(&mut self, names: &[Symbol], parts: &[Size], wanted: Option<&Ty>, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        let mut fields = Vec::new();
        for (name, part) in names.iter().zip(parts) {
            let wanted = wanted.and_then(|ty| ty.field(*name));
            fields.push((*name, self.size_as(part, wanted, span)?));
        }
        sema::sort_fields(&mut fields);
        Ok(record(fields, loc))
    }

    /// `array[dims]`
    fn index_term(&mut self, array: Exp, dims: &[Size], span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        let part = |this: &mut Self, size: &Size| match size {
            Size::Term(term) if term.head == SizeHead::Absent => Ok(None),
            _ => this.size_exp(size, span).map(Some),
        };
        let mut out = Vec::new();
        let mut sliced = Vec::new();
        let mut elem = array.ty.clone();
        for dim in dims {
            let parts: &[Size] = match dim {
                Size::Term(term) if term.head == SizeHead::Slice => &term.args,
                _ => &[],
            };
            out.push(match parts {
                [start, end, step] => {
                    IndexDim::Slice { start: part(self, start)?, end: part(self, end)?, step: part(self, step)? }
                }
                _ => IndexDim::Fix(self.size_exp(dim, span)?),
            });
            let Some(inner) = elem.elem().cloned() else {
                return Err(self.bug(span, "a size that is an element of something that is no array"));
            };
            sliced.extend((!parts.is_empty()).then_some(Dim::Any));
            elem = inner;
        }
        let ty = sliced.into_iter().fold(elem, |ty, dim| Ty::array(dim, ty));
        Ok(Exp::new(Kind::Index(Box::new(array), out), ty, loc))
    }

    /// `(a op)`, `(op b)`, `(.[i])` or `(.a)`, as a function of what has this type.
    fn section(&mut self, term: &SizeTerm, arg: Ty, ret: Option<&Ty>, span: Span) -> Result<Option<Exp>> {
        let loc = self.loc(span);
        let x = self.fresh("x");
        let value = Exp::var(x, arg.clone(), loc);
        let body = match (&term.head, &term.args[..]) {
            (SizeHead::IndexSection, dims) => self.block(|this| this.index_term(value, dims, span))?,
            (SizeHead::ProjectSection(fields), _) => fields.iter().fold(value, |e, f| project(e, *f)),
            (SizeHead::LeftSection, [a, Size::Var(op)]) => {
                self.block(|this| this.call(*op, vec![Arg::Term(a.clone()), Arg::Value(value)], ret, span))?
            }
            (SizeHead::RightSection, [Size::Var(op), b]) => {
                self.block(|this| this.call(*op, vec![Arg::Value(value), Arg::Term(b.clone())], ret, span))?
            }
            _ => return Ok(None),
        };
        Ok(Some(self.lambda(vec![(x, arg)], body, loc)))
    }

    /// A function of what has these types, whatever it gives; none if the term says by itself what it takes.
    fn function_term(&mut self, size: &Size, args: Vec<Ty>, span: Span) -> Result<Option<Exp>> {
        let (f, given) = match size {
            Size::Var(f) => (*f, &[][..]),
            Size::Term(term) => match (&term.head, &term.args[..], args.first()) {
                (SizeHead::Apply, [Size::Var(f), given @ ..], _) => (*f, given),
                (_, _, Some(arg)) => return self.section(term, arg.clone(), None, span),
                (_, _, None) => return Ok(None),
            },
            Size::Error | Size::Const(_) => return Ok(None),
        };
        let missing = self.arity(f).saturating_sub(given.len());
        if missing == 0 || missing > args.len() || self.scope.vars.contains_key(&f) {
            return Ok(None);
        }
        let loc = self.loc(span);
        let params: Vec<_> = args.into_iter().take(missing).map(|ty| (self.fresh("x"), ty)).collect();
        let values = params.iter().map(|(x, ty)| Arg::Value(Exp::var(*x, ty.clone(), loc)));
        let all = given.iter().cloned().map(Arg::Term).chain(values).collect();
        let body = self.block(|this| this.call(f, all, None, span))?;
        Ok(Some(self.lambda(params, body, loc)))
    }

    /// Values of one type: that of the first whose type is evident, or else the one that is wanted.
    fn same_type(&mut self, sizes: Vec<Size>, wanted: Option<&Ty>, span: Span) -> Result<Vec<Exp>> {
        let args = sizes.into_iter().map(Arg::Term).collect();
        self.operands(args, wanted, span)
    }

    fn operands(&mut self, args: Vec<Arg>, wanted: Option<&Ty>, span: Span) -> Result<Vec<Exp>> {
        let mut values: Vec<Option<Exp>> = Vec::new();
        for arg in &args {
            values.push(match arg {
                Arg::Value(value) => Some(value.clone()),
                Arg::Term(size) if self.is_evident(size) => Some(self.size_as(size, None, span)?),
                Arg::Term(_) => None,
            });
        }
        let ty = values.iter().flatten().next().map(|v| v.ty.clone()).or(wanted.cloned()).unwrap_or(Ty::I64);
        args.iter()
            .zip(values)
            .map(|(arg, value)| match (value, arg) {
                (Some(value), _) => Ok(value),
                (None, Arg::Value(value)) => Ok(value.clone()),
                (None, Arg::Term(size)) => self.size_as(size, Some(&ty), span),
            })
            .collect()
    }

    /// Whether the type of a term is that of a value in scope, rather than what its surroundings make it.
    fn is_evident(&self, size: &Size) -> bool {
        with_stack(|| match size {
            Size::Error | Size::Const(_) => false,
            Size::Var(v) => match self.scope.vars.get(v) {
                Some(Binding::Value(..)) => true,
                Some(Binding::Local(poly)) => poly.params.is_empty(),
                None => {
                    let info = &self.checked.names.vars[*v];
                    let poly = info.scheme.as_ref().is_some_and(|s| !s.params.is_empty());
                    !poly && !matches!(info.kind, VarKind::Intrinsic(_))
                }
            },
            Size::Term(term) => match &term.head {
                SizeHead::Neg | SizeHead::Not | SizeHead::Tuple | SizeHead::Record(_) => {
                    term.args.iter().all(|a| self.is_evident(a))
                }
                SizeHead::Literal(text) => with_suffix(text.as_str()).1.is_some(),
                SizeHead::Array | SizeHead::Range(_) => term.args.iter().any(|a| self.is_evident(a)),
                SizeHead::If => term.args[1..].iter().any(|a| self.is_evident(a)),
                SizeHead::Apply => match &term.args[..] {
                    [Size::Var(f), args @ ..] if matches!(self.overloaded(*f), Some((_, false))) => {
                        args.iter().any(|a| self.is_evident(a))
                    }
                    [Size::Var(f), args @ ..] => !self.is_open(*f, args),
                    _ => true,
                },
                SizeHead::Field(_)
                | SizeHead::Index
                | SizeHead::And
                | SizeHead::Or
                | SizeHead::UpdateField(_)
                | SizeHead::Opaque(_) => true,
                SizeHead::Slice
                | SizeHead::Absent
                | SizeHead::Constr(_)
                | SizeHead::LeftSection
                | SizeHead::RightSection
                | SizeHead::ProjectSection(_)
                | SizeHead::IndexSection => false,
            },
        })
    }

    /// Whether no argument tells of what type the result of a function is, as in `replicate n 0`.
    fn is_open(&self, f: VarId, args: &[Size]) -> bool {
        let known = self.scope.vars.get(&f);
        let scheme = match known {
            Some(Binding::Value(..)) => None,
            _ => self.checked.names.vars[f].scheme.as_ref(),
        };
        let Some(scheme) = scheme else { return false };
        let (mut ty, mut told) = (scheme.ty.clone(), FxHashSet::default());
        for arg in args {
            let TyKind::Arrow(arrow) = ty.kind() else { return false };
            if self.is_evident(arg) {
                told.extend(types_in(&arrow.arg));
            }
            let next = arrow.ret.clone();
            ty = next;
        }
        let of_result = types_in(&ty);
        let is_untold = |id: &TypeId| of_result.contains(id) && !told.contains(id);
        scheme.params.iter().any(|param| matches!(param, SchemeParam::Type(id, _) if is_untold(id)))
    }

    /// For an overloaded operator, which one it is, and whether it compares.
    fn overloaded(&self, v: VarId) -> Option<(IntrinsicId, bool)> {
        let VarKind::Intrinsic(id) = self.checked.names.vars[v].kind else { return None };
        match &intrinsics::def(id).intrinsic {
            Intrinsic::Overloaded(op) => Some((id, op.yields_bool())),
            Intrinsic::Prim { .. } | Intrinsic::Poly { .. } | Intrinsic::Type { .. } => None,
        }
    }

    /// A function in scope applied to these arguments, of the instance that they need.
    pub fn call(&mut self, v: VarId, args: Vec<Arg>, wanted: Option<&Ty>, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        if let Some(Binding::Value(name, ty)) = self.scope.vars.get(&v) {
            let f = Exp::var(*name, ty.clone(), loc);
            return self.apply_terms(f, args, span);
        }
        if let VarKind::Flexible(_, Some(Size::Var(w))) = self.checked.names.vars[v].kind {
            return self.call(w, args, wanted, span);
        }
        // A function that is not applied is one that applies it.
        if let (true, Some(Ty::Arrow(arg, ret))) = (args.len() < self.arity(v), wanted) {
            let x = self.fresh("x");
            let mut args = args;
            args.push(Arg::Value(Exp::var(x, (**arg).clone(), loc)));
            let body = self.block(|this| this.call(v, args, Some(ret), span))?;
            return Ok(self.lambda(vec![(x, (**arg).clone())], body, loc));
        }
        let local = match self.scope.vars.get(&v) {
            Some(Binding::Local(poly)) => Some(poly.clone()),
            _ => None,
        };
        let ctx = self.scope.ctx.clone();
        let (def, def_ctx) = if local.is_some() { (v, ctx) } else { self.modules.value(self.checked, v, &ctx) };
        if let Some((id, compares)) = self.overloaded(def) {
            let values = self.operands(args, wanted.filter(|_| !compares), span)?;
            let ty = if compares { Ty::BOOL } else { values.first().map_or(Ty::I64, |a| a.ty.clone()) };
            return Ok(Exp::new(Kind::Intrinsic(id, values), ty, loc));
        }
        let Some(scheme) = self.checked.names.vars[def].scheme.clone() else {
            return Err(self.bug(span, "a function in a size that has no type"));
        };
        let (values, found, sizes) = self.solve(&scheme, &def_ctx, args, wanted, span)?;
        if let VarKind::Intrinsic(id) = self.checked.names.vars[def].kind {
            let ret = (0..values.len()).fold(scheme.ty.clone(), |ty, _| result_of(&ty));
            let ret = self.with_types(&def_ctx, &found, |this| this.ty(&ret, span))?.erased();
            return Ok(Exp::new(Kind::Intrinsic(id, values), ret, loc));
        }
        let mut types = Vec::new();
        let mut all = Vec::new();
        for param in &scheme.params {
            match param {
                SchemeParam::Size(n) => match sizes.get(n) {
                    Some(size) => all.push(size.clone()),
                    // A size that no argument has can be anything.
                    None if values.len() == self.arity(def) => all.push(Exp::i64(0, loc)),
                    None => return Err(self.bug(span, "a function in a size whose own sizes are not known")),
                },
                SchemeParam::Type(id, _) => {
                    let ty = found.get(id).cloned().unwrap_or(Ty::I64);
                    for dim in ty.dims() {
                        match dim {
                            Dim::Any => {}
                            Dim::Const(n) => all.push(Exp::i64(n, loc)),
                            Dim::Var(name) => all.push(Exp::var(name, Ty::I64, loc)),
                        }
                    }
                    types.push(ty);
                }
            }
        }
        all.extend(values);
        let function = match local {
            Some(poly) => self.local_instance(&poly, &types, loc)?,
            None => {
                let id = self.instance(def, def_ctx, &types, span)?;
                let ty = self.prog.defs[id].body.ty.clone();
                Exp::new(Kind::Global(id), ty, loc)
            }
        };
        let ret = function.ty.after(all.len());
        Ok(self.apply(function, all, ret, loc))
    }

    /// How many arguments a function takes; none if it is a value of a local name.
    fn arity(&self, v: VarId) -> usize {
        if self.overloaded(v).is_some() {
            return 2;
        }
        let mut ty = self.checked.names.vars[v].scheme.as_ref().map(|s| s.ty.clone());
        let mut n = 0;
        while let Some(TyKind::Arrow(a)) = ty.as_ref().map(sema::Ty::kind) {
            n += 1;
            ty = Some(a.ret.clone());
        }
        n
    }

    /// A function applied to arguments of the types it takes.
    fn apply_terms(&mut self, f: Exp, args: Vec<Arg>, span: Span) -> Result<Exp> {
        let loc = f.loc;
        let mut rest = f.ty.clone();
        let mut values = Vec::new();
        for arg in args {
            let Ty::Arrow(wanted, ret) = rest else {
                return Err(self.bug(span, "something in a size that is no function is applied"));
            };
            values.push(match arg {
                Arg::Value(value) => value,
                Arg::Term(size) => self.size_as(&size, Some(&wanted), span)?,
            });
            rest = (*ret).clone();
        }
        Ok(self.apply(f, values, rest, loc))
    }

    /// Evaluates arguments, and finds out which type and size arguments they imply.
    #[expect(clippy::type_complexity, reason = "the values of the arguments, the types and the sizes")]
    fn solve(
        &mut self,
        scheme: &Scheme,
        ctx: &Ctx,
        args: Vec<Arg>,
        wanted: Option<&Ty>,
        span: Span,
    ) -> Result<(Vec<Exp>, FxHashMap<TypeId, Ty>, FxHashMap<VarId, Exp>)> {
        let mut types = FxHashMap::default();
        let mut params = Vec::new();
        let mut ret = scheme.ty.clone();
        for _ in &args {
            let TyKind::Arrow(a) = ret.kind() else {
                return Err(self.bug(span, "something in a size that is no function is applied"));
            };
            params.push((a.arg.clone(), a.param));
            let next = a.ret.clone();
            ret = next;
        }
        // Functions come last: their types say nothing about sizes.
        let is_function = |ty: &sema::Ty| matches!(ty.kind(), TyKind::Arrow(_));
        let mut order: Vec<usize> = (0..args.len()).collect();
        let rank = |this: &Self, i: usize| {
            let evident = match &args[i] {
                Arg::Value(_) => true,
                Arg::Term(size) => this.is_evident(size),
            };
            (!evident, is_function(&params[i].0))
        };
        order.sort_by_key(|i| rank(self, *i));
        let mut values: Vec<Option<Exp>> = args.iter().map(|_| None).collect();
        let mut result_known = false;
        for i in order {
            let (open, _) = rank(self, i);
            if open && !result_known {
                result_known = true;
                if let Some(wanted) = wanted {
                    self.match_core(&ret, &Env::plain(ctx), wanted, scheme, &mut types);
                }
            }
            let value = match &args[i] {
                Arg::Value(value) => value.clone(),
                Arg::Term(size) => {
                    let param = &params[i].0;
                    let wanted = self.with_types(ctx, &types, |this| this.ty(param, span)).ok();
                    // What a function gives may be known only from the function.
                    let function = match wanted {
                        Some(_) => None,
                        None => {
                            let taken = self.with_types(ctx, &types, |this| this.taken(param, span));
                            self.function_term(size, taken, span)?
                        }
                    };
                    match function {
                        Some(function) => function,
                        None => self.size_as(size, wanted.as_ref(), span)?,
                    }
                }
            };
            let value = if value.ty.is_function() { value } else { self.bind("a", value) };
            self.match_core(&params[i].0, &Env::plain(ctx), &value.ty, scheme, &mut types);
            values[i] = Some(value);
        }
        if let Some(wanted) = wanted.filter(|_| !result_known) {
            self.match_core(&ret, &Env::plain(ctx), wanted, scheme, &mut types);
        }
        let values: Vec<Exp> = values.into_iter().flatten().collect();
        let mut sizes = FxHashMap::default();
        for param in &scheme.params {
            let SchemeParam::Size(n) = param else { continue };
            for ((ty, _), value) in params.iter().zip(&values) {
                let outer = std::mem::replace(&mut self.scope.ctx, ctx.clone());
                let path = self.find_size(ty, &Size::Var(*n));
                self.scope.ctx = outer;
                if let Some(path) = path {
                    let size = Exp::new(Kind::SizeOf(Box::new(value.clone()), path), Ty::I64, value.loc);
                    let size = self.bind("n", size);
                    sizes.entry(*n).or_insert(size);
                    break;
                }
            }
        }
        Ok((values, types, sizes))
    }

    /// The types of what a function takes, up to the first that is not known.
    fn taken(&mut self, function: &sema::Ty, span: Span) -> Vec<Ty> {
        let mut taken = Vec::new();
        let mut rest = function.clone();
        while let TyKind::Arrow(arrow) = rest.kind() {
            let Ok(arg) = self.ty(&arrow.arg, span) else { break };
            taken.push(arg);
            let next = arrow.ret.clone();
            rest = next;
        }
        taken
    }

    /// What `f` gives in the context of a definition whose type parameters are these.
    fn with_types<T>(&mut self, ctx: &Ctx, types: &FxHashMap<TypeId, Ty>, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer_ctx = std::mem::replace(&mut self.scope.ctx, ctx.clone());
        let outer_types = self.scope.types.clone();
        self.scope.types.extend(types.iter().map(|(id, ty)| (*id, ty.clone())));
        let result = f(self);
        self.scope.ctx = outer_ctx;
        self.scope.types = outer_types;
        result
    }

    /// Finds out what the type parameters in a type are for it to be this type of the core.
    fn match_core(
        &mut self,
        pattern: &sema::Ty,
        env: &Env,
        ty: &Ty,
        scheme: &Scheme,
        found: &mut FxHashMap<TypeId, Ty>,
    ) {
        let (pattern, env) = self.unfold(pattern, env);
        if let TyKind::Con(id, _) = pattern.kind()
            && scheme.params.iter().any(|p| matches!(p, SchemeParam::Type(t, _) if t == id))
        {
            found.entry(*id).or_insert_with(|| ty.clone());
            return;
        }
        with_stack(|| match (pattern.kind(), ty) {
            (TyKind::Array(_, x), Ty::Array(_, y)) => self.match_core(x, &env, y, scheme, found),
            (TyKind::Record(xs), Ty::Record(ys)) => {
                for ((_, x), (_, y)) in xs.iter().zip(ys) {
                    self.match_core(x, &env, y, scheme, found);
                }
            }
            (TyKind::Sum(xs), Ty::Sum(ys)) => {
                for ((_, xs), (_, ys)) in xs.iter().zip(ys) {
                    for (x, y) in xs.iter().zip(ys) {
                        self.match_core(x, &env, y, scheme, found);
                    }
                }
            }
            (TyKind::Arrow(f), Ty::Arrow(x, y)) => {
                self.match_core(&f.arg, &env, x, scheme, found);
                self.match_core(&f.ret, &env, y, scheme, found);
            }
            (TyKind::Con(_, args), Ty::Acc(y)) => {
                if let Some(TyArg::Type(x)) = args.first() {
                    self.match_core(x, &env, y, scheme, found);
                }
            }
            // A type without parameters of the scheme in it.
            _ => {}
        });
    }
}

fn result_of(ty: &sema::Ty) -> sema::Ty {
    match ty.kind() {
        TyKind::Arrow(a) => a.ret.clone(),
        _ => ty.clone(),
    }
}

/// A number of the type that is wanted.
pub(super) fn number(n: i64, wanted: Option<&Ty>, loc: LocId) -> Exp {
    let prim = wanted.and_then(Ty::prim).filter(|p| *p != Prim::Bool).unwrap_or(Prim::I64);
    let scalar = int_scalar(prim, u128::from(n.unsigned_abs()), n < 0);
    Exp::new(Kind::Lit(scalar), Ty::Prim(prim), loc)
}

/// The types that are mentioned in another.
fn types_in(ty: &sema::Ty) -> FxHashSet<TypeId> {
    struct Types(FxHashSet<TypeId>);
    impl TyVisit for Types {
        fn con(&mut self, id: TypeId) {
            self.0.insert(id);
        }
    }
    let mut types = Types(FxHashSet::default());
    types.walk(ty, &mut Vec::new());
    types.0
}

/// The text of a literal without its type, and that type if it is stated.
fn with_suffix(text: &str) -> (&str, Option<Prim>) {
    let suffix = |prim: &Prim| text.strip_suffix(prim.name()).filter(|rest| !rest.is_empty());
    let numbers = Prim::ALL.iter().filter(|prim| **prim != Prim::Bool);
    let found = numbers.filter_map(|prim| Some((suffix(prim)?, Some(*prim)))).next();
    found.unwrap_or((text, None))
}

/// A literal, from its text.
fn literal(text: &str, wanted: Option<&Ty>) -> Option<(kenaz_ir::Scalar, Prim)> {
    if let "true" | "false" = text {
        return Some((kenaz_ir::Scalar::Bool(text == "true"), Prim::Bool));
    }
    let (text, stated) = with_suffix(text);
    let prim = stated.or(wanted.and_then(Ty::prim));
    if let Ok(value) = text.parse::<u128>() {
        let prim = prim.unwrap_or(Prim::I64);
        return Some((int_scalar(prim, value, false), prim));
    }
    let value = text.parse::<f64>().ok()?;
    let prim = prim.unwrap_or(Prim::F64);
    let lit = FloatLit { value, text: text.into(), suffix: None };
    Some((float_scalar(prim, &lit, false), prim))
}
