//! Programs in text and what the compiler says about them.
//!
//! - `tests/errors/*.fut`: programs with mistakes. The first line says which diagnostics are expected, in order
//!   (`-- expect: unknown-name, size-mismatch`) when it is checked, or compiled for the target of the second line
//!   (`-- target: opencl`); the file `.stderr` next to it is what the user sees.
//! - `tests/parse/*.fut`: the file `.ast` next to a program is its syntax tree, followed by what the parser says.
//! - `tests/check/*.fut`, `examples/*.fut`, `bench/programs/*.fut`, `bench/c/*.fut`: programs about which there is
//!   nothing to say, or only the warnings that the first line expects. They may import files from folders next to them.
//! - `docs/errors/*.md`: the first program of a page gives exactly that diagnostic, the second gives none. Blocks
//!   tagged ```` ```futhark file=lib.fut ```` are files that the programs import.
//! - `README.md`: a block of text that starts with a diagnostic is what the program before it gives.
//!
//! `BLESS=1` rewrites the `.stderr` and `.ast` files and the answers in README.md.

use crate::{Result, list, read};
use kenaz_base::{
    Code, Diagnostic, Diagnostics, FileSystem, Fix, MemoryFileSystem, RealFileSystem, Severity, SourceMap, Span,
    render, source::first_file,
};
use kenaz_cli::check::{check, check_for};
use kenaz_driver::{Compilation, Compiler, Settings};
use kenaz_ir::{Ownership, Stage, Target, target};
use kenaz_syntax::ast::Ast;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

/// Diagnostics that no program on a page can show, and why.
const WITHOUT_EXAMPLE: &[(&str, &str)] = &[
    ("bug", "there should be no program that shows a fault of ours"),
    ("limitation", "an example would have to go when the limitation does"),
    ("file-not-found", "it is about the file named on the command line"),
    ("invalid-utf8", "a page is valid UTF-8"),
    ("nesting-too-deep", "a program so deep does not fit on a page"),
    ("deprecated", "nothing is deprecated at present"),
    ("too-many-constructors", "a type with 257 constructors does not fit on a page"),
];

/// A trial for each file.
pub(crate) fn trials(bless: bool) -> Vec<Trial> {
    let mut trials = harness_trials();
    for path in list("tests/errors", "fut") {
        trials.push(trial(&path.clone(), move || error_test(&path, bless)));
    }
    for path in list("tests/parse", "fut") {
        trials.push(trial(&path.clone(), move || parse_test(&path, bless)));
    }
    for path in list("tests/errors", "stderr").into_iter().chain(list("tests/parse", "ast")) {
        trials.push(trial(&path.clone(), move || belongs_to_a_program(&path)));
    }
    for folder in ["tests/check", "examples", "bench/programs", "bench/c"] {
        for path in list(folder, "fut") {
            trials.push(trial(&path.clone(), move || accepted(&path)));
        }
    }
    for path in list("docs/errors", "md") {
        trials.push(trial(&path.clone(), move || page_test(&path)));
    }
    trials.push(trial(Path::new("README.md"), move || readme_test(Path::new("README.md"), bless)));
    trials
}

fn trial(name: &Path, test: impl FnOnce() -> Result + Send + 'static) -> Trial {
    Trial::test(name.display().to_string(), test)
}

/// What the user sees.
pub(crate) fn shown(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut tally = render::Tally::default();
    tally.add(diagnostics);
    if tally.is_empty() {
        return String::new();
    }
    format!("{}{tally}\n", render::terminal(sources, diagnostics, render::Style::PLAIN))
}

/// The target on the second line, `-- target: opencl`, if there is one.
fn target_of(text: &str) -> std::result::Result<Option<&'static Target>, String> {
    let Some(name) = text.lines().nth(1).and_then(|line| line.strip_prefix("-- target:")) else { return Ok(None) };
    Target::from_name(name.trim()).map(Some).ok_or(format!("there is no target `{}`", name.trim()))
}

fn error_test(path: &Path, bless: bool) -> Result {
    let (sources, diagnostics) = match target_of(&read(path)?)? {
        Some(target) => check_for(path, &RealFileSystem, target),
        None => check(path, &RealFileSystem),
    };
    let actual = shown(&sources, &diagnostics);
    let same_snapshot = snapshot_test(&path.with_extension("stderr"), &actual, bless);
    let expected =
        expectation(&read(path)?)?.ok_or("the first line must be `-- expect: ID, …` or `-- expect: none`")?;
    same_ids(&expected, &diagnostics, &actual).and(same_snapshot)?;
    fixes_test(path, &read(path)?)
}

