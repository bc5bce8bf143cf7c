/// Whether bytes are UTF-8, and tell it by more than ASCII.
enum UTF8Content {
    case none, ascii, beyondASCII

    init(of bytes: [UInt8]) {
        do throws(UTF8.ValidationError) {
            self = try UTF8Span(validating: bytes.span).isKnownASCII ? .ascii : .beyondASCII
        } catch {
            self = .none
        }
    }
}
