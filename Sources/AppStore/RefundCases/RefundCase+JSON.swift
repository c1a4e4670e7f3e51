internal import AppStoreModel
internal import JSON

/// Why a text is no case.
package enum RefundFormatError: Error, Hashable, Sendable {
    case invalidJSON
    /// Environment, bundleId or transactionId is missing.
    case noIdentity
    /// A later format version than this library writes: never to be overwritten.
    case unknownFormat
}

extension RefundCase {
    /// Version of the form that is written. Additions keep it; a change that older readers would misunderstand raises it.
    package static let formatVersion: Int64 = 1

    /// The case as JSON text: a row of the store and the value of a record. Equal cases have equal texts. Dates are in
    /// milliseconds since 1970; `answerStatus`, `outcome` and `deadline` follow from the rest and are for readers.
    package var jsonText: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 2048)
        writer.object { object in
            object.set("formatVersion", Self.formatVersion)
            object.set("environment", environment.rawValue)
            object.set("bundleId", bundleId)
            object.set("transactionId", transactionId)
            object.set("answerStatus", answerStatus.rawValue)
            object.set("outcome", outcome?.rawValue)
            object.set("deadline", deadline)
            object.set("transaction", transaction)
            if !requests.isEmpty {
                object.array("requests") { array in
                    for request in requests.values.sorted(by: { $0.notificationUUID < $1.notificationUUID }) {
                        array.object { request.write(to: &$0) }
                    }
                }
            }
            object.set("answer", answer)
            object.set("accepted", acceptance)
            object.set("end", end)
            object.set("failure", failure)
            object.set("granted", granted)
            object.set("declined", declined)
            object.set("reversed", reversed)
            object.set("consentRescindedAt", consentRescindedAt)
            object.add(unknownFields)
        }
        return writer.bytes
    }

    /// Reads what ``jsonText`` wrote. A member of the wrong kind reads as absent.
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
        for derived: StaticString in ["answerStatus", "outcome", "deadline"] { _ = fields.element(derived) }
        transaction = fields.statement("transaction")
        for request in fields.objects("requests").compactMap(RefundRequest.init(_:)) { insert(request) }
        answer = fields.statement("answer")
        acceptance = fields.statement("accepted")
        end = fields.statement("end")
        failure = fields.statement("failure")
        granted = fields.statement("granted")
        declined = fields.statement("declined")
        reversed = fields.statement("reversed")
        consentRescindedAt = fields.instant("consentRescindedAt")
        unknownFields = fields.unknownFields
    }
}
