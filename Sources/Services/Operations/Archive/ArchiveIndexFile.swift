internal import FoundationEssentials

/// The file of the index.
enum ArchiveIndexFile {
    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
