//! What no program can be faster than: a plain copy, and arithmetic in registers, measured in the same run.

use super::prepare::{self, Who};
use crate::program::{self, Program};
use crate::race::{Runner, turn_at_once};
use crate::session::Session;
use crate::work::{self, Kind, Work};
use anyhow::Result;
use clap::Args;
use std::path::Path;

#[derive(Args)]
pub(super) struct Stated {
    /// The bandwidth of the device's memory in GB/s, instead of that of a copy
    #[arg(long, value_name = "GB/s")]
    bandwidth: Option<f64>,
    /// How fast the device computes with f32, in GFLOP/s, instead of what is measured
    #[arg(long, value_name = "GFLOP/s")]
    flops: Option<f64>,
    /// The same with f64
    #[arg(long, value_name = "GFLOP/s")]
    flops_f64: Option<f64>,
}

/// Those that are known.
#[derive(Default)]
pub(super) struct Limits {
    all: Vec<Limit>,
}

struct Limit {
    kind: Kind,
    /// In units of 10⁹ a second.
    rate: f64,
    /// Not measured.
    is_stated: bool,
}

/// The programs that are measured, and what they have to do with the device.
pub(super) const FOLDER: &str = "bench/limits";

impl Limits {
    /// Those that the user states, and the others as far as they can be measured, of which the best run counts.
    /// Problems are added to those there are.
    pub(super) fn measure(session: &Session, stated: &Stated, problems: &mut Vec<String>) -> Result<Limits> {
        let given = [(Kind::Bytes, stated.bandwidth), (Kind::F32, stated.flops), (Kind::F64, stated.flops_f64)];
        let given = given.into_iter().filter_map(|(kind, rate)| Some(Limit { kind, rate: rate?, is_stated: true }));
        let mut limits = Limits { all: given.collect() };
        let input = session.file("limit");
        for program in program::list(Path::new(FOLDER), &[])? {
            for set in program.sets.iter().filter(|set| prepare::is_wanted(session, &program, set)) {
                let Some(work) = set.work.filter(|work| limits.stated(work.kind).is_none()) else { continue };
                let best = || -> Result<f64> {
                    let executable = session.compile(&session.ours, "limits", &program)?;
                    set.write(&input)?;
                    let mut server = prepare::serve(session, Who::Ours, &executable, set, &input)?;
                    server.run()?;
                    let times = (0..session.rounds).map(|_| turn_at_once(&mut server, session.runs));
                    Ok(times.collect::<Result<Vec<_>>>()?.into_iter().fold(f64::INFINITY, f64::min))
                };
                match best() {
                    Ok(time) => limits.add(work.kind, work.rate(time.max(1.0))),
                    Err(error) => {
                        crate::process::interrupted()?;
                        problems.push(format!("{}: {error:#}", name(&program)));
                    }
                }
            }
        }
        Ok(limits)
    }

    fn stated(&self, kind: Kind) -> Option<&Limit> {
        self.all.iter().find(|limit| limit.kind == kind && limit.is_stated)
    }

    fn add(&mut self, kind: Kind, rate: f64) {
        match self.all.iter_mut().find(|limit| limit.kind == kind) {
            Some(limit) => limit.rate = limit.rate.max(rate),
            None => self.all.push(Limit { kind, rate, is_stated: false }),
        }
    }

    /// The part of what is possible that a run of so many microseconds makes of the device.
    pub(super) fn share(&self, work: Work, microseconds: f64) -> Option<f64> {
        let limit = self.all.iter().find(|limit| limit.kind == work.kind)?;
        Some(work.rate(microseconds) / limit.rate)
    }

    /// Names and values, for people.
    pub(super) fn facts(&self) -> Vec<(String, String)> {
        let fact = |limit: &Limit| {
            let what = match limit.kind {
                Kind::Bytes => "memory of the device",
                Kind::F32 => "arithmetic, f32",
                Kind::F64 => "arithmetic, f64",
            };
            let how = match (limit.is_stated, limit.kind) {
                (true, _) => "as stated",
                (false, Kind::Bytes) => "the best copy, bytes read and written",
                (false, _) => "the best run of products and sums in registers",
            };
            (what.to_string(), format!("{}, {how}", work::speed(limit.kind, limit.rate)))
        };
        self.all.iter().map(fact).collect()
    }
}

fn name(program: &Program) -> String {
    format!("limits/{}", program.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_run_is_the_limit_unless_one_is_stated() {
        let work = |text: &str| work::read(&format!("-- work \"a\": {text}\n")).unwrap()[0].1;
        let mut limits = Limits { all: vec![Limit { kind: Kind::F64, rate: 10.0, is_stated: true }] };
        limits.add(Kind::Bytes, 100.0);
        limits.add(Kind::Bytes, 400.0);
        limits.add(Kind::Bytes, 300.0);
        assert_eq!(limits.share(work("100 GB"), 1e6), Some(0.25));
        assert_eq!(limits.share(work("5 GFLOP of f64"), 1e6), Some(0.5));
        assert_eq!(limits.share(work("5 GFLOP"), 1e6), None);
        let facts = limits.facts();
        assert!(facts[0].1.contains("as stated") && facts[1].1.starts_with("400 GB/s, the best copy"), "{facts:?}");
    }

    #[test]
    fn all_limits_can_be_measured() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FOLDER);
        let works: Vec<Kind> = program::list(&folder, &[])
            .unwrap()
            .iter()
            .flat_map(|program| program.sets.iter().map(|set| set.work.expect("it says how much it does").kind))
            .collect();
        assert!([Kind::Bytes, Kind::F32, Kind::F64].iter().all(|kind| works.contains(kind)), "{works:?}");
    }
}
