//! Makes one operator of several that run over arrays of the same size, so that no array is made in between.
//!
//! ```text
//! let b = map n (a) \(x) -> { let y = mul x x in y }
//! let s = reduce n (b) (0) \…                        ⇒  let s = screma n (a) map \(x) -> { let y = mul x x in y } reduce (0) \…
//! ```
//!
//! - A map goes into the map, scan, reduction, filter, scatter or histogram that takes its result; a map that takes the
//!   result of a scan becomes its last function; maps, scans and reductions of the same array become one (`merge`).
//!   What the first operator makes is kept when others need it too, so nothing is computed twice, except that a few
//!   scalar operations are repeated in filters, scatters and histograms when all takers can do so. Two scatters, or two
//!   histograms, that read the same array become one. Operators that only one other needs come first, since no array
//!   is left of them. A stencil with edges that is kept stays apart from reductions and scans of it (`edges`).
//! - A view of what a map makes becomes a map over views, so that the map reaches those who take the view (`views`).
//! - A scan that combines rows element by element becomes a map of scans of columns (`interchange`).
//! - An array marked `#[source]` is computed where it is read (`source`).
//!
//! It assumes nothing and leaves the program well formed after every rewrite. Statements whose results nobody needs
//! any more are left to `simplify`. Two statements become one only if no way leads from the first to the second
//! through others, and if nothing that is moved reads an array that is consumed on the way (`graph`). An operator
//! that the user pinned takes in nothing and goes nowhere; `#[materialize]` keeps an array. What becomes part of an
//! operator that is to run in sequence does so, and the other way round; but if others need what the first makes, both
//! must be meant to run alike. Bodies are treated from the outside to the inside, since merged functions bring together
//! what they contain.
//!
//! The cost is that of looking at each statement once, and for each pair at the statements in between, of which at most
//! a fixed multiple of the length of the body is looked at.

mod edges;
mod graph;
mod interchange;
mod merge;
mod source;
mod views;

use graph::{Graph, Needs, Refusal, Way};
use kenaz_base::with_stack;
use kenaz_ir::effects;
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::visit::{copy_lambda, for_each_body_mut};
use kenaz_ir::{Body, DecisionKind, Exp, Fresh, Join, LocId, Log, Name, Param, Pass, PassCx, Prog, Soac, Space, Stm};
pub(crate) use merge::is_materialised;
use merge::{Cx, Kind, allowed, is_pinned, merge, view};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub const PASS: Pass =
    Pass { name: "fuse", about: "makes one operator of several over the same elements", stage: None, run };

/// The names of its rules.
pub const RULES: &[&str] = &[
    "fuse-copy",
    "fuse-hists",
    "fuse-horizontal",
    "fuse-map-filter",
    "fuse-map-flatten",
    "fuse-map-hist",
    "fuse-map-index",
    "fuse-map-map",
    "fuse-map-of-transpose",
    "fuse-map-reduce",
    "fuse-map-resize",
    "fuse-map-scan",
    "fuse-map-scatter",
    "fuse-map-slice",
    "fuse-map-transpose",
    "fuse-map-unflatten",
    "fuse-scan-interchange",
    "fuse-scan-map",
    "fuse-scatters",
    "source-index",
    "source-input",
];

fn run(prog: &mut Prog, cx: &mut PassCx) {
    let has_cuts = cx.target.host_space == Space::Host;
    let log = &mut cx.log;
    let signatures = Signatures::of(prog);
    let Prog { funs, fresh, .. } = prog;
    for fun in funs {
        source::inline(fun, &signatures, fresh, log);
        let sharing = Sharing::of(fun, &signatures);
        let mut counters = FxHashSet::default();
        effects::any(&fun.body, |stm| {
            counters.extend(stm.pat.first().filter(|_| matches!(stm.exp, Exp::Iota { .. })).map(|p| p.name));
            false
        });
        let mut fuse = Fuse { sharing, counters, signatures: &signatures, has_cuts, fresh, log };
        fuse.body(&mut fun.body);
    }
}

