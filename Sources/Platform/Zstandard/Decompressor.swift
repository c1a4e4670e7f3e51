internal import CZstd

/// Decompresses values compressed by a ``Compressor`` with the same dictionary.
///
/// Not `Sendable`, because only one thread may use it at a time.
package final class Decompressor {
    private let context: OpaquePointer
    private let dictionary: OpaquePointer

    /// - Throws: ``ZstandardError/noMemory``.
    package init(dictionary content: [UInt8]) throws(ZstandardError) {
        guard let context = ZSTD_createDCtx() else { throw .noMemory }
        guard let dictionary = ZSTD_createDDict(content, content.count) else {
            ZSTD_freeDCtx(context)
            throw .noMemory
        }
        self.context = context
        self.dictionary = dictionary
    }

    deinit {
        ZSTD_freeDDict(dictionary)
        ZSTD_freeDCtx(context)
    }

    /// Returns whether the bytes begin like a compressed value.
    package static func isFrame(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 4 && bytes.loadUnaligned(as: UInt32.self) == UInt32(littleEndian: 0xFD2F_B528)
    }

    /// Returns the decompressed value.
    ///
    /// - Parameter limit: the maximum size of the value in bytes.
    /// - Throws: ``ZstandardError/damaged`` if the frame is incomplete or was not compressed with this dictionary;
    ///   ``ZstandardError/tooLarge`` if the value exceeds the limit.
    package func decompress(_ frame: UnsafeRawBufferPointer, upTo limit: Int) throws(ZstandardError) -> [UInt8] {
        let size = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
        // The two largest numbers mean that the size is unknown, or that the input is not a frame.
        guard size < UInt64.max - 1 else { throw .damaged }
        guard size <= UInt64(max(0, limit)) else { throw .tooLarge }
        let expected = Int(size)
        var result = 0
        let value = [UInt8](unsafeUninitializedCapacity: expected) { buffer, count in
            result = ZSTD_decompress_usingDDict(
                context, buffer.baseAddress, expected, frame.baseAddress, frame.count, dictionary)
            count = ZSTD_isError(result) == 0 ? min(result, expected) : 0
        }
        guard ZSTD_isError(result) == 0, result == expected else { throw .damaged }
        return value
    }
}
