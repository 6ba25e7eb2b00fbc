//! Damaged data: files of values, in any format, with something wrong in them.

use kenaz_base::{Prim, Rng};
use kenaz_runtime::{EntryType, Format, Generator, ParamType, Reader, Tolerance, Value, ValueType, compare, write};
use std::io::Write as _;

/// A damaged value, its format and the type that it had.
pub struct Damaged {
    pub bytes: Vec<u8>,
    pub format: Format,
    pub ty: EntryType,
}

/// The same for the same seed, index and formats. One of sixteen is not damaged at all.
pub fn damaged(seed: u64, index: u64, formats: &[Format]) -> Damaged {
    let mut rng = Rng::nth(seed, index);
    let format = formats[rng.below(formats.len())];
    let (mut ty, values) = loop {
        let (ty, values) = some(format, &mut rng);
        if format.refuses(&ty).is_none() {
            break (ty, values);
        }
    };
    let mut bytes = Vec::new();
    if format == Format::Png && rng.chance(2) {
        bytes = picture(&mut rng);
        let (rank, prim) = [(2, Prim::U32), (3, Prim::U8), (3, Prim::U16)][rng.below(3)];
        ty = EntryType::plain(ParamType { rank, prim });
    } else {
        // A picture without pixels is no picture, and there is nothing to damage.
        let _ = write(&mut bytes, format, &ty, &values);
    }
    if !rng.chance(16) {
        (0..=rng.below(3)).for_each(|_| damage(&mut bytes, &mut rng));
        if format == Format::Png && rng.chance(2) {
            mend(&mut bytes);
        }
    }
    // Now and then another type is asked for.
    if rng.chance(8) {
        let part = rng.below(ty.parts.len());
        ty.parts[part].prim = Prim::ALL[rng.below(Prim::ALL.len())];
    }
    Damaged { bytes, format, ty }
}

/// A random value that a format might hold; its parts and their type.
fn some(format: Format, rng: &mut Rng) -> (EntryType, Vec<Value>) {
    let value = |rng: &mut Rng, shape: Vec<usize>| {
        let ty = ValueType { shape, prim: Prim::ALL[rng.below(Prim::ALL.len())] };
        Generator::new(rng.next()).value(&ty).unwrap_or_else(|| Value::vector(Vec::<u8>::new()))
    };
    if format == Format::Csv && rng.chance(2) {
        let names = ["x", "pos.x", "0"][..=rng.below(3)].iter().map(ToString::to_string).collect::<Vec<_>>();
        let rows = rng.below(4);
        let parts: Vec<Value> = names.iter().map(|_| value(rng, vec![rows])).collect();
        let types = parts.iter().map(ParamType::of).collect();
        return (EntryType { name: "[]t".to_string(), parts: types, names, transparent: false }, parts);
    }
    let rank = rng.below(4);
    let shape = (0..rank).map(|_| rng.below(5)).collect();
    let value = value(rng, shape);
    (EntryType::plain(ParamType::of(&value)), vec![value])
}

/// Reads damaged data as what it was and as what it seems to be. What is read without complaint must be the same
/// after it was written and read again, in every format that can hold it. Whether the data is right, or what differs.
pub fn check(data: &Damaged) -> Result<bool, String> {
    let Damaged { bytes, format, ty } = data;
    for reader in [Reader::new(&bytes[..]), Reader::with_format(&bytes[..], *format)] {
        let mut reader = reader;
        while let Ok(Some(value)) = reader.next_value() {
            check_writing(&EntryType::plain(ParamType::of(&value)), &[value])?;
        }
    }
    let mut reader = Reader::with_format(&bytes[..], *format);
    let Ok(parts) = reader.next_entry(ty) else { return Ok(false) };
    let types: Vec<ParamType> = parts.iter().map(ParamType::of).collect();
    if types != ty.parts {
        return Err(format!("a value of the types {types:?} was read"));
    }
    check_writing(ty, &parts)?;
    Ok(reader.finish().is_ok())
}

