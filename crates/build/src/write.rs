//! The text of a module: its C, and its functions and types in Rust.

use crate::names::Names;
use kenaz_base::{Prim, Symbol};
use kenaz_driver::Compilation;
use kenaz_ir::{Entry, EntryArray, EntryField, EntryKind, EntrySum, EntryType, Part, Space, entry};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

const SUPPORT: &str = include_str!("../template/support.rs");
const HOST: &str = include_str!("../template/host.rs");
const SUPPORT_C: &str = include_str!("../template/support.c");

/// What stands in the templates for the name of the library.
const LIBRARY: &str = "KZ_LIBRARY";

/// A module in that of the user, so that lints of theirs do not look at it.
const OPEN: &str = "\
#[allow(unused_imports)]
pub use generated::*;

#[allow(dead_code, non_snake_case, unsafe_code, unused_mut, unused_variables, unreachable_pub)]
#[allow(clippy::all, clippy::pedantic, clippy::restriction)]
mod generated {
";

/// The names of types that every module has.
const TYPES: &[&str] = &[
    "RawContext",
    "RawView",
    "Error",
    "Options",
    "Context",
    "Element",
    "F16",
    "Array",
    "View",
    "From_",
    "Given",
    "Place",
    "Ins",
    "OutPart",
    "Outs",
    "Value",
    "CStr",
    "CString",
    "PhantomData",
    "NonNull",
    "ENTRIES",
    "Vec",
    "String",
    "Option",
    "Some",
    "None",
    "Result",
    "Ok",
    "Err",
    "Sized",
    "Copy",
    "Clone",
    "Debug",
    "Drop",
    "From",
    "Into",
    "Send",
    "Sync",
    "Box",
    "T",
    "RANK",
    "Fn",
    "FnOnce",
    "FnMut",
    "Iterator",
];
/// The methods that every context has.
const METHODS: &[&str] =
    &["new", "with_options", "array", "error", "failure", "outcome", "alloc", "release", "copied", "drop"];

/// The C of a program, with functions whose names begin with that of the library.
pub(crate) fn c(compilation: &Compilation, library: &str) -> String {
    kenaz_embed::text(compilation) + &SUPPORT_C.replace(LIBRARY, library)
}

/// The module.
pub(crate) fn rust(compilation: &Compilation, library: &str) -> String {
    let types = Types::new(entry::types(&compilation.prog));
    let entries: Vec<(String, &Entry)> = compilation
        .prog
        .funs
        .iter()
        .filter_map(|fun| {
            let name = fun.name.as_str();
            Some((name.strip_prefix("entry_").unwrap_or(name).to_string(), fun.entry.as_ref()?))
        })
        .collect();
    let on_host = compilation.pipeline.target.host_space != Space::Device;
    let mut out =
        format!("// Made by kenaz-build {} of {}.\n\n{OPEN}", env!("CARGO_PKG_VERSION"), name_of(compilation));
    for template in [Some(SUPPORT), on_host.then_some(HOST)].into_iter().flatten() {
        // A file that is included has no comment of its own.
        let text = template.split_once('\n').map_or(template, |(_, rest)| rest);
        out.push_str(&text.replace(LIBRARY, library));
    }
    let names: Vec<String> = entries.iter().map(|(name, _)| format!("c{name:?}")).collect();
    let _ = writeln!(out, "\nconst ENTRIES: [&CStr; {}] = [{}];\n", names.len(), names.join(", "));
    types.define(&mut out);
    out.push_str("/// The entry points of the program.\nimpl Context {\n");
    let mut methods = Names::with(METHODS);
    for (number, (name, entry)) in entries.iter().enumerate() {
        method(&mut out, &types, &methods.value(name), number, entry);
    }
    out.push_str("}\n}\n");
    out
}

/// The file of the program, without its folder.
fn name_of(compilation: &Compilation) -> String {
    compilation.path.file_name().unwrap_or_default().to_string_lossy().replace('\n', " ")
}

fn method(out: &mut String, types: &Types, method: &str, number: usize, entry: &Entry) {
    document(out, "    ", entry.doc.as_deref());
    let mut idents = Names::with(&["ins", "outs"]);
    let (mut params, mut puts) = (String::new(), String::new());
    for (i, param) in entry.params.iter().enumerate() {
        let ident = match param.name.as_str() {
            "_" => idents.value(&format!("in{i}")),
            name => idents.value(name),
        };
        let (ty, put) = match param.ty.kind {
            EntryKind::Plain(Part { prim, rank: 0 }) => (scalar(prim).to_string(), format!("ins.scalar({ident})")),
            EntryKind::Plain(Part { prim, rank }) if param.unique => {
                (format!("impl Into<Given<'a, {}, {rank}>>", scalar(prim)), format!("ins.given({ident}.into())?"))
            }
            EntryKind::Plain(Part { prim, rank }) => {
                (format!("impl Into<View<'a, {}, {rank}>>", scalar(prim)), format!("ins.view({ident}.into(), false)?"))
            }
            _ => (format!("&{}", types.rust(&param.ty, "'_")), format!("{ident}.put(&mut ins, {})?", param.unique)),
        };
        let _ = write!(params, ", {ident}: {ty}");
        let _ = writeln!(puts, "        {put};");
    }
    let results: Vec<String> = entry.results.iter().map(|result| types.rust(&result.ty, "'_")).collect();
    let gives = if results.len() == 1 { results[0].clone() } else { format!("({})", results.join(", ")) };
    let parts =
        |params: &[kenaz_ir::EntryParam]| -> Vec<Part> { params.iter().flat_map(|param| param.ty.parts()).collect() };
    let (takes, yields) = (parts(&entry.params).len(), shapes(&parts(&entry.results)));
    let has_views = params.contains("<'a, ");
    let lifetime = if has_views { "<'a>" } else { "" };
    let _ = writeln!(out, "    pub fn {method}{lifetime}(&self{params}) -> Result<{gives}, Error> {{");
    let _ = writeln!(out, "        let mut ins = Ins::new(self, {takes});\n{puts}");
    let _ = writeln!(out, "        let mut outs = ins.call({number}, &[{yields}])?;");
    let _ = writeln!(out, "        Ok(Value::take(&mut outs))\n    }}\n");
}

/// The dimensions of parts and the bytes of their elements.
fn shapes(parts: &[Part]) -> String {
    let shape = |part: &Part| format!("({}, {})", part.rank, part.prim.bytes());
    parts.iter().map(shape).collect::<Vec<_>>().join(", ")
}

fn document(out: &mut String, indent: &str, doc: Option<&str>) {
    for line in doc.unwrap_or_default().lines() {
        let _ = writeln!(out, "{indent}///{}{}", if line.is_empty() { "" } else { " " }, line.trim());
    }
}

fn scalar(prim: Prim) -> &'static str {
    if prim == Prim::F16 { "F16" } else { prim.name() }
}

