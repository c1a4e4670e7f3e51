internal import AppStoreModel
internal import AppStoreVerification
internal import EntitlementRules
internal import JSON

/// A request to `POST /v1/transactions`: the signed transaction that an app received from StoreKit
/// (`jwsRepresentation`), and optionally the signed renewal info. Once verified, they yield the same kind of facts as a
/// notification.
struct TransactionUpload: Sendable, Equatable {
    /// The signed transaction as compact JWS.
    var signedTransaction: [UInt8]
    var signedRenewalInfo: [UInt8]?
    /// The environments whose transactions the caller accepts.
    var environments: QueriedEnvironments
    /// The account that claims the purchase if the purchase does not belong to an account yet.
    var account: AppAccountToken?

    /// Maximum body size in bytes. Apple's transactions are 4 to 8 kilobytes, mostly certificates.
    static let maximumBytes = 128 * 1024

    /// Parses a body, which is one JSON object. Unknown members are an error.
    init(_ body: [UInt8]) throws(Refusal) {
        let members = try BodyMembers(
            body,
            names: [
                ReadAPIName.signedTransactionInfo, ReadAPIName.signedRenewalInfo, ReadAPIName.environment,
                ReadAPIName.appAccountToken,
            ])
        guard let transaction = try Self.jws(ReadAPIName.signedTransactionInfo, members) else {
            throw Refusal(message: "\(ReadAPIName.signedTransactionInfo): expected a compact JWS")
        }
        signedTransaction = transaction
        signedRenewalInfo = try Self.jws(ReadAPIName.signedRenewalInfo, members)
        environments = try QueriedEnvironments(members.textIfAny(ReadAPIName.environment))
        account = try members.textIfAny(ReadAPIName.appAccountToken).map { AppAccountToken($0) }
        guard account?.isWellFormed ?? true else {
            throw Refusal(message: "\(ReadAPIName.appAccountToken): expected a UUID")
        }
    }

    private static func jws(_ name: StaticString, _ members: BodyMembers) throws(Refusal) -> [UInt8]? {
        guard let value = members[name] else { return nil }
        guard let text = value.string, !text.isEmpty else { throw Refusal(message: "\(name): expected a compact JWS") }
        return Array(text.utf8)
    }

    /// Returns the facts in a verified transaction.
    ///
    /// - Parameter hasRenewalInfo: whether to use the renewal info; false ignores it.
    /// - Throws: a `Refusal` if the transaction is unreadable, an identifier is too long, or a field that affects
    ///   access differs from Apple's documentation.
    static func facts(
        of verified: VerifiedTransaction, status: SubscriptionStatus? = nil, hasRenewalInfo: Bool = true
    ) throws(Refusal) -> PurchaseFacts {
        guard let transaction = try? TransactionPayload(json: verified.transaction) else { throw unreadable }
        let renewalInfo = try? verified.renewalInfo.map { try RenewalInfoPayload(json: $0) }
        guard renewalInfo != nil || verified.renewalInfo == nil else { throw unreadable }
        if let problem = DecisiveFields.problem(
            in: transaction.fieldProblems + (renewalInfo?.fieldProblems ?? []))
        {
            throw Refusal(message: problem)
        }
        guard
            let facts = PurchaseFacts(
                environment: verified.environment, bundleId: verified.bundleId, transaction: transaction,
                renewalInfo: hasRenewalInfo ? renewalInfo : nil, status: status)
        else { throw unreadable }
        guard facts.hasBoundedIdentifiers else { throw Refusal(message: "an identifier is too long") }
        return facts
    }

    private static let unreadable = Refusal(message: "expected a transaction with originalTransactionId and signedDate")
}
