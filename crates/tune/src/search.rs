//! Which candidates are measured, and in which order.
//!
//! 1. Each choice alone, those first of which the model thinks most, once.
//! 2. The better half again, with twice as many rounds, and so on (successive halving).
//! 3. The best choice, with each of the other good ones added to it as long as that helps.
//! 4. What is left of the time: the best candidate with something added, removed or exchanged at random.
//!
//! In the end the winner runs in turns with the untuned program once more, for long; it must be faster.

use crate::space::{Candidate, Choice};

/// Something that measures candidates.
pub trait Judge {
    /// The time of a candidate over that of the untuned program, measured in at least so many rounds by now; none if it
    /// cannot be used.
    fn ratio(&mut self, candidate: &Candidate, rounds: usize) -> Option<f64>;
    /// The same in so many new rounds, whatever was measured before.
    fn again(&mut self, candidate: &Candidate, rounds: usize) -> Option<f64>;
    /// How much of the time is left, from 1 down to 0.
    fn left(&self) -> f64;
}

/// The part of the time that is left when a step ends.
const AFTER_SINGLES: f64 = 0.45;
const AFTER_HALVING: f64 = 0.35;
const AFTER_COMBINING: f64 = 0.2;
const AFTER_CHANCE: f64 = 0.05;
/// A ratio that is worth a second look, although it says that nothing is gained.
const PROMISING: f64 = 1.03;
/// How much better a candidate must be than the best one before it.
const BETTER: f64 = 0.99;
/// How often chance may fail in a row.
const MOST_FAILURES: usize = 40;
/// Rounds of a comparison that decides.
const THOROUGH: usize = 8;

/// The best candidate that was found, and its ratio; the empty one with the ratio 1 if none is faster.
pub fn search(choices: &[Choice], judge: &mut impl Judge, seed: u64) -> (Candidate, f64) {
    let one = |i: usize| Candidate([i].into());
    let mut alone: Vec<(usize, f64)> = Vec::new();
    for i in 0..choices.len() {
        if judge.left() < AFTER_SINGLES {
            break;
        }
        alone.extend(judge.ratio(&one(i), 1).map(|ratio| (i, ratio)));
    }
    sort(&mut alone);
    let mut survivors = alone.clone();
    let mut rounds = 2;
    while survivors.len() > 1 && rounds <= THOROUGH && judge.left() > AFTER_HALVING {
        survivors.retain(|(_, ratio)| *ratio < PROMISING);
        survivors.truncate(alone.len().div_ceil(rounds).max(4));
        for (i, ratio) in &mut survivors {
            if let Some(again) = judge.ratio(&one(*i), rounds) {
                *ratio = again;
            }
        }
        sort(&mut survivors);
        rounds *= 2;
    }
    let (mut best, mut least) = (Candidate::default(), 1.0);
    for (i, _) in &survivors {
        if judge.left() < AFTER_COMBINING {
            break;
        }
        let Some(more) = with(&best, *i, choices) else { continue };
        if let Some(ratio) = judge.ratio(&more, THOROUGH / 2).filter(|ratio| *ratio < least * BETTER) {
            (best, least) = (more, ratio);
        }
    }
    let pool: Vec<usize> = alone.iter().filter(|(_, ratio)| *ratio < 2.0).map(|(i, _)| *i).collect();
    let mut chance = Chance(seed);
    let mut failures = 0;
    while judge.left() > AFTER_CHANCE && failures < MOST_FAILURES && pool.len() > 1 {
        let other = changed(&best, &pool, choices, &mut chance);
        let promising = judge.ratio(&other, 1).filter(|ratio| *ratio < least * PROMISING);
        match promising.and_then(|_| judge.ratio(&other, THOROUGH / 2)).filter(|ratio| *ratio < least * BETTER) {
            Some(ratio) => (best, least, failures) = (other, ratio, 0),
            None => failures += 1,
        }
    }
    if best.0.is_empty() {
        return (best, 1.0);
    }
    match judge.again(&best, THOROUGH).filter(|ratio| *ratio < BETTER) {
        Some(ratio) => (best, ratio),
        None => (Candidate::default(), 1.0),
    }
}

fn sort(ratios: &mut [(usize, f64)]) {
    ratios.sort_by(|a, b| a.1.total_cmp(&b.1));
}

/// A candidate with a choice at an operator about which it says nothing.
fn with(candidate: &Candidate, i: usize, choices: &[Choice]) -> Option<Candidate> {
    let is_free = candidate.0.iter().all(|j| choices[*j].site != choices[i].site);
    is_free.then(|| Candidate(candidate.0.iter().copied().chain([i]).collect()))
}

