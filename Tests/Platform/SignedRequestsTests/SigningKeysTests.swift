import Configuration
import Foundation
import Testing

@testable import SignedRequests

@Suite struct SigningKeysTests {
    /// The test vectors are from the reference libraries of Standard Webhooks.
    @Test func `the signature equals the example of the specification's libraries`() throws {
        let secrets = try SigningKeys(lines: Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8))
        let signature = try secrets.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `every key signs, regardless of whitespace or a prefix on its line`() throws {
        let lines = "\n  \(TestKey.line(TestKey.first))\r\n\n\(TestKey.line(TestKey.second).dropFirst(6))\t\n"
        let both = try SigningKeys(lines: Array(lines.utf8)).signature(id: "a", timestamp: 1, body: [])
        let each = try [TestKey.first, TestKey.second].map {
            try SigningKeys(lines: Array(TestKey.line($0).utf8)).signature(id: "a", timestamp: 1, body: [])
        }
        #expect(both == each.joined(separator: " "))
    }

    @Test(arguments: [
        ("", "no key"), ("\n \n", "no key"), ("whsec_", "the key on line 1 has 0 bytes"),
        ("secret!", "line 1 is not base64"),
        ("whsec_AAAA", "the key on line 1 has 3 bytes; 24 to 64"),
        (TestKey.line(TestKey.first) + "\nnonsense!", "line 2 is not base64"),
        (TestKey.line([UInt8](repeating: 0, count: 65)), "the key on line 1 has 65 bytes"),
        ([String](repeating: TestKey.line(TestKey.first), count: 9).joined(separator: "\n"), "9 keys; at most 8"),
    ])
    func `the error for a file without a usable key names the line without showing it`(
        lines: String, problem: String
    ) {
        let error = #expect(throws: FileError.self) { try SigningKeys(lines: Array(lines.utf8)) }
        #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("nonsense") == false)
    }
}

private enum TestKey {
    static let first = [UInt8](repeating: 1, count: 32)
    static let second = [UInt8](repeating: 2, count: 24)

    static func line(_ key: [UInt8]) -> String { "whsec_" + Data(key).base64EncodedString() }
}
