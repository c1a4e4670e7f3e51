internal import AppStoreModel

/// The event described by a notification body; the input to the version 2 mapping.
struct LegacyEvent: Sendable {
    let statement: LegacyStatement
    /// The transaction that the body is about, or nil if none is found. In that case, the notification is unresolved.
    let subject: LegacySubject?
    let renewal: LegacyRenewal?
    /// Whether a CANCEL has a replacement: a newer, uncancelled transaction in the same purchase or group that began
    /// within ``replacementWindow`` of the cancellation. False for all other types.
    let isReplaced: Bool
    /// The time of the event, used in place of Apple's signedDate.
    let time: AppStoreInstant
    /// Whether the body contains the date of the event. Bodies of some types never do.
    let hasDate: Bool
    /// The newest date in the body that concerns the purchase, or nil if there is none.
    let newestDate: AppStoreInstant?
    let productId: ProductId?
    /// The product of the transaction before the subject.
    let previousProductId: ProductId?

    /// The maximum time between a cancellation and the start of its replacement, in milliseconds.
    static let replacementWindow: Int64 = 60_000
    /// Turning renewal on within this many milliseconds of the start of a period counts as part of the purchase,
    /// because a purchase itself turns renewal on.
    static let purchaseWindow: Int64 = 5 * 60_000

    init(_ body: LegacyBody, receivedAt: AppStoreInstant) throws(LegacyError) {
        let statement = try LegacyStatement(body)
        let receipt = try LegacyReceipt(body, of: statement.originalTransactionId)
        let subject = try LegacySubject.find(statement, in: receipt)
        if let subject {
            renewal = try LegacyRenewal.find(of: subject, in: receipt)
            isReplaced = try Self.isReplaced(subject, statement, in: receipt)
        } else {
            renewal = nil
            isReplaced = false
        }
        self.statement = statement
        self.subject = subject
        productId = try subject?.transaction.productId()
        previousProductId = try subject?.previous?.productId()
        let date = Self.date(statement, subject)
        hasDate = date != nil
        newestDate = Self.newestDate(statement, subject)
        // The time is never after the time of receipt.
        time = min(date ?? newestDate ?? receivedAt, receivedAt)
    }

    /// The number of fields that were sent but treated as absent. In the receipt, only the fields of the subject's
    /// purchase are counted: its transactions and its renewal.
    var ignoredFields: Int {
        statement.ignoredFields + (renewal?.ignoredFields ?? 0)
            + (subject?.purchase.reduce(0) { $0 + $1.object.ignoredFields } ?? 0)
    }

    // MARK: Time

    /// Returns the date of the event, or nil if bodies of this type contain none or this body omits it.
    private static func date(_ statement: LegacyStatement, _ subject: LegacySubject?) -> AppStoreInstant? {
        let transaction = subject?.transaction
        return switch statement.type {
        case .didChangeRenewalStatus: statement.autoRenewStatusChangeDate
        case .cancel, .refund, .revoke: transaction?.cancellationDate ?? statement.cancellationDate
        case .initialBuy, .didRenew, .didRecover, .renewal, .interactiveRenewal: transaction?.purchaseDate
        case .didFailToRenew: transaction?.expiresDate
        default: nil
        }
    }

    /// Returns the newest date in the body that concerns the purchase. Apple wrote the body at that time or later.
    /// Unlike the time of receipt, this date does not make a notification that is delivered late appear to be about a
    /// later event.
    private static func newestDate(_ statement: LegacyStatement, _ subject: LegacySubject?) -> AppStoreInstant? {
        let purchase = subject?.purchase ?? []
        let dates = purchase.flatMap { [$0.purchaseDate, $0.cancellationDate] } + [statement.autoRenewStatusChangeDate]
        return dates.compactMap { $0 }.max()
    }

    // MARK: Subject

    /// Whether the subject is an auto-renewable subscription. Other products do not expire, and the oldest format does
    /// not cover them.
    var isAutoRenewable: Bool {
        subject.map { $0.transaction.expiresDate != nil || statement.source == .v0 } ?? false
    }

    /// The time when the subject was refunded, revoked or replaced by an upgrade.
    var cancellationDate: AppStoreInstant? {
        subject.flatMap {
            $0.transaction.cancellationDate ?? (statement.type.isAboutCancellation ? statement.cancellationDate : nil)
        }
    }

    /// Whether an upgrade replaced the subject, as indicated by `is_upgraded` or by a CANCEL with a replacement. If so,
    /// the subject no longer grants access, but nothing was refunded.
    var isUpgraded: Bool {
        subject?.transaction.isUpgraded == true || (statement.type == .cancel && isReplaced)
    }

    var isRevoked: Bool { cancellationDate != nil && !isUpgraded }

    // MARK: Subscription

    /// The status of the subscription at the time of the event, or nil if there is no subject or it is not an
    /// auto-renewable subscription. The status is derived from the purchase's newest transaction that was not replaced
    /// by an upgrade. That transaction need not be the subject. If upgrades replaced all transactions, the status is
    /// derived from the subject.
    var status: SubscriptionStatus? {
        guard let subject, isAutoRenewable else { return nil }
        let id = subject.transaction.transactionId
        let newest = subject.purchase.filter { $0.transactionId == id ? !isUpgraded : !$0.isUpgraded }
            .max { $0.isBought(before: $1) }
        let deciding = newest ?? subject.transaction
        if deciding.transactionId == id ? isRevoked : deciding.cancellationDate != nil { return .revoked }
        if let expiresDate = deciding.expiresDate, expiresDate > time { return .active }
        guard renewal?.isInBillingRetryPeriod == true else { return .expired }
        return isInGracePeriod ? .billingGracePeriod : .billingRetry
    }

    private static func isReplaced(
        _ subject: LegacySubject, _ statement: LegacyStatement, in receipt: LegacyReceipt
    ) throws(LegacyError) -> Bool {
        let cancelled = subject.transaction
        guard statement.type == .cancel, let date = cancelled.cancellationDate ?? statement.cancellationDate else {
            return false
        }
        let group = try cancelled.subscriptionGroupIdentifier()
        for other in receipt.transactions where other.cancellationDate == nil && cancelled.isBought(before: other) {
            guard let start = other.purchaseDate, abs(date.milliseconds(to: start)) <= replacementWindow else {
                continue
            }
            if other.originalTransactionId == cancelled.originalTransactionId { return true }
            let otherGroup = try other.subscriptionGroupIdentifier()
            if group != nil, otherGroup == group { return true }
        }
        return false
    }

    // MARK: Renewal

    var autoRenewStatus: Bool? { renewal?.autoRenewStatus ?? statement.autoRenewStatus }
    var autoRenewProductId: ProductId? { renewal?.autoRenewProductId ?? statement.autoRenewProductId }
    /// The reason why the subscription expires. In the oldest format, a notification about a renewal includes the
    /// reason why the previous period ended, so the reason is used only if renewal is off.
    var expirationIntent: ExpirationIntent? {
        let isPresent = statement.source == .v1 || autoRenewStatus == false
        return (renewal?.expirationIntent ?? (isPresent ? statement.expirationIntent : nil))
            .map { ExpirationIntent($0) }
    }
    /// The end of the grace period, or nil if Apple is not retrying billing. The receipt still contains the date after
    /// the last attempt.
    var gracePeriodExpiresDate: AppStoreInstant? {
        renewal?.isInBillingRetryPeriod == true ? renewal?.gracePeriodExpiresDate : nil
    }
}
