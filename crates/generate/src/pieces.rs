//! Bindings for which the optimiser has rules of their own: chains of operators, views of what they make, functions
//! and branches whose sizes or checks can be had without their values, and copies that can go.
//!
//! They work on arrays that the program is given, so that nothing is known before it runs.

use crate::gen_state::Gen;
use crate::types::{Dim, Prim, Ty};

/// An array of whole numbers.
struct Row {
    text: String,
    dim: Dim,
    prim: Prim,
}

impl Row {
    fn elem(&self) -> Ty {
        Ty::Prim(self.prim)
    }

    fn ty(&self) -> Ty {
        Ty::array(self.dim.clone(), self.elem())
    }
}

impl Gen {
    /// Some bindings that belong together.
    pub(crate) fn piece(&mut self) -> Vec<String> {
        match self.choices.below(23) {
            0 => self.taken_in(),
            1 => self.part_of_map(),
            2 => self.element_of_map(),
            3 => self.view_of_nest(),
            4 => self.transpositions(),
            5 => self.coerced_map(),
            6 => self.computed_on_demand(),
            7 => self.sized_function(),
            8 => self.sized_rows(),
            9 => self.checked_function(),
            10 => self.branch_of_one_size(),
            11 => self.branch_of_sizes(),
            12 => self.loop_of_one_size(),
            13 => self.loop_of_copies(),
            14 => self.function_of_copies(),
            15 => self.maybe_copied(),
            16 => self.called_in_rows(),
            17 => self.read_before_update(),
            18 => self.scans_and_maps(),
            19 => self.read_before_loss(),
            20 | 21 => self.side_by_side(),
            _ => self.numbers_through_others(),
        }
    }

    /// An array of whole numbers: one of those in scope, if there are any.
    fn row(&mut self) -> Row {
        let found = |ty: &Ty| match ty {
            Ty::Array(dim @ Dim::Name(_), elem) => match **elem {
                Ty::Prim(prim) if prim.is_int() => Some((dim.clone(), prim)),
                _ => None,
            },
            _ => None,
        };
        let known = if self.has_var(|var| !var.unique && found(&var.ty).is_some()) { 7 } else { 0 };
        if self.choices.weighted(&[known, 1]) == 0
            && let Some(var) = self.var(|var| !var.unique && found(&var.ty).is_some())
            && let Some((dim, prim)) = found(&var.ty)
        {
            return Row { text: var.text, dim, prim };
        }
        let (dim, prim) = (self.dim(), self.int());
        let text = self.value(&Ty::array(dim.clone(), Ty::Prim(prim)), 1);
        Row { text, dim, prim }
    }

    /// A row that one more element does not make too long.
    fn short_row(&mut self) -> Row {
        let row = self.row();
        if self.most(&row.dim) <= 10 {
            return row;
        }
        let ty = Ty::array(Dim::Const(2), row.elem());
        Row { text: self.value(&ty, 1), dim: Dim::Const(2), prim: row.prim }
    }

    /// A few operations on variables, which cannot fail; now and then anything.
    fn formula(&mut self, names: &[&str], prim: Prim) -> String {
        if self.choices.chance(8) {
            let scope = self.scope();
            names.iter().for_each(|name| self.bind(name, &Ty::Prim(prim)));
            let text = self.value(&Ty::Prim(prim), 2);
            self.leave(scope);
            return text;
        }
        let mut text = names[0].to_string();
        for k in 0..2 {
            let operand = match names.get(1 + k) {
                Some(name) => name.to_string(),
                None if k > 0 && self.choices.chance(2) => break,
                None => self.value(&Ty::Prim(prim), 0),
            };
            let operator = self.choices.pick(&["+", "*", "-", "^", "&"]);
            text = if self.choices.chance(3) {
                format!("({operand} {operator} {text})")
            } else {
                format!("({text} {operator} {operand})")
            };
        }
        text
    }

    fn function_of(&mut self, prim: Prim) -> String {
        let x = self.fresh("x");
        let body = self.repeated(|g| g.formula(&[&x], prim));
        format!("(\\{x} -> {body})")
    }

    fn predicate_of(&mut self, prim: Prim) -> String {
        let x = self.fresh("x");
        let body = self.repeated(|g| g.formula(&[&x], prim));
        let operator = self.choices.pick(&["<", "<=", ">", "!="]);
        format!("(\\{x} -> {body} {operator} {x})")
    }

    /// Something that depends on the arguments.
    fn condition(&mut self) -> String {
        match self.choices.below(3) {
            0 => format!("({} % 2i64 == 0i64)", self.dim().value()),
            1 => {
                let row = self.row();
                format!("(reduce (^) 0{0} {1} < 3{0})", row.prim.name(), row.text)
            }
            _ => {
                let prim = self.int();
                let value = [0, 0].map(|depth| self.value(&Ty::Prim(prim), depth));
                format!("({} <= {})", value[0], value[1])
            }
        }
    }

