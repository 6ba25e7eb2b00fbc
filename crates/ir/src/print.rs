//! The text form of programs, which [`crate::parse`] reads: `print → parse → print` is the identity.
//!
//! ```text
//! entry pad (n_1: i64) (a_3: *[n_1]f32) : (k_30: i64) ([k_30]f32)
//!   takes (a: *"[]f32" of 1)
//!   yields ("[]f32" of 1)
//!   at prog.fut:1:1-3:20
//! = {
//!   let c_6: cert = assert q_23 "Index [0] out of bounds for array of shape [{n_1}]." at prog.fut:2:15-20 < prog.fut:9:3
//!   let x_9: f32 = <c_6> #[unroll] index a_3[0]
//!   let d_11: [n_1]f32 = map n_1 (a_3) \(y_12: f32) -> { let z_13: f32 = mul y_12 2.0f32 in z_13 }
//!   in n_1, d_11
//! }
//! ```
//!
//! The types of entry points that are neither scalars nor arrays of scalars are declared before them, each after those
//! it mentions ([`crate::entry`]); a variant of a sum says in which parts each value of its payload is:
//!
//! ```text
//! type "point" = {x: "f32", y: "f32"}
//! type "(i32, point)" = ("i32", "point")
//! type "[]point" = array 1 "point" {x: "[]f32", y: "[]f32"}
//! type "shape" = sum (u8, f32, f32) < circle ("f32": 1) < box ("point": 1, 2) < none
//! type "m.t" = opaque (i32, [][]f64)
//! ```
//!
//! A statement is `let pattern = <certificates> #[attributes] expression at position < position of the call`. The
//! results of a function are named where others have them as a size. The result types of a lambda follow its
//! parameters, `\(x_1: i64): [n_2]f32 -> {…}`, unless its results are constants or bound in it with just these types.
//! The message of an `assert` has `hole` or `arguments` in front of it if it is of that kind
//! ([`CheckKind`](crate::exp::CheckKind)). A comment goes from `--` to the end of the line.

use crate::entry::{self, Entry, EntryField, EntryKind, EntryParam, EntryType, Part};
use crate::exp::{AccInput, CheckKind, DimSlice, Exp, HistOp, Lambda, LoopForm, Message, MessagePart, Soac, Tunable};
use crate::mem::{MemExp, Slots, Space};
use crate::name::Name;
use crate::par::{Form, OpKind, Par, ParOp};
use crate::prog::{Attrs, Body, Fun, LocId, Locs, Operand, Param, Prog, Stm};
use crate::types::Type;
use kenaz_base::{Attr, Symbol, with_stack};
use std::fmt::{self, Display, Write};

/// The whole program.
pub fn prog(prog: &Prog) -> String {
    let mut p = Printer::new(Some(&prog.locs));
    for ty in entry::types(prog) {
        p.entry_type(&ty);
    }
    for (i, fun) in prog.funs.iter().enumerate() {
        if i > 0 || !p.out.is_empty() {
            p.out.push('\n');
        }
        p.fun(fun);
    }
    p.out
}

/// A function with positions.
pub fn fun(fun: &Fun, locs: &Locs) -> String {
    let mut p = Printer::new(Some(locs));
    p.fun(fun);
    p.out
}

/// A statement with positions.
pub fn stm(stm: &Stm, locs: &Locs) -> String {
    let mut p = Printer::new(Some(locs));
    p.stm(stm);
    p.out
}

/// Bodies no wider than this stand on one line, if they have at most one statement.
const INLINE: usize = 64;

/// Bodies nested more deeply than this are not indented further, so that the text stays linear in the program.
const DEEPEST: usize = 40;

struct Printer<'a> {
    out: String,
    depth: usize,
    locs: Option<&'a Locs>,
}

/// Writing to a string cannot fail, so there is no result to look at.
macro_rules! put {
    ($p:expr, $($arg:tt)*) => {{ let _ = write!($p.out, $($arg)*); }};
}

