//! Attributes: what `#[sequential]` or `#[simd(8)]` in front of an expression or declaration asks of the compiler.
//!
//! An attribute of the program text becomes an [`Attr`] when it is parsed, or a [`Problem`] that is a warning; all
//! later stages and the text form of the IR know attributes of this list only. A new one is a line in the table, and in
//! [`Attr::parse`] and in how it prints, if it has arguments, or in [`PLAIN`] if it has none.

use crate::symbol::Symbol;
use std::fmt;

macro_rules! attributes {
    ($($variant:ident $(($ty:ty))? $name:literal $usage:literal $about:literal;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Attr { $(#[doc = $about] $variant $(($ty))?),* }

        /// What attributes are called, and how each is written.
        const TABLE: &[(&str, &str)] = &[$(($name, $usage)),*];

        /// What each of them means.
        const MEANINGS: &[(&str, &str)] = &[$(($name, $about)),*];

        impl Attr {
            pub fn name(self) -> &'static str {
                match self { $(attributes!(@pattern $variant $($ty)?) => $name),* }
            }
        }
    };
    (@pattern $variant:ident) => { Attr::$variant };
    (@pattern $variant:ident $ty:ty) => { Attr::$variant(_) };
}

attributes! {
    // Values and checks
    Blank "blank" "`#[blank]`" "The value does not matter.";
    Scratch "scratch" "`#[scratch]`" "The value does not matter, not even that its memory is initialised.";
    Trace(Option<Symbol>) "trace" "`#[trace]` or `#[trace(tag)]`" "The value is printed, after the tag if there is one.";
    Break "break" "`#[break]`" "An interpreter stops in front of the expression.";
    Opaque "opaque" "`#[opaque]`" "Nothing is known of the value when other expressions are simplified.";
    Unsafe "unsafe" "`#[unsafe]`" "Checks are left out.";
    Warn(Warned) "warn" "`#[warn(safety_checks)]`" "Something that the compiler adds is a warning.";
    Dispatch "dispatch" "`#[dispatch]`" "A branch may yield functions.";

    // Functions and loops
    Inline "inline" "`#[inline]`" "Calls are inlined.";
    NoInline "noinline" "`#[noinline]`" "Calls stay calls.";
    Unroll "unroll" "`#[unroll]`" "The iterations of a loop are written out.";

    // Who runs it
    Sequential "sequential" "`#[sequential]`" "Nothing of it runs in parallel.";
    SequentialOuter "sequential_outer" "`#[sequential_outer]`" "It does not run in parallel, what is in it may.";
    SequentialInner "sequential_inner" "`#[sequential_inner]`" "It may run in parallel, what is in it does not.";
    Core "core" "`#[core]`" "It runs on the cores of the CPU.";
    Simd(u32) "simd" "`#[simd]` or `#[simd(8)]`" "It runs in vectors of so many elements; 0 is what the machine has.";
    Grid "grid" "`#[grid]`" "It runs on all blocks of a GPU.";
    Block "block" "`#[block]`" "It runs on a block of a GPU.";
    Lane "lane" "`#[lane]`" "It runs on the lanes of a warp.";
    Pinned "pinned" "`#[pinned]`" "It stays an operator of its own, whoever runs it.";
    IncrementalFlattening(Versions) "incremental_flattening" "`#[incremental_flattening(only_inner)]`, or `no_outer`, `no_intra`, `only_intra`, `only_outer`" "Which versions of nested parallelism there are.";
    Flattening(Irregular) "flattening" "`#[flattening(sequentialise_nonuniform)]`" "What becomes of irregular parallelism.";
    SeqFactor(u64) "seq_factor" "`#[seq_factor(4)]`" "How many iterations each thread of a GPU runs.";
    NoEpilogue "no_epilogue" "`#[no_epilogue]`" "A kernel with tensor cores ends without a second loop.";

    // Where its result is
    Materialize "materialize" "`#[materialize]`" "The array has a block of its own.";
    Dest "dest" "`#[dest]`" "The array is built where it is needed in the end.";
    Source "source" "`#[source]`" "The elements are computed where they are read.";
    Window "window" "`#[window]`" "Slices that overlap are a window that moves along.";
    Global "global" "`#[global]`" "The array is in the memory of the device, or of the host on a CPU.";
    Shared "shared" "`#[shared]`" "The array is in the on-chip memory of a block.";
    Private "private" "`#[private]`" "The array belongs to one thread: it is in registers or on its stack.";

    // How loops are cut
    Tile((u32, u32)) "tile" "`#[tile(8,32)]`" "Sums inside two maps run in tiles of so many rows and columns.";
    Strip(u32) "strip" "`#[strip(64)]`" "Reductions run for so many neighbouring iterations at once.";
    Vector(u32) "vector" "`#[vector(8)]`" "A reduction in sequence has so many accumulators side by side.";

    // A wish
    Try(Symbol) "try" "`#[try(grid)]`" "An attribute that is obeyed if that is possible; otherwise this is a warning.";

    // Derivatives
    Stripmine(u64) "stripmine" "`#[stripmine(2)]`" "How often a loop is split when it is derived.";
    Bound(u64) "bound" "`#[bound(1000)]`" "At most so many iterations of a while loop.";
    TrueDep "true_dep" "`#[true_dep]`" "Iterations of a loop read what earlier ones have written.";
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Warned {
    SafetyChecks,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Versions {
    NoOuter,
    NoIntra,
    OnlyIntra,
    OnlyInner,
    OnlyOuter,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Irregular {
    SequentialiseNonuniform,
}

const VERSIONS: &[(&str, Versions)] = &[
    ("no_outer", Versions::NoOuter),
    ("no_intra", Versions::NoIntra),
    ("only_intra", Versions::OnlyIntra),
    ("only_inner", Versions::OnlyInner),
    ("only_outer", Versions::OnlyOuter),
];

/// The attributes without arguments. `materialise` is another spelling.
const PLAIN: &[Attr] = &[
    Attr::Blank,
    Attr::Scratch,
    Attr::Trace(None),
    Attr::Break,
    Attr::Opaque,
    Attr::Unsafe,
    Attr::Dispatch,
    Attr::Inline,
    Attr::NoInline,
    Attr::Unroll,
    Attr::Sequential,
    Attr::SequentialOuter,
    Attr::SequentialInner,
    Attr::Core,
    Attr::Simd(0),
    Attr::Grid,
    Attr::Block,
    Attr::Lane,
    Attr::Pinned,
    Attr::NoEpilogue,
    Attr::Materialize,
    Attr::Dest,
    Attr::Source,
    Attr::Window,
    Attr::Global,
    Attr::Shared,
    Attr::Private,
    Attr::TrueDep,
];

/// An argument of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    Name(Symbol),
    Number(u128),
    /// Something with arguments of its own, and what it means as an attribute.
    Compound(Option<Attr>),
}

/// Why something is no attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// None is called so.
    Unknown,
    /// The arguments are wrong in number or kind; it is written so.
    Arguments(&'static str),
}

impl Attr {
    /// The attribute that is written `name`, without parentheses, or `name(args)`.
    pub fn parse(name: &str, args: Option<&[Arg]>) -> Result<Attr, Problem> {
        let name = if name == "materialise" { "materialize" } else { name };
        let (_, usage) = TABLE.iter().find(|(known, _)| *known == name).ok_or(Problem::Unknown)?;
        let number = |n: u128| u64::try_from(n).ok();
        let positive = |n: u128| u32::try_from(n).ok().filter(|n| *n > 0);
        let found = match args {
            None => PLAIN.iter().copied().find(|attr| attr.name() == name),
            Some(&[Arg::Name(word)]) if name == "try" => Attr::parse(word.as_str(), None).ok().and_then(Attr::tried),
            Some(&[Arg::Compound(Some(attr))]) if name == "try" => attr.tried(),
            Some(&[Arg::Name(word)]) => match (name, word.as_str()) {
                ("trace", _) => Some(Attr::Trace(Some(word))),
                ("warn", "safety_checks") => Some(Attr::Warn(Warned::SafetyChecks)),
                ("flattening", "sequentialise_nonuniform") => {
                    Some(Attr::Flattening(Irregular::SequentialiseNonuniform))
                }
                ("incremental_flattening", word) => {
                    let versions = VERSIONS.iter().find(|(known, _)| *known == word);
                    versions.map(|(_, versions)| Attr::IncrementalFlattening(*versions))
                }
                _ => None,
            },
            Some(&[Arg::Number(n)]) => match name {
                "simd" => positive(n).map(Attr::Simd),
                "strip" => positive(n).map(Attr::Strip),
                "vector" => positive(n).map(Attr::Vector),
                "seq_factor" => number(n).map(Attr::SeqFactor),
                "stripmine" => number(n).map(Attr::Stripmine),
                "bound" => number(n).map(Attr::Bound),
                _ => None,
            },
            Some(&[Arg::Number(rows), Arg::Number(columns)]) if name == "tile" => {
                positive(rows).zip(positive(columns)).map(Attr::Tile)
            }
            Some(_) => None,
        };
        found.ok_or(Problem::Arguments(usage))
    }

    /// What all attributes are called.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|(name, _)| *name)
    }

    /// How the attribute of a name is written, and what it means.
    pub fn about(name: &str) -> Option<(&'static str, &'static str)> {
        let find =
            |table: &[(&str, &'static str)]| table.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
        Some((find(TABLE)?, find(MEANINGS)?))
    }

    /// Whether it says no more than what of a statement may run in parallel. That matters for what is left of the
    /// statement when operators are scheduled; until then it goes wherever the statement goes, and holds for all of an
    /// operator that the statement became part of.
    pub fn is_strategy(self) -> bool {
        matches!(self, Attr::Sequential | Attr::SequentialOuter | Attr::SequentialInner)
    }

    /// Whether an operator with this attribute, or this wish, is *pinned*: it is not fused, merged, split or moved.
    /// Those that say who runs it do that as well.
    pub fn pins(self) -> bool {
        self.is_level() || self.wanted() == Attr::Pinned
    }

    /// Whether it says who runs an operator, or tries to.
    pub fn is_level(self) -> bool {
        matches!(self.wanted(), Attr::Core | Attr::Simd(_) | Attr::Grid | Attr::Block | Attr::Lane)
    }

    /// Whether nothing but operators, and what has some inside, can have it.
    pub fn is_about_operators(self) -> bool {
        self.is_strategy() || self.pins() || self.wanted() == Attr::Window
    }

    /// Whether it says where an array is.
    pub fn is_memory(self) -> bool {
        matches!(self.wanted(), Attr::Global | Attr::Shared | Attr::Private)
    }

    /// Whether it says that an array is written, or that it is not.
    pub fn is_view(self) -> bool {
        matches!(self.wanted(), Attr::Materialize | Attr::Dest | Attr::Source | Attr::Window)
    }

    /// Whether it says how the loops of an operator are cut.
    pub fn is_cut(self) -> bool {
        matches!(self.wanted(), Attr::Tile(_) | Attr::Strip(_) | Attr::Vector(_))
    }

    /// Whether it is obeyed or refused with an error. The others are those of the base language, or hints.
    pub fn is_binding(self) -> bool {
        self.pins() || self.is_memory() || self.is_view() || self.is_cut()
    }

    /// Whether it is a wish, whose refusal is a warning.
    pub fn is_wish(self) -> bool {
        matches!(self, Attr::Try(_))
    }

    /// The attribute that a wish is about, or the attribute itself.
    pub fn wanted(self) -> Attr {
        let Attr::Try(text) = self else { return self };
        let text = text.as_str();
        let Some((name, args)) = text.split_once('(') else { return Attr::parse(text, None).unwrap_or(self) };
        let args: Option<Vec<Arg>> =
            args.trim_end_matches(')').split(',').map(|arg| arg.parse().ok().map(Arg::Number)).collect();
        args.and_then(|args| Attr::parse(name, Some(&args)).ok()).unwrap_or(self)
    }

    /// The wish for an attribute, if it can be refused.
    pub fn tried(self) -> Option<Attr> {
        (self.is_binding() && !self.is_wish()).then(|| Attr::Try(Symbol::intern(&self.to_string())))
    }

    /// Whether it is about calls and nothing else.
    pub fn is_about_inlining(self) -> bool {
        matches!(self, Attr::Inline | Attr::NoInline)
    }
}

/// As it is written, without `#[` and `]`.
impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Attr::Trace(Some(tag)) => write!(f, "({tag})"),
            Attr::Warn(Warned::SafetyChecks) => f.write_str("(safety_checks)"),
            Attr::Simd(width) if *width > 0 => write!(f, "({width})"),
            Attr::IncrementalFlattening(versions) => {
                let word = VERSIONS.iter().find(|(_, known)| known == versions);
                write!(f, "({})", word.map_or("", |(word, _)| word))
            }
            Attr::Flattening(Irregular::SequentialiseNonuniform) => f.write_str("(sequentialise_nonuniform)"),
            Attr::SeqFactor(n) | Attr::Stripmine(n) | Attr::Bound(n) => write!(f, "({n})"),
            Attr::Tile((rows, columns)) => write!(f, "({rows},{columns})"),
            Attr::Strip(n) | Attr::Vector(n) => write!(f, "({n})"),
            Attr::Try(text) => write!(f, "({text})"),
            // The others have no arguments, and all that have some are above.
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `name`, `name(word)` or `name(12)`.
    fn read(text: &str) -> Result<Attr, Problem> {
        let Some((name, rest)) = text.split_once('(') else { return Attr::parse(text, None) };
        let arg = |arg: &str| match arg.parse() {
            Ok(n) => Arg::Number(n),
            Err(_) => Arg::Name(Symbol::intern(arg)),
        };
        let args: Vec<Arg> = rest.trim_end_matches(')').split(',').filter(|arg| !arg.is_empty()).map(arg).collect();
        Attr::parse(name, Some(&args))
    }

    /// Each attribute can be written as the table shows it, and is printed as it was written.
    #[test]
    fn attributes_are_what_they_print() {
        let shown = |usage: &'static str| usage.split("#[").skip(1).filter_map(|part| part.split(']').next());
        for (name, usage) in TABLE {
            assert!(shown(usage).count() > 0, "{usage}");
            for text in shown(usage) {
                let attr = read(text).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
                assert_eq!((attr.name(), attr.to_string().as_str()), (*name, text));
            }
        }
        for (word, versions) in VERSIONS {
            assert_eq!(read(&format!("incremental_flattening({word})")), Ok(Attr::IncrementalFlattening(*versions)));
        }
        assert_eq!(read("materialise"), Ok(Attr::Materialize));
    }

    #[test]
    fn others_are_problems() {
        assert_eq!(read("sequentail"), Err(Problem::Unknown));
        assert_eq!(read("how_cool(1337)"), Err(Problem::Unknown));
        let wrong =
            ["sequential()", "simd(wide)", "simd(0)", "simd(4294967296)", "trace(1)", "trace(a,b)", "unroll(4)"];
        let more = ["tile", "tile(8)", "tile(8,0)", "strip(0)", "vector", "try", "try(sequential)", "try(nothing)"];
        let others = ["warn", "bound", "warn(everything)", "incremental_flattening(none)"];
        for text in wrong.into_iter().chain(others).chain(more) {
            assert!(matches!(read(text), Err(Problem::Arguments(_))), "{text}");
        }
        assert_eq!(
            Attr::parse("trace", Some(&[Arg::Compound(None)])),
            Err(Problem::Arguments("`#[trace]` or `#[trace(tag)]`"))
        );
    }

    /// A wish is about what stands in it, whatever its arguments are.
    #[test]
    fn wishes() {
        assert_eq!(read("try(grid)").map(Attr::wanted), Ok(Attr::Grid));
        for attr in [Attr::Simd(8), Attr::Tile((8, 32)), Attr::Source, Attr::Simd(0)] {
            let wish = Attr::parse("try", Some(&[Arg::Compound(Some(attr))])).unwrap();
            assert_eq!((wish.wanted(), wish.is_wish(), wish.is_binding()), (attr, true, true));
            assert_eq!(wish.to_string(), format!("try({attr})"));
            assert_eq!(Attr::parse("try", Some(&[Arg::Compound(Some(wish))])).ok(), None);
        }
    }
}
