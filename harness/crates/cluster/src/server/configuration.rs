//! The configuration of `nats-server`, with who may do what.
//!
//! A server publishes its answers to whatever reply subject a request names, without asking whether the
//! sender may publish there. So permissions alone confine no one who may ask the server anything. Here the
//! workers of each token are an account of their own: subjects of one account do not exist in another,
//! and what crosses from one to the other is listed on both sides. An answer that crosses goes to the
//! account that asked, whatever its reply subject is.

use super::Setup;
use super::secrets::Secrets;
use harness_base::platform;

/// The account of the coordinators, which has the streams.
const COORDINATORS: &str = "TENCH";

/// Accounts of workers' tokens are made in steps of this many.
const ACCOUNT_STEP: usize = 16;

/// Number of accounts for this many tokens of workers. Some are there before their token is: nats-server
/// 2.9 does not connect the imports of an account that a reload adds, but does take new users of one that
/// is there.
pub(super) fn accounts_for(tokens: usize) -> usize {
    (tokens + 1).next_multiple_of(ACCOUNT_STEP)
}

/// Parts of files are read by it, whose subjects no other stream has. The names of streams of files are
/// secret.
const FILES: &str = "$JS.API.DIRECT.GET.*.tench.files.>";

/// The same in the workers' account.
const LOCAL_FILES: &str = "tench.file.*.tench.files.>";

/// Connections of the workers of a token at most: each may leave `max_pending` bytes unread.
const MAX_CONNECTIONS: u64 = 4_096;

/// Subscriptions of a connection of workers at most: a worker of 1,024 cores has one each, and some.
const MAX_SUBSCRIPTIONS: usize = 4_096;

/// Connections of each of these tokens: all together half of the files that the server, which raises its limit
/// by itself, may open, so that coordinators find a place.
fn max_connections(files: Option<u64>, tokens: usize) -> u64 {
    let share = |files: u64| files / 2 / u64::try_from(tokens.max(1)).unwrap_or(u64::MAX);
    files.map_or(MAX_CONNECTIONS, share).clamp(16, MAX_CONNECTIONS)
}

/// Asks all workers for their status.
const PING: &str = "tench.ping";

/// A subject of the coordinators' account that workers of a token may send to.
struct Service {
    /// In the coordinators' account.
    subject: String,
    /// In the workers' account.
    local: String,
    /// More than one answer may come.
    has_stream: bool,
}

/// Permissions of the workers of a token to publish: jobs are pulled, held and ended, results and the status published,
/// and files read of the runs whose secret is known.
fn services(token: &str) -> Vec<Service> {
    let service = |subject: String, local: String| Service { subject, local, has_stream: false };
    let same = |subject: String| service(subject.clone(), subject);
    let pull = format!("$JS.API.CONSUMER.MSG.NEXT.*.{token}");
    vec![
        same(format!("tench.results.{token}.>")),
        same(format!("tench.status.{token}.*")),
        same(format!("$JS.ACK.*.{token}.>")),
        Service { has_stream: true, ..service(pull, format!("tench.pull.*.{token}")) },
        service(format!("$JS.API.CONSUMER.INFO.*.{token}"), format!("tench.lease.*.{token}")),
        service(FILES.to_owned(), LOCAL_FILES.to_owned()),
    ]
}

/// Imports of the workers of a token from the coordinators' account.
fn streams(token: &str) -> [String; 3] {
    [PING.to_owned(), format!("tench.stop.{token}.*"), format!("tench.end.{token}.*")]
}