/// How often the fixes of a program are applied: one mistake may hide another one.
const MAX_ROUNDS: usize = 6;

/// Where every error of a program has a fix, the program is right when they are applied, perhaps several times.
fn fixes_test(path: &Path, text: &str) -> Result {
    let original = text;
    let mut text = text.to_string();
    for _ in 0..MAX_ROUNDS {
        let fs = Changed { path, text: &text };
        let (sources, diagnostics) = check(path, &fs);
        let errors = || diagnostics.iter().filter(|d| d.severity == Severity::Error);
        if errors().next().is_none() {
            return Ok(());
        }
        let is_here = |fix: &Fix| sources.file(fix.span.file).path() == path;
        if errors().any(|d| d.fixes.is_empty() || !d.fixes.iter().all(is_here)) {
            // What has no fix in the program as it is stays to be mended by hand.
            return if text == original { Ok(()) } else { Err(fixed_wrongly(&text, &sources, &diagnostics).into()) };
        }
        text = with_fixes(&text, errors().flat_map(|d| &d.fixes));
    }
    Err(format!("the fixes do not come to an end:\n{text}").into())
}

fn fixed_wrongly(text: &str, sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    format!("with the fixes the program is\n{text}\nabout which is said\n{}", shown(sources, diagnostics))
}

/// The text with all changes made.
fn with_fixes<'a>(text: &str, fixes: impl Iterator<Item = &'a Fix>) -> String {
    let mut fixes: Vec<&Fix> = fixes.collect();
    fixes.sort_by_key(|fix| (fix.span.lo, fix.span.hi));
    fixes.dedup();
    let (mut out, mut done) = (String::new(), 0);
    for fix in fixes {
        let (lo, hi) = (fix.span.lo as usize, fix.span.hi as usize);
        if lo >= done {
            out.push_str(&text[done..lo]);
            out.push_str(&fix.text);
            done = hi;
        }
    }
    out + &text[done..]
}

/// The files of the repository, with another text for one of them.
struct Changed<'a> {
    path: &'a Path,
    text: &'a str,
}

impl FileSystem for Changed<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.path { Ok(self.text.as_bytes().to_vec()) } else { RealFileSystem.read(path) }
    }

    fn exists(&self, path: &Path) -> bool {
        path == self.path || RealFileSystem.exists(path)
    }
}

fn parse_test(path: &Path, bless: bool) -> Result {
    let mut sources = SourceMap::new();
    let text = read(path)?;
    let file = sources.add(path, text.clone());
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
    let tree = kenaz_syntax::parse_file(&mut ast, file, &text, &mut diagnostics);
    let diagnostics = diagnostics.into_sorted();
    let actual = format!("{}{}", kenaz_syntax::dump::file(&ast, &tree), shown(&sources, &diagnostics));
    let same_snapshot = snapshot_test(&path.with_extension("ast"), &actual, bless);
    same_ids(&expectation(&text)?.unwrap_or_default(), &diagnostics, &actual).and(same_snapshot)
}

/// Compares with the file, or rewrites it.
pub(crate) fn snapshot_test(snapshot: &Path, actual: &str, bless: bool) -> Result {
    if bless {
        return Ok(fs::write(snapshot, actual)?);
    }
    let expected = read(snapshot).map_err(|error| format!("{error} (BLESS=1 writes it)\n{actual}"))?;
    same_text(&expected, actual)
}

pub(crate) fn belongs_to_a_program(snapshot: &Path) -> Result {
    if snapshot.with_extension("fut").exists() { Ok(()) } else { Err("there is no such program".into()) }
}

fn accepted(path: &Path) -> Result {
    let (sources, diagnostics) = check(path, &RealFileSystem);
    let expected = expectation(&read(path)?)?.unwrap_or_default();
    same_ids(&expected, &diagnostics, &shown(&sources, &diagnostics))
}

