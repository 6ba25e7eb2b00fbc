//! Runs programs, slowly and with all checks: elements out of range or not written yet, blocks used after they are
//! gone, and blocks that are left over are faults of the compiler, which this finds.

use crate::{Arg, Board, Combined, Exp, Fun, Lock, MessagePart, Param, Prog, Region, Side, Stm, Traced};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir as ir;
use kenaz_ir::{Level, Name, Operand, Scalar};
use rustc_hash::FxHashMap;

/// An argument or result.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Scalar(Scalar),
    Block(Vec<u8>),
}

impl Value {
    /// A block with these elements.
    pub fn block(elems: &[Scalar]) -> Value {
        let bytes = |x: &Scalar| x.bits().to_le_bytes()[..size(x.prim())].to_vec();
        Value::Block(elems.iter().flat_map(bytes).collect())
    }

    /// The elements of a block.
    pub fn elems(&self, prim: Prim) -> Vec<Scalar> {
        match self {
            Value::Scalar(x) => vec![*x],
            Value::Block(bytes) => bytes.chunks_exact(size(prim)).map(|bytes| from_bytes(prim, bytes)).collect(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// A check of the program failed, with its message.
    Failed(String),
    /// The program is wrong.
    Wrong(String),
}

/// What a run left.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub results: Vec<Value>,
    /// What was traced, a line for each.
    pub traced: Vec<String>,
}

/// Runs a function. The blocks of the arguments are borrowed; those of the results, and no others, are alive at the
/// end.
pub fn run(prog: &Prog, name: &str, args: &[Value]) -> Result<Outcome, Fault> {
    let (per_lane, traced) = (FxHashMap::default(), Vec::new());
    let mut machine = Machine { prog, heap: Vec::new(), shared: 0, width: 0, launched: 0, per_lane, traced };
    let board = machine.alloc(0, true);
    assert_eq!(board, BOARD, "the board is the first block");
    let fun = machine.find(Symbol::intern(name))?;
    let mut inputs = Vec::with_capacity(args.len());
    for arg in args {
        inputs.push(match arg {
            Value::Scalar(x) => Slot::Scalar(*x),
            Value::Block(bytes) => {
                let block = machine.alloc(bytes.len(), false);
                machine.heap[block].bytes = bytes.iter().copied().map(Some).collect();
                Slot::Block(block)
            }
        });
    }
    let outputs = machine.call(fun, &inputs)?;
    let mut results = Vec::with_capacity(outputs.len());
    for output in &outputs {
        results.push(match output {
            Slot::Scalar(x) => Value::Scalar(*x),
            Slot::Block(block) => {
                let bytes = machine.heap[*block].bytes.iter().map(|byte| byte.unwrap_or(0xee)).collect();
                Value::Block(bytes)
            }
        });
    }
    for slot in inputs.iter().chain(&outputs) {
        if let Slot::Block(block) = slot {
            machine.free(*block)?;
        }
    }
    match machine.heap[BOARD + 1..].iter().position(|block| block.references > 0 && !block.on_stack) {
        Some(at) => Err(wrong(format!("the block allocated as number {at} is left"))),
        None => Ok(Outcome { results, traced: machine.traced }),
    }
}

/// How many chunks parallel loops have here.
const CHUNKS: i64 = 3;

/// And how many workers run them.
const WORKERS: i64 = 2;

/// And how many lanes blocks have.
const LANES: i64 = 3;

/// There is no memory for larger blocks.
const MOST_BYTES: i64 = 1 << 30;

/// Results of so many bytes are large.
const LARGE: i64 = 2048;

/// The block that is the board of all launches.
const BOARD: usize = 0;

struct Block {
    /// Nothing where nothing was written yet.
    bytes: Vec<Option<u8>>,
    references: u32,
    on_stack: bool,
    /// Of a slot: the block that it is part of, and from which byte on.
    part_of: Option<(usize, usize)>,
}

#[derive(Clone, Copy)]
enum Slot {
    Scalar(Scalar),
    Block(usize),
}

type Env = FxHashMap<Name, Slot>;

struct Machine<'a> {
    prog: &'a Prog,
    heap: Vec<Block>,
    /// The memory that the lanes of the block share that is running.
    shared: usize,
    /// How many lanes it has, and how many blocks were launched with it.
    width: i64,
    launched: u64,
    /// What its lanes have on their stacks.
    per_lane: FxHashMap<Name, Vec<usize>>,
    traced: Vec<String>,
}

fn wrong(text: impl Into<String>) -> Fault {
    Fault::Wrong(text.into())
}

fn size(prim: Prim) -> usize {
    prim.bytes()
}

fn from_bytes(prim: Prim, bytes: &[u8]) -> Scalar {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    Scalar::from_bits(prim, u64::from_le_bytes(word))
}

impl<'a> Machine<'a> {
    fn find(&self, name: Symbol) -> Result<&'a Fun, Fault> {
        let found = self.prog.funs.iter().find(|fun| fun.name == name);
        found.ok_or_else(|| wrong(format!("there is no function {name}")))
    }

