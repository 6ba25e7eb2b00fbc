//! Pictures as SVG. Those for pages take their colours from the style of the page.

use crate::statistics::{least, most};
use kenaz_base::html::escape;
use std::fmt::Write;

/// A number with no more digits than it needs.
pub fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// 10 to the power of a number of one or two digits.
pub fn power_of_ten(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits: String =
        power.to_string().chars().map(|c| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize])).collect();
    format!("10{digits}")
}

/// Where values are on an axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
}

impl Axis {
    /// One for all of these values, with some room on either side; half and double are equally far from each other.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>) -> Axis {
        let range = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let (low, high) = values.into_iter().filter(|v| *v > 0.0).fold((f64::INFINITY, 0.0), range);
        let (low, high) = if low <= high { (low.ln(), high.ln()) } else { (0.0, 0.0) };
        let room = (0.06 * (high - low)).max(0.3);
        Axis { low: low - room, high: high + room, is_logarithmic: true }
    }

    /// One for all of these values.
    pub fn linear(values: &[f64]) -> Axis {
        let (low, high) = if values.is_empty() { (0.0, 1.0) } else { (least(values), most(values)) };
        let room = (0.08 * (high - low)).max(0.01 * high.abs()).max(0.5);
        Axis { low: (low - room).max(0.0), high: high + room, is_logarithmic: false }
    }

    /// How far a value is on the way from the lower end to the upper one; those beyond are at the ends.
    pub fn at(&self, value: f64) -> f64 {
        let value = if self.is_logarithmic { value.ln() } else { value };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    pub fn contains(&self, value: f64) -> bool {
        let value = if self.is_logarithmic { value.ln() } else { value };
        (self.low..=self.high).contains(&value)
    }

    /// Round values, not many more than so many of them.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        if self.is_logarithmic {
            let powers = (self.low / 10f64.ln()).floor() as i32..=(self.high / 10f64.ln()).ceil() as i32;
            let fine = powers.clone().flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
            let fine: Vec<f64> = fine.filter(|value| self.contains(*value)).collect();
            if fine.len() <= most {
                return fine;
            }
            let coarse: Vec<f64> =
                powers.map(|power| 10f64.powi(power)).filter(|value| self.contains(*value)).collect();
            let step = coarse.len().div_ceil(most);
            return coarse.into_iter().step_by(step.max(1)).collect();
        }
        let rough = (self.high - self.low) / most as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        (first..).map(|i| i as f64 * step).take_while(|value| *value <= self.high).collect()
    }
}

/// A colour of the style of pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    First,
    Second,
}

impl Colour {
    fn name(self) -> &'static str {
        match self {
            Colour::First => "var(--first)",
            Colour::Second => "var(--second)",
        }
    }
}

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 24.0;

/// A system of axes with what is drawn in it.
pub struct Plot {
    x: Axis,
    y: Axis,
    out: String,
}

