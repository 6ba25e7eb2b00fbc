//! Values of scripts as people read them.

use super::eval::{ScriptError, Val};
use kenaz_ir::{EntryKind, EntryType};
use kenaz_runtime::{Data, Value};
use std::fmt::Write;
use std::sync::Arc;

/// Arrays that would be wider have their rows below each other.
const WIDEST: usize = 76;

impl Val {
    /// The value as the language writes it; functions have no such form.
    pub fn shown(&self) -> Result<String, ScriptError> {
        let all = |values: &[Val]| -> Result<String, ScriptError> {
            Ok(values.iter().map(Val::shown).collect::<Result<Vec<_>, _>>()?.join(", "))
        };
        Ok(match self {
            Val::Plain(value) => rows(value),
            Val::Number(_) | Val::Numbers(_) | Val::Text(_) => rows(&self.clone().plain()?),
            Val::Tuple(parts) => format!("({})", all(parts)?),
            Val::Record(fields) => {
                let field = |(name, value): &(String, Val)| Ok(format!("{name} = {}", value.shown()?));
                let fields: Result<Vec<String>, ScriptError> = fields.iter().map(field).collect();
                format!("{{{}}}", fields?.join(", "))
            }
            Val::Whole(parts, Some(ty)) => {
                let mut out = String::new();
                let leaves: Vec<Leaf<'_>> = parts.iter().map(|value| Leaf { value, depth: 0, at: 0 }).collect();
                match write(&mut out, ty, &leaves) {
                    Some(()) => out,
                    None => listed(parts),
                }
            }
            Val::Whole(parts, None) => listed(parts),
            Val::Function(name, _) => return Err(ScriptError(format!("`{name}` is a function, which has no text"))),
        })
    }
}

fn listed(parts: &[Value]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// An array, with a line for each row if that is easier to read.
fn rows(value: &Value) -> String {
    let text = value.to_string();
    if value.rank() < 2 || text.len() <= WIDEST || value.data().is_empty() {
        return text;
    }
    let count = value.shape()[0];
    let rows: Vec<String> =
        (0..count).map(|i| rows(&Leaf { value, depth: 1, at: i }.part()).replace('\n', "\n ")).collect();
    format!("[{}]", rows.join(",\n "))
}

/// A part of an array: that of the first `depth` indices, which all together are number `at`.
#[derive(Clone, Copy)]
struct Leaf<'v> {
    value: &'v Value,
    depth: usize,
    at: usize,
}

impl Leaf<'_> {
    fn part(&self) -> Value {
        let shape = self.value.shape()[self.depth..].to_vec();
        let count: usize = shape.iter().product();
        let mut data = Data::empty(self.value.prim());
        for i in self.at * count..(self.at + 1) * count {
            let pushed = data.push(self.value.data().get(i));
            debug_assert!(pushed);
        }
        Value::new(shape, data)
    }
}

/// Writes a value of a type; nothing if it does not consist of these parts.
fn write<'v>(out: &mut String, ty: &Arc<EntryType>, leaves: &[Leaf<'v>]) -> Option<()> {
    kenaz_base::with_stack(|| {
        match &ty.kind {
            EntryKind::Plain(_) => {
                let leaf = leaves.first()?;
                // Writing to a string cannot fail, here and below.
                let _ = write!(out, "{}", leaf.part());
            }
            EntryKind::Record(fields) => {
                let is_tuple = fields.iter().enumerate().all(|(i, field)| field.name.as_str() == i.to_string());
                out.push(if is_tuple { '(' } else { '{' });
                let mut rest = leaves;
                for (i, field) in fields.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    if !is_tuple {
                        let _ = write!(out, "{} = ", field.name);
                    }
                    let (own, others) = rest.split_at_checked(field.ty.parts().len())?;
                    write(out, &field.ty, own)?;
                    rest = others;
                }
                out.push(if is_tuple { ')' } else { '}' });
            }
            EntryKind::Sum(sum) => {
                let tag = leaves.first()?.part();
                let variant = sum.variants.get(usize::from(*tag.elements::<u8>()?.first()?))?;
                let _ = write!(out, "#{}", variant.name);
                for (ty, parts) in &variant.payload {
                    let own: Option<Vec<Leaf<'v>>> = parts.iter().map(|part| leaves.get(*part).copied()).collect();
                    let is_variant = matches!(ty.kind, EntryKind::Sum(_));
                    out.push_str(if is_variant { " (" } else { " " });
                    write(out, ty, &own?)?;
                    out.push_str(if is_variant { ")" } else { "" });
                }
            }
            EntryKind::Array(array) => elements(out, array.rank, &array.elem, leaves)?,
            EntryKind::Opaque(_) => return None,
        }
        Some(())
    })
}

