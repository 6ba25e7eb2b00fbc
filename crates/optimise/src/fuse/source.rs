//! `#[source]` on a concatenation, a branch or a map: whoever reads an element computes it, and the array is not made.
//!
//! ```text
//! let a = #[source] concat k (x, y)        let t = lt i n
//! let e = index a[i]                  ⇒    let e = if t then { … index x[i] … } else { … index y[i - n] … }
//! ```
//!
//! Operators over such an array run over its indices instead. Every use must be one of these two kinds; what the array
//! is made of must not be consumed anywhere, and must not be able to fail, since elements that nobody reads are not
//! computed. The array itself is left to `simplify`, which drops it.

use super::merge::is_materialised;
use super::views::may_stop;
use kenaz_base::{Prim, with_stack};
use kenaz_ir::effects;
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::visit::{Visit, copy_body, for_each_body_mut, instantiate, walk};
use kenaz_ir::{
    Attr, BinOp, Body, CmpOp, DecisionKind, Exp, Fresh, Fun, Lambda, LocId, Log, Name, Operand, Param, Soac, Stm, Type,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What becomes of the arrays of a function that are marked `#[source]`.
pub(super) fn inline(fun: &mut Fun, signatures: &Signatures, fresh: &mut Fresh, log: &mut Log) {
    let mut found = Found::default();
    found.fun(fun);
    if found.sources.is_empty() {
        return;
    }
    let Found { mut sources, types, all, mut read } = found;
    let sharing = Sharing::of(fun, signatures);
    // A source that stays needs its parts as a whole.
    loop {
        let mut stays = Vec::new();
        for (name, source) in &sources {
            let refusal = if all.get(name) != read.get(name) {
                "the array is needed as a whole"
            } else if !sharing.is_movable(&source.exp) || !sharing.is_fixed(*name) {
                "something it is made of is consumed"
            } else if effects::any_inside(&source.exp, may_stop) {
                "the elements that are not read might fail"
            } else if effects::any_inside(&source.exp, |stm| signatures.is_watched(&stm.exp)) {
                "its elements are printed or opaque"
            } else {
                continue;
            };
            log.decide(DecisionKind::SourceRefused, source.loc, refusal);
            stays.push(*name);
        }
        if stays.is_empty() {
            break;
        }
        for source in stays.iter().filter_map(|name| sources.remove(name)) {
            if let Exp::Concat(_, parts) = source.exp {
                parts.iter().for_each(|part| *read.entry(*part).or_default() -= 1);
            }
        }
    }
    let mut inline = Inline { sources, types, fresh, log };
    inline.body(&mut fun.body);
}

struct Source {
    exp: Exp,
    certs: Vec<Name>,
    ty: Type,
    loc: LocId,
}

/// The sources of a function, the types of all names, and how often a name is used and read.
#[derive(Default)]
struct Found {
    sources: BTreeMap<Name, Source>,
    types: FxHashMap<Name, Type>,
    all: FxHashMap<Name, usize>,
    read: FxHashMap<Name, usize>,
}

impl Visit for Found {
    fn name(&mut self, name: &Name) {
        *self.all.entry(*name).or_default() += 1;
    }

    fn param(&mut self, param: &Param) {
        self.types.insert(param.name, param.ty.clone());
        walk::param(self, param);
    }

    fn stm(&mut self, stm: &Stm) {
        if let ([param], true) = (&stm.pat[..], stm.attrs.has(Attr::Source))
            && is_source(&stm.exp)
            && param.ty.is_array()
            && !is_materialised(stm)
        {
            let source = Source { exp: stm.exp.clone(), certs: stm.certs.clone(), ty: param.ty.clone(), loc: stm.loc };
            self.sources.insert(param.name, source);
            if let Exp::Concat(_, parts) = &stm.exp {
                parts.iter().for_each(|part| *self.read.entry(*part).or_default() += 1);
            }
        }
        match &stm.exp {
            Exp::Index(a, _) => *self.read.entry(*a).or_default() += 1,
            Exp::Soac(Soac::Screma { arrays, map, .. } | Soac::Scatter { arrays, map, .. })
            | Exp::Soac(Soac::Hist { arrays, map, .. }) => {
                for (a, _) in arrays.iter().zip(&map.params).filter(|(_, p)| !p.unique) {
                    *self.read.entry(*a).or_default() += 1;
                }
            }
            _ => {}
        }
        walk::stm(self, stm);
    }
}

/// Whether an element can be computed without the others.
fn is_source(exp: &Exp) -> bool {
    match exp {
        Exp::Concat(..) => true,
        Exp::Soac(Soac::Screma { map, scans, reduces, post: None, .. }) => {
            scans.is_empty() && reduces.is_empty() && map.params.iter().all(|p| !p.unique && p.ty.prim().is_some())
        }
        Exp::If(_, yes, no) => [yes, no].into_iter().all(|body| {
            // All that a branch does is to choose an array, to view one or to map.
            body.stms.iter().all(|stm| match &stm.exp {
                Exp::Soac(_) => is_source(&stm.exp) && stm.pat.len() == 1,
                Exp::Concat(..) | Exp::Slice(..) | Exp::Rearrange(..) | Exp::Reshape(..) | Exp::Resize(..) => true,
                exp => effects::is_simple(exp),
            })
        }),
        _ => false,
    }
}

struct Inline<'a> {
    sources: BTreeMap<Name, Source>,
    types: FxHashMap<Name, Type>,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

/// Statements in the making, all with the same certificates.
struct Reading<'a> {
    stms: Vec<Stm>,
    certs: &'a [Name],
    loc: LocId,
}