/// The types of a program that become structs and enums, with their names.
struct Types {
    types: Vec<Arc<EntryType>>,
    names: BTreeMap<Symbol, String>,
}

impl Types {
    fn new(types: Vec<Arc<EntryType>>) -> Types {
        let mut names = Names::with(TYPES);
        let types: Vec<Arc<EntryType>> = types.into_iter().filter(|ty| is_defined(ty)).collect();
        let names = types.iter().map(|ty| (ty.name, names.ty(&type_words(ty)))).collect();
        Types { types, names }
    }

    /// A type in Rust, whose arrays belong to a context with this lifetime.
    fn rust(&self, ty: &EntryType, lifetime: &str) -> String {
        match &ty.kind {
            EntryKind::Plain(Part { prim, rank: 0 }) => scalar(*prim).to_string(),
            EntryKind::Plain(Part { prim, rank }) => format!("Array<{lifetime}, {}, {rank}>", scalar(*prim)),
            _ if is_defined(ty) => {
                let name = self.names.get(&ty.name).map_or("", String::as_str);
                if borrows(ty) { format!("{name}<{lifetime}>") } else { name.to_string() }
            }
            _ => {
                let fields = fields(ty).unwrap_or_default();
                let types: String = fields.iter().map(|field| self.rust(&field.ty, lifetime) + ", ").collect();
                format!("({})", types.trim_end())
            }
        }
    }

