// Keyed state: consistency of rows, topic and offsets after failures of a member, its file or the topic.

private let state = "Pipeline/KeyedState/"
private let merging = MutatedFile(
    .state, "merge", state + "KeyedState+Merging.swift", suites: "KeyedStateTests|StateOtherPartitionTests")
private let derivingTogether = MutatedFile(
    .state, "merge", state + "KeyedState+Merging.swift", suites: "StateDerivationTests")
private let contributing = MutatedFile(
    .state, "contribute", state + "KeyedState+Merging.swift", suites: "StateLifetimeTests|StateProposalTests")
private let owning = MutatedFile(.state, "owner", state + "KeyedState+Owning.swift", suites: "StateLifetimeTests")
private let deriving = MutatedFile(.state, "owner", state + "KeyedState+Owning.swift", suites: "StateDerivationTests")
private let joined = MutatedFile(
    .state, "owner", state + "Partition/StatePartition+Publishing.swift", suites: "StateDerivationTests")
private let merged = MutatedFile(
    .state, "owner", state + "Partition/StatePartition+Merging.swift", suites: "StateDerivationTests")
private let row = MutatedFile(.state, "row", state + "Row/RowState.swift", suites: "RowStateTests")
private let rowHeader = MutatedFile(.state, "restore", state + "Row/RowHeader.swift", suites: "RowHeaderTests")
private let unread = MutatedFile(
    .state, "restore", state + "Partition/StatePartition+Restoring.swift", suites: "RestoreTests|PartitionCountTests")
private let damaged = MutatedFile(.state, "restore", state + "Database/StateFile.swift", suites: "RestoreTests")
private let opening = MutatedFile(.state, "role", state + "KeyedState+Opening.swift", suites: "StateRoleTests")
private let openingFaults = MutatedFile(
    .state, "follower", state + "KeyedState+Opening.swift", suites: "StateLifetimeTests|StateCrashTests")
private let reading = MutatedFile(
    .state, "follower", state + "KeyedState+Reading.swift", suites: "StateLifetimeTests|StateCrashTests")
private let closing = MutatedFile(
    .state, "restore", state + "Database/StateDatabase.swift", suites: "RestoreTests")
private let roles = MutatedFile(.state, "role", state + "KeyedState+Following.swift", suites: "StateRoleTests")
private let following = MutatedFile(
    .state, "follower", state + "KeyedState+Following.swift", suites: "StateLifetimeTests|StateCrashTests")
private let history = MutatedFile(.state, "follower", state + "StateHistory.swift", suites: "StateHistoryTests")
private let applying = MutatedFile(
    .state, "follower", state + "Partition/StatePartition+Applying.swift", suites: "LocalStateTests|StateProposalTests")
private let proposing = MutatedFile(
    .state, "owner", state + "Partition/StatePartition+Merging.swift",
    suites: "LocalStateTests|StateProposalTests|ProposalRoundTests")
private let expiring = MutatedFile(
    .state, "owner", state + "Partition/StatePartition+Publishing.swift", suites: "LocalStateTests")
private let store = MutatedFile(.state, "follower", state + "Database/StateStore.swift", suites: "KeyedStateTests")
private let proposals = MutatedFile(
    .state, "owner", state + "StateModel.swift", suites: "ProposalRoundTests|StateProposalTests")
private let refusing = MutatedFile(
    .state, "owner", state + "Partition/StatePartition+Refusals.swift",
    suites: "StateLifetimeTests|StateRefusalTests|StateOtherPartitionTests")
private let derivedOfRefused = MutatedFile(
    .state, "owner", state + "Partition/StatePartition+Refusals.swift", suites: "StateDerivationTests")
private let pending = MutatedFile(
    .state, "follower", state + "Partition/StatePartition+Applying.swift", suites: "StateDerivationTests")
private let refusals = MutatedFile(
    .state, "owner", state + "KeyedState+Refusals.swift", suites: "StateLifetimeTests|StateRefusalTests")
private let keeping = MutatedFile(.state, "owner", state + "Database/StateStore.swift", suites: "StateLifetimeTests")
private let unwritten = MutatedFile(
    .state, "follower", state + "Partition/StatePartition+Applying.swift", suites: "StateWriterTests")
private let rowSource = MutatedFile(
    .state, "owner", state + "Database/StateRowSource.swift", suites: "StateWriterTests|StateHistoryTests")
private let tables = #"(hadRecords ? ["rows"] : ["rows", "oversized"])"#
private let writer = MutatedFile(.state, "follower", state + "Database/StateWriter.swift", suites: "StateWriterTests")
private let health = MutatedFile(
    .state, "health", state + "KeyedState.swift", suites: "StateRoleTests|StateLifetimeTests")
