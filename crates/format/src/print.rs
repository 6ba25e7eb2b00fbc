//! Documents to text, in the manner of Oppen: one pass from the back measures, one from the front prints.

use crate::source::BLANKS;
use crate::tape::{Ends, Group, Line, Op, Pin};

/// Lines are at most this wide if they can be broken.
pub(crate) const WIDTH: u32 = 80;
/// No line is indented further, so that deep nesting does not make the text grow with its square.
const MAX_INDENT: u32 = 100;
/// Right of here is far to the right.
const FAR: u32 = WIDTH / 2;

pub(crate) fn print(source: &str, ops: &[Op]) -> String {
    let measures = Measures::new(source, ops);
    let mut printer = Printer {
        source,
        out: String::with_capacity(source.len() + source.len() / 8),
        indents: vec![0],
        frames: Vec::new(),
        anchors: Vec::new(),
        breaks: 0,
        column: 0,
        space: false,
        at_start: true,
        line: 0,
        trailing: Vec::new(),
    };
    for (at, &op) in ops.iter().enumerate() {
        printer.op(at, op, &measures);
    }
    printer.finish()
}

/// The width of every part of the tape when it is on one line.
struct Measures {
    /// The width of all before each place.
    before: Vec<u32>,
    /// For the beginning of a group and for a line: the place up to which all must fit if the line does not end. For a
    /// group, that is the first line that surely ends, or the first behind the group that may; for a line, the next of
    /// its own or an outer group.
    until: Vec<u32>,
}

impl Measures {
    fn new(source: &str, ops: &[Op]) -> Measures {
        let mut before = Vec::with_capacity(ops.len() + 1);
        let mut width = 0;
        for op in ops {
            before.push(width);
            width += match *op {
                Op::Text { lo, hi } => source[lo as usize..hi as usize].chars().count() as u32,
                Op::Space | Op::Line(Line { space: true, ends: Ends::IfNeeded, .. }) => 1,
                _ => 0,
            };
        }
        before.push(width);

        let end = ops.len() as u32;
        let mut until = vec![end; ops.len()];
        // The nearest lines behind this place that can end here, from the outermost group to the innermost.
        let mut lines: Vec<(u32, u32)> = Vec::new();
        // Where the groups that are open may stop at the earliest once they have ended.
        let mut behind: Vec<u32> = Vec::new();
        let (mut ending, mut hug, mut depth) = (end, (end, 0), 0u32);
        // A line may count on one that is two levels below it at most.
        let near = |(at, level): (u32, u32), depth: u32| if level <= depth + 2 { at } else { end };
        for (at, op) in ops.iter().enumerate().rev() {
            let next = lines.last().map_or(end, |&(_, at)| at);
            match op {
                Op::End => {
                    behind.push(next.min(near(hug, depth)));
                    depth += 1;
                }
                Op::Begin { .. } => {
                    until[at] = ending.min(behind.pop().unwrap_or(end));
                    while lines.pop_if(|(inner, _)| *inner >= depth).is_some() {}
                    depth -= 1;
                }
                Op::Line(line) => {
                    until[at] = next.min(ending).min(near(hug, depth));
                    if line.ends != Ends::IfNeeded {
                        ending = at as u32;
                    }
                    while lines.pop_if(|(inner, _)| *inner >= depth).is_some() {}
                    lines.push((depth, at as u32));
                }
                Op::Hug => hug = (at as u32, depth),
                _ => {}
            }
        }
        Measures { before, until }
    }

    /// The width from a place to the one up to which all must fit.
    fn width(&self, at: usize) -> u32 {
        self.before[self.until[at] as usize] - self.before[at]
    }
}

/// Where an anchor is, and how lines are indented there.
struct Anchor {
    line: usize,
    column: u32,
    indent: u32,
}

/// A group that is open.
struct Frame {
    mode: Mode,
    /// [`Printer::breaks`] at its last line.
    breaks: u32,
}

#[derive(Clone, Copy)]
enum Mode {
    /// No line ends before this place.
    Flat(u32),
    Broken,
    Fill,
}

/// A comment behind code, which is written when it is known whether it is one of a column of comments.
struct Trailing {
    lo: u32,
    hi: u32,
    /// Where it belongs in the output.
    at: usize,
    /// The line it is on, and the width of what is before it.
    line: usize,
    column: u32,
    /// Its column in the source.
    source_column: u32,
}

