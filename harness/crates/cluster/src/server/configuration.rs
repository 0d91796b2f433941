//! The configuration of `nats-server`, with who may do what.

use super::Setup;
use super::secrets::Secrets;

impl Setup {
    /// The server's configuration. Workers may pull jobs, publish results, and read objects whose
    /// bucket they know; they may not list streams, make or change them, or read each other's
    /// results.
    pub(super) fn configuration(&self, secrets: &Secrets) -> String {
        let Setup { folder, host, port, disk, .. } = self;
        let most = disk.map(|bytes| format!(", max_file: {bytes}")).unwrap_or_default();
        let folder = folder.display();
        let mut text = format!(
            "# Written by `harness serve`; changes are lost.\n\
             host: \"{host}\"\nport: {port}\npid_file: \"{folder}/nats.pid\"\n\
             max_payload: 8MB\nmax_pending: 256MB\n\
             jetstream {{ store_dir: \"{folder}/jetstream\"{most} }}\n"
        );
        if self.tls {
            text += &format!(
                "tls {{ cert_file: \"{folder}/certificate.pem\", key_file: \"{folder}/key.pem\" }}\n"
            );
        }
        text += &format!(
            "authorization {{\n  users: [\n    {{ user: coordinator, password: \"{}\" }}\n",
            secrets.coordinator
        );
        for (index, secret) in secrets.workers.iter().enumerate() {
            let Some(secret) = secret else { continue };
            let user = format!("worker{}", index + 1);
            text += &format!(
                "    {{ user: {user}, password: \"{secret}\", permissions: {} }}\n",
                permissions(&user)
            );
        }
        text + "  ]\n}\n"
    }
}

/// Permissions of a worker.
fn permissions(user: &str) -> String {
    let may_send = [
        "tench.results.>",
        "tench.status.*",
        "$JS.API.CONSUMER.INFO.tench_jobs.workers",
        "$JS.API.CONSUMER.MSG.NEXT.tench_jobs.workers",
        "$JS.ACK.tench_jobs.workers.>",
        // Objects, by the name of their bucket, which is secret.
        "$JS.API.STREAM.INFO.*",
        "$JS.API.STREAM.MSG.GET.*",
        "$JS.API.DIRECT.GET.>",
        "$JS.API.CONSUMER.CREATE.*",
        "$JS.API.CONSUMER.CREATE.*.>",
        "$JS.API.CONSUMER.DELETE.*.*",
        "$JS.FC.>",
    ];
    let ours = ["tench_jobs", "tench_results", "tench_quarantine"];
    let of_ours = ours.iter().flat_map(|stream| {
        [
            format!("$JS.API.STREAM.INFO.{stream}"),
            format!("$JS.API.STREAM.MSG.GET.{stream}"),
            format!("$JS.API.DIRECT.GET.{stream}"),
            format!("$JS.API.DIRECT.GET.{stream}.>"),
            format!("$JS.API.CONSUMER.CREATE.{stream}"),
            format!("$JS.API.CONSUMER.CREATE.{stream}.>"),
            format!("$JS.API.CONSUMER.DELETE.{stream}.*"),
        ]
    });
    let list = |subjects: Vec<String>| {
        let quoted: Vec<String> = subjects.iter().map(|it| format!("\"{it}\"")).collect();
        format!("[{}]", quoted.join(", "))
    };
    let inbox = format!("_INBOX_{user}.>");
    let may_hear =
        ["tench.ping", "tench.stop.*", "tench.quarantine.*", &inbox].map(str::to_owned).to_vec();
    format!(
        "{{ publish: {{ allow: {}, deny: {} }}, subscribe: {{ allow: {} }} }}",
        list(may_send.map(str::to_owned).to_vec()),
        list(of_ours.collect()),
        list(may_hear),
    )
}
