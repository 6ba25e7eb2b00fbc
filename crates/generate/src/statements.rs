//! Blocks: some bindings and an expression.

use crate::gen_state::Gen;
use crate::operators::Operator;
use crate::types::{Dim, Ty};

impl Gen {
    /// An expression, often with bindings in front of it.
    pub(crate) fn block(&mut self, ty: &Ty, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        let scope = self.scope();
        let mut text = String::new();
        for _ in 0..2 {
            if self.fuel == 0 || depth == 0 || !self.choices.chance(3) {
                break;
            }
            for line in self.statement(depth) {
                text.push_str(&line);
                text.push(' ');
            }
        }
        let result = self.value(ty, depth);
        self.leave(scope);
        if text.is_empty() { result } else { format!("({text}in {result})") }
    }

    /// One or more bindings that belong together.
    pub(crate) fn statement(&mut self, depth: usize) -> Vec<String> {
        let start = self.choices.open();
        let arrays = usize::from(self.may_repeat() && depth > 0);
        let deep = usize::from(depth > 0);
        let weights = [
            6,
            6 * arrays,
            2 * arrays,
            2 * arrays,
            3 * arrays,
            1,
            3 * arrays,
            2 * arrays,
            3 * arrays,
            2 * arrays,
            3 * arrays,
            3 * arrays,
            3 * arrays,
            deep,
        ];
        let lines = match self.choices.weighted(&weights) {
            0 => {
                let ty = self.any();
                let value = self.value(&ty, depth);
                vec![self.bound(&ty, &value)]
            }
            1 => {
                let elem = self.plain();
                let (array, most) = self.unsized_array(&elem, depth);
                let (k, ys) = (self.fresh("k"), self.fresh("ys"));
                self.bind_dim(&k, most);
                self.bind(&ys, &Ty::array(Dim::Name(k.clone()), elem.clone()));
                vec![format!("let [{k}] ({ys}: [{k}]{elem}) = {array}")]
            }
            2 => self.partition(depth),
            3 => self.unzipped(depth),
            4 => self.updates(depth),
            5 => {
                // The same expression twice.
                let ty = self.any();
                let value = self.value(&ty, depth);
                vec![self.bound(&ty, &value), self.bound(&ty, &value)]
            }
            6 => self.siblings(depth),
            7 => self.local_function(depth),
            8 => self.chain(depth),
            9 => self.piece(),
            10 => self.together(depth),
            11 => self.growing(depth),
            12 => self.closure(depth),
            _ => self.check_alone(depth),
        };
        self.choices.close(start, "statement");
        lines
    }

    fn bound(&mut self, ty: &Ty, value: &str) -> String {
        let name = self.fresh("v");
        self.bind(&name, ty);
        if self.choices.chance(4) { format!("let {name}: {ty} = {value}") } else { format!("let {name} = {value}") }
    }

    fn partition(&mut self, depth: usize) -> Vec<String> {
        let (elem, dim) = (self.plain(), self.dim());
        let array = self.value(&Ty::array(dim.clone(), elem.clone()), depth - 1);
        let predicate = self.lambda(&[(elem.clone(), None)], &Ty::Prim(crate::types::Prim::Bool), depth - 1);
        let (k, l, ys, zs) = (self.fresh("k"), self.fresh("k"), self.fresh("ys"), self.fresh("zs"));
        for (dim_name, name) in [(&k, &ys), (&l, &zs)] {
            let most = self.most(&dim);
            self.bind_dim(dim_name, most);
            self.bind(name, &Ty::array(Dim::Name(dim_name.clone()), elem.clone()));
        }
        vec![format!("let [{k}] [{l}] ({ys}: [{k}]{elem}, {zs}: [{l}]{elem}) = partition {predicate} {array}")]
    }

    fn unzipped(&mut self, depth: usize) -> Vec<String> {
        let (from, one, two, dim) = (self.plain(), self.plain(), self.plain(), self.dim());
        let array = self.value(&Ty::array(dim.clone(), from.clone()), depth - 1);
        let lambda = self.lambda(&[(from, None)], &Ty::Tuple(vec![one.clone(), two.clone()]), depth - 1);
        let (ys, zs) = (self.fresh("ys"), self.fresh("zs"));
        self.bind(&ys, &Ty::array(dim.clone(), one));
        self.bind(&zs, &Ty::array(dim, two));
        vec![format!("let ({ys}, {zs}) = unzip (map {lambda} {array})")]
    }

