import Testing

@testable import KeyedState

struct BatchKeysTests {
    @Test func `a key is single if one record has it`() {
        var keys = BatchKeys(expecting: 4)
        for hash: UInt64 in [1, 2, 1, 0] { keys.insert(hash) }
        #expect(!keys.isSingle(1))
        #expect(keys.isSingle(2))
        #expect(keys.isSingle(0))
    }

    @Test func `a key without a record is not single`() {
        var keys = BatchKeys(expecting: 1)
        #expect(!keys.isSingle(7))
        keys.insert(1)
        #expect(!keys.isSingle(7))
    }

    @Test func `keys whose hashes share their low bits are told apart, or count as repeated`() {
        // Hashes with the same lower and upper halves begin at the same slot.
        let hashes = (1...100).map { UInt64($0) << 32 | UInt64($0) }
        var keys = BatchKeys(expecting: hashes.count)
        for hash in hashes + [hashes[3]] { keys.insert(hash) }
        let single = hashes.filter { keys.isSingle($0) }
        #expect(single == hashes.prefix(16).filter { $0 != hashes[3] })
    }

    @Test func `all keys of a batch of the maximum size are single`() {
        var keys = BatchKeys(expecting: 1_000)
        let hashes = (0..<1_000).map { RestoredKeys.hash(Array("key \($0)".utf8)) }
        for hash in hashes { keys.insert(hash) }
        #expect(hashes.filter { !keys.isSingle($0) }.count <= 10)
    }
}
