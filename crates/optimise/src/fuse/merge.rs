//! Making one operator of two: functions one after the other, scans and reductions side by side.
//!
//! The results of the first that the second takes row by row become local to the fused function. Whether the two may
//! be brought together at all is the business of `graph`.

use super::graph::Refusal;
use kenaz_ir::sharing::Sharing;
use kenaz_ir::visit::Subst;
use kenaz_ir::{
    Attr, Attrs, Body, Exp, Fresh, HistOp, Lambda, Name, Operand, Param, Reduce, Scan, ScatterDest, Soac, Stm, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The context of all merges.
pub(super) struct Cx<'a> {
    pub fresh: &'a mut Fresh,
    pub sharing: &'a mut Sharing,
}

/// The fused map–scan–reduce operator with the names it binds, sorted by what they are.
struct Screma {
    width: Operand,
    arrays: Vec<Name>,
    map: Lambda,
    scans: Vec<Scan>,
    reduces: Vec<Reduce>,
    post: Option<Lambda>,
    /// Names of the arrays of scans; empty if there is a last function.
    scanned: Vec<Param>,
    reduced: Vec<Param>,
    /// Names of the other arrays, or of all that the last function yields.
    rest: Vec<Param>,
}

/// The rule by which a second operator takes in a first one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// The second takes values of the first that have not gone through a scan, so that both functions become one.
    Early,
    /// The second takes values that have gone through scans: its function becomes the last function.
    Late,
    /// Two scatters or histograms, neither of which takes anything of the other.
    Beside,
}

/// The part of an operator with a function over arrays that merging needs to know.
pub(super) struct View<'a> {
    pub width: Operand,
    pub arrays: &'a [Name],
}

pub(super) fn view(exp: &Exp) -> Option<View<'_>> {
    match exp {
        Exp::Soac(Soac::Screma { width, arrays, .. } | Soac::Scatter { width, arrays, .. })
        | Exp::Soac(Soac::Hist { width, arrays, .. } | Soac::Filter { width, arrays, .. }) => {
            Some(View { width: *width, arrays })
        }
        _ => None,
    }
}

/// Whether a statement reduces or scans.
pub(super) fn folds(stm: &Stm) -> bool {
    matches!(&stm.exp, Exp::Soac(Soac::Screma { scans, reduces, .. }) if !scans.is_empty() || !reduces.is_empty())
}

fn scanned(scans: &[Scan]) -> usize {
    scans.iter().map(|s| s.neutral.len()).sum()
}

fn reduced(reduces: &[Reduce]) -> usize {
    reduces.iter().map(|r| r.neutral.len()).sum()
}

/// The result of a function for each wanted array that does not go through a scan: as it is, or past a last function
/// that only hands it on.
fn collected<'p>(
    pat: impl Iterator<Item = &'p Param>,
    map: &Lambda,
    scanned: usize,
    reduced: usize,
    post: Option<&Lambda>,
    wanted: &[Name],
) -> FxHashMap<Name, Operand> {
    let rest = &map.body.results[scanned + reduced..];
    let value = |at: usize| match post {
        None => rest.get(at.checked_sub(scanned + reduced)?).copied(),
        Some(post) => {
            let name = post.body.results.get(at.checked_sub(reduced)?)?.name()?;
            rest.get(post.params[scanned..].iter().position(|p| p.name == name)?).copied()
        }
    };
    let wanted: FxHashSet<Name> = wanted.iter().copied().collect();
    let found = pat.enumerate().filter(|(_, p)| wanted.contains(&p.name));
    found.filter_map(|(at, p)| Some((p.name, value(at)?))).collect()
}

