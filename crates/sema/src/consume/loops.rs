//! Loops.
//!
//! Note [Loop parameters]. The parameter of a loop is consumed if its type says so (`*`), if it has no declared type
//! and the body consumes it, or if the body returns it for a parameter that is consumed. Then the loop consumes the
//! initial value, the body must return new memory for it, and the result is new. What the body returns for any other
//! parameter may lie in the same memory as the result. If only the type says that a parameter is consumed and its
//! initial value belongs to others, there is a warning, and the value is copied before anything happens to it.

use super::aliases::{Aliases, RootId, Roots, holds_memory, memory_parts};
use super::bind::tie;
use super::{Frame, FrameKind, How, Pass, RootKind};
use crate::types::{Ty, VarId};
use kenaz_base::{Span, Symbol, with_stack};
use kenaz_syntax::ast::{ExprId, LoopForm, PatId, PatKind};

/// A name in the pattern of a loop, and the part of the value that it stands for.
pub(super) struct LoopParam {
    pub name: String,
    path: Vec<Symbol>,
    root: Option<RootId>,
    consumed: bool,
    /// Not only its type says that it is consumed: the body does so, or returns it for one that is.
    by_body: bool,
}

impl Pass<'_, '_> {
    pub(super) fn loop_(
        &mut self,
        expr: ExprId,
        pat: PatId,
        init: Option<ExprId>,
        form: &LoopForm,
        body: ExprId,
    ) -> Aliases {
        let over = match form {
            LoopForm::ForLess(_, bound) => {
                self.expr(*bound);
                Aliases::Scalar
            }
            LoopForm::ForIn(_, array) => self.expr(*array),
            LoopForm::While(_) => Aliases::Scalar,
        };
        let start = match init {
            Some(e) => self.expr(e),
            None => {
                let vars = self.cx.info.loop_init.get(&expr).cloned().unwrap_or_default();
                self.implicit_start(pat, &mut vars.into_iter())
            }
        };
        let start_span = init.map_or(self.cx.ast[pat].span, |e| self.span(e));
        if let LoopForm::ForIn(_, array) = form {
            self.still_there(&over, self.span(*array));
        }
        let mut params = Vec::new();
        let (result, frame) = self.framed(FrameKind::Loop, self.span(expr), |this| {
            this.loop_params(pat, None, &mut Vec::new(), &mut params);
            this.loop_body(expr, form, &over, body, &mut params)
        });
        let errors = self.cx.current.errors;
        self.check_loop_result(&params, &result, &frame, body);
        if errors == self.cx.current.errors {
            self.consume_start(&params, &start, start_span, &frame, &over);
        }
        self.loop_result(expr, &params, start, &result, &frame)
    }

    /// Goes through the body of a loop and finds out which parameters it consumes.
    fn loop_body(
        &mut self,
        expr: ExprId,
        form: &LoopForm,
        over: &Aliases,
        body: ExprId,
        params: &mut [LoopParam],
    ) -> Aliases {
        match form {
            LoopForm::ForLess(..) => {
                if let Some(counter) = self.cx.info.bound_var.get(expr).copied() {
                    self.vars.insert(counter, Aliases::Scalar);
                }
            }
            LoopForm::ForIn(pat, _) => self.bind_element(*pat, over),
            LoopForm::While(cond) => {
                let kinds: Vec<RootKind> =
                    params.iter().filter_map(|p| p.root).map(|root| self.roots[root].kind).collect();
                let roots: Vec<RootId> = params.iter().filter_map(|p| p.root).collect();
                roots.iter().for_each(|root| self.roots[*root].kind = RootKind::InCondition);
                self.expr(*cond);
                roots.iter().zip(kinds).for_each(|(root, kind)| self.roots[*root].kind = kind);
            }
        }
        let mark = self.mark();
        let result = self.expr(body);
        for param in params.iter_mut() {
            param.by_body = param.root.is_some_and(|root| self.consumed.contains_key(&root));
            param.consumed |= param.by_body;
        }
        self.rewind(mark);
        // What is returned for a consumed parameter is consumed in the next iteration.
        loop {
            let mut given = Roots::default();
            for param in params.iter().filter(|p| p.consumed) {
                given.add(&result.fields(&param.path).roots());
            }
            let next = params.iter_mut().find(|p| !p.by_body && p.root.is_some_and(|root| given.contains(root)));
            match next {
                Some(param) => (param.consumed, param.by_body) = (true, true),
                None => break,
            }
        }
        result
    }