    /// A small number that is not negative and that only the arguments tell.
    fn few(&mut self) -> String {
        match self.choices.below(2) {
            0 => self.dim().value(),
            _ => format!("({} % 4i64)", self.value(&Ty::i64(), 0)),
        }
    }

    fn bind_row(&mut self, row: &Row, value: &str) -> String {
        let name = self.fresh("ys");
        self.keep(&name, &row.ty());
        format!("let {name} = {value}")
    }

    /// Binds an array of unknown size.
    fn bind_unsized(&mut self, elem: &Ty, most: usize, value: &str) -> String {
        let (k, name) = (self.fresh("k"), self.fresh("ys"));
        self.bind_dim(&k, most);
        self.keep(&name, &Ty::array(Dim::Name(k.clone()), elem.clone()));
        format!("let [{k}] ({name}: [{k}]{elem}) = {value}")
    }

    fn bind_scalar(&mut self, prim: Prim, value: &str) -> String {
        let name = self.fresh("v");
        self.keep(&name, &Ty::Prim(prim));
        format!("let {name} = {value}")
    }

    /// Brings a result into scope that the entry point should yield, or it would be dead.
    fn keep(&mut self, name: &str, ty: &Ty) {
        self.bind(name, ty);
        self.kept.push((name.to_string(), ty.clone()));
    }

    /// A map that something else takes in.
    fn taken_in(&mut self) -> Vec<String> {
        let row = self.row();
        let (name, most) = (row.prim.name(), self.most(&row.dim));
        let (first, second) = (self.function_of(row.prim), self.function_of(row.prim));
        let mapped = match self.choices.below(2) {
            0 => format!("(map {first} {})", row.text),
            _ => format!("(map {second} (map {first} {}))", row.text),
        };
        match self.choices.weighted(&[3, 1, 1, 1, 1]) {
            0 => {
                let predicate = self.predicate_of(row.prim);
                vec![self.bind_unsized(&row.elem(), most, &format!("filter {predicate} {mapped}"))]
            }
            1 => vec![self.bind_row(&row, &format!("scan (+) 0{name} {mapped}"))],
            2 => vec![self.bind_scalar(row.prim, &format!("reduce (+) 0{name} {mapped}"))],
            3 => {
                let (of, start) = (row.dim.to_string(), self.value(&row.ty(), 0));
                vec![self.bind_row(&row, &format!("scatter (copy {start}) (reverse (iota {of})) {mapped}"))]
            }
            _ => {
                let indices = format!("(map (\\x -> i64.{name} x % 3i64) {})", row.text);
                let row = Row { dim: Dim::Const(3), ..row };
                vec![self.bind_row(&row, &format!("hist (+) 0{name} 3 {indices} {mapped}"))]
            }
        }
    }

    /// Two operators over the same array, and operators over tables.
    fn side_by_side(&mut self) -> Vec<String> {
        let row = self.row();
        let (name, size) = (row.prim.name(), row.dim.to_string());
        let (first, second) = (self.function_of(row.prim), self.function_of(row.prim));
        match self.choices.weighted(&[2, 2, 1, 3, 4]) {
            0 => {
                let indices = format!("(map (\\x -> i64.{name} x % 3i64) {})", row.text);
                let three = Row { dim: Dim::Const(3), text: row.text.clone(), prim: row.prim };
                [first, second]
                    .iter()
                    .map(|f| self.bind_row(&three, &format!("hist (+) 0{name} 3 {indices} (map {f} {})", row.text)))
                    .collect()
            }
            1 => {
                let places = format!("(map (\\x -> i64.{name} x % 4i64) {})", row.text);
                let four = Row { dim: Dim::Const(4), text: row.text.clone(), prim: row.prim };
                // The same value at all places, so that it does not matter which is the last.
                (0..2)
                    .map(|i| {
                        let values = format!("(map (\\_x -> {i}{name}) {})", row.text);
                        self.bind_row(&four, &format!("scatter (replicate 4 9{name}) {places} {values}"))
                    })
                    .collect()
            }
            2 => {
                let (ys, zs) = (self.fresh("ys"), self.fresh("zs"));
                self.keep(&ys, &row.ty());
                self.keep(&zs, &row.ty());
                vec![format!("let ({ys}, {zs}) = unzip (map (\\x -> let y = {first} x in (y, y)) {})", row.text)]
            }
            3 => {
                let table = Ty::array(row.dim.clone(), Ty::array(Dim::Const(2), row.elem()));
                let ys = self.fresh("ys");
                self.keep(&ys, &table);
                let flat = format!("flatten (map (\\x -> [x, {second} x]) {})", row.text);
                vec![format!(
                    "let {ys}: [{size}][2]{name} = map (\\r -> map {first} r) (unflatten (map {second} ({flat})))"
                )]
            }
            _ => {
                let table = Ty::array(row.dim.clone(), Ty::array(row.dim.clone(), row.elem()));
                let (ys, x, y) = (self.fresh("ys"), self.fresh("x"), self.fresh("y"));
                let body = self.repeated(|g| g.formula(&[&x, &y], row.prim));
                self.keep(&ys, &table);
                let nest = format!("map (\\{x} -> map (\\{y} -> {body}) {0}) {0}", row.text);
                vec![format!("let {ys} = scan (map2 (+)) (replicate {size} 0{name}) ({nest})")]
            }
        }
    }