/// Whether two statements can become one as far as they themselves are concerned, and by which rule. `alone` says
/// whether nothing but the second uses what the first binds.
pub(super) fn allowed(first: &Stm, second: &Stm, alone: bool) -> Result<(Kind, &'static str), Refusal> {
    if let (Exp::Soac(one), Exp::Soac(two)) = (&first.exp, &second.exp)
        && let Some(rule) = beside(one, two)
    {
        let takes = view(&second.exp).is_some_and(|v| v.arrays.iter().any(|a| first.pat.iter().any(|p| p.name == *a)));
        return if takes { Err("the second needs a result of the first as a whole") } else { Ok((Kind::Beside, rule)) };
    }
    let Exp::Soac(Soac::Screma { width, map, scans, reduces, post, .. }) = &first.exp else {
        return Err("the first is no map, scan or reduction");
    };
    let Some(other) = view(&second.exp) else { return Err("the second is no operator over arrays") };
    if *width != other.width {
        return Err("their sizes differ");
    }
    if map.params.iter().any(Param::is_consumable) || first.pat.iter().any(|p| matches!(p.ty, Type::Acc { .. })) {
        return Err("the first consumes its arrays");
    }
    let early = collected(first.pat.iter(), map, scanned(scans), reduced(reduces), post.as_ref(), other.arrays);
    let is_made = |array: &Name| first.pat.iter().any(|p| p.name == *array);
    let shared = other.arrays.iter().any(is_made);
    let late = other.arrays.iter().any(|array| is_made(array) && !early.contains_key(array));
    // The result of a reduction may be an array of the same size.
    let start = if post.is_some() { 0 } else { scanned(scans) };
    let whole = &first.pat[start..start + reduced(reduces)];
    if other.arrays.iter().any(|array| whole.iter().any(|p| p.name == *array)) {
        return Err("the second goes over what the first reduces to");
    }
    let pure = scans.is_empty() && reduces.is_empty() && post.is_none();
    match &second.exp {
        Exp::Soac(Soac::Screma { scans, reduces, map, post: other_post, .. }) => {
            let accumulates = map.ret.iter().any(|ty| matches!(ty, Type::Acc { .. }));
            if accumulates && (late || post.is_some() || other_post.is_some()) {
                return Err("accumulators do not go through scans");
            }
            if !late {
                let rule = match () {
                    () if !shared => "fuse-horizontal",
                    () if !scans.is_empty() => "fuse-map-scan",
                    () if !reduces.is_empty() => "fuse-map-reduce",
                    () => "fuse-map-map",
                };
                return Ok((Kind::Early, rule));
            }
            if !scans.is_empty() || !reduces.is_empty() {
                return Err("a scan or reduction of what is scanned needs a second pass");
            }
            let own = |array: &Name| !first.pat.iter().any(|p| p.name == *array);
            if map.params.iter().zip(other.arrays).any(|(param, array)| own(array) && param.is_consumable()) {
                return Err("the second consumes its arrays");
            }
            Ok((Kind::Late, "fuse-scan-map"))
        }
        _ if !pure => Err("only a map goes into a filter, scatter or histogram"),
        _ if !shared => Err("only maps, scans and reductions go side by side"),
        _ if !alone => Err("what the first makes is needed elsewhere too"),
        Exp::Soac(Soac::Filter { .. }) => Ok((Kind::Early, "fuse-map-filter")),
        Exp::Soac(Soac::Scatter { .. }) => Ok((Kind::Early, "fuse-map-scatter")),
        Exp::Soac(Soac::Hist { .. }) => Ok((Kind::Early, "fuse-map-hist")),
        _ => Err("the second is no operator over arrays"),
    }
}

/// The rule by which two scatters or histograms become one.
fn beside(one: &Soac, two: &Soac) -> Option<&'static str> {
    let (width, other, maps, rule) = match (one, two) {
        (Soac::Scatter { width, map, .. }, Soac::Scatter { width: other, map: map2, .. }) => {
            (width, other, [map, map2], "fuse-scatters")
        }
        (Soac::Hist { width, map, .. }, Soac::Hist { width: other, map: map2, .. }) => {
            (width, other, [map, map2], "fuse-hists")
        }
        _ => return None,
    };
    let consumes = maps.iter().any(|map| map.params.iter().any(Param::is_consumable));
    (width == other && !consumes).then_some(rule)
}

