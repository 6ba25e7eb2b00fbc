//! Which arrays of a function may share memory with one that is consumed: what passes ask before they move, merge or
//! duplicate anything.
//!
//! The answer does not depend on the place in the function. Names that may lie in the same memory form a class: a view
//! and its array, the result of a branch and the results of its bodies, a loop's parameters with their values. A class
//! is *fixed* when nothing in it is consumed anywhere in the function; arrays of fixed classes are mathematical values,
//! which can be used wherever they are in scope. With all others a pass must keep every use before the consumption,
//! and must not make two names of one array or one array of two. The checker of the array stage, which does depend on
//! the place, has the last word.

use crate::effects::{self, Memory};
use crate::exp::{Exp, Soac};
use crate::name::Name;
use crate::prog::{Fun, Operand, Param, Prog, Stm};
use crate::visit::{Visit, walk};
use kenaz_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a call does with arrays: which arguments the function may consume, which results have no aliases.
#[derive(Clone, Debug)]
pub struct Signature {
    pub consumes: Vec<bool>,
    pub unique: Vec<bool>,
    /// Which parameters lie in memory: not those that are scalars.
    has_memory: Vec<bool>,
    /// Whether something in it prints or hides its operand.
    watched: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Signatures(FxHashMap<Symbol, Signature>);

impl Signatures {
    pub fn of(prog: &Prog) -> Signatures {
        let mut all = Signatures::default();
        prog.funs.iter().for_each(|fun| all.insert(fun));
        all
    }

    /// Adds a function, or says anew what it does. Those that it calls are known already.
    pub fn insert(&mut self, fun: &Fun) {
        let watched = effects::any(&fun.body, |stm| self.is_watched(&stm.exp));
        self.0.insert(fun.name, Signature::of(fun, watched));
    }

    pub fn get(&self, fun: Symbol) -> Option<&Signature> {
        self.0.get(&fun)
    }

    /// Whether a function consumes an argument, as far as one knows.
    pub fn takes(&self, fun: Symbol, argument: usize) -> bool {
        self.get(fun).is_none_or(|s| s.consumes.get(argument) != Some(&false))
    }

    /// Whether an expression prints or hides its operand, or calls a function in which something does; apart from its
    /// bodies.
    pub fn is_watched(&self, exp: &Exp) -> bool {
        match exp {
            Exp::Call(f, _) => self.get(*f).is_none_or(|s| s.watched),
            exp => effects::of_exp(exp, &[]).is_watched(),
        }
    }

    /// Whether a result of a function is known to have no aliases.
    pub fn is_unique(&self, fun: Symbol, result: usize) -> bool {
        self.get(fun).is_some_and(|s| s.unique.get(result) == Some(&true))
    }
}

impl Signature {
    fn of(fun: &Fun, watched: bool) -> Signature {
        Signature {
            consumes: fun.params.iter().map(Param::is_consumable).collect(),
            unique: fun.results.iter().map(|p| p.unique).collect(),
            has_memory: fun.params.iter().map(|p| p.ty.has_memory()).collect(),
            watched,
        }
    }

    /// Whether a result that is not unique may lie in this argument.
    fn lends(&self, argument: usize) -> bool {
        let is = |flags: &[bool]| flags.get(argument) != Some(&false);
        is(&self.has_memory) && !is(&self.consumes)
    }
}

/// The classes of the arrays of one function.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    parent: FxHashMap<Name, Name>,
    consumed: FxHashSet<Name>,
    /// The classes that must not share memory with anything else; see [`Sharing::own`].
    owned: FxHashSet<Name>,
}

impl Sharing {
    pub fn of(fun: &Fun, signatures: &Signatures) -> Sharing {
        let mut walk = Walk { sharing: Sharing::default(), signatures };
        walk.fun(fun);
        let consumed = std::mem::take(&mut walk.sharing.consumed);
        walk.sharing.consumed = consumed.into_iter().map(|name| walk.sharing.class(name)).collect();
        walk.sharing
    }

    /// A name that stands for all that may share memory with this one.
    pub fn class(&self, mut name: Name) -> Name {
        while let Some(parent) = self.parent.get(&name) {
            name = *parent;
        }
        name
    }

    /// Whether nothing that may share memory with the name is consumed anywhere in the function. Scalars always are.
    pub fn is_fixed(&self, name: Name) -> bool {
        !self.consumed.contains(&self.class(name))
    }

