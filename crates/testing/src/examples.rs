//! Examples in documentation comments, run as tests.
//!
//! ````text
//! -- | The sum of squares.
//! --
//! -- ```
//! -- > sum_of_squares [3, 4]
//! -- 25
//! -- ```
//! ````
//!
//! In a block without a language, or with `futhark`, lines with `>` are an expression, in which everything is in scope
//! that the file defines. What follows are its values, as in test blocks; without them it is enough that there are
//! some. Blocks without `>` are no examples.

use crate::{Options, Report, TestResult, Verdict, run};
use kenaz_base::source::first_file;
use kenaz_base::{Diagnostics, TemporaryFolder};
use kenaz_syntax::lexer::lex;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// An expression, and what it yields.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Example {
    /// In the file, from 1.
    line: usize,
    expression: Vec<String>,
    values: Vec<String>,
}

/// Runs the examples in the comments of these programs.
pub fn run_examples(programs: &[PathBuf], options: &Options<'_>) -> Result<Report, (PathBuf, io::Error)> {
    let folder = TemporaryFolder::new()?;
    let mut tests: Vec<(PathBuf, PathBuf)> = Vec::new();
    for program in programs {
        let error = |error| (program.clone(), error);
        let text = String::from_utf8_lossy(&fs::read(program).map_err(error)?).into_owned();
        let path = fs::canonicalize(program).map_err(error)?;
        for example in examples(&text) {
            let place = PathBuf::from(format!("{}:{}", program.display(), example.line));
            let file = folder.path.join(format!("{}.fut", tests.len()));
            fs::write(&file, as_program(&path, &example)).map_err(|error| (file.clone(), error))?;
            tests.push((file, place));
        }
    }
    let files: Vec<PathBuf> = tests.iter().map(|(file, _)| file.clone()).collect();
    let mut report = run(&files, options);
    for result in &mut report.results {
        if let Some((file, place)) = tests.iter().find(|(file, _)| *file == result.program) {
            *result = at(result, file, place);
        }
    }
    Ok(report)
}

/// The result of an example at its place in the comment.
fn at(result: &TestResult, file: &Path, place: &Path) -> TestResult {
    let verdict = match &result.verdict {
        Verdict::Failed(message) => Verdict::Failed(message.replace(&file.display().to_string(), "example")),
        verdict => verdict.clone(),
    };
    TestResult { program: place.to_path_buf(), case: None, verdict }
}

/// A program with one test block, which imports the file with the example.
fn as_program(file: &Path, Example { expression, values, .. }: &Example) -> String {
    let name = file.with_extension("").display().to_string();
    let name: String = name.chars().flat_map(|c| if c == '"' || c == '\\' { vec!['\\', c] } else { vec![c] }).collect();
    let output = if values.is_empty() { String::new() } else { format!(" output {{ {} }}", values.join("\n--   ")) };
    let lines: String = expression.iter().map(|line| format!("\n  {line}")).collect();
    format!("open import \"{name}\"\n-- ==\n-- entry: example\n-- input {{}}{output}\n\nentry example ={lines}\n")
}

/// The examples in the comments of a text, in their order.
fn examples(text: &str) -> Vec<Example> {
    // What is wrong in the text is said when it is compiled.
    let mut ignored = Diagnostics::new();
    let mut examples = Vec::new();
    for comment in lex(first_file(), text, &mut ignored).docs {
        let first = text[..comment.doc.span.lo as usize].matches('\n').count() + 1;
        in_comment(&comment.doc.text, first, &mut examples);
    }
    examples
}

/// The examples of a comment that begins in a line.
fn in_comment(text: &str, first: usize, examples: &mut Vec<Example>) {
    // Whether it is a block with examples, inside of a block.
    let mut block: Option<bool> = None;
    // Whether the line before is part of an expression, or of values.
    let (mut in_expression, mut in_values) = (false, false);
    for (line, number) in text.lines().map(str::trim).zip(first..) {
        if let Some(language) = line.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(matches!(language.trim(), "" | "futhark")) };
            (in_expression, in_values) = (false, false);
            continue;
        }
        if block != Some(true) {
            continue;
        }
        match (line.strip_prefix('>'), examples.last_mut()) {
            (Some(part), Some(example)) if in_expression => example.expression.push(part.to_string()),
            (Some(part), _) => {
                examples.push(Example { line: number, expression: vec![part.to_string()], values: Vec::new() });
                (in_expression, in_values) = (true, true);
            }
            (None, Some(example)) if in_values => {
                in_expression = false;
                if !line.is_empty() {
                    example.values.push(line.to_string());
                }
            }
            (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_found() {
        let text = "-- | A file.\n--\n-- ```\n-- no example\n-- > 1\n-- 1\n--\n-- > let x = 2\n-- > in x\n-- 2\n-- 3\n-- ```\n\
            -- > no block\n--\n-- ```text\n-- > no program\n-- ```\n\n-- ```\n-- > no documentation\n-- ```\ndef a = 1\n\n  \
            -- | A definition.\n  -- ```futhark\n  -- > a\n  -- ```\n  -- more\n  def b = 1\n";
        let example = |line, expression: &[&str], values: &[&str]| {
            let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_string()).collect::<Vec<_>>();
            Example { line, expression: owned(expression), values: owned(values) }
        };
        assert_eq!(
            examples(text),
            [example(5, &[" 1"], &["1"]), example(8, &[" let x = 2", " in x"], &["2", "3"]), example(26, &[" a"], &[])]
        );
    }
}
