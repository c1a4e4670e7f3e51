internal import Glibc
internal import Primitives

/// A server's address, as returned by the system's resolver.
struct NetworkAddress: Hashable {
    /// The numeric address and the port, such as `10.0.0.5:9092`.
    let text: String
    private let family: Int32
    private let bytes: [UInt8]

    /// A failed resolution or connection, with the operating system's message.
    struct Failure: Error, Equatable {
        let message: String
    }

    /// Resolves a name or a numeric address. Blocks, possibly for several seconds if no name server responds.
    static func resolve(_ host: String, port: Int) throws(Failure) -> [NetworkAddress] {
        var hint = addrinfo()
        hint.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hint, &first)
        defer { if let first { freeaddrinfo(first) } }
        guard code == 0 else { throw Failure(message: String(cString: gai_strerror(code))) }
        var addresses: [NetworkAddress] = []
        var next = first
        while let entry = next {
            if let address = NetworkAddress(entry.pointee), !addresses.contains(address) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    private init?(_ entry: addrinfo) {
        guard let address = entry.ai_addr else { return nil }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: 16)
        let code = getnameinfo(
            address, entry.ai_addrlen, &host, socklen_t(host.count), &port, socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV)
        guard code == 0 else { return nil }
        let name = Self.text(host)
        text = (name.contains(":") ? "[\(name)]" : name) + ":" + Self.text(port)
        family = entry.ai_family
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Connects and closes the connection. Blocks for at most `limit`.
    func connect(within limit: Duration) throws(Failure) {
        try open { descriptor, address, length in
            guard Glibc.connect(descriptor, address, length) != 0 else { return 0 }
            guard errno == EINPROGRESS else { return errno }
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, Int32(clamping: limit.clampedMilliseconds)) > 0 else { return ETIMEDOUT }
            var error: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else { return errno }
            return error
        }
    }

    /// Binds the address and releases it.
    ///
    /// - Returns: the system's error number, or 0.
    func bindingError() -> Int32 {
        var error: Int32 = 0
        do throws(Failure) {
            try open { descriptor, address, length in
                var one: Int32 = 1
                setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
                error = Glibc.bind(descriptor, address, length) == 0 ? 0 : errno
                return 0
            }
        } catch {
            return EMFILE
        }
        return error
    }

    private func open(
        _ body: (_ descriptor: Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(Failure) {
        let descriptor = socket(
            family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(message: Self.message(errno)) }
        defer { close(descriptor) }
        let error = bytes.withUnsafeBytes { bytes -> Int32 in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return EINVAL }
            return body(descriptor, address, socklen_t(bytes.count))
        }
        guard error == 0 else { throw Failure(message: Self.message(error)) }
    }

    static func message(_ error: Int32) -> String { String(cString: strerror(error)) }
}
