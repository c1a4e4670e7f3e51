import AppStoreModel
import EntitlementRules
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Entitlements

/// Versions order the answers of several members, records of the topic and webhooks.
@Suite(.timeLimit(.minutes(5))) struct AnswerVersionTests {
    private func version(_ api: ReadAPIHarness, _ path: String, _ query: String) async throws -> String {
        let body = try await api.body(query, path: path)
        return try #require(body["purchases"]?.array?.first?.object?["version"]?.string)
    }

    @Test(arguments: [
        ("/v1/entitlements", "?originalTransactionId=1000"), ("/v1/history", "?originalTransactionId=1000"),
        ("/v1/purchases", ""),
    ])
    func `an answer with newer facts has a greater version, regardless of its time`(
        path: String, query: String
    ) async throws {
        let older = try await ReadAPIHarness(now: on(58))
        try older.merge(Array(lifeOfOne()[..<2]))
        let newer = try await ReadAPIHarness(now: on(57))
        try newer.merge(Array(lifeOfOne()[..<3]))
        #expect(try await version(older, path, query) < version(newer, path, query))
        await older.stop()
        await newer.stop()
    }

    @Test func `the version of an answer equals the version published at that time`() async throws {
        let api = try await ReadAPIHarness(now: on(45))
        try api.merge(Array(lifeOfOne()[..<3]))
        var purchase = try lifeOfOne()[0].facts()
        for draft in lifeOfOne()[1..<3] { purchase.merge(try draft.facts()) }
        let published = try #require(
            purchase.published(
                at: AppStoreInstant(clampingMillisecondsSince1970: on(45)), rules: ProductRules()
            ).value)
        let record = try JSONValue(json: published).object?["version"]?.string
        #expect(try await version(api, "/v1/entitlements", "?originalTransactionId=1000") == record)
        await api.stop()
    }

    @Test func `an ETag is equal across time and members while the answer is unchanged`() async throws {
        let query = "?originalTransactionId=1000"
        var tags: Set<String?> = []
        for now in [on(35), on(36)] {
            let api = try await ReadAPIHarness(now: now)
            try api.merge(Array(lifeOfOne()[..<2]))
            tags.insert(try await api.get(query).header("ETag"))
            await api.stop()
        }
        #expect(tags.count == 1 && !tags.contains(nil))
    }

    @Test func `newer facts change the ETag even if the answer is otherwise equal`() async throws {
        let api = try await ReadAPIHarness(now: on(35))
        try api.merge(Array(lifeOfOne()[..<2]))
        let query = "?originalTransactionId=1000"
        let tag = try #require(try await api.get(query).header("ETag"))
        #expect(try await api.get(query, ifNoneMatch: tag).status == 304)
        var again = lifeOfOne()[1]
        again.notification["signedDate"] = .integer(on(34))
        again.transaction?["signedDate"] = .integer(on(34))
        try api.merge([again])
        #expect(try await api.get(query, ifNoneMatch: tag).status == 200)
        await api.stop()
    }
}
