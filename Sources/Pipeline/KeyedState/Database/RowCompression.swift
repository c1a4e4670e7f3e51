internal import Zstandard

/// Stores rows compressed, because the cost of writing a row depends on its size. Rows of one model resemble each
/// other, so a dictionary of their common content reduces them to a fraction of their size.
///
/// Short rows are stored as they are. A stored row that begins like a Zstandard frame is compressed.
final class RowCompression {
    private let compressor: Compressor
    private let decompressor: Decompressor

    /// Size in bytes below which rows are not compressed.
    private static let minimum = 128
    /// Maximum size of a row in bytes, larger than any record.
    private static let maximum = 256 << 20
    /// At this level, compressing a row takes about 2 us, which is less than it saves.
    private static let level: Int32 = -7

    /// - Parameter dictionary: the model's ``StateModel/dictionary``.
    init(dictionary: [UInt8]) throws(StateError) {
        do {
            compressor = try Compressor(dictionary: dictionary, level: Self.level)
            decompressor = try Decompressor(dictionary: dictionary)
        } catch {
            throw StateError(.sqlite, "\(error)")
        }
    }

    /// Calls `body` with the stored form of a row, which is valid only during the call.
    func store<Result>(
        _ row: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let resemblesFrame = Decompressor.isFrame(row)
        guard row.count >= Self.minimum || resemblesFrame else { return try body(row) }
        return try compressor.compress(row) { frame in
            try body(frame.count < row.count || resemblesFrame ? frame : row)
        }
    }

    /// Returns the row decoded from its stored form.
    ///
    /// - Throws: a ``StateError`` with code `damaged`, or `sqlite` if memory is exhausted.
    func row(_ stored: [UInt8]) throws(StateError) -> [UInt8] {
        do {
            return try stored.withUnsafeBytes { bytes in
                guard Decompressor.isFrame(bytes) else { return stored }
                return try decompressor.decompress(bytes, upTo: Self.maximum)
            }
        } catch {
            let isDamaged = (error as? ZstandardError) != .noMemory
            throw StateError(isDamaged ? .damaged : .sqlite, "a row cannot be read: \(error)")
        }
    }
}
