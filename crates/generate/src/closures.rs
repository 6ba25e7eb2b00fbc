//! Functions that have captured something, arrays above all, and what they are given to.

use crate::gen_state::Gen;
use crate::types::Ty;

impl Gen {
    fn library_function(&mut self, name: &str, text: &str) {
        self.library.insert(name.to_string(), text.to_string());
    }

    /// A function made in one place and called in another. Its arguments have names, since an expression that makes a
    /// function must not consume anything.
    pub(crate) fn closure(&mut self, depth: usize) -> Vec<String> {
        let (from, to, dim) = (self.plain(), self.plain(), self.dim());
        let array = self.value(&Ty::array(dim.clone(), from.clone()), depth - 1);
        let f = self.fresh("f");
        let result = Ty::array(dim.clone(), to.clone());
        let ys = self.fresh("ys");
        match self.choices.below(8) {
            0 => {
                let lambda = self.lambda(&[(from, None)], &to, depth);
                self.bind(&ys, &result);
                vec![format!("let {f} = {lambda}"), format!("let {ys} = map {f} {array}")]
            }
            1 => {
                // One argument now, the other later.
                let first = self.any();
                let (given, arg) = (self.value(&first, depth - 1), self.fresh("v"));
                let (g, x, y) = (self.fresh("f"), self.fresh("x"), self.fresh("x"));
                let body = self.repeated(|inner| {
                    inner.bind(&x, &first);
                    inner.bind(&y, &from);
                    inner.block(&to, depth)
                });
                self.bind(&ys, &result);
                vec![
                    format!("let {f} ({x}: {first}) ({y}: {from}): {to} = {body}"),
                    format!("let {arg} = {given}"),
                    format!("let {g} = {f} {arg}"),
                    format!("let {ys} = map {g} {array}"),
                ]
            }
            2 => {
                let lambda = self.lambda(&[(from.clone(), None)], &to, depth);
                let (base, r) = (self.value(&from, 1), self.fresh("r"));
                self.bind(&ys, &result);
                let one = self.fresh("v");
                self.bind(&one, &to);
                let arg = self.fresh("v");
                vec![
                    format!("let {arg} = {base}"),
                    format!("let {r} = {{run = {lambda}, base = {arg}}}"),
                    format!("let {ys} = map {r}.run {array}"),
                    format!("let {one} = {r}.run {r}.base"),
                ]
            }
            3 => {
                self.library_function("both", "def both 'a 'b 'c (fs: (a -> b, b -> c)) (x: a): c = fs.1 (fs.0 x)\n");
                let middle = self.any();
                let first = self.lambda(&[(from, None)], &middle, depth);
                let second = self.lambda(&[(middle, None)], &to, depth);
                self.bind(&ys, &result);
                vec![format!("let {f} = ({first}, {second})"), format!("let {ys} = map (both {f}) {array}")]
            }
            4 => {
                self.library_function(
                    "folded",
                    "#[noinline]\ndef folded 'a 'b [n] (f: a -> b -> a) (x: a) (ys: [n]b): a =\n  \
                     loop x for y in ys do f x y\n",
                );
                let lambda = self.lambda(&[(to.clone(), None), (from, None)], &to, depth);
                let start = self.value(&to, 1);
                let v = self.fresh("v");
                self.bind(&v, &to);
                vec![format!("let {f} = {lambda}"), format!("let {v} = folded {f} {start} {array}")]
            }
            5 => {
                self.library_function(
                    "picked",
                    "#[noinline]\ndef picked 'a [n] (xs: [n]a) (other: a) (i: i64): a =\n  \
                     if 0 <= i && i < n then xs[i] else other\n",
                );
                let other = self.value(&from, 1);
                let indices = self.value(&Ty::array(dim.clone(), Ty::i64()), 1);
                self.bind(&ys, &Ty::array(dim, from));
                let arg = self.fresh("v");
                vec![
                    format!("let {arg} = ({array}, {other})"),
                    format!("let {f} = picked {arg}.0 {arg}.1"),
                    format!("let {ys} = map {f} {indices}"),
                ]
            }
            6 => {
                self.library_function(
                    "repeated",
                    "def repeated 'a (k: i64) (f: a -> a): a -> a = \\x -> loop x for _i < k do f x\n",
                );
                let (k, lambda) = (self.choices.below(4), self.lambda(&[(from.clone(), None)], &from, depth));
                self.bind(&ys, &Ty::array(dim, from));
                vec![format!("let {f} = repeated {k}i64 {lambda}"), format!("let {ys} = map {f} {array}")]
            }
            _ => {
                // A function of indices instead of an array, and what it is changed to.
                self.library_function(
                    "shifted",
                    "type^ fn 'a [n] = {size: [n](), at: i64 -> a}\n\n\
                     def fn_of 'a [n] (xs: [n]a) (other: a): fn a [n] =\n  \
                     {size = replicate n (), at = \\i -> if 0 <= i && i < n then xs[i] else other}\n\n\
                     def shifted 'a [n] (k: i64) (f: fn a [n]): fn a [n] = f with at = \\i -> f.at (i + k)\n\n\
                     def elements 'a [n] (f: fn a [n]): [n]a = tabulate n f.at\n",
                );
                let (other, k) = (self.value(&from, 1), self.value(&Ty::i64(), 1));
                self.bind(&ys, &Ty::array(dim, from));
                // What is passed on as a part of a function must not consume anything.
                let (arg, by) = (self.fresh("v"), self.fresh("k"));
                vec![
                    format!("let {arg} = ({array}, {other})"),
                    format!("let {f} = fn_of {arg}.0 {arg}.1"),
                    format!("let {by} = {k} % 4i64"),
                    format!("let {ys} = elements (shifted {by} {f})"),
                ]
            }
        }
    }
}
