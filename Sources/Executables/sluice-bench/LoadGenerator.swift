internal import Foundation

/// Posts bodies over a fixed number of keep-alive connections, each with one request at a time, from one thread.
struct LoadGenerator {
    struct Failure: Error {
        let message: String
    }

    struct Result {
        let accepted: Int
        let other: Int
        let seconds: Double
        /// Of each answer, in milliseconds.
        let latencies: Distribution
    }

    let port: UInt16
    /// Whole requests, head included.
    let requests: [[UInt8]]

    init(port: UInt16, bodies: [[UInt8]]) {
        self.port = port
        requests = bodies.map { body in
            Array(
                """
                POST /notifications HTTP/1.1\r
                Host: 127.0.0.1\r
                Content-Type: application/json\r
                Content-Length: \(body.count)\r
                \r

                """.utf8) + body
        }
    }

    private struct Connection {
        let descriptor: Int32
        var request = 0
        var sent = 0
        var startedAt = 0.0
    }

    func run(connections count: Int, seconds: Int) throws -> Result {
        var connections = try (0..<count).map { _ in Connection(descriptor: try connect()) }
        defer { for connection in connections { close(connection.descriptor) } }
        var polls = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLOUT), revents: 0) }
        var next = 0
        var accepted = 0
        var other = 0
        var latencies: [Double] = []
        let start = monotonicNanoseconds()
        let end = start + Double(seconds) * 1e9
        var busy = 0
        for index in connections.indices { begin(&connections[index], &next, &busy) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while busy > 0 {
            guard poll(&polls, UInt(polls.count), 1000) >= 0 else { throw Failure(message: "poll failed") }
            for index in connections.indices where polls[index].revents != 0 {
                if polls[index].revents & Int16(POLLOUT) != 0 {
                    if try write(&connections[index]) { polls[index].events = Int16(POLLIN) }
                    continue
                }
                let received = recv(connections[index].descriptor, &buffer, buffer.count, 0)
                guard received > 12 else { throw Failure(message: "the server closed a connection") }
                // An answer without a body arrives whole.
                if buffer[9] == UInt8(ascii: "2") { accepted += 1 } else { other += 1 }
                let now = monotonicNanoseconds()
                latencies.append((now - connections[index].startedAt) / 1e6)
                busy -= 1
                if now < end {
                    begin(&connections[index], &next, &busy)
                    polls[index].events = try write(&connections[index]) ? Int16(POLLIN) : Int16(POLLOUT)
                } else {
                    polls[index].fd = -1
                }
            }
        }
        let elapsed = (monotonicNanoseconds() - start) / 1e9
        return Result(accepted: accepted, other: other, seconds: elapsed, latencies: Distribution(latencies))
    }

    private func begin(_ connection: inout Connection, _ next: inout Int, _ busy: inout Int) {
        connection.request = next % requests.count
        next += 1
        connection.sent = 0
        connection.startedAt = monotonicNanoseconds()
        busy += 1
    }

    /// - Returns: whether the whole request is sent.
    private func write(_ connection: inout Connection) throws -> Bool {
        let request = requests[connection.request]
        while connection.sent < request.count {
            let sent = request.withUnsafeBytes { bytes in
                send(
                    connection.descriptor, bytes.baseAddress?.advanced(by: connection.sent),
                    bytes.count - connection.sent, Int32(MSG_NOSIGNAL))
            }
            if sent < 0 {
                guard errno == EAGAIN else { throw Failure(message: "send failed: \(errno)") }
                return false
            }
            connection.sent += sent
        }
        return true
    }

    private func connect() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, result == 0 else { throw Failure(message: "cannot connect to port \(port)") }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Failure(message: "fcntl failed") }
        return descriptor
    }
}
