//! An explanation as one page of HTML that needs nothing else: the source with its notes, beside it the stages of the
//! program, and memory over time as a picture. It works without scripts, too, but then nothing lights up together.

use crate::model::{Block, Explanation, Function, Stage};
use crate::notes::{Note, Topic, notes};
use crate::run::run_lines;
use crate::text::peak;
use kenaz_base::html::escape;
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page about a program.
pub fn page(of: &Explanation) -> String {
    let mut out = String::new();
    let name = of.program.rsplit('/').next().unwrap_or(&of.program);
    let title = format!("{} for {}", escape(name), escape(&of.target));
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title>\n<style>\n{STYLE}</style></head>\n<body>\n<header><h1>{title}</h1>\n"
    );
    out.push_str(
        "<p class=\"quiet\">What became of the program. Lines with dots open: by a click, or Tab and Enter.</p>\n",
    );
    functions(&mut out, &of.functions);
    if let Some(run) = &of.run {
        let _ = writeln!(out, "<pre class=\"wide\">{}</pre>", escape(&run_lines(run).join("\n")));
    }
    out.push_str("</header>\n<main><div class=\"columns\"><div>\n");
    source(&mut out, of);
    out.push_str("</div>\n<div class=\"stages\">\n");
    stages(&mut out, of);
    out.push_str("</div></div>\n");
    for function in of.functions.iter().filter(|function| function.blocks.iter().any(|block| block.is_allocated)) {
        let _ = writeln!(out, "<h2>Memory over time in <code>{}</code></h2>", escape(&function.name));
        let _ = writeln!(out, "<p class=\"quiet\">At most {}.</p>", escape(&peak(&function.peak)));
        let _ = writeln!(out, "<div class=\"wide\">{}</div>", blocks(function));
    }
    legend(&mut out, of);
    let _ = write!(out, "</main>\n<footer>Made by kenaz.</footer>\n<script>\n{SCRIPT}</script>\n</body></html>\n");
    out
}

fn functions(out: &mut String, functions: &[Function]) {
    out.push_str(
        "<div class=\"wide\"><table><tr><th>function</th><th class=\"n\">loops</th><th class=\"n\">allocations</th>",
    );
    out.push_str("<th class=\"n\">copies</th><th class=\"n\">checks</th><th>memory at most</th></tr>\n");
    for function in functions {
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"peak\">{}</td></tr>",
            escape(&function.name),
            if function.is_entry { " (entry)" } else { "" },
            function.nests.len(),
            function.blocks.iter().filter(|block| block.is_allocated).count(),
            function.copies.len(),
            function.checks.len(),
            escape(&peak(&function.peak)),
        );
    }
    out.push_str("</table></div>\n");
}

fn source(out: &mut String, of: &Explanation) {
    let mut by_line: BTreeMap<(usize, usize), Vec<Note>> = BTreeMap::new();
    for note in notes(of) {
        by_line.entry((note.place.source, note.place.start.line)).or_default().push(note);
    }
    out.push_str("<div class=\"bar\" role=\"group\" aria-label=\"which notes are shown\">");
    for topic in Topic::ALL {
        let name = topic.name();
        let count = by_line.values().flatten().filter(|note| note.topic == topic).count();
        if count > 0 {
            let _ = write!(
                out,
                "<button class=\"topic\" data-topic=\"{name}\" aria-pressed=\"true\"><span class=\"dot {name}\"></span> {name} {count}</button>"
            );
        }
    }
    out.push_str("<button id=\"fold\" aria-pressed=\"false\">open all</button></div>\n");
    for (i, file) in of.sources.iter().enumerate() {
        if of.sources.len() > 1 {
            let _ = writeln!(out, "<h2><code>{}</code></h2>", escape(&file.name));
        }
        out.push_str("<div class=\"source\">\n");
        for (number, text) in (1..).zip(file.text.lines()) {
            line(out, (i, number), text, by_line.get(&(i, number)).map_or(&[], Vec::as_slice));
        }
        out.push_str("</div>\n");
    }
}

fn line(out: &mut String, (source, number): (usize, usize), text: &str, notes: &[Note]) {
    let mut dots = String::new();
    for topic in Topic::ALL.into_iter().filter(|topic| notes.iter().any(|note| note.topic == *topic)) {
        let name = topic.name();
        let _ = write!(dots, "<span class=\"dot {name}\" title=\"{name}\"></span>");
    }
    let row = format!(
        "<span class=\"dots\">{dots}</span><span class=\"number\">{number}</span><span class=\"code\">{}</span>",
        escape(text)
    );
    if notes.is_empty() {
        let _ = writeln!(out, "<div class=\"row\" data-at=\"{source}:{number}\">{row}</div>");
        return;
    }
    let _ = writeln!(
        out,
        "<details class=\"line\" data-at=\"{source}:{number}\"><summary class=\"row\">{row}</summary><div class=\"notes\">"
    );
    for Note { topic, title, details, .. } in notes {
        let name = topic.name();
        let _ = write!(out, "<div class=\"note of-{name}\"><b class=\"{name}\">{name}</b> {}", marked(title));
        if !details.is_empty() {
            let items: String = details.iter().map(|detail| format!("<li>{}</li>", marked(detail))).collect();
            let _ = write!(out, "<ul>{items}</ul>");
        }
        out.push_str("</div>\n");
    }
    out.push_str("</div></details>\n");
}

