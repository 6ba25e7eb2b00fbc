//! Finding the first wrong rewrite of a pipeline.

use crate::{BrokenPass, Options, run};
use kenaz_ir::{Pass, Prog};

/// The first rewrite after which a program is wrong.
#[derive(Debug)]
pub struct Culprit {
    /// How many rewrites come before it.
    pub fuel: u64,
    pub pass: &'static str,
    pub rule: &'static str,
    pub before: Prog,
    pub after: Prog,
}

/// Searches for the rewrite that makes a program wrong, if the whole pipeline does. A program is wrong when the checker
/// refuses it or `is_right` does.
pub fn bisect(prog: &Prog, passes: &[&'static Pass], mut is_right: impl FnMut(&Prog) -> bool) -> Option<Culprit> {
    let mut attempt = |fuel: Option<u64>| {
        let mut out = prog.clone();
        let mut last = "";
        let options = Options { fuel, check: true };
        let ran = run(&mut out, passes, options, |pass, _| last = pass.name);
        match ran {
            Ok(report) => {
                let right = is_right(&out);
                (right, report.log.used(), report.log.last(), out)
            }
            Err(broken) => {
                let BrokenPass { rewrite, after, .. } = *broken;
                (false, u64::MAX, rewrite, after)
            }
        }
    };
    let (right, most, ..) = attempt(None);
    if right {
        return None;
    }
    // Right with `low` rewrites, wrong with `high`.
    let (mut low, mut high) = (0, most);
    if high == u64::MAX {
        high = 1;
        while attempt(Some(high)).0 {
            low = high;
            high = high.checked_mul(2)?;
        }
    }
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if attempt(Some(middle)).0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (_, _, _, before) = attempt(Some(low));
    let (_, _, rule, after) = attempt(Some(high));
    let pass = passes.iter().find(|pass| uses_fuel_at(prog, passes, pass, high));
    Some(Culprit { fuel: low, pass: pass.map_or("", |p| p.name), rule: rule.unwrap_or(""), before, after })
}

/// Whether the rewrite with this number happens in a pass.
fn uses_fuel_at(prog: &Prog, passes: &[&'static Pass], wanted: &&&'static Pass, number: u64) -> bool {
    let mut out = prog.clone();
    let mut log = kenaz_ir::Log::with_fuel(number);
    for pass in passes {
        (pass.run)(&mut out, &mut log);
        if log.used() == number {
            return std::ptr::eq(*pass, **wanted);
        }
    }
    false
}
