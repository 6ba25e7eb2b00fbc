//! Who owns blocks, see Note \[Ownership\] in [`crate::mem`].
//!
//! Names that certainly stand for the same block, one being a `share` of the other, are *kin*. An array can be used
//! while one of the kin of its block has not been given up.

use super::super::{CheckError, Checked, Ownership, Rule};
use crate::exp::{Exp, Lambda};
use crate::mem::{MemExp, Place};
use crate::name::Name;
use crate::prog::{Body, Fun, Operand, Param, Stm};
use crate::types::Type;
use crate::visit::{Visit, walk};
use kenaz_base::{Symbol, with_stack};
use rustc_hash::FxHashMap;

/// Checks that the blocks of a function are given up as they should be.
pub(super) fn check(fun: &Fun, ownership: Ownership) -> Checked {
    let mut owners = Owners {
        ownership,
        fun: fun.name,
        blocks: FxHashMap::default(),
        kin: FxHashMap::default(),
        given: Vec::new(),
        places: FxHashMap::default(),
        depth: 0,
        repeated: 0,
    };
    for param in &fun.params {
        owners.bind(param, State::Borrowed);
    }
    owners.body(&fun.body)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Of a parameter of the function, or the part of a worker in a block.
    Borrowed,
    Owned,
    Given,
}

#[derive(Clone, Debug)]
struct Block {
    state: State,
    /// How many bodies are around the place where it was bound.
    depth: usize,
    /// The same for bodies that may run again.
    repeated: usize,
    /// The first of its kin.
    kin: Name,
}

struct Owners {
    ownership: Ownership,
    fun: Symbol,
    blocks: FxHashMap<Name, Block>,
    /// How many of the kin have not been given up.
    kin: FxHashMap<Name, usize>,
    /// What was given up, in order.
    given: Vec<Name>,
    /// The blocks of arrays.
    places: FxHashMap<Name, Name>,
    depth: usize,
    repeated: usize,
}

impl Owners {
    fn fail<T>(&self, rule: Rule, message: String) -> Checked<T> {
        Err(Box::new(CheckError { rule, fun: self.fun, stm: None, bound: Vec::new(), message }))
    }

    fn is_settled(&self) -> bool {
        self.ownership == Ownership::Settled
    }

    fn bind(&mut self, param: &Param, state: State) {
        self.bind_kin(param, state, param.name);
    }

    fn bind_kin(&mut self, param: &Param, state: State, kin: Name) {
        if let Some(place) = &param.place {
            self.places.insert(param.name, place.block);
        }
        if let Type::Mem(_) = param.ty {
            let block = Block { state, depth: self.depth, repeated: self.repeated, kin };
            self.blocks.insert(param.name, block);
            *self.kin.entry(kin).or_default() += 1;
        }
    }

    fn is_alive(&self, block: Name) -> bool {
        self.blocks.get(&block).and_then(|b| self.kin.get(&b.kin)).is_some_and(|count| *count > 0)
    }

    /// Whether a name, of a block or of an array, can be used.
    fn usable(&self, name: Name) -> Checked {
        if let Some(block) = self.places.get(&name)
            && !self.is_alive(*block)
        {
            return self.fail(Rule::UseAfterFree, format!("`{name}` is used after its block `{block}` was given up"));
        }
        match self.blocks.get(&name) {
            Some(block) if block.state == State::Given => {
                self.fail(Rule::UseAfterFree, format!("`{name}` is used after it was given up"))
            }
            _ => Ok(()),
        }
    }

