//! Statements. What the machine does for a program (memory, copies, checks, calls) is in `host`, and what several
//! threads do in `multicore`; here is what every language like C spells in the same way.

use super::exp::{self, Idents, Prec, Text, negated, plain};
use super::writer::Writer;
use crate::parts::Part;
use crate::uses::{loads, variables};
use kenaz_base::{Prim, with_stack};
use kenaz_imp::visit::for_each_stm;
use kenaz_imp::{Exp, Hint, Stm};
use kenaz_ir::{BinOp, Level, Name, Scalar};

fn has_loops(stms: &[Stm]) -> bool {
    let mut has_loops = false;
    for_each_stm(stms, &mut |stm| has_loops |= matches!(stm, Stm::For { .. } | Stm::While { .. }));
    has_loops
}

/// Whether C compilers may run iterations with this body in vectors: it computes and branches, but calls nothing that
/// they have no vectors for, and its own loops are short enough to be written out before.
fn may_be_vectors(body: &[Stm]) -> bool {
    const WRITTEN_OUT: u64 = 16;
    let mut may = true;
    for_each_stm(body, &mut |stm| {
        may &= match stm {
            Stm::Let { .. } | Stm::Declare { .. } | Stm::Set { .. } | Stm::Store { .. } | Stm::If { .. } => true,
            Stm::For { bound: Exp::Const(bound), .. } => bound.bits() <= WRITTEN_OUT,
            _ => false,
        };
        stm.for_each_exp(|exp| {
            exp.walk(&mut |part| {
                may &= match part {
                    Exp::Math(f, prim, _) => f.is_instruction(*prim),
                    Exp::Bin(BinOp::Pow, ..) => false,
                    _ => true,
                };
            });
        });
    });
    may
}

