//! Finding the first wrong rewrite of a pipeline.

use crate::compare::guarded;
use crate::{Pipeline, step};
use kenaz_ir::{Log, PassCx, Prog, Rewrite};

/// The first rewrite after which a program is wrong.
#[derive(Debug)]
pub struct Culprit {
    /// How many rewrites come before it.
    pub fuel: u64,
    /// Not there if a pass makes the program wrong without asking.
    pub rewrite: Option<Rewrite>,
    pub before: Prog,
    /// The program with it; if the pass panics, what it had made by then.
    pub after: Prog,
}

/// Searches for the rewrite that makes a program wrong, if the whole pipeline does. A program is wrong when a pass
/// panics, the checker refuses it or `is_right` does.
pub fn bisect(prog: &Prog, pipeline: &Pipeline, mut is_right: impl FnMut(&Prog) -> bool) -> Option<Culprit> {
    let mut attempt = |log: Log| Attempt::new(prog, pipeline, log, &mut is_right);
    let mut wrong = attempt(Log::new());
    if wrong.is_right {
        return None;
    }
    let mut right = attempt(Log::with_fuel(0));
    if !right.is_right {
        return Some(Culprit { fuel: 0, rewrite: None, before: prog.clone(), after: right.prog });
    }
    // With as much fuel as was used the same happens, also if a pass panicked on the way.
    let (mut low, mut high) = (0, wrong.cx.log.used());
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        let tried = attempt(Log::with_fuel(middle));
        if tried.is_right {
            (low, right) = (middle, tried);
        } else {
            (high, wrong) = (middle, tried);
        }
    }
    Some(Culprit { fuel: low, rewrite: wrong.cx.log.last(), before: right.prog, after: wrong.prog })
}

struct Attempt {
    prog: Prog,
    cx: PassCx,
    is_right: bool,
}

impl Attempt {
    fn new(prog: &Prog, pipeline: &Pipeline, log: Log, is_right: &mut impl FnMut(&Prog) -> bool) -> Attempt {
        let cx = PassCx::new(pipeline.target, log);
        let mut attempt = Attempt { prog: prog.clone(), cx, is_right: true };
        for pass in &pipeline.passes {
            let Attempt { prog, cx, is_right } = &mut attempt;
            *is_right = guarded(|| step(prog, pass, true, cx)).is_ok_and(|ran| ran.is_ok());
            if !*is_right {
                return attempt;
            }
        }
        attempt.is_right = is_right(&attempt.prog);
        attempt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_ir::{BinOp, Exp, Operand, Pass};

    /// Turns sums into differences, one after the other.
    const WRONG: Pass = Pass { name: "wrong", about: "", stage: None, run: subtract };

    fn subtract(prog: &mut Prog, cx: &mut PassCx) {
        for stm in &mut prog.funs[0].body.stms {
            if let Exp::Bin(op @ BinOp::Add, x, _) = &mut stm.exp
                && cx.log.fire(if *x == Operand::i64(5) { "panics" } else { "subtracts" })
            {
                assert_ne!(*x, Operand::i64(5));
                *op = BinOp::Sub;
            }
        }
    }

    fn culprit(first: i64) -> (u64, Option<&'static str>, bool) {
        let text = format!(
            "fun main (n_1: i64) : (i64) = {{\n\
             let a_2: i64 = add n_1 0\nlet b_3: i64 = add {first} 0\nlet c_4: i64 = add b_3 a_2\nin c_4 }}"
        );
        let prog = kenaz_ir::parse::prog(&text).expect("it is right");
        let found = bisect(&prog, &Pipeline { target: &kenaz_ir::target::C, passes: vec![&WRONG] }, |prog| {
            !prog.to_string().contains("sub b_3 a_2")
        })
        .expect("it is wrong");
        assert!(found.before.to_string().contains("sub n_1 0"));
        (found.fuel, found.rewrite.map(|rewrite| rewrite.rule), found.after.to_string().contains("sub b_3 a_2"))
    }

    #[test]
    fn the_first_wrong_rewrite_is_found() {
        assert_eq!(culprit(4), (2, Some("subtracts"), true));
    }

    #[test]
    fn a_panic_is_wrong() {
        assert_eq!(culprit(5), (1, Some("panics"), false));
    }
}
