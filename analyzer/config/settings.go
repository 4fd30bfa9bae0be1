package config

import "strconv"

// own returns the settings that a level has itself, while it is being read; what it has not is nil until settle.
func (l *Level) own() *Settings {
	if l.Settings == nil {
		l.Settings = new(Settings)
	}
	return l.Settings
}

func (l *Level) ownReqs() *ReqSettings       { return group(&l.own().ReqSettings) }
func (l *Level) ownConns() *ConnSettings     { return group(&l.own().ConnSettings) }
func (l *Level) ownRealIP() *RealIPSettings  { return group(&l.own().RealIPSettings) }
func (l *Level) ownAnswers() *AnswerSettings { return group(&l.own().AnswerSettings) }

func group[T any](own **T) *T {
	if *own == nil {
		*own = new(T)
	}
	return *own
}

// written makes the setting that a directive writes at a level.
func written[T any](it Item, l *Level, v T) *Setting[T] {
	return &Setting[T]{Value: v, At: l, Origin: it.Directive, Via: it.Via}
}

// appendTo adds to a list setting; its origin stays the first directive of the list.
func appendTo[T any](list **Setting[[]T], it Item, l *Level, v T) {
	if *list == nil {
		*list = written(it, l, []T{v})
		return
	}
	(*list).Value = append((*list).Value, v)
}

// defaults are nginx's own settings, in effect at http where it has none.
func defaults(errors *Setting[[]*ErrorLog]) *Settings {
	return &Settings{
		ReqSettings: &ReqSettings{
			LimitReqs:        &Setting[[]*LimitReq]{},
			LimitReqStatus:   &Setting[int]{Value: 503},
			LimitReqLogLevel: &Setting[string]{Value: "error"},
			LimitReqDryRun:   &Setting[bool]{},
		},
		ConnSettings: &ConnSettings{
			LimitConns:        &Setting[[]*LimitConn]{},
			LimitConnStatus:   &Setting[int]{Value: 503},
			LimitConnLogLevel: &Setting[string]{Value: "error"},
			LimitConnDryRun:   &Setting[bool]{},
		},
		RealIPSettings: &RealIPSettings{
			RealIPFrom:      &Setting[[]*Trusted]{},
			RealIPHeader:    &Setting[string]{Value: "X-Real-IP"},
			RealIPRecursive: &Setting[bool]{},
		},
		AnswerSettings: &AnswerSettings{
			AccessLogs: &Setting[[]*AccessLog]{Value: []*AccessLog{{Path: "logs/access.log", Format: "combined"}}},
			ErrorLogs:  errors,
			ErrorPages: &Setting[[]*ErrorPage]{},

			AddHeaders:       &Setting[[]*AddHeader]{},
			AddHeaderInherit: &Setting[string]{Value: InheritOn},
		},
	}
}

// settle gives a level the settings of its outer one wherever it has none of its own (the modules' merge functions of
// nginx). A level without any of its own shares the outer one's object.
func (l *Level) settle(outer *Settings) {
	s := l.Settings
	if s == nil {
		l.Settings = outer
		return
	}
	settleGroup(&s.ReqSettings, outer.ReqSettings, (*ReqSettings).settle)
	settleGroup(&s.ConnSettings, outer.ConnSettings, (*ConnSettings).settle)
	settleGroup(&s.RealIPSettings, outer.RealIPSettings, (*RealIPSettings).settle)
	settleGroup(&s.AnswerSettings, outer.AnswerSettings, (*AnswerSettings).settle)
}

// settleGroup shares the outer level's group, or fills in what the level's own lacks.
func settleGroup[T any](own **T, outer *T, settle func(own, outer *T)) {
	if *own == nil {
		*own = outer
		return
	}
	settle(*own, outer)
}

func (s *ReqSettings) settle(outer *ReqSettings) {
	inherit(&s.LimitReqs, outer.LimitReqs)
	inherit(&s.LimitReqStatus, outer.LimitReqStatus)
	inherit(&s.LimitReqLogLevel, outer.LimitReqLogLevel)
	inherit(&s.LimitReqDryRun, outer.LimitReqDryRun)
}

func (s *ConnSettings) settle(outer *ConnSettings) {
	inherit(&s.LimitConns, outer.LimitConns)
	inherit(&s.LimitConnStatus, outer.LimitConnStatus)
	inherit(&s.LimitConnLogLevel, outer.LimitConnLogLevel)
	inherit(&s.LimitConnDryRun, outer.LimitConnDryRun)
}

