import Cryptography
import Foundation
import TestSupport
import Testing
import TransparencyLog

/// Tests of policy files as defined by c2sp.org/tlog-policy.
struct TlogPolicyTests {
    private let logs: [String]
    private let witnesses: [String]

    init() throws {
        try initializeCryptography()
        logs = try ["log.example/a", "log.example/b"].map {
            try NoteSigner(name: $0, key: PrivateKey.generate(.ed25519)).verifier.text
        }
        witnesses = try (1...6).map {
            try NoteSigner(name: "witness.example/\($0)", type: .cosignature, key: PrivateKey.generate(.ed25519))
                .verifier.text
        }
    }

    private func policy(_ lines: String...) throws -> TlogPolicy {
        try TlogPolicy(bytes: Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    private func problem(_ text: String) -> String? {
        do throws(TransparencyLogError) {
            _ = try TlogPolicy(bytes: Array(text.utf8))
            return nil
        } catch { return error.code == .malformedPolicy ? error.message : "\(error)" }
    }

    @Test func `the specification's example requires two witnesses of one organization and one of the other`() throws {
        let policy = try policy(
            "log \(logs[0])", "", "witness X1 \(witnesses[0])", "witness X2 \(witnesses[1])",
            "witness X3 \(witnesses[2])",
            "group X-witnesses 2 X1 X2 X3", "", "witness Y1 \(witnesses[3])", "witness Y2 \(witnesses[4])",
            "witness Y3 \(witnesses[5])", "group Y-witnesses any Y1 Y2 Y3", "",
            "group X-and-Y all X-witnesses Y-witnesses", "quorum X-and-Y")
        #expect(policy.logs.map { $0.verifier?.name } == ["log.example/a"])
        let names = policy.witnesses.map { String(decoding: $0.name, as: UTF8.self) }
        #expect(names == ["X1", "X2", "X3", "Y1", "Y2", "Y3"])
        #expect(policy.quorumName == "X-and-Y")
        for number in 0..<64 {
            let cosigned = Set((0..<6).filter { number & 1 << $0 != 0 })
            let isMet = cosigned.intersection([0, 1, 2]).count >= 2 && !cosigned.isDisjoint(with: [3, 4, 5])
            #expect(policy.quorum.isMet(by: cosigned) == isMet, "\(cosigned)")
        }
    }

    @Test func `spaces, tabs, comments, URLs and names that are not UTF-8 are parsed`() throws {
        var bytes = Array("\t# a policy\n \t\nlog\t\(logs[0])  https://log.example/\t\nwitness ".utf8)
        let name: [UInt8] = [0xFF, 0xC3]
        bytes += name + Array(" \(witnesses[0]) https://w.example/\n  # end\n quorum ".utf8) + name + Array(" \n".utf8)
        let policy = try TlogPolicy(bytes: bytes)
        #expect(policy.witnesses.map(\.name) == [name])
        #expect(policy.quorum.isMet(by: [0]) && !policy.quorum.isMet(by: []))
    }

    @Test func `the quorum none requires no witness, and a file need not contain a log`() throws {
        let policy = try policy("witness w \(witnesses[0])", "quorum none")
        #expect(policy.quorum.isNone && policy.quorum.isMet(by: []))
        #expect(policy.logs.isEmpty)
    }

    @Test func `a witness with ML-DSA-44 is part of the quorum and counts if libcrypto has the algorithm`()
        throws
    {
        let policy = try policy(
            "witness new \(MLDSA44Example.witnessKey)", "witness old \(witnesses[0])", "group both all new old",
            "quorum both")
        #expect(policy.witnesses.map { $0.verifier == nil } == [!MLDSA44PublicKey.isAvailable, false])
        #expect(!policy.quorum.isMet(by: [1]))
        #expect(problem("witness x \(MLDSA44Example.witnessKey.replacing("+aff69a9d+", with: "+aff69a9e+"))\n") != nil)
        #expect(problem("witness x witness.example/new+01234567+Bgc=\nquorum x\n") != nil)
    }

    @Test func `a file that violates the specification is refused with the line number`() throws {
        let one = "witness w \(witnesses[0])\n"
        let two = one + "witness v \(witnesses[1])\n"
        let renamed = try NoteVerifier(text: witnesses[0]).with(name: "other.example").text
        let sameLog = try NoteVerifier(text: logs[0]).with(name: "log.example/c").text
        let cases: [(String, String)] = [
            ("", "no quorum"), (one, "no quorum"), ("\(one)quorum w", "newline"),
            ("\(one)quorum w\nquorum w\n", "line 3"),
            ("quorum w\n" + one, "line 1"), ("\(one)quorum v\n", "line 2"), ("\(one)quorum w w\n", "line 2"),
            ("\(one)quorum\n", "line 2"), ("\(one)\(one)quorum w\n", "line 2"),
            ("\(one)witness x \(renamed)\nquorum w\n", "listed twice"),
            ("\(one)witness w \(witnesses[1])\n", "defined twice"),
            ("witness none \(witnesses[0])\nquorum none\n", "none"), ("witness w\n", "line 1"),
            ("witness w \(logs[0])\nquorum w\n", "signature type"),
            ("log \(witnesses[0])\nquorum none\n", "signature type"),
            ("log \(logs[0])\nlog \(sameLog)\nquorum none\n", "listed twice"), ("log\nquorum none\n", "line 1"),
            ("log nonsense\nquorum none\n", "line 1"), ("logs \(logs[0])\nquorum none\n", "line 1"),
            ("\(two)group g 0 w v\nquorum g\n", "threshold"), ("\(two)group g 3 w v\nquorum g\n", "threshold"),
            ("\(two)group g +1 w v\nquorum g\n", "threshold"), ("\(two)group g some w v\nquorum g\n", "threshold"),
            ("\(two)group g all\nquorum g\n", "line 3"), ("\(two)group g all w none\nquorum g\n", "line 3"),
            ("\(two)group g all w x\nquorum g\n", "line 3"), ("\(two)group g all g\nquorum g\n", "line 3"),
            ("\(two)group g any w w\nquorum g\n", "already"),
            ("\(two)group g any w v\ngroup h all g w\nquorum h\n", "already"),
            ("\(two)group w any v\nquorum w\n", "defined twice"), ("\(two)group none any w v\nquorum none\n", "none"),
            ("\(one)quorum w\r\n", "control"), ("\(one)# \u{7}\nquorum w\n", "control"),
            ("\(one)# \u{7F}\nquorum w\n", "control"),
        ]
        for (text, expected) in cases {
            #expect(problem(text)?.contains(expected) == true, "\(text): \(problem(text) ?? "taken")")
        }
        #expect(problem("\(two)group g 2 w v\nquorum g\n") == nil)
    }

    @Test func `any other bytes yield a policy or an error`() throws {
        var random = SeededGenerator(seed: 33)
        let good = Array(
            "log \(logs[0])\nwitness w \(witnesses[0])\nwitness v \(witnesses[1])\ngroup g 2 w v\nquorum g\n".utf8)
        for _ in 0..<5_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            do throws(TransparencyLogError) {
                let policy = try TlogPolicy(bytes: bytes)
                #expect(!policy.quorum.isMet(by: []) || policy.quorum.isNone)
            } catch { #expect(error.code == .malformedPolicy) }
        }
        #expect(problem(String(repeating: "#\n", count: 600_000)) != nil)
    }
}
