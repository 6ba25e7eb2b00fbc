//! What is likely meant where something of another language stands.
//!
//! [`Parser::remedy`] looks at the tokens around an error that is about to be reported. A rule is a function of its
//! own; the first one that knows what was meant decides. None is asked about a program without errors.

use super::Parser;
use super::errors::partner;
use crate::token::{Tok, Token};
use kenaz_base::{Code, Diagnostic, Span};

/// What to say about an error instead of the usual hint.
pub(super) struct Remedy {
    hint: String,
    /// A better place for the message, and what to say there.
    place: Option<(Span, String)>,
    fixes: Vec<(Span, String)>,
}

impl Remedy {
    pub(super) fn new(hint: impl Into<String>) -> Remedy {
        Remedy { hint: hint.into(), place: None, fixes: Vec::new() }
    }

    pub(super) fn fix(mut self, span: Span, text: impl Into<String>) -> Remedy {
        self.fixes.push((span, text.into()));
        self
    }

    pub(super) fn place(mut self, span: Span, message: impl Into<String>) -> Remedy {
        self.place = Some((span, message.into()));
        self
    }

    pub(super) fn apply(self, mut diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.hints = vec![self.hint];
        if let Some((span, message)) = self.place {
            diagnostic.primary.span = span;
            diagnostic.message = message;
        }
        self.fixes.into_iter().fold(diagnostic, |diagnostic, (span, text)| diagnostic.fix(span, text))
    }
}

/// The part of a message that says what was expected.
pub(super) fn wanted(message: &str) -> &str {
    let Some(rest) = message.strip_prefix("expected ") else { return "" };
    let end = rest.find(" after `").or_else(|| rest.find(", found "));
    end.map_or(rest, |end| &rest[..end])
}

/// Whether an operand may end with such a token.
pub(super) fn ends_operand(kind: Tok) -> bool {
    let is_literal = matches!(kind, Tok::Int | Tok::Nat | Tok::Float | Tok::Char | Tok::String | Tok::Hole);
    is_literal || kind.is_closer() || matches!(kind, Tok::Name | Tok::Constructor | Tok::True | Tok::False)
}

/// Whether an operand may start with such a token.
pub(super) fn starts_operand(kind: Tok) -> bool {
    let is_literal = matches!(kind, Tok::Int | Tok::Nat | Tok::Float | Tok::Char | Tok::String | Tok::Hole);
    let is_name = matches!(kind, Tok::Name | Tok::Constructor | Tok::True | Tok::False);
    let is_control = matches!(kind, Tok::If | Tok::Loop | Tok::Match | Tok::Assert | Tok::Backslash | Tok::AttrOpen);
    let is_bracket = matches!(kind, Tok::LParen | Tok::LBracket | Tok::LBrace);
    is_literal || is_name || is_control || is_bracket || matches!(kind, Tok::Minus | Tok::Bang)
}

/// How many tokens around an error are looked at.
pub(super) const NEAR: usize = 400;

/// Longer texts are not repeated in a hint.
const SHORT: usize = 60;

