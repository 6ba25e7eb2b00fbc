//! Expressions of any type without arrays. Every expression is written so that it can be an argument.

use crate::gen_state::Gen;
use crate::operators::Operator;
use crate::types::{Dim, Prim, Ty};

impl Gen {
    /// An expression of a type, at most so deep.
    pub(crate) fn value(&mut self, ty: &Ty, depth: usize) -> String {
        let start = self.choices.open();
        self.fuel = self.fuel.saturating_sub(1);
        let depth = if self.fuel == 0 { 0 } else { depth };
        let text = match ty {
            Ty::Prim(prim) => self.scalar(*prim, depth),
            Ty::Array(dim, elem) => self.array(dim, elem, depth),
            Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => self.composite(ty, depth),
        };
        let text = if depth > 0 { self.maybe_checked(text, 40) } else { text };
        self.choices.close(start, "value");
        text
    }

    fn composite(&mut self, ty: &Ty, depth: usize) -> String {
        let known = if self.has_var(|var| var.ty == *ty && !var.unique) { 4 } else { 0 };
        let deep = usize::from(depth > 0);
        let arrays = usize::from(depth > 0 && self.may_repeat());
        let calls = if deep > 0 && self.callable(ty) { 2 } else { 0 };
        let records = deep * usize::from(matches!(ty, Ty::Record(_)));
        match self.choices.weighted(&[4, known, deep, deep, 2 * arrays, 2 * arrays, calls, 3 * records, deep, arrays]) {
            0 => self.constructed(ty, depth),
            1 => self.var(|var| var.ty == *ty && !var.unique).expect("there is one").text,
            2 => self.conditional(ty, depth),
            3 => self.block(ty, depth),
            4 => self.element(ty, depth),
            5 => match self.reduction(ty, depth) {
                Some(text) => text,
                None => self.constructed(ty, depth),
            },
            6 => self.call(ty, depth),
            7 => self.with_field(ty, depth),
            8 => self.cases(ty, depth),
            _ => self.scalar_loop(ty, depth),
        }
    }

