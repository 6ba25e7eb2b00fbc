//! Views of what a map makes become maps over views of its arrays, so that the map reaches those who take the view.
//!
//! ```text
//! let b = map n (a) \…              ⇒  let c = slice a[0 :+ k * 1]
//! let d = slice b[0 :+ k * 1]           let d = map k (c) \…
//! ```
//!
//! The map must have no other use. What would not be computed any more must not be able to fail.

use super::graph::Refusal;
use super::merge::{is_materialised, is_pinned};
use kenaz_base::Prim;
use kenaz_ir::effects::{self, Cost, Fails};
use kenaz_ir::visit::{Visit, bound_in_body};
use kenaz_ir::{Attr, BinOp, Body, DimSlice, Exp, Fresh, Lambda, Name, Operand, Param, Soac, Stm, Type};
use rustc_hash::FxHashSet;

/// The array of which an expression is a view that can go into the map that makes it.
pub(super) fn viewed(exp: &Exp) -> Option<Name> {
    match exp {
        Exp::Index(a, _) | Exp::Slice(a, _) | Exp::Resize(_, a) | Exp::Rearrange(_, a) | Exp::Reshape(_, a) => Some(*a),
        _ => None,
    }
}

/// Whether the rewrite is worth it even if no operator takes the view: less is computed.
pub(super) fn saves_work(exp: &Exp) -> bool {
    matches!(exp, Exp::Index(..) | Exp::Slice(..))
}

/// The parts of a statement that is a map and nothing else, with one result.
pub(super) struct Map<'a> {
    pub width: Operand,
    pub arrays: &'a [Name],
    pub map: &'a Lambda,
    pub stm: &'a Stm,
}

pub(super) fn map(stm: &Stm) -> Option<Map<'_>> {
    match &stm.exp {
        Exp::Soac(Soac::Screma { width, arrays, map, scans, reduces, post: None })
            if scans.is_empty()
                && reduces.is_empty()
                && stm.pat.len() == 1
                && !map.params.iter().any(Param::is_consumable)
                && !is_pinned(stm)
                && !is_materialised(stm) =>
        {
            Some(Map { width: *width, arrays, map, stm })
        }
        _ => None,
    }
}

/// The rule by which a view of a map's result can be had otherwise.
pub(super) fn allowed(maker: &Stm, view: &Stm) -> Result<&'static str, Refusal> {
    let Some(made) = map(maker) else { return Err("the array is not made by a map alone") };
    let row = &made.map.ret[0];
    if !view.attrs.is_free() {
        return Err("the view is marked by the user");
    }
    match &view.exp {
        Exp::Index(_, indices) if !indices.is_empty() => {
            if view.pat.iter().any(|p| p.ty.is_array()) {
                return Err("the row would lie in the arrays of the map");
            }
            if effects::any(&made.map.body, may_stop) {
                return Err("the elements that are not read might fail");
            }
            Ok("fuse-map-index")
        }
        Exp::Slice(_, dims) => {
            let [DimSlice::Range { .. }, rest @ ..] = &dims[..] else { return Err("the slice has no outer range") };
            if rest.len() != row.rank() || (!is_whole(rest, row) && view.pat[0].ty.rank() < 2) {
                return Err("the slice takes single elements of rows");
            }
            if effects::any(&made.map.body, may_stop) {
                return Err("the elements that are not read might fail");
            }
            Ok("fuse-map-slice")
        }
        Exp::Resize(dims, _) if dims.get(1..) == Some(row.dims()) => Ok("fuse-map-resize"),
        Exp::Rearrange(perm, _) => {
            let swaps = perm.starts_with(&[1, 0]) && perm.iter().skip(2).copied().eq(2..perm.len());
            match nest(&made) {
                Some(_) if swaps => Ok("fuse-map-transpose"),
                None if swaps && Loose::of(&made).is_some() => Ok("fuse-map-transpose"),
                _ => Err("it is not a nest of two maps that is transposed"),
            }
        }
        Exp::Reshape(dims, _) => {
            if split(dims, row).is_some() {
                return Ok("fuse-map-unflatten");
            }
            let Some(inner) = nest(&made) else { return Err("it is not a nest of two maps that is flattened") };
            let flattens = dims.get(1..) == Some(inner.map.ret[0].dims());
            if !flattens {
                return Err("more than the two maps is flattened");
            }
            let (outer, inner) = (&maker.attrs, &inner.stm.attrs);
            let differ = outer.has(Attr::SequentialOuter) || inner.0.iter().any(|attr| attr.is_strategy());
            if differ && !outer.has(Attr::Sequential) {
                return Err("an attribute says that one of the maps is to run in sequence");
            }
            Ok("fuse-map-flatten")
        }
        _ => Err("it is no view"),
    }
}

