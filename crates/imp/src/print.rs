//! The text form, for people.
//!
//! ```text
//! fun sum (n_1: i64) (am_2: block) : (s_3: f32) {
//!   let q_4: i64 = n_1 / 32
//!   var t_5: f32
//!   t_5 = 0.0f32
//!   for i_6: i64 < n_1 {
//!     t_5 = add(t_5, am_2.f32[i_6 + 1])
//!   }
//!   s_3 = t_5
//! }
//! ```
//! Index arithmetic is infix; operations on scalars, which mean what they mean in the IR, are written like functions.

use crate::{
    Arg, Cell, Combined, Exp, Fun, Hint, Lanes, Lock, MessagePart, Param, Prog, Region, Side, Stm, Traced, Ty,
};
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::{Level, Space};
use rustc_hash::FxHashMap;
use std::fmt::{self, Display, Write};

/// Deeper blocks of statements are not indented further, so that the text stays linear in the program.
const DEEPEST: usize = 40;

/// The whole program, each function behind its regions.
pub fn prog(prog: &Prog) -> String {
    let mut regions: FxHashMap<Symbol, Vec<&Region>> = FxHashMap::default();
    for region in &prog.regions {
        regions.entry(region.fun).or_default().push(region);
    }
    let mut texts = Vec::new();
    for f in &prog.funs {
        texts.extend(regions.get(&f.name).into_iter().flatten().map(|of_f| region(of_f)));
        texts.push(fun(f));
    }
    texts.join("\n")
}

pub fn fun(fun: &Fun) -> String {
    let mut p = Printer { out: String::new(), depth: 0 };
    let word = if fun.entry.is_some() { "entry" } else { "fun" };
    p.put(format_args!("{word} {}", fun.name));
    p.params(&fun.params);
    p.put(format_args!(" :"));
    p.params(&fun.results);
    p.put(format_args!(" "));
    p.block(&fun.body);
    p.out.push('\n');
    p.out
}

/// `region main.1: core (xs_2: block) with chunk_3, start_4, len_5 { … }`
pub fn region(region: &Region) -> String {
    let mut p = Printer { out: String::new(), depth: 0 };
    p.put(format_args!("region {}: {}", region.name, region.level));
    p.params(&region.params);
    p.put(format_args!(" with {} ", Commas(&region.ids)));
    p.block(&region.body);
    p.out.push('\n');
    p.out
}

struct Printer {
    out: String,
    depth: usize,
}

impl Printer {
    /// Writing to a string cannot fail, so there is no result to look at.
    fn put(&mut self, text: fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(text);
    }

    fn params(&mut self, params: &[Param]) {
        for param in params {
            self.put(format_args!(" ({}: {})", param.name, param.ty));
        }
    }

    fn block(&mut self, stms: &[Stm]) {
        with_stack(|| {
            self.out.push_str("{\n");
            self.depth += 1;
            for stm in stms {
                self.indent();
                self.stm(stm);
                self.out.push('\n');
            }
            self.depth -= 1;
            self.indent();
            self.out.push('}');
        });
    }

