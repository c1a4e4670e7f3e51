internal import AppStoreModel
internal import JSON

/// The reason why JSON text is not a case.
package enum RefundFormatError: Error, Hashable, Sendable {
    case invalidJSON
    /// The environment, bundleId or transactionId is missing.
    case noIdentity
    /// The format version is missing or newer than this library supports, so the case must never be overwritten.
    case unknownFormat
}

extension RefundCase {
    /// The format version to write. Additional members do not change it; a change that older readers would misinterpret
    /// increments it. Version 2 added multiple rounds.
    package static let formatVersion: Int64 = 2

    /// Returns the case as JSON text, which is used as a row in the store and as the value of a record. Equal cases
    /// have identical text. Dates are in milliseconds since 1970. For convenience, the text also contains
    /// `answerStatus`, `round`, `deadline`, `answerableUntil` and `outcome`, which are derived from other members.
    ///
    /// - Parameter gap: see ``RefundRounds``.
    package func jsonText(gap: Int64 = RefundRounds.defaultGap) -> [UInt8] {
        let rounds = RefundRounds(self, gap: gap)
        var writer = JSONWriter(reservingCapacity: 2048)
        writer.object { object in
            object.set("formatVersion", Self.formatVersion)
            object.set("environment", environment.rawValue)
            object.set("bundleId", bundleId)
            object.set("transactionId", transactionId)
            object.set("answerStatus", rounds.status.rawValue)
            object.set("outcome", outcome?.rawValue)
            if let round = rounds.newest { object.set("round", Int64(round.number)) }
            if let round = rounds.waiting {
                object.set("deadline", round.deadline)
                object.set("answerableUntil", round.answerableUntil)
            }
            object.set("transaction", transaction)
            if !requests.isEmpty {
                object.array("requests") { array in
                    for request in requests.values.sorted(by: { $0.notificationUUID < $1.notificationUUID }) {
                        array.object { request.write(to: &$0) }
                    }
                }
            }
            object.set("answers", answers)
            object.set("accepted", acceptances)
            object.set("ends", ends)
            object.set("obstacle", obstacle)
            object.set("verdicts", verdicts)
            object.set("consentRescindedAt", consentRescindedAt)
            object.set("erasedAt", erasedAt)
            object.add(unknownFields)
        }
        return writer.bytes
    }

    /// Parses the output of ``jsonText(gap:)`` in this or an older format version. A member of the wrong type is
    /// treated as absent.
    package init(json: [UInt8]) throws(RefundFormatError) {
        let root: JSONElement
        do { root = try JSONDocument.object(json).root } catch { throw .invalidJSON }
        var fields = FieldReader(root)
        guard let format = fields.int64("formatVersion"), format <= Self.formatVersion else { throw .unknownFormat }
        guard let environment: AppStoreEnvironment = fields.enumeration("environment"),
            let bundleId: BundleId = fields.identifier("bundleId"),
            let transactionId: TransactionId = fields.identifier("transactionId")
        else { throw .noIdentity }
        self.init(environment: environment, bundleId: bundleId, transactionId: transactionId)
        for derived: StaticString in ["answerStatus", "outcome", "round", "deadline", "answerableUntil"] {
            _ = fields.element(derived)
        }
        transaction = fields.part("transaction")
        for request in fields.objects("requests").compactMap(RefundRequest.init(_:)) { insert(request) }
        consentRescindedAt = fields.instant("consentRescindedAt")
        if format < 2 {
            readVersion1(&fields)
        } else {
            obstacle = fields.part("obstacle")
            setParts(
                answers: fields.parts("answers"), acceptances: fields.parts("accepted"), ends: fields.parts("ends"),
                verdicts: fields.parts("verdicts"), erasedAt: fields.instant("erasedAt"))
        }
        // Another version may have written the members in a different order.
        unknownFields = fields.unknownFields.union(JSONObject())
    }
}
