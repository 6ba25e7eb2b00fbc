//! Repositories, fetched into the cache and read by the command `git`.
//!
//! Nothing of a repository is ever checked out or run: there are no work trees, hooks, filters or submodules. Nobody is
//! asked for a password. Arguments that others have made are hashes, checked names behind a fixed prefix, or stand
//! behind `--`.

use crate::Version;
use crate::contents::{self, Contents, Refusal};
use kenaz_base::UnfinishedFile;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use thiserror::Error;

/// The most bytes of a repository with its history.
const LARGEST: u64 = 1 << 30;
/// The most bytes that a command may print of which all is kept.
const LONGEST_OUTPUT: u64 = 16 << 20;
const LONGEST_MESSAGE: u64 = 1 << 16;
/// How often a fetch is looked at.
const PULSE: Duration = Duration::from_millis(20);
/// What is older was left behind by a command that was killed.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Hears what takes long.
pub trait Progress {
    fn fetching(&self, url: &str);
    fn fetched(&self);
}

/// Where nobody listens.
pub struct Silent;

impl Progress for Silent {
    fn fetching(&self, _: &str) {}
    fn fetched(&self) {}
}

#[derive(Debug, Error)]
pub enum GitError {
    #[error("`git` cannot be started: {0}; install it, or put it on your path")]
    NoGit(io::Error),
    #[error("`{url}` cannot be fetched: {message}")]
    Fetch { url: String, message: String },
    #[error("`{url}` is not fetched, since it has more than {} MiB; remove the package that is there", largest >> 20)]
    TooLarge { url: String, largest: u64 },
    #[error("the cache of `{url}` is damaged: {message}; remove the folder `{}`", folder.display())]
    Damaged { url: String, message: String, folder: PathBuf },
    #[error("the cache cannot be written: {error} (`{}`); `$KENAZ_CACHE` names another folder for it", path.display())]
    Cache { path: PathBuf, error: io::Error },
    #[error("{0}")]
    Refused(#[from] Refusal),
}

impl GitError {
    pub(crate) fn is_failure(&self) -> bool {
        !matches!(self, GitError::Refused(_))
    }
}

/// A repository in the cache, if it is there.
#[derive(Clone, Debug)]
pub struct Repository {
    pub url: String,
    pub folder: PathBuf,
    /// The most bytes that it may have.
    largest: u64,
}

/// A file or folder in a commit.
struct Entry {
    mode: String,
    id: String,
    size: u64,
    path: String,
}

impl Repository {
    /// The place of a repository in the cache.
    pub fn new(cache: &Path, url: &str) -> Repository {
        use sha2::{Digest, Sha256};
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let short = url.strip_prefix("https://").unwrap_or(url);
        let plain: String = short.chars().map(|c| if is_plain(c) { c } else { '+' }).collect();
        let tail = &plain[plain.len().saturating_sub(80)..];
        let hash = contents::hex(&Sha256::digest(url)[..8]);
        Repository {
            url: url.to_string(),
            folder: cache.join(format!("{}-{hash}", tail.trim_start_matches(['.', '+', '-']))),
            largest: LARGEST,
        }
    }

    /// The same with another limit for its bytes.
    #[must_use]
    pub fn at_most(self, largest: u64) -> Repository {
        Repository { largest, ..self }
    }

    /// Whether it was ever fetched.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Gets what is new; a repository that is damaged is fetched anew.
    pub fn fetch(&self, progress: &dyn Progress) -> Result<(), GitError> {
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |error| GitError::Cache { path, error }
        };
        let cache = self.folder.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(cache).map_err(io(cache))?;
        // Two commands that fetch the same do it one after the other. The file stays, since others may have it open.
        let name = self.folder.with_added_extension("lock");
        let lock = File::create(&name).map_err(io(&name))?;
        lock.lock().map_err(io(&name))?;
        progress.fetching(&self.url);
        let result = self.fetch_alone(cache);
        progress.fetched();
        result
    }

