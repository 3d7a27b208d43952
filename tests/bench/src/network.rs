//! What the network costs through the host: GETs of a guest on loopback, beside
//! the same GETs of a native client in this process; and what a check of rules
//! costs.

use std::convert::Infallible;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::body::Bytes;
use hyper::service::service_fn;
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use palisade_policy::{AllowFlag, NetworkRules, Scheme, Target};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::Args;
use crate::plan::Plan;
use crate::stats::{median, percentile};

/// Requests under way at a time.
const AT_ONCE: usize = 32;

/// Rules that a request is held against.
const RULES: usize = 200;

/// The bytes of an answer.
const BODY: &str = "An answer of a hundred bytes, or nearly so, which is about what an API says \
                    when it has nothing to say.";

/// What was found, as medians of all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Network {
    native_p50_us: f64,
    palisade_p50_us: f64,
    native_rate: f64,
    palisade_rate: f64,
    check_us: f64,
}

impl Network {
    /// Measures both sides in turn.
    pub(crate) fn measure(args: &Args, plan: &Plan) -> anyhow::Result<Self> {
        let server = serve()?;
        let url = format!("http://{server}/");
        let mut guest = Guest::start(args, &url)?;
        let native = Native::new(&url)?;
        let count = plan.gets();
        guest.times(&url, count / 10 + 1)?;
        native.times(count / 10 + 1)?;
        let mut rounds: [Vec<f64>; 4] = Default::default();
        for _ in 0..plan.rounds {
            let round = [
                middle(native.times(count)?)?,
                middle(guest.times(&url, count)?)?,
                rate(count, native.at_once(count)?),
                rate(count, guest.at_once(&url, count)?),
            ];
            for (all, one) in rounds.iter_mut().zip(round) {
                all.push(one);
            }
        }
        let found = rounds.map(|values| median(values).unwrap_or(0.0));
        let [native_p50_us, palisade_p50_us, native_rate, palisade_rate] = found;
        Ok(Self {
            native_p50_us,
            palisade_p50_us,
            native_rate,
            palisade_rate,
            check_us: check()?,
        })
    }

    /// What was found, and whether it reaches the goals, in lines.
    pub(crate) fn text(&self) -> String {
        let marks = self.goals();
        let mark = |met: bool| if met { "met" } else { "missed" };
        format!(
            "\nA GET of {} bytes over HTTP/1.1 on loopback, from inside a guest and from a native client\n  \
             p50            {:.1} µs, native {:.1} µs: {:.3} × (at most 1.15: {})\n  \
             {AT_ONCE} in flight   {:.0}/s, native {:.0}/s: {:.3} × (at least 0.85: {})\n  \
             rule check     {:.3} µs with {RULES} rules (under 2: {})\n",
            BODY.len(),
            self.palisade_p50_us,
            self.native_p50_us,
            self.palisade_p50_us / self.native_p50_us,
            mark(marks[0]),
            self.palisade_rate,
            self.native_rate,
            self.palisade_rate / self.native_rate,
            mark(marks[1]),
            self.check_us,
            mark(marks[2]),
        )
    }

    /// Which goals are met.
    pub(crate) fn goals(&self) -> [bool; 3] {
        [
            self.palisade_p50_us <= self.native_p50_us * 1.15,
            self.palisade_rate >= self.native_rate * 0.85,
            self.check_us < 2.0,
        ]
    }
}

fn middle(mut times: Vec<Duration>) -> anyhow::Result<f64> {
    let middle = percentile(&mut times, 50).context("nothing was measured")?;
    Ok(middle.as_secs_f64() * 1e6)
}

#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^53")]
fn rate(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// A server on a thread of its own, until the process ends.
fn serve() -> anyhow::Result<SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::Builder::new().spawn(move || {
        runtime.block_on(async move {
            let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
                return;
            };
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                tokio::spawn(async move {
                    let answer = |_: Request<hyper::body::Incoming>| async {
                        Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(
                            BODY.as_bytes(),
                        ))))
                    };
                    let http = hyper::server::conn::http1::Builder::new();
                    let _ = http
                        .serve_connection(TokioIo::new(stream), service_fn(answer))
                        .await;
                });
            }
        });
    })?;
    Ok(address)
}

/// A native client.
struct Native {
    runtime: tokio::runtime::Runtime,
    client: Client<HttpConnector, Empty<Bytes>>,
    uri: Uri,
}

