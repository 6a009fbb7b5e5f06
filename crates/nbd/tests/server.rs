//! Servers on sockets: many clients, hostile ones, and the end.

mod common;

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::client::{Client, Reply, reply, wish};
use common::server::{client, connect, served, short, wait_for};
use common::{Memory, option, request};
use wordline_nbd::{Address, Blocks, Export, Extent, Failure, Limits, Named, Server, Zeroing};

fn ok() -> Reply {
    Reply::Simple(0, vec![])
}

#[test]
fn many_clients_write_and_read_at_the_same_time() {
    for depth in [1, 4] {
        let mut memory = Memory::new(8 << 20, 0);
        memory.depth = depth;
        let ends = served(&memory, short(), |_, path| {
            thread::scope(|scope| {
                for own in 0..8_u64 {
                    scope.spawn(move || {
                        let mut client = client(path);
                        let data = vec![own as u8 + 1; 1 << 20];
                        assert_eq!(client.write(own << 20, &data).unwrap(), ok());
                        let read = client.read(own << 20, 1 << 20).unwrap();
                        assert_eq!(read, Reply::Simple(0, data));
                        client.send(0, 2, 0, 0).unwrap();
                        assert_eq!(client.0.read(&mut [0]).unwrap(), 0);
                    });
                }
            });
        });
        assert_eq!(ends.len(), 8);
        assert!(ends.iter().all(Result::is_ok), "{ends:?}");
    }
}

