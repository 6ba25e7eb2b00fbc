//! Versions of nests on a device: who runs the outer iterations, and who the inner ones.
//!
//! ```text
//! let b_1 = par grid (i_2 < n_3) own {         let b_1 = if flat_7 then {  par block (c_9 < k_10, i_2 < n_3) own {… par lane …} …  }
//!   let s_4 = par (j_5 < m_6) reduce … {…}  ⇒    else if threads_8 then {  par grid (i_2 < n_3) own {… par …}  }
//!   in s_4                                       else {  par block (i_2 < n_3) own {… par lane …}  }
//! }
//! ```
//!
//! | version | outer iterations | inner ones | when |
//! |---|---|---|---|
//! | *flat* | all at once, see [`spread`] and [`leaf`] | | there are few of the outer ones and many inner ones |
//! | *few* | one after the other, by the host | all threads | the same, where there is no flat version |
//! | *threads* | one thread each | in sequence | there are enough of them, or the inner ones are few |
//! | *blocks* | one block each | its lanes, arrays in between in shared memory | otherwise, if these arrays fit |
//!
//! The numbers in the conditions are tunables. A nest of maps with nothing between them counts as one map. A reduction
//! whose iterations have parallelism inside may be a map and a reduction, see [`apart`]. What cannot have several
//! versions stays as it is: what has no parallelism inside, or what scans or writes itself. Blocks run only what is
//! regular: sizes that differ from one iteration to the next are for threads. `#[incremental_flattening(…)]` says which
//! versions there are.
//!
//! A version is a copy, and the operators of a flat one have versions of their own, so that their number is linear in
//! the operators of a nest and its depth. The log has a decision for each nest with several.

mod apart;
mod front;
mod leaf;
mod pinned;
mod spread;

use crate::cores::{is_closed, stays};
use front::{Front, Of};
use kenaz_base::attr::Versions;
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::effects;
use kenaz_ir::plan::BlockNest;
use kenaz_ir::target::BYTES_OF_COPIES;
use kenaz_ir::visit::{bound_in_body, copy_body, for_each_body_mut, has_bodies};
use kenaz_ir::{
    Attr, Attrs, BinOp, Body, CmpOp, DecisionKind, Exp, Form, Fresh, Level, Log, Name, Operand, Par, Param, Pass,
    PassCx, Prog, Scalar, Stm, Tunable, Type,
};
use leaf::Leaf;
use rustc_hash::FxHashSet;

pub const VERSIONS: Pass = Pass {
    name: "versions",
    about: "give nests on a device several versions, of which one is chosen by their sizes",
    stage: Some(kenaz_ir::Stage::Parallel),
    run: versions,
};

/// From so many outer iterations on each has a thread; from fewer on where neighbouring threads read neighbours.
const ENOUGH: i64 = 1 << 15;
const ENOUGH_NEIGHBOURS: i64 = 1 << 12;

/// Threads that go through a row each touch no neighbours, however many there are: blocks do, from this many inner
/// iterations on. Where rows and columns of iterations have their operands in common, threads run in tiles instead, if
/// there are enough of both.
const ENOUGH_ROWS: i64 = 1 << 40;
const ENOUGH_OF_TILES: i64 = 1 << 16;
const SIDE_OF_TILES: i64 = 32;

/// A block is worth it for so many inner iterations.
const LEAST_LANES: i64 = 32;

/// So many outer iterations are few, and so many inner ones enough for all threads.
const FEW: i64 = 16;
const MANY: i64 = 1 << 18;

/// Fewer outer iterations than these leave a device with too little to do when each is a block. All levels at once are
/// worth it for so many inner ones.
const FLAT: i64 = 256;
const WIDE: i64 = 2048;

/// The same for reductions of columns: a block would touch no neighbours, and a thread each is too little for a device
/// up to a larger number.
const FLAT_COLUMNS: i64 = 1 << 16;
const WIDE_COLUMNS: i64 = 512;

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
    has_rows: bool,
    /// Whether operands of a reduction depend on the row or on the column of an iteration, and not on both.
    shares: bool,
}

impl Nest {
    /// Whether it is nothing but reductions of columns, with operands of their own.
    fn reduces_columns(&self, pat: &[Param]) -> bool {
        self.has_transposed && !self.shares && Leaf::of(&self.flat, pat).is_some_and(|leaf| leaf.is_reduction())
    }
}

