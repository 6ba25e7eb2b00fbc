//! Examples for the help of each command. A test runs them all, in a folder with the files that it says.

use clap::Command;

/// A command line, and what it does.
pub type Example = (&'static str, &'static str);

/// The first steps, for `kenaz --help`.
pub const FIRST: &[Example] = &[
    ("kenaz new hello && cd hello && kenaz test .", "make a project, and run its tests"),
    ("echo '[1.0, 2.0]' | kenaz run a.fut", "run a program on values from standard input"),
    ("kenaz explain a.fut", "see what becomes of it"),
];

/// The examples of each subcommand.
pub const EXAMPLES: &[(&str, &[Example])] = &[
    (
        "autotune",
        &[("kenaz autotune --backend c a.fut", "write the thresholds to a.fut.tuning, where `kenaz run` finds them")],
    ),
    (
        "bench",
        &[
            ("kenaz bench a.fut", "measure on all data sets of the test blocks"),
            ("kenaz bench --backend c --json a.json a.fut", "keep what was measured"),
            ("kenaz bench --against old.fut a.fut", "compare with an older version"),
        ],
    ),
    ("bisect", &[("echo '[1.0, 2.0]' | kenaz bisect a.fut", "look for a rewrite that changes the answer")]),
    (
        "c",
        &[
            ("kenaz c a.fut", "make the executable `a`"),
            ("kenaz c --library a.fut -o lib_a", "make lib_a.c and lib_a.h for programs in C"),
        ],
    ),
    (
        "check",
        &[
            ("kenaz check a.fut", "silence means that it is right"),
            ("kenaz check --output json a.fut", "the same for other programs"),
        ],
    ),
    ("completions", &[("kenaz completions bash", "print them; `source <(kenaz completions bash)` takes them at once")]),
    ("cuda", &[("kenaz cuda a.fut", "make the executable `a`, which runs on a GPU of NVIDIA")]),
    (
        "dataset",
        &[
            ("kenaz dataset -g '[3]f64' -o xs.npy", "three random numbers, as NumPy reads them"),
            ("kenaz dataset --input table.csv", "show a table as the language writes it"),
        ],
    ),
    ("devices", &[("kenaz devices", "what GPUs there are, or what is missing")]),
    (
        "doc",
        &[
            ("kenaz doc a.fut -o pages", "pages/index.html is the first page"),
            ("kenaz doc -o prelude", "pages about the functions that are always there"),
        ],
    ),
    (
        "explain",
        &[
            ("kenaz explain a.fut", "loops, memory, copies and checks at their lines"),
            ("kenaz explain --html a.html a.fut", "the same as a page"),
        ],
    ),
    ("explain-error", &[("kenaz explain-error size-mismatch", "what the error means, with an example")]),
    (
        "fmt",
        &[
            ("kenaz fmt a.fut", "lay out a program in place"),
            ("kenaz fmt --check --diff a.fut", "show what would change, for continuous integration"),
        ],
    ),
    ("hash", &[("kenaz hash a.fut", "a number that changes when the program or what it imports does")]),
    (
        "ir",
        &[
            ("kenaz ir --optimise a.fut", "the operators that are left"),
            ("kenaz ir --strategies a.fut", "what runs on the cores, and which attributes say so"),
        ],
    ),
    (
        "literate",
        &[
            ("kenaz literate page.fut", "write page.md and its pictures"),
            ("kenaz literate page.fut --check", "fail if they are not up to date"),
        ],
    ),
    ("lsp", &[("kenaz lsp", "what an editor starts; docs/editor.md says how to tell it to")]),
    (
        "man",
        &[("kenaz man run", "print the page of `kenaz run`"), ("kenaz man -o man1", "write the pages of all commands")],
    ),
    (
        "multicore",
        &[
            ("kenaz multicore a.fut", "make the executable `a`, which uses all cores"),
            ("kenaz multicore --server a.fut -o a-server", "make a server, which reads commands"),
        ],
    ),
    (
        "new",
        &[
            ("kenaz new ball", "make the folder `ball` with a program"),
            ("kenaz new --lib github.com/ada/vectors", "make the folder `vectors` with a package"),
        ],
    ),
    ("opencl", &[("kenaz opencl a.fut", "make the executable `a`, which runs on any device with OpenCL")]),
    (
        "pkg",
        &[
            ("kenaz pkg add github.com/ada/vectors", "require a package"),
            ("kenaz pkg sync", "put all that is required into lib"),
        ],
    ),
    ("repl", &[("echo 'mean [1, 3]' | kenaz repl a.fut", "try the definitions of a program")]),
    (
        "run",
        &[
            ("echo '[1.0, 2.0]' | kenaz run a.fut", "run on values from standard input"),
            ("kenaz run --input xs.txt -e picture --output r.png page.fut", "read and write files"),
            ("echo '[1.0, 2.0]' | kenaz run --interpret a.fut", "where there is no C compiler"),
        ],
    ),
    (
        "test",
        &[
            ("kenaz test a.fut", "run the test blocks of a program"),
            ("kenaz test --backend c .", "those of all programs here, compiled"),
            ("kenaz test --doc a.fut", "run the examples in comments"),
        ],
    ),
    ("tune", &[("kenaz tune --budget 30s --input xs.txt a.fut", "search for half a minute with the values of a file")]),
];

/// The examples of the subcommands of `pkg`, in an order in which they can be run.
pub const PACKAGES: &[(&str, &[Example])] = &[
    ("init", &[("kenaz pkg init github.com/ada/ball", "make this folder a package")]),
    ("versions", &[("kenaz pkg versions github.com/ada/vectors", "which versions there are")]),
    (
        "add",
        &[
            ("kenaz pkg add github.com/ada/vectors 1.0.0", "require this version or one after it"),
            ("kenaz pkg add github.com/ada/vectors", "require the newest version"),
            ("kenaz pkg add --path ../vectors", "use a package from a folder of this machine"),
        ],
    ),
    (
        "replace",
        &[
            ("kenaz pkg replace github.com/ada/vectors ../vectors", "take it from a folder, whoever requires it"),
            ("kenaz pkg replace github.com/ada/vectors", "take it from where its name says again"),
        ],
    ),
    ("upgrade", &[("kenaz pkg upgrade", "require the newest version of every package")]),
    (
        "sync",
        &[
            ("kenaz pkg sync", "put all that is required into lib"),
            ("kenaz pkg sync --locked", "fail if futhark.lock is not up to date, for continuous integration"),
        ],
    ),
    ("check", &[("kenaz pkg check", "is lib what futhark.pkg and futhark.lock say?")]),
    ("remove", &[("kenaz pkg remove github.com/ada/vectors", "require it no more")]),
];

/// Puts the examples below the help of each subcommand.
pub fn add(command: Command) -> Command {
    with(EXAMPLES, command).mut_subcommand("pkg", |command| with(PACKAGES, command)).after_help(text(FIRST))
}

fn with(examples: &[(&'static str, &[Example])], command: Command) -> Command {
    examples.iter().fold(command, |command, (name, examples)| {
        command.mut_subcommand(name, |command| command.after_help(text(examples)))
    })
}

fn text(examples: &[Example]) -> String {
    let example = |(line, about): &Example| format!("\n  {line}\n      {about}");
    format!("Examples:{}", examples.iter().map(example).collect::<String>())
}
