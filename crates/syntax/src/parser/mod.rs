//! Tokens to syntax tree: a hand-written recursive-descent parser.
//!
//! A parsing function returns [`Failed`] after it has reported an error. The failure travels up to the nearest place
//! that can go on: a bracket whose closing partner is found, or the next declaration. So one mistake gives one message,
//! and mistakes in different places are all reported.
//!
//! Chains are parsed by loops. Those that nest nothing for the rest of the compiler (of operators, arguments, `let`,
//! `else if`, `with`) may be of any length; everything else counts towards [`MAX_DEPTH`].

mod atom;
mod control;
mod decs;
mod errors;
mod expr;
mod foreign;
mod modules;
mod pat;
mod remedy;
mod types;

use crate::ast::{Ast, Comment, Doc, Expr, ExprId, ExprKind, File, Ident, QualName};
use crate::lexer::{LexedDoc, lex};
use crate::token::{Tok, Token};
use kenaz_base::{Code, Diagnostic, Diagnostics, FileId, Span, Symbol, with_stack};

/// Brackets and blocks may be nested this deeply, and functions and loops half as deeply. What people write has some
/// tens of levels; passes that look at all that is inside something, for everything, take time that grows with its
/// square.
const MAX_DEPTH: u32 = 2000;

/// Parses a source file. Nodes go into `ast`, errors into `diagnostics`.
pub fn parse_file(ast: &mut Ast, file: FileId, text: &str, diagnostics: &mut Diagnostics) -> File {
    let Some((mut parser, comments)) = Parser::new(ast, file, text, diagnostics) else {
        return File { file, doc: None, decs: Vec::new(), comments: Vec::new() };
    };
    let doc = parser.file_doc();
    let decs = parser.file_decs();
    parser.report_misplaced_docs();
    File { file, doc, decs, comments }
}

/// Parses one expression that makes up the whole text.
pub fn parse_expr(ast: &mut Ast, file: FileId, text: &str, diagnostics: &mut Diagnostics) -> ExprId {
    let error = Expr { span: Span::new(file, 0, 0), kind: ExprKind::Error };
    let Some((mut parser, _)) = Parser::new(ast, file, text, diagnostics) else {
        return ast.exprs.push(error);
    };
    let parsed = parser.expr().and_then(|e| if parser.at(Tok::Eof) { Ok(e) } else { Err(parser.trailing()) });
    parser.report_misplaced_docs();
    parsed.unwrap_or_else(|Failed| ast.exprs.push(error))
}

