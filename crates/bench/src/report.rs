//! A measurement as a page to keep, and its raw numbers.

use crate::summary::{COLUMNS, Row, Summary};

/// The machine, what the table comes to, and the table.
pub fn markdown(machine: &[(String, String)], rows: &[Row], summary: &Summary) -> String {
    let mut out = String::from(
        "# Compiled programs\n\nWritten by `cargo xtask bench c --markdown`; [README.md](README.md) says what is measured and \
         how. The times of each\nround are beside this file, as values separated by commas.\n\n| | |\n|---|---|\n",
    );
    for (name, value) in machine {
        out.push_str(&format!("| {name} | {} |\n", escaped(value)));
    }
    out.push_str("\n## What it comes to\n\n| | | goal | reached | over |\n|---|---|---|---|---|\n");
    for line in &summary.lines {
        let reached = if line.reached() { "yes" } else { "**no**" };
        out.push_str(&format!("| {} | {} | {} | {reached} | {} |\n", line.what, line.value(), line.goal, line.over));
    }
    if summary.wrong > 0 {
        out.push_str(&format!("\n{} data sets have problems, which are listed under the table.\n", summary.wrong));
    }
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    out.push_str(&format!("\n## All data sets\n\n| program | data set | {} |\n", names.join(" | ")));
    out.push_str(&format!("|---|---|{}\n", "---:|".repeat(COLUMNS.len())));
    for row in rows {
        out.push_str(&format!("| {} | {} | {} |\n", row.program, escaped(&row.set), row.cells().join(" | ")));
    }
    let problems: Vec<String> = rows
        .iter()
        .flat_map(|row| row.problems.iter().map(|it| format!("- {} {}: {}\n", row.program, row.set, escaped(it))))
        .collect();
    if !problems.is_empty() {
        out.push_str(&format!("\n## Problems\n\n{}", problems.concat()));
    }
    out
}

/// The microseconds of each round.
pub fn rounds(rows: &[Row]) -> String {
    let mut out = String::from("program,data set,who,round,us\n");
    for row in rows {
        let all =
            [("ours", &row.ours), ("peer", &row.peer), ("ours beside C++", &row.ours_beside_cpp), ("C++", &row.cpp)];
        for (who, times) in all {
            for (round, time) in times.iter().enumerate() {
                out.push_str(&format!("{},\"{}\",{who},{},{time}\n", row.program, row.set, round + 1));
            }
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let fine = Row { ours: vec![1000.0, 3000.0, 2000.0], peer: vec![8000.0; 3], ..Row::new("mm", "256, small") };
        vec![fine, Row { problems: vec!["a | b\nc".to_string()], ..Row::new("mm", "1024") }]
    }

    #[test]
    fn a_report_has_the_machine_goals_and_rows() {
        let rows = rows();
        let machine = [("processor".to_string(), "A 3000".to_string())];
        let text = markdown(&machine, &rows, &Summary::new(&rows, Some(2001)));
        for line in [
            "| processor | A 3000 |",
            "| peer / ours, median | 4.00 | at least 1.15 | yes | 1 |",
            "| lines of C of bench/programs/1.fut | 2001 | at most 2000 | **no** | 1 |",
            "| mm | 256, small | 2.00 | 8.00 | 4.00 | - | - | - | - | - | - | - | - |",
            "- mm 1024: a \\| b c",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn every_round_is_kept() {
        let text = rounds(&rows());
        assert_eq!(text.lines().count(), 1 + 6, "{text}");
        assert!(text.contains("mm,\"256, small\",ours,2,3000\n"), "{text}");
    }
}