    // Blocks

    fn alloc(&mut self, bytes: usize, on_stack: bool) -> usize {
        self.heap.push(Block { bytes: vec![None; bytes], references: 1, on_stack, part_of: None });
        self.heap.len() - 1
    }

    fn free(&mut self, block: usize) -> Result<(), Fault> {
        let block = &mut self.heap[block];
        match block.references {
            0 => Err(wrong("a block is given up twice")),
            _ if block.on_stack => Err(wrong("a block on the stack is given up")),
            n => {
                block.references = n - 1;
                if block.references == 0 {
                    block.bytes = Vec::new();
                }
                Ok(())
            }
        }
    }

    /// The bytes of an element.
    fn element(&mut self, block: usize, prim: Prim, index: i64) -> Result<&mut [Option<u8>], Fault> {
        let (block, from) = self.heap[block].part_of.unwrap_or((block, 0));
        let block = &mut self.heap[block];
        if block.references == 0 {
            return Err(wrong("a block is used after it is gone"));
        }
        let len = block.bytes.len();
        let start = usize::try_from(index).ok().and_then(|index| index.checked_mul(size(prim))?.checked_add(from));
        let range = start.and_then(|start| block.bytes.get_mut(start..start.checked_add(size(prim))?));
        range.ok_or_else(|| wrong(format!("element {index} of a block of {len} bytes of {}", prim.name())))
    }

    fn load(&mut self, block: usize, prim: Prim, index: i64) -> Result<Scalar, Fault> {
        let bytes: Option<Vec<u8>> = self.element(block, prim, index)?.iter().copied().collect();
        let bytes = bytes.ok_or_else(|| wrong(format!("element {index} is read before it is written")))?;
        Ok(from_bytes(prim, &bytes))
    }

    fn store(&mut self, block: usize, index: i64, value: Scalar) -> Result<(), Fault> {
        let new = value.bits().to_le_bytes();
        for (old, new) in self.element(block, value.prim(), index)?.iter_mut().zip(new) {
            *old = Some(new);
        }
        Ok(())
    }

    // Functions and statements

    fn call(&mut self, fun: &Fun, args: &[Slot]) -> Result<Vec<Slot>, Fault> {
        let mut env: Env = fun.params.iter().map(|param| param.name).zip(args.iter().copied()).collect();
        self.stms(&fun.body, &mut env)?;
        fun.results.iter().map(|Param { name, .. }| slot(&env, *name)).collect()
    }

    fn args(&mut self, args: &[Arg], env: &Env) -> Result<Vec<Slot>, Fault> {
        let slot = |arg: &Arg| match arg {
            Arg::Scalar(x) => self.exp(x, env).map(Slot::Scalar),
            Arg::Block(name) => slot(env, *name),
        };
        args.iter().map(slot).collect()
    }

