package traffic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// largeHAR is a recording of many megabytes that is made while it is read: n entries with bodies of a size.
func largeHAR(n, size int) io.Reader {
	body := strings.Repeat(`<p class=\"x\">text</p>\n`, size/24)
	parts := []io.Reader{strings.NewReader(`{"log": {"version": "1.2", "entries": [`)}
	for i := range n {
		comma := ","
		if i == 0 {
			comma = ""
		}
		parts = append(parts, strings.NewReader(fmt.Sprintf(`%s{"startedDateTime": "2026-03-02T08:00:00.000Z", "request": {"url": "https://a.example/%d"}, "response": {"status": 200, "content": {"text": "`, comma, i)),
			strings.NewReader(body), strings.NewReader(`"}}, "timings": {"wait": 1}}`))
	}
	return io.MultiReader(append(parts, strings.NewReader(`]}}`))...)
}

func TestReadHARMemory(t *testing.T) {
	const most = 4 << 20
	src := largeHAR(500, 200<<10) // 100 MB
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	rec, err := ReadHAR(src, HAROptions{Name: "x"})
	runtime.ReadMemStats(&after)
	if err != nil || len(rec.Fan.Requests) != 500 {
		t.Fatal(err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("%d bytes allocated for 100 MB", took)
	}
}

// What names itself or others a hundred thousand times takes no more time than anything else.
func TestReadHARTime(t *testing.T) {
	const n = 100_000
	entry := func(url, more string) string {
		return `{"startedDateTime": "2026-03-02T08:00:00.000Z", "request": {"url": "` + url + `"}, "_initiator": {"type": "script", "url": "https://b.example/"},` + more +
			`"response": {"status": 200}, "timings": {"wait": 5}}`
	}
	last := strings.Replace(entry("https://a.example/", ""), ":00.000Z", ":09.000Z", 1)
	for name, more := range map[string]string{"one": "", "chain": `"_fromCache": "disk",`} {
		start := time.Now()
		entries := strings.Repeat(entry("https://b.example/", more)+",", n)
		rec, err := ReadHAR(strings.NewReader(`{"log": {"version": "1.2", "entries": [`+entries+last+`]}}`), HAROptions{Name: "x", Host: "a.example"})
		if err != nil || len(rec.Fan.Requests) != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func FuzzReadHAR(f *testing.F) {
	for _, name := range []string{"portal-chrome.har", "portal-firefox.har"} {
		data, err := os.ReadFile(filepath.Join(nginxtest.Root(f), "fixtures", "recordings", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(harOf(entryOf(`"_initiator": {"type": "script", "stack": {"callFrames": [{"url": "https://a.example/"}], "parent": {"parent": null}}},`), entryOf(``)))
	f.Add(harOf(entryOf(``), strings.Replace(entryOf(``), `"status": 200`, `"status": 302, "redirectURL": "//a.example/#x"`, 1)))
	f.Fuzz(func(t *testing.T, text string) {
		rec, err := ReadHAR(strings.NewReader(text), HAROptions{
			Name: "fuzz", Header: func(string) Keep { return Content }, Cookie: func(string) bool { return true },
		})
		if err != nil {
			if at, ok := errors.AsType[*FileError](err); !ok || at.Line < 1 || at.Column < 1 {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		if !json.Valid([]byte(text)) && json.Valid([]byte(strings.TrimPrefix(text, "\ufeff"))) {
			t.Error("read what is no JSON")
		}
		again(t, rec.Fan)
	})
}

func BenchmarkReadHAR(b *testing.B) {
	const n, size = 500, 100 << 10
	b.SetBytes(n * size)
	for range b.N {
		if _, err := ReadHAR(largeHAR(n, size), HAROptions{Name: "x"}); err != nil {
			b.Fatal(err)
		}
	}
}
