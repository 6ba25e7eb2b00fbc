//! The bytes that each loop of a function moves and the operations that it does, as formulas.
//!
//! An array element counts once for a loop, however often the loop reads or writes it, and only if its array is there
//! before the loop begins, or its block is there afterwards: what is on a stack, in registers or in the part of a
//! worker is not counted. The address of an access is a sum of loop indices with factors; how many elements it reaches
//! follows from the factors and the trip counts. Where this does not say it exactly, there is an upper bound, at most
//! the size of the block; where there is no bound either, the amount is not known.
//!
//! An operation is one of the arithmetic, comparisons, conversions and functions of scalars that data depend on; those
//! that only make indices and sizes do not count.

mod needed;
mod region;

use crate::memory::Formulas;
use kenaz_base::{Prim, with_stack};
use kenaz_ir::poly::Poly;
use kenaz_ir::scope::linear;
use kenaz_ir::{
    BinOp, Body, DimSlice, Exp, Form, Fun, Layout, LoopForm, MathFn, MemExp, Name, Operand, Par, Param, Space, Stm,
    Type,
};
use region::{Access, Regions};
use rustc_hash::{FxHashMap, FxHashSet};

/// What loops cost, by the names of their first results.
pub(crate) type Costs = FxHashMap<Name, Found>;

/// What a loop costs each time that it runs, all iterations together.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub reads: Amount,
    pub writes: Amount,
    pub operations: Amount,
}

/// A number of bytes or operations.
#[derive(Clone, Debug)]
pub(crate) struct Amount {
    /// None if it is not known.
    pub value: Option<Poly>,
    /// Whether it may be less.
    pub is_bound: bool,
}

impl Amount {
    pub(crate) fn exactly(value: Poly) -> Amount {
        Amount { value: Some(value), is_bound: false }
    }

    pub(crate) fn unknown() -> Amount {
        Amount { value: None, is_bound: true }
    }

    fn nothing() -> Amount {
        Amount::exactly(Poly::default())
    }

    fn is_nothing(&self) -> bool {
        self.value.as_ref().is_some_and(Poly::is_zero)
    }

    pub(crate) fn plus(&self, other: &Amount) -> Amount {
        let value = self.value.as_ref().zip(other.value.as_ref()).and_then(|(x, y)| x.plus(y, 1));
        Amount { is_bound: self.is_bound || other.is_bound || value.is_none(), value }
    }

    fn times(&self, n: &Amount) -> Amount {
        if self.is_nothing() {
            return self.clone();
        }
        let value = self.value.as_ref().zip(n.value.as_ref()).and_then(|(x, n)| x.times(n));
        Amount { is_bound: self.is_bound || n.is_bound || value.is_none(), value }
    }
}

impl Default for Found {
    /// Of a loop that nobody can name, nothing is known.
    fn default() -> Found {
        Found { reads: Amount::unknown(), writes: Amount::unknown(), operations: Amount::unknown() }
    }
}

pub(crate) fn of(fun: &Fun, formulas: &mut Formulas) -> Costs {
    let mut walk = Walk {
        formulas,
        needed: needed::of(fun),
        frames: Vec::new(),
        branches: 0,
        depths: FxHashMap::default(),
        prims: FxHashMap::default(),
        numbers: FxHashMap::default(),
        arrays: FxHashMap::default(),
        blocks: FxHashMap::default(),
        caps: FxHashMap::default(),
        operations: Amount::nothing(),
        costs: Costs::default(),
    };
    fun.params.iter().for_each(|param| walk.bind(param));
    for param in &fun.params {
        if let (Type::Array(dims, prim), Some(place)) = (&param.ty, &param.place) {
            let bytes = walk.product(dims).and_then(|n| n.times_constant(prim.bytes() as i128));
            walk.caps.extend(bytes.map(|bytes| (place.block, bytes)));
        }
    }
    walk.body(&fun.body);
    walk.costs
}

/// A loop that the walk is in.
pub(crate) struct Frame {
    /// Its indices with how many values each of them has.
    vars: Vec<(Name, Option<Poly>)>,
    /// How many branches are around it.
    branches: usize,
    reads: Regions,
    writes: Regions,
}

