// Package accesslog reads access logs: lines of any log_format, the formats that are known by name, and JSON lines with
// fields of any name. It knows what a line says about one request, and what is wrong with a line that says nothing. It
// opens no file, reads no clock, and decides nothing about limits; which server or location a line belongs to is not its
// business. Text of a log is handed on as it is: whoever shows it has to make it safe.
package accesslog

// Unknown is a time that a line does not say.
const Unknown = -1

// NoUpstream is the upstream's time of a request that was sent to none: an empty value, or "-".
const NoUpstream = -2

// A Record is one line: one request that was answered. Strings are "" where the line does not say, or says "-".
type Record struct {
	Time       int64 // when it was logged, in milliseconds since 1970
	Precision  int16 // how exact Time is written: 1 or 1000 milliseconds
	Status     int16 // 0 where the line does not say
	RequestMs  int32 // $request_time; Unknown where the line does not say
	UpstreamMs int32 // $upstream_response_time, that of all upstreams together; Unknown or NoUpstream

	LimitReq  Outcome // $limit_req_status
	LimitConn Outcome // $limit_conn_status
	Line      int32   // within its Batch, from 0

	Nginx     string // which nginx wrote the line, where one log holds those of several
	Client    string // $remote_addr
	Peer      string // $realip_remote_addr
	Forwarded string // the header in which a proxy hands on the client's address
	Method    string
	Target    string // as sent: path and query
	Host      string
	Scheme    string
	Server    string // $server_name
	Agent     string
	Referer   string
	User      string
	Headers   []string // the values of Reader.Headers, in their order; nil where there are none
}

// Arrived is when the request came: its time in the log less what it took.
func (r *Record) Arrived() int64 { return r.Time - int64(max(r.RequestMs, 0)) }

// An Outcome is a word of $limit_req_status or $limit_conn_status.
type Outcome uint8

// The outcomes. NotLogged: the line does not say. None: it says that no limit counted the request.
const (
	NotLogged Outcome = iota
	None
	Passed
	Delayed
	Rejected
	DelayedDryRun
	RejectedDryRun
)

var outcomes = [...]string{"", "NONE", "PASSED", "DELAYED", "REJECTED", "DELAYED_DRY_RUN", "REJECTED_DRY_RUN"}

// String returns nginx's word; "" for NotLogged.
func (o Outcome) String() string { return outcomes[o] }

// outcomeOf reads a word of nginx; an empty one, and "-", is None. Any other word says nothing.
func outcomeOf(s string) Outcome {
	switch s {
	case "", "-":
		return None
	case "PASSED":
		return Passed
	case "DELAYED":
		return Delayed
	case "REJECTED":
		return Rejected
	case "DELAYED_DRY_RUN":
		return DelayedDryRun
	case "REJECTED_DRY_RUN":
		return RejectedDryRun
	}
	return NotLogged
}
