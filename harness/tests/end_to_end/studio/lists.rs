//! Lists and comparisons in a browser: colours of curves, the choice of runs, sorting, columns, narrow windows.

use serde_json::json;

use super::browser::{Window, driver};
use super::server::Studio;
use crate::common::{self, MOCK, json, shown};

/// A folder with these runs; gives their ids, the oldest first.
fn bench(lines: &[&str]) -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().expect("temporary folder");
    for line in lines {
        let done = common::run(folder.path(), line);
        assert!(matches!(done.status.code(), Some(0 | 1 | 3)), "{line}\n{}", shown(&done));
    }
    let runs = json(&common::run(folder.path(), "runs --json"));
    let runs = runs.as_array().expect("a list");
    let ids = runs.iter().map(|run| run["run"].as_str().expect("an id").to_owned()).collect();
    (folder, ids)
}

/// The colours of the curves of the first chart, and the heights of the samples of its legend.
const CURVES: &str = "const figure = document.querySelector('figure.chart');
    const colour = (line) => getComputedStyle(line).stroke;
    const wide = [...figure.querySelectorAll('svg:not(.series)')].find((svg) => svg.getClientRects().length);
    const curves = [...wide.querySelectorAll('[stroke^=\"#0\" i]')].map(colour);
    const legend = [...figure.querySelectorAll('svg.series')].map((svg) => svg.getBoundingClientRect().height);
    return { curves, legend, ink: getComputedStyle(document.body).backgroundColor }";

