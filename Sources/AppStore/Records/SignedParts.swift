public import AppStoreModel
internal import Primitives

/// The header and signature segments of a notification's compact JWS and its nested JWS, without the payloads.
///
/// A value is created only if the parts and the payloads restore the JWS byte for byte. This is checked without writing
/// the JWS: each payload segment is compared with the base64url encoding of its payload.
/// ``NotificationRecord/rebuild(header:)`` finds the members for the nested JWS strings by name. It finds the same
/// members as this check, because a record contains the same members with empty strings.
public struct SignedParts: Sendable {
    /// A JWS without its payload.
    struct Part: Sendable {
        let header: ArraySlice<UInt8>
        let signature: ArraySlice<UInt8>

        /// Returns nil if `text` is anything other than a header segment, the base64url encoding of `payload`, and a
        /// 64-byte signature, separated by dots. The payload must also be an object without surrounding white space: it
        /// becomes the value of a member, and readers of that member would not see the white space.
        init?(_ text: ArraySlice<UInt8>, payload: [UInt8]) {
            guard payload.first == UInt8(ascii: "{"), payload.last == UInt8(ascii: "}") else { return nil }
            let dot = UInt8(ascii: ".")
            let signature = text.endIndex - RecordProof.signatureLength
            let payloadStart = signature - 1 - Base64URL.encodedCount(payload.count)
            guard payloadStart - 1 > text.startIndex, text[signature - 1] == dot, text[payloadStart - 1] == dot else {
                return nil
            }
            let isPayload = text[payloadStart..<signature - 1].withUnsafeBytes { segment in
                payload.withUnsafeBytes { Base64URL.isEncoding(segment, of: $0) }
            }
            guard isPayload else { return nil }
            header = text[text.startIndex..<payloadStart - 1]
            self.signature = text[signature...]
        }
    }

    private let notification: Part
    private var transaction: Part?
    private var renewalInfo: Part?
    private var appTransaction: Part?

    /// - Parameters:
    ///   - signedPayload: the compact JWS as received, verified.
    ///   - notification: the payload, as signed.
    ///   - envelope: the payload's envelope.
    ///   - transaction: the payload of `signedTransactionInfo`, or nil if there is none; the next two parameters are
    ///     analogous.
    ///
    /// Returns nil if rebuilding would not restore `signedPayload`. The record must then contain the complete text.
    public init?(
        signedPayload: ArraySlice<UInt8>, notification: [UInt8], envelope: NotificationEnvelope, transaction: [UInt8]?,
        renewalInfo: [UInt8]?, appTransaction: [UInt8]?
    ) {
        guard let outer = Part(signedPayload, payload: notification) else { return nil }
        self.notification = outer
        func isTaken(_ field: EnvelopeField<Range<Int>>, _ payload: [UInt8]?, _ part: inout Part?) -> Bool {
            guard let range = field.value else { return payload == nil }
            guard let payload, range.upperBound <= notification.count else { return false }
            part = Part(notification[range], payload: payload)
            return part != nil
        }
        guard isTaken(envelope.signedTransactionInfo, transaction, &self.transaction),
            isTaken(envelope.signedRenewalInfo, renewalInfo, &self.renewalInfo),
            isTaken(envelope.signedAppTransactionInfo, appTransaction, &self.appTransaction)
        else { return nil }
    }

    /// The header segments, one per JWS. Usually all of them are equal.
    public var headers: [ArraySlice<UInt8>] {
        var headers: [ArraySlice<UInt8>] = []
        headers.reserveCapacity(4)
        headers.append(notification.header)
        if let transaction { headers.append(transaction.header) }
        if let renewalInfo { headers.append(renewalInfo.header) }
        if let appTransaction { headers.append(appTransaction.header) }
        return headers
    }

    private var count: Int {
        1 + (transaction == nil ? 0 : 1) + (renewalInfo == nil ? 0 : 1) + (appTransaction == nil ? 0 : 1)
    }

    /// Returns the proof, with references in place of the header segments, or nil if the number of references differs.
    ///
    /// - Parameter references: the references to ``headers``, in the same order.
    public func proof(_ references: [HeaderReference]) -> RecordProof? {
        guard references.count == count else { return nil }
        var left = references[...]
        func named(_ part: Part?) -> RecordProof.Part? {
            guard let part, let reference = left.popFirst() else { return nil }
            return RecordProof.Part(header: reference, signature: part.signature)
        }
        guard let notification = named(notification) else { return nil }
        return RecordProof(
            notification: notification, transaction: named(transaction), renewalInfo: named(renewalInfo),
            appTransaction: named(appTransaction))
    }
}
