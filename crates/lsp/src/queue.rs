//! Messages that wait for the worker, and requests that wait for an answer.

use crate::server;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A request without an answer for so long is answered with an error.
const LONGEST: Duration = Duration::from_secs(20);

/// Requests that a client makes again after an edit: nobody needs the answer for the text before.
const STALE_AFTER_EDIT: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/documentHighlight",
    "textDocument/foldingRange",
    "textDocument/codeLens",
    "textDocument/documentSymbol",
    "textDocument/codeAction",
];

/// Sends a message to the client.
pub(crate) type Send = Arc<dyn Fn(Message) + std::marker::Send + Sync>;

pub(crate) struct Queue {
    inside: Mutex<Inside>,
    arrived: Condvar,
    send: Send,
}

#[derive(Default)]
struct Inside {
    messages: VecDeque<Message>,
    /// The requests without an answer: the document they are about, their method, and when they came.
    waiting: HashMap<RequestId, (Option<String>, String, Instant)>,
}

fn document(params: &Value) -> Option<String> {
    params.pointer("/textDocument/uri").and_then(Value::as_str).map(str::to_string)
}

impl Queue {
    pub(crate) fn new(send: Send) -> Queue {
        Queue { inside: Mutex::default(), arrived: Condvar::new(), send }
    }

    /// What is in there is whole even if somebody panicked who had it.
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn request(&self, request: Request) {
        let mut inside = self.lock();
        let waiting = (document(&request.params), request.method.clone(), Instant::now());
        inside.waiting.insert(request.id.clone(), waiting);
        inside.messages.push_back(request.into());
        self.arrived.notify_one();
    }

    /// An edit makes some of the requests before it useless.
    pub(crate) fn notification(&self, note: Notification) {
        if note.method == "textDocument/didChange" {
            let changed = document(&note.params);
            let is_stale = |(uri, method, _): &(Option<String>, String, Instant)| {
                *uri == changed && STALE_AFTER_EDIT.contains(&method.as_str())
            };
            let stale: Vec<RequestId> =
                self.lock().waiting.iter().filter(|(_, waiting)| is_stale(waiting)).map(|(id, _)| id.clone()).collect();
            for id in stale {
                self.fail(&id, ErrorCode::ContentModified as i32, "the text has changed");
            }
        }
        self.lock().messages.push_back(note.into());
        self.arrived.notify_one();
    }

    /// The next message; none if it takes until `due`.
    pub(crate) fn next(&self, due: Option<Instant>) -> Option<Message> {
        let mut inside = self.lock();
        loop {
            while let Some(message) = inside.messages.pop_front() {
                // What was answered already needs no work.
                let is_done =
                    matches!(&message, Message::Request(request) if !inside.waiting.contains_key(&request.id));
                if !is_done {
                    return Some(message);
                }
            }
            inside = match due {
                None => self.arrived.wait(inside).unwrap_or_else(PoisonError::into_inner),
                Some(due) => {
                    let left = due.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
                    self.arrived.wait_timeout(inside, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().messages.is_empty()
    }

    pub(crate) fn send(&self, message: impl Into<Message>) {
        (self.send)(message.into());
    }

    /// What sends messages from other threads.
    pub(crate) fn sender(&self) -> Send {
        self.send.clone()
    }

    /// Answers a request, unless it has an answer.
    pub(crate) fn answer(&self, response: Response) {
        let is_waiting = self.lock().waiting.remove(&response.id).is_some();
        if is_waiting {
            self.send(response);
        }
    }

    pub(crate) fn fail(&self, id: &RequestId, code: i32, message: &str) {
        self.answer(server::error(id.clone(), code, message));
    }

    /// Answers the requests that have waited for too long.
    pub(crate) fn answer_late(&self) {
        self.answer_older(LONGEST);
    }

    fn answer_older(&self, longest: Duration) {
        let is_late = |since: &Instant| since.elapsed() > longest;
        let late: Vec<RequestId> = {
            let inside = self.lock();
            inside.waiting.iter().filter(|(_, (_, _, since))| is_late(since)).map(|(id, _)| id.clone()).collect()
        };
        for id in late {
            self.fail(&id, ErrorCode::RequestFailed as i32, "the compiler is still busy with an earlier question");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The requests that were answered, each with the code of the error, if it is one.
    type Answers = Arc<Mutex<Vec<(String, Option<i32>)>>>;

    /// A queue, and the answers that were sent.
    fn queue() -> (Queue, Answers) {
        let sent = Arc::new(Mutex::new(Vec::new()));
        let send = {
            let sent = sent.clone();
            move |message: Message| {
                if let Message::Response(response) = message {
                    let code = response.response_result.err().map(|error| error.code);
                    sent.lock().unwrap().push((response.id.to_string(), code));
                }
            }
        };
        (Queue::new(Arc::new(send)), sent)
    }

    fn ask(queue: &Queue, id: i32, method: &str, uri: &str) {
        let params = json!({ "textDocument": { "uri": uri } });
        queue.request(Request::new(RequestId::from(id), method.to_string(), params));
    }

    fn next(queue: &Queue) -> String {
        match queue.next(Some(Instant::now())) {
            Some(Message::Request(request)) => request.id.to_string(),
            Some(Message::Notification(note)) => note.method,
            Some(Message::Response(_)) | None => "nothing".to_string(),
        }
    }

    #[test]
    fn an_edit_makes_questions_about_its_document_useless() {
        let (queue, sent) = queue();
        ask(&queue, 1, "textDocument/hover", "a");
        ask(&queue, 2, "textDocument/hover", "b");
        ask(&queue, 3, "textDocument/rename", "a");
        let params = json!({ "textDocument": { "uri": "a" } });
        queue.notification(Notification::new("textDocument/didChange".to_string(), params));
        assert_eq!(*sent.lock().unwrap(), [("1".to_string(), Some(-32801))]);
        assert_eq!([(); 4].map(|()| next(&queue)), ["2", "3", "textDocument/didChange", "nothing"]);
    }

    #[test]
    fn a_request_has_one_answer() {
        let (queue, sent) = queue();
        ask(&queue, 1, "textDocument/hover", "a");
        ask(&queue, 2, "textDocument/hover", "a");
        queue.fail(&RequestId::from(1), -32800, "cancelled");
        assert_eq!(next(&queue), "2");
        // The worker is busy with it for too long, and comes back in the end.
        queue.answer_older(Duration::ZERO);
        queue.answer(Response::new_ok(RequestId::from(2), json!(null)));
        queue.fail(&RequestId::from(1), -32800, "cancelled");
        assert_eq!(*sent.lock().unwrap(), [("1".to_string(), Some(-32800)), ("2".to_string(), Some(-32803))]);
        assert!(queue.is_empty());
    }
}
