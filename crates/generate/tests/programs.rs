//! Programs are determined by their choices, contain what they should, and shrink.

use kenaz_generate::{ModuleProgram, Program, Size, generate, generate_modules, replay, replay_modules, shrink};

/// Every construct and how many of the programs must contain it.
const CONSTRUCTS: &[(&str, usize)] = &[
    // Types.
    ("i8", 30),
    ("i16", 30),
    ("i64", 150),
    ("u8", 50),
    ("u32", 50),
    ("f32", 50),
    ("f64", 30),
    ("bool", 60),
    ("type sum0 =", 30),
    ("{a: ", 40),
    ("[n][m]", 10),
    // Functions.
    ("#[noinline]", 60),
    ("#[inline]", 20),
    (" [n] (", 60),
    ("entry other", 30),
    ("(n: i64)", 20),
    ("twice (", 5),
    ("through (", 10),
    ("with_index (", 10),
    (": []", 40),
    (": *[", 20),
    ("fill_", 5),
    ("upto ", 3),
    ("sized_", 20),
    ("checked_", 10),
    ("copies_", 10),
    ("maybe_", 10),
    ("long_", 10),
    // Operations on arrays.
    ("map (", 200),
    ("map2 ", 60),
    ("map3 ", 10),
    ("reduce ", 80),
    ("reduce_comm ", 15),
    ("scan ", 60),
    ("filter ", 60),
    ("partition ", 20),
    ("scatter ", 40),
    ("hist ", 15),
    ("reduce_by_index ", 15),
    ("zip ", 15),
    ("unzip ", 60),
    ("any (", 2),
    ("product", 2),
    ("(f: (", 1),
    ("(l: ", 15),
    (" |> ", 20),
    ("transpose ", 15),
    ("(transpose (map ", 1),
    ("flatten (", 20),
    ("unflatten (", 5),
    ("rotate ", 15),
    ("reverse ", 30),
    (" ++ ", 40),
    ("[::2]", 8),
    ("[::-1]", 20),
    ("replicate ", 150),
    ("iota ", 100),
    ("..<", 5),
    ("tabulate ", 20),
    ("take ", 5),
    ("drop ", 5),
    // Control.
    ("loop (", 60),
    ("for x_", 15),
    (" while ", 15),
    ("#[unroll]", 2),
    ("#[sequential]", 5),
    ("#[try(source)]", 10),
    ("#[materialize]", 15),
    ("if ", 120),
    ("match ", 10),
    ("assert ", 20),
    (" / ", 30),
    // Sums and records with arrays.
    ("type sum1 =", 30),
    ("type sum0 [d] =", 15),
    (" case (", 20),
    ("{a: [", 15),
    (" with a = ", 3),
    // Sizes that only a run tells.
    ("?[k].([k]", 15),
    ("[n - k]", 3),
    ("?[k][l].", 3),
    ("type~ ", 3),
    ("= loop (a_", 15),
    // Functions that have captured something.
    ("folded f_", 3),
    ("both f_", 3),
    ("picked v_", 3),
    ("elements (shifted", 3),
    ("{run = ", 3),
    // Checks.
    ("let _ = assert ", 10),
    ("(iota (assert ", 1),
    ("(replicate (assert ", 2),
    ("&& (assert ", 1),
    ("steps (", 3),
    // Modules, operators that are called, and types that only the program knows.
    ("module m_", 60),
    ("P.shift", 5),
    ("def op_", 10),
    ("entry maker", 40),
    // Updates and sizes.
    ("copy ", 80),
    (" with [", 80),
    (" with [0:", 8),
    (" with [::", 3),
    (":> ", 60),
    ("let [k", 60),
];

fn programs() -> impl Iterator<Item = Program> {
    (0..300).map(|seed| generate(seed, Size::Medium))
}

#[test]
fn a_seed_gives_one_program() {
    for size in [Size::Small, Size::Medium, Size::Large] {
        assert_eq!(generate(3, size), generate(3, size));
        assert_ne!(generate(3, size), generate(4, size));
    }
}

#[test]
fn choices_give_the_program() {
    for program in programs() {
        assert_eq!(replay(&program.choices), program);
    }
}

#[test]
fn any_choices_give_a_program() {
    assert_eq!(replay(&[]).entries[0].name, "main");
    for program in programs().take(50) {
        let half = &program.choices[program.choices.len() / 2..];
        assert!(replay(half).source.contains("entry main"));
        let large: Vec<u64> = program.choices.iter().map(|choice| choice + 3).collect();
        assert!(replay(&large).source.contains("entry main"));
    }
}