private let readiness = MutatedFile(.state, "health", state + "StateHealth.swift", suites: "StateReadinessTests")
private let unfollowing = MutatedFile(
    .state, "health", state + "KeyedState+Following.swift", suites: "StateReadinessTests")
private let connection = MutatedFile(.state, "health", state + "KeyedState.swift", suites: "StateReadinessTests")
private let batching = MutatedFile(
    .state, "health", state + "Changelog/BatchedQueries.swift", suites: "BatchedQueriesTests")
private let counts = MutatedFile(
    .state, "health", state + "Changelog/PartitionCounts.swift", suites: "PartitionCountTests")
private let moved = MutatedFile(
    .state, "follower", state + "Partition/StatePartition+Applying.swift", suites: "PartitionCountTests")
private let identity = MutatedFile(
    .state, "follower", state + "KeyedState+Identity.swift", suites: "RecreatedTopicTests|StateProposalTests")
private let restoring = MutatedFile(
    .state, "health", state + "Restore/RestoreProgress.swift", suites: "RestoreProgressTests")
private let restored = MutatedFile(
    .state, "follower", state + "Restore/RestoredKeys.swift", suites: "RestoredKeysTests")
private let restores = MutatedFile(
    .state, "follower", state + "KeyedState+Restoring.swift", suites: "RestoredKeysTests")
private let interrupted = MutatedFile(
    .state, "restore", state + "KeyedState+Restoring.swift", suites: "RestoreTests")
private let held = MutatedFile(.state, "restore", state + "Restore/HeldEntries.swift", suites: "HeldEntriesTests")
private let holding = MutatedFile(.state, "restore", state + "Database/StateStore.swift", suites: "HeldEntriesTests")
private let releasing = MutatedFile(
    .state, "restore", state + "Database/StateStore+Restoring.swift", suites: "HeldEntriesTests|RestoreTests")
private let runs = MutatedFile(.state, "restore", state + "Restore/EntryRunReader.swift", suites: "EntryRunsTests")
private let direct = MutatedFile(.state, "restore", state + "Database/StateStore.swift", suites: "DirectWritesTests")
private let killed = MutatedFile(.state, "restore", state + "Database/StateFile.swift", suites: "DirectWritesTests")
private let expendable = MutatedFile(
    .state, "restore", state + "Database/StateStore+DirectWrites.swift", suites: "DirectWritesTests")
private let restoringReads = MutatedFile(
    .state, "restore", state + "Database/StateReader.swift", suites: "RestoreTests")
private let restoringHealth = MutatedFile(.state, "restore", state + "KeyedState.swift", suites: "RestoreTests")
private let searching = MutatedFile(
    .state, "owner", state + "Partition/OtherFormSearch.swift", suites: "OtherFormSearchTests")
private let metrics = MutatedFile(.state, "health", state + "StateMetrics.swift", suites: "StateRoleTests")

