//! Directives: what is to be shown, and how.

use kenaz_testing::SpecError;
use kenaz_testing::script::{self, Exp};

/// A directive of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Directive {
    /// In the file, from 1.
    pub line: usize,
    /// As the program has it, without `-- > `.
    pub text: String,
    pub shown: Shown,
    pub kind: Kind,
    pub exp: Exp,
}

/// How much of a directive its page has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    Whole,
    /// This much, without its parameters.
    Brief(String),
    /// Nothing but its result.
    Covert,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The value as the language writes it.
    Value,
    /// The bytes of a value as they are.
    Text,
    Picture {
        file: Option<String>,
    },
    Plot {
        size: Option<(u32, u32)>,
        file: Option<String>,
    },
    Gnuplot {
        script: String,
        file: Option<String>,
    },
    Video(Video),
    Sound(Sound),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Video {
    pub repeat: bool,
    pub autoplay: bool,
    pub fps: u32,
    /// The extension of its file.
    pub format: Option<String>,
    pub file: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sound {
    pub sampling_frequency: u32,
    pub codec: Option<String>,
    pub file: Option<String>,
}

/// Whether a line is the first one of a directive.
pub(crate) fn begins(line: &str) -> bool {
    line.strip_prefix("--").is_some_and(|rest| rest.starts_with(" >") || rest == ">" || rest.starts_with("> "))
}

/// A line of parameters: its number, its text and where that begins, from 0.
struct Parameter<'a> {
    line: usize,
    column: usize,
    text: &'a str,
}

/// Reads the lines of a directive, of which the first has this number.
pub(crate) fn parse(lines: &[&str], first: usize) -> Result<Directive, SpecError> {
    let inside = |line: &str, skip: usize| -> usize {
        let after = &line[skip..];
        skip + (after.len() - after.trim_start_matches(' ').len()).min(1)
    };
    // Where the text of each line begins.
    let starts: Vec<usize> = lines
        .iter()
        .enumerate()
        .map(|(i, line)| if i == 0 { inside(line, line.find('>').map_or(2, |at| at + 1)) } else { inside(line, 2) })
        .collect();
    let texts: Vec<&str> = lines.iter().zip(&starts).map(|(line, start)| line[*start..].trim_end()).collect();
    // Parameters come after a semicolon at the end of a line.
    let end = texts.iter().position(|text| text.ends_with(';')).map_or(texts.len(), |at| at + 1);
    let mut words = Words { rest: texts[0], column: starts[0] };
    let mut shown = Shown::Whole;
    let mut keyword = words.keyword();
    while let Some(word @ ("brief" | "covert")) = keyword {
        shown = if word == "covert" { Shown::Covert } else { Shown::Brief(String::new()) };
        keyword = words.keyword();
        if keyword.is_none() && matches!(shown, Shown::Brief(_)) && words.rest.is_empty() {
            break;
        }
    }
    // The script, with blanks for whatever stands around it, so that its mistakes are at their places.
    let mut script = "\n".repeat(first - 1);
    for (i, text) in texts[..end].iter().enumerate() {
        let (column, text) = if i == 0 { (words.column, words.rest) } else { (starts[i], *text) };
        script.extend(std::iter::repeat_n(' ', column));
        script.push_str(text.strip_suffix(';').filter(|_| i + 1 == end).unwrap_or(text));
        script.push('\n');
    }
    let parameters: Vec<Parameter<'_>> =
        (end..texts.len()).map(|i| Parameter { line: first + i, column: starts[i] + 1, text: texts[i] }).collect();
    let kind = kind(keyword, &parameters).map_err(|error| match error {
        Wrong::Directive(word) => SpecError {
            line: first,
            column: starts[0] + 1,
            message: format!(
                "there is no directive `:{word}`, only `:audio`, `:brief`, `:covert`, `:gnuplot`, `:img`, `:plot2d`, \
                 `:text` and `:video`"
            ),
        },
        Wrong::Parameter(error) => error,
    })?;
    let exp = script::parse(&script)?;
    let text = texts.join("\n");
    if let Shown::Brief(brief) = &mut shown {
        let lines: Vec<&str> = texts[..end].to_vec();
        *brief = lines.join("\n").trim_end_matches(';').replacen(":brief ", "", 1);
    }
    Ok(Directive { line: first, text, shown, kind, exp })
}

