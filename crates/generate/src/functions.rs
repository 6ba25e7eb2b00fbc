//! Functions besides the entry points: random ones, and some fixed ones of higher order or that consume.

use crate::gen_state::{Gen, MOST_ELEMENTS, MOST_LEVELS};
use crate::types::{Dim, Ty};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A function that later code may call.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    pub text: String,
    params: Vec<Ty>,
    result: Ty,
    /// How many loops are inside it.
    levels: usize,
    /// The most elements of the result, if it is a vector of a size that the caller cannot know.
    hidden: Option<usize>,
}

impl Gen {
    /// Writes a function of its own.
    pub(crate) fn function(&mut self, depth: usize) {
        let start = self.choices.open();
        let name = self.fresh("f");
        let scope = self.scope();
        self.deepest = 0;
        self.bind_dim("n", 8);
        self.bind_dim("m", 8);
        let mut params = vec![self.any()];
        while params.len() < 3 && self.choices.more(2) {
            params.push(self.any());
        }
        let mut used = Vec::new();
        params.iter().for_each(|param| param.names(&mut used));
        self.dims.retain(|dim| used.contains(&dim.name));
        let mut text = String::new();
        match self.choices.weighted(&[3, 2, 2]) {
            0 => {}
            1 => text.push_str("#[noinline]\n"),
            _ => text.push_str("#[inline]\n"),
        }
        text.push_str(&format!("def {name}"));
        used.iter().for_each(|dim| text.push_str(&format!(" [{dim}]")));
        for param in &params {
            let x = self.fresh("x");
            text.push_str(&format!(" ({x}: {param})"));
            self.bind(&x, param);
        }
        let wrapping = self.wrapping();
        let (body, result) = self.body(depth, |g, depth| {
            let ty = g.any();
            (g.value(&ty, depth), ty)
        });
        text.push_str(&format!(": {} =\n{body}\n", result.shown(&|name| used.iter().any(|dim| dim == name))));
        let hidden = match &result {
            Ty::Array(Dim::Name(dim), elem) if !used.contains(dim) && elem.rank() == 0 => {
                Some(self.most(&Dim::Name(dim.clone())))
            }
            _ => None,
        };
        self.leave(scope);
        let levels = self.deepest;
        let (name, text) = self.wrapped(&wrapping, name, text);
        self.functions.push(Function { name, text, params, result, levels, hidden });
        self.choices.close(start, "function");
    }

    /// Bindings and a result, on lines of their own, and the type of the result. Sizes in it may be local.
    pub(crate) fn body(&mut self, depth: usize, result: impl FnOnce(&mut Gen, usize) -> (String, Ty)) -> (String, Ty) {
        let mut text = String::new();
        let mut lines = 0;
        while lines < 8 && self.fuel > 0 && self.choices.more(3) {
            for line in self.statement(depth) {
                text.push_str(&format!("  {line}\n"));
                lines += 1;
            }
        }
        let (value, result) = result(self, depth);
        if text.is_empty() { (format!("  {value}"), result) } else { (format!("{text}  in {value}"), result) }
    }

    /// Whether there is a function to call here for a value of a type.
    pub(crate) fn callable(&self, ty: &Ty) -> bool {
        self.functions.iter().any(|function| self.fits(function, ty).is_some())
    }

    /// What the sizes of a function have to be for its result to have a type.
    fn fits(&self, function: &Function, ty: &Ty) -> Option<BTreeMap<String, Dim>> {
        let mut sizes = BTreeMap::new();
        let cheap = self.level + function.levels < MOST_LEVELS;
        (cheap && unify(&function.result, ty, &function.params, &mut sizes)).then_some(sizes)
    }

    pub(crate) fn call(&mut self, ty: &Ty, depth: usize) -> String {
        let found: Vec<usize> =
            (0..self.functions.len()).filter(|&i| self.fits(&self.functions[i], ty).is_some()).collect();
        let function = self.functions[self.choices.pick(&found)].clone();
        let sizes = self.fits(&function, ty).unwrap_or_default();
        self.call_of(&function, sizes, depth)
    }

    /// The functions to call here for an array of unknown size.
    pub(crate) fn unsized_functions(&self, elem: &Ty) -> Vec<usize> {
        let fits = |function: &Function| {
            function.hidden.is_some()
                && matches!(&function.result, Ty::Array(_, of) if **of == *elem)
                && self.level + function.levels < MOST_LEVELS
        };
        (0..self.functions.len()).filter(|&i| fits(&self.functions[i])).collect()
    }

