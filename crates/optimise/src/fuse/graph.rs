//! The statements of a body with what each needs, and moving them past each other.

use super::merge::view;
use kenaz_ir::effects::{self, Fails};
use kenaz_ir::sharing::{Sharing, Signatures};
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Attrs, Body, Exp, Locs, Name, Operand, Param, Stm};
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement of the body, and what it needs.
pub(super) struct Node {
    pub stm: Stm,
    pub needs: Needs,
    /// Whether the statement is gone, and this only fills its place.
    gone: bool,
}

/// What a statement needs.
#[derive(Default)]
pub(super) struct Needs {
    /// The names it uses, also in its bodies, but does not bind; sorted.
    pub uses: Vec<Name>,
    /// The classes of the arrays that it consumes, also in its bodies.
    consumes: Vec<Name>,
    /// Whether something in it must stay where it is: it prints, or nothing may be known about it.
    stays: bool,
}

impl Needs {
    /// What one statement needs in the place of two, the second of which no longer needs what the first binds.
    pub(super) fn of_both(first: Needs, second: Needs, bound: &[Param]) -> Needs {
        let mut needs = first;
        needs.uses.extend(second.uses.iter().filter(|name| !bound.iter().any(|p| p.name == **name)));
        needs.consumes.extend(second.consumes);
        for names in [&mut needs.uses, &mut needs.consumes] {
            names.sort_unstable();
            names.dedup();
        }
        Needs { stays: needs.stays || second.stays, ..needs }
    }
}

/// A body under change.
pub(super) struct Graph<'a> {
    pub nodes: Vec<Node>,
    pub results: Vec<Operand>,
    pub sharing: &'a mut Sharing,
    signatures: &'a Signatures,
    /// Which statement binds a name.
    at: FxHashMap<Name, usize>,
    /// How many statements and results use a name.
    users: FxHashMap<Name, usize>,
    /// How many operators of the body run over an array.
    inputs: FxHashMap<Name, usize>,
    /// How many more statements may be looked at in the search for ways around others.
    patience: usize,
}

/// Why two statements cannot become one.
pub(super) type Refusal = &'static str;

/// How two statements can become one: those in between that come after it, by their places.
pub(super) struct Way {
    later: Vec<usize>,
    /// Whether the second moves to the first rather than the first to the second.
    pub is_up: bool,
}

