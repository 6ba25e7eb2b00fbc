//! Every program of the repository, and random ones.

use super::{check, formatted};
use kenaz_base::Diagnostics;
use kenaz_generate::{Size, generate, generate_modules};
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::Tok;
use std::fs;
use std::path::{Path, PathBuf};

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "fut") {
            found.push(path);
        }
    }
}

#[test]
fn programs_of_the_repository_stay_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["tests", "examples", "bench", "crates/sema/prelude", "crates/sema/library"] {
        programs(&root.join(folder), &mut found);
    }
    assert!(found.len() > 1000);
    // Some are no text on purpose.
    let failures: Vec<String> = found
        .iter()
        .filter_map(|path| Some((path, fs::read_to_string(path).ok()?)))
        .filter_map(|(path, text)| check(&path.display().to_string(), &text).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Those whose layout is what they are about, or whose positions stand in expectations: programs with mistakes, cases
/// of the parser, programs of so many lines.
const AS_THEY_ARE: &[&str] = &[
    "tests/errors",
    "tests/parse",
    "tests/copies",
    "tests/place",
    "tests/codegen",
    "tests/strategies",
    "tests/run/syntax",
    "bench/programs",
];

#[test]
fn programs_of_the_repository_are_laid_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut found = Vec::new();
    for folder in ["tests", "examples", "bench"] {
        programs(&root.join(folder), &mut found);
    }
    found.retain(|path| !AS_THEY_ARE.iter().any(|folder| path.starts_with(root.join(folder))));
    assert!(found.len() > 500);
    let others: Vec<String> = found
        .iter()
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| formatted(&text) != text))
        .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
        .collect();
    assert!(others.is_empty(), "`kenaz fmt` lays these out otherwise; run it on them:\n{}", others.join(" "));
}

#[test]
fn random_programs_stay_the_same() {
    for seed in 0..60 {
        for (kind, text) in
            [("program", generate(seed, Size::Small).source), ("modules", generate_modules(seed).with_tests())]
        {
            check(&format!("{kind} {seed}"), &text).unwrap();
            // Laid out as badly as possible.
            for rarely in [2, 7, 50] {
                check(&format!("{kind} {seed} spread {rarely}"), &spread(&text, rarely)).unwrap();
            }
        }
    }
}

/// The program with comments, empty lines and line breaks before some tokens, and joined lines elsewhere.
fn spread(text: &str, rarely: usize) -> String {
    let lexed = lex(super::file(), text, &mut Diagnostics::new());
    let mut out = String::new();
    let mut before = 0;
    for (token, number) in lexed.tokens.iter().zip(0usize..) {
        let (lo, hi) = (token.lo as usize, token.hi as usize);
        let between = &text[before..lo];
        let is_comment = between.contains("--");
        // An index follows its array directly, and the number of a field its dot.
        let is_free = !matches!(token.kind, Tok::Index | Tok::Nat);
        match number * 7 % (3 * rarely) {
            _ if is_comment || !is_free => out.push_str(between),
            0 => out.push_str(" -- here\n-- and here\n"),
            1 => out.push_str("\n\n\n"),
            2 | 3 => out.push('\n'),
            _ => out.push_str(&between.replace('\n', " ")),
        }
        out.push_str(&text[lo..hi]);
        before = hi;
    }
    out
}
