//! The user who runs this process.

/// Environment variables with the name of the user.
const VARIABLES: [&str; 3] = ["USER", "LOGNAME", "USERNAME"];

/// The user's name; empty where it is not known.
pub fn user_name() -> String {
    let named = VARIABLES.iter().find_map(|name| std::env::var(name).ok());
    named.filter(|name| !name.is_empty()).or_else(registered_name).unwrap_or_default()
}

/// The name of the user's number in the list of users; services and containers have no variable.
#[cfg(unix)]
fn registered_name() -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    name_of_number(&users, rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn registered_name() -> Option<String> {
    None
}

/// The name of a number in lines `name:password:number:...`.
#[cfg(unix)]
fn name_of_number(users: &str, number: u32) -> Option<String> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(number)).then(|| name.to_owned())
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_their_numbers() {
        let users = "root:x:0:0:root:/root:/bin/sh\n\nann:x:1000:1000::/home/ann:/bin/sh\nx:y\n";
        assert_eq!(name_of_number(users, 1000).as_deref(), Some("ann"));
        assert_eq!(name_of_number(users, 0).as_deref(), Some("root"));
        assert_eq!(name_of_number(users, 5), None);
    }
}
