//! Versions of nests on a device: who runs the outer iterations, and who the inner ones.
//!
//! ```text
//! let b_1 = par grid (i_2 < n_3) own {         let b_1 = if few_7 then {  par (i_2 < n_3) own {… par grid …}  }
//!   let s_4 = par (j_5 < m_6) reduce … {…}  ⇒    else if threads_8 then {  par grid (i_2 < n_3) own {… par …}  }
//!   in s_4                                       else {  par block (i_2 < n_3) own {… par lane …}  }
//! }
//! ```
//!
//! | version | outer iterations | inner ones | when |
//! |---|---|---|---|
//! | *few* | one after the other, by the host | all threads | there are few of the outer ones, and very many inner ones |
//! | *threads* | one thread each | in sequence | there are enough of them, or the inner ones are few |
//! | *blocks* | one block each | its lanes, arrays in between in shared memory | otherwise, if these arrays fit |
//!
//! The numbers in the conditions are tunables. A nest of maps with nothing between them counts as one map. What cannot
//! have several versions stays as it is: what has no parallelism inside, or what reduces or writes itself. Blocks run
//! only what is regular: sizes that differ from one iteration to the next are for threads.
//! `#[incremental_flattening(…)]` says which versions there are.
//!
//! A version is a copy, so that a nest of depth *d* becomes at most 2*d* + 1 of them. The log has a decision for each
//! nest with several.

use crate::cores::{is_closed, stays};
use kenaz_base::attr::Versions;
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::effects;
use kenaz_ir::visit::{bound_in_body, copy_body, for_each_body_mut, has_bodies};
use kenaz_ir::{
    Attr, Attrs, BinOp, Body, CmpOp, DecisionKind, Exp, Form, Fresh, Level, LocId, Log, Name, Operand, Par, Param,
    Pass, PassCx, Prog, Stm, Tunable, TunableClass, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub const VERSIONS: Pass = Pass {
    name: "versions",
    about: "give nests on a device several versions, of which one is chosen by their sizes",
    stage: Some(kenaz_ir::Stage::Parallel),
    run: versions,
};

/// From so many outer iterations on each has a thread; from fewer on where neighbouring threads read neighbours.
const ENOUGH: i64 = 1 << 17;
const ENOUGH_NEIGHBOURS: i64 = 1 << 12;

/// A block is worth it for so many inner iterations.
const LEAST_LANES: i64 = 64;

/// So many outer iterations are few, and so many inner ones enough for all threads.
const FEW: i64 = 16;
const MANY: i64 = 1 << 18;

/// For operators, each lane keeps two values of each.
const LANES: i64 = 256;

pub(crate) fn versions(prog: &mut Prog, cx: &mut PassCx) {
    if !cx.target.runs(Level::Block) {
        return;
    }
    let Prog { funs, fresh, .. } = prog;
    for fun in funs {
        let transposed = transposed(&fun.body);
        let mut pass = Walk { fresh, log: &mut cx.log, fun: fun.name, count: 0, transposed };
        pass.body(&mut fun.body);
    }
}

/// The arrays whose rows are columns of others.
fn transposed(body: &Body) -> FxHashSet<Name> {
    let mut found = FxHashSet::default();
    effects::any(body, |stm| {
        if let (Exp::Rearrange(perm, _), [param]) = (&stm.exp, &stm.pat[..])
            && perm.last() != Some(&(perm.len() - 1))
        {
            found.insert(param.name);
        }
        false
    });
    found
}

struct Walk<'a> {
    fresh: &'a mut Fresh,
    log: &'a mut Log,
    fun: Symbol,
    /// The nests with versions so far.
    count: usize,
    transposed: FxHashSet<Name>,
}

/// What is to be known of a nest.
struct Nest {
    /// With the maps in it as one.
    flat: Par,
    /// The sizes of the loops inside, without those that are small.
    inner: Vec<Operand>,
    blocks: Option<Blocks>,
    has_transposed: bool,
}

/// The version for blocks.
struct Blocks {
    par: Par,
    /// The arrays that are made, by the sizes of each and the bytes of an element.
    arrays: Vec<(Vec<Operand>, i64)>,
    /// The bytes that lanes keep for operators.
    kept: i64,
}

