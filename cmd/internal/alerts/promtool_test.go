package alerts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A scene is what counters tell minute by minute, and whether an alert fires at an hour.
type scene struct {
	name, form, conf string
	series           [][2]string // of promtool: the series, its values
	at, alert        string
	fires            []string // zones of the alerts that fire; "" for one without
}

// twoZones has a small zone beside a busy one, oneZone only the small one.
const (
	twoZones = `error_log error.log;
events {}
http {
    limit_req_zone $binary_remote_addr zone=api:1m rate=50r/s;
    limit_req_zone $binary_remote_addr zone=login:1m rate=1r/s;
    limit_conn_zone $binary_remote_addr zone=conns:1m;
    log_format lim '$remote_addr $limit_req_status $request_time $upstream_response_time';
    access_log access.log lim;
    server {
        location / { limit_req zone=api burst=50 nodelay; limit_conn conns 10; proxy_pass http://127.0.0.1:8080; }
        location /login { limit_req zone=login; proxy_pass http://127.0.0.1:8080; }
    }
}
`
	inLogin = `nginx_limit_refused_total{directive="limit_req",zone="login",mode="enforced"}`
	inConns = `nginx_limit_refused_total{directive="limit_conn",zone="conns",mode="enforced"}`
)

// quiet logs refusals at a level that the error log leaves out.
func quiet() string {
	return strings.NewReplacer("http {", "http {\n    limit_req_log_level info;", "limit_conn conns 10; ", "").Replace(twoZones)
}

func oneZone() string {
	return strings.NewReplacer("limit_req zone=api burst=50 nodelay; ", "", "limit_conn conns 10; ", "").Replace(twoZones)
}

// seconds are the series of mean times: of count requests a minute, and then of more after a day.
func seconds(response, upstream, count, response2, upstream2, count2 float64) [][2]string {
	grow := func(first, then float64) string {
		return fmt.Sprintf("0+%gx1440 %g+%gx120", first, 1440*first+then, then)
	}
	return [][2]string{
		{"nginx_http_response_time_seconds_sum", grow(response, response2)},
		{"nginx_http_upstream_time_seconds_sum", grow(upstream, upstream2)},
		{"nginx_http_response_time_seconds_count", grow(count, count2)},
	}
}

func mtailNames(series [][2]string) [][2]string {
	out := make([][2]string, len(series))
	for i, name := range []string{"nginx_upstream_request_seconds_total", "nginx_upstream_seconds_total", "nginx_upstream_requests_total"} {
		out[i] = [2]string{name, series[i][1]}
	}
	return out
}

func status(form, name string, perMinute int) [2]string {
	metric := `nginx_limit_requests_total{status=%q}`
	if form == "nginxlog-rules" {
		metric = `nginx_http_response_count_total{limit_req_status=%q}`
	}
	return [2]string{fmt.Sprintf(metric, name), perMin(perMinute)}
}

func perMin(n int) string { return fmt.Sprintf("0+%dx120", n) }

