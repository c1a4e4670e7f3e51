internal import ArchiveConfiguration
internal import ArchiveKeys
internal import Configuration
internal import JSON
internal import Lifecycle

/// `sluicectl archive key check`: whether every key of the key store opens, and which key-encryption keys are needed.
struct ArchiveKeyStoreReport {
    let configuration: Configuration

    func run(_ console: Console) async throws -> ExitCode {
        let given = try KeyEncryptionKeys(files: configuration[ArchivePlace.keyEncryptionKeys])
        let store = try KeyStore(path: configuration[ArchivePlace.keyStore], keys: given, creation: .never)
        defer { store.close() }
        let (counts, wrapped, problems) = (try store.counts(), try store.wrappedKeys(), try store.checkIntegrity())
        switch configuration[OperationsSettings.output] {
        case .text: await console.write(text(counts, wrapped, given))
        case .json:
            let object: JSONObject = [
                OutputName.ok: .bool(problems.isEmpty), OutputName.keys: .integer(Int64(counts.keys)),
                OutputName.destroyed: .integer(Int64(counts.destroyedKeys)),
                OutputName.holds: .integer(Int64(counts.holds)),
                OutputName.waitingErasures: .integer(Int64(counts.waitingErasures)),
                OutputName.wrapped: .object(
                    wrapped.sorted { $0.key < $1.key }.reduce(into: JSONObject()) {
                        $0[$1.key] = .integer(Int64($1.value))
                    }), OutputName.errors: .array(problems.map { .string($0) }),
            ]
            await console.write(line: JSONValue.object(object).json)
        }
        for problem in problems { console.complain(PlainText.printable(problem)) }
        return problems.isEmpty ? .ok : .failure
    }

    private func text(_ counts: KeyStoreCounts, _ wrapped: [String: Int], _ given: KeyEncryptionKeys) -> String {
        var rows = [
            ["keys in use", "\(counts.keys)"], ["keys destroyed", "\(counts.destroyedKeys)"],
            ["persons erased", "\(counts.erasedSubjects)"], ["legal holds", "\(counts.holds)"],
            ["erasures that wait", "\(counts.waitingErasures)"],
        ]
        for key in given.keys {
            let count = wrapped[key.id] ?? 0
            let use = count > 0 ? "wraps \(count)" : "wraps none"
            rows.append(["key-encryption key \(key.id)", "\(use)  \(PlainText.printable(key.source))"])
        }
        return PlainText.table(rows)
    }
}
