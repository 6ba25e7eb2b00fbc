//! Marks the parameters that functions and loops consume, and the results that alias nothing.
//!
//! The language's own marks are gone with its types; what counts is what the code does. A parameter is unique if it, or
//! something that may share its memory, is consumed. Functions come behind those they call, so one pass will do; the
//! body of a loop is looked at until nothing changes.

mod copies;

use crate::effects::{self, Memory};
use crate::sharing::Signatures;
use crate::visit::{VisitMut, walk_mut};
use crate::{Body, Exp, Fun, Lambda, Name, Operand, Param, Prog};
use rustc_hash::{FxHashMap, FxHashSet};

/// Copies what is consumed while something still needs it, and then marks parameters and results anew.
pub fn infer(prog: &mut Prog) {
    let mut done = Signatures::default();
    for fun in &mut prog.funs {
        copies::insert(fun, &done, &mut prog.fresh);
        infer_fun(fun, &done);
        done.insert(fun);
    }
}

/// The parameters of a loop that its body consumes.
pub(super) fn consumed_in_loop(params: &[(Param, Operand)], body: &Body, signatures: &Signatures) -> FxHashSet<Name> {
    let mut walk = Walk { signatures, aliases: FxHashMap::default(), consumed: FxHashSet::default() };
    let mut exp = Exp::Loop {
        params: params.to_vec(),
        form: crate::LoopForm::While(params.first().map_or_else(|| crate::Fresh::default().named("c"), |p| p.0.name)),
        body: body.clone(),
    };
    walk.exp(&mut exp, &[]);
    match exp {
        Exp::Loop { params, .. } => params.iter().filter(|(p, _)| p.unique).map(|(p, _)| p.name).collect(),
        _ => FxHashSet::default(),
    }
}

struct Walk<'a> {
    signatures: &'a Signatures,
    /// For each name with memory those with which it may share it, one step away: sets of all of them would be
    /// quadratic for a chain of updates.
    aliases: FxHashMap<Name, Vec<Name>>,
    /// With a name all those that it can be reached from are here.
    consumed: FxHashSet<Name>,
}

fn infer_fun(fun: &mut Fun, signatures: &Signatures) {
    let mut walk = Walk { signatures, aliases: FxHashMap::default(), consumed: FxHashSet::default() };
    for p in &fun.params {
        walk.own(p);
    }
    walk.body(&mut fun.body);
    for p in &mut fun.params {
        p.unique = walk.consumed.contains(&p.name) && p.ty.is_array();
    }
    // A result is unique if it shares memory with no parameter that is not, and with no other result.
    let sets: Vec<FxHashSet<Name>> = fun.body.results.iter().map(|r| walk.all_of(*r)).collect();
    let kept: FxHashSet<Name> = fun.params.iter().filter(|p| !p.unique).map(|p| p.name).collect();
    for i in 0..fun.results.len() {
        let alone = sets.iter().enumerate().all(|(j, other)| i == j || other.is_disjoint(&sets[i]));
        let unique = alone && sets[i].is_disjoint(&kept);
        if let Some(result) = fun.results.get_mut(i) {
            result.unique = unique && result.ty.is_array();
        }
    }
}

