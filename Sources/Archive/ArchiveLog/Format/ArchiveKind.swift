/// The kind of a leaf's entry, encoded in one byte.
package enum ArchiveKind: UInt8, Hashable, Sendable, CaseIterable {
    case notification = 1
    case quarantine = 2
    case refund = 3
    case deadLetter = 4
    case erasure = 5
    case certificate = 6
    /// A range of offsets without archived records; see ``ArchiveGap``.
    case gap = 7

    /// The name that commands print and accept.
    package var name: String {
        switch self {
        case .notification: "notification"
        case .quarantine: "quarantine"
        case .refund: "refund"
        case .deadLetter: "dead-letter"
        case .erasure: "erasure"
        case .certificate: "certificate"
        case .gap: "gap"
        }
    }

    package init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// Whether entries may contain personal data and are therefore encrypted under their subject's key.
    package var isPersonal: Bool {
        switch self {
        case .notification, .quarantine, .refund, .deadLetter: true
        case .erasure, .certificate, .gap: false
        }
    }
}