    /// An array that is updated some times, read in between, and ordinary afterwards.
    fn updates(&mut self, depth: usize) -> Vec<String> {
        let (prim, dim) = (self.int(), self.dim());
        let elem = Ty::Prim(prim);
        let ty = Ty::array(dim.clone(), elem.clone());
        let start = self.value(&ty, depth - 1);
        let a = self.fresh("a");
        let mut lines = vec![format!("let {a} = copy {start}")];
        while lines.len() < 6 && self.choices.more(2) {
            if self.choices.chance(3) {
                let sum = self.fresh("v");
                lines.push(format!("let {sum} = reduce (+) 0{} {a}", prim.name()));
                self.bind(&sum, &elem);
            }
            let (index, guarded) = self.index(&dim, 1);
            let value = self.value(&elem, depth - 1);
            lines.push(if guarded {
                format!("let {a} = if {} > 0i64 then {a} with [{index}] = {value} else {a}", dim.value())
            } else if self.choices.chance(3) {
                format!("let {a} = {a} with [{index}] = {a}[{index}] + {value}")
            } else {
                format!("let {a}[{index}] = {value}")
            });
        }
        self.bind(&a, &ty);
        lines
    }

    /// Operations on the same array.
    fn siblings(&mut self, depth: usize) -> Vec<String> {
        let (from, dim) = (self.plain(), self.dim());
        let ty = Ty::array(dim.clone(), from.clone());
        let array = self.value(&ty, depth - 1);
        let name = self.fresh("v");
        let mut lines = vec![format!("let {name} = {array}")];
        let mut results = Vec::new();
        for _ in 0..2 {
            let to = self.plain();
            let lambda = self.lambda(&[(from.clone(), None)], &to, depth - 1);
            let operator = if self.choices.chance(3) { self.operator(&to, false) } else { None };
            let result = self.fresh("v");
            match operator {
                Some(Operator { function, neutral }) => {
                    lines.push(format!("let {result} = reduce {function} {neutral} (map {lambda} {name})"));
                    results.push((result, to));
                }
                None => {
                    lines.push(format!("let {result} = map {lambda} {name}"));
                    results.push((result, Ty::array(dim.clone(), to)));
                }
            }
        }
        self.bind(&name, &ty);
        for (result, ty) in results {
            self.bind(&result, &ty);
        }
        lines
    }

    fn local_function(&mut self, depth: usize) -> Vec<String> {
        let (from, to, dim) = (self.plain(), self.plain(), self.dim());
        let array = self.value(&Ty::array(dim.clone(), from.clone()), depth - 1);
        let (f, x, ys) = (self.fresh("f"), self.fresh("x"), self.fresh("ys"));
        let body = self.repeated(|g| {
            g.bind(&x, &from);
            g.block(&to, depth)
        });
        self.bind(&ys, &Ty::array(dim, to.clone()));
        vec![format!("let {f} ({x}: {from}): {to} = {body}"), format!("let {ys} = map {f} {array}")]
    }

    /// map, then scan or reduce, then map.
    fn chain(&mut self, depth: usize) -> Vec<String> {
        let (from, middle, to, dim) = (self.plain(), Ty::Prim(self.int()), self.plain(), self.dim());
        let array = self.value(&Ty::array(dim.clone(), from.clone()), depth - 1);
        let first = self.lambda(&[(from, None)], &middle, depth - 1);
        let Some(Operator { function, neutral }) = self.operator(&middle, false) else { return Vec::new() };
        if self.choices.chance(2) {
            let second = self.lambda(&[(middle.clone(), None)], &to, depth - 1);
            let value = format!("map {second} (scan {function} {neutral} (map {first} {array}))");
            return vec![self.bound(&Ty::array(dim, to), &value)];
        }
        let second = self.lambda(&[(middle.clone(), None)], &middle, depth - 1);
        let value = format!("{array} |> map {first} |> map {second} |> reduce {function} {neutral}");
        vec![self.bound(&middle, &value)]
    }
}