impl<'a> Printer<'a> {
    fn new(locs: Option<&'a Locs>) -> Printer<'a> {
        Printer { out: String::new(), depth: 0, locs }
    }

    fn fun(&mut self, fun: &Fun) {
        if !fun.attrs.is_empty() {
            put!(self, "{}\n", fun.attrs);
        }
        put!(self, "{} {}", if fun.entry.is_some() { "entry" } else { "fun" }, Plain(fun.name));
        for param in &fun.params {
            put!(self, " ({param})");
        }
        put!(self, " :");
        for (i, result) in fun.results.iter().enumerate() {
            let in_place = |other: &Param| {
                other
                    .place
                    .as_ref()
                    .is_some_and(|p| p.block == result.name || p.layout.names().any(|n| n == result.name))
            };
            let is_size = |other: &Param| crate::infer::mentions(&other.ty, &[result.name]) || in_place(other);
            if fun.results.iter().enumerate().any(|(j, other)| i != j && is_size(other)) {
                put!(self, " ({result})");
            } else {
                put!(self, " ({}{}", if result.unique { "*" } else { "" }, result.ty);
                if let Some(place) = &result.place {
                    put!(self, " @ {place}");
                }
                put!(self, ")");
            }
        }
        match &fun.entry {
            None => self.loc(fun.loc),
            Some(Entry { params, results, doc }) => {
                self.entry_params("takes", params);
                self.entry_params("yields", results);
                if let Some(doc) = doc {
                    put!(self, "\n  doc {}", Quoted(doc));
                }
                let before = self.out.len();
                self.loc(fun.loc);
                if self.out.len() > before {
                    self.out.insert_str(before, "\n ");
                }
                put!(self, "\n");
            }
        }
        put!(self, "{}= ", if fun.entry.is_some() { "" } else { " " });
        self.block(&fun.body);
        put!(self, "\n");
    }

    fn entry_params(&mut self, word: &str, params: &[EntryParam]) {
        put!(self, "\n  {word}");
        for EntryParam { name, unique, ty } in params {
            put!(self, " (");
            if !name.as_str().is_empty() {
                put!(self, "{}: ", Plain(*name));
            }
            let parts = ty.parts().len();
            put!(self, "{}{} of {parts})", if *unique { "*" } else { "" }, Quoted(ty.name.as_str()));
        }
    }

    /// The declaration of a type whose name does not say all.
    fn entry_type(&mut self, ty: &EntryType) {
        if let EntryKind::Plain(_) = ty.kind {
            return;
        }
        put!(self, "type {} = ", Quoted(ty.name.as_str()));
        match &ty.kind {
            EntryKind::Plain(_) => {}
            EntryKind::Record(fields) if entry::is_tuple(fields) => {
                let types: Vec<String> = fields.iter().map(|f| Quoted(f.ty.name.as_str()).to_string()).collect();
                put!(self, "({})", types.join(", "));
            }
            EntryKind::Record(fields) => self.entry_fields(fields),
            EntryKind::Sum(sum) => {
                put!(self, "sum {}", Parts(&sum.parts));
                for variant in &sum.variants {
                    put!(self, " < {}", Plain(variant.name));
                    for (ty, parts) in &variant.payload {
                        let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                        let between = if parts.is_empty() { "" } else { ": " };
                        put!(self, " ({}{between}{})", Quoted(ty.name.as_str()), parts.join(", "));
                    }
                }
            }
            EntryKind::Array(array) => {
                put!(self, "array {} {}", array.rank, Quoted(array.elem.name.as_str()));
                if !array.fields.is_empty() {
                    put!(self, " ");
                    self.entry_fields(&array.fields);
                }
            }
            EntryKind::Opaque(parts) => put!(self, "opaque {}", Parts(parts)),
        }
        put!(self, "\n");
    }

    fn entry_fields(&mut self, fields: &[EntryField]) {
        let field = |f: &EntryField| format!("{}: {}", Plain(f.name), Quoted(f.ty.name.as_str()));
        put!(self, "{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "));
    }

