//! Memory stage → imperative IR.
//!
//! ```text
//! let bm_9: mem = alloc host x_8
//! let b_7: [n_1]f32 @ bm_9 -> 0 + {(n_1 : 1)} = par (i_3 < n_1) own {
//!   let x_4: f32 = index a_2[i_3]
//!   let y_5: f32 = mul x_4 2.0f32
//!   in y_5
//! }
//! ```
//! becomes
//! ```text
//! alloc bm_9: host x_8
//! for i_3 < n_1 independent {
//!   bm_9[i_3]: f32 = am_6[i_3]: f32 * 2.0f32
//! }
//! ```
//!
//! Assumes a program that the checker of the memory stage accepts. How a `par` becomes loops is in its plan. An array
//! is known by its place: what makes an array writes to the place of its binder, a view is nothing at all, and what is
//! already where it should be is not copied. A name that stands for another, such as the result of a loop for its
//! parameter, is replaced right here.
//!
//! Index arithmetic is on polynomials until the access is written, see [`address`]. Scalars are bound one by one;
//! `inline` puts them into their uses afterwards.
//!
//! Cost: linear in the program, but for the polynomials, whose size is bounded.

mod address;
mod array;
mod block_tile;
mod blocks;
mod chunks;
mod control;
mod cuts;
mod hist;
mod in_order;
mod lanes;
mod lift;
mod one_pass;
mod order;
mod par;
mod slot;
mod straight;
mod stream;
mod strips;
mod tile;

use crate::{
    Arg, EntryFun, Exp, Fun, Hint, Index, MessagePart, Param, Prog, Stm, Traced, Ty, device, inline, local, outline,
    reach, sink, table,
};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir as ir;
use kenaz_ir::scope::{Array, Atom, Scope};
use kenaz_ir::{BinOp, CmpOp, Fresh, MemExp, Name, Operand, Poly, Space, Target, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Every function of the program, with all its passes. Chunks are regions in the end, see [`outline`].
pub fn lower(prog: &ir::Prog, target: &Target) -> Prog {
    let mut fresh = prog.fresh.clone();
    let mut funs = Vec::with_capacity(prog.funs.len());
    let mut indices = FxHashMap::default();
    for fun in &prog.funs {
        let mut cx = Lower::new(&mut fresh, target);
        let mut lowered = cx.fun(fun);
        indices.extend(std::mem::take(&mut cx.indices));
        // What is in the memory of a device, host code neither has on its stack nor among its constants.
        let is_far = target.host_space == Space::Device;
        if !is_far {
            table::constant_blocks(&mut lowered);
        }
        local::stack_blocks(&mut lowered, target);
        reach::sums_into_accesses(&mut lowered);
        if !is_far {
            sink::loads_into_branches(&mut lowered, cx.fresh);
        }
        inline::inline(&mut lowered);
        lift::allocations(&mut lowered);
        if is_far {
            device::split(&mut lowered, &mut fresh);
        }
        funs.push(lowered);
    }
    let mut lowered = Prog { funs, regions: Vec::new(), locs: prog.locs.clone(), fresh, indices };
    outline::outline(&mut lowered);
    lowered
}

/// A block of statements in the making.
#[derive(Default)]
struct Frame {
    stms: Vec<Stm>,
    /// The innermost body of a loop that it is or is in, so that what is bound from there on differs from one time to
    /// the next.
    inner_loop: Option<usize>,
    /// Index expressions that are bound in it.
    bases: FxHashMap<Poly, Exp>,
    /// The blocks that it declares, and those of others that it writes to.
    blocks: FxHashSet<Name>,
    writes: FxHashSet<Name>,
    /// The sizes of arrays that it has, which are not negative.
    sizes: FxHashSet<Name>,
}

/// What a test says of an index.
#[derive(Clone, Copy)]
enum Test {
    NotNegative(Operand),
    Below(Operand, Operand),
    InRange(Operand, Operand),
}

struct Lower<'a> {
    fresh: &'a mut Fresh,
    target: &'a Target,
    /// Whether what is made runs in a chunk, so that there are no chunks inside.
    in_chunk: bool,
    /// Whether what is made runs in lanes side by side, where branches end all vectors.
    in_lanes: bool,
    /// In the code of a block: how many lanes it has.
    width: Option<Name>,
    /// Who runs the chunk in the making.
    worker: Option<Name>,
    /// Blocks with a slot for each worker.
    slots: FxHashMap<Name, slot::Apart>,
    /// Slots in which elements of neighbouring workers are neighbours: who runs the iteration, and of how many.
    interleaved: FxHashMap<Name, (Poly, Poly)>,
    /// Other chunks may write to the destinations of `write` at the same time.
    racing: bool,
    /// The blocks with elements that other chunks may combine values with at the same time, and the locks for that.
    contended: FxHashMap<Name, Option<hist::Locks>>,
    /// What the chunk in the making may write past the caches.
    streaming: Option<stream::Streaming>,
    /// Where the `par` stands that is being lowered.
    loc: ir::LocId,
    /// What names stand for.
    scope: Scope,
    /// What names of type `i64` mean, in terms of the operands.
    definitions: FxHashMap<Name, Poly>,
    /// Indices that run over a nest of dimensions by two loops: the lower digit, the higher one, and the size that
    /// divides them.
    digits: FxHashMap<Name, (Poly, Poly, Poly)>,
    /// The indices of the next point of loops over several dimensions, by the index of the loop.
    points: FxHashMap<Name, Vec<par::Digit>>,
    /// The frame, counted from the outermost, in which the value of a variable is the same all the time.
    depths: FxHashMap<Name, usize>,
    /// What the results of comparisons say.
    tests: FxHashMap<Name, Test>,
    indices: FxHashMap<Name, Index>,
    frames: Vec<Frame>,
}

