//! Slices that overlap as a window that moves along, where `#[window]` asks for that.
//!
//! ```text
//! let w = #[window] map n (iota n) \(i) -> {      let s, t = if lt 0 n then { in x[0], x[1] } else { in 0, 0 }
//!   let r: [3]f32 = slice x[i :+ 3 * 1] in r      let b' = scratch [n] f32
//! }                                           →   let _, _, b = loop (p = s, q = t, b_1 = b') for i < n {
//! let b = map n (w) \(v: [3]f32) -> { … in y }      let u = index x[add i 2]
//!                                                   let v: [3]f32 = array [p, q, u]
//!                                                   …
//!                                                   let b_2 = update b_1[i] = y in q, u, b_2
//!                                                 }
//! ```
//!
//! An element is read once instead of once for each slice that it is in, and computed once if it is a `#[source]`. The
//! operator that takes the slices becomes a loop. What two neighbouring slices have in common is carried from one
//! iteration to the next by scalars, for which there are registers.
//!
//! Slices are results of a map that advance by a fixed number of elements along one dimension; several arrays may have
//! one each. All of them go to the same map or reduction. Otherwise the attribute is refused, with the reason.
//!
//! Assumes nothing; comes before fusion, which puts the sources where elements are read, and after hoisting, so that no
//! check is left between the slices and who takes them. The first slices are read under a condition, since there need
//! not be any. Leaves literal arrays that are indexed to `simplify`. Linear in the program.