#[derive(Clone)]
struct Array {
    prim: Prim,
    layout: Layout,
    block: Name,
    /// How many loops were around where its elements were made.
    depth: usize,
}

struct Walk<'a> {
    formulas: &'a mut Formulas,
    /// Integers and booleans that data depend on.
    needed: FxHashSet<Name>,
    frames: Vec<Frame>,
    branches: usize,
    /// How many loops are around where a name is bound.
    depths: FxHashMap<Name, usize>,
    prims: FxHashMap<Name, Prim>,
    /// What integers are, in terms of indices, sizes and numbers that are not known.
    numbers: FxHashMap<Name, Poly>,
    arrays: FxHashMap<Name, Array>,
    /// Other names of blocks.
    blocks: FxHashMap<Name, Name>,
    /// How many bytes blocks have.
    caps: FxHashMap<Name, Poly>,
    /// Those of the code around that were seen, for one iteration of its loop.
    operations: Amount,
    costs: Costs,
}

impl Walk<'_> {
    // Names

    fn bind(&mut self, param: &Param) {
        let depth = self.frames.len();
        self.depths.insert(param.name, depth);
        if let Type::Prim(prim) = param.ty {
            self.prims.insert(param.name, prim);
            // Sizes that are equal have the same name from here on.
            let meant = self.formulas.meant(&Poly::name(param.name));
            if depth == 0 && prim.is_integer() {
                self.numbers.insert(param.name, meant);
            }
        }
        if let Type::Mem(space) = param.ty
            && !matches!(space, Space::Host | Space::Device)
        {
            // It is there for nobody else.
            self.depths.insert(param.name, usize::MAX);
        }
        if let (Type::Array(_, prim), Some(place)) = (&param.ty, &param.place) {
            let layout = place.layout.map(&mut |x| Some(self.meant(x))).unwrap_or_else(|| place.layout.clone());
            let block = self.block(place.block);
            self.arrays.insert(param.name, Array { prim: *prim, layout, block, depth });
        }
    }

    fn block(&self, name: Name) -> Name {
        self.blocks.get(&name).copied().unwrap_or(name)
    }

    fn meant(&self, x: &Poly) -> Poly {
        x.replace(|name| self.numbers.get(&name).cloned()).unwrap_or_else(|| x.clone())
    }

    fn number(&self, x: Operand) -> Option<Poly> {
        match x {
            Operand::Const(c) => c.as_i64().map(|n| Poly::constant(n.into())),
            Operand::Var(name) => Some(self.numbers.get(&name).cloned().unwrap_or_else(|| Poly::name(name))),
        }
    }

    fn product(&self, dims: &[Operand]) -> Option<Poly> {
        dims.iter().try_fold(Poly::constant(1), |product, n| product.times(&self.number(*n)?))
    }

    // Accesses

    /// Elements of an array: at the first indices, and all along the other dimensions.
    fn reach(&mut self, name: Name, index: &[Option<Poly>], is_read: bool) {
        let Some(array) = self.arrays.get(&name).cloned() else { return };
        let mut at = Vec::with_capacity(array.layout.dims.len());
        let mut along = Vec::new();
        let mut layout = Layout { offset: array.layout.offset.clone(), dims: Vec::new() };
        for (i, dim) in array.layout.dims.iter().enumerate() {
            match index.get(i) {
                Some(x) if dim.0.len() == 1 => {
                    layout.dims.push(dim.clone());
                    at.push(x.clone().unwrap_or_else(|| self.anything()));
                }
                Some(_) => {
                    layout.dims.push(kenaz_ir::layout::Dim::new(Poly::default(), Poly::constant(1)));
                    at.push(self.anything());
                }
                None => {
                    for pair in &dim.0 {
                        let var = self.formulas.sizes().fresh("along");
                        along.push((var, Some(pair.size.clone())));
                        layout.dims.push(kenaz_ir::layout::Dim::new(pair.size.clone(), pair.stride.clone()));
                        at.push(Poly::name(var));
                    }
                }
            }
        }
        let address = linear(&layout, &at).unwrap_or_else(|| self.anything());
        self.touch(&array, address, &along, is_read);
    }

    /// A number of which nothing is known, but where it is made.
    fn anything(&mut self) -> Poly {
        let name = self.formulas.sizes().fresh("index");
        self.depths.insert(name, self.frames.len());
        Poly::name(name)
    }

    fn touch(&mut self, array: &Array, address: Poly, along: &[(Name, Option<Poly>)], is_read: bool) {
        let block_depth = self.depths.get(&array.block).copied().unwrap_or(0);
        let depth = if is_read && block_depth != usize::MAX { array.depth } else { block_depth };
        for at in (0..self.frames.len()).rev() {
            if depth > at {
                return;
            }
            let access = Access {
                address: &address,
                bytes: array.prim.bytes() as i128,
                along,
                cap: self.caps.get(&array.block),
                is_certain: self.branches == self.frames[at].branches,
            };
            let region = access.region(&self.frames[at..], at, &self.depths, self.formulas.sizes());
            let frame = &mut self.frames[at];
            let regions = if is_read { &mut frame.reads } else { &mut frame.writes };
            regions.add(array.block, region, self.formulas.sizes());
        }
    }

    fn read(&mut self, name: Name, index: &[Operand]) {
        let index: Vec<Option<Poly>> = index.iter().map(|i| self.number(*i)).collect();
        self.reach(name, &index, true);
    }

    fn write(&mut self, name: Name, index: &[Operand]) {
        let index: Vec<Option<Poly>> = index.iter().map(|i| self.number(*i)).collect();
        self.reach(name, &index, false);
    }

    /// A slice of an array, which is written.
    fn write_slice(&mut self, name: Name, slices: &[DimSlice]) {
        let Some(array) = self.arrays.get(&name).cloned() else { return };
        let mut address = Some(array.layout.offset.clone());
        let mut along = Vec::new();
        for (dim, slice) in array.layout.dims.iter().zip(slices) {
            let index = match slice {
                DimSlice::Fix(i) => self.number(*i),
                DimSlice::Range { start, len, stride } => {
                    let var = self.formulas.sizes().fresh("along");
                    along.push((var, self.number(*len)));
                    let step = self.number(*stride).and_then(|stride| Poly::name(var).times(&stride));
                    self.number(*start).zip(step).and_then(|(start, step)| start.plus(&step, 1))
                }
            };
            let here = dim.stride().zip(index).and_then(|(stride, i)| stride.times(&i));
            address = address.zip(here).and_then(|(address, here)| address.plus(&here, 1));
        }
        let address = address.unwrap_or_else(|| self.anything());
        self.touch(&array, address, &along, false);
    }

    /// Something was done that is not followed.
    fn is_lost(&mut self) {
        self.operations = Amount::unknown();
        for frame in &mut self.frames {
            frame.reads.lose();
            frame.writes.lose();
        }
    }

    // Statements

    fn body(&mut self, body: &Body) {
        with_stack(|| body.stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Par(par) => self.par(stm, par),
            Exp::Loop { params, form, body } => self.repeat(stm, params, form, body),
            Exp::If(_, yes, no) => self.either(stm, &[yes, no]),
            Exp::Match(_, cases, default) => {
                let bodies: Vec<&Body> = cases.iter().map(|(_, body)| body).chain([default]).collect();
                self.either(stm, &bodies);
            }
            exp => {
                stm.pat.iter().for_each(|param| self.bind(param));
                self.simple(stm, exp);
            }
        }
    }

    fn simple(&mut self, stm: &Stm, exp: &Exp) {
        if exp.is_view()
            && let [param] = &stm.pat[..]
            && let Some(source) = source(exp)
        {
            self.same_elements(param.name, source);
            if let Type::Mem(_) = param.ty {
                self.blocks.insert(param.name, self.block(source));
            }
        }
        let [param] = &stm.pat[..] else {
            if matches!(exp, Exp::Call(..)) {
                self.is_lost();
            }
            return;
        };
        match exp {
            Exp::Operand(x) | Exp::Opaque(x) | Exp::Trace(_, x) => self.is_number(param, self.number(*x)),
            Exp::Bin(op, x, y) => {
                let (a, b) = (self.number(*x), self.number(*y));
                let value = a.zip(b).and_then(|(a, b)| match op {
                    BinOp::Add | BinOp::Sub | BinOp::Mul => Poly::combine(*op, &a, &b),
                    _ if self.frames.is_empty() => match op {
                        BinOp::Min => Some(self.formulas.sizes().min(a, b)),
                        BinOp::Max => Some(self.formulas.sizes().max(a, b)),
                        _ => None,
                    },
                    _ => None,
                });
                self.is_number(param, value);
                self.does(param);
            }
            Exp::Conv(_, x) => {
                let from = x.name().and_then(|name| self.prims.get(&name).copied());
                if let Type::Prim(to) = param.ty {
                    if to.is_integer() && from.is_none_or(Prim::is_integer) {
                        self.is_number(param, self.number(*x));
                    } else {
                        self.does(param);
                    }
                }
            }
            Exp::Math(MathFn::SizeMul, _, xs) => self.is_number(param, self.product(xs)),
            Exp::Un(..) | Exp::Cmp(..) | Exp::Math(..) => self.does(param),
            Exp::Index(array, index) if matches!(param.ty, Type::Prim(_)) => self.read(*array, index),
            Exp::Update(array, slices, value) => {
                self.same_elements(param.name, *array);
                let is_array = value.name().is_some_and(|name| self.arrays.contains_key(&name));
                if let Some(name) = value.name().filter(|_| is_array) {
                    self.read(name, &[]);
                }
                self.write_slice(param.name, slices);
            }
            Exp::FlatUpdate(array, _, _, value) => {
                self.same_elements(param.name, *array);
                self.read(*value, &[]);
                let any = self.anything();
                if let Some(array) = self.arrays.get(&param.name).cloned() {
                    let along = self.arrays.get(value).map(|value| value.layout.dims.clone()).unwrap_or_default();
                    let sizes =
                        along.iter().map(|dim| (self.formulas.sizes().fresh("along"), dim.size())).collect::<Vec<_>>();
                    let address = sizes.iter().try_fold(any, |sum, (var, _)| sum.plus(&Poly::name(*var), 1));
                    let address = address.unwrap_or_default();
                    self.touch(&array, address, &sizes, false);
                }
            }
            Exp::Copy(from) => {
                self.read(*from, &[]);
                self.write(param.name, &[]);
            }
            Exp::Concat(_, parts) => {
                parts.iter().for_each(|part| self.read(*part, &[]));
                self.write(param.name, &[]);
            }
            Exp::Replicate(_, x) => {
                x.name().into_iter().for_each(|name| self.read(name, &[]));
                self.write(param.name, &[]);
            }
            Exp::Array(elems, _) => {
                elems.iter().filter_map(|elem| elem.name()).for_each(|name| self.read(name, &[]));
                self.write(param.name, &[]);
            }
            Exp::Iota { .. } => self.write(param.name, &[]),
            Exp::Mem(MemExp::Alloc(_, bytes)) => {
                self.caps.extend(self.number(*bytes).map(|bytes| (param.name, bytes)));
            }
            Exp::Mem(MemExp::Share(block)) => {
                let _ = self.blocks.insert(param.name, self.block(*block));
            }
            // What only its worker sees.
            Exp::Mem(MemExp::Slot(_)) => {
                let _ = self.depths.insert(param.name, usize::MAX);
            }
            Exp::Call(..) => self.is_lost(),
            _ => {}
        }
    }

    fn is_number(&mut self, param: &Param, value: Option<Poly>) {
        if let (Type::Prim(prim), Some(value)) = (&param.ty, value)
            && prim.is_integer()
        {
            self.numbers.insert(param.name, value);
        }
    }

    /// An operation, if data depend on it.
    fn does(&mut self, param: &Param) {
        let is_float = matches!(param.ty, Type::Prim(prim) if prim.is_float());
        if is_float || self.needed.contains(&param.name) {
            self.operations = self.operations.plus(&Amount::exactly(Poly::constant(1)));
        }
    }

    /// An array whose elements are those of another.
    fn same_elements(&mut self, name: Name, source: Name) {
        let depth = self.arrays.get(&source).map(|array| array.depth);
        if let (Some(depth), Some(array)) = (depth, self.arrays.get_mut(&name)) {
            array.depth = depth;
        }
    }

    fn either(&mut self, stm: &Stm, bodies: &[&Body]) {
        let before = std::mem::replace(&mut self.operations, Amount::nothing());
        let mut most: Option<Amount> = None;
        self.branches += 1;
        for body in bodies {
            self.body(body);
            let here = std::mem::replace(&mut self.operations, Amount::nothing());
            most = Some(match most {
                None => here,
                Some(other) => self.larger(&other, &here),
            });
        }
        self.branches -= 1;
        self.operations = before.plus(&most.unwrap_or_else(Amount::nothing));
        stm.pat.iter().for_each(|param| self.bind(param));
    }

    fn larger(&mut self, a: &Amount, b: &Amount) -> Amount {
        let (Some(x), Some(y)) = (&a.value, &b.value) else { return Amount::unknown() };
        let sizes = self.formulas.sizes();
        let is_bound = a.is_bound || b.is_bound || x != y;
        if sizes.is_at_least(x, y) {
            return Amount { value: Some(x.clone()), is_bound };
        }
        if sizes.is_at_least(y, x) {
            return Amount { value: Some(y.clone()), is_bound };
        }
        Amount { is_bound: true, ..a.plus(b) }
    }

    // Loops

    fn enter(&mut self, vars: Vec<(Name, Option<Poly>)>) -> Amount {
        let frame = Frame { vars, branches: self.branches, reads: Regions::default(), writes: Regions::default() };
        self.frames.push(frame);
        for (var, _) in &self.frames[self.frames.len() - 1].vars {
            self.depths.insert(*var, self.frames.len());
            self.formulas.sizes().at_least(*var, 0);
        }
        std::mem::replace(&mut self.operations, Amount::nothing())
    }

    fn leave(&mut self, stm: &Stm, before: Amount) {
        let at = self.frames.len() - 1;
        let each = self.operations.clone();
        let mut all = each;
        for (_, extent) in &self.frames[at].vars {
            let extent = extent.clone().map_or_else(Amount::unknown, Amount::exactly);
            all = all.times(&extent);
        }
        let operations = self.outside(all, at);
        let Some(mut frame) = self.frames.pop() else { return };
        let (reads, writes) = (frame.reads.total(self.formulas.sizes()), frame.writes.total(self.formulas.sizes()));
        if let Some(param) = stm.pat.first() {
            self.costs.insert(param.name, Found { reads, writes, operations: operations.clone() });
        }
        self.operations = before.plus(&operations);
    }

    /// An amount in terms of what is known where a loop begins.
    fn outside(&mut self, amount: Amount, at: usize) -> Amount {
        let Some(value) = &amount.value else { return amount };
        let found = region::most(value, &self.frames[at..], at, &self.depths, self.formulas.sizes());
        match found {
            Some((value, is_same)) => Amount { value: Some(value), is_bound: amount.is_bound || !is_same },
            None => Amount::unknown(),
        }
    }

    fn par(&mut self, stm: &Stm, par: &Par) {
        let vars = par.space.iter().map(|(i, n)| (*i, self.number(*n))).collect();
        let before = self.enter(vars);
        self.body(&par.body);
        for op in &par.ops {
            op.lambda.params.iter().for_each(|param| self.bind(param));
            let times = self.product(&op.shape).map_or_else(Amount::unknown, Amount::exactly);
            self.many(&op.lambda.body, &times);
        }
        if let Some(post) = &par.post {
            post.params.iter().for_each(|param| self.bind(param));
            self.body(&post.body);
        }
        let (body, first) = par.yields();
        let mut values = &body.results[first.min(body.results.len())..];
        let mut results = stm.pat.iter().filter(|param| !matches!(param.ty, Type::Mem(_)));
        let reduced: Vec<&Param> = results.by_ref().take(par.reduced()).collect();
        // Results are bound here so that their places are known while the loop is there.
        let depth = self.frames.len() - 1;
        let bound = |walk: &mut Self, param: &Param| {
            walk.bind(param);
            walk.depths.insert(param.name, depth);
            if let Some(array) = walk.arrays.get_mut(&param.name) {
                array.depth = depth;
            }
        };
        for param in reduced {
            bound(self, param);
            self.write(param.name, &[]);
        }
        for form in &par.forms {
            let (mine, rest) = values.split_at(form.operands().min(values.len()));
            values = rest;
            let made: Vec<&Param> = results.by_ref().take(form.results()).collect();
            made.iter().for_each(|param| bound(self, param));
            match form {
                Form::Own | Form::Tile(_) => made.iter().for_each(|param| self.write(param.name, &[])),
                Form::Write { dest, rank } => {
                    let index = &mine[..(*rank).min(mine.len())];
                    self.at_any(*dest, index, false);
                    made.iter().for_each(|param| self.same_elements(param.name, *dest));
                }
                Form::Acc { dests, rank, op, .. } => {
                    let index = &mine[..(*rank).min(mine.len())];
                    for dest in dests {
                        self.at_any(*dest, index, true);
                        self.at_any(*dest, index, false);
                    }
                    op.params.iter().for_each(|param| self.bind(param));
                    let rows = dests.first().and_then(|dest| {
                        let dims = &self.arrays.get(dest)?.layout.dims;
                        dims.iter().skip(*rank).try_fold(Poly::constant(1), |n, dim| n.times(&dim.size()?))
                    });
                    self.many(&op.body, &rows.map_or_else(Amount::unknown, Amount::exactly));
                    made.iter().zip(dests).for_each(|(param, dest)| self.same_elements(param.name, *dest));
                }
            }
        }
        self.leave(stm, before);
    }

    /// An access that is left out where the index is out of range.
    fn at_any(&mut self, dest: Name, index: &[Operand], is_read: bool) {
        self.branches += 1;
        if is_read {
            self.read(dest, index);
        } else {
            self.write(dest, index);
        }
        self.branches -= 1;
    }

    /// A body that runs several times in an iteration.
    fn many(&mut self, body: &Body, times: &Amount) {
        let before = std::mem::replace(&mut self.operations, Amount::nothing());
        self.body(body);
        self.operations = before.plus(&self.operations.times(times));
    }

    fn repeat(&mut self, stm: &Stm, params: &[(Param, Operand)], form: &LoopForm, body: &Body) {
        let vars = match form {
            LoopForm::For(i, _, n) => vec![(*i, self.number(*n))],
            LoopForm::While(_) => {
                let rounds = self.formulas.sizes().fresh("round");
                vec![(rounds, None)]
            }
        };
        let before = self.enter(vars);
        for (param, initial) in params {
            self.bind(param);
            let Some(initial) = initial.name() else { continue };
            match param.ty {
                Type::Mem(Space::Host | Space::Device) => {
                    let _ = self.blocks.insert(param.name, self.block(initial));
                }
                // The first round reads what was there.
                Type::Array(..) => self.same_elements(param.name, initial),
                _ => {}
            }
        }
        // Places are in terms of blocks, which are all known now.
        params.iter().filter(|(param, _)| param.ty.is_array()).for_each(|(param, initial)| {
            self.bind(param);
            initial.name().into_iter().for_each(|initial| self.same_elements(param.name, initial));
        });
        self.body(body);
        self.leave(stm, before);
        stm.pat.iter().for_each(|param| self.bind(param));
        for (result, (param, _)) in stm.pat.iter().zip(params) {
            if let Type::Mem(_) = param.ty {
                self.blocks.insert(result.name, self.block(param.name));
            }
        }
        stm.pat.iter().filter(|param| param.ty.is_array()).for_each(|param| self.bind(param));
    }
}

/// What a view is of.
fn source(exp: &Exp) -> Option<Name> {
    match exp {
        Exp::Operand(x) | Exp::Opaque(x) | Exp::Trace(_, x) => x.name(),
        Exp::Index(name, _)
        | Exp::Slice(name, _)
        | Exp::Rearrange(_, name)
        | Exp::Reshape(_, name)
        | Exp::Resize(_, name)
        | Exp::FlatIndex(name, ..) => Some(*name),
        _ => None,
    }
}
