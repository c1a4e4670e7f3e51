import AppStoreServerAPI
import Testing

@testable import Refunds

@Suite struct ServicePauseTests {
    @Test func `a service is down after eight failures in a row, and is retried with growing pauses`() {
        var pause = ServicePause()
        for _ in 0..<7 { pause.failed(at: 0) }
        #expect(!pause.isDown && pause.isOver(at: 0))
        pause.failed(at: 0)
        #expect(pause.isDown && !pause.isOver(at: 999) && pause.isOver(at: 1_000))
        for _ in 0..<30 { pause.failed(at: 0) }
        #expect(!pause.isOver(at: 59_999) && pause.isOver(at: 60_000))
        pause.succeeded()
        #expect(pause == ServicePause())
    }

    @Test func `a retry time from the service is respected, and does not count as a failure`() {
        var pause = ServicePause()
        pause.failed(at: 0, retryAt: 5_000)
        pause.failed(at: 0, retryAt: 4_000)
        #expect(!pause.isDown && !pause.isOver(at: 4_999) && pause.isOver(at: 5_000))
    }

    @Test func `a success after failures reports the end of an outage`() {
        var pause = ServicePause()
        let isBackAtOnce = pause.note(.answers, at: 0)
        for _ in 0..<8 { _ = pause.note(.fails(), at: 0) }
        let isUnknown = pause.note(.unknown, at: 0)
        let isBack = pause.note(.answers, at: 0)
        #expect(!isBackAtOnce && !isUnknown && isBack && !pause.isDown)
    }
}