    fn part_of_map(&mut self) -> Vec<String> {
        let row = self.row();
        let (most, size) = (self.most(&row.dim), row.dim.value());
        let first = self.function_of(row.prim);
        let slice = match self.choices.below(4) {
            0 => format!("[{size} / 2i64:]"),
            1 => "[::-1]".to_string(),
            2 => "[::2]".to_string(),
            _ => format!("[{size} / 4i64:{size} - {size} / 3i64]"),
        };
        if self.choices.chance(3) {
            // A part of each row, too.
            let (x, y) = (self.fresh("x"), self.fresh("y"));
            let body = self.repeated(|g| g.formula(&[&x, &y], row.prim));
            let nest = format!("(map (\\{x} -> map (\\{y} -> {body}) {0}) {0})", row.text);
            let sum = format!("(\\r -> reduce (+) 0{} r)", row.prim.name());
            let value = format!("map {sum} ({nest}{})", slice.replace(']', ", ::2]"));
            return vec![self.bind_unsized(&row.elem(), most, &value)];
        }
        let part = format!("(map {first} {}){slice}", row.text);
        let value = match self.choices.below(2) {
            0 => part,
            _ => format!("map {} ({part})", self.function_of(row.prim)),
        };
        vec![self.bind_unsized(&row.elem(), most, &value)]
    }

    fn element_of_map(&mut self) -> Vec<String> {
        let row = self.short_row();
        let (first, one, index) = (self.function_of(row.prim), self.literal(row.prim), self.few());
        // At least one element.
        let more = format!("({} ++ [{one}])", row.text);
        let value = format!("(map {first} {more})[{index} % ({} + 1i64)]", row.dim.value());
        vec![self.bind_scalar(row.prim, &value)]
    }

    /// Maps inside a map, transposed or flattened.
    fn view_of_nest(&mut self) -> Vec<String> {
        let rows = self.row();
        let (columns, zero) = (self.dim(), format!("0{}", rows.prim.name()));
        let (xs, x, y) = (rows.text.clone(), self.fresh("x"), self.fresh("y"));
        let (columns, inner) = match self.choices.chance(2) {
            true => (rows.dim.clone(), xs.clone()),
            false => (columns.clone(), self.value(&Ty::array(columns, rows.elem()), 0)),
        };
        let body = self.repeated(|g| g.formula(&[&x, &y], rows.prim));
        let mut lines = Vec::new();
        let nest = if self.choices.chance(2) {
            format!("(map (\\{x} -> map (\\{y} -> {body}) {inner}) {xs})")
        } else {
            // The rows are there, and another array beside them.
            let (table, ys) = (self.fresh("t"), self.fresh("r"));
            let first = self.repeated(|g| g.formula(&[&x, &y], rows.prim));
            lines.push(format!("let {table} = #[materialize] map (\\{x} -> map (\\{y} -> {first}) {inner}) {xs}"));
            format!("(map2 (\\{x} {ys} -> map (\\{y} -> {body}) {ys}) {xs} {table})")
        };
        match self.choices.weighted(&[2, 1, 1]) {
            0 => {
                let row = Row { dim: columns, ..rows };
                lines.push(self.bind_row(&row, &format!("map (\\c -> reduce (+) {zero} c) (transpose {nest})")));
            }
            1 => lines.push(self.bind_scalar(rows.prim, &format!("reduce (+) {zero} (flatten {nest})"))),
            _ => {
                let last = self.function_of(rows.prim);
                let value = format!(
                    "reduce i64.max 0i64 (map (\\x -> i64.{} x) (map {last} (flatten {nest})))",
                    rows.prim.name()
                );
                lines.push(self.bind_scalar(Prim::I64, &value));
            }
        }
        lines
    }

    /// A transposition of every table.
    fn transpositions(&mut self) -> Vec<String> {
        let row = self.row();
        let (table, name) = (self.fresh("t"), row.prim.name());
        let (xs, x, y, z) = (&row.text, self.fresh("x"), self.fresh("y"), self.fresh("z"));
        let body = self.repeated(|g| g.formula(&[&x, &y, &z], row.prim));
        let cubes = format!("map (\\{x} -> map (\\{y} -> map (\\{z} -> {body}) [1{name}, 2{name}]) {xs}) {xs}");
        let sum = format!("reduce (+) 0{name}");
        let value = format!("map (\\p -> {sum} (map ({sum}) p)) (map transpose {table})");
        vec![format!("let {table} = #[materialize] {cubes}"), self.bind_row(&row, &value)]
    }