/// Two scatters or histograms as one: the indices of both come first, then the values of both.
fn both(one: Soac, two: Soac, cx: &mut Cx) -> Soac {
    let join = |arrays, map: Lambda, n: usize, (more, other): (Vec<Name>, Lambda), m: usize, cx: &mut Cx| {
        let mut all = Joined { arrays, params: map.params, stms: map.body.stms };
        let (results, ret) = all.follow(more, other, &FxHashMap::default(), cx);
        let mut values: Vec<(Operand, Type)> = map.body.results.into_iter().zip(map.ret).collect();
        let mut others: Vec<(Operand, Type)> = results.into_iter().zip(ret).collect();
        let (values1, values2) = (values.split_off(n), others.split_off(m));
        let (results, ret) = values.into_iter().chain(others).chain(values1).chain(values2).unzip();
        (all.arrays, Lambda { params: all.params, body: Body { stms: all.stms, results }, ret })
    };
    match (one, two) {
        (
            Soac::Scatter { width, arrays, map, dests },
            Soac::Scatter { arrays: more, map: other, dests: other_dests, .. },
        ) => {
            let rank = |dests: &[ScatterDest]| dests.iter().map(|d| d.rank).sum();
            let (n, m) = (rank(&dests), rank(&other_dests));
            let (arrays, map) = join(arrays, map, n, (more, other), m, cx);
            Soac::Scatter { width, arrays, map, dests: dests.into_iter().chain(other_dests).collect() }
        }
        (Soac::Hist { width, arrays, map, ops }, Soac::Hist { arrays: more, map: other, ops: other_ops, .. }) => {
            let rank = |ops: &[HistOp]| ops.iter().map(|op| op.rank).sum();
            let (n, m) = (rank(&ops), rank(&other_ops));
            let (arrays, map) = join(arrays, map, n, (more, other), m, cx);
            Soac::Hist { width, arrays, map, ops: ops.into_iter().chain(other_ops).collect() }
        }
        (one, _) => panic!("`{}` is no scatter or histogram", Exp::Soac(one)),
    }
}

/// One statement that does what two did, which [`allowed`] says is possible. Results of the first are kept where `kept`
/// says so.
pub(super) fn merge(first: Stm, second: Stm, kind: Kind, kept: impl Fn(Name) -> bool, cx: &mut Cx) -> Stm {
    let certs = union(first.certs, second.certs);
    let attrs = Attrs(union(first.attrs.0, second.attrs.0));
    let loc = second.loc;
    let Exp::Soac(first_soac) = first.exp else { panic!("the first is an operator") };
    let second = match (kind, second.exp) {
        (Kind::Beside, Exp::Soac(other)) => {
            let pat = first.pat.into_iter().chain(second.pat).collect();
            return Stm { pat, certs, attrs, exp: Exp::Soac(both(first_soac, other, cx)), loc };
        }
        (_, exp) => Stm { pat: second.pat, certs: Vec::new(), attrs: Attrs::default(), exp, loc },
    };
    let one = Screma::of(first_soac, first.pat);
    let (pat, exp) = match second.exp {
        Exp::Soac(soac @ Soac::Screma { .. }) => {
            let two = Screma::of(soac, second.pat);
            let screma = match kind {
                Kind::Early => one.early(two, &kept, cx),
                Kind::Late | Kind::Beside => one.late(two, &kept, cx),
            };
            screma.into_parts()
        }
        Exp::Soac(Soac::Filter { width, arrays, pred }) => {
            let rows: Vec<(Operand, Type)> = match pred.ret.len() {
                1 => pred.params.iter().map(|p| (p.name.into(), p.ty.clone())).collect(),
                _ => Vec::new(),
            };
            let mut pred = pred;
            for (x, ty) in rows {
                pred.body.results.push(x);
                pred.ret.push(ty);
            }
            let (arrays, pred) = one.before(arrays, pred, cx);
            (second.pat, Exp::Soac(Soac::Filter { width, arrays, pred }))
        }
        Exp::Soac(Soac::Scatter { width, arrays, map, dests }) => {
            let (arrays, map) = one.before(arrays, map, cx);
            (second.pat, Exp::Soac(Soac::Scatter { width, arrays, map, dests }))
        }
        Exp::Soac(Soac::Hist { width, arrays, map, ops }) => {
            let (arrays, map) = one.before(arrays, map, cx);
            (second.pat, Exp::Soac(Soac::Hist { width, arrays, map, ops }))
        }
        exp => panic!("`{exp}` takes no map"),
    };
    Stm { pat, certs, attrs, exp, loc }
}

