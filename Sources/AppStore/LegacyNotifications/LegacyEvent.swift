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
    let productId: ProductId?
    /// That of the transaction before the subject.
    let previousProductId: ProductId?

    /// How long before or after the cancellation its replacement begins, in milliseconds.
    static let replacementWindow: Int64 = 60_000
    /// How long after the beginning of a period a renewal that is switched on belongs to its purchase, in milliseconds.
    static let purchaseWindow: Int64 = 24 * 3_600_000

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
        time = Self.time(statement, subject, receivedAt: receivedAt)
    }

    /// Fields that were sent, but read as absent: outside of the receipt, of the purchase's transactions and renewal.
    var ignoredFields: Int {
        statement.ignoredFields + (renewal?.ignoredFields ?? 0)
            + (subject?.purchase.reduce(0) { $0 + $1.object.ignoredFields } ?? 0)
    }

    // MARK: Time

    /// When it happened, as far as the body tells; a body has no date of its own. Never later than it was received.
    private static func time(
        _ statement: LegacyStatement, _ subject: LegacySubject?, receivedAt: AppStoreInstant
    ) -> AppStoreInstant {
        let transaction = subject?.transaction
        let time: AppStoreInstant? =
            switch statement.type {
            case .didChangeRenewalStatus: statement.autoRenewStatusChangeDate
            case .cancel, .refund, .revoke: transaction?.cancellationDate ?? statement.cancellationDate
            case .initialBuy, .didRenew, .didRecover, .renewal, .interactiveRenewal: transaction?.purchaseDate
            case .didFailToRenew: transaction?.expiresDate
            default: nil
            }
        return min(time ?? receivedAt, receivedAt)
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
    var expirationIntent: ExpirationIntent? {
        (renewal?.expirationIntent ?? statement.expirationIntent).map { ExpirationIntent($0) }
    }
    var gracePeriodExpiresDate: AppStoreInstant? { renewal?.gracePeriodExpiresDate }
}
