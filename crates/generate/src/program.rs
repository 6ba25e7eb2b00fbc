//! Whole programs.

use crate::choices::{Choices, Span};
use crate::gen_state::Gen;
use crate::types::{Dim, Ty};

/// A program and what to run it on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub source: String,
    /// Where the entry points begin in it.
    entries_at: usize,
    pub entries: Vec<Entry>,
    /// What it was made from, for [`replay`].
    pub choices: Vec<u64>,
    /// Whether wishes have been added by [`Program::with_strategies`], of which the choices say nothing.
    pub has_strategies: bool,
}

/// An entry point with some inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub name: String,
    /// The arguments of one run each, as text values with spaces between them.
    pub inputs: Vec<String>,
    /// The entry point whose result is the first argument, of the run with the same number.
    pub takes: Option<String>,
}

/// About how long programs are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Some lines, of one entry point.
    Small,
    Medium,
    /// Up to some hundred expressions.
    Large,
}

/// The program of a seed, which is the same everywhere.
pub fn generate(seed: u64, size: Size) -> Program {
    make(Choices::random(seed), Some(size)).0
}

/// The program that is made from some choices. Any choices make a program.
pub fn replay(choices: &[u64]) -> Program {
    make(Choices::replay(choices), None).0
}

impl Program {
    /// Changes the text, in front of the entry points and in them.
    pub(crate) fn rewrite(&mut self, f: impl Fn(&str) -> String) {
        let (library, entries) = self.source.split_at(self.entries_at);
        let (library, entries) = (f(library), f(entries));
        self.entries_at = library.len();
        self.source = library + &entries;
    }

    /// The source after test blocks that give the inputs.
    pub fn with_tests(&self) -> String {
        let mut text = String::new();
        for entry in self.entries.iter().filter(|entry| entry.takes.is_none()) {
            text.push_str(&format!("-- ==\n-- entry: {}\n", entry.name));
            for input in &entry.inputs {
                text.push_str(&format!("-- input {{ {input} }}\n"));
            }
            text.push('\n');
        }
        text.push_str(&self.source);
        text
    }

    /// The program as one of many in a file. Its entry points have the number of the program after their names
    /// ([`Program::name_in_batch`]), and all else is hidden by the programs that follow.
    pub fn in_batch(&self, number: usize) -> String {
        let (definitions, entries) = self.source.split_at(self.entries_at);
        let mut entries = entries.replace("type made", &format!("type made_{number}"));
        entries = entries.replace(": made", &format!(": made_{number}"));
        for entry in &self.entries {
            let named = format!("entry {}", Program::name_in_batch(&entry.name, number));
            entries = entries.replace(&format!("entry {}", entry.name), &named);
        }
        format!("open {{\n{definitions}}}\n\n{entries}\n")
    }

    pub fn name_in_batch(entry: &str, number: usize) -> String {
        format!("{entry}_{number}")
    }
}

/// A program and the spans of its parts.
pub(crate) fn make(mut choices: Choices, size: Option<Size>) -> (Program, Vec<Span>) {
    // The first choice is the size, so that choices alone determine the program.
    let size = match size {
        Some(size) => choices.given(size as usize, 3),
        None => choices.below(3),
    };
    let (fuel, depth, functions) = [(20, 2, 1), (60, 3, 2), (160, 4, 3)][size];
    let mut g = Gen::new(choices, 0);
    while g.sums.len() < 3 && g.choices.more(3) {
        g.sum_type();
    }
    while g.functions.len() < functions && g.choices.more(3) {
        g.fuel = fuel / 2;
        g.function(depth.min(3));
    }
    let mut entries = Vec::new();
    let mut entry_texts = String::new();
    for name in ["main", "other"] {
        if name == "main" || (size > 0 && g.choices.chance(3)) {
            g.fuel = fuel;
            let (text, inputs) = g.entry(name, depth);
            entry_texts.push_str(&text);
            entries.push(Entry { name: name.to_string(), inputs, takes: None });
        }
    }
    if g.choices.chance(4) {
        g.fuel = fuel / 2;
        let (text, more) = g.maker_and_taker(depth);
        entry_texts.push_str(&text);
        entries.extend(more);
    }
    let mut source = String::new();
    for (number, sum) in g.sums.iter().enumerate() {
        source.push_str(&format!("type sum{number}{}\n\n", sum.shown()));
    }
    for text in g.library.values().chain(g.functions.iter().map(|function| &function.text)) {
        source.push_str(text);
        source.push('\n');
    }
    let entries_at = source.len();
    source.push_str(entry_texts.trim_start());
    let (choices, spans) = g.choices.finish();
    (Program { source, entries_at, entries, choices, has_strategies: false }, spans)
}