struct Words<'a> {
    rest: &'a str,
    /// Where the rest begins, from 0.
    column: usize,
}

impl<'a> Words<'a> {
    /// Takes a word after a colon, if there is one.
    fn keyword(&mut self) -> Option<&'a str> {
        let after = self.rest.strip_prefix(':')?;
        let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
        let left = after[end..].trim_start();
        self.column += self.rest.len() - left.len();
        self.rest = left;
        Some(&after[..end])
    }
}

enum Wrong {
    Directive(String),
    Parameter(SpecError),
}

impl From<SpecError> for Wrong {
    fn from(error: SpecError) -> Wrong {
        Wrong::Parameter(error)
    }
}

fn kind(keyword: Option<&str>, parameters: &[Parameter<'_>]) -> Result<Kind, Wrong> {
    let kind = match keyword {
        None => Kind::Value,
        Some("text") => Kind::Text,
        Some("img") => {
            let mut found = Found::new(parameters, &["file"])?;
            return Ok(Kind::Picture { file: found.file()? });
        }
        Some("plot2d") => {
            let mut found = Found::new(parameters, &["size", "file"])?;
            return Ok(Kind::Plot { size: found.read("size", size)?, file: found.file()? });
        }
        Some("gnuplot") => {
            let script: Vec<&str> = parameters.iter().map(|parameter| parameter.text).collect();
            return Ok(Kind::Gnuplot { script: script.join("\n"), file: None });
        }
        Some("video") => {
            let mut found = Found::new(parameters, &["repeat", "loop", "autoplay", "fps", "format", "file"])?;
            let repeat = found.read("repeat", boolean)?.or(found.read("loop", boolean)?);
            return Ok(Kind::Video(Video {
                repeat: repeat.unwrap_or(true),
                autoplay: found.read("autoplay", boolean)?.unwrap_or(true),
                fps: found.read("fps", |text| number(text, 1000))?.unwrap_or(30),
                format: found.read("format", extension)?,
                file: found.file()?,
            }));
        }
        Some("audio") => {
            let mut found = Found::new(parameters, &["sampling_frequency", "codec", "file"])?;
            return Ok(Kind::Sound(Sound {
                sampling_frequency: found.read("sampling_frequency", |text| number(text, 1_000_000))?.unwrap_or(44_100),
                codec: found.read("codec", extension)?,
                file: found.file()?,
            }));
        }
        Some(other) => return Err(Wrong::Directive(other.to_string())),
    };
    Found::new(parameters, &[])?;
    Ok(kind)
}

/// Parameters by their names, with where their values are.
struct Found<'a> {
    parameters: Vec<(&'a str, &'a str, SpecError)>,
}

