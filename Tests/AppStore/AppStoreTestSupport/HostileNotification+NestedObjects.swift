internal import AppStoreSigning
internal import AppStoreVerification
internal import Cryptography

/// Check 14 for nested objects: row H-107.
extension HostileNotification {
    package static let nestedObjects: [HostileNotification] = [
        HostileNotification("H-107", "no transaction", .nonconforming(.profileNested)) { $0.transaction = nil },
        HostileNotification("H-107", "no renewal info", .accepted) { $0.renewalInfo = nil },
        HostileNotification("H-107", "transaction null", .nonconforming(.profileNested)) {
            $0.identity["signedTransactionInfo"] = "null"
        },
        HostileNotification("H-107", "a type that requires neither", .accepted, .test) { _ in },
        HostileNotification("H-107", "a one-time purchase without renewal info", .accepted) {
            $0.outer["notificationType"] = "\"ONE_TIME_CHARGE\""
            $0.renewalInfo = nil
        },
        HostileNotification("H-107", "transaction a number", .nonconforming(.profileNested)) {
            $0.identity["signedTransactionInfo"] = "5"
        },
        HostileNotification("H-107", "transaction a word", .nonconforming(.profileNested)) {
            $0.identity["signedTransactionInfo"] = "\"abc\""
        },
        HostileNotification("H-107", "transaction empty", .nonconforming(.profileNested)) {
            $0.identity["signedTransactionInfo"] = "\"\""
        },
        HostileNotification("H-107", "transaction of another app", .nonconforming(.profileNested)) {
            $0.transaction?["bundleId"] = "\"com.example.other\""
        },
        HostileNotification("H-107", "transaction without an app", .nonconforming(.profileNested)) {
            $0.transaction?["bundleId"] = nil
        },
        HostileNotification("H-107", "transaction of another environment", .nonconforming(.profileNested)) {
            $0.transaction?["environment"] = "\"Sandbox\""
        },
        HostileNotification("H-107", "renewal info of another environment", .nonconforming(.profileNested)) {
            $0.renewalInfo?["environment"] = "\"Sandbox\""
        },
        HostileNotification("H-107", "renewal info of another purchase", .nonconforming(.profileNested)) {
            $0.renewalInfo?["originalTransactionId"] = "\"7\""
        },
        HostileNotification("H-107", "renewal info in place of the transaction", .nonconforming(.profileNested)) {
            $0.transaction = $0.renewalInfo
        },
        HostileNotification("H-107", "a transaction in place of renewal info", .nonconforming(.profileNested)) {
            $0.renewalInfo = $0.transaction
        },
        HostileNotification("H-107", "a transaction without transactionId", .nonconforming(.profileNested)) {
            $0.transaction?["transactionId"] = nil
        },
        HostileNotification("H-107", "a transaction without originalTransactionId", .nonconforming(.profileNested)) {
            $0.transaction?["originalTransactionId"] = nil
            $0.outer["notificationType"] = "\"ONE_TIME_CHARGE\""
            $0.renewalInfo = nil
        },
        HostileNotification(
            "H-118", "a member twice", .nonconforming(.profileDuplicate),
            jws: { kit in
                let twice = try kit.sign("{\"transactionId\":\"1\",\"transactionId\":\"2\"}")
                return try kit.jws(.with { $0.identity["signedTransactionInfo"] = "\"\(twice)\"" })
            }),
        HostileNotification(
            "H-119", "a transaction that is not JSON", .nonconforming(.profileEncoding),
            jws: { kit in
                let other = try kit.sign("hello")
                return try kit.jws(.with { $0.identity["signedTransactionInfo"] = "\"\(other)\"" })
            }),
        HostileNotification(
            "H-107", "under an untrusted certificate chain", .nonconforming(.profileNested),
            jws: { kit in
                let untrusted = SigningKit(pki: try TestCertificateAuthority(SigningKit.options))
                return try kit.sign(try NotificationDraft().payload(signingNestedWith: untrusted.sign))
            }),
        HostileNotification(
            "H-107", "by another key", .nonconforming(.profileNested),
            jws: { kit in
                try kit.sign(try NotificationDraft().payload { try kit.sign($0, header: nil, key: .generate(.p256)) })
            }),
        HostileNotification(
            "H-107", "unsigned", .nonconforming(.profileNested),
            jws: { kit in
                let header = JWSSigner.header(chain: kit.pki.chain, algorithm: "\"none\"")
                return try kit.sign(try NotificationDraft().payload { try kit.sign($0, header: header, key: nil) })
            }),
        HostileNotification(
            "H-107", "under another certificate chain of the same root", .accepted,
            jws: { kit in
                let leaf = try kit.leaf()
                let header = JWSSigner.header(chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root])
                return try kit.sign(try NotificationDraft().payload { try kit.sign($0, header: header, key: leaf.key) })
            }),
        HostileNotification(
            "H-107", "under a certificate chain that expired a year ago", .nonconforming(.profileNested),
            jws: { kit in
                let leaf = try kit.leaf {
                    $0.validity = CertificateValidity(notBefore: 0, notAfter: SigningKit.now / 1000 - 31_536_000)
                }
                let header = JWSSigner.header(chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root])
                return try kit.sign(try NotificationDraft().payload { try kit.sign($0, header: header, key: leaf.key) })
            }),
        HostileNotification(
            "H-60", "with crit", .nonconforming(.profileCritical),
            jws: { kit in
                let header = JWSSigner.header(chain: kit.pki.chain, extra: ",\"crit\":[\"x\"]")
                return try kit.sign(try NotificationDraft().payload { try kit.sign($0, header: header, key: nil) })
            }),
        HostileNotification(
            "H-86", "under two certificates", .nonconforming(.profileChain),
            jws: { kit in
                let header = JWSSigner.header(chain: [kit.pki.leaf, kit.pki.intermediate])
                return try kit.sign(try NotificationDraft().payload { try kit.sign($0, header: header, key: nil) })
            }),
        HostileNotification("3.5", "an app transaction", .accepted, .appData) { _ in },
        HostileNotification("H-107", "no app transaction", .nonconforming(.profileNested), .appData) {
            $0.appTransaction = nil
        },
        HostileNotification("H-107", "an app transaction of another app", .nonconforming(.profileNested), .appData) {
            $0.appTransaction?["bundleId"] = "\"com.example.other\""
        },
        HostileNotification(
            "H-107", "an app transaction of another environment", .nonconforming(.profileNested), .appData
        ) {
            $0.appTransaction?["receiptType"] = "\"Sandbox\""
        },
        HostileNotification(
            "H-107", "an app transaction with another appAppleId", .nonconforming(.profileNested), .appData
        ) {
            $0.appTransaction?["appAppleId"] = "1"
        },
        HostileNotification(
            "H-107", "renewal info in place of the app transaction", .nonconforming(.profileNested), .appData
        ) {
            $0.appTransaction = NotificationDraft().renewalInfo
        },
    ]
}
