import Cryptography
import Foundation
import HTTPServer
import Primitives
import Synchronization
import TransparencyLog

/// A witness as specified by c2sp.org/tlog-witness. It parses requests with its own code, and refuses every request
/// that the specification does not allow.
final class WitnessServer: Sendable {
    /// A deviation from the specification.
    enum Fault: Sendable {
        case none
        case status(Int)
        case body(String)
        case otherKey
        case withoutSizeType
        case sizeThatChanges
    }

    private struct State {
        /// The last cosigned size and root, by origin.
        var cosigned: [String: (size: Int, root: MerkleHash)] = [:]
        var requests: [(old: String, status: Int)] = []
        var fault = Fault.none
    }

    private final class Behaviour: Sendable {
        let origins: [String: [NoteVerifier]]
        let signer: NoteSigner
        let other: NoteSigner
        let state = Mutex(State())

        init(origins: [String: [NoteVerifier]], name: String) throws {
            self.origins = origins
            signer = try NoteSigner(name: name, type: .cosignature, key: PrivateKey.generate(.ed25519))
            other = try NoteSigner(name: name, type: .cosignature, key: PrivateKey.generate(.ed25519))
        }

        func answer(_ body: [UInt8]) -> HTTPResponse {
            state.withLock { state in
                let (old, response) = answer(body, &state)
                state.requests.append((old, response.status))
                return response
            }
        }

        private func answer(_ body: [UInt8], _ state: inout State) -> (String, HTTPResponse) {
            let text = String(decoding: body, as: UTF8.self)
            guard text.utf8.elementsEqual(body), let end = text.range(of: "\n\n"), text.hasPrefix("old ") else {
                return ("", .text("malformed\n", status: 400))
            }
            let lines = text[..<end.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
            let old = String(lines[0].dropFirst(4))
            switch state.fault {
            case .status(let status): return (old, .text("", status: status))
            case .body(let text): return (old, .text(text))
            default: break
            }
            let proof = lines.dropFirst().map { MerkleHash(base64: Substring($0).utf8) }
            guard let size = Int(old), String(size) == old, size >= 0, proof.count <= 63, !proof.contains(nil),
                let note = try? SignedNote(bytes: Array(text[end.upperBound...].utf8)),
                let checkpoint = try? Checkpoint(text: note.text)
            else { return (old, .text("malformed\n", status: 400)) }
            guard let keys = origins[checkpoint.origin] else { return (old, .text("unknown\n", status: 404)) }
            guard (try? note.verified(by: keys)) != nil else { return (old, .text("unsigned\n", status: 403)) }
            guard size <= checkpoint.size else { return (old, .text("shrinks\n", status: 400)) }
            let latest = state.cosigned[checkpoint.origin] ?? (0, .ofEmptyTree)
            if case .sizeThatChanges = state.fault { return (old, conflict(size + 1, state)) }
            guard size == latest.size else { return (old, conflict(latest.size, state)) }
            if size == checkpoint.size, latest.root != checkpoint.root { return (old, .text("", status: 409)) }
            let consistency = ConsistencyProof(hashes: proof.compactMap { $0 })
            guard size > 0 || proof.isEmpty,
                consistency.proves(
                    oldSize: size, oldRoot: latest.root, newSize: checkpoint.size, newRoot: checkpoint.root)
            else { return (old, .text("no proof\n", status: 422)) }
            state.cosigned[checkpoint.origin] = (checkpoint.size, checkpoint.root)
            return (old, cosignature(note, state))
        }

        private func conflict(_ size: Int, _ state: State) -> HTTPResponse {
            if case .withoutSizeType = state.fault { return .text("\(size)\n", status: 409) }
            return HTTPResponse(
                status: 409, reason: "conflict", contentType: "text/x.tlog.size; charset=utf-8",
                body: Array("\(size)\n".utf8))
        }

        private func cosignature(_ note: SignedNote, _ state: State) -> HTTPResponse {
            var lines: [String] = []
            for (index, signer) in [other, signer].enumerated() {
                // A witness may have several keys, and the client must ignore unknown ones.
                if index == 1, case .otherKey = state.fault { continue }
                guard let signature = try? signer.signature(of: note.text, with: 1_800_000_060) else { continue }
                lines.append(signature.line)
            }
            lines.append("— other.example \(lines.first?.split(separator: " ").last ?? "")")
            return .text(lines.joined())
        }
    }

    private let behaviour: Behaviour
    private let server: HTTPServer

    init(origins: [String: [NoteVerifier]], name: String = "witness.example/w1") throws {
        let behaviour = try Behaviour(origins: origins, name: name)
        self.behaviour = behaviour
        server = HTTPServer(listeners: [
            Listener(
                name: "witness", host: "127.0.0.1", port: 0, limits: Limits(),
                admit: { $0.path == "/w/add-checkpoint" && $0.method == "POST" ? .body(limit: 1 << 20) : .notFound },
                handle: { request, exchange in exchange.respond(behaviour.answer(request.body)) })
        ])
        try server.start()
    }

    var url: String { "http://127.0.0.1:\(server.port())/w" }
    var verifier: NoteVerifier { behaviour.signer.verifier }
    /// The old sizes in requests, each with the status of the response.
    var requests: [String] { behaviour.state.withLock { $0.requests.map { "old \($0.old): \($0.status)" } } }

    func set(_ fault: Fault) { behaviour.state.withLock { $0.fault = fault } }
}
