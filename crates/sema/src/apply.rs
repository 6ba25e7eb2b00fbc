//! Application of functions and operators.

use crate::checker::Checker;
use crate::info::Resolved;
use crate::lookup::module_as_value;
use crate::names::{Constraint, MetaState, SizeCause};
use crate::remedy::{Application, Remedy, binds_names, is_comparison};
use crate::report::Context;
use crate::scope::Term;
use crate::sizes::NotASize;
use crate::types::{Size, Ty, TyKind, VarId};
use crate::walk::{Subst, free_vars};
use kenaz_base::{Code, Diagnostic, Prim, Span, Symbol};
use kenaz_syntax::ast::{BinOp, ExprId, ExprKind};

/// An argument that has been typed.
pub(crate) struct Arg {
    pub expr: ExprId,
    pub ty: Ty,
}

impl Checker<'_> {
    /// `f a b c`
    pub(crate) fn apply(&mut self, expr: ExprId, f: ExprId, args: &[ExprId]) -> Ty {
        if let Some(error) = self.type_as_function(f, args) {
            return error;
        }
        if self.is_unknown(f) {
            return self.apply_unknown(expr, f, args);
        }
        let fun_ty = self.infer(f);
        let span = self.ast[f].span;
        if let Some((at, left, remedy)) = self.infix_word(f, &fun_ty, args) {
            let operand = args[..at].last().map_or(span, |last| span.to(self.ast[*last].span));
            return self.word_between(operand, &left, args, remedy);
        }
        let args: Vec<Arg> = args.iter().map(|e| Arg { expr: *e, ty: self.infer(*e) }).collect();
        let name = self.function_name(f);
        self.apply_all(expr, span, name.as_deref(), fun_ty, &args)
    }

    /// `i64 x` for a conversion: the name is that of a module.
    fn type_as_function(&mut self, f: ExprId, args: &[ExprId]) -> Option<Ty> {
        let ExprKind::Var(path) = &self.ast[self.without_parens(f)].kind else { return None };
        let name = path.name.name;
        let prim = Prim::ALL.into_iter().find(|p| p.name() == name.as_str() && path.quals.is_empty())?;
        if !matches!(self.scope.term(name), Some(Term::Module(_))) {
            return None;
        }
        let tys: Vec<Ty> = args.iter().map(|e| self.infer(*e)).collect();
        let from = tys.first().and_then(|ty| self.prim(ty)).filter(|from| *from != prim);
        let diagnostic = module_as_value(path);
        Some(self.error(match (from, args.first()) {
            (Some(from), Some(arg)) => {
                let text = format!("{name}.{} {}", from.name(), self.argument_text(*arg));
                let diagnostic = diagnostic.hint(format!("a conversion is written `{text}`"));
                let span = self.ast[f].span.to(self.ast[*arg].span);
                if text.contains('…') { diagnostic } else { diagnostic.fix(span, format!("({text})")) }
            }
            _ => diagnostic.hint(format!("name something in the module: `{name}.…`")),
        }))
    }

    /// A call of something that is not found: its arguments tell what may be meant.
    fn apply_unknown(&mut self, expr: ExprId, f: ExprId, args: &[ExprId]) -> Ty {
        let args: Vec<Arg> = args.iter().map(|e| Arg { expr: *e, ty: self.infer(*e) }).collect();
        self.pending = self.call_remedy(expr, f, &args);
        let ty = self.infer(f);
        self.pending = None;
        if ty.is_error() {
            return ty;
        }
        let (span, name) = (self.ast[f].span, self.function_name(f));
        self.apply_all(expr, span, name.as_deref(), ty, &args)
    }

    /// `1 and x`: a word between two operands, of which the first one is all that is in front of it.
    ///
    /// Returns how many arguments are in front of it, and the type of the first operand.
    fn infix_word(&self, f: ExprId, fun_ty: &Ty, args: &[ExprId]) -> Option<(usize, Ty, Remedy)> {
        let word = |(at, e): (usize, &ExprId)| match &self.ast[*e].kind {
            ExprKind::Var(path) if path.quals.is_empty() => {
                let (name, span, is_last) = (path.name.name.as_str(), path.name.span, at + 1 == args.len());
                match is_last {
                    true => (name == "end").then(|| Remedy::new("nothing is closed by `end`").fix(span, "")),
                    false if name == "as" => self.cast_remedy(f, &args[..at], args[at + 1]),
                    false => Self::word_remedy(name, span),
                }
                .map(|remedy| (at, remedy))
            }
            _ => None,
        };
        let (at, remedy) = args.iter().enumerate().find_map(word)?;
        let fun_ty = self.names.zonk(fun_ty);
        let mut left = &fun_ty;
        for _ in 0..at {
            match left.kind() {
                TyKind::Arrow(arrow) => left = &arrow.ret,
                _ => return None,
            }
        }
        let is_value = match left.kind() {
            TyKind::Meta(_) => self.overloaded(left).is_some(),
            kind => !matches!(kind, TyKind::Arrow(_) | TyKind::Error),
        };
        is_value.then(|| (at, left.clone(), remedy))
    }

    fn word_between(&mut self, span: Span, left: &Ty, args: &[ExprId], remedy: Remedy) -> Ty {
        self.muted(|this| args.iter().for_each(|e| drop(this.infer(*e))));
        let (text, shown) = (self.text(span), self.actual_phrase(&self.names.zonk(left)));
        let is_behind = |e: &&ExprId| self.ast[**e].span.lo >= span.hi;
        let word = args.iter().find(is_behind).map_or(span, |e| self.ast[*e].span);
        let message = format!("`{text}` is applied but is not a function");
        let label = if shown.starts_with('`') { format!("this has type {shown}") } else { format!("this is {shown}") };
        let diagnostic =
            Diagnostic::error(Code::NotAFunction, span, message).label(label).cause(word, "applied to this");
        self.error(remedy.add_to(diagnostic))
    }

    /// What to call a function in messages: its name, if it has one.
    pub(crate) fn function_name(&self, f: ExprId) -> Option<String> {
        match &self.ast[f].kind {
            ExprKind::Var(path) => Some(path.to_string()),
            ExprKind::OpSection(op) => Some(op.name.to_string()),
            ExprKind::Paren(e) => self.function_name(*e),
            _ => None,
        }
    }

    fn apply_all(&mut self, expr: ExprId, fun_span: Span, name: Option<&str>, fun_ty: Ty, args: &[Arg]) -> Ty {
        let mut ty = fun_ty;
        for i in 0..args.len() {
            match self.apply_one(expr, fun_span, name, &ty, args, i) {
                Some(result) => ty = result,
                None => return Ty::error(),
            }
            // What is left may need an argument of a size that does not exist yet.
            if i + 1 < args.len() {
                let zonked = self.names.zonk(&ty);
                if let TyKind::Exists(_, body) = zonked.kind() {
                    if let TyKind::Arrow(_) = body.kind() {
                        return self.finish_application(expr, &ty, name);
                    }
                    ty = body.clone();
                }
            }
        }
        self.finish_application(expr, &ty, name)
    }

    /// The result of an application: fresh unknown sizes for existential ones, no `*`.
    fn finish_application(&mut self, expr: ExprId, ty: &Ty, name: Option<&str>) -> Ty {
        let zonked = self.names.zonk(ty);
        if let TyKind::Exists(dims, body) = zonked.kind()
            && let TyKind::Arrow(_) = body.kind()
        {
            let (dims, shown) = (dims.clone(), self.names.show(&zonked));
            let sizes: Vec<String> = dims.iter().map(|d| format!("`{}`", self.names.vars[*d].name)).collect();
            return self.error(
                Diagnostic::error(
                    Code::SizeUnknownFunction,
                    self.ast[expr].span,
                    "the function that this yields needs an argument of a size that is not known yet",
                )
                .label(format!("this would have type `{shown}`"))
                .note(format!("the size {} exists only once the first function has returned", sizes.join(", ")))
                .hint("apply the functions one after the other with `|>` instead of composing them"),
            );
        }
        let cause = SizeCause::Result(name.map(str::to_string));
        self.open_result(expr, &zonked, &cause).without_unique()
    }

    fn apply_one(
        &mut self,
        expr: ExprId,
        fun_span: Span,
        name: Option<&str>,
        fun_ty: &Ty,
        args: &[Arg],
        index: usize,
    ) -> Option<Ty> {
        let arg = &args[index];
        let mut fun_ty = self.names.shallow(fun_ty);
        if let TyKind::Unique(t) = fun_ty.kind() {
            fun_ty = self.names.shallow(&t.clone());
        }
        if let TyKind::Meta(_) = fun_ty.kind() {
            let (a, b) = (self.fresh(self.ast[arg.expr].span), self.fresh(self.ast[expr].span));
            let arrow = Ty::arrow(None, false, a, b);
            if !self.unify(&fun_ty, &arrow, &|this| {
                Context::new(fun_span, format!("`{}` is applied but is not a function", this.text(fun_span)))
                    .code(Code::NotAFunction)
            }) {
                return None;
            }
            fun_ty = arrow;
        }
        let TyKind::Arrow(arrow) = fun_ty.kind() else {
            if !fun_ty.is_error() {
                self.not_a_function(fun_span, &fun_ty, arg, index);
            } else {
                self.current.errors += 1;
            }
            return None;
        };
        let arg_span = self.ast[arg.expr].span;
        self.names.at = Some(arg_span);
        let unified = self.names.unify(self.level, &arrow.arg, &arg.ty);
        self.names.at = None;
        if let Err(clash) = unified {
            if let Some(diagnostic) = self.section_operand(&arrow.arg, args, index) {
                self.error(diagnostic);
                return None;
            }
            self.tell_apart(&[&arrow.arg, &arg.ty, &fun_ty]);
            let app = Application { expr, fun_span, name, fun_ty: &fun_ty, args, index };
            let context = self.argument_context(&app);
            self.report_clash(&arrow.arg, &arg.ty, &clash, context);
            return None;
        }
        let mut ret = arrow.ret.clone();
        if let Some(p) = arrow.param {
            let zonked = self.names.zonk(&ret);
            if free_vars(&zonked).contains(&p) {
                let size = self.size_of_argument(expr, arg.expr, name);
                ret = Subst::one_size(p, size).apply(&zonked);
            }
        }
        Some(ret)
    }

    fn argument_context(&self, app: &Application<'_>) -> Context {
        let Application { fun_span, name, fun_ty, args, index, .. } = *app;
        let arg = &args[index];
        let span = self.ast[arg.expr].span;
        let what = self.text(span);
        let is_operator = name.is_some_and(crate::display::is_operator);
        let function = name.map_or("this function".to_string(), |f| format!("`{f}`"));
        let headline = match is_operator {
            true => format!("`{what}` is no operand for {function}"),
            false => format!("{function} cannot be applied to `{what}`"),
        };
        let is_long = headline.chars().count() > 100;
        let headline = if is_long { format!("{function} cannot be applied to this argument") } else { headline };
        let mut context = Context::new(span, headline).code(Code::ArgumentMismatch).value(arg.expr);
        context.function = name.map(str::to_string);
        context.hint = self.argument_remedy(app);
        match fun_ty.kind() {
            TyKind::Arrow(arrow) if !is_operator => {
                context.cause(fun_span, self.describe_function(arrow.param, fun_ty))
            }
            _ => context,
        }
    }

    /// `map (/ n) xs` where `n` has another type than the elements of `xs`: the mistake is most likely in the section.
    fn section_operand(&self, expected: &Ty, args: &[Arg], index: usize) -> Option<Diagnostic> {
        let elem = |ty: &Ty| match self.names.shallow(ty).kind() {
            TyKind::Array(_, elem) => self.prim(elem).filter(|p| p.is_numeric()),
            _ => None,
        };
        let (want, have) = (elem(expected)?, elem(&args[index].ty)?);
        let operand =
            args[..index].iter().rev().find_map(|arg| match &self.ast[self.without_parens(arg.expr)].kind {
                ExprKind::LeftSection(e, _) | ExprKind::RightSection(_, e) => Some(*e),
                _ => None,
            })?;
        if want == have || self.prim(self.info.expr_ty.get(operand)?) != Some(want) {
            return None;
        }
        let (span, array) = (self.ast[operand].span, self.ast[args[index].expr].span);
        let remedy = self.converted(operand, have, want);
        Some(
            remedy.add_to(
                Diagnostic::error(
                    Code::ArgumentMismatch,
                    span,
                    format!("`{}` does not have the type of the elements of `{}`", self.text(span), self.text(array)),
                )
                .label(format!("expected `{}`, found `{}`", have.name(), want.name()))
                .cause(array, format!("its elements are of type `{}`", have.name())),
            ),
        )
    }

    fn describe_function(&self, param: Option<VarId>, fun_ty: &Ty) -> String {
        let shown = self.names.show(&self.names.zonk(fun_ty));
        match param {
            Some(p) => format!("its parameter `{}`: the function has type `{shown}`", self.names.vars[p].name),
            None => format!("the function has type `{shown}`"),
        }
    }

    fn not_a_function(&mut self, fun_span: Span, fun_ty: &Ty, arg: &Arg, index: usize) {
        self.tell_apart(&[fun_ty]);
        let (text, shown) = (self.text(fun_span), self.names.show(&self.names.zonk(fun_ty)));
        self.forget_shown();
        let text = text.trim_matches('`');
        let arg_span = self.ast[arg.expr].span;
        let mut diagnostic = if index == 0 {
            Diagnostic::error(Code::NotAFunction, fun_span, format!("`{text}` is applied but is not a function"))
                .label(format!("this has type `{shown}`"))
                .cause(arg_span, "applied to this")
        } else {
            Diagnostic::error(
                Code::NotAFunction,
                arg_span,
                format!("`{text}` takes {}, but more are given", crate::type_exp::count(index, "argument")),
            )
            .label("this argument is one too many")
            .cause(fun_span, format!("what is left after the others has type `{shown}`"))
        };
        match (fun_ty.kind(), &self.ast[arg.expr].kind) {
            (TyKind::Array(..), ExprKind::Array(elems)) if elems.len() == 1 && index == 0 => {
                let gap = Span { lo: fun_span.hi, hi: arg_span.lo, ..fun_span };
                diagnostic = diagnostic.hint("an index is written without a space: `a[i]`");
                if text.chars().all(|c| c.is_alphanumeric() || c == '_') {
                    diagnostic = diagnostic.fix(gap, "");
                }
            }
            (TyKind::Array(..), ExprKind::Tuple(_) | ExprKind::Paren(_)) if index == 0 => {
                let inside = self.text(arg_span);
                let inside = inside.trim_start_matches('(').trim_end_matches(')');
                diagnostic = diagnostic.hint(format!("an index stands in brackets: `{text}[{inside}]`"));
                if !inside.contains(['(', ')', '…']) {
                    diagnostic = diagnostic.fix(fun_span.to(arg_span), format!("{text}[{inside}]"));
                }
            }
            (TyKind::Array(..), _) => diagnostic = diagnostic.hint("an index is written without a space: `a[i]`"),
            (TyKind::Record(_), ExprKind::Record(fields)) if index == 0 => {
                let fields: Vec<&str> = fields
                    .iter()
                    .filter_map(|f| Some(self.sources.text(f.name.span.to(self.ast[f.value?].span))))
                    .collect();
                let new = format!("with {}", fields.join(" with "));
                diagnostic = diagnostic.hint(format!("a record is updated by `{text} {new}`")).fix(arg_span, new);
            }
            _ => {}
        }
        self.error(diagnostic);
    }

    /// The argument as a size, for a function whose result type mentions its parameter.
    fn size_of_argument(&mut self, expr: ExprId, arg: ExprId, name: Option<&str>) -> Size {
        match self.size_of_expr(arg) {
            Ok(size) => {
                self.note_size(&size, arg);
                if let Size::Term(_) = size {
                    self.info.argument_sizes.insert(arg, size.clone());
                }
                size
            }
            Err(why) => {
                let span = self.ast[arg].span;
                self.warn_binding_sizes([Some(arg)]);
                let cause = SizeCause::Argument {
                    text: self.text(span),
                    of: name.map(str::to_string),
                    binding: why == NotASize::Binds,
                };
                self.unknown_size(expr, "n", cause)
            }
        }
    }

    /// Warns about the first of these expressions that cannot be a size because it binds a name.
    pub(crate) fn warn_binding_sizes<const N: usize>(&mut self, sizes: [Option<ExprId>; N]) {
        let binds = |e: &ExprId| self.size_of_expr(*e) == Err(NotASize::Binds);
        let Some(expr) = sizes.into_iter().flatten().find(binds) else { return };
        self.warn(
            Diagnostic::warning(
                Code::SizeWithBinding,
                self.ast[expr].span,
                "a size expression with binding is replaced by an unknown size",
            )
            .label("this binds a name, so it cannot be part of a type")
            .hint("bind the size with `let` before this expression"),
        );
    }

    /// The built-in operator of this spelling.
    pub(crate) fn builtin_operator(&self, op: &str) -> Option<VarId> {
        self.operators.get(&Symbol::intern(op)).copied()
    }

    fn is_logical(op: &BinOp) -> bool {
        !op.backtick && op.name.quals.is_empty() && matches!(op.name.name.name.as_str(), "&&" | "||")
    }

    /// The type of an operator where it is used; `expr` remembers what it is.
    pub(crate) fn operator(&mut self, expr: ExprId, op: &BinOp) -> Ty {
        let b = self.bool_ty();
        if Self::is_logical(op) {
            return Ty::arrow(None, false, b.clone(), Ty::arrow(None, false, b.clone(), b));
        }
        let Some((var, fields)) = self.resolve_value(&op.name) else { return Ty::error() };
        let (ty, instance) = self.instantiate_var(var, op.span);
        self.info.resolved.insert(expr, Resolved { var, fields, instance, ty: ty.clone() });
        self.current.resolved.push(expr);
        if fields > 0 {
            let parts: Vec<_> = op.name.quals.iter().chain([&op.name.name]).copied().collect();
            return parts[parts.len() - fields..].iter().fold(ty, |ty, f| self.project(&ty, *f, op.span));
        }
        ty
    }

    pub(crate) fn binary(&mut self, expr: ExprId, op: &BinOp, a: ExprId, b: ExprId) -> Ty {
        let op_ty = self.operator(expr, op);
        if op_ty.is_error() && binds_names(op.name.name.name.as_str()) {
            return self.muted(|this| {
                this.infer(a);
                this.infer(b);
                Ty::error()
            });
        }
        let outer = std::mem::replace(&mut self.compared, is_comparison(op).then_some(expr));
        let a = Arg { expr: a, ty: self.infer(a) };
        self.compared = outer;
        let is_builtin = self.is_builtin(expr, op);
        // With a function for its left operand, the right one is not what the operator is applied to.
        let is_function = is_builtin && matches!(self.names.shallow(&a.ty).kind(), TyKind::Arrow(_));
        let b_ty = if is_function { self.muted(|this| this.infer(b)) } else { self.infer(b) };
        if is_builtin && !is_function && (a.ty.is_error() || b_ty.is_error()) {
            self.current.errors += 1;
            return Ty::error();
        }
        let b = Arg { expr: b, ty: b_ty };
        let name = op.name.to_string();
        let mixed = self.mixed_operands(expr, op, &a, &b).or_else(|| self.decimal_operand(expr, op, &a, &b));
        if let Some(diagnostic) = mixed {
            return self.error(diagnostic);
        }
        self.apply_all(expr, op.span, Some(&name), op_ty, &[a, b])
    }

    /// A better message for the most frequent mistake: numbers of different types.
    fn mixed_operands(&self, expr: ExprId, op: &BinOp, a: &Arg, b: &Arg) -> Option<Diagnostic> {
        let var = self.info.resolved.get(expr)?.var;
        if self.operators.get(&op.name.name.name) != Some(&var) {
            return None;
        }
        let prim = |ty: &Ty| self.names.shallow(ty).as_prim();
        let (p, q) = (prim(&a.ty)?, prim(&b.ty)?);
        if p == q || !p.is_numeric() || !q.is_numeric() {
            return None;
        }
        let (sa, sb) = (self.ast[a.expr].span, self.ast[b.expr].span);
        let name = op.name.name.name;
        // An integer becomes a floating-point number, not the other way round.
        let (to, from, converted) = if q.is_float() && p.is_integer() { (q, p, a) } else { (p, q, b) };
        let diagnostic = Diagnostic::error(
            Code::ArgumentMismatch,
            op.span,
            format!("the operands of `{name}` have different types: `{}` and `{}`", p.name(), q.name()),
        )
        .label("both must have the same type")
        .cause(sa, format!("this is of type `{}`", p.name()))
        .cause(sb, format!("this is of type `{}`", q.name()));
        let remedy = self.converted(converted.expr, to, from);
        let hint = remedy.hint.replace("convert it:", "convert one of them:");
        Some(Remedy { hint, ..remedy }.add_to(diagnostic))
    }

    /// `x + 0.5` with an integer `x`.
    fn decimal_operand(&self, expr: ExprId, op: &BinOp, a: &Arg, b: &Arg) -> Option<Diagnostic> {
        let var = self.info.resolved.get(expr)?.var;
        if self.operators.get(&op.name.name.name) != Some(&var) {
            return None;
        }
        let is_decimal = |arg: &Arg| match self.names.shallow(&arg.ty).kind() {
            TyKind::Meta(m) => matches!(&self.names.metas[*m].state, MetaState::Open(Constraint::Overloaded(_, usage))
                if usage.what == "a decimal literal" && usage.span == self.ast[self.without_parens(arg.expr)].span),
            _ => false,
        };
        let (literal, other) = if is_decimal(b) { (b, a) } else { (a, b) };
        let prim = self.prim(&other.ty).filter(|p| p.is_integer())?;
        if !is_decimal(literal) {
            return None;
        }
        let diagnostic = Diagnostic::error(
            Code::ArgumentMismatch,
            self.ast[literal.expr].span,
            format!("a decimal literal cannot be of type `{}`", prim.name()),
        )
        .label(format!("both operands of `{}` must have the same type", op.name))
        .cause(self.ast[other.expr].span, format!("this is of type `{}`", prim.name()));
        // Who writes a point means a number with a fraction.
        let text = self.sources.text(self.ast[literal.expr].span);
        let integral = self.integral(self.without_parens(literal.expr)).filter(|_| !text.contains('.'));
        let remedy = integral.unwrap_or_else(|| {
            let remedy = self.converted(other.expr, Prim::F64, prim);
            Remedy { hint: remedy.hint.replace("convert it:", "convert the other operand:"), ..remedy }
        });
        Some(remedy.add_to(diagnostic))
    }

    /// `(e +)`
    pub(crate) fn left_section(&mut self, expr: ExprId, e: ExprId, op: &BinOp) -> Ty {
        let op_ty = self.operator(expr, op);
        let arg = Arg { expr: e, ty: self.infer(e) };
        let name = op.name.to_string();
        self.apply_all(expr, op.span, Some(&name), op_ty, &[arg])
    }

    /// `(+ e)`: a function of the left operand.
    pub(crate) fn right_section(&mut self, expr: ExprId, op: &BinOp, e: ExprId) -> Ty {
        let op_ty = self.operator(expr, op);
        let arg = Arg { expr: e, ty: self.infer(e) };
        let name = op.name.to_string();
        let span = self.ast[expr].span;
        // The operator as a function of both operands.
        let op_ty = self.names.shallow(&op_ty);
        let (param, consumes, left, rest) = match op_ty.kind() {
            TyKind::Error => return Ty::error(),
            TyKind::Arrow(arrow) => (arrow.param, arrow.consumes, arrow.arg.clone(), arrow.ret.clone()),
            _ => {
                let (a, b) = (self.fresh(span), self.fresh(span));
                let arrow = Ty::arrow(None, false, a.clone(), b.clone());
                self.unify(&op_ty, &arrow, &|this| {
                    Context::new(op.span, format!("`{}` is applied but is not a function", this.text(op.span)))
                        .code(Code::NotAFunction)
                });
                (None, false, a, b)
            }
        };
        let rest = self.names.shallow(&rest);
        if !matches!(rest.kind(), TyKind::Arrow(_) | TyKind::Meta(_) | TyKind::Unique(_) | TyKind::Error) {
            self.not_a_function(op.span, &rest, &arg, 1);
            return Ty::error();
        }
        match self.apply_one(expr, op.span, Some(&name), &rest, &[arg], 0) {
            Some(ret) => Ty::arrow(param, consumes, left, ret),
            None => Ty::error(),
        }
    }
}