struct Printer<'a> {
    source: &'a str,
    out: String,
    indents: Vec<u32>,
    frames: Vec<Frame>,
    anchors: Vec<Anchor>,
    /// The number of lines that ended because something did not fit.
    breaks: u32,
    column: u32,
    /// A space is due before the next text.
    space: bool,
    /// Nothing but the line break has been written of this line.
    at_start: bool,
    line: usize,
    trailing: Vec<Trailing>,
}

impl Printer<'_> {
    fn op(&mut self, at: usize, op: Op, measures: &Measures) {
        match op {
            Op::Text { lo, hi } => {
                self.start_text();
                let text = &self.source[lo as usize..hi as usize];
                self.out.push_str(text);
                self.column += text.chars().count() as u32;
            }
            Op::Space => self.space = true,
            Op::Line(line) => self.line(at, line, measures),
            Op::Begin { group, forced } => {
                let mode = match group {
                    Group::Fill => Mode::Fill,
                    Group::Together if self.fits(measures.width(at)) => Mode::Flat(measures.until[at]),
                    Group::Together if forced => Mode::Fill,
                    Group::Together => Mode::Broken,
                };
                self.frames.push(Frame { mode, breaks: self.breaks });
            }
            Op::End => drop(self.frames.pop()),
            Op::Indent(by) => self.indents.push(self.indent().saturating_add_signed(by)),
            Op::Align => self.indents.push(self.next_column()),
            Op::Pop => drop(self.indents.pop()),
            Op::Anchor => {
                self.anchors.push(Anchor { line: self.line, column: self.next_column(), indent: self.indent() });
            }
            Op::Loose => drop(self.anchors.pop()),
            Op::Hang { always } => {
                let here = self.next_column();
                let anchor = self.anchor().filter(|_| always || here > FAR);
                self.indents.push(anchor.map_or(here, |anchor| anchor.column));
            }
            Op::HangBlock => self.indents.push(self.anchor().map_or(self.indent(), |anchor| anchor.indent)),
            Op::Comment { lo, hi, pinned } => {
                match pinned {
                    Some(Pin::Margin) => self.column = 0,
                    Some(Pin::Indented) => self.column = self.column.max(2),
                    None => {}
                }
                self.start_text();
                self.out.push_str(comment(self.source, lo, hi));
            }
            Op::Trailing { lo, hi } => {
                let start = self.source[..lo as usize].rfind('\n').map_or(0, |at| at + 1);
                let source_column = self.source[start..lo as usize].chars().count() as u32;
                // A line that goes on with the comment of the one before has nothing else.
                let column = if self.at_start { 0 } else { self.column };
                let (at, line) = (self.out.len(), self.line);
                self.trailing.push(Trailing { lo, hi, at, line, column, source_column });
            }
            Op::Hug => {}
        }
    }

    /// The last anchor, if it is on this line.
    fn anchor(&self) -> Option<&Anchor> {
        self.anchors.last().filter(|anchor| anchor.line == self.line)
    }

    fn indent(&self) -> u32 {
        self.indents.last().copied().unwrap_or(0)
    }

    /// The column of the next text.
    fn next_column(&self) -> u32 {
        self.column + u32::from(self.space && !self.at_start)
    }

    fn fits(&self, width: u32) -> bool {
        self.next_column().saturating_add(width) <= WIDTH
    }

    fn start_text(&mut self) {
        if self.at_start {
            self.out.extend(std::iter::repeat_n(' ', self.column as usize));
            self.at_start = false;
        } else if self.space {
            self.out.push(' ');
            self.column += 1;
        }
        self.space = false;
    }

    fn line(&mut self, at: usize, line: Line, measures: &Measures) {
        let mode = self.frames.last().map_or(Mode::Fill, |frame| frame.mode);
        // Behind something that did not fit on a line, a new one begins.
        let is_behind_break = self.frames.last().is_some_and(|frame| frame.breaks < self.breaks);
        let ends = line.ends != Ends::IfNeeded
            || match mode {
                Mode::Flat(until) if (at as u32) < until => false,
                Mode::Broken => true,
                _ => is_behind_break || !self.fits(measures.width(at)),
            };
        if ends && line.ends == Ends::IfNeeded {
            self.breaks += 1;
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.breaks = self.breaks;
        }
        if let Some(by) = line.indent {
            let by = if ends { by } else { 0 };
            self.indents.push(self.indent().saturating_add_signed(by));
        }
        if !ends {
            self.space |= line.space;
            return;
        }
        self.out.push('\n');
        self.line += 1;
        if line.ends == Ends::WithBlank {
            self.out.push('\n');
            self.line += 1;
        }
        self.column = self.indent().min(MAX_INDENT);
        self.at_start = true;
        self.space = false;
    }

    /// Writes the comments behind code. Those of lines that follow one another stay in a column if they were in one.
    fn finish(self) -> String {
        let mut out = String::with_capacity(self.out.len() + self.out.len() / 8);
        let mut copied = 0;
        let together = |a: &Trailing, b: &Trailing| b.line == a.line + 1 && b.source_column == a.source_column;
        for column_of_comments in self.trailing.chunk_by(together) {
            let column = column_of_comments.iter().map(|comment| comment.column).max().unwrap_or(0) + 1;
            for &Trailing { lo, hi, at, column: before, .. } in column_of_comments {
                out.push_str(&self.out[copied..at]);
                out.extend(std::iter::repeat_n(' ', (column - before) as usize));
                out.push_str(comment(self.source, lo, hi));
                copied = at;
            }
        }
        out.push_str(&self.out[copied..]);
        out
    }
}

