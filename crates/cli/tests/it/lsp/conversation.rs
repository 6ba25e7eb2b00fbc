//! Diagnostics, encodings, cancellations, and documents of all kinds.

use super::client::{Client, position};
use kenaz_base::TemporaryFolder;
use serde_json::{Value, json};

fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|one| one["code"].as_str().expect("a code")).collect()
}

#[test]
fn diagnostics_follow_what_is_typed() {
    let mut client = Client::new(&[("lib.fut", "def one = 1i32\n")]);
    client.open("main.fut", Some("import \"lib\"\ndef f (x: i32) = x + tow\ndef g = one\n"));
    let found = client.diagnostics("main.fut");
    assert_eq!(codes(&found), ["unknown-name"]);
    assert_eq!(client.text_at("main.fut", &found[0]["range"]), (2, "tow".to_string()));
    assert_eq!((&found[0]["severity"], &found[0]["source"]), (&json!(1), &json!("kenaz")));
    // The page about it can be read.
    let page = found[0]["codeDescription"]["href"].as_str().unwrap().strip_prefix("file://").unwrap();
    assert!(std::fs::read_to_string(page).unwrap().contains("# unknown-name"));
    // What is not saved in one file holds for those that import it.
    client.open("lib.fut", Some("def one = 1i32\ndef tow = 2i32\n"));
    assert_eq!(client.diagnostics("main.fut"), [] as [Value; 0]);
    client.change("lib.fut", "def one = true\ndef tow = 2i32\n");
    client.change("main.fut", "import \"lib\"\ndef f (x: i32) = x + one\n");
    let found = client.diagnostics("main.fut");
    assert_eq!(codes(&found), ["argument-mismatch"]);
    client.tell("textDocument/didClose", client.document("main.fut"));
    assert_eq!(client.diagnostics("main.fut"), [] as [Value; 0]);
    client.end();
}

#[test]
fn errors_elsewhere_are_found_beside_those_of_the_syntax() {
    let mut client = Client::new(&[]);
    let text = "def a = 1i32\ndef f (x: i32) = x +\ndef g (x: i32) = x + true\ndef h = f 1 + a\n";
    client.open("main.fut", Some(text));
    let found = client.diagnostics("main.fut");
    let lines: Vec<_> = found.iter().map(|one| one["range"]["start"]["line"].as_u64().unwrap()).collect();
    assert_eq!(codes(&found), ["unexpected-token", "argument-mismatch"]);
    assert_eq!(lines, [1, 2]);
    assert_eq!(client.text_at("main.fut", &found[1]["range"]), (3, "true".to_string()));
    // And everything else is answered.
    let params = client.at("main.fut", "def h = f| 1");
    let hover = client.ask("textDocument/hover", params);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("i32"), "{hover}");
    client.end();
}

#[test]
fn causes_are_related_information() {
    let mut client = Client::new(&[]);
    client.open("main.fut", Some("def a = 1i32\ndef a = 2i32\n"));
    let found = client.diagnostics("main.fut");
    assert_eq!(codes(&found), ["duplicate-definition"]);
    let related = &found[0]["relatedInformation"][0];
    assert_eq!(related["message"], "first defined here");
    assert_eq!(client.text_at("main.fut", &related["location"]["range"]), (1, "a".to_string()));
    client.end();
}

#[test]
fn errors_of_files_that_are_not_open() {
    let mut client = Client::new(&[("lib.fut", "def one: bool = 1i32\n")]);
    client.open("main.fut", Some("import \"lib\"\ndef f = one\n"));
    let found = client.diagnostics("lib.fut");
    assert_eq!(codes(&found), ["type-mismatch"]);
    // They go when the file is mended outside of the editor.
    std::fs::write(client.path("lib.fut"), "def one = true -- mended\n").unwrap();
    client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(client.diagnostics("lib.fut"), [] as [Value; 0]);
    // And it may be deleted.
    std::fs::remove_file(client.path("lib.fut")).unwrap();
    client.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    let found = loop {
        let found = client.diagnostics("main.fut");
        if !found.is_empty() {
            break found;
        }
    };
    assert_eq!(codes(&found)[0], "import-not-found");
    client.end();
}