impl Walk<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let mut out = Vec::with_capacity(body.stms.len());
            for stm in std::mem::take(&mut body.stms) {
                self.stm(stm, &mut out);
            }
            body.stms = out;
        });
    }

    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        match &stm.exp {
            Exp::Par(par) if par.level == Some(Level::Grid) => match self.nest(par, &stm.attrs) {
                Some(nest) => self.choose(stm, nest, out),
                None => out.push(stm),
            },
            Exp::Par(par) if par.level.is_some() => out.push(stm),
            _ => {
                for_each_body_mut(&mut stm.exp, |body| self.body(body));
                out.push(stm);
            }
        }
    }

    /// A nest that can have several versions.
    fn nest(&mut self, par: &Par, attrs: &Attrs) -> Option<Nest> {
        let is_map = par.ops.is_empty() && par.forms.iter().all(|form| matches!(form, Form::Own));
        if !is_map || attrs.has(Attr::SequentialInner) {
            return None;
        }
        let flat = flattened(par);
        let bound: FxHashSet<Name> =
            bound_in_body(&flat.body).into_iter().chain(flat.space.iter().map(|(var, _)| *var)).collect();
        let mut inner = Vec::new();
        effects::any(&flat.body, |stm| {
            if let Exp::Par(par) = &stm.exp
                && !is_closed(stm)
            {
                let sizes = par.space.iter().map(|(_, n)| *n);
                inner.extend(sizes.filter(|n| !is_small(*n) && !n.name().is_some_and(|n| bound.contains(&n))));
            }
            false
        });
        inner.dedup();
        if inner.is_empty() {
            return None;
        }
        let last = flat.space.last().map(|(var, _)| Operand::Var(*var));
        let has_transposed = effects::any(&flat.body, |stm| match &stm.exp {
            Exp::Index(a, indices) => {
                self.transposed.contains(a) || indices.len() > 1 && indices.last() == last.as_ref()
            }
            Exp::Slice(a, _) => self.transposed.contains(a),
            _ => false,
        });
        let blocks = blocks(&flat, &bound);
        Some(Nest { flat, inner, blocks, has_transposed })
    }

    fn choose(&mut self, mut stm: Stm, nest: Nest, out: &mut Vec<Stm>) {
        let only = stm.attrs.0.iter().find_map(|attr| match attr {
            Attr::IncrementalFlattening(versions) => Some(*versions),
            _ => None,
        });
        let Nest { flat, inner, blocks, has_transposed } = nest;
        let blocks = blocks.filter(|_| !matches!(only, Some(Versions::NoIntra | Versions::OnlyOuter)));
        let has_few = !matches!(only, Some(Versions::OnlyIntra | Versions::OnlyOuter));
        if let Some(Versions::OnlyInner) = only {
            self.log.obey(DecisionKind::Versions, stm.loc, "what is inside alone, as an attribute says");
            self.one_by_one(&mut stm);
            return out.push(stm);
        }
        if blocks.is_none() && !has_few {
            self.log.obey(DecisionKind::Versions, stm.loc, "threads alone, as an attribute says");
            return out.push(stm);
        }
        self.count += 1;
        let number = self.count;
        let mut front = Front { fresh: self.fresh, out, loc: stm.loc, fun: self.fun, number };
        let outer = front.product(flat.space.iter().map(|(_, n)| *n));
        let widest = inner.iter().copied().reduce(|x, y| front.bin(BinOp::Max, x, y)).unwrap_or(Operand::i64(1));
        let few = has_few.then(|| {
            let first = flat.space[0].1;
            let (most, least) = (front.threshold("few", FEW), front.threshold("many", MANY));
            let is_few = front.cmp(CmpOp::Le, first, most);
            let is_many = front.cmp(CmpOp::Le, least, widest);
            front.bin(BinOp::And, is_few, is_many)
        });
        let threads = blocks.as_ref().map(|blocks| {
            let enough = if has_transposed { ENOUGH_NEIGHBOURS } else { ENOUGH };
            let (enough, least) = (front.threshold("threads", enough), front.threshold("lanes", LEAST_LANES));
            let is_enough = front.cmp(CmpOp::Le, enough, outer);
            let is_narrow = front.cmp(CmpOp::Lt, widest, least);
            let needed = front.bytes(blocks);
            let limit = front.tunable(Tunable::shared_memory());
            let is_large = front.cmp(CmpOp::Lt, limit, needed);
            let either = match only {
                // What does not fit runs all the same.
                Some(Versions::OnlyIntra | Versions::NoOuter) => return is_large,
                _ => front.bin(BinOp::Or, is_enough, is_narrow),
            };
            front.bin(BinOp::Or, either, is_large)
        });
        let names: Vec<&str> =
            [few.map(|_| "few"), Some("threads"), threads.map(|_| "blocks")].into_iter().flatten().collect();
        self.log.decide(DecisionKind::Versions, stm.loc, format!("one of {}, by its sizes", names.join(", ")));
        let few_body = few.map(|few| (few, self.few(&stm)));
        let mut rest = Body { results: results(&stm.pat), stms: vec![stm.clone()] };
        if let (Some(threads), Some(blocks)) = (threads, blocks) {
            let mut of_blocks = stm.clone();
            of_blocks.exp = Exp::Par(blocks.par);
            let of_blocks = Body { results: results(&stm.pat), stms: vec![of_blocks] };
            let exp = Exp::If(threads, copy_body(&rest, self.fresh), copy_body(&of_blocks, self.fresh));
            rest = Body { results: results(&stm.pat), stms: vec![branch(&stm, exp)] };
        }
        match few_body {
            Some((few, body)) => {
                let exp = Exp::If(few, body, copy_body(&rest, self.fresh));
                out.push(branch(&stm, exp));
            }
            None => out.extend(rest.stms),
        }
    }

    /// The outer iterations one after the other, each of them with all threads.
    fn few(&mut self, stm: &Stm) -> Body {
        let mut copy = copy_body(&Body { results: results(&stm.pat), stms: vec![stm.clone()] }, self.fresh);
        copy.stms.iter_mut().for_each(|stm| self.one_by_one(stm));
        copy
    }

    fn one_by_one(&mut self, stm: &mut Stm) {
        if let Exp::Par(par) = &mut stm.exp {
            par.level = None;
            on_grid(&mut par.body);
            self.body(&mut par.body);
        }
    }
}