/// The dimensions, more than one, that a reshaping makes of the outer one, leaving rows as they are.
pub(super) fn split<'a>(dims: &'a [Operand], row: &Type) -> Option<&'a [Operand]> {
    let count = dims.len().checked_sub(row.rank()).filter(|count| *count > 1)?;
    (dims[count..] == *row.dims()).then_some(&dims[..count])
}

/// Whether an operator takes an array row by row, through `levels` nested operators.
pub(super) fn takes_rows(exp: &Exp, array: Name, levels: usize) -> bool {
    let (mut exp, mut array) = (exp, array);
    for level in 0..levels {
        let Exp::Soac(Soac::Screma { arrays, map, .. }) = exp else { return false };
        let mut params = arrays.iter().zip(&map.params).filter(|(a, _)| **a == array);
        let (Some((_, param)), None) = (params.next(), params.next()) else { return false };
        if level + 1 == levels {
            break;
        }
        let rows: FxHashSet<Name> = [param.name].into_iter().collect();
        let uses = |stm: &&Stm| {
            let mut used = false;
            kenaz_ir::visit::for_each_use(&stm.exp, |name| used |= name == param.name);
            used
        };
        let mut users = map.body.stms.iter().filter(uses);
        let (Some(user), None) = (users.next(), users.next()) else { return false };
        let otherwise = match &user.exp {
            Exp::Soac(Soac::Screma { map, .. }) => uses_any(&map.body, &rows),
            _ => true,
        };
        if otherwise || map.body.results.contains(&param.name.into()) {
            return false;
        }
        (exp, array) = (&user.exp, param.name);
    }
    true
}

/// Whether the slice is all of a row.
fn is_whole(dims: &[DimSlice], row: &Type) -> bool {
    let whole = |(dim, size): (&DimSlice, &Operand)| match dim {
        DimSlice::Range { start, len, stride } => {
            *start == Operand::i64(0) && len == size && *stride == Operand::i64(1)
        }
        DimSlice::Fix(_) => false,
    };
    dims.iter().zip(row.dims()).all(whole)
}

/// The map that is all that the function of a map does.
pub(super) fn nest<'a>(outer: &Map<'a>) -> Option<Map<'a>> {
    let [stm] = &outer.map.body.stms[..] else { return None };
    let inner = map(stm)?;
    let yields = outer.map.body.results == [Operand::Var(stm.pat[0].name)];
    // Its width must mean the same outside.
    let params = |name: Name| outer.map.params.iter().any(|p| p.name == name);
    let outside = |x: &Operand| !x.name().is_some_and(params);
    let fixed = inner.arrays.iter().all(|a| !is_bound(&inner.map.body, *a));
    (yields && fixed && outside(&inner.width) && inner.map.ret[0].dims().iter().all(outside)).then_some(inner)
}

/// The most statements in front of the inner map of a nest that are not perfect.
const LOOSE: usize = 16;

/// A nest of two maps with some scalars and views of rows between them:
///
/// ```text
/// map n (is) \i -> {                        map n (is) \i -> {
///   let k = add i 1                            map m (js) \j -> {
///   let row = index a[k]                  ⇒     let k = add i 1
///   map m (row) \x -> {…}                       let x = index a[k, j]
/// }                                              …
///                                              }
///                                            }
/// ```
struct Loose<'a> {
    inner: Map<'a>,
    scalars: Vec<&'a Stm>,
    /// For each array of the inner map, which row it is if it is a view.
    rows: Vec<Option<Row>>,
}