    fn indent(&mut self) {
        for _ in 0..self.depth.min(DEEPEST) {
            self.out.push_str("  ");
        }
    }

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Let { name, prim, value } => self.put(format_args!("let {name}: {} = {value}", prim.name())),
            Stm::Declare { name, ty } => self.put(format_args!("var {name}: {ty}")),
            Stm::Set { name, value } => self.put(format_args!("{name} = {value}")),
            Stm::SetBlock { name, from } => self.put(format_args!("{name} = block {from}")),
            Stm::Workers { name } => self.put(format_args!("workers {name}")),
            Stm::Width { name, shares } => self.put(format_args!("width {name} for {shares}")),
            Stm::Tunable { name, of } => {
                self.put(format_args!("tunable {name}: \"{}\" {} {}", of.name, of.class.name(), of.default));
            }
            Stm::Shared { name, offset } => self.put(format_args!("shared {name} at {offset}")),
            Stm::Slot { name, from, offset } => self.put(format_args!("slot {name} of {from} at {offset}")),
            Stm::Alloc { name, space, bytes } => self.put(format_args!("alloc {name}: {space} {bytes}")),
            Stm::Local { name, prim, len } => self.put(format_args!("local {name}: {}[{len}]", prim.name())),
            Stm::Table { name, prim, values } => {
                let values: Vec<Exp> = values.iter().copied().map(Exp::Const).collect();
                self.put(format_args!("table {name}: {} [{}]", prim.name(), Commas(&values)));
            }
            Stm::Free { name } => self.put(format_args!("free {name}")),
            Stm::Share { name, from } => self.put(format_args!("share {name} = {from}")),
            Stm::Store { block, prim, index, value } => {
                self.put(format_args!("{block}.{}[{index}] = {value}", prim.name()));
            }
            Stm::Race { block, prim, index, value } => {
                self.put(format_args!("race {block}.{}[{index}] = {value}", prim.name()));
            }
            Stm::Update { cells, lock, body } => {
                self.put(format_args!("update "));
                for (at, Cell { block, prim, index, old, value }) in cells.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    self.put(format_args!("{comma}{block}.{}[{index}] as {old} by {value}", prim.name()));
                }
                if let Some(Lock { block, index }) = lock {
                    self.put(format_args!(" holding {block}[{index}]"));
                }
                self.put(format_args!(" "));
                self.block(body);
            }
            Stm::Read { name, block, prim, index } => {
                self.put(format_args!("read {name} = {block}.{}[{index}]", prim.name()));
            }
            Stm::Write { block, prim, index, value } => {
                self.put(format_args!("write {block}.{}[{index}] = {value}", prim.name()));
            }
            Stm::Streams { name, bytes } => self.put(format_args!("streams {name} for {bytes}")),
            Stm::Stream { block, prim, index, from, len } => {
                self.put(format_args!("stream {block}.{}[{index}] <- {from}[{len}]", prim.name()));
            }
            Stm::Chunks { name, level, iterations, work, uneven, combined } => {
                let uneven = if *uneven { " uneven" } else { "" };
                let combined = if *combined { " combined" } else { "" };
                match level {
                    Level::Core => self.put(format_args!("chunks {name} of {iterations} at {work}{uneven}")),
                    level => {
                        self.put(format_args!("chunks {level} {name} of {iterations} at {work}{uneven}{combined}"))
                    }
                }
            }
            Stm::Parallel { level, ids, iterations, chunks, lanes, body, loc: _ } => {
                self.put(format_args!("parallel {level} {chunks} "));
                if let Some(lanes) = lanes {
                    self.put(format_args!("by {lanes} "));
                }
                self.put(format_args!("of {iterations} with {} ", Commas(ids)));
                self.block(body);
            }
            Stm::Lanes { lane, count, body } => {
                self.put(format_args!("lanes {lane} < {count} "));
                self.block(body);
            }
            Stm::PerLane { name, prim, len } => self.put(format_args!("per lane {name}: {}[{len}]", prim.name())),
            Stm::Combine { values, busy, prefixes, body } => {
                let word = if *prefixes { "prefixes" } else { "combine" };
                self.put(format_args!("{word} of {busy}"));
                for Combined { own, prim, room, left, right, result, all } in values {
                    let prim = prim.name();
                    self.put(format_args!(" ({all}: {prim} = {own} by {left}, {right} -> {result} in {room})"));
                }
                self.out.push(' ');
                self.block(body);
            }
            Stm::Board { name, words } => self.put(format_args!("board {name} of {words}")),
            Stm::Take { number, turn, board } => self.put(format_args!("take {number}, {turn} from {board}")),
            Stm::Publish { board, turn, at, values } => {
                self.put(format_args!("publish {board}[{at}] in {turn} = {}", Commas(values)));
            }
            Stm::Await { names, board, turn, at } => {
                let names: Vec<String> = names.iter().map(|(name, prim)| format!("{name}: {}", prim.name())).collect();
                self.put(format_args!("await {} = {board}[{at}] in {turn}", Commas(&names)));
            }
            Stm::Launch { region, args, iterations, count, lanes } => {
                self.put(format_args!("launch {count} of {region}({}) for {iterations}", Commas(args)));
                if let Some(Lanes { count, shared }) = lanes {
                    self.put(format_args!(" by {count} with {shared} shared"));
                }
            }
            Stm::Copy { prim, sizes, to, from } => {
                self.put(format_args!("copy {} [{}] {to} <- {from}", prim.name(), Commas(sizes)));
            }
            Stm::For { var, prim, bound, hint, body } => {
                self.put(format_args!("for {var}: {} < {bound} {hint}", prim.name()));
                self.block(body);
            }
            Stm::While { cond, body } => {
                self.put(format_args!("while {cond} "));
                self.block(body);
            }
            Stm::If { cond, yes, no } => {
                self.put(format_args!("if {cond} "));
                self.block(yes);
                if !no.is_empty() {
                    self.out.push_str(" else ");
                    self.block(no);
                }
            }
            Stm::Switch { on, cases, default } => {
                self.put(format_args!("switch {on}"));
                for (value, body) in cases {
                    self.put(format_args!(" case {value} "));
                    self.block(body);
                }
                self.out.push_str(" else ");
                self.block(default);
            }
            Stm::Call { fun, args, results } => {
                for (i, result) in results.iter().enumerate() {
                    self.put(format_args!("{}{result}", if i > 0 { ", " } else { "" }));
                }
                let equals = if results.is_empty() { "" } else { " = " };
                self.put(format_args!("{equals}call {fun}({})", Commas(args)));
            }
            Stm::Assert { cond, message, .. } => {
                self.put(format_args!("assert {cond} \""));
                for part in message {
                    match part {
                        MessagePart::Text(text) => self.put(format_args!("{}", text.escape_debug())),
                        MessagePart::Value(x) => self.put(format_args!("{{{x}}}")),
                    }
                }
                self.out.push('"');
            }
            Stm::Trace { tag, value: Traced::Scalar(x) } => self.put(format_args!("trace {:?} {x}", tag.as_str())),
            Stm::Trace { tag, value: Traced::Array { block, prim, offset, sizes } } => {
                self.put(format_args!("trace {:?} {block}.{}[{offset}] [{}]", tag.as_str(), prim.name(), Commas(sizes)))
            }
        }
    }
}

