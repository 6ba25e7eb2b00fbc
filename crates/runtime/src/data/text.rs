//! Reading the text format: `1`, `[[1.5f32, 2], [3, f32.nan]]`, `empty([0][2]i32)`, `"abc"`.
//!
//! Nesting is tracked in vectors, not by recursion, so that no data can exhaust the stack.

use super::number::Literal;
use super::source::Source;
use super::{Fault, Problem};
use crate::{Data, ParamType, Value, ValueType};
use kenaz_base::Prim;
use kenaz_syntax::literal;

/// The most dimensions that the binary format can express.
const MOST_DIMENSIONS: usize = 255;
/// A word longer than this is no number that anyone wrote on purpose.
const LONGEST_WORD: usize = 1 << 16;

/// Goes past white space and comments.
pub(super) fn skip_space(source: &mut Source<'_>) -> Result<(), Fault> {
    while let Some(byte) = source.peek()? {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => source.advance(),
            b'-' if source.peek_second()? == Some(b'-') => {
                while source.peek()?.is_some_and(|byte| byte != b'\n') {
                    source.advance();
                }
            }
            _ => break,
        }
    }
    Ok(())
}

/// Reads a value; the source stands at its first byte.
pub(super) fn read(source: &mut Source<'_>, wanted: Option<ParamType>) -> Result<Value, Fault> {
    let start = source.offset();
    match source.peek()? {
        Some(b'[' | b'"') => Nest::new(wanted).read(source),
        _ => {
            let mut buffer = Vec::new();
            let word = word(source, &mut buffer)?;
            if word == "empty" {
                return empty(source, wanted);
            }
            let literal = Literal::new(word).ok_or_else(|| not_a_value(word).at(start))?;
            let prim = match wanted {
                None => literal.usual(),
                Some(ParamType { rank: 0, prim }) => prim,
                Some(wanted) => return Err(Problem::WrongLiteral { wanted, found: format!("`{word}`") }.at(start)),
            };
            let scalar = literal.value(prim, word).map_err(|problem| {
                match (problem, wanted) {
                    (Problem::MixedTypes { found, .. }, Some(wanted)) => {
                        Problem::WrongType { wanted, found: ParamType { rank: 0, prim: found } }
                    }
                    (problem, _) => problem,
                }
                .at(start)
            })?;
            Ok(Value::scalar(scalar))
        }
    }
}

fn not_a_value(word: &str) -> Problem {
    if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        Problem::Number(word.to_string())
    } else {
        Problem::NotAValue(format!("`{word}`"))
    }
}

/// What the source stands at, for messages.
fn found(source: &mut Source<'_>) -> Result<String, Fault> {
    Ok(match source.peek()? {
        None => "the end of the data".to_string(),
        Some(byte @ b'!'..=b'~') => format!("`{}`", char::from(byte)),
        Some(byte) => format!("the byte 0x{byte:02x}"),
    })
}

/// Reads a word: a number, `true`, `false` or `empty`.
fn word<'b>(source: &mut Source<'_>, buffer: &'b mut Vec<u8>) -> Result<&'b str, Fault> {
    let start = source.offset();
    buffer.clear();
    while let Some(byte) = source.peek()? {
        let belongs = byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.')
            || (matches!(byte, b'-' | b'+') && may_be_sign(buffer, byte));
        if !belongs {
            break;
        }
        if buffer.len() >= LONGEST_WORD {
            return Err(Problem::Number("a number of more than 65536 characters".to_string()).at(start));
        }
        buffer.push(byte);
        source.advance();
    }
    // Only ASCII was let through.
    let word = std::str::from_utf8(buffer).unwrap_or_default();
    if word.is_empty() {
        return Err(Problem::NotAValue(found(source)?).into());
    }
    let separated = match source.peek()? {
        None | Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | b',' | b']' | b'(') => true,
        Some(b'-') => source.peek_second()? == Some(b'-'),
        Some(_) => false,
    };
    if !separated {
        return Err(Problem::Syntax { wanted: "white space after a value", found: found(source)? }.into());
    }
    Ok(word)
}

