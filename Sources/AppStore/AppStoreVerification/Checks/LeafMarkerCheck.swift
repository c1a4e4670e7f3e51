internal import Cryptography

/// Check 8: the leaf carries Apple's marker for signing App Store receipts exactly once. Without it any certificate under
/// Apple's root, such as a developer's, could sign.
enum LeafMarkerCheck {
    private static let marker = OID("1.2.840.113635.100.6.11.1")

    static func isMarked(_ leaf: Certificate) -> Bool { leaf.extensionCount(marker) == 1 }

    static func check(_ leaf: Certificate) throws(Rejection) {
        guard isMarked(leaf) else {
            throw .refused(
                Refusal(.leafMarker, at: .leafMarker, .forbidden, detail: "the leaf is not marked for receipt signing"))
        }
    }
}
