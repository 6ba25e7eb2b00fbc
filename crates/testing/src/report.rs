//! What became of the tests.

use std::fmt;
use std::path::PathBuf;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// In the order of programs and of the tests in them.
    pub results: Vec<TestResult>,
}

/// One test: an entry point with one dataset, or that a program is accepted or rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestResult {
    pub program: PathBuf,
    /// The entry point and the dataset, unless it is about the program as a whole.
    pub case: Option<(String, String)>,
    pub verdict: Verdict,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Passed,
    /// What went wrong, in one or more lines.
    Failed(String),
    /// Why it was not run.
    Skipped(String),
}

impl Report {
    pub fn passed(&self) -> usize {
        self.results.iter().filter(|result| result.verdict == Verdict::Passed).count()
    }

    pub fn failed(&self) -> usize {
        self.failures().count()
    }

    pub fn failures(&self) -> impl Iterator<Item = &TestResult> {
        self.results.iter().filter(|result| matches!(result.verdict, Verdict::Failed(_)))
    }
}

/// The failures and then the numbers.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in self.failures() {
            write!(f, "{}", failure.program.display())?;
            if let Some((entry, dataset)) = &failure.case {
                write!(f, ", entry {entry}, dataset {dataset}")?;
            }
            writeln!(f, ":")?;
            if let Verdict::Failed(message) = &failure.verdict {
                message.lines().try_for_each(|line| writeln!(f, "  {line}"))?;
            }
        }
        writeln!(f, "{} passed, {} failed", self.passed(), self.failed())
    }
}
