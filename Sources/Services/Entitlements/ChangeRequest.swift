internal import AppStoreModel
internal import EntitlementRules
internal import JSON
internal import Records

/// A request to `POST /v1/claims` or `/v1/erasures`. Its facts do not come from a notification.
struct ChangeRequest: Sendable, Equatable {
    enum Change: Sendable, Equatable {
        /// Assigns the purchase to this account. If it already belongs to another account, this requires `isTransfer`
        /// and a proof.
        case claim(AppAccountToken, isTransfer: Bool = false)
        /// Erases everything known about the purchase.
        case erasure
    }

    var change: Change
    var environment: AppStoreEnvironment
    var bundleId: BundleId
    var originalTransactionId: OriginalTransactionId
    /// A signed transaction of the purchase as proof of purchase, in the form of a compact JWS.
    var proof: [UInt8]?

    /// Maximum body size in bytes, including a signed transaction.
    static let maximumBytes = TransactionUpload.maximumBytes

    /// Parses a body, which is one JSON object. Unknown members are an error. `environment` defaults to Production.
    init(claim body: [UInt8]) throws(Refusal) {
        let members = try Members(
            body, with: [ReadAPIName.appAccountToken, ReadAPIName.transfer, ReadAPIName.signedTransactionInfo])
        let token = AppAccountToken(try members.text(ReadAPIName.appAccountToken))
        guard token.isWellFormed else { throw Refusal(message: "\(ReadAPIName.appAccountToken): expected a UUID") }
        try self.init(.claim(token, isTransfer: members.flag(ReadAPIName.transfer)), members)
        proof = try members.jws(ReadAPIName.signedTransactionInfo)
    }

    /// Creates an account's claim to the purchase in an uploaded transaction.
    init(claimOf purchase: PurchaseFacts, by account: AppAccountToken) {
        change = .claim(account)
        environment = purchase.environment
        bundleId = purchase.bundleId
        originalTransactionId = purchase.originalTransactionId
    }

    init(erasure body: [UInt8]) throws(Refusal) { try self.init(.erasure, Members(body)) }

    private init(_ change: Change, _ members: Members) throws(Refusal) {
        self.change = change
        bundleId = BundleId(try members.text(ReadAPIName.bundleId))
        originalTransactionId = OriginalTransactionId(try members.text(ReadAPIName.originalTransactionId))
        environment = try members.environment()
    }

    /// Returns the facts to add to the purchase, or nil if there is nothing to add: the purchase already belongs to the
    /// account, it belongs to another account and the claim is not a proven transfer, or it is already erased.
    func contribution(
        to known: PurchaseFacts, at now: AppStoreInstant, isProved: Bool = false
    ) -> PurchaseFacts? {
        var facts = PurchaseFacts(
            environment: known.environment, bundleId: known.bundleId,
            originalTransactionId: known.originalTransactionId)
        switch change {
        case .claim(let token, let isTransfer):
            let owner = known.owner(at: now)
            guard owner != token, owner == nil || isTransfer && isProved else { return nil }
            facts.insert(
                OwnerClaim(
                    appAccountToken: token, claimedAt: moment(ofClaimOn: known, at: now),
                    transferredFrom: known.purchasedToken(at: now) ?? owner))
        case .erasure:
            if known.isErased { return nil }
            facts.erase(upTo: max(now, known.latestSignedDate))
        }
        return facts
    }

    /// Returns the time to use for the claim: later than the claim it replaces and the latest purchase, even if
    /// members' clocks differ.
    private func moment(ofClaimOn known: PurchaseFacts, at now: AppStoreInstant) -> AppStoreInstant {
        let bought = known.latestPurchase(upTo: now.advanced(byMilliseconds: PurchaseFacts.clockTolerance))
        let last = max(known.newestClaim?.version.signedDate ?? .earliest, bought ?? .earliest)
        return max(now, last.advanced(byMilliseconds: 1))
    }
}

private struct Members {
    private let object: JSONObject

    init(_ body: [UInt8], with further: [StaticString] = []) throws(Refusal) {
        let known =
            [ReadAPIName.bundleId, ReadAPIName.originalTransactionId, ReadAPIName.environment]
            .map(\.description) + further.map(\.description)
        guard let object = (try? JSONValue(json: body))?.object else {
            throw Refusal(message: "expected a JSON object with \(known.joined(separator: ", "))")
        }
        if let name = object.names.first(where: { !known.contains($0) }) {
            throw Refusal(
                message: "\(name.prefix(64)): unknown member; known members: \(known.joined(separator: ", "))")
        }
        self.object = object
    }

    func text(_ name: StaticString) throws(Refusal) -> String {
        guard let text = object[name.description]?.string, BoundedText.accepts(text) else {
            throw Refusal(
                message:
                    "\(name): expected a string of 1 to \(BoundedText.maximumBytes) bytes without control characters")
        }
        return text
    }

    func jws(_ name: StaticString) throws(Refusal) -> [UInt8]? {
        guard let value = object[name.description] else { return nil }
        guard let text = value.string, !text.isEmpty else { throw Refusal(message: "\(name): expected a compact JWS") }
        return Array(text.utf8)
    }

    /// Returns the value of a Boolean member, or false if it is absent.
    func flag(_ name: StaticString) throws(Refusal) -> Bool {
        guard let value = object[name.description] else { return false }
        guard let flag = value.bool else { throw Refusal(message: "\(name): expected true or false") }
        return flag
    }

    func environment() throws(Refusal) -> AppStoreEnvironment {
        guard let value = object[ReadAPIName.environment.description] else { return .production }
        guard let environment = value.string.flatMap(AppStoreEnvironment.init(published:)) else {
            throw Refusal(message: "\(ReadAPIName.environment): expected Production or Sandbox")
        }
        return environment
    }
}
