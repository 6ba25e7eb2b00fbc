//! The syntax tree and the tokens as a document. The tree says how to lay out; the text comes from the tokens, which
//! are taken one after the other, so that none is lost or made up, and the comments between them go where they were.
//!
//! The rules are told in docs/format.md.

mod decs;
mod expr;
mod lists;
mod modules;
mod operators;
mod pat;
mod types;

use crate::source::Source;
use crate::tape::{Ends, Group, Line, Op, Tape};
use kenaz_syntax::ast::{Ast, DecId, ExprId};
use kenaz_syntax::token::{Tok, Token};
use std::ops::Range;

/// Some of the declarations of a file, with the comments before them and, at the end of the file, behind them. The
/// tokens of the declarations are given.
pub(crate) fn declarations(ast: &Ast, source: &Source, decs: &[DecId], tokens: Range<usize>) -> Tape {
    let behind = tokens.start.checked_sub(1).map_or(0, |before| source.tokens[before].hi);
    let mut layout = Layout {
        ast,
        source,
        pos: tokens.start,
        comment: source.comments.partition_point(|comment| comment.span.lo < behind),
        gap_done: false,
        nothing_yet: true,
        hanging: None,
        tape: Tape::default(),
    };
    // What stands on the line of the declaration before belongs to that.
    if tokens.start > 0
        && let Some(comment) = source.comments.get(layout.comment)
        && source.breaks(behind, comment.span.lo) == 0
    {
        layout.comment += 1;
    }
    for &dec in decs {
        layout.hard();
        layout.dec(dec);
    }
    layout.last(tokens.end);
    layout.tape
}

pub(crate) struct Layout<'a> {
    ast: &'a Ast,
    source: &'a Source<'a>,
    /// The next token.
    pos: usize,
    /// The next comment.
    comment: usize,
    /// What stands before the next token has been written.
    gap_done: bool,
    /// Nothing has been written at all.
    nothing_yet: bool,
    /// The last argument of an application that is a lambda in parentheses, and whether the author has its body further
    /// to the left.
    hanging: Option<(ExprId, bool)>,
    tape: Tape,
}

/// What stands between two tokens where there is no comment.
#[derive(Clone, Copy)]
enum Gap {
    Nothing,
    Space,
    /// A line that ends where the author ended it, and where it must.
    Line {
        space: bool,
    },
    /// A line that ends.
    Hard,
}

impl<'a> Layout<'a> {
    fn kind(&self) -> Tok {
        self.token().kind
    }

    fn token(&self) -> Token {
        self.source.tokens[self.pos]
    }

    /// Where the last token ends.
    fn last_hi(&self) -> u32 {
        self.pos.checked_sub(1).map_or(0, |last| self.source.tokens[last].hi)
    }

    /// Whether the author ended the line here.
    fn is_broken(&self) -> bool {
        self.source.ends_after(self.last_hi())
    }

    /// The next token.
    fn tok(&mut self) {
        if !self.gap_done {
            self.gap(Gap::Nothing, None, true);
        }
        let Token { lo, hi, kind } = self.token();
        if kind == Tok::Eof {
            // The tree and the tokens do not agree; the check of the result will say so.
            return;
        }
        self.tape.push(Op::Text { lo, hi });
        self.pos += 1;
        self.gap_done = false;
        self.nothing_yet = false;
    }

    /// The next tokens, with nothing between them, up to a place in the source.
    fn until(&mut self, hi: u32) {
        while self.token().lo < hi && self.kind() != Tok::Eof {
            self.tok();
        }
    }

    /// The next token if it is of this kind.
    fn eat(&mut self, kind: Tok) -> bool {
        let found = self.kind() == kind;
        if found {
            self.tok();
        }
        found
    }

    fn begin(&mut self, group: Group) {
        self.tape.begin(group);
    }

    fn end(&mut self) {
        self.tape.end();
    }

    fn indent(&mut self, by: i32) {
        self.tape.push(Op::Indent(by));
    }

    fn align(&mut self) {
        self.tape.push(Op::Align);
    }

    fn pop(&mut self) {
        self.tape.push(Op::Pop);
    }

    fn space(&mut self) {
        self.gap(Gap::Space, None, true);
    }

    /// A space, or the end of a line.
    fn line(&mut self) {
        self.gap(Gap::Line { space: true }, None, true);
    }

    /// The same where there is no space.
    fn soft(&mut self) {
        self.gap(Gap::Line { space: false }, None, true);
    }

    /// A line if the author ended it here, otherwise nothing.
    fn hard(&mut self) {
        self.gap(Gap::Hard, None, true);
    }

    /// The same without an empty line.
    fn hard_without_blank(&mut self) {
        self.gap(Gap::Hard, None, false);
    }

    fn line_or_hard(&mut self, hard: bool) {
        if hard { self.hard() } else { self.line() }
    }