    /// Runs a region so many times, from the last to the first: none may depend on those before it.
    fn launch(
        &mut self,
        name: Symbol,
        args: &[Slot],
        iterations: i64,
        count: i64,
        lanes: Option<(i64, i64)>,
    ) -> Result<(), Fault> {
        let found = self.prog.regions.iter().find(|region| region.name == name);
        let region: &Region = found.ok_or_else(|| wrong(format!("there is no region {name}")))?;
        if count < 1 {
            return Err(wrong(format!("{name} is launched {count} times")));
        }
        for at in (0..count).rev() {
            let first = |at: i64| iterations / count * at + (iterations % count).min(at);
            let ids = match region.level {
                // The last worker has the last chunks, and all of those that are left.
                Level::Core => vec![at, first(at), first(at + 1) - first(at), at.min(WORKERS - 1)],
                Level::Grid | Level::Block => vec![at, count],
                Level::Simd(_) | Level::Lane => return Err(wrong(format!("{name} is at no level of regions"))),
            };
            // It sees nothing of what is around it.
            let mut env: Env = region.params.iter().map(|param| param.name).zip(args.iter().copied()).collect();
            env.extend(region.ids.iter().copied().zip(ids.into_iter().map(|n| Slot::Scalar(Scalar::I64(n)))));
            if let Some((width, bytes)) = lanes {
                (self.width, self.launched) = (width, count.cast_unsigned());
                self.per_lane.clear();
                let bytes = usize::try_from(bytes).map_err(|_| wrong(format!("{bytes} bytes of shared memory")))?;
                self.shared = self.alloc(bytes, true);
            }
            self.stms(&region.body, &mut env)?;
        }
        Ok(())
    }

    fn combine(
        &mut self,
        values: &[Combined],
        busy: &Exp,
        prefixes: bool,
        body: &[Stm],
        env: &mut Env,
    ) -> Result<(), Fault> {
        let busy = usize::try_from(self.int(busy, env)?).map_err(|_| wrong("less than no lanes"))?;
        let mut all: Vec<Scalar> = values.iter().map(|value| Scalar::zero(value.prim)).collect();
        for lane in 0..busy {
            let mut own = Vec::with_capacity(values.len());
            for value in values {
                let each = self.per_lane.get(&value.own).ok_or_else(|| wrong(format!("{} has no value", value.own)))?;
                let block = *each.get(lane).ok_or_else(|| wrong(format!("there is no lane {lane}")))?;
                own.push((block, self.load(block, value.prim, 0)?));
            }
            if lane == 0 {
                all = own.into_iter().map(|(_, value)| value).collect();
                continue;
            }
            for ((value, (block, right)), left) in values.iter().zip(own).zip(&all) {
                env.insert(value.left, Slot::Scalar(*left));
                env.insert(value.right, Slot::Scalar(right));
                if prefixes {
                    self.store(block, 0, *left)?;
                }
            }
            self.stms(body, env)?;
            let results: Result<Vec<Scalar>, Fault> = values.iter().map(|value| self.exp(&value.result, env)).collect();
            all = results?;
        }
        env.extend(values.iter().map(|value| value.all).zip(all.into_iter().map(Slot::Scalar)));
        Ok(())
    }

    fn stms(&mut self, stms: &[Stm], env: &mut Env) -> Result<(), Fault> {
        with_stack(|| stms.iter().try_for_each(|stm| self.stm(stm, env)))
    }

