//! Drawings of lines and text, as SVG and as pixels.

use crate::colours::Pixels;
use font8x8::{BASIC_FONTS, LATIN_FONTS, UnicodeFonts};
use kenaz_base::html::escape;
use std::fmt::Write;

/// What lines and texts are for, which decides their colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ink {
    Text,
    Grid,
    Axis,
    /// The curve with this number.
    Curve(usize),
}

/// Colours that people with any kind of colour vision can tell apart.
const CURVES: [u32; 8] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x7a5195, 0x666666];

impl Ink {
    /// On white.
    fn rgb(self) -> u32 {
        match self {
            Ink::Text => 0x3c4043,
            Ink::Grid => 0xe4e6e8,
            Ink::Axis => 0x9aa0a6,
            Ink::Curve(i) => CURVES[i % CURVES.len()],
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

pub(crate) enum Shape {
    Line { points: Vec<(f64, f64)>, width: f64, ink: Ink },
    Text { at: (f64, f64), anchor: Anchor, text: String },
}

/// A drawing of some size, on white.
pub(crate) struct Drawing {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) shapes: Vec<Shape>,
}

impl Drawing {
    pub(crate) fn line(&mut self, points: Vec<(f64, f64)>, width: f64, ink: Ink) {
        self.shapes.push(Shape::Line { points, width, ink });
    }

    pub(crate) fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.shapes.push(Shape::Text { at, anchor, text: text.to_string() });
    }

    pub(crate) fn svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
        );
        for shape in &self.shapes {
            // Writing to a string cannot fail.
            let _ = match shape {
                Shape::Line { points, width, ink } => {
                    let corners: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                    writeln!(
                        out,
                        "<polyline points=\"{}\" fill=\"none\" stroke=\"#{:06x}\" stroke-width=\"{width}\" \
                         stroke-linejoin=\"round\"/>",
                        corners.join(" "),
                        ink.rgb()
                    )
                }
                Shape::Text { at: (x, y), anchor, text } => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    let (fill, text) = (Ink::Text.rgb(), escape(text));
                    writeln!(
                        out,
                        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#{fill:06x}\">{text}</text>"
                    )
                }
            };
        }
        out.push_str("</svg>\n");
        out
    }

    pub(crate) fn pixels(&self) -> Pixels {
        let (width, height) = (self.width as usize, self.height as usize);
        let mut canvas = Canvas { pixels: Pixels { width, height, colours: vec![[255; 3]; width * height] } };
        for shape in &self.shapes {
            match shape {
                Shape::Line { points, width, ink } => canvas.line(points, *width, *ink),
                Shape::Text { at, anchor, text } => canvas.text(*at, *anchor, text),
            }
        }
        canvas.pixels
    }
}

/// The width of a letter in pixels.
const LETTER: f64 = 8.0;

struct Canvas {
    pixels: Pixels,
}

