//! Test blocks: comments that begin at the left margin and have a line `==`, after which the tests are written.
//!
//! ```text
//! block     ::= [tags { tag… }] (error: regex | item…)
//! item      ::= entry: name… | warning: regex | structure [stage] { path count … } | case
//! case      ::= ["name"] tag… input [result]
//! input     ::= input { value… } | input @ file | random input { type-or-value… } | script input ({ exp } | @ file)
//! result    ::= output { value… } | output @ file | auto output | error: regex
//! ```

use crate::cursor::Cursor;
use crate::{Pattern, SpecError, script};
use kenaz_runtime::{Value, ValueType};
use std::fmt;

/// All that the test blocks of a program say.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    pub tags: Vec<String>,
    /// What the comments say before the line `==`.
    pub description: String,
    pub subject: Subject,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Subject {
    /// The program must be rejected with such a message.
    Rejected(Pattern),
    Accepted {
        warnings: Vec<Pattern>,
        structures: Vec<Structure>,
        groups: Vec<Group>,
    },
}

/// Entry points and the cases with which each of them is tested.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    pub entries: Vec<String>,
    pub cases: Vec<Case>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The name of the dataset, if the program gives one.
    pub name: Option<String>,
    /// `compiled`, `nobench`, `notest`, `no_cuda`, …
    pub tags: Vec<String>,
    pub input: Input,
    pub expected: Expected,
    pub line: usize,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    Values(Vec<Value>),
    /// Relative to the program, as all file names.
    File(String),
    Random(Vec<Generated>),
    Script(script::Exp),
    ScriptFile(String),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Generated {
    Random(ValueType),
    Value(Value),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expected {
    /// Any result will do.
    Success,
    Output(Output),
    Error(Pattern),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    Values(Vec<Value>),
    File(String),
    /// What the reference makes of the input.
    Auto,
}

/// How often operators may occur in the program's IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Structure {
    /// The stage of the pipeline, `gpu-mem` for example; none for that after the usual simplifications.
    pub stage: Option<String>,
    /// Paths of nested operators, like `/Screma/BinOp`, and their numbers.
    pub counts: Vec<(String, usize)>,
    pub line: usize,
}

impl Spec {
    /// Reads the test blocks of a program, or nothing if it has none.
    pub fn parse(source: &str) -> Result<Option<Spec>, SpecError> {
        let mut whole: Option<Spec> = None;
        for block in blocks(source) {
            let spec = Parser { cursor: Cursor::new(&block.text) }.block(block.description)?;
            match &mut whole {
                None => whole = Some(spec),
                Some(whole) => whole.add(spec, block.line)?,
            }
        }
        Ok(whole)
    }

    /// Adds what a later block says.
    fn add(&mut self, next: Spec, line: usize) -> Result<(), SpecError> {
        let error = |message: &str| SpecError { line, column: 1, message: message.to_string() };
        if !next.tags.is_empty() {
            return Err(error("only the first test block of a program can have tags"));
        }
        match (&mut self.subject, next.subject) {
            (
                Subject::Accepted { warnings, structures, groups },
                Subject::Accepted { warnings: more_warnings, structures: more_structures, groups: more_groups },
            ) => {
                warnings.extend(more_warnings);
                structures.extend(more_structures);
                groups.extend(more_groups);
                Ok(())
            }
            _ => Err(error("a program that must be rejected can have only one test block")),
        }
    }
}

/// A test block without the comment markers, in which lines and columns are those of the file.
struct Block {
    text: String,
    description: String,
    line: usize,
}

fn blocks(source: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = source.lines().zip(1..).peekable();
    while let Some((first, line)) = lines.next() {
        let Some(first) = first.strip_prefix("--") else { continue };
        let mut comment = vec![first];
        while let Some(next) = lines.peek().and_then(|(next, _)| next.strip_prefix("--")) {
            comment.push(next);
            lines.next();
        }
        let Some(rule) = comment.iter().position(|line| line.trim() == "==") else { continue };
        let mut text = "\n".repeat(line + rule);
        for line in &comment[rule + 1..] {
            text.push_str("  ");
            text.push_str(line);
            text.push('\n');
        }
        let description: Vec<&str> = comment[..rule].iter().map(|line| line.trim()).collect();
        blocks.push(Block { text, description: description.join("\n"), line: line + rule });
    }
    blocks
}

struct Parser<'a> {
    cursor: Cursor<'a>,
}

