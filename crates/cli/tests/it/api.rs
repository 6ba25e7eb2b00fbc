//! A program in C that calls every function of a library once at least, written from the manifest, on every back end
//! and under the sanitizers; and whether the headers declare all functions that Futhark documents.

use crate::library::{library_for, manifest};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What stands before the functions of every such program.
const BEGIN: &str = "\
#include \"shapes.h\"
#include <stdlib.h>
#define CHECK(condition) \\
  do { if (!(condition)) { fprintf(stderr, \"line %d: %s\\n\", __LINE__, #condition); exit(1); } } while (0)
";

/// Configuration and contexts, as all back ends have them.
const COMMON: &str = "\
int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  CHECK(cfg != NULL);
  futhark_context_config_set_debugging(cfg, 1);
  futhark_context_config_set_profiling(cfg, 1);
  futhark_context_config_set_logging(cfg, 0);
  futhark_context_config_set_cache_file(cfg, NULL);
  for (int i = 0; i < futhark_get_tuning_param_count(); i++) {
    CHECK(futhark_get_tuning_param_class(i) != NULL);
    CHECK(futhark_context_config_set_tuning_param(cfg, futhark_get_tuning_param_name(i), 64) == 0);
  }
";
const THREADS: &str = "  futhark_context_config_set_num_threads(cfg, 4);\n";
/// The first of two contexts says which queue there is, and the second uses it. Nobody is there to
/// choose a device.
const DEVICE: &str = "\
  futhark_context_config_set_platform(cfg, \"\");
  futhark_context_config_set_device(cfg, \"#0\");
  futhark_context_config_set_default_thread_block_size(cfg, 64);
  futhark_context_config_set_default_group_size(cfg, 64);
  futhark_context_config_set_default_grid_size(cfg, 64);
  futhark_context_config_set_default_num_groups(cfg, 64);
  futhark_context_config_set_default_tile_size(cfg, 16);
  futhark_context_config_set_default_reg_tile_size(cfg, 4);
  futhark_context_config_set_default_registers(cfg, 64);
  futhark_context_config_set_default_threshold(cfg, 64);
  futhark_context_config_set_unified_memory(cfg, 0);
  futhark_context_config_add_build_option(cfg, \"-cl-mad-enable\");
  futhark_context_config_set_program(cfg, futhark_context_config_get_program(cfg));
  struct futhark_context_config *first_cfg = futhark_context_config_new();
  struct futhark_context *first = futhark_context_new(first_cfg);
  CHECK(futhark_context_get_error(first) == NULL && futhark_context_get_command_queue(first) != NULL);
  futhark_context_config_set_command_queue(cfg, futhark_context_get_command_queue(first));
  CHECK(futhark_context_get_program(first_cfg) == NULL);
  struct futhark_context_config *other_cfg = futhark_context_config_new();
  futhark_context_config_select_device_interactively(other_cfg);
  futhark_context_config_load_binary_from(other_cfg, \"no such file\");
  futhark_context_config_free(other_cfg);
";
const START: &str = "\
  struct futhark_context *ctx = futhark_context_new(cfg);
  CHECK(ctx != NULL && futhark_context_get_error(ctx) == NULL);
  futhark_context_set_logging_file(ctx, stderr);
  futhark_context_pause_profiling(ctx);
  futhark_context_unpause_profiling(ctx);
";
const STOP: &str = "\
  CHECK(futhark_context_sync(ctx) == 0);
  char *report = futhark_context_report(ctx);
  CHECK(report != NULL);
  free(report);
  CHECK(futhark_context_clear_caches(ctx) == 0);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
";
const STOP_DEVICE: &str = "  futhark_context_free(first);\n  futhark_context_config_free(first_cfg);\n";

/// Writes the program. A value is a variable or a literal; whatever is made is freed by whoever made it.
struct Client<'m> {
    manifest: &'m Value,
    out: String,
    made: usize,
}

impl Client<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    fn fresh(&mut self) -> String {
        self.made += 1;
        format!("v{}", self.made)
    }

    fn ty(&self, name: &str) -> &'_ Value {
        &self.manifest["types"][name]
    }

    /// A call that must succeed.
    fn call(&mut self, function: &Value, args: &str) {
        self.line(&format!("CHECK({}(ctx{args}) == 0);", function.as_str().unwrap()));
    }

    /// A place for a value that a function gives, which is nothing until then.
    fn place(&mut self, ty: &str) -> String {
        let name = self.fresh();
        let c = if self.ty(ty).is_null() { c_scalar(ty) } else { self.c(ty) };
        self.line(&format!("{c} {name} = 0;"));
        name
    }

    fn c(&self, ty: &str) -> String {
        self.ty(ty)["ctype"].as_str().unwrap().to_string()
    }

    fn free(&mut self, ty: &str, value: &str) {
        if !self.ty(ty).is_null() {
            let free = self.ty(ty)["ops"]["free"].clone();
            self.call(&free, &format!(", {value}"));
        }
    }

    fn free_all(&mut self, values: &[(String, String)]) {
        values.iter().for_each(|(ty, value)| self.free(ty, value));
    }

    /// A value of a type, by whatever makes one.
    fn make(&mut self, ty: &str) -> String {
        let described = self.ty(ty).clone();
        if described.is_null() {
            return if ty == "bool" { "true".to_string() } else { "1".to_string() };
        }
        if described["kind"] == "array" {
            let (data, value) = (self.fresh(), self.fresh());
            let rank = described["rank"].as_u64().unwrap();
            let element = c_scalar(described["elemtype"].as_str().unwrap());
            self.line(&format!("static {element} {data}[{}];", 1 << rank));
            let made =
                format!("{}(ctx, {data}{})", described["ops"]["new"].as_str().unwrap(), ", 2".repeat(rank as usize));
            self.line(&format!("{} {value} = {made};\n  CHECK({value} != NULL);", self.c(ty)));
            return value;
        }
        if let Some(fields) = described["record"]["fields"].as_array() {
            return self.construct(ty, &described["record"]["new"], fields.iter().map(|field| &field["type"]));
        }
        if let Some(fields) = described["record_array"]["fields"].as_array() {
            return self.construct(ty, &described["record_array"]["zip"], fields.iter().map(|field| &field["type"]));
        }
        if let Some(variants) = described["sum"]["variants"].as_array() {
            return self.construct(ty, &variants[0]["construct"], variants[0]["payload"].as_array().unwrap().iter());
        }
        // Only an entry point has one.
        let entries = self.manifest["entry_points"].as_object().unwrap();
        let gives = |entry: &&Value| entry["outputs"].as_array().unwrap().iter().any(|output| output["type"] == ty);
        let entry = entries.values().find(gives).unwrap().clone();
        let outs = self.enter(&entry);
        let at = outs.iter().position(|(out, _)| out == ty).unwrap();
        let value = outs[at].1.clone();
        self.free_all(&[&outs[..at], &outs[at + 1..]].concat());
        value
    }

    /// The value that a function makes of others.
    fn construct<'v>(&mut self, ty: &str, function: &Value, of: impl Iterator<Item = &'v Value>) -> String {
        let parts: Vec<(String, String)> =
            of.map(|ty| (ty.as_str().unwrap().to_string(), self.make(ty.as_str().unwrap()))).collect();
        let value = self.place(ty);
        let args: String = parts.iter().map(|(_, value)| format!(", {value}")).collect();
        self.call(function, &format!(", &{value}{args}"));
        self.free_all(&parts);
        value
    }

    /// Calls an entry point; its results with their types. It may fail, since the arguments are any, and the results
    /// are then nothing.
    fn enter(&mut self, entry: &Value) -> Vec<(String, String)> {
        let named = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap().to_string()).collect()
        };
        let ins: Vec<(String, String)> =
            named(&entry["inputs"]).into_iter().map(|ty| (ty.clone(), self.make(&ty))).collect();
        let outs: Vec<(String, String)> =
            named(&entry["outputs"]).into_iter().map(|ty| (ty.clone(), self.place(&ty))).collect();
        let args: String = outs.iter().map(|(_, out)| format!(", &{out}")).collect();
        let args: String = ins.iter().fold(args, |args, (_, value)| format!("{args}, {value}"));
        let call = format!("{}(ctx{args})", entry["cfun"].as_str().unwrap());
        self.line(&format!("if ({call} != 0 || futhark_context_sync(ctx) != 0) free(futhark_context_get_error(ctx));"));
        self.free_all(&ins);
        outs
    }

    /// Everything that can be done with a value of a type.
    fn use_all(&mut self, ty: &str) {
        let described = self.ty(ty).clone();
        let value = self.make(ty);
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let kind = ["record_array", "opaque_array"].into_iter().find(|kind| !described[kind].is_null());
        if described["kind"] == "array" {
            let (ops, rank) = (&described["ops"], described["rank"].as_u64().unwrap() as usize);
            let element = c_scalar(described["elemtype"].as_str().unwrap());
            let (copy, raw, again) = (self.fresh(), self.fresh(), self.fresh());
            self.line(&format!("{element} {copy}[{}];", 1 << rank));
            self.call(&ops["values"], &format!(", {value}, {copy}"));
            self.line("CHECK(futhark_context_sync(ctx) == 0);");
            self.line(&format!(
                "__typeof__({}(ctx, {value})) {raw} = {}(ctx, {value});",
                text(&ops["values_raw"]),
                text(&ops["values_raw"])
            ));
            self.line(&format!(
                "{} {again} = {}(ctx, {raw}{});",
                self.c(ty),
                text(&ops["new_raw"]),
                ", 2".repeat(rank)
            ));
            self.line(&format!("CHECK({again} != NULL && {}(ctx, {again})[0] == 2);", text(&ops["shape"])));
            self.free(ty, &again);
            self.index(&element, &text(&ops["index"]), &value, rank);
        } else {
            self.store(ty, &described["ops"], &value);
        }
        if let Some(kind) = kind {
            let (described, rank) = (&described[kind], described[kind]["rank"].as_u64().unwrap() as usize);
            self.line(&format!("CHECK({}(ctx, {value}) != NULL);", text(&described["shape"])));
            let element = text(&described["elemtype"]);
            let c = self.c(&element);
            let out = self.index(&c, &text(&described["index"]), &value, rank);
            self.free(&element, &out);
        }
        for fields in [&described["record"]["fields"], &described["record_array"]["fields"]] {
            for field in fields.as_array().into_iter().flatten() {
                let ty = text(&field["type"]);
                let out = self.place(&ty);
                self.call(&field["project"], &format!(", &{out}, {value}"));
                self.free(&ty, &out);
            }
        }
        self.free(ty, &value);
        for (number, variant) in (0..).zip(described["sum"]["variants"].as_array().into_iter().flatten()) {
            let payload: Vec<&Value> = variant["payload"].as_array().unwrap().iter().collect();
            let value = self.construct(ty, &variant["construct"], payload.iter().copied());
            self.line(&format!("CHECK({}(ctx, {value}) == {number});", text(&described["sum"]["variant"])));
            let outs: Vec<(String, String)> = payload.iter().map(|ty| (text(ty), self.place(&text(ty)))).collect();
            let args: String = outs.iter().map(|(_, out)| format!(", &{out}")).collect();
            self.call(&variant["destruct"], &format!("{args}, {value}"));
            self.free_all(&outs);
            self.free(ty, &value);
        }
    }

    /// An element, and none where there is none.
    fn index(&mut self, element: &str, function: &str, array: &str, rank: usize) -> String {
        let out = self.fresh();
        self.line(&format!("{element} {out};"));
        self.line(&format!("CHECK({function}(ctx, &{out}, {array}{}) == 0);", ", 0".repeat(rank)));
        self.line(&format!("CHECK({function}(ctx, &{out}, {array}{}) != 0);", ", 1000".repeat(rank)));
        self.line("free(futhark_context_get_error(ctx));");
        out
    }

    /// A value as bytes, by all ways of storing it, and a value of these.
    fn store(&mut self, ty: &str, ops: &Value, value: &str) {
        let (size, bytes, again) = (self.fresh(), self.fresh(), self.fresh());
        self.line(&format!("size_t {size} = 0;\n  void *{bytes} = NULL;"));
        self.call(&ops["store"], &format!(", {value}, NULL, &{size}"));
        self.line(&format!("CHECK({size} > 0);"));
        self.call(&ops["store"], &format!(", {value}, &{bytes}, &{size}"));
        self.call(&ops["store"], &format!(", {value}, &{bytes}, &{size}"));
        self.line("CHECK(futhark_context_sync(ctx) == 0);");
        self.line(&format!("{} {again} = {}(ctx, {bytes});", self.c(ty), ops["restore"].as_str().unwrap()));
        self.line(&format!("CHECK({again} != NULL);\n  free({bytes});"));
        self.free(ty, &again);
    }
}

