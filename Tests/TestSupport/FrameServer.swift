import Glibc

/// An HTTP/2 server that misbehaves in its frames.
///
/// It is a Python program that writes the frames byte by byte inside TLS, because ordinary servers only write correct
/// frames.
package final class FrameServer: Sendable {
    package enum Behaviour: Sendable {
        /// Responds with 200 and the bytes of this file.
        case serve(String)
        /// Responds with the head of a 200, and then with empty DATA frames as fast as the client takes them, until the
        /// client disconnects.
        case flood
        /// Responds with the head of a 200, and then with an empty DATA frame and a PING twenty times a second.
        case drip
        /// Refuses the request (REFUSED_STREAM).
        case refuse

        fileprivate var argument: String {
            switch self {
            case .serve(let path): "serve:\(path)"
            case .flood: "flood"
            case .drip: "drip"
            case .refuse: "refuse"
            }
        }
    }

    package let port: Int
    private let process: StartedProcess
    private let log: String

    /// Starts the server.
    ///
    /// `behaviours` apply to the requests in the order in which they arrive; the last one applies to all further
    /// requests. The server writes its certificate, its key and its log into the directory.
    package init(_ behaviours: [Behaviour], in directory: TemporaryDirectory) async throws {
        log = directory.path("frames.log")
        try directory.write([], to: "frames.log")
        let made = try await Subprocess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", directory.path("frames-key.pem"), "-out", directory.path("frames.pem"),
            ])
        guard made.status == .exited(0) else { throw SystemFailure("openssl: \(made.errorText)") }
        process = try StartedProcess(
            "sh",
            ["-c", #"log=$1; shift; exec python3 - "$@" > "$log" 2>&1"#, "sh", log, directory.path("frames.pem")]
                + [directory.path("frames-key.pem")] + behaviours.map(\.argument),
            standardInput: Array(Self.program.utf8))
        var port: Int?
        while port == nil {
            guard process.result == nil else { throw SystemFailure("the frame server: \(try Self.text(log))") }
            port = try Self.text(log).firstMatch(of: #/^port (\d+)\n/#).flatMap { Int($0.1) }
            try await Task.sleep(for: .milliseconds(5))
        }
        self.port = port ?? 0
    }

    deinit { process.kill(SIGKILL) }

    package func url(_ path: String = "/") -> String { "https://127.0.0.1:\(port)\(path)" }

    package var requestCount: Int { get throws { try lines { $0 == "request" } } }
    package var connectionCount: Int { get throws { try lines { $0 == "connection" } } }

    /// Returns when this many requests have arrived.
    package func waitForRequests(_ count: Int) async throws {
        while try requestCount < count, process.result == nil { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func lines(_ isCounted: (Substring) -> Bool) throws -> Int {
        try Self.text(log).split(separator: "\n").count(where: isCounted)
    }

    private static func text(_ log: String) throws -> String {
        guard let file = fopen(log, "r") else { throw SystemFailure.last("fopen \(log)") }
        defer { fclose(file) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { text += buffer[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    private static let program = """
        import socket, ssl, sys, threading, time

        def frame(kind, flags, stream, payload=b''):
            head = len(payload).to_bytes(3, 'big') + bytes([kind, flags]) + stream.to_bytes(4, 'big')
            return head + payload

        def read(connection, count):
            data = b''
            while len(data) < count:
                piece = connection.recv(count - len(data))
                if not piece:
                    raise EOFError
                data += piece
            return data

        def say(text):
            sys.stdout.write(text + '\\n')
            sys.stdout.flush()

        behaviours = sys.argv[3:]
        lock = threading.Lock()

        def answer(connection, stream):
            with lock:
                behaviour = behaviours.pop(0) if len(behaviours) > 1 else behaviours[0]
            if behaviour == 'refuse':
                connection.sendall(frame(3, 0, stream, (7).to_bytes(4, 'big')))
            else:
                connection.sendall(frame(1, 4, stream, b'\\x88'))
            # Whoever waits for this line finds the client at work on what follows.
            say('request')
            if behaviour.startswith('serve:'):
                with open(behaviour[6:], 'rb') as file:
                    connection.sendall(frame(0, 1, stream, file.read()))
            while behaviour == 'flood':
                connection.sendall(frame(0, 0, stream) * 65536)
            while behaviour == 'drip':
                connection.sendall(frame(0, 0, stream) + frame(6, 0, 0, bytes(8)))
                time.sleep(0.05)

        def serve(connection):
            try:
                connection = context.wrap_socket(connection, server_side=True)
                read(connection, 24)
                say('connection')
                connection.sendall(frame(4, 0, 0))
                while True:
                    head = read(connection, 9)
                    read(connection, int.from_bytes(head[:3], 'big'))
                    if head[3] == 1:
                        answer(connection, int.from_bytes(head[5:], 'big'))
            except (OSError, EOFError):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        context.set_alpn_protocols(['h2'])
        listener = socket.create_server(('127.0.0.1', 0))
        say('port %d' % listener.getsockname()[1])
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()
        """
}
