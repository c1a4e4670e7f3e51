internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records
internal import RefundRules
internal import Synchronization

/// `sluicectl refunds preference`: reads and records the company's preference for a customer, in a topic to which any
/// producer may write.
struct RefundPreferenceCommand {
    let refunds: RefundsCommand

    private var configuration: Configuration { refunds.configuration }

    private var topic: KafkaTopic {
        TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).refundPreferences
    }

    /// Records the preference specified by the flags. Members without a flag remain unchanged.
    func set(_ id: String, _ console: Console) async throws -> ExitCode {
        let key = try Self.key(id)
        return try await refunds.withAdmin { admin, kafka in
            var preference = try await read(key, admin, kafka) ?? RefundPreference()
            let before = preference
            if let consent = configuration[OperationsSettings.preferenceConsent] {
                preference.consent = consent
                preference.since = since
                preference.isWithdrawn = false
            }
            preference.preference = configuration[OperationsSettings.preferenceOutcome] ?? preference.preference
            preference.consumption = try consumption().merging(preference.consumption)
            guard preference != before else {
                throw StartupError(
                    "nothing to record", fix: "Pass --consent, --preference, --delivery-status or another fact",
                    exitCode: .usage)
            }
            return try await record(preference, key, kafka, console)
        }
    }

    func withdraw(_ id: String, _ console: Console) async throws -> ExitCode {
        let key = try Self.key(id)
        return try await refunds.withAdmin { admin, kafka in
            var preference = try await read(key, admin, kafka) ?? RefundPreference()
            preference.consent = false
            preference.isWithdrawn = true
            preference.since = since
            return try await record(preference, key, kafka, console)
        }
    }

    func show(_ id: String, _ console: Console) async throws -> ExitCode {
        let key = try Self.key(id)
        let found = try await refunds.withAdmin { admin, kafka in try await read(key, admin, kafka) }
        guard let found else {
            throw StartupError(
                "no preference is recorded for \(PlainText.printable(id))",
                fix: "Record it with: sluicectl refunds preference set")
        }
        await console.write(line: found.json)
        return .ok
    }

    // MARK: Private details

    /// Parses an appAccountToken or an appTransactionId into a record key.
    private static func key(_ id: String) throws(StartupError) -> String {
        let isNumber = !id.isEmpty && id.utf8.count <= 64 && id.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber || AppAccountToken(id).isWellFormed else {
            throw StartupError(
                "\(PlainText.printable(id)) is neither an appAccountToken (a UUID) nor an appTransactionId (digits)",
                fix: "Pass one of them", exitCode: .usage)
        }
        return id.lowercased()
    }

    private var since: AppStoreInstant {
        configuration[OperationsSettings.statedAt]
            ?? AppStoreInstant(clampingMillisecondsSince1970: refunds.clocks.wallMilliseconds())
    }

    private func consumption() throws(StartupError) -> ConsumptionFacts {
        var consumption = ConsumptionFacts()
        consumption.deliveryStatus = configuration[OperationsSettings.deliveryStatus]
        consumption.sampleContentProvided = try RefundsCommand.sampleContent(configuration)
        consumption.consumptionPercentage = configuration[OperationsSettings.consumptionPercentage].map(Int64.init)
        return consumption
    }

    private func record(
        _ preference: RefundPreference, _ key: String, _ kafka: KafkaConfiguration, _ console: Console
    ) async throws -> ExitCode {
        try await refunds.publish(
            KafkaProducerRecord(topic: topic, key: Array(key.utf8), value: preference.json), kafka)
        await console.write(line: preference.json)
        return .ok
    }

    private func read(
        _ key: String, _ admin: KafkaAdmin, _ kafka: KafkaConfiguration
    ) async throws -> RefundPreference? {
        guard let value = try await recorded(admin, kafka)[key] else { return nil }
        do throws(RefundInputError) {
            return try RefundPreference(json: value, name: "the record of \(key)")
        } catch {
            throw StartupError("\(error)", fix: "Record it again with: sluicectl refunds preference set")
        }
    }

    /// Returns the last record for each customer, keyed by the lower-case record key.
    func recorded(_ admin: KafkaAdmin, _ kafka: KafkaConfiguration) async throws -> [String: [UInt8]] {
        let last = Mutex<[String: [UInt8]]>([:])
        let scan = try await TopicScan(topic, of: admin, with: kafka)
        try await scan.run { record in
            guard let key = record.key else { return true }
            last.withLock { $0[String(decoding: key, as: UTF8.self).lowercased()] = record.value }
            return true
        }
        return last.withLock { $0 }
    }
}