#[test]
fn compared_curves_have_colours_of_their_own_in_light_and_dark() {
    let Some(driver) = driver() else { return };
    let line = "match builtin builtin --limit builtin:nodes=80 --nodes 60 --games 24 --quiet";
    let (folder, ids) = bench(&[
        line,
        "match builtin builtin --nodes 60 --games 24 --quiet",
        "suite bk --nodes 300 --quiet",
    ]);
    let studio = Studio::start(folder.path());
    for dark in [false, true] {
        let window = driver.window(dark);
        window.resize(1280, 900);
        window.open(&studio.url(&format!("/compare?run={}&run={}", ids[0], ids[1]), 0));
        window.until("document.querySelector('figure.chart svg.series')");
        let found = window.value(CURVES);
        let curves: Vec<&str> = found["curves"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one.as_str())
            .collect();
        let mut colours = curves.clone();
        colours.sort_unstable();
        colours.dedup();
        assert!(colours.len() >= 2, "dark {dark}: {found}");
        assert!(!colours.contains(&"rgb(11, 11, 11)"), "dark {dark}: {found}");
        for height in found["legend"].as_array().expect("a list") {
            assert!(height.as_f64().is_some_and(|height| height <= 20.0), "dark {dark}: {found}");
        }
        // Both are "builtin vs builtin#2": ids tell their curves apart.
        let legends = window.value(
            "return [...document.querySelectorAll('.chart figcaption')].map((it) => it.textContent).join()",
        );
        let legends = legends.as_str().expect("a text");
        for id in &ids[..2] {
            assert!(legends.contains(id.as_str()), "dark {dark}: {id} is not in {legends}");
        }
        window.close();
    }
    // Runs of different kinds have no settings to compare; a run is found by a search.
    let window = driver.window(false);
    window.open(&studio.url(&format!("/compare?run={}&run={}", ids[0], ids[2]), 0));
    window.until("document.body.textContent.includes('compared between runs of one kind')");
    assert_eq!(
        window.value("return document.querySelectorAll('table.compare code').length"),
        json!(2)
    );
    window.fill("#search", "suite bk");
    window.until("location.search.includes('q=suite')");
    let offered = "document.querySelectorAll('.offer input').length";
    window.until(&format!("{offered} === 2"));
    // What was chosen stays chosen, and a tick compares at once.
    window.fill("#search", "");
    window.until(&format!("{offered} === 3"));
    window.click(&format!(".offer [value='{}']", ids[1]));
    window.until("document.body.textContent.includes('Settings that differ: match')");
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

/// Clicks in one step: the list may be replaced by a newer one between two.
fn press(window: &Window, selector: &str) {
    window.until(&format!(
        "document.readyState === 'complete' && document.querySelector('{selector}')"
    ));
    window.value(&format!("document.querySelector('{selector}').click()"));
}

#[test]
fn runs_and_games_are_sorted_and_columns_are_chosen() {
    let Some(driver) = driver() else { return };
    let (folder, ids) = bench(&[
        "match builtin builtin --limit builtin:nodes=400 --nodes 40 --games 8 --quiet",
        "suite bk --nodes 300 --quiet",
        "match builtin builtin --nodes 60 --games 12 --quiet",
    ]);
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1440, 900);
    window.open(&studio.url("/", 0));
    let first = "document.querySelector('table.runs tbody a').getAttribute('href')";
    window.until(&format!("{first} === '/run/{}/'", ids[2]));
    for (head, path, run) in [
        ("#sort-command", "sort=command", 2),
        ("#sort-games", "sort=-games", 1),
        ("#sort-started", "sort=-started", 2),
        ("#sort-started", "sort=started", 0),
    ] {
        press(&window, head);
        window.until(&format!("location.search.includes('{path}')"));
        window.until(&format!("{first} === '/run/{}/'", ids[run]));
    }
    window.until("document.querySelector('#sort-started').closest('[aria-sort=ascending]')");
    // Runs that are sorted by command stand in groups.
    press(&window, "#sort-command");
    let groups = "[...document.querySelectorAll('table.runs tr.group')].map((row) => row.textContent).join()";
    window.until(&format!("{groups} === 'match,suite'"));
    // A column that is not wanted stays away.
    window.value("document.getElementById('columns-runs').open = true");
    window.value("document.querySelectorAll('#columns-runs input')[4].click()");
    let commands = "[...document.querySelectorAll('table.runs [data-column=command]')].every((cell) => cell.hidden)";
    window.until(commands);
    press(&window, "#sort-name");
    window.until("location.search.includes('sort=name')");
    window.until(commands);
    // The games of all runs say which run they are of.
    window.open(&format!("http://{}/games", studio.host));
    window.until("document.querySelectorAll('table.games tbody tr').length === 20");
    window.until("document.querySelector(\"table.games td a[href^='/run/'][title]\")");
    for (head, path) in
        [("White", "white"), ("Result", "result"), ("Opening", "opening"), ("Ending", "ending")]
    {
        press(&window, &format!("#sort-{head}"));
        window.until(&format!("location.search.includes('sort={path}')"));
        window.until(&format!(
            "document.querySelector('#sort-{head}').closest('[aria-sort=ascending]')"
        ));
    }
    // The newest run comes first, then the oldest; the games of each stay in their order.
    let first = "document.querySelector('table.games tbody a').getAttribute('href')";
    for (path, run) in [("sort=-run", 2), ("sort=run", 0)] {
        press(&window, "#sort-Run");
        window.until(&format!("location.search.includes('{path}')"));
        window.until(&format!("{first}.startsWith('/run/{}/game/')", ids[run]));
    }
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

#[test]
fn a_page_of_a_run_follows_the_name_that_another_page_gives_it() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let done = common::run(folder.path(), "match builtin builtin --games 2 --nodes 60 --quiet");
    assert_eq!(done.status.code(), Some(0));
    let runs = json(&common::run(folder.path(), "runs --json"));
    let path = format!("/run/{}/", runs[0]["run"].as_str().expect("an id"));
    let studio = Studio::start(folder.path());
    let [first, second] = [driver.window(false), driver.window(false)];
    for (window, address) in [(&first, &path), (&second, &path)] {
        window.open(&studio.url(address, 0));
        window.until("document.querySelector('#connection.live')");
    }
    second.click("#describe summary");
    second.fill("#run-name", "Eins");
    second.click("#describe button");
    for window in [&first, &second] {
        window.until("document.querySelector('#head').textContent.includes('Eins')");
        window.until("document.getElementById('run-name').value === 'Eins'");
    }
    // A page that is opened at once has the new name and keeps it.
    first.open(&format!("http://{}{path}", studio.host));
    first.until("document.querySelector('#connection.live')");
    assert_eq!(first.value("return document.getElementById('run-name').value"), "Eins");
    first.close();
    second.close();
}

