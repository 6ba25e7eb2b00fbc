//! Size slicing: sizes and checks are computed apart from the values they belong to, in front of them, where they are
//! cheap; after Henriksen, Elsman and Oancea, "Size Slicing" (FHPC 2014), cited as \[size\].
//!
//! ```text
//! fun f (n_1: i64) (a_2: [n_1]f32) : (k_3: i64) ([k_3]f32) = {
//!   let k_4: i64 = add n_1 n_1
//!   let r_5: [k_4]f32 = concat k_4 (a_2, a_2)
//!   in k_4, r_5
//! }
//! … let s_6: i64, v_7: [s_6]f32 = call f (n_8, a_9)
//! ```
//! becomes
//! ```text
//! fun f_value (k_3: i64) (n_1: i64) (a_2: [n_1]f32) : ([k_3]f32) = {
//!   let r_5: [k_3]f32 = concat k_3 (a_2, a_2)
//!   in r_5
//! }
//! … let s_6: i64 = add n_8 n_8
//!   let v_7: [s_6]f32 = call f_value (s_6, n_8, a_9)
//! ```
//!
//! The rules, in the order in which a function goes through them, its innermost bodies first:
//!
//! - `slice-branch-agree`: a branch loses a size about which its bodies agree, by name or provably (\[size\] fig. 23).
//! - `slice-branch-size`: other sizes that are cheap in every body are computed by a branch of their own in front.
//! - `slice-loop-invariant`: a size that a loop carries along but never changes is no parameter of the loop any more.
//! - `slice-check-map`, `slice-check-loop`: a check in a lambda or loop that depends on nothing bound there stands in
//!   front. It passes there when the body would not have run.
//! - `slice-check-branch`: a check in a branch that depends on nothing that changes between runs of the lambda, loop or
//!   function around it stands in front of the branch. It passes there when the branch is not taken.
//! - `slice-check-rows`: a check of sizes in a lambda that depends on its parameters is made for all rows in front
//!   (\[size\] fig. 10.A and fig. 16, the pre-assertion rule of `map`). What the elaborator makes is the
//!   intra-assertion rule (fig. 17): the size of the result is known in front, and checked inside.
//! - `slice-check-call`: a check at the top of a function that is called in lambdas or loops is made by its callers; so
//!   is one that a size of its results relies on, and one of a function that is all cheap.
//! - `slice-shape-evident`: a size in the results of a function that is a parameter or a constant is no result any
//!   more.
//! - `slice-shape-function`: other sizes that are cheap are computed by a function of their own, and given to what
//!   remains of the function (\[size\] fig. 9).
//! - `slice-inline-shape`: such functions go where they are called (\[size\] fig. 10.B).
//!
//! Cheap means what `backward` says. Other sizes stay as they are: they come with their values. `filter` keeps its
//! existential size; that it is at most the width is something `ir::facts` knows. A size that a loop changes by a cheap
//! recurrence needs no rule: an array is always bound after its size.
//!
//! Runs after `inline` and `simplify`: so only functions are left that stay functions, and slices are not longer than
//! they need be. What it leaves behind is for the simplifier: computations of sizes that nobody uses any more, equal
//! slices next to each other, checks that can now be proved. A second run after `hoist` can carry checks, which then
//! stand at the top of their functions, on to the callers. The cost is linear in the program, times the limit on
//! slices.

mod backward;
mod branch;
mod call;
mod check;
mod inline;

