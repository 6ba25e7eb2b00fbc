//! The guide is true: the programs of its chapters are written, their commands run, and its links lead somewhere.

use crate::pkg::World;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

macro_rules! chapters {
    ($($name:ident $commands:literal,)*) => {
        $(
            #[test]
            fn $name() {
                let page = concat!("guide/", stringify!($name), ".md").replace('_', "-");
                assert_eq!(World::new().run_page(&page), $commands);
            }
        )*

        const CHAPTERS: &[&str] = &[$(stringify!($name)),*];
    };
}

// Each with the number of its commands.
chapters! {
    first_program 3,
    arrays 14,
    maps 10,
    sizes 5,
    records 6,
    loops 5,
    files 5,
    tests 4,
    fast 6,
    derivatives 2,
    calling 5,
    projects 5,
    mistakes 22,
}

#[test]
fn the_page_on_literate_programs() {
    assert!(World::new().run_page("literate.md") >= 4);
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn all_chapters_are_run() {
    let pages: BTreeSet<String> = fs::read_dir(docs().join("guide"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut expected: BTreeSet<String> = CHAPTERS.iter().map(|name| format!("{}.md", name.replace('_', "-"))).collect();
    expected.insert("README.md".to_string());
    assert_eq!(pages, expected);
    let contents = fs::read_to_string(docs().join("guide/README.md")).unwrap();
    for page in &pages {
        assert!(page == "README.md" || contents.contains(&format!("({page})")), "the contents lack {page}");
    }
}

#[test]
fn no_link_leads_nowhere() {
    let mut pages = vec![docs().join("../README.md"), docs().join("literate.md"), docs().join("gallery.md")];
    pages.extend(fs::read_dir(docs().join("guide")).unwrap().map(|entry| entry.unwrap().path()));
    let mut count = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        // What is in blocks is no link.
        let mut in_block = false;
        let is_text = |line: &&str| {
            in_block ^= line.starts_with("```");
            !in_block
        };
        let text = text.lines().filter(is_text).collect::<Vec<_>>().join("\n");
        for rest in text.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || target.contains("://") {
                continue;
            }
            count += 1;
            assert!(page.parent().unwrap().join(file).exists(), "{}: {target}", page.display());
        }
    }
    assert!(count > 50);
}
