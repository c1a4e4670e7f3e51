/// The JSON texts of a notification record. Every text is copied byte for byte.
///
/// All texts are scanned JSON objects, and `signedPayload` is a compact JWS: base64url and dots, which need no escaping.
public struct RecordContent: Sendable {
    /// The decoded notification payload.
    public var notification: [UInt8]
    /// Parts of it to leave out (``NotificationEnvelope/nestedJWSMembers``): ascending, disjoint, inside the text.
    public var omitted: [Range<Int>]
    public var transaction: [UInt8]?
    public var renewalInfo: [UInt8]?
    public var appTransaction: [UInt8]?
    /// Version 1 and older: the body as received, less its secret.
    public var legacy: [UInt8]?
    public var signedPayload: ArraySlice<UInt8>?

    public init(
        notification: [UInt8], omitted: [Range<Int>] = [], transaction: [UInt8]? = nil, renewalInfo: [UInt8]? = nil,
        appTransaction: [UInt8]? = nil, legacy: [UInt8]? = nil, signedPayload: ArraySlice<UInt8>? = nil
    ) {
        self.notification = notification
        self.omitted = omitted
        self.transaction = transaction
        self.renewalInfo = renewalInfo
        self.appTransaction = appTransaction
        self.legacy = legacy
        self.signedPayload = signedPayload
    }

    /// The record's value: one JSON object, `signedPayload` last so that a tail reads well.
    public var value: [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(capacity)
        value.append(contentsOf: RecordMember.notification.prefix)
        appendNotification(to: &value)
        let objects: [(RecordMember, [UInt8]?)] = [
            (.transaction, transaction), (.renewalInfo, renewalInfo), (.appTransaction, appTransaction),
            (.legacy, legacy),
        ]
        for (member, text) in objects {
            guard let text else { continue }
            value.append(contentsOf: member.prefix)
            value.append(contentsOf: text)
        }
        if let signedPayload {
            value.append(contentsOf: RecordMember.signedPayload.prefix)
            value.append(UInt8(ascii: "\""))
            value.append(contentsOf: signedPayload)
            value.append(UInt8(ascii: "\""))
        }
        value.append(UInt8(ascii: "}"))
        return value
    }

    private var capacity: Int {
        let texts =
            notification.count + (transaction?.count ?? 0) + (renewalInfo?.count ?? 0) + (appTransaction?.count ?? 0)
            + (legacy?.count ?? 0) + (signedPayload?.count ?? 0)
        return texts + RecordMember.allCases.reduce(3) { $0 + $1.prefix.count }
    }

    private func appendNotification(to value: inout [UInt8]) {
        var position = 0
        for range in omitted where range.lowerBound >= position && range.upperBound <= notification.count {
            value.append(contentsOf: notification[position..<range.lowerBound])
            position = range.upperBound
        }
        value.append(contentsOf: notification[position...])
    }
}

/// The members of a record's value, in the order they are written.
enum RecordMember: String, CaseIterable {
    case notification, transaction, renewalInfo, appTransaction, legacy, signedPayload

    /// What stands before the member's value.
    var prefix: String.UTF8View {
        switch self {
        case .notification: #"{"notification":"#.utf8
        case .transaction: #","transaction":"#.utf8
        case .renewalInfo: #","renewalInfo":"#.utf8
        case .appTransaction: #","appTransaction":"#.utf8
        case .legacy: #","legacy":"#.utf8
        case .signedPayload: #","signedPayload":"#.utf8
        }
    }
}
