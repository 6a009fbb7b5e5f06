//! Where a server listens, and the streams that arrive there.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a server listens: on this machine only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket with a path.
    Unix(PathBuf),
    /// A port of 127.0.0.1; 0 is any free one.
    Loopback(u16),
}

pub enum Listener {
    Unix { socket: UnixListener, path: PathBuf, file: (u64, u64) },
    Tcp(TcpListener),
}

impl Listener {
    pub fn bind(address: &Address) -> io::Result<Self> {
        match address {
            Address::Unix(path) => bind_unix(path).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            }),
            Address::Loopback(port) => {
                TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).map(Self::Tcp).map_err(|error| {
                    io::Error::new(error.kind(), format!("127.0.0.1:{port}: {error}"))
                })
            }
        }
    }

    pub fn address(&self) -> io::Result<Address> {
        match self {
            Self::Unix { path, .. } => Ok(Address::Unix(path.clone())),
            Self::Tcp(socket) => Ok(Address::Loopback(socket.local_addr()?.port())),
        }
    }

    pub fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Unix { socket, .. } => socket.accept().map(|(stream, _)| Stream::Unix(stream)),
            Self::Tcp(socket) => {
                let (stream, _) = socket.accept()?;
                // A reply is one write, and nothing else will fill its packet.
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }

    /// Ends an `accept` that waits, and lets later ones fail.
    pub fn close(&self) -> io::Result<()> {
        let socket: OwnedFd = match self {
            Self::Unix { socket, .. } => socket.try_clone()?.into(),
            Self::Tcp(socket) => socket.try_clone()?.into(),
        };
        // Listeners have no such call of their own; the system makes no difference.
        UnixStream::from(socket).shutdown(Shutdown::Both)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix { path, file, .. } = self {
            // Another server may have put its own there since.
            if identity(path).is_ok_and(|found| found == *file) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn bind_unix(path: &Path) -> io::Result<Listener> {
    let bound = match UnixListener::bind(path) {
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            remove_if_left_over(path)?;
            UnixListener::bind(path)
        }
        bound => bound,
    };
    Ok(Listener::Unix { socket: bound?, path: path.to_owned(), file: identity(path)? })
}

/// Removes the socket of a server that is no more.
fn remove_if_left_over(path: &Path) -> io::Result<()> {
    let in_use = |what| Err(io::Error::new(ErrorKind::AddrInUse, what));
    if !fs::symlink_metadata(path)?.file_type().is_socket() {
        return in_use("exists and is not a socket; choose another path");
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path),
        _ => in_use("another server listens there; stop it, or choose another path"),
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|file| (file.dev(), file.ino()))
}

pub enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    pub fn set_read_timeout(&self, limit: Duration) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_read_timeout(Some(limit)),
            Self::Tcp(stream) => stream.set_read_timeout(Some(limit)),
        }
    }

    pub fn set_write_timeout(&self, limit: Duration) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_write_timeout(Some(limit)),
            Self::Tcp(stream) => stream.set_write_timeout(Some(limit)),
        }
    }

    pub fn shutdown(&self, how: Shutdown) {
        // Fails only if the client has closed it already.
        let _ = match self {
            Self::Unix(stream) => stream.shutdown(how),
            Self::Tcp(stream) => stream.shutdown(how),
        };
    }
}

impl Read for &Stream {
    fn read(&mut self, data: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => (&mut &*stream).read(data),
            Stream::Tcp(stream) => (&mut &*stream).read(data),
        }
    }
}

impl Write for &Stream {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => (&mut &*stream).write(data),
            Stream::Tcp(stream) => (&mut &*stream).write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
