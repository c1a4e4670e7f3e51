/// Bytes that an untrusted client may send to a listener for `POST /notifications`, and the expected responses. The
/// rows come from the threat model (`H-`) and from common mistakes of servers in RFC 9110 and 9112 (`X-`).
package struct HostileRequest: Sendable, CustomStringConvertible {
    /// How the bytes are sent over a socket.
    package enum Delivery: Sendable {
        case whole
        case byteByByte
        /// In two pieces; the first has this number of bytes.
        case cut(Int)
        /// In one piece, followed by the end of the client's output.
        case halfClosed
        /// In one piece, followed by a reset.
        case reset
    }

    package let id: String
    package let title: String
    package let bytes: [UInt8]
    /// One text for each response: `200:21` for a request that is dispatched with a body of 21 bytes, `400 framing` for
    /// a refused one. The last is `closed` if the connection closes after the last response.
    package let verdicts: [String]
    package let delivery: Delivery

    package var description: String { "\(id) \(title)" }
    package var isClosed: Bool { verdicts.last == "closed" }
    package var isHalfClosed: Bool {
        if case .halfClosed = delivery { true } else { false }
    }
    /// The verdicts that are responses.
    package var answers: [String] { isClosed ? verdicts.dropLast() : verdicts }

    init(
        _ id: String, _ title: String, _ bytes: some Sequence<UInt8>, _ verdicts: [String],
        by delivery: Delivery = .whole
    ) {
        self.id = id
        self.title = title
        self.bytes = Array(bytes)
        self.verdicts = verdicts
        self.delivery = delivery
    }

    init(_ id: String, _ title: String, _ text: String, _ verdicts: String..., by delivery: Delivery = .whole) {
        self.init(id, title, text.utf8, verdicts, by: delivery)
    }

    /// Returns rows that differ only in their bytes.
    static func rows(
        _ id: String, _ verdicts: [String], _ inputs: [(title: String, text: String)]
    ) -> [HostileRequest] {
        inputs.map { HostileRequest(id, $0.title, $0.text.utf8, verdicts) }
    }

    // MARK: all requests

    /// The 129 inputs of the specification.
    package static let specified: [HostileRequest] =
        methods + paths + bodies + lengths + encodings + chunks + chunkLines + lineEnds + heads + deliveries + fields
        + targets + versions + sequences
    /// Variants: the same rows with other bytes, and similar valid requests.
    package static let further: [HostileRequest] = otherRoutes + otherFraming + otherVersions + otherHeads
    package static let all: [HostileRequest] = specified + further

    // MARK: building blocks

    package static let body = #"{"signedPayload":"x"}"#
    package static let good = request()
    static let chunk = "15\r\n\(body)\r\n"
    static let lastChunk = "0\r\n\r\n"
    /// The smuggled bytes, which must not be handled as a separate request.
    static let next = request("X-Next: 1\r\n")

    static let framing = ["400 framing", "closed"]
    static let tooLarge = ["413 too_large", "closed"]
    static let path = ["404 path", "closed"]
    static let method = ["405 method", "closed"]

    package static func request(
        _ fields: String = "", method: String = "POST", target: String = "/notifications",
        version: String = "HTTP/1.1", host: String = "Host: a\r\n", length: String? = "Content-Length: 21\r\n",
        body: String = body
    ) -> String {
        "\(method) \(target) \(version)\r\n\(host)\(length ?? "")\(fields)\r\n\(body)"
    }

    package static func chunked(_ wire: String, _ fields: String = "") -> String {
        "POST /notifications HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\(fields)\r\n\(wire)"
    }

    static func fields(_ count: Int, of length: Int = 1) -> String {
        (0..<count).map { "X-\($0):\(String(repeating: "b", count: length))\r\n" }.joined()
    }
}
