//! A concatenation of arrays that exist already is read where they are, and not made.
//!
//! ```text
//! let s = slice x[0 :+ m * 1]                let is = iota n
//! let h = array [x0]                         let b = map n (is) \(i) -> {
//! let c = concat n (h, s)                      let t = lt i 1
//! let b = map n (c) \(e) -> { … }       →      let k = if t then { in 0 } else { let j = sub i 1 in j }
//!                                              let e = index x[k]
//!                                              … }
//! ```
//!
//! The neighbours of all elements are often written like this, and padded arrays. A concatenation whose parts are made
//! for it is not touched: they are made where they belong. One whose parts are views, parameters, single elements or
//! repeated values would be copied together; so if one map in the same body reads it, once, the map reads the parts.
//! Where all parts are rows of one array, only an index is chosen; otherwise elements are, and rows are left alone,
//! since a choice of arrays costs more than it saves. A row that is put together in an iteration of an operator stays
//! in the cache, and a loop over all of it has no edges; so that is made. Parts of constants are read so by everybody:
//! a choice between two constants is no slower than a load. Where single elements are all that is read, each once for
//! every time that the whole would be made, the whole is never made: `(xs ++ [n])[i]` in a map is a choice, not a copy
//! of `xs` in each iteration.
//!
//! The comparison with the index is what `plan::cuts` splits loops at, so that neighbours are read as neighbours.
//!
//! The pass assumes that fusion is done, which needs arrays as operands. What is not read any more is left to
//! `simplify`. Cost: linear in the program.

use crate::fuse::is_materialised;
use kenaz_base::{Prim, with_stack};
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::visit::{Visit, for_each_body_mut, walk};
use kenaz_ir::{
    BinOp, Body, CmpOp, DimSlice, Exp, Fresh, Lambda, LocId, Log, Name, Operand, Param, Pass, PassCx, Prog, Scalar,
    Soac, Stm, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub const PASS: Pass = Pass {
    name: "concats",
    about: "reads the parts of concatenations instead of copying them together",
    stage: None,
    run,
};

/// The names of its rules.
pub const RULES: &[&str] = &["concat-index", "concat-input"];

/// The most parts: each costs a comparison.
const MOST: usize = 3;

fn run(prog: &mut Prog, cx: &mut PassCx) {
    let signatures = Signatures::of(prog);
    let Prog { funs, fresh, .. } = prog;
    for fun in funs {
        let mut found = Found::default();
        found.fun(fun);
        if found.concats.is_empty() {
            continue;
        }
        let sharing = Sharing::of(fun, &signatures);
        let lazy = found.lazy(&sharing);
        if !lazy.is_empty() {
            Reader { lazy, fresh, log: &mut cx.log }.body(&mut fun.body);
        }
    }
}

/// How an element of a part is found, by its number in the part.
#[derive(Clone, Debug)]
enum Part {
    /// Of this array, at the given indices and `start + stride * i`.
    View { array: Name, fixed: Vec<Operand>, start: Operand, stride: Operand },
    /// Always the same value.
    Value(Operand),
}

/// A concatenation that is not made.
struct Lazy {
    /// With the number of elements of each.
    parts: Vec<(Part, Operand)>,
    certs: Vec<Name>,
}

struct Def {
    exp: Exp,
    certs: Vec<Name>,
}

#[derive(Default)]
struct Found {
    /// Views, literals and repeated values.
    defs: FxHashMap<Name, Def>,
    types: FxHashMap<Name, Type>,
    /// The concatenations, in order, with their bodies and regions.
    concats: Vec<(Name, usize, usize)>,
    /// How often a name is used.
    all: FxHashMap<Name, usize>,
    /// How an array is read by index or by operators.
    read: FxHashMap<Name, Vec<Read>>,
    /// Arrays that are made, by anything that could make them elsewhere.
    made: FxHashSet<Name>,
    bodies: usize,
    body: usize,
    /// The innermost function of an operator or loop, by number; 0 outside of all. What stands in one region happens at
    /// most once in each of its iterations.
    region: usize,
    regions: usize,
    /// In how many functions of operators the body stands.
    lambdas: usize,
    /// The concatenations in functions of operators.
    inner: FxHashSet<Name>,
}

/// Who reads an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// An index; whether it gives all dimensions.
    Index {
        is_element: bool,
    },
    /// An operator that does something with each element by itself.
    Map,
    Other,
}

/// One place where an array is read.
struct Read {
    body: usize,
    region: usize,
    by: By,
}

impl Visit for Found {
    fn name(&mut self, name: &Name) {
        *self.all.entry(*name).or_default() += 1;
    }

    fn param(&mut self, param: &Param) {
        self.types.insert(param.name, param.ty.clone());
        walk::param(self, param);
    }

