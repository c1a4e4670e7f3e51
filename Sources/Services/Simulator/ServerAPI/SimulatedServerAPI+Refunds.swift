package import AppStoreModel
internal import AppStoreSigning
internal import JSON
internal import Primitives
internal import Synchronization

// Actions that the App Store takes on its own: it repeats requests, decides, and posts notifications.
extension SimulatedServerAPI {
    /// Requests a refund of a registered transaction on behalf of a customer: posts a CONSUMPTION_REQUEST and schedules
    /// its repetitions and Apple's decision.
    ///
    /// After a decision, the customer may ask again, which opens another case for the same transaction.
    ///
    /// - Parameters:
    ///   - text: the text entered in the sandbox's refund sheet under the reason Other.
    ///   - isAtApplesSite: whether the customer asked on Apple's website; nil uses the setting. If Apple declines such
    ///     a request, it sends no notification.
    ///   - isPosted: whether the caller posts the first CONSUMPTION_REQUEST.
    package func requestRefund(
        of transactionId: TransactionId, in environment: AppStoreEnvironment = .production,
        reason: ConsumptionRequestReason = .unintendedPurchase, text: String? = nil, isAtApplesSite: Bool? = nil,
        isPosted: Bool = false
    ) {
        let key = SimulatedRefunds.Key(environment: environment, transactionId: transactionId.rawValue)
        let now = clocks.wallMilliseconds()
        carryOut(
            state.withLock { state in
                let transaction = state.environments[environment]?.store.transactions[key.transactionId]?.payload
                return state.cases.open(
                    key, reason, text: text, isAtApplesSite: isAtApplesSite, of: transaction, isPosted: isPosted,
                    at: now)
            })
    }

    /// Opens the case for a registered CONSUMPTION_REQUEST that another component has posted.
    package func openRefundCase(
        of notificationUUID: NotificationUUID, in environment: AppStoreEnvironment = .production
    ) {
        let sent = state.withLock { $0.environments[environment]?.store.notifications[notificationUUID.rawValue] }
        guard case .simulated(let notification)? = sent?.content, let transactionId = notification.transactionId else {
            return
        }
        let reason = notification.container["consumptionRequestReason"]?.string ?? ""
        requestRefund(of: transactionId, in: environment, reason: ConsumptionRequestReason(reason), isPosted: true)
    }

    /// Calls `action` once no case is open and nothing is being posted, or immediately if both are already true.
    package func whenSettled(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenSettled(action) }
        callSettledActions()
    }

    /// Number of notifications that were not acknowledged on the last attempt.
    package var failedNotifications: Int { state.withLock { $0.failedPosts } }

    func accepted(
        _ information: ConsumptionInformation, _ transactionId: String, in environment: AppStoreEnvironment, now: Int64
    ) {
        let key = SimulatedRefunds.Key(environment: environment, transactionId: transactionId)
        let actions = state.withLock { state in
            let transaction = state.environments[environment]?.store.transactions[transactionId]?.payload
            let decision =
                environment == .production
                ? SimulatedDecision(information, of: transaction, at: now)
                : SimulatedDecision(
                    sandbox: information, text: state.cases.open(key)?.text, of: transaction, at: now)
            return state.cases.answered(key, decision, at: now)
        }
        carryOut(actions)
    }

    private func carryOut(_ actions: [SimulatedRefunds.Action]) {
        for action in actions {
            switch action {
            case .request(let key, let reason): postRequest(key, reason)
            case .wait(let key, let due, let delay):
                settings.after(delay) { [weak self] in
                    guard let self else { return }
                    carryOut(state.withLock { $0.isStopped ? [] : $0.cases.due(key, due) })
                }
            case .decide(let key, let decision): postDecision(key, decision)
            }
        }
        callSettledActions()
    }

    private func postRequest(_ key: SimulatedRefunds.Key, _ reason: ConsumptionRequestReason) {
        let now = clocks.wallMilliseconds()
        let notification = state.withLock { state in
            state.environments[key.environment]?.notification(
                .consumptionRequest, about: key.transactionId, reason: reason, now: now)
        }
        if let notification { post(notification, in: key.environment) }
    }

    private func postDecision(_ key: SimulatedRefunds.Key, _ decision: SimulatedDecision) {
        let now = clocks.wallMilliseconds()
        let notification = state.withLock { state in
            if case .refunded(let percentage) = decision {
                state.environments[key.environment]?.store.refund(key.transactionId, percentage: percentage, now: now)
            }
            return state.environments[key.environment]?.notification(
                decision.notificationType, about: key.transactionId, now: now)
        }
        if let notification { post(notification, in: key.environment) }
    }

    // MARK: Posting notifications

    /// Posts a notification and retries on Apple's schedule until the notification is acknowledged or the schedule
    /// ends.
    func post(_ notification: UnsignedNotification, in environment: AppStoreEnvironment) {
        let isPosted = state.withLock { state in
            state.environments[environment]?.store.notifications.add(notification)
            guard settings.post != nil, !state.isStopped else { return false }
            state.pendingPosts += 1
            return true
        }
        if isPosted { attempt(1, notification, in: environment) }
    }

    private func attempt(_ number: Int, _ notification: UnsignedNotification, in environment: AppStoreEnvironment) {
        guard let post = settings.post, let signedPayload = try? notification.signed(by: signer) else {
            return ended(isAcknowledged: false)
        }
        post(NotificationFactory.body(signedPayload: signedPayload)) { [weak self] outcome in
            guard let self else { return }
            record(outcome, of: notification.notificationUUID, in: environment)
            if outcome.isAcknowledged { return ended(isAcknowledged: true) }
            let schedule = RetrySchedule(environment: environment, timeScale: settings.followUp.timeScale)
            guard let delay = schedule.delay(afterAttempt: number) else { return ended(isAcknowledged: false) }
            settings.after(delay) { [weak self] in
                guard let self else { return }
                guard !state.withLock({ $0.isStopped }) else { return ended(isAcknowledged: false) }
                attempt(number + 1, notification, in: environment)
            }
        }
    }

    private func ended(isAcknowledged: Bool) {
        state.withLock { state in
            state.pendingPosts -= 1
            if !isAcknowledged { state.failedPosts += 1 }
        }
        callSettledActions()
    }

    private func callSettledActions() {
        for action in state.withLock({ $0.takeSettledActions() }) { action() }
    }
}

extension ServerAPIStore {
    /// Refunds a transaction. If it is the current transaction of a subscription, the subscription no longer renews.
    mutating func refund(_ transactionId: String, percentage: Int64, now: Int64) {
        let original = transactions[transactionId]?.payload["originalTransactionId"]?.string
        change(transactionId) { payload in
            payload.put("revocationDate", now)
            payload.put("revocationReason", 0)
            payload.put("revocationType", percentage == 100_000 ? "REFUND_FULL" : "REFUND_PRORATED")
            payload.put("revocationPercentage", percentage)
        }
        guard let original, currentTransaction(of: original)?.payload["transactionId"]?.string == transactionId else {
            return
        }
        changeRenewal(original) { $0.put("autoRenewStatus", 0) }
    }
}
