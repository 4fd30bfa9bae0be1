package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ngxlimit/ngxlimit/model/traffic"
)

// WriteFans lists fans: what each stands for, how many requests it makes and how many of them together, and its sources.
func WriteFans(w io.Writer, fans []*traffic.Fan, o Options) error {
	var b strings.Builder
	name, count := len("fan"), len("requests")
	for _, f := range fans {
		name, count = max(name, len(clean(f.Name))), max(count, len(requestCount(f)))
	}
	indent := strings.Repeat(" ", name+count+len("together")+len(standsFor(traffic.People))+8)
	row := func(fan, requests, together, role, text string) {
		fmt.Fprintf(&b, "%-*s  %*s  %8s  %-6s  %s\n", name, fan, count, requests, together, role, text)
	}
	row("fan", "requests", "together", "is", "stands for")
	for _, f := range fans {
		row(clean(f.Name), requestCount(f), strconv.Itoa(f.Together()), standsFor(f.Role), hang(aboutFan(f), indent, o))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// aboutFan is what a fan stands for, and how that is known.
func aboutFan(f *traffic.Fan) string {
	if len(f.Sources) == 0 {
		return clean(f.Description) + "\nbasis: " + clean(f.Basis)
	}
	sources := make([]string, len(f.Sources))
	for i, s := range f.Sources {
		sources[i] = clean(s)
	}
	return clean(f.Description) + "\nsource: " + strings.Join(sources, "\n        ")
}

func standsFor(r traffic.Role) string {
	if r == traffic.Attack {
		return "attack"
	}
	return "people"
}

// requestCount is how many requests one client makes.
func requestCount(f *traffic.Fan) string {
	n := int64(len(f.Requests))
	for i := range f.Streams {
		n += f.Streams[i].Count()
	}
	return strconv.FormatInt(n, 10)
}

// hang breaks text into lines below its first, where the screen has a width; each line of text begins anew.
func hang(s, indent string, o Options) string {
	width := 1 << 20
	if o.Wrap {
		width = max(o.Width-len(indent), 20)
	}
	var lines []string
	for l := range strings.SplitSeq(s, "\n") {
		lines = append(lines, strings.ReplaceAll(wrap(l, width), "\n", "\n"+indent))
	}
	return strings.Join(lines, "\n"+indent)
}

// WriteFan tells all about a fan: where it comes from, and its requests below those that they wait for.
func WriteFan(w io.Writer, f *traffic.Fan, o Options) error {
	var b strings.Builder
	const indent = "          "
	say := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, hang(text, indent, o))
		}
	}
	say("fan", clean(f.Name))
	say("what", clean(f.Description))
	say("is", standsFor(f.Role))
	say("requests", fmt.Sprintf("%s, at most %d of them together", requestCount(f), f.Together()))
	say("basis", clean(f.Basis))
	for _, s := range f.Sources {
		say("source", clean(s))
	}
	say("note", clean(f.Note))
	say("protocol", string(f.Protocol))
	if f.RTTMs != nil {
		say("rtt", f.RTTMs.String()+" ms")
	}
	for _, q := range f.ClientQueues {
		say("queue", fmt.Sprintf("%s: at most %d unanswered over %s", clean(q.Group), q.AtOnce, strings.Join(q.Protocols, " and ")))
	}
	for i := range f.Retries {
		say("retry", retryText(&f.Retries[i]))
	}
	if len(f.Requests) > 0 {
		b.WriteString("\n")
		writeTree(&b, f)
	}
	for i := range f.Streams {
		writeStream(&b, &f.Streams[i])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func retryText(r *traffic.Retry) string {
	statuses := make([]string, len(r.Statuses))
	for i, s := range r.Statuses {
		statuses[i] = strconv.Itoa(s)
	}
	text := fmt.Sprintf("%s: after %s, at most %d times, %d ms later", clean(r.Name), strings.Join(statuses, ", "), r.AtMost, r.BaseMs)
	if r.Factor != 1 {
		text += fmt.Sprintf(", each time %v times as long", r.Factor)
	}
	if r.CapMs > 0 {
		text += fmt.Sprintf(", at most %d ms", r.CapMs)
	}
	if r.Jitter != traffic.NoJitter {
		text += ", jitter " + string(r.Jitter)
	}
	if r.RetryAfter {
		text += "; Retry-After is honoured"
	}
	return text
}

// deepest is how far a tree of requests is indented; what hangs deeper stands at the same depth.
const deepest = 12

// writeTree writes the requests, each below the one that it waits for.
func writeTree(b *strings.Builder, f *traffic.Fan) {
	children := make([][]int, len(f.Requests)+1) // of each request; of the start at the end
	for i := range f.Requests {
		on := len(f.Requests)
		if d := f.Requests[i].DependsOn; d != nil {
			on = *d
		}
		children[on] = append(children[on], i)
	}
	type branch struct {
		at     int
		depth  int
		last   bool
		prefix string
	}
	var stack []branch
	push := func(of, depth int, prefix string) {
		for n, i := range slices.Backward(children[of]) {
			stack = append(stack, branch{i, depth, n == len(children[of])-1, prefix})
		}
	}
	push(len(f.Requests), 0, "")
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		fork, below := "├─ ", "│  "
		switch {
		case n.depth == 0:
			fork, below = "", ""
		case n.last:
			fork, below = "└─ ", "   "
		}
		fmt.Fprintf(b, "%s%s%d %s\n", n.prefix, fork, n.at, requestText(&f.Requests[n.at]))
		if n.depth >= deepest {
			below = ""
		}
		push(n.at, n.depth+1, n.prefix+below)
	}
}

func requestText(q *traffic.FanRequest) string {
	text := fmt.Sprintf("%s %s  %s", clean(q.Method), clean(q.Path), clean(q.Kind))
	if q.StartOffsetMs > 0 {
		text += fmt.Sprintf(", %d ms later", q.StartOffsetMs)
	}
	if q.ThinkMs != nil {
		text += ", then after " + q.ThinkMs.String() + " ms"
	}
	if q.ServiceMs != nil {
		text += ", takes " + q.ServiceMs.String() + " ms"
	}
	if q.SizeBytes != nil {
		text += ", " + q.SizeBytes.String() + " bytes"
	}
	if q.Group != "" {
		text += ", queue " + clean(q.Group)
	}
	if q.Retry != "" {
		text += ", retry " + clean(q.Retry)
	}
	if q.LongLived {
		text += ", does not end"
	}
	if q.Page != "" {
		text += ", page " + clean(q.Page)
	}
	parts := append(make([]string, 0, 1+len(q.Headers)), text)
	for _, h := range q.Headers {
		parts = append(parts, clean(h.Name+": "+h.Value))
	}
	return strings.Join(parts, ", ")
}

func writeStream(b *strings.Builder, s *traffic.Stream) {
	after := "from the start"
	if s.DependsOn != nil {
		after = fmt.Sprintf("after %d", *s.DependsOn)
	}
	if s.StartOffsetMs > 0 {
		after += fmt.Sprintf(" + %d ms", s.StartOffsetMs)
	}
	fmt.Fprintf(b, "\nstream: %v a second for %v s, %s: %d requests", s.RatePerS, s.DurationS, after, s.Count())
	if s.Spacing == traffic.AtRandom {
		b.WriteString(", at random distances")
	}
	if s.AtOnce > 0 {
		fmt.Fprintf(b, ", at most %d unanswered", s.AtOnce)
	}
	b.WriteString("\n")
	for i := range s.Requests {
		fmt.Fprintf(b, "   %s\n", requestText(&s.Requests[i]))
	}
}
