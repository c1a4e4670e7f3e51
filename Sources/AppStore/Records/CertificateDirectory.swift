internal import Cryptography
package import KafkaModel
internal import Synchronization

/// The header segments read from the certificates topic.
package final class CertificateDirectory: Sendable {
    private let segments = Mutex<[HeaderReference: [UInt8]]>([:])

    /// Creates an empty directory.
    package init() {}

    /// Adds records from the topic. A record whose key is not the digest of its value is ignored, because it could be
    /// used to rebuild a JWS that was never signed.
    package func take(_ records: [KafkaRecord]) {
        for header in records.compactMap(CertificateHeader.init)
        where SHA256.digest(of: header.segment).hex == header.reference.rawValue {
            segments.withLock { $0[header.reference] = header.segment }
        }
    }

    /// Returns the segment for a reference, or nil if it has not been read yet.
    package func segment(_ reference: HeaderReference) -> [UInt8]? { segments.withLock { $0[reference] } }

    /// Waits until the segment has been read.
    ///
    /// - Returns: whether the segment has been read; false after `limit` or if the task was cancelled.
    package func waitForSegment(_ reference: HeaderReference, within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while segment(reference) == nil {
            guard ContinuousClock.now < end else { return false }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return false }
        }
        return true
    }
}
