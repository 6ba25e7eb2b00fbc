//! Statements about what runs at the same time: how many chunks a loop has, their launch, the memory of those who run
//! them, and stores that race.

use super::RegionFn;
use crate::dialect::exp::{self, Idents, Prec, plain};
use crate::dialect::writer::{Place, Writer};
use crate::parts::Part;
use kenaz_base::{Prim, Symbol};
use kenaz_imp::{Arg, Exp, Lanes, Ty};
use kenaz_ir::Name;

impl Writer<'_> {
    pub(crate) fn chunks(&mut self, name: Name, iterations: &Exp, work: &Exp, uneven: bool) {
        let (iterations, work) = (plain(self, iterations), plain(self, work));
        let ident = self.scopes.declare(name);
        let function = self.rts(Part::Parallel, "kz_chunks");
        self.lines.line(format!("int64_t {ident} = {function}(ctx, {iterations}, {work}, {uneven});"));
        if !self.uses.is_live(name) {
            self.lines.line(format!("(void){ident};"));
        }
    }

    pub(crate) fn workers(&mut self, name: Name) {
        let part = if matches!(self.place, Place::Host) { Part::Device } else { Part::Parallel };
        let function = self.rts(part, "kz_workers");
        let left = self.declare(name, Ty::Scalar(Prim::I64));
        self.lines.line(format!("{left} = {function}(ctx);"));
    }

    pub(crate) fn slot(&mut self, name: Name, from: Name, offset: &Exp) {
        if self.is_kernel() {
            let (block, offset) = (self.scopes.get(from).to_string(), exp::exp(self, offset).at(Prec::Sum));
            if self.shared.contains(&from) {
                self.shared.insert(name);
            }
            let left = self.declare_block(name);
            let space = self.space_of(name);
            let cast = match self.pointers.get(&name).copied().flatten() {
                Some(prim) => format!("({space}{} *)", self.element(prim)),
                None => String::new(),
            };
            return self.lines.line(format!("{left} = {cast}(({space}char *){block} + {offset});"));
        }
        let value =
            format!("{}({}, {})", self.rts(Part::Parallel, "kz_slot"), self.scopes.get(from), plain(self, offset));
        let left = self.declare_block(name);
        self.lines.line(format!("{left} = {value};"));
    }

    pub(crate) fn race(&mut self, block: Name, prim: Prim, index: &Exp, value: &Exp) {
        let left = format!("{}[{}]", self.elements(block, prim), exp::index(self, index).text);
        let value = plain(self, value);
        if self.is_kernel() {
            return self.lines.line(format!("{left} = {value};"));
        }
        self.lines.line(format!("{}(&{left}, {value});", self.rts(Part::Threads, "KZ_RACE")));
    }

    /// Leaves the region where another one of those launched with it has set the error.
    pub(crate) fn leave_if_stopped(&mut self) {
        let function = self.rts(Part::Parallel, "kz_has_stopped");
        self.lines.line(format!("if (KZ_UNLIKELY({function}(ctx))) return FUTHARK_PROGRAM_ERROR;"));
    }

    pub(crate) fn launch(
        &mut self,
        region: Symbol,
        args: &[Arg],
        iterations: &Exp,
        count: &Exp,
        lanes: Option<&Lanes>,
    ) {
        let of @ RegionFn { stem, summary, kernel, .. } = &self.regions[&region];
        if let Some(kernel) = kernel {
            return self.launch_kernel(of, *kernel, args, iterations, count, lanes);
        }
        let values = self.arguments(args, summary);
        let mut env = "NULL".to_string();
        if !values.is_empty() {
            let ident = self.scopes.fresh("env");
            self.lines.line(format!("struct env_{stem} {ident} = {{{}}};", values.join(", ")));
            env = format!("&{ident}");
        }
        let (iterations, count) = (plain(self, iterations), plain(self, count));
        let function = self.rts(Part::Parallel, "kz_parallel");
        let call = format!("{function}(ctx, run_{stem}, {env}, {iterations}, {count})");
        if summary.fails {
            self.lines.line(format!("err = {call};"));
            self.lines.line("if (err != 0) return err;");
        } else {
            self.lines.line(format!("{call};"));
        }
    }
}
