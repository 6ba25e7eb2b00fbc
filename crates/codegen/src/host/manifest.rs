//! The manifest of a library: its entry points and types, and which functions of the C API belong to them, as JSON.
//! Programs that make bindings read it instead of the header.

use super::entry::{name, points};
use super::types::{c_name, in_function, is_scalar};
use kenaz_base::Symbol;
use kenaz_imp::Prog;
use kenaz_ir::{EntryField, EntryKind, EntrySum, EntryType, Part, Target, Tunable};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) fn manifest(prog: &Prog, types: &[Arc<EntryType>], target: &Target, tunables: &[Tunable]) -> String {
    let entries = points(prog).into_iter().map(|(fun, point)| {
        let inputs: Vec<Value> = point
            .entry
            .params
            .iter()
            .map(|param| json!({"name": param.name.as_str(), "type": param.ty.name.as_str(), "unique": param.unique}))
            .collect();
        let outputs: Vec<Value> = point
            .entry
            .results
            .iter()
            .map(|result| json!({"type": result.ty.name.as_str(), "unique": result.unique}))
            .collect();
        let function = format!("futhark_entry_{}", in_function(Symbol::intern(name(fun))));
        let tuning: Vec<&str> = tunables.iter().map(|tunable| tunable.name.as_str()).collect();
        let described = json!({"cfun": function, "inputs": inputs, "outputs": outputs, "tuning_params": tuning});
        (name(fun).to_string(), described)
    });
    let values = types.iter().filter(|ty| !is_scalar(ty));
    let described = values.map(|ty| (ty.name.to_string(), describe(ty)));
    let mut text = json!({
        "backend": target.name,
        "version": concat!("kenaz ", env!("CARGO_PKG_VERSION")),
        "entry_points": entries.collect::<Map<_, _>>(),
        "types": described.collect::<Map<_, _>>(),
    })
    .to_string();
    text.push('\n');
    text
}

/// The names of the functions that do these things with a type of that name.
fn operations(name: &str, operations: &[&str]) -> Value {
    let function = |operation: &&str| (operation.to_string(), Value::from(format!("futhark_{operation}_{name}")));
    Value::Object(operations.iter().map(function).collect())
}

fn describe(ty: &EntryType) -> Value {
    let name = c_name(ty);
    let ctype = format!("struct futhark_{name} *");
    if let EntryKind::Plain(Part { prim, rank }) = ty.kind {
        let ops = operations(&name, &["free", "shape", "values", "values_raw", "new", "new_raw", "index"]);
        return json!({"kind": "array", "ctype": ctype, "rank": rank, "elemtype": prim.name(), "ops": ops});
    }
    let ops = operations(&name, &["free", "store", "restore"]);
    let mut described = json!({"kind": "opaque", "ctype": ctype, "ops": ops});
    let more = match &ty.kind {
        EntryKind::Record(fields) if !fields.is_empty() => {
            Some(("record", json!({"new": format!("futhark_new_{name}"), "fields": listed(&name, fields)})))
        }
        EntryKind::Sum(sum) => Some(("sum", variants(&name, sum))),
        EntryKind::Array(array) => {
            let mut about = json!({
                "rank": array.rank,
                "elemtype": array.elem.name.as_str(),
                "index": format!("futhark_index_{name}"),
                "shape": format!("futhark_shape_{name}"),
            });
            if array.fields.is_empty() {
                Some(("opaque_array", about))
            } else {
                about["zip"] = format!("futhark_zip_{name}").into();
                about["fields"] = listed(&name, &array.fields);
                Some(("record_array", about))
            }
        }
        EntryKind::Record(_) | EntryKind::Plain(_) | EntryKind::Opaque(_) => None,
    };
    if let Some((key, about)) = more {
        described[key] = about;
    }
    described
}

/// Fields in the order in which the function that makes the record takes them.
fn listed(name: &str, fields: &[EntryField]) -> Value {
    let field = |field: &EntryField| {
        let project = format!("futhark_project_{name}_{}", in_function(field.name));
        json!({"name": field.name.as_str(), "type": field.ty.name.as_str(), "project": project})
    };
    fields.iter().map(field).collect()
}

/// Variants in the order of their numbers.
fn variants(name: &str, sum: &EntrySum) -> Value {
    let variant = |variant: &kenaz_ir::EntryVariant| {
        let suffix = in_function(variant.name);
        let payload: Vec<&str> = variant.payload.iter().map(|(ty, _)| ty.name.as_str()).collect();
        json!({
            "name": variant.name.as_str(),
            "construct": format!("futhark_new_{name}_{suffix}"),
            "destruct": format!("futhark_destruct_{name}_{suffix}"),
            "payload": payload,
        })
    };
    let variants: Vec<Value> = sum.variants.iter().map(variant).collect();
    json!({"variant": format!("futhark_variant_{name}"), "variants": variants})
}
