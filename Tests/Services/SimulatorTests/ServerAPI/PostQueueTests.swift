import Synchronization
import TestSupport
import Testing

@testable import Simulator

/// Posts that were sent and wait for their outcome.
private final class Sent: Sendable {
    struct Post: Sendable {
        let body: [UInt8]
        let ended: @Sendable (PostOutcome) -> Void
    }

    private let list = Mutex<[Post]>([])

    var posts: [Post] { list.withLock { $0 } }

    func add(_ post: Post) { list.withLock { $0.append(post) } }
}

@Suite(.timeLimit(.minutes(5))) struct `Post queue` {
    @Test func `the number of concurrent posts is limited, and all are sent in order`() async throws {
        let sent = Sent()
        let outcomes = Mutex<[PostOutcome]>([])
        let queue = PostQueue(limit: 2) { body, ended in sent.add(Sent.Post(body: body, ended: ended)) }
        for number: UInt8 in 0..<5 {
            queue.post([number]) { outcome in outcomes.withLock { $0.append(outcome) } }
        }
        #expect(sent.posts.map(\.body) == [[0], [1]])
        for number in 0..<5 {
            try await waitUntil { sent.posts.count == min(number + 2, 5) }
            sent.posts[number].ended(.status(200 + number))
        }
        #expect(sent.posts.map(\.body) == [[0], [1], [2], [3], [4]])
        #expect(outcomes.withLock { $0 } == [.status(200), .status(201), .status(202), .status(203), .status(204)])
    }

    @Test func `posts that fail immediately do not recurse on the stack`() async throws {
        let count = Atomic(0)
        let sent = Sent()
        let queue = PostQueue(limit: 1) { body, ended in
            if body.isEmpty {
                ended(.failed("closed"))
            } else {
                sent.add(Sent.Post(body: body, ended: ended))
            }
        }
        queue.post([1]) { _ in }
        for _ in 0..<50_000 { queue.post([]) { _ in count.add(1, ordering: .relaxed) } }
        #expect(count.load(ordering: .relaxed) == 0)
        sent.posts[0].ended(.status(200))
        try await waitUntil { count.load(ordering: .relaxed) == 50_000 }
    }
}
