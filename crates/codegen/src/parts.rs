//! The text of rts/, which is part of the compiler: one table of its files, and which of them a program needs.
//!
//! Whoever writes a name of the run-time system takes note of the part that defines it, where it writes it ([`Needs`]).
//! What parts need of each other is in the [table](TABLE), and a test finds what is missing there.

use kenaz_ir::target::Dialect;
use kenaz_ir::{Level, Space, Target};
use std::cell::Cell;

/// A file of rts/, in the order in which they stand in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Base,
    Integer,
    Bits,
    Real,
    Convert,
    Alone,
    Half,
    Threads,
    Opencl,
    Cuda,
    Crew,
    Context,
    Memory,
    Device,
    Stream,
    Copy,
    Values,
    Api,
    Print,
    Binary,
    Opaque,
    Parallel,
    Copies,
    Hints,
    Few,
    Text,
    Program,
    Main,
    Server,
    Module,
    /// The beginning of the text of kernels.
    Kernel,
}

/// What some targets can do and others cannot, as far as rts/ is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capability {
    /// Code runs on several cores at the same time.
    Cores,
    /// Arrays are in the memory of a device.
    Device,
    /// The device is reached by way of OpenCL.
    OpenCl,
    /// Or of CUDA.
    Cuda,
}

impl Capability {
    const ALL: &[Capability] = &[Capability::Cores, Capability::Device, Capability::OpenCl, Capability::Cuda];

    /// The macro by which the text asks for it, in lines `#ifdef WORD`. The compiler answers, so that no program has
    /// these lines; there are no other conditions inside.
    fn word(self) -> &'static str {
        match self {
            Capability::Cores => "KZ_MULTICORE",
            Capability::Device => "KZ_DEVICE",
            Capability::OpenCl => "KZ_OPENCL",
            Capability::Cuda => "KZ_CUDA",
        }
    }

    fn is_of(self, target: &Target) -> bool {
        match self {
            Capability::Cores => target.runs(Level::Core),
            Capability::Device => target.host_space == Space::Device,
            Capability::OpenCl => target.dialect == Dialect::OpenCl,
            Capability::Cuda => target.dialect == Dialect::Cuda,
        }
    }
}

/// What is known about a part.
struct Row {
    part: Part,
    text: &'static str,
    /// The parts whose functions, types and macros it uses. What it uses only where another part has defined a macro
    /// (`#ifdef KZ_HALF`) is not among them.
    needs: &'static [Part],
    /// Those that it uses as well for targets with a capability.
    needs_with: &'static [(Capability, Part)],
    /// The capability without which a target has no use for it.
    only_with: Option<Capability>,
}

macro_rules! rows {
    ($($part:ident $file:literal needs [$($needs:ident)*] $([$capability:ident: $more:ident])* $(only $only:ident)?;)*) => {
        &[$(Row {
            part: Part::$part,
            text: include_str!(concat!("../../../rts/", $file)),
            needs: &[$(Part::$needs),*],
            needs_with: &[$((Capability::$capability, Part::$more)),*],
            only_with: rows!(@only $($only)?),
        }),*]
    };
    (@only) => { None };
    (@only $only:ident) => { Some(Capability::$only) };
}

