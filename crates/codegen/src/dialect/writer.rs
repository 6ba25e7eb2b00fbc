//! The inside of a function: its variables, and what it needs to be written.

use super::exp::{Idents, Prec, Text, c_type, element_type, operator, plain};
use super::names::Scopes;
use super::tables::Tables;
use super::text::Lines;
use crate::gpu::{BlockCode, Failures};
use crate::multicore::RegionFn;
use crate::parts::{Needs, Part};
use crate::uses::{Summary, Uses};
use kenaz_base::{Prim, Symbol};
use kenaz_imp::{Exp, Ty};
use kenaz_ir::{Locs, Name, Space, Tunable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// The inside of a function.
pub(crate) struct Writer<'a> {
    pub lines: Lines,
    pub scopes: Scopes,
    pub uses: &'a Uses,
    pub summaries: &'a FxHashMap<Symbol, Summary>,
    pub regions: &'a FxHashMap<Symbol, RegionFn>,
    /// Whether the text being written is the body of a region, outside all loops of that body.
    pub is_chunk: bool,
    pub place: Place<'a>,
    pub locs: &'a Locs,
    /// The parts of the run-time system that the text needs.
    pub needs: &'a Needs,
    /// The tables of constants that the text mentions.
    pub tables: &'a Tables,
    /// The numbers that are set when the program runs.
    pub tunables: &'a Tunables,
    /// The pointers that blocks are: the type of their elements, if it is known.
    pub pointers: FxHashMap<Name, Option<Prim>>,
    /// The blocks that are on the stack or constants: pointers to them need no space of memory.
    pub private: FxHashSet<Name>,
    /// The blocks in the memory that the lanes of a block share.
    pub shared: FxHashSet<Name>,
    /// In a kernel for blocks: what its lanes are about.
    pub block: Option<BlockCode>,
    /// In an update of several elements: the lock that is given back before a thread leaves.
    pub held: Option<String>,
    /// Results that go straight to where the caller wants them.
    pub direct: FxHashSet<Name>,
    /// Variables that are declared where they are first set.
    pub late: FxHashMap<Name, Ty>,
    /// In a kernel: variables of type `i64` that may have 32 bits.
    pub narrow: FxHashSet<Name>,
    /// Whether the text being written is the body of a loop that C compilers may run in vectors.
    pub in_vectors: bool,
    /// The most dimensions of a copy or trace.
    pub rank: usize,
}

/// Numbers that are set when the program runs, in the order of their indices.
#[derive(Debug, Default)]
pub(crate) struct Tunables(RefCell<Vec<Tunable>>);

impl Tunables {
    /// The index of one, which is the same for the same name.
    pub(crate) fn index(&self, of: &Tunable) -> usize {
        let mut all = self.0.borrow_mut();
        let found = all.iter().position(|tunable| tunable.name == of.name);
        found.unwrap_or_else(|| {
            all.push(of.clone());
            all.len() - 1
        })
    }

    pub(crate) fn into_inner(self) -> Vec<Tunable> {
        self.0.into_inner()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.borrow().len()
    }
}

/// Where the text is that is being written.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// Code that runs where its arrays are. Large copies may be shared by the threads.
    Cpu { shares_copies: bool },
    /// Host code whose arrays are in the memory of a device.
    Host,
    /// A kernel, with the checks of all kernels and what the host needs to report them.
    Kernel { failures: &'a Failures, host_needs: &'a Needs },
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
            Some(Some(own)) if *own == prim => ident.to_string(),
            _ => format!("(({}{} *){ident})", self.space_of(block), self.element(prim)),
        }
    }

    fn needs(&self) -> &Needs {
        self.needs
    }

    fn is_narrow(&self, name: Name) -> bool {
        self.narrow.contains(&name)
    }

    fn is_alone(&self) -> bool {
        !self.in_vectors && !self.is_kernel()
    }
}

