internal import AppStoreModel
internal import CommandLine

extension PlainText {
    /// Formats a time with second precision: `2026-11-21T17:15:16Z`.
    static func seconds(_ instant: AppStoreInstant) -> String {
        String(instant.description.prefix(19)) + "Z"
    }
}