    /// The elements of the array that a loop runs over lie in it, and the body may only look at them.
    fn bind_element(&mut self, pat: PatId, over: &Aliases) {
        let Some(ty) = self.cx.info.pat_ty.get(pat).cloned() else { return };
        if !holds_memory(&ty) {
            self.bind(pat, &Aliases::Scalar);
            return;
        }
        let name = self.cx.text(self.cx.ast[pat].span);
        let root = self.new_root(RootKind::Element, name, self.cx.ast[pat].span);
        let mut roots = over.roots();
        roots.insert(root);
        self.bind(pat, &Aliases::of(&ty, &roots));
    }

    /// Binds the names of a loop's pattern. `declared` says whether a type with or without `*` is stated.
    fn loop_params(&mut self, pat: PatId, declared: Option<&Ty>, path: &mut Vec<Symbol>, out: &mut Vec<LoopParam>) {
        let ast = self.cx.ast;
        with_stack(|| match &ast[pat].kind {
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {
                if let Some(ty) = self.cx.info.pat_ty.get(pat).cloned() {
                    let consumed = declared.is_some_and(Ty::mentions_unique) && holds_memory(&ty);
                    let name = "_".to_string();
                    out.push(LoopParam { name, path: path.clone(), root: None, consumed, by_body: false });
                }
            }
            PatKind::Name(_) => {
                if let Some(var) = self.cx.info.pat_var.get(pat).copied() {
                    self.loop_param(var, declared, path, out);
                }
            }
            PatKind::Paren(p) | PatKind::Attr(_, p) => self.loop_params(*p, declared, path, out),
            PatKind::Ascript(p, t) => {
                let stated = self.cx.info.type_exp.get(*t).cloned();
                let stated = stated.filter(|ty| ty.mentions_unique() || !declared.is_some_and(Ty::mentions_unique));
                self.loop_params(*p, stated.as_ref().or(declared), path, out);
            }
            PatKind::Tuple(ps) => {
                for (i, p) in ps.iter().enumerate() {
                    let name = Symbol::field(i);
                    let part = declared.and_then(|ty| super::bind::field_of(ty, name));
                    path.push(name);
                    self.loop_params(*p, part.as_ref(), path, out);
                    path.pop();
                }
            }
            PatKind::Record(fields) => {
                for (i, (name, p)) in fields.iter().enumerate() {
                    let part = declared.and_then(|ty| super::bind::field_of(ty, name.name));
                    path.push(name.name);
                    match p {
                        Some(p) => self.loop_params(*p, part.as_ref(), path, out),
                        None => {
                            if let Some(var) = self.cx.info.field_var.get(&(pat, i)).copied() {
                                self.loop_param(var, part.as_ref(), path, out);
                            }
                        }
                    }
                    path.pop();
                }
            }
            // A pattern that always matches has a single constructor; its payload counts as one part.
            PatKind::Constr(_, ps) => {
                let mut inner = Vec::new();
                ps.iter().for_each(|p| self.loop_params(*p, declared, path, &mut inner));
                out.extend(inner);
            }
        });
    }

    fn loop_param(&mut self, var: VarId, declared: Option<&Ty>, path: &[Symbol], out: &mut Vec<LoopParam>) {
        let unique = declared.map(Ty::mentions_unique);
        let kind = if unique == Some(false) { RootKind::ObservedInLoop } else { RootKind::Owned };
        let root = self.bind_as(var, kind);
        let name = self.cx.names.vars[var].name.to_string();
        let consumed = unique == Some(true) && root.is_some();
        out.push(LoopParam { name, path: path.to_vec(), root, consumed, by_body: false });
    }

