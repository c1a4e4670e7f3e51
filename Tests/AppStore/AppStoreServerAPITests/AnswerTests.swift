import AppStoreModel
import Foundation
import HTTPServer
import TestSupport
import Testing

@testable import AppStoreServerAPI

/// Handling of responses: refusals, undocumented formats, and missing responses.
@Suite(.timeLimit(.minutes(5)))
struct AnswerTests {
    // MARK: Rate limits and server errors

    @Test(
        arguments: [
            ("1800000060000", 60_000), ("1800000060", 60_000), ("60", 60_000),
            ("Fri, 15 Jan 2027 08:01:00 GMT", 60_000), ("32503680000000", 3_600_000), (nil, nil),
        ] as [(String?, Int64?)])
    func `a 429 response specifies when to retry, and nothing is sent before`(
        text: String?, wait: Int64?
    ) async throws {
        let store = try FakeAppStore(
            status: 429, headers: text.map { [(name: "Retry-After", value: $0)] } ?? [],
            #"{"errorCode":4290000,"errorMessage":"Rate limit exceeded."}"#)
        let harness = try APIHarness(store, longestWait: .zero)
        let failure = try await harness.failure()
        #expect(failure.kind == .rateLimited && failure.isRetriable && failure.code == .rateLimitExceeded)
        #expect(failure.retryAt == wait.map { VirtualTime.start + $0 })
        let closed = try await harness.failure()
        #expect(closed.status == nil && closed.kind == .rateLimited)
        // Without a retry time, the budget uses its own backoff.
        #expect(closed.retryAt == VirtualTime.start + (wait ?? 1000))
        #expect(store.asked.count == 1)
        #expect(
            harness.reported.contains(
                .rateLimited(
                    .getTransactionInfo, APIHarness.production, until: VirtualTime.start + (wait ?? 1000))))
    }

    // An overloaded load balancer announces when to retry. The budget reacts only to 429, so it remains open.
    @Test(
        arguments: [(500, "60", 60_000), (503, "1800000060000", 60_000), (503, nil, nil)] as [(Int, String?, Int64?)])
    func `a 5xx response specifies when to retry and does not close a budget`(
        status: Int, text: String?, wait: Int64?
    ) async throws {
        let store = try FakeAppStore(
            status: status, headers: text.map { [(name: "Retry-After", value: $0)] } ?? [], "")
        let harness = try APIHarness(store)
        let failure = try await harness.failure()
        #expect(failure.kind == .server && failure.isRetriable)
        #expect(failure.retryAt == wait.map { VirtualTime.start + $0 })
        #expect(ServiceHealth(ofConsumption: failure) == .fails(retryAt: failure.retryAt))
        _ = try await harness.failure()
        #expect(store.asked.count == 2)
    }

    // MARK: Events

    @Test(
        arguments: [(200, nil), (401, .unauthorized), (404, .refused), (429, .rateLimited), (503, .server)]
            as [(Int, APIError.Kind?)])
    func `each response is reported with its endpoint, status and kind of failure`(
        status: Int, failure: APIError.Kind?
    ) async throws {
        let harness = try APIHarness(try FakeAppStore(status: status, "{}"))
        _ = try? await harness.client.send(APIRequest(.finishTransaction, "1"), to: APIHarness.production)
        let answer = APIEvent.answered(
            .finishTransaction, APIHarness.production, status: status, failure: failure, milliseconds: 0)
        // After a 401, there is one attempt with a new token.
        #expect(harness.reported.filter { $0 == answer }.count == (status == 401 ? 2 : 1))
    }

