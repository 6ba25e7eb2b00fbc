//! Dead code: what neither a result nor a check needs.
//!
//! A mark-and-sweep over one function. Each name is a node; the names it needs are its edges. The result of a branch
//! needs the results of the bodies at its place, the parameter of a loop its initial and next values, the result of a
//! map what its function yields there. So a result, a parameter or an input goes away by itself, and two that need only
//! each other go away together. An operator with bodies has a node of its own for what decides whether and how often
//! they run; everything inside them needs it.
//!
//! Checks stay even if nobody relies on them: a program that fails goes on failing. `trace` stays too.

use super::control::retain;
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::effects;
use kenaz_ir::visit::{Subst, VisitMut, for_each_body, free_in_type, walk_mut};
use kenaz_ir::{Body, Exp, Form, Fun, Lambda, Log, LoopForm, Name, Operand, Par, Param, Reduce, Scan, Soac, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Removes what nobody needs from a function. `effects` are the functions that may fail or trace.
pub(super) fn remove(fun: &mut Fun, effects: &FxHashSet<Symbol>, log: &mut Log) {
    let mut graph =
        Graph { effects, nodes: Vec::new(), index: FxHashMap::default(), roots: Vec::new(), stms: Vec::new() };
    for param in &fun.params {
        graph.node(param.name);
    }
    let outside = graph.control(None);
    graph.body(&fun.body, outside);
    let results: Vec<u32> = fun.body.results.iter().filter_map(|x| graph.used(*x)).collect();
    graph.roots.extend(results);
    let live = graph.live();
    let mut sweep = Sweep { live: &live, at: 0, found: false, change: false };
    sweep.body(&mut fun.body);
    if sweep.found && log.fire("dead-code") {
        Sweep { live: &live, at: 0, found: false, change: true }.body(&mut fun.body);
    }
}

/// Whether a body may fail or trace.
pub(super) fn has_effects(body: &Body, effects: &FxHashSet<Symbol>) -> bool {
    effects::any(body, |stm| is_effect(stm, effects))
}

/// Whether a statement is needed even if its results are not.
fn is_effect(stm: &Stm, effects: &FxHashSet<Symbol>) -> bool {
    match &stm.exp {
        Exp::Call(f, _) => effects.contains(f),
        _ => !effects::of(stm).may_drop(),
    }
}

type Node = u32;

struct Graph<'a> {
    effects: &'a FxHashSet<Symbol>,
    /// For each node those it needs.
    nodes: Vec<Vec<Node>>,
    index: FxHashMap<Name, Node>,
    roots: Vec<Node>,
    /// The statements in the order in which they are visited: the node of each, and the number of the first that is
    /// not inside it.
    stms: Vec<(Node, usize)>,
}

/// The names and statements that are live.
struct Live {
    names: FxHashSet<Name>,
    /// For each statement whether it is live, and the number of the first that is not inside it.
    stms: Vec<(bool, usize)>,
}

