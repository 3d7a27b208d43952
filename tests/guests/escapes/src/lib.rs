//! Tools that do with files, variables and the network what any program can:
//! what comes of it is up to the sandbox.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::time::SystemTime;

use palisade_sdk::prelude::*;

/// Reaches.
#[derive(Default)]
struct Escapes;

#[plugin]
impl Escapes {
    /// Reads a file.
    #[tool]
    fn read(&self, path: String) -> Result<String> {
        Ok(fs::read_to_string(path)?)
    }

    /// Writes a file, which need not be there.
    #[tool]
    fn write(&self, path: String, text: String) -> Result<&'static str> {
        fs::write(path, text)?;
        Ok("written")
    }

    /// Adds to the end of a file that is there.
    #[tool]
    fn append(&self, path: String, text: String) -> Result<&'static str> {
        let mut file = fs::OpenOptions::new().append(true).open(path)?;
        file.write_all(text.as_bytes())?;
        Ok("appended")
    }

    /// Cuts off a file.
    #[tool]
    fn truncate(&self, path: String, bytes: u64) -> Result<&'static str> {
        fs::OpenOptions::new()
            .write(true)
            .open(path)?
            .set_len(bytes)?;
        Ok("truncated")
    }

    /// Opens a file for reading and then cuts it off all the same.
    #[tool]
    fn truncate_read_only(&self, path: String) -> Result<&'static str> {
        fs::File::open(path)?.set_len(0)?;
        Ok("truncated")
    }

    /// Deletes a file.
    #[tool]
    fn delete(&self, path: String) -> Result<&'static str> {
        fs::remove_file(path)?;
        Ok("deleted")
    }

    /// Makes a directory.
    #[tool]
    fn create_dir(&self, path: String) -> Result<&'static str> {
        fs::create_dir(path)?;
        Ok("created")
    }

    /// Removes a directory.
    #[tool]
    fn remove_dir(&self, path: String) -> Result<&'static str> {
        fs::remove_dir(path)?;
        Ok("removed")
    }

    /// Names what is in a directory, sorted, a line each.
    #[tool]
    fn list(&self, path: String) -> Result<String> {
        let mut names = fs::read_dir(path)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<std::io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names.join("\n"))
    }

    /// Makes a hard link.
    #[tool]
    fn link(&self, from: String, to: String) -> Result<&'static str> {
        fs::hard_link(from, to)?;
        Ok("linked")
    }

    /// Makes a symbolic link.
    #[tool]
    #[allow(
        deprecated,
        reason = "the one way to make a link that stable Rust has for WASI"
    )]
    fn symlink(&self, target: String, path: String) -> Result<&'static str> {
        fs::soft_link(target, path)?;
        Ok("linked")
    }

    /// Reads a symbolic link.
    #[tool]
    fn read_link(&self, path: String) -> Result<String> {
        Ok(fs::read_link(path)?.to_string_lossy().into_owned())
    }

    /// Renames.
    #[tool]
    fn rename(&self, from: String, to: String) -> Result<&'static str> {
        fs::rename(from, to)?;
        Ok("renamed")
    }

    /// Says what a path is, following links.
    #[tool]
    fn stat(&self, path: String) -> Result<String> {
        let found = fs::metadata(path)?;
        Ok(format!("{:?}, {} bytes", found.file_type(), found.len()))
    }

    /// Sets a file's time to 1970.
    #[tool]
    fn set_time(&self, path: String) -> Result<&'static str> {
        fs::File::open(path)?.set_modified(SystemTime::UNIX_EPOCH)?;
        Ok("set")
    }

    /// Opens a file over and over and closes none; says how often it worked.
    #[tool]
    fn open_many(&self, path: String, count: usize) -> String {
        let opened: Vec<_> = (0..count)
            .map_while(|_| fs::File::open(&path).ok())
            .collect();
        format!("opened {}", opened.len())
    }

    /// Makes directories in one another until it can't; says how many.
    #[tool]
    fn nest(&self, path: String, depth: usize) -> String {
        let mut path = path;
        for level in 0..depth {
            path.push_str("/d");
            if let Err(error) = fs::create_dir(&path) {
                return format!("{level} levels: {error}");
            }
        }
        format!("{depth} levels")
    }

    /// Every environment variable, a line each.
    #[tool]
    fn env(&self) -> String {
        let all: Vec<_> = std::env::vars()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        all.join("\n")
    }

    /// Every argument of the program, a line each.
    #[tool]
    fn args(&self) -> String {
        std::env::args().collect::<Vec<_>>().join("\n")
    }

    /// The current directory.
    #[tool]
    fn current_dir(&self) -> Result<String> {
        Ok(std::env::current_dir()?.display().to_string())
    }

    /// Reads standard input to its end.
    #[tool]
    fn stdin(&self) -> Result<String> {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        Ok(format!("{} bytes: {text}", text.len()))
    }

    /// What the host says can be used, a line each.
    #[tool]
    fn roots(&self, ctx: &Context) -> String {
        let all: Vec<_> = ctx
            .roots()
            .iter()
            .map(|root| {
                format!(
                    "{} {} {} {}",
                    root.name, root.mount, root.uri, root.writable
                )
            })
            .collect();
        all.join("\n")
    }

    /// Connects by TCP.
    #[tool]
    fn connect(&self, address: String) -> Result<&'static str> {
        TcpStream::connect(address)?;
        Ok("connected")
    }

    /// Listens by TCP.
    #[tool]
    fn listen(&self, address: String) -> Result<&'static str> {
        TcpListener::bind(address)?;
        Ok("listening")
    }

    /// Sends a datagram.
    #[tool]
    fn send(&self, address: String) -> Result<&'static str> {
        UdpSocket::bind("0.0.0.0:0")?.send_to(b"hello", address)?;
        Ok("sent")
    }
}
