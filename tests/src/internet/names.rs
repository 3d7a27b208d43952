//! A server of names, over UDP.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread;

use hickory_proto::op::{Message, MessageType, ResponseCode};
use hickory_proto::rr::rdata::{A, AAAA};
use hickory_proto::rr::{RData, Record, RecordType};

/// A server of names, which answers in turn with the lists it was told.
pub struct Names {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    answers: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: Vec<String>,
}

impl Names {
    /// Starts one.
    ///
    /// # Panics
    ///
    /// If there is no port for it.
    #[must_use]
    pub fn serve() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let state: Arc<Mutex<State>> = Arc::default();
        let own = Arc::clone(&state);
        // It ends with the test's process.
        thread::spawn(move || {
            let mut buffer = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer) {
                let answer = own.lock().unwrap().answer(&buffer[..length]);
                let _ = socket.send_to(&answer, from);
            }
        });
        Self { address, state }
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The answers for a name, one after the other; the last one stays.
    ///
    /// # Panics
    ///
    /// If one of them is no address.
    pub fn say(&self, name: &str, answers: &[&[&str]]) {
        let parsed = answers.iter().map(|answer| {
            let addresses = answer.iter().map(|address| address.parse().unwrap());
            addresses.collect()
        });
        let mut state = self.state.lock().unwrap();
        state.answers.insert(format!("{name}."), parsed.collect());
    }

    /// A name for this machine.
    pub fn here(&self, name: &str) {
        self.say(name, &[&["127.0.0.1"]]);
    }

    /// The names it was asked about so far, each as often as it was.
    ///
    /// # Panics
    ///
    /// If it broke off.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.state.lock().unwrap().asked.clone()
    }
}

impl State {
    fn answer(&mut self, asked: &[u8]) -> Vec<u8> {
        let asked = Message::from_vec(asked).unwrap();
        let query = asked.queries[0].clone();
        let name = query.name().to_lowercase().to_string();
        self.asked.push(name.trim_end_matches('.').to_owned());
        let mut answer = Message::response(asked.metadata.id, asked.metadata.op_code);
        answer.metadata.message_type = MessageType::Response;
        answer.metadata.recursion_available = true;
        let of_v4 = query.query_type() == RecordType::A;
        match self.answers.get_mut(&name) {
            None => answer.metadata.response_code = ResponseCode::NXDomain,
            Some(answers) => {
                let now = answers[0].clone();
                // Both kinds are asked for each time; the first moves on, so
                // that nothing depends on the order of two answers.
                if of_v4 && answers.len() > 1 {
                    answers.remove(0);
                }
                for address in now {
                    let data = match address {
                        IpAddr::V4(address) if of_v4 => RData::A(A(address)),
                        IpAddr::V6(address) if !of_v4 => RData::AAAA(AAAA(address)),
                        _ => continue,
                    };
                    answer.add_answer(Record::from_rdata(query.name().clone(), 0, data));
                }
            }
        }
        answer.add_query(query);
        answer.to_vec().unwrap()
    }
}