    fn body(&mut self, body: &Body) {
        self.bodies += 1;
        let outer = std::mem::replace(&mut self.body, self.bodies);
        with_stack(|| walk::body(self, body));
        self.body = outer;
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.lambdas += 1;
        self.repeated(|this| walk::lambda(this, lambda));
        self.lambdas -= 1;
    }

    fn stm(&mut self, stm: &Stm) {
        if let [param] = &stm.pat[..] {
            let is_known = match &stm.exp {
                Exp::Concat(_, parts) => {
                    if parts.len() <= MOST && stm.attrs.is_free() && !is_materialised(stm) {
                        self.concats.push((param.name, self.body, self.region));
                        self.inner.extend((self.lambdas > 0).then_some(param.name));
                    }
                    true
                }
                Exp::Slice(..) | Exp::Index(..) | Exp::Array(..) | Exp::Replicate(..) | Exp::Resize(..) => true,
                _ => false,
            };
            if is_known && stm.attrs.is_free() {
                self.defs.insert(param.name, Def { exp: stm.exp.clone(), certs: stm.certs.clone() });
            }
        }
        let is_view = kenaz_ir::effects::viewed(&stm.exp).is_some();
        self.made.extend(stm.pat.iter().filter(|p| p.ty.is_array() && !is_view).map(|p| p.name));
        match &stm.exp {
            Exp::Index(a, _) => {
                let is_element = stm.pat.iter().all(|p| !p.ty.is_array());
                self.reads(*a, By::Index { is_element });
            }
            Exp::Soac(soac) if stm.attrs.is_free() => {
                for array in operands(soac) {
                    self.reads(array, if is_map(soac) { By::Map } else { By::Other });
                }
            }
            _ => {}
        }
        match &stm.exp {
            Exp::Loop { .. } => self.repeated(|this| walk::stm(this, stm)),
            _ => walk::stm(self, stm),
        }
    }
}

/// Whether an operator does something with each element by itself.
fn is_map(soac: &Soac) -> bool {
    match soac {
        Soac::Screma { scans, reduces, .. } => scans.is_empty() && reduces.is_empty(),
        Soac::Scatter { .. } | Soac::Hist { .. } => true,
        _ => false,
    }
}

/// What an operator reads one by one, and does not consume.
fn operands(soac: &Soac) -> Vec<Name> {
    let (Soac::Screma { arrays, map, .. } | Soac::Scatter { arrays, map, .. } | Soac::Hist { arrays, map, .. }) = soac
    else {
        return Vec::new();
    };
    arrays.iter().zip(&map.params).filter(|(_, p)| !p.unique).map(|(a, _)| *a).collect()
}

impl Found {
    /// Walks a loop or the function of an operator.
    fn repeated(&mut self, walk: impl FnOnce(&mut Self)) {
        self.regions += 1;
        let outer = std::mem::replace(&mut self.region, self.regions);
        walk(self);
        self.region = outer;
    }

    fn reads(&mut self, array: Name, by: By) {
        let read = Read { body: self.body, region: self.region, by };
        self.read.entry(array).or_default().push(read);
    }

    /// The concatenations that are not to be made.
    fn lazy(&self, sharing: &Sharing) -> FxHashMap<Name, Lazy> {
        let mut lazy = FxHashMap::default();
        for (name, body, region) in &self.concats {
            let (Some(def), Some(ty)) = (self.defs.get(name), self.types.get(name)) else { continue };
            let Exp::Concat(_, arrays) = &def.exp else { continue };
            let reads = self.read.get(name).map_or(&[][..], |reads| &reads[..]);
            if reads.is_empty() || self.all.get(name) != Some(&reads.len()) || !sharing.is_fixed(*name) {
                continue;
            }
            let mut certs = def.certs.clone();
            let parts: Option<Vec<(Part, Operand)>> =
                arrays.iter().map(|part| self.part(*part, sharing, &mut certs)).collect();
            let Some(parts) = parts else { continue };
            let is_constant = parts.iter().all(|(part, _)| matches!(part, Part::Value(Operand::Const(_))));
            let is_once = matches!(reads, [read] if read.body == *body && read.by != By::Other);
            let is_long = ty.rank() == 1 && !self.inner.contains(name);
            let is_element = |read: &Read| read.region == *region && read.by == By::Index { is_element: true };
            let is_whole_needless = reads.iter().all(is_element);
            if !(is_constant || is_whole_needless || is_once && (is_long || one_array(&parts) && ty.rank() > 1)) {
                continue;
            }
            certs.sort();
            certs.dedup();
            lazy.insert(*name, Lazy { parts, certs });
        }
        lazy
    }

