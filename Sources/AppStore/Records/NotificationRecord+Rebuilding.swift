internal import JSON
internal import Primitives

/// The reason why the compact JWS of a record cannot be rebuilt.
public enum RebuildError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The record was not signed, because it is version 1 or was created by hand.
    case unsigned
    /// `proof` does not match the payloads. This never happens in a record from the ingress.
    case malformedProof
    /// The header segment is unknown. It is in the certificates topic, so continue reading that topic and retry.
    case unknownHeader(HeaderReference)

    public var description: String {
        switch self {
        case .unsigned: "the record has neither proof nor signedPayload"
        case .malformedProof: "proof does not match the payloads"
        case .unknownHeader(let reference): "header \(reference) is unknown"
        }
    }
}

extension NotificationRecord {
    /// The notification's signatures and header references, or nil if the record has no proof or an unreadable one.
    public var proof: RecordProof? {
        guard let proof = value[member: .proof] else { return nil }
        func part(_ member: JSONElement?) -> RecordProof.Part? {
            guard let header = member?["header"]?.string.map({ HeaderReference(rawValue: $0) }), header.isWellFormed,
                let element = member?["signature"], let range = element.plainTextRange,
                range.count == RecordProof.signatureLength
            else { return nil }
            return RecordProof.Part(header: header, signature: element.bytes[range])
        }
        guard let notification = part(proof["notification"]) else { return nil }
        return RecordProof(
            notification: notification, transaction: part(proof["transaction"]),
            renewalInfo: part(proof["renewalInfo"]), appTransaction: part(proof["appTransaction"]))
    }

    /// Rebuilds the compact JWS that Apple posted, byte for byte.
    ///
    /// - Parameter header: returns the header segment for a reference. The segment is the value of the record in the
    ///   certificates topic that has the reference as its key.
    /// - Throws: ``RebuildError``. After `unknownHeader`, wait for the certificates topic and retry.
    public func rebuild(
        header: (HeaderReference) -> [UInt8]?
    ) throws(RebuildError) -> [UInt8] {
        if let signedPayload { return Array(signedPayload.utf8) }
        guard let proofElement = value[member: .proof] else { throw .unsigned }
        guard let proof, let notification = value[member: .notification] else { throw .malformedProof }
        let data = notification["data"]
        // Strings to insert, with their offsets. The rest of the notification remains unchanged.
        var insertions: [(at: Int, text: [UInt8])] = []
        func add(
            _ part: RecordProof.Part?, _ name: StaticString, _ member: RecordMember, _ emptied: JSONElement?
        ) throws(RebuildError) {
            guard let part else {
                guard proofElement[name] == nil, value[member: member] == nil else { throw .malformedProof }
                return
            }
            guard let payload = value[member: member], let range = emptied?.plainTextRange, range.isEmpty else {
                throw .malformedProof
            }
            insertions.append((range.lowerBound, try Self.jws(part, payload.bytes, header)))
        }
        try add(proof.transaction, "transaction", .transaction, data?["signedTransactionInfo"])
        try add(proof.renewalInfo, "renewalInfo", .renewalInfo, data?["signedRenewalInfo"])
        try add(
            proof.appTransaction, "appTransaction", .appTransaction,
            notification["appData"]?["signedAppTransactionInfo"])
        insertions.sort { $0.at < $1.at }
        let text = notification.bytes
        var payload: [UInt8] = []
        payload.reserveCapacity(text.count + insertions.reduce(0) { $0 + $1.text.count })
        var position = text.startIndex
        for insertion in insertions {
            payload += text[position..<insertion.at]
            payload += insertion.text
            position = insertion.at
        }
        payload += text[position...]
        return try Self.jws(proof.notification, payload[...], header)
    }

    private static func jws(
        _ part: RecordProof.Part, _ payload: ArraySlice<UInt8>, _ header: (HeaderReference) -> [UInt8]?
    ) throws(RebuildError) -> [UInt8] {
        guard let segment = header(part.header) else { throw .unknownHeader(part.header) }
        var text = segment
        text.reserveCapacity(segment.count + Base64URL.encodedCount(payload.count) + part.signature.count + 2)
        text.append(UInt8(ascii: "."))
        text += payload.withUnsafeBytes { Base64URL.encode($0) }
        text.append(UInt8(ascii: "."))
        text += part.signature
        return text
    }
}