fn check_writing(ty: &EntryType, parts: &[Value]) -> Result<(), String> {
    for format in Format::ALL {
        let mut bytes = Vec::new();
        if write(&mut bytes, format, ty, parts).is_err() {
            continue;
        }
        let mut reader = Reader::with_format(&bytes[..], format);
        let again = reader.next_entry(ty).and_then(|again| reader.finish().map(|()| again));
        let again = again.map_err(|error| format!("as {format}: {error}"))?;
        for (part, again) in parts.iter().zip(&again) {
            let is_lost = match format {
                // A table without rows does not say how many columns it would have.
                Format::Csv => part.data().is_empty() && again.data().is_empty(),
                // Greys have 256 steps, and a picture without alpha is opaque.
                Format::Png => true,
                Format::Text | Format::Binary | Format::Npy => false,
            };
            if !is_lost {
                compare(part, again, &Tolerance::EXACT).map_err(|difference| format!("as {format}: {difference}"))?;
            }
        }
    }
    Ok(())
}

/// A small picture of any kind, such as we do not write: with palettes, interlaced, with few bits, of two parts.
fn picture(rng: &mut Rng) -> Vec<u8> {
    const KINDS: [(u8, &[u8]); 5] =
        [(0, &[1, 2, 4, 8, 16]), (2, &[8, 16]), (3, &[1, 2, 4, 8]), (4, &[8, 16]), (6, &[8, 16])];
    let (color, depths) = KINDS[rng.below(KINDS.len())];
    let (width, height) = (1 + rng.below(10), 1 + rng.below(10));
    let header = [
        &(width as u32).to_be_bytes()[..],
        &(height as u32).to_be_bytes(),
        &[depths[rng.below(depths.len())], color, 0, 0, u8::from(rng.chance(2))],
    ];
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &header.concat());
    if color == 3 {
        let palette: Vec<u8> = (0..3 * (1 + rng.below(8))).map(|_| rng.below(256) as u8).collect();
        chunk(&mut file, b"PLTE", &palette);
    }
    if color < 4 && rng.chance(3) {
        let length = [2, 0, 6, 1][usize::from(color)];
        chunk(&mut file, b"tRNS", &[0, 1, 0, 2, 0, 3][..length]);
    }
    // Each of these bytes is a filter as well as a sample, so that it does not matter where rows begin; there are
    // enough.
    let rows: Vec<u8> = (0..2 * height * (8 * width + 8)).map(|_| rng.below(5) as u8).collect();
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let rows = encoder.write_all(&rows).and_then(|()| encoder.finish()).unwrap_or_default();
    let (first, second) = rows.split_at(rng.below(rows.len()));
    chunk(&mut file, b"IDAT", first);
    chunk(&mut file, b"IDAT", second);
    chunk(&mut file, b"IEND", b"");
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let mut sum = flate2::Crc::new();
    for part in [&kind[..], data] {
        file.extend_from_slice(part);
        sum.update(part);
    }
    file.extend(sum.sum().to_be_bytes());
}

/// Gives the chunks of a picture the checksums that they should have, so that more than these is looked at.
fn mend(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4) {
        let length = length.iter().fold(0, |number, byte| number << 8 | usize::from(*byte));
        let Some(body) = bytes.get(at + 4..at + 8 + length) else { break };
        let mut sum = flate2::Crc::new();
        sum.update(body);
        let end = at + 8 + length;
        let Some(place) = bytes.get_mut(end..end + 4) else { break };
        place.copy_from_slice(&sum.sum().to_be_bytes());
        at = end + 4;
    }
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
        b"\r\n",
        b";",
        b"x,0\n",
        b",,",
        b"\x93NUMPY\x01\0",
        b"'<f4'",
        b"'>i8'",
        b"'|O'",
        b"True",
        b"(1099511627776,)",
        b"()",
        b"\x89PNG\r\n\x1a\n",
        b"IDAT",
        b"IEND\xaeB`\x82",
        b"\0\0\0\x01\0\0\0\x01\x08\x06\0\0\x01",
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

    #[test]
    fn some_are_read_and_some_are_not() {
        for format in Format::ALL {
            let read = (0..1000).filter(|index| check(&damaged(1, *index, &[format])).unwrap()).count();
            assert!((50..900).contains(&read), "{format}: {read}");
        }
    }

    /// Most pictures that were made by hand are right.
    #[test]
    fn pictures_are_read() {
        let mut rng = Rng::new(1);
        let is_read = |_: &i32| Reader::new(&picture(&mut rng)[..]).next_value().is_ok();
        let read = (0..500).filter(is_read).count();
        assert!(read > 400, "{read}");
    }
}
