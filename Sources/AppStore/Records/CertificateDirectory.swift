internal import Cryptography
package import KafkaModel
internal import Synchronization

/// The header segments of the certificates topic, as far as it has been read.
package final class CertificateDirectory: Sendable {
    private let segments = Mutex<[HeaderReference: [UInt8]]>([:])

    /// Nothing read yet.
    package init() {}

    /// Takes records of the topic. One whose key is not the digest of its value is ignored: it would rebuild something
    /// that was never signed.
    package func take(_ records: [KafkaRecord]) {
        for header in records.compactMap(CertificateHeader.init)
        where SHA256.digest(of: header.segment).hex == header.reference.rawValue {
            segments.withLock { $0[header.reference] = header.segment }
        }
    }

    /// The segment of a reference; nil where it has not been read yet.
    package func segment(_ reference: HeaderReference) -> [UInt8]? { segments.withLock { $0[reference] } }

    /// Waits until the segment has been read.
    ///
    /// - Returns: whether it has; false when the time is over, or the task was cancelled.
    package func waitForSegment(_ reference: HeaderReference, within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while segment(reference) == nil {
            guard ContinuousClock.now < end else { return false }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return false }
        }
        return true
    }
}