    fn loc(&mut self, loc: LocId) {
        let Some(locs) = self.locs else { return };
        for (i, place) in locs.chain(loc).into_iter().enumerate() {
            put!(self, " {} {}", if i == 0 { "at" } else { "<" }, Place(place.as_str()));
        }
    }

    fn new_line(&mut self) {
        put!(self, "\n{:width$}", "", width = 2 * self.depth.min(DEEPEST));
    }

    /// A body on one line if it is short.
    fn body(&mut self, body: &Body) {
        if body.stms.len() <= 1 && !body.stms.iter().any(|stm| crate::visit::has_bodies(&stm.exp)) {
            let mut p = Printer::new(self.locs);
            put!(p, "{{ ");
            for stm in &body.stms {
                p.stm(stm);
                put!(p, " ");
            }
            p.results(body);
            put!(p, " }}");
            if p.out.len() <= INLINE {
                self.out.push_str(&p.out);
                return;
            }
        }
        self.block(body);
    }

    /// A body with each statement on its own line.
    fn block(&mut self, body: &Body) {
        with_stack(|| {
            put!(self, "{{");
            self.depth += 1;
            for stm in &body.stms {
                self.new_line();
                self.stm(stm);
            }
            self.new_line();
            self.results(body);
            self.depth -= 1;
            self.new_line();
            put!(self, "}}");
        });
    }

    fn results(&mut self, body: &Body) {
        put!(self, "in{}{}", if body.results.is_empty() { "" } else { " " }, Commas(&body.results));
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.pat[..] {
            [] => put!(self, "let () = "),
            pat => put!(self, "let {} = ", Commas(pat)),
        }
        if !stm.certs.is_empty() {
            put!(self, "<{}> ", Commas(&stm.certs));
        }
        if !stm.attrs.is_empty() {
            put!(self, "{} ", stm.attrs);
        }
        self.exp(&stm.exp);
        self.loc(stm.loc);
    }

