internal import Glibc

// Secrets, and data received together with them, are overwritten before their memory is released, so that neither
// reused memory nor a core file contains them.

/// Overwrites the bytes with zeros. The compiler never optimises this away.
package func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    explicit_bzero(start, bytes.count)
}

extension [UInt8] {
    /// Overwrites the bytes in place with zeros, including every copy that shares their storage. Use it only if the
    /// array is not read afterwards.
    package func wipe() {
        withUnsafeBytes { Bytes.wipe(UnsafeMutableRawBufferPointer(mutating: $0)) }
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
