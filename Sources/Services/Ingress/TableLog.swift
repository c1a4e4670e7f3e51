internal import AppStoreVerification
internal import Cryptography
internal import Telemetry

/// Logs the events of precomputed key tables. A fault is logged with all data needed to reproduce it. The digest, the
/// signature and the public key are not secret and reveal nothing about a purchase.
enum TableLog {
    static func take(_ event: FixedKeyEvent, _ logger: Logger) {
        switch event {
        case .ready(let publicKey):
            logger.info("precomputed key table in use", [LogField(.publicKey, HexText.encode(publicKey))])
        case .unavailable(let reason):
            logger.warning(
                "precomputed key tables are not available; verifying signatures without them",
                [LogField(.detail, reason)])
        case .testFailed(let publicKey):
            logger.error(
                "precomputed key table failed its self-test; precomputation disabled",
                [LogField(.publicKey, HexText.encode(publicKey))])
        case .disagreement(let disagreement):
            logger.error(
                "precomputed key table failed verification; precomputation disabled",
                [
                    LogField(.publicKey, HexText.encode(disagreement.publicKey)),
                    LogField(.signedDigest, HexText.encode(disagreement.digest)),
                    LogField(.signature, HexText.encode(disagreement.signature)),
                    LogField(.tableAccepts, .boolean(disagreement.isGoodByTable)),
                ])
        }
    }
}
