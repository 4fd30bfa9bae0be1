package traffic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// takeURL parts a URL. One that is too long to be held asks a server all the same.
func (h *harReader) takeURL(e *harEntry, text string, ok bool) error {
	scheme, _, _ := strings.Cut(text, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss":
	default:
		e.local = true // data:, blob:, about:, chrome-extension: and the like; also a data URL that is too long
		return nil
	}
	if !ok {
		e.url, e.path = "?", strings.Repeat("/", maxFanPath+1)
		return nil
	}
	if at := strings.IndexByte(text, '#'); at >= 0 {
		text = text[:at]
	}
	text = sent(text)
	var r request.Request
	asked := text
	if strings.HasPrefix(strings.ToLower(scheme), "ws") {
		asked = "http" + text[len("ws"):]
	}
	if SetURL(&r, asked) != nil {
		return h.s.fail(h.s.mark, "no server can be asked for this URL") // which may hold secrets
	}
	e.url, e.scheme, e.path = text, h.intern(r.Scheme), r.Target
	e.host = h.intern(hostOf(r.Scheme, r.Host))
	h.held += int64(len(e.url))
	return nil
}

// sent is a URL as a browser asks for it: without a user's name, and with what no request line may hold escaped.
func sent(url string) string {
	if scheme, rest, ok := strings.Cut(url, "://"); ok {
		end := strings.IndexAny(rest, "/?")
		if end < 0 {
			end = len(rest)
		}
		if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
			url = scheme + "://" + rest[at+1:]
		}
	}
	if plainTarget(url) {
		return url
	}
	var b strings.Builder
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func plainTarget(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// hostOf is a host in lower case, without the port that its scheme has anyway.
func hostOf(scheme, host string) string {
	port := ":80"
	if scheme == "https" {
		port = ":443"
	}
	return strings.ToLower(strings.TrimSuffix(host, port))
}

// secretArgs are the names of arguments whose values are credentials.
var secretArgs = []string{
	"token", "access_token", "id_token", "refresh_token", "auth_token", "csrf_token", "auth", "authorization", "apikey", "api_key", "secret",
	"client_secret", "password", "passwd", "pwd", "session", "sessionid", "session_id", "sid", "jwt", "sig", "signature", "x-amz-signature",
}

// withoutSecrets puts another value in the place of each that is a credential.
func (h *harReader) withoutSecrets(target string) string {
	path, query, asks := strings.Cut(target, "?")
	if !asks {
		return target
	}
	args := strings.Split(query, "&")
	for i, arg := range args {
		if name, value, ok := strings.Cut(arg, "="); ok && value != "" && slices.Contains(secretArgs, strings.ToLower(name)) {
			args[i] = name + "=" + h.standIn("argument "+strings.ToLower(name), value)
		}
	}
	return path + "?" + strings.Join(args, "&")
}
