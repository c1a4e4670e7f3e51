import AppStoreServerAPI
import Testing

@testable import Refunds

@Suite struct APIPauseTests {
    private static let far: Int64 = 1_000_000_000

    @Test func `an environment is down after eight failures in a row, and is tried less and less often`() {
        var pause = APIPause()
        for _ in 0..<7 { pause.failed(at: 0) }
        #expect(!pause.isDown && pause.isOver(at: 0, deadline: Self.far))
        pause.failed(at: 0)
        #expect(pause.isDown && !pause.isOver(at: 999, deadline: Self.far))
        #expect(pause.isOver(at: 1_000, deadline: Self.far))
        for _ in 0..<30 { pause.failed(at: 0) }
        #expect(!pause.isOver(at: 59_999, deadline: Self.far) && pause.isOver(at: 60_000, deadline: Self.far))
        pause.succeeded()
        #expect(!pause.isDown && pause.isOver(at: 0, deadline: Self.far))
    }

    @Test func `a pause that Apple asks for ends two minutes before the earliest deadline`() {
        var pause = APIPause()
        pause.failed(at: 0, retryAt: 3_600_000)
        #expect(!pause.isDown)
        #expect(!pause.isOver(at: 3_599_999, deadline: Self.far) && pause.isOver(at: 3_600_000, deadline: Self.far))
        #expect(!pause.isOver(at: 479_999, deadline: 600_000) && pause.isOver(at: 480_000, deadline: 600_000))
    }
}

@Suite struct AttemptOutcomeTests {
    @Test(arguments: [
        (APIFailure.Kind.refused, Int?.some(400), Int64?.none, AttemptOutcome.refused),
        (.refused, 404, 4_040_010, .refused),
        (.refused, 403, nil, .unavailable), (.refused, 404, 4_040_002, .unavailable),
        (.unauthorized, 401, nil, .unauthorized), (.noKey, nil, nil, .unauthorized),
        (.rateLimited, 429, 4_290_000, .rateLimited), (.server, 500, 5_000_000, .unavailable),
        (.noAnswer, nil, nil, .unavailable), (.unreadable, 301, nil, .unavailable),
        (.invalidRequest, nil, nil, .refused),
    ])
    func `only what Apple itself refuses for good ends a request`(
        _ kind: APIFailure.Kind, _ status: Int?, _ code: Int64?, _ expected: AttemptOutcome
    ) {
        let code = code.map { APIErrorCode($0) }
        let failure = APIFailure(
            kind: kind, status: status, code: code, message: "m", isRetriable: code?.isRetriable ?? false)
        #expect(AttemptOutcome(failure) == expected)
    }
}
