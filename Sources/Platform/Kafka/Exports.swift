// Topics, offsets and records are in their own module, so that code without a Kafka client can use them; importing the
// client imports them too.
@_exported public import KafkaModel
