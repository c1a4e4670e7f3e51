internal import AppStoreVerification
internal import Cryptography
internal import OperatorEvents
internal import Telemetry

/// Logs precomputed key table events. A fault is logged with all data needed to reproduce it. The digest, the signature
/// and the public key are not secret and reveal nothing about a purchase. A fault is also published as an operator
/// event, and lasts until a restart.
enum TableLog {
    /// - Parameter events: publishes operator events; nil if they are off.
    static func take(_ event: FixedKeyEvent, _ logger: Logger, _ events: OperatorEvents?) {
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
            publish(publicKey, "self_test", to: events)
        case .disagreement(let disagreement):
            logger.error(
                "precomputed key table failed verification; precomputation disabled",
                [
                    LogField(.publicKey, HexText.encode(disagreement.publicKey)),
                    LogField(.signedDigest, HexText.encode(disagreement.digest)),
                    LogField(.signature, HexText.encode(disagreement.signature)),
                    LogField(.tableAccepts, .boolean(disagreement.isGoodByTable)),
                ])
            publish(disagreement.publicKey, "disagreement", to: events)
        }
    }

    private static func publish(_ publicKey: [UInt8], _ reason: String, to events: OperatorEvents?) {
        events?.publish(
            .verificationTableFault,
            data: ["reason": .text(reason), "publicKey": .text(HexText.encode(publicKey))])
    }
}