impl Graph<'_> {
    fn fresh(&mut self) -> Node {
        self.nodes.push(Vec::new());
        Node::try_from(self.nodes.len() - 1).expect("fewer nodes than names")
    }

    fn node(&mut self, name: Name) -> Node {
        if let Some(node) = self.index.get(&name) {
            return *node;
        }
        let node = self.fresh();
        self.index.insert(name, node);
        node
    }

    fn used(&mut self, x: Operand) -> Option<Node> {
        x.name().map(|name| self.node(name))
    }

    fn need(&mut self, node: Node, x: Operand) {
        if let Some(other) = self.used(x) {
            self.nodes[node as usize].push(other);
        }
    }

    fn need_all<'x>(&mut self, node: Node, xs: impl IntoIterator<Item = &'x Operand>) {
        for x in xs {
            self.need(node, *x);
        }
    }

    fn need_type(&mut self, node: Node, ty: &Type) {
        match ty {
            Type::Prim(_) | Type::Cert | Type::Mem(_) => {}
            Type::Array(dims, _) => self.need_all(node, dims),
            Type::Acc { .. } => {
                for name in free_in_type(ty) {
                    self.need(node, name.into());
                }
            }
        }
    }

    /// A node for an operator with bodies, which needs that of the operator around it.
    fn control(&mut self, outer: Option<Node>) -> Node {
        let node = self.fresh();
        self.nodes[node as usize].extend(outer);
        node
    }

    /// A name that is bound inside an operator.
    fn bind(&mut self, param: &Param, control: Node) -> Node {
        let node = self.node(param.name);
        self.nodes[node as usize].push(control);
        self.need_type(node, &param.ty);
        node
    }

    fn body(&mut self, body: &Body, control: Node) {
        with_stack(|| {
            for stm in &body.stms {
                self.stm(stm, control);
            }
        });
    }

    fn stm(&mut self, stm: &Stm, outer: Node) {
        // Everything that the statement needs whichever of its results is needed.
        let control = self.control(Some(outer));
        let number = self.stms.len();
        self.stms.push((control, 0));
        for cert in &stm.certs {
            self.need(control, (*cert).into());
        }
        let results: Vec<Node> = stm.pat.iter().map(|param| self.bind(param, control)).collect();
        if is_effect(stm, self.effects) {
            self.roots.push(control);
        }
        match &stm.exp {
            Exp::If(cond, yes, no) => {
                self.need(control, *cond);
                self.branch(yes, control, &results);
                self.branch(no, control, &results);
            }
            Exp::Match(x, cases, default) => {
                self.need(control, *x);
                for (_, body) in cases {
                    self.branch(body, control, &results);
                }
                self.branch(default, control, &results);
            }
            Exp::Loop { params, form, body } => {
                match form {
                    LoopForm::For(i, _, n) => {
                        self.need(control, *n);
                        let index = self.node(*i);
                        self.nodes[index as usize].push(control);
                    }
                    LoopForm::While(cond) => self.need(control, (*cond).into()),
                }
                for (i, (param, init)) in params.iter().enumerate() {
                    let node = self.bind(param, control);
                    self.need(node, *init);
                    self.need(node, body.results[i]);
                    self.nodes[results[i] as usize].push(node);
                    // A parameter that is consumed is needed for its memory as long as the result is.
                    self.nodes[node as usize].push(results[i]);
                }
                self.body(body, control);
            }
            Exp::Soac(soac) => self.soac(soac, control, &results),
            Exp::Par(par) => self.par(par, control, &results),
            exp => {
                kenaz_ir::visit::for_each_use(exp, |name| self.need(control, name.into()));
                // Derivatives need everything in their functions.
                for_each_body(exp, |body| self.whole(body, control));
            }
        }
        self.stms[number].1 = self.stms.len();
    }

    /// A body all of whose statements are needed.
    fn whole(&mut self, body: &Body, control: Node) {
        self.body(body, control);
        for stm in &body.stms {
            for param in &stm.pat {
                self.need(control, param.name.into());
            }
        }
        self.need_all(control, &body.results);
    }

    fn branch(&mut self, body: &Body, control: Node, results: &[Node]) {
        for (node, x) in results.iter().zip(&body.results) {
            self.need(*node, *x);
        }
        self.body(body, control);
    }

    /// The parameters of a function over the rows of arrays.
    fn rows(&mut self, lambda: &Lambda, arrays: &[Name], control: Node) {
        for (param, array) in lambda.params.iter().zip(arrays) {
            let node = self.bind(param, control);
            self.need(node, (*array).into());
        }
        self.body(&lambda.body, control);
    }

    /// A function all of whose results are needed. A check in it needs everything that the function is applied to.
    fn operator(&mut self, lambda: &Lambda, neutral: &[Operand], control: Node, node: Node) {
        let inside = self.control(Some(control));
        self.nodes[inside as usize].push(node);
        for param in &lambda.params {
            self.bind(param, inside);
            self.need(node, param.name.into());
        }
        self.body(&lambda.body, inside);
        self.need_all(node, &lambda.body.results);
        self.need_all(node, neutral);
    }

    fn soac(&mut self, soac: &Soac, control: Node, results: &[Node]) {
        match soac {
            Soac::Screma { width, arrays, map, scans, reduces, post } => {
                self.need(control, *width);
                self.rows(map, arrays, control);
                for param in post.iter().flat_map(|post| &post.params) {
                    self.bind(param, control);
                }
                let (scanned, reduced) = sizes(scans, reduces);
                // Where each value of the function ends up.
                let values: Vec<Node> = (0..map.ret.len())
                    .map(|i| match collected(i, scanned.iter().sum(), reduced.iter().sum(), post.as_ref()) {
                        Collected::Result(i) => results[i],
                        Collected::Param(param) => self.node(param.name),
                    })
                    .collect();
                for (node, x) in values.iter().zip(&map.body.results) {
                    self.need(*node, *x);
                }
                let operators = scans.iter().map(|s| (&s.op, &s.neutral));
                let operators = operators.chain(reduces.iter().map(|r| (&r.op, &r.neutral)));
                let mut at = 0;
                for (op, neutral) in operators {
                    // One result needs all that are combined together with it.
                    let group = self.control(None);
                    self.operator(op, neutral, control, group);
                    for node in &values[at..at + neutral.len()] {
                        self.nodes[*node as usize].push(group);
                        self.nodes[group as usize].push(*node);
                    }
                    at += neutral.len();
                }
                if let Some(post) = post {
                    self.body(&post.body, control);
                    let first: usize = reduced.iter().sum();
                    for (node, x) in results[first..].iter().zip(&post.body.results) {
                        self.need(*node, *x);
                    }
                }
            }
            Soac::Filter { width, arrays, pred } => {
                self.need(control, *width);
                self.rows(pred, arrays, control);
                self.need(control, pred.body.results[0]);
                let rows: Vec<Operand> = arrays.iter().map(|a| (*a).into()).collect();
                let kept = if pred.ret.len() == 1 { &rows[..] } else { &pred.body.results[1..] };
                for (node, x) in results.iter().skip(1).zip(kept) {
                    self.need(*node, *x);
                }
            }
            Soac::Scatter { width, arrays, map, dests } => {
                self.need(control, *width);
                self.rows(map, arrays, control);
                let ranks: usize = dests.iter().map(|d| d.rank).sum();
                let mut at = 0;
                for (i, (node, dest)) in results.iter().zip(dests).enumerate() {
                    self.need(*node, dest.array.into());
                    self.need_all(*node, &map.body.results[at..at + dest.rank]);
                    self.need(*node, map.body.results[ranks + i]);
                    at += dest.rank;
                }
            }
            Soac::Hist { width, arrays, map, ops } => {
                self.need(control, *width);
                self.rows(map, arrays, control);
                let ranks: usize = ops.iter().map(|op| op.rank).sum();
                let (mut index, mut value, mut result) = (0, ranks, 0);
                for op in ops {
                    let group = self.control(None);
                    self.operator(&op.op, &op.neutral, control, group);
                    self.need_all(group, &map.body.results[index..index + op.rank]);
                    self.need_all(group, &map.body.results[value..value + op.dests.len()]);
                    for dest in &op.dests {
                        self.need(group, (*dest).into());
                    }
                    for node in &results[result..result + op.dests.len()] {
                        self.nodes[*node as usize].push(group);
                        self.nodes[group as usize].push(*node);
                    }
                    index += op.rank;
                    value += op.dests.len();
                    result += op.dests.len();
                }
            }
            Soac::WithAcc { inputs, body } => {
                for input in inputs {
                    self.need_all(control, &input.shape);
                    for dest in &input.dests {
                        self.need(control, (*dest).into());
                    }
                    if let Some((op, neutral)) = &input.op {
                        self.operator(op, neutral, control, control);
                    }
                }
                for param in &body.params {
                    self.bind(param, control);
                    self.need(control, param.name.into());
                }
                self.body(&body.body, control);
                self.need_all(control, &body.body.results);
                for result in results {
                    self.nodes[control as usize].push(*result);
                }
            }
            Soac::UpdateAcc { acc, index, values } => {
                self.need(control, (*acc).into());
                self.need_all(control, index);
                self.need_all(control, values);
            }
        }
    }

    /// Operators and forms are needed as far as their results are; a scan as far as its parameter of the last body is.
    fn par(&mut self, par: &Par, control: Node, results: &[Node]) {
        for (i, n) in &par.space {
            self.need(control, *n);
            let index = self.node(*i);
            self.nodes[index as usize].push(control);
        }
        for param in par.post.iter().flat_map(|post| &post.params) {
            self.bind(param, control);
        }
        let mut combined: Vec<Node> = Vec::new();
        for param in par.post.iter().flat_map(|post| &post.params) {
            combined.push(self.node(param.name));
        }
        combined.extend(&results[..par.reduced()]);
        // The statements are counted in the order in which they are visited.
        let mut at = 0;
        for op in &par.ops {
            let group = self.control(None);
            self.operator(&op.lambda, &op.neutral, control, group);
            self.need_all(group, &op.shape);
            let range = at..at + op.neutral.len();
            self.need_all(group, &par.body.results[range.clone()]);
            for node in &combined[range] {
                self.nodes[*node as usize].push(group);
                self.nodes[group as usize].push(*node);
            }
            at += op.neutral.len();
        }
        let (yielding, first) = par.yields();
        let mut values = &yielding.results[first..];
        let mut results = &results[par.reduced()..];
        for form in &par.forms {
            let (mine, others) = values.split_at(form.operands());
            let (nodes, rest) = results.split_at(form.results());
            (values, results) = (others, rest);
            let group = self.control(None);
            self.need_all(group, mine);
            match form {
                Form::Own => {}
                Form::Tile(sizes) => self.need_all(group, sizes),
                Form::Write { dest, rank: _ } => self.need(group, (*dest).into()),
                Form::Acc { dests, rank: _, op, neutral } => {
                    self.operator(op, neutral, control, group);
                    for dest in dests {
                        self.need(group, (*dest).into());
                    }
                }
            }
            for node in nodes {
                self.nodes[*node as usize].push(group);
                self.nodes[group as usize].push(*node);
            }
        }
        self.body(&par.body, control);
        if let Some(post) = &par.post {
            self.body(&post.body, control);
        }
    }

    /// The names that are needed.
    fn live(&self) -> Live {
        let mut marked = vec![false; self.nodes.len()];
        let mut todo = self.roots.clone();
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut marked[node as usize], true) {
                todo.extend(&self.nodes[node as usize]);
            }
        }
        let names = self.index.iter().filter(|(_, node)| marked[**node as usize]).map(|(name, _)| *name).collect();
        let stms = self.stms.iter().map(|(node, end)| (marked[*node as usize], *end)).collect();
        Live { names, stms }
    }
}

