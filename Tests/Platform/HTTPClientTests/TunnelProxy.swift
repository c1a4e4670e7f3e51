import Foundation
import Glibc
import Synchronization

/// A forward proxy on a port of this machine: it answers CONNECT as it is told, and tunnels every host to one server.
final class TunnelProxy: Sendable {
    private let listener: Int32
    private let target: UInt16
    private let status: Int
    private let seen = Mutex<[String]>([])
    let port: UInt16

    /// The heads of the requests that came.
    var requests: [String] { seen.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(port)" }

    struct NoSocket: Error {}

    /// - Parameter target: the port of the server that every tunnel ends at.
    init(to target: UInt16, status: Int = 200) throws {
        self.target = target
        self.status = status
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard listener >= 0, isBound == 0, listen(listener, 16) == 0 else { throw NoSocket() }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in acceptAll() }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            Thread.detachNewThread { [self] in
                serve(client)
                close(client)
            }
        }
    }

    private func serve(_ client: Int32) {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard head.count < 8_192, read(client, &byte, 1) == 1 else { return }
            head.append(byte)
        }
        seen.withLock { $0.append(String(decoding: head, as: UTF8.self)) }
        let answer = Array("HTTP/1.1 \(status) test\r\nX-Proxy: here\r\n\r\n".utf8)
        guard write(client, answer, answer.count) == answer.count, status == 200 else { return }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = Self.address(target)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0 else { return }
        pump(client, server)
    }

    /// Copies both ways until one side ends.
    private func pump(_ one: Int32, _ other: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var ends = [
            pollfd(fd: one, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&ends, 2, 30_000) > 0 {
            for index in 0..<2 where ends[index].revents != 0 {
                let count = read(ends[index].fd, &buffer, buffer.count)
                guard count > 0, write(ends[1 - index].fd, buffer, count) == count else { return }
            }
        }
    }
}
