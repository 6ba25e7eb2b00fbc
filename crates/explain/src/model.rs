//! The facts about a program, as they are written to JSON.

use crate::formula::Formula;
use crate::run::Run;
use serde::Serialize;

/// What became of a program.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    pub program: String,
    pub target: String,
    /// In the order in which the program comes to them; that of a function after those that it calls.
    pub functions: Vec<Function>,
    pub fusions: Vec<Fusion>,
    pub decisions: Vec<Decision>,
    pub advice: Vec<Advice>,
    /// A run of it, if it was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    pub stages: Vec<Stage>,
    /// The files that places are in.
    pub sources: Vec<Source>,
}

/// A function that is left in the C, with all that was inlined there.
#[derive(Clone, Debug, Serialize)]
pub struct Function {
    pub name: String,
    pub is_entry: bool,
    pub place: Option<Place>,
    pub nests: Vec<Nest>,
    pub blocks: Vec<Block>,
    pub copies: Vec<Copy>,
    pub checks: Vec<Check>,
    /// What happens in which step, as far as it takes long.
    pub steps: Vec<Step>,
    /// How many steps there are.
    pub length: usize,
    pub peak: Peak,
    /// What words in formulas stand for.
    pub legend: Vec<(String, String)>,
    /// The words in formulas for what an entry point gets, by parts of its parameters.
    #[serde(skip)]
    pub words: Vec<Vec<Option<String>>>,
}

/// A loop, or several that are one nest.
#[derive(Clone, Debug, Serialize)]
pub struct Nest {
    pub place: Option<Place>,
    pub kind: Kind,
    /// `map`, `reduction`, `loop`
    pub what: String,
    /// How often it runs, for each dimension.
    pub sizes: Vec<String>,
    /// Who runs its iterations: `the cores`, `one thread`.
    pub runs: String,
    /// How it is written, from the outermost on.
    pub plan: Vec<String>,
    /// The one that it is in, by its number in the function.
    pub inside: Option<usize>,
    pub cost: Cost,
    /// How many iterations it has, if that is known before it begins.
    #[serde(skip)]
    pub trips: Option<Formula>,
}

/// What a loop moves and computes each time that it runs, all iterations together. An array element counts once, and
/// only if its array is there before the loop or after it.
#[derive(Clone, Debug, Serialize)]
pub struct Cost {
    /// In bytes.
    pub reads: Amount,
    /// In bytes.
    pub writes: Amount,
    /// Of scalars that data depend on.
    pub operations: Amount,
    /// How many operations there are for each byte, if that is the same for all sizes.
    pub intensity: Option<f64>,
}

/// A number of bytes or operations.
#[derive(Clone, Debug, Serialize)]
pub struct Amount {
    /// None if it is not known.
    pub formula: Option<Formula>,
    /// Whether it may be less.
    pub is_bound: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Its iterations could run at the same time.
    Parallel,
    /// They follow one another.
    Loop,
}

/// A block of memory.
#[derive(Clone, Debug, Serialize)]
pub struct Block {
    pub name: String,
    pub place: Option<Place>,
    /// How many, as a formula.
    pub bytes: String,
    /// `host`, `device`, `shared`, `private`
    pub space: String,
    /// Whether it is allocated when the program runs, and not on the stack or a part of another block.
    pub is_allocated: bool,
    /// How often: a line for each loop around it, the outermost first.
    pub repeats: Vec<String>,
    /// Goes on after "because"; empty if nobody decided.
    pub reason: String,
    pub arrays: Vec<Array>,
    /// Whether the function yields it.
    pub is_result: bool,
    /// From which step on, and to which one, it is there.
    pub from: usize,
    pub to: usize,
}

/// An array in a block.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Array {
    pub name: String,
    /// `[n][m]f32`
    pub shape: String,
    /// `row-major`, `column-major`, or the offset and the distances from one element to the next.
    pub layout: String,
    /// What writes it: a kind of statement.
    pub writer: String,
    pub place: Option<Place>,
}

impl Array {
    pub(crate) fn is_part(&self) -> bool {
        self.layout.ends_with(PART)
    }
}

/// Behind the layout of an array that does not begin where its block does.
pub(crate) const PART: &str = ", a part";

/// An array that is copied.
#[derive(Clone, Debug, Serialize)]
pub struct Copy {
    pub place: Option<Place>,
    pub from: String,
    pub to: String,
    /// How many bytes, as a formula.
    pub bytes: String,
    pub repeats: Vec<String>,
    /// Goes on after "because"; empty if nobody decided.
    pub reason: String,
}

/// A check that is left.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    pub place: Option<Place>,
    /// What it says when it fails.
    pub message: String,
    pub repeats: Vec<String>,
}

/// Something that takes long.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    pub at: usize,
    pub to: usize,
    pub what: String,
    pub place: Option<Place>,
}

/// The most memory that a function has allocated at a time, together with the functions that it calls, in bytes.
#[derive(Clone, Debug, Serialize)]
pub struct Peak {
    /// The greatest of these.
    pub of: Vec<Formula>,
    /// Whether it may be less.
    pub is_bound: bool,
    /// Whether there may be more, since something could not be followed.
    pub has_more: bool,
}

/// Two operators that became one, which is where the second was.
#[derive(Clone, Debug, Serialize)]
pub struct Fusion {
    pub first: Place,
    pub second: Place,
    /// Whether others than the second need what the first makes.
    pub is_shared: bool,
}

/// What a pass decided.
#[derive(Clone, Debug, Serialize)]
pub struct Decision {
    /// The id that `kenaz explain-error` knows.
    pub kind: String,
    pub about: String,
    pub place: Place,
    /// Goes on after "because".
    pub reason: String,
    /// Whether an attribute asks for it.
    pub is_asked: bool,
}

/// What the user could change.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    pub place: Place,
    pub message: String,
    pub notes: Vec<String>,
    pub hints: Vec<String>,
}

/// The text of the program at a stage.
#[derive(Clone, Debug, Serialize)]
pub struct Stage {
    pub name: String,
    pub text: String,
}

/// A file.
#[derive(Clone, Debug, Serialize)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// A place in a source, and the places from which its function was called where it was inlined, the innermost first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Place {
    /// The number of the source.
    pub source: usize,
    pub start: Point,
    /// The last character.
    pub end: Point,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub called_at: Vec<Place>,
}

/// Both from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Point {
    pub line: usize,
    pub column: usize,
}