/// Gives what is outermost in host code to all threads.
fn on_grid(body: &mut Body) {
    with_stack(|| {
        for stm in body.stms.iter_mut().filter(|stm| !is_closed(stm)) {
            let Stm { exp, attrs, .. } = stm;
            match exp {
                Exp::Par(par) if par.level.is_none() && stays(par, attrs, 0).is_none() => par.level = Some(Level::Grid),
                exp => for_each_body_mut(exp, on_grid),
            }
        }
    });
}

/// The results of a statement, as those of the body that it stands in.
fn results(pat: &[Param]) -> Vec<Operand> {
    pat.iter().map(|param| Operand::Var(param.name)).collect()
}

/// A branch in the place of a statement.
fn branch(stm: &Stm, exp: Exp) -> Stm {
    Stm { pat: stm.pat.clone(), certs: Vec::new(), attrs: Attrs::default(), exp, loc: stm.loc }
}

/// A map of maps as one map, as far as nothing but views and a few instructions stand between them.
fn flattened(par: &Par) -> Par {
    let mut flat = par.clone();
    loop {
        let Some((last, before)) = flat.body.stms.split_last() else { return flat };
        let Exp::Par(inner) = &last.exp else { return flat };
        let bound: Vec<Name> = before.iter().flat_map(|stm| stm.pat.iter().map(|param| param.name)).collect();
        let vars: Vec<Name> = flat.space.iter().map(|(var, _)| *var).collect();
        let is_outside = |n: &Operand| n.name().is_none_or(|n| !bound.contains(&n) && !vars.contains(&n));
        let fits = inner.level.is_none()
            && inner.any_order()
            && !is_closed(last)
            && last.certs.iter().all(|cert| !bound.contains(cert))
            && before.iter().all(is_cheap)
            && inner.space.iter().all(|(_, n)| is_outside(n))
            && flat.body.results == results(&last.pat);
        if !fits {
            return flat;
        }
        let stms = before.iter().chain(&inner.body.stms).cloned().collect();
        let body = Body { stms, results: inner.body.results.clone() };
        let space = [&flat.space[..], &inner.space[..]].concat();
        flat = Par { space, body, forms: inner.forms.clone(), ..flat };
    }
}

fn is_cheap(stm: &Stm) -> bool {
    stm.exp.is_view() || effects::is_cheap_scalar(stm)
}

fn is_small(n: Operand) -> bool {
    matches!(n, Operand::Const(c) if c.as_i64().is_some_and(|n| n < 32))
}