impl Gen {
    /// A result of an entry point: often some of the variables in scope, so that little is dead code.
    pub(crate) fn printable(&mut self, depth: usize) -> (String, Ty) {
        let (mut values, mut types): (Vec<String>, Vec<Ty>) = (Vec::new(), Vec::new());
        for (value, ty) in std::mem::take(&mut self.kept) {
            if values.len() < 4 && self.has_var(|var| var.text == value && var.ty == ty && !var.unique) {
                values.push(value);
                types.push(ty);
            }
        }
        while values.is_empty() || (values.len() < 4 && self.choices.more(3)) {
            let known = if self.has_var(|var| is_printable(&var.ty)) { 5 } else { 0 };
            let (value, ty) = match self.choices.weighted(&[2, known]) {
                0 => {
                    let rank = self.choices.weighted(&[2, 3, 1]);
                    let prim = Ty::Prim(self.prim());
                    let ty = (0..rank).fold(prim, |ty, _| Ty::array(self.dim(), ty));
                    (self.value(&ty, depth), ty)
                }
                _ => {
                    let var = self.var(|var| is_printable(&var.ty)).expect("there is one");
                    (var.text, var.ty)
                }
            };
            values.push(value);
            types.push(ty);
        }
        match types.pop() {
            Some(ty) if types.is_empty() => (values.concat(), ty),
            last => {
                types.extend(last);
                (format!("({})", values.join(", ")), Ty::Tuple(types))
            }
        }
    }

    fn entry(&mut self, name: &str, depth: usize) -> (String, Vec<String>) {
        let start = self.choices.open();
        let scope = self.scope();
        self.deepest = 0;
        self.bind_dim("n", 8);
        self.bind_dim("m", 8);
        let mut params: Vec<(String, Ty)> = Vec::new();
        let mut header = String::new();
        // A size is either found in arguments or an argument itself.
        let explicit = self.choices.chance(4);
        while params.is_empty() || (params.len() < 4 && self.choices.more(3)) {
            let elem = Ty::Prim(if self.choices.chance(2) { self.int() } else { self.prim() });
            let rank = self.choices.weighted(&[3, 10, 3, 1]);
            let ty = (0..rank).fold(elem, |ty, _| match self.choices.chance(2) {
                true => Ty::array(Dim::Name("n".to_string()), ty),
                false => Ty::array(self.dim(), ty),
            });
            params.push((self.fresh("x"), ty));
        }
        let mut used = Vec::new();
        params.iter().for_each(|(_, ty)| ty.names(&mut used));
        self.dims.retain(|dim| used.contains(&dim.name));
        for dim in &used {
            header.push_str(&if explicit { format!(" ({dim}: i64)") } else { format!(" [{dim}]") });
        }
        let mut updates = String::new();
        for (x, ty) in &params {
            let unique = ty.rank() == 1 && self.choices.chance(5);
            header.push_str(&format!(" ({x}: {}{ty})", if unique { "*" } else { "" }));
            if unique && let Ty::Array(dim, elem) = ty {
                self.bind_unique(x, ty);
                let i = self.fresh("i");
                let value = self.repeated(|g| {
                    g.bind_index(&i, dim);
                    g.value(elem, 2)
                });
                self.vars.retain(|var| !var.unique);
                updates
                    .push_str(&format!("  let {x} = loop {x} for {i} < {} do {x} with [{i}] = {value}\n", dim.value()));
            }
            self.bind(x, ty);
        }
        self.kept.clear();
        let mut pieces = 0;
        while pieces < 2 && self.choices.more(3) {
            let start = self.choices.open();
            for line in self.piece() {
                updates.push_str(&format!("  {line}\n"));
            }
            self.choices.close(start, "statement");
            pieces += 1;
        }
        let (mut body, result) = self.body(depth, Gen::printable);
        let shown = result.shown(&|name| used.iter().any(|dim| dim == name));
        if !updates.is_empty() && !body.starts_with("  let") {
            body = format!("  in {}", body.trim_start());
        }
        self.leave(scope);
        let inputs = (0..3).map(|_| self.input(&used, explicit, &params)).collect();
        self.choices.close(start, "entry");
        (format!("\nentry {name}{header}: {shown} =\n{updates}{body}\n"), inputs)
    }
}

/// Whether values of a type can be printed: scalars and arrays of them.
fn is_printable(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(_) => true,
        Ty::Array(_, elem) => is_printable(elem),
        Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) => false,
    }
}
