//! Expressions whose type is an array.

use crate::gen_state::{Gen, MOST_ELEMENTS};
use crate::operators::Operator;
use crate::types::{Dim, Prim, Ty};

impl Gen {
    /// An array of a size in scope.
    pub(crate) fn array(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let ty = Ty::array(dim.clone(), elem.clone());
        let known = if self.has_var(|var| var.ty == ty && !var.unique) { 10 } else { 0 };
        let literal = if let Dim::Const(1..) = dim { 2 } else { 0 };
        if depth == 0 || !self.may_repeat() {
            return match self.choices.weighted(&[2, known, literal]) {
                0 => format!("(replicate {} {})", dim, self.value(elem, 0)),
                1 => self.var(|var| var.ty == ty && !var.unique).expect("there is one").text,
                _ => self.array_literal(dim, elem, 0),
            };
        }
        let scalar = usize::from(matches!(elem, Ty::Prim(_)));
        let iota = usize::from(*elem == Ty::i64());
        let table = usize::from(matches!(elem, Ty::Array(..)));
        let calls = if self.callable(&ty) { 8 } else { 0 };
        let d = depth - 1;
        let weights = [
            2,          // replicate
            known,      // a variable
            3 * iota,   // iota
            10,         // map
            6,          // map over indices
            4,          // scan
            5,          // another view
            3 * table,  // transpose
            3 * table,  // flatten and unflatten
            4 * scalar, // scatter
            4,          // a histogram
            2,          // if
            1,          // match
            6,          // a loop or an update
            2,          // a part of an unzipped array
            calls,      // a call
            2,          // a coercion
            literal,    // a literal
            2,          // a let
            2,          // a higher-order function
            scalar,     // a function that consumes
            1,          // a loop that carries an array
            4,          // a piece with a rule of its own
            1,          // a size under a check
        ];
        match self.choices.weighted(&weights) {
            0 => format!("(replicate {} {})", dim, self.value(elem, d)),
            1 => self.var(|var| var.ty == ty && !var.unique).expect("there is one").text,
            2 => match self.choices.below(2) {
                0 => format!("(iota {})", dim),
                _ => format!("(0i64..<{})", dim),
            },
            3 => self.map(dim, elem, d),
            4 => {
                let lambda = self.lambda(&[(Ty::i64(), Some(dim.clone()))], elem, d);
                match self.choices.below(2) {
                    0 => format!("(map {lambda} (iota {}))", dim),
                    _ => format!("(tabulate {} {lambda})", dim),
                }
            }
            5 => self.scan(dim, elem, d),
            6 => self.view(&ty, d),
            7 => {
                let Ty::Array(inner, elem) = elem else { unreachable!("only of tables") };
                let turned = Ty::array(inner.clone(), Ty::array(dim.clone(), (**elem).clone()));
                format!("(transpose {})", self.value(&turned, d))
            }
            8 => {
                let Ty::Array(_, elem) = elem else { unreachable!("only of tables") };
                let lambda = self.lambda(&[((**elem).clone(), None)], elem, d);
                format!("(unflatten (map {lambda} (flatten {})))", self.value(&ty, d))
            }
            9 => self.scatter(dim, elem, d),
            10 => self.histogram(dim, elem, d),
            11 => self.conditional(&ty, depth),
            12 => self.cases(&ty, depth),
            13 => self.updated(dim, elem, d),
            14 => {
                let other = self.plain();
                let source = self.plain();
                let array = self.value(&Ty::array(dim.clone(), source.clone()), d);
                let (parts, part) = match self.choices.below(2) {
                    0 => (vec![elem.clone(), other], 0),
                    _ => (vec![other, elem.clone()], 1),
                };
                let lambda = self.lambda(&[(source, None)], &Ty::Tuple(parts), d);
                format!("((unzip (map {lambda} {array})).{part})")
            }
            15 => self.call(&ty, depth),
            16 => self.coerced(dim, elem, d),
            17 => self.array_literal(dim, elem, d),
            18 => self.block(&ty, depth),
            19 => self.higher_order(dim, elem, d),
            20 => self.consumed(dim, elem, d),
            21 => self.scalar_loop(&ty, depth),
            22 => self.array_idiom(dim, elem, d),
            _ => self.checked_size(dim, elem, d),
        }
    }