    fn exp(&mut self, exp: &Exp) {
        let op = operator(exp);
        match exp {
            Exp::Operand(x) => put!(self, "{x}"),
            Exp::Un(_, x) | Exp::Opaque(x) => put!(self, "{op} {x}"),
            Exp::Tunable(Tunable { name, class, default }) => put!(self, "{op} \"{name}\" {} {default}", class.name()),
            Exp::Bin(_, x, y) | Exp::Cmp(_, x, y) => put!(self, "{op} {x} {y}"),
            Exp::Conv(prim, x) => put!(self, "{op} {} {x}", prim.name()),
            Exp::Math(_, prim, args) => put!(self, "{op} {} ({})", prim.name(), Commas(args)),
            Exp::Assert(cond, message) => put!(self, "{op} {cond} {message}"),
            Exp::Index(a, indices) => put!(self, "{op} {a}[{}]", Commas(indices)),
            Exp::Slice(a, dims) => put!(self, "{op} {a}[{}]", Commas(dims)),
            Exp::Update(a, dims, v) => put!(self, "{op} {a}[{}] = {v}", Commas(dims)),
            Exp::Array(elems, ty) => put!(self, "{op} [{}] : {ty}", Commas(elems)),
            Exp::Iota { len, start, stride, prim } => {
                put!(self, "{op} {len}");
                if (*start, *stride) != iota_defaults(*prim) {
                    put!(self, " from {start} by {stride}");
                }
                put!(self, " : {}", prim.name());
            }
            Exp::Replicate(dims, x) => put!(self, "{op} [{}] {x}", Commas(dims)),
            Exp::Scratch(dims, prim) => put!(self, "{op} [{}] {}", Commas(dims), prim.name()),
            Exp::Concat(size, arrays) => put!(self, "{op} {size} ({})", Commas(arrays)),
            Exp::Rearrange(perm, a) => put!(self, "{op} ({}) {a}", Commas(perm)),
            Exp::Reshape(dims, a) | Exp::Resize(dims, a) => put!(self, "{op} [{}] {a}", Commas(dims)),
            Exp::Copy(a) => put!(self, "{op} {a}"),
            Exp::FlatIndex(a, offset, dims) => {
                let dims: Vec<String> = dims.iter().map(|(n, s)| format!("({n}, {s})")).collect();
                put!(self, "{op} {a} {offset} [{}]", dims.join(", "));
            }
            Exp::FlatUpdate(a, offset, strides, v) => put!(self, "{op} {a} {offset} [{}] = {v}", Commas(strides)),
            Exp::If(cond, yes, no) => {
                put!(self, "{op} {cond} then ");
                self.body(yes);
                put!(self, " else ");
                self.body(no);
            }
            Exp::Match(x, cases, default) => {
                put!(self, "{op} {x}");
                for (value, body) in cases {
                    put!(self, " case {value} ");
                    self.body(body);
                }
                put!(self, " else ");
                self.body(default);
            }
            Exp::Loop { params, form, body } => {
                let params: Vec<String> = params.iter().map(|(p, init)| format!("{p} = {init}")).collect();
                put!(self, "{op} ({}) ", params.join(", "));
                match form {
                    LoopForm::For(i, prim, n) => put!(self, "for {i}: {} < {n} ", prim.name()),
                    LoopForm::While(cond) => put!(self, "while {cond} "),
                }
                self.block(body);
            }
            Exp::Call(f, args) => put!(self, "{op} {} ({})", Plain(*f), Commas(args)),
            Exp::Soac(soac) => self.soac(op, soac),
            Exp::Par(par) => self.par(op, par),
            Exp::Mem(MemExp::Alloc(space, bytes)) => put!(self, "{op} {space} {bytes}"),
            Exp::Mem(MemExp::AllocEach(Slots { level, order, space, bytes, most })) => {
                put!(self, "{op} {level} {} {space} {bytes}", order.name());
                if let Some(most) = most {
                    put!(self, " most {most}");
                }
            }
            Exp::Mem(MemExp::Free(block) | MemExp::Share(block) | MemExp::Slot(block)) => put!(self, "{op} {block}"),
            Exp::Jvp(f, at, direction) | Exp::Vjp(f, at, direction) => {
                put!(self, "{op} ");
                self.lambda(f);
                put!(self, " ({}) ({})", Commas(at), Commas(direction));
            }
            Exp::Trace(tag, x) => put!(self, "{op} {} {x}", Quoted(tag.as_str())),
        }
    }

    fn soac(&mut self, op: &str, soac: &Soac) {
        match soac {
            Soac::Screma { width, arrays, map, scans, reduces, post } => {
                put!(self, "{op} {width} ({}) ", Commas(arrays));
                if let Some(Plainly { op, neutral, .. }) = plainly(soac) {
                    put!(self, "({}) ", Commas(neutral));
                    return self.lambda(op);
                }
                if op == "screma" {
                    put!(self, "map ");
                }
                self.lambda(map);
                for scan in scans {
                    put!(self, " scan ({}) ", Commas(&scan.neutral));
                    self.lambda(&scan.op);
                }
                for reduce in reduces {
                    let word = if reduce.commutative { "reduce_comm" } else { "reduce" };
                    put!(self, " {word} ({}) ", Commas(&reduce.neutral));
                    self.lambda(&reduce.op);
                }
                if let Some(post) = post {
                    put!(self, " post ");
                    self.lambda(post);
                }
            }
            Soac::Filter { width, arrays, pred } => {
                put!(self, "{op} {width} ({}) ", Commas(arrays));
                self.lambda(pred);
            }
            Soac::Scatter { width, arrays, map, dests } => {
                let dests: Vec<String> = dests.iter().map(|d| format!("{} rank {}", d.array, d.rank)).collect();
                put!(self, "{op} {width} ({}) ", Commas(arrays));
                self.lambda(map);
                put!(self, " into ({})", dests.join(", "));
            }
            Soac::Hist { width, arrays, map, ops } => {
                put!(self, "{op} {width} ({}) ", Commas(arrays));
                self.lambda(map);
                for HistOp { dests, rank, op, neutral } in ops {
                    put!(self, " into ({}) rank {rank} ({}) ", Commas(dests), Commas(neutral));
                    self.lambda(op);
                }
            }
            Soac::WithAcc { inputs, body } => {
                put!(self, "{op} ");
                for AccInput { shape, dests, op } in inputs {
                    put!(self, "([{}] ({})", Commas(shape), Commas(dests));
                    if let Some((op, neutral)) = op {
                        put!(self, " ({}) ", Commas(neutral));
                        self.lambda(op);
                    }
                    put!(self, ") ");
                }
                self.lambda(body);
            }
            Soac::UpdateAcc { acc, index, values } => {
                put!(self, "{op} {acc} ({}) ({})", Commas(index), Commas(values));
            }
        }
    }

