#!/usr/bin/env python3
"""Checks what the compiler and the formatter leave open: comments are sentences, functions and files are short, and no
code uses a name that was replaced."""
import pathlib
import re
import sys
import tempfile

USAGE = """Usage: scripts/lib/house.py [--self-test] [DIR]

Checks the Swift code of the project in DIR (the current directory), and prints each finding with its file and line.

  --self-test  check small trees whose findings are known instead
"""

FUNCTION_LINES = 40
FILE_LINES = 400

# The reader of a comment that begins with one of these words has to guess the beginning of its sentence.
FRAGMENT = re.compile(
    r"(?:Of|Nil|None|Those|Whose|Whom|Which|As|With|Without|By|In|On|Until|Also|Else|Less|To|From|At|That of|Not|For"
    r"|And|But|Or|Nor|Than|Into|Onto|Upon|Among|Between|Beside|Besides|Except|Instead|Like|Likewise|Rather|Though"
    r"|Within|Whereas|Because of)\b"
)

# The names that were replaced, and the names to use instead.
RETIRED = {
    "Arrivals": "StallDetector",
    "Channel": "InterruptibleDescriptor",
    "Clockwork": "TimeSource",
    "Crew": "WorkerThreads",
    "DownloadLedger": "DownloadResults",
    "FeedParticulars": "FeedPolicy",
    "FeedRound": "FeedRefreshes",
    "Grounds": "the word for the reason",
    "HostShare": "HostConcurrency",
    "Identity": "OwnCredentials",
    "ImageSurvey": "DownloadPlanner",
    "News": "the word for the message",
    "Patience": "GracePeriod",
    "RequestQueue": "SchedulerState",
    "Saying": "the word for the text",
    "Traffic": "RequestScheduler",
    "UnitedPictures": "MergedImages",
    "XMLMender": "XMLRepairer",
    "Picture": "Image",
    "picture": "image",
    "pictures": "images",
    "standIn": "alternative",
    "standIns": "alternatives",
}

DECLARATION = re.compile(
    r"( *)(?:@\S+ |[a-z]+(?:\([a-z]+\))? )*?(?:(?:func|subscript|var) |(?:init|deinit|subscript)\b)"
)


LITERALS = r'#*"""[\s\S]*?"""#*'
SHORT_LITERALS = r'#+"[^\n]*?"#+|"(?:\\.|[^"\\\n])*"'
COMMENTS = r"//[^\n]*|/\*[\s\S]*?\*/"


def blanked(pattern, text):
    """The text without what the pattern matches. Every line keeps its number."""
    return re.sub(pattern, lambda match: match[0][0] + re.sub(r"[^\n]", "", match[0][1:]), text)


def comments(lines):
    """The line number and the first line of each comment that has lines of its own."""
    inside = False
    for number, line in enumerate(lines, 1):
        text = re.match(r"\s*//+(?!\s?(?:swift-|MARK|TODO|FIXME))\s?(.*)", line)
        if text and not inside:
            yield number, text[1].strip()
        inside = bool(text)


def functions(lines):
    """The indices of the first and the last line of each function, initializer and computed property. The formatter
    indents a body more than its declaration, so the first brace at the indentation of the declaration ends the body."""
    for start, line in enumerate(lines):
        declaration = DECLARATION.match(line)
        if not declaration:
            continue
        indent = declaration[1]
        for end in range(start + 1, len(lines)):
            below = lines[end]
            if not below.strip() or below.startswith((indent + " ", indent + ")", indent + "]", indent + "#")):
                continue
            if below.startswith(indent + "}"):
                yield start, end
            break


