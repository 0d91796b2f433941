//! Requests over HTTP that carry a secret.

use std::time::Duration;

use harness_base::secret::Key;

/// How this program names itself to servers.
const USER_AGENT: &str = concat!("tench-harness/", env!("CARGO_PKG_VERSION"));

/// Longest times of the parts of a request; `None`: no limit of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timeouts {
    /// From the look-up of the host to the last byte of the answer.
    pub whole: Option<Duration>,
    /// Each of: the look-up, the connection, sending the request, and the head of the answer.
    pub step: Option<Duration>,
    /// Between two parts of the answer's body.
    pub read: Option<Duration>,
}

/// Sends requests; an answer of any status is no error. Redirects are not followed: a secret does not
/// go to another place.
pub fn agent(timeouts: Timeouts) -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(USER_AGENT)
        .timeout_global(timeouts.whole)
        .timeout_resolve(timeouts.step)
        .timeout_connect(timeouts.step)
        .timeout_send_request(timeouts.step)
        .timeout_send_body(timeouts.step)
        .timeout_recv_response(timeouts.step)
        .timeout_per_read(timeouts.read)
        .build()
        .into()
}

/// Whether a request was never sent, since its key or address cannot stand in it.
pub fn is_unsendable(error: &ureq::Error) -> bool {
    matches!(error, ureq::Error::Http(_) | ureq::Error::BadUri(_))
}

/// Why a request failed, without the key.
pub fn reason(error: &ureq::Error, key: Option<&Key>) -> String {
    if is_unsendable(error) {
        // The error may quote the header.
        return "the key or address cannot be sent".to_owned();
    }
    let text = error.to_string();
    key.map_or(text.clone(), |key| key.hide_in(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_cannot_stand_in_a_header_is_not_repeated() {
        let agent = agent(Timeouts::default());
        let request = agent.get("http://127.0.0.1:1/").header("Authorization", "lip_\nsecret");
        let error = request.call().expect_err("no header");
        assert!(is_unsendable(&error), "{error:?}");
        assert_eq!(reason(&error, None), "the key or address cannot be sent");
        let error = agent.get("http://127.0.0.1:1/").call().expect_err("no server");
        assert!(!is_unsendable(&error), "{error:?}");
        let key = Key::new("refused".to_owned());
        assert!(!reason(&error, Some(&key)).contains("refused"));
    }
}
