//! The grammar for highlighting gives every token of our programs the class that it has for the lexer.
//!
//! Editors run such a grammar line by line: at each place the rule whose match starts first wins, the first of the list
//! among those that start at the same place; a rule with a begin and an end has rules of its own inside.

use fancy_regex::Regex;
use kenaz_base::Diagnostics;
use kenaz_base::source::first_file;
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::Tok;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const GRAMMAR: &str = include_str!("../../../../editors/vscode/syntaxes/futhark.tmLanguage.json");

enum Rule {
    Match { name: String, regex: Regex, captures: Vec<(usize, String)> },
    Block { name: String, begin: Regex, end: Regex, inside: Vec<Rule> },
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("").to_string()
}

fn regex(value: &Value) -> Regex {
    let source = value.as_str().expect("a regular expression");
    // Editors take `$` for the end of the line, before its line break.
    Regex::new(&format!("(?m){source}")).unwrap_or_else(|error| panic!("{source}: {error}"))
}

/// The rules of a list, with those that it includes.
fn rules(grammar: &Value, list: &Value, out: &mut Vec<Rule>) {
    for rule in list.as_array().expect("a list of rules") {
        if let Some(name) = rule["include"].as_str() {
            let included = &grammar["repository"][name.strip_prefix('#').expect("a name of the repository")];
            assert!(included.is_object(), "nothing is called {name}");
            rules(grammar, &included["patterns"], out);
        } else if rule["begin"].is_string() {
            let mut inside = Vec::new();
            rules(grammar, &rule["patterns"], &mut inside);
            let (begin, end) = (regex(&rule["begin"]), regex(&rule["end"]));
            out.push(Rule::Block { name: text(&rule["name"]), begin, end, inside });
        } else {
            let captures = rule["captures"].as_object().into_iter().flatten();
            let captures = captures.map(|(number, rule)| (number.parse().expect("a number"), text(&rule["name"])));
            let captures = captures.filter(|(number, _)| *number > 0).collect();
            out.push(Rule::Match { name: text(&rule["name"]), regex: regex(&rule["match"]), captures });
        }
    }
}

/// The names of all rules at each byte of a text.
fn scopes(rules: &[Rule], text: &str) -> Vec<String> {
    let mut out = vec![String::new(); text.len()];
    // The blocks that are open; they may go on in the next line.
    let mut open: Vec<&Rule> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut at = 0;
        while at < line.len() {
            let inside = match open.last() {
                Some(Rule::Block { inside, .. }) => inside,
                _ => rules,
            };
            let mut best: Option<(usize, usize, Option<&Rule>)> = None;
            if let Some(Rule::Block { end, .. }) = open.last()
                && let Some(found) = end.find_from_pos(line, at).expect("a match")
            {
                best = Some((found.start(), found.end(), None));
            }
            for rule in inside {
                let regex = match rule {
                    Rule::Match { regex, .. } => regex,
                    Rule::Block { begin, .. } => begin,
                };
                let found = regex.find_from_pos(line, at).expect("a match");
                if let Some(found) = found.filter(|found| !found.as_str().is_empty())
                    && best.is_none_or(|(lo, ..)| found.start() < lo)
                {
                    best = Some((found.start(), found.end(), Some(rule)));
                }
            }
            let around: Vec<&str> = open.iter().map(|rule| rule.name()).collect();
            let around = around.join(" ");
            let Some((lo, hi, rule)) = best else {
                out[start + at..start + line.len()].fill(around);
                break;
            };
            out[start + at..start + lo].fill(around.clone());
            let name = rule.map_or("", Rule::name);
            out[start + lo..start + hi].fill(format!("{around} {name}"));
            if let Some(Rule::Match { regex, captures, .. }) = rule {
                let found = regex.captures_from_pos(line, lo).expect("a match").expect("the match again");
                for (number, name) in captures {
                    if let Some(part) = found.get(*number) {
                        out[start + part.start()..start + part.end()].fill(format!("{around} {name}"));
                    }
                }
            }
            match rule {
                None => drop(open.pop()),
                Some(rule @ Rule::Block { .. }) => open.push(rule),
                Some(Rule::Match { .. }) => {}
            }
            at = hi;
        }
        start += line.len();
    }
    out
}

impl Rule {
    fn name(&self) -> &str {
        match self {
            Rule::Match { name, .. } | Rule::Block { name, .. } => name,
        }
    }
}

