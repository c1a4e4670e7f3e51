internal import Configuration
package import Cryptography
internal import Primitives

/// Signs requests with AWS Signature Version 4, in header fields or, for presigned URLs, in the query.
///
/// Source: Amazon S3 API Reference, "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)"
/// and "Using Query Parameters".
package struct RequestSignature: Sendable {
    package let credentials: S3Credentials
    package let region: String
    /// The service's name in AWS.
    package let service: String

    package init(credentials: S3Credentials, region: String, service: String = "s3") {
        self.credentials = credentials
        self.region = region
        self.service = service
    }

    /// The request properties that are signed.
    package struct Input: Sendable {
        package var method: String
        /// The path, percent-encoded as sent.
        package var path: String
        /// The query parameters, not encoded.
        package var query: [(name: String, value: String)]
        /// All header fields of the request, including `host`. Each name occurs once.
        package var headers: [(name: String, value: String)]
        /// The SHA-256 digest of the body in hexadecimal.
        package var bodyDigest: String

        package init(
            method: String, path: String, query: [(name: String, value: String)] = [],
            headers: [(name: String, value: String)], bodyDigest: String
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.bodyDigest = bodyDigest
        }
    }

    /// Returns the header fields to add: the date, the digest, the session token if there is one, and the signature.
    ///
    /// - Parameter now: milliseconds since 1970. The server tolerates a 15-minute clock difference.
    package func headers(for input: Input, now: Int64) throws(CryptographyError) -> [(name: String, value: String)] {
        let time = Self.time(now)
        var added = [(name: "x-amz-date", value: time), (name: "x-amz-content-sha256", value: input.bodyDigest)]
        if let token = credentials.sessionToken { added.append((name: "x-amz-security-token", value: token)) }
        var signed = input
        signed.headers += added
        let names = Self.signedNames(signed)
        let scope = scope(time)
        let signature = try signature(of: signed, names, time)
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyId)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
        return added + [(name: "authorization", value: authorization)]
    }

    /// Returns the query for a presigned GET request for `/`. The request is valid for `expires` seconds and requires
    /// no header field except `host`.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func presignedQuery(
        host: String, parameters: [(name: String, value: String)], expires: Int64, now: Int64
    ) throws(CryptographyError) -> String {
        let time = Self.time(now)
        var query =
            parameters + [
                (name: "X-Amz-Algorithm", value: "AWS4-HMAC-SHA256"),
                (name: "X-Amz-Credential", value: "\(credentials.accessKeyId)/\(scope(time))"),
                (name: "X-Amz-Date", value: time), (name: "X-Amz-Expires", value: "\(expires)"),
                (name: "X-Amz-SignedHeaders", value: "host"),
            ]
        if let token = credentials.sessionToken { query.append((name: "X-Amz-Security-Token", value: token)) }
        let input = Input(
            method: "GET", path: "/", query: query, headers: [(name: "host", value: host)],
            bodyDigest: SHA256.digest(of: []).hex)
        return try "\(Self.query(query))&X-Amz-Signature=\(signature(of: input, "host", time))"
    }

    private func scope(_ time: String) -> String { "\(time.prefix(8))/\(region)/\(service)/aws4_request" }

    private func signature(
        of input: Input, _ signedNames: String, _ time: String
    ) throws(CryptographyError) -> String {
        let text = [
            "AWS4-HMAC-SHA256", time, scope(time),
            SHA256.digest(of: Array(Self.canonical(input, signedNames).utf8)).hex,
        ].joined(separator: "\n")
        return try HMACSHA256.code(for: Array(text.utf8), key: try key(date: String(time.prefix(8)))).hex
    }

    /// Returns the query as sent and signed: percent-encoded parameters, sorted by name.
    package static func query(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { (encoded($0.name), encoded($0.value)) }.sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    private func key(date: String) throws(CryptographyError) -> [UInt8] {
        var key = Array("AWS4".utf8) + credentials.secretAccessKey.revealedBytes
        for part in [date, region, service, "aws4_request"] {
            let next = try HMACSHA256.code(for: Array(part.utf8), key: key).bytes
            key.wipe()
            key = next
        }
        return key
    }

    private static func canonical(_ input: Input, _ signedNames: String) -> String {
        let fields = input.headers.map { ($0.name.lowercased(), trimmed($0.value)) }.sorted { $0 < $1 }
            .map { "\($0.0):\($0.1)\n" }.joined()
        return [input.method, input.path, query(input.query), fields, signedNames, input.bodyDigest]
            .joined(separator: "\n")
    }

    private static func signedNames(_ input: Input) -> String {
        input.headers.map { $0.name.lowercased() }.sorted().joined(separator: ";")
    }

    /// Returns the value without leading and trailing spaces, and with each run of spaces collapsed into one.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }

    /// Formats a time as `20130524T000000Z`.
    private static func time(_ now: Int64) -> String {
        String(RFC3339.text(milliseconds: now).prefix(19).filter { $0 != "-" && $0 != ":" }) + "Z"
    }

    /// Percent-encodes all characters except RFC 3986's unreserved ones.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + HexText.encode([byte]).uppercased()
            }
        }
        return result
    }
}
