/// Part of check 14: the header has neither `crit` nor `b64`. They would change what the signature means, Apple sends
/// neither, and a library that overlooks them is wrong (RFC 7515 section 4.1.11, RFC 7797 section 6).
enum CriticalMemberCheck {
    static func check(_ header: KnownHeader, of object: String) throws(Rejection) {
        guard !header.hasCriticalMembers else {
            throw .nonconforming(.profileCritical, detail: "\(object): crit or b64")
        }
    }
}