struct Fuse<'a> {
    sharing: Sharing,
    /// Arrays that only count.
    counters: FxHashSet<Name>,
    signatures: &'a Signatures,
    has_cuts: bool,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

impl Fuse<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let operators = body.stms.iter().filter(|stm| view(&stm.exp).is_some()).count();
            if operators > 0 {
                let graph = Graph::new(body, &mut self.sharing, self.signatures);
                let (counters, refused) = (&self.counters, BTreeMap::new());
                let (fresh, log, has_cuts) = (&mut *self.fresh, &mut *self.log, self.has_cuts);
                let mut here = Here { graph, counters, fresh, log, shares: false, has_cuts, refused };
                here.fuse();
                *body = here.finish();
            }
            for stm in &mut body.stms {
                for_each_body_mut(&mut stm.exp, |body| self.body(body));
            }
        });
    }
}

/// Which operator it is.
type Kinds = std::mem::Discriminant<Soac>;

/// One body.
struct Here<'a> {
    graph: Graph<'a>,
    counters: &'a FxHashSet<Name>,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
    /// Operators whose results others need as well are taken in, too. That comes second: an operator that only one
    /// other needs leaves no array behind if that one takes it in.
    shares: bool,
    /// The loops of the target run in parts of their own where comparisons with the index change.
    has_cuts: bool,
    /// Why an operator does not go into the one that takes its result: by the first names they bind.
    refused: BTreeMap<(Name, Name), (LocId, Refusal)>,
}

