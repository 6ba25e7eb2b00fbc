//! The facts about a program as notes on its source.

use crate::model::{Amount, Array, Block, Cost, Explanation, Kind, Nest, Place, Point};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;

/// What there is to say about a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    pub topic: Topic,
    pub place: Place,
    /// One line.
    pub title: String,
    /// More, line by line.
    pub details: Vec<String>,
}

/// What a note is about, in the order in which notes on one place stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Topic {
    Loop,
    Fusion,
    Memory,
    Copy,
    Check,
    Decision,
    Advice,
}

impl Topic {
    pub const ALL: [Topic; 7] =
        [Topic::Loop, Topic::Fusion, Topic::Memory, Topic::Copy, Topic::Check, Topic::Decision, Topic::Advice];

    pub fn name(self) -> &'static str {
        match self {
            Topic::Loop => "loop",
            Topic::Fusion => "fusion",
            Topic::Memory => "memory",
            Topic::Copy => "copy",
            Topic::Check => "check",
            Topic::Decision => "decision",
            Topic::Advice => "advice",
        }
    }

    /// One line for people.
    pub fn about(self) -> &'static str {
        match self {
            Topic::Loop => "Which loops there are, who runs them and how",
            Topic::Fusion => "Which operators became one",
            Topic::Memory => "Where arrays are, and why they have memory of their own",
            Topic::Copy => "Which arrays are copied",
            Topic::Check => "Which checks are left",
            Topic::Decision => "What else was decided",
            Topic::Advice => "What to change",
        }
    }

    pub fn from_name(name: &str) -> Option<Topic> {
        Topic::ALL.into_iter().find(|topic| topic.name() == name)
    }
}

/// Decisions that other notes tell of.
const TOLD: &[&str] = &[
    "allocation",
    "copy",
    "core",
    "grid",
    "sequential",
    "sequential-inside",
    "loop",
    "chunks",
    "lanes",
    "order",
    "squares",
    "split",
    "guard",
    "cuts",
    "stream",
    "tile",
    "strips",
];

/// All notes, those on one place together, in the order of the source. What is said twice of the same place, because
/// its function was inlined in several, is said once, with how often that is.
pub(crate) fn notes(of: &Explanation) -> Vec<Note> {
    let mut all: Vec<Note> = Vec::new();
    for function in &of.functions {
        for nest in &function.nests {
            all.extend(nest.place.clone().map(|place| self::nest(nest, place, of)));
        }
        for block in function.blocks.iter().filter(|block| block.is_allocated) {
            all.extend(block.place.clone().map(|place| self::block(block, place)));
        }
        for copy in &function.copies {
            let Some(place) = copy.place.clone() else { continue };
            let title = format!("`{}` is copied: {} bytes{}", copy.from, copy.bytes, often(&copy.repeats));
            let details = [because(&copy.reason), each(&copy.repeats)].concat();
            all.push(Note { topic: Topic::Copy, place, title, details });
        }
        for check in &function.checks {
            let Some(place) = check.place.clone() else { continue };
            let title = format!("a check is left{}: {}", often(&check.repeats), check.message.replace('\n', " "));
            all.push(Note { topic: Topic::Check, place, title, details: each(&check.repeats) });
        }
    }
    for fusion in &of.fusions {
        let at = |place: &Place| format!("{}:{}", place.start.line, place.start.column);
        let shared = if fusion.is_shared { "; others get what it makes from there, too" } else { "" };
        let title = format!("became one with the operator at {}{shared}", at(&fusion.first));
        all.push(Note { topic: Topic::Fusion, place: fusion.second.clone(), title, details: Vec::new() });
    }
    for decision in of.decisions.iter().filter(|decision| !TOLD.contains(&decision.kind.as_str())) {
        let title = format!("{}: because {}", decision.kind.replace('-', " "), decision.reason);
        all.push(Note { topic: Topic::Decision, place: decision.place.clone(), title, details: Vec::new() });
    }
    for advice in &of.advice {
        let hints = advice.hints.iter().map(|hint| format!("help: {hint}"));
        let details = advice.notes.iter().cloned().chain(hints).collect();
        all.push(Note { topic: Topic::Advice, place: advice.place.clone(), title: advice.message.clone(), details });
    }
    merged(all)
}

