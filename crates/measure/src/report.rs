//! Measurements as one page.

use crate::chart::{Axis, Colour, Plot, part_bar, ratio_bar, spread_bar};
use crate::compare::{Compared, Comparison, Verdict};
use crate::page::{Width, page};
use crate::results::{Benchmark, Measurement, Outcome, Results};
use crate::statistics::{Kept, interval, least, mean, median, most, quantile, sorted, without_outliers};
use crate::table::{bytes, ratio, round, sum, time, verdict};
use kenaz_base::html::escape;
use std::fmt::Write;

/// What there is to draw.
pub struct Report<'a> {
    pub title: String,
    /// What it was measured with: names of things and what they are.
    pub facts: Vec<(String, String)>,
    /// One or two sides with their names.
    pub sides: Vec<(String, &'a Results)>,
    /// How the second side differs from the first.
    pub comparison: Option<&'a Comparison>,
    /// How many bytes a copy reads and writes in a second.
    pub copy_rate: Option<f64>,
}

const COLOURS: [Colour; 2] = [Colour::First, Colour::Second];

impl Report<'_> {
    pub fn page(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "<h1>{}</h1>", escape(&self.title));
        self.summary(&mut out);
        let parts = [
            ("ratios", "Ratios", self.ratios()),
            ("times", "Times", self.times()),
            ("growth", "Growth", self.growth()),
            ("spread", "Spread of the runs", self.spread()),
            ("machine", "Machine", self.machine()),
        ];
        let parts: Vec<_> = parts.into_iter().filter(|(_, _, body)| !body.is_empty()).collect();
        let links = parts.iter().map(|(id, title, _)| format!("<a href=\"#{id}\">{title}</a>")).collect::<String>();
        let _ = writeln!(out, "<nav aria-label=\"Parts of this page\">{links}</nav>");
        for (id, title, body) in parts {
            let _ = write!(out, "<section id=\"{id}\"><h2>{title}</h2>\n{body}</section>\n");
        }
        page(&self.title, Width::Screen, &out)
    }

    fn summary(&self, out: &mut String) {
        if let (Some(comparison), [(first, _), (second, _)]) = (self.comparison, &*self.sides)
            && let Some(sum) = sum(comparison, [first, second])
        {
            let _ = writeln!(out, "<p>{}.</p>", escape(sum.trim_end()));
        }
        let all = || self.sides.iter().flat_map(|(_, results)| results.iter());
        let failed = all().filter(|(_, _, outcome)| outcome.measurement().is_none()).count();
        let runs: usize = all().filter_map(|(_, _, outcome)| Some(outcome.measurement()?.times.len())).sum();
        let _ = write!(out, "<p class=\"soft\">{} data sets, {runs} runs", all().count() - failed);
        if failed > 0 {
            let _ = write!(out, ", <span class=\"bad\">{failed} failed</span>");
        }
        out.push_str(".</p>\n");
    }

    fn ratios(&self) -> String {
        let (Some(comparison), [(first, _), (second, _)]) = (self.comparison, &*self.sides) else {
            return String::new();
        };
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<p>The time of {} divided by that of {}: less than 1 is faster. The thin line is the 95&nbsp;% interval; \
             scales are logarithmic.</p>",
            escape(second),
            escape(first)
        );
        let ratios = comparison.rows.iter().filter_map(|row| Some(row.difference?.ratio));
        let most = ratios.fold(2.0f64, |most, ratio| most.max(ratio).max(1.0 / ratio));
        let mut last = "";
        for row in &comparison.rows {
            if last != row.benchmark {
                out.push_str(if last.is_empty() { "" } else { "</tbody></table>\n" });
                last = &row.benchmark;
                let _ = write!(
                    out,
                    "<h3>{}</h3>\n<table class=\"cards\"><thead><tr><th>data</th><th class=\"n\">{}</th>\
                     <th class=\"n\">{}</th><th class=\"n\">ratio</th><th></th><th class=\"n\">interval</th>\
                     <th class=\"n\">memory</th><th>verdict</th></tr></thead><tbody>\n",
                    escape(last),
                    escape(first),
                    escape(second)
                );
            }
            ratio_row(&mut out, row, [first, second], most);
        }
        out.push_str(if last.is_empty() { "" } else { "</tbody></table>\n" });
        for (benchmark, dataset, why) in &comparison.missing {
            let _ = writeln!(out, "<p class=\"soft\">{}, {}: {}</p>", escape(benchmark), escape(dataset), escape(why));
        }
        out
    }

    fn times(&self) -> String {
        let mut out = String::new();
        for (side, results) in &self.sides {
            for (name, Benchmark { datasets }) in &results.benchmarks.0 {
                let _ = write!(out, "<h3>{}", escape(name));
                if self.sides.len() > 1 {
                    let _ = write!(out, " <span class=\"soft\">{}</span>", escape(side));
                }
                out.push_str(
                    "</h3>\n<table class=\"cards\"><thead><tr><th>data</th><th class=\"n\">mean</th>\
                     <th class=\"n\">95&nbsp;% interval</th><th class=\"n\">median</th><th>spread</th>\
                     <th class=\"n\">runs</th><th class=\"n\">remarks</th><th class=\"n\">memory</th>\
                     <th class=\"n\">moves at least</th><th>share of a copy</th></tr></thead><tbody>\n",
                );
                for (set, outcome) in &datasets.0 {
                    self.time_row(&mut out, set, outcome);
                }
                out.push_str("</tbody></table>\n");
            }
        }
        if let Some(rate) = self.copy_rate {
            let _ = writeln!(
                out,
                "<p class=\"soft\">A copy of an array in memory moves {}/s. A run moves at least its arguments and \
                 results; those that fit into the caches, and results that share memory with arguments, can be faster than a \
                 copy.</p>",
                bytes(rate as u64)
            );
        }
        out
    }

    fn time_row(&self, out: &mut String, set: &str, outcome: &Outcome) {
        let usual = |measurement: &Measurement| {
            Some(without_outliers(&measurement.times)).filter(|kept| !kept.numbers.is_empty())
        };
        let measurement = match outcome {
            Outcome::Failed(message) => {
                let _ = writeln!(
                    out,
                    "<tr><td>{}</td><td colspan=\"9\" class=\"bad\">{}</td></tr>",
                    escape(set),
                    escape(message).replace('\n', "<br>")
                );
                return;
            }
            Outcome::Measured(measurement) => measurement,
        };
        let Some(kept) = usual(measurement) else { return };
        let found = interval(&kept.numbers);
        let sorted = sorted(&kept.numbers);
        let at = |part: f64| {
            let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
            if high > low { (quantile(&sorted, part) - low) / (high - low) } else { 0.5 }
        };
        let range = format!("{} … {}", time(sorted[0]), time(sorted[sorted.len() - 1]));
        let rate = measurement.touched_bytes().filter(|_| found.mean >= 1.0).map(|all| all as f64 / found.mean * 1e6);
        let cells = [
            ("mean", "n", time(found.mean)),
            ("95 % interval", "n", format!("{} … {}", time(found.low().max(0.0)), time(found.high()))),
            ("median", "n", time(median(&measurement.times))),
            (
                "spread",
                "",
                format!("{}<span class=\"soft\">{range}</span>", spread_bar([0.0, at(0.25), at(0.5), at(0.75), 1.0])),
            ),
            ("runs", "n", measurement.times.len().to_string()),
            ("remarks", "n", remarks(measurement, &kept)),
            ("memory", "n", if measurement.bytes.is_empty() { String::new() } else { bytes(measurement.peak()) }),
            ("moves at least", "n", rate.map_or(String::new(), |rate| format!("{}/s", bytes(rate as u64)))),
            (
                "share of a copy",
                "",
                rate.zip(self.copy_rate).map_or(String::new(), |(rate, copy)| {
                    format!("{}<span class=\"soft\">{:.0} %</span>", part_bar(rate / copy), 100.0 * rate / copy)
                }),
            ),
        ];
        let _ = write!(out, "<tr><td>{}</td>", escape(set));
        for (name, class, cell) in cells {
            put(out, name, class, &cell);
        }
        out.push_str("</tr>\n");
    }

    /// Times over sizes, for entry points with several data sets.
    fn growth(&self) -> String {
        let mut panels = String::new();
        let names: Vec<&str> = self
            .sides
            .first()
            .map_or(Vec::new(), |(_, results)| results.benchmarks.0.iter().map(|(name, _)| name.as_str()).collect());
        for name in names {
            let curves: Vec<Vec<Growing>> = self.sides.iter().map(|(_, results)| sizes(results, name)).collect();
            let differ = curves.iter().flatten().any(|point| Some(point.bytes) != curves[0].first().map(|p| p.bytes));
            if differ {
                panels.push_str(&self.growth_panel(name, &curves));
            }
        }
        if panels.is_empty() {
            return panels;
        }
        let copy = if self.copy_rate.is_some() { " The dashed line is a copy of as many bytes." } else { "" };
        format!(
            "<p>Mean times over the bytes of arguments and results, both logarithmic.{copy} Each point tells what it is \
             when the pointer or the Tab key comes to it.{}</p>\n<div class=\"panels\">\n{panels}</div>\n",
            self.legend()
        )
    }

    fn growth_panel(&self, name: &str, curves: &[Vec<Growing>]) -> String {
        let all = || curves.iter().flatten();
        let x = Axis::logarithmic(all().map(|point| point.bytes));
        let y = Axis::logarithmic(all().map(|point| point.time));
        let mut plot = Plot::new(&format!("{name}: time over size"), x, y);
        plot.rows(|value| round(&time(value)));
        plot.columns(|value| round(&bytes(value as u64)));
        if let Some(rate) = self.copy_rate {
            let ends = [
                least(&all().map(|point| point.bytes).collect::<Vec<_>>()),
                most(&all().map(|point| point.bytes).collect::<Vec<_>>()),
            ];
            // Only as far as it can be seen.
            let points: Vec<(f64, f64)> = (0..=40)
                .map(|i| ends[0] * (ends[1] / ends[0]).powf(f64::from(i) / 40.0))
                .map(|bytes| (bytes, bytes / rate * 1e6))
                .filter(|(_, time)| y.contains(*time))
                .collect();
            plot.guide(&points, "copy");
        }
        for (curve, colour) in curves.iter().zip(COLOURS) {
            plot.curve(&curve.iter().map(|point| (point.bytes, point.time)).collect::<Vec<_>>(), colour);
        }
        for ((curve, colour), (side, _)) in curves.iter().zip(COLOURS).zip(&self.sides) {
            for point in curve {
                let side = if curves.len() > 1 { format!("{side}, ") } else { String::new() };
                plot.told_point(
                    (point.bytes, point.time),
                    colour,
                    &format!("{side}{}: {}", cut(point.name), time(point.time)),
                );
            }
        }
        let powers: Vec<String> = curves.iter().filter_map(|curve| Some(format!("{:.2}", power(curve)?))).collect();
        let said = match powers.is_empty() {
            true => String::new(),
            false => format!(" <span>as size to the power {}</span>", powers.join(" and ")),
        };
        format!("<figure><figcaption>{}{said}</figcaption>\n{}</figure>\n", escape(name), plot.svg())
    }

    fn legend(&self) -> String {
        if self.sides.len() < 2 {
            return String::new();
        }
        let key = |((name, _), class): (&(String, &Results), &str)| {
            format!("<span class=\"key {class}\"></span>{}", escape(name))
        };
        format!(" {}", self.sides.iter().zip(["first", "second"]).map(key).collect::<Vec<_>>().join(" "))
    }

    /// All runs in their order.
    fn spread(&self) -> String {
        let mut panels = String::new();
        for ((side, results), colour) in self.sides.iter().zip(COLOURS) {
            for (benchmark, set, outcome) in results.iter() {
                let Some(measurement) = outcome.measurement().filter(|measurement| !measurement.times.is_empty())
                else {
                    continue;
                };
                let side = if self.sides.len() > 1 { format!("{side}, ") } else { String::new() };
                let caption = format!("{benchmark} <span>{side}{}</span>", escape(set));
                let caption = caption.replacen(benchmark, &escape(benchmark), 1);
                let picture = runs(&format!("{benchmark}, {set}: the runs in their order"), measurement, colour);
                let _ = write!(panels, "<figure><figcaption>{caption}</figcaption>\n{picture}</figure>\n");
            }
        }
        if panels.is_empty() {
            return panels;
        }
        format!(
            "<p>Times of the runs in their order, from left to right; of many runs the least, the median and the greatest of \
             some that follow one another. The band is the 95&nbsp;% interval of the mean, crosses are outliers, which are \
             at the border where they do not fit.</p>\n<div class=\"panels\">\n{panels}</div>\n"
        )
    }

    fn machine(&self) -> String {
        if self.facts.is_empty() {
            return String::new();
        }
        let mut out = String::from("<table>\n");
        for (name, fact) in &self.facts {
            let _ = writeln!(out, "<tr><th scope=\"row\">{}</th><td>{}</td></tr>", escape(name), escape(fact));
        }
        out.push_str("</table>\n");
        out
    }
}

