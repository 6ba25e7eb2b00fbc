//! Statements with arrays: those that make one write it to its place, views have one already.

use super::blocks::Contents;
use super::lmad::{Cut, Elements, Lmad, Pair};
use super::machine::{Array, Item, Machine};
use super::race::Access;
use crate::array::{self, Cell};
use crate::error::Stop;
use crate::{binary, convert};
use kenaz_base::Prim;
use kenaz_ir::{BinOp, DimSlice, Exp, Operand, Param};
use smallvec::SmallVec;
use std::rc::Rc;

impl Machine<'_> {
    pub(super) fn array_statement(&mut self, pat: &Param, exp: &Exp) -> Result<(), Stop> {
        match exp {
            // Views
            Exp::Index(name, indices) => {
                let array = self.array(*name)?;
                let indices = self.i64s(indices);
                if indices.len() == array.layout.rank() {
                    let at = array.layout.at(&indices).ok_or_else(out_of_bounds)?;
                    let bits = self.heap.load(array.label, array.cell(), at)?;
                    self.set(pat.name, bits);
                    return Ok(());
                }
                let row = array.layout.row(&indices).ok_or_else(out_of_bounds)?;
                self.bind_view(pat, array.label, array.prim, &Elements::Layout(row))
            }
            Exp::Slice(name, dims) => {
                let array = self.array(*name)?;
                let part = array.layout.slice(&self.cuts(dims)).ok_or_else(out_of_bounds)?;
                match &part {
                    Elements::Layout(element) if element.rank() == 0 => {
                        let bits = self.heap.load(array.label, array.cell(), element.offset)?;
                        self.set(pat.name, bits);
                        Ok(())
                    }
                    Elements::Layout(_) | Elements::List(_) => self.bind_view(pat, array.label, array.prim, &part),
                }
            }
            Exp::Rearrange(perm, name) => {
                let array = self.array(*name)?;
                let layout = array.layout.permuted(perm).ok_or_else(out_of_bounds)?;
                self.bind_view(pat, array.label, array.prim, &Elements::Layout(layout))
            }
            Exp::Reshape(_, name) | Exp::Resize(_, name) => {
                let array = self.array(*name)?;
                self.bind_view(pat, array.label, array.prim, &array.elements())
            }
            Exp::FlatIndex(name, offset, dims) => {
                let array = self.array(*name)?;
                let dims: SmallVec<[Pair; 4]> =
                    dims.iter().map(|(n, s)| Pair { size: self.i64(*n).max(0), stride: self.i64(*s) }).collect();
                let part = flat(&array.layout, self.i64(*offset), &dims).ok_or_else(out_of_bounds)?;
                self.bind_view(pat, array.label, array.prim, &part)
            }

            // Changes in place
            Exp::Update(name, dims, value) => {
                let array = self.updated(pat, *name)?;
                let part = array.layout.slice(&self.cuts(dims)).ok_or_else(out_of_bounds)?;
                match (self.item(*value)?, &part) {
                    (Item::Bits(bits), Elements::Layout(element)) if element.rank() == 0 => {
                        self.heap.store(array.label, array.cell(), element.offset, bits, Access::Write)
                    }
                    (value, _) => self.put(&value, (array.label, &part), array.cell(), Access::Write),
                }
            }
            Exp::FlatUpdate(name, offset, strides, value) => {
                let array = self.updated(pat, *name)?;
                let value = self.array(*value)?;
                let shape = value.layout.shape();
                let dims: SmallVec<[Pair; 4]> =
                    shape.iter().zip(strides).map(|(n, s)| Pair { size: *n, stride: self.i64(*s) }).collect();
                let part = flat(&array.layout, self.i64(*offset), &dims).ok_or_else(out_of_bounds)?;
                self.put(&Item::Array(value), (array.label, &part), array.cell(), Access::Write)
            }

            // New arrays
            Exp::Array(xs, _) => {
                let array = self.bind_fresh(pat)?;
                for (i, x) in xs.iter().enumerate() {
                    let item = self.item(*x)?;
                    self.put_at(&array, &[i as i64], &item, Access::Write)?;
                }
                Ok(())
            }
            Exp::Iota { len, start, stride, prim } => {
                let array = self.bind_fresh(pat)?;
                let contents = numbers(self.i64(*len).max(0), self.bits(*start), self.bits(*stride), *prim)?;
                self.heap.scatter(array.label, array.cell().width(), &array.elements(), &contents, Access::Write)
            }
            Exp::Replicate(dims, x) => {
                let array = self.bind_fresh(pat)?;
                match self.item(*x)? {
                    x @ Item::Bits(_) => self.put(&x, (array.label, &array.elements()), array.cell(), Access::Write),
                    row @ Item::Array(_) => {
                        let sizes = self.sizes(dims);
                        let n = array::count(&sizes)?;
                        for k in 0..n {
                            self.put_at(&array, &point(&sizes, k), &row, Access::Write)?;
                        }
                        Ok(())
                    }
                }
            }
            Exp::Scratch(..) => {
                let array = self.bind_fresh(pat)?;
                self.heap.forget(array.label, array.cell().width(), &array.elements())
            }
            Exp::Copy(name) => {
                let from = self.array(*name)?;
                let to = self.bind_fresh(pat)?;
                self.copy((from.label, &from.elements()), (to.label, &to.elements()), to.cell(), Access::Write)
            }
            Exp::Concat(_, names) => {
                let whole = self.bind_fresh(pat)?;
                let mut start = 0;
                for name in names {
                    let part = self.array(*name)?;
                    let shape = part.layout.shape();
                    let mut cuts = all_of(&shape);
                    let len = shape.first().copied().unwrap_or(0);
                    if let Some(first) = cuts.first_mut() {
                        *first = Cut::Range { start, len, stride: 1 };
                    }
                    start += len;
                    if part.layout.is_empty() {
                        continue;
                    }
                    let to = whole.layout.slice(&cuts).ok_or_else(out_of_bounds)?;
                    self.copy((part.label, &part.elements()), (whole.label, &to), whole.cell(), Access::Write)?;
                }
                Ok(())
            }
            _ => Err(Stop::fault("a statement without arrays where one with arrays should be")),
        }
    }

    /// The result of an update, which is where the old array is.
    fn updated(&mut self, pat: &Param, name: kenaz_ir::Name) -> Result<Rc<Array>, Stop> {
        let old = self.array(name)?;
        self.bind_view(pat, old.label, old.prim, &old.elements())?;
        self.array(pat.name)
    }

    /// Writes a value to an element or a row.
    pub(super) fn put_at(&mut self, array: &Array, indices: &[i64], item: &Item, access: Access) -> Result<(), Stop> {
        match item {
            Item::Bits(bits) if indices.len() == array.layout.rank() => {
                let at = array.layout.at(indices).ok_or_else(out_of_bounds)?;
                self.heap.store(array.label, array.cell(), at, *bits, access)
            }
            Item::Bits(_) | Item::Array(_) => {
                if array.layout.is_empty() {
                    return Ok(());
                }
                let row = array.layout.row(indices).ok_or_else(out_of_bounds)?;
                self.put(item, (array.label, &Elements::Layout(row)), array.cell(), access)
            }
        }
    }

    fn cuts(&self, dims: &[DimSlice]) -> SmallVec<[Cut; 4]> {
        let i64 = |x: Operand| self.i64(x);
        let cut = |dim: &DimSlice| match *dim {
            DimSlice::Fix(i) => Cut::Fix(i64(i)),
            DimSlice::Range { start, len, stride } => {
                Cut::Range { start: i64(start), len: i64(len), stride: i64(stride) }
            }
        };
        dims.iter().map(cut).collect()
    }
}

