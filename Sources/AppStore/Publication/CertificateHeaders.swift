internal import Cryptography
internal import Glibc
internal import Kafka
internal import Records
internal import Synchronization

/// The header segments that Kafka has acknowledged in the certificates topic. A record may reference only these, so
/// readers can always resolve the references.
///
/// A header segment is added only if the signature of its JWS was verified, and Apple uses few of them. The number of
/// remembered segments is limited. An evicted segment is written again when it is next needed, which is harmless.
final class CertificateHeaders: Sendable {
    typealias Send =
        @Sendable (KafkaProducerRecord, _ then: @escaping @Sendable (Result<Void, KafkaError>) -> Void) -> Void
    typealias Outcome = Result<[HeaderReference], KafkaError>

    private struct State {
        /// Acknowledged headers. The most recently used one is the first.
        var acknowledged: [CertificateHeader] = []
        /// Publications waiting for a segment in flight.
        var waiting: [HeaderReference: [Publication]] = [:]
    }

    static let capacity = 64

    private let topic: KafkaTopic
    private let send: Send
    private let state = Mutex(State())

    /// - Parameter send: produces a record; may call the completion before it returns.
    init(topic: KafkaTopic, send: @escaping Send) {
        self.topic = topic
        self.send = send
    }

    /// Returns the references to these segments, or nil if any of them is not known to be acknowledged.
    func references(to segments: [ArraySlice<UInt8>]) -> [HeaderReference]? {
        state.withLock { state in
            var references: [HeaderReference] = []
            references.reserveCapacity(segments.count)
            for segment in segments {
                guard let index = state.acknowledged.firstIndex(where: { $0.segment.elementsEqualInMemory(segment) })
                else { return nil }
                if index > 0 { state.acknowledged.insert(state.acknowledged.remove(at: index), at: 0) }
                references.append(state.acknowledged[0].reference)
            }
            return references
        }
    }

    /// Writes the segments that are not known to be acknowledged, and calls `then` once: with all references after all
    /// segments have been acknowledged, or with the first failure. Does not block.
    func publish(_ segments: [ArraySlice<UInt8>], then: @escaping @Sendable (Outcome) -> Void) {
        let headers = segments.map(Self.header)
        let publication = Publication(headers.map(\.reference), then)
        var new: [CertificateHeader] = []
        let isComplete = state.withLock { state in
            for header in headers where !state.acknowledged.contains(header) {
                guard publication.expect(header.reference) else { continue }
                if state.waiting[header.reference] == nil { new.append(header) }
                state.waiting[header.reference, default: []].append(publication)
            }
            return publication.isComplete
        }
        guard !isComplete else { return then(.success(headers.map(\.reference))) }
        for header in new {
            send(header.produced(to: topic)) { [self] result in settle(header, result) }
        }
    }

    private func settle(_ header: CertificateHeader, _ result: Result<Void, KafkaError>) {
        let waiting = state.withLock { state in
            if case .success = result, !state.acknowledged.contains(header) {
                state.acknowledged.insert(header, at: 0)
                if state.acknowledged.count > Self.capacity { state.acknowledged.removeLast() }
            }
            return state.waiting.removeValue(forKey: header.reference) ?? []
        }
        for publication in waiting { publication.settle(header.reference, result) }
    }

    private static func header(_ segment: ArraySlice<UInt8>) -> CertificateHeader {
        let digest = segment.withUnsafeBytes { SHA256.digest(of: $0) }
        return CertificateHeader(
            reference: HeaderReference(rawValue: digest.description), segment: Array(segment))
    }
}

/// A notification waiting for its header segments.
private final class Publication: Sendable {
    private let references: [HeaderReference]
    private let expected = Mutex<Set<HeaderReference>>([])
    private let then: Mutex<(@Sendable (CertificateHeaders.Outcome) -> Void)?>

    init(_ references: [HeaderReference], _ then: @escaping @Sendable (CertificateHeaders.Outcome) -> Void) {
        self.references = references
        self.then = Mutex(then)
    }

    var isComplete: Bool { expected.withLock { $0.isEmpty } }

    /// Adds a reference to wait for. Returns false if it was already added.
    func expect(_ reference: HeaderReference) -> Bool { expected.withLock { $0.insert(reference).inserted } }

    func settle(_ reference: HeaderReference, _ result: Result<Void, KafkaError>) {
        let outcome: CertificateHeaders.Outcome
        switch result {
        case .failure(let error): outcome = .failure(error)
        case .success:
            let isLast = expected.withLock { expected in
                expected.remove(reference)
                return expected.isEmpty
            }
            guard isLast else { return }
            outcome = .success(references)
        }
        let then = self.then.withLock { then in
            defer { then = nil }
            return then
        }
        then?(outcome)
    }
}

extension [UInt8] {
    fileprivate func elementsEqualInMemory(_ other: ArraySlice<UInt8>) -> Bool {
        count == other.count
            && withUnsafeBytes { left in
                other.withUnsafeBytes { right in
                    guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                    return memcmp(left, right, count) == 0
                }
            }
    }
}