fn merged(all: Vec<Note>) -> Vec<Note> {
    let mut notes: Vec<(Note, usize)> = Vec::with_capacity(all.len());
    let mut known: FxHashMap<(usize, Point, Point, Topic, String), usize> = FxHashMap::default();
    for note in all {
        let Place { source, start, end, .. } = note.place;
        match known.entry((source, start, end, note.topic, note.title.clone())) {
            Entry::Occupied(first) => notes[*first.get()].1 += 1,
            Entry::Vacant(new) => {
                new.insert(notes.len());
                notes.push((note, 1));
            }
        }
    }
    notes.sort_by_key(|(Note { place, topic, .. }, _)| (place.source, place.start, Reverse(place.end), *topic));
    let told = |(mut note, times): (Note, usize)| {
        if times > 1 {
            note.title.push_str(&format!(" ({times} times)"));
        }
        note
    };
    notes.into_iter().map(told).collect()
}

fn nest(nest: &Nest, place: Place, of: &Explanation) -> Note {
    let sizes = if nest.sizes.is_empty() { String::new() } else { format!(" over {}", nest.sizes.join(" by ")) };
    let who = match nest.kind {
        Kind::Parallel => format!(", run by {}", nest.runs),
        Kind::Loop => ", one iteration after the other".to_string(),
    };
    let mut details = nest.plan.clone();
    let levels = ["core", "grid", "sequential", "sequential-inside", "loop"];
    let reasons = of.decisions.iter().filter(|d| d.place == place && levels.contains(&d.kind.as_str()));
    details.splice(0..0, reasons.map(|decision| format!("because {}", decision.reason)));
    details.push(cost(&nest.cost));
    Note { topic: Topic::Loop, place, title: format!("{}{sizes}{who}", nest.what), details }
}

/// What a loop moves and computes.
pub(crate) fn cost(cost: &Cost) -> String {
    let moved = |amount: &Amount, word: &str| format!("{word} {}", self::amount(amount, "bytes"));
    let intensity = cost.intensity.map(|n| format!(", {} for each byte", rounded(n))).unwrap_or_default();
    format!(
        "{}, {}, each element once; {}{intensity}",
        moved(&cost.reads, "reads"),
        moved(&cost.writes, "writes"),
        amount(&cost.operations, "operations"),
    )
}

fn amount(amount: &Amount, of: &str) -> String {
    let bound = if amount.is_bound { " or less" } else { "" };
    match &amount.formula {
        None => format!("a number of {of} that is not known"),
        Some(formula) if *formula == "0" => format!("no {of}"),
        Some(formula) => format!("{formula} {of}{bound}"),
    }
}

/// To three digits.
pub(crate) fn rounded(x: f64) -> String {
    let digits = if x > 0.0 { (2 - x.log10().floor() as i32).clamp(0, 9) } else { 0 };
    let text = format!("{x:.*}", digits as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// So many arrays of a block are told.
const ARRAYS: usize = 4;

fn block(block: &Block, place: Place) -> Note {
    let how = if block.space == "host" { "allocated" } else { "allocated on the device" };
    let result = if block.is_result { ", for the result" } else { "" };
    let title = format!("`{}` is {how}: {} bytes{result}{}", block.name, block.bytes, often(&block.repeats));
    let mut details = [because(&block.reason), each(&block.repeats)].concat();
    // Those that are all of it say more than those that are parts of others.
    let (whole, parts): (Vec<&Array>, Vec<&Array>) = block.arrays.iter().partition(|array| !array.is_part());
    let mut lines: Vec<String> = whole.iter().chain(&parts).map(|array| self::array(array)).collect();
    lines.dedup();
    if lines.len() > ARRAYS {
        let more = lines.len() - (ARRAYS - 1);
        lines.truncate(ARRAYS - 1);
        lines.push(format!("and {more} more arrays"));
    }
    details.extend(lines);
    Note { topic: Topic::Memory, place, title, details }
}

fn array(array: &Array) -> String {
    let line = array.place.as_ref().map(|place| format!(" in line {}", place.start.line)).unwrap_or_default();
    format!("`{}: {}`, {}, written by {}{line}", array.name, array.shape, array.layout, array.writer)
}

fn because(reason: &str) -> Vec<String> {
    if reason.is_empty() { Vec::new() } else { vec![format!("because {reason}")] }
}

fn often(repeats: &[String]) -> String {
    match repeats.len() {
        0 => String::new(),
        1 => ", in a loop".to_string(),
        n => format!(", in {n} loops"),
    }
}

/// The loops around something, the outermost first.
fn each(repeats: &[String]) -> Vec<String> {
    if repeats.is_empty() { Vec::new() } else { vec![repeats.join(", ")] }
}
