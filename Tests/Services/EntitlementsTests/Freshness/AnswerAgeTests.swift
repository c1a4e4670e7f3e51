import AppStoreModel
import EntitlementRules
import HTTPClient
import JSON
import Kafka
import KeyedState
import Records
import TestSupport
import Testing

@testable import Entitlements

/// The age of answers, and the treatment of stale answers.
@Suite(.timeLimit(.minutes(5))) struct AnswerAgeTests {
    private static let paths = [
        ("/v1/entitlements", "?originalTransactionId=1000"), ("/v1/history", "?originalTransactionId=1000"),
        ("/v1/purchases", ""),
    ]

    @Test(arguments: paths)
    func `every answer contains the time up to which the input was read`(path: String, query: String) async throws {
        let api = try await ReadAPIHarness(now: on(1), readUntil: on(1) - 60_000)
        try api.merge([lifeOfOne()[0]])
        let body = try await api.body(query, path: path)
        #expect(body["asOf"]?.integer == on(1) - 60_000)
        #expect(body["stale"] == nil)
        await api.stop()
    }

    @Test(arguments: paths)
    func `an answer is stale if the input was not read for longer than the limit`(
        path: String, query: String
    ) async throws {
        let api = try await ReadAPIHarness(now: on(1), readUntil: on(1) - 300_001)
        try api.merge([lifeOfOne()[0]])
        let body = try await api.body(query, path: path)
        #expect(body["asOf"]?.integer == on(1) - 300_001)
        #expect(body["stale"] == true)
        let batch = try await api.query(#"{"subjects":[{"originalTransactionId":"1000"}]}"#)
        #expect(batch.body["answers"]?.array?.first?.object?["stale"] == true)
        await api.stop()
    }

    @Test func `stale answers are replaced by 503 if configured`() async throws {
        let api = try await ReadAPIHarness(now: on(1), readUntil: on(1) - 300_001, staleAnswers: .refuse)
        for (path, query) in Self.paths {
            let answer = try await api.get(query, path: path)
            #expect(answer.status == 503)
            #expect(try JSONValue(json: answer.body).object?["error"] == "stale")
        }
        #expect(try await api.get("", path: "/v1/openapi.json").status == 200)
        await api.stop()
        let fresh = try await ReadAPIHarness(now: on(1), readUntil: on(1) - 300_000, staleAnswers: .refuse)
        #expect(try await fresh.get("?originalTransactionId=1000").status == 200)
        await fresh.stop()
    }

    @Test(arguments: paths.prefix(2))
    func `an ETag survives progress of the input, but not a change of staleness`(
        path: String, query: String
    ) async throws {
        let api = try await ReadAPIHarness(now: on(1), readUntil: on(1) - 300_001)
        try api.merge([lifeOfOne()[0]])
        let stale = try #require(try await api.get(query, path: path).header("ETag"))
        api.input.read(.production, until: on(1) - 100_000)
        let fresh = try await api.get(query, path: path, ifNoneMatch: stale)
        #expect(fresh.status == 200)
        api.input.read(.production, until: on(1) - 50_000)
        #expect(try await api.get(query, path: path, ifNoneMatch: fresh.header("ETag")).status == 304)
        await api.stop()
    }

    @Test func `no subscription expires for lack of a renewal while the input lags, and the input decides afterwards`()
        async throws
    {
        let end = on(30)
        let api = try await ReadAPIHarness(now: end + 5 * 3_600_000, readUntil: end - 3_600_000)
        try api.merge([lifeOfOne()[0]])
        let late = try await api.body("?originalTransactionId=1000")
        #expect(late["active"]?.array?.count == 1)
        #expect(late.allGrants.first?["state"] == "RENEWING")
        #expect(late.allGrants.first?["unknown"] == true)
        #expect(late["stale"] == true)
        api.input.read(.production, until: end + 5 * 3_600_000)
        let read = try await api.body("?originalTransactionId=1000")
        #expect(read["active"]?.array == [])
        #expect(read.allGrants.first?["state"] == "EXPIRED")
        #expect(read["stale"] == nil)
        await api.stop()
    }

    // MARK: Publications

    private func states(_ rows: RowsHarness) throws -> [String] {
        try rows.store.log.compactMap { record in
            let grant = try JSONValue(json: #require(record.value)).object?.allGrants.first
            return "\(grant?["state"]?.string ?? "")\(grant?["unknown"] == true ? " unknown" : "")"
        }
    }

    @Test func `no EXPIRED is published until the input is read`() throws {
        let hour: Int64 = 3_600_000
        let input = InputFreshness(topics: TopicNames(), limit: 300_000)
        let rows = try RowsHarness(input: input)
        input.read(.production, until: on(29))
        try rows.merge([lifeOfOne()[0].facts()], at: on(29))
        for hours in 0...20 { try rows.store.publishPending(at: on(30) + Int64(hours) * hour) }
        #expect(Set(try states(rows)) == ["ACTIVE", "RENEWING", "RENEWING unknown"])
        input.read(.production, until: on(30) + 20 * hour)
        try rows.store.publishPending(at: on(30) + 20 * hour + 600_000)
        #expect(try states(rows).last == "EXPIRED")
        let published = try states(rows).count
        for hours in 21...30 { try rows.store.publishPending(at: on(30) + Int64(hours) * hour) }
        #expect(try states(rows).count == published)
    }

    @Test func `rows published before the first check of the input are republished within seconds`() throws {
        let input = InputFreshness(topics: TopicNames(), limit: 300_000)
        let rows = try RowsHarness(input: input)
        try rows.merge([lifeOfOne()[0].facts()], at: on(30) + 4 * 3_600_000)
        #expect(try states(rows) == ["RENEWING unknown"])
        input.read(.production, until: on(30) + 4 * 3_600_000)
        try rows.store.publishPending(at: on(30) + 4 * 3_600_000 + 5_000)
        #expect(try states(rows) == ["RENEWING unknown", "EXPIRED"])
    }

    @Test func `a lagging sandbox does not affect production`() async throws {
        let api = try await ReadAPIHarness(now: on(1), staleAnswers: .refuse)
        let sandboxed = InputFreshness(topics: TopicNames(), limit: 300_000)
        sandboxed.read(.production, until: on(1))
        #expect(sandboxed.obstacle(at: AppStoreInstant(clampingMillisecondsSince1970: on(1))) == nil)
        #expect(try await api.get("?originalTransactionId=1").status == 200)
        await api.stop()
        let behind = try await ReadAPIHarness(now: on(1), readUntil: on(0), staleAnswers: .refuse)
        behind.input.read(.production, until: on(1))
        #expect(try await behind.get("?originalTransactionId=1").status == 200)
        #expect(try await behind.get("?originalTransactionId=1&environment=Sandbox").status == 503)
        #expect(try await behind.get("?originalTransactionId=1&environment=all").status == 503)
        await behind.stop()
    }

    @Test func `an answer about both environments has the age of the lagging one`() throws {
        let now = AppStoreInstant(clampingMillisecondsSince1970: on(2))
        for behind in AppStoreEnvironment.published {
            let input = InputFreshness(topics: TopicNames(), limit: 300_000)
            for environment in AppStoreEnvironment.published {
                input.read(environment, until: environment == behind ? on(1) : on(2))
            }
            let age = input.age(of: AppStoreEnvironment.published, at: now)
            #expect(age?.asOf.millisecondsSince1970 == on(1) && age?.isStale == true)
        }
    }

    @Test func `input that remains unread for a day no longer extends access`() throws {
        let input = InputFreshness(topics: TopicNames(), limit: 300_000)
        let rows = try RowsHarness(input: input)
        input.read(.production, until: on(29))
        try rows.merge([lifeOfOne()[0].facts()], at: on(29))
        for hours in 0...24 { try rows.store.publishPending(at: on(30) + Int64(hours) * 3_600_000) }
        #expect(try states(rows).last == "EXPIRED")
    }

    @Test func `another member reevaluates rows that were published with unread input`() throws {
        let model = EntitlementsModel(rules: ProductRules(), topics: TopicNames())
        let facts = try lifeOfOne()[0].facts()
        #expect(model.nextChange(of: facts, after: on(30) + 4 * 3_600_000) == on(31))
        #expect(model.nextChange(of: facts, after: on(31)) == nil)
        #expect(model.nextChange(of: facts, after: on(30)) == on(30) + 3 * 3_600_000)
    }
}
