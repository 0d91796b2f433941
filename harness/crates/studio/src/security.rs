//! Who may look and who may change something.
//!
//! - The server listens on the loopback interface by default, and answers requests for
//!   its own names only: a page elsewhere whose name was made to lead here (DNS rebinding) is
//!   refused by its `Host`.
//! - A token in the address opens the studio; it becomes a cookie at once. There are two: with one
//!   runs are started and stopped, with the other pages are read.
//! - A request of another site is refused by its `Origin`, and a form needs the CSRF token of its
//!   page.
//! - The content security policy allows our own files alone, and nothing inline.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::connections::Standing;
use super::error::StudioError;
use super::form::Form;
use super::role::Role;
use super::secrets::same;
use super::state::App;

/// Maximum size of a form in bytes.
const MAX_FORM: usize = 256 * 1024;

/// Time for a form to arrive.
const FORM_TIMEOUT: Duration = Duration::from_secs(30);

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// The names under which a server at this address is asked for.
pub fn names(address: SocketAddr, host: Option<&str>) -> Vec<String> {
    let port = address.port();
    let own = [address.ip().to_string(), "localhost".to_owned()];
    let mut names: Vec<String> = own.iter().map(|name| format!("{name}:{port}")).collect();
    names.push(format!("[{}]:{port}", address.ip()));
    names.extend(host.map(|host| format!("{host}:{port}")));
    names
}

/// Lets a request through, or refuses it; adds the headers that every answer has.
pub async fn guard(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let mut response = match admit(&app, &request) {
        Ok(Admitted::As(role)) => {
            if let Some(standing) = request.extensions().get::<Standing>() {
                standing.admit(role);
            }
            request.extensions_mut().insert(role);
            next.run(request).await
        }
        Ok(Admitted::Redirected(response)) => response,
        Err(error) => error.into_response(),
    };
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer` a form of our own would come from nowhere.
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

enum Admitted {
    As(Role),
    /// With the cookie, to the address without the token.
    Redirected(Response),
}

fn admit(app: &App, request: &Request) -> Result<Admitted, StudioError> {
    let headers = request.headers();
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    if !app.names.iter().any(|name| name.eq_ignore_ascii_case(host)) {
        return Err(StudioError::Refused("it names another host"));
    }
    let is_ours = |origin: &str| origin.strip_prefix("http://").is_some_and(|from| from == host);
    if text(header::ORIGIN).is_some_and(|origin| !is_ours(origin)) {
        return Err(StudioError::Refused("it comes from another site"));
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    if changes && text(header::ORIGIN).is_none() {
        return Err(StudioError::Refused("it does not say where it comes from"));
    }
    let query = request.uri().query().unwrap_or_default();
    let token = query.split('&').find_map(|pair| pair.strip_prefix("token="));
    if let Some(role) = token.and_then(|token| app.secrets.role(token)) {
        if changes {
            return Err(StudioError::Refused("its token belongs into the cookie"));
        }
        return Ok(Admitted::Redirected(with_cookie(app, request, role)));
    }
    let role = cookie(headers, &app.cookie).and_then(|token| app.secrets.role(token));
    match role.ok_or(StudioError::NoToken)? {
        Role::View if changes => Err(StudioError::ReadOnly),
        role => Ok(Admitted::As(role)),
    }
}

/// The same address without its token, which becomes a cookie.
fn with_cookie(app: &App, request: &Request, role: Role) -> Response {
    let token = match role {
        Role::Control => app.secrets.control(),
        Role::View => app.secrets.view(),
    };
    let uri = request.uri();
    let query = uri.query().unwrap_or_default().split('&');
    let rest: Vec<&str> = query.filter(|pair| !pair.starts_with("token=")).collect();
    let mark = if rest.is_empty() { "" } else { "?" };
    // A path that begins with two slashes would name another host.
    let location = format!("/{}{mark}{}", uri.path().trim_start_matches('/'), rest.join("&"));
    let cookie = format!("{}={token}; Path=/; HttpOnly; SameSite=Lax", app.cookie);
    (StatusCode::SEE_OTHER, [(header::LOCATION, location), (header::SET_COOKIE, cookie)])
        .into_response()
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).into_iter();
    all.filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

impl FromRequest<Arc<App>> for Form {
    type Rejection = StudioError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Form, StudioError> {
        let body = request.into_body();
        let bytes = axum::body::to_bytes(body, MAX_FORM);
        let bytes = tokio::time::timeout(FORM_TIMEOUT, bytes).await;
        let bytes = bytes.map_err(|_| StudioError::Form("it does not arrive".to_owned()))?;
        let bytes = bytes.map_err(|_| StudioError::TooLarge { kilobytes: MAX_FORM / 1024 })?;
        let fields: Result<Vec<(String, String)>, _> = serde_urlencoded::from_bytes(&bytes);
        let sent = Form::new(fields.map_err(|error| StudioError::Form(error.to_string()))?);
        if !same(sent.get("csrf"), app.secrets.csrf()) {
            return Err(StudioError::Refused("its form is not of this studio"));
        }
        Ok(sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_has_the_names_of_its_address() {
        let names = names(([127, 0, 0, 1], 8080).into(), Some("box"));
        for name in ["127.0.0.1:8080", "localhost:8080", "box:8080"] {
            assert!(names.contains(&name.to_owned()), "{name}");
        }
    }
}
