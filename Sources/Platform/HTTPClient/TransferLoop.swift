internal import CCurl
internal import Primitives

/// The client's thread. It sleeps in `curl_multi_poll` until a socket is ready, a deadline approaches or a caller wakes
/// it.
final class TransferLoop {
    private let queue: TransferQueue
    private let multi: UnsafeMutableRawPointer
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]

    private static let longestSleepMilliseconds: Int32 = 60_000

    private init(_ queue: TransferQueue, _ multi: UnsafeMutableRawPointer) {
        self.queue = queue
        self.multi = multi
    }

    static func start(_ queue: TransferQueue) {
        guard let handle = queue.handle else { return }
        let error = OwnThread.start(name: "http-client") { TransferLoop(queue, handle.pointer).run() }
        if error != 0 { queue.close() }
    }

    private func run() {
        _ = cc_multi_set_long(multi, CURLMOPT_MAXCONNECTS, queue.configuration.maximumIdleConnections)
        while true {
            let (commands, isClosed) = queue.take()
            for command in commands { obey(command) }
            if isClosed { break }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            finishTransfers()
            curl_multi_poll(multi, nil, 0, Self.longestSleepMilliseconds, nil)
        }
        for transfer in Array(transfers.values) { finish(transfer, .failure(.closed)) }
    }

    private func obey(_ command: TransferQueue.Command) {
        switch command {
        case .start(let id, let request, let deadline, let completion):
            do throws(HTTPClientError) {
                let transfer = try Transfer(
                    id, request, deadline: deadline, configuration: queue.configuration,
                    completion: completion)
                guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
                    throw HTTPClientError(code: .other, message: "libcurl did not accept the transfer")
                }
                transfers[transfer.easy] = transfer
            } catch {
                queue.ended(transfers: 1)
                completion(.failure(error))
            }
        case .cancel(let id):
            if let transfer = transfers.values.first(where: { $0.id == id }) { finish(transfer, .failure(.cancelled)) }
        }
    }

    private func finishTransfers() {
        var code = CURLE_OK
        while let easy = cc_next_done(multi, &code) {
            if let transfer = transfers[easy] { finish(transfer, transfer.result(code)) }
        }
    }

    private func finish(_ transfer: Transfer, _ result: Result<HTTPClientResponse, HTTPClientError>) {
        curl_multi_remove_handle(multi, transfer.easy)
        transfers[transfer.easy] = nil
        queue.ended(transfers: 1)
        transfer.completion(result)
    }
}
