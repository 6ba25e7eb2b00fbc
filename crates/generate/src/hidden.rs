//! Sizes that only a run tells: functions that return several arrays of one unknown size, types that hide sizes, and
//! loops whose arrays change their sizes.

use crate::gen_state::{Gen, MOST_ELEMENTS};
use crate::types::{Dim, Prim, Ty};

/// The most elements of an array that a loop makes longer.
const LONGEST: usize = 12;

impl Gen {
    /// Brings an array whose size only a run tells into scope, as a pattern and its sizes.
    fn unknown(&mut self, elem: &Ty, most: usize) -> (String, String) {
        let (k, ys) = (self.fresh("k"), self.fresh("ys"));
        let ty = Ty::array(Dim::Name(k.clone()), elem.clone());
        self.bind_dim(&k, most);
        self.bind(&ys, &ty);
        (format!("[{k}]"), format!("({ys}: {ty})"))
    }

    /// A call of a function that returns sizes together with what has them.
    pub(crate) fn together(&mut self, depth: usize) -> Vec<String> {
        let (dim, prim) = (self.dim(), self.int());
        let (elem, most) = (Ty::Prim(prim), self.most(&dim));
        let array = self.value(&Ty::array(dim.clone(), elem.clone()), depth - 1);
        let count = self.value(&Ty::i64(), 1);
        let (f, name) = (self.fresh("both"), prim.name());
        let attribute = self.choices.pick(&["", "#[noinline]\n"]);
        let limit = self.literal(prim);
        let k = self.fresh("k");
        let number = Ty::i64();
        let (result, body, lines) = match self.choices.below(6) {
            0 => {
                let (ys, zs, c) = (self.fresh("ys"), self.fresh("zs"), self.fresh("v"));
                self.bind_dim(&k, most);
                self.bind(&ys, &Ty::array(Dim::Name(k.clone()), elem.clone()));
                self.bind(&zs, &Ty::array(Dim::Name(k.clone()), number.clone()));
                self.bind(&c, &number);
                let result = format!("?[k].([k]{name}, [k]i64, i64)");
                let body = format!("let ys = filter (< {limit}) xs in (ys, map (+ c) (indices ys), length ys)");
                (result, body, vec![format!("let [{k}] ({ys}: [{k}]{name}, {zs}: [{k}]i64, {c}) = {f}")])
            }
            1 => {
                let (ys, zs) = (self.fresh("ys"), self.fresh("zs"));
                let [one, two] = [&ys, &zs].map(|name| (self.fresh("k"), name.clone()));
                for (k, name) in [&one, &two] {
                    self.bind_dim(k, most);
                    self.bind(name, &Ty::array(Dim::Name(k.clone()), elem.clone()));
                }
                let result = format!("?[k].([k]{name}, [n - k]{name})");
                let body = "let k = i64.min n (i64.abs (c % 4)) in (xs[0:k], xs[k:n])".to_string();
                let sizes = format!("[{}] [{}]", one.0, two.0);
                (result, body, vec![format!("let {sizes} ({ys}: [{}]{name}, {zs}: [{}]{name}) = {f}", one.0, two.0)])
            }
            2 => {
                let r = self.fresh("r");
                let result = format!("?[k].{{a: [k]{name}, b: [k]bool}}");
                let body = format!("let k = i64.abs (c % 5) in {{a = replicate k {limit}, b = replicate k (n > 2)}}");
                self.bind_dim(&k, 4);
                let ty = Ty::Record(vec![
                    ("a", Ty::array(Dim::Name(k.clone()), elem.clone())),
                    ("b", Ty::array(Dim::Name(k.clone()), Ty::Prim(Prim::Bool))),
                ]);
                self.bind(&r, &ty);
                (result, body, vec![format!("let [{k}] ({r}: {ty}) = {f}")])
            }
            3 => {
                // The size is hidden by a type.
                let (hidden, get) = (format!("t_{f}"), format!("get_{f}"));
                let text = format!(
                    "type~ {hidden} = ?[k].([k]{name}, i64)\n\n\
                     def {get} (b: {hidden}): []{name} = map (+ {name}.i64 b.1) b.0\n"
                );
                self.library.insert(format!("a_{hidden}"), text);
                let body = format!("let ys = filter (\\x -> x != {limit}) xs in (ys, c)");
                let (sizes, pattern) = self.unknown(&elem, most);
                let twice = self.choices.chance(2);
                let value = format!("{get} ({f}");
                let mut lines = vec![format!("let {sizes} {pattern} = {value}")];
                if twice {
                    let (sizes, pattern) = self.unknown(&elem, most);
                    lines.push(format!("let {sizes} {pattern} = {value}"));
                }
                (hidden, body, lines)
            }
            4 => {
                let (l, t) = (self.fresh("k"), self.fresh("t"));
                let result = format!("?[k][l].[k][l]{name}");
                let body = format!(
                    "let ys = filter (< {limit}) xs let l = i64.abs (c % 3) \
                     in map (\\y -> map (\\i -> y + {name}.i64 i) (iota l)) ys"
                );
                self.bind_dim(&k, most);
                self.bind_dim(&l, 2);
                let ty = Ty::array(Dim::Name(k.clone()), Ty::array(Dim::Name(l.clone()), elem.clone()));
                self.bind(&t, &ty);
                (result, body, vec![format!("let [{k}] [{l}] ({t}: {ty}) = {f}")])
            }
            _ => {
                // One of several sizes, none of which is known.
                let (ys, c) = (self.fresh("ys"), self.fresh("v"));
                self.bind_dim(&k, most + 2);
                self.bind(&c, &number);
                self.bind(&ys, &Ty::array(Dim::Name(k.clone()), elem.clone()));
                let result = format!("?[k].(i64, [k]{name})");
                let body = format!(
                    "if c % 2 == 0 then (n, xs) else if c > 2 then (0, xs[n / 2:]) else (1, xs ++ [{limit}, 1])"
                );
                (result, body, vec![format!("let [{k}] ({c}, {ys}: [{k}]{name}) = {f}")])
            }
        };
        let text = format!("{attribute}def {f} [n] (xs: [n]{name}) (c: i64): {result} =\n  {body}\n");
        self.library.insert(format!("b_{f}"), text);
        let call = |line: String| {
            let close = if line.contains(" = get_") { ")" } else { "" };
            format!("{line} {array} {count}{close}")
        };
        lines.into_iter().map(call).collect()
    }

