internal import AppStoreModel
internal import EntitlementRules
internal import JSON
internal import Records

/// What `POST /v1/claims` and `/v1/erasures` ask for: facts that come from no notification.
struct ChangeRequest: Sendable, Equatable {
    enum Change: Sendable, Equatable {
        /// The purchase belongs to this account; with `isTransfer` also if Apple's facts name another.
        case claim(AppAccountToken, isTransfer: Bool = false)
        /// Everything known of the purchase is to be forgotten.
        case erasure
    }

    var change: Change
    var environment: AppStoreEnvironment
    var bundleId: BundleId
    var originalTransactionId: OriginalTransactionId

    static let maximumBytes = 4096

    /// Reads a body: one JSON object with these members and no others. `environment` is Production where it is absent.
    init(claim body: [UInt8]) throws(Refusal) {
        let members = try Members(body, with: [ReadAPIName.appAccountToken, ReadAPIName.transfer])
        let token = AppAccountToken(try members.text(ReadAPIName.appAccountToken))
        guard token.isWellFormed else { throw Refusal(message: "\(ReadAPIName.appAccountToken): expected a UUID") }
        try self.init(.claim(token, isTransfer: members.flag(ReadAPIName.transfer)), members)
    }

    init(erasure body: [UInt8]) throws(Refusal) { try self.init(.erasure, Members(body)) }

    private init(_ change: Change, _ members: Members) throws(Refusal) {
        self.change = change
        bundleId = BundleId(try members.text(ReadAPIName.bundleId))
        originalTransactionId = OriginalTransactionId(try members.text(ReadAPIName.originalTransactionId))
        environment = try members.environment()
    }

    /// What it adds to what is known, at this moment; nil for nothing: the purchase belongs to the account already, or to
    /// one that Apple's facts name, which only a transfer changes.
    func contribution(to known: PurchaseFacts, at now: AppStoreInstant) -> PurchaseFacts? {
        var facts = PurchaseFacts(
            environment: known.environment, bundleId: known.bundleId,
            originalTransactionId: known.originalTransactionId)
        switch change {
        case .claim(let token, let isTransfer):
            let named = known.purchasedToken(at: now)
            guard named == nil || isTransfer, known.appAccountToken != token else { return nil }
            // Newer than the claim that it replaces, whatever the clocks of the members say.
            let last = known.newestClaim?.version.signedDate ?? .earliest
            facts.insert(
                OwnerClaim(
                    appAccountToken: token, claimedAt: max(now, last.advanced(byMilliseconds: 1)),
                    transferredFrom: named))
        case .erasure:
            if known.isErased { return nil }
            facts.erase(upTo: max(now, known.latestSignedDate))
        }
        return facts
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
                message: "\(name.prefix(64)): unknown member; known are \(known.joined(separator: ", "))")
        }
        self.object = object
    }

    func text(_ name: StaticString) throws(Refusal) -> String {
        guard let text = object[name.description]?.string, BoundedText.accepts(text) else {
            throw Refusal(
                message: "\(name): expected a text of 1 to \(BoundedText.maximumBytes) bytes without control characters"
            )
        }
        return text
    }

    /// False where it is absent.
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
