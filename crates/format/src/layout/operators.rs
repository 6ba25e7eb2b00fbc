//! Operators, updates, ranges and ascriptions: chains, which are laid out as one.

use super::{Gap, Layout};
use crate::tape::Group;
use kenaz_syntax::ast::{BinOp, ExprId, ExprKind, Range};
use kenaz_syntax::token::{BACKTICK, Fixity, fixity};

/// From this level on, operators are those of arithmetic, which fill lines.
const ARITHMETIC: u8 = 7;

/// Operands and the operators before all but the first.
struct Chain {
    fixity: Fixity,
    first: ExprId,
    rest: Vec<(BinOp, ExprId)>,
}

impl Layout<'_> {
    /// The operands of operators that bind equally tightly.
    fn chain(&self, id: ExprId) -> Option<Chain> {
        let ExprKind::BinOp(op, left, right) = &self.ast[id].kind else { return None };
        let fixity = fixity_of(op);
        let same = |e: ExprId| match &self.ast[e].kind {
            ExprKind::BinOp(op, left, right) if fixity_of(op).level == fixity.level => Some((op, *left, *right)),
            _ => None,
        };
        let mut rest = vec![(op.clone(), *right)];
        let mut first = *left;
        if fixity.right {
            while let Some((op, left, right)) = rest.last().and_then(|&(_, e)| same(e)) {
                if let Some((_, before)) = rest.last_mut() {
                    *before = left;
                }
                rest.push((op.clone(), right));
            }
        } else {
            while let Some((op, left, right)) = same(first) {
                rest.push((op.clone(), right));
                first = left;
            }
            rest.reverse();
        }
        Some(Chain { fixity, first, rest })
    }

    pub(super) fn operators(&mut self, id: ExprId) {
        let Some(chain) = self.chain(id) else { return };
        self.align();
        self.begin(if chain.fixity.level >= ARITHMETIC { Group::Fill } else { Group::Together });
        self.expr(chain.first);
        for (op, right) in chain.rest {
            let before = self.is_broken();
            let behind = self.source.ends_after(op.span.hi);
            // What `<|` is applied to comes behind it.
            if !before && (behind || chain.fixity.right) {
                self.space();
                self.until(op.span.hi);
                self.gap(Gap::Line { space: true }, Some(if chain.fixity.right { 2 } else { 0 }), true);
                self.expr(right);
                self.pop();
            } else {
                self.line();
                self.until(op.span.hi);
                self.space();
                self.expr(right);
            }
        }
        self.end();
        self.pop();
    }

    /// `e : t`, `e :> t`
    pub(super) fn ascriptions(&mut self, id: ExprId) {
        let mut types = Vec::new();
        let mut e = id;
        while let ExprKind::Ascript(inner, ty) | ExprKind::Coerce(inner, ty) = self.ast[e].kind {
            types.push(ty);
            e = inner;
        }
        self.align();
        self.begin(Group::Fill);
        self.expr(e);
        self.indent(2);
        while let Some(ty) = types.pop() {
            self.line();
            self.tok();
            self.space();
            self.type_exp(ty);
        }
        self.pop();
        self.end();
        self.pop();
    }

    /// `e with [i] = v`
    pub(super) fn updates(&mut self, id: ExprId) {
        let ast = self.ast;
        let mut updates = Vec::new();
        let mut e = id;
        while let ExprKind::UpdateIndex(inner, ..) | ExprKind::UpdateField(inner, ..) = ast[e].kind {
            updates.push(e);
            e = inner;
        }
        let is_one = updates.len() == 1;
        self.align();
        self.begin(Group::Together);
        self.expr(e);
        // A single one is broken behind its `=` rather than before it.
        let goes_on = is_one && !self.is_broken();
        self.indent(if goes_on { 0 } else { 2 });
        while let Some(update) = updates.pop() {
            if goes_on {
                self.space()
            } else {
                self.line()
            }
            self.begin(Group::Together);
            self.tok();
            self.space();
            let value = match &ast[update].kind {
                ExprKind::UpdateIndex(_, slice, value) => {
                    self.slice(slice);
                    *value
                }
                ExprKind::UpdateField(_, fields, value) => {
                    self.until(fields.last().map_or(0, |field| field.span.hi));
                    *value
                }
                _ => break,
            };
            self.space();
            self.tok();
            self.rhs(value);
            self.end();
        }
        self.pop();
        self.end();
        self.pop();
    }

    /// Without spaces, unless there are operators in it.
    pub(super) fn range(&mut self, range: &Range) {
        let parts: Vec<ExprId> = [Some(range.first), range.second, Some(range.last)].into_iter().flatten().collect();
        let loose = parts.iter().any(|&e| matches!(self.ast[e].kind, ExprKind::BinOp(..)));
        for (at, &part) in parts.iter().enumerate() {
            if at > 0 {
                if loose {
                    self.space();
                }
                self.tok();
                if loose {
                    self.space();
                }
            }
            self.expr(part);
        }
    }
}

fn fixity_of(op: &BinOp) -> Fixity {
    if op.backtick { BACKTICK } else { fixity(op.name.name.name.as_str().as_bytes()) }
}
