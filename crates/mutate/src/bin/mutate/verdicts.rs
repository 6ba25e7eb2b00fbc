//! Are the verdicts right? Mutants of programs that both accept are given to another compiler of the language.

use anyhow::{Context, Result, bail};
use kenaz_base::RealFileSystem;
use kenaz_base::Rng;
use kenaz_mutate::corpus::{self, Program};
use kenaz_mutate::probe::{Verdict, probe};
use kenaz_mutate::{Mutant, fine, workers};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder of programs
    suite: PathBuf,
    /// The other compiler, called as `PEER check FILE`
    #[arg(long)]
    peer: PathBuf,
    #[arg(long, default_value_t = 300)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The most changes in a mutant; each but the last leaves a program that we accept
    #[arg(long, default_value_t = 1)]
    steps: usize,
    /// Only these kinds of changes, such as `size-changed,wrapped`
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<String>,
    /// Only programs whose path contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Where disagreements go, and the peer's answers, which are not asked for again
    #[arg(long)]
    out: Option<PathBuf>,
}

/// A mutant on which both have been asked.
struct Case {
    index: u64,
    kind: &'static str,
    ours: bool,
    peers: bool,
    /// Why one of them rejects what the other accepts.
    reason: String,
}

pub(crate) fn run(args: &Args) -> Result<bool> {
    let suite = fs::canonicalize(&args.suite).with_context(|| args.suite.display().to_string())?;
    let peer = Peer { path: fs::canonicalize(&args.peer).context("no such peer")?, out: args.out.clone() };
    if let Some(out) = &args.out {
        for folder in [out.join("peer"), out.join("disagree")] {
            fs::create_dir_all(folder)?;
        }
        for old in fs::read_dir(out.join("disagree"))? {
            fs::remove_file(old?.path())?;
        }
    }
    // Mutants are written next to the programs they are made of, for the sake of imports; so not into the suite.
    let copy = std::env::temp_dir().join(format!("mutate-{}", std::process::id()));
    let result = compare(args, &suite, &copy, &peer);
    let _ = fs::remove_dir_all(&copy);
    result
}

fn compare(args: &Args, suite: &Path, copy: &Path, peer: &Peer) -> Result<bool> {
    let mut programs = corpus::read(&[suite.to_path_buf()])?;
    for program in &mut programs {
        let relative = program.path.strip_prefix(suite)?.to_path_buf();
        let path = copy.join(&relative);
        fs::create_dir_all(path.parent().context("no folder")?)?;
        fs::write(&path, &program.text)?;
        program.path = path;
    }
    // Programs that are there to be rejected say so.
    let is_wrong = |text: &str| text.lines().any(|line| line.starts_with("-- error:"));
    programs.retain(|program| str::from_utf8(&program.text).is_ok_and(|text| !is_wrong(text)));
    programs.retain(|program| program.path.display().to_string().contains(&args.only));
    println!("{} programs", programs.len());
    let mut changes = fine::CHANGES.to_vec();
    changes.retain(|(kind, _)| args.kinds.is_empty() || args.kinds.iter().any(|k| k == kind));

    let bar = super::progress(args.count);
    let cases: Mutex<Vec<Case>> = Mutex::default();
    let left_out: Mutex<BTreeMap<&str, usize>> = Mutex::default();
    workers::for_each(args.count, args.jobs, Duration::from_secs(120), |index, announce| {
        match one(args, &programs, &changes, copy, peer, index, announce) {
            Ok(Ok(case)) => cases.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(case),
            Ok(Err(why)) => {
                *left_out.lock().unwrap_or_else(std::sync::PoisonError::into_inner).entry(why).or_default() += 1;
            }
            Err(error) => bar.println(format!("mutant {index}: {error:#}")),
        }
        bar.inc(1);
    });
    bar.finish_and_clear();
    let cases = cases.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    report(&cases, &left_out.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner));
    Ok(true)
}

