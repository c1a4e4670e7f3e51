internal import AppStoreSigning
internal import AppStoreVerification

/// Check 14: rows H-60 and H-105 to H-120.
extension HostileNotification {
    private static let now = SigningKit.now
    private static let hour: Int64 = 3_600_000

    package static let criticalMembers: [HostileNotification] = [
        HostileNotification(
            "H-60", "crit", .nonconforming(.profileCritical),
            body: { kit in
                try kit.body(header: JWSSigner.header(chain: kit.pki.chain, extra: ",\"crit\":[\"exp\"],\"exp\":1"))
            }),
        HostileNotification(
            "H-60", "b64 false", .nonconforming(.profileCritical),
            body: { kit in
                try kit.body(header: JWSSigner.header(chain: kit.pki.chain, extra: ",\"b64\":false"))
            }),
        HostileNotification(
            "H-60", "crit null", .nonconforming(.profileCritical),
            body: { kit in
                try kit.body(header: JWSSigner.header(chain: kit.pki.chain, extra: ",\"crit\":null"))
            }),
    ]

    package static let fields: [HostileNotification] = [
        HostileNotification("H-105", "no notificationType", .nonconforming(.profileType)) {
            $0.outer["notificationType"] = nil
        },
        HostileNotification("H-105", "no notificationUUID", .nonconforming(.profileUUID)) {
            $0.outer["notificationUUID"] = nil
        },
        HostileNotification("H-105", "notificationUUID null", .nonconforming(.profileUUID)) {
            $0.outer["notificationUUID"] = "null"
        },
        HostileNotification("H-105", "notificationUUID a number", .nonconforming(.profileUUID)) {
            $0.outer["notificationUUID"] = "7"
        },
        HostileNotification("H-105", "notificationUUID a path", .nonconforming(.profileUUID)) {
            $0.outer["notificationUUID"] = "\"../../etc/passwd\""
        },
        HostileNotification("H-105", "notificationUUID in uppercase", .accepted) {
            $0.outer["notificationUUID"] = "\"0F3A1C52-6D5E-4B7A-9A53-0D9A0A2B7C11\""
        },
        HostileNotification("H-106", "version 3.0", .nonconforming(.profileVersion)) {
            $0.outer["version"] = "\"3.0\""
        },
        HostileNotification("H-106", "version 2", .nonconforming(.profileVersion)) { $0.outer["version"] = "\"2\"" },
        HostileNotification("H-106", "no version", .nonconforming(.profileVersion)) { $0.outer["version"] = nil },
        HostileNotification("H-106", "version a number", .nonconforming(.profileVersion)) {
            $0.outer["version"] = "2.0"
        },
        HostileNotification("H-106", "version 2.1", .accepted) { $0.outer["version"] = "\"2.1\"" },
        HostileNotification("H-108", "appAppleId with a fraction", .nonconforming(.profileNumber)) {
            $0.identity["appAppleId"] = "1234567890.5"
        },
        HostileNotification("H-108", "appAppleId beyond Int64", .nonconforming(.profileNumber)) {
            $0.identity["appAppleId"] = "1e300"
        },
        HostileNotification("H-108", "appAppleId a text", .nonconforming(.profileNumber)) {
            $0.identity["appAppleId"] = "\"1234567890\""
        },
        HostileNotification("H-108", "appAppleId as 1.23456789e9", .accepted) {
            $0.identity["appAppleId"] = "1.23456789e9"
        },
        HostileNotification("H-108", "status with a fraction, which is not read", .accepted) {
            $0.identity["status"] = "1.5"
        },
        HostileNotification("H-108", "a price beyond Int64, which is not read", .accepted) {
            $0.transaction?["price"] = "1e300"
        },
        HostileNotification("H-110", "signedDate negative", .nonconforming(.profileDate)) {
            $0.outer["signedDate"] = "-1"
        },
        HostileNotification("H-110", "signedDate zero", .nonconforming(.profileDate)) { $0.outer["signedDate"] = "0" },
        HostileNotification("H-110", "signedDate 1e300", .nonconforming(.profileDate)) {
            $0.outer["signedDate"] = "1e300"
        },
        HostileNotification("H-110", "signedDate -1e300", .nonconforming(.profileDate)) {
            $0.outer["signedDate"] = "-1e300"
        },
        HostileNotification("H-110", "signedDate beyond Int64", .nonconforming(.profileDate)) {
            $0.outer["signedDate"] = "9223372036854775808"
        },
        HostileNotification("H-110", "signedDate a text", .nonconforming(.profileDate)) {
            $0.outer["signedDate"] = "\"\(now)\""
        },
        HostileNotification("H-110", "a nested signedDate of 1e300", .nonconforming(.profileDate)) {
            $0.transaction?["signedDate"] = "1e300"
        },
        HostileNotification("H-110", "signedDate with a fraction is rounded down", .accepted) {
            $0.outer["signedDate"] = "\(now).9"
        },
        HostileNotification("H-111", "no signedDate", .nonconforming(.profileDate)) { $0.outer["signedDate"] = nil },
        HostileNotification("H-111", "signedDate null", .nonconforming(.profileDate)) {
            $0.outer["signedDate"] = "null"
        },
        HostileNotification("H-112", "signedDate 24 hours ahead", .accepted) {
            $0.outer["signedDate"] = "\(now + 24 * hour)"
        },
        HostileNotification("H-112", "signedDate more than 24 hours ahead", .retryLater(.clock)) {
            $0.outer["signedDate"] = "\(now + 24 * hour + 1)"
        },
        HostileNotification("H-113", "signedDate a year old", .accepted) {
            $0.outer["signedDate"] = "\(now - 365 * 24 * hour)"
        },
        HostileNotification("H-115", "no container", .nonconforming(.profileContainer)) {
            $0.container = "somethingNew"
            $0.outer["somethingNew"] = "\"new\""
        },
        HostileNotification("H-115", "data and a summary for another app", .nonconforming(.profileContainer)) {
            $0.outer["summary"] = "{\"bundleId\":\"com.example.other\",\"environment\":\"Production\"}"
        },
        HostileNotification("H-115", "data for another app and a summary for ours", .nonconforming(.profileContainer)) {
            $0.outer["summary"] = "{\"bundleId\":\"\(SigningKit.bundleId)\",\"environment\":\"Production\"}"
            $0.identity["bundleId"] = "\"com.example.other\""
        },
        HostileNotification("H-115", "data that is a string", .nonconforming(.profileContainer)) {
            $0.outer["data"] = "\"\(SigningKit.bundleId)\""
        },
        HostileNotification("H-115", "a summary that is null", .accepted) { $0.outer["summary"] = "null" },
        HostileNotification("H-116", "a token ID that begins with SANDBOX", .sandbox, .token("SANDBOX_1")) { _ in },
        HostileNotification(
            "H-116", "a token ID that begins with sandbox", .nonconforming(.profileContainer), .token("sandbox_1")
        ) {
            _ in
        },
        HostileNotification(
            "H-116", "a token ID that begins with Sandbox", .nonconforming(.profileContainer), .token("Sandbox_1")
        ) {
            _ in
        },
        HostileNotification("H-116", "a token of production", .accepted, .token("b2158121-7af9-49d4-9561-1f588205523e"))
        { _ in
        },
    ]

