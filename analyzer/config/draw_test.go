package config

import (
	"fmt"
	"strings"
)

// settings draws what is in effect at a level and is not nginx's default; what the outer level has as well is left out.
func (d *drawer) settings(depth int, l *Level) {
	outer := Settings{&ReqSettings{}, &ConnSettings{}, &RealIPSettings{}, &AnswerSettings{}}
	if l.Parent != nil {
		if outer = *l.Parent.Settings; l.Settings == l.Parent.Settings {
			return
		}
	}
	s := l.Settings
	drawSetting(d, depth, "limit_req", s.LimitReqs, outer.LimitReqs, reqList)
	drawSetting(d, depth, "limit_req_status", s.LimitReqStatus, outer.LimitReqStatus, fmt.Sprint)
	drawSetting(d, depth, "limit_req_log_level", s.LimitReqLogLevel, outer.LimitReqLogLevel, fmt.Sprint)
	drawSetting(d, depth, "limit_req_dry_run", s.LimitReqDryRun, outer.LimitReqDryRun, fmt.Sprint)
	drawSetting(d, depth, "limit_conn", s.LimitConns, outer.LimitConns, connList)
	drawSetting(d, depth, "limit_conn_status", s.LimitConnStatus, outer.LimitConnStatus, fmt.Sprint)
	drawSetting(d, depth, "limit_conn_log_level", s.LimitConnLogLevel, outer.LimitConnLogLevel, fmt.Sprint)
	drawSetting(d, depth, "limit_conn_dry_run", s.LimitConnDryRun, outer.LimitConnDryRun, fmt.Sprint)
	drawSetting(d, depth, "set_real_ip_from", s.RealIPFrom, outer.RealIPFrom, trustedList)
	drawSetting(d, depth, "real_ip_header", s.RealIPHeader, outer.RealIPHeader, fmt.Sprint)
	drawSetting(d, depth, "real_ip_recursive", s.RealIPRecursive, outer.RealIPRecursive, fmt.Sprint)
	drawSetting(d, depth, "access_log", s.AccessLogs, outer.AccessLogs, logList)
	drawSetting(d, depth, "error_log", s.ErrorLogs, outer.ErrorLogs, errorList)
	drawSetting(d, depth, "add_header", s.AddHeaders, outer.AddHeaders, headerList)
	drawSetting(d, depth, "error_page", s.ErrorPages, outer.ErrorPages, pageList)
}

func drawSetting[T any](d *drawer, depth int, name string, s, outer *Setting[T], text func(...any) string) {
	if s == outer || s.From() == Default && s.Origin == nil {
		return
	}
	origin := ""
	if s.Origin != nil {
		origin = d.origin(s.Origin.Span(), s.Via)
	}
	d.line(depth, "%s %s%s", name, text(s.Value), origin)
}

// list writes each element of the one list in args.
func list[T any](args []any, text func(T) string) string {
	var out []string
	for _, v := range args[0].([]T) {
		out = append(out, text(v))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func reqList(args ...any) string {
	return list(args, func(l *LimitReq) string {
		text := fmt.Sprintf("%s burst %d", l.ZoneName, l.Burst)
		switch {
		case l.NoDelay:
			text += " nodelay"
		case l.Delay > 0:
			text += fmt.Sprintf(" delay %d", l.Delay)
		}
		if l.WroteNoDelay && l.HasDelay {
			text += " (both written)"
		}
		if l.Zone == nil {
			text += " without zone"
		}
		return text
	})
}

func connList(args ...any) string {
	return list(args, func(l *LimitConn) string {
		text := fmt.Sprintf("%s %d", l.ZoneName, l.Max)
		if l.Zone == nil {
			text += " without zone"
		}
		return text
	})
}

func trustedList(args ...any) string {
	return list(args, func(t *Trusted) string {
		switch {
		case t.Unix:
			return "unix:"
		case t.HostName != "":
			return "host " + t.HostName
		case t.LowBits:
			return t.Prefix.String() + " low bits"
		}
		return t.Prefix.String()
	})
}

func logList(args ...any) string {
	return list(args, func(l *AccessLog) string { return strings.TrimSpace(l.Path + " " + l.Format) })
}

func errorList(args ...any) string {
	return list(args, func(l *ErrorLog) string { return l.Path + " " + l.Level })
}

func headerList(args ...any) string {
	return list(args, func(h *AddHeader) string {
		text := fmt.Sprintf("%s: %q", h.Name, h.Value)
		if h.Always {
			text += " always"
		}
		return text
	})
}

func pageList(args ...any) string {
	return list(args, func(p *ErrorPage) string { return fmt.Sprintf("%v =%d %s", p.Codes, p.Answer, p.Target) })
}