/// The ids after `-- expect:` on the first line, if that is what it is.
pub(crate) fn expectation(text: &str) -> std::result::Result<Option<Vec<Code>>, String> {
    let Some(ids) = text.lines().next().and_then(|line| line.strip_prefix("-- expect:")) else { return Ok(None) };
    if ids.trim() == "none" {
        return Ok(Some(Vec::new()));
    }
    let code = |id: &str| Code::from_id(id.trim()).ok_or(format!("there is no diagnostic `{}`", id.trim()));
    ids.split(',').map(code).collect::<std::result::Result<Vec<Code>, String>>().map(Some)
}

pub(crate) fn same_ids(expected: &[Code], diagnostics: &[Diagnostic], shown: &str) -> Result {
    let actual: Vec<Code> = diagnostics.iter().map(|d| d.code).collect();
    if actual == expected {
        return Ok(());
    }
    let list = |codes: &[Code]| match codes {
        [] => "none".to_string(),
        codes => codes.iter().map(|code| code.id()).collect::<Vec<_>>().join(", "),
    };
    Err(format!("expected: {}\nactual:   {}\n\n{shown}", list(expected), list(&actual)).into())
}

fn same_text(expected: &str, actual: &str) -> Result {
    if expected == actual {
        return Ok(());
    }
    let differs = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
    let line = 1 + differs.unwrap_or(expected.lines().count().min(actual.lines().count()));
    Err(format!("differs from line {line}\n--- expected\n{expected}\n--- actual\n{actual}").into())
}

/// A fenced block of a Markdown page.
#[derive(Debug, PartialEq)]
struct Block<'a> {
    language: &'a str,
    /// From `file=…` behind the language.
    file: Option<&'a str>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(tag) = line.strip_prefix("```") else { continue };
        let mut words = tag.split_whitespace();
        let language = words.next().unwrap_or("");
        let file = words.find_map(|word| word.strip_prefix("file="));
        let body = lines.by_ref().take_while(|line| !line.starts_with("```"));
        let text = body.map(|line| format!("{line}\n")).collect();
        blocks.push(Block { language, file, text });
    }
    blocks
}

fn page_test(path: &Path) -> Result {
    let id = path.file_stem().unwrap_or_default().to_string_lossy();
    let code = Code::from_id(&id).ok_or("there is no such diagnostic")?;
    let page = read(path)?;
    if page.lines().next() != Some(&format!("# {id}")) {
        return Err(format!("the first line must be `# {id}`").into());
    }
    example_test(code, &page)
}

fn example_test(code: Code, page: &str) -> Result {
    let blocks: Vec<Block<'_>> = blocks(page).into_iter().filter(|block| block.language == "futhark").collect();
    if let Some((_, reason)) = WITHOUT_EXAMPLE.iter().find(|(id, _)| *id == code.id()) {
        return if blocks.is_empty() { Ok(()) } else { Err(format!("has an example although {reason}").into()) };
    }
    let programs: Vec<usize> = (0..blocks.len()).filter(|&index| blocks[index].file.is_none()).collect();
    let &[wrong, right] = &programs[..] else {
        return Err(format!("has {} programs, not one with the mistake and one without", programs.len()).into());
    };
    // The first program sees the files in front of the second; the second sees them all, later ones instead of
    // earlier ones of the same name.
    for (program, files, expected) in [(wrong, &blocks[..right], &[code][..]), (right, &blocks[..], &[])] {
        let mut fs = MemoryFileSystem::new().with("main.fut", blocks[program].text.as_str());
        for block in files {
            if let Some(file) = block.file {
                fs.add(file, block.text.as_str());
            }
        }
        let (sources, diagnostics) = match code {
            Code::CheckAlwaysFails => compile(Path::new("main.fut"), &fs, Compilation::findings),
            Code::AttributeRefused | Code::NotOnThisTarget | Code::LevelRefused | Code::WindowWithoutOverlap => {
                check_for(Path::new("main.fut"), &fs, &target::C)
            }
            Code::CopyInLoop | Code::AllocationInLoop => compile(Path::new("main.fut"), &fs, Compilation::copies),
            _ => check(Path::new("main.fut"), &fs),
        };
        let which = if program == wrong { "The program with the mistake" } else { "The right program" };
        let shown = format!("{which}:\n{}\n{}", blocks[program].text, shown(&sources, &diagnostics));
        same_ids(expected, &diagnostics, &shown)?;
    }
    Ok(())
}

