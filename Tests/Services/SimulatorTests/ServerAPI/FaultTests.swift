import AppStoreModel
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Simulator

@Suite(.timeLimit(.minutes(5))) struct `API faults` {
    private let path = "/inApps/v2/transactions/consumption/1000"

    private func open(
        _ kind: ServerAPIFaults.Kind, _ body: (APIHarness) async throws -> Void
    ) async throws {
        try await APIHarness.open {
            $0.acceptsUnknownTransactions = true
            $0.faults = .always(kind)
        } _: {
            try await body($0)
        }
    }

    @Test(arguments: [
        (ServerAPIFaults.Kind.rateLimit, 429, 4_290_000 as Int64), (.internalError, 500, 5_000_000),
        (.retryableError, 500, 5_000_001),
    ])
    func `an injected error replaces the result`(kind: ServerAPIFaults.Kind, status: Int, code: Int64) async throws {
        try await open(kind) { harness in
            let answer = try await harness.send("PUT", path, decline)
            #expect(answer.status == status && answer.errorCode == code)
            let noted = try #require(harness.api.answers.first)
            #expect(!noted.isAccepted && noted.status == status && noted.errorCode == code && noted.fault == kind)
        }
    }

    @Test func `a reset request has no effect`() async throws {
        try await open(.reset) { harness async throws in
            let error = await #expect(throws: HTTPClientError.self) { try await harness.send("PUT", path, decline) }
            #expect(error?.code == .connectionFailed)
            #expect(harness.api.answers.map(\.status) == [nil])
        }
    }

    @Test func `a request with a lost response takes effect`() async throws {
        try await open(.lost) { harness in
            let error = await #expect(throws: HTTPClientError.self) { try await harness.send("PUT", path, decline) }
            #expect(error?.code == .connectionFailed)
            let noted = try #require(harness.api.answers.first)
            #expect(noted.isAccepted && noted.fault == .lost && noted.body == decline.bytes)
            harness.api.faults = .none
            #expect(try await harness.send("PUT", path, decline).status == 202)
            #expect(harness.api.answers.map(\.number) == [1, 2])
        }
    }

    @Test func `a request without a response is held, and reset after the timeout`() async throws {
        try await open(.timeout) { harness in
            let answer = Task { [path] in try await harness.send("PUT", path, decline) }
            try await waitUntil { harness.time.waitingCount == 1 }
            harness.time.advance(by: .seconds(60))
            await #expect(throws: HTTPClientError.self) { try await answer.value }
            #expect(harness.api.answers.map(\.status) == [nil])
        }
    }

    @Test func `held requests are reset when the server stops`() async throws {
        try await open(.timeout) { harness in
            let answer = Task { [path] in try await harness.send("PUT", path, decline) }
            try await waitUntil { harness.time.waitingCount == 1 }
            await harness.api.stop()
            await #expect(throws: HTTPClientError.self) { try await answer.value }
        }
    }

    @Test func `a delayed response arrives after the latency, but its effect is immediate`() async throws {
        try await open(.latency) { harness in
            let answer = Task { [path] in try await harness.send("PUT", path, decline) }
            try await waitUntil { harness.time.waitingCount == 1 }
            // Apple has accepted the answer, but the client does not know.
            #expect(harness.api.answers.map(\.isAccepted) == [true])
            harness.time.advance(by: .seconds(1))
            #expect(try await answer.value.status == 202)
        }
    }

    @Test func `a malformed response is not JSON`() async throws {
        try await open(.malformed) { harness in
            let put = try await harness.send("PUT", path, decline)
            #expect(put.status == 500 && put.json == nil && !put.body.isEmpty)
            let get = try await harness.send("GET", "/inApps/v1/transactions/1000")
            #expect(get.status == 200 && get.json == nil && !get.body.isEmpty)
            #expect(harness.api.answers.map(\.isAccepted) == [false])
        }
    }

    @Test(arguments: ServerAPIFaults.RetryAfter.allCases)
    func `Retry-After is sent in every configured format`(form: ServerAPIFaults.RetryAfter) async throws {
        try await APIHarness.open {
            $0.acceptsUnknownTransactions = true
            $0.faults = .always(.rateLimit)
            $0.faults.retryAfter = .seconds(90)
            $0.faults.retryAfterForm = form
        } _: { harness in
            let value = try await harness.send("PUT", path, decline).response.header("Retry-After")
            let now = harness.time.now
            let expected: String? =
                switch form {
                case .milliseconds: String(now + 90_000)
                case .seconds: "90"
                case .epochSeconds: String(now / 1000 + 90)
                case .date: "Sun, 01 Nov 2026 00:01:30 GMT"
                case .absent: nil
                case .past: String(now - 3_600_000)
                case .far: "32503680000000"
                }
            #expect(value == expected)
        }
    }

    // MARK: Fault selection

    private func faults(_ text: String, seed: UInt64 = 1) throws -> ServerAPIFaults {
        var faults = try #require(ServerAPIFaults(text: text))
        faults.seed = seed
        return faults
    }

    @Test func `the same seed fails the same requests in any order`() throws {
        let faults = try faults("429=10%,lost=20%")
        let paths = (0..<500).map { "/inApps/v2/transactions/consumption/\($0)" }
        let forward = paths.map { faults.fault(of: .sendConsumptionInformation, "PUT", $0, number: 0) }
        let backward = paths.reversed().map { faults.fault(of: .sendConsumptionInformation, "PUT", $0, number: 0) }
        #expect(forward == backward.reversed())
        let other = try self.faults("429=10%,lost=20%", seed: 2)
        #expect(forward != paths.map { other.fault(of: .sendConsumptionInformation, "PUT", $0, number: 0) })
        // The fault of a repeated request is chosen separately.
        #expect(forward != paths.map { faults.fault(of: .sendConsumptionInformation, "PUT", $0, number: 1) })
    }

    @Test func `each kind of fault has its share`() throws {
        let faults = try faults("latency=1%,429=10%,500=5%,500-retryable=5%,timeout=2%,reset=5%,malformed=5%,lost=7%")
        var counts: [ServerAPIFaults.Kind: Int] = [:]
        for number in 0..<20_000 {
            if let kind = faults.fault(of: .sendConsumptionInformation, "PUT", path, number: number) {
                counts[kind, default: 0] += 1
            }
        }
        for (kind, share) in faults.shares {
            let expected = Double(share.of(20_000))
            #expect(abs(Double(counts[kind, default: 0]) - expected) < expected * 0.2 + 20, "\(kind)")
        }
    }

    @Test func `the text of faults survives a round trip`() throws {
        let text = "latency=1%,429=10%,500=5%,500-retryable=0.25%,timeout=2%,reset=5%,malformed=5%,lost=7%"
        #expect(try faults(text).text == text)
        #expect(ServerAPIFaults(text: "429=0%") == ServerAPIFaults.none)
    }

    @Test(arguments: ["", "429", "429=", "429=101%", "429=60%,500=50%", "429=1%,429=1%", "fire=1%", "429=1%,"])
    func `invalid text is not a list of faults`(text: String) {
        #expect(ServerAPIFaults(text: text) == nil)
    }

    @Test func `HTTP requests fail with the selected faults`() async throws {
        let faults = try faults("429=30%,500=20%")
        try await APIHarness.open {
            $0.acceptsUnknownTransactions = true
            $0.faults = faults
        } _: { harness in
            for number in 0..<100 {
                let answer = try await harness.send("PUT", path, decline)
                let status =
                    switch faults.fault(of: .sendConsumptionInformation, "PUT", path, number: number) {
                    case .rateLimit: 429
                    case .internalError: 500
                    default: 202
                    }
                #expect(answer.status == status)
            }
            #expect(harness.api.answers.map(\.number) == Array(1...100))
        }
    }
}
