//! The kernels of a program for a device: when they run, on how many threads, and how often they read and write which
//! arrays.
//!
//! All is said in terms of the sizes and scalars that a function gets, of its tunables, and of these:
//!
//! | | |
//! |---|---|
//! | `threads`, `blocks` | how many of a kernel there are: as many as the device can run at a time, and no more than have something to do |
//! | `width` | how many lanes a block has |
//!
//! Accesses are those that are written in the program of the `imp` stage, in all threads together. What all lanes of a
//! block do alike is done once for the block. On-chip and private memory and tables of constants do not count.

mod count;

use crate::{CompileError, Compiler};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_imp::symbolic::{Cond, Legend, Sizes, Values, numbered, single};
use kenaz_imp::{Arg, EntryFun, Exp, Fun, Lanes, Prog, Region, Stm, Ty};
use kenaz_ir::poly::Poly;
use kenaz_ir::{Level, Name, Operand, Ownership, Scalar, Stage, Target, Tunable, TunableClass, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;

/// Blocks in on-chip memory begin at multiples of this many bytes.
const SHARED_ALIGNMENT: i128 = 16;

/// A kernel, where the host launches it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// As in the generated program and in profiles: `main_1`.
    pub name: String,
    /// The function of the program that launches it.
    pub fun: Symbol,
    /// `a.fut:3:8-34`, and the calls that brought it there, from the innermost to the outermost.
    pub places: Vec<Symbol>,
    /// What must hold for it to run, all of it: `n < main.flat_1 (256)`.
    pub conditions: Vec<String>,
    /// Loops of the host around it, from the outermost on, by how often they run; none where nobody knows.
    pub repeats: Vec<Option<String>>,
    pub runs_on: RunsOn,
    /// Arrays of a single thread: how many elements of which type.
    pub private: Vec<(u64, Prim)>,
    /// What it reads, and then what it writes.
    pub accesses: Vec<Access>,
    /// Whether there are checks in it.
    pub can_fail: bool,
    /// What words in the other texts stand for: `size`, `max(m - 1, 0)`.
    pub legend: Vec<(String, String)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunsOn {
    Threads(Many),
    Blocks {
        blocks: Many,
        /// How many lanes each has.
        lanes: String,
        /// The bytes of on-chip memory that each has, but for rounding up to multiples of 16.
        bytes: String,
    },
}

/// How many there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Many {
    pub count: String,
    /// No more than this, if the count is not known before the program runs.
    pub at_most: Option<String>,
}

/// How a kernel uses an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    pub kind: AccessKind,
    /// The array, or several of which it is one.
    pub arrays: Vec<String>,
    pub prim: Prim,
    /// How many elements, each time that it is done: `n*m`.
    pub count: String,
    pub bound: Bound,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AccessKind {
    Read,
    Write,
    /// A write where others may write to the same element.
    Race,
    /// An atomic update.
    Update,
}

/// What is known about a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    Exactly,
    /// Some are under a condition.
    AtMost,
    /// Others are in loops whose lengths depend on data.
    AtLeast,
    /// Those of the count are under a condition, and others in such loops.
    Unknown,
}

/// The kernels of the program in a file.
pub fn of_file(compiler: &Compiler, path: &Path) -> Result<Vec<Kernel>, CompileError> {
    if !compiler.target.runs(Level::Grid) {
        return Ok(Vec::new());
    }
    let compilation = compiler.to(path, Stage::Memory(Ownership::Settled))?;
    Ok(kernels(&compilation.lower(), compiler.target))
}

/// The kernels of a finished program, in the order in which its functions launch them; those of a function after those
/// of the functions that it calls. Nothing for a target without a device.
pub fn kernels(prog: &Prog, target: &Target) -> Vec<Kernel> {
    if !target.runs(Level::Grid) {
        return Vec::new();
    }
    let names = kenaz_codegen::region_names(prog);
    let regions: FxHashMap<Symbol, &Region> = prog.regions.iter().map(|region| (region.name, region)).collect();
    let mut found = Vec::new();
    for fun in &prog.funs {
        let mut host = Host {
            prog,
            names: &names,
            regions: &regions,
            fun,
            sizes: Sizes::new(prog.fresh.clone()),
            values: Values::default(),
            limits: FxHashMap::default(),
            tunables: BTreeMap::new(),
            width: None,
            blocks: FxHashMap::default(),
            conditions: Vec::new(),
            repeats: Vec::new(),
            found: &mut found,
        };
        host.params();
        host.body(&fun.body);
    }
    found
}

