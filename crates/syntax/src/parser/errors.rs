//! What the parser says about mistakes, and how it goes on after them.

use super::{Failed, Parsed, Parser};
use crate::lexer::MAX_ERRORS;
use crate::token::{Tok, Token};
use kenaz_base::{Code, Diagnostic, Prim, Span};

impl Parser<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        if !self.stopped && !self.is_consequence(&diagnostic) {
            self.errors += 1;
            self.stopped = self.errors >= MAX_ERRORS;
            self.dec_failed = true;
            if diagnostic.code == Code::ReservedName {
                self.reserved.push(self.token().kind);
            }
            let remedy = self.remedy(&diagnostic);
            self.diagnostics.push(match remedy {
                Some(remedy) => remedy.apply(diagnostic),
                None => diagnostic,
            });
        }
        Failed
    }

    /// Whether an error is likely due to an earlier one.
    fn is_consequence(&self, diagnostic: &Diagnostic) -> bool {
        // Brackets do not match any more where one of them was skipped.
        let brackets = diagnostic.code == Code::UnclosedDelimiter;
        let stray_brace = brackets && self.errors > 0 && self.at(Tok::RBrace);
        // After a recovery, what directly follows is likely to be wrong too.
        let recovering = self.pos < self.quiet_until;
        // A token that is already complained about, at the error or before it.
        let lo = self.pos.checked_sub(1).map_or(0, |at| self.tokens[at].lo);
        let hi = self.token().hi;
        let first = self.lexer_errors.partition_point(|&at| at < lo);
        let bad_token = self.lexer_errors.get(first).is_some_and(|&at| at < hi);
        // The use of a name that could not be bound because it is a keyword.
        let reserved = self.dec_failed && self.reserved.contains(&self.token().kind);
        // A `;` in the place of `in`.
        let lacks_in = diagnostic.message.starts_with("expected `in`") && {
            let start = self.tokens[..self.pos].iter().rfind(|t| t.kind == Tok::Let).map_or(0, |t| t.lo);
            let first = self.lexer_errors.partition_point(|&at| at < start);
            self.lexer_errors.get(first).is_some_and(|&at| at < hi)
        };
        lacks_in || recovering || stray_brace || (brackets && self.dec_failed) || bad_token || reserved
    }

    /// The token as it is named in messages.
    pub(super) fn describe(&self, token: Token) -> String {
        let text = self.text_of(token);
        match token.kind {
            Tok::Eof => "the end of the file".to_string(),
            Tok::String => "a string".to_string(),
            Tok::Def | Tok::Entry | Tok::Type | Tok::Module | Tok::Open | Tok::Local | Tok::Import
                if self.starts_line(token) =>
            {
                format!("the next declaration (`{text}`)")
            }
            _ if text.chars().count() > 40 => format!("`{}…`", text.chars().take(40).collect::<String>()),
            _ => format!("`{text}`"),
        }
    }

    /// The text before the next token, to say what something was expected after.
    fn after(&self) -> String {
        match self.pos.checked_sub(1).map(|at| self.text_of(self.tokens[at])) {
            Some(text) if text.len() <= 24 && !text.starts_with('"') => format!(" after `{text}`"),
            _ => String::new(),
        }
    }

    /// Where to point when the next token is not what was expected: at what stands before it, if it is on a later line
    /// and starts something new.
    fn place(&self) -> Span {
        match self.pos.checked_sub(1) {
            Some(before) if self.at_boundary() => self.span_of(self.tokens[before]),
            _ => self.span_of(self.token()),
        }
    }

    /// Something else than the next token was expected. Says why the token may stand there, if that is known.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let diagnostic = self.unexpected(what);
        self.report(diagnostic)
    }

    pub(super) fn expected_with(&mut self, what: &str, hint: &str) -> Failed {
        let diagnostic = self.unexpected(what).hint(hint);
        self.report(diagnostic)
    }

    /// A keyword or symbol is missing that a larger construct needs.
    pub(super) fn missing(&self, what: &str, hint: &str) -> Diagnostic {
        let mut diagnostic = self.unexpected(what);
        diagnostic.hints.insert(0, hint.to_string());
        diagnostic.hints.truncate(1);
        diagnostic
    }

    /// The `=` of a definition.
    pub(super) fn equals(&mut self) -> Parsed<()> {
        self.expect(Tok::Equals, "`=`").map(drop)
    }

    fn unexpected(&self, what: &str) -> Diagnostic {
        let token = self.token();
        let (span, found, after) = (self.place(), self.describe(token), self.after());
        let wants_name = ["name", "pattern", "parameter"].iter().any(|kind| what.contains(kind));
        if wants_name && token.kind.is_keyword() && !self.starts_line(token) {
            let text = self.text_of(token);
            let message = format!("`{text}` is a keyword and cannot be used as {what}");
            return Diagnostic::error(Code::ReservedName, self.span_of(token), message);
        }
        let message = format!("expected {what}{after}, found {found}");
        let diagnostic = Diagnostic::error(Code::UnexpectedToken, span, message);
        match self.hint_for(token, what) {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        }
    }

    /// Typical slips, recognised by what was found instead of `what`.
    fn hint_for(&self, token: Token, what: &str) -> Option<String> {
        let text = self.text_of(token);
        let wants_expr = what.contains("expression");
        match token.kind {
            Tok::Symbol if matches!(text.as_bytes(), [b'=', b'-' | b'!', ..]) && what.contains("`=`") => {
                Some(format!("`{text}` is read as one operator; write `= {}`", &text[1..]))
            }
            Tok::Symbol if text.starts_with("->") => {
                Some(format!("`{text}` is read as one operator; write `-> {}`", &text[2..]))
            }
            Tok::Symbol if text == "==" && what.contains("`=`") => {
                Some("a definition is written with a single `=`".to_string())
            }
            Tok::Symbol if wants_expr && text.len() > 1 && text.bytes().all(|b| matches!(b, b'-' | b'!')) => {
                let apart: Vec<String> = text.chars().map(String::from).collect();
                Some(format!("`{text}` is read as one operator; write `{}`", apart.join(" ")))
            }
            Tok::Symbol | Tok::Star | Tok::Less | Tok::Caret | Tok::Pipe if wants_expr => {
                Some(format!("an operator used as a function is written in parentheses: `({text})`"))
            }
            Tok::Equals if what.contains("`->`") => Some("a case or lambda has `->` before its body".to_string()),
            Tok::Symbol if text == "=>" && what.contains("`->`") => Some("the arrow is written `->`".to_string()),
            Tok::Apostrophe if wants_expr => {
                Some("a character literal holds exactly one character; a string stands in double quotes".to_string())
            }
            Tok::Underscore if wants_expr => {
                Some("`_` is only a pattern; for something to be filled in later write `???`".to_string())
            }
            Tok::Dot if what.contains("`->`") => Some("a lambda is written `\\x -> …`".to_string()),
            Tok::Pipe if what.contains("field") => {
                Some("a match has no `with` and no `|`: `match e case p -> e case q -> f`".to_string())
            }
            Tok::AttrOpen if what.contains("parameter") || what.contains("pattern") => {
                Some("a pattern with an attribute needs parentheses here".to_string())
            }
            _ if what == "a type" => {
                let [open, name, close] = self.tokens[..self.pos].last_chunk()?;
                let name_text = self.text_of(*name);
                let brackets = open.kind == Tok::LBracket && close.kind == Tok::RBracket;
                (brackets && Prim::from_name(name_text).is_some())
                    .then(|| format!("the type of the elements stands behind the brackets: `[]{name_text}`"))
            }
            _ => None,
        }
    }

    /// Something is left over behind a complete declaration or expression.
    pub(super) fn trailing(&mut self) -> Failed {
        let token = self.token();
        let (span, text) = (self.span_of(token), self.text_of(token));
        let found = self.describe(token);
        let simple = |message: String| Diagnostic::error(Code::UnexpectedToken, span, message);
        let diagnostic = match token.kind {
            Tok::RParen | Tok::RBracket | Tok::RBrace => {
                Diagnostic::error(Code::UnclosedDelimiter, span, format!("this `{text}` closes nothing"))
                    .hint("remove it, or add the opening bracket that it belongs to")
            }
            Tok::Equals => simple("unexpected `=`".to_string())
                .hint("to compare two values write `==`; a definition starts with `def` or `let`"),
            Tok::In => simple("this `in` belongs to no `let`".to_string()),
            Tok::Then | Tok::Else => simple(format!("this `{text}` belongs to no `if`"))
                .hint("if the condition or branch before it is a `let`, check that its `in` is there"),
            Tok::Case => simple("this `case` belongs to no `match`".to_string()),
            Tok::Bang => return self.bang_as_infix(),
            Tok::DotDot => return self.bad_range(),
            Tok::Comma => simple("unexpected `,`".to_string()).hint("a tuple needs parentheses: `(x, y)`"),
            Tok::Arrow => simple("unexpected `->`".to_string())
                .hint("a function is written `\\x -> …`; in `case p -> e` the pattern must come first"),
            Tok::If | Tok::Loop | Tok::Match | Tok::Assert => {
                simple(format!("`{text}` cannot stand here")).hint("as an argument it needs parentheses")
            }
            Tok::AttrOpen => {
                simple("an attribute cannot stand here".to_string()).hint("as an argument it needs parentheses")
            }
            Tok::Underscore => simple("unexpected `_`".to_string())
                .hint("`_` is only a pattern; for something to be filled in later write `???`"),
            Tok::Val => {
                simple("`val` may only stand in a module type".to_string()).hint("a value is defined with `def`")
            }
            Tok::Include => {
                simple("`include` may only stand in a module type".to_string()).hint("in a module, write `open`")
            }
            Tok::Symbol if text.starts_with("->") => simple(format!("unexpected `{text}`"))
                .hint(format!("`{text}` is read as one operator; write `-> {}`", &text[2..])),
            _ if self.pos == 0 || self.starts_line(token) => simple(format!("expected a declaration, found {found}"))
                .hint("declarations start with `def`, `entry`, `type`, `module`, `open`, `import` or `local`"),
            _ => simple(format!("unexpected {found}")),
        };
        self.report(diagnostic)
    }

    pub(super) fn bang_as_infix(&mut self) -> Failed {
        let span = self.span_of(self.token());
        self.report(
            Diagnostic::error(
                Code::BadOperator,
                span,
                "`!` is a prefix operator and cannot be used between two operands",
            )
            .hint("`not equal` is written `!=`; an argument that starts with `!` needs parentheses: `f (!x)`"),
        )
    }

    pub(super) fn bad_range(&mut self) -> Failed {
        let span = self.span_of(self.token());
        self.report(
            Diagnostic::error(Code::UnexpectedToken, span, "a range does not end with `..`")
                .hint("write `a..<b` for a range without `b`, or `a...b` for one with `b`"),
        )
    }

    /// Consumes `kind`, spelled `text`.
    pub(super) fn expect(&mut self, kind: Tok, text: &str) -> Parsed<Token> {
        if self.at(kind) {
            return Ok(self.bump());
        }
        Err(self.expected(text))
    }

    /// Consumes the partner of an opening bracket; `what` may also stand here.
    pub(super) fn close(&mut self, open: Token, what: &str) -> Parsed<()> {
        let (kind, text) = partner(open.kind);
        if self.eat(kind) {
            return Ok(());
        }
        let token = self.token();
        let (span, found, opener) = (self.place(), self.describe(token), self.text_of(open));
        // Where no expression stands, a `=` belongs to what is around the bracket.
        let in_expr = what.contains("operator");
        let never_closed = match token.kind {
            Tok::Eof => true,
            Tok::Equals => !in_expr,
            kind => kind.is_closer() || kind.is_keyword(),
        };
        let code = if never_closed { Code::UnclosedDelimiter } else { Code::UnexpectedToken };
        let expected =
            if what.is_empty() || never_closed { format!("`{text}`") } else { format!("{what} or `{text}`") };
        let cause =
            if never_closed { format!("this `{opener}` is not closed") } else { format!("to close this `{opener}`") };
        let mut diagnostic =
            Diagnostic::error(code, span, format!("expected {expected}{}, found {found}", self.after()))
                .cause(self.span_of(open), cause);
        match token.kind {
            Tok::Equals if in_expr => diagnostic = diagnostic.hint("to compare two values write `==`"),
            Tok::Bang => return Err(self.bang_as_infix()),
            Tok::DotDot => return Err(self.bad_range()),
            Tok::AttrOpen => diagnostic = diagnostic.hint("as an argument it needs parentheses"),
            Tok::Colon if !in_expr && self.token_behind(open).is_some_and(|next| next.kind == Tok::Constructor) => {
                diagnostic = diagnostic.hint("a constructor pattern with a type needs parentheses: `((#c x): t)`");
            }
            Tok::If | Tok::Loop | Tok::Match | Tok::Assert if !self.starts_line(token) => {
                diagnostic = diagnostic.hint("as an argument it needs parentheses");
            }
            _ => {}
        }
        Err(self.report(diagnostic))
    }

    fn token_behind(&self, token: Token) -> Option<Token> {
        let at = self.tokens.partition_point(|other| other.lo <= token.lo);
        self.tokens.get(at).copied()
    }

    /// Whether the next token surely starts a declaration, so that no bracket reaches beyond it.
    pub(super) fn at_boundary(&self) -> bool {
        let token = self.token();
        match token.kind {
            Tok::Eof => true,
            Tok::Def | Tok::Entry | Tok::Open | Tok::Local | Tok::Module | Tok::Type => self.starts_line(token),
            Tok::Let | Tok::Import | Tok::AttrOpen => self.at_column_one(token),
            _ => false,
        }
    }

    /// After a failure behind `open`, moves behind its partner. Fails when the bracket seems not to be closed at all.
    pub(super) fn recover_bracket(&mut self, open: Token) -> Parsed<()> {
        if self.lost || self.stopped {
            return Err(Failed);
        }
        let (kind, _) = partner(open.kind);
        let mut inner: Vec<Tok> = Vec::new();
        while !self.at_boundary() {
            let token = self.bump();
            if token.kind.is_opener() {
                inner.push(partner(token.kind).0);
            } else if token.kind.is_closer() {
                match inner.pop() {
                    None if token.kind == kind => {
                        self.quiet_until = self.pos + 3;
                        return Ok(());
                    }
                    Some(wanted) if wanted == token.kind => {}
                    _ => break,
                }
            }
        }
        self.lost = true;
        Err(Failed)
    }
}

pub(super) fn partner(open: Tok) -> (Tok, &'static str) {
    match open {
        Tok::LParen => (Tok::RParen, ")"),
        Tok::LBrace => (Tok::RBrace, "}"),
        _ => (Tok::RBracket, "]"),
    }
}
