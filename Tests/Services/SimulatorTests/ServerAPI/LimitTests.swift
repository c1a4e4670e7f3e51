import AppStoreModel
import HTTPClient
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(5))) struct `API limits` {
    private let path = "/inApps/v1/transactions/42"

    @Test func `a request beyond the limit is answered 429 with the retry time in milliseconds`() async throws {
        try await APIHarness.open {
            $0.limits = .perSecond(3)
        } _: { harness in
            #expect(try await harness.send("GET", path).status == 404)
            harness.time.advance(by: .milliseconds(400))
            for _ in 0..<2 { #expect(try await harness.send("GET", path).status == 404) }
            let refused = try await harness.send("GET", path)
            #expect(refused.status == 429 && refused.errorCode == 4_290_000)
            // One second after the first request.
            #expect(refused.response.header("Retry-After") == String(harness.time.now + 600))
            harness.time.advance(by: .milliseconds(599))
            #expect(try await harness.send("GET", path).status == 429)
            harness.time.advance(by: .milliseconds(1))
            #expect(try await harness.send("GET", path).status == 404)
            // The other two requests still count.
            #expect(try await harness.send("GET", path).status == 429)
            #expect(harness.api.requests(of: .getTransactionInfo) == 7)
            #expect(harness.api.refusedRequests(of: .getTransactionInfo) == 3)
        }
    }

    @Test func `each endpoint and environment has its own limit`() async throws {
        try await APIHarness.open {
            $0.limits = .perSecond(1)
        } _: { harness async throws in
            #expect(try await harness.send("GET", path).status == 404)
            #expect(try await harness.send("GET", path).status == 429)
            #expect(try await harness.send("GET", path, in: .sandbox).status == 404)
            #expect(try await harness.send("GET", "/inApps/v2/history/42").status == 404)
        }
    }

    @Test func `requests with an invalid token do not count`() async throws {
        try await APIHarness.open {
            $0.limits = .perSecond(1)
        } _: { harness in
            for _ in 0..<3 { _ = try await harness.send("GET", path, bytes: nil, token: .some(nil)) }
            #expect(harness.api.requests(of: .getTransactionInfo) == 0)
            #expect(try await harness.send("GET", path).status == 404)
        }
    }

    @Test func `the busiest second is found at any start`() {
        var rate = RequestRate()
        // Five requests around a full second, four of them within one second.
        for milliseconds in [100, 900, 1000, 1050, 1899] as [UInt64] {
            #expect(rate.admit(nil, now: milliseconds * 1_000_000) == nil)
        }
        #expect(rate.busiestSecond == 4 && rate.requests == 5 && rate.refused == 0)
        #expect(rate.admit(nil, now: 10_000_000_000) == nil)
        #expect(rate.busiestSecond == 4)
    }

    @Test func `no interval of one second admits more than the limit`() {
        var rate = RequestRate()
        var admitted: [UInt64] = []
        var generator = SeededGenerator(seed: 5)
        var now: UInt64 = 0
        for _ in 0..<5000 {
            now += generator.next() % 4_000_000
            if rate.admit(ServerAPILimit(50), now: now) == nil { admitted.append(now) }
        }
        #expect(admitted.count < 5000)
        for index in admitted.indices.dropLast(50) {
            #expect(admitted[index + 50] - admitted[index] >= 1_000_000_000)
        }
    }

    @Test func `Apple's limits are a tenth in the sandbox`() {
        let limits = ServerAPILimits.apple
        #expect(limits.limit(of: .sendConsumptionInformation, in: .production) == ServerAPILimit(50))
        #expect(limits.limit(of: .sendConsumptionInformation, in: .sandbox) == ServerAPILimit(5))
        #expect(limits.limit(of: .sendConsumptionInformationV1, in: .production) == ServerAPILimit(50))
        #expect(limits.limit(of: .getAppTransactionInfo, in: .production) == ServerAPILimit(50))
        #expect(limits.limit(of: .finishTransaction, in: .production) == ServerAPILimit(50))
        #expect(limits.limit(of: .extendRenewalDate, in: .production) == ServerAPILimit(20))
        #expect(limits.limit(of: .setAppAccountToken, in: .production) == ServerAPILimit(20))
        #expect(limits.limit(of: .getStatusOfRenewalDateExtensions, in: .production) == ServerAPILimit(1))
        #expect(limits.limit(of: .getRefundHistory, in: .sandbox) == ServerAPILimit(1))
        #expect(limits.limit(of: .requestTestNotification, in: .production) == ServerAPILimit(1))
        #expect(limits.limit(of: .requestTestNotification, in: .sandbox) == ServerAPILimit(1, perSeconds: 10))
        #expect(ServerAPILimits.unlimited.limit(of: .lookUpOrderId, in: .production) == nil)
    }
}