impl Writer<'_> {
    /// The statements of a scope of their own.
    pub(crate) fn scope(&mut self, stms: &[Stm]) {
        self.scopes.enter();
        self.apart(|w| w.stms(stms));
        self.scopes.leave();
    }

    pub(crate) fn stms(&mut self, stms: &[Stm]) {
        with_stack(|| {
            let mut done = 0;
            for (i, stm) in stms.iter().enumerate() {
                if i < done {
                    continue;
                }
                let together = self.stores_together(&stms[i..]);
                if together > 0 {
                    self.by_first_lane(&stms[i..i + together]);
                    done = i + together;
                    continue;
                }
                if let Stm::Declare { name, ty } = stm
                    && is_first_set_in(*name, &stms[i + 1..])
                {
                    self.late.insert(*name, *ty);
                } else {
                    self.stm(stm);
                }
            }
        });
    }

    pub(crate) fn stm(&mut self, stm: &Stm) {
        self.note_loads(stm);
        match stm {
            Stm::Let { name, prim, value } => {
                if self.uses.is_live(*name) {
                    let value = plain(self, value);
                    let ident = self.scopes.declare(*name);
                    self.lines.line(format!("{} {ident} = {value};", self.type_of(*name, *prim)));
                }
            }
            Stm::Declare { name, ty } => {
                if self.is_wanted(*name) {
                    let left = self.declare(*name, *ty);
                    self.lines.line(format!("{left};"));
                }
            }
            Stm::Set { name, value } => self.set(*name, value),
            Stm::SetBlock { name, from } => self.set_block(*name, *from),
            Stm::Alloc { name, space, bytes } => self.alloc(*name, *space, bytes),
            Stm::Local { name, prim, len } | Stm::PerLane { name, prim, len } => self.local(*name, *prim, *len),
            Stm::Table { name, prim, values } => {
                if self.uses.is_live(*name) {
                    let table = self.tables.name(self.needs, self.is_kernel(), *prim, values);
                    self.pointers.insert(*name, Some(*prim));
                    self.private.insert(*name);
                    if self.is_kernel() {
                        // A pointer to it would need a space of memory of its own.
                        self.scopes.rename(*name, table);
                    } else {
                        let ident = self.scopes.declare(*name);
                        self.lines.line(format!("const {} *const {ident} = {table};", self.element(*prim)));
                    }
                }
            }
            Stm::Free { name } => self.free(*name),
            Stm::Share { name, from } => self.share(*name, *from),
            Stm::Workers { name } => self.workers(*name),
            Stm::Width { name, shares } => self.width(*name, shares),
            Stm::Tunable { name, of } => self.tunable(*name, of),
            Stm::Shared { name, offset } => self.shared_block(*name, offset),
            Stm::Lanes { lane, body, .. } => self.lanes(*lane, body),
            Stm::Combine { values, busy, prefixes, body } => self.combine(values, busy, *prefixes, body),
            Stm::Board { name, words } => self.board(*name, words),
            Stm::Take { number, turn, board } => self.take(*number, *turn, *board),
            Stm::Publish { board, turn, at, values } => self.publish(*board, turn, at, values),
            Stm::Await { names, board, turn, at } => self.wait(names, *board, turn, at),
            Stm::Slot { name, from, offset } => self.slot(*name, *from, offset),
            Stm::Store { block, prim, index, value } => {
                let left = format!("{}[{}]", self.elements(*block, *prim), exp::index(self, index).text);
                let same = Exp::Load { block: *block, prim: *prim, index: Box::new(index.clone()) };
                self.assign(&left, &same, value);
            }
            Stm::Race { block, prim, index, value } => self.race(*block, *prim, index, value),
            Stm::Update { cells, lock, body } => self.update(cells, lock.as_ref(), body),
            Stm::Copy { prim, sizes, to, from } => self.copy(*prim, sizes, to, from),
            Stm::Streams { name, bytes } => self.streams(*name, bytes),
            Stm::Stream { block, prim, index, from, .. } => self.stream(*block, *prim, index, *from),
            Stm::Chunks { name, level: Level::Core, iterations, work, uneven, .. } => {
                self.chunks(*name, iterations, work, *uneven);
            }
            Stm::Chunks { name, level: Level::Block, iterations, combined, .. } => {
                self.block_count(*name, iterations, *combined);
            }
            Stm::Chunks { name, iterations, work, uneven, combined, .. } => {
                self.device_chunks(*name, iterations, work, *uneven, *combined);
            }
            Stm::Read { name, block, prim, index } => self.read(*name, *block, *prim, index),
            Stm::Write { block, prim, index, value } => self.write_far(*block, *prim, index, value),
            Stm::Parallel { .. } => panic!("a parallel loop is no region"),
            Stm::Launch { region, args, iterations, count, lanes } => {
                self.launch(*region, args, iterations, count, lanes.as_ref());
            }
            Stm::For { var, prim, bound, hint, body } => self.repeat(*var, *prim, bound, *hint, body),
            Stm::While { cond, body } => {
                self.lines.open(format!("while ({}) {{", plain(self, cond)));
                self.scope(body);
                self.lines.close("}");
            }
            Stm::If { cond, yes, no } => self.branch(cond, yes, no),
            Stm::Switch { on, cases, default } => self.switch(on, cases, default),
            Stm::Call { fun, args, results } => self.call(*fun, args, results),
            Stm::Assert { cond, message, loc } => self.assert(cond, message, *loc),
            Stm::Trace { tag, value } => self.trace(*tag, value),
        }
    }

    fn local(&mut self, name: Name, prim: Prim, len: u64) {
        if self.uses.is_live(name) {
            let ident = self.scopes.declare(name);
            self.pointers.insert(name, Some(prim));
            self.private.insert(name);
            self.lines.line(format!("{} {ident}[{}];", self.element(prim), len.max(1)));
        }
    }

    pub(crate) fn repeat(&mut self, var: Name, prim: Prim, bound: &Exp, hint: Hint, body: &[Stm]) {
        if matches!(bound, Exp::Const(c) if c.bits() == 0) {
            return;
        }
        // The bound is what it was before the loop.
        let mut limit = exp::exp(self, bound);
        let mut mutable = Vec::new();
        variables(bound, &mut mutable);
        mutable.retain(|name| self.uses.sets.contains_key(name));
        if loads(bound) || !mutable.is_empty() {
            let name = self.scopes.fresh("end");
            self.lines.line(format!("{} {name} = {};", self.ty(prim), limit.text));
            limit = Text::atom(name);
        }
        self.scopes.enter();
        if self.is_kernel() && hint.unroll {
            self.lines.line("KZ_WRITE_OUT");
        } else if self.is_of_lane() && !matches!(bound, Exp::Const(_)) && !has_loops(body) {
            self.lines.line("KZ_LANE_LOOP");
        }
        let hint = if self.is_kernel() { Hint::default() } else { hint };
        let hints = [(hint.independent, "KZ_INDEPENDENT"), (hint.unroll, "KZ_UNROLL"), (hint.lanes, "KZ_LANES")];
        for (_, word) in hints.into_iter().filter(|(is_given, _)| *is_given) {
            self.lines.line(self.needs.name(Part::Hints, word));
        }
        let body = match self.shifted(var, prim, body) {
            Some((start, index, rest)) => {
                let first = self.scalar(start).text;
                let i = self.scopes.declare(index);
                let limit = limit.at(Prec::Product);
                self.lines.open(format!("for (int64_t {i} = {first}; {i} < {first} + {limit}; {i}++) {{"));
                rest
            }
            None => {
                let (ty, i) = (self.type_of(var, prim), self.scopes.declare(var));
                self.lines.open(format!("for ({ty} {i} = 0; {i} < {}; {i}++) {{", limit.at(Prec::Sum)));
                body
            }
        };
        let is_outermost = std::mem::replace(&mut self.is_chunk, false);
        let around = self.in_vectors;
        self.in_vectors |= may_be_vectors(body);
        if is_outermost && self.can_fail(body) {
            self.leave_if_stopped();
        }
        if hint.few {
            self.lines.line(self.needs.name(Part::Few, "KZ_ONE_BY_ONE"));
        }
        self.again(body);
        self.is_chunk = is_outermost;
        self.in_vectors = around;
        self.lines.close("}");
        self.scopes.leave();
    }

    /// Of the iterations of a chunk, of which only the number in the whole loop is of interest: the number of the
    /// first, the variable that has it, and the statements that use it.
    pub(crate) fn shifted<'s>(&self, var: Name, prim: Prim, body: &'s [Stm]) -> Option<(Name, Name, &'s [Stm])> {
        let (Stm::Let { name, prim: Prim::I64, value: Exp::Add(x, y) }, rest) = body.split_first()? else {
            return None;
        };
        let (Exp::Var(x, _), Exp::Var(y, _)) = (&**x, &**y) else { return None };
        let start = if *y == var { *x } else { *y };
        let is_sum = [*x, *y].contains(&var) && start != var && prim == Prim::I64;
        let is_fixed = !self.uses.sets.contains_key(&start) && !self.direct.contains(&start);
        let mut is_used = false;
        for_each_stm(rest, &mut |stm| {
            stm.for_each_exp(|exp| exp.walk(&mut |part| is_used |= matches!(part, Exp::Var(name, _) if *name == var)));
        });
        (self.is_chunk && is_sum && is_fixed && !is_used && self.uses.is_live(*name)).then_some((start, *name, rest))
    }

    /// Whether statements may leave the function with an error.
    pub(crate) fn can_fail(&self, stms: &[Stm]) -> bool {
        let mut can_fail = false;
        for_each_stm(stms, &mut |stm| {
            can_fail |= match stm {
                Stm::Alloc { .. } | Stm::Assert { .. } => true,
                Stm::Call { fun, .. } => self.summaries[fun].fails,
                Stm::Launch { region, .. } => self.regions[region].fails(),
                Stm::Read { .. } | Stm::Write { .. } => true,
                _ => false,
            };
        });
        can_fail
    }

    pub(crate) fn branch(&mut self, cond: &Exp, yes: &[Stm], no: &[Stm]) {
        match (self.is_empty(yes), self.is_empty(no)) {
            (true, true) => return,
            (true, false) => {
                self.lines.open(format!("if ({}) {{", negated(self, cond).text));
                self.scope(no);
                self.lines.close("}");
                return;
            }
            (false, _) => {}
        }
        self.lines.open(format!("if ({}) {{", plain(self, cond)));
        self.scope(yes);
        let (mut rest, mut depth) = (no, 0);
        // A chain of conditions stays flat.
        while let [Stm::If { cond, yes, no }] = rest
            && !self.is_empty(yes)
            && depth < 1000
        {
            self.lines.between(format!("}} else if ({}) {{", plain(self, cond)));
            self.scope(yes);
            rest = no;
            depth += 1;
        }
        if !self.is_empty(rest) {
            self.lines.between("} else {");
            self.scope(rest);
        }
        self.lines.close("}");
    }

    /// Whether nothing would be written for statements.
    pub(crate) fn is_empty(&self, stms: &[Stm]) -> bool {
        stms.iter().all(|stm| match stm {
            Stm::Let { name, .. } | Stm::Declare { name, .. } | Stm::Set { name, .. } | Stm::SetBlock { name, .. } => {
                !self.is_wanted(*name)
            }
            Stm::If { yes, no, .. } => with_stack(|| self.is_empty(yes) && self.is_empty(no)),
            _ => false,
        })
    }

    pub(crate) fn switch(&mut self, on: &Exp, cases: &[(Scalar, Vec<Stm>)], default: &[Stm]) {
        self.lines.line(format!("switch ({}) {{", plain(self, on)));
        for (value, body) in cases {
            self.lines.open(format!("case {}: {{", exp::constant(self.needs, *value).text));
            self.scope(body);
            self.lines.line("break;");
            self.lines.close("}");
        }
        self.lines.open("default: {");
        self.scope(default);
        self.lines.line("break;");
        self.lines.close("}");
        self.lines.line("}");
    }
}

