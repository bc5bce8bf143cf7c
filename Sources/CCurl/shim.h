#pragma once

#include <curl/curl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// Swift can't call C functions with variable arguments, and libcurl's options and infos are nothing else. Each wrapper
// fixes the type of the third argument; which type an option or info takes is in its documentation.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

// Copied by libcurl; NULL takes the option back.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

// Not copied: what it points to has to outlive the transfer.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_header_list(CURL *easy, struct curl_slist *headers) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

// The write and the header callback have one signature.
static inline CURLcode ccurl_set_write_callback(CURL *easy, CURLoption option, curl_write_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode ccurl_set_prereq_callback(CURL *easy, curl_prereq_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode ccurl_set_opensocket_callback(CURL *easy, curl_opensocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_closesocket_callback(CURL *easy, curl_closesocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

// Owned by libcurl, and valid until the handle is used again.
static inline CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_private(CURL *easy, void **value) {
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// What a reference in an answer from this URL leads to, to be freed with curl_free; NULL if it can't be told.
static inline char *ccurl_resolve(const char *url, const char *reference) {
    CURLU *parts = curl_url();
    char *target = NULL;
    if (parts && !curl_url_set(parts, CURLUPART_URL, url, 0) &&
        !curl_url_set(parts, CURLUPART_URL, reference, CURLU_NON_SUPPORT_SCHEME)) {
        curl_url_get(parts, CURLUPART_URL, &target, 0);
    }
    curl_url_cleanup(parts);
    return target;
}

// The result sits in a union, which Swift reads only by reinterpreting memory.
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->data.result;
}

// How many bytes this process has read from a TCP socket; 0 if the kernel doesn't say. The kernel's struct tcp_info counts
// the received bytes, read or not, in the 64 bits from byte 128 on; the C library's struct of that name is shorter.
static inline int64_t ccurl_bytes_read(int socket) {
    const int level = 6, tcp_info = 11;
    uint64_t info[17] = {0};
    socklen_t size = sizeof info;
    int unread = 0;
    if (getsockopt(socket, level, tcp_info, info, &size) != 0 || size < sizeof info) return 0;
    if (ioctl(socket, FIONREAD, &unread) != 0) return 0;
    return (int64_t)info[16] - unread;
}
