//! Random numbers, the same for the same seed everywhere.

/// SplitMix64, by Steele, Lea and Flood.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// The generator of the `index`th thing that is made from a seed, whichever thread makes it.
    pub fn nth(seed: u64, index: u64) -> Rng {
        let start = Rng::new(seed).next();
        Rng::new(start ^ Rng::new(index).next())
    }

    #[expect(clippy::should_implement_trait, reason = "there is no end to iterate to")]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// At least 0 and less than 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Less than `n`, and 0 when there is no such number.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias is far below what anyone could notice.
        (self.next() % (n as u64).max(1)) as usize
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        let mut rng = Rng::new(1_234_567);
        assert_eq!([rng.next(), rng.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn nothing_to_pick_from() {
        assert_eq!(Rng::new(1).pick::<u8>(&[]), None);
        assert_eq!(Rng::new(1).below(0), 0);
    }
}
