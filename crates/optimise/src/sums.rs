//! Accumulators that are sums: where each element of the array gets what a nest of maps computes for it, one for each
//! iteration of some of the maps.
//!
//! ```text
//! let b = with_acc ([m] (zeros) (0) \+) \(token, acc) -> {
//!   in map n (acc, xs) \(acc, x) -> {
//!     in map m (acc, row, iota m) \(acc, y, k) -> { let v = mul x y; in update_acc acc (k) (v) } } }
//! ⇒ let b = map m (iota m) \k -> {
//!     let s = screma n (iota n) map \i -> { let x = index xs[i]; let y = index row[k]; in mul x y } reduce (0) \+
//!     in s }
//! ```
//!
//! So the derivative of a product of matrices becomes two products, which run in parallel and in tiles like any other.
//! The indices of an update must be constant, or iterations of different maps around it, over as many as the array is
//! long; all other maps around it become sums. The value is computed from what is known outside: elements of arrays,
//! and arithmetic. What takes longer, or is the same for some of the iterations, stays where it is and leaves its map
//! as one more result.
//!
//! Where these would be larger than all arrays that there are, the outermost map runs in parts ([`parts`]).
//!
//! Comes before fusion, when no check is left between operators. The maps stay for what else they yield.

mod parts;
mod pull;

use crate::differentiate::arrays::is_zero;
use kenaz_base::with_stack;
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::visit::{Visit, VisitMut, walk, walk_mut};
use kenaz_ir::{
    BinOp, Body, Builder, Exp, Lambda, Log, LoopForm, Name, Operand, Param, Pass, PassCx, Prog, Scalar, Soac, Stm,
    Target, Type, effects,
};
use pull::Pull;
use rustc_hash::{FxHashMap, FxHashSet};

pub const PASS: Pass = Pass { name: "sums", about: "turns accumulators into sums", stage: None, run };

pub const RULES: &[&str] = &["accumulator-sum"];

fn run(prog: &mut Prog, cx: &mut PassCx) {
    let signatures = Signatures::of(prog);
    let mut b = Builder::with(std::mem::take(&mut prog.fresh), std::mem::take(&mut prog.locs));
    for fun in &mut prog.funs {
        let is_with_acc = |stm: &Stm| matches!(stm.exp, Exp::Soac(Soac::WithAcc { .. }));
        if !effects::any(&fun.body, is_with_acc) {
            continue;
        }
        let mut declare = Declare { b: &mut b, iotas: FxHashMap::default(), zeros: FxHashSet::default() };
        declare.fun(fun);
        let Declare { iotas, zeros, .. } = declare;
        let sharing = Sharing::of(fun, &signatures);
        let signatures = &signatures;
        let (log, target) = (&mut cx.log, cx.target);
        Walk { b: &mut b, iotas, zeros, sharing, signatures, log, target, is_large: false, is_by_row: false }
            .body(&mut fun.body);
    }
    (prog.fresh, prog.locs) = (b.fresh, b.locs);
}

/// Makes the types of all names known, and some of their values.
struct Declare<'a> {
    b: &'a mut Builder,
    /// The lengths of arrays of numbers from zero on.
    iotas: FxHashMap<Name, Operand>,
    /// Arrays of zeros.
    zeros: FxHashSet<Name>,
}

impl Visit for Declare<'_> {
    fn param(&mut self, param: &Param) {
        self.b.declare(param.name, param.ty.clone());
    }

    fn stm(&mut self, stm: &Stm) {
        match (&stm.exp, &stm.pat[..]) {
            (Exp::Iota { len, start, stride, .. }, [p]) if is_zero(*start) && *stride == Operand::i64(1) => {
                self.iotas.insert(p.name, *len);
            }
            (Exp::Replicate(_, x), [p]) if is_zero(*x) => {
                self.zeros.insert(p.name);
            }
            _ => {}
        }
        walk::stm(self, stm);
    }

    fn exp(&mut self, exp: &Exp) {
        if let Exp::Loop { form: LoopForm::For(i, prim, _), .. } = exp {
            self.b.declare(*i, Type::Prim(*prim));
        }
        walk::exp(self, exp);
    }
}

