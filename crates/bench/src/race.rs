//! Programs that take turns.

use crate::{process, summary};
use anyhow::Result;
use kenaz_measure::turns;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// A program in another process that has its arguments and computes when it is asked to.
pub(crate) trait Runner {
    /// The microseconds of a run.
    fn run(&mut self) -> Result<f64>;
    /// Writes the results of the last run to a file.
    fn store(&mut self, file: &Path) -> Result<()>;
}

/// Between two turns: the threads of the one before wait awake for a while for more to do, those of OpenBLAS for 0.1 s.
const PAUSE: Duration = Duration::from_millis(150);

/// The same between compiled programs of ours and the peer's, whose threads sleep sooner.
const SHORT_PAUSE: Duration = Duration::from_millis(10);

/// For each runner and each round the median of the runs of its turn, in microseconds.
pub(crate) fn race(runners: &mut [&mut dyn Runner], rounds: u32, runs: u32) -> Result<Vec<Vec<f64>>> {
    let mut times = vec![Vec::new(); runners.len()];
    for _ in 0..rounds {
        for (runner, times) in runners.iter_mut().zip(&mut times) {
            times.push(turn(*runner, runs)?);
        }
    }
    Ok(times)
}

/// The median of the runs of a turn after a pause, in microseconds.
pub(crate) fn turn(runner: &mut dyn Runner, runs: u32) -> Result<f64> {
    thread::sleep(PAUSE);
    turn_at_once(runner, runs)
}

/// The same where all that take turns are compiled programs.
pub(crate) fn turn_of_compiled(runner: &mut dyn Runner, runs: u32) -> Result<f64> {
    thread::sleep(SHORT_PAUSE);
    turn_at_once(runner, runs)
}

/// The same for programs whose threads do not wait awake.
pub(crate) fn turn_at_once(runner: &mut dyn Runner, runs: u32) -> Result<f64> {
    let run = || -> Result<f64> {
        let time = runner.run()?;
        process::interrupted()?;
        Ok(time)
    };
    Ok(summary::median(&turns::turn(run, runs as usize)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    struct Clock<'a> {
        name: &'static str,
        time: f64,
        log: &'a std::cell::RefCell<String>,
    }

    impl Runner for Clock<'_> {
        fn run(&mut self) -> Result<f64> {
            self.log.borrow_mut().push_str(self.name);
            self.time += 5000.0;
            Ok(self.time)
        }

        fn store(&mut self, _: &Path) -> Result<()> {
            bail!("it has no results");
        }
    }

    #[test]
    fn runners_take_turns_and_warm_up() {
        let log = std::cell::RefCell::new(String::new());
        let mut a = Clock { name: "a", time: 0.0, log: &log };
        let mut b = Clock { name: "b", time: 100_000.0, log: &log };
        let times = race(&mut [&mut a, &mut b], 2, 1).unwrap();
        assert_eq!(*log.borrow(), "aabbaabb");
        assert_eq!(times, [[10_000.0, 20_000.0], [110_000.0, 120_000.0]]);
    }

    #[test]
    fn short_runs_are_repeated_in_a_turn() {
        let log = std::cell::RefCell::new(String::new());
        let mut a = Clock { name: "a", time: -4990.0, log: &log };
        // 10 microseconds warm up; then come 5010 and 10,010.
        assert_eq!(race(&mut [&mut a], 1, 1).unwrap(), [[7510.0]]);
    }
}
