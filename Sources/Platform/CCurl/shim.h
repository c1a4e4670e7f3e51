// Functions of libcurl that Swift cannot call directly: the variadic setopt and getinfo, wrapped once per argument
// type.
#pragma once

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

static inline CURLcode cc_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl copies the text.
static inline CURLcode cc_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode cc_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl copies the bytes. With a count of 0, the request has an empty body.
static inline CURLcode cc_set_body(CURL *easy, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count ? (const char *)bytes : "");
}

typedef size_t (*cc_take)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode cc_set_takers(CURL *easy, cc_take header, cc_take body, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    return code;
}

static inline CURLMcode cc_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline long cc_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

// Returns the status of the proxy's last response to CONNECT, or 0 if there was none.
static inline long cc_connect_status(CURL *easy) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
    return status;
}

// Returns the number of connections that this transfer opened, or 0 if it reused one.
static inline long cc_new_connections(CURL *easy) {
    long count = 0;
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &count);
    return count;
}

// Returns the next finished transfer, or 0 if there is none.
static inline CURL *cc_next_done(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return 0;
}