#[test]
fn every_construct_occurs() {
    let programs: Vec<Program> = programs().collect();
    let count = |word: &str| programs.iter().filter(|program| program.source.contains(word)).count();
    let rare: Vec<String> = CONSTRUCTS
        .iter()
        .filter(|(word, wanted)| count(word) < *wanted)
        .map(|(word, wanted)| format!("`{word}` is in {} programs, not {wanted}", count(word)))
        .collect();
    assert!(rare.is_empty(), "\n{}\n", rare.join("\n"));
}

#[test]
fn programs_can_stand_in_one_file() {
    let program = programs().find(|program| program.entries.len() > 2).expect("there is one with two and more");
    let text = program.in_batch(7);
    for entry in &program.entries {
        assert!(text.contains(&format!("entry {} ", Program::name_in_batch(&entry.name, 7))), "{text}");
    }
    assert!(text.contains("type made_7") && !text.contains(": made "), "{text}");
}

#[test]
fn inputs_are_often_empty() {
    let programs: Vec<Program> = programs().collect();
    let inputs: Vec<&String> =
        programs.iter().flat_map(|program| &program.entries).flat_map(|entry| &entry.inputs).collect();
    let empty = inputs.iter().filter(|input| input.contains("empty(")).count();
    assert!(empty * 10 > inputs.len(), "{empty} of {}", inputs.len());
}

#[test]
fn tests_name_their_entry_points() {
    let program = programs().find(|program| program.entries.len() == 2).expect("there is one with two");
    let text = program.with_tests();
    assert!(text.starts_with("-- ==\n-- entry: main\n-- input { "));
    assert!(text.contains("-- ==\n-- entry: other\n-- input { "));
    assert!(text.ends_with(&program.source));
}

#[test]
fn shrinking_finds_small_programs() {
    for word in ["scatter", "while", "partition", "reduce_by_index"] {
        // What is in a function does not move to the entry point.
        let in_entry = |program: &Program| {
            let entries = program.source.find("entry main").map_or("", |at| &program.source[at..]);
            let main = entries.find("\nentry ").map_or(entries, |end| &entries[..end]);
            main.contains(word)
        };
        let program = programs().find(&in_entry).expect("some program has it");
        let small = shrink(program, in_entry);
        assert!(small.source.contains(word));
        assert!(small.source.lines().count() <= 5, "{}", small.source);
        assert!(small.source.len() <= 450, "{}", small.source);
    }
}

#[test]
fn shrinking_keeps_what_is_interesting() {
    for program in programs().take(20) {
        let length = program.source.len() / 2;
        let small = shrink(program, |program| program.source.len() >= length);
        assert!(small.source.len() >= length);
        assert_eq!(replay(&small.choices), small);
    }
}

#[test]
fn what_cannot_shrink_stays() {
    let program = generate(1, Size::Medium);
    assert_eq!(shrink(program.clone(), |_| false), program);
}

/// Every construct of modules and how many of the programs must contain it.
const MODULE_CONSTRUCTS: &[(&str, usize)] = &[
    ("module type ", 100),
    ("include ", 20),
    (" with ", 70),
    ("module maker : (X: ", 30),
    ("module inner : ", 30),
    ("\\(X: ", 50),
    (" (X: ", 100),
    (" (Y: ", 50),
    (" (Z: ", 20),
    ("open {", 50),
    ("open (", 20),
    ("local type ", 30),
    ("module again = ", 30),
    ("} : ", 50),
    (" [n] = ", 100),
    (" 'a = ", 100),
    (" :> [", 20),
    ("match x", 20),
];

fn module_programs() -> impl Iterator<Item = ModuleProgram> {
    (0..300).map(generate_modules)
}

#[test]
fn choices_give_the_program_about_modules() {
    for program in module_programs() {
        assert_eq!(replay_modules(&program.choices), program);
    }
    assert!(replay_modules(&[]).with_tests().contains("entry main"));
}

#[test]
fn every_construct_of_modules_occurs() {
    let programs: Vec<String> = module_programs().map(|program| program.with_tests()).collect();
    let count = |word: &str| programs.iter().filter(|program| program.contains(word)).count();
    let rare: Vec<String> = MODULE_CONSTRUCTS
        .iter()
        .filter(|(word, wanted)| count(word) < *wanted)
        .map(|(word, wanted)| format!("`{word}` is in {} programs, not {wanted}", count(word)))
        .collect();
    assert!(rare.is_empty(), "\n{}\n", rare.join("\n"));
}