    fn define(&self, out: &mut String) {
        for ty in &self.types {
            let name = self.rust(ty, "'c");
            let _ = writeln!(out, "/// `{}`", ty.name);
            match (&ty.kind, fields(ty)) {
                (EntryKind::Sum(sum), _) => self.sum(out, ty, &name, sum),
                (_, Some(fields)) => self.record(out, ty, &name, fields),
                _ => opaque(out, ty, &name),
            }
        }
    }

    fn record(&self, out: &mut String, ty: &EntryType, name: &str, fields: &[EntryField]) {
        let mut idents = Names::default();
        let fields: Vec<(String, &EntryField)> =
            fields.iter().map(|field| (idents.value(field.name.as_str()), field)).collect();
        derive(out, ty);
        let _ = writeln!(out, "pub struct {name} {{");
        for (ident, field) in &fields {
            let _ = writeln!(out, "    pub {ident}: {},", self.rust(&field.ty, "'c"));
        }
        let puts: String =
            fields.iter().map(|(ident, _)| format!("        self.{ident}.put(ins, is_consumed)?;\n")).collect();
        let takes: String = fields.iter().map(|(ident, _)| format!("{ident}: Value::take(outs), ")).collect();
        let _ = writeln!(out, "}}\n");
        implement(
            out,
            ty,
            name,
            &format!("{puts}        Ok(())"),
            &format!("        {name_only} {{ {takes}}}", name_only = plain(name)),
        );
    }

    fn sum(&self, out: &mut String, ty: &EntryType, name: &str, sum: &EntrySum) {
        let mut idents = Names::default();
        derive(out, ty);
        let _ = writeln!(out, "pub enum {name} {{");
        let ranks: Vec<String> = sum.parts.iter().map(|part| part.rank.to_string()).collect();
        let (mut puts, mut takes) = (String::new(), String::new());
        for (number, variant) in sum.variants.iter().enumerate() {
            let ident = idents.ty(variant.name.as_str());
            let types: Vec<String> = variant.payload.iter().map(|(ty, _)| self.rust(ty, "'c")).collect();
            let values: Vec<String> = (0..types.len()).map(|i| format!("v{i}")).collect();
            let (types, pattern) = match types.len() {
                0 => (String::new(), String::new()),
                _ => (format!("({})", types.join(", ")), format!("({})", values.join(", "))),
            };
            let _ = writeln!(out, "    {ident}{types},");
            let places: Vec<String> =
                variant.payload.iter().flat_map(|(_, places)| places).map(usize::to_string).collect();
            let put: String = values.iter().map(|value| format!("{value}.put(_ins, is_consumed)?; ")).collect();
            let _ = writeln!(
                puts,
                "            {plain}::{ident}{pattern} => ins.sum({number}, &[{}], &[{}], |_ins| {{ {put}Ok(()) }}),",
                ranks.join(", "),
                places.join(", "),
                plain = plain(name),
            );
            let take: Vec<String> = values.iter().map(|_| "Value::take(&mut payload)".to_string()).collect();
            let take = if take.is_empty() { String::new() } else { format!("({})", take.join(", ")) };
            let _ = writeln!(takes, "            {number} => {{");
            if !take.is_empty() {
                let _ = writeln!(
                    takes,
                    "                let mut payload = Outs::select(&mut own, &[{}]);",
                    places.join(", ")
                );
            }
            let _ = writeln!(takes, "                {}::{ident}{take}\n            }}", plain(name));
        }
        let _ = writeln!(out, "}}\n");
        let put = format!("        match self {{\n{puts}        }}");
        let take = format!(
            "        let (number, mut own) = outs.sum({});\n        match number {{\n{takes}            \
             _ => unreachable!(\"a sum has one of its variants\"),\n        }}",
            sum.parts.len()
        );
        implement(out, ty, name, &put, &take);
    }
}

