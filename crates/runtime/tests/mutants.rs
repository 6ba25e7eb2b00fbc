//! Damaged data gives an error or a value, never a panic, and memory is not taken on the word of a header.

use kenaz_base::Prim;
use kenaz_base::Rng;
use kenaz_runtime::{ParamType, Reader, Tolerance, Value, compare, write_binary, write_text};
use std::io::Write;

const TEXTS: [&str; 8] = [
    "1 -2i8 0xffu16 1_000 0b101i64 -- a comment\n 3.5f32 1e-3 -0x1.8p3f64 f16.nan -f32.inf true",
    "[1, 2, 3] [[1.5f32, 2], [3, 4]] [[[true]], [[false]]]",
    "empty([0]i32) empty([2][0][3]f64) empty( [0] bool )",
    "\"a string\\n\\x41\\\"\" [\"ab\", \"cd\"]",
    "[[1u8,\n2u8],\n[3u8,\n4u8],]",
    "18446744073709551615u64 -9223372036854775808i64 1e400 5e-324",
    "[f64.inf, -f64.inf, f64.nan, 1.0e-2]",
    "[[],[]] [] 1 2",
];

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = TEXTS.iter().map(|text| text.as_bytes().to_vec()).collect();
    for text in &TEXTS[..7] {
        let mut binary = Vec::new();
        for value in Reader::new(text.as_bytes()).rest().unwrap() {
            write_binary(&mut binary, &value).unwrap();
        }
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&binary).unwrap();
        seeds.push(encoder.finish().unwrap());
        seeds.push(binary);
    }
    seeds
}

fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    const PIECES: &[u8] = b"[],-\"\\.b()0e_x f\n\x02\xff\x00";
    let mut below = |n: usize| (rng.next() % n.max(1) as u64) as usize;
    for _ in 0..=below(3) {
        let at = below(bytes.len());
        match below(6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << below(8),
            2 if at < bytes.len() => bytes[at] = PIECES[below(PIECES.len())],
            3 => bytes.insert(at, PIECES[below(PIECES.len())]),
            4 if at < bytes.len() => drop(bytes.remove(at)),
            _ => {
                let until = at + below(bytes.len() - at);
                let piece = bytes[at..until].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
}

fn read_again(value: &Value) {
    let (mut text, mut binary) = (Vec::new(), Vec::new());
    write_text(&mut text, value).unwrap();
    write_binary(&mut binary, value).unwrap();
    let from_text = Reader::new(&text[..]).next_value().unwrap().unwrap();
    assert_eq!(compare(value, &from_text, &Tolerance::EXACT), Ok(()), "{value}");
    assert_eq!(Reader::new(&binary[..]).rest().unwrap(), std::slice::from_ref(value));
}

#[test]
fn damaged_data() {
    let seeds = seeds();
    let mut rng = Rng::new(3);
    let (mut right, mut wrong) = (0, 0);
    for round in 0..20_000 {
        let mut bytes = seeds[round % seeds.len()].clone();
        mutate(&mut bytes, &mut rng);
        match Reader::new(&bytes[..]).rest() {
            Ok(values) => {
                values.iter().for_each(read_again);
                right += 1;
            }
            Err(error) => {
                assert!(error.place.byte <= bytes.len() as u64 || bytes.starts_with(&[0x1f, 0x8b]), "{error}");
                wrong += 1;
            }
        }
        let prim = Prim::ALL[round % Prim::ALL.len()];
        let wanted = ParamType { rank: round % 3, prim };
        if let Ok(value) = Reader::new(&bytes[..]).next_of(wanted) {
            assert!(wanted.accepts(&value));
        }
    }
    // Both happen often, or the test tests nothing.
    assert!(right > 1000 && wrong > 1000, "{right} right, {wrong} wrong");
}
