package request

import "strings"

// Unparsed is $request_uri: the target as sent, without the scheme and host that an absolute form has in front.
func Unparsed(target string) string {
	if strings.HasPrefix(target, "/") {
		return target
	}
	i := strings.Index(target, "://")
	if i < 0 {
		return target
	}
	rest := target[i+3:]
	end := strings.IndexAny(rest, "/?#")
	switch {
	case end < 0:
		return "/"
	case rest[end] == '?':
		return rest[end:]
	}
	return rest[end:]
}