/// A row of an array by its indices; there is none for the index into the row.
#[derive(Clone)]
struct Row {
    array: Name,
    places: Vec<Option<Operand>>,
}

impl<'a> Loose<'a> {
    fn of(outer: &Map<'a>) -> Option<Loose<'a>> {
        let body = &outer.map.body;
        let (last, before) = body.stms.split_last()?;
        let inner = map(last)?;
        if before.len() > LOOSE || body.results != [Operand::Var(last.pat[0].name)] || !last.attrs.is_free() {
            return None;
        }
        let (mut scalars, mut views) = (Vec::new(), Vec::new());
        for stm in before {
            let [param] = &stm.pat[..] else { return None };
            if !stm.certs.is_empty() || !stm.attrs.is_free() {
                return None;
            }
            if param.ty.is_array() {
                views.push((param.name, row(stm)?));
            } else if is_cheap(stm) {
                scalars.push(stm);
            } else {
                return None;
            }
        }
        let names: FxHashSet<Name> = views.iter().map(|(name, _)| *name).collect();
        let bound: FxHashSet<Name> = bound_in_body(body).into_iter().collect();
        let inside = |x: &Operand| x.name().is_some_and(|name| bound.contains(&name));
        let of_outer = |x: &Operand| x.name().is_some_and(|name| outer.map.params.iter().any(|p| p.name == name));
        let mut sizes = inner.map.ret[0].dims().iter().copied().chain([inner.width]);
        if uses_any(&inner.map.body, &names) || sizes.any(|x| inside(&x) || of_outer(&x)) {
            return None;
        }
        let find = |array: &Name| views.iter().find(|(name, _)| name == array).map(|(_, row)| row.clone());
        let rows: Vec<Option<Row>> = inner.arrays.iter().map(find).collect();
        let is_known = |(array, row): (&Name, &Option<Row>)| match row {
            Some(row) => !bound.contains(&row.array),
            None => !bound.contains(array),
        };
        let all_known = inner.arrays.iter().zip(&rows).all(is_known);
        all_known.then_some(Loose { inner, scalars, rows })
    }

    /// The same as a map whose function is a map, and what comes before it.
    fn tight(&self, outer: &Map, fresh: &mut Fresh) -> (Vec<Stm>, Stm) {
        let Map { width, arrays, map, stm } = &self.inner;
        let m = *width;
        let mut between = Made { stms: Vec::new(), certs: Vec::new(), loc: stm.loc };
        let (mut arrays_inside, mut params) = (Vec::new(), Vec::new());
        let mut first: Vec<Stm> = self.scalars.iter().map(|stm| (*stm).clone()).collect();
        let mut index = None;
        for ((array, param), row) in arrays.iter().zip(&map.params).zip(&self.rows) {
            let Some(Row { array: from, places }) = row else {
                arrays_inside.push(*array);
                params.push(param.clone());
                continue;
            };
            let j = *index.get_or_insert_with(|| fresh.named("j"));
            let places = places.iter().map(|place| place.unwrap_or(j.into())).collect();
            let (certs, attrs, loc) = (stm.certs.clone(), Default::default(), stm.loc);
            first.push(Stm { pat: vec![param.clone()], certs, attrs, exp: Exp::Index(*from, places), loc });
        }
        if let Some(j) = index {
            let (start, stride) = (Operand::i64(0), Operand::i64(1));
            let exp = Exp::Iota { len: m, start, stride, prim: Prim::I64 };
            let range = between.named(fresh, j, Type::I64.array_of(m), exp);
            arrays_inside.push(range);
            params.push(Param::new(j, Type::I64));
        }
        first.extend(map.body.stms.iter().cloned());
        let body = Body { stms: first, results: map.body.results.clone() };
        let inside = Made { stms: Vec::new(), certs: stm.certs.clone(), loc: stm.loc };
        let lambda = Lambda { params, body, ret: map.ret.clone() };
        let stms = inside.finish(m, arrays_inside, lambda, stm.pat.clone(), stm);
        let lambda = Lambda { body: Body { stms, ..outer.map.body.clone() }, ..outer.map.clone() };
        let soac = Soac::Screma {
            width: outer.width,
            arrays: outer.arrays.to_vec(),
            map: lambda,
            scans: Vec::new(),
            reduces: Vec::new(),
            post: None,
        };
        (between.stms, Stm { exp: Exp::Soac(soac), ..outer.stm.clone() })
    }
}

fn row(stm: &Stm) -> Option<Row> {
    match &stm.exp {
        Exp::Index(array, indices) => {
            Some(Row { array: *array, places: indices.iter().copied().map(Some).chain([None]).collect() })
        }
        Exp::Slice(array, dims) if stm.pat[0].ty.rank() == 1 => {
            let place = |dim: &DimSlice| match dim {
                DimSlice::Fix(i) => Some(Some(*i)),
                DimSlice::Range { start, stride, .. } => {
                    (*start == Operand::i64(0) && *stride == Operand::i64(1)).then_some(None)
                }
            };
            Some(Row { array: *array, places: dims.iter().map(place).collect::<Option<Vec<_>>>()? })
        }
        _ => None,
    }
}

/// Whether a scalar may be computed again for each element.
fn is_cheap(stm: &Stm) -> bool {
    let is_simple = |stm: &Stm| {
        let effects = effects::of(stm);
        effects.may_speculate() && effects.cost <= Cost::Instruction && effects::is_simple(&stm.exp)
    };
    match &stm.exp {
        Exp::If(_, yes, no) => yes.stms.iter().chain(&no.stms).all(is_simple),
        _ => is_simple(stm),
    }
}

fn is_bound(body: &Body, name: Name) -> bool {
    bound_in_body(body).contains(&name)
}

pub(super) fn uses_any(body: &Body, names: &FxHashSet<Name>) -> bool {
    struct Uses<'a>(&'a FxHashSet<Name>, bool);
    impl Visit for Uses<'_> {
        fn name(&mut self, name: &Name) {
            self.1 |= self.0.contains(name);
        }
    }
    let mut uses = Uses(names, false);
    uses.body(body);
    uses.1
}

