internal import Glibc

// What was a secret, or was received beside one, is overwritten before its memory is given back, so that neither later
// memory nor a core file has it.

/// Overwrites the bytes with zeros; never optimised away.
package func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    explicit_bzero(start, bytes.count)
}

extension [UInt8] {
    /// Overwrites the bytes with zeros where they are, also in every copy that shares their storage: for the last use of
    /// an array that nothing reads any more.
    package func wipe() {
        withUnsafeBytes { Bytes.wipe(UnsafeMutableRawBufferPointer(mutating: $0)) }
    }

    /// Reserves capacity for so many bytes more; storage that is left behind is overwritten.
    package mutating func reserveWiping(_ more: Int) {
        guard count + more > capacity else { return }
        var larger: [UInt8] = []
        larger.reserveCapacity(Swift.max(count + more, capacity * 2))
        larger.append(contentsOf: self)
        wipe()
        self = larger
    }

    /// Appends; storage that is left behind is overwritten.
    package mutating func appendWiping(_ bytes: UnsafeBufferPointer<UInt8>) {
        reserveWiping(bytes.count)
        append(contentsOf: bytes)
    }
}
