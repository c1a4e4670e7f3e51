internal import Cryptography
internal import HTTPClient
internal import Primitives

extension S3Store {
    /// Writes an object if the condition is met.
    ///
    /// - Parameter isLocked: whether the configured object lock applies to the object.
    /// - Throws: ``ObjectStoreError``: `changed` if the condition is not met.
    func put(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?, isLocked: Bool = true
    ) async throws(ObjectStoreError) -> ObjectVersion {
        if bytes.count > client.configuration.partBytes {
            return try await putInParts(name, bytes, expected: expected, isLocked: isLocked)
        }
        let call = S3Call(
            method: "PUT", name: name,
            headers: condition(expected) + checksum(bytes) + metadata(bytes) + (isLocked ? retention() : []),
            body: bytes, action: "write \(client.url(name))")
        return try await written(try await client.send(call), call, name, bytes)
    }

    /// Evaluates the response to a conditional write.
    func written(
        _ outcome: S3Client.Outcome, _ call: S3Call, _ name: ObjectName, _ bytes: [UInt8]
    ) async throws(ObjectStoreError) -> ObjectVersion {
        if (200..<300).contains(outcome.response.status) { return try version(outcome.response, call) }
        let problem = S3Problem(outcome.response)
        // 404 means that the object for If-Match is missing, or that the multipart upload has ended.
        let isMissing = problem.status == 404 && problem.code != "NoSuchBucket"
        guard problem.status == 412 || isMissing else { throw problem.error(call.action) }
        // An earlier attempt may have written the object although its response was lost.
        if outcome.followsAmbiguity, let stored = try await read(name), stored.bytes == bytes { return stored.version }
        throw ObjectStoreError(.changed, "\(client.url(name)) has an unexpected version: another writer changed it")
    }

    func condition(_ expected: ObjectVersion?) -> [(name: String, value: String)] {
        [expected.map { ("if-match", $0.text) } ?? ("if-none-match", "*")]
    }

    func checksum(_ bytes: [UInt8]) -> [(name: String, value: String)] {
        [
            ("x-amz-checksum-sha256", Self.base64(SHA256.digest(of: bytes))),
            ("x-amz-sdk-checksum-algorithm", "SHA256"),
        ]
    }

    func metadata(_ bytes: [UInt8]) -> [(name: String, value: String)] {
        [(Self.digestHeader, SHA256.digest(of: bytes).hex), ("content-type", "application/octet-stream")]
    }

    /// Returns the object lock header fields, which protect a version from being changed or deleted.
    func retention() -> [(name: String, value: String)] {
        let lock = client.configuration.objectLock
        guard lock.mode != .off else { return [] }
        let until = client.surroundings.clocks.wallMilliseconds() + Int64(lock.days) * 86_400_000
        return [
            ("x-amz-object-lock-mode", lock.mode.rawValue.uppercased()),
            ("x-amz-object-lock-retain-until-date", RFC3339.text(milliseconds: until)),
        ]
    }
}
