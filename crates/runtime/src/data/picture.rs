//! Pictures in PNG. docs/data.md says which type holds which picture.
//!
//! Reading loses nothing: a picture is refused where the type that is wanted cannot hold all of it.

use super::source::Source;
use super::{Fault, Format, Problem, WriteError};
use crate::{Data, ParamType, Value, ValueType};
use kenaz_base::Prim;
use png::{BitDepth, ColorType, InterlaceInfo, Transformations};
use std::io::{Cursor, Write};

/// The types that pictures are read as, for messages.
pub(super) const READ: &str =
    "`[][]u32`, `[][]i32`, `[][]u8`, `[][]u16`, `[][]f32`, `[][]f64`, `[][]bool`, `[][][3]u8` or `[][][3]u16`";

/// What a picture can be, for messages.
pub(super) const HOLDS: &str = "a picture: `[][]u32`, `[][]i32`, `[][]u8`, `[][]u16`, `[][]f32`, `[][]f64`, \
                                `[][]bool`, `[][][3]u8` or `[][][3]u16`";

/// Larger pictures are refused: a file of a megabyte can blow up to a thousand times as much.
const MOST_PIXELS: u64 = 1 << 27;
const WIDEST: u32 = 1 << 20;

/// Whether values of this type can be pictures.
pub(super) fn holds(ty: ParamType) -> bool {
    match ty.rank {
        2 => matches!(ty.prim, Prim::U32 | Prim::I32 | Prim::U8 | Prim::U16 | Prim::F32 | Prim::F64 | Prim::Bool),
        3 => matches!(ty.prim, Prim::U8 | Prim::U16),
        _ => false,
    }
}

/// Reads a picture; the source stands before its signature.
pub(super) fn read(source: &mut Source<'_>, wanted: Option<ParamType>) -> Result<Value, Fault> {
    source.forget_lines();
    let start = source.offset();
    if let Some(wanted) = wanted.filter(|wanted| !holds(*wanted)) {
        return Err(Problem::PngType(wanted).at(start));
    }
    let file = chunks(source)?;
    let picture = Picture::decode(file).map_err(|problem| problem.at(start))?;
    picture.value(wanted).map_err(|problem| problem.at(start))
}

