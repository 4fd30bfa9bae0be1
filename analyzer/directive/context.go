package directive

import (
	"fmt"
	"strings"
)

// A Context is a set of places in which a directive may stand. The place at which one does stand is a set of one.
type Context uint32

// The places that nginx itself tells apart. An if block is not one place but two: in a server and in a location.
const (
	Main Context = 1 << iota
	Events
	HTTP
	Upstream
	Server
	Location
	ServerIf    // an if block in a server
	LocationIf  // an if block in a location
	LimitExcept // the limit_except block of a location
	Mail
	MailServer
	Stream
	StreamServer
	StreamUpstream

	// Entries is inside a block whose lines are no directives: map, geo, types, split_clients, charset_map.
	Entries
	// Opaque is inside a block of a module whose own directives this table does not know: rtmp, match, geoip2.
	Opaque
)

// Unions that tables and callers need often.
const (
	Everywhere  = Main | Events | AnyHTTP | AnyMail | AnyStream
	AnyHTTP     = HTTP | Upstream | Server | Location | ServerIf | LocationIf | LimitExcept
	AnyMail     = Mail | MailServer
	AnyStream   = Stream | StreamServer | StreamUpstream
	HTTPLevels  = HTTP | Server | Location
	AnyLocation = Location | LocationIf
)

var contextNames = []string{
	"main", "events", "http", "upstream", "server", "location", "if in server", "if in location", "limit_except",
	"mail", "mail server", "stream", "stream server", "stream upstream", "entries", "opaque",
}

// String lists the places in the words of nginx's documentation, "http, server, location".
func (c Context) String() string {
	var names []string
	for i, name := range contextNames {
		if c&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Path returns the blocks that lead to a place from the top of a configuration, outermost first, by their names: the
// usual ones where there are several ways (a location stands in a server, not in another location). Main has none, and
// neither has a set of several places.
func (c Context) Path() []string {
	switch c {
	case Events:
		return []string{"events"}
	case HTTP:
		return []string{"http"}
	case Upstream:
		return []string{"http", "upstream"}
	case Server:
		return []string{"http", "server"}
	case Location:
		return []string{"http", "server", "location"}
	case ServerIf:
		return []string{"http", "server", "if"}
	case LocationIf:
		return []string{"http", "server", "location", "if"}
	case LimitExcept:
		return []string{"http", "server", "location", "limit_except"}
	case Mail:
		return []string{"mail"}
	case MailServer:
		return []string{"mail", "server"}
	case Stream:
		return []string{"stream"}
	case StreamServer:
		return []string{"stream", "server"}
	case StreamUpstream:
		return []string{"stream", "upstream"}
	default:
		return nil
	}
}

// ParsePath returns the place that a chain of block names leads to, outermost first: ["http", "server", "if"] is
// ServerIf. An empty chain, and "main" alone, is Main. The error names the first block that cannot stand where it does.
func ParsePath(blocks []string) (Context, error) {
	at := Main
	for i, name := range blocks {
		if i == 0 && name == "main" {
			continue
		}
		next := at.Inside(name)
		if next == 0 || next == Entries || next == Opaque {
			where := "in " + at.String()
			if at == Main {
				where = "at the top of a configuration"
			}
			return 0, fmt.Errorf("no block %q %s: want %s", name, where, strings.Join(at.blocks(), ", "))
		}
		at = next
	}
	return at, nil
}

// Inside returns the place inside of a block that stands at c, by the name of the block's directive; 0 where no block
// of that name may stand there.
func (c Context) Inside(name string) Context {
	d, ok := Lookup(name)
	if !ok {
		return 0
	}
	v, ok := d.In(c)
	if !ok || !v.Block {
		return 0
	}
	for _, o := range opens {
		if o.name == name && o.at&c != 0 {
			return o.inside
		}
	}
	return Opaque
}

// blocks returns the names of the blocks of directives that may stand at c.
func (c Context) blocks() []string {
	var names []string
	for _, o := range opens {
		if o.at&c != 0 && o.inside != Entries {
			names = append(names, o.name)
		}
	}
	return names
}

// opens says what is inside of a block, for blocks that hold nginx's own directives or plain entries.
var opens = []struct {
	name       string
	at, inside Context
}{
	{"location", Server | Location, Location},
	{"server", HTTP, Server},
	{"if", Server | ServerIf, ServerIf},
	{"if", Location | LocationIf, LocationIf},
	{"limit_except", Location, LimitExcept},
	{"upstream", HTTP, Upstream},
	{"http", Main, HTTP},
	{"events", Main, Events},
	{"map", HTTP | Stream, Entries},
	{"geo", HTTP | Stream, Entries},
	{"types", HTTPLevels, Entries},
	{"split_clients", HTTP | Stream, Entries},
	{"charset_map", HTTP, Entries},
	{"mail", Main, Mail},
	{"server", Mail, MailServer},
	{"stream", Main, Stream},
	{"server", Stream, StreamServer},
	{"upstream", Stream, StreamUpstream},
}
