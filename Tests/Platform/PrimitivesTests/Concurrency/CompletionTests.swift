import Primitives
import Testing

@Suite("Completion", .timeLimit(.minutes(1))) struct CompletionTests {
    @Test func `completion resumes all waiters, and later waiters do not wait`() async {
        let completion = Completion()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 { group.addTask { await completion.wait(within: .seconds(60)) } }
            group.addTask {
                await completion.wait()
                return true
            }
            completion.complete()
            for await happened in group { #expect(happened) }
        }
        #expect(completion.isComplete)
        #expect(await completion.wait(within: .zero))
        completion.complete()
    }

    @Test func `a timeout ends the wait`() async {
        let completion = Completion()
        #expect(await completion.wait(within: .milliseconds(1)) == false)
        #expect(!completion.isComplete)
    }

    @Test func `events that are awaited together share one time limit`() async {
        let completions = (0..<100).map { _ in Completion() }
        completions[0].complete()
        let begun = ContinuousClock.now
        await Completion.wait(for: completions, within: .milliseconds(200))
        // With a limit for each event, the wait would take 20 seconds.
        #expect(ContinuousClock.now - begun < .seconds(10))
        for completion in completions { completion.complete() }
        await Completion.wait(for: completions, within: .seconds(600))
    }

    @Test func `cancellation ends the wait only if the waiter requested it`() async {
        let completion = Completion()
        let ended = Task { await completion.wait(within: .seconds(600), endsWhenCancelled: true) }
        let kept = Task { await completion.wait(within: .seconds(600)) }
        ended.cancel()
        kept.cancel()
        #expect(await ended.value == false)
        completion.complete()
        #expect(await kept.value)
    }
}
