//! The command line of serving over HTTP.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use palisade_server::{AllowedHost, AllowedOrigin};

/// How to serve over HTTP.
#[derive(Debug, Args)]
#[command(next_help_heading = "Over HTTP")]
pub(crate) struct HttpArgs {
    /// Serve over HTTP at this address, such as 127.0.0.1:8080; port 0 takes
    /// any that is free.
    #[arg(long = "http", value_name = "ADDRESS:PORT", value_parser = address)]
    pub(crate) address: Option<SocketAddr>,
    /// Answer only who sends the token in this file; several stand one a line.
    /// Without this, the token is in the variable PALISADE_TOKEN.
    #[arg(long, value_name = "FILE", requires = "address")]
    pub(crate) token_file: Option<PathBuf>,
    /// Answer everybody on this machine.
    #[arg(long, requires = "address", conflicts_with = "token_file")]
    pub(crate) no_auth: bool,
    /// Serve HTTPS, with this chain of certificates in PEM.
    #[arg(long, value_name = "FILE", requires = "address", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Another name by which clients call this server.
    #[arg(long = "allow-host", value_name = "NAME[:PORT]", requires = "address")]
    pub(crate) hosts: Vec<AllowedHost>,
    /// A site whose pages may call this server.
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "address")]
    pub(crate) origins: Vec<AllowedOrigin>,
    /// End a session in which nothing happens after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, requires = "address",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) session_idle: u32,
    /// Sessions at a time.
    #[arg(long, value_name = "COUNT", default_value_t = 1024, requires = "address",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_sessions: u32,
}

/// An address to listen at. Names are not looked up, but for the one that
/// always is the same.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let wrong = "give an IP address and a port, such as 127.0.0.1:8080";
    if let Some(port) = text.strip_prefix("localhost:") {
        let port = port.parse().map_err(|_| wrong)?;
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    text.parse().map_err(|_| wrong)
}