fn opaque(out: &mut String, ty: &EntryType, name: &str) {
    let count = ty.parts().len();
    let _ = writeln!(out, "pub struct {name} {{\n    parts: Vec<OutPart<'c>>,\n}}\n");
    let put = "        self.parts.iter().try_for_each(|part| part.put(ins, is_consumed))";
    let take = format!("        {} {{ parts: (0..{count}).map(|_| outs.next()).collect() }}", plain(name));
    implement(out, ty, name, put, &take);
}

fn derive(out: &mut String, ty: &EntryType) {
    out.push_str(match (borrows(ty), knows_all(ty)) {
        (false, _) => "#[derive(Clone, Copy, Debug, PartialEq)]\n",
        (true, true) => "#[derive(Debug)]\n",
        (true, false) => "",
    });
}

fn implement(out: &mut String, ty: &EntryType, name: &str, put: &str, take: &str) {
    let (lifetime, of) = if borrows(ty) { ("<'c>", "<'c>") } else { ("", "<'_>") };
    let _ = write!(
        out,
        "impl{lifetime} Value{of} for {name} {{\n    \
         fn put(&self, ins: &mut Ins<'_>, is_consumed: bool) -> Result<(), Error> {{\n{put}\n    }}\n\n    fn take(outs: &mut Outs{of}) -> Self {{\n{take}\n    }}\n}}\n\n",
    );
}

/// A name without its lifetime.
fn plain(name: &str) -> &str {
    name.split('<').next().unwrap_or(name)
}

/// The fields of a record, or the arrays of an array of records.
fn fields(ty: &EntryType) -> Option<&[EntryField]> {
    match &ty.kind {
        EntryKind::Record(fields) => Some(fields),
        EntryKind::Array(EntryArray { fields, .. }) if !fields.is_empty() => Some(fields),
        EntryKind::Array(_) | EntryKind::Plain(_) | EntryKind::Sum(_) | EntryKind::Opaque(_) => None,
    }
}

/// Whether it becomes a struct or an enum: what is no scalar, array of scalars or tuple. The implementations for tuples
/// end at sixteen components.
fn is_defined(ty: &EntryType) -> bool {
    match (&ty.kind, fields(ty)) {
        (EntryKind::Plain(_), _) => false,
        (_, Some(fields)) => !(fields.is_empty() || entry::is_tuple(fields) && fields.len() <= 16),
        (_, None) => true,
    }
}

/// Whether its values have arrays, which belong to a context, or are of parts.
fn borrows(ty: &EntryType) -> bool {
    match (&ty.kind, fields(ty)) {
        (EntryKind::Plain(part), _) => part.rank > 0,
        (EntryKind::Sum(sum), _) => sum.variants.iter().flat_map(|variant| &variant.payload).any(|(ty, _)| borrows(ty)),
        (_, Some(fields)) => fields.iter().any(|field| borrows(&field.ty)),
        (_, None) => true,
    }
}

/// Whether nothing in it is known only to the program.
fn knows_all(ty: &EntryType) -> bool {
    match (&ty.kind, fields(ty)) {
        (EntryKind::Plain(_), _) => true,
        (EntryKind::Sum(sum), _) => {
            sum.variants.iter().flat_map(|variant| &variant.payload).all(|(ty, _)| knows_all(ty))
        }
        (_, Some(fields)) => fields.iter().all(|field| knows_all(&field.ty)),
        (_, None) => false,
    }
}

/// The words of which the name of a type is made.
fn type_words(ty: &EntryType) -> String {
    match &ty.kind {
        EntryKind::Array(EntryArray { rank, elem, .. }) => format!("{} array{rank}", elem.name),
        _ => ty.name.to_string(),
    }
}
