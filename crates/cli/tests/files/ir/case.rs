//! The text of cases.

use kenaz_interp::heap::RaceCheck;
use kenaz_ir::{CheckError, Ownership, Pass, Prog, Stage, Target, target};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

pub(super) struct File {
    pub path: PathBuf,
    pub cases: Vec<Case>,
}

#[derive(Clone, Debug)]
pub(super) struct Case {
    /// `ir/FOLDER/FILE/TITLE`, with dashes for what is no letter or digit.
    pub name: String,
    pub folder: String,
    pub title: String,
    /// The line of the title.
    pub line: usize,
    pub directives: Directives,
    /// The program, with its comments.
    pub before: String,
    pub after: Option<String>,
}

/// What is said in front of a program, or in front of all programs of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Directives {
    /// `pass: hoist` or `passes: schedule, simplify`: the passes to run. Without it, the one that the folder is called
    /// after. `passes: none` only runs the program.
    pub passes: Option<Vec<&'static Pass>>,
    /// `stage: array`, `parallel`, `open` (places without owners) or `memory`: the stage of the program before. Without
    /// it, that at which the first pass stands in the pipelines. A program that is only run may be at none: then no
    /// checker has to accept it.
    pub stage: Option<Stage>,
    /// `target: multicore`; without it, `c`.
    pub target: Option<&'static Target>,
    /// `fuel: 3`: the program below the line is that after so many rewrites.
    pub fuel: Option<u64>,
    /// `fires: a 2, b`: the rule `a` is used twice, `b` at least once, no other; `…` at the end allows others.
    /// `nothing` stands for the empty list.
    pub fires: Option<Fires>,
    /// `not: a, b`: these rules are not used.
    pub not: Vec<String>,
    /// `again: nothing`: the passes have nothing to do for the program afterwards.
    pub again: bool,
    /// `decides: copy stays, because …`: a decision as it is printed. They are all given, in their order, or none is;
    /// `decides: nothing` says that there is none.
    pub decides: Option<Vec<String>>,
    /// `joins: alone, shared`: for each fusion, whether others need what the first operator makes.
    pub joins: Option<Vec<String>>,
    /// `counts: copy 1, assert@0 2`: how often an operator occurs afterwards, with `@` in so many loops.
    pub counts: Vec<Count>,
    /// `levels: grid 1, lane 2, none 3`: how many `par`s there are at each level afterwards. All are given.
    pub levels: Option<Vec<(String, u64)>>,
    /// `text: any`: the directives alone say what becomes of the program, and there is nothing below a line.
    pub any_text: bool,
    /// `input: 3 [1, 2, 3]`: arguments of `main`, or of the last function. Several can be given at once: `{0, 1, 5}`,
    /// `0...3`; `_` is made up from the type of the parameter, and an array that is longer than its size says is cut.
    /// Followed by `gives: …` or `fails: …` for what must come out. Those of a case replace those of the file. Without
    /// any, [`Directives::runs`] are made up. A program in tests/ir/check is run only if there are some.
    pub inputs: Vec<Input>,
    /// `runs: 20`: on how many made-up inputs to run; without it, 12.
    pub runs: Option<usize>,
    /// `values: extreme`: made-up numbers may be as large as can be, or NaN.
    pub extreme: bool,
    /// `messages: same`: a program that fails has the same message afterwards, not perhaps that of another check.
    pub same_messages: bool,
    /// `error: rule: part of the message`: the checker refuses the program, or what the passes make of it.
    pub error: Option<Refused>,
    /// `open: accepted`: when blocks need no owners yet, the program is right.
    pub open_accepted: bool,
    /// `by: heap`: run by heap although the program says nothing of places.
    pub by_heap: bool,
    /// `workers: 1, 2, 5`: run by heap with each number of workers.
    pub workers: Vec<usize>,
    /// `races: always` or `never`: where to look for races.
    pub races: Option<RaceCheck>,
    /// `leaks: allowed`: blocks may be left when a program is run by heap.
    pub leaks_allowed: bool,
    /// `function: double`: the function to run, if it is not `main` or the last.
    pub function: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fires {
    pub rules: Vec<(String, Option<u64>)>,
    /// Whether there may be others.
    pub others: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Count {
    pub operator: String,
    pub depth: Option<usize>,
    pub count: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Input {
    pub text: String,
    pub answer: Option<Answer>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// These values, as text.
    Gives(String),
    /// An error whose message contains this.
    Fails(String),
}

#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub rule: String,
    pub message: String,
}

impl Refused {
    pub(super) fn is(&self, error: &CheckError) -> bool {
        error.rule.id() == self.rule && error.message.contains(&self.message)
    }
}

/// What is done with a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Check,
    Interpret,
    Passes,
}