use backward::CheapFuns;
use call::Changed;
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::effects;
use kenaz_ir::facts::Facts;
use kenaz_ir::visit::{Subst, Visit, VisitMut, for_each_use, walk};
use kenaz_ir::{
    Attrs, Body, Exp, Fresh, Lambda, LocId, Locs, Log, LoopForm, Name, Operand, Param, Pass, PassCx, Prog, Soac, Stm,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub const PASS: Pass =
    Pass { name: "slice", about: "compute sizes and checks apart from values, in front of them", stage: None, run };

/// The names of its rules.
pub const RULES: &[&str] = &[
    "slice-branch-agree",
    "slice-branch-size",
    "slice-check-branch",
    "slice-check-call",
    "slice-check-known",
    "slice-check-loop",
    "slice-check-map",
    "slice-check-rows",
    "slice-inline-shape",
    "slice-loop-invariant",
    "slice-shape-evident",
    "slice-shape-function",
];

fn run(prog: &mut Prog, cx: &mut PassCx) {
    let log = &mut cx.log;
    let repeated = call::repeated(&prog.funs);
    let called = inline::called(&prog.funs);
    let Prog { funs, locs, fresh } = prog;
    let mut slicer = Slicer {
        fresh,
        locs,
        log,
        facts: Facts::new(),
        subst: Subst::new(),
        changed: FxHashMap::default(),
        cheap: CheapFuns::default(),
        shapes: FxHashSet::default(),
        names: funs.iter().map(|fun| fun.name).collect(),
        conditional: FxHashSet::default(),
        repeats: false,
        changing: FxHashSet::default(),
    };
    let mut out = Vec::with_capacity(funs.len());
    for mut fun in std::mem::take(funs) {
        slicer.facts = Facts::new();
        slicer.facts.enter_fun(&fun);
        slicer.repeats = repeated.contains(&fun.name);
        slicer.changing.clear();
        slicer.body(&mut fun.body);
        // An entry point, or a function without calls, keeps its parameters and results.
        if called.contains(&fun.name) && fun.entry.is_none() {
            slicer.function(fun, &repeated, &mut out);
        } else {
            out.push(fun);
        }
    }
    // Shape functions that nobody calls any more.
    let called = inline::called(&out);
    out.retain(|fun| !slicer.shapes.contains(&fun.name) || called.contains(&fun.name));
    *funs = out;
}

struct Slicer<'a> {
    fresh: &'a mut Fresh,
    locs: &'a mut Locs,
    log: &'a mut Log,
    /// What holds in front of the statement at hand.
    facts: Facts,
    /// The sizes that are no longer bound, and what stands for them.
    subst: Subst,
    /// The functions that are called in another way than before.
    changed: FxHashMap<Symbol, Rc<Changed>>,
    /// The shape functions.
    cheap: CheapFuns,
    /// The functions that exist for their shapes alone.
    shapes: FxHashSet<Symbol>,
    /// The names of all functions.
    names: FxHashSet<Symbol>,
    /// The certificates of checks that pass also when what they are for does not run.
    conditional: FxHashSet<Name>,
    /// Whether the current place runs again and again.
    repeats: bool,
    /// What may change from one run of the innermost lambda or loop to the next.
    changing: FxHashSet<Name>,
}