/// The verdicts on one mutant, or why there are none.
fn one(
    args: &Args,
    programs: &[Program],
    changes: &[(&'static str, fine::Change)],
    copy: &Path,
    peer: &Peer,
    index: u64,
    announce: &dyn Fn(String),
) -> Result<Result<Case, &'static str>> {
    let mut rng = Rng::nth(args.seed, index);
    // Programs that we reject as they are say nothing about mutants.
    for _ in 0..20 {
        let Some(program) = rng.pick(programs) else { bail!("no programs") };
        announce(program.path.display().to_string());
        if !ask_us(&program.path, &program.text).accepted {
            continue;
        }
        let mut base = Mutant { text: program.text.clone(), kinds: Vec::new(), line: 1 };
        let mut last = None;
        for _ in 0..args.steps {
            let Some(next) = fine::mutate_by(&String::from_utf8_lossy(&base.text), changes, &mut rng) else { break };
            announce(format!("{}: {}", program.path.display(), next.what()));
            let next = Mutant { kinds: [base.kinds.clone(), next.kinds].concat(), ..next };
            let ours = ask_us(&program.path, &next.text);
            if ours.accepted {
                base = next.clone();
            }
            last = Some((next, ours));
        }
        let Some((mutant, ours)) = last else { continue };
        let relative = program.path.strip_prefix(copy)?;
        let Some(theirs) = peer.ask(&program.path, relative, &mutant.text, index)? else {
            return Ok(Err("no answer of the peer"));
        };
        let reason = if ours.accepted { their_reason(&theirs.said) } else { our_reason(&ours.said) };
        if ours.accepted != theirs.accepted {
            if !peer.ask(&program.path, relative, &program.text, index)?.is_some_and(|v| v.accepted) {
                return Ok(Err("the peer rejects the program as it is"));
            }
            if let Some(out) = &args.out {
                record(&out.join("disagree"), index, relative, &mutant, &ours, &theirs)?;
            }
        }
        let (ours, peers) = (ours.accepted, theirs.accepted);
        return Ok(Ok(Case { index, kind: mutant.kinds.last().copied().unwrap_or_default(), ours, peers, reason }));
    }
    Ok(Err("no mutant could be made"))
}

fn ask_us(path: &Path, text: &[u8]) -> Verdict {
    probe(path, text, &RealFileSystem)
        .unwrap_or_else(|fault| Verdict { accepted: false, said: format!("FAULT: {fault}\n") })
}

struct Peer {
    path: PathBuf,
    out: Option<PathBuf>,
}

impl Peer {
    /// The peer's verdict on a program with this text, none if it breaks.
    fn ask(&self, path: &Path, relative: &Path, text: &[u8], index: u64) -> Result<Option<Verdict>> {
        let key = hash(&[relative.as_os_str().as_encoded_bytes(), b"\0", text]);
        let known = self.out.as_ref().map(|out| out.join("peer").join(format!("{key:032x}")));
        let answer = match known.as_ref().and_then(|known| fs::read_to_string(known).ok()) {
            Some(answer) => answer,
            None => {
                let answer = self.call(path, text, index)?;
                if let Some(known) = known {
                    fs::write(known, &answer)?;
                }
                answer
            }
        };
        let (code, said) = answer.split_once('\n').unwrap_or(("", ""));
        Ok(match code {
            "0" => Some(Verdict { accepted: true, said: said.to_string() }),
            "1" | "2" => Some(Verdict { accepted: false, said: said.to_string() }),
            _ => None,
        })
    }

    /// The exit code on a line of its own, and what was printed.
    fn call(&self, path: &Path, text: &[u8], index: u64) -> Result<String> {
        let (folder, name) = (path.parent().context("no folder")?, format!("mutant_{index}.fut"));
        let file = folder.join(&name);
        fs::write(&file, text)?;
        let mut command = Command::new("timeout");
        command.arg("60").arg(&self.path).args(["check", &name]).current_dir(folder).stdin(Stdio::null());
        let output = command.output().context("cannot start the peer");
        fs::remove_file(&file)?;
        let output = output?;
        let code = output.status.code().map_or("none".to_string(), |code| code.to_string());
        let said = [output.stderr, output.stdout].concat();
        Ok(format!("{code}\n{}", String::from_utf8_lossy(&said)))
    }
}

/// FNV-1a with 128 bits.
fn hash(parts: &[&[u8]]) -> u128 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

fn record(folder: &Path, index: u64, of: &Path, mutant: &Mutant, ours: &Verdict, theirs: &Verdict) -> Result<()> {
    let verb = if ours.accepted { "accept" } else { "reject" };
    let name = folder.join(format!("{index:05}-we-{verb}-{}", mutant.kinds.last().copied().unwrap_or_default()));
    let text = String::from_utf8_lossy(&mutant.text);
    let line = text.lines().nth(mutant.line - 1).unwrap_or("");
    let about =
        format!("{} of {}\n{line}\n\n== ours\n{}\n== peer\n{}", mutant.what(), of.display(), ours.said, theirs.said);
    fs::write(name.with_extension("txt"), about)?;
    Ok(fs::write(name.with_extension("fut"), &mutant.text)?)
}

/// The id of our first error.
fn our_reason(said: &str) -> String {
    let id = |line: &str| Some(line.split_once(": error[")?.1.split_once(']')?.0.to_string());
    said.lines().find_map(id).unwrap_or_else(|| said.lines().next().unwrap_or("").to_string())
}

/// What follows the place of the peer's first error, up to an empty line, without names and numbers.
fn their_reason(said: &str) -> String {
    let lines = said.lines().skip_while(|line| !line.starts_with("Error")).skip(1);
    let text = lines.take_while(|line| !line.is_empty()).take(2).collect::<Vec<_>>().join(" ");
    let text: String = text.split('"').enumerate().map(|(i, part)| if i % 2 == 1 { "_" } else { part }).collect();
    text.chars().filter(|c| !c.is_numeric()).take(110).collect()
}

fn report(cases: &[Case], left_out: &BTreeMap<&str, usize>) {
    let count = |ours: bool, peers: bool| cases.iter().filter(|case| (case.ours, case.peers) == (ours, peers)).count();
    let rate =
        |agree: usize, all: usize| format!("{agree:>5}/{all:<5} {:5.1} %", 100.0 * agree as f64 / all.max(1) as f64);
    let mut kinds: BTreeMap<&str, (usize, usize, Vec<u64>)> = BTreeMap::new();
    for case in cases {
        let (agree, all, disagree) = kinds.entry(case.kind).or_default();
        *all += 1;
        if case.ours == case.peers {
            *agree += 1;
        } else {
            disagree.push(case.index);
        }
    }
    for (kind, (agree, all, disagree)) in &kinds {
        println!("{kind:24} {}  {disagree:?}", rate(*agree, *all));
    }
    let mut reasons: BTreeMap<(bool, &str), Vec<u64>> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.ours != case.peers) {
        reasons.entry((case.ours, &case.reason)).or_default().push(case.index);
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, mutants)| std::cmp::Reverse(mutants.len()));
    println!();
    for ((ours, reason), mutants) in reasons {
        let verb = if ours { "we accept" } else { "we reject" };
        println!("{:>4} {verb}: {reason}  {:?}", mutants.len(), &mutants[..mutants.len().min(12)]);
    }
    println!();
    for (why, n) in left_out {
        println!("left out {n}: {why}");
    }
    println!("{:24} {:>12} {:>12}", "", "peer accepts", "peer rejects");
    println!("{:24} {:>12} {:>12}", "we accept", count(true, true), count(true, false));
    println!("{:24} {:>12} {:>12}", "we reject", count(false, true), count(false, false));
    println!("agreement {}", rate(count(true, true) + count(false, false), cases.len()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons() {
        assert_eq!(our_reason("a.fut:1:1: warning[x]: y\na.fut:1:1: error[unknown-name]: z\n"), "unknown-name");
        let said = "Warning at a\nw\n\nError at a.fut:1:2:\nUnknown name \"x1\"\n\nIf";
        assert_eq!(their_reason(said), "Unknown name _");
    }

    #[test]
    fn hashes_are_those_published() {
        assert_eq!(hash(&[]), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(hash(&[b"a"]), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
