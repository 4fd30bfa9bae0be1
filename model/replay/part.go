package replay

import (
	"encoding/json"
	"fmt"
	"io"
)

// PartFormat and PartVersion name the form in which a Part is written. A reader takes its own version only.
const (
	PartFormat  = "ngxlimit replay part"
	PartVersion = 1
)

// A Part is what came of some of the nginx hosts that a replay is about. Each nginx has zones of its own, so that nothing
// of what came of one depends on the others: a replay of all is the parts put together, whatever they were cut into.
// In JSON it is the file of replay --partial.
type Part struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Head    Head      `json:"head"`
	Outside int64     `json:"outside"` // requests before Options.From, or from Options.To on
	Logs    []LogPart `json:"logs"`
	Hosts   []Host    `json:"hosts"` // by their names

	edge *EdgeStat // that stands before them; nil for none. Parts that are written have none
	said []string  // what was taken for granted of it
}

// A Head says what was replayed through what. Parts of one replay have the same, but for Input.
type Head struct {
	Tool         string   `json:"tool"`          // version of ngxlimit
	Config       string   `json:"config"`        // digest of what the configuration is read from
	Input        string   `json:"input"`         // the configuration, as the user named it
	NginxVersion string   `json:"nginx_version"` // that it is judged for; "" for the newest that is known
	FromMs       int64    `json:"from_ms"`       // Options.From
	ToMs         int64    `json:"to_ms"`         // Options.To
	Host         string   `json:"host"`          // Options.Host
	Redacted     string   `json:"redacted"`      // digest of the secret that stand-ins are made with; "" where texts are shown
	Refused      []string `json:"refused"`       // what of the configuration is left out, as nginx refuses it
}

// A LogPart is what was read of one log.
type LogPart struct {
	LogStat
	BrokenAt int64      `json:"broken_at"` // the line at which it could not be read on, from 1; 0 for none
	Faults   []LogFault `json:"faults"`    // in the order of accesslog.Kinds
}

// A LogFault is one thing that is wrong with lines of a log.
type LogFault struct {
	Kind  string `json:"kind"`
	Lines int64  `json:"lines"`
	First int64  `json:"first"` // line, from 1
}

// A Host is what came of one nginx.
type Host struct {
	Nginx     string       `json:"nginx"`
	Requests  int64        `json:"requests"`
	FromMs    int64        `json:"from_ms"`
	ToMs      int64        `json:"to_ms"`
	Agreement Agreement    `json:"agreement"` // kinds by their names
	Locations []Location   `json:"locations"`
	Zones     []Zone       `json:"zones"`
	ConnZones []ConnZone   `json:"conn_zones"`
	Keys      []KeyStat    `json:"keys"` // as many as a Result shows; likewise what follows
	URIs      []URIStat    `json:"uris"`
	Windows   []WindowStat `json:"windows"`
	Series    Series       `json:"series"`
	Times     []TimesStat  `json:"times"`
	Pages     []PageStat   `json:"pages"`
	Diagnosis []Diagnosis  `json:"diagnosis"`
	Notes     []Note       `json:"notes"`
	together  bool         // it stands for the nginx hosts beyond mostHosts
}

// A Note is something that was taken for what the logs do not tell.
type Note struct {
	Own  bool   `json:"own"` // of this nginx: where there are several it is named
	Text string `json:"text"`
}

// Write writes a part. The same part gives the same bytes. One that ReadPart would not take for its size is an error.
func (p *Part) Write(w io.Writer) error {
	enc := json.NewEncoder(io.MultiWriter(&counter{left: mostPart}, w))
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(p); err != nil {
		return fmt.Errorf("write the part: %w", err)
	}
	return nil
}
