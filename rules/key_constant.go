package rules

import (
	"fmt"
	"slices"

	"github.com/ngxlimit/ngxlimit/analyzer/value"
	"github.com/ngxlimit/ngxlimit/rules/rule"
)

// KeyConstant reports keys that all clients share by mistake.
var KeyConstant = register(rule.Rule{
	Name:       "key-constant",
	Summary:    "a key that is the same for all clients, where nothing says that it is meant",
	Group:      rule.GroupKeys,
	Severity:   rule.Warning,
	Confidence: rule.Medium,
	Since:      "0.1.0",
	Why: "With a key that is the same for all, one client uses up the limit of everybody. Behind `limit_req_zone binary_remote_addr ...` the\n" +
		"`$` is missing: the key is the word. `$server_addr` is nginx's own address, `$status` is not known yet and `000` for\n" +
		"everybody. Of a map that leads every visitor to `1` or `limited`, the address was forgotten; one with `default 0` for those\n" +
		"who are not to be counted puts them all into the bucket of the key `0`, since only an empty key is not counted.\n\n" +
		"A limit for all clients together is a good thing beside one by address, or where its name or its rate says so. Nothing is said\n" +
		"of `$server_name` and `$host`, the usual ways to write one, where another limit by address stands beside it, where the zone\n" +
		"or the key is called total, global, all and the like, from 100r/s on, or of a map that gives a key to some (crawlers, one\n" +
		"customer) and none to ordinary visitors.\n",
	Bad: `events {}

http {
    limit_req_zone binary_remote_addr zone=clients:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=clients burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Good: `events {}

http {
    limit_req_zone $binary_remote_addr zone=clients:10m rate=10r/s;
    limit_req_status 429;

    server {
        location /api/ {
            limit_req zone=clients burst=20 nodelay;
            proxy_pass http://127.0.0.1:8080;
        }
    }
}
`,
	Links: []string{
		"https://nginx.org/en/docs/http/ngx_http_limit_req_module.html#limit_req_zone",
		"https://nginx.org/en/docs/http/ngx_http_core_module.html#variables",
	},
	Fixable: true,
	Check:   checkKeyConstant,
})

// enoughForAll is the rate from which a limit is taken to be for all clients, in thousandths of a request per second.
const enoughForAll = 100_000

func checkKeyConstant(p *rule.Pass) {
	for _, z := range p.Zones() {
		if !p.Counts(z) {
			continue
		}
		text, constant := z.Key.Constant()
		if constant && value.Builtin(text) {
			f := z.Of(p.Facts)
			f.Severity, f.Confidence = rule.Error, rule.High
			f.Message = fmt.Sprintf("the key is the word %q for every client: the $ is missing", text)
			f.Fix = &rule.Fix{Title: "write $" + text, Edits: rule.ReplaceWord(z.Item.Directive, text, "$"+text)[:1]}
			p.Report(f)
			continue
		}
		message, mistaken := constantKey(p, z)
		if message == "" || !mistaken && (z.Req != nil && z.Req.Rate >= enoughForAll || rule.NamesTotal(z.Name) || rule.NamesTotal(text) || p.Held(z)) ||
			!p.WholeFor(z) {
			continue
		}
		reportConstant(p, z, message)
	}
}

// constantKey says what key all clients have; "" where they have different ones. It is no limit for all together, whatever
// it is called, where the key means that they are not to be counted.
func constantKey(p *rule.Pass, z *rule.Zone) (message string, mistaken bool) {
	if text, constant := z.Key.Constant(); constant {
		return fmt.Sprintf("the key is the text %q for every client", text), false
	}
	if same, method := p.SameForVisitors(z.Key); same != "" && rule.WrittenVariable(same) == "" {
		message := fmt.Sprintf("every visitor has the key %q for a %s", same, method)
		if rule.MeansNo(same) {
			return message + ": only an empty key is not counted", true
		}
		return message, false
	}
	if name := sameVariable(p.Flow(z.Key)); name != "" {
		return fmt.Sprintf("$%s is the same for every client", name), false
	}
	return "", false
}

func reportConstant(p *rule.Pass, z *rule.Zone, message string) {
	f := z.Of(p.Facts)
	f.Message = message + fmt.Sprintf(", so that all share one bucket of zone %q", z.Name)
	if z.Req != nil {
		f.Evidence["rate_milli"] = z.Req.Rate
	}
	p.Report(f)
}

// sameVariable returns the variable that a key consists of where it has one text for all clients of a server and is no usual
// way to count them together; "" for every other key.
func sameVariable(flow *rule.Flow) string {
	if len(flow.Chooses) > 0 || len(flow.Texts) == 0 || slices.ContainsFunc(flow.Texts, func(l rule.Leaf) bool { return !isSame(l.Name) }) {
		return ""
	}
	i := slices.IndexFunc(flow.Texts, func(l rule.Leaf) bool { return l.Name != "server_name" && l.Name != "host" })
	if i < 0 || len(flow.Texts) > 1 {
		return ""
	}
	return flow.Texts[i].Name
}

func isSame(name string) bool {
	switch name {
	case "server_addr", "server_port", "hostname", "nginx_version", "pid", "scheme", "https", "server_protocol", "document_root", "realpath_root",
		"status", "bytes_sent", "body_bytes_sent", "request_time":
		return true
	}
	return false
}
