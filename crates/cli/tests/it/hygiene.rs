//! The rules of the repository that a machine can check. Every rule is a function from files to complaints, with its
//! own tests on made-up files; the last test applies them all to the repository.

use kenaz_base::Code;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A text file of the repository: its path from the root, with `/`, and its contents.
struct File {
    path: String,
    text: String,
}

type Rule = fn(&[File]) -> Vec<String>;

const RULES: [Rule; 12] = [
    files_are_short,
    comments_are_narrow,
    files_say_what_they_are_for,
    nothing_is_left_undone,
    no_machine_is_named,
    unsafe_code_has_its_places,
    lines_end_cleanly,
    crates_use_only_crates_above,
    every_diagnostic_has_a_page,
    the_architecture_page_is_complete,
    every_test_is_run,
    the_testing_page_is_complete,
];

/// The rows of the table of crates. A crate may use only crates of the rows above its own.
const LAYERS: [&[&str]; 27] = [
    &["base"],
    &["syntax"],
    &["format", "sema"],
    &["ir"],
    &["runtime"],
    &["interp"],
    &["elaborate"],
    &["optimise"],
    &["schedule"],
    &["place"],
    &["plan"],
    &["imp"],
    &["codegen"],
    &["driver"],
    &["embed"],
    &["lib", "build"],
    &["testing"],
    &["measure"],
    &["tune"],
    &["explain"],
    &["generate"],
    &["package"],
    &["document"],
    &["literate"],
    &["lsp"],
    &["cli", "python", "wasm", "mutate"],
    &["compare", "bench", "sanitize"],
];

const MOST_LINES: usize = 1_500;
const WIDEST: usize = 120;

/// Longer files have a seam that nobody has found yet.
fn files_are_short(files: &[File]) -> Vec<String> {
    let long = |file: &&File| file.text.lines().count() > MOST_LINES;
    rust(files).filter(long).map(|file| format!("{}: more than {MOST_LINES} lines", file.path)).collect()
}

/// Tables and programs in comments may be wider: their lines cannot be broken.
fn comments_are_narrow(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in rust(files) {
        for (line, number) in file.text.lines().zip(1..) {
            let comment = line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']));
            let is_text = |text: &&str| !text.trim_start().starts_with('|') && !text.trim().contains("   ");
            let is_program = |text: &str| text.starts_with("   ") || text.contains(" = ");
            if line.chars().count() > WIDEST
                && let Some(text) = comment.filter(is_text)
                && !is_program(text)
            {
                complaints.push(format!("{}:{number}: a comment of more than {WIDEST} columns", file.path));
            }
        }
    }
    complaints
}

fn files_say_what_they_are_for(files: &[File]) -> Vec<String> {
    rust(files)
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| format!("{}: does not begin with a `//!` comment that says what it is for", file.path))
        .collect()
}

fn nothing_is_left_undone(files: &[File]) -> Vec<String> {
    // Written in two parts, so that this file keeps its own rule.
    let words = [concat!("todo", "!"), concat!("unimplemented", "!"), concat!("dbg", "!("), concat!("#[", "ignore")];
    find(rust(files), &words)
}

/// The lint `unsafe_code` is denied everywhere; only these files may lift it.
fn unsafe_code_has_its_places(files: &[File]) -> Vec<String> {
    let places = [
        "crates/driver/src/native/module.rs",
        "crates/cli/src/memory.rs",
        "crates/embed/src/raw.rs",
        "crates/embed/src/array.rs",
        "crates/embed/src/context.rs",
        "crates/python/src/arrays.rs",
        "crates/python/src/device.rs",
    ];
    let others = rust(files).filter(|file| !places.contains(&file.path.as_str()));
    find(others, &[concat!("expect(unsafe", "_code"), concat!("allow(unsafe", "_code")])
}

