//! What host code asks of a device, and how kernels say that a check has failed.

use crate::dialect::exp::{self, Prec, negated, plain};
use crate::dialect::text::{Lines, escaped, quoted};
use crate::dialect::writer::Writer;
use crate::host::backtrace;
use crate::multicore::RegionFn;
use crate::parts::{Needs, Part};
use crate::uses::ParamUse;
use kenaz_base::Prim;
use kenaz_imp::{Arg, Exp, Lanes, MessagePart, Side};
use kenaz_ir::{LocId, Name};
use std::cell::RefCell;

/// The checks in kernels: for each the statement of the host that reports it.
#[derive(Debug, Default)]
pub(crate) struct Failures(RefCell<Vec<String>>);

/// A kernel has room for so many values of a message.
const MOST_VALUES: usize = 15;

impl Failures {
    /// The function that says which check has failed, by its number.
    pub(super) fn write(&self, lines: &mut Lines) {
        lines.open("static int kz_kernel_failed(struct futhark_context *ctx, int id, const int64_t *values) {");
        lines.line("(void)values;");
        lines.line("switch (id) {");
        for (at, failure) in self.0.borrow().iter().enumerate() {
            lines.line(format!("case {}: return {failure};", at + 1));
        }
        lines.line(
            "default: return kz_fail(ctx, FUTHARK_PROGRAM_ERROR, NULL, \"a kernel failed with the number %d.\", id);",
        );
        lines.line("}");
        lines.close("}");
        lines.line("");
    }
}

