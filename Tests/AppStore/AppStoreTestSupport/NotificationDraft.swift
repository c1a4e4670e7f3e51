internal import Foundation

/// A notification to sign. By default, it is a renewal in Production with a unique notificationUUID.
package struct NotificationDraft: Sendable {
    package init() {}

    package var outer = JSONDraft([
        "notificationType": "\"DID_RENEW\"", "notificationUUID": "\"\(UUID().uuidString.lowercased())\"",
        "version": "\"2.0\"", "signedDate": "\(SigningKit.now - 60_000)",
    ])
    package var container = "data"
    package var identity = JSONDraft([
        "appAppleId": "\(SigningKit.appAppleId)", "bundleId": "\"\(SigningKit.bundleId)\"", "bundleVersion": "\"637\"",
        "environment": "\"Production\"", "status": "1",
    ])
    package var transaction: JSONDraft? = JSONDraft([
        "transactionId": "\"2000001024998954\"", "originalTransactionId": "\"2000001024993299\"",
        "bundleId": "\"\(SigningKit.bundleId)\"", "productId": "\"com.example.pro\"", "price": "10990",
        "environment": "\"Production\"", "signedDate": "\(SigningKit.now - 61_000)",
    ])
    package var renewalInfo: JSONDraft? = JSONDraft([
        "originalTransactionId": "\"2000001024993299\"", "autoRenewProductId": "\"com.example.pro\"",
        "autoRenewStatus": "1", "environment": "\"Production\"", "signedDate": "\(SigningKit.now - 61_000)",
    ])
    package var appTransaction: JSONDraft?

    /// Returns the default notification with one change.
    package static func with(_ change: (inout NotificationDraft) -> Void) -> NotificationDraft {
        var draft = NotificationDraft()
        change(&draft)
        return draft
    }

    /// Returns a notification without nested objects.
    package static var test: NotificationDraft {
        .with {
            $0.outer["notificationType"] = "\"TEST\""
            $0.transaction = nil
            $0.renewalInfo = nil
        }
    }

    /// Returns the default notification with Sandbox in place of every environment.
    package static var sandbox: NotificationDraft {
        .with {
            $0.identity["environment"] = "\"Sandbox\""
            $0.transaction?["environment"] = "\"Sandbox\""
            $0.renewalInfo?["environment"] = "\"Sandbox\""
        }
    }

    /// Returns a notification about an app transaction.
    package static var appData: NotificationDraft {
        .with {
            $0.outer["notificationType"] = "\"RESCIND_CONSENT\""
            $0.container = "appData"
            $0.transaction = nil
            $0.renewalInfo = nil
            $0.appTransaction = JSONDraft([
                "receiptType": "\"Production\"", "appAppleId": "\(SigningKit.appAppleId)",
                "bundleId": "\"\(SigningKit.bundleId)\"", "appTransactionId": "\"704000000000000001\"",
            ])
        }
    }

    /// Returns a notification about an external purchase token.
    package static func token(_ id: String) -> NotificationDraft {
        .with {
            $0.outer["notificationType"] = "\"EXTERNAL_PURCHASE_TOKEN\""
            $0.container = "externalPurchaseToken"
            $0.identity["environment"] = nil
            $0.identity["externalPurchaseId"] = "\"\(id)\""
            $0.transaction = nil
            $0.renewalInfo = nil
        }
    }

    /// Returns the payload's text. `sign` signs each nested draft.
    package func payload(signingNestedWith sign: (String) throws -> String) throws -> String {
        var outer = outer
        var identity = identity
        for (name, draft) in [
            ("signedTransactionInfo", transaction), ("signedRenewalInfo", renewalInfo),
            ("signedAppTransactionInfo", appTransaction),
        ] where identity[name] == nil {
            identity[name] = try draft.map { "\"\(try sign($0.text))\"" }
        }
        if outer[container] == nil { outer[container] = identity.text }
        return outer.text
    }
}
