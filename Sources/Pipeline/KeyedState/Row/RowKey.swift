internal import Glibc

/// A record key for use in dictionaries. Unlike an array, it is hashed and compared as a block of memory.
struct RowKey: Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func == (one: RowKey, other: RowKey) -> Bool {
        one.bytes.withUnsafeBytes { one in
            other.bytes.withUnsafeBytes { other in
                guard one.count == other.count else { return false }
                guard let left = one.baseAddress, let right = other.baseAddress else { return true }
                return left == right || memcmp(left, right, one.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}
