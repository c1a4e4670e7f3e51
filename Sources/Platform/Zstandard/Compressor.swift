internal import CZstd

/// Compresses small, similar values with a dictionary of their common content (Zstandard, RFC 8878).
///
/// Not `Sendable`, because only one thread may use it at a time.
package final class Compressor {
    private let context: OpaquePointer
    private let dictionary: OpaquePointer
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - dictionary: the content that the values have in common. The ``Decompressor`` must use the same dictionary.
    ///   - level: the Zstandard level; negative levels are faster and compress less.
    /// - Throws: ``ZstandardError/noMemory``.
    package init(dictionary content: [UInt8], level: Int32) throws(ZstandardError) {
        guard let context = ZSTD_createCCtx() else { throw .noMemory }
        guard let dictionary = ZSTD_createCDict(content, content.count, level) else {
            ZSTD_freeCCtx(context)
            throw .noMemory
        }
        self.context = context
        self.dictionary = dictionary
    }

    deinit {
        ZSTD_freeCDict(dictionary)
        ZSTD_freeCCtx(context)
    }

    /// Calls `body` with the compressed value, which is valid only during the call.
    ///
    /// - Throws: ``ZstandardError/noMemory``, or the error thrown by `body`.
    package func compress<Result>(
        _ value: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let bound = ZSTD_compressBound(value.count)
        if buffer.count < bound { buffer = [UInt8](repeating: 0, count: bound) }
        return try buffer.withUnsafeMutableBytes { buffer in
            let count = ZSTD_compress_usingCDict(
                context, buffer.baseAddress, buffer.count, value.baseAddress, value.count, dictionary)
            // The buffer is large enough for any value, so the only possible error is lack of memory.
            guard ZSTD_isError(count) == 0 else { throw ZstandardError.noMemory }
            return try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