impl<'a> Graph<'a> {
    pub(super) fn new(body: &mut Body, sharing: &'a mut Sharing, signatures: &'a Signatures) -> Graph<'a> {
        let stms = std::mem::take(&mut body.stms);
        let mut graph = Graph {
            patience: 10_000 + 50 * stms.len(),
            nodes: Vec::with_capacity(stms.len()),
            results: std::mem::take(&mut body.results),
            sharing,
            signatures,
            at: FxHashMap::default(),
            users: FxHashMap::default(),
            inputs: FxHashMap::default(),
        };
        for name in graph.results.iter().filter_map(|x| x.name()) {
            *graph.users.entry(name).or_default() += 1;
        }
        for stm in stms {
            let node = graph.node(stm);
            graph.count(&node, 1);
            graph.nodes.push(node);
        }
        graph.index(0..graph.nodes.len());
        graph
    }

    pub(super) fn finish(self) -> Body {
        let stms = self.nodes.into_iter().filter(|node| !node.gone).map(|node| node.stm).collect();
        Body { stms, results: self.results }
    }

    fn node(&self, stm: Stm) -> Node {
        let mut found = Found { signatures: self.signatures, bound: FxHashSet::default(), needs: Needs::default() };
        found.stm(&stm);
        let Found { bound, mut needs, .. } = found;
        needs.uses.retain(|name| !bound.contains(name));
        needs.consumes.iter_mut().for_each(|name| *name = self.sharing.class(*name));
        for names in [&mut needs.uses, &mut needs.consumes] {
            names.sort_unstable();
            names.dedup();
        }
        Node { stm, needs, gone: false }
    }

    fn count(&mut self, node: &Node, by: isize) {
        let add = |counts: &mut FxHashMap<Name, usize>, name: Name| {
            let count = counts.entry(name).or_default();
            *count = count.saturating_add_signed(by);
        };
        node.needs.uses.iter().for_each(|name| add(&mut self.users, *name));
        let mut arrays = view(&node.stm.exp).map_or_else(Vec::new, |v| v.arrays.to_vec());
        arrays.sort_unstable();
        arrays.dedup();
        arrays.into_iter().for_each(|name| add(&mut self.inputs, name));
    }

    fn index(&mut self, places: std::ops::Range<usize>) {
        for at in places {
            for param in &self.nodes[at].stm.pat {
                self.at.insert(param.name, at);
            }
        }
    }

    /// The statement that binds a name, if it is one of this body.
    pub(super) fn binder(&self, name: Name) -> Option<usize> {
        self.at.get(&name).copied()
    }

    /// How many statements use a name; the results count as one for each.
    pub(super) fn users(&self, name: Name) -> usize {
        self.users.get(&name).copied().unwrap_or(0)
    }

    /// How many operators of the body run over an array.
    pub(super) fn inputs(&self, name: Name) -> usize {
        self.inputs.get(&name).copied().unwrap_or(0)
    }

    /// Whether the statement at `first` can be brought to the one at `second`, or both to a place in between. Those
    /// between that need the first come after both, all others before.
    pub(super) fn way(&mut self, first: usize, second: usize) -> Result<Way, Refusal> {
        let between = first + 1..second;
        if between.len() > self.patience.max(64) {
            return Err("they are too far apart");
        }
        self.patience = self.patience.saturating_sub(between.len());
        if self.nodes[first].needs.stays || self.nodes[second].needs.stays {
            return Err("one of them prints or is opaque");
        }
        let names = |at: usize| self.nodes[at].stm.pat.iter().map(|p| p.name);
        let mut dependent: FxHashSet<Name> = names(first).collect();
        let mut later = Vec::new();
        for at in between.clone() {
            if self.nodes[at].needs.uses.iter().any(|name| dependent.contains(name)) {
                dependent.extend(names(at));
                later.push(at);
            }
        }
        names(first).for_each(|name| _ = dependent.remove(&name));
        if self.nodes[second].needs.uses.iter().any(|name| dependent.contains(name)) {
            return Err("the second needs something else that depends on the first");
        }
        // Everything else comes before, or only what the second needs.
        let way = self.allows(first, second, Way { later, is_up: false });
        way.or_else(|refusal| {
            let mut needed: FxHashSet<Name> = self.nodes[second].needs.uses.iter().copied().collect();
            let mut later = Vec::new();
            for at in between.rev() {
                if names(at).any(|name| needed.contains(&name)) {
                    needed.extend(&self.nodes[at].needs.uses);
                } else {
                    later.push(at);
                }
            }
            later.reverse();
            self.allows(first, second, Way { later, is_up: true }).map_err(|_| refusal)
        })
    }

    /// Whether what is moved past each other does not mind: nothing that is consumed is read later than before, what
    /// prints does so in the same order, and what may be safe only because of a check stays behind it.
    fn allows(&self, first: usize, second: usize, way: Way) -> Result<Way, Refusal> {
        let is_later: FxHashSet<usize> = way.later.iter().copied().collect();
        let mut consumed: FxHashSet<Name> = self.nodes[second].needs.consumes.iter().copied().collect();
        let (mut stays, mut crossed) = (false, false);
        let (mut checks, mut relies) = (false, false);
        // The first comes before the checks anyhow, so none of them is about its sizes.
        let made = &self.nodes[first].stm;
        let known = |n: Operand| match n {
            Operand::Const(n) => n.as_i64().is_some_and(|n| n >= 0),
            Operand::Var(_) => {
                view(&made.exp).is_some_and(|v| v.width == n) || made.pat.iter().any(|p| p.ty.dims().contains(&n))
            }
        };
        for at in first + 1..second {
            let node = &self.nodes[at];
            if is_later.contains(&at) {
                stays |= node.needs.stays;
                checks |= matches!(node.stm.exp, Exp::Assert(..));
            } else {
                crossed |= stays && node.needs.stays;
                relies |= checks && may_rely(&node.stm, known);
                consumed.extend(&node.needs.consumes);
            }
        }
        if crossed {
            return Err("what prints or is opaque would change places");
        }
        if relies || checks && may_rely(&self.nodes[second].stm, known) {
            return Err("what may be safe because of a check would come before it");
        }
        let reads =
            |at: &usize| self.nodes[*at].needs.uses.iter().any(|name| consumed.contains(&self.sharing.class(*name)));
        if !consumed.is_empty() && std::iter::once(&first).chain(&way.later).any(reads) {
            return Err("an array that is read before is consumed before or by the second");
        }
        Ok(way)
    }

    /// Takes a statement out, to be changed.
    pub(super) fn take(&mut self, at: usize) -> (Stm, Needs) {
        let node = std::mem::replace(&mut self.nodes[at], Node::gone());
        self.count(&node, -1);
        for param in &node.stm.pat {
            self.at.remove(&param.name);
        }
        (node.stm, node.needs)
    }

    /// Puts statements in the place of one that was taken out.
    pub(super) fn put(&mut self, at: usize, stms: Vec<Stm>) {
        let made: Vec<Node> = stms.into_iter().map(|stm| self.node(stm)).collect();
        made.iter().for_each(|node| self.count(node, 1));
        let moved = made.len() != 1;
        self.nodes.splice(at..=at, made);
        self.index(at..if moved { self.nodes.len() } else { at + 1 });
    }

    /// Puts statements in the place of two that were taken out; gives the place of the last of them.
    pub(super) fn join(&mut self, first: usize, second: usize, way: &Way, stms: Vec<Stm>) -> usize {
        let made = stms.into_iter().map(|stm| self.node(stm)).collect();
        self.insert(first, second, way, made)
    }

    /// Puts a statement with these needs in the place of two that were taken out; gives its place.
    pub(super) fn join_one(&mut self, first: usize, second: usize, way: &Way, stm: Stm, needs: Needs) -> usize {
        self.insert(first, second, way, vec![Node { stm, needs, gone: false }])
    }

    fn insert(&mut self, first: usize, second: usize, way: &Way, made: Vec<Node>) -> usize {
        let later: FxHashSet<usize> = way.later.iter().copied().collect();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let old: Vec<Node> = self.nodes.drain(first..=second).collect();
        let count = old.len();
        for (at, node) in (first..).zip(old) {
            if at != first && at != second {
                if later.contains(&at) { after.push(node) } else { before.push(node) }
            }
        }
        made.iter().for_each(|node| self.count(node, 1));
        let place = first + before.len() + made.len() - 1;
        let mut new: Vec<Node> = before.into_iter().chain(made).chain(after).collect();
        let end = first + new.len().max(count);
        // As many as before, so that the rest need not move.
        let gap = count.saturating_sub(new.len());
        new.splice(0..0, (0..gap).map(|_| Node::gone()));
        let grown = new.len() > count;
        self.nodes.splice(first..first, new);
        self.index(first..if grown { self.nodes.len() } else { end });
        place + gap
    }

    /// Gives another name to something that one statement binds and none uses any more, and takes out the statement
    /// that bound the name so far.
    pub(super) fn rename(&mut self, at: usize, from: Name, to: usize) {
        let (Stm { pat, .. }, _) = self.take(to);
        let param = self.nodes[at].stm.pat.iter_mut().find(|p| p.name == from);
        if let (Some(param), [new]) = (param, &pat[..]) {
            self.at.remove(&param.name);
            param.name = new.name;
            self.at.insert(new.name, at);
        }
    }
}