    /// Sizes of which a condition says that they are the same.
    fn coerced_map(&mut self) -> Vec<String> {
        let row = self.row();
        let other = self.row();
        let other_row = Row { prim: row.prim, ..other };
        let ys = match other.prim == row.prim {
            true => other_row.text.clone(),
            false => format!("(map (\\x -> {}.{} x) {})", row.prim.name(), other.prim.name(), other_row.text),
        };
        let first = self.function_of(row.prim);
        let (x, y) = (self.fresh("x"), self.fresh("y"));
        let body = self.repeated(|g| g.formula(&[&x, &y], row.prim));
        let (m, n) = (other_row.dim.value(), row.dim.value());
        let whole = format!("map2 (\\{x} {y} -> {body}) (map {first} {} :> {}) {ys}", row.text, other_row.ty());
        let value = match self.choices.below(2) {
            0 => format!("if {n} == {m} then {whole} else {ys}"),
            _ => {
                let k = self.fresh("k");
                let (keep, p) = (self.predicate_of(row.prim), self.fresh("p"));
                let start = format!("let [{k}] ({p}: [{k}]{}) = filter {keep} {}", row.prim.name(), row.text);
                let second = self.function_of(row.prim);
                return vec![
                    start,
                    self.bind_row(
                        &row,
                        &format!(
                            "if {k} == {n} then map {second} ((map {first} {p}) :> {}) else {}",
                            row.ty(),
                            row.text
                        ),
                    ),
                ];
            }
        };
        vec![self.bind_row(&other_row, &value)]
    }

    /// An array that is computed where it is read.
    fn computed_on_demand(&mut self) -> Vec<String> {
        let row = self.short_row();
        let (xs, n) = (row.text.clone(), row.dim.value());
        let (cs, i, x) = (self.fresh("cs"), self.fresh("i"), self.fresh("x"));
        let (first, second) = (self.function_of(row.prim), self.function_of(row.prim));
        let body = self.repeated(|g| g.formula(&[&x], row.prim));
        match self.choices.below(4) {
            0 => {
                let source = format!("let {cs} = #[try(source)] map {first} {xs}");
                let value = format!("map (\\{i} -> let {x} = {cs}[({i} * 3i64) % {n}] in {body}) (iota {})", row.dim);
                vec![source, self.bind_row(&row, &value)]
            }
            1 => {
                let source = format!("let {cs} = #[try(source)] map {first} {xs}");
                vec![source, self.bind_row(&row, &format!("map {second} {cs}"))]
            }
            2 => {
                let condition = self.condition();
                let source = format!("let {cs} = #[try(source)] (if {condition} then map {first} {xs} else {xs})");
                vec![source, self.bind_row(&row, &format!("map (\\{x} -> {body}) {cs}"))]
            }
            _ => {
                let part = self.fresh("p");
                let start = format!("let {part} = #[try(source)] map {first} {xs}");
                let source = format!("let {cs} = #[try(source)] ({xs} ++ {part})");
                let value =
                    format!("map (\\{i} -> let {x} = {cs}[2i64 * {n} - 1i64 - {i}] in {body}) (iota {})", row.dim);
                vec![start, source, self.bind_row(&row, &value)]
            }
        }
    }

    /// A function whose result has a size that is cheap to compute.
    fn sized(&mut self, row: &Row) -> (String, usize) {
        let (f, elem) = (self.fresh("sized"), row.prim.name());
        let most = self.most(&row.dim);
        let (first, literal) = (self.function_without_free(row.prim), self.literal(row.prim));
        let (body, most) = match self.choices.below(7) {
            0 => (format!("replicate (a + n) {literal}"), most + 8),
            1 => (format!("xs ++ map {first} (replicate a {literal})"), most + 8),
            2 => (format!("if a > 2i64 then replicate (a + 1i64) {literal} else map {first} xs"), most.max(9)),
            3 => (format!("let k = (a * 3i64) % 5i64 in tabulate k (\\i -> {elem}.i64 i + {literal})"), 4),
            4 => (format!("let k = 12i64 / (a + 1i64) in replicate (k % 7i64) {literal}"), 6),
            5 => (format!("replicate a {literal}"), 8),
            _ => (format!("if a == 1i64 then map {first} xs ++ [{literal}] else [{literal}] ++ xs"), most + 1),
        };
        let text = format!("#[noinline]\ndef {f} [n] (a: i64) (xs: [n]{elem}): []{elem} =\n  {body}\n");
        self.library.insert(f.clone(), text);
        (f, most)
    }

    /// A function of one number that mentions nothing else.
    fn function_without_free(&mut self, prim: Prim) -> String {
        let (operator, literal) = (self.choices.pick(&["+", "*", "^", "-"]), self.literal(prim));
        format!("(\\x -> x {operator} {literal})")
    }

