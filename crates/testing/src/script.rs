//! Scripts: small expressions that compute the input of a test from constants, files and entry points.
//!
//! ```text
//! exp  ::= let pat = exp in exp | fun atom… | atom
//! atom ::= value | "string" | fun | (exp, …) | [exp, …] | { name = exp, … }
//! fun  ::= name | $name
//! pat  ::= name | (name, …)
//! ```

mod eval;
mod show;

pub use eval::{Builtin, Evaluator, ScriptError, Val, evaluate};

use crate::SpecError;
use crate::cursor::Cursor;
use kenaz_base::Prim;
use kenaz_runtime::{ParamType, Value};
use kenaz_syntax::literal;
use std::fmt;

#[derive(Clone, PartialEq, Debug)]
pub enum Exp {
    Value(Value),
    /// A number without a type, which takes that of the parameter it is passed to.
    Number(String),
    /// In quotes: the name of a file, or the bytes of a value.
    Text(String),
    /// A function and its arguments, or a variable.
    Call(Fun, Vec<Exp>),
    Tuple(Vec<Exp>),
    Array(Vec<Exp>),
    Record(Vec<(String, Exp)>),
    Let(Vec<String>, Box<Exp>, Box<Exp>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fun {
    /// A variable or an entry point of the program.
    Named(String),
    /// `$loaddata`, `$loadbytes`, …
    Builtin(String),
}

/// Reads a script that is a text of its own.
pub fn parse(text: &str) -> Result<Exp, SpecError> {
    parse_at(Cursor::new(text))
}

pub(crate) fn parse_at(cursor: Cursor<'_>) -> Result<Exp, SpecError> {
    let mut parser = Parser { cursor, depth: 0 };
    parser.cursor.skip_space();
    let exp = parser.exp()?;
    if parser.cursor.is_at_end() { Ok(exp) } else { Err(parser.cursor.expected("the end of the script")) }
}

/// Deeper nesting than this is nobody's test.
const DEEPEST: usize = 200;

struct Parser<'a> {
    cursor: Cursor<'a>,
    depth: usize,
}

impl Parser<'_> {
    fn exp(&mut self) -> Result<Exp, SpecError> {
        if self.depth >= DEEPEST {
            return Err(self.cursor.error("the script is nested too deeply"));
        }
        self.depth += 1;
        let exp = if self.cursor.eat_word("let") { self.binding() } else { self.application() };
        self.depth -= 1;
        exp
    }

    fn binding(&mut self) -> Result<Exp, SpecError> {
        let mut names = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                names.push(self.name("a name in the pattern")?);
                if !self.eat(",") && !self.cursor.rest().starts_with(')') {
                    return Err(self.cursor.expected("`,` or `)`"));
                }
            }
        } else {
            names.push(self.name("a name after `let`")?);
        }
        if !self.eat("=") {
            return Err(self.cursor.expected("`=`"));
        }
        let value = self.exp()?;
        if !self.cursor.eat_word("in") {
            return Err(self.cursor.expected("`in`"));
        }
        Ok(Exp::Let(names, Box::new(value), Box::new(self.exp()?)))
    }

    fn application(&mut self) -> Result<Exp, SpecError> {
        let mut exp = self.atom()?;
        if let Exp::Call(_, arguments) = &mut exp {
            while self.at_atom() {
                arguments.push(self.atom()?);
            }
        }
        Ok(exp)
    }

    fn at_atom(&self) -> bool {
        let starts = |c: char| c.is_alphanumeric() || matches!(c, '_' | '(' | '[' | '{' | '"' | '$' | '-' | '.');
        self.cursor.rest().starts_with(starts) && self.cursor.word() != "in"
    }

    fn atom(&mut self) -> Result<Exp, SpecError> {
        let word = self.cursor.word();
        if self.eat("(") {
            let mut parts = self.list(")", Parser::exp)?;
            return Ok(if parts.len() == 1 { parts.remove(0) } else { Exp::Tuple(parts) });
        }
        if self.eat("[") {
            return Ok(Exp::Array(self.list("]", Parser::exp)?));
        }
        if self.eat("{") {
            return Ok(Exp::Record(self.list("}", Parser::field)?));
        }
        if self.cursor.rest().starts_with('"') {
            let at = self.cursor.at;
            let text = self.cursor.string()?;
            self.cursor.skip_space();
            let text = literal::string(text);
            return Ok(Exp::Text(text.map_err(|_| self.cursor.error_at(at, "unknown escape sequence"))?));
        }
        if self.cursor.eat("$") {
            return Ok(Exp::Call(Fun::Builtin(self.name("the name of a function after `$`")?), Vec::new()));
        }
        let is_special = self.cursor.rest()[word.len()..].starts_with('.');
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if is_name && !is_special && !matches!(word, "true" | "false" | "empty") {
            return Ok(Exp::Call(Fun::Named(self.name("a name")?), Vec::new()));
        }
        if !self.at_atom() {
            return Err(self.cursor.expected("an expression"));
        }
        self.value()
    }

    fn value(&mut self) -> Result<Exp, SpecError> {
        // The reader wants white space or a bracket after a number, but here it may be a parenthesis or brace.
        let start = self.cursor.at;
        let rest = self.cursor.rest();
        let is_empty = rest.starts_with("empty");
        let stop: &[char] = if is_empty { &[] } else { &['(', ')', '}', '{', '[', '"', '='] };
        let end = start + rest.find(stop).unwrap_or(rest.len());
        let mut inner = self.cursor.within(start, end);
        if is_empty {
            let close = rest.find(')').ok_or_else(|| self.cursor.expected("`)` after `empty(`"))?;
            inner = self.cursor.within(start, start + close + 1);
        }
        let value = inner.value()?.ok_or_else(|| self.cursor.expected("a value"))?;
        let text = &rest[..inner.at - start];
        self.cursor.at = inner.at;
        self.cursor.skip_space();
        Ok(if is_untyped(text) { Exp::Number(text.trim().to_string()) } else { Exp::Value(value) })
    }

    fn field(&mut self) -> Result<(String, Exp), SpecError> {
        let name = self.name("the name of a field")?;
        if self.eat("=") {
            return Ok((name, self.exp()?));
        }
        let variable = Exp::Call(Fun::Named(name.clone()), Vec::new());
        Ok((name, variable))
    }

    /// Parts separated by commas, up to the closing bracket.
    fn list<T>(&mut self, close: &str, part: impl Fn(&mut Self) -> Result<T, SpecError>) -> Result<Vec<T>, SpecError> {
        let mut parts = Vec::new();
        while !self.eat(close) {
            parts.push(part(self)?);
            if !self.eat(",") && !self.cursor.rest().starts_with(close) {
                return Err(self.cursor.expected(&format!("`,` or `{close}`")));
            }
        }
        Ok(parts)
    }

    fn name(&mut self, what: &str) -> Result<String, SpecError> {
        let word = self.cursor.word().split('-').next().unwrap_or("");
        if !word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err(self.cursor.expected(what));
        }
        self.cursor.at += word.len();
        self.cursor.skip_space();
        Ok(word.to_string())
    }

    fn eat(&mut self, piece: &str) -> bool {
        let found = self.cursor.eat(piece);
        if found {
            self.cursor.skip_space();
        }
        found
    }
}

