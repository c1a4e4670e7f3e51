/// A hostile or harmless input: its row in the threat model, its body, and the expected verdict.
package struct HostileNotification: Sendable, CustomStringConvertible {
    package let id: String
    package let name: String
    package let expected: ExpectedVerdict
    package let body: @Sendable (SigningKit) throws -> [UInt8]

    package init(
        _ id: String, _ name: String, _ expected: ExpectedVerdict,
        body: @escaping @Sendable (SigningKit) throws -> [UInt8]
    ) {
        self.id = id
        self.name = name
        self.expected = expected
        self.body = body
    }

    /// Creates a row whose body is `{"signedPayload":…}` around a compact JWS.
    package init(
        _ id: String, _ name: String, _ expected: ExpectedVerdict,
        jws: @escaping @Sendable (SigningKit) throws -> String
    ) {
        self.init(id, name, expected, body: { SigningKit.body(try jws($0)) })
    }

    /// Creates a row whose notification is valid except for `change`.
    package init(
        _ id: String, _ name: String, _ expected: ExpectedVerdict, _ draft: NotificationDraft = NotificationDraft(),
        change: @escaping @Sendable (inout NotificationDraft) -> Void
    ) {
        self.init(
            id, name, expected,
            body: {
                var draft = draft
                change(&draft)
                return try $0.body(draft)
            })
    }

    package var description: String { "\(id) \(name)" }
}

extension HostileNotification {
    /// All rows, in the order of the checks.
    package static let all: [HostileNotification] =
        bodies + compactForms + headers + algorithms + certificateLists + lookAlikes + markers + extensions + keys
        + signatures + validity + audiences + criticalMembers + fields + forgedNumbers + texts + encodings
        + nestedObjects
}
