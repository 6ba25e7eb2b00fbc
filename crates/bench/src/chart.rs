//! Pictures of tables, as SVG: bars for ratios, curves over sizes.

use crate::summary::Row;
use kenaz_base::html::escape;
use kenaz_measure::chart::{power_of_ten, short};
use std::fmt::Write;

pub(crate) const COLOURS: [&str; 3] = ["#4878a8", "#e08a3c", "#6a9f58"];
/// Keeps lines behind a text from crossing it out.
const HALO: &str = "stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"";
pub(crate) const GOAL_COLOUR: &str = "#c03030";

/// Groups of bars, each with a name.
pub(crate) struct Bars<'a> {
    pub title: &'a str,
    pub bars: Vec<Bar>,
    pub scale: Scale,
}

pub(crate) struct Bar {
    pub label: String,
    /// The bars under each other; those that are missing leave room.
    pub values: Vec<Option<f64>>,
    /// A line across them at this value.
    pub goal: Option<f64>,
}

pub(crate) enum Scale {
    /// From 0 to the greatest value.
    Linear,
    /// Powers of two to either side of 1, where bars begin. Those that are too long end at the border.
    Logarithmic { least: i32, most: i32 },
}

/// How many times faster than the peer, in blue, and than C++, in orange, if that was measured.
pub(crate) fn ratios(rows: &[Row]) -> String {
    let with_cpp = rows.iter().any(|row| row.cpp_ratio().is_some());
    let bars = rows.iter().map(|row| {
        let mut values = vec![row.ratio()];
        values.extend(with_cpp.then(|| row.cpp_ratio()));
        Bar { label: format!("{} {}", row.program, row.set), values, goal: None }
    });
    let bars = bars.filter(|bar| bar.values.iter().any(Option::is_some)).collect();
    let title = match with_cpp {
        true => "time of the peer (blue) and of C++ (orange) divided by ours",
        false => "time of the peer divided by ours",
    };
    Bars { title, bars, scale: Scale::Logarithmic { least: -2, most: 5 } }.svg()
}

const HEIGHT: f64 = 14.0;
const LEFT: f64 = 240.0;
const WIDTH: f64 = 640.0;
const TOP: f64 = 44.0;

impl Bars<'_> {
    pub(crate) fn svg(&self) -> String {
        let greatest = self.bars.iter().flat_map(|bar| bar.values.iter().flatten().chain(&bar.goal));
        let greatest = greatest.copied().fold(0.0, f64::max);
        let end = self.scale.end(greatest);
        let x = |value: f64| LEFT + WIDTH * self.scale.at(value, end);
        let lines = self.bars.iter().map(|bar| bar.values.len()).max().unwrap_or(1) as f64;
        let group = HEIGHT * lines + 6.0;
        let (width, height) = (LEFT + WIDTH + 50.0, TOP + group * self.bars.len() as f64 + 8.0);
        let mut out = page(width, height);
        text(&mut out, LEFT, 16.0, "start", 12, self.title);
        for (value, strong) in self.scale.ticks(end) {
            line(&mut out, (x(value), TOP - 6.0), (x(value), height - 4.0), if strong { "#333" } else { "#ddd" });
            text(&mut out, x(value), TOP - 10.0, "middle", 10, &short(value));
        }
        for (i, bar) in self.bars.iter().enumerate() {
            let top = TOP + group * i as f64;
            text(&mut out, LEFT - 8.0, top + group / 2.0 + 1.0, "end", 11, &bar.label);
            for (k, value) in bar.values.iter().enumerate() {
                let Some(value) = *value else { continue };
                let (from, to) = (x(self.scale.origin().min(value)), x(self.scale.origin().max(value)));
                let y = top + HEIGHT * k as f64 + 1.0;
                rect(&mut out, (from, y), (to - from, HEIGHT - 2.0), COLOURS[k % COLOURS.len()]);
                text(&mut out, to + 4.0, y + HEIGHT - 4.0, "start", 10, &format!("{value:.2}"));
            }
            if let Some(goal) = bar.goal {
                line(&mut out, (x(goal), top - 2.0), (x(goal), top + group - 2.0), GOAL_COLOUR);
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

impl Scale {
    pub(crate) fn end(&self, greatest: f64) -> f64 {
        match self {
            // The next multiple of a half.
            Scale::Linear => ((greatest * 2.0).ceil() / 2.0).max(0.5),
            Scale::Logarithmic { most, .. } => 2f64.powi(*most),
        }
    }

    /// Where bars begin.
    pub(crate) fn origin(&self) -> f64 {
        match self {
            Scale::Linear => 0.0,
            Scale::Logarithmic { .. } => 1.0,
        }
    }

    /// How far a value is on the way from the left to the right.
    pub(crate) fn at(&self, value: f64, end: f64) -> f64 {
        match self {
            Scale::Linear => value / end,
            Scale::Logarithmic { least, most } => {
                let (least, most) = (f64::from(*least), f64::from(*most));
                (value.log2().clamp(least, most) - least) / (most - least)
            }
        }
    }

    /// Values on the axis, and whether they stand out.
    pub(crate) fn ticks(&self, end: f64) -> Vec<(f64, bool)> {
        match self {
            Scale::Linear => {
                let step = if end > 4.0 { 1.0 } else { 0.25 };
                (0..=(end / step) as u32).map(|i| f64::from(i) * step).map(|value| (value, value == 1.0)).collect()
            }
            Scale::Logarithmic { least, most } => {
                (*least..=*most).map(|power| (2f64.powi(power), power == 0)).collect()
            }
        }
    }
}

/// Curves in one system of axes, both logarithmic.
pub(crate) struct Panel {
    pub title: String,
    pub curves: Vec<Curve>,
}

pub(crate) struct Curve {
    pub name: String,
    /// Both coordinates are positive.
    pub points: Vec<(f64, f64)>,
}

/// Panels beside each other, with the same axes.
pub(crate) fn curves(title: &str, panels: &[Panel]) -> String {
    const SIDE: f64 = 300.0;
    const GAP: f64 = 40.0;
    const EDGE: f64 = 60.0;
    const UP: f64 = 64.0;
    let points = || panels.iter().flat_map(|panel| &panel.curves).flat_map(|curve| &curve.points);
    let decades = |of: fn(&(f64, f64)) -> f64| {
        let range = points().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let (low, high) = (range.0.log10().floor(), range.1.log10().ceil());
        if low < high { (low as i32, high as i32) } else { (0, 1) }
    };
    let (columns, rows) = (decades(|point| point.0), decades(|point| point.1));
    let part = |value: f64, (low, high): (i32, i32)| (value.log10() - f64::from(low)) / f64::from(high - low);
    let width = EDGE + (SIDE + GAP) * panels.len() as f64;
    let mut out = page(width, UP + SIDE + 36.0);
    text(&mut out, EDGE, 16.0, "start", 12, title);
    for (i, panel) in panels.iter().enumerate() {
        let left = EDGE + (SIDE + GAP) * i as f64;
        let (x, y) = (|v: f64| left + SIDE * part(v, columns), |v: f64| UP + SIDE * (1.0 - part(v, rows)));
        text(&mut out, left + SIDE / 2.0, UP - 8.0, "middle", 12, &panel.title);
        for power in columns.0..=columns.1 {
            let at = x(10f64.powi(power));
            line(&mut out, (at, UP), (at, UP + SIDE), "#ddd");
            text(&mut out, at, UP + SIDE + 16.0, "middle", 10, &power_of_ten(power));
        }
        for power in rows.0..=rows.1 {
            let at = y(10f64.powi(power));
            line(&mut out, (left, at), (left + SIDE, at), "#ddd");
            if i == 0 {
                text(&mut out, left - 6.0, at + 4.0, "end", 10, &short(10f64.powi(power)));
            }
        }
        for (k, curve) in panel.curves.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let path: Vec<String> = curve.points.iter().map(|&(a, b)| format!("{:.1},{:.1}", x(a), y(b))).collect();
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
                path.join(" ")
            );
            for &(a, b) in &curve.points {
                let _ = writeln!(out, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2\" fill=\"{colour}\"/>", x(a), y(b));
            }
            if i == 0 {
                let at = EDGE + 110.0 * k as f64;
                let _ = writeln!(out, "<rect x=\"{at}\" y=\"26\" width=\"16\" height=\"4\" fill=\"{colour}\"/>");
                text(&mut out, at + 22.0, 32.0, "start", 11, &curve.name);
            }
        }
    }
    out.push_str("</svg>\n");
    out
}

pub(crate) fn page(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    )
}