    fn stm(&mut self, stm: &Stm, env: &mut Env) -> Result<(), Fault> {
        match stm {
            Stm::Let { name, value, .. } | Stm::Set { name, value } => {
                let value = self.exp(value, env)?;
                env.insert(*name, Slot::Scalar(value));
            }
            // Whatever it was the last time, it is not assigned now.
            Stm::Declare { name, .. } => drop(env.remove(name)),
            Stm::SetBlock { name, from } => drop(env.insert(*name, slot(env, *from)?)),
            Stm::Alloc { name, bytes, .. } => {
                let bytes = self.int(bytes, env)?;
                if bytes > MOST_BYTES {
                    return Err(Fault::Failed(format!("no memory for {bytes} bytes")));
                }
                let bytes = usize::try_from(bytes).map_err(|_| wrong(format!("a block of {bytes} bytes")))?;
                env.insert(*name, Slot::Block(self.alloc(bytes, false)));
            }
            Stm::Local { name, prim, len } => {
                let bytes = usize::try_from(*len).unwrap_or(0) * size(*prim);
                env.insert(*name, Slot::Block(self.alloc(bytes, true)));
            }
            Stm::Tunable { name, of } => drop(env.insert(*name, Slot::Scalar(Scalar::I64(of.default)))),
            Stm::Width { name, .. } => drop(env.insert(*name, Slot::Scalar(Scalar::I64(LANES)))),
            Stm::Shared { name, offset } => {
                let offset = self.int(offset, env)?;
                let start = usize::try_from(offset).map_err(|_| wrong(format!("a shared block at byte {offset}")))?;
                let slot = self.alloc(0, true);
                self.heap[slot].part_of = Some((self.shared, start));
                env.insert(*name, Slot::Block(slot));
            }
            Stm::Lanes { lane, count, body } => {
                // From the last to the first: none may depend on those before it.
                for at in (0..self.int(count, env)?).rev() {
                    env.insert(*lane, Slot::Scalar(Scalar::I64(at)));
                    let own = usize::try_from(at).unwrap_or(0);
                    env.extend(self.per_lane.iter().map(|(name, each)| (*name, Slot::Block(each[own]))));
                    self.stms(body, env)?;
                }
            }
            Stm::PerLane { name, prim, len } => {
                let bytes = usize::try_from(*len).unwrap_or(0) * size(*prim);
                let each: Vec<usize> = (0..self.width).map(|_| self.alloc(bytes, true)).collect();
                self.per_lane.insert(*name, each);
            }
            Stm::Combine { values, busy, prefixes, body } => self.combine(values, busy, *prefixes, body, env)?,
            Stm::Board { name, words } => {
                let words =
                    usize::try_from(self.int(words, env)?).map_err(|_| wrong("a board of less than nothing"))?;
                let bytes = &mut self.heap[BOARD].bytes;
                if bytes.len() < 8 * words {
                    // A larger one is a new one.
                    *bytes = vec![Some(0); 8 * words];
                }
                env.insert(*name, Slot::Block(BOARD));
            }
            Stm::Take { number, turn, board } => {
                let board = block(env, *board)?;
                let Scalar::U64(word) = self.load(board, Prim::U64, 0)? else { return Err(wrong("no number")) };
                let (count, launch) = (word & 0xffff_ffff, word >> 32);
                let next = if count + 1 == self.launched { (launch + 1) << 32 } else { word + 1 };
                self.store(board, 0, Scalar::U64(next))?;
                env.insert(*number, Slot::Scalar(Scalar::I64(count.cast_signed())));
                env.insert(*turn, Slot::Scalar(Scalar::from_bits(Prim::U32, launch + 1)));
            }
            Stm::Publish { board, turn, at, values } => {
                let (board, turn, mut at) = (block(env, *board)?, self.exp(turn, env)?.bits(), self.int(at, env)?);
                for value in values {
                    let (prim, bits) = (value.prim(), self.exp(value, env)?.bits());
                    for piece in 0..Board::words(prim) {
                        if at < Board::HEAD || self.load(board, Prim::U64, at)?.bits() >> 32 == turn {
                            return Err(wrong(format!("word {at} of a board is not free")));
                        }
                        let word = turn << 32 | bits >> (32 * piece) & 0xffff_ffff;
                        self.store(board, at, Scalar::U64(word))?;
                        at += 1;
                    }
                }
            }
            Stm::Await { names, board, turn, at } => {
                let (board, turn, mut at) = (block(env, *board)?, self.exp(turn, env)?.bits(), self.int(at, env)?);
                for (name, prim) in names {
                    let mut bits = 0;
                    for piece in 0..Board::words(*prim) {
                        let word = self.load(board, Prim::U64, at)?.bits();
                        if word >> 32 != turn {
                            return Err(wrong(format!("word {at} of a board is waited for in vain")));
                        }
                        bits |= (word & 0xffff_ffff) << (32 * piece);
                        at += 1;
                    }
                    env.insert(*name, Slot::Scalar(Scalar::from_bits(*prim, bits)));
                }
            }
            Stm::Workers { name } => drop(env.insert(*name, Slot::Scalar(Scalar::I64(WORKERS)))),
            Stm::Slot { name, from, offset } => {
                let (from, offset) = (block(env, *from)?, self.int(offset, env)?);
                let start = usize::try_from(offset).map_err(|_| wrong(format!("a slot at byte {offset}")))?;
                let slot = self.alloc(0, true);
                self.heap[slot].part_of = Some((from, start));
                env.insert(*name, Slot::Block(slot));
            }
            Stm::Table { name, prim, values } => {
                let table = self.alloc(values.len() * size(*prim), true);
                for (i, value) in (0..).zip(values.iter()) {
                    self.store(table, i, *value)?;
                }
                env.insert(*name, Slot::Block(table));
            }
            Stm::Free { name } => self.free(block(env, *name)?)?,
            Stm::Share { name, from } => {
                let from = block(env, *from)?;
                self.heap[from].references += 1;
                env.insert(*name, Slot::Block(from));
            }
            Stm::Read { name, block: from, prim, index } => {
                let index = self.int(index, env)?;
                let value = self.load(block(env, *from)?, *prim, index)?;
                env.insert(*name, Slot::Scalar(value));
            }
            Stm::Store { block: to, index, value, .. }
            | Stm::Race { block: to, index, value, .. }
            | Stm::Write { block: to, index, value, .. } => {
                let (index, value) = (self.int(index, env)?, self.exp(value, env)?);
                self.store(block(env, *to)?, index, value)?;
            }
            Stm::Update { cells, lock, body } => {
                if let Some(Lock { block: locks, index }) = lock {
                    let index = self.int(index, env)?;
                    if self.load(block(env, *locks)?, Prim::I32, index)? != Scalar::I32(0) {
                        return Err(wrong(format!("the lock {locks}[{index}] is held by nobody")));
                    }
                }
                let mut places = Vec::with_capacity(cells.len());
                for cell in cells {
                    let index = self.int(&cell.index, env)?;
                    let before = self.load(block(env, cell.block)?, cell.prim, index)?;
                    env.insert(cell.old, Slot::Scalar(before));
                    places.push((block(env, cell.block)?, index));
                }
                self.stms(body, env)?;
                let values: Result<Vec<Scalar>, Fault> = cells.iter().map(|cell| self.exp(&cell.value, env)).collect();
                for ((at, index), value) in places.into_iter().zip(values?) {
                    self.store(at, index, value)?;
                }
            }
            Stm::Streams { name, bytes } => {
                let is_large = self.int(bytes, env)? >= LARGE;
                env.insert(*name, Slot::Scalar(Scalar::Bool(is_large)));
            }
            Stm::Stream { block: to, prim, index, from, len } => {
                let first = self.int(index, env)?;
                let (to, from) = (block(env, *to)?, block(env, *from)?);
                for k in 0..i64::try_from(*len).unwrap_or(0) {
                    let value = self.load(from, *prim, k)?;
                    self.store(to, first + k, value)?;
                }
            }
            Stm::Chunks { name, iterations, .. } => {
                let chunks = self.int(iterations, env)?.clamp(1, CHUNKS);
                env.insert(*name, Slot::Scalar(Scalar::I64(chunks)));
            }
            Stm::Parallel { .. } => return Err(wrong("a parallel loop is no region")),
            Stm::Launch { region, args, iterations, count, lanes } => {
                let (iterations, count) = (self.int(iterations, env)?, self.int(count, env)?);
                let lanes = match lanes {
                    Some(lanes) => Some((self.int(&lanes.count, env)?, self.int(&lanes.shared, env)?)),
                    None => None,
                };
                let args = self.args(args, env)?;
                self.launch(*region, &args, iterations, count, lanes)?;
            }
            Stm::Copy { prim, sizes, to, from } => self.copy(*prim, sizes, to, from, env)?,
            Stm::For { var, prim, bound, body, .. } => {
                let bound = self.exp(bound, env)?.bits();
                let bound = if prim.is_signed() { i128::from(bound as i64) } else { i128::from(bound) };
                let mut i = 0;
                while i < bound {
                    let value = u64::try_from(i).map_err(|_| wrong("an index is too large"))?;
                    env.insert(*var, Slot::Scalar(Scalar::from_bits(*prim, value)));
                    self.stms(body, env)?;
                    i += 1;
                }
            }
            Stm::While { cond, body } => {
                while self.exp(cond, env)? == Scalar::Bool(true) {
                    self.stms(body, env)?;
                }
            }
            Stm::If { cond, yes, no } => {
                let holds = self.exp(cond, env)? == Scalar::Bool(true);
                self.stms(if holds { yes } else { no }, env)?;
            }
            Stm::Switch { on, cases, default } => {
                let on = self.exp(on, env)?;
                let case = cases.iter().find(|(value, _)| *value == on);
                self.stms(case.map_or(default, |(_, body)| body), env)?;
            }
            Stm::Call { fun, args, results } => {
                let args = self.args(args, env)?;
                let values = self.call(self.find(*fun)?, &args)?;
                env.extend(results.iter().copied().zip(values));
            }
            Stm::Assert { cond, message, .. } => {
                if self.exp(cond, env)? != Scalar::Bool(true) {
                    return Err(Fault::Failed(self.message(message, env)?));
                }
            }
            Stm::Trace { tag, value } => {
                let text = match value {
                    Traced::Scalar(x) => self.exp(x, env)?.to_string(),
                    Traced::Array { block: from, prim, offset, sizes } => {
                        let mut count = 1;
                        for n in sizes {
                            count *= self.int(n, env)?;
                        }
                        let (from, offset) = (block(env, *from)?, self.int(offset, env)?);
                        let elems: Result<Vec<Scalar>, Fault> =
                            (0..count).map(|i| self.load(from, *prim, offset + i)).collect();
                        let elems: Vec<String> = elems?.iter().map(Scalar::to_string).collect();
                        format!("[{}]", elems.join(", "))
                    }
                };
                self.traced.push(format!("{tag}: {text}"));
            }
        }
        Ok(())
    }

