internal import Dispatch
internal import Foundation

/// SIGINT and SIGTERM as a sequence: the first asks to stop, the second ends the process as usual.
final class Interrupts {
    let signals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        signals = stream
        sources = [SIGINT, SIGTERM].map { number in
            // The source sees a signal only when its default action does not end the process first.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                signal(number, SIG_DFL)
                continuation.yield()
            }
            source.resume()
            return source
        }
    }

    /// Gives both signals back their usual effect.
    func stop() {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
