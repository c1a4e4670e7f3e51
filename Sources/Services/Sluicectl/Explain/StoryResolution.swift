internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import CommandLine
internal import Configuration
internal import HTTPClient
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records
internal import Story

/// The result of resolving an identifier: purchases, by their record keys, or a single notification.
struct StoryResolution {
    var keys: Set<[UInt8]> = []
    var kinds: Set<StoryIdentifier.Kind> = []
    var notificationUUID: String?
    var gaps: [Story.Gap] = []
    /// Whether all records that may contain the identifier were searched.
    var isComplete = true
    /// The partitions that may contain the identifier and cannot be read.
    var unavailable: Set<KafkaTopicPartition> = []

    mutating func add(_ purchases: [(BundleId, OriginalTransactionId)], as kind: StoryIdentifier.Kind) {
        guard !purchases.isEmpty else { return }
        kinds.insert(kind)
        for (bundleId, id) in purchases { keys.insert(RecordKey.purchaseBytes(bundleId, id)) }
    }
}

/// Resolves identifiers to record keys by querying the read API, Apple's API, the archive's index or the reconciler's
/// index, or by searching the topics.
struct StoryResolver {
    let configuration: Configuration
    let clocks: Clocks
    let topics: StoryTopics
    let search: StorySearch
    let archive: StoryArchive?
    let console: Console

    func resolve(_ identifier: StoryIdentifier) async throws -> StoryResolution {
        var result = StoryResolution()
        switch identifier.kinds.first {
        case .recordKey:
            result.kinds = [.recordKey]
            result.keys = [Array(identifier.text.utf8)]
        case .orderId: result.add(try await order(identifier.text), as: .orderId)
        case .webhookId: try await resolve(webhookId: identifier, &result)
        default: try await resolve(any: identifier, &result)
        }
        return result
    }

    // MARK: UUIDs and numbers

    private func resolve(any identifier: StoryIdentifier, _ result: inout StoryResolution) async throws {
        await askReadAPI(identifier, &result)
        if result.keys.isEmpty, identifier.kinds.contains(.originalTransactionId) {
            try await tryKeys(identifier, &result)
        }
        if result.keys.isEmpty, let archive {
            try await archive.resolve(identifier, topics.names.notifications(topics.environment), &result)
        }
        if result.keys.isEmpty, identifier.kinds.contains(.notificationUUID) {
            try await searchIndex(identifier, &result)
        }
        if result.keys.isEmpty { try await scan(identifier, &result) }
    }

    /// Searches the sluice-reconciler index, if there is one.
    private func searchIndex(_ identifier: StoryIdentifier, _ result: inout StoryResolution) async throws {
        var index = StoryIndex(notificationUUID: identifier.text)
        let places = topics.partitions(of: topics.names.reconciliation(topics.environment))
        try await search.run(places, filter: index.filter, newestFirst: true) { index.take($0) }
        guard let key = index.key else { return }
        result.keys = [key]
        result.kinds.insert(.notificationUUID)
        result.notificationUUID = identifier.text
    }

    private static let indexed: [(kind: StoryIdentifier.Kind, parameter: String)] = [
        (.originalTransactionId, "originalTransactionId"), (.transactionId, "transactionId"),
        (.appTransactionId, "appTransactionId"), (.appAccountToken, "appAccountToken"),
    ]

    /// Queries sluice-entitlements, whose database has an index. If the service is unreachable, the story lists a gap,
    /// and the command does not fail.
    private func askReadAPI(_ identifier: StoryIdentifier, _ result: inout StoryResolution) async {
        let client = EntitlementsClient(configuration: configuration)
        for (kind, parameter) in Self.indexed where identifier.kinds.contains(kind) {
            do throws(StartupError) {
                let body = try await client.get(
                    "/v1/entitlements", [(parameter, identifier.text), ("environment", topics.environment.rawValue)])
                let answer = try client.object(body)
                result.add(JSONCells.objects(answer["purchases"]).compactMap(Self.purchase), as: kind)
                if !result.keys.isEmpty { return }
            } catch {
                guard error.setting != nil else { continue }
                result.gaps.append(
                    Story.Gap("the sluice-entitlements index was not used: \(error.problem)", fix: error.fix))
                return
            }
        }
    }

    private static func purchase(_ object: JSONObject) -> (BundleId, OriginalTransactionId)? {
        guard let bundleId = object["bundleId"]?.string, let id = object["originalTransactionId"]?.string else {
            return nil
        }
        return (BundleId(bundleId), OriginalTransactionId(id))
    }

