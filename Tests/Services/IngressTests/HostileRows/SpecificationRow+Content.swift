/// Rows H-99 to H-128: what was signed, and version 1.
extension SpecificationRow {
    static let content: [SpecificationRow] = [
        SpecificationRow("H-99", "another bundleId", .refused(403, "audience")),
        SpecificationRow("H-100", "another appAppleId", .refused(403, "audience")),
        SpecificationRow("H-101", "Sandbox for an app of production", .sandbox),
        SpecificationRow("H-102", "Xcode or LocalTesting", .refused(403, "audience")),
        SpecificationRow("H-103", "another signed object as a notification", .refused(403, "type_confusion")),
        SpecificationRow("H-104", "an unknown type or subtype", .accepted),
        SpecificationRow("H-105", "no UUID, or none that is one", .quarantined("profile_uuid"), .accepted),
        SpecificationRow("H-106", "another version", .quarantined("profile_version"), .accepted),
        SpecificationRow("H-107", "nested objects absent or wrong", .quarantined("profile_nested"), .accepted),
        SpecificationRow("H-108", "numbers with fractions or too great", .quarantined("profile_number"), .accepted),
        SpecificationRow("H-109", "numbers out of range, own chain", .refused(403, "chain_root")),
        SpecificationRow("H-110", "dates out of range", .quarantined("profile_date")),
        SpecificationRow("H-111", "no signedDate", .quarantined("profile_date")),
        SpecificationRow("H-112", "signedDate ahead by more than 24 hours", .quarantined("profile_date"), .accepted),
        SpecificationRow("H-113", "signedDate a year old", .accepted),
        SpecificationRow("H-114", "one notification 1,000 times", .accepted, .duplicate),
        SpecificationRow(
            "H-115", "two containers", .quarantined("profile_container"), .refused(403, "audience"), .accepted),
        SpecificationRow(
            "H-116", "a token that begins with sandbox", .quarantined("profile_container"), .sandbox, .accepted),
        SpecificationRow("H-117", "a signed payload in another encoding", .quarantined("profile_encoding")),
        SpecificationRow("H-118", "a signed member twice", .quarantined("profile_dup")),
        SpecificationRow("H-119", "a signed payload that is no object", .quarantined("profile_encoding")),
        SpecificationRow("H-120", "signed texts that mean harm", .quarantined("profile_text"), .accepted),
        SpecificationRow("H-121", "version 1: wrong password", elsewhere: withoutVersion1),
        SpecificationRow("H-122", "version 1: no password", elsewhere: withoutVersion1),
        SpecificationRow("H-123", "version 1: guesses", elsewhere: withoutVersion1),
        SpecificationRow("H-124", "version 1: unknown type", elsewhere: withoutVersion1),
        SpecificationRow("H-125", "version 1: another app", elsewhere: withoutVersion1),
        SpecificationRow("H-126", "version 1: a receipt of 4 MiB", .closed(413, "too_large")),
        SpecificationRow("H-127", "version 1: the password elsewhere", elsewhere: withoutVersion1),
        SpecificationRow("H-128", "version 1 while no app takes it", .refused(403, "v1_disabled")),
    ]

    private static let withoutVersion1 = "no app takes version 1: answered as H-128, whatever it says"

    /// The table of the specification.
    static let all: [SpecificationRow] = transport + bodies + trust + content
}