impl Inline<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let mut stms = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                self.inputs(&mut stm, &mut stms);
                for_each_body_mut(&mut stm.exp, |body| self.body(body));
                self.index(stm, &mut stms);
            }
            body.stms = stms;
        });
    }

    fn fire(&mut self, array: Name, rule: &'static str) -> bool {
        self.sources.contains_key(&array) && self.log.fire(rule)
    }

    /// Makes an operator over sources run over their indices.
    fn inputs(&mut self, stm: &mut Stm, stms: &mut Vec<Stm>) {
        let (Exp::Soac(Soac::Screma { width, arrays, map, .. } | Soac::Scatter { width, arrays, map, .. })
        | Exp::Soac(Soac::Hist { width, arrays, map, .. })) = &mut stm.exp
        else {
            return;
        };
        for (array, param) in arrays.iter_mut().zip(&mut map.params) {
            if !self.fire(*array, "source-input") {
                continue;
            }
            let indices = self.fresh.named("iota");
            let (start, stride) = (Operand::i64(0), Operand::i64(1));
            let exp = Exp::Iota { len: *width, start, stride, prim: Prim::I64 };
            let pat = vec![Param::new(indices, Type::Array(vec![*width], Prim::I64))];
            stms.push(Stm { pat, certs: Vec::new(), attrs: Default::default(), exp, loc: stm.loc });
            let i = self.fresh.named("i");
            // The element is read as any other, and that is inlined when the function is looked at.
            let exp = Exp::Index(std::mem::replace(array, indices), vec![i.into()]);
            let pat = vec![std::mem::replace(param, Param::new(i, Type::I64))];
            let read = Stm { pat, certs: Vec::new(), attrs: Default::default(), exp, loc: stm.loc };
            map.body.stms.insert(0, read);
        }
    }

    /// Adds a statement; if it reads an element of a source, computes that.
    fn index(&mut self, stm: Stm, stms: &mut Vec<Stm>) {
        match &stm.exp {
            Exp::Index(a, indices) if !indices.is_empty() && self.fire(*a, "source-index") => {
                let (a, indices) = (*a, indices.clone());
                let row = self.sources[&a].ty.row(1);
                let certs: Vec<Name> = [&stm.certs[..], &self.sources[&a].certs].concat();
                let mut reading = Reading { stms: Vec::new(), certs: &certs, loc: stm.loc };
                let exp = self.sources[&a].exp.clone();
                let x = self.element(&exp, indices[0], &row, &mut reading);
                let made = reading.stms;
                for stm in made {
                    with_stack(|| self.index(stm, stms));
                }
                let exp = match (&indices[1..], x) {
                    ([], x) => Exp::Operand(x),
                    (rest, Operand::Var(row)) => Exp::Index(row, rest.to_vec()),
                    (_, x) => Exp::Operand(x),
                };
                with_stack(|| self.index(Stm { exp, certs, ..stm }, stms));
            }
            _ => stms.push(stm),
        }
    }

    /// The row at `i` of an array that an expression makes.
    fn element(&mut self, exp: &Exp, i: Operand, row: &Type, out: &mut Reading) -> Operand {
        match exp {
            Exp::Soac(Soac::Screma { arrays, map, .. }) => {
                let rows: Vec<Operand> = (arrays.iter().zip(&map.params))
                    .map(|(a, p)| out.add(self.fresh, "x", &p.ty, Exp::Index(*a, vec![i])))
                    .collect();
                let Lambda { params, body, .. } = map;
                let body = instantiate(params, body, &rows, self.fresh);
                out.splice(body)
            }
            Exp::Concat(_, parts) => self.part(parts, i, row, out),
            Exp::If(cond, yes, no) => {
                let mut branch = |body: &Body| {
                    let body = copy_body(body, self.fresh);
                    let mut inner = Reading { stms: Vec::new(), certs: out.certs, loc: out.loc };
                    let Some(Operand::Var(array)) = body.results.first().copied() else { return Body::default() };
                    let mut maker = None;
                    for stm in body.stms {
                        if stm.pat[0].name == array && matches!(stm.exp, Exp::Soac(_)) {
                            maker = Some(stm.exp);
                        } else {
                            inner.stms.push(stm);
                        }
                    }
                    let x = match maker {
                        Some(exp) => self.element(&exp, i, row, &mut inner),
                        None => inner.add(self.fresh, "x", row, Exp::Index(array, vec![i])),
                    };
                    let mut made = Vec::new();
                    for stm in inner.stms {
                        with_stack(|| self.index(stm, &mut made));
                    }
                    Body { stms: made, results: vec![x] }
                };
                let (yes, no) = (branch(yes), branch(no));
                out.add(self.fresh, "x", row, Exp::If(*cond, yes, no))
            }
            exp => panic!("`{exp}` is no source"),
        }
    }

    /// The row at `i` of arrays one after the other.
    fn part(&mut self, parts: &[Name], i: Operand, row: &Type, out: &mut Reading) -> Operand {
        let [first, rest @ ..] = parts else { panic!("a concatenation of nothing") };
        if rest.is_empty() {
            return out.add(self.fresh, "x", row, Exp::Index(*first, vec![i]));
        }
        let n = self.types[first].dims()[0];
        let inside = out.add(self.fresh, "inside", &Type::BOOL, Exp::Cmp(CmpOp::Lt, i, n));
        let mut yes = Reading { stms: Vec::new(), certs: out.certs, loc: out.loc };
        let x = yes.add(self.fresh, "x", row, Exp::Index(*first, vec![i]));
        let mut no = Reading { stms: Vec::new(), certs: out.certs, loc: out.loc };
        let j = no.add(self.fresh, "j", &Type::I64, Exp::Bin(BinOp::Sub, i, n));
        let y = with_stack(|| self.part(rest, j, row, &mut no));
        let mut body = |stms: Vec<Stm>, x: Operand| {
            let mut made = Vec::new();
            for stm in stms {
                with_stack(|| self.index(stm, &mut made));
            }
            Body { stms: made, results: vec![x] }
        };
        let (yes, no) = (body(yes.stms, x), body(no.stms, y));
        out.add(self.fresh, "x", row, Exp::If(inside, yes, no))
    }
}

impl Reading<'_> {
    fn add(&mut self, fresh: &mut Fresh, base: &str, ty: &Type, exp: Exp) -> Operand {
        let name = fresh.named(base);
        let pat = vec![Param::new(name, ty.clone())];
        self.stms.push(Stm { pat, certs: self.certs.to_vec(), attrs: Default::default(), exp, loc: self.loc });
        name.into()
    }

    fn splice(&mut self, body: Body) -> Operand {
        for mut stm in body.stms {
            let more: Vec<Name> = self.certs.iter().filter(|c| !stm.certs.contains(c)).copied().collect();
            stm.certs.extend(more);
            self.stms.push(stm);
        }
        body.results[0]
    }
}
