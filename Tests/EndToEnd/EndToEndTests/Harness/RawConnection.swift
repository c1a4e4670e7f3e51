import Foundation

/// A TCP connection to this machine that sends whatever it is told to.
final class RawConnection {
    private let socket: Int32
    private var buffer = [UInt8](repeating: 0, count: 4096)

    /// A blocking one, whose operations give up after `timeout`, or one that never waits.
    init?(port: UInt16, timeout: Duration? = nil) {
        let kind = Int32(SOCK_STREAM.rawValue)
        let nonBlocking = timeout == nil ? Int32(SOCK_NONBLOCK.rawValue) : 0
        socket = Foundation.socket(AF_INET, kind | Int32(SOCK_CLOEXEC.rawValue) | nonBlocking, 0)
        if let timeout {
            var limit = timeval(tv_sec: Int(timeout.components.seconds), tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
            }
        }
        // No waiting time of the port: there are many of these. The peer sees a reset when this one closes first.
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
        guard socket >= 0, result == 0 || (timeout == nil && errno == EINPROGRESS) else { return nil }
    }

    deinit { if socket >= 0 { close(socket) } }

    /// `false`: not all of it went out.
    func send(_ bytes: [UInt8]) -> Bool {
        var position = 0
        while position < bytes.count {
            let count = bytes[position...].withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            position += count
        }
        return true
    }

    /// Reads one answer without a body; `nil` when there is none.
    func answer() -> (status: Int, isLast: Bool)? {
        var length = 0
        while length < buffer.count {
            let count = buffer[length...].withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return nil }
            length += count
            let text = String(decoding: buffer[..<length], as: UTF8.self)
            guard text.contains("\r\n\r\n") else { continue }
            return (Int(text.dropFirst(9).prefix(3)) ?? 0, text.lowercased().contains("connection: close"))
        }
        return nil
    }

    /// Whether the peer has closed. Never waits.
    var isOver: Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }
}