    /// Out-of-range numbers under an untrusted certificate chain.
    package static let forgedNumbers: [HostileNotification] = [
        "1e300", "-1e300", "-1", "9223372036854775808", "1e-400",
    ]
    .map { number in
        HostileNotification(
            "H-109", "dates and ids of \(number), own chain", .forbidden(.chainRoot),
            body: { _ in
                try SigningKit.imposter().body(
                    .with {
                        $0.outer["signedDate"] = number
                        $0.identity["appAppleId"] = number
                        $0.transaction?["signedDate"] = number
                    })
            })
    }

    package static let texts: [HostileNotification] = [
        HostileNotification("H-120", "a type of 200 KB", .nonconforming(.profileText)) {
            $0.outer["notificationType"] = "\"\(long)\""
        },
        HostileNotification("H-120", "a type with a quote", .nonconforming(.profileText)) {
            $0.outer["notificationType"] = "\"A\\\"B\""
        },
        HostileNotification("H-120", "a type that is a number", .nonconforming(.profileText)) {
            $0.outer["notificationType"] = "5"
        },
        HostileNotification("H-120", "a subtype with a line break", .nonconforming(.profileText)) {
            $0.outer["subtype"] = "\"A\\r\\nX: y\""
        },
        HostileNotification("H-120", "a subtype that is a formula", .nonconforming(.profileText)) {
            $0.outer["subtype"] = "\"=1+1\""
        },
        HostileNotification("H-120", "a subtype that is HTML", .nonconforming(.profileText)) {
            $0.outer["subtype"] = "\"<b>\""
        },
        HostileNotification("H-120", "a transactionId that is a path", .nonconforming(.profileText)) {
            $0.transaction?["transactionId"] = "\"../1\""
        },
        HostileNotification("H-120", "an originalTransactionId of 200 digits", .nonconforming(.profileText)) {
            $0.transaction?["originalTransactionId"] = "\"\(String(repeating: "1", count: 200))\""
        },
        HostileNotification("H-120", "an originalTransactionId that is empty", .nonconforming(.profileText)) {
            $0.transaction?["originalTransactionId"] = "\"\""
        },
        HostileNotification(
            "H-120", "an originalTransactionId of renewal info that is SQL", .nonconforming(.profileText)
        ) {
            $0.renewalInfo?["originalTransactionId"] = "\"1' OR 1=1\""
        },
        HostileNotification("H-120", "an appTransactionId with a slash", .nonconforming(.profileText)) {
            $0.transaction?["appTransactionId"] = "\"a/b\""
        },
        HostileNotification("H-120", "a token id with a space", .nonconforming(.profileText), .token("a b")) { _ in },
        HostileNotification("H-120", "NUL in a string that is not read", .nonconforming(.profileText)) {
            $0.identity["bundleVersion"] = "\"1\\u00002\""
        },
        HostileNotification("H-120", "a backspace in a string that is not read", .nonconforming(.profileText)) {
            $0.identity["bundleVersion"] = "\"1\\b\""
        },
        HostileNotification("H-120", "DEL in a nested string that is not read", .nonconforming(.profileText)) {
            $0.transaction?["productId"] = "\"a\\u007f\""
        },
        HostileNotification("H-120", "a raw control character", .nonconforming(.profileText)) {
            $0.identity["bundleVersion"] = "\"1\u{1}\""
        },
        HostileNotification("H-120", "quotes, backslashes and line breaks in a string that is not read", .accepted) {
            $0.identity["bundleVersion"] = "\"a\\\"\\\\u0000\\n\\/\\u00e9\""
        },
    ]

