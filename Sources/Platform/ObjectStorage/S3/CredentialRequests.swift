package import HTTPClient

/// Why a key or a token cannot be had. Equality compares both properties.
package struct CredentialFailure: Error, Hashable, Sendable {
    /// For people; holds no secret.
    package let message: String
    /// The service has looked at the request and refuses it, or nothing is configured: another attempt changes nothing.
    package let isRefusal: Bool

    package init(_ message: String, isRefusal: Bool = false) {
        self.message = message
        self.isRefusal = isRefusal
    }
}

/// The network, the files and the clock of requests for keys and tokens, so that tests need none of them.
package struct CredentialRequests: Sendable {
    package var send: @Sendable (HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse
    /// Milliseconds since 1970.
    package var now: @Sendable () -> Int64
    /// A variable of the environment.
    package var variable: @Sendable (String) -> String?
    /// The bytes of a small file; nil when it cannot be read.
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

    /// Bytes that an answer may have.
    private static let maximumAnswer = 256 * 1024

    /// Sends a request to `name`, and gives the body of a success.
    ///
    /// - Parameter problem: the words of the service for a refusal, without what it was sent; nil when it has none.
    package func answer(
        from name: String, _ request: HTTPClientRequest, problem: ([UInt8]) -> String?
    ) async throws(CredentialFailure) -> [UInt8] {
        var request = request
        request.maximumBodyBytes = Self.maximumAnswer
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await send(request)
        } catch {
            throw CredentialFailure("\(name) does not answer: \(error.message)")
        }
        guard (200..<300).contains(response.status) else {
            let words = problem(response.body).map { ": \(Self.printable($0))" } ?? ""
            throw CredentialFailure(
                "\(name) answers \(response.status)\(words)",
                isRefusal: [400, 401, 403, 404].contains(response.status))
        }
        return response.body
    }

    /// The words of a service on one line, of a bounded length.
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 32 && $0.value < 127 }.prefix(300).map(Character.init))
    }

    /// A text as `application/x-www-form-urlencoded` has it.
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
