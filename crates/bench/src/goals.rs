//! How fast programs should be, for each target that is measured. Both compilers call targets by the same names.

use crate::summary::Goal::{self, AtLeast, AtMost};
use anyhow::{Context, Result};
use kenaz_ir::{Target, target};

/// What the ratios of the programs of bench/c should come to.
pub(crate) struct Goals {
    pub mean: Goal,
    pub median: Option<Goal>,
    pub least: Goal,
    pub to_c: Option<Goal>,
    /// These were set for sequential C only.
    pub sequential: Option<SequentialGoals>,
}

pub(crate) struct SequentialGoals {
    pub cpp: Goal,
    pub memory: Goal,
    pub lines_of_smallest: Goal,
}

static GOALS: [(&Target, Goals); 4] = [
    (
        &target::C,
        Goals {
            mean: AtLeast(1.3),
            median: Some(AtLeast(1.15)),
            least: AtLeast(0.9),
            to_c: Some(AtLeast(5.0)),
            sequential: Some(SequentialGoals {
                cpp: AtLeast(1.0),
                memory: AtMost(1.05),
                lines_of_smallest: AtMost(2000.0),
            }),
        },
    ),
    (
        &target::MULTICORE,
        Goals {
            mean: AtLeast(1.5),
            median: Some(AtLeast(1.2)),
            least: AtLeast(0.9),
            to_c: Some(AtLeast(2.0)),
            sequential: None,
        },
    ),
    (&target::CUDA, ON_A_DEVICE),
    (&target::OPENCL, ON_A_DEVICE),
];

const ON_A_DEVICE: Goals =
    Goals { mean: AtLeast(1.8), median: Some(AtLeast(1.5)), least: AtLeast(0.9), to_c: None, sequential: None };

/// Those of the programs of bench/apps, for all targets.
pub(crate) static WHOLE_PROGRAMS: Goals =
    Goals { mean: AtLeast(1.6), median: None, least: AtLeast(0.95), to_c: None, sequential: None };

/// How many times as long as a function its derivative may take, for the programs of bench/ad that have such a goal.
pub(crate) const DERIVATIVES: [(&str, f64); 16] = [
    ("gmm", 4.0),
    ("lstm", 4.0),
    ("network", 4.0),
    ("products", 4.0),
    ("folds sum", 3.0),
    ("folds product", 4.0),
    ("folds least", 2.0),
    ("folds lines", 8.0),
    ("folds sums", 3.0),
    ("folds products", 4.0),
    ("folds leasts", 2.0),
    ("folds chain", 8.0),
    ("histograms sum", 2.5),
    ("histograms greatest", 2.5),
    ("histograms product", 2.5),
    ("steps", 3.0),
];

/// How many times faster several threads should be than one, for each of those.
pub(crate) const ON_ALL_THREADS: Goal = AtLeast(1.0);

impl Goals {
    /// Those of a target, if somebody has set any.
    pub(crate) fn of(target: &'static Target) -> Result<&'static Goals> {
        let found = GOALS.iter().find(|(of, _)| *of == target);
        found.map(|(_, goals)| goals).with_context(|| format!("there are no goals for the target `{}`", target.name))
    }
}
