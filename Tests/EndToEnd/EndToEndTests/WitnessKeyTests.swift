import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A proof cosigned by a witness with ML-DSA-44, checked with this machine's libcrypto and with Debian 13's.
    @Suite struct WitnessKeys {
        @Test func `a witness key that this libcrypto cannot use is refused with the reason`() async throws {
            let checked = try await check(under: { _ in [] })
            guard checked.end != .exit(0) else { return }
            #expect(checked.end == .exit(5), "\(checked)")
            #expect(checked.errors.contains("witness.example/w1"), "\(checked)")
            #expect(checked.errors.contains("this libcrypto has no ML-DSA-44; OpenSSL 3.5"), "\(checked)")
        }

        @Test(.enabled(if: DebianRoot.given != nil, "\(DebianRoot.absence)"))
        func `the same proof is valid with OpenSSL 3.5, and invalid when a byte of it is changed`() async throws {
            let root = try #require(DebianRoot.given)
            let checked = try await check(under: root.wrapper)
            #expect(checked.end == .exit(0), "\(checked)")
            // The last characters before the padding belong to the cosignature.
            let changed = try await check(MLDSA44Example.proof.dropLast(6) + "AAAA=\n", under: root.wrapper)
            #expect(changed.end == .exit(5), "\(changed)")
            #expect(changed.output.contains("0 of the 1 witnesses have cosigned the checkpoint"), "\(changed)")
        }

        @Test(.enabled(if: DebianRoot.given != nil, "\(DebianRoot.absence)"))
        func `a policy file counts the witness if libcrypto can use its key, and otherwise reports it`()
            async throws
        {
            let root = try #require(DebianRoot.given)
            let policy = "witness w1 \(MLDSA44Example.witnessKey)\nquorum w1\n"
            let verified = try await check(policy: policy, under: root.wrapper)
            #expect(verified.end == .exit(0), "\(verified)")
            let here = try await check(policy: policy, under: { _ in [] })
            guard here.end != .exit(0) else { return }
            #expect(here.end == .exit(5) && here.output.contains("no ML-DSA-44 for w1"), "\(here)")
        }

        /// Runs `sluicectl archive prove --check`.
        private func check(
            _ proof: String = MLDSA44Example.proof, policy: String? = nil,
            under wrapper: (Harness) throws -> [String]
        ) async throws -> Finished {
            try await Harness.open { harness in
                let witnesses =
                    if let policy { ["--policy", try harness.write(policy, to: "policy")] } else {
                        ["--witness", MLDSA44Example.witnessKey]
                    }
                let process = try harness.start(
                    Executable(
                        "sluicectl",
                        arguments: [
                            "archive", "prove", "--check", try harness.write(proof, to: "record.tlog-proof"), "--key",
                            MLDSA44Example.archiveKey,
                        ] + witnesses), under: try wrapper(harness))
                let end = try await process.end(within: .seconds(30))
                return Finished(name: process.name, end: end, output: process.output, errors: process.errors)
            }
        }
    }
}
