//! The operations on whole arrays.

use super::{State, irregular, out_of_bounds, put_row};
use crate::array::{self, Array, Cell, Dim, Dims};
use crate::code::{ArrayOp, DimCode, Place, Reg, Slot};
use crate::error::Stop;
use crate::values;
use kenaz_base::Prim;
use kenaz_ir::{BinOp, Scalar};

impl State<'_> {
    /// Runs an operation; `pc` is the address of the next instruction.
    pub(super) fn operate(&mut self, op: &ArrayOp, regs: &mut [u64], pc: &mut usize) -> Result<(), Stop> {
        match op {
            ArrayOp::Rows { d, a, indices } => {
                let rows = self.rows(*a, regs, indices).ok_or_else(out_of_bounds)?;
                self.set(*d, rows);
            }
            ArrayOp::Slice { d, a, dims } => {
                let array = &self.slots[*a as usize];
                let (offset, dims) = slice(array, dims, regs)?;
                let buffer = array.buffer.clone();
                self.set(*d, Array { buffer, offset, dims });
            }
            ArrayOp::Update { a, dims, value, cell } => self.update(*a, dims, *value, *cell, regs)?,
            ArrayOp::Literal { d, elements, row, cell } => self.literal(*d, elements, row, *cell, regs)?,
            ArrayOp::Iota { d, len, start, stride, prim } => {
                let [len, start, stride] = [len, start, stride].map(|r| regs[*r as usize]);
                let array = iota(len as i64, start, stride, *prim)?;
                self.set(*d, array);
            }
            ArrayOp::Replicate { d, dims, value, cell } => {
                let mut shape = Self::sizes(regs, dims);
                let array = match value {
                    Place::Reg(x) => array::filled(*cell, regs[*x as usize], &shape)?,
                    Place::Slot(a) => {
                        let row = &self.slots[*a as usize];
                        shape.extend(row.shape());
                        let mut buffer = array::allocate(array::count(&shape)?, cell.width())?;
                        if !buffer.is_empty() {
                            put_row(row, cell.width(), &mut buffer, 0)?;
                            array::repeat(&mut buffer, row.len() * cell.width());
                        }
                        Array::new(buffer, &shape)
                    }
                    Place::Nowhere => return Err(Stop::fault("an array of accumulators")),
                };
                self.set(*d, array);
            }
            ArrayOp::Scratch { d, dims, cell } => {
                let shape = Self::sizes(regs, dims);
                let buffer = array::allocate(array::count(&shape)?, cell.width())?;
                self.set(*d, Array::new(buffer, &shape));
            }
            ArrayOp::Concat { d, arrays, cell } => self.concat(*d, arrays, *cell)?,
            ArrayOp::Rearrange { d, a, perm } => {
                let array = &self.slots[*a as usize];
                let dims: Option<Dims> = perm.iter().map(|i| array.dims.get(*i).copied()).collect();
                let dims = dims.ok_or_else(|| Stop::fault("a permutation of too many dimensions"))?;
                let (buffer, offset) = (array.buffer.clone(), array.offset);
                self.set(*d, Array { buffer, offset, dims });
            }
            ArrayOp::Reshape { d, a, dims, cell } => {
                let array = &self.slots[*a as usize];
                let shape = Self::sizes(regs, dims);
                if array::count(&shape)? != array.len() {
                    return Err(Stop::fault("a reshape to another number of elements"));
                }
                let new = match array::reshaped(&array.dims, &shape) {
                    Some(dims) => Array { buffer: array.buffer.clone(), offset: array.offset, dims },
                    None => Array { dims: array::row_major(&shape), ..array.copied(cell.width())? },
                };
                self.set(*d, new);
            }
            ArrayOp::Copy { d, a, cell } => {
                let array = self.slots[*a as usize].copied(cell.width())?;
                self.set(*d, array);
            }
            ArrayOp::Flat { d, a, offset, dims } => {
                let array = &self.slots[*a as usize];
                let stride = array.dims.first().map_or(1, |dim| dim.stride);
                let offset = array.offset + regs[*offset as usize] as i64 * stride;
                let dims = dims
                    .iter()
                    .map(|(n, s)| Dim { size: regs[*n as usize] as i64, stride: regs[*s as usize] as i64 * stride })
                    .collect();
                let buffer = array.buffer.clone();
                self.set(*d, Array { buffer, offset, dims });
            }
            ArrayOp::FlatUpdate { a, offset, strides, value, cell } => {
                let value = (*self.slots[*value as usize]).clone();
                let array = &mut self.slots[*a as usize];
                array.unique(cell.width())?;
                let at = array.offset + regs[*offset as usize] as i64;
                let dims: Dims = (value.dims.iter().zip(strides))
                    .map(|(dim, s)| Dim { size: dim.size, stride: regs[*s as usize] as i64 })
                    .collect();
                let buffer = array.unique(cell.width())?;
                array::copy(cell.width(), value.bytes(), value.offset, &value.dims, buffer, at, &dims)?;
            }

            ArrayOp::Build { out, shape, cell } => {
                let shape = Self::sizes(regs, shape);
                self.builders[*out as usize] = array::allocate(array::count(&shape)?, cell.width())?;
            }
            ArrayOp::Built { d, out, shape, cell } => {
                let shape = Self::sizes(regs, shape);
                self.finish(*d, *out, &shape, *cell)?;
            }
            ArrayOp::ScatterMany { a, indices, value, cell } => {
                let indices = Self::sizes(regs, indices);
                self.write(*a, &indices, *value, *cell, regs)?;
            }
            ArrayOp::InBounds { d, a, indices } => {
                let indices = indices.iter().map(|i| regs[*i as usize] as i64);
                regs[*d as usize] = u64::from(self.slots[*a as usize].locate(indices).is_some());
            }
            ArrayOp::CopyRow { d, a, indices, cell } => {
                let row = self.rows(*a, regs, indices).ok_or_else(out_of_bounds)?.copied(cell.width())?;
                self.set(*d, row);
            }

            ArrayOp::AccBegin { token, shape, dests, op } => {
                regs[*token as usize] = self.begin(Self::sizes(regs, shape), dests, op.as_ref(), *pc);
            }
            ArrayOp::AccEnd { dests } => self.end(dests),
            ArrayOp::AccUpdate { token, indices, values } => {
                self.accumulate(regs[*token as usize] as usize, indices, values, regs, pc)?;
            }
            ArrayOp::AccStore { values } => self.store_accumulated(values, regs)?,

            ArrayOp::Trace { tag, value, prim } => {
                let text = match value {
                    Place::Reg(x) => values::typed(Scalar::from_bits(*prim, regs[*x as usize])),
                    Place::Slot(a) => values::from_array(&self.slots[*a as usize], *prim)?.to_string(),
                    Place::Nowhere => "#<accumulator>".to_string(),
                };
                let tag = if tag.is_empty() { "Trace" } else { tag };
                // A trace that nobody can read is no reason to stop.
                let _ = writeln!(self.trace, "{tag}: {text}");
            }
        }
        Ok(())
    }

    /// A view of what is at the indices of the outer dimensions, if they are in bounds.
    fn rows(&self, a: Slot, regs: &[u64], indices: &[Reg]) -> Option<Array> {
        let array = &self.slots[a as usize];
        let offset = array.locate(indices.iter().map(|i| regs[*i as usize] as i64))?;
        let dims = Dims::from_slice(array.dims.get(indices.len()..)?);
        Some(Array { buffer: array.buffer.clone(), offset, dims })
    }

    fn update(&mut self, a: Slot, dims: &[DimCode], value: Place, cell: Cell, regs: &[u64]) -> Result<(), Stop> {
        let width = cell.width();
        // The value is taken out of its slot for a moment, since it may be a view of the array, which then is copied.
        let value_array = match value {
            Place::Slot(slot) => (*self.slots[slot as usize]).clone(),
            Place::Reg(_) | Place::Nowhere => Array::default(),
        };
        let array = &mut self.slots[a as usize];
        array.unique(width)?;
        let (offset, dims) = slice(array, dims, regs)?;
        let buffer = array.unique(width)?;
        match value {
            Place::Reg(x) if dims.is_empty() => {
                if cell.store(buffer, offset, regs[x as usize]) {
                    Ok(())
                } else {
                    Err(out_of_bounds())
                }
            }
            Place::Slot(_) => {
                array::copy(width, value_array.bytes(), value_array.offset, &value_array.dims, buffer, offset, &dims)
            }
            Place::Reg(_) | Place::Nowhere => Err(Stop::fault("an update of a slice by a scalar")),
        }
    }

    /// Writes a value at indices of the outer dimensions, unless they are out of bounds.
    pub(super) fn write(
        &mut self,
        a: Slot,
        indices: &[i64],
        value: Place,
        cell: Cell,
        regs: &[u64],
    ) -> Result<(), Stop> {
        let value = self.value(value, regs);
        write(&mut self.slots[a as usize], indices, &value, cell)
    }

    pub(super) fn value(&self, value: Place, regs: &[u64]) -> Operand {
        match value {
            Place::Reg(x) => Operand::Scalar(regs[x as usize]),
            Place::Slot(slot) => Operand::Array((*self.slots[slot as usize]).clone()),
            Place::Nowhere => Operand::Scalar(0),
        }
    }

    fn literal(&mut self, d: Slot, elements: &[Place], row: &[Reg], cell: Cell, regs: &[u64]) -> Result<(), Stop> {
        let width = cell.width();
        let mut shape = Self::sizes(regs, row);
        let row_len = array::count(&shape)?;
        shape.insert(0, elements.len() as i64);
        let mut buffer = array::allocate(array::count(&shape)?, width)?;
        for (i, element) in elements.iter().enumerate() {
            match element {
                Place::Reg(x) => {
                    cell.store(&mut buffer, i as i64, regs[*x as usize]);
                }
                Place::Slot(a) => {
                    let array = &self.slots[*a as usize];
                    if array.len() != row_len {
                        return Err(irregular());
                    }
                    put_row(array, width, &mut buffer, (i * row_len) as i64)?;
                }
                Place::Nowhere => return Err(Stop::fault("an array of accumulators")),
            }
        }
        self.set(d, Array::new(buffer, &shape));
        Ok(())
    }

    fn concat(&mut self, d: Slot, arrays: &[Slot], cell: Cell) -> Result<(), Stop> {
        let width = cell.width();
        let parts = || arrays.iter().map(|a| &*self.slots[*a as usize]);
        let mut shape = parts().next().map(Array::shape).unwrap_or_default();
        let total = parts().map(|part| part.dims.first().map_or(0, |dim| dim.size)).sum();
        if let Some(outer) = shape.first_mut() {
            *outer = total;
        }
        let mut buffer = array::allocate(array::count(&shape)?, width)?;
        let mut at = 0;
        for part in parts() {
            put_row(part, width, &mut buffer, at)?;
            at += part.len() as i64;
        }
        self.set(d, Array::new(buffer, &shape));
        Ok(())
    }
}

