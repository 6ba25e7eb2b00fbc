//! How often each kind of statement occurs, and how deeply nested, as for the stages before.

use crate::{Prog, Region, Stm};
use kenaz_base::{Symbol, with_stack};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;

/// For each kind of statement, how often it occurs with so many loops and launches around it.
///
/// It prints as [`kenaz_ir::metrics::Metrics`] does: `for 3 depth 1 (0: 1, 1: 2)`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Metrics {
    counts: BTreeMap<&'static str, BTreeMap<usize, usize>>,
}

impl Metrics {
    pub fn of(prog: &Prog) -> Metrics {
        let mut metrics = Metrics::default();
        let regions = prog.regions.iter().map(|region| (region.name, region)).collect();
        prog.funs.iter().for_each(|fun| metrics.add(&fun.body, 0, &regions));
        metrics
    }

    /// How often a kind of statement occurs.
    pub fn count(&self, kind: &str) -> usize {
        self.counts.get(kind).map_or(0, |depths| depths.values().sum())
    }

    fn add(&mut self, stms: &[Stm], depth: usize, regions: &FxHashMap<Symbol, &Region>) {
        with_stack(|| {
            for stm in stms {
                *self.counts.entry(kind(stm)).or_default().entry(depth).or_default() += 1;
                let nests = usize::from(matches!(
                    stm,
                    Stm::For { .. } | Stm::While { .. } | Stm::Parallel { .. } | Stm::Lanes { .. }
                ));
                stm.for_each_body(|body| self.add(body, depth + nests, regions));
                if let Stm::Launch { region, .. } = stm
                    && let Some(region) = regions.get(region)
                {
                    self.add(&region.body, depth + 1, regions);
                }
            }
        });
    }
}

/// What a statement is called, mostly by the word it begins with in the text form.
fn kind(stm: &Stm) -> &'static str {
    match stm {
        Stm::Let { .. } => "let",
        Stm::Declare { .. } => "var",
        Stm::Set { .. } | Stm::SetBlock { .. } => "set",
        Stm::Alloc { .. } => "alloc",
        Stm::Local { .. } => "local",
        Stm::Table { .. } => "table",
        Stm::Free { .. } => "free",
        Stm::Share { .. } => "share",
        Stm::Workers { .. } => "workers",
        Stm::Width { .. } => "width",
        Stm::Tunable { .. } => "tunable",
        Stm::Shared { .. } => "shared",
        Stm::Lanes { .. } => "lanes",
        Stm::PerLane { .. } => "per lane",
        Stm::Combine { .. } => "combine",
        Stm::Board { .. } => "board",
        Stm::Take { .. } => "take",
        Stm::Publish { .. } => "publish",
        Stm::Await { .. } => "await",
        Stm::Slot { .. } => "slot",
        Stm::Store { .. } => "store",
        Stm::Race { .. } => "race",
        Stm::Update { .. } => "update",
        Stm::Read { .. } => "read",
        Stm::Write { .. } => "write",
        Stm::Chunks { .. } => "chunks",
        Stm::Streams { .. } => "streams",
        Stm::Stream { .. } => "stream",
        Stm::Parallel { .. } => "parallel",
        Stm::Launch { .. } => "launch",
        Stm::Copy { .. } => "copy",
        Stm::For { .. } => "for",
        Stm::While { .. } => "while",
        Stm::If { .. } => "if",
        Stm::Switch { .. } => "switch",
        Stm::Call { .. } => "call",
        Stm::Assert { .. } => "assert",
        Stm::Trace { .. } => "trace",
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, depths) in &self.counts {
            let deepest = depths.keys().next_back().copied().unwrap_or(0);
            write!(f, "{kind} {} depth {deepest}", self.count(kind))?;
            if depths.len() > 1 {
                let each: Vec<String> = depths.iter().map(|(depth, count)| format!("{depth}: {count}")).collect();
                write!(f, " ({})", each.join(", "))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
