//! Loops without branches, run many iterations at a time.
//!
//! A round of a loop that consists of operations on scalars, reads of arrays and writes to builders is also compiled to
//! *steps*, each of which does the same for up to [`LANES`] iterations before the next one starts, so that an
//! instruction is looked at once for all of them. Where a step fails, the loop of instructions takes over from the
//! first of these iterations; so it does for the last few. Steps never change what a program means, down to the order
//! of additions.

use crate::array::{Array, Cell};
use crate::code::{Builder, Inst, Reg, Slot};
use crate::scalar::{Fn1, Fn2};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// How many iterations run together.
pub(crate) const LANES: usize = 128;

/// With fewer iterations than this, preparing the lanes takes longer than they save.
const FEWEST: i64 = 12;

/// The number of a column: a register for each lane.
type Column = u32;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// An operation on columns.
    Op(Inst),
    Load {
        cell: Cell,
        d: Column,
        a: Slot,
    },
    /// The number of the iteration.
    Index {
        d: Column,
    },
    Gather {
        cell: Cell,
        d: Column,
        a: Slot,
        i: Column,
    },
    Assert {
        a: Column,
    },
    Put {
        cell: Cell,
        out: Builder,
        x: Column,
    },
    /// `acc = f acc x` in each lane after the other; `d` is what `acc` was then.
    Fold {
        op: Fold,
        acc: usize,
        x: Column,
        d: Column,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fold {
    AddI64,
    AddI32,
    AddF32,
    AddF64,
    Other(Fn2),
}

#[derive(Clone, Debug)]
pub(crate) struct VectorCode {
    steps: Vec<Step>,
    columns: usize,
    /// Columns that are the same in all lanes.
    uniforms: Vec<(Column, Reg)>,
    accumulators: Vec<Reg>,
}

/// Calls a macro with the instructions that have two operands.
macro_rules! with_binary {
    ($mac:ident) => {
        $mac!(
            AddI64, SubI64, MulI64, AddI32, SubI32, MulI32, AddF32, SubF32, MulF32, DivF32, AddF64, SubF64, MulF64,
            DivF64, And, Or, Xor, EqInt, NeInt, LtSigned, LeSigned, LtUnsigned, LeUnsigned, LtF32, LeF32, LtF64, LeF64
        )
    };
}

/// The result and the operands of an operation on scalars.
fn parts(inst: Inst) -> Option<(Reg, [Option<Reg>; 2])> {
    macro_rules! arms {
        ($($name:ident),*) => {
            match inst {
                $(Inst::$name { d, a, b } => Some((d, [Some(a), Some(b)])),)*
                Inst::Two { d, a, b, .. } => Some((d, [Some(a), Some(b)])),
                Inst::Move { d, a } | Inst::Not { d, a } | Inst::One { d, a, .. } => Some((d, [Some(a), None])),
                _ => None,
            }
        };
    }
    with_binary!(arms)
}

/// The same operation on columns.
fn renamed(inst: Inst, d: Column, a: Column, b: Column) -> Inst {
    macro_rules! arms {
        ($($name:ident),*) => {
            match inst {
                $(Inst::$name { .. } => Inst::$name { d, a, b },)*
                Inst::Two { f, .. } => Inst::Two { f, d, a, b },
                Inst::Move { .. } => Inst::Move { d, a },
                Inst::Not { .. } => Inst::Not { d, a },
                Inst::One { f, .. } => Inst::One { f, d, a },
                other => other,
            }
        };
    }
    with_binary!(arms)
}

/// The steps of a round, if it can be done in steps. `i` counts the iterations; `results` are the registers that are
/// needed after the loop.
pub(crate) fn vectorise(round: &[Inst], i: Reg, results: &[Reg], twos: &[Fn2]) -> Option<VectorCode> {
    // A register that is read before it is written carries a value from one iteration to the next.
    let (mut written, mut early) = (FxHashSet::default(), FxHashSet::default());
    for inst in round {
        let mut read = |reg: Reg| {
            if !written.contains(&reg) {
                early.insert(reg);
            }
        };
        match *inst {
            Inst::Load { d, i, .. } => {
                read(i);
                written.insert(d);
            }
            Inst::Put { i, x, .. } => {
                read(i);
                read(x);
            }
            Inst::Assert { a, .. } => read(a),
            inst => {
                let (d, operands) = parts(inst)?;
                operands.into_iter().flatten().for_each(read);
                written.insert(d);
            }
        }
    }
    let mut planner = Planner {
        code: VectorCode { steps: Vec::new(), columns: 0, uniforms: Vec::new(), accumulators: Vec::new() },
        columns: FxHashMap::default(),
        carried: early.intersection(&written).copied().collect(),
        i,
    };
    if written.contains(&i) {
        return None;
    }
    let mut k = 0;
    while k < round.len() {
        k += planner.step(&round[k..], twos)?;
    }
    // The steps leave nothing else behind than accumulators, and know how to carry nothing else on.
    let accumulators = &planner.code.accumulators;
    let complete =
        planner.carried.len() == accumulators.len() && results.iter().all(|result| accumulators.contains(result));
    complete.then_some(planner.code)
}

struct Planner {
    code: VectorCode,
    columns: FxHashMap<Reg, Column>,
    carried: FxHashSet<Reg>,
    i: Reg,
}

impl Planner {
    /// Plans one step and says how many instructions it stands for.
    fn step(&mut self, rest: &[Inst], twos: &[Fn2]) -> Option<usize> {
        match rest[0] {
            Inst::Load { cell, d, a, i: index } => {
                let step = if index == self.i {
                    Step::Load { cell, d: self.define(d)?, a }
                } else {
                    let index = self.column(index)?;
                    Step::Gather { cell, d: self.define(d)?, a, i: index }
                };
                self.code.steps.push(step);
            }
            Inst::Put { cell, out, i: index, x } if index == self.i => {
                let x = self.column(x)?;
                self.code.steps.push(Step::Put { cell, out, x });
            }
            Inst::Assert { a, .. } => {
                let a = self.column(a)?;
                self.code.steps.push(Step::Assert { a });
            }
            inst => {
                let (d, [Some(a), b]) = parts(inst)? else { return None };
                if self.carried.contains(&a) {
                    return self.fold(rest, twos);
                }
                let a = self.column(a)?;
                let b = b.map_or(Some(a), |b| self.column(b))?;
                let d = self.define(d)?;
                self.code.steps.push(Step::Op(renamed(inst, d, a, b)));
            }
        }
        Some(1)
    }

    /// `t = f acc x; acc = t`
    fn fold(&mut self, rest: &[Inst], twos: &[Fn2]) -> Option<usize> {
        let (t, [Some(acc), Some(x)]) = parts(rest[0])? else { return None };
        let (Some(Inst::Move { d, a }), true) = (rest.get(1), !self.carried.contains(&x)) else { return None };
        if *d != acc || *a != t {
            return None;
        }
        let op = match rest[0] {
            Inst::AddI64 { .. } => Fold::AddI64,
            Inst::AddI32 { .. } => Fold::AddI32,
            Inst::AddF32 { .. } => Fold::AddF32,
            Inst::AddF64 { .. } => Fold::AddF64,
            Inst::MulI64 { .. } => Fold::Other(|a, b| a.wrapping_mul(b)),
            Inst::MulF32 { .. } => {
                Fold::Other(|a, b| u64::from((f32::from_bits(a as u32) * f32::from_bits(b as u32)).to_bits()))
            }
            Inst::MulF64 { .. } => Fold::Other(|a, b| (f64::from_bits(a) * f64::from_bits(b)).to_bits()),
            Inst::And { .. } => Fold::Other(|a, b| a & b),
            Inst::Or { .. } => Fold::Other(|a, b| a | b),
            Inst::Two { f, .. } => Fold::Other(twos[f as usize]),
            _ => return None,
        };
        let x = self.column(x)?;
        // From here on the accumulator is a column like any other.
        self.carried.remove(&acc);
        let d = self.define(acc)?;
        self.carried.insert(acc);
        self.columns.insert(t, d);
        self.code.steps.push(Step::Fold { op, acc: self.code.accumulators.len(), x, d });
        self.code.accumulators.push(acc);
        Some(2)
    }

    /// The column of a register that is written here, once.
    fn define(&mut self, reg: Reg) -> Option<Column> {
        if self.carried.contains(&reg) || self.columns.contains_key(&reg) {
            return None;
        }
        Some(self.new_column(reg))
    }

    /// The column of a register that is read here.
    fn column(&mut self, reg: Reg) -> Option<Column> {
        if let Some(column) = self.columns.get(&reg) {
            return Some(*column);
        }
        if self.carried.contains(&reg) {
            return None;
        }
        let column = self.new_column(reg);
        if reg == self.i {
            self.code.steps.push(Step::Index { d: column });
        } else {
            self.code.uniforms.push((column, reg));
        }
        Some(column)
    }

    fn new_column(&mut self, reg: Reg) -> Column {
        let column = Column::try_from(self.code.columns).unwrap_or(Column::MAX);
        self.code.columns += 1;
        self.columns.insert(reg, column);
        column
    }
}

/// What steps work on.
pub(crate) struct Lanes<'a> {
    pub interrupt: Option<&'a AtomicBool>,
    pub slots: &'a [Box<Array>],
    pub builders: &'a mut [Vec<u8>],
    pub ones: &'a [Fn1],
    pub twos: &'a [Fn2],
}