fn no_machine_is_named(files: &[File]) -> Vec<String> {
    find(files.iter(), &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")])
}

fn lines_end_cleanly(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for (line, number) in file.text.lines().zip(1..) {
            if line.ends_with([' ', '\t', '\r']) {
                complaints.push(format!("{}:{number}: white space at the end of the line", file.path));
            }
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            complaints.push(format!("{}: the last line does not end", file.path));
        }
    }
    complaints
}

fn crates_use_only_crates_above(files: &[File]) -> Vec<String> {
    let layer = |name: &str| LAYERS.iter().position(|row| row.contains(&name));
    let mut complaints = Vec::new();
    for (name, manifest) in crates(files) {
        let Some(own) = layer(name) else {
            complaints.push(format!("{}: the crate `{name}` is not in the table of crates", manifest.path));
            continue;
        };
        for dependency in dependencies(&manifest.text) {
            if let Some(used) = dependency.strip_prefix("kenaz-")
                && layer(used).is_none_or(|used| used >= own)
            {
                complaints.push(format!("{}: `{name}` must not use `{used}`, which is not above it", manifest.path));
            }
        }
    }
    complaints
}

fn every_diagnostic_has_a_page(files: &[File]) -> Vec<String> {
    let page = |file: &File| Some(file.path.strip_prefix("docs/errors/")?.strip_suffix(".md")?.to_string());
    let pages: BTreeSet<String> = files.iter().filter_map(page).collect();
    let mut complaints = Vec::new();
    for code in Code::ALL {
        if !pages.contains(code.id()) {
            complaints.push(format!("docs/errors/{code}.md: the page of this diagnostic is missing"));
        }
    }
    for page in pages {
        if Code::from_id(&page).is_none() {
            complaints.push(format!("docs/errors/{page}.md: there is no such diagnostic"));
        }
    }
    complaints
}

fn the_architecture_page_is_complete(files: &[File]) -> Vec<String> {
    let path = "docs/architecture.md";
    let text = files.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str());
    let named: BTreeSet<&str> = text.split('`').skip(1).step_by(2).collect();
    let mut wanted: BTreeSet<&str> = crates(files).map(|(name, _)| name).collect();
    // Users of other projects are no part of ours.
    let is_ours = |file: &&File| file.path.ends_with("Cargo.toml") && !file.path.starts_with("tests/foreign/");
    for manifest in files.iter().filter(is_ours) {
        wanted.extend(dependencies(&manifest.text).filter(|name| !name.starts_with("kenaz")));
    }
    wanted.iter().filter(|name| !named.contains(*name)).map(|name| format!("{path}: does not name `{name}`")).collect()
}

/// A test in a target that is not built for tests, or in a file that is no module of its binary, never runs.
fn every_test_is_run(files: &[File]) -> Vec<String> {
    let mark = concat!("#[te", "st]");
    let mut complaints = Vec::new();
    for (name, manifest) in crates(files) {
        let mut unbuilt = Vec::new();
        for section in manifest.text.split("\n\n").filter(|section| section.contains("\ntest = false")) {
            let bin = section.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
            let folder = format!("crates/{name}/src/");
            match (section.contains("[lib]"), bin) {
                (true, _) => unbuilt.push(folder),
                (false, Some(bin)) => unbuilt.extend([format!("{folder}main.rs"), format!("{folder}bin/{bin}.rs")]),
                (false, None) => {}
            }
        }
        let is_unbuilt = |path: &str| unbuilt.iter().any(|part| path.starts_with(part));
        let lost = rust(files).filter(|file| is_unbuilt(&file.path) && file.text.contains(mark));
        complaints
            .extend(lost.map(|file| format!("{}: has tests, but {} says `test = false`", file.path, manifest.path)));
    }
    for file in rust(files) {
        let Some((folder, module)) = file.path.rsplit_once('/') else { continue };
        let main = files.iter().find(|main| main.path == format!("{folder}/main.rs"));
        let module = module.trim_end_matches(".rs");
        if folder.ends_with("/tests/it")
            && module != "main"
            && !main.is_some_and(|main| main.text.contains(&format!("mod {module};\n")))
        {
            complaints.push(format!("{}: is no module of {folder}/main.rs", file.path));
        }
    }
    complaints
}

