//! The part of a source file that a message shows.
//!
//! The snippet library wants one contiguous text and ranges in it, and walks over all of it for every annotation. So it
//! gets only the lines between the first and the last label, those far from any label without their text, and of a very
//! long line only the neighbourhood of its label.

use super::bounds;
use crate::{SourceFile, Span};
use std::ops::Range;

pub(super) struct Excerpt {
    pub text: String,
    /// The number of the first line of `text` in its file, from 1.
    pub first_line: usize,
    /// Where the spans lie in `text`, in the order in which they were given.
    pub ranges: Vec<Range<usize>>,
}

/// Lines of at most this many bytes are shown whole.
const WHOLE_LINE: usize = 400;
/// How much is shown of a longer line in front of its label and from there on.
const BEFORE: usize = 60;
const AFTER: usize = 240;
/// How many lines around either end of a span keep their text. The library shows up to four lines of a long span and
/// fills gaps of a line or two.
const NEAR: usize = 6;

/// Where a long line is cut, the first of `spans` decides what is seen of it.
pub(super) fn excerpt(file: &SourceFile, spans: &[Span]) -> Excerpt {
    let spans: Vec<(usize, usize)> = spans.iter().map(|&span| trimmed(file, span)).collect();
    let line_of = |offset: usize| file.line_col(offset as u32).0;
    let lines: Vec<(usize, usize)> = spans.iter().map(|&(lo, hi)| (line_of(lo), line_of(hi))).collect();
    let first_line = lines.iter().map(|l| l.0).min().unwrap_or(1);
    let last_line = lines.iter().map(|l| l.1).max().unwrap_or(1);

    let mut text = String::new();
    let mut ranges = vec![0..0; spans.len()];
    for line in first_line..=last_line {
        let near = |end: usize| line.abs_diff(end) <= NEAR;
        if lines.iter().any(|&(lo, hi)| near(lo) || near(hi)) {
            let content = file.line_range(line);
            let ends = |index: usize| {
                let ((lo, hi), (lo_line, hi_line)) = (spans[index], lines[index]);
                [(lo_line == line).then_some(lo), (hi_line == line).then_some(hi)]
            };
            let anchor = (0..spans.len()).flat_map(ends).flatten().next().unwrap_or(content.start);
            let shown = window(file, content.clone(), anchor);
            if shown.start > content.start {
                text.push('…');
            }
            let place = |offset: usize| text.len() + offset.clamp(shown.start, shown.end) - shown.start;
            for (index, range) in ranges.iter_mut().enumerate() {
                let [lo, hi] = ends(index);
                range.start = lo.map_or(range.start, place);
                range.end = hi.map_or(range.end, place);
            }
            text.push_str(&file.text[shown.clone()]);
            if shown.end < content.end {
                text.push('…');
            }
        }
        if line < last_line {
            text.push('\n');
        }
    }
    Excerpt { text, first_line, ranges }
}

/// The span without line breaks at its end, which would drag the next line into view.
fn trimmed(file: &SourceFile, span: Span) -> (usize, usize) {
    let (lo, hi) = bounds(file, span);
    let covered = file.text[lo as usize..hi as usize].trim_end_matches(['\n', '\r']);
    (lo as usize, lo as usize + covered.len())
}

fn window(file: &SourceFile, content: Range<usize>, anchor: usize) -> Range<usize> {
    if content.len() <= WHOLE_LINE {
        return content;
    }
    let anchor = anchor.clamp(content.start, content.end);
    let start = file.text.floor_char_boundary(anchor.saturating_sub(BEFORE)).max(content.start);
    let end = file.text.ceil_char_boundary((anchor + AFTER).min(content.end)).min(content.end);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceMap;

    fn shown(text: &str, spans: &[(u32, u32)]) -> (String, usize, Vec<String>) {
        let mut sources = SourceMap::new();
        let file = sources.add("p.fut", text.to_string());
        let spans: Vec<Span> = spans.iter().map(|&(lo, hi)| Span::new(file, lo, hi)).collect();
        let excerpt = excerpt(sources.file(file), &spans);
        let marked = excerpt.ranges.iter().map(|r| excerpt.text[r.clone()].to_string()).collect();
        (excerpt.text, excerpt.first_line, marked)
    }

    #[test]
    fn takes_the_lines_of_the_spans() {
        assert_eq!(shown("a\nbc\nd\n", &[(3, 4)]), ("bc".into(), 2, vec!["c".into()]));
        assert_eq!(shown("a\r\nbc\r\nd\r\n", &[(3, 8)]), ("bc\nd".into(), 2, vec!["bc\nd".into()]));
    }

    #[test]
    fn line_breaks_at_the_end_are_not_shown() {
        assert_eq!(shown("a\r\nbc\r\nd\r\n", &[(3, 7)]), ("bc".into(), 2, vec!["bc".into()]));
    }

    #[test]
    fn end_of_file_has_a_line() {
        assert_eq!(shown("a\n", &[(2, 2)]), (String::new(), 2, vec![String::new()]));
        assert_eq!(shown("", &[(7, 9)]), (String::new(), 1, vec![String::new()]));
    }

    #[test]
    fn long_lines_are_cut() {
        let line = format!("{}needle{}", "å".repeat(1_000_000), "x".repeat(1_000_000));
        let (text, _, marked) = shown(&line, &[(2_000_000, 2_000_006), (0, 1)]);
        assert!(text.len() < 400 && text.starts_with('…') && text.ends_with('…'));
        assert_eq!(marked, ["needle", ""]);
    }

    #[test]
    fn lines_between_distant_spans_are_empty() {
        let (text, first, marked) = shown(&"line\n".repeat(100), &[(455, 459), (50, 54)]);
        assert_eq!((first, text.lines().count(), text.lines().filter(|l| !l.is_empty()).count()), (11, 82, 14));
        assert_eq!(marked, ["line", "line"]);
    }
}
