//! A page from the blocks of a program: its directives are run, or their results taken from a cache.

use crate::directive::{Directive, Kind, Shown};
use crate::plot::{self, Curve};
use crate::source::Block;
use crate::{media, sound, tools, video};
use kenaz_runtime::{Fingerprint, Value};
use kenaz_testing::Program;
use kenaz_testing::cache::{load, store};
use kenaz_testing::script::{Builtin, Evaluator, Exp, Fun, Val};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// How a page is made.
pub struct Options<'a> {
    /// The program, which messages on the page name without its folder.
    pub file: &'a Path,
    /// The folder of pictures, as the page names it.
    pub pictures: &'a str,
    /// Where results are kept.
    pub cache: Option<&'a Path>,
    /// What results depend on besides the program, their script and its files: the compiler, the back end.
    pub key: Fingerprint,
    /// Whether nothing is done after a directive that fails.
    pub stop_on_error: bool,
    /// Is told of each directive before it runs.
    pub watch: &'a mut dyn FnMut(&Directive),
}

impl Options<'_> {
    /// Where data files are.
    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }

    /// The same message wherever the program is.
    fn without_folder(&self, message: &str) -> String {
        match self.file.file_name() {
            Some(name) => message.replace(&self.file.display().to_string(), &name.to_string_lossy()),
            None => message.to_string(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    pub markdown: String,
    /// The files in the folder of pictures, by their names.
    pub files: Vec<(String, Vec<u8>)>,
    pub failures: Vec<Failure>,
}

/// A directive that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub line: usize,
    pub directive: String,
    pub message: String,
}

/// What a directive makes.
enum Made {
    Text(String),
    File { extension: String, contents: Vec<u8> },
}

/// The page of a program, compiled so that scripts can call what they name.
pub fn render(blocks: &[Block], program: &dyn Program, options: &mut Options<'_>) -> Page {
    let mut page = Page { markdown: String::new(), files: Vec::new(), failures: Vec::new() };
    let mut names = BTreeSet::new();
    // Files that are to have certain names have them.
    for block in blocks {
        if let Block::Directive(directive) = block {
            names.extend(file(directive).cloned());
        }
    }
    for block in blocks {
        match block {
            Block::Text(text) => page.add(text),
            Block::Code(code) => page.add(&fenced(code, "futhark")),
            Block::Directive(directive) => {
                match &directive.shown {
                    Shown::Whole => page.add(&fenced(&format!("> {}", directive.text), "")),
                    Shown::Brief(text) => page.add(&fenced(&format!("> {text}"), "")),
                    Shown::Covert => {}
                }
                (options.watch)(directive);
                match made(directive, program, options) {
                    Ok(Made::Text(text)) => page.add(&fenced(&text, "")),
                    Ok(Made::File { extension, contents }) => {
                        let name =
                            file(directive).cloned().unwrap_or_else(|| unused(directive, &extension, &mut names));
                        page.add(&link(directive, &format!("{}/{name}", options.pictures), &extension));
                        // The same name may be given twice; the later file counts, as it would on a disk.
                        page.files.retain(|(other, _)| *other != name);
                        page.files.push((name, contents));
                    }
                    Err(message) => {
                        let message = options.without_folder(&message);
                        page.add(&format!("**FAILED**\n{}", fenced(message.trim_end(), "")));
                        let directive_text = directive.text.clone();
                        page.failures.push(Failure { line: directive.line, directive: directive_text, message });
                        if options.stop_on_error {
                            return page;
                        }
                    }
                }
            }
        }
    }
    page
}

impl Page {
    fn add(&mut self, text: &str) {
        if !self.markdown.is_empty() {
            self.markdown.push('\n');
        }
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        self.markdown.push_str(lines.join("\n").trim_matches('\n'));
        self.markdown.push('\n');
    }
}

/// A block of code, whatever is in it.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// The name that a directive wants its file to have.
fn file(directive: &Directive) -> Option<&String> {
    match &directive.kind {
        Kind::Value | Kind::Text => None,
        Kind::Picture { file } | Kind::Plot { file, .. } | Kind::Gnuplot { file, .. } => file.as_ref(),
        Kind::Video(video) => video.file.as_ref(),
        Kind::Sound(sound) => sound.file.as_ref(),
    }
}

/// The words of a script, for names and for people who cannot see a picture.
fn words(directive: &Directive) -> Vec<String> {
    let text = directive.exp.to_string();
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).map(str::to_string).collect()
}

/// A name that tells what is in the file, and stays as long as the script does.
fn unused(directive: &Directive, extension: &str, names: &mut BTreeSet<String>) -> String {
    const LONGEST: usize = 40;
    let mut stem = String::new();
    for word in words(directive).iter().map(|word| word.to_lowercase()).filter(|word| word.is_ascii()) {
        if stem.len() + word.len() < LONGEST {
            stem.push_str(if stem.is_empty() { "" } else { "-" });
            stem.push_str(&word);
        }
    }
    if stem.is_empty() {
        stem.push_str("picture");
    }
    let numbered = (2..).map(|i| format!("{stem}-{i}.{extension}"));
    let mut candidates = std::iter::once(format!("{stem}.{extension}")).chain(numbered);
    candidates.find(|name| names.insert(name.clone())).unwrap_or_default()
}