/// Whether running a statement can stop the program. The functions it calls may.
pub(super) fn may_stop(stm: &Stm) -> bool {
    effects::of(stm).fails == Fails::Stops
}

/// Statements that bind what the view bound, without the map's result.
pub(super) fn push(maker: Stm, view: Stm, fresh: &mut Fresh) -> Vec<Stm> {
    let made = map(&maker).expect("a map that may be pushed into");
    let mut all = Made { stms: Vec::new(), certs: maker.certs.clone(), loc: view.loc };
    for cert in &view.certs {
        if !all.certs.contains(cert) {
            all.certs.push(*cert);
        }
    }
    let full = |dims: &[Operand]| {
        let whole = |n: &Operand| DimSlice::Range { start: Operand::i64(0), len: *n, stride: Operand::i64(1) };
        dims.iter().map(whole).collect::<Vec<DimSlice>>()
    };
    match &view.exp {
        Exp::Index(_, indices) => {
            let mut rows = Vec::new();
            for (array, param) in made.arrays.iter().zip(&made.map.params) {
                rows.push(all.add(fresh, param, Exp::Index(*array, vec![indices[0]])));
            }
            let mut body = kenaz_ir::visit::instantiate(&made.map.params, &made.map.body, &rows, fresh);
            for stm in &mut body.stms {
                stm.certs.extend(all.certs.iter().filter(|c| !stm.certs.contains(c)).copied().collect::<Vec<Name>>());
            }
            all.stms.extend(body.stms);
            let exp = match (&indices[1..], body.results[0]) {
                ([rest @ .., last], Operand::Var(row)) => Exp::Index(row, [rest, &[*last]].concat()),
                (_, x) => Exp::Operand(x),
            };
            all.stms.push(Stm { exp, certs: all.certs.clone(), ..view });
            all.stms
        }
        Exp::Slice(_, dims) => {
            let DimSlice::Range { len, .. } = dims[0] else { panic!("an outer range") };
            let part = |array: Name, row: &Type| Exp::Slice(array, [&dims[..1], &full(row.dims())].concat());
            let mut map = made.map.clone();
            if let (false, Operand::Var(row)) = (is_whole(&dims[1..], &map.ret[0]), map.body.results[0]) {
                let ty = view.pat[0].ty.row(1);
                let mut inside = Made { stms: Vec::new(), certs: view.certs.clone(), loc: view.loc };
                map.body.results =
                    vec![inside.named(fresh, row, ty.clone(), Exp::Slice(row, dims[1..].to_vec())).into()];
                map.body.stms.extend(inside.stms);
                map.ret = vec![ty];
            }
            all.over(Map { map: &map, ..made }, len, view.pat, part, fresh)
        }
        Exp::Resize(dims, _) => {
            let n = dims[0];
            let part = |array: Name, row: &Type| Exp::Resize([&[n], row.dims()].concat(), array);
            all.over(made, n, view.pat, part, fresh)
        }
        Exp::Reshape(dims, _) if split(dims, &made.map.ret[0]).is_some() => {
            let dims = split(dims, &made.map.ret[0]).expect("more than one");
            all.unflattened(&made, dims, view.pat, fresh)
        }
        Exp::Reshape(dims, _) => {
            let n = dims[0];
            let inner = nest(&made).expect("a nest");
            all.flattened(&made, &inner, n, view.pat, fresh)
        }
        Exp::Rearrange(..) => {
            let tight = match nest(&made) {
                Some(_) => None,
                None => Some(Loose::of(&made).expect("a nest").tight(&made, fresh)),
            };
            let made = match &tight {
                Some((before, stm)) => {
                    all.stms.extend(before.iter().cloned());
                    map(stm).expect("a map")
                }
                None => made,
            };
            let inner = nest(&made).expect("a nest");
            all.swapped(&made, &inner, view.pat, fresh)
        }
        exp => panic!("`{exp}` is no view"),
    }
}

