//! Diagnostics for people, with the source they are about.

use super::excerpt::excerpt;
use super::{bounds, clean, file_of};
use crate::{Diagnostic, Label, Severity, SourceMap};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::fmt::Write;

#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub colour: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Style {
    /// As in tests and in files: no colour, a width that does not depend on who looks.
    pub const PLAIN: Style = Style { colour: false, width: 120 };
}

/// Nobody reads more at once; the rest is usually a consequence of the first.
const MOST_SHOWN: usize = 200;

/// All diagnostics with their source, separated by empty lines.
pub fn terminal(sources: &SourceMap, diagnostics: &[Diagnostic], style: Style) -> String {
    let renderer = if style.colour { Renderer::styled() } else { Renderer::plain() };
    // The library does not know how to lay out a source line in a handful of columns.
    let renderer = renderer.term_width(style.width.max(40));
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(MOST_SHOWN) {
        let mut columns = None;
        let text = renderer.render(&[group(sources, diagnostic, &mut columns)]);
        // Padding up to a label that wraps may leave blanks at the end of lines.
        for line in text.lines().map(str::trim_end) {
            match columns.take_if(|(shown, _)| line.contains("--> ") && line.ends_with(&*shown)) {
                Some((shown, real)) => out.push_str(&line.replace(&shown, &real)),
                None => out.push_str(line),
            }
            out.push('\n');
        }
        out.push('\n');
    }
    if diagnostics.len() > MOST_SHOWN {
        let _ = writeln!(out, "({} more are not shown)\n", diagnostics.len() - MOST_SHOWN);
    }
    out
}

/// `:line:column` as the library computes it from an excerpt, and as it is in the file.
type Columns = Option<(String, String)>;

