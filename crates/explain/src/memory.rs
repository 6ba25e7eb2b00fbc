//! The allocations, copies and checks of a function as it is lowered, and the most memory that it has at a time.
//!
//! The walk goes through the code in the order in which it runs, with regions where they are launched, and follows
//! which block each variable stands for: a [`State`] has the references to each block and its variables. Data are
//! unknown: both sides of a branch run, and a loop runs twice, since the memory of an iteration and of the one before
//! meet only in the second round. Where two sides of a branch join, the larger of their blocks is left.

mod state;

use crate::arrays::Known;
use crate::formula::Formula;
use crate::model::{Array, Block, Check, Copy, Peak, Place, Step};
use crate::places::Places;
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_imp::symbolic::{Legend, Sizes, Values, single};
use kenaz_imp::{Arg, EntryFun, Exp, Fun, MessagePart, Prog, Region, Stm};
use kenaz_ir::poly::Poly;
use kenaz_ir::{Level, LocId, Locs, Name, Operand, Space, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use state::State;

/// A walk that has seen so many statements does not go twice through loops and into functions any more.
const PATIENCE: usize = 200_000;

/// What was found in a function.
pub(crate) struct Found {
    pub blocks: Vec<Block>,
    pub copies: Vec<Copy>,
    pub checks: Vec<Check>,
    pub steps: Vec<Step>,
    pub length: usize,
    pub peak: Peak,
    pub formulas: Formulas,
}

/// What numbers are in terms of what a function gets.
pub(crate) struct Formulas {
    sizes: Sizes,
    values: Values,
    legend: Legend,
}

impl Formulas {
    /// A number of the memory stage, which keeps its name when it is lowered.
    pub(crate) fn number(&mut self, x: &Operand) -> String {
        match x {
            Operand::Const(c) => c.as_i64().map_or_else(|| c.to_string(), |n| n.to_string()),
            Operand::Var(name) => self.name(*name),
        }
    }

    pub(crate) fn name(&mut self, name: Name) -> String {
        let value = self.values.numbers.get(&name).cloned().unwrap_or_else(|| Poly::name(name));
        self.text(&value)
    }

    /// A polynomial in terms of names of the memory stage.
    pub(crate) fn poly(&mut self, x: &Poly) -> String {
        let meant = self.meant(x);
        self.text(&meant)
    }

    pub(crate) fn sizes(&mut self) -> &mut Sizes {
        &mut self.sizes
    }

    /// In terms of what the function gets, as far as that is known.
    pub(crate) fn meant(&self, x: &Poly) -> Poly {
        let numbers = &self.values.numbers;
        x.replace(|name| numbers.get(&name).cloned()).unwrap_or_else(|| x.clone())
    }

    /// A number of the memory stage, to be computed from values.
    pub(crate) fn formula_of(&mut self, x: &Operand) -> Option<Formula> {
        let value = match x {
            Operand::Const(c) => Poly::constant(c.as_i64()?.into()),
            Operand::Var(name) => Poly::name(*name),
        };
        Some(self.formula(&value))
    }

    /// The same, to be computed from values.
    pub(crate) fn formula(&mut self, x: &Poly) -> Formula {
        let meant = self.meant(x);
        Formula::new(&meant, &mut self.sizes, &mut self.legend)
    }

    fn text(&mut self, x: &Poly) -> String {
        self.sizes.text(x, &mut self.legend)
    }

    pub(crate) fn into_legend(self) -> Vec<(String, String)> {
        self.legend.into_lines()
    }
}

pub(crate) fn of(prog: &Prog, fun: &Fun, known: &Known, places: &mut Places<'_>, locs: &Locs) -> Found {
    let mut walk = Walk {
        prog,
        regions: prog.regions.iter().map(|region| (region.name, region)).collect(),
        known,
        places,
        locs,
        fun: fun.name,
        here: fun.loc,
        sizes: Sizes::new(prog.fresh.clone()),
        values: Values::default(),
        legend: Legend::default(),
        state: State::default(),
        workers: Vec::new(),
        repeats: Vec::new(),
        shares: Vec::new(),
        peak: Vec::new(),
        has_more: false,
        is_recorded: true,
        seen: 0,
        step: 0,
        blocks: Vec::new(),
        made: Vec::new(),
        copies: Vec::new(),
        nth: FxHashMap::default(),
        checks: Vec::new(),
        steps: Vec::new(),
    };
    walk.params(fun);
    walk.body(&fun.body);
    walk.results(fun);
    walk.finish()
}

struct Walk<'a, 'p> {
    prog: &'a Prog,
    regions: FxHashMap<Symbol, &'a Region>,
    known: &'a Known,
    places: &'a mut Places<'p>,
    locs: &'a Locs,
    /// The function that is explained.
    fun: Symbol,
    /// Where what has no position of its own is: the function, or a region.
    here: LocId,
    sizes: Sizes,
    values: Values,
    legend: Legend,
    state: State,
    /// How many run what is around at the same time.
    workers: Vec<Poly>,
    repeats: Vec<String>,
    /// How many iterations parts of loops have.
    shares: Vec<Name>,
    /// None of them is always less than another.
    peak: Vec<Poly>,
    has_more: bool,
    /// Whether what is found is new: not in the second round of a loop, and not in a function that is called.
    is_recorded: bool,
    seen: usize,
    step: usize,
    blocks: Vec<Block>,
    /// Which block of the state is which of `blocks`.
    made: Vec<(usize, usize)>,
    copies: Vec<Copy>,
    /// How many copies between two blocks there were.
    nth: FxHashMap<(Name, Name), usize>,
    checks: Vec<Check>,
    steps: Vec<Step>,
}

impl Walk<'_, '_> {
    fn params(&mut self, fun: &Fun) {
        for param in &fun.params {
            self.sizes.called(param.name);
        }
        let Some(EntryFun { params, .. }) = &fun.entry else { return };
        let dims = params.iter().filter_map(|param| match &param.ty {
            Type::Array(dims, _) => Some(dims),
            _ => None,
        });
        for size in dims.flatten().filter_map(|dim| if let Operand::Var(size) = dim { Some(*size) } else { None }) {
            self.sizes.at_least(size, 0);
        }
    }

    fn results(&mut self, fun: &Fun) {
        let of = |result: &kenaz_imp::Param| self.state.block(result.name).map(|id| self.state.parts_of(id));
        let ids: FxHashSet<usize> = fun.results.iter().filter_map(of).flatten().collect();
        for (_, block) in self.made.iter().filter(|(id, _)| ids.contains(id)) {
            self.blocks[*block].is_result = true;
            self.blocks[*block].to = self.step;
        }
    }

    fn finish(mut self) -> Found {
        // A block that is never freed stays to the end.
        for block in &mut self.blocks {
            if block.to == 0 {
                block.to = self.step;
            }
        }
        let mut of: Vec<Formula> = Vec::with_capacity(self.peak.len());
        // More is known of sizes now.
        let peak = std::mem::take(&mut self.peak);
        peak.into_iter().for_each(|total| self.reaches(total));
        for bytes in &self.peak {
            of.push(Formula::new(bytes, &mut self.sizes, &mut self.legend));
        }
        let peak = Peak { of, is_bound: self.state.is_bound, has_more: self.has_more };
        let (blocks, copies, checks, steps) = (self.blocks, self.copies, self.checks, self.steps);
        let formulas = Formulas { sizes: self.sizes, values: self.values, legend: self.legend };
        Found { blocks, copies, checks, steps, length: self.step, peak, formulas }
    }

    fn body(&mut self, stms: &[Stm]) {
        with_stack(|| stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &Stm) {
        self.seen += 1;
        match stm {
            Stm::Let { name, prim, value } if prim.is_integer() => {
                let value = self.values.number(&mut self.sizes, value);
                // An unknown number keeps the name of its variable.
                if !self.values.is_unknown(&self.sizes, &value) {
                    self.sizes.nickname(*name, &value);
                    self.values.numbers.insert(*name, value);
                }
            }
            Stm::Tunable { name, of } => self.sizes.call(*name, of.name.as_str()),
            Stm::Workers { name } => {
                self.sizes.at_least(*name, 1);
                self.sizes.call(*name, "threads");
            }
            Stm::Chunks { name, .. } | Stm::Width { name, .. } => self.sizes.at_least(*name, 1),
            Stm::Alloc { name, space, bytes } => {
                let bytes = self.values.number(&mut self.sizes, bytes);
                self.allocate(*name, *space, bytes);
            }
            Stm::Local { name, prim, len } | Stm::PerLane { name, prim, len } => {
                self.on_stack(*name, *prim, *len);
            }
            Stm::Free { name } => self.free(*name),
            Stm::Share { name, from } => self.state.share(*name, *from),
            Stm::SetBlock { name, from } | Stm::Slot { name, from, .. } => self.state.set(*name, *from),
            Stm::Copy { prim, sizes, to, from } => self.copy(*prim, sizes, to.block, from.block),
            Stm::Assert { cond, message, loc } => {
                self.check(message, *loc);
                self.values.holds(&mut self.sizes, cond);
            }
            Stm::For { var, bound, body, .. } => {
                self.sizes.at_least(*var, 0);
                let bound = self.values.number(&mut self.sizes, bound);
                let times = if single(&bound).is_some_and(|name| self.shares.contains(&name)) {
                    "for each iteration in it".to_string()
                } else {
                    self.times(&bound)
                };
                self.again(times, body);
            }
            Stm::While { body, .. } => self.again("as long as a condition holds".to_string(), body),
            Stm::If { yes, no, .. } => self.either(&[yes, no]),
            Stm::Switch { cases, default, .. } => {
                let bodies: Vec<&[Stm]> = cases.iter().map(|(_, body)| &body[..]).chain([&default[..]]).collect();
                self.either(&bodies);
            }
            Stm::Lanes { body, .. } | Stm::Update { body, .. } => self.body(body),
            Stm::Launch { region, args, count, .. } => self.launch(*region, args, count),
            Stm::Call { fun, args, results } => self.call(*fun, args, results),
            _ => {}
        }
    }

    fn times(&mut self, bound: &Poly) -> String {
        if self.values.is_unknown(&self.sizes, bound) {
            return "a number of times that depends on data".to_string();
        }
        match self.sizes.text(bound, &mut self.legend) {
            text if text == "1" => "once".to_string(),
            text => format!("{text} times"),
        }
    }

    // Blocks

    fn allocate(&mut self, name: Name, space: Space, bytes: Poly) {
        // Everybody who runs it has one.
        let all = self.workers.iter().try_fold(bytes.clone(), |all, workers| all.times(workers));
        let id = match &all {
            Some(all) => self.state.allocate(name, all.clone()),
            None => {
                self.has_more = true;
                self.state.allocate(name, Poly::default())
            }
        };
        if self.is_recorded {
            self.step += 1;
            let block = self.described(name, space, &bytes, true);
            self.made.push((id, self.blocks.len()));
            self.blocks.push(block);
        }
        match self.state.total() {
            Some(total) => self.reaches(total),
            None => self.has_more = true,
        }
    }

    fn on_stack(&mut self, name: Name, prim: Prim, len: u64) {
        if self.is_recorded {
            let bytes = Poly::constant(i128::from(len) * i128::from(prim.bytes() as u64));
            let mut block = self.described(name, Space::Private, &bytes, false);
            block.to = block.from;
            self.blocks.push(block);
        }
    }

    fn described(&mut self, name: Name, space: Space, bytes: &Poly, is_allocated: bool) -> Block {
        let known = self.known.block(self.fun, name).cloned().unwrap_or_default();
        let reason = match known.loc {
            None if is_allocated => "parts of a loop leave there what they come to".to_string(),
            _ => known.reason,
        };
        let arrays: Vec<Array> = known
            .arrays
            .into_iter()
            .map(|array| {
                let place = self.places.of(self.locs, array.loc);
                let shape = self.shape(&array.dims, array.prim);
                Array { name: array.name, shape, layout: array.layout, writer: array.writer, place }
            })
            .collect();
        let base = name.base.as_str();
        let name = arrays.first().map_or_else(|| base.strip_suffix("_mem").unwrap_or(base), |array| &array.name);
        Block {
            name: name.to_string(),
            place: self.places.of(self.locs, known.loc.unwrap_or(self.here)),
            bytes: self.sizes.text(bytes, &mut self.legend),
            space: space.name().to_string(),
            is_allocated,
            repeats: self.repeats.clone(),
            reason,
            arrays,
            is_result: false,
            from: self.step,
            to: 0,
        }
    }

    fn shape(&mut self, dims: &[Operand], prim: Prim) -> String {
        let mut out = String::new();
        for dim in dims {
            let value = match dim {
                Operand::Const(c) => Poly::constant(c.as_i64().unwrap_or(0).into()),
                Operand::Var(name) => self.values.numbers.get(name).cloned().unwrap_or_else(|| Poly::name(*name)),
            };
            out.push_str(&format!("[{}]", self.sizes.text(&value, &mut self.legend)));
        }
        out + prim.name()
    }

    /// Notes how much memory there is now.
    fn reaches(&mut self, total: Poly) {
        if self.peak.iter().any(|other| self.sizes.is_at_least(other, &total)) {
            return;
        }
        let sizes = &self.sizes;
        self.peak.retain(|other| !sizes.is_at_least(&total, other));
        self.peak.push(total);
    }

    fn free(&mut self, name: Name) {
        let gone = self.state.free(name);
        if self.is_recorded {
            self.step += 1;
        }
        // Also those of the first round, if this is the second one.
        let Some(gone) = gone.map(|gone| self.state.parts_of(gone)) else { return };
        for (_, block) in self.made.iter().filter(|(id, _)| gone.contains(id)) {
            self.blocks[*block].to = self.step;
        }
    }

    fn copy(&mut self, prim: Prim, sizes: &[Exp], to: Name, from: Name) {
        if !self.is_recorded {
            return;
        }
        let mut bytes = Some(Poly::constant(prim.bytes() as i128));
        for size in sizes {
            let size = self.values.number(&mut self.sizes, size);
            bytes = bytes.and_then(|bytes| bytes.times(&size));
        }
        let bytes = bytes.map_or_else(|| "?".to_string(), |bytes| self.sizes.text(&bytes, &mut self.legend));
        let nth = self.nth.entry((from, to)).or_default();
        let known = self.known.copy(from, to, *nth).cloned();
        *nth += 1;
        let base = |name: Name| {
            let base = name.base.as_str();
            base.strip_suffix("_mem").unwrap_or(base).to_string()
        };
        let place = self.places.of(self.locs, known.as_ref().map_or(self.here, |known| known.loc));
        let (from, to, reason) = match known {
            Some(known) => (known.from, known.to, known.reason),
            None => (base(from), base(to), String::new()),
        };
        self.copies.push(Copy { place, from, to, bytes, repeats: self.repeats.clone(), reason });
        self.does("copy".to_string(), None);
    }

    fn check(&mut self, message: &[MessagePart], loc: LocId) {
        if !self.is_recorded {
            return;
        }
        let mut text = String::new();
        for part in message {
            match part {
                MessagePart::Text(part) => text.push_str(part),
                MessagePart::Value(value) => text.push_str(&self.values.text(&mut self.sizes, value)),
            }
        }
        let place = self.places.of(self.locs, loc);
        self.checks.push(Check { place, message: text, repeats: self.repeats.clone() });
    }

    /// Something that takes long happens now.
    fn does(&mut self, what: String, place: Option<Place>) -> usize {
        self.step += 1;
        self.steps.push(Step { at: self.step, to: self.step, what, place });
        self.steps.len() - 1
    }

    // Control

    fn again(&mut self, times: String, body: &[Stm]) {
        let has_memory = has_memory(body);
        let step = (self.is_recorded && has_memory).then(|| self.does(format!("loop, {times}"), None));
        self.repeats.push(times);
        // A loop that only computes matters for its checks alone.
        self.body(body);
        if has_memory && self.seen < PATIENCE {
            let is_recorded = std::mem::replace(&mut self.is_recorded, false);
            self.body(body);
            self.is_recorded = is_recorded;
        }
        self.repeats.pop();
        if let Some(step) = step {
            self.step += 1;
            self.steps[step].to = self.step;
            self.until_here(self.steps[step].at);
        }
    }

    /// A block that the second round of a loop has freed stays until the loop ends.
    fn until_here(&mut self, begin: usize) {
        for block in self.blocks.iter_mut().filter(|block| block.is_allocated && block.from > begin) {
            if block.to == 0 || block.to < block.from {
                block.to = self.step;
            }
        }
    }

    fn either(&mut self, bodies: &[impl AsRef<[Stm]>]) {
        if !bodies.iter().any(|body| has_memory(body.as_ref())) {
            return bodies.iter().for_each(|body| self.body(body.as_ref()));
        }
        let before = self.state.clone();
        let mut after: Option<State> = None;
        for body in bodies {
            self.state = before.clone();
            if let Some(other) = &after {
                self.state.know(other);
            }
            self.body(body.as_ref());
            after = Some(match after {
                None => std::mem::take(&mut self.state),
                Some(other) => std::mem::take(&mut self.state).or(other, &mut self.sizes),
            });
        }
        self.state = after.unwrap_or(before);
    }

    fn launch(&mut self, region: Symbol, args: &[Arg], count: &Exp) {
        let Some(region) = self.regions.get(&region).copied() else { return };
        let count = self.values.number(&mut self.sizes, count);
        let who = match region.level {
            Level::Core => "loop on the cores",
            _ => "kernel",
        };
        let place = self.places.of(self.locs, region.loc);
        let step = self.is_recorded.then(|| self.does(who.to_string(), place));
        self.arguments(&region.params.iter().map(|param| param.name).collect::<Vec<_>>(), args);
        let here = std::mem::replace(&mut self.here, region.loc);
        // At most as many run at the same time as there are chunks, and as there are threads.
        let workers = match count.as_constant() {
            Some(n) => Poly::constant(n),
            None => {
                let threads = self.sizes.fresh("threads");
                self.sizes.at_least(threads, 1);
                self.sizes.call(threads, "threads");
                Poly::name(threads)
            }
        };
        self.workers.push(workers);
        self.repeats.push("for each part".to_string());
        if let (Level::Core, [_, _, len, _]) = (region.level, &region.ids[..]) {
            self.shares.push(*len);
        }
        self.body(&region.body);
        self.repeats.pop();
        self.workers.pop();
        self.here = here;
        if let Some(step) = step {
            self.step += 1;
            self.steps[step].to = self.step;
        }
    }

    fn call(&mut self, fun: Symbol, args: &[Arg], results: &[Name]) {
        let Some(callee) = self.prog.funs.iter().find(|other| other.name == fun) else { return };
        if self.is_recorded {
            let place = self.places.of(self.locs, self.here);
            self.does(format!("call of {fun}"), place);
        }
        if self.seen >= PATIENCE {
            self.has_more = true;
            return;
        }
        self.arguments(&callee.params.iter().map(|param| param.name).collect::<Vec<_>>(), args);
        let is_recorded = std::mem::replace(&mut self.is_recorded, false);
        self.body(&callee.body);
        self.is_recorded = is_recorded;
        for (result, from) in results.iter().zip(&callee.results) {
            self.state.set(*result, from.name);
        }
    }

    fn arguments(&mut self, params: &[Name], args: &[Arg]) {
        for (param, arg) in params.iter().zip(args) {
            match arg {
                Arg::Scalar(exp) if exp.prim().is_integer() => {
                    let value = self.values.number(&mut self.sizes, exp);
                    if !self.values.is_unknown(&self.sizes, &value) {
                        self.values.numbers.insert(*param, value);
                    }
                }
                Arg::Block(name) => self.state.set(*param, *name),
                Arg::Scalar(_) => {}
            }
        }
    }
}

/// Whether statements allocate, give up or hand on blocks, themselves or in what they call.
fn has_memory(stms: &[Stm]) -> bool {
    let mut has = false;
    kenaz_imp::visit::for_each_stm(stms, &mut |stm| {
        has |= matches!(
            stm,
            Stm::Alloc { .. }
                | Stm::Free { .. }
                | Stm::Share { .. }
                | Stm::SetBlock { .. }
                | Stm::Call { .. }
                | Stm::Launch { .. }
        );
    });
    has
}