    /// A loop whose array gets longer or shorter.
    pub(crate) fn growing(&mut self, depth: usize) -> Vec<String> {
        let elem = if self.choices.chance(3) { self.plain() } else { Ty::Prim(self.int()) };
        let (start, most) = self.unsized_array(&elem, depth - 1);
        let (a, b, i, k) = (self.fresh("a"), self.fresh("b"), self.fresh("i"), self.fresh("k"));
        let shape = self.choices.below(4);
        let step = self.repeated(|g| {
            g.bind(&i, &Ty::i64());
            g.bind_dim(&k, MOST_ELEMENTS);
            g.bind(&b, &Ty::array(Dim::Name(k.clone()), elem.clone()));
            let one = g.value(&elem, depth.saturating_sub(2));
            let longer = match g.choices.below(5) {
                0 => format!("{b} ++ [{one}]"),
                1 => format!("[{one}] ++ {b}"),
                2 => format!("{b} ++ {b}"),
                3 => format!("replicate ({k} + 1i64) {one}"),
                _ => {
                    let lambda = g.lambda(&[(elem.clone(), None)], &elem, depth - 1);
                    format!("map {lambda} {b} ++ [{one}]")
                }
            };
            let shorter = match g.choices.below(4) {
                0 => format!("{b}[{k} / 2i64:]"),
                1 => format!("{b}[::2]"),
                2 => format!("filter {} {b}", g.lambda(&[(elem.clone(), None)], &Ty::Prim(Prim::Bool), 1)),
                _ => format!("take ({k} / 3i64) {b}"),
            };
            // Twice as long is the most that one step makes of it.
            let longest = LONGEST / 2;
            let condition = match g.choices.below(3) {
                0 => format!("{k} < {longest}i64"),
                1 => format!("{k} < {longest}i64 && {i} % 2i64 == 0i64"),
                _ => format!("{k} < 3i64"),
            };
            format!("let [{k}] ({b}: [{k}]{elem}) = {a} in if {condition} then {longer} else {shorter}")
        });
        let most = most.max(LONGEST);
        let trips = match self.choices.below(3) {
            0 => format!("{}i64", 1 + self.choices.below(4)),
            1 => self.dim().value(),
            _ => format!("({} % 5i64)", self.value(&Ty::i64(), 1)),
        };
        let pair = format!("({a}: []{elem}, {i}: i64)");
        match shape {
            0 => {
                let (sizes, pattern) = self.unknown(&elem, most);
                vec![format!("let {sizes} {pattern} = loop ({a}: []{elem}) = {start} for {i} < {trips} do {step}")]
            }
            1 => {
                let (sizes, pattern) = self.unknown(&elem, most);
                vec![format!(
                    "let {sizes} {pattern} = (loop {pair} = ({start}, 0i64) while {i} < {trips} && length {a} > 0i64 \
                     do ({step}, {i} + 1i64)).0"
                )]
            }
            2 => {
                // Beside an array of which each iteration keeps the size.
                let (dim, other) = (self.dim(), self.fresh("c"));
                let kept = Ty::array(dim.clone(), Ty::i64());
                let first = self.value(&kept, 1);
                let (sizes, pattern) = self.unknown(&elem, most);
                let ys = self.fresh("ys");
                self.bind(&ys, &kept);
                vec![format!(
                    "let {sizes} ({}, {ys}: {kept}) = loop ({a}: []{elem}, {other}: {kept}) = ({start}, {first}) \
                     for {i} < {trips} do ({step}, map (+ length {a}) {other})",
                    pattern.trim_start_matches('(').strip_suffix(')').unwrap_or(&pattern)
                )]
            }
            _ => {
                // In a record, and its sum.
                let (sizes, pattern) = self.unknown(&elem, most);
                vec![format!(
                    "let {sizes} {pattern} = (loop ({{xs = {a}, s}}: {{xs: []{elem}, s: i64}}) = \
                     {{xs = {start}, s = 0i64}} for {i} < {trips} do {{xs = {step}, s = s + length {a}}}).xs"
                )]
            }
        }
    }
}