    fn fetch_alone(&self, cache: &Path) -> Result<(), GitError> {
        if self.exists() {
            let result = self.fetch_into(&self.folder);
            // The remote has nothing to do with what is wrong here.
            let is_whole = |this: &Repository| this.ask(&["fsck", "--connectivity-only", "--no-dangling"]).is_ok();
            if result.is_ok() || is_whole(self) {
                return result;
            }
        }
        remove_abandoned(cache);
        let new = UnfinishedFile::beside(&self.folder);
        let mut init = command();
        init.args(["init", "--quiet", "--bare", "--template=", "--"]).arg(new.path());
        run(init, LONGEST_OUTPUT, |_| Ok(())).map_err(|message| self.failed(message))?;
        self.fetch_into(new.path())?;
        let io = |error| GitError::Cache { path: self.folder.clone(), error };
        if self.exists() {
            fs::remove_dir_all(&self.folder).map_err(io)?;
        }
        new.finish(&self.folder).map_err(io)
    }

    fn fetch_into(&self, folder: &Path) -> Result<(), GitError> {
        let refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        self.fetch_refs(folder, &refs)
    }

    fn fetch_refs(&self, folder: &Path, refs: &[&str]) -> Result<(), GitError> {
        let mut fetch = command();
        fetch.arg("--git-dir").arg(folder);
        fetch.args([
            "fetch",
            "--quiet",
            "--force",
            "--prune",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--",
        ]);
        fetch.arg(&self.url).args(refs);
        if !chooses_ssh() {
            fetch.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=30");
        }
        fetch.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = fetch.spawn().map_err(GitError::NoGit)?;
        let message = child.stderr.take().map(|stderr| std::thread::spawn(move || read_message(stderr)));
        let status = loop {
            let ended = child.try_wait().map_err(|error| self.failed(Trouble::Io(error)))?;
            if bytes_in(&folder.join("objects")) > self.largest {
                stop(&mut child);
                // What it has started ends soon, and writes until then. All of it holds this pipe.
                drop(message.and_then(|thread| thread.join().ok()));
                remove_parts_of_packs(folder);
                return Err(GitError::TooLarge { url: self.url.clone(), largest: self.largest });
            }
            match ended {
                Some(status) => break status,
                None => std::thread::sleep(PULSE),
            }
        };
        let message = message.and_then(|thread| thread.join().ok()).unwrap_or_default();
        if status.success() {
            return Ok(());
        }
        let wants_password = ["could not read Username", "unable to get password", "Authentication failed"];
        let message = if wants_password.iter().any(|words| message.contains(words)) {
            "there is no such repository, or it is private (docs/packages.md says how to use private ones)".to_string()
        } else {
            message
        };
        Err(GitError::Fetch { url: self.url.clone(), message })
    }

