//! Values as pictures: what a picture is, its pixels, its file.

use crate::colours::Pixels;
use kenaz_base::Prim;
use kenaz_ir::Scalar;
use kenaz_runtime::{Data, EntryType, Format, ParamType, Reader, Value, write};

/// The elements of the outermost dimension of an array.
pub(crate) fn rows(value: &Value) -> Vec<Value> {
    let Some((&count, shape)) = value.shape().split_first() else { return Vec::new() };
    let length: usize = shape.iter().product();
    let row = |i: usize| {
        let mut data = Data::empty(value.prim());
        for j in i * length..(i + 1) * length {
            let pushed = data.push(value.data().get(j));
            debug_assert!(pushed);
        }
        Value::new(shape.to_vec(), data)
    };
    (0..count).map(row).collect()
}

/// The numbers of an array of any rank.
pub(crate) fn numbers(value: &Value) -> Option<Vec<f64>> {
    (0..value.data().len()).map(|i| number(value.data().get(i))).collect()
}

fn number(scalar: Scalar) -> Option<f64> {
    Some(match scalar {
        Scalar::I8(x) => x.into(),
        Scalar::I16(x) => x.into(),
        Scalar::I32(x) => x.into(),
        Scalar::I64(x) => x as f64,
        Scalar::U8(x) => x.into(),
        Scalar::U16(x) => x.into(),
        Scalar::U32(x) => x.into(),
        Scalar::U64(x) => x as f64,
        Scalar::F16(x) => x.to_f64(),
        Scalar::F32(x) => x.into(),
        Scalar::F64(x) => x,
        Scalar::Bool(_) => return None,
    })
}

/// A value as a file of PNG.
pub(crate) fn png(value: &Value) -> Result<Vec<u8>, String> {
    let ty = EntryType::plain(ParamType::of(value));
    let mut file = Vec::new();
    write(&mut file, Format::Png, &ty, std::slice::from_ref(value)).map_err(|error| error.to_string())?;
    Ok(file)
}

/// The pixels of a file of PNG, on white.
pub(crate) fn pixels(png: &[u8]) -> Result<Pixels, String> {
    let wanted = ParamType { rank: 2, prim: Prim::U32 };
    let value = Reader::with_format(png, Format::Png).next_of(wanted).map_err(|error| error.to_string())?;
    let (height, width) = (value.shape()[0], value.shape()[1]);
    let colours = value.elements::<u32>().unwrap_or_default().iter().map(|pixel| on_white(*pixel)).collect();
    Ok(Pixels { width, height, colours })
}

/// An array as pixels, on white.
pub(crate) fn picture(value: &Value) -> Result<Pixels, String> {
    match value.elements::<u32>() {
        // What most videos are, without the way through a file.
        Some(colours) if value.rank() == 2 && !colours.is_empty() => {
            let has_alpha = colours.iter().any(|colour| colour >> 24 != 0);
            let colour = |colour: &u32| if has_alpha { on_white(*colour) } else { rgb(*colour) };
            let (height, width) = (value.shape()[0], value.shape()[1]);
            Ok(Pixels { width, height, colours: colours.iter().map(colour).collect() })
        }
        _ => pixels(&png(value)?),
    }
}

fn rgb(colour: u32) -> [u8; 3] {
    let [_, r, g, b] = colour.to_be_bytes();
    [r, g, b]
}

fn on_white(colour: u32) -> [u8; 3] {
    let alpha = colour >> 24;
    rgb(colour).map(|part| ((u32::from(part) * alpha + 255 * (255 - alpha) + 127) / 255) as u8)
}

/// Pixels as a file of PNG.
pub(crate) fn png_of(pixels: &Pixels) -> Result<Vec<u8>, String> {
    let colours = pixels.colours.iter().map(|[r, g, b]| u32::from_be_bytes([0xff, *r, *g, *b])).collect();
    png(&Value::new(vec![pixels.height, pixels.width], Data::U32(colours)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_numbers() {
        let value = Value::new(vec![2, 3], Data::I16(vec![1, 2, 3, 4, 5, 6]));
        let rows: Vec<String> = rows(&value).iter().map(ToString::to_string).collect();
        assert_eq!(rows, ["[1i16, 2i16, 3i16]", "[4i16, 5i16, 6i16]"]);
        assert_eq!(numbers(&value).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(numbers(&Value::from(true)), None);
    }

    #[test]
    fn pixels_are_on_white() {
        let of = |colours: Vec<u32>| picture(&Value::new(vec![1, colours.len()], Data::U32(colours))).unwrap().colours;
        assert_eq!(of(vec![0x00ff_0102, 0]), [[255, 1, 2], [0, 0, 0]]);
        assert_eq!(of(vec![0xff03_0405, 0x0000_0000, 0x8000_0000]), [[3, 4, 5], [255, 255, 255], [127, 127, 127]]);
        let grey = picture(&Value::new(vec![1, 2], Data::F32(vec![0.0, 1.0]))).unwrap();
        assert_eq!((grey.width, grey.height, grey.colours), (2, 1, vec![[0; 3], [255; 3]]));
        assert!(picture(&Value::from(vec![1i8])).unwrap_err().contains("does not fit into png data"));
    }
}