/// Statements under construction.
pub(super) struct Made {
    pub stms: Vec<Stm>,
    pub certs: Vec<Name>,
    pub loc: kenaz_ir::LocId,
}

/// The arrays of two maps that change places, with the parameters for their rows.
pub(super) struct Columns {
    pub arrays: Vec<Name>,
    pub params: Vec<Param>,
    pub inner_arrays: Vec<Name>,
    pub inner_params: Vec<Param>,
}

impl Made {
    pub(super) fn named(&mut self, fresh: &mut Fresh, like: Name, ty: Type, exp: Exp) -> Name {
        let name = fresh.like(like);
        let pat = vec![Param::new(name, ty)];
        self.stms.push(Stm { pat, certs: self.certs.clone(), attrs: Default::default(), exp, loc: self.loc });
        name
    }

    fn add(&mut self, fresh: &mut Fresh, param: &Param, exp: Exp) -> Operand {
        self.named(fresh, param.name, param.ty.clone(), exp).into()
    }

    /// The map over a part of each of its arrays.
    fn over(
        mut self,
        made: Map<'_>,
        width: Operand,
        pat: Vec<Param>,
        part: impl Fn(Name, &Type) -> Exp,
        fresh: &mut Fresh,
    ) -> Vec<Stm> {
        let mut arrays = Vec::new();
        for (array, param) in made.arrays.iter().zip(&made.map.params) {
            arrays.push(self.named(fresh, *array, param.ty.array_of(width), part(*array, &param.ty)));
        }
        self.finish(width, arrays, made.map.clone(), pat, made.stm)
    }

