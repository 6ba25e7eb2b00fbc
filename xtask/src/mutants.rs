//! `cargo xtask mutants`: would the tests of the optimiser find a bug?
//!
//! Each patch in crates/optimise/mutations is a bug planted by hand, with a line in front that says what is wrong. It
//! is applied to a copy of the repository; then programs are compared before and after every pass, and if they agree,
//! the cases in tests/ir and the tests of the optimiser run. A mutant is found when something fails or does not end.
//! Those of crates/plan/mutations come with a program each, in which `kenaz bisect` must find a wrong rewrite.

use crate::step::{cargo, run, step};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PATCHES: [&str; 2] = ["crates/optimise/mutations", "crates/plan/mutations"];
const FOLDER: &str = "target/mutants";

/// Which programs are compared: all of tests/run, and these random ones.
const COMPARED: &str = "--tests --seed 0 --count 2000 --first --quiet";

/// The tests that follow, and what they are called.
const TESTS: [(&str, &str); 2] = [
    ("test --quiet --package kenaz --test files -- ir/", "the cases in tests/ir"),
    ("test --quiet --package kenaz-optimise", "the tests of the optimiser"),
];

/// What takes longer than this does not end.
const LIMIT: Duration = Duration::from_secs(600);

/// Tries the mutants whose names contain one of the filters, or all. Whether 9 of 10 are found.
pub(crate) fn mutants(filters: &[&str]) -> Result<bool> {
    let tree = Path::new(FOLDER).join("tree");
    step("copy", || copy(Path::new("."), &tree))?;
    step("the unchanged compiler", || match verdict(&tree)? {
        None => Ok(()),
        Some(how) => bail!("something is wrong without any mutation: {how}"),
    })?;
    let (mut found, mut all) = (0, 0);
    for patch in patches()? {
        if !filters.is_empty() && !filters.iter().any(|filter| patch.name.contains(filter)) {
            continue;
        }
        let start = Instant::now();
        let mutated = patch.apply(Path::new("."))?;
        for (path, text) in &mutated {
            fs::write(tree.join(path), text)?;
        }
        let verdict = match patch.program() {
            Some(program) => bisected(&tree, &program),
            None => verdict(&tree),
        };
        for path in mutated.keys() {
            fs::copy(path, tree.join(path))?;
        }
        let verdict = verdict.with_context(|| patch.name.clone())?;
        all += 1;
        found += usize::from(verdict.is_some());
        let how = verdict.map_or("NOT FOUND".to_string(), |how| format!("found, {how}"));
        println!("{:32} {how} ({:.0} s): {}", patch.name, start.elapsed().as_secs_f64(), patch.about);
    }
    println!("{found} of {all} found");
    Ok(10 * found >= 9 * all)
}

/// How a compiler is seen to be wrong.
fn verdict(tree: &Path) -> Result<Option<String>> {
    let target = std::env::current_dir()?.join(FOLDER).join("target");
    let prepare = |command: &mut Command| {
        command.current_dir(tree).env("CARGO_TARGET_DIR", &target);
    };
    let mut build = cargo("build --quiet --package kenaz-compare");
    prepare(&mut build);
    run(build.stderr(Stdio::null())).context("it does not build")?;
    let mut compare = Command::new(target.join("debug/kenaz-compare"));
    compare.args(COMPARED.split(' '));
    prepare(&mut compare);
    if let Some(how) = wrong(&mut compare)? {
        return Ok(Some(format!("by comparing programs: {how}")));
    }
    for (tests, whose) in TESTS {
        let mut test = cargo(tests);
        prepare(&mut test);
        if let Some(how) = wrong(&mut test)? {
            return Ok(Some(format!("by {whose}: {how}")));
        }
    }
    Ok(None)
}

/// What `kenaz bisect` finds in a program with this stem, whose first line names its target.
fn bisected(tree: &Path, program: &Path) -> Result<Option<String>> {
    let target = std::env::current_dir()?.join(FOLDER).join("target");
    let mut build = cargo("build --quiet --package kenaz");
    run(build.current_dir(tree).env("CARGO_TARGET_DIR", &target).stderr(Stdio::null())).context("it does not build")?;
    let text = fs::read_to_string(program)?;
    let wanted = text.lines().next().and_then(|line| line.strip_prefix("-- target: ")).context("no target")?;
    let input = fs::File::open(program.with_extension("in"))?;
    let mut bisect = Command::new(target.join("debug/kenaz"));
    let output = bisect.args(["bisect", "--target", wanted]).arg(program).stdin(input).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let blamed = text.lines().find(|line| line.contains("is to blame"));
    Ok(blamed.filter(|_| !output.status.success()).map(|line| format!("by `kenaz bisect`: {}", line.trim())))
}

