import Testing

@testable import Kafka

@Suite struct ProducerBreakerTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `it opens after so many timeouts in a row`() {
        var breaker = ProducerBreaker(timeoutLimit: 3)
        breaker.timedOut(at: 0)
        breaker.timedOut(at: 0)
        breaker.acknowledged()
        breaker.timedOut(at: 0)
        breaker.timedOut(at: 0)
        #expect(!breaker.isOpen)
        breaker.timedOut(at: 0)
        #expect(breaker.isOpen)
    }

    @Test func `a refusal by a broker shows that it answers`() {
        var breaker = ProducerBreaker(timeoutLimit: 2)
        breaker.timedOut(at: 0)
        breaker.refused()
        breaker.timedOut(at: 0)
        #expect(!breaker.isOpen)
    }

    @Test func `while open one probe a second goes out and its acknowledgement closes it`() {
        var breaker = ProducerBreaker(timeoutLimit: 1)
        breaker.allBrokersDown(at: 0)
        let moments = [second - 1, second, second + 1, 2 * second - 1, 2 * second]
        let admitted = moments.map { breaker.admits(at: $0) }
        #expect(admitted == [false, true, false, false, true])
        breaker.acknowledged()
        let isAdmitted = breaker.admits(at: 2 * second + 1)
        #expect(isAdmitted)
        #expect(!breaker.isOpen)
    }

    @Test func `more bad news while open does not put the next probe off`() {
        var breaker = ProducerBreaker(timeoutLimit: 1)
        breaker.allBrokersDown(at: 0)
        breaker.timedOut(at: second / 2)
        breaker.statistics(brokersUp: 0, recordsInFlight: 1, at: second / 2)
        let isAdmitted = breaker.admits(at: second)
        #expect(isAdmitted)
    }

    @Test func `statistics open it without a broker and close it when one is back`() {
        var breaker = ProducerBreaker(timeoutLimit: 1)
        breaker.statistics(brokersUp: 0, recordsInFlight: 0, at: 0)
        #expect(breaker.isOpen)
        breaker.statistics(brokersUp: 1, recordsInFlight: 5, at: 1)
        #expect(!breaker.isOpen)
    }

    @Test func `after timeouts a connected broker is trusted again when nothing waits for it`() {
        var breaker = ProducerBreaker(timeoutLimit: 1)
        breaker.timedOut(at: 0)
        breaker.statistics(brokersUp: 1, recordsInFlight: 1, at: 1)
        #expect(breaker.isOpen)
        breaker.statistics(brokersUp: 1, recordsInFlight: 0, at: 2)
        #expect(!breaker.isOpen)
    }
}
