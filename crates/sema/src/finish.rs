//! The end of a definition: what inference left open is settled or reported, and the side tables get their final types.

use crate::checker::{Checker, Current, Literal};
use crate::expr::listed;
use crate::function::Typed;
use crate::limits;
use crate::names::{Constraint, MetaState, SizeCause, Usage, VarKind};
use crate::types::{MetaId, Scheme, Size, Ty, TyArg, TyKind, VarId};
use crate::walk::{TyMap, free_vars, open_metas};
use kenaz_base::{Code, Diagnostic, Prim, Span, Symbol};

impl Checker<'_> {
    /// Settles the definition being checked, whose type is `typed`, and returns its scheme.
    pub(crate) fn finish_definition(&mut self, typed: Typed) -> Scheme {
        let warnings = self.default_numbers(&typed.ty);
        let failed = self.current.errors > 0;
        let mut scheme = self.generalise(typed);
        if failed {
            self.erase_open();
        } else {
            self.report_open_types();
            self.report_open_sizes(&scheme);
        }
        scheme.ty = self.final_ty(&scheme.ty);
        self.finish_tables();
        if limits::is_exceeded() {
            self.current.errors += 1;
        }
        if self.current.errors == 0 {
            self.check_literals();
            self.warn_literals();
            warnings.into_iter().for_each(|w| self.warn(w));
        }
        scheme
    }

    /// Numbers whose type nothing determines are `i32`, or `f64` if they cannot be. That is worth a warning where
    /// others can see it, in the type of the definition.
    fn default_numbers(&mut self, ty: &Ty) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        let visible = open_metas(&self.names.zonk(ty));
        for i in 0..self.current.metas.len() {
            let meta = self.current.metas[i];
            let info = &self.names.metas[meta];
            let MetaState::Open(Constraint::Overloaded(set, usage)) = &info.state else { continue };
            let prim = [Prim::I32, Prim::F64].into_iter().find(|p| set.contains(*p)).or_else(|| set.iter().next());
            let (span, what) = (info.span, usage.what.clone());
            let Some(prim) = prim else { continue };
            if visible.contains(&meta) {
                warnings.push(self.defaulted(meta, prim, span, &what));
            }
            self.names.metas[meta].state = MetaState::Solved(Ty::prim(prim));
        }
        warnings
    }

    fn defaulted(&self, meta: MetaId, prim: Prim, span: Span, what: &str) -> Diagnostic {
        let of_meta = |ty: &Ty| matches!(self.names.shallow(ty).kind(), TyKind::Meta(m) if *m == meta);
        let literal = self.current.literals.iter().find(|(_, ty, _)| of_meta(ty)).map(|(_, _, span)| *span);
        let usual = if prim.is_float() { "f64" } else { "i64" };
        let what = if literal.is_some_and(|at| at != span) { "this number" } else { what };
        let diagnostic = Diagnostic::warning(
            Code::DefaultedType,
            span,
            format!("ambiguous numeric type: `{}` is chosen by default", prim.name()),
        )
        .label(format!("nothing determines the type of {what}"));
        match literal.map(|span| self.text(span)).filter(|text| !text.starts_with('\'')) {
            Some(text) => {
                diagnostic.hint(format!("say which type is meant, for example with a suffix: `{text}{usual}`"))
            }
            None => diagnostic.hint("say which type is meant with a type annotation"),
        }
    }

    /// After an error, what is open stays so without a further word.
    fn erase_open(&mut self) {
        for meta in std::mem::take(&mut self.current.metas) {
            if let MetaState::Open(_) = self.names.metas[meta].state {
                self.names.metas[meta].state = MetaState::Solved(Ty::error());
            }
        }
        for v in std::mem::take(&mut self.current.sizes) {
            if let VarKind::Flexible(cause, None) = &self.names.vars[v].kind {
                self.names.vars[v].kind = VarKind::Flexible(cause.clone(), Some(Size::Error));
            }
        }
    }

    fn report_open_types(&mut self) {
        for meta in std::mem::take(&mut self.current.metas) {
            let MetaState::Open(constraint) = self.names.metas[meta].state.clone() else { continue };
            let solution = match constraint {
                // Nothing depends on it: any type will do.
                Constraint::Any => Ty::unit(),
                Constraint::Overloaded(..) => continue,
                Constraint::Equality(usage) => self.ambiguous(
                    usage.span,
                    format!("the type of the operands of {} is ambiguous", usage.what),
                    "any type that can be compared would do",
                    "add a type annotation, for example to a parameter or to the result",
                ),
                Constraint::Fields(fields, usage) => {
                    let known = listed("field", "", fields.keys().copied());
                    let types: Vec<String> = fields.iter().map(|(name, ty)| self.known_field(*name, ty)).collect();
                    let written = format!("{{{}}}", types.join(", "));
                    self.ambiguous_parts(meta, "record", &usage, &known, &written);
                    self.silence(fields.into_values())
                }
                Constraint::Constructors(constrs, usage) => {
                    let known = listed("constructor", "#", constrs.keys().copied());
                    let payload = |tys: &[Ty]| tys.iter().map(|_| " …").collect::<String>();
                    let types: Vec<String> =
                        constrs.iter().map(|(name, tys)| format!("#{name}{}", payload(tys))).collect();
                    self.ambiguous_parts(meta, "sum", &usage, &known, &types.join(" | "));
                    self.silence(constrs.into_values().flatten())
                }
            };
            self.names.metas[meta].state = MetaState::Solved(solution);
        }
    }

    /// Reports a record or sum of which only some parts are known.
    fn ambiguous_parts(&mut self, meta: MetaId, what: &str, usage: &Usage, known: &str, written: &str) {
        let label = format!("all that is known is that it has {known}");
        match self.variable_of(meta) {
            Some(v) => {
                let (name, span) = (self.names.vars[v].name, self.names.vars[v].span);
                let hint = format!("state its type where it is bound, as in `({name}: {written})`");
                self.ambiguous(span, format!("the type of `{name}` is ambiguous"), &label, &hint);
            }
            None => {
                let message = format!("the type of this {what} is ambiguous ({})", usage.what);
                self.ambiguous(usage.span, message, &label, "add a type annotation, for example to a parameter");
            }
        }
    }

    /// A field as one would write it, as far as its type is known.
    fn known_field(&self, name: Symbol, ty: &Ty) -> String {
        let ty = self.names.zonk(ty);
        let shown = if open_metas(&ty).is_empty() { self.names.show(&ty) } else { "…".to_string() };
        format!("{name}: {shown}")
    }

    /// Lets what is open in the parts of a type that was reported be without a further word.
    fn silence(&mut self, parts: impl Iterator<Item = Ty>) -> Ty {
        for part in parts {
            for meta in open_metas(&self.names.zonk(&part)) {
                let state = std::mem::replace(&mut self.names.metas[meta].state, MetaState::Solved(Ty::error()));
                if let MetaState::Open(Constraint::Fields(fields, _)) = state {
                    self.silence(fields.into_values());
                }
            }
        }
        Ty::error()
    }

    /// A variable whose type this is.
    fn variable_of(&self, meta: MetaId) -> Option<VarId> {
        let has_type = |v: &&VarId| {
            let ty = self.names.vars[**v].scheme.as_ref().map(|scheme| self.names.shallow(&scheme.ty));
            ty.is_some_and(|ty| matches!(ty.kind(), TyKind::Meta(m) if *m == meta))
        };
        self.current.values.iter().find(has_type).copied()
    }

    fn ambiguous(&mut self, span: Span, message: String, label: &str, hint: &str) -> Ty {
        self.error(Diagnostic::error(Code::AmbiguousType, span, message).label(label).hint(hint))
    }

    fn report_open_sizes(&mut self, scheme: &Scheme) {
        let in_type = free_vars(&scheme.ty);
        for v in std::mem::take(&mut self.current.sizes) {
            let VarKind::Flexible(cause, None) = self.names.vars[v].kind.clone() else { continue };
            if in_type.contains(&v) {
                continue;
            }
            // One message for sizes that are open for the same reason.
            let span = self.names.vars[v].span;
            let name = self.names.vars[v].name;
            let (message, label) = match &cause {
                SizeCause::Instance { param, of } => (
                    match of {
                        Some(f) => format!("the size parameter `[{param}]` of `{f}` cannot be determined"),
                        None => format!("the size parameter `[{param}]` cannot be determined"),
                    },
                    "nothing here has a size that would tell",
                ),
                SizeCause::Anonymous | SizeCause::Coercion => (
                    "an anonymous size in this type cannot be determined".to_string(),
                    "nothing tells what size this is",
                ),
                SizeCause::Pattern => (format!("the size `{name}` cannot be determined"), "nothing tells what it is"),
                SizeCause::Inferred
                | SizeCause::Loop
                | SizeCause::Result(_)
                | SizeCause::Argument { .. }
                | SizeCause::Branches(..)
                | SizeCause::Slice
                | SizeCause::Range
                | SizeCause::Scope(_) => {
                    ("a size cannot be determined".to_string(), "nothing tells the size of this array")
                }
            };
            self.names.vars[v].kind = VarKind::Flexible(cause, Some(Size::Error));
            self.error(
                Diagnostic::error(Code::AmbiguousSize, span, message)
                    .label(label)
                    .hint("state the size in a type annotation"),
            );
        }
    }

    /// A type with all solutions filled in, and what is left open replaced by errors.
    fn final_ty(&self, ty: &Ty) -> Ty {
        let ty = self.names.zonk(ty);
        if open_metas(&ty).is_empty() {
            return ty;
        }
        struct Erase;
        impl TyMap for Erase {
            fn meta(&mut self, _: MetaId) -> Option<Ty> {
                Some(Ty::error())
            }
        }
        Erase.ty(&ty)
    }

    fn finish_tables(&mut self) {
        let current = std::mem::take(&mut self.current);
        for expr in &current.exprs {
            if let Some(ty) = self.info.expr_ty.get(*expr) {
                let ty = self.final_ty(ty);
                self.note_large(self.ast[*expr].span);
                self.info.expr_ty.insert(*expr, ty);
            }
        }
        for pat in &current.pats {
            if let Some(ty) = self.info.pat_ty.get(*pat) {
                let ty = self.final_ty(ty);
                self.info.pat_ty.insert(*pat, ty);
            }
        }
        for exp in &current.type_exps {
            if let Some(ty) = self.info.type_exp.get(*exp) {
                let ty = self.final_ty(ty);
                self.info.type_exp.insert(*exp, ty);
            }
        }
        for expr in &current.resolved {
            if let Some(resolved) = self.info.resolved.get(*expr) {
                let mut resolved = resolved.clone();
                resolved.ty = self.final_ty(&resolved.ty);
                for arg in &mut resolved.instance {
                    *arg = match arg {
                        TyArg::Size(size) => TyArg::Size(self.names.size(size)),
                        TyArg::Type(ty) => TyArg::Type(self.final_ty(ty)),
                    };
                }
                self.info.resolved.insert(*expr, resolved);
            }
        }
        for key in &current.fields {
            if let Some((args, ty)) = self.info.field_instance.get(key) {
                let args = args
                    .iter()
                    .map(|arg| match arg {
                        TyArg::Size(size) => TyArg::Size(self.names.size(size)),
                        TyArg::Type(ty) => TyArg::Type(self.final_ty(ty)),
                    })
                    .collect();
                let ty = self.final_ty(ty);
                self.info.field_instance.insert(*key, (args, ty));
            }
        }
        for v in &current.values {
            if let Some(scheme) = &self.names.vars[*v].scheme {
                let scheme = Scheme { params: scheme.params.clone(), ty: self.final_ty(&scheme.ty) };
                self.names.vars[*v].scheme = Some(scheme);
            }
        }
        self.current = Current {
            literals: current.literals,
            wrapped: current.wrapped,
            errors: current.errors,
            first_var: current.first_var,
            ..Current::default()
        };
    }

    /// A literal with a suffix is taken as it is, modulo the range of its type. That is rarely what is meant, unless it
    /// is written by its bits.
    fn warn_literals(&mut self) {
        for (literal, prim, span) in std::mem::take(&mut self.current.wrapped) {
            let (name, text) = (prim.name(), self.text(span));
            self.warn(
                Diagnostic::warning(
                    Code::LiteralOutOfRange,
                    span,
                    format!("literal `{text}` is out of bounds for type `{name}`"),
                )
                .label(format!("it becomes {}", becomes(literal, prim)))
                .hint("use a larger type, or write the value that is meant"),
            );
        }
    }

    fn check_literals(&mut self) {
        for (literal, ty, span) in std::mem::take(&mut self.current.literals) {
            let Some(prim) = self.names.shallow(&ty).as_prim() else { continue };
            if !fits(literal, prim) {
                let shown = match literal {
                    Literal::Int { value, negative, .. } => format!("{}{value}", if negative { "-" } else { "" }),
                    Literal::Float { value, negative } => format!("{}{value}", if negative { "-" } else { "" }),
                };
                self.error(
                    Diagnostic::error(
                        Code::LiteralOutOfRange,
                        span,
                        format!("literal `{shown}` is out of bounds for type `{}`", prim.name()),
                    )
                    .label(format!("inferred to be of type `{}`", prim.name()))
                    .hint("use a larger type, or write a suffix if wrapping around is what you want"),
                );
            }
        }
    }
}

