import AppStoreModel
import EntitlementRules
import Foundation
import HTTPClient
import JSON
import Kafka
import Records
import SQLite
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Entitlements
@testable import KeyedState

@Suite(.timeLimit(.minutes(5))) struct ReadAPITests {
    private static let rules = ProductRules(products: [
        ProductId("com.example.monthly"): ProductRule(entitlements: ["pro"])
    ])

    @Test func `the answer has the documented members`() async throws {
        let api = try await ReadAPIHarness(now: on(45), rules: Self.rules)
        try api.merge(Array(lifeOfOne()[..<3]))
        let answer = try await api.get("?appAccountToken=\(account.uppercased())")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/json")
        #expect(answer.header("Cache-Control") == "no-cache")
        #expect(
            String(decoding: answer.body, as: UTF8.self) == #"""
                {"environment":"Production","appAccountToken":"7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f",\#
                "known":true,"asOf":1771113600000,"active":["pro"],"grants":[{"entitlement":"pro","isEntitled":true,\#
                "state":"ACTIVE","environment":"Production","bundleId":"com.example",\#
                "productId":"com.example.monthly","originalTransactionId":"1000",\#
                "transactionId":"10002","inAppOwnershipType":"PURCHASED","purchaseDate":1769817600000,\#
                "expiresDate":1772409600000,"until":1772409600000,"willRenew":false,\#
                "autoRenewProductId":"com.example.monthly","seats":1}],"nextChange":1772409600000,\#
                "trust":"signed","purchases":[{"environment":"Production",\#
                "bundleId":"com.example","originalTransactionId":"1000",\#
                "appAccountToken":"7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f",\#
                "version":"001770681600000-001771113600000"}]}
                """#)
        await api.stop()
    }

    @Test func `a purchase without an account is found only by its own id`() async throws {
        let api = try await ReadAPIHarness(now: on(1))
        try api.merge([lifeOfOne(token: nil)[0]])
        #expect(try await api.body("?appAccountToken=\(account)")["known"] == false)
        let body = try await api.body("?originalTransactionId=1000")
        #expect(body["originalTransactionId"]?.string == "1000")
        #expect(body["active"]?.array == ["com.example.monthly"])
        await api.stop()
    }

    /// A customer without any purchase owns nothing, which is not an error.
    @Test func `the answer for an unknown subject is empty, in the requested environment and app`()
        async throws
    {
        let api = try await ReadAPIHarness(now: on(1))
        try api.merge([lifeOfOne()[0]])
        let unknown = try await api.get("?originalTransactionId=2")
        #expect(unknown.status == 200)
        #expect(unknown.header("ETag") != nil)
        #expect(
            String(decoding: unknown.body, as: UTF8.self) == #"""
                {"environment":"Production","originalTransactionId":"2","known":false,"asOf":1767312000000,\#
                "active":[],"grants":[],"trust":"signed","purchases":[]}
                """#)
        let isKnown = [
            "": true, "&environment=Sandbox": false, "&environment=all": true, "&bundleId=com.other": false,
            "&bundleId=com.example": true,
        ]
        for (further, isKnown) in isKnown {
            for path in ["/v1/entitlements", "/v1/history"] {
                let body = try await api.body("?originalTransactionId=1000\(further)", path: path)
                #expect(body["known"]?.bool == isKnown, "\(path)\(further)")
                #expect(body["purchases"]?.array?.isEmpty == !isKnown, "\(path)\(further)")
            }
        }
        #expect(try await api.get("?originalTransactionId=1000", path: "/v1/entitlements/").status == 404)
        #expect(try await api.get("", path: "/").status == 404)
        await api.stop()
    }

    @Test func `a withdrawn consent is reported for every subject of the customer, and is not a purchase`() async throws
    {
        let api = try await ReadAPIHarness(now: on(3))
        var bought = lifeOfOne()[0]
        bought.transaction?["appTransactionId"] = "704000000000000001"
        try api.merge([bought])
        let value = #"""
            {"notification":{"notificationType":"RESCIND_CONSENT","notificationUUID":"u","signedDate":\#(on(2)),
            "appData":{"environment":"Production","bundleId":"com.example","signedAppTransactionInfo":""}},
            "appTransaction":{"appTransactionId":"704000000000000001","bundleId":"com.example"}}
            """#
        let record = KafkaRecord(
            topic: "appstore.notifications.production", partition: 0, offset: 0, key: [], value: Array(value.utf8),
            headers: [KafkaHeader(key: "ce_trust", text: "signed")])
        guard case .state(let consent) = FactsReading.read(record, environment: .production) else {
            Issue.record("no facts")
            return
        }
        try api.rows.merge([consent])
        for (subject, purchases) in [
            ("appAccountToken=\(account)", 1), ("originalTransactionId=1000", 1),
            ("appTransactionId=704000000000000001", 1),
        ] {
            for path in ["/v1/entitlements", "/v1/history"] {
                let body = try await api.body("?\(subject)", path: path)
                #expect(body["known"] == true && body["purchases"]?.array?.count == purchases, "\(path) \(subject)")
                let consents = body["consents"]?.array?.compactMap(\.object) ?? []
                #expect(consents.map { $0["appTransactionId"] } == ["704000000000000001"], "\(path) \(subject)")
                #expect(consents.first?["rescindedAt"]?.integer == on(2))
            }
        }
        #expect(try await api.body("?appAccountToken=\(account)&at=\(on(1))")["consents"] == nil)
        let listed = try await api.body("", path: "/v1/purchases")["purchases"]?.array?.compactMap(\.object) ?? []
        #expect(listed.map { $0["originalTransactionId"] } == ["1000"])
        await api.stop()
    }

    @Test func `an invalid request returns 400 with the parameter's name`() async throws {
        let api = try await ReadAPIHarness(now: on(1))
        for (query, message) in EntitlementsQueryTests.refused {
            let answer = try await api.get(query.map { "?\($0)" } ?? "")
            #expect(answer.status == 400)
            let body = try JSONValue(json: answer.body).object
            #expect(body?["error"]?.string == "bad_request")
            #expect(body?["message"]?.string?.contains(message) == true)
        }
        let post = try await api.get("?originalTransactionId=1000", method: "POST")
        #expect(post.status == 405)
        #expect(post.header("Allow") == "GET, HEAD")
        await api.stop()
    }

    @Test func `HEAD is GET without the body`() async throws {
        let api = try await ReadAPIHarness(now: on(1))
        try api.merge([lifeOfOne()[0]])
        let get = try await api.get("?originalTransactionId=1000")
        let head = try await api.get("?originalTransactionId=1000", method: "HEAD")
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(head.header("Content-Length") == String(get.body.count))
        #expect(head.header("ETag") == get.header("ETag"))
        await api.stop()
    }

    @Test func `an unchanged answer returns 304`() async throws {
        let api = try await ReadAPIHarness(now: on(1))
        try api.merge([lifeOfOne()[0]])
        let query = "?originalTransactionId=1000"
        let first = try await api.get(query)
        let tag = try #require(first.header("ETag"))
        #expect(tag.hasPrefix("W/\""))
        for field in [tag, String(tag.dropFirst(2)), "\"x\", \(tag)", "*", " \(tag) ,\"y\""] {
            let again = try await api.get(query, ifNoneMatch: field)
            #expect(again.status == 304, "\(field)")
            #expect(again.body.isEmpty)
            #expect(again.header("ETag") == tag)
        }
        for field in ["\"x\"", "", "W/", String(tag.dropLast(2)) + "\""] {
            #expect(try await api.get(query, ifNoneMatch: field).status == 200, "\(field)")
        }
        // The passage of time alone does not change the tag, but a different answer or new facts do.
        #expect(try await api.get("\(query)&at=\(on(2))", ifNoneMatch: tag).status == 304)
        #expect(try await api.get("\(query)&at=\(on(31))", ifNoneMatch: tag).status == 200)
        try api.merge([lifeOfOne()[1]])
        #expect(try await api.get(query, ifNoneMatch: tag).status == 200)
        await api.stop()
    }

    @Test func `a past time is evaluated from the events until then, a future one from the current facts`()
        async throws
    {
        let api = try await ReadAPIHarness(now: on(45))
        try api.merge(lifeOfOne())
        let expected = [
            (-1, ""), (1, "ACTIVE true 10001"), (29, "ACTIVE true 10001"), (31, "ACTIVE true 10002"),
            (59, "ACTIVE true 10002"), (61, "EXPIRED false 10002"),
        ]
        for (days, state) in expected {
            #expect(try await api.state("?originalTransactionId=1000&at=\(on(Double(days)))") == state, "day \(days)")
        }
        #expect(try await api.state("?originalTransactionId=1000") == "ACTIVE true 10002")
        #expect(
            try await api.state("?originalTransactionId=1000&at=2026-01-02T01:00:00+01:00") == "ACTIVE true 10001")
        for bound in [AppStoreInstant.earliest, .latest] {
            let answer = try await api.get("?originalTransactionId=1000&at=\(bound.millisecondsSince1970)")
            #expect(answer.status == 200)
        }
        await api.stop()
    }

    @Test func `an account has the union of its purchases`() async throws {
        let api = try await ReadAPIHarness(now: on(61))
        try api.merge(lifeOfOne(purchase: "1000"))
        try api.merge([
            Draft(
                "SUBSCRIBED", signed: on(50), purchase: "2000",
                transaction: period(
                    "20001", from: on(50), to: on(80), token: account, product: "com.example.yearly"))
        ])
        let body = try await api.body("?appAccountToken=\(account)")
        #expect(body["active"]?.array == ["com.example.yearly"])
        #expect(body["grants"]?.array?.count == 1)
        let inactive = try #require(body["inactive"]?.array?.first?.object)
        #expect(inactive["state"] == "EXPIRED" && inactive["until"] == nil)
        #expect(
            body["purchases"]?.array?.compactMap { $0.object?["originalTransactionId"]?.string } == ["1000", "2000"])
        await api.stop()
    }

    @Test func `an unreadable row returns 503, and is counted and logged without its contents`() async throws {
        let api = try await ReadAPIHarness(now: on(1))
        try api.merge([lifeOfOne(purchase: "1")[0], lifeOfOne(purchase: "2")[0]])
        api.rows.store.close()
        let database = try Database(path: api.directory.database)
        try database.executeScript("UPDATE rows SET state = x'00' WHERE key = CAST('com.example/2' AS BLOB)")
        database.close()
        let answer = try await api.get("?originalTransactionId=2")
        #expect(answer.status == 503)
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"error":"unavailable","message":"the database cannot be read at the moment"}"#)
        #expect(try await api.get("?originalTransactionId=1").status == 200)
        func metrics() -> String { String(decoding: api.registry.prometheusText(), as: UTF8.self) }
        #expect(metrics().contains("sluice_entitlements_read_failures_total 1"))
        // The response is counted after it was sent.
        #expect(await eventually { metrics().contains("sluice_entitlements_reads_total 2") })
        let lines = api.log.lines.filter { $0.contains("cannot be read") }
        #expect(lines.count == 1)
        #expect(!api.log.lines.contains { $0.contains(account) })
        await api.stop()
    }

    @Test func `a request for more purchases than an answer may contain is rejected, not truncated`() async throws {
        let api = try await ReadAPIHarness(now: on(1), maximumPurchases: 3)
        let facts = try lifeOfOne()[0].facts()
        try api.rows.merge((0..<3).map { try facts.renamed("c\($0)") })
        #expect(try await api.body("?appAccountToken=\(account)")["purchases"]?.array?.count == 3)
        try api.rows.merge([facts.renamed("c3")])
        let answer = try await api.get("?appAccountToken=\(account)")
        #expect(answer.status == 422)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("too_many_purchases"))
        #expect(try await api.get("?originalTransactionId=c2").status == 200)
        await api.stop()
    }

    @Test func `an app transaction finds everything of its customer`() async throws {
        let api = try await ReadAPIHarness(now: on(1))
        var draft = lifeOfOne(purchase: "1", token: nil)[0]
        draft.transaction?["appTransactionId"] = "704"
        try api.merge([draft, lifeOfOne(purchase: "2")[0]])
        let body = try await api.body("?appTransactionId=704")
        #expect(body["appTransactionId"] == "704")
        #expect(body["purchases"]?.array?.count == 1)
        #expect(try await api.body("?appTransactionId=705")["known"] == false)
        await api.stop()
    }

    @Test func `requests are rejected while the state is incomplete`() async throws {
        let api = try await ReadAPIHarness(now: on(1))
        try api.merge([lifeOfOne()[0]])
        api.obstacle.text.withLock { $0 = "the state has not been read yet" }
        for path in ["/v1/entitlements", "/v1/history"] {
            let answer = try await api.get("?originalTransactionId=1000", path: path)
            #expect(answer.status == 503)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("the state has not been read yet"))
        }
        api.obstacle.text.withLock { $0 = nil }
        #expect(try await api.get("?originalTransactionId=1000").status == 200)
        await api.stop()
    }

    @Test func `a history names the notification that caused each change`() async throws {
        let api = try await ReadAPIHarness(now: on(61))
        try api.merge(lifeOfOne().reversed())
        let answer = try await api.get("?originalTransactionId=1000", path: "/v1/history")
        #expect(answer.status == 200)
        #expect(
            String(decoding: answer.body, as: UTF8.self) == #"""
                {"environment":"Production","originalTransactionId":"1000","known":true,"asOf":1772496000000,\#
                "purchases":[{"environment":"Production","bundleId":"com.example","originalTransactionId":"1000",\#
                "appAccountToken":"7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f",\#
                "version":"001772409686400-001772496000000",\#
                "transitions":[{"to":"ACTIVE","at":1767225600000,"cause":{"notificationType":"SUBSCRIBED",\#
                "subtype":"INITIAL_BUY","transactionId":"10001","status":1,"signedDate":1767225600000,\#
                "notificationUUID":"SUBSCRIBED-1767225600000-1000"}},{"from":"ACTIVE","to":"EXPIRED",\#
                "at":1772409686400,"cause":{"notificationType":"EXPIRED","subtype":"VOLUNTARY",\#
                "transactionId":"10002","status":2,"signedDate":1772409686400,\#
                "notificationUUID":"EXPIRED-1772409686400-1000"}}],"events":[{"notificationType":"SUBSCRIBED",\#
                "subtype":"INITIAL_BUY","transactionId":"10001","status":1,"signedDate":1767225600000,\#
                "notificationUUID":"SUBSCRIBED-1767225600000-1000"},{"notificationType":"DID_RENEW",\#
                "transactionId":"10002","status":1,"signedDate":1769774400000,\#
                "notificationUUID":"DID_RENEW-1769774400000-1000"},{"notificationType":"DID_CHANGE_RENEWAL_STATUS",\#
                "subtype":"AUTO_RENEW_DISABLED","transactionId":"10002","status":1,"signedDate":1770681600000,\#
                "notificationUUID":"DID_CHANGE_RENEWAL_STATUS-1770681600000-1000"},{"notificationType":"EXPIRED",\#
                "subtype":"VOLUNTARY","transactionId":"10002","status":2,"signedDate":1772409686400,\#
                "notificationUUID":"EXPIRED-1772409686400-1000"}]}]}
                """#)
        let tag = try #require(answer.header("ETag"))
        let again = try await api.get("?originalTransactionId=1000", path: "/v1/history", ifNoneMatch: tag)
        #expect(again.status == 304)
        let unknown = try await api.get("?originalTransactionId=1000&at=1", path: "/v1/history")
        #expect(unknown.status == 400)
        #expect(try await api.body("?originalTransactionId=9", path: "/v1/history")["known"] == false)
        await api.stop()
    }

    @Test func `purchases are listed page by page, all or those without an account`() async throws {
        let api = try await ReadAPIHarness(now: on(1), rules: Self.rules)
        try api.merge((1...5).map { lifeOfOne(purchase: "\($0)", token: $0 % 2 == 0 ? account : nil)[0] })
        func page(_ query: String) async throws -> (ids: [String], next: String?) {
            let body = try await api.body(query, path: "/v1/purchases")
            let purchases = body["purchases"]?.array?.compactMap(\.object) ?? []
            return (purchases.compactMap { $0["originalTransactionId"]?.string }, body["next"]?.string)
        }
        #expect(try await page("") == (["1", "2", "3", "4", "5"], nil))
        #expect(try await page("?limit=2") == (["1", "2"], "com.example/2"))
        #expect(try await page("?limit=2&after=com.example/2") == (["3", "4"], "com.example/4"))
        #expect(try await page("?limit=2&after=com.example/4") == (["5"], nil))
        #expect(try await page("?unclaimed=true&limit=2") == (["1", "3"], "com.example/3"))
        #expect(try await page("?unclaimed=true&limit=2&after=com.example/3") == (["5"], nil))
        #expect(try await page("?environment=Sandbox") == ([], nil))
        for query in ["?limit=0", "?limit=1001", "?unclaimed=yes", "?at=1", "?environment=x"] {
            #expect(try await api.get(query, path: "/v1/purchases").status == 400, "\(query)")
        }
        #expect(
            String(decoding: try await api.get("?limit=1", path: "/v1/purchases").body, as: UTF8.self) == #"""
                {"environment":"Production","asOf":1767312000000,"purchases":[{"environment":"Production",\#
                "bundleId":"com.example","originalTransactionId":"1","version":"001767225600000-001767312000000",\#
                "productId":"com.example.monthly","state":"ACTIVE","active":["pro"],\#
                "latestSignedDate":1767225600000}],"next":"com.example/1"}
                """#)
        await api.stop()
    }

    @Test func `changes are refused unless they are allowed`() async throws {
        let api = try await ReadAPIHarness(now: on(1))
        let body = #"{"bundleId":"com.example","originalTransactionId":"1","appAccountToken":"\#(account)"}"#
        let claim = try await api.get("", path: "/v1/claims", method: "POST", body: body)
        #expect(claim.status == 403)
        #expect(String(decoding: claim.body, as: UTF8.self).contains("changes_are_off"))
        let get = try await api.get("", path: "/v1/claims")
        #expect(get.status == 405)
        #expect(get.header("Allow") == "POST")
        await api.stop()
    }

    // MARK: Several environments, transactions and subjects

    @Test func `one request covers all environments, and each row names its own`() async throws {
        let api = try await ReadAPIHarness(now: on(1), rules: Self.rules)
        try api.merge([lifeOfOne(purchase: "1")[0], lifeOfOne(purchase: "2", environment: .sandbox)[0]])
        let all = try await api.body("?appAccountToken=\(account)&environment=all")
        #expect(all["environment"] == "all")
        #expect(all["active"] == ["pro"])
        for list in ["grants", "purchases"] {
            let rows = all[list]?.array?.compactMap(\.object) ?? []
            #expect(rows.map { $0["environment"] } == ["Production", "Sandbox"], "\(list)")
        }
        let sandbox = try await api.body("?appAccountToken=\(account)&environment=Sandbox")
        #expect(sandbox["grants"]?.array?.count == 1)
        await api.stop()
    }

    @Test func `a purchase is found by the original and any other kept transaction`() async throws {
        let api = try await ReadAPIHarness(now: on(45))
        try api.merge(lifeOfOne(purchase: "1000"))
        try api.merge([lifeOfOne(purchase: "2000")[0]])
        for id in ["10001", "10002", "1000"] {
            let body = try await api.body("?transactionId=\(id)")
            #expect(body["transactionId"]?.string == id)
            let purchases = body["purchases"]?.array?.compactMap(\.object) ?? []
            #expect(purchases.map { $0["originalTransactionId"] } == ["1000"], "\(id)")
            #expect(try await api.body("?transactionId=\(id)", path: "/v1/history")["known"] == true)
        }
        #expect(try await api.body("?transactionId=10003")["known"] == false)
        await api.stop()
    }

    @Test func `dropped transactions are no longer found`() throws {
        let rows = try RowsHarness()
        let count = FactsBounds.periods + 10
        try rows.merge(
            (0..<count).map { index in
                let start = on(Double(index * 7))
                return try Draft(
                    "DID_RENEW", signed: start, transaction: period("\(5000 + index)", from: start, to: start + 7 * day)
                ).facts()
            })
        let state = try #require(try rows.store.states().first)
        let entries = rows.model.indexEntries(of: state).filter { $0.name == EntitlementsModel.Entry.transactionId }
        #expect(entries.map(\.value) == (10..<count).map { "\(5000 + $0)" })
    }

    @Test func `a batch has an answer for each subject, in their order`() async throws {
        let api = try await ReadAPIHarness(now: on(1), rules: Self.rules)
        try api.merge([lifeOfOne(purchase: "1")[0], lifeOfOne(purchase: "2", token: nil, environment: .sandbox)[0]])
        let batch = try await api.query(
            """
            {"environment":"all","subjects":[{"originalTransactionId":"9"},{"appAccountToken":"\(account)"},\
            {"transactionId":"21"}]}
            """)
        #expect(batch.status == 200)
        let answers = batch.body["answers"]?.array?.compactMap(\.object) ?? []
        #expect(answers.map { $0["known"] } == [false, true, true])
        #expect(answers.map { $0["active"] } == [[], ["pro"], ["pro"]])
        // The batch returns the same as separate queries.
        let alone = try await api.body("?transactionId=21&environment=all")
        #expect(answers.last == alone)
        let past = try await api.query(
            #"{"subjects":[{"originalTransactionId":"1"}],"at":"2025-01-01T00:00:00Z","bundleId":"com.example"}"#)
        let answer = try #require(past.body["answers"]?.array?.first?.object)
        #expect(answer["known"] == true && answer["active"] == [])
        await api.stop()
    }

    @Test(arguments: [
        ("", "expected a JSON object"), ("[]", "expected a JSON object"), ("{}", "subjects: expected 1 to 100"),
        (#"{"subjects":[]}"#, "subjects: expected 1 to 100"),
        (#"{"subjects":[1]}"#, "subjects[0]: expected an object"),
        (#"{"subjects":[{"transactionId":"1"},{}]}"#, "subjects[1]: specify one of"),
        (#"{"subjects":[{"transactionId":1}]}"#, "subjects[0]: transactionId: expected a string"),
        (#"{"subjects":[{"appAccountToken":"x"}]}"#, "subjects[0]: appAccountToken: expected a UUID"),
        (#"{"subjects":[{"id":"1"}]}"#, "subjects[0]: id: unknown member"),
        (#"{"subjects":[{"transactionId":"1"}],"at":"x"}"#, "at: expected RFC 3339"),
        (#"{"subjects":[{"transactionId":"1"}],"at":1e99}"#, "at: expected RFC 3339"),
        (#"{"subjects":[{"transactionId":"1"}],"environment":"x"}"#, "environment: expected"),
        (#"{"subjects":[{"transactionId":"1"}],"x":1}"#, "x: unknown member"),
    ])
    func `an invalid batch returns 400 with the subject and the member`(body: String, message: String) async throws {
        let api = try await ReadAPIHarness(now: on(1))
        let answer = try await api.query(body)
        #expect(answer.status == 400)
        #expect(answer.body["message"]?.string?.hasPrefix(message) == true, "\(answer.body)")
        await api.stop()
    }

    @Test func `a batch has at most 100 subjects, and in total the purchases of one answer`()
        async throws
    {
        let api = try await ReadAPIHarness(now: on(1), maximumPurchases: 3)
        func subjects(_ ids: some Sequence<Int>) -> String {
            #"{"subjects":[\#(ids.map { #"{"originalTransactionId":"\#($0)"}"# }.joined(separator: ","))]}"#
        }
        try api.merge((1...4).map { lifeOfOne(purchase: "\($0)")[0] })
        #expect(try await api.query(subjects(1...100)).status == 422)
        #expect(try await api.query(subjects(2...101)).status == 200)
        #expect(try await api.query(subjects(2...102)).status == 400)
        await api.stop()
    }

    // MARK: Keys

    @Test func `without a valid key only the OpenAPI document is served`() async throws {
        let (reader, writer) = (String(repeating: "r", count: 24), String(repeating: "w", count: 24))
        let api = try await ReadAPIHarness(now: on(1), keys: "app read \(reader)\nsupport full \(writer)\n")
        try api.merge([lifeOfOne()[0]])
        let query = "?originalTransactionId=1000"
        for key in [nil, "", String(repeating: "x", count: 24)] {
            for path in ["/v1/entitlements", "/v1/history", "/v1/purchases"] {
                let refused = try await api.get(query, path: path, key: key)
                #expect(refused.status == 401)
                #expect(refused.header("WWW-Authenticate")?.hasPrefix("Bearer ") == true)
                #expect(refused.body.isEmpty)
            }
            #expect(try await api.get("", path: "/v1/claims", method: "POST", body: "{}", key: key).status == 401)
        }
        #expect(try await api.get("", path: "/v1/openapi.json").status == 200)
        for key in [reader, writer] {
            #expect(try await api.get(query, key: key).status == 200)
            #expect(try await api.query(#"{"subjects":[{"originalTransactionId":"1000"}]}"#, key: key).status == 200)
        }
        for path in ["/v1/claims", "/v1/erasures", "/v1/transactions"] {
            let refused = try await api.get("", path: path, method: "POST", body: "{}", key: reader)
            #expect(refused.status == 403)
            #expect(String(decoding: refused.body, as: UTF8.self).contains("read_only_key"))
            #expect(try await api.get("", path: path, method: "POST", body: "{}", key: writer).status == 400)
        }
        await api.stop()
    }

    @Test func `the OpenAPI document is served with an ETag and contains every path`() async throws {
        let api = try await ReadAPIHarness(now: on(1))
        let document = try await api.get("", path: "/v1/openapi.json")
        #expect(document.status == 200)
        let paths = try JSONValue(json: document.body).object?["paths"]?.object
        #expect(Set(paths?.names ?? []) == Set(Route.allCases.map(\.rawValue)))
        let again = try await api.get("", path: "/v1/openapi.json", ifNoneMatch: document.header("ETag"))
        #expect(again.status == 304)
        await api.stop()
    }

    @Test func `every reference of the OpenAPI document resolves, and every component is used`() throws {
        let document = try OpenAPIValidator().document
        let references = Set(Self.references(in: document))
        var components: Set<String> = []
        for group in document.object?["components"]?.object?.members ?? [] where group.name != "securitySchemes" {
            for name in group.value.object?.names ?? [] {
                components.insert("#/components/\(group.name)/\(name)")
            }
        }
        #expect(components.count > 40)
        #expect(references == components)
    }

    private static func references(in value: JSONValue) -> [String] {
        let own = value.object?["$ref"]?.string.map { [$0] } ?? []
        let members = value.object?.members.map(\.value) ?? value.array ?? []
        return own + members.flatMap { references(in: $0) }
    }
}
