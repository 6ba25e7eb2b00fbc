//! The tokens of the language.

/// A kind of token. What a token says beyond its kind (a name, a number) is read from the text at its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tok {
    Eof,
    Name,
    /// `#name`
    Constructor,
    /// An integer, with or without a suffix.
    Int,
    /// An integer in decimal digits without a suffix; only these name fields.
    Nat,
    Float,
    Char,
    String,
    /// An infix operator without a kind of its own.
    Symbol,
    /// `m.+`
    QualSymbol,

    Star,
    Minus,
    Bang,
    Less,
    Caret,
    Pipe,

    LParen,
    RParen,
    /// `[` after a space, an operator or an opening bracket.
    LBracket,
    /// `[` directly behind a name, a literal or a closing bracket.
    Index,
    RBracket,
    LBrace,
    RBrace,
    /// `#[`
    AttrOpen,
    Comma,
    Dot,
    /// `..`
    DotDot,
    /// `...`
    Ellipsis,
    /// `..<`
    UpTo,
    /// `..>`
    DownTo,
    Colon,
    /// `:>`
    Coerce,
    Equals,
    Arrow,
    Backslash,
    Backtick,
    Apostrophe,
    Tilde,
    Question,
    /// `???`
    Hole,
    Underscore,

    True,
    False,
    If,
    Then,
    Else,
    Def,
    Let,
    Loop,
    In,
    Val,
    For,
    Do,
    With,
    Local,
    Open,
    Include,
    Import,
    Type,
    Entry,
    Module,
    While,
    Assert,
    Match,
    Case,
}

impl Tok {
    pub fn keyword(name: &[u8]) -> Option<Tok> {
        Some(match name {
            b"true" => Tok::True,
            b"false" => Tok::False,
            b"if" => Tok::If,
            b"then" => Tok::Then,
            b"else" => Tok::Else,
            b"def" => Tok::Def,
            b"let" => Tok::Let,
            b"loop" => Tok::Loop,
            b"in" => Tok::In,
            b"val" => Tok::Val,
            b"for" => Tok::For,
            b"do" => Tok::Do,
            b"with" => Tok::With,
            b"local" => Tok::Local,
            b"open" => Tok::Open,
            b"include" => Tok::Include,
            b"import" => Tok::Import,
            b"type" => Tok::Type,
            b"entry" => Tok::Entry,
            b"module" => Tok::Module,
            b"while" => Tok::While,
            b"assert" => Tok::Assert,
            b"match" => Tok::Match,
            b"case" => Tok::Case,
            _ => return None,
        })
    }

    pub fn is_keyword(self) -> bool {
        self as u8 >= Tok::True as u8
    }

    /// An infix operator, in the places where one is used or named (`!` is none, but is read as one to say so).
    pub fn is_operator(self) -> bool {
        matches!(
            self,
            Tok::Symbol | Tok::QualSymbol | Tok::Star | Tok::Minus | Tok::Bang | Tok::Less | Tok::Caret | Tok::Pipe
        )
    }

    pub fn is_closer(self) -> bool {
        matches!(self, Tok::RParen | Tok::RBracket | Tok::RBrace)
    }

    pub fn is_opener(self) -> bool {
        matches!(self, Tok::LParen | Tok::LBracket | Tok::Index | Tok::LBrace | Tok::AttrOpen)
    }

    pub fn is_bracket(self) -> bool {
        matches!(self, Tok::LBracket | Tok::Index)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: Tok,
    pub lo: u32,
    pub hi: u32,
}

/// How tightly an infix operator binds; a larger number binds more tightly.
///
/// | level | operators | associates |
/// |---|---|---|
/// | 1 | `` `name` `` | left |
/// | 2 | `\|>` | left |
/// | 3 | `<\|` | right |
/// | 4 | `\|\|` | left |
/// | 5 | `&&` | left |
/// | 6 | `<=` `>=` `>` `<` `==` `!=` `!` `=` | left |
/// | 7 | `&` `^` `\|` | left |
/// | 8 | `<<` `>>` | left |
/// | 9 | `+` `-` | left |
/// | 10 | `*` `/` `%` `//` `%%` | left |
/// | 11 | `**` | left |
///
/// An operator of the user's takes the level of the longest operator of this table that it starts with.
///
/// Around this table, from loose to tight: `#[attr]` and the bodies of `let`, `if`, `loop` and lambdas; `:` and `:>`
/// (left); ranges (right); `with` (left); the infix operators; prefix `-` and `!`; application; `.field` and
/// `[index]`. The body of a `case` is everything down to a range: an ascription behind it belongs to the whole `match`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixity {
    pub level: u8,
    pub right: bool,
}

/// The fixity of a symbol without qualifiers.
pub fn fixity(symbol: &[u8]) -> Fixity {
    let left = |level| Fixity { level, right: false };
    match symbol {
        [b'|', b'>', ..] => left(2),
        [b'<', b'|', ..] => Fixity { level: 3, right: true },
        [b'|', b'|', ..] => left(4),
        [b'&', b'&', ..] => left(5),
        [b'&' | b'^' | b'|', ..] => left(7),
        [b'<', b'<', ..] | [b'>', b'>', ..] => left(8),
        [b'<' | b'>' | b'=' | b'!', ..] => left(6),
        [b'+' | b'-', ..] => left(9),
        [b'*', b'*', ..] => left(11),
        _ => left(10),
    }
}

/// The fixity of `` `name` ``.
pub const BACKTICK: Fixity = Fixity { level: 1, right: false };