/// The chunks of a picture that its pixels need, as a file of their own; nothing is kept that is not there.
fn chunks(source: &mut Source<'_>) -> Result<Vec<u8>, Fault> {
    let magic: [u8; 8] = source.exactly()?;
    let mut file = magic.to_vec();
    let mut is_first = true;
    loop {
        let start = source.offset();
        let length: [u8; 4] = source.exactly()?;
        let kind: [u8; 4] = source.exactly()?;
        let length_value = u32::from_be_bytes(length);
        if is_first != (kind == *b"IHDR") || (is_first && length_value != 13) {
            return Err(Problem::Png("it does not begin with its size".to_string()).at(start));
        }
        is_first = false;
        let is_needed = matches!(&kind, b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" | b"IEND");
        // Capital letters are for what cannot be left out.
        if !is_needed && kind[0].is_ascii_uppercase() {
            return Err(Problem::Png(format!("it has a chunk `{}`", kind.escape_ascii())).at(start));
        }
        if is_needed {
            append(&mut file, &length, start)?;
            append(&mut file, &kind, start)?;
        }
        // With the checksum.
        let mut left = u64::from(length_value) + 4;
        while left > 0 {
            let chunk = source.chunk(1)?;
            let n = usize::try_from(left).map_or(chunk.len(), |left| left.min(chunk.len()));
            if n == 0 {
                return Err(Problem::Truncated.into());
            }
            if is_needed {
                append(&mut file, &chunk[..n], start)?;
            }
            source.skip(n);
            left -= n as u64;
        }
        if kind == *b"IHDR"
            && let Some(&[w0, w1, w2, w3, h0, h1, h2, h3]) = file.get(16..24)
        {
            let (width, height) = (u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
            if width > WIDEST || u64::from(width) * u64::from(height) > MOST_PIXELS {
                return Err(Problem::PngTooLarge(width, height).at(start));
            }
        }
        if kind == *b"IEND" {
            return Ok(file);
        }
    }
}

fn append(file: &mut Vec<u8>, bytes: &[u8], at: u64) -> Result<(), Fault> {
    file.try_reserve(bytes.len()).map_err(|_| Problem::TooMuch.at(at))?;
    file.extend_from_slice(bytes);
    Ok(())
}

/// The pixels of a picture, without a palette.
struct Picture {
    width: usize,
    height: usize,
    /// 1 for greys, 3 for colours, and one more where pixels may be transparent.
    channels: usize,
    /// The bytes of a sample, 1 or 2, of which the first is the greater one.
    depth: usize,
    bytes: Vec<u8>,
}

impl Picture {
    fn decode(file: Vec<u8>) -> Result<Picture, Problem> {
        let damaged = |error: png::DecodingError| Problem::Png(error.to_string());
        let mut decoder = png::Decoder::new(Cursor::new(file));
        decoder.set_transformations(Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(damaged)?;
        let (color, depth) = reader.output_color_type();
        let (width, height) = reader.info().size();
        let channels = color.samples();
        let depth = if depth == BitDepth::Sixteen { 2 } else { 1 };
        let mut bytes: Vec<u8> = Vec::new();
        // The rows of interlaced pictures: where each begins and where its pixels belong.
        let mut passes = Vec::new();
        while let Some(row) = reader.next_interlaced_row().map_err(damaged)? {
            bytes.try_reserve(row.data().len()).map_err(|_| Problem::TooMuch)?;
            if let InterlaceInfo::Adam7(info) = row.interlace() {
                passes.push((bytes.len(), *info));
            }
            bytes.extend_from_slice(row.data());
        }
        let (width, height) = (width as usize, height as usize);
        let (pixel, length) = (channels * depth, width * height * channels * depth);
        if !passes.is_empty() {
            // As many as there are pixels have been read.
            let mut whole: Vec<u8> = Vec::new();
            whole.try_reserve_exact(length).map_err(|_| Problem::TooMuch)?;
            whole.resize(length, 0);
            let ends = passes.iter().skip(1).map(|(begin, _)| *begin).chain([bytes.len()]);
            for ((begin, info), end) in passes.iter().zip(ends) {
                png::expand_interlaced_row(&mut whole, width * pixel, &bytes[*begin..end], info, 8 * pixel as u8);
            }
            bytes = whole;
        }
        if bytes.len() != length {
            return Err(Problem::Png("it has not as many pixels as it says".to_string()));
        }
        Ok(Picture { width, height, channels, depth, bytes })
    }

    fn value(&self, wanted: Option<ParamType>) -> Result<Value, Problem> {
        let is_grey = self.channels < 3;
        let (rank, prim) = match wanted {
            Some(wanted) => (wanted.rank, wanted.prim),
            None if self.depth == 2 && is_grey => (2, Prim::U16),
            None if self.depth == 2 => (3, Prim::U16),
            None if self.channels == 1 => (2, Prim::U8),
            None => (2, Prim::U32),
        };
        let loss = |has, remedy| {
            let wanted = wanted.unwrap_or(ParamType { rank, prim });
            Err(Problem::PngLoss { has, wanted, remedy })
        };
        match (self.depth, rank, prim) {
            (2, 2, Prim::U32 | Prim::I32) | (2, _, Prim::U8) if is_grey && self.is_opaque() => {
                return loss("16 bits for a pixel", "[][]u16");
            }
            (2, 2, Prim::U32 | Prim::I32) | (2, _, Prim::U8) => {
                return loss("16 bits for a colour", "[][][]u16");
            }
            (1, _, Prim::U16) => {
                return loss("8 bits for a colour", if rank == 2 { "[][]u8" } else { "[][][]u8" });
            }
            _ => {}
        }
        let whole = if self.depth == 2 { "[][][]u16" } else { "[][]u32" };
        if rank == 2 && !matches!(prim, Prim::U32 | Prim::I32) {
            if !self.is_opaque() {
                return loss("transparent pixels", whole);
            }
            if !self.pixels().all(|[r, g, b, _]| r == g && g == b) {
                return loss("colours", whole);
            }
            if prim == Prim::Bool && !self.pixels().all(|[grey, ..]| grey == 0 || grey == self.most()) {
                return loss("greys between black and white", if self.depth == 2 { "[][]u16" } else { "[][]u8" });
            }
        }
        let mut shape = vec![self.height, self.width];
        let greys = || self.pixels().map(|[grey, ..]| grey);
        let share = |grey: u16| f64::from(grey) / f64::from(self.most());
        let argb = |[r, g, b, a]: [u16; 4]| u32::from_be_bytes([a, r, g, b].map(|sample| sample as u8));
        let data = match (rank, prim) {
            (2, Prim::U32) => Data::U32(gather(self.pixels().map(argb))?),
            (2, Prim::I32) => Data::I32(gather(self.pixels().map(|pixel| argb(pixel).cast_signed()))?),
            (2, Prim::U8) => Data::U8(gather(greys().map(|grey| grey as u8))?),
            (2, Prim::U16) => Data::U16(gather(greys())?),
            (2, Prim::F32) => Data::F32(gather(greys().map(|grey| share(grey) as f32))?),
            (2, Prim::F64) => Data::F64(gather(greys().map(share))?),
            (2, Prim::Bool) => Data::Bool(gather(greys().map(|grey| grey > 0))?),
            _ => {
                let samples = if self.is_opaque() { 3 } else { 4 };
                shape.push(samples);
                let each = self.pixels().flat_map(|pixel| pixel.into_iter().take(samples));
                match prim {
                    Prim::U16 => Data::U16(gather(each)?),
                    _ => Data::U8(gather(each.map(|sample| sample as u8))?),
                }
            }
        };
        Ok(Value::new(shape, data))
    }

    /// The greatest sample.
    fn most(&self) -> u16 {
        if self.depth == 2 { u16::MAX } else { u16::from(u8::MAX) }
    }

    fn is_opaque(&self) -> bool {
        self.channels % 2 == 1 || self.pixels().all(|[.., alpha]| alpha == self.most())
    }

    /// Red, green, blue and alpha.
    fn pixels(&self) -> impl Iterator<Item = [u16; 4]> {
        self.bytes.chunks_exact(self.channels * self.depth).map(|bytes| {
            let sample = |index: usize| match bytes[index * self.depth..(index + 1) * self.depth] {
                [high, low] => u16::from_be_bytes([high, low]),
                [byte, ..] => u16::from(byte),
                [] => 0,
            };
            match self.channels {
                1 => [sample(0), sample(0), sample(0), self.most()],
                2 => [sample(0), sample(0), sample(0), sample(1)],
                3 => [sample(0), sample(1), sample(2), self.most()],
                _ => [sample(0), sample(1), sample(2), sample(3)],
            }
        })
    }
}

fn gather<T>(samples: impl Iterator<Item = T>) -> Result<Vec<T>, Problem> {
    let mut gathered = Vec::new();
    for sample in samples {
        if gathered.len() == gathered.capacity() {
            gathered.try_reserve(1).map_err(|_| Problem::TooMuch)?;
        }
        gathered.push(sample);
    }
    Ok(gathered)
}

/// Writes a picture. Where the alpha of all pixels is 0, or of all of them the greatest, the picture has none.
pub(super) fn write(out: &mut dyn Write, value: &Value) -> Result<(), WriteError> {
    let (color, depth) = match (value.shape(), value.data()) {
        ([_, _], Data::U32(_) | Data::I32(_)) if has_alpha(value) => (ColorType::Rgba, BitDepth::Eight),
        ([_, _], Data::U32(_) | Data::I32(_)) => (ColorType::Rgb, BitDepth::Eight),
        ([_, _], Data::U8(_) | Data::F32(_) | Data::F64(_) | Data::Bool(_)) => (ColorType::Grayscale, BitDepth::Eight),
        ([_, _], Data::U16(_)) => (ColorType::Grayscale, BitDepth::Sixteen),
        ([_, _, 3], Data::U8(_)) => (ColorType::Rgb, BitDepth::Eight),
        ([_, _, 4], Data::U8(_)) => (ColorType::Rgba, BitDepth::Eight),
        ([_, _, 3], Data::U16(_)) => (ColorType::Rgb, BitDepth::Sixteen),
        ([_, _, 4], Data::U16(_)) => (ColorType::Rgba, BitDepth::Sixteen),
        _ => return Err(unfit(&value.value_type())),
    };
    let size = |n: usize| u32::try_from(n).ok().filter(|n| *n > 0 && n.cast_signed() > 0);
    let (Some(width), Some(height)) = (size(value.shape()[1]), size(value.shape()[0])) else {
        return Err(unfit(&value.value_type()));
    };
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().map_err(written)?;
    let mut stream = writer.stream_writer().map_err(written)?;
    // A row at a time.
    let samples = value.data().len() / value.shape()[0];
    let mut row = Vec::new();
    for begin in (0..value.data().len()).step_by(samples) {
        row.clear();
        let range = begin..begin + samples;
        let mut argb = |pixels: &mut dyn Iterator<Item = u32>| {
            for pixel in pixels {
                let [a, r, g, b] = pixel.to_be_bytes();
                row.extend([r, g, b]);
                row.extend((color == ColorType::Rgba).then_some(a));
            }
        };
        match value.data() {
            Data::U32(pixels) => argb(&mut pixels[range].iter().copied()),
            Data::I32(pixels) => argb(&mut pixels[range].iter().map(|pixel| pixel.cast_unsigned())),
            Data::U8(samples) => row.extend_from_slice(&samples[range]),
            Data::U16(samples) => samples[range].iter().for_each(|sample| row.extend(sample.to_be_bytes())),
            Data::F32(greys) => row.extend(greys[range].iter().map(|grey| grey_of(f64::from(*grey)))),
            Data::F64(greys) => row.extend(greys[range].iter().map(|grey| grey_of(*grey))),
            Data::Bool(pixels) => row.extend(pixels[range].iter().map(|pixel| if *pixel { u8::MAX } else { 0 })),
            Data::I8(_) | Data::I16(_) | Data::I64(_) | Data::U64(_) | Data::F16(_) => {
                return Err(unfit(&value.value_type()));
            }
        }
        stream.write_all(&row)?;
    }
    stream.finish().map_err(written)?;
    writer.finish().map_err(written)
}

/// Whether some but not all pixels are transparent, or some are so in part.
fn has_alpha(value: &Value) -> bool {
    match value.data() {
        Data::U32(pixels) => is_mixed(pixels.iter().map(|pixel| pixel >> 24)),
        Data::I32(pixels) => is_mixed(pixels.iter().map(|pixel| pixel.cast_unsigned() >> 24)),
        _ => false,
    }
}

fn is_mixed(mut alphas: impl Iterator<Item = u32>) -> bool {
    let first = alphas.next().unwrap_or(0);
    !matches!(first, 0 | 0xff) || alphas.any(|alpha| alpha != first)
}

/// Black for 0 and below, white for 1 and above; no number is black.
fn grey_of(share: f64) -> u8 {
    (share * f64::from(u8::MAX)).round() as u8
}

fn unfit(ty: &ValueType) -> WriteError {
    WriteError::Unfit(format!("a value of type `{ty}` does not fit into {} data, which is {HOLDS}", Format::Png))
}

fn written(error: png::EncodingError) -> WriteError {
    match error {
        png::EncodingError::IoError(error) => WriteError::Io(error),
        error => WriteError::Unfit(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Data, EntryType, Format, ParamType, Reader, Value, write};
    use std::io::Write;

    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let body = [kind, data].concat();
        let mut sum = flate2::Crc::new();
        sum.update(&body);
        [&(data.len() as u32).to_be_bytes()[..], &body, &sum.sum().to_be_bytes()].concat()
    }

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    struct Header {
        size: [u32; 2],
        depth: u8,
        color: u8,
        interlaced: bool,
    }

    impl Header {
        fn chunk(&self) -> Vec<u8> {
            let [width, height] = self.size.map(u32::to_be_bytes);
            chunk(b"IHDR", &[&width[..], &height, &[self.depth, self.color, 0, 0, u8::from(self.interlaced)]].concat())
        }

        /// A picture with these bytes of filters and samples.
        fn file(&self, extra: &[Vec<u8>], rows: &[u8]) -> Vec<u8> {
            let mut file = [b"\x89PNG\r\n\x1a\n".to_vec(), self.chunk()].concat();
            file.extend(extra.concat());
            file.extend(chunk(b"IDAT", &compressed(rows)));
            file.extend(chunk(b"IEND", b""));
            file
        }
    }

    fn echo(file: &[u8], ty: &str) -> String {
        let mut reader = Reader::new(file);
        let value = match ty {
            "" => reader.next_value().map(|value| value.unwrap()),
            ty => reader.next_of(ty.parse().unwrap()),
        };
        let value = value.and_then(|value| reader.finish().map(|()| value));
        value.map_or_else(|error| error.to_string(), |value| value.to_string())
    }

    fn hex(values: &[u32]) -> String {
        let values: Vec<String> = values.iter().map(|value| format!("{value}u32")).collect();
        format!("[[{}]]", values.join(", "))
    }

    const RGB: u8 = 2;
    const RGBA: u8 = 6;

    fn row(depth: u8, color: u8, width: u32, bytes: &[u8]) -> Vec<u8> {
        let header = Header { size: [width, 1], depth, color, interlaced: false };
        header.file(&[], &[&[0], bytes].concat())
    }

    #[test]
    fn colours() {
        let rgb = row(8, RGB, 2, &[0xff, 0, 1, 0x10, 0x20, 0x30]);
        assert_eq!(echo(&rgb, ""), hex(&[0xffff_0001, 0xff10_2030]));
        assert_eq!(echo(&rgb, "[][]u32"), echo(&rgb, ""));
        assert_eq!(echo(&rgb, "[][]i32"), format!("[[{}i32, {}i32]]", 0xffff_0001_u32 as i32, 0xff10_2030_u32 as i32));
        assert_eq!(echo(&rgb, "[][][]u8"), "[[[255u8, 0u8, 1u8], [16u8, 32u8, 48u8]]]");
        let rgba = row(8, RGBA, 1, &[1, 2, 3, 4]);
        assert_eq!(echo(&rgba, "[][]u32"), hex(&[0x0401_0203]));
        assert_eq!(echo(&rgba, "[][][]u8"), "[[[1u8, 2u8, 3u8, 4u8]]]");
        // Alpha that says nothing is left out.
        assert_eq!(echo(&row(8, RGBA, 1, &[1, 2, 3, 255]), "[][][]u8"), "[[[1u8, 2u8, 3u8]]]");
        let wide = row(16, RGB, 1, &[1, 2, 3, 4, 5, 6]);
        assert_eq!(echo(&wide, ""), "[[[258u16, 772u16, 1286u16]]]");
    }

    #[test]
    fn greys_and_palettes() {
        let grey = row(8, 0, 3, &[0, 51, 255]);
        assert_eq!(echo(&grey, ""), "[[0u8, 51u8, 255u8]]");
        assert_eq!(echo(&grey, "[][]f32"), "[[0.0f32, 0.2f32, 1.0f32]]");
        assert_eq!(echo(&grey, "[][]u32"), hex(&[0xff00_0000, 0xff33_3333, 0xffff_ffff]));
        assert_eq!(echo(&row(1, 0, 3, &[0b1010_0000]), "[][]bool"), "[[true, false, true]]");
        assert_eq!(echo(&row(2, 0, 4, &[0b0001_1011]), ""), "[[0u8, 85u8, 170u8, 255u8]]");
        assert_eq!(echo(&row(16, 0, 1, &[1, 2]), ""), "[[258u16]]");
        assert_eq!(echo(&row(16, 0, 1, &[255, 255]), "[][]f64"), "[[1.0f64]]");
        // A picture of colours that are all greys.
        assert_eq!(echo(&row(8, RGB, 1, &[7, 7, 7]), "[][]u8"), "[[7u8]]");
        let header = Header { size: [2, 1], depth: 8, color: 3, interlaced: false };
        let palette = [chunk(b"PLTE", &[1, 2, 3, 4, 5, 6]), chunk(b"tRNS", &[128])];
        assert_eq!(echo(&header.file(&palette, &[0, 1, 0]), ""), hex(&[0xff04_0506, 0x8001_0203]));
    }

    #[test]
    fn interlaced() {
        // Passes of a picture of 3 by 2 pixels: the pixel 0; the pixel 2; the pixel 1; then the second row.
        let header = Header { size: [3, 2], depth: 8, color: 0, interlaced: true };
        let rows = [0, 10, 0, 12, 0, 11, 0, 20, 21, 22];
        assert_eq!(echo(&header.file(&[], &rows), ""), "[[10u8, 11u8, 12u8], [20u8, 21u8, 22u8]]");
    }

    #[test]
    fn what_would_be_lost() {
        let (rgb, rgba, wide) = (row(8, RGB, 1, &[1, 2, 3]), row(8, RGBA, 1, &[1, 1, 1, 4]), row(16, 0, 1, &[1, 2]));
        for (file, ty, expected) in [
            (&rgb, "[][]u8", "the picture has colours, which `[][]u8` cannot hold; `[][]u32` can"),
            (&rgba, "[][]f32", "the picture has transparent pixels, which `[][]f32` cannot hold; `[][]u32` can"),
            (&wide, "[][]u8", "the picture has 16 bits for a pixel, which `[][]u8` cannot hold; `[][]u16` can"),
            (&wide, "[][]u32", "the picture has 16 bits for a pixel, which `[][]u32` cannot hold; `[][]u16` can"),
            (&rgb, "[][][]u16", "the picture has 8 bits for a colour, which `[][][]u16` cannot hold; `[][][]u8` can"),
            (
                &row(8, 0, 1, &[1]),
                "[][]bool",
                "the picture has greys between black and white, which `[][]bool` cannot hold; `[][]u8` can",
            ),
            (
                &rgb,
                "[]u8",
                "a picture cannot be read as `[]u8`, but as `[][]u32`, `[][]i32`, `[][]u8`, `[][]u16`, `[][]f32`, \
                 `[][]f64`, `[][]bool`, `[][][3]u8` or `[][][3]u16`",
            ),
        ] {
            assert_eq!(echo(file, ty), format!("byte 0: {expected}"));
        }
    }

    #[test]
    fn damage() {
        let picture = row(8, 0, 1, &[7]);
        assert_eq!(
            echo(&picture[..picture.len() - 1], ""),
            format!("byte {}: the data ends in the middle of a value", picture.len() - 1)
        );
        let mut wrong = picture.clone();
        wrong[30] ^= 1;
        assert!(echo(&wrong, "").starts_with("byte 0: the picture is damaged: "), "{}", echo(&wrong, ""));
        let short = row(8, 0, 2, &[7]);
        assert!(echo(&short, "").starts_with("byte 0: the picture is damaged: "), "{}", echo(&short, ""));
        let unknown =
            Header { size: [1, 1], depth: 8, color: 0, interlaced: false }.file(&[chunk(b"ABCD", b"")], &[0, 7]);
        assert_eq!(echo(&unknown, ""), "byte 33: the picture is damaged: it has a chunk `ABCD`");
        // What is not needed is passed over, whatever is in it.
        let text =
            Header { size: [1, 1], depth: 8, color: 0, interlaced: false }.file(&[chunk(b"zTXt", b"\0\0")], &[0, 7]);
        assert_eq!(echo(&text, ""), "[[7u8]]");
        assert_eq!(
            echo(&[&picture[..], b" 5"].concat(), "[][]u8"),
            format!("byte {}: expected the end of the data, found another value", picture.len() + 1)
        );
    }

    /// Nothing is decompressed of a picture that is too large, nor taken on the word of one that is large.
    #[test]
    fn bombs() {
        let bomb = |width, height| Header { size: [width, height], depth: 8, color: RGBA, interlaced: true };
        for [width, height] in [[1 << 14, 1 << 14], [1, (1 << 27) + 1], [(1 << 20) + 1, 1], [u32::MAX, u32::MAX]] {
            assert_eq!(
                echo(&bomb(width, height).file(&[], b""), ""),
                format!(
                    "byte 8: the picture has {width} by {height} pixels; at most 134217728 are read, and 1048576 in a row"
                )
            );
        }
        let lie = echo(&bomb(1 << 14, 1 << 13).file(&[], b"\0\0"), "");
        assert!(lie.starts_with("byte 0: the picture is damaged: "), "{lie}");
        let mut long = b"\x89PNG\r\n\x1a\n".to_vec();
        long.extend(bomb(1, 1).chunk());
        long.extend(b"\xff\xff\xff\xffIDAT\0\0\0");
        assert_eq!(echo(&long, ""), "byte 44: the data ends in the middle of a value");
    }

    fn written(value: &Value) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        let ty = EntryType::plain(ParamType::of(value));
        write(&mut out, Format::Png, &ty, std::slice::from_ref(value)).map_err(|error| error.to_string()).map(|()| out)
    }

    #[test]
    fn there_and_back() {
        let of = |shape: &[usize], data: Data| Value::new(shape.to_vec(), data);
        let alpha = Data::U32(vec![0x0001_0203, 0xff04_0506, 0x8000_ff00, 0, 1, 0xffff_ffff]);
        for value in [
            of(&[2, 3], alpha.clone()),
            of(&[3, 2], Data::I32(vec![-1, 0x7f00_0000, 0x0102_0304, 5, 6, 7])),
            of(&[1, 3], Data::U8(vec![0, 7, 255])),
            of(&[2, 2], Data::U16(vec![0, 1, 256, u16::MAX])),
            of(&[1, 2], Data::Bool(vec![true, false])),
            of(&[1, 2], Data::F64(vec![0.0, 1.0])),
            of(&[1, 2, 3], Data::U8(vec![1, 2, 3, 4, 5, 6])),
            of(&[1, 1, 4], Data::U8(vec![1, 2, 3, 4])),
            of(&[2, 1, 3], Data::U16(vec![1, 256, 3, 4, 5, 60000])),
        ] {
            let file = written(&value).unwrap();
            assert_eq!(Reader::new(&file[..]).next_of(ParamType::of(&value)).unwrap(), value);
        }
        // Without alpha a picture is opaque.
        let file = written(&of(&[1, 2], Data::U32(vec![0x0001_0203, 0x00ff_ffff]))).unwrap();
        assert_eq!(echo(&file, "[][]u32"), hex(&[0xff01_0203, 0xffff_ffff]));
        let file = written(&of(&[1, 5], Data::F32(vec![-1.0, 0.5, 2.0, f32::NAN, 0.2]))).unwrap();
        assert_eq!(echo(&file, "[][]u8"), "[[0u8, 128u8, 255u8, 0u8, 51u8]]");
    }

    #[test]
    fn what_is_no_picture() {
        let of = |shape: &[usize], data: Data| written(&Value::new(shape.to_vec(), data)).unwrap_err();
        assert!(of(&[0, 3], Data::U32(vec![])).starts_with("a value of type `[0][3]u32` does not fit into png data"));
        assert!(of(&[1, 1, 2], Data::U8(vec![1, 2])).starts_with("a value of type `[1][1][2]u8` does not fit"));
        assert!(of(&[1], Data::U8(vec![1])).starts_with("`[]u8` does not fit into png data, which is a picture: "));
    }
}