    fn message(&mut self, parts: &[MessagePart], env: &Env) -> Result<String, Fault> {
        let mut text = String::new();
        for part in parts {
            match part {
                MessagePart::Text(part) => text.push_str(part),
                MessagePart::Value(x) => text.push_str(&self.exp(x, env)?.to_string()),
            }
        }
        Ok(text)
    }

    fn copy(&mut self, prim: Prim, sizes: &[Exp], to: &Side, from: &Side, env: &Env) -> Result<(), Fault> {
        let mut ints = |exps: &[Exp]| exps.iter().map(|x| self.int(x, env)).collect::<Result<Vec<i64>, Fault>>();
        let sizes = ints(sizes)?;
        let sides = [(to, ints(&to.strides)?), (from, ints(&from.strides)?)];
        let offsets = [self.int(&to.offset, env)?, self.int(&from.offset, env)?];
        let blocks = [block(env, to.block)?, block(env, from.block)?];
        if sizes.iter().any(|n| *n <= 0) {
            return Ok(());
        }
        let mut index = vec![0; sizes.len()];
        let mut values = Vec::new();
        loop {
            let at = |side: usize| {
                let distance = index.iter().zip(&sides[side].1).map(|(i, stride): (&i64, &i64)| i * stride);
                offsets[side] + distance.sum::<i64>()
            };
            values.push((at(0), self.load(blocks[1], prim, at(1))?));
            let Some(dim) = (0..index.len()).rev().find(|dim| index[*dim] + 1 < sizes[*dim]) else { break };
            index[dim] += 1;
            index[dim + 1..].fill(0);
        }
        // A copy must not depend on the order of its elements.
        values.reverse();
        values.into_iter().try_for_each(|(at, value)| self.store(blocks[0], at, value))
    }

