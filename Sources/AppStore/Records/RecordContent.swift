internal import AppStoreModel

/// The JSON texts of a notification record. Every text is copied byte for byte, except that nested JWS strings are left
/// empty, because their payloads are separate members.
///
/// All texts are scanned JSON objects. `signedPayload` is a compact JWS of base64url and dots, which need no escaping.
public struct RecordContent: Sendable {
    /// The data needed to rebuild the signed objects.
    public enum Evidence: Sendable {
        /// Signatures and header references, with which the signed objects can be rebuilt byte for byte.
        case proof(RecordProof)
        /// The compact JWS as received, for a notification that could not be rebuilt exactly.
        case signedPayload([UInt8])
    }

    /// The decoded notification payload.
    public var notification: [UInt8]
    /// The ranges of the nested JWS strings in the payload, without quotes (`NotificationEnvelope.nestedJWSTexts`).
    /// They are ascending, disjoint, and within the text.
    public var nestedJWSTexts: [Range<Int>]
    public var transaction: [UInt8]?
    public var renewalInfo: [UInt8]?
    public var appTransaction: [UInt8]?
    /// For version 1 and earlier, the body as received, without the secret.
    public var legacy: [UInt8]?
    /// The evidence, or nil if the notification was not signed.
    public var evidence: Evidence?

    public init(
        notification: [UInt8], nestedJWSTexts: [Range<Int>] = [], transaction: [UInt8]? = nil,
        renewalInfo: [UInt8]? = nil, appTransaction: [UInt8]? = nil, legacy: [UInt8]? = nil, evidence: Evidence? = nil
    ) {
        self.notification = notification
        self.nestedJWSTexts = nestedJWSTexts
        self.transaction = transaction
        self.renewalInfo = renewalInfo
        self.appTransaction = appTransaction
        self.legacy = legacy
        self.evidence = evidence
    }

    /// The value of the record: a single JSON object. The evidence comes last, so that readers reach the other members
    /// first.
    public var value: [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(capacity)
        value.append(contentsOf: RecordMember.notification.prefix)
        appendNotification(to: &value)
        append(.transaction, transaction, to: &value)
        append(.renewalInfo, renewalInfo, to: &value)
        append(.appTransaction, appTransaction, to: &value)
        append(.legacy, legacy, to: &value)
        switch evidence {
        case .proof(let proof):
            value.append(contentsOf: RecordMember.proof.prefix)
            proof.append(to: &value)
        case .signedPayload(let signedPayload):
            value.append(contentsOf: RecordMember.signedPayload.prefix)
            value.append(UInt8(ascii: "\""))
            value.append(contentsOf: signedPayload)
            value.append(UInt8(ascii: "\""))
        case nil: break
        }
        value.append(UInt8(ascii: "}"))
        return value
    }

    private var capacity: Int {
        var count = notification.count + (transaction?.count ?? 0) + (renewalInfo?.count ?? 0)
        count += (appTransaction?.count ?? 0) + (legacy?.count ?? 0)
        count -= nestedJWSTexts.reduce(0) { $0 + $1.count }
        if case .signedPayload(let signedPayload) = evidence { count += signedPayload.count }
        // Reserve capacity for the names of all members and for the proof.
        return max(0, count) + 128 + RecordProof.maximumLength
    }

    private func append(_ member: RecordMember, _ text: [UInt8]?, to value: inout [UInt8]) {
        guard let text else { return }
        value.append(contentsOf: member.prefix)
        value.append(contentsOf: text)
    }

    private func appendNotification(to value: inout [UInt8]) {
        var position = 0
        for range in nestedJWSTexts where range.lowerBound >= position && range.upperBound <= notification.count {
            value.append(contentsOf: notification[position..<range.lowerBound])
            position = range.upperBound
        }
        value.append(contentsOf: notification[position...])
    }
}

/// The members of a record's value, in the order in which they are written.
enum RecordMember: String, CaseIterable {
    case notification, transaction, renewalInfo, appTransaction, legacy, proof, signedPayload

    /// The text before the value of the member.
    var prefix: String.UTF8View {
        switch self {
        case .notification: #"{"notification":"#.utf8
        case .transaction: #","transaction":"#.utf8
        case .renewalInfo: #","renewalInfo":"#.utf8
        case .appTransaction: #","appTransaction":"#.utf8
        case .legacy: #","legacy":"#.utf8
        case .proof: #","proof":"#.utf8
        case .signedPayload: #","signedPayload":"#.utf8
        }
    }
}