fn elements<'v>(out: &mut String, rank: usize, elem: &Arc<EntryType>, leaves: &[Leaf<'v>]) -> Option<()> {
    if rank == 0 {
        return write(out, elem, leaves);
    }
    let n = *leaves.first()?.value.shape().get(leaves.first()?.depth)?;
    out.push('[');
    for i in 0..n {
        out.push_str(if i > 0 { ", " } else { "" });
        let element = |leaf: &Leaf<'v>| Leaf { depth: leaf.depth + 1, at: leaf.at * n + i, ..*leaf };
        elements(out, rank - 1, elem, &leaves.iter().map(element).collect::<Vec<_>>())?;
    }
    out.push(']');
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::Executor;
    use crate::executors::Interpreter;
    use crate::script::{Evaluator, parse};
    use kenaz_base::TemporaryFolder;
    use std::fs;

    #[test]
    fn values_of_programs() {
        let folder = TemporaryFolder::new().unwrap();
        let file = folder.path.join("a.fut");
        fs::write(
            &file,
            "type point = {y: f32, x: i32}\n\
             type shape = #circle point f32 | #dot | #both (bool, bool) [2]i8\n\
             entry pair: (i32, point) = (1, {x = 2, y = 3})\n\
             entry points: []point = [{x = 1, y = 2}, {x = 3, y = 4}]\n\
             entry deep: {a: [2][2](bool, i64)} = {a = [[(true, 1), (false, 2)], [(true, 3), (false, 4)]]}\n\
             entry circle: shape = #circle {x = 1, y = 2} 5\n\
             entry shapes: [3]shape = [#dot, #both (true, false) [1, 2], #circle {x = 7, y = 8} 9]\n\
             entry inside: (bool, shape) = (true, #dot)\n\
             entry nothing: () = ()\n\
             entry wide: [2][40]i32 = tabulate_2d 2 40 (\\i j -> i32.i64 (i * j))\n",
        )
        .unwrap();
        let compiled = Interpreter::default().compile(&file).map_err(|_| "it does not compile").unwrap();
        let shown = |text: &str| {
            let value = Evaluator::new(&*compiled.program, &folder.path).eval(&parse(text).unwrap());
            value.and_then(|value| value.shown()).unwrap_or_else(|error| error.to_string())
        };
        assert_eq!(shown("pair"), "(1i32, {x = 2i32, y = 3.0f32})");
        assert_eq!(
            shown("let (a, b) = pair in {first = b, second = a}"),
            "{first = {x = 2i32, y = 3.0f32}, second = 1i32}"
        );
        assert_eq!(shown("points"), "[{x = 1i32, y = 2.0f32}, {x = 3i32, y = 4.0f32}]");
        assert_eq!(shown("deep"), "{a = [[(true, 1i64), (false, 2i64)], [(true, 3i64), (false, 4i64)]]}");
        assert_eq!(shown("circle"), "#circle {x = 1i32, y = 2.0f32} 5.0f32");
        assert_eq!(shown("shapes"), "[#dot, #both (true, false) [1i8, 2i8], #circle {x = 7i32, y = 8.0f32} 9.0f32]");
        assert_eq!(shown("inside"), "(true, #dot)");
        assert_eq!((shown("nothing"), shown("()"), shown("2.5")), ("()".into(), "()".into(), "2.5f64".into()));
        let wide = shown("wide");
        assert!(
            wide.lines().count() == 2 && wide.starts_with("[[0i32, 0i32,") && wide.contains("],\n [0i32, 1i32,"),
            "{wide}"
        );
    }
}
