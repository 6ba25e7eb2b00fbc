//! Counts of allocations and copies in what the two compilers print, and of those that may run many times.

use std::collections::{BTreeMap, HashMap, HashSet};

/// How often the body of a loop is taken to run.
const ITERATIONS: u64 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Count {
    pub allocations: usize,
    pub copies: usize,
    /// Those of both that stand in a loop, or in a function that is called in one.
    pub in_loops: usize,
    /// How often there is an allocation if each loop runs so many times, and each entry point once.
    pub allocates: u64,
    /// The same for copies.
    pub copied: u64,
}

impl Count {
    /// Neither more allocations nor more copies in the text of the program.
    pub(super) fn at_most(self, other: Count) -> bool {
        self.allocations <= other.allocations && self.copies <= other.copies
    }

    /// Does not allocate and copy more often, both together.
    pub(super) fn at_most_as_often(self, other: Count) -> bool {
        self.often() <= other.often()
    }

    pub(super) fn total(self) -> usize {
        self.allocations + self.copies
    }

    /// How often there is one of both.
    pub(super) fn often(self) -> u64 {
        self.allocates.saturating_add(self.copied)
    }
}

/// A body that is being read.
#[derive(Clone, Copy)]
enum Kind {
    Plain,
    /// Of so many loops at once: a `par` may have several dimensions.
    Loops(usize),
    /// The first branch, and the other one, of which only one runs.
    Then,
    Else,
}

/// How often there are allocations and copies in the bodies that are open.
#[derive(Default)]
struct Bodies(Vec<(Kind, [u64; 2], [u64; 2])>);

impl Bodies {
    fn open(&mut self, kind: Kind) {
        self.0.push((kind, [0; 2], [0; 2]));
    }

    fn add(&mut self, more: [u64; 2]) {
        if let Some((_, sum, _)) = self.0.last_mut() {
            *sum = [sum[0].saturating_add(more[0]), sum[1].saturating_add(more[1])];
        }
    }

    /// The body ends; what kind it was.
    fn close(&mut self) -> Option<Kind> {
        let (kind, sum, _) = self.0.pop()?;
        let around = self.0.last_mut();
        match (kind, around) {
            (Kind::Then, Some((_, _, first))) => *first = sum,
            (Kind::Else, Some((_, _, first))) => {
                let more = std::mem::take(first);
                self.add(if more.iter().sum::<u64>() > sum.iter().sum() { more } else { sum });
            }
            (Kind::Plain, _) => self.add(sum),
            (Kind::Loops(depth), _) => {
                let times = ITERATIONS.saturating_pow(depth as u32);
                self.add([sum[0].saturating_mul(times), sum[1].saturating_mul(times)]);
            }
            (Kind::Then | Kind::Else, None) => {}
        }
        Some(kind)
    }

    /// In how many loops the body stands.
    fn depth(&self) -> usize {
        self.0.iter().map(|(kind, ..)| if let Kind::Loops(depth) = kind { *depth } else { 0 }).sum()
    }

    /// All bodies end; how often there were both.
    fn finish(&mut self) -> [u64; 2] {
        while self.0.len() > 1 {
            self.close();
        }
        self.0.pop().map_or([0; 2], |(_, sum, _)| sum)
    }
}

/// Functions of a program while they are read: what each of them has, and whom it calls.
#[derive(Default)]
struct Functions<'a> {
    counts: BTreeMap<&'a str, Count>,
    /// Caller, callee, and in how many loops the call stands.
    calls: Vec<(&'a str, &'a str, usize)>,
}

impl<'a> Functions<'a> {
    /// Statements in so many loops of a function.
    fn add(&mut self, function: &'a str, allocations: usize, copies: usize, depth: usize) {
        let count = self.counts.entry(function).or_default();
        count.allocations += allocations;
        count.copies += copies;
        count.in_loops += if depth > 0 { allocations + copies } else { 0 };
    }

    /// How often a function allocates and copies when it runs once.
    fn finish(&mut self, function: &'a str, bodies: &mut Bodies) {
        let count = self.counts.entry(function).or_default();
        [count.allocates, count.copied] = bodies.finish();
    }

    /// The sum, in which all that a function has stands in a loop if the function is called in one.
    fn sum(self) -> Count {
        // How often each function runs, and whether in a loop; there is no recursion.
        let mut runs: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
        let called: HashSet<&str> = self.calls.iter().map(|call| call.1).collect();
        for _ in 0..=self.counts.len() {
            let mut next: BTreeMap<&str, (u64, bool)> =
                self.counts.keys().filter(|f| !called.contains(**f)).map(|f| (*f, (1, false))).collect();
            for (caller, callee, depth) in &self.calls {
                let Some((times, in_loop)) = runs.get(caller).copied() else { continue };
                let it = next.entry(callee).or_insert((0, false));
                it.0 = it.0.saturating_add(times.saturating_mul(ITERATIONS.saturating_pow(*depth as u32)));
                it.1 |= in_loop || *depth > 0;
            }
            if next == runs {
                break;
            }
            runs = next;
        }
        let mut sum = Count::default();
        for (function, count) in &self.counts {
            let (times, in_loop) = runs.get(function).copied().unwrap_or((1, false));
            sum.allocations += count.allocations;
            sum.copies += count.copies;
            sum.in_loops += if in_loop { count.total() } else { count.in_loops };
            sum.allocates = sum.allocates.saturating_add(times.saturating_mul(count.allocates));
            sum.copied = sum.copied.saturating_add(times.saturating_mul(count.copied));
        }
        sum
    }
}

