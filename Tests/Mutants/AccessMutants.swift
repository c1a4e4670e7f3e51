// Access decisions: the rows of the state machine in order, and the facts they depend on.

private let rules = "AppStore/EntitlementRules/"
private let suites = "AccessCaseTests|SubscriptionStateTests|TransitionTableTests"
private let states = MutatedFile(
    .access, "access", rules + "SubscriptionEvidence.swift", suites: suites + "|CommitmentTests")
private let renewals = MutatedFile(
    .access, "renewal", rules + "PeriodRenewal.swift", suites: suites + "|BillingTroubleTests|CommitmentTests")
private let seats = MutatedFile(
    .access, "seats", rules + "SubscriptionPeriod.swift", suites: "SeatTests|AccessCaseTests")
private let migration = MutatedFile(
    .access, "migration", rules + "PurchaseMigration.swift", suites: "PurchaseMigrationTests|BundleSwitchTests")
private let silence = MutatedFile(
    .access, "silence", rules + "RenewalSilence.swift", suites: "RenewalSilenceTests")
private let current = MutatedFile(.access, "current", rules + "CurrentTransaction.swift", suites: suites)
private let owner = MutatedFile(
    .access, "owner", rules + "PurchaseFacts+Owner.swift", suites: "OwnershipTests|AccessCaseTests")
private let past = MutatedFile(
    .access, "past", rules + "PurchaseFacts+Past.swift", suites: suites + "|AccessOracleTests|AccessStoryTests")
private let gaps = MutatedFile(
    .access, "past", rules + "PurchaseFacts+KnownSince.swift", suites: suites + "|AccessOracleTests|AccessStoryTests")
private let units = MutatedFile(.access, "units", rules + "OneTimeState.swift", suites: "OneTimePurchaseTests")
private let copies = MutatedFile(
    .access, "units", rules + "OneTimeTransactions.swift", suites: "RestoredPurchaseTests")
private let items = MutatedFile(
    .access, "items", rules + "ItemEntitlements.swift", suites: "AdvancedCommerceItemTests")
private let passes = MutatedFile(
    .access, "units", rules + "OneTimeEntry.swift", suites: "OneTimePurchaseTests")
private let judged = MutatedFile(.access, "trust", rules + "JudgedSubscription.swift", suites: "LegacyTrustTests")
private let trust = MutatedFile(.access, "trust", rules + "PurchaseFacts+Trust.swift", suites: "LegacyTrustTests")
private let facts = MutatedFile(
    .access, "trust", rules + "PurchaseFacts+Notification.swift", suites: "PurchaseJoinTests|OwnershipTests")

