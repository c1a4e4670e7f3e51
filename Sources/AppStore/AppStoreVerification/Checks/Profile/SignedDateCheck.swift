internal import AppStoreModel

/// Part of check 14: `signedDate` is a moment since the App Store exists and at most 24 hours ahead of now. How old it is
/// does not matter: histories and replays are old.
enum SignedDateCheck {
    /// 10 July 2008, when the App Store opened.
    private static let earliest: Int64 = 1_215_648_000_000
    private static let greatestLead: Int64 = 24 * 3_600_000

    /// - Parameter now: milliseconds since 1970.
    static func check(
        _ date: EnvelopeField<AppStoreInstant>, of object: String, at now: Int64, isRequired: Bool
    ) throws(Rejection) {
        if date.isAbsent, !isRequired { return }
        guard let date = date.value else {
            throw .nonconforming(.profileDate, detail: "\(object): signedDate is not a date")
        }
        let (latest, overflow) = now.addingReportingOverflow(greatestLead)
        let milliseconds = date.millisecondsSince1970
        guard milliseconds >= earliest, overflow || milliseconds <= latest else {
            throw .nonconforming(.profileDate, detail: "\(object): signedDate is out of range")
        }
    }
}
