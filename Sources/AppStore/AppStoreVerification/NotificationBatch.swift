internal import AppStoreModel
internal import JSON

/// The signed objects of one notification, taken apart and judged together by the table of their key, which costs less
/// than one after another.
///
/// **Nothing here is believed, and nothing is refused for it**: what cannot be read is left to the checks, which come in
/// their own order. Each object's signature is decided where it always was.
struct NotificationBatch {
    let outer: OpenedObject
    /// The payload as the checks would scan it; nil where it has to be scanned again, to say what is wrong with it.
    let scanned: (JSONDocument, NotificationEnvelope)?
    private var nested: [(range: Range<Int>, object: OpenedObject)] = []

    /// Nil where there is no table of the key.
    ///
    /// - Parameter isAcknowledged: of a notification that is probably stored, whoever sent it, the outer signature is
    ///   judged alone: the others are likely not to be needed.
    /// - Throws: what ``SignedObjectVerifier/verify(_:at:isNested:)`` would before it looks at the signature.
    init?(
        _ jws: ArraySlice<UInt8>, _ verifier: SignedObjectVerifier, at now: Int64,
        isAcknowledged: (NotificationUUID, AppStoreEnvironment) -> Bool
    ) throws(Refusal) {
        guard let fixedKeys = verifier.fixedKeys, let opened = try verifier.openForTable(jws, at: now) else {
            return nil
        }
        // Anyone can have written it so far, and what decides about names costs more than their bytes.
        scanned = (try? JSONDocument.object(opened.payload, maximumNames: JSONDocument.maximumUntrustedNames)).map {
            ($0, NotificationEnvelope($0))
        }
        var objects = [opened]
        var ranges: [Range<Int>] = []
        if let (_, envelope) = scanned, !Self.isStored(envelope, isAcknowledged) {
            for range in envelope.nestedJWSTexts {
                guard let object = try? verifier.openForTable(opened.payload[range], at: now) else { continue }
                objects.append(object)
                ranges.append(range)
            }
        }
        fixedKeys.judge(&objects)
        outer = objects[0]
        nested = zip(ranges, objects.dropFirst()).map { ($0, $1) }
    }

    /// The object whose text is at `range` of the payload, if it was taken apart.
    func nested(at range: Range<Int>) -> OpenedObject? { nested.first { $0.range == range }?.object }

    private static func isStored(
        _ envelope: NotificationEnvelope, _ isAcknowledged: (NotificationUUID, AppStoreEnvironment) -> Bool
    ) -> Bool {
        guard let id = envelope.notificationUUID.value, let environment = envelope.environment.value else {
            return false
        }
        return isAcknowledged(id, environment)
    }
}
