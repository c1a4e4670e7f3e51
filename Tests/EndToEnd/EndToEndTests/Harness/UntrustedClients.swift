import Foundation
import Synchronization
import TestSupport

/// Connections that send a byte now and then but never a complete request, and reconnect when they are evicted.
final class SlowClients: Sendable {
    private struct State {
        var open = 0
        var opened = 0
        var isStopped = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let port: UInt16
    private let count: Int
    private let interval: Duration

    /// Starts immediately.
    ///
    /// - Parameter interval: interval between two bytes of a connection.
    init(port: UInt16, count: Int, interval: Duration) {
        self.port = port
        self.count = count
        self.interval = interval
        Thread { self.run() }.start()
    }

    /// Number of connections that are open or waiting to be accepted.
    var open: Int { state.withLock { $0.open } }
    /// Total number of connections made.
    var opened: Int { state.withLock { $0.opened } }

    /// Closes all connections.
    func stop() async {
        state.withLock { $0.isStopped = true }
        _ = await eventually { state.withLock { $0.hasEnded } }
    }

    private func run() {
        var connections: [(connection: RawConnection, due: ContinuousClock.Instant)] = []
        while !state.withLock({ $0.isStopped }) {
            connections.removeAll { $0.connection.isOver }
            var opened = 0
            // Four hundred per second: evicted clients reconnect slowly.
            while connections.count < count, opened < 20,
                let connection = RawConnection(port: port, sending: Self.head)
            {
                // Spread over the interval.
                connections.append((connection, .now + interval * connections.count / count))
                opened += 1
            }
            for index in connections.indices where connections[index].due <= .now {
                connections[index].connection.send([UInt8(ascii: "a")])
                connections[index].due += interval
            }
            state.withLock { state in
                state.open = connections.count
                state.opened += opened
            }
            // Blocking is fine on the clients' own thread.
            usleep(50_000)
        }
        state.withLock { $0.hasEnded = true }
    }

    private static let head = Array("POST /notifications HTTP/1.1\r\nHost: a\r\nX: ".utf8)
}

/// Requests that stop in the middle of their body, at a rate per second. Beyond a large number the oldest connections
/// are closed.
final class HalfSentRequests: Sendable {
    private static let kept = 2000

    private struct State {
        var sent = 0
        var isStopped = false
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let port: UInt16
    private let perSecond: Int

    /// Starts immediately.
    init(port: UInt16, perSecond: Int) {
        self.port = port
        self.perSecond = perSecond
        Thread { self.run() }.start()
    }

    /// Number of requests sent so far.
    var sent: Int { state.withLock { $0.sent } }

    /// Closes all connections.
    func stop() async {
        state.withLock { $0.isStopped = true }
        _ = await eventually { state.withLock { $0.hasEnded } }
    }

    private func run() {
        let request =
            Array("POST /notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n".utf8)
            + [UInt8](repeating: UInt8(ascii: "a"), count: 10_000)
        var connections: [RawConnection?] = Array(repeating: nil, count: Self.kept)
        var sent = 0
        let start = ContinuousClock.now
        while !state.withLock({ $0.isStopped }) {
            let due = Int((ContinuousClock.now - start) / .seconds(1) * Double(perSecond))
            while sent < due {
                connections[sent % Self.kept] = nil
                connections[sent % Self.kept] = RawConnection(port: port, sending: request)
                sent += 1
            }
            state.withLock { $0.sent = sent }
            // Blocking is fine on this object's own thread.
            usleep(5000)
        }
        connections = []
        state.withLock { $0.hasEnded = true }
    }
}

/// A nonblocking TCP connection to this machine.
final class RawConnection {
    private let socket: Int32

    /// `nil` if nothing listens, or no descriptor is left.
    init?(port: UInt16, sending bytes: [UInt8]) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        socket = Foundation.socket(AF_INET, kind, 0)
        // Frees the port immediately, because there are many connections.
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard socket >= 0, result == 0 || errno == EINPROGRESS else { return nil }
        send(bytes)
    }

    deinit { if socket >= 0 { close(socket) } }

    /// Sends as much as possible without blocking.
    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Whether the peer has closed the connection or responded.
    var isOver: Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_DONTWAIT))
        return count >= 0 || (errno != EAGAIN && errno != ENOTCONN)
    }
}