impl Parser<'_> {
    fn block(mut self, description: String) -> Result<Spec, SpecError> {
        self.cursor.skip_space();
        let mut tags = Vec::new();
        if self.cursor.eat_word("tags") {
            tags.extend(self.cursor.braces("after `tags`")?.rest().split_whitespace().map(str::to_string));
            self.cursor.skip_space();
        }
        if self.cursor.eat("error:") {
            let pattern = self.pattern()?;
            return match self.cursor.is_at_end() {
                true => Ok(Spec { tags, description, subject: Subject::Rejected(pattern) }),
                false => Err(self.cursor.expected("the end of the test block after `error:`")),
            };
        }
        let (mut warnings, mut structures, mut groups) = (Vec::new(), Vec::new(), Vec::<Group>::new());
        let mut entries = vec!["main".to_string()];
        while !self.cursor.is_at_end() {
            let line = self.cursor.line();
            if self.cursor.eat("warning:") {
                warnings.push(self.pattern()?);
            } else if self.cursor.eat_word("structure") {
                structures.push(self.structure(line)?);
            } else if self.cursor.eat("entry:") {
                entries = self.cursor.rest_of_line().split_whitespace().map(str::to_string).collect();
                if entries.is_empty() {
                    return Err(self.cursor.error("expected the names of entry points after `entry:`"));
                }
                groups.push(Group { entries: entries.clone(), cases: Vec::new() });
                self.cursor.skip_space();
            } else {
                let case = self.case(line)?;
                if groups.is_empty() {
                    groups.push(Group { entries: entries.clone(), cases: Vec::new() });
                }
                if let Some(group) = groups.last_mut() {
                    group.cases.push(case);
                }
            }
        }
        Ok(Spec { tags, description, subject: Subject::Accepted { warnings, structures, groups } })
    }

    /// A regular expression up to the end of the line.
    fn pattern(&mut self) -> Result<Pattern, SpecError> {
        let at = self.cursor.at;
        let text = self.cursor.rest_of_line();
        let pattern = Pattern::new(text.trim()).map_err(|message| self.cursor.error_at(at, message))?;
        self.cursor.skip_space();
        Ok(pattern)
    }

    fn structure(&mut self, line: usize) -> Result<Structure, SpecError> {
        let stage = self.cursor.word();
        self.cursor.at += stage.len();
        self.cursor.skip_space();
        let body = self.cursor.braces("after `structure`")?;
        self.cursor.skip_space();
        let mut counts = Vec::new();
        let mut words = body.rest().split_whitespace();
        while let Some(path) = words.next() {
            let count = words.next().and_then(|count| count.parse().ok());
            let count = count.ok_or_else(|| body.error(format!("expected a number after `{path}`")))?;
            counts.push((path.to_string(), count));
        }
        Ok(Structure { stage: (!stage.is_empty()).then(|| stage.to_string()), counts, line })
    }

    fn case(&mut self, line: usize) -> Result<Case, SpecError> {
        let mut name = None;
        if self.cursor.rest().starts_with('"') {
            name = Some(self.cursor.string()?.trim_matches('"').to_string());
            self.cursor.skip_space();
        }
        let (mut tags, mut kind) = (Vec::new(), "");
        while !self.cursor.eat_word("input") {
            let word = self.cursor.word();
            match word {
                "" | "output" | "auto" | "error" | "tags" if tags.is_empty() && kind.is_empty() && name.is_none() => {
                    return Err(self.cursor.expected("a test case, `entry:`, `warning:` or `structure`"));
                }
                "" | "output" | "auto" | "error" => return Err(self.cursor.expected("`input`")),
                // Tags may also stand after these.
                "random" | "script" if kind.is_empty() => kind = word,
                _ => tags.push(word.to_string()),
            }
            self.cursor.at += word.len();
            self.cursor.skip_space();
        }
        let input = match kind {
            "random" => Input::Random(generated(self.cursor.braces("after `random input`")?)?),
            "script" => match self.file()? {
                Some(file) => Input::ScriptFile(file),
                None => Input::Script(script::parse_at(self.cursor.braces("or `@` after `script input`")?)?),
            },
            _ => self.values("after `input`")?.map_or_else(Input::File, Input::Values),
        };
        self.cursor.skip_space();
        let expected = if self.cursor.eat_word("output") {
            Expected::Output(self.values("after `output`")?.map_or_else(Output::File, Output::Values))
        } else if self.cursor.eat_word("auto") {
            if !self.cursor.eat_word("output") {
                return Err(self.cursor.expected("`output` after `auto`"));
            }
            Expected::Output(Output::Auto)
        } else if self.cursor.eat("error:") {
            Expected::Error(self.pattern()?)
        } else {
            Expected::Success
        };
        self.cursor.skip_space();
        Ok(Case { name, tags, input, expected, line })
    }

    /// Values in braces, or else the name of a file.
    fn values(&mut self, place: &str) -> Result<Result<Vec<Value>, String>, SpecError> {
        match self.file()? {
            Some(file) => Ok(Err(file)),
            None => Ok(Ok(self.cursor.braces(&format!("or `@` {place}"))?.values()?)),
        }
    }

    /// `@ file`, if that stands here.
    fn file(&mut self) -> Result<Option<String>, SpecError> {
        if !self.cursor.eat("@") {
            return Ok(None);
        }
        self.cursor.skip_space();
        let file = self.cursor.rest().split_whitespace().next();
        let file = file.ok_or_else(|| self.cursor.expected("the name of a file after `@`"))?;
        self.cursor.at += file.len();
        Ok(Some(file.to_string()))
    }
}

