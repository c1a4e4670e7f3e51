import Testing

@testable import Kafka

@Suite struct ProducerBreakerTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `the breaker opens after a number of consecutive timeouts`() {
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

    @Test func `a broker's refusal shows that it responds`() {
        var breaker = ProducerBreaker(timeoutLimit: 2)
        breaker.timedOut(at: 0)
        breaker.refused()
        breaker.timedOut(at: 0)
        #expect(!breaker.isOpen)
    }

    @Test func `while open, the breaker permits one probe per second, and an acknowledged probe closes it`() {
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

    @Test func `further failures while the breaker is open do not delay the next probe`() {
        var breaker = ProducerBreaker(timeoutLimit: 1)
        breaker.allBrokersDown(at: 0)
        breaker.timedOut(at: second / 2)
        breaker.statistics(brokersUp: 0, recordsInFlight: 1, at: second / 2)
        let isAdmitted = breaker.admits(at: second)
        #expect(isAdmitted)
    }

    @Test func `statistics open the breaker if no broker is connected, and close it when one returns`() {
        var breaker = ProducerBreaker(timeoutLimit: 1)
        breaker.statistics(brokersUp: 0, recordsInFlight: 0, at: 0)
        #expect(breaker.isOpen)
        breaker.statistics(brokersUp: 1, recordsInFlight: 5, at: 1)
        #expect(!breaker.isOpen)
    }

    @Test func `after timeouts, the breaker closes once a broker is connected and no record is in flight`() {
        var breaker = ProducerBreaker(timeoutLimit: 1)
        breaker.timedOut(at: 0)
        breaker.statistics(brokersUp: 1, recordsInFlight: 1, at: 1)
        #expect(breaker.isOpen)
        breaker.statistics(brokersUp: 1, recordsInFlight: 0, at: 2)
        #expect(!breaker.isOpen)
    }
}