/// A walk over the code of a function that runs on the host.
struct Host<'a> {
    prog: &'a Prog,
    names: &'a FxHashMap<Symbol, String>,
    regions: &'a FxHashMap<Symbol, &'a Region>,
    fun: &'a Fun,
    sizes: Sizes,
    values: Values,
    /// What numbers of threads and blocks are not greater than.
    limits: FxHashMap<Name, Poly>,
    tunables: BTreeMap<Symbol, Name>,
    width: Option<Name>,
    /// What blocks are called.
    blocks: FxHashMap<Name, String>,
    conditions: Vec<Cond>,
    repeats: Vec<Option<Exp>>,
    found: &'a mut Vec<Kernel>,
}

impl Host<'_> {
    /// Parameters have their own names, and so do arrays; sizes are not negative.
    fn params(&mut self) {
        for param in &self.fun.params {
            self.sizes.called(param.name);
        }
        let Some(EntryFun { params, results, .. }) = &self.fun.entry else { return };
        for param in params {
            let (Type::Array(dims, _), Some(place)) = (&param.ty, &param.place) else { continue };
            for dim in dims {
                if let Operand::Var(size) = dim {
                    self.sizes.at_least(*size, 0);
                }
            }
            self.call_block(place.block, param.name.base.as_str());
        }
        let of_result = |block: Name| results.iter().position(|r| r.place.as_ref().is_some_and(|p| p.block == block));
        let arrays = results.iter().filter(|result| result.place.is_some()).count();
        let mut made = Vec::new();
        let mut moved = Vec::new();
        kenaz_imp::visit::for_each_stm(&self.fun.body, &mut |stm| match stm {
            Stm::Alloc { name, .. } => made.push(*name),
            Stm::SetBlock { name, from } => moved.extend(of_result(*name).map(|_| (*name, *from))),
            _ => {}
        });
        for (i, (_, from)) in moved.iter().filter(|(_, from)| made.contains(from)).enumerate() {
            self.call_block(*from, &if arrays == 1 { "result".to_string() } else { format!("result {}", i + 1) });
        }
    }

    fn call_block(&mut self, block: Name, text: &str) -> String {
        if let Some(text) = self.blocks.get(&block) {
            return text.clone();
        }
        let text = numbered(text, |text| self.blocks.values().any(|other| other == text));
        self.blocks.insert(block, text.clone());
        text
    }

    fn body(&mut self, stms: &[Stm]) {
        with_stack(|| stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Let { name, prim: Prim::Bool, value } => {
                let cond = self.values.cond(&mut self.sizes, value);
                self.values.conds.insert(*name, cond);
            }
            Stm::Let { name, prim, value } if prim.is_integer() => {
                let value = self.values.number(&mut self.sizes, value);
                // What nobody knows is at least called something.
                if !self.values.is_unknown(&self.sizes, &value) {
                    self.sizes.nickname(*name, &value);
                    self.values.numbers.insert(*name, value);
                }
            }
            Stm::Tunable { name, of } => self.tunable(*name, of),
            Stm::Width { name, shares } => {
                // Blocks that have something to do for any number of lanes all have as many.
                let (width, text) = match shares {
                    Exp::Const(_) => (*self.width.get_or_insert(*name), "width"),
                    _ => (*name, "lanes"),
                };
                self.sizes.at_least(width, 1);
                self.sizes.call(width, text);
                self.values.numbers.insert(*name, Poly::name(width));
            }
            Stm::Workers { name } => self.sizes.at_least(*name, 1),
            Stm::Chunks { name, iterations, .. } => {
                let iterations = self.values.number(&mut self.sizes, iterations);
                self.sizes.at_least(*name, 1);
                self.limits.insert(*name, iterations);
            }
            Stm::Share { name, from } => {
                if let Some(text) = self.blocks.get(from).cloned() {
                    self.blocks.insert(*name, text);
                }
            }
            Stm::Assert { cond, .. } => self.values.holds(&mut self.sizes, cond),
            Stm::If { cond, yes, no } => {
                let cond = self.values.cond(&mut self.sizes, cond);
                self.under(cond.clone(), yes);
                self.under(cond.negated(), no);
            }
            Stm::Switch { on, cases, default } => {
                let text = self.values.text(&mut self.sizes, on);
                let is = |value: &Scalar| {
                    let number = value.as_i64().map_or_else(|| value.to_string(), |n| n.to_string());
                    Cond::Is(format!("{text} = {number}"), format!("{text} != {number}"))
                };
                for (value, body) in cases {
                    self.under(is(value), body);
                }
                self.under(Cond::any(cases.iter().map(|(value, _)| is(value))).negated(), default);
            }
            Stm::For { var, bound, body, .. } => {
                self.sizes.at_least(*var, 0);
                self.repeats.push(Some(bound.clone()));
                self.body(body);
                self.repeats.pop();
            }
            Stm::While { body, .. } => {
                self.repeats.push(None);
                self.body(body);
                self.repeats.pop();
            }
            Stm::Launch { region, args, count, lanes, .. } => self.launch(*region, args, count, lanes.as_ref()),
            _ => {}
        }
    }

    fn under(&mut self, cond: Cond, body: &[Stm]) {
        self.conditions.push(cond);
        self.body(body);
        self.conditions.pop();
    }

    fn tunable(&mut self, name: Name, of: &Tunable) {
        let first = *self.tunables.entry(of.name).or_insert(name);
        // How much on-chip memory there is says the device.
        let text = match of.class {
            TunableClass::Shared => of.name.to_string(),
            TunableClass::Threshold => format!("{} ({})", of.name, of.default),
        };
        self.sizes.call(first, &text);
        self.values.numbers.insert(name, Poly::name(first));
    }

    fn launch(&mut self, region: Symbol, args: &[Arg], count: &Exp, lanes: Option<&Lanes>) {
        let (Some(region), Some(name)) = (self.regions.get(&region).copied(), self.names.get(&region)) else { return };
        let mut legend = Legend::default();
        let count = self.values.number(&mut self.sizes, count);
        if let Some(Operand::Var(name)) = count.as_operand() {
            let word = if lanes.is_some() { "blocks" } else { "threads" };
            if self.sizes.text_of(name).is_none() {
                let text = numbered(word, |text| self.sizes.is_called(text));
                self.sizes.call(name, &text);
            }
        }
        let many = self.many(&count, &mut legend);
        let runs_on = match lanes {
            None => RunsOn::Threads(many),
            Some(Lanes { count, shared }) => {
                let [lanes, bytes] = [count, shared].map(|exp| self.values.number(&mut self.sizes, exp));
                let bytes = self.sizes.without_rounding(&bytes, SHARED_ALIGNMENT);
                let lanes = self.sizes.text(&lanes, &mut legend);
                RunsOn::Blocks { blocks: many, lanes, bytes: self.sizes.text(&bytes, &mut legend) }
            }
        };
        let mut repeats = Vec::with_capacity(self.repeats.len());
        for bound in &self.repeats {
            repeats.push(bound.as_ref().and_then(|bound| {
                let bound = self.values.number(&mut self.sizes, bound);
                let is_known = !self.values.is_unknown(&self.sizes, &bound);
                is_known.then(|| self.sizes.text(&bound, &mut legend))
            }));
        }
        let accesses = self.accesses(region, args, &count, &mut legend);
        let (mut private, mut can_fail) = (Vec::new(), false);
        kenaz_imp::visit::for_each_stm(&region.body, &mut |stm| match stm {
            Stm::Local { prim, len, .. } => private.push((*len, *prim)),
            Stm::Assert { .. } => can_fail = true,
            _ => {}
        });
        let mut places = self.prog.locs.chain(region.loc);
        let of_fun = self.prog.locs.chain(self.fun.loc);
        // Everything in a function was called from there.
        if places.len() > 1 && places.ends_with(&of_fun) {
            places.truncate((places.len() - of_fun.len()).max(1));
        }
        let conditions = Cond::all(self.conditions.iter().cloned());
        self.found.push(Kernel {
            name: name.clone(),
            fun: self.fun.name,
            places,
            conditions: conditions.lines(),
            repeats,
            runs_on,
            private,
            accesses,
            can_fail,
            legend: legend.into_lines(),
        });
    }

    fn many(&mut self, count: &Poly, legend: &mut Legend) -> Many {
        let limit = single(count).and_then(|name| self.limits.get(&name).cloned());
        let at_most = limit.map(|limit| self.sizes.text(&limit, legend));
        Many { count: self.sizes.text(count, legend), at_most }
    }

    fn accesses(&mut self, region: &Region, args: &[Arg], count: &Poly, legend: &mut Legend) -> Vec<Access> {
        let mut values = self.values.clone();
        let mut arrays: Vec<String> = vec![String::new(); region.params.len()];
        for (i, (param, arg)) in region.params.iter().zip(args).enumerate() {
            match (arg, param.ty) {
                (Arg::Scalar(exp), Ty::Scalar(prim)) if prim.is_integer() => {
                    let value = self.values.number(&mut self.sizes, exp);
                    values.unknown.extend(self.values.unknown.iter());
                    values.numbers.insert(param.name, value);
                }
                (Arg::Block(name), _) => {
                    let base = name.base.as_str();
                    arrays[i] = self.call_block(*name, base.strip_suffix("_mem").unwrap_or(base));
                }
                _ => {}
            }
        }
        if let [id, ids] = region.ids[..] {
            values.numbers.insert(ids, count.clone());
            values.is_around(&mut self.sizes, id, count.clone());
        }
        let found = count::accesses(region, &mut self.sizes, values);
        found
            .into_iter()
            .map(|((kind, roots, prim), count)| Access {
                kind,
                arrays: roots.iter().map(|root| arrays[*root].clone()).collect(),
                prim,
                count: self.sizes.text(&count.sum, legend),
                bound: count.bound(),
            })
            .collect()
    }
}
