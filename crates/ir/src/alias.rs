//! In which memory the arrays of a function may lie.
//!
//! A *store* is what one allocation of the program stands for: a statement that makes a new array, a parameter. Each
//! name has the set of stores in which its value may lie; a view lies in those of its array, the result of a branch in
//! those of either body. A store belongs to the loop, lambda or function, its *frame*, in which it was made. A body
//! that runs once (a branch, that of `with_acc`) has no frame of its own. What leaves a frame lies outside in stores
//! that stand for those inside.
//!
//! Unlike [`Sharing`](crate::sharing::Sharing) this keeps apart what the place in the function keeps apart: an array
//! and what an update makes of it, the initial value of a unique loop parameter and the loop's result. It assumes a
//! program that the checker accepts, whose rules about consumption are the same.
//!
//! Linear in the size of the function: a set of more than [`MOST`] stores is made into one store.

use crate::effects::{self, Memory};
use crate::exp::{Exp, Lambda};
use crate::name::Name;
use crate::prog::{Body, Fun, Operand, Param, Stm};
use crate::sharing::Signatures;
use crate::types::Type;
use crate::visit::Visit;
use kenaz_base::with_stack;
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub type StoreId = u32;

/// Sorted, without repetitions.
pub type Set = Rc<[StoreId]>;

/// How many stores a set has at most.
const MOST: usize = 32;

#[derive(Clone, Debug)]
pub struct Store {
    /// The name for which it was made.
    pub name: Name,
    /// How many frames are around the place where it was made.
    pub frame: usize,
    pub owner: Owner,
}

/// Who decides whether a store may be consumed in its frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The frame: it made the store, or got it as a unique parameter.
    Frame,
    /// Whoever gave it as a parameter that is not unique.
    Giver,
    /// Unknown: several stores in one.
    Several,
}

/// The memory of all names of a function.
#[derive(Debug, Default)]
pub struct Aliases {
    stores: Vec<Store>,
    /// For a store that was made part of another, that other one.
    part_of: FxHashMap<StoreId, StoreId>,
    sets: FxHashMap<Name, Set>,
}

impl Aliases {
    pub fn of(fun: &Fun, signatures: &Signatures) -> Aliases {
        let mut walk = Walk { aliases: Aliases::default(), frame: 0, signatures };
        walk.params(&fun.params);
        walk.body(&fun.body);
        let mut aliases = walk.aliases;
        if !aliases.part_of.is_empty() {
            let mut sets = std::mem::take(&mut aliases.sets);
            for set in sets.values_mut() {
                *set = aliases.union([set.clone()]);
            }
            aliases.sets = sets;
        }
        aliases
    }

    /// The stores of a name, none if it is neither an array nor an accumulator.
    pub fn get(&self, name: Name) -> &[StoreId] {
        self.sets.get(&name).map_or(&[], |set| set)
    }

    pub fn of_operand(&self, x: Operand) -> &[StoreId] {
        x.name().map_or(&[], |name| self.get(name))
    }

    pub fn store(&self, id: StoreId) -> &Store {
        &self.stores[id as usize]
    }

    /// How many stores there are: their ids are smaller.
    pub fn len(&self) -> usize {
        self.stores.len()
    }

    pub fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    pub fn may_share(&self, a: Name, b: Name) -> bool {
        let (a, b) = (self.get(a), self.get(b));
        a.iter().any(|id| b.binary_search(id).is_ok())
    }

    /// Which of the values at the end of a function lie in memory of their own. Scalars do not.
    pub fn unique(&self, results: &[Operand]) -> Vec<bool> {
        let mut uses: FxHashMap<StoreId, usize> = FxHashMap::default();
        for id in results.iter().flat_map(|x| self.of_operand(*x)) {
            *uses.entry(*id).or_default() += 1;
        }
        let is_own = |id: &StoreId| uses[id] == 1 && self.store(*id).owner == Owner::Frame;
        results.iter().map(|x| self.of_operand(*x)).map(|set| !set.is_empty() && set.iter().all(is_own)).collect()
    }

    fn make(&mut self, name: Name, frame: usize, owner: Owner) -> StoreId {
        let id = StoreId::try_from(self.stores.len()).expect("fewer stores than names");
        self.stores.push(Store { name, frame, owner });
        id
    }

    fn set(&self, name: Name) -> Set {
        self.sets.get(&name).cloned().unwrap_or_else(|| Rc::from([]))
    }

    /// The store that this one is part of now.
    fn find(&mut self, id: StoreId) -> StoreId {
        let mut root = id;
        while let Some(next) = self.part_of.get(&root) {
            root = *next;
        }
        let mut at = id;
        while at != root {
            let next = self.part_of.insert(at, root);
            at = next.unwrap_or(root);
        }
        root
    }

