package traffic

import (
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/request"
)

// The placeholders that a path or the value of a header may hold.
const (
	clientPlaceholder = "{client}" // the number of the client, from 0
	numberPlaceholder = "{n}"      // in a stream: the number of the request in it, from 0
)

// Varies says by what a request differs each time: by the client that sends it, or by its number in a stream.
func (q *FanRequest) Varies() (byClient, byNumber bool) {
	look := func(s string) {
		byClient = byClient || strings.Contains(s, clientPlaceholder)
		byNumber = byNumber || strings.Contains(s, numberPlaceholder)
	}
	look(q.Path)
	for _, h := range q.Headers {
		look(h.Value)
	}
	return byClient, byNumber
}

// Expand returns the request target and headers that a client sends the request number n of a stream with. What has no
// placeholder is shared with the fan, not copied.
func (q *FanRequest) Expand(client, n int64) (path string, headers []request.Header) {
	byClient, byNumber := q.Varies()
	if !byClient && !byNumber {
		return q.Path, q.Headers
	}
	put := strings.NewReplacer(clientPlaceholder, strconv.FormatInt(client, 10), numberPlaceholder, strconv.FormatInt(n, 10))
	headers = make([]request.Header, len(q.Headers))
	for i, h := range q.Headers {
		headers[i] = request.Header{Name: h.Name, Value: put.Replace(h.Value)}
	}
	return put.Replace(q.Path), headers
}
