//! The sequence of choices that a program is made from.

use kenaz_base::Rng;

/// A source of bounded numbers that remembers them: random ones, or those of an earlier run.
///
/// Replaying what was recorded gives the same numbers again. A changed sequence is just as good: numbers that are too
/// large are lowered to their bound, and after the end come zeros.
#[derive(Clone, Debug)]
pub struct Choices {
    made: Vec<u64>,
    spans: Vec<Span>,
    source: Source,
}

/// The choices that made one part of a program, such as an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    /// Parts of the same kind can stand for one another.
    pub kind: &'static str,
}

#[derive(Clone, Debug)]
enum Source {
    Random(Rng),
    Replay(Vec<u64>),
}

/// After so many choices only zeros follow, which end every program soon.
const MOST: usize = 20_000;

impl Choices {
    pub fn random(seed: u64) -> Choices {
        Choices { made: Vec::new(), spans: Vec::new(), source: Source::Random(Rng::new(seed)) }
    }

    pub fn replay(choices: &[u64]) -> Choices {
        Choices { made: Vec::new(), spans: Vec::new(), source: Source::Replay(choices.to_vec()) }
    }

    /// Less than `n`, and 0 when there is no such number.
    pub fn below(&mut self, n: usize) -> usize {
        let bound = (n as u64).max(1);
        let drawn = match &mut self.source {
            _ if self.made.len() >= MOST => 0,
            Source::Random(rng) => rng.below(n) as u64,
            Source::Replay(choices) => choices.get(self.made.len()).map_or(0, |&drawn| drawn.min(bound - 1)),
        };
        self.made.push(drawn);
        drawn as usize
    }

    /// A number that is already known, less than `n`, as if it had been drawn.
    pub fn given(&mut self, number: usize, n: usize) -> usize {
        let number = number.min(n - 1);
        self.made.push(number as u64);
        number
    }

    /// True once in `n` times; the simpler answer is no.
    pub fn chance(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// False once in `n` times: whether a list goes on. The simpler answer is no.
    pub fn more(&mut self, n: usize) -> bool {
        self.below(n) != 0
    }

    /// The position of one of the weights. Earlier ones are simpler.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut drawn = self.below(weights.iter().sum());
        for (i, &weight) in weights.iter().enumerate() {
            if drawn < weight {
                return i;
            }
            drawn -= weight;
        }
        0
    }

    /// One of a list that is not empty.
    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// Where a part begins, for [`Choices::close`].
    pub fn open(&self) -> usize {
        self.made.len()
    }

    pub fn close(&mut self, start: usize, kind: &'static str) {
        let end = self.made.len();
        if end > start {
            self.spans.push(Span { start, end, kind });
        }
    }

    /// All choices so far, without the zeros at the end, and the spans of the parts, inner ones before outer ones.
    pub fn finish(mut self) -> (Vec<u64>, Vec<Span>) {
        let end = self.made.iter().rposition(|&choice| choice != 0).map_or(0, |last| last + 1);
        self.made.truncate(end);
        self.spans.retain(|span| span.start < end);
        for span in &mut self.spans {
            span.end = span.end.min(end);
        }
        (self.made, self.spans)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_can_be_replayed() {
        let mut random = Choices::random(7);
        let drawn: Vec<usize> = (1..50).map(|n| random.below(n)).collect();
        let mut again = Choices::replay(&random.finish().0);
        assert_eq!(drawn, (1..50).map(|n| again.below(n)).collect::<Vec<_>>());
    }

    #[test]
    fn any_sequence_can_be_replayed() {
        let mut choices = Choices::replay(&[9, 1]);
        assert_eq!([choices.below(4), choices.below(4), choices.below(4)], [3, 1, 0]);
        assert_eq!(choices.finish().0, [3, 1]);
    }

    #[test]
    fn zero_is_the_first_of_the_alternatives() {
        let mut choices = Choices::replay(&[]);
        assert_eq!(choices.weighted(&[0, 2, 1]), 1);
        assert!(!choices.chance(3));
        assert!(!choices.more(3));
        assert_eq!(choices.pick(&['a', 'b']), 'a');
        let mut choices = Choices::replay(&[2, 2]);
        assert_eq!(choices.weighted(&[0, 2, 1]), 2);
        assert!(choices.chance(3));
    }

    #[test]
    fn spans_are_kept_inside_the_sequence() {
        let mut choices = Choices::replay(&[1, 1]);
        let outer = choices.open();
        choices.below(2);
        let inner = choices.open();
        choices.below(2);
        choices.below(2);
        choices.close(inner, "inner");
        choices.close(outer, "outer");
        let spans = choices.finish().1;
        assert_eq!(spans.iter().map(|s| (s.start, s.end)).collect::<Vec<_>>(), [(1, 2), (0, 2)]);
    }
}
