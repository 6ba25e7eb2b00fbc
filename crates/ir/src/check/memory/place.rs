//! Places that follow from others ([mem] fig. 8).

use super::super::{Checked, Rule};
use super::Walk;
use crate::effects;
use crate::exp::{DimSlice, Exp};
use crate::layout::{DimRange, Layout};
use crate::mem::{Place, Space};
use crate::name::Name;
use crate::poly::Poly;
use crate::prog::{Operand, Param};
use crate::types::Type;
use rustc_hash::FxHashMap;

impl Walk<'_> {
    /// Whether a layout has the sizes of the array.
    pub(super) fn sizes(&self, name: Name, place: &Place, dims: &[Operand]) -> Checked {
        let sizes = place.layout.sizes().unwrap_or_default();
        let is_equal = |(size, dim): (&Poly, &Operand)| {
            Poly::operand(*dim).is_some_and(|dim| self.facts.poly_eq(size, &dim).is_proved())
        };
        let fits = sizes.len() == dims.len() && sizes.iter().zip(dims).all(is_equal);
        self.ensure(fits, Rule::Place, || format!("the sizes of the layout of `{name}` are not those of the array"))
    }

    /// The arrays that a function takes and yields.
    pub(super) fn boundary(&self, params: &[Param]) -> Checked {
        for param in params.iter().filter(|_| self.fun.entry.is_some()) {
            if let Type::Mem(space @ (Space::Shared | Space::Private)) = param.ty {
                let message = format!("`{}` is in `{space}` memory, where no caller has anything", param.name);
                return self.fail(Rule::Boundary, message);
            }
        }
        for (param, place) in params.iter().filter_map(|p| Some((p, p.place.as_ref()?))) {
            self.sizes(param.name, place, param.ty.dims())?;
            let is_entry = self.fun.entry.is_some();
            let offset = if is_entry { Poly::default() } else { place.layout.offset.clone() };
            let wanted = Layout::row_major_at(offset, param.ty.dims());
            let is_row_major = wanted.is_some_and(|wanted| wanted.same(&place.layout, &self.facts));
            self.ensure(is_row_major, Rule::Boundary, || {
                let where_ = if is_entry { "row-major at offset 0" } else { "row-major" };
                format!("`{}` is not {where_}, as what a function takes and yields must be", param.name)
            })?;
            let comes_along = params.iter().any(|p| p.name == place.block);
            self.ensure(comes_along || !is_entry, Rule::Boundary, || {
                format!("the block of `{}` does not come with it", param.name)
            })?;
        }
        Ok(())
    }

    /// Whether values are where parameters say, with the values in the place of the parameters ([T-MEM-RESULT]).
    pub(super) fn results(&self, values: &[Operand], params: &[Param]) -> Checked {
        let subst: FxHashMap<Name, Operand> = params.iter().map(|p| p.name).zip(values.iter().copied()).collect();
        self.placed(values, params, &subst)
    }

    pub(super) fn placed(&self, values: &[Operand], params: &[Param], subst: &FxHashMap<Name, Operand>) -> Checked {
        for (value, param) in values.iter().zip(params) {
            let (Some(array), Some(place)) = (self.array_of(*value), &param.place) else { continue };
            let is_there = substituted(place, subst).is_some_and(|place| self.is_same(&array.place, &place));
            self.ensure(is_there, Rule::ResultPlace, || {
                format!("`{value}` is at `{}`, which is not where `{}` is, `{place}`", array.place, param.name)
            })?;
        }
        Ok(())
    }

    /// Whether two places are certainly the same.
    pub(super) fn is_same(&self, a: &Place, b: &Place) -> bool {
        self.blocks.first(a.block) == self.blocks.first(b.block) && a.layout.same(&b.layout, &self.facts)
    }

    /// Whether the result of an expression without bodies is where it must be, if its place follows from others.
    pub(super) fn derived(&self, exp: &Exp, pat: &[Param]) -> Checked {
        let [param] = pat else { return Ok(()) };
        let (Type::Array(..), Some(place)) = (&param.ty, &param.place) else { return Ok(()) };
        let Some(source) = effects::viewed(exp).or(effects::over(exp, 0)) else { return Ok(()) };
        let Some(array) = self.array(source) else { return Ok(()) };
        let Some(layout) = self.derive(exp, &array.place.layout) else {
            return self.fail(
                Rule::DerivedPlace,
                format!("no layout follows for `{}` from `{}`, that of `{source}`", param.name, array.place.layout),
            );
        };
        let wanted = Place { block: array.place.block, layout };
        self.ensure(self.is_same(&wanted, place), Rule::DerivedPlace, || {
            format!("`{}` is at `{place}`, but follows from `{source}` to be at `{wanted}`", param.name)
        })
    }

    /// The layout of the result of an expression, from that of its source.
    fn derive(&self, exp: &Exp, from: &Layout) -> Option<Layout> {
        match exp {
            Exp::Index(_, indices) => from.index(&polys(indices)?),
            Exp::Slice(_, slices) => from.slice(&ranges(slices)?),
            Exp::Rearrange(perm, _) => Some(from.permute(perm)),
            Exp::Reshape(dims, _) => from.reshape(&polys(dims)?, &self.facts),
            Exp::Resize(dims, _) => from.resize(&polys(dims)?),
            Exp::FlatIndex(_, offset, dims) => {
                let dims = dims.iter().map(|(n, s)| Poly::operand(*n).zip(Poly::operand(*s)));
                from.flat(&Poly::operand(*offset)?, &dims.collect::<Option<Vec<_>>>()?)
            }
            // An alias, or what was updated.
            _ => Some(from.clone()),
        }
    }
}

pub(super) fn polys(operands: &[Operand]) -> Option<Vec<Poly>> {
    operands.iter().map(|x| Poly::operand(*x)).collect()
}

pub(super) fn ranges(slices: &[DimSlice]) -> Option<Vec<DimRange>> {
    let range = |slice: &DimSlice| match slice {
        DimSlice::Fix(i) => Some(DimRange::Fix(Poly::operand(*i)?)),
        DimSlice::Range { start, len, stride } => {
            let [start, len, stride] = [start, len, stride].map(|x| Poly::operand(*x));
            Some(DimRange::Range { start: start?, len: len?, stride: stride? })
        }
    };
    slices.iter().map(range).collect()
}

/// A place with other operands in the place of names.
pub(super) fn substituted(place: &Place, subst: &FxHashMap<Name, Operand>) -> Option<Place> {
    let block = match subst.get(&place.block) {
        None => place.block,
        Some(operand) => operand.name()?,
    };
    let get = |name: Name| subst.get(&name).and_then(|x| Poly::operand(*x));
    let layout = place.layout.map(&mut |poly| Some(poly.replace(get).unwrap_or_else(|| poly.clone())))?;
    Some(Place { block, layout })
}
