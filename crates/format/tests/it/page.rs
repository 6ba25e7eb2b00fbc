//! The examples of docs/format.md.

use super::formatted;
use std::path::Path;

/// The blocks of the page with the words behind their fences.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if let Some(words) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                blocks.push((words, String::new()));
            }
        } else if inside && let Some((_, text)) = blocks.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    blocks
}

/// A block stays as it is; one that is called `before` becomes the next one.
#[test]
fn examples_are_laid_out_as_shown() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
    let page = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<(&str, String)> =
        blocks(&page).into_iter().filter(|(words, _)| words.starts_with("futhark")).collect();
    assert!(blocks.len() > 12, "are the examples found?");
    for (at, (words, text)) in blocks.iter().enumerate() {
        match *words {
            "futhark" => assert_eq!(formatted(text), *text),
            "futhark before" => assert_eq!(formatted(text), blocks[at + 1].1),
            other => panic!("`{other}` says nothing to this test"),
        }
    }
}
