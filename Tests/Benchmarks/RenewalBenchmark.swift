internal import AppStoreModel
internal import EntitlementRules

/// Measures how the cost of a weekly renewal in entitlements depends on the age of the purchase. The cost includes
/// reading the row, merging the facts, writing the row, and encoding the published value.
struct RenewalBenchmark {
    let rounds: Int

    private static let ages = [2, 156]
    // The ages alternate every few milliseconds, so that other activity on the machine affects them equally.
    private static let turnsPerRound = 40
    private static let renewalsPerTurn = 100

    func run(into report: inout BenchReport) throws {
        report.section("renewal of a purchase: reading, merging, writing and publishing the row")
        let purchases = try Self.ages.map { try WeeklyPurchase(transactions: $0) }
        var costs: [[Double]] = Self.ages.map { _ in [] }
        for _ in 0..<rounds * Self.turnsPerRound {
            for (index, purchase) in purchases.enumerated() {
                let start = Clocks.threadCPU
                for _ in 0..<Self.renewalsPerTurn { _ = try purchase.renewed() }
                costs[index].append((Clocks.threadCPU - start) / 1000 / Double(Self.renewalsPerTurn))
            }
        }
        var bytes: [Double] = []
        for (index, age) in Self.ages.enumerated() {
            let value = try purchases[index].renewed()
            bytes.append(Double(value.count))
            report.add("renewal.transactions_\(age).cpu_us", Distribution(costs[index]).median, "us CPU")
            report.add(
                "renewal.transactions_\(age).bytes", bytes[index], "bytes published", digits: 0, bar: .atMost(8192))
        }
        let ratios = zip(costs[0], costs[1]).map { $1 / $0 }
        report.add("renewal.cpu_ratio", Distribution(ratios).median, "x, 156 to 2", digits: 2, bar: .atMost(1.5))
        report.add("renewal.bytes_ratio", bytes[1] / bytes[0], "x, 156 to 2", digits: 2, bar: .atMost(1.5))
    }
}

/// A subscription's stored row before its last renewal, and the notification of that renewal.
private struct WeeklyPurchase {
    private let row: [UInt8]
    private let renewal: PurchaseFacts
    private let moment: AppStoreInstant
    private let rules = ProductRules()

    private static let week: Int64 = 7 * 86_400_000
    private static let start: Int64 = 1_700_000_000_000

    init(transactions: Int) throws {
        var facts = try Self.period(0)
        for number in 1..<transactions - 1 { facts.merge(try Self.period(number)) }
        row = facts.jsonText
        renewal = try Self.period(transactions - 1)
        moment = AppStoreInstant(
            clampingMillisecondsSince1970: Self.start + Int64(transactions - 1) * Self.week + 1000)
    }

    /// Returns the value published after the renewal.
    func renewed() throws -> [UInt8] {
        var facts = try PurchaseFacts(json: row)
        guard facts.merge(renewal).isChanged else { throw BenchFailure("a renewal changed nothing") }
        guard let value = facts.published(at: moment, rules: rules, row: facts.jsonText).value else {
            throw BenchFailure("a renewal was not published")
        }
        return value
    }

    private static func period(_ number: Int) throws -> PurchaseFacts {
        let begins = start + Int64(number) * week
        let signed = begins - 3_600_000 + Int64(number * 7919 % 1_800_000)
        let transactionId = 2_000_000_900_000_000 + number * 9_001_337
        let uuid = "\(10_000_000 + number * 37)-1c2d-4e3f-8a4b-\(100_000_000_000 + number * 7_919_777)"
        let common = #""originalTransactionId":"2000000900000000","environment":"Production","signedDate":\#(signed)"#
        let account =
            #""appAccountToken":"7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f","appTransactionId":"704897469903783919""#
        let notification = #"""
            {"notificationType":"\#(number == 0 ? "SUBSCRIBED" : "DID_RENEW")","notificationUUID":"\#(uuid)",\#
            "version":"2.0","signedDate":\#(signed),"data":{"environment":"Production","status":1,\#
            "bundleId":"com.example.studio","appAppleId":1234567890,"bundleVersion":"42"}}
            """#
        let transaction = #"""
            {"transactionId":"\#(transactionId)",\#(common),"bundleId":"com.example.studio",\#
            "productId":"com.example.studio.pro.weekly","subscriptionGroupIdentifier":"21000001",\#
            "purchaseDate":\#(begins),"originalPurchaseDate":\#(start),"expiresDate":\#(begins + week),"quantity":1,\#
            "type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED",\#(account),\#
            "transactionReason":"\#(number == 0 ? "PURCHASE" : "RENEWAL")","storefront":"DEU","storefrontId":"143443",\#
            "price":4990,"currency":"EUR"}
            """#
        let renewalInfo = #"""
            {\#(common),"productId":"com.example.studio.pro.weekly","autoRenewStatus":1,\#
            "autoRenewProductId":"com.example.studio.pro.weekly","renewalDate":\#(begins + week),\#
            "renewalPrice":4990,"currency":"EUR","recentSubscriptionStartDate":\#(start),\#(account)}
            """#
        guard
            let facts = PurchaseFacts(
                notification: try NotificationPayload(json: Array(notification.utf8)),
                transaction: try TransactionPayload(json: Array(transaction.utf8)),
                renewalInfo: try RenewalInfoPayload(json: Array(renewalInfo.utf8)))
        else { throw BenchFailure("the period is empty") }
        return facts
    }
}