/// A part of the scope that a token must have, and whether it may be anything without a special class.
fn expected(kind: Tok) -> Option<&'static str> {
    Some(match kind {
        Tok::True | Tok::False => "constant.language",
        kind if kind.is_keyword() => "keyword.",
        Tok::Int | Tok::Nat | Tok::Float => "constant.numeric",
        Tok::String => "string.quoted",
        Tok::Char => "constant.character",
        Tok::Constructor => "variable.other.enummember",
        Tok::Symbol | Tok::Star | Tok::Minus | Tok::Bang | Tok::Less | Tok::Caret | Tok::Pipe | Tok::Equals => {
            "keyword.operator"
        }
        Tok::Arrow | Tok::DotDot | Tok::Ellipsis | Tok::UpTo | Tok::DownTo | Tok::Backslash => "keyword.operator",
        _ => return None,
    })
}

/// What differs in a program.
fn differences(rules: &[Rule], text: &str) -> Vec<String> {
    let scopes = scopes(rules, text);
    let lexed = lex(first_file(), text, &mut Diagnostics::new());
    let mut found = Vec::new();
    let mut complain = |lo: usize, hi: usize, wanted: &str| {
        let line = text[..lo].matches('\n').count() + 1;
        found.push(format!("{line}: `{}` is `{}`, not {wanted}", &text[lo..hi], scopes[lo].trim()));
    };
    for comment in &lexed.comments {
        let (lo, hi) = (comment.span.lo as usize, comment.span.hi as usize);
        if !(scopes[lo].contains("comment.line") && scopes[hi - 1].contains("comment.line")) {
            complain(lo, hi, "a comment");
        }
    }
    let mut attribute = 0usize;
    for token in lexed.tokens.iter().filter(|token| token.kind != Tok::Eof) {
        let (lo, hi) = (token.lo as usize, token.hi as usize);
        if attribute > 0 || token.kind == Tok::AttrOpen {
            attribute += usize::from(token.kind.is_opener());
            attribute -= usize::from(token.kind.is_closer());
            if !scopes[lo].contains("meta.attribute") {
                complain(lo, hi, "a part of an attribute");
            }
            continue;
        }
        let is_plain = |scope: &str| {
            let is_special = ["comment", "string", "keyword", "constant", "meta.attribute"];
            !is_special.iter().any(|special| scope.contains(special))
        };
        match expected(token.kind) {
            Some(wanted) if !(scopes[lo].contains(wanted) && scopes[hi - 1].contains(wanted)) => {
                complain(lo, hi, wanted);
            }
            None if matches!(token.kind, Tok::Name | Tok::Underscore) && !is_plain(&scopes[lo]) => {
                complain(lo, hi, "a name");
            }
            _ => {}
        }
        // `m.+` is a name and an operator to people.
        if token.kind == Tok::QualSymbol && !scopes[hi - 1].contains("keyword.operator") {
            complain(lo, hi, "an operator at its end");
        }
    }
    found
}

fn programs(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository").flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, out);
        } else if path.extension().is_some_and(|end| end == "fut") {
            out.push(path);
        }
    }
}

fn grammar() -> Vec<Rule> {
    let grammar: Value = serde_json::from_str(GRAMMAR).expect("JSON");
    let mut found = Vec::new();
    rules(&grammar, &grammar["patterns"], &mut found);
    found
}

/// Also those of the folder `$KENAZ_PROGRAMS`.
#[test]
fn tokens_have_their_classes() {
    let rules = grammar();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in
        ["tests/run", "tests/parse", "examples", "bench/programs", "crates/sema/prelude", "crates/sema/library"]
    {
        programs(&root.join(folder), &mut paths);
    }
    if let Some(folder) = std::env::var_os("KENAZ_PROGRAMS") {
        programs(Path::new(&folder), &mut paths);
    }
    paths.sort();
    assert!(paths.len() > 60, "{} programs", paths.len());
    for path in paths {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let mut diagnostics = Diagnostics::new();
        lex(first_file(), &text, &mut diagnostics);
        // Where the lexer finds mistakes, any class will do.
        if diagnostics.is_empty() {
            assert_eq!(differences(&rules, &text), [""; 0], "{}", path.display());
        }
    }
}

/// What no program of ours has.
#[test]
fn rare_tokens_have_their_classes() {
    let rules = grammar();
    for text in [
        "def x = 0x1.8p3f32 + 0b1010u8 + 0rXIV + 1_000i64 + 1.5e-3 + 0xffu8",
        "def f 't 'a x' y'' = 'a' + '\\n' + '\\65' + '''",
        "def g = r.0.1 + (f x).2 + m.+ + a.b.** -- comment \" '",
        "def s = \"a\\\"b -- no comment\" +-- \"",
        "#[sequential]\ndef h = #[try(simd(8))] map (\\x -> x) xs",
        "def (+^) a b = a !b && c || d >= e",
        "let defer = iffy in lettuce then' else'",
        "type^ t = #a i32 | #bc | #if'\nmodule type s = { val x : i32 }",
        "def r = [0..2...10, 0..<n, n..>0]",
    ] {
        assert_eq!(differences(&rules, text), [""; 0], "{text}");
    }
}