/// The version for blocks.
struct Blocks {
    par: Par,
    /// The arrays that are made, by the sizes of each and the bytes of an element.
    arrays: Vec<(Vec<Operand>, i64)>,
    /// The bytes that lanes keep for operators.
    kept: i64,
    /// The sizes of each loop that lanes share.
    spaces: Vec<Vec<Operand>>,
    /// Whether there is anything for lanes to do.
    has_lanes: bool,
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
            Exp::Par(_) if stm.attrs.is_pin() => self.pinned(stm, out),
            // What is pinned inside of it would be moved.
            Exp::Par(par) if effects::any(&par.body, |stm| stm.attrs.is_pin()) => {
                self.log.decide(DecisionKind::Versions, stm.loc, "threads alone, since something inside is pinned");
                out.push(stm);
            }
            Exp::Par(par) if par.level == Some(Level::Grid) => {
                if let Some(stms) = apart::inside_out(&stm, par, self.fresh) {
                    self.log.decide(DecisionKind::Versions, stm.loc, "an operator over arrays, turned inside out");
                    return stms.into_iter().for_each(|stm| self.stm(stm, out));
                }
                if let Some(nest) = self.nest(par, &stm.attrs) {
                    return self.choose(stm, nest, out);
                }
                match self.inner(par, &stm.attrs) {
                    Some(inner) => self.maybe_apart(stm, inner, out),
                    None => out.push(stm),
                }
            }
            Exp::Par(par) if par.level.is_some() => out.push(stm),
            _ => {
                for_each_body_mut(&mut stm.exp, |body| self.body(body));
                out.push(stm);
            }
        }
    }

    /// The sizes of the loops inside, without those that are small or differ from one iteration to the next.
    fn inner(&self, par: &Par, attrs: &Attrs) -> Option<Vec<Operand>> {
        if attrs.has(Attr::SequentialInner) {
            return None;
        }
        let mut bound: FxHashSet<Name> = bound_in_body(&par.body).into_iter().collect();
        bound.extend(par.space.iter().map(|(var, _)| *var));
        let mut inner = Vec::new();
        effects::any(&par.body, |stm| {
            if let Exp::Par(par) = &stm.exp
                && !is_closed(stm)
            {
                let sizes = par.space.iter().map(|(_, n)| *n);
                inner.extend(sizes.filter(|n| !is_small(*n) && !n.name().is_some_and(|n| bound.contains(&n))));
            }
            false
        });
        inner.dedup();
        (!inner.is_empty()).then_some(inner)
    }

    /// A nest that can have several versions.
    fn nest(&mut self, par: &Par, attrs: &Attrs) -> Option<Nest> {
        if !par.any_order() {
            return None;
        }
        let flat = flattened(par);
        let inner = self.inner(&flat, attrs)?;
        let bound: FxHashSet<Name> =
            bound_in_body(&flat.body).into_iter().chain(flat.space.iter().map(|(var, _)| *var)).collect();
        let last = flat.space.last().map(|(var, _)| Operand::Var(*var));
        let has_transposed = effects::any(&flat.body, |stm| match &stm.exp {
            Exp::Index(a, indices) => {
                self.transposed.contains(a) || indices.len() > 1 && indices.last() == last.as_ref()
            }
            Exp::Slice(a, _) => self.transposed.contains(a),
            _ => false,
        });
        let has_rows = reads_rows(&flat.body, &bound);
        let blocks = blocks(&flat, &bound).filter(|blocks| blocks.has_lanes);
        let shares = shares_operands(&flat);
        Some(Nest { flat, inner, blocks, has_transposed, has_rows, shares })
    }

    /// The version in which all levels run at once.
    fn all_at_once(&mut self, stm: &Stm, nest: &Nest) -> Option<Body> {
        match Leaf::of(&nest.flat, &stm.pat) {
            Some(leaf) => leaf.flat(nest.has_transposed, stm.loc, self.fresh),
            None => spread::spread(&stm.pat, &nest.flat, stm.loc, self.fresh),
        }
    }

    fn choose(&mut self, mut stm: Stm, nest: Nest, out: &mut Vec<Stm>) {
        let only = stm.attrs.0.iter().find_map(|attr| match attr {
            Attr::IncrementalFlattening(versions) => Some(*versions),
            _ => None,
        });
        let has_inner = !matches!(only, Some(Versions::OnlyIntra | Versions::OnlyOuter));
        let flat = if has_inner { self.all_at_once(&stm, &nest) } else { None };
        let reduces_columns = nest.reduces_columns(&stm.pat);
        let Nest { flat: whole, inner, blocks, has_transposed, has_rows, shares } = nest;
        let blocks = blocks.filter(|_| !matches!(only, Some(Versions::NoIntra | Versions::OnlyOuter)));
        if let Some(Versions::OnlyInner) = only {
            self.log.obey(DecisionKind::Versions, stm.loc, "what is inside alone, as an attribute says");
            match flat {
                Some(body) => self.in_place_of(&stm, body, out),
                None => {
                    self.one_by_one(&mut stm);
                    out.push(stm);
                }
            }
            return;
        }
        if blocks.is_none() && !has_inner {
            self.log.obey(DecisionKind::Versions, stm.loc, "threads alone, as an attribute says");
            return out.push(stm);
        }
        self.count += 1;
        let of = Of { fun: self.fun, number: self.count };
        let mut front = Front { fresh: self.fresh, out, loc: stm.loc };
        let outer = front.product(whole.space.iter().map(|(_, n)| *n));
        let widest = inner.iter().copied().reduce(|x, y| front.bin(BinOp::Max, x, y)).unwrap_or(Operand::i64(1));
        let enough = match (has_transposed, has_rows) {
            (true, _) => ENOUGH_NEIGHBOURS,
            (false, true) if shares => ENOUGH_OF_TILES,
            (false, true) => ENOUGH_ROWS,
            (false, false) => ENOUGH,
        };
        let has_no_threads = matches!(only, Some(Versions::OnlyIntra | Versions::NoOuter));
        let is_large = blocks.as_ref().map(|blocks| {
            let needed = front.bytes(blocks);
            let limit = front.tunable(Tunable::shared_memory());
            front.cmp(CmpOp::Lt, limit, needed)
        });
        let mut is_enough = Operand::Const(Scalar::Bool(true));
        if blocks.is_some() || flat.is_some() {
            let enough = front.threshold(of, "threads", enough);
            is_enough = front.cmp(CmpOp::Le, enough, outer);
            if let ([.., (_, rows), (_, columns)], true) = (&whole.space[..], shares && has_rows && !has_transposed) {
                let side = front.bin(BinOp::Min, *rows, *columns);
                let is_wide = front.cmp(CmpOp::Le, Operand::i64(SIDE_OF_TILES), side);
                is_enough = front.bin(BinOp::And, is_enough, is_wide);
            }
        }
        let threads = is_large.map(|is_large| {
            if has_no_threads {
                // What does not fit runs all the same.
                return is_large;
            }
            let least = front.threshold(of, "lanes", LEAST_LANES);
            let shared = blocks.as_ref().and_then(|blocks| front.most(&blocks.spaces)).unwrap_or(widest);
            let is_narrow = front.cmp(CmpOp::Lt, shared, least);
            let either = front.bin(BinOp::Or, is_enough, is_narrow);
            front.bin(BinOp::Or, either, is_large)
        });
        let inside = if flat.is_some() {
            // Too few for blocks, or for threads where there are no blocks.
            let (most, wide) = if reduces_columns { (FLAT_COLUMNS, WIDE_COLUMNS) } else { (FLAT, WIDE) };
            let (most, wide) = (front.threshold(of, "flat", most), front.threshold(of, "wide", wide));
            let is_few = front.cmp(CmpOp::Lt, outer, most);
            let is_wide = front.cmp(CmpOp::Le, wide, widest);
            let is_not_enough = front.cmp(CmpOp::Eq, is_enough, Operand::Const(Scalar::Bool(false)));
            let too_few = match is_large {
                Some(is_large) => {
                    let without_blocks = front.bin(BinOp::And, is_large, is_not_enough);
                    front.bin(BinOp::Or, is_few, without_blocks)
                }
                None => front.bin(BinOp::Or, is_few, is_not_enough),
            };
            Some(front.bin(BinOp::And, too_few, is_wide))
        } else if has_inner {
            let first = whole.space[0].1;
            let (most, least) = (front.threshold(of, "few", FEW), front.threshold(of, "many", MANY));
            let is_few = front.cmp(CmpOp::Le, first, most);
            let is_many = front.cmp(CmpOp::Le, least, widest);
            Some(front.bin(BinOp::And, is_few, is_many))
        } else {
            None
        };
        let name = if flat.is_some() { "flat" } else { "few" };
        let names: Vec<&str> =
            [inside.map(|_| name), Some("threads"), threads.map(|_| "blocks")].into_iter().flatten().collect();
        self.log.decide(DecisionKind::Versions, stm.loc, format!("one of {}, by its sizes", names.join(", ")));
        let inside = inside.map(|cond| match flat {
            Some(mut body) => {
                self.body(&mut body);
                (cond, body)
            }
            None => (cond, self.few(&stm)),
        });
        let mut rest = Body { results: results(&stm.pat), stms: vec![stm.clone()] };
        if let (Some(threads), Some(blocks)) = (threads, blocks) {
            let mut of_blocks = stm.clone();
            of_blocks.exp = Exp::Par(blocks.par);
            let of_blocks = Body { results: results(&stm.pat), stms: vec![of_blocks] };
            let exp = Exp::If(threads, copy_body(&rest, self.fresh), copy_body(&of_blocks, self.fresh));
            rest = Body { results: results(&stm.pat), stms: vec![branch(&stm, exp)] };
        }
        match inside {
            Some((cond, body)) => {
                let exp = Exp::If(cond, body, copy_body(&rest, self.fresh));
                out.push(branch(&stm, exp));
            }
            None => out.extend(rest.stms),
        }
    }

    /// The statements of a body whose results are those of a statement.
    fn in_place_of(&mut self, stm: &Stm, mut body: Body, out: &mut Vec<Stm>) {
        self.body(&mut body);
        out.append(&mut body.stms);
        for (param, x) in stm.pat.iter().zip(body.results) {
            out.push(spread::plain(vec![param.clone()], Exp::Operand(x), stm.loc));
        }
    }

    /// A reduction of iterations with parallelism inside: as it is, or as a map with versions and a reduction.
    fn maybe_apart(&mut self, stm: Stm, inner: Vec<Operand>, out: &mut Vec<Stm>) {
        let Exp::Par(par) = &stm.exp else { return out.push(stm) };
        let Some(mut body) = apart::apart(&stm, par, self.fresh) else { return out.push(stm) };
        self.count += 1;
        let of = Of { fun: self.fun, number: self.count };
        let mut front = Front { fresh: self.fresh, out, loc: stm.loc };
        let outer = front.product(par.space.iter().map(|(_, n)| *n));
        let widest = inner.into_iter().reduce(|x, y| front.bin(BinOp::Max, x, y)).unwrap_or(Operand::i64(1));
        let (enough, least) = (front.threshold(of, "threads", ENOUGH), front.threshold(of, "lanes", LEAST_LANES));
        let is_enough = front.cmp(CmpOp::Le, enough, outer);
        let is_narrow = front.cmp(CmpOp::Lt, widest, least);
        let either = front.bin(BinOp::Or, is_enough, is_narrow);
        self.log.decide(DecisionKind::Versions, stm.loc, "one of threads, apart, by its sizes");
        self.body(&mut body);
        let whole = copy_body(&Body { results: results(&stm.pat), stms: vec![stm.clone()] }, self.fresh);
        out.push(branch(&stm, Exp::If(either, whole, body)));
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
    let mut blocks = Blocks { par: flat.clone(), arrays: Vec::new(), kept: 0, spaces: Vec::new(), has_lanes: false };
    blocks.par.level = Some(Level::Block);
    let mut body = std::mem::replace(&mut blocks.par.body, Body { stms: Vec::new(), results: Vec::new() });
    blocks.has_lanes = blocks.body(&mut body, bound, 1)?;
    blocks.par.body = body;
    Some(blocks)
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
                self.bins(pat, par)?;
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
        let updated = if let Exp::Par(par) = &*exp { of_accs(pat, par) } else { Vec::new() };
        let is_made = |param: &&Param| param.ty.is_array() && needs_memory && !updated.contains(&param.name);
        for param in pat.iter().filter(is_made) {
            let bytes = param.ty.prim().map_or(8, |prim| prim.bytes() as i64);
            self.arrays.push((param.ty.dims().to_vec(), times * bytes));
        }
        Some(has_lanes)
    }

    /// The copies of bins that lanes update, and their locks.
    fn bins(&mut self, pat: &[Param], par: &Par) -> Option<()> {
        let mut results = &pat[par.reduced()..];
        for form in &par.forms {
            let (these, rest) = results.split_at(form.results());
            results = rest;
            if let (Form::Acc { dests, rank, .. }, Some(first)) = (form, these.first()) {
                if first.ty.rank() != *rank {
                    return None;
                }
                let lock = if dests.len() > 1 { 4 } else { 0 };
                let bytes = these.iter().map(|param| param.ty.prim().map_or(8, |prim| prim.bytes() as i64));
                self.arrays.push((first.ty.dims().to_vec(), bytes.sum::<i64>() + lock));
                self.kept += BYTES_OF_COPIES;
            }
        }
        Some(())
    }

    /// Has the lanes run a `par`.
    fn lanes(&mut self, par: &mut Par, is_regular: impl Fn(&Operand) -> bool) -> Option<()> {
        if par.level.is_none() {
            *par = flattened(par);
        }
        let is_simple = matches!(par.level, None | Some(Level::Lane))
            && par.ops.iter().all(|op| op.shape.is_empty())
            && par.forms.iter().all(|form| matches!(form, Form::Own) || counts_on_chip(form) && par.ops.is_empty())
            && par.space.iter().all(|(_, n)| is_regular(n))
            && makes_nothing(&par.body)
            && par.post.as_ref().is_none_or(|post| makes_nothing(&post.body));
        if !is_simple {
            return None;
        }
        for value in par.ops.iter().flat_map(|op| &op.lambda.params[..op.neutral.len()]) {
            self.kept += 2 * LANES * value.ty.prim().map_or(8, |prim| prim.bytes() as i64);
        }
        self.spaces.push(par.space.iter().map(|(_, n)| *n).collect());
        par.level = Some(Level::Lane);
        Some(())
    }
}

