//! The evaluator: names, bodies, statements, control.

use super::blocks::{Contents, Heap, Label, Role, report};
use super::lmad::{Elements, Lmad, Pair, Shape};
use super::{Options, RaceCheck};
use crate::array::{self, Cell};
use crate::error::{Kind, Rule, Stop};
use crate::math::{Function, function};
use crate::values;
use crate::{binary, compare, convert, unary};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{
    Body, Exp, Fun, Lambda, LocId, LoopForm, MemExp, Message, MessagePart, Name, Operand, Par, Param, Place, Poly,
    Prog, Scalar, Stm, Type,
};
use kenaz_runtime::Value;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt::Write as _;
use std::io::Write;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// After so many iterations the machine looks whether it was interrupted.
const PATIENCE: u32 = 1 << 12;

/// Runs bodies. Every name is bound once in the program and no function calls itself, so each has one cell.
pub(super) struct Machine<'p> {
    funs: FxHashMap<Symbol, &'p Fun>,
    names: Vec<Known>,
    /// Scalars as registers have them, and labels of blocks.
    bits: Vec<u64>,
    is_bound: Vec<bool>,
    arrays: Vec<Option<Rc<Array>>>,
    pub heap: Heap,
    pub options: Options,
    /// The number of the worker that runs the iteration at hand of a `par` with a level.
    pub worker: usize,
    /// What that iteration has taken of blocks with a slot for each worker.
    pub slots: Vec<Label>,
    interrupt: Option<&'p AtomicBool>,
    patience: u32,
    trace: &'p mut dyn Write,
    /// Where the run has failed, from the inside to the outermost call.
    pub failed: Vec<LocId>,
}

/// An array: where its elements are, and of which kind they are.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub label: Label,
    pub layout: Lmad,
    pub prim: Prim,
}

impl Array {
    pub(super) fn cell(&self) -> Cell {
        Cell::of(self.prim)
    }

    pub(super) fn elements(&self) -> Elements {
        Elements::Layout(self.layout.clone())
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Bits(u64),
    Array(Rc<Array>),
}

pub(super) type Items = SmallVec<[Item; 4]>;

/// What the program says about a name.
#[derive(Default)]
struct Known {
    prim: Option<Prim>,
    is_array: bool,
    place: Option<Box<PlaceCode>>,
}

/// A place, ready to be computed.
struct PlaceCode {
    block: Name,
    offset: PolyCode,
    pairs: Vec<(PolyCode, PolyCode)>,
    groups: SmallVec<[u8; 4]>,
}

/// Coefficients and names.
struct PolyCode(SmallVec<[(i128, SmallVec<[Name; 2]>); 2]>);

impl PlaceCode {
    fn of(place: &Place) -> PlaceCode {
        let pairs = place.layout.dims.iter().flat_map(|dim| &dim.0);
        PlaceCode {
            block: place.block,
            offset: PolyCode::of(&place.layout.offset),
            pairs: pairs.map(|pair| (PolyCode::of(&pair.size), PolyCode::of(&pair.stride))).collect(),
            groups: place.layout.dims.iter().map(|dim| dim.0.len() as u8).collect(),
        }
    }
}

impl PolyCode {
    fn of(poly: &Poly) -> PolyCode {
        PolyCode(poly.terms().map(|(names, n)| (n, SmallVec::from_slice(names))).collect())
    }
}

impl<'p> Machine<'p> {
    pub(super) fn new(
        prog: &'p Prog,
        options: Options,
        interrupt: Option<&'p AtomicBool>,
        trace: &'p mut dyn Write,
    ) -> Machine<'p> {
        struct Collect(Vec<Known>);
        impl Collect {
            fn add(&mut self, name: Name, known: Known) {
                let at = name.id as usize;
                if self.0.len() <= at {
                    self.0.resize_with(at + 1, Known::default);
                }
                self.0[at] = known;
            }
        }
        impl Visit for Collect {
            fn param(&mut self, param: &Param) {
                let place = param.place.as_ref().map(|place| Box::new(PlaceCode::of(place)));
                self.add(param.name, Known { prim: param.ty.prim(), is_array: param.ty.is_array(), place });
            }

