package import KafkaModel
package import ObjectStorage
internal import TransparencyLog

/// Verifies all logs of an archive, or some, one after the other.
package struct ArchiveVerification: Sendable {
    private let store: any ObjectStore
    private let options: VerificationOptions

    package init(_ store: any ObjectStore, options: VerificationOptions) {
        self.store = store
        self.options = options
    }

    /// - Parameter isWanted: which logs; nil takes all, and then every anchored log must be there.
    /// - Throws: ``LogReadError`` with code `storage` when the logs cannot be listed.
    package func run(
        isWanted: ((KafkaTopicPartition) -> Bool)? = nil
    ) async throws(LogReadError) -> ArchiveReport {
        let logs = try await LogReader.logs(in: store).filter { isWanted?($0.partition) ?? true }
        var report = ArchiveReport(missing: isWanted == nil ? missing(logs) : [])
        for log in logs {
            report.logs.append(await LogVerification(store, names: log, options: options).run())
        }
        return report
    }

    /// Logs that were anchored, and of which nothing is left.
    private func missing(_ logs: [LogNames]) -> [Finding] {
        let present = Set(logs.map(\.prefix.text))
        let origins = Set(options.anchors.compactMap { try? Checkpoint(text: $0.text).origin })
        return origins.sorted().compactMap { origin in
            let parts = origin.split(separator: "/").suffix(2).joined(separator: "/")
            guard let folder = try? ObjectName(parts), let names = LogNames(folder: folder), !present.contains(parts)
            else { return nil }
            return Finding(.rolledBack, names.partition, object: names.prefix, "the log was anchored, and is gone")
        }
    }
}

/// What came of verifying an archive.
package struct ArchiveReport: Sendable {
    package internal(set) var logs: [LogReport] = []
    /// About logs that are not there.
    package let missing: [Finding]

    package var findings: [Finding] { missing + logs.flatMap(\.findings) }

    /// The worst that was found; nil when the archive is sound. Proof of a change comes before a state that may be
    /// explained, and both before what is only not known.
    package var verdict: Finding.Kind? {
        let kinds = Set(findings.map(\.kind))
        return [.tampered, .forked, .rolledBack, .unknownKey, .unreadable, .incomplete].first { kinds.contains($0) }
    }
}
