import AppStoreModel
import EntitlementRules
import JSON
import LegacyNotifications
import Testing

@testable import Simulator

/// Every format of a history leads to the same state, except for events that the older formats cannot report.
///
/// Covers everything from the body to the state without a broker: the simulator's output is parsed and mapped as in the
/// ingress, and merged and evaluated as in sluice-entitlements.
@Suite struct `The same history in every format` {
    /// Events that a format does not report. The state then differs until the next reported event.
    private static let untold: [NotificationFormat: [NotificationType: String]] = [
        .v1: [
            .refundReversed: "there is no type for it",
            .renewalExtended: "there is no type for it",
            .expired: "a plain expiry is not told: billing retry that the customer ended goes on for 60 days",
            .subscribed: "a family member gets no INITIAL_BUY",
        ],
        .v0: [
            .refundReversed: "there is no type for it",
            .renewalExtended: "there is no type for it",
            .didRenew: "an ordinary renewal is not told",
            .didFailToRenew: "a failed renewal is not told",
            .gracePeriodExpired: "neither is the failed renewal before it",
            .consumptionRequest: "neither is the renewal before it",
        ],
    ]

    /// Steps that a format reports in less detail than version 2.
    private static let toldInPart: [String: String] = [
        "v1 subscription-life 8": "the reversal of the refund is not told, and a cancellation stays",
        "v1 subscription-life 9": "the new period has not begun, and the refunded one is the current one",
        "v0 subscription-life 8": "the reversal of the refund is not told, and a cancellation stays",
        "v1 subscription-extended 2": "the new period has not begun, and the extension of the old one was not told",
        "v1 billing-grace-undated 1": "a grace period without its end is not told from billing retry",
        "v0 billing-retry-cancelled 2": "billing retry is not told, so that the end of renewal is the end",
        "v0 refund-of-past-period 3": "the renewal was not told, so that the refunded period is the last one known",
    ]

    private static let subscriptions = Scenario.all.filter {
        // Neither format has a field for seats and commitments, or reports assignments or the Advanced Commerce API.
        $0.product.kind == .autoRenewable && !$0.product.isMultiSeat && $0.product.committedPeriods == 0
            && $0.ownership != .assigned && $0.name != "advanced-commerce"
    }

    @Test func `every step of a subscription leads to the same state in each format, with listed exceptions`() throws {
        var untold: [NotificationFormat: Set<NotificationType>] = [:]
        var toldInPart: Set<String> = []
        var compared = 0
        for format in [NotificationFormat.v1, .v0] {
            // The oldest format predates Family Sharing of subscriptions.
            for scenario in Self.subscriptions where format == .v1 || scenario.ownership == .purchased {
                guard !scenario.steps.allSatisfy({ $0.event.container != .purchase }) else { continue }
                let series = try makeSeries([scenario], formats: [.v2, format])
                var (signed, legacy) = (ToldLife(), ToldLife())
                for (step, notification) in series.notifications(of: 0).enumerated() {
                    let bodies = series.legacyBodies(of: 0, step: step, format)
                    try signed.tell(notification)
                    for body in bodies { try legacy.tell(body) }
                    let now = AppStoreInstant(clampingMillisecondsSince1970: notification.signedDate)
                    compared += bodies.isEmpty ? 0 : 1
                    guard signed.state(at: now) != legacy.state(at: now) else { continue }
                    if bodies.isEmpty {
                        untold[format, default: []].insert(notification.notificationType)
                    } else {
                        toldInPart.insert("\(format) \(scenario.name) \(step)")
                    }
                }
            }
        }
        #expect(untold == Self.untold.mapValues { Set($0.keys) })
        #expect(toldInPart == Set(Self.toldInPart.keys))
        #expect(compared > 80)
    }