impl Slicer<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let stms = std::mem::take(&mut body.stms);
            let mut out = Vec::with_capacity(stms.len());
            for mut stm in stms {
                Outside(&self.subst).stm(&mut stm);
                let from = out.len();
                self.stm(stm, &mut out);
                for stm in &out[from..] {
                    self.learn(stm);
                    self.note_changes(stm);
                }
            }
            body.stms = out;
            for x in &mut body.results {
                *x = self.subst.get(*x);
            }
        });
    }

    /// Learns the facts that hold after a statement. A check under a condition teaches nothing: it passes also when
    /// the code it is for does not run.
    fn learn(&mut self, stm: &Stm) {
        if !stm.pat.iter().any(|p| self.conditional.contains(&p.name)) {
            self.facts.stm(stm);
        }
    }

    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        match &mut stm.exp {
            Exp::If(..) | Exp::Match(..) => self.branch(stm, out),
            Exp::Loop { .. } => self.loop_(stm, out),
            Exp::Call(..) => self.call(stm, out),
            Exp::Soac(soac) => {
                self.soac(soac, &stm.certs, out);
                out.push(stm);
            }
            Exp::Jvp(lambda, ..) | Exp::Vjp(lambda, ..) => {
                self.lambda(lambda, None);
                out.push(stm);
            }
            // The rest has no bodies.
            _ => out.push(stm),
        }
    }

    /// A function that is applied to the rows of arrays, or to something else.
    fn lambda(&mut self, lambda: &mut Lambda, rows: Option<(Operand, &[Name])>) {
        let mark = self.facts.mark();
        match rows {
            Some((width, arrays)) => self.facts.enter_rows(width, arrays, &lambda.params),
            None => self.facts.bind(&lambda.params),
        }
        let params = lambda.params.iter().map(|p| p.name).collect();
        self.repeated_body(&mut lambda.body, params);
        self.facts.reset(mark);
    }

    /// A body that runs again and again with other values of these names.
    fn repeated_body(&mut self, body: &mut Body, params: FxHashSet<Name>) {
        let outer = (std::mem::replace(&mut self.changing, params), std::mem::replace(&mut self.repeats, true));
        self.body(body);
        (self.changing, self.repeats) = outer;
    }

    /// Notes that the results of a statement change if it mentions a name that changes, or has a body, which is not
    /// looked into.
    fn note_changes(&mut self, stm: &Stm) {
        struct Find<'a>(&'a FxHashSet<Name>, bool);
        impl Visit for Find<'_> {
            fn name(&mut self, name: &Name) {
                self.1 |= self.0.contains(name);
            }

            fn body(&mut self, _: &Body) {
                self.1 = true;
            }
        }
        if !self.changing.is_empty() {
            let mut find = Find(&self.changing, false);
            find.stm(stm);
            if find.1 {
                self.changing.extend(stm.pat.iter().map(|p| p.name));
            }
        }
    }

    /// Whether the place runs again and again, with the same value of an operand.
    fn stays_the_same(&self, x: Operand) -> bool {
        self.repeats && x.name().is_none_or(|name| !self.changing.contains(&name))
    }

    fn soac(&mut self, soac: &mut Soac, certs: &[Name], out: &mut Vec<Stm>) {
        let mut mapped = |this: &mut Self, width: Operand, arrays: &[Name], map: &mut Lambda| {
            this.lambda(map, Some((width, arrays)));
            this.checks_of_lambda(width, arrays, map, certs, out);
        };
        match soac {
            Soac::Screma { width, arrays, map, scans, reduces, post } => {
                mapped(self, *width, arrays, map);
                let operators = scans.iter_mut().map(|s| &mut s.op).chain(reduces.iter_mut().map(|r| &mut r.op));
                operators.for_each(|op| self.lambda(op, None));
                if let Some(post) = post {
                    mapped(self, *width, &[], post);
                }
            }
            Soac::Filter { width, arrays, pred } => mapped(self, *width, arrays, pred),
            Soac::Scatter { width, arrays, map, dests: _ } => mapped(self, *width, arrays, map),
            Soac::Hist { width, arrays, map, ops } => {
                mapped(self, *width, arrays, map);
                ops.iter_mut().for_each(|op| self.lambda(&mut op.op, None));
            }
            Soac::WithAcc { inputs, body } => {
                for (op, _) in inputs.iter_mut().filter_map(|input| input.op.as_mut()) {
                    self.lambda(op, None);
                }
                self.lambda(body, None);
                self.checks_of_body_run_once(body, certs, out);
            }
            Soac::UpdateAcc { .. } => {}
        }
    }

    /// A loop, without the sizes that do not change.
    fn loop_(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        let Exp::Loop { params, form, body } = &mut stm.exp else { unreachable!("a loop") };
        let mark = self.facts.mark();
        let names: Vec<Param> = params.iter().map(|(p, _)| p.clone()).collect();
        self.facts.enter_loop(&names, form);
        let mut changing: FxHashSet<Name> = names.iter().map(|p| p.name).collect();
        if let LoopForm::For(i, ..) = form {
            changing.insert(*i);
        }
        self.repeated_body(body, changing);
        let mut fixed: Vec<(usize, Operand)> = Vec::new();
        for i in backward::sizes(&names) {
            let (param, init) = (Operand::Var(names[i].name), params[i].1);
            let next = body.results[i];
            let stays = |x: Operand| next == x || self.facts.prove_eq(next, x).is_proved();
            if (stays(param) || stays(init)) && self.log.fire("slice-loop-invariant") {
                fixed.push((i, init));
            }
        }
        self.facts.reset(mark);
        if !fixed.is_empty() {
            let known: Subst = fixed.iter().map(|(i, init)| (names[*i].name, *init)).collect();
            known.apply_to_body(body);
            self.fit(body, &fixed, &names, stm.loc);
            for (param, _) in params.iter_mut() {
                param.ty = known.ty(&param.ty);
            }
            self.drop_sizes(&mut stm.pat, &fixed);
            remove_places(params, &fixed);
        }
        self.checks_of_loop(params, form, body, &stm.certs, out);
        out.push(stm);
    }

    /// Makes the results of a body have sizes that are known outside it, in the place of those it yields. `pat` says
    /// what the results are called and which are the sizes of others; `fits` are the places of the sizes that are
    /// known. They are no longer results.
    fn fit(&mut self, body: &mut Body, fits: &[(usize, Operand)], pat: &[Param], loc: LocId) {
        let defs = backward::Defs::of(&body.stms);
        let mut own = Subst::new();
        let mut left_out: FxHashSet<usize> = FxHashSet::default();
        let mut differ: Vec<Name> = Vec::new();
        for (i, known) in fits {
            let have = body.results[*i];
            if have == *known {
                continue;
            }
            // The body's own computation of the size, if it is nothing else. Where the size is computed with, it stays:
            // `ir::facts` could prove less without its definition.
            let place = have.name().and_then(|name| defs.get(name));
            match (have, place) {
                (Operand::Var(name), Some(place))
                    if body.stms[place].pat.len() == 1
                        && backward::is_pure(&body.stms[place])
                        && !computes_with(name, body)
                        && left_out.insert(place) =>
                {
                    own.insert(name, *known);
                }
                _ => differ.push(pat[*i].name),
            }
        }
        if !left_out.is_empty() {
            remove_at(&mut body.stms, &left_out);
            own.apply_to_body(body);
        }
        let is_fit = |i: usize| fits.iter().any(|(j, _)| i == *j);
        if !differ.is_empty() {
            let mut known: Subst = pat.iter().map(|p| p.name).zip(body.results.iter().copied()).collect();
            for (i, x) in fits {
                known.insert(pat[*i].name, *x);
            }
            for (i, param) in pat.iter().enumerate() {
                if is_fit(i) || !kenaz_ir::infer::mentions(&param.ty, &differ) {
                    continue;
                }
                let Operand::Var(array) = body.results[i] else { continue };
                let fitted = Param::new(self.fresh.like(array), known.ty(&param.ty));
                body.results[i] = fitted.name.into();
                let exp = Exp::Resize(fitted.ty.dims().to_vec(), array);
                body.stms.push(Stm { pat: vec![fitted], certs: Vec::new(), attrs: Attrs::default(), exp, loc });
            }
        }
        remove_places(&mut body.results, fits);
    }

    /// Takes sizes that are known out of a pattern; from here on they are called as they are known.
    fn drop_sizes(&mut self, pat: &mut Vec<Param>, known: &[(usize, Operand)]) {
        let mut here = Subst::new();
        for (i, x) in known {
            if *x != Operand::Var(pat[*i].name) {
                here.insert(pat[*i].name, *x);
                self.subst.insert(pat[*i].name, *x);
            }
        }
        remove_places(pat, known);
        for param in pat {
            param.ty = here.ty(&param.ty);
        }
    }
}

