// Precomputed key tables: the choice of keys, their results, and the detection of faulty tables.

private let verification = "AppStore/AppStoreVerification/"
private let keys = MutatedFile(
    .verifier, "10", verification + "FixedKeys.swift", suites: "FixedKeysTests|FixedKeyFaultTests")
private let objects = MutatedFile(
    .verifier, "10", verification + "SignedObjectVerifier.swift", suites: "FixedKeysTests|FixedKeyFaultTests")
private let verifier = MutatedFile(
    .verifier, "10", verification + "NotificationDecision.swift", suites: "FixedKeysTests|DuplicateTests")
private let nested = MutatedFile(
    .verifier, "10", verification + "Checks/NestedObjectChecks.swift", suites: "FixedKeysTests")
private let setup = MutatedFile(
    .verifier, "10", verification + "VerifierConfiguration.swift", suites: "FixedKeysTests")
private let equation = MutatedFile(
    .verifier, "10", "Platform/Cryptography/P256FixedKeyTable+Equation.swift", suites: "FixedKeyTableTests")
private let selfTest = MutatedFile(
    .verifier, "10", "Platform/Cryptography/P256FixedKeyTable+SelfTest.swift", suites: "FixedKeyTableTests")

enum TableMutants {
    static let all: [Mutant] = decisions + faults + making + arithmetic

    private static let isRechecked = "table.accepted.add(1, ordering: .relaxed).oldValue % recheckedOneIn == 0"

    private static let decisions: [Mutant] = [
        keys.mutant("tables-no-accepts", "object.isGoodByTable == true", "object.isGoodByTable != nil"),
        keys.mutant("tables-recheck", isRechecked, "false"),
        keys.mutant(
            "tables-recheck-first", isRechecked,
            "table.accepted.add(1, ordering: .relaxed).newValue % recheckedOneIn == 0"),
        keys.mutant("tables-of-another-key", "$0.table === table", after: "let together", "true"),
        verifier.without("tables-ask-outer", "objects.fixedKeys?.judge(opened.flatMap(\\.signatures))"),
        verifier.without("tables-ask-nested", "objects.fixedKeys?.judge(authentic.flatMap(\\.signatures))"),
        objects.mutant("tables-stale-header", "ChainCache.isFresh(known.path, at: now)", "true"),
        verifier.mutant("duplicate-before-nested", "isAcknowledged(id, audience.environment)", "false"),
        setup.mutant(
            "tables-recheck-bounds", "(1...FixedKeyTables.greatestRecheck).contains(tables.recheckedOneIn)", "true"),
    ]

    private static let faults: [Mutant] = [
        keys.mutant("tables-after-fault", "!isOff.load(ordering: .acquiring)", after: "func isDecided", "true"),
        keys.mutant("tables-disagreement", "said != isGood", "false"),
        keys.without("tables-kept-after-fault", "turnOff()", after: "private func fail"),
        keys.without("tables-used-after-fault", "state.withLock { $0 = State() }"),
        keys.mutant(
            "tables-made-during-fault", "!isOff.load(ordering: .acquiring)", after: "private func make(", "true"),
        keys.mutant("tables-made-after-fault", "!isOff.load(ordering: .acquiring)", after: "func makeTable", "true"),
        keys.mutant("tables-untested", "making.passesTest(multiples, digest, signature)", "true"),
        objects.without("tables-compare-accepted", "fixedKeys?.compare(object, isGood: true)"),
        objects.without("tables-compare-refused", "fixedKeys?.compare(object, isGood: false)"),
    ]

    private static let making: [Mutant] = [
        verifier.without("tables-made", "objects.fixedKeys?.makeTable(for: object, at: now)"),
        nested.without("tables-made-for-nested", "verifier.fixedKeys?.makeTable(for: object, at: now)"),
        keys.mutant("tables-one-at-a-time", "!state.isMaking", "true"),
        keys.mutant(
            "tables-twice", "!state.tables.contains(where: { $0.publicKey == path.publicKey })", "true"),
        keys.mutant("tables-count-wanted", "state.tables.count >= Self.capacity", after: "func makeTable", "false"),
        keys.mutant("tables-count", "state.tables.count >= Self.capacity", after: "private func make(", "false"),
        keys.mutant("tables-in-use", "unused >= Self.shortestUse", "true"),
        keys.mutant(
            "tables-least-recent",
            "tables[$0].lastUse.load(ordering: .relaxed) < tables[$1].lastUse.load(ordering: .relaxed)",
            "tables[$0].lastUse.load(ordering: .relaxed) > tables[$1].lastUse.load(ordering: .relaxed)"
        ),
        keys.without("tables-last-use", "table.lastUse.store(now, ordering: .relaxed)"),
        keys.without("tables-no-thread", "if !isStarted { state.withLock { $0.isMaking = false } }"),
    ]

    private static let arithmetic: [Mutant] = [
        equation.mutant("tables-s-zero", "BN_is_zero(lane.s) == 0", "true"),
        equation.mutant("tables-s-range", "BN_cmp(lane.s, order) < 0", "true"),
        equation.mutant("tables-infinity", "EC_POINT_is_at_infinity(curve.group, sum) == 1", "false"),
        equation.mutant("tables-equation", "BN_cmp(scratch.x, lane.r) == 0", "true"),
        selfTest.mutant(
            "tables-test-multiples", "multipliesRightly() && judgesRightly(digest, rawSignature)",
            "judgesRightly(digest, rawSignature)"),
        selfTest.mutant(
            "tables-test-signatures", "multipliesRightly() && judgesRightly(digest, rawSignature)",
            "multipliesRightly()"),
        selfTest.mutant("tables-test-entries", "(1...63).map { digit in number { _ in digit } }", "[]"),
    ]
}
