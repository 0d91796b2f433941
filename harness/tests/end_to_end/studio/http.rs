//! The studio's server: who is let in, and what it answers to those who try more than they may.

use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use super::server::Studio;
use crate::common::{MOCK, harness, run, shown};

/// A folder with a match of two engines with hostile names, and its run.
fn bench(names: [&str; 2]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let engine = |name: &str| {
        format!("  {}: {{ cmd: {MOCK}, args: [--seed, \"1\"] }}\n", serde_json::json!(name))
    };
    let config = format!("engines:\n{}{}", engine(names[0]), engine(names[1]));
    std::fs::write(folder.path().join("harness.yaml"), config).expect("written");
    let flags = ["--depth", "1", "--games", "4", "--max-moves", "8", "--quiet", "--no-probe"];
    let words = ["match", names[0], names[1]].into_iter().chain(flags);
    let played = harness(folder.path(), words).output().expect("the harness starts");
    assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
    let runs = run(folder.path(), "runs --json");
    let runs: serde_json::Value = serde_json::from_slice(&runs.stdout).expect("JSON");
    let id = runs[0]["run"].as_str().expect("an id").to_owned();
    (folder, id)
}

#[test]
fn nobody_is_let_in_without_the_token_from_another_site_or_under_another_name() {
    let (folder, id) = bench(["a", "b"]);
    let studio = Studio::start(folder.path());
    let [control, view] = &studio.tokens;
    let file = folder.path().join("reports/studio.token");
    let mode = std::fs::metadata(file).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let run_page = format!("/run/{id}/");
    let own = || vec![studio.cookie(control)];
    let with = |line: &str| [own(), vec![line.to_owned()]].concat();
    let cases: [(u16, &str, &str, Vec<String>); 13] = [
        (200, "GET", "/", own()),
        (200, "GET", &run_page, vec![studio.cookie(view)]),
        (401, "GET", "/", vec![]),
        (401, "GET", &run_page, vec![]),
        (401, "GET", "/events?topic=runs", vec![]),
        (401, "GET", "/?token=00000000000000000000000000000000", vec![]),
        (401, "GET", "/", vec![studio.cookie("")]),
        (403, "GET", "/", with("Origin: http://example.org")),
        (403, "GET", "/", with("Host: example.org")),
        (403, "GET", "/", with(&format!("Host: example.org:{}", studio.port()))),
        (403, "POST", "/start", with("Origin: http://example.org")),
        (403, "POST", "/start", own()),
        (403, "GET", "/start", vec![studio.cookie(view)]),
    ];
    for (status, method, path, lines) in cases {
        let answer = studio.send(&format!("{method} {path}"), &lines, "");
        assert_eq!(answer.status, status, "{method} {path} {lines:?}\n{}", answer.body);
        for (name, value) in [
            ("content-security-policy", "default-src 'none'"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            let header = answer.header(name).unwrap_or_default();
            assert!(header.starts_with(value), "{method} {path}: {name}: {header}");
        }
        assert!(!answer.body.contains(control.as_str()), "{path} shows the token");
    }
    // The token becomes a cookie, and the address loses it.
    let answer = studio.send(&format!("GET //run?a=1&token={view}"), &[], "");
    assert_eq!((answer.status, answer.header("location")), (303, Some("/run?a=1")));
    let cookie = answer.header("set-cookie").expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite"), "{cookie}");
    // Who may look changes nothing, even with a form of the page.
    let form = format!("csrf={}&name=x", studio.csrf());
    let lines = [studio.cookie(view), studio.origin()];
    for what in ["finish", "stop", "resume", "describe", "delete"] {
        let answer = studio.send(&format!("POST /run/{id}/do/{what}"), &lines, &form);
        assert_eq!(answer.status, 403, "{what}");
    }
}

#[test]
fn forms_of_other_pages_and_oversized_ones_are_refused() {
    let (folder, id) = bench(["a", "b"]);
    let studio = Studio::start(folder.path());
    let describe = format!("/run/{id}/do/describe");
    for form in ["name=x", "csrf=&name=x", "csrf=00000000000000000000000000000000&name=x"] {
        assert_eq!(studio.post(&describe, form).status, 403, "{form}");
    }
    let csrf = studio.csrf();
    let large = format!("csrf={csrf}&note={}", "x".repeat(300 << 10));
    assert_eq!(studio.post(&describe, &large).status, 413);
    assert_eq!(studio.post(&describe, &format!("csrf={csrf}&name=mine&note=two")).status, 303);
    let page = studio.get(&format!("/run/{id}/")).body;
    assert!(page.contains("<strong>mine</strong>"), "{page}");
    // What the command line would refuse is refused with its words.
    let yaml = "command%3A+sprt%0Aarguments%3A+%5Ba%2C+b%5D%0Atc%3A+banana";
    let answer = studio.post("/start", &format!("csrf={csrf}&do=start&yaml={yaml}"));
    assert!(answer.body.contains("invalid value") && answer.body.contains("banana"));
    for command in ["serve", "studio", "../x", "work"] {
        let yaml = format!("command%3A+{command}");
        let answer = studio.post("/start", &format!("csrf={csrf}&do=start&yaml={yaml}"));
        assert!(answer.body.contains("`command` is one of"), "{command}");
    }
}

#[test]
fn no_name_leads_out_of_the_reports_folder() {
    let (folder, id) = bench(["a", "b"]);
    std::fs::write(folder.path().join("secret"), "SECRET").expect("written");
    let studio = Studio::start(folder.path());
    let prefix = &id[..12];
    let (run, lock) = (format!("/run/{id}"), format!("/run/{id}/lock"));
    for path in [
        "/run/..%2f..%2fsecret/run.yaml",
        "/run/..%2f../secret",
        "/run/%2e%2e/",
        "/run/../../secret",
        "/assets/x/..%2f..%2f..%2fCargo.toml",
        "/assets/x/%2e%2e",
        &format!("{run}/..%2f..%2f..%2fsecret"),
        &format!("{run}/%2e%2e%2fledger.db"),
        &format!("{run}/game/..%2f1.1"),
        &format!("{run}/game/1.3"),
        &format!("{run}/game/0.1"),
        &format!("{run}/game/99999999999999999999.1"),
        &format!("/run/{prefix}/"),
        &format!("/run/{prefix}/run.yaml"),
        "/run/last/",
        "/started/99",
        &lock,
    ] {
        let answer = studio.get(path);
        assert_eq!(answer.status, 404, "{path}\n{}", answer.body);
        assert!(!answer.body.contains("SECRET") && !answer.body.contains("[package]"), "{path}");
    }
    for (path, says) in [
        (format!("{run}/run.yaml"), "machine:"),
        (format!("{run}/games.pgn"), "[Event "),
        (format!("{run}/game/1.1.pgn"), "[Round \"1.1\"]"),
    ] {
        let answer = studio.get(&path);
        assert!(answer.status == 200 && answer.body.contains(says), "{path}");
    }
}

#[test]
fn no_name_and_no_note_is_ever_markup() {
    const EVIL: &str = "<img src=x onerror=alert(1)>";
    const SCRIPT: &str = "</script><script>alert(1)</script>";
    let (folder, id) = bench([EVIL, SCRIPT]);
    let studio = Studio::start(folder.path());
    let csrf = studio.csrf();
    let evil = "%3Cimg+src%3Dx+onerror%3Dalert%281%29%3E";
    let form = format!("csrf={csrf}&name={evil}&note={evil}");
    assert_eq!(studio.post(&format!("/run/{id}/do/describe"), &form).status, 303);
    for path in [
        "/".to_owned(),
        format!("/?q={evil}"),
        format!("/run/{id}/"),
        format!("/games?run={id}&opening={evil}"),
        format!("/games?run={id}&player={evil}"),
        format!("/run/{id}/game/1.1"),
        format!("/compare?run={id}"),
        format!("/start?like={id}"),
        format!("/start?suite={evil}"),
        format!("/run/{evil}/"),
    ] {
        let page = studio.get(&path).body;
        assert!(!page.contains("<img"), "{path}\n{page}");
        assert!(!page.contains("<script>"), "{path}\n{page}");
        assert_eq!(page.matches("</script>").count(), page.matches("<script ").count(), "{path}");
    }
    let page = studio.get(&format!("/run/{id}/")).body;
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "{page}");
}