    /// A line behind which all is indented, up to the matching `pop`, if it ends.
    fn indented_line(&mut self, by: i32, hard: bool) {
        self.gap(if hard { Gap::Hard } else { Gap::Line { space: true } }, Some(by), false);
    }

    /// What stands before the next token: the comments here, each where it was, and space.
    fn gap(&mut self, gap: Gap, indent: Option<i32>, blank: bool) {
        if self.gap_done {
            return;
        }
        let next = self.token();
        let has_comments = self.next_comment(next.lo).is_some();
        let left = self.last_hi();
        self.gap_done = true;
        if !has_comments {
            return self.plain_gap(gap, indent, blank, left, next);
        }
        // A line break that no rule asks for.
        let is_extra = matches!(gap, Gap::Nothing | Gap::Space) && !self.nothing_yet;
        if is_extra {
            self.indent(2);
        }
        let (last, indented) = self.comments(next.lo, left, indent, blank);
        let ends = self.ends(last, next.lo, true);
        if !self.nothing_yet {
            let indent = if indented { None } else { indent };
            self.tape.line(Line { space: true, ends, indent });
        }
        if is_extra {
            self.pop();
        }
    }

    fn plain_gap(&mut self, gap: Gap, indent: Option<i32>, blank: bool, left: u32, next: Token) {
        if self.nothing_yet {
            return;
        }
        let apart = || self.pos > 0 && self.source.must_be_apart(self.source.tokens[self.pos - 1], next);
        match gap {
            Gap::Nothing if apart() => self.tape.push(Op::Space),
            Gap::Nothing => {}
            Gap::Space => self.tape.push(Op::Space),
            Gap::Line { space } => {
                let broken = self.source.breaks(left, next.lo) > 0;
                let ends = if broken { self.ends(left, next.lo, blank) } else { Ends::IfNeeded };
                self.tape.line(Line { space, ends, indent });
            }
            Gap::Hard => {
                let ends = self.ends(left, next.lo, blank);
                self.tape.line(Line { space: true, ends, indent });
            }
        }
    }

    /// How a line ends that ends between these places.
    fn ends(&self, lo: u32, hi: u32, blank: bool) -> Ends {
        if blank && self.source.breaks(lo, hi) > 1 { Ends::WithBlank } else { Ends::Always }
    }

    /// The next comment, if it stands before this place.
    fn next_comment(&self, before: u32) -> Option<(u32, u32)> {
        let span = self.source.comments.get(self.comment)?.span;
        (span.lo < before).then_some((span.lo, span.hi))
    }

    /// The comments up to a place. Returns the end of the last one, and whether one of their lines has indented what
    /// follows.
    fn comments(&mut self, before: u32, mut left: u32, indent: Option<i32>, mut blank: bool) -> (u32, bool) {
        let mut indented = false;
        // The column of the comment behind the code here, which may go on in the next lines.
        let mut column = None;
        while let Some((lo, hi)) = self.next_comment(before) {
            let breaks = self.source.breaks(left, lo);
            let continues = breaks == 1 && column.is_some_and(|column| column == self.source.column(lo));
            if breaks == 0 && left > 0 {
                column = Some(self.source.column(lo));
                self.tape.push(Op::Trailing { lo, hi });
            } else {
                if !self.nothing_yet {
                    let ends = self.ends(left, lo, blank);
                    let indent = if indented { None } else { indent };
                    indented |= indent.is_some();
                    self.tape.line(Line { space: true, ends, indent });
                }
                if continues && self.source.pins[self.comment].is_none() {
                    self.tape.push(Op::Trailing { lo, hi });
                } else {
                    column = None;
                    self.tape.push(Op::Comment { lo, hi, pinned: self.source.pins[self.comment] });
                }
            }
            self.nothing_yet = false;
            self.comment += 1;
            left = hi;
            blank = true;
        }
        (left, indented)
    }

    /// The comments before a bracket that closes, which belong to what it holds; then the end of its indentation. Where
    /// there are none, nothing, and the gap is still open.
    fn comments_before_close(&mut self) {
        let next = self.token();
        if self.next_comment(next.lo).is_some() {
            let left = self.last_hi();
            self.comments(next.lo, left, None, true);
            self.pop();
            self.tape.line(Line { space: true, ends: Ends::Always, indent: None });
            self.gap_done = true;
        } else {
            self.pop();
        }
    }

    /// The comments behind the last declaration: on its line, and all others if it is the last of the file.
    fn last(&mut self, end: usize) {
        let is_last = self.source.tokens[end].kind == Tok::Eof;
        let left = self.last_hi();
        let before = if is_last {
            self.source.text.len() as u32
        } else {
            let line = self.source.text[left as usize..].find('\n');
            left + line.unwrap_or(0) as u32
        };
        self.comments(before, left, None, true);
        if !self.nothing_yet && is_last {
            self.tape.line(Line { space: false, ends: Ends::Always, indent: None });
        }
    }
}