fn the_testing_page_is_complete(files: &[File]) -> Vec<String> {
    let path = "docs/contributing/testing.md";
    let text = files.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str());
    let folder = |file: &File| Some(file.path.strip_prefix("tests/")?.split_once('/')?.0.to_string());
    let folders: BTreeSet<String> = files.iter().filter_map(folder).collect();
    let is_missing = |folder: &&String| !text.contains(&format!("`tests/{folder}"));
    folders.iter().filter(is_missing).map(|folder| format!("{path}: does not describe `tests/{folder}`")).collect()
}

fn rust(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.path.ends_with(".rs"))
}

/// The crates by the names of their folders, with their manifests.
fn crates(files: &[File]) -> impl Iterator<Item = (&str, &File)> {
    files.iter().filter_map(|file| Some((file.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?, file)))
}

/// The names in all sections of a manifest that list dependencies, also those of its tests.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    manifest.lines().filter_map(move |line| {
        if let Some(section) = line.trim().strip_prefix('[') {
            inside = section.trim_end_matches(']').ends_with("dependencies");
            return None;
        }
        let name = line.split(['.', '=', ' ']).next()?;
        (inside && !name.is_empty() && !name.starts_with('#')).then_some(name)
    })
}

/// A complaint for every line that contains one of the words.
fn find<'a>(files: impl Iterator<Item = &'a File>, words: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for (line, number) in file.text.lines().zip(1..) {
            for word in words.iter().filter(|word| line.contains(**word)) {
                complaints.push(format!("{}:{number}: contains `{word}`", file.path));
            }
        }
    }
    complaints
}

/// All text files below a folder. What git ignores or keeps for itself is left out.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<File>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(Result::unwrap).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{prefix}{name}");
        if path == "target" || path == ".git" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else if let Ok(text) = String::from_utf8(fs::read(entry.path()).unwrap()) {
            files.push(File { path, text });
        }
    }
}

#[test]
fn the_repository_keeps_its_rules() {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), "", &mut files);
    assert!(files.iter().any(|file| file.path == "crates/cli/tests/it/hygiene.rs"));
    let complaints: Vec<String> = RULES.iter().flat_map(|rule| rule(&files)).collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[track_caller]
fn complains(rule: Rule, files: &[(&str, &str)], expected: &[&str]) {
    let files: Vec<File> =
        files.iter().map(|(path, text)| File { path: (*path).to_string(), text: (*text).to_string() }).collect();
    let complaints = rule(&files);
    assert_eq!(complaints.len(), expected.len(), "{complaints:?}");
    for (complaint, expected) in complaints.iter().zip(expected) {
        assert!(complaint.contains(expected), "{complaints:?}");
    }
}

#[test]
fn long_files_are_found() {
    let (short, long) = ("x\n".repeat(MOST_LINES), "x\n".repeat(MOST_LINES + 1));
    complains(files_are_short, &[("a.rs", &short), ("b.rs", &long), ("c.md", &long)], &["b.rs"]);
}

#[test]
fn wide_comments_are_found() {
    let words = "word ".repeat(24);
    let lines =
        [format!("/// {words}"), format!("/// {words} more"), format!("//! | {words} |"), format!("let x = {words}y")];
    complains(comments_are_narrow, &[("a.rs", &lines.join("\n")), ("b.md", &lines[1])], &["a.rs:1:", "a.rs:2:"]);
    complains(comments_are_narrow, &[("a.rs", &format!("// {}", "x".repeat(117)))], &[]);
}

#[test]
fn files_without_purpose_are_found() {
    complains(files_say_what_they_are_for, &[("a.rs", "//! A.\n"), ("b.rs", "use a;\n"), ("c.fut", "")], &["b.rs"]);
}

