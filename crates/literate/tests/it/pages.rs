//! Pages of small programs: text, values, pictures, plots, videos, sounds, failures and the cache.

use kenaz_base::{Symbol, TemporaryFolder};
use kenaz_driver::Settings;
use kenaz_literate::{Block, Options, Page, functions, parse, render};
use kenaz_runtime::Fingerprint;
use kenaz_testing::Executor;
use kenaz_testing::executors::Interpreter;
use std::fs;
use std::path::Path;

struct World {
    folder: TemporaryFolder,
}

impl World {
    fn new() -> World {
        World { folder: TemporaryFolder::new().unwrap() }
    }

    fn path(&self) -> &Path {
        &self.folder.path
    }

    /// The page of a program, and how many of its directives were run.
    fn page_with(&self, program: &str, cache: Option<&Path>, stop_on_error: bool) -> (Page, usize) {
        let file = self.path().join("page.fut");
        fs::write(&file, program).unwrap();
        let blocks = parse(program).unwrap();
        let mut settings = Settings::default();
        settings.reading.entry_points = functions(&blocks).iter().map(|name| Symbol::intern(name)).collect();
        let compiled =
            Interpreter { settings, ..Interpreter::default() }.compile(&file).map_err(|_| "rejected").unwrap();
        let mut count = 0;
        let page = render(
            &blocks,
            &*compiled.program,
            &mut Options {
                file: &file,
                pictures: "page-img",
                cache,
                key: Fingerprint::new(),
                stop_on_error,
                watch: &mut |_| count += 1,
            },
        );
        (page, count)
    }

    fn page(&self, program: &str) -> Page {
        self.page_with(program, None, false).0
    }
}

const STEP: &str = "def step (s: i64): ([2][3]u32, i64) =\n  (replicate 2 (replicate 3 (u32.i64 s)), s + 1)\n";

#[test]
fn a_page() {
    let program = "-- # Squares\n--\n-- All of them.\n\ndef squares (n: i64) = map (\\x -> x * x) (iota n)\n\n\
                   -- > squares 5\n\n-- Done: `x`.\n\n-- > :covert (squares 2, true)\n";
    let page = World::new().page(program);
    let expected = "# Squares\n\nAll of them.\n\n```futhark\ndef squares (n: i64) = map (\\x -> x * x) (iota n)\n```\n\n\
                    ```\n> squares 5\n```\n\n```\n[0i64, 1i64, 4i64, 9i64, 16i64]\n```\n\nDone: `x`.\n\n\
                    ```\n([0i64, 1i64], true)\n```\n";
    assert_eq!(page.markdown, expected);
    assert!(page.files.is_empty() && page.failures.is_empty());
}

#[test]
fn files_have_names_that_stay() {
    let program = "def f (x: i64) = [[x, 2 * x]]\n\ndef g (x: i64) = map (map f64.i64) (f x)\n\n\
                   -- > :img g 0\n\n-- > :img g 0\n\n-- > :brief :img g 1;\n-- file: one.png\n\n\
                   -- > :plot2d (iota_ 3, iota_ 3)\n\n-- > :plot2d {a = (iota_ 3, iota_ 3)};\n-- size: (200, 100)\n-- file: a.png\n\n\
                   def iota_ (n: i64) = iota n\n";
    let page = World::new().page(program);
    assert_eq!(page.failures, []);
    let names: Vec<&str> = page.files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["g-0.png", "g-0-2.png", "one.png", "iota_-3-iota_-3.svg", "a.png"]);
    assert!(page.markdown.contains("```\n> :img g 1\n```\n\n![g 1](page-img/one.png)\n"), "{}", page.markdown);
    // A black pixel and another one; a white one and another one.
    let kinds: Vec<&[u8]> = page.files.iter().map(|(_, contents)| &contents[..4]).collect();
    assert_eq!(kinds, [b"\x89PNG", b"\x89PNG", b"\x89PNG", b"<svg", b"\x89PNG"]);
    assert_eq!(page.files[4].1[16..24], [0, 0, 0, 200, 0, 0, 0, 100]);
}

#[test]
fn videos_and_sounds() {
    let program = format!(
        "{STEP}\n-- > :video (step, 0i64, 4i64);\n-- fps: 10\n\n\
         def frames = [[[true, false]], [[false, true]]]\n\n-- > :video frames;\n-- loop: false\n\n\
         def samples = [0f32, 0.5, -0.5]\n\n-- > :audio samples;\n-- sampling_frequency: 8000\n\n\
         -- > :video (step, 0i64, 2i64);\n-- file: two.gif\n"
    );
    let page = World::new().page(&program);
    assert_eq!(page.failures, []);
    let names: Vec<&str> = page.files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["step-0i64-4i64.gif", "frames.gif", "samples.wav", "two.gif"]);
    assert_eq!(page.files[0].1[..10], *b"GIF89a\x03\0\x02\0");
    // What is repeated says so.
    let repeats = |file: &[u8]| file.windows(8).any(|part| part == b"NETSCAPE");
    assert!(repeats(&page.files[0].1) && !repeats(&page.files[1].1));
    assert!(page.markdown.contains("<audio src=\"page-img/samples.wav\" controls></audio>"));
}

