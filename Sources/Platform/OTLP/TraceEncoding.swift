internal import JSON
internal import Telemetry
internal import Tracing

/// Encodes spans as an `ExportTraceServiceRequest` in JSON.
enum TraceEncoding {
    static func text(_ spans: [FinishedSpan], resource: [ResourceAttribute]) -> [UInt8] {
        JSONWriter.text { json in
            json.object {
                $0.array("resourceSpans") {
                    $0.object {
                        $0.resource(resource)
                        $0.array("scopeSpans") {
                            $0.object {
                                $0.scope()
                                $0.array("spans") { for span in spans { write(span, to: &$0) } }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func write(_ span: FinishedSpan, to json: inout JSONWriter) {
        json.object {
            $0.set("traceId", span.context.traceId)
            $0.setId("spanId", span.context.spanId)
            if span.parentId != 0 { $0.setId("parentSpanId", span.parentId) }
            $0.set("flags", Int64(span.context.flags))
            $0.set("name", span.name)
            $0.set("kind", span.kind.rawValue)
            $0.set64("startTimeUnixNano", span.start)
            $0.set64("endTimeUnixNano", span.end)
            $0.array("attributes") { for attribute in span.attributes { write(attribute, to: &$0) } }
            // 2 is STATUS_CODE_ERROR; without an error, the status remains unset.
            $0.object("status") { if span.isError { $0.set("code", Int64(2)) } }
        }
    }

    private static func write(_ attribute: SpanAttribute, to json: inout JSONWriter) {
        json.object {
            $0.set("key", attribute.key.rawValue)
            $0.object("value") {
                switch attribute.value {
                case .text(let text): $0.set("stringValue", text)
                case .integer(let integer): $0.set("intValue", String(integer))
                case .boolean(let boolean): $0.set("boolValue", boolean)
                }
            }
        }
    }
}