/// Removes what is not needed, or only finds out whether there is something.
struct Sweep<'a> {
    live: &'a Live,
    /// The number of the next statement.
    at: usize,
    found: bool,
    change: bool,
}

impl Sweep<'_> {
    fn is_live(&self, name: Name) -> bool {
        self.live.names.contains(&name)
    }

    /// The places of the parameters that can go, from `first` on.
    fn dead_places(&mut self, params: &[Param], first: usize) -> Vec<usize> {
        let gone: Vec<usize> = (first..params.len()).filter(|i| !self.is_live(params[*i].name)).collect();
        self.found |= !gone.is_empty();
        gone
    }

    /// Inputs whose parameters are not needed.
    fn inputs(&mut self, arrays: &mut Vec<Name>, lambda: &mut Lambda) {
        let gone = self.dead_places(&lambda.params, 0);
        if self.change {
            retain(arrays, &gone);
            retain(&mut lambda.params, &gone);
        }
    }

    /// The operators none of whose results are needed, and the places of these results.
    fn operators(&mut self, names: &[Name], sizes: &[usize], mut first: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut gone, mut places) = (Vec::new(), Vec::new());
        for (i, size) in sizes.iter().enumerate() {
            let range = first..first + size;
            if names[range.clone()].iter().all(|name| !self.is_live(*name)) {
                gone.push(i);
                places.extend(range);
                self.found = true;
            }
            first += size;
        }
        (gone, places)
    }

    fn par(&mut self, par: &mut Par, pat: &mut Vec<Param>) {
        let scanned: usize = par.scans().map(|op| op.neutral.len()).sum();
        let reduced = par.reduced();
        let operands = par.operands();
        let mut names: Vec<Name> = par.post.iter().flat_map(|post| &post.params).map(|p| p.name).collect();
        names.extend(pat[..reduced].iter().map(|p| p.name));
        let sizes: Vec<usize> = par.ops.iter().map(|op| op.neutral.len()).collect();
        let (dead_ops, gone) = self.operators(&names, &sizes, 0);
        let names: Vec<Name> = pat.iter().map(|p| p.name).collect();
        let sizes: Vec<usize> = par.forms.iter().map(Form::results).collect();
        let (dead_forms, gone_results) = self.operators(&names, &sizes, reduced);
        if !self.change {
            return;
        }
        let needs: Vec<usize> = par.forms.iter().map(Form::operands).collect();
        let yielded: Vec<usize> = dead_forms.iter().flat_map(|i| places(&needs, *i)).collect();
        let gone_reduced = gone.iter().filter(|i| **i >= scanned).map(|i| i - scanned);
        retain(pat, &gone_reduced.chain(gone_results.iter().copied()).collect::<Vec<usize>>());
        let mut gone_body = gone.clone();
        match &mut par.post {
            Some(post) => {
                retain(&mut post.body.results, &yielded);
                retain(&mut post.params, &gone.iter().copied().filter(|i| *i < scanned).collect::<Vec<usize>>());
            }
            None => gone_body.extend(yielded.iter().map(|i| operands + i)),
        }
        retain(&mut par.body.results, &gone_body);
        retain(&mut par.ops, &dead_ops);
        retain(&mut par.forms, &dead_forms);
        // Without scans the last body is the end of the first.
        if par.scans().next().is_none()
            && let Some(post) = par.post.take()
        {
            par.body.stms.extend(post.body.stms);
            par.body.results.extend(post.body.results);
        }
    }

    fn soac(&mut self, soac: &mut Soac, pat: &mut Vec<Param>) {
        match soac {
            Soac::Screma { arrays, map, scans, reduces, post, .. } => {
                let (scanned, reduced) = sizes(scans, reduces);
                let (all_scanned, all_reduced) = (scanned.iter().sum(), reduced.iter().sum());
                let places: Vec<Collected> =
                    (0..map.ret.len()).map(|i| collected(i, all_scanned, all_reduced, post.as_ref())).collect();
                let names: Vec<Name> = places
                    .iter()
                    .map(|place| match place {
                        Collected::Result(i) => pat[*i].name,
                        Collected::Param(param) => param.name,
                    })
                    .collect();
                let (dead_scans, mut gone) = self.operators(&names, &scanned, 0);
                let (dead_reduces, more) = self.operators(&names, &reduced, all_scanned);
                gone.extend(more);
                gone.extend((all_scanned + all_reduced..names.len()).filter(|i| !self.is_live(names[*i])));
                self.found |= !gone.is_empty();
                let dead_last: Vec<usize> = match post {
                    Some(_) => (all_reduced..pat.len()).filter(|i| !self.is_live(pat[*i].name)).collect(),
                    None => Vec::new(),
                };
                self.found |= !dead_last.is_empty();
                if self.change {
                    let mut results: Vec<usize> = gone
                        .iter()
                        .filter_map(|i| match places[*i] {
                            Collected::Result(i) => Some(i),
                            Collected::Param(_) => None,
                        })
                        .chain(dead_last.iter().copied())
                        .collect();
                    results.sort_unstable();
                    if let Some(post) = post {
                        let live = |name: &Name| self.is_live(*name);
                        post.params.retain(|p| live(&p.name));
                        let last: Vec<usize> = dead_last.iter().map(|i| i - all_reduced).collect();
                        retain(&mut post.body.results, &last);
                        retain(&mut post.ret, &last);
                    }
                    retain(scans, &dead_scans);
                    retain(reduces, &dead_reduces);
                    retain(pat, &results);
                    retain(&mut map.body.results, &gone);
                    retain(&mut map.ret, &gone);
                    if scans.is_empty() {
                        append(map, reduces.iter().map(|reduce| reduce.neutral.len()).sum(), post);
                    }
                }
                self.inputs(arrays, map);
            }
            Soac::Filter { arrays, pred, .. } if pred.ret.len() == 1 => {
                let dead = |i: &usize| !self.is_live(pred.params[*i].name) && !self.is_live(pat[*i + 1].name);
                let gone: Vec<usize> = (0..arrays.len()).filter(dead).collect();
                self.found |= !gone.is_empty();
                if self.change {
                    retain(arrays, &gone);
                    retain(&mut pred.params, &gone);
                    retain(pat, &gone.iter().map(|i| i + 1).collect::<Vec<usize>>());
                }
            }
            Soac::Filter { arrays, pred, .. } => {
                let mut gone: Vec<usize> = (1..pat.len()).filter(|i| !self.is_live(pat[*i].name)).collect();
                // A filter that keeps no values would keep the rows, so one stays; any value will do.
                let last = if gone.len() + 1 == pat.len() { gone.pop() } else { None };
                self.found |= !gone.is_empty();
                if self.change {
                    if let Some(last) = last {
                        pred.body.results[last] = pred.body.results[0];
                        pred.ret[last] = Type::BOOL;
                        pat[last].ty = Type::BOOL.array_of(pat[0].name.into());
                    }
                    retain(pat, &gone);
                    retain(&mut pred.body.results, &gone);
                    retain(&mut pred.ret, &gone);
                }
                self.inputs(arrays, pred);
            }
            Soac::Scatter { arrays, map, dests, .. } => {
                let gone = self.dead_places(pat, 0);
                if self.change {
                    let ranks: Vec<usize> = dests.iter().map(|d| d.rank).collect();
                    let indices = gone.iter().flat_map(|i| places(&ranks, *i));
                    let values = gone.iter().map(|i| ranks.iter().sum::<usize>() + i);
                    let yielded: Vec<usize> = indices.chain(values).collect();
                    retain(pat, &gone);
                    retain(dests, &gone);
                    retain(&mut map.body.results, &yielded);
                    retain(&mut map.ret, &yielded);
                }
                self.inputs(arrays, map);
            }
            Soac::Hist { arrays, map, ops, .. } => {
                let sizes: Vec<usize> = ops.iter().map(|op| op.dests.len()).collect();
                let names: Vec<Name> = pat.iter().map(|p| p.name).collect();
                let (gone, results) = self.operators(&names, &sizes, 0);
                if self.change {
                    let ranks: Vec<usize> = ops.iter().map(|op| op.rank).collect();
                    let all: usize = ranks.iter().sum();
                    let indices = gone.iter().flat_map(|i| places(&ranks, *i));
                    let yielded: Vec<usize> = indices.chain(results.iter().map(|i| all + i)).collect();
                    retain(ops, &gone);
                    retain(pat, &results);
                    retain(&mut map.body.results, &yielded);
                    retain(&mut map.ret, &yielded);
                }
                self.inputs(arrays, map);
            }
            Soac::WithAcc { .. } | Soac::UpdateAcc { .. } => {}
        }
    }
}

