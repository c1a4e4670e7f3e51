internal import AppStoreModel
internal import EntitlementRules
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records

/// The state model for entitlements. A row contains the facts about one purchase, and is published as the answer
/// computed at the time of publication.
struct EntitlementsModel: StateModel {
    /// Names of index entries.
    enum Entry {
        static let appAccountToken = "appAccountToken"
        static let appTransactionId = "appTransactionId"
        static let originalTransactionId = "originalTransactionId"
        /// The ids of a purchase's stored transactions, except the one that equals the purchase's own id.
        static let transactionId = "transactionId"
        /// Purchases that belong to no account. The entry's value is the record key, so that purchases can be listed in
        /// key order.
        static let unclaimed = "unclaimed"
    }

    let rules: ProductRules
    /// Identifies the rules and the format version that a published answer depends on.
    let fingerprint: String
    /// The environment of each state topic.
    let environments: [KafkaTopic: AppStoreEnvironment]

    /// Apps whose version 1 notifications are confirmed through the App Store Server API.
    let confirmedApps: Set<BundleId>
    /// How far the input has been read, or nil if it has been read completely.
    let input: InputFreshness?
    /// Counts publications.
    let metrics: EntitlementsMetrics?

    init(
        rules: ProductRules, topics: TopicNames, confirmedApps: Set<BundleId> = [], input: InputFreshness? = nil,
        metrics: EntitlementsMetrics? = nil
    ) {
        self.rules = rules
        self.input = input
        self.metrics = metrics
        self.confirmedApps = confirmedApps
        // These apps are part of the fingerprint, because a row's deadline depends on whether the app's notifications
        // are confirmed.
        let confirmed = confirmedApps.map(\.rawValue).sorted().joined(separator: ",")
        fingerprint = rules.fingerprint + (confirmed.isEmpty ? "" : ";confirmed=\(confirmed)")
        environments = TopicNames.environments(of: topics.state)
    }

    /// Returns the record key of a purchase, both in the input and in the state topic.
    static func key(_ bundleId: BundleId, _ id: OriginalTransactionId) -> [UInt8] {
        RecordKey.purchaseBytes(bundleId, id)
    }

    /// Returns the prefix of the keys of an app's purchases.
    static func prefix(_ bundleId: BundleId) -> [UInt8] { key(bundleId, OriginalTransactionId("")) }

    var dictionary: [UInt8] { RowDictionary.content }

    func key(of state: PurchaseFacts) -> [UInt8] { Self.key(state.bundleId, state.originalTransactionId) }

    func merge(_ other: PurchaseFacts, into state: inout PurchaseFacts) throws -> StateMerge {
        guard state.environment == other.environment else {
            // A merge ignores facts about a different purchase, so the record would be silently lost.
            throw OtherEnvironment()
        }
        let outcome = state.merge(other)
        return StateMerge(isChanged: outcome.isChanged, isLate: outcome.isStale)
    }

    func derivedUpdates(of state: PurchaseFacts) -> [PurchaseFacts] { state.derivedUpdates }

    func encode(_ state: PurchaseFacts) -> [UInt8] { state.jsonText }

    func decode(_ row: [UInt8]) throws -> PurchaseFacts {
        do throws(PurchaseFormatError) {
            return try PurchaseFacts(json: row)
        } catch {
            throw StateError(
                error.code == .unknownFormat ? .newer : .damaged, "a row cannot be read: \(error.code.rawValue)")
        }
    }

    func publication(of state: PurchaseFacts, row: [UInt8], at moment: Int64) -> StatePublication {
        let instant = AppStoreInstant(clampingMillisecondsSince1970: moment)
        let published = state.published(at: instant, rules: rules(for: state), row: row)
        metrics?.published(published)
        let isMeasured = input.map { $0.receivedUntil([state]) > .earliest } ?? true
        let pause = isMeasured ? Self.unknownPause : Self.unmeasuredPause
        var nextChange = published.nextChange?.millisecondsSince1970
        if published.isUnknown { nextChange = min(nextChange ?? .max, moment + pause) }
        return StatePublication(
            value: published.value, nextChange: nextChange,
            // A tombstone's moment is the time up to which the purchase was erased.
            moment: published.value == nil ? state.erasedAt?.millisecondsSince1970 : nil)
    }

