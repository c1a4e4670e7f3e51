internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives
internal import Telemetry

/// Reads the state's topics. The reader is the only writer of the database.
extension KeyedState {
    // MARK: Partitions

    /// Starts reading a partition from the position applied so far, unless it is already being read.
    func follow(_ place: KafkaTopicPartition) {
        withRunning { running in
            guard running.followed[place] == nil, !running.isStopping, let parts = running.parts else { return }
            running.unread[place] = .some(nil)
            progress.follow(place)
            let ending = running.unfollowing.removeValue(forKey: place)
            running.followed[place] = followers.begin { [self] in
                await ending?.value
                await read(place, parts)
            }
        }
    }

    /// Stops reading a partition. Its rows and position are kept, and brought up to date when it is read again.
    private func unfollow(_ place: KafkaTopicPartition) {
        withRunning { running in
            // The partition may have been assigned since the standbys were chosen.
            guard !running.assigned.contains(place), let parts = running.parts,
                let task = running.followed.removeValue(forKey: place)
            else { return }
            running.unread[place] = nil
            running.ends[place] = nil
            progress.unfollow(place)
            running.health.forget(place)
            running.unfollowing[place] = followers.begin { [self] in
                task.cancel()
                await task.value
                // A write that was in progress may have failed in the meantime. No later write would clear its failure.
                withRunning { $0.health.forget(place) }
                await parts.changelog.consumer.stopReading([place])
                parts.partitions[place]?.releaseAcknowledged()
            }
        }
    }

    /// Makes a worker follow its assigned partitions and up to ``StateOptions/standbys`` others: those from which its
    /// file was updated most recently. It stops following the rest.
    func adjustStandbys() {
        guard options.role == .worker, let parts = try? parts() else { return }
        let assigned = withRunning { $0.assigned }
        let others = parts.partitions.keys.filter { !assigned.contains($0) }
        let seen = Dictionary(
            uniqueKeysWithValues: others.map { ($0, (try? parts.database.store.position(of: $0))?.seen ?? 0) })
        // Rank by a random identifier, so that members with new files choose different partitions.
        let chosen = others.sorted { one, other in
            (seen[one] ?? 0, rank(one)) > (seen[other] ?? 0, rank(other))
        }.prefix(options.standbys)
        let wanted = assigned.union(chosen)
        for place in withRunning({ Array($0.followed.keys) }) where !wanted.contains(place) { unfollow(place) }
        for place in wanted { follow(place) }
        // A restore ends when the last unread partition is read to its end. That partition may just have been revoked.
        if withRunning({ $0.unread.isEmpty && !$0.followed.isEmpty }) { endRestore(parts) }
    }

    private func rank(_ place: KafkaTopicPartition) -> UInt64 {
        FNV1a.hash(place.description.utf8, from: writer)
    }

    // MARK: Events

    func receive(_ event: KafkaConsumerEvent) {
        switch event {
        case .statistics(let statistics):
            let now = clocks.monotonicMilliseconds()
            withRunning { running in
                running.health.lastSign = now
                running.health.brokersUp = statistics.brokersUp
            }
            for partition in statistics.partitions {
                guard let high = partition.highOffset, high >= 0 else { continue }
                sawEnd(high, of: partition.topicPartition)
            }
        case .offsetReset(let partition, _, let found):
            notComplete(partition, "reading continued at offset \(found)")
        case .offsetOutOfRange(let partition, let offset):
            notComplete(partition, "offset \(offset) no longer exists")
            fail(
                .offsetOutOfRange(
                    partition, offset,
                    fix:
                        "Find out why a compacted topic's records were deleted, then restart; local state is kept"
                ))
        case .damaged(let partition, let offset, let error):
            fail(.damaged(partition, offset, error))
        case .fatal(let error):
            fail(.clientFailed(error))
        case .error(let error):
            frequent.log(.warning, key: error.name, "state reader error", [LogField(.error, error.message)])
        default: break
        }
    }
}