    fn array_literal(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let elems: Vec<String> = (0..self.most(dim)).map(|_| self.value(elem, depth.min(1))).collect();
        format!("[{}]", elems.join(", "))
    }

    /// A type that arrays of this size in scope have as elements, or any other.
    fn source_elem(&mut self, dim: &Dim) -> Ty {
        let of_size = |ty: &Ty| matches!(ty, Ty::Array(size, _) if size == dim);
        let known = if self.has_var(|var| of_size(&var.ty) && !var.unique) { 5 } else { 0 };
        match self.choices.weighted(&[1, known]) {
            0 => self.plain(),
            _ => match self.var(|var| of_size(&var.ty) && !var.unique).expect("there is one").ty {
                Ty::Array(_, elem) => *elem,
                other => other,
            },
        }
    }

    fn map(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let arity = 1 + self.choices.weighted(&[6, 4, 1]);
        let elems: Vec<Ty> = (0..arity).map(|_| self.source_elem(dim)).collect();
        let arrays: Vec<String> =
            elems.iter().map(|elem| self.value(&Ty::array(dim.clone(), elem.clone()), depth)).collect();
        let attribute = if self.choices.chance(20) { "#[sequential] " } else { "" };
        if let ([Ty::Prim(from)], Ty::Prim(to)) = (&elems[..], elem)
            && from == to
            && to.is_int()
            && self.choices.chance(3)
        {
            let operator = self.choices.pick(&["+", "*", "-", "^"]);
            let section = match operator {
                "-" => format!("({} -)", self.literal(*to)),
                _ => format!("({operator} {})", self.literal(*to)),
            };
            return format!("({attribute}map {section} {})", arrays[0]);
        }
        if arity > 1 && self.choices.chance(3) {
            let zip = if arity == 2 { "zip" } else { "zip3" };
            let lambda = self.lambda(&[(Ty::Tuple(elems), None)], elem, depth);
            return format!("(map {lambda} ({zip} {}))", arrays.join(" "));
        }
        let params: Vec<(Ty, Option<Dim>)> = elems.into_iter().map(|elem| (elem, None)).collect();
        let lambda = self.lambda(&params, elem, depth);
        let name = ["map", "map2", "map3"][arity - 1];
        format!("({attribute}{name} {lambda} {})", arrays.join(" "))
    }

    /// A function for a second-order operation. Some parameters are indices of arrays of a size.
    pub(crate) fn lambda(&mut self, params: &[(Ty, Option<Dim>)], result: &Ty, depth: usize) -> String {
        let start = self.choices.open();
        let names: Vec<String> = params.iter().map(|_| self.fresh("x")).collect();
        let body = self.repeated(|g| {
            for (name, (ty, index_of)) in names.iter().zip(params) {
                match index_of {
                    Some(dim) => g.bind_index(name, dim),
                    None => g.bind(name, ty),
                }
            }
            g.block(result, depth)
        });
        self.choices.close(start, "lambda");
        let params: Vec<String> = names.iter().zip(params).map(|(name, (ty, _))| format!("({name}: {ty})")).collect();
        format!("(\\{} -> {body})", params.join(" "))
    }

    fn scan(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let array = self.value(&Ty::array(dim.clone(), elem.clone()), depth);
        if let Ty::Prim(prim) = elem
            && prim.is_float()
        {
            return format!("(scan {0}.max (-{0}.inf) {array})", prim.name());
        }
        match self.operator(elem, false) {
            Some(Operator { function, neutral }) => format!("(scan {function} {neutral} {array})"),
            None => format!("(reverse {array})"),
        }
    }

    /// The elements of an array of the same type in another order.
    fn view(&mut self, ty: &Ty, depth: usize) -> String {
        let array = self.value(ty, depth);
        match self.choices.below(4) {
            0 => format!("(reverse {array})"),
            1 => format!("(rotate {} {array})", self.value(&Ty::i64(), 1)),
            2 => format!("(({array})[::-1] :> {ty})"),
            _ => {
                let Ty::Array(dim, elem) = ty else { unreachable!("views are of arrays") };
                let more = self.value(&Ty::array(Dim::Const(1), (**elem).clone()), depth);
                match self.choices.below(2) {
                    0 => format!("(take {} ({array} ++ {more}))", dim),
                    _ => format!("((({array} ++ {more})[1:]) :> {ty})"),
                }
            }
        }
    }

