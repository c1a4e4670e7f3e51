/// The disk of a member: files in memory that can fail, fill up, lose power, or be lost.
final class SimulatedDisk {
    /// The files of the member's database by suffix: the database itself, `-wal`, `-journal`.
    private(set) var files: [String: SimulatedFile] = [:]
    /// The number of further writes that fail.
    var failingWrites = 0
    /// Whether no file may grow.
    var isFull = false

    init() {}

    func file(_ suffix: String) -> SimulatedFile? { files[suffix] }

    func create(_ suffix: String) -> SimulatedFile {
        if let file = files[suffix] { return file }
        let file = SimulatedFile()
        files[suffix] = file
        return file
    }

    func remove(_ suffix: String) { files[suffix] = nil }

    /// Returns a copy as a killed process leaves it.
    func afterKill() -> SimulatedDisk { copy { SimulatedFile(afterKillOf: $0) } }

    /// Returns a copy as a power loss leaves it.
    ///
    /// - Parameter isKept: decides for each unsynced change, in order of the files' names.
    func afterPowerLoss(_ isKept: () -> Bool) -> SimulatedDisk {
        copy { SimulatedFile(afterPowerLossOf: $0, isKept) }
    }

    private func copy(_ body: (SimulatedFile) -> SimulatedFile) -> SimulatedDisk {
        let disk = SimulatedDisk()
        for (suffix, file) in files.sorted(by: { $0.key < $1.key }) { disk.files[suffix] = body(file) }
        return disk
    }
}
