import Configuration
import Cryptography
import Testing

@testable import AppStoreSettings

@Suite struct SharedSecretsTests {
    private static let one = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
    private static let two = "ffffffffffffffffffffffffffffffff"

    private func contains(_ secrets: SharedSecrets, _ text: String) -> Bool {
        secrets.contain(digest: SHA256.digest(of: Array(text.utf8)).bytes)
    }

    @Test(arguments: [
        "\(one)\n\(two)\n", "# of the app\n\(one)\n\n# of the account\r\n  \(two) \r\n", "\(one)\n\(two)",
    ])
    func `each line is a secret, except comments and empty lines`(text: String) throws {
        let secrets = try SharedSecrets(lines: Array(text.utf8))
        #expect(contains(secrets, Self.one) && contains(secrets, Self.two))
        for other in ["", Self.one + "0", String(Self.one.dropLast()), Self.one.uppercased(), "# of the app"] {
            #expect(!contains(secrets, other), "\(other)")
        }
    }

    @Test(arguments: [
        ("", "the file contains no shared secret"), ("# none\n", "the file contains no shared secret"),
        ("\(one)\nshort\n", "line 2 is not a shared secret: expected 16 to 128 characters without spaces"),
        ("two words of a sentence\n", "line 1 is not a shared secret: expected 16 to 128 characters without spaces"),
        (String(repeating: "\(two)\n", count: 9), "the file contains 9 shared secrets; at most 8 are allowed"),
    ])
    func `the error for an invalid file does not show its text`(text: String, problem: String) {
        #expect(throws: FileError(message: problem)) { try SharedSecrets(lines: Array(text.utf8)) }
    }
}
