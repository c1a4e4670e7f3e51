internal import Kafka
internal import ServiceKit

/// Checks each permission in the `sluicectl topics acls` table, without changing anything.
struct DoctorRights {
    let executable: String
    let profile: DeploymentProfile
    let rights: KafkaRights
    let admin: KafkaAdmin
    let limit: Duration

    private typealias Answers = [AccessRight.Operation: KafkaRights.Answer]

    /// - Parameter required: the permissions that the executable needs.
    func findings(_ required: [AccessRight]) async throws(KafkaError) -> [DoctorFinding] {
        let isEmbedded = try await admin.isEmbeddedBroker(within: limit)
        guard !isEmbedded else {
            return [DoctorFinding(.skipped, .right, "the embedded broker does not check permissions")]
        }
        let topics = required.filter { $0.resource == .topic }
        let answers = try await self.answers(topics)
        var findings = topics.map { finding($0, answers[KafkaTopic(rawValue: $0.name)] ?? [:]) }
        for group in required where group.resource == .group {
            findings.append(finding(group, await self.answers(ofGroup: group)))
        }
        return findings
    }

    // MARK: requests

    private func answers(_ required: [AccessRight]) async throws(KafkaError) -> [KafkaTopic: Answers] {
        let names = required.map { KafkaTopic(rawValue: $0.name) }
        let visible = try await admin.describeTopics(names, settings: .whereAllowed, within: limit)
        let hidden = Set(names).subtracting(visible.map(\.topic))
        let denied = try await admin.deniedTopics(among: Array(hidden), within: limit)
        var answers: [KafkaTopic: Answers] = [:]
        for topic in hidden {
            let answer = denied.contains(topic) ? KafkaRights.Answer.denied : .unknown("the topic does not exist")
            answers[topic] = Dictionary(uniqueKeysWithValues: AccessRight.Operation.allCases.map { ($0, answer) })
        }
        for description in visible {
            answers[description.topic, default: [:]][.describe] = .granted
            answers[description.topic, default: [:]][.describeConfigs] =
                description.configuration == nil ? .denied : .granted
        }
        func existing(_ operation: AccessRight.Operation) -> [KafkaTopic] {
            required.filter { $0.operations.contains(operation) }.map { KafkaTopic(rawValue: $0.name) }
                .filter { !hidden.contains($0) }
        }
        for (topic, answer) in await reading(existing(.read)) { answers[topic]?[.read] = answer }
        for (topic, answer) in await writing(existing(.write)) { answers[topic]?[.write] = answer }
        return answers
    }

    private func reading(_ topics: [KafkaTopic]) async -> [KafkaTopic: KafkaRights.Answer] {
        var ends: [KafkaTopicPartition: KafkaOffset] = [:]
        var answers: [KafkaTopic: KafkaRights.Answer] = [:]
        for topic in topics {
            let place = KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: 0))
            do throws(KafkaError) {
                ends[place] = try await admin.watermarks(of: place, within: limit).high
            } catch {
                answers[topic] = .unknown(error.message)
            }
        }
        return answers.merging(await rights.reading(at: ends)) { $1 }
    }

    /// Returns whether this user may write to each topic. Not tried with `durability=managed`: only Apache Kafka is
    /// known to refuse the test request without writing, and a managed service may run a different broker.
    private func writing(_ topics: [KafkaTopic]) async -> [KafkaTopic: KafkaRights.Answer] {
        func unknown(_ reason: String) -> [KafkaTopic: KafkaRights.Answer] {
            Dictionary(topics.map { ($0, .unknown(reason)) }, uniquingKeysWith: { first, _ in first })
        }
        guard !topics.isEmpty else { return [:] }
        guard profile != .managed else { return unknown("not tried with durability=managed") }
        do throws(KafkaError) {
            return try await rights.writing(to: topics, admin)
        } catch {
            return unknown(error.message)
        }
    }

    private func answers(ofGroup right: AccessRight) async -> Answers {
        let group = KafkaConsumerGroup(rawValue: right.name)
        var answers: Answers = [:]
        for operation in right.operations {
            answers[operation] =
                operation == .read ? await rights.reading(as: group, admin) : await rights.describing(group, admin)
        }
        return answers
    }

    // MARK: findings

    private func finding(_ right: AccessRight, _ answers: Answers) -> DoctorFinding {
        let subject = "\(right.resource.rawValue) \(right.name)"
        func names(where isIncluded: (KafkaRights.Answer) -> Bool) -> [String] {
            right.operations.filter { answers[$0].map(isIncluded) ?? false }.map(\.rawValue)
        }
        let denied = names { $0 == .denied }
        guard denied.isEmpty else {
            // Without DescribeConfigs, an executable with the single-node profile starts with a warning.
            let isTolerated = profile == .singleNode && denied == [AccessRight.Operation.describeConfigs.rawValue]
            return DoctorFinding(
                isTolerated ? .warning : .problem, .right, of: subject, "denied: \(denied.joined(separator: ", "))",
                fix: "Run the command printed by: sluicectl topics acls --for \(executable) --format kafka-acls")
        }
        let granted = names { $0 == .granted }
        for operation in right.operations {
            let reason: String? = if case .unknown(let text)? = answers[operation] { text } else { nil }
            guard answers[operation] != .granted else { continue }
            return DoctorFinding(
                .unknown, .right, of: subject, "\(operation.rawValue): \(reason ?? "not tried")")
        }
        return DoctorFinding(.ok, .right, of: subject, granted.joined(separator: ", "))
    }
}
