//! Servers of HTTP, down to the bytes.

use std::convert::Infallible;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A connection.
pub trait Pipe: Read + Write + Send {}

impl<T: Read + Write + Send> Pipe for T {}

/// What came with a request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Its first line and its headers, as they came.
    pub head: String,
    /// Its body, as far as a length was given.
    pub body: Vec<u8>,
}

/// A server.
pub struct Web {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// Answers a request; whether the connection goes on.
type Answer = dyn Fn(&Asked, &mut dyn Pipe) -> bool + Send + Sync;

/// An answer with a body, after which more may be asked.
///
/// # Panics
///
/// If nobody takes it.
pub fn ok(pipe: &mut dyn Pipe, body: &str) -> bool {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
    let written = pipe.write_all(head.as_bytes());
    written
        .and_then(|()| pipe.write_all(body.as_bytes()))
        .is_ok()
}

impl Web {
    /// HTTP/1.1 without TLS.
    pub fn plain(answer: impl Fn(&Asked, &mut dyn Pipe) -> bool + Send + Sync + 'static) -> Self {
        Self::serve(None, Arc::new(answer))
    }

    /// The same with TLS.
    pub fn secure(
        tls: Arc<ServerConfig>,
        answer: impl Fn(&Asked, &mut dyn Pipe) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::serve(Some(tls), Arc::new(answer))
    }

    /// HTTP/2 over TLS, which answers with what it was asked.
    ///
    /// # Panics
    ///
    /// If there is no port for it.
    #[must_use]
    pub fn http2(tls: Arc<ServerConfig>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let this = Self::of(&listener);
        let (connections, asked) = (Arc::clone(&this.connections), Arc::clone(&this.asked));
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async move {
                listener.set_nonblocking(true).unwrap();
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let acceptor = TlsAcceptor::from(tls);
                while let Ok((stream, _)) = listener.accept().await {
                    connections.fetch_add(1, Ordering::SeqCst);
                    let (acceptor, asked) = (acceptor.clone(), Arc::clone(&asked));
                    tokio::spawn(async move {
                        let Ok(stream) = acceptor.accept(stream).await else {
                            return;
                        };
                        let service = service_fn(move |request: hyper::Request<_>| {
                            let _: &hyper::body::Incoming = request.body();
                            let mut head = format!("{} {}\n", request.method(), request.uri());
                            for (name, value) in request.headers() {
                                head.push_str(&format!("{name}: {}\n", value.to_str().unwrap()));
                            }
                            asked.lock().unwrap().push(Asked {
                                head: head.clone(),
                                body: Vec::new(),
                            });
                            async move {
                                let body = Full::new(hyper::body::Bytes::from(head));
                                Ok::<_, Infallible>(hyper::Response::new(body))
                            }
                        });
                        let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                        let _ = http.serve_connection(TokioIo::new(stream), service).await;
                    });
                }
            });
        });
        this
    }

    fn of(listener: &TcpListener) -> Self {
        Self {
            address: listener.local_addr().unwrap(),
            connections: Arc::default(),
            asked: Arc::default(),
        }
    }

    fn serve(tls: Option<Arc<ServerConfig>>, answer: Arc<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let this = Self::of(&listener);
        let (connections, asked) = (Arc::clone(&this.connections), Arc::clone(&this.asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                connections.fetch_add(1, Ordering::SeqCst);
                let (tls, answer, asked) = (tls.clone(), Arc::clone(&answer), Arc::clone(&asked));
                thread::spawn(move || match tls {
                    None => connection(stream, &asked, &*answer),
                    Some(tls) => {
                        let session = ServerConnection::new(tls).unwrap();
                        connection(StreamOwned::new(session, stream), &asked, &*answer);
                    }
                });
            }
        });
        this
    }

    /// Where it is.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// How many connections were made to it.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// What it was asked.
    ///
    /// # Panics
    ///
    /// If it broke off.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn connection(pipe: impl Pipe, asked: &Mutex<Vec<Asked>>, answer: &Answer) {
    let mut reader = BufReader::new(pipe);
    while let Some(one) = read(&mut reader) {
        asked.lock().unwrap().push(one.clone());
        if !answer(&one, reader.get_mut()) {
            return;
        }
    }
}

/// A request; none at the end.
fn read(reader: &mut BufReader<impl Pipe>) -> Option<Asked> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        match reader.read_line(&mut line) {
            Ok(0) | Err(_) => return None,
            Ok(_) if line == "\r\n" => break,
            Ok(_) => head.push_str(&line),
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        (name.eq_ignore_ascii_case("content-length")).then(|| value.parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { head, body })
}

/// Copies both ways until one end is closed.
pub(super) fn join(one: TcpStream, other: TcpStream) {
    let (mut from, mut to) = (one.try_clone().unwrap(), other.try_clone().unwrap());
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(std::net::Shutdown::Write);
    });
    let (mut from, mut to) = (other, one);
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(std::net::Shutdown::Write);
}
