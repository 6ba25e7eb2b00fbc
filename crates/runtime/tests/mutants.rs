//! Damaged data gives an error or a value, never a panic, and memory is not taken on the word of a header.

use kenaz_base::Prim;
use kenaz_base::Rng;
use kenaz_runtime::{
    EntryType, Format, Generator, ParamType, Reader, Tolerance, Value, ValueType, WriteError, compare, write,
    write_binary, write_text,
};
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

fn written(format: Format, value: &Value) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let ty = EntryType::plain(ParamType::of(value));
    match write(&mut bytes, format, &ty, std::slice::from_ref(value)) {
        Ok(()) => Some(bytes),
        Err(WriteError::Unfit(_)) => None,
        Err(WriteError::Io(error)) => panic!("{error}"),
    }
}

fn read(format: Format, bytes: &[u8], wanted: ParamType) -> Result<Value, String> {
    let mut reader = Reader::with_format(bytes, format);
    let value = reader.next_of(wanted).map_err(|error| error.to_string())?;
    reader.finish().map_err(|error| error.to_string())?;
    Ok(value)
}

/// Each format gives back each value that it can hold.
#[test]
fn there_and_back_in_every_format() {
    let mut rng = Rng::new(5);
    let mut counts = Format::ALL.map(|_| 0);
    for round in 0..2000 {
        let prim = Prim::ALL[round % Prim::ALL.len()];
        let mut shape: Vec<usize> = (0..rng.below(4)).map(|_| rng.below(5)).collect();
        if let [_, _, last] = &mut shape[..]
            && rng.chance(2)
        {
            *last = 3;
        }
        let ty = ValueType { shape, prim };
        let value = Generator::new(round as u64).value(&ty).unwrap();
        for (format, count) in Format::ALL.into_iter().zip(&mut counts) {
            let Some(bytes) = written(format, &value) else { continue };
            let again = read(format, &bytes, ParamType::of(&value)).unwrap_or_else(|error| panic!("{format}: {error}"));
            *count += 1;
            match format {
                // A table without rows does not say how many columns it would have.
                Format::Csv if value.data().is_empty() => assert!(again.data().is_empty()),
                // Greys have 256 steps.
                Format::Png if prim.is_float() => assert_eq!(written(format, &again).unwrap(), bytes),
                _ => assert_eq!(compare(&value, &again, &Tolerance::EXACT), Ok(()), "{format}"),
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

/// Small files: each format as we write it, and what others write.
fn small_files() -> Vec<(Format, ParamType, Vec<u8>)> {
    let mut files = Vec::new();
    for (ty, seed) in ["u8", "[3]f32", "[2][3]u32", "[2][2]bool", "[2][3][3]u8", "[3][2]u16"].iter().zip(1..) {
        let value = Generator::new(seed).value(&ty.parse().unwrap()).unwrap();
        for format in Format::ALL {
            files.extend(written(format, &value).map(|bytes| (format, ParamType::of(&value), bytes)));
        }
    }
    let doubles: ParamType = "[][]f64".parse().unwrap();
    files.push((Format::Csv, doubles, b"\"a\"\"b\", c\r\n1,-inf\r\n\r\n 2e5,\"+3\"\r\n".to_vec()));
    let mut npy = b"\x93NUMPY\x02\0\x45\0\0\0".to_vec();
    npy.extend(b"{'descr': '>f8', 'fortran_order': True, 'shape': (2, 1), }          \n");
    npy.extend([1.5f64.to_be_bytes(), 2.5f64.to_be_bytes()].concat());
    files.push((Format::Npy, doubles, npy));
    files
}

/// Cut at each byte, with each bit flipped, and with each byte as large as it can be.
#[test]
fn damage_at_each_byte() {
    let (mut right, mut wrong) = (0, 0);
    for (format, ty, bytes) in small_files() {
        assert!(read(format, &bytes, ty).is_ok(), "{format} {ty}");
        let cuts = (0..bytes.len()).map(|at| bytes[..at].to_vec());
        let changes = (0..bytes.len()).flat_map(|at| {
            let bits = (0..8).map(move |bit| 1 << bit).chain([0xff]);
            let bytes = &bytes;
            bits.map(move |change| {
                let mut changed = bytes.clone();
                changed[at] = if change == 0xff { 0xff } else { changed[at] ^ change };
                changed
            })
        });
        for damaged in cuts.chain(changes) {
            // In the format that it had, in the one that it seems to have, and as any type.
            let attempts = [
                read(format, &damaged, ty).ok(),
                Reader::new(&damaged[..]).next_value().ok().flatten(),
                Reader::with_format(&damaged[..], format).next_value().ok().flatten(),
            ];
            for value in attempts.iter().flatten() {
                read_again(value);
            }
            *if attempts[0].is_some() { &mut right } else { &mut wrong } += 1;
        }
    }
    assert!(right > 500 && wrong > 5000, "{right} right, {wrong} wrong");
}