/// The version in which each iteration is a block, if all that it does can be done by one.
fn blocks(flat: &Par, bound: &FxHashSet<Name>) -> Option<Blocks> {
    let mut blocks = Blocks { par: flat.clone(), arrays: Vec::new(), kept: 0 };
    blocks.par.level = Some(Level::Block);
    let mut body = std::mem::replace(&mut blocks.par.body, Body { stms: Vec::new(), results: Vec::new() });
    let has_lanes = blocks.body(&mut body, bound, 1)?;
    blocks.par.body = body;
    has_lanes.then_some(blocks)
}

impl Blocks {
    /// Makes a body one of a block, in which arrays need memory so many times. Gives whether there is anything for
    /// lanes to do.
    fn body(&mut self, body: &mut Body, bound: &FxHashSet<Name>, times: i64) -> Option<bool> {
        let mut has_lanes = false;
        for stm in &mut body.stms {
            has_lanes |= with_stack(|| self.stm(stm, bound, times))?;
        }
        Some(has_lanes)
    }

    fn stm(&mut self, stm: &mut Stm, bound: &FxHashSet<Name>, times: i64) -> Option<bool> {
        let is_regular = |n: &Operand| n.name().is_none_or(|n| !bound.contains(&n));
        let is_sequential = [Attr::Sequential, Attr::SequentialOuter].iter().any(|attr| stm.attrs.has(*attr));
        let Stm { pat, exp, .. } = stm;
        // A check of the whole block, before which others wait, is more than some devices can do.
        if matches!(exp, Exp::Assert(..)) {
            return None;
        }
        if exp.is_view() || is_plain(pat, exp) {
            return Some(false);
        }
        if is_sequential || !pat.iter().flat_map(|param| param.ty.dims()).all(is_regular) {
            return None;
        }
        let mut needs_memory = true;
        let has_lanes = match exp {
            Exp::Par(par) => {
                self.lanes(par, is_regular)?;
                true
            }
            Exp::Iota { .. } | Exp::Replicate(..) | Exp::Scratch(..) | Exp::Copy(_) | Exp::Concat(..) => false,
            Exp::Array(..) => false,
            Exp::Update(..) => {
                needs_memory = false;
                false
            }
            // What one iteration makes is there together with what it was made from.
            Exp::Loop { params, body, .. } if carries_simply(params, body) => self.body(body, bound, 2 * times)?,
            Exp::If(_, yes, no) if makes_arrays(pat, yes) && makes_arrays(pat, no) => {
                self.body(yes, bound, times)? | self.body(no, bound, times)?
            }
            _ => return None,
        };
        for param in pat.iter().filter(|param| param.ty.is_array() && needs_memory) {
            let bytes = param.ty.prim().map_or(8, |prim| prim.bytes() as i64);
            self.arrays.push((param.ty.dims().to_vec(), times * bytes));
        }
        Some(has_lanes)
    }

    /// Has the lanes run a `par`.
    fn lanes(&mut self, par: &mut Par, is_regular: impl Fn(&Operand) -> bool) -> Option<()> {
        *par = flattened(par);
        let is_simple = par.level.is_none()
            && par.ops.iter().all(|op| op.shape.is_empty())
            && par.forms.iter().all(|form| matches!(form, Form::Own))
            && par.space.iter().all(|(_, n)| is_regular(n))
            && makes_nothing(&par.body)
            && par.post.as_ref().is_none_or(|post| makes_nothing(&post.body));
        if !is_simple {
            return None;
        }
        for value in par.ops.iter().flat_map(|op| &op.lambda.params[..op.neutral.len()]) {
            self.kept += 2 * LANES * value.ty.prim().map_or(8, |prim| prim.bytes() as i64);
        }
        par.level = Some(Level::Lane);
        Some(())
    }
}

/// Whether each array that a loop carries stays as it is, or is made by the body from beginning to end: then two blocks
/// for each are enough, however often the loop runs.
fn carries_simply(params: &[(Param, Operand)], body: &Body) -> bool {
    let mut taken: FxHashSet<Name> = FxHashSet::default();
    let arrays = params.iter().zip(&body.results).filter(|((param, _), _)| param.ty.is_array());
    arrays.into_iter().all(|((param, _), x)| {
        let Operand::Var(name) = x else { return false };
        taken.insert(*name) && (*name == param.name || makes(body, *name))
    })
}

