//! A proxy for HTTP, which knows one server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use super::web::join;

/// Passes everything on to one server, whatever it is asked for, and remembers
/// that.
pub struct Proxy {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// One in front of the server at this port.
    ///
    /// # Panics
    ///
    /// If there is no port for it.
    #[must_use]
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let own = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = Arc::clone(&own);
                thread::spawn(move || pass(stream, port, &own));
            }
        });
        Self { address, asked }
    }

    /// Its address, as `HTTPS_PROXY` wants it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://ada:secret@{}", self.address)
    }

    /// Heads of the requests it got.
    ///
    /// # Panics
    ///
    /// If it broke off.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn pass(stream: TcpStream, port: u16, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    asked.lock().unwrap().push(head.clone());
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)) else {
        return;
    };
    if head.starts_with("CONNECT ") {
        let mut stream = &stream;
        if stream
            .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            .is_err()
        {
            return;
        }
    } else if server.write_all(head.as_bytes()).is_err() {
        return;
    }
    join(stream, server);
}
