import AppStoreModel
import Publication
import Synchronization
import Testing

@testable import Ingress

@Suite struct DuplicateWindowTests {
    private func identity(_ number: UInt64) throws -> DuplicateKey {
        let digits = String(number, radix: 16)
        let padded = String(repeating: "0", count: 12 - digits.count) + digits
        return try #require(
            DuplicateKey(notificationUUID: "00000000-0000-0000-0000-\(padded)", environment: .production))
    }

    @Test func `only an acknowledged notification is remembered`() throws {
        let window = DuplicateWindow<Int>(capacity: 10)
        let one = try identity(1)
        #expect(window.arrive(one, waiter: 1) == .first)
        #expect(window.settle(one, acknowledged: false).isEmpty)
        #expect(window.arrive(one, waiter: 2) == .first)
        #expect(window.settle(one, acknowledged: true).isEmpty)
        #expect(window.arrive(one, waiter: 3) == .acknowledged)
    }

    @Test func `an identity in flight or failed is not acknowledged, and a query changes nothing`() throws {
        let window = DuplicateWindow<Int>(capacity: 10)
        let one = try identity(1)
        #expect(!window.isAcknowledged(one))
        #expect(window.arrive(one, waiter: 1) == .first)
        #expect(!window.isAcknowledged(one))
        #expect(window.settle(one, acknowledged: false).isEmpty)
        #expect(!window.isAcknowledged(one))
        #expect(window.arrive(one, waiter: 2) == .first)
        #expect(window.settle(one, acknowledged: true).isEmpty)
        #expect(window.isAcknowledged(one))
        #expect(!window.isAcknowledged(try identity(2)))
    }

    @Test func `copies of a notification in flight wait for its outcome`() throws {
        let window = DuplicateWindow<Int>(capacity: 10)
        let one = try identity(1)
        #expect(window.arrive(one, waiter: 1) == .first)
        #expect(window.arrive(one, waiter: 2) == .waits)
        #expect(window.arrive(one, waiter: 3) == .waits)
        #expect(window.settle(one, acknowledged: true) == [2, 3])
        #expect(window.arrive(one, waiter: 4) == .acknowledged)
    }

    @Test func `the next copy after a failure is processed again`() throws {
        let window = DuplicateWindow<Int>(capacity: 10)
        let one = try identity(1)
        #expect(window.arrive(one, waiter: 1) == .first)
        #expect(window.arrive(one, waiter: 2) == .waits)
        #expect(window.settle(one, acknowledged: false) == [2])
        #expect(window.arrive(one, waiter: 3) == .first)
    }

    @Test func `other content under the same identity is detected, in flight and acknowledged`() throws {
        let window = DuplicateWindow<Int>(capacity: 1)
        let (one, two) = (try identity(1), try identity(2))
        let renewal = ContentPrint(.didRenew, nil, BundleId("com.example.app"))
        let others = [
            ContentPrint(.refund, nil, BundleId("com.example.app")),
            ContentPrint(.didRenew, .billingRecovery, BundleId("com.example.app")),
            ContentPrint(.didRenew, nil, BundleId("com.example.other")),
        ]
        #expect(!window.isOther(renewal, than: one))
        #expect(window.arrive(one, content: renewal, waiter: 1) == .first)
        for _ in 0..<2 {
            #expect(!window.isOther(renewal, than: one))
            for other in others { #expect(window.isOther(other, than: one)) }
            _ = window.settle(one, acknowledged: true)
        }
        // `one` is evicted, and `two` is nonconforming.
        #expect(window.arrive(two, waiter: 2) == .first)
        _ = window.settle(two, acknowledged: true)
        #expect(!window.isOther(others[0], than: one))
        #expect(!window.isOther(renewal, than: two))
    }

    @Test func `other notifications are not affected`() throws {
        let window = DuplicateWindow<Int>(capacity: 10)
        #expect(window.arrive(try identity(1), waiter: 1) == .first)
        #expect(window.arrive(try identity(2), waiter: 2) == .first)
        #expect(window.settle(try identity(1), acknowledged: true).isEmpty)
        #expect(window.arrive(try identity(2), waiter: 3) == .waits)
    }

    @Test func `the oldest identity is evicted each time`() throws {
        let window = DuplicateWindow<Int>(capacity: 3)
        for number in 1...20 {
            let identity = try identity(UInt64(number))
            #expect(window.arrive(identity, waiter: number) == .first)
            #expect(window.settle(identity, acknowledged: true).isEmpty)
        }
        for number in 18...20 { #expect(window.arrive(try identity(UInt64(number)), waiter: 0) == .acknowledged) }
        for number in [1, 2, 16, 17] { #expect(window.arrive(try identity(UInt64(number)), waiter: 0) == .first) }
    }

    @Test func `a window without capacity still remembers one identity`() throws {
        let window = DuplicateWindow<Int>(capacity: -1)
        #expect(window.arrive(try identity(1), waiter: 0) == .first)
        _ = window.settle(try identity(1), acknowledged: true)
        #expect(window.arrive(try identity(1), waiter: 0) == .acknowledged)
    }

    @Test func `exactly one of many threads with one notification is first, and every waiter is returned`()
        async throws
    {
        final class Given: Sendable {
            let waiters = Mutex<[Int]>([])
        }
        let window = DuplicateWindow<Int>(capacity: 1000)
        let identities = try (0..<200).map { try identity(UInt64($0)) }
        let given = Given()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for (number, identity) in identities.enumerated() {
                        let waiter = number * 4 + thread
                        switch window.arrive(identity, waiter: waiter) {
                        case .first:
                            let others = window.settle(identity, acknowledged: true)
                            given.waiters.withLock { $0 += others + [waiter] }
                        case .acknowledged: given.waiters.withLock { $0.append(waiter) }
                        case .waits: break
                        }
                    }
                }
            }
        }
        #expect(given.waiters.withLock { $0.sorted() } == Array(0..<800))
    }
}