/// The parts, in the order of [`Part`].
static TABLE: &[Row] = rows![
    Base "base.h" needs [];
    Integer "integer.h" needs [Base];
    Bits "bits.h" needs [Base];
    Real "real.h" needs [Base];
    Convert "convert.h" needs [Base];
    Alone "alone.h" needs [Base Convert];
    Half "half.h" needs [Base Real Convert];
    Threads "threads.h" needs [Base] only Cores;
    Opencl "opencl.h" needs [Base] only OpenCl;
    Cuda "cuda.h" needs [Base] only Cuda;
    Crew "crew.h" needs [Base Cuda] only Cuda;
    Context "context.h" needs [Base Memory] [Cores: Threads] [OpenCl: Opencl] [Cuda: Cuda] [Cuda: Crew] [Device: Device];
    Memory "memory.h" needs [Base Context] [OpenCl: Opencl] [Cuda: Cuda] [Device: Device];
    Device "device.h" needs [Base Context Memory] [OpenCl: Opencl] [Cuda: Cuda] [Cuda: Crew] only Device;
    Stream "stream.h" needs [Base];
    Copy "copy.h" needs [Base Stream];
    Values "values.h" needs [Base Context Memory] [Device: Device];
    Api "api.h" needs [Base Context Memory Values] [OpenCl: Opencl] [Cuda: Cuda] [Device: Device];
    Print "print.h" needs [Base Values] [Device: Context] [Device: Device];
    Binary "binary.h" needs [Base Memory Values];
    Opaque "opaque.h" needs [Base Context Memory Values Binary];
    Parallel "parallel.h" needs [Base Memory Threads] only Cores;
    Copies "copies.h" needs [Base Copy Parallel] only Cores;
    Hints "hints.h" needs [];
    Few "few.h" needs [];
    Text "text.h" needs [Base Memory Values Binary];
    Program "program.h" needs [Base Context Values] [Cores: Threads] [Device: Device] [OpenCl: Opencl] [Cuda: Cuda];
    Main "main.h" needs [Base Memory Values Print Binary Text Program] [Device: Device];
    Server "server.h" needs [Base Context Memory Values Binary Text Program];
    Module "module.h" needs [Base Context Memory Values];
    Kernel "kernel.h" needs [] only Device;
];

impl Part {
    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    pub(crate) fn text(self) -> &'static str {
        self.row().text
    }

    /// Those that it cannot be without.
    fn needs(self, target: &Target) -> impl Iterator<Item = Part> + '_ {
        let Row { needs, needs_with, .. } = self.row();
        let more = needs_with.iter().filter(move |(capability, _)| capability.is_of(target));
        needs.iter().copied().chain(more.map(|(_, part)| *part))
    }

    /// As it stands in a program, under its name alone: what else the first lines say is for those who put parts
    /// together.
    pub(crate) fn section(self, target: &Target) -> String {
        let text = self.text();
        let title = text.split_once(':').map_or("", |(title, _)| title);
        let lines = text.lines().skip_while(|line| line.starts_with("//") || line.is_empty());
        let body: String = for_target(lines, target).map(|line| format!("{line}\n")).collect();
        format!("{title}\n{body}\n")
    }

    /// As it stands among the functions of the program, without a name.
    pub(crate) fn paragraph(self) -> String {
        let lines = self.text().lines().skip_while(|line| !line.is_empty()).skip(1);
        lines.map(|line| format!("{line}\n")).chain(["\n".to_string()]).collect()
    }
}

/// The lines that are left of `#ifdef KZ_MULTICORE … #else … #endif` and the like.
fn for_target<'a>(lines: impl Iterator<Item = &'a str>, target: &Target) -> impl Iterator<Item = &'a str> {
    let asked = |line: &str| {
        let word = line.strip_prefix("#ifdef ")?;
        Capability::ALL.iter().find(|capability| capability.word() == word)
    };
    // Whether we are in one, and whether its lines stay.
    let mut inside = None;
    lines.filter(move |line| match (*line, inside) {
        (line, None) if asked(line).is_some() => {
            inside = asked(line).map(|capability| capability.is_of(target));
            false
        }
        ("#else", Some(stays)) => {
            inside = Some(!stays);
            false
        }
        ("#endif", Some(_)) => {
            inside = None;
            false
        }
        (_, stays) => stays.unwrap_or(true),
    })
}

/// The parts whose names stand in a text, noted while it is written.
#[derive(Debug, Default)]
pub(crate) struct Needs(Cell<u64>);

impl Needs {
    pub(crate) fn add(&self, part: Part) {
        self.0.set(self.0.get() | 1 << part as u64);
    }

    pub(crate) fn has(&self, part: Part) -> bool {
        self.0.get() & 1 << part as u64 != 0
    }

