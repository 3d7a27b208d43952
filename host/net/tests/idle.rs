//! Connections that are kept, and servers that go on talking.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "the other tests ask more of it")]
mod stage;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use palisade_net::Egress;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use stage::{Body, Names, egress, get, identity};

type Reader = ReadHalf<TlsStream<TcpStream>>;
type Writer = WriteHalf<TlsStream<TcpStream>>;

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

const SETTINGS: u8 = 4;
const ACKNOWLEDGED: u8 = 1;

/// Reads frames up to the head of a request, and says whose it is.
async fn request(reader: &mut Reader) -> Option<u32> {
    loop {
        let mut head = [0; 9];
        reader.read_exact(&mut head).await.ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        reader.read_exact(&mut payload).await.ok()?;
        if head[3] == 1 {
            return Some(u32::from_be_bytes([head[5], head[6], head[7], head[8]]));
        }
    }
}

/// 200 and nothing else, with an end or without one.
fn answer(stream: u32, ends: bool) -> Vec<u8> {
    frame(1, if ends { 5 } else { 4 }, stream, &[0x88])
}

fn ping() -> Vec<u8> {
    frame(6, 0, 0, b"are you?")
}

/// A server that does one thing with each connection. Between requests it may
/// say something unasked, as often as is told; the sizes of what it could not get
/// rid of, since the connection was closed, are told back.
struct Server {
    egress: Egress<Body>,
    url: String,
    connections: Arc<AtomicUsize>,
    /// How much of this to send.
    say: mpsc::UnboundedSender<(Vec<u8>, usize)>,
    said: mpsc::UnboundedReceiver<bool>,
}

impl Server {
    async fn new(before_the_end: Vec<u8>) -> Self {
        let names = Names::default();
        names.say("api.test", &[&["127.0.0.1"]]);
        let (tls, trust) = identity(&["api.test"]);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("https://api.test:{port}");
        let rules = format!("[[network]]\nto = \"{url}\"\nprivate = true");
        let egress = egress(&rules, names.serve().await, Some(trust));
        let connections = Arc::new(AtomicUsize::new(0));
        let (say, mut to_say) = mpsc::unbounded_channel();
        let (done, said) = mpsc::unbounded_channel();
        let counted = Arc::clone(&connections);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let stream = tls.accept(stream).await.unwrap();
                let (reader, writer) = tokio::io::split(stream);
                let end = before_the_end.clone();
                connection(reader, writer, &end, &mut to_say, &done).await;
            }
        });
        Self {
            egress,
            url,
            connections,
            say,
            said,
        }
    }

    async fn get(&self) {
        let got = timeout(Duration::from_secs(20), get(&self.egress, &self.url)).await;
        assert_eq!(got.unwrap().unwrap(), (200, String::new()));
    }

    /// Sends something so many times; whether all of it was taken.
    async fn sends(&mut self, what: Vec<u8>, times: usize) -> bool {
        self.say.send((what, times)).unwrap();
        // Else it is neither taken nor refused.
        let said = timeout(Duration::from_secs(10), self.said.recv()).await;
        said.unwrap().unwrap()
    }
}

async fn connection(
    mut reader: Reader,
    mut writer: Writer,
    before_the_end: &[u8],
    to_say: &mut mpsc::UnboundedReceiver<(Vec<u8>, usize)>,
    done: &mpsc::UnboundedSender<bool>,
) {
    let mut preface = [0; 24];
    reader.read_exact(&mut preface).await.unwrap();
    let settings = [
        frame(SETTINGS, 0, 0, &[]),
        frame(SETTINGS, ACKNOWLEDGED, 0, &[]),
    ];
    writer.write_all(&settings.concat()).await.unwrap();
    writer.flush().await.unwrap();
    // Whatever the client says is read all the while.
    let (found, mut requests) = mpsc::unbounded_channel();
    let reading = tokio::spawn(async move {
        while let Some(stream) = request(&mut reader).await {
            let _ = found.send(stream);
        }
    });
    loop {
        tokio::select! {
            stream = requests.recv() => {
                let Some(stream) = stream else { break };
                let parts = match before_the_end {
                    [] => vec![answer(stream, true)],
                    more => vec![answer(stream, false), more.to_vec(), frame(0, 1, stream, &[])],
                };
                for part in parts {
                    writer.write_all(&part).await.unwrap();
                    writer.flush().await.unwrap();
                }
            }
            Some((what, times)) = to_say.recv() => {
                let mut taken = true;
                for _ in 0..times {
                    let written = writer.write_all(&what).await;
                    taken = written.is_ok() && writer.flush().await.is_ok();
                    if !taken {
                        break;
                    }
                }
                let _ = done.send(taken);
                if !taken {
                    break;
                }
            }
        }
    }
    reading.abort();
}

/// Without end, as far as anybody can tell.
const FLOOD: usize = 1 << 20;

#[tokio::test]
async fn a_server_that_floods_a_kept_connection_is_not_listened_to() {
    for what in [
        ping(),
        frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 9]),
        // Each adds to what may be sent.
        frame(8, 0, 0, &[0, 0, 0, 1]),
        // Of a kind that nobody knows.
        frame(99, 0, 0, &[0; 100]),
    ] {
        let mut server = Server::new(Vec::new()).await;
        server.get().await;
        let many = what.repeat(100);
        assert!(!server.sends(many, FLOOD).await, "{what:?}");
        // The next request has a connection of its own.
        server.get().await;
        assert_eq!(server.connections.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn a_few_words_are_nothing() {
    let mut server = Server::new(Vec::new()).await;
    for _ in 0..5 {
        server.get().await;
        assert!(server.sends(ping(), 100).await);
    }
    server.get().await;
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

/// It is the call's time, which is limited.
#[tokio::test]
async fn while_a_request_is_under_way_it_may_take_more() {
    let server = Server::new(ping().repeat(5_000)).await;
    for _ in 0..3 {
        server.get().await;
    }
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}