func scenes() []scene {
	const refuses, outside = "NginxLimitRefuses", "NginxTimeOutsideUpstream"
	out := []scene{
		{"small zone beside a busy one", "mtail-rules", twoZones, [][2]string{{inLogin, perMin(20)}, status("", "PASSED", 3000), status("", "REJECTED", 20)}, "1h", refuses, []string{"login"}},
		{"few in a busy zone", "mtail-rules", twoZones, [][2]string{{inLogin, perMin(5)}, status("", "PASSED", 3000), status("", "REJECTED", 5)}, "1h", refuses, nil},
		{"few, but a share of all", "mtail-rules", twoZones, [][2]string{{inLogin, perMin(5)}, status("", "PASSED", 100), status("", "REJECTED", 5)}, "1h", refuses, []string{"login"}},
		{"single refusals", "mtail-rules", twoZones, [][2]string{{inLogin, perMin(1)}, status("", "REJECTED", 1)}, "1h", refuses, nil},
		{"the only zone, below its share", "mtail-rules", oneZone(), [][2]string{{inLogin, perMin(20)}, status("", "PASSED", 3000), status("", "REJECTED", 20)}, "1h", refuses, nil},
		{"the only zone, above its share", "mtail-rules", oneZone(), [][2]string{{inLogin, perMin(40)}, status("", "PASSED", 3000), status("", "REJECTED", 40)}, "1h", refuses, []string{"login"}},
		{"connections have no share", "mtail-rules", twoZones, [][2]string{{inConns, perMin(5)}, status("", "PASSED", 3000)}, "1h", refuses, []string{"conns"}},
		{"what the error log leaves out, many", "mtail-rules", quiet(), [][2]string{status("", "PASSED", 3000), status("", "REJECTED", 20)}, "1h", refuses, []string{""}},
		{"what the error log leaves out, few", "mtail-rules", quiet(), [][2]string{status("", "PASSED", 3000), status("", "REJECTED", 5)}, "1h", refuses, nil},
		{"all zones at once, many", "nginxlog-rules", twoZones, [][2]string{status("nginxlog-rules", "PASSED", 3000), status("nginxlog-rules", "REJECTED", 20)}, "1h", refuses, []string{""}},
		{"all zones at once, few", "nginxlog-rules", twoZones, [][2]string{status("nginxlog-rules", "PASSED", 3000), status("nginxlog-rules", "REJECTED", 5)}, "1h", refuses, nil},
		{"one zone, below its share", "nginxlog-rules", oneZone(), [][2]string{status("nginxlog-rules", "PASSED", 3000), status("nginxlog-rules", "REJECTED", 20)}, "1h", refuses, nil},
	}
	for _, c := range []struct {
		name   string
		series [][2]string
		fires  []string
	}{
		{"traffic doubles", seconds(12, 6, 60, 25.4, 12.6, 125), nil},
		{"a request takes longer", seconds(12, 6, 60, 21, 6, 60), []string{""}},
		{"fewer requests, each longer", seconds(12, 6, 60, 10.5, 3, 30), []string{""}},
		{"the upstream takes longer", seconds(12, 6, 60, 24, 18, 60), nil},
	} {
		out = append(out,
			scene{c.name, "nginxlog-rules", twoZones, c.series, "25h", outside, c.fires},
			scene{c.name, "mtail-rules", twoZones, mtailNames(c.series), "25h", outside, c.fires})
	}
	return out
}

// TestAlertsFire has promtool run the rules over counters: what fires is judged, and not the text. It is slow to start:
// all scenes of one rule file are one run.
func TestAlertsFire(t *testing.T) {
	promtool := tool(t, "promtool")
	type file struct{ form, conf string }
	tests := make(map[file]*strings.Builder)
	for _, c := range scenes() {
		of := file{c.form, c.conf}
		if tests[of] == nil {
			tests[of] = &strings.Builder{}
			tests[of].WriteString("rule_files: [rules.yml]\nevaluation_interval: 30m\ntests:\n")
		}
		c.write(tests[of])
	}
	for of, text := range tests {
		dir := t.TempDir()
		for name, text := range map[string]string{"rules.yml": withoutWords(written(t, of.conf)[of.form]), "test.yml": text.String()} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := exec.Command(promtool, "test", "rules", filepath.Join(dir, "test.yml")).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", of.form, err, out, text)
		}
	}
}

// withoutWords leaves out what an alert says: the golden files judge that.
func withoutWords(rules string) string {
	var kept []string
	for line := range strings.SplitSeq(rules, "\n") {
		if text := strings.TrimSpace(line); text != "annotations:" && !strings.HasPrefix(text, "summary:") && !strings.HasPrefix(text, "description:") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// write writes a scene as one of promtool's tests.
func (c scene) write(b *strings.Builder) {
	fmt.Fprintf(b, "  # %s\n  - interval: 1m\n    input_series:\n", c.name)
	for _, s := range c.series {
		fmt.Fprintf(b, "      - series: '%s'\n        values: '%s'\n", s[0], s[1])
	}
	fmt.Fprintf(b, "    alert_rule_test:\n      - eval_time: %s\n        alertname: %s\n        exp_alerts:\n", c.at, c.alert)
	for _, zone := range c.fires {
		labels := "severity: warning"
		if zone != "" {
			labels += ", zone: " + zone
		}
		fmt.Fprintf(b, "          - exp_labels: {%s}\n", labels)
	}
}
