internal import CommandLine
internal import Kafka
internal import Lifecycle
internal import Records

/// Prints Apple-signed payloads as compact JWS, one per line, until the count is reached or the output is closed.
actor SignedPrinter {
    private let console: Console
    private let names: TopicNames
    private let certificates: CertificateDirectory
    /// Maximum time to wait for a header segment that is missing from the certificates topic.
    private let timeout: Duration
    private var left: Int
    /// The number of records counted against the limit that have not been printed yet.
    private var pending = 0
    /// The reason that printing ended early, or nil if it did not.
    private(set) var failure: StartupError?
    /// The number of records that are not notifications or whose payload cannot be rebuilt.
    private(set) var skipped = 0

    init(
        _ console: Console, names: TopicNames, certificates: CertificateDirectory, timeout: Duration, count: Int?
    ) {
        self.console = console
        self.names = names
        self.certificates = certificates
        self.timeout = timeout
        left = count ?? .max
    }

    /// - Returns: whether to continue.
    func take(_ records: [KafkaRecord]) async -> Bool {
        for record in records {
            guard isUnfinished else { return false }
            // Discard the record: the limit is reached, but another partition's record waits for its header segment.
            guard left > 0 else { continue }
            // Decrement before the suspension, because records from other partitions may arrive in the meantime.
            left -= 1
            guard case .notification(let notification) = TappedRecord(record, names: names).content else {
                skip(record, "it is not a notification")
                continue
            }
            pending += 1
            let isOpen = await write(notification, record)
            pending -= 1
            guard isOpen else { return false }
        }
        return isUnfinished
    }

    /// Whether the limit has not been reached, or records that count toward it have not been printed yet. False after a
    /// failure.
    private var isUnfinished: Bool { failure == nil && (left > 0 || pending > 0) }

    private func write(_ notification: NotificationRecord, _ record: KafkaRecord) async -> Bool {
        while true {
            do throws(RebuildError) {
                return await console.write(try notification.rebuild { certificates.segment($0) } + [UInt8(ascii: "\n")])
            } catch .unknownHeader(let reference) {
                guard await certificates.waitForSegment(reference, within: timeout) else {
                    // An interruption also ends the wait.
                    guard !Task.isCancelled else { return false }
                    failure = missing(reference, record)
                    return false
                }
            } catch {
                skip(record, error.description)
                return true
            }
        }
    }

    private func missing(_ reference: HeaderReference, _ record: KafkaRecord) -> StartupError {
        StartupError(
            "\(position(of: record)) references the header segment \(reference), which is not in \(names.certificates)",
            fix: "Check whether \(names.certificates) was deleted or recreated: sluicectl topics check")
    }

    private func skip(_ record: KafkaRecord, _ reason: String) {
        skipped += 1
        console.complain("sluicectl: \(position(of: record)) is not shown: \(reason)")
    }

    private func position(of record: KafkaRecord) -> String { "\(record.topicPartition)@\(record.offset)" }
}
