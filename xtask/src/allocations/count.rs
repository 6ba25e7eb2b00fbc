//! Counts of allocations and copies in what the two compilers print.

use std::collections::HashMap;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub allocations: usize,
    pub copies: usize,
}

impl Count {
    /// Neither more allocations nor more copies.
    pub(super) fn at_most(self, other: Count) -> bool {
        self.allocations <= other.allocations && self.copies <= other.copies
    }

    pub(super) fn total(self) -> usize {
        self.allocations + self.copies
    }
}

pub(super) fn ours(text: &str) -> Count {
    let (blocks, places) = (blocks(text), places(text));
    let mut count = Count::default();
    for line in text.lines() {
        let Some((pattern, exp)) = line.trim().strip_prefix("let ").and_then(|line| line.split_once(" = ")) else {
            continue;
        };
        let exp = exp.rsplit_once(" at ").map_or(exp, |(exp, _)| exp);
        // Certificates come first.
        let exp = exp.strip_prefix('<').and_then(|exp| exp.split_once("> ")).map_or(exp, |(_, exp)| exp);
        let name = pattern.split(':').next().unwrap_or("");
        match exp.split(' ').next().unwrap_or("") {
            "alloc" => count.allocations += 1,
            "copy" => count.copies += usize::from(moves(&places, name, exp.split(' ').nth(1).unwrap_or(""))),
            "concat" => {
                let parts = exp.split_once('(').map_or("", |(_, parts)| parts).trim_end_matches(')');
                count.copies += elsewhere(&blocks, name, parts.split(','));
            }
            "array" => {
                let parts =
                    exp.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(parts, _)| parts);
                count.copies += elsewhere(&blocks, name, parts.split(','));
            }
            "update" | "flat_update" => {
                let value = exp.rsplit_once("= ").map_or("", |(_, value)| value);
                count.copies += elsewhere(&blocks, name, [value].into_iter());
            }
            _ => {}
        }
    }
    count
}

pub(super) fn theirs(text: &str) -> Count {
    let blocks = blocks(text);
    let mut count = Count::default();
    for (at, _) in text.match_indices("let {") {
        let Some((pattern, exp)) = pattern_and_expression(&text[at + 5..]) else { continue };
        let name = pattern.split(':').next().unwrap_or("").trim();
        let word: String = exp.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let arguments = || exp.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(args, _)| args);
        match &word[..] {
            "alloc" => count.allocations += 1,
            "copy" | "manifest" => count.copies += 1,
            "concat" => count.copies += elsewhere(&blocks, name, arguments().split(',').skip(1)),
            "" if exp.starts_with('[') => {
                let parts = exp[1..].split_once(']').map_or("", |(parts, _)| parts);
                count.copies += elsewhere(&blocks, name, parts.split(','));
            }
            _ => {
                let line = exp.lines().next().unwrap_or("");
                if line[word.len()..].starts_with(" with [") || line[word.len()..].starts_with(" with flat") {
                    let all = exp.split_once("] =").map_or("", |(_, value)| value).trim_start();
                    let value = all.split(char::is_whitespace).next().unwrap_or("");
                    count.copies += elsewhere(&blocks, name, [value].into_iter());
                }
            }
        }
    }
    count
}

/// The block in which each array is: `x: [n]f32 @ m -> …` says so, with or without spaces.
fn blocks(text: &str) -> HashMap<&str, &str> {
    let mut blocks = HashMap::new();
    for (at, _) in text.match_indices(" @ ") {
        let rest = &text[at + 3..];
        let block = rest.split(|c: char| !is_of_name(c)).next().unwrap_or("");
        let before = &text[..at];
        let Some(colon) = before.rfind(": ") else { continue };
        let name = before[..colon].trim_end().rsplit(|c: char| !is_of_name(c)).next().unwrap_or("");
        if !block.is_empty() && !name.is_empty() {
            blocks.insert(name, block);
        }
    }
    blocks
}

/// The whole place of each array, as text.
fn places(text: &str) -> HashMap<&str, &str> {
    let mut places = HashMap::new();
    for (name, block) in blocks(text) {
        let at = block.as_ptr() as usize - text.as_ptr() as usize;
        let end = text[at..].find('}').map_or(text.len(), |end| at + end);
        places.insert(name, &text[at..end]);
    }
    places
}

/// Whether a copy is elsewhere than what is copied.
fn moves(places: &HashMap<&str, &str>, to: &str, from: &str) -> bool {
    places.get(to).is_none_or(|place| places.get(from) != Some(place))
}

/// Names of operators have other characters than letters.
fn is_of_name(c: char) -> bool {
    !c.is_whitespace() && !"(){},:".contains(c)
}

/// How many of these arrays are not in the block of the result. What has no block is no array.
fn elsewhere<'a>(blocks: &HashMap<&str, &str>, result: &str, parts: impl Iterator<Item = &'a str>) -> usize {
    let Some(here) = blocks.get(result) else { return 0 };
    parts.filter_map(|part| blocks.get(part.trim())).filter(|block| *block != here).count()
}

/// What is bound, up to the brace that closes the pattern, and what comes behind the equals sign.
fn pattern_and_expression(text: &str) -> Option<(&str, &str)> {
    let mut open = 1;
    for (at, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            let mut exp = text[at + 1..].trim_start().strip_prefix('=')?.trim_start();
            // Certificates and attributes come first.
            while let Some(rest) = exp.strip_prefix("#{").or_else(|| exp.strip_prefix("#[")) {
                exp = rest.split_once(['}', ']'])?.1.trim_start();
            }
            return Some((&text[..at], exp));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_place_are_no_copies() {
        let text = "
  let m_1: mem = alloc host 80 at a.fut:1:1
  let a_2: [4]i32 @ m_1 -> 0 + {(4 : 1)} = copy p_9 at a.fut:1:1
  let b_3: [6]i32 @ m_1 -> 4 + {(6 : 1)} = par (i_4 < 6) own {
  let c_5: [10]i32 @ m_1 -> 0 + {(10 : 1)} = <q_7> concat 10 (a_2, b_3)
  let e_8: [4]i32 @ m_1 -> 0 + {(4 : 1)} = copy a_2 at a.fut:1:1
  let d_6: [10]i32 @ m_8 -> 0 + {(10 : 1)} = update d_5[0 :+ 4 * 1] = a_2 at a.fut:1:1";
        assert_eq!(ours(text), Count { allocations: 1, copies: 2 });
    }

    #[test]
    fn the_other_notation_is_read() {
        let text = "
  let {mem_1 : mem} =
    alloc(bytes_2)
  let {a_3 : [n_4]i32 @ mem_1 ->
             {offset: 0i64;
              strides: [1i64];
              shape: [n_4]}} =
    replicate([n_4], 0i32)
  let {res_5 : [m_6]i32 @ mem_1 ->
               {offset: 0i64;
                strides: [1i64];
                shape: [m_6]}} =
    concat@0(m_6, a_3, b_7)
  let {up_8 : [m_6]i32 @ mem_1 ->
              {offset: 0i64;
               strides: [1i64];
               shape: [m_6]}} =
    res_5 with [0i64 :+ n_4 * 1i64] = b_7
  let {b_7 : [m_6]i32 @ mem_9 ->
              {offset: 0i64;
               strides: [1i64];
               shape: [m_6]}} =
    #{cert_11} manifest((1, 0), z_10)";
        assert_eq!(theirs(text), Count { allocations: 1, copies: 3 });
    }
}