use kenaz_base::{Code, Prim, with_stack};
use kenaz_ir::effects;
use kenaz_ir::visit::{Subst, Visit, bound_in_body, copy_body, for_each_body_mut, for_each_use, free_in_body, walk};
use kenaz_ir::{
    Attr, BinOp, Body, CmpOp, DimSlice, Exp, Fresh, Log, LoopForm, Name, Operand, Param, Pass, PassCx, Prog, Refusal,
    Scalar, Soac, Stm, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub const PASS: Pass =
    Pass { name: "windows", about: "makes windows that move along of slices that overlap", stage: None, run };

/// The names of its rules.
pub const RULES: &[&str] = &["window"];

/// The most elements in the windows of an operator: as many as there may be registers for.
const MOST: i64 = 64;

fn run(prog: &mut Prog, cx: &mut PassCx) {
    let Prog { funs, fresh, .. } = prog;
    for fun in funs {
        let mut found = Found::default();
        found.fun(fun);
        if !found.is_there {
            continue;
        }
        Windows { iotas: found.iotas, uses: found.uses, fresh, log: &mut cx.log }.body(&mut fun.body);
    }
}

#[derive(Default)]
struct Found {
    is_there: bool,
    /// By how much arrays of consecutive numbers grow.
    iotas: FxHashMap<Name, i64>,
    /// How often names are used.
    uses: FxHashMap<Name, usize>,
}

impl Visit for Found {
    fn name(&mut self, name: &Name) {
        *self.uses.entry(*name).or_default() += 1;
    }

    fn stm(&mut self, stm: &Stm) {
        self.is_there |= stm.attrs.has(Attr::Window);
        if let (Exp::Iota { stride, .. }, [param]) = (&stm.exp, &stm.pat[..]) {
            self.iotas.extend(constant(*stride).map(|stride| (param.name, stride)));
        }
        walk::stm(self, stm);
    }
}

struct Windows<'a> {
    iotas: FxHashMap<Name, i64>,
    uses: FxHashMap<Name, usize>,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

/// A slice that moves along.
struct Window {
    /// The name of all slices, and what the slice is called in the function that makes it.
    whole: Name,
    of: Name,
    dims: Vec<DimSlice>,
    certs: Vec<Name>,
    size: i64,
    step: i64,
    prim: Prim,
}

/// The statement that takes slices.
struct Taker {
    number: usize,
    /// The views in between that only state sizes.
    views: Vec<View>,
}

struct View {
    number: usize,
    name: Name,
    whole: Name,
    certs: Vec<Name>,
}

/// Why there is no window: the rule, and the words for it.
type Reason = (Code, String);

fn because<T>(reason: &str) -> Result<T, Reason> {
    Err((Code::AttributeRefused, reason.to_string()))
}

impl Windows<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            for stm in &mut body.stms {
                for_each_body_mut(&mut stm.exp, |inner| self.body(inner));
            }
            let mut at = 0;
            while at < body.stms.len() {
                let stm = &body.stms[at];
                let Some(attr) = stm.attrs.find(|attr| attr == Attr::Window) else {
                    at += 1;
                    continue;
                };
                // The size beside the slices is not meant, nor are views such as `resize`.
                let made = match &stm.exp {
                    Exp::Soac(_) => Some(
                        self.windows(stm)
                            .and_then(|windows| self.taker(body, at, &windows).map(|taker| (taker, windows))),
                    ),
                    _ if stm.pat.iter().any(|param| param.ty.is_array()) => Some(because("these are no slices")),
                    _ => None,
                };
                match made {
                    Some(Ok((taker, windows))) if self.log.fire("window") => {
                        let (slices, mut taken) = (body.stms[at].clone(), body.stms[taker.number].clone());
                        taken.certs.extend(taker.views.iter().flat_map(|view| &view.certs));
                        let gone: Vec<usize> = taker.views.iter().map(|view| view.number).chain([at]).collect();
                        let stms = self.replace(&slices, windows, taken, &taker.views);
                        let more = stms.len();
                        body.stms.splice(taker.number..=taker.number, stms);
                        at = taker.number + more - gone.len();
                        let mut number = 0..;
                        body.stms.retain(|_| number.next().is_none_or(|number| !gone.contains(&number)));
                        continue;
                    }
                    Some(Ok(_)) | None => {}
                    Some(Err((code, reason))) => self.refuse(attr, &body.stms[at], code, &reason),
                }
                body.stms[at].attrs.0.retain(|attr| attr.wanted() != Attr::Window);
                at += 1;
            }
        });
    }

    fn refuse(&mut self, attr: Attr, stm: &Stm, code: Code, reason: &str) {
        let refusal = match code {
            Code::WindowWithoutOverlap => {
                let refusal = Refusal::new(code, attr, stm.loc, reason).label("no element is in two windows");
                refusal.hint("leave `#[window]` out: there is nothing that it could save")
            }
            _ => {
                let refusal = Refusal::new(code, attr, stm.loc, "`#[window]` cannot be obeyed");
                refusal
                    .label(format!("`#[window]`: {reason}"))
                    .hint("leave the attribute out, or write `#[try(window)]`")
            }
        };
        self.log.refuse(refusal);
    }

    /// The slices that a map makes.
    fn windows(&self, stm: &Stm) -> Result<Vec<Window>, Reason> {
        let Exp::Soac(Soac::Screma { arrays, map, scans, reduces, post: None, .. }) = &stm.exp else {
            return because("these are no slices");
        };
        if !scans.is_empty() || !reduces.is_empty() {
            return because("these are no slices");
        }
        let defs: FxHashMap<Name, &Exp> =
            map.body.stms.iter().filter_map(|stm| Some((stm.pat.first()?.name, &stm.exp))).collect();
        let bound: FxHashSet<Name> = bound_in_body(&map.body).into_iter().collect();
        let params: FxHashMap<Name, Option<i64>> =
            map.params.iter().zip(arrays).map(|(param, array)| (param.name, self.iotas.get(array).copied())).collect();
        let mut windows = Vec::new();
        for (result, param) in map.body.results.iter().zip(&stm.pat) {
            let slice =
                map.body.stms.iter().find(|stm| stm.pat.iter().any(|param| Operand::Var(param.name) == *result));
            let Some(Stm { certs, exp: Exp::Slice(of, dims), .. }) = slice else {
                return because("these are no slices");
            };
            let (Type::Array(sizes, prim), false) = (&param.ty, bound.contains(of) || params.contains_key(of)) else {
                return because("the array that it slices is another one each time");
            };
            let [_, size] = &sizes[..] else { return because("its elements are arrays") };
            let Some(size) = constant(*size) else {
                return because("the compiler does not know how many elements it has");
            };
            let mut step = None;
            for dim in dims {
                let (start, is_range) = match dim {
                    DimSlice::Fix(x) => (*x, false),
                    DimSlice::Range { start, .. } => (*start, true),
                };
                let stride = match dim {
                    DimSlice::Range { stride, .. } => constant(*stride),
                    DimSlice::Fix(_) => Some(1),
                };
                match (growth(start, &defs, &params, &bound), stride, is_range) {
                    (Some(0), Some(_), false) => {}
                    (Some(by), Some(stride), true) if stride > 0 && by > 0 && by % stride == 0 => {
                        step = Some(by / stride);
                    }
                    _ => return because("it does not move by the same number of elements each time"),
                }
            }
            let Some(step) = step else { return because("it does not move") };
            if step >= size {
                let message = format!("a window of {size} elements that moves on by {step} keeps none of them");
                return Err((Code::WindowWithoutOverlap, message));
            }
            let (of, dims, certs) = (*of, dims.clone(), certs.clone());
            windows.push(Window { whole: param.name, of, dims, certs, size, step, prim: *prim });
        }
        if windows.iter().map(|window| window.size).sum::<i64>() > MOST {
            return because("it has too many elements for registers");
        }
        // The first slices are computed twice.
        let is_simple = |stm: &Stm| effects::of(stm).may_repeat() && !effects::of(stm).cost.is_heavy();
        if !map.body.stms.iter().all(is_simple) {
            return because("more is computed with it than slices");
        }
        Ok(windows)
    }

    /// The statement in the same body that takes all slices.
    fn taker(&self, body: &Body, at: usize, windows: &[Window]) -> Result<Taker, Reason> {
        let uses = |name: Name| self.uses.get(&name).copied().unwrap_or_default();
        let mut views = Vec::new();
        for (number, stm) in body.stms.iter().enumerate().skip(at + 1) {
            if let (Exp::Resize(_, array), [param]) = (&stm.exp, &stm.pat[..])
                && windows.iter().any(|window| window.whole == *array)
                && uses(*array) == 1
            {
                views.push(View { number, name: param.name, whole: *array, certs: stm.certs.clone() });
            }
        }
        let name_of = |window: &Window| {
            views.iter().find(|view| view.whole == window.whole).map_or(window.whole, |view| view.name)
        };
        let is_slice = |name: Name| windows.iter().any(|window| name_of(window) == name);
        let takes = |stm: &Stm| {
            let mut takes = false;
            for_each_use(&stm.exp, |name| takes |= is_slice(name));
            takes
        };
        let Some(taker) = body.stms.iter().enumerate().skip(at + 1).find(|(_, stm)| takes(stm)) else {
            return because("nothing in the same place takes the slices");
        };
        let (number, Stm { exp, attrs, .. }) = taker;
        let Exp::Soac(Soac::Screma { arrays, map, scans, post: None, .. }) = exp else {
            return because("what takes the slices is no map or reduction");
        };
        if !scans.is_empty() || map.params.iter().any(|param| matches!(param.ty, Type::Acc { .. })) {
            return because("what takes the slices is no map or reduction");
        }
        if attrs.is_pin() {
            return because("the operator that takes the slices is pinned, so that it is no loop");
        }
        if attrs.0.iter().any(|attr| attr.is_cut()) {
            return because("the operator that takes the slices is to be cut in another way");
        }
        for window in windows {
            let all = uses(name_of(window));
            let here = arrays.iter().filter(|array| **array == name_of(window)).count();
            if all > 0 && (all != 1 || here != 1) {
                return because("the slices are needed as a whole, or by several operators");
            }
        }
        if map.params.iter().zip(arrays).any(|(param, array)| param.unique && is_slice(*array)) {
            return because("the slices are consumed");
        }
        // What is in between may make what the loop needs, and is not moved; but nothing may consume what is sliced.
        let of: FxHashSet<Name> = windows.iter().map(|window| window.of).collect();
        let consumes = |stm: &Stm| match &stm.exp {
            Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => of.contains(array),
            exp => {
                let mut is_used = false;
                for_each_use(exp, |name| is_used |= of.contains(&name));
                is_used && effects::of(stm).consumes
            }
        };
        if body.stms[at + 1..number].iter().any(consumes) {
            return because("the array that it slices is consumed before the slices are taken");
        }
        Ok(Taker { number, views })
    }

    /// The statements in the place of the operator that takes the slices.
    fn replace(&mut self, slices: &Stm, windows: Vec<Window>, taken: Stm, views: &[View]) -> Vec<Stm> {
        let Exp::Soac(Soac::Screma { arrays: indices, map: maker, .. }) = &slices.exp else { return vec![taken] };
        let Exp::Soac(Soac::Screma { width, arrays, map, reduces, .. }) = taken.exp else {
            return vec![Stm { exp: taken.exp, ..taken }];
        };
        let mut make = Make { fresh: self.fresh, loc: taken.loc, stms: Vec::new() };
        let mut out = Vec::new();
        let i = make.fresh.named("i");
        let mut certs = taken.certs;
        certs.extend(slices.certs.iter().filter(|cert| !certs.contains(cert)).copied().collect::<Vec<Name>>());

        // What the loop carries: sums, arrays that it fills, elements of windows. The last two are made before it.
        let (mut params, mut next, mut pat) = (Vec::new(), Vec::new(), Vec::new());
        let reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        for (reduce, first) in reduces.iter().zip(begins(&reduces)) {
            for (k, neutral) in reduce.neutral.iter().enumerate() {
                params.push((reduce.op.params[k].clone(), *neutral));
                pat.push(taken.pat[first + k].clone());
            }
        }
        let mut filled = Vec::new();
        for result in &taken.pat[reduced..] {
            let Type::Array(dims, prim) = &result.ty else { continue };
            let base = result.name.base;
            let scratch = Param::new(make.fresh.named(base.as_str()), result.ty.clone());
            let param = Param { unique: true, ..Param::new(make.fresh.named(base.as_str()), result.ty.clone()) };
            let init = scratch.name.into();
            make.push(vec![scratch], Exp::Scratch(dims.clone(), *prim), Vec::new());
            params.push((param.clone(), init));
            pat.push(result.clone());
            filled.push(param);
        }
        out.append(&mut make.stms);
        let kept: Vec<Vec<Param>> = windows
            .iter()
            .map(|window| {
                let param = |fresh: &mut Fresh| Param::new(fresh.named("kept"), Type::Prim(window.prim));
                (0..window.size - window.step).map(|_| param(make.fresh)).collect()
            })
            .collect();

        // The first slices, if there are any.
        let mut copy = copy_body(&maker.body, make.fresh);
        let renamed = renaming(&maker.body, &copy);
        let rows: Vec<Param> = rows_of(maker.params.iter(), indices, &Operand::i64(0), &mut make);
        let subst: Subst = maker.params.iter().map(|p| p.name).zip(rows.iter().map(|p| p.name)).collect();
        subst.apply_to_body(&mut copy);
        make.stms.append(&mut copy.stms);
        let mut read = Vec::new();
        for (window, kept) in windows.iter().zip(&kept) {
            for k in 0..kept.len() {
                read.push(make.element(window, k as i64, &renamed, &subst));
            }
        }
        let yes = Body { stms: std::mem::take(&mut make.stms), results: read };
        let zeros = windows.iter().zip(&kept).flat_map(|(w, kept)| kept.iter().map(|_| Scalar::zero(w.prim)));
        let no = Body { stms: Vec::new(), results: zeros.map(Operand::Const).collect() };
        let is_any = Param::new(make.fresh.named("is_any"), Type::Prim(Prim::Bool));
        let cond = is_any.name.into();
        make.push(vec![is_any], Exp::Cmp(CmpOp::Lt, Operand::i64(0), width), Vec::new());
        let firsts: Vec<Param> =
            kept.iter().flatten().map(|p| Param::new(make.fresh.named("first"), p.ty.clone())).collect();
        params.extend(kept.iter().flatten().cloned().zip(firsts.iter().map(|p| Operand::Var(p.name))));
        pat.extend(kept.iter().flatten().map(|p| Param::new(make.fresh.named("last"), p.ty.clone())));
        make.push(firsts, Exp::If(cond, yes, no), certs.clone());
        out.append(&mut make.stms);

        // An iteration: what makes the slices, the new elements, the function with the windows, and what is carried.
        let rows = rows_of(maker.params.iter(), indices, &i.into(), &mut make);
        let subst: Subst = maker.params.iter().map(|p| p.name).zip(rows.iter().map(|p| p.name)).collect();
        let mut body = maker.body.clone();
        subst.apply_to_body(&mut body);
        make.stms.append(&mut body.stms);
        let mut after: Vec<Operand> = Vec::new();
        let mut arguments: FxHashMap<Name, Name> = FxHashMap::default();
        for (window, kept) in windows.iter().zip(&kept) {
            let mut elements: Vec<Operand> = kept.iter().map(|p| p.name.into()).collect();
            for k in window.size - window.step..window.size {
                elements.push(make.element(window, k, &FxHashMap::default(), &subst));
            }
            after.extend(&elements[window.step as usize..]);
            let row = Type::Array(vec![Operand::i64(window.size)], window.prim);
            let made = Param::new(make.fresh.named("window"), row);
            arguments.insert(window.whole, made.name);
            make.push(vec![made], Exp::Array(elements, Type::Prim(window.prim)), Vec::new());
        }
        for view in views {
            arguments.extend(arguments.get(&view.whole).copied().map(|window| (view.name, window)));
        }
        let mut subst = Subst::new();
        let used = free_in_body(&map.body);
        for (param, array) in map.params.iter().zip(&arrays) {
            match arguments.get(array) {
                Some(window) => subst.insert(param.name, *window),
                None if used.contains(&param.name) => {
                    let row = Param { unique: false, ..param.clone() };
                    let index = Exp::Index(*array, vec![i.into()]);
                    match param.unique && param.ty.is_array() {
                        true => {
                            let view = Param::new(make.fresh.named(param.name.base.as_str()), param.ty.clone());
                            let name = view.name;
                            make.push(vec![view], index, Vec::new());
                            make.push(vec![row], Exp::Copy(name), Vec::new());
                        }
                        false => make.push(vec![row], index, Vec::new()),
                    }
                }
                None => {}
            }
        }
        let mut body = map.body;
        subst.apply_to_body(&mut body);
        make.stms.append(&mut body.stms);
        for (reduce, first) in reduces.iter().zip(begins(&reduces)) {
            let count = reduce.neutral.len();
            let mut op = reduce.op.body.clone();
            let new = reduce.op.params[count..].iter().map(|p| p.name);
            let values = body.results[first..first + count].iter().copied();
            new.zip(values).collect::<Subst>().apply_to_body(&mut op);
            make.stms.append(&mut op.stms);
            next.extend(op.results);
        }
        for (param, value) in filled.iter().zip(&body.results[reduced..]) {
            let all = param.ty.dims()[1..].iter();
            let range = |len: &Operand| DimSlice::Range { start: Operand::i64(0), len: *len, stride: Operand::i64(1) };
            let dims = std::iter::once(DimSlice::Fix(i.into())).chain(all.map(range)).collect();
            let new = Param::new(make.fresh.named(param.name.base.as_str()), param.ty.clone());
            next.push(new.name.into());
            make.push(vec![new], Exp::Update(param.name, dims, *value), Vec::new());
        }
        next.extend(after);
        let body = Body { stms: std::mem::take(&mut make.stms), results: next };
        let form = LoopForm::For(i, Prim::I64, width);
        out.push(Stm { pat, certs, attrs: taken.attrs, exp: Exp::Loop { params, form, body }, loc: taken.loc });
        out
    }
}