impl Native {
    fn new(url: &str) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Ok(Self {
            runtime,
            client: Client::builder(TokioExecutor::new()).build(connector),
            uri: url.parse()?,
        })
    }

    /// One after the other.
    fn times(&self, count: usize) -> anyhow::Result<Vec<Duration>> {
        let (client, uri) = (self.client.clone(), self.uri.clone());
        let all = self.runtime.spawn(async move {
            let mut times = Vec::with_capacity(count);
            for _ in 0..count {
                let began = Instant::now();
                get(&client, &uri).await?;
                times.push(began.elapsed());
            }
            anyhow::Ok(times)
        });
        self.runtime.block_on(all)?
    }

    /// Many at once; how long all of them took.
    fn at_once(&self, count: usize) -> anyhow::Result<Duration> {
        let began = Instant::now();
        self.runtime.block_on(async {
            let mut all = tokio::task::JoinSet::new();
            for number in 0..AT_ONCE {
                let (client, uri) = (self.client.clone(), self.uri.clone());
                let mine = count / AT_ONCE + usize::from(number < count % AT_ONCE);
                all.spawn(async move {
                    for _ in 0..mine {
                        get(&client, &uri).await?;
                    }
                    anyhow::Ok(())
                });
            }
            while let Some(done) = all.join_next().await {
                done??;
            }
            anyhow::Ok(())
        })?;
        Ok(began.elapsed())
    }
}

async fn get(client: &Client<HttpConnector, Empty<Bytes>>, uri: &Uri) -> anyhow::Result<()> {
    let answer = client.get(uri.clone()).await?;
    let body = answer.into_body().collect().await?.to_bytes();
    if body != BODY.as_bytes() {
        bail!("another answer than was given");
    }
    Ok(())
}

/// A guest behind the host.
struct Guest {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    id: u64,
}

impl Guest {
    fn start(args: &Args, url: &str) -> anyhow::Result<Self> {
        let mut child = Command::new(&args.palisade)
            .arg("run")
            .arg(&args.guest)
            .args(["--allow", url.trim_end_matches('/')])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} can't be started", args.palisade.display()))?;
        let output = child.stdout.take().context("it has no output")?;
        let mut this = Self {
            child,
            output: BufReader::new(output),
            id: 0,
        };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        this.ask("initialize", &hello)?;
        this.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(this)
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let input = self.child.stdin.as_mut().context("it has no input")?;
        writeln!(input, "{message}")?;
        Ok(())
    }

    fn ask(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the host ended");
            }
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                return Ok(message["result"].clone());
            }
        }
    }

    /// The numbers that a tool answers with.
    fn numbers(&mut self, tool: &str, arguments: Value) -> anyhow::Result<Vec<Duration>> {
        let result = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        if result["isError"] == true {
            bail!("{tool}: {text}");
        }
        text.split_whitespace()
            .map(|number| Ok(Duration::from_secs_f64(number.parse::<f64>()? / 1e6)))
            .collect()
    }

    fn times(&mut self, url: &str, count: usize) -> anyhow::Result<Vec<Duration>> {
        self.numbers("http_time", json!({"url": url, "count": count}))
    }

    fn at_once(&mut self, url: &str, count: usize) -> anyhow::Result<Duration> {
        let arguments = json!({"url": url, "count": count, "at_once": AT_ONCE});
        let all = self.numbers("http_time_in_flight", arguments)?;
        all.first().copied().context("nothing was measured")
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Microseconds for holding one request against many rules, half of them for its
/// own host.
fn check() -> anyhow::Result<f64> {
    const TIMES: u32 = 20_000;
    let rules = (0..RULES)
        .map(|number| {
            let rule = match number % 4 {
                0 => format!("GET https://api.example.com/v{number}/**"),
                1 => format!("POST https://*.example.com/x{number}/*/y"),
                2 => format!("https://host-{number}.example.com"),
                _ => format!("tcp://host-{number}.example.com:5432"),
            };
            let flag: AllowFlag = rule.parse().map_err(|error| anyhow::anyhow!("{error}"))?;
            Ok(flag.0)
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let rules = NetworkRules::new(&rules);
    let began = Instant::now();
    let mut allowed = 0;
    for number in 0..TIMES {
        let (host, path) = match number % 3 {
            0 => ("api.example.com", "/v196/items/7"),
            1 => ("host-102.example.com", "/"),
            _ => ("evil.test", "/"),
        };
        let authority = host.parse().map_err(|error| anyhow::anyhow!("{error}"))?;
        let target = Target::http(Scheme::Https, authority, "GET", path);
        allowed += u32::from(rules.decide(&target).is_ok());
    }
    let time = began.elapsed();
    if allowed == 0 || allowed == TIMES {
        bail!("the rules let {allowed} of {TIMES} through");
    }
    Ok(time.as_secs_f64() * 1e6 / f64::from(TIMES))
}
