import Kafka
import Records

/// One notification as plain values. The generator writes it, the oracle reads it, and a record contains it.
struct HistoryEntry: Sendable {
    struct Transaction: Sendable {
        var id: String
        var product = "monthly"
        var type = "Auto-Renewable Subscription"
        var purchased: Int64
        var expires: Int64?
        var quantity: Int64 = 1
        var ownership = "PURCHASED"
        var token: String?
        var revoked: Int64?
        var percentage: Int64?
        var isUpgraded = false
    }

    struct Renewal: Sendable {
        var product = "monthly"
        var willRenew = true
        var isRetrying = false
        var graceUntil: Int64?
        var intent: Int64?
        var token: String?
    }

    var type: String
    var subtype: String?
    var uuid: String
    var signed: Int64
    var status: Int64?
    var transaction: Transaction
    var renewal: Renewal?
    var purchase: String

    var key: [UInt8] { Array("com.example/\(purchase)".utf8) }

    /// Returns the notification as a record of the notification topic.
    func record(partition: KafkaPartition, trust: String = "signed") -> KafkaRecord {
        KafkaRecord(
            topic: "appstore.notifications.production", partition: partition, offset: 0, key: key,
            value: Array(value.utf8),
            headers: [KafkaHeader(key: "ce_trust", value: Array(trust.utf8))])
    }

