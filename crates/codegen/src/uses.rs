//! What a function does with its variables: which are worth a declaration, what blocks hold, what can go wrong.

use crate::host::copy::{Copying, copying};
use crate::multicore::RegionFn;
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_imp::{Arg, Exp, Lock, MessagePart, Param, Side, Stm, Traced, Ty};
use kenaz_ir::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What callers have to know about a function.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub ident: String,
    /// Whether it returns an error code.
    pub fails: bool,
    /// Whether it takes the context.
    pub needs_context: bool,
    /// The type of its only result, a scalar, which it returns since it has no error code to return.
    pub returns: Option<Prim>,
    pub params: Vec<ParamUse>,
}

/// What a function does with a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParamUse {
    /// Nothing, so that it is left out.
    Unused,
    Scalar(Prim),
    /// A pointer to elements, if they are all of the same type.
    Block {
        prim: Option<Prim>,
        is_const: bool,
    },
}

/// How often a variable is set, and where.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sets {
    pub count: usize,
    /// Once of these as the result of a call.
    pub by_call: bool,
}

/// What a function does with a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockUse {
    /// The types of elements that are read and written.
    pub prims: BTreeSet<Prim>,
    /// Elements are written, or the reference moves on to where that might happen.
    pub changed: bool,
    /// Another variable gets a reference to it, or it is one of several that a variable stands for.
    pub moved: bool,
}

/// What a function does with its variables.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// Scalars whose value has an effect.
    pub live: FxHashSet<Name>,
    pub blocks: FxHashMap<Name, BlockUse>,
    pub sets: FxHashMap<Name, Sets>,
    pub fails: bool,
    pub needs_context: bool,
    /// It calls something that may fail.
    pub calls_failing: bool,
    /// Values that variables get, which matter only if the variable does.
    values: FxHashMap<Name, Vec<Name>>,
}

/// How arrays are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    Plain,
    /// Large copies are shared by the threads of the context.
    Shared,
    /// They are in the memory of a device, which is asked to.
    Far,
}

/// What a function calls.
struct Callees<'a> {
    summaries: &'a FxHashMap<Symbol, Summary>,
    regions: &'a FxHashMap<Symbol, RegionFn>,
    copies: Copies,
}

impl Uses {
    /// What a function with these results does, given what those before it and its regions do, and how arrays are
    /// copied.
    pub(crate) fn of(
        body: &[Stm],
        results: &[Param],
        summaries: &FxHashMap<Symbol, Summary>,
        regions: &FxHashMap<Symbol, RegionFn>,
        copies: Copies,
    ) -> Uses {
        let mut uses = Uses::default();
        uses.stms(body, &Callees { summaries, regions, copies });
        let mut todo: Vec<Name> = results.iter().map(|result| result.name).collect();
        todo.extend(uses.live.drain());
        while let Some(name) = todo.pop() {
            if uses.live.insert(name) {
                todo.extend(uses.values.remove(&name).unwrap_or_default());
            }
        }
        for result in results {
            if let Ty::Block(_) = result.ty {
                uses.block(result.name).changed = true;
            }
        }
        uses
    }

    pub(crate) fn is_live(&self, name: Name) -> bool {
        self.live.contains(&name)
    }

    pub(crate) fn block(&mut self, name: Name) -> &mut BlockUse {
        self.blocks.entry(name).or_default()
    }

    /// The only type of elements in a block.
    pub(crate) fn prim(&self, name: Name) -> Option<Prim> {
        let prims = &self.blocks.get(&name)?.prims;
        prims.first().copied().filter(|_| prims.len() == 1)
    }

    fn stms(&mut self, stms: &[Stm], callees: &Callees<'_>) {
        with_stack(|| stms.iter().for_each(|stm| self.stm(stm, callees)));
    }

