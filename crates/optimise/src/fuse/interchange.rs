//! A scan of rows that combines them element by element is a scan of each column.
//!
//! ```text
//! let s = screma n (a) map \(x) -> { map m (x) f } scan (e) \(x, y) -> { map m (x, y) g }
//! ⇒  let t = rearrange (1, 0) a
//!    let c = map m (t, e) \(x, d) -> { screma n (x) map f scan (d) g }
//!    let s = rearrange (1, 0) c
//! ```
//!
//! One operator less, and no row is made on the way.

use super::merge::{is_materialised, is_pinned};
use super::views::{Columns, Made, Map, map, nest, uses_any};
use kenaz_ir::{Body, Exp, Fresh, Lambda, Name, Operand, Param, Scan, Soac, Stm};
use rustc_hash::FxHashSet;

pub(super) fn is_allowed(stm: &Stm) -> bool {
    parts(stm).is_some()
}

/// A scan of rows.
struct Rows<'a> {
    width: Operand,
    arrays: &'a [Name],
    /// The statements that are the same for all rows, and come before the map.
    before: &'a [Stm],
    /// The function that is mapped, without that.
    row: Lambda,
    neutral: Name,
    /// The operator on elements, and the map in the operator that it is taken from.
    op: Lambda,
    inside: &'a Stm,
}

fn parts(stm: &Stm) -> Option<Rows<'_>> {
    let Exp::Soac(Soac::Screma { width, arrays, map: function, scans, reduces, post: None }) = &stm.exp else {
        return None;
    };
    let ([Scan { op, neutral }], [], [_]) = (&scans[..], &reduces[..], &stm.pat[..]) else { return None };
    let (&[Operand::Var(neutral)], [inside], [p, q]) = (&neutral[..], &op.body.stms[..], &op.params[..]) else {
        return None;
    };
    let (inner, before) = function.body.stms.split_last()?;
    if is_pinned(stm) || is_materialised(stm) || function.params.iter().any(Param::is_consumable) {
        return None;
    }
    // The operator.
    let combine = map(inside)?;
    let (first, second) = match (combine.arrays, &combine.map.params[..]) {
        ([a, b], [x, y]) if (*a, *b) == (p.name, q.name) => (x, y),
        ([b, a], [y, x]) if (*a, *b) == (p.name, q.name) => (x, y),
        _ => return None,
    };
    let rows: FxHashSet<Name> = [p.name, q.name].into_iter().collect();
    let yields = op.body.results == [Operand::Var(inside.pat[0].name)];
    if !yields || uses_any(&combine.map.body, &rows) || !map_is_over(inner, combine.width) {
        return None;
    }
    let op = Lambda { params: vec![first.clone(), second.clone()], ..combine.map.clone() };
    // The inner map may have only numbers of columns before it, which need not be made for each row.
    let bound: FxHashSet<Name> =
        function.params.iter().chain(before.iter().flat_map(|stm| &stm.pat)).map(|p| p.name).collect();
    let outside = |x: &Operand| !x.name().is_some_and(|name| bound.contains(&name));
    let is_same = |stm: &Stm| match &stm.exp {
        Exp::Iota { len, start, stride, .. } => {
            *len == combine.width && [start, stride].into_iter().all(outside) && stm.attrs.is_free()
        }
        _ => false,
    };
    if !before.iter().all(is_same) || before.iter().flat_map(|stm| &stm.certs).any(|cert| bound.contains(cert)) {
        return None;
    }
    let body = Body { stms: vec![inner.clone()], results: function.body.results.clone() };
    let row = Lambda { params: function.params.clone(), body, ret: function.ret.clone() };
    nest(&Map { width: *width, arrays, map: &row, stm })?;
    Some(Rows { width: *width, arrays, before, row, neutral, op, inside })
}

/// Whether a statement is a map of this width.
fn map_is_over(stm: &Stm, width: Operand) -> bool {
    map(stm).is_some_and(|map| map.width == width)
}

/// The statements in the place of one that [`is_allowed`].
pub(super) fn interchanged(stm: Stm, fresh: &mut Fresh) -> Vec<Stm> {
    let Rows { width, arrays, before, row, neutral, op, inside } = parts(&stm).expect("a scan of rows");
    let outer = Map { width, arrays, map: &row, stm: &stm };
    let inner = nest(&outer).expect("a map in a map");
    let mut all = Made { stms: before.to_vec(), certs: stm.certs.clone(), loc: stm.loc };
    let Columns { mut arrays, mut params, inner_arrays, inner_params } = all.columns(&outer, &inner, fresh);
    let element = op.ret[0].clone();
    let start = fresh.like(neutral);
    arrays.push(neutral);
    params.push(Param::new(start, element.clone()));
    let column = element.array_of(width);
    let scanned = fresh.like(stm.pat[0].name);
    let scan = Soac::Screma {
        width,
        arrays: inner_arrays,
        map: Lambda { params: inner_params, ..inner.map.clone() },
        scans: vec![Scan { op, neutral: vec![start.into()] }],
        reduces: Vec::new(),
        post: None,
    };
    let certs = inner.stm.certs.iter().chain(&inside.certs).copied().collect();
    let pat = vec![Param::new(scanned, column.clone())];
    let (attrs, loc) = (inner.stm.attrs.clone(), stm.loc);
    let body = Body { stms: vec![Stm { pat, certs, attrs, exp: Exp::Soac(scan), loc }], results: vec![scanned.into()] };
    let map = Lambda { params, body, ret: vec![column.clone()] };
    let (scans, reduces) = (Vec::new(), Vec::new());
    let exp = Exp::Soac(Soac::Screma { width: inner.width, arrays, map, scans, reduces, post: None });
    let columns = all.named(fresh, scanned, column.array_of(inner.width), exp);
    if let Some(last) = all.stms.last_mut() {
        last.attrs = stm.attrs.clone();
    }
    let perm = [1, 0].into_iter().chain(2..element.rank() + 2).collect();
    let view = all.named(fresh, scanned, stm.pat[0].ty.clone(), Exp::Rearrange(perm, columns));
    let exp = Exp::Copy(view);
    let pat = stm.pat.clone();
    all.stms.push(Stm { pat, certs: Vec::new(), attrs: Default::default(), exp, loc: stm.loc });
    all.stms
}
