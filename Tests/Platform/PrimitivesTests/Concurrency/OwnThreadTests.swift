import Foundation
import Primitives
import Synchronization
import Testing

@Suite("Threads", .timeLimit(.minutes(1))) struct OwnThreadTests {
    @Test func `the body runs on its own named thread with all signals blocked`() async {
        let ended = Completion()
        let seen = Mutex("")
        let error = OwnThread.start(name: "a-name-that-is-far-too-long", stackBytes: 1 << 20) {
            // The kernel's status file for the calling thread.
            let status = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
            seen.withLock { $0 = status }
            ended.complete()
        }
        #expect(error == 0)
        await ended.wait()
        let status = seen.withLock { $0 }.split(separator: "\n")
        #expect(status.first == "Name:\ta-name-that-is-")
        // The bits of signals 1 to 31, except SIGKILL and SIGSTOP, which cannot be blocked.
        let blocked = status.first { $0.hasPrefix("SigBlk:") }.flatMap { UInt64($0.dropFirst(8), radix: 16) } ?? 0
        for signal in 1...31 as ClosedRange<UInt64> where signal != 9 && signal != 19 {
            #expect(blocked & 1 << (signal - 1) != 0, "signal \(signal)")
        }
    }
}
