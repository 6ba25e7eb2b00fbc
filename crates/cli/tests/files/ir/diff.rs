//! The difference between two programs, line by line, where names do not matter.

use kenaz_ir::Prog;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;

/// The lines that differ, with some around them, if any do.
pub(super) fn programs(expected: &Prog, found: &str) -> Option<String> {
    let expected = expected.to_string();
    texts(&expected, found)
}

fn texts(expected: &str, found: &str) -> Option<String> {
    let (expected_names, found_names) = (numbered(expected), numbered(found));
    if expected_names == found_names {
        return None;
    }
    let pair = |text: &str, names: &str| -> Vec<(String, String)> {
        text.lines().zip(names.lines()).map(|(line, names)| (line.to_string(), names.to_string())).collect()
    };
    Some(lines(&pair(expected, &expected_names), &pair(found, &found_names)))
}

/// A program as text in which names are numbered in the order in which they occur.
fn numbered(text: &str) -> String {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = String::with_capacity(text.len());
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = rest.find(|c| is_part(c) != is_part(first)).unwrap_or(rest.len());
        let (word, more) = rest.split_at(len);
        rest = more;
        let is_name =
            word.rsplit_once('_').is_some_and(|(_, id)| !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()));
        if is_name {
            let next = numbers.len();
            out.push_str(&format!("x{}", numbers.entry(word).or_insert(next)));
        } else {
            out.push_str(word);
        }
    }
    out
}

/// Lines of two texts, compared by their second halves: `-` for those of the first, `+` for those of the second.
fn lines(old: &[(String, String)], new: &[(String, String)]) -> String {
    // The length of the longest common subsequence from here on.
    let mut common = vec![vec![0usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let skip = common[i + 1][j].max(common[i][j + 1]);
            common[i][j] = if old[i].1 == new[j].1 { common[i + 1][j + 1] + 1 } else { skip };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = String::new();
    while i < old.len() || j < new.len() {
        let both = i < old.len() && j < new.len();
        let (mark, line) = if both && old[i].1 == new[j].1 {
            (i, j) = (i + 1, j + 1);
            (' ', &new[j - 1].0)
        } else if j == new.len() || both && common[i + 1][j] >= common[i][j + 1] {
            i += 1;
            ('-', &old[i - 1].0)
        } else {
            j += 1;
            ('+', &new[j - 1].0)
        };
        out.push_str(&format!("{mark} {line}\n"));
    }
    out
}

/// Tests of this module itself: that it can fail.
pub(super) fn harness_trials() -> Vec<Trial> {
    let holds = |condition: bool| if condition { Ok(()) } else { Err(Failed::from("does not hold")) };
    vec![Trial::test("harness/ir/differences", move || {
        holds(texts("let x_1 = add x_1 y_2", "let a_7 = add a_7 b_0").is_none())?;
        holds(texts("let x_1 = add x_1 y_2", "let a_7 = add b_0 a_7").is_some())?;
        holds(texts("let x_1 = f_shape", "let x_1 = g_shape").is_some())?;
        holds(texts("a\nb_1\nc\n", "a\nd\nb_2\n") == Some("  a\n+ d\n  b_2\n- c\n".to_string()))
    })]
}
