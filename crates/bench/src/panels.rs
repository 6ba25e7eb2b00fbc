//! Bars beside each other in several panels that have the same rows, as SVG.

use crate::chart::{COLOURS, GOAL_COLOUR, Scale, line, page, rect, text};
use kenaz_measure::chart::short;

pub(crate) struct Panels {
    /// What each row is called.
    pub labels: Vec<String>,
    pub panels: Vec<Panel>,
}

pub(crate) struct Panel {
    pub title: &'static str,
    /// What the bars of a row are, if there are several.
    pub legend: &'static [&'static str],
    pub scale: Scale,
    /// For each row the bars under each other; those that are missing leave room.
    pub rows: Vec<Vec<Option<f64>>>,
    /// A line across all rows.
    pub goal: Option<f64>,
}

const LEFT: f64 = 290.0;
const WIDTH: f64 = 290.0;
const GAP: f64 = 70.0;
const TOP: f64 = 62.0;
const ROW: f64 = 24.0;
/// Of a row, for its bars.
const FILLED: f64 = 18.0;

impl Panels {
    pub(crate) fn svg(&self) -> String {
        let width = LEFT + (WIDTH + GAP) * self.panels.len() as f64;
        let height = TOP + ROW * self.labels.len() as f64 + 10.0;
        let mut out = page(width, height);
        for (i, label) in self.labels.iter().enumerate() {
            let top = TOP + ROW * i as f64;
            if i % 2 == 1 {
                rect(&mut out, (0.0, top), (width, ROW), "#f6f6f6");
            }
            text(&mut out, LEFT - 10.0, top + ROW / 2.0 + 4.0, "end", 11, label);
        }
        for (i, panel) in self.panels.iter().enumerate() {
            panel.draw(&mut out, LEFT + (WIDTH + GAP) * i as f64, height);
        }
        out.push_str("</svg>\n");
        out
    }
}

impl Panel {
    fn draw(&self, out: &mut String, left: f64, height: f64) {
        let greatest = self.rows.iter().flatten().flatten().chain(&self.goal).copied().fold(0.0, f64::max);
        let end = self.scale.end(greatest);
        let x = |value: f64| left + WIDTH * self.scale.at(value, end);
        text(out, left, 16.0, "start", 12, self.title);
        for (k, name) in self.legend.iter().enumerate() {
            let at = left + 80.0 * k as f64;
            rect(out, (at, 24.0), (10.0, 10.0), COLOURS[k % COLOURS.len()]);
            text(out, at + 15.0, 33.0, "start", 11, name);
        }
        for (value, strong) in self.scale.ticks(end) {
            line(out, (x(value), TOP - 4.0), (x(value), height - 6.0), if strong { "#333" } else { "#ccc" });
            text(out, x(value), TOP - 9.0, "middle", 10, &short(value));
        }
        if let Some(goal) = self.goal {
            line(out, (x(goal), TOP - 4.0), (x(goal), height - 6.0), GOAL_COLOUR);
        }
        for (i, bars) in self.rows.iter().enumerate() {
            let top = TOP + ROW * i as f64 + (ROW - FILLED) / 2.0;
            let high = FILLED / bars.len().max(1) as f64;
            for (k, value) in bars.iter().enumerate() {
                let Some(value) = *value else { continue };
                let (from, to) = (x(self.scale.origin().min(value)), x(self.scale.origin().max(value)));
                let y = top + high * k as f64;
                rect(out, (from, y), (to - from, high - 1.0), COLOURS[k % COLOURS.len()]);
                text(out, to + 4.0, y + high / 2.0 + 3.0, "start", 9, &format!("{value:.2}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_panel_has_a_bar_for_each_value() {
        let ratios = Panel {
            title: "r",
            legend: &[],
            scale: Scale::Logarithmic { least: -1, most: 3 },
            rows: vec![vec![Some(2.0)], vec![None]],
            goal: Some(0.9),
        };
        let shares = Panel {
            title: "s",
            legend: &["ours", "peer"],
            scale: Scale::Linear,
            rows: vec![vec![Some(0.5), None], vec![Some(1.0), Some(0.25)]],
            goal: None,
        };
        let labels = vec!["a < b".to_string(), "c".to_string()];
        let picture = Panels { labels, panels: vec![ratios, shares] }.svg();
        // Two are in the legend, one is behind the second row.
        assert_eq!(picture.matches("<rect x=").count(), 4 + 2 + 1, "{picture}");
        assert_eq!(picture.matches(GOAL_COLOUR).count(), 1, "{picture}");
        assert!(picture.contains("a &lt; b") && picture.contains("width=\"145.0\""), "{picture}");
    }
}
