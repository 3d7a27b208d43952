//! What is known of each client: the one table, with the documentation it follows.

use std::path::{Path, PathBuf};

/// A client that starts MCP servers by a configuration file.
#[derive(Debug)]
pub struct Client {
    /// What it is called on the command line.
    pub id: &'static str,
    /// What it calls itself.
    pub name: &'static str,
    /// The key of its configuration below which servers stand by name.
    pub key: &'static str,
    /// Whether an entry says `"type": "stdio"`.
    pub typed: bool,
    linux: Place,
    macos: Place,
    windows: Place,
    project: Option<&'static str>,
}

/// Every client, in the order in which they are listed.
pub static CLIENTS: [Client; 6] = [
    // modelcontextprotocol.io/docs/develop/connect-local-servers: macOS and Windows.
    // On Linux it is Electron's folder for the application, as on the others.
    Client {
        id: "claude-desktop",
        name: "Claude Desktop",
        key: "mcpServers",
        typed: false,
        linux: Place::Config("Claude/claude_desktop_config.json"),
        macos: Place::Support("Claude/claude_desktop_config.json"),
        windows: Place::AppData("Claude/claude_desktop_config.json"),
        project: None,
    },
    // code.claude.com/docs/en/mcp, "MCP installation scopes": `user` is the top level
    // of ~/.claude.json, `project` is .mcp.json; its own entries have a type.
    Client {
        id: "claude-code",
        name: "Claude Code",
        key: "mcpServers",
        typed: true,
        linux: Place::Home(".claude.json"),
        macos: Place::Home(".claude.json"),
        windows: Place::Home(".claude.json"),
        project: Some(".mcp.json"),
    },
    // cursor.com/docs/mcp, "Configuration locations".
    Client {
        id: "cursor",
        name: "Cursor",
        key: "mcpServers",
        typed: false,
        linux: Place::Home(".cursor/mcp.json"),
        macos: Place::Home(".cursor/mcp.json"),
        windows: Place::Home(".cursor/mcp.json"),
        project: Some(".cursor/mcp.json"),
    },
    // code.visualstudio.com/docs/agents/reference/mcp-configuration: mcp.json in the
    // user profile (the default one is Code/User) or .vscode/mcp.json; the key is
    // `servers`, and `type` is required.
    Client {
        id: "vscode",
        name: "VS Code",
        key: "servers",
        typed: true,
        linux: Place::Config("Code/User/mcp.json"),
        macos: Place::Support("Code/User/mcp.json"),
        windows: Place::AppData("Code/User/mcp.json"),
        project: Some(".vscode/mcp.json"),
    },
    // docs.windsurf.com/windsurf/cascade/mcp, "mcp_config.json": the same below the
    // home directory everywhere.
    Client {
        id: "windsurf",
        name: "Windsurf",
        key: "mcpServers",
        typed: false,
        linux: Place::Home(".codeium/windsurf/mcp_config.json"),
        macos: Place::Home(".codeium/windsurf/mcp_config.json"),
        windows: Place::Home(".codeium/windsurf/mcp_config.json"),
        project: None,
    },
    // zed.dev/docs/ai/mcp, "As Custom Servers", and zed.dev/docs/configuring-zed,
    // "User Settings File": with XDG_CONFIG_HOME on Linux alone.
    Client {
        id: "zed",
        name: "Zed",
        key: "context_servers",
        typed: false,
        linux: Place::Config("zed/settings.json"),
        macos: Place::Home(".config/zed/settings.json"),
        windows: Place::AppData("Zed/settings.json"),
        project: None,
    },
];

