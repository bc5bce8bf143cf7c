# Draws a chart with a horizontal bar for each line of input. A line has a group, a program, seconds and connections,
# separated by tabs.
BEGIN { FS = "\t" }

{
    if ($1 != group[NR - 1]) groups++
    group[NR] = $1; program[NR] = $2; seconds[NR] = $3; connections[NR] = $4
    if ($3 > most) most = $3
}

function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); return text }

END {
    left = 86; widest = 470; row = 22
    height = 62 + groups * 34 + NR * row
    for (n = 1; n <= NR; n++) words = words sprintf("; %s, %s: %.1f", group[n], program[n], seconds[n])
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 " height "\" width=\"720\" height=\"" height \
        "\" role=\"img\" aria-labelledby=\"title desc\">"
    print "<title id=\"title\">" escaped(title) "</title>"
    print "<desc id=\"desc\">" escaped(note words) "</desc>"
    print "<style>"
    print "  text { font: 13px system-ui, -apple-system, \"Segoe UI\", Roboto, sans-serif; fill: #1f2328 }"
    print "  .title { font-size: 16px; font-weight: 600 } .group { font-weight: 600 } .note { fill: #59636e }"
    print "  .page { fill: #ffffff } .bar { fill: #b3bcc6 } .own { fill: #0969da }"
    print "  @media (prefers-color-scheme: dark) {"
    print "    text { fill: #e6edf3 } .note { fill: #9198a1 } .page { fill: #0d1117 }"
    print "    .bar { fill: #4a5460 } .own { fill: #4493f8 }"
    print "  }"
    print "</style>"
    print "<rect class=\"page\" width=\"720\" height=\"" height "\" rx=\"6\"/>"
    print "<text class=\"title\" x=\"16\" y=\"28\">" escaped(title) "</text>"
    print "<text class=\"note\" x=\"16\" y=\"48\">" escaped(note) "</text>"
    y = 56
    for (n = 1; n <= NR; n++) {
        if (group[n] != group[n - 1]) {
            print "<text class=\"group\" x=\"16\" y=\"" y + 24 "\">" escaped(group[n]) "</text>"
            y += 34
        }
        width = seconds[n] / most * widest
        kind = program[n] == "feedsync" ? "own" : "bar"
        print "<text x=\"" left - 8 "\" y=\"" y + 13 "\" text-anchor=\"end\">" escaped(program[n]) "</text>"
        printf "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"17\" rx=\"2\"/>\n", kind, left, y, width
        printf "<text x=\"%.1f\" y=\"%d\">%.1f <tspan class=\"note\" dx=\"6\">%d connection%s</tspan></text>\n",
            left + width + 7, y + 13, seconds[n], connections[n], connections[n] == 1 ? "" : "s"
        y += row
    }
    print "</svg>"
}