impl Writer<'_> {
    /// Leaves the function if a call has failed.
    fn checked(&mut self, call: String) {
        self.lines.line(format!("err = {call};"));
        self.lines.line("if (err != 0) return err;");
    }

    pub(crate) fn launch_kernel(
        &mut self,
        of: &RegionFn,
        kernel: usize,
        args: &[Arg],
        iterations: &Exp,
        count: &Exp,
        lanes: Option<&Lanes>,
    ) {
        let mut list = Vec::new();
        for (arg, param) in args.iter().zip(&of.summary.params) {
            match (arg, param) {
                (_, ParamUse::Unused) => {}
                (Arg::Scalar(x), _) if x.prim() == Prim::I64 => {
                    list.push(format!("{{KZ_INTEGER, &(int64_t){{{}}}}}", plain(self, x)));
                }
                (Arg::Scalar(x), _) => {
                    let ty = self.element(x.prim());
                    list.push(format!("{{sizeof({ty}), &({ty}){{{}}}}}", plain(self, x)));
                }
                (Arg::Block(block), _) => list.push(format!("{{0, {}}}", self.block_argument(*block, *param))),
            }
        }
        // More than any number is for one case only.
        let iterations = if of.is_narrow { plain(self, iterations) } else { "INT64_MAX".to_string() };
        let count = plain(self, count);
        let (len, fails) = (list.len(), of.summary.fails);
        let list =
            if list.is_empty() { "NULL".into() } else { format!("(const struct kz_arg[]){{{}}}", list.join(", ")) };
        if let Some(Lanes { count: lanes, shared }) = lanes {
            let (lanes, shared) = (plain(self, lanes), plain(self, shared));
            let name = if of.is_of_rows { "kz_launch_rows" } else { "kz_launch_blocks" };
            let function = self.rts(Part::Device, name);
            return self.checked(format!(
                "{function}(ctx, {kernel}, {iterations}, {count}, {lanes}, {shared}, {len}, {list}, {fails})"
            ));
        }
        let function = self.rts(Part::Device, "kz_launch");
        self.checked(format!("{function}(ctx, {kernel}, {iterations}, {count}, {len}, {list}, {fails})"));
    }

    pub(crate) fn device_chunks(&mut self, name: Name, iterations: &Exp, work: &Exp, uneven: bool, combined: bool) {
        let (iterations, work) = (plain(self, iterations), plain(self, work));
        let ident = self.scopes.declare(name);
        let function = self.rts(Part::Device, "kz_chunks");
        self.lines.line(format!("int64_t {ident} = {function}(ctx, {iterations}, {work}, {uneven}, {combined});"));
        if !self.uses.is_live(name) {
            self.lines.line(format!("(void){ident};"));
        }
    }

    /// The first byte of an element.
    fn byte(&self, index: &Exp, prim: Prim) -> String {
        match index {
            Exp::Const(c) => (c.as_i64().unwrap_or(0) * prim.bytes() as i64).to_string(),
            index => format!("{} * {}", exp::index(self, index).at(Prec::Product), prim.bytes()),
        }
    }

    pub(crate) fn read(&mut self, name: Name, block: Name, prim: Prim, index: &Exp) {
        let at = self.byte(index, prim);
        let left = format!("{} {}", self.ty(prim), self.scopes.declare(name));
        self.lines.line(format!("{left};"));
        let (ident, block) = (self.scopes.get(name).to_string(), self.scopes.get(block).to_string());
        let function = self.rts(Part::Device, "kz_read");
        self.checked(format!("{function}(ctx, &{ident}, {block}, {at}, {})", prim.bytes()));
    }

    pub(crate) fn write_far(&mut self, block: Name, prim: Prim, index: &Exp, value: &Exp) {
        let at = self.byte(index, prim);
        let (block, value) = (self.scopes.get(block).to_string(), plain(self, value));
        let function = self.rts(Part::Device, "kz_write");
        let ty = self.element(prim);
        self.checked(format!("{function}(ctx, {block}, {at}, &({ty}){{{value}}}, {})", prim.bytes()));
    }

    pub(crate) fn copy_far(&mut self, prim: Prim, sizes: &[Exp], to: &Side, from: &Side) {
        let size = prim.bytes();
        let [to_block, from_block] = [to, from].map(|side| self.scopes.get(side.block).to_string());
        if self.private.contains(&from.block) {
            // A table, which is in host memory.
            let count = sizes.iter().cloned().reduce(Exp::mul).unwrap_or(Exp::i64(1));
            let bytes = format!("{} * {size}", exp::exp(self, &count).at(Prec::Product));
            let (at, from) = (self.byte(&to.offset, prim), self.address(from, prim));
            let function = self.rts(Part::Device, "kz_write");
            return self.checked(format!("{function}(ctx, {to_block}, {at}, {from}, {bytes})"));
        }
        self.rank = self.rank.max(sizes.len());
        let [to_offset, from_offset] = [to, from].map(|side| plain(self, &side.offset));
        let function = self.rts(Part::Device, "kz_copy_blocks");
        let rank = sizes.len();
        let [shape, to_steps, from_steps] = [sizes, &to.strides, &from.strides].map(|list| match rank {
            0 => "NULL".to_string(),
            _ => self.numbers(list),
        });
        self.checked(format!(
            "{function}(ctx, {size}, {rank}, {shape}, {to_block}, {to_offset}, {to_steps}, {from_block}, {from_offset}, {from_steps})"
        ));
    }

    /// A check inside a kernel: the first that fails leaves its number and the values of its message.
    pub(crate) fn assert_in_kernel(
        &mut self,
        failures: &Failures,
        host: &Needs,
        cond: &Exp,
        message: &[MessagePart],
        loc: LocId,
    ) {
        let mut format = String::from("\"");
        let (mut sent, mut shown) = (Vec::new(), String::new());
        for part in message {
            match part {
                MessagePart::Text(text) => format.push_str(&escaped(text).replace('%', "%%")),
                MessagePart::Value(_) if sent.len() == MOST_VALUES => format.push_str("..."),
                MessagePart::Value(value) => {
                    let (spec, decoded) = received(host, value.prim(), sent.len());
                    format.push_str(&spec);
                    shown.push_str(", ");
                    shown.push_str(&decoded);
                    sent.push(self.sent(value));
                }
            }
        }
        format.push('"');
        let format = format.strip_suffix(" \"\"").map_or(format.clone(), str::to_string);
        let trace = match backtrace(self.locs, loc) {
            trace if trace.is_empty() => "NULL".to_string(),
            trace => quoted(&trace),
        };
        let mut all = failures.0.borrow_mut();
        all.push(format!(
            "{}(ctx, FUTHARK_PROGRAM_ERROR, {trace},\n        {format}{shown})",
            host.name(Part::Context, "kz_fail")
        ));
        let id = all.len();
        self.lines.open(format!("if ({}) {{", negated(self, cond).text));
        self.lines.open(format!("if (kz_fails_first(kz_error, {id})) {{"));
        for (at, value) in sent.iter().enumerate() {
            self.lines.line(format!("kz_tell(kz_error, {at}, {value});"));
        }
        self.lines.line(format!("kz_tell_host(kz_error, {id}, {});", sent.len()));
        self.lines.close("}");
        if let Some(give_back) = self.held.clone() {
            self.lines.line(give_back);
        }
        let leave = self.leave_kernel();
        self.lines.line(leave);
        self.lines.close("}");
    }

    /// A value as an `int64_t`, floats by their bits.
    fn sent(&self, value: &Exp) -> String {
        let text = plain(self, value);
        let bits = match value.prim() {
            Prim::F32 => format!("{}({text})", self.rts_function("to_bits_f32")),
            Prim::F64 => format!("{}({text})", self.rts_function("to_bits_f64")),
            _ => format!("({text})"),
        };
        format!("(int64_t){bits}")
    }

    fn rts_function(&self, name: &'static str) -> &'static str {
        self.needs.add(Part::Real);
        name
    }
}

/// How `printf` shows a value that a kernel has sent.
fn received(needs: &Needs, prim: Prim, at: usize) -> (String, String) {
    let value = format!("values[{at}]");
    let (spec, cast) = match prim {
        Prim::I8 | Prim::I16 | Prim::I32 => ("PRId32", "int32_t"),
        Prim::I64 => ("PRId64", "int64_t"),
        Prim::U8 | Prim::U16 | Prim::U32 => ("PRIu32", "uint32_t"),
        Prim::U64 => ("PRIu64", "uint64_t"),
        Prim::Bool => return ("%s".to_string(), format!("{value} ? \"true\" : \"false\"")),
        Prim::F16 | Prim::F32 | Prim::F64 => {
            let double = match prim {
                Prim::F16 => exp::conversion(needs, Prim::F16, Prim::F64, &format!("(uint16_t){value}")),
                Prim::F32 => format!("from_bits_f32((uint32_t){value})"),
                _ => format!("from_bits_f64((uint64_t){value})"),
            };
            needs.add(Part::Real);
            let function = needs.name(Part::Print, "kz_float_text");
            let (is_double, name) = (prim == Prim::F64, prim.name());
            return ("%s".into(), format!("{function}((char[KZ_FLOAT_TEXT]){{0}}, {double}, {is_double}, \"{name}\")"));
        }
    };
    (format!("%\" {spec} \""), format!("({cast}){value}"))
}
