import JSONText
import TestSupport
import Testing

/// A page in a browser, and the actions of a visitor.
struct Page: Sendable {
    let browser: Browser
    private let session: String

    init(_ browser: Browser, session: String) {
        self.browser = browser
        self.session = session
    }

    @discardableResult
    func call(_ method: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await browser.call(method, parameters, session: session)
    }

    func adopt(_ look: Look) async throws {
        try await call(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(look.width), "height": .integer(look.height), "mobile": .bool(look.isPhone),
                "deviceScaleFactor": look.isPhone ? 2 : 1,
            ])
        try await call(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": .string(look.isDark ? "dark" : "light")],
                    [
                        "name": "prefers-reduced-motion",
                        "value": .string(look.reducesMotion ? "reduce" : "no-preference"),
                    ],
                ]
            ])
        try await call("Emulation.setTouchEmulationEnabled", ["enabled": .bool(look.isPhone), "maxTouchPoints": 2])
        try await call("Emulation.setFocusEmulationEnabled", ["enabled": true])
    }

    /// Returns when the page and the resources that it needs first are loaded.
    func open(_ url: String) async throws {
        browser.forgetEvents(of: session)
        let answer = try await call("Page.navigate", ["url": .string(url)])
        if let error = answer["errorText"]?.string { throw BrowserFailure("\(url): \(error)") }
        try await wait(
            for: "document.readyState === 'complete' && location.href.startsWith(\(JSONValue.string(url).text()))")
    }

    /// Returns the value of an expression; for a promise, the value when it is fulfilled.
    @discardableResult
    func evaluate(_ script: String) async throws -> JSONValue {
        let answer = try await call(
            "Runtime.evaluate", ["expression": .string(script), "awaitPromise": true, "returnByValue": true])
        if let exception = answer["exceptionDetails"] { throw BrowserFailure("\(script): \(exception.text())") }
        return answer["result"]?["value"] ?? .null
    }

    /// Waits for a condition, which the page itself polls.
    ///
    /// The limit makes a failing test say where it failed.
    func wait(for condition: String) async throws {
        while true {
            do {
                try await evaluate(
                    """
                    new Promise((done, fail) => { let left = 6000; const look = () => {
                    if (\(condition)) done(); else if (--left < 0) fail('never came'); else setTimeout(look, 10); };
                    look(); })
                    """)
                return
            } catch let failure as BrowserFailure
                where failure.description.contains("context was destroyed")
                || failure.description.contains("navigated or closed")
            {
                // The page is being replaced by the awaited one.
                continue
            }
        }
    }

    // MARK: Doing

    func press(_ key: String, shift: Bool = false) async throws {
        let codes = [
            "Enter": 13, "Escape": 27, "Tab": 9, " ": 32, "ArrowLeft": 37, "ArrowRight": 39, "End": 35, "Home": 36,
        ]
        for type in ["keyDown", "keyUp"] {
            var members: [(String, JSONValue)] = [
                ("type", .string(type)), ("key", .string(key)), ("windowsVirtualKeyCode", .integer(codes[key] ?? 0)),
                ("modifiers", shift ? 8 : 0),
            ]
            let texts = ["Enter": "\r", " ": " "]
            if type == "keyDown", let text = texts[key] { members.append(("text", .string(text))) }
            try await call("Input.dispatchKeyEvent", .object(members))
        }
    }

    /// Clicks the middle of the first element that a selector finds, when the browser has drawn it.
    func click(_ selector: String) async throws {
        let point = try await evaluate(
            """
            (async () => { const e = document.querySelector(\(JSONValue.string(selector).text()));
            e.scrollIntoView({block: 'nearest', behavior: 'instant'});
            const frame = () => new Promise(done => requestAnimationFrame(done));
            await frame(); await frame(); const r = e.getBoundingClientRect();
            return [r.x + r.width / 2, r.y + r.height / 2]; })()
            """)
        for type in ["mousePressed", "mouseReleased"] {
            try await call(
                "Input.dispatchMouseEvent",
                ["type": .string(type), "x": point[0] ?? 0, "y": point[1] ?? 0, "button": "left", "clickCount": 1])
        }
    }

    /// Types words into the search.
    func search(_ words: String) async throws {
        let words = JSONValue.string(words).text()
        try await evaluate(
            """
            { const e = document.querySelector('input[type=search]'); e.focus(); e.value = \(words);
            e.dispatchEvent(new Event('input')); }
            """)
    }

    func swipe(from start: (Int, Int), to end: (Int, Int)) async throws {
        func point(_ point: (Int, Int)) -> JSONValue { [["x": .integer(point.0), "y": .integer(point.1)]] }
        try await call("Input.dispatchTouchEvent", ["type": "touchStart", "touchPoints": point(start)])
        try await call("Input.dispatchTouchEvent", ["type": "touchMove", "touchPoints": point(end)])
        try await call("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": []])
    }

    // MARK: Watching

    /// The URLs that were requested since the page was opened.
    var requests: [String] {
        browser.events("Network.requestWillBeSent", of: session).compactMap { $0["request"]?["url"]?.string }
    }

    /// All messages that a developer console would show in red.
    var errors: [String] {
        let logged = browser.events("Log.entryAdded", of: session).compactMap { $0["entry"] }
            .filter { $0["level"]?.string == "error" }
        let said = browser.events("Runtime.consoleAPICalled", of: session)
            .filter { ["error", "warning", "assert"].contains($0["type"]?.string) }
        return (logged + said + browser.events("Runtime.exceptionThrown", of: session)).map { $0.text() }
    }

    func screenshot(_ name: String) async throws {
        let image = try await call("Page.captureScreenshot", ["format": "png"])["data"]?.string ?? ""
        try Artefacts.keep(Base64.decode(image), as: "\(name).png")
    }
}
