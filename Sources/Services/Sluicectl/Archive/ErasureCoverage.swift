internal import AppStoreModel
internal import Configuration
internal import Lifecycle

/// Determines the end of the period that an erasure covers: the current time, if this host's clock is consistent with
/// the archive's records.
///
/// If the clock were ahead, the period would end in the future, and every record of the person that arrives before then
/// would be permanently dropped.
enum ErasureCoverage {
    /// The maximum time, in milliseconds, by which the clock may be ahead of the newest archived record in any topic.
    static let tolerance: Int64 = 86_400_000

    static let signedUntil = Setting(
        "signed-until", .instant,
        help: """
            Erase everything signed up to this time. Default: now, if a record from the last day is archived, which \
            shows that the clock is correct.
            """
    ).optional.onCommandLineOnly

    /// - Parameters:
    ///   - now: the time of this host's clock, in milliseconds since 1970.
    ///   - newest: the newest timestamp of an archived record, or nil if no record has one.
    /// - Throws: a ``StartupError`` if the clock is more than a day ahead of the archive, or the requested time is in
    ///   the future.
    static func end(_ configuration: Configuration, now: Int64, newest: Int64?) throws(StartupError) -> AppStoreInstant
    {
        let present = AppStoreInstant(clampingMillisecondsSince1970: now)
        if let given = configuration[signedUntil] {
            guard given <= present else {
                throw StartupError(
                    "payloads signed in the future cannot be erased: \(given)", setting: "--signed-until",
                    fix: "Specify a time up to now, \(present)", exitCode: .usage)
            }
            return given
        }
        guard let newest, now.subtractingReportingOverflow(newest).partialValue > tolerance else { return present }
        let record = AppStoreInstant(clampingMillisecondsSince1970: newest)
        throw StartupError(
            "this host's clock shows \(present), but the newest archived record is from \(record): if the "
                + "clock is fast, records that arrive before the time that it shows would be dropped",
            setting: "--signed-until",
            fix: "Correct the clock; if it is correct and no records have arrived since, set --signed-until \(present)")
    }
}