fn put(out: &mut String, name: &str, class: &str, cell: &str) {
    if cell.is_empty() {
        out.push_str("<td></td>");
        return;
    }
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = write!(out, "<td{class} data-name=\"{name}\">{cell}</td>");
}

fn ratio_row(out: &mut String, row: &Compared, [first, second]: [&str; 2], most: f64) {
    let _ = write!(out, "<tr><td>{}</td>", escape(&row.dataset));
    put(out, &escape(first), "n", &time(row.means.0));
    put(out, &escape(second), "n", &time(row.means.1));
    match row.difference {
        None => out.push_str("<td></td><td></td><td></td>"),
        Some(found) => {
            put(out, "ratio", "n", &ratio(found.ratio));
            put(out, "", "", &ratio_bar(found.ratio, (found.low, found.high), most));
            put(out, "interval", "n", &format!("{} … {}", ratio(found.low), ratio(found.high)));
        }
    }
    let peaks =
        if row.peaks == (0, 0) { String::new() } else { format!("{} → {}", bytes(row.peaks.0), bytes(row.peaks.1)) };
    put(out, "memory", "n", &peaks);
    let (class, said) = match row.difference {
        None => ("soft", "too few runs, or too short".to_string()),
        Some(found) => {
            let class = match found.verdict() {
                Verdict::Faster => "good",
                Verdict::Slower => "bad",
                Verdict::Undecided => "soft",
            };
            (class, verdict(&found))
        }
    };
    put(out, "verdict", class, &escape(&said));
    out.push_str("</tr>\n");
}

