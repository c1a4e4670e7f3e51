internal import Foundation
internal import Glibc

/// Posts bodies over keep-alive connections from one thread. Each connection has one request in flight at a time.
struct LoadGenerator {
    /// A load: the requests to send, and how fast to send them.
    struct Load {
        /// The number of connections, which stay open.
        var connections: Int
        /// The maximum number of concurrent requests, which take turns on the connections.
        var outstanding = Int.max
        /// The maximum number of requests. The load ends early when it is reached.
        var requests = Int.max
        /// The number of requests per second, or nil to send requests as fast as responses arrive. If a rate is set,
        /// latency is measured from the time when a request was due.
        var perSecond: Double?
        var seconds: Double
    }

    struct Outcome {
        let accepted: Int
        let seconds: Double
        /// The latency of each response, in milliseconds.
        let latencies: Distribution

        var perSecond: Double { Double(accepted) / seconds }
    }

    private let port: UInt16
    /// The complete requests, including the heads.
    private let requests: [[UInt8]]

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

    /// - Throws: ``BenchFailure`` if a response is not 2xx, or a connection fails or is closed by the server.
    func run(_ load: Load) throws -> Outcome {
        let connections = try Connections(count: load.connections, port: port)
        defer { connections.close() }
        // The least recently used connection comes first, so that all connections are used.
        var free = Array(0..<load.connections)
        var firstFree = 0
        var startedAt = [Double](repeating: 0, count: load.connections)
        var latencies: [Double] = []
        var sent = 0
        let start = Clocks.monotonic
        let end = start + load.seconds * 1e9
        var pace = load.perSecond.map { Pace(perSecond: $0, from: start) }
        while true {
            let now = Clocks.monotonic
            while firstFree < free.count, sent - latencies.count < load.outstanding, now < end, sent < load.requests {
                guard let due = pace == nil ? now : pace?.take(at: now) else { break }
                let connection = free[firstFree]
                firstFree += 1
                startedAt[connection] = due
                try connections.send(requests[sent % requests.count], on: connection)
                sent += 1
            }
            if now >= end || sent >= load.requests, sent == latencies.count { break }
            // If a rate is set, poll for at most 1 ms, so that a request is sent at most 1 ms after it was due.
            for connection in try connections.answered(within: pace == nil || now >= end ? 1000 : 1) {
                try connections.receiveAnswer(on: connection)
                latencies.append((Clocks.monotonic - startedAt[connection]) / 1e6)
                free.append(connection)
            }
            if firstFree >= 4096 {
                free.removeFirst(firstFree)
                firstFree = 0
            }
        }
        return Outcome(
            accepted: latencies.count, seconds: (Clocks.monotonic - start) / 1e9, latencies: Distribution(latencies))
    }
}

/// Open sockets to one local port, polled together.
private final class Connections {
    private var sockets: [Int32] = []
    /// One entry per socket. The descriptor is negative while no response is expected.
    private var polls: [pollfd] = []
    private var answer = [UInt8](repeating: 0, count: 4096)

    init(count: Int, port: UInt16) throws {
        for _ in 0..<count {
            sockets.append(try Self.connect(to: port))
            polls.append(pollfd(fd: -1, events: Int16(POLLIN), revents: 0))
        }
    }

    func close() {
        for socket in sockets { Glibc.close(socket) }
    }

    /// Sends a request. Requests fit in the socket buffer, so this does not wait for the server.
    func send(_ request: [UInt8], on connection: Int) throws {
        var position = 0
        while position < request.count {
            let sent = request.withUnsafeBytes { bytes in
                Glibc.send(
                    sockets[connection], bytes.baseAddress?.advanced(by: position), bytes.count - position,
                    Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { throw BenchFailure("send failed: errno \(errno)") }
            position += sent
        }
        polls[connection].fd = sockets[connection]
    }

    /// Returns the connections on which a response has arrived.
    func answered(within milliseconds: Int32) throws -> [Int] {
        let count = poll(&polls, UInt(polls.count), milliseconds)
        guard count >= 0 || errno == EINTR else { throw BenchFailure("poll failed: errno \(errno)") }
        return count > 0 ? polls.indices.filter { polls[$0].revents != 0 } : []
    }

    /// Reads a response. Responses have no body, so they arrive in one piece.
    func receiveAnswer(on connection: Int) throws {
        let count = recv(sockets[connection], &answer, answer.count, 0)
        polls[connection] = pollfd(fd: -1, events: Int16(POLLIN), revents: 0)
        guard count > 12 else { throw BenchFailure("the server closed a connection") }
        guard answer[9] == UInt8(ascii: "2") else {
            throw BenchFailure("a response was \(String(decoding: answer[9..<12], as: UTF8.self))")
        }
    }

    private static func connect(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var one: Int32 = 1
        var buffer: Int32 = 256 * 1024
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &buffer, socklen_t(MemoryLayout<Int32>.size))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, result == 0 else { throw BenchFailure("cannot connect to port \(port)") }
        return descriptor
    }
}
