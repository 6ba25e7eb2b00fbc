//! What all passes have in common: a name, a target, fuel, and a log of what they did and what they decided against.

use crate::check::Stage;
use crate::decision::{Decision, DecisionKind};
use crate::name::Name;
use crate::print::operator;
use crate::prog::{Fun, LocId, Operand, Param, Prog, Stm};
use crate::target::{self, Target};
use crate::visit::{Visit, walk};
use indexmap::IndexSet;
use kenaz_base::{Attr, Code, Symbol};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// A step of a pipeline: from a program to a program of the same meaning.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// The stage that it leads to; without one the program stays at its stage.
    pub stage: Option<Stage>,
    pub run: fn(&mut Prog, &mut PassCx),
}

/// What a pass gets besides the program.
#[derive(Debug)]
pub struct PassCx {
    /// What the program is for.
    pub target: &'static Target,
    pub log: Log,
}

impl PassCx {
    pub fn new(target: &'static Target, log: Log) -> PassCx {
        PassCx { target, log }
    }
}

/// For one thread, with as many rewrites as there are.
impl Default for PassCx {
    fn default() -> PassCx {
        PassCx::new(&target::C, Log::new())
    }
}

/// What passes did, and how much more they may do.
///
/// Before each rewrite a pass asks [`Log::fire`], and without a yes it leaves the program as it is. So a pipeline can
/// be stopped after any number of rewrites, and the first wrong one be found.
#[derive(Debug, Default)]
pub struct Log {
    /// How many more rewrites may happen, if there is a limit.
    fuel: Option<u64>,
    used: u64,
    counts: BTreeMap<&'static str, u64>,
    /// The pass that is running.
    pass: &'static str,
    /// The stage that the program is at.
    stage: Stage,
    last: Option<Rewrite>,
    decisions: IndexSet<Decision>,
    /// See [`Log::placement`].
    placements: FxHashMap<Name, Placement>,
    joins: Vec<Join>,
    refusals: IndexSet<Refusal>,
    /// See [`Log::settle`].
    settled: FxHashMap<(&'static str, Symbol), u64>,
}

/// Which rule was used, and by which pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rewrite {
    pub pass: &'static str,
    pub rule: &'static str,
}

/// Two operators that became one, which is where the second was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Join {
    pub first: LocId,
    pub second: LocId,
    /// Whether others than the second need what the first makes.
    pub shared: bool,
}

/// Why there is a copy or a block in the memory stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    pub kind: DecisionKind,
    /// The array that is copied, or for which the block is.
    pub array: Name,
    /// Goes on after "because". The table in `driver::copies::reason` has advice for the reasons that there are.
    pub reason: &'static str,
}

/// An attribute that is not obeyed: an error, if it is binding and no wish, see [`Attr::is_binding`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Refusal {
    pub attr: Attr,
    /// The rule that is in the way.
    pub code: Code,
    pub loc: LocId,
    /// The place of something else that the rule is about, with a text for it.
    pub cause: Option<(LocId, String)>,
    /// One line that stands alone.
    pub message: String,
    /// Short, for the place.
    pub label: String,
    /// A change that helps; may be empty.
    pub hint: String,
}

impl Refusal {
    pub fn new(code: Code, attr: Attr, loc: LocId, message: impl Into<String>) -> Refusal {
        let (label, hint) = (String::new(), String::new());
        Refusal { attr, code, loc, cause: None, message: message.into(), label, hint }
    }

    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Refusal {
        Refusal { label: label.into(), ..self }
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Refusal {
        Refusal { hint: hint.into(), ..self }
    }
}

impl Log {
    pub fn new() -> Log {
        Log::default()
    }

    /// A log that allows at most `fuel` rewrites.
    pub fn with_fuel(fuel: u64) -> Log {
        Log { fuel: Some(fuel), ..Log::default() }
    }

