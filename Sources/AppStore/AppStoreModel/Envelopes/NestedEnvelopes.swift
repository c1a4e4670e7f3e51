public import JSON

/// The transaction payload fields that the ingress needs.
public struct TransactionEnvelope: Sendable {
    public let transactionId: EnvelopeField<TransactionId>
    public let originalTransactionId: EnvelopeField<OriginalTransactionId>
    public let bundleId: EnvelopeField<BundleId>
    public let environment: EnvelopeField<AppStoreEnvironment>
    public let appTransactionId: EnvelopeField<AppTransactionId>
    public let signedDate: EnvelopeField<AppStoreInstant>

    /// Reads a scanned payload whose root is an object.
    public init(_ document: JSONDocument) {
        let root = EnvelopeReader(document: document, object: 0)
        transactionId = root.boundedText("transactionId").map { TransactionId($0) }
        originalTransactionId = root.boundedText("originalTransactionId").map { OriginalTransactionId($0) }
        bundleId = root.boundedText("bundleId").map { BundleId($0) }
        environment = root.boundedText("environment").map { AppStoreEnvironment($0) }
        appTransactionId = root.boundedText("appTransactionId").map { AppTransactionId($0) }
        signedDate = root.instant("signedDate")
    }

    /// Whether the payload is a transaction, that is, whether both transaction IDs are present and well-formed.
    public var isTransaction: Bool { transactionId.value != nil && originalTransactionId.value != nil }
}

/// The renewal info payload fields that the ingress needs. Renewal info has no bundleId.
public struct RenewalInfoEnvelope: Sendable {
    public let originalTransactionId: EnvelopeField<OriginalTransactionId>
    public let environment: EnvelopeField<AppStoreEnvironment>
    public let appTransactionId: EnvelopeField<AppTransactionId>
    public let signedDate: EnvelopeField<AppStoreInstant>
    /// Whether `autoRenewStatus` or `autoRenewProductId` is present; only renewal info has these fields.
    public let hasRenewalFields: Bool

    /// Reads a scanned payload whose root is an object.
    public init(_ document: JSONDocument) {
        let root = EnvelopeReader(document: document, object: 0)
        originalTransactionId = root.boundedText("originalTransactionId").map { OriginalTransactionId($0) }
        environment = root.boundedText("environment").map { AppStoreEnvironment($0) }
        appTransactionId = root.boundedText("appTransactionId").map { AppTransactionId($0) }
        signedDate = root.instant("signedDate")
        hasRenewalFields = root.has("autoRenewStatus") || root.has("autoRenewProductId")
    }

    /// Whether the payload is renewal info, that is, whether it has an original transaction ID and a renewal field.
    public var isRenewalInfo: Bool { originalTransactionId.value != nil && hasRenewalFields }
}

/// The app transaction payload fields that the ingress needs.
public struct AppTransactionEnvelope: Sendable {
    /// The environment of the app transaction.
    public let receiptType: EnvelopeField<AppStoreEnvironment>
    public let bundleId: EnvelopeField<BundleId>
    public let appAppleId: EnvelopeField<AppAppleId>
    public let appTransactionId: EnvelopeField<AppTransactionId>

    /// Reads a scanned payload whose root is an object.
    public init(_ document: JSONDocument) {
        let root = EnvelopeReader(document: document, object: 0)
        receiptType = root.boundedText("receiptType").map { AppStoreEnvironment($0) }
        bundleId = root.boundedText("bundleId").map { BundleId($0) }
        appAppleId = root.wholeNumber("appAppleId").map { AppAppleId($0) }
        appTransactionId = root.boundedText("appTransactionId").map { AppTransactionId($0) }
    }
}
