//! The part of `bench/RESULTS.md` about allocations and copies.

use super::{Compared, Count, GOAL};
use std::path::Path;

const TITLE: &str = "# Allocations and copies";

/// The text of the part: what each folder comes to, and the programs of `bench/apps` one by one.
pub(super) fn part(all: &[Compared]) -> String {
    let mut text = format!(
        "{TITLE}\n\n\
         Written by `cargo xtask allocations SUITE bench/apps --peer PATH --into bench/RESULTS.md`: statements that allocate or\n\
         copy in the programs of a folder once arrays have places, ours and the peer's (`dev --seq-mem`). *As often* counts each\n\
         as often as it runs if every loop has ten iterations, *in the text* once; *in loops* are those of both in loops and in\n\
         functions that are called there. Goal: at most as often as the peer in {:.0} % of the programs, and none more in loops.\n\n\
         | programs | compared | at most as often | share | reached | at most in the text | more in loops | allocations | peer's | copies | peer's | in loops | peer's |\n\
         |---|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        100.0 * GOAL
    );
    for it in all {
        // The folder of the suite may be anywhere.
        let folder =
            if it.folder.starts_with("bench/") { format!("`{}`", it.folder) } else { "public suite".to_string() };
        text.push_str(&format!(
            "| {folder} | {} | {} | {:.1} % | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            it.both.len(),
            it.fine(),
            100.0 * it.share(),
            if it.reached() { "yes" } else { "**no**" },
            it.both.iter().filter(|(_, ours, theirs)| ours.at_most(*theirs)).count(),
            it.more_in_loops(),
            it.sum(|row| row.1.allocations),
            it.sum(|row| row.2.allocations),
            it.sum(|row| row.1.copies),
            it.sum(|row| row.2.copies),
            it.sum(|row| row.1.in_loops),
            it.sum(|row| row.2.in_loops),
        ));
    }
    let (ours, theirs) =
        (all.iter().map(|it| it.only_ours).sum::<usize>(), all.iter().map(|it| it.only_theirs).sum::<usize>());
    text.push_str(&format!("\nLeft out: {ours} programs that only ours compiles, {theirs} that only the peer does.\n"));
    for it in all.iter().filter(|it| it.folder.starts_with("bench/")) {
        text.push_str(&format!(
            "\n## {}\n\n\
             | program | allocations | peer's | copies | peer's | in loops | peer's | at most as often |\n\
             |---|---:|---:|---:|---:|---:|---:|---|\n",
            it.folder
        ));
        let mut rows: Vec<_> = it.both.iter().collect();
        rows.sort();
        for (file, ours, theirs) in rows {
            text.push_str(&format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                name(file),
                ours.allocations,
                theirs.allocations,
                ours.copies,
                theirs.copies,
                ours.in_loops,
                theirs.in_loops,
                verdict(*ours, *theirs)
            ));
        }
    }
    text
}

fn verdict(ours: Count, theirs: Count) -> &'static str {
    match (ours.at_most_as_often(theirs), ours.in_loops <= theirs.in_loops) {
        (true, true) => "yes",
        (true, false) => "**more in loops**",
        (false, _) => "**no**",
    }
}

fn name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The page with this part instead of the one with the same title, or behind all others.
pub(super) fn with_part(page: &str, part: &str) -> String {
    let mut before = String::new();
    let mut after = String::new();
    let mut state = 0;
    for line in page.split_inclusive('\n') {
        if line.starts_with("# ") {
            state = match (state, line.trim_end() == TITLE) {
                (0, true) => 1,
                (0, false) => 0,
                (_, _) => 2,
            };
        }
        match state {
            0 => before.push_str(line),
            1 => {}
            _ => after.push_str(line),
        }
    }
    if !before.is_empty() && !before.ends_with("\n\n") {
        before.push('\n');
    }
    let gap = if after.is_empty() { "" } else { "\n" };
    format!("{before}{part}{gap}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_put_behind_others_and_replaced() {
        let part = format!("{TITLE}\n\nnew\n");
        let first = with_part("# A\n\na\n", &part);
        assert_eq!(first, format!("# A\n\na\n\n{part}"));
        let old = format!("# A\n\na\n\n{TITLE}\n\nold\n## b\n\n# C\nc\n");
        assert_eq!(with_part(&old, &part), format!("# A\n\na\n\n{part}\n# C\nc\n"));
    }
}