    fn constructed(&mut self, ty: &Ty, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        match ty {
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.value(part, depth)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, field)| format!("{name} = {}", self.value(field, depth))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            Ty::Sum(number, dims) => {
                let constructors = self.sums[*number].applied(dims);
                let (name, payload) = self.choices.pick(&constructors);
                let mut text = format!("(#{name}");
                for part in payload {
                    text.push(' ');
                    text.push_str(&self.value(&part, depth));
                }
                format!("{text} : {ty})")
            }
            Ty::Prim(_) | Ty::Array(..) => self.value(ty, 0),
        }
    }

    fn scalar(&mut self, prim: Prim, depth: usize) -> String {
        let ty = Ty::Prim(prim);
        let known = if self.has_var(|var| var.ty == ty && !var.unique) { 8 } else { 0 };
        if depth == 0 {
            return match self.choices.weighted(&[2, known]) {
                0 => self.literal(prim),
                _ => self.var(|var| var.ty == ty && !var.unique).expect("there is one").text,
            };
        }
        let arrays = usize::from(self.may_repeat());
        let lengths = usize::from(prim == Prim::I64);
        let calls = if self.callable(&ty) { 6 } else { 0 };
        let ints = usize::from(prim.is_int());
        let weights = [
            3,          // a literal
            known,      // a variable
            9,          // an operator
            2,          // a conversion
            2,          // if
            6 * arrays, // an element
            6 * arrays, // a reduction
            lengths,    // a length
            calls,      // a call
            2,          // match
            2 * arrays, // a loop
            1,          // assert
            1,          // let
            2,          // division
            arrays,     // a higher-order function
            4,          // a piece with a rule of its own
            ints,       // a loop that a check lets end
        ];
        match self.choices.weighted(&weights) {
            0 => self.literal(prim),
            1 => self.var(|var| var.ty == ty && !var.unique).expect("there is one").text,
            2 => self.operation(prim, depth),
            3 => self.conversion(prim, depth),
            4 => self.conditional(&ty, depth),
            5 => self.element(&ty, depth),
            6 => match self.reduction(&ty, depth) {
                Some(text) => text,
                None => self.float_reduction(prim, depth),
            },
            7 => self.measured(depth),
            8 => self.call(&ty, depth),
            9 => self.cases(&ty, depth),
            10 => self.scalar_loop(&ty, depth),
            11 => {
                let condition = match self.choices.weighted(&[12, 1]) {
                    0 => format!("({0} == {0} || true)", self.value(&Ty::i64(), 0)),
                    _ => self.value(&Ty::Prim(Prim::Bool), 1),
                };
                format!("(assert {condition} {})", self.value(&ty, depth - 1))
            }
            12 => self.block(&ty, depth),
            13 => self.division(prim, depth),
            14 => self.applied_twice(&ty, depth),
            15 => self.scalar_idiom(prim, depth),
            _ => self.ends_by_check(prim, depth),
        }
    }

    fn operation(&mut self, prim: Prim, depth: usize) -> String {
        let ty = Ty::Prim(prim);
        let name = prim.name();
        if prim == Prim::Bool {
            if self.choices.chance(3) {
                let operator = self.choices.pick(&["&&", "||", "!=", "=="]);
                let (left, right) = (self.value(&ty, depth - 1), self.value(&ty, depth - 1));
                return format!("({left} {operator} {right})");
            }
            let compared = Ty::Prim(self.prim());
            let operators: &[&str] = if compared == ty { &["==", "!="] } else { &["<", "<=", "==", "!=", ">", ">="] };
            let operator = self.choices.pick(operators);
            let (left, right) = (self.value(&compared, depth - 1), self.value(&compared, depth - 1));
            return format!("({left} {operator} {right})");
        }
        let ints = usize::from(prim.is_int());
        match self.choices.weighted(&[6, 4, 3 * ints, 2, ints, ints, 1 - ints]) {
            0 => format!("({} + {})", self.value(&ty, depth - 1), self.value(&ty, depth - 1)),
            1 => format!("({} - {})", self.value(&ty, depth - 1), self.value(&ty, depth - 1)),
            2 => format!("({} * {})", self.value(&ty, depth - 1), self.value(&ty, depth - 1)),
            3 => {
                let function = self.choices.pick(&["max", "min"]);
                format!("({name}.{function} {} {})", self.value(&ty, depth - 1), self.value(&ty, depth - 1))
            }
            4 => {
                let operator = self.choices.pick(&["&", "|", "^"]);
                format!("({} {operator} {})", self.value(&ty, depth - 1), self.value(&ty, depth - 1))
            }
            5 => {
                let operator = self.choices.pick(&["<<", ">>"]);
                format!("({} {operator} {}{name})", self.value(&ty, depth - 1), 1 + self.choices.below(4))
            }
            _ => {
                let factor = self.choices.pick(&["2", "0.5"]);
                format!("({} * {factor}{name})", self.value(&ty, depth - 1))
            }
        }
    }

    fn conversion(&mut self, prim: Prim, depth: usize) -> String {
        let from = self.int();
        let (to, from_name) = (prim.name(), from.name());
        let converted = self.value(&Ty::Prim(from), depth - 1);
        if prim.is_float() {
            format!("({to}.{from_name} ({converted} % 16{from_name}))")
        } else {
            format!("({to}.{from_name} {converted})")
        }
    }

    pub(crate) fn conditional(&mut self, ty: &Ty, depth: usize) -> String {
        let condition = self.value(&Ty::Prim(Prim::Bool), 1);
        format!("(if {condition} then {} else {})", self.value(ty, depth - 1), self.value(ty, depth - 1))
    }

    fn division(&mut self, prim: Prim, depth: usize) -> String {
        let ty = Ty::Prim(prim);
        if !prim.is_int() {
            return self.operation(prim, depth);
        }
        let name = prim.name();
        let operator = self.choices.pick(&["/", "%", "//", "%%"]);
        let operator = if prim.is_signed() { operator } else { &operator[..1] };
        let dividend = self.value(&ty, depth - 1);
        match self.choices.weighted(&[6, 6, 3]) {
            0 => format!("({dividend} {operator} {}{name})", 1 + self.choices.below(5)),
            1 => {
                let divisor = self.value(&ty, 1);
                format!("(if {divisor} == 0{name} then 0{name} else {dividend} {operator} {divisor})")
            }
            _ => format!("({dividend} {operator} {})", self.value(&ty, 1)),
        }
    }

    /// An index of an array of some size, and whether it is one only when the array is not empty.
    pub(crate) fn index(&mut self, dim: &Dim, depth: usize) -> (String, bool) {
        let known = if self.has_var(|var| var.index_of.as_ref() == Some(dim)) { 8 } else { 0 };
        let constant = if let Dim::Const(_) = dim { 4 } else { 0 };
        let size = dim.value();
        match self.choices.weighted(&[constant, known, 2]) {
            0 => (format!("{}i64", self.choices.below(self.most(dim))), false),
            1 => {
                let index = self.var(|var| var.index_of.as_ref() == Some(dim)).expect("there is one").text;
                (self.maybe_checked(index, 20), false)
            }
            _ => (format!("({} % {size})", self.value(&Ty::i64(), depth.min(1))), constant == 0),
        }
    }

    /// An element of an array: of a variable, of an expression, or of another view of it.
    fn element(&mut self, ty: &Ty, depth: usize) -> String {
        let scalar = matches!(ty, Ty::Prim(_));
        let row = |var: &Ty| matches!(var, Ty::Array(_, elem) if **elem == *ty);
        let table = |var: &Ty| matches!(var, Ty::Array(_, elem) if row(elem));
        let usable = move |unique: bool| !unique || scalar;
        let rows = if self.has_var(|var| row(&var.ty) && usable(var.unique)) { 8 } else { 0 };
        let tables = if self.has_var(|var| table(&var.ty) && !var.unique) { 4 } else { 0 };
        let (array, dims) = match self.choices.weighted(&[1, rows, tables]) {
            0 => {
                let dim = self.dim();
                (self.value(&Ty::array(dim.clone(), ty.clone()), depth - 1), vec![dim])
            }
            1 => {
                let var = self.var(|var| row(&var.ty) && usable(var.unique)).expect("there is one");
                let Ty::Array(dim, _) = &var.ty else { unreachable!("it is an array") };
                if !var.unique && self.choices.chance(6) {
                    let view = self.choices.pick(&["reverse", "rotate 1i64"]);
                    (format!("({view} {})", var.text), vec![dim.clone()])
                } else {
                    (format!("({})", var.text), vec![dim.clone()])
                }
            }
            _ => {
                let var = self.var(|var| table(&var.ty) && !var.unique).expect("there is one");
                let Ty::Array(outer, elem) = &var.ty else { unreachable!("it is an array") };
                let Ty::Array(inner, _) = &**elem else { unreachable!("its rows are arrays") };
                if self.choices.chance(2) {
                    let array = match self.choices.below(2) {
                        0 => var.text,
                        _ => {
                            let rows = Ty::array(inner.clone(), ty.clone());
                            let lambda = self.lambda(&[(rows.clone(), None)], &rows, depth - 1);
                            format!("(map {lambda} {})", var.text)
                        }
                    };
                    (format!("(transpose {array})"), vec![inner.clone(), outer.clone()])
                } else {
                    (format!("({})", var.text), vec![outer.clone(), inner.clone()])
                }
            }
        };
        if self.choices.chance(16) {
            let indices: Vec<String> = dims.iter().map(|_| self.value(&Ty::i64(), 1)).collect();
            return format!("({array}[{}])", indices.join(", "));
        }
        let (mut indices, mut guards) = (Vec::new(), Vec::new());
        for dim in &dims {
            let (index, guarded) = self.index(dim, depth - 1);
            indices.push(index);
            if guarded {
                guards.push(format!("{} > 0i64", dim.value()));
            }
        }
        let text = format!("({array}[{}])", indices.join(", "));
        if guards.is_empty() {
            return text;
        }
        format!("(if {} then {text} else {})", guards.join(" && "), self.value(ty, 0))
    }

    fn reduction(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let commutative = self.choices.chance(4);
        let matrix = Ty::Tuple(vec![Ty::Prim(Prim::I32); 4]);
        let found = if *ty == Ty::Prim(Prim::I32) && self.choices.chance(12) {
            let Operator { function, neutral } = self.matrix_product();
            let array = self.source(&matrix, depth - 1);
            return Some(format!("((reduce {function} {neutral} {array}).1)"));
        } else {
            self.operator(ty, commutative)?
        };
        let name = if commutative { "reduce_comm" } else { "reduce" };
        let array = self.source(ty, depth - 1);
        if *ty == Ty::Prim(Prim::I32) && self.choices.chance(4) {
            let function = self.choices.pick(&["i32.sum", "i32.maximum", "i32.product"]);
            return Some(format!("({function} {array})"));
        }
        if *ty == Ty::Prim(Prim::Bool) && self.choices.chance(3) {
            let elem = self.plain();
            let array = self.source(&elem, depth - 1);
            let predicate = self.lambda(&[(elem, None)], ty, 1);
            let function = self.choices.pick(&["any", "all"]);
            return Some(format!("({function} {predicate} {array})"));
        }
        Some(format!("({name} {} {} {array})", found.function, found.neutral))
    }

    /// Sums of small whole numbers, and largest and least numbers that are finite even when there are none.
    fn float_reduction(&mut self, prim: Prim, depth: usize) -> String {
        let name = prim.name();
        if self.choices.chance(3) {
            let array = self.source(&Ty::Prim(prim), depth - 1);
            return format!("({name}.min 1000{name} (reduce {name}.min {name}.inf {array}))");
        }
        let from = self.int();
        let from_name = from.name();
        let array = self.source(&Ty::Prim(from), depth - 1);
        format!("(reduce (+) 0{name} (map (\\x -> {name}.{from_name} (x % 16{from_name})) {array}))")
    }

    fn measured(&mut self, depth: usize) -> String {
        if self.choices.chance(2) {
            let elem = self.plain();
            return format!("(length {})", self.unsized_array(&elem, depth - 1).0);
        }
        self.dim().value()
    }

    /// A match on a sum, if there are sums, or on a number.
    pub(crate) fn cases(&mut self, ty: &Ty, depth: usize) -> String {
        if self.sums.is_empty() || self.choices.chance(5) {
            let prim = self.int();
            let (name, number) = (prim.name(), self.value(&Ty::Prim(prim), depth - 1));
            let cases = [self.value(ty, depth - 1), self.value(ty, depth - 1), self.value(ty, depth - 1)];
            let [zero, one, other] = cases;
            return format!("(match {number} case 0{name} -> {zero} case 1{name} -> {one} case _ -> {other})");
        }
        if self.choices.chance(3) {
            return self.nested_cases(ty, depth);
        }
        let sum = self.some_sum();
        let Ty::Sum(number, dims) = &sum else { unreachable!("it is a sum") };
        let mut text = format!("(match {}", self.value(&sum, depth - 1));
        for (name, payload) in self.sums[*number].applied(dims) {
            let scope = self.scope();
            text.push_str(&format!(" case #{name}"));
            for of in payload {
                let part = self.fresh("p");
                text.push_str(&format!(" {part}"));
                self.bind(&part, &of);
            }
            text.push_str(&format!(" -> {}", self.value(ty, depth - 1)));
            self.leave(scope);
        }
        text.push(')');
        text
    }

    /// How often a loop runs, and what its counter is an index of.
    pub(crate) fn trips(&mut self) -> (String, Option<Dim>) {
        match self.choices.weighted(&[3, 5, 1]) {
            0 => (format!("{}i64", self.choices.pick(&[1, 0, 2, 3])), None),
            1 => {
                let dim = self.dim();
                (self.maybe_checked(dim.value(), 12), Some(dim))
            }
            _ => (format!("({} % 4i64)", self.value(&Ty::i64(), 1)), None),
        }
    }

    pub(crate) fn scalar_loop(&mut self, ty: &Ty, depth: usize) -> String {
        let start = self.value(ty, depth - 1);
        let acc = self.fresh("acc");
        match self.choices.weighted(&[3, 2, 2]) {
            0 => {
                let unroll = if self.choices.chance(8) { "#[unroll] " } else { "" };
                let (trips, index_of) = self.trips();
                let i = self.fresh("i");
                let body = self.repeated(|g| {
                    match &index_of {
                        Some(dim) => g.bind_index(&i, dim),
                        None => g.bind(&i, &Ty::i64()),
                    }
                    g.bind(&acc, ty);
                    g.block(ty, depth - 1)
                });
                format!("({unroll}loop ({acc}: {ty}) = {start} for {i} < {trips} do {body})")
            }
            1 => {
                let elem = self.plain();
                let array = self.source(&elem, depth - 1);
                let x = self.fresh("x");
                let body = self.repeated(|g| {
                    g.bind(&x, &elem);
                    g.bind(&acc, ty);
                    g.block(ty, depth - 1)
                });
                format!("(loop ({acc}: {ty}) = {start} for {x} in {array} do {body})")
            }
            _ => {
                let i = self.fresh("i");
                let most = 1 + self.choices.below(4);
                let (condition, body) = self.repeated(|g| {
                    g.bind(&i, &Ty::i64());
                    g.bind(&acc, ty);
                    let condition = g.value(&Ty::Prim(Prim::Bool), 1);
                    (g.maybe_checked(condition, 6), g.block(ty, depth - 1))
                });
                format!(
                    "((loop ({acc}: {ty}, {i}: i64) = ({start}, 0i64) while {i} < {most}i64 && {condition} \
                     do ({body}, {i} + 1i64)).0)"
                )
            }
        }
    }
}