func (s *RealIPSettings) settle(outer *RealIPSettings) {
	inherit(&s.RealIPFrom, outer.RealIPFrom)
	inherit(&s.RealIPHeader, outer.RealIPHeader)
	inherit(&s.RealIPRecursive, outer.RealIPRecursive)
}

func (s *AnswerSettings) settle(outer *AnswerSettings) {
	inherit(&s.AccessLogs, outer.AccessLogs)
	inherit(&s.ErrorLogs, outer.ErrorLogs)
	inherit(&s.ErrorPages, outer.ErrorPages)
	s.inheritHeaders(outer)
}

func inherit[T any](own **Setting[T], outer *Setting[T]) {
	if *own == nil {
		*own = outer
	}
}

// settleAll settles every level from the outside in, without recursion. errors is what stands outside of http.
func (h *HTTP) settleAll(errors *Setting[[]*ErrorLog]) {
	h.settle(defaults(errors))
	for _, s := range h.Servers {
		s.settle(h.Settings)
		for _, l := range s.Ifs {
			l.settle(s.Settings)
		}
		for l := range s.AllLocations {
			l.settle(l.Parent.Settings)
			for _, branch := range l.Ifs {
				branch.settle(l.Settings)
			}
			if l.Except != nil {
				l.Except.settle(l.Settings)
			}
		}
	}
}

// settingHandler returns what reads a directive that may stand at several levels.
func settingHandler(name string) handler {
	switch name {
	case "limit_req":
		return (*resolver).limitReq
	case "limit_conn":
		return (*resolver).limitConn
	case "allow", "deny":
		return (*resolver).accessRule
	case "set_real_ip_from":
		return (*resolver).setRealIPFrom
	case "access_log":
		return (*resolver).accessLog
	case "error_log":
		return (*resolver).errorLog
	case "error_page":
		return (*resolver).errorPage
	case "add_header":
		return (*resolver).addHeader
	case "add_header_inherit":
		return (*resolver).addHeaderInherit
	case "ssl_session_cache":
		return (*resolver).sessionCache
	case "root", "alias":
		return (*resolver).root
	case "set":
		return (*resolver).setVariable
	case "rewrite":
		return (*resolver).rewrite
	case "return":
		return (*resolver).returns
	case "auth_request_set", "perl_set", "js_set", "js_var":
		return (*resolver).fillVariable
	case "limit_req_status", "limit_conn_status":
		return (*resolver).rejectStatus
	}
	if set := plainSetting(name); set != nil {
		return func(_ *resolver, it Item, _ *visit, s *scope) { set(it, s.level) }
	}
	return nil
}

// plainSetting returns what stores a setting whose value needs no look of its own: the table of directives says how it
// is read, and it was looked at by then.
func plainSetting(name string) func(Item, *Level) {
	switch name {
	case "limit_req_log_level":
		return func(it Item, l *Level) { l.ownReqs().LimitReqLogLevel = written(it, l, lower(it.Arg(0))) }
	case "limit_conn_log_level":
		return func(it Item, l *Level) { l.ownConns().LimitConnLogLevel = written(it, l, lower(it.Arg(0))) }
	case "limit_req_dry_run":
		return func(it Item, l *Level) { l.ownReqs().LimitReqDryRun = written(it, l, isOn(it.Arg(0))) }
	case "limit_conn_dry_run":
		return func(it Item, l *Level) { l.ownConns().LimitConnDryRun = written(it, l, isOn(it.Arg(0))) }
	case "real_ip_recursive":
		return func(it Item, l *Level) { l.ownRealIP().RealIPRecursive = written(it, l, isOn(it.Arg(0))) }
	case "real_ip_header":
		return func(it Item, l *Level) { l.ownRealIP().RealIPHeader = written(it, l, it.Arg(0)) }
	}
	return nil
}

// rejectStatus reads limit_req_status and limit_conn_status.
func (r *resolver) rejectStatus(it Item, _ *visit, s *scope) {
	n, err := strconv.Atoi(it.Arg(0))
	if err != nil || n < 400 || n > 599 {
		r.refuseWord(it, it.Word(0), s.level, InvalidValue, "value must be between 400 and 599")
		return
	}
	if it.Name().Value == "limit_req_status" {
		s.level.ownReqs().LimitReqStatus = written(it, s.level, n)
	} else {
		s.level.ownConns().LimitConnStatus = written(it, s.level, n)
	}
}