/// Without scans the last function, which takes all but the reduced values, is the end of the first. Not where it
/// might consume a value that the first yields twice.
fn append(map: &mut Lambda, reduced: usize, post: &mut Option<Lambda>) {
    let Some(last) = post.take_if(|last| last.params.iter().all(|param| matches!(param.ty, Type::Prim(_)))) else {
        return;
    };
    let values = map.body.results.drain(reduced..);
    let subst: Subst = last.params.iter().map(|param| param.name).zip(values).collect();
    let mut body = last.body;
    subst.apply_to_body(&mut body);
    map.body.stms.extend(body.stms);
    map.body.results.extend(body.results);
    map.ret.truncate(reduced);
    map.ret.extend(last.ret);
}

/// How many values each scan and each reduction has.
fn sizes(scans: &[Scan], reduces: &[Reduce]) -> (Vec<usize>, Vec<usize>) {
    (scans.iter().map(|s| s.neutral.len()).collect(), reduces.iter().map(|r| r.neutral.len()).collect())
}

/// Where a value of a screma's function ends up.
enum Collected<'a> {
    Result(usize),
    /// Of the function that makes the results.
    Param(&'a Param),
}

fn collected(i: usize, scanned: usize, reduced: usize, post: Option<&Lambda>) -> Collected<'_> {
    match post {
        None => Collected::Result(i),
        Some(post) if i < scanned => Collected::Param(&post.params[i]),
        Some(_) if i < scanned + reduced => Collected::Result(i - scanned),
        Some(post) => Collected::Param(&post.params[i - reduced]),
    }
}

