import HTTPClient
import Testing

@testable import Webhooks

@Suite struct ReceiverAnswerTests {
    @Test(arguments: [
        (200, WebhooksOutcome.accepted), (204, .accepted), (299, .accepted), (199, .receiverSettings),
        (301, .receiverSettings), (307, .receiverSettings), (400, .refused), (401, .receiverSettings),
        (403, .receiverSettings), (404, .receiverSettings), (405, .receiverSettings), (408, .unavailable),
        (409, .refused), (410, .gone), (413, .refused), (422, .refused), (425, .unavailable),
        (429, .throttled), (499, .refused), (500, .unavailable), (503, .unavailable), (599, .unavailable),
        (600, .receiverSettings), (0, .receiverSettings),
    ])
    func `a status is attributed to the record, the receiver or a temporary failure`(
        status: Int, outcome: WebhooksOutcome
    ) {
        #expect(ReceiverAnswer.outcome(of: status) == outcome)
    }

    @Test(
        arguments: [
            ("0", 1), ("7", 7), ("300", 300), ("301", 300), ("99999999999999999999999", 300),
            ("Thu, 01 Jan 1970 00:17:00 GMT", 20), ("Thu, 01 Jan 1970 00:00:00 GMT", 1),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 300), ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil), ("７", nil),
            ("Thu, 01 Jan 1970 00:17:00 CET", nil), ("Thu, 41 Jan 1970 00:17:00 GMT", nil),
        ] as [(String, Int?)])
    func `Retry-After is honoured up to five minutes`(text: String, seconds: Int?) {
        #expect(RetryAfter.wait(text, now: 1000) == seconds.map { .seconds($0) })
    }

    @Test func `Retry-After is honoured only with 429 and 503`() {
        func wait(_ status: Int) -> Duration? {
            ReceiverAnswer(
                HTTPClientResponse(status: status, headers: [("Retry-After", "9")], body: []), now: 0
            ).retryAfter
        }
        #expect(wait(429) == .seconds(9))
        #expect(wait(503) == .seconds(9))
        #expect(wait(422) == nil)
        #expect(wait(301) == nil)
    }
}