    /// A reference goes to somebody else, or away.
    fn give(&mut self, name: Name, how: &str) -> Checked {
        let Some(block) = self.blocks.get_mut(&name) else { return Ok(()) };
        if block.state == State::Given {
            return self.fail(Rule::DoubleFree, format!("`{name}` is {how}, but was given up before"));
        }
        if block.state == State::Borrowed {
            return self.fail(Rule::NotOwned, format!("`{name}` is {how}, but is a parameter of the function"));
        }
        if block.repeated < self.repeated {
            return self.fail(Rule::DoubleFree, format!("`{name}` is {how} in a body that may run again"));
        }
        block.state = State::Given;
        let kin = block.kin;
        *self.kin.entry(kin).or_default() -= 1;
        self.given.push(name);
        Ok(())
    }

    /// As if nothing that is bound outside a body had been given up since then; gives what was.
    fn rewind(&mut self, then: usize) -> Vec<Name> {
        let mut undone = self.given.split_off(then);
        undone.retain(|name| {
            let Some(block) = self.blocks.get_mut(name).filter(|b| b.depth <= self.depth) else { return false };
            block.state = State::Owned;
            *self.kin.entry(block.kin).or_default() += 1;
            true
        });
        undone
    }

    /// The names in an expression and its pattern, other than in bodies.
    fn uses(&self, stm: &Stm) -> Checked {
        let mut direct = Direct { owners: self, result: Ok(()) };
        // A block may be freed whose arrays are not used any more; that it was not freed before is said there.
        if !matches!(stm.exp, Exp::Mem(MemExp::Free(_))) {
            direct.exp(&stm.exp);
        }
        stm.pat.iter().filter_map(|p| p.place.as_ref()).for_each(|place| direct.place(place));
        direct.result
    }

    fn body(&mut self, body: &Body) -> Checked {
        self.bodies(&[body], &[])
    }

    /// Bodies that run one after the other and see each other's names, and the parameters bound between them.
    fn bodies(&mut self, bodies: &[&Body], between: &[Param]) -> Checked {
        with_stack(|| {
            self.depth += 1;
            let mut bound: Vec<Name> = Vec::new();
            for body in bodies {
                for stm in &body.stms {
                    self.stm(stm).map_err(|mut error| {
                        error.within(stm);
                        error
                    })?;
                    bound.extend(stm.pat.iter().filter(|p| is_block(p)).map(|p| p.name));
                }
                for name in body.results.iter().filter_map(|x| x.name()) {
                    // That a block was given up before is found when it is given up again.
                    if self.places.contains_key(&name) || !self.is_settled() {
                        self.usable(name)?;
                    }
                }
                self.yields(&body.results)?;
                between.iter().for_each(|p| self.bind(p, State::Owned));
            }
            self.no_leak(&bound)?;
            self.depth -= 1;
            Ok(())
        })
    }

    fn yields(&mut self, results: &[Operand]) -> Checked {
        if !self.is_settled() {
            return Ok(());
        }
        for name in results.iter().filter_map(|x| x.name()) {
            let Some(block) = self.blocks.get(&name) else { continue };
            if block.depth < self.depth && block.state == State::Owned {
                return self.fail(Rule::NotOwned, format!("`{name}` is yielded, but is bound outside the body"));
            }
            self.give(name, "yielded")?;
        }
        Ok(())
    }

    fn no_leak(&self, bound: &[Name]) -> Checked {
        let is_left = |name: &&Name| self.blocks.get(*name).is_some_and(|b| b.state == State::Owned);
        match bound.iter().find(is_left).filter(|_| self.is_settled()) {
            Some(name) => {
                self.fail(Rule::Leak, format!("`{name}` is not given up at the end of the body that binds it"))
            }
            None => Ok(()),
        }
    }

