//! Repositories and a project of a test, in a folder that goes away.

use kenaz_base::TemporaryFolder;
use kenaz_package::git::Silent;
use kenaz_package::project::Synced;
use kenaz_package::{Error, Local, PackagePath, Project, Registry, SyncOptions, Version};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `ex.org/NAME` is the repository NAME in `repos`.
pub(crate) struct World {
    pub(crate) folder: TemporaryFolder,
}

impl World {
    pub(crate) fn new() -> World {
        let world = World { folder: TemporaryFolder::new().unwrap() };
        fs::create_dir_all(world.project()).unwrap();
        world
    }

    pub(crate) fn repo(&self, name: &str) -> PathBuf {
        self.folder.path.join("repos").join(name)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path.join("project")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path.join("cache")
    }

    /// Releases a version of `ex.org/NAME`, with a file that says which it is. `requires` are lines without `ex.org/`.
    pub(crate) fn release(&self, name: &str, version: &str, requires: &[&str]) -> String {
        let path = match version.split_once('.') {
            Some((major, _)) if major.parse::<u64>().unwrap() > 1 => format!("ex.org/{name}@{major}"),
            _ => format!("ex.org/{name}"),
        };
        let requires: String = requires.iter().map(|require| format!("  ex.org/{require}\n")).collect();
        let manifest = format!("package {path}\n\nrequire {{\n{requires}}}\n");
        let source = format!("def version = \"{name} {version}\"\n");
        let files = [("futhark.pkg", manifest.as_str()), (&format!("lib/{path}/{name}.fut"), &source)];
        let commit = self.commit(name, &files);
        self.git(name, &["tag", "--force", &format!("v{version}")]);
        commit
    }

    /// Makes a commit with exactly these files.
    pub(crate) fn commit(&self, name: &str, files: &[(&str, &str)]) -> String {
        let repo = self.begin(name);
        for entry in fs::read_dir(&repo).unwrap().map(|entry| entry.unwrap().path()) {
            if !entry.ends_with(".git") {
                if entry.is_dir() { fs::remove_dir_all(entry) } else { fs::remove_file(entry) }.unwrap();
            }
        }
        for (path, text) in files {
            write(&repo.join(path), text);
        }
        self.git(name, &["add", "--all"]);
        self.git(name, &["commit", "--quiet", "--allow-empty", "--message", "."]);
        self.git(name, &["rev-parse", "HEAD"])
    }

    /// The repository, which is made if it is not there.
    pub(crate) fn begin(&self, name: &str) -> PathBuf {
        let repo = self.repo(name);
        if !repo.exists() {
            fs::create_dir_all(&repo).unwrap();
            self.git(name, &["init", "--quiet", "--initial-branch=main", "--template="]);
        }
        repo
    }

    pub(crate) fn git(&self, name: &str, args: &[&str]) -> String {
        self.git_with(name, args, b"")
    }

    /// What git says about an input.
    pub(crate) fn git_with(&self, name: &str, args: &[&str], input: &[u8]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.repo(name)).args(args);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@ex.org");
            command.env(format!("GIT_{who}_DATE"), "2026-01-31T23:59:59Z");
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {args:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    }

    pub(crate) fn open(&self) -> Project {
        Project::open(&self.project()).unwrap()
    }

    pub(crate) fn registry(&self) -> Registry<'static> {
        let mut registry = Registry::new(Some(self.cache()), &Silent).unwrap();
        let mut local = fs::read_to_string(self.project().join("futhark.local")).unwrap_or_default();
        local.push_str(&format!("ex.org/* {}/*/.git\n", self.folder.path.join("repos").display()));
        registry.use_local(Local::parse(&local).unwrap(), &self.project());
        registry
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        write(&self.project().join(file), text);
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.project().join(file)).unwrap()
    }

    /// Requires exactly this, in lines without `ex.org/`.
    pub(crate) fn require(&self, requires: &[&str]) {
        let requires: String = requires.iter().map(|require| format!("  ex.org/{require}\n")).collect();
        self.write("futhark.pkg", &format!("require {{\n{requires}}}\n"));
    }

    pub(crate) fn sync(&self) -> Result<Synced, Error> {
        self.sync_with(&self.registry(), SyncOptions::default())
    }

    pub(crate) fn sync_with(&self, registry: &Registry<'_>, options: SyncOptions) -> Result<Synced, Error> {
        self.open().sync(registry, options)
    }

    /// Everything in the project's `lib`, with what is in it.
    pub(crate) fn lib(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        collect(&self.project().join("lib"), "", &mut files);
        files
    }

    /// The names of files in `lib`, in one line.
    pub(crate) fn names(&self) -> String {
        self.lib().into_keys().collect::<Vec<_>>().join(" ")
    }

    /// What is in the folder of the project itself.
    pub(crate) fn beside(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.project())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.map(Result::unwrap) {
        let path = format!("{prefix}{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else {
            files.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
}

pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn path(text: &str) -> PackagePath {
    PackagePath::parse(text).unwrap()
}

pub(crate) fn version(text: &str) -> Version {
    Version::parse(text).unwrap()
}