pub(crate) fn line(out: &mut String, from: (f64, f64), to: (f64, f64), colour: &str) {
    let _ = writeln!(
        out,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"/>",
        from.0, from.1, to.0, to.1
    );
}

pub(crate) fn rect(out: &mut String, corner: (f64, f64), size: (f64, f64), colour: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
        corner.0, corner.1, size.0, size.1
    );
}

pub(crate) fn text(out: &mut String, x: f64, y: f64, anchor: &str, size: u32, what: &str) {
    let what = escape(what);
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" {HALO}>{what}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_for_each_ratio() {
        let rows = [
            Row { ours: vec![10.0], peer: vec![20.0], ..Row::new("a", "n < 5") },
            Row { ours_beside_cpp: vec![10.0], cpp: vec![5.0], ..Row::new("b", "x") },
            Row::new("c", "not measured"),
        ];
        let picture = ratios(&rows);
        assert_eq!(picture.matches("<rect x=").count(), 2, "{picture}");
        assert!(picture.contains("a n &lt; 5") && !picture.contains("not measured"), "{picture}");
        assert!(picture.contains("C++") && !ratios(&rows[..1]).contains("C++"), "{picture}");
    }

    #[test]
    fn bars_are_as_long_as_their_values() {
        let bar = |value: f64, goal| Bar { label: "a".to_string(), values: vec![Some(value)], goal };
        let bars = vec![bar(0.5, Some(0.9)), bar(2.0, None)];
        let picture = Bars { title: "t", bars, scale: Scale::Linear }.svg();
        assert!(picture.contains("width=\"160.0\"") && picture.contains("width=\"640.0\""), "{picture}");
        assert_eq!(picture.matches(GOAL_COLOUR).count(), 1, "{picture}");
    }

    #[test]
    fn a_curve_goes_through_its_points() {
        let curve = Curve { name: "c".to_string(), points: vec![(1e3, 10.0), (1e5, 1.0)] };
        let picture = curves("t", &[Panel { title: "p".to_string(), curves: vec![curve] }]);
        assert!(picture.contains("points=\"60.0,64.0 360.0,364.0\""), "{picture}");
        assert!(picture.contains("10⁴"), "{picture}");
        assert!(curves("t", &[]).ends_with("</svg>\n"));
    }
}
