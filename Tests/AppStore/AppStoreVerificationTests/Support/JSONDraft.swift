/// A JSON object whose member values are raw JSON texts, in order, so that anything can be written, good or not.
struct JSONDraft: Sendable {
    private var members: [(name: String, value: String)]

    init(_ members: KeyValuePairs<String, String>) {
        self.members = members.map { ($0.key, $0.value) }
    }

    /// Setting nil removes the member.
    subscript(name: String) -> String? {
        get { members.first { $0.name == name }?.value }
        set {
            guard let index = members.firstIndex(where: { $0.name == name }) else {
                if let newValue { members.append((name, newValue)) }
                return
            }
            if let newValue { members[index].value = newValue } else { members.remove(at: index) }
        }
    }

    var text: String { "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}" }
}

/// A notification to be signed: a renewal in Production unless changed.
struct NotificationDraft: Sendable {
    var outer = JSONDraft([
        "notificationType": "\"DID_RENEW\"", "notificationUUID": "\"0f3a1c52-6d5e-4b7a-9a53-0d9a0a2b7c11\"",
        "version": "\"2.0\"", "signedDate": "\(SigningKit.now - 60_000)",
    ])
    var container = "data"
    var identity = JSONDraft([
        "appAppleId": "\(SigningKit.appAppleId)", "bundleId": "\"\(SigningKit.bundleId)\"", "bundleVersion": "\"637\"",
        "environment": "\"Production\"", "status": "1",
    ])
    var transaction: JSONDraft? = JSONDraft([
        "transactionId": "\"2000001024998954\"", "originalTransactionId": "\"2000001024993299\"",
        "bundleId": "\"\(SigningKit.bundleId)\"", "productId": "\"com.example.pro\"", "price": "10990",
        "environment": "\"Production\"", "signedDate": "\(SigningKit.now - 61_000)",
    ])
    var renewalInfo: JSONDraft? = JSONDraft([
        "originalTransactionId": "\"2000001024993299\"", "autoRenewProductId": "\"com.example.pro\"",
        "autoRenewStatus": "1", "environment": "\"Production\"", "signedDate": "\(SigningKit.now - 61_000)",
    ])
    var appTransaction: JSONDraft?

    /// The same with one change.
    static func with(_ change: (inout NotificationDraft) -> Void) -> NotificationDraft {
        var draft = NotificationDraft()
        change(&draft)
        return draft
    }

    /// A notification without nested objects.
    static var test: NotificationDraft {
        .with {
            $0.outer["notificationType"] = "\"TEST\""
            $0.transaction = nil
            $0.renewalInfo = nil
        }
    }

    /// The same in the sandbox throughout.
    static var sandbox: NotificationDraft {
        .with {
            $0.identity["environment"] = "\"Sandbox\""
            $0.transaction?["environment"] = "\"Sandbox\""
            $0.renewalInfo?["environment"] = "\"Sandbox\""
        }
    }

    /// A notification about an app transaction.
    static var appData: NotificationDraft {
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

    /// A notification about an external purchase token.
    static func token(_ id: String) -> NotificationDraft {
        .with {
            $0.outer["notificationType"] = "\"EXTERNAL_PURCHASE_TOKEN\""
            $0.container = "externalPurchaseToken"
            $0.identity["environment"] = nil
            $0.identity["externalPurchaseId"] = "\"\(id)\""
            $0.transaction = nil
            $0.renewalInfo = nil
        }
    }

    /// The payload's text, with each nested draft signed by `sign`.
    func payload(signingNestedWith sign: (String) throws -> String) throws -> String {
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
