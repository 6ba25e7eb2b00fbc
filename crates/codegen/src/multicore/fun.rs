//! Regions for the cores of a CPU. The body of one becomes a function, and its parameters the fields of a struct:
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
//! static int run_main_1(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len,
//!     int64_t worker) {
//!   const struct env_main_1 *env = with;
//!   (void)ctx;
//!   (void)chunk;
//!   (void)worker;
//!   loop_main_1(env->xs, env->ys, start, len);
//!   return 0;
//! }
//! ```
//!
//! The function that launches it fills such a struct and says `kz_parallel(ctx, run_main_1, &env, n, chunks)`.
//! That there are two functions is for the sake of `restrict`, which C compilers obey only in parameters.

use crate::dialect::exp::{c_type, element_type};
use crate::dialect::names::Scopes;
use crate::dialect::text::Lines;
use crate::parts::Needs;
use crate::uses::{ParamUse, Summary};
use kenaz_imp::Region;

/// A region that has become functions.
#[derive(Clone, Debug)]
pub(crate) struct RegionFn {
    /// What the names of its functions and of its struct end with.
    pub stem: String,
    /// Of the function that is its body. Its parameters are those of the region and its ids.
    pub summary: Summary,
    /// Its number, if it is a kernel.
    pub kernel: Option<usize>,
    /// Whether that is one for blocks which know nothing of each other.
    pub is_of_rows: bool,
    /// Whether it is compiled again for small numbers.
    pub is_narrow: bool,
}

impl RegionFn {
    /// Whether a launch of it may fail: that of a kernel can always.
    pub(crate) fn fails(&self) -> bool {
        self.summary.fails || self.kernel.is_some()
    }
}

/// The struct of a region and the function that the run-time system calls for each chunk.
pub(crate) fn write_run(lines: &mut Lines, region: &Region, of: &RegionFn, needs: &Needs) {
    let RegionFn { stem, summary, .. } = of;
    let free = &region.params;
    let mut scopes = Scopes::new();
    let (mut fields, mut args) = (Vec::new(), Vec::new());
    let chunk = ["chunk", "start", "len", "worker"];
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
            ParamUse::Scalar(prim) => format!("{} {ident};", c_type(needs, *prim)),
            ParamUse::Block { prim, is_const } => {
                let element = prim.map_or("void", |prim| element_type(needs, prim));
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
        "static int run_{stem}(struct futhark_context *ctx, const void *with, int64_t chunk, int64_t start, int64_t len, int64_t worker) {{"
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
