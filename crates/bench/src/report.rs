//! A measurement as a page to keep.

use crate::section::Section;
use crate::summary::{Line, Row, Summary, headings};
use kenaz_ir::target;

/// Sequential C: the machine, what the table comes to, and the table.
pub(crate) fn sequential(machine: &[(String, String)], rows: &[Row], summary: &Summary) -> String {
    let mut out = String::from(
        "# Compiled programs\n\nWritten by `cargo xtask bench c --markdown`; [README.md](README.md) says what is measured and \
         how. The times of each\nround are beside this file, as values separated by commas.\n\n",
    );
    out.push_str(&facts(machine));
    out.push_str("\n## What it comes to\n\n| | | goal | reached | over |\n|---|---|---|---|---|\n");
    summary.lines.iter().for_each(|line| out.push_str(&format!("| {}\n", goal(line))));
    if summary.wrong > 0 {
        out.push_str(&format!("\n{} data sets have problems, which are listed under the table.\n", summary.wrong));
    }
    let names = headings(&target::C);
    out.push_str(&format!("\n## All data sets\n\n| program | data set | {} |\n", names.join(" | ")));
    out.push_str(&format!("|---|---|{}\n", "---:|".repeat(names.len())));
    for row in rows {
        let cells = row.cells(&target::C).join(" | ");
        out.push_str(&format!("| {} | {} | {cells} |\n", row.program, escaped(&row.set)));
    }
    let problems =
        rows.iter().flat_map(|row| row.problems.iter().map(|it| format!("{} {}: {it}", row.program, row.set)));
    let problems = list(problems);
    if !problems.is_empty() {
        out.push_str(&format!("\n## Problems\n\n{problems}"));
    }
    out
}

/// A page, or the part of one which another measurement is not about.
pub(crate) fn with_part(page: &str, part: &str) -> String {
    let title = part.lines().next();
    let mut parts: Vec<String> = Vec::new();
    for line in page.lines() {
        if line.starts_with("# ") || parts.is_empty() {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    match parts.iter_mut().find(|old| old.lines().next() == title) {
        Some(old) => *old = part.to_string(),
        None => parts.push(part.to_string()),
    }
    parts.iter().map(|part| part.trim_end().to_string() + "\n").collect::<Vec<_>>().join("\n")
}

/// A part of a page: the machine, what all tables come to, and a chapter for each of them. `folder` is where their
/// files are; `head` is the title, and who has written it.
pub(crate) fn part(head: &str, machine: &[(String, String)], sections: &[Section], folder: &str) -> String {
    let mut out = format!(
        "# {head}; [README.md](README.md) says how to repeat it. The times of each round are in\n[{folder}]({folder}), as \
         values separated by commas.\n\n"
    );
    out.push_str(&facts(machine));
    out.push_str("\n## What it comes to\n\n| part | | | goal | reached | over |\n|---|---|---|---|---|---|\n");
    for section in sections {
        let link = format!("[{}](#{})", section.title, anchor(section.title));
        section.lines.iter().for_each(|line| out.push_str(&format!("| {link} | {}\n", goal(line))));
    }
    for section in sections {
        out.push_str(&format!("\n## {}\n\n{}\n", section.title, section.text.trim_end()));
        if section.chart.is_some() {
            out.push_str(&format!("\n![{}]({folder}/{}.svg)\n", section.title, section.name));
        }
        let names: Vec<&str> = section.columns.iter().map(|(name, _)| *name).collect();
        let numbers = section.columns.len() - section.names;
        out.push_str(&format!(
            "\n| {} |\n|{}{}\n",
            names.join(" | "),
            "---|".repeat(section.names),
            "---:|".repeat(numbers)
        ));
        for row in &section.rows {
            let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        let problems = list(section.problems.iter().cloned());
        if !problems.is_empty() {
            out.push_str(&format!("\nProblems:\n\n{problems}"));
        }
    }
    out
}

fn facts(machine: &[(String, String)]) -> String {
    let rows = machine.iter().map(|(name, value)| format!("| {name} | {} |\n", escaped(value)));
    format!("| | |\n|---|---|\n{}", rows.collect::<String>())
}

/// The cells of a number and its goal.
fn goal(line: &Line) -> String {
    let reached = if line.reached() { "yes" } else { "**no**" };
    format!("{} | {} | {} | {reached} | {} |", line.what, line.value(), line.goal, line.over)
}

fn list(problems: impl Iterator<Item = String>) -> String {
    problems.map(|problem| format!("- {}\n", escaped(&problem))).collect()
}

/// What a heading is called in links.
fn anchor(title: &str) -> String {
    title.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect::<String>().replace(' ', "-")
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::Goals;
    use crate::summary::{self, Goal};

    fn machine() -> [(String, String); 1] {
        [("processor".to_string(), "A 3000".to_string())]
    }

    fn has_lines(text: &str, lines: &[&str]) {
        for line in lines {
            assert!(text.lines().any(|it| it == *line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn a_report_has_the_machine_goals_and_rows() {
        let fine = Row { ours: vec![1000.0, 3000.0, 2000.0], peer: vec![8000.0; 3], ..Row::new("mm", "256, small") };
        let rows = [fine, Row { problems: vec!["a | b\nc".to_string()], ..Row::new("mm", "1024") }];
        let text = sequential(&machine(), &rows, &Summary::new(Goals::of(&target::C).unwrap(), &rows, Some(2001)));
        has_lines(
            &text,
            &[
                "| processor | A 3000 |",
                "| peer / ours, median | 4.00 | at least 1.15 | yes | 1 |",
                "| lines of C of bench/programs/1.fut | 2001 | at most 2000 | **no** | 1 |",
                "| mm | 256, small | 2.00 | 8.00 | 4.00 | - | - | - | - | - | - | - | - |",
                "- mm 1024: a \\| b c",
            ],
        );
    }

    #[test]
    fn each_part_has_a_chapter() {
        let mut section =
            Section::new("products", "Products of matrices", "Text.".to_string(), &[("what", 5), ("ms", 5)], 1);
        section.rows.push(vec!["a|b".to_string(), "1.00".to_string()]);
        section.sum_up(Line::new("share", &[0.5], summary::least, Goal::AtLeast(0.6)));
        section.chart = Some("<svg/>".to_string());
        section.problems.push("it is slow".to_string());
        has_lines(
            &part("Several cores", &machine(), &[section], "results"),
            &[
                "| processor | A 3000 |",
                "| [Products of matrices](#products-of-matrices) | share | 0.50 | at least 0.60 | **no** | 1 |",
                "## Products of matrices",
                "![Products of matrices](results/products.svg)",
                "| what | ms |",
                "|---|---:|",
                "| a\\|b | 1.00 |",
                "- it is slow",
            ],
        );
    }

    #[test]
    fn a_part_takes_the_place_of_the_one_before() {
        let page = "# A\n\nold\n\n# B\n\nstays\n";
        assert_eq!(with_part(page, "# A\n\nnew\n"), "# A\n\nnew\n\n# B\n\nstays\n");
        assert_eq!(with_part(page, "# C\n"), "# A\n\nold\n\n# B\n\nstays\n\n# C\n");
        assert_eq!(with_part("", "# C\n"), "# C\n");
    }
}