    // Expressions

    fn int(&mut self, x: &Exp, env: &Env) -> Result<i64, Fault> {
        let value = self.exp(x, env)?;
        value.as_i64().ok_or_else(|| wrong(format!("{value} is no index")))
    }

    fn exp(&mut self, x: &Exp, env: &Env) -> Result<Scalar, Fault> {
        let exp = match x {
            Exp::Const(c) => return Ok(*c),
            Exp::Var(name, prim) => {
                return match slot(env, *name)? {
                    Slot::Scalar(value) if value.prim() == *prim => Ok(value),
                    _ => Err(wrong(format!("{name} is no {}", prim.name()))),
                };
            }
            Exp::Load { block: from, prim, index } => {
                let index = self.int(index, env)?;
                return self.load(block(env, *from)?, *prim, index);
            }
            Exp::Select(_, c, x, y) => {
                let (c, x, y) = (self.exp(c, env)?, self.exp(x, env)?, self.exp(y, env)?);
                return Ok(if c == Scalar::Bool(true) { x } else { y });
            }
            Exp::Add(x, y) => return Ok(Scalar::I64(self.int(x, env)?.wrapping_add(self.int(y, env)?))),
            Exp::Sub(x, y) => return Ok(Scalar::I64(self.int(x, env)?.wrapping_sub(self.int(y, env)?))),
            Exp::Mul(x, y) => return Ok(Scalar::I64(self.int(x, env)?.wrapping_mul(self.int(y, env)?))),
            Exp::Quot(a, b) | Exp::Rem(a, b) => {
                let (n, by) = (self.int(a, env)?, self.int(b, env)?);
                if n < 0 || by <= 0 {
                    return Err(wrong(format!("the digits of {n} to the base {by}")));
                }
                return Ok(Scalar::I64(if matches!(x, Exp::Quot(..)) { n / by } else { n % by }));
            }
            Exp::Un(op, _, x) => ir::Exp::Un(*op, self.value(x, env)?),
            Exp::Bin(op, _, x, y) => ir::Exp::Bin(*op, self.value(x, env)?, self.value(y, env)?),
            Exp::Cmp(op, _, x, y) => ir::Exp::Cmp(*op, self.value(x, env)?, self.value(y, env)?),
            Exp::Conv(_, to, x) => ir::Exp::Conv(*to, self.value(x, env)?),
            Exp::Math(f, prim, args) => {
                let args: Result<Vec<Operand>, Fault> = args.iter().map(|x| self.value(x, env)).collect();
                ir::Exp::Math(*f, *prim, args?)
            }
        };
        // A division by zero that the program computes but does not use has no value.
        Ok(kenaz_interp::constant(&exp).unwrap_or(Scalar::zero(x.prim())))
    }

    fn value(&mut self, x: &Exp, env: &Env) -> Result<Operand, Fault> {
        Ok(Operand::Const(self.exp(x, env)?))
    }
}

fn slot(env: &Env, name: Name) -> Result<Slot, Fault> {
    env.get(&name).copied().ok_or_else(|| wrong(format!("{name} has no value")))
}

fn block(env: &Env, name: Name) -> Result<usize, Fault> {
    match slot(env, name)? {
        Slot::Block(block) => Ok(block),
        Slot::Scalar(_) => Err(wrong(format!("{name} is no block"))),
    }
}
