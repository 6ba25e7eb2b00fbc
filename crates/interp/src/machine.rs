//! The machine that runs instructions.

mod acc;
mod ops;

use crate::array::{self, Array, Cell};
use crate::code::{Compiled, Inst, MessageCode, Slot, TextPart};
use crate::error::{Kind, RunError, Stop};
use crate::values;
use crate::vector::{self, Lanes};
use acc::Accumulator;
use kenaz_ir::{LocId, Scalar};
use std::fmt::Write as _;
use std::io::Write;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Everything that a run changes, but for the registers.
pub(crate) struct State<'e> {
    /// Boxed, so that an array moves from one slot to another by its address.
    #[expect(clippy::vec_box, reason = "moving an array is exchanging two addresses")]
    pub slots: Vec<Box<Array>>,
    pub builders: Vec<Vec<u8>>,
    /// For loops that are run by steps.
    columns: Vec<Vec<u64>>,
    accumulators: Vec<Accumulator>,
    /// The places that operators of accumulators are about to change: which one, and where in its arrays.
    pending: Vec<(usize, smallvec::SmallVec<[i64; 4]>)>,
    /// Where to go on after a function, and where it was called unless it is an operator.
    calls: Vec<(usize, Option<LocId>)>,
    counts: Vec<u64>,
    trace: &'e mut dyn Write,
}

/// How many backward jumps the machine makes before it looks whether it was interrupted.
const PATIENCE: u32 = 1 << 12;

pub(crate) struct Machine<'e> {
    pub compiled: &'e Compiled,
    pub registers: Vec<u64>,
    pub state: State<'e>,
    pub interrupt: Option<&'e AtomicBool>,
}

