//! The file `futhark.pkg`: what a package is called, and which packages it requires.
//!
//! Changes are made in the text itself, so that comments and the layout stay.

use crate::text::{self, Kind, TextError, Token};
use crate::{PackagePath, Version};
use std::ops::Range;

/// A `futhark.pkg`.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    text: String,
    package: Option<PackagePath>,
    requires: Vec<Require>,
    /// Where each requirement stands in the text.
    spans: Vec<Range<usize>>,
    /// Where the `}` is.
    close: Option<usize>,
}

/// The least version of a package that is needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Require {
    pub path: PackagePath,
    pub version: Version,
    /// The commit that this version must be.
    pub commit: Option<String>,
}

impl Require {
    fn text(&self) -> String {
        let commit = self.commit.as_ref().map_or(String::new(), |commit| format!(" #{commit}"));
        format!("{} {}{commit}", self.path, self.version)
    }
}

impl Manifest {
    pub fn parse(text: &str) -> Result<Manifest, TextError> {
        if text.len() > text::LONGEST {
            return Err(TextError::at(text, 0, format!("the file has more than {} bytes", text::LONGEST)));
        }
        Parser { text, tokens: text::tokens(text), next: 0 }.manifest()
    }

    /// That of a new package.
    pub fn of_package(path: &PackagePath) -> Manifest {
        let text = format!("package {path}\n\nrequire {{\n}}\n");
        Manifest { close: text.rfind('}'), text, package: Some(path.clone()), ..Manifest::default() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn package(&self) -> Option<&PackagePath> {
        self.package.as_ref()
    }

    pub fn requires(&self) -> &[Require] {
        &self.requires
    }

    /// What it says about a package; the newest version if it says several.
    pub fn find(&self, path: &PackagePath) -> Option<&Require> {
        self.requires.iter().filter(|require| require.path == *path).max_by_key(|require| &require.version)
    }

    /// Requires this, instead of whatever is required of the same package.
    pub fn set(&mut self, require: &Require) {
        let mut same = (0..self.requires.len()).filter(|&i| self.requires[i].path == require.path);
        let mut text = self.text.clone();
        match same.next() {
            Some(first) => {
                let others: Vec<usize> = same.collect();
                for other in others.into_iter().rev() {
                    text.replace_range(with_its_line(&text, &self.spans[other]), "");
                }
                text.replace_range(self.spans[first].clone(), &require.text());
            }
            None => match self.close {
                Some(close) => {
                    let before = text[..close].trim_end().len();
                    text.replace_range(before..close, &format!("\n  {}\n", require.text()));
                }
                None => {
                    text.truncate(text.trim_end().len());
                    let gap = if text.is_empty() { "" } else { "\n\n" };
                    text.push_str(&format!("{gap}require {{\n  {}\n}}\n", require.text()));
                }
            },
        }
        self.become_text(&text);
    }

    /// Requires no version of a package any more; the requirement that was there.
    pub fn remove(&mut self, path: &PackagePath) -> Option<Require> {
        let removed = self.find(path)?.clone();
        let mut text = self.text.clone();
        for (require, span) in self.requires.iter().zip(&self.spans).rev() {
            if require.path == *path {
                text.replace_range(with_its_line(&text, span), "");
            }
        }
        self.become_text(&text);
        Some(removed)
    }

    fn become_text(&mut self, text: &str) {
        *self = Manifest::parse(text).expect("a changed manifest is one");
    }
}

/// The whole line if nothing else is in it but a comment, which is about it.
fn with_its_line(text: &str, span: &Range<usize>) -> Range<usize> {
    let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |newline| span.end + newline + 1);
    let (before, after) = (text[start..span.start].trim(), text[span.end..end].trim());
    if before.is_empty() && (after.is_empty() || after.starts_with("--")) { start..end } else { span.clone() }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
}

impl<'a> Parser<'a> {
    fn manifest(mut self) -> Result<Manifest, TextError> {
        let mut manifest = Manifest { text: self.text.to_string(), ..Manifest::default() };
        if self.word_is("package") {
            let token = self.expect(Kind::Word, "the path of the package")?;
            manifest.package = Some(self.path(&token)?);
        }
        if self.word_is("require") {
            self.expect(Kind::Open, "`{` behind `require`")?;
            while self.peek().is_none_or(|token| token.kind != Kind::Close) {
                let first = self.expect(Kind::Word, "a package path, or `}` behind the last of them")?;
                let path = self.path(&first)?;
                let token = self.expect(Kind::Word, &format!("the version of `{path}`"))?;
                let version = Version::parse(self.of(&token)).map_err(|error| self.error(&token, error.to_string()))?;
                let hash = self.peek().filter(|token| token.kind == Kind::Hash).cloned();
                let end = hash.as_ref().map_or(token.span.end, |hash| hash.span.end);
                let commit = match hash {
                    None => None,
                    Some(token) => {
                        self.next += 1;
                        let commit = crate::version::hash(&self.of(&token)[1..]);
                        Some(commit.ok_or_else(|| self.error(&token, "this is not the hash of a commit"))?.to_string())
                    }
                };
                manifest.requires.push(Require { path, version, commit });
                manifest.spans.push(first.span.start..end);
            }
            let close = self.expect(Kind::Close, "`}`")?;
            manifest.close = Some(close.span.start);
        }
        match self.peek() {
            None => Ok(manifest),
            Some(token) => {
                let known = if manifest.close.is_some() { "nothing may follow" } else { "only `require` may follow" };
                let known = if manifest.close.is_none() && manifest.package.is_none() {
                    "the file begins with `package` or `require`"
                } else {
                    known
                };
                Err(self.error(token, format!("`{}` is not expected here: {known}", self.shown(token))))
            }
        }
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    fn of(&self, token: &Token) -> &'a str {
        &self.text[token.span.clone()]
    }