fn c_scalar(name: &str) -> String {
    match name {
        "f16" => "uint16_t".to_string(),
        "f32" => "float".to_string(),
        "f64" => "double".to_string(),
        "bool" => "bool".to_string(),
        int => format!("{}_t", int.replace('u', "uint").replacen('i', "int", usize::from(int.starts_with('i')))),
    }
}

/// The program for a back end.
fn client(manifest: &Value, backend: &str) -> String {
    let mut client = Client { manifest, out: String::new(), made: 0 };
    for ty in manifest["types"].as_object().unwrap().keys() {
        client.use_all(ty);
    }
    // What shapes.fut has besides its types.
    for entry in manifest["entry_points"].as_object().unwrap().values() {
        let outs = client.enter(entry);
        client.free_all(&outs);
    }
    let body = client.out;
    let (before, after) = match backend {
        "multicore" => (THREADS, ""),
        "opencl" => (DEVICE, STOP_DEVICE),
        _ => ("", ""),
    };
    [BEGIN, COMMON, before, START, &body, STOP, after, "  return 0;\n}\n"].concat()
}

/// The functions that a text names.
fn functions(text: &str) -> BTreeSet<String> {
    let names =
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.starts_with("futhark_"));
    names.map(str::to_string).collect()
}

/// The functions that a header declares.
fn declared(header: &str) -> BTreeSet<String> {
    let name = |line: &str| Some(line.split_once('(')?.0.rsplit([' ', '*']).next()?.to_string());
    header.lines().filter_map(name).filter(|name| name.starts_with("futhark_")).collect()
}

