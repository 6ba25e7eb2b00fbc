//! A small editor.

use kenaz_base::TemporaryFolder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A test that waits for so long has failed.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages of the server that are not answers, in order.
    pub(crate) told: Vec<Value>,
    answers: BTreeMap<i64, Value>,
    last: i64,
    folder: TemporaryFolder,
    /// The texts as the server must know them.
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) capabilities: Value,
}

fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(number) = line.strip_prefix("Content-Length: ") {
            length = number.parse().expect("a length");
        }
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).expect("JSON"))
}

/// A position in a text as JSON, in UTF-16; `|` in `mark` is where.
pub(crate) fn position(text: &str, mark: &str) -> Value {
    let inside = mark.find('|').expect("a mark has a `|`");
    let plain = mark.replacen('|', "", 1);
    let start = text.find(&plain).unwrap_or_else(|| panic!("there is no `{plain}` in\n{text}"));
    assert_eq!(text.matches(&plain).count(), 1, "`{plain}` must be there once, in\n{text}");
    let before = &text[..start + inside];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or("").encode_utf16().count();
    json!({ "line": line, "character": column })
}

impl Client {
    /// An editor with a folder of files, of which none is open.
    pub(crate) fn new(files: &[(&str, &str)]) -> Client {
        Client::with(files, &json!({}))
    }

    pub(crate) fn with(files: &[(&str, &str)], capabilities: &Value) -> Client {
        let folder = TemporaryFolder::new().expect("a folder");
        for (name, text) in files {
            let path = folder.path.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_kenaz"))
            .arg("lsp")
            .env("XDG_CACHE_HOME", folder.path.join(".cache"))
            .env_remove("KENAZ_CACHE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        let texts = BTreeMap::new();
        let mut client = Client {
            child,
            input,
            messages,
            told: Vec::new(),
            answers: BTreeMap::new(),
            last: 0,
            folder,
            texts,
            capabilities: Value::Null,
        };
        let root = client.uri("");
        let params = json!({
            "processId": null,
            "capabilities": capabilities,
            "workspaceFolders": [{ "uri": root.trim_end_matches('/'), "name": "project" }],
        });
        client.capabilities = client.ask("initialize", params)["capabilities"].clone();
        client.tell("initialized", json!({}));
        client
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path.join(file)
    }

    pub(crate) fn uri(&self, file: &str) -> String {
        if file.contains(':') {
            return file.to_string();
        }
        format!("file://{}/{file}", self.folder.path.display())
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("the server listens");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server listens");
        input.flush().expect("the server listens");
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, whose answer is waited for later.
    pub(crate) fn start(&mut self, method: &str, params: Value) -> i64 {
        self.last += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    fn take(&mut self) -> bool {
        let message = self.messages.recv_timeout(PATIENCE).expect("the server says something");
        match (message.get("id").and_then(Value::as_i64), message.get("method")) {
            (Some(id), None) => {
                assert!(self.answers.insert(id, message).is_none(), "request {id} is answered twice");
                true
            }
            _ => {
                self.told.push(message);
                false
            }
        }
    }

    /// The whole answer to a request.
    pub(crate) fn finish(&mut self, id: i64) -> Value {
        let start = Instant::now();
        while !self.answers.contains_key(&id) {
            assert!(start.elapsed() < PATIENCE, "request {id} has no answer");
            self.take();
        }
        self.answers.remove(&id).expect("an answer")
    }

    /// The result of a request, which must not fail.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params);
        let answer = self.finish(id);
        assert_eq!(answer.get("error"), None, "{method}");
        answer["result"].clone()
    }

    /// The message of a request that must fail.
    #[track_caller]
    pub(crate) fn refusal(&mut self, method: &str, params: Value) -> String {
        let id = self.start(method, params);
        let answer = self.finish(id);
        let message = answer["error"]["message"].as_str();
        message.unwrap_or_else(|| panic!("{method} must fail, and gives {answer}")).to_string()
    }

    /// Opens a document; a file with its own text.
    pub(crate) fn open(&mut self, file: &str, text: Option<&str>) {
        let text = text.map_or_else(|| fs::read_to_string(self.path(file)).expect("the file"), str::to_string);
        self.texts.insert(file.to_string(), text.clone());
        let document = json!({ "uri": self.uri(file), "languageId": "futhark", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the text of a document.
    pub(crate) fn change(&mut self, file: &str, text: &str) {
        self.texts.insert(file.to_string(), text.to_string());
        let document = json!({ "uri": self.uri(file), "version": 2 });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
    }

    pub(crate) fn document(&self, file: &str) -> Value {
        json!({ "textDocument": { "uri": self.uri(file) } })
    }

    /// A place in an open document: `|` in `mark`, which must be there once.
    #[track_caller]
    pub(crate) fn at(&self, file: &str, mark: &str) -> Value {
        let mut params = self.document(file);
        params["position"] = position(&self.texts[file], mark);
        params
    }

    /// The diagnostics of a document after the last change: all before them are forgotten.
    pub(crate) fn diagnostics(&mut self, file: &str) -> Vec<Value> {
        let uri = self.uri(file);
        let start = Instant::now();
        loop {
            let is_it = |message: &Value| {
                message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == *uri
            };
            if let Some(at) = self.told.iter().position(is_it) {
                return self.told.remove(at)["params"]["diagnostics"].as_array().expect("a list").clone();
            }
            assert!(start.elapsed() < PATIENCE, "there are no diagnostics of {file}");
            self.take();
        }
    }

    /// The text in a range of a document, with the number of its line from 1.
    #[track_caller]
    pub(crate) fn text_at(&self, file: &str, range: &Value) -> (usize, String) {
        let text = self.texts.get(file).cloned();
        let text = text.unwrap_or_else(|| fs::read_to_string(self.path(file)).expect("a file"));
        let offset = |position: &Value| {
            let number = |name: &str| position[name].as_u64().expect("a number") as usize;
            let start: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
            let mut left = number("character");
            let inside = text[start..].chars().take_while(|c| {
                let is_before = left > 0;
                left = left.saturating_sub(c.len_utf16());
                is_before
            });
            start + inside.map(char::len_utf8).sum::<usize>()
        };
        let (lo, hi) = (offset(&range["start"]), offset(&range["end"]));
        (text[..lo].matches('\n').count() + 1, text[lo..hi].to_string())
    }

    /// The file of an address, if it is one of the project's.
    pub(crate) fn file(&self, uri: &Value) -> String {
        let uri = uri.as_str().expect("an address");
        uri.strip_prefix(&self.uri("")).unwrap_or(uri).to_string()
    }

    /// Locations as `file:line:text`.
    pub(crate) fn places(&self, locations: &Value) -> Vec<String> {
        let one = |location: &Value| {
            let file = self.file(&location["uri"]);
            let (line, text) = self.text_at(&file, &location["range"]);
            format!("{file}:{line}:{text}")
        };
        locations.as_array().expect("a list").iter().map(one).collect()
    }

    /// The memory that the server has, in KiB.
    pub(crate) fn memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("its status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    /// Says goodbye.
    pub(crate) fn end(mut self) {
        let answer = self.ask("shutdown", Value::Null);
        assert_eq!(answer, Value::Null);
        self.tell("exit", Value::Null);
        self.input = None;
        assert_eq!(self.child.wait().expect("the end").code(), Some(0));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        // A test that has failed may leave it at work.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