#[test]
fn undone_things_are_found() {
    let lines = [concat!("todo", "!()"), "// todo", concat!("#[", "ignore = \"slow\"]"), concat!("dbg", "!(x)")];
    complains(nothing_is_left_undone, &[("a.rs", &lines.join("\n"))], &["a.rs:1:", "a.rs:3:", "a.rs:4:"]);
}

#[test]
fn machine_paths_are_found() {
    let path = concat!("see /ho", "me/someone/x");
    complains(no_machine_is_named, &[("a.md", path), ("b.fut", "-- framework/x, /usr/bin")], &["a.md:1:"]);
}

#[test]
fn unsafe_code_elsewhere_is_found() {
    let lifted = concat!("#![expect(unsafe", "_code, reason = \"why\")]");
    complains(
        unsafe_code_has_its_places,
        &[("crates/cli/src/memory.rs", lifted), ("crates/cli/src/run.rs", lifted)],
        &["crates/cli/src/run.rs:1:"],
    );
}

#[test]
fn untidy_lines_are_found() {
    complains(lines_end_cleanly, &[("a.fut", "a\nb \n\tc\n"), ("b.fut", "a"), ("c.fut", "")], &["a.fut:2:", "b.fut:"]);
}

#[test]
fn wrong_layers_are_found() {
    let manifest = |name: &str| format!("[dependencies]\nkenaz-{name}.workspace = true\nclap = \"4\"\n");
    complains(
        crates_use_only_crates_above,
        &[
            ("crates/syntax/Cargo.toml", &manifest("base")),
            ("crates/base/Cargo.toml", &manifest("syntax")),
            ("crates/sema/Cargo.toml", &manifest("sema")),
            ("crates/misc/Cargo.toml", ""),
        ],
        &["`base` must not use `syntax`", "`sema` must not use `sema`", "`misc` is not in the table"],
    );
}

#[test]
fn missing_and_stray_pages_are_found() {
    let page = |id: &str| (format!("docs/errors/{id}.md"), String::new());
    let mut pages: Vec<(String, String)> = Code::ALL.iter().map(|code| page(code.id())).collect();
    pages[0] = page("no-such-thing");
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    complains(every_diagnostic_has_a_page, &pages, &["is missing", "no-such-thing.md: there is no such"]);
}

#[test]
fn tests_that_are_not_run_are_found() {
    let mark = concat!("#[te", "st]\n");
    complains(
        every_test_is_run,
        &[
            ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n\n[lib]\ntest = false\n"),
            ("crates/a/src/deep/x.rs", mark),
            ("crates/b/Cargo.toml", "[package]\nname = \"b\"\n\n[[bin]]\nname = \"c\"\ntest = false\n"),
            ("crates/b/src/bin/c.rs", mark),
            ("crates/b/src/lib.rs", mark),
            ("crates/b/tests/it/main.rs", "mod one;\n"),
            ("crates/b/tests/it/one.rs", ""),
            ("crates/b/tests/it/two.rs", ""),
        ],
        &["crates/a/src/deep/x.rs", "crates/b/src/bin/c.rs", "crates/b/tests/it/two.rs"],
    );
}

#[test]
fn gaps_in_the_testing_page_are_found() {
    complains(
        the_testing_page_is_complete,
        &[
            ("docs/contributing/testing.md", "| `tests/ir/*/*.ir` |\n"),
            ("tests/ir/a/b.ir", ""),
            ("tests/run/a.fut", ""),
        ],
        &["`tests/run`"],
    );
}

#[test]
fn gaps_in_the_architecture_page_are_found() {
    complains(
        the_architecture_page_is_complete,
        &[
            ("docs/architecture.md", "| `base` | `clap` is for the command line.\n"),
            ("crates/base/Cargo.toml", "[package]\nname = \"kenaz-base\"\n"),
            ("crates/sema/Cargo.toml", "[dependencies]\nclap = \"4\"\n[dev-dependencies]\nserde = \"1\"\n"),
        ],
        &["`sema`", "`serde`"],
    );
}
