//! Which arrays of a function may share memory with one that is consumed: what passes ask before they move, merge or
//! duplicate anything.
//!
//! The answer does not depend on the place in the function. Names that may lie in the same memory form a class: a view
//! and its array, the result of a branch and the results of its bodies, a loop's parameters with their values. A class
//! is *fixed* when nothing in it is consumed anywhere in the function; arrays of fixed classes are mathematical values,
//! which can be used wherever they are in scope. With all others a pass must keep every use before the consumption,
//! and must not make two names of one array or one array of two. The checker of the array stage, which does depend on
//! the place, has the last word.

use crate::exp::{Exp, Lambda, LoopForm, Soac};
use crate::name::Name;
use crate::par::Form;
use crate::prog::{Body, Fun, Operand, Param, Prog, Stm};
use crate::types::Type;
use crate::visit::{Visit, walk};
use kenaz_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a call does with arrays: which arguments the function may consume, which results have no aliases.
#[derive(Clone, Debug)]
pub struct Signature {
    pub consumes: Vec<bool>,
    pub unique: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
pub struct Signatures(FxHashMap<Symbol, Signature>);

impl Signatures {
    pub fn of(prog: &Prog) -> Signatures {
        Signatures(prog.funs.iter().map(|fun| (fun.name, Signature::of(fun))).collect())
    }

    /// Adds a function, or says anew what it does.
    pub fn insert(&mut self, fun: &Fun) {
        self.0.insert(fun.name, Signature::of(fun));
    }