    fn par(&mut self, op: &str, par: &Par) {
        put!(self, "{op} ");
        if let Some(level) = par.level {
            put!(self, "{level} ");
        }
        let space: Vec<String> = par.space.iter().map(|(i, n)| format!("{i} < {n}")).collect();
        put!(self, "({}) ", space.join(", "));
        if !par.plan.is_empty() {
            put!(self, "{} ", par.plan);
        }
        for ParOp { kind, lambda, neutral, shape } in &par.ops {
            let word = match kind {
                OpKind::Scan => "scan",
                OpKind::Reduce { commutative: true } => "reduce_comm",
                OpKind::Reduce { commutative: false } => "reduce",
            };
            put!(self, "{word} ({}) ", Commas(neutral));
            if !shape.is_empty() {
                put!(self, "[{}] ", Commas(shape));
            }
            self.lambda(lambda);
            put!(self, " ");
        }
        for form in &par.forms {
            match form {
                Form::Own => put!(self, "own "),
                Form::Tile(dims) => put!(self, "tile [{}] ", Commas(dims)),
                Form::Write { dest, rank } => put!(self, "write {dest} rank {rank} "),
                Form::Acc { dests, rank, op, neutral } => {
                    put!(self, "acc ({}) rank {rank} ({}) ", Commas(dests), Commas(neutral));
                    self.lambda(op);
                    put!(self, " ");
                }
            }
        }
        self.body(&par.body);
        if let Some(post) = &par.post {
            put!(self, " post ({}) ", Commas(&post.params));
            self.body(&post.body);
        }
    }

    fn lambda(&mut self, lambda: &Lambda) {
        put!(self, "\\({})", Commas(&lambda.params));
        if evident_types(&lambda.params, &lambda.body).as_ref() != Some(&lambda.ret) {
            match &lambda.ret[..] {
                [] => put!(self, ": ()"),
                ret => put!(self, ": {}", Commas(ret)),
            }
        }
        put!(self, " -> ");
        self.body(&lambda.body);
    }
}

