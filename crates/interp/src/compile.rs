//! From programs to instructions.
//!
//! A body is compiled from its last statement to its first, with the set of slots that are still needed. A statement
//! that uses an array for the last time takes it, or is followed by a `Kill`, so that an array which nobody can use any
//! more has no owner and its buffer can be updated in place. Bodies that run more than once need, up to their end, all
//! that they use from outside.

mod control;
mod exp;
mod par;
mod scalar;
mod soac;

use crate::code::{ArrayOp, Compiled, Inst, MessageCode, Place, Reg, Routine, Signature, Slot};
use kenaz_base::{Prim, Symbol};
use kenaz_ir::visit::{self, Visit};
use kenaz_ir::{Body, Exp, Fun, LocId, Locs, LoopForm, Name, Operand, Param, Prog, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What to compile besides the program itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Count what is executed, see [`crate::Run::counts`].
    pub count: bool,
    /// Do one iteration after the other, as a reference for those that are done together.
    pub scalar_only: bool,
}

/// Compiles a program that the checker of the array stage or of the parallel stage accepts.
pub fn compile(prog: &Prog, options: Options) -> Compiled {
    let mut compiler = Compiler {
        out: Compiled {
            code: Vec::new(),
            places: Vec::new(),
            ones: Vec::new(),
            twos: Vec::new(),
            threes: Vec::new(),
            pool: Vec::new(),
            ops: Vec::new(),
            vectors: Vec::new(),
            messages: Vec::new(),
            labels: Vec::new(),
            registers: Vec::new(),
            slots: 0,
            builders: 0,
            routines: Vec::new(),
            by_name: FxHashMap::default(),
            locs: prog.locs.clone(),
        },
        vars: FxHashMap::default(),
        constants: FxHashMap::default(),
        functions: FxHashMap::default(),
        binary_functions: FxHashMap::default(),
        labels: FxHashMap::default(),
        options,
    };
    for fun in &prog.funs {
        compiler.fun(fun);
    }
    compiler.out
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug)]
enum Var {
    Scalar(Reg, Prim),
    Array(Slot, Prim),
    Cert(Reg),
    Acc { token: Name },
}

/// The slots that are needed later.
type Live = FxHashSet<Slot>;

struct Compiler {
    out: Compiled,
    vars: FxHashMap<Name, Var>,
    /// The registers of constants, by their bits.
    constants: FxHashMap<u64, Reg>,
    /// The numbers of functions in the tables.
    functions: FxHashMap<usize, u16>,
    binary_functions: FxHashMap<usize, u16>,
    labels: FxHashMap<String, u32>,
    options: Options,
}

/// A sequence of instructions and their places in the program text.
#[derive(Clone, Debug, Default)]
struct Code {
    insts: Vec<Inst>,
    places: Vec<LocId>,
}

impl Code {
    fn push(&mut self, inst: Inst, loc: LocId) {
        self.insts.push(inst);
        self.places.push(loc);
    }

    fn append(&mut self, other: Code) {
        self.insts.extend(other.insts);
        self.places.extend(other.places);
    }

    fn kill(&mut self, slots: impl IntoIterator<Item = Slot>, loc: LocId) {
        for a in slots {
            self.push(Inst::Kill { a }, loc);
        }
    }

    fn len(&self) -> i32 {
        i32::try_from(self.insts.len()).expect("more than 2^31 instructions")
    }
}

/// What is around the expression of a statement.
struct Context<'a> {
    loc: LocId,
    pat: &'a [Param],
    /// The names that are live after the statement, without those that it binds.
    live: &'a Live,
    /// The names that the expression uses for the last time.
    dying: Live,
    /// Those of them that the instructions have given up already.
    taken: Live,
    /// All that the expression uses.
    used: Live,
}

impl Context<'_> {
    /// Whether the expression may take the array out of its slot now.
    fn take(&mut self, slot: Slot) -> bool {
        self.dying.contains(&slot) && self.taken.insert(slot)
    }
}