impl Here<'_> {
    fn fuse(&mut self) {
        loop {
            for shares in [false, true] {
                self.shares = shares;
                self.meet_consumers();
            }
            if !self.side_by_side() {
                break;
            }
        }
        self.interchange();
    }

    /// A scan of rows becomes a map of scans of columns.
    fn interchange(&mut self) {
        let mut at = 0;
        while at < self.graph.nodes.len() {
            if interchange::is_allowed(&self.graph.nodes[at].stm) && self.log.fire("fuse-scan-interchange") {
                let (stm, _) = self.graph.take(at);
                self.graph.put(at, interchange::interchanged(stm, self.fresh));
            }
            at += 1;
        }
    }

    fn finish(self) -> Body {
        for ((first, second), (loc, reason)) in &self.refused {
            if self.graph.binder(*first).is_some() && self.graph.binder(*second).is_some() {
                self.log.decide(DecisionKind::FusionRefused, *loc, *reason);
            }
        }
        self.graph.finish()
    }

    fn stm(&self, at: usize) -> &Stm {
        &self.graph.nodes[at].stm
    }

    /// Each operator takes in those that make its arrays.
    fn meet_consumers(&mut self) {
        let mut at = 0;
        while at < self.graph.nodes.len() {
            self.transpose(at);
            match self.take_in(at).or_else(|| self.push_view(at)).or_else(|| self.drop_copy(at)) {
                Some(place) => at = place,
                None => at += 1,
            }
        }
    }

    /// Brings a producer into the operator at a place; gives the place of the new operator.
    fn take_in(&mut self, second: usize) -> Option<usize> {
        let arrays = view(&self.stm(second).exp)?.arrays;
        let mut makers: Vec<usize> = arrays.iter().filter_map(|a| self.graph.binder(*a)).collect();
        makers.sort_unstable_by(|a, b| b.cmp(a));
        makers.dedup();
        makers.into_iter().find_map(|first| self.try_pair(first, second))
    }

    /// Whether nothing but what takes these arrays uses what an operator makes.
    fn is_alone(&self, maker: &Stm, takes: &[Name]) -> bool {
        maker.pat.iter().all(|p| self.graph.users(p.name) <= usize::from(takes.contains(&p.name)))
    }

    fn try_pair(&mut self, first: usize, second: usize) -> Option<usize> {
        let takes = view(&self.stm(second).exp).map_or(&[][..], |v| v.arrays);
        if !self.shares && !self.is_alone(self.stm(first), takes) {
            return None;
        }
        match self.may_fuse(first, second) {
            Ok((kind, rule, way)) => self.join(first, second, kind, rule, &way),
            Err(reason) => {
                let (one, two) = (self.stm(first), self.stm(second));
                let same = view(&one.exp).zip(view(&two.exp)).is_some_and(|(a, b)| a.width == b.width);
                if let (true, Some(a), Some(b)) = (same, one.pat.first(), two.pat.first()) {
                    let (key, loc) = ((a.name, b.name), two.loc);
                    self.refused.insert(key, (loc, reason));
                }
                None
            }
        }
    }

    fn may_fuse(&mut self, first: usize, second: usize) -> Result<(Kind, &'static str, Way), Refusal> {
        let (one, two) = (self.stm(first), self.stm(second));
        let takes = view(&two.exp).map_or(&[][..], |v| v.arrays);
        let is_taken = |name: Name| takes.contains(&name);
        if is_materialised(one) && one.pat.iter().any(|p| is_taken(p.name)) {
            return Err("the first is to be materialised");
        }
        if self.are_strangers(one, two) {
            return Err("both have reductions inside, and share but one number for each");
        }
        let alone = self.is_alone(one, takes);
        let has_edges = |stm| edges::has_edges(stm, self.counters);
        let side_by_side = !one.pat.iter().any(|p| is_taken(p.name));
        if self.has_cuts
            && (!alone && merge::folds(two) && has_edges(one) || side_by_side && merge::folds(one) && has_edges(two))
        {
            return Err("one has edges and is stored anyway: apart from each other both run in vectors");
        }
        if is_pinned(one) || is_pinned(two) {
            return Err("one of them is pinned");
        }
        let (kind, rule) = allowed(one, two, alone || self.may_repeat(one))?;
        if side_by_side && !merge::same_place_wishes(one, two) {
            return Err("an attribute says where the results of one of them are to be");
        }
        // An operator that only the other one needs runs as that one does; otherwise their attributes must agree.
        let is_shared = side_by_side || !alone && matches!(two.exp, Exp::Soac(Soac::Screma { .. }));
        if is_shared && !merge::same_strategies(one, two) {
            return Err("an attribute says that one of them is to run in sequence");
        }
        if one.pat.iter().any(|p| self.graph.nodes[second].needs.uses.binary_search(&p.name).is_ok())
            && uses_otherwise(two, one)
        {
            return Err("the second needs a result of the first as a whole");
        }
        let way = self.graph.way(first, second)?;
        // An operator that is computed again is computed at the place of the second.
        if way.is_up
            && !alone
            && kind != Kind::Beside
            && !matches!(self.stm(second).exp, Exp::Soac(Soac::Screma { .. }))
        {
            return Err("an array that is read before is consumed before or by the second");
        }
        Ok((kind, rule, way))
    }

    /// Whether two nests of reductions have nothing in common but a scalar for each row that the second takes: they
    /// gain nothing from each other, and neither would run in tiles or strips.
    fn are_strangers(&self, one: &Stm, two: &Stm) -> bool {
        let (Some(first), Some(second)) = (view(&one.exp), view(&two.exp)) else { return false };
        let is_shared = |a: &Name| second.arrays.contains(a) && !self.counters.contains(a);
        let gives = |p: &Param| !second.arrays.contains(&p.name) || p.ty.rank() == 1;
        !first.arrays.iter().any(is_shared)
            && one.pat.iter().all(gives)
            && effects::any_inside(&one.exp, has_reduction)
            && effects::any_inside(&two.exp, has_reduction)
    }

    /// Whether a map computes so little that everyone who takes its results can compute them again, and all can.
    fn may_repeat(&self, stm: &Stm) -> bool {
        const MOST: usize = 6;
        /// How many operations a body has, if all are scalar and there are at most `most`.
        fn operations(body: &Body, most: usize) -> Option<usize> {
            let mut left = most.checked_sub(body.stms.len())?;
            for stm in &body.stms {
                match &stm.exp {
                    exp if effects::is_simple(exp) => {}
                    Exp::If(_, yes, no) => {
                        left -= operations(yes, left)?;
                        left -= operations(no, left)?;
                    }
                    _ => return None,
                }
            }
            Some(most - left)
        }
        let Exp::Soac(Soac::Screma { map, .. }) = &stm.exp else { return false };
        operations(&map.body, MOST).is_some()
            && map.params.iter().all(|p| !p.ty.is_array())
            && stm.pat.iter().all(|p| self.graph.users(p.name) == self.graph.inputs(p.name))
    }

    fn join(&mut self, first: usize, second: usize, kind: Kind, rule: &'static str, way: &Way) -> Option<usize> {
        if !self.log.fire(rule) {
            return None;
        }
        let (two, needs_of_two) = self.graph.take(second);
        let needed: FxHashSet<Name> =
            self.stm(first).pat.iter().map(|p| p.name).filter(|name| self.graph.users(*name) > 0).collect();
        let is_repeated =
            !needed.is_empty() && kind != Kind::Beside && !matches!(two.exp, Exp::Soac(Soac::Screma { .. }));
        let shared = !needed.is_empty() && !is_repeated;
        self.log.join(Join { first: self.stm(first).loc, second: two.loc, shared });
        if is_repeated {
            // The others do the same, so nothing is left of the first in the end.
            let mut one = self.stm(first).clone();
            if let Exp::Soac(Soac::Screma { map, .. }) = &mut one.exp {
                *map = copy_lambda(map, self.fresh);
            }
            let mut cx = Cx { fresh: self.fresh, sharing: self.graph.sharing };
            let stm = merge(one, two, kind, |_| false, &mut cx);
            self.graph.put(second, vec![stm]);
            return Some(second);
        }
        let (one, needs_of_one) = self.graph.take(first);
        let needs = Needs::of_both(needs_of_one, needs_of_two, &one.pat);
        let mut cx = Cx { fresh: self.fresh, sharing: self.graph.sharing };
        let stm = merge(one, two, kind, |name| needed.contains(&name), &mut cx);
        Some(self.graph.join_one(first, second, way, stm, needs))
    }

    /// Brings the view at a place to the arrays of the map whose result it is a view of; gives the place of the map.
    fn push_view(&mut self, second: usize) -> Option<usize> {
        let stm = self.stm(second);
        let array = views::viewed(&stm.exp)?;
        let first = self.graph.binder(array)?;
        if self.graph.users(array) != 1 || !matches!(self.stm(first).exp, Exp::Soac(_)) {
            return None;
        }
        let name = stm.pat.first()?.name;
        if !views::saves_work(&stm.exp) && self.graph.inputs(name) == 0 {
            return None;
        }
        let rule = views::allowed(self.stm(first), stm).ok()?;
        if rule == "fuse-map-unflatten" && !self.takes_nest(second) {
            return None;
        }
        let way = self.graph.way(first, second).ok()?;
        if !self.log.fire(rule) {
            return None;
        }
        let ((maker, _), (view, _)) = (self.graph.take(first), self.graph.take(second));
        let stms = views::push(maker, view, self.fresh);
        Some(self.graph.join(first, second, &way, stms))
    }

    /// Whether what takes the view at a place is a nest of operators as deep as the nest of maps that the view would
    /// make of a map.
    fn takes_nest(&self, view: usize) -> bool {
        const NEAR: usize = 64;
        let param = &self.stm(view).pat[0];
        let old = views::viewed(&self.stm(view).exp).and_then(|array| self.graph.binder(array));
        let Some(Exp::Soac(Soac::Screma { map, .. })) = old.map(|at| &self.stm(at).exp) else { return false };
        let levels = param.ty.rank() - map.ret[0].rank();
        let mut near = self.graph.nodes[view + 1..].iter().take(NEAR);
        self.graph.users(param.name) == 1
            && near
                .find(|node| node.needs.uses.binary_search(&param.name).is_ok())
                .is_some_and(|node| !is_pinned(&node.stm) && views::takes_rows(&node.stm.exp, param.name, levels))
    }

    /// A map that only transposes each row becomes a transposition.
    fn transpose(&mut self, at: usize) {
        if let Some(stms) = views::transposed(&self.graph.nodes[at].stm, self.fresh)
            && self.log.fire("fuse-map-of-transpose")
        {
            self.graph.take(at);
            self.graph.put(at, stms);
        }
    }

    /// A copy of what an operator makes and nobody else needs is what the operator makes. Gives the place of the
    /// operator.
    fn drop_copy(&mut self, second: usize) -> Option<usize> {
        let stm = self.stm(second);
        let Exp::Copy(array) = stm.exp else { return None };
        let first = self.graph.binder(array)?;
        let maker = self.stm(first);
        let made = matches!(maker.exp, Exp::Soac(Soac::Screma { .. } | Soac::Filter { .. })) && !is_pinned(maker);
        let fits = maker.pat.iter().find(|p| p.name == array)?.ty == stm.pat.first()?.ty;
        let certified = stm.certs.iter().all(|cert| maker.certs.contains(cert));
        let alone = self.graph.users(array) == 1 && stm.attrs.is_free();
        if !(made && fits && certified && alone && self.log.fire("fuse-copy")) {
            return None;
        }
        self.graph.rename(first, array, second);
        Some(first)
    }

    /// Operators over the same array become one. Whether any did.
    fn side_by_side(&mut self) -> bool {
        let mut changed = false;
        // For each array, the operator of each kind that reads it last, by a name it binds.
        let mut last: FxHashMap<(Kinds, Name), Name> = FxHashMap::default();
        let mut at = 0;
        while at < self.graph.nodes.len() {
            let stm = self.stm(at);
            let (Some(found), Some(name)) = (view(&stm.exp), stm.pat.first().map(|p| p.name)) else {
                at += 1;
                continue;
            };
            let Exp::Soac(soac) = &stm.exp else { unreachable!("only operators have a view") };
            let mut arrays = found.arrays.to_vec();
            // Nests of reductions that have nothing but their numbers in common, such as products of matrices, gain
            // nothing from each other, and would not run in tiles.
            if effects::any_inside(&stm.exp, has_reduction) {
                arrays.retain(|a| !self.counters.contains(a));
            }
            let kinds = std::mem::discriminant(soac);
            let mut others: Vec<usize> = arrays
                .iter()
                .filter_map(|a| self.graph.binder(*last.get(&(kinds, *a))?))
                .filter(|other| *other < at)
                .collect();
            others.sort_unstable_by(|a, b| b.cmp(a));
            others.dedup();
            let joined = others.into_iter().find_map(|first| match self.may_fuse(first, at) {
                Ok((kind, rule, way)) => self.join(first, at, kind, rule, &way),
                Err(_) => None,
            });
            if let Some(place) = joined {
                changed = true;
                at = place;
            } else {
                last.extend(arrays.into_iter().map(|a| ((kinds, a), name)));
                at += 1;
            }
        }
        changed
    }
}

fn has_reduction(stm: &Stm) -> bool {
    matches!(&stm.exp, Exp::Soac(Soac::Screma { reduces, .. }) if !reduces.is_empty())
}

/// Whether a statement uses what another binds otherwise than row by row.
fn uses_otherwise(user: &Stm, maker: &Stm) -> bool {
    let arrays = view(&user.exp).map_or(&[][..], |v| v.arrays);
    let is_made = |name: Name| maker.pat.iter().any(|p| p.name == name);
    let taken = arrays.iter().filter(|a| is_made(**a)).count();
    let mut all = user.certs.iter().filter(|c| is_made(**c)).count();
    kenaz_ir::visit::for_each_use(&user.exp, |name| all += usize::from(is_made(name)));
    // Sizes in the pattern are sizes of the operator, and those were counted.
    all > taken
}