            fn exp(&mut self, exp: &Exp) {
                let mut index = |name: Name, prim| {
                    self.add(name, Known { prim: Some(prim), ..Known::default() });
                };
                match exp {
                    Exp::Loop { form: LoopForm::For(name, prim, _), .. } => index(*name, *prim),
                    Exp::Par(par) => par.space.iter().for_each(|(i, _)| index(*i, Prim::I64)),
                    _ => {}
                }
                walk::exp(self, exp);
            }
        }
        let mut collect = Collect(Vec::new());
        for fun in &prog.funs {
            collect.fun(fun);
            fun.params.iter().chain(&fun.results).for_each(|param| collect.param(param));
        }
        let n = collect.0.len();
        let mut heap = Heap::default();
        heap.races.limit = options.race_bytes;
        Machine {
            funs: prog.funs.iter().map(|fun| (fun.name, fun)).collect(),
            names: collect.0,
            bits: vec![0; n],
            is_bound: vec![false; n],
            arrays: vec![None; n],
            heap,
            options,
            worker: 0,
            slots: Vec::new(),
            interrupt,
            patience: PATIENCE,
            trace,
            failed: Vec::new(),
        }
    }

    // Names and operands

    #[inline]
    pub(super) fn set(&mut self, name: Name, bits: u64) {
        self.bits[name.id as usize] = bits;
        self.is_bound[name.id as usize] = true;
    }

    #[inline]
    pub(super) fn bits(&self, x: Operand) -> u64 {
        match x {
            Operand::Var(name) => self.bits[name.id as usize],
            Operand::Const(scalar) => scalar.bits(),
        }
    }

    pub(super) fn i64(&self, x: Operand) -> i64 {
        self.bits(x) as i64
    }

    pub(super) fn i64s(&self, xs: &[Operand]) -> Shape {
        xs.iter().map(|x| self.i64(*x)).collect()
    }

    /// Sizes; one that is negative, which a check should have prevented, counts as zero.
    pub(super) fn sizes(&self, xs: &[Operand]) -> Shape {
        xs.iter().map(|x| self.i64(*x).max(0)).collect()
    }

    pub(super) fn prim(&self, x: Operand) -> Result<Prim, Stop> {
        match x {
            Operand::Var(name) => self.names[name.id as usize].prim.ok_or_else(|| Stop::fault("a name without a type")),
            Operand::Const(scalar) => Ok(scalar.prim()),
        }
    }

    pub(super) fn array(&self, name: Name) -> Result<Rc<Array>, Stop> {
        self.arrays[name.id as usize].clone().ok_or_else(|| Stop::fault("an array before it is bound"))
    }

    /// The block that a name stands for.
    fn label(&self, block: Name) -> Result<Label, Stop> {
        if self.is_bound[block.id as usize] {
            Ok(self.bits[block.id as usize] as Label)
        } else {
            Err(report(Rule::Place, format!("the block `{block}` is not known here")))
        }
    }

    pub(super) fn item(&self, x: Operand) -> Result<Item, Stop> {
        match x {
            Operand::Var(name) if self.names[name.id as usize].is_array => self.array(name).map(Item::Array),
            Operand::Var(_) | Operand::Const(_) => Ok(Item::Bits(self.bits(x))),
        }
    }

    fn items(&self, xs: &[Operand]) -> Result<Items, Stop> {
        xs.iter().map(|x| self.item(*x)).collect()
    }

    // Binding