    /// Says that a program has come to another stage.
    pub fn reach(&mut self, stage: Stage) {
        self.stage = stage;
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Says that the next rewrites are those of this pass.
    pub fn enter(&mut self, pass: &'static str) {
        self.pass = pass;
    }

    /// Whether a rewrite by this rule may happen; if so, it counts.
    #[must_use]
    pub fn fire(&mut self, rule: &'static str) -> bool {
        if let Some(fuel) = &mut self.fuel {
            match fuel.checked_sub(1) {
                Some(less) => *fuel = less,
                None => return false,
            }
        }
        self.used += 1;
        *self.counts.entry(rule).or_default() += 1;
        self.last = Some(Rewrite { pass: self.pass, rule });
        true
    }

    /// Records a decision, once.
    pub fn decide(&mut self, kind: DecisionKind, loc: LocId, reason: impl Into<String>) {
        self.decisions.insert(Decision { kind, loc, is_asked: false, reason: reason.into() });
    }

    /// Records a decision that an attribute asks for, once.
    pub fn obey(&mut self, kind: DecisionKind, loc: LocId, reason: impl Into<String>) {
        self.decisions.insert(Decision { kind, loc, is_asked: true, reason: reason.into() });
    }

    /// Records that an attribute is not obeyed, once.
    pub fn refuse(&mut self, refusal: Refusal) {
        let about = if refusal.label.is_empty() { &refusal.message } else { &refusal.label };
        let reason = match refusal.code {
            Code::AttributeRefused => about.clone(),
            _ => format!("`#[{}]`: {about}", refusal.attr),
        };
        self.decide(DecisionKind::AttributeRefused, refusal.loc, reason);
        self.refusals.insert(refusal);
    }

    /// The attributes that are not obeyed.
    pub fn refusals(&self) -> &IndexSet<Refusal> {
        &self.refusals
    }

    /// Records why an array is copied or has a block of its own. The name `made` is that of the copy, of the block, or
    /// of the array into which an update copies; it stays when the log is read, unless the statement goes.
    pub fn placed(&mut self, made: Name, loc: LocId, placement: Placement) {
        let Placement { kind, array, reason } = placement;
        self.decide(kind, loc, format!("`{}`: {reason}", array.base));
        self.placements.insert(made, placement);
    }

    /// Why there is a copy or a block of this name.
    pub fn placement(&self, made: Name) -> Option<Placement> {
        self.placements.get(&made).copied()
    }

    /// Records that two operators became one.
    pub fn join(&mut self, join: Join) {
        self.joins.push(join);
    }

    /// The operators that became one, in this order.
    pub fn joins(&self) -> &[Join] {
        &self.joins
    }

    /// How many decisions and refusals there are, for [`Log::forget_after`].
    pub fn mark(&self) -> (usize, usize) {
        (self.decisions.len(), self.refusals.len())
    }

    /// Forgets all decisions and refusals since a mark, because the code they are about is compiled anew.
    pub fn forget_after(&mut self, (decisions, refusals): (usize, usize)) {
        self.decisions.truncate(decisions);
        self.refusals.truncate(refusals);
    }

    /// Notes that a pass can do no more for a function as it is now.
    pub fn settle(&mut self, pass: &'static str, fun: &Fun) {
        self.settled.insert((pass, fun.name), fingerprint(fun));
    }

    /// Whether a pass has left a function just like this, with nothing more to do.
    pub fn is_settled(&self, pass: &'static str, fun: &Fun) -> bool {
        self.settled.get(&(pass, fun.name)).is_some_and(|known| *known == fingerprint(fun))
    }

    /// How many rewrites happened.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// The last rewrite.
    pub fn last(&self) -> Option<Rewrite> {
        self.last
    }

    /// How often each rule was used.
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    pub fn decisions(&self) -> &IndexSet<Decision> {
        &self.decisions
    }
}

/// A number that a function very probably shares only with functions just like it.
fn fingerprint(fun: &Fun) -> u64 {
    struct Hashing(FxHasher);
    impl Visit for Hashing {
        fn name(&mut self, name: &Name) {
            name.hash(&mut self.0);
        }

        fn binder(&mut self, name: &Name) {
            name.hash(&mut self.0);
        }

        fn operand(&mut self, x: &Operand) {
            x.hash(&mut self.0);
        }

        fn param(&mut self, param: &Param) {
            param.unique.hash(&mut self.0);
            walk::param(self, param);
        }

        fn stm(&mut self, stm: &Stm) {
            operator(&stm.exp).hash(&mut self.0);
            stm.attrs.hash(&mut self.0);
            walk::stm(self, stm);
        }
    }
    let mut hashing = Hashing(FxHasher::default());
    hashing.fun(fun);
    hashing.0.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuel_runs_out() {
        let mut log = Log::with_fuel(2);
        log.enter("p");
        assert!(log.fire("a") && log.fire("b"));
        log.enter("q");
        assert!(!log.fire("a"));
        assert_eq!((log.used(), log.last()), (2, Some(Rewrite { pass: "p", rule: "b" })));
        assert_eq!(log.counts().get("a"), Some(&1));
    }
}