def findings_in(text, is_source):
    """The line number and the reason of each finding in a file."""
    # The text of a long literal is not code: it has neither comments nor a share in the length of a function.
    literals = re.compile(f"({LITERALS})|{SHORT_LITERALS}|{COMMENTS}")
    inside = set()
    for match in literals.finditer(text):
        if match[1]:
            first = text.count("\n", 0, match.start())
            inside.update(range(first + 1, first + match[1].count("\n")))
    lines = text.splitlines()
    visible = ["" if number in inside else line for number, line in enumerate(lines)]
    for number, first in comments(visible):
        if FRAGMENT.match(first):
            yield number, f"the comment begins as a fragment: {first}"
    for number, line in enumerate(blanked(f"{LITERALS}|{SHORT_LITERALS}|{COMMENTS}", text).splitlines(), 1):
        for name in re.findall(r"\w+", line):
            if name in RETIRED:
                yield number, f"the name {name} is retired: use {RETIRED[name]}"
    if not is_source:
        return
    for start, end in functions(visible):
        length = sum(number not in inside for number in range(start, end + 1))
        if length > FUNCTION_LINES:
            yield start + 1, f"the function has {length} lines; the limit is {FUNCTION_LINES}"
    if len(lines) > FILE_LINES:
        yield len(lines), f"the file has {len(lines)} lines; the limit is {FILE_LINES}"


def findings(root):
    for top in ("Package.swift", "Sources", "Tests"):
        for path in sorted((root / top).rglob("*.swift")) if (root / top).is_dir() else [root / top]:
            if path.exists():
                for line, reason in sorted(findings_in(path.read_text(encoding="utf-8"), top == "Sources")):
                    yield f"{path.relative_to(root)}:{line}: {reason}"


def self_test():
    """Checks that a tree with one finding of each kind gives these findings and no others."""

    def function(length):
        head = "struct Rules {\n    func check(\n        _ text: String\n    ) {\n"
        return head + "        go()\n" * (length - 4) + "    }\n}\n"

    literal = 'let script = """\n    // Of another language.\n    let Traffic = "picture"\n    """\n'
    files = {
        "Package.swift": "// Linked with libFuzzer.\n// Of the manifest, a second line.\n\n// Of the manifest.\n",
        "Sources/Core/Comments.swift": "/// The share.\n///\n/// Of the host.\nlet share = 1  // Of the host.\n"
        "    /// Nil at the end.\n// MARK: Of it\n// Those of a mark.\n",
        "Sources/Core/Names.swift": '// Traffic is a word.\nlet traffic = "Traffic: \\(1)"\n'
        "let TrafficLight = Traffic()\n" + literal,
        "Sources/Core/Short.swift": function(40),
        "Sources/Core/Long.swift": function(41),
        "Sources/Core/Text.swift": "func text() -> String {\n    \"\"\"\n" + "    line\n" * 60 + "    \"\"\"\n}\n",
        "Sources/Core/File400.swift": "let a = 1\n" * 400,
        "Sources/Core/File401.swift": "let a = 1\n" * 401,
        "Sources/Core/readme.md": "// Of no interest.\n",
        "Tests/CoreTests/LongTests.swift": function(41) + "// In a test.\nlet standIn = 1\n" + "let a = 1\n" * 400,
    }
    expected = [
        "Package.swift:4: the comment begins as a fragment: Of the manifest.",
        "Sources/Core/Comments.swift:5: the comment begins as a fragment: Nil at the end.",
        "Sources/Core/Comments.swift:7: the comment begins as a fragment: Those of a mark.",
        "Sources/Core/File401.swift:401: the file has 401 lines; the limit is 400",
        "Sources/Core/Long.swift:2: the function has 41 lines; the limit is 40",
        "Sources/Core/Names.swift:3: the name Traffic is retired: use RequestScheduler",
        "Tests/CoreTests/LongTests.swift:44: the comment begins as a fragment: In a test.",
        "Tests/CoreTests/LongTests.swift:45: the name standIn is retired: use alternative",
    ]
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found = list(findings(root))
    differences = [f"missing: {line}" for line in expected if line not in found]
    differences += [f"unexpected: {line}" for line in found if line not in expected]
    return differences


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    if len(arguments) > 1 or arguments[:1] != ["--self-test"] and arguments[:1] and arguments[0].startswith("-"):
        print(USAGE, end="", file=sys.stderr)
        return 64
    if arguments == ["--self-test"]:
        complaints = self_test()
    else:
        root = pathlib.Path(arguments[0] if arguments else ".")
        complaints = list(findings(root)) if (root / "Sources").is_dir() else [f"{root}: has no Sources"]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
