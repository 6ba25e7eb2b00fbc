//! Views, which are nothing, and the arrays that statements make, which are written to the places of their binders.

use super::{Array, Lower, order};
use crate::{Exp, Side, Stm, Traced, table};
use kenaz_base::{Prim, Symbol};
use kenaz_ir as ir;
use kenaz_ir::layout::{Dim, Pair};
use kenaz_ir::scope::Atom;
use kenaz_ir::{BinOp, DimSlice, Layout, Operand, Place, Poly, Scalar, Space, Type};
use std::sync::Arc;

/// Arrays of at most this many elements, if that is known, are copied one by one.
const COPIED_ONE_BY_ONE: i128 = 4;

/// Array literals of constants with fewer elements are stored one by one.
const SMALLEST_TABLE: usize = 32;

/// A part of an array: what is taken of each dimension.
pub(super) struct Region {
    pub array: Array,
    pub dims: Vec<Part>,
}

pub(super) enum Part {
    At(Poly),
    Range { start: Poly, len: Poly, stride: Poly },
}

impl Region {
    fn sizes(&self) -> Vec<Poly> {
        let len = |part: &Part| match part {
            Part::At(_) => None,
            Part::Range { len, .. } => Some(len.clone()),
        };
        self.dims.iter().filter_map(len).collect()
    }
}