/// At which result each of several reductions begins.
fn begins(reduces: &[kenaz_ir::Reduce]) -> Vec<usize> {
    let lens = reduces.iter().map(|reduce| reduce.neutral.len());
    lens.scan(0, |at, len| Some(std::mem::replace(at, *at + len))).collect()
}

struct Make<'a> {
    fresh: &'a mut Fresh,
    loc: kenaz_ir::LocId,
    stms: Vec<Stm>,
}

impl Make<'_> {
    fn push(&mut self, pat: Vec<Param>, exp: Exp, certs: Vec<Name>) {
        self.stms.push(Stm { pat, certs, attrs: Default::default(), exp, loc: self.loc });
    }

    fn scalar(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        match (op, constant(x), constant(y)) {
            (BinOp::Add, Some(0), _) => return y,
            (BinOp::Add, _, Some(0)) | (BinOp::Mul, _, Some(1)) => return x,
            _ => {}
        }
        let made = Param::new(self.fresh.named("at"), Type::I64);
        let name = made.name;
        self.push(vec![made], Exp::Bin(op, x, y), Vec::new());
        name.into()
    }

    /// Reads an element of a slice.
    fn element(&mut self, window: &Window, k: i64, renamed: &FxHashMap<Name, Name>, subst: &Subst) -> Operand {
        let here = |x: Operand| match x {
            Operand::Var(name) => subst.get(renamed.get(&name).copied().unwrap_or(name).into()),
            Operand::Const(_) => x,
        };
        let index: Vec<Operand> = window
            .dims
            .iter()
            .map(|dim| match dim {
                DimSlice::Fix(x) => here(*x),
                DimSlice::Range { start, stride, .. } => {
                    let by = self.scalar(BinOp::Mul, Operand::i64(k), *stride);
                    self.scalar(BinOp::Add, here(*start), by)
                }
            })
            .collect();
        let certs = window.certs.iter().map(|cert| renamed.get(cert).copied().unwrap_or(*cert)).collect();
        let element = Param::new(self.fresh.named("x"), Type::Prim(window.prim));
        let name = element.name;
        self.push(vec![element], Exp::Index(window.of, index), certs);
        name.into()
    }
}