fn link(directive: &Directive, target: &str, extension: &str) -> String {
    let picture = format!("![{}]({target})", words(directive).join(" "));
    match &directive.kind {
        Kind::Video(video) if extension != "gif" => {
            let autoplay = if video.autoplay { " autoplay muted" } else { "" };
            let repeat = if video.repeat { " loop" } else { "" };
            format!("<video src=\"{target}\" controls{autoplay}{repeat}></video>")
        }
        Kind::Sound(_) => format!("<audio src=\"{target}\" controls></audio>"),
        _ => picture,
    }
}

/// The result of a directive, from the cache if it is there.
fn made(directive: &Directive, program: &dyn Program, options: &Options<'_>) -> Result<Made, String> {
    let Some((cache, key)) = options.cache.zip(key(directive, program, options)) else {
        return make(directive, program, options.folder());
    };
    let text = |value: &Value| String::from_utf8(value.elements::<u8>()?.to_vec()).ok();
    match load(cache, key).as_deref() {
        Some([shown]) => {
            if let Some(shown) = text(shown) {
                return Ok(Made::Text(shown));
            }
        }
        Some([extension, contents]) => {
            if let (Some(extension), Some(contents)) = (text(extension), contents.elements::<u8>()) {
                return Ok(Made::File { extension, contents: contents.to_vec() });
            }
        }
        _ => {}
    }
    let made = make(directive, program, options.folder())?;
    let bytes = |bytes: &[u8]| Value::vector(bytes.to_vec());
    let values = match &made {
        Made::Text(text) => vec![bytes(text.as_bytes())],
        Made::File { extension, contents } => vec![bytes(extension.as_bytes()), bytes(contents)],
    };
    // Without a cache it takes longer the next time, and that is all.
    let _ = store(cache, key, &values);
    prune(cache);
    Ok(made)
}

/// What the result of a directive depends on; nothing if that is not known before it runs.
fn key(directive: &Directive, program: &dyn Program, options: &Options<'_>) -> Option<Fingerprint> {
    let mut key = options.key;
    key.add(program.fingerprint().as_bytes());
    key.add(format!("{:?}", directive.kind).as_bytes());
    key.add(directive.exp.to_string().as_bytes());
    let mut files = Some(Vec::new());
    collect(&directive.exp, &mut files);
    for name in files? {
        let path = options.folder().join(&name);
        // Other things have no end, or give something else each time.
        if !path.is_file() {
            return None;
        }
        key.add(name.as_bytes());
        key.add(&fs::read(path).ok()?);
    }
    Some(key)
}

/// The files that a script reads, if it names them.
fn collect(exp: &Exp, files: &mut Option<Vec<String>>) {
    match exp {
        Exp::Value(_) | Exp::Number(_) | Exp::Text(_) => {}
        Exp::Call(fun, arguments) => {
            match (fun, arguments.as_slice()) {
                (Fun::Named(_), _) => {}
                (Fun::Builtin(_), [Exp::Text(name)]) => files.iter_mut().for_each(|files| files.push(name.clone())),
                (Fun::Builtin(_), _) => *files = None,
            }
            arguments.iter().for_each(|argument| collect(argument, files));
        }
        Exp::Tuple(parts) | Exp::Array(parts) => parts.iter().for_each(|part| collect(part, files)),
        Exp::Record(fields) => fields.iter().for_each(|(_, exp)| collect(exp, files)),
        Exp::Let(_, value, body) => {
            collect(value, files);
            collect(body, files);
        }
    }
}

/// The oldest results go when there are too many.
fn prune(folder: &Path) {
    const MOST_FILES: usize = 500;
    const MOST_BYTES: u64 = 256 << 20;
    let entry = |entry: fs::DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((metadata.modified().ok()?, metadata.len(), entry.path()))
    };
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<_> = entries.filter_map(|found| entry(found.ok()?)).collect();
    files.sort_by(|a, b| b.cmp(a));
    let mut bytes = 0;
    for (i, (_, length, path)) in files.iter().enumerate() {
        bytes += length;
        if i > 0 && (i >= MOST_FILES || bytes > MOST_BYTES) {
            let _ = fs::remove_file(path);
        }
    }
}

