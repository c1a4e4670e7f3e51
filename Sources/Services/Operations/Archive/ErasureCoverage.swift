internal import AppStoreModel
internal import Configuration
internal import Lifecycle

/// Determines the end of the period that an erasure covers: the current time, if this host's clock agrees with the
/// archive's records.
///
/// If the clock were ahead, all records of the person that arrive before that time would be permanently dropped on
/// arrival.
enum ErasureCoverage {
    /// The maximum time in milliseconds by which the clock may be ahead of the newest archived record of any topic.
    static let tolerance: Int64 = 86_400_000

    static let signedUntil = Setting(
        "signed-until", .instant,
        help: """
            What was signed until then is erased. Default: now, where a record of the last day is archived, so that the \
            clock is known to be right.
            """
    ).optional.onCommandLineOnly

    /// - Parameters:
    ///   - now: this host's clock, in milliseconds since 1970.
    ///   - newest: the newest timestamp of an archived record.
    /// - Throws: a ``StartupError`` if the clock is more than a day ahead of the archive, or the requested time is in
    ///   the future.
    static func end(_ configuration: Configuration, now: Int64, newest: Int64?) throws(StartupError) -> AppStoreInstant
    {
        let present = AppStoreInstant(clampingMillisecondsSince1970: now)
        if let given = configuration[signedUntil] {
            guard given <= present else {
                throw StartupError(
                    "what is signed in the future cannot be erased: \(given)", setting: "--signed-until",
                    fix: "Give a time up to now, \(present)", exitCode: .usage)
            }
            return given
        }
        guard let newest, now.subtractingReportingOverflow(newest).partialValue > tolerance else { return present }
        let record = AppStoreInstant(clampingMillisecondsSince1970: newest)
        throw StartupError(
            "this host's clock says \(present), and the newest record of the archive is of \(record): if the clock is ahead, "
                + "what comes until then would be dropped on its arrival",
            setting: "--signed-until",
            fix: "Correct the clock, or where it is right and nothing came since, give --signed-until \(present)")
    }
}