    fn sized_function(&mut self) -> Vec<String> {
        let row = self.short_row();
        let (f, most) = self.sized(&row);
        let (a, xs) = (self.few(), row.text.clone());
        match self.choices.below(4) {
            0 => vec![self.bind_unsized(&row.elem(), most, &format!("{f} {a} {xs}"))],
            1 => {
                let (y, last) = (self.fresh("y"), self.fresh("a"));
                let value = format!(
                    "let {last} = {a} in map (\\{y} -> {y} + {}.i64 (length ({f} {last} {xs}))) {xs}",
                    row.prim.name()
                );
                vec![self.bind_row(&row, &value)]
            }
            2 => {
                let (b, other) = (self.few(), self.function_of(row.prim));
                let one = self.bind_unsized(&row.elem(), most, &format!("{f} {a} {xs}"));
                vec![one, self.bind_unsized(&row.elem(), most, &format!("map {other} ({f} {b} {xs})"))]
            }
            _ => {
                let (acc, i) = (self.fresh("acc"), self.fresh("i"));
                let name = row.prim.name();
                let value = format!(
                    "loop {acc} = 0{name} for {i} < 3i64 do {acc} + reduce (+) 0{name} ({f} {a} {xs}) + {name}.i64 {i}"
                );
                vec![self.bind_scalar(row.prim, &value)]
            }
        }
    }

    /// Rows whose sizes are the same, as a check finds out.
    fn sized_rows(&mut self) -> Vec<String> {
        let row = self.short_row();
        let (y, k, xs, name) = (self.fresh("y"), self.fresh("k"), row.text.clone(), row.prim.name());
        let sum = format!("reduce (+) 0{name}");
        if self.choices.chance(2) {
            let (f, _) = self.sized(&row);
            let (a, number) = (self.few(), self.fresh("a"));
            let rows = format!("map (\\{y} -> (map (+ {y}) ({f} {number} {xs})) :> [{k}]{name}) {xs}");
            return vec![
                format!("let {number} = {a}"),
                format!("let {k} = length ({f} {number} {xs})"),
                self.bind_row(&row, &format!("map (\\r -> {sum} r) ({rows})")),
            ];
        }
        // The size depends on the row, but hardly ever.
        let size = format!("({k} + (i64.abs (i64.{name} {y}) >> 20i64))");
        let number = self.few();
        let made = match self.choices.below(2) {
            0 => format!("replicate {size} {y}"),
            _ => format!("tabulate {size} (\\i -> {name}.i64 i * {y})"),
        };
        let rows = format!("map (\\{y} -> {made} :> [{k}]{name}) {xs}");
        vec![format!("let {k} = {number}"), self.bind_row(&row, &format!("map (\\r -> {sum} r) ({rows})"))]
    }

    /// A function that checks something that is mostly the same for all its calls.
    fn checked_function(&mut self) -> Vec<String> {
        let row = self.row();
        let (f, name, size) = (self.fresh("checked"), row.prim.name(), row.dim.value());
        let literal = self.literal(row.prim);
        let body = match self.choices.below(4) {
            0 => "xs[i] * x".to_string(),
            1 => format!("if x < {literal} then x else xs[i]"),
            2 => format!("x + {name}.i64 (12i64 / (i + 1i64)) + xs[i]"),
            _ => "assert (i >= 0i64 && i < n) (x - xs[n - 1i64 - i])".to_string(),
        };
        let text = format!("#[noinline]\ndef {f} [n] (xs: [n]{name}) (i: i64) (x: {name}): {name} =\n  {body}\n");
        self.library.insert(f.clone(), text);
        let (xs, a, i) = (row.text.clone(), self.fresh("a"), self.fresh("i"));
        let number = format!("let {a} = {} % i64.max 1i64 {size}", self.few());
        match self.choices.below(4) {
            0 => {
                let (x, other) = (self.fresh("x"), self.function_of(row.prim));
                let value = format!("map (\\{x} -> {f} {xs} {a} {x}) (map {other} {xs})");
                vec![number, self.bind_row(&row, &value)]
            }
            1 => {
                let (acc, start) = (self.fresh("acc"), self.value(&row.elem(), 0));
                let value = format!("loop {acc} = {start} for {i} < {size} do {f} {xs} {i} {acc}");
                vec![self.bind_scalar(row.prim, &value)]
            }
            2 => {
                let value = format!("map (\\{i} -> {f} {xs} {i} {literal}) (iota {})", row.dim);
                vec![self.bind_row(&row, &value)]
            }
            _ => {
                let (acc, x) = (self.fresh("acc"), self.fresh("x"));
                let trips = self.choices.pick(&["2i64", "0i64", "3i64"]);
                let inner = format!("loop {acc} = {x} for _i < {trips} do {f} {xs} {a} {acc}");
                vec![number, self.bind_row(&row, &format!("map (\\{x} -> {inner}) {xs}"))]
            }
        }
    }

