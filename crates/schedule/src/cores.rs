//! Which `par`s run on the cores of the CPU.
//!
//! ```text
//! let b_1 = par (i_2 < n_3) own {              let b_1 = par core (i_2 < n_3) own {
//!   let s_4 = par (j_5 < m_6) reduce … {…}  ⇒    let s_4 = par core (j_5 < m_6) reduce … {…}
//!   in s_4                                       in s_4
//! }                                            }
//! ```
//!
//! Each `par` in host code does, and so does what stands in it, if the sizes may be large: `core` in `core` runs in
//! parallel where the one around it has fewer iterations than there are cores, and in sequence otherwise. Whether there
//! is enough to do for a second core is decided when the program runs.
//!
//! | attribute | |
//! |---|---|
//! | `#[sequential]` | nothing of it runs in parallel |
//! | `#[sequential_outer]` | it does not, what is in it may |
//! | `#[sequential_inner]` | it may, what is in it does not |
//!
//! What has a level already keeps it. Functions that are only called from inside a `par` stay as they are. Linear.

use kenaz_base::{Symbol, with_stack};
use kenaz_ir::visit::{for_each_body, for_each_body_mut};
use kenaz_ir::{Attr, Attrs, Body, Exp, Form, Level, Log, Operand, Par, Pass, Prog, Stm};
use rustc_hash::FxHashSet;

pub const CORES: Pass = Pass {
    name: "cores",
    about: "say what runs on the cores of the CPU",
    stage: Some(kenaz_ir::Stage::Parallel),
    run: cores,
};

/// A `par` inside of another with fewer iterations than this is not worth a second version.
const SMALL: i64 = 1024;

/// How deeply `core` stands in `core`: each level is one more version of what is inside.
const DEEPEST: usize = 3;

pub fn cores(prog: &mut Prog, log: &mut Log) {
    let mut on_host: FxHashSet<Symbol> = FxHashSet::default();
    // Callees stand before their callers.
    for fun in prog.funs.iter().rev() {
        if fun.entry.is_some() || on_host.contains(&fun.name) {
            calls(&fun.body, &mut on_host);
            on_host.insert(fun.name);
        }
    }
    for fun in prog.funs.iter_mut().filter(|fun| on_host.contains(&fun.name)) {
        Cores { log: &mut *log }.body(&mut fun.body, 0);
    }
}

/// The functions that host code calls.
fn calls(body: &Body, out: &mut FxHashSet<Symbol>) {
    with_stack(|| {
        for stm in &body.stms {
            match &stm.exp {
                Exp::Call(f, _) => drop(out.insert(*f)),
                Exp::Par(_) => {}
                exp => for_each_body(exp, |body| calls(body, out)),
            }
        }
    });
}

struct Cores<'a> {
    log: &'a mut Log,
}

impl Cores<'_> {
    /// A body with so many `core`s around it.
    fn body(&mut self, body: &mut Body, depth: usize) {
        with_stack(|| body.stms.iter_mut().for_each(|stm| self.stm(stm, depth)));
    }

    fn stm(&mut self, stm: &mut Stm, depth: usize) {
        if has(&stm.attrs, "sequential") {
            if matches!(stm.exp, Exp::Par(_)) {
                self.log.decide("sequential", stm.loc, "`#[sequential]`");
            }
            return;
        }
        let Exp::Par(par) = &mut stm.exp else {
            return for_each_body_mut(&mut stm.exp, |body| self.body(body, depth));
        };
        if par.level.is_some_and(|level| level != Level::Core) {
            return;
        }
        let outer = has(&stm.attrs, "sequential_outer") || makes_operands(par) || !is_worth(par, depth);
        let stays = par.level.is_none() && outer;
        let inner = if stays { depth } else { depth + 1 };
        if !stays {
            par.level = Some(Level::Core);
            let place = if depth == 0 { "" } else { ", where the one around it has too few iterations" };
            self.log.decide("core", stm.loc, format!("its iterations are independent{place}"));
        }
        // Reductions on the cores have one version.
        let versions = stays || par.ops.is_empty();
        if versions && inner < DEEPEST && !has(&stm.attrs, "sequential_inner") {
            self.body(&mut par.body, inner);
        }
    }
}

/// Whether the iterations make arrays only to combine them or to write them somewhere: each worker would need a block of
/// its own for them.
fn makes_operands(par: &Par) -> bool {
    let is_view = |exp: &Exp| {
        matches!(
            exp,
            Exp::Index(..)
                | Exp::Slice(..)
                | Exp::Rearrange(..)
                | Exp::Reshape(..)
                | Exp::Resize(..)
                | Exp::FlatIndex(..)
                | Exp::Operand(_)
        )
    };
    let stms = || par.body.stms.iter().chain(par.post.iter().flat_map(|post| &post.body.stms));
    let is_made = |x: &Operand| {
        stms().any(|stm| {
            !is_view(&stm.exp) && stm.pat.iter().any(|param| param.ty.is_array() && x.name() == Some(param.name))
        })
    };
    let (body, first) = par.yields();
    let mut values = body.results[first..].iter();
    let written = par.forms.iter().flat_map(|form| {
        let these: Vec<&Operand> = values.by_ref().take(form.operands()).collect();
        if matches!(form, Form::Write { .. } | Form::Acc { .. }) { these } else { Vec::new() }
    });
    // What operators combine, which are scalars unless they have a shape.
    par.body.results[..par.operands()].iter().chain(written).any(is_made)
}

/// Whether a `par` may have enough iterations.
fn is_worth(par: &Par, depth: usize) -> bool {
    let constant = |n: &Operand| match n {
        Operand::Const(c) => c.as_i64(),
        Operand::Var(_) => None,
    };
    let least = if depth == 0 { 2 } else { SMALL };
    let product = par.space.iter().try_fold(1i64, |product, (_, n)| Some(product.saturating_mul(constant(n)?)));
    product.is_none_or(|product| product >= least)
}

fn has(attrs: &Attrs, wanted: &str) -> bool {
    attrs.0.iter().any(|attr| matches!(attr, Attr::Name(name) if name.as_str() == wanted))
}
