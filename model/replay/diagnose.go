package replay

import "time"

// timeText shows a time.
func timeText(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// diagnose tells what the traffic of one nginx shows.
func (e *engine) diagnose(*Result) []Diagnosis { return nil }