/// Whether a body makes what it yields for the arrays of a pattern: what it only looks at is in other memory.
fn makes_arrays(pat: &[Param], body: &Body) -> bool {
    let arrays = pat.iter().zip(&body.results).filter(|(param, _)| param.ty.is_array());
    arrays.into_iter().all(|(_, x)| x.name().is_some_and(|name| makes(body, name)))
}

/// Whether a statement of a body makes an array.
fn makes(body: &Body, name: Name) -> bool {
    body.stms.iter().any(|stm| {
        let made = matches!(
            stm.exp,
            Exp::Par(_) | Exp::Iota { .. } | Exp::Replicate(..) | Exp::Copy(_) | Exp::Concat(..) | Exp::Update(..)
        );
        made && stm.pat.iter().any(|param| param.name == name)
    })
}

/// Whether a statement computes scalars from scalars and elements, and does so quickly.
fn is_plain(pat: &[Param], exp: &Exp) -> bool {
    let is_scalar = pat.iter().all(|param| matches!(param.ty, Type::Prim(_) | Type::Cert));
    is_scalar && !has_bodies(exp) && !matches!(exp, Exp::Trace(..) | Exp::Call(..))
}

/// Whether a body makes no array, so that one thread can run it without memory of its own.
fn makes_nothing(body: &Body) -> bool {
    !effects::any(body, |stm| {
        let has_array = stm.pat.iter().any(|param| param.ty.is_array());
        has_array && !stm.exp.is_view() || matches!(stm.exp, Exp::Trace(..) | Exp::Call(..))
    })
}

/// What is computed in front of a nest.
struct Front<'a> {
    fresh: &'a mut Fresh,
    out: &'a mut Vec<Stm>,
    loc: LocId,
    fun: Symbol,
    number: usize,
}

impl Front<'_> {
    fn bind(&mut self, base: &str, ty: Type, exp: Exp) -> Operand {
        let name = self.fresh.named(base);
        let pat = vec![Param::new(name, ty)];
        self.out.push(Stm { pat, certs: Vec::new(), attrs: Attrs::default(), exp, loc: self.loc });
        Operand::Var(name)
    }

    fn bin(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        let (base, ty) = match op {
            BinOp::And | BinOp::Or => ("chosen", Type::BOOL),
            _ => ("size", Type::I64),
        };
        self.bind(base, ty, Exp::Bin(op, x, y))
    }

    fn cmp(&mut self, op: CmpOp, x: Operand, y: Operand) -> Operand {
        self.bind("is", Type::BOOL, Exp::Cmp(op, x, y))
    }

    /// Of sizes, whose product may be too large for a number: then it is the largest.
    fn product(&mut self, sizes: impl Iterator<Item = Operand>) -> Operand {
        let by = |x: Operand, y: Operand| {
            let exp = Exp::Math(kenaz_ir::MathFn::SizeMul, kenaz_base::Prim::I64, vec![x, y]);
            self.bind("size", Type::I64, exp)
        };
        sizes.reduce(by).unwrap_or(Operand::i64(1))
    }

    fn tunable(&mut self, tunable: Tunable) -> Operand {
        self.bind("tunable", Type::I64, Exp::Tunable(tunable))
    }

    fn threshold(&mut self, what: &str, default: i64) -> Operand {
        let fun = self.fun.as_str();
        let fun = fun.strip_prefix("entry_").unwrap_or(fun);
        let name = Symbol::intern(&format!("{fun}.{what}_{}", self.number));
        self.tunable(Tunable { name, class: TunableClass::Threshold, default })
    }

    /// How many bytes of shared memory a block needs at most.
    fn bytes(&mut self, blocks: &Blocks) -> Operand {
        let mut counts: FxHashMap<&[Operand], i64> = FxHashMap::default();
        let mut order: Vec<&[Operand]> = Vec::new();
        for (sizes, bytes) in &blocks.arrays {
            if !counts.contains_key(&sizes[..]) {
                order.push(sizes);
            }
            *counts.entry(sizes).or_default() += bytes;
        }
        let mut sum = Operand::i64(blocks.kept);
        for sizes in order {
            let bytes = Operand::i64(counts[sizes]);
            let product = self.product(sizes.iter().copied().chain([bytes]));
            // A product that is too large stays too large.
            let most = self.bin(BinOp::Min, product, Operand::i64(i64::MAX / 4));
            sum = self.bin(BinOp::Add, sum, most);
        }
        sum
    }
}