struct Walk<'a> {
    b: &'a mut Builder,
    iotas: FxHashMap<Name, Operand>,
    zeros: FxHashSet<Name>,
    sharing: Sharing,
    signatures: &'a Signatures,
    log: &'a mut Log,
    target: &'static Target,
    /// Whether sums needed larger arrays than there were before.
    is_large: bool,
    /// Whether a place depended on an outermost map.
    is_by_row: bool,
}

impl VisitMut for Walk<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            for mut stm in std::mem::take(&mut body.stms) {
                // Accumulators inside become sums first, so that those outside can look into what they are sums of.
                walk_mut::stm(self, &mut stm);
                body.stms.extend(self.sums_or_parts(stm));
            }
        });
    }
}

/// A map through which an accumulator goes, or the function of its `with_acc`.
struct Node {
    parent: usize,
    width: Operand,
    params: Vec<Param>,
    arrays: Vec<Name>,
    /// The accumulator inside.
    acc: Name,
}

/// An update of an accumulator.
struct Update {
    node: usize,
    index: Vec<Operand>,
    value: Operand,
    loc: kenaz_ir::LocId,
}

/// Where an accumulator goes.
#[derive(Default)]
struct Nest {
    nodes: Vec<Node>,
    updates: Vec<Update>,
}

impl Nest {
    /// Follows an accumulator through a body; nothing if it goes through anything but maps.
    fn follow(&mut self, node: usize, body: &Body, mut acc: Name) -> Option<Name> {
        for stm in &body.stms {
            match &stm.exp {
                Exp::Soac(Soac::UpdateAcc { acc: to, index, values }) if *to == acc => {
                    let [value] = values[..] else { return None };
                    self.updates.push(Update { node, index: index.clone(), value, loc: stm.loc });
                    acc = stm.pat[0].name;
                }
                Exp::Soac(Soac::Screma { width, arrays, map, scans, post: None, .. })
                    if scans.is_empty() && stm.attrs.is_free() && arrays.contains(&acc) =>
                {
                    let at = arrays.iter().position(|a| *a == acc)?;
                    let inner = map.params[at].name;
                    let (params, arrays) = (map.params.clone(), arrays.clone());
                    self.nodes.push(Node { parent: node, width: *width, params, arrays, acc: inner });
                    let child = self.nodes.len() - 1;
                    let last = self.follow(child, &map.body, inner)?;
                    acc = stm.pat[map.body.results.iter().position(|x| *x == Operand::Var(last))?].name;
                }
                exp if kenaz_ir::visit::free_in_exp(exp).contains(&acc) => return None,
                _ => {}
            }
        }
        Some(acc)
    }

    /// The maps around a place, from the outermost to the innermost.
    fn path(&self, mut node: usize) -> Vec<usize> {
        let mut path = Vec::new();
        while node != 0 {
            path.push(node);
            node = self.nodes[node].parent;
        }
        path.reverse();
        path
    }

    fn node_of(&self, name: Name) -> Option<(usize, usize)> {
        let position = |node: &Node| node.params.iter().position(|p| p.name == name);
        self.nodes.iter().enumerate().find_map(|(i, node)| Some((i, position(node)?)))
    }
}