fn union<T: PartialEq>(mut a: Vec<T>, b: Vec<T>) -> Vec<T> {
    for x in b {
        if !a.contains(&x) {
            a.push(x);
        }
    }
    a
}

impl Screma {
    fn of(soac: Soac, mut pat: Vec<Param>) -> Screma {
        let Soac::Screma { width, arrays, map, scans, reduces, post } = soac else { panic!("a screma") };
        let (n, m) = (scanned(&scans), reduced(&reduces));
        let (scanned, reduced, rest) = if post.is_some() {
            let rest = pat.split_off(m);
            (Vec::new(), pat, rest)
        } else {
            let rest = pat.split_off(n + m);
            let reduced = pat.split_off(n);
            (pat, reduced, rest)
        };
        Screma { width, arrays, map, scans, reduces, post, scanned, reduced, rest }
    }

    fn into_parts(self) -> (Vec<Param>, Exp) {
        let Screma { width, arrays, map, scans, reduces, post, scanned, reduced, rest } = self;
        let pat = scanned.into_iter().chain(reduced).chain(rest).collect();
        (pat, Exp::Soac(Soac::Screma { width, arrays, map, scans, reduces, post }))
    }

    /// Adds a last function that yields what it gets.
    fn with_post(mut self, fresh: &mut Fresh) -> Screma {
        if self.post.is_none() {
            let (n, m) = (scanned(&self.scans), reduced(&self.reduces));
            let types: Vec<Type> = self.map.ret[..n].iter().chain(&self.map.ret[n + m..]).cloned().collect();
            let params: Vec<Param> = types.iter().map(|ty| Param::new(fresh.named("x"), ty.clone())).collect();
            let results = params.iter().map(|p| p.name.into()).collect();
            self.post = Some(Lambda { params, body: Body { stms: Vec::new(), results }, ret: types });
            self.rest.splice(0..0, std::mem::take(&mut self.scanned));
        }
        self
    }

    /// The results of the mapped function for those of the wanted arrays that are not scanned.
    fn collected(&self, wanted: &[Name]) -> FxHashMap<Name, Operand> {
        let pat = self.scanned.iter().chain(&self.reduced).chain(&self.rest);
        collected(pat, &self.map, scanned(&self.scans), reduced(&self.reduces), self.post.as_ref(), wanted)
    }

    /// The arrays and the function of an operator that takes what this map makes.
    fn before(self, arrays: Vec<Name>, function: Lambda, cx: &mut Cx) -> (Vec<Name>, Lambda) {
        let made = self.collected(&arrays);
        let mut all = Joined { arrays: self.arrays, params: self.map.params, stms: self.map.body.stms };
        let (results, ret) = all.follow(arrays, function, &made, cx);
        (all.arrays, Lambda { params: all.params, body: Body { stms: all.stms, results }, ret })
    }

    /// Both functions as one; the scans and reductions of both.
    fn early(self, other: Screma, kept: &impl Fn(Name) -> bool, cx: &mut Cx) -> Screma {
        let made = self.collected(&other.arrays);
        let mut one = self.only(kept);
        let mut two = other;
        if one.post.is_some() || two.post.is_some() {
            (one, two) = (one.with_post(cx.fresh), two.with_post(cx.fresh));
        }
        let (n1, m1) = (scanned(&one.scans), reduced(&one.reduces));
        let (n2, m2) = (scanned(&two.scans), reduced(&two.reduces));
        let mut all = Joined { arrays: one.arrays, params: one.map.params, stms: one.map.body.stms };
        let (results, ret) = all.follow(two.arrays, two.map, &made, cx);
        let mut values: Vec<(Operand, Type)> = one.map.body.results.into_iter().zip(one.map.ret).collect();
        let mut others: Vec<(Operand, Type)> = results.into_iter().zip(ret).collect();
        let (rest1, rest2) = (values.split_off(n1 + m1), others.split_off(n2 + m2));
        let (reduce1, reduce2) = (values.split_off(n1), others.split_off(n2));
        let post = one.post.take().zip(two.post).map(|(p, q)| side_by_side(p, n1, q, n2));
        let mapped = rest1.into_iter().chain(rest2);
        let in_order = values.into_iter().chain(others).chain(reduce1).chain(reduce2).chain(mapped);
        let (results, ret) = in_order.unzip();
        let map = Lambda { params: all.params, body: Body { stms: all.stms, results }, ret };
        Screma {
            width: one.width,
            arrays: all.arrays,
            map,
            scans: one.scans.into_iter().chain(two.scans).collect(),
            reduces: one.reduces.into_iter().chain(two.reduces).collect(),
            post,
            scanned: one.scanned.into_iter().chain(two.scanned).collect(),
            reduced: one.reduced.into_iter().chain(two.reduced).collect(),
            rest: one.rest.into_iter().chain(two.rest).collect(),
        }
    }

