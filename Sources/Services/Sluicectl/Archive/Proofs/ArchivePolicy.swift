internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Lifecycle
internal import TransparencyLog

/// A policy file (c2sp.org/tlog-policy) for an archive. A log line selects an archive by the key of its checkpoint log;
/// the name of this key is `<archive.origin>/checkpoint-log`.
struct ArchivePolicy {
    private let policy: TlogPolicy

    init(_ policy: TlogPolicy) { self.policy = policy }

    static func wrong(_ problem: String) -> StartupError {
        StartupError(
            problem, setting: ArchiveProofOptions.policy.key, fix: "Use the format of c2sp.org/tlog-policy",
            exitCode: .archiveKeyUnknown)
    }

    /// The keys of all log lines for a checkpoint log, renamed to the origin of the archive, because the archive signs
    /// all of its logs with the same key.
    private var archives: [NoteVerifier] {
        policy.logs.compactMap { log in
            guard let key = log.verifier, key.name.hasSuffix(Self.suffix) else { return nil }
            return try? key.with(name: String(key.name.dropLast(Self.suffix.count)))
        }
    }

    private static let suffix = "/checkpoint-log"

    /// Returns the keys of the archives in the policy, or nil if the policy has no log lines.
    ///
    /// - Throws: a ``StartupError`` with exit code 5 if none of the logs is a checkpoint log.
    func archiveKeys() throws(StartupError) -> ArchiveVerifiers? {
        guard !policy.logs.isEmpty else { return nil }
        guard !archives.isEmpty else {
            throw Self.wrong(
                "none of its logs is an archive's checkpoint log, <archive.origin>/checkpoint-log")
        }
        return ArchiveVerifiers(archives)
    }

    /// Returns the witnesses and the quorum, or nil if the policy requires no cosignature.
    ///
    /// - Throws: a ``StartupError`` with exit code 5 if the archive's own key is a witness, or if the policy has log
    ///   lines but none for the archive.
    func witnesses(_ verifiers: ArchiveVerifiers?) throws(StartupError) -> WitnessPolicy? {
        if let verifiers, !policy.logs.isEmpty {
            let isKnown = archives.contains { archive in
                verifiers.verifiers.contains {
                    KeyName.areEqual($0.name, archive.name) && $0.publicKey == archive.publicKey
                }
            }
            guard isKnown else { throw Self.wrong("none of its logs has the archive's key") }
        }
        guard let witnesses = WitnessPolicy(policy) else { return nil }
        if let own = verifiers.flatMap(witnesses.own) {
            throw Self.wrong(
                "\(PlainText.printable(own.name)) has the archive's own key; a witness must be independent of the archive"
            )
        }
        return witnesses
    }
}