impl Setup {
    /// The server's configuration, with accounts for this many tokens of workers.
    pub(super) fn configuration(&self, secrets: &Secrets, accounts: usize) -> String {
        let Setup { folder, host, port, disk, .. } = self;
        let most = disk.map(|bytes| format!(", max_file: {bytes}")).unwrap_or_default();
        let folder = folder.display();
        let mut text = format!(
            "# Written by `harness serve`; changes are lost.\n\
             host: \"{host}\"\nport: {port}\npid_file: \"{folder}/nats.pid\"\n\
             max_payload: 8MB\nmax_pending: 32MB\n\
             jetstream {{ store_dir: \"{folder}/jetstream\"{most} }}\n"
        );
        if self.tls {
            text += &format!(
                "tls {{ cert_file: \"{folder}/certificate.pem\", key_file: \"{folder}/key.pem\" }}\n"
            );
        }
        let tokens: Vec<String> = (1..=accounts).map(|number| format!("worker{number}")).collect();
        text += &format!(
            "accounts {{\n  {COORDINATORS} {{\n    jetstream: enabled\n    users: [\
             {{ user: coordinator, password: \"{}\" }}]\n    exports: [\n\
             \x20     {{ service: \"{FILES}\" }}\n      {{ stream: \"{PING}\" }}\n",
            secrets.coordinator
        );
        tokens.iter().for_each(|token| text += &exports(token));
        text += "    ]\n  }\n";
        let used = secrets.workers.iter().flatten().count();
        let connections = max_connections(platform::most_open_files(), used);
        for (index, token) in tokens.iter().enumerate() {
            let secret = secrets.workers.get(index).and_then(Option::as_deref);
            text += &account(token, secret, connections);
        }
        text + "}\n"
    }
}

/// Exports of the coordinators' account to the workers of a token, beside those to all.
fn exports(token: &str) -> String {
    let own = services(token).into_iter().filter(|service| service.subject != FILES);
    let services = own.map(|Service { subject, has_stream, .. }| {
        let answers = if has_stream { "response: stream, " } else { "" };
        format!("      {{ service: \"{subject}\", {answers}accounts: [{token}] }}\n")
    });
    let heard = streams(token).into_iter().filter(|it| it != PING);
    let heard = heard.map(|it| format!("      {{ stream: \"{it}\", accounts: [{token}] }}\n"));
    services.chain(heard).collect()
}

/// The account of the workers of a token; it has no user where the token is not made, or revoked.
fn account(token: &str, secret: Option<&str>, connections: u64) -> String {
    let services = services(token);
    let quoted = |subjects: &mut dyn Iterator<Item = &str>| {
        subjects.map(|subject| format!("\"{subject}\"")).collect::<Vec<_>>().join(", ")
    };
    let heard = streams(token);
    let inbox = format!("_INBOX_{token}.>");
    let publish = quoted(&mut services.iter().map(|service| service.local.as_str()));
    let subscribe = quoted(&mut heard.iter().chain([&inbox]).map(String::as_str));
    let user = secret.map(|secret| {
        format!(
            "{{ user: {token}, password: \"{secret}\", permissions: {{ publish: [{publish}], \
             subscribe: [{subscribe}] }} }}"
        )
    });
    let imports: String = services
        .iter()
        .map(|Service { subject, local, .. }| {
            format!(
                "      {{ service: {{ account: {COORDINATORS}, subject: \"{subject}\" }}, \
                 to: \"{local}\" }}\n"
            )
        })
        .chain(heard.iter().map(|subject| {
            format!("      {{ stream: {{ account: {COORDINATORS}, subject: \"{subject}\" }} }}\n")
        }))
        .collect();
    format!(
        "  {token} {{\n    users: [{}]\n    limits: {{ max_connections: {connections}, \
         max_subscriptions: {MAX_SUBSCRIPTIONS} }}\n    imports: [\n{imports}    ]\n  }}\n",
        user.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tokens_together_leave_half_of_the_files() {
        for (files, tokens, expected) in [
            (Some(1_000_000), 1, MAX_CONNECTIONS),
            (Some(1_024), 1, 512),
            (Some(1_024), 4, 128),
            (Some(64), 16, 16),
            (Some(1_024), 0, 512),
            (None, 5, MAX_CONNECTIONS),
        ] {
            assert_eq!(max_connections(files, tokens), expected, "{files:?} {tokens}");
        }
    }
}
