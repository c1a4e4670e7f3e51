internal import Cryptography

/// Check 9: the intermediate carries the marker of Apple's Worldwide Developer Relations exactly once.
/// That it may issue certificates is part of the path, see ``PinnedRootCheck``.
enum IntermediateMarkerCheck {
    private static let marker = OID("1.2.840.113635.100.6.2.1")

    static func isMarked(_ intermediate: Certificate) -> Bool { intermediate.extensionCount(marker) == 1 }

    static func check(_ intermediate: Certificate) throws(Rejection) {
        guard isMarked(intermediate) else {
            throw .refused(
                Refusal(
                    .intermediateMarker, at: .intermediateMarker, .forbidden,
                    detail: "the intermediate is not marked as Worldwide Developer Relations"))
        }
    }
}