    /// The versions that have a tag, the oldest first.
    pub fn versions(&self) -> Result<Vec<Version>, GitError> {
        let tags = self.ask(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/tags/v*"])?;
        let mut versions: Vec<Version> =
            tags.lines().filter_map(|tag| Version::parse(tag.strip_prefix('v')?).ok()).collect();
        versions.retain(|version| version.commit().is_none());
        versions.sort();
        Ok(versions)
    }

    /// The commit of a version, if it is there.
    pub fn commit(&self, version: &Version) -> Result<Option<String>, GitError> {
        let name = version.commit().map_or_else(|| format!("refs/tags/v{version}"), str::to_string);
        self.resolve(&name)
    }

    /// The newest commit, and when it was made, `yyyymmddhhmmss`. Fetches, since nothing else asks for it.
    pub fn newest_commit(&self) -> Result<(String, u64), GitError> {
        self.fetch_refs(&self.folder, &["+HEAD:refs/kenaz/head"])?;
        let commit = self.resolve("refs/kenaz/head")?.ok_or_else(|| self.damaged("no HEAD"))?;
        let args =
            ["log", "-1", "--no-show-signature", "--format=%cd", "--date=format-local:%Y%m%d%H%M%S", &commit, "--"];
        let time = self.ask(&args)?;
        Ok((commit, time.trim().parse().map_err(|_| self.damaged("a commit without a time"))?))
    }

    /// The text of a file of a commit.
    pub fn file(&self, commit: &str, path: &str, most: usize) -> Result<Option<Vec<u8>>, GitError> {
        let Some(entry) = self.entry(commit, path)? else { return Ok(None) };
        must_be_file(&entry)?;
        if entry.size > most as u64 {
            return Err(Refusal::ManyBytes.into());
        }
        let mut read = None;
        self.read(&[entry], |_, bytes| {
            read = Some(bytes);
            Ok(())
        })?;
        Ok(read)
    }

    /// The files of a folder of a commit.
    pub fn contents(&self, commit: &str, folder: &str) -> Result<Contents, GitError> {
        let no_folder = || GitError::from(Refusal::NoFolder(folder.to_string()));
        let entry = self.entry(commit, folder)?.ok_or_else(no_folder)?;
        match entry.mode.as_str() {
            "040000" => {}
            "120000" | "160000" => must_be_file(&entry)?,
            _ => return Err(no_folder()),
        }
        // Few objects can be a tree of very many files, so that reading ends when there are too many.
        let mut entries = Vec::new();
        let mut bytes = 0u64;
        let mut list = self.command();
        list.args(["ls-tree", "-r", "-z", "-l", "--full-tree", &entry.id]);
        let trouble = run(list, u64::MAX, |output| {
            for record in records(output) {
                let entry = parse_entry(&record?)?;
                must_be_file(&entry)?;
                contents::must_be_a_path(&entry.path)?;
                bytes = bytes.saturating_add(entry.size);
                entries.push(entry);
                contents::must_be_small(entries.len(), bytes)?;
            }
            Ok(())
        });
        trouble.map_err(|trouble| self.failed(trouble))?;
        let mut contents = Contents::default();
        self.read(&entries, |entry, bytes| contents.insert(&entry.path, bytes))?;
        Ok(contents)
    }

    /// What has this path in a commit.
    fn entry(&self, commit: &str, path: &str) -> Result<Option<Entry>, GitError> {
        let output = self.ask(&["ls-tree", "-z", "-l", "--full-tree", commit, "--", path])?;
        match output.split_terminator('\0').next() {
            None => Ok(None),
            Some(record) => parse_entry(record.as_bytes()).map(Some).map_err(|trouble| self.failed(trouble)),
        }
    }

    /// Hands on the bytes of files, one after the other.
    fn read(
        &self,
        entries: &[Entry],
        mut take: impl FnMut(&Entry, Vec<u8>) -> Result<(), Refusal>,
    ) -> Result<(), GitError> {
        let mut cat = self.command();
        cat.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = cat.spawn().map_err(GitError::NoGit)?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(self.damaged("no pipe"));
        };
        let mut output = BufReader::new(output);
        let mut result = Ok(());
        for entry in entries {
            result = one_file(entry, &mut input, &mut output).and_then(|bytes| Ok(take(entry, bytes)?));
            if result.is_err() {
                break;
            }
        }
        drop(input);
        stop(&mut child);
        result.map_err(|trouble| self.failed(trouble))
    }

