package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// cleanups are what must not stay behind when a signal ends the program: temporary files of unfinished outputs.
var cleanups struct {
	sync.Mutex
	next int
	run  map[int]func()
}

// cleanUpOnSignal registers a function for that case, and returns one that takes it back.
func cleanUpOnSignal(f func()) (forget func()) {
	cleanups.Lock()
	defer cleanups.Unlock()
	if cleanups.run == nil {
		cleanups.run = map[int]func(){}
	}
	id := cleanups.next
	cleanups.next++
	cleanups.run[id] = f
	return func() {
		cleanups.Lock()
		defer cleanups.Unlock()
		delete(cleanups.run, id)
	}
}

// exitOnSignal waits for an interruption, removes what is unfinished and ends the program.
func exitOnSignal() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	<-c
	cleanups.Lock() // and keep it: nothing may start or finish an output now
	for _, f := range cleanups.run {
		f()
	}
	os.Exit(exitInterrupted)
}
