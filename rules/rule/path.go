package rule

import (
	"strings"
	"unicode"

	"github.com/ngxlimit/ngxlimit/analyzer/config"
)

// A Use is what a place seems to be for, as far as its names tell.
type Use uint8

// The uses.
const (
	ForPages    Use = iota // pages, and what their scripts ask for: people wait
	ForPrograms            // programs ask, and nobody waits: hooks, metrics, exports
	ForLogin               // one request at a time, and holding back a guesser is the point
	ForStatic              // static files
)

// words maps what stands in a path to what the path is for.
var words = func() map[string]Use {
	m := make(map[string]Use)
	for use, list := range map[Use]string{
		ForPrograms: "hook hooks webhook webhooks callback callbacks cron batch job jobs queue worker workers metrics health healthz healthcheck " +
			"livez readyz liveness readiness ping heartbeat export exports import imports ingest collect collector telemetry beacon feed feeds rss " +
			"atom sitemap robots backup backups sync replication xmlrpc machine internal cdn-cgi prometheus probe",
		ForLogin: "login logon signin sign-in log-in sign_in log_in sign_up auth authenticate token tokens password passwd passwort forgot reset register signup sign-up " +
			"otp 2fa mfa wp-login sso oauth oauth2 captcha",
		ForStatic: "static asset assets css js img imgs image images media font fonts icon icons dist build bundle bundles public theme themes " +
			"wp-content wp-includes _next _nuxt vendor webjars favicon png jpg jpeg gif ico svg webp avif woff woff2 mp4 thumbs thumbnails",
	} {
		for word := range strings.FieldsSeq(list) {
			m[word] = use
		}
	}
	return m
}()

// Use says what the place seems to be for. Settings that list its path come first.
func (f *Facts) Use(p Place) Use {
	if p.known {
		return p.use
	}
	return f.useAmong(nil, p)
}

// useAmong is Use for a place that is not known yet; what patterns are for is kept in uses, where it is not nil.
func (f *Facts) useAmong(uses map[string]Use, p Place) Use {
	l := p.Location
	if l == nil {
		return ForPages
	}
	uri := l.Pattern
	switch {
	case f.Settings.IsBackground(uri):
		return ForPrograms
	case f.Settings.IsInteractive(uri):
		return ForPages
	case l.Handler != nil && servesPrograms(l.Handler.Name().Value):
		return ForPrograms
	}
	use, ok := uses[uri]
	if !ok {
		if use = useOf(l); uses != nil {
			uses[uri] = use
		}
	}
	return use
}

func servesPrograms(handler string) bool { return handler == "grpc_pass" || handler == "stub_status" }

// useOf goes by the words of the pattern. One for static files or for programs tells wherever it stands; one for a login
// only at the end, because everything may lie below a prefix like /auth/.
func useOf(l *config.Location) Use {
	last, before := "", ""
	for word, rest := cutWord(strings.ToLower(l.Pattern)); word != ""; word, rest = cutWord(rest) {
		if use := words[word]; use == ForStatic || use == ForPrograms {
			return use
		}
		last, before = word, last
	}
	if strings.HasSuffix(l.Pattern, "/") {
		return ForPages
	}
	if last == "php" && before != "" {
		last = before
	}
	if words[last] == ForLogin {
		return ForLogin
	}
	return ForPages
}

// cutWord returns the first word of a path or a regex and what follows it; "" where there is none. Words end at whatever
// is no letter, digit, "-" or "_".
func cutWord(pattern string) (word, rest string) {
	start := strings.IndexFunc(pattern, inWord)
	if start < 0 {
		return "", ""
	}
	pattern = pattern[start:]
	end := strings.IndexFunc(pattern, func(r rune) bool { return !inWord(r) })
	if end < 0 {
		return pattern, ""
	}
	return pattern[:end], pattern[end:]
}

