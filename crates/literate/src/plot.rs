//! Curves in a system of axes.

use crate::draw::{Anchor, Drawing, Ink};

/// A curve of a plot.
pub(crate) struct Curve {
    /// What the legend calls it; nothing if there is only one without a name.
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

pub(crate) const USUAL: (u32, u32) = (560, 360);

/// More curves than this are drawn, but the legend would have no room.
const MOST_NAMES: usize = 20;

/// A range of numbers, and the round ones in it.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// One for all of these numbers, with about so many round ones.
    fn of(values: impl Iterator<Item = f64>, most: usize) -> Axis {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = match low <= high {
            false => (0.0, 1.0),
            true if low == high => (low - 0.5 * low.abs().max(1.0), high + 0.5 * high.abs().max(1.0)),
            true => (low, high),
        };
        let rough = (high / most as f64 - low / most as f64).max(f64::MIN_POSITIVE);
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
        Axis { low, high, step: step.unwrap_or(rough) }
    }

    /// With round numbers at both ends.
    fn rounded(self) -> Axis {
        let (low, high) = ((self.low / self.step).floor() * self.step, (self.high / self.step).ceil() * self.step);
        Axis { low: low.max(f64::MIN), high: high.min(f64::MAX), ..self }
    }

    fn at(&self, value: f64) -> f64 {
        value / (self.high - self.low) - self.low / (self.high - self.low)
    }

    fn ticks(&self) -> Vec<f64> {
        let first = (self.low / self.step - 1e-9).ceil();
        let tick = |i: usize| (first + i as f64) * self.step;
        let is_inside = |tick: &f64| tick.is_finite() && *tick <= self.high + 1e-9 * self.step;
        (0..50).map(tick).take_while(is_inside).collect()
    }

    /// A number with as many digits as tell it from its neighbours.
    fn shown(&self, value: f64) -> String {
        let size = self.low.abs().max(self.high.abs());
        if value.abs() < 1e-9 * self.step {
            return "0".to_string();
        }
        if !(1e-4..1e6).contains(&size) {
            let digits = (size.log10().floor() - self.step.log10().floor()).clamp(0.0, 12.0) as usize;
            let text = format!("{value:.digits$e}");
            let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
            let mantissa =
                if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
            return format!("{mantissa}e{power}");
        }
        let digits = (-self.step.log10().floor()).clamp(0.0, 12.0) as usize;
        format!("{value:.digits$}")
    }
}

/// Draws curves; numbers that are not finite are gaps in them.
pub(crate) fn plot(curves: &[Curve], (width, height): (u32, u32)) -> Drawing {
    let mut drawing = Drawing { width, height, shapes: Vec::new() };
    let points = || curves.iter().flat_map(|curve| &curve.points).filter(|(x, y)| x.is_finite() && y.is_finite());
    let (w, h) = (f64::from(width), f64::from(height));
    let x = Axis::of(points().map(|point| point.0), (w / 70.0).clamp(2.0, 12.0) as usize);
    let y = Axis::of(points().map(|point| point.1), (h / 45.0).clamp(2.0, 12.0) as usize).rounded();
    let names: Vec<&Curve> = curves.iter().filter(|curve| !curve.name.is_empty()).take(MOST_NAMES).collect();
    let longest = |texts: &mut dyn Iterator<Item = usize>| 8.0 * texts.max().unwrap_or(0) as f64;
    let labels = longest(&mut y.ticks().iter().map(|tick| y.shown(*tick).chars().count()));
    let legend = if names.is_empty() { 0.0 } else { 34.0 + longest(&mut names.iter().map(|c| c.name.chars().count())) };
    let (left, right, top, bottom) = (14.0 + labels, 18.0 + legend.min(w / 3.0), 12.0, 28.0);
    let (inner, tall) = ((w - left - right).max(1.0), (h - top - bottom).max(1.0));
    let place = |px: f64, py: f64| (left + x.at(px) * inner, top + (1.0 - y.at(py)) * tall);
    for tick in y.ticks() {
        let (_, at) = place(x.low, tick);
        drawing.line(vec![(left, at), (left + inner, at)], 1.0, Ink::Grid);
        drawing.text((left - 7.0, at + 4.0), Anchor::End, &y.shown(tick));
    }
    for tick in x.ticks() {
        let (at, _) = place(tick, y.low);
        drawing.line(vec![(at, top), (at, top + tall)], 1.0, Ink::Grid);
        drawing.text((at, top + tall + 18.0), Anchor::Middle, &x.shown(tick));
    }
    drawing.line(vec![(left, top), (left, top + tall), (left + inner, top + tall)], 1.0, Ink::Axis);
    for (i, curve) in curves.iter().enumerate() {
        for piece in curve.points.split(|(x, y)| !x.is_finite() || !y.is_finite()) {
            let mut corners: Vec<(f64, f64)> = piece.iter().map(|(px, py)| place(*px, *py)).collect();
            if let [only] = corners[..] {
                // A single point would be no line.
                corners = vec![(only.0 - 1.0, only.1), (only.0 + 1.0, only.1)];
            }
            if !corners.is_empty() {
                drawing.line(corners, 2.0, Ink::Curve(i));
            }
        }
    }
    for (row, (i, curve)) in curves.iter().enumerate().filter(|(_, c)| !c.name.is_empty()).take(MOST_NAMES).enumerate()
    {
        let at = top + 10.0 + 18.0 * row as f64;
        let start = left + inner + 12.0;
        drawing.line(vec![(start, at), (start + 16.0, at)], 2.0, Ink::Curve(i));
        drawing.text((start + 22.0, at + 4.0), Anchor::Start, &curve.name);
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[f64]) -> (Vec<f64>, Vec<String>) {
        let axis = Axis::of(values.iter().copied(), 5).rounded();
        let ticks = axis.ticks();
        let shown = ticks.iter().map(|tick| axis.shown(*tick)).collect();
        (ticks, shown)
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(axis(&[0.3, 9.1]).1, ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(axis(&[-1.0, 1.0]).1, ["-1.0", "-0.5", "0", "0.5", "1.0"]);
        assert_eq!(axis(&[1e7, 5e7]).1, ["1e7", "2e7", "3e7", "4e7", "5e7"]);
        assert_eq!(axis(&[0.0, 3e-6]).1.first().unwrap(), "0");
        assert_eq!(axis(&[4.0, 4.0]).1, ["2", "3", "4", "5", "6"]);
        assert_eq!(axis(&[]).0, axis(&[0.0, 1.0]).0);
        for strange in
            [&[f64::NAN, f64::INFINITY][..], &[f64::MIN, f64::MAX], &[0.0, f64::MIN_POSITIVE], &[1e300, 1e300]]
        {
            let (ticks, _) = axis(strange);
            assert!(
                !ticks.is_empty() && ticks.len() <= 50 && ticks.iter().all(|t| t.is_finite()),
                "{strange:?}: {ticks:?}"
            );
        }
    }

    #[test]
    fn curves_have_gaps_and_names() {
        let points = vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 0.0)];
        let svg = plot(&[Curve { name: "a < b".to_string(), points }], USUAL).svg();
        assert_eq!(svg.matches("stroke=\"#0072b2\"").count(), 3, "{svg}");
        assert!(svg.contains(">a &lt; b</text>"), "{svg}");
        assert!(!plot(&[Curve { name: String::new(), points: Vec::new() }], (1, 1)).svg().contains("NaN"));
    }
}
