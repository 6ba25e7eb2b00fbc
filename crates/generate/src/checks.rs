//! Checks wherever an expression can stand, and loops that end only because a check held before them.

use crate::gen_state::Gen;
use crate::types::{Dim, Prim, Ty};

impl Gen {
    /// A condition that nearly always holds, which nobody knows before the program runs.
    fn held(&mut self) -> String {
        let rows = |ty: &Ty| matches!(ty, Ty::Array(_, elem) if **elem == Ty::Prim(Prim::I32));
        let arrays = if self.may_repeat() && self.has_var(|var| rows(&var.ty)) { 2 } else { 0 };
        match self.choices.weighted(&[4, 4, arrays, 2, 1]) {
            0 => format!("({} < 40i64)", self.dim().value()),
            1 => {
                let prim = self.int();
                format!("({} != 77{})", self.value(&Ty::Prim(prim), 0), prim.name())
            }
            2 => match self.var(|var| rows(&var.ty) && !var.unique) {
                Some(var) => format!("(all (\\x -> x != 99i32) {})", var.text),
                None => "true".to_string(),
            },
            3 => format!("({} == {} || true)", self.value(&Ty::i64(), 1), self.value(&Ty::i64(), 0)),
            _ => self.value(&Ty::Prim(Prim::Bool), 1),
        }
    }

    /// An expression under a check now and then.
    pub(crate) fn maybe_checked(&mut self, text: String, often: usize) -> String {
        if self.choices.chance(often) { format!("(assert {} {text})", self.held()) } else { text }
    }

    /// A check whose value nobody wants.
    pub(crate) fn check_alone(&mut self, depth: usize) -> Vec<String> {
        let (condition, ty) = (self.held(), self.any());
        vec![format!("let _ = assert {condition} {}", self.value(&ty, depth - 1))]
    }

    /// An array whose size is under a check.
    pub(crate) fn checked_size(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let (size, ty) = (format!("(assert {} {})", self.held(), dim.value()), Ty::array(dim.clone(), elem.clone()));
        if *elem == Ty::i64() && self.choices.chance(2) {
            return format!("((iota {size}) :> {ty})");
        }
        format!("((replicate {size} {}) :> {ty})", self.value(elem, depth))
    }

    /// A number that is positive most of the time.
    fn positive(&mut self) -> String {
        let number = self.value(&Ty::i64(), 1);
        let less = if self.choices.chance(8) { 0 } else { 1 };
        format!("(i64.abs ({number}) % 20i64 + {less}i64)")
    }

    /// A number found by a loop that would not end, or not soon, if a check did not hold before it.
    pub(crate) fn ends_by_check(&mut self, prim: Prim, depth: usize) -> String {
        let (x, c, s) = (self.fresh("v"), self.fresh("c"), self.fresh("s"));
        let name = prim.name();
        let start = self.positive();
        match self.choices.below(6) {
            0 => format!(
                "({name}.i64 (let {x} = {start} in assert ({x} > 0i64) (loop ({c}, {s}) = ({x}, 0i64) \
                 while {c} != 1i64 do (if {c} % 2i64 == 0i64 then {c} / 2i64 else 3i64 * {c} + 1i64, {s} + 1i64)).1))"
            ),
            1 => {
                let step = 1 + self.choices.below(3);
                format!(
                    "({name}.i64 (let {x} = {start} * {step}i64 in assert ({x} > 0i64 && {x} % {step}i64 == 0i64) \
                     (loop ({c}, {s}) = ({x}, 0i64) while {c} != 0i64 do ({c} - {step}i64, {s} + {c})).1))"
                )
            }
            2 => format!(
                "(let {x} = {start} in assert ({x} > 0i64) ({name}.i64 (loop {c} = 1i64 while {c} < 50i64 \
                 do {c} * ({x} + 1i64))))"
            ),
            3 => {
                // The loop is in a function, the check is not.
                let text = "#[noinline]\ndef steps (x: i64) (step: i64): i64 =\n  \
                            (loop (c, s) = (0, 0) while c < x do (c + step, s + 1)).1\n";
                self.library.insert("steps".into(), text.into());
                let limit = self.value(&Ty::i64(), depth - 1);
                format!("(let {x} = {start} in assert ({x} > 0i64) ({name}.i64 (steps ({limit} % 30i64) {x})))")
            }
            4 if self.may_repeat() => {
                // Nothing in the loops depends on more than the check and the array.
                let row = self.source(&Ty::i64(), depth - 1);
                let value =
                    format!("reduce (+) 0i64 (map (\\y -> loop {c} = 0i64 while {c} < y % 20i64 do {c} + {x}) {row})");
                format!("({name}.i64 (let {x} = {start} in assert ({x} > 0i64) ({value})))")
            }
            _ => {
                // The check of the loop is a value that it uses.
                let value = self.value(&Ty::i64(), 1);
                format!(
                    "({name}.i64 (let {x} = {start} let {s} = assert ({x} != 0i64) {x} \
                     in loop {c} = {value} % 40i64 while {c} > 0i64 do {c} - {s}))"
                )
            }
        }
    }
}
