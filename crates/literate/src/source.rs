//! A program as text, code and directives.

use crate::directive::{self, Directive};
use kenaz_testing::SpecError;
use kenaz_testing::script::{Exp, Fun};
use std::collections::BTreeSet;

/// A part of a page.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// Markdown, from a comment that begins in the first column.
    Text(String),
    /// A part of the program as it is.
    Code(String),
    Directive(Box<Directive>),
}

/// The blocks of a program. Comments that begin in the first column are text, unless they are directives (`-- >`) or
/// test blocks (`-- ==`); the rest is code.
pub fn parse(program: &str) -> Result<Vec<Block>, SpecError> {
    let lines: Vec<&str> = program.lines().collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let is_comment = |line: &&str| line.starts_with("--");
        if lines[at].trim().is_empty() {
            at += 1;
            continue;
        }
        let start = at;
        if is_comment(&lines[at]) && !is_test(lines[at]) {
            let is_directive = directive::begins(lines[at]);
            at += 1;
            while at < lines.len() && is_comment(&lines[at]) && !is_test(lines[at]) {
                if directive::begins(lines[at]) {
                    let message = "a directive must follow an empty line";
                    return Err(SpecError { line: at + 1, column: 1, message: message.to_string() });
                }
                at += 1;
            }
            blocks.push(if is_directive {
                Block::Directive(Box::new(directive::parse(&lines[start..at], start + 1)?))
            } else {
                Block::Text(lines[start..at].iter().map(|line| text(line)).collect::<Vec<_>>().join("\n"))
            });
            continue;
        }
        // The lines of a test block are comments, too.
        let mut in_test = false;
        while at < lines.len() {
            in_test = is_test(lines[at]) || (in_test && is_comment(&lines[at]));
            if is_comment(&lines[at]) && !in_test {
                break;
            }
            at += 1;
        }
        blocks.push(Block::Code(lines[start..at].join("\n").trim_end().to_string()));
    }
    Ok(blocks)
}

fn is_test(line: &str) -> bool {
    line.strip_prefix("--").is_some_and(|rest| rest.trim() == "==")
}

/// What a comment says; the mark of documentation is for other tools.
fn text(line: &str) -> &str {
    let line = line.trim_start_matches("--");
    let line = line.strip_prefix(' ').unwrap_or(line);
    line.strip_prefix("| ").unwrap_or(if line == "|" { "" } else { line })
}

/// The functions that scripts of a page name, and variables.
pub fn functions(blocks: &[Block]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for block in blocks {
        if let Block::Directive(directive) = block {
            collect(&directive.exp, &mut found);
        }
    }
    found
}

fn collect(exp: &Exp, found: &mut BTreeSet<String>) {
    match exp {
        Exp::Value(_) | Exp::Number(_) | Exp::Text(_) => {}
        Exp::Call(fun, arguments) => {
            if let Fun::Named(name) = fun {
                found.insert(name.clone());
            }
            arguments.iter().for_each(|argument| collect(argument, found));
        }
        Exp::Tuple(parts) | Exp::Array(parts) => parts.iter().for_each(|part| collect(part, found)),
        Exp::Record(fields) => fields.iter().for_each(|(_, exp)| collect(exp, found)),
        Exp::Let(_, value, body) => {
            collect(value, found);
            collect(body, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(program: &str) -> Vec<String> {
        let blocks = parse(program).unwrap_or_else(|error| panic!("{error}"));
        let one = |block: &Block| match block {
            Block::Text(text) => format!("text {text:?}"),
            Block::Code(code) => format!("code {code:?}"),
            Block::Directive(directive) => format!("directive {:?}", directive.text),
        };
        blocks.iter().map(one).collect()
    }

    #[test]
    fn blocks_of_a_program() {
        let program = "-- # Title\n-- text\n--\n--   more\n\n\n-- | What it is.\ndef f = 1 -- one\n\n\ndef g =\n  -- inside\n  2\n\
                       -- after\n--no space\n\n-- ==\n-- input { 1 }\n-- output { 2 }\n\ndef h = 3\n-- > f\n\n-- > let x = f\n-- in x\n";
        assert_eq!(
            shown(program),
            [
                "text \"# Title\\ntext\\n\\n  more\"",
                "text \"What it is.\"",
                "code \"def f = 1 -- one\\n\\n\\ndef g =\\n  -- inside\\n  2\"",
                "text \"after\\nno space\"",
                "code \"-- ==\\n-- input { 1 }\\n-- output { 2 }\\n\\ndef h = 3\"",
                "directive \"f\"",
                "directive \"let x = f\\nin x\"",
            ]
        );
        assert!(shown("").is_empty() && shown("\n \n").is_empty());
        assert_eq!(shown("--\r\n-- a\r\n"), ["text \"\\na\""]);
    }

    #[test]
    fn directives_stand_alone() {
        let error = parse("def f = 1\n\n-- > f\n-- > f\n").unwrap_err();
        assert_eq!(error.to_string(), "4:1: a directive must follow an empty line");
        let error = parse("-- text\n-- > f\n").unwrap_err();
        assert_eq!(error.to_string(), "2:1: a directive must follow an empty line");
    }

    #[test]
    fn functions_that_are_named() {
        let blocks = parse("-- > let x = f 1 in (g x, [h], {a = $loaddata k})\n\n-- > :img f m.n\n");
        assert_eq!(blocks.unwrap_err().line, 3);
        let blocks = parse("-- > let x = f 1 in (g x, [h], {a = $loaddata k})\n").unwrap();
        assert_eq!(functions(&blocks).into_iter().collect::<Vec<_>>(), ["f", "g", "h", "k", "x"]);
    }
}