    /// A name that a part defines.
    pub(crate) fn name(&self, part: Part, name: &'static str) -> &'static str {
        debug_assert!(part.text().contains(name), "{name} is not in {part:?}");
        self.add(part);
        name
    }
}

/// The parts that come before a program for a target, given those that it needs and those after it.
pub(crate) fn needed(needs: &Needs, after: &[Part], target: &Target) -> Vec<Part> {
    let own = TABLE.iter().map(|row| row.part).filter(|part| needs.has(*part));
    let mut todo: Vec<Part> = own.chain(after.iter().copied()).chain([Part::Base]).collect();
    let all = Needs::default();
    while let Some(part) = todo.pop() {
        if !all.has(part) {
            let is_of_use = part.row().only_with.is_none_or(|capability| capability.is_of(target));
            assert!(is_of_use, "{part:?} in a program for {}", target.name);
            all.add(part);
            todo.extend(part.needs(target));
        }
    }
    let is_before = |part: &Part| all.has(*part) && !after.contains(part) && !PARAGRAPHS.contains(part);
    TABLE.iter().map(|row| row.part).filter(is_before).collect()
}

/// The parts that stand at the beginning of the program itself.
pub(crate) const PARAGRAPHS: &[Part] = &[Part::Hints, Part::Few];

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_ir::target::{C, MULTICORE};
    use std::collections::{BTreeMap, BTreeSet};

    fn all() -> impl Iterator<Item = Part> {
        TABLE.iter().map(|row| row.part)
    }

    #[test]
    fn the_table_is_in_order() {
        for (i, row) in TABLE.iter().enumerate() {
            assert_eq!(row.part as usize, i);
            let file = format!("// {}.h: ", format!("{:?}", row.part).to_lowercase());
            assert!(row.text.starts_with(&file), "{file}");
        }
    }

    #[test]
    fn only_what_is_used() {
        let needed = |own: &[Part], after: &[Part], target| {
            let needs = Needs::default();
            own.iter().for_each(|part| needs.add(*part));
            needed(&needs, after, target)
        };
        let least = [Part::Base, Part::Context, Part::Memory, Part::Values];
        assert_eq!(needed(&[Part::Values], &[], &C), least);
        assert_eq!(needed(&[Part::Values, Part::Few], &[Part::Module], &C), least);
        let threaded = |own: &[Part]| {
            let after = [Part::Binary, Part::Text, Part::Program, Part::Main];
            needed(&[&[Part::Values], own].concat(), &after, &MULTICORE)
        };
        let least = [Part::Base, Part::Threads, Part::Context, Part::Memory, Part::Values, Part::Print];
        assert_eq!(threaded(&[]), least);
        assert_eq!(threaded(&[Part::Parallel]), [&least[..], &[Part::Parallel]].concat());
        let copies = threaded(&[Part::Copies]);
        assert!([Part::Stream, Part::Copy, Part::Parallel, Part::Copies].iter().all(|part| copies.contains(part)));
        let halves = needed(&[Part::Half], &[], &C);
        assert_eq!(halves, [Part::Base, Part::Real, Part::Convert, Part::Half]);
    }

    #[test]
    #[should_panic(expected = "Parallel in a program for c")]
    fn nothing_for_several_cores_in_a_program_for_one() {
        let needs = Needs::default();
        needs.add(Part::Parallel);
        needed(&needs, &[], &C);
    }

    #[test]
    fn what_is_for_several_cores_is_nowhere_else() {
        for part in all() {
            let [one, many] = [&C, &MULTICORE].map(|target| part.section(target));
            assert!(!one.contains("KZ_MULTICORE") && !many.contains("KZ_MULTICORE"), "{part:?}");
            // Threads that build kernels run nothing of the program, which has no others on a device.
            let has_threads = part == Part::Crew;
            let words = ["pthread", "kz_pool", "num_threads", "is_parallel", "KZ_MOST_THREADS"];
            let is_for_many = part.row().only_with == Some(Capability::Cores);
            let mut forbidden = words.iter().filter(|word| !(has_threads && **word == "pthread"));
            assert!(is_for_many || !forbidden.any(|word| one.contains(word)), "{part:?}");
            let conditions = |text: &str| (text.matches("\n#if").count(), text.matches("\n#endif").count());
            assert_eq!(conditions(&one).0, conditions(&one).1, "{part:?}");
            assert_eq!(conditions(&many).0, conditions(&many).1, "{part:?}");
        }
        let context = Part::Context.section(&MULTICORE);
        assert!(context.contains("FUTHARK_BACKEND_multicore") && !context.contains("FUTHARK_BACKEND_c\n"));
    }

