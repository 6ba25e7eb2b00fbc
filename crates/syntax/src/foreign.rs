//! Words and operators of other languages, and what they are called here. Messages use them; nothing else does.

/// The name here of a type of another language.
pub fn type_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" | "Int" | "int32" | "int32_t" | "i32_t" | "Int32" => "i32",
        "long" | "int64" | "int64_t" | "Int64" | "Integer" | "usize" | "isize" | "size_t" => "i64",
        "float" | "Float" | "float32" | "Float32" | "real" => "f32",
        "double" | "Double" | "float64" | "Float64" => "f64",
        "char" | "byte" | "uint8" | "uint8_t" | "UInt8" => "u8",
        "unsigned" | "uint" | "uint32" | "uint32_t" | "UInt32" => "u32",
        "uint64" | "uint64_t" | "UInt64" => "u64",
        "Bool" | "boolean" => "bool",
        "string" | "String" | "str" => "[]u8",
        _ => return None,
    })
}

/// Whether this is a type of arrays or lists in another language.
pub fn is_array_type(name: &str) -> bool {
    matches!(
        name,
        "Array" | "array" | "List" | "list" | "Vec" | "vec" | "Vector" | "vector" | "Seq" | "ndarray" | "Matrix"
    )
}

/// What to write in place of an operator of another language, as an operator.
pub fn operator(op: &str) -> Option<&'static str> {
    Some(match op {
        "<>" | "/=" | "!==" => "!=",
        "===" => "==",
        "=<" => "<=",
        "<<<" => "<<",
        _ => return None,
    })
}

/// The operator in an assignment such as `+=`.
pub fn assigned_operator(op: &str) -> Option<&str> {
    let op = op.strip_suffix('=')?;
    matches!(op, "+" | "-" | "*" | "/" | "%" | "**" | "&" | "|" | "^" | "&&" | "||" | "<<" | ">>").then_some(op)
}