fn group<'a>(sources: &'a SourceMap, diagnostic: &'a Diagnostic, columns: &mut Columns) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(clean(&diagnostic.message)).id(diagnostic.code.id()));

    let mut labels: Vec<&Label> = vec![&diagnostic.primary];
    labels.extend(&diagnostic.causes);
    // One snippet per file, that of the primary label first.
    while let Some(first) = labels.first() {
        let here = first.span.file;
        let (mine, others): (Vec<&Label>, Vec<&Label>) = labels.into_iter().partition(|l| l.span.file == here);
        labels = others;
        let Some(file) = file_of(sources, mine[0].span) else { continue };
        let path = file.path().to_string_lossy();
        if file.text.is_empty() {
            // A file without text, or one that could not be read: there is no line to show.
            group = group.element(Origin::path(path));
            continue;
        }
        let spans: Vec<_> = mine.iter().map(|label| label.span).collect();
        let excerpt = excerpt(file, &spans);
        if std::ptr::eq(mine[0], &diagnostic.primary) {
            let (line, column) = file.line_col(bounds(file, mine[0].span).0);
            let before = &excerpt.text[..excerpt.ranges[0].start];
            let shown = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            *columns = Some((format!(":{line}:{shown}"), format!(":{line}:{column}")));
        }
        let annotations = mine.iter().zip(excerpt.ranges).enumerate().map(|(index, (label, range))| {
            let is_primary = index == 0 && std::ptr::eq(*label, &diagnostic.primary);
            let kind = if is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let text = clean(&label.text);
            kind.span(range).label((!text.is_empty()).then_some(text))
        });
        let snippet = Snippet::source(excerpt.text).line_start(excerpt.first_line).path(path);
        group = group.element(snippet.annotations(annotations));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(clean(note)));
    }
    for hint in &diagnostic.hints {
        group = group.element(Level::HELP.message(clean(hint)));
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Id, Span};

    #[track_caller]
    fn shows(sources: &SourceMap, diagnostic: Diagnostic, expected: &str) {
        let text = terminal(sources, &[diagnostic], Style::PLAIN);
        assert_eq!(text.trim_end(), expected.trim_matches('\n'), "\n{text}");
    }

    #[test]
    fn labels_notes_and_hints() {
        let mut sources = SourceMap::new();
        let lib = sources.add("lib/dot.fut", "def dot [n] (xs: [n]f32) (ys: [n]f32) = 0f32\n".to_string());
        let main = sources.add("main.fut", "import \"lib/dot\"\n\nentry main xs ys =\n\tdot xs ys\n".to_string());
        let diagnostic = Diagnostic::error(Code::SizeMismatch, Span::new(main, 45, 47), "Sizes `n` and `m` differ.")
            .label("has size `m`")
            .cause(Span::new(main, 42, 44), "has size `n`")
            .cause(Span::new(lib, 30, 37), "must have the size of `xs`")
            .note("Sizes are equal when they are the same expression.")
            .hint("use `:> [n]f32` to check at run time");
        shows(
            &sources,
            diagnostic,
            r"
error[size-mismatch]: Sizes `n` and `m` differ.
 --> main.fut:4:9
  |
4 |     dot xs ys
  |         -- ^^ has size `m`
  |         |
  |         has size `n`
  |
 ::: lib/dot.fut:1:31
  |
1 | def dot [n] (xs: [n]f32) (ys: [n]f32) = 0f32
  |                               ------- must have the size of `xs`
  |
  = note: Sizes are equal when they are the same expression.
  = help: use `:> [n]f32` to check at run time
",
        );
    }

    #[test]
    fn a_file_without_text_is_only_named() {
        let mut sources = SourceMap::new();
        let file = sources.add("gone.fut", String::new());
        let diagnostic = Diagnostic::error(Code::FileNotFound, Span::new(file, 0, 0), "There is no file `gone.fut`.");
        shows(&sources, diagnostic, "error[file-not-found]: There is no file `gone.fut`.\n--> gone.fut");
    }

    #[test]
    fn long_lines_keep_their_columns() {
        let mut sources = SourceMap::new();
        let file = sources.add("p.fut", format!("{} needle {}", "1 +".repeat(100_000), "+ 1".repeat(100_000)));
        let diagnostic =
            Diagnostic::error(Code::UnknownName, Span::new(file, 300_001, 300_007), "Unknown.").label("here");
        let text = terminal(&sources, &[diagnostic], Style::PLAIN);
        assert!(text.contains("p.fut:1:300002\n"), "{text}");
        assert!(text.contains("needle") && text.contains("^^^^^^ here"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 140), "{text}");
    }

    #[test]
    fn unknown_files_are_left_out() {
        let span = Span::new(crate::FileId::from_index(7), 3, 1);
        shows(&SourceMap::new(), Diagnostic::error(Code::Bug, span, "Oh."), "error[bug]: Oh.");
    }

    /// Random texts made of what is hard to lay out, with random spans: nothing panics and every message is there.
    #[test]
    fn copes_with_anything() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below.max(1) as u64) as usize
        };
        let pieces = [
            "a",
            "let x = ",
            "\t",
            "\n",
            "\r\n",
            "\r",
            "\n\n\n",
            "å",
            "漢字",
            "👩‍👩‍👧",
            "e\u{301}",
            "\u{200d}",
            "\0",
            "\u{1b}[31m",
            "\u{202e}",
            "\u{2028}",
            "                              ",
            "\u{feff}",
            "(((((",
            "// c",
            "}",
            "\u{85}",
        ];
        for round in 0..4_000 {
            let mut sources = SourceMap::new();
            for name in ["a.fut", "b\t\n.fut"] {
                let mut text: String = (0..random(40)).map(|_| pieces[random(pieces.len())]).collect();
                if random(20) == 0 {
                    text = text.repeat(1 + random(300));
                }
                sources.add(name, text);
            }
            let mut span = || {
                let file = crate::FileId::from_index(if random(50) == 0 { 2 } else { random(2) });
                let length = file_of(&sources, Span::new(file, 0, 0)).map_or(3, |f| f.text.len()) + 3;
                let (lo, hi) = (random(length), if random(3) == 0 { random(length) } else { 0 });
                let hi = if hi == 0 { lo + random(4) } else { hi };
                let far = random(100) == 0;
                Span::new(file, lo as u32, if far { u32::MAX } else { hi as u32 })
            };
            let spans: Vec<Span> = (0..5).map(|_| span()).collect();
            let mut diagnostic = Diagnostic::error(Code::TypeMismatch, spans[0], "Message\n\tof two lines.");
            if random(2) == 0 {
                diagnostic = diagnostic.label(pieces[random(pieces.len())]);
            }
            for &span in &spans[1 + random(5)..] {
                diagnostic = diagnostic.cause(span, pieces[random(pieces.len())].repeat(random(12)));
            }
            let style = Style { colour: random(2) == 0, width: [0, 1, 20, 80, 140][random(5)] };
            let text = terminal(&sources, std::slice::from_ref(&diagnostic), style);
            assert!(text.contains("type-mismatch"), "round {round}: {text}");
            assert_eq!(
                super::super::concise(&sources, std::slice::from_ref(&diagnostic)).matches("[type-mismatch]").count(),
                1
            );
            assert_eq!(super::super::json(&sources, &[diagnostic]).lines().count(), 1);
        }
    }
}
