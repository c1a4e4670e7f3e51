internal import Foundation
internal import Glibc
internal import Synchronization

/// A TCP proxy on 127.0.0.1 for one broker. It can change each response to the client.
///
/// The proxy replaces the broker's port in responses with its own, so that clients keep using the proxy.
package final class KafkaProxy: Sendable {
    private struct CannotListen: Error {}

    /// `127.0.0.1:port`.
    package let bootstrapServers: String
    private let upstream: UInt16
    private let port: UInt16
    private let listener: Int32
    private let change: @Sendable ([UInt8]) -> [UInt8]
    private let sockets = Mutex<Set<Int32>>([])

    /// - Parameters:
    ///   - upstream: the broker, as `127.0.0.1:port`.
    ///   - change: receives each response without the length prefix; must return the same number of bytes.
    package init(to upstream: String, change: @escaping @Sendable ([UInt8]) -> [UInt8]) throws {
        guard let port = upstream.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw CannotListen() }
        self.upstream = port
        self.change = change
        listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 ? getsockname(listener, $0, &length) : -1
            }
        }
        guard result == 0, listen(listener, 64) == 0 else {
            Glibc.close(listener)
            throw CannotListen()
        }
        self.port = UInt16(bigEndian: address.sin_port)
        bootstrapServers = "127.0.0.1:\(self.port)"
        Thread.detachNewThread { [self] in acceptClients() }
    }

    /// Closes all connections and ends their threads.
    package func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        for socket in sockets.withLock({ $0 }) { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func acceptClients() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            let broker = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard Self.connect(broker, to: upstream) else {
                Glibc.close(client)
                Glibc.close(broker)
                continue
            }
            sockets.withLock { $0.formUnion([client, broker]) }
            Thread.detachNewThread { [self] in forwardRequests(from: client, to: broker) }
            Thread.detachNewThread { [self] in
                forwardResponses(from: broker, to: client)
                sockets.withLock { $0.subtract([client, broker]) }
                Glibc.close(client)
                Glibc.close(broker)
            }
        }
        Glibc.close(listener)
    }

    private func forwardRequests(from client: Int32, to broker: Int32) {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = recv(client, &bytes, bytes.count, 0)
            guard count > 0, Self.send(Array(bytes[..<count]), to: broker) else { break }
        }
        // End the other thread's read, after which that thread closes both sockets.
        shutdown(broker, Int32(SHUT_RDWR))
    }

    private func forwardResponses(from broker: Int32, to client: Int32) {
        while let size = Self.receive(4, from: broker),
            let response = Self.receive(size.reduce(0) { $0 << 8 | Int($1) }, from: broker)
        {
            guard Self.send(size + change(withOwnPort(response)), to: client) else { break }
        }
        shutdown(client, Int32(SHUT_RDWR))
    }

    /// Replaces the port in addresses, which brokers encode as the host's text and the port in four bytes.
    private func withOwnPort(_ response: [UInt8]) -> [UInt8] {
        func address(_ port: UInt16) -> [UInt8] {
            Array("127.0.0.1".utf8) + [0, 0, UInt8(port >> 8), UInt8(port & 255)]
        }
        return response.replacing(address(upstream), with: address(port))
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func connect(_ socket: Int32, to port: UInt16) -> Bool {
        var address = loopback(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func receive(_ count: Int, from socket: Int32) -> [UInt8]? {
        guard (0...(64 << 20)).contains(count) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var position = 0
        while position < count {
            let received = bytes.withUnsafeMutableBytes {
                recv(socket, $0.baseAddress.map { $0 + position }, count - position, 0)
            }
            guard received > 0 else { return nil }
            position += received
        }
        return bytes
    }

    private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var position = 0
        while position < bytes.count {
            let sent = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress.map { $0 + position }, $0.count - position, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            position += sent
        }
        return true
    }
}
