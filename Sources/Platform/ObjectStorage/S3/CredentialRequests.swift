package import HTTPClient

/// A failure to obtain a key or a token. Equality compares both properties.
package struct CredentialError: Error, Hashable, Sendable {
    /// A human-readable message, without secrets.
    package let message: String
    /// Whether a retry is pointless: the service refused the request, or nothing is configured.
    package let isRefusal: Bool

    package init(_ message: String, isRefusal: Bool = false) {
        self.message = message
        self.isRefusal = isRefusal
    }
}

/// The network, files and clock for obtaining keys and tokens. Tests replace them.
package struct CredentialRequests: Sendable {
    package var send: @Sendable (HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse
    /// Returns the current time in milliseconds since 1970.
    package var now: @Sendable () -> Int64
    /// Returns the value of an environment variable.
    package var variable: @Sendable (String) -> String?
    /// Returns the bytes of a small file, or nil if it cannot be read.
    package var file: @Sendable (String) -> [UInt8]?

    package init(
        send: @escaping @Sendable (HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse,
        now: @escaping @Sendable () -> Int64, variable: @escaping @Sendable (String) -> String? = { _ in nil },
        file: @escaping @Sendable (String) -> [UInt8]? = { _ in nil }
    ) {
        self.send = send
        self.now = now
        self.variable = variable
        self.file = file
    }

    /// The maximum size of a response in bytes.
    private static let maximumAnswer = 256 * 1024

    /// Sends a request to `name` and returns the body of a successful response.
    ///
    /// - Parameter problem: returns the service's reason from the body of an error response, without any data from the
    ///   request, or nil if the body contains no reason.
    package func answer(
        from name: String, _ request: HTTPClientRequest, problem: ([UInt8]) -> String?
    ) async throws(CredentialError) -> [UInt8] {
        var request = request
        request.maximumBodyBytes = Self.maximumAnswer
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await send(request)
        } catch {
            throw CredentialError("no response from \(name): \(error.message)")
        }
        guard (200..<300).contains(response.status) else {
            let words = problem(response.body).map { ": \(Self.printable($0))" } ?? ""
            throw CredentialError(
                "\(name) responded \(response.status)\(words)",
                isRefusal: [400, 401, 403, 404].contains(response.status))
        }
        return response.body
    }

    /// Returns the service's reason as one line of limited length.
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 32 && $0.value < 127 }.prefix(300).map(Character.init))
    }

    /// Encodes text for `application/x-www-form-urlencoded`.
    package static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    package static func form(_ parameters: [(name: String, value: String)]) -> [UInt8] {
        Array(parameters.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&").utf8)
    }
}