/// What there is to say about a program when it has been compiled.
fn compile(
    path: &Path,
    fs: &MemoryFileSystem,
    said: fn(&Compilation) -> Vec<Diagnostic>,
) -> (SourceMap, Vec<Diagnostic>) {
    let settings = Settings { check_passes: false, ..Settings::default() };
    let compiled = Compiler::new(fs, &target::C).with(settings).to(path, Stage::Memory(Ownership::Settled));
    let compilation = compiled.expect("a program without mistakes");
    let said = said(&compilation);
    (compilation.sources, said)
}

fn readme_test(path: &Path, bless: bool) -> Result {
    let page = read(path)?;
    let blocks = blocks(&page);
    let mut compared = 0;
    for pair in blocks.windows(2) {
        let [program, text] = pair else { continue };
        let ("futhark", Some(file)) = (program.language, program.file) else { continue };
        let fs = MemoryFileSystem::new().with(file, program.text.as_str());
        let (sources, diagnostics) = check(Path::new(file), &fs);
        let actual = shown(&sources, &diagnostics);
        let is_answer = text.text.starts_with("error[") || text.text.starts_with("warning[");
        if is_answer && bless {
            fs::write(path, read(path)?.replace(&text.text, &actual))?;
        } else {
            same_text(if is_answer { &text.text } else { "" }, &actual)?;
        }
        compared += usize::from(is_answer);
    }
    if compared == 0 { Err("shows no diagnostic".into()) } else { Ok(()) }
}

/// Tests of this file itself: that it can fail.
fn harness_trials() -> Vec<Trial> {
    let holds = |condition: bool| if condition { Ok(()) } else { Err(Failed::from("does not hold")) };
    vec![
        Trial::test("harness/expectations", move || {
            holds(expectation("def x = 1\n") == Ok(None))?;
            holds(expectation("-- expect: none\n") == Ok(Some(vec![])))?;
            let two = Ok(Some(vec![Code::UnknownName, Code::SizeMismatch]));
            holds(expectation("-- expect: unknown-name, size-mismatch\ndef x = 1\n") == two)?;
            holds(expectation("-- expect: no-such-thing\n").is_err())
        }),
        Trial::test("harness/differences", move || {
            holds(same_text("a\n", "a\n").is_ok() && same_text("a\n", "b\n").is_err())?;
            holds(same_ids(&[], &[], "").is_ok() && same_ids(&[Code::UnknownName], &[], "").is_err())
        }),
        Trial::test("harness/fixes", move || {
            let span = |lo, hi| Span::new(first_file(), lo, hi);
            let fix = |lo, hi, text: &str| Fix { span: span(lo, hi), text: text.to_string() };
            let fixes = [fix(4, 5, "z"), fix(0, 1, "xx"), fix(0, 1, "xx"), fix(2, 2, "-")];
            holds(with_fixes("a b c", fixes.iter()) == "xx -b z")?;
            let path = Path::new("none.fut");
            holds(fixes_test(path, "def f (x: i32) = x\n").is_ok())?;
            holds(fixes_test(path, "def f (x: i32) = x <> 1\n").is_ok())
        }),
        Trial::test("harness/blocks", move || {
            let page = "# x\n\n```futhark file=lib/a.fut\ndef a = 1\n```\n```text\nno\n```\nyes\n```futhark\n```\n";
            let expected = [
                Block { language: "futhark", file: Some("lib/a.fut"), text: "def a = 1\n".to_string() },
                Block { language: "text", file: None, text: "no\n".to_string() },
                Block { language: "futhark", file: None, text: String::new() },
            ];
            holds(blocks(page) == expected)
        }),
        Trial::test("harness/pages", move || {
            holds(example_test(Code::UnknownName, "# unknown-name\n").is_err())?;
            holds(example_test(Code::Bug, "```futhark\n```\n").is_err())?;
            holds(example_test(Code::Bug, "# bug\n").is_ok())?;
            holds(example_test(Code::UnknownName, "```futhark\n```\n```futhark\n```\n").is_err())
        }),
        Trial::test("harness/exemptions", move || {
            let ids: BTreeSet<&str> = WITHOUT_EXAMPLE.iter().map(|(id, _)| *id).collect();
            holds(ids.len() == WITHOUT_EXAMPLE.len() && ids.iter().all(|id| Code::from_id(id).is_some()))
        }),
    ]
}