    pub fn may_share(&self, a: Name, b: Name) -> bool {
        self.class(a) == self.class(b)
    }

    /// A new name shares memory with an old one.
    pub fn join(&mut self, a: Name, b: Name) {
        let (a, b) = (self.class(a), self.class(b));
        if a != b {
            if self.consumed.contains(&b) {
                self.consumed.insert(a);
            }
            if self.owned.contains(&b) {
                self.owned.insert(a);
            }
            self.parent.insert(b, a);
        }
    }

    /// The array must have memory of its own, because a result of the function that is unique lies in it.
    pub fn own(&mut self, name: Name) {
        let class = self.class(name);
        self.owned.insert(class);
    }

    /// Whether the array may have to keep its memory to itself, see [`Sharing::own`].
    pub fn is_owned(&self, name: Name) -> bool {
        self.owned.contains(&self.class(name))
    }

    /// Whether two names may become names of one array: nobody consumes either of them, and neither needs memory of its
    /// own.
    pub fn may_merge(&self, a: Name, b: Name) -> bool {
        self.is_fixed(a) && self.is_fixed(b) && !self.is_owned(a) && !self.is_owned(b)
    }

    pub fn consume(&mut self, name: Name) {
        let class = self.class(name);
        self.consumed.insert(class);
    }

    /// Whether everything that an expression reads is fixed, in its bodies too, and it consumes nothing: then it can
    /// be evaluated anywhere.
    pub fn is_movable(&self, exp: &Exp) -> bool {
        let mut movable = true;
        crate::visit::for_each_use(exp, |name| movable &= self.is_fixed(name));
        movable
    }
}

struct Walk<'a> {
    sharing: Sharing,
    signatures: &'a Signatures,
}

impl Walk<'_> {
    fn join(&mut self, a: Name, x: Operand) {
        if let Operand::Var(b) = x {
            self.sharing.parent_path(b);
            self.sharing.join(b, a);
        }
    }

    /// Each of these lies where the value at its place does.
    fn join_all(&mut self, params: &[Param], values: impl IntoIterator<Item = Operand>) {
        for (param, x) in params.iter().zip(values) {
            if param.ty.has_memory() {
                self.join(param.name, x);
            }
        }
    }
}

impl Sharing {
    /// Shortens the way to the class.
    fn parent_path(&mut self, name: Name) {
        let class = self.class(name);
        let mut at = name;
        while at != class {
            let Some(next) = self.parent.insert(at, class) else { break };
            at = next;
        }
    }
}

