//! The legality of strategies: attributes that say who runs an operator and where arrays are, before any pass.
//!
//! | rule | |
//! |---|---|
//! | `nothing-to-run` | there is an operator for an attribute about who runs it |
//! | `conflicting-attributes` | an operator has one level; nothing inside `#[sequential]` has one; a value is written or not |
//! | `level-inside-itself`, `lane-without-block`, `wrong-nesting` | levels stand in each other as [`Level::may_stand_in`] says |
//! | `on-chip-outside-block`, `result-on-chip` | on-chip memory is used inside a block, and left before it ends |
//! | `not-on-this-target` | the target has the level or memory |
//!
//! These depend on nothing but the program, and the last one on the target, so that `kenaz check` knows them. Calls are
//! followed: a function may ask for lanes if all its callers are in blocks. Whether an operator *can* run at a level
//! depends on what becomes of it: later passes refuse attributes by [`Log::refuse`](kenaz_ir::Log).
//!
//! A wish (`#[try(…)]`) that is not legal is dropped, and otherwise stays. Linear in the program, times the kinds of
//! places that a function is called from.

use crate::level;
use kenaz_base::{Attr, Code, Symbol, with_stack};
use kenaz_ir::visit::{VisitMut, for_each_body, walk_mut};
use kenaz_ir::{Body, Exp, Fun, Level, LocId, Locs, Name, Operand, Prog, Refusal, Soac, Space, Stm, Target};
use rustc_hash::{FxHashMap, FxHashSet};

/// The attributes that cannot be obeyed, by the program alone or for a target, each once. Wishes among them are dropped
/// from the program.
pub fn illegal(prog: &mut Prog, target: Option<&Target>) -> Vec<Refusal> {
    let mut is_used = Used(!prog.locs.unmet.is_empty());
    prog.funs.iter_mut().for_each(|fun| is_used.fun(fun));
    if !is_used.0 {
        return Vec::new();
    }
    let unmet = std::mem::take(&mut prog.locs.unmet);
    let funs = prog.funs.iter().map(|fun| (fun.name, fun)).collect();
    let mut walk = Walk {
        funs,
        locs: &prog.locs,
        target,
        callers: Vec::new(),
        out: Vec::new(),
        dropped: FxHashSet::default(),
        seen: FxHashSet::default(),
        landed: 0,
    };
    for (attr, loc) in &unmet {
        walk.unmet(*attr, *loc);
    }
    for fun in prog.funs.iter().filter(|fun| fun.entry.is_some()) {
        walk.fun(fun, Around::default(), &[]);
    }
    let Walk { mut out, dropped, .. } = walk;
    let mut told = FxHashSet::default();
    out.retain(|refusal| told.insert(refusal.clone()));
    if !dropped.is_empty() {
        let mut wishes = Dropped(dropped);
        prog.funs.iter_mut().for_each(|fun| wishes.fun(fun));
    }
    out
}

/// Whether a program has any binding attribute.
struct Used(bool);

impl VisitMut for Used {
    fn stm(&mut self, stm: &mut Stm) {
        self.0 |= stm.attrs.0.iter().any(|attr| attr.is_binding());
        if !self.0 {
            walk_mut::stm(self, stm);
        }
    }
}

/// Drops attributes of statements.
struct Dropped(FxHashSet<(Name, Attr)>);

impl VisitMut for Dropped {
    fn stm(&mut self, stm: &mut Stm) {
        if let Some(param) = stm.pat.first() {
            stm.attrs.0.retain(|attr| !self.0.contains(&(param.name, *attr)));
        }
        walk_mut::stm(self, stm);
    }
}

/// The operators around a statement, as far as they have a level.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Around {
    /// The innermost level, and where it was asked for.
    level: Option<(Level, LocId)>,
    /// Where `#[sequential]` or `#[sequential_inner]` stands around it.
    sequential: Option<LocId>,
}

/// An attribute with the statement that it stands on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Said {
    attr: Attr,
    on: Option<Name>,
    loc: LocId,
}

struct Walk<'a> {
    funs: FxHashMap<Symbol, &'a Fun>,
    locs: &'a Locs,
    /// Where the functions around are called.
    callers: Vec<LocId>,
    target: Option<&'a Target>,
    out: Vec<Refusal>,
    dropped: FxHashSet<(Name, Attr)>,
    /// The functions that were looked at, with their surroundings, and for those of libraries the place of the call.
    seen: FxHashSet<(Symbol, Around, Vec<Said>, Option<LocId>)>,
    /// How many operators have got a level.
    landed: usize,
}