/// Below which directory a file is.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// The home directory.
    Home(&'static str),
    /// `$XDG_CONFIG_HOME`, else `~/.config`.
    Config(&'static str),
    /// `~/Library/Application Support`.
    Support(&'static str),
    /// `%APPDATA%`.
    AppData(&'static str),
}

/// An operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    /// Linux, and what is like it.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl Os {
    /// The one this is built for.
    #[must_use]
    pub fn current() -> Self {
        match std::env::consts::OS {
            "macos" => Self::Mac,
            "windows" => Self::Windows,
            _ => Self::Linux,
        }
    }
}

/// The directories that places begin at.
#[derive(Debug, Clone)]
pub struct Bases {
    /// The home directory.
    pub home: PathBuf,
    /// `XDG_CONFIG_HOME`, if it is set.
    pub config: Option<PathBuf>,
    /// `APPDATA`, if it is set.
    pub app_data: Option<PathBuf>,
}

/// Whom an entry is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One person, wherever they work.
    User,
    /// Everybody who works in one directory.
    Project,
}

impl Client {
    /// The client of this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.id == id)
    }

    /// A person's own configuration file.
    #[must_use]
    pub fn user_file(&self, os: Os, bases: &Bases) -> PathBuf {
        let place = match os {
            Os::Linux => self.linux,
            Os::Mac => self.macos,
            Os::Windows => self.windows,
        };
        match place {
            Place::Home(file) => bases.home.join(file),
            // An XDG variable that is not absolute does not count, by its specification.
            Place::Config(file) => match &bases.config {
                Some(config) if config.is_absolute() => config.join(file),
                _ => bases.home.join(".config").join(file),
            },
            Place::Support(file) => bases.home.join("Library/Application Support").join(file),
            Place::AppData(file) => match &bases.app_data {
                Some(data) => data.join(file),
                None => bases.home.join("AppData/Roaming").join(file),
            },
        }
    }

    /// The configuration file of those who work in a directory, if the client has
    /// such a thing.
    #[must_use]
    pub fn project_file(&self, directory: &Path) -> Option<PathBuf> {
        self.project.map(|file| directory.join(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a person would find in each client's documentation.
    #[test]
    fn every_file_is_where_its_client_looks() {
        let bases = Bases {
            home: "/home/ada".into(),
            config: None,
            app_data: Some("/ada/AppData/Roaming".into()),
        };
        let expected = [
            (
                "claude-desktop",
                "/home/ada/.config/Claude/claude_desktop_config.json",
                "/home/ada/Library/Application Support/Claude/claude_desktop_config.json",
                "/ada/AppData/Roaming/Claude/claude_desktop_config.json",
            ),
            (
                "claude-code",
                "/home/ada/.claude.json",
                "/home/ada/.claude.json",
                "/home/ada/.claude.json",
            ),
            (
                "cursor",
                "/home/ada/.cursor/mcp.json",
                "/home/ada/.cursor/mcp.json",
                "/home/ada/.cursor/mcp.json",
            ),
            (
                "vscode",
                "/home/ada/.config/Code/User/mcp.json",
                "/home/ada/Library/Application Support/Code/User/mcp.json",
                "/ada/AppData/Roaming/Code/User/mcp.json",
            ),
            (
                "windsurf",
                "/home/ada/.codeium/windsurf/mcp_config.json",
                "/home/ada/.codeium/windsurf/mcp_config.json",
                "/home/ada/.codeium/windsurf/mcp_config.json",
            ),
            (
                "zed",
                "/home/ada/.config/zed/settings.json",
                "/home/ada/.config/zed/settings.json",
                "/ada/AppData/Roaming/Zed/settings.json",
            ),
        ];
        assert_eq!(expected.len(), CLIENTS.len());
        for (id, linux, macos, windows) in expected {
            let client = Client::find(id).unwrap();
            let file = |os| client.user_file(os, &bases);
            assert_eq!(file(Os::Linux), Path::new(linux));
            assert_eq!(file(Os::Mac), Path::new(macos));
            assert_eq!(file(Os::Windows), Path::new(windows));
        }
    }

    #[test]
    fn a_configuration_home_of_ones_own_counts_on_linux() {
        let at = |config: &str| {
            let bases = Bases {
                home: "/home/ada".into(),
                config: Some(config.into()),
                app_data: None,
            };
            let zed = Client::find("zed").unwrap();
            (
                zed.user_file(Os::Linux, &bases),
                zed.user_file(Os::Mac, &bases),
            )
        };
        assert_eq!(at("/etc/ada").0, Path::new("/etc/ada/zed/settings.json"));
        assert_eq!(
            at("/etc/ada").1,
            Path::new("/home/ada/.config/zed/settings.json")
        );
        assert_eq!(
            at("relative").0,
            Path::new("/home/ada/.config/zed/settings.json")
        );
    }
}