    package static let encodings: [HostileNotification] = [
        payload("H-117", "a byte order mark", .nonconforming(.profileEncoding)) { [0xEF, 0xBB, 0xBF] + $0 },
        payload("H-117", "UTF-16", .nonconforming(.profileEncoding)) { $0.flatMap { [$0, 0] } },
        payload("H-118", "a member twice", .nonconforming(.profileDuplicate)) {
            Array("{\"notificationType\":\"A\",".utf8) + $0.dropFirst()
        },
        payload("H-118", "a member twice, once escaped", .nonconforming(.profileDuplicate)) {
            Array("{\"\\u006eotificationType\":\"A\",".utf8) + $0.dropFirst()
        },
        payload("H-119", "a lone surrogate", .nonconforming(.profileEncoding)) {
            Array("{\"a\":\"\\ud800\",".utf8) + $0.dropFirst()
        },
        payload("H-119", "invalid UTF-8", .nonconforming(.profileEncoding)) {
            Array("{\"a\":\"".utf8) + [0xFF] + Array("\",".utf8) + $0.dropFirst()
        },
        payload("H-119", "an array", .nonconforming(.profileEncoding)) { [0x5B] + $0 + [0x5D] },
        payload("H-119", "trailing garbage", .nonconforming(.profileEncoding)) { $0 + [0x78] },
        payload("H-119", "50,000 levels", .nonconforming(.profileEncoding)) {
            Array("{\"a\":\(String(repeating: "[", count: 50_000))".utf8) + $0
        },
        payload("H-119", "not JSON", .nonconforming(.profileEncoding)) { _ in Array("hello".utf8) },
    ]

    private static let long = String(repeating: "A", count: 150_000)

    private static func payload(
        _ id: String, _ name: String, _ expected: ExpectedVerdict, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> HostileNotification {
        HostileNotification(
            id, name, expected,
            jws: { kit in
                let payload = Array(try NotificationDraft.test.payload(signingNestedWith: kit.sign).utf8)
                return String(decoding: try JWSSigner(kit.pki).sign(change(payload)), as: UTF8.self)
            })
    }
}
