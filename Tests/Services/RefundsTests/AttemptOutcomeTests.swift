import AppStoreServerAPI
import Testing

@testable import Refunds

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