    /// Tries the identifier as an originalTransactionId in each known app. An app and an originalTransactionId form a
    /// record key, so only the partitions of these keys are read.
    private func tryKeys(_ identifier: StoryIdentifier, _ result: inout StoryResolution) async throws {
        let bundle = configuration[OperationsSettings.app].map { [BundleId($0)] }
        let apps = try bundle ?? AppStoreSettings.apps(configuration).map(\.bundleId)
        let keys = Set(apps.map { RecordKey.purchaseBytes($0, OriginalTransactionId(identifier.text)) })
        guard !keys.isEmpty else { return }
        let names = topics.names
        let places = [names.notifications(topics.environment), names.entitlements(topics.environment)]
            .flatMap { topics.partitions(of: $0, keys: keys) }
        var found: Set<[UInt8]> = []
        try await search.run(places, filter: StoryFilter.keyed(keys, notificationUUID: nil)) { record in
            if let key = record.key, keys.contains(key) { found.insert(key) }
            return found.count < keys.count
        }
        guard !found.isEmpty else { return }
        result.keys = found
        result.kinds.insert(.originalTransactionId)
    }

    private func scan(_ identifier: StoryIdentifier, _ result: inout StoryResolution) async throws {
        let names = topics.names
        let inputs = [names.notifications(topics.environment), names.quarantine] + topics.deadLetters
        var scan = StoryScan(identifier, names)
        console.complain("no index contains \(PlainText.printable(identifier.text)); searching every partition")
        var limited: [KafkaTopic] = []
        var unavailable: [KafkaTopicPartition] = []
        for topic in inputs where !scan.isDone {
            // Search the raw bytes of notification records only: quarantined ones are encoded, and dead letters may
            // lack the value that contains the identifier.
            let filter = topic == inputs.first ? scan.filter : nil
            let places = topics.partitions(of: topic)
            try await search.run(places, filter: filter, newestFirst: true) { record in
                scan.take(record)
                return !scan.isDone
            }
            if search.isLimited(places) { limited.append(topic) }
            unavailable += topics.errors(of: places).keys
        }
        if !scan.isDone { result.unavailable.formUnion(unavailable) }
        if !scan.isDone, !limited.isEmpty {
            result.isComplete = false
            result.gaps.append(
                Story.Gap(
                    "the identifier was not searched for in the oldest records of "
                        + limited.map(\.rawValue).joined(separator: ", ") + ", because of --limit",
                    fix: "Raise --limit"))
        }
        result.kinds.formUnion(scan.kinds)
        result.keys = scan.keys
        if scan.isNotification { result.notificationUUID = identifier.text }
    }

    // MARK: Webhooks

    private func resolve(webhookId identifier: StoryIdentifier, _ result: inout StoryResolution) async throws {
        guard let id = StoryWebhookId(identifier.text) else { return }
        guard id.environment == topics.environment else {
            throw StartupError(
                "this webhook-id belongs to \(id.environment.topicSuffix)", setting: "--environment",
                fix: "Add --environment \(id.environment.topicSuffix)", exitCode: .usage)
        }
        result.kinds = [.webhookId]
        if let uuid = id.notificationUUID, let notification = StoryIdentifier(uuid) {
            var found = StoryResolution()
            try await archive?.resolve(notification, topics.names.notifications(topics.environment), &found)
            if found.keys.isEmpty { try await searchIndex(notification, &found) }
            if found.keys.isEmpty { try await scan(notification, &found) }
            result.keys = found.keys
            result.gaps += found.gaps
            result.isComplete = found.isComplete
            result.unavailable = found.unavailable
            result.notificationUUID = uuid
            return
        }
        guard let digest = id.keyDigest.map(StoryDigest.init) else { return }
        let states = topics.partitions(of: topics.names.entitlements(topics.environment))
        try await search.run(states, filter: digest.filter, newestFirst: true) { record in
            guard digest.matches(record), let key = record.key else { return true }
            result.keys.insert(key)
            return false
        }
    }

    // MARK: Apple

    /// Queries Apple for the purchases in an order.
    private func order(_ id: String) async throws -> [(BundleId, OriginalTransactionId)] {
        let source = try APISource(configuration)
        let http = HTTPClient(try HTTPClient.Configuration(configuration))
        defer { http.close() }
        do throws(APIError) {
            let client = try source.client(http: http, clocks: clocks)
            let found = try await client.lookUpOrderId(OrderId(id), source.scope)
            return found.transactions.compactMap { verified in
                guard let payload = try? TransactionPayload(json: verified.transaction),
                    let original = payload.originalTransactionId
                else { return nil }
                return (payload.bundleId ?? source.scope.bundleId, original)
            }
        } catch { throw StartupError(error) }
    }
}