    fn scatter(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let array = self.value(&Ty::array(dim.clone(), elem.clone()), depth);
        let from = self.dim();
        let values = self.value(&Ty::array(from.clone(), elem.clone()), depth);
        // No element is written twice, or the result would depend on the order.
        let indices = match self.choices.below(4) {
            0 => format!("(iota {})", from),
            1 => format!("(map (\\i -> i * 2i64) (iota {}))", from),
            2 => format!("(map (\\i -> {} - i) (iota {}))", dim.value(), from),
            _ => {
                let i = self.fresh("i");
                let condition = self.repeated(|g| {
                    g.bind_index(&i, &from);
                    g.value(&Ty::Prim(Prim::Bool), 1)
                });
                format!("(map (\\({i}: i64) -> if {condition} then {i} else -1i64) (iota {}))", from)
            }
        };
        format!("(scatter (copy {array}) {indices} {values})")
    }

    fn histogram(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let Some(Operator { function, neutral }) = self.operator(elem, true) else { return self.map(dim, elem, depth) };
        let from = self.dim();
        let indices = self.value(&Ty::array(from.clone(), Ty::i64()), depth);
        let indices = format!("(map (% {}i64) {indices})", 1 + self.choices.below(6));
        let values = self.value(&Ty::array(from, elem.clone()), depth);
        if self.choices.chance(2) {
            return format!("(hist {function} {neutral} {} {indices} {values})", dim);
        }
        let array = self.value(&Ty::array(dim.clone(), elem.clone()), depth);
        format!("(reduce_by_index (copy {array}) {function} {neutral} {indices} {values})")
    }

    /// An array of which some elements were replaced in place.
    fn updated(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let ty = Ty::array(dim.clone(), elem.clone());
        let start = self.value(&ty, depth);
        let a = self.fresh("a");
        let scope = self.scope();
        if matches!(elem, Ty::Prim(_)) {
            self.bind_unique(&a, &ty);
        }
        let text = match self.choices.weighted(&[3, 4, 2, 1]) {
            0 => {
                let (index, guarded) = self.index(dim, depth);
                let value = self.value(elem, depth);
                let update = format!("{a} with [{index}] = {value}");
                let risky = self.choices.chance(10);
                if guarded && !risky {
                    format!("(let {a} = copy {start} in if {} > 0i64 then {update} else {a})", dim.value())
                } else {
                    format!("(let {a} = copy {start} in {update})")
                }
            }
            1 => {
                let i = self.fresh("i");
                let body = self.repeated(|g| {
                    g.bind_index(&i, dim);
                    let stores = if g.choices.chance(3) {
                        format!("[({i} + 1i64) % {}]", dim.value())
                    } else {
                        format!("[{i}]")
                    };
                    format!("{a} with {stores} = {}", g.block(elem, depth))
                });
                format!("(loop {a} = copy {start} for {i} < {} do {body})", dim.value())
            }
            2 => {
                let half = format!("({} / 2i64)", dim.value());
                let name = self.fresh("k");
                let value = self.value(elem, depth);
                format!(
                    "(let {name} = {half} let {a} = copy {start} in {a} with [0:{name}] = replicate {name} {value})"
                )
            }
            _ => {
                let step = 2 + self.choices.below(2);
                let value = self.value(elem, depth);
                let part = self.fresh("s");
                format!(
                    "(let {a} = copy {start} let {part} = map (\\_ -> {value}) {a}[::{step}] \
                     in {a} with [::{step}] = {part})"
                )
            }
        };
        self.leave(scope);
        text
    }

    /// An array whose size the checker does not know, which it is told.
    fn coerced(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let ty = Ty::array(dim.clone(), elem.clone());
        match self.choices.weighted(&[4, 3, 2, 1]) {
            0 => format!("((filter (\\_ -> true) {}) :> {ty})", self.value(&ty, depth)),
            1 => {
                let (mut more, array) = (self.dim(), self.value(&ty, depth));
                if self.most(&more) > 8 {
                    more = Dim::Const(1);
                }
                let before = self.value(&Ty::array(more.clone(), elem.clone()), depth);
                format!("((drop {} ({before} ++ {array})) :> {ty})", more.value())
            }
            2 => {
                let (k, rows) = (self.choices.below(2) + 1, self.value(&ty, depth));
                format!("((flatten (replicate {k}i64 {rows}))[:{}] :> {ty})", dim.value())
            }
            // Right only by chance.
            _ if self.choices.chance(2) => {
                let other = self.dim();
                format!("({} :> {ty})", self.value(&Ty::array(other, elem.clone()), depth))
            }
            _ => format!("({} :> {ty})", self.value(&ty, depth)),
        }
    }