    /// A branch about whose size its bodies agree, though they say it in other words.
    fn branch_of_one_size(&mut self) -> Vec<String> {
        let row = self.short_row();
        let (condition, xs, n) = (self.condition(), row.text.clone(), row.dim.value());
        let (first, one) = (self.function_of(row.prim), self.literal(row.prim));
        let most = self.most(&row.dim) + 2;
        if self.choices.chance(2) {
            // One of them has a size that is known outside, and the condition or a little thought says the rest.
            let k = self.fresh("k");
            if self.choices.chance(2) {
                let (keep, some, elem) = (self.predicate_of(row.prim), self.fresh("p"), row.prim.name());
                let start = format!("let [{k}] ({some}: [{k}]{elem}) = filter {keep} {xs}");
                let value = format!("if {k} == {n} then map {first} {some} else {xs}");
                return vec![start, self.bind_unsized(&row.elem(), most, &value)];
            }
            let value = format!("if {condition} then replicate {k} {one} else {xs} ++ map {first} {xs}");
            let start = format!("let {k} = {n} * 2i64");
            return vec![start, self.bind_unsized(&row.elem(), 2 * most, &value), self.bind_scalar(Prim::I64, &k)];
        }
        let yes = self.choices.pick(&[
            format!("{xs} ++ [{one}]"),
            format!("(map {first} {xs}) ++ [{one}]"),
            format!("replicate ({n} + 1i64) {one}"),
        ]);
        let no = self.choices.pick(&[
            format!("[{one}] ++ {xs}"),
            format!("map {first} (replicate (1i64 + {n}) {one})"),
            format!("[{one}] ++ map {first} {xs}"),
        ]);
        let value = format!("if {condition} then {yes} else {no}");
        let mut lines = vec![self.bind_unsized(&row.elem(), most, &value)];
        if self.choices.chance(2) {
            let (k, ys) = self.last_kept();
            let last = self.function_of(row.prim);
            lines.push(self.bind_unsized(&row.elem(), most, &format!("map {last} {ys}[{k} / 2i64:]")));
        }
        lines
    }

    /// The size and the name of the last result, which is an array.
    fn last_kept(&self) -> (String, String) {
        match self.kept.last() {
            Some((name, Ty::Array(dim, _))) => (dim.value(), name.clone()),
            _ => unreachable!("an array was bound just now"),
        }
    }

    fn branch_of_sizes(&mut self) -> Vec<String> {
        let row = self.short_row();
        let (condition, xs, n) = (self.condition(), row.text.clone(), row.dim.value());
        let (first, one, number) = (self.function_of(row.prim), self.literal(row.prim), self.few());
        let most = self.most(&row.dim).max(8) + 2;
        let yes = self.choices.pick(&[
            format!("replicate ({number} + 1i64) {one}"),
            format!("{xs} ++ [{one}, {one}]"),
            format!("map {first} (replicate {number} {one})"),
        ]);
        let no = self.choices.pick(&[
            format!("map {first} {xs}"),
            format!("{xs} ++ [{one}]"),
            format!("replicate ({n} - {n} / 2i64) {one}"),
        ]);
        let value = format!("if {condition} then {yes} else {no}");
        let mut lines = vec![self.bind_unsized(&row.elem(), most, &value)];
        if self.choices.chance(2) {
            let (_, ys) = self.last_kept();
            let last = self.function_of(row.prim);
            lines.push(self.bind_unsized(&row.elem(), most, &format!("map {last} {ys}")));
        }
        lines
    }

    /// A loop that does not change the size of its array.
    fn loop_of_one_size(&mut self) -> Vec<String> {
        let row = self.short_row();
        let (ys, first, one) = (self.fresh("ys"), self.function_of(row.prim), self.literal(row.prim));
        let body = match self.choices.weighted(&[1, 1, 1, 3, 3]) {
            0 => format!("({ys} ++ [{one}])[1:]"),
            1 => format!("(map {first} ([{one}] ++ {ys}))[:length {ys}]"),
            2 => format!("map {first} (({ys} ++ [{one}])[1:])"),
            3 => format!("let k = length {ys} in ({ys} ++ map {first} {ys})[k * 2i64 - k:]"),
            _ => format!(
                "let k = length {ys} in map {first} (replicate (k * 2i64 - k) ({one} + {}.i64 k))",
                row.prim.name()
            ),
        };
        let most = self.most(&row.dim);
        let (trips, _) = self.trips();
        let value = format!("loop ({ys}: []{}) = {} for _i < {trips} do {body}", row.prim.name(), row.text);
        vec![self.bind_unsized(&row.elem(), most, &value)]
    }

