import TestSupport

extension Page {
    private static let named: Set<String> = [
        "button", "link", "image", "img", "dialog", "region", "navigation", "heading", "listbox", "textbox",
    ]

    /// Returns the faults of the page for people with impaired sight.
    func accessibilityFaults() async throws -> [String] {
        try await treeFaults() + contrastFaults() + markupFaults()
    }

    /// Returns the faults in the tree that the browser gives to a screen reader.
    private func treeFaults() async throws -> [String] {
        try await call("Accessibility.enable")
        let nodes = try await call("Accessibility.getFullAXTree")["nodes"]?.array ?? []
        let shown = nodes.filter { $0["ignored"]?.bool != true }
        var faults: [String] = []
        for node in shown {
            let role = node["role"]?["value"]?.string ?? ""
            let name = node["name"]?["value"]?.string ?? ""
            if Self.named.contains(role), name.allSatisfy(\.isWhitespace) { faults.append("a \(role) without a name") }
        }
        let roles = Set(shown.compactMap { $0["role"]?["value"]?.string })
        let isModal = roles.contains("dialog")
        for landmark in isModal ? [] : ["banner", "main", "heading"] where !roles.contains(landmark) {
            faults.append("no \(landmark)")
        }
        return faults
    }

    /// Returns the texts with too little contrast: below 4.5 times the brightness of the background, or the reverse.
    private func contrastFaults() async throws -> [String] {
        let script = """
            (() => {
              const parse = c => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
              const light = c => {
                const [r, g, b] = c.map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                return .2126 * r + .7152 * g + .0722 * b; };
              const behind = e => { for (; e; e = e.parentElement) {
                const c = parse(getComputedStyle(e).backgroundColor);
                if (c.length < 4 || c[3] > .75) return c.slice(0, 3); } return [255, 255, 255]; };
              const root = document.querySelector('dialog[open]') || document.body;
              return [...root.querySelectorAll('*')].filter(e => e.checkVisibility({ visibilityProperty: true })
                && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).flatMap(e => {
                  const [a, b] = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(behind(e))];
                  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
                  return ratio < 4.5 ? [e.outerHTML.slice(0, 80) + ' ' + ratio.toFixed(2)] : []; });
            })()
            """
        return try await evaluate(script).array?.compactMap(\.string) ?? []
    }

    private func markupFaults() async throws -> [String] {
        let script = """
            (() => {
              const faults = [];
              const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
              if (new Set(ids).size !== ids.length) faults.push('an id twice');
              if (!document.documentElement.lang) faults.push('no language');
              if (!document.title.trim()) faults.push('no title');
              if (document.querySelectorAll('h1').length !== 1) faults.push('not one first heading');
              if (document.querySelectorAll('main').length !== 1) faults.push('not one main part');
              if (/user-scalable|maximum-scale/.test(document.querySelector('meta[name=viewport]').content))
                faults.push('no zoom');
              for (const e of document.querySelectorAll('[tabindex]'))
                if (e.tabIndex > 0) faults.push('a tab order of its own');
              for (const e of document.querySelectorAll('img:not([alt])')) faults.push('an image without alt');
              for (const e of document.querySelectorAll('a[href^="#"]'))
                if (!document.querySelector(e.getAttribute('href'))) faults.push('a link to nowhere');
              return faults;
            })()
            """
        return try await evaluate(script).array?.compactMap(\.string) ?? []
    }
}
