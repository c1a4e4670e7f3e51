/// A statement by Apple about one transaction (app-store.md 3.6, 3.8, 3.10), as plain values. Dates are milliseconds
/// from the start of the story.
struct StatedTransaction: Hashable, Sendable {
    var id: String
    var product: String
    var type = Self.subscription
    var start: Int64
    var expires: Int64?
    var signed: Int64 = 0
    var ownership = "PURCHASED"
    var quantity: Int64 = 1
    var isUpgraded = false
    var revoked: Int64?
    var revocationType: String?
    /// The refunded share; 100,000 is the whole quantity.
    var revocationPercentage: Int64?
    var isSeatAddition = false
    var revokedSeats: Int64 = 0
    var commitment: StatedCommitment?
    var items: [StatedItem] = []
    /// The account in the appAccountToken, as a letter.
    var account: String?
    /// Whether Apple renewed it; otherwise, the customer bought it.
    var isRenewal = false

    static let subscription = "Auto-Renewable Subscription"
    static let consumable = "Consumable"
    static let nonConsumable = "Non-Consumable"
    static let pass = "Non-Renewing Subscription"
}

/// An item of an Advanced Commerce transaction (app-store.md 3.9).
struct StatedItem: Hashable, Sendable {
    var sku: String
    var revoked: Int64?
    var isRefunded = false
}

/// A billing period of a monthly plan with a 12-month commitment (app-store.md 3.8).
struct StatedCommitment: Hashable, Sendable {
    var number: Int64
    var total: Int64 = 12
    var expires: Int64
}

/// A statement by Apple about the renewal of a subscription (app-store.md 3.7).
struct StatedRenewal: Hashable, Sendable {
    var signed: Int64 = 0
    var product: String
    var nextProduct: String
    var renewalDate: Int64
    var autoRenews = true
    var isInRetry: Bool?
    var graceExpires: Int64?
    var intent: Int64?
    /// Whether a commitment renews after its twelve months.
    var commitmentAutoRenews: Bool?
}

/// A notification. Without a type, it is an upload (only a transaction) or a response from the App Store Server API.
struct AppleStatement: Hashable, Sendable {
    var type: String?
    var subtype: String?
    var signed: Int64
    var status: Int?
    var transaction: StatedTransaction?
    var renewal: StatedRenewal?

    /// The time when the status was signed. The status in an API response has no date (app-store.md 12.1, rule 5).
    var statusSigned: Int64 { type == nil ? renewal?.signed ?? transaction?.signed ?? signed : signed }
}

/// Settings that affect access (app-store.md 11.3), in milliseconds.
struct AccessSettings: Hashable, Sendable {
    var renewalLeeway: Int64 = 3 * hour
    var graceFallback: Int64 = 3 * day
    var staleTolerance: Int64 = hour
    /// The length of the non-renewing product.
    var passDays: Int64 = 30
}

/// The app's claim that a purchase belongs to an account.
struct StatedClaim: Hashable, Sendable {
    var claimed: Int64
    var account: String
    /// The owner of the purchase at the time.
    var former: String?
}

/// A random life cycle of a subscription or one-time purchase: Apple's statements and their arrival.
struct AccessStory: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case subscription, family, seats, commitment, items, consumable, nonConsumable, pass
    }

    struct Delivery: Hashable, Sendable {
        var received: Int64
        var statement: AppleStatement
    }

    let seed: UInt64
    let kind: Kind
    let settings: AccessSettings
    /// The arrivals in order, including repetitions and excluding lost statements.
    let deliveries: [Delivery]
    /// Statements that arrive as version 1 bodies. Some arrive only in this form.
    var version1: [AppleStatement] = []
    /// The app's newest claim.
    var claim: StatedClaim?
    /// Times to query, past and present.
    let moments: [Int64]

    /// All statements that arrive, without repetitions.
    var statements: [AppleStatement] { Self.once(deliveries) }

    func statements(receivedBy instant: Int64) -> [AppleStatement] {
        Self.once(deliveries.filter { $0.received <= instant })
    }

    private static func once(_ deliveries: [Delivery]) -> [AppleStatement] {
        var seen: Set<AppleStatement> = []
        return deliveries.map(\.statement).filter { seen.insert($0).inserted }
    }
}

extension AccessStory: CustomStringConvertible {
    var description: String {
        let lines = deliveries.map { delivery in
            "received \(days(delivery.received)): \(delivery.statement)"
        }
        let bodies = version1.map { "version 1: \($0)" } + (claim.map { ["\($0)"] } ?? [])
        return (["seed \(seed), \(kind.rawValue), \(settings)"] + lines + bodies).joined(
            separator: "\n")
    }
}

extension AppleStatement: CustomStringConvertible {
    var description: String {
        let source = status == nil && renewal == nil ? "upload" : "API answer"
        var text = "\(type ?? source)\(subtype.map { "/" + $0 } ?? "") signed \(days(signed))"
        if let status { text += " S\(status)" }
        if let transaction { text += " \(transaction)" }
        if let renewal { text += " \(renewal)" }
        return text
    }
}

extension StatedTransaction: CustomStringConvertible {
    var description: String {
        var text = "T\(id) \(product) x\(quantity) [\(days(start))-\(expires.map(days) ?? "")]"
        if let account { text += " of \(account)\(isRenewal ? "" : ", bought")" }
        if ownership != "PURCHASED" { text += " \(ownership)" }
        if isUpgraded { text += " upgraded" }
        if let revoked { text += " revoked \(days(revoked)) \(revocationPercentage.map(String.init) ?? "")" }
        if isSeatAddition { text += " SEAT_ADDITION" }
        if revokedSeats > 0 { text += " -\(revokedSeats) seats" }
        if let commitment { text += " \(commitment.number)/\(commitment.total)" }
        for item in items { text += " \(item.sku)\(item.revoked.map { " revoked " + days($0) } ?? "")" }
        return text
    }
}

extension StatedRenewal: CustomStringConvertible {
    var description: String {
        var text = "R(\(days(renewalDate)) ar \(autoRenews ? 1 : 0)"
        if nextProduct != product { text += " next \(nextProduct)" }
        if let isInRetry { text += " retry \(isInRetry)" }
        if let graceExpires { text += " grace \(days(graceExpires))" }
        if let intent { text += " intent \(intent)" }
        if let commitmentAutoRenews { text += " commitment \(commitmentAutoRenews ? 1 : 0)" }
        return text + ")"
    }
}

/// Formats a time in days, to the second.
func days(_ milliseconds: Int64) -> String {
    "d" + String(Double(Int64(Double(milliseconds) / 864)) / 100_000)
}
