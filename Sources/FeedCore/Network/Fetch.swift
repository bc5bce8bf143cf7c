/// One request on its way to an answer, over as many tries as it takes.
package struct Fetch: Sendable {
    package enum Step: Sendable {
        case answered(HTTPResponse)
        /// It is to be tried again after this. Its host is to be left alone as well, unless the request alone is to blame,
        /// as far as anybody knows.
        case again(after: Duration, sparingHost: Bool)
        /// It goes on elsewhere, or begins anew.
        case elsewhere
    }

    var machine: RequestMachine
    var body: ResumingSink
    private let sink: any BodySink
    private let meter: ByteMeter?

    /// Where it is asked next.
    package var origin: String { machine.request.origin }

    /// What the last try told of its host.
    package var news: HostConcurrency.News { body.news }

    init(_ request: HTTPRequest, into sink: any BodySink, _ rules: FetchRules, _ meter: ByteMeter?) {
        machine = RequestMachine(request, rules)
        body = ResumingSink(into: sink, of: machine.request, meter: meter)
        self.sink = sink
        self.meter = meter
    }

    /// Its next try asks for the whole body: what came of it is gone.
    mutating func forgetBody() {
        body = ResumingSink(into: sink, of: machine.request, meter: meter, news: body.news)
    }
}