    fn union(&mut self, sets: impl IntoIterator<Item = Set>) -> Set {
        let mut sets = sets.into_iter();
        let Some(first) = sets.next() else { return Rc::from([]) };
        let mut all: Option<Vec<StoreId>> = None;
        for set in sets {
            if set != first && !set.is_empty() {
                all.get_or_insert_with(|| first.to_vec()).extend(set.iter());
            }
        }
        if all.is_none() && self.part_of.is_empty() {
            return first;
        }
        let mut all = all.unwrap_or_else(|| first.to_vec());
        for id in &mut all {
            *id = self.find(*id);
        }
        all.sort_unstable();
        all.dedup();
        if all.len() > MOST {
            self.merge(&all);
            all.truncate(1);
        }
        Rc::from(all)
    }

    /// Makes all stores of a set part of the first.
    fn merge(&mut self, all: &[StoreId]) {
        let stores = all.iter().map(|id| &self.stores[*id as usize]);
        let is_own = stores.clone().all(|store| store.owner == Owner::Frame);
        let frame = stores.map(|store| store.frame).min().unwrap_or(0);
        let root = &mut self.stores[all[0] as usize];
        root.owner = if is_own { Owner::Frame } else { Owner::Several };
        root.frame = frame;
        for id in &all[1..] {
            self.part_of.insert(*id, all[0]);
        }
    }
}

struct Walk<'a> {
    aliases: Aliases,
    /// How many frames are around the current place.
    frame: usize,
    signatures: &'a Signatures,
}

/// For each result the memory in which it may lie, or none if it is new.
type Sets = Vec<Option<Set>>;