/// Statements are searched for the first one that sets a variable no further than this.
const NEAR: usize = 32;

/// Whether the next statement that mentions a variable sets it, so that it can be declared there.
fn is_first_set_in(name: Name, stms: &[Stm]) -> bool {
    for stm in stms.iter().take(NEAR) {
        let sets = match stm {
            Stm::Set { name: set, value } => {
                let mut names = Vec::new();
                variables(value, &mut names);
                *set == name && !names.contains(&name)
            }
            Stm::SetBlock { name: set, .. } => *set == name,
            Stm::Call { results, .. } => results.contains(&name),
            _ => false,
        };
        if sets {
            return true;
        }
        if !matches!(stm, Stm::Declare { .. }) && mentions(stm, name) {
            return false;
        }
    }
    false
}

fn mentions(stm: &Stm, name: Name) -> bool {
    match stm {
        // Statements with bodies or many operands are not searched: they count as mentioning every name.
        Stm::For { .. } | Stm::While { .. } | Stm::If { .. } | Stm::Switch { .. } | Stm::Trace { .. } => true,
        Stm::Chunks { .. } | Stm::Parallel { .. } | Stm::Launch { .. } | Stm::Race { .. } => true,
        Stm::Tunable { .. } | Stm::Update { .. } => true,
        Stm::Combine { .. } | Stm::Board { .. } | Stm::Take { .. } | Stm::Publish { .. } | Stm::Await { .. } => true,
        Stm::Read { .. } | Stm::Write { .. } | Stm::Width { .. } | Stm::Shared { .. } | Stm::Lanes { .. } => true,
        Stm::Streams { .. } | Stm::Stream { .. } | Stm::Workers { .. } | Stm::Slot { .. } => true,
        Stm::Declare { .. } | Stm::Local { .. } | Stm::PerLane { .. } | Stm::Table { .. } => false,
        Stm::Let { value, .. } | Stm::Set { value, .. } | Stm::Alloc { bytes: value, .. } => {
            let mut names = Vec::new();
            variables(value, &mut names);
            names.contains(&name) || loads(value)
        }
        Stm::SetBlock { name: a, from: b } | Stm::Share { name: a, from: b } => *a == name || *b == name,
        Stm::Free { name: a } => *a == name,
        Stm::Store { .. } | Stm::Copy { .. } | Stm::Call { .. } | Stm::Assert { .. } => true,
    }
}
