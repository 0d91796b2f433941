//! A wire between a program and the server that can be cut (nothing passes, nothing is closed) and slow.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often it is looked whether the wire is cut.
const LOOK: Duration = Duration::from_millis(50);

/// Forwards connections to a port of this machine, in threads that end with the process.
pub struct Wire {
    /// Where it listens.
    pub port: u16,
    /// Nothing passes while it is set.
    pub cut: Arc<AtomicBool>,
}

impl Wire {
    pub fn to(port: u16) -> Wire {
        Wire::slow(port, Duration::ZERO)
    }

    /// With a delay in each direction. Bytes that come meanwhile wait for the next turn, as behind a
    /// link with a small window.
    pub fn slow(port: u16, delay: Duration) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let own = listener.local_addr().expect("an address").port();
        let cut = Arc::new(AtomicBool::new(false));
        let is_cut = Arc::clone(&cut);
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                while is_cut.load(Ordering::Relaxed) {
                    thread::sleep(LOOK);
                }
                // Without a server the connection is closed.
                let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let clone = |stream: &TcpStream| stream.try_clone().expect("another handle");
                for (from, to) in [(clone(&near), clone(&far)), (far, near)] {
                    let is_cut = Arc::clone(&is_cut);
                    thread::spawn(move || forward(from, to, &is_cut, delay));
                }
            }
        });
        Wire { port: own, cut }
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool, delay: Duration) {
    from.set_read_timeout(Some(LOOK)).expect("a time");
    let mut bytes = [0; 16 << 10];
    loop {
        if is_cut.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
            continue;
        }
        match from.read(&mut bytes) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Ok(length) if length > 0 => {
                thread::sleep(delay);
                if to.write_all(&bytes[..length]).is_err() {
                    break;
                }
            }
            _ => break,
        }
    }
    // The other direction notices.
    let _ = to.shutdown(std::net::Shutdown::Both);
    let _ = from.shutdown(std::net::Shutdown::Both);
}
