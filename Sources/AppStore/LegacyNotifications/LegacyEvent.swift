internal import AppStoreModel

/// Everything that a body says about what happened: what the mapping to version 2 asks.
struct LegacyEvent: Sendable {
    let statement: LegacyStatement
    /// Nil where no transaction is found: the notification is unresolved.
    let subject: LegacySubject?
    let renewal: LegacyRenewal?
    /// A newer transaction, not cancelled and of the same group, began about when the subject was cancelled.
    let isReplaced: Bool
    /// Stands for Apple's signedDate.
    let time: AppStoreInstant
    /// Whether the type has a date of its own, and the body tells it.
    let hasDate: Bool
    /// The newest date that the body tells of its purchase; nil where it tells none.
    let newestDate: AppStoreInstant?
    let productId: ProductId?
    /// That of the transaction before the subject.
    let previousProductId: ProductId?

    /// How long before or after the cancellation its replacement begins, in milliseconds.
    static let replacementWindow: Int64 = 60_000
    /// How long after the beginning of a period a renewal that is switched on belongs to its purchase, in milliseconds:
    /// the purchase itself switches it on.
    static let purchaseWindow: Int64 = 5 * 60_000

    init(_ body: LegacyBody, receivedAt: AppStoreInstant) throws(LegacyFault) {
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
        // Never later than the body was received.
        time = min(date ?? newestDate ?? receivedAt, receivedAt)
    }

    /// Fields that were sent, but read as absent: outside of the receipt, of the purchase's transactions and renewal.
    var ignoredFields: Int {
        statement.ignoredFields + (renewal?.ignoredFields ?? 0)
            + (subject?.purchase.reduce(0) { $0 + $1.object.ignoredFields } ?? 0)
    }

    // MARK: Time

    /// The date that the type is about.
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

    /// Apple wrote the body at this moment or later: an attempt that arrives late is not dated by its arrival.
    private static func newestDate(_ statement: LegacyStatement, _ subject: LegacySubject?) -> AppStoreInstant? {
        let purchase = subject?.purchase ?? []
        let dates = purchase.flatMap { [$0.purchaseDate, $0.cancellationDate] } + [statement.autoRenewStatusChangeDate]
        return dates.compactMap { $0 }.max()
    }

    // MARK: The subject

    /// Only subscriptions expire. The oldest form is about nothing else.
    var isAutoRenewable: Bool {
        subject.map { $0.transaction.expiresDate != nil || statement.source == .v0 } ?? false
    }

    /// When the subject was refunded, revoked or replaced by an upgrade.
    var cancellationDate: AppStoreInstant? {
        subject.flatMap {
            $0.transaction.cancellationDate ?? (statement.type.isAboutCancellation ? statement.cancellationDate : nil)
        }
    }

    /// A CANCEL that is an upgrade says of its subject what Apple says with `is_upgraded`: its right has ended, but
    /// nothing was refunded.
    var isUpgraded: Bool {
        subject?.transaction.isUpgraded == true || (statement.type == .cancel && isReplaced)
    }

    var isRevoked: Bool { cancellationDate != nil && !isUpgraded }

    // MARK: The subscription

    /// As of the event's time: that of the subscription, by the newest transaction of its purchase that was not replaced
    /// by an upgrade, whichever the body is about. Nil where it is no subscription.
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
    ) throws(LegacyFault) -> Bool {
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

    // MARK: The renewal

    var autoRenewStatus: Bool? { renewal?.autoRenewStatus ?? statement.autoRenewStatus }
    var autoRenewProductId: ProductId? { renewal?.autoRenewProductId ?? statement.autoRenewProductId }
    /// The oldest form tells with a renewal why the former period ended; it is about the present only while renewal is off.
    var expirationIntent: ExpirationIntent? {
        let isPresent = statement.source == .v1 || autoRenewStatus == false
        return (renewal?.expirationIntent ?? (isPresent ? statement.expirationIntent : nil))
            .map { ExpirationIntent($0) }
    }
    /// While Apple retries. The date stays in the receipt after the last attempt.
    var gracePeriodExpiresDate: AppStoreInstant? {
        renewal?.isInBillingRetryPeriod == true ? renewal?.gracePeriodExpiresDate : nil
    }
}
