internal import AppStoreSigning
internal import AppStoreVerification

/// Check 13: rows H-99 to H-104.
extension HostileNotification {
    package static let audiences = knownContainers + laterContainers

    private static let knownContainers: [HostileNotification] = [
        HostileNotification("H-99", "another bundleId", .notForUs(.audience)) {
            $0.identity["bundleId"] = "\"com.example.other\""
        },
        HostileNotification("H-99", "bundleId in another case", .notForUs(.audience)) {
            $0.identity["bundleId"] = "\"com.example.App\""
        },
        HostileNotification("H-99", "no bundleId", .notForUs(.audience)) { $0.identity["bundleId"] = nil },
        HostileNotification("H-99", "bundleId a number", .notForUs(.audience)) { $0.identity["bundleId"] = "5" },
        HostileNotification("H-100", "another appAppleId", .notForUs(.audience)) {
            $0.identity["appAppleId"] = "1234567891"
        },
        HostileNotification("H-100", "no appAppleId in Production", .nonconforming(.profileAudience)) {
            $0.identity["appAppleId"] = nil
        },
        HostileNotification("H-101", "Sandbox for a production-only app", .sandbox, .sandbox) { _ in },
        HostileNotification("H-101", "Sandbox without appAppleId", .sandbox, .sandbox) {
            $0.identity["appAppleId"] = nil
        },
        HostileNotification("H-101", "Sandbox with another appAppleId", .sandbox, .sandbox) {
            $0.identity["appAppleId"] = "1"
        },
        HostileNotification("H-102", "Xcode", .nonconforming(.profileAudience)) {
            $0.identity["environment"] = "\"Xcode\""
        },
        HostileNotification("H-102", "LocalTesting", .nonconforming(.profileAudience)) {
            $0.identity["environment"] = "\"LocalTesting\""
        },
        HostileNotification("H-102", "an unknown environment", .nonconforming(.profileAudience)) {
            $0.identity["environment"] = "\"production\""
        },
        HostileNotification("H-102", "no environment", .nonconforming(.profileAudience)) {
            $0.identity["environment"] = nil
        },
        HostileNotification("H-102", "an environment that Apple adds", .nonconforming(.profileAudience)) {
            $0.identity["environment"] = "\"Preview\""
        },
        HostileNotification("H-102", "environment a number", .nonconforming(.profileAudience)) {
            $0.identity["environment"] = "1"
        },
        HostileNotification("H-102", "an empty environment", .nonconforming(.profileAudience)) {
            $0.identity["environment"] = "\"\""
        },
        HostileNotification("H-102", "an environment of another app", .notForUs(.audience)) {
            $0.identity["environment"] = "\"Preview\""
            $0.identity["bundleId"] = "\"com.example.other\""
        },
        HostileNotification("H-102", "environment null", .nonconforming(.profileAudience)) {
            $0.identity["environment"] = "null"
        },
        HostileNotification(
            "H-103", "a transaction", .notForUs(.typeConfusion),
            jws: { kit in
                try kit.sign(NotificationDraft().transaction?.text ?? "")
            }),
        HostileNotification(
            "H-103", "renewal info", .notForUs(.typeConfusion),
            jws: { kit in
                try kit.sign(NotificationDraft().renewalInfo?.text ?? "")
            }),
        HostileNotification(
            "H-103", "an app transaction", .notForUs(.typeConfusion),
            jws: { kit in
                try kit.sign(NotificationDraft.appData.appTransaction?.text ?? "")
            }),
        HostileNotification(
            "H-103", "a retention request", .notForUs(.typeConfusion),
            jws: { kit in
                try kit.sign(
                    "{\"originalTransactionId\":\"1\",\"appAppleId\":1234567890,\"productId\":\"p\",\"userLocale\":\"en-US\","
                        + "\"requestIdentifier\":\"r\",\"environment\":\"Production\",\"signedDate\":1}")
            }),
        HostileNotification("H-104", "an unknown type", .accepted) {
            $0.outer["notificationType"] = "\"SOMETHING_NEW\""
        },
        HostileNotification("H-104", "an unknown subtype", .accepted) { $0.outer["subtype"] = "\"SOMETHING_NEW\"" },
        HostileNotification("H-115", "two containers for other apps", .notForUs(.audience)) {
            $0.identity["bundleId"] = "\"com.example.other\""
            $0.outer["summary"] = "{\"bundleId\":\"com.example.third\"}"
        },
    ]

    /// Containers introduced after version 2.22 and unknown containers (app-store.md 2.6, C 24).
    private static let laterContainers: [HostileNotification] = [
        later("H-115", "seats that the App Store unassigned", .accepted) { $0.container = "unclaimInfo" },
        later("H-115", "an unknown container", .accepted) { _ in },
        later("H-115", "an unknown container without appAppleId", .accepted) { $0.identity["appAppleId"] = nil },
        later("H-115", "unclaimInfo without appAppleId", .accepted) {
            $0.container = "unclaimInfo"
            $0.identity["appAppleId"] = nil
        },
        later("H-101", "a new container in the sandbox", .sandbox) { $0.identity["environment"] = "\"Sandbox\"" },
        later("H-115", "an unknown container of another app", .notForUs(.audience)) {
            $0.identity["bundleId"] = "\"com.example.other\""
        },
        later("H-115", "an unknown container with another appAppleId", .notForUs(.audience)) {
            $0.identity["appAppleId"] = "1"
        },
        later("H-115", "unclaimInfo with another appAppleId", .notForUs(.audience)) {
            $0.container = "unclaimInfo"
            $0.identity["appAppleId"] = "1"
        },
        later("H-108", "an unknown container whose appAppleId is a string", .nonconforming(.profileNumber)) {
            $0.identity["appAppleId"] = "\"1234567890\""
        },
        later("H-102", "an unknown container from Xcode", .nonconforming(.profileAudience)) {
            $0.identity["environment"] = "\"Xcode\""
        },
        later("H-115", "an unknown container without an environment", .nonconforming(.profileContainer)) {
            $0.identity["environment"] = nil
        },
        later("H-115", "an unknown container without a bundleId", .nonconforming(.profileContainer)) {
            $0.identity["bundleId"] = nil
        },
        later("H-115", "two unknown containers", .nonconforming(.profileContainer)) {
            $0.outer["another"] = $0.identity.text
        },
        later("H-115", "data and an unknown container", .nonconforming(.profileContainer)) {
            $0.outer["another"] = $0.identity.text
            $0.container = "data"
        },
        later("H-115", "two unknown containers of other apps", .notForUs(.audience)) {
            $0.identity["bundleId"] = "\"com.example.other\""
            $0.outer["another"] = $0.identity.text
        },
        later("H-115", "data and an object that names no app", .accepted) {
            $0.container = "data"
            $0.outer["another"] = "{\"environment\":\"Production\"}"
        },
        HostileNotification(
            "H-103", "a transaction with an object that names an app", .notForUs(.typeConfusion),
            jws: { kit in
                var transaction = JSONDraft(["transactionId": "\"1\"", "originalTransactionId": "\"1\""])
                transaction["new"] = NotificationDraft().identity.text
                return try kit.sign(transaction.text)
            }),
    ]

    /// Returns a notification of an unknown type with another container name.
    private static func later(
        _ id: String, _ name: String, _ expected: ExpectedVerdict,
        change: @escaping @Sendable (inout NotificationDraft) -> Void
    ) -> HostileNotification {
        HostileNotification(id, name, expected, .test) {
            $0.outer["notificationType"] = "\"SOMETHING_NEW\""
            $0.container = "somethingNew"
            change(&$0)
        }
    }
}