const RULE: &str = "==== ";
const LINE: &str = "----";

impl File {
    pub(super) fn parse(path: &Path, text: &str) -> Result<File, String> {
        let part = |path: Option<&std::ffi::OsStr>| path.unwrap_or_default().to_string_lossy().into_owned();
        let (folder, stem) = (part(path.parent().and_then(Path::file_name)), part(path.file_stem()));
        let mut header = Directives::default();
        let mut cases: Vec<Case> = Vec::new();
        let mut names = BTreeSet::new();
        let mut own_inputs = false;
        for (line, number) in text.lines().zip(1..) {
            let wrong = |message: String| format!("{}:{number}: {message}", path.display());
            if let Some(title) = line.strip_prefix(RULE) {
                let name = format!("ir/{folder}/{stem}/{}", slug(title));
                if !names.insert(name.clone()) {
                    return Err(wrong("another case has this title".to_string()));
                }
                let (title, folder, directives) = (title.to_string(), folder.clone(), header.clone());
                let before = String::new();
                own_inputs = false;
                cases.push(Case { name, folder, title, line: number, directives, before, after: None });
                continue;
            }
            let Some(case) = cases.last_mut() else {
                match (directive(line), line.starts_with("--") || line.is_empty()) {
                    (Some((word, rest)), _) => header.set(word, rest).map_err(wrong)?,
                    (None, true) => {}
                    (None, false) => return Err(wrong("a program needs a title, `==== …`".to_string())),
                }
                continue;
            };
            if line == LINE && case.after.is_none() {
                case.after = Some(String::new());
                continue;
            }
            match (&mut case.after, directive(line)) {
                (None, Some((word, rest))) if !starts(&case.before) => {
                    // The inputs of a case replace those of the file.
                    if word == "input" && !std::mem::replace(&mut own_inputs, true) {
                        case.directives.inputs.clear();
                    }
                    case.directives.set(word, rest).map_err(wrong)?;
                }
                (text, _) => {
                    let text = text.as_mut().unwrap_or(&mut case.before);
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        for case in &mut cases {
            case.default_pass(path)?;
        }
        Ok(File { path: path.to_path_buf(), cases })
    }
}

/// Whether there is more than comments.
fn starts(text: &str) -> bool {
    text.lines().any(|line| !line.is_empty() && !line.starts_with("--"))
}

fn directive(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.strip_prefix("-- ")?.split_once(':')?;
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
    is_word.then_some((word, rest.trim()))
}

fn slug(title: &str) -> String {
    let dashes: String = title.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    dashes.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

impl Case {
    pub(super) fn kind(&self) -> Kind {
        match &self.directives.passes {
            _ if self.folder == "check" => Kind::Check,
            Some(passes) if passes.is_empty() => Kind::Interpret,
            _ => Kind::Passes,
        }
    }

    fn default_pass(&mut self, path: &Path) -> Result<(), String> {
        if self.directives.passes.is_none() && self.folder != "check" {
            let missing = || format!("{}: there is no pass `{}`: `-- pass: …` is needed", path.display(), self.folder);
            self.directives.passes = Some(vec![kenaz_driver::pass(&self.folder).ok_or_else(missing)?]);
        }
        Ok(())
    }

    pub(super) fn program(&self) -> Result<Prog, String> {
        parse(&self.before)
    }

    /// The program that the passes should make.
    pub(super) fn expected(&self) -> Result<Prog, String> {
        match &self.after {
            Some(text) => parse(text).map_err(|error| format!("below the line: {error}")),
            None => self.program(),
        }
    }

    /// The rules that must be used.
    pub(super) fn fired(&self) -> impl Iterator<Item = &str> {
        let rules = self.directives.fires.iter().flat_map(|fires| &fires.rules);
        rules.filter(|(_, count)| *count != Some(0)).map(|(rule, _)| rule.as_str())
    }
}

/// A program whose text can be printed and read again.
pub(super) fn parse(text: &str) -> Result<Prog, String> {
    let prog = kenaz_ir::parse::prog(text).map_err(|error| format!("{error}\n{text}"))?;
    read_again(&prog)?;
    Ok(prog)
}

/// The text of a program can be read, and is then printed like this again.
pub(super) fn read_again(prog: &Prog) -> Result<(), String> {
    let text = prog.to_string();
    let again = kenaz_ir::parse::prog(&text).map_err(|error| format!("its text cannot be read: {error}\n{text}"))?;
    if again.to_string() == text { Ok(()) } else { Err(format!("it prints as\n{text}and then as\n{again}")) }
}

impl Directives {
    fn set(&mut self, word: &str, rest: &str) -> Result<(), String> {
        match word {
            "pass" | "passes" if rest == "none" => self.passes = Some(Vec::new()),
            "pass" | "passes" => {
                let find = |name: &str| kenaz_driver::pass(name).ok_or(format!("there is no pass `{name}`"));
                self.passes = Some(items(rest).map(find).collect::<Result<_, _>>()?);
            }
            "stage" if rest == "none" => self.stage = None,
            "stage" => {
                self.stage = Some(match rest {
                    "array" => Stage::Array,
                    "parallel" => Stage::Parallel,
                    "open" => Stage::Memory(Ownership::Open),
                    "memory" => Stage::Memory(Ownership::Settled),
                    _ => return Err(format!("there is no stage `{rest}`")),
                });
            }
            "target" => {
                let found = Target::ALL.iter().copied().find(|target| target.name == rest);
                self.target = Some(found.ok_or(format!("there is no target `{rest}`"))?);
            }
            "fuel" => self.fuel = Some(number(rest)?),
            "fires" => self.fires = Some(Fires::parse(rest)?),
            "not" => self.not = items(rest).map(String::from).collect(),
            "again" => self.again = yes(rest, "nothing")?,
            "decides" => {
                let all = self.decides.get_or_insert_default();
                if rest != "nothing" {
                    all.push(rest.to_string());
                }
            }
            "joins" => self.joins = Some(items(rest).map(String::from).collect()),
            "counts" => self.counts = items(rest).map(Count::parse).collect::<Result<_, _>>()?,
            "levels" => {
                let one = |item: &str| -> Result<(String, u64), String> {
                    let (level, count) = item.rsplit_once(' ').ok_or(format!("`{item}` has no number"))?;
                    Ok((level.to_string(), number(count)?))
                };
                let all: Result<Vec<_>, String> = items(rest).map(one).collect();
                let mut all = all?;
                all.sort();
                self.levels = Some(all);
            }
            "text" => self.any_text = yes(rest, "any")?,
            "input" => self.inputs.push(Input { text: rest.to_string(), answer: None }),
            "gives" | "fails" => {
                let last = self.inputs.last_mut().ok_or("it needs an `input` before it")?;
                let answer = if word == "gives" { Answer::Gives } else { Answer::Fails };
                last.answer = Some(answer(rest.to_string()));
            }
            "runs" => self.runs = Some(number(rest)? as usize),
            "values" => self.extreme = yes(rest, "extreme")?,
            "messages" => self.same_messages = yes(rest, "same")?,
            "error" => {
                let (rule, message) = rest.split_once(": ").ok_or("a rule and a message are needed")?;
                self.error = Some(Refused { rule: rule.to_string(), message: message.to_string() });
            }
            "open" => self.open_accepted = yes(rest, "accepted")?,
            "by" => self.by_heap = yes(rest, "heap")?,
            "workers" => {
                let all: Result<Vec<u64>, String> = items(rest).map(number).collect();
                self.workers = all?.into_iter().map(|n| n as usize).collect();
            }
            "races" => {
                self.races = Some(match rest {
                    "always" => RaceCheck::Always,
                    "never" => RaceCheck::Never,
                    _ => return Err(format!("races `{rest}`")),
                });
            }
            "leaks" => self.leaks_allowed = yes(rest, "allowed")?,
            "function" => self.function = Some(rest.to_string()),
            _ => return Err(format!("there is no directive `{word}`")),
        }
        Ok(())
    }

    pub(super) fn target(&self) -> &'static Target {
        self.target.unwrap_or(&target::C)
    }
}

fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty())
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// Directives that can say one thing only say it, lest something else is meant.
fn yes(rest: &str, word: &str) -> Result<bool, String> {
    if rest == word { Ok(true) } else { Err(format!("`{rest}`, but it can only be `{word}`")) }
}

impl Fires {
    fn parse(text: &str) -> Result<Fires, String> {
        let mut fires = Fires::default();
        for item in items(text).filter(|item| *item != "nothing") {
            match item.split_once(' ') {
                None if item == "…" => fires.others = true,
                None => fires.rules.push((item.to_string(), None)),
                Some((rule, count)) => fires.rules.push((rule.to_string(), Some(number(count)?))),
            }
        }
        Ok(fires)
    }
}

impl Count {
    fn parse(item: &str) -> Result<Count, String> {
        let (operator, count) = item.split_once(' ').ok_or(format!("`{item}` has no number"))?;
        let count = number(count.trim())? as usize;
        let (operator, depth) = match operator.split_once('@') {
            Some((operator, depth)) => (operator, Some(number(depth)? as usize)),
            None => (operator, None),
        };
        Ok(Count { operator: operator.to_string(), depth, count })
    }
}

/// Rewrites what a case expects below the line. Other cases of the file may be rewritten at the same time, perhaps by
/// other processes.
pub(super) fn bless(path: &Path, case: &Case, found: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().read(true).write(true).open(path)?;
    file.lock()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let text = blessed(&text, &case.title, found, case.program().is_ok_and(|prog| prog.to_string() == found));
    file.seek(io::SeekFrom::Start(0))?;
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

fn blessed(text: &str, title: &str, found: &str, is_same: bool) -> String {
    let head = format!("{RULE}{title}");
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if line != head {
            continue;
        }
        while let Some(line) = lines.next_if(|line| *line != LINE && !line.starts_with(RULE)) {
            out.push_str(line);
            out.push('\n');
        }
        while lines.next_if(|line| !line.starts_with(RULE)).is_some() {}
        out.truncate(out.trim_end().len());
        out.push('\n');
        if !is_same {
            out.push_str(&format!("{LINE}\n{}\n", found.trim_end()));
        }
        if lines.peek().is_some() {
            out.push('\n');
        }
    }
    out
}

/// Tests of this module itself: that it can fail.
pub(super) fn harness_trials() -> Vec<Trial> {
    let holds = |condition: bool| if condition { Ok(()) } else { Err(Failed::from("does not hold")) };
    let read = |text: &str| File::parse(Path::new("tests/ir/hoist/a.ir"), text);
    let program = "==== one, two\nfun main : = { in }\n";
    vec![
        Trial::test("harness/ir/cases", move || {
            let text = "-- About.\n-- fires: a 2, b, …\n-- input: 1\n\n==== One, two!\n-- input: 2\n-- gives: 3\n\
                        -- Comment: x\nfun f : = { in }\n----\nfun g : = { in }\n\n==== three\n-- not: c, d\nfun\n";
            let file = read(text)?;
            holds(file.cases.len() == 2)?;
            let [one, three] = &file.cases[..] else { return holds(false) };
            holds(one.name == "ir/hoist/a/One-two" && one.line == 5 && one.kind() == Kind::Passes)?;
            holds(one.before == "-- Comment: x\nfun f : = { in }\n" && one.after.is_some() && three.after.is_none())?;
            let rules = vec![("a".to_string(), Some(2)), ("b".to_string(), None)];
            holds(one.directives.fires == Some(Fires { rules, others: true }))?;
            let inputs = |case: &Case| -> Vec<String> {
                case.directives.inputs.iter().map(|input| input.text.clone()).collect()
            };
            holds(inputs(one) == ["2"] && inputs(three) == ["1"] && three.directives.not == ["c", "d"])?;
            holds(one.directives.inputs[0].answer == Some(Answer::Gives("3".to_string())))
        }),
        Trial::test("harness/ir/mistakes", move || {
            for wrong in
                ["-- fire: a\n", "-- fires: a x\n", "-- again: yes\n", "-- pass: no\n", "-- gives: 3\n", "fun f\n"]
            {
                holds(read(&format!("{wrong}{program}")).is_err())?;
            }
            holds(read(&format!("{program}{program}")).is_err())?;
            holds(File::parse(Path::new("tests/ir/nothing/a.ir"), program).is_err())
        }),
        Trial::test("harness/ir/blessing", move || {
            let text = "-- x\n\n==== a\nA\n----\nB\n\n==== b\n-- c\nC\n";
            let once = blessed(text, "a", "D\nE\n", false);
            holds(once == "-- x\n\n==== a\nA\n----\nD\nE\n\n==== b\n-- c\nC\n")?;
            let twice = blessed(&once, "b", "F\n", false);
            holds(twice == "-- x\n\n==== a\nA\n----\nD\nE\n\n==== b\n-- c\nC\n----\nF\n")?;
            holds(blessed(&twice, "a", "A\n", true) == "-- x\n\n==== a\nA\n\n==== b\n-- c\nC\n----\nF\n")
        }),
    ]
}
