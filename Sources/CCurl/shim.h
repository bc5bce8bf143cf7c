#pragma once

// libcurl is loaded when it is first needed, not linked: with the 25 libraries that it brings, the dynamic linker takes
// more time over it than over all the rest of the program, also for commands that ask no server. So here, under
// the names of its functions, stand functions that find them in the library; what libcurl's header declares gets another
// name, and is never called.

#include <dlfcn.h>
#include <stddef.h>

#define curl_easy_init ccurl_declared_easy_init
#define curl_easy_cleanup ccurl_declared_easy_cleanup
#define curl_easy_pause ccurl_declared_easy_pause
#define curl_easy_strerror ccurl_declared_easy_strerror
#define curl_easy_unescape ccurl_declared_easy_unescape
#define curl_free ccurl_declared_free
#define curl_global_init ccurl_declared_global_init
#define curl_multi_init ccurl_declared_multi_init
#define curl_multi_cleanup ccurl_declared_multi_cleanup
#define curl_multi_add_handle ccurl_declared_multi_add_handle
#define curl_multi_remove_handle ccurl_declared_multi_remove_handle
#define curl_multi_perform ccurl_declared_multi_perform
#define curl_multi_info_read ccurl_declared_multi_info_read
#define curl_multi_poll ccurl_declared_multi_poll
#define curl_multi_strerror ccurl_declared_multi_strerror
#define curl_slist_append ccurl_declared_slist_append
#define curl_slist_free_all ccurl_declared_slist_free_all

#include <curl/curl.h>

#undef curl_easy_init
#undef curl_easy_cleanup
#undef curl_easy_pause
#undef curl_easy_strerror
#undef curl_easy_unescape
#undef curl_free
#undef curl_global_init
#undef curl_multi_init
#undef curl_multi_cleanup
#undef curl_multi_add_handle
#undef curl_multi_remove_handle
#undef curl_multi_perform
#undef curl_multi_info_read
#undef curl_multi_poll
#undef curl_multi_strerror
#undef curl_slist_append
#undef curl_slist_free_all

static inline void *ccurl_library(void) {
    static void *library;
    void *found = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
    if (!found) {
        // Of several threads each gets the same handle.
        found = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
        __atomic_store_n(&library, found, __ATOMIC_RELEASE);
    }
    return found;
}

static inline const curl_version_info_data *ccurl_info(void) {
    __typeof__(curl_version_info) *info = NULL;
    if (ccurl_library()) info = (__typeof__(curl_version_info) *)dlsym(ccurl_library(), "curl_version_info");
    return info ? info(CURLVERSION_NOW) : NULL;
}

// Why it can't be used, or NULL if it can. To be asked before anything else here is called.
static inline const char *ccurl_problem(void) {
    const curl_version_info_data *info = ccurl_info();
    // The youngest option that is set, CURLOPT_QUICK_EXIT, came with 7.87.
    if (info) return info->version_num >= 0x075700 ? NULL : info->version;
    const char *reason = dlerror();
    return reason ? reason : "libcurl.so.4 can't be loaded";
}

// Looked for once for each place where it is called.
#define CCURL_FUNCTION(type, name)                                                     \
    ({                                                                                 \
        static __typeof__(type) *function;                                             \
        __typeof__(type) *found = __atomic_load_n(&function, __ATOMIC_RELAXED);        \
        if (!found) {                                                                  \
            found = (__typeof__(type) *)dlsym(ccurl_library(), name);                  \
            __atomic_store_n(&function, found, __ATOMIC_RELAXED);                      \
        }                                                                              \
        found;                                                                         \
    })

static inline CURL *curl_easy_init(void) {
    return CCURL_FUNCTION(ccurl_declared_easy_init, "curl_easy_init")();
}

static inline void curl_easy_cleanup(CURL *easy) {
    CCURL_FUNCTION(ccurl_declared_easy_cleanup, "curl_easy_cleanup")(easy);
}

static inline CURLcode curl_easy_pause(CURL *easy, int mask) {
    return CCURL_FUNCTION(ccurl_declared_easy_pause, "curl_easy_pause")(easy, mask);
}

static inline const char *curl_easy_strerror(CURLcode code) {
    return CCURL_FUNCTION(ccurl_declared_easy_strerror, "curl_easy_strerror")(code);
}

static inline char *curl_easy_unescape(CURL *easy, const char *text, int length, int *count) {
    return CCURL_FUNCTION(ccurl_declared_easy_unescape, "curl_easy_unescape")(easy, text, length, count);
}

static inline void curl_free(void *memory) {
    CCURL_FUNCTION(ccurl_declared_free, "curl_free")(memory);
}

static inline CURLcode curl_global_init(long flags) {
    return CCURL_FUNCTION(ccurl_declared_global_init, "curl_global_init")(flags);
}

static inline CURLM *curl_multi_init(void) {
    return CCURL_FUNCTION(ccurl_declared_multi_init, "curl_multi_init")();
}

