//! Scalars that nobody looks at: the fields of the constructors that a value of a sum type is not.
//!
//! ```text
//! let b_1: f32 = scratch [] f32
//! let x_2: f32 = if c_0 then { in b_1 } else { in y_9 }       →    … y_9 …
//! … x_2 …
//! ```
//!
//! Such a scalar may be anything. As the result of a branch it is what the other branches give, if that comes from
//! outside, so that nothing has to be chosen; all that are left are zero. This comes after `branches`, which tells
//! which constructor there is where, and so which fields are looked at.
//!
//! What leaves a function or becomes an element of an array stays zero, so that the same value always has the same
//! bytes, whoever made it.
//!
//! Linear in the size of the program.

use kenaz_base::with_stack;
use kenaz_ir::visit::{self, Subst, Visit, VisitMut, walk, walk_mut};
use kenaz_ir::{Body, Exp, Log, Name, Operand, Param, Pass, PassCx, Prog, Scalar, Soac, Stm, Type, effects};
use rustc_hash::{FxHashMap, FxHashSet};

pub const PASS: Pass =
    Pass { name: "blanks", about: "gives a value to scalars that nobody looks at", stage: None, run };

pub const RULES: &[&str] = &["blank", "branch-blank"];

fn run(prog: &mut Prog, cx: &mut PassCx) {
    for fun in &mut prog.funs {
        if !effects::any(&fun.body, |stm| matches!(&stm.exp, Exp::Scratch(dims, _) if dims.is_empty())) {
            continue;
        }
        let kept = Flow::of(&fun.body);
        Walk { kept, blank: FxHashSet::default(), subst: Subst::new(), log: &mut cx.log }.body(&mut fun.body);
    }
}

struct Walk<'a> {
    /// The scalars that stay what they are.
    kept: FxHashSet<Name>,
    blank: FxHashSet<Name>,
    /// What stands for results that are gone.
    subst: Subst,
    log: &'a mut Log,
}

impl VisitMut for Walk<'_> {
    fn operand(&mut self, operand: &mut Operand) {
        *operand = self.subst.get(*operand);
    }

    fn name(&mut self, name: &mut Name) {
        if let Operand::Var(to) = self.subst.get((*name).into()) {
            *name = to;
        }
    }

    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            for mut stm in std::mem::take(&mut body.stms) {
                match (&stm.exp, &stm.pat[..]) {
                    (Exp::Scratch(dims, _), [param]) if dims.is_empty() => {
                        self.blank.insert(param.name);
                    }
                    _ => walk_mut::stm(self, &mut stm),
                }
                self.choices(&mut stm);
                if let Exp::Scratch(dims, prim) = &stm.exp
                    && dims.is_empty()
                    && self.log.fire("blank")
                {
                    stm.exp = Exp::Operand(Operand::Const(Scalar::zero(*prim)));
                }
                body.stms.push(stm);
            }
            for result in &mut body.results {
                self.operand(result);
            }
        });
    }
}

impl Walk<'_> {
    /// Takes the results of a branch away that need not be chosen.
    fn choices(&mut self, stm: &mut Stm) {
        let mut bodies: Vec<&mut Body> = match &mut stm.exp {
            Exp::If(_, yes, no) => vec![yes, no],
            Exp::Match(_, cases, default) => cases.iter_mut().map(|(_, body)| body).chain([default]).collect(),
            _ => return,
        };
        for i in (0..stm.pat.len()).rev() {
            if !matches!(stm.pat[i].ty, Type::Prim(_)) || self.kept.contains(&stm.pat[i].name) {
                continue;
            }
            let is_blank = |x: Operand| x.name().is_some_and(|name| self.blank.contains(&name));
            if bodies.iter().all(|body| is_blank(body.results[i])) {
                self.blank.insert(stm.pat[i].name);
                continue;
            }
            if !bodies.iter().any(|body| is_blank(body.results[i])) {
                continue;
            }
            let mut others = bodies.iter().filter(|body| !is_blank(body.results[i]));
            let Some(x) = others.next().and_then(|body| from_outside(body, body.results[i])) else { continue };
            if others.all(|body| body.results[i] == x) && self.log.fire("branch-blank") {
                bodies.iter_mut().for_each(|body| {
                    body.results.remove(i);
                });
                let gone = stm.pat.remove(i);
                self.subst.insert(gone.name, x);
            }
        }
    }
}