fn remarks(measurement: &Measurement, kept: &Kept) -> String {
    let mut said = Vec::new();
    if kept.outliers > 0 {
        let plural = if kept.outliers == 1 { "" } else { "s" };
        said.push(format!("{} outlier{plural}, up to {}", kept.outliers, time(most(&measurement.times))));
    }
    if measurement.converged == Some(false) {
        said.push("unsteady".to_string());
    }
    said.join("; ")
}

/// A data set whose size is known, and how long it takes.
struct Growing<'a> {
    name: &'a str,
    bytes: f64,
    time: f64,
}

/// The data sets of an entry point from the smallest to the largest.
fn sizes<'a>(results: &'a Results, benchmark: &str) -> Vec<Growing<'a>> {
    let datasets = results.benchmarks.get(benchmark).map_or(&[][..], |benchmark| &benchmark.datasets.0);
    let point = |(name, outcome): &'a (String, Outcome)| {
        let measurement = outcome.measurement()?;
        let kept = without_outliers(&measurement.times);
        let bytes = measurement.touched_bytes().filter(|bytes| *bytes > 0)? as f64;
        let time = (!kept.numbers.is_empty()).then(|| mean(&kept.numbers)).filter(|time| *time > 0.0)?;
        Some(Growing { name, bytes, time })
    };
    let mut points: Vec<Growing<'_>> = datasets.iter().filter_map(point).collect();
    points.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
    points
}