fn comment(source: &str, lo: u32, hi: u32) -> &str {
    source[lo as usize..hi as usize].trim_end_matches(BLANKS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Tape;

    /// Prints a document in which `a…z` are texts of the source, and the rest is as below.
    fn printed(source: &str, build: impl FnOnce(&mut Tape)) -> String {
        let mut tape = Tape::default();
        build(&mut tape);
        print(source, &tape.ops)
    }

    fn text(tape: &mut Tape, lo: u32, hi: u32) {
        tape.push(Op::Text { lo, hi });
    }

    const SPACE: Line = Line { space: true, ends: Ends::IfNeeded, indent: None };

    #[test]
    fn a_group_breaks_together_or_where_needed() {
        let source = "x".repeat(100);
        let three = |group: Group, width: u32| {
            printed(&source, |tape| {
                tape.begin(group);
                tape.push(Op::Indent(1));
                for at in 0..3 {
                    if at > 0 {
                        tape.line(SPACE);
                    }
                    text(tape, 0, width);
                }
                tape.push(Op::Pop);
                tape.end();
            })
        };
        let x = |n: usize| "x".repeat(n);
        assert_eq!(three(Group::Together, 26), format!("{} {} {}", x(26), x(26), x(26)));
        assert_eq!(three(Group::Together, 27), format!("{}\n {}\n {}", x(27), x(27), x(27)));
        assert_eq!(three(Group::Fill, 27), format!("{} {}\n {}", x(27), x(27), x(27)));
        assert_eq!(three(Group::Fill, 90), format!("{}\n {}\n {}", x(90), x(90), x(90)));
    }

    #[test]
    fn a_group_that_the_author_broke_breaks_where_needed() {
        let broken = printed("abc", |tape| {
            tape.begin(Group::Together);
            text(tape, 0, 1);
            tape.line(SPACE);
            text(tape, 1, 2);
            tape.line(Line { ends: Ends::WithBlank, ..SPACE });
            text(tape, 2, 3);
            tape.end();
        });
        assert_eq!(broken, "a b\n\nc");
    }

    #[test]
    fn what_follows_a_group_must_fit_with_it() {
        let source = "x".repeat(80);
        let followed = |width: u32| {
            printed(&source, |tape| {
                tape.begin(Group::Together);
                text(tape, 0, 40);
                tape.line(SPACE);
                text(tape, 0, width);
                tape.end();
                text(tape, 0, 10);
                tape.line(SPACE);
                text(tape, 0, 1);
            })
        };
        assert_eq!(followed(29).lines().map(str::len).collect::<Vec<_>>(), [80, 1]);
        assert_eq!(followed(30).lines().map(str::len).collect::<Vec<_>>(), [40, 42]);
    }

    #[test]
    fn comments_stay_in_their_column() {
        // Both comments are in column 4 of the source, and the third is not.
        let source = "aa  -- x\nb   -- y  \nc -- z";
        let out = printed(source, |tape| {
            for (lo, comment) in [(0, 4), (9, 13), (20, 22)] {
                text(tape, lo, lo + 2);
                tape.push(Op::Trailing { lo: comment, hi: comment + if lo == 9 { 6 } else { 4 } });
                tape.line(Line { ends: Ends::Always, ..SPACE });
            }
        });
        assert_eq!(out, "aa -- x\nb  -- y\nc  -- z\n");
    }
}
