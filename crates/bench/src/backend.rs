//! The back ends that are measured, which both compilers call by the same names, and how fast ours should be.

use crate::summary::Goal;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Backend {
    C,
    Multicore,
}

/// What the ratios of the programs of bench/c should come to.
pub struct Goals {
    pub mean: Goal,
    pub median: Goal,
    pub least: Goal,
    pub to_c: Goal,
    /// These were set for sequential C only.
    pub sequential: Option<SequentialGoals>,
}

pub struct SequentialGoals {
    pub cpp: Goal,
    pub memory: Goal,
    pub lines_of_smallest: Goal,
}

impl Backend {
    /// The word that stands behind the name of a compiler.
    pub fn name(self) -> &'static str {
        match self {
            Backend::C => "c",
            Backend::Multicore => "multicore",
        }
    }

    pub fn goals(self) -> Goals {
        use Goal::{AtLeast, AtMost};
        match self {
            Backend::C => Goals {
                mean: AtLeast(1.3),
                median: AtLeast(1.15),
                least: AtLeast(0.9),
                to_c: AtLeast(5.0),
                sequential: Some(SequentialGoals {
                    cpp: AtLeast(1.0),
                    memory: AtMost(1.05),
                    lines_of_smallest: AtMost(2000.0),
                }),
            },
            Backend::Multicore => Goals {
                mean: AtLeast(1.5),
                median: AtLeast(1.2),
                least: AtLeast(0.9),
                to_c: AtLeast(2.0),
                sequential: None,
            },
        }
    }
}
