package rollout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ngxlimit/ngxlimit/analyzer/nginxtest"
)

// What was logged before is logged on beside the log of the dry run: an access_log at a level takes the place of those outside.
// That log tells the method that was sent, also where an error_page makes a GET of it.
func TestNginxLogsOn(t *testing.T) {
	nginxtest.Binary(t)
	for name, c := range map[string]struct{ http, server, log, note string }{
		"the http block's": {"log_format own 'own $request';\naccess_log own.log own;", "", "own.log", ""},
		"the server's":     {"log_format own 'own $request';\naccess_log off;", "access_log own.log own;", "own.log", ""},
		"nginx's own":      {"", "", "access.log", "nothing names an access_log"},
	} {
		t.Run(name, func(t *testing.T) {
			port := nginxtest.Port(t)
			text := "pid nginx.pid;\nevents {}\nhttp {\n" + c.http + fmt.Sprintf("\nserver {\nlisten 127.0.0.1:%d;\n%s\n"+
				"location /api/ { return 204; }\nlocation / { error_page 404 /gone; try_files /none =404; }\nlocation = /api/login { try_files /none =404; }\n"+
				"location = /gone { return 410; }\n}\n}\n", port, c.server)
			p := proposed(t, text, "1.22.1")
			if !strings.Contains(strings.Join(p.Notes, "\n"), c.note) {
				t.Errorf("no note %q in %q", c.note, p.Notes)
			}
			conf := strings.ReplaceAll(p.DryRun.Tree.Input.Main.File.Text, "/var/log/nginx/", "")
			conf = strings.Replace(conf, "http {\n", "http {\nclient_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;\n", 1)
			s := nginxtest.Start(t, conf, port, nil)
			nginxtest.NewClient(t, port).Send(t, "POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n")
			if line := s.Logged(t, "limits.log", 1); !strings.Contains(line, `"limit":"`) || !strings.Contains(line, `"request":"POST /x HTTP/1.1"`) {
				t.Errorf("limits.log: %s", line)
			}
			if line := s.Logged(t, c.log, 1); !strings.Contains(line, "POST /x HTTP/1.1") || strings.HasPrefix(line, "own ") != (c.log == "own.log") {
				t.Errorf("%s: %s", c.log, line)
			}
		})
	}
}

// Where a location logs for itself, the server's log does not tell of it.
func TestTellsOfOwnLogs(t *testing.T) {
	for format, want := range map[string]bool{
		"'$request'": true, "'$msec $limit_req_status $request_time $upstream_response_time'": false,
	} {
		p := proposed(t, head+"    log_format own "+format+";\n    server {\n        listen 8080;\n        location /api/ { access_log /a.log own; limit_req zone=all; proxy_pass http://127.0.0.1:9000; }\n    }\n}\n", "")
		if got := strings.Contains(strings.Join(p.Notes, "\n"), "location /api/ has an access_log of its own"); got != want {
			t.Errorf("%s: %v, %q", format, got, p.Notes)
		}
	}
}

// A log format of the configuration that tells all is taken, where nginx knows it when it comes to the server.
func TestTakesAFormatThatIsThere(t *testing.T) {
	const (
		all    = "$msec $limit_req_status $request_time $upstream_response_time $remote_addr $host $request"
		server = "    server {\n        listen 8080;\n        location / { proxy_pass http://127.0.0.1:9000; }\n    }\n"
	)
	format := func(text string) string { return "    log_format own '" + text + "';\n" }
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"one that tells all": {format(all) + server, "limits.log own;"},
		"without the host":   {format(strings.ReplaceAll(all, "$host ", "")) + server, "limits.log limits;"},
		"behind the server":  {server + format(all), "limits.log limits;"},
		"behind realip":      {format(all) + "    set_real_ip_from 10.0.0.0/8;\n" + server, "limits.log limits;"},
	} {
		t.Run(name, func(t *testing.T) {
			text := proposed(t, "events {}\nhttp {\n"+c.text+"}\n", "").DryRun.Tree.Input.Main.File.Text
			if !strings.Contains(text, c.want) || strings.Contains(text, "log_format limits ") != strings.HasSuffix(c.want, " limits;") {
				t.Errorf("no %q in:\n%s", c.want, text)
			}
		})
	}
}