impl<'e> Machine<'e> {
    pub(crate) fn new(
        compiled: &'e Compiled,
        interrupt: Option<&'e AtomicBool>,
        trace: &'e mut dyn Write,
    ) -> Machine<'e> {
        Machine {
            compiled,
            registers: compiled.registers.clone(),
            state: State {
                slots: vec![Box::default(); compiled.slots as usize],
                builders: vec![Vec::new(); compiled.builders as usize],
                columns: Vec::new(),
                accumulators: Vec::new(),
                pending: Vec::new(),
                calls: Vec::new(),
                counts: vec![0; compiled.labels.len()],
                trace,
            },
            interrupt,
        }
    }

    /// Runs from an instruction to the `Return` of its function.
    pub(crate) fn run(&mut self, start: u32) -> Result<(), RunError> {
        let mut at = start as usize;
        let result = self.execute(&mut at);
        result.map_err(|Stop(stop)| {
            let place = self.compiled.places[at.saturating_sub(1).min(self.compiled.places.len() - 1)];
            let callers = self.state.calls.iter().rev().filter_map(|(_, loc)| *loc);
            let trace = [place].into_iter().chain(callers).flat_map(|loc| self.compiled.locs.chain(loc)).collect();
            let (kind, message) = *stop;
            RunError { kind, message, trace }
        })
    }

    pub(crate) fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        self.compiled.labels.iter().map(String::as_str).zip(self.state.counts.iter().copied())
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each instruction")]
    fn execute(&mut self, at: &mut usize) -> Result<(), Stop> {
        let Machine { compiled, registers, state, interrupt } = self;
        let code = &compiled.code[..];
        let regs = &mut registers[..];
        let mut patience = PATIENCE;
        let mut pc = *at;
        // The address is stored only when it is needed, so that it stays in a register of the processor.
        macro_rules! attempt {
            ($e:expr) => {
                match $e {
                    Ok(x) => x,
                    Err(stop) => {
                        *at = pc;
                        return Err(stop);
                    }
                }
            };
        }
        macro_rules! jump {
            ($to:expr) => {
                pc = pc.wrapping_add_signed($to as isize)
            };
        }
        macro_rules! jump_back {
            ($to:expr) => {
                jump!($to);
                patience -= 1;
                if patience == 0 {
                    patience = PATIENCE;
                    if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                        *at = pc;
                        return Err(Stop::new(Kind::Interrupted, "Interrupted.".to_string()));
                    }
                }
            };
        }
        macro_rules! ints {
            ($t:ty, $f:ident, $d:ident, $a:ident, $b:ident) => {
                regs[$d as usize] = (regs[$a as usize] as $t).$f(regs[$b as usize] as $t) as i64 as u64
            };
        }
        macro_rules! singles {
            ($op:tt, $d:ident, $a:ident, $b:ident) => {
                regs[$d as usize] = u64::from(
                    (f32::from_bits(regs[$a as usize] as u32) $op f32::from_bits(regs[$b as usize] as u32)).to_bits())
            };
        }
        macro_rules! doubles {
            ($op:tt, $d:ident, $a:ident, $b:ident) => {
                regs[$d as usize] =
                    (f64::from_bits(regs[$a as usize]) $op f64::from_bits(regs[$b as usize])).to_bits()
            };
        }
        loop {
            let inst = code[pc];
            pc += 1;
            match inst {
                Inst::Move { d, a } => regs[d as usize] = regs[a as usize],
                Inst::AddI64 { d, a, b } => ints!(i64, wrapping_add, d, a, b),
                Inst::SubI64 { d, a, b } => ints!(i64, wrapping_sub, d, a, b),
                Inst::MulI64 { d, a, b } => ints!(i64, wrapping_mul, d, a, b),
                Inst::AddI32 { d, a, b } => ints!(i32, wrapping_add, d, a, b),
                Inst::SubI32 { d, a, b } => ints!(i32, wrapping_sub, d, a, b),
                Inst::MulI32 { d, a, b } => ints!(i32, wrapping_mul, d, a, b),
                Inst::AddF32 { d, a, b } => singles!(+, d, a, b),
                Inst::SubF32 { d, a, b } => singles!(-, d, a, b),
                Inst::MulF32 { d, a, b } => singles!(*, d, a, b),
                Inst::DivF32 { d, a, b } => singles!(/, d, a, b),
                Inst::AddF64 { d, a, b } => doubles!(+, d, a, b),
                Inst::SubF64 { d, a, b } => doubles!(-, d, a, b),
                Inst::MulF64 { d, a, b } => doubles!(*, d, a, b),
                Inst::DivF64 { d, a, b } => doubles!(/, d, a, b),
                Inst::And { d, a, b } => regs[d as usize] = regs[a as usize] & regs[b as usize],
                Inst::Or { d, a, b } => regs[d as usize] = regs[a as usize] | regs[b as usize],
                Inst::Xor { d, a, b } => regs[d as usize] = regs[a as usize] ^ regs[b as usize],
                Inst::Not { d, a } => regs[d as usize] = regs[a as usize] ^ 1,
                Inst::EqInt { d, a, b } => regs[d as usize] = u64::from(regs[a as usize] == regs[b as usize]),
                Inst::NeInt { d, a, b } => regs[d as usize] = u64::from(regs[a as usize] != regs[b as usize]),
                Inst::LtSigned { d, a, b } => {
                    regs[d as usize] = u64::from((regs[a as usize] as i64) < regs[b as usize] as i64);
                }
                Inst::LeSigned { d, a, b } => {
                    regs[d as usize] = u64::from(regs[a as usize] as i64 <= regs[b as usize] as i64);
                }
                Inst::LtUnsigned { d, a, b } => regs[d as usize] = u64::from(regs[a as usize] < regs[b as usize]),
                Inst::LeUnsigned { d, a, b } => regs[d as usize] = u64::from(regs[a as usize] <= regs[b as usize]),
                Inst::LtF32 { d, a, b } => {
                    let (x, y) = (f32::from_bits(regs[a as usize] as u32), f32::from_bits(regs[b as usize] as u32));
                    regs[d as usize] = u64::from(x < y);
                }
                Inst::LeF32 { d, a, b } => {
                    let (x, y) = (f32::from_bits(regs[a as usize] as u32), f32::from_bits(regs[b as usize] as u32));
                    regs[d as usize] = u64::from(x <= y);
                }
                Inst::LtF64 { d, a, b } => {
                    regs[d as usize] = u64::from(f64::from_bits(regs[a as usize]) < f64::from_bits(regs[b as usize]));
                }
                Inst::LeF64 { d, a, b } => {
                    regs[d as usize] = u64::from(f64::from_bits(regs[a as usize]) <= f64::from_bits(regs[b as usize]));
                }
                Inst::One { f, d, a } => regs[d as usize] = compiled.ones[f as usize](regs[a as usize]),
                Inst::Two { f, d, a, b } => {
                    regs[d as usize] = compiled.twos[f as usize](regs[a as usize], regs[b as usize]);
                }
                Inst::Three { id } => {
                    let three = &compiled.threes[id as usize];
                    let [a, b, c] = three.args.map(|a| regs[a as usize]);
                    regs[three.d as usize] = (three.f)(a, b, c);
                }

                Inst::Jump { to } => jump!(to),
                Inst::Back { to } => {
                    jump_back!(to);
                }
                Inst::Unless { a, to } => {
                    if regs[a as usize] == 0 {
                        jump!(to);
                    }
                }
                Inst::Equal { a, b, to } => {
                    if regs[a as usize] == regs[b as usize] {
                        jump!(to);
                    }
                }
                Inst::UnlessLess { a, b, to } => {
                    if regs[a as usize] as i64 >= regs[b as usize] as i64 {
                        jump!(to);
                    }
                }
                Inst::UnlessLessUnsigned { a, b, to } => {
                    if regs[a as usize] >= regs[b as usize] {
                        jump!(to);
                    }
                }
                Inst::Next { i, n, to } => {
                    let next = regs[i as usize] as i64 + 1;
                    regs[i as usize] = next as u64;
                    if next < regs[n as usize] as i64 {
                        jump_back!(to);
                    }
                }
                Inst::NextUnsigned { i, n, to } => {
                    let next = regs[i as usize] + 1;
                    regs[i as usize] = next;
                    if next < regs[n as usize] {
                        jump_back!(to);
                    }
                }
                Inst::Vector { id, i, n } => {
                    let State { slots, builders, columns, .. } = state;
                    let lanes =
                        Lanes { interrupt: *interrupt, slots, builders, ones: &compiled.ones, twos: &compiled.twos };
                    vector::run(&compiled.vectors[id as usize], i, n, regs, columns, lanes);
                }
                Inst::Call { to } => {
                    state.calls.push((pc, Some(compiled.places[pc - 1])));
                    pc = to as usize;
                }
                Inst::Return => match state.calls.pop() {
                    Some((back, _)) => pc = back,
                    None => return Ok(()),
                },
                Inst::Assert { a, message } => {
                    if regs[a as usize] == 0 {
                        *at = pc;
                        return Err(failure(&compiled.messages[message as usize], regs));
                    }
                }
                Inst::Limitation => {
                    *at = pc;
                    let message = "automatic differentiation is not supported yet".to_string();
                    return Err(Stop::new(Kind::Limitation, message));
                }
                Inst::Count { label } => state.counts[label as usize] += 1,

                Inst::Load { cell, d, a, i } => {
                    let array = &state.slots[a as usize];
                    let element = array.dims.first().and_then(|dim| {
                        let place = (regs[i as usize] as i64).wrapping_mul(dim.stride).wrapping_add(array.offset);
                        cell.load(array.bytes(), place)
                    });
                    regs[d as usize] = attempt!(element.ok_or_else(out_of_bounds));
                }
                Inst::LoadMany { cell, n, d, a, at } => {
                    let array = &state.slots[a as usize];
                    let indices = &compiled.pool[at as usize..at as usize + n as usize];
                    let mut place = array.offset;
                    for (i, dim) in indices.iter().zip(&array.dims) {
                        place = place.wrapping_add((regs[*i as usize] as i64).wrapping_mul(dim.stride));
                    }
                    regs[d as usize] = attempt!(cell.load(array.bytes(), place).ok_or_else(out_of_bounds));
                }
                Inst::Row { d, a, i } => attempt!(row(&mut state.slots, d, a, regs[i as usize] as i64)),
                Inst::Store { cell, a, i, x } => {
                    let array = &mut state.slots[a as usize];
                    let index = regs[i as usize] as i64;
                    if !attempt!(store(array, cell, [index].into_iter(), regs[x as usize])) {
                        attempt!(Err(out_of_bounds()));
                    }
                }
                Inst::StoreMany { cell, n, a, at, x } => {
                    let array = &mut state.slots[a as usize];
                    let indices = compiled.pool[at as usize..at as usize + n as usize].iter();
                    let indices = indices.map(|i| regs[*i as usize] as i64);
                    if !attempt!(store(array, cell, indices, regs[x as usize])) {
                        attempt!(Err(out_of_bounds()));
                    }
                }
                Inst::Scatter { cell, a, i, x } => {
                    let array = &mut state.slots[a as usize];
                    let index = regs[i as usize] as i64;
                    attempt!(store(array, cell, [index].into_iter(), regs[x as usize]));
                }
                Inst::Put { cell, out, i, x } => {
                    let out = &mut state.builders[out as usize];
                    if !cell.store(out, regs[i as usize] as i64, regs[x as usize]) {
                        attempt!(Err(out_of_bounds()));
                    }
                }
                Inst::PutRow { cell, out, i, a } => {
                    let array = &state.slots[a as usize];
                    let out = &mut state.builders[out as usize];
                    let offset = regs[i as usize] as i64 * array.len() as i64;
                    attempt!(put_row(array, cell.width(), out, offset));
                }
                Inst::Alias { d, a } => attempt!(alias(&mut state.slots, d, a)),
                Inst::Take { d, a } => {
                    state.slots.swap(d as usize, a as usize);
                    state.slots[a as usize].buffer = None;
                }
                Inst::Kill { a } => state.slots[a as usize].buffer = None,
                Inst::Array { id } => attempt!(state.operate(&compiled.ops[id as usize], regs, &mut pc)),
            }
        }
    }
}

