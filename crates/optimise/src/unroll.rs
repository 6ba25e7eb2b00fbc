//! Loops that are marked `#[unroll]`, written out.
//!
//! ```text
//! let s_9: i64 = #[unroll] loop (s_1: i64 = 0) for i_2 < 2i64 {       let t_10: i64 = add 0 0
//!   let t_3: i64 = add s_1 i_2                                   →    let t_11: i64 = add t_10 1
//!   in t_3                                                            … t_11 …
//! }
//! … s_9 …
//! ```
//!
//! The number of iterations must be a constant by now, so this comes when functions are inlined and constants are
//! folded; what depends on the index of an unrolled loop only is folded here, so that loops inside it can be unrolled
//! too. A loop that cannot be unrolled stays as it is, and the log says why. The rest is left to `simplify`.
//!
//! Linear in the size of the program and of what is written out, of which there is a most.

use kenaz_base::{Code, Prim, with_stack};
use kenaz_interp::constant;
use kenaz_ir::visit::{self, Subst, Visit, for_each_body_mut, walk};
use kenaz_ir::{Attr, Body, Exp, Fresh, Log, LoopForm, Operand, Param, Pass, PassCx, Prog, Refusal, Scalar, Stm, Type};

pub const PASS: Pass = Pass { name: "unroll", about: "writes out loops that are marked so", stage: None, run: unroll };

pub const RULES: &[&str] = &["unroll"];

/// No function gets more statements than this by unrolling.
const MOST: usize = 20_000;

pub fn unroll(prog: &mut Prog, cx: &mut PassCx) {
    let log = &mut cx.log;
    for fun in &mut prog.funs {
        let mut find = Find { found: false };
        find.fun(fun);
        if find.found {
            let mut unroller = Unroller { subst: Subst::new(), room: MOST, fresh: &mut prog.fresh, log };
            unroller.body(&mut fun.body, false);
        }
    }
}

fn is_marked(stm: &Stm) -> bool {
    matches!(stm.exp, Exp::Loop { .. }) && stm.attrs.has(Attr::Unroll)
}

struct Find {
    found: bool,
}

impl Visit for Find {
    fn stm(&mut self, stm: &Stm) {
        self.found |= is_marked(stm);
        walk::stm(self, stm);
    }
}

struct Unroller<'a> {
    /// What stands for the results of loops that are gone, and for what is constant in their iterations.
    subst: Subst,
    /// How many statements may still be added.
    room: usize,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

enum Work {
    /// Whether the statement comes from an unrolled loop.
    Stm(Box<Stm>, bool),
    Bind(Vec<Param>, Vec<Operand>),
}

impl Unroller<'_> {
    fn body(&mut self, body: &mut Body, copied: bool) {
        let mut work: Vec<Work> =
            std::mem::take(&mut body.stms).into_iter().rev().map(|stm| Work::Stm(Box::new(stm), copied)).collect();
        while let Some(item) = work.pop() {
            match item {
                Work::Bind(pat, operands) => {
                    for (param, operand) in pat.iter().zip(operands) {
                        let operand = self.subst.get(operand);
                        self.subst.insert(param.name, operand);
                    }
                }
                Work::Stm(mut stm, copied) => {
                    if !self.subst.is_empty() {
                        self.subst.apply_to_stm(&mut stm);
                    }
                    if is_marked(&stm) {
                        match self.written_out(&stm) {
                            Ok(Some(more)) => {
                                work.extend(more.into_iter().rev());
                                continue;
                            }
                            Ok(None) => {}
                            Err(reason) => {
                                let message = "an attribute that stands here is not obeyed";
                                let refusal = Refusal::new(Code::AttributeRefused, Attr::Unroll, stm.loc, message);
                                self.log.refuse(refusal.label(format!("`#[unroll]`: {reason}")));
                            }
                        }
                    }
                    if let ([param], true) = (&stm.pat[..], copied)
                        && let Some(value) = constant(&stm.exp)
                    {
                        self.subst.insert(param.name, Operand::Const(value));
                    }
                    with_stack(|| for_each_body_mut(&mut stm.exp, |body| self.body(body, copied)));
                    body.stms.push(*stm);
                }
            }
        }
        for result in &mut body.results {
            *result = self.subst.get(*result);
        }
    }

    /// The statements of all iterations, and what the results of the loop are; none without fuel. Or why not.
    fn written_out(&mut self, stm: &Stm) -> Result<Option<Vec<Work>>, &'static str> {
        let Exp::Loop { params, form, body } = &stm.exp else { return Ok(None) };
        let LoopForm::For(index, prim, Operand::Const(bound)) = form else {
            return Err("it is not known how often the loop runs");
        };
        let count = iterations(*prim, *bound);
        let size = usize::try_from(count).ok().and_then(|count| count.checked_mul(statements(body)));
        let Some(left) = size.and_then(|size| self.room.checked_sub(size)) else {
            return Err("there would be too many statements");
        };
        if !self.log.fire("unroll") {
            return Ok(None);
        }
        self.room = left;
        let (mut all, mut args): (Vec<Param>, Vec<Operand>) = params.iter().cloned().unzip();
        all.push(Param::new(*index, Type::Prim(*prim)));
        let mut work = Vec::new();
        for i in 0..count {
            args.push(Operand::Const(Scalar::from_bits(*prim, i)));
            let copy = visit::instantiate(&all, body, &args, self.fresh);
            work.extend(copy.stms.into_iter().map(|mut inner| {
                inner.certs.extend_from_slice(&stm.certs);
                Work::Stm(Box::new(inner), true)
            }));
            args = copy.results;
        }
        work.push(Work::Bind(stm.pat.clone(), args));
        Ok(Some(work))
    }
}

/// How often a loop runs whose index has this type.
fn iterations(prim: Prim, bound: Scalar) -> u64 {
    if prim.is_signed() { u64::try_from(bound.bits() as i64).unwrap_or(0) } else { bound.bits() }
}

/// How many statements a body has, those in bodies inside it included, and one more.
fn statements(body: &Body) -> usize {
    struct Count(usize);
    impl Visit for Count {
        fn stm(&mut self, stm: &Stm) {
            self.0 += 1;
            walk::stm(self, stm);
        }
    }
    let mut count = Count(1);
    count.body(body);
    count.0
}