    /// How elements of a part are found, if they exist already.
    fn part(&self, name: Name, sharing: &Sharing, certs: &mut Vec<Name>) -> Option<(Part, Operand)> {
        let len = *self.types.get(&name)?.dims().first()?;
        let (zero, one) = (Operand::i64(0), Operand::i64(1));
        let fixed = |array: Name| sharing.is_fixed(array).then_some(array);
        let whole =
            |array: Name| Some(Part::View { array: fixed(array)?, fixed: Vec::new(), start: zero, stride: one });
        let Some(def) = self.defs.get(&name) else {
            return if self.made.contains(&name) { None } else { Some((whole(name)?, len)) };
        };
        certs.extend(&def.certs);
        let part = match &def.exp {
            Exp::Index(array, indices) => {
                Part::View { array: fixed(*array)?, fixed: indices.clone(), start: zero, stride: one }
            }
            Exp::Slice(array, slices) => {
                let at = slices.iter().position(|slice| matches!(slice, DimSlice::Range { .. }))?;
                let DimSlice::Range { start, stride, .. } = slices[at] else { return None };
                let is_fix = |slice: &DimSlice| if let DimSlice::Fix(i) = slice { Some(*i) } else { None };
                let dims = self.types.get(array)?.dims();
                let is_whole =
                    |(slice, n): (&DimSlice, &Operand)| *slice == DimSlice::Range { start: zero, len: *n, stride: one };
                if !slices[at + 1..].iter().zip(&dims[at + 1..]).all(is_whole) {
                    return None;
                }
                let before = slices[..at].iter().filter_map(is_fix).collect();
                Part::View { array: fixed(*array)?, fixed: before, start, stride }
            }
            Exp::Array(elems, ty) => match elems[..] {
                [x] if !ty.is_array() => self.single(x, sharing),
                [Operand::Var(row)] => {
                    let def = self.defs.get(&row)?;
                    let Exp::Index(array, indices) = &def.exp else { return None };
                    certs.extend(&def.certs);
                    let (at, before) = indices.split_last()?;
                    Part::View { array: fixed(*array)?, fixed: before.to_vec(), start: *at, stride: zero }
                }
                _ => return None,
            },
            Exp::Replicate(dims, x) if dims.len() == 1 => match x {
                Operand::Const(_) => Part::Value(*x),
                Operand::Var(x) => (self.types.get(x)?.rank() == 0).then_some(Part::Value((*x).into()))?,
            },
            _ => return None,
        };
        Some((part, len))
    }

    /// A single element: read where it is if it is one of an array, so that only an index need be chosen.
    fn single(&self, x: Operand, sharing: &Sharing) -> Part {
        let def = x.name().and_then(|name| self.defs.get(&name));
        match def.map(|def| (&def.exp, def.certs.is_empty())) {
            Some((Exp::Index(array, indices), true)) if sharing.is_fixed(*array) => match indices.split_last() {
                Some((at, before)) => {
                    let (array, fixed, start) = (*array, before.to_vec(), *at);
                    Part::View { array, fixed, start, stride: Operand::i64(0) }
                }
                None => Part::Value(x),
            },
            _ => Part::Value(x),
        }
    }
}

/// Whether all parts are rows of one array.
fn one_array(parts: &[(Part, Operand)]) -> bool {
    let of = |(part, _): &(Part, Operand)| match part {
        Part::View { array, fixed, .. } => Some((*array, fixed.clone())),
        Part::Value(_) => None,
    };
    let first = parts.first().and_then(of);
    first.is_some() && parts.iter().all(|part| of(part) == first)
}

struct Reader<'a> {
    lazy: FxHashMap<Name, Lazy>,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

