/// Rows H-99 to H-128: the signed content, and version 1, which `LegacyRowTests` tests with a shared secret.
extension ThreatModelRow {
    static let content: [ThreatModelRow] = [
        ThreatModelRow("H-99", "another bundleId", .refused(403, "audience")),
        ThreatModelRow(
            "H-100", "another appAppleId; none in Production", .refused(403, "audience"),
            .quarantined("profile_audience")),
        ThreatModelRow("H-101", "Sandbox, for an app configured for Production only", .sandbox),
        ThreatModelRow(
            "H-102", "Xcode, LocalTesting, an unknown environment or none", .quarantined("profile_audience"),
            .refused(403, "audience")),
        ThreatModelRow("H-103", "another kind of signed object", .refused(403, "type_confusion")),
        ThreatModelRow("H-104", "an unknown type or subtype", .accepted),
        ThreatModelRow(
            "H-105", "no type; no UUID, or one that is not a UUID", .quarantined("profile_uuid"),
            .quarantined("profile_type"), .accepted),
        ThreatModelRow("H-106", "another version", .quarantined("profile_version"), .accepted),
        ThreatModelRow(
            "H-107", "nested objects that are absent, forged, or of another kind, app, environment or purchase",
            .quarantined("profile_nested"), .accepted),
        ThreatModelRow("H-108", "numbers with fractions or beyond 64 bits", .quarantined("profile_number"), .accepted),
        ThreatModelRow(
            "H-109", "numbers out of range, under an untrusted certificate chain", .refused(403, "chain_root")),
        ThreatModelRow("H-110", "dates out of range or with fractions", .quarantined("profile_date"), .accepted),
        ThreatModelRow("H-111", "no signedDate", .quarantined("profile_date")),
        ThreatModelRow("H-112", "signedDate more than 24 hours ahead", .refused(503, "clock"), .accepted),
        ThreatModelRow("H-113", "signedDate a year old", .accepted),
        ThreatModelRow("H-114", "one notification 1,000 times", .accepted, .duplicate),
        ThreatModelRow(
            "H-115", "two containers, or none", .quarantined("profile_container"), .refused(403, "audience"), .accepted),
        ThreatModelRow(
            "H-116", "an external purchase token whose id begins with sandbox", .quarantined("profile_container"),
            .sandbox, .accepted),
        ThreatModelRow("H-117", "a signed payload in another encoding", .quarantined("profile_encoding")),
        ThreatModelRow("H-118", "a duplicate member in the signed payload", .quarantined("profile_dup")),
        ThreatModelRow("H-119", "a signed payload that is not a JSON object", .quarantined("profile_encoding")),
        ThreatModelRow(
            "H-120", "signed texts that are too long or have control characters, paths, markup",
            .quarantined("profile_text"), .accepted),
        ThreatModelRow("H-121", "version 1: a wrong password", elsewhere: "401 `v1_password`, closed"),
        ThreatModelRow("H-122", "version 1: no password", elsewhere: "401 `v1_password`, closed"),
        ThreatModelRow(
            "H-123", "version 1: guessed passwords",
            elsewhere: "401 `v1_password` for each, closed; other notifications are accepted"),
        ThreatModelRow(
            "H-124", "version 1: an unknown type",
            elsewhere:
                "200 `accepted`; what cannot be read, with the right password: 200 `v1_profile`, quarantine topic"),
        ThreatModelRow(
            "H-125", "version 1: another app", elsewhere: "403 `audience`, closed; 200 `sandbox`, sandbox topic"),
        ThreatModelRow("H-126", "version 1: a receipt of 4 MiB", .closed(413, "too_large")),
        ThreatModelRow("H-127", "version 1: the password in the query or a header", elsewhere: "200 `accepted`"),
        ThreatModelRow("H-128", "version 1 while no app has a shared secret", .refused(403, "v1_disabled")),
    ]

    /// The threat model: the table in Sources/AppStore/README.md.
    static let all: [ThreatModelRow] = transport + bodies + trust + content
}