fn make(directive: &Directive, program: &dyn Program, folder: &Path) -> Result<Made, String> {
    let builtins: [Builtin; 1] = [("loadaudio", sound::load)];
    let mut scripts = Evaluator::new(program, folder).with(&builtins);
    let value = scripts.eval(&directive.exp).map_err(|error| error.to_string())?;
    let plain = |value: Val, what: &str| value.plain().map_err(|error| format!("{what} is one array: {error}"));
    match &directive.kind {
        Kind::Value => value.shown().map(Made::Text).map_err(|error| error.to_string()),
        Kind::Text => {
            let bytes = plain(value, "a text")?;
            let bytes =
                bytes.elements::<u8>().filter(|_| bytes.rank() == 1).ok_or("a text is an array of type `[]u8`")?;
            Ok(Made::Text(String::from_utf8_lossy(bytes).into_owned()))
        }
        Kind::Picture { file } => {
            let png = media::png(&plain(value, "a picture")?)?;
            let extension = extension(file.as_ref(), None, "png");
            let contents = if extension == "png" { png } else { tools::convert(&png, &extension)? };
            Ok(Made::File { extension, contents })
        }
        Kind::Plot { size, file } => {
            let drawing = plot::plot(&curves(value)?, size.unwrap_or(plot::USUAL));
            let extension = extension(file.as_ref(), None, "svg");
            let contents = match extension.as_str() {
                "svg" => drawing.svg().into_bytes(),
                "png" => media::png_of(&drawing.pixels())?,
                other => tools::convert(&media::png_of(&drawing.pixels())?, other)?,
            };
            Ok(Made::File { extension, contents })
        }
        Kind::Gnuplot { script, .. } => {
            let Val::Record(fields) = value.opened() else { return Err("`:gnuplot` wants a record".to_string()) };
            let column = |value: Val| media::numbers(&value.plain().ok()?);
            let columns = |(name, value): (String, Val)| {
                let parts = if let Val::Tuple(parts) = value.clone().opened() { parts } else { vec![value] };
                let columns: Option<Vec<Vec<f64>>> = parts.into_iter().map(column).collect();
                let columns = columns.filter(|columns| columns.iter().all(|column| column.len() == columns[0].len()));
                let columns =
                    columns.ok_or_else(|| format!("the field `{name}` is not a tuple of arrays of one length"))?;
                Ok((name, columns))
            };
            let data: Result<Vec<_>, String> = fields.into_iter().map(columns).collect();
            Ok(Made::File { extension: "png".to_string(), contents: tools::gnuplot(&data?, script)? })
        }
        Kind::Video(wanted) => {
            let frames = match value.opened() {
                Val::Tuple(parts) => stepped(&scripts, parts)?,
                value => video::frames(&plain(value, "a video")?)?,
            };
            let extension = extension(wanted.file.as_ref(), wanted.format.as_ref(), "gif");
            let contents = video::encode(&frames, wanted, &extension)?;
            Ok(Made::File { extension, contents })
        }
        Kind::Sound(wanted) => {
            let extension = extension(wanted.file.as_ref(), wanted.codec.as_ref(), "wav");
            let contents = sound::encode(&plain(value, "a sound")?, wanted.sampling_frequency, &extension)?;
            Ok(Made::File { extension, contents })
        }
    }
}

fn extension(file: Option<&String>, format: Option<&String>, usual: &str) -> String {
    let of_file = file.and_then(|file| Some(file.rsplit_once('.')?.1.to_ascii_lowercase()));
    format.cloned().or(of_file).unwrap_or_else(|| usual.to_string())
}

/// The frames of `(step, start, frames)`: each step gives a picture and what it goes on from.
fn stepped(scripts: &Evaluator<'_>, parts: Vec<Val>) -> Result<Vec<crate::colours::Pixels>, String> {
    let wrong = || "a video is an array of pictures, or `(step, start, frames)`".to_string();
    let Ok([step, mut state, count]) = <[Val; 3]>::try_from(parts) else { return Err(wrong()) };
    let count = count.plain().ok().and_then(|count| Some(media::numbers(&count).filter(|n| n.len() == 1)?[0]));
    let count = count.filter(|count| (0.0..1e6).contains(count)).ok_or_else(wrong)?;
    let mut frames = Vec::new();
    for _ in 0..count as usize {
        let result = scripts.apply(&step, vec![state]).map_err(|error| error.to_string())?;
        let Val::Tuple(parts) = result.opened() else { return Err(wrong()) };
        let Ok([picture, next]) = <[Val; 2]>::try_from(parts) else { return Err(wrong()) };
        frames.push(media::picture(&picture.plain().map_err(|_| wrong())?)?);
        state = next;
    }
    Ok(frames)
}

fn curves(value: Val) -> Result<Vec<Curve>, String> {
    let curve = |name: String, value: Val| {
        let wrong = || {
            format!(
                "a curve is two arrays of numbers of one length{}",
                if name.is_empty() { String::new() } else { format!(", and `{name}` is not") }
            )
        };
        let Val::Tuple(parts) = value.opened() else { return Err(wrong()) };
        let arrays: Option<Vec<Vec<f64>>> = parts
            .into_iter()
            .map(|part| part.plain().ok().filter(|part| part.rank() == 1).and_then(|part| media::numbers(&part)))
            .collect();
        match arrays.as_deref() {
            Some([x, y]) if x.len() == y.len() => {
                Ok(Curve { name: name.clone(), points: x.iter().copied().zip(y.iter().copied()).collect() })
            }
            _ => Err(wrong()),
        }
    };
    match value.opened() {
        Val::Record(fields) => fields.into_iter().map(|(name, value)| curve(name, value)).collect(),
        value => Ok(vec![curve(String::new(), value)?]),
    }
}