    /// A loop that copies an array before it updates it.
    fn loop_of_copies(&mut self) -> Vec<String> {
        let row = self.row();
        let (a, c, i) = (self.fresh("a"), self.fresh("c"), self.fresh("i"));
        let x = self.fresh("x");
        let body = self.repeated(|g| g.formula(&[&x], row.prim));
        let start = match self.choices.below(3) {
            0 => row.text.clone(),
            1 => format!("map {} {}", self.function_of(row.prim), row.text),
            _ => format!("(copy {})", row.text),
        };
        let size = row.dim.value();
        if self.choices.chance(3) {
            // What was before is needed, too.
            let value = format!(
                "loop ({a}, {x}) = ({start}, 0{}) for {i} < {size} do let {c} = copy {a} \
                 let {c} = {c} with [{i}] = {body} in ({c}, {a}[{i}] + {c}[{size} - 1i64 - {i}])",
                row.prim.name()
            );
            let (array, last) = (self.fresh("ys"), self.fresh("v"));
            self.keep(&array, &row.ty());
            self.keep(&last, &row.elem());
            return vec![format!("let ({array}, {last}) = {value}")];
        }
        let value = format!(
            "loop {a} = {start} for {i} < {size} do let {c} = copy {a} let {x} = {a}[{i}] in {c} with [{i}] = {body}"
        );
        vec![self.bind_row(&row, &value)]
    }

    /// A function that copies what it is given and updates the copy.
    fn function_of_copies(&mut self) -> Vec<String> {
        let row = self.row();
        let (f, name, literal) = (self.fresh("copies"), row.prim.name(), self.literal(row.prim));
        let body = match self.choices.below(2) {
            0 => format!("loop a = copy xs for i < n do a with [i] = a[i] * x + {literal}"),
            _ => format!("let a = copy xs let h = n / 2i64 in a with [0:h] = replicate h (x + {literal})"),
        };
        let text = format!("#[noinline]\ndef {f} [n] (xs: [n]{name}) (x: {name}): [n]{name} =\n  {body}\n");
        self.library.insert(f.clone(), text);
        let (first, x) = (self.function_of(row.prim), self.value(&row.elem(), 0));
        let made = format!("(map {first} {})", row.text);
        match self.choices.below(4) {
            0 => vec![self.bind_row(&row, &format!("{f} {made} {x}"))],
            1 => vec![self.bind_row(&row, &format!("{f} ({f} {made} {x}) {x}"))],
            2 => {
                // What it is given is used later, or not.
                let one = self.bind_row(&row, &made);
                let (_, ys) = self.last_kept();
                let other = self.function_of(row.prim);
                if self.choices.chance(2) {
                    self.kept.pop();
                }
                vec![
                    one,
                    self.bind_row(&row, &format!("{f} {ys} {x}")),
                    self.bind_row(&row, &format!("{f} (map {other} {}) {x}", row.text)),
                ]
            }
            _ => vec![self.bind_row(&row, &format!("loop a = {made} for i < 3i64 do {f} a ({name}.i64 i)"))],
        }
    }

    /// A function that copies what it is given in one case only.
    fn maybe_copied(&mut self) -> Vec<String> {
        let row = self.row();
        let (f, name, literal) = (self.fresh("maybe"), row.prim.name(), self.literal(row.prim));
        let text = format!(
            "#[noinline]\ndef {f} [n] (xs: [n]{name}) (k: i64) (x: {name}): [n]{name} =\n  \
             if k < n && k >= 0i64 then copy xs with [k] = x + {literal} else xs\n"
        );
        self.library.insert(f.clone(), text);
        let (first, x, k) = (self.function_of(row.prim), self.value(&row.elem(), 0), self.few());
        let made = format!("(map {first} {})", row.text);
        match self.choices.below(3) {
            0 => vec![self.bind_row(&row, &format!("{f} {made} {k} {x}"))],
            1 => vec![self.bind_row(&row, &format!("{f} ({f} {made} {k} {x}) 0i64 {x}"))],
            _ => {
                let one = self.bind_row(&row, &made);
                let (_, ys) = self.last_kept();
                vec![one, self.bind_row(&row, &format!("{f} {ys} {k} {x}"))]
            }
        }
    }

    /// Two calls of a function of some length for each row.
    fn called_in_rows(&mut self) -> Vec<String> {
        let row = self.row();
        let (f, name) = (self.fresh("long"), row.prim.name());
        let attribute = if self.choices.chance(2) { "#[inline]\n" } else { "" };
        let mut text = format!("{attribute}def {f} [n] (xs: [n]{name}) (x0: {name}): {name} =\n");
        for k in 0..9 {
            let (one, two) = (self.choices.pick(&["+", "*", "^", "-"]), self.choices.pick(&["+", "*", "&", "|"]));
            let literal = self.literal(row.prim);
            text.push_str(&format!("  let x{} = (x{k} {one} {literal}) {two} (x{k} {one} x0)\n", k + 1));
        }
        text.push_str(&format!("  in x9 + reduce {name}.max x0 (map (\\y -> (y * x8) ^ x7) xs)\n"));
        self.library.insert(f.clone(), text);
        let (x, y, other) = (self.fresh("x"), self.fresh("y"), self.function_of(row.prim));
        let body = self.repeated(|g| g.formula(&[&x, &y], row.prim));
        let value = format!("map (\\{x} -> let {y} = {f} {0} {x} in {body} + {f} {0} {y}) (map {other} {0})", row.text);
        vec![self.bind_row(&row, &value)]
    }