impl Lower<'_> {
    /// An element is loaded, anything else is a view.
    pub(super) fn view(&mut self, stm: &ir::Stm) {
        let [param] = &stm.pat[..] else { return };
        let Type::Prim(prim) = param.ty else { return self.bind_arrays(&stm.pat) };
        let (array, index) = match &stm.exp {
            ir::Exp::Index(array, index) => (*array, index.clone()),
            ir::Exp::Slice(array, dims) => {
                let start = |dim: &DimSlice| match dim {
                    DimSlice::Fix(i) => *i,
                    DimSlice::Range { start, .. } => *start,
                };
                (*array, dims.iter().map(start).collect())
            }
            _ => return,
        };
        let array = self.array(array);
        let index: Vec<Poly> = index.iter().map(|i| self.size(*i)).collect();
        let value = self.load(&array, &index);
        debug_assert_eq!(value.prim(), prim);
        self.bind(param.name, value);
    }

    /// An `i64` that is an index.
    pub(super) fn load(&mut self, array: &Array, index: &[Poly]) -> Exp {
        let address = self.address(&array.place.layout, index);
        let index = self.index(&address);
        Exp::load(array.place.block, array.prim, index)
    }

    pub(super) fn store(&mut self, array: &Array, index: &[Poly], value: Exp) {
        let address = self.address(&array.place.layout, index);
        let index = self.index(&address);
        self.push(Stm::Store { block: array.place.block, prim: array.prim, index, value });
    }

    /// Writes a new or updated array.
    pub(super) fn make(&mut self, stm: &ir::Stm) {
        let Some(to) = stm.pat.first().map(|param| self.array(param.name)) else { return };
        match &stm.exp {
            ir::Exp::Update(array, dims, value) => {
                let array = self.array(*array);
                let dims = dims.iter().map(|dim| self.part(dim)).collect();
                self.write(&Region { array, dims }, *value);
            }
            ir::Exp::FlatUpdate(array, offset, strides, value) => {
                let (array, value) = (self.array(*array), self.array(*value));
                let offset = self.size(*offset);
                let strides: Vec<Poly> = strides.iter().map(|s| self.size(*s)).collect();
                self.flat_update(&array, &offset, &strides, &value);
            }
            ir::Exp::Array(elems, _) => {
                if let Some(values) = self.constants(elems) {
                    return self.write_table(&to, values);
                }
                for (at, elem) in (0i128..).zip(elems) {
                    let region = self.row_of(&to, vec![Poly::constant(at)]);
                    self.write(&region, *elem);
                }
            }
            ir::Exp::Iota { start, stride, prim, .. } => self.iota(&to, *start, *stride, *prim),
            ir::Exp::Replicate(dims, value) => {
                let sizes: Vec<Poly> = dims.iter().map(|n| self.size(*n)).collect();
                self.fill(&to, &sizes, *value);
            }
            ir::Exp::Concat(_, parts) => self.concat(&to, parts),
            ir::Exp::Copy(from) => {
                let from = self.array(*from);
                self.copy(&to, &from);
            }
            // The elements of `scratch` are not defined.
            _ => {}
        }
    }

    /// The elements of an array literal that is worth a table.
    fn constants(&self, elems: &[Operand]) -> Option<Arc<[Scalar]>> {
        let constant = |x: &Operand| match self.scope.scalar(*x) {
            Some(Atom::Const(c)) if table::is_plain(c) => Some(c),
            _ => None,
        };
        if elems.len() < SMALLEST_TABLE { None } else { elems.iter().map(constant).collect() }
    }

    fn write_table(&mut self, to: &Array, values: Arc<[Scalar]>) {
        let len = Operand::i64(i64::try_from(values.len()).unwrap_or(i64::MAX));
        let Some(layout) = Layout::row_major(&[len]) else { return };
        let name = self.fresh("table");
        self.push(Stm::Table { name, prim: to.prim, values });
        let from = Array { prim: to.prim, sizes: to.sizes.clone(), place: Place { block: name, layout } };
        self.copy(to, &from);
    }

    fn part(&self, dim: &DimSlice) -> Part {
        match dim {
            DimSlice::Fix(i) => Part::At(self.size(*i)),
            DimSlice::Range { start, len, stride } => {
                Part::Range { start: self.size(*start), len: self.size(*len), stride: self.size(*stride) }
            }
        }
    }

    /// The row of an array at an index.
    pub(super) fn row_of(&self, array: &Array, index: Vec<Poly>) -> Region {
        let whole = |n: &Poly| Part::Range { start: Poly::default(), len: n.clone(), stride: Poly::constant(1) };
        let rest = array.sizes[index.len().min(array.sizes.len())..].iter().map(whole);
        Region { dims: index.into_iter().map(Part::At).chain(rest).collect(), array: array.clone() }
    }

    /// Puts a scalar or an array where it should be, unless it is there.
    pub(super) fn write(&mut self, region: &Region, value: Operand) {
        if let Some(value) = self.array_operand(value) {
            return self.write_array(region, &value);
        }
        let value = self.operand(value);
        let at = |part: &Part| match part {
            Part::At(i) => i.clone(),
            Part::Range { start, .. } => start.clone(),
        };
        let index: Vec<Poly> = region.dims.iter().map(at).collect();
        self.store(&region.array, &index, value);
    }

    /// The same, element by element, where other chunks may write to the same elements.
    pub(super) fn race(&mut self, region: &Region, value: Operand) {
        let value_array = self.array_operand(value);
        self.nest(&region.sizes(), &[], None, |cx, inner| {
            let x = match &value_array {
                Some(array) => cx.load(array, inner),
                None => cx.operand(value),
            };
            let mut inner = inner.iter();
            let index = |part: &Part| match part {
                Part::At(i) => i.clone(),
                // The whole dimension.
                Part::Range { .. } => inner.next().cloned().unwrap_or_default(),
            };
            let index: Vec<Poly> = region.dims.iter().map(index).collect();
            let address = cx.address(&region.array.place.layout, &index);
            let index = cx.index(&address);
            cx.push(Stm::Race { block: region.array.place.block, prim: region.array.prim, index, value: x });
        });
    }

    pub(super) fn write_array(&mut self, region: &Region, value: &Array) {
        if let Some(layout) = self.region_layout(region) {
            let place = Place { block: region.array.place.block, layout };
            let to = Array { prim: value.prim, sizes: value.sizes.clone(), place };
            return self.copy(&to, value);
        }
        // A part of a nested dimension is no layout: its elements are copied one by one.
        self.nest(&region.sizes(), &[region.array.place.block], None, |cx, index| {
            let x = cx.load(value, index);
            let mut inner = index.iter();
            let mut at = Vec::with_capacity(region.dims.len());
            for part in &region.dims {
                at.push(match part {
                    Part::At(i) => i.clone(),
                    Part::Range { start, stride, .. } => {
                        let i = inner.next().cloned().unwrap_or_default();
                        let distance = cx.times(&i, stride);
                        cx.plus(start, &distance)
                    }
                });
            }
            cx.store(&region.array, &at, x);
        });
    }

    /// The layout of a region, if it is one.
    fn region_layout(&mut self, region: &Region) -> Option<Layout> {
        let layout = &region.array.place.layout;
        let mut start_index = Vec::with_capacity(region.dims.len());
        let mut dims = Vec::new();
        for (part, (dim, size)) in region.dims.iter().zip(layout.dims.iter().zip(&region.array.sizes)) {
            match part {
                Part::At(i) => start_index.push(i.clone()),
                Part::Range { start, len, stride } => {
                    start_index.push(start.clone());
                    let is_whole = start.is_zero() && stride.as_constant() == Some(1) && self.scope.equal(len, size);
                    match dim.stride() {
                        _ if is_whole => dims.push(dim.clone()),
                        Some(distance) => dims.push(Dim::new(len.clone(), self.times(distance, stride))),
                        None => return None,
                    }
                }
            }
        }
        let offset = self.address(layout, &start_index);
        Some(Layout { offset, dims })
    }

    fn flat_update(&mut self, array: &Array, offset: &Poly, strides: &[Poly], value: &Array) {
        let layout = &array.place.layout;
        if let [dim] = &layout.dims[..]
            && let Some(distance) = dim.stride()
        {
            let start = self.address(layout, std::slice::from_ref(offset));
            let mut dims = Vec::with_capacity(strides.len());
            for (size, stride) in value.sizes.iter().zip(strides) {
                dims.push(Dim::new(size.clone(), self.times(stride, distance)));
            }
            let place = Place { block: array.place.block, layout: Layout { offset: start, dims } };
            return self.copy(&Array { prim: value.prim, sizes: value.sizes.clone(), place }, value);
        }
        self.nest(&value.sizes, &[array.place.block], None, |cx, index| {
            let x = cx.load(value, index);
            let mut at = offset.clone();
            for (i, stride) in index.iter().zip(strides) {
                let distance = cx.times(i, stride);
                at = cx.plus(&at, &distance);
            }
            cx.store(array, &[at], x);
        });
    }

    fn iota(&mut self, to: &Array, start: Operand, stride: Operand, prim: Prim) {
        let (start, stride) = (self.operand(start), self.operand(stride));
        self.nest(&to.sizes, &[to.place.block], None, |cx, index| {
            let i = cx.index(&index[0]);
            let mut value = if prim == Prim::I64 { i } else { Exp::conv(prim, i) };
            if stride != Exp::Const(one(prim)) {
                value = Exp::bin(BinOp::Mul, value, stride);
            }
            if start != Exp::Const(Scalar::zero(prim)) {
                value = Exp::bin(BinOp::Add, start, value);
            }
            cx.store(to, index, value);
        });
    }

    /// Writes a value to everywhere in the outer dimensions of an array.
    pub(super) fn fill(&mut self, to: &Array, outer: &[Poly], value: Operand) {
        // On a device a copy of rows that are all the same, since copies are made by as many threads as there are
        // elements.
        if let Operand::Var(x) = value
            && self.target.host_space == Space::Device
            && !self.in_chunk
            && to.sizes.len() > outer.len()
        {
            let mut from = self.array(x);
            let still = |size: &Poly| Dim(vec![Pair { size: size.clone(), stride: Poly::default() }]);
            let inner = std::mem::take(&mut from.place.layout.dims);
            from.place.layout.dims = outer.iter().map(still).chain(inner).collect();
            from.sizes.clone_from(&to.sizes);
            return self.copy(to, &from);
        }
        let order = order::by_stride(&to.place.layout, outer.len());
        self.nest(outer, &[to.place.block], Some(&order), |cx, index| {
            let region = cx.row_of(to, index.to_vec());
            cx.write(&region, value);
        });
    }

    fn concat(&mut self, to: &Array, parts: &[ir::Name]) {
        let mut start = Poly::default();
        for part in parts {
            let part = self.array(*part);
            let mut region = self.row_of(to, Vec::new());
            let Some(len) = part.sizes.first().cloned() else { continue };
            if let Some(first) = region.dims.first_mut() {
                *first = Part::Range { start: start.clone(), len: len.clone(), stride: Poly::constant(1) };
            }
            self.write_array(&region, &part);
            start = self.plus(&start, &len);
        }
    }

    /// Copies an array unless it is there. The places do not overlap: both arrays are alive, and no array that is alive
    /// overlaps one that is written to.
    pub(super) fn copy(&mut self, to: &Array, from: &Array) {
        if self.scope.same_place(to, from) || to.sizes.iter().any(Poly::is_zero) {
            return;
        }
        let count = to.sizes.iter().try_fold(1i128, |count, n| count.checked_mul(n.as_constant()?));
        if count.is_some_and(|count| count <= COPIED_ONE_BY_ONE) {
            return self.copy_one_by_one(to, from);
        }
        let Some(dims) = self.common_dims(to, from) else {
            let order = order::by_stride(&to.place.layout, to.sizes.len());
            return self.nest(&to.sizes, &[to.place.block], Some(&order), |cx, index| {
                let x = cx.load(from, index);
                cx.store(to, index, x);
            });
        };
        let dims: Vec<_> = dims.into_iter().filter(|(size, ..)| size.as_constant() != Some(1)).collect();
        let mut side = |array: &Array, strides: Vec<&Poly>| Side {
            block: array.place.block,
            offset: self.index(&array.place.layout.offset),
            strides: strides.into_iter().map(|stride| self.index(stride)).collect(),
        };
        let to_side = side(to, dims.iter().map(|(_, stride, _)| stride).collect());
        let from_side = side(from, dims.iter().map(|(.., stride)| stride).collect());
        let sizes = dims.iter().map(|(size, ..)| self.index(size)).collect();
        self.push(Stm::Copy { prim: to.prim, sizes, to: to_side, from: from_side });
    }

    fn copy_one_by_one(&mut self, to: &Array, from: &Array) {
        let mut indices = vec![Vec::new()];
        for n in &to.sizes {
            let n = n.as_constant().unwrap_or(0);
            let longer = |index: Vec<Poly>| (0..n).map(move |i| [&index[..], &[Poly::constant(i)]].concat());
            indices = indices.into_iter().flat_map(longer).collect();
        }
        for index in indices {
            let x = self.load(from, &index);
            self.store(to, &index, x);
        }
    }

    /// Sizes with the strides of both, where a nest of one is a dimension of the other or the same nest.
    fn common_dims(&mut self, to: &Array, from: &Array) -> Option<Vec<(Poly, Poly, Poly)>> {
        let mut common = Vec::new();
        for (a, b) in to.place.layout.dims.iter().zip(&from.place.layout.dims) {
            let (a, b) = match (a.0.len(), b.0.len()) {
                (1, 1) => {
                    common.push((a.0[0].size.clone(), a.0[0].stride.clone(), b.0[0].stride.clone()));
                    continue;
                }
                (1, _) => (self.split_dim(a, &b.0), b.0.clone()),
                (_, 1) => (a.0.clone(), self.split_dim(b, &a.0)),
                (n, m) if n == m && a.0.iter().zip(&b.0).skip(1).all(|(x, y)| self.scope.equal(&x.size, &y.size)) => {
                    (a.0.clone(), b.0.clone())
                }
                _ => return None,
            };
            common.extend(a.into_iter().zip(b).map(|(a, b)| (a.size, a.stride, b.stride)));
        }
        Some(common)
    }

    /// A dimension as a nest of the given sizes.
    fn split_dim(&mut self, dim: &Dim, like: &[Pair]) -> Vec<Pair> {
        let mut stride = dim.0[0].stride.clone();
        let mut pairs = Vec::with_capacity(like.len());
        for pair in like.iter().rev() {
            pairs.push(Pair { size: pair.size.clone(), stride: stride.clone() });
            stride = self.times(&stride, &pair.size);
        }
        pairs.reverse();
        pairs
    }

    /// Loops over all indices of a shape, in the given order of its dimensions, which write to arrays in these blocks.
    pub(super) fn nest(
        &mut self,
        sizes: &[Poly],
        results: &[ir::Name],
        order: Option<&[usize]>,
        f: impl FnOnce(&mut Self, &[Poly]),
    ) {
        let mut loops: Vec<(ir::Name, usize, Exp)> = Vec::with_capacity(sizes.len());
        for at in 0..sizes.len() {
            let dim = order.map_or(at, |order| order[at]);
            loops.push((self.fresh("i"), dim, self.index(&sizes[dim])));
        }
        let mut index = vec![Poly::default(); sizes.len()];
        for (var, dim, _) in &loops {
            index[*dim] = Poly::name(*var);
        }
        let loops: Vec<(ir::Name, Exp)> = loops.into_iter().map(|(var, _, bound)| (var, bound)).collect();
        match self.width {
            Some(width) if !loops.is_empty() => self.nest_by_lanes(width, loops, results, |cx| f(cx, &index)),
            _ => self.loops(loops, Some(results), |cx| f(cx, &index)),
        }
    }

    /// Loops with `i64` indices, the outermost first. See [`Lower::for_loop`].
    pub(super) fn loops(
        &mut self,
        mut vars: Vec<(ir::Name, Exp)>,
        results: Option<&[ir::Name]>,
        f: impl FnOnce(&mut Self),
    ) {
        vars.reverse();
        self.loops_from(vars, results, Box::new(f));
    }

    fn loops_from<'f>(
        &mut self,
        mut vars: Vec<(ir::Name, Exp)>,
        results: Option<&[ir::Name]>,
        f: Box<dyn FnOnce(&mut Self) + 'f>,
    ) {
        match vars.pop() {
            None => f(self),
            Some((var, bound)) => {
                self.for_loop(var, Prim::I64, bound, results, |cx| cx.loops_from(vars, results, f));
            }
        }
    }

    /// Prints an array; one that is not row-major is copied first.
    pub(super) fn trace_array(&mut self, tag: Symbol, array: &Array) {
        let mut stride = Poly::constant(1);
        let mut dims = Vec::with_capacity(array.sizes.len());
        for n in array.sizes.iter().rev() {
            dims.push(Dim::new(n.clone(), stride.clone()));
            stride = self.times(&stride, n);
        }
        dims.reverse();
        let offset = array.place.layout.offset.clone();
        let block = array.place.block;
        let mut row_major = Array { place: Place { block, layout: Layout { offset, dims } }, ..array.clone() };
        let is_copied = !self.scope.same_place(&row_major, array);
        if is_copied {
            let name = self.fresh("traced");
            let bytes = self.times(&stride, &Poly::constant(array.prim.bytes() as i128));
            let bytes = self.index(&bytes);
            self.push(Stm::Alloc { name, space: self.target.host_space, bytes });
            row_major.place.block = name;
            row_major.place.layout.offset = Poly::default();
            self.copy(&row_major, array);
        }
        let value = Traced::Array {
            block: row_major.place.block,
            prim: array.prim,
            offset: self.index(&row_major.place.layout.offset),
            sizes: array.sizes.iter().map(|n| self.index(n)).collect(),
        };
        self.push(Stm::Trace { tag, value });
        if is_copied {
            self.push(Stm::Free { name: row_major.place.block });
        }
    }
}

fn one(prim: Prim) -> Scalar {
    Scalar::from_bits(prim, 1)
}
