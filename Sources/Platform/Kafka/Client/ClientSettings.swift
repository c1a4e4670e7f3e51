internal import CRdKafka

/// An `rd_kafka_conf_t`, freed if no client takes ownership.
struct ClientSettings: ~Copyable {
    /// Owned by this value until `makeClient` is called.
    private let pointer: OpaquePointer

    /// Sets all properties, in order.
    ///
    /// - Throws: `invalidConfiguration` with librdkafka's message for the first property that it rejects.
    init(_ settings: [ClientProperty]) throws(KafkaError) {
        pointer = rd_kafka_conf_new()
        for setting in settings {
            var text = [CChar](repeating: 0, count: 512)
            let result = rd_kafka_conf_set(pointer, setting.name, setting.value, &text, text.count)
            if result != RD_KAFKA_CONF_OK {
                let reason = setting.isSecret ? "this build of librdkafka rejects it" : String(terminated: text)
                throw KafkaError(.invalidConfiguration, "\(setting.name): \(reason)")
            }
        }
    }

    deinit { rd_kafka_conf_destroy(pointer) }

    /// Selects the events that the client delivers through its queue.
    func setEvents(_ events: Int32) { rd_kafka_conf_set_events(pointer, events) }

    /// Makes the client report why it rejects a broker's certificate. `certificates` must outlive the client.
    func observe(_ certificates: CertificateVerdict) { certificates.observe(pointer) }

    /// Creates a client with these settings.
    ///
    /// - Throws: `invalidConfiguration` for an invalid file or combination of properties, which librdkafka detects only
    ///   at this point.
    consuming func makeClient(_ type: rd_kafka_type_t) throws(KafkaError) -> ClientPointer {
        var text = [CChar](repeating: 0, count: 512)
        guard let client = rd_kafka_new(type, pointer, &text, text.count) else {
            // On failure, this value still owns the settings, so destroying it frees them.
            _ = consume self
            throw KafkaError(.invalidConfiguration, String(terminated: text))
        }
        // The client owns the settings now.
        discard self
        return ClientPointer(raw: client)
    }
}

extension String {
    /// Creates a string from the bytes before the first zero in a C buffer.
    init(terminated buffer: [CChar]) {
        self.init(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
