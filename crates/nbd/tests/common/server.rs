//! A server that runs while a test talks to it.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use wordline_nbd::{Address, Export, Limits, Named, Server};

use super::client::Client;

/// Limits that no test waits long for.
pub fn short() -> Limits {
    Limits {
        connections: 8,
        handshake: Duration::from_millis(300),
        stall: Duration::from_millis(300),
        farewell: Duration::from_millis(300),
    }
}

/// Serves an export on a socket for as long as `test` takes, then stops; how connections ended.
pub fn served(
    export: &dyn Export,
    limits: Limits,
    test: impl FnOnce(&Server, &Path),
) -> Vec<io::Result<()>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let server = Server::bind(&Address::Unix(path.clone()), limits).unwrap();
    let ends = Mutex::new(Vec::new());
    let exports = [Named { name: "drive", description: "some bytes", export }];
    thread::scope(|scope| {
        let run = scope.spawn(|| server.run(&exports, &|end| ends.lock().unwrap().push(end)));
        // A failing test must not leave the server running, for which the scope would wait.
        let stop = StopAtEnd(&server);
        test(&server, &path);
        drop(stop);
        run.join().unwrap().unwrap();
    });
    ends.into_inner().unwrap()
}

struct StopAtEnd<'a>(&'a Server);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

pub fn connect(path: &Path) -> UnixStream {
    let stream = UnixStream::connect(path).unwrap();
    // No test hangs.
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

pub fn client(path: &Path) -> Client<UnixStream> {
    Client::new(connect(path)).unwrap()
}

/// Waits until something holds, for a while.
pub fn wait_for(what: impl Fn() -> bool) {
    let begin = Instant::now();
    while !what() {
        assert!(begin.elapsed() < Duration::from_secs(20), "waited in vain");
        thread::sleep(Duration::from_millis(2));
    }
}