impl Reader<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let mut stms = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                self.inputs(&mut stm, &mut stms);
                for_each_body_mut(&mut stm.exp, |body| self.body(body));
                match &stm.exp {
                    Exp::Index(a, indices) if self.lazy.contains_key(a) && self.log.fire("concat-index") => {
                        let (a, indices) = (*a, indices.clone());
                        self.element(a, &indices, stm, &mut stms);
                    }
                    _ => stms.push(stm),
                }
            }
            body.stms = stms;
        });
    }

    /// A map over concatenations runs over their indices.
    fn inputs(&mut self, stm: &mut Stm, stms: &mut Vec<Stm>) {
        let loc = stm.loc;
        let Exp::Soac(soac) = &mut stm.exp else { return };
        let read = operands(soac);
        let (Soac::Screma { width, arrays, map, .. }
        | Soac::Scatter { width, arrays, map, .. }
        | Soac::Hist { width, arrays, map, .. }) = soac
        else {
            return;
        };
        let mut first = Vec::new();
        for (array, param) in arrays.iter_mut().zip(&mut map.params) {
            if !read.contains(array) || !self.lazy.contains_key(array) || !self.log.fire("concat-input") {
                continue;
            }
            let numbers = self.fresh.named("iota");
            let exp = Exp::Iota { len: *width, start: Operand::i64(0), stride: Operand::i64(1), prim: Prim::I64 };
            stms.push(plain(Param::new(numbers, Type::Array(vec![*width], Prim::I64)), exp, &[], loc));
            let i = self.fresh.named("i");
            let element = std::mem::replace(param, Param::new(i, Type::I64));
            let concat = std::mem::replace(array, numbers);
            let read = plain(element, Exp::Index(concat, vec![i.into()]), &[], loc);
            self.element(concat, &[i.into()], read, &mut first);
        }
        map.body.stms.splice(0..0, first);
    }

    /// Puts an element of a concatenation in the place of a statement that reads it.
    fn element(&mut self, concat: Name, indices: &[Operand], stm: Stm, stms: &mut Vec<Stm>) {
        let Lazy { parts, certs } = &self.lazy[&concat];
        let mut all = stm.certs.clone();
        all.extend(certs.iter().filter(|cert| !stm.certs.contains(cert)));
        let (parts, certs, loc, param) = (parts.clone(), all, stm.loc, stm.pat[0].clone());
        let mut choice = Choice { fresh: self.fresh, certs: &certs, loc, ty: param.ty.clone(), rest: &indices[1..] };
        if one_array(&parts)
            && let Part::View { array, fixed, .. } = &parts[0].0
        {
            let at = choice.choose(&parts, indices[0], true, stms);
            let indices = [&fixed[..], &[at], &indices[1..]].concat();
            stms.push(plain(param, Exp::Index(*array, indices), &certs, loc));
        } else {
            let x = choice.choose(&parts, indices[0], false, stms);
            stms.push(plain(param, Exp::Operand(x), &certs, loc));
        }
    }
}

/// The making of a choice between parts.
struct Choice<'a> {
    fresh: &'a mut Fresh,
    certs: &'a [Name],
    loc: LocId,
    /// Of what is read.
    ty: Type,
    /// The other indices.
    rest: &'a [Operand],
}

impl Choice<'_> {
    /// The place in the array of the parts, or the element itself, for a number in the concatenation.
    fn choose(&mut self, parts: &[(Part, Operand)], i: Operand, place: bool, stms: &mut Vec<Stm>) -> Operand {
        let [(part, len), rest @ ..] = parts else { return i };
        if rest.is_empty() {
            return self.read(part, i, place, stms);
        }
        let inside = self.add("inside", Type::BOOL, Exp::Cmp(CmpOp::Lt, i, *len), stms);
        let (mut yes, mut no) = (Body::default(), Body::default());
        yes.results = vec![self.read(part, i, place, &mut yes.stms)];
        let j = self.add("j", Type::I64, Exp::Bin(BinOp::Sub, i, *len), &mut no.stms);
        no.results = vec![self.choose(rest, j, place, &mut no.stms)];
        let ty = if place { Type::I64 } else { self.ty.clone() };
        self.add("x", ty, Exp::If(inside, yes, no), stms)
    }

    fn read(&mut self, part: &Part, i: Operand, place: bool, stms: &mut Vec<Stm>) -> Operand {
        let Part::View { array, fixed, start, stride } = part else {
            let Part::Value(x) = part else { return i };
            return *x;
        };
        let is = |x: &Operand, n: i64| *x == Operand::Const(Scalar::I64(n));
        let mut at = i;
        if is(stride, 0) {
            at = *start;
        } else {
            if !is(stride, 1) {
                at = self.add("mul", Type::I64, Exp::Bin(BinOp::Mul, at, *stride), stms);
            }
            if !is(start, 0) {
                at = self.add("add", Type::I64, Exp::Bin(BinOp::Add, at, *start), stms);
            }
        }
        if place {
            return at;
        }
        let indices = [&fixed[..], &[at], self.rest].concat();
        let name = self.fresh.named("x");
        stms.push(plain(Param::new(name, self.ty.clone()), Exp::Index(*array, indices), self.certs, self.loc));
        name.into()
    }

    fn add(&mut self, base: &str, ty: Type, exp: Exp, stms: &mut Vec<Stm>) -> Operand {
        let name = self.fresh.named(base);
        stms.push(plain(Param::new(name, ty), exp, &[], self.loc));
        name.into()
    }
}

fn plain(param: Param, exp: Exp, certs: &[Name], loc: LocId) -> Stm {
    Stm { pat: vec![param], certs: certs.to_vec(), attrs: Default::default(), exp, loc }
}
