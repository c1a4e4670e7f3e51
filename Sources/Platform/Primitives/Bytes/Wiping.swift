internal import Glibc

// Secrets, and data received with secrets, are overwritten before their memory is released, so that neither reused
// memory nor a core dump contains them.

/// Overwrites the bytes with zeros. The compiler never optimizes this away.
package func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    explicit_bzero(start, bytes.count)
}

extension [UInt8] {
    /// Overwrites the bytes with zeros in place, in every array that shares this storage. Do not read the array
    /// afterwards.
    package func wipe() {
        withUnsafeBytes { Primitives.wipe(UnsafeMutableRawBufferPointer(mutating: $0)) }
    }

    /// Reserves capacity for additional bytes. If the storage is replaced, the old storage is overwritten.
    package mutating func reserveWiping(_ more: Int) {
        guard count + more > capacity else { return }
        var larger: [UInt8] = []
        larger.reserveCapacity(Swift.max(count + more, capacity * 2))
        larger.append(contentsOf: self)
        wipe()
        self = larger
    }

    /// Appends bytes. If the storage is replaced, the old storage is overwritten.
    package mutating func appendWiping(_ bytes: UnsafeBufferPointer<UInt8>) {
        reserveWiping(bytes.count)
        append(contentsOf: bytes)
    }
}