impl<'a> Lower<'a> {
    fn new(fresh: &'a mut Fresh, target: &'a Target) -> Lower<'a> {
        Lower {
            fresh,
            target,
            in_chunk: false,
            in_lanes: false,
            width: None,
            worker: None,
            slots: FxHashMap::default(),
            interleaved: FxHashMap::default(),
            racing: false,
            contended: FxHashMap::default(),
            streaming: None,
            loc: ir::Locs::NOWHERE(),
            scope: Scope::default(),
            definitions: FxHashMap::default(),
            digits: FxHashMap::default(),
            points: FxHashMap::default(),
            depths: FxHashMap::default(),
            tests: FxHashMap::default(),
            indices: FxHashMap::default(),
            frames: Vec::new(),
        }
    }

    fn fun(&mut self, fun: &ir::Fun) -> Fun {
        let body = self.scoped(false, |cx| {
            cx.bind_params(&fun.params);
            cx.body(&fun.body);
            let results: Vec<&ir::Param> = fun.results.iter().collect();
            cx.assign(&results, &fun.body.results);
        });
        let entry = fun.entry.as_ref().map(|entry| EntryFun {
            entry: entry.clone(),
            params: fun.params.clone(),
            results: fun.results.clone(),
        });
        let without_arrays = |params: &[ir::Param]| params.iter().filter_map(variable).collect();
        Fun {
            name: fun.name,
            entry,
            params: without_arrays(&fun.params),
            results: without_arrays(&fun.results),
            body,
            loc: fun.loc,
        }
    }

    // Frames

    fn here(&self) -> usize {
        self.frames.len() - 1
    }

    fn push(&mut self, stm: Stm) {
        let here = self.here();
        let frame = &mut self.frames[here];
        match &stm {
            Stm::Alloc { name, .. }
            | Stm::Local { name, .. }
            | Stm::Table { name, .. }
            | Stm::PerLane { name, .. }
            | Stm::Board { name, .. }
            | Stm::Declare { name, ty: Ty::Block(_) } => {
                frame.blocks.insert(*name);
            }
            Stm::Store { block, .. } | Stm::Stream { block, .. } | Stm::Race { block, .. } => {
                frame.writes.insert(*block);
            }
            Stm::Update { cells, .. } => frame.writes.extend(cells.iter().map(|cell| cell.block)),
            Stm::Copy { to, .. } => drop(frame.writes.insert(to.block)),
            Stm::Publish { board, .. } | Stm::Take { board, .. } => drop(frame.writes.insert(*board)),
            Stm::Combine { values, .. } => {
                frame.writes.extend(values.iter().flat_map(|value| [value.own, value.room]));
            }
            // What stands for a block may be written to.
            Stm::SetBlock { from, .. } => drop(frame.writes.insert(*from)),
            Stm::Share { name, from } | Stm::Slot { name, from, .. } => {
                frame.blocks.insert(*name);
                frame.writes.insert(*from);
            }
            Stm::Call { args, .. } => frame.writes.extend(args.iter().filter_map(|arg| match arg {
                Arg::Block(block) => Some(*block),
                Arg::Scalar(_) => None,
            })),
            _ => {}
        }
        frame.stms.push(stm);
    }

    /// The statements that `f` makes, in a block of their own.
    fn scoped(&mut self, is_loop: bool, f: impl FnOnce(&mut Self)) -> Vec<Stm> {
        let around = self.frames.last().and_then(|frame| frame.inner_loop);
        let inner_loop = if is_loop { Some(self.frames.len()) } else { around };
        self.frames.push(Frame { inner_loop, ..Frame::default() });
        with_stack(|| f(self));
        let Some(frame) = self.frames.pop() else { return Vec::new() };
        if let Some(around) = self.frames.last_mut() {
            around.writes.extend(frame.writes.difference(&frame.blocks));
        }
        frame.stms
    }

    /// Whether the block of statements in the making writes to no blocks from around it but these.
    fn writes_only(&self, allowed: &[Name]) -> bool {
        let frame = &self.frames[self.here()];
        frame.writes.iter().all(|block| frame.blocks.contains(block) || allowed.contains(block))
    }

    /// A loop; `f` makes its body. Its iterations are independent if they should be and write only to the given blocks
    /// and to their own.
    fn for_loop(&mut self, var: Name, prim: Prim, bound: Exp, results: Option<&[Name]>, f: impl FnOnce(&mut Self)) {
        let mut hint = Hint::default();
        let mut body = self.scoped(true, |cx| {
            cx.variable(var, prim);
            f(cx);
            hint.independent = results.is_some_and(|results| cx.writes_only(results));
        });
        if hint.independent {
            straight::straighten(&mut body);
        }
        if !body.is_empty() {
            self.push(Stm::For { var, prim, bound, hint, body });
        }
    }

    // Names

    /// A scalar that is what its name says, from here on.
    fn variable(&mut self, name: Name, prim: Prim) {
        self.scope.variable(name, prim);
        self.depths.insert(name, self.here());
    }

    /// A scalar that is another name for a variable or constant.
    fn stands_for(&mut self, name: Name, value: &Exp) {
        match as_atom(value) {
            Some(atom) => self.scope.alias(name, atom),
            None => panic!("{value:?} is neither a variable nor a constant"),
        }
    }

    fn bind_params(&mut self, params: &[ir::Param]) {
        self.scope.bind_params(params);
        self.sizes_of(params);
        self.interleave(params);
        for param in params {
            if let Type::Prim(_) = param.ty {
                self.depths.insert(param.name, self.here());
            }
        }
    }

    /// The arrays of a pattern, whose blocks and operands are bound already.
    fn bind_arrays<'p>(&mut self, params: impl IntoIterator<Item = &'p ir::Param> + Clone) {
        self.scope.bind_arrays(params.clone());
        self.sizes_of(params.clone());
        self.interleave(params);
    }

    /// Notes the sizes of arrays that are there from now on.
    fn sizes_of<'p>(&mut self, params: impl IntoIterator<Item = &'p ir::Param>) {
        let here = self.here();
        let dims = params.into_iter().flat_map(|param| param.ty.dims());
        self.frames[here].sizes.extend(dims.filter_map(|n| n.name()));
    }

    /// A condition, as it is checked. No size is negative, so that one comparison does for both ends.
    fn checked(&self, cond: Operand) -> Exp {
        if let Some(Test::InRange(i, n)) = cond.name().and_then(|name| self.tests.get(&name))
            && n.name().is_some_and(|n| self.frames.iter().any(|frame| frame.sizes.contains(&n)))
        {
            let [i, n] = [i, n].map(|x| Exp::conv(Prim::U64, self.operand(*x)));
            return Exp::cmp(CmpOp::Lt, i, n);
        }
        self.operand(cond)
    }

    /// Remembers what a comparison says of an index.
    fn remember(&mut self, name: Name, exp: &ir::Exp) {
        let test = |x: &Operand| x.name().and_then(|name| self.tests.get(&name).copied());
        let new = match exp {
            ir::Exp::Cmp(CmpOp::Le, zero, i) | ir::Exp::Cmp(CmpOp::Ge, i, zero) if *zero == Operand::i64(0) => {
                Test::NotNegative(*i)
            }
            ir::Exp::Cmp(CmpOp::Lt, i, n) | ir::Exp::Cmp(CmpOp::Gt, n, i) => Test::Below(*i, *n),
            ir::Exp::Bin(BinOp::And, x, y) => match (test(x), test(y)) {
                (Some(Test::NotNegative(i)), Some(Test::Below(j, n))) if i == j => Test::InRange(i, n),
                _ => return,
            },
            _ => return,
        };
        self.tests.insert(name, new);
    }

    fn operand(&self, x: Operand) -> Exp {
        match self.scope.scalar(x) {
            Some(Atom::Const(c)) => Exp::Const(c),
            Some(Atom::Var(name, prim)) => Exp::Var(name, prim),
            None => panic!("{x} is no scalar in scope"),
        }
    }

    fn size(&self, n: Operand) -> Poly {
        match self.scope.size(n) {
            Some(size) => size,
            None => panic!("{n} is no size in scope"),
        }
    }

    fn array(&self, name: Name) -> Array {
        match self.scope.array(name) {
            Some(array) => array.clone(),
            None => panic!("{name} is no array in scope"),
        }
    }

    /// The array that an operand is, if it is one.
    fn array_operand(&self, x: Operand) -> Option<Array> {
        x.name().and_then(|name| self.scope.array(name)).cloned()
    }

    /// Binds a scalar; one that is only another name for a variable costs nothing.
    fn bind(&mut self, name: Name, value: Exp) {
        match value {
            Exp::Const(_) | Exp::Var(..) => self.stands_for(name, &value),
            value => {
                let prim = value.prim();
                self.variable(name, prim);
                self.push(Stm::Let { name, prim, value });
            }
        }
    }

    /// An `i64` under a new name, unless it is a variable or a constant.
    fn let_i64(&mut self, base: &str, value: Exp) -> Exp {
        let name = self.fresh(base);
        self.bind(name, value);
        self.operand(Operand::Var(name))
    }

    fn fresh(&mut self, base: &str) -> Name {
        self.fresh.name(Symbol::intern(base))
    }

    // Statements

    fn body(&mut self, body: &ir::Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }

    fn stm(&mut self, stm: &ir::Stm) {
        match &stm.exp {
            ir::Exp::Operand(x) | ir::Exp::Opaque(x) => self.alias(&stm.pat, *x),
            ir::Exp::Un(..) | ir::Exp::Bin(..) | ir::Exp::Cmp(..) | ir::Exp::Conv(..) | ir::Exp::Math(..) => {
                self.scalar(stm);
            }
            ir::Exp::Assert(cond, message) => {
                let message = message.parts.iter().map(|part| match part {
                    ir::MessagePart::Text(text) => MessagePart::Text(text.clone()),
                    ir::MessagePart::Value(x) => MessagePart::Value(self.operand(*x)),
                });
                let (message, cond) = (message.collect(), self.checked(*cond));
                self.push(Stm::Assert { cond, message, loc: stm.loc });
            }
            ir::Exp::Index(..)
            | ir::Exp::Slice(..)
            | ir::Exp::Rearrange(..)
            | ir::Exp::Reshape(..)
            | ir::Exp::Resize(..)
            | ir::Exp::FlatIndex(..) => self.view(stm),
            ir::Exp::Update(..)
            | ir::Exp::Array(..)
            | ir::Exp::Iota { .. }
            | ir::Exp::Replicate(..)
            | ir::Exp::Scratch(..)
            | ir::Exp::Concat(..)
            | ir::Exp::Copy(_)
            | ir::Exp::FlatUpdate(..) => {
                self.bind_arrays(&stm.pat);
                self.make(stm);
            }
            ir::Exp::If(..) | ir::Exp::Match(..) | ir::Exp::Loop { .. } | ir::Exp::Call(..) => self.control(stm),
            ir::Exp::Par(par) => {
                let around = std::mem::replace(&mut self.loc, stm.loc);
                self.par(&stm.pat, par);
                self.loc = around;
            }
            ir::Exp::Mem(exp) => self.memory(&stm.pat, exp),
            ir::Exp::Tunable(of) => {
                let [param] = &stm.pat[..] else { return };
                self.push(Stm::Tunable { name: param.name, of: of.clone() });
                self.variable(param.name, Prim::I64);
            }
            ir::Exp::Trace(tag, x) => self.trace(&stm.pat, *tag, *x),
            ir::Exp::Soac(_) | ir::Exp::Jvp(..) | ir::Exp::Vjp(..) => {
                panic!("the memory stage has no second-order operators")
            }
        }
    }

    fn alias(&mut self, pat: &[ir::Param], x: Operand) {
        let [param] = pat else { return };
        match &param.ty {
            Type::Prim(_) => {
                let value = self.operand(x);
                self.bind(param.name, value);
            }
            Type::Mem(_) => {
                if let Operand::Var(block) = x {
                    self.scope.bind_block(param.name, self.scope.block(block));
                }
            }
            Type::Array(..) => self.bind_arrays(pat),
            Type::Cert | Type::Acc { .. } => {}
        }
    }

    fn scalar(&mut self, stm: &ir::Stm) {
        let [param] = &stm.pat[..] else { return };
        self.remember(param.name, &stm.exp);
        let value = match &stm.exp {
            ir::Exp::Un(op, x) => {
                let x = self.operand(*x);
                Exp::un(*op, x)
            }
            ir::Exp::Bin(op, x, y) => {
                let (x, y) = (self.operand(*x), self.operand(*y));
                self.define(param.name, *op, &x, &y);
                Exp::bin(*op, x, y)
            }
            ir::Exp::Cmp(op, x, y) => {
                let (x, y) = (self.operand(*x), self.operand(*y));
                Exp::cmp(*op, x, y)
            }
            ir::Exp::Conv(to, x) => {
                let x = self.operand(*x);
                if x.prim() == *to { x } else { Exp::conv(*to, x) }
            }
            ir::Exp::Math(f, prim, args) => Exp::Math(*f, *prim, args.iter().map(|x| self.operand(*x)).collect()),
            _ => return,
        };
        self.bind(param.name, value);
    }

    /// Remembers what a sum, difference or product means.
    fn define(&mut self, name: Name, op: BinOp, x: &Exp, y: &Exp) {
        let (Some(x), Some(y)) = (as_atom(x), as_atom(y)) else { return };
        if let Some(definition) = self.scope.define_sum(name, op, x, y) {
            self.definitions.insert(name, definition);
        }
    }

    fn memory(&mut self, pat: &[ir::Param], exp: &MemExp) {
        match (exp, pat) {
            (MemExp::Alloc(space, bytes), [param]) => {
                let bytes = self.operand(*bytes);
                self.scope.bind_block(param.name, param.name);
                self.push(Stm::Alloc { name: param.name, space: *space, bytes });
            }
            (MemExp::AllocEach(slots), [param]) => self.alloc_each(param.name, slots),
            (MemExp::Slot(block), [param]) => self.slot(param.name, *block),
            (MemExp::Free(block), _) => {
                let name = self.scope.block(*block);
                self.push(Stm::Free { name });
            }
            (MemExp::Share(block), [param]) => {
                let from = self.scope.block(*block);
                self.scope.bind_block(param.name, param.name);
                self.push(Stm::Share { name: param.name, from });
            }
            _ => {}
        }
    }

    fn trace(&mut self, pat: &[ir::Param], tag: Symbol, x: Operand) {
        match self.array_operand(x) {
            Some(array) => self.trace_array(tag, &array),
            None => {
                let value = Traced::Scalar(self.operand(x));
                self.push(Stm::Trace { tag, value });
            }
        }
        self.alias(pat, x);
    }
}

/// A variable or constant.
fn as_atom(x: &Exp) -> Option<Atom> {
    match x {
        Exp::Const(c) => Some(Atom::Const(*c)),
        Exp::Var(name, prim) => Some(Atom::Var(*name, *prim)),
        _ => None,
    }
}

/// A variable or constant of type `i64`.
fn as_poly(x: &Exp) -> Option<Poly> {
    as_atom(x).and_then(Atom::as_poly)
}

/// What is left of a parameter or result: arrays and certificates are not passed.
fn variable(param: &ir::Param) -> Option<Param> {
    let ty = match param.ty {
        Type::Prim(prim) => Ty::Scalar(prim),
        Type::Mem(space) => Ty::Block(space),
        Type::Array(..) | Type::Cert | Type::Acc { .. } => return None,
    };
    Some(Param { name: param.name, ty })
}