/// Runs as many of the iterations from `i` to below `n` as it can, and counts `i` up.
#[inline(never)]
pub(crate) fn run(code: &VectorCode, i: Reg, n: Reg, regs: &mut [u64], columns: &mut Vec<Vec<u64>>, mut lanes: Lanes) {
    let n = regs[n as usize] as i64;
    let mut first = regs[i as usize] as i64;
    if n.saturating_sub(first) < FEWEST {
        return;
    }
    if columns.len() < code.columns {
        columns.resize_with(code.columns, || vec![0; LANES]);
    }
    let width = usize::try_from(n - first).map_or(LANES, |left| left.min(LANES));
    for (column, reg) in &code.uniforms {
        columns[*column as usize][..width].fill(regs[*reg as usize]);
    }
    let mut accumulators: smallvec::SmallVec<[u64; 4]> =
        code.accumulators.iter().map(|reg| regs[*reg as usize]).collect();
    while n - first >= FEWEST && !lanes.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        let count = usize::try_from(n - first).map_or(LANES, |left| left.min(LANES));
        for step in &code.steps {
            if lanes.step(step, first, count, columns, &mut accumulators).is_none() {
                regs[i as usize] = first as u64;
                return;
            }
        }
        for (reg, x) in code.accumulators.iter().zip(&accumulators) {
            regs[*reg as usize] = *x;
        }
        first += count as i64;
    }
    regs[i as usize] = first as u64;
}

