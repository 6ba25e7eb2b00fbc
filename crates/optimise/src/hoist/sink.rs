//! Moving statements into the only branch that uses them.
//!
//! ```text
//! let a: f32 = reduce n (xs) …                  let y: f32 = if c then {
//! let y: f32 = if c then {                   →    let a: f32 = reduce n (xs) …
//!   let b: f32 = mul a 2 in b                     let b: f32 = mul a 2 in b
//! } else { in 0 }                               } else { in 0 }
//! ```
//!
//! Each body is walked backwards, so that what is used only by something that goes into a branch goes there as well.
//! Then the branches are walked in the same way. Checks stay, since they must fail even if nobody needs their
//! certificate, and so does what prints, consumes or reads an array that is not fixed.

use super::nature::{self, Nature};
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::sharing::Sharing;
use kenaz_ir::visit::{Visit, VisitMut, free_in_stm};
use kenaz_ir::{Body, Exp, Fun, Log, Name, Stm};
use rustc_hash::FxHashMap;

pub(super) fn sink(fun: &mut Fun, sharing: &Sharing, natures: &FxHashMap<Symbol, Nature>, log: &mut Log) {
    Sink { sharing, natures, log }.body(&mut fun.body);
}

struct Sink<'a> {
    sharing: &'a Sharing,
    natures: &'a FxHashMap<Symbol, Nature>,
    log: &'a mut Log,
}

/// Where a name is used: in one branch of one statement of the body, or elsewhere too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Branch(usize, usize),
    Anywhere,
}

#[derive(Default)]
struct Places(FxHashMap<Name, Place>);

impl Places {
    fn add(&mut self, name: Name, place: Place) {
        let known = self.0.entry(name).or_insert(place);
        if *known != place {
            *known = Place::Anywhere;
        }
    }
}

impl VisitMut for Sink<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            if body.stms.iter().any(|stm| matches!(stm.exp, Exp::If(..) | Exp::Match(..))) {
                self.sink_in(body);
            }
            for stm in &mut body.stms {
                self.exp(&mut stm.exp);
            }
        });
    }
}

impl Sink<'_> {
    fn sink_in(&mut self, body: &mut Body) {
        let mut places = Places::default();
        body.results.iter().filter_map(|x| x.name()).for_each(|name| places.add(name, Place::Anywhere));
        let mut stms: Vec<Option<Stm>> = std::mem::take(&mut body.stms).into_iter().map(Some).collect();
        // The statements that move, last first, each with the statement and the branch it moves into.
        let mut moved: Vec<(usize, usize, Stm)> = Vec::new();
        for i in (0..stms.len()).rev() {
            let Some(stm) = stms[i].take() else { continue };
            if let Some((at, branch)) = self.target(&stm, &places) {
                Uses { places: &mut places, place: Place::Branch(at, branch) }.stm(&stm);
                moved.push((at, branch, stm));
                continue;
            }
            let mut uses = Uses { places: &mut places, place: Place::Anywhere };
            match &stm.exp {
                Exp::If(..) | Exp::Match(..) => {
                    let mut branch = 0;
                    kenaz_ir::visit::for_each_body(&stm.exp, |body| {
                        uses.place = Place::Branch(i, branch);
                        uses.body(body);
                        branch += 1;
                    });
                    uses.place = Place::Anywhere;
                    super::Direct(|name| uses.name(&name)).stm(&stm);
                }
                _ => uses.stm(&stm),
            }
            stms[i] = Some(stm);
        }
        let mut prefixes: FxHashMap<(usize, usize), Vec<Stm>> = FxHashMap::default();
        for (at, branch, stm) in moved.into_iter().rev() {
            prefixes.entry((at, branch)).or_default().push(stm);
        }
        for (i, stm) in stms.iter_mut().enumerate() {
            let Some(stm) = stm else { continue };
            if !matches!(stm.exp, Exp::If(..) | Exp::Match(..)) {
                continue;
            }
            let mut branch = 0;
            kenaz_ir::visit::for_each_body_mut(&mut stm.exp, |body| {
                if let Some(mut prefix) = prefixes.remove(&(i, branch)) {
                    prefix.append(&mut body.stms);
                    body.stms = prefix;
                }
                branch += 1;
            });
        }
        body.stms = stms.into_iter().flatten().collect();
    }

    /// The branch into which a statement is to go.
    fn target(&mut self, stm: &Stm, places: &Places) -> Option<(usize, usize)> {
        let mut target = None;
        for param in &stm.pat {
            match places.0.get(&param.name) {
                Some(Place::Branch(at, branch)) if target.is_none_or(|t| t == (*at, *branch)) => {
                    target = Some((*at, *branch));
                }
                // A name without uses does not matter.
                None => {}
                Some(_) => return None,
            }
        }
        let target = target?;
        let nature = Nature::deep(stm, self.natures);
        if nature.pinned || nature.checks || matches!(stm.exp, Exp::Operand(_)) {
            return None;
        }
        let is_fixed = |name: &Name| self.sharing.is_fixed(*name);
        if !nature::is_scalar(stm) && !free_in_stm(stm).iter().all(is_fixed) {
            return None;
        }
        self.log.fire("sink-into-branch").then_some(target)
    }
}

/// Notes all uses as being in a place.
struct Uses<'a> {
    places: &'a mut Places,
    place: Place,
}

impl Visit for Uses<'_> {
    fn name(&mut self, name: &Name) {
        self.places.add(*name, self.place);
    }
}
