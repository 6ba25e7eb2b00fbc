//! Random edits with requests between them: nothing crashes, every request is answered, memory does not grow, and in
//! the end the server knows what a fresh one knows.

use super::client::Client;
use kenaz_base::Rng;
use serde_json::{Value, json};

/// How many edits there are, if the environment says nothing else (`KENAZ_EDITS`).
const EDITS: i64 = 2_000;

const PROGRAM: &str = include_str!("../../../../../examples/mandelbrot.fut");

/// What is typed, besides single letters.
const PIECES: &[&str] = &[
    "def ",
    "let ",
    " in ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#[",
    "\n",
    "\r\n",
    "\"",
    "--",
    "-- |",
    "'",
    "'t ",
    "module m = {",
    "}\n",
    "if ",
    " then ",
    " else ",
    "loop ",
    "\\x -> ",
    " + ",
    ".",
    "..",
    "map ",
    "1",
    "0x",
    "f64",
    "??",
    "type t = ",
    "import \"",
    "å",
    "🔑",
    "entry ",
    "match x case ",
    "#a ",
    "\t",
    "local ",
    "open ",
    ": ",
    "with ",
];

/// The requests that are made between edits, at random places.
const REQUESTS: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/signatureHelp",
    "textDocument/rename",
    "textDocument/prepareRename",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/semanticTokens/full",
    "textDocument/codeAction",
    "textDocument/inlayHint",
    "textDocument/formatting",
    "textDocument/codeLens",
    "workspace/symbol",
];

/// A place in a text, as bytes and as a position in UTF-16.
fn place(text: &str, offset: usize) -> (usize, Value) {
    let at = text.floor_char_boundary(offset.min(text.len()));
    // The middle of a line break is no place.
    let at = if text[..at].ends_with('\r') && text[at..].starts_with('\n') { at - 1 } else { at };
    let before = &text[..at];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or("").encode_utf16().count();
    (at, json!({ "line": line, "character": column }))
}

fn edit(rng: &mut Rng, text: &str) -> (usize, usize, String) {
    let (lo, hi) = (rng.below(text.len() + 1), rng.below(12));
    match rng.below(8) {
        // Something goes, more often where there is much.
        0 | 1 => (lo, lo + hi, String::new()),
        2 if text.len() > 2 * PROGRAM.len() => (lo, lo + text.len() / 2, String::new()),
        // A piece of the program comes back.
        2 => {
            let from = PROGRAM.floor_char_boundary(rng.below(PROGRAM.len()));
            let to = PROGRAM.floor_char_boundary((from + rng.below(200)).min(PROGRAM.len()));
            (lo, lo, PROGRAM[from..to].to_string())
        }
        3 if rng.chance(20) => (0, text.len(), PROGRAM.to_string()),
        3 | 4 => (lo, lo, char::from(b'a' + rng.below(26) as u8).to_string()),
        _ => (lo, lo, rng.pick(PIECES).copied().unwrap_or("").to_string()),
    }
}

/// The diagnostics of a document in its last version.
fn last_diagnostics(client: &mut Client, version: i64) -> Value {
    loop {
        let is_it = |message: &&Value| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["version"] == version
        };
        if let Some(found) = client.told.iter().rev().find(is_it) {
            return found["params"]["diagnostics"].clone();
        }
        // Any request brings what was sent before its answer.
        std::thread::sleep(std::time::Duration::from_millis(20));
        let params = client.document("main.fut");
        client.ask("textDocument/foldingRange", params);
    }
}

#[test]
fn random_edits() {
    let edits = std::env::var("KENAZ_EDITS").ok().and_then(|number| number.parse().ok()).unwrap_or(EDITS);
    let seed = std::env::var("KENAZ_SEED").ok().and_then(|number| number.parse().ok()).unwrap_or(1);
    let mut rng = Rng::new(seed);
    let mut client = Client::new(&[]);
    let mut text = PROGRAM.to_string();
    client.open("main.fut", Some(&text));
    let uri = client.uri("main.fut");
    let mut waiting = Vec::new();
    let mut early = None;
    for version in 0..edits {
        let (lo, hi, new) = edit(&mut rng, &text);
        let ((lo, start), (hi, end)) = (place(&text, lo), place(&text, hi));
        let (hi, end) = if hi < lo { (lo, start.clone()) } else { (hi, end) };
        text.replace_range(lo..hi, &new);
        let change = json!({ "range": { "start": start, "end": end }, "text": new });
        let document = json!({ "uri": uri, "version": version + 2 });
        client.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
        if rng.chance(3) {
            let method = rng.pick(REQUESTS).copied().unwrap_or_default();
            let (_, position) = place(&text, rng.below(text.len() + 1));
            let mut params = json!({ "textDocument": { "uri": uri }, "position": position, "query": "a" });
            params["newName"] = json!("renamed");
            params["context"] =
                json!({ "includeDeclaration": true, "diagnostics": [], "triggerKind": 1, "isRetrigger": false });
            params["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": position });
            params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
            let id = client.start(method, params);
            if rng.chance(10) {
                client.tell("$/cancelRequest", json!({ "id": id }));
            }
            waiting.push((id, method));
        }
        // No client sends more than it gets answers for.
        if waiting.len() > 8 {
            answered(&mut client, &mut waiting);
        }
        if version == edits.min(1_000) - 1 {
            answered(&mut client, &mut waiting);
            early = Some(client.memory());
        }
        client.told.retain(|message| {
            let is_bug = message["method"] == "window/logMessage";
            assert!(!is_bug, "{message}");
            message["params"]["version"] == version + 2
        });
    }
    answered(&mut client, &mut waiting);
    let known = last_diagnostics(&mut client, edits + 1);
    let (early, late) = (early.unwrap_or_default(), client.memory());
    client.end();
    let mut fresh = Client::new(&[]);
    fresh.open("main.fut", Some(&text));
    let found = Value::from(fresh.diagnostics("main.fut"));
    let places = |diagnostics: &Value| -> Vec<(Value, Value, Value)> {
        let list = diagnostics.as_array().expect("a list").iter();
        list.map(|one| (one["range"].clone(), one["code"].clone(), one["message"].clone())).collect()
    };
    assert_eq!(places(&known), places(&found), "of\n{text}");
    fresh.end();
    // A leak of one text for each edit would be many times that.
    assert!(late < 3 * early, "{early} KiB after 1,000 edits and {late} KiB after {edits}");
}

/// Waits for all answers: results, refusals, and what was cancelled, but no faults.
fn answered(client: &mut Client, waiting: &mut Vec<(i64, &'static str)>) {
    for (id, method) in waiting.drain(..) {
        let answer = client.finish(id);
        let code = answer["error"]["code"].as_i64();
        assert!(matches!(code, None | Some(-32800 | -32801 | -32803)), "{method}: {answer}");
    }
}
