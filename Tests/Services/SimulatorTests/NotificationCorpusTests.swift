import AppStoreModel
import Foundation
import Testing

@testable import Simulator

@Suite struct `Notification corpora` {
    func corpus(_ count: Int, scenarios: [Scenario] = Scenario.all, seed: UInt64 = 3) throws -> NotificationCorpus {
        try NotificationCorpus(
            count: count, seed: seed, pki: try testPKI.get(), app: productionApp, scenarios: scenarios,
            endingAt: scenarioEnd)
    }

    /// Returns the JSON inside a JWS.
    func payload(_ jws: String) throws -> [String: Any] {
        let segments = jws.split(separator: ".", omittingEmptySubsequences: false)
        #expect(segments.count == 3)
        var text = segments[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        let data = try #require(Data(base64Encoded: text))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test func `bodies contain the facts listed with them`() throws {
        let corpus = try corpus(60)
        #expect(corpus.notifications.count == 60)
        for notification in corpus.notifications {
            let body = try #require(
                try JSONSerialization.jsonObject(with: Data(notification.body)) as? [String: String])
            let outer = try payload(try #require(body["signedPayload"]))
            #expect(outer["notificationUUID"] as? String == notification.notificationUUID.rawValue)
            #expect(outer["notificationType"] as? String == notification.notificationType.rawValue)
            #expect(outer["subtype"] as? String == notification.subtype?.rawValue)
            let data = outer["data"] as? [String: Any]
            guard let nested = data?["signedTransactionInfo"] as? String else {
                #expect(notification.originalTransactionId == nil)
                continue
            }
            let transaction = try payload(nested)
            let originalTransactionId = try #require(transaction["originalTransactionId"] as? String)
            #expect(originalTransactionId == notification.originalTransactionId?.rawValue)
            #expect(transaction["transactionId"] as? String == notification.transactionId?.rawValue)
            #expect(notification.key == "com.example.app/\(originalTransactionId)")
        }
    }

    @Test func `subscription bodies are as large as Apple's`() throws {
        let sizes = try corpus(20, scenarios: Scenario.subscriptions).notifications.map(\.body.count)
        #expect(sizes.allSatisfy { (17_000...22_000).contains($0) }, "\(sizes)")
    }

    @Test func `the same seed yields the same notifications`() throws {
        let first = try corpus(50).notifications.map(\.notificationUUID)
        #expect(try corpus(50).notifications.map(\.notificationUUID) == first)
        #expect(try corpus(50, seed: 4).notifications.map(\.notificationUUID) != first)
        #expect(Set(first).count == 50)
    }
}
