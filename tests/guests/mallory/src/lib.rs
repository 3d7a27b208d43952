//! Every call of WASI 0.2 that a plugin can import, as a tool of its own, and
//! whatever else a guest can do to whoever runs it. What comes back is the
//! system's own word for it: a result, or the name of an error.
//!
//! Nothing here is checked by the guest's libc, which refuses much before the
//! host hears of it; whoever means harm does without it.

#![cfg(target_os = "wasi")]

mod burn;
mod files;
mod hoard;
mod http;
mod network;
mod output;
mod state;
mod surroundings;

use palisade_sdk::prelude::*;
use serde_json::Value;

/// Twice as much to check with every level, and all of it in vain.
const BOMB: &str = r##"{"type":"object","$defs":{"n":{"anyOf":[
    {"properties":{"a":{"$ref":"#/$defs/n"}},"required":["b"]},
    {"properties":{"a":{"$ref":"#/$defs/n"}},"required":["b"]}]}},
    "properties":{"a":{"$ref":"#/$defs/n"}}}"##;

/// Means harm.
#[derive(Default)]
struct Mallory;

// Thin on purpose: this is the list, the files beside it are the insides.
#[plugin]
impl Mallory {
    // wasi:filesystem

    /// Where directories are mounted, a line each.
    #[tool]
    fn preopens(&self) -> String {
        files::preopens()
    }

    /// Opens; `how` are words out of follow, create, directory, exclusive,
    /// truncate, read, write and mutate. Says what it is.
    #[tool]
    fn open(&self, root: String, path: String, how: String) -> Result<String> {
        files::open(&root, &path, &how)
    }

    /// Opens a directory and then, below it, something else.
    #[tool]
    fn open_below(&self, root: String, directory: String, path: String) -> Result<String> {
        files::open_below(&root, &directory, &path)
    }

    /// Says what a path is.
    #[tool]
    fn stat(&self, root: String, path: String, follow: bool) -> Result<String> {
        files::stat(&root, &path, follow)
    }

    /// The fingerprint of what a path is.
    #[tool]
    fn hash(&self, root: String, path: String, follow: bool) -> Result<String> {
        files::hash(&root, &path, follow)
    }

    /// Reads a file.
    #[tool]
    fn read(&self, root: String, path: String) -> Result<String> {
        files::read(&root, &path)
    }

    /// Reads a file as a stream.
    #[tool]
    fn read_stream(&self, root: String, path: String) -> Result<String> {
        files::read_stream(&root, &path)
    }