pub(super) fn out_of_bounds() -> Stop {
    Stop::fault("an index out of bounds that no check has found")
}

/// The indices of the `k`-th point of a space, in row-major order.
pub(super) fn point(sizes: &[i64], k: usize) -> SmallVec<[i64; 4]> {
    let mut rest = k as i64;
    let mut indices: SmallVec<[i64; 4]> = SmallVec::from_elem(0, sizes.len());
    for (i, n) in indices.iter_mut().zip(sizes).rev() {
        let n = (*n).max(1);
        *i = rest % n;
        rest /= n;
    }
    indices
}

/// Cuts that take everything.
pub(super) fn all_of(shape: &[i64]) -> SmallVec<[Cut; 4]> {
    shape.iter().map(|n| Cut::Range { start: 0, len: *n, stride: 1 }).collect()
}

/// A view of a one-dimensional array whose element `(i, …)` is the one at `offset + i*s + …`; none if that leaves the
/// array.
fn flat(layout: &Lmad, offset: i64, dims: &[Pair]) -> Option<Elements> {
    let groups = SmallVec::from_elem(1, dims.len());
    let view = Lmad { offset, pairs: SmallVec::from_slice(dims), groups };
    if view.is_empty() {
        return Some(Elements::Layout(view));
    }
    match layout.pairs[..] {
        [pair] => {
            let mut span = (offset, offset);
            for dim in dims {
                let last = (dim.size - 1).checked_mul(dim.stride)?;
                span = (span.0.checked_add(last.min(0))?, span.1.checked_add(last.max(0))?);
            }
            if span.0 < 0 || span.1 >= pair.size {
                return None;
            }
            let pairs = dims.iter().map(|dim| Pair { size: dim.size, stride: dim.stride.wrapping_mul(pair.stride) });
            let offset = layout.offset.wrapping_add(offset.wrapping_mul(pair.stride));
            Some(Elements::Layout(Lmad { offset, pairs: pairs.collect(), groups: view.groups }))
        }
        _ => {
            let mut list = Vec::with_capacity(view.len());
            let done: Result<(), ()> = view.runs(|at, n, stride| {
                for i in 0..n as i64 {
                    list.push(layout.at(&[at + i * stride]).ok_or(())?);
                }
                Ok(())
            });
            done.ok().map(|()| Elements::List(list))
        }
    }
}

/// `start`, `start + stride`, …
fn numbers(n: i64, start: u64, stride: u64, prim: Prim) -> Result<Contents, Stop> {
    let cell = Cell::of(prim);
    let mut bytes = array::allocate(n as usize, cell.width())?;
    let (to, times, plus) = (convert(Prim::I64, prim), binary(BinOp::Mul, prim), binary(BinOp::Add, prim));
    for i in 0..n {
        cell.store(&mut bytes, i, plus(start, times(to(i as u64), stride)));
    }
    Ok(Contents::of(bytes))
}
