internal import AppStoreModel
internal import EntitlementRules
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records

/// What one record means to entitlements: facts to be merged, or what becomes of it.
enum FactsReading {
    /// Reads a record of a notification topic. Whatever is in it, this never fails: a record that cannot be used is
    /// answered with a verdict that says why.
    ///
    /// - Parameter environment: of the topic that the record was read from.
    static func read(_ record: KafkaRecord, environment: AppStoreEnvironment) -> StateReading<PurchaseFacts> {
        do {
            let parsed = try NotificationRecord(
                key: nil, value: record.value,
                // The others say nothing that the value does not say.
                headers: [RecordHeaderName.trust, .receivedTime, .subject].compactMap { record.header($0.rawValue) })
            return scan(parsed, environment: environment) ?? read(parsed, environment: environment)
        } catch {
            return error.code == .nullValue
                ? .verdict(.skip(HandlerReason(code: EntitlementsReason.nullValue)))
                : .verdict(.deadLetter(HandlerReason(code: error.code.rawValue, detail: error.description)))
        }
    }

    /// What nearly all records say, without models. Nil where the models must decide.
    static func scan(_ record: NotificationRecord, environment: AppStoreEnvironment) -> StateReading<PurchaseFacts>? {
        guard record.trust == .signed, let transaction = record.transactionElement,
            let facts = PurchaseFacts(
                scanning: record.notificationElement, transaction: transaction, renewalInfo: record.renewalInfoElement,
                environment: environment),
            facts.hasBoundedIdentifiers
        else { return nil }
        return .state(facts)
    }

    /// What a record says, or what is wrong with it, by the models of its payloads.
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
        // The topic decides who reads a record: one of the other environment must never give access.
        let claimed = [notification.data?.environment, transaction?.environment, renewalInfo?.environment]
        guard claimed[0] != nil, claimed.allSatisfy({ $0 == nil || $0 == environment }) else {
            return deadLetter(EntitlementsReason.environmentMismatch, "in the topic of \(environment.rawValue)")
        }
        if let transaction, transaction.transactionId == nil {
            return deadLetter(EntitlementsReason.transactionMissing, "no transactionId")
        }
        guard
            let facts = PurchaseFacts(
                notification: notification, transaction: transaction, renewalInfo: renewalInfo,
                // Only what says that it was signed counts as signed.
                isSigned: record.trust == .signed, receivedAt: record.receivedAt)
        else { return deadLetter(EntitlementsReason.identityMissing, nil) }
        guard facts.hasBoundedIdentifiers else { return deadLetter(EntitlementsReason.identifierTooLong, nil) }
        return .state(facts)
    }

    /// A version 1 body whose receipt has no transaction that it could be about. Where it names its purchase, Apple is
    /// asked about that.
    private static func unresolved(
        _ record: NotificationRecord, _ notification: NotificationPayload, environment: AppStoreEnvironment
    ) -> StateReading<PurchaseFacts> {
        guard let id = record.originalTransactionId else {
            return .verdict(.skip(HandlerReason(code: EntitlementsReason.unresolved)))
        }
        guard notification.data?.environment == environment else {
            return deadLetter(EntitlementsReason.environmentMismatch, "in the topic of \(environment.rawValue)")
        }
        guard let facts = PurchaseFacts(unresolved: notification, of: id, receivedAt: record.receivedAt) else {
            return deadLetter(EntitlementsReason.identityMissing, nil)
        }
        guard facts.hasBoundedIdentifiers else { return deadLetter(EntitlementsReason.identifierTooLong, nil) }
        return .state(facts)
    }

    /// A withdrawn consent is kept under the customer's appTransactionId.
    private static func consent(
        _ record: NotificationRecord, _ notification: NotificationPayload, environment: AppStoreEnvironment
    ) -> StateReading<PurchaseFacts> {
        guard notification.appData?.environment == environment else {
            return deadLetter(EntitlementsReason.environmentMismatch, "in the topic of \(environment.rawValue)")
        }
        guard
            let facts = PurchaseFacts(
                notification: notification, transaction: nil, renewalInfo: nil, appTransaction: record.appTransaction,
                isSigned: record.trust == .signed)
        else { return deadLetter(EntitlementsReason.identityMissing, nil) }
        guard facts.hasBoundedIdentifiers else { return deadLetter(EntitlementsReason.identifierTooLong, nil) }
        return .state(facts)
    }

    /// A test, a summary or a token has no purchase, and changes of metadata, price and offering may have none; a type that
    /// always has one should not be without.
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
