package load

import (
	"fmt"
	"regexp"
	"strings"
)

// shellLine matches what stands in the place of a dump where nginx could not even be started.
var shellLine = regexp.MustCompile(`^(?:sudo: |doas: |Error response from daemon: |(?:[^#]*[ :])?nginx: (?:command )?not found\s*$|[^#]*command not found: nginx\s*$)`)

// usageLine matches what nginx says of its own command line: `nginx: invalid option: "T"`.
var usageLine = regexp.MustCompile(`^nginx: (?:invalid option|option ")`)

var (
	fatalLine  = regexp.MustCompile(`\[emerg\] `)
	failedTest = regexp.MustCompile(`^nginx: configuration file (.*) test failed\s*$`)
	passedTest = regexp.MustCompile(`^nginx: configuration file .* test is successful\s*$`)
)

// longestMessage bounds a line of nginx or of the shell, in bytes: nginx cuts its own at 2,048.
const longestMessage = 64 << 10

// mainFile is where nginx keeps its configuration on most systems.
const mainFile = "/etc/nginx/nginx.conf"

// onlyMessages says what to do about a text that is no configuration, but what nginx or the shell said in place of one;
// "" where anything else stands in it. nginx -T dumps nothing of a configuration that it refuses.
func onlyMessages(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(strings.TrimPrefix(line, byteOrderMark)); {
		case line == "":
		case len(line) > longestMessage:
			return ""
		case isOwnLine(line), usageLine.MatchString(line), shellLine.MatchString(line):
			lines = append(lines, line)
		default:
			return ""
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return refusedDump(lines)
}

// refusedDump words messages of which there is at least one.
func refusedDump(lines []string) string {
	file, words, nginx, passed := mainFile, "", false, false
	for _, line := range lines {
		nginx = nginx || isOwnLine(line)
		passed = passed || passedTest.MatchString(line)
		if m := failedTest.FindStringSubmatch(line); m != nil {
			file = m[1]
		} else if words == "" && fatalLine.MatchString(line) {
			words = line
		}
	}
	if words == "" {
		words = lines[len(lines)-1]
	}
	const maxWords = 500
	if len(words) > maxWords {
		words = words[:maxWords] + "..."
	}
	switch {
	case passed:
		return "nginx found its configuration good but dumped nothing: print it with nginx -T, not -t"
	case nginx:
		return fmt.Sprintf("nginx refused its configuration and dumped nothing (%s): check the files themselves: ngxlimit check %s", words, file)
	}
	return fmt.Sprintf("nginx did not run and dumped nothing (%s): check the files themselves: ngxlimit check %s", words, file)
}