/// Positions count UTF-16 units unless the client can count bytes.
#[test]
fn positions_have_the_encoding_of_the_client() {
    let text = "-- 🔑\r\ndef f (x: i32) = (\"å🔑\", x + y)\r\ndef last = f";
    for (encodings, expected) in [(json!([]), 29), (json!(["utf-16", "utf-8"]), 32)] {
        let capabilities = json!({ "general": { "positionEncodings": encodings } });
        let mut client = Client::with(&[], &capabilities);
        client.open("main.fut", Some(text));
        let found = client.diagnostics("main.fut");
        assert_eq!(codes(&found), ["unknown-name"]);
        let start = found[0]["range"]["start"].clone();
        assert_eq!(start, json!({ "line": 1, "character": expected }));
        // A change at the same place.
        let version = json!({ "uri": client.uri("main.fut"), "version": 2 });
        let change = json!({ "range": found[0]["range"], "text": "1" });
        client.tell("textDocument/didChange", json!({ "textDocument": version, "contentChanges": [change] }));
        assert_eq!(client.diagnostics("main.fut"), [] as [Value; 0]);
        client.end();
    }
}

#[test]
fn documents_without_files() {
    let mut client = Client::new(&[]);
    let name = "untitled:Untitled-1";
    client.open(name, Some("def f (x: i32) = x + yy"));
    let found = client.diagnostics(name);
    assert_eq!(codes(&found), ["unknown-name"]);
    let params = client.at(name, "(x|: i32)");
    let hover = client.ask("textDocument/hover", params);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("x : i32"), "{hover}");
    // Nothing is known of a file that does not exist.
    let params =
        json!({ "textDocument": { "uri": client.uri("gone.fut") }, "position": { "line": 3, "character": 1 } });
    assert_eq!(client.ask("textDocument/hover", params), Value::Null);
    client.end();
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut client = Client::new(&[]);
    assert_eq!(client.refusal("kenaz/nothing", json!({})), "there is no method `kenaz/nothing`");
    let message = client.refusal("textDocument/hover", json!({ "position": 3 }));
    assert!(!message.is_empty());
    let message = client.refusal("workspace/executeCommand", json!({ "command": "rm", "arguments": ["x"] }));
    assert_eq!(message, "there is no command `rm`");
    client.tell("kenaz/nothing", json!({}));
    client.end();
}

/// Of many requests that are cancelled or overtaken by an edit, each has one answer.
#[test]
fn every_request_is_answered_once() {
    let mut client = Client::new(&[]);
    let text = "def f (x: i32) = x\n";
    client.open("main.fut", Some(text));
    let mut ids = Vec::new();
    for round in 0..40 {
        let mut params = client.document("main.fut");
        params["position"] = position(text, "def f| (x");
        ids.push(client.start("textDocument/hover", params));
        if round % 3 == 0 {
            client.tell("$/cancelRequest", json!({ "id": ids[ids.len() - 1] }));
        }
        if round % 4 == 0 {
            client.change("main.fut", text);
        }
    }
    for id in ids {
        let answer = client.finish(id);
        let code = answer["error"]["code"].as_i64();
        let is_right = answer["result"]["contents"]["value"].as_str().is_some_and(|text| text.contains("def f"));
        assert!(is_right || matches!(code, Some(-32800 | -32801)), "{answer}");
    }
    client.end();
}

#[test]
fn an_editor_that_goes_away_is_no_reason_to_stay() {
    let client = Client::new(&[]);
    // The pipe is closed, and the process ends by itself.
    drop(client);
}

#[test]
fn several_folders() {
    let mut client = Client::new(&[("a/lib.fut", "def one = 1i32\n")]);
    let other = TemporaryFolder::new().expect("a folder");
    let text = format!("import \"{}/a/lib\"\ndef two = one + one\n", client.path("").display());
    std::fs::write(other.path.join("main.fut"), text.replace("//", "/")).expect("a file");
    client.open("a/lib.fut", None);
    let mut params = client.at("a/lib.fut", "def one|");
    params["context"] = json!({ "includeDeclaration": true });
    let count = |answer: &Value| answer.as_array().expect("a list").len();
    assert_eq!(count(&client.ask("textDocument/references", params.clone())), 1);
    let folder = json!({ "uri": format!("file://{}", other.path.display()), "name": "other" });
    let event = |added: &[&Value], removed: &[&Value]| json!({ "event": { "added": added, "removed": removed } });
    client.tell("workspace/didChangeWorkspaceFolders", event(&[&folder], &[]));
    assert_eq!(count(&client.ask("textDocument/references", params.clone())), 3);
    client.tell("workspace/didChangeWorkspaceFolders", event(&[], &[&folder]));
    assert_eq!(count(&client.ask("textDocument/references", params)), 1);
    client.end();
}