impl Parser<'_> {
    /// What was meant by the tokens around the next one, where `diagnostic` is to be reported.
    pub(super) fn remedy(&self, diagnostic: &Diagnostic) -> Option<Remedy> {
        let is_about_tokens = matches!(
            diagnostic.code,
            Code::UnexpectedToken | Code::UnclosedDelimiter | Code::ReservedName | Code::BadOperator
        );
        if !is_about_tokens {
            return None;
        }
        let message = diagnostic.message.as_str();
        let wants = |what: &str| wanted(message).contains(what);
        let remedy = self.else_if(wants("`else`")).or_else(|| self.missing_in(wants("`in`")));
        let remedy = remedy.or_else(|| self.foreign_dec(message));
        let remedy = remedy.or_else(|| self.ternary()).or_else(|| self.trailing_if()).or_else(|| self.lambda());
        let remedy = remedy.or_else(|| self.comprehension()).or_else(|| self.braces(wants("`=`")));
        let remedy = remedy.or_else(|| self.colon(wants("`=`"))).or_else(|| self.symbol(message));
        remedy.or_else(|| self.loop_or_match(message))
    }

    // Looking around

    /// The token at an index, if it is there.
    pub(super) fn near(&self, at: Option<usize>) -> Option<Token> {
        self.tokens.get(at?).copied().filter(|t| t.kind != Tok::Eof)
    }

    /// The token so many places before the next one.
    pub(super) fn before(&self, back: usize) -> Option<Token> {
        self.near(self.pos.checked_sub(back))
    }

    pub(super) fn word(&self, token: Option<Token>) -> &str {
        token.filter(|t| t.kind == Tok::Name).map_or("", |t| self.text_of(t))
    }

    pub(super) fn adjacent(&self, a: Token, b: Token) -> bool {
        a.hi == b.lo
    }

    /// The text from one place to another on one line, if it is short.
    pub(super) fn short_text(&self, lo: u32, hi: u32) -> Option<&str> {
        let text = self.text.get(lo as usize..hi as usize)?.trim();
        (!text.is_empty() && text.len() <= SHORT && !text.contains('\n')).then_some(text)
    }

    /// The index of the nearest token before the next one, inside the same brackets, that satisfies `accept`. An
    /// opening bracket around the next token is the last one that is asked about.
    pub(super) fn back_to(&self, accept: impl Fn(Token) -> bool) -> Option<usize> {
        let mut depth = 0usize;
        for at in (self.pos.saturating_sub(NEAR)..self.pos).rev() {
            let token = self.tokens[at];
            if depth == 0 && accept(token) {
                return Some(at);
            }
            if token.kind.is_closer() {
                depth += 1;
            } else if token.kind.is_opener() {
                depth = depth.checked_sub(1)?;
            }
            if matches!(token.kind, Tok::Def | Tok::Entry) {
                return None;
            }
        }
        None
    }

    /// The bracket around the next token.
    pub(super) fn around(&self) -> Option<usize> {
        self.back_to(|token| token.kind.is_opener()).filter(|at| self.tokens[*at].kind != Tok::AttrOpen)
    }

    /// The index of the first token from `from` on, inside the same brackets, that satisfies `accept`; none beyond the
    /// end of the declaration or of the brackets.
    pub(super) fn ahead_to(&self, from: usize, accept: impl Fn(Token) -> bool) -> Option<usize> {
        let mut depth = 0usize;
        for (at, token) in self.tokens.iter().enumerate().skip(from).take(NEAR) {
            if depth == 0 && accept(*token) {
                return Some(at);
            }
            let is_dec = matches!(token.kind, Tok::Def | Tok::Entry | Tok::Module | Tok::Type | Tok::Eof);
            if token.kind.is_opener() {
                depth += 1;
            } else if token.kind.is_closer() {
                depth = depth.checked_sub(1)?;
            } else if is_dec {
                return None;
            }
        }
        None
    }

    /// Where the expression from `from` on ends, inside the brackets, `let` or branch that it stands in.
    fn end_of_expr(&self, from: usize) -> Option<u32> {
        let ends = |t: Token| {
            t.kind.is_closer()
                || matches!(t.kind, Tok::Comma | Tok::In | Tok::Then | Tok::Else | Tok::Do | Tok::Case | Tok::Eof)
                || matches!(t.kind, Tok::Let | Tok::Def | Tok::Entry | Tok::Type | Tok::Module | Tok::Open)
        };
        let end = self.ahead_to(from, ends)?;
        Some(self.tokens[end.checked_sub(1)?].hi)
    }

    /// Where the expression that the next token stands in begins: behind a bracket, `=`, `in` and the like.
    fn start_of_expr(&self) -> Option<u32> {
        let starts = |t: Token| {
            t.kind.is_opener()
                || matches!(t.kind, Tok::Equals | Tok::In | Tok::Then | Tok::Else | Tok::Arrow | Tok::Comma | Tok::Do)
        };
        let start = self.back_to(starts)?;
        Some(self.tokens.get(start + 1)?.lo)
    }

    fn span(&self, lo: u32, hi: u32) -> Span {
        Span::new(self.file, lo, hi)
    }

    // Rules

    /// `elif`
    fn else_if(&self, wants_else: bool) -> Option<Remedy> {
        if !wants_else {
            return None;
        }
        let is_word = |t: Token| t.kind == Tok::Name && matches!(self.text_of(t), "elif" | "elseif" | "elsif");
        let at = self.back_to(|t| is_word(t) || t.kind == Tok::If)?;
        let (token, span) = (self.tokens[at], self.span_of(self.tokens[at]));
        let text = self.text_of(token);
        is_word(token).then(|| {
            Remedy::new(format!("`{text}` is written `else if`"))
                .place(span, format!("expected `else`, found `{text}`"))
                .fix(span, "else if")
        })
    }

    /// A `let` without its `in`: the value goes on up to a line that is not indented further than the `let`.
    fn missing_in(&self, wants_in: bool) -> Option<Remedy> {
        if !wants_in {
            return None;
        }
        let mut open = 0usize;
        let at = (self.pos.saturating_sub(NEAR)..self.pos).rev().find(|at| match self.tokens[*at].kind {
            Tok::In => {
                open += 1;
                false
            }
            Tok::Let if open > 0 => {
                open -= 1;
                false
            }
            kind => kind == Tok::Let,
        })?;
        let column = self.pos_on_line(self.tokens[at])?;
        let is_next = |t: &&Token| self.pos_on_line(**t).is_some_and(|blanks| blanks <= column);
        let next = at + 1 + self.tokens[at + 1..=self.pos].iter().position(|t| is_next(&t))?;
        let (last, next) = (self.tokens[next - 1], self.tokens[next]);
        let is_declaration = next.lo == self.token().lo && self.at_boundary();
        if !starts_operand(next.kind) || !ends_operand(last.kind) || is_declaration {
            return None;
        }
        if self.is_binding(next) {
            let span = self.span_of(next);
            let hint = "names are bound by `let x = … in …`, functions by `let f x = … in …`";
            return Some(
                Remedy::new(hint)
                    .fix(self.span(next.lo, next.lo), "let ")
                    .place(span, format!("expected `let` or `in` before {}", self.describe(next))),
            );
        }
        let (span, text) = (self.span_of(next), self.describe(next));
        Some(
            Remedy::new("every `let` has an `in`, except before another `let`")
                .place(span, format!("expected `in` before {text}"))
                .fix(self.span(next.lo, next.lo), "in "),
        )
    }

    /// Whether a line that starts with this token binds a name: `x =`, `f x y =`.
    pub(super) fn is_binding(&self, first: Token) -> bool {
        let at = self.tokens.partition_point(|t| t.lo < first.lo);
        first.kind == Tok::Name && self.is_definition(at)
    }

    /// Whether names, parameters and `=` stand from here on.
    pub(super) fn is_definition(&self, from: usize) -> bool {
        let is_end = |t: Token| {
            let is_sign = matches!(t.kind, Tok::Colon | Tok::Apostrophe | Tok::Underscore);
            !is_sign && t.kind != Tok::Name && !matches!(t.kind, Tok::LParen | Tok::LBracket | Tok::Index)
        };
        self.ahead_to(from, is_end).is_some_and(|at| self.tokens[at].kind == Tok::Equals)
    }

    /// `c ? a : b`
    fn ternary(&self) -> Option<Remedy> {
        if !self.at(Tok::Question) || !self.before(1).is_some_and(|t| ends_operand(t.kind)) {
            return None;
        }
        let general = "a conditional is written `if c then a else b`";
        let build = || {
            let colon = self.ahead_to(self.pos + 1, |t| matches!(t.kind, Tok::Colon | Tok::Question))?;
            let (start, end) = (self.start_of_expr()?, self.end_of_expr(colon + 1)?);
            let question = self.token();
            let colon = self.tokens[colon];
            let cond = self.short_text(start, question.lo)?;
            let then = self.short_text(question.hi, colon.lo).filter(|_| colon.kind == Tok::Colon)?;
            let otherwise = self.short_text(colon.hi, end).filter(|text| !text.contains('?'))?;
            let text = format!("if {cond} then {then} else {otherwise}");
            Some(Remedy::new(format!("a conditional is written `{text}`")).fix(self.span(start, end), text))
        };
        Some(build().unwrap_or_else(|| Remedy::new(general)))
    }

    /// `a if c else b`
    fn trailing_if(&self) -> Option<Remedy> {
        if !self.at(Tok::If) || self.starts_line(self.token()) {
            return None;
        }
        let otherwise = self.ahead_to(self.pos + 1, |t| matches!(t.kind, Tok::Else | Tok::Then))?;
        let (keyword, other) = (self.token(), self.tokens[otherwise]);
        if other.kind != Tok::Else {
            return None;
        }
        let (start, end) = (self.start_of_expr()?, self.end_of_expr(otherwise + 1)?);
        let then = self.short_text(start, keyword.lo)?;
        let cond = self.short_text(keyword.hi, other.lo)?;
        let text = format!("if {cond} then {then} else {}", self.short_text(other.hi, end)?);
        Some(Remedy::new(format!("a conditional is written `{text}`")).fix(self.span(start, end), text))
    }

    /// `(x -> e)`, `(lambda x: e)`, `(fn x => e)`
    fn lambda(&self) -> Option<Remedy> {
        let open = self.back_to(|t| t.kind == Tok::LParen)?;
        if self.near(open.checked_sub(1)).is_some_and(|t| t.kind == Tok::Backslash) {
            return None;
        }
        let first = self.near(Some(open + 1))?;
        let has_word = matches!(self.word(Some(first)), "lambda" | "fn" | "fun" | "func" | "function");
        if !has_word && !self.at(Tok::Arrow) {
            return None;
        }
        let from = open + 1 + usize::from(has_word);
        let is_arrow = |t: Token| matches!(t.kind, Tok::Arrow | Tok::Colon) || self.text_of(t) == "=>";
        let arrow = self.ahead_to(from, is_arrow).filter(|at| has_word || *at == self.pos)?;
        let is_param =
            |t: &Token| matches!(t.kind, Tok::Name | Tok::Underscore | Tok::LParen | Tok::RParen | Tok::Comma);
        if arrow == from || !self.tokens[from..arrow].iter().all(is_param) {
            return None;
        }
        let mut params = self.short_text(self.tokens[from].lo, self.tokens[arrow].lo)?.to_string();
        let in_tuple = params.starts_with('(') && params.ends_with(')');
        if !in_tuple {
            params = params.replace(',', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        } else if has_word && self.tokens[from + 1..arrow - 1].iter().all(|t| matches!(t.kind, Tok::Name | Tok::Comma))
        {
            // `function (x, y) …` has two parameters.
            params = params.trim_matches(['(', ')']).replace(',', " ");
            params = params.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        let is_end = |t: Token| t.kind.is_closer() || t.kind == Tok::Comma;
        let end = self.ahead_to(arrow + 1, is_end).map(|end| self.tokens[end].lo);
        let body = end.and_then(|end| self.short_text(self.tokens[arrow].hi, end)).unwrap_or("…");
        let span = self.span(first.lo, self.tokens[arrow].hi);
        Some(Remedy::new(format!("a function is written `\\{params} -> {body}`")).fix(span, format!("\\{params} ->")))
    }

    /// `[e for x in xs]`
    fn comprehension(&self) -> Option<Remedy> {
        let open = self.around().filter(|at| self.tokens[*at].kind == Tok::LBracket)?;
        if !self.at(Tok::For) {
            return None;
        }
        let general = "an array is made from another one by a function: `map (\\x -> …) xs`";
        let build = || {
            let within = self.ahead_to(self.pos + 1, |t| t.kind == Tok::In)?;
            let is_end = |t: Token| matches!(t.kind, Tok::RBracket | Tok::If | Tok::For);
            let close = self.ahead_to(within + 1, is_end).filter(|at| self.tokens[*at].kind == Tok::RBracket)?;
            let (open, close, within) = (self.tokens[open], self.tokens[close], self.tokens[within]);
            let elem = self.short_text(open.hi, self.lo())?;
            let name = self.short_text(self.token().hi, within.lo)?;
            let source = self.short_text(within.hi, close.lo)?;
            let is_word = source.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            let source = if is_word { source.to_string() } else { format!("({source})") };
            let text = format!("map (\\{name} -> {elem}) {source}");
            let hint = format!("an array is made from another one by a function: `{text}`");
            Some(Remedy::new(hint).fix(self.span(open.lo, close.hi), format!("({text})")))
        };
        Some(build().unwrap_or_else(|| Remedy::new(general)))
    }

    /// Braces around a branch, a body, or the new values of fields.
    fn braces(&self, wants_equals: bool) -> Option<Remedy> {
        if self.at(Tok::LBrace) && self.before(1).is_some_and(|t| t.kind == Tok::With) {
            let commas = self.inner_commas(self.pos)?;
            let close = commas.1;
            let name = self.before(2).filter(|t| t.kind == Tok::Name).map_or("r", |t| self.text_of(t));
            let fields = self.short_text(self.token().hi, close.lo).unwrap_or("x = …");
            let fields: Vec<&str> = fields.split(',').map(str::trim).collect();
            let hint = format!("fields are updated without braces: `{name} with {}`", fields.join(" with "));
            let remedy = Remedy::new(hint).fix(self.span_of(self.token()), "").fix(self.span_of(close), "");
            return Some(commas.0.iter().fold(remedy, |r, comma| r.fix(self.span_of(*comma), " with")));
        }
        let open = self.around().filter(|at| self.tokens[*at].kind == Tok::LBrace)?;
        let a_match = "a match is written `match e case p -> e case q -> f`, without braces";
        if (open.saturating_sub(4)..open).any(|at| self.word(self.near(Some(at))) == "switch") {
            return Some(Remedy::new(a_match));
        }
        if wants_equals && self.at(Tok::Colon) && open + 2 == self.pos {
            let hint = "a record is written `{name = value, …}`";
            return Some(Remedy::new(hint).fix(self.span_of(self.token()), " ="));
        }
        // `def f (x: t): t { … }`
        let is_body = self.near(open.checked_sub(1)).is_some_and(|t| ends_operand(t.kind));
        let first = self.tokens[..open].iter().rfind(|t| self.starts_line(**t));
        let in_head = first.is_some_and(|t| matches!(t.kind, Tok::Def | Tok::Entry)) && !self.has_equals_before(open);
        if is_body && in_head {
            return Some(Remedy::new("the body of a definition stands after `=`, without braces"));
        }
        if !wants_equals {
            return None;
        }
        if self.at(Tok::Pipe) && open + 2 == self.pos && self.before(1).is_some_and(|t| t.kind == Tok::Name) {
            let name = self.word(self.before(1));
            let (commas, close) = self.inner_commas(open)?;
            let fields = self.short_text(self.token().hi, close.lo).unwrap_or("x = …");
            let fields: Vec<&str> = fields.split(',').map(str::trim).collect();
            let remedy = Remedy::new(format!("a record is updated by `{name} with {}`", fields.join(" with ")))
                .fix(self.span_of(self.tokens[open]), "(")
                .fix(self.span_of(self.token()), "with")
                .fix(self.span_of(close), ")");
            return Some(commas.iter().fold(remedy, |r, comma| r.fix(self.span_of(*comma), " with")));
        }
        // The construct whose brace this is.
        let outer = self.tokens[self.pos.saturating_sub(NEAR)..open].iter().rev().find(|t| {
            matches!(t.kind, Tok::If | Tok::Then | Tok::Match | Tok::Case | Tok::Equals | Tok::Def | Tok::Entry)
        })?;
        Some(Remedy::new(match outer.kind {
            Tok::If => "a conditional is written `if c then a else b`, without braces",
            Tok::Match => a_match,
            Tok::Def | Tok::Entry => "the body of a definition stands after `=`, without braces",
            _ => "a record is written `{name = value, …}`; expressions are grouped by parentheses",
        }))
    }

    /// Whether the declaration that a token is part of has its `=` before it.
    fn has_equals_before(&self, at: usize) -> bool {
        let tokens = self.tokens[..at].iter().rev().take_while(|t| !matches!(t.kind, Tok::Def | Tok::Entry));
        tokens.into_iter().any(|t| t.kind == Tok::Equals)
    }

    /// The commas between the parts in a bracket, and the one that closes it.
    fn inner_commas(&self, open: usize) -> Option<(Vec<Token>, Token)> {
        let close = self.ahead_to(open + 1, |t| t.kind == partner(self.tokens[open].kind).0)?;
        let mut commas = Vec::new();
        let mut from = open + 1;
        while let Some(at) = self.ahead_to(from, |t| t.kind == Tok::Comma).filter(|at| *at < close) {
            commas.push(self.tokens[at]);
            from = at + 1;
        }
        Some((commas, self.tokens[close]))
    }

    /// A colon where none belongs: `if c:`, `def f(x):`, `x :: t`, `x := e`.
    fn colon(&self, wants_equals: bool) -> Option<Remedy> {
        let (token, last) = (self.token(), self.before(1)?);
        if last.kind == Tok::Colon && self.adjacent(last, token) {
            let span = self.span(last.lo, token.hi);
            let is_signature = self.before(3).is_some_and(|t| matches!(t.kind, Tok::Def | Tok::Entry));
            match token.kind {
                Tok::Colon if is_signature => {
                    return Some(Remedy::new("the types stand in the definition: `def f (x: t): t = …`"));
                }
                Tok::Colon => return Some(Remedy::new("a type is stated with a single `:`").fix(span, ":")),
                Tok::Equals => return Some(Remedy::new("a name is bound with `=`").fix(span, "=")),
                _ => {}
            }
        }
        // The colon that ends a line of Python, at which a type begins here, or the body of a branch.
        let ends_line = |at: usize| {
            let next = self.tokens[at + 1];
            self.tokens[at].kind == Tok::Colon && (next.kind == Tok::Eof || self.starts_line(next))
        };
        if self.at(Tok::Colon) && last.kind == Tok::Else {
            return Some(Remedy::new("a conditional is written `if c then a else b`, without a colon"));
        }
        if last.kind == Tok::Colon && ends_line(self.pos - 1) {
            let is_head = |t: Token| matches!(t.kind, Tok::If | Tok::While | Tok::For | Tok::Then | Tok::Do);
            let head = self.back_to(is_head).map(|at| self.tokens[at].kind);
            return Some(Remedy::new(match head {
                Some(Tok::If) => "a conditional is written `if c then a else b`, without a colon",
                Some(Tok::While | Tok::For) => "the body of a loop stands after `do`, without a colon",
                _ => return None,
            }));
        }
        if !wants_equals {
            return None;
        }
        let from = (self.pos.saturating_sub(NEAR)..self.pos)
            .rev()
            .find(|at| matches!(self.tokens[*at].kind, Tok::Def | Tok::Entry | Tok::Let))?;
        let colon = self.ahead_to(from + 1, |t| t.kind == Tok::Colon && self.is_last_on_line(t));
        let (arrow, before_body) = (self.at(Tok::Arrow), "`=` stands before the body of a definition");
        match (arrow, colon) {
            (true, Some(colon)) => Some(
                Remedy::new(format!("the type of the result stands after `:`, and {before_body}"))
                    .fix(self.span_of(token), ":")
                    .fix(self.span_of(self.tokens[colon]), " ="),
            ),
            (true, None) => {
                let remedy = Remedy::new("the type of the result stands after `:`, not after `->`");
                let is_end = |t: Token| matches!(t.kind, Tok::Equals | Tok::LBrace | Tok::Colon);
                let body = self.ahead_to(self.pos + 1, is_end);
                let has_type = body.is_some_and(|at| at > self.pos + 1) && last.kind == Tok::RParen;
                let has_body = has_type && body.is_some_and(|at| self.tokens[at].kind == Tok::Equals);
                Some(if has_body { remedy.fix(self.span_of(token), ":") } else { remedy })
            }
            (false, Some(colon)) if colon < self.pos => {
                Some(Remedy::new(format!("{before_body}, not `:`")).fix(self.span_of(self.tokens[colon]), " ="))
            }
            (false, _) => None,
        }
    }

    fn is_last_on_line(&self, token: Token) -> bool {
        let rest = &self.text[token.hi as usize..];
        rest.lines().next().is_none_or(|line| line.trim().is_empty() || line.trim_start().starts_with("--"))
    }
}
