//! Computes what an update adds from what is known outside of the maps around it.

use super::{Along, Exports, Nest, Update};
use crate::differentiate::arrays::{plus, sum, zero};
use kenaz_ir::sharing::Sharing;
use kenaz_ir::visit::{copy_body, free_in_exp, free_in_type};
use kenaz_ir::{Body, Builder, DimSlice, Exp, Lambda, Name, Operand, Soac, Stm, Type, effects};
use rustc_hash::{FxHashMap, FxHashSet};

/// More statements than this are not worth it.
const LONGEST: usize = 200;

pub(super) struct Pull<'a> {
    b: &'a mut Builder,
    sharing: &'a Sharing,
    /// The classes of arrays that are consumed inside, and must not be read after that.
    consumed: FxHashSet<Name>,
    nest: &'a Nest,
    /// Where names are bound: in which body, and by what.
    defs: FxHashMap<Name, Def<'a>>,
    /// All maps; those of the nest come first.
    places: Vec<Place>,
    /// All that is bound inside.
    inner: FxHashSet<Name>,
    /// Whether the function of the `with_acc` stays.
    stays: bool,
    /// The iterations that stand for those of maps.
    at: FxHashMap<usize, Operand>,
    /// The map in which the update is.
    innermost: usize,
    pulled: FxHashMap<Name, Operand>,
    count: usize,
    pub exports: Exports,
}

#[derive(Clone, Copy)]
struct Def<'a> {
    /// A map of the nest, or after those another one.
    place: usize,
    what: What<'a>,
}

struct Place {
    parent: usize,
    width: Operand,
    /// One of its parameters, to know it by.
    key: Name,
}

#[derive(Clone, Copy)]
enum What<'a> {
    Param(Name),
    Stm(&'a Stm),
}

impl Place {
    fn of(node: &super::Node) -> Place {
        Place { parent: node.parent, width: node.width, key: node.acc }
    }
}

