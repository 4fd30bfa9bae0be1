package rule

import (
	"regexp"
	"strings"
)

// suppressionMark begins a suppression comment, behind the signs of a comment and spaces.
const suppressionMark = "ngxlimit:ignore"

// said is what a comment says, without the signs around it: "#" in nginx and in Terraform, which has "//" and "/* */" too.
func said(comment string) string {
	switch {
	case strings.HasPrefix(comment, "//"):
		return strings.TrimLeft(comment, "/ \t")
	case strings.HasPrefix(comment, "/*"):
		return strings.TrimLeft(strings.TrimRight(strings.TrimSuffix(comment, "*/"), "* \t\r\n"), "/* \t\r\n")
	}
	return strings.TrimLeft(comment, "# \t")
}

// CutSuppression returns what stands behind the mark of a suppression comment, "# ngxlimit:ignore RULE reason"; false for
// another comment.
func CutSuppression(comment string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(said(comment), suppressionMark)
	return rest, ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n:"))
}

// isSuppression says that a text is a suppression comment up to its line's end.
func isSuppression(text string) bool {
	_, ok := CutSuppression(strings.TrimRight(text, " \t\r\n"))
	return ok && text[0] == '#'
}

// likeSuppression is what people write who mean a suppression comment and miss its form: another letter case, a space where
// none may be, another tool's word, a misspelt name.
var likeSuppression = regexp.MustCompile(`(?i)^(?:` +
	`ngxlimit:([a-z]+)|` +
	`ngxlimit[\s:.=/_-]+(?:ignore|disable|suppress|noqa|nolint|skip)|` +
	`ng[a-z]{0,4}[_ -]?li[a-z]{2,5}\s*:\s*(?:ignore|disable|suppress)|` +
	`no(?:qa|lint)\s*:\s*ngxlimit\b)`)

// LooksLikeSuppression says that a comment which is none seems to be meant as one.
func LooksLikeSuppression(comment string) bool {
	text := said(comment)
	m := likeSuppression.FindStringSubmatch(text[:min(len(text), 80)])
	return m != nil && m[1] != "context"
}