    @Test func `a nonrenewing purchase grants no access in either format once refunded or no longer shared`() throws {
        for name in ["non-consumable", "family-non-consumable"] {
            let series = try makeSeries([try #require(Scenario.named(name))], formats: [.v2, .v1])
            var (signed, legacy) = (ToldLife(), ToldLife())
            var told = 0
            for (step, notification) in series.notifications(of: 0).enumerated() {
                try signed.tell(notification)
                let bodies = series.legacyBodies(of: 0, step: step, .v1)
                for body in bodies { try legacy.tell(body) }
                let now = AppStoreInstant(clampingMillisecondsSince1970: notification.signedDate)
                guard !bodies.isEmpty else { continue }
                told += 1
                #expect(signed.state(at: now)?.isEntitled == false)
                #expect(legacy.state(at: now)?.isEntitled ?? false == false)
            }
            #expect(told == 1)
        }
    }

    @Test func `version 1 bodies with Apple's confirmations lead to the signed state at each step`()
        throws
    {
        var compared = 0
        for scenario in Self.subscriptions {
            let series = try makeSeries([scenario], formats: [.v2, .v1])
            var (signed, confirmed) = (ToldLife(), ToldLife(trust: .confirm))
            for (step, notification) in series.notifications(of: 0).enumerated() {
                try signed.tell(notification)
                let now = AppStoreInstant(clampingMillisecondsSince1970: notification.signedDate)
                let bodies = series.legacyBodies(of: 0, step: step, .v1)
                for body in bodies {
                    try confirmed.tell(body)
                    confirmed.ask(signed, at: now)
                }
                guard !bodies.isEmpty else { continue }
                compared += 1
                #expect(signed.state(at: now) == confirmed.state(at: now), "\(scenario.name) \(step)")
            }
        }
        #expect(compared > 40)
    }

    @Test(arguments: LegacyTrust.allCases, [[NotificationFormat.v1], [.v0], [.v1, .v0]])
    func `older formats alongside version 2 change nothing`(
        trust: LegacyTrust, formats: [NotificationFormat]
    ) throws {
        for scenario in Self.subscriptions {
            let series = try makeSeries([scenario], formats: Set(formats + [.v2]))
            var (signed, both) = (ToldLife(trust: trust), ToldLife(trust: trust))
            for (step, notification) in series.notifications(of: 0).enumerated() {
                for format in formats {
                    for body in series.legacyBodies(of: 0, step: step, format) { try both.tell(body) }
                }
                try signed.tell(notification)
                try both.tell(notification)
                let now = AppStoreInstant(clampingMillisecondsSince1970: notification.signedDate)
                #expect(signed.state(at: now) == both.state(at: now), "\(scenario.name) \(step) \(trust)")
            }
        }
    }
}

/// The state that results from a history in one format.
private struct ToldLife {
    /// The members that determine access and the next renewal.
    struct State: Equatable {
        let state: String
        let isEntitled: Bool
        let until: AppStoreInstant?
        let productId: ProductId
        let willRenew: Bool?
        let pendingProductId: ProductId?
    }

    private static let password = "0123456789abcdef0123456789abcdef"
    private let rules: ProductRules
    private var purchase: PurchaseFacts?

    /// - Parameter trust: trust of unsigned formats; by default they are accepted.
    init(trust: LegacyTrust = .accept) {
        rules = ProductRules(legacyTrust: LegacyTrustRules(others: trust))
    }

    mutating func tell(_ notification: UnsignedNotification) throws {
        let payload = notification.payload(
            signedTransactionInfo: nil, signedRenewalInfo: nil, signedAppTransactionInfo: nil)
        try tell(payload, notification.transaction, notification.renewalInfo, isSigned: true)
    }

    mutating func tell(_ body: UnsignedLegacyBody) throws {
        let document = try JSONDocument.object(
            body.body(password: Self.password), maximumBytes: 1 << 20, maximumDepth: 16)
        let read = try LegacyNotification(
            document, bundleId: productionApp.bundleId,
            receivedAt: AppStoreInstant(clampingMillisecondsSince1970: body.date))
        try tell(
            read.notification, read.transaction, read.renewalInfo, isSigned: false,
            receivedAt: AppStoreInstant(clampingMillisecondsSince1970: body.date))
    }

    /// Merges Apple's response with all signed data, if a request is due by then.
    mutating func ask(_ apple: ToldLife, at now: AppStoreInstant) {
        guard let question = purchase?.legacyQuestion, question.due <= now, let answer = apple.purchase else { return }
        purchase?.merge(answer)
        purchase?.settleLegacy(question.ids)
    }

    private mutating func tell(
        _ notification: [UInt8], _ transaction: [UInt8]?, _ renewalInfo: [UInt8]?, isSigned: Bool,
        receivedAt: AppStoreInstant? = nil
    ) throws {
        let facts = PurchaseFacts(
            notification: try NotificationPayload(json: notification),
            transaction: try transaction.map { try TransactionPayload(json: $0) },
            renewalInfo: try renewalInfo.map { try RenewalInfoPayload(json: $0) }, isSigned: isSigned,
            receivedAt: receivedAt)
        guard let facts else { return }
        if purchase == nil { purchase = facts } else { purchase?.merge(facts) }
    }

    func state(at instant: AppStoreInstant) -> State? {
        let answer = EntitlementAnswer(
            purchases: purchase.map { [$0] } ?? [], environment: .production, at: instant, rules: rules)
        return answer.grants.first.map {
            State(
                state: $0.state, isEntitled: $0.isEntitled, until: $0.until, productId: $0.productId,
                willRenew: $0.willRenew, pendingProductId: $0.pendingProductId)
        }
    }
}
