//! The ratios of a table as a picture: a bar for each data set, on a logarithmic scale around 1.

use crate::summary::Row;
use std::fmt::Write;

const BAR: f64 = 14.0;
const LEFT: f64 = 300.0;
const SCALE: f64 = 120.0;
/// Powers of two to either side of 1 that are shown; longer bars end there.
const LEAST: i32 = -2;
const MOST: i32 = 5;

pub fn svg(rows: &[Row]) -> String {
    let x = |ratio: f64| LEFT + SCALE * (ratio.log2().clamp(f64::from(LEAST), f64::from(MOST)) - f64::from(LEAST));
    let bars = rows.iter().filter(|row| row.ratio().is_some() || row.cpp_ratio().is_some());
    let bars: Vec<&Row> = bars.collect();
    let (width, height) = (x(f64::from(1 << MOST)) + 60.0, 40.0 + 2.0 * BAR * bars.len() as f64 + 20.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"14\">time of the peer (blue) and of C++ (orange) divided by ours</text>\n"
    );
    for power in LEAST..=MOST {
        let at = x(2f64.powi(power));
        let colour = if power == 0 { "black" } else { "#ddd" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<line x1=\"{at}\" y1=\"34\" x2=\"{at}\" y2=\"{height}\" stroke=\"{colour}\"/><text x=\"{at}\" y=\"30\" \
             text-anchor=\"middle\">{}</text>",
            2f64.powi(power)
        );
    }
    for (i, row) in bars.iter().enumerate() {
        let top = 40.0 + 2.0 * BAR * i as f64;
        let label = escaped(&format!("{} {}", row.program, row.set));
        let _ = writeln!(text, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>", LEFT - 8.0, top + BAR);
        for (ratio, colour, line) in [(row.ratio(), "#4878a8", 0.0), (row.cpp_ratio(), "#e08a3c", 1.0)] {
            let Some(ratio) = ratio else { continue };
            let (from, to) = if ratio < 1.0 { (x(ratio), x(1.0)) } else { (x(1.0), x(ratio)) };
            let y = top + line * (BAR - 2.0);
            let _ = writeln!(
                text,
                "<rect x=\"{from:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/><text x=\"{:.1}\" \
                 y=\"{}\" font-size=\"9\">{ratio:.2}</text>",
                to - from,
                BAR - 4.0,
                to + 3.0,
                y + 9.0
            );
        }
    }
    text.push_str("</svg>\n");
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
        let picture = svg(&rows);
        assert_eq!(picture.matches("<rect x=").count(), 2, "{picture}");
        assert!(picture.contains("a n &lt; 5") && !picture.contains("not measured"), "{picture}");
    }
}
