internal import ArchiveKeys
internal import CommandLine
internal import Configuration
internal import JSON
internal import Lifecycle

/// `sluicectl archive key check`: unwraps every key in the key store, and lists the key-encryption keys in use.
struct ArchiveKeyStoreReport {
    let configuration: Configuration

    /// `sluicectl archive key backup`: writes a consistent copy of the key store.
    func backUp(_ path: String, _ console: Console) async throws -> ExitCode {
        let store = try ArchivePlace.keyStore(configuration)
        defer { store.close() }
        try store.backUp(to: path)
        console.complain(
            "created \(PlainText.printable(path)); delete it within 30 days, because it also keeps keys that are destroyed later"
        )
        return .ok
    }

    func run(_ console: Console) async throws -> ExitCode {
        let given = try KeyEncryptionKeys(files: configuration[ArchivePlace.keyEncryptionKeys])
        let store = try KeyStore(path: configuration[ArchivePlace.keyStore], keys: given, creation: .never)
        defer { store.close() }
        let (counts, wrapped) = (try store.counts(), try store.wrappedKeys())
        var problems = try store.checkIntegrity()
        var use: ArchiveKeyUse?
        if configuration[Self.againstArchive] {
            let compared = try await ArchiveKeyUse(ArchiveLogs(configuration), store)
            problems += compared.problems
            use = compared
        }
        var object: JSONObject = [
            OutputName.ok: .bool(problems.isEmpty), OutputName.keys: .integer(Int64(counts.keys)),
            OutputName.destroyed: .integer(Int64(counts.destroyedKeys)),
            OutputName.holds: .integer(Int64(counts.holds)),
            OutputName.waitingErasures: .integer(Int64(counts.waitingErasures)),
            OutputName.wrapped: .object(
                wrapped.sorted { $0.key < $1.key }.reduce(into: JSONObject()) {
                    $0[$1.key] = .integer(Int64($1.value))
                }), OutputName.errors: .array(problems.map { .string($0) }),
        ]
        if let use {
            object[OutputName.leaves] = .integer(Int64(use.leaves))
            object[OutputName.missing] = .integer(Int64(use.unknown.count))
        }
        await console.write(configuration, text: text(counts, wrapped, given, use), json: object)
        for problem in problems { console.complain(PlainText.printable(problem)) }
        return problems.isEmpty ? .ok : .failure
    }

    static let againstArchive = Setting.flag(
        "against-archive",
        help: "Also check that the key store contains every key referenced by the archive's leaves.")

    private func text(
        _ counts: KeyStoreCounts, _ wrapped: [String: Int], _ given: KeyEncryptionKeys, _ use: ArchiveKeyUse?
    ) -> String {
        var rows = [
            ["keys in use", "\(counts.keys)"], ["keys destroyed", "\(counts.destroyedKeys)"],
            ["persons erased", "\(counts.erasedSubjects)"], ["legal holds", "\(counts.holds)"],
            ["pending erasures", "\(counts.waitingErasures)"],
        ]
        for key in given.keys {
            let count = wrapped[key.id] ?? 0
            let use = count > 0 ? "wraps \(count)" : "wraps none"
            rows.append(["key-encryption key \(key.id)", "\(use)  \(PlainText.printable(key.source))"])
        }
        if let use {
            rows.append(["keys referenced by \(use.leaves) leaves", "\(use.known.count + use.unknown.count)"])
            rows.append(["missing keys", "\(use.unknown.count)"])
        }
        return PlainText.table(rows)
    }
}
