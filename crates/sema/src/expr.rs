//! The types of expressions.
//!
//! Inference goes bottom-up: the parts of an expression are typed first, then their types are made to fit. Control flow
//! is in [`control`](crate::control), application in [`apply`](crate::apply).

use crate::checker::{Checker, Literal};
use crate::info::Resolved;
use crate::intrinsics::{self, Class, Intrinsic};
use crate::names::{Constraint, PrimSet, SizeCause, VarKind};
use crate::remedy::Remedy;
use crate::report::Context;
use crate::types::{Size, SizeHead, Ty, TyArg, TyKind, VarId};
use kenaz_base::{Attr, Code, Diagnostic, Prim, Span, Symbol, with_stack};
use kenaz_syntax::ast::{DimIndex, ExprId, ExprKind, Ident, QualName, Range, RangeKind, Slice};
use std::collections::BTreeMap;

impl Checker<'_> {
    /// Checks an expression and returns its type.
    pub(crate) fn infer(&mut self, expr: ExprId) -> Ty {
        let ty = with_stack(|| self.infer_(expr));
        self.note_large(self.ast[expr].span);
        self.set_ty(expr, ty)
    }

    fn infer_(&mut self, expr: ExprId) -> Ty {
        let ast = self.ast;
        let span = ast[expr].span;
        match &ast[expr].kind {
            ExprKind::Error => {
                self.current.errors += 1;
                Ty::error()
            }
            ExprKind::Int(lit) => {
                let value = Literal::Int { value: lit.value, overflow: lit.overflow, negative: false };
                match lit.suffix {
                    Some(prim) => self.stated_literal(value, prim, span),
                    None => {
                        let ty = self.fresh_prim(span, PrimSet::numeric(), "an integer literal");
                        self.current.literals.push((value, ty.clone(), span));
                        ty
                    }
                }
            }
            ExprKind::Float(lit) => {
                let value = Literal::Float { value: lit.value, negative: false };
                match lit.suffix {
                    Some(prim) => self.stated_literal(value, prim, span),
                    None => {
                        let ty = self.fresh_prim(span, PrimSet::float(), "a decimal literal");
                        self.current.literals.push((value, ty.clone(), span));
                        ty
                    }
                }
            }
            ExprKind::Bool(_) => self.bool_ty(),
            ExprKind::Char(c) => {
                let ty = self.fresh_prim(span, PrimSet::numeric(), "a character literal");
                let value = Literal::Int { value: u128::from(*c), overflow: false, negative: false };
                self.current.literals.push((value, ty.clone(), span));
                ty
            }
            ExprKind::String(bytes) => {
                Ty::array(Size::Const(i64::try_from(bytes.len()).unwrap_or(i64::MAX)), Ty::prim(Prim::U8))
            }
            ExprKind::Hole => self.fresh(span),
            ExprKind::Paren(e) => self.infer(*e),
            ExprKind::Attr(attr, e) => {
                self.dispatch = matches!(ast[*e].kind, ExprKind::If { .. } | ExprKind::Match(..))
                    && attr.meaning == Ok(Attr::Dispatch);
                self.infer(*e)
            }
            ExprKind::Tuple(es) => Ty::tuple(es.iter().map(|e| self.infer(*e)).collect()),
            ExprKind::Record(fields) => {
                self.check_distinct(fields.iter().map(|f| f.name), Code::DuplicateField, "field");
                let mut out: Vec<(Symbol, Ty)> = Vec::new();
                for (i, field) in fields.iter().enumerate() {
                    let ty = match field.value {
                        Some(e) => self.infer(e),
                        None => self.field_value(expr, i, field.name),
                    };
                    if out.iter().all(|(n, _)| *n != field.name.name) {
                        out.push((field.name.name, ty));
                    }
                }
                Ty::record(out)
            }
            ExprKind::Array(elems) => self.array_literal(span, elems),
            ExprKind::Var(path) => self.variable(expr, path),
            ExprKind::Project(e, field) => {
                let ty = self.infer(*e);
                self.project(&ty, *field, ast[*e].span)
            }
            ExprKind::Index(e, slice) => {
                let ty = self.infer(*e);
                self.index(expr, &ty, slice, ast[*e].span)
            }
            ExprKind::LocalOpen(module, e) => {
                let module = self.resolve_module(module);
                self.scoped(|this| {
                    match &module {
                        crate::scope::Module::Env(env) => this.scope.open(env),
                        crate::scope::Module::Fun(_) => {
                            this.error(
                                Diagnostic::error(
                                    Code::ParametricModule,
                                    span,
                                    "a parametric module cannot be opened without its argument",
                                )
                                .label("this module takes a parameter"),
                            );
                        }
                        crate::scope::Module::Error => this.current.errors += 1,
                    }
                    this.infer(*e)
                })
            }
            ExprKind::Apply(f, args) => self.apply(expr, *f, args),
            ExprKind::Constr(name, args) => {
                let tys: Vec<Ty> = args.iter().map(|e| self.infer(*e)).collect();
                let usage = self.usage(span, format!("constructor `#{}`", name.name));
                self.fresh_with(span, Constraint::Constructors(BTreeMap::from([(name.name, tys)]), usage))
            }
            ExprKind::Not(e) => {
                let ty = self.infer(*e);
                self.operand(&ty, class_set(intrinsics::NOT_CLASS), "the operator `!`", *e, expr);
                ty
            }
            ExprKind::Neg(e) => {
                let (literals, wrapped) = (self.current.literals.len(), self.current.wrapped.len());
                let ty = self.infer(*e);
                if let ExprKind::Int(_) | ExprKind::Float(_) = &ast[*e].kind
                    && self.current.wrapped.len() == wrapped + 1
                    && let Some((literal, prim, _)) = self.current.wrapped.pop()
                {
                    self.stated_literal(literal.negated(), prim, span);
                }
                // A literal behind a minus may be as large as the smallest number of its type.
                if let ExprKind::Int(_) | ExprKind::Float(_) = &ast[*e].kind
                    && self.current.literals.len() == literals + 1
                    && let Some((literal, _, _)) = self.current.literals.last_mut()
                {
                    *literal = literal.negated();
                }
                self.operand(&ty, class_set(intrinsics::NEGATE_CLASS), "the operator `-`", *e, expr);
                ty
            }
            ExprKind::BinOp(op, a, b) => self.binary(expr, op, *a, *b),
            ExprKind::OpSection(op) => self.operator(expr, op),
            ExprKind::LeftSection(e, op) => self.left_section(expr, *e, op),
            ExprKind::RightSection(op, e) => self.right_section(expr, op, *e),
            ExprKind::ProjectSection(fields) => {
                let arg = self.fresh(span);
                let ret = fields.iter().fold(arg.clone(), |ty, field| self.project(&ty, *field, span));
                Ty::arrow(None, false, arg, ret)
            }
            ExprKind::IndexSection(slice) => {
                let arg = self.fresh(span);
                let ret = self.nested(|this| this.index(expr, &arg, slice, span));
                let ret = self.close_result(&ret, self.level);
                Ty::arrow(None, false, arg, ret)
            }
            ExprKind::Ascript(e, t) => {
                let ty = self.infer(*e);
                let written = self.eval_type_inferred(*t, &SizeCause::Anonymous).without_unique();
                let value = *e;
                self.unify_at(ast[value].span, &written, &ty, &|this| {
                    let (e, t) = (this.ast[*e].span, this.ast[*t].span);
                    Context::new(e, format!("`{}` does not have the type that is stated for it", this.text(e)))
                        .cause(t, "the type that is stated")
                        .value(value)
                });
                written
            }
            ExprKind::Coerce(e, t) => self.coerce(expr, *e, *t),
            ExprKind::Range(range) => self.range(expr, range),
            ExprKind::If { cond, then, otherwise } => self.conditional(expr, *cond, *then, *otherwise),
            ExprKind::LetPat { sizes, pat, init, body } => self.let_pat(expr, sizes, *pat, *init, *body),
            ExprKind::LetFun { fun, body } => self.let_fun(expr, fun, *body),
            ExprKind::LetWith { dest, slice, value, body } => self.let_with(expr, *dest, slice, *value, *body),
            ExprKind::Lambda { params, ret, body } => self.lambda(params, *ret, *body),
            ExprKind::Loop { pat, init, form, body } => self.loop_(expr, *pat, *init, form, *body),
            ExprKind::Assert(cond, e) => {
                self.condition(*cond, "the condition of `assert`");
                self.infer(*e)
            }
            ExprKind::UpdateIndex(e, slice, value) => {
                let ty = self.infer(*e);
                self.update(&ty, slice, *value, ast[*e].span);
                ty
            }
            ExprKind::UpdateField(e, fields, value) => self.update_field(*e, fields, *value),
            ExprKind::Match(e, cases) => self.match_(expr, *e, cases),
        }
    }

    /// A condition must be a boolean.
    pub(crate) fn condition(&mut self, cond: ExprId, what: &str) {
        let ty = self.infer(cond);
        let bool_ty = self.bool_ty();
        self.unify(&bool_ty, &ty, &|this| {
            Context::new(this.ast[cond].span, format!("{what} must be of type `bool`")).value(cond)
        });
    }

    /// Requires an operand to be of one of these types.
    fn operand(&mut self, ty: &Ty, set: PrimSet, what: &str, expr: ExprId, whole: ExprId) {
        let shown = |this: &Self| this.actual_phrase(&this.names.zonk(ty));
        let remedy = |this: &Self| this.unary_remedy(whole, expr, ty);
        let headline = |this: &Self| format!("{what} cannot be used on {}", shown(this));
        self.require_operand(ty, set, what, expr, &headline, &remedy);
    }

    fn require_operand(
        &mut self,
        ty: &Ty,
        set: PrimSet,
        what: &str,
        expr: ExprId,
        headline: &dyn Fn(&Self) -> String,
        remedy: &dyn Fn(&Self) -> Option<Remedy>,
    ) {
        let span = self.ast[expr].span;
        let usage = self.usage(span, what);
        self.names.at = Some(span);
        let required = self.names.require_prim(self.level, ty, set, usage);
        self.names.at = None;
        if let Err(clash) = required {
            let headline = headline(self);
            let wanted = if set.contains(Prim::I64) { Prim::I64 } else { Prim::F64 };
            let hint = remedy(self).or_else(|| self.conversion(&Ty::prim(wanted), &self.names.zonk(ty), expr));
            self.report_clash(ty, ty, &clash, Context::new(span, headline).hint(hint));
        }
    }

    fn field_value(&mut self, expr: ExprId, index: usize, name: Ident) -> Ty {
        let path = QualName { quals: Vec::new(), name };
        let Some((v, _)) = self.resolve_value(&path) else { return Ty::error() };
        self.info.field_ref.insert((expr, index), v);
        let (ty, instance) = self.instantiate_var(v, name.span);
        if !instance.is_empty() {
            self.info.field_instance.insert((expr, index), (instance, ty.clone()));
            self.current.fields.push((expr, index));
        }
        ty
    }

    fn array_literal(&mut self, span: Span, elems: &[ExprId]) -> Ty {
        let Some((first, rest)) = elems.split_first() else {
            let elem = self.fresh(span);
            self.require_element(&elem, span);
            return Ty::array(Size::Const(0), elem);
        };
        let elem = self.infer(*first);
        for (i, e) in rest.iter().enumerate() {
            let ty = self.infer(*e);
            let ok = self.unify_at(self.ast[*e].span, &elem, &ty, &|this| {
                Context::new(this.ast[*e].span, format!("element {} of the array differs from the first one", i + 2))
                    .cause(this.ast[*first].span, "all elements must have the type of this one")
                    .value(*e)
            });
            if !ok {
                // One message for a list of equal mistakes.
                for e in &rest[i + 1..] {
                    self.infer(*e);
                }
                break;
            }
        }
        let elem = if self.require_element(&elem, span) { elem } else { Ty::error() };
        Ty::array(Size::Const(i64::try_from(elems.len()).unwrap_or(i64::MAX)), elem)
    }

    fn variable(&mut self, expr: ExprId, path: &QualName) -> Ty {
        let Some((var, fields)) = self.resolve_value(path) else { return Ty::error() };
        let (ty, instance) = self.instantiate_var(var, self.ast[expr].span);
        let ty = self.open_result(expr, &ty, &SizeCause::Result(Some(path.to_string())));
        self.info.resolved.insert(expr, Resolved { var, fields, instance, ty: ty.clone() });
        self.current.resolved.push(expr);
        let parts: Vec<Ident> = path.quals.iter().chain([&path.name]).copied().collect();
        let (base, names) = parts.split_at(parts.len() - fields);
        let mut span = base.first().map_or(path.name.span, |b| b.span.to(base[base.len() - 1].span));
        let mut ty = ty;
        for name in names {
            ty = self.project(&ty, *name, span);
            span = span.to(name.span);
        }
        ty
    }

    /// The type of a variable where it is used.
    pub(crate) fn instantiate_var(&mut self, var: VarId, span: Span) -> (Ty, Vec<TyArg>) {
        let info = &self.names.vars[var];
        if let VarKind::Intrinsic(id) = info.kind
            && let Intrinsic::Overloaded(op) = &intrinsics::def(id).intrinsic
        {
            let what = format!("the operator `{}`", op.name());
            let usage = self.usage(span, what);
            let operand = match op.class() {
                Class::Equality => self.fresh_with(span, Constraint::Equality(usage)),
                class => self.fresh_with(span, Constraint::Overloaded(class_set(class), usage)),
            };
            let ret = if op.yields_bool() { self.bool_ty() } else { operand.clone() };
            let inner = Ty::arrow(None, false, operand.clone(), ret);
            return (Ty::arrow(None, false, operand.clone(), inner), vec![TyArg::Type(operand)]);
        }
        let name = info.name;
        let Some(scheme) = info.scheme.clone() else {
            self.current.errors += 1;
            return (Ty::error(), Vec::new());
        };
        self.instantiate(&scheme, span, &|| name.to_string())
    }

    /// `e.f` for an expression of this type at `span`.
    pub(crate) fn project(&mut self, ty: &Ty, field: Ident, span: Span) -> Ty {
        let ty = self.names.shallow(ty);
        let name = field.name;
        match ty.kind() {
            TyKind::Error => Ty::error(),
            TyKind::Record(fields) => {
                if let Some((_, t)) = fields.iter().find(|(n, _)| *n == name) {
                    return t.clone();
                }
                let shown = self.names.show(&ty);
                let mut diagnostic = Diagnostic::error(
                    Code::UnknownField,
                    field.span,
                    format!("`{}` has no field `{name}`", self.text(span)),
                )
                .label("no such field")
                .cause(span, format!("this has type `{shown}`"));
                diagnostic = match crate::scope::nearest(name, fields.iter().map(|(n, _)| *n)) {
                    Some(guess) => diagnostic.hint(format!("did you mean `{guess}`?")),
                    None if fields.is_empty() => diagnostic,
                    None => diagnostic.hint(format!("it has {}", listed("field", "", fields.iter().map(|(n, _)| *n)))),
                };
                self.error(diagnostic)
            }
            TyKind::Meta(_) => {
                let result = self.fresh(field.span);
                let usage = self.usage(field.span, format!("taking the field `{name}`"));
                let fields = BTreeMap::from([(name, result.clone())]);
                let record = self.fresh_with(span, Constraint::Fields(fields, usage));
                self.unify(&record, &ty, &|_| {
                    Context::new(span, format!("the field `{name}` is taken of something that is no record"))
                        .code(Code::UnknownField)
                });
                result
            }
            _ => {
                self.tell_apart(&[&ty]);
                let shown = self.names.show(&ty);
                self.forget_shown();
                let diagnostic = Diagnostic::error(
                    Code::UnknownField,
                    field.span,
                    format!("`{}` is not a record, so it has no field `{name}`", self.text(span)),
                )
                .label("no such field")
                .cause(span, format!("this has type `{shown}`"));
                let remedy = self.pending.take().or_else(|| self.field_remedy(&ty, field, span));
                self.error(match remedy {
                    Some(remedy) => remedy.add_to(diagnostic),
                    None => diagnostic,
                })
            }
        }
    }

    /// The element type, sizes outermost first, of an array of at least `rank` dimensions.
    fn array_of_rank(&mut self, ty: &Ty, rank: usize, span: Span) -> Option<(Vec<Size>, Ty)> {
        let mut sizes = Vec::new();
        let mut ty = ty.clone();
        while sizes.len() < rank {
            let shallow = self.names.shallow(&ty);
            match shallow.kind() {
                TyKind::Array(size, elem) => {
                    sizes.push(size.clone());
                    ty = elem.clone();
                }
                TyKind::Error => return None,
                TyKind::Meta(_) => {
                    let size = self.fresh_size(span, "d", SizeCause::Inferred);
                    let elem = self.fresh(span);
                    self.require_element(&elem, span);
                    let array = Ty::array(size.clone(), elem.clone());
                    let ok = self.unify(&array, &shallow, &|this| {
                        Context::new(span, format!("`{}` is indexed but is not an array", this.text(span)))
                    });
                    if !ok {
                        return None;
                    }
                    sizes.push(size);
                    ty = elem;
                }
                _ => {
                    let message = if sizes.is_empty() {
                        format!("`{}` is indexed but is not an array", self.text(span))
                    } else {
                        format!("`{}` has only {} dimensions, but {rank} are indexed", self.text(span), sizes.len())
                    };
                    let message = message.replace("only 1 dimensions", "only one dimension");
                    let shown = self.names.show(&shallow);
                    let diagnostic = Diagnostic::error(Code::TypeMismatch, span, message).label(if sizes.is_empty() {
                        format!("this has type `{shown}`")
                    } else {
                        format!("its elements are of type `{shown}`")
                    });
                    let is_tuple = matches!(shallow.kind(), TyKind::Record(fields) if crate::types::is_tuple(fields));
                    self.error(match is_tuple && sizes.is_empty() {
                        true => diagnostic.hint(format!("a component of a tuple is `{}.0`", self.text(span))),
                        false => diagnostic,
                    });
                    return None;
                }
            }
        }
        Some((sizes, ty))
    }

    /// The type of `e[slice]` for `e` of this type.
    fn index(&mut self, expr: ExprId, ty: &Ty, slice: &Slice, span: Span) -> Ty {
        self.check_slice(slice, Some((expr, span)));
        let Some((sizes, elem)) = self.array_of_rank(ty, slice.dims.len(), span) else { return Ty::error() };
        let mut result = elem;
        for (dim, size) in slice.dims.iter().zip(&sizes).rev() {
            if let DimIndex::Slice { start, end, step, .. } = dim {
                let size = match self.slice_size(size, *start, *end, *step) {
                    Some(size) => size,
                    None => self.unknown_size(expr, "n", SizeCause::Slice),
                };
                result = Ty::array(size, result);
            }
        }
        result
    }

    /// Checks the indices of a slice. Where it yields elements, `array` is the whole expression and the place of the
    /// array.
    fn check_slice(&mut self, slice: &Slice, array: Option<(ExprId, Span)>) {
        for dim in &slice.dims {
            match dim {
                DimIndex::Fix(e) => {
                    let outer = std::mem::replace(&mut self.masked, array.map(|(whole, _)| (whole, *e)));
                    let ty = self.infer(*e);
                    self.masked = outer;
                    if let ExprKind::Int(lit) = &self.ast[*e].kind
                        && lit.suffix.is_none()
                    {
                        // A literal index is as good as any: nobody needs to say its type.
                        let _ = self.names.unify(self.level, &self.i64_ty(), &ty);
                    }
                    self.require_operand(
                        &ty,
                        PrimSet::signed(),
                        "an array index",
                        *e,
                        &|this| {
                            let shown = this.actual_phrase(&this.names.zonk(&ty));
                            format!("an array index must be a signed integer, this is {shown}")
                        },
                        &|this| this.index_remedy(array, *e, &ty),
                    );
                }
                DimIndex::Slice { start, end, step, .. } => {
                    for e in [start, end, step].into_iter().flatten() {
                        let ty = self.infer(*e);
                        let i64_ty = self.i64_ty();
                        self.unify(&i64_ty, &ty, &|this| {
                            Context::new(this.ast[*e].span, "the bounds of a slice must be of type `i64`").value(*e)
                        });
                    }
                }
            }
        }
    }

    /// The size of a slice, where it can be expressed.
    fn slice_size(
        &mut self,
        size: &Size,
        start: Option<ExprId>,
        end: Option<ExprId>,
        step: Option<ExprId>,
    ) -> Option<Size> {
        let step = step.map(|e| self.size_of_expr(e)).transpose().ok()?;
        self.warn_binding_sizes([end, start]);
        let part = |e: Option<ExprId>| e.map(|e| self.size_of_expr(e)).transpose().ok();
        let (start, end) = (part(start)?, part(end)?);
        let minus_one = Size::term(SizeHead::Neg, vec![Size::Const(1)]);
        match (start, end, step) {
            (None, None, Some(step)) if step == minus_one => Some(size.clone()),
            (start, end, step) if step.is_none() || step == Some(Size::Const(1)) => {
                let end = end.unwrap_or_else(|| size.clone());
                Some(match start {
                    None | Some(Size::Const(0)) => end,
                    Some(start) => self.size_op("-", end, start),
                })
            }
            _ => None,
        }
    }

    /// A size made by a built-in operator.
    fn size_op(&mut self, op: &str, a: Size, b: Size) -> Size {
        match self.builtin_operator(op) {
            Some(v) => Size::term(SizeHead::Apply, vec![Size::Var(v), a, b]),
            None => Size::Error,
        }
    }

    fn update(&mut self, ty: &Ty, slice: &Slice, value: ExprId, span: Span) {
        self.check_slice(slice, None);
        let value_ty = self.infer(value);
        let Some((_, elem)) = self.array_of_rank(ty, slice.dims.len(), span) else { return };
        let mut wanted = elem;
        // How many elements a slice has is checked when the program runs.
        for dim in slice.dims.iter().rev() {
            if let DimIndex::Slice { .. } = dim {
                wanted = Ty::array(self.fresh_size(slice.span, "n", SizeCause::Slice), wanted);
            }
        }
        self.unify(&wanted, &value_ty, &|this| {
            Context::new(this.ast[value].span, "the new value does not fit the place that is updated")
                .value(value)
                .cause(span, format!("in an array of type `{}`", this.names.show(&this.names.zonk(ty))))
        });
    }

    fn let_with(&mut self, expr: ExprId, dest: Ident, slice: &Slice, value: ExprId, body: ExprId) -> Ty {
        let path = QualName { quals: Vec::new(), name: dest };
        let Some((var, _)) = self.resolve_value(&path) else {
            self.check_slice(slice, None);
            self.infer(value);
            return self.scoped(|this| {
                this.bind_value(dest, Ty::error());
                this.infer(body)
            });
        };
        let (ty, instance) = self.instantiate_var(var, dest.span);
        self.info.resolved.insert(expr, Resolved { var, fields: 0, instance, ty: ty.clone() });
        self.current.resolved.push(expr);
        self.update(&ty, slice, value, dest.span);
        let mark = self.scope.mark();
        self.level += 1;
        let v = self.bind_value(dest, ty);
        self.info.bound_var.insert(expr, v);
        let result = self.infer(body);
        self.level -= 1;
        self.scope.leave(mark);
        self.unscope(expr, &result, &[v], None)
    }

    fn update_field(&mut self, e: ExprId, fields: &[Ident], value: ExprId) -> Ty {
        let ty = self.infer(e);
        let span = self.ast[e].span;
        let value_ty = self.infer(value);
        let mut current = ty.clone();
        let mut seen = span;
        let mut outer = Vec::new();
        for field in fields {
            let shallow = self.names.shallow(&current);
            if let TyKind::Meta(_) = shallow.kind() {
                let text = self.text(seen);
                return self.error(
                    Diagnostic::error(
                        Code::RecordTypeUnknown,
                        seen,
                        format!("the type of `{text}` must be known before its field `{}` is updated", field.name),
                    )
                    .label("its type is not known yet")
                    .hint("add a type annotation where it is bound"),
                );
            }
            current = self.project(&shallow, *field, seen);
            seen = seen.to(field.span);
            outer.push((shallow, field.name));
        }
        // The type must stay the same, but sizes may change.
        let zonked = self.names.zonk(&current);
        let loose = self.with_fresh_sizes(&zonked, span);
        if !self.unify(&loose, &value_ty, &|this| {
            Context::new(this.ast[value].span, "the new value does not have the type of the field").value(value)
        }) {
            return Ty::error();
        }
        outer.into_iter().rev().fold(value_ty, |new, (record, field)| match record.kind() {
            TyKind::Record(fields) => Ty::new(TyKind::Record(
                fields.iter().map(|(n, t)| (*n, if *n == field { new.clone() } else { t.clone() })).collect(),
            )),
            _ => Ty::error(),
        })
    }

    fn coerce(&mut self, expr: ExprId, e: ExprId, t: kenaz_syntax::ast::TypeExpId) -> Ty {
        let ty = self.infer(e);
        let before = self.current.sizes.len();
        let written = self.eval_type_inferred(t, &SizeCause::Coercion).without_unique();
        let open: Vec<VarId> = self.current.sizes[before..].to_vec();
        // The types must agree but for their sizes.
        let span = self.ast[expr].span;
        let loose = self.with_fresh_sizes(&self.names.zonk(&written), span);
        let ok = self.unify(&loose, &ty, &|this| {
            let (e, t) = (this.ast[e].span, this.ast[t].span);
            Context::new(e, format!("`{}` cannot be coerced to a type that differs in more than sizes", this.text(e)))
                .cause(t, "the type that is stated")
        });
        if ok {
            // What the coercion leaves open is as in the value. A size that it names is not, whatever that will be.
            let actual = self.names.zonk(&loose);
            self.fill_open_sizes(&open, &written, &actual);
        }
        written
    }

    fn range(&mut self, expr: ExprId, range: &Range) -> Ty {
        let first = self.infer(range.first);
        self.require_operand(
            &first,
            PrimSet::signed(),
            "a range",
            range.first,
            &|this| {
                let shown = this.actual_phrase(&this.names.zonk(&first));
                format!("a range consists of signed integers, this is {shown}")
            },
            &|_| None,
        );
        let fits = |this: &mut Self, e: ExprId| {
            let ty = this.infer(e);
            this.unify_at(this.ast[e].span, &first, &ty, &|this| {
                Context::new(this.ast[e].span, "the bounds of a range must have the same type")
                    .cause(this.ast[range.first].span, "the type of this one")
                    .value(e)
            });
        };
        if let Some(second) = range.second {
            fits(self, second);
        }
        fits(self, range.last);
        let size = match self.range_size(&first, range) {
            Some(size) => size,
            None => self.unknown_size(expr, "range", SizeCause::Range),
        };
        Ty::array(size, first)
    }

    /// The length of a range of `i64`s, where it can be expressed.
    fn range_size(&mut self, ty: &Ty, range: &Range) -> Option<Size> {
        if self.names.shallow(ty).as_prim() != Some(Prim::I64) {
            return None;
        }
        self.warn_binding_sizes([Some(range.last), Some(range.first)]);
        let first = self.size_of_expr(range.first).ok()?;
        let last = self.size_of_expr(range.last).ok()?;
        let second = range.second.map(|e| self.size_of_expr(e)).transpose().ok()?;
        match (range.kind, second, first) {
            (RangeKind::UpTo, None | Some(Size::Const(1)), Size::Const(0)) => Some(last),
            (RangeKind::UpTo, None, first) => Some(self.size_op("-", last, first)),
            (RangeKind::Inclusive, Some(Size::Const(2)), Size::Const(1)) => Some(last),
            (RangeKind::Inclusive, None, first) => {
                let steps = self.size_op("-", last, first);
                Some(self.size_op("+", steps, Size::Const(1)))
            }
            _ => None,
        }
    }
}

/// ``the fields `x` and `y` ``
pub(crate) fn listed(what: &str, mark: &str, names: impl Iterator<Item = Symbol>) -> String {
    let names: Vec<String> = names.map(|n| format!("`{mark}{n}`")).collect();
    match &names[..] {
        [] => format!("no {what}s"),
        [one] => format!("the {what} {one}"),
        [init @ .., last] => format!("the {what}s {} and {last}", init.join(", ")),
    }
}

/// The primitive types of a class.
pub(crate) fn class_set(class: Class) -> PrimSet {
    PrimSet::of(|p| class.contains(p))
}