#[test]
fn suites_are_compared_by_the_positions_that_both_were_asked() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"ours\";\n";
    std::fs::write(folder.path().join("ours.epd"), mate).expect("written");
    let other = "engines:\n  other: { cmd: builtin, options: { EvalFile: classical } }\n";
    std::fs::write(folder.path().join("harness.yaml"), other).expect("written");
    for line in [
        "suite bk builtin other --nodes 500 --quiet",
        "suite bk builtin --nodes 5000 --quiet",
        "suite ours.epd builtin --nodes 500 --quiet",
    ] {
        let done = run(folder.path(), line);
        assert_eq!(done.status.code(), Some(0), "{line}\n{}", shown(&done));
    }
    let runs: serde_json::Value =
        serde_json::from_slice(&run(folder.path(), "runs --json").stdout).expect("JSON");
    let ids: Vec<&str> = (0..3).map(|at| runs[at]["run"].as_str().expect("an id")).collect();
    let studio = Studio::start(folder.path());
    let page = studio.get(&format!("/compare?run={}&run={}", ids[0], ids[1])).body;
    let table = page.split("Positions solved by some").nth(1).expect("a table");
    // Both engines of the first run, and that of the second.
    let head = table.split("</thead>").next().expect("a head");
    assert_eq!(head.matches("scope=\"col\"").count(), 3, "{head}");
    let rows = table.split("</table>").next().expect("a table").split("<tr>").skip(2);
    for row in rows {
        assert!(row.contains("solved") && row.contains("missed"), "{row}");
    }
    let page = studio.get(&format!("/compare?run={}&run={}", ids[1], ids[2])).body;
    assert!(page.contains("They have no position in common."), "{page}");
}

