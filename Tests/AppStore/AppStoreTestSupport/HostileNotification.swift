/// One hostile or harmless input: the row of the threat model, how its body is made, and what the verdict must be.
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

    /// A row whose body is `{"signedPayload":…}` around a compact JWS.
    package init(
        _ id: String, _ name: String, _ expected: ExpectedVerdict,
        jws: @escaping @Sendable (SigningKit) throws -> String
    ) {
        self.init(id, name, expected, body: { SigningKit.body(try jws($0)) })
    }

    /// A row whose notification is good but for what `change` does.
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
    /// Every table, in the order of the checks.
    package static let all: [HostileNotification] =
        bodies + compactForms + headers + algorithms + certificateLists + lookAlikes + markers + extensions + keys
        + signatures + validity + audiences + criticalMembers + fields + forgedNumbers + texts + encodings
        + nestedObjects
}
