// Package calendar knows when markets are open. It reads a calendar file, or
// one of the markets that are built in, and answers how much open time lies
// between two instants: what the engine counts silence by.
//
// A calendar is read once and never changes, so any number of goroutines may
// ask it. The built-in markets are files of the same form in markets/, made by
// generate.py there from the exchange_calendars package.
package calendar