    fn stm(&mut self, stm: &Stm, callees: &Callees<'_>) {
        match stm {
            Stm::Let { name, value, .. } => self.value(*name, value),
            Stm::Declare { .. } | Stm::Local { .. } | Stm::Table { .. } => {}
            Stm::Set { name, value } => {
                self.value(*name, value);
                self.sets.entry(*name).or_default().count += 1;
            }
            Stm::SetBlock { name, from } => {
                self.sets.entry(*name).or_default().count += 1;
                for block in [*name, *from] {
                    self.block(block).changed = true;
                    self.block(block).moved = true;
                }
                self.live.insert(*from);
            }
            Stm::Alloc { name, bytes, .. } => {
                self.effect(bytes);
                self.block(*name).changed = true;
                (self.fails, self.needs_context) = (true, true);
            }
            Stm::Free { name } => {
                self.block(*name).changed = true;
                self.live.insert(*name);
                self.needs_context = true;
            }
            Stm::Workers { .. } | Stm::Width { .. } | Stm::Tunable { .. } => self.needs_context = true,
            Stm::Shared { name, offset } => {
                self.effect(offset);
                self.block(*name).changed = true;
            }
            Stm::PerLane { name, prim, .. } => {
                self.block(*name).prims.insert(*prim);
                self.block(*name).changed = true;
            }
            Stm::Combine { values, busy, body, .. } => {
                self.effect(busy);
                self.stms(body, callees);
                for value in values {
                    self.effect(&value.result);
                    for block in [value.own, value.room] {
                        self.access(block, value.prim);
                        self.block(block).changed = true;
                    }
                }
            }
            Stm::Board { name, words } => {
                self.effect(words);
                self.block(*name).changed = true;
                self.asks();
            }
            Stm::Take { board, .. } => self.tells(*board),
            Stm::Publish { board, turn, at, values } => {
                self.tells(*board);
                [turn, at].into_iter().chain(values).for_each(|x| self.effect(x));
            }
            Stm::Await { board, turn, at, .. } => {
                self.tells(*board);
                [turn, at].into_iter().for_each(|x| self.effect(x));
            }
            Stm::Slot { name, from, offset } => {
                self.effect(offset);
                for block in [*name, *from] {
                    self.block(block).changed = true;
                    self.block(block).moved = true;
                }
                self.live.insert(*from);
            }
            Stm::Share { name, from } => {
                for block in [*name, *from] {
                    self.block(block).changed = true;
                    self.block(block).moved = true;
                }
                self.live.insert(*from);
            }
            Stm::Store { block, prim, index, value } | Stm::Race { block, prim, index, value } => {
                self.effect(index);
                self.effect(value);
                self.access(*block, *prim);
                self.block(*block).changed = true;
            }
            Stm::Update { cells, lock, body } => {
                if let Some(Lock { block, index }) = lock {
                    self.effect(index);
                    self.access(*block, Prim::I32);
                    self.block(*block).changed = true;
                }
                cells.iter().for_each(|cell| self.effect(&cell.index));
                self.stms(body, callees);
                for cell in cells {
                    self.effect(&cell.value);
                    self.access(cell.block, cell.prim);
                    self.block(cell.block).changed = true;
                }
            }
            Stm::Copy { prim, sizes, to, from } => {
                sizes.iter().for_each(|size| self.effect(size));
                for Side { block, offset, strides } in [to, from] {
                    self.effect(offset);
                    strides.iter().for_each(|stride| self.effect(stride));
                    match callees.copies {
                        Copies::Far => drop(self.live.insert(*block)),
                        Copies::Plain | Copies::Shared => self.access(*block, *prim),
                    }
                }
                self.block(to.block).changed = true;
                match callees.copies {
                    Copies::Plain => {}
                    Copies::Shared => {
                        self.needs_context |= matches!(copying(sizes, to, from), Copying::Bytes(_) | Copying::Any);
                    }
                    Copies::Far => self.asks(),
                }
            }
            Stm::Read { block, index, .. } => {
                self.effect(index);
                self.live.insert(*block);
                self.asks();
            }
            Stm::Write { block, index, value, .. } => {
                self.effect(index);
                self.effect(value);
                self.live.insert(*block);
                self.block(*block).changed = true;
                self.asks();
            }
            Stm::For { bound, body, .. } => {
                self.effect(bound);
                self.stms(body, callees);
            }
            Stm::Lanes { body, .. } => self.stms(body, callees),
            Stm::While { cond, body } => {
                self.effect(cond);
                self.stms(body, callees);
            }
            Stm::If { cond, yes, no } => {
                self.effect(cond);
                self.stms(yes, callees);
                self.stms(no, callees);
            }
            Stm::Switch { on, cases, default } => {
                self.effect(on);
                cases.iter().for_each(|(_, body)| self.stms(body, callees));
                self.stms(default, callees);
            }
            Stm::Streams { bytes, .. } => self.effect(bytes),
            Stm::Stream { block, prim, index, from, .. } => {
                self.effect(index);
                self.access(*block, *prim);
                self.access(*from, *prim);
                self.block(*block).changed = true;
            }
            Stm::Chunks { iterations, work, .. } => {
                self.effect(iterations);
                self.effect(work);
                self.needs_context = true;
            }
            Stm::Parallel { .. } => panic!("a parallel loop is no region"),
            Stm::Launch { region, args, iterations, count, lanes } => {
                self.effect(iterations);
                self.effect(count);
                if let Some(lanes) = lanes {
                    self.effect(&lanes.count);
                    self.effect(&lanes.shared);
                }
                self.call(&callees.regions[region].summary, args, &[]);
                self.needs_context = true;
                if callees.regions[region].kernel.is_some() {
                    self.asks();
                }
            }
            Stm::Call { fun, args, results } => self.call(&callees.summaries[fun], args, results),
            Stm::Assert { cond, message, .. } => {
                self.effect(cond);
                for part in message {
                    match part {
                        MessagePart::Value(value) => self.effect(value),
                        MessagePart::Text(_) => {}
                    }
                }
                (self.fails, self.needs_context) = (true, true);
            }
            Stm::Trace { value, .. } => {
                match value {
                    Traced::Scalar(x) => self.effect(x),
                    Traced::Array { block, prim, offset, sizes } => {
                        self.effect(offset);
                        sizes.iter().for_each(|size| self.effect(size));
                        match callees.copies {
                            Copies::Far => {
                                self.live.insert(*block);
                                self.asks();
                            }
                            Copies::Plain | Copies::Shared => self.access(*block, *prim),
                        }
                    }
                }
                self.needs_context = true;
            }
        }
    }