#[test]
fn what_one_connection_wrote_another_reads_and_flushes() {
    let memory = Memory::new(8192, 0);
    served(&memory, short(), |_, path| {
        let (mut one, mut other) = (client(path), client(path));
        assert_eq!(one.write(5, b"abc").unwrap(), ok());
        assert_eq!(other.read(4, 5).unwrap(), Reply::Simple(0, b"\0abc\0".to_vec()));
        other.send(0, 3, 0, 0).unwrap();
        assert_eq!(reply(&mut other.0, 0).unwrap(), ok());
        assert_eq!(memory.flushes.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_hundred_requests_in_one_piece_are_all_answered() {
    for depth in [1, 4] {
        let mut memory = Memory::new(1 << 20, 0);
        memory.depth = depth;
        served(&memory, short(), |_, path| {
            let mut client = client(path);
            let writes = (0..100).flat_map(|index| {
                [request(0, 1, index * 4096, 4096), vec![index as u8; 4096]].concat()
            });
            let mut sending = client.0.try_clone().unwrap();
            let writes: Vec<u8> = writes.collect();
            thread::scope(|scope| {
                scope.spawn(move || sending.write_all(&writes).unwrap());
                (0..100).for_each(|_| assert_eq!(reply(&mut client.0, 0).unwrap(), ok()));
            });
            let bytes = memory.bytes();
            assert!((0..100).all(|index| bytes[index * 4096..][..4096] == [index as u8; 4096]));
        });
    }
}

/// An export whose every call waits for as many others as there is room for in `barrier`.
struct Together {
    memory: Memory,
    barrier: Barrier,
}

impl Export for Together {
    fn size(&self) -> u64 {
        self.memory.size()
    }
    fn blocks(&self) -> Blocks {
        self.memory.blocks()
    }
    fn depth(&self) -> usize {
        self.memory.depth
    }
    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), Failure> {
        self.barrier.wait();
        self.memory.read(offset, data)
    }
    fn write(&self, _: u64, _: &[u8], _: bool) -> Result<(), Failure> {
        unreachable!("only reads are sent")
    }
    fn trim(&self, _: u64, _: u64, _: bool) -> Result<(), Failure> {
        unreachable!("only reads are sent")
    }
    fn zero(&self, _: u64, _: u64, _: Zeroing) -> Result<(), Failure> {
        unreachable!("only reads are sent")
    }
    fn flush(&self) -> Result<(), Failure> {
        unreachable!("only reads are sent")
    }
    fn extents(&self, _: u64, _: u64, _: &mut dyn FnMut(Extent) -> ControlFlow<()>) {
        unreachable!("only reads are sent")
    }
}

#[test]
fn as_many_requests_of_a_connection_are_under_way_as_the_export_wants() {
    let mut memory = Memory::new(8192, 7);
    memory.depth = 16;
    let together = Together { memory, barrier: Barrier::new(16) };
    served(&together, short(), |_, path| {
        let mut client = client(path);
        (0..16).for_each(|index| client.send(0, 0, index, 1).unwrap());
        for _ in 0..16 {
            assert_eq!(reply(&mut client.0, 1).unwrap(), Reply::Simple(0, vec![7]));
        }
    });
}

/// An export that notes how many reads were in it at a time.
struct Crowded {
    memory: Memory,
    inside: AtomicUsize,
    most: AtomicUsize,
}

impl Export for Crowded {
    fn size(&self) -> u64 {
        self.memory.size()
    }
    fn blocks(&self) -> Blocks {
        self.memory.blocks()
    }
    fn depth(&self) -> usize {
        self.memory.depth
    }
    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), Failure> {
        let inside = 1 + self.inside.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(inside, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(5));
        self.inside.fetch_sub(1, Ordering::SeqCst);
        self.memory.read(offset, data)
    }
    fn write(&self, _: u64, _: &[u8], _: bool) -> Result<(), Failure> {
        unreachable!("only reads are sent")
    }
    fn trim(&self, _: u64, _: u64, _: bool) -> Result<(), Failure> {
        unreachable!("only reads are sent")
    }
    fn zero(&self, _: u64, _: u64, _: Zeroing) -> Result<(), Failure> {
        unreachable!("only reads are sent")
    }
    fn flush(&self) -> Result<(), Failure> {
        unreachable!("only reads are sent")
    }
    fn extents(&self, _: u64, _: u64, _: &mut dyn FnMut(Extent) -> ControlFlow<()>) {
        unreachable!("only reads are sent")
    }
}

#[test]
fn no_more_requests_of_a_connection_are_under_way_than_the_export_wants() {
    for depth in [1, 4] {
        let mut memory = Memory::new(8192, 7);
        memory.depth = depth;
        let crowded = Crowded { memory, inside: AtomicUsize::new(0), most: AtomicUsize::new(0) };
        served(&crowded, short(), |_, path| {
            let mut client = client(path);
            (0..32).for_each(|index| client.send(0, 0, index, 1).unwrap());
            for _ in 0..32 {
                assert_eq!(reply(&mut client.0, 1).unwrap(), Reply::Simple(0, vec![7]));
            }
        });
        let most = crowded.most.into_inner();
        assert!(most <= depth, "{most} at a time of {depth}");
    }
}

#[test]
fn more_connections_than_allowed_are_closed_and_later_ones_are_served() {
    let memory = Memory::new(8192, 0);
    served(&memory, Limits { connections: 2, ..short() }, |server, path| {
        let clients = [client(path), client(path)];
        assert_eq!(connect(path).read(&mut [0; 18]).unwrap_or(0), 0);
        drop(clients);
        wait_for(|| server.connections() == 0);
        assert_eq!(client(path).read(0, 1).unwrap(), Reply::Simple(0, vec![0]));
    });
}

#[test]
fn clients_that_do_not_finish_their_handshake_are_sent_away() {
    let memory = Memory::new(8192, 0);
    let ends = served(&memory, short(), |server, path| {
        let mut silent = connect(path);
        let mut slow = connect(path);
        silent.read_exact(&mut [0; 18]).unwrap();
        // A byte at a time is no excuse.
        let wishes: Vec<u8> = [3_u32.to_be_bytes().to_vec(), option(3, b"")].concat();
        for byte in wishes.iter().cycle() {
            if slow.write_all(&[*byte]).is_err() {
                break;
            }
            thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(silent.read(&mut [0]).unwrap(), 0);
        wait_for(|| server.connections() == 0);
    });
    let kinds: Vec<_> = ends.into_iter().map(|end| end.unwrap_err().kind()).collect();
    assert_eq!(kinds, [ErrorKind::TimedOut, ErrorKind::TimedOut]);
}

#[test]
fn idle_clients_stay_and_those_that_stop_in_a_request_go() {
    let memory = Memory::new(8192, 7);
    served(&memory, short(), |server, path| {
        let (mut idle, mut stuck) = (client(path), client(path));
        stuck.0.write_all(&request(0, 1, 0, 8192)[..20]).unwrap();
        wait_for(|| server.connections() == 1);
        thread::sleep(2 * short().stall);
        assert_eq!(idle.read(0, 1).unwrap(), Reply::Simple(0, vec![7]));
        let mut stuck = client(path);
        stuck.0.write_all(&request(0, 1, 0, 8192)).unwrap();
        stuck.0.write_all(&[0; 8191]).unwrap();
        wait_for(|| server.connections() == 1);
        assert_eq!(memory.bytes()[0], 7);
    });
}

/// What a handshake may take is no measure for requests and replies.
#[test]
fn clients_that_stop_in_a_request_or_take_no_reply_go_however_long_a_handshake_may_take() {
    let memory = Memory::new(64 << 20, 7);
    let begin = Instant::now();
    let limits = Limits { handshake: Duration::from_secs(60), ..short() };
    served(&memory, limits, |server, path| {
        let (mut stuck, mut deaf) = (client(path), client(path));
        stuck.0.write_all(&request(0, 1, 0, 8192)[..20]).unwrap();
        (0..9).for_each(|_| deaf.send(0, 0, 0, 32 << 20).unwrap());
        wait_for(|| server.connections() == 0);
    });
    assert!(begin.elapsed() < Duration::from_secs(30));
}

/// More large requests than there are buffers for, by clients who take no reply, or send no data.
#[test]
fn floods_of_large_requests_end_and_others_are_served_afterwards() {
    for depth in [1, 16] {
        let mut memory = Memory::new(64 << 20, 7);
        memory.depth = depth;
        served(&memory, Limits { connections: 32, ..short() }, |server, path| {
            let mut clients: Vec<_> = (0..12).map(|_| client(path)).collect();
            for (index, client) in clients.iter_mut().enumerate() {
                let kind = u16::from(index % 2 == 0);
                (0..4).for_each(|_| client.send(0, kind, 0, 32 << 20).unwrap());
            }
            let mut patient = client(path);
            wait_for(|| server.connections() == 1);
            assert_eq!(patient.read(1, 1 << 20).unwrap(), Reply::Simple(0, vec![7; 1 << 20]));
        });
    }
}

/// An export whose reads wait for leave.
struct Slow {
    memory: Memory,
    reading: Mutex<bool>,
    leave: (Mutex<bool>, Condvar),
}

impl Export for Slow {
    fn size(&self) -> u64 {
        self.memory.size()
    }
    fn blocks(&self) -> Blocks {
        self.memory.blocks()
    }
    fn read(&self, offset: u64, data: &mut [u8]) -> Result<(), Failure> {
        *self.reading.lock().unwrap() = true;
        let leave = self.leave.0.lock().unwrap();
        drop(self.leave.1.wait_while(leave, |leave| !*leave).unwrap());
        self.memory.read(offset, data)
    }
    fn write(&self, offset: u64, data: &[u8], safe: bool) -> Result<(), Failure> {
        self.memory.write(offset, data, safe)
    }
    fn trim(&self, offset: u64, length: u64, safe: bool) -> Result<(), Failure> {
        self.memory.trim(offset, length, safe)
    }
    fn zero(&self, offset: u64, length: u64, how: Zeroing) -> Result<(), Failure> {
        self.memory.zero(offset, length, how)
    }
    fn flush(&self) -> Result<(), Failure> {
        self.memory.flush()
    }
    fn extents(&self, offset: u64, length: u64, each: &mut dyn FnMut(Extent) -> ControlFlow<()>) {
        self.memory.extents(offset, length, each);
    }
}

#[test]
fn a_server_that_stops_answers_what_is_under_way_and_refuses_the_rest() {
    let slow = Slow {
        memory: Memory::new(8192, 7),
        reading: Mutex::new(false),
        leave: (Mutex::new(false), Condvar::new()),
    };
    let mut socket = None;
    let limits = Limits { farewell: Duration::from_secs(60), ..short() };
    let ends = served(&slow, limits, |server, path| {
        let mut client = client(path);
        client.send(0, 0, 0, 1).unwrap();
        wait_for(|| *slow.reading.lock().unwrap());
        client.send(0, 1, 0, 1).unwrap();
        client.0.write_all(&[9]).unwrap();
        server.stop();
        *slow.leave.0.lock().unwrap() = true;
        slow.leave.1.notify_all();
        assert_eq!(reply(&mut client.0, 1).unwrap(), Reply::Simple(0, vec![7]));
        assert_eq!(reply(&mut client.0, 0).unwrap(), Reply::Simple(108, vec![]));
        assert_eq!(client.0.read(&mut [0]).unwrap(), 0);
        socket = Some(path.to_owned());
    });
    assert!(ends.iter().all(Result::is_ok), "{ends:?}");
    assert!(slow.memory.bytes().iter().all(|&byte| byte == 7));
    assert!(!socket.unwrap().exists());
}

#[test]
fn a_server_stops_in_spite_of_clients_that_take_no_reply() {
    let memory = Memory::new(64 << 20, 7);
    let begin = Instant::now();
    let limits = Limits { stall: Duration::from_secs(60), ..short() };
    served(&memory, limits, |server, path| {
        let mut deaf = client(path);
        (0..9).for_each(|_| deaf.send(0, 0, 0, 32 << 20).unwrap());
        deaf.0.read_exact(&mut [0; 100]).unwrap();
        server.stop();
        wait_for(|| server.connections() == 0);
    });
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_server_stopped_before_it_runs_does_not_run() {
    let server = Server::bind(&Address::Loopback(0), Limits::default()).unwrap();
    server.stop();
    server.run(&[], &|_| panic!("no client came")).unwrap();
}

#[test]
fn clients_come_by_loopback_too() {
    let memory = Memory::new(8192, 7);
    let server = Server::bind(&Address::Loopback(0), short()).unwrap();
    let Address::Loopback(port) = server.address().unwrap() else { panic!("another address") };
    let exports = [Named { name: "", description: "", export: &memory }];
    thread::scope(|scope| {
        let run = scope.spawn(|| server.run(&exports, &|_| {}));
        let mut client = Client::new(TcpStream::connect(("127.0.0.1", port)).unwrap()).unwrap();
        assert_eq!(client.write(1, b"x").unwrap(), ok());
        assert_eq!(client.read(0, 2).unwrap(), Reply::Simple(0, vec![7, b'x']));
        server.stop();
        run.join().unwrap().unwrap();
        assert_eq!(client.0.read(&mut [0]).unwrap(), 0);
    });
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

fn refusal(address: &Address) -> String {
    Server::bind(address, Limits::default()).err().unwrap().to_string()
}

#[test]
fn addresses_in_use_are_refused_and_left_over_sockets_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let address = Address::Unix(path.clone());
    drop(UnixListener::bind(&path).unwrap());
    let server = Server::bind(&address, Limits::default()).unwrap();
    assert!(refusal(&address).contains("another server listens there"));
    // A socket that is no longer this server's stays.
    fs::remove_file(&path).unwrap();
    let other = Server::bind(&address, Limits::default()).unwrap();
    drop(server);
    assert!(path.exists());
    drop(other);
    assert!(!path.exists());
    fs::write(&path, "letters").unwrap();
    assert!(refusal(&address).contains("is not a socket"));
    assert_eq!(fs::read(&path).unwrap(), b"letters");
    let missing = folder.path().join("none/s");
    assert!(refusal(&Address::Unix(missing)).contains("none/s"));
}

#[test]
fn a_client_that_breaks_the_protocol_is_told_of() {
    let memory = Memory::new(8192, 0);
    let ends = served(&memory, short(), |_, path| {
        let mut client = client(path);
        client.0.write_all(&[0; 28]).unwrap();
        assert_eq!(client.0.read(&mut [0]).unwrap(), 0);
        let mut lost = connect(path);
        lost.write_all(&option(7, &wish("", &[]))).unwrap();
        // The greeting, and what was not read ends in a reset.
        let _ = lost.read_to_end(&mut Vec::new());
    });
    let kinds: Vec<_> = ends.into_iter().map(|end| end.unwrap_err().kind()).collect();
    assert_eq!(kinds, [ErrorKind::InvalidData, ErrorKind::InvalidData]);
}
