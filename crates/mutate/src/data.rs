//! Damaged data: texts and binary files of values with something wrong in them.

use kenaz_base::{Prim, Rng};
use kenaz_runtime::{Generator, ParamType, Value, ValueType, write_binary, write_text};

/// A damaged value, and the type that it had.
pub struct Damaged {
    pub bytes: Vec<u8>,
    pub ty: ParamType,
}

/// The same for the same seed and index. One of sixteen is not damaged at all.
pub fn damaged(seed: u64, index: u64) -> Damaged {
    let mut rng = Rng::nth(seed, index);
    let prim = Prim::ALL[rng.below(Prim::ALL.len())];
    let rank = rng.below(4);
    let shape: Vec<usize> = (0..rank).map(|_| rng.below(5)).collect();
    let ty = ValueType { shape, prim };
    let value = Generator::new(rng.next()).value(&ty);
    let mut bytes = value.map(|value| written(&value, &mut rng)).unwrap_or_default();
    if !rng.chance(16) {
        (0..=rng.below(3)).for_each(|_| damage(&mut bytes, &mut rng));
    }
    // Now and then another type is asked for.
    let prim = if rng.chance(8) { Prim::ALL[rng.below(Prim::ALL.len())] } else { prim };
    Damaged { bytes, ty: ParamType { rank, prim } }
}

/// Writing to memory does not fail.
fn written(value: &Value, rng: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    let result = if rng.chance(2) { write_binary(&mut bytes, value) } else { write_text(&mut bytes, value) };
    debug_assert!(result.is_ok(), "{result:?}");
    bytes
}

fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    const PIECES: &[&[u8]] = &[
        b"[",
        b"]",
        b",",
        b"-",
        b"\"",
        b".",
        b"(",
        b")",
        b"empty(",
        b"0x",
        b"e",
        b"_",
        b" ",
        b"\n",
        b"--",
        b"nan",
        b"f64.inf",
        b"99999999999999999999",
        b"1e999",
        b"i8",
        b"u64",
        b"\x00",
        b"\xff",
        b"\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"b\x02",
        b"\xef\xbb\xbf",
        b"\x01\x00\x00\x00\x00\x00\x00\x00",
        b" i32",
        b"bool",
        b"[[[[[[[[[[[[[[[[",
    ];
    let at = rng.below(bytes.len());
    let until = at + rng.below(bytes.len() - at.min(bytes.len()) + 1);
    let piece = PIECES[rng.below(PIECES.len())];
    match rng.below(7) {
        0 => bytes.truncate(at),
        1 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
        2 => drop(bytes.splice(at..at, piece.iter().copied())),
        3 => drop(bytes.splice(at..(at + piece.len()).min(bytes.len()), piece.iter().copied())),
        4 => drop(bytes.drain(at..until)),
        5 => {
            let twice = bytes[at..until].to_vec();
            bytes.splice(at..at, twice);
        }
        _ => bytes.extend_from_slice(piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_runtime::Reader;

    #[test]
    fn some_are_read_and_some_are_not() {
        let is_read = |index: &u64| {
            let Damaged { bytes, ty } = damaged(1, *index);
            Reader::new(&bytes[..]).next_of(ty).is_ok()
        };
        let read = (0..1000).filter(is_read).count();
        assert!((100..900).contains(&read), "{read}");
    }
}
