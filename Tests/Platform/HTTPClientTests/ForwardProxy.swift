import Foundation
import Glibc
import Synchronization

/// A forward proxy on a local port. It tunnels (CONNECT) or forwards (absolute form) requests for every host to one
/// server, or refuses them.
final class ForwardProxy: Sendable {
    private let listener: Int32
    private let target: UInt16
    /// The proxy's own response; nil if it forwards requests.
    private let refusal: String?
    private let seen = Mutex<[String]>([])
    let port: UInt16

    /// The heads of all requests received.
    var requests: [String] { seen.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(port)" }

    struct NoSocket: Error {}

    /// - Parameters:
    ///   - target: the port of the server that receives all requests.
    ///   - refusal: the status, reason and header fields of the proxy's own response, such as
    ///     `407 Proxy Authentication Required`.
    init(to target: UInt16, refusing refusal: String? = nil) throws {
        self.target = target
        self.refusal = refusal
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
        if let refusal {
            send("HTTP/1.1 \(refusal)\r\nX-Proxy: here\r\nContent-Length: 0\r\n\r\n", to: client)
            return
        }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = Self.address(target)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0 else { return }
        if head.starts(with: "CONNECT ".utf8) {
            send("HTTP/1.1 200 test\r\nX-Proxy: here\r\n\r\n", to: client)
        } else {
            send(Self.originForm(String(decoding: head, as: UTF8.self)), to: server)
        }
        pump(client, server)
    }

    private func send(_ text: String, to socket: Int32) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Converts a request head to origin form: reduces the target to the path, and removes fields meant for the proxy.
    private static func originForm(_ head: String) -> String {
        let lines = head.components(separatedBy: "\r\n").filter { !$0.hasPrefix("Proxy-") }
        let parts = (lines.first ?? "").split(separator: " ")
        guard parts.count == 3 else { return head }
        let path = parts[1].dropFirst("http://".count).drop { $0 != "/" }
        return ([parts[0] + " " + path + " " + parts[2]] + lines.dropFirst().map { $0[...] }).joined(separator: "\r\n")
    }

    /// Copies in both directions until either side ends.
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