/// Whether lanes can update the bins of an `acc` form on chip. There are no atomic instructions for less than a word,
/// so that several of such bins have no lock.
fn counts_on_chip(form: &Form) -> bool {
    let Form::Acc { dests, op, .. } = form else { return false };
    let is_word = |param: &Param| param.ty.prim().is_some_and(|prim| dests.len() == 1 || prim.bytes() >= 4);
    op.params.iter().all(|param| !param.ty.is_array() && is_word(param))
}

/// The results of `acc` forms, which are where their destinations are.
fn of_accs(pat: &[Param], par: &Par) -> Vec<Name> {
    let mut results = &pat[par.reduced()..];
    let mut found = Vec::new();
    for form in &par.forms {
        let (these, rest) = results.split_at(form.results());
        results = rest;
        if let Form::Acc { .. } = form {
            found.extend(these.iter().map(|param| param.name));
        }
    }
    found
}

/// Whether the loops inside a nest go through rows that belong to an iteration.
fn reads_rows(body: &Body, bound: &FxHashSet<Name>) -> bool {
    effects::any(body, |stm| {
        let Exp::Par(par) = &stm.exp else { return false };
        let last = par.space.last().map(|(var, _)| *var);
        let own: Vec<Name> = par.space.iter().map(|(var, _)| *var).collect();
        let is_outer = |x: &Operand| x.name().is_some_and(|name| bound.contains(&name) && !own.contains(&name));
        effects::any(&par.body, |stm| match &stm.exp {
            Exp::Index(a, indices) => {
                let (end, before) = indices.split_last().unzip();
                let is_along = end.and_then(|x: &Operand| x.name()) == last && last.is_some();
                is_along && (bound.contains(a) || before.unwrap_or_default().iter().any(is_outer))
            }
            _ => false,
        })
    })
}

/// Whether all operands of a reduction inside two maps depend on the row or on the column, some on each.
fn shares_operands(flat: &Par) -> bool {
    let Some(nest) = BlockNest::of(flat, true) else { return false };
    let loads = nest.loads(&nest.operand());
    let has = |wanted: [bool; 3]| loads.iter().any(|(_, of)| *of == wanted);
    has([true, false, true]) && has([false, true, true]) && !loads.iter().any(|(_, of)| of[0] && of[1])
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
