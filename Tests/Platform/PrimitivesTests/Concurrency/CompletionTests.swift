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
