//! Headless Chromium, controlled over a pipe with the DevTools protocol.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: String,
    calls: u64,
    loaded: bool,
    /// The errors that the page has reported.
    pub(crate) errors: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts the browser. Returns `None` if there is none, except in continuous integration, where this fails.
    pub(crate) fn start() -> Option<Browser> {
        let there = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
        let Some(name) = NAMES.iter().find(there) else {
            let is_required = std::env::var("CI").is_ok_and(|ci| ci == "true");
            assert!(!is_required, "no Chromium: apt-get install --no-install-recommends chromium");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // The browser reads commands from file descriptor 3 and answers on 4.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 >/dev/null 2>&1 </dev/null", name])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-pipe",
                "--window-size=1200,900",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, from) = channel();
        let answers = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            for answer in answers.split(0).map_while(Result::ok) {
                if sender.send(serde_json::from_slice(&answer).unwrap()).is_err() {
                    return;
                }
            }
        });
        let to = process.stdin.take().unwrap();
        let (session, errors) = (String::new(), Vec::new());
        let mut browser = Browser {
            process,
            to,
            from,
            session,
            calls: 0,
            loaded: false,
            errors,
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session =
            browser.call("Target.attachToTarget", attach)["sessionId"].as_str().unwrap().into();
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Opens a page and waits until it is loaded.
    pub(crate) fn open(&mut self, url: &str) {
        self.loaded = false;
        self.call("Page.navigate", json!({ "url": url }));
        while !self.loaded {
            self.listen();
        }
    }

    /// The value of a JavaScript expression in the page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self
            .call("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Drags from one position of the window to another.
    pub(crate) fn drag(&mut self, from: [f64; 2], to: [f64; 2]) {
        for (kind, [x, y]) in [
            ("mouseMoved", from),
            ("mousePressed", from),
            ("mouseMoved", to),
            ("mouseReleased", to),
        ] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Moves the pointer to a position of the window.
    pub(crate) fn point(&mut self, [x, y]: [f64; 2]) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let event =
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let mut call = json!({ "id": self.calls, "method": method, "params": parameters });
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{call}\0").as_bytes()).unwrap();
        loop {
            let answer = self.listen();
            if answer["id"] == json!(self.calls) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// Waits for the next message; records reported errors.
    fn listen(&mut self) -> Value {
        let message = self.from.recv_timeout(PATIENCE).expect("the browser says nothing");
        let parameters = &message["params"];
        let is_error = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => parameters["type"] == "error",
            Some("Log.entryAdded") => parameters["entry"]["level"] == "error",
            Some("Page.loadEventFired") => {
                self.loaded = true;
                false
            }
            _ => false,
        };
        if is_error {
            self.errors.push(parameters.to_string());
        }
        message
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