    /// Without comments, strings, and what is there only if another part has defined a macro.
    fn bare(part: Part, target: &Target) -> String {
        let mut text = String::new();
        let mut is_optional = false;
        for line in part.section(target).lines() {
            match line.trim() {
                "#ifdef KZ_HALF" => is_optional = true,
                "#endif" if is_optional => is_optional = false,
                _ if is_optional => {}
                line => {
                    let pieces: Vec<&str> = line.split('"').step_by(2).collect();
                    let line = pieces.join("\"\"");
                    text.push_str(line.split("//").next().unwrap_or_default());
                    text.push('\n');
                }
            }
        }
        text
    }

    fn is_of_name(c: char) -> bool {
        c.is_ascii_alphanumeric() || c == '_' || c == '#'
    }

    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !is_of_name(c)).filter(|word| !word.is_empty())
    }

    /// The names of the run-time system that a text defines: macros, functions, types, constants and tables. Those of
    /// macros that paste names have `##` in them.
    fn defined(text: &str) -> BTreeSet<String> {
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let mut in_enum = false;
        for line in text.lines().map(str::trim) {
            let is_code = !line.starts_with('#');
            if let Some(rest) = line.strip_prefix("#define ") {
                found.extend(words(rest).next());
            }
            let starts = |prefix: &str| line.starts_with(prefix);
            let is_function =
                ["KZ_FN ", "KZ_COLD ", "KZ_OUTLINE ", "KZ_API ", "KZ_UNUSED ", "static "].into_iter().any(starts);
            let is_only_declared = line.ends_with(';') && !line.contains(['{', '=']);
            if is_function && !is_only_declared {
                let start = line.find("KZ_PRINTF(").and_then(|at| Some(at + line[at..].find(')')? + 1)).unwrap_or(0);
                let end = line[start..].find(['(', '[', '=']).map_or(line.len(), |at| start + at);
                found.extend(words(&line[start..end]).last().filter(|word| !["int", "void"].contains(word)));
                // The name itself may be in parentheses.
                found.extend(
                    line[end..]
                        .strip_prefix('(')
                        .and_then(|rest| rest.split(')').next())
                        .filter(|name| name.starts_with("kz_") && name.chars().all(is_of_name)),
                );
            }
            for word in ["struct ", "union ", "enum "] {
                for (at, _) in line.match_indices(word) {
                    let rest = &line[at + word.len()..];
                    let name = words(rest).next().unwrap_or_default();
                    if rest[name.len().min(rest.len())..].trim_start().starts_with('{') {
                        found.insert(name);
                    }
                }
            }
            // The table of a type without a name.
            if let Some(rest) = line.strip_prefix("} ") {
                found.extend(words(rest).next());
            }
            if let Some((_, rest)) = line.split_once("typedef ") {
                let before = rest.split([';', '(']).next().unwrap_or_default();
                let before = before.split("__attribute__").next().unwrap_or_default();
                found.extend(words(before).last());
            }
            in_enum |= starts("enum ") && line.contains('{');
            if in_enum && is_code {
                let inside = if starts("enum ") { &line[line.find('{').unwrap_or(0)..] } else { line };
                let inside = inside.split('}').next().unwrap_or_default();
                found.extend(inside.split(',').filter_map(|item| words(item).next()));
                in_enum = !line.contains('}');
            }
        }
        let ours = |name: &&str| {
            name.to_ascii_lowercase().starts_with("kz_") || name.contains("##") || as_scalar(name).is_some()
        };
        found.into_iter().filter(ours).map(str::to_string).collect()
    }

    /// The primitive type at the end of the name of a function on scalars, and what is before it.
    fn as_scalar(name: &str) -> Option<(&str, &str)> {
        let (operation, prim) = name.rsplit_once('_')?;
        let is_prim = kenaz_base::Prim::from_name(prim).is_some();
        (is_prim && !operation.to_ascii_lowercase().starts_with("kz_")).then_some((operation, prim))
    }

    /// The parts that have the functions on scalars which a text calls. Names of these are pasted together, so that
    /// only their ends tell: half.h computes by way of `op##_f32` and `f32_to_##p`, alone.h by way of the names
    /// that its macros get, and no other part computes with scalars.
    fn scalar_parts(part: Part, text: &str) -> Vec<Part> {
        let is_scalar = [Part::Integer, Part::Bits, Part::Real, Part::Convert].contains(&part);
        let called = text.match_indices('(').filter_map(|(end, _)| text[..end].rsplit(|c| !is_of_name(c)).next());
        let called: Vec<&str> = called.filter(|name| as_scalar(name).is_some()).collect();
        match part {
            Part::Half => {
                assert!(text.contains("op##_f32(") && text.contains("f32_to_##p("), "its needs are those");
                vec![Part::Real, Part::Convert]
            }
            Part::Alone => {
                assert!(text.contains("KZ_ALONE(f32_to_i32,"), "its needs are those");
                vec![Part::Convert]
            }
            _ => {
                assert!(is_scalar || called.is_empty(), "{part:?} calls {called:?}");
                Vec::new()
            }
        }
    }

    /// What the program or a test defines.
    const OPEN: &[&str] = &[
        "KZ_CONSTANTS",
        "kz_init_constants",
        "kz_entries",
        "kz_types",
        "KZ_STREAM_FROM",
        "kz_kernel_texts",
        "kz_kernel_list",
        "kz_kernel_is_narrow",
        "kz_kernel_failed",
    ];

    /// Whether a name is one of these, or pasted together as one of them.
    fn defines(definitions: &BTreeSet<String>, word: &str) -> bool {
        let is_pasted = |name: &String| {
            let (start, _) = name.split_once("##").unwrap_or_default();
            start.starts_with("kz_") && word.starts_with(start)
        };
        definitions.contains(word) || definitions.iter().any(is_pasted)
    }

    /// Every function, type and macro of the run-time system that a part uses is defined in it or in a part that it
    /// declares, itself and not by way of others. So it is found when a use goes away as well.
    #[test]
    fn declared_needs_are_complete() {
        for target in Target::ALL {
            let texts: BTreeMap<Part, String> = all().map(|part| (part, bare(part, target))).collect();
            let definitions: BTreeMap<Part, BTreeSet<String>> =
                texts.iter().map(|(part, text)| (*part, defined(text))).collect();
            for (part, text) in &texts {
                // The text of kernels stands on its own.
                let is_apart = *part == Part::Kernel;
                if is_apart || part.row().only_with.is_some_and(|capability| !capability.is_of(target)) {
                    continue;
                }
                let declared: Vec<Part> = part.needs(target).collect();
                let mut of_use: BTreeSet<Part> = BTreeSet::new();
                for word in words(text).filter(|word| !defines(&definitions[part], word)) {
                    let is_owner = |other: &Part| *other != Part::Kernel && defines(&definitions[other], word);
                    let owners: Vec<Part> = all().filter(is_owner).collect();
                    of_use.extend(&owners);
                    let is_ours = word.to_ascii_lowercase().starts_with("kz_") && !word.contains('#');
                    // Operations on scalars ask whether they are in a kernel.
                    let of_kernels = defines(&definitions[&Part::Kernel], word);
                    let is_known = !owners.is_empty() || !is_ours || OPEN.contains(&word) || of_kernels;
                    assert!(is_known, "{part:?} uses `{word}`, which nobody defines");
                    let is_declared = owners.is_empty() || owners.iter().any(|owner| declared.contains(owner));
                    assert!(is_declared, "{part:?} uses `{word}` of {owners:?} for {}", target.name);
                }
                of_use.extend(scalar_parts(*part, text));
                for need in declared {
                    assert!(of_use.contains(&need), "{part:?} uses nothing of {need:?} for {}", target.name);
                }
            }
        }
    }
}
