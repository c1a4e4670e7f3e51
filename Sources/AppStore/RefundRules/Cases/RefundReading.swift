package import AppStoreModel
package import Records

/// The effect of a notification record on refunds.
package enum RefundReading: Sendable {
    case refund(RefundCase)
    /// The notification does not concern refunds.
    case irrelevant
    /// The notification concerns refunds but is unusable. The values are the reason's code and detail.
    case unusable(String, String?)

    /// - Parameters:
    ///   - environment: the environment of the topic from which the record was read.
    ///   - timestamp: the Kafka record's timestamp in milliseconds since 1970, used if the headers contain no time of
    ///     receipt.
    ///   - now: the current time on this member's clock, to detect a request that is read after its deadline.
    package init(
        _ record: NotificationRecord, environment: AppStoreEnvironment, timestamp: Int64, now: AppStoreInstant
    ) {
        let notification = record.notification
        let type = notification.notificationType
        guard let type, Self.types.contains(type) else {
            self = .irrelevant
            return
        }
        guard let signedDate = notification.signedDate, let uuid = notification.notificationUUID else {
            self = .unusable(RefundReason.identityMissing, "no signedDate or notificationUUID")
            return
        }
        let isSigned = record.trust == .signed
        var found: RefundCase
        if type == .rescindConsent {
            let data = notification.appData
            guard let id = record.appTransaction?.appTransactionId, let bundleId = data?.bundleId else {
                self = .unusable(RefundReason.identityMissing, "no appTransactionId or bundleId")
                return
            }
            guard data?.environment == nil || data?.environment == environment else {
                self = Self.environmentMismatch(environment)
                return
            }
            // A withdrawal of consent contains no transaction, so it is stored under the customer's appTransactionId.
            found = RefundCase(environment: environment, bundleId: bundleId, transactionId: TransactionId(id.rawValue))
            found.consentRescindedAt = signedDate
        } else {
            // An unresolved version 1 notification does not contain its transaction, so it is ignored. A consumption
            // request needs an answer, so it is reported as unusable instead.
            if record.trust == .sharedSecret, record.transaction == nil, type != .consumptionRequest {
                self = .irrelevant
                return
            }
            guard let payload = record.transaction, let transactionId = payload.transactionId,
                let bundleId = payload.bundleId ?? notification.data?.bundleId
            else {
                self = .unusable(RefundReason.transactionMissing, type.rawValue)
                return
            }
            guard [notification.data?.environment, payload.environment].allSatisfy({ $0 == nil || $0 == environment })
            else {
                self = Self.environmentMismatch(environment)
                return
            }
            found = RefundCase(environment: environment, bundleId: bundleId, transactionId: transactionId)
            found.transaction = RefundTransaction(payload, isSigned: isSigned)
            func verdict(_ kind: RefundCaseOutcome) -> RefundVerdict {
                RefundVerdict(kind, signedDate: signedDate, transaction: payload, isSigned: isSigned)
            }
            switch type {
            case .refund: if RefundVerdict.isRefund(payload) { found.insert(verdict(.granted)) }
            case .refundDeclined: found.insert(verdict(.declined))
            case .refundReversed: found.insert(verdict(.reversed))
            default:
                let receivedAt = record.receivedAt ?? AppStoreInstant(clampingMillisecondsSince1970: timestamp)
                found.insert(
                    RefundRequest(
                        notificationUUID: uuid, signedDate: signedDate, receivedAt: receivedAt,
                        reason: notification.data?.consumptionRequestReason, isSigned: isSigned,
                        isAmbiguous: !isSigned && LegacyRequest.isAmbiguous(record.legacy, transactionId),
                        isLate: receivedAt.milliseconds(to: now) >= RefundRound.answerTime))
            }
        }
        self =
            found.isBounded && found.bundleId.isBounded
            ? .refund(found) : .unusable(RefundReason.identifierTooLong, nil)
    }

    private static let types: Set<NotificationType> = [
        .consumptionRequest, .refund, .refundDeclined, .refundReversed, .rescindConsent,
    ]

    /// Returns the reading of a record that names another environment than that of its topic.
    private static func environmentMismatch(_ environment: AppStoreEnvironment) -> RefundReading {
        .unusable(RefundReason.environmentMismatch, "found in the \(environment.rawValue) topic")
    }
}