    /// The full hash of the commit that a name stands for, which is a hash or begins with `refs/`.
    fn resolve(&self, name: &str) -> Result<Option<String>, GitError> {
        let mut parse = self.command();
        parse.args(["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]);
        let mut commit = String::new();
        match run(parse, LONGEST_OUTPUT, |output| Ok(output.read_to_string(&mut commit).map(|_| ())?)) {
            Ok(()) => Ok(crate::version::hash(commit.trim()).map(str::to_string)),
            Err(Trouble::Failed(_)) => Ok(None),
            Err(trouble) => Err(self.failed(trouble)),
        }
    }

    /// What a command says.
    fn ask(&self, args: &[&str]) -> Result<String, GitError> {
        let mut asked = self.command();
        asked.args(args);
        let mut text = Vec::new();
        run(asked, LONGEST_OUTPUT, |output| Ok(output.read_to_end(&mut text).map(|_| ())?))
            .map_err(|trouble| self.failed(trouble))?;
        // Names that are no text are of no interest, or are refused.
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn command(&self) -> Command {
        let mut command = command();
        command.arg("--git-dir").arg(&self.folder);
        command
    }

    fn damaged(&self, message: &str) -> GitError {
        GitError::Damaged { url: self.url.clone(), message: message.to_string(), folder: self.folder.clone() }
    }

    fn failed(&self, trouble: Trouble) -> GitError {
        match trouble {
            Trouble::NoGit(error) => GitError::NoGit(error),
            Trouble::Failed(message) => self.damaged(&message),
            Trouble::Io(error) => self.damaged(&error.to_string()),
            Trouble::Refused(refusal) => refusal.into(),
        }
    }
}

/// Why a command has no result.
enum Trouble {
    NoGit(io::Error),
    /// What it said.
    Failed(String),
    Io(io::Error),
    Refused(Refusal),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Io(error)
    }
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Trouble {
        Trouble::Refused(refusal)
    }
}

/// `git` as we want it, whatever calls us and however it is configured.
fn command() -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        // Such as are set where a hook of git calls us.
        let places =
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE"];
        let others = ["GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE"];
        if name
            .to_str()
            .is_some_and(|name| places.contains(&name) || others.contains(&name) || name.starts_with("GIT_TRACE"))
        {
            command.env_remove(name);
        }
    }
    command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_ASKPASS", "").env("SSH_ASKPASS_REQUIRE", "never");
    command.env("GIT_LITERAL_PATHSPECS", "1").env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C").env("TZ", "UTC");
    command.args(["--no-replace-objects", "--no-pager"]);
    for setting in [
        "core.hooksPath=/dev/null",
        "protocol.ext.allow=never",
        "credential.interactive=false",
        "gc.auto=0",
        "maintenance.auto=false",
        "fetch.unpackLimit=1",
        "transfer.unpackLimit=1",
        "http.lowSpeedLimit=1000",
        "http.lowSpeedTime=60",
    ] {
        command.args(["-c", setting]);
    }
    command
}

/// Whether the user says how ssh is to be called.
fn chooses_ssh() -> bool {
    let mut configured = command();
    configured.args(["config", "--get", "core.sshCommand"]);
    ["GIT_SSH_COMMAND", "GIT_SSH"].iter().any(|name| std::env::var_os(name).is_some())
        || run(configured, LONGEST_OUTPUT, |_| Ok(())).is_ok()
}

/// Runs a command, whose output goes to `read` as far as that wants it and there is not more than `most` of it.
fn run(
    mut command: Command,
    most: u64,
    read: impl FnOnce(&mut dyn BufRead) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Trouble::NoGit)?;
    let message = child.stderr.take().map(|stderr| std::thread::spawn(move || read_message(stderr)));
    let result = match child.stdout.take() {
        None => Ok(()),
        Some(output) => read(&mut BufReader::new(output.take(most))),
    };
    if result.is_err() {
        stop(&mut child);
        return result;
    }
    // The pipe is closed, so that it ends even if there was more to say.
    let status = child.wait()?;
    let message = message.and_then(|thread| thread.join().ok()).unwrap_or_default();
    if status.success() { Ok(()) } else { Err(Trouble::Failed(message)) }
}

