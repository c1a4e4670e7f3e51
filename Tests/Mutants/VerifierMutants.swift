// Checks 3 to 6: decisions before any certificate is examined.

private let verification = "AppStore/AppStoreVerification/"
private let form = MutatedFile(
    .verifier, "3, 4", verification + "Checks/FormChecks.swift", suites: "BodyTests|CompactFormTests")
private let scanner = MutatedFile(
    .verifier, "3", "Platform/JSON/JSONScanner.swift",
    suites: "BodyTests|CompactFormTests|ProfileTests|JSONScannerTests")
private let names = MutatedFile(.verifier, "3", "Platform/JSON/JSONNames.swift", suites: "JSONScannerTests")
private let document = MutatedFile(
    .verifier, "4", "Platform/JSON/JSONDocument.swift", suites: "CompactFormTests|ProfileTests")
private let alphabet = MutatedFile(
    .verifier, "4", "Platform/Primitives/Bytes/Base64Alphabet.swift", suites: "CompactFormTests")
private let base64URL = MutatedFile(
    .verifier, "4", "Platform/Primitives/Bytes/Base64URL.swift", suites: "CompactFormTests")
private let algorithm = MutatedFile(
    .verifier, "5", verification + "Checks/FormChecks.swift", suites: "CompactFormTests")
private let list = MutatedFile(
    .verifier, "6", verification + "Checks/CertificateChecks.swift", suites: "CertificateListTests")
private let header = MutatedFile(
    .verifier, "6", verification + "Checks/FormChecks.swift", suites: "CertificateListTests")
private let base64 = MutatedFile(
    .verifier, "6", "Platform/Primitives/Bytes/Base64.swift", suites: "CertificateListTests|Base64Tests")
private let percent = MutatedFile(
    .verifier, "bytes", "Platform/Primitives/Bytes/PercentEncoding.swift", suites: "PercentEncodingTests")
private let descriptor = MutatedFile(
    .verifier, "bytes", "Platform/Primitives/Bytes/FileDescriptor.swift", suites: "FileDescriptorTests")
private let certificate = MutatedFile(
    .verifier, "6", "Platform/Cryptography/Certificate.swift", suites: "CertificateListTests")

enum VerifierMutants {
    static let all: [Mutant] = beforeCertificates + path + signature + audience + profile + nested + cache + bytes

    private static let bytes: [Mutant] = [
        percent.mutant("percent-end", "index + 2 < source.count", "index + 3 < source.count"),
        percent.mutant(
            "percent-utf8", "String(validating: bytes, as: UTF8.self)", "String(decoding: bytes, as: UTF8.self)"),
        descriptor.mutant("descriptor-limit", "bytes.count <= limit", "true"),
    ]

