//! Making programs smaller while something about them stays true.

use crate::choices::{Choices, Span};
use crate::program::{Program, make};
use std::cmp::Ordering;

/// How many programs are tried at most.
pub const MOST_ATTEMPTS: usize = 4_000;

/// A program as small as can be found that is still interesting, which the given one must be.
///
/// Its choices are made fewer, then lower: spans of parts are left out, replaced by parts inside them, or set to zero;
/// then single choices are lowered. Every change that helps is kept. It ends when none does, or after
/// [`MOST_ATTEMPTS`].
pub fn shrink(program: Program, interesting: impl FnMut(&Program) -> bool) -> Program {
    let (program, spans) = make(Choices::replay(&program.choices), None);
    let mut shrinker = Shrinker { best: program, spans, interesting, attempts: 0 };
    loop {
        let before = shrinker.best.choices.clone();
        shrinker.remove_spans();
        shrinker.hoist();
        shrinker.remove_runs();
        shrinker.lower();
        if shrinker.best.choices == before || shrinker.attempts >= MOST_ATTEMPTS {
            return shrinker.best;
        }
    }
}

struct Shrinker<F> {
    best: Program,
    spans: Vec<Span>,
    interesting: F,
    attempts: usize,
}

impl<F: FnMut(&Program) -> bool> Shrinker<F> {
    /// Takes over what some choices make, if that is simpler and interesting.
    fn attempt(&mut self, choices: &[u64]) -> bool {
        if self.attempts >= MOST_ATTEMPTS || simplicity(choices, &self.best.choices) != Ordering::Less {
            return false;
        }
        let (program, spans) = make(Choices::replay(choices), None);
        // Choices that were missing may have been added.
        if simplicity(&program.choices, &self.best.choices) != Ordering::Less {
            return false;
        }
        self.attempts += 1;
        let accepted = (self.interesting)(&program);
        if accepted {
            self.best = program;
            self.spans = spans;
        }
        accepted
    }

    fn replaced(&mut self, start: usize, end: usize, by: &[u64]) -> bool {
        let choices = &self.best.choices;
        if end > choices.len() {
            return false;
        }
        let changed = [&choices[..start], by, &choices[end..]].concat();
        self.attempt(&changed)
    }

    /// Leaves out parts or makes them the simplest of their kind, the longest first.
    fn remove_spans(&mut self) {
        let mut tried = 0;
        loop {
            let mut spans = self.spans.clone();
            spans.sort_by_key(|span| (std::cmp::Reverse(span.end - span.start), span.start));
            let Some(span) = spans.get(tried) else { return };
            // A list asks before every part whether there is one, so that choice goes too.
            let before = span.start.saturating_sub(1);
            let zeros = vec![0; span.end - span.start];
            let done = self.replaced(span.start, span.end, &[])
                || self.replaced(before, span.end, &[])
                || self.replaced(span.start, span.end, &[0])
                || self.replaced(span.start, span.end, &zeros);
            if !done {
                tried += 1;
            }
            if self.attempts >= MOST_ATTEMPTS {
                return;
            }
        }
    }

    /// Replaces parts by parts of the same kind inside them.
    fn hoist(&mut self) {
        let mut tried = 0;
        while let Some(&outer) = self.spans.get(self.spans.len().wrapping_sub(1 + tried)) {
            let inner: Vec<Span> = self
                .spans
                .iter()
                .filter(|inner| {
                    inner.kind == outer.kind
                        && inner.start > outer.start
                        && inner.end <= outer.end
                        && inner.end <= self.best.choices.len()
                })
                .copied()
                .take(20)
                .collect();
            let done = inner.iter().any(|inner| {
                let by = self.best.choices[inner.start..inner.end].to_vec();
                self.replaced(outer.start, outer.end, &by)
            });
            if !done {
                tried += 1;
            }
        }
    }

    /// Leaves out some choices in a row.
    fn remove_runs(&mut self) {
        for length in [64, 16, 8, 7, 6, 5, 4, 3, 2, 1] {
            // Short runs are tried everywhere, long ones side by side.
            let step = if length > 8 { length } else { 1 };
            let mut start = self.best.choices.len();
            while start >= step {
                start -= step;
                self.replaced(start, start + length, &[]);
                start = start.min(self.best.choices.len());
            }
        }
    }

    /// Lowers single choices as far as possible.
    fn lower(&mut self) {
        let mut i = 0;
        while let Some(&choice) = self.best.choices.get(i) {
            let mut candidates = vec![0, 1, choice / 2, choice.saturating_sub(1)];
            candidates.retain(|&candidate| candidate < choice);
            candidates.dedup();
            for candidate in candidates {
                if self.replaced(i, i + 1, &[candidate]) {
                    break;
                }
            }
            i += 1;
        }
    }
}

/// Fewer choices are simpler, and of as many the lower ones.
fn simplicity(left: &[u64], right: &[u64]) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}