    /// Writes a file, which need not be there.
    #[tool]
    fn write(&self, root: String, path: String, text: String) -> Result<&'static str> {
        files::write(&root, &path, &text)
    }

    /// Names what is in a directory.
    #[tool]
    fn readdir(&self, root: String, path: String) -> Result<String> {
        files::readdir(&root, &path)
    }

    /// Makes a hard link.
    #[tool]
    fn link(&self, root: String, from: String, to: String, follow: bool) -> Result<&'static str> {
        files::link(&root, &from, &to, follow)
    }

    /// Makes a symbolic link.
    #[tool]
    fn symlink(&self, root: String, target: String, path: String) -> Result<&'static str> {
        files::symlink(&root, &target, &path)
    }

    /// Reads a symbolic link.
    #[tool]
    fn readlink(&self, root: String, path: String) -> Result<String> {
        files::readlink(&root, &path)
    }

    /// Renames.
    #[tool]
    fn rename(&self, root: String, from: String, to: String) -> Result<&'static str> {
        files::rename(&root, &from, &to)
    }

    /// Deletes a file.
    #[tool]
    fn unlink(&self, root: String, path: String) -> Result<&'static str> {
        files::unlink(&root, &path)
    }

    /// Makes a directory.
    #[tool]
    fn mkdir(&self, root: String, path: String) -> Result<&'static str> {
        files::mkdir(&root, &path)
    }

    /// Removes a directory.
    #[tool]
    fn rmdir(&self, root: String, path: String) -> Result<&'static str> {
        files::rmdir(&root, &path)
    }

    /// Sets times to 1970.
    #[tool]
    fn set_times(&self, root: String, path: String, follow: bool) -> Result<&'static str> {
        files::set_times(&root, &path, follow)
    }

    /// Reads one file over and over, and says how often it was which text.
    #[tool]
    fn read_again_and_again(&self, root: String, path: String, times: u32) -> String {
        files::read_again_and_again(&root, &path, times)
    }

    /// Writes one file over and over; says how often that worked.
    #[tool]
    fn write_again_and_again(&self, root: String, path: String, times: u32) -> String {
        files::write_again_and_again(&root, &path, times)
    }

    // wasi:cli, wasi:clocks, wasi:random

    /// Every environment variable, a line each.
    #[tool]
    fn env(&self) -> String {
        surroundings::env()
    }

    /// Every argument, a line each.
    #[tool]
    fn args(&self) -> String {
        surroundings::args()
    }

    /// The directory it was started in.
    #[tool]
    fn initial_cwd(&self) -> String {
        surroundings::initial_cwd()
    }

    /// Which of its streams are terminals.
    #[tool]
    fn terminals(&self) -> String {
        surroundings::terminals()
    }

    /// Reads standard input.
    #[tool]
    fn stdin(&self) -> String {
        surroundings::stdin()
    }

    /// Asks for random bytes; says how many came.
    #[tool]
    fn random(&self, length: u64, secure: bool) -> String {
        surroundings::random(length, secure)
    }

    /// A number that is the same for all the life of an instance, if the host
    /// gives each one of its own.
    #[tool]
    fn seed(&self) -> String {
        surroundings::seed()
    }

    // wasi:sockets

    /// Makes a TCP connection.
    #[tool]
    fn tcp_connect(&self, address: String) -> Result<&'static str> {
        network::tcp_connect(&address)
    }

    /// Binds a TCP socket and waits for connections.
    #[tool]
    fn tcp_listen(&self, address: String) -> Result<&'static str> {
        network::tcp_listen(&address)
    }

    /// Binds a TCP socket, and nothing more.
    #[tool]
    fn tcp_bind(&self, address: String) -> Result<&'static str> {
        network::tcp_bind(&address)
    }

    /// Looks a name up, connects there (or to `instead`), and says something;
    /// returns what is answered.
    #[tool]
    fn tcp_talk(
        &self,
        name: String,
        port: u16,
        instead: Option<String>,
        text: String,
    ) -> Result<String> {
        network::tcp_talk(&name, port, instead.as_deref(), &text)
    }

    /// Sends a datagram and returns the answer.
    #[tool]
    fn udp_talk(&self, address: String, text: String) -> Result<String> {
        network::udp_talk(&address, &text)
    }

    /// Binds a UDP socket.
    #[tool]
    fn udp_bind(&self, address: String) -> Result<&'static str> {
        network::udp_bind(&address)
    }

    /// Sends a datagram from a socket that it did not bind itself.
    #[tool]
    fn udp_send(&self, address: String) -> Result<&'static str> {
        network::udp_send(&address)
    }

    /// Looks up a name.
    #[tool]
    fn resolve(&self, name: String) -> Result<String> {
        network::resolve(&name)
    }

    // wasi:http

    /// Sends a request; a header stands on each line of `headers`. Returns
    /// status, headers and body.
    #[tool]
    fn http(
        &self,
        method: String,
        url: String,
        headers: Option<String>,
        body: Option<String>,
    ) -> Result<String> {
        let headers = headers.unwrap_or_default();
        http::send(&method, &url, &headers, body.as_deref())
    }

    /// Reads an answer to its end; says how long it was.
    #[tool]
    fn http_swallow(&self, url: String) -> Result<String> {
        http::swallow(&url)
    }

    /// Sends a body of so many bytes; returns the status.
    #[tool]
    fn http_upload(&self, url: String, bytes: usize) -> Result<String> {
        http::upload(&url, bytes)
    }

    /// Begins so many requests and keeps all of them open.
    #[tool]
    fn http_hold(&self, url: String, count: usize) -> Result<String> {
        http::hold(&url, count)
    }

    /// GETs one after the other; microseconds for each.
    #[tool]
    fn http_time(&self, url: String, count: usize) -> Result<String> {
        http::time(&url, count)
    }

    /// GETs with so many under way at a time; microseconds for all.
    #[tool]
    fn http_time_in_flight(&self, url: String, count: usize, at_once: usize) -> Result<String> {
        http::time_in_flight(&url, count, at_once)
    }

    // Output

    /// Writes to standard output and standard error, as it is.
    #[tool]
    fn print(&self, text: String) -> Result<&'static str> {
        output::print(text.as_bytes())
    }

    /// Writes a text over and over.
    #[tool]
    fn print_often(&self, text: String, times: u32) -> Result<&'static str> {
        output::print_often(&text, times)
    }

    /// Logs a message over and over.
    #[tool]
    fn log_flood(&self, bytes: usize, times: u32, ctx: &Context) -> &'static str {
        output::log_flood(bytes, times, ctx)
    }

    /// Answers with a text of this length.
    #[tool]
    fn big_result(&self, bytes: usize) -> String {
        "x".repeat(bytes)
    }

    /// Answers with this text.
    #[tool]
    fn echo(&self, text: String) -> String {
        text
    }

    /// Takes arguments that are checked in more ways the deeper they are.
    #[tool(schema = BOMB)]
    fn checked_for_ever(&self, args: Args<Value>) -> String {
        args.0.to_string()
    }

    // What costs the host something

    /// Takes handles of a kind (timers, files, streams, directories) until
    /// there are so many; says how many there were before the last.
    #[tool]
    fn many_handles(&self, kind: String, count: u32, root: Option<String>) -> Result<String> {
        hoard::many_handles(&kind, count, root.as_deref())
    }

    /// Lists a directory so many times, and keeps all of the lists.
    #[tool]
    fn many_lists(&self, root: String, count: u32) -> Result<String> {
        hoard::many_lists(&root, count)
    }

    /// Waits for so many handles at once, all of one moment, once or for ever.
    #[tool]
    fn poll(&self, count: usize, again: bool) -> String {
        hoard::poll(count, again)
    }

    /// Has the host do something for ever: random, poll, read, stat, readdir,
    /// print, clock.
    #[tool]
    fn host_calls(&self, what: String, root: Option<String>) -> Result<String> {
        hoard::host_calls(&what, root.as_deref())
    }

    /// Grows memory, a page at a time, until it may not; says to how many
    /// bytes.
    #[tool]
    fn grow_memory(&self) -> String {
        burn::grow_memory()
    }

    /// Grows memory and writes to all of it, then crashes.
    #[tool]
    fn memory_bomb(&self) -> String {
        burn::memory_bomb()
    }

    /// Calls itself until the stack ends.
    #[tool]
    fn recurse(&self) -> String {
        burn::recurse()
    }

    /// Computes for ever.
    #[tool]
    fn spin(&self) -> String {
        burn::spin()
    }

    /// Waits, and computes nothing.
    #[tool(task = "optional")]
    fn sleep(&self, ms: u64) -> &'static str {
        burn::sleep(ms)
    }

    // State

    /// Keeps a text wherever this instance can keep something.
    #[tool]
    fn remember(&self, text: String) -> String {
        state::remember(&text)
    }

    /// Everything that is kept, and what lies in memory that nobody has used.
    #[tool]
    fn recall(&self) -> String {
        state::recall()
    }
}
