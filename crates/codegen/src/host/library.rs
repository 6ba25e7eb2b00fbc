//! The C API of a library: functions with the documented names, and a header that declares them. `manifest` describes
//! the same functions to programs.

use super::entry::{name, points};
use super::types::{c_name, external, in_function, is_scalar, reference};
use crate::dialect::text::Lines;
use crate::parts::{self, Needs};
use kenaz_base::Symbol;
use kenaz_imp::Prog;
use kenaz_ir::target::Dialect;
use kenaz_ir::{EntryField, EntryKind, EntrySum, EntryType, Level, Part, Space, Target};
use std::sync::Arc;

/// What every library has.
const CONFIGURATION: &str = "\
// Configuration and context
struct futhark_context_config;
struct futhark_context_config *futhark_context_config_new(void);
void futhark_context_config_free(struct futhark_context_config *cfg);
void futhark_context_config_set_debugging(struct futhark_context_config *cfg, int flag);
void futhark_context_config_set_profiling(struct futhark_context_config *cfg, int flag);
void futhark_context_config_set_logging(struct futhark_context_config *cfg, int flag);
void futhark_context_config_set_cache_file(struct futhark_context_config *cfg, const char *file);
int futhark_context_config_set_tuning_param(struct futhark_context_config *cfg, const char *name, size_t value);
int futhark_get_tuning_param_count(void);
const char *futhark_get_tuning_param_name(int i);
const char *futhark_get_tuning_param_class(int i);

struct futhark_context;
struct futhark_context *futhark_context_new(struct futhark_context_config *cfg);
void futhark_context_free(struct futhark_context *ctx);
int futhark_context_sync(struct futhark_context *ctx);
char *futhark_context_get_error(struct futhark_context *ctx);
void futhark_context_set_logging_file(struct futhark_context *ctx, FILE *file);
void futhark_context_pause_profiling(struct futhark_context *ctx);
void futhark_context_unpause_profiling(struct futhark_context *ctx);
char *futhark_context_report(struct futhark_context *ctx);
int futhark_context_clear_caches(struct futhark_context *ctx);
";

/// What libraries for several cores have as well.
const THREADS: &str = "\
void futhark_context_config_set_num_threads(struct futhark_context_config *cfg, int n);
";