/// Compiles the program for a back end with these flags, and runs it.
fn runs(backend: &str, test: &str, flags: &[&str]) {
    let folder = library_for(backend, test);
    let text = client(&manifest(&folder), backend);
    let header = fs::read_to_string(folder.join("shapes.h")).unwrap();
    let unused: Vec<String> = declared(&header).difference(&functions(&text)).cloned().collect();
    assert!(unused.is_empty(), "not called on {backend}: {unused:?}");
    let (source, user) = (folder.join("client.c"), folder.join("client"));
    fs::write(&source, text).unwrap();
    let mut command = Command::new("cc");
    command.args(["-std=gnu99", "-O0", "-g", "-Wall", "-Wextra", "-Werror"]).args(flags).arg("-I").arg(&folder);
    command.arg(&source).arg(folder.join("shapes.c")).arg("-o").arg(&user).args(["-lm", "-ldl", "-pthread"]);
    let built = command.output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&user).output().unwrap();
    assert!(ran.status.success(), "{backend}: {}", String::from_utf8_lossy(&ran.stderr));
}

const ADDRESSES: &str = "-fsanitize=address,undefined";

#[test]
fn every_function_on_one_core() {
    runs("c", "every-c", &[ADDRESSES, "-fno-sanitize-recover=all"]);
}