/// How a command ended, if not well. What it prints is kept out of the way.
fn wrong(command: &mut Command) -> Result<Option<String>> {
    let output = Path::new(FOLDER).join("output.txt");
    let file = fs::File::create(&output)?;
    let mut child =
        command.stdout(file.try_clone()?).stderr(file).spawn().with_context(|| format!("cannot start {command:?}"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(Some("it does not end".to_string()));
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    if status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&fs::read(&output)?).into_owned();
    let is_telling =
        |line: &&str| line.contains("there is") || line.contains("panicked") || line.starts_with("tests/ir/");
    let telling = text.lines().find(is_telling);
    Ok(Some(telling.unwrap_or("a failure").trim().to_string()))
}

/// Makes a folder like another, but for what git ignores or keeps for itself. Files that are alike are left alone, so
/// that little is built again.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let mut names = Vec::new();
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if from == Path::new(".") && (name == "target" || name == ".git") {
            continue;
        }
        let (source, target) = (entry.path(), to.join(&name));
        if entry.file_type()?.is_dir() {
            copy(&source, &target)?;
        } else {
            let bytes = fs::read(&source)?;
            if fs::read(&target).ok().as_ref() != Some(&bytes) {
                fs::write(&target, bytes)?;
            }
        }
        names.push(name);
    }
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        if names.contains(&entry.file_name()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

struct Patch {
    name: String,
    /// The file.
    path: PathBuf,
    about: String,
    /// The files, and what is replaced in them by what.
    hunks: Vec<(PathBuf, String, String)>,
}

fn patches() -> Result<Vec<Patch>> {
    let mut patches = Vec::new();
    for folder in PATCHES {
        for entry in fs::read_dir(folder).context(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "patch") {
                patches.push(Patch::parse(path.clone(), &fs::read_to_string(&path)?)?);
            }
        }
    }
    patches.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(patches)
}

impl Patch {
    /// Reads a unified diff. Lines are found by what they say, not by their numbers, since code moves.
    fn parse(path: PathBuf, text: &str) -> Result<Patch> {
        let name = path.with_extension("").strip_prefix("crates").unwrap_or(&path).display().to_string();
        let name = name.replace("/mutations/", "/");
        let about = text.lines().next().unwrap_or_default().to_string();
        let mut hunks: Vec<(PathBuf, String, String)> = Vec::new();
        let mut file = None;
        for line in text.lines().skip(1) {
            if let Some(path) = line.strip_prefix("+++ b/") {
                file = Some(PathBuf::from(path));
            } else if line.starts_with("@@") {
                let path = file.clone().with_context(|| format!("{name}: a change of no file"))?;
                hunks.push((path, String::new(), String::new()));
            } else if let Some((_, old, new)) = hunks.last_mut()
                && !line.starts_with("--- ")
            {
                let (kind, rest) = line.split_at_checked(1).unwrap_or((" ", ""));
                if matches!(kind, " " | "-") {
                    old.push_str(&format!("{rest}\n"));
                }
                if matches!(kind, " " | "+") {
                    new.push_str(&format!("{rest}\n"));
                }
            }
        }
        if hunks.is_empty() {
            bail!("{name}: there is no change in it");
        }
        Ok(Patch { name, path, about, hunks })
    }

    /// The program in which it shows, if it has one of its own.
    fn program(&self) -> Option<PathBuf> {
        let program = self.path.with_extension("fut");
        program.exists().then_some(program)
    }

    /// The changed files.
    fn apply(&self, root: &Path) -> Result<BTreeMap<PathBuf, String>> {
        let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
        for (path, old, new) in &self.hunks {
            let shown = path.display();
            let text = match files.remove(path) {
                Some(text) => text,
                None => fs::read_to_string(root.join(path)).with_context(|| format!("{}: {shown}", self.name))?,
            };
            if text.matches(old.as_str()).count() != 1 {
                bail!("{}: these lines are not in {shown}, or more than once:\n{old}", self.name);
            }
            files.insert(path.clone(), text.replace(old.as_str(), new));
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patches_fit() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        std::env::set_current_dir(root).unwrap();
        let patches = patches().unwrap();
        assert!(!patches.is_empty());
        for patch in patches {
            assert!(!patch.about.is_empty() && !patch.about.starts_with("---"), "{}: says nothing", patch.name);
            let has_input = patch.program().is_none_or(|program| program.with_extension("in").exists());
            assert!(has_input, "{}: no input", patch.name);
            patch.apply(Path::new(".")).unwrap();
        }
    }

    #[test]
    fn patches_are_found_by_their_lines() {
        let text = "It is wrong.\n--- a/Cargo.toml\n+++ b/Cargo.toml\n@@ -7,2 +7,2 @@\n [workspace.package]\n-version = \
                    \"0.1.0\"\n+version = \"9\"\n";
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let patch = Patch::parse("x".into(), text).unwrap();
        let files = patch.apply(root).unwrap();
        assert!(files[Path::new("Cargo.toml")].contains("[workspace.package]\nversion = \"9\"\n"));
        let twice = Patch { hunks: vec![("Cargo.toml".into(), "\n".into(), String::new())], ..patch };
        assert!(twice.apply(root).is_err());
    }
}
