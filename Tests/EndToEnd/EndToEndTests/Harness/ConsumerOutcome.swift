import AppStoreModel
import Foundation
import HTTPClient
import Kafka
import Records
import TestSupport
import Testing

/// The results of a consumer group, observed from outside.
extension Broker {
    /// Returns the number of records in the notification topics that the `sluice-entitlements` group has not committed.
    func lag() async throws -> Int64 {
        try await withAdmin { admin in
            var lag: Int64 = 0
            for environment in AppStoreEnvironment.published {
                let ends = try await admin.watermarks(of: notifications(environment))
                let committed = try await admin.committedOffsets(
                    of: KafkaConsumerGroup(rawValue: Self.group), partitions: Array(ends.keys))
                for (partition, watermarks) in ends {
                    lag += watermarks.high.rawValue - (committed[partition] ?? watermarks.low).rawValue
                }
            }
            return lag
        }
    }

    static let group = "sluice-entitlements"

    /// Waits until the group has committed everything in the notification topics.
    func waitForNoLag(_ process: ChildProcess, within limit: Duration = .seconds(30)) async throws {
        var lag: Int64?
        let isDone = await eventually(within: limit) {
            lag = try? await self.lag()
            return lag == 0 || process.ended != nil
        }
        try #require(isDone && lag == 0, "lag \(lag.map { "\($0)" } ?? "unknown"); \(process)")
    }

    /// Returns the dead letters of the `sluice-entitlements` group.
    func deadLetters(_ environment: AppStoreEnvironment = .production) async throws -> [KafkaRecord] {
        try await records(of: deadLetterTopic(environment))
    }

    func deadLetterTopic(_ environment: AppStoreEnvironment = .production) -> KafkaTopic {
        topics.notifications(environment).deadLetters(of: Self.group)
    }

    /// Returns the last published facts of each key, unchanged, without tombstones.
    func facts(_ environment: AppStoreEnvironment = .production) async throws -> [String: String] {
        var facts: [String: String] = [:]
        try await read(entitlements(environment)) { records in
            for record in records {
                let key = String(decoding: record.key ?? [], as: UTF8.self)
                // The last member of the value, and the only one that does not depend on the time.
                facts[key] = record.value.flatMap { value in
                    let text = String(decoding: value, as: UTF8.self)
                    return text.range(of: #""facts":"#).map { String(text[$0.upperBound...].dropLast()) }
                }
            }
        }
        return facts
    }
}

extension Entitlements {
    /// Returns the read API's response about every purchase, by originalTransactionId. Equal facts give equal
    /// responses.
    ///
    /// - Parameter withHistory: whether to include each purchase's history, with one request each.
    func purchases(_ client: HTTPClient, withHistory: Bool = true) async throws -> [String: String] {
        var purchases: [String: String] = [:]
        var target: String? = "/v1/purchases?limit=1000"
        while let page = target {
            let page = try await object(page, client)
            for purchase in page.objects("purchases") {
                let id = try #require(purchase.text("originalTransactionId"))
                // A version ends with the time of the response.
                purchases[id] = purchase.keys.sorted().filter { $0 != "version" }.map { "\($0) \(purchase[$0] ?? "")" }
                    .joined(separator: ", ")
            }
            target = page.text("next").map {
                "/v1/purchases?limit=1000&after=\($0.replacingOccurrences(of: "/", with: "%2F"))"
            }
        }
        guard withHistory else { return purchases }
        for id in purchases.keys {
            let history = try await answer("/v1/history?originalTransactionId=\(id)", client)
            // Both change with every response.
            purchases[id, default: ""] +=
                " " + String(decoding: history, as: UTF8.self).replacing(/"asOf":[0-9]+,|"version":"[^"]*",/, with: "")
        }
        return purchases
    }

    private func object(_ target: String, _ client: HTTPClient) async throws -> JSON.Object {
        try #require(JSON.object(try await answer(target, client)))
    }

    /// Returns the body of a 200 response. If necessary, waits until the state is read.
    private func answer(_ target: String, _ client: HTTPClient) async throws -> [UInt8] {
        var answer = try await client.send(HTTPClientRequest(url: url + target))
        _ = try await eventually(within: .seconds(60)) {
            guard answer.status == 503 else { return true }
            answer = try await client.send(HTTPClientRequest(url: url + target))
            return answer.status != 503
        }
        try #require(
            answer.status == 200, "\(answer.status) \(String(decoding: answer.body, as: UTF8.self)); \(process)")
        return answer.body
    }
}
