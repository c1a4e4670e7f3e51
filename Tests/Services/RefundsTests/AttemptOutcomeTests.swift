import AppStoreServerAPI
import RefundRules
import Testing

@testable import Refunds

@Suite struct AttemptOutcomeTests {
    @Test(arguments: [
        (APIError.Kind.refused, Int?.some(400), Int64?.some(4_000_036), AttemptOutcome.refused, "api_refused"),
        (.refused, 400, nil, .unavailable, "api_refused"), (.refused, 404, 4_040_010, .notFound, "api_not_found"),
        (.refused, 403, nil, .unavailable, "api_refused"), (.refused, 404, nil, .notFound, "api_not_found"),
        (.unauthorized, 401, nil, .unauthorized, "api_unauthorized"), (.noKey, nil, nil, .keyMissing, "key_missing"),
        (.rateLimited, 429, 4_290_000, .rateLimited, "api_rate_limited"),
        (.server, 500, 5_000_000, .unavailable, "api_unavailable"),
        (.noAnswer, nil, nil, .unavailable, "api_unavailable"),
        (.unreadable, 301, nil, .unavailable, "api_unavailable"),
    ])
    func `a failure is mapped to an outcome and the reason for waiting`(
        _ kind: APIError.Kind, _ status: Int?, _ code: Int64?, _ outcome: AttemptOutcome, _ reason: String
    ) {
        let failure = APIError(
            kind: kind, status: status, code: code.map { APIErrorCode($0) }, message: "m", isRetriable: false)
        #expect(failure.outcome == outcome)
        #expect(failure.obstacle.reason == reason)
        #expect(RefundReason.ofWaiting.contains(reason))
    }
}
