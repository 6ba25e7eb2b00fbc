//! Counts of allocations and copies in what the two compilers print, and of those that may run many times.

use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Count {
    pub allocations: usize,
    pub copies: usize,
    /// Those of both that stand in a loop, or in a function that is called in one.
    pub in_loops: usize,
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

/// Functions of a program while they are read: what each of them has, and whom it calls.
#[derive(Default)]
struct Functions<'a> {
    counts: HashMap<&'a str, Count>,
    /// Caller, callee, and whether the call stands in a loop.
    calls: Vec<(&'a str, &'a str, bool)>,
}

impl<'a> Functions<'a> {
    fn add(&mut self, function: &'a str, allocations: usize, copies: usize, in_loop: bool) {
        let count = self.counts.entry(function).or_default();
        count.allocations += allocations;
        count.copies += copies;
        count.in_loops += if in_loop { allocations + copies } else { 0 };
    }

    /// The sum, in which all that a function has stands in a loop if the function is called in one.
    fn sum(self) -> Count {
        let mut looped: HashSet<&str> = self.calls.iter().filter(|call| call.2).map(|call| call.1).collect();
        let mut seen = usize::MAX;
        while seen != looped.len() {
            seen = looped.len();
            looped.extend(
                self.calls.iter().filter(|call| looped.contains(call.0)).map(|call| call.1).collect::<Vec<_>>(),
            );
        }
        self.counts.iter().fold(Count::default(), |sum, (function, count)| Count {
            allocations: sum.allocations + count.allocations,
            copies: sum.copies + count.copies,
            in_loops: sum.in_loops + if looped.contains(function) { count.total() } else { count.in_loops },
        })
    }
}

pub(super) fn ours(text: &str) -> Count {
    let (blocks, places) = (blocks(text), places(text));
    let (mut functions, mut function) = (Functions::default(), "");
    // Whether each body that is open is that of a loop or an operator.
    let mut open: Vec<bool> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("fun ").or_else(|| line.strip_prefix("entry ")) {
            function = rest.split(' ').next().unwrap_or("");
            open.clear();
        }
        let bound = line.strip_prefix("let ").and_then(|line| line.split_once(" = "));
        let in_loop = open.contains(&true);
        let mut is_loop = false;
        if let Some((pattern, exp)) = bound {
            let exp = exp.rsplit_once(" at ").map_or(exp, |(exp, _)| exp);
            // Certificates come first.
            let exp = exp.strip_prefix('<').and_then(|exp| exp.split_once("> ")).map_or(exp, |(_, exp)| exp);
            let name = pattern.split(':').next().unwrap_or("");
            let (mut allocations, mut copies) = (0, 0);
            match exp.split(' ').next().unwrap_or("") {
                "alloc" => allocations = 1,
                "copy" => copies = usize::from(moves(&places, name, exp.split(' ').nth(1).unwrap_or(""))),
                "concat" => {
                    let parts = exp.split_once('(').map_or("", |(_, parts)| parts).trim_end_matches(')');
                    copies = elsewhere(&blocks, name, parts.split(','));
                }
                "array" => {
                    let parts =
                        exp.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(parts, _)| parts);
                    copies = elsewhere(&blocks, name, parts.split(','));
                }
                "update" | "flat_update" => {
                    let value = exp.rsplit_once("= ").map_or("", |(_, value)| value);
                    copies = elsewhere(&blocks, name, [value].into_iter());
                }
                "call" => functions.calls.push((function, exp.split(' ').nth(1).unwrap_or(""), in_loop)),
                "par" | "loop" => is_loop = true,
                _ => {}
            }
            functions.add(function, allocations, copies, in_loop);
        }
        // A body that follows another of the same statement is of the same kind: `} else {`, `} own {`.
        let closed = if line.starts_with('}') { open.pop() } else { None };
        if line.ends_with('{') {
            open.push(is_loop || closed == Some(true));
        }
    }
    functions.sum()
}

