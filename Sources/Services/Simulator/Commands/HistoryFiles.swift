internal import AppStoreModel
internal import FoundationEssentials
internal import Primitives

/// The directory named by `--history-files`.
struct HistoryFiles {
    let directory: String

    /// Adds every `.jws` file to the app's history, in file name order.
    ///
    /// - Throws: ``SimulatorError`` if the directory or a file is unreadable, or if a notification belongs to a
    ///   different app or to an environment that is not served.
    func list(in api: SimulatedServerAPI) throws {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw SimulatorError(description: "--history-files \(directory): the directory cannot be read")
        }
        let files = names.filter { $0.hasSuffix(".jws") }.sorted()
        guard !files.isEmpty else {
            throw SimulatorError(description: "--history-files \(directory): the directory contains no .jws files")
        }
        for name in files { try list(directory + "/" + name, in: api) }
    }

    private func list(_ path: String, in api: SimulatedServerAPI) throws {
        let text: [UInt8]?
        do throws(FileDescriptor.Failure) {
            text = try FileDescriptor(reading: path).readToEnd(limit: CapturedNotification.maximumBytes)
        } catch { throw SimulatorError(description: "\(path) cannot be read: \(error)") }
        guard let text, let captured = CapturedNotification(text) else {
            throw SimulatorError(description: "\(path) is neither a notification JWS nor a body that contains one")
        }
        guard api.list(captured) else {
            throw SimulatorError(
                description:
                    "\(path) belongs to \(captured.bundleId) in \(captured.environment.rawValue), which is not served; "
                    + "set --app and the served environment accordingly")
        }
    }
}