    /// What reads an array before its update cannot be brought to what reads it after.
    fn read_before_update(&mut self) -> Vec<String> {
        let row = self.row();
        let (a, b, h) = (self.fresh("a"), self.fresh("b"), self.fresh("h"));
        let (first, one) = (self.function_of(row.prim), self.literal(row.prim));
        let (x, y, size) = (self.fresh("x"), self.fresh("y"), row.dim.value());
        let body = self.repeated(|g| g.formula(&[&x, &y], row.prim));
        let mut lines = vec![
            format!("let {a} = copy {}", row.text),
            format!("let {b} = map {first} {a}"),
            format!("let {h} = {size} - {size} / 2i64"),
            format!("let {a} = {a} with [0:{h}] = replicate {h} {one}"),
        ];
        if self.choices.chance(2) {
            lines.push(self.bind_row(&row, &format!("map2 (\\{x} {y} -> {body}) {b} {a}")));
            return lines;
        }
        let second = self.function_of(row.prim);
        lines.push(self.bind_row(&row, &format!("map {second} {b}")));
        self.keep(&a, &row.ty());
        lines
    }

    /// An element of a copy before it is updated.
    fn read_before_loss(&mut self) -> Vec<String> {
        let row = self.row();
        let (c, v, few, size) = (self.fresh("c"), self.fresh("v"), self.few(), row.dim.value());
        let (one, index) = (self.literal(row.prim), format!("[{few} % {size}]"));
        let value = match self.choices.below(3) {
            0 => format!("let {v} = {c}{index} in ({c} with [{size} - 1i64] = {v} * {one})[0i64] - {v}"),
            1 => format!("let {v} = copy {c} let {c} = {c} with {index} = {one} in {c}[0i64] ^ {v}{index}"),
            _ => format!("let {v} = {c} let {c} = copy {v} with [0i64] = {one} in {c}{index} ^ {v}[0i64]"),
        };
        let value = format!("if {size} == 0i64 then {one} else let {c} = copy {} {value}", row.text);
        vec![self.bind_scalar(row.prim, &value)]
    }

    /// Numbers that go through other types, or are compared.
    fn numbers_through_others(&mut self) -> Vec<String> {
        let row = self.row();
        let (x, y, name) = (self.fresh("x"), self.fresh("y"), row.prim.name());
        let y_value = self.value(&row.elem(), 0);
        let body = match self.choices.below(2) {
            0 => {
                let other = self.choices.pick(&["i8", "u8", "i16", "i64", "i32", "u32"]);
                let (factor, operator) = (self.choices.pick(&["77", "13", "101"]), self.choices.pick(&["+", "^"]));
                format!("{name}.{other} ({other}.{name} ({x} * {factor}{name})) {operator} {x}")
            }
            _ => {
                let operator = self.choices.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (left, right) = (self.formula(&[&x], row.prim), self.formula(&[&y], row.prim));
                format!("if !({left} % 3{name} {operator} {y} % 3{name}) then {left} else {right}")
            }
        };
        let value = format!("let {y} = {y_value} in map (\\{x} -> {body}) {}", row.text);
        vec![self.bind_row(&row, &value)]
    }

    /// Scans and reductions of the same numbers, and maps of what they make.
    fn scans_and_maps(&mut self) -> Vec<String> {
        let row = self.row();
        let (b, s, t, name) = (self.fresh("b"), self.fresh("s"), self.fresh("t"), row.prim.name());
        let first = self.function_of(row.prim);
        let names = ["x", "y", "z"].map(|name| self.fresh(name));
        let [x, y, z] = &names;
        let body = self.repeated(|g| g.formula(&[x, y, z], row.prim));
        let mut lines = vec![
            format!("let {b} = map {first} {}", row.text),
            format!("let {s} = scan (+) 0{name} {b}"),
            format!("let {t} = scan {name}.max {name}.lowest {}", row.text),
        ];
        let value = match self.choices.below(2) {
            0 => format!("map3 (\\{x} {y} {z} -> {body}) {s} {t} {b}"),
            _ => format!("map3 (\\{x} {y} {z} -> {body}) {s} {} {t}", row.text),
        };
        lines.push(self.bind_row(&row, &value));
        match self.choices.below(3) {
            0 => lines.push(self.bind_scalar(row.prim, &format!("reduce (+) 0{name} {b}"))),
            1 => self.keep(&s, &row.ty()),
            _ => {
                // The second needs what the first makes of all.
                let (sum, last) = (self.fresh("v"), self.fresh("x"));
                lines.push(format!("let {sum} = reduce (+) 0{name} {}", row.text));
                lines.push(self.bind_row(&row, &format!("map (\\{last} -> {last} - {sum}) {}", row.text)));
            }
        }
        lines
    }
}