impl Writer<'_> {
    /// A primitive type.
    pub(crate) fn ty(&self, prim: Prim) -> &'static str {
        c_type(self.needs, prim)
    }

    /// The type of a variable.
    pub(crate) fn type_of(&self, name: Name, prim: Prim) -> &'static str {
        if self.is_narrow(name) { "kz_int" } else { self.ty(prim) }
    }

    /// The type of the elements of a block.
    pub(crate) fn element(&self, prim: Prim) -> &'static str {
        element_type(self.needs, prim)
    }

    /// A name of the run-time system, whose part is noted.
    pub(crate) fn rts(&self, part: Part, name: &'static str) -> &'static str {
        self.needs.name(part, name)
    }

    pub(crate) fn is_kernel(&self) -> bool {
        matches!(self.place, Place::Kernel { .. })
    }

    /// The qualifier of what a block points to.
    pub(crate) fn space_of(&self, block: Name) -> &'static str {
        match self.is_kernel() && !self.private.contains(&block) {
            true if self.shared.contains(&block) => "KZ_SHARED ",
            true => "KZ_GLOBAL ",
            false => "",
        }
    }

    /// Whether a variable has to be declared at all.
    pub(crate) fn is_wanted(&self, name: Name) -> bool {
        self.uses.is_live(name) || self.uses.sets.get(&name).is_some_and(|sets| sets.by_call)
    }

    /// `float x`, or `float *x` for a block.
    pub(crate) fn declare(&mut self, name: Name, ty: Ty) -> String {
        match ty {
            Ty::Scalar(prim) => format!("{} {}", self.type_of(name, prim), self.scopes.declare(name)),
            Ty::Block(space) => {
                match space {
                    Space::Private => drop(self.private.insert(name)),
                    Space::Shared => drop(self.shared.insert(name)),
                    Space::Host | Space::Device => {}
                }
                self.declare_block(name)
            }
        }
    }

    pub(crate) fn declare_block(&mut self, name: Name) -> String {
        let ident = self.scopes.declare(name);
        let by_call = self.uses.sets.get(&name).is_some_and(|sets| sets.by_call);
        let prim = self.uses.prim(name).filter(|_| !by_call);
        self.pointers.insert(name, prim);
        format!("{}{} *{ident}", self.space_of(name), prim.map_or("void", |prim| self.element(prim)))
    }

    /// The left side of what sets a variable, perhaps for the first time; nothing if nobody wants to know.
    pub(crate) fn target(&mut self, name: Name) -> Option<String> {
        if !self.is_wanted(name) {
            return None;
        }
        Some(match self.late.remove(&name) {
            Some(ty) => self.declare(name, ty),
            None => self.scalar(name).text,
        })
    }

    pub(crate) fn set(&mut self, name: Name, value: &Exp) {
        // A dead value may refer to undeclared variables.
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
    pub(crate) fn assign(&mut self, left: &str, same: &Exp, value: &Exp) {
        let line = match value {
            Exp::Bin(op, prim, x, y) if **x == *same && operator(*op, *prim).is_some() => {
                let word = operator(*op, *prim).map_or("", |(word, _)| word);
                format!("{left} {word}= {};", plain(self, y))
            }
            _ => format!("{left} = {};", plain(self, value)),
        };
        self.lines.line(line);
    }

    pub(crate) fn set_block(&mut self, name: Name, from: Name) {
        let source = self.scopes.get(from).to_string();
        let Some(left) = self.target(name) else { return };
        let cast = match (self.pointers.get(&name).copied().flatten(), self.pointers.get(&from).copied().flatten()) {
            (Some(to), Some(from)) if to != from => format!("({}{} *)", self.space_of(name), self.element(to)),
            // No pointer changes its type by itself there.
            (Some(to), None) if self.is_kernel() => format!("({}{} *)", self.space_of(name), self.element(to)),
            _ => String::new(),
        };
        self.lines.line(format!("{left} = {cast}{source};"));
    }
}
