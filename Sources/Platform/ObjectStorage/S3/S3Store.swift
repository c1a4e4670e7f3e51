internal import Cryptography
internal import HTTPClient
internal import Primitives
internal import Synchronization

/// An object store backed by a bucket in an S3-compatible service.
///
/// Conditional requests (`If-None-Match`, `If-Match`) replace locks between writers; ``lock(_:)`` verifies that the
/// service honors them. Every confirmed write is durable. The metadata of each object includes its SHA-256 digest,
/// which is verified when the whole object is read. Source: Amazon S3 API Reference.
package struct S3Store: ObjectStore {
    /// The maximum size, in bytes, of an object that can be read.
    package static let maximumObjectBytes = 1 << 30
    static let digestHeader = "x-amz-meta-sha256"

    let client: S3Client
    private let conditions = ConditionsProbe()

    package init(_ configuration: S3Configuration, _ surroundings: S3Client.Surroundings) {
        client = S3Client(configuration: configuration, surroundings: surroundings)
    }

    package func read(_ name: ObjectName) async throws(ObjectStoreError) -> StoredObject? {
        let call = S3Call(
            method: "GET", name: name, headers: [("x-amz-checksum-mode", "ENABLED")],
            maximumAnswerBytes: Self.maximumObjectBytes, action: "read \(client.url(name))")
        let response = try await client.send(call, accept: Self.fitsItsDigest).response
        guard try isFound(response, call) else { return nil }
        return StoredObject(bytes: response.body, version: try version(response, call))
    }

    package func read(_ name: ObjectName, range: Range<Int>) async throws(ObjectStoreError) -> [UInt8]? {
        guard range.lowerBound >= 0, range.count <= Self.maximumObjectBytes else {
            throw ObjectStoreError(.tooLarge, "cannot read \(range.count) bytes of \(client.url(name)) at once")
        }
        // An empty range cannot be requested. Request one byte instead to find out whether the object exists.
        let last = max(range.lowerBound, range.upperBound - 1)
        let call = S3Call(
            method: "GET", name: name, headers: [("range", "bytes=\(range.lowerBound)-\(last)")],
            maximumAnswerBytes: Self.maximumObjectBytes, action: "read \(client.url(name))")
        let response = try await client.send(call).response
        if response.status == 416 { return [] }
        guard try isFound(response, call) else { return nil }
        // A service may ignore the range and send the whole object.
        let body = response.status == 206 ? response.body[...] : response.body.dropFirst(range.lowerBound)
        return Array(body.prefix(range.count))
    }

    package func create(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        try await create(name, bytes, isLocked: true)
    }

    package func createTemporary(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        try await create(name, bytes, isLocked: false)
    }

    private func create(_ name: ObjectName, _ bytes: [UInt8], isLocked: Bool) async throws(ObjectStoreError) {
        do throws(ObjectStoreError) {
            _ = try await put(name, bytes, expected: nil, isLocked: isLocked)
        } catch {
            guard error.code == .changed else { throw error }
            throw ObjectStoreError(.exists, "\(client.url(name)) already exists and was not changed")
        }
    }

    package func replace(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion {
        try await put(name, bytes, expected: expected)
    }

    package func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        let call = S3Call(method: "DELETE", name: name, action: "delete \(client.url(name))")
        let response = try await client.send(call).response
        guard (200..<300).contains(response.status) else {
            _ = try isFound(response, call)
            return
        }
    }

    package func synchronize() async throws(ObjectStoreError) {}

    package func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock {
        try await conditions.check(self)
        return NoLock()
    }

    /// Whether a response contains an object; false if the object does not exist. Throws for any other failure.
    func isFound(_ response: HTTPClientResponse, _ call: S3Call) throws(ObjectStoreError) -> Bool {
        if (200..<300).contains(response.status) { return true }
        let problem = S3Problem(response)
        // Some services send only the status.
        if response.status == 404, problem.code != "NoSuchBucket" { return false }
        throw problem.error(call.action)
    }

    func version(_ response: HTTPClientResponse, _ call: S3Call) throws(ObjectStoreError) -> ObjectVersion {
        guard let tag = response.header("etag"), !tag.isEmpty else {
            throw ObjectStoreError(
                .corrupt, "cannot \(call.action): the response has no ETag; the service is not supported")
        }
        return ObjectVersion(text: tag)
    }

    /// Whether a response matches this store's checksum, and the service's checksum if that covers the whole object.
    private static func fitsItsDigest(_ response: HTTPClientResponse) -> Bool {
        let digest = SHA256.digest(of: response.body)
        if let own = response.header(digestHeader), own != digest.hex { return false }
        guard let checksum = response.header("x-amz-checksum-sha256"), !checksum.contains("-") else { return true }
        return checksum == base64(digest)
    }

    static func base64(_ digest: SHA256Digest) -> String {
        String(decoding: Base64.encode(digest.bytes), as: UTF8.self)
    }
}

/// A lock that has no effect, because conditional writes need no lock.
private struct NoLock: ObjectStoreLock {
    func release() {}
}