impl Lanes<'_> {
    /// Nothing if it fails in one of the lanes.
    fn step(
        &mut self,
        step: &Step,
        first: i64,
        count: usize,
        columns: &mut [Vec<u64>],
        accumulators: &mut [u64],
    ) -> Option<()> {
        match *step {
            Step::Op(inst) => self.operate(inst, count, columns),
            Step::Load { cell, d, a } => load(cell, &self.slots[a as usize], first, &mut columns[d as usize][..count])?,
            Step::Index { d } => {
                for (x, i) in columns[d as usize][..count].iter_mut().zip(first..) {
                    *x = i as u64;
                }
            }
            Step::Gather { cell, d, a, i } => {
                let mut result = std::mem::take(&mut columns[d as usize]);
                let array = &self.slots[a as usize];
                let bytes = array.bytes();
                let loaded = array.dims.first().and_then(|dim| {
                    for (x, i) in result[..count].iter_mut().zip(&columns[i as usize]) {
                        *x = cell.load(bytes, (*i as i64).wrapping_mul(dim.stride).wrapping_add(array.offset))?;
                    }
                    Some(())
                });
                columns[d as usize] = result;
                loaded?;
            }
            Step::Assert { a } => {
                if columns[a as usize][..count].contains(&0) {
                    return None;
                }
            }
            Step::Put { cell, out, x } => {
                put(cell, &mut self.builders[out as usize], first, &columns[x as usize][..count])?;
            }
            Step::Fold { op, acc, x, d } => {
                let mut result = std::mem::take(&mut columns[d as usize]);
                let xs = &columns[x as usize][..count];
                let acc = &mut accumulators[acc];
                match op {
                    Fold::AddI64 => fold(acc, xs, &mut result, |a, x| a.wrapping_add(x)),
                    Fold::AddI32 => fold(acc, xs, &mut result, |a, x| (a as i32).wrapping_add(x as i32) as i64 as u64),
                    Fold::AddF32 => {
                        let mut sum = f32::from_bits(*acc as u32);
                        for (x, r) in xs.iter().zip(&mut result) {
                            sum += f32::from_bits(*x as u32);
                            *r = u64::from(sum.to_bits());
                        }
                        *acc = u64::from(sum.to_bits());
                    }
                    Fold::AddF64 => {
                        fold(acc, xs, &mut result, |a, x| (f64::from_bits(a) + f64::from_bits(x)).to_bits())
                    }
                    Fold::Other(f) => fold(acc, xs, &mut result, f),
                }
                columns[d as usize] = result;
            }
        }
        Some(())
    }

    fn operate(&self, inst: Inst, count: usize, columns: &mut [Vec<u64>]) {
        macro_rules! each {
            ($d:expr, $a:expr, $x:ident => $body:expr) => {{
                let mut result = std::mem::take(&mut columns[$d as usize]);
                for (r, &$x) in result[..count].iter_mut().zip(&columns[$a as usize][..count]) {
                    *r = $body;
                }
                columns[$d as usize] = result;
            }};
            ($d:expr, $a:expr, $b:expr, $x:ident, $y:ident => $body:expr) => {{
                let mut result = std::mem::take(&mut columns[$d as usize]);
                let (xs, ys) = (&columns[$a as usize][..count], &columns[$b as usize][..count]);
                for ((r, &$x), &$y) in result[..count].iter_mut().zip(xs).zip(ys) {
                    *r = $body;
                }
                columns[$d as usize] = result;
            }};
        }
        macro_rules! single {
            ($x:expr) => {
                f32::from_bits($x as u32)
            };
        }
        let double = f64::from_bits;
        match inst {
            Inst::Move { d, a } => each!(d, a, x => x),
            Inst::Not { d, a } => each!(d, a, x => x ^ 1),
            Inst::One { f, d, a } => {
                let f = self.ones[f as usize];
                each!(d, a, x => f(x));
            }
            Inst::Two { f, d, a, b } => {
                let f = self.twos[f as usize];
                each!(d, a, b, x, y => f(x, y));
            }
            Inst::AddI64 { d, a, b } => each!(d, a, b, x, y => x.wrapping_add(y)),
            Inst::SubI64 { d, a, b } => each!(d, a, b, x, y => x.wrapping_sub(y)),
            Inst::MulI64 { d, a, b } => each!(d, a, b, x, y => x.wrapping_mul(y)),
            Inst::AddI32 { d, a, b } => each!(d, a, b, x, y => (x as i32).wrapping_add(y as i32) as i64 as u64),
            Inst::SubI32 { d, a, b } => each!(d, a, b, x, y => (x as i32).wrapping_sub(y as i32) as i64 as u64),
            Inst::MulI32 { d, a, b } => each!(d, a, b, x, y => (x as i32).wrapping_mul(y as i32) as i64 as u64),
            Inst::AddF32 { d, a, b } => each!(d, a, b, x, y => u64::from((single!(x) + single!(y)).to_bits())),
            Inst::SubF32 { d, a, b } => each!(d, a, b, x, y => u64::from((single!(x) - single!(y)).to_bits())),
            Inst::MulF32 { d, a, b } => each!(d, a, b, x, y => u64::from((single!(x) * single!(y)).to_bits())),
            Inst::DivF32 { d, a, b } => each!(d, a, b, x, y => u64::from((single!(x) / single!(y)).to_bits())),
            Inst::AddF64 { d, a, b } => each!(d, a, b, x, y => (double(x) + double(y)).to_bits()),
            Inst::SubF64 { d, a, b } => each!(d, a, b, x, y => (double(x) - double(y)).to_bits()),
            Inst::MulF64 { d, a, b } => each!(d, a, b, x, y => (double(x) * double(y)).to_bits()),
            Inst::DivF64 { d, a, b } => each!(d, a, b, x, y => (double(x) / double(y)).to_bits()),
            Inst::And { d, a, b } => each!(d, a, b, x, y => x & y),
            Inst::Or { d, a, b } => each!(d, a, b, x, y => x | y),
            Inst::Xor { d, a, b } => each!(d, a, b, x, y => x ^ y),
            Inst::EqInt { d, a, b } => each!(d, a, b, x, y => u64::from(x == y)),
            Inst::NeInt { d, a, b } => each!(d, a, b, x, y => u64::from(x != y)),
            Inst::LtSigned { d, a, b } => each!(d, a, b, x, y => u64::from((x as i64) < y as i64)),
            Inst::LeSigned { d, a, b } => each!(d, a, b, x, y => u64::from(x as i64 <= y as i64)),
            Inst::LtUnsigned { d, a, b } => each!(d, a, b, x, y => u64::from(x < y)),
            Inst::LeUnsigned { d, a, b } => each!(d, a, b, x, y => u64::from(x <= y)),
            Inst::LtF32 { d, a, b } => each!(d, a, b, x, y => u64::from(single!(x) < single!(y))),
            Inst::LeF32 { d, a, b } => each!(d, a, b, x, y => u64::from(single!(x) <= single!(y))),
            Inst::LtF64 { d, a, b } => each!(d, a, b, x, y => u64::from(double(x) < double(y))),
            Inst::LeF64 { d, a, b } => each!(d, a, b, x, y => u64::from(double(x) <= double(y))),
            // Only operations on scalars are planned.
            _ => {}
        }
    }
}