    /// A call of one of them, and the most elements of its result.
    pub(crate) fn unsized_call(&mut self, found: &[usize], depth: usize) -> (String, usize) {
        let function = self.functions[self.choices.pick(found)].clone();
        (self.call_of(&function, BTreeMap::new(), depth), function.hidden.unwrap_or(MOST_ELEMENTS))
    }

    fn call_of(&mut self, function: &Function, mut sizes: BTreeMap<String, Dim>, depth: usize) -> String {
        self.deepest = self.deepest.max(self.level + function.levels);
        let mut names = Vec::new();
        function.params.iter().for_each(|param| param.names(&mut names));
        for name in names {
            if let Entry::Vacant(size) = sizes.entry(name) {
                let mut dim = self.dim();
                if self.most(&dim) > 8 {
                    dim = Dim::Const(2);
                }
                size.insert(dim);
            }
        }
        let mut text = format!("({}", function.name);
        for param in &function.params {
            let param = param.resized(&|dim| match dim {
                Dim::Name(name) => sizes[name].clone(),
                Dim::Const(_) => dim.clone(),
            });
            text.push_str(&format!(" {}", self.value(&param, depth.saturating_sub(1))));
        }
        text.push(')');
        text
    }

    pub(crate) fn applied_twice(&mut self, ty: &Ty, depth: usize) -> String {
        self.library.insert("twice".into(), "def twice 'a (f: a -> a) (x: a): a = f (f x)\n".into());
        let lambda = self.lambda(&[(ty.clone(), None)], ty, depth - 1);
        format!("(twice {lambda} {})", self.value(ty, depth - 1))
    }

    pub(crate) fn higher_order(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let from = self.plain();
        let array = self.value(&Ty::array(dim.clone(), from.clone()), depth);
        if self.choices.chance(2) {
            let text = "#[noinline]\ndef with_index 'a 'b [n] (f: i64 -> a -> b) (xs: [n]a): [n]b =\n  \
                        map2 f (iota n) xs\n";
            self.library.insert("with_index".into(), text.into());
            let lambda = self.lambda(&[(Ty::i64(), Some(dim.clone())), (from, None)], elem, depth);
            return format!("(with_index {lambda} {array})");
        }
        let text = "def through 'a 'b 'c [n] (f: a -> b) (g: b -> c) (xs: [n]a): [n]c = map (f >-> g) xs\n";
        self.library.insert("through".into(), text.into());
        let middle = self.plain();
        let first = self.lambda(&[(from, None)], &middle, depth);
        let second = self.lambda(&[(middle, None)], elem, depth);
        format!("(through {first} {second} {array})")
    }

    /// A call of a function that consumes its argument.
    pub(crate) fn consumed(&mut self, dim: &Dim, elem: &Ty, depth: usize) -> String {
        let array = self.value(&Ty::array(dim.clone(), elem.clone()), depth);
        let name = format!("fill_{elem}");
        let text = format!(
            "#[noinline]\ndef {name} [n] (a: *[n]{elem}) (k: i64) (x: {elem}): *[n]{elem} =\n  \
             loop a for i < i64.min k n do a with [i] = x\n"
        );
        self.library.insert(name.clone(), text);
        format!("({name} (copy {array}) ({} % 8i64) {})", self.value(&Ty::i64(), 1), self.value(elem, depth))
    }
}

/// Whether a result is of a wanted type when sizes of parameters are chosen for it. Results of unknown size are not.
fn unify(result: &Ty, wanted: &Ty, params: &[Ty], sizes: &mut BTreeMap<String, Dim>) -> bool {
    let same = |dim: &Dim, size: &Dim, sizes: &mut BTreeMap<String, Dim>| match dim {
        Dim::Const(_) => dim == size,
        Dim::Name(name) => {
            let mut names = Vec::new();
            params.iter().for_each(|param| param.names(&mut names));
            names.contains(name) && sizes.entry(name.clone()).or_insert_with(|| size.clone()) == size
        }
    };
    match (result, wanted) {
        (Ty::Array(dim, elem), Ty::Array(size, wanted)) => same(dim, size, sizes) && unify(elem, wanted, params, sizes),
        (Ty::Sum(number, dims), Ty::Sum(other, wanted)) => {
            number == other && dims.iter().zip(wanted).all(|(dim, size)| same(dim, size, sizes))
        }
        (Ty::Tuple(parts), Ty::Tuple(wanted)) => {
            parts.len() == wanted.len() && parts.iter().zip(wanted).all(|(x, y)| unify(x, y, params, sizes))
        }
        (Ty::Record(fields), Ty::Record(wanted)) => {
            fields.len() == wanted.len()
                && fields.iter().zip(wanted).all(|((a, x), (b, y))| a == b && unify(x, y, params, sizes))
        }
        _ => result == wanted,
    }
}
