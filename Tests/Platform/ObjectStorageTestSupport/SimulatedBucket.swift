import Cryptography
package import HTTPClient
import Primitives
import Synchronization

/// An in-memory bucket of an S3-compatible service, with a strict implementation of the part of the API that the store
/// uses. It evaluates conditions atomically, verifies checksums and returns short pages.
package final class SimulatedBucket: Sendable {
    struct Object {
        var bytes: [UInt8]
        var tag: String
        var headers: [String: String]
    }

    private struct Upload {
        var key: String
        var headers: [String: String]
        var parts: [Int: Object] = [:]
    }

    private struct State {
        var objects: [String: Object] = [:]
        var uploads: [String: Upload] = [:]
        var writes = 0
        var requests: [String] = []
    }

    /// Features that a service may lack.
    package enum Fidelity: Sendable {
        case whole
        /// Conditions are ignored, as in older services.
        case withoutIfNoneMatch, withoutIfMatch
        /// Checksum header fields are ignored.
        case withoutChecksums
        /// Ranges are ignored.
        case withoutRanges
    }

    package let name: String
    private let fidelity: Fidelity
    private let pageLength: Int
    private let state = Mutex(State())

    package init(_ name: String = "bucket", _ fidelity: Fidelity = .whole, pageLength: Int = 3) {
        self.name = name
        self.fidelity = fidelity
        self.pageLength = pageLength
    }

    /// The method and target of each request.
    package var requests: [String] { state.withLock { $0.requests } }
    package var unfinishedUploads: Int { state.withLock { $0.uploads.count } }
    package func headers(of key: String) -> [String: String]? { state.withLock { $0.objects[key]?.headers } }
    package func bytes(of key: String) -> [UInt8]? { state.withLock { $0.objects[key]?.bytes } }

    /// Changes a stored object as a failing disk would.
    package func damage(_ key: String) { state.withLock { $0.objects[key]?.bytes[0] ^= 1 } }

    package func answer(_ request: HTTPClientRequest) -> HTTPClientResponse {
        let target = String(request.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" })
        let parts = target.split(separator: "?", maxSplits: 1)
        let query = Self.query(parts.count > 1 ? parts[1] : "")
        let path = parts.first.map(String.init) ?? ""
        let headers = Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
        return state.withLock { state in
            state.requests.append("\(request.method) \(target)")
            guard path == "/\(name)" || path.hasPrefix("/\(name)/") else { return Self.error(404, "NoSuchBucket") }
            guard headers["authorization"]?.hasPrefix("AWS4-HMAC-SHA256 ") == true else {
                return Self.error(403, "AccessDenied")
            }
            guard headers["x-amz-content-sha256"] == SHA256.digest(of: request.body ?? []).hex else {
                return Self.error(400, "XAmzContentSHA256Mismatch")
            }
            let key = String(path.dropFirst(name.utf8.count + 2))
            if key.isEmpty { return list(query, &state) }
            return object(request.method, key, query, headers, request.body ?? [], &state)
        }
    }

    private func object(
        _ method: String, _ key: String, _ query: [String: String], _ headers: [String: String], _ body: [UInt8],
        _ state: inout State
    ) -> HTTPClientResponse {
        switch (method, query["uploadId"], query["partNumber"].flatMap { Int($0) }) {
        case ("GET", nil, nil): return get(key, headers, state)
        case ("PUT", nil, nil): return put(key, headers, body, &state)
        case ("PUT", let upload?, let number?): return putPart(upload, number, headers, body, &state)
        case ("DELETE", nil, nil):
            state.objects[key] = nil
            return HTTPClientResponse(status: 204, headers: [], body: [])
        case ("DELETE", let upload?, nil):
            state.uploads[upload] = nil
            return HTTPClientResponse(status: 204, headers: [], body: [])
        case ("POST", nil, nil) where query["uploads"] != nil:
            state.writes += 1
            let upload = "upload/\(state.writes)&"
            state.uploads[upload] = Upload(key: key, headers: headers)
            return Self.xml(
                "<InitiateMultipartUploadResult><Key>\(key)</Key><UploadId>\(Self.escaped(upload))</UploadId>"
                    + "</InitiateMultipartUploadResult>")
        case ("POST", let upload?, nil): return complete(upload, key, headers, &state)
        default: return Self.error(405, "MethodNotAllowed")
        }
    }

    private func get(_ key: String, _ headers: [String: String], _ state: State) -> HTTPClientResponse {
        guard let object = state.objects[key] else { return Self.error(404, "NoSuchKey") }
        var fields = [(name: "ETag", value: object.tag)]
        if let digest = object.headers["x-amz-meta-sha256"] { fields.append(("x-amz-meta-sha256", digest)) }
        if fidelity != .withoutRanges, let range = headers["range"] {
            let bounds = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            guard bounds.count == 2, bounds[0] < object.bytes.count else { return Self.error(416, "InvalidRange") }
            let end = min(bounds[1] + 1, object.bytes.count)
            return HTTPClientResponse(status: 206, headers: fields, body: Array(object.bytes[bounds[0]..<end]))
        }
        if fidelity != .withoutChecksums, headers["x-amz-checksum-mode"] == "ENABLED",
            let checksum = object.headers["x-amz-checksum-sha256"]
        {
            fields.append(("x-amz-checksum-sha256", checksum))
        }
        return HTTPClientResponse(status: 200, headers: fields, body: object.bytes)
    }

    private func put(
        _ key: String, _ headers: [String: String], _ body: [UInt8], _ state: inout State
    ) -> HTTPClientResponse {
        if let failure = failure(of: headers, state.objects[key]) { return failure }
        guard fits(headers, body) else { return Self.error(400, "BadDigest") }
        return store(key, body, headers, tagged: "", &state)
    }

    private func putPart(
        _ upload: String, _ number: Int, _ headers: [String: String], _ body: [UInt8], _ state: inout State
    ) -> HTTPClientResponse {
        guard state.uploads[upload] != nil else { return Self.error(404, "NoSuchUpload") }
        guard fits(headers, body) else { return Self.error(400, "BadDigest") }
        let tag = "\"\(SHA256.digest(of: body).hex.prefix(32))\""
        state.uploads[upload]?.parts[number] = Object(bytes: body, tag: tag, headers: headers)
        return HTTPClientResponse(status: 200, headers: [("ETag", tag)], body: [])
    }

    private func complete(
        _ upload: String, _ key: String, _ headers: [String: String], _ state: inout State
    ) -> HTTPClientResponse {
        guard let found = state.uploads[upload] else { return Self.error(404, "NoSuchUpload") }
        if let failure = failure(of: headers, state.objects[key]) { return failure }
        let bytes = found.parts.sorted { $0.key < $1.key }.flatMap(\.value.bytes)
        state.uploads[upload] = nil
        var kept = found.headers
        kept["x-amz-checksum-sha256"] = "c29tZXRoaW5nIGVsc2U=-\(found.parts.count)"
        let stored = store(key, bytes, kept, tagged: "-\(found.parts.count)", &state)
        let tag = stored.header("etag") ?? ""
        return Self.xml(
            "<CompleteMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                + "<ETag>\(Self.escaped(tag))</ETag></CompleteMultipartUploadResult>")
    }

    private func store(
        _ key: String, _ bytes: [UInt8], _ headers: [String: String], tagged suffix: String, _ state: inout State
    ) -> HTTPClientResponse {
        state.writes += 1
        let tag = "\"\(SHA256.digest(of: bytes).hex.prefix(32))\(suffix)\""
        state.objects[key] = Object(bytes: bytes, tag: tag, headers: headers)
        return HTTPClientResponse(status: 200, headers: [("ETag", tag)], body: [])
    }

    private func failure(of headers: [String: String], _ existing: Object?) -> HTTPClientResponse? {
        if fidelity != .withoutIfNoneMatch, headers["if-none-match"] == "*", existing != nil {
            return Self.error(412, "PreconditionFailed")
        }
        if fidelity != .withoutIfMatch, let tag = headers["if-match"] {
            guard let existing else { return Self.error(404, "NoSuchKey") }
            if existing.tag != tag { return Self.error(412, "PreconditionFailed") }
        }
        return nil
    }

    private func fits(_ headers: [String: String], _ body: [UInt8]) -> Bool {
        guard fidelity != .withoutChecksums, let checksum = headers["x-amz-checksum-sha256"] else { return true }
        return checksum == String(decoding: Base64.encode(SHA256.digest(of: body).bytes), as: UTF8.self)
    }

    private func list(_ query: [String: String], _ state: inout State) -> HTTPClientResponse {
        let prefix = query["prefix"] ?? ""
        let after =
            query["continuation-token"].map { String($0.dropFirst("after ".count)) } ?? query["start-after"] ?? ""
        let length = min(pageLength, query["max-keys"].flatMap { Int($0) } ?? 1000)
        var items: [(order: String, text: String)] = []
        for (key, object) in state.objects where key.hasPrefix(prefix) {
            let rest = key.dropFirst(prefix.count)
            if query["delimiter"] != nil, let slash = rest.firstIndex(of: "/") {
                let folder = prefix + rest[...slash]
                let text = "<CommonPrefixes><Prefix>\(Self.escaped(folder))</Prefix></CommonPrefixes>"
                if !items.contains(where: { $0.order == folder }) { items.append((folder, text)) }
            } else {
                let size = object.bytes.count
                items.append(
                    (
                        key,
                        "<Contents><Key>\(Self.escaped(key))</Key><Size>\(size)</Size><ETag>&quot;x&quot;</ETag></Contents>"
                    ))
            }
        }
        items.sort { $0.order.utf8.lexicographicallyPrecedes($1.order.utf8) }
        items.removeAll { !after.utf8.lexicographicallyPrecedes($0.order.utf8) }
        let page = items.prefix(length)
        let isTruncated = items.count > length
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult><Name>\(name)</Name>"
        text += "<IsTruncated>\(isTruncated)</IsTruncated>\(page.map(\.text).joined())"
        if isTruncated, let last = page.last {
            text += "<NextContinuationToken>after \(Self.escaped(last.order))</NextContinuationToken>"
        }
        return Self.xml(text + "</ListBucketResult>")
    }

    private static func query(_ text: Substring) -> [String: String] {
        var result: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            result[decoded(parts[0])] = parts.count > 1 ? decoded(parts[1]) : ""
        }
        return result
    }

    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.popFirst()?.hexadecimalValue,
                let low = rest.popFirst()?.hexadecimalValue
            {
                bytes.append(high << 4 | low)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }

    private static func xml(_ text: String) -> HTTPClientResponse {
        HTTPClientResponse(status: 200, headers: [("Content-Type", "application/xml")], body: Array(text.utf8))
    }

    package static func error(_ status: Int, _ code: String) -> HTTPClientResponse {
        let text = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>m &lt; n</Message></Error>"
        return HTTPClientResponse(
            status: status, headers: [("Content-Type", "application/xml")], body: Array(text.utf8))
    }
}
