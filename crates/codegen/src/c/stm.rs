//! Statements.

use super::exp::{self, Idents, Prec, Text, c_type, negated, operator, plain};
use super::names::Scopes;
use super::parallel::RegionFn;
use super::text::{Lines, escaped, quoted};
use super::uses::{ParamUse, Summary, Uses, loads, variables};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_imp::visit::for_each_stm;
use kenaz_imp::{Arg, Exp, Hint, MessagePart, Side, Stm, Traced, Ty};
use kenaz_ir::{LocId, Locs, Name, Scalar, Space};
use rustc_hash::{FxHashMap, FxHashSet};

/// The inside of a function.
pub struct Writer<'a> {
    pub lines: Lines,
    pub scopes: Scopes,
    pub uses: &'a Uses,
    pub summaries: &'a FxHashMap<Symbol, Summary>,
    pub regions: &'a FxHashMap<Symbol, RegionFn>,
    /// What is written now is the body of a region, outside of any loop in it.
    pub is_chunk: bool,
    /// Large copies are shared by the threads.
    pub shares_copies: bool,
    pub locs: &'a Locs,
    /// The pointers that blocks are: the type of their elements, if it is known.
    pub pointers: FxHashMap<Name, Option<Prim>>,
    /// Results that go straight to where the caller wants them.
    pub direct: FxHashSet<Name>,
    /// Variables that are declared where they are first set.
    pub late: FxHashMap<Name, Ty>,
    /// The most dimensions of a copy or trace.
    pub rank: usize,
}

impl Idents for Writer<'_> {
    fn scalar(&self, name: Name) -> Text {
        let ident = self.scopes.get(name);
        if self.direct.contains(&name) {
            return Text { text: format!("*{ident}"), prec: Prec::Unary };
        }
        Text::atom(ident)
    }

    fn elements(&self, block: Name, prim: Prim) -> String {
        let ident = self.scopes.get(block);
        match self.pointers.get(&block) {
            Some(Some(own)) if c_type(*own) == c_type(prim) => ident.to_string(),
            _ => format!("(({} *){ident})", c_type(prim)),
        }
    }
}

/// Larger arrays of a known size are not copied element by element.
const SMALL_COPY: i64 = 16;

/// How a copy is written.
pub enum Copying<'a> {
    /// There is nothing to copy.
    Nothing,
    /// As loops.
    Elements,
    /// So many elements that are contiguous on both sides.
    Bytes(&'a Exp),
    Any,
}

pub fn copying<'a>(sizes: &'a [Exp], to: &Side, from: &Side) -> Copying<'a> {
    let count = sizes.iter().try_fold(1i64, |product, size| match size {
        Exp::Const(Scalar::I64(n)) => product.checked_mul((*n).max(0)),
        _ => None,
    });
    let is_contiguous = |side: &Side| side.strides == [Exp::i64(1)];
    match (count, sizes) {
        (Some(0), _) => Copying::Nothing,
        (Some(1..=SMALL_COPY), _) => Copying::Elements,
        (_, [size]) if is_contiguous(to) && is_contiguous(from) => Copying::Bytes(size),
        (_, [_]) => Copying::Elements,
        _ => Copying::Any,
    }
}

