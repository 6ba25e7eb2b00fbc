//! The values of literals, read from their text.

use crate::ast::{FloatLit, IntLit};
use kenaz_base::Prim;

/// The value of an integer token.
pub fn int(text: &str) -> IntLit {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', b'r' | b'R', ..] => return roman(&text[2..]),
        _ => (text, 10),
    };
    let end = digits.find(|c: char| !(c.is_digit(radix) || c == '_')).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let (mut value, mut overflow) = (0u128, false);
    for digit in digits.chars().filter_map(|c| c.to_digit(radix)) {
        let (scaled, over_mul) = value.overflowing_mul(u128::from(radix));
        let (sum, over_add) = scaled.overflowing_add(u128::from(digit));
        value = sum;
        overflow |= over_mul || over_add;
    }
    IntLit { value, overflow, suffix: Prim::from_name(suffix) }
}

/// Numerals are added up; a smaller one counts as subtracted only in the six usual pairs.
fn roman(text: &str) -> IntLit {
    const NUMERALS: [(&str, u128); 13] = [
        ("M", 1000),
        ("CM", 900),
        ("D", 500),
        ("CD", 400),
        ("C", 100),
        ("XC", 90),
        ("L", 50),
        ("XL", 40),
        ("X", 10),
        ("IX", 9),
        ("V", 5),
        ("IV", 4),
        ("I", 1),
    ];
    let (mut rest, mut value) = (text, 0u128);
    while let Some((numeral, worth)) = NUMERALS.iter().find(|(numeral, _)| rest.starts_with(numeral)) {
        value += worth;
        rest = &rest[numeral.len()..];
    }
    IntLit { value, overflow: false, suffix: Prim::from_name(rest) }
}

/// The value of a float token.
pub fn float(text: &str) -> FloatLit {
    let is_hex = matches!(text.as_bytes(), [b'0', b'x' | b'X', ..]);
    // In a hexadecimal number an `f` before the exponent is a digit.
    let mantissa = if is_hex { text.find(['p', 'P']).unwrap_or(text.len()) } else { 0 };
    let (number, suffix) = match text[mantissa..].find('f') {
        Some(at) => (&text[..mantissa + at], Prim::from_name(&text[mantissa + at..])),
        None => (text, None),
    };
    let text: String = number.chars().filter(|&c| c != '_').collect();
    let value = if is_hex { hex_float(&text) } else { text.parse().unwrap_or(f64::NAN) };
    FloatLit { text, value, suffix }
}

/// `0x1.8p3`, rounded to nearest.
fn hex_float(text: &str) -> f64 {
    let (mantissa, exponent) = text[2..].split_once(['p', 'P']).unwrap_or((&text[2..], "0"));
    // An exponent beyond an i32 is zero or infinity all the same.
    let exponent: i32 = exponent.parse().unwrap_or(if exponent.starts_with('-') { -1_000_000 } else { 1_000_000 });
    let (mut bits, mut scale, mut seen_point) = (0u128, 0i64, false);
    for c in mantissa.chars() {
        let Some(digit) = c.to_digit(16) else {
            seen_point = true;
            continue;
        };
        if bits >> 124 == 0 {
            bits = bits << 4 | u128::from(digit);
            scale -= if seen_point { 4 } else { 0 };
        } else {
            // Beyond the precision of any float: only whether something was lost matters for rounding.
            bits |= u128::from(digit != 0);
            scale += if seen_point { 0 } else { 4 };
        }
    }
    let mut exponent = i64::from(exponent) + scale;
    let mut value = bits as f64;
    // In steps, so that neither factor overflows or underflows before the product does.
    while exponent != 0 && value != 0.0 && value.is_finite() {
        let step = exponent.clamp(-1000, 1000);
        value *= 2f64.powi(step as i32);
        exponent -= step;
    }
    value
}

/// What is wrong with an escape sequence.
pub struct BadEscape {
    /// Byte range within the literal's text.
    pub lo: usize,
    pub hi: usize,
}

/// The code point of a character token, with its quotes.
pub fn character(text: &str) -> Result<u32, BadEscape> {
    let inner = &text[1..text.len() - 1];
    let mut chars = inner.chars();
    match chars.next() {
        Some('\\') => match escape(&inner[1..]) {
            Some((Some(c), len)) if len + 1 == inner.len() => Ok(u32::from(c)),
            _ => Err(BadEscape { lo: 1, hi: text.len() - 1 }),
        },
        Some(c) => Ok(u32::from(c)),
        None => Err(BadEscape { lo: 0, hi: text.len() }),
    }
}

/// The text of a string token, with its quotes (the last may be missing).
pub fn string(text: &str) -> Result<String, BadEscape> {
    let inner = text[1..].strip_suffix('"').unwrap_or(&text[1..]);
    let mut out = String::with_capacity(inner.len());
    let mut at = 0;
    while let Some(c) = inner[at..].chars().next() {
        if c != '\\' {
            out.push(c);
            at += c.len_utf8();
            continue;
        }
        let rest = &inner[at + 1..];
        match escape(rest) {
            Some((c, len)) => {
                out.extend(c);
                at += 1 + len;
            }
            None => {
                let len = rest.chars().next().map_or(0, char::len_utf8);
                return Err(BadEscape { lo: at + 1, hi: at + 2 + len });
            }
        }
    }
    Ok(out)
}

/// What the escape after a backslash stands for (perhaps nothing), and its length.
fn escape(rest: &str) -> Option<(Option<char>, usize)> {
    const NAMES: [&str; 34] = [
        "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI", "DLE",
        "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US", "SP",
        "DEL",
    ];
    let simple = |c| Some((Some(c), 1));
    let numeric = |digits: &str, radix, prefix| {
        let len = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let value = u32::from_str_radix(&digits[..len], radix).ok()?;
        Some((Some(char::from_u32(value)?), len + prefix))
    };
    match rest.chars().next()? {
        'a' => simple('\x07'),
        'b' => simple('\x08'),
        'f' => simple('\x0c'),
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        'v' => simple('\x0b'),
        c @ ('\\' | '"' | '\'') => simple(c),
        '&' => Some((None, 1)),
        '0'..='9' => numeric(rest, 10, 0),
        'x' | 'X' => numeric(&rest[1..], 16, 1),
        'o' | 'O' => numeric(&rest[1..], 8, 1),
        '^' => match rest[1..].chars().next()? {
            c @ '@'..='_' => Some((char::from_u32(u32::from(c) - 64), 2)),
            _ => None,
        },
        // A gap: blanks between two backslashes stand for nothing.
        c if c.is_ascii_whitespace() => {
            let len = rest.find(|c: char| !c.is_ascii_whitespace())?;
            rest[len..].starts_with('\\').then_some((None, len + 1))
        }
        _ => {
            // The longest name: `SOH` before `SO`.
            let (code, name) = NAMES
                .iter()
                .enumerate()
                .filter(|(_, name)| rest.starts_with(**name))
                .max_by_key(|(_, name)| name.len())?;
            let code = if *name == "DEL" { 127 } else { code as u32 };
            Some((char::from_u32(code), name.len()))
        }
    }
}
