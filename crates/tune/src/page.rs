//! A search as a picture: one page of HTML that needs nothing else.

use crate::Report;
use crate::record::{Trial, Verdict};
use kenaz_base::html::escape;
use kenaz_measure::page::Width;
use std::fmt::Write;

/// The size of a picture.
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 300.0;
const MARGIN: f64 = 48.0;

/// The page about a search in a program.
pub fn page(report: &Report, name: &str) -> String {
    let mut out = String::new();
    let title = format!("{name}, tuned");
    let _ = writeln!(out, "<h1>{}</h1>", escape(&title));
    let usable = report.trials.iter().filter(|trial| trial.is_usable()).count();
    let _ = writeln!(
        out,
        "<p>{} The compiler obeys {} choices of an attribute at an operator, refuses {}, and {} more make no difference. \
         {usable} of {} candidates could be measured.</p>",
        verdict(report),
        report.choices.len(),
        report.refused,
        report.same,
        report.trials.len(),
    );
    data(&mut out, report);
    let _ = write!(out, "<h2>Candidates in the order in which they were tried</h2>\n{}", landscape(report));
    let _ = write!(out, "<h2>Model and measurement</h2>\n{}", model(report));
    table(&mut out, report);
    if !report.best.0.is_empty() {
        let _ = write!(out, "<h2>The program</h2>\n<pre>{}</pre>\n", escape(&report.program));
    }
    kenaz_measure::page::page(&title, Width::Text, &out)
}

fn verdict(report: &Report) -> String {
    if report.best.0.is_empty() {
        return "Nothing that was tried is faster than the program as it is.".to_string();
    }
    format!("With the attributes below it takes {:.0} % of the time that it takes without them.", report.ratio * 100.0)
}

fn data(out: &mut String, report: &Report) {
    out.push_str("<table><tr><th>data</th><th class=\"n\">untuned, ms</th></tr>\n");
    for (name, time) in &report.data {
        let _ = writeln!(out, "<tr><td>{}</td><td class=\"n\">{:.3}</td></tr>", escape(name), time.as_secs_f64() * 1e3);
    }
    out.push_str("</table>\n");
}

/// A point of a picture, its colour, and what is said about it.
struct Point {
    x: f64,
    y: f64,
    colour: &'static str,
    title: String,
}

/// The ratio of each candidate, and the best so far as a line.
fn landscape(report: &Report) -> String {
    let measured: Vec<(usize, f64)> =
        report.trials.iter().enumerate().filter_map(|(i, trial)| Some((i, trial.ratio()?))).collect();
    let mut best = f64::INFINITY;
    let mut path = Vec::new();
    let mut points = Vec::new();
    for (i, ratio) in &measured {
        best = best.min(*ratio);
        path.push((*i as f64, best));
        let colour = if *ratio <= best { "var(--good)" } else { "var(--first)" };
        points.push(Point { x: *i as f64, y: *ratio, colour, title: label(&report.trials[*i]) });
    }
    plot(&points, &path, ["candidate", "time / untuned"])
}

/// What the model says of each candidate, relative to the untuned program, and what was measured.
fn model(report: &Report) -> String {
    let untuned = report.trials.first().map_or(1.0, |trial| trial.model).max(1.0);
    let point = |trial: &Trial| {
        let x = trial.model / untuned;
        Some(Point { x, y: trial.ratio()?, colour: "var(--first)", title: label(trial) })
    };
    let points: Vec<Point> = report.trials.iter().filter_map(point).collect();
    plot(&points, &[], ["accesses / untuned, by the model", "time / untuned"])
}

fn plot(points: &[Point], path: &[(f64, f64)], [x_title, y_title]: [&str; 2]) -> String {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        if lo < hi { (lo, hi) } else { (lo.min(1.0) - 0.5, hi.max(1.0) + 0.5) }
    };
    let (x_lo, x_hi) = range(&mut points.iter().map(|point| point.x));
    // Times are drawn by their logarithms: half and double are equally far from 1.
    let (y_lo, y_hi) = range(&mut points.iter().map(|point| point.y.ln()).chain([0.9f64.ln(), 1.1f64.ln()]));
    let x_at = |x: f64| MARGIN + (x - x_lo) / (x_hi - x_lo) * (WIDTH - 2.0 * MARGIN);
    let y_at = |y: f64| HEIGHT - MARGIN - (y.ln() - y_lo) / (y_hi - y_lo) * (HEIGHT - 2.0 * MARGIN);
    let mut out = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n");
    let mut shown: Vec<f64> = Vec::new();
    for tick in [0.1, 0.2, 0.5, 0.7, 1.0, 1.4, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
        if (y_lo..=y_hi).contains(&f64::ln(tick)) && shown.iter().all(|y| (y - y_at(tick)).abs() > 14.0) {
            shown.push(y_at(tick));
            let (y, end) = (y_at(tick), WIDTH - MARGIN);
            let colour = if tick == 1.0 { "var(--soft)" } else { "var(--line)" };
            let _ = writeln!(
                out,
                "<line x1=\"{MARGIN}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
                MARGIN - 6.0,
                y + 4.0
            );
        }
    }
    let corners: Vec<String> = path.iter().map(|(x, y)| format!("{:.1},{:.1}", x_at(*x), y_at(*y))).collect();
    if !corners.is_empty() {
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"var(--good)\" stroke-width=\"1.5\"/>",
            corners.join(" ")
        );
    }
    for Point { x, y, colour, title } in points {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{colour}\" fill-opacity=\"0.75\"><title>{}</title></circle>",
            x_at(*x),
            y_at(*y),
            escape(title)
        );
    }
    for (x, anchor) in [(x_lo, "start"), (x_hi, "end")] {
        let shown = if x.fract() == 0.0 { format!("{x}") } else { format!("{x:.2}") };
        let (at, below) = (x_at(x), HEIGHT - MARGIN + 18.0);
        let _ = writeln!(out, "<text x=\"{at:.1}\" y=\"{below:.1}\" text-anchor=\"{anchor}\">{shown}</text>");
    }
    let (middle, below) = (WIDTH / 2.0, HEIGHT - 12.0);
    let _ = writeln!(
        out,
        "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{x_title}</text>\
         <text x=\"{MARGIN}\" y=\"{:.1}\">{y_title}</text>\n</svg>",
        MARGIN - 16.0
    );
    out
}

fn table(out: &mut String, report: &Report) {
    let mut trials: Vec<&Trial> = report.trials.iter().collect();
    trials.sort_by(|a, b| {
        let key = |trial: &Trial| trial.ratio().unwrap_or(f64::INFINITY);
        key(a).total_cmp(&key(b))
    });
    out.push_str("<h2>All candidates</h2>\n<table><tr><th class=\"n\">time / untuned</th><th class=\"n\">rounds</th>");
    out.push_str("<th class=\"n\">accesses, by the model</th><th>attributes</th></tr>\n");
    for trial in trials {
        let time = match &trial.verdict {
            Verdict::Ratios(_) => trial.ratio().map_or("not measured".to_string(), |ratio| format!("{ratio:.3}")),
            Verdict::Refused => "refused".to_string(),
            Verdict::Slow => "too slow".to_string(),
            Verdict::Wrong(message) => format!("wrong: {message}"),
        };
        let _ = writeln!(
            out,
            "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.0}</td><td>{}</td></tr>",
            escape(&time),
            trial.ratios().len(),
            trial.model,
            escape(&label(trial))
        );
    }
    out.push_str("</table>\n");
}

fn label(trial: &Trial) -> String {
    if trial.choices.is_empty() { "the program as it is".to_string() } else { trial.choices.join(", ") }
}
