/// The objects of up to 256 consecutive leaves, each preceded by its length as four bytes.
package enum ArchiveSegment {
    /// The number of objects in a full segment, equal to the number of entries in a full entry bundle.
    package static let maximumCount = 256

    /// Appends the next object.
    ///
    /// - Throws: ``ArchiveError`` with code `tooLong` for an object of 4 GiB or more.
    package static func append(_ object: [UInt8], to segment: inout [UInt8]) throws(ArchiveError) {
        guard let length = UInt32(exactly: object.count) else {
            throw ArchiveError(.tooLong, "an object is too long: \(object.count) bytes")
        }
        segment.append(bigEndian: length)
        segment.append(contentsOf: object)
    }

    /// Returns the range of each object in the segment, without its length prefix.
    ///
    /// - Throws: ``ArchiveError`` with code `malformedSegment` if the segment is truncated or has more than 256
    ///   objects.
    package static func objects(in segment: [UInt8]) throws(ArchiveError) -> [Range<Int>] {
        try segment.span.withUnsafeBytes { (bytes) throws(ArchiveError) in
            var reader = BigEndianReader(bytes)
            var objects: [Range<Int>] = []
            while reader.remaining > 0 {
                guard objects.count < maximumCount else {
                    throw ArchiveError(.malformedSegment, "the segment has more than \(maximumCount) objects")
                }
                guard let length = reader.integer(UInt32.self) else { throw cutOff(objects.count) }
                let start = reader.position
                guard reader.take(Int(length)) != nil else { throw cutOff(objects.count) }
                objects.append(start..<reader.position)
            }
            return objects
        }
    }

    /// Returns the range of a leaf's object in a segment. It is computed from the lengths in the preceding leaves, so
    /// that only this object needs to be read.
    ///
    /// - Parameter leaves: the leaves of the segment, starting with the first.
    /// - Returns: the range, or nil if the segment has no such leaf.
    package static func range(ofObject index: Int, leaves: [ArchiveLeaf]) -> Range<Int>? {
        guard leaves.indices.contains(index) else { return nil }
        let start = leaves[..<index].reduce(lengthByteCount) { $0 + lengthByteCount + $1.objectLength }
        return start..<start + leaves[index].objectLength
    }

    private static let lengthByteCount = 4

    private static func cutOff(_ count: Int) -> ArchiveError {
        ArchiveError(.malformedSegment, "the segment is truncated after \(count) objects")
    }
}