/// The power of the size with which times grow, by least squares of logarithms; none of one size only.
fn power(points: &[Growing<'_>]) -> Option<f64> {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|point| (point.bytes.ln(), point.time.ln())).collect();
    let (x, y): (Vec<f64>, Vec<f64>) = logarithms.iter().copied().unzip();
    let (x, y) = (mean(&x), mean(&y));
    let varies: f64 = logarithms.iter().map(|(a, _)| (a - x).powi(2)).sum();
    let together: f64 = logarithms.iter().map(|(a, b)| (a - x) * (b - y)).sum();
    (varies > 0.0).then(|| together / varies)
}

/// A name that fits into a picture.
fn cut(name: &str) -> String {
    const MOST: usize = 32;
    match name.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &name[..at]),
        None => name.to_string(),
    }
}

/// The runs of a data set in their order.
fn runs(said: &str, measurement: &Measurement, colour: Colour) -> String {
    /// So many points can be told apart.
    const MOST: usize = 200;
    let times = &measurement.times;
    let kept = without_outliers(times);
    let found = interval(&kept.numbers);
    let is_outlier = |time: f64| !(kept.fences.0..=kept.fences.1).contains(&time);
    let mut plot =
        Plot::new(said, Axis::linear(&[0.0, times.len().saturating_sub(1) as f64]), Axis::linear(&kept.numbers));
    plot.rows(|value| round(&time(value)));
    if found.half.is_finite() {
        plot.band((found.low(), found.high()), colour);
    }
    let size = times.len().div_ceil(MOST);
    let (mut points, mut crosses) = (Vec::new(), Vec::new());
    for (batch, begin) in times.chunks(size).zip((0..).step_by(size)) {
        let at = begin as f64 + (batch.len() - 1) as f64 / 2.0;
        let usual: Vec<f64> = batch.iter().copied().filter(|time| !is_outlier(*time)).collect();
        if batch.len() == 1 {
            points.extend(usual.iter().map(|time| (at, *time)));
        } else if !usual.is_empty() {
            points.extend([least(&usual), median(&usual), most(&usual)].map(|time| (at, time)));
        }
        if batch.iter().any(|time| is_outlier(*time)) {
            crosses.push((at, most(batch)));
        }
    }
    points.dedup();
    plot.dots(&points, colour);
    plot.crosses(&crosses);
    plot.below(&format!("{} runs", times.len()));
    plot.svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn measured(time: f64, size: u64) -> Outcome {
        let mut times: Vec<f64> = (0..300).map(|i| time + f64::from(i % 3)).collect();
        times[7] = 20.0 * time;
        Outcome::Measured(Measurement {
            times,
            bytes: BTreeMap::from([("default space".to_string(), size)]),
            input_bytes: Some(size),
            output_bytes: Some(size),
            converged: Some(true),
        })
    }

    fn results(factor: f64) -> Results {
        let mut results = Results::default();
        for (set, size) in [("small", 1000), ("[9]<big>", 1_000_000)] {
            results.add("a.fut:main", set, measured(factor * size as f64 / 10.0, size));
        }
        results.add("b.fut:main", "bad", Outcome::Failed("no\n<luck>".to_string()));
        results
    }

    fn report<'a>(sides: &[&'a Results], comparison: Option<&'a Comparison>) -> Report<'a> {
        Report {
            title: "a & b".to_string(),
            facts: vec![("processor".to_string(), "fast".to_string())],
            sides: ["old", "new"].iter().zip(sides).map(|(name, side)| (name.to_string(), *side)).collect(),
            comparison,
            copy_rate: Some(1e10),
        }
    }

    #[test]
    fn one_side_has_times_growth_and_spread() {
        let results = results(1.0);
        let page = report(&[&results], None).page();
        for part in ["#times", "#growth", "#spread", "#machine"] {
            assert!(page.contains(&format!("href=\"{part}\"")), "{part}");
        }
        assert!(!page.contains("#ratios"));
        assert!(page.contains("[9]&lt;big&gt;") && page.contains("&lt;luck&gt;") && !page.contains("<luck>"));
        // 2,000 bytes in 101 microseconds, without the outlier.
        assert!(
            page.contains("101.0 µs") && page.contains("19.8 MB/s") && page.contains("1 outlier, up to 2.000 ms"),
            "{page}"
        );
        assert_eq!(page.matches("<figure>").count(), 1 + 2);
        assert_eq!(page.matches("tabindex=\"0\"").count(), 2);
        assert_eq!(page.matches("<section").count(), page.matches("</section>").count());
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
        assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    }

    #[test]
    fn growth_is_a_power() {
        let growing = |bytes: f64, time: f64| Growing { name: "", bytes, time };
        let found = power(&[growing(1.0, 3.0), growing(10.0, 300.0), growing(100.0, 30_000.0)]).unwrap();
        assert!((found - 2.0).abs() < 1e-9);
        assert_eq!(power(&[growing(1.0, 3.0), growing(1.0, 4.0)]), None);
        assert!(power(&[]).is_none());
    }

    #[test]
    fn two_sides_have_ratios_too() {
        let (old, new) = (results(1.0), results(0.5));
        let comparison = Comparison::of(&old, &new);
        let page = report(&[&old, &new], Some(&comparison)).page();
        assert!(page.contains("#ratios") && page.contains("faster, &gt; 99.9 %"), "{page}");
        assert!(page.contains("new takes 0.50 times as long as old"), "{page}");
        // A panel of growth with two curves, and four of runs.
        assert_eq!(page.matches("<figure>").count(), 1 + 4);
        assert!(page.contains("failed in the first"));
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        let mut empty = Results::default();
        let none = Measurement {
            times: Vec::new(),
            bytes: BTreeMap::new(),
            input_bytes: None,
            output_bytes: None,
            converged: None,
        };
        empty.add("a.fut:main", "none", Outcome::Measured(none));
        let page = report(&[&empty], None).page();
        assert!(!page.contains("<figure>") && !page.contains("NaN"), "{page}");
    }
}