    /// Without the arrays that are not kept.
    fn only(mut self, kept: &impl Fn(Name) -> bool) -> Screma {
        let first = scanned(&self.scans) + reduced(&self.reduces);
        let (function, first) = match &mut self.post {
            Some(post) => (post, 0),
            None => (&mut self.map, first),
        };
        let values = function.body.results.split_off(first).into_iter().zip(function.ret.split_off(first));
        for (param, (x, ty)) in std::mem::take(&mut self.rest).into_iter().zip(values) {
            if kept(param.name) {
                self.rest.push(param);
                function.body.results.push(x);
                function.ret.push(ty);
            }
        }
        self
    }

    /// The second, which is a map, after the scans of the first.
    fn late(self, other: Screma, kept: &impl Fn(Name) -> bool, cx: &mut Cx) -> Screma {
        let mut one = self.with_post(cx.fresh);
        let post = one.post.take().expect("there is one now");
        let made: FxHashMap<Name, Operand> =
            one.rest.iter().map(|p| p.name).zip(post.body.results.iter().copied()).collect();
        // The function of a map with a last function of its own is all that is done to an element.
        let two = other.without_post(cx);
        // Other arrays of the second go through the function of the first.
        let mut local: FxHashMap<Name, Operand> = FxHashMap::default();
        let mut params = post.params;
        for (array, param) in two.arrays.iter().zip(&two.map.params) {
            if made.contains_key(array) || local.contains_key(array) {
                continue;
            }
            let row: Operand = match one.arrays.iter().position(|a| a == array) {
                Some(at) => one.map.params[at].name.into(),
                None => {
                    let name = cx.fresh.like(param.name);
                    one.arrays.push(*array);
                    one.map.params.push(Param::new(name, param.ty.clone()));
                    name.into()
                }
            };
            one.map.body.results.push(row);
            one.map.ret.push(param.ty.clone());
            let name = cx.fresh.like(param.name);
            params.push(Param::new(name, param.ty.clone()));
            local.insert(*array, name.into());
        }
        let made = made.into_iter().chain(local).collect();
        let mut all = Joined { arrays: Vec::new(), params, stms: post.body.stms };
        let (results, ret) = all.follow(two.arrays, two.map, &made, cx);
        let own = one.rest.into_iter().zip(post.body.results.into_iter().zip(post.ret));
        let own = own.filter(|(p, _)| kept(p.name));
        let all_results = own.chain(two.rest.into_iter().zip(results.into_iter().zip(ret)));
        let (rest, values): (Vec<Param>, Vec<(Operand, Type)>) = all_results.unzip();
        let (results, ret) = values.into_iter().unzip();
        one.post = Some(Lambda { params: all.params, body: Body { stms: all.stms, results }, ret });
        Screma { rest, ..one }
    }

    /// A map with a last function as a map without.
    fn without_post(mut self, cx: &mut Cx) -> Screma {
        let Some(post) = self.post.take() else { return self };
        let values = std::mem::take(&mut self.map.body.results);
        let subst = bind(post.params, values, &mut self.map.body.stms, cx);
        let mut body = post.body;
        subst.apply_to_body(&mut body);
        self.map.body.stms.extend(body.stms);
        self.map.body.results = body.results;
        self.map.ret = post.ret;
        self
    }
}