/// Whether a plus or minus belongs to the word that began so: as the sign of the number or of its exponent.
fn may_be_sign(word: &[u8], sign: u8) -> bool {
    let number = word.strip_prefix(b"-").unwrap_or(word);
    match (number, word.last()) {
        (_, None) => sign == b'-',
        ([b'0', b'x' | b'X', ..], Some(last)) => matches!(last, b'p' | b'P'),
        ([b'0'..=b'9' | b'.', ..], Some(last)) => matches!(last, b'e' | b'E'),
        _ => false,
    }
}

/// What follows the word `empty`: `([0][2]i32)`.
fn empty(source: &mut Source<'_>, wanted: Option<ParamType>) -> Result<Value, Fault> {
    skip_space(source)?;
    let start = source.offset();
    if source.peek()? != Some(b'(') {
        return Err(Problem::Syntax { wanted: "`(` after `empty`", found: found(source)? }.into());
    }
    source.advance();
    let mut text = Vec::new();
    loop {
        match source.peek()? {
            None => return Err(Problem::Truncated.into()),
            Some(b')') => break,
            Some(_) if text.len() >= LONGEST_WORD => {
                return Err(Problem::Syntax { wanted: "`)`", found: "something else".to_string() }.into());
            }
            Some(byte) => text.push(byte),
        }
        source.advance();
    }
    source.advance();
    let ty: ValueType = String::from_utf8_lossy(&text).parse().map_err(|bad| Problem::Type(bad).at(start))?;
    if ty.shape.len() > MOST_DIMENSIONS {
        return Err(Problem::Rank.at(start));
    }
    if !ty.shape.contains(&0) {
        return Err(Problem::NotEmpty(ty).at(start));
    }
    let value = Value::new(ty.shape, Data::empty(ty.prim));
    match wanted.filter(|wanted| !wanted.accepts(&value)) {
        None => Ok(value),
        Some(wanted) => Err(Problem::WrongType { wanted, found: ParamType::of(&value) }.at(start)),
    }
}

