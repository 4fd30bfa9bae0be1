package rule

import "strings"

// suppressionMark begins a suppression comment, behind "#" and spaces.
const suppressionMark = "ngxlimit:ignore"

// CutSuppression returns what stands behind the mark of a suppression comment, "# ngxlimit:ignore RULE reason"; false for
// another comment.
func CutSuppression(comment string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(strings.TrimLeft(comment, "# \t"), suppressionMark)
	return rest, ok && (rest == "" || strings.ContainsAny(rest[:1], " \t:"))
}

// isSuppression says that a text is a suppression comment up to its line's end.
func isSuppression(text string) bool {
	_, ok := CutSuppression(strings.TrimRight(text, " \t\r\n"))
	return ok && text[0] == '#'
}