/// The places of the elements of group `i` among all elements.
fn places(sizes: &[usize], i: usize) -> std::ops::Range<usize> {
    let first: usize = sizes[..i].iter().sum();
    first..first + sizes[i]
}

impl VisitMut for Sweep<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let mut kept = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                let (is_needed, end) = self.live.stms[self.at];
                self.at += 1;
                if is_needed {
                    self.stm(&mut stm);
                    kept.push(stm);
                    continue;
                }
                self.found = true;
                self.at = end;
                if !self.change {
                    kept.push(stm);
                }
            }
            body.stms = kept;
        });
    }

    fn stm(&mut self, stm: &mut Stm) {
        let Stm { pat, exp, .. } = stm;
        // The statements inside are counted before some of the functions that they are in go.
        walk_mut::exp(self, exp);
        match exp {
            Exp::If(_, yes, no) => {
                let gone = self.dead_places(pat, 0);
                if self.change {
                    retain(pat, &gone);
                    retain(&mut yes.results, &gone);
                    retain(&mut no.results, &gone);
                }
            }
            Exp::Match(_, cases, default) => {
                let gone = self.dead_places(pat, 0);
                if self.change {
                    retain(pat, &gone);
                    for body in cases.iter_mut().map(|(_, body)| body).chain([default]) {
                        retain(&mut body.results, &gone);
                    }
                }
            }
            Exp::Loop { params, body, .. } => {
                let gone = self.dead_places(pat, 0);
                if self.change {
                    retain(pat, &gone);
                    retain(params, &gone);
                    retain(&mut body.results, &gone);
                }
            }
            Exp::Soac(soac) => self.soac(soac, pat),
            Exp::Par(par) => self.par(par, pat),
            _ => {}
        }
    }
}