impl Writer<'_> {
    /// The statements of a scope of their own.
    pub fn scope(&mut self, stms: &[Stm]) {
        self.scopes.enter();
        self.stms(stms);
        self.scopes.leave();
    }

    pub fn stms(&mut self, stms: &[Stm]) {
        with_stack(|| {
            for (i, stm) in stms.iter().enumerate() {
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

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Let { name, prim, value } => {
                if self.uses.is_live(*name) {
                    let value = plain(self, value);
                    let ident = self.scopes.declare(*name);
                    self.lines.line(format!("{} {ident} = {value};", c_type(*prim)));
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
            Stm::Local { name, prim, len } => {
                if self.uses.is_live(*name) {
                    let ident = self.scopes.declare(*name);
                    self.pointers.insert(*name, Some(*prim));
                    self.lines.line(format!("{} {ident}[{}];", c_type(*prim), (*len).max(1)));
                }
            }
            Stm::Free { name } => {
                let block = self.scopes.get(*name);
                self.lines.line(format!("kz_free(ctx, {block});"));
            }
            Stm::Share { name, from } => {
                let value = format!("kz_share({})", self.scopes.get(*from));
                let left = self.declare_block(*name);
                self.lines.line(format!("{left} = {value};"));
            }
            Stm::Store { block, prim, index, value } => {
                let left = format!("{}[{}]", self.elements(*block, *prim), exp::index(self, index).text);
                let same = Exp::Load { block: *block, prim: *prim, index: Box::new(index.clone()) };
                self.assign(&left, &same, value);
            }
            Stm::Race { block, prim, index, value } => {
                let left = format!("{}[{}]", self.elements(*block, *prim), exp::index(self, index).text);
                self.lines.line(format!("KZ_RACE(&{left}, {});", plain(self, value)));
            }
            Stm::Copy { prim, sizes, to, from } => self.copy(*prim, sizes, to, from),
            Stm::Streams { name, bytes } => {
                let bytes = plain(self, bytes);
                let left = self.declare(*name, Ty::Scalar(Prim::Bool));
                self.lines.line(format!("{left} = kz_streams({bytes});"));
            }
            Stm::Stream { block, prim, index, from, .. } => {
                let to = format!("&{}[{}]", self.elements(*block, *prim), exp::index(self, index).text);
                let from = self.elements(*from, *prim);
                self.lines.line(format!("kz_stream_lines({to}, {from});"));
            }
            Stm::Chunks { name, iterations, work, uneven } => {
                let (iterations, work) = (plain(self, iterations), plain(self, work));
                let ident = self.scopes.declare(*name);
                self.lines.line(format!("int64_t {ident} = kz_chunks(ctx, {iterations}, {work}, {uneven});"));
                if !self.uses.is_live(*name) {
                    self.lines.line(format!("(void){ident};"));
                }
            }
            Stm::Parallel { .. } => panic!("a parallel loop is no region"),
            Stm::Launch { region, args, iterations, count } => self.launch(*region, args, iterations, count),
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

    /// Whether a variable has to be declared at all.
    fn is_wanted(&self, name: Name) -> bool {
        self.uses.is_live(name) || self.uses.sets.get(&name).is_some_and(|sets| sets.by_call)
    }

    /// `float x`, or `float *x` for a block.
    pub fn declare(&mut self, name: Name, ty: Ty) -> String {
        match ty {
            Ty::Scalar(prim) => format!("{} {}", c_type(prim), self.scopes.declare(name)),
            Ty::Block(_) => self.declare_block(name),
        }
    }

    fn declare_block(&mut self, name: Name) -> String {
        let ident = self.scopes.declare(name);
        let by_call = self.uses.sets.get(&name).is_some_and(|sets| sets.by_call);
        let prim = self.uses.prim(name).filter(|_| !by_call);
        self.pointers.insert(name, prim);
        format!("{} *{ident}", prim.map_or("void", c_type))
    }

    /// The left side of what sets a variable, perhaps for the first time; nothing if nobody wants to know.
    fn target(&mut self, name: Name) -> Option<String> {
        if !self.is_wanted(name) {
            return None;
        }
        Some(match self.late.remove(&name) {
            Some(ty) => self.declare(name, ty),
            None => self.scalar(name).text,
        })
    }

    fn set(&mut self, name: Name, value: &Exp) {
        // What nobody wants to know may be made of what is not declared.
        if !self.is_wanted(name) {
            return;
        }
        if self.late.contains_key(&name) {
            let value = plain(self, value);
            if let Some(left) = self.target(name) {
                self.lines.line(format!("{left} = {value};"));
            }
        } else if let Some(left) = self.target(name) {
            self.assign(&left, &Exp::Var(name, value.prim()), value);
        }
    }

    /// `x = value`, or `x += y` where the value is `x + y`.
    fn assign(&mut self, left: &str, same: &Exp, value: &Exp) {
        let line = match value {
            Exp::Bin(op, prim, x, y) if **x == *same && operator(*op, *prim).is_some() => {
                let word = operator(*op, *prim).map_or("", |(word, _)| word);
                format!("{left} {word}= {};", plain(self, y))
            }
            _ => format!("{left} = {};", plain(self, value)),
        };
        self.lines.line(line);
    }

    fn set_block(&mut self, name: Name, from: Name) {
        let source = self.scopes.get(from).to_string();
        let Some(left) = self.target(name) else { return };
        let cast = match (self.pointers.get(&name).copied().flatten(), self.pointers.get(&from).copied().flatten()) {
            (Some(to), Some(from)) if to != from => format!("({} *)", c_type(to)),
            _ => String::new(),
        };
        self.lines.line(format!("{left} = {cast}{source};"));
    }

    fn alloc(&mut self, name: Name, space: Space, bytes: &Exp) {
        assert!(matches!(space, Space::Host | Space::Private), "a block in {space} memory in a program for the host");
        let bytes = plain(self, bytes);
        let left = self.declare(name, Ty::Block(space));
        self.lines.line(format!("{left} = kz_alloc(ctx, {bytes});"));
        self.lines.line(format!("if (KZ_UNLIKELY({} == NULL)) return FUTHARK_OUT_OF_MEMORY;", self.scopes.get(name)));
    }

    fn copy(&mut self, prim: Prim, sizes: &[Exp], to: &Side, from: &Side) {
        self.rank = self.rank.max(sizes.len());
        match copying(sizes, to, from) {
            Copying::Nothing => {}
            Copying::Elements => self.copy_elements(prim, sizes, to, from),
            Copying::Bytes(size) => {
                let (left, right) = (self.address(to, prim), self.address(from, prim));
                let bytes = format!("{} * sizeof({})", exp::exp(self, size).at(Prec::Unary), c_type(prim));
                self.lines.line(match self.shares_copies {
                    true => format!("kz_memcpy_on_threads(ctx, {left}, {right}, (size_t){bytes});"),
                    false => format!("memcpy({left}, {right}, (size_t){bytes});"),
                });
            }
            Copying::Any => {
                let (left, right) = (self.address(to, prim), self.address(from, prim));
                let [shape, to, from] = [sizes, &to.strides, &from.strides].map(|list| self.numbers(list));
                let function = if self.shares_copies { "kz_copy_on_threads(ctx, " } else { "kz_copy(" };
                self.lines.line(format!(
                    "{function}sizeof({}), {}, {shape}, {left}, {to}, {right}, {from});",
                    c_type(prim),
                    sizes.len()
                ));
            }
        }
    }

    /// A copy as loops, of few elements that the C compiler unrolls or along one dimension.
    fn copy_elements(&mut self, prim: Prim, sizes: &[Exp], to: &Side, from: &Side) {
        let mut indices = Vec::new();
        for size in sizes {
            self.scopes.enter();
            indices.push(match size {
                Exp::Const(Scalar::I64(1)) => None,
                _ => {
                    let i = self.scopes.fresh("i");
                    let bound = plain(self, size);
                    self.lines.open(format!("for (int64_t {i} = 0; {i} < {bound}; {i}++) {{"));
                    Some(i)
                }
            });
        }
        let at = |writer: &Self, side: &Side| {
            let mut terms = Vec::new();
            let offset = exp::index(writer, &side.offset);
            if offset.text != "0" {
                terms.push(offset.text);
            }
            for (i, stride) in indices.iter().zip(&side.strides) {
                match (i, stride) {
                    (None, _) => {}
                    (Some(i), Exp::Const(Scalar::I64(1))) => terms.push(i.clone()),
                    (Some(i), stride) => terms.push(format!("{i} * {}", exp::index(writer, stride).at(Prec::Unary))),
                }
            }
            let index = if terms.is_empty() { "0".to_string() } else { terms.join(" + ") };
            format!("{}[{index}]", writer.elements(side.block, prim))
        };
        let line = format!("{} = {};", at(self, to), at(self, from));
        self.lines.line(line);
        for i in indices.iter().rev() {
            self.scopes.leave();
            if i.is_some() {
                self.lines.close("}");
            }
        }
    }

    /// A pointer to where a side begins.
    fn address(&self, side: &Side, prim: Prim) -> String {
        let elements = self.elements(side.block, prim);
        match &side.offset {
            Exp::Const(Scalar::I64(0)) => elements,
            offset => format!("{elements} + {}", exp::exp(self, offset).at(Prec::Sum)),
        }
    }

    /// A list of numbers as an array without a name.
    fn numbers(&self, list: &[Exp]) -> String {
        let list: Vec<String> = list.iter().map(|e| plain(self, e)).collect();
        format!("(const int64_t[]){{{}}}", list.join(", "))
    }

    fn launch(&mut self, region: Symbol, args: &[Arg], iterations: &Exp, count: &Exp) {
        let RegionFn { stem, summary } = &self.regions[&region];
        let values = self.arguments(args, summary);
        let mut env = "NULL".to_string();
        if !values.is_empty() {
            let ident = self.scopes.fresh("env");
            self.lines.line(format!("struct env_{stem} {ident} = {{{}}};", values.join(", ")));
            env = format!("&{ident}");
        }
        let (iterations, count) = (plain(self, iterations), plain(self, count));
        let call = format!("kz_parallel(ctx, run_{stem}, {env}, {iterations}, {count})");
        if summary.fails {
            self.lines.line(format!("err = {call};"));
            self.lines.line("if (err != 0) return err;");
        } else {
            self.lines.line(format!("{call};"));
        }
    }

    fn repeat(&mut self, var: Name, prim: Prim, bound: &Exp, hint: Hint, body: &[Stm]) {
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
            self.lines.line(format!("{} {name} = {};", c_type(prim), limit.text));
            limit = Text::atom(name);
        }
        self.scopes.enter();
        if hint.independent {
            self.lines.line("KZ_INDEPENDENT");
        }
        if hint.unroll {
            self.lines.line("KZ_UNROLL");
        }
        if hint.lanes {
            self.lines.line("KZ_LANES");
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
                let i = self.scopes.declare(var);
                self.lines.open(format!("for ({} {i} = 0; {i} < {}; {i}++) {{", c_type(prim), limit.at(Prec::Sum)));
                body
            }
        };
        let is_outermost = std::mem::replace(&mut self.is_chunk, false);
        if is_outermost && self.can_fail(body) {
            // Another chunk has set the error.
            self.lines.line("if (KZ_UNLIKELY(kz_has_stopped(ctx))) return FUTHARK_PROGRAM_ERROR;");
        }
        if hint.few {
            self.lines.line("KZ_ONE_BY_ONE");
        }
        self.stms(body);
        self.is_chunk = is_outermost;
        self.lines.close("}");
        self.scopes.leave();
    }

    /// Of the iterations of a chunk, of which only the number in the whole loop is of interest: the number of the first,
    /// the variable that has it, and the statements that use it.
    fn shifted<'s>(&self, var: Name, prim: Prim, body: &'s [Stm]) -> Option<(Name, Name, &'s [Stm])> {
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
    fn can_fail(&self, stms: &[Stm]) -> bool {
        let mut can_fail = false;
        for_each_stm(stms, &mut |stm| {
            can_fail |= match stm {
                Stm::Alloc { .. } | Stm::Assert { .. } => true,
                Stm::Call { fun, .. } => self.summaries[fun].fails,
                Stm::Launch { region, .. } => self.regions[region].summary.fails,
                _ => false,
            };
        });
        can_fail
    }

    fn branch(&mut self, cond: &Exp, yes: &[Stm], no: &[Stm]) {
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
    fn is_empty(&self, stms: &[Stm]) -> bool {
        stms.iter().all(|stm| match stm {
            Stm::Let { name, .. } | Stm::Declare { name, .. } | Stm::Set { name, .. } | Stm::SetBlock { name, .. } => {
                !self.is_wanted(*name)
            }
            Stm::If { yes, no, .. } => with_stack(|| self.is_empty(yes) && self.is_empty(no)),
            _ => false,
        })
    }

    fn switch(&mut self, on: &Exp, cases: &[(Scalar, Vec<Stm>)], default: &[Stm]) {
        self.lines.line(format!("switch ({}) {{", plain(self, on)));
        for (value, body) in cases {
            self.lines.open(format!("case {}: {{", exp::constant(*value).text));
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

    fn call(&mut self, fun: Symbol, args: &[Arg], results: &[Name]) {
        let callee = &self.summaries[&fun];
        let mut list = Vec::new();
        if callee.needs_context {
            list.push("ctx".to_string());
        }
        let mut typed = Vec::new();
        if callee.returns.is_none() {
            for result in results {
                if let Some(ty) = self.late.remove(result) {
                    let left = self.declare(*result, ty);
                    self.lines.line(format!("{left};"));
                }
                let ident = self.scopes.get(*result);
                let is_pointer = self.direct.contains(result);
                list.push(if is_pointer { ident.to_string() } else { format!("&{ident}") });
                if self.pointers.contains_key(result) && !is_pointer && self.uses.sets[result].count == 1 {
                    typed.extend(self.uses.prim(*result).map(|prim| (*result, prim)));
                }
            }
        }
        list.extend(self.arguments(args, callee));
        let call = format!("{}({})", callee.ident, list.join(", "));
        match (callee.returns, results, callee.fails) {
            (Some(_), [result], _) => {
                let left = self.target(*result).map_or(String::new(), |left| format!("{left} = "));
                self.lines.line(format!("{left}{call};"));
            }
            (_, _, true) => {
                self.lines.line(format!("err = {call};"));
                self.lines.line("if (err != 0) return err;");
            }
            (_, _, false) => self.lines.line(format!("{call};")),
        }
        // From here on the block is a pointer to its elements.
        for (block, prim) in typed {
            let raw = self.scopes.get(block).to_string();
            let ident = self.scopes.fresh(&raw);
            self.lines.line(format!("{} *{ident} = {raw};", c_type(prim)));
            self.scopes.rename(block, ident);
            self.pointers.insert(block, Some(prim));
        }
    }

    /// The arguments for the parameters that a callee uses.
    fn arguments(&self, args: &[Arg], callee: &Summary) -> Vec<String> {
        let text = |(arg, param): (&Arg, &ParamUse)| match (arg, param) {
            (_, ParamUse::Unused) => None,
            (Arg::Scalar(x), _) => Some(plain(self, x)),
            (Arg::Block(block), param) => Some(self.block_argument(*block, *param)),
        };
        args.iter().zip(&callee.params).filter_map(text).collect()
    }

    fn block_argument(&self, block: Name, param: ParamUse) -> String {
        let ident = self.scopes.get(block);
        if self.direct.contains(&block) {
            return format!("*{ident}");
        }
        match (self.pointers.get(&block).copied().flatten(), param) {
            (Some(own), ParamUse::Block { prim: Some(prim), .. }) if own != prim => {
                format!("({} *){ident}", c_type(prim))
            }
            _ => ident.to_string(),
        }
    }

    fn assert(&mut self, cond: &Exp, message: &[MessagePart], loc: LocId) {
        let mut format = String::from("\"");
        let mut values = Vec::new();
        for part in message {
            match part {
                MessagePart::Text(text) => format.push_str(&escaped(text).replace('%', "%%")),
                MessagePart::Value(value) => {
                    let (spec, value) = self.shown(value);
                    format.push_str(&spec);
                    values.push(value);
                }
            }
        }
        format.push('"');
        // What ends with a value needs no empty text behind it.
        let format = format.strip_suffix(" \"\"").map_or(format.clone(), str::to_string);
        let values: String = values.iter().map(|value| format!(", {value}")).collect();
        let trace = match backtrace(self.locs, loc) {
            trace if trace.is_empty() => "NULL".to_string(),
            trace => quoted(&trace),
        };
        let condition = negated(self, cond).text;
        self.lines.open(format!("if (KZ_UNLIKELY({condition})) {{"));
        self.lines.line(format!("kz_fail(ctx, FUTHARK_PROGRAM_ERROR, {trace},"));
        self.lines.line(format!("        {format}{values});"));
        // The compiler sees that this is not 0, and so that results are there whenever they are used.
        self.lines.line("return FUTHARK_PROGRAM_ERROR;");
        self.lines.close("}");
    }

    /// How `printf` shows a value.
    fn shown(&self, value: &Exp) -> (String, String) {
        let prim = value.prim();
        let macro_name = match prim {
            Prim::I8 | Prim::I16 | Prim::I32 => "PRId32",
            Prim::I64 => "PRId64",
            Prim::U8 | Prim::U16 | Prim::U32 => "PRIu32",
            Prim::U64 => "PRIu64",
            Prim::Bool => {
                let choice = format!("{} ? \"true\" : \"false\"", exp::exp(self, value).at(Prec::Or));
                return ("%s".to_string(), choice);
            }
            Prim::F16 | Prim::F32 | Prim::F64 => {
                let double = match prim {
                    Prim::F16 => format!("f16_to_f64({})", plain(self, value)),
                    _ => plain(self, value),
                };
                let (is_double, name) = (prim == Prim::F64, prim.name());
                let text = format!("kz_float_text((char[KZ_FLOAT_TEXT]){{0}}, {double}, {is_double}, \"{name}\")");
                return ("%s".to_string(), text);
            }
        };
        let wide = match prim {
            Prim::I8 | Prim::I16 => Prim::I32,
            Prim::U8 | Prim::U16 => Prim::U32,
            other => other,
        };
        let is_exact = matches!(value, Exp::Var(..) | Exp::Load { .. }) && wide == prim;
        let text = exp::exp(self, value);
        let text = if is_exact { text.text } else { format!("({}){}", c_type(wide), text.at(Prec::Unary)) };
        (format!("%\" {macro_name} \""), text)
    }

    fn trace(&mut self, tag: Symbol, value: &Traced) {
        let tag = quoted(if tag.as_str().is_empty() { "Trace" } else { tag.as_str() });
        let line = match value {
            Traced::Scalar(x) => {
                let prim = x.prim();
                let value = plain(self, x);
                format!("kz_trace(ctx, {tag}, {}, 0, NULL, NULL, &({}){{{value}}});", tag_of(prim), c_type(prim))
            }
            Traced::Array { block, prim, offset, sizes } => {
                self.rank = self.rank.max(sizes.len());
                let step = |k: usize| {
                    let factors = sizes[k + 1..].iter().cloned();
                    factors.reduce(|x, y| Exp::Mul(Box::new(x), Box::new(y))).unwrap_or(Exp::i64(1))
                };
                let steps: Vec<Exp> = (0..sizes.len()).map(step).collect();
                let side = Side { block: *block, offset: offset.clone(), strides: Vec::new() };
                format!(
                    "kz_trace(ctx, {tag}, {}, {}, {}, {}, {});",
                    tag_of(*prim),
                    sizes.len(),
                    self.numbers(sizes),
                    self.numbers(&steps),
                    self.address(&side, *prim)
                )
            }
        };
        self.lines.line(line);
    }
}

/// The lines that say where a check stands and through which calls it was reached.
fn backtrace(locs: &Locs, loc: LocId) -> String {
    let line = |(i, place): (usize, Symbol)| format!("{}#{i}  {place}\n", if i == 0 { "-> " } else { "   " });
    locs.chain(loc).into_iter().enumerate().map(line).collect()
}

/// The constant of the run-time system for a primitive type.
pub fn tag_of(prim: Prim) -> String {
    format!("KZ_{}", prim.name().to_ascii_uppercase())
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
        // What is nested may mention anything.
        Stm::For { .. } | Stm::While { .. } | Stm::If { .. } | Stm::Switch { .. } | Stm::Trace { .. } => true,
        Stm::Chunks { .. } | Stm::Parallel { .. } | Stm::Launch { .. } | Stm::Race { .. } => true,
        Stm::Streams { .. } | Stm::Stream { .. } => true,
        Stm::Declare { .. } | Stm::Local { .. } => false,
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
