internal import AppStoreSigning
internal import AppStoreVerification

/// Check 13: rows H-99 to H-104.
extension HostileNotification {
    package static let audiences: [HostileNotification] = [
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
        HostileNotification("H-101", "Sandbox for an app of production only", .sandbox, .sandbox) { _ in },
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
        HostileNotification("H-115", "two containers for others", .notForUs(.audience)) {
            $0.identity["bundleId"] = "\"com.example.other\""
            $0.outer["summary"] = "{\"bundleId\":\"com.example.third\"}"
        },
    ]
}
