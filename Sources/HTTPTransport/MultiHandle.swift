import CCurl
import FeedCore
import Glibc

/// Owns libcurl's multi handle: many transfers on one thread, and the connections that they share.
///
/// `@unchecked Sendable`: only the transfer thread calls it, except for `wake`, which libcurl permits from any thread.
final class MultiHandle: @unchecked Sendable {
    private let multi: UnsafeMutableRawPointer
    /// The guard that closes the connections and outlives them.
    let floodGuard = FloodGuard()
    private var hasHostLimit = true

    /// Creates the handle, which keeps up to `mostConnections` connections for later requests.
    init(connectionsPerHost: Int, mostConnections: Int) throws(FeedError) {
        let code = CurlGlobal.initialised
        guard code == CURLE_OK else { throw .connectivity("libcurl: \(String(cString: curl_easy_strerror(code)))") }
        guard let multi = curl_multi_init() else { throw .connectivity("libcurl: out of memory") }
        self.multi = multi
        // Wake-ups need file descriptors: a lost wake-up would hang the run silently.
        guard curl_multi_wakeup(multi) == CURLM_OK else {
            curl_multi_cleanup(multi)
            throw .connectivity("libcurl: there is nothing to wake transfers with; too many files are open")
        }
        ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, min(mostConnections, Self.connectionsForFiles))
    }

    deinit { curl_multi_cleanup(multi) }

    /// The number of connections that the limit for open files permits: each one is a file, and the process opens
    /// others.
    private static var connectionsForFiles: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
        return max(1, Int(clamping: limit.rlim_cur) / 4)
    }

    /// Removes the limit of connections for each host.
    ///
    /// libcurl counts the connections to a proxy as those of one host, and the scheduler limits the requests to each
    /// server behind the proxy.
    func removeHostLimit() {
        guard hasHostLimit else { return }
        hasHostLimit = false
        ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 0)
    }

    func add(_ easy: EasyHandle) throws(FeedError) {
        let code = curl_multi_add_handle(multi, easy.pointer)
        guard code == CURLM_OK else { throw .connectivity("libcurl: \(String(cString: curl_multi_strerror(code)))") }
    }

    /// Removes a transfer.
    ///
    /// Its connection is kept if the transfer has ended or others share it, and is closed otherwise. A handle that was
    /// never added stays unchanged.
    func remove(_ easy: EasyHandle) { curl_multi_remove_handle(multi, easy.pointer) }

    /// Advances every transfer as far as possible without waiting.
    func perform() -> CURLMcode {
        var running: Int32 = 0
        return curl_multi_perform(multi, &running)
    }

    /// Returns the next ended transfer, identified by its private pointer.
    func nextEnded() -> (context: UnsafeMutableRawPointer, result: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            var context: UnsafeMutableRawPointer?
            ccurl_get_private(message.pointee.easy_handle, &context)
            if let context { return (context, ccurl_message_result(message)) }
        }
        return nil
    }

    /// Waits until a connection or a timer of libcurl needs attention, `wake` is called, or the time is up.
    func wait(milliseconds: Int32) -> CURLMcode {
        curl_multi_poll(multi, nil, 0, milliseconds, nil)
    }

    func wake() { curl_multi_wakeup(multi) }
}

private enum CurlGlobal {
    /// Initialises libcurl once per process.
    ///
    /// It is never cleaned up, because other threads may be inside libcurl until the process ends.
    static let initialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}
