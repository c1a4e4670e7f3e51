internal import AppStoreModel
internal import EntitlementRules
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records

/// The rows of entitlements: the facts of each purchase under its record key, published as the answer of the moment.
struct EntitlementsModel: StateModel {
    /// Names of index entries.
    enum Entry {
        static let appAccountToken = "appAccountToken"
        static let appTransactionId = "appTransactionId"
        static let originalTransactionId = "originalTransactionId"
        /// Of the transactions that are kept, but for the first of all, whose id is the purchase's.
        static let transactionId = "transactionId"
        /// Of purchases that belong to no account; the value is the key, so that they can be listed in its order.
        static let unclaimed = "unclaimed"
    }

    let rules: ProductRules
    /// The answer depends on the rules, and its form on the version.
    let fingerprint: String
    /// The state's topics.
    let environments: [KafkaTopic: AppStoreEnvironment]

    /// Apps whose version 1 notifications are confirmed through the App Store Server API.
    let confirmedApps: Set<BundleId>
    /// How far the input was read; nil: all of it.
    let input: InputFreshness?
    /// Told of what is published.
    let metrics: EntitlementsMetrics?

    init(
        rules: ProductRules, topics: TopicNames, confirmedApps: Set<BundleId> = [], input: InputFreshness? = nil,
        metrics: EntitlementsMetrics? = nil
    ) {
        self.rules = rules
        self.input = input
        self.metrics = metrics
        self.confirmedApps = confirmedApps
        // A row says by its deadline what is to be confirmed.
        let confirmed = confirmedApps.map(\.rawValue).sorted().joined(separator: ",")
        fingerprint = rules.fingerprint + (confirmed.isEmpty ? "" : ";confirmed=\(confirmed)")
        environments = Dictionary(
            uniqueKeysWithValues: AppStoreEnvironment.published.map { (topics.state($0), $0) })
    }

    /// The key of a purchase's record, in the input as in the state's topic.
    static func key(_ bundleId: BundleId, _ id: OriginalTransactionId) -> [UInt8] {
        RecordKey.purchaseBytes(bundleId, id)
    }

    func key(of state: PurchaseFacts) -> [UInt8] { Self.key(state.bundleId, state.originalTransactionId) }

    func merge(_ other: PurchaseFacts, into state: inout PurchaseFacts) throws -> StateMerge {
        guard state.environment == other.environment else {
            // Merging into another purchase's facts would change nothing, and the record would be lost.
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
        let nextLook = published.isUnknown ? moment + pause : nil
        return StatePublication(
            value: published.value,
            nextChange: [published.nextChange?.millisecondsSince1970, nextLook].compactMap { $0 }.min(),
            // A tombstone says by its moment what is erased.
            moment: published.value == nil ? state.erasedAt?.millisecondsSince1970 : nil)
    }

    /// What another member published at `moment` may have rested on input that was unread then.
    func nextChange(of state: PurchaseFacts, after moment: Int64) -> Int64? {
        func change(_ rules: ProductRules) -> Int64? {
            EntitlementAnswer(
                purchases: [state], environment: state.environment,
                at: AppStoreInstant(clampingMillisecondsSince1970: moment), rules: rules
            ).nextChange?.millisecondsSince1970
        }
        return change(rules) ?? change(rules.reading(until: .earliest))
    }

    /// Milliseconds after which what was published while its input was unread is published again.
    private static let unknownPause: Int64 = 600_000
    /// The same before it is known how far the input was read, in the first seconds of a process.
    private static let unmeasuredPause: Int64 = 5_000

    /// The rules as the input of a purchase was read.
    private func rules(for state: PurchaseFacts) -> ProductRules {
        input.map { rules.reading(until: $0.receivedUntil([state])) } ?? rules
    }

    func read(published value: [UInt8], at offset: Int64) throws -> PurchaseFacts {
        do throws(PurchaseFormatError) {
            return try PurchaseFacts(published: value)
        } catch {
            guard error.code == .unknownFormat else { throw error }
            throw StateError(.newer, "a record has a format that this version does not know")
        }
    }

    /// From when on Apple is to be asked about what version 1 notifications say.
    func deadline(of state: PurchaseFacts) -> Int64? {
        guard state.legacy != nil, confirmedApps.contains(state.bundleId) else { return nil }
        return state.legacyQuestion?.due.millisecondsSince1970
    }

    /// An erased purchase is no longer needed when no notification that is older than the erasure can come again.
    func expiry(of state: PurchaseFacts) -> Int64? {
        state.erasedAt.flatMap { erasedAt in
            state.isErased ? erasedAt.millisecondsSince1970 + Self.erasureDays * 86_400_000 : nil
        }
    }

    /// Longer than the notification topics keep records.
    static let erasureDays: Int64 = 45

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
        // Whose it is depends on the moment that is asked about.
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
    /// The notification topic of an environment.
    func input(_ environment: AppStoreEnvironment) -> KafkaTopic {
        notifications(environment)
    }

    /// The topic of the state made of it.
    func state(_ environment: AppStoreEnvironment) -> KafkaTopic {
        entitlements(environment)
    }
}

/// The facts of a purchase under the key of another environment's.
struct OtherEnvironment: RecordFault {
    var reason: HandlerReason { HandlerReason(code: EntitlementsReason.environmentMismatch) }
}