impl Walk<'_> {
    fn own(&mut self, param: &Param) {
        self.aliases.insert(param.name, Vec::new());
    }

    /// The name itself, if it is one of something with memory.
    fn of(&self, operand: Operand) -> Vec<Name> {
        operand.name().filter(|name| self.aliases.contains_key(name)).into_iter().collect()
    }

    /// All names with which a value may share memory.
    fn all_of(&self, operand: Operand) -> FxHashSet<Name> {
        let mut all = FxHashSet::default();
        let mut todo = self.of(operand);
        while let Some(name) = todo.pop() {
            if all.insert(name) {
                todo.extend(self.aliases.get(&name).into_iter().flatten());
            }
        }
        all
    }

    /// Whether that is new.
    fn consume(&mut self, name: Name) -> bool {
        let before = self.consumed.len();
        let mut todo = vec![name];
        while let Some(name) = todo.pop() {
            if self.consumed.insert(name) {
                todo.extend(self.aliases.get(&name).into_iter().flatten());
            }
        }
        self.consumed.len() > before
    }

    /// What the results of an expression may share memory with. Unlike to the checker, a result that is made over
    /// something consumed shares memory with it: to consume the one is to have consumed the other.
    fn exp(&mut self, exp: &mut Exp, pat: &[Param]) -> Vec<Vec<Name>> {
        if let Exp::Loop { params, body, .. } = exp {
            return self.loop_(params, body);
        }
        walk_mut::exp(self, exp);
        for name in effects::consumed(exp, |f, i| self.signatures.takes(f, i)) {
            self.consume(name);
        }
        let union = |sets: &mut dyn Iterator<Item = Vec<Name>>| -> Vec<Name> { sets.flatten().collect() };
        match effects::memory(exp) {
            Memory::New => Vec::new(),
            Memory::Of(x, _) => vec![self.of(x)],
            Memory::Over(over) => {
                over.into_iter().map(|name| name.map(|n| self.of(n.into())).unwrap_or_default()).collect()
            }
            Memory::Branches(bodies) => {
                let of = |i: usize| union(&mut bodies.iter().map(|body| self.of(body.results[i])));
                (0..pat.len()).map(of).collect()
            }
            Memory::Loop(..) => unreachable!("a loop, which is looked at above"),
            Memory::Call(f, args) => {
                let is_unique = |i: usize| self.signatures.is_unique(f, i);
                let kept = args.iter().enumerate().filter(|(i, _)| !self.signatures.takes(f, *i));
                let mut kept = union(&mut kept.map(|(_, x)| self.of(*x)));
                // Results that are not unique may share memory with each other.
                kept.extend((0..pat.len()).find(|i| !is_unique(*i) && pat[*i].ty.is_array()).map(|i| pat[i].name));
                (0..pat.len()).map(|i| if is_unique(i) { Vec::new() } else { kept.clone() }).collect()
            }
            Memory::Acc(inputs, body) => {
                let dests = inputs.iter().flat_map(|input| &input.dests).map(|dest| self.of((*dest).into()));
                dests.chain(body.body.results.iter().skip(inputs.len()).map(|x| self.of(*x))).collect()
            }
            Memory::Any(f, args) => {
                let values = args.iter().copied().flatten().chain(&f.body.results);
                vec![union(&mut values.map(|x| self.of(*x))); pat.len()]
            }
        }
    }

    /// Marks the parameters that the body consumes as unique.
    fn loop_(&mut self, params: &mut [(Param, Operand)], body: &mut Body) -> Vec<Vec<Name>> {
        for (p, _) in params.iter() {
            self.own(p);
        }
        self.body(body);
        // A parameter whose value goes into a consumed one is consumed in the next iteration.
        let mut changed = true;
        while changed {
            changed = false;
            for ((p, _), result) in params.iter().zip(&body.results) {
                if self.consumed.contains(&p.name)
                    && let [name] = self.of(*result)[..]
                {
                    changed |= self.consume(name);
                }
            }
        }
        let mut out = Vec::new();
        for ((p, init), result) in params.iter_mut().zip(&body.results) {
            p.unique = self.consumed.contains(&p.name) && p.ty.has_memory();
            let mut set = self.of(*result);
            set.extend(self.of(*init));
            if p.unique
                && let Operand::Var(n) = init
            {
                self.consume(*n);
            }
            out.push(set);
        }
        // From now on a parameter is what it was first or what it became: the value of another one may be handed on.
        for ((p, _), set) in params.iter().zip(&out) {
            self.aliases.insert(p.name, set.clone());
        }
        out
    }
}

impl VisitMut for Walk<'_> {
    fn body(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            let sets = self.exp(&mut stm.exp, &stm.pat);
            for (i, p) in stm.pat.iter().enumerate() {
                if p.ty.has_memory() {
                    self.aliases.insert(p.name, sets.get(i).cloned().unwrap_or_default());
                }
            }
        }
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        for p in &lambda.params {
            self.own(p);
        }
        self.body(&mut lambda.body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies are inserted, and the marks are such that the checker agrees.
    fn marked(text: &str) -> String {
        let mut prog = crate::parse::prog(text).unwrap();
        infer(&mut prog);
        crate::check::array(&prog).unwrap_or_else(|error| panic!("{error}\n{prog}"));
        prog.to_string()
    }

    #[test]
    fn what_the_body_of_with_acc_yields_is_shared() {
        let text = marked(
            "fun f (n_1: i64) (a_2: [n_1]i64) : ([n_1]i64) ([n_1]i64) = {
               let d_3: [n_1]i64 = replicate [n_1] 0
               let r_4: [n_1]i64, s_5: [n_1]i64 = with_acc ([n_1] (d_3)) \\(t_6: cert, x_7: acc t_6 [n_1](i64)): acc t_6 [n_1](i64), [n_1]i64 -> {
                 in x_7, a_2
               }
               let u_8: [n_1]i64 = update s_5[0] = 1
               in u_8, a_2
             }",
        );
        assert!(text.contains("copy s_5"), "{text}");
    }

    #[test]
    fn derivatives_may_yield_their_arguments() {
        let text = marked(
            "fun f (n_1: i64) (a_2: [n_1]f32) : ([n_1]f32) ([n_1]f32) = {
               let b_3: [n_1]f32, c_4: [n_1]f32 = jvp \\(x_5: [n_1]f32): [n_1]f32 -> { in x_5 } (a_2) (a_2)
               let u_6: [n_1]f32 = update b_3[0] = 1.0f32
               in u_6, c_4
             }",
        );
        assert!(text.contains("copy b_3"), "{text}");
    }
}