pub(super) fn theirs(text: &str) -> Count {
    let blocks = blocks(text);
    let (mut functions, mut function) = (Functions::default(), "");
    let loops = loops(text);
    let (mut bodies, mut at) = (starts(text).into_iter().peekable(), 0);
    while let Some(found) = text[at..].find("let {").map(|found| at + found) {
        at = found + 5;
        while let Some((_, name)) = bodies.next_if(|(start, _)| *start < found) {
            function = name;
        }
        let Some((pattern, exp)) = pattern_and_expression(&text[at..]) else { continue };
        let in_loop = loops.iter().any(|inside| inside.contains(&found));
        let name = pattern.split(':').next().unwrap_or("").trim();
        let word: String = exp.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let arguments = || exp.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(args, _)| args);
        let (mut allocations, mut copies) = (0, 0);
        match &word[..] {
            "alloc" => allocations = 1,
            "copy" | "manifest" => copies = 1,
            "concat" => copies = elsewhere(&blocks, name, arguments().split(',').skip(1)),
            "apply" => {
                let callee = exp["apply".len()..].trim_start().split('(').next().unwrap_or("");
                functions.calls.push((function, callee, in_loop));
            }
            "" if exp.starts_with('[') => {
                let parts = exp[1..].split_once(']').map_or("", |(parts, _)| parts);
                copies = elsewhere(&blocks, name, parts.split(','));
            }
            _ => {
                let line = exp.lines().next().unwrap_or("");
                if line[word.len()..].starts_with(" with [") || line[word.len()..].starts_with(" with flat") {
                    let all = exp.split_once("] =").map_or("", |(_, value)| value).trim_start();
                    let value = all.split(char::is_whitespace).next().unwrap_or("");
                    copies = elsewhere(&blocks, name, [value].into_iter());
                }
            }
        }
        functions.add(function, allocations, copies, in_loop);
    }
    functions.sum()
}

/// Where the functions of the peer's program begin, and their names.
fn starts(text: &str) -> Vec<(usize, &str)> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("fun") || line.starts_with("entry") {
            let rest = text[at..].trim_start_matches(|c: char| c != '\n').trim_start();
            starts.push((at, rest.split([' ', '(']).next().unwrap_or("")));
        }
        at += line.len();
    }
    starts
}

/// The bodies of the peer's loops, which begin with `do {`.
fn loops(text: &str) -> Vec<std::ops::Range<usize>> {
    let (mut open, mut loops) = (Vec::new(), Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => open.push((at, text[..at].trim_end().ends_with(" do"))),
            '}' => {
                if let Some((start, true)) = open.pop() {
                    loops.push(start..at);
                }
            }
            _ => {}
        }
    }
    loops
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
        assert_eq!(ours(text), Count { allocations: 1, copies: 2, in_loops: 1 });
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
        assert_eq!(theirs(text), Count { allocations: 1, copies: 3, in_loops: 0 });
    }

    #[test]
    fn statements_in_loops_and_in_functions_called_there_are_counted_apart() {
        let text = "
fun row_1 (n_2: i64) : (mem) = {
  let m_3: mem = alloc host 80
  in m_3
}
entry main (n_2: i64) : (i64) = {
  let x_4: i64 = if b_5 then {
    let m_6: mem = alloc host 80
    in 1
  } else {
    in 2
  }
  let a_7: [n_2]i64 @ m_8 -> 0 + {(n_2 : 1)} = par (i_9 < n_2) scan (0) \\(x_10: i64) -> {
    in x_10
  } own {
    let y_11: i64 = if b_5 then {
      let m_12: mem = alloc host 80
      in 1
    } else { in 2 }
    let m_13: mem = call row_1 (n_2)
    in y_11
  } at a.fut:1:1
  let m_14: mem = alloc host 80
  in x_4
}";
        assert_eq!(ours(text), Count { allocations: 4, copies: 0, in_loops: 2 });
        let text = "
fun
  row_1 (n_2 : i64)
  : {mem} = {
  let {m_3 : mem} =
    alloc(80i64)
  in {m_3}
}
entry(\"main\",
      {n: i64}, {})
  entry_main (n_2 : i64)
  : {i64} = {
  let {x_4 : i64} =
    if b_5
    then {
      let {m_6 : mem} =
        alloc(80i64)
      in {1i64}
    } else {2i64}
  let {y_11 : i64} =
    loop {z_10 : i64} = {0i64}
    for i_9:i64 < n_2 do {
      let {m_12 : mem} =
        alloc(80i64)
      let {m_13 : mem} =
        apply row_1(n_2)
        : {mem}
      in {z_10}
    }
  let {m_14 : mem} =
    alloc(80i64)
  in {x_4}
}";
        assert_eq!(theirs(text), Count { allocations: 4, copies: 0, in_loops: 2 });
    }
}
