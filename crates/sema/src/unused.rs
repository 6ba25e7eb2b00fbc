//! Warnings about names that are bound and never used.
//!
//! Parameters, `let` patterns and the patterns of cases and loops, local functions, counters and updated arrays are
//! warned about; size and type parameters and definitions of modules are not. A name that starts with an underscore
//! says that it is not used. A size in a type is a use.
//!
//! Parameters of modules are looked for by name only: one that is not used, but has the same name as a module that
//! shadows it, is not noticed.

use crate::checker::Checker;
use crate::types::VarId;
use crate::visit::{Node, for_each_node};
use kenaz_base::{Code, Diagnostic, Span, Symbol};
use kenaz_syntax::ast::{
    DecKind, ExprKind, Ident, LoopForm, ModExpKind, ModTypeExpKind, PatKind, QualName, TypeExpKind, ValBind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a name is, as far as the advice depends on it.
enum Binder {
    Plain(&'static str),
    /// `for i < n`
    Counter,
    /// The short form of a field in a record pattern.
    Field,
    /// `let a[i] = v`
    Update,
}

impl Checker<'_> {
    pub(crate) fn warn_unused(&mut self, bind: &ValBind) {
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
                            bound.push((info.bound_var.get(expr).copied(), *name, Binder::Counter));
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
                    bound.extend(
                        short.map(|(i, (name, _))| (info.field_var.get(&(pat, i)).copied(), *name, Binder::Field)),
                    );
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
                Binder::Counter => (format!("the loop counter `{name}` is never used"), format!("call it `_{name}`")),
                Binder::Field => (format!("`{name}` is never used"), format!("write `{name} = _`")),
                Binder::Update => (
                    format!("the updated `{name}` is never used"),
                    format!("use `{name}` behind this, or remove the update"),
                ),
            };
            self.warn(Diagnostic::warning(Code::UnusedName, ident.span, message).hint(hint));
        }
    }

    /// Warns about the parameters of modules in all files of the program.
    pub(crate) fn warn_unused_module_params(&mut self) {
        let params = self.module_params();
        if params.is_empty() {
            return;
        }
        let uses = self.module_uses();
        for (ident, scope) in params {
            let name = ident.name;
            let is_used = uses.get(&name).into_iter().flatten().any(|span| scope.contains(*span));
            if !is_used && !name.as_str().starts_with('_') {
                self.warn(
                    Diagnostic::warning(
                        Code::UnusedName,
                        ident.span,
                        format!("the module parameter `{name}` is never used"),
                    )
                    .hint(format!("remove it, or call it `_{name}`")),
                );
            }
        }
    }

    /// The parameters of modules, each with where it can be used.
    fn module_params(&self) -> Vec<(Ident, Span)> {
        let mut params = Vec::new();
        let behind = |ident: Ident, whole: Span| (ident, Span { lo: ident.span.hi, ..whole });
        for (_, dec) in self.ast.decs.iter() {
            if let DecKind::Module(bind) = &dec.kind {
                params.extend(bind.params.iter().map(|p| behind(p.name, dec.span)));
            }
        }
        for (_, exp) in self.ast.mod_exps.iter() {
            if let ModExpKind::Lambda { param, .. } = &exp.kind {
                params.push(behind(param.name, exp.span));
            }
        }
        for (_, exp) in self.ast.mod_types.iter() {
            if let ModTypeExpKind::Arrow { param: Some(param), .. } = &exp.kind {
                params.push(behind(*param, exp.span));
            }
        }
        params.retain(|(ident, _)| !self.sources.file(ident.span.file).builtin);
        params
    }

    /// Where a name may mean a module.
    fn module_uses(&self) -> FxHashMap<Symbol, Vec<Span>> {
        let mut uses: FxHashMap<Symbol, Vec<Span>> = FxHashMap::default();
        let mut add = |ident: &Ident| uses.entry(ident.name).or_default().push(ident.span);
        let head = |path: &QualName| path.quals.first().copied();
        for (_, expr) in self.ast.exprs.iter() {
            match &expr.kind {
                ExprKind::Var(path) => head(path).iter().for_each(&mut add),
                ExprKind::LocalOpen(path, _) => add(&head(path).unwrap_or(path.name)),
                ExprKind::BinOp(op, ..)
                | ExprKind::OpSection(op)
                | ExprKind::LeftSection(_, op)
                | ExprKind::RightSection(op, _) => head(&op.name).iter().for_each(&mut add),
                // Nothing else has a path.
                _ => {}
            }
        }
        for (_, ty) in self.ast.types.iter() {
            if let TypeExpKind::Name(path) = &ty.kind {
                head(path).iter().for_each(&mut add);
            }
        }
        for (_, exp) in self.ast.mod_exps.iter() {
            if let ModExpKind::Name(path) = &exp.kind {
                add(&head(path).unwrap_or(path.name));
            }
        }
        for (_, exp) in self.ast.mod_types.iter() {
            if let ModTypeExpKind::Name(path) = &exp.kind {
                head(path).iter().for_each(&mut add);
            }
        }
        uses
    }
}
