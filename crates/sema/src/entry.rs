//! The rules for entry points, which are called from outside the language.

use crate::checker::Checker;
use crate::types::{SchemeParam, Ty, TyKind, VarId};
use crate::walk::{free_vars, witnesses};
use kenaz_base::{Code, Diagnostic};
use kenaz_syntax::ast::ValBind;
use rustc_hash::FxHashSet;

impl Checker<'_> {
    pub(crate) fn check_entry(&mut self, v: VarId, bind: &ValBind) {
        let Some(scheme) = self.names.vars[v].scheme.clone() else { return };
        let (name, span) = (bind.name.name, bind.name.span);
        if let Some(SchemeParam::Type(id, _)) = scheme.params.iter().find(|p| matches!(p, SchemeParam::Type(..))) {
            let param = self.names.types[*id].name;
            let shown = self.names.show_scheme(&scheme);
            self.error(
                Diagnostic::error(
                    Code::EntryPolymorphic,
                    span,
                    format!("entry point `{name}` is polymorphic in the type `{param}`"),
                )
                .label(format!("its type is `{shown}`"))
                .hint("annotate the parameters with types, or write one entry point for each type that is needed"),
            );
            return;
        }
        let mut args = Vec::new();
        let mut ret = scheme.ty.clone();
        while let TyKind::Arrow(a) = ret.kind() {
            args.push(a.arg.clone());
            let next = a.ret.clone();
            ret = next;
        }
        if let Some(arg) = args.iter().chain([&ret]).find(|t| has_arrow(t)) {
            let shown = self.names.show(arg);
            self.error(
                Diagnostic::error(
                    Code::EntryHigherOrder,
                    span,
                    format!("entry point `{name}` takes or returns a function"),
                )
                .label(format!("this involves `{shown}`"))
                .note("functions cannot be passed to or from other languages"),
            );
            return;
        }
        let mut seen: FxHashSet<VarId> = FxHashSet::default();
        let mut used: FxHashSet<VarId> = FxHashSet::default();
        for arg in &args {
            seen.extend(witnesses(arg));
            used.extend(free_vars(arg));
        }
        for param in &scheme.params {
            let SchemeParam::Size(n) = param else { continue };
            if seen.contains(n) {
                continue;
            }
            let size = self.names.vars[*n].name;
            let (message, label) = if used.contains(n) {
                (
                    format!("the size parameter `[{size}]` of entry point `{name}` is only used non-constructively"),
                    "no argument has just this size, so it cannot be read off the arguments",
                )
            } else {
                (
                    format!("entry point `{name}` is size-polymorphic in its result"),
                    "the size of the result would have to be chosen by the caller",
                )
            };
            self.error(
                Diagnostic::error(Code::EntrySize, span, message)
                    .label(label)
                    .hint(format!("make the size an ordinary parameter: `({size}: i64)`")),
            );
            return;
        }
    }
}

/// Whether a type visibly contains a function; abstract types are opaque to the outside anyway.
fn has_arrow(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Arrow(_) => true,
        TyKind::Array(_, t) | TyKind::Unique(t) | TyKind::Exists(_, t) => has_arrow(t),
        TyKind::Record(fields) => fields.iter().any(|(_, t)| has_arrow(t)),
        TyKind::Sum(constrs) => constrs.iter().any(|(_, ts)| ts.iter().any(has_arrow)),
        TyKind::Error | TyKind::Prim(_) | TyKind::Con(..) | TyKind::Meta(_) => false,
    }
}
