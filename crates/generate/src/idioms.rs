//! Pieces for which the optimiser has rules of their own and which are rare otherwise.

use crate::gen_state::Gen;
use crate::types::{Dim, Prim, Ty};

impl Gen {
    pub(crate) fn scalar_idiom(&mut self, prim: Prim, depth: usize) -> String {
        let (ty, name) = (Ty::Prim(prim), prim.name());
        let ints = usize::from(prim.is_int());
        let bools = usize::from(prim == Prim::Bool);
        let arrays = usize::from(self.may_repeat());
        let d = depth - 1;
        let weights = [2, 3 * ints, 6 * ints, 8 * bools, 5, 3 * ints * arrays, 2 * ints * arrays, 3 * arrays];
        match self.choices.weighted(&weights) {
            0 => {
                let condition = self.value(&Ty::Prim(Prim::Bool), 1);
                format!("(if !{condition} then {} else {})", self.value(&ty, d), self.value(&ty, d))
            }
            1 => {
                let function = self.choices.pick(&["neg", "abs", "not"]);
                format!("({name}.{function} ({name}.{function} {}))", self.value(&ty, d))
            }
            2 => {
                // There and back, through a wider type or a narrower one.
                let other = if self.choices.chance(2) { Prim::I64 } else { self.int() }.name();
                let large = if self.choices.chance(2) { format!(" * 77{name}") } else { String::new() };
                format!("({name}.{other} ({other}.{name} ({}{large})))", self.value(&ty, d))
            }
            3 => {
                let compared = self.int();
                let operand = Ty::Prim(compared);
                if self.choices.chance(2) {
                    // Often of equal numbers.
                    let operator = self.choices.pick(&["<", "<=", ">", ">=", "=="]);
                    let [left, right] = [d, 0].map(|d| format!("{} % 3{}", self.value(&operand, d), compared.name()));
                    return format!("(!(({left}) {operator} ({right})))");
                }
                let operator = self.choices.pick(&["==", "!=", "<"]);
                let (one, two) = (self.literal(compared), self.literal(compared));
                format!("(({} + {one}) {operator} {two})", self.value(&operand, d))
            }
            4 => {
                // The second check follows from the first.
                let (left, right) = (self.fresh("v"), self.fresh("v"));
                let one = format!("{} <= {}", self.value(&Ty::i64(), d), self.value(&Ty::i64(), d));
                let two = format!("{} != {}", self.value(&Ty::i64(), d), self.value(&Ty::i64(), 0));
                let value = self.value(&ty, d);
                format!(
                    "(let {left} = {one} let {right} = {two} in if {left} && {right} then \
                     assert {left} {value} else {})",
                    self.value(&ty, 0)
                )
            }
            5 => {
                // A check of the last index is one of all.
                let dim = self.dim();
                let array = self.value(&Ty::array(dim.clone(), ty), d);
                let (half, a, i) = (self.fresh("k"), self.fresh("v"), self.fresh("i"));
                let size = dim.value();
                format!(
                    "(let {half} = {size} / 2i64 let {a} = {array} \
                     in reduce (+) 0{name} (tabulate {half} (\\{i} -> {a}[{i} + {half}])))"
                )
            }
            7 => {
                // An element of a copy is not what the array copied has become.
                let dim = self.dim();
                let array = self.value(&Ty::array(dim.clone(), ty.clone()), d);
                let (old, new) = (self.fresh("v"), self.fresh("a"));
                let (index, _) = self.index(&dim, 1);
                let value = self.value(&ty, d);
                format!(
                    "(if {} == 0i64 then {value} else let {new} = copy {array} let {old} = copy {new} \
                     let {new} = {new} with [{index}] = {value} in if {new}[0i64] == {value} then {old}[{index}] \
                     else {new}[0i64])",
                    dim.value()
                )
            }
            _ => {
                let dim = self.dim();
                let array = self.value(&Ty::array(dim.clone(), ty.clone()), d);
                let (index, guarded) = self.index(&dim, 1);
                let operator = self.choices.pick(&["+", "*", "^"]);
                let element = format!("((map ({operator} {}) {array})[{index}])", self.literal(prim));
                if guarded {
                    format!("(if {} > 0i64 then {element} else {})", dim.value(), self.value(&ty, 0))
                } else {
                    element
                }
            }
        }
    }

