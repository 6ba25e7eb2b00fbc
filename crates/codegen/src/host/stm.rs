//! Statements that are calls: of the run-time system for memory, checks and traces, and of other functions.

use crate::dialect::exp::{self, Idents, Prec, negated, plain};
use crate::dialect::text::{escaped, quoted};
use crate::dialect::writer::{Place, Writer};
use crate::host::types::tag_of;
use crate::parts::Part;
use crate::uses::{ParamUse, Summary};
use kenaz_base::{Prim, Symbol};
use kenaz_imp::{Arg, Exp, MessagePart, Side, Traced, Ty};
use kenaz_ir::{LocId, Locs, Name, Space};

impl Writer<'_> {
    pub(crate) fn alloc(&mut self, name: Name, space: Space, bytes: &Exp) {
        assert_ne!(space, Space::Shared, "a block in {space} memory in host code");
        let bytes = plain(self, bytes);
        let left = self.declare(name, Ty::Block(space));
        self.lines.line(format!("{left} = {}(ctx, {bytes});", self.rts(Part::Memory, "kz_alloc")));
        self.lines.line(format!("if (KZ_UNLIKELY({} == NULL)) return FUTHARK_OUT_OF_MEMORY;", self.scopes.get(name)));
    }

    pub(crate) fn free(&mut self, name: Name) {
        let free = self.rts(Part::Memory, "kz_free");
        self.lines.line(format!("{free}(ctx, {});", self.scopes.get(name)));
    }

    pub(crate) fn share(&mut self, name: Name, from: Name) {
        let value = format!("{}({})", self.rts(Part::Memory, "kz_share"), self.scopes.get(from));
        let left = self.declare_block(name);
        self.lines.line(format!("{left} = {value};"));
    }

    pub(crate) fn streams(&mut self, name: Name, bytes: &Exp) {
        let bytes = plain(self, bytes);
        let left = self.declare(name, Ty::Scalar(Prim::Bool));
        self.lines.line(format!("{left} = {}({bytes});", self.rts(Part::Stream, "kz_streams")));
    }

    pub(crate) fn stream(&mut self, block: Name, prim: Prim, index: &Exp, from: Name) {
        let to = format!("&{}[{}]", self.elements(block, prim), exp::index(self, index).text);
        let from = self.elements(from, prim);
        self.lines.line(format!("{}({to}, {from});", self.rts(Part::Stream, "kz_stream_lines")));
    }

    pub(crate) fn call(&mut self, fun: Symbol, args: &[Arg], results: &[Name]) {
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
            self.lines.line(format!("{} *{ident} = {raw};", self.element(prim)));
            self.scopes.rename(block, ident);
            self.pointers.insert(block, Some(prim));
        }
    }

    /// The arguments for the parameters that a callee uses.
    pub(crate) fn arguments(&self, args: &[Arg], callee: &Summary) -> Vec<String> {
        let text = |(arg, param): (&Arg, &ParamUse)| match (arg, param) {
            (_, ParamUse::Unused) => None,
            (Arg::Scalar(x), _) => Some(plain(self, x)),
            (Arg::Block(block), param) => Some(self.block_argument(*block, *param)),
        };
        args.iter().zip(&callee.params).filter_map(text).collect()
    }

    pub(crate) fn block_argument(&self, block: Name, param: ParamUse) -> String {
        let ident = self.scopes.get(block);
        if self.direct.contains(&block) {
            return format!("*{ident}");
        }
        match (self.pointers.get(&block).copied().flatten(), param) {
            (Some(own), ParamUse::Block { prim: Some(prim), .. }) if own != prim => {
                format!("({} *){ident}", self.element(prim))
            }
            _ => ident.to_string(),
        }
    }

    pub(crate) fn assert(&mut self, cond: &Exp, message: &[MessagePart], loc: LocId) {
        if let Place::Kernel { failures, host_needs } = self.place {
            return self.assert_in_kernel(failures, host_needs, cond, message, loc);
        }
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
        // A format that ends with a value needs no empty string literal after it.
        let format = format.strip_suffix(" \"\"").map_or(format.clone(), str::to_string);
        let values: String = values.iter().map(|value| format!(", {value}")).collect();
        let trace = match backtrace(self.locs, loc) {
            trace if trace.is_empty() => "NULL".to_string(),
            trace => quoted(&trace),
        };
        let condition = negated(self, cond).text;
        self.lines.open(format!("if (KZ_UNLIKELY({condition})) {{"));
        self.lines.line(format!("{}(ctx, FUTHARK_PROGRAM_ERROR, {trace},", self.rts(Part::Context, "kz_fail")));
        self.lines.line(format!("        {format}{values});"));
        // The compiler sees that this is not 0, and so that results are there whenever they are used.
        self.lines.line("return FUTHARK_PROGRAM_ERROR;");
        self.lines.close("}");
    }

    /// An array in the memory of a device is printed from a copy.
    fn trace_far(&mut self, tag: &str, prim: Prim, side: &Side, sizes: &[Exp], steps: &[Exp]) {
        let function = self.rts(Part::Print, "kz_trace");
        let count = sizes.iter().cloned().reduce(Exp::mul).unwrap_or(Exp::i64(1));
        let count = plain(self, &Exp::add(side.offset.clone(), count));
        let (block, offset) = (self.scopes.get(side.block).to_string(), exp::exp(self, &side.offset).at(Prec::Product));
        let (view, size) = (self.scopes.fresh("view"), prim.bytes());
        let (look, done) = (self.rts(Part::Memory, "kz_view"), self.rts(Part::Memory, "kz_view_end"));
        self.lines.line(format!("const char *{view} = {look}(ctx, {block}, {count} * {size});"));
        self.lines.line(format!("if ({view} == NULL) return FUTHARK_OUT_OF_MEMORY;"));
        let of_type = tag_of(self.needs, prim);
        let (rank, shape, steps) = (sizes.len(), self.numbers(sizes), self.numbers(steps));
        self.lines
            .line(format!("{function}(ctx, {tag}, {of_type}, {rank}, {shape}, {steps}, {view} + {offset} * {size});"));
        self.lines.line(format!("{done}({view});"));
    }

    /// How `printf` shows a value.
    pub(crate) fn shown(&self, value: &Exp) -> (String, String) {
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
                    Prim::F16 => exp::conversion(self.needs, Prim::F16, Prim::F64, &plain(self, value)),
                    _ => plain(self, value),
                };
                let (is_double, name) = (prim == Prim::F64, prim.name());
                let function = self.rts(Part::Print, "kz_float_text");
                let text = format!("{function}((char[KZ_FLOAT_TEXT]){{0}}, {double}, {is_double}, \"{name}\")");
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
        let text = if is_exact { text.text } else { format!("({}){}", self.ty(wide), text.at(Prec::Unary)) };
        (format!("%\" {macro_name} \""), text)
    }

    pub(crate) fn trace(&mut self, tag: Symbol, value: &Traced) {
        let tag = quoted(if tag.as_str().is_empty() { "Trace" } else { tag.as_str() });
        let function = self.rts(Part::Print, "kz_trace");
        let line = match value {
            Traced::Scalar(x) => {
                let prim = x.prim();
                let (value, of_type) = (plain(self, x), tag_of(self.needs, prim));
                format!("{function}(ctx, {tag}, {of_type}, 0, NULL, NULL, &({}){{{value}}});", self.ty(prim))
            }
            Traced::Array { block, prim, offset, sizes } => {
                self.rank = self.rank.max(sizes.len());
                let step = |k: usize| {
                    let factors = sizes[k + 1..].iter().cloned();
                    factors.reduce(|x, y| Exp::Mul(Box::new(x), Box::new(y))).unwrap_or(Exp::i64(1))
                };
                let steps: Vec<Exp> = (0..sizes.len()).map(step).collect();
                let side = Side { block: *block, offset: offset.clone(), strides: Vec::new() };
                if matches!(self.place, Place::Host) {
                    return self.trace_far(&tag, *prim, &side, sizes, &steps);
                }
                format!(
                    "{function}(ctx, {tag}, {}, {}, {}, {}, {});",
                    tag_of(self.needs, *prim),
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
pub(crate) fn backtrace(locs: &Locs, loc: LocId) -> String {
    let line = |(i, place): (usize, Symbol)| format!("{}#{i}  {place}\n", if i == 0 { "-> " } else { "   " });
    locs.chain(loc).into_iter().enumerate().map(line).collect()
}