    fn tells(&mut self, board: Name) {
        self.access(board, Prim::U64);
        self.block(board).changed = true;
    }

    /// A device is asked to do something, which it may fail to.
    fn asks(&mut self) {
        (self.fails, self.calls_failing, self.needs_context) = (true, true, true);
    }

    fn call(&mut self, callee: &Summary, args: &[Arg], results: &[Name]) {
        for (arg, param) in args.iter().zip(&callee.params) {
            match (arg, param) {
                (_, ParamUse::Unused) | (Arg::Block(_), ParamUse::Scalar(_)) => {}
                (Arg::Scalar(x), ParamUse::Scalar(_) | ParamUse::Block { .. }) => self.effect(x),
                (Arg::Block(block), ParamUse::Block { prim, is_const }) => {
                    self.live.insert(*block);
                    let used = self.block(*block);
                    used.prims.extend(*prim);
                    used.changed |= !is_const;
                    used.moved |= !is_const;
                }
            }
        }
        for result in results {
            let sets = self.sets.entry(*result).or_default();
            sets.count += 1;
            sets.by_call = true;
        }
        self.fails |= callee.fails;
        self.calls_failing |= callee.fails;
        self.needs_context |= callee.needs_context;
    }

    /// Elements of a type are read or written.
    fn access(&mut self, block: Name, prim: Prim) {
        self.live.insert(block);
        self.block(block).prims.insert(prim);
    }

    /// A value that a variable gets.
    fn value(&mut self, name: Name, value: &Exp) {
        let mut names = Vec::new();
        self.exp(value, &mut names);
        self.values.entry(name).or_default().extend(names);
    }

    /// A value that matters in any case.
    fn effect(&mut self, value: &Exp) {
        let mut names = Vec::new();
        self.exp(value, &mut names);
        self.live.extend(names);
    }

    fn exp(&mut self, exp: &Exp, names: &mut Vec<Name>) {
        match exp {
            Exp::Var(name, _) => names.push(*name),
            Exp::Load { block, prim, .. } => {
                names.push(*block);
                self.block(*block).prims.insert(*prim);
            }
            _ => {}
        }
        with_stack(|| operands(exp).into_iter().for_each(|operand| self.exp(operand, names)));
    }
}

/// The expressions that an expression is made of.
pub(crate) fn operands(exp: &Exp) -> Vec<&Exp> {
    match exp {
        Exp::Const(_) | Exp::Var(..) => Vec::new(),
        Exp::Un(_, _, x) | Exp::Conv(_, _, x) | Exp::Load { index: x, .. } => vec![x],
        Exp::Bin(_, _, x, y)
        | Exp::Cmp(_, _, x, y)
        | Exp::Add(x, y)
        | Exp::Sub(x, y)
        | Exp::Mul(x, y)
        | Exp::Quot(x, y)
        | Exp::Rem(x, y) => vec![x, y],
        Exp::Math(_, _, xs) => xs.iter().collect(),
        Exp::Select(_, c, x, y) => vec![c, x, y],
    }
}

/// Whether an expression has the same value wherever it is evaluated in a function, but for variables.
pub(crate) fn loads(exp: &Exp) -> bool {
    matches!(exp, Exp::Load { .. }) || with_stack(|| operands(exp).into_iter().any(loads))
}

pub(crate) fn variables(exp: &Exp, names: &mut Vec<Name>) {
    if let Exp::Var(name, _) = exp {
        names.push(*name);
    }
    with_stack(|| operands(exp).into_iter().for_each(|operand| variables(operand, names)));
}
