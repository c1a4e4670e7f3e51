internal import AppStoreVerification

/// Check 3: rows H-28 to H-42 of the threat model.
extension HostileNotification {
    package static let bodies: [HostileNotification] = [
        HostileNotification("H-04", "no body", .badRequest(.empty)) { _ in [] },
        HostileNotification("H-04", "white space", .badRequest(.empty)) { _ in Array(" \r\n".utf8) },
        raw("H-28", "not JSON", .badRequest(.json), "hello"),
        around("H-28", "1,000 names", .accepted) { "{\"signedPayload\":\"\($0)\",\"a\":{\(names(998))}}" },
        around("H-28", "1,001 names", .badRequest(.json)) {
            "{\"signedPayload\":\"\($0)\",\"a\":{\(names(999))}}"
        },
        around("H-28", "an array of 1,000 elements", .accepted) {
            "{\"signedPayload\":\"\($0)\",\"a\":[\(numbers(1000))]}"
        },
        around("H-28", "an array of 1,001 elements", .badRequest(.json)) {
            "{\"signedPayload\":\"\($0)\",\"a\":[\(numbers(1001))]}"
        },
        around("H-28", "15,000 names with an escape each", .badRequest(.json)) {
            "{\"signedPayload\":\"\($0)\",\"a\":{\(names(15_000, "\\n"))}}"
        },
        raw("H-29", "an array", .badRequest(.jsonShape), "[]"),
        raw("H-29", "a text", .badRequest(.jsonShape), "\"x\""),
        raw("H-29", "a number", .badRequest(.jsonShape), "1"),
        raw("H-29", "null", .badRequest(.jsonShape), "null"),
        raw("H-30", "no signedPayload", .badRequest(.jsonShape), "{\"other\":1}"),
        raw("H-30", "another case", .badRequest(.jsonShape), "{\"SignedPayload\":\"a.b.c\"}"),
        raw("H-31", "a number", .badRequest(.jsonShape), "{\"signedPayload\":1}"),
        raw("H-31", "an object", .badRequest(.jsonShape), "{\"signedPayload\":{}}"),
        raw("H-31", "an array", .badRequest(.jsonShape), "{\"signedPayload\":[\"a.b.c\"]}"),
        raw("H-31", "null", .badRequest(.jsonShape), "{\"signedPayload\":null}"),
        raw("H-31", "a bool", .badRequest(.jsonShape), "{\"signedPayload\":true}"),
        around("H-32", "twice", .badRequest(.jsonDuplicate)) {
            "{\"signedPayload\":\"\($0)\",\"signedPayload\":\"\($0)\"}"
        },
        around("H-32", "twice, once escaped", .badRequest(.jsonDuplicate)) {
            "{\"signedPayload\":\"\($0)\",\"\\u0073ignedPayload\":\"\($0)\"}"
        },
        around("H-32", "another member twice", .badRequest(.jsonDuplicate)) {
            "{\"signedPayload\":\"\($0)\",\"a\":1,\"a\":2}"
        },
        around("H-33", "unknown members", .accepted) { "{\"a\":[1,{}],\"signedPayload\":\"\($0)\",\"b\":null}" },
        around("H-33", "white space around", .accepted) { " \r\n{ \"signedPayload\" :\t\"\($0)\" }\n" },
        around("H-33", "letters written as escapes", .accepted) {
            "{\"signedPayload\":\"\\u0065\($0.dropFirst())\"}"
        },
        raw("H-34", "100,000 levels", .badRequest(.json), "{\"a\":" + String(repeating: "[", count: 100_000)),
        around(
            "H-35", "invalid UTF-8", .badRequest(.json), { "{\"signedPayload\":\"\($0)\",\"a\":\"" },
            [0xC3, 0x28, 0x22, 0x7D]),
        around(
            "H-35", "an encoded surrogate", .badRequest(.json), { "{\"signedPayload\":\"\($0)\",\"a\":\"" },
            [0xED, 0xA0, 0x80, 0x22, 0x7D]),
        HostileNotification("H-36", "a byte order mark", .badRequest(.json)) { [0xEF, 0xBB, 0xBF] + (try $0.body()) },
        HostileNotification("H-36", "UTF-16", .badRequest(.json)) { try $0.body().flatMap { [$0, 0] } },
        HostileNotification("H-36", "UTF-32", .badRequest(.json)) { try $0.body().flatMap { [$0, 0, 0, 0] } },
        around(
            "H-37", "NUL in a text", .badRequest(.json), { "{\"signedPayload\":\"\($0)\",\"a\":\"" }, [0, 0x22, 0x7D]),
        around("H-37", "a line break in signedPayload", .badRequest(.json)) { "{\"signedPayload\":\"\($0)\n\"}" },
        around("H-38", "trailing garbage", .badRequest(.json)) { "{\"signedPayload\":\"\($0)\"}x" },
        around("H-38", "a second object", .badRequest(.json)) { "{\"signedPayload\":\"\($0)\"}{}" },
        around("H-39", "1e400 in an unknown member", .accepted) { "{\"signedPayload\":\"\($0)\",\"a\":1e400}" },
        around("H-39", "a number of 100,000 digits", .accepted) {
            "{\"signedPayload\":\"\($0)\",\"a\":\(String(repeating: "9", count: 100_000))}"
        },
        raw(
            "H-40", "version 1", .legacy,
            "{\"notification_type\":\"DID_RENEW\",\"password\":\"x\",\"unified_receipt\":{}}"),
        raw("H-40", "notification_type of another type", .badRequest(.jsonShape), "{\"notification_type\":1}"),
        raw(
            "H-40", "notification_type of another type next to a password", .legacy,
            "{\"notification_type\":1,\"password\":\"x\"}"),
        around("H-42", "both shapes", .badRequest(.jsonShape)) {
            "{\"signedPayload\":\"\($0)\",\"notification_type\":\"DID_RENEW\"}"
        },
    ]

    /// Returns the given number of members with different names.
    private static func names(_ count: Int, _ prefix: String = "n") -> String {
        (0..<count).map { "\"\(prefix)\($0)\":0" }.joined(separator: ",")
    }

    /// Returns the given number of array elements.
    private static func numbers(_ count: Int) -> String {
        Array(repeating: "0", count: count).joined(separator: ",")
    }

    private static func raw(_ id: String, _ name: String, _ expected: ExpectedVerdict, _ body: String)
        -> HostileNotification
    {
        HostileNotification(id, name, expected, body: { _ in Array(body.utf8) })
    }

    private static func around(
        _ id: String, _ name: String, _ expected: ExpectedVerdict, _ body: @escaping @Sendable (String) -> String,
        _ tail: [UInt8] = []
    ) -> HostileNotification {
        HostileNotification(id, name, expected, body: { Array(body(try $0.jws()).utf8) + tail })
    }
}
