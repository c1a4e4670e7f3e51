// Functions that Swift cannot call directly: librdkafka's variadic produce function and Linux's eventfd. There is no
// logic here.
#ifndef SLUICE_CRDKAFKA_SHIM_H
#define SLUICE_CRDKAFKA_SHIM_H

#include <librdkafka/rdkafka.h>
#if RD_KAFKA_VERSION < 0x020002ff
#error "librdkafka 2.0.2 or later is required (Debian 12, Ubuntu 24.04); see deploy/install-deps"
#endif
// rdkafka_mock.h requires rdkafka.h to be included first.
#include <librdkafka/rdkafka_mock.h>

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

// Swift cannot call rd_kafka_producev, because it is variadic, and rd_kafka_produceva frees the headers twice for an
// unknown partition (librdkafka #4628, fixed in 2.12). This function returns the error code, which rd_kafka_produce
// would leave in a thread-local variable. The key and the value are copied; NULL means null, and a pointer with length
// 0 means empty. This function always takes ownership of the headers, which may be NULL: librdkafka owns them on
// success, and they are freed here on failure.
static inline rd_kafka_resp_err_t crdkafka_produce(
    rd_kafka_t *client, rd_kafka_topic_t *topic, int32_t partition, const void *key, size_t key_length,
    const void *value, size_t value_length, int64_t timestamp, rd_kafka_headers_t *headers, uintptr_t opaque) {
    rd_kafka_resp_err_t code;
    if (headers) {
        code = rd_kafka_producev(
            client, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
            RD_KAFKA_V_KEY((void *)key, key_length), RD_KAFKA_V_VALUE((void *)value, value_length),
            RD_KAFKA_V_TIMESTAMP(timestamp), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_OPAQUE((void *)opaque),
            RD_KAFKA_V_END);
        if (code) rd_kafka_headers_destroy(headers);
    } else {
        code = rd_kafka_producev(
            client, RD_KAFKA_V_RKT(topic), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
            RD_KAFKA_V_KEY((void *)key, key_length), RD_KAFKA_V_VALUE((void *)value, value_length),
            RD_KAFKA_V_TIMESTAMP(timestamp), RD_KAFKA_V_OPAQUE((void *)opaque), RD_KAFKA_V_END);
    }
    return code;
}

// Returns a record's opaque pointer as the integer passed to crdkafka_produce.
static inline uintptr_t crdkafka_opaque(const rd_kafka_message_t *message) { return (uintptr_t)message->_private; }

// The Glibc overlay lacks eventfd and its flags.
static inline int crdkafka_wakeup_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Makes the queue add 1 to the descriptor each time it becomes non-empty. librdkafka copies the 8 bytes.
static inline void crdkafka_wakeup_enable(rd_kafka_queue_t *queue, int descriptor) {
    uint64_t one = 1;
    rd_kafka_queue_io_event_enable(queue, descriptor, &one, sizeof one);
}

// Stops librdkafka from writing to the descriptor for this queue.
static inline void crdkafka_wakeup_disable(rd_kafka_queue_t *queue) {
    rd_kafka_queue_io_event_enable(queue, -1, NULL, 0);
}

static inline void crdkafka_wakeup_clear(int descriptor) {
    uint64_t count;
    // The read does not block. If there is nothing to read, an earlier call has already cleared the descriptor.
    ssize_t ignored = read(descriptor, &count, sizeof count);
    (void)ignored;
}

static inline void crdkafka_wakeup_set(int descriptor) {
    uint64_t one = 1;
    ssize_t ignored = write(descriptor, &one, sizeof one);
    (void)ignored;
}

static inline void crdkafka_wakeup_close(int descriptor) { close(descriptor); }


#endif