    /// Binds names to values. Where arrays are may depend on any of the scalars and blocks.
    pub(super) fn bind_all<'a>(
        &mut self,
        params: impl Iterator<Item = &'a Param> + Clone,
        items: Items,
    ) -> Result<(), Stop> {
        for (param, item) in params.clone().zip(&items) {
            if let Item::Bits(bits) = item {
                self.set(param.name, *bits);
            }
        }
        for (param, item) in params.zip(items) {
            if let Item::Array(array) = item {
                self.bind_view(param, array.label, array.prim, &array.elements())?;
            }
        }
        Ok(())
    }

    pub(super) fn bind(&mut self, param: &Param, item: Item) -> Result<(), Stop> {
        match item {
            Item::Bits(bits) => self.set(param.name, bits),
            Item::Array(array) => self.bind_view(param, array.label, array.prim, &array.elements())?,
        }
        Ok(())
    }

    /// Binds an array that exists already, which must be where the binder says.
    pub(super) fn bind_view(&mut self, param: &Param, label: Label, prim: Prim, found: &Elements) -> Result<(), Stop> {
        let shape = self.sizes(param.ty.dims());
        if array::count(&shape)? != found.len() {
            return Err(Stop::fault("an array whose elements do not fit its shape"));
        }
        let array = match (self.place(param, &shape)?, found) {
            (Some(place), _) => {
                let agrees = place.layout.is_empty() || place.label == label && place.elements().same(found);
                if !agrees {
                    return Err(self.disagreement(param, &place, label, found));
                }
                place
            }
            (None, Elements::Layout(layout)) if layout.shape() == shape => {
                Array { label, layout: layout.clone(), prim }
            }
            (None, Elements::Layout(layout)) if !layout.is_empty() && layout.reshaped(&shape).is_some() => {
                Array { label, layout: layout.reshaped(&shape).unwrap_or_default(), prim }
            }
            (None, _) => {
                // Without places everything can be copied.
                let width = Cell::of(prim).width();
                let contents = self.heap.gather(label, width, found)?;
                let array = self.automatic(param.name, &shape, prim)?;
                self.heap.scatter(array.label, width, &array.elements(), &contents, super::race::Access::Write)?;
                array
            }
        };
        self.arrays[param.name.id as usize] = Some(Rc::new(array));
        Ok(())
    }

    /// Binds an array that the statement makes; its elements are to be written there.
    pub(super) fn bind_fresh(&mut self, param: &Param) -> Result<Rc<Array>, Stop> {
        let array = self.fresh(param)?;
        self.arrays[param.name.id as usize] = Some(array.clone());
        Ok(array)
    }

    pub(super) fn fresh(&mut self, param: &Param) -> Result<Rc<Array>, Stop> {
        let shape = self.sizes(param.ty.dims());
        let prim = param.ty.prim().ok_or_else(|| Stop::fault("an array without elements"))?;
        let place = self.place(param, &shape)?;
        Ok(Rc::new(match place {
            Some(place) => place,
            None => self.automatic(param.name, &shape, prim)?,
        }))
    }

    /// A new array in row-major order in a block of its own.
    fn automatic(&mut self, name: Name, shape: &[i64], prim: Prim) -> Result<Array, Stop> {
        let (n, width) = (array::count(shape)?, Cell::of(prim).width());
        let bytes = n.checked_mul(width).and_then(|n| i64::try_from(n).ok());
        let bytes = bytes.ok_or_else(|| array::no_memory(n, width))?;
        let label = self.heap.allocate(name, bytes, Role::Automatic)?;
        Ok(Array { label, layout: Lmad::row_major(shape), prim })
    }

    /// The place of a binder, if it has one, for an array of this shape.
    fn place(&self, param: &Param, shape: &[i64]) -> Result<Option<Array>, Stop> {
        let Some(code) = &self.names[param.name.id as usize].place else { return Ok(None) };
        let prim = param.ty.prim().ok_or_else(|| Stop::fault("a place of something that is not an array"))?;
        let label = self.label(code.block)?;
        // Of an array without elements it does not matter where they are.
        if shape.contains(&0) {
            return Ok(Some(Array { label, layout: Lmad::row_major(shape), prim }));
        }
        let mut pairs = SmallVec::with_capacity(code.pairs.len());
        for (size, stride) in &code.pairs {
            pairs.push(Pair { size: self.poly(size, param)?, stride: self.poly(stride, param)? });
        }
        let layout = Lmad { offset: self.poly(&code.offset, param)?, pairs, groups: code.groups.clone() };
        if layout.shape().as_slice() != shape {
            let (name, found) = (param.name, layout.shape());
            let message = format!("the layout of `{name}` has shape {found:?}, its type has {shape:?}");
            return Err(report(Rule::Place, message));
        }
        Ok(Some(Array { label, layout, prim }))
    }

    /// Polynomials of layouts are over the integers; a program that computes them modulo 2^64 must not notice.
    fn poly(&self, code: &PolyCode, param: &Param) -> Result<i64, Stop> {
        let mut sum = Some(0i128);
        for (n, names) in &code.0 {
            let mut product = Some(*n);
            for name in names {
                if !self.is_bound[name.id as usize] {
                    let message = format!("the layout of `{}` mentions `{name}`, which is not known", param.name);
                    return Err(report(Rule::Place, message));
                }
                product = product.and_then(|n| n.checked_mul(i128::from(self.bits[name.id as usize] as i64)));
            }
            sum = sum.zip(product).and_then(|(sum, product)| sum.checked_add(product));
        }
        sum.and_then(|sum| i64::try_from(sum).ok())
            .ok_or_else(|| report(Rule::Place, format!("the layout of `{}` wraps around", param.name)))
    }

    #[cold]
    fn disagreement(&self, param: &Param, place: &Array, label: Label, found: &Elements) -> Stop {
        let show = |label: Label, layout: &Lmad| {
            let pairs: Vec<String> =
                layout.pairs.iter().map(|pair| format!("({} : {})", pair.size, pair.stride)).collect();
            format!("{} -> {} + {{{}}}", self.heap.name(label), layout.offset, pairs.join(" "))
        };
        let found = match found {
            Elements::Layout(layout) => show(label, layout),
            Elements::List(_) => format!("at places of {} that are no layout", self.heap.name(label)),
        };
        let (name, place) = (param.name, show(place.label, &place.layout));
        report(Rule::Place, format!("`{name}` should be at {place}, but is at {found}"))
    }

    // Bodies and statements

    pub(super) fn body(&mut self, body: &Body) -> Result<Items, Stop> {
        with_stack(|| {
            self.statements(&body.stms)?;
            self.items(&body.results)
        })
    }

    pub(super) fn statements(&mut self, stms: &[Stm]) -> Result<(), Stop> {
        for stm in stms {
            if let Err(stop) = self.statement(stm) {
                // The innermost statement is the one that failed; those around it only matter if they are calls.
                if self.failed.is_empty() || matches!(stm.exp, Exp::Call(..)) {
                    self.failed.push(stm.loc);
                }
                return Err(stop);
            }
        }
        Ok(())
    }

    fn statement(&mut self, stm: &Stm) -> Result<(), Stop> {
        match &stm.exp {
            Exp::Operand(x) | Exp::Opaque(x) => {
                let item = self.item(*x)?;
                self.bind(only(&stm.pat)?, item)
            }
            Exp::Tunable(tunable) => self.scalar(stm, tunable.default.cast_unsigned()),
            Exp::Un(op, x) => {
                let bits = unary(*op, self.prim(*x)?)(self.bits(*x));
                self.scalar(stm, bits)
            }
            Exp::Bin(op, x, y) => {
                let bits = binary(*op, self.prim(*x)?)(self.bits(*x), self.bits(*y));
                self.scalar(stm, bits)
            }
            Exp::Cmp(op, x, y) => {
                let bits = compare(*op, self.prim(*x)?)(self.bits(*x), self.bits(*y));
                self.scalar(stm, bits)
            }
            Exp::Conv(to, x) => {
                let bits = convert(self.prim(*x)?, *to)(self.bits(*x));
                self.scalar(stm, bits)
            }
            Exp::Math(f, prim, xs) => {
                let second = xs.get(1).map(|x| self.prim(*x)).transpose()?;
                let bits = match (function(*f, *prim, second), &xs[..]) {
                    (Function::One(f), [x]) => f(self.bits(*x)),
                    (Function::Two(f), [x, y]) => f(self.bits(*x), self.bits(*y)),
                    (Function::Three(f), [x, y, z]) => f(self.bits(*x), self.bits(*y), self.bits(*z)),
                    _ => return Err(Stop::fault("a function with the wrong number of operands")),
                };
                self.scalar(stm, bits)
            }
            Exp::Assert(condition, message) => {
                if self.bits(*condition) == 0 {
                    return Err(self.failure(message)?);
                }
                stm.pat.iter().for_each(|cert| self.set(cert.name, 0));
                Ok(())
            }
            Exp::Index(..)
            | Exp::Slice(..)
            | Exp::Update(..)
            | Exp::Array(..)
            | Exp::Iota { .. }
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Concat(..)
            | Exp::Rearrange(..)
            | Exp::Reshape(..)
            | Exp::Resize(..)
            | Exp::Copy(_)
            | Exp::FlatIndex(..)
            | Exp::FlatUpdate(..) => self.array_statement(only(&stm.pat)?, &stm.exp),
            Exp::If(condition, yes, no) => {
                let items = self.body(if self.bits(*condition) != 0 { yes } else { no })?;
                self.bind_all(stm.pat.iter(), items)
            }
            Exp::Match(x, cases, default) => {
                let x = self.bits(*x);
                let body = cases.iter().find(|(case, _)| case.bits() == x).map_or(default, |(_, body)| body);
                let items = self.body(body)?;
                self.bind_all(stm.pat.iter(), items)
            }
            Exp::Loop { params, form, body } => self.iterate(stm, params, form, body),
            Exp::Call(f, args) => self.call(stm, *f, args),
            Exp::Par(par) => self.par(stm, par),
            Exp::Mem(exp) => self.memory(stm, exp),
            Exp::Trace(tag, x) => {
                let item = self.item(*x)?;
                let text = match &item {
                    Item::Bits(bits) => values::typed(Scalar::from_bits(self.prim(*x)?, *bits)),
                    Item::Array(array) => self.value(array)?.to_string(),
                };
                let tag = if tag.as_str().is_empty() { "Trace" } else { tag.as_str() };
                // A trace that nobody can read is no reason to stop.
                let _ = writeln!(self.trace, "{tag}: {text}");
                self.bind(only(&stm.pat)?, item)
            }
            Exp::Soac(_) => Err(Stop::fault("a second-order operator, of which there are none behind the array stage")),
            Exp::Jvp(..) | Exp::Vjp(..) => {
                let message = "automatic differentiation is not supported yet".to_string();
                Err(Stop::new(Kind::Limitation, message))
            }
        }
    }

    #[inline]
    fn scalar(&mut self, stm: &Stm, bits: u64) -> Result<(), Stop> {
        self.set(only(&stm.pat)?.name, bits);
        Ok(())
    }

    fn memory(&mut self, stm: &Stm, exp: &MemExp) -> Result<(), Stop> {
        match exp {
            MemExp::Alloc(_, bytes) => {
                let name = only(&stm.pat)?.name;
                let label = self.heap.allocate(name, self.i64(*bytes), Role::Allocated)?;
                self.set(name, u64::from(label));
                Ok(())
            }
            MemExp::AllocEach(slots) => {
                let name = only(&stm.pat)?.name;
                let workers = slots.most.map_or(usize::MAX, |most| usize::try_from(self.i64(most)).unwrap_or(0));
                let workers = workers.min(self.options.workers).max(1);
                let label = self.heap.allocate_each(name, self.i64(slots.bytes), workers)?;
                self.set(name, u64::from(label));
                Ok(())
            }
            MemExp::Slot(block) => {
                let name = only(&stm.pat)?.name;
                let label = self.heap.slot(name, self.label(*block)?, self.worker)?;
                self.slots.push(label);
                self.set(name, u64::from(label));
                Ok(())
            }
            MemExp::Free(block) => self.heap.free(self.label(*block)?),
            MemExp::Share(block) => {
                let label = self.label(*block)?;
                self.heap.share(label)?;
                self.scalar(stm, u64::from(label))
            }
        }
    }

    fn iterate(&mut self, stm: &Stm, params: &[(Param, Operand)], form: &LoopForm, body: &Body) -> Result<(), Stop> {
        let binders = || params.iter().map(|(param, _)| param);
        let items = params.iter().map(|(_, x)| self.item(*x)).collect::<Result<Items, Stop>>()?;
        self.bind_all(binders(), items)?;
        match form {
            LoopForm::For(i, prim, n) => {
                let n = if prim.is_signed() { self.i64(*n).max(0) as u64 } else { self.bits(*n) };
                for k in 0..n {
                    self.set(*i, k);
                    let items = self.body(body)?;
                    self.bind_all(binders(), items)?;
                    self.tick()?;
                }
            }
            LoopForm::While(condition) => {
                while self.bits[condition.id as usize] != 0 {
                    let items = self.body(body)?;
                    self.bind_all(binders(), items)?;
                    self.tick()?;
                }
            }
        }
        let items = binders().map(|param| self.item(param.name.into())).collect::<Result<Items, Stop>>()?;
        self.bind_all(stm.pat.iter(), items)
    }

    /// An iteration has gone by.
    pub(super) fn tick(&mut self) -> Result<(), Stop> {
        self.patience -= 1;
        if self.patience == 0 {
            self.patience = PATIENCE;
            if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Err(Stop::new(Kind::Interrupted, "Interrupted.".to_string()));
            }
        }
        Ok(())
    }

    fn call(&mut self, stm: &Stm, f: Symbol, args: &[Operand]) -> Result<(), Stop> {
        let Some(fun) = self.funs.get(&f).copied() else { return Err(Stop::fault("a function that does not exist")) };
        let args = self.items(args)?;
        let items = self.enter(fun, args)?;
        self.bind_all(stm.pat.iter(), items)
    }

    /// Runs a function.
    pub(super) fn enter(&mut self, fun: &Fun, args: Items) -> Result<Items, Stop> {
        if args.len() != fun.params.len() {
            return Err(Stop::fault("a call with the wrong number of arguments"));
        }
        self.bind_all(fun.params.iter(), args)?;
        let items = self.body(&fun.body)?;
        // The results are where the function says.
        self.bind_all(fun.results.iter(), items.clone())?;
        Ok(items)
    }

    /// Applies a function between scalars.
    pub(super) fn apply(
        &mut self,
        lambda: &Lambda,
        args: impl Iterator<Item = u64>,
    ) -> Result<SmallVec<[u64; 4]>, Stop> {
        for (param, bits) in lambda.params.iter().zip(args) {
            if param.ty.is_array() {
                return Err(Stop::fault("an operator over arrays, of which there are none in a `par`"));
            }
            self.set(param.name, bits);
        }
        with_stack(|| self.statements(&lambda.body.stms))?;
        Ok(lambda.body.results.iter().map(|x| self.bits(*x)).collect())
    }

    /// Whether the iterations of a `par` are watched.
    pub(super) fn is_watched(&self, par: &Par) -> bool {
        match self.options.races {
            RaceCheck::Never => false,
            RaceCheck::Levels => par.level.is_some(),
            RaceCheck::Always => true,
        }
    }

    /// The elements of an array as a value.
    pub(super) fn value(&mut self, array: &Array) -> Result<Value, Stop> {
        let bytes = self.heap.gather(array.label, array.cell().width(), &array.elements())?.bytes()?;
        values::from_array(&array::Array::new(bytes, &array.layout.shape()), array.prim)
    }

    /// The message of a check that has failed.
    #[cold]
    fn failure(&self, message: &Message) -> Result<Stop, Stop> {
        let mut text = String::new();
        for part in &message.parts {
            match part {
                MessagePart::Text(part) => text.push_str(part),
                MessagePart::Value(x) => {
                    let _ = write!(text, "{}", values::plain(Scalar::from_bits(self.prim(*x)?, self.bits(*x))));
                }
            }
        }
        Ok(Stop::new(Kind::of(message), text))
    }

    /// A copy from one place to another, which is nothing if they are the same.
    pub(super) fn copy(
        &mut self,
        from: (Label, &Elements),
        to: (Label, &Elements),
        cell: Cell,
        access: super::race::Access,
    ) -> Result<(), Stop> {
        if from.0 == to.0 {
            if from.1.same(to.1) {
                return Ok(());
            }
            if from.1.overlaps(to.1) {
                let block = self.heap.name(to.0);
                let message = format!("elements of the block `{block}` are copied to where some of them are");
                return Err(report(Rule::Overlap, message));
            }
        }
        let contents = self.heap.gather(from.0, cell.width(), from.1)?;
        self.heap.scatter(to.0, cell.width(), to.1, &contents, access)
    }

    /// Writes a scalar or an array to a place of its shape.
    pub(super) fn put(
        &mut self,
        item: &Item,
        to: (Label, &Elements),
        cell: Cell,
        access: super::race::Access,
    ) -> Result<(), Stop> {
        match item {
            Item::Array(array) => self.copy((array.label, &array.elements()), to, cell, access),
            Item::Bits(bits) => {
                let contents = Contents::filled(cell, *bits, to.1.len())?;
                self.heap.scatter(to.0, cell.width(), to.1, &contents, access)
            }
        }
    }
}

/// The one name that a statement binds.
pub(super) fn only(pat: &[Param]) -> Result<&Param, Stop> {
    pat.first().ok_or_else(|| Stop::fault("a statement that binds nothing"))
}

/// Whether a type is that of a block.
pub(super) fn is_block(ty: &Type) -> bool {
    matches!(ty, Type::Mem(_))
}