/// Types of values to generate, and values as they are.
fn generated(mut cursor: Cursor<'_>) -> Result<Vec<Generated>, SpecError> {
    let mut all = Vec::new();
    loop {
        cursor.skip_space();
        if cursor.is_at_end() {
            return Ok(all);
        }
        let length = type_length(cursor.rest());
        if length > 0 {
            let ty = cursor.rest()[..length].parse();
            let ty = ty.map_err(|error: kenaz_runtime::BadType| cursor.error(error.to_string()))?;
            all.push(Generated::Random(ty));
            cursor.at += length;
        } else if let Some(value) = cursor.value()? {
            all.push(Generated::Value(value));
        }
    }
}

/// How long the type is that stands at the begin of the text, 0 if it is not a type but a value.
fn type_length(text: &str) -> usize {
    let mut rest = text;
    while let Some(after) = rest.strip_prefix('[') {
        match after.split_once(']') {
            Some((_, after)) => rest = after.trim_start(),
            None => return 0,
        }
    }
    let name_end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let is_type = rest.starts_with(|c: char| c.is_alphabetic())
        && !matches!(&rest[..name_end], "true" | "false" | "empty")
        && !rest[name_end..].starts_with('.');
    if is_type { text.len() - rest.len() + name_end } else { 0 }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// As much as fits in a message.
        const MOST: usize = 60;
        let mut text = match self {
            Input::Values(values) => join(values),
            Input::File(file) | Input::ScriptFile(file) => file.clone(),
            Input::Random(parts) => join(parts),
            Input::Script(exp) => exp.to_string(),
        };
        if let Some((cut, _)) = text.char_indices().nth(MOST) {
            text.truncate(cut);
            text.push('…');
        }
        f.write_str(&text)
    }
}

impl fmt::Display for Generated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generated::Random(ty) => ty.fmt(f),
            Generated::Value(value) => value.fmt(f),
        }
    }
}