    pub fn get(&self, fun: Symbol) -> Option<&Signature> {
        self.0.get(&fun)
    }
}

impl Signature {
    pub fn of(fun: &Fun) -> Signature {
        let unique = |params: &[Param]| params.iter().map(|p| p.unique).collect();
        Signature { consumes: unique(&fun.params), unique: unique(&fun.results) }
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

    /// Whether two names may become names of one array: nobody consumes either of them, and neither needs memory of its
    /// own.
    pub fn may_merge(&self, a: Name, b: Name) -> bool {
        self.is_fixed(a) && self.is_fixed(b) && [a, b].iter().all(|name| !self.owned.contains(&self.class(*name)))
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

    fn join_results(&mut self, pat: &[Param], body: &Body) {
        for (param, x) in pat.iter().zip(&body.results) {
            if shares(&param.ty) {
                self.join(param.name, *x);
            }
        }
    }

    fn rows(&mut self, arrays: &[Name], lambda: &Lambda) {
        for (param, array) in lambda.params.iter().zip(arrays) {
            if shares(&param.ty) {
                self.join(param.name, (*array).into());
            }
            if param.unique || matches!(param.ty, Type::Acc { .. }) {
                self.sharing.consumed.insert(*array);
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

/// Whether values of the type lie in memory.
fn shares(ty: &Type) -> bool {
    matches!(ty, Type::Array(..) | Type::Acc { .. })
}

impl Visit for Walk<'_> {
    fn stm(&mut self, stm: &Stm) {
        let pat = &stm.pat;
        match &stm.exp {
            Exp::Operand(x) | Exp::Trace(_, x) | Exp::Opaque(x) => {
                if let [param] = &pat[..]
                    && shares(&param.ty)
                {
                    self.join(param.name, *x);
                }
            }
            Exp::Index(a, _)
            | Exp::Slice(a, _)
            | Exp::Rearrange(_, a)
            | Exp::Reshape(_, a)
            | Exp::Resize(_, a)
            | Exp::FlatIndex(a, ..) => {
                if let [param] = &pat[..]
                    && shares(&param.ty)
                {
                    self.join(param.name, (*a).into());
                }
            }
            Exp::Update(a, ..) | Exp::FlatUpdate(a, ..) => {
                self.sharing.consumed.insert(*a);
            }
            Exp::If(_, yes, no) => {
                self.join_results(pat, yes);
                self.join_results(pat, no);
            }
            Exp::Match(_, cases, default) => {
                for (_, body) in cases {
                    self.join_results(pat, body);
                }
                self.join_results(pat, default);
            }
            Exp::Loop { params, form: LoopForm::For(..) | LoopForm::While(_), body } => {
                for (i, (param, init)) in params.iter().enumerate() {
                    if !shares(&param.ty) {
                        continue;
                    }
                    if param.unique || matches!(param.ty, Type::Acc { .. }) {
                        self.sharing.consumed.extend(init.name());
                        self.sharing.consumed.insert(param.name);
                    }
                    // That also keeps apart what a unique parameter keeps apart: classes may be too large.
                    self.join(param.name, *init);
                    if let Some(x) = body.results.get(i) {
                        self.join(param.name, *x);
                    }
                    if let Some(result) = pat.get(i) {
                        self.join(result.name, param.name.into());
                    }
                }
            }
            Exp::Call(f, args) => {
                let signature = self.signatures.get(*f);
                for (i, x) in args.iter().enumerate() {
                    let Operand::Var(arg) = x else { continue };
                    if signature.is_none_or(|s| s.consumes.get(i) != Some(&false)) {
                        self.sharing.consumed.insert(*arg);
                    }
                }
                for (i, param) in pat.iter().enumerate().filter(|(_, p)| shares(&p.ty)) {
                    if signature.is_none_or(|s| s.unique.get(i) != Some(&true)) {
                        for x in args {
                            self.join(param.name, *x);
                        }
                        // Two results may be the same array.
                        let first = pat
                            .iter()
                            .enumerate()
                            .find(|(j, p)| shares(&p.ty) && signature.is_none_or(|s| s.unique.get(*j) != Some(&true)));
                        if let Some((_, first)) = first {
                            self.join(param.name, first.name.into());
                        }
                    }
                }
            }
            Exp::Soac(soac) => match soac {
                Soac::Screma { arrays, map, scans, reduces, post, .. } => {
                    self.rows(arrays, map);
                    if let Some(post) = post {
                        let scanned: usize = scans.iter().map(|s| s.neutral.len()).sum();
                        let reduced: usize = reduces.iter().map(|r| r.neutral.len()).sum();
                        let rest = map.body.results.iter().skip(scanned + reduced);
                        for (param, x) in post.params.iter().skip(scanned).zip(rest) {
                            if shares(&param.ty) {
                                self.join(param.name, *x);
                            }
                        }
                    }
                }
                Soac::Filter { arrays, pred, .. } => self.rows(arrays, pred),
                Soac::Scatter { arrays, map, dests, .. } => {
                    self.rows(arrays, map);
                    self.sharing.consumed.extend(dests.iter().map(|d| d.array));
                }
                Soac::Hist { arrays, map, ops, .. } => {
                    self.rows(arrays, map);
                    self.sharing.consumed.extend(ops.iter().flat_map(|op| op.dests.iter().copied()));
                }
                Soac::WithAcc { inputs, body } => {
                    self.sharing.consumed.extend(inputs.iter().flat_map(|i| i.dests.iter().copied()));
                    // What the body yields beside the accumulators may lie outside.
                    let arrays: usize = inputs.iter().map(|i| i.dests.len()).sum();
                    for (param, x) in pat.iter().skip(arrays).zip(body.body.results.iter().skip(inputs.len())) {
                        if shares(&param.ty) {
                            self.join(param.name, *x);
                        }
                    }
                }
                Soac::UpdateAcc { acc, .. } => {
                    self.sharing.consumed.insert(*acc);
                }
            },
            Exp::Jvp(_, at, direction) | Exp::Vjp(_, at, direction) => {
                for param in pat.iter().filter(|p| shares(&p.ty)) {
                    for x in at.iter().chain(direction) {
                        self.join(param.name, *x);
                    }
                }
            }
            Exp::Par(par) => {
                for form in &par.forms {
                    match form {
                        Form::Own | Form::Tile(_) => {}
                        Form::Write { dest, .. } => drop(self.sharing.consumed.insert(*dest)),
                        Form::Acc { dests, .. } => self.sharing.consumed.extend(dests.iter().copied()),
                    }
                }
            }
            Exp::Mem(_)
            | Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Conv(..)
            | Exp::Math(..)
            | Exp::Assert(..)
            | Exp::Array(..)
            | Exp::Iota { .. }
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Concat(..)
            | Exp::Copy(_) => {}
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
}