enum AccessMutants {
    static let all: [Mutant] = [
        states.mutant("access-begun", "periods.last { $0.start <= instant } ?? periods.first", "periods.last"),
        migration.mutant("access-continued-account", "!successors.isEmpty", "false"),
        states.mutant("access-revoked", "current.isRevoked(at: instant)", "false"),
        states.mutant("access-revoked-by-status", "isRevokedByStatus(current)", "false"),
        states.mutant(
            "access-status-explained", "!isStatusExplained", after: "guard let status, status.status == .revoked, ",
            "true"
        ),
        states.mutant(
            "access-leeway-explained", "status?.status == .revoked && isStatusExplained && !isRevoked", "false"),
        renewals.mutant("access-former-renewal", "isBefore($0.version)", "false"),
        renewals.mutant("access-signed-again", "(isOfFormer || $0.renewalDate == nil)", "true"),
        renewals.mutant("access-retry-expired", "$0.status == .expired", "false"),
        renewals.mutant("access-former-failure", "isOfFormer ? nil : self.renewal", "self.renewal"),
        renewals.mutant("access-former-status", "isToldWithFormer ? nil : status", "status"),
        renewals.mutant("access-grace-status", "since == .billingGracePeriod", "false"),
        renewals.mutant("access-grace-expired", "since == .expired", "false"),
        renewals.mutant("access-grace-given-up", "failure.isInBillingRetryPeriod == false", "false"),
        renewals.mutant(
            "access-grace-without-date", "status?.status == .billingGracePeriod", after: "var isGraceWithoutDate",
            "false"),
        renewals.mutant("access-commitment-grace", "!isCommitted", after: "var gracePeriodEnd", "true"),
        renewals.mutant("access-commitment-fallback", "!isCommitted", after: "var isGraceWithoutDate", "true"),
        renewals.mutant("access-commitment-last", "commitmentWillRenew == false", "false"),
        renewals.mutant("access-commitment-product", "isCommitted", after: "var nextProductId", "false"),
        states.mutant("access-commitment-refund", "current?.first.isCommitted == true", "false"),
        renewals.mutant("access-leeway-off", "renewal?.autoRenewStatus != .off", "renewal?.autoRenewStatus != .on"),
        renewals.mutant("access-leeway-retry", "failure.isInBillingRetryPeriod != true", "true"),
        silence.mutant("silence-lag", "receivedUntil.advanced(byMilliseconds: leeway) < instant", "true"),
        silence.mutant("silence-observed", "receivedUntil < leewayEnd", "true"),
        silence.mutant("silence-limit", "limit > instant", "true"),
        states.mutant("access-next-product", "next.productId == current.productId", "true"),
        states.mutant("access-next-revoked", "next.revocationDate == nil", "true"),
        states.without("access-replaced", "replaced = purchase.latestPeriod()"),
        seats.mutant("access-seats-revoked", "isRevoked(at: instant)", after: "fileprivate func seats", "false"),
        seats.mutant("access-seats-mark", "cluster.contains(where: \\.hasAddedSeats)", "false"),
        seats.mutant("access-seats-overlap", "$0.runs(at: transaction.start)", "true"),
        seats.mutant("access-seats-assigned", "first.inAppOwnershipType == .assigned", "false"),
        seats.mutant("access-seats-all-revoked", "$0.start > instant || $0.isRevoked(at: instant)", "true"),
        seats.mutant("access-seats-expiry", "held.isEmpty ? transactions : held", "transactions"),
        current.mutant("access-upcoming-upgraded", "!isUpgraded($0)", after: "func competingPeriods", "true"),
        owner.mutant("access-transfer", "claim.transferredFrom == named", "false"),
        owner.mutant("access-bought-since", "!isBought(after: claim.version.signedDate, upTo: instant)", "true"),
        owner.mutant(
            "access-upcoming-account", "$0.appAccountToken != nil && isBegun($0)", "$0.appAccountToken != nil"),
        owner.mutant("access-replaced-renewal", "!isReplacedRenewal(transaction, at: instant)", "true"),
        owner.mutant("access-guessed-claim", "precedesPurchase($0) ? nil : $0", "$0"),
        owner.mutant("access-former-owner", "claim.version.signedDate > latestKnown", "false"),
        facts.mutant("access-bought-by-type", "type.tellsOfPurchase(subtype)", "false"),
        current.mutant("access-status-signed-again", "transactions[key]?.revocationDate != nil", "false"),
        past.mutant(
            "access-past-former-upgrade", "transaction.start.advanced(byMilliseconds: -86_400_000) <= signedDate",
            "true"),
        past.mutant("access-past-grace", "28 * 86_400_000", "60 * 86_400_000"),
        past.mutant("access-past-upgrade", "signedDate <= instant", after: "in upgrades where ", "true"),
        past.mutant("access-past-upgraded", "!wasUpgraded(transaction, by: instant)", "false"),
        past.mutant("access-past-told", "own.first?.tellsPurchase == true && isComplete", "false"),
        past.mutant("access-past-refund-again", "min($0, last.signedDate)", "$0"),
        past.mutant("access-past-revocation", "told.first?.isRevocation == true", "false"),
        past.mutant("access-past-item-refund", "!transaction.items.isEmpty", "false"),
        gaps.mutant("access-past-extension", "$0.notificationType == .renewalExtended", "false"),
        gaps.mutant("access-past-seats", "$0.isRefundOfSeats", "false"),
        gaps.mutant("access-past-share", "transaction.type == .consumable", "false"),
        gaps.mutant("access-past-renewal", "renewal.version.signedDate", after: "default: return ", "nil"),
        gaps.mutant("access-past-handed-in", "transaction.start <= instant ? later.first?.signedDate : nil", "nil"),
        gaps.mutant("access-past-items", "!transaction.items.isEmpty", "false"),
        gaps.mutant("access-past-untold-refund", "date <= instant", after: "compactMap({ $0 }) where ", "false"),
        judged.mutant("trust-waits", "state == nil", "true"),
        trust.mutant("trust-keeps-revocation", "known.revocationDate", "revocationDate"),
        trust.mutant(
            "trust-same-renewal", "unsigned.isSame(as: renewal, until: periods.compactMap(\\.expiresDate).max())",
            "false"),
        judged.mutant("trust-unconfirmed", "claimed.isEntitled = false", "claimed.isEntitled = true"),
        facts.mutant("trust-upgrade", "version.isSigned", "true"),
        copies.mutant("access-restored-once", "$0.isCopy(of: transaction)", "false"),
        copies.mutant("access-restored-newest", "(other.version, other.key) < (version, key)", "true"),
        copies.mutant("access-restored-past", "isSigned != isOtherSigned", "false"),
        items.mutant("access-item-revoked", "item.isRevoked(at: instant) ? item.revocationDate : nil", "nil"),
        items.mutant("access-item-rule", "skus[item.sku] ?? entitlements", "entitlements"),
        items.mutant("access-item-units", "dates.count == items.count ? dates.max() : nil", "nil"),
        passes.mutant("access-pass-joined", "next.start <= end", "false"),
        units.mutant("access-units-nearest", "50_000", after: "static func share", "0"),
    ]
}
