//! A question over HTTP, with retries.

use std::thread;

use serde_json::{Value, json};

use super::functions;
use super::settings::Endpoint;
use crate::{Context, Understood};
use harness_http::{self as http, Timeouts};

/// Largest answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 1 << 20;

/// Longest text that is shown, in characters.
const MAX_TEXT: usize = 1500;

/// Most calls of one answer.
const MAX_CALLS: usize = 4;

const TASK: &str = "You turn what the user of a chess program says into calls of its functions. \
    Call functions rather than describe them. Only if none fits, answer in one or two plain sentences.";

/// Answer of a model.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Answer {
    /// Its calls, checked.
    pub calls: Vec<Understood>,
    /// Its text for the user.
    pub text: String,
}

/// Why one attempt failed.
struct Failed {
    reason: String,
    /// Whether it may pass.
    passing: bool,
}

/// Asks what a sentence means. The sentence and the position leave this machine, nothing else.
///
/// # Errors
/// When the endpoint cannot be reached, refuses, or answers with nonsense; in words for people that do
/// not hold the key.
pub fn ask(
    endpoint: &Endpoint,
    sentence: &str,
    fen: &str,
    context: &Context,
) -> Result<Answer, String> {
    let legal: Vec<&str> = context.legal.iter().map(|(_, san)| san.as_str()).collect();
    let position = format!("Position: {fen}\nLegal moves: {}", legal.join(" "));
    let body = json!({
        "model": endpoint.model,
        "temperature": endpoint.temperature,
        "messages": [
            { "role": "system", "content": format!("{TASK}\n{position}") },
            { "role": "user", "content": sentence },
        ],
        "tools": functions::tools(),
        "tool_choice": "auto",
    });
    let body = body.to_string();
    let mut wait = endpoint.wait;
    let mut attempt = 0;
    loop {
        let failed = match once(endpoint, &body) {
            Ok(text) => {
                return read(&text, context).map_err(|reason| error_text(endpoint, &reason));
            }
            Err(failed) => failed,
        };
        if !failed.passing || attempt >= endpoint.retries {
            return Err(error_text(endpoint, &failed.reason));
        }
        tracing::debug!("the endpoint is asked again: {}", failed.reason);
        thread::sleep(wait);
        wait *= 2;
        attempt += 1;
    }
}

fn error_text(endpoint: &Endpoint, reason: &str) -> String {
    format!("{} at {}: {reason}", endpoint.model, endpoint.host())
}

fn once(endpoint: &Endpoint, body: &str) -> Result<String, Failed> {
    let agent = http::agent(Timeouts { whole: Some(endpoint.timeout), ..Timeouts::default() });
    let address = format!("{}/chat/completions", endpoint.url);
    let mut request = agent.post(&address).header("Content-Type", "application/json");
    if let Some(key) = &endpoint.key {
        request = request.header("Authorization", format!("Bearer {}", key.secret()));
    }
    let cut = |error: ureq::Error| Failed {
        reason: http::reason(&error, endpoint.key.as_ref()),
        passing: !http::is_unsendable(&error),
    };
    let mut answer = request.send(body).map_err(cut)?;
    let status = answer.status().as_u16();
    let text =
        answer.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_string().map_err(cut);
    match status {
        200 => text,
        // What a server says of an error may repeat the key.
        408 | 429 | 500..=599 => {
            Err(Failed { reason: format!("it answered with status {status}"), passing: true })
        }
        401 | 403 => {
            Err(Failed { reason: format!("it refuses the key (status {status})"), passing: false })
        }
        _ => Err(Failed { reason: format!("it answered with status {status}"), passing: false }),
    }
}

/// Reads an answer; of several calls all must make sense.
fn read(text: &str, context: &Context) -> Result<Answer, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|_| "its answer is no JSON".to_owned())?;
    let message = &value["choices"][0]["message"];
    if !message.is_object() {
        return Err("its answer has no message".to_owned());
    }
    let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    let calls = calls.iter().take(MAX_CALLS).map(|call| {
        let function = &call["function"];
        let name = function["name"].as_str().ok_or("a call without a name")?;
        // Some servers send the arguments as an object instead of its text.
        let arguments = match &function["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        functions::call(name, &arguments, context)
    });
    let calls: Vec<Understood> = calls.collect::<Result<_, String>>()?;
    let said = message["content"].as_str().unwrap_or_default().trim();
    let text: String =
        said.chars().filter(|c| *c == '\n' || !c.is_control()).take(MAX_TEXT).collect();
    if calls.is_empty() && text.is_empty() {
        return Err("its answer is empty".to_owned());
    }
    Ok(Answer { calls, text })
}