impl<'a> Found<'a> {
    fn new(parameters: &[Parameter<'a>], known: &[&str]) -> Result<Found<'a>, SpecError> {
        let mut found: Vec<(&'a str, &'a str, SpecError)> = Vec::new();
        for &Parameter { line, column, text } in parameters {
            let error = |message: String| SpecError { line, column, message };
            if text.trim().is_empty() {
                continue;
            }
            let Some((name, value)) = text.split_once(':') else {
                return Err(error(format!("`{text}` is not a parameter, such as `file: a.png`")));
            };
            let (name, value) = (name.trim(), value.trim());
            if !known.contains(&name) {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                let known = if known.is_empty() { "none".to_string() } else { format!("only {}", known.join(", ")) };
                return Err(error(format!("there is no parameter `{name}` here, {known}")));
            }
            if found.iter().any(|(other, ..)| *other == name) {
                return Err(error(format!("the parameter `{name}` is there twice")));
            }
            found.push((name, value, error(String::new())));
        }
        Ok(Found { parameters: found })
    }

    fn read<T>(&mut self, name: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, SpecError> {
        let Some((_, value, place)) = self.parameters.iter().find(|(other, ..)| *other == name) else {
            return Ok(None);
        };
        read(value).map(Some).map_err(|message| SpecError { message: format!("`{name}`: {message}"), ..place.clone() })
    }

    fn file(&mut self) -> Result<Option<String>, SpecError> {
        self.read("file", |name| {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
            if name.is_empty() || name.starts_with('.') || !name.chars().all(is_name) || !name.contains('.') {
                return Err(format!("`{name}` is not the name of a file in the folder of pictures, such as `a.png`"));
            }
            Ok(name.to_string())
        })
    }
}

fn boolean(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("`{text}` is neither `true` nor `false`"))
}

fn number(text: &str, most: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|n| (1..=most).contains(n));
    number.ok_or_else(|| format!("`{text}` is not a number from 1 to {most}"))
}

fn extension(text: &str) -> Result<String, String> {
    let is_right = !text.is_empty() && text.len() <= 10 && text.chars().all(|c| c.is_ascii_alphanumeric());
    if is_right { Ok(text.to_ascii_lowercase()) } else { Err(format!("`{text}` is no format")) }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let pair = inside.and_then(|text| text.split_once(',')).and_then(|(width, height)| {
        let side = |text: &str| number(text.trim(), 10_000).ok();
        Some((side(width)?, side(height)?))
    });
    pair.ok_or_else(|| format!("`{text}` is not a width and a height in pixels, such as `(640,480)`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Directive, String> {
        parse(&text.lines().collect::<Vec<_>>(), 7).map_err(|error| error.to_string())
    }

    #[test]
    fn directives() {
        let directive = one("-- > f 1\n--   2").unwrap();
        assert_eq!((directive.exp.to_string().as_str(), directive.text.as_str()), ("f 1 2", "f 1\n  2"));
        assert_eq!((directive.kind, directive.shown), (Kind::Value, Shown::Whole));
        let directive = one("-- > :brief :img f 1;\n-- file: a.png").unwrap();
        assert_eq!(directive.kind, Kind::Picture { file: Some("a.png".into()) });
        assert_eq!(directive.shown, Shown::Brief(":img f 1".into()));
        assert_eq!(one("-- > :covert f").unwrap().shown, Shown::Covert);
        let plot = one("-- > :plot2d f;\n-- size: (640, 480)").unwrap().kind;
        assert_eq!(plot, Kind::Plot { size: Some((640, 480)), file: None });
        let video = one("-- > :video (f, 1, 2i64);\n-- fps: 5\n-- loop: false\n-- format: webm").unwrap().kind;
        let expected = Video { repeat: false, autoplay: true, fps: 5, format: Some("webm".into()), file: None };
        assert_eq!(video, Kind::Video(expected));
        let sound = one("-- > :audio f;\n-- sampling_frequency: 8000").unwrap().kind;
        assert_eq!(sound, Kind::Sound(Sound { sampling_frequency: 8000, codec: None, file: None }));
        let gnuplot = one("-- > :gnuplot {a = f};\n-- set grid\n--   plot a").unwrap().kind;
        assert_eq!(gnuplot, Kind::Gnuplot { script: "set grid\n  plot a".into(), file: None });
    }

    #[test]
    fn mistakes_have_their_places() {
        for (text, expected) in [
            ("-- >", "8:1: expected an expression, found the end"),
            ("-- > f )", "7:8: expected the end of the script, found `)`"),
            ("-- > :img (f\n--  1", "9:1: expected `,` or `)`, found the end"),
            ("-- > f 1\n--   ]", "8:6: expected the end of the script, found `]`"),
            ("-- > f;\n-- file: a", "8:4: there is no parameter `file` here, none"),
            ("-- > :img f;\n-- size: 1", "8:4: there is no parameter `size` here, only `file`"),
            ("-- > :img f;\n-- size", "8:4: `size` is not a parameter, such as `file: a.png`"),
            ("-- > :img f;\n-- file: a.png\n-- file: b.png", "9:4: the parameter `file` is there twice"),
            (
                "-- > :plot2d f;\n-- size: 3",
                "8:4: `size`: `3` is not a width and a height in pixels, such as `(640,480)`",
            ),
            ("-- > :video f;\n-- fps: 0", "8:4: `fps`: `0` is not a number from 1 to 1000"),
            ("-- > :video f;\n-- loop: yes", "8:4: `loop`: `yes` is neither `true` nor `false`"),
        ] {
            assert_eq!(one(text).unwrap_err(), expected, "{text}");
        }
        for name in ["a", "../a.png", "/a.png", "a b.png", ".png", "a/b.png", ""] {
            let error = one(&format!("-- > :img f;\n-- file: {name}")).unwrap_err();
            assert!(error.contains("is not the name of a file in the folder of pictures"), "{error}");
        }
        assert!(
            one("-- > :nothing f").unwrap_err().starts_with("7:6: there is no directive `:nothing`, only `:audio`")
        );
    }
}