static inline CURLMcode curl_multi_cleanup(CURLM *multi) {
    return CCURL_FUNCTION(ccurl_declared_multi_cleanup, "curl_multi_cleanup")(multi);
}

static inline CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy) {
    return CCURL_FUNCTION(ccurl_declared_multi_add_handle, "curl_multi_add_handle")(multi, easy);
}

static inline CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy) {
    return CCURL_FUNCTION(ccurl_declared_multi_remove_handle, "curl_multi_remove_handle")(multi, easy);
}

static inline CURLMcode curl_multi_perform(CURLM *multi, int *running) {
    return CCURL_FUNCTION(ccurl_declared_multi_perform, "curl_multi_perform")(multi, running);
}

static inline CURLMsg *curl_multi_info_read(CURLM *multi, int *waiting) {
    return CCURL_FUNCTION(ccurl_declared_multi_info_read, "curl_multi_info_read")(multi, waiting);
}

static inline CURLMcode curl_multi_poll(
    CURLM *multi, struct curl_waitfd *more, unsigned int count, int timeout, int *ready) {
    return CCURL_FUNCTION(ccurl_declared_multi_poll, "curl_multi_poll")(multi, more, count, timeout, ready);
}

static inline const char *curl_multi_strerror(CURLMcode code) {
    return CCURL_FUNCTION(ccurl_declared_multi_strerror, "curl_multi_strerror")(code);
}

static inline struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
    return CCURL_FUNCTION(ccurl_declared_slist_append, "curl_slist_append")(list, text);
}

static inline void curl_slist_free_all(struct curl_slist *list) {
    CCURL_FUNCTION(ccurl_declared_slist_free_all, "curl_slist_free_all")(list);
}

// Swift can't call C functions with variable arguments, and libcurl's options and infos are nothing else. Each wrapper
// fixes the type of the third argument; which type an option or info takes is in its documentation.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return CCURL_FUNCTION(curl_easy_setopt, "curl_easy_setopt")(easy, option, value);
}

// Copied by libcurl; NULL takes the option back.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return CCURL_FUNCTION(curl_easy_setopt, "curl_easy_setopt")(easy, option, value);
}

// Not copied: what it points to has to outlive the transfer.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return CCURL_FUNCTION(curl_easy_setopt, "curl_easy_setopt")(easy, option, value);
}

static inline CURLcode ccurl_set_header_list(CURL *easy, struct curl_slist *headers) {
    return CCURL_FUNCTION(curl_easy_setopt, "curl_easy_setopt")(easy, CURLOPT_HTTPHEADER, headers);
}

// The write and the header callback have one signature.
static inline CURLcode ccurl_set_write_callback(CURL *easy, CURLoption option, curl_write_callback callback) {
    return CCURL_FUNCTION(curl_easy_setopt, "curl_easy_setopt")(easy, option, callback);
}

static inline CURLcode ccurl_set_prereq_callback(CURL *easy, curl_prereq_callback callback) {
    return CCURL_FUNCTION(curl_easy_setopt, "curl_easy_setopt")(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode ccurl_set_opensocket_callback(CURL *easy, curl_opensocket_callback callback) {
    return CCURL_FUNCTION(curl_easy_setopt, "curl_easy_setopt")(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return CCURL_FUNCTION(curl_easy_getinfo, "curl_easy_getinfo")(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return CCURL_FUNCTION(curl_easy_getinfo, "curl_easy_getinfo")(easy, info, value);
}

// Owned by libcurl, and valid until the handle is used again.
static inline CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return CCURL_FUNCTION(curl_easy_getinfo, "curl_easy_getinfo")(easy, info, value);
}

static inline CURLcode ccurl_get_private(CURL *easy, void **value) {
    return CCURL_FUNCTION(curl_easy_getinfo, "curl_easy_getinfo")(easy, CURLINFO_PRIVATE, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return CCURL_FUNCTION(curl_multi_setopt, "curl_multi_setopt")(multi, option, value);
}

// What a reference in an answer from this URL leads to, to be freed with curl_free; NULL if it can't be told.
static inline char *ccurl_resolve(const char *url, const char *reference) {
    CURLU *parts = CCURL_FUNCTION(curl_url, "curl_url")();
    char *target = NULL;
    if (parts && !CCURL_FUNCTION(curl_url_set, "curl_url_set")(parts, CURLUPART_URL, url, 0) &&
        !CCURL_FUNCTION(curl_url_set, "curl_url_set")(parts, CURLUPART_URL, reference, CURLU_NON_SUPPORT_SCHEME)) {
        CCURL_FUNCTION(curl_url_get, "curl_url_get")(parts, CURLUPART_URL, &target, 0);
    }
    CCURL_FUNCTION(curl_url_cleanup, "curl_url_cleanup")(parts);
    return target;
}

// The result sits in a union, which Swift reads only by reinterpreting memory.
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->data.result;
}
