/// One check taken out of a copy of the sources: what is replaced, and whose tests have to notice.
struct Mutant {
    let name: String
    /// The number among the fourteen checks of a decision, or the limit or rule that it belongs to.
    let check: String
    let room: Room
    /// Suites that are run first, as a regular expression; when they pass, all tests of the room are.
    let suites: String
    /// More than one where two layers refuse the same: then only both together can be missed.
    let edits: [Edit]
}

/// Whose tests must fail.
enum Room: String, CaseIterable {
    case verifier, revocation, http, ingress

    /// The test targets, as a regular expression over the names of tests.
    var tests: String {
        switch self {
        case .verifier: "^(AppStoreVerificationTests|CryptographyTests|AppStoreModelTests)\\."
        case .revocation: "^(CryptographyTests|AppStoreVerificationTests|IngressTests\\.OCSPOverHTTP)"
        case .http: "^HTTPServerTests\\."
        case .ingress: "^(IngressTests\\.|KafkaTests\\.ProducerBreakerTests)"
        }
    }

    static let testTargets = [
        "AppStoreVerificationTests", "CryptographyTests", "AppStoreModelTests", "HTTPServerTests", "IngressTests",
        "KafkaTests",
    ]
}

/// A text of one source file and what stands there instead while the mutant is chosen.
struct Edit {
    enum Kind {
        case expression, statement
    }

    let kind: Kind
    /// Below `Sources`.
    let file: String
    /// The text is the first one after this; without it there must be only one in the file.
    let anchor: String?
    let text: String
    let replacement: String
}

/// Writes mutants of one file and check, one a line.
struct Place {
    let room: Room
    let check: String
    let file: String
    let suites: String

    init(_ room: Room, _ check: String, _ file: String, suites: String) {
        self.room = room
        self.check = check
        self.file = file
        self.suites = suites
    }

    /// An expression that becomes another of the same type.
    func expression(_ text: String, after anchor: String? = nil, _ replacement: String) -> Edit {
        Edit(kind: .expression, file: file, anchor: anchor, text: text, replacement: replacement)
    }

    /// Whole statements, none of which declares anything, that become others or none.
    func statement(_ text: String, after anchor: String? = nil, _ replacement: String) -> Edit {
        Edit(kind: .statement, file: file, anchor: anchor, text: text, replacement: replacement)
    }

    /// `text`, an expression, becomes `replacement`.
    func mutant(_ name: String, _ text: String, after anchor: String? = nil, _ replacement: String) -> Mutant {
        mutant(name, [expression(text, after: anchor, replacement)])
    }

    /// `text`, a statement, is left out.
    func without(_ name: String, _ text: String, after anchor: String? = nil, instead: String = "") -> Mutant {
        mutant(name, [statement(text, after: anchor, instead)])
    }

    /// Several places at once.
    func mutant(_ name: String, _ edits: [Edit]) -> Mutant {
        Mutant(name: name, check: check, room: room, suites: suites, edits: edits)
    }
}
