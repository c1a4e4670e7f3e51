/// What a leaf stands for: one byte of it.
package enum ArchiveKind: UInt8, Hashable, Sendable, CaseIterable {
    case notification = 1
    case quarantine = 2
    case refund = 3
    case deadLetter = 4
    case erasure = 5
    case certificate = 6
    /// Offsets under which the archive got no record, see ``ArchiveGap``.
    case gap = 7

    /// As commands print it and take it.
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

    /// Whether it may be about a person, so that it is encrypted under the key of its subject.
    package var isPersonal: Bool {
        switch self {
        case .notification, .quarantine, .refund, .deadLetter: true
        case .erasure, .certificate, .gap: false
        }
    }
}
