import Glibc
import Synchronization

/// A listener on 127.0.0.1 that sends the same bytes to every connection, regardless of the request, and closes it.
package final class AnsweringListener: Sendable {
    package let port: UInt16
    private let socket: Int32
    private let isClosed = Atomic(false)

    package init(answering bytes: [UInt8]) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && listen(socket, 16) == 0 ? getsockname(socket, $0, &length) : -1
            }
        }
        guard result == 0 else { throw SupportError("no port is free") }
        self.socket = socket
        port = UInt16(bigEndian: address.sin_port)
        start(bytes)
    }

    deinit { close() }

    /// Stops accepting connections.
    package func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        shutdown(socket, Int32(SHUT_RDWR))
        Glibc.close(socket)
    }

    private func start(_ bytes: [UInt8]) {
        let socket = socket
        let body = Unmanaged.passRetained(Body { Self.serve(socket, bytes) })
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { pointer in
                if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
                return nil
            }, body.toOpaque())
        pthread_detach(thread)
    }

    /// Serves until the listener is closed.
    private static func serve(_ socket: Int32, _ bytes: [UInt8]) {
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 4096)
            _ = recv(connection, &request, request.count, 0)
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            Glibc.close(connection)
        }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
