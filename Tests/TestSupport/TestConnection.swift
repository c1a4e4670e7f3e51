internal import Glibc

/// A blocking client socket to 127.0.0.1, for bytes that no HTTP client would send. Reads time out after ten seconds.
package final class TestConnection {
    package struct Response {
        package var status = 0
        package var head = ""
        package var body: [UInt8] = []
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    private struct ConnectionFailed: Error {}
    private struct EndedBeforeAnswer: Error {}

    private var socket: Int32
    private var received: [UInt8] = []

    package init(port: UInt16, receiveBuffer: Int32 = 0) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if receiveBuffer > 0 {
            var size = receiveBuffer
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        // Small pieces must be sent without delay.
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close()
            throw ConnectionFailed()
        }
    }

    deinit { close() }

    package func close() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    /// Closes the connection with a reset.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    package func endOutput() { shutdown(socket, Int32(SHUT_WR)) }

    /// - Returns: false if the peer closed the connection.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
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

    /// Reads one response.
    ///
    /// - Parameter hasBody: false for a response to HEAD.
    package func response(hasBody: Bool = true) throws -> Response {
        while true {
            if let end = headEnd() {
                var response = Response()
                response.head = String(decoding: received[..<end], as: UTF8.self)
                response.status = Int(response.head.dropFirst(9).prefix(3)) ?? 0
                received.removeFirst(end)
                let length = hasBody ? Self.contentLength(response.head) : 0
                while received.count < length {
                    guard read() else { throw EndedBeforeAnswer() }
                }
                response.body = Array(received.prefix(length))
                received.removeFirst(length)
                return response
            }
            guard read() else { throw EndedBeforeAnswer() }
        }
    }

    /// Whether the peer closes without sending more.
    package func isClosedByPeer() -> Bool { received.isEmpty && !read() && received.isEmpty }

    private func headEnd() -> Int? {
        received.withUnsafeBufferPointer { bytes in
            var index = 3
            while index < bytes.count {
                // CR LF CR LF
                if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 {
                    return index + 1
                }
                index += 1
            }
            return nil
        }
    }

    private static func contentLength(_ head: String) -> Int {
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        return line.flatMap { Int($0.dropFirst(16)) } ?? 0
    }

    private func read() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(socket, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        received.append(contentsOf: bytes[..<count])
        return true
    }
}
