//! Symbols and words of other languages, and the declarations they begin.

use super::Parser;
use super::remedy::{NEAR, Remedy, ends_operand, starts_operand, wanted};
use crate::foreign;
use crate::token::{Tok, Token};
use kenaz_base::{Prim, Span};

impl Parser<'_> {
    /// A symbol that other languages use in another way.
    pub(super) fn symbol(&self, message: &str) -> Option<Remedy> {
        let token = self.token();
        let (span, text) = (self.span_of(token), self.text_of(token));
        let wants = |what: &str| wanted(message).contains(what);
        let gap = |at: u32| Span::new(self.file, at, at);
        match token.kind {
            Tok::Equals if message == "unexpected `=`" || wants("`then`") || wants("an operator") => self.equals_sign(),
            Tok::Equals | Tok::Dot if wants("`->`") && self.in_lambda() => {
                // `\\x m.y` lacks its arrow somewhere else.
                let next = self.near(Some(self.pos + 1))?;
                if self.adjacent(token, next) && token.kind == Tok::Dot {
                    return None;
                }
                Some(Remedy::new("a lambda is written `\\x -> …`").fix(span, " ->"))
            }
            Tok::Symbol if text == "=>" && wants("`->`") => {
                Some(Remedy::new("the arrow is written `->`").fix(span, "->"))
            }
            Tok::Symbol if text == "<-" && wants("`=`") => {
                Some(Remedy::new("a value is given with `=`").fix(span, "="))
            }
            Tok::Symbol if wants("`=`") => {
                let op = foreign::assigned_operator(text)?;
                let name = self.before(1).filter(|t| t.kind == Tok::Name).map(|t| self.text_of(t))?;
                let hint = format!("names cannot be changed; bind a new one: `let {name} = {name} {op} …`");
                Some(Remedy::new(hint).fix(span, format!("= {name} {op}")))
            }
            Tok::Symbol if text == "<=" && wants("`in`") => self.loop_to(),
            Tok::Comma if wants("`->`") && self.in_lambda() => {
                let arrow = self.ahead_to(self.pos, |t| t.kind == Tok::Arrow)?;
                let commas = self.tokens[self.pos..arrow].iter().filter(|t| t.kind == Tok::Comma);
                let remedy = Remedy::new("parameters stand one after the other: `\\x y -> …`");
                Some(commas.fold(remedy, |remedy, comma| remedy.fix(self.span_of(*comma), "")))
            }
            Tok::Comma if wants("`]`") && self.in_array_pattern() => Some(Remedy::new(
                "there is no pattern for the elements of an array; they are `xs[0]`, `xs[1]` and so on",
            )),
            Tok::Comma if wants("`=`") => {
                let start = self.back_to(|t| t.kind == Tok::Let)? + 1;
                let end = self.ahead_to(self.pos, |t| t.kind == Tok::Equals)?;
                let (lo, hi) = (self.tokens[start].lo, self.tokens[end - 1].hi);
                let pattern = self.short_text(lo, hi)?;
                Some(
                    Remedy::new(format!("a tuple needs parentheses: `let ({pattern}) = …`"))
                        .fix(gap(lo), "(")
                        .fix(gap(hi), ")"),
                )
            }
            Tok::Dot if wants("expression") => {
                let number = self.near(Some(self.pos + 1)).filter(|n| matches!(n.kind, Tok::Nat | Tok::Float))?;
                self.adjacent(token, number).then(|| {
                    let digits = self.text_of(number);
                    let hint = format!("a number has a digit before its point: `0.{digits}`");
                    Remedy::new(hint).fix(gap(token.lo), "0")
                })
            }
            Tok::Tilde if wants("expression") => {
                Some(Remedy::new("the bits of a number are inverted by `!`").fix(span, "!"))
            }
            Tok::Tilde => {
                let equals = self.near(Some(self.pos + 1)).filter(|t| t.kind == Tok::Equals)?;
                let both = Span::new(self.file, token.lo, equals.hi);
                Some(Remedy::new("`not equal` is written `!=`").fix(both, "!="))
            }
            Tok::DotDot if self.around().is_some_and(|at| self.tokens[at].kind == Tok::Index) => {
                Some(Remedy::new("a slice is written `a[i:j]`, without its end `j`").fix(span, ":"))
            }
            Tok::Colon if wants("`=`") => {
                let equals = self.near(Some(self.pos + 1)).filter(|t| t.kind == Tok::Equals)?;
                let both = Span::new(self.file, token.lo, equals.hi);
                self.adjacent(token, equals).then(|| Remedy::new("a name is bound with `=`").fix(both, "="))
            }
            Tok::In if message.starts_with("this `in`") => {
                let (elem, array) = (self.before(1)?, self.near(Some(self.pos + 1))?);
                let is_short = elem.kind == Tok::Name && array.kind == Tok::Name && !self.starts_line(token);
                let hint = format!(
                    "to ask whether an array has an element, write `any (== {}) {}`",
                    self.text_of(elem),
                    self.text_of(array)
                );
                is_short.then(|| Remedy::new(hint))
            }
            Tok::Bang => {
                let word = self.before(1).filter(|t| matches!(self.word(Some(*t)), "and" | "or"))?;
                let op = if self.word(Some(word)) == "and" { "&&" } else { "||" };
                let hint = format!("between two conditions `{}` is written `{op}`", self.text_of(word));
                Some(Remedy::new(hint).fix(self.span_of(word), op))
            }
            Tok::Less if wants("`)`") || wants("`=`") => self.type_of_array(),
            Tok::Name if wants("`,` or `)`") => self.type_first(),
            Tok::Pipe => self.alternatives(message),
            Tok::Arrow if matches!(self.word(self.before(1)), "default" | "otherwise") => {
                let word = self.before(1)?;
                let hint = "the case for all other values is `case _ -> …`";
                Some(Remedy::new(hint).fix(self.span_of(word), "case _"))
            }
            _ => self.after_symbol(message),
        }
    }

    /// Something is missing behind a symbol.
    fn after_symbol(&self, message: &str) -> Option<Remedy> {
        let (last, before) = (self.before(1)?, self.before(2));
        let gap = Span::new(self.file, last.hi, last.hi);
        if message.contains("a field name after `.`") {
            let number = before.filter(|t| matches!(t.kind, Tok::Nat | Tok::Int) && self.adjacent(*t, last));
            if let Some(number) = number {
                let hint = format!("a number has a digit after its point: `{}.0`", self.text_of(number));
                return Some(Remedy::new(hint).fix(gap, "0"));
            }
            if self.tok().is_operator() {
                let op = self.text_of(self.token());
                let hint = format!("operators work on single values; for all elements of arrays, `map2 ({op}) xs ys`");
                return Some(Remedy::new(hint));
            }
        }
        let is_increment = self.text_of(last) == "++" && before.is_some_and(|t| self.adjacent(t, last));
        let is_last = self.at_boundary() || self.tok().is_closer() || self.tok().is_keyword();
        if is_increment && is_last && message.starts_with("expected an expression") {
            let hint = "names cannot be changed; the number after `x` is `x + 1`";
            return Some(Remedy::new(hint).fix(self.span_of(last), " + 1"));
        }
        None
    }

    /// `let [a, b] =`
    fn in_array_pattern(&self) -> bool {
        let open = self.around().and_then(|at| at.checked_sub(1));
        self.near(open).is_some_and(|t| t.kind == Tok::Let)
    }

    /// Whether the next token follows the parameters of a lambda.
    fn in_lambda(&self) -> bool {
        self.back_to(|t| matches!(t.kind, Tok::Backslash | Tok::Case | Tok::Arrow))
            .is_some_and(|at| self.tokens[at].kind == Tok::Backslash)
    }

    /// A `=` that compares, or that binds a name without `let`.
    fn equals_sign(&self) -> Option<Remedy> {
        let span = self.span_of(self.token());
        let last = self.before(1)?;
        if self.word(self.before(2)) == "where" {
            return Some(Remedy::new("there is no `where`; bind names before their use: `let x = … in …`"));
        }
        let keyword = matches!(self.word(self.before(2)), "var" | "const" | "auto" | "mut" | "my" | "set");
        if keyword && last.kind == Tok::Name {
            return Some(Remedy::new(format!("a name is bound by `let {} = … in …`", self.text_of(last))));
        }
        if last.kind == Tok::Name && self.at_column_one(last) {
            let lo = Span::new(self.file, last.lo, last.lo);
            return Some(Remedy::new("a definition starts with `def`").fix(lo, "def "));
        }
        if last.kind == Tok::RBracket {
            let open = self.tokens[..self.pos].iter().rposition(|t| t.kind == Tok::Index)?;
            let name = self.near(open.checked_sub(1)).filter(|t| t.kind == Tok::Name && self.starts_line(*t));
            let index = self.short_text(self.tokens[open].lo, last.hi);
            let (name, index) = name.map(|name| self.text_of(name)).zip(index)?;
            return Some(Remedy::new(format!(
                "an array with another element is `{name} with {index} = …`; to go on with it, `let {name}{index} = … in …`"
            )));
        }
        let first = self.tokens[..self.pos].iter().rfind(|t| self.starts_line(**t)).copied();
        if first.is_some_and(|first| self.is_binding(first)) {
            let head = first.and_then(|first| self.short_text(first.lo, last.hi)).unwrap_or("x");
            return Some(Remedy::new(format!("a name is bound by `let {head} = … in …`")));
        }
        let next = self.near(Some(self.pos + 1));
        let in_brackets = self.around().is_some_and(|at| self.tokens[at].kind != Tok::LParen);
        let compares = !in_brackets
            && next.is_some_and(|t| starts_operand(t.kind) && !self.starts_line(t))
            && ends_operand(last.kind);
        let remedy = Remedy::new("to compare two values write `==`");
        Some(if compares { remedy.fix(span, "==") } else { remedy })
    }

    /// `for i <= n`
    fn loop_to(&self) -> Option<Remedy> {
        let name = self.before(1).filter(|t| t.kind == Tok::Name)?;
        let end = self.ahead_to(self.pos, |t| t.kind == Tok::Do)?;
        let last = self.tokens[end - 1];
        let (name, bound) = (self.text_of(name), self.short_text(self.token().hi, last.hi)?);
        let is_simple =
            bound.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'-' | b'*' | b' '));
        let hint = format!("a loop counts from 0 up to, but without, its bound: `for {name} < {bound} + 1 do …`");
        let behind = Span::new(self.file, last.hi, last.hi);
        is_simple.then(|| Remedy::new(hint).fix(self.span_of(self.token()), "<").fix(behind, " + 1"))
    }

    /// `Array<t>`
    fn type_of_array(&self) -> Option<Remedy> {
        let head = self.before(1).filter(|t| foreign::is_array_type(self.word(Some(*t))))?;
        let (elem, close) = (self.near(Some(self.pos + 1))?, self.near(Some(self.pos + 2))?);
        let elem_text = self.word(Some(elem));
        let remedy = Remedy::new(format!("a type of arrays is written `[]{elem_text}`"));
        let whole = Span::new(self.file, head.lo, close.hi);
        (!elem_text.is_empty() && self.text_of(close) == ">").then(|| remedy.fix(whole, format!("[]{elem_text}")))
    }

    /// `(int x)`
    fn type_first(&self) -> Option<Remedy> {
        let (ty, name) = (self.before(1)?, self.token());
        let text = self.word(Some(ty));
        let ty_here = Prim::from_name(text).map(Prim::name).or_else(|| foreign::type_name(text))?;
        let param = format!("{}: {ty_here}", self.text_of(name));
        let span = Span::new(self.file, ty.lo, name.hi);
        Some(Remedy::new(format!("the type stands after the name: `({param})`")).fix(span, param))
    }

    /// `type t = A | B`, and the guards of a function.
    fn alternatives(&self, message: &str) -> Option<Remedy> {
        if message.starts_with("expected `=`") && self.starts_line(self.token()) {
            return Some(Remedy::new("there are no guards; a definition has one body, such as `if … then … else …`"));
        }
        let start = self.tokens[..self.pos].iter().rposition(|t| matches!(t.kind, Tok::Type | Tok::Equals))?;
        let is_type = self.tokens[start.saturating_sub(3)..start].iter().any(|t| t.kind == Tok::Type);
        if self.tokens[start].kind != Tok::Equals || !is_type {
            return None;
        }
        let rest = &self.tokens[start + 1..];
        let is_end = |t: &Token| !matches!(t.kind, Tok::Name | Tok::Pipe) || self.at_column_one(*t);
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        let names = || rest[..end].iter().filter(|t| t.kind == Tok::Name);
        let alternates = rest[..end].iter().enumerate().all(|(i, t)| (t.kind == Tok::Name) == (i % 2 == 0));
        if !alternates {
            return Some(Remedy::new("a constructor starts with `#`: `type t = #some i32 | #none`"));
        }
        let shown: Vec<String> = names().take(4).map(|t| format!("#{}", self.text_of(*t))).collect();
        let remedy = Remedy::new(format!("constructors start with `#`: `{}`", shown.join(" | ")));
        Some(names().fold(remedy, |remedy, t| remedy.fix(Span::new(self.file, t.lo, t.lo), "#")))
    }

    /// A keyword that stands in another way in other languages.
    pub(super) fn loop_or_match(&self, message: &str) -> Option<Remedy> {
        let wants_expr = message.starts_with("expected an expression");
        let a_match = "a match is written `match e case p -> e case q -> f`";
        Some(Remedy::new(match self.tok() {
            Tok::For if wants_expr => "a loop has a value that its body computes anew: `loop x = e for i < n do …`",
            Tok::While if wants_expr => "a loop has a value that its body computes anew: `loop x = e while c do …`",
            Tok::Case if wants_expr => a_match,
            Tok::Do if wants_expr => "`do` only stands in a loop: `loop x = e for i < n do …`",
            _ if message.starts_with("expected `do`") => "a loop is written `loop x = e for i < n do …`",
            _ if self.in_assert() => "`assert` takes a condition and a value: `assert (c) e`",
            _ => return None,
        }))
    }

    fn in_assert(&self) -> bool {
        let is_assert = |at: Option<usize>| self.near(at).is_some_and(|t| t.kind == Tok::Assert);
        let last = self.before(1);
        if last.is_some_and(|t| t.kind == Tok::RParen) {
            let open = self.tokens[..self.pos].iter().rposition(|t| t.kind == Tok::LParen);
            return is_assert(open.and_then(|at| at.checked_sub(1)));
        }
        is_assert(self.pos.checked_sub(2))
    }

    /// A declaration of another language, where one is expected or on the line of the error: what stands in the first
    /// column of a line is meant as a declaration, although it can be read as part of the one before.
    pub(super) fn foreign_dec(&self, message: &str) -> Option<Remedy> {
        if message.starts_with("expected a declaration") {
            return self.foreign_dec_at(self.pos);
        }
        let last = self.pos.checked_sub(usize::from(self.at_boundary()))?;
        let first = (last.saturating_sub(NEAR)..=last).rev().find(|at| self.starts_line(self.tokens[*at]))?;
        let token = self.tokens[first];
        if first == self.pos || !self.at_column_one(token) {
            return None;
        }
        let place = format!("expected a declaration, found {}", self.describe(token));
        Some(self.foreign_dec_at(first)?.place(self.span_of(token), place))
    }

    fn foreign_dec_at(&self, at: usize) -> Option<Remedy> {
        let token = self.tokens[at];
        let (span, text) = (self.span_of(token), self.text_of(token));
        let comment = "a comment starts with `--`";
        match token.kind {
            Tok::Symbol if text.starts_with("//") => return Some(Remedy::new(comment).fix(span, "--")),
            Tok::Symbol if text.starts_with("/*") || text == "%" => return Some(Remedy::new(comment)),
            Tok::LBrace if self.near(Some(at + 1)).is_some_and(|t| t.kind == Tok::Minus) => {
                return Some(Remedy::new(comment));
            }
            Tok::Constructor if text == "#include" => {
                return Some(Remedy::new("another file is used by `import \"path/to/file\"`"));
            }
            Tok::Constructor => return Some(Remedy::new(comment)),
            Tok::String => return Some(Remedy::new("documentation is a comment that starts with `-- |`")),
            Tok::Name => {}
            _ => return None,
        }
        let followed_by_name = self.near(Some(at + 1)).is_some_and(|t| t.kind == Tok::Name);
        let is_type = foreign::type_name(text).is_some() || Prim::from_name(text).is_some() || text == "void";
        let hint = match text {
            "fn" | "fun" | "func" | "function" | "const" | "var" | "proc" | "auto" | "final" | "mut"
                if followed_by_name =>
            {
                let remedy = Remedy::new("a function or value is defined by `def f x = …`");
                return Some(if self.is_definition(at + 1) { remedy.fix(span, "def") } else { remedy });
            }
            "struct" | "record" | "class" | "interface" => "a record type is defined by `type t = {x: f64, y: f64}`",
            "data" | "enum" | "newtype" | "union" | "typedef" => {
                "a type is defined by `type t = …`; one with several forms by `type t = #a | #b i32`"
            }
            "from" | "using" | "use" | "require" => "another file is used by `import \"path/to/file\"`",
            "export" | "pub" | "public" | "extern" | "global" => {
                "what can be called from outside is defined with `entry`, everything else with `def`"
            }
            "private" | "static" => "a definition that other files cannot see starts with `local def`",
            "return" => "the value of a function is its body, which stands after `=`",
            _ if is_type && followed_by_name => "a function is defined by `def f (x: t): t = …`",
            _ if self.is_definition(at + 1) => {
                let lo = Span::new(self.file, token.lo, token.lo);
                return Some(Remedy::new("a definition starts with `def`").fix(lo, "def "));
            }
            _ => return None,
        };
        Some(Remedy::new(hint))
    }
}