/// Whether no two of the elements of a selector lie on each other.
fn apart(window: &Window, selector: &str) -> bool {
    let script = format!(
        "const boxes = [...document.querySelectorAll({})].map((one) => one.getBoundingClientRect());
         return boxes.every((a, i) => boxes.every((b, j) => i <= j || a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1))",
        json!(selector)
    );
    window.value(&script) == json!(true)
}

#[test]
fn at_every_width_buttons_lie_beside_their_inputs_and_runs_show_state_and_result() {
    let Some(driver) = driver() else { return };
    let (folder, _) = bench(&["match builtin builtin --nodes 60 --games 4 --quiet"]);
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.open(&studio.url("/pgn", 0));
    for width in [500, 560, 768, 900, 1100, 1440] {
        window.resize(width, 900);
        window.open(&format!("http://{}/pgn", studio.host));
        assert!(apart(&window, "main form input:not([type=hidden]), main form button"), "{width}");
        window.open(&format!("http://{}/", studio.host));
        window.until("document.querySelector('table.runs .status')");
        let seen = "const right = document.querySelector('table.runs').parentElement.getBoundingClientRect().right;
            const cells = [...document.querySelectorAll('table.runs tbody td')].slice(2, 4);
            return cells.every((cell) => cell.getBoundingClientRect().right <= right + 1 && cell.textContent.trim())";
        assert_eq!(window.value(seen), json!(true), "{width}");
        // No column is out of sight, where its lines would make the rows high.
        let wide = "const table = document.querySelector('table.runs');
            return table.offsetWidth - table.parentElement.clientWidth";
        assert!(window.value(wide).as_f64().expect("a number") <= 0.0, "{width}");
        // So do games, of whatever run they are.
        window.open(&format!("http://{}/games", studio.host));
        window.until("document.querySelectorAll('table.games tbody tr').length === 4");
        let seen = "const right = document.querySelector('table.games').parentElement.getBoundingClientRect().right;
            const rows = [...document.querySelectorAll('table.games tbody tr')];
            return rows.every((row) => row.cells[4].getBoundingClientRect().right <= right + 1 && row.querySelector(\"a[href$='-match/']\"))";
        assert_eq!(window.value(seen), json!(true), "{width}");
    }
    window.close();
}

/// Names without a space, of the greatest length that a page takes.
#[test]
fn long_names_make_no_page_wider_than_its_window() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let [first, second] = ["Ä", "W"].map(|letter| letter.repeat(100));
    let engine = |name: &str| format!("  {name}: {{ cmd: {MOCK}, args: [--seed, \"1\"] }}\n");
    let config = format!("engines:\n{}{}", engine(&first), engine(&second));
    std::fs::write(folder.path().join("harness.yaml"), config).expect("written");
    for line in [
        format!("match {first} {second} --depth 1 --games 6 --max-moves 8 --quiet --no-probe"),
        format!(
            "match {first} {second} builtin --depth 1 --games 2 --max-moves 8 --quiet --no-probe"
        ),
        format!("suite bk {first} {second} --depth 1 --quiet --no-probe"),
        format!("suite bk {second} --depth 1 --quiet --no-probe"),
    ] {
        let done = common::run(folder.path(), &line);
        assert!(matches!(done.status.code(), Some(0 | 1 | 3)), "{line}\n{}", shown(&done));
    }
    let runs = json(&common::run(folder.path(), "runs --json"));
    let runs = runs.as_array().expect("a list");
    let ids: Vec<&str> = runs.iter().map(|run| run["run"].as_str().expect("an id")).collect();
    let studio = Studio::start(folder.path());
    let csrf = studio.csrf();
    let [name, note] = ["M".repeat(200), "N".repeat(1000)];
    for id in &ids {
        let form = format!("csrf={csrf}&name={name}&note={note}");
        assert_eq!(studio.post(&format!("/run/{id}/do/describe"), &form).status, 303);
    }
    let mut pages: Vec<String> = ids.iter().map(|id| format!("/run/{id}/")).collect();
    pages.extend(["/", "/games", "/compare", "/history", "/boards"].map(str::to_owned));
    pages.push(format!("/games?run={}", ids[0]));
    pages.push(format!("/run/{}/game/1.1", ids[0]));
    pages.push(format!("/compare?run={}&run={}", ids[0], ids[1]));
    pages.push(format!("/compare?run={}&run={}", ids[2], ids[3]));
    pages.push(format!("/start?like={}", ids[0]));
    for width in [1280, 500] {
        let window = driver.window(false);
        window.resize(width, 900);
        window.open(&studio.url("/", 0));
        for page in &pages {
            window.open(&format!("http://{}{page}", studio.host));
            window.until("document.readyState === 'complete'");
            let wide = "return document.documentElement.scrollWidth - innerWidth";
            let wide = window.value(wide).as_f64().expect("a number");
            assert!(wide <= 0.0, "{page} is {wide} pixels wider than {width}");
        }
        window.close();
    }
}

#[test]
fn a_part_of_a_chart_is_shown_by_dragging_by_keys_and_after_its_chart_is_replaced() {
    let Some(driver) = driver() else { return };
    let (folder, ids) =
        bench(&["match builtin builtin --limit builtin:nodes=80 --nodes 60 --games 40 --quiet"]);
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1280, 900);
    window.open(&studio.url(&format!("/run/{}/", ids[0]), 0));
    let chart = "[...document.querySelectorAll('figure:has(svg[data-curve])')].flatMap((figure) => [...figure.querySelectorAll('svg')]).find((svg) => svg.getClientRects().length)";
    let ends = format!("{chart}.dataset.curve.split(';')[1].split(',').slice(0, 2).map(Number)");
    window.until(&format!("{chart} && document.querySelector('figure[tabindex]')"));
    let all = window.value(&format!("return {ends}"));
    let figure = "document.querySelector('figure:has(svg[data-curve])')";
    window.value(&format!("window.sent = {figure}.outerHTML"));
    // The middle half.
    window.drag_over("figure svg.wide", 0.25, 0.75);
    let button = "document.querySelector('.whole-chart')";
    window.until(button);
    let part = window.value(&format!("return {ends}"));
    let length = |ends: &serde_json::Value| {
        ends[1].as_f64().expect("a number") - ends[0].as_f64().expect("a number")
    };
    assert!(length(&part) < 0.7 * length(&all) && length(&part) > 0.3 * length(&all), "{part}");
    // The axes have labels of the part, and no text is cut off.
    let labels = window.value(&format!("return {chart}.querySelectorAll('text').length"));
    assert!(labels.as_u64() >= Some(4), "{labels}");
    // A result that is sent again keeps the part.
    window.value(&format!("{figure}.outerHTML = window.sent"));
    assert_eq!(window.value(&format!("return Boolean({button})")), json!(false));
    window.value("document.dispatchEvent(new CustomEvent('tench:replaced'))");
    window.until(button);
    // By keys: nearer, and all again.
    window.value("document.querySelector('figure:has(svg[data-curve])').focus()");
    window.keys("figure:focus", "+");
    window.until(&format!("{ends}[1] - {ends}[0] < {}", 0.6 * length(&part)));
    window.keys("figure:focus", "0");
    window.until(&format!("!{button}"));
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}