impl Canvas {
    /// Mixes a colour into a pixel, if there is one.
    fn mix(&mut self, x: i64, y: i64, ink: Ink, amount: f64) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.pixels.width || y >= self.pixels.height {
            return;
        }
        let [_, r, g, b] = ink.rgb().to_be_bytes();
        let pixel = &mut self.pixels.colours[y * self.pixels.width + x];
        for (part, wanted) in pixel.iter_mut().zip([r, g, b]) {
            *part = (f64::from(*part) * (1.0 - amount) + f64::from(wanted) * amount).round() as u8;
        }
    }

    /// How much of a pixel is covered follows from the distance of its middle to the line.
    fn line(&mut self, points: &[(f64, f64)], width: f64, ink: Ink) {
        // The nearest piece decides, so that corners are not painted twice.
        let mut covered: std::collections::BTreeMap<(i64, i64), f64> = std::collections::BTreeMap::new();
        let most = |x: f64| x.clamp(-1e6, 1e6);
        for pair in points.windows(2) {
            let ((ax, ay), (bx, by)) = ((most(pair[0].0), most(pair[0].1)), (most(pair[1].0), most(pair[1].1)));
            let (dx, dy) = (bx - ax, by - ay);
            let steps = (dx.abs().max(dy.abs()).ceil() as i64).max(1);
            let reach = (width / 2.0 + 1.0).ceil() as i64;
            for step in 0..=steps {
                let t = step as f64 / steps as f64;
                let (cx, cy) = ((ax + t * dx).floor() as i64, (ay + t * dy).floor() as i64);
                let is_near = |at: i64, size: usize| (-reach..size as i64 + reach).contains(&at);
                if !is_near(cx, self.pixels.width) || !is_near(cy, self.pixels.height) {
                    continue;
                }
                for y in cy - reach..=cy + reach {
                    for x in cx - reach..=cx + reach {
                        let (px, py) = (x as f64 + 0.5 - ax, y as f64 + 0.5 - ay);
                        let along = ((px * dx + py * dy) / (dx * dx + dy * dy).max(1e-12)).clamp(0.0, 1.0);
                        let distance = (px - along * dx).hypot(py - along * dy);
                        let amount = (width / 2.0 + 0.5 - distance).clamp(0.0, 1.0);
                        let most = covered.entry((x, y)).or_insert(0.0);
                        *most = most.max(amount);
                    }
                }
            }
        }
        for ((x, y), amount) in covered {
            self.mix(x, y, ink, amount);
        }
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let width = LETTER * text.chars().count() as f64;
        let start = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        for (i, letter) in text.chars().enumerate() {
            let glyph = BASIC_FONTS.get(letter).or_else(|| LATIN_FONTS.get(letter)).or_else(|| BASIC_FONTS.get('?'));
            let left = (start + LETTER * i as f64).round() as i64;
            for (row, bits) in glyph.unwrap_or_default().iter().enumerate() {
                for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                    self.mix(left + column, y.round() as i64 - 8 + row as i64, Ink::Text, 1.0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(shapes: Vec<Shape>) -> Drawing {
        Drawing { width: 20, height: 12, shapes }
    }

    #[test]
    fn lines_as_pixels() {
        let points = vec![(2.0, 5.5), (10.0, 5.5)];
        let pixels = drawing(vec![Shape::Line { points, width: 1.0, ink: Ink::Curve(0) }]).pixels();
        let at = |x: usize, y: usize| pixels.colours[y * 20 + x];
        assert_eq!((at(5, 5), at(9, 5)), ([0, 0x72, 0xb2], [0, 0x72, 0xb2]));
        assert_eq!((at(5, 4), at(5, 6), at(14, 5)), ([255; 3], [255; 3], [255; 3]));
        // Whatever is outside is left out.
        let points = vec![(-1e300, -4.0), (1e300, 40.0)];
        drawing(vec![Shape::Line { points, width: 2.0, ink: Ink::Grid }]).pixels();
    }

    #[test]
    fn text_as_pixels() {
        let text = |text: &str, anchor| {
            let shape = Shape::Text { at: (10.0, 10.0), anchor, text: text.to_string() };
            let pixels = drawing(vec![shape]).pixels();
            pixels
                .colours
                .iter()
                .enumerate()
                .filter(|(_, colour)| **colour != [255; 3])
                .map(|(i, _)| i % 20)
                .collect::<Vec<_>>()
        };
        assert!(text("i", Anchor::Start).iter().all(|x| (10..18).contains(x)));
        assert!(text("i", Anchor::End).iter().all(|x| (2..10).contains(x)));
        assert!(!text("-1.5e3", Anchor::Middle).is_empty());
    }

    #[test]
    fn svg_is_escaped() {
        let svg = drawing(vec![Shape::Text { at: (1.0, 2.0), anchor: Anchor::End, text: "<a&b>".to_string() }]).svg();
        assert!(svg.contains("text-anchor=\"end\" fill=\"#3c4043\">&lt;a&amp;b&gt;</text>"), "{svg}");
    }
}