    private static let beforeCertificates: [Mutant] = [
        form.mutant("body-both-shapes", #"root["notification_type"] == nil"#, "true"),
        form.mutant("body-text", "member.kind == .string", "true"),
        form.mutant(
            "body-legacy-text", #"type.kind == .string || root["password"] != nil"#, "true"),
        scanner.without(
            "json-trailing-bytes", "if position < input.count { throw JSONError(.trailingBytes, at: position) }"),
        scanner.without(
            "json-name-twice",
            "try JSONNames.refuseDuplicates(in: nodes, object: container, atMost: maximumMembers, input)"),
        scanner.mutant("json-names", "namesLeft > 0", "true"),
        scanner.mutant("json-elements", "elementsLeft > 0", "true"),
        names.mutant("json-members", "count <= maximum", "true"),
        form.without("body-legacy-members", "scanned.members = maximumLegacyMembers"),
        scanner.mutant("json-depth", "open.count < maximumDepth", "true"),
        scanner.without(
            "json-control-byte", "throw JSONError(.controlCharacter, at: position)", instead: "position += 1"),
        scanner.mutant("json-utf8", "JSONBytes.utf8SequenceLength(in: input, at: position)", "1"),

        form.mutant("jws-header-empty", "dots[0] > jws.startIndex", "true"),
        form.mutant("jws-payload-empty", "dots[1] > dots[0] + 1", "true"),
        form.mutant("jws-two-segments", "dots.count == 2", "true"),
        document.mutant("jws-header-object", "document.root.kind == .object", "true"),
        alphabet.mutant("base64url-foreign", "seen & Self.foreign == 0", "true"),
        alphabet.without(
            "base64url-other-alphabet", "self.characters = characters",
            instead: """
                if characters[62] == UInt8(ascii: "-") {
                    for place in 0..<4 {
                        places[256 * place + 0x2B] = places[256 * place + 0x2D]
                        places[256 * place + 0x2F] = places[256 * place + 0x5F]
                    }
                }
                self.characters = characters
                """),
        alphabet.mutant("base64url-spare-bits", "spare & 0xFF == 0", "true"),
        alphabet.mutant("base64url-length", "rest != 1", "true"),
        base64URL.mutant(
            "base64url-padding", "text.bindMemory(to: UInt8.self)",
            after: "decode(_ text: UnsafeRawBufferPointer) throws",
            "UnsafeBufferPointer(rebasing: text.bindMemory(to: UInt8.self).prefix { $0 != 0x3D })"),

        algorithm.mutant("alg", "Array(algorithm.utf8) == es256", "true"),
        algorithm.mutant(
            "alg-beginning", "Array(algorithm.utf8) == es256", "algorithm.utf8.starts(with: es256)"),
        algorithm.mutant("alg-case", "Array(algorithm.utf8) == es256", "algorithm.uppercased() == \"ES256\""),
        algorithm.mutant("alg-absent", "header.algorithm", "header.algorithm ?? \"ES256\""),

        list.mutant("x5c-one", "(2...4).contains(texts.count)", "!texts.isEmpty"),
        list.mutant(
            "x5c-many",
            [
                list.expression("(2...4).contains(texts.count)", "texts.count >= 2"),
                header.expression("elements.count <= greatestCount", "true"),
            ]),
        list.mutant(
            "x5c-size", "(1...Certificate.recommendedMaximumByteCount).contains(bytes.count)", "!bytes.isEmpty"),
        list.mutant("x5c-base64", "encoding != nil || index >= 2", "true"),
        list.mutant("x5c-certificate", "certificate != nil || index >= 2", "true"),
        base64.mutant("x5c-base64-length", "characters.count & 3 == 0", "true"),
        certificate.mutant("x5c-trailing-bytes", "cursor == end", "true"),
    ]
}

// Checks 7 to 9: the certificate path.

private let root = MutatedFile(
    .verifier, "7", verification + "Checks/CertificateChecks.swift", suites: "CertificatePathTests|ValidityTests")
private let store = MutatedFile(
    .verifier, "7", "Platform/Cryptography/TrustStore.swift", suites: "CertificatePathTests|ValidityTests")
private let certificatePath = MutatedFile(
    .verifier, "7", "Platform/Cryptography/CertificatePath.swift", suites: "CertificatePathTests")
private let extensions = MutatedFile(
    .verifier, "7", verification + "Checks/CertificateChecks.swift", suites: "CertificatePathTests")
private let facts = MutatedFile(
    .verifier, "7", "Platform/Cryptography/Certificate+Facts.swift",
    suites: "CertificatePathTests|CertificateExtensionTests|CertificateTests")
private let leafMarker = MutatedFile(
    .verifier, "8", verification + "Checks/CertificateChecks.swift", suites: "CertificatePathTests")
private let intermediateMarker = MutatedFile(
    .verifier, "9", verification + "Checks/CertificateChecks.swift",
    suites: "CertificatePathTests|CertificateExtensionTests")
private let authority = MutatedFile(
    .verifier, "9", "Platform/Cryptography/TrustStore.swift", suites: "CertificatePathTests")

/// Makes OpenSSL ignore these errors.
private func ignoring(_ errors: String) -> String {
    """
    X509_VERIFY_PARAM_set_depth(parameters, 2)
    X509_STORE_set_verify_cb(store) { good, context in
        guard good != 1 else { return 1 }
        guard [\(errors)].contains(X509_STORE_CTX_get_error(context)) else { return 0 }
        X509_STORE_CTX_set_error(context, X509_V_OK)
        return 1
    }
    """
}

extension VerifierMutants {
    private static let depth = "X509_VERIFY_PARAM_set_depth(parameters, 2)"
    private static let flags = "UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_NO_CHECK_TIME)"

    private static let path: [Mutant] = [
        root.mutant(
            "root-of-x5c", "trust.validate(chain: certificates.compactMap { $0 })",
            """
            ((try? TrustStore(roots: trust.roots + certificates.suffix(1).compactMap { $0 }.filter { !trust.roots.contains($0) }))
                ?? trust).validate(chain: certificates.compactMap { $0 })
            """),
        store.without("chain-signature", depth, instead: ignoring("X509_V_ERR_CERT_SIGNATURE_FAILURE")),
        certificatePath.mutant("chain-of-four", "certificates.count == 3", "certificates.count >= 3"),
        root.mutant(
            "chain-weak-leaf-signature",
            [
                root.expression("isStrong(leaf.signatureAlgorithm)", "true"),
                store.statement(
                    "X509_VERIFY_PARAM_set_auth_level(parameters, 3)", "X509_VERIFY_PARAM_set_auth_level(parameters, 0)"
                ),
            ]),
        root.mutant("chain-weak-intermediate-signature", "isStrong(intermediate.signatureAlgorithm)", "true"),
        root.mutant(
            "chain-intermediate-key",
            "intermediate.publicKeyKind == .p256 || intermediate.publicKeyKind == .p384", "true"),
        root.mutant("chain-time-of-openssl", [store.expression(flags, "UInt(X509_V_FLAG_TRUSTED_FIRST)")]),
        extensions.mutant("extensions-of-leaf", "[leaf, intermediate]", "[intermediate]"),
        extensions.mutant("extensions-of-intermediate", "[leaf, intermediate]", "[leaf]"),
        facts.mutant("extension-name-constraints", "NID_name_constraints", "NID_policy_constraints"),
        facts.mutant("extension-policy-constraints", "NID_policy_constraints", "NID_name_constraints"),
        facts.mutant("extension-policy-mappings", "NID_policy_mappings", "NID_name_constraints"),
        facts.mutant("extension-inhibit-any-policy", "NID_inhibit_any_policy", "NID_name_constraints"),
        facts.mutant("certificate-version", "version == 3", "true"),
        facts.mutant(
            "extension-critical",
            [
                facts.expression("UInt32(EXFLAG_CRITICAL)", "0"),
                store.expression(
                    flags,
                    "UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_NO_CHECK_TIME | X509_V_FLAG_IGNORE_CRITICAL)"),
            ]),
        leafMarker.mutant("leaf-marker", "leaf.extensionCount(leafMarker) == 1", "true"),
        leafMarker.mutant(
            "leaf-marker-twice", "leaf.extensionCount(leafMarker) == 1", "leaf.extensionCount(leafMarker) >= 1"),
        intermediateMarker.mutant(
            "intermediate-marker", "intermediate.extensionCount(intermediateMarker) == 1", "true"),
        intermediateMarker.mutant(
            "intermediate-marker-twice", "intermediate.extensionCount(intermediateMarker) == 1",
            "intermediate.extensionCount(intermediateMarker) >= 1"),
        authority.without(
            "authority-constraint", depth,
            instead: ignoring("X509_V_ERR_INVALID_CA, X509_V_ERR_INVALID_NON_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN")),
        authority.without("authority-path-length", depth, instead: ignoring("X509_V_ERR_PATH_LENGTH_EXCEEDED")),
    ]
}

// Checks 10 and 11: signature and validity.

private let validity = MutatedFile(
    .verifier, "11", verification + "Checks/SignatureChecks.swift", suites: "ValidityTests")
private let window = MutatedFile(
    .verifier, "11", "Platform/Cryptography/CertificateValidity.swift", suites: "ValidityTests")
private let verifier = MutatedFile(
    .verifier, "11", verification + "NotificationDecision.swift", suites: "ValidityTests|CertificateMomentTests")
private let objects = MutatedFile(
    .verifier, "10", verification + "SignedObjectVerifier.swift", suites: "SignatureTests|ValidityTests")
private let signatureCheck = MutatedFile(
    .verifier, "10", verification + "Checks/SignatureChecks.swift", suites: "SignatureTests")
private let leafKey = MutatedFile(
    .verifier, "10", verification + "Checks/SignatureChecks.swift", suites: "CertificatePathTests")
private let key = MutatedFile(
    .verifier, "10", "Platform/Cryptography/P256PublicKey.swift", suites: "CertificatePathTests")
private let raw = MutatedFile(.verifier, "10", "Platform/Cryptography/ECDSASignature.swift", suites: "SignatureTests")

extension VerifierMutants {
    private static let signature: [Mutant] = [
        verifier.without("time", "try SignatureChecks.checkValidity(of: path, at: now)"),
        verifier.mutant("time-of-posted", "moment == .present", "false"),
        verifier.without(
            "time-of-answers", "try SignatureChecks.checkValidity(of: path, whenSigned: document, now: now)"),
        verifier.mutant(
            "time-before-signature",
            [
                objects.statement(
                    "cache.insert(path, digest)",
                    "try SignatureChecks.checkValidity(of: path, at: now); cache.insert(path, digest)")
            ]),
        validity.mutant("time-grace-unlimited", "outside <= graceSeconds", "true"),
        validity.mutant("time-no-grace", "outside <= graceSeconds", "false"),
        window.mutant("time-too-early", "seconds < notBefore", after: "func distance", "false"),
        window.mutant("time-too-late", "seconds > notAfter", after: "func distance", "false"),
        window.mutant(
            "time-of-leaf-only",
            [certificatePath.expression("known.intersection(own)", "known.notBefore == .min ? own : known")]),
        signatureCheck.mutant(
            "signature",
            [
                signatureCheck.expression(
                    "key.verify(digest: digest, rawSignature: signature)", "SignatureResult.valid")
            ]),
        signatureCheck.mutant("signature-length", "signature.count == byteCount", "true"),
        signatureCheck.mutant(
            "signature-longer",
            [
                signatureCheck.expression("signature.count == byteCount", "signature.count >= byteCount"),
                raw.expression("raw.count == rawByteCount", "raw.count >= rawByteCount"),
            ]),
        objects.without(
            "signature-length-under-known-header", "try SignatureChecks.checkLength(signature)",
            after: "private func open("),
        leafKey.mutant("leaf-authority", "!leaf.isCertificateAuthority", "true"),
        leafKey.mutant("leaf-key-usage", "leaf.maySignData", "true"),
        key.mutant("leaf-key-kind", "certificate.publicKeyKind == .p256", "true"),
    ]
}

// Check 13: the audience.

private let kind = MutatedFile(.verifier, "13", verification + "NotificationDecision.swift", suites: "AudienceTests")
private let audienceCheck = MutatedFile(
    .verifier, "13", verification + "Checks/AudienceCheck.swift", suites: "AudienceTests|ProfileTests")
private let identifiers = MutatedFile(
    .verifier, "13", "AppStore/AppStoreModel/Values/Identifiers.swift", suites: "AudienceTests")
private let containers = MutatedFile(
    .verifier, "13", "AppStore/AppStoreModel/Envelopes/NotificationEnvelope.swift",
    suites: "AudienceTests|NotificationEnvelopeTests")
private let members = MutatedFile(
    .verifier, "13", "AppStore/AppStoreModel/Envelopes/EnvelopeField.swift",
    suites: "AudienceTests|NotificationEnvelopeTests")
private let setup = MutatedFile(
    .verifier, "13", verification + "VerifierConfiguration.swift", suites: "VerifierSetupTests")

extension VerifierMutants {
    private static let audience: [Mutant] = [
        kind.without("audience-kind", "try AudienceCheck.checkKind(read)"),
        audienceCheck.mutant(
            "audience-bundle", "apps[bundleId]", after: "guard let bundleId = envelope.bundleId.value",
            "apps[bundleId] ?? apps.values.first"),
        audienceCheck.mutant("audience-environment", "isExpected || environment == .sandbox", "true"),
        audienceCheck.mutant("audience-sandbox", "!isExpected", "false"),
        audienceCheck.mutant("audience-ambiguous", "envelope.environment.fault == .ambiguous", "false"),
        audienceCheck.mutant("audience-number", "envelope.appAppleId.fault != nil", "false"),
        audienceCheck.mutant("audience-app-id", "appAppleId != app.appAppleId", "false"),
        audienceCheck.mutant("audience-app-id-absent", "Self.needsAppAppleId(envelope)", "false"),
        audienceCheck.mutant("audience-kind-by-other", "$0 != .other", "true"),
        containers.mutant("audience-other-container", "reader.namesApp", "false"),
        members.mutant("audience-other-by-name", "!names.contains(document.text(of: name))", "true"),
        audienceCheck.mutant(
            "audience-known-environment", "environment == .production || environment == .sandbox", "true"),
        identifiers.mutant(
            "audience-bytes", "lhs.rawValue.hasBytes(of: rhs.rawValue)", "lhs.rawValue == rhs.rawValue"),
        audienceCheck.mutant("audience-containers", "envelope.containers.count == 1", "true"),
        audienceCheck.mutant(
            "audience-malformed-container", "!envelope.hasMalformedContainer", after: "envelope.containers.count == 1",
            "true"),
        audienceCheck.mutant(
            "audience-of-no-container",
            "envelope.containerBundleIds.contains(where: { $0.map(isConfigured) ?? false })", "true"),
        setup.mutant("audience-xcode", "app.environments.isSubset(of: [.production, .sandbox])", "true"),
    ]
}

// Check 14: the profile.

private let grammar = MutatedFile(
    .verifier, "14", "AppStore/AppStoreModel/Values/TextGrammar.swift", suites: "ProfileTests|ProfileFieldTests")
private let outer = MutatedFile(
    .verifier, "14", verification + "Checks/ProfileChecks.swift",
    suites: "ProfileTests|ProfileFieldTests|NestedObjectTests|CertificateListTests")
private let validatedPath = MutatedFile(
    .verifier, "14", verification + "Checks/CertificateChecks.swift", suites: "CertificateListTests")
private let presence = MutatedFile(
    .verifier, "14", verification + "Checks/NestedObjectChecks.swift", suites: "NestedObjectTests")

extension VerifierMutants {
    private static let profile: [Mutant] = [
        outer.without("profile-header", "try checkHeader(object.header, of: \"signedPayload\")"),
        outer.mutant("profile-critical", "!header.hasCriticalMembers", "true"),
        outer.mutant("profile-chain", "!header.path.hasUnexpectedShape", "true"),
        validatedPath.mutant("profile-chain-count", "certificates.count != 3", "false"),
        validatedPath.mutant("profile-chain-third", "certificates[2] == nil", "false"),
        validatedPath.mutant("profile-chain-order", "certificates[1] != intermediate", "false"),
        outer.without(
            "profile-type-text",
            "try TextChecks.check(envelope.notificationType, \"notificationType\", TextGrammar.isToken)"),
        outer.without(
            "profile-subtype-text", "try TextChecks.check(envelope.subtype, \"subtype\", TextGrammar.isToken)"),
        outer.mutant("profile-uuid", "id.isWellFormed", "true"),
        outer.mutant("profile-version-required", "requiresVersion", after: "notificationUUID is not a UUID", "true"),
        outer.mutant("profile-version", "version.hasPrefix(\"2.\")", "true"),
        outer.mutant("profile-version-text", "TextGrammar.isToken(version)", "true"),
        outer.mutant("profile-date-early", "milliseconds >= earliest", "true"),
        outer.mutant("profile-date-late", "overflow || milliseconds <= latest", "true"),
        outer.without(
            "profile-external-purchase-text",
            "try TextChecks.check(envelope.externalPurchaseId, \"externalPurchaseId\", TextGrammar.isToken)"),
        outer.without(
            "profile-request-text",
            "try TextChecks.check(envelope.requestIdentifier, \"requestIdentifier\", TextGrammar.isToken)"),
        outer.without("profile-escapes", "try TextChecks.checkEscapes(document, of: \"signedPayload\")"),
        grammar.mutant("profile-text-length", "128", after: "greatestCount = ", "100_000"),
        grammar.mutant("profile-number-text", "all(of: bytes) { $0 &- UInt8(ascii: \"0\") < 10 }", "true"),
        grammar.mutant("profile-token-text", "all(of: bytes, isTokenByte)", "true"),
        outer.mutant("profile-escape-delete", "low == UInt8(ascii: \"f\")", "false"),
        outer.without("profile-presence", "try NestedObjectChecks.checkPresence(in: envelope, type: type)"),
        presence.mutant("presence-transaction", "envelope.signedTransactionInfo.isAbsent", "false"),
        presence.mutant("presence-renewal-info", "envelope.signedRenewalInfo.isAbsent", "false"),
        presence.mutant("presence-app-transaction", "!envelope.signedAppTransactionInfo.isAbsent", "true"),
    ]
}

private let nestedObjects = MutatedFile(
    .verifier, "14", verification + "Checks/NestedObjectChecks.swift",
    suites: "NestedObjectTests|NestedTimeTests|ProfileTests")
private let consistency = MutatedFile(
    .verifier, "14", verification + "Checks/NestedObjectChecks.swift",
    suites: "NestedObjectTests|ProfileTests|ProfileFieldTests")

extension VerifierMutants {
    private static let ofTransaction = "_ transaction: TransactionEnvelope, for"
    private static let ofRenewalInfo = "_ renewalInfo: RenewalInfoEnvelope, with"
    private static let ofAppTransaction = "_ appTransaction: AppTransactionEnvelope, for"

    private static let nested: [Mutant] = [
        nestedObjects.without("nested-header", "try ProfileChecks.checkHeader(object.header, of: name)"),
        nestedObjects.without("nested-escapes", "try TextChecks.checkEscapes(document, of: name)"),
        nestedObjects.without("nested-time-of-answers", "try checkValidity(of: object, document, name)"),
        nestedObjects.without("nested-time", "try SignatureChecks.checkValidity(of: object.header.path, at: now)"),
        nestedObjects.mutant("nested-retry", "refusal.status < 500", "true"),
        nestedObjects.without(
            "nested-transaction-date",
            """
            try ProfileChecks.checkDate(transaction.signedDate, of: Self.transaction, at: now, isRequired: false)
            """),
        nestedObjects.without(
            "nested-renewal-info-date",
            "try ProfileChecks.checkDate(renewalInfo.signedDate, of: Self.renewalInfo, at: now, isRequired: false)"
        ),
        consistency.without(
            "nested-transaction-id",
            "try TextChecks.check(transaction.transactionId, \"transactionId\", TextGrammar.isNumber)"),
        consistency.without(
            "nested-original-transaction-id",
            "try TextChecks.check(transaction.originalTransactionId, \"originalTransactionId\", TextGrammar.isNumber)"),
        consistency.without(
            "nested-app-transaction-id-of-transaction",
            "try TextChecks.check(transaction.appTransactionId, \"appTransactionId\", TextGrammar.isToken)"),
        consistency.without(
            "nested-original-transaction-id-of-renewal-info",
            "try TextChecks.check(renewalInfo.originalTransactionId, \"originalTransactionId\", TextGrammar.isNumber)"),
        consistency.without(
            "nested-app-transaction-id-of-renewal-info",
            "try TextChecks.check(renewalInfo.appTransactionId, \"appTransactionId\", TextGrammar.isToken)"),
        consistency.without(
            "nested-app-transaction-id",
            "try TextChecks.check(appTransaction.appTransactionId, \"appTransactionId\", TextGrammar.isToken)"),
        consistency.mutant("nested-transaction-kind", "transaction.isTransaction", "true"),
        consistency.mutant("nested-transaction-bundle", "transaction.bundleId.value == audience.app.bundleId", "true"),
        consistency.mutant(
            "nested-transaction-environment", "transaction.environment.value == audience.environment",
            after: ofTransaction, "true"),
        consistency.mutant("nested-renewal-info-kind", "renewalInfo.isRenewalInfo", "true"),
        consistency.mutant(
            "nested-renewal-info-environment", "renewalInfo.environment.value == audience.environment",
            after: ofRenewalInfo, "true"),
        consistency.mutant(
            "nested-purchase",
            "transaction.originalTransactionId.value != renewalInfo.originalTransactionId.value", "false"),
        consistency.mutant(
            "nested-app-transaction-bundle", "appTransaction.bundleId.value == audience.app.bundleId", "true"),
        consistency.mutant(
            "nested-app-transaction-environment", "environment == audience.environment", after: ofAppTransaction, "true"
        ),
        consistency.mutant("nested-app-transaction-number", "appTransaction.appAppleId.fault == nil", "true"),
        consistency.mutant(
            "nested-app-transaction-app", "appTransaction.appAppleId.value != audience.app.appAppleId", "false"),
    ]
}

// Cached results of earlier decisions must not affect later ones.

private let chainCache = MutatedFile(.verifier, "cache", verification + "ChainCache.swift", suites: "ChainCacheTests")
private let limiter = MutatedFile(
    .verifier, "cache", verification + "NewCertificateChainLimiter.swift", suites: "ChainCacheTests")
private let known = MutatedFile(
    .verifier, "cache", verification + "SignedObjectVerifier.swift", suites: "ChainCacheTests|NestedChainTests")

extension VerifierMutants {
    private static let cache: [Mutant] = [
        known.without(
            "cache-before-signature", "if known != nil { cache.insert(fresh) }",
            instead: "cache.insert(fresh)"),
        known.mutant("cache-none", "cache.header(of: jws)", after: "func open(_ jws", "cache.header(of: [])"),
        known.mutant("limiter-for-known", "known == nil && !isNested", "!isNested"),
        known.mutant("limiter-for-nested", "known == nil && !isNested", "known == nil"),
        known.mutant("limiter-none", "known == nil && !isNested", "false"),
        chainCache.mutant("cache-lifetime", "age < lifetime", "true"),
        chainCache.mutant("cache-last-millisecond", "age < lifetime", "age <= lifetime"),
        chainCache.mutant("cache-clock-set-back", "age >= 0", "true"),
        chainCache.mutant("cache-header-bytes", "jws.hasPrefix(header.text)", "true"),
        chainCache.mutant("cache-header-end", "jws[jws.startIndex + count] == UInt8(ascii: \".\")", "true"),
        chainCache.mutant("cache-header-count", "state.headers.count >= Self.capacity", "false"),
        chainCache.mutant("cache-path-count", "state.paths.count >= Self.capacity", "false"),
        known.without("remember-validity", "try SignatureChecks.checkValidity(of: path, at: now)"),
        limiter.mutant("limiter-clocks", "back <= 1000", "false"),
        limiter.mutant("limiter-rate", "state.tokens >= 1000", "true"),
        limiter.mutant("limiter-concurrency", "state.running.count < limits.concurrency", "true"),
        limiter.mutant("limiter-same-path", "state.running[path] != nil", "false"),
        limiter.mutant("limiter-refill", "state.tokens + elapsed * perSecond", "state.tokens"),
    ]
}