    /// Returns the time at which the published answer will next change. If the answer computed from all input never
    /// changes, returns the time at which the answer computed without input would change, because a member that had not
    /// read any input may have published that answer at `moment`.
    func nextChange(of state: PurchaseFacts, after moment: Int64) -> Int64? {
        func change(_ rules: ProductRules) -> Int64? {
            EntitlementAnswer(
                purchases: [state], environment: state.environment,
                at: AppStoreInstant(clampingMillisecondsSince1970: moment), rules: rules
            ).nextChange?.millisecondsSince1970
        }
        return change(rules) ?? change(rules.reading(until: .earliest))
    }

    /// Interval, in milliseconds, after which a state is republished if it was published before its input had been read
    /// completely.
    private static let unknownPause: Int64 = 600_000
    /// Shorter interval for the first seconds of a process, before it has measured how far the input has been read.
    private static let unmeasuredPause: Int64 = 5_000

    /// Returns the rules, adjusted for how far a purchase's input has been read.
    private func rules(for state: PurchaseFacts) -> ProductRules {
        input.map { rules.reading(until: $0.receivedUntil([state])) } ?? rules
    }

    func read(published value: [UInt8], at offset: Int64) throws -> PurchaseFacts {
        do throws(PurchaseFormatError) {
            return try PurchaseFacts(published: value)
        } catch {
            guard error.code == .unknownFormat else { throw error }
            throw StateError(.newer, "a record has a format that this version does not support")
        }
    }

    /// Returns the time at which to query Apple about version 1 statements.
    func deadline(of state: PurchaseFacts) -> Int64? {
        guard state.legacy != nil, confirmedApps.contains(state.bundleId) else { return nil }
        return state.legacyQuestion?.due.millisecondsSince1970
    }

    /// Returns the time at which an erased purchase can be dropped: when notifications from before the erasure can no
    /// longer arrive.
    func expiry(of state: PurchaseFacts) -> Int64? {
        state.erasedAt.flatMap { erasedAt in
            state.isErased ? erasedAt.millisecondsSince1970 + PurchaseFacts.erasureDays * 86_400_000 : nil
        }
    }

    func erasure(of key: [UInt8], in topic: KafkaTopic, at moment: Int64) -> PurchaseFacts? {
        guard let environment = environments[topic],
            let (bundleId, subject) = RecordKey.parts(of: String(decoding: key, as: UTF8.self))
        else { return nil }
        var erased = PurchaseFacts(
            environment: environment, bundleId: bundleId,
            originalTransactionId: OriginalTransactionId(subject))
        erased.erase(upTo: AppStoreInstant(clampingMillisecondsSince1970: moment))
        return erased
    }

    func indexEntries(of state: PurchaseFacts) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        entries.reserveCapacity(3 + state.transactions.count)
        guard !state.isErased else { return entries }
        if !state.isConsent {
            entries.append(IndexEntry(Entry.originalTransactionId, state.originalTransactionId.rawValue))
        }
        // The owner depends on the requested time, so index every possible account.
        for token in state.accounts { entries.append(IndexEntry(Entry.appAccountToken, token.rawValue)) }
        if state.appAccountToken == nil, state.hasTransactions, state.successors.isEmpty {
            entries.append(IndexEntry(Entry.unclaimed, String(decoding: key(of: state), as: UTF8.self)))
        }
        if let id = state.appTransactionId { entries.append(IndexEntry(Entry.appTransactionId, id.rawValue)) }
        func add(_ transaction: TransactionFacts) {
            let id = transaction.transactionId.rawValue
            if id != state.originalTransactionId.rawValue { entries.append(IndexEntry(Entry.transactionId, id)) }
        }
        for transaction in state.transactions.values { add(transaction) }
        let told = state.legacy?.allTransactions ?? []
        for transaction in told where state.transactions[transaction.transactionId] == nil { add(transaction) }
        return entries
    }
}

extension PurchaseFacts {
    fileprivate var hasTransactions: Bool {
        !transactions.isEmpty || legacy.map { !$0.allTransactions.isEmpty } ?? false
    }
}

extension TopicNames {
    /// Returns the notification topic for an environment.
    func input(_ environment: AppStoreEnvironment) -> KafkaTopic {
        notifications(environment)
    }

    /// Returns the topic for the state derived from an environment's notifications.
    func state(_ environment: AppStoreEnvironment) -> KafkaTopic {
        entitlements(environment)
    }
}

/// A record was rejected because the purchase with its key is in a different environment.
struct OtherEnvironment: RecordFault {
    var reason: HandlerReason { HandlerReason(code: EntitlementsReason.environmentMismatch) }
}