    /// The variables that a loop without initial value starts from.
    fn implicit_start(&mut self, pat: PatId, vars: &mut dyn Iterator<Item = VarId>) -> Aliases {
        let ast = self.cx.ast;
        let start_of = |this: &mut Self, var: Option<VarId>, at: Span| match var {
            Some(var) => {
                let ty = this.var_ty(var);
                this.variable(var, &ty, at)
            }
            None => Aliases::Scalar,
        };
        with_stack(|| match &ast[pat].kind {
            PatKind::Name(ident) => start_of(self, vars.next(), ident.span),
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => self.implicit_start(*p, vars),
            PatKind::Tuple(ps) => Aliases::Record(
                ps.iter().enumerate().map(|(i, p)| (Symbol::field(i), self.implicit_start(*p, vars))).collect(),
            ),
            PatKind::Record(fields) => {
                let mut parts: Vec<(Symbol, Aliases)> = Vec::new();
                for (name, p) in fields {
                    let part = match p {
                        Some(p) => self.implicit_start(*p, vars),
                        None => start_of(self, vars.next(), name.span),
                    };
                    parts.push((name.name, part));
                }
                crate::types::sort_fields(&mut parts);
                Aliases::Record(parts)
            }
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) | PatKind::Constr(..) => Aliases::Scalar,
        })
    }

    /// What the body returns for consumed parameters must be new, and different from what it returns for others.
    fn check_loop_result(&mut self, params: &[LoopParam], result: &Aliases, frame: &Frame, body: ExprId) {
        if params.iter().all(|p| !p.consumed) {
            return;
        }
        let parts: Vec<Aliases> = params.iter().map(|p| result.fields(&p.path)).collect();
        for (i, param) in params.iter().enumerate().filter(|(_, p)| p.consumed) {
            let roots = parts[i].roots();
            let other = (0..params.len()).find(|j| *j != i && parts[*j].roots().common(&roots).is_some());
            let within = parts[i].shared().is_some();
            if other.is_some() || within {
                self.report_loop_parts(&param.name, other.map(|j| params[j].name.as_str()), body);
                return;
            }
            let bad = roots.iter().find(|root| {
                super::is_before(*root, frame.first)
                    || matches!(self.roots[*root].kind, RootKind::Element | RootKind::Global)
            });
            if let Some(root) = bad {
                self.report_loop_returns(root, &param.name, body);
                return;
            }
        }
    }

    /// Consumes the initial values of consumed parameters.
    fn consume_start(&mut self, params: &[LoopParam], start: &Aliases, span: Span, frame: &Frame, over: &Aliases) {
        let parts: Vec<Aliases> = params.iter().map(|p| start.fields(&p.path)).collect();
        for (i, param) in params.iter().enumerate().filter(|(_, p)| p.consumed) {
            let roots = parts[i].roots();
            let other = (0..params.len()).find(|j| *j != i && parts[*j].roots().common(&roots).is_some());
            if other.is_some() || parts[i].shared().is_some() {
                self.report_loop_start(&param.name, other.map(|j| params[j].name.as_str()), span);
                return;
            }
            if let Some(root) = roots.common(&frame.captured) {
                let at = frame.captured_at.get(&root).cloned();
                self.report_used_in_loop(root, &param.name, span, at);
                return;
            }
            if let Some(root) = roots.common(&over.roots()) {
                self.report_used_in_loop(root, &param.name, span, None);
                return;
            }
        }
        for (param, part) in params.iter().zip(&parts).filter(|(p, _)| p.consumed) {
            let of_others = part.roots().iter().find(|root| self.belongs_to_others(*root));
            match of_others.filter(|_| !param.by_body) {
                Some(root) => self.warn_loop_start(root, &param.name, span),
                None => self.consume(part, span, &How::LoopStart),
            }
        }
    }

    /// What the result of a loop lies in.
    fn loop_result(
        &mut self,
        expr: ExprId,
        params: &[LoopParam],
        start: Aliases,
        result: &Aliases,
        frame: &Frame,
    ) -> Aliases {
        let ty = self.ty(expr);
        if !holds_memory(&ty) {
            return Aliases::Scalar;
        }
        // What each parameter may lie in, which is also what its root stands for after the loop.
        let mut within: Vec<Roots> =
            params.iter().map(|p| if p.consumed { Roots::default() } else { start.fields(&p.path).roots() }).collect();
        loop {
            let mut changed = false;
            for (i, param) in params.iter().enumerate().filter(|(_, p)| !p.consumed) {
                let mut all = within[i].clone();
                for root in result.fields(&param.path).roots().iter() {
                    all.insert(root);
                    if let Some(j) = params.iter().position(|p| p.root == Some(root)) {
                        all.add(&within[j]);
                    }
                }
                if all != within[i] {
                    within[i] = all;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut aliases = start;
        for (param, roots) in params.iter().zip(&within) {
            let mut part = aliases.fields(&param.path);
            if param.consumed {
                part.for_each_mut(&mut |r| *r = Roots::default());
            } else {
                part = part.join(result.fields(&param.path));
                // A variable of record type stands for all of its parts.
                part.for_each_mut(&mut |r| r.add(roots));
            }
            aliases = aliases.with_field(&param.path, &part);
        }
        let first = frame.first;
        // Roots of elements are names of the array's roots, which are there as well.
        aliases.for_each_mut(&mut |r| {
            r.retain(|root| super::is_before(root, first) || self.roots[root].kind != RootKind::Element);
        });
        for param in params {
            if let Some(root) = param.root {
                self.roots[root].kind = RootKind::Result;
                self.roots[root].name = "the result of the loop".to_string();
            }
        }
        if params.iter().all(|p| !p.consumed) && memory_parts(&ty, 2) > 1 {
            let root = self.new_root(RootKind::Result, "the result of the loop", self.span(expr));
            tie(&mut aliases, &Roots::one(root));
        }
        aliases
    }
}