/// A connection takes one of the files that a process may open.
#[test]
fn connections_that_send_nothing_or_little_keep_nobody_out() {
    let (folder, _) = bench(["a", "b"]);
    let mut command = std::process::Command::new("prlimit");
    command.args(["--nofile=120", "--", env!("CARGO_BIN_EXE_harness"), "studio", "--port", "0"]);
    let studio = Studio::of({
        command.current_dir(folder.path());
        command
    });
    let mut held = Vec::new();
    for number in 0..400 {
        // Some send the beginning of a request, some of a form.
        let Ok(mut stream) = TcpStream::connect(&studio.host) else { break };
        let text = match number % 3 {
            0 => String::new(),
            1 => "GET / HTTP/1.1\r\nHost: x".to_owned(),
            _ => format!("POST /start HTTP/1.1\r\nHost: {}\r\nContent-Le", studio.host),
        };
        // It may have been closed.
        let _ = stream.write_all(text.as_bytes());
        held.push(stream);
    }
    for _ in 0..3 {
        assert_eq!(studio.get("/").status, 200);
    }
    drop(held);
    assert_eq!(studio.get("/").status, 200);
}

/// A ledger of somebody else comes with its folders.
#[test]
fn links_in_the_folder_of_a_run_are_not_followed() {
    let (folder, id) = bench(["a", "b"]);
    let run_folder = folder.path().join("reports/runs").join(&id);
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "hush").expect("written");
    let studio = Studio::start(folder.path());
    assert_eq!(studio.get(&format!("/run/{id}/games.pgn")).status, 200);
    for name in ["summary.json", "games.pgn", "run.yaml"] {
        let path = run_folder.join(name);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(&secret, &path).expect("a link");
        let answer = studio.get(&format!("/run/{id}/{name}"));
        assert_eq!(answer.status, 404, "{name}: {}", answer.body);
    }
    let resumed = run(folder.path(), &format!("resume {id}"));
    assert!(!resumed.status.success(), "{}", shown(&resumed));
    assert_eq!(std::fs::read_to_string(&secret).expect("it is there"), "hush");
}

/// Addresses are typed, kept as bookmarks and shortened.
#[test]
fn an_address_that_is_not_understood_has_a_page_with_the_others_to_go_to() {
    let (folder, id) = bench(["a", "b"]);
    let studio = Studio::start(folder.path());
    let check = format!("/run/{id}/game/1.1/check/x");
    for (path, status) in [
        ("/games?offset=-1", 400),
        ("/?offset=9999999999999999999999", 400),
        ("/started/abc", 400),
        (&check, 400),
        ("/pgn/upload", 404),
        ("/board/none/do/move", 404),
        ("/assets/x/none.js", 404),
    ] {
        let answer = studio.get(path);
        // What is asked with another method is no page either.
        let is_expected = answer.status == status || (status == 404 && answer.status == 405);
        assert!(is_expected, "{path}: {}", answer.status);
        assert!(answer.body.contains("<nav class=\"bar\""), "{path}: {}", answer.body);
        assert!(answer.body.contains("class=\"card warning\""), "{path}: {}", answer.body);
    }
}
