internal import AppStoreModel
internal import JSON

/// The signed objects of some notifications, taken apart and judged together by the tables of their keys, which costs
/// less than one after another.
///
/// **Nothing here is believed, and nothing is refused for it**: what cannot be read is left to the checks, which come in
/// their own order. Each object's signature is decided where it always was.
struct NotificationBatch {
    /// The signed objects of one notification, as places in a batch.
    struct Opened {
        /// The payload as the checks would scan it; nil where it has to be scanned again, to say what is wrong with it.
        let scanned: (JSONDocument, NotificationEnvelope)?
        fileprivate let outer: Int
        fileprivate var nested: [(range: Range<Int>, index: Int)] = []
    }

    private let verifier: SignedObjectVerifier
    /// Milliseconds since 1970.
    private let now: Int64
    private var objects: [OpenedObject] = []

    init(_ verifier: SignedObjectVerifier, at now: Int64) {
        self.verifier = verifier
        self.now = now
    }

    /// Takes a notification apart. Nil where there is no table of its key.
    ///
    /// - Parameter isAcknowledged: of a notification that is probably stored, whoever sent it, the outer signature is
    ///   judged alone: the others are likely not to be needed.
    /// - Throws: what ``SignedObjectVerifier/verify(_:at:isNested:)`` would before it looks at the signature.
    mutating func open(
        _ jws: ArraySlice<UInt8>, isAcknowledged: (NotificationUUID, AppStoreEnvironment) -> Bool
    ) throws(Refusal) -> Opened? {
        guard let object = try verifier.openForTable(jws, at: now) else { return nil }
        // Anyone can have written it so far, and what decides about names costs more than their bytes.
        let scanned = (try? JSONDocument.object(object.payload, maximumNames: JSONDocument.maximumUntrustedNames)).map {
            ($0, NotificationEnvelope($0))
        }
        var opened = Opened(scanned: scanned, outer: objects.count)
        objects.append(object)
        if let (_, envelope) = scanned, !Self.isStored(envelope, isAcknowledged) {
            for range in envelope.nestedJWSTexts {
                guard let nested = try? verifier.openForTable(object.payload[range], at: now) else { continue }
                opened.nested.append((range, objects.count))
                objects.append(nested)
            }
        }
        return opened
    }

    /// Asks the tables about everything that was taken apart.
    mutating func judge() { verifier.fixedKeys?.judge(&objects) }

    func outer(of opened: Opened) -> OpenedObject { objects[opened.outer] }

    /// The object whose text is at `range` of the payload, if it was taken apart.
    func nested(at range: Range<Int>, of opened: Opened) -> OpenedObject? {
        opened.nested.first { $0.range == range }.map { objects[$0.index] }
    }

    private static func isStored(
        _ envelope: NotificationEnvelope, _ isAcknowledged: (NotificationUUID, AppStoreEnvironment) -> Bool
    ) -> Bool {
        guard let id = envelope.notificationUUID.value, let environment = envelope.environment.value else {
            return false
        }
        return isAcknowledged(id, environment)
    }
}
