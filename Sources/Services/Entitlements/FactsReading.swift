internal import AppStoreModel
internal import EntitlementRules
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records

/// Converts each record to facts to merge, or to a verdict.
enum FactsReading {
    /// Reads a record from a notification topic. Never fails: an unusable record yields a verdict with the reason.
    ///
    /// - Parameter environment: the environment of the record's topic.
    static func read(_ record: KafkaRecord, environment: AppStoreEnvironment) -> StateReading<PurchaseFacts> {
        do {
            let parsed = try NotificationRecord(key: nil, value: record.value, headers: [])
            if isSigned(record), let reading = scan(signed: parsed, environment: environment) { return reading }
            // Everything in the other headers is also in the value.
            let headers = [RecordHeaderName.trust, .receivedTime, .subject].compactMap { record.header($0.rawValue) }
            return read(NotificationRecord(parsed, headers: headers), environment: environment)
        } catch {
            return error.code == .nullValue
                ? .verdict(.skip(HandlerReason(code: EntitlementsReason.nullValue)))
                : .verdict(.deadLetter(HandlerReason(code: error.code.rawValue, detail: error.description)))
        }
    }

    /// Returns whether a record is marked as signed by Apple.
    private static func isSigned(_ record: KafkaRecord) -> Bool {
        record.withHeaderValue(RecordHeaderName.trust.rawValue) { value in
            value?.elementsEqual(RecordTrust.signed.rawValue.utf8) ?? false
        } ?? false
    }

    /// Reads the facts in a signed record without decoding the models, which suffices for most records. Returns nil if
    /// the models must be decoded.
    static func scan(
        signed record: NotificationRecord, environment: AppStoreEnvironment
    ) -> StateReading<PurchaseFacts>? {
        guard let transaction = record.transactionElement,
            let facts = PurchaseFacts(
                scanning: record.notificationElement, transaction: transaction, renewalInfo: record.renewalInfoElement,
                environment: environment),
            facts.hasBoundedIdentifiers
        else { return nil }
        return .state(facts)
    }

    /// Reads the facts in a record by decoding its payloads into their models. Returns a verdict if there are no usable
    /// facts.
    static func read(
        _ record: NotificationRecord, environment: AppStoreEnvironment
    ) -> StateReading<PurchaseFacts> {
        let notification = record.notification
        let transaction = record.transaction
        let renewalInfo = record.renewalInfo
        if let problem = decisiveProblem(notification, transaction, renewalInfo) {
            return deadLetter(EntitlementsReason.fieldType, problem)
        }
        if transaction == nil, record.trust == .sharedSecret {
            return unresolved(record, notification, environment: environment)
        }
        guard transaction != nil || renewalInfo != nil else {
            return notification.notificationType == .rescindConsent
                ? consent(record, notification, environment: environment) : withoutPurchase(notification)
        }
        // The topic determines which clients see a record. A record from the other environment must never grant access.
        let claimed = [notification.data?.environment, transaction?.environment, renewalInfo?.environment]
        guard claimed[0] != nil, claimed.allSatisfy({ $0 == nil || $0 == environment }) else {
            return deadLetter(EntitlementsReason.environmentMismatch, "found in the \(environment.rawValue) topic")
        }
        if let transaction, transaction.transactionId == nil {
            return deadLetter(EntitlementsReason.transactionMissing, "no transactionId")
        }
        guard
            let facts = PurchaseFacts(
                notification: notification, transaction: transaction, renewalInfo: renewalInfo,
                // A record is treated as signed only if it is marked as signed.
                isSigned: record.trust == .signed, receivedAt: record.receivedAt)
        else { return deadLetter(EntitlementsReason.identityMissing, nil) }
        guard facts.hasBoundedIdentifiers else { return deadLetter(EntitlementsReason.identifierTooLong, nil) }
        return .state(facts)
    }

    /// Reads a version 1 body with a receipt that contains no matching transaction. If the record names its purchase,
    /// Apple is queried about it later.
    private static func unresolved(
        _ record: NotificationRecord, _ notification: NotificationPayload, environment: AppStoreEnvironment
    ) -> StateReading<PurchaseFacts> {
        guard let id = record.originalTransactionId else {
            return .verdict(.skip(HandlerReason(code: EntitlementsReason.unresolved)))
        }
        guard notification.data?.environment == environment else {
            return deadLetter(EntitlementsReason.environmentMismatch, "found in the \(environment.rawValue) topic")
        }
        guard let facts = PurchaseFacts(unresolved: notification, of: id, receivedAt: record.receivedAt) else {
            return deadLetter(EntitlementsReason.identityMissing, nil)
        }
        guard facts.hasBoundedIdentifiers else { return deadLetter(EntitlementsReason.identifierTooLong, nil) }
        return .state(facts)
    }

    /// Reads a withdrawn consent, which is stored under the customer's appTransactionId.
    private static func consent(
        _ record: NotificationRecord, _ notification: NotificationPayload, environment: AppStoreEnvironment
    ) -> StateReading<PurchaseFacts> {
        guard notification.appData?.environment == environment else {
            return deadLetter(EntitlementsReason.environmentMismatch, "found in the \(environment.rawValue) topic")
        }
        guard
            let facts = PurchaseFacts(
                notification: notification, transaction: nil, renewalInfo: nil, appTransaction: record.appTransaction,
                isSigned: record.trust == .signed)
        else { return deadLetter(EntitlementsReason.identityMissing, nil) }
        guard facts.hasBoundedIdentifiers else { return deadLetter(EntitlementsReason.identifierTooLong, nil) }
        return .state(facts)
    }

    /// Returns the verdict on a notification without a transaction. The notification is skipped if its type is missing
    /// or unknown, or does not require a purchase: for example, a test, a renewal extension summary or a price change.
    /// Otherwise, it is dead-lettered.
    private static func withoutPurchase(_ notification: NotificationPayload) -> StateReading<PurchaseFacts> {
        let isWithout: Bool
        switch notification.notificationType {
        case .some(.test), .some(.renewalExtension), .some(.externalPurchaseToken), .some(.metadataUpdate),
            .some(.priceChange), .some(.migration), .some(.unclaimSeats), nil:
            isWithout = true
        case .some(let type): isWithout = !type.isKnown
        }
        return isWithout
            ? .verdict(.skip(HandlerReason(code: EntitlementsReason.noPurchase)))
            : deadLetter(EntitlementsReason.transactionMissing, notification.notificationType?.rawValue)
    }

    private static func decisiveProblem(
        _ notification: NotificationPayload, _ transaction: TransactionPayload?, _ renewalInfo: RenewalInfoPayload?
    ) -> String? {
        DecisiveFields.problem(
            in: notification.fieldProblems + (transaction?.fieldProblems ?? []) + (renewalInfo?.fieldProblems ?? []))
    }

    private static func deadLetter(_ code: String, _ detail: String?) -> StateReading<PurchaseFacts> {
        .verdict(.deadLetter(HandlerReason(code: code, detail: detail)))
    }
}