fn stop(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

/// The line that says why git failed, fit for a terminal.
fn read_message(mut from: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = from.by_ref().take(LONGEST_MESSAGE).read_to_end(&mut bytes);
    // The rest is of no interest, but must go somewhere.
    let _ = io::copy(&mut from, &mut io::sink());
    let text = String::from_utf8_lossy(&bytes);
    let fatal = text.lines().find_map(|line| line.strip_prefix("fatal: "));
    let line =
        fatal.or_else(|| text.lines().rev().find(|line| !line.trim().is_empty())).unwrap_or("git gives no reason");
    line.chars().filter(|c| !c.is_control()).take(300).collect::<String>().trim().to_string()
}

/// Records that end with a zero byte.
fn records(input: &mut dyn BufRead) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    std::iter::from_fn(move || {
        let mut record = Vec::new();
        match input.read_until(0, &mut record) {
            Ok(0) => None,
            Ok(_) => {
                record.pop_if(|last| *last == 0);
                Some(Ok(record))
            }
            Err(error) => Some(Err(error)),
        }
    })
}

/// A line of `ls-tree -l`: mode, type, hash, size, and behind a tab the path.
fn parse_entry(record: &[u8]) -> Result<Entry, Trouble> {
    let text = std::str::from_utf8(record).map_err(|_| {
        Refusal::Name(String::from_utf8_lossy(record).split('\t').next_back().unwrap_or("").escape_debug().to_string())
    })?;
    let strange = || Trouble::Failed("`git ls-tree` answers strangely".to_string());
    let (data, path) = text.split_once('\t').ok_or_else(strange)?;
    let mut words = data.split_whitespace();
    let (Some(mode), Some(_), Some(id), Some(size)) = (words.next(), words.next(), words.next(), words.next()) else {
        return Err(strange());
    };
    let id = crate::version::hash(id).ok_or_else(strange)?;
    // Folders and submodules have `-`.
    let size = if size == "-" { 0 } else { size.parse().map_err(|_| strange())? };
    Ok(Entry { mode: mode.to_string(), id: id.to_string(), size, path: path.to_string() })
}

fn must_be_file(entry: &Entry) -> Result<(), Refusal> {
    let path: String = entry.path.chars().take(300).flat_map(char::escape_debug).collect();
    match entry.mode.as_str() {
        "100644" | "100755" | "100664" => Ok(()),
        "120000" => Err(Refusal::Link(path)),
        "160000" => Err(Refusal::Submodule(path)),
        _ => Err(Refusal::Special(path)),
    }
}

/// The bytes of a file from `cat-file --batch`, which answers `HASH blob SIZE`, the bytes, and the end of a line.
fn one_file(entry: &Entry, input: &mut impl Write, output: &mut impl BufRead) -> Result<Vec<u8>, Trouble> {
    writeln!(input, "{}", entry.id)?;
    input.flush()?;
    let mut head = String::new();
    output.by_ref().take(200).read_line(&mut head)?;
    if head.trim_end() != format!("{} blob {}", entry.id, entry.size) {
        return Err(Trouble::Failed(format!("the object {} is missing or damaged", entry.id)));
    }
    // Only as much is allocated as comes.
    let mut bytes = Vec::new();
    output.by_ref().take(entry.size + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != entry.size + 1 {
        return Err(Trouble::Failed(format!("the object {} ends early", entry.id)));
    }
    bytes.pop();
    Ok(bytes)
}

/// How many bytes are in a folder and those in it.
fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)))
        .fold(0, |sum, (path, data)| sum + if data.is_dir() { bytes_in(&path) } else { data.len() })
}

/// Removes what a fetch that was stopped has left.
fn remove_parts_of_packs(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder.join("objects/pack")) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"tmp_")) {
        // It is only a waste of space.
        let _ = fs::remove_file(entry.path());
    }
}

/// Removes what commands that were killed have left in the cache.
fn remove_abandoned(cache: &Path) {
    let Ok(entries) = fs::read_dir(cache) else { return };
    for entry in entries.flatten() {
        let is_old = |changed: SystemTime| changed.elapsed().is_ok_and(|age| age > ABANDONED);
        let is_unfinished = entry.path().extension().is_some_and(|extension| extension == "unfinished");
        if is_unfinished && entry.metadata().and_then(|data| data.modified()).is_ok_and(is_old) {
            // It is only a waste of space.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
