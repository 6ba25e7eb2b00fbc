//! Addresses in HTML.

/// A part of an address, such as the name of an operator.
pub(crate) fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parts_of_addresses() {
        assert_eq!(percent("a b#<+>/é"), "a%20b%23%3C%2B%3E/%C3%A9");
    }
}