impl Walk<'_> {
    /// What takes the place of a statement, which needs no arrays that are larger than those that there are.
    fn sums_or_parts(&mut self, stm: Stm) -> Vec<Stm> {
        if !matches!(stm.exp, Exp::Soac(Soac::WithAcc { .. })) {
            return vec![stm];
        }
        (self.is_large, self.is_by_row) = (false, false);
        let whole = self.sums(stm.clone());
        let parts = if self.is_large && !self.is_by_row { self.in_parts(&stm) } else { None };
        parts.unwrap_or(whole)
    }

    /// What takes the place of a statement.
    fn sums(&mut self, mut stm: Stm) -> Vec<Stm> {
        let mut after = Vec::new();
        let mut at = 0;
        while let Exp::Soac(Soac::WithAcc { inputs, body }) = &stm.exp {
            if at == inputs.len() {
                break;
            }
            let Some((new, sums)) = self.sum(&stm, inputs.len(), body, at) else {
                at += 1;
                continue;
            };
            after.splice(0..0, sums);
            match new {
                Left::Fewer(new) => stm = *new,
                Left::Nothing(mut stms) => {
                    stms.extend(after);
                    return stms;
                }
            }
        }
        let mut all = vec![stm];
        all.extend(after);
        all
    }

    /// One of the accumulators of a statement as a sum: what is left of the statement, and what comes after it.
    fn sum(&mut self, stm: &Stm, count: usize, lambda: &Lambda, at: usize) -> Option<(Left, Vec<Stm>)> {
        let Exp::Soac(Soac::WithAcc { inputs, .. }) = &stm.exp else { return None };
        let input = &inputs[at];
        let [dest] = input.dests[..] else { return None };
        let (op, _) = input.op.as_ref()?;
        if !matches!(op.built_in().as_deref(), Some([(BinOp::Add, _)])) || !stm.attrs.is_free() {
            return None;
        }
        let acc = lambda.params[count + at].name;
        let mut nest = Nest::default();
        let top = Node { parent: 0, width: Operand::i64(1), params: Vec::new(), arrays: Vec::new(), acc };
        nest.nodes.push(top);
        let last = nest.follow(0, &lambda.body, acc)?;
        if lambda.body.results[at] != Operand::Var(last) || nest.updates.is_empty() {
            return None;
        }
        let ty = self.b.type_of(dest);
        if ty.dims() != input.shape {
            return None;
        }
        let mut consumed = FxHashSet::default();
        let mut note = |stm: &Stm| {
            let names = effects::consumed(&stm.exp, |f, i| self.signatures.takes(f, i));
            consumed.extend(names.into_iter().map(|name| self.sharing.class(name)));
            false
        };
        note(stm);
        effects::any_inside(&stm.exp, note);
        self.b.begin();
        let mut pull = Pull::new(self.b, &self.sharing, consumed, &nest, lambda, count > 1);
        let mut total = (!self.zeros.contains(&dest)).then_some(Operand::Var(dest));
        for update in &nest.updates {
            let along = places(&self.iotas, &nest, update, &input.shape);
            let is_outermost = |along: &Along| matches!(along, Along::Map(node) if nest.nodes[*node].parent == 0);
            self.is_by_row |= along.as_ref().is_some_and(|along| along.iter().any(is_outermost));
            total = along.and_then(|along| pull.sum(update, &along, &ty, total));
            if total.is_none() {
                break;
            }
        }
        let exports = pull.exports;
        let total = total.filter(|_| self.log.fire("accumulator-sum"));
        let Some(total) = total else {
            self.b.end(Vec::new());
            return None;
        };
        self.is_large |= is_large(self.b, &nest, &exports);
        self.b.let_pat(vec![stm.pat[at].clone()], Exp::Operand(total));
        let sums = self.b.end(Vec::new()).stms;
        let mut strip = Strip { exports, b: self.b };
        let mut body = lambda.body.clone();
        strip.body(&mut body, Some(acc));
        if count == 1 {
            for (p, x) in stm.pat[1..].iter().zip(body.results) {
                body.stms.push(Stm {
                    pat: vec![p.clone()],
                    certs: stm.certs.clone(),
                    exp: Exp::Operand(x),
                    ..stm.clone()
                });
            }
            return Some((Left::Nothing(body.stms), sums));
        }
        let mut new = stm.clone();
        new.pat.remove(at);
        let Exp::Soac(Soac::WithAcc { inputs, body: lambda }) = &mut new.exp else { return None };
        inputs.remove(at);
        lambda.params.remove(count + at);
        lambda.params.remove(at);
        lambda.ret.remove(at);
        lambda.body = body;
        for (inner, outer) in strip.exports.get(&acc).into_iter().flatten() {
            lambda.body.results.push((*inner).into());
            lambda.ret.push(strip.b.type_of(*inner));
            new.pat.push(Param::new(*outer, strip.b.type_of(*outer)));
        }
        Some((Left::Fewer(Box::new(new)), sums))
    }
}

