//! Warnings about names that are bound and never used.
//!
//! Parameters, `let` patterns and the patterns of cases and loops, local functions, counters and updated arrays are
//! warned about; size and type parameters and definitions of modules are not. A name that starts with an underscore
//! says that it is not used. A size in a type is a use.

use crate::checker::Checker;
use crate::types::VarId;
use crate::visit::{Node, for_each_node};
use kenaz_base::{Code, Diagnostic};
use kenaz_syntax::ast::{ExprKind, Ident, LoopForm, PatKind, ValBind};
use rustc_hash::FxHashSet;

/// What a name is, as far as the advice depends on it.
enum Binder {
    Plain(&'static str),
    /// The short form of a field in a record pattern.
    Field,
    /// `let a[i] = v`
    Update,
}

impl Checker<'_> {
    pub fn warn_unused(&mut self, bind: &ValBind) {
        let ast = self.ast;
        let info = &self.info;
        let mut used: FxHashSet<VarId> = FxHashSet::default();
        let mut bound: Vec<(Option<VarId>, Ident, Binder)> = Vec::new();
        for_each_node(ast, bind, |node| match node {
            Node::Expr(expr) => {
                used.extend(info.resolved.get(expr).map(|r| r.var));
                match &ast[expr].kind {
                    ExprKind::Record(fields) => {
                        used.extend((0..fields.len()).filter_map(|i| info.field_ref.get(&(expr, i)).copied()));
                    }
                    ExprKind::Loop { form, .. } => {
                        used.extend(info.loop_init.get(&expr).into_iter().flatten().copied());
                        if let LoopForm::ForLess(name, _) = form {
                            bound.push((info.bound_var.get(expr).copied(), *name, Binder::Plain("the loop counter ")));
                        }
                    }
                    ExprKind::LetWith { dest, .. } => {
                        bound.push((info.bound_var.get(expr).copied(), *dest, Binder::Update));
                    }
                    ExprKind::LetFun { fun, .. } => {
                        bound.push((info.bound_var.get(expr).copied(), fun.name, Binder::Plain("the function ")));
                    }
                    // Nothing else binds or uses names in a way of its own.
                    _ => {}
                }
            }
            Node::Pat(pat) => match &ast[pat].kind {
                PatKind::Name(name) => bound.push((info.pat_var.get(pat).copied(), *name, Binder::Plain(""))),
                PatKind::Record(fields) => {
                    let short = fields.iter().enumerate().filter(|(_, (_, p))| p.is_none());
                    bound.extend(short.map(|(i, (name, _))| (info.field_var.get(&(pat, i)).copied(), *name, Binder::Field)));
                }
                // Nothing else binds names.
                _ => {}
            },
            Node::Type(_) => {}
        });
        for (var, ident, binder) in bound {
            let name = ident.name;
            if name.as_str().starts_with('_') || var.is_none_or(|v| used.contains(&v)) {
                continue;
            }
            let (message, hint) = match binder {
                Binder::Plain(what) => {
                    (format!("{what}`{name}` is never used"), format!("remove it, or call it `_{name}`"))
                }
                Binder::Field => (format!("`{name}` is never used"), format!("write `{name} = _`")),
                Binder::Update => {
                    (format!("the updated `{name}` is never used"), format!("use `{name}` behind this, or remove the update"))
                }
            };
            self.warn(Diagnostic::warning(Code::UnusedName, ident.span, message).hint(hint));
        }
    }
}
