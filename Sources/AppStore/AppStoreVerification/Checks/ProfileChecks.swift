internal import AppStoreModel
internal import JSON

/// Check 14: a notification for a configured app matches Apple's documentation. Other notifications are quarantined,
/// because a retry would not change them. ``NestedObjectVerifier`` checks the nested objects.
enum ProfileChecks {
    /// 10 July 2008, the day the App Store opened.
    private static let earliest: Int64 = 1_215_648_000_000
    private static let greatestLead: Int64 = 24 * 3_600_000

    /// Runs all parts of check 14 that concern the outer payload.
    static func check(
        _ object: SignedObject, _ document: JSONDocument, _ envelope: NotificationEnvelope, requiresVersion: Bool,
        at now: Int64
    ) throws(Refusal) {
        try checkHeader(object.header, of: "signedPayload")
        let type = try type(of: envelope)
        // The UUID is required to detect duplicates.
        guard let id = envelope.notificationUUID.value, id.isWellFormed else {
            throw Refusal(.profileUUID, "notificationUUID is not a UUID")
        }
        if requiresVersion { try checkVersion(of: envelope) }
        try checkDate(envelope.signedDate, of: "signedPayload", at: now, isRequired: true)
        try TextChecks.check(envelope.externalPurchaseId, "externalPurchaseId", TextGrammar.isToken)
        try TextChecks.check(envelope.requestIdentifier, "requestIdentifier", TextGrammar.isToken)
        try TextChecks.checkEscapes(document, of: "signedPayload")
        try NestedObjectChecks.checkPresence(in: envelope, type: type)
    }

    /// Checks that the header has neither `crit` nor `b64`, and that `x5c` contains the leaf, the intermediate and one
    /// more certificate, as Apple sends it. The third may be any certificate, because the root is pinned.
    ///
    /// Apple sends neither `crit` nor `b64`. Both change the meaning of the signature, so a library must not ignore
    /// them (RFC 7515 section 4.1.11, RFC 7797 section 6).
    static func checkHeader(_ header: KnownHeader, of object: String) throws(Refusal) {
        guard !header.hasCriticalMembers else {
            throw Refusal(.profileCritical, "\(object): crit or b64 in the header")
        }
        guard !header.path.hasUnexpectedShape else {
            throw Refusal(.profileChain, "\(object): x5c does not consist of leaf, intermediate and root")
        }
    }

    /// Scans the payload of a notification.
    static func notification(_ payload: [UInt8]) throws(Refusal) -> (JSONDocument, NotificationEnvelope) {
        let document = try document(payload, of: "payload")
        return (document, NotificationEnvelope(document))
    }

    /// Scans a signed payload, which must be one JSON object in UTF-8, of limited depth, without duplicate members.
    static func document(_ payload: [UInt8], of object: String) throws(Refusal) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument.object(payload)
        } catch {
            switch error.code {
            case .duplicateName: throw Refusal(.profileDuplicate, "\(object): duplicate member")
            case .controlCharacter: throw Refusal(.profileText, "\(object): contains a control character")
            default: throw Refusal(.profileEncoding, "\(object): not a JSON object")
            }
        }
    }

    /// Checks that `signedDate` is not before the App Store opened. Old dates are accepted, because histories and
    /// replays contain them. A date more than 24 hours ahead means that this machine's clock is wrong.
    /// - Parameter now: the current time, in milliseconds since 1970.
    static func checkDate(
        _ date: EnvelopeField<AppStoreInstant>, of object: String, at now: Int64, isRequired: Bool
    ) throws(Refusal) {
        if date.isAbsent, !isRequired { return }
        guard let date = date.value else { throw Refusal(.profileDate, "\(object): signedDate is not a date") }
        let (latest, overflow) = now.addingReportingOverflow(greatestLead)
        let milliseconds = date.millisecondsSince1970
        guard milliseconds >= earliest else {
            throw Refusal(.profileDate, "\(object): signedDate is before the App Store opened")
        }
        guard overflow || milliseconds <= latest else {
            throw Refusal(.clock, "\(object): signedDate is more than 24 hours ahead")
        }
    }

    /// Requires `notificationType`. Any value that follows the grammar is accepted, because Apple may add types.
    private static func type(of envelope: NotificationEnvelope) throws(Refusal) -> NotificationType {
        try TextChecks.check(envelope.notificationType, "notificationType", TextGrammar.isToken)
        try TextChecks.check(envelope.subtype, "subtype", TextGrammar.isToken)
        guard let type = envelope.notificationType.value else {
            throw Refusal(.profileType, "notificationType is absent")
        }
        return type
    }

    private static func checkVersion(of envelope: NotificationEnvelope) throws(Refusal) {
        guard let version = envelope.version.value, version.hasPrefix("2."), TextGrammar.isToken(version) else {
            throw Refusal(.profileVersion, "version is not 2.x")
        }
    }
}

/// Part of check 14: signed strings that become keys, headers, file names and URLs downstream follow a strict grammar,
/// and no string uses escapes to hide control characters.
enum TextChecks {
    /// - Throws: `profile_text` if the field is present and does not follow the grammar.
    static func check<Value: RawRepresentable<String>>(
        _ field: EnvelopeField<Value>, _ name: String, _ isAllowed: (String) -> Bool
    ) throws(Refusal) {
        switch field {
        case .absent: return
        case .malformed: throw Refusal(.profileText, "\(name) is not a string, or is too long")
        case .value(let value):
            guard isAllowed(value.rawValue) else {
                throw Refusal(.profileText, "\(name) has characters that its grammar does not allow")
            }
        }
    }

    /// Rejects escapes of control characters except tabs and line endings.
    static func checkEscapes(_ payload: JSONDocument, of object: String) throws(Refusal) {
        guard payload.hasEscapes else { return }
        let bytes = payload.bytes.span
        var at = 0
        // There is no need to locate the strings, because JSON has no backslashes outside strings. A backslash is never
        // the last byte.
        while at + 1 < bytes.count {
            guard bytes[at] == UInt8(ascii: "\\") else {
                at += 1
                continue
            }
            let isControl: Bool
            switch bytes[at + 1] {
            case UInt8(ascii: "b"), UInt8(ascii: "f"): isControl = true
            case UInt8(ascii: "u"): isControl = isControlEscape(bytes, at: at + 2)
            default: isControl = false
            }
            guard !isControl else { throw Refusal(.profileText, "\(object): contains a control character") }
            at += 2
        }
    }

    /// Returns whether the hexadecimal digits encode a control character: `00` followed by a code below 20 other than
    /// 09, 0A and 0D, or by 7F.
    private static func isControlEscape(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        guard start + 4 <= bytes.count, bytes[start] == UInt8(ascii: "0"), bytes[start + 1] == UInt8(ascii: "0") else {
            return false
        }
        let high = bytes[start + 2]
        let low = bytes[start + 3] | 0x20
        switch high {
        case UInt8(ascii: "0"): return low != UInt8(ascii: "9") && low != UInt8(ascii: "a") && low != UInt8(ascii: "d")
        case UInt8(ascii: "1"): return true
        case UInt8(ascii: "7"): return low == UInt8(ascii: "f")
        default: return false
        }
    }
}

extension EnvelopeField {
    /// Whether the field is missing or `null`.
    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }
}
