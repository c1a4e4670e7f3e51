internal import ArchiveLog
internal import HTTPClient
internal import ObjectStorage
internal import Synchronization
internal import TransparencyLog

/// A witness, which cosigns a checkpoint after verifying that the log is append-only. The archive keeps the newest
/// cosigned checkpoint as `<topic>/<partition>/cosigned/<id of the witness's key>`. Source: c2sp.org/tlog-witness.
final class WitnessAnchor: CheckpointAnchor {
    typealias Send = @Sendable (HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse

    /// The maximum number of attempts. Each starts from the log size that the witness reported last, which changes if
    /// another member of the group submits a newer checkpoint.
    private static let attempts = 3
    /// The maximum number of signatures to keep. The note format allows up to 100.
    private static let maximumSignatures = 50

    let witness: Witness
    private let archive: any ObjectStore
    private let timeout: Duration
    private let send: Send
    /// For each log, the size that the witness cosigned last.
    private let sizes = Mutex<[LogNames: Int]>([:])

    /// - Parameter archive: the store for cosigned checkpoints.
    init(_ witness: Witness, archive: any ObjectStore, timeout: Duration = .seconds(10), send: @escaping Send) {
        self.witness = witness
        self.archive = archive
        self.timeout = timeout
        self.send = send
    }

    var name: String { witness.name }

    func anchor(_ log: AnchoredLog) async throws(ArchiveServiceError) {
        var old = sizes.withLock { $0[log.names] } ?? 0
        for _ in 0..<Self.attempts {
            guard old <= log.size else {
                throw ArchiveServiceError(
                    .conflict,
                    "\(name) has cosigned \(old) leaves of \(log.names.prefix), but the archive has \(log.size)")
            }
            let request = WitnessRequest(oldSize: old, proof: try await log.proof(from: old), note: log.checkpoint.note)
            let response = try await answer(request)
            switch response.status {
            case 200:
                let note = try cosigned(response.body, log)
                sizes.withLock { $0[log.names] = log.size }
                return try await keep(note, log)
            case 409:
                let size = try size(response, log)
                guard size != old else {
                    throw ArchiveServiceError(.conflict, "\(name) has a different tree for \(log.names.prefix)")
                }
                old = size
            default:
                throw refusal(response.status, log)
            }
        }
        throw ArchiveServiceError(.unavailable, "\(name): the size of \(log.names.prefix) changes with every attempt")
    }

    private func answer(_ request: WitnessRequest) async throws(ArchiveServiceError) -> HTTPClientResponse {
        do throws(HTTPClientError) {
            return try await send(
                HTTPClientRequest(
                    method: "POST", url: witness.url + "/add-checkpoint", headers: [("content-type", "text/plain")],
                    body: request.bytes, timeout: timeout, maximumBodyBytes: 64 * 1024))
        } catch {
            throw ArchiveServiceError(error.code == .bodyTooLarge ? .answer : .unavailable, "\(name): \(error.message)")
        }
    }

    /// Returns the checkpoint with the witness's cosignatures. Signatures under the witness's name but from other keys
    /// are kept unverified, because a witness may have an Ed25519 and an ML-DSA-44 key (c2sp.org/tlog-cosignature).
    /// Signatures under other names are dropped.
    private func cosigned(_ body: [UInt8], _ log: AnchoredLog) throws(ArchiveServiceError) -> SignedNote {
        let signatures: [NoteSignature]
        do throws(TransparencyLogError) {
            signatures = try WitnessRequest.signatures(ofAnswer: body)
        } catch { throw ArchiveServiceError(.answer, "\(name): \(error.message)") }
        var note = log.checkpoint.note
        var isCosigned = false
        for signature in signatures where KeyName.areEqual(signature.name, witness.verifier.name) {
            guard witness.verifier.isKey(of: signature) else {
                if note.signatures.count < Self.maximumSignatures { note.add(signature) }
                continue
            }
            guard witness.verifier.verify(signature, of: note.text) != nil else {
                throw ArchiveServiceError(.answer, "\(name): the cosignature of \(log.names.prefix) does not match")
            }
            note.add(signature)
            isCosigned = true
        }
        guard isCosigned else {
            throw ArchiveServiceError(.answer, "\(name): the response has no cosignature by the configured key")
        }
        return note
    }

    /// Parses the size that the witness reports in a 409 response.
    private func size(_ response: HTTPClientResponse, _ log: AnchoredLog) throws(ArchiveServiceError) -> Int {
        guard WitnessRequest.isSize(contentType: response.header("content-type")) else {
            throw ArchiveServiceError(
                .conflict, "\(name) has a different tree for \(log.names.prefix) than the archive")
        }
        guard let size = WitnessRequest.size(ofConflict: response.body) else {
            throw ArchiveServiceError(.answer, "\(name): the 409 response has no size")
        }
        return size
    }

    private func refusal(_ status: Int, _ log: AnchoredLog) -> ArchiveServiceError {
        let origin = log.checkpoint.checkpoint.origin
        switch status {
        case 403:
            return ArchiveServiceError(
                .refused, "\(name) does not have the key of \(origin): send the archive's key to \(name)'s operator")
        case 404:
            return ArchiveServiceError(
                .refused, "\(name) does not have the log \(origin): ask \(name)'s operator to add the log")
        case 422:
            return ArchiveServiceError(
                .conflict,
                "\(name) reports that \(log.names.prefix) is inconsistent with the witness's last cosigned checkpoint")
        case 429, 500...599: return ArchiveServiceError(.unavailable, "\(name) responded \(status)")
        default: return ArchiveServiceError(.refused, "\(name) responded \(status) for \(origin)")
        }
    }

    private func keep(_ note: SignedNote, _ log: AnchoredLog) async throws(ArchiveServiceError) {
        do throws(ObjectStoreError) {
            let place = try log.names.cosigned(by: witness.verifier)
            let found = try await archive.read(place)
            if found?.bytes == note.bytes { return }
            _ = try await archive.replace(place, note.bytes, expected: found?.version)
        } catch {
            throw ArchiveServiceError(.archive, "the checkpoint cosigned by \(name) cannot be stored: \(error.message)")
        }
    }
}
