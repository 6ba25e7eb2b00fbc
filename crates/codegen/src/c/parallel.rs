//! Parallel loops. The body of one becomes a function of its own, and what it needs from around it the fields of a struct:
//!
//! ```c
//! struct env_main_1 {
//!   const float *xs;
//!   float *ys;
//! };
//!
//! // a loop of main, a.fut:1:12-30
//! static void loop_main_1(const float *restrict xs, float *ys, int64_t start, int64_t len) { … }
//!
//! static int run_main_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len) {
//!   const struct env_main_1 *env = with;
//!   (void)ctx;
//!   (void)chunk;
//!   loop_main_1(env->xs, env->ys, start, len);
//!   return 0;
//! }
//! ```
//!
//! The function that the loop stands in fills such a struct and says `kz_parallel(ctx, run_main_1, &env, n, chunks)`.
//! That there are two functions is for the sake of `restrict`, which C compilers obey only in parameters.

use super::exp::c_type;
use super::names::Scopes;
use super::text::Lines;
use super::uses::{ParamUse, Summary};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_imp::visit::for_each_stm;
use kenaz_imp::{Arg, Exp, Fun, Param, Side, Stm, Traced, Ty};
use kenaz_ir::{LocId, Name};
use rustc_hash::FxHashSet;

/// A loop that has become functions.
#[derive(Clone, Debug)]
pub struct Loop {
    /// What the names of its functions and of its struct end with.
    pub stem: String,
    /// What it needs from around it.
    pub free: Vec<Param>,
    /// Of the function that is its body. Its parameters are those of `free` and the three of a chunk.
    pub summary: Summary,
}

/// The parallel loops in a function: the name of their chunk, which no other loop has, and their body as a function.
pub fn bodies(fun: &Fun) -> Vec<(Name, Fun)> {
    let mut found = Vec::new();
    for_each_stm(&fun.body, &mut |stm| {
        if let Stm::Parallel { chunk, start, len, body, loc, .. } = stm {
            found.push((*chunk, as_function(fun, [*chunk, *start, *len], body, *loc)));
        }
    });
    found
}

fn as_function(around: &Fun, of_chunk: [Name; 3], body: &[Stm], loc: LocId) -> Fun {
    let mut params = free(body, &of_chunk);
    params.extend(of_chunk.map(|name| Param { name, ty: Ty::Scalar(Prim::I64) }));
    let name = Symbol::intern(&format!("a loop of {}", around.name));
    Fun { name, entry: None, params, results: Vec::new(), body: body.to_vec(), loc }
}

/// The variables of statements that are declared around them, in the order of their first use.
fn free(stms: &[Stm], declared: &[Name]) -> Vec<Param> {
    let mut free = Free { known: declared.iter().copied().collect(), found: Vec::new() };
    for_each_stm(stms, &mut |stm| free.stm(stm));
    free.found
}

/// Names are declared once, and before they are used.
struct Free {
    /// Declared inside, or found already.
    known: FxHashSet<Name>,
    found: Vec<Param>,
}

impl Free {
    fn add(&mut self, name: Name, ty: Ty) {
        if self.known.insert(name) {
            self.found.push(Param { name, ty });
        }
    }

    fn block(&mut self, name: Name) {
        self.add(name, Ty::Block);
    }

    fn exp(&mut self, exp: &Exp) {
        with_stack(|| {
            match exp {
                Exp::Var(name, prim) => self.add(*name, Ty::Scalar(*prim)),
                Exp::Load { block, .. } => self.block(*block),
                _ => {}
            }
            exp.for_each_part(|part| self.exp(part));
        });
    }

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::SetBlock { from, .. } | Stm::Share { from, .. } => self.block(*from),
            Stm::Store { block, .. } | Stm::Race { block, .. } => self.block(*block),
            Stm::Copy { to: Side { block: to, .. }, from: Side { block: from, .. }, .. }
            | Stm::Stream { block: to, from, .. } => {
                self.block(*to);
                self.block(*from);
            }
            Stm::Call { args, .. } => {
                for arg in args {
                    match arg {
                        Arg::Block(block) => self.block(*block),
                        Arg::Scalar(_) => {}
                    }
                }
            }
            Stm::Trace { value: Traced::Array { block, .. }, .. } => self.block(*block),
            // A body sets and frees only what is its own.
            Stm::Let { .. }
            | Stm::Declare { .. }
            | Stm::Set { .. }
            | Stm::Alloc { .. }
            | Stm::Local { .. }
            | Stm::Free { .. }
            | Stm::For { .. }
            | Stm::While { .. }
            | Stm::If { .. }
            | Stm::Switch { .. }
            | Stm::Chunks { .. }
            | Stm::Streams { .. }
            | Stm::Parallel { .. }
            | Stm::Assert { .. }
            | Stm::Trace { value: Traced::Scalar(_), .. } => {}
        }
        stm.for_each_exp(|exp| self.exp(exp));
        self.known.extend(stm.declares());
        match stm {
            Stm::For { var, .. } => self.known.extend([*var]),
            Stm::Parallel { chunk, start, len, .. } => self.known.extend([*chunk, *start, *len]),
            _ => {}
        }
    }
}

/// The struct of a loop and the function that the run-time system calls for each chunk.
pub fn write_run(lines: &mut Lines, of: &Loop) {
    let Loop { stem, free, summary } = of;
    let mut scopes = Scopes::new();
    let (mut fields, mut args) = (Vec::new(), Vec::new());
    let chunk = ["chunk", "start", "len"];
    let mut used_of_chunk = Vec::new();
    for (i, used) in summary.params.iter().enumerate() {
        if matches!(used, ParamUse::Unused) {
            continue;
        }
        let Some(param) = free.get(i) else {
            used_of_chunk.push(chunk[i - free.len()]);
            args.push(chunk[i - free.len()].to_string());
            continue;
        };
        let ident = scopes.declare(param.name);
        args.push(format!("env->{ident}"));
        fields.push(match used {
            ParamUse::Unused => continue,
            ParamUse::Scalar(prim) => format!("{} {ident};", c_type(*prim)),
            ParamUse::Block { prim, is_const } => {
                let element = prim.map_or("void", c_type);
                format!("{}{element} *{ident};", if *is_const { "const " } else { "" })
            }
        });
    }
    if !fields.is_empty() {
        lines.open(format!("struct env_{stem} {{"));
        fields.iter().for_each(|field| lines.line(field));
        lines.close("};");
        lines.line("");
    }
    lines.open(format!(
        "static int run_{stem}(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len) {{"
    ));
    if fields.is_empty() {
        lines.line("(void)with;");
    } else {
        lines.line(format!("const struct env_{stem} *env = with;"));
    }
    if summary.needs_context {
        args.insert(0, "ctx".to_string());
    } else {
        lines.line("(void)ctx;");
    }
    for unused in chunk.iter().filter(|name| !used_of_chunk.contains(name)) {
        lines.line(format!("(void){unused};"));
    }
    let call = format!("{}({})", summary.ident, args.join(", "));
    if summary.fails {
        lines.line(format!("return {call};"));
    } else {
        lines.line(format!("{call};"));
        lines.line("return 0;");
    }
    lines.close("}");
    lines.line("");
}