/// What is left of a `with_acc` that has lost an accumulator.
enum Left {
    Fewer(Box<Stm>),
    Nothing(Vec<Stm>),
}

/// Where updates go in a dimension of an array.
#[derive(Clone, Copy, PartialEq)]
enum Along {
    /// To all places, one for each iteration of a map.
    Map(usize),
    /// Always to the same place.
    Fixed(Operand),
}

fn places(iotas: &FxHashMap<Name, Operand>, nest: &Nest, update: &Update, shape: &[Operand]) -> Option<Vec<Along>> {
    let path = nest.path(update.node);
    let mut places = Vec::new();
    for (index, n) in update.index.iter().zip(shape) {
        if let (Operand::Const(i), Operand::Const(n)) = (index, n) {
            let is_inside = matches!((i, n), (Scalar::I64(i), Scalar::I64(n)) if (0..*n).contains(i));
            if !is_inside {
                return None;
            }
            places.push(Along::Fixed(*index));
            continue;
        }
        let (node, at) = nest.node_of(index.name()?)?;
        let Node { width, arrays, .. } = &nest.nodes[node];
        let is_whole = *width == *n && iotas.contains_key(&arrays[at]);
        if !is_whole || !path.contains(&node) || places.contains(&Along::Map(node)) {
            return None;
        }
        places.push(Along::Map(node));
    }
    (update.index.len() == shape.len()).then_some(places)
}

/// Whether the outermost maps yield arrays that are larger than all that they take.
fn is_large(b: &Builder, nest: &Nest, exports: &Exports) -> bool {
    let outermost = || nest.nodes[1..].iter().filter(|node| node.parent == 0);
    let shapes: Vec<Type> = outermost().flat_map(|node| &node.arrays).map(|a| b.type_of(*a)).collect();
    let fits = |name: Name| {
        let ty = b.type_of(name);
        ty.rank() < 3 || shapes.iter().any(|all| all.is_array() && all.dims().starts_with(ty.dims()))
    };
    outermost().filter_map(|node| exports.get(&node.acc)).flatten().any(|(_, outer)| !fits(*outer))
}

/// What maps yield besides, by the accumulators that go through them: names inside and outside.
type Exports = FxHashMap<Name, Vec<(Name, Name)>>;

/// Takes an accumulator out of the maps that it goes through, and adds results to maps.
struct Strip<'a> {
    exports: Exports,
    b: &'a mut Builder,
}

impl Strip<'_> {
    fn body(&mut self, body: &mut Body, acc: Option<Name>) {
        let mut acc = acc;
        let mut stms = Vec::new();
        for mut stm in std::mem::take(&mut body.stms) {
            match &mut stm.exp {
                Exp::Soac(Soac::UpdateAcc { acc: to, .. }) if Some(*to) == acc => {
                    acc = Some(stm.pat[0].name);
                    continue;
                }
                Exp::Soac(Soac::Screma { arrays, map, post: None, .. }) => {
                    let at = arrays.iter().position(|a| Some(*a) == acc);
                    let inner = at.map(|at| map.params[at].name);
                    let key = inner.or(map.params.first().map(|p| p.name));
                    let before = map.body.results.clone();
                    self.body(&mut map.body, inner);
                    if let Some(at) = at {
                        arrays.remove(at);
                        map.params.remove(at);
                        let after = &map.body.results;
                        let gone = (0..after.len()).find(|i| before[*i] != after[*i]).unwrap_or(after.len());
                        acc = Some(stm.pat.remove(gone).name);
                        map.ret.remove(gone);
                    }
                    for (from, to) in key.and_then(|key| self.exports.get(&key)).into_iter().flatten() {
                        map.body.results.push((*from).into());
                        map.ret.push(self.b.type_of(*from));
                        stm.pat.push(Param::new(*to, self.b.type_of(*to)));
                    }
                }
                _ => {}
            }
            stms.push(stm);
        }
        body.stms = stms;
        if let Some(acc) = acc {
            body.results.retain(|x| *x != Operand::Var(acc));
        }
    }
}