/// Replaces names in a statement but not in the bodies inside it, which are looked at later.
struct Outside<'a>(&'a Subst);

impl VisitMut for Outside<'_> {
    fn operand(&mut self, operand: &mut Operand) {
        *operand = self.0.get(*operand);
    }

    fn name(&mut self, name: &mut Name) {
        if let Operand::Var(to) = self.0.get((*name).into()) {
            *name = to;
        }
    }

    fn body(&mut self, _: &mut Body) {}
}

/// Whether a body computes other scalars from one.
fn computes_with(name: Name, body: &Body) -> bool {
    struct Find(Name, bool);
    impl Visit for Find {
        fn exp(&mut self, exp: &Exp) {
            if effects::is_arithmetic(exp) {
                for_each_use(exp, |used| self.1 |= used == self.0);
            } else {
                walk::exp(self, exp);
            }
        }
    }
    let mut find = Find(name, false);
    find.body(body);
    find.1
}

fn remove_places<T>(items: &mut Vec<T>, places: &[(usize, Operand)]) {
    let mut i = 0;
    items.retain(|_| {
        i += 1;
        !places.iter().any(|(place, _)| *place == i - 1)
    });
}

fn remove_at(stms: &mut Vec<Stm>, places: &FxHashSet<usize>) {
    let mut i = 0;
    stms.retain(|_| {
        i += 1;
        !places.contains(&(i - 1))
    });
}

/// A statement without certificates and attributes.
fn plain(pat: Vec<Param>, exp: Exp, loc: LocId) -> Stm {
    Stm { pat, certs: Vec::new(), attrs: Attrs::default(), exp, loc }
}