/// Reads the bytes of a string in quotes; escape sequences are those of the language.
fn string(source: &mut Source<'_>) -> Result<Vec<u8>, Fault> {
    let start = source.offset();
    let mut token = vec![b'"'];
    let mut escaped = false;
    source.advance();
    loop {
        let byte = source.peek()?.ok_or(Problem::Truncated)?;
        source.advance();
        token.try_reserve(1).map_err(|_| Problem::TooMuch.at(start))?;
        token.push(byte);
        match byte {
            b'"' if !escaped => break,
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    let text = String::from_utf8(token).ok().and_then(|text| literal::string(&text).ok());
    Ok(text.ok_or_else(|| Problem::BadString.at(start))?.into_bytes())
}

/// An array in the making.
struct Nest {
    wanted: Option<ParamType>,
    /// The depth at which elements stand, once known.
    rank: Option<usize>,
    data: Option<Data>,
    /// The number of elements so far of every array that is open, outermost first.
    open: Vec<usize>,
    /// The size of every dimension of which an array was closed.
    sizes: Vec<Option<usize>>,
    word: Vec<u8>,
}

impl Nest {
    fn new(wanted: Option<ParamType>) -> Nest {
        Nest {
            wanted,
            rank: wanted.map(|wanted| wanted.rank),
            data: wanted.map(|wanted| Data::empty(wanted.prim)),
            open: Vec::new(),
            sizes: Vec::new(),
            word: Vec::new(),
        }
    }

    fn read(mut self, source: &mut Source<'_>) -> Result<Value, Fault> {
        loop {
            self.element(source)?;
            // Whatever ends here.
            loop {
                if self.open.is_empty() {
                    return self.finish();
                }
                skip_space(source)?;
                match source.peek()? {
                    Some(b',') => {
                        source.advance();
                        skip_space(source)?;
                        // A comma may stand after the last element.
                        if source.peek()? != Some(b']') {
                            break;
                        }
                    }
                    Some(b']') => {}
                    None => return Err(Problem::Truncated.into()),
                    Some(_) => {
                        return Err(Problem::Syntax { wanted: "`,` or `]`", found: found(source)? }.into());
                    }
                }
                self.close(source.offset())?;
                source.advance();
            }
        }
    }

    /// Reads an element that is no array, after opening those in which it stands; or an array without elements.
    fn element(&mut self, source: &mut Source<'_>) -> Result<(), Fault> {
        loop {
            skip_space(source)?;
            let start = source.offset();
            match source.peek()? {
                Some(b'[') => {
                    self.open(start)?;
                    source.advance();
                    skip_space(source)?;
                    if source.peek()? == Some(b']') {
                        self.close(source.offset())?;
                        source.advance();
                        return Ok(());
                    }
                }
                Some(b'"') => {
                    self.open(start)?;
                    self.innermost(start)?;
                    let text = string(source)?;
                    match self.data.get_or_insert(Data::U8(Vec::new())) {
                        Data::U8(bytes) => bytes.extend_from_slice(&text),
                        other => {
                            let wanted = other.prim();
                            return Err(self.mixed(wanted, Prim::U8).at(start));
                        }
                    }
                    self.count(text.len());
                    return self.close(start);
                }
                None => return Err(Problem::Truncated.into()),
                Some(_) => {
                    self.innermost(start)?;
                    return self.scalar(source);
                }
            }
        }
    }

    fn scalar(&mut self, source: &mut Source<'_>) -> Result<(), Fault> {
        let start = source.offset();
        let mut buffer = std::mem::take(&mut self.word);
        let word = word(source, &mut buffer)?;
        let literal = Literal::new(word).ok_or_else(|| not_a_value(word).at(start))?;
        let data = self.data.get_or_insert_with(|| Data::empty(literal.usual()));
        let scalar = match literal.value(data.prim(), word) {
            Ok(scalar) => scalar,
            Err(Problem::MixedTypes { wanted, found }) => return Err(self.mixed(wanted, found).at(start)),
            Err(problem) => return Err(problem.at(start)),
        };
        if !data.make_room() {
            return Err(Problem::TooMuch.at(start));
        }
        let pushed = data.push(scalar);
        debug_assert!(pushed);
        self.word = buffer;
        self.count(1);
        Ok(())
    }

    fn open(&mut self, at: u64) -> Result<(), Fault> {
        match self.wanted {
            Some(wanted) if self.open.len() >= wanted.rank => {
                let found = match wanted.rank {
                    0 => "an array".to_string(),
                    rank => format!("an array with more than {rank} dimensions"),
                };
                return Err(Problem::WrongLiteral { wanted, found }.at(at));
            }
            None if self.rank.is_some_and(|rank| self.open.len() >= rank) => return Err(Problem::MixedRanks.at(at)),
            _ if self.open.len() >= MOST_DIMENSIONS => return Err(Problem::Rank.at(at)),
            _ => {}
        }
        self.open.push(0);
        Ok(())
    }

    /// Here stands an element that is no array.
    fn innermost(&mut self, at: u64) -> Result<(), Fault> {
        let depth = self.open.len();
        if *self.rank.get_or_insert(depth) == depth {
            return Ok(());
        }
        Err(match self.wanted {
            Some(wanted) => Problem::WrongLiteral { wanted, found: format!("an array with {depth} dimensions") },
            None => Problem::MixedRanks,
        }
        .at(at))
    }

    fn count(&mut self, elements: usize) {
        if let Some(count) = self.open.last_mut() {
            *count += elements;
        }
    }

    fn close(&mut self, at: u64) -> Result<(), Fault> {
        let Some(found) = self.open.pop() else { return Ok(()) };
        let level = self.open.len();
        if self.sizes.len() <= level {
            self.sizes.resize(level + 1, None);
        }
        match self.sizes[level] {
            Some(wanted) if wanted != found => return Err(Problem::Irregular { wanted, found }.at(at)),
            Some(_) => {}
            // Without elements, only the type that is wanted can tell what they would be.
            None if found == 0 && self.rank != Some(level + 1) => return Err(Problem::UnknownEmpty.at(at)),
            None => self.sizes[level] = Some(found),
        }
        self.count(1);
        Ok(())
    }

    fn mixed(&self, wanted: Prim, found: Prim) -> Problem {
        match self.wanted {
            Some(wanted) => Problem::WrongLiteral { wanted, found: format!("an element of type `{}`", found.name()) },
            None => Problem::MixedTypes { wanted, found },
        }
    }

    fn finish(self) -> Result<Value, Fault> {
        let shape: Option<Vec<usize>> = self.sizes.into_iter().collect();
        match (shape, self.data) {
            (Some(shape), Some(data)) => Ok(Value::new(shape, data)),
            _ => Err(Problem::UnknownEmpty.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ParamType, Reader, Value};

    fn all(text: &str) -> Result<Vec<Value>, String> {
        Reader::new(text.as_bytes()).rest().map_err(|error| error.to_string())
    }

    /// Reads the text and prints the values, each on its line, after its type.
    fn echo(text: &str) -> String {
        let shown = |value: &Value| format!("{value} : {}", value.value_type());
        all(text).map_or_else(|error| error, |values| values.iter().map(shown).collect::<Vec<_>>().join("\n"))
    }

    fn typed(text: &str, ty: &str) -> String {
        let ty: ParamType = ty.parse().unwrap();
        let value = Reader::new(text.as_bytes()).next_of(ty);
        value.map_or_else(|error| error.to_string(), |value| format!("{value} : {}", value.value_type()))
    }

    #[test]
    fn values() {
        assert_eq!(all(""), Ok(vec![]));
        assert_eq!(all("-- nothing"), Ok(vec![]));
        assert_eq!(echo("1 1.5\ttrue--x\n\r\n2u8"), "1i32 : i32\n1.5f64 : f64\ntrue : bool\n2u8 : u8");
        assert_eq!(echo("[1,2 , 3,]"), "[1i32, 2i32, 3i32] : [3]i32");
        assert_eq!(echo("[1.5, 2]"), "[1.5f64, 2.0f64] : [2]f64");
        assert_eq!(echo("[1i8, 2]"), "[1i8, 2i8] : [2]i8");
        assert_eq!(echo("[[1,-- one\n 2],[3,4],[5,6]]"), "[[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] : [3][2]i32");
        assert_eq!(echo("[[[1]]][true]"), "[[[1i32]]] : [1][1][1]i32\n[true] : [1]bool");
        assert_eq!(
            echo("empty([0]i32) empty( [2] [0] bool )"),
            "empty([0]i32) : [0]i32\nempty([2][0]bool) : [2][0]bool"
        );
    }

    #[test]
    fn strings() {
        assert_eq!(echo(r#""ab" "c""#), "[97u8, 98u8] : [2]u8\n[99u8] : [1]u8");
        assert_eq!(echo(r#"["ab", "cd"]"#), "[[97u8, 98u8], [99u8, 100u8]] : [2][2]u8");
        assert_eq!(echo(r#""\n\x41\65\"\\""#), "[10u8, 65u8, 65u8, 34u8, 92u8] : [5]u8");
        assert_eq!(echo("\"é\""), "[195u8, 169u8] : [2]u8");
        assert_eq!(typed("\"\"", "[]u8"), "empty([0]u8) : [0]u8");
        assert_eq!(
            typed("\"a\"", "[]i32"),
            "line 1, column 1: expected a value of type `[]i32`, found an element of type `u8`"
        );
        assert_eq!(echo(r#""abc"#), "line 1, column 5: the data ends in the middle of a value");
        assert_eq!(
            echo(r#" "\q" "#),
            "line 1, column 2: the string is not valid UTF-8 or has an unknown escape sequence"
        );
        assert_eq!(echo(r#"["ab", "c"]"#), "line 1, column 8: this row has 1 elements, the rows before it have 2");
    }

    #[test]
    fn malformed() {
        for (text, expected) in [
            ("[", "line 1, column 2: the data ends in the middle of a value"),
            ("[1,2", "line 1, column 5: the data ends in the middle of a value"),
            ("]", "line 1, column 1: expected a value, found `]`"),
            ("1,2", "line 1, column 2: expected a value, found `,`"),
            ("[1 2]", "line 1, column 4: expected `,` or `]`, found `2`"),
            ("[1,,2]", "line 1, column 4: expected a value, found `,`"),
            ("\n\n  12abc", "line 3, column 3: `12abc` is not a number"),
            ("abc", "line 1, column 1: expected a value, found `abc`"),
            ("(1,2)", "line 1, column 1: expected a value, found `(`"),
            ("'a'", "line 1, column 1: expected a value, found `'`"),
            ("1-2", "line 1, column 2: expected white space after a value, found `-`"),
            ("- 1", "line 1, column 1: `-` is not a number"),
            ("\u{e9}", "line 1, column 1: expected a value, found the byte 0xc3"),
            ("[1,2.5]", "line 1, column 4: an element of type `f64` in an array of `i32`"),
            ("[1.0f32,2f64]", "line 1, column 9: an element of type `f64` in an array of `f32`"),
            ("[true,1]", "line 1, column 7: an element of type `i32` in an array of `bool`"),
            ("[[1,2],[3]]", "line 1, column 10: this row has 1 elements, the rows before it have 2"),
            ("[[1],[]]", "line 1, column 7: this row has 0 elements, the rows before it have 1"),
            ("[1,[2]]", "line 1, column 4: arrays and single elements are mixed in one array"),
            ("[[1],2]", "line 1, column 6: arrays and single elements are mixed in one array"),
            (
                "[]",
                "line 1, column 2: the type and shape of an array without elements are unknown: write it as `empty([0]i32)`",
            ),
            ("empty([2]i32)", "line 1, column 6: the value `empty([2]i32)` is not empty: no dimension has the size 0"),
            ("empty", "line 1, column 6: expected `(` after `empty`, found the end of the data"),
            (
                "empty([0][_2]i32)",
                "line 1, column 6: `[0][_2]i32` is not the type of a value, like `i32` or `[10][2]f64`",
            ),
            ("empty([0]int)", "line 1, column 6: `[0]int` is not the type of a value, like `i32` or `[10][2]f64`"),
            (
                "empty([0][1152921504606846976]i32)",
                "line 1, column 6: a value of type `[0][1152921504606846976]i32` is too large for any machine",
            ),
            ("[4294967296]", "line 1, column 2: `4294967296` is out of the range of `i32`"),
        ] {
            assert_eq!(echo(text), expected, "{text}");
        }
        assert!(echo(&"[".repeat(1_000_000)).ends_with("at most 255 dimensions"));
        assert!(echo(&"1".repeat(1_000_000)).contains("a number of more than"));
    }

    #[test]
    fn wanted_types() {
        for (text, ty, expected) in [
            ("1", "f32", "1.0f32 : f32"),
            ("[1, 0x10]", "[]f16", "[1.0f16, 16.0f16] : [2]f16"),
            ("[]", "[]f32", "empty([0]f32) : [0]f32"),
            ("[[],[]]", "[][]f32", "empty([2][0]f32) : [2][0]f32"),
            ("empty([0][2]i8)", "[][]i8", "empty([0][2]i8) : [0][2]i8"),
            ("1.5", "i32", "line 1, column 1: expected a value of type `i32`, found one of type `f64`"),
            ("1.5f64", "f32", "line 1, column 1: expected a value of type `f32`, found one of type `f64`"),
            ("1", "bool", "line 1, column 1: expected a value of type `bool`, found one of type `i32`"),
            ("1", "[]i32", "line 1, column 1: expected a value of type `[]i32`, found `1`"),
            ("[1]", "i32", "line 1, column 1: expected a value of type `i32`, found an array"),
            (
                "[1]",
                "[][]i32",
                "line 1, column 2: expected a value of type `[][]i32`, found an array with 1 dimensions",
            ),
            (
                "[[1]]",
                "[]i32",
                "line 1, column 2: expected a value of type `[]i32`, found an array with more than 1 dimensions",
            ),
            ("[1i8]", "[]i32", "line 1, column 2: expected a value of type `[]i32`, found an element of type `i8`"),
            (
                "[]",
                "[][]i32",
                "line 1, column 2: the type and shape of an array without elements are unknown: write it as `empty([0]i32)`",
            ),
            (
                "empty([0]i32)",
                "[][]i32",
                "line 1, column 6: expected a value of type `[][]i32`, found one of type `[]i32`",
            ),
            ("300", "i8", "line 1, column 1: `300` is out of the range of `i8`"),
        ] {
            assert_eq!(typed(text, ty), expected, "{text}");
        }
    }
}