/// What libraries for a device have as well.
const DEVICE: &str = "\
void futhark_context_config_set_device(struct futhark_context_config *cfg, const char *name);
void futhark_context_config_set_default_thread_block_size(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_default_group_size(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_default_grid_size(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_default_num_groups(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_default_tile_size(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_default_reg_tile_size(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_default_registers(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_default_threshold(struct futhark_context_config *cfg, int size);
void futhark_context_config_set_unified_memory(struct futhark_context_config *cfg, int flag);
const char *futhark_context_config_get_program(struct futhark_context_config *cfg);
void futhark_context_config_set_program(struct futhark_context_config *cfg, const char *program);
";

/// … by way of OpenCL, whose `cl_mem`, `cl_command_queue` and `cl_program` these types are.
const OPENCL: &str = "\
struct _cl_mem;
struct _cl_command_queue;
struct _cl_program;
void futhark_context_config_set_platform(struct futhark_context_config *cfg, const char *name);
void futhark_context_config_add_build_option(struct futhark_context_config *cfg, const char *option);
void futhark_context_config_load_binary_from(struct futhark_context_config *cfg, const char *path);
void futhark_context_config_select_device_interactively(struct futhark_context_config *cfg);
void futhark_context_config_set_command_queue(struct futhark_context_config *cfg, struct _cl_command_queue *queue);
struct _cl_command_queue *futhark_context_get_command_queue(struct futhark_context *ctx);
struct _cl_program *futhark_context_get_program(struct futhark_context_config *cfg);
";

/// … by way of CUDA.
const CUDA: &str = "\
void futhark_context_config_add_nvrtc_option(struct futhark_context_config *cfg, const char *option);
void futhark_context_config_load_ptx_from(struct futhark_context_config *cfg, const char *path);
void futhark_context_dump_ptx_to(struct futhark_context_config *cfg, const char *path);
";

/// A function of the API.
struct Function {
    prototype: String,
    /// The part of the run-time system that does it.
    by: parts::Part,
    /// What it does, as statements.
    body: String,
}

/// Declarations and definitions of a library's functions.
#[derive(Default)]
pub(super) struct Api {
    structs: Vec<String>,
    functions: Vec<(&'static str, Vec<Function>)>,
}

impl Api {
    pub(super) fn new(prog: &Prog, types: &[Arc<EntryType>], target: &Target) -> Api {
        let mut api = Api::default();
        let values: Vec<&Arc<EntryType>> = types.iter().filter(|ty| !is_scalar(ty)).collect();
        api.structs = values.iter().map(|ty| format!("struct futhark_{};", c_name(ty))).collect();
        let is_plain = |ty: &EntryType| matches!(ty.kind, EntryKind::Plain(_));
        let arrays = values.iter().filter(|ty| is_plain(ty)).flat_map(|ty| array(ty, target)).collect();
        let opaques = values.iter().filter(|ty| !is_plain(ty)).flat_map(|ty| opaque(ty)).collect();
        api.functions = vec![("Arrays", arrays), ("Opaque values", opaques), ("Entry points", entries(prog))];
        api
    }

    pub(super) fn header(&self, target: &Target) -> String {
        let mut out = format!(
            "#pragma once\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n\n\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n#define FUTHARK_BACKEND_{}\n#define FUTHARK_SUCCESS 0\n\
             #define FUTHARK_PROGRAM_ERROR 2\n#define FUTHARK_OUT_OF_MEMORY 3\n\n",
            target.name
        );
        out.push_str(CONFIGURATION);
        if target.runs(Level::Core) {
            out.push_str(THREADS);
        }
        if target.host_space == Space::Device {
            out.push_str(DEVICE);
        }
        match target.dialect {
            Dialect::C => {}
            Dialect::OpenCl => out.push_str(OPENCL),
            Dialect::Cuda => out.push_str(CUDA),
        }
        if !self.structs.is_empty() {
            out.push_str(&format!("\n{}\n", self.structs.join("\n")));
        }
        for (title, functions) in self.functions.iter().filter(|(_, functions)| !functions.is_empty()) {
            out.push_str(&format!("\n// {title}\n"));
            functions.iter().for_each(|function| out.push_str(&format!("{};\n", function.prototype)));
        }
        out.push_str("\n#ifdef __cplusplus\n}\n#endif\n");
        out
    }

    pub(super) fn define(&self, lines: &mut Lines, needs: &Needs) {
        self.structs.iter().for_each(|declaration| lines.line(declaration));
        for function in self.functions.iter().flat_map(|(_, functions)| functions) {
            needs.add(function.by);
            lines.open(format!("{} {{", function.prototype));
            function.body.lines().for_each(|line| lines.line(line));
            lines.close("}");
        }
    }
}

/// How a value is taken: a scalar by itself, anything else by a pointer.
fn taken(ty: &EntryType, ident: &str) -> String {
    match ty.kind {
        EntryKind::Plain(Part { prim, rank: 0 }) => format!("const {} {ident}", external(prim)),
        _ => format!("const struct futhark_{} *{ident}", c_name(ty)),
    }
}

/// Where a value goes.
fn given(ty: &EntryType, ident: &str) -> String {
    match ty.kind {
        EntryKind::Plain(Part { prim, rank: 0 }) => format!("{} *{ident}", external(prim)),
        _ => format!("struct futhark_{} **{ident}", c_name(ty)),
    }
}

/// The pointer by which the run-time system takes a value.
fn passed(ty: &EntryType, ident: &str) -> String {
    if is_scalar(ty) { format!("&{ident}") } else { ident.to_string() }
}

fn list(items: &[String]) -> String {
    format!("{{{}}}", items.join(", "))
}

/// An array as an expression; one without elements does not exist in C.
fn literal(element: &str, items: &[String]) -> String {
    if items.is_empty() { "NULL".to_string() } else { format!("({element}[]){}", list(items)) }
}

fn numbered(stem: &str, rank: usize) -> Vec<String> {
    (0..rank).map(|k| format!("{stem}{k}")).collect()
}

const CONTEXT: &str = "struct futhark_context *ctx";

fn array(ty: &EntryType, target: &Target) -> Vec<Function> {
    let EntryKind::Plain(Part { prim, rank }) = ty.kind else { return Vec::new() };
    // What memory is to its users, and who makes an array of it: blocks of a CPU have headers, so that the data is
    // copied there as well.
    let (raw, new_raw) = match target.dialect {
        Dialect::C => ("unsigned char *", "kz_array_new"),
        Dialect::OpenCl => ("struct _cl_mem *", "kz_array_new_raw"),
        Dialect::Cuda => ("unsigned long long ", "kz_array_new_raw"),
    };
    let get = match target.host_space {
        Space::Device => "return kz_array_get(ctx, (struct kz_value *)arr, data);",
        _ => "(void)ctx;\nreturn kz_array_values((struct kz_value *)arr, data);",
    };
    let (name, element) = (c_name(ty), external(prim));
    let own = format!("struct futhark_{name} *");
    let dims = numbered("dim", rank);
    let sizes: Vec<String> = dims.iter().map(|dim| format!("int64_t {dim}")).collect();
    let mut functions = vec![
        Function {
            prototype: format!("{own}futhark_new_{name}({CONTEXT}, const {element} *data, {})", sizes.join(", ")),
            by: parts::Part::Api,
            body: format!(
                "return ({own})kz_array_new(ctx, {}, data, (const int64_t[]){});",
                reference(ty),
                list(&dims)
            ),
        },
        Function {
            prototype: format!("{own}futhark_new_raw_{name}({CONTEXT}, {raw}data, {})", sizes.join(", ")),
            by: parts::Part::Api,
            body: format!("return ({own}){new_raw}(ctx, {}, data, (const int64_t[]){});", reference(ty), list(&dims)),
        },
        free(&name),
        Function {
            prototype: format!("int futhark_values_{name}({CONTEXT}, {own}arr, {element} *data)"),
            by: parts::Part::Api,
            body: get.to_string(),
        },
        Function {
            prototype: format!("{raw}futhark_values_raw_{name}({CONTEXT}, {own}arr)"),
            by: parts::Part::Api,
            body: "(void)ctx;\nreturn kz_array_raw((struct kz_value *)arr);".to_string(),
        },
    ];
    functions.extend(elements(&name, &format!("{element} *"), rank, "arr"));
    functions
}

/// What all arrays have: a shape and elements.
fn elements(name: &str, out: &str, rank: usize, array: &str) -> [Function; 2] {
    let indices = numbered("i", rank);
    let taken: Vec<String> = indices.iter().map(|i| format!("int64_t {i}")).collect();
    let own = format!("struct futhark_{name} *{array}");
    [
        Function {
            prototype: format!("int futhark_index_{name}({CONTEXT}, {out}out, {own}, {})", taken.join(", ")),
            by: parts::Part::Api,
            body: format!(
                "return kz_array_index(ctx, out, (struct kz_value *){array}, (const int64_t[]){});",
                list(&indices)
            ),
        },
        Function {
            prototype: format!("const int64_t *futhark_shape_{name}({CONTEXT}, {own})"),
            by: parts::Part::Api,
            body: format!("(void)ctx;\nreturn kz_array_shape((struct kz_value *){array});"),
        },
    ]
}

fn free(name: &str) -> Function {
    Function {
        prototype: format!("int futhark_free_{name}({CONTEXT}, struct futhark_{name} *obj)"),
        by: parts::Part::Values,
        body: "return kz_value_free(ctx, (struct kz_value *)obj);".to_string(),
    }
}

fn opaque(ty: &EntryType) -> Vec<Function> {
    let name = c_name(ty);
    let own = format!("struct futhark_{name} *");
    let mut functions = vec![
        free(&name),
        Function {
            prototype: format!("int futhark_store_{name}({CONTEXT}, const {own}obj, void **p, size_t *n)"),
            by: parts::Part::Opaque,
            body: "return kz_value_store(ctx, (const struct kz_value *)obj, p, n);".to_string(),
        },
        Function {
            prototype: format!("{own}futhark_restore_{name}({CONTEXT}, const void *p)"),
            by: parts::Part::Opaque,
            body: format!("return ({own})kz_value_restore(ctx, {}, p);", reference(ty)),
        },
    ];
    match &ty.kind {
        EntryKind::Record(fields) => functions.extend(record(ty, &name, fields, "new")),
        EntryKind::Array(of) => {
            functions.extend(record(ty, &name, &of.fields, "zip"));
            functions.extend(elements(&name, &given(&of.elem, ""), of.rank, "arr"));
        }
        EntryKind::Sum(of) => functions.extend(sum(ty, &name, of)),
        EntryKind::Plain(_) | EntryKind::Opaque(_) => {}
    }
    functions
}

/// Functions to make values of each variant and to take them apart, and to find out which one a value is.
fn sum(ty: &EntryType, name: &str, sum: &EntrySum) -> Vec<Function> {
    let mut functions = Vec::new();
    for (i, variant) in sum.variants.iter().enumerate() {
        let idents = numbered("v", variant.payload.len());
        let payload: Vec<String> = variant
            .payload
            .iter()
            .map(|(ty, parts)| match &parts[..] {
                [] => format!("{{{}, NULL}}", reference(ty)),
                parts => {
                    let parts: Vec<String> = parts.iter().map(usize::to_string).collect();
                    format!("{{{}, (const int[]){}}}", reference(ty), list(&parts))
                }
            })
            .collect();
        let described = format!("{}, {}", payload.len(), literal("const struct kz_payload", &payload));
        let types = || variant.payload.iter().map(|(ty, _)| ty).zip(&idents);
        let values: Vec<String> = types().map(|(ty, ident)| passed(ty, ident)).collect();
        let params = |each: fn(&EntryType, &str) -> String| -> String {
            types().map(|(ty, ident)| format!(", {}", each(ty, ident))).collect()
        };
        let suffix = format!("{name}_{}", in_function(variant.name));
        functions.push(Function {
            prototype: format!("int futhark_new_{suffix}({CONTEXT}, struct futhark_{name} **out{})", params(taken)),
            by: parts::Part::Api,
            body: format!(
                "return kz_sum_new(ctx, out, {}, {i}, {described}, {});",
                reference(ty),
                literal("const void *const", &values)
            ),
        });
        functions.push(Function {
            prototype: format!(
                "int futhark_destruct_{suffix}({CONTEXT}{}, const struct futhark_{name} *obj)",
                params(given)
            ),
            by: parts::Part::Api,
            body: format!(
                "return kz_sum_destruct(ctx, {}, (const struct kz_value *)obj, {i}, {described});",
                literal("void *const", &idents)
            ),
        });
    }
    functions.push(Function {
        prototype: format!("int futhark_variant_{name}({CONTEXT}, const struct futhark_{name} *v)"),
        by: parts::Part::Api,
        body: "(void)ctx;\nreturn kz_sum_variant((const struct kz_value *)v);".to_string(),
    });
    functions
}

/// Functions to take records, or arrays of records, apart and to make them.
fn record(ty: &EntryType, name: &str, fields: &[EntryField], make: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    for (i, field) in fields.iter().enumerate() {
        functions.push(Function {
            prototype: format!(
                "int futhark_project_{name}_{}({CONTEXT}, {}, const struct futhark_{name} *obj)",
                in_function(field.name),
                given(&field.ty, "out")
            ),
            by: parts::Part::Api,
            body: format!("return kz_record_project(ctx, out, (const struct kz_value *)obj, {i});"),
        });
    }
    if fields.is_empty() {
        return functions;
    }
    let ident = |field: &EntryField| format!("f_{}", in_function(field.name));
    let params: Vec<String> = fields.iter().map(|field| taken(&field.ty, &ident(field))).collect();
    let values: Vec<String> = fields.iter().map(|field| passed(&field.ty, &ident(field))).collect();
    functions.push(Function {
        prototype: format!("int futhark_{make}_{name}({CONTEXT}, struct futhark_{name} **out, {})", params.join(", ")),
        by: parts::Part::Api,
        body: format!("return kz_record_new(ctx, out, {}, (const void *const[]){});", reference(ty), list(&values)),
    });
    functions
}

fn entries(prog: &Prog) -> Vec<Function> {
    let points = points(prog);
    let function = |(i, (fun, point)): (usize, &(&kenaz_imp::Fun, &kenaz_imp::EntryFun))| {
        let mut params = vec![CONTEXT.to_string()];
        let outs = numbered("out", point.entry.results.len());
        let ins = numbered("in", point.entry.params.len());
        params.extend(point.entry.results.iter().zip(&outs).map(|(result, ident)| given(&result.ty, ident)));
        params.extend(point.entry.params.iter().zip(&ins).map(|(param, ident)| taken(&param.ty, ident)));
        let values: Vec<String> =
            point.entry.params.iter().zip(&ins).map(|(param, ident)| passed(&param.ty, ident)).collect();
        Function {
            prototype: format!("int futhark_entry_{}({})", in_function(Symbol::intern(name(fun))), params.join(", ")),
            by: parts::Part::Values,
            body: format!(
                "return kz_call(ctx, &kz_entries[{i}], {}, {});",
                literal("void *const", &outs),
                literal("const void *const", &values)
            ),
        }
    };
    points.iter().enumerate().map(function).collect()
}