/// A candidate with something added, removed or exchanged.
fn changed(candidate: &Candidate, pool: &[usize], choices: &[Choice], chance: &mut Chance) -> Candidate {
    let mut other = candidate.clone();
    if !other.0.is_empty() && chance.below(3) == 0 {
        let gone = other.0.iter().copied().nth(chance.below(other.0.len()));
        other.0.retain(|i| Some(*i) != gone);
    }
    let more = pool[chance.below(pool.len())];
    other.0.retain(|i| choices[*i].site != choices[more].site);
    other.0.insert(more);
    other
}

/// Numbers that look like chance, the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % n.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Attr;
    use std::collections::BTreeSet;

    /// A world in which the time of each candidate is known.
    struct World<'a> {
        time: &'a dyn Fn(&BTreeSet<usize>) -> Option<f64>,
        spent: usize,
        budget: usize,
    }

    impl Judge for World<'_> {
        fn ratio(&mut self, candidate: &Candidate, rounds: usize) -> Option<f64> {
            self.spent += rounds;
            (self.time)(&candidate.0)
        }

        fn again(&mut self, candidate: &Candidate, rounds: usize) -> Option<f64> {
            self.ratio(candidate, rounds)
        }

        fn left(&self) -> f64 {
            1.0 - self.spent as f64 / self.budget as f64
        }
    }

    /// Two choices at each of some operators.
    fn choices(sites: usize) -> Vec<Choice> {
        let choice = |i: usize| Choice {
            site: i / 2,
            attribute: Attr::Source,
            position: String::new(),
            text: String::new(),
            model: i as f64,
        };
        (0..2 * sites).map(choice).collect()
    }

    fn found(sites: usize, budget: usize, time: &dyn Fn(&BTreeSet<usize>) -> Option<f64>) -> (Vec<usize>, f64) {
        let (best, ratio) = search(&choices(sites), &mut World { time, spent: 0, budget }, 1);
        (best.0.into_iter().collect(), ratio)
    }

    #[test]
    fn choices_that_help_are_combined() {
        let time = |chosen: &BTreeSet<usize>| {
            let gain = |i: usize, factor: f64| if chosen.contains(&i) { factor } else { 1.0 };
            Some(gain(1, 0.8) * gain(2, 1.5) * gain(4, 0.9) * gain(7, 0.95))
        };
        let (best, ratio) = found(4, 400, &time);
        assert_eq!(best, [1, 4, 7]);
        assert!((ratio - 0.8 * 0.9 * 0.95).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_chosen_where_nothing_helps() {
        assert_eq!(found(4, 400, &|chosen| Some(1.0 + chosen.len() as f64 / 10.0)), (vec![], 1.0));
        assert_eq!(found(4, 400, &|chosen| Some(1.0 - chosen.len() as f64 / 10_000.0)), (vec![], 1.0));
        assert_eq!(found(0, 400, &|_| Some(0.5)), (vec![], 1.0));
    }

    #[test]
    fn what_cannot_be_used_is_never_chosen() {
        let time =
            |chosen: &BTreeSet<usize>| (!chosen.contains(&3)).then_some(if chosen.contains(&0) { 0.7 } else { 1.0 });
        assert_eq!(found(3, 400, &time).0, [0]);
    }

    #[test]
    fn choices_that_help_only_together_are_found_by_chance() {
        let time = |chosen: &BTreeSet<usize>| Some(if chosen.contains(&1) && chosen.contains(&2) { 0.5 } else { 1.0 });
        // The first alone is no worse than nothing, so that chance has to find both: it starts from nothing again and
        // again, and exchanges one of at most one choice.
        let time_of_first = |chosen: &BTreeSet<usize>| {
            let first = if chosen.contains(&1) { 0.98 } else { 1.0 };
            Some(time(chosen).unwrap_or(1.0) * first)
        };
        assert_eq!(found(3, 2000, &time_of_first).0, [1, 2]);
    }

    #[test]
    fn the_time_is_kept() {
        let mut world = World { time: &|_| Some(1.0), spent: 0, budget: 50 };
        search(&choices(100), &mut world, 1);
        assert!(world.spent <= 60, "{} rounds", world.spent);
    }

    #[test]
    fn the_last_comparison_decides() {
        // A candidate that was lucky until it ran for long.
        let seen = std::cell::Cell::new(0);
        let time = |chosen: &BTreeSet<usize>| {
            seen.set(seen.get() + 1);
            Some(if chosen.contains(&0) && seen.get() < 30 { 0.5 } else { 1.0 })
        };
        assert_eq!(found(1, 300, &time), (vec![], 1.0));
    }
}
