import Cryptography
import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Project Wycheproof's P-256 signatures over SHA-256 in JWS format, verified with EVP and with tables. The published
/// test data is not part of this repository.
@Suite(.enabled(if: Wycheproof.file != nil, "\(Wycheproof.absence)")) struct WycheproofTests {
    @Test func `EVP and the tables reproduce the published results`() throws {
        let file = try #require(Wycheproof.file)
        let vectors = try JSONDecoder().decode(
            Wycheproof.self, from: try Data(contentsOf: URL(filePath: file)))
        var judged = 0
        for group in vectors.testGroups {
            let point = try #require(HexText.decode(group.publicKey.uncompressed))
            let key = try #require(P256PublicKey(uncompressedPoint: point))
            let tabled = try TabledKey(key)
            for test in group.tests {
                let message = try #require(HexText.decode(test.msg))
                let signature = try #require(HexText.decode(test.sig))
                let candidate = (SHA256.digest(of: message), signature)
                #expect(try tabled.check([candidate]) == [test.result == "valid"], "\(test.tcId): \(test.comment)")
                judged += 1
            }
        }
        #expect(judged == vectors.numberOfTests)
    }
}

/// The file `ecdsa_secp256r1_sha256_p1363_test.json` of `testvectors_v1`.
private struct Wycheproof: Decodable {
    struct Group: Decodable {
        struct Key: Decodable {
            let uncompressed: String
        }

        struct Vector: Decodable {
            let tcId: Int
            let comment: String
            let msg: String
            let sig: String
            let result: String
        }

        let publicKey: Key
        let tests: [Vector]
    }

    let numberOfTests: Int
    let testGroups: [Group]

    static let absence =
        "needs Wycheproof's vectors: set SLUICE_TEST_WYCHEPROOF to the folder of ecdsa_secp256r1_sha256_p1363_test.json"

    static let file: String? = {
        let folder =
            ProcessInfo.processInfo.environment["SLUICE_TEST_WYCHEPROOF"]
            ?? Checkout.beside("shared/wycheproof") { FileManager.default.fileExists(atPath: $0) }
        let file = (folder ?? "") + "/ecdsa_secp256r1_sha256_p1363_test.json"
        return folder != nil && FileManager.default.fileExists(atPath: file) ? file : nil
    }()
}