    fn finish(mut self, width: Operand, arrays: Vec<Name>, map: Lambda, pat: Vec<Param>, old: &Stm) -> Vec<Stm> {
        let soac = Soac::Screma { width, arrays, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        let (attrs, loc) = (old.attrs.clone(), old.loc);
        self.stms.push(Stm { pat, certs: self.certs, attrs, exp: Exp::Soac(soac), loc });
        self.stms
    }

    /// A nest of maps over these dimensions.
    fn unflattened(mut self, made: &Map, dims: &[Operand], pat: Vec<Param>, fresh: &mut Fresh) -> Vec<Stm> {
        let mut arrays = Vec::new();
        for (array, param) in made.arrays.iter().zip(&made.map.params) {
            let ty = dims.iter().rev().fold(param.ty.clone(), |ty, n| ty.array_of(*n));
            let exp = Exp::Reshape(ty.dims().to_vec(), *array);
            arrays.push(self.named(fresh, *array, ty, exp));
        }
        let mut map = made.map.clone();
        for n in dims[1..].iter().rev() {
            let rows: Vec<Param> =
                map.params.iter().map(|p| Param::new(fresh.like(p.name), p.ty.array_of(*n))).collect();
            let name = fresh.like(pat[0].name);
            let ret = map.ret[0].array_of(*n);
            let inside = Made { stms: Vec::new(), certs: Vec::new(), loc: self.loc };
            let names = rows.iter().map(|p| p.name).collect();
            let stms = inside.finish(*n, names, map, vec![Param::new(name, ret.clone())], made.stm);
            map = Lambda { params: rows, body: Body { stms, results: vec![name.into()] }, ret: vec![ret] };
        }
        self.finish(dims[0], arrays, map, pat, made.stm)
    }

    /// Both maps as one over all pairs. What is not a row of rows is read at the place that follows from the number of
    /// the pair.
    fn flattened(mut self, outer: &Map, inner: &Map, n: Operand, pat: Vec<Param>, fresh: &mut Fresh) -> Vec<Stm> {
        let (mut arrays, mut params) = (Vec::new(), Vec::new());
        // The arrays that are read by the outer index, and by the inner one.
        let (mut outside, mut inside) = (Vec::new(), Vec::new());
        for (array, param) in inner.arrays.iter().zip(&inner.map.params) {
            let Some(at) = outer.map.params.iter().position(|p| p.name == *array) else {
                inside.push((*array, param.clone()));
                continue;
            };
            let ty = param.ty.array_of(n);
            let exp = Exp::Reshape(ty.dims().to_vec(), outer.arrays[at]);
            arrays.push(self.named(fresh, param.name, ty, exp));
            params.push(param.clone());
        }
        for (array, param) in outer.arrays.iter().zip(&outer.map.params) {
            if uses_any(&inner.map.body, &[param.name].into_iter().collect()) {
                outside.push((*array, param.clone()));
            }
        }
        self.certs.extend(inner.stm.certs.iter().copied());
        let mut first = Made { stms: Vec::new(), certs: Vec::new(), loc: self.loc };
        if !outside.is_empty() || !inside.is_empty() {
            let (start, stride) = (Operand::i64(0), Operand::i64(1));
            let exp = Exp::Iota { len: n, start, stride, prim: Prim::I64 };
            let number = fresh.named("pair");
            arrays.push(self.named(fresh, number, Type::I64.array_of(n), exp));
            params.push(Param::new(number, Type::I64));
            for (op, reads) in [(BinOp::Quot, outside), (BinOp::Rem, inside)] {
                if reads.is_empty() {
                    continue;
                }
                // There is a pair, so the inner width is not zero.
                let i = first.named(fresh, number, Type::I64, Exp::Bin(op, number.into(), inner.width));
                for (array, param) in reads {
                    let exp = Exp::Index(array, vec![i.into()]);
                    let (certs, attrs, loc) = (Vec::new(), Default::default(), self.loc);
                    first.stms.push(Stm { pat: vec![param], certs, attrs, exp, loc });
                }
            }
        }
        let Lambda { body, ret, .. } = inner.map.clone();
        let stms = first.stms.into_iter().chain(body.stms).collect();
        let map = Lambda { params, body: Body { stms, results: body.results }, ret };
        self.finish(n, arrays, map, pat, outer.stm)
    }

    /// The maps with their places exchanged: the inner map runs outside, and the outer one inside.
    pub(super) fn columns(&mut self, outer: &Map, inner: &Map, fresh: &mut Fresh) -> Columns {
        let (n, m) = (outer.width, inner.width);
        let mut arrays = Vec::new();
        let mut params = Vec::new();
        let (mut inner_arrays, mut inner_params) = (Vec::new(), Vec::new());
        for (array, param) in inner.arrays.iter().zip(&inner.map.params) {
            let Some(at) = outer.map.params.iter().position(|p| p.name == *array) else {
                arrays.push(*array);
                params.push(param.clone());
                continue;
            };
            let column = param.ty.array_of(n);
            let perm = [1, 0].into_iter().chain(2..column.rank() + 1).collect();
            arrays.push(self.named(fresh, *array, column.array_of(m), Exp::Rearrange(perm, outer.arrays[at])));
            let name = fresh.like(*array);
            params.push(Param::new(name, column));
            inner_arrays.push(name);
            inner_params.push(param.clone());
        }
        for (array, param) in outer.arrays.iter().zip(&outer.map.params) {
            if uses_any(&inner.map.body, &[param.name].into_iter().collect()) {
                inner_arrays.push(*array);
                inner_params.push(param.clone());
            }
        }
        Columns { arrays, params, inner_arrays, inner_params }
    }

    /// The inner map outside and the outer one inside.
    fn swapped(mut self, outer: &Map, inner: &Map, pat: Vec<Param>, fresh: &mut Fresh) -> Vec<Stm> {
        let (n, m) = (outer.width, inner.width);
        let Columns { arrays, params, inner_arrays, inner_params } = self.columns(outer, inner, fresh);
        let ret = inner.map.ret[0].array_of(n);
        let name = fresh.like(inner.stm.pat[0].name);
        let map = Lambda { params: inner_params, ..inner.map.clone() };
        let (arrays_inside, pat_inside) = (inner_arrays, vec![Param::new(name, ret.clone())]);
        let inside = Made { stms: Vec::new(), certs: inner.stm.certs.clone(), loc: inner.stm.loc };
        let stms = inside.finish(n, arrays_inside, map, pat_inside, inner.stm);
        let map = Lambda { params, body: Body { stms, results: vec![name.into()] }, ret: vec![ret] };
        self.finish(m, arrays, map, pat, outer.stm)
    }
}

/// A map that only transposes each row, as a transposition of the whole: a view, and a copy since a map makes a new
/// array.
pub(super) fn transposed(stm: &Stm, fresh: &mut Fresh) -> Option<Vec<Stm>> {
    let Map { width, arrays: [array], map: Lambda { params, body, .. }, .. } = map(stm)? else { return None };
    let ([param], [inner], [result]) = (&params[..], &body.stms[..], &body.results[..]) else { return None };
    let (Exp::Rearrange(perm, row), [made]) = (&inner.exp, &inner.pat[..]) else { return None };
    if *row != param.name || *result != Operand::Var(made.name) {
        return None;
    }
    let perm = std::iter::once(0).chain(perm.iter().map(|i| i + 1)).collect();
    let name = fresh.like(made.name);
    let (certs, attrs) = ([&stm.certs[..], &inner.certs].concat(), stm.attrs.clone());
    let pat = vec![Param::new(name, made.ty.array_of(width))];
    let view = Stm { pat, certs, attrs: Default::default(), exp: Exp::Rearrange(perm, *array), loc: inner.loc };
    let copy = Stm { pat: stm.pat.clone(), certs: Vec::new(), attrs, exp: Exp::Copy(name), loc: stm.loc };
    Some(vec![view, copy])
}