pub(super) fn ours(text: &str) -> Count {
    let (blocks, places) = (blocks(text), places(text));
    let (mut functions, mut function) = (Functions::default(), "");
    let mut bodies = Bodies::default();
    bodies.open(Kind::Plain);
    for line in text.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("fun ").or_else(|| line.strip_prefix("entry ")) {
            functions.finish(function, &mut bodies);
            function = rest.split(' ').next().unwrap_or("");
            bodies.open(Kind::Plain);
        }
        let bound = line.strip_prefix("let ").and_then(|line| line.split_once(" = "));
        let depth = bodies.depth();
        let mut kind = Kind::Plain;
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
                "call" => functions.calls.push((function, exp.split(' ').nth(1).unwrap_or(""), depth)),
                "if" if exp.ends_with("} else {") => kind = Kind::Else,
                "if" => kind = Kind::Then,
                "loop" => kind = Kind::Loops(1),
                "par" => {
                    let space = exp.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(it, _)| it);
                    kind = Kind::Loops(space.matches(" < ").count().max(1));
                }
                _ => {}
            }
            functions.add(function, allocations, copies, depth);
            bodies.add([allocations as u64, copies as u64]);
        }
        if line.starts_with('}') {
            // A body that follows another of the same statement: `} else {`, `} own {`.
            kind = match bodies.close() {
                Some(Kind::Then) => Kind::Else,
                Some(Kind::Loops(depth)) => Kind::Loops(depth),
                Some(Kind::Plain | Kind::Else) | None => Kind::Plain,
            };
            if matches!(kind, Kind::Else) && !line.ends_with('{') {
                bodies.open(kind);
                bodies.close();
            }
        }
        if line.ends_with('{') {
            bodies.open(kind);
        }
    }
    functions.finish(function, &mut bodies);
    functions.sum()
}

pub(super) fn theirs(text: &str) -> Count {
    let blocks = blocks(text);
    let (mut functions, mut function) = (Functions::default(), "");
    let mut starts = starts(text).into_iter().peekable();
    let mut bodies = Bodies::default();
    bodies.open(Kind::Plain);
    for (found, brace) in text.match_indices(['{', '}']) {
        while let Some((_, name)) = starts.next_if(|(start, _)| *start < found) {
            functions.finish(function, &mut bodies);
            function = name;
            bodies.open(Kind::Plain);
        }
        if brace == "}" {
            bodies.close();
            continue;
        }
        let before = text[..found].trim_end();
        let kind = match () {
            () if before.ends_with(" do") => Kind::Loops(1),
            () if before.ends_with("then") => Kind::Then,
            () if before.ends_with("else") => Kind::Else,
            () => Kind::Plain,
        };
        let depth = bodies.depth();
        let statement = text[..found].ends_with("let ").then(|| pattern_and_expression(&text[found + 1..])).flatten();
        let Some((pattern, exp)) = statement else {
            bodies.open(kind);
            continue;
        };
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
                functions.calls.push((function, callee, depth));
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
        functions.add(function, allocations, copies, depth);
        bodies.add([allocations as u64, copies as u64]);
        bodies.open(kind);
    }
    functions.finish(function, &mut bodies);
    functions.sum()
}

/// Where the functions of the peer's program begin, and their names.
fn starts(text: &str) -> Vec<(usize, &str)> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("fun") {
            let rest = text[at..].trim_start_matches(|c: char| c != '\n').trim_start();
            starts.push((at, rest.split([' ', '(']).next().unwrap_or("")));
        } else if line.starts_with("entry") {
            // Nobody calls it, so that its name does not matter.
            starts.push((at, line));
        }
        at += line.len();
    }
    starts
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
        assert_eq!(ours(text), Count { allocations: 1, copies: 2, in_loops: 1, allocates: 1, copied: 11 });
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
        assert_eq!(theirs(text), Count { allocations: 1, copies: 3, in_loops: 0, allocates: 1, copied: 3 });
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
        assert_eq!(ours(text), Count { allocations: 4, copies: 0, in_loops: 2, allocates: 22, copied: 0 });
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
        assert_eq!(theirs(text), Count { allocations: 4, copies: 0, in_loops: 2, allocates: 22, copied: 0 });
    }
}
