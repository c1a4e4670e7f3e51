internal import JSON
internal import KafkaModel
internal import Primitives
internal import Records

/// Collects identifiers from JSON text by member name, in the spellings of notification versions 1 and 2. Also decodes
/// nested compact JWSs without verifying their signatures, because unverified data about a person must be found too.
struct IdentifierCollector {
    /// The maximum depth of nested JWSs. Notifications are not known to nest deeper than one JWS in another.
    private static let maximumNesting = 4
    private static let maximumTextBytes = 16 << 20

    private(set) var names: Set<IndexedName> = []

    mutating func insert(_ kind: IndexedName.Kind, _ text: String?) {
        if let text, !text.isEmpty { names.insert(IndexedName(kind, text)) }
    }

    /// Inserts an identifier of unknown kind under every kind.
    mutating func insertAnyKind(_ text: String?) {
        for kind in IndexedName.Kind.allCases { insert(kind, text) }
    }

    mutating func collect(_ headers: [KafkaHeader]) {
        insert(.notificationUUID, headers.text(.id))
        insert(.originalTransactionId, headers.text(.subject))
    }

    /// - Returns: whether the text is a JSON object.
    @discardableResult
    mutating func collect(text: [UInt8], nesting: Int = 0) -> Bool {
        guard
            let document = try? JSONDocument.object(
                text, maximumBytes: Self.maximumTextBytes, maximumDepth: JSONDocument.defaultMaximumDepth + 1)
        else { return false }
        collect(document.root, nesting: nesting)
        return true
    }

    /// Collects identifiers from the payload of a compact JWS. Does nothing for any other text.
    mutating func collect(jws text: [UInt8]) {
        if let payload = Self.payload(ofJWS: text[...]) { collect(text: payload, nesting: 1) }
    }

    /// The recursion is as deep as the document; the scanner limits the document's depth.
    private mutating func collect(_ element: JSONElement, named name: String? = nil, nesting: Int) {
        switch element.kind {
        case .object: for member in element.members { collect(member.value, named: member.name, nesting: nesting) }
        case .array: for element in element.elements { collect(element, nesting: nesting) }
        case .string:
            if let kind = name.flatMap({ Self.kinds[$0] }) {
                insert(kind, element.string)
            } else if nesting < Self.maximumNesting, let payload = Self.payload(ofString: element) {
                collect(text: payload, nesting: nesting + 1)
            }
        case .number:
            if let kind = name.flatMap({ Self.kinds[$0] }) {
                insert(kind, String(decoding: element.bytes, as: UTF8.self))
            }
        case .null, .bool: break
        }
    }

    /// Returns the decoded payload of a string that is a compact JWS, or nil for any other string.
    private static func payload(ofString element: JSONElement) -> [UInt8]? {
        // A JWS needs no escapes, so it is the text between the quotes.
        guard element.plainTextRange != nil else { return nil }
        return payload(ofJWS: element.bytes.dropFirst().dropLast())
    }

    /// Returns the decoded payload of a compact JWS, or nil for any other text.
    private static func payload(ofJWS text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty else { return nil }
        return try? Base64URL.decode(Array(parts[1]))
    }

    private static let kinds: [String: IndexedName.Kind] = [
        "notificationUUID": .notificationUUID, "notification_uuid": .notificationUUID,
        "transactionId": .transactionId, "transaction_id": .transactionId,
        "originalTransactionId": .originalTransactionId, "original_transaction_id": .originalTransactionId,
        "appAccountToken": .appAccountToken, "app_account_token": .appAccountToken,
        "appTransactionId": .appTransactionId, "app_transaction_id": .appTransactionId,
        "webOrderLineItemId": .webOrderLineItemId, "web_order_line_item_id": .webOrderLineItemId,
        "requestIdentifier": .requestIdentifier, "externalPurchaseId": .externalPurchaseId,
    ]
}
