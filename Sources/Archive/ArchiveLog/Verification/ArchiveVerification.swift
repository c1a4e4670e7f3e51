package import KafkaModel
package import ObjectStorage
package import TransparencyLog

/// Verifies all or selected logs in an archive, one after another.
package struct ArchiveVerification: Sendable {
    private let store: any ObjectStore
    private let options: VerificationOptions

    package init(_ store: any ObjectStore, options: VerificationOptions) {
        self.store = store
        self.options = options
    }

    /// - Parameter isWanted: selects the logs; nil selects all. A selected log must exist if it was anchored or is
    ///   mentioned in the checkpoint log.
    /// - Throws: ``ArchiveError`` with code `storage` if the logs cannot be listed.
    package func run(
        isWanted: ((KafkaTopicPartition) -> Bool)? = nil
    ) async throws(ArchiveError) -> ArchiveReport {
        let archives = try await archives(LogReader.logs(in: store))
        let anchored = anchoredLogs(options.anchors, archives)
        let before = anchoredLogs(options.verifiedBefore, archives).logs
        // Verify the checkpoint log first: every log that it mentions already exists and is at least as long as the
        // checkpoint that it contains for that log.
        let checkpoints = try await checkpointLog(archives)
        let logged = loggedLogs(checkpoints)
        let present = try await LogReader.logs(in: store)
        let folders = Set(present.map(\.prefix.text))
        let missing = Set(anchored.logs + before + logged.keys).sorted { $0.prefix < $1.prefix }.filter {
            !folders.contains($0.prefix.text) && isWanted?($0.partition) ?? true
        }
        var report = ArchiveReport(
            missing: missing.map {
                Finding(.rolledBack, $0.partition, object: $0.prefix, "the log is missing, although it was anchored")
            },
            otherArchives: anchored.others, checkpointLog: checkpoints)
        for log in present where isWanted?(log.partition) ?? true {
            let verification = LogVerification(
                store, names: log, options: options, archives: archives, logged: logged[log] ?? [],
                isCovered: checkpoints != nil)
            report.logs.append(await verification.run())
        }
        return report
    }

    /// Verifies the checkpoint log. Returns nil if it does not exist and was never anchored, as in an archive from an
    /// earlier version.
    private func checkpointLog(_ archives: [String]) async throws(ArchiveError) -> LogReport? {
        do throws(ObjectStoreError) {
            let names = try LogNames.checkpointLog()
            let isAnchored = archives.contains { (options.anchors?.size(of: names.origin(archive: $0)) ?? 0) > 0 }
            guard try await !store.list(names.prefix, after: nil, limit: 1).isEmpty || isAnchored else { return nil }
            return await LogVerification(store, names: names, options: options, archives: archives).run()
        } catch { throw ArchiveError(error, reading: nil) }
    }

    /// Returns the checkpoints in the checkpoint log, grouped by log.
    private func loggedLogs(_ report: LogReport?) -> [LogNames: [AnchoredRoot]] {
        guard let report, let head = report.checkpoint?.checkpoint.origin else { return [:] }
        let archive = String(decoding: head.utf8.dropLast(report.log.prefix.text.utf8.count + 1), as: UTF8.self)
        var logs: [LogNames: [AnchoredRoot]] = [:]
        for origin in report.logged.origins {
            guard let names = Self.names(of: origin, archive) else { continue }
            logs[names] = report.logged.roots(of: origin, anchored: report.anchoredSize ?? 0)
        }
        return logs
    }

    /// Returns the archive's origins according to the checkpoints of its logs, or the names of the given keys if there
    /// are no checkpoints.
    private func archives(_ logs: [LogNames]) async throws(ArchiveError) -> [String] {
        var origins: Set<String> = []
        for names in logs {
            do throws(ArchiveError) {
                let found = try await LogReader(store, names: names, verifiers: options.verifiers).checkpoint()
                guard let origin = found?.checkpoint.origin else { continue }
                origins.insert(String(decoding: origin.utf8.dropLast(names.prefix.text.utf8.count + 1), as: UTF8.self))
            } catch {
                // An unusable checkpoint does not reveal the archive's origin. It is reported when its log is verified.
                guard error.code != .storage else { throw error }
            }
        }
        return origins.isEmpty ? options.verifiers?.verifiers.map(\.name) ?? [] : origins.sorted()
    }

    /// Returns this archive's anchored logs and the anchored origins of other archives.
    private func anchoredLogs(
        _ anchors: AnchoredCheckpoints?, _ archives: [String]
    ) -> (logs: [LogNames], others: [String]) {
        var (logs, others): ([LogNames], [String]) = ([], [])
        let own = try? LogNames.checkpointLog()
        for origin in anchors?.origins ?? [] {
            if let names = archives.lazy.compactMap({ Self.names(of: origin, $0) }).first {
                logs.append(names)
            } else if !archives.contains(where: { own?.origin(archive: $0).utf8.elementsEqual(origin.utf8) ?? false }) {
                others.append(origin)
            }
        }
        return (logs, others)
    }

    /// Returns the names of the log with a given origin, or nil if the origin belongs to a different archive.
    private static func names(of origin: String, _ archive: String) -> LogNames? {
        let folder = origin.split(separator: "/").suffix(2).joined(separator: "/")
        guard let prefix = try? ObjectName(folder), let names = LogNames(folder: prefix),
            KeyName.areEqual(names.origin(archive: archive), origin)
        else { return nil }
        return names
    }
}

/// The result of verifying an archive.
package struct ArchiveReport: Sendable {
    package internal(set) var logs: [LogReport] = []
    /// Findings about logs that do not exist.
    package let missing: [Finding]
    /// The origins of other archives' external checkpoints, which are not compared.
    package let otherArchives: [String]
    /// The report on the checkpoint log; nil if the archive has no such log.
    package let checkpointLog: LogReport?

    package var findings: [Finding] { missing + (checkpointLog?.findings ?? []) + logs.flatMap(\.findings) }

    /// Whether the archive has leaves, every log with leaves is consistent with an external checkpoint, and no anchored
    /// log is missing.
    package var isAnchored: Bool {
        missing.isEmpty && logs.contains { $0.size > 0 } && logs.allSatisfy { $0.size == 0 || $0.anchoredSize != nil }
    }

    /// The checkpoints of all logs with leaves. If the archive is intact, a later verification can start from them.
    package var checkpoints: [SignedNote] {
        ([checkpointLog].compactMap(\.self) + logs).filter { $0.size > 0 }.compactMap { $0.checkpoint?.note }
    }

    /// The kind of the most severe finding, or nil if the archive is intact. Proof of a change ranks above a state that
    /// may have an innocent explanation, and both rank above a lack of evidence.
    package var verdict: Finding.Kind? {
        let kinds = Set(findings.map(\.kind))
        return [.tampered, .forked, .rolledBack, .unknownKey, .unreadable, .incomplete, .unanchored].first {
            kinds.contains($0)
        }
    }
}
