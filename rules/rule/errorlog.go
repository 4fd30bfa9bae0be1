package rule

import "github.com/ngxlimit/ngxlimit/analyzer/config"

// KeptLevel is the most talkative level among error logs, and whether none of them is kept.
func KeptLevel(logs []*config.ErrorLog) (level string, nowhere bool) {
	best := -1
	nowhere = true
	for _, l := range logs {
		nowhere = nowhere && l.Path == "/dev/null"
		if n, _ := config.LogLevel(l.Level); n > best {
			best, level = n, l.Level
		}
	}
	return level, nowhere
}

// KeepsLevel says whether an error log of one level keeps what is written at another.
func KeepsLevel(kept, written string) bool {
	k, known := config.LogLevel(kept)
	w, ok := config.LogLevel(written)
	return !known || !ok || w <= k
}
