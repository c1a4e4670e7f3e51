internal import AppStoreModel
internal import Kafka
internal import KeyedState
internal import Records

/// Checks whether the executables can continue with a mirror's copies. Reads only the copies.
struct ContentChecks {
    let names: TopicNames
    let target: ClusterView

    var findings: [ClusterFinding] {
        headers + partitions + states + certificates
    }

    // MARK: headers

    private var headers: [ClusterFinding] {
        let fix = "Configure the mirror to copy headers, and copy the topic again from its beginning into an empty one"
        let notifications = AppStoreEnvironment.published.map {
            (names.notifications($0), RecordHeaderName.id.rawValue)
        }
        let states = stateTopics.map { ($0, StateHeader.mark) }
        return (notifications + states).compactMap { topic, header in
            let tails = target.tails(of: topic)
            guard let tail = tails.first(where: { $0.records.allSatisfy { $0.header(header) == nil } }) else {
                return nil
            }
            return ClusterFinding(
                .problem, .copy, of: topic.rawValue,
                "the last records of partition \(tail.place.partition) have no header \(header)", fix: fix)
        }
    }

    // MARK: partitions

    /// Topics whose consumers exit if a record is in the wrong partition for its key.
    private var stateTopics: [KafkaTopic] {
        AppStoreEnvironment.published.map(names.entitlements) + AppStoreEnvironment.published.map(names.refunds)
    }

    private var partitions: [ClusterFinding] {
        stateTopics.compactMap { topic in
            guard let count = target.partitionCount(of: topic) else { return nil }
            let moved = target.tails(of: topic).flatMap(\.records).first { record in
                guard let key = record.key, record.header(StateHeader.mark) != nil else { return false }
                return KafkaPartition(ofKey: key, partitions: Int32(clamping: count)) != record.partition
            }
            return moved.map {
                ClusterFinding(
                    .problem, .copy, of: topic.rawValue,
                    "the record at offset \($0.offset) of partition \($0.partition) belongs in another partition",
                    fix:
                        "Configure the mirror to preserve partitions, and copy the topic again to an empty one "
                        + "with as many partitions as its source has")
            }
        }
    }

    // MARK: states

    /// Findings for state topics without rows. Every purchase with a notification has a state row. If there are such
    /// notifications, an empty state topic was therefore not copied.
    private var states: [ClusterFinding] {
        AppStoreEnvironment.published.compactMap { environment in
            let state = names.entitlements(environment)
            let purchases = target.tails(of: names.notifications(environment)).flatMap(\.records).contains {
                $0.text(.subject) != nil
            }
            guard purchases, target.partitionCount(of: state) != nil, !target.hasRecords(state) else { return nil }
            return ClusterFinding(
                .problem, .copy, of: state.rawValue,
                "it is empty, but \(names.notifications(environment)) contains purchase notifications",
                fix: "Mirror it from the beginning, because older states exist nowhere else")
        }
    }

    // MARK: certificates

    private var certificates: [ClusterFinding] {
        for environment in AppStoreEnvironment.published {
            for record in target.tails(of: names.notifications(environment)).flatMap(\.records) {
                guard let header = missingHeader(of: record) else { continue }
                return [
                    ClusterFinding(
                        .problem, .certificates, of: names.certificates.rawValue,
                        "it lacks \(header) for the record at offset \(record.offset) of \(record.topicPartition)",
                        fix: "Mirror it from the beginning; otherwise, notifications cannot be rebuilt or verified")
                ]
            }
        }
        return []
    }

    private func missingHeader(of record: KafkaRecord) -> HeaderReference? {
        guard let notification = try? NotificationRecord(record) else { return nil }
        do throws(RebuildError) {
            _ = try notification.rebuild { target.certificates.segment($0) }
            return nil
        } catch {
            guard case .unknownHeader(let reference) = error else { return nil }
            return reference
        }
    }
}