#[test]
fn texts_and_fences() {
    let page = World::new().page("def a = \"`` ``` `\"\n\n-- > :text a\n");
    assert!(page.markdown.ends_with("````\n`` ``` `\n````\n"), "{}", page.markdown);
    assert!(page.markdown.starts_with("````futhark\ndef a"), "{}", page.markdown);
}

#[test]
fn failures_are_shown_at_their_places() {
    let program = "def f (x: i64) = assert (x > 1) x\n\ndef p (x: i64): (i64, i64) = (x, x)\n\n-- > f 0\n\n-- > f 2\n\n-- > :img f 3\n\n-- > f\n\n-- > :plot2d p 1\n\n\
                   -- > :video p 1\n\n-- > :audio p 1\n\n-- > :text f 2\n\n-- > :video (f, 1i64, -1)\n\n-- > $loaddata \"none\"\n\n-- > g 1\n";
    let world = World::new();
    let page = world.page(program);
    let failed: Vec<(usize, &str)> = page.failures.iter().map(|f| (f.line, f.directive.as_str())).collect();
    let expected = [
        (5, "f 0"),
        (9, ":img f 3"),
        (11, "f"),
        (13, ":plot2d p 1"),
        (15, ":video p 1"),
        (17, ":audio p 1"),
        (19, ":text f 2"),
        (21, ":video (f, 1i64, -1)"),
        (23, "$loaddata \"none\""),
        (25, "g 1"),
    ];
    assert_eq!(failed, expected);
    let messages: Vec<&str> = page.failures.iter().map(|failure| failure.message.as_str()).collect();
    assert!(messages[0].starts_with("`f` failed: Error: Assertion is false: (x > 1)\n"), "{}", messages[0]);
    assert!(messages[0].contains("-> #0  page.fut:1:"), "{}", messages[0]);
    assert!(messages[1].starts_with("`i64` does not fit into png data"), "{}", messages[1]);
    assert_eq!(messages[2], "`f` is a function, which has no text");
    assert_eq!(messages[3], "a curve is two arrays of numbers of one length");
    assert_eq!(messages[4], "a video is an array of pictures, or `(step, start, frames)`");
    assert_eq!(messages[5], "a sound is one array: this is a value of several or none");
    assert_eq!(messages[6], "a text is an array of type `[]u8`");
    assert_eq!(messages[7], messages[4]);
    assert_eq!(messages[9], "there is neither a variable nor an entry point `g`");
    assert!(
        page.markdown.contains("```\n> f 0\n```\n\n**FAILED**\n```\n`f` failed: Error: Assertion"),
        "{}",
        page.markdown
    );
    assert!(page.markdown.contains("```\n> f 2\n```\n\n```\n2i64\n```\n"));
    let (page, count) = world.page_with(program, None, true);
    assert_eq!((page.failures.len(), count), (1, 1));
}

/// A program that cannot be run again gives the same page as long as nothing has changed that it depends on.
#[test]
fn results_are_kept() {
    let world = World::new();
    let cache = world.path().join("cache");
    let data = world.path().join("data");
    fs::write(&data, "[1i64, 2i64]").unwrap();
    let program = "def total (xs: []i64) = i64.sum xs\n\n-- > total ($loaddata \"data\")\n\n-- > :img [[1f64]]\n";
    let page = |program: &str| world.page_with(program, Some(&cache), false).0;
    let first = page(program);
    assert!(first.markdown.contains("3i64"));
    let files = || {
        let mut names: Vec<_> = fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names
    };
    assert_eq!(files().len(), 2);
    assert_eq!(page(program), first);
    assert_eq!(files().len(), 2);
    // Another file, another program and another script are computed.
    fs::write(&data, "[1i64, 5i64]").unwrap();
    assert!(page(program).markdown.contains("6i64"));
    assert_eq!(files().len(), 3);
    assert!(page(&program.replace("i64.sum", "i64.product")).markdown.contains("5i64"));
    assert!(page(&program.replace("1f64", "0f64")).markdown.contains("6i64"));
    // A damaged entry is computed anew.
    for file in files() {
        fs::write(file, "damaged").unwrap();
    }
    assert!(page(program).markdown.contains("6i64"));
    // What failed is tried again.
    fs::remove_file(&data).unwrap();
    assert_eq!(page(program).failures.len(), 1);
}

#[test]
fn no_directives_no_results() {
    let page = World::new().page("-- Only text.\n");
    assert_eq!(page.markdown, "Only text.\n");
    assert!(parse("").unwrap().is_empty());
    assert!(matches!(parse("def f = 1\n").unwrap().as_slice(), [Block::Code(_)]));
}
