//! Parts that pages share, rendered from plain data, without the state of the studio.

pub mod about;
pub mod progress;
pub mod run;

use maud::{Markup, Render, html};

use harness_ledger::Status;

/// The state of a run, of which one that has ended may have failed.
pub fn status(status: Status, failed: bool) -> Markup {
    let word = if failed { "failed".to_owned() } else { status.to_string() };
    html! { span class={ "status " (word) } { (word) } }
}

/// A note, in which a word that begins with `#` is a tag: a link to the runs that have it.
pub fn note(text: &str) -> Markup {
    html! {
        @for word in text.split_inclusive(char::is_whitespace) {
            @let length = tag_length(word);
            @if length > 1 {
                a href={ "/?q=" (escaped(&word[..length])) } { (&word[..length]) } (&word[length..])
            } @else { (word) }
        }
    }
}

/// Bytes of the tag with which a word begins; 0 if it is none, 1 of a `#` alone.
fn tag_length(word: &str) -> usize {
    let Some(name) = word.strip_prefix('#') else { return 0 };
    let is_of_tag = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let end = name.find(|letter| !is_of_tag(letter)).unwrap_or(name.len());
    // A full stop ends a sentence.
    1 + name[..end].trim_end_matches('.').len()
}

/// A date and a time for people: `2026-11-21 14:30`.
pub fn time(rfc3339: &str) -> Markup {
    let text = rfc3339.replace('T', " ");
    html! { time datetime=(rfc3339) title={ (text.trim_end_matches('Z')) " UTC" } { (text.get(..16).unwrap_or(&text)) } }
}

/// A path of a run.
pub fn run_path(id: &str) -> String {
    format!("/run/{id}/")
}

/// The address of the part of a list that begins at `offset`, with the fields of its query that are set.
pub fn part_path(path: &str, fields: &[(&str, &str)], offset: u64) -> String {
    let fields = fields.iter().filter(|(_, value)| !value.is_empty());
    let fields: String =
        fields.map(|(name, value)| format!("{name}={}&", escaped(value))).collect();
    format!("{path}?{fields}offset={offset}")
}

/// A part of a query, with what is special in addresses written as numbers.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                escaped.push(char::from(byte));
            }
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// Links to the parts of a list: `link` gives the address of the part that begins at an offset.
pub fn parts(total: u64, offset: u64, limit: u64, link: impl Fn(u64) -> String) -> Markup {
    let last = total.saturating_sub(1) / limit.max(1) * limit;
    let shown = offset + 1..=(offset + limit).min(total);
    html! {
        nav.pages aria-label="Parts of the list" {
            @if total > limit {
                @if offset > 0 {
                    a #part-first href=(link(0)) { "First" }
                    a #part-previous rel="prev" href=(link(offset.saturating_sub(limit))) { "Previous" }
                }
                span { (harness_base::text::grouped(*shown.start())) "–" (harness_base::text::grouped(*shown.end())) " of " (harness_base::text::grouped(total)) }
                @if offset + limit < total {
                    a #part-next rel="next" href=(link(offset + limit)) { "Next" }
                    a #part-last href=(link(last)) { "Last" }
                }
            } @else {
                span { (harness_base::text::grouped(total)) " in all" }
            }
        }
    }
}

/// A choice in a filter form: values with their words.
pub fn choice<'a, Words: Render>(
    label: &str,
    name: &str,
    chosen: &str,
    values: impl IntoIterator<Item = (&'a str, Words)>,
) -> Markup {
    html! {
        label { (label)
            select id={ "choose-" (name) } name=(name) {
                option value="" selected[chosen.is_empty()] { "all" }
                @for (value, words) in values {
                    option value=(value) selected[value == chosen] { (words) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_note_that_begin_with_a_hash_are_links() {
        for (text, markup) in [
            ("nightly", "nightly"),
            ("a #nets, b", "a <a href=\"/?q=%23nets\">#nets</a>, b"),
            ("#größe_2.\n# 1", "<a href=\"/?q=%23gr%C3%B6%C3%9Fe_2\">#größe_2</a>.\n# 1"),
            ("#<b>", "#&lt;b&gt;"),
        ] {
            assert_eq!(note(text).into_string(), markup);
        }
    }

    #[test]
    fn what_is_special_in_an_address_is_escaped() {
        assert_eq!(escaped("a b&c=ü?"), "a%20b%26c%3D%C3%BC%3F");
    }
}