/// Two last functions as one: the values of both scans come first, then those of both rests.
fn side_by_side(one: Lambda, n1: usize, two: Lambda, n2: usize) -> Lambda {
    let (mut scans, mut others) = (one.params, two.params);
    let (rest1, rest2) = (scans.split_off(n1), others.split_off(n2));
    let params = scans.into_iter().chain(others).chain(rest1).chain(rest2).collect();
    let stms = one.body.stms.into_iter().chain(two.body.stms).collect();
    let results = one.body.results.into_iter().chain(two.body.results).collect();
    Lambda { params, body: Body { stms, results }, ret: one.ret.into_iter().chain(two.ret).collect() }
}

/// A function under construction, over arrays.
struct Joined {
    arrays: Vec<Name>,
    params: Vec<Param>,
    stms: Vec<Stm>,
}

impl Joined {
    /// Adds the statements of a function over arrays, of which some are made here and others are inputs already. Gives
    /// its results.
    fn follow(
        &mut self,
        arrays: Vec<Name>,
        function: Lambda,
        made: &FxHashMap<Name, Operand>,
        cx: &mut Cx,
    ) -> (Vec<Operand>, Vec<Type>) {
        let (mut params, mut values) = (Vec::new(), Vec::new());
        for (array, param) in arrays.into_iter().zip(function.params) {
            if let Some(x) = made.get(&array) {
                params.push(param);
                values.push(*x);
            } else if let Some(at) = self.arrays.iter().position(|a| *a == array)
                && !param.is_consumable()
                && !self.params[at].is_consumable()
            {
                values.push(self.params[at].name.into());
                params.push(param);
            } else {
                self.arrays.push(array);
                self.params.push(param);
            }
        }
        let subst = bind(params, values, &mut self.stms, cx);
        let mut body = function.body;
        if !subst.is_empty() {
            subst.apply_to_body(&mut body);
        }
        self.stms.extend(body.stms);
        (body.results, function.ret)
    }
}

/// What to put in the place of parameters that have these values. A parameter that is consumed becomes a copy.
fn bind(params: Vec<Param>, values: Vec<Operand>, stms: &mut Vec<Stm>, cx: &mut Cx) -> Subst {
    let mut subst = Subst::new();
    for (param, value) in params.into_iter().zip(values) {
        match value {
            Operand::Var(name) if param.is_consumable() => {
                let loc = stms.last().map_or_else(kenaz_ir::Locs::NOWHERE, |stm| stm.loc);
                let pat = vec![Param { unique: false, ..param }];
                let (certs, attrs) = (Vec::new(), Attrs::default());
                stms.push(Stm { pat, certs, attrs, exp: Exp::Copy(name), loc });
            }
            Operand::Var(name) => {
                if param.ty.is_array() {
                    cx.sharing.join(name, param.name);
                }
                subst.insert(param.name, name);
            }
            Operand::Const(_) => subst.insert(param.name, value),
        }
    }
    subst
}

/// Whether attributes pin a statement: what the user said about how it is to run holds for exactly this statement.
pub(super) fn is_pinned(stm: &Stm) -> bool {
    let pins = |attr: &Attr| {
        attr.pins() || matches!(attr.wanted(), Attr::Unroll | Attr::Opaque | Attr::Tile(_) | Attr::Strip(_))
    };
    stm.attrs.0.iter().any(pins)
}

/// Whether the array is to be written to memory: one that has a destination is, too.
pub(crate) fn is_materialised(stm: &Stm) -> bool {
    stm.attrs
        .0
        .iter()
        .any(|attr| attr.is_memory() || matches!(attr.wanted(), Attr::Materialize | Attr::Dest | Attr::Window))
}

/// Whether attributes ask for the same part of both to run in sequence.
pub(super) fn same_strategies(one: &Stm, two: &Stm) -> bool {
    let covers = |a: &Attrs, b: &Attrs| b.0.iter().filter(|attr| attr.is_strategy()).all(|attr| a.0.contains(attr));
    covers(&one.attrs, &two.attrs) && covers(&two.attrs, &one.attrs)
}

/// Whether attributes ask the same of the results of both, so that they can be those of one operator.
pub(super) fn same_place_wishes(one: &Stm, two: &Stm) -> bool {
    let wishes = |stm: &Stm| [stm.attrs.has(Attr::Materialize), stm.attrs.has(Attr::Dest)];
    wishes(one) == wishes(two)
}
