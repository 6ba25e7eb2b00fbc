//! Frames as a video: GIF is written here, anything else by `ffmpeg`.

use crate::colours::{Pixels, palette};
use crate::directive::Video;
use crate::{media, tools};
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::borrow::Cow;

/// The file of frames, which have one size, in a format.
pub(crate) fn encode(frames: &[Pixels], video: &Video, format: &str) -> Result<Vec<u8>, String> {
    let Some(first) = frames.first() else { return Err("a video needs at least one frame".to_string()) };
    if let Some(other) = frames.iter().find(|other| (other.width, other.height) != (first.width, first.height)) {
        let size = |frame: &Pixels| format!("{} by {}", frame.width, frame.height);
        return Err(format!("the frames have different sizes: {} and {}", size(first), size(other)));
    }
    if format == "gif" {
        return gif(frames, video).map_err(|error| format!("the GIF cannot be made: {error}"));
    }
    let mut raw = Vec::new();
    frames.iter().for_each(|frame| raw.extend(frame.bytes()));
    let size = format!("{}x{}", first.width, first.height);
    let rate = video.fps.to_string();
    let input = ["-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", &size, "-framerate", &rate];
    // Players know no other colours, which need an even number of pixels.
    let filter = "pad=ceil(iw/2)*2:ceil(ih/2)*2";
    tools::ffmpeg(&raw, &input, &["-vf", filter, "-pix_fmt", "yuv420p"], format)
}

/// With the colours that there are, if they are few enough for one palette, and otherwise with those nearest to them.
fn gif(frames: &[Pixels], video: &Video) -> Result<Vec<u8>, gif::EncodingError> {
    let first = &frames[0];
    let side =
        |n: usize| u16::try_from(n).map_err(|_| gif::EncodingError::from(gif::EncodingFormatError::TooManyColors));
    let (width, height) = (side(first.width)?, side(first.height)?);
    // One number is for pixels that stay as they are.
    let colours = palette(frames, 255);
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height, &colours.clone().unwrap_or_default().concat())?;
    if video.repeat {
        encoder.set_repeat(Repeat::Infinite)?;
    }
    // Hundredths of a second, so that no time is lost in rounding.
    let time = |i: usize| (i as f64 * 100.0 / f64::from(video.fps)).round() as u16;
    for (i, frame) in frames.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| &frames[i]);
        let mut part = match &colours {
            Some(colours) => known(frame, before, colours),
            None => Frame::from_rgb_speed(width, height, &frame.bytes(), 10),
        };
        part.delay = time(i + 1) - time(i);
        part.dispose = DisposalMethod::Keep;
        encoder.write_frame(&part)?;
    }
    drop(encoder);
    Ok(file)
}

/// The rectangle of a frame that differs from the one before, of known colours.
fn known(frame: &Pixels, before: Option<&Pixels>, colours: &[[u8; 3]]) -> Frame<'static> {
    let differs = |x: usize, y: usize| {
        let at = y * frame.width + x;
        before.is_none_or(|before| before.colours[at] != frame.colours[at])
    };
    let rows: Vec<usize> = (0..frame.height).filter(|y| (0..frame.width).any(|x| differs(x, *y))).collect();
    let columns: Vec<usize> = (0..frame.width).filter(|x| (0..frame.height).any(|y| differs(*x, y))).collect();
    // A frame has at least one pixel.
    let range = |found: &[usize]| match found {
        [] => 0..1,
        [first, .., last] => *first..last + 1,
        [only] => *only..only + 1,
    };
    let (rows, columns) = (range(&rows), range(&columns));
    let same = colours.len() as u8;
    let mut buffer = Vec::with_capacity(rows.len() * columns.len());
    for y in rows.clone() {
        for x in columns.clone() {
            let colour = &frame.colours[y * frame.width + x];
            let index = colours.binary_search(colour).map_or(same, |index| index as u8);
            buffer.push(if differs(x, y) { index } else { same });
        }
    }
    Frame {
        left: columns.start as u16,
        top: rows.start as u16,
        width: columns.len() as u16,
        height: rows.len() as u16,
        transparent: Some(same),
        buffer: Cow::Owned(buffer),
        ..Frame::default()
    }
}

/// The frames of a GIF as they are seen, for comparisons.
pub(crate) fn decode(file: &[u8]) -> Result<Vec<Pixels>, String> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(file).map_err(|error| error.to_string())?;
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut seen = Pixels { width, height, colours: vec![[255; 3]; width * height] };
    let mut frames = Vec::new();
    while let Some(frame) = decoder.read_next_frame().map_err(|error| error.to_string())? {
        let columns = usize::from(frame.width);
        for (i, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (x, y) = (usize::from(frame.left) + i % columns, usize::from(frame.top) + i / columns);
            if pixel[3] != 0 && x < width && y < height {
                seen.colours[y * width + x] = [pixel[0], pixel[1], pixel[2]];
            }
        }
        frames.push(seen.clone());
    }
    Ok(frames)
}

/// The frames that a value has, one after the other.
pub(crate) fn frames(value: &kenaz_runtime::Value) -> Result<Vec<Pixels>, String> {
    if value.rank() < 3 {
        let ty = kenaz_runtime::ParamType::of(value);
        return Err(format!("a video is an array of pictures, or `(step, start, frames)`, not `{ty}`"));
    }
    media::rows(value).iter().map(media::picture).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn video(fps: u32) -> Video {
        Video { repeat: true, autoplay: true, fps, format: None, file: None }
    }

    fn frame(colours: &[u8]) -> Pixels {
        Pixels { width: 3, height: 2, colours: colours.iter().map(|grey| [*grey, 7, 255 - grey]).collect() }
    }

    #[test]
    fn a_gif_shows_its_frames() {
        let frames =
            [frame(&[0, 1, 2, 3, 4, 5]), frame(&[0, 1, 9, 3, 4, 8]), frame(&[0, 1, 9, 3, 4, 8]), frame(&[9; 6])];
        let file = encode(&frames, &video(30), "gif").unwrap();
        assert_eq!(decode(&file).unwrap(), frames);
        let mut decoder = gif::DecodeOptions::new().read_info(&file[..]).unwrap();
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
        }
        assert_eq!(delays, [3, 4, 3, 3]);
    }

    #[test]
    fn many_colours() {
        let picture = |shift: usize| Pixels {
            width: 30,
            height: 30,
            colours: (0..900).map(|i| [(i / 4) as u8, ((i + shift) % 251) as u8, 9]).collect(),
        };
        let frames = [picture(0), picture(20)];
        let decoded = decode(&encode(&frames, &video(10), "gif").unwrap()).unwrap();
        assert_eq!(decoded.len(), 2);
        for (frame, decoded) in frames.iter().zip(&decoded) {
            let far: u32 = frame.bytes().iter().zip(decoded.bytes()).map(|(a, b)| u32::from(a.abs_diff(b))).sum();
            assert!(far < 2700 * 8, "{} of 255 in the mean", far / 2700);
        }
    }

    #[test]
    fn no_video() {
        assert_eq!(encode(&[], &video(1), "gif").unwrap_err(), "a video needs at least one frame");
        let other = Pixels { width: 1, height: 1, colours: vec![[0; 3]] };
        let error = encode(&[frame(&[0; 6]), other], &video(1), "gif").unwrap_err();
        assert_eq!(error, "the frames have different sizes: 3 by 2 and 1 by 1");
        assert!(frames(&kenaz_runtime::Value::from(vec![1u8])).unwrap_err().ends_with("not `[]u8`"));
    }
}
