import CSockets
import Testing

/// A blocking client socket to 127.0.0.1. Reading gives up after ten seconds.
final class TestConnection {
    struct Response {
        var status = 0
        var head = ""
        var body: [UInt8] = []
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    struct ConnectionFailed: Error {}

    private var socket: Int32
    private var received: [UInt8] = []

    init(port: UInt16, receiveBuffer: Int32 = 0) throws {
        socket = CSockets.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if receiveBuffer > 0 {
            var size = receiveBuffer
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                CSockets.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw ConnectionFailed() }
    }

    deinit { close() }

    func close() {
        if socket >= 0 { cs_close(socket) }
        socket = -1
    }

    /// The peer sees a reset instead of an end.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<CSockets.linger>.size))
        close()
    }

    func endOutput() { cs_end_output(socket) }

    /// False: the peer closed.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var position = 0
        while position < bytes.count {
            let sent = bytes.withUnsafeBytes {
                cs_send(socket, $0.baseAddress.map { $0 + position }, $0.count - position, 0)
            }
            guard sent > 0 else { return false }
            position += sent
        }
        return true
    }

    /// Reads one answer. `hasBody` false: an answer to HEAD.
    func response(hasBody: Bool = true) throws -> Response {
        while true {
            if let end = headEnd() {
                var response = Response()
                response.head = String(decoding: received[..<end], as: UTF8.self)
                response.status = Int(response.head.dropFirst(9).prefix(3)) ?? 0
                received.removeFirst(end)
                let length = hasBody ? Self.contentLength(response.head) : 0
                while received.count < length { try #require(read()) }
                response.body = Array(received.prefix(length))
                received.removeFirst(length)
                return response
            }
            try #require(read(), "the connection ended before an answer")
        }
    }

    /// Whether the peer closes without sending more.
    func isClosedByPeer() -> Bool { received.isEmpty && !read() && received.isEmpty }

    private func headEnd() -> Int? {
        guard received.count >= 4 else { return nil }
        for end in 4...received.count where received[(end - 4)..<end].elementsEqual("\r\n\r\n".utf8) { return end }
        return nil
    }

    private static func contentLength(_ head: String) -> Int {
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        return line.flatMap { Int($0.dropFirst(16)) } ?? 0
    }

    private func read() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = cs_receive(socket, &bytes, bytes.count)
        guard count > 0 else { return false }
        received.append(contentsOf: bytes[..<count])
        return true
    }
}
