import AppStoreServerAPI
import Testing

/// Classification of failures of Send Consumption Information, as in the table of app-store.md 10.6.
@Suite struct ConsumptionRefusalTests {
    private func refusal(_ code: Int64?, status: Int = 400) -> APIError {
        APIError(
            kind: .refused, status: status, code: code.map { APIErrorCode($0) }, message: "refused",
            isRetriable: false)
    }

    @Test(arguments: [
        4_000_006, 4_000_032, 4_000_035, 4_000_036, 4_000_042, 4_000_044, 4_000_047, 4_000_048, 4_000_185, 4_000_209,
        4_000_227, 4_000_999,
    ])
    func `an error about the body or the type of transaction is final, and the endpoint works`(_ code: Int64) {
        #expect(refusal(code).isFinalForConsumption)
        #expect(ServiceHealth(ofConsumption: refusal(code)) == .answers)
    }

    @Test(arguments: [4_000_000, 4_000_002, 4_290_001, 5_009_999, 4_040_010, 400, nil])
    func `a 400 response about anything else is not final`(_ code: Int64?) {
        #expect(!refusal(code).isFinalForConsumption)
        let isAboutTheTransaction = code == 4_040_010
        #expect(ServiceHealth(ofConsumption: refusal(code)) == (isAboutTheTransaction ? .unknown : .fails()))
    }

    // A transaction ID that is invalid in a path is rejected before anything is sent.
    @Test func `a request rejected by the client itself is final`() {
        #expect(APIError(kind: .invalidRequest, message: "", isRetriable: false).isFinalForConsumption)
    }

    @Test func `a cancelled request is not final, and the health of the endpoint is unknown`() {
        let failure = APIError(kind: .cancelled, message: "", isRetriable: true)
        #expect(!failure.isFinalForConsumption)
        #expect(ServiceHealth(ofConsumption: failure) == .unknown)
    }

    @Test func `an unknown transaction is not final, and the health of the endpoint is unknown`() {
        let missing = refusal(4_040_010, status: 404)
        #expect(!missing.isFinalForConsumption)
        #expect(ServiceHealth(ofConsumption: missing) == .unknown)
    }

    @Test(arguments: [
        (APIError.Kind.unauthorized, Int?.some(401)), (.rateLimited, 429), (.server, 500), (.noAnswer, nil),
        (.noKey, nil),
        (.refused, 403), (.unreadable, 302),
    ])
    func `a missing or unrelated response is not final`(_ kind: APIError.Kind, _ status: Int?) {
        let failure = APIError(kind: kind, status: status, message: "", isRetriable: true, retryAt: 7)
        #expect(!failure.isFinalForConsumption)
        #expect(ServiceHealth(ofConsumption: failure) == .fails(retryAt: 7))
    }
}
