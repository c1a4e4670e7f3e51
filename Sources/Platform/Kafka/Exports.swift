// Topics, offsets and records are in a separate module, so that code without a Kafka client can use them. Importing the
// client also imports this module.
@_exported public import KafkaModel