func inWord(r rune) bool { return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsFan says whether one page asks the place for several things at once. An exact location is one address, and only
// some of those take many requests with different arguments.
func (p Place) IsFan() bool {
	if p.Location == nil || p.Location.Modifier != "=" {
		return true
	}
	for word, rest := cutWord(strings.ToLower(p.Location.Pattern)); word != ""; word, rest = cutWord(rest) {
		switch word {
		case "graphql", "admin-ajax", "ajax", "rpc", "jsonrpc", "index", "batch", "query":
			return true
		}
	}
	return false
}

// ForMachines says whether the names of a server tell that programs are its clients: api.example.com.
func ForMachines(s *config.Server) bool {
	for _, n := range s.Names {
		first, _, _ := strings.Cut(strings.TrimLeft(strings.ToLower(n.Text), "~^*.\\"), ".")
		found := false
		for word := range strings.FieldsFuncSeq(first, func(r rune) bool { return r == '-' || r == '_' || r == '\\' }) {
			switch word {
			case "api", "apis", "rpc", "grpc", "hooks", "webhooks", "webhook", "ws", "mqtt", "registry", "cdn", "static", "assets", "img", "images", "media":
				found = true
			}
		}
		if !found {
			return false
		}
	}
	return len(s.Names) > 0
}

// guessed are the words at the end of an address at which passwords, codes or tokens can be guessed.
var guessed = func() map[string]bool {
	m := make(map[string]bool)
	for word := range strings.FieldsSeq("login logon signin sign-in log-in sign_in log_in wp-login xmlrpc password passwd passwort forgot " +
		"forgot-password forgot_password forgotpassword resetpassword lostpassword passwordreset login_check do_login dologin recover-password password-reset password_reset reset-password reset_password lost-password token tokens otp 2fa mfa " +
		"authenticate") {
		m[word] = true
	}
	return m
}()

// Guessable says whether an address is one at which passwords, codes or tokens can be guessed, as far as its last part tells.
func Guessable(uri string) bool {
	path := strings.ToLower(strings.TrimSuffix(uri, "/"))
	at := strings.LastIndexByte(path, '/')
	last := path[at+1:]
	for _, extension := range [...]string{".php", ".aspx", ".asp", ".jsp", ".do", ".cgi", ".html"} {
		last = strings.TrimSuffix(last, extension)
	}
	if guessed[last] || at < 0 {
		return guessed[last]
	}
	switch last {
	case "reset", "forgot", "recover", "recovery", "request", "verify", "edit", "new", "email", "confirm":
		before := path[:at]
		switch before[strings.LastIndexByte(before, '/')+1:] {
		case "password", "passwd", "passwords", "account", "2fa", "mfa", "otp", "login":
			return last != "new" && last != "edit" || !strings.HasSuffix(before, "account")
		}
	}
	return false
}

// IsHealthCheck says whether a path is one at which balancers look whether a server is alive, as far as its last part tells.
func IsHealthCheck(pattern string) bool {
	switch lastWord(pattern) {
	case "health", "healthz", "healthcheck", "health-check", "health_check", "_health", "livez", "liveness", "readyz", "readiness", "ping", "heartbeat",
		"lb-check", "elb-status", "elb-health", "alive":
		return true
	}
	return false
}

// IsCallback says whether a path is one to which other systems deliver their events. The callback of a login is none: people's
// browsers go there.
func IsCallback(pattern string) bool {
	is := false
	for word, rest := cutWord(strings.ToLower(pattern)); word != ""; word, rest = cutWord(rest) {
		switch word {
		case "hook", "hooks", "webhook", "webhooks", "callback", "callbacks", "ipn":
			is = true
		case "oidc", "saml", "oauth", "oauth2", "openid":
			return false
		}
		if words[word] == ForLogin {
			return false
		}
	}
	return is
}

// lastWord is the last word of a path or a regex, in lower case.
func lastWord(pattern string) string {
	last := ""
	for word, rest := cutWord(strings.ToLower(pattern)); word != ""; word, rest = cutWord(rest) {
		last = word
	}
	return last
}

// IsStream says whether a path is one at which a client listens for as long as it is there, by its names.
func IsStream(pattern string) bool {
	for word, rest := cutWord(strings.ToLower(pattern)); word != ""; word, rest = cutWord(rest) {
		switch word {
		case "ws", "wss", "websocket", "websockets", "socket", "sse", "event-stream", "eventsource", "longpoll", "long-poll", "longpolling", "comet",
			"signalr", "cable", "mqtt", "sockjs", "sockjs-node":
			return true
		}
	}
	return strings.Contains(pattern, "socket.io")
}
