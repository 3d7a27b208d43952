//! Servers on loopback: of names, of HTTP, with and without TLS.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use hickory_proto::op::{Message, MessageType, ResponseCode};
use hickory_proto::rr::rdata::{A, AAAA};
use hickory_proto::rr::{RData, Record, RecordType};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use palisade_net::{Egress, EgressLimits, NetError, Outside, Refusals, Resolver, Timeouts, Trust};
use palisade_policy::{Grant, Granting, NetworkRules};
use tokio::net::{TcpListener, UdpSocket};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub(crate) type Body = Full<Bytes>;

/// A server of names, which answers in turn with the lists it was told.
#[derive(Clone, Default)]
pub(crate) struct Names(
    Arc<Mutex<HashMap<String, Vec<Vec<IpAddr>>>>>,
    Arc<AtomicUsize>,
);

impl Names {
    /// The next answer for a name, and those after it; the last one stays.
    pub(crate) fn say(&self, name: &str, answers: &[&[&str]]) {
        let parsed = answers.iter().map(|answer| {
            let addresses = answer.iter().map(|address| address.parse().unwrap());
            addresses.collect()
        });
        self.0
            .lock()
            .unwrap()
            .insert(format!("{name}."), parsed.collect());
    }

    /// How often it was asked.
    pub(crate) fn asked(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }

    pub(crate) async fn serve(&self) -> SocketAddr {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let names = self.clone();
        tokio::spawn(async move {
            let mut buffer = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                let answer = names.answer(&buffer[..length]);
                let _ = socket.send_to(&answer, from).await;
            }
        });
        address
    }

    fn answer(&self, asked: &[u8]) -> Vec<u8> {
        self.1.fetch_add(1, Ordering::Relaxed);
        let asked = Message::from_vec(asked).unwrap();
        let query = asked.queries[0].clone();
        let mut answer = Message::response(asked.metadata.id, asked.metadata.op_code);
        answer.metadata.message_type = MessageType::Response;
        answer.metadata.recursion_available = true;
        let mut known = self.0.lock().unwrap();
        let of_v4 = query.query_type() == RecordType::A;
        match known.get_mut(&query.name().to_lowercase().to_string()) {
            None => answer.metadata.response_code = ResponseCode::NXDomain,
            Some(answers) => {
                let now = answers[0].clone();
                // Both kinds are asked for each time; the later one moves on.
                if !of_v4 && answers.len() > 1 {
                    answers.remove(0);
                }
                for address in now {
                    let data = match address {
                        IpAddr::V4(address) if of_v4 => RData::A(A(address)),
                        IpAddr::V6(address) if !of_v4 => RData::AAAA(AAAA(address)),
                        _ => continue,
                    };
                    let record = Record::from_rdata(query.name().clone(), 0, data);
                    answer.add_answer(record);
                }
            }
        }
        answer.add_query(query);
        answer.to_vec().unwrap()
    }
}

/// What a server has to say to a request.
pub(crate) type Says = fn(Request<Incoming>) -> Response<Body>;

/// A server of HTTP/1.1.
pub(crate) async fn plain(says: Says) -> (SocketAddr, Arc<AtomicUsize>) {
    serve(says, None).await
}

/// A server of HTTP/1.1 and HTTP/2 over TLS, for these names; and whom to trust.
pub(crate) async fn secure(says: Says, names: &[&str]) -> (SocketAddr, Arc<AtomicUsize>, Trust) {
    let (tls, trust) = identity(names);
    let (address, connections) = serve(says, Some(tls)).await;
    (address, connections, trust)
}

/// What a server of these names shows; and whom to trust.
pub(crate) fn identity(names: &[&str]) -> (TlsAcceptor, Trust) {
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    let own = rcgen::generate_simple_self_signed(names).unwrap();
    let certificate: CertificateDer<'static> = own.cert.der().clone();
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let trust = Trust::of([certificate]).unwrap();
    (TlsAcceptor::from(Arc::new(config)), trust)
}

async fn serve(says: Says, tls: Option<TlsAcceptor>) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            let tls = tls.clone();
            tokio::spawn(async move {
                let service =
                    service_fn(move |request| async move { Ok::<_, Infallible>(says(request)) });
                match tls {
                    None => {
                        let http = hyper::server::conn::http1::Builder::new();
                        let _ = http.serve_connection(TokioIo::new(stream), service).await;
                    }
                    Some(tls) => {
                        let Ok(stream) = tls.accept(stream).await else {
                            return;
                        };
                        let http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                        let _ = http.serve_connection(TokioIo::new(stream), service).await;
                    }
                }
            });
        }
    });
    (address, connections)
}

/// What a plugin with these rules may reach.
pub(crate) fn egress(rules: &str, names: SocketAddr, trust: Option<Trust>) -> Egress<Body> {
    with_limits(
        rules,
        names,
        trust,
        EgressLimits::default(),
        Timeouts::default(),
    )
}

pub(crate) fn with_limits(
    rules: &str,
    names: SocketAddr,
    trust: Option<Trust>,
    limits: EgressLimits,
    timeouts: Timeouts,
) -> Egress<Body> {
    let trust = trust.unwrap_or_else(|| {
        let own = rcgen::generate_simple_self_signed(vec!["nobody.test".to_owned()]).unwrap();
        Trust::of([own.cert.der().clone()]).unwrap()
    });
    let grant = Grant::parse(rules).unwrap();
    let rules = NetworkRules::new(&grant.network);
    let outside = Outside::new(Resolver::by(names).unwrap(), trust);
    Egress::new(
        rules,
        outside,
        Refusals::of("test", Granting::Flag),
        limits,
        timeouts,
    )
}

/// Sends a GET; the status and the body.
pub(crate) async fn get(egress: &Egress<Body>, url: &str) -> Result<(u16, String), NetError> {
    let request = Request::get(url).body(Body::default()).unwrap();
    let answer = egress.send(request, Timeouts::default()).await?;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await?.to_bytes();
    Ok((status, String::from_utf8(body.into()).unwrap()))
}

/// Says what it was asked.
pub(crate) fn echo(request: Request<Incoming>) -> Response<Body> {
    let mut said = format!("{} {}\n", request.method(), request.uri());
    for (name, value) in request.headers() {
        said.push_str(&format!("{name}: {}\n", value.to_str().unwrap_or("?")));
    }
    Response::new(Body::from(said))
}