/// The parameters of a map in an iteration.
fn rows_of<'p>(
    params: impl Iterator<Item = &'p Param>,
    arrays: &[Name],
    i: &Operand,
    make: &mut Make<'_>,
) -> Vec<Param> {
    let mut rows = Vec::new();
    for (param, array) in params.zip(arrays) {
        let row = Param::new(make.fresh.named(param.name.base.as_str()), param.ty.clone());
        make.push(vec![row.clone()], Exp::Index(*array, vec![*i]), Vec::new());
        rows.push(row);
    }
    rows
}

/// What the names that a body binds are called in a copy of it.
fn renaming(body: &Body, copy: &Body) -> FxHashMap<Name, Name> {
    bound_in_body(body).into_iter().zip(bound_in_body(copy)).collect()
}

fn constant(x: Operand) -> Option<i64> {
    if let Operand::Const(n) = x { n.as_i64() } else { None }
}

/// By how much an operand in a function that is mapped grows from one iteration to the next.
fn growth(
    x: Operand,
    defs: &FxHashMap<Name, &Exp>,
    params: &FxHashMap<Name, Option<i64>>,
    bound: &FxHashSet<Name>,
) -> Option<i64> {
    let of = |x: Operand| growth(x, defs, params, bound);
    let Operand::Var(name) = x else { return Some(0) };
    if let Some(stride) = params.get(&name) {
        return *stride;
    }
    if !bound.contains(&name) {
        return Some(0);
    }
    with_stack(|| match defs.get(&name)? {
        Exp::Operand(x) => of(*x),
        Exp::Bin(BinOp::Add, x, y) => of(*x)?.checked_add(of(*y)?),
        Exp::Bin(BinOp::Sub, x, y) => of(*x)?.checked_sub(of(*y)?),
        Exp::Bin(BinOp::Mul, x, y) => match (constant(*x), constant(*y)) {
            (Some(n), _) => of(*y)?.checked_mul(n),
            (_, Some(n)) => of(*x)?.checked_mul(n),
            (None, None) => (of(*x)? == 0 && of(*y)? == 0).then_some(0),
        },
        _ => None,
    })
}