#[cold]
fn out_of_bounds() -> Stop {
    Stop::fault("an index out of bounds that no check has found")
}

#[cold]
fn failure(message: &MessageCode, regs: &[u64]) -> Stop {
    let mut text = String::new();
    for part in &message.parts {
        match part {
            TextPart::Text(part) => text.push_str(part),
            TextPart::Value(reg, prim) => {
                let _ = write!(text, "{}", values::plain(Scalar::from_bits(*prim, regs[*reg as usize])));
            }
        }
    }
    Stop::new(message.kind, text)
}

/// Makes `d` the row `i` of `a`.
#[inline]
fn row(slots: &mut [Box<Array>], d: Slot, a: Slot, i: i64) -> Result<(), Stop> {
    let [d, a] = slots
        .get_disjoint_mut([d as usize, a as usize])
        .map_err(|_| Stop::fault("an array that is a row of itself"))?;
    let Some((dim, rest)) = a.dims.split_first() else { return Err(out_of_bounds()) };
    if i < 0 || i >= dim.size {
        return Err(out_of_bounds());
    }
    d.offset = a.offset + i * dim.stride;
    d.dims.clear();
    d.dims.extend_from_slice(rest);
    match (&d.buffer, &a.buffer) {
        (Some(old), Some(new)) if Rc::ptr_eq(old, new) => {}
        (_, new) => d.buffer = new.clone(),
    }
    Ok(())
}