/// The word with which an expression begins in the text form; `operand` for an operand alone.
pub fn operator(exp: &Exp) -> &'static str {
    match exp {
        Exp::Operand(_) => "operand",
        Exp::Un(op, _) => op.text(),
        Exp::Bin(op, ..) => op.text(),
        Exp::Cmp(op, ..) => op.text(),
        Exp::Conv(..) => "conv",
        Exp::Math(f, ..) => f.text(),
        Exp::Assert(..) => "assert",
        Exp::Index(..) => "index",
        Exp::Slice(..) => "slice",
        Exp::Update(..) => "update",
        Exp::Array(..) => "array",
        Exp::Iota { .. } => "iota",
        Exp::Replicate(..) => "replicate",
        Exp::Scratch(..) => "scratch",
        Exp::Concat(..) => "concat",
        Exp::Rearrange(..) => "rearrange",
        Exp::Reshape(..) => "reshape",
        Exp::Resize(..) => "resize",
        Exp::Copy(_) => "copy",
        Exp::FlatIndex(..) => "flat",
        Exp::FlatUpdate(..) => "flat_update",
        Exp::If(..) => "if",
        Exp::Match(..) => "match",
        Exp::Loop { .. } => "loop",
        Exp::Call(..) => "call",
        Exp::Soac(soac) => match soac {
            Soac::Screma { scans, reduces, post: None, .. } if scans.is_empty() && reduces.is_empty() => "map",
            Soac::Screma { .. } => plainly(soac).map_or("screma", |plain| plain.word),
            Soac::Filter { .. } => "filter",
            Soac::Scatter { .. } => "scatter",
            Soac::Hist { .. } => "hist",
            Soac::WithAcc { .. } => "with_acc",
            Soac::UpdateAcc { .. } => "update_acc",
        },
        Exp::Par(_) => "par",
        Exp::Mem(MemExp::Alloc(..)) => "alloc",
        Exp::Mem(MemExp::Free(_)) => "free",
        Exp::Mem(MemExp::Share(_)) => "share",
        Exp::Mem(MemExp::AllocEach(_)) => "alloc_each",
        Exp::Mem(MemExp::Slot(_)) => "slot",
        Exp::Jvp(..) => "jvp",
        Exp::Vjp(..) => "vjp",
        Exp::Trace(..) => "trace",
        Exp::Opaque(_) => "opaque",
        Exp::Tunable(_) => "tunable",
    }
}

/// A screma that is one scan or one reduction of its arrays as they are.
struct Plainly<'a> {
    word: &'static str,
    op: &'a Lambda,
    neutral: &'a [Operand],
}

fn plainly(soac: &Soac) -> Option<Plainly<'_>> {
    let Soac::Screma { map, scans, reduces, post: None, .. } = soac else { return None };
    let (word, op, neutral) = match (&scans[..], &reduces[..]) {
        ([scan], []) => ("scan", &scan.op, &scan.neutral),
        ([], [reduce]) if reduce.commutative => ("reduce_comm", &reduce.op, &reduce.neutral),
        ([], [reduce]) => ("reduce", &reduce.op, &reduce.neutral),
        _ => return None,
    };
    let is_identity = map.body.stms.is_empty()
        && map.params.iter().map(|p| Operand::Var(p.name)).eq(map.body.results.iter().copied())
        && map.params.iter().all(|p| !p.unique)
        && map.params.iter().map(|p| &p.ty).eq(&op.ret)
        && map.ret == op.ret;
    is_identity.then_some(Plainly { word, op, neutral })
}

/// The types of a body's results, if each is a constant or bound by a parameter or a statement of the body itself.
pub(crate) fn evident_types(params: &[Param], body: &Body) -> Option<Vec<Type>> {
    let bound = || params.iter().chain(body.stms.iter().flat_map(|stm| &stm.pat));
    let of = |x: &Operand| match x {
        Operand::Const(c) => Some(Type::Prim(c.prim())),
        Operand::Var(name) => bound().find(|p| p.name == *name).map(|p| p.ty.clone()),
    };
    body.results.iter().map(of).collect()
}

/// Where `iota` starts and how far it steps when nothing is said.
pub(crate) fn iota_defaults(prim: kenaz_base::Prim) -> (Operand, Operand) {
    use crate::value::Scalar;
    (Operand::Const(Scalar::zero(prim)), Operand::Const(Scalar::from_bits(prim, 1)))
}

struct Commas<'a, T>(&'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, x) in self.0.iter().enumerate() {
            write!(f, "{}{x}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A symbol: as it is if it looks like an identifier, otherwise in backquotes.
pub(crate) struct Plain(pub Symbol);

impl Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.as_str();
        if text.starts_with(is_ident_start) && text.chars().all(is_ident_char) {
            return f.write_str(text);
        }
        f.write_char('`')?;
        for c in text.chars() {
            match c {
                '\\' => f.write_str("\\\\")?,
                '"' | '`' | '{' | '}' => write_code(f, c)?,
                c if c.is_control() => write_code(f, c)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('`')
    }
}

pub(crate) fn is_ident_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(crate) fn is_ident_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'' | '.')
}