/// Whether a number could have had the suffix of a type and has not.
fn is_untyped(text: &str) -> bool {
    let read = |prim| {
        let mut reader = kenaz_runtime::Reader::new(text.as_bytes());
        reader.next_of(ParamType { rank: 0, prim }).is_ok()
    };
    read(Prim::F32) && read(Prim::F64)
}

impl fmt::Display for Exp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: &[Exp]| parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Exp::Value(value) => value.fmt(f),
            Exp::Number(text) => f.write_str(text),
            Exp::Text(text) => write!(f, "{text:?}"),
            Exp::Tuple(parts) => write!(f, "({})", list(parts)),
            Exp::Array(parts) => write!(f, "[{}]", list(parts)),
            Exp::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, exp)| format!("{name} = {exp}")).collect();
                write!(f, "{{{}}}", fields.join(", "))
            }
            Exp::Let(names, value, body) => match names.as_slice() {
                [name] => write!(f, "let {name} = {value} in {body}"),
                names => write!(f, "let ({}) = {value} in {body}", names.join(", ")),
            },
            Exp::Call(fun, arguments) => {
                match fun {
                    Fun::Named(name) => f.write_str(name)?,
                    Fun::Builtin(name) => write!(f, "${name}")?,
                }
                arguments.iter().try_for_each(|argument| match argument {
                    Exp::Let(..) => write!(f, " ({argument})"),
                    Exp::Call(_, arguments) if !arguments.is_empty() => write!(f, " ({argument})"),
                    _ => write!(f, " {argument}"),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_print_as_they_are_written() {
        for text in [
            "1i32",
            "foo 10",
            "f (g x 2) [1i32, 2] (1, -2.5f32)",
            "(2f32, $loaddata \"data/input.in\")",
            "$loadbytes \"a.fut\"",
            "let x = 2 in let (y, z) = f x in g x y z",
            "{a = 1, b = {}}",
            "f empty([0][2]i32) true f32.nan -f64.inf",
            "()",
            "x'",
            "f [[1u8], [2u8]]",
        ] {
            let exp = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            // The value 2f32 is printed in the usual form.
            assert_eq!(exp.to_string().replace("2.0f32", "2f32"), text);
            assert_eq!(parse(&exp.to_string()), Ok(exp));
        }
        assert_eq!(parse("( f 1 )-- comment\n"), parse("f(1)"));
        assert_eq!(parse("{x}"), parse("{x = x}"));
    }

    #[test]
    fn mistakes() {
        for (text, expected) in [
            ("", "1:1: expected an expression, found the end"),
            ("f )", "1:3: expected the end of the script, found `)`"),
            ("(1", "1:3: expected `,` or `)`, found the end"),
            ("1 2", "1:3: expected the end of the script, found `2`"),
            ("let 1 = 2 in 3", "1:5: expected a name after `let`, found `1`"),
            ("let x 2", "1:7: expected `=`, found `2`"),
            ("let x = 2", "1:10: expected `in`, found the end"),
            ("f 12abc", "1:3: `12abc` is not a number"),
            ("{a = }", "1:6: expected an expression, found `}`"),
            ("\n $ 1", "2:3: expected the name of a function after `$`, found ` `"),
        ] {
            let result = parse(text).map_or_else(|error| error.to_string(), |_| String::new());
            assert_eq!(result, expected, "{text}");
        }
        assert!(parse(&"(".repeat(100_000)).is_err());
    }
}