    @Test func `a request without a response is reported with the reason instead of a status`() async throws {
        let url: String
        do { url = try FakeAppStore().url }
        let harness = try APIHarness(url: url)
        _ = try await harness.failure()
        #expect(
            harness.reported.contains(
                .answered(
                    .getTransactionInfo, APIHarness.production, status: nil, failure: .noAnswer, milliseconds: 0)))
    }

    // MARK: Malformed errors

    @Test(
        arguments: [
            (500, "<html><body>Bad gateway</body></html>", nil), (502, "", nil), (400, "", nil),
            (400, #"{"errorCode":4009999,"errorMessage":"new"}"#, 4_009_999),
            (404, #"{"errorCode":"4040010","errorMessage":"text"}"#, 4_040_010),
            (404, #"{"errorCode":"x","errorMessage":1}"#, nil), (400, "[1]", nil), (400, "{", nil),
            (403, "Forbidden by the proxy", nil), (408, "", nil), (400, #"{"errorCode":1e400}"#, nil),
            (400, #"{"errorCode":null,"errorMessage":null}"#, nil),
            (418, #"{"errorCode":4000006}"#, 4_000_006),
        ] as [(Int, String, Int64?)])
    func `a malformed error is a failure with its status`(status: Int, body: String, code: Int64?) async throws {
        let harness = try APIHarness(try FakeAppStore(status: status, body))
        let failure = try await harness.failure()
        #expect(failure.status == status)
        #expect(failure.code?.rawValue == code)
        #expect(failure.kind == (status >= 500 ? .server : .refused))
        // A 4xx without Apple's code comes from a proxy, except for 400, which means a malformed body.
        #expect(failure.isRetriable == (status >= 500 || code == nil && status != 400))
        #expect(failure.message.contains(String(status)))
    }

    @Test func `the text of an error is truncated and has no control characters`() async throws {
        let text = "evil\u{1B}[31m\u{202E}\r\n" + String(repeating: "é", count: 100_000)
        let harness = try APIHarness(try FakeAppStore(status: 500, text))
        let failure = try await harness.failure()
        #expect(failure.message.utf8.count <= 512)
        #expect(failure.message.contains("evil"))
        #expect(failure.message.hasSuffix("…"))
        #expect(failure.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    }

    @Test(
        arguments: [
            (4_040_002, true), (4_040_004, true), (4_040_006, true), (4_040_001, false), (4_040_010, false),
        ] as [(Int64, Bool)])
    func `a 404 response is retriable only with the codes that Apple calls retryable`(
        code: Int64, isRetriable: Bool
    ) async throws {
        let harness = try APIHarness(
            try FakeAppStore(status: 404, #"{"errorCode":\#(code),"errorMessage":"x"}"#))
        let failure = try await harness.failure()
        #expect(failure.isRetriable == isRetriable)
        #expect(failure.fix == APIErrorCode(code).fix)
    }

    // MARK: Size, time, redirects

    @Test func `a response over 16 MiB aborts the request`() async throws {
        let body = [UInt8](repeating: UInt8(ascii: " "), count: 16 * 1024 * 1024 + 1)
        let store = try FakeAppStore { _, _ in HTTPResponse(status: 200, reason: "test", body: body) }
        let failure = try await APIHarness(store).failure()
        #expect(failure.kind == .unreadable && !failure.isRetriable)
    }

    @Test func `a timeout is a retriable failure`() async throws {
        let store = try FakeAppStore { _, _ in nil }
        let failure = try await APIHarness(store, timeout: .milliseconds(200)).failure()
        #expect(failure.kind == .noAnswer && failure.isRetriable && failure.status == nil)
    }

    @Test func `a connection failure is retriable`() async throws {
        let url: String
        do { url = try FakeAppStore().url }
        let failure = try await APIHarness(url: url).failure()
        #expect(failure.kind == .noAnswer && failure.isRetriable && failure.status == nil)
    }

    @Test(arguments: [301, 302, 307, 308])
    func `a redirect is not followed, so the token is not sent elsewhere`(status: Int) async throws {
        let trap = try FakeAppStore()
        let store = try FakeAppStore(status: status, headers: [(name: "Location", value: trap.url + "/x")])
        let failure = try await APIHarness(store).failure()
        #expect(failure.status == status && failure.kind == .unreadable)
        #expect(trap.asked.isEmpty)
    }

    // MARK: Malformed successes

    @Test(
        arguments: [
            "", "[]", "x", "{}", #"{"signedTransactionInfo":1}"#, #"{"signedTransactionInfo":null}"#,
            #"{"signedTransactionInfo":["a"]}"#, #"{"signedTransactionInfo":"a","signedTransactionInfo":"b"}"#,
        ])
    func `a malformed success is a decoding error`(body: String) async throws {
        let harness = try APIHarness(try FakeAppStore(body))
        do throws(APIError) {
            _ = try await harness.client.getTransactionInfo(TransactionId("1"), APIHarness.production)
            Issue.record("\(body) was read")
        } catch {
            #expect(error.kind == .unreadable && error.status == 200)
        }
    }

    @Test(
        arguments: [
            (#""hasMore":"true""#, "hasMore"), (#""hasMore":1"#, "hasMore"),
            (#""revision":1,"hasMore":true"#, "revision"),
            (#""hasMore":true,"signedTransactions":{}"#, "signedTransactions"),
            (#""hasMore":true,"signedTransactions":["a",1]"#, "signedTransactions.1"),
            (#""hasMore":true,"appAppleId":"1""#, "appAppleId"), (#""hasMore":true,"appAppleId":1.5"#, "appAppleId"),
            (#""hasMore":true,"environment":1"#, "environment"), (#""revision":"r""#, "hasMore"),
        ])
    func `the error for a documented member of the wrong type names it, and no default is used`(
        members: String, name: String
    ) async throws {
        let harness = try APIHarness(try FakeAppStore("{\(members)}"))
        var pages = harness.client.getTransactionHistory(of: AnyTransactionId("1"), APIHarness.production)
        do throws(APIError) {
            _ = try await pages.next()
            Issue.record("\(members) was read")
        } catch {
            #expect(error.kind == .unreadable)
            #expect(error.message.contains(name))
        }
    }

    @Test func `the error for a nested member of the wrong type also names it`() async throws {
        let store = try FakeAppStore(#"{"data":[{"lastTransactions":[{"status":"1","signedTransactionInfo":"a"}]}]}"#)
        let harness = try APIHarness(store)
        do throws(APIError) {
            _ = try await harness.client.getAllSubscriptionStatuses(AnyTransactionId("1"), APIHarness.production)
            Issue.record("a string was read as a status")
        } catch {
            #expect(error.message.contains("lastTransactions.0.status"))
        }
    }

    @Test func `unknown members and unknown values of enumerations are accepted`() async throws {
        let store = try FakeAppStore(
            #"{"hasMore":false,"revision":"r","environment":"Moon","new":{"a":[1]},"signedTransactions":[]}"#)
        let harness = try APIHarness(store)
        let answer: TransactionHistoryAnswer = try await harness.client.answer(
            APIRequest(.getTransactionHistory, "1"), to: APIHarness.production)
        #expect(answer.environment?.rawValue == "Moon")
        #expect(answer.environment?.isKnown == false)
    }

    @Test func `sending consumption information succeeds with any 2xx, with or without a body`() async throws {
        for (status, body) in [(202, ""), (200, ""), (204, ""), (201, "not JSON")] {
            let harness = try APIHarness(try FakeAppStore(status: status, body))
            try await harness.client.sendConsumption(
                Array("{}".utf8), form: .v2, for: TransactionId("1"), of: APIHarness.app, in: .production)
        }
    }
}