impl<'a> Pull<'a> {
    pub(super) fn new(
        b: &'a mut Builder,
        sharing: &'a Sharing,
        consumed: FxHashSet<Name>,
        nest: &'a Nest,
        lambda: &'a Lambda,
        stays: bool,
    ) -> Pull<'a> {
        let inner = kenaz_ir::visit::bound_in_body(&lambda.body).into_iter().collect();
        let (defs, at, pulled) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        let mut pull = Pull {
            b,
            sharing,
            consumed,
            nest,
            defs,
            places: nest.nodes.iter().map(Place::of).collect(),
            inner,
            stays,
            at,
            innermost: 0,
            pulled,
            count: 0,
            exports: Exports::default(),
        };
        pull.collect(&lambda.body, 0);
        pull
    }

    fn collect(&mut self, body: &'a Body, place: usize) {
        for stm in &body.stms {
            for p in &stm.pat {
                self.defs.insert(p.name, Def { place, what: What::Stm(stm) });
            }
            let Exp::Soac(Soac::Screma { width, arrays, map, post: None, .. }) = &stm.exp else { continue };
            let Some(first) = map.params.first() else { continue };
            let of_nest = self.nest.nodes.iter().position(|node| map.params.iter().any(|p| p.name == node.acc));
            let inside = of_nest.unwrap_or_else(|| {
                self.places.push(Place { parent: place, width: *width, key: first.name });
                self.places.len() - 1
            });
            for (p, array) in map.params.iter().zip(arrays) {
                self.defs.insert(p.name, Def { place: inside, what: What::Param(*array) });
            }
            self.collect(&map.body, inside);
        }
    }

    /// The sum of what an update adds, by the maps whose iterations are places, and of what others have added.
    pub(super) fn sum(
        &mut self,
        update: &Update,
        along: &[Along],
        ty: &Type,
        before: Option<Operand>,
    ) -> Option<Operand> {
        let path = self.nest.path(update.node);
        let maps = along.iter().filter_map(|along| match along {
            Along::Map(node) => Some(*node),
            Along::Fixed(_) => None,
        });
        let places: Vec<usize> = maps.collect();
        let rest: Vec<usize> = path.iter().filter(|node| !places.contains(node)).copied().collect();
        self.innermost = update.node;
        self.pulled.clear();
        self.at.clear();
        self.count = 0;
        let loc = std::mem::replace(&mut self.b.loc, update.loc);
        let certs = std::mem::take(&mut self.b.certs);
        let part = self.nested(&places, &rest, update.value);
        let total = part.map(|part| self.added(along, ty, before, part));
        (self.b.loc, self.b.certs) = (loc, certs);
        total
    }

    /// A part of an array added to what is there before.
    fn added(&mut self, along: &[Along], ty: &Type, before: Option<Operand>, part: Operand) -> Operand {
        if along.iter().all(|along| matches!(along, Along::Map(_))) {
            return before.map_or(part, |before| plus(self.b, ty, before, part));
        }
        let before = before.unwrap_or_else(|| zero(self.b, ty));
        let Operand::Var(before) = before else { return before };
        let dims: Vec<DimSlice> = along
            .iter()
            .zip(ty.dims())
            .map(|(along, n)| match along {
                Along::Fixed(i) => DimSlice::Fix(*i),
                Along::Map(_) => DimSlice::Range { start: Operand::i64(0), len: *n, stride: Operand::i64(1) },
            })
            .collect();
        let fixed = dims.iter().map(|dim| match dim {
            DimSlice::Fix(i) => Some(*i),
            DimSlice::Range { .. } => None,
        });
        let old = match fixed.collect::<Option<Vec<_>>>() {
            Some(index) => self.b.index(before, index),
            None => self.b.slice(before, dims.clone()).into(),
        };
        let part_ty = self.b.type_of(part);
        let new = plus(self.b, &part_ty, old, part);
        // The accumulator would have consumed it as well.
        self.b.update(before, dims, new).into()
    }

    fn nested(&mut self, places: &[usize], rest: &[usize], value: Operand) -> Option<Operand> {
        let (node, places, rest, is_place) = match (places, rest) {
            ([node, places @ ..], _) => (*node, places, rest, true),
            ([], [node, rest @ ..]) => (*node, places, rest, false),
            ([], []) => return self.scalar(value),
        };
        let width = self.nest.nodes[node].width;
        let steps = self.b.iota(width);
        let i = self.b.param("i", Type::I64);
        self.at.insert(node, i.name.into());
        self.b.begin();
        let inner = self.nested(places, rest, value);
        let body = self.b.end(inner.into_iter().collect());
        let ty = self.b.type_of(inner?);
        let reduces = if is_place { Vec::new() } else { vec![sum(self.b, &ty)] };
        let map = Lambda { params: vec![i], body, ret: vec![ty] };
        let soac = Soac::Screma { width, arrays: vec![steps], map, scans: Vec::new(), reduces, post: None };
        Some(self.b.let_infer("sum", Exp::Soac(soac)).into())
    }

    /// The value of a scalar, or a row of an array.
    fn scalar(&mut self, x: Operand) -> Option<Operand> {
        let Operand::Var(name) = x else { return Some(x) };
        if let Some(pulled) = self.pulled.get(&name) {
            return Some(*pulled);
        }
        let Some(Def { place, what }) = self.defs.get(&name).copied() else {
            return (!self.inner.contains(&name)).then_some(x);
        };
        let pulled = match what {
            What::Param(array) => {
                let i = *self.at.get(&place)?;
                self.element(array, vec![i])?
            }
            What::Stm(stm) => self.statement(stm, place, name)?,
        };
        self.pulled.insert(name, pulled);
        Some(pulled)
    }

    fn statement(&mut self, stm: &'a Stm, place: usize, name: Name) -> Option<Operand> {
        self.count += 1;
        let is_checked = stm.certs.iter().any(|cert| self.inner.contains(cert));
        // What is different for each update is computed once in any case.
        let is_innermost = self.path(place).len() >= self.path(self.innermost).len();
        if self.count > LONGEST {
            return None;
        }
        match &stm.exp {
            _ if is_checked => self.export(place, name, Vec::new()),
            Exp::Operand(x) => self.scalar(*x),
            Exp::Index(a, index) => {
                let index = index.iter().map(|i| self.scalar(*i)).collect::<Option<Vec<_>>>()?;
                self.element(*a, index)
            }
            exp if effects::is_arithmetic(exp) => {
                if !is_innermost && let Some(found) = self.export(place, name, Vec::new()) {
                    return Some(found);
                }
                if !is_innermost && !effects::is_cheap_scalar(stm) {
                    return None;
                }
                let mut exp = exp.clone();
                let mut subst = kenaz_ir::visit::Subst::new();
                for x in free_in_exp(&exp) {
                    subst.insert(x, self.scalar(x.into())?);
                }
                subst.apply_to_exp(&mut exp);
                let loc = std::mem::replace(&mut self.b.loc, stm.loc);
                let new = self.b.let_infer("part", exp);
                self.b.loc = loc;
                Some(new.into())
            }
            Exp::If(..) if effects::is_cheap_scalar(stm) => {
                if !is_innermost && let Some(found) = self.export(place, name, Vec::new()) {
                    return Some(found);
                }
                let at = stm.pat.iter().position(|p| p.name == name)?;
                let mut subst = kenaz_ir::visit::Subst::new();
                for x in free_in_exp(&stm.exp) {
                    subst.insert(x, self.scalar(x.into())?);
                }
                let results = vec![stm.pat[at].name.into()];
                let mut body = copy_body(&Body { stms: vec![stm.clone()], results }, &mut self.b.fresh);
                subst.apply_to_body(&mut body);
                self.b.splice(body).first().copied()
            }
            _ => self.export(place, name, Vec::new()),
        }
    }

    /// Whether an array can be read after the nest.
    fn is_there(&self, array: Name) -> bool {
        !self.consumed.contains(&self.sharing.class(array))
    }

    /// The maps around a place, from the outermost to the innermost.
    fn path(&self, mut place: usize) -> Vec<usize> {
        let mut path = Vec::new();
        while place != 0 {
            path.push(place);
            place = self.places[place].parent;
        }
        path.reverse();
        path
    }

    /// An element of an array, or one of its rows.
    fn element(&mut self, array: Name, index: Vec<Operand>) -> Option<Operand> {
        self.count += 1;
        if self.count > LONGEST {
            return None;
        }
        let Some(Def { place, what }) = self.defs.get(&array).copied() else {
            let is_known = !self.inner.contains(&array) && self.is_there(array);
            return is_known.then(|| self.index(array, index));
        };
        let stm = match what {
            What::Param(of) => {
                let mut all = vec![*self.at.get(&place)?];
                all.extend(index);
                return self.element(of, all);
            }
            What::Stm(stm) => stm,
        };
        if stm.certs.iter().any(|cert| self.inner.contains(cert)) {
            return self.export(place, array, index);
        }
        let is_whole = index.len() == self.b.type_of(array).rank();
        match &stm.exp {
            Exp::Operand(Operand::Var(a)) => self.element(*a, index),
            // Of an array that is consumed after it was copied there is the copy.
            Exp::Copy(a) => self.element(*a, index.clone()).or_else(|| self.export(place, array, index)),
            Exp::Index(a, first) => {
                let mut all = first.iter().map(|i| self.scalar(*i)).collect::<Option<Vec<_>>>()?;
                all.extend(index);
                self.element(*a, all)
            }
            Exp::Rearrange(perm, a) if is_whole => {
                let mut all = index.clone();
                for (to, from) in perm.iter().enumerate() {
                    all[*from] = index[to];
                }
                self.element(*a, all)
            }
            Exp::Slice(a, dims) if is_whole => {
                let mut index = index.into_iter();
                let mut all = Vec::new();
                for dim in dims {
                    all.push(match dim {
                        DimSlice::Fix(x) => self.scalar(*x)?,
                        DimSlice::Range { start, stride, .. } => {
                            let (start, stride) = (self.scalar(*start)?, self.scalar(*stride)?);
                            let step = self.b.bin(kenaz_ir::BinOp::Mul, index.next()?, stride);
                            self.b.bin(kenaz_ir::BinOp::Add, start, step)
                        }
                    });
                }
                self.element(*a, all)
            }
            Exp::Replicate(dims, x) if index.len() >= dims.len() => match x {
                Operand::Var(a) if index.len() > dims.len() => self.element(*a, index[dims.len()..].to_vec()),
                x => self.scalar(*x),
            },
            Exp::Iota { start, stride, prim: kenaz_base::Prim::I64, .. } => {
                let (start, stride) = (self.scalar(*start)?, self.scalar(*stride)?);
                let step = self.b.bin(kenaz_ir::BinOp::Mul, *index.first()?, stride);
                Some(self.b.bin(kenaz_ir::BinOp::Add, start, step))
            }
            Exp::Soac(Soac::Screma { map, scans, reduces, post: None, .. }) if scans.is_empty() && is_whole => {
                let reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
                let at = stm.pat.iter().position(|p| p.name == array).filter(|at| *at >= reduced);
                let found = at.and_then(|at| self.computed(map, map.body.results[at], &index));
                found.or_else(|| self.export(place, array, index))
            }
            _ => self.export(place, array, index),
        }
    }

    /// An element of what a map yields, if it is easily computed.
    fn computed(&mut self, map: &Lambda, result: Operand, index: &[Operand]) -> Option<Operand> {
        let place = self.defs.get(&map.params.first()?.name)?.place;
        let before = self.at.insert(place, index[0]);
        let pulled = std::mem::take(&mut self.pulled);
        let found = match (result, &index[1..]) {
            (x, []) => self.scalar(x),
            (Operand::Var(a), rest) => self.element(a, rest.to_vec()),
            _ => None,
        };
        match before {
            Some(before) => self.at.insert(place, before),
            None => self.at.remove(&place),
        };
        self.pulled = pulled;
        found
    }

    fn index(&mut self, array: Name, index: Vec<Operand>) -> Operand {
        if index.is_empty() { array.into() } else { self.b.index(array, index) }
    }

    /// An element of what stays where it is, and leaves the maps around it.
    fn export(&mut self, place: usize, name: Name, index: Vec<Operand>) -> Option<Operand> {
        let ty = self.b.type_of(name);
        let is_known = ty.prim().is_some() && free_in_type(&ty).iter().all(|n| !self.inner.contains(n));
        let is_there = !ty.is_array() || self.is_there(name);
        let path = self.path(place);
        // More elements than there are updates would take more than these.
        let is_large = path.len() + ty.rank() > self.path(self.innermost).len();
        if !is_known || !is_there || is_large {
            return None;
        }
        let mut all = path.iter().map(|node| self.at.get(node).copied()).collect::<Option<Vec<_>>>()?;
        all.extend(index);
        let mut outer = name;
        for node in path.iter().rev() {
            let ty = self.b.type_of(outer).array_of(self.places[*node].width);
            outer = self.exported(*node, outer, ty);
        }
        if self.stays {
            let ty = self.b.type_of(outer);
            outer = self.exported(0, outer, ty);
        }
        Some(self.index(outer, all))
    }

    /// The name of something outside of a map.
    fn exported(&mut self, node: usize, name: Name, ty: Type) -> Name {
        let known = self.exports.entry(self.places[node].key).or_default();
        if let Some((_, outer)) = known.iter().find(|(inner, _)| *inner == name) {
            return *outer;
        }
        let outer = self.b.name("each", ty);
        known.push((name, outer));
        outer
    }
}
