//! Places of keys in a YAML text.

/// The key of the value at a place.
pub(super) fn key_at(text: &str, line: u64, column: u64) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let number = (line as usize).checked_sub(1)?;
    let here = lines.get(number)?;
    let before: String = here.chars().take((column as usize).saturating_sub(1)).collect();
    // At a key itself.
    let rest: String = here.chars().skip((column as usize).saturating_sub(1)).collect();
    if let Some((name, _)) = rest.split_once(':')
        && is_key(name)
    {
        return Some(unquoted(name));
    }
    // Behind a key of the same line.
    if let Some((name, _)) = before.trim_end().rsplit_once(':') {
        let name = name.rsplit(['{', ',', '[']).next().unwrap_or(name);
        let name = name.trim().trim_start_matches("- ");
        if is_key(name) {
            return Some(unquoted(name));
        }
    }
    // Below a key that is indented less, or as much where a list stands below it.
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(here);
    let is_item = here.trim_start().starts_with('-');
    let above = lines[..number].iter().rev();
    let parent = above.into_iter().find(|line| {
        let less = indent(line) < own || (is_item && indent(line) == own);
        less && !line.trim().is_empty() && !line.trim_start().starts_with(['#', '-'])
    });
    let (name, _) = parent?.split_once(':')?;
    is_key(name).then(|| unquoted(name))
}

/// First place of a key.
pub(super) fn place_of_key(text: &str, key: &str) -> Option<(u64, u64)> {
    let in_line = |line: &str| {
        line.match_indices(key).map(|(at, _)| at).find(|&at| {
            let before = line[..at].trim_end_matches(['"', '\'']).trim_end();
            let behind = line[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
            behind.starts_with(':') && (before.is_empty() || before.ends_with(['{', ',', '-']))
        })
    };
    text.lines().enumerate().find_map(|(number, line)| {
        let column = line[..in_line(line)?].chars().count();
        Some((number as u64 + 1, column as u64 + 1))
    })
}

fn is_key(name: &str) -> bool {
    let name = unquoted(name);
    !name.is_empty() && !name.contains([' ', '{', '}', '[', ']', ',', '"', '#'])
}

fn unquoted(name: &str) -> String {
    name.trim().trim_matches(['"', '\'']).to_owned()
}