    /// An array of any size, for operations that do not care.
    pub(crate) fn source(&mut self, elem: &Ty, depth: usize) -> String {
        let of = |ty: &Ty| matches!(ty, Ty::Array(_, of) if **of == *elem);
        let known = if self.has_var(|var| of(&var.ty) && !var.unique) { 4 } else { 0 };
        let deep = usize::from(depth > 0 && self.may_repeat());
        match self.choices.weighted(&[2, known, deep, 2 * deep]) {
            0 => {
                let dim = self.dim();
                self.value(&Ty::array(dim, elem.clone()), depth)
            }
            1 => self.var(|var| of(&var.ty) && !var.unique).expect("there is one").text,
            2 => self.unsized_array(elem, depth).0,
            // A chain of maps, for fusion.
            _ => {
                let dim = self.dim();
                self.map(&dim, elem, depth)
            }
        }
    }

    /// An array whose size is known only when it is there, and the most elements that it can have.
    pub(crate) fn unsized_array(&mut self, elem: &Ty, depth: usize) -> (String, usize) {
        let dim = self.dim();
        let most = self.most(&dim);
        let ty = Ty::array(dim.clone(), elem.clone());
        let d = depth.saturating_sub(1);
        let numbers = usize::from(*elem == Ty::i64());
        let found = self.unsized_functions(elem);
        let calls = if found.is_empty() { 0 } else { 8 };
        let concatenates = if most <= MOST_ELEMENTS / 2 { 2 } else { 0 };
        match self.choices.weighted(&[6, concatenates, 3, 2, 6 * numbers, 2, concatenates / 2, calls]) {
            0 => {
                let array = self.value(&ty, d);
                let predicate = self.lambda(&[(elem.clone(), None)], &Ty::Prim(Prim::Bool), d);
                (format!("(filter {predicate} {array})"), most)
            }
            1 => {
                let other = Dim::Const(1 + self.choices.below(3));
                let more = self.value(&Ty::array(other.clone(), elem.clone()), d);
                (format!("({} ++ {more})", self.value(&ty, d)), most + self.most(&other))
            }
            2 => {
                let array = self.value(&ty, d);
                let slice = match self.choices.below(5) {
                    0 => "[::2]".to_string(),
                    1 => "[::-1]".to_string(),
                    2 => format!("[{} / 2i64:]", dim.value()),
                    3 => format!("[:{0} - {0} / 3i64]", dim.value()),
                    _ => format!("[{0} / 3i64:{0}:2]", dim.value()),
                };
                (format!("(({array}){slice})"), most)
            }
            3 => {
                let size = self.value(&Ty::i64(), 1);
                (format!("(replicate ({size} % 5i64) {})", self.value(elem, d)), 4)
            }
            4 => {
                if self.choices.chance(2) {
                    self.library.insert("upto".into(), "def upto (k: i64): []i64 = iota (k % 5)\n".into());
                    return (format!("(upto {})", self.value(&Ty::i64(), 1)), 4);
                }
                (format!("(iota ({} % 6i64))", self.value(&Ty::i64(), 1)), 5)
            }
            5 => {
                let condition = self.value(&Ty::Prim(Prim::Bool), 1);
                let other = self.dim();
                let most = most.max(self.most(&other));
                let (left, right) = (self.value(&ty, d), self.value(&Ty::array(other, elem.clone()), d));
                (format!("(if {condition} then {left} else {right})"), most)
            }
            7 => self.unsized_call(&found, d),
            _ => {
                let (name, start) = (self.fresh("ys"), self.value(&ty, d));
                let one = self.value(elem, 0);
                (format!("(loop ({name}: []{elem}) = {start} for _i < 2i64 do {name} ++ [{one}])"), most + 2)
            }
        }
    }
}
