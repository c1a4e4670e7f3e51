internal import Glibc

// Secrets, and data received together with them, are overwritten before their memory is released, so that neither
// reused memory nor a core file contains them.

/// Overwrites the bytes with zeros; never optimised away.
package func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    explicit_bzero(start, bytes.count)
}

extension [UInt8] {
    /// Overwrites the bytes in place with zeros, including every copy that shares their storage: for the last use of an
    /// array that is not read afterwards.
    package func wipe() {
        withUnsafeBytes { Bytes.wipe(UnsafeMutableRawBufferPointer(mutating: $0)) }
    }

    /// Reserves capacity for additional bytes; replaced storage is overwritten.
    package mutating func reserveWiping(_ more: Int) {
        guard count + more > capacity else { return }
        var larger: [UInt8] = []
        larger.reserveCapacity(Swift.max(count + more, capacity * 2))
        larger.append(contentsOf: self)
        wipe()
        self = larger
    }

    /// Appends bytes; replaced storage is overwritten.
    package mutating func appendWiping(_ bytes: UnsafeBufferPointer<UInt8>) {
        reserveWiping(bytes.count)
        append(contentsOf: bytes)
    }
}