enum StateMutants {
    static let all: [Mutant] = [
        merging.without("state-before-acknowledgement", "try await settle(deliveries)", after: "public func merge("),
        merging.without(
            "derived-before-acknowledgement", "try await settle(deliveries)", after: "    func publishDerived("),
        contributing.mutant("contribution-read-back", "true", after: "settle(deliveries, isReadBack: ", "false"),
        contributing.without(
            "known-contribution-read-back", "try await waitForReadBack(last.number, of: last.delivery)"),
        refusals.without(
            "oversized-kept",
            "try parts().database.store.keep([key.bytes: encoded], of: partition.name, joinedBy: model.join)"),
        refusals.mutant("refusal-holds-nothing-up", "!$0.code.isRefusal", after: "isReadBack { return", "true"),
        refusals.mutant("refused-alone", "delivery.count == 1", "true"),
        joined.mutant("pending-of-refused-updates", "!guarded.refusedUpdates.isEmpty", "false"),
        joined.mutant(
            "pending-without-updates", "!derivingState(of: entry).isEmpty", after: "refusedUpdates[entry.key] != nil",
            "true"),
        refusals.mutant("refused-in-a-shared-batch", "outcome.failedAlone", after: "delivery.count == 1, ", "true"),
        refusals.mutant(
            "refused-record", "refusals[RowKey(model.key(of: states[index]))].map { RowRefusal($0) }", "nil"),
        refusing.mutant("refused-tried-again", "row.retryAt <= now", "false"),
        refusing.mutant(
            "released-when-not-followed", "$0.delivery.isAcknowledged($0.number)",
            after: "func releaseAcknowledged", "false"),
        merging.mutant(
            "overlay-of-others", "progress.isFollowed(delivery.partition)",
            after: "- Self.maximumOverlay", "true"),
        contributing.mutant(
            "due-rows-of-the-owner", "partition.isOwned", after: "parts.partitions.values where ", "true"),

        owning.mutant("fingerprint", "position.form != partition.form", "false"),
        owning.mutant("fingerprint-rate", "rows.count * 1_000", "0"),
        searching.mutant("fingerprint-of-refused-rows", "!isComplete && areAllRefused", "false"),
        searching.mutant("fingerprint-of-published-rows", "!isComplete && areAllRefused", "!isComplete"),
        deriving.mutant("derived-of-joined-rows", "!joined.isEmpty", "false"),
        joined.mutant(
            "derived-of-rows-behind", "entry.state.image.isBehind",
            after: "func lacksUpdates(_ entry: Entry) -> Bool {",
            "false"),
        joined.mutant("derived-of-unpublished-rows", "entry.state.isUnpublished", after: "isBehind || ", "false"),
        joined.mutant("derived-before-republication", "!lacksUpdates(entry)", "true"),
        merged.mutant("derived-of-unchanged-rows", "derivation == .firstOfAll", "false"),
        merged.mutant(
            "derived-of-grown-rows",
            "!merged.contains { model.key(of: $0) == key && model.derivedUpdates(of: $0) == updates }", "false"),
        joined.mutant(
            "pending-with-its-updates", "roots.count > 1 && derives(state.value, forAnyOf: roots, &guarded)",
            "false"),
        derivingTogether.mutant("pending-among-roots", "roots.count > 1", "false"),
        merged.mutant(
            "pending-before-its-ancestors",
            "!ancestors.isEmpty && derives(current.value, forAnyOf: ancestors, &guarded)", "false"),
        joined.mutant(
            "pending-until-published", "!merge.isChanged", after: "let merge = try? model.merge(update, into: &row), ",
            "false"),
        joined.mutant("refused-updates-postponed", "guarded.refusedUpdates[key] ?? 0 <= now", "true"),
        derivedOfRefused.mutant("derived-of-refused-rows", "!derivingState(of: entry).isEmpty", "false"),
        merged.mutant("pending-of-unchanged-rows", "becomesPending(entry, derivation, guarded)", "false"),
        owning.without("added-partition", "fail(failure)", after: "was added while this process was running"),

        opening.mutant(
            "worker-follows-its-own", "options.role != .worker", after: "try await refuseToForget(parts)", "true"),
        roles.mutant("standbys", "options.standbys", after: ".prefix(", "0"),
        roles.mutant("restore-of-revoked", "$0.unread.isEmpty && !$0.followed.isEmpty", "false"),
        roles.mutant(
            "restoring-is-no-standby",
            [
                roles.expression("running.assigned.contains(place)", "false"),
                roles.expression(
                    "withRunning { $0.assigned }", "Set(parts.partitions.filter { $0.value.isOwned }.keys)"),
            ]),
        health.mutant("lag-and-readiness", "lag > options.maximumLag", "false"),
        metrics.mutant("lag-gauge", "Double(lag)", "0"),
        readiness.mutant(
            "failed-write", "unwritten.min(by: { $0.description < $1.description })", "KafkaTopicPartition?.none"),
        unfollowing.without("failed-write-of-unfollowed", "withRunning { $0.health.forget(place) }"),
        readiness.mutant("stalled", "stalled > limit", "false"),
        readiness.mutant("stalled-since", "waiting[place] ?? now", "now"),
        readiness.mutant("silent-client", "now - $0 < Self.longestSilence", "true"),
        readiness.mutant("no-broker", "brokersUp == 0", "false"),
        connection.mutant("cut-off-reader", "$0.health.disconnection(at: now)", "nil"),
        restoring.mutant("restore-told", "now - last >= interval", "true"),
        restored.mutant("restored-keys", "ids[hash] != nil", "false"),
        restored.mutant("restored-keys-bounded", "ids.count > maximum", "false"),
        restored.mutant("restored-keys-of-one-hash", "known != 0 && id != 0 && known != id", "false"),
        restores.mutant("restore-of-no-rows", "parts.database.rows.isEmpty()", "true"),
        restores.without(
            "restore-over", "for partition in parts.partitions.values { partition.endRestore() }"),
        interrupted.mutant("interrupted", "parts.database.store.lacksEntries()", "false"),
        interrupted.without("interrupted-unreadable", "try parts.database.store.forgetAll()"),
        held.mutant("last-change-of-an-entry", "one.number < other.number", "one.number > other.number"),
        holding.without("held-of-failed-transaction", "guarded.held?.truncate(to: count)"),
        releasing.mutant("held-bounded", "held.isFull", "false"),
        releasing.mutant("held-names-bounded", "held.hasManyNames", "false"),
        runs.mutant("last-change-of-runs", "heap[one] < heap[other]", "heap[one] > heap[other]"),
        holding.without("time-indexes-dropped", "try Self.dropTimeIndexes(before: write, &guarded)"),
        holding.without("held-of-forgotten-rows", "try Self.writeHeldEntries(&guarded)", after: "func forget("),
        releasing.without("indexes-after-restore", "try createIndexes()", after: "func releaseEntries("),
        releasing.mutant("rows-of-one-key", "error.code == .constraint", "false"),
        releasing.without("index-complete", #"try guarded.database.run("DELETE FROM file WHERE name = 'index'")"#),
        releasing.without(
            "index-incomplete",
            #"try guarded.database.run("INSERT OR REPLACE INTO file (name, value) VALUES ('index', 'held')")"#),
        direct.without(
            "kept-states-with-a-log", "try Self.endDirectWrites(&guarded)", after: "func keep("),
        killed.without("killed-restore", "try removeInterrupted()"),
        expendable.mutant("direct-without-rows", #""SELECT 1 FROM rows LIMIT 1""#, #""SELECT 1 WHERE 0""#),
        unread.mutant("unread-of-this-form", "mark.form == form", "true"),
        unread.mutant(
            "unread-of-its-partition",
            "record.key.map({ KafkaPartition(ofKey: $0, partitions: partitionCount) }) == name.partition", "true"),
        unread.mutant("unread-once-in-a-batch", "keys.isSingle(hash)", "true"),
        unread.mutant("unread-of-new-keys", "guarded.restored?.mayHold(hash) == false", "true"),
        unread.without("unread-and-asked-for", "entry.id = id"),
        rowHeader.mutant(
            "row-of-another-value", "Self.checksum(of: UnsafeRawBufferPointer(rebasing: value[range])) == checksum",
            "true"),
        rowHeader.mutant("row-header-version", "memcmp(one, other, field.count) == 0", "true"),
        rowHeader.mutant("row-header-bounded", "text.count <= Self.maximumLength ? text : nil", "text"),
        damaged.without("damaged-restore-reads", "try store.readAllRecords()"),
        restoringReads.mutant("read-while-restoring", "store.isHolding.load(ordering: .acquiring)", "false"),
        closing.without("restore-stopped", "try? store.releaseEntries()"),
        restoringHealth.mutant(
            "ready-while-restoring", "!running.isRestoring || running.followed.isEmpty", "true"),
        restoringHealth.mutant(
            "ready-without-partitions", "!running.isRestoring || running.followed.isEmpty", "!running.isRestoring"),
        batching.mutant("asked-at-once", "!state.isScheduled", "true"),

        rowSource.mutant("known-by-oversized", tables, #"["rows"]"#),
        rowSource.mutant("known-by-oversized-alone", tables, #"["rows", "oversized"]"#),
        openingFaults.mutant("cluster-id", "known == described.cluster", "true"),
        reading.mutant("tombstones-missed", "missed > parts.changelog.retention[place.topic] ?? 0", "false"),
        reading.mutant("file-of-the-future", "missed < -Self.clockDifference", "false"),
        reading.mutant(
            "newer-not-overwritten", "error.code == .newer", after: "let error = StateError(error)", "false"),
        openingFaults.mutant("large-values", "value.count > options.largeValue", "false"),
        health.without(
            "damage-healed", "StateFile(path: options.path, logger: logger).markDamaged()"),
        history.mutant("forgotten-state", "next > low", "false"),

        row.without("merged-is-unpublished", "isUnpublished = true", after: "let merge = try join(state, by: model)"),
        row.without("sent-is-published", "isUnpublished = false", after: "if image == nil { current = nil }"),
        row.mutant("earlier-publications", "index + 1", after: "publications.removeFirst(", "1"),
        row.mutant("own-after-another", "publication.rowVersion == rowVersion", "true"),
        row.mutant("own-of-a-removed-row", "row == nil", after: "guard isInOrder || ", "false"),
        row.without("unmerged-repaired", "self.image.isBehind = true"),
        row.without("unreadable-repaired", "image.isBehind = true", after: "return .unreadable }"),
        row.mutant("stale-repaired", "joined != state", "false"),
        row.mutant("other-rules", "form != self.image.form", "false"),
        row.without("changed-by-another", "rowVersion += 1", after: "if isChanged { "),
        row.mutant("pending-joined", "isOutstanding", after: "row, stored)", "false"),
        row.mutant("settled-follows-the-row", "isSettled", after: "self.image.proposal = proposal", "true"),
        row.without("lacking-proposal", "image.isBehind = true", after: "private mutating func received("),
        row.mutant(
            "acknowledged-keeps-unpublished", "hasMore", after: "publications.removeAll(where: isAcknowledged)", "false"
        ),
        row.without("revoked-unpublished", "isUnpublished = false", after: "mutating func revoked() {"),
        row.without("refused-taken-back", "publications.removeAll(where: isRefused)"),
        row.without("revoked-overlay", "publications = []", after: "mutating func revoked() {"),
        row.mutant("settled", "publications.isEmpty && !isUnpublished", "publications.isEmpty"),
        row.without("sent-removal", "current = nil", after: "if image == nil { "),
        row.mutant("received-pending", "isPending || joined != state", "joined != state"),
        row.mutant("own-pending", "publication.image.isBehind", after: "let isPending = ", "false"),
        pending.mutant("pending-header", "record.header(StateHeader.pending) != nil", "false"),
        row.mutant(
            "own-lacking-proposal", "received(proposal, by: model) ? [.written, .behind] : .written",
            "received(proposal, by: model) ? .written : .written"),
        row.mutant("changed-by-state", "isChanged ? [.written, .changed] : .written", ".written"),
        row.mutant(
            "behind-by-proposal", "received(proposal, by: model) || stored.isBehind",
            "{ _ = received(proposal, by: model); return stored.isBehind }()"),
        row.mutant("removed-proposal", "row == nil ? nil : self.image.proposal", "self.image.proposal"),
        row.mutant("replaced-proposal", "model.replaces(proposal, winner, in: state)", "false"),
        row.without("acknowledged-unpublished", "isUnpublished = true", after: "current = pending"),
        row.without("revoked-current", "current = row", after: "mutating func revoked() {"),
        row.without("reset-to-the-row", "current = row", after: "private mutating func reset(by model: Model) {"),
        row.without(
            "reset-removal", "current = nil", after: "private mutating func reset(by model: Model) {"),
        row.without("reset-joined", "_ = try? join(state.value, by: model)"),
        applying.mutant("own-records", "mark.writer == writer", "false"),
        applying.mutant("misplaced", "partition != name.partition", "false"),
        counts.mutant("partition-count", "known != count", "false"),
        moved.mutant("moved-record", "mark == nil", "true"),
        identity.mutant("recreated-topic", "found.digest != last.digest", "false"),
        identity.mutant("younger-topic", "timestamp > known.seen + Self.clockDifference", "false"),
        identity.mutant("shorter-topic", "known.next > ends.high.rawValue", "false"),
        proposals.mutant(
            "first-proposal", "proposal.offset <= winner.offset", after: "round == winning ? ", "true"),
        proposals.mutant("later-round", "round > winning", "false"),
        proposals.mutant("earlier-round", "round > winning", "true"),
        proposing.mutant(
            "one-proposal",
            "model.round(of: proposal, in: joined) <= model.round(of: winner.value, in: joined)", "false"),
        expiring.mutant("expiry", "expiry <= now", "false"),
        refusing.mutant("oversized-joined", "(try? model.join(encoded, kept.encoded)) ?? encoded", "encoded"),
        keeping.mutant("oversized-joined-in-the-file", "try kept.map { try join(state, $0) } ?? state", "state"),
        keeping.mutant(
            "oversized-of-another-time", #""DELETE FROM oversized WHERE topic = ? AND key = ? AND state = ?""#,
            #""DELETE FROM oversized WHERE topic = ? AND key = ? AND ? != ''""#),
        keeping.mutant(
            "fingerprint-during-a-search",
            #""UPDATE positions SET form = ? WHERE topic = ? AND partition = ? AND form = ?""#,
            #""UPDATE positions SET form = ? WHERE topic = ? AND partition = ? AND ? != 0""#),
        store.mutant("position", ".integer(write.next)", after: "try guarded.position.run(", ".integer(0)"),
        unwritten.mutant("unwritten-rows", "entry.writes > 0", "entry.writes > 1"),
        writer.mutant("unwritten-alone", "alone($0.write)", ".failure(error)"),
    ]
}