fn stages(out: &mut String, of: &Explanation) {
    out.push_str("<div class=\"bar\" role=\"tablist\" aria-label=\"stages of the program\">");
    for (i, stage) in of.stages.iter().enumerate() {
        let (is_first, index) = (i == 0, if i == 0 { 0 } else { -1 });
        let _ = write!(
            out,
            "<button role=\"tab\" id=\"tab{i}\" aria-controls=\"stage{i}\" aria-selected=\"{is_first}\" tabindex=\"{index}\">{}</button>",
            escape(&stage.name)
        );
    }
    out.push_str("</div>\n");
    for (i, stage) in of.stages.iter().enumerate() {
        let hidden = if i == 0 { "" } else { " hidden" };
        let _ = write!(
            out,
            "<pre class=\"stage\" id=\"stage{i}\" role=\"tabpanel\" aria-labelledby=\"tab{i}\" tabindex=\"0\"{hidden}>"
        );
        for (text, at) in lines(stage, of) {
            let at = at.map(|(source, line)| format!(" data-at=\"{source}:{line}\"")).unwrap_or_default();
            let text = if text.is_empty() { " ".to_string() } else { escape(text) };
            let _ = write!(out, "<div{at}>{text}</div>");
        }
        out.push_str("</pre>\n");
    }
}

/// The lines of a stage, without the positions at their ends, and the lines of the source that these name. A statement
/// over several lines has its position behind the last one.
fn lines<'a>(stage: &'a Stage, of: &Explanation) -> Vec<(&'a str, Option<(usize, usize)>)> {
    let mut out: Vec<(&str, Option<(usize, usize)>)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for line in stage.text.lines() {
        let (text, at) = match line.rsplit_once(" at ") {
            Some((text, position)) => match source_line(position, of) {
                Some(at) => (text, Some(at)),
                None => (line, None),
            },
            None => (line, None),
        };
        if text.trim_start().starts_with('}')
            && let Some(first) = open.pop()
        {
            out[first].1 = out[first].1.or(at);
        }
        out.push((text, at));
        if text.ends_with('{') {
            open.push(out.len() - 1);
        }
    }
    out
}

/// `a.fut:3:14-20 < a.fut:7:1` is in line 3 of the source of this name.
fn source_line(position: &str, of: &Explanation) -> Option<(usize, usize)> {
    let innermost = position.split(" < ").next()?;
    let (i, rest) = of
        .sources
        .iter()
        .enumerate()
        .find_map(|(i, source)| Some((i, innermost.strip_prefix(source.name.as_str())?.strip_prefix(':')?)))?;
    Some((i, rest.split(':').next()?.parse().ok()?))
}

const ROW: usize = 26;
const LEFT: usize = 250;
const STEP: usize = 26;

/// The blocks of a function as bars over the steps in which they are there.
fn blocks(function: &Function) -> String {
    let blocks: Vec<&Block> = function.blocks.iter().filter(|block| block.is_allocated).collect();
    let x = |step: usize| LEFT + step * STEP;
    let labels: usize = 260;
    let (width, height) = (x(function.length.max(1)) + labels, (blocks.len() + 2) * ROW);
    let mut out = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" aria-label=\"blocks of memory from left to right in the order of time\">\n"
    );
    for step in &function.steps {
        let wide = ((step.to - step.at).max(1)) * STEP - 2;
        let line = step.place.as_ref().map(|place| format!(", line {}", place.start.line)).unwrap_or_default();
        let _ = writeln!(
            out,
            "<rect class=\"step\" x=\"{}\" y=\"4\" width=\"{wide}\" height=\"{}\" rx=\"3\"><title>{}{line}</title></rect>",
            x(step.at),
            ROW - 10,
            escape(&step.what),
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"quiet\" x=\"{}\" y=\"{}\" text-anchor=\"end\">loops, copies, calls</text>",
        LEFT - 8,
        ROW - 10
    );
    for (i, block) in blocks.iter().enumerate() {
        let y = (i + 1) * ROW;
        let line = block.place.as_ref().map(|place| format!(" (line {})", place.start.line)).unwrap_or_default();
        let wide = (block.to.max(block.from + 1) - block.from) * STEP - 2;
        let class = if block.is_result { "result" } else { "block" };
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}{line}</text>\
             <rect class=\"{class}\" x=\"{}\" y=\"{y}\" width=\"{wide}\" height=\"{}\" rx=\"3\"><title>{}</title></rect>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            LEFT - 8,
            y + ROW - 10,
            escape(&short(&block.name, 24)),
            x(block.from),
            ROW - 8,
            escape(&format!("{}: {} bytes", block.name, block.bytes)),
            x(block.to.max(block.from + 1)) + 4,
            y + ROW - 10,
            escape(&short(&format!("{} bytes", block.bytes), 40)),
        );
    }
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String, of: &Explanation) {
    let words: BTreeMap<&String, &String> =
        of.functions.iter().flat_map(|function| &function.legend).map(|(word, text)| (word, text)).collect();
    if words.is_empty() {
        return;
    }
    out.push_str("<h2>What words in formulas stand for</h2>\n<div class=\"wide\"><table>\n");
    for (word, text) in words {
        let _ = writeln!(out, "<tr><td><code>{}</code></td><td>{}</td></tr>", escape(word), escape(text));
    }
    out.push_str("</table></div>\n");
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_string(),
    }
}

/// With what stands in backticks as code.
fn marked(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return escape(text);
    }
    let piece = |(i, piece): (usize, &&str)| match i % 2 {
        0 => escape(piece),
        _ => format!("<code>{}</code>", escape(piece)),
    };
    pieces.iter().enumerate().map(piece).collect()
}
