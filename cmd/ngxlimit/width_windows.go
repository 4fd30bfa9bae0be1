package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// columns is the width of the console that a file is, in columns; 0 where it is none.
func columns(f *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info); err != nil {
		return 0
	}
	return int(info.Window.Right-info.Window.Left) + 1
}