/// From which scalars others come without being computed.
#[derive(Default)]
struct Flow {
    from: FxHashMap<Name, Vec<Name>>,
    /// Those that leave the function or become elements.
    leaving: Vec<Name>,
}

impl Flow {
    /// All scalars of the body of a function that others may look at.
    fn of(body: &Body) -> FxHashSet<Name> {
        let mut flow = Flow::default();
        flow.leave(&body.results);
        flow.body(body);
        let mut all: FxHashSet<Name> = FxHashSet::default();
        while let Some(name) = flow.leaving.pop() {
            if all.insert(name) {
                flow.leaving.extend(flow.from.get(&name).into_iter().flatten());
            }
        }
        all
    }

    fn leave(&mut self, operands: &[Operand]) {
        self.leaving.extend(operands.iter().filter_map(|x| x.name()));
    }

    fn flow<'p>(&mut self, from: &[Operand], to: impl IntoIterator<Item = &'p Param>) {
        for (x, param) in from.iter().zip(to) {
            self.from.entry(param.name).or_default().extend(x.name());
        }
    }

    /// The results of functions of operators: those that are combined go on to what they are combined to.
    fn operator(&mut self, stm: &Stm, soac: &Soac) {
        let Soac::Screma { map, scans, reduces, post: None, .. } = soac else {
            visit::for_each_lambda(&stm.exp, |lambda| self.leave(&lambda.body.results));
            return;
        };
        let scanned: usize = scans.iter().map(|scan| scan.neutral.len()).sum();
        let mut at = scanned;
        for reduce in reduces {
            let count = reduce.neutral.len();
            let (left, right) = reduce.op.params.split_at(count);
            let pat = &stm.pat[at..at + count];
            for to in [left, pat] {
                self.flow(&reduce.neutral, to);
                self.flow(&reduce.op.body.results, to);
            }
            self.flow(&map.body.results[at..at + count], right);
            self.flow(&map.body.results[at..at + count], left);
            at += count;
        }
        self.leave(&map.body.results[..scanned]);
        self.leave(&map.body.results[at..]);
        scans.iter().for_each(|scan| self.leave(&scan.op.body.results));
    }
}

impl Visit for Flow {
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::If(_, yes, no) => [yes, no].iter().for_each(|body| self.flow(&body.results, &stm.pat)),
            Exp::Match(_, cases, default) => {
                let bodies = cases.iter().map(|(_, body)| body).chain([default]);
                bodies.for_each(|body| self.flow(&body.results, &stm.pat));
            }
            Exp::Loop { params, body, .. } => {
                let (params, inits): (Vec<&Param>, Vec<Operand>) = params.iter().map(|(p, x)| (p, *x)).unzip();
                for from in [&inits, &body.results] {
                    self.flow(from, params.iter().copied());
                    self.flow(from, &stm.pat);
                }
                let names: Vec<Operand> = params.iter().map(|p| p.name.into()).collect();
                self.flow(&names, &stm.pat);
            }
            Exp::Operand(x) => self.flow(&[*x], &stm.pat),
            Exp::Soac(soac) => self.operator(stm, soac),
            Exp::Un(..) | Exp::Bin(..) | Exp::Cmp(..) | Exp::Conv(..) | Exp::Math(..) | Exp::Index(..) => {}
            // Whoever gets it may look at it.
            exp => visit::for_each_use(exp, |name| self.leaving.push(name)),
        }
        walk::stm(self, stm);
    }
}

/// A result of a body that is known outside of it.
fn from_outside(body: &Body, x: Operand) -> Option<Operand> {
    let is_inside = |name: Name| body.stms.iter().flat_map(|stm| &stm.pat).any(|p| p.name == name);
    x.name().is_none_or(|name| !is_inside(name)).then_some(x)
}