    fn shown(&self, token: &Token) -> String {
        self.of(token).chars().take(100).flat_map(char::escape_debug).collect()
    }

    fn error(&self, token: &Token, message: impl Into<String>) -> TextError {
        TextError::at(self.text, token.span.start, message)
    }

    /// Whether the next word is this one, which is then read.
    fn word_is(&mut self, word: &str) -> bool {
        let is = self.peek().is_some_and(|token| self.of(token) == word);
        self.next += usize::from(is);
        is
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Result<Token, TextError> {
        match self.peek() {
            Some(token) if token.kind == kind => {
                let token = token.clone();
                self.next += 1;
                Ok(token)
            }
            Some(token) => Err(self.error(token, format!("{what} is expected, not `{}`", self.shown(token)))),
            None => Err(TextError::at(self.text, self.text.len(), format!("{what} is missing at the end of the file"))),
        }
    }

    fn path(&self, token: &Token) -> Result<PackagePath, TextError> {
        PackagePath::parse(self.of(token)).map_err(|error| self.error(token, error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn require(path: &str, version: &str, commit: Option<&str>) -> Require {
        Require {
            path: PackagePath::parse(path).unwrap(),
            version: Version::parse(version).unwrap(),
            commit: commit.map(str::to_string),
        }
    }

    const COMMENTED: &str = "-- a package\npackage   ex.org/a   -- mine\n\n-- what it needs\nrequire { ex.org/b 0.4.0 -- b\n   -- about c\n   \
        ex.org/c  0.1.0   #6de81e64   -- c\n\n   -- last\n}\n-- end\n";

    #[test]
    fn manifests_are_read() {
        let manifest = Manifest::parse(COMMENTED).unwrap();
        assert_eq!(manifest.package().unwrap().as_str(), "ex.org/a");
        assert_eq!(
            manifest.requires(),
            [require("ex.org/b", "0.4.0", None), require("ex.org/c", "0.1.0", Some("6de81e64"))]
        );
        for empty in ["", "-- nothing", "require{}", "\r\n"] {
            let manifest = Manifest::parse(empty).unwrap();
            assert!(manifest.package().is_none() && manifest.requires().is_empty(), "{empty}");
        }
        // Neither a space is needed before a brace or a hash, nor is `--` inside of a word a comment.
        let tight = Manifest::parse("package ex.org/a--b require{ex.org/c 1.0.0#abcd ex.org/d 1.0.0}").unwrap();
        assert_eq!(tight.package().unwrap().as_str(), "ex.org/a--b");
        assert_eq!(tight.requires().len(), 2);
    }

    #[test]
    fn damaged_manifests_say_where() {
        for (text, said) in [
            ("foo", "line 1: `foo` is not expected here: the file begins with `package` or `require`"),
            ("package a\npackage b", "line 2: `package` is not expected here: only `require` may follow"),
            ("require {}\n\nrequire {}", "line 3: `require` is not expected here: nothing may follow"),
            ("package", "line 1: the path of the package is missing at the end of the file"),
            ("package {", "line 1: the path of the package is expected, not `{`"),
            ("require a 1.0.0", "line 1: `{` behind `require` is expected, not `a`"),
            ("require {\na", "line 2: the version of `a` is missing at the end of the file"),
            ("require { a #abcd }", "line 1: the version of `a` is expected, not `#abcd`"),
            (
                "require { a 1.0.0\n",
                "line 2: a package path, or `}` behind the last of them is missing at the end of the file",
            ),
            ("require { a 1.0 }", "line 1: `1.0` is no version; it has three numbers, as in `1.2.3`"),
            ("require { a 1.0.0 #--x }", "line 1: this is not the hash of a commit"),
            ("require { a 1.0.0 # abcd }", "line 1: this is not the hash of a commit"),
            (
                "package a/../b",
                "line 1: `a/../b` is no package path, since its part `..` begins with `.`; it looks like \
              `github.com/user/name`",
            ),
        ] {
            assert_eq!(Manifest::parse(text).unwrap_err().to_string(), said);
        }
        assert!(Manifest::parse(&" ".repeat(text::LONGEST + 1)).is_err());
    }

    /// Comments stay where they are, but for that on the line of a requirement that goes.
    #[test]
    fn changes_keep_comments() {
        let mut manifest = Manifest::parse(COMMENTED).unwrap();
        manifest.set(&require("ex.org/c", "1.2.3", None));
        assert_eq!(manifest.text(), COMMENTED.replace("ex.org/c  0.1.0   #6de81e64", "ex.org/c 1.2.3"));
        manifest.set(&require("ex.org/d", "1.0.0", Some("abcd")));
        assert!(manifest.text().ends_with("\n   -- last\n  ex.org/d 1.0.0 #abcd\n}\n-- end\n"), "{}", manifest.text());
        assert_eq!(manifest.remove(&PackagePath::parse("ex.org/c").unwrap()), Some(require("ex.org/c", "1.2.3", None)));
        manifest.remove(&PackagePath::parse("ex.org/b").unwrap());
        assert_eq!(
            manifest.text(),
            "-- a package\npackage   ex.org/a   -- mine\n\n-- what it needs\nrequire {  -- b\n   -- about c\n\n   -- last\n  \
             ex.org/d 1.0.0 #abcd\n}\n-- end\n"
        );
        assert_eq!(manifest.remove(&PackagePath::parse("ex.org/b").unwrap()), None);
    }

    #[test]
    fn requirements_are_added_wherever_there_is_a_place() {
        for (before, after) in [
            ("", "require {\n  ex.org/b 1.0.0\n}\n"),
            ("package ex.org/a", "package ex.org/a\n\nrequire {\n  ex.org/b 1.0.0\n}\n"),
            ("package ex.org/a -- x", "package ex.org/a -- x\n\nrequire {\n  ex.org/b 1.0.0\n}\n"),
            ("require {}", "require {\n  ex.org/b 1.0.0\n}"),
            ("require { -- x\n}\n", "require { -- x\n  ex.org/b 1.0.0\n}\n"),
            ("require { ex.org/c 1.0.0 }\n", "require { ex.org/c 1.0.0\n  ex.org/b 1.0.0\n}\n"),
            // The newest of several was required; now it is this.
            ("require {\n  ex.org/b 0.1.0\n  ex.org/b 3.0.0\n}\n", "require {\n  ex.org/b 1.0.0\n}\n"),
        ] {
            let mut manifest = Manifest::parse(before).unwrap();
            manifest.set(&require("ex.org/b", "1.0.0", None));
            assert_eq!(manifest.text(), after);
        }
        let new = Manifest::of_package(&PackagePath::parse("ex.org/a").unwrap());
        assert_eq!(Manifest::parse(new.text()).unwrap().close, new.close);
    }
}
