public import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives
internal import Telemetry

extension KeyedState {
    /// Brings the rows of a partition up to date before its first record is handled.
    ///
    /// - Parameter input: an input partition.
    public func partitionAssigned(_ input: KafkaTopicPartition) async throws {
        guard let place = statePartition(of: input) else {
            throw StateError(.changelog, "no state topic for \(input)")
        }
        let parts = try parts()
        guard let partition = parts.partitions[place] else {
            let failure = StartupError(
                "\(input) was added while this process was running", setting: "topics.prefix", fix: PartitionCounts.fix,
                exitCode: .configuration)
            fail(failure)
            throw failure
        }
        let start = clocks.monotonicMilliseconds()
        // Register the assignment first. Until then, this partition counts as a standby, which may be dropped when
        // another partition is assigned.
        withRunning { _ = $0.assigned.insert(place) }
        follow(place)
        let ends = try await parts.changelog.queries.watermarks(of: place)
        if try isUnknown(place, ends, parts) { try await refuseToForget([input], parts) }
        guard await progress.wait(for: ends.high.rawValue, of: place) else { throw CancellationError() }
        partition.own(oversized: try parts.database.store.oversized(place))
        do {
            try await publishPending(of: place)
        } catch {
            partition.disown()
            throw error
        }
        let previous = withRunning { running in
            // The member waits for this task when it releases the partition and when the service stops.
            let task = Task(executorPreference: executor) { await self.publishWhileOwned(place) }
            return running.publishers.updateValue(task, forKey: place)
        }
        previous?.cancel()
        adjustStandbys()
        await options.assigned(input)
        let took = clocks.monotonicMilliseconds() - start
        metrics.restores.observe(nanoseconds: took * 1_000_000)
        logger.info(
            "state restored",
            place.logFields + [LogField(.offset, ends.high.rawValue), LogField(.milliseconds, took)])
    }

    /// Stops publishing the pending rows of a partition and releases it.
    ///
    /// - Parameter input: an input partition.
    public func partitionReleased(_ input: KafkaTopicPartition) async {
        guard let place = statePartition(of: input) else { return }
        await options.revoked(input)
        let publisher = withRunning { $0.publishers.removeValue(forKey: place) }
        publisher?.cancel()
        await publisher?.value
        (try? partition(place))?.disown()
        withRunning { _ = $0.assigned.remove(place) }
        adjustStandbys()
    }

    /// Publishes pending rows, in one task per owned partition, so that a partition without a leader does not delay the
    /// others.
    private func publishWhileOwned(_ place: KafkaTopicPartition) async {
        var search = OtherFormSearch()
        while !Task.isCancelled {
            do {
                try await publishPending(of: place)
                try await republishOtherForm(of: place, &search)
            } catch is CancellationError {
                return
            } catch {
                (error as? StateError).map(fail)
                frequent.log(
                    .warning, key: "pending", "failed to publish the state; retrying",
                    place.logFields + [LogField(.error, "\(error)")])
            }
            guard (try? await Task.sleep(for: options.tick)) != nil else { return }
        }
    }

    /// Publishes rows whose last record is incomplete or whose value has changed with time.
    func publishPending(of place: KafkaTopicPartition) async throws {
        let partition = try partition(place)
        try await publishRefused(of: place)
        while true {
            let now = clocks.wallMilliseconds()
            // Rows that the brokers refuse must not crowd out other rows.
            let limit = Self.batch + partition.postponedRows
            let keys = try parts().database.rows.pending(of: place, at: now, atMost: limit)
            // Derived updates are published first. Until then, the row stays outdated in the topic, so this step is
            // repeated after a crash.
            var joined = try partition.statesBehind(keys, at: now)
            if !joined.isEmpty { joined = try await publishDerived(of: joined, in: place.topic).roots }
            guard let published = try partition.republish(keys, at: now, derived: joined) else { return }
            metrics.republished.increment(by: UInt64(clamping: published.count))
            let offset = try await settle([published.delivery])
            if let offset, await !progress.wait(for: offset + 1, of: place) { throw CancellationError() }
        }
    }

    /// Republishes rows that were published with a different fingerprint, at a bounded rate. After a restart,
    /// republishing continues with the remaining rows.
    private func republishOtherForm(of place: KafkaTopicPartition, _ search: inout OtherFormSearch) async throws {
        let partition = try partition(place)
        let parts = try parts()
        // A partition without a position has no rows.
        guard let position = try parts.database.store.position(of: place), position.form != partition.form,
            search.isDue(at: clocks.monotonicMilliseconds())
        else { return }
        while !Task.isCancelled {
            let start = clocks.monotonicMilliseconds()
            let limit = max(1, min(Self.batch, options.republishRate / 10))
            if search.cursor == 0 { try parts.database.store.beginSearch(for: partition.form, of: place) }
            let rows = try parts.database.rows.otherForm(
                than: partition.form, of: place, after: search.cursor, atMost: limit)
            guard let last = rows.last else {
                // Record the fingerprint once a complete pass has found no rows with a different one.
                if search.end(at: start) { try parts.database.store.note(form: partition.form, of: place) }
                return
            }
            let keys = rows.map(\.key)
            if let published = try partition.republish(keys, at: clocks.wallMilliseconds()) {
                metrics.republished.increment(by: UInt64(clamping: published.count))
                try await settle([published.delivery])
            }
            search.found(upTo: last.id, areRefused: partition.areRefused(keys))
            let due = start + Int64(rows.count * 1_000 / max(1, options.republishRate))
            try await Task.sleep(for: .milliseconds(max(0, due - clocks.monotonicMilliseconds())))
        }
    }

    static var batch: Int { 500 }
}