impl Compiler {
    fn fun(&mut self, fun: &Fun) {
        struct Binders<'a>(&'a mut Compiler);
        impl Visit for Binders<'_> {
            fn param(&mut self, param: &Param) {
                self.0.bind(param.name, &param.ty);
            }
            fn exp(&mut self, exp: &Exp) {
                if let Exp::Loop { form: LoopForm::For(name, prim, _), .. } = exp {
                    self.0.bind(*name, &Type::Prim(*prim));
                }
                if let Exp::Par(par) = exp {
                    par.space.iter().for_each(|(i, _)| self.0.bind(*i, &Type::I64));
                }
                visit::walk::exp(self, exp);
            }
        }
        Binders(self).fun(fun);
        let params: Vec<Place> = fun.params.iter().map(|p| self.place(p.name)).collect();
        let results: Vec<Place> = fun.results.iter().map(|p| self.temp(&p.ty)).collect();
        let (body, live) = self.body(&fun.body, &results, &Live::default(), fun.loc);
        let mut code = Code::default();
        code.kill(unused(&params, &live), fun.loc);
        code.append(body);
        code.push(Inst::Return, fun.loc);
        let start = u32::try_from(self.out.code.len()).expect("more than 2^32 instructions");
        self.out.code.extend(code.insts);
        self.out.places.extend(code.places);
        self.out.by_name.insert(fun.name, self.out.routines.len());
        let signature = Signature {
            name: fun.name,
            entry: fun.entry.clone(),
            params: fun.params.clone(),
            results: fun.results.clone(),
        };
        self.out.routines.push(Routine { start, params, results, signature });
    }

    fn bind(&mut self, name: Name, ty: &Type) {
        let var = match ty {
            Type::Prim(prim) => Var::Scalar(self.reg(), *prim),
            Type::Array(_, prim) => Var::Array(self.slot(), *prim),
            Type::Cert | Type::Mem(_) => Var::Cert(self.reg()),
            Type::Acc { token, .. } => Var::Acc { token: *token },
        };
        self.vars.insert(name, var);
    }

    fn reg(&mut self) -> Reg {
        self.out.registers.push(0);
        Reg::try_from(self.out.registers.len() - 1).expect("more than 2^32 registers")
    }

    fn slot(&mut self) -> Slot {
        self.out.slots += 1;
        self.out.slots - 1
    }

    fn temp(&mut self, ty: &Type) -> Place {
        match ty {
            Type::Prim(_) | Type::Cert | Type::Mem(_) => Place::Reg(self.reg()),
            Type::Array(..) => Place::Slot(self.slot()),
            Type::Acc { .. } => Place::Nowhere,
        }
    }

    fn constant(&mut self, bits: u64) -> Reg {
        if let Some(reg) = self.constants.get(&bits) {
            return *reg;
        }
        let reg = self.reg();
        self.out.registers[reg as usize] = bits;
        self.constants.insert(bits, reg);
        reg
    }

    fn var(&self, name: Name) -> Var {
        *self.vars.get(&name).unwrap_or_else(|| panic!("`{name}` is used but not bound"))
    }

    fn place(&self, name: Name) -> Place {
        match self.var(name) {
            Var::Scalar(reg, _) | Var::Cert(reg) => Place::Reg(reg),
            Var::Array(slot, _) => Place::Slot(slot),
            Var::Acc { .. } => Place::Nowhere,
        }
    }

    fn operand(&mut self, x: Operand) -> Place {
        match x {
            Operand::Var(name) => self.place(name),
            Operand::Const(scalar) => Place::Reg(self.constant(scalar.bits())),
        }
    }

    fn scalar(&mut self, x: Operand) -> Reg {
        match self.operand(x) {
            Place::Reg(reg) => reg,
            Place::Slot(_) | Place::Nowhere => panic!("`{x:?}` is not a scalar"),
        }
    }

    fn scalars(&mut self, xs: &[Operand]) -> Vec<Reg> {
        xs.iter().map(|x| self.scalar(*x)).collect()
    }

    /// The type of a scalar, or of the elements of an array.
    fn prim(&self, x: Operand) -> Prim {
        match x {
            Operand::Const(scalar) => scalar.prim(),
            Operand::Var(name) => match self.var(name) {
                Var::Scalar(_, prim) | Var::Array(_, prim) => prim,
                Var::Cert(_) | Var::Acc { .. } => panic!("`{name}` has no primitive type"),
            },
        }
    }

    fn array(&self, name: Name) -> (Slot, Prim) {
        match self.var(name) {
            Var::Array(slot, prim) => (slot, prim),
            Var::Scalar(..) | Var::Cert(_) | Var::Acc { .. } => panic!("`{name}` is not an array"),
        }
    }

    /// The arrays among these names.
    fn slots(&self, names: impl IntoIterator<Item = Name>) -> Live {
        names
            .into_iter()
            .filter_map(|name| match self.var(name) {
                Var::Array(slot, _) => Some(slot),
                Var::Scalar(..) | Var::Cert(_) | Var::Acc { .. } => None,
            })
            .collect()
    }

    /// The instructions of a body that leaves its results in the given places, and what it needs from before.
    fn body(&mut self, body: &Body, dests: &[Place], live: &Live, loc: LocId) -> (Code, Live) {
        let moves: Vec<(Place, Operand)> = dests.iter().copied().zip(body.results.iter().copied()).collect();
        let end = self.moves(&moves, live, &mut Live::default(), loc);
        let mut live = live.clone();
        live.extend(self.slots(body.results.iter().filter_map(|x| x.name())));
        self.body_before(body, end, live)
    }

    /// The statements of a body, followed by instructions that need what is live.
    fn body_before(&mut self, body: &Body, end: Code, mut live: Live) -> (Code, Live) {
        kenaz_base::with_stack(|| {
            let mut chunks = vec![end];
            for stm in body.stms.iter().rev() {
                chunks.push(self.stm(stm, &mut live));
            }
            let mut code = Code::default();
            chunks.into_iter().rev().for_each(|chunk| code.append(chunk));
            (code, live)
        })
    }

    fn stm(&mut self, stm: &Stm, live: &mut Live) -> Code {
        let bound: Vec<Place> = stm.pat.iter().map(|p| self.place(p.name)).collect();
        let unused = unused(&bound, live);
        for place in &bound {
            if let Place::Slot(slot) = place {
                live.remove(slot);
            }
        }
        // Branches say themselves what they use, lest everything is visited again at each level of nesting.
        let used = match &stm.exp {
            Exp::If(..) | Exp::Match(..) => Live::default(),
            exp => self.slots(visit::free_in_exp(exp)),
        };
        let dying = used.difference(live).copied().collect();
        let mut cx = Context { loc: stm.loc, pat: &stm.pat, live, dying, taken: Live::default(), used };
        let mut code = Code::default();
        if self.options.count {
            self.count(&stm.exp, &mut code, stm.loc);
        }
        code.append(self.exp(&stm.exp, &mut cx));
        let mut rest: Vec<Slot> = cx.dying.difference(&cx.taken).copied().collect();
        rest.sort_unstable();
        code.kill(rest, stm.loc);
        code.kill(unused, stm.loc);
        let used = cx.used;
        live.extend(used);
        code
    }

    /// Moves values to places, all at once. Arrays that are not live afterwards are taken and noted so.
    fn moves(&mut self, moves: &[(Place, Operand)], live: &Live, taken: &mut Live, loc: LocId) -> Code {
        let moves: Vec<(Place, Place)> = moves.iter().map(|(d, x)| (*d, self.operand(*x))).collect();
        let last_use = |i: usize, slot: Slot| moves[i + 1..].iter().all(|(_, a)| *a != Place::Slot(slot));
        let clash = moves
            .iter()
            .enumerate()
            .any(|(i, (_, a))| *a != Place::Nowhere && moves.iter().enumerate().any(|(j, (d, _))| j != i && d == a));
        let (mut first, mut second) = (Code::default(), Code::default());
        for (i, &(d, a)) in moves.iter().enumerate() {
            match (d, a) {
                (Place::Reg(d), Place::Reg(a)) if d != a => {
                    if clash {
                        let t = self.reg();
                        first.push(Inst::Move { d: t, a }, loc);
                        second.push(Inst::Move { d, a: t }, loc);
                    } else {
                        first.push(Inst::Move { d, a }, loc);
                    }
                }
                (Place::Slot(d), Place::Slot(a)) if d != a || clash => {
                    let t = if clash { self.slot() } else { d };
                    if last_use(i, a) && !live.contains(&a) {
                        taken.insert(a);
                        first.push(Inst::Take { d: t, a }, loc);
                    } else {
                        first.push(Inst::Alias { d: t, a }, loc);
                    }
                    if clash {
                        second.push(Inst::Take { d, a: t }, loc);
                    }
                }
                (Place::Reg(_), Place::Reg(_))
                | (Place::Slot(_), Place::Slot(_))
                | (Place::Nowhere, Place::Nowhere) => {}
                (Place::Reg(_) | Place::Slot(_) | Place::Nowhere, _) => panic!("a scalar where an array is needed"),
            }
        }
        first.append(second);
        first
    }

    /// Moves between places of which nothing is needed afterwards but the destinations.
    fn hand_over(&mut self, moves: impl IntoIterator<Item = (Place, Place)>, code: &mut Code, loc: LocId) {
        for (d, a) in moves {
            match (d, a) {
                (Place::Reg(d), Place::Reg(a)) => code.push(Inst::Move { d, a }, loc),
                (Place::Slot(d), Place::Slot(a)) => code.push(Inst::Take { d, a }, loc),
                (Place::Nowhere, Place::Nowhere) => {}
                (Place::Reg(_) | Place::Slot(_) | Place::Nowhere, _) => panic!("a scalar where an array is needed"),
            }
        }
    }

    fn op(&mut self, op: ArrayOp) -> Inst {
        self.out.ops.push(op);
        Inst::Array { id: u32::try_from(self.out.ops.len() - 1).expect("more than 2^32 operations") }
    }

    fn message(&mut self, message: MessageCode) -> u32 {
        self.out.messages.push(message);
        u32::try_from(self.out.messages.len() - 1).expect("more than 2^32 messages")
    }

    fn pooled(&mut self, regs: &[Reg]) -> u32 {
        let at = self.out.pool.len();
        self.out.pool.extend_from_slice(regs);
        u32::try_from(at).expect("more than 2^32 indices")
    }

    /// An instruction that counts the execution of an expression.
    fn count(&mut self, exp: &Exp, code: &mut Code, loc: LocId) {
        let label = crate::coverage::label(exp, &|x| self.prim_name(x));
        let next = u32::try_from(self.out.labels.len()).expect("more than 2^32 labels");
        let label = *self.labels.entry(label.clone()).or_insert_with(|| {
            self.out.labels.push(label);
            next
        });
        code.push(Inst::Count { label }, loc);
    }

    fn prim_name(&self, x: Operand) -> &'static str {
        match x {
            Operand::Const(scalar) => scalar.prim().name(),
            Operand::Var(name) => match self.var(name) {
                Var::Scalar(_, prim) | Var::Array(_, prim) => prim.name(),
                Var::Cert(_) => "cert",
                Var::Acc { .. } => "acc",
            },
        }
    }
}

/// The slots among these places that nobody needs.
fn unused(places: &[Place], live: &Live) -> Vec<Slot> {
    places
        .iter()
        .filter_map(|place| match place {
            Place::Slot(slot) if !live.contains(slot) => Some(*slot),
            Place::Slot(_) | Place::Reg(_) | Place::Nowhere => None,
        })
        .collect()
}

impl Compiled {
    /// The function with this name, if there is one.
    pub(crate) fn routine(&self, name: &str) -> Option<&Routine> {
        self.by_name.get(&Symbol::intern(name)).map(|&i| &self.routines[i])
    }

    pub fn locs(&self) -> &Locs {
        &self.locs
    }
}
