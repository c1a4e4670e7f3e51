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

    /// - Parameter isWanted: which logs; nil takes all. Every anchored log among them must be there.
    /// - Throws: ``LogReadError`` with code `storage` when the logs cannot be listed.
    package func run(
        isWanted: ((KafkaTopicPartition) -> Bool)? = nil
    ) async throws(LogReadError) -> ArchiveReport {
        let present = try await LogReader.logs(in: store)
        let archives = try await archives(present)
        let anchored = anchoredLogs(archives)
        let folders = Set(present.map(\.prefix.text))
        let missing = anchored.logs.filter { !folders.contains($0.prefix.text) && isWanted?($0.partition) ?? true }
        var report = ArchiveReport(
            missing: missing.map {
                Finding(.rolledBack, $0.partition, object: $0.prefix, "the log was anchored, and is gone")
            },
            otherArchives: anchored.others)
        for log in present where isWanted?(log.partition) ?? true {
            report.logs.append(await LogVerification(store, names: log, options: options, archives: archives).run())
        }
        return report
    }

    /// The origins that the archive has, by the checkpoints of its logs; where no log has one, the names of the given keys.
    private func archives(_ logs: [LogNames]) async throws(LogReadError) -> [String] {
        guard options.anchors != nil else { return [] }
        var origins: Set<String> = []
        for names in logs {
            do throws(LogReadError) {
                let found = try await LogReader(store, names: names, verifiers: options.verifiers).checkpoint()
                guard let origin = found?.checkpoint.origin else { continue }
                origins.insert(String(decoding: origin.utf8.dropLast(names.prefix.text.utf8.count + 1), as: UTF8.self))
            } catch {
                // A checkpoint that cannot be used is a finding of its log, and says nothing about the archive.
                guard error.code != .storage else { throw error }
            }
        }
        return origins.isEmpty ? options.verifiers?.verifiers.map(\.name) ?? [] : origins.sorted()
    }

    /// The logs of this archive that were anchored, and the anchored origins of other archives.
    private func anchoredLogs(_ archives: [String]) -> (logs: [LogNames], others: [String]) {
        var (logs, others): ([LogNames], [String]) = ([], [])
        for origin in options.anchors?.origins ?? [] {
            let folder = origin.split(separator: "/").suffix(2).joined(separator: "/")
            if let prefix = try? ObjectName(folder), let names = LogNames(folder: prefix),
                archives.contains(where: { KeyName.areEqual(names.origin(archive: $0), origin) })
            {
                logs.append(names)
            } else {
                others.append(origin)
            }
        }
        return (logs, others)
    }
}

/// What came of verifying an archive.
package struct ArchiveReport: Sendable {
    package internal(set) var logs: [LogReport] = []
    /// About logs that are not there.
    package let missing: [Finding]
    /// Origins of other archives among the checkpoints from elsewhere; they are not compared.
    package let otherArchives: [String]

    package var findings: [Finding] { missing + logs.flatMap(\.findings) }

    /// Whether every log with leaves continues a checkpoint from elsewhere, and none that was anchored is gone.
    package var isAnchored: Bool {
        missing.isEmpty && logs.contains { $0.size > 0 } && logs.allSatisfy { $0.size == 0 || $0.anchoredSize != nil }
    }

    /// The worst that was found; nil when the archive is sound. Proof of a change comes before a state that may be
    /// explained, and both before what is only not known.
    package var verdict: Finding.Kind? {
        let kinds = Set(findings.map(\.kind))
        return [.tampered, .forked, .rolledBack, .unknownKey, .unreadable, .incomplete, .unanchored].first {
            kinds.contains($0)
        }
    }
}