/// Texts with spaces between them.
pub(crate) fn join<T: fmt::Display>(parts: &[T]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(source: &str) -> Spec {
        Spec::parse(source).unwrap().unwrap()
    }

    fn groups(source: &str) -> Vec<Group> {
        match spec(source).subject {
            Subject::Accepted { groups, .. } => groups,
            Subject::Rejected(pattern) => panic!("rejected: {pattern}"),
        }
    }

    fn tags_of(case: &str) -> Vec<String> {
        groups(&format!("-- ==\n-- {case}"))[0].cases[0].tags.clone()
    }

    fn error(source: &str) -> String {
        Spec::parse(source).unwrap_err().to_string()
    }

    #[test]
    fn programs_without_tests() {
        for source in ["", "def main = 1", "-- a comment\n-- = =\ndef x = 1", "  -- ==\n  -- input {}", "x -- ==\n"] {
            assert_eq!(Spec::parse(source), Ok(None), "{source}");
        }
    }

    #[test]
    fn cases() {
        let source = "-- Adds.\n-- ==\n-- tags { no_cuda slow-one }\n-- input { 1 [2,\n--  3] }\n-- output { 3 }\n\
            -- \"big\" compiled nobench random input { [10][20]f32 5i64 true } auto output\n\
            -- input @ data/x.in\n-- output @ data/x.out\n-- input {} error: out of.*bounds\n-- input { }\n";
        let spec = spec(source);
        assert_eq!(spec.tags, ["no_cuda", "slow-one"]);
        assert_eq!(spec.description, "Adds.");
        let groups = groups(source);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].entries, ["main"]);
        let cases = &groups[0].cases;
        assert_eq!(cases.len(), 5);
        assert_eq!(cases[0].input.to_string(), "1i32 [2i32, 3i32]");
        assert_eq!(cases[0].expected, Expected::Output(Output::Values(vec![Value::from(3i32)])));
        assert_eq!((cases[1].name.as_deref(), cases[1].line), (Some("big"), 7));
        assert_eq!(cases[1].tags, ["compiled", "nobench"]);
        assert_eq!(tags_of("compiled random no_python input { 5 } auto output"), ["compiled", "no_python"]);
        assert_eq!(cases[1].input.to_string(), "[10][20]f32 5i64 true");
        assert_eq!(cases[1].expected, Expected::Output(Output::Auto));
        assert_eq!(cases[2].input, Input::File("data/x.in".to_string()));
        assert_eq!(cases[2].expected, Expected::Output(Output::File("data/x.out".to_string())));
        assert_eq!(cases[3].input, Input::Values(vec![]));
        assert!(matches!(&cases[3].expected, Expected::Error(p) if p.to_string() == "out of.*bounds"));
        assert_eq!(cases[4].expected, Expected::Success);
    }

    #[test]
    fn entries() {
        let groups =
            groups("-- ==\n-- input {}\n-- entry: f g'\n-- input {}\n-- input {}\n\ndef x = 1\n--==\n-- input {}");
        let shape: Vec<(usize, Vec<String>)> = groups.into_iter().map(|g| (g.cases.len(), g.entries)).collect();
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(shape, [(1, names(&["main"])), (2, names(&["f", "g'"])), (1, names(&["main"]))]);
    }

    #[test]
    fn random_inputs() {
        let of = |text: &str| groups(&format!("-- ==\n-- random input {{{text}}}"))[0].cases[0].input.to_string();
        assert_eq!(of("[100]i32[2][0]f64 i32"), "[100]i32 [2][0]f64 i32");
        assert_eq!(
            of("[1, 2] [3] f32.nan empty([0]i8) 0.5f32 \"a\""),
            "[1i32, 2i32] [3i32] f32.nan empty([0]i8) 0.5f32 [97u8]"
        );
    }

    #[test]
    fn programs_to_reject() {
        assert_eq!(spec("-- ==\n-- error: a.*b \n").subject, Subject::Rejected(Pattern::new("a.*b").unwrap()));
        assert_eq!(spec("-- ==\n-- error:\n--").subject, Subject::Rejected(Pattern::new("").unwrap()));
    }

    #[test]
    fn warnings_and_structures() {
        let source =
            "-- ==\n-- warning: ^$\n-- structure gpu-mem { /Screma/BinOp 1 If 0 }\n-- structure { }\n-- input {}";
        let Subject::Accepted { warnings, structures, groups } = spec(source).subject else { panic!() };
        assert_eq!(warnings, [Pattern::new("^$").unwrap()]);
        let counts = vec![("/Screma/BinOp".to_string(), 1), ("If".to_string(), 0)];
        assert_eq!(structures[0], Structure { stage: Some("gpu-mem".to_string()), counts, line: 3 });
        assert_eq!((structures[1].stage.as_ref(), structures.len(), groups.len()), (None, 2, 1));
    }

    #[test]
    fn mistakes() {
        for (source, expected) in [
            ("-- ==\n-- input { 1 [2 }", "2:17: the data ends in the middle of a value"),
            ("-- ==\n-- input 1", "2:10: expected `{` or `@` after `input`, found `1`"),
            ("-- ==\n-- input { 1", "2:10: this brace is never closed"),
            (
                "-- ==\n-- output { 1 }",
                "2:4: expected a test case, `entry:`, `warning:` or `structure`, found `output`",
            ),
            ("-- ==\n-- foo", "3:1: expected `input`, found the end"),
            ("-- ==\n-- random output { 1 }", "2:11: expected `input`, found `output`"),
            (
                "-- ==\n-- random input { [n]i32 }",
                "2:19: `[n]i32` is not the type of a value, like `i32` or `[10][2]f64`",
            ),
            (
                "-- ==\n-- random input { []i32 }",
                "2:19: the type `[]i32` lacks the size of a dimension, as in `[10]i32`",
            ),
            ("-- ==\n-- input {} auto input {}", "2:18: expected `output` after `auto`, found `input`"),
            ("-- ==\n-- structure { Map }", "2:15: expected a number after `Map`"),
            ("-- ==\n-- entry:\n-- input {}", "2:10: expected the names of entry points after `entry:`"),
            ("-- ==\n-- input {}\n\n-- ==\n-- tags { a }", "4:1: only the first test block of a program can have tags"),
            (
                "-- ==\n-- error: x\n\n-- ==\n-- input {}",
                "4:1: a program that must be rejected can have only one test block",
            ),
            (
                "-- ==\n-- error: x\n-- input {}",
                "3:4: expected the end of the test block after `error:`, found `input`",
            ),
            ("-- ==\n-- input @", "3:1: expected the name of a file after `@`, found the end"),
        ] {
            assert_eq!(error(source), expected, "{source}");
        }
        assert!(error("-- ==\n-- error: (").starts_with("2:10: regex parse error"));
    }
}