#[inline]
fn fold(acc: &mut u64, xs: &[u64], results: &mut [u64], f: impl Fn(u64, u64) -> u64) {
    let mut a = *acc;
    for (x, r) in xs.iter().zip(results) {
        a = f(a, *x);
        *r = a;
    }
    *acc = a;
}

/// Elements from index `first` on.
fn load(cell: Cell, array: &Array, first: i64, to: &mut [u64]) -> Option<()> {
    fn run<const N: usize>(array: &Array, first: i64, to: &mut [u64], get: impl Fn([u8; N]) -> u64) -> Option<()> {
        let stride = array.dims.first()?.stride;
        let start = usize::try_from(first.checked_mul(stride)?.checked_add(array.offset)?).ok()?.checked_mul(N)?;
        let bytes = array.bytes();
        if stride == 1 {
            let piece = bytes.get(start..start.checked_add(to.len() * N)?)?;
            for (x, element) in to.iter_mut().zip(piece.as_chunks::<N>().0) {
                *x = get(*element);
            }
            return Some(());
        }
        let step = stride as isize * N as isize;
        let mut at = start;
        for x in to {
            *x = get(*bytes.get(at..)?.first_chunk::<N>()?);
            at = at.wrapping_add_signed(step);
        }
        Some(())
    }
    match cell {
        Cell::I8 => run(array, first, to, |b| i64::from(i8::from_le_bytes(b)) as u64),
        Cell::U8 => run(array, first, to, |b| u64::from(u8::from_le_bytes(b))),
        Cell::I16 => run(array, first, to, |b| i64::from(i16::from_le_bytes(b)) as u64),
        Cell::U16 => run(array, first, to, |b| u64::from(u16::from_le_bytes(b))),
        Cell::I32 => run(array, first, to, |b| i64::from(i32::from_le_bytes(b)) as u64),
        Cell::U32 => run(array, first, to, |b| u64::from(u32::from_le_bytes(b))),
        Cell::Word => run(array, first, to, u64::from_le_bytes),
    }
}

fn put(cell: Cell, out: &mut [u8], first: i64, from: &[u64]) -> Option<()> {
    fn run<const N: usize>(out: &mut [u8], first: i64, from: &[u64], put: impl Fn(u64) -> [u8; N]) -> Option<()> {
        let start = usize::try_from(first).ok()?.checked_mul(N)?;
        let piece = out.get_mut(start..start.checked_add(from.len() * N)?)?;
        for (element, x) in piece.as_chunks_mut::<N>().0.iter_mut().zip(from) {
            *element = put(*x);
        }
        Some(())
    }
    match cell.width() {
        1 => run(out, first, from, |x| (x as u8).to_le_bytes()),
        2 => run(out, first, from, |x| (x as u16).to_le_bytes()),
        4 => run(out, first, from, |x| (x as u32).to_le_bytes()),
        _ => run(out, first, from, u64::to_le_bytes),
    }
}
