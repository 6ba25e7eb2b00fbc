//! An explanation for terminals: the source, with notes under the lines that they are about.

use crate::model::{Explanation, Function, Peak};
use crate::notes::{Note, Topic, notes};
use crate::run::run_lines;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What became of a program, line by line. With `topics`, only notes about these.
pub fn text(of: &Explanation, topics: &[Topic]) -> String {
    let mut out = format!("{} for {}\n", of.program, of.target);
    for function in &of.functions {
        head(&mut out, function);
    }
    if let Some(run) = &of.run {
        let _ = writeln!(out, "\n{}", run_lines(run).join("\n"));
    }
    let mut by_line: BTreeMap<(usize, usize), Vec<Note>> = BTreeMap::new();
    for note in notes(of).into_iter().filter(|note| topics.is_empty() || topics.contains(&note.topic)) {
        by_line.entry((note.place.source, note.place.start.line)).or_default().push(note);
    }
    let width = by_line.keys().map(|(_, line)| line.to_string().len()).max().unwrap_or(1);
    let mut last = None;
    for ((source, line), notes) in by_line {
        if last != Some(source) {
            let _ = writeln!(out, "\n{}", of.sources[source].name);
            last = Some(source);
        }
        let text = of.sources[source].text.lines().nth(line - 1).unwrap_or("");
        let _ = writeln!(out, "\n{line:>width$} | {}", text.trim_end());
        for Note { topic, title, details, .. } in notes {
            let _ = writeln!(out, "{:width$}   {}: {title}", "", topic.name());
            for detail in details {
                let _ = writeln!(out, "{:width$}     {detail}", "");
            }
        }
    }
    let legend = of.functions.iter().flat_map(|function| &function.legend);
    let used: BTreeMap<&String, &String> =
        legend.filter(|(word, _)| has_word(&out, word)).map(|(word, text)| (word, text)).collect();
    for (i, (word, text)) in used.into_iter().enumerate() {
        let _ = writeln!(out, "{}{word} = {text}", if i == 0 { "\nwhere " } else { "      " });
    }
    out
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|other| other == word)
}

fn head(out: &mut String, function: &Function) {
    let what = if function.is_entry { "entry" } else { "function" };
    let allocated = function.blocks.iter().filter(|block| block.is_allocated).count();
    let _ = writeln!(
        out,
        "\n{what} {}: {}, {}, {}, {}",
        function.name,
        count(function.nests.len(), "loop"),
        count(allocated, "allocation"),
        count_of(function.copies.len(), "copy", "copies"),
        count(function.checks.len(), "check"),
    );
    let _ = writeln!(out, "  memory at most: {}", peak(&function.peak));
}

/// The most memory at a time, besides the arguments.
pub(crate) fn peak(peak: &Peak) -> String {
    let text = match &peak.of[..] {
        [] if peak.has_more => return "unknown".to_string(),
        [] => return "nothing besides the arguments".to_string(),
        [one] => format!("{one} bytes"),
        several => {
            let several: Vec<String> = several.iter().map(ToString::to_string).collect();
            format!("max({}) bytes", several.join(", "))
        }
    };
    let more = if peak.has_more { " and more" } else { "" };
    let bound = if peak.is_bound { ", or less" } else { "" };
    format!("{text}{more}{bound}, besides the arguments")
}

fn count(n: usize, what: &str) -> String {
    count_of(n, what, &format!("{what}s"))
}

fn count_of(n: usize, one: &str, several: &str) -> String {
    match n {
        0 => format!("no {several}"),
        1 => format!("one {one}"),
        n => format!("{n} {several}"),
    }
}