impl Walk<'_> {
    fn of(&self, x: Operand) -> Set {
        x.name().map_or_else(|| Rc::from([]), |name| self.aliases.set(name))
    }

    fn make(&mut self, name: Name, owner: Owner) -> Set {
        Rc::from([self.aliases.make(name, self.frame, owner)])
    }

    fn params<'p>(&mut self, params: impl IntoIterator<Item = &'p Param>) {
        for param in params {
            if param.ty.has_memory() {
                let set = self.make(param.name, if param.is_consumable() { Owner::Frame } else { Owner::Giver });
                self.aliases.sets.insert(param.name, set);
            }
        }
    }

    fn body(&mut self, body: &Body) -> Vec<Set> {
        with_stack(|| {
            for stm in &body.stms {
                self.stm(stm);
            }
            body.results.iter().map(|x| self.of(*x)).collect()
        })
    }

    fn stm(&mut self, stm: &Stm) {
        let memory = self.exp(&stm.exp, &stm.pat);
        for (i, param) in stm.pat.iter().enumerate().filter(|(_, p)| p.ty.has_memory()) {
            let set = match memory.get(i).cloned().flatten() {
                Some(set) => set,
                None => self.make(param.name, Owner::Frame),
            };
            self.aliases.sets.insert(param.name, set);
        }
    }

    /// A lambda that may run any number of times.
    fn lambda(&mut self, lambda: &Lambda) -> Vec<Set> {
        self.frame += 1;
        self.params(&lambda.params);
        let sets = self.body(&lambda.body);
        self.frame -= 1;
        sets
    }

    fn exp(&mut self, exp: &Exp, pat: &[Param]) -> Sets {
        match effects::memory(exp) {
            Memory::New | Memory::Over(_) => {
                self.inside(exp);
                Vec::new()
            }
            Memory::Of(x, _) => vec![Some(self.of(x))],
            Memory::Branches(bodies) => self.branches(bodies),
            Memory::Loop(params, body) => self.loop_(params, body),
            Memory::Call(f, args) => {
                let signatures = self.signatures;
                // Nothing is left of what is consumed; an unknown function may as well keep its arguments.
                let is_kept = |i: usize| signatures.get(f).is_none() || !signatures.takes(f, i);
                let kept = args.iter().enumerate().filter(|(i, _)| is_kept(*i)).map(|(_, x)| self.of(*x));
                let mut kept: Vec<Set> = kept.collect();
                if let Some(first) = pat.first() {
                    kept.push(self.make(first.name, Owner::Frame));
                }
                let shared = self.aliases.union(kept);
                (0..pat.len()).map(|i| (!signatures.is_unique(f, i)).then(|| shared.clone())).collect()
            }
            Memory::Acc(inputs, body) => {
                for (op, _) in inputs.iter().filter_map(|input| input.op.as_ref()) {
                    self.lambda(op);
                }
                self.params(&body.params);
                let sets = self.body(&body.body);
                let arrays: usize = inputs.iter().map(|input| input.dests.len()).sum();
                let others = sets.into_iter().skip(inputs.len()).map(Some);
                std::iter::repeat_n(None, arrays).chain(others).collect()
            }
            Memory::Any(f, args) => {
                let yielded = self.lambda(f);
                let own: Vec<StoreId> = f.params.iter().flat_map(|p| self.aliases.set(p.name).to_vec()).collect();
                let yielded: Vec<StoreId> = yielded.iter().flat_map(|set| set.to_vec()).collect();
                let outward = self.outward(yielded.into_iter().filter(|id| !own.contains(id)), &mut Outward::default());
                let mut all: Vec<Set> = args.iter().copied().flatten().map(|x| self.of(*x)).collect();
                all.push(outward);
                let all = self.aliases.union(all);
                vec![Some(all); pat.len()]
            }
        }
    }

    /// The bodies and lambdas inside an operator, none of whose results leaves it as it is. They may run any number of
    /// times.
    fn inside(&mut self, exp: &Exp) {
        struct Inside<'a, 'b>(&'a mut Walk<'b>);
        impl Visit for Inside<'_, '_> {
            fn lambda(&mut self, lambda: &Lambda) {
                self.0.lambda(lambda);
            }

            fn body(&mut self, body: &Body) {
                self.0.frame += 1;
                self.0.body(body);
                self.0.frame -= 1;
            }
        }
        Inside(self).exp(exp);
    }

    fn branches<'b>(&mut self, bodies: impl IntoIterator<Item = &'b Body>) -> Sets {
        let mut memory: Vec<Set> = Vec::new();
        for body in bodies {
            let sets = self.body(body);
            memory = match memory.is_empty() {
                true => sets,
                false => memory.into_iter().zip(sets).map(|(a, b)| self.aliases.union([a, b])).collect(),
            };
        }
        memory.into_iter().map(Some).collect()
    }

    fn loop_(&mut self, params: &[(Param, Operand)], body: &Body) -> Sets {
        let start: Vec<Set> = params.iter().map(|(_, init)| self.of(*init)).collect();
        self.frame += 1;
        self.params(params.iter().map(|(p, _)| p));
        // The store of a parameter that is not unique stands for whatever the parameter may have been.
        let mut own: FxHashMap<StoreId, Vec<usize>> = FxHashMap::default();
        let stores: Vec<Set> = params.iter().map(|(p, _)| self.aliases.set(p.name)).collect();
        let next = self.body(body);
        self.frame -= 1;
        for (i, (param, _)) in params.iter().enumerate().filter(|(_, (p, _))| is_shared(p)) {
            debug_assert!(param.ty.has_memory());
            for id in stores[i].iter() {
                own.entry(self.aliases.find(*id)).or_default().push(i);
            }
        }
        let mut outside = Outward::default();
        let mut memory: Sets = Vec::with_capacity(params.len());
        for (i, (param, _)) in params.iter().enumerate() {
            if !is_shared(param) {
                memory.push(None);
                continue;
            }
            let mut seen = vec![false; params.len()];
            let mut todo = vec![i];
            let mut found: Vec<StoreId> = Vec::new();
            while let Some(i) = todo.pop() {
                if std::mem::replace(&mut seen[i], true) {
                    continue;
                }
                for id in start[i].iter().chain(next[i].iter()) {
                    let id = self.aliases.find(*id);
                    let params = own.get(&id);
                    todo.extend(params.into_iter().flatten());
                    // A store that is only the parameter's is accounted for by the parameter's values.
                    if params.is_none() || self.aliases.store(id).owner == Owner::Several {
                        found.push(id);
                    }
                }
            }
            memory.push(Some(self.outward(found, &mut outside)));
        }
        memory
    }

    /// A set for what leaves a frame: stores of the frame itself are replaced by others outside.
    fn outward(&mut self, set: impl IntoIterator<Item = StoreId>, outside: &mut Outward) -> Set {
        let mut out = Vec::new();
        for id in set {
            let id = self.aliases.find(id);
            let store = self.aliases.store(id);
            if store.frame <= self.frame {
                out.push(id);
                continue;
            }
            let (name, owner, frame) = (store.name, store.owner, self.frame);
            out.push(*outside.entry(id).or_insert_with(|| self.aliases.make(name, frame, owner)));
        }
        out.sort_unstable();
        out.dedup();
        self.aliases.union([Rc::from(out)])
    }
}

/// For each store inside a frame the store that stands for it outside.
type Outward = FxHashMap<StoreId, StoreId>;

/// Whether a loop's parameter may share its memory with others.
fn is_shared(param: &Param) -> bool {
    matches!(param.ty, Type::Array(..)) && !param.unique
}