/// Items with commas between them.
struct Commas<'a, T>(&'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Scalar(prim) => f.write_str(prim.name()),
            Ty::Block(Space::Host) => f.write_str("block"),
            Ty::Block(space) => write!(f, "block {space}"),
        }
    }
}

impl Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words =
            [(self.independent, "independent "), (self.unroll, "unroll "), (self.lanes, "lanes "), (self.few, "few ")];
        for (is_set, word) in words {
            f.write_str(if is_set { word } else { "" })?;
        }
        Ok(())
    }
}

/// `m_1 + 4 (n_2, 1)`
impl Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] ({})", self.block, self.offset, Commas(&self.strides))
    }
}

impl Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Scalar(x) => write!(f, "{x}"),
            Arg::Block(name) => write!(f, "{name}"),
        }
    }
}

impl Display for Exp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Exp {
    /// Sums bind at strength 1, products at 2.
    fn write(&self, f: &mut fmt::Formatter<'_>, strength: u8) -> fmt::Result {
        let (own, op, x, y) = match self {
            Exp::Const(c) => return write!(f, "{c}"),
            Exp::Var(name, _) => return write!(f, "{name}"),
            Exp::Un(op, _, x) => return write!(f, "{}({x})", op.text()),
            Exp::Bin(op, _, x, y) => return write!(f, "{}({x}, {y})", op.text()),
            Exp::Cmp(op, _, x, y) => return write!(f, "{}({x}, {y})", op.text()),
            Exp::Conv(_, to, x) => return write!(f, "conv {}({x})", to.name()),
            Exp::Math(function, _, args) => return write!(f, "{}({})", function.text(), Commas(args)),
            Exp::Load { block, prim, index } => return write!(f, "{block}.{}[{index}]", prim.name()),
            Exp::Select(_, c, x, y) => return write!(f, "select({c}, {x}, {y})"),
            Exp::Add(x, y) => (1, " + ", x, y),
            Exp::Sub(x, y) => (1, " - ", x, y),
            Exp::Mul(x, y) => (2, "*", x, y),
            Exp::Quot(x, y) => (1, " / ", x, y),
            Exp::Rem(x, y) => (1, " % ", x, y),
        };
        // Quotients and remainders have parentheses wherever one could doubt what belongs together.
        let inner = if matches!(self, Exp::Quot(..) | Exp::Rem(..)) { 2 } else { own };
        if own < strength {
            f.write_str("(")?;
        }
        x.write(f, inner)?;
        f.write_str(op)?;
        // Operations of the same strength go from left to right.
        y.write(f, inner + 1)?;
        if own < strength { f.write_str(")") } else { Ok(()) }
    }
}
