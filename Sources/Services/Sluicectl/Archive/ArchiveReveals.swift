internal import AppStoreModel
internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Cryptography
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records
internal import ServiceKit

/// Publishes a record of each decryption of archived payloads before showing any of them. Nothing is shown if there is
/// no author, or if the record cannot be published to Kafka.
struct ArchiveReveals {
    let configuration: Configuration
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration
    let publishing: RecordPublishing

    static let author = Setting.string(
        "author", help: "Your name; it is archived and published.", example: "privacy-officer"
    ).optional.onCommandLineOnly
    static let reason = Setting.string(
        "reason", default: "",
        help: "The reason for the access, in a few words without personal data. It is archived and published."
    ).onCommandLineOnly
    /// Settings for a command that decrypts payloads.
    static let schema = ConfigurationSchema(
        [author, reason, ArchiveOptions.request, ApplicationSettings.bootstrapServers],
        openPrefixes: [ApplicationSettings.kafka])

    /// Publishes a reveal record for single records. The reveal record lists their subjects by pseudonym, except
    /// subjects whose keys are not in the key store.
    ///
    /// - Throws: a ``StartupError`` if there is no author or the record cannot be published.
    func record(
        _ command: RevealRecord.Command, _ entries: [ReadEntry], _ store: KeyStore
    ) async throws {
        var subjects: Set<SubjectMark> = []
        for key in Set(entries.compactMap(\.keyId)) {
            if let mark = try store.mark(ofKey: key) { subjects.insert(mark) }
        }
        try await record(
            command, subjects: subjects, marks: store.marksId,
            positions: entries.map { ArchivedPosition($0).text })
    }

    /// Publishes a reveal record for the records selected by a command line.
    ///
    /// - Throws: a ``StartupError``, as ``record(_:_:_:)`` does.
    func record(
        _ command: RevealRecord.Command, scope: String = "", subjects: Set<SubjectMark> = [], marks: String,
        positions: [String] = []
    ) async throws {
        let author = try requireAuthor()
        let topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).erasures
        let record: RevealRecord
        do throws(ArchiveError) {
            record = try RevealRecord(
                command, author: author, reason: configuration[Self.reason],
                request: configuration[ArchiveOptions.request] ?? "", scope: scope,
                subjects: subjects.sorted { $0.hex < $1.hex }, marks: marks, positions: positions,
                at: AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds()))
        } catch {
            throw StartupError(
                "--reason, --request and --author may each be at most \(RevealRecord.maximumTextBytes) bytes long",
                fix: "Shorten them", exitCode: .usage)
        }
        let nonce = HexText.encode(try randomBytes(8))
        do {
            try await publishing.publish([record.produced(to: topic, nonce: nonce)], configuration, timeout)
        } catch let error as StartupError {
            throw StartupError(
                "each access must be archived first, but its record could not be published: \(error.problem)",
                setting: error.setting, fix: error.fix, exitCode: error.exitCode)
        }
    }

    /// - Throws: a ``StartupError`` if no author is set. Commands check this before they read anything.
    @discardableResult
    func requireAuthor() throws(StartupError) -> String {
        guard let author = configuration[Self.author], author.contains(where: { !$0.isWhitespace }) else {
            throw StartupError(
                "an author is required; the name is archived with each access", setting: "--author",
                fix: "Set --author NAME, and --reason or --request", exitCode: .usage)
        }
        return author
    }
}

extension ArchiveReveals {
    init(_ context: CommandContext, _ parts: SluicectlParts) {
        self.init(
            configuration: context.configuration, clocks: context.clocks, timeout: context.timeout,
            publishing: parts.publishing)
    }
}