    fn stm(&mut self, stm: &Stm) -> Checked {
        self.uses(stm)?;
        match &stm.exp {
            Exp::Mem(MemExp::Free(block)) => self.give(*block, "freed")?,
            Exp::Operand(Operand::Var(name)) if self.is_settled() && self.blocks.contains_key(name) => {
                return self.fail(Rule::NotOwned, format!("`{name}` gets another name without a `share`"));
            }
            Exp::Mem(MemExp::Share(block)) | Exp::Operand(Operand::Var(block)) if self.blocks.contains_key(block) => {
                let kin = self.blocks.get(block).map(|b| b.kin);
                if let ([param], Some(kin)) = (&stm.pat[..], kin) {
                    self.bind_kin(param, State::Owned, kin);
                }
                return Ok(());
            }
            Exp::Mem(MemExp::Slot(_)) => {
                stm.pat.iter().for_each(|p| self.bind(p, State::Borrowed));
                return Ok(());
            }
            Exp::If(_, yes, no) => self.branches(&[yes, no])?,
            Exp::Match(_, cases, default) => {
                let bodies: Vec<&Body> = cases.iter().map(|(_, body)| body).chain([default]).collect();
                self.branches(&bodies)?;
            }
            Exp::Loop { params, body, .. } => {
                if self.is_settled() {
                    for name in params.iter().filter_map(|(_, init)| init.name()) {
                        self.give(name, "given to a loop")?;
                    }
                }
                self.repeated += 1;
                self.depth += 1;
                params.iter().for_each(|(p, _)| self.bind(p, State::Owned));
                // What a loop is given it gives on, or away.
                let blocks: Vec<Name> = params.iter().map(|(p, _)| p).filter(|p| is_block(p)).map(|p| p.name).collect();
                self.depth -= 1;
                self.body(body)?;
                self.no_leak(&blocks)?;
                self.repeated -= 1;
            }
            Exp::Par(par) => {
                self.repeated += 1;
                match &par.post {
                    None => self.body(&par.body)?,
                    Some(post) => self.bodies(&[&par.body, &post.body], &post.params)?,
                }
                self.repeated -= 1;
            }
            // Nothing else gives blocks away.
            _ => {}
        }
        stm.pat.iter().for_each(|p| self.bind(p, State::Owned));
        Ok(())
    }

    /// Bodies of which one runs: all give up the same of what is bound outside.
    fn branches(&mut self, bodies: &[&Body]) -> Checked {
        let then = self.given.len();
        let mut outcome: Option<Vec<Name>> = None;
        for body in bodies {
            self.body(body)?;
            let mut given = self.rewind(then);
            given.sort_unstable();
            match &mut outcome {
                None => outcome = Some(given),
                Some(first) if *first == given => {}
                Some(first) if self.is_settled() => {
                    let differs = |name: &&Name| first.contains(name) != given.contains(name);
                    let name = first.iter().chain(&given).find(differs).copied();
                    let name = name.map(|name| name.to_string()).unwrap_or_default();
                    return self.fail(Rule::Leak, format!("`{name}` is given up in one branch but not in another"));
                }
                Some(first) => {
                    first.extend(given);
                    first.sort_unstable();
                    first.dedup();
                }
            }
        }
        for name in outcome.unwrap_or_default() {
            self.give(name, "given up")?;
        }
        Ok(())
    }
}

/// The names outside bodies and lambdas.
struct Direct<'a> {
    owners: &'a Owners,
    result: Checked,
}

impl Visit for Direct<'_> {
    fn name(&mut self, name: &Name) {
        if self.result.is_ok() {
            self.result = self.owners.usable(*name);
        }
    }

    fn place(&mut self, place: &Place) {
        // Beside it in the same pattern when it is not known.
        if self.result.is_ok() && self.owners.blocks.contains_key(&place.block) && !self.owners.is_alive(place.block) {
            let message = format!("the block `{}` gets an array after it was given up", place.block);
            self.result = self.owners.fail(Rule::UseAfterFree, message);
        }
    }

    fn body(&mut self, _: &Body) {}

    fn lambda(&mut self, _: &Lambda) {}

    fn param(&mut self, _: &Param) {}

    fn exp(&mut self, exp: &Exp) {
        walk::exp(self, exp);
    }
}

fn is_block(param: &Param) -> bool {
    matches!(param.ty, Type::Mem(_))
}
