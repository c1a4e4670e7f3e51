package import KafkaModel
package import ObjectStorage
package import TransparencyLog

/// The names of one log's objects in a store. All objects of a partition's log are below `<topic>/<partition>/`.
///
/// ```
/// checkpoint                      the newest signed checkpoint; the only object that is replaced
/// checkpoints/x001/x234/067       past checkpoints, by size in groups of three digits
/// tile/<level>/<n>[.p/<width>]    hash tiles (c2sp.org/tlog-tiles)
/// tile/entries/<n>[.p/<width>]    the leaves of one level-0 tile
/// segments/<n>[.p/<width>]        the objects of the same leaves
/// retention                       the signed statement of the first leaf whose segment is kept
/// cosigned/<key id>               the newest checkpoint that a witness cosigned, with its cosignature
/// staging/<leaves>-<root>-<base>  in a store without locks: a commit's objects until written under their own names
/// ```
package struct LogNames: Hashable, Sendable {
    package let partition: KafkaTopicPartition
    /// `<topic>/<partition>`.
    package let prefix: ObjectName

    /// - Throws: ``ObjectStoreError`` with code `invalidName` for a topic that is not a valid object name.
    package init(_ partition: KafkaTopicPartition) throws(ObjectStoreError) {
        self.partition = partition
        prefix = try ObjectName("\(partition.topic)/\(partition.partition)")
    }

    /// Creates the names for a log that does not belong to a partition.
    init(standIn: KafkaTopicPartition, prefix: ObjectName) {
        partition = standIn
        self.prefix = prefix
    }

    /// Creates the names for the log in a folder; returns nil if the folder is not named `<topic>/<partition>`.
    package init?(folder: ObjectName) {
        let components = folder.components
        guard components.count == 2, let number = Int32(components[1]), number >= 0, String(number) == components[1]
        else { return nil }
        let topic = KafkaTopic(rawValue: String(components[0]))
        partition = KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: number))
        prefix = folder
    }

    /// Returns the first line of the log's checkpoints: `<archive's origin>/<topic>/<partition>`.
    package func origin(archive: String) -> String { "\(archive)/\(prefix)" }

    package func checkpoint() throws(ObjectStoreError) -> ObjectName { try prefix.appending("checkpoint") }

    /// Returns the folder with copies of past checkpoints.
    package func checkpoints() throws(ObjectStoreError) -> ObjectName { try prefix.appending("checkpoints") }

    package func checkpoint(size: Int) throws(ObjectStoreError) -> ObjectName {
        try prefix.appending("checkpoints/\(TilePath.text(number: size))")
    }

    /// Returns the name of the newest checkpoint that a witness cosigned. The name contains the witness's key id in
    /// eight hexadecimal digits.
    package func cosigned(by witness: NoteVerifier) throws(ObjectStoreError) -> ObjectName {
        let digits = String(witness.keyID, radix: 16)
        return try cosigned().appending("\(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)")
    }

    func cosigned() throws(ObjectStoreError) -> ObjectName { try prefix.appending("cosigned") }

    /// Returns the folder for staged commits.
    func staging() throws(ObjectStoreError) -> ObjectName { try prefix.appending("staging") }

    func staged(_ commit: StagedName) throws(ObjectStoreError) -> ObjectName {
        try prefix.appending("staging/\(commit.text)")
    }

    package func retention() throws(ObjectStoreError) -> ObjectName { try prefix.appending("retention") }

    /// Returns the name of a hash tile or an entry bundle.
    package func tile(_ path: TilePath) throws(ObjectStoreError) -> ObjectName { try prefix.appending(path.text) }

    /// Returns the name of the segment that contains the objects for the leaves in an entry bundle.
    package func segment(index: Int, width: Int = TilePath.fullWidth) throws(ObjectStoreError) -> ObjectName {
        try prefix.appending("segments/\(TilePath.text(index: index, width: width))")
    }

    /// Returns the kind of a log object, or nil for any other name.
    package func content(_ name: ObjectName) -> LogObject? {
        guard name.isBelow(prefix) else { return nil }
        let rest = String(decoding: name.text.utf8.dropFirst(prefix.text.utf8.count + 1), as: UTF8.self)
        switch rest {
        case "checkpoint": return .checkpoint
        case "retention": return .retention
        default: break
        }
        if rest.hasPrefix("checkpoints/") {
            return TilePath.number(rest.dropFirst("checkpoints/".count)).map(LogObject.checkpointOfSize)
        }
        if rest.hasPrefix("segments/") {
            return TilePath.indexAndWidth(rest.dropFirst("segments/".count)).map(LogObject.segment)
        }
        if rest.hasPrefix("staging/") {
            return StagedName(text: rest.dropFirst("staging/".count)).map(LogObject.staged)
        }
        return TilePath(text: rest).map(LogObject.tile)
    }

    /// Returns whether an object is of a kind that a commit may write: a tile, entries or a segment.
    func isOfTree(_ name: ObjectName) -> Bool {
        switch content(name) {
        case .tile, .segment: true
        case .checkpoint, .checkpointOfSize, .retention, .staged, nil: false
        }
    }
}

/// The kind of a log object.
package enum LogObject: Hashable, Sendable {
    case checkpoint
    case checkpointOfSize(Int)
    case retention
    case tile(TilePath)
    case segment(index: Int, width: Int)
    /// A commit's objects that have not been written under their own names yet.
    case staged(StagedName)
}