/// Text in quotes.
struct Quoted<'a>(&'a str);

/// `(i32, [][]f64)`
struct Parts<'a>(&'a [Part]);

impl Display for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        write!(f, "({})", parts.join(", "))
    }
}

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        write_escaped(f, self.0)?;
        f.write_char('"')
    }
}

fn write_escaped(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for c in text.chars() {
        match c {
            '\\' => f.write_str("\\\\")?,
            '"' => f.write_str("\\\"")?,
            '{' => f.write_str("\\{")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write_code(f, c)?,
            c => f.write_char(c)?,
        }
    }
    Ok(())
}

fn write_code(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    write!(f, "\\x{:x};", c as u32)
}

/// A source position: in quotes if it is not a single word.
struct Place<'a>(&'a str);

impl Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.starts_with("--")
            || self.0.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '<'))
        {
            return Quoted(self.0).fmt(f);
        }
        f.write_str(self.0)
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Var(name) => name.fmt(f),
            Operand::Const(c) => c.fmt(f),
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write_dims =
            |f: &mut fmt::Formatter<'_>, dims: &[Operand]| dims.iter().try_for_each(|n| write!(f, "[{n}]"));
        match self {
            Type::Prim(p) => f.write_str(p.name()),
            Type::Array(dims, p) => {
                write_dims(f, dims)?;
                f.write_str(p.name())
            }
            Type::Mem(Space::Host) => f.write_str("mem"),
            Type::Mem(space) => write!(f, "mem {space}"),
            Type::Cert => f.write_str("cert"),
            Type::Acc { token, shape, elems } => {
                write!(f, "acc {token} ")?;
                write_dims(f, shape)?;
                write!(f, "({})", Commas(elems))
            }
        }
    }
}

impl Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{}", self.name, if self.unique { "*" } else { "" }, self.ty)?;
        match &self.place {
            Some(place) => write!(f, " @ {place}"),
            None => Ok(()),
        }
    }
}

impl Display for DimSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DimSlice::Fix(i) => i.fmt(f),
            DimSlice::Range { start, len, stride } => write!(f, "{start} :+ {len} * {stride}"),
        }
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, word)) = CheckKind::WORDS.iter().find(|(kind, _)| *kind == self.kind) {
            write!(f, "{word} ")?;
        }
        f.write_char('"')?;
        for part in &self.parts {
            match part {
                MessagePart::Text(text) => write_escaped(f, text)?,
                MessagePart::Value(x) => write!(f, "{{{x}}}")?,
            }
        }
        f.write_char('"')
    }
}

impl Display for Attrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attr = |attr: &Attr| match attr {
            Attr::Trace(Some(tag)) => format!("{}({})", attr.name(), Plain(*tag)),
            attr => attr.to_string(),
        };
        write!(f, "#[{}]", Commas(&self.0.iter().map(attr).collect::<Vec<String>>()))
    }
}

impl Display for Exp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut p = Printer::new(None);
        p.exp(self);
        f.write_str(&p.out)
    }
}

/// Without its position, which only the program knows.
impl Display for Stm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut p = Printer::new(None);
        p.stm(self);
        f.write_str(&p.out)
    }
}

impl Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut p = Printer::new(None);
        p.block(self);
        f.write_str(&p.out)
    }
}

impl Display for Lambda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut p = Printer::new(None);
        p.lambda(self);
        f.write_str(&p.out)
    }
}

/// Without positions, which only the program knows.
impl Display for Fun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut p = Printer::new(None);
        p.fun(self);
        f.write_str(&p.out)
    }
}

impl Display for Prog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&prog(self))
    }
}

/// `x_12`; a base that is no identifier stands in backquotes.
impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.base.as_str() {
            "" => write!(f, "_{}", self.id),
            _ => write!(f, "{}_{}", Plain(self.base), self.id),
        }
    }
}