impl Plot {
    /// An empty one; people who cannot see it are told what it shows.
    pub fn new(said: &str, x: Axis, y: Axis) -> Plot {
        let said = escape(said);
        let out = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{said}\">\n");
        Plot { x, y, out }
    }

    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let x = LEFT + self.x.at(x) * (WIDTH - LEFT - RIGHT);
        (x, HEIGHT - BOTTOM - self.y.at(y) * (HEIGHT - TOP - BOTTOM))
    }

    /// Lines across, with their values beside them.
    pub fn rows(&mut self, shown: impl Fn(f64) -> String) {
        for value in self.y.ticks(6) {
            let (_, y) = self.place((0.0, value));
            self.line((LEFT, y), (WIDTH - RIGHT, y), "var(--line)", "");
            self.text((LEFT - 6.0, y + 4.0), "end", &shown(value));
        }
    }

    /// Values below.
    pub fn columns(&mut self, shown: impl Fn(f64) -> String) {
        for value in self.x.ticks(5) {
            let (x, _) = self.place((value, 0.0));
            self.line((x, HEIGHT - BOTTOM), (x, HEIGHT - BOTTOM + 4.0), "var(--soft)", "");
            let anchor = if x > WIDTH - RIGHT - 20.0 { "end" } else { "middle" };
            self.text((x, HEIGHT - 7.0), anchor, &shown(value));
        }
    }

    /// A name for what is below.
    pub fn below(&mut self, text: &str) {
        self.text((WIDTH - RIGHT, HEIGHT - 7.0), "end", text);
    }

    /// A band across, between two values.
    pub fn band(&mut self, (low, high): (f64, f64), colour: Colour) {
        let ((_, bottom), (_, top)) = (self.place((0.0, low)), self.place((0.0, high)));
        let (width, height) = (WIDTH - LEFT - RIGHT, (bottom - top).max(1.5));
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(
            self.out,
            "<rect x=\"{LEFT}\" y=\"{top:.1}\" width=\"{width}\" height=\"{height:.1}\" fill=\"{}\" fill-opacity=\".3\"/>",
            colour.name()
        );
    }

    /// Points joined by lines.
    pub fn curve(&mut self, points: &[(f64, f64)], colour: Colour) {
        let corners = self.corners(points);
        let _ = writeln!(
            self.out,
            "<polyline points=\"{corners}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>",
            colour.name()
        );
    }

    /// A line to compare with, that has a name.
    pub fn guide(&mut self, points: &[(f64, f64)], name: &str) {
        let corners = self.corners(points);
        let _ = writeln!(
            self.out,
            "<polyline points=\"{corners}\" fill=\"none\" stroke=\"var(--soft)\" stroke-dasharray=\"4 4\"/>"
        );
        if let Some(last) = points.last() {
            let (x, y) = self.place(*last);
            self.text((x - 4.0, (y - 6.0).max(11.0)), "end", name);
        }
    }

    fn corners(&self, points: &[(f64, f64)]) -> String {
        let corner = |point: &(f64, f64)| {
            let (x, y) = self.place(*point);
            format!("{x:.1},{y:.1}")
        };
        points.iter().map(corner).collect::<Vec<_>>().join(" ")
    }

    /// A point that says something when the pointer or the keyboard comes to it.
    pub fn told_point(&mut self, point: (f64, f64), colour: Colour, said: &str) {
        let (x, y) = self.place(point);
        let (anchor, at) = if x > WIDTH / 2.0 { ("end", x - 9.0) } else { ("start", x + 9.0) };
        let said = escape(said);
        let _ = writeln!(
            self.out,
            "<g class=\"point\" tabindex=\"0\" role=\"img\" aria-label=\"{said}\">\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{said}</text></g>",
            colour.name(),
            (y - 6.0).max(12.0),
        );
    }

    /// Points that are many.
    pub fn dots(&mut self, points: &[(f64, f64)], colour: Colour) {
        let _ = write!(self.out, "<g fill=\"{}\" fill-opacity=\".6\">", colour.name());
        for point in points {
            let (x, y) = self.place(*point);
            let _ = write!(self.out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"1.8\"/>");
        }
        self.out.push_str("</g>\n");
    }

    /// Points that stand out.
    pub fn crosses(&mut self, points: &[(f64, f64)]) {
        let _ = write!(self.out, "<g stroke=\"var(--bad)\" stroke-width=\"1.5\">");
        for point in points {
            let (x, y) = self.place(*point);
            let _ = write!(self.out, "<path d=\"M{:.1} {:.1}l5 5m0 -5l-5 5\"/>", x - 2.5, y - 2.5);
        }
        self.out.push_str("</g>\n");
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, more: &str) {
        let _ = writeln!(
            self.out,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"{more}/>",
            from.0, from.1, to.0, to.1
        );
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: &str, what: &str) {
        let what = escape(what);
        let _ = writeln!(self.out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{what}</text>");
    }

    pub fn svg(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// How runs are spread, for a cell of a table: a line from the least to the greatest, a box between the quartiles, and
/// a mark at the median. All of them are parts of the way from left to right.
pub fn spread_bar([low, first, middle, third, high]: [f64; 5]) -> String {
    let at = |part: f64| 2.0 + 196.0 * part.clamp(0.0, 1.0);
    format!(
        "<svg viewBox=\"0 0 200 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect x=\"{:.1}\" y=\"7.5\" width=\"{:.1}\" height=\"1\" fill=\"var(--soft)\"/>\
         <rect x=\"{:.1}\" y=\"3\" width=\"{:.1}\" height=\"10\" fill=\"var(--first)\" fill-opacity=\".45\"/>\
         <rect x=\"{:.1}\" y=\"1\" width=\"2\" height=\"14\" fill=\"var(--first)\"/></svg>",
        at(low),
        at(high) - at(low),
        at(first),
        (at(third) - at(first)).max(1.0),
        at(middle) - 1.0
    )
}

/// A ratio with its interval, for a cell of a table: a bar from 1 in the middle, by logarithms, up to a factor `most`.
pub fn ratio_bar(ratio: f64, (low, high): (f64, f64), most: f64) -> String {
    let at = |value: f64| 100.0 + 98.0 * (value.ln() / most.ln()).clamp(-1.0, 1.0);
    let (from, to) = (at(ratio).min(100.0), at(ratio).max(100.0));
    let colour = if ratio > 1.0 { "var(--bad)" } else { "var(--good)" };
    format!(
        "<svg viewBox=\"0 0 200 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect x=\"{from:.1}\" y=\"3\" width=\"{:.1}\" height=\"10\" fill=\"{colour}\" fill-opacity=\".55\"/>\
         <rect x=\"{:.1}\" y=\"7\" width=\"{:.1}\" height=\"2\" fill=\"var(--ink)\"/>\
         <rect x=\"99.5\" y=\"0\" width=\"1\" height=\"16\" fill=\"var(--soft)\"/></svg>",
        to - from,
        at(low),
        (at(high) - at(low)).max(1.0)
    )
}

/// A part of a whole, for a cell of a table.
pub fn part_bar(part: f64) -> String {
    let width = 200.0 * part.clamp(0.0, 1.0);
    format!(
        "<svg viewBox=\"0 0 200 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect y=\"3\" width=\"200\" height=\"10\" fill=\"var(--fill)\"/>\
         <rect y=\"3\" width=\"{width:.1}\" height=\"10\" fill=\"var(--first)\" fill-opacity=\".7\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes() {
        let axis = Axis::logarithmic([1.0, 100.0]);
        assert!((axis.at(10.0) - 0.5).abs() < 1e-12 && axis.at(1e-9) == 0.0 && axis.at(1e9) == 1.0);
        assert_eq!(axis.ticks(7), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(axis.ticks(6), [1.0, 10.0, 100.0]);
        assert_eq!(Axis::logarithmic([1e3, 1e9]).ticks(4), [1e3, 1e5, 1e7, 1e9]);
        assert!(Axis::logarithmic([]).ticks(5).contains(&1.0));
        let axis = Axis::linear(&[100.0, 150.0]);
        assert_eq!(axis.ticks(5), [100.0, 120.0, 140.0]);
        assert!(axis.contains(96.0) && !axis.contains(160.0) && axis.at(125.0) == 0.5);
        // All alike, or none at all.
        assert!(Axis::linear(&[5.0]).ticks(5).contains(&5.0) && !Axis::linear(&[]).ticks(5).is_empty());
    }

    #[test]
    fn points_are_where_they_should_be() {
        let mut plot = Plot::new("a \"b\"", Axis::linear(&[0.0, 100.0]), Axis::linear(&[0.0, 100.0]));
        // Both axes go from 0 to 108.
        plot.told_point((0.0, 0.0), Colour::First, "x < y");
        plot.dots(&[(108.0, 108.0)], Colour::Second);
        let svg = plot.svg();
        assert!(svg.contains("aria-label=\"a &quot;b&quot;\"") && svg.contains("x &lt; y"), "{svg}");
        assert!(svg.contains("cx=\"58.0\" cy=\"206.0\"") && svg.contains("cx=\"348.0\" cy=\"16.0\""), "{svg}");
    }

    #[test]
    fn bars_of_ratios_begin_in_the_middle() {
        let twice = ratio_bar(2.0, (1.0, 4.0), 4.0);
        assert!(twice.contains("x=\"100.0\" y=\"3\" width=\"49.0\"") && twice.contains("--bad"), "{twice}");
        assert!(twice.contains("x=\"100.0\" y=\"7\" width=\"98.0\""), "{twice}");
        assert!(ratio_bar(0.5, (0.4, 0.6), 4.0).contains("x=\"51.0\" y=\"3\" width=\"49.0\""));
        assert!(part_bar(0.25).contains("width=\"50.0\""));
        assert!(spread_bar([0.0, 0.25, 0.5, 0.75, 1.0]).contains("x=\"51.0\" y=\"3\" width=\"98.0\""));
    }

    #[test]
    fn short_numbers() {
        assert_eq!([1.0, 0.25, 1234.5678].map(short), ["1", "0.25", "1234.568"]);
        assert_eq!(power_of_ten(-12), "10⁻¹²");
    }
}