/// A value that is written somewhere.
pub(super) enum Operand {
    Scalar(u64),
    Array(Array),
}

pub(super) fn write(array: &mut Array, indices: &[i64], value: &Operand, cell: Cell) -> Result<(), Stop> {
    if array.locate(indices.iter().copied()).is_none() {
        return Ok(());
    }
    array.unique(cell.width())?;
    let at = array.locate(indices.iter().copied()).ok_or_else(out_of_bounds)?;
    let dims = Dims::from_slice(&array.dims[indices.len()..]);
    let buffer = array.unique(cell.width())?;
    match value {
        Operand::Scalar(x) => {
            if cell.store(buffer, at, *x) {
                Ok(())
            } else {
                Err(out_of_bounds())
            }
        }
        Operand::Array(value) => array::copy(cell.width(), value.bytes(), value.offset, &value.dims, buffer, at, &dims),
    }
}

/// The place and layout of a slice. One without elements may lie anywhere.
fn slice(array: &Array, slices: &[DimCode], regs: &[u64]) -> Result<(i64, Dims), Stop> {
    let mut offset = array.offset;
    let mut dims = Dims::new();
    let get = |r: Reg| regs[r as usize] as i64;
    for (code, dim) in slices.iter().zip(&array.dims) {
        match *code {
            DimCode::Fix(i) => {
                let i = get(i);
                if i < 0 || i >= dim.size {
                    return Err(out_of_bounds());
                }
                offset += i * dim.stride;
            }
            DimCode::Range { start, len, stride } => {
                let (start, len, stride) = (get(start), get(len).max(0), get(stride));
                if len > 0 {
                    let last = i128::from(start) + i128::from(len - 1) * i128::from(stride);
                    let bounds = 0..i128::from(dim.size);
                    if !bounds.contains(&start.into()) || !bounds.contains(&last) {
                        return Err(out_of_bounds());
                    }
                    offset += start * dim.stride;
                }
                dims.push(Dim { size: len, stride: stride.wrapping_mul(dim.stride) });
            }
        }
    }
    dims.extend_from_slice(&array.dims[slices.len().min(array.dims.len())..]);
    Ok((offset, dims))
}

fn iota(len: i64, start: u64, stride: u64, prim: Prim) -> Result<Array, Stop> {
    let cell = Cell::of(prim);
    let mut buffer = array::allocate(array::count(&[len])?, cell.width())?;
    let add = crate::scalar::binary(BinOp::Add, prim);
    let mut x = start;
    for i in 0..len {
        cell.store(&mut buffer, i, x);
        x = add(x, stride);
    }
    Ok(Array::new(buffer, &[len]))
}
