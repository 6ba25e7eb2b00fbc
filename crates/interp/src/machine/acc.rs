//! Accumulators: arrays that are updated in place until they are given back.

use super::State;
use super::ops::{Operand, write};
use crate::array::{Array, Cell, Dims};
use crate::code::{AccRoutine, Place, Reg, Slot};
use crate::error::Stop;
use smallvec::SmallVec;

pub(super) struct Accumulator {
    /// The sizes of the index space.
    shape: SmallVec<[i64; 4]>,
    arrays: Vec<(Array, Cell)>,
    /// The operator and its address.
    op: Option<(AccRoutine, usize)>,
}

impl State<'_> {
    /// Starts an accumulator and gives its number, which is its token.
    pub(super) fn begin(
        &mut self,
        shape: SmallVec<[i64; 4]>,
        dests: &[(Slot, Cell)],
        op: Option<&AccRoutine>,
        pc: usize,
    ) -> u64 {
        let arrays =
            dests.iter().map(|(slot, cell)| (std::mem::take(&mut *self.slots[*slot as usize]), *cell)).collect();
        let op = op.map(|op| (op.clone(), pc + op.skip as usize));
        self.accumulators.push(Accumulator { shape, arrays, op });
        self.accumulators.len() as u64 - 1
    }

    pub(super) fn end(&mut self, dests: &[Vec<Slot>]) {
        for slots in dests.iter().rev() {
            let Some(accumulator) = self.accumulators.pop() else { return };
            for (slot, (array, _)) in slots.iter().zip(accumulator.arrays) {
                *self.slots[*slot as usize] = array;
            }
        }
    }

    /// Updates an accumulator, or goes to the operator that will.
    pub(super) fn accumulate(
        &mut self,
        token: usize,
        indices: &[Reg],
        values: &[Place],
        regs: &mut [u64],
        pc: &mut usize,
    ) -> Result<(), Stop> {
        let indices = Self::sizes(regs, indices);
        let values: SmallVec<[Operand; 2]> = values.iter().map(|x| self.value(*x, regs)).collect();
        let Some(accumulator) = self.accumulators.get_mut(token) else {
            return Err(Stop::fault("an accumulator that has ended"));
        };
        if indices.iter().zip(&accumulator.shape).any(|(i, n)| i < &0 || i >= n) {
            return Ok(());
        }
        let Some((op, start)) = &accumulator.op else {
            for ((array, cell), value) in accumulator.arrays.iter_mut().zip(&values) {
                write(array, &indices, value, *cell)?;
            }
            return Ok(());
        };
        let mut set = |place: Place, value: Operand| match (place, value) {
            (Place::Reg(d), Operand::Scalar(x)) => regs[d as usize] = x,
            (Place::Slot(d), Operand::Array(array)) => *self.slots[d as usize] = array,
            (Place::Reg(_) | Place::Slot(_) | Place::Nowhere, _) => {}
        };
        for (place, i) in op.indices.iter().zip(&indices) {
            set(*place, Operand::Scalar(*i as u64));
        }
        for (place, (array, cell)) in op.old.iter().zip(&accumulator.arrays) {
            let Some(offset) = array.locate(indices.iter().copied()) else { return Ok(()) };
            let old = match place {
                Place::Reg(_) => Operand::Scalar(cell.load(array.bytes(), offset).unwrap_or(0)),
                // A copy, lest a view keeps the update from happening in place.
                Place::Slot(_) | Place::Nowhere => {
                    let dims = Dims::from_slice(&array.dims[indices.len()..]);
                    Operand::Array(Array { buffer: array.buffer.clone(), offset, dims }.copied(cell.width())?)
                }
            };
            set(*place, old);
        }
        for (place, value) in op.new.iter().zip(values) {
            set(*place, value);
        }
        self.calls.push((*pc, None));
        *pc = *start;
        self.pending.push((token, indices));
        Ok(())
    }

    /// Writes what the operator has yielded.
    pub(super) fn store_accumulated(&mut self, values: &[Place], regs: &[u64]) -> Result<(), Stop> {
        let Some((token, indices)) = self.pending.pop() else { return Ok(()) };
        for (k, place) in values.iter().enumerate() {
            let value = self.value(*place, regs);
            if let Place::Slot(slot) = place {
                *self.slots[*slot as usize] = Array::default();
            }
            let (array, cell) = &mut self.accumulators[token].arrays[k];
            write(array, &indices, &value, *cell)?;
        }
        Ok(())
    }
}