/// An error has been reported.
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    ast: &'a mut Ast,
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    /// The index of the next token.
    pos: usize,
    /// Where the last consumed token ends.
    prev_hi: u32,
    depth: u32,
    /// Set when a bracket could not be recovered: enclosing brackets need not try before the next declaration.
    lost: bool,
    /// Set when parsing must stop.
    stopped: bool,
    errors: usize,
    /// Set when an error was reported in the declaration at hand.
    dec_failed: bool,
    /// The keywords that were complained about because they are used as names.
    reserved: Vec<Tok>,
    /// Errors before this token are due to the one that was just recovered from.
    quiet_until: usize,
    /// Where the lexer found errors, in order.
    lexer_errors: Vec<u32>,
    /// Whether the declaration at hand may be ended by `}`.
    in_braces: bool,
    docs: Vec<LexedDoc>,
    /// How many of `docs` have been dealt with.
    docs_done: usize,
    misplaced_docs: Vec<Span>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    fn new(
        ast: &'a mut Ast,
        file: FileId,
        text: &'a str,
        diagnostics: &'a mut Diagnostics,
    ) -> Option<(Parser<'a>, Vec<Comment>)> {
        if u32::try_from(text.len()).is_err() {
            let message = "source files of 4 GiB and more are not supported";
            diagnostics.push(Diagnostic::error(Code::Limitation, Span::new(file, 0, 0), message));
            return None;
        }
        let lexed = lex(file, text, diagnostics);
        let parser = Parser {
            ast,
            file,
            text,
            tokens: lexed.tokens,
            pos: 0,
            prev_hi: 0,
            depth: 0,
            lost: false,
            stopped: false,
            errors: 0,
            dec_failed: false,
            reserved: Vec::new(),
            quiet_until: 0,
            lexer_errors: lexed.errors,
            in_braces: false,
            docs: lexed.docs,
            docs_done: 0,
            misplaced_docs: Vec::new(),
            diagnostics,
        };
        Some((parser, lexed.comments))
    }

    // Looking and moving

    fn tok(&self) -> Tok {
        self.tokens[self.pos].kind
    }

    fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    /// The token `ahead` places after the next one.
    fn peek(&self, ahead: usize) -> Tok {
        self.tokens.get(self.pos + ahead).map_or(Tok::Eof, |t| t.kind)
    }

    fn at(&self, kind: Tok) -> bool {
        self.tok() == kind
    }

    fn lo(&self) -> u32 {
        self.token().lo
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != Tok::Eof {
            self.pos += 1;
            self.prev_hi = token.hi;
        }
        token
    }

    fn eat(&mut self, kind: Tok) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.lo as usize..token.hi as usize]
    }

    fn span_of(&self, token: Token) -> Span {
        Span::new(self.file, token.lo, token.hi)
    }

    /// From `lo` to the end of what was consumed last.
    fn span_from(&self, lo: u32) -> Span {
        Span::new(self.file, lo, self.prev_hi.max(lo))
    }

    /// Whether only blanks stand before the token on its line.
    fn starts_line(&self, token: Token) -> bool {
        self.pos_on_line(token).is_some()
    }

    fn at_column_one(&self, token: Token) -> bool {
        self.pos_on_line(token) == Some(0)
    }

    /// The number of blanks before a token that is the first on its line.
    fn pos_on_line(&self, token: Token) -> Option<usize> {
        let before = &self.text.as_bytes()[..token.lo as usize];
        let blanks = before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
        matches!(before.len().checked_sub(blanks + 1).map(|at| before[at]), None | Some(b'\n')).then_some(blanks)
    }

    // Building

    fn expr_node(&mut self, lo: u32, kind: ExprKind) -> ExprId {
        let span = self.span_from(lo);
        self.ast.exprs.push(Expr { span, kind })
    }

    fn ident_of(&self, token: Token) -> Ident {
        Ident { name: Symbol::intern(self.text_of(token)), span: self.span_of(token) }
    }

    /// The name of a `#constructor` token, without its `#`; the span has it.
    fn constructor_of(&self, token: Token) -> Ident {
        Ident { name: Symbol::intern(&self.text_of(token)[1..]), span: self.span_of(token) }
    }

    /// Runs `f` one level deeper, with enough stack.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let depth = self.depth;
        self.descend()?;
        let result = with_stack(|| f(self));
        self.depth = depth;
        result
    }

    /// Goes one level deeper.
    fn descend(&mut self) -> Parsed<()> {
        if self.depth >= MAX_DEPTH {
            let span = self.span_of(self.token());
            self.report(
                Diagnostic::error(Code::NestingTooDeep, span, "the program is nested too deeply")
                    .label(format!("more than {MAX_DEPTH} levels"))
                    .hint("name some of the inner parts with `let` or `def`"),
            );
            self.stopped = true;
            return Err(Failed);
        }
        self.depth += 1;
        Ok(())
    }

    // Names

    /// A name that is bound or mentioned here; `what` says what it names.
    fn name(&mut self, what: &str) -> Parsed<Ident> {
        if self.at(Tok::Name) {
            let token = self.bump();
            return Ok(self.ident_of(token));
        }
        Err(self.expected(what))
    }

    /// `a.b.c`
    fn qual_name(&mut self, what: &str) -> Parsed<QualName> {
        let mut name = self.name(what)?;
        let mut quals = Vec::new();
        while self.at(Tok::Dot) && self.peek(1) == Tok::Name {
            self.bump();
            quals.push(name);
            name = self.name(what)?;
        }
        Ok(QualName { quals, name })
    }

    /// A field of a record: a name or a number.
    fn field(&mut self) -> Parsed<Ident> {
        if self.at(Tok::Nat) {
            let token = self.bump();
            return Ok(self.ident_of(token));
        }
        self.name("a field name")
    }

    // Documentation

    /// Documentation in front of the next token; what is not the last such comment belongs nowhere.
    fn doc(&mut self) -> Option<Doc> {
        let mut found = None;
        while let Some(next) = self.docs.get(self.docs_done).filter(|d| d.before <= self.pos) {
            let doc = Doc { span: next.doc.span, text: next.doc.text.clone() };
            if next.before < self.pos {
                self.misplaced_docs.push(doc.span);
            } else if let Some(earlier) = found.replace(doc) {
                self.misplaced_docs.push(earlier.span);
            }
            self.docs_done += 1;
        }
        found
    }

    /// A documentation comment at the top documents the file when a blank line or another one follows it.
    fn file_doc(&mut self) -> Option<Doc> {
        let first = self.docs.first().filter(|d| d.before == 0)?;
        let next_lo = match self.docs.get(1) {
            Some(second) if second.before == 0 => return self.take_file_doc(),
            _ => self.lo(),
        };
        let between = &self.text.as_bytes()[first.doc.span.hi as usize..next_lo as usize];
        if between.iter().filter(|&&b| b == b'\n').count() > 1 { self.take_file_doc() } else { None }
    }

    fn take_file_doc(&mut self) -> Option<Doc> {
        let first = &self.docs[0].doc;
        self.docs_done = 1;
        Some(Doc { span: first.span, text: first.text.clone() })
    }

    fn report_misplaced_docs(&mut self) {
        if self.stopped {
            return;
        }
        let rest = self.docs[self.docs_done..].iter().map(|d| d.doc.span);
        let spans: Vec<Span> = self.misplaced_docs.iter().copied().chain(rest).collect();
        for span in spans {
            self.report(
                Diagnostic::error(Code::MisplacedDoc, span, "this documentation comment documents nothing")
                    .hint("`-- |` may only stand before a declaration; write `--` for an ordinary comment"),
            );
        }
    }
}