#[inline]
fn alias(slots: &mut [Box<Array>], d: Slot, a: Slot) -> Result<(), Stop> {
    let [d, a] = slots
        .get_disjoint_mut([d as usize, a as usize])
        .map_err(|_| Stop::fault("an array that is an alias of itself"))?;
    d.buffer.clone_from(&a.buffer);
    d.offset = a.offset;
    d.dims.clear();
    d.dims.extend_from_slice(&a.dims);
    Ok(())
}

/// Writes an element in place; false if there is no such element.
#[inline]
fn store(array: &mut Array, cell: Cell, indices: impl Iterator<Item = i64> + Clone, x: u64) -> Result<bool, Stop> {
    let Some(place) = array.locate(indices.clone()) else { return Ok(false) };
    if array.is_contiguous()
        && let Some(buffer) = array.buffer.as_mut().and_then(Rc::get_mut)
    {
        return Ok(cell.store(buffer, place, x));
    }
    // A copy may lie otherwise.
    array.unique(cell.width())?;
    let Some(place) = array.locate(indices) else { return Ok(false) };
    Ok(cell.store(array.unique(cell.width())?, place, x))
}

#[inline]
fn put_row(array: &Array, width: usize, out: &mut [u8], offset: i64) -> Result<(), Stop> {
    match array.piece(width) {
        Some(piece) => {
            let at = (offset as usize).wrapping_mul(width);
            let place = out.get_mut(at..at.wrapping_add(piece.len())).ok_or_else(irregular)?;
            place.copy_from_slice(piece);
            Ok(())
        }
        None => array.copy_to(width, out, offset),
    }
}

#[cold]
fn irregular() -> Stop {
    Stop::fault("an irregular array")
}

impl State<'_> {
    /// The sizes in registers.
    fn sizes(regs: &[u64], dims: &[u32]) -> smallvec::SmallVec<[i64; 4]> {
        dims.iter().map(|d| regs[*d as usize] as i64).collect()
    }

    fn set(&mut self, d: Slot, array: Array) {
        *self.slots[d as usize] = array;
    }

    /// An array of this shape with the elements of a builder.
    fn finish(&mut self, d: Slot, out: u32, shape: &[i64], cell: Cell) -> Result<(), Stop> {
        let mut buffer = std::mem::take(&mut self.builders[out as usize]);
        buffer.truncate(array::count(shape)? * cell.width());
        self.set(d, Array::new(buffer, shape));
        Ok(())
    }
}