impl Node {
    fn gone() -> Node {
        let exp = Exp::Operand(Operand::bool(false));
        let stm = Stm { pat: Vec::new(), certs: Vec::new(), attrs: Attrs::default(), exp, loc: Locs::NOWHERE() };
        Node { stm, needs: Needs::default(), gone: true }
    }
}

/// Collects what a statement needs.
struct Found<'a> {
    signatures: &'a Signatures,
    bound: FxHashSet<Name>,
    needs: Needs,
}

impl Visit for Found<'_> {
    fn name(&mut self, name: &Name) {
        self.needs.uses.push(*name);
    }

    fn binder(&mut self, name: &Name) {
        self.bound.insert(*name);
    }

    fn exp(&mut self, exp: &Exp) {
        self.needs.consumes.extend(effects::consumed(exp, |f, i| self.signatures.takes(f, i)));
        self.needs.stays |= self.signatures.is_watched(exp);
        walk::exp(self, exp);
    }
}

/// Whether a statement may be safe only where it stands: its own check is left out where an earlier one says the same,
/// and leaves no certificate of that one behind. So are those of the sizes of new arrays, but for one that is known,
/// and those under which loops and calls end.
fn may_rely(stm: &Stm, known: impl Fn(Operand) -> bool) -> bool {
    let relies = |stm: &Stm| {
        let effects = effects::of(stm);
        effects.fails == Fails::Partial || !effects.ends || effects::sizes(&stm.exp).into_iter().any(|n| !known(n))
    };
    relies(stm) || effects::any_inside(&stm.exp, relies)
}
