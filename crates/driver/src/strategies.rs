//! What became of the operators of a program: which loops there are in the parallel stage, and who runs them.

mod attributes;
mod edit;
mod sites;

pub use attributes::{Row, Strategies};
pub use sites::{Site, Sites};

use kenaz_base::Symbol;
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Attr, Decision, DecisionKind, Exp, Form, Fun, Level, LocId, Log, OpKind, Operand, Par, Prog, Stm};
use kenaz_schedule::DEEPEST;
use std::collections::{BTreeMap, BTreeSet};

/// A loop that was an operator.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    pub loc: LocId,
    /// `map`, `scan and reduction`
    pub what: String,
    /// Its sizes, if they are numbers or called like parameters: of the user, or made up for them.
    pub sizes: Vec<String>,
    /// Who runs its iterations; one thread, one after the other, when there is none.
    pub level: Option<Level>,
    pub choice: Choice,
    /// The loop that it is in.
    pub around: Option<usize>,
    /// Goes on after "because"; empty if nobody decided.
    pub reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// How it runs was decided for this loop.
    Own,
    /// It runs in sequence because of where it is.
    Closed,
    /// It cannot run otherwise.
    None,
}

/// The loops of a program of the parallel stage, each after those that it is in, after passes with this log.
pub fn loops(prog: &Prog, log: &Log) -> Vec<Loop> {
    let mut decisions: BTreeMap<LocId, Vec<&Decision>> = BTreeMap::new();
    for decision in log.decisions() {
        decisions.entry(decision.loc).or_default().push(decision);
    }
    let here = Here { around: None, cores: 0, is_closed: false, is_asked: false };
    let mut find = Find { decisions, params: BTreeSet::new(), here, loops: Vec::new() };
    prog.funs.iter().for_each(|fun| find.fun(fun));
    find.loops
}

struct Find<'a> {
    /// Copies of a loop have the same position, but what was decided about them may differ.
    decisions: BTreeMap<LocId, Vec<&'a Decision>>,
    /// What the parameters of the function are called.
    params: BTreeSet<Symbol>,
    here: Here,
    loops: Vec<Loop>,
}

/// What is around a statement.
#[derive(Clone, Copy)]
struct Here {
    around: Option<usize>,
    /// How many loops on the cores.
    cores: usize,
    /// Nothing here runs on the cores …
    is_closed: bool,
    /// … because an attribute says so.
    is_asked: bool,
}

impl Visit for Find<'_> {
    fn fun(&mut self, fun: &Fun) {
        self.params = fun.params.iter().map(|param| param.name.base).collect();
        walk::fun(self, fun);
    }

    fn stm(&mut self, stm: &Stm) {
        let found = match &stm.exp {
            Exp::Par(par) => {
                use DecisionKind::{Closed, InSequence, OnCores, OnGrid};
                let wanted: &[DecisionKind] =
                    if par.level.is_some() { &[OnCores, OnGrid] } else { &[InSequence, Closed] };
                let decision = self.decision(stm, wanted);
                let choice = match decision {
                    Some(decision) if decision.kind == Closed => Choice::Closed,
                    Some(_) => Choice::Own,
                    None => Choice::None,
                };
                Some(((what(par), self.sizes(par)), par.level, choice, decision))
            }
            Exp::Loop { .. } => {
                let decision = self.decision(stm, &[DecisionKind::AsLoop]);
                decision.map(|decision| (("loop".to_string(), Vec::new()), None, Choice::None, Some(decision)))
            }
            _ => None,
        };
        let before = self.here;
        if let Some(((what, sizes), level, choice, decision)) = found {
            let reason = decision.map(|decision| decision.reason.clone()).unwrap_or_default();
            self.loops.push(Loop { loc: stm.loc, what, sizes, level, choice, around: self.here.around, reason });
            self.here.around = Some(self.loops.len() - 1);
        }
        let iterates = matches!(stm.exp, Exp::Par(_) | Exp::Loop { .. });
        let asks = stm.attrs.has(Attr::Sequential) || iterates && stm.attrs.has(Attr::SequentialInner);
        self.here.is_asked |= asks;
        self.here.is_closed |= asks;
        if let Exp::Par(Par { level: Some(Level::Core), ops, .. }) = &stm.exp {
            self.here.cores += 1;
            self.here.is_closed |= !ops.is_empty() || self.here.cores >= DEEPEST;
        }
        walk::stm(self, stm);
        self.here = before;
    }
}

impl<'a> Find<'a> {
    /// The decision about a statement: of those at its position the one that fits what is around it.
    fn decision(&self, stm: &Stm, wanted: &[DecisionKind]) -> Option<&'a Decision> {
        let is_asked =
            if self.here.is_closed { self.here.is_asked } else { stm.attrs.0.iter().any(|attr| attr.is_strategy()) };
        let fits = |decision: &&Decision| {
            ((decision.kind == DecisionKind::Closed) == self.here.is_closed, decision.is_asked == is_asked)
        };
        let wanted = self.decisions.get(&stm.loc)?.iter().copied().filter(|decision| wanted.contains(&decision.kind));
        wanted.max_by_key(fits)
    }

    fn sizes(&self, par: &Par) -> Vec<String> {
        let size = |n: &Operand| match n {
            Operand::Const(n) => n.as_i64().map(|n| n.to_string()),
            Operand::Var(name) => self.params.contains(&name.base).then(|| name.base.to_string()),
        };
        par.space.iter().map(|(_, n)| size(n)).collect::<Option<Vec<String>>>().unwrap_or_default()
    }
}

/// What an operator is called after what it does with the values of its iterations.
pub fn what(par: &Par) -> String {
    let writes = par.forms.iter().any(|form| matches!(form, Form::Write { .. }));
    let accumulates = par.forms.iter().any(|form| matches!(form, Form::Acc { .. }));
    let scans = par.ops.iter().any(|op| op.kind == OpKind::Scan);
    let reduces = par.ops.iter().any(|op| op.kind != OpKind::Scan);
    if scans && writes {
        // Nothing else writes to where a scan says.
        return "filter".to_string();
    }
    let parts = [(scans, "scan"), (reduces, "reduction"), (writes, "scatter"), (accumulates, "histogram")];
    let parts: Vec<&str> = parts.into_iter().filter_map(|(is_there, name)| is_there.then_some(name)).collect();
    if parts.is_empty() { "map".to_string() } else { parts.join(" and ") }
}