/// Whether a literal is a value of a type.
pub(crate) fn fits(literal: Literal, prim: Prim) -> bool {
    match literal {
        Literal::Int { value, overflow, negative } => !overflow && int_fits(prim, value, negative),
        Literal::Float { value, .. } => {
            let fits = match prim {
                Prim::F16 => value < 65520.0,
                Prim::F32 => (value as f32).is_finite(),
                _ => true,
            };
            fits && value.is_finite()
        }
    }
}

/// What a literal becomes that does not fit the type that is stated for it.
fn becomes(literal: Literal, prim: Prim) -> String {
    let bits = match prim {
        Prim::I8 | Prim::U8 => 8,
        Prim::I16 | Prim::U16 => 16,
        Prim::I32 | Prim::U32 => 32,
        Prim::I64 | Prim::U64 => 64,
        Prim::F16 | Prim::F32 | Prim::F64 | Prim::Bool => 0,
    };
    match literal {
        Literal::Int { value, negative, .. } if bits > 0 => {
            let value = if negative { value.wrapping_neg() } else { value } << (128 - bits);
            if prim.is_signed() {
                (value.cast_signed() >> (128 - bits)).to_string()
            } else {
                (value >> (128 - bits)).to_string()
            }
        }
        Literal::Int { negative, .. } | Literal::Float { negative, .. } => {
            format!("{}infinity", if negative { "minus " } else { "" })
        }
    }
}

fn int_fits(prim: Prim, value: u128, negative: bool) -> bool {
    let bits = match prim {
        Prim::I8 | Prim::U8 => 8,
        Prim::I16 | Prim::U16 => 16,
        Prim::I32 | Prim::U32 => 32,
        Prim::I64 | Prim::U64 => 64,
        Prim::F16 => return value < 65520,
        Prim::F32 | Prim::F64 | Prim::Bool => return true,
    };
    match (prim.is_signed(), negative) {
        (true, true) => value <= 1 << (bits - 1),
        (true, false) => value < 1 << (bits - 1),
        (false, true) => value == 0,
        (false, false) => value < 1 << bits,
    }
}
