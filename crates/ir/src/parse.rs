//! Reads the text form that [`crate::print`] writes. White space does not matter.

mod entry;
mod exp;
mod lexer;
mod par;
mod plan;

use crate::entry::EntryType;
use crate::exp::{CheckKind, Message, MessagePart};
use crate::mem::Space;
use crate::name::{Fresh, Name};
use crate::prog::{Attrs, Body, Fun, Loc, LocId, Locs, Operand, Param, Prog, Stm};
use crate::types::Type;
use crate::value::Scalar;
use kenaz_base::attr::{Arg, Problem};
use kenaz_base::{Attr, Prim, Symbol, with_stack};
use lexer::{Lexer, Token};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The program that a text stands for. It is not checked.
pub fn prog(text: &str) -> Result<Prog, ParseError> {
    let mut p = Parser::new(text)?;
    let mut funs = Vec::new();
    while p.peek()? != &Token::End {
        if p.is_word("type")? {
            p.entry_type()?;
        } else {
            funs.push(p.fun()?);
        }
    }
    Ok(Prog { funs, locs: p.locs, fresh: p.fresh })
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

type Parsed<T> = Result<T, ParseError>;

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token with its start, if it has been looked at.
    ahead: Option<(Token<'a>, usize)>,
    fresh: Fresh,
    locs: Locs,
    /// The types of entry points declared so far.
    entry_types: FxHashMap<Symbol, Arc<EntryType>>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Parser<'a>> {
        let lexer = Lexer { text, pos: 0, end: text.len() };
        let first = first_free(text);
        // The parser makes at most one name for each character.
        if usize::try_from(u32::MAX - first).is_ok_and(|left| left < text.len()) {
            return Err(lexer.error(0, "the numbers of the names are too large".to_string()));
        }
        Ok(Parser {
            lexer,
            ahead: None,
            fresh: Fresh::from(first),
            locs: Locs::default(),
            entry_types: FxHashMap::default(),
        })
    }

    // Tokens

    fn peek(&mut self) -> Parsed<&Token<'a>> {
        if self.ahead.is_none() {
            self.lexer.skip();
            let start = self.lexer.pos;
            self.ahead = Some((self.lexer.token()?, start));
        }
        Ok(self.ahead.as_ref().map_or(&Token::End, |(token, _)| token))
    }

    fn next(&mut self) -> Parsed<Token<'a>> {
        self.peek()?;
        Ok(self.ahead.take().map_or(Token::End, |(token, _)| token))
    }

    /// Where the next token starts.
    fn here(&mut self) -> usize {
        self.ahead.as_ref().map_or(self.lexer.pos, |(_, start)| *start)
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let found = match self.peek()? {
            Token::Word(word) => format!("`{word}`"),
            Token::Quote(symbol, _) => format!("`{symbol}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Str(..) => "a text".to_string(),
            Token::Punct(punct) => format!("`{punct}`"),
            Token::End => "the end".to_string(),
        };
        let at = self.here();
        Err(self.lexer.error(at, format!("expected {what}, found {found}")))
    }

    fn is_punct(&mut self, punct: &str) -> Parsed<bool> {
        Ok(matches!(self.peek()?, Token::Punct(p) if *p == punct))
    }

    fn is_word(&mut self, word: &str) -> Parsed<bool> {
        Ok(matches!(self.peek()?, Token::Word(w) if *w == word))
    }

    fn eat(&mut self, punct: &str) -> Parsed<bool> {
        let found = self.is_punct(punct)?;
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn eat_word(&mut self, word: &str) -> Parsed<bool> {
        let found = self.is_word(word)?;
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn punct(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct)? { Ok(()) } else { self.expected(&format!("`{punct}`")) }
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word)? { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// Items with commas between them, up to the closing punctuation.
    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(",")? {
                self.punct(close)?;
                return Ok(items);
            }
        }
    }

    fn in_parens<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.punct("(")?;
        self.list(")", item)
    }

    fn in_brackets<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.punct("[")?;
        self.list("]", item)
    }

    // Leaves

    fn name(&mut self) -> Parsed<Name> {
        match as_name(self.peek()?) {
            Some(name) => {
                self.next()?;
                Ok(name)
            }
            None => self.expected("a name such as `x_12`"),
        }
    }

    fn symbol(&mut self) -> Parsed<Symbol> {
        let symbol = match self.peek()? {
            Token::Word(word) => Symbol::intern(word),
            Token::Quote(symbol, None) => Symbol::intern(symbol),
            _ => return self.expected("an identifier"),
        };
        self.next()?;
        Ok(symbol)
    }

    fn try_operand(&mut self) -> Parsed<Option<Operand>> {
        let operand = match self.peek()? {
            Token::Number(text) => match Scalar::parse(text) {
                Some(value) => Some(Operand::Const(value)),
                None => return self.expected("a number that fits its type"),
            },
            token @ Token::Word(word) => {
                as_name(token).map(Operand::Var).or_else(|| Scalar::parse(word).map(Operand::Const))
            }
            token => as_name(token).map(Operand::Var),
        };
        if operand.is_some() {
            self.next()?;
        }
        Ok(operand)
    }

    fn operand(&mut self) -> Parsed<Operand> {
        match self.try_operand()? {
            Some(operand) => Ok(operand),
            None => self.expected("a name or a constant"),
        }
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        if let Token::Word(text) | Token::Number(text) = self.peek()?
            && let Some(value) = Scalar::parse(text)
        {
            self.next()?;
            return Ok(value);
        }
        self.expected("a constant")
    }

    fn number<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        if let Token::Number(text) = self.peek()?
            && let Ok(n) = text.parse()
        {
            self.next()?;
            return Ok(n);
        }
        self.expected("a number")
    }

    fn prim(&mut self) -> Parsed<Prim> {
        if let Token::Word(word) = self.peek()?
            && let Some(prim) = Prim::from_name(word)
        {
            self.next()?;
            return Ok(prim);
        }
        self.expected("a primitive type")
    }

    fn text(&mut self) -> Parsed<String> {
        let &Token::Str(raw, start) = self.peek()? else { return self.expected("a text in quotes") };
        self.next()?;
        self.lexer.unescape(raw, start)
    }

    /// A text with values in braces, after a word that says what it means.
    fn message(&mut self) -> Parsed<Message> {
        let mut kind = CheckKind::Program;
        for (other, word) in CheckKind::WORDS {
            if self.eat_word(word)? {
                kind = *other;
            }
        }
        let &Token::Str(raw, start) = self.peek()? else { return self.expected("a text in quotes") };
        self.next()?;
        let mut parts = Vec::new();
        // Where the text before the next value starts, in `raw`.
        let mut from = 0;
        let mut at = 0;
        while at < raw.len() {
            match raw.as_bytes()[at] {
                b'\\' => at += 2,
                b'{' => {
                    let Some(len) = raw[at..].find('}') else {
                        return Err(self.lexer.error(start + at, "this value has no closing brace".to_string()));
                    };
                    self.message_text(&raw[from..at], start + from, &mut parts)?;
                    parts.push(MessagePart::Value(self.value_in(start + at + 1, start + at + len)?));
                    at += len + 1;
                    from = at;
                }
                _ => at += 1,
            }
        }
        self.message_text(&raw[from..], start + from, &mut parts)?;
        Ok(Message { kind, parts })
    }

    fn message_text(&self, raw: &str, start: usize, parts: &mut Vec<MessagePart>) -> Parsed<()> {
        if !raw.is_empty() {
            parts.push(MessagePart::Text(self.lexer.unescape(raw, start)?));
        }
        Ok(())
    }

    /// The operand that is all there is between two places.
    fn value_in(&mut self, start: usize, end: usize) -> Parsed<Operand> {
        let inner = Lexer { text: self.lexer.text, pos: start, end };
        let outer = (std::mem::replace(&mut self.lexer, inner), self.ahead.take());
        let value = self.operand().and_then(|value| match self.peek()? {
            Token::End => Ok(value),
            _ => self.expected("`}`"),
        });
        (self.lexer, self.ahead) = outer;
        value
    }

    // Types, parameters

    fn ty(&mut self) -> Parsed<Type> {
        let dims = self.dims()?;
        if !dims.is_empty() {
            return Ok(Type::Array(dims, self.prim()?));
        }
        if self.eat_word("mem")? {
            let space = match self.peek()? {
                Token::Word(word) => Space::from_name(word),
                _ => None,
            };
            if space.is_some() {
                self.next()?;
            }
            return Ok(Type::Mem(space.unwrap_or(Space::Host)));
        }
        if self.eat_word("cert")? {
            return Ok(Type::Cert);
        }
        if self.eat_word("acc")? {
            let token = self.name()?;
            let shape = self.dims()?;
            let elems = with_stack(|| self.in_parens(Self::ty))?;
            return Ok(Type::Acc { token, shape, elems });
        }
        Ok(Type::Prim(self.prim()?))
    }

    /// `[n][m]…`
    fn dims(&mut self) -> Parsed<Vec<Operand>> {
        let mut dims = Vec::new();
        while self.eat("[")? {
            dims.push(self.operand()?);
            self.punct("]")?;
        }
        Ok(dims)
    }

    /// `x_1: *[n_2]f32`
    fn param(&mut self) -> Parsed<Param> {
        let name = self.name()?;
        self.punct(":")?;
        self.param_type(name)
    }

    fn param_type(&mut self, name: Name) -> Parsed<Param> {
        let unique = self.eat("*")?;
        let ty = self.ty()?;
        let place = if self.eat("@")? { Some(Box::new(self.place()?)) } else { None };
        Ok(Param { name, ty, unique, place })
    }

    fn attrs(&mut self) -> Parsed<Attrs> {
        let mut attrs = Vec::new();
        while self.eat("#[")? {
            attrs.extend(self.list("]", Self::attr)?);
        }
        Ok(Attrs(attrs))
    }

    fn attr(&mut self) -> Parsed<Attr> {
        let at = self.here();
        let name = self.symbol()?;
        let arg = |p: &mut Self| match p.peek()? {
            Token::Number(_) => p.number().map(Arg::Number),
            _ => match p.symbol()? {
                name if p.is_punct("(")? => {
                    let args = p.in_parens(|p| p.number().map(Arg::Number))?;
                    Ok(Arg::Compound(Attr::parse(name.as_str(), Some(&args)).ok()))
                }
                name => Ok(Arg::Name(name)),
            },
        };
        let args = if self.is_punct("(")? { Some(self.in_parens(arg)?) } else { None };
        Attr::parse(name.as_str(), args.as_deref()).map_err(|problem| match problem {
            Problem::Unknown => self.lexer.error(at, format!("there is no attribute `{name}`")),
            Problem::Arguments(usage) => self.lexer.error(at, format!("expected {usage}")),
        })
    }

    /// `at prog.fut:2:15-20 < prog.fut:9:3`, or nothing.
    fn loc(&mut self) -> Parsed<LocId> {
        if !self.eat_word("at")? {
            return Ok(Locs::NOWHERE());
        }
        let mut places = vec![self.lexer.place()?];
        while self.eat("<")? {
            places.push(self.lexer.place()?);
        }
        let mut caller = None;
        for place in places.iter().rev() {
            caller = Some(self.locs.add(Loc { place: Symbol::intern(place), caller }));
        }
        Ok(caller.unwrap_or(Locs::NOWHERE()))
    }

    // Functions, bodies, statements

    fn fun(&mut self) -> Parsed<Fun> {
        let attrs = self.attrs()?;
        let is_entry = self.is_word("entry")?;
        if !is_entry && !self.is_word("fun")? {
            return self.expected("`fun`, `entry` or `type`");
        }
        self.next()?;
        let name = self.symbol()?;
        let mut params = Vec::new();
        while self.eat("(")? {
            params.push(self.param()?);
            self.punct(")")?;
        }
        self.punct(":")?;
        let mut results = Vec::new();
        while self.eat("(")? {
            results.push(self.result()?);
            self.punct(")")?;
        }
        let entry = if is_entry { Some(self.entry(&params, &results)?) } else { None };
        let loc = self.loc()?;
        self.punct("=")?;
        let body = self.body()?;
        Ok(Fun { name, entry, params, results, body, attrs, loc })
    }

    /// A result with a name, or a type alone, which gets a new name.
    fn result(&mut self) -> Parsed<Param> {
        if as_name(self.peek()?).is_some() {
            return self.param();
        }
        let name = self.fresh.named("result");
        self.param_type(name)
    }

    fn body(&mut self) -> Parsed<Body> {
        with_stack(|| {
            self.punct("{")?;
            let mut stms = Vec::new();
            while self.is_word("let")? {
                stms.push(self.stm()?);
            }
            if !self.eat_word("in")? {
                return self.expected("`let` or `in`");
            }
            let results = self.list("}", Self::operand)?;
            Ok(Body { stms, results })
        })
    }

    fn stm(&mut self) -> Parsed<Stm> {
        self.word("let")?;
        let pat = if self.eat("(")? {
            self.punct(")")?;
            self.punct("=")?;
            Vec::new()
        } else {
            self.list("=", Self::param)?
        };
        let certs = if self.eat("<")? { self.list(">", Self::name)? } else { Vec::new() };
        let attrs = self.attrs()?;
        let exp = self.exp()?;
        let loc = self.loc()?;
        Ok(Stm { pat, certs, attrs, exp, loc })
    }
}

/// `x_12` as a name.
fn as_name(token: &Token<'_>) -> Option<Name> {
    match token {
        Token::Word(word) => {
            let (base, id) = word.rsplit_once('_')?;
            let is_number = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
            let id = id.parse().ok().filter(|_| is_number)?;
            Some(Name { base: Symbol::intern(base), id })
        }
        Token::Quote(base, id) => Some(Name { base: Symbol::intern(base), id: (*id)? }),
        Token::Number(_) | Token::Str(..) | Token::Punct(_) | Token::End => None,
    }
}

/// A number above those of all names in the text.
fn first_free(text: &str) -> u32 {
    let mut first = 0;
    for (at, _) in text.match_indices('_') {
        let rest = &text[at + 1..];
        let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
        first = first.max(digits.parse::<u32>().map_or(0, |id| id.saturating_add(1)));
    }
    first
}
