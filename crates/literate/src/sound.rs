//! Arrays as sounds: WAV is written and read here, anything else by `ffmpeg`.

use crate::tools;
use kenaz_ir::Scalar;
use kenaz_runtime::{Data, Value};
use std::path::Path;

/// How the samples of a file are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Samples {
    Integers,
    Floats,
}

/// A file of WAV: an array of samples, or one for each channel.
pub(crate) fn wav(value: &Value, frequency: u32) -> Result<Vec<u8>, String> {
    let (channels, length) = match *value.shape() {
        [length] => (1, length),
        [channels, length] if channels > 0 && channels <= 64 => (channels, length),
        _ => return Err(not_a_sound(value)),
    };
    let mut samples = Vec::new();
    for i in 0..length {
        for channel in 0..channels {
            // Samples of one byte are unsigned in such files, and longer ones are signed.
            match value.data().get(channel * length + i) {
                Scalar::I8(x) => samples.push((x as u8) ^ 0x80),
                Scalar::U8(x) => samples.push(x),
                Scalar::I16(x) => samples.extend(x.to_le_bytes()),
                Scalar::U16(x) => samples.extend((x ^ 0x8000).to_le_bytes()),
                Scalar::I32(x) => samples.extend(x.to_le_bytes()),
                Scalar::U32(x) => samples.extend((x ^ 0x8000_0000).to_le_bytes()),
                Scalar::F32(x) => samples.extend(x.to_le_bytes()),
                Scalar::F64(x) => samples.extend(x.to_le_bytes()),
                Scalar::I64(_) | Scalar::U64(_) | Scalar::F16(_) | Scalar::Bool(_) => return Err(not_a_sound(value)),
            }
        }
    }
    let kind = if value.prim().is_float() { Samples::Floats } else { Samples::Integers };
    let width = value.prim().bytes();
    let size = u32::try_from(samples.len() + 36).map_err(|_| "the sound is too long for a file".to_string())?;
    let block = (channels * width) as u16;
    let mut file = b"RIFF".to_vec();
    file.extend(size.to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0");
    file.extend(if kind == Samples::Floats { 3u16 } else { 1 }.to_le_bytes());
    file.extend((channels as u16).to_le_bytes());
    file.extend(frequency.to_le_bytes());
    file.extend((frequency * u32::from(block)).to_le_bytes());
    file.extend(block.to_le_bytes());
    file.extend((8 * width as u16).to_le_bytes());
    file.extend(b"data");
    file.extend((size - 36).to_le_bytes());
    file.extend(samples);
    Ok(file)
}

fn not_a_sound(value: &Value) -> String {
    let ty = kenaz_runtime::ParamType::of(value);
    format!(
        "a sound is an array of samples, or one for each channel, of i8, u8, i16, u16, i32, u32, f32 or f64, not `{ty}`"
    )
}

/// A sound in any format.
pub(crate) fn encode(value: &Value, frequency: u32, codec: &str) -> Result<Vec<u8>, String> {
    let wav = wav(value, frequency)?;
    if codec == "wav" { Ok(wav) } else { tools::ffmpeg(&wav, &["-f", "wav"], &[], codec) }
}

/// `$loadaudio`: the channels of a file as `[][]f64`.
pub(crate) fn load(path: &Path) -> Result<Value, String> {
    let file = std::fs::read(path).map_err(|error| error.to_string())?;
    if file.starts_with(b"RIFF") {
        return read(&file).ok_or_else(|| "the file of WAV is damaged, or of an unknown kind".to_string());
    }
    let wav = tools::ffmpeg(&file, &[], &["-c:a", "pcm_f64le"], "wav")?;
    read(&wav).ok_or_else(|| "ffmpeg did not make a file of WAV of it".to_string())
}

fn read(file: &[u8]) -> Option<Value> {
    let mut rest = file.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WAVE")?;
    let mut format: Option<(Samples, usize, usize)> = None;
    while rest.len() >= 8 {
        let (head, body) = rest.split_at(8);
        let length = u32::from_le_bytes(head[4..].try_into().ok()?) as usize;
        let number = |body: &[u8], at: usize| Some(u16::from_le_bytes(body.get(at..at + 2)?.try_into().ok()?));
        match &head[..4] {
            b"fmt " => {
                // In the extensible form the kind stands farther behind.
                let kind = match number(body, 0)? {
                    0xfffe => number(body, 24)?,
                    kind => kind,
                };
                let kind = match kind {
                    1 => Samples::Integers,
                    3 => Samples::Floats,
                    _ => return None,
                };
                format = Some((kind, number(body, 2)?.into(), number(body, 14)?.into()));
            }
            b"data" => {
                let (kind, channels, bits) = format?;
                // Who writes to a pipe does not know the length.
                return samples(&body[..length.min(body.len())], kind, channels, bits);
            }
            _ => {}
        }
        rest = body.get(length + length % 2..)?;
    }
    None
}

fn samples(bytes: &[u8], kind: Samples, channels: usize, bits: usize) -> Option<Value> {
    let width = bits / 8;
    if channels == 0 || width == 0 || !bits.is_multiple_of(8) {
        return None;
    }
    let read = |sample: &[u8]| -> Option<f64> {
        Some(match (kind, width) {
            (Samples::Integers, 1) => (f64::from(sample[0]) - 128.0) / 128.0,
            (Samples::Integers, 2..=4) => {
                let mut all = [0; 4];
                all[4 - width..].copy_from_slice(sample);
                f64::from(i32::from_le_bytes(all)) / 2f64.powi(31)
            }
            (Samples::Floats, 4) => f32::from_le_bytes(sample.try_into().ok()?).into(),
            (Samples::Floats, 8) => f64::from_le_bytes(sample.try_into().ok()?),
            _ => return None,
        })
    };
    let length = bytes.len() / (width * channels);
    let mut found = Vec::with_capacity(length * channels);
    for channel in 0..channels {
        for i in 0..length {
            let at = (i * channels + channel) * width;
            found.push(read(&bytes[at..at + width])?);
        }
    }
    Some(Value::new(vec![channels, length], Data::F64(found)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let stereo = Value::new(vec![2, 3], Data::F64(vec![0.0, 0.5, -1.0, 0.25, 1.0, -0.5]));
        assert_eq!(read(&wav(&stereo, 8000).unwrap()).unwrap(), stereo);
        for (data, expected) in [
            (Data::I8(vec![0, 64, -128]), "[[0.0f64, 0.5f64, -1.0f64]]"),
            (Data::U8(vec![128, 192, 0]), "[[0.0f64, 0.5f64, -1.0f64]]"),
            (Data::I16(vec![0, 16384, i16::MIN]), "[[0.0f64, 0.5f64, -1.0f64]]"),
            (Data::U16(vec![32768, 49152, 0]), "[[0.0f64, 0.5f64, -1.0f64]]"),
            (Data::U32(vec![1 << 31, 3 << 30, 0]), "[[0.0f64, 0.5f64, -1.0f64]]"),
            (Data::F32(vec![0.5]), "[[0.5f64]]"),
        ] {
            let value = Value::new(vec![data.len()], data);
            assert_eq!(read(&wav(&value, 44_100).unwrap()).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn the_header() {
        let file = wav(&Value::from(vec![1i16, 2]), 8000).unwrap();
        let expected = b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x04\0\0\0\x01\0\x02\0";
        assert_eq!(file, expected);
        for cut in 0..file.len() - 4 {
            assert_eq!(read(&file[..cut]).filter(|value| !value.data().is_empty()), None, "{cut}");
        }
        assert!(wav(&Value::from(vec![1i64]), 8000).unwrap_err().ends_with("not `[]i64`"));
        assert!(wav(&Value::from(1u8), 8000).is_err());
    }
}