impl Walk<'_> {
    /// A function; gives whether this was news.
    fn fun(&mut self, fun: &Fun, around: Around, said: &[Said]) -> bool {
        let is_hidden = fun.body.stms.iter().all(|stm| self.locs.span(stm.loc).is_none());
        let place = if is_hidden { self.callers.last().map(|loc| self.here(*loc)) } else { None };
        let is_new = self.seen.insert((fun.name, around, said.to_vec(), place));
        if is_new {
            self.body(&fun.body, around, said, &[]);
        }
        is_new
    }

    /// A position, or that of the call for which there is one, if it is in a library.
    fn here(&self, loc: LocId) -> LocId {
        let is_known = |loc: &LocId| self.locs.span(*loc).is_some();
        if is_known(&loc) { loc } else { self.callers.iter().rev().copied().find(is_known).unwrap_or(loc) }
    }

    /// A body with what is said of all operators at its top. Its results named here leave a block.
    fn body(&mut self, body: &Body, around: Around, said: &[Said], leaving: &[Operand]) {
        with_stack(|| {
            // The levels that statements in a row have, each with the first one, and how many operators have got it.
            let mut open: Vec<(Said, usize)> = Vec::new();
            for stm in &body.stms {
                let before = self.landed;
                self.stm(stm, around, said, leaving);
                if !stm.exp.may_run_in_parallel() {
                    continue;
                }
                let on = stm.pat.first().map(|param| param.name);
                let is_own = |attr: &Attr| attr.pins() && !said.iter().any(|given| given.attr == *attr);
                let own: Vec<Attr> = stm.attrs.0.iter().copied().filter(is_own).collect();
                let (go_on, done) = open.into_iter().partition(|(said, _)| own.contains(&said.attr));
                open = go_on;
                self.close(done);
                for attr in own {
                    let landed = self.landed - before;
                    match open.iter_mut().find(|(said, _)| said.attr == attr) {
                        Some((_, count)) => *count += landed,
                        None => open.push((Said { attr, on, loc: stm.loc }, landed)),
                    }
                }
            }
            self.close(open);
        });
    }

    /// Refuses the levels that no operator has got.
    fn close(&mut self, levels: Vec<(Said, usize)>) {
        for (said, _) in levels.into_iter().filter(|(_, landed)| *landed == 0) {
            self.nothing_to_run(said.attr, said.loc, said.on);
        }
    }

    fn refuse(&mut self, said: Said, mut refusal: Refusal) {
        refusal.loc = self.here(refusal.loc);
        if let (true, Some(name)) = (said.attr.is_wish(), said.on) {
            self.dropped.insert((name, said.attr));
        }
        self.out.push(refusal);
    }

    /// An attribute on an expression that makes nothing for which it could be meant.
    fn unmet(&mut self, attr: Attr, loc: LocId) {
        if attr.pins() {
            return self.nothing_to_run(attr, loc, None);
        }
        let (code, label) = match attr.is_cut() {
            true => (Code::NothingToCut, "there is no operator such as `map` or `reduce`"),
            false => (Code::NoArray, "no array is made here"),
        };
        let refusal = Refusal::new(code, attr, loc, format!("`#[{}]` cannot be obeyed here", attr.wanted()))
            .label(label)
            .hint("the attribute stands in front of the expression that makes the array");
        self.refuse(Said { attr, on: None, loc }, refusal);
    }

    fn nothing_to_run(&mut self, attr: Attr, loc: LocId, on: Option<Name>) {
        let message = match attr.wanted() {
            Attr::Pinned => "there is nothing here that `#[pinned]` could keep".to_string(),
            _ => format!("nothing here can run at `{attr}`"),
        };
        let refusal = Refusal::new(Code::NothingToRun, attr, loc, message)
            .label("there is no operator such as `map` or `reduce`")
            .hint("the attribute stands in front of the application of an operator, or of a function that applies one");
        self.refuse(Said { attr, on, loc }, refusal);
    }

    fn stm(&mut self, stm: &Stm, around: Around, given: &[Said], leaving: &[Operand]) {
        let on = stm.pat.first().map(|param| param.name);
        let own = stm.attrs.0.iter().map(|attr| Said { attr: *attr, on, loc: stm.loc });
        self.place(stm, around, leaving);
        self.cuts(stm);
        if !stm.exp.may_run_in_parallel() {
            return;
        }
        let mut said: Vec<Said> = given.to_vec();
        for new in own.filter(|said| said.attr.pins() || said.attr.is_strategy()) {
            if !said.iter().any(|old| old.attr == new.attr) {
                said.push(new);
            }
        }
        let before = self.landed;
        match &stm.exp {
            Exp::Call(f, _) => {
                if let Some(fun) = self.funs.get(f).copied() {
                    self.callers.push(stm.loc);
                    let is_new = self.fun(fun, around, &said);
                    self.callers.pop();
                    // What was said of it before was told then.
                    self.landed += usize::from(!is_new);
                }
            }
            Exp::If(..) | Exp::Match(..) => {
                for_each_body(&stm.exp, |body| self.body_again(body, around, &said, leaving));
            }
            exp @ Exp::Soac(_) => {
                let inside = self.operator(stm, &said, around);
                let in_block = matches!(inside.level, Some((Level::Block, _)));
                for_each_body(exp, |body| {
                    let leaving: &[Operand] = if in_block { &body.results } else { &[] };
                    self.body(body, inside, &[], leaving);
                });
                self.landed = before + usize::from(said.iter().any(|said| said.attr.pins()));
            }
            exp => {
                let inside = self.strategies(&said, around, stm.loc);
                for_each_body(exp, |body| self.body_again(body, inside, &[], &[]));
                self.landed = before;
            }
        }
    }

    /// The body of a branch or loop, which leaves a block if all of the statement does.
    fn body_again(&mut self, body: &Body, around: Around, said: &[Said], leaving: &[Operand]) {
        let leaving: &[Operand] = if leaving.is_empty() { &[] } else { &body.results };
        self.body(body, around, said, leaving);
    }

    /// What `#[sequential]` makes of the surroundings of what is inside.
    fn strategies(&mut self, said: &[Said], around: Around, loc: LocId) -> Around {
        let asks = |attr: Attr| matches!(attr, Attr::Sequential | Attr::SequentialInner);
        let sequential = around.sequential.or(said.iter().any(|said| asks(said.attr)).then_some(loc));
        Around { sequential, ..around }
    }

    /// An operator and what is said of it; gives what is around its body.
    fn operator(&mut self, stm: &Stm, said: &[Said], around: Around) -> Around {
        let levels: Vec<(Said, Level)> = said.iter().filter_map(|said| Some((*said, level::of(said.attr)?))).collect();
        let inside = self.strategies(said, around, stm.loc);
        let own = said.iter().find(|said| matches!(said.attr, Attr::Sequential | Attr::SequentialOuter));
        let Some(&(mut last, level)) = levels.last() else { return inside };
        if let Some((mut first, _)) = levels.iter().find(|(_, other)| *other != level).copied() {
            // Of a wish and another one, the wish goes.
            if first.attr.is_wish() && !last.attr.is_wish() {
                (first, last) = (last, first);
            }
            let message =
                format!("an operator cannot run at `{}` and at `{}`", first.attr.wanted(), last.attr.wanted());
            let mut refusal = Refusal::new(Code::ConflictingAttributes, last.attr, stm.loc, message)
                .label("each operator runs at one level")
                .hint("keep one of the attributes");
            if first.loc != stm.loc {
                refusal.cause = Some((first.loc, format!("`#[{}]` is said here", first.attr)));
            }
            self.refuse(last, refusal);
            return self.without(stm, said, last, around, inside);
        }
        let attr = last.attr;
        if own.is_some() || around.sequential.is_some() {
            let message = format!("an operator that runs in sequence cannot run at `{}`", attr.wanted());
            let mut refusal = Refusal::new(Code::ConflictingAttributes, attr, stm.loc, message)
                .label("an attribute says that it runs in sequence")
                .hint("keep one of the attributes");
            refusal.cause = around.sequential.map(|loc| (loc, "nothing in here runs in parallel".to_string()));
            self.refuse(last, refusal);
            return self.without(stm, said, last, around, inside);
        }
        if let Some(refusal) = self.nesting(attr, level, around, stm.loc).or_else(|| self.lacks(attr, level, stm.loc)) {
            self.refuse(last, refusal);
            return self.without(stm, said, last, around, inside);
        }
        Around { level: Some((level, self.here(stm.loc))), ..inside }
    }

    /// What is around the body of an operator if an attribute is refused: without a wish, the others hold.
    fn without(&mut self, stm: &Stm, said: &[Said], refused: Said, around: Around, inside: Around) -> Around {
        if !refused.attr.is_wish() {
            return inside;
        }
        let rest: Vec<Said> = said.iter().copied().filter(|said| said.attr != refused.attr).collect();
        self.operator(stm, &rest, around)
    }

    /// Why a level cannot stand where it does.
    fn nesting(&self, attr: Attr, level: Level, around: Around, loc: LocId) -> Option<Refusal> {
        let outer = around.level.map(|(level, _)| level);
        if level.may_stand_in(outer) {
            return None;
        }
        let wanted = attr.wanted();
        let same = outer.is_some_and(|outer| std::mem::discriminant(&outer) == std::mem::discriminant(&level));
        let mut refusal = if same {
            let message = format!("an operator at `{wanted}` stands inside another one at the same level");
            Refusal::new(Code::LevelInsideItself, attr, loc, message)
                .label("all who could run it are busy with the one around it")
                .hint(match level {
                    Level::Block => "`#[lane]` inside `#[block]` shares the work of a block among its threads",
                    _ => "leave the attribute out of the inner one: it then runs in sequence",
                })
        } else if level == Level::Lane {
            Refusal::new(Code::LaneWithoutBlock, attr, loc, "there are no lanes here, since there is no block")
                .label("lanes are the threads of a block")
                .hint("put `#[block]` on the operator around it, or use `#[grid]` instead of `#[lane]`")
        } else {
            let outer = outer.map_or_else(String::new, |outer| format!(", which runs at `{outer}`"));
            let message = format!("an operator at `{wanted}` cannot stand inside of another one{outer}");
            Refusal::new(Code::WrongNesting, attr, loc, message).label(match level {
                Level::Core => "the cores of the CPU are asked for by host code or by `core`",
                Level::Grid | Level::Block => "the threads of a device are started by host code",
                Level::Simd(_) => "vectors are in host code, on cores and in single threads",
                Level::Lane => "lanes are the threads of a block",
            })
        };
        if let Some((outer, loc)) = around.level {
            refusal.cause = Some((loc, format!("this runs at `{outer}`")));
        }
        Some(refusal)
    }

    /// Why the target cannot run a level.
    fn lacks(&self, attr: Attr, level: Level, loc: LocId) -> Option<Refusal> {
        let target = self.target?;
        if target.runs(level) || matches!(level, Level::Simd(_)) && target.host_space == Space::Host {
            return None;
        }
        let have = match target.levels {
            [] => "it has one thread and its vectors, `simd`".to_string(),
            [Level::Core] => "it has `core` and `simd`".to_string(),
            levels => {
                let names: Vec<String> = levels.iter().map(|level| format!("`{level}`")).collect();
                format!("it has {}", names.join(", "))
            }
        };
        let message = format!("programs for `{}` have no level `{}`", target.name, attr.wanted());
        let hint = format!("with `#[try({})]` the attribute holds where the target has the level", attr.wanted());
        Some(Refusal::new(Code::NotOnThisTarget, attr, loc, message).label(have).hint(hint))
    }

    /// Attributes about the loops of an operator.
    fn cuts(&mut self, stm: &Stm) {
        let on = stm.pat.first().map(|param| param.name);
        for attr in stm.attrs.0.iter().copied().filter(|attr| attr.is_cut()) {
            // A scalar or size beside the operator is not meant.
            if !stm.exp.may_run_in_parallel() && stm.pat.iter().all(|param| !param.ty.is_array()) {
                continue;
            }
            let wanted = attr.wanted();
            let reduces = |exp: &Exp| matches!(exp, Exp::Soac(Soac::Screma { reduces, .. }) if !reduces.is_empty());
            let reason = match (wanted, &stm.exp) {
                (_, Exp::Call(..) | Exp::If(..) | Exp::Match(..)) => None,
                (Attr::Vector(_), exp) if !reduces(exp) => Some("this is no reduction"),
                (_, Exp::Soac(_)) => None,
                _ => Some("there is no operator such as `map` or `reduce`"),
            };
            let said = Said { attr, on, loc: stm.loc };
            if let Some(reason) = reason {
                let message = format!("`#[{wanted}]` cannot be obeyed here");
                self.refuse(said, Refusal::new(Code::NothingToCut, attr, stm.loc, message).label(reason));
            } else if let Some(target) = self.target.filter(|target| target.host_space == Space::Device) {
                let message = format!("programs for `{}` do not obey `#[{wanted}]`", target.name);
                let refusal = Refusal::new(Code::NotOnThisTarget, attr, stm.loc, message);
                let label = "the blocks of a device say how its loops are cut";
                self.refuse(said, refusal.label(label).hint(format!("write `#[try({wanted})]`")));
            }
        }
    }

    /// Attributes about the array that a statement makes.
    fn place(&mut self, stm: &Stm, around: Around, leaving: &[Operand]) {
        let Some(param) = stm.pat.first() else { return };
        let about: Vec<Attr> = stm.attrs.0.iter().copied().filter(|attr| attr.is_memory() || attr.is_view()).collect();
        let Some(&last) = about.last() else { return };
        let said = Said { attr: last, on: Some(param.name), loc: stm.loc };
        if !stm.pat.iter().any(|param| param.ty.is_array()) {
            return;
        }
        let wants = |attr: Attr| about.iter().any(|known| known.wanted() == attr);
        let pairs = [
            (Attr::Source, Attr::Materialize, "an array that is written is no source"),
            (Attr::Source, Attr::Dest, "an array that is written is no source"),
            (Attr::Dest, Attr::Materialize, "an array with a block of its own is not part of another one"),
            (Attr::Source, Attr::Window, "a window is written"),
            (Attr::Source, Attr::Global, "an array that is not written is in no memory"),
            (Attr::Source, Attr::Shared, "an array that is not written is in no memory"),
            (Attr::Source, Attr::Private, "an array that is not written is in no memory"),
            (Attr::Global, Attr::Shared, "an array is in one memory"),
            (Attr::Global, Attr::Private, "an array is in one memory"),
            (Attr::Shared, Attr::Private, "an array is in one memory"),
        ];
        for (one, other, why) in pairs {
            if wants(one) && wants(other) {
                let message = format!("`#[{one}]` and `#[{other}]` cannot both be obeyed");
                let refusal = Refusal::new(Code::ConflictingAttributes, last, stm.loc, message)
                    .label(why)
                    .hint("keep one of the attributes");
                return self.refuse(said, refusal);
            }
        }
        for attr in about.into_iter().filter(|attr| attr.is_memory()) {
            let said = Said { attr, ..said };
            if let Some(refusal) = self.memory(attr, stm, around, leaving) {
                self.refuse(said, refusal);
            }
        }
    }

    /// Why an array cannot be in a memory.
    fn memory(&self, attr: Attr, stm: &Stm, around: Around, leaving: &[Operand]) -> Option<Refusal> {
        let level = around.level.map(|(level, _)| level);
        let leaves = stm.pat.iter().any(|param| leaving.contains(&Operand::Var(param.name)));
        match attr.wanted() {
            Attr::Shared if !matches!(level, Some(Level::Block)) => {
                let message = "only a block of threads has on-chip memory";
                Some(
                    Refusal::new(Code::OnChipOutsideBlock, attr, stm.loc, message)
                        .label("this is not made by a block")
                        .hint("put `#[block]` on the operator around it, or leave `#[shared]` out"),
                )
            }
            Attr::Shared if leaves => {
                let message = "a result of a block cannot stay on chip";
                Some(
                    Refusal::new(Code::ResultOnChip, attr, stm.loc, message)
                        .label("on-chip memory is gone when the block ends")
                        .hint("leave `#[shared]` out, or copy the array with `map` or `copy` at the end of the block"),
                )
            }
            Attr::Private if level.is_none() => {
                let message = "an array of host code belongs to no single thread of an operator";
                Some(
                    Refusal::new(Code::OnChipOutsideBlock, attr, stm.loc, message)
                        .label("this is not made by an operator at a level")
                        .hint("leave `#[private]` out, or make the array inside of an operator with a level"),
                )
            }
            _ => None,
        }
    }
}