    pub(crate) fn array_idiom(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let ty = Ty::array(dim.clone(), elem.clone());
        let ints = usize::from(matches!(elem, Ty::Prim(prim) if prim.is_int()) && self.may_repeat());
        let calls = if ints > 0 && self.callable(elem) { 8 } else { 0 };
        match self.choices.weighted(&[2, 2, 2, 2, 2, 4 * ints, 2 * ints, calls]) {
            0 => {
                let (array, others) = (self.value(&ty, depth), [1, 2].map(|n| Ty::array(Dim::Const(n), elem.clone())));
                let [first, second] = others.map(|other| self.value(&other, 0));
                match self.choices.below(2) {
                    0 => format!("(take {dim} (({array} ++ {first}) ++ {second}))"),
                    _ => format!("((({first} ++ ({second} ++ {array}))[3:]) :> {ty})"),
                }
            }
            1 => {
                let array = self.value(&ty, depth);
                match self.choices.below(2) {
                    0 => format!("((([]: [0]{elem}) ++ {array}) :> {ty})"),
                    _ => format!("(({array} ++ (replicate 0i64 {})) :> {ty})", self.value(elem, 0)),
                }
            }
            2 => {
                let (a, all) = (self.fresh("a"), self.value(&ty, depth));
                let start = self.value(&ty, 0);
                format!("(let {a} = copy {start} in {a} with [0i64:{}] = {all})", dim.value())
            }
            3 => {
                // A slice of a slice, backwards or with gaps.
                let array = self.value(&Ty::array(dim.clone(), elem.clone()), depth);
                let more = self.value(&ty, 0);
                let inner = self.choices.pick(&["[::-1]", "[1:]", "[::2]"]);
                let all = format!("({array} ++ {more} ++ {more})");
                let outer = self.choices.pick(&["[1:]", "[::-1]", ""]);
                // There are at least as many elements as needed, but for arrays of one element.
                let least = format!("({} > 1i64)", dim.value());
                format!("(if {least} then (({all}{inner}){outer})[:{}] :> {ty} else {more})", dim.value())
            }
            5 => {
                // A view that is the same for all rows.
                let (rows, columns) = (self.dim(), self.dim());
                let table = self.value(&Ty::array(rows, Ty::array(columns, elem.clone())), depth);
                let (t, array) = (self.fresh("v"), self.value(&ty, depth));
                format!(
                    "(let {t} = {table} in map (\\x -> reduce (+) 0{elem} (map (\\row -> x * reduce (+) 0{elem} row) \
                     (transpose {t}))) {array})"
                )
            }
            6 => {
                // A sum with checks in it that is the same for all rows.
                let (of, number) = (self.dim(), self.dim());
                let source = self.value(&Ty::array(of.clone(), elem.clone()), depth);
                let indices = self.value(&Ty::array(number, Ty::i64()), depth);
                let (t, js, array) = (self.fresh("v"), self.fresh("v"), self.value(&ty, depth));
                let size = of.value();
                format!(
                    "(if {size} == 0i64 then {} else let {t} = {source} let {js} = map (% {size}) {indices} \
                     in map (\\x -> x + reduce (+) 0{elem} (map (\\j -> {t}[j]) {js})) {array})",
                    self.value(&ty, 0)
                )
            }
            7 => {
                // Two calls for each row.
                let (array, x) = (self.value(&ty, depth), self.fresh("x"));
                let calls = self.repeated(|g| {
                    g.bind(&x, elem);
                    let call = |g: &mut Gen| if g.callable(elem) { g.call(elem, 1) } else { g.value(elem, 0) };
                    format!("{} + {}", call(g), call(g))
                });
                format!("(map (\\({x}: {elem}) -> {x} + {calls}) {array})")
            }
            _ => {
                let from = self.plain();
                let array = self.value(&Ty::array(dim.clone(), from.clone()), depth);
                let x = self.fresh("x");
                let value = self.repeated(|g| {
                    g.bind(&x, &from);
                    g.block(elem, depth)
                });
                let both = self.fresh("v");
                let part = self.choices.below(2);
                let pair = format!("unzip (map (\\({x}: {from}) -> let {both} = {value} in ({both}, {both})) {array})");
                let (left, right) = (self.fresh("ys"), self.fresh("zs"));
                let rest = [(&left, &right), (&right, &left)][part];
                format!("(let ({left}, {right}) = {pair} in if length {} > 0i64 then {} else {0})", rest.0, rest.1)
            }
        }
    }
}