#[test]
fn every_function_on_all_cores() {
    runs("multicore", "every-multicore", &[ADDRESSES, "-fno-sanitize-recover=all"]);
    runs("multicore", "every-threads", &["-fsanitize=thread"]);
}

#[test]
fn every_function_on_a_device() {
    if kenaz_driver::native::device::probe(&kenaz_ir::target::OPENCL).is_ok() {
        runs("opencl", "every-opencl", &[]);
    }
}

/// The functions of Futhark's page on the C API that are not about values and entry points, for each back end.
const DOCUMENTED: &[(&str, &[&str])] = &[
    (
        "c multicore opencl cuda",
        &[
            "config_new",
            "config_free",
            "config_set_debugging",
            "config_set_profiling",
            "config_set_logging",
            "config_set_tuning_param",
            "config_set_cache_file",
            "new",
            "free",
            "sync",
            "pause_profiling",
            "unpause_profiling",
            "get_error",
            "set_logging_file",
            "report",
            "clear_caches",
        ],
    ),
    ("multicore", &["config_set_num_threads"]),
    (
        "opencl cuda",
        &[
            "config_set_device",
            "config_set_unified_memory",
            "config_set_default_thread_block_size",
            "config_set_default_group_size",
            "config_set_default_grid_size",
            "config_set_default_num_groups",
            "config_set_default_tile_size",
            "config_get_program",
            "config_set_program",
        ],
    ),
    (
        "opencl",
        &[
            "config_set_platform",
            "config_select_device_interactively",
            "config_set_command_queue",
            "get_command_queue",
            "config_add_build_option",
            "get_program",
            "config_load_binary_from",
        ],
    ),
    ("cuda", &["config_add_nvrtc_option", "dump_ptx_to", "config_load_ptx_from"]),
];

#[test]
fn headers_declare_what_is_documented() {
    for backend in ["c", "multicore", "opencl", "cuda"] {
        let folder = library_for(backend, &format!("documented-{backend}"));
        let read = |name: &str| fs::read_to_string(Path::new(&folder).join(name)).unwrap();
        let header = declared(&read("shapes.h"));
        for (backends, names) in DOCUMENTED {
            if !backends.split(' ').any(|other| other == backend) {
                continue;
            }
            for name in *names {
                let function = format!("futhark_context_{name}");
                assert!(header.contains(&function), "{backend}: {function}");
            }
        }
        for name in
            ["futhark_get_tuning_param_count", "futhark_get_tuning_param_name", "futhark_get_tuning_param_class"]
        {
            assert!(header.contains(name), "{backend}: {name}");
        }
    }
}