    private var value: String {
        let common = #""originalTransactionId":"\#(purchase)","environment":"Production","signedDate":\#(signed)"#
        var data = #""environment":"Production","bundleId":"com.example""#
        if let status { data += #","status":\#(status)"# }
        var notification = #""notificationType":"\#(type)","notificationUUID":"\#(uuid)","signedDate":\#(signed)"#
        if let subtype { notification += #","subtype":"\#(subtype)""# }
        var text = #""transactionId":"\#(transaction.id)","productId":"\#(transaction.product)","#
        text += #""type":"\#(transaction.type)","purchaseDate":\#(transaction.purchased),"#
        text += #""quantity":\#(transaction.quantity),"inAppOwnershipType":"\#(transaction.ownership)",\#(common)"#
        if let expires = transaction.expires { text += #","expiresDate":\#(expires)"# }
        if let token = transaction.token { text += #","appAccountToken":"\#(token)""# }
        if let revoked = transaction.revoked { text += #","revocationDate":\#(revoked)"# }
        if let percentage = transaction.percentage { text += #","revocationPercentage":\#(percentage)"# }
        if transaction.isUpgraded { text += #","isUpgraded":true"# }
        var value = #"{"notification":{\#(notification),"data":{\#(data)}},"transaction":{\#(text)}"#
        if let renewal {
            var info = #""autoRenewProductId":"\#(renewal.product)","autoRenewStatus":\#(renewal.willRenew ? 1 : 0)"#
            info += #","isInBillingRetryPeriod":\#(renewal.isRetrying),\#(common)"#
            if let graceUntil = renewal.graceUntil { info += #","gracePeriodExpiresDate":\#(graceUntil)"# }
            if let token = renewal.token { info += #","appAccountToken":"\#(token)""# }
            if let intent = renewal.intent { info += #","expirationIntent":\#(intent)"# }
            value += #","renewalInfo":{\#(info)}"#
        }
        return value + "}"
    }
}

/// Generates histories of purchases: the notifications that Apple would send, in signing order.
struct HistoryGenerator<Random: RandomNumberGenerator> {
    private var random: Random
    private var told: [HistoryEntry] = []
    private var purchase = ""
    private var number = 0
    private var clock: Int64 = 0
    private let day: Int64 = 86_400_000
    private let start: Int64 = 1_767_225_600_000

    init(_ random: Random) { self.random = random }

    /// Returns the history of one purchase with this originalTransactionId.
    mutating func history(_ purchase: String) -> [HistoryEntry] {
        told = []
        number = 0
        self.purchase = purchase
        clock = start + Int64.random(in: 0...40, using: &random) * day
        switch Int.random(in: 0...9, using: &random) {
        case 0: coins()
        case 1: thing()
        default: subscription()
        }
        return told
    }

    private mutating func tell(
        _ type: String, _ subtype: String? = nil, _ status: Int64?, _ transaction: HistoryEntry.Transaction,
        _ renewal: HistoryEntry.Renewal? = nil
    ) {
        // Some notifications are signed in the same millisecond. The text of the UUID then decides.
        if Int.random(in: 0...9, using: &random) > 0 { clock += Int64.random(in: 1...1000, using: &random) }
        let uuid = String(UInt64.random(in: 0 ... .max, using: &random), radix: 16)
        told.append(
            HistoryEntry(
                type: type, subtype: subtype, uuid: "\(uuid)-\(told.count)", signed: clock, status: status,
                transaction: transaction, renewal: renewal, purchase: purchase))
    }

    private mutating func nextId() -> String {
        number += 1
        return "\(purchase).\(number)"
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func coins() {
        var purchase = HistoryEntry.Transaction(
            id: nextId(), product: "coins", type: "Consumable", purchased: clock,
            quantity: Int64.random(in: 1...20, using: &random))
        tell("ONE_TIME_CHARGE", nil, nil, purchase)
        guard chance(60) else { return }
        clock += day
        var refunded = purchase
        refunded.revoked = clock
        refunded.percentage = chance(50) ? Int64.random(in: 0...100_000, using: &random) : nil
        tell("REFUND", nil, nil, refunded)
        guard chance(40) else { return }
        clock += day
        purchase.revoked = nil
        tell("REFUND_REVERSED", nil, nil, purchase)
    }

    private mutating func thing() {
        let ownership = chance(30) ? "FAMILY_SHARED" : "PURCHASED"
        let purchase = HistoryEntry.Transaction(
            id: nextId(), product: "thing", type: "Non-Consumable", purchased: clock, ownership: ownership)
        tell("ONE_TIME_CHARGE", nil, nil, purchase)
        guard chance(60) else { return }
        clock += 3 * day
        var revoked = purchase
        revoked.revoked = clock - day
        tell(ownership == "PURCHASED" ? "REFUND" : "REVOKE", nil, nil, revoked)
        if chance(40) {
            clock += day
            tell("REFUND_REVERSED", nil, nil, purchase)
        }
    }

    private mutating func subscription() {
        let token = chance(70) ? "7e3fb204-2d5b-4a5c-8f1e-\(String(1_000_000_000_000 + number).suffix(12))" : nil
        var current = HistoryEntry.Transaction(id: nextId(), purchased: clock, expires: clock + 30 * day, token: token)
        var info = HistoryEntry.Renewal()
        tell("SUBSCRIBED", "INITIAL_BUY", 1, current, info)
        var former: [HistoryEntry.Transaction] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            step(&current, &info, &former)
        }
    }

    private mutating func step(
        _ current: inout HistoryEntry.Transaction, _ info: inout HistoryEntry.Renewal,
        _ former: inout [HistoryEntry.Transaction]
    ) {
        let expires = current.expires ?? clock
        switch Int.random(in: 0...8, using: &random) {
        case 0, 1:
            former.append(current)
            clock = max(clock, expires - day)
            current = HistoryEntry.Transaction(
                id: nextId(), product: info.product, purchased: expires, expires: expires + 30 * day,
                token: current.token)
            info = HistoryEntry.Renewal(product: info.product)
            tell("DID_RENEW", nil, 1, current, info)
            // Some are refunded before their period begins.
            guard clock < expires, chance(25) else { return }
            var refunded = current
            refunded.revoked = clock
            tell("REFUND", nil, chance(50) ? 5 : 1, refunded, info)
            if chance(40) { tell("REFUND_REVERSED", nil, 1, current, info) }
        case 2:
            info.willRenew.toggle()
            tell(
                "DID_CHANGE_RENEWAL_STATUS", info.willRenew ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED", 1, current,
                info)
        case 3:
            info.product = ["weekly", "monthly"].randomElement(using: &random) ?? "weekly"
            // The app may have set the account in the meantime.
            if chance(30) { info.token = "7e3fb204-2d5b-4a5c-8f1e-\(String(2_000_000_000_000 + number).suffix(12))" }
            tell("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", 1, current, info)
        case 4:
            var replaced = current
            replaced.isUpgraded = true
            clock += day
            current = HistoryEntry.Transaction(
                id: nextId(), product: "yearly", purchased: clock, expires: clock + 365 * day, token: current.token)
            info = HistoryEntry.Renewal(product: "yearly")
            tell("DID_CHANGE_RENEWAL_PREF", "UPGRADE", 1, current, info)
            // Apple may or may not report the replaced purchase.
            if chance(50) {
                replaced.revoked = clock
                tell("REFUND", nil, 1, replaced, info)
            }
        case 5: failure(&current, &info)
        case 6:
            clock = max(clock, expires)
            info.intent = Int64.random(in: 1...5, using: &random)
            info.willRenew = false
            tell("EXPIRED", "VOLUNTARY", 2, current, info)
            if chance(50) {
                clock += 5 * day
                former.append(current)
                current = HistoryEntry.Transaction(
                    id: nextId(), purchased: clock, expires: clock + 30 * day, token: current.token)
                info = HistoryEntry.Renewal()
                tell("SUBSCRIBED", "RESUBSCRIBE", 1, current, info)
            }
        default: refund(&current, info, former)
        }
    }

    private mutating func failure(_ current: inout HistoryEntry.Transaction, _ info: inout HistoryEntry.Renewal) {
        let expires = current.expires ?? clock
        clock = max(clock, expires)
        info.isRetrying = chance(70)
        if chance(60) {
            // Apple sometimes omits the date.
            info.graceUntil = chance(70) ? expires + 16 * day : nil
            tell("DID_FAIL_TO_RENEW", "GRACE_PERIOD", 4, current, info)
            if chance(50) {
                clock = max(clock, expires + 16 * day)
                tell("GRACE_PERIOD_EXPIRED", nil, 3, current, info)
            }
        } else {
            tell("DID_FAIL_TO_RENEW", nil, 3, current, info)
        }
        guard chance(50) else { return }
        clock += day
        current = HistoryEntry.Transaction(
            id: nextId(), purchased: clock, expires: clock + 30 * day, token: current.token)
        info = HistoryEntry.Renewal(product: info.product)
        tell("DID_RENEW", "BILLING_RECOVERY", 1, current, info)
    }

    private mutating func refund(
        _ current: inout HistoryEntry.Transaction, _ info: HistoryEntry.Renewal, _ former: [HistoryEntry.Transaction]
    ) {
        clock += day
        if let old = former.randomElement(using: &random), chance(50) {
            var refunded = old
            refunded.revoked = clock
            tell("REFUND", nil, chance(50) ? 5 : 1, refunded, info)
            return
        }
        var refunded = current
        refunded.revoked = clock
        tell("REFUND", nil, 5, refunded, info)
        guard chance(40) else { return }
        clock += day
        tell("REFUND_REVERSED", nil, (current.expires ?? 0) > clock ? 1 : 2, current, info)
    }
}