impl Visit for Walk<'_> {
    fn stm(&mut self, stm: &Stm) {
        let pat = &stm.pat;
        let signatures = self.signatures;
        self.sharing.consumed.extend(effects::consumed(&stm.exp, |f, i| signatures.takes(f, i)));
        if let Some((arrays, lambda)) = effects::rows(&stm.exp) {
            self.join_all(&lambda.params, arrays.iter().map(|a| (*a).into()));
        }
        match effects::memory(&stm.exp) {
            // A result that overwrites a consumed operand has no other aliases, like a new one.
            Memory::New | Memory::Over(_) => {}
            Memory::Of(x, _) => self.join_all(pat, [x]),
            Memory::Branches(bodies) => {
                for body in bodies {
                    self.join_all(pat, body.results.iter().copied());
                }
            }
            Memory::Loop(params, body) => {
                // That also keeps together what a unique parameter keeps apart: classes may be too large.
                for (i, (param, init)) in params.iter().enumerate().filter(|(_, (p, _))| p.ty.has_memory()) {
                    if param.is_consumable() {
                        self.sharing.consumed.insert(param.name);
                    }
                    self.join(param.name, *init);
                    if let Some(x) = body.results.get(i) {
                        self.join(param.name, *x);
                    }
                    if let Some(result) = pat.get(i) {
                        self.join(result.name, param.name.into());
                    }
                }
            }
            Memory::Call(f, args) => {
                let signature = signatures.get(f);
                let is_shared = |i: usize, p: &Param| p.ty.has_memory() && !signatures.is_unique(f, i);
                let shared = || pat.iter().enumerate().filter(|(i, p)| is_shared(*i, p)).map(|(_, p)| p.name);
                let Some(first) = shared().next() else { return walk::stm(self, stm) };
                for name in shared().skip(1) {
                    self.join(name, first.into());
                }
                for (_, x) in args.iter().enumerate().filter(|(i, _)| signature.is_none_or(|s| s.lends(*i))) {
                    self.join(first, *x);
                }
            }
            Memory::Acc(inputs, body) => {
                let arrays: usize = inputs.iter().map(|input| input.dests.len()).sum();
                let others = body.body.results.iter().skip(inputs.len()).copied();
                self.join_all(pat.get(arrays..).unwrap_or_default(), others);
            }
            Memory::Any(f, args) => {
                for param in pat.iter().filter(|p| p.ty.has_memory()) {
                    for x in args.iter().copied().flatten().chain(&f.body.results) {
                        self.join(param.name, *x);
                    }
                }
            }
        }
        if let Exp::Soac(Soac::Screma { map, scans, reduces, post: Some(post), .. }) = &stm.exp {
            // The last function takes the rest of what the first yields as it is.
            let scanned: usize = scans.iter().map(|s| s.neutral.len()).sum();
            let reduced: usize = reduces.iter().map(|r| r.neutral.len()).sum();
            let rest = map.body.results.iter().skip(scanned + reduced).copied();
            self.join_all(post.params.get(scanned..).unwrap_or_default(), rest);
        }
        walk::stm(self, stm);
    }

    fn fun(&mut self, fun: &Fun) {
        // The caller owns a parameter that is not unique; a unique one is consumed only if the body does so.
        walk::fun(self, fun);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sharing(text: &str) -> impl Fn(u32) -> bool {
        let prog = crate::parse::prog(text).unwrap();
        crate::check::array(&prog).unwrap();
        let sharing = Sharing::of(prog.funs.last().unwrap(), &Signatures::of(&prog));
        move |id| sharing.is_fixed(Name { base: Symbol::intern("x"), id })
    }

    #[test]
    fn an_update_consumes_the_views_of_its_array() {
        let fixed = sharing(
            "fun f (n_1: i64) (a_2: [n_1]i64) : ([n_1]i64) = {
               let b_3: [n_1]i64 = copy a_2
               let c_4: [n_1]i64 = b_3
               let d_5: [n_1]i64 = copy a_2
               let e_6: [n_1]i64 = update c_4[0] = 1
               in e_6
             }",
        );
        assert_eq!([2, 3, 4, 5, 6].map(fixed), [true, false, false, true, true]);
    }

    #[test]
    fn calls_consume_what_their_function_does() {
        let fixed = sharing(
            "fun f (n_1: i64) (a_2: *[n_1]i64) (b_3: [n_1]i64) : ([n_1]i64) = {
               in b_3
             }
             fun g (n_4: i64) (a_5: [n_4]i64) : ([n_4]i64) = {
               let b_6: [n_4]i64 = copy a_5
               let c_7: [n_4]i64 = copy a_5
               let d_8: [n_4]i64 = call f (n_4, b_6, c_7)
               let e_9: [n_4]i64 = copy a_5
               in d_8
             }",
        );
        assert_eq!([5, 6, 9].map(&fixed), [true, false, true]);
    }

    #[test]
    fn scalars_share_nothing_with_the_results_of_a_call() {
        let fixed = sharing(
            "fun f (n_1: i64) (a_2: [n_1]i64) : ([n_1]i64) = {
               in a_2
             }
             fun g (n_3: i64) : ([n_3]i64) = {
               let a_4: [n_3]i64 = iota n_3 : i64
               let b_5: [n_3]i64 = call f (n_3, a_4)
               let c_6: [n_3]i64 = update b_5[0] = 1
               in c_6
             }",
        );
        assert_eq!([3, 4, 5].map(fixed), [true, false, false]);
    }

    #[test]
    fn derivatives_may_yield_what_their_function_does() {
        let fixed = sharing(
            "fun f (n_1: i64) (x_2: f32) : ([n_1]f32) = {
               let a_3: [n_1]f32 = replicate [n_1] x_2
               let b_4: [n_1]f32, c_5: [n_1]f32 = jvp \\(y_6: f32): [n_1]f32 -> { in a_3 } (x_2) (x_2)
               let d_7: [n_1]f32 = update b_4[0] = x_2
               in d_7
             }",
        );
        assert_eq!([3, 4, 5].map(fixed), [false, false, false]);
    }
}
