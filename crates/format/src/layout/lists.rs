//! What stands in brackets, and what is written behind `=`, `->`, `do` and the like.

use super::Layout;
use crate::tape::{Group, Op};
use kenaz_syntax::ast::ExprId;
use kenaz_syntax::token::Tok;

impl Layout<'_> {
    /// Elements in brackets, separated by commas: beside the bracket, or below it if the author has put them there.
    /// `ends` are the ends of the elements in the source.
    pub(super) fn list(&mut self, group: Group, ends: &[u32], element: impl FnMut(&mut Self, usize)) {
        self.aligned_list(Op::Align, group, ends, element);
    }

    /// The same; where the lines of elements beside the bracket begin is said by `align`.
    pub(super) fn aligned_list(
        &mut self,
        align: Op,
        group: Group,
        ends: &[u32],
        mut element: impl FnMut(&mut Self, usize),
    ) {
        let leading = ends.iter().rev().skip(1).any(|&end| self.source.ends_after(end));
        if leading {
            self.align();
        }
        self.tok();
        if ends.is_empty() {
            self.tok();
            return;
        }
        self.begin(group);
        let block = self.is_broken() && !leading;
        if block {
            self.indent(2);
            self.hard_without_blank();
        } else if leading {
            self.space();
        } else {
            self.tape.push(align);
        }
        for at in 0..ends.len() {
            if leading {
                self.align();
            }
            element(self, at);
            if leading {
                self.pop();
                if self.kind() == Tok::Comma {
                    self.line();
                }
            }
            if self.eat(Tok::Comma) && at + 1 < ends.len() {
                if leading { self.space() } else { self.line() }
            }
        }
        if block {
            self.comments_before_close();
            self.hard_without_blank();
        } else if leading {
            if self.is_broken() {
                self.hard_without_blank();
            }
        } else {
            self.comments_before_close();
        }
        self.end();
        self.tok();
        if leading {
            self.pop();
        }
    }

    /// What stands behind `=` and the like: on the same line, or indented on the next ones. With all that stands before
    /// it is a group, so that it goes to the next line before anything in front of it is broken.
    pub(super) fn rhs(&mut self, e: ExprId) {
        let own_line = self.needs_own_line(e);
        self.indented_line(2, own_line);
        self.expr(e);
        self.pop();
    }
}
