// SPDX-License-Identifier: MPL-2.0

package etcdraft

import "fmt"

// logger keeps raft silent: what it does is in the trace. Where raft gives up it
// panics, which fails the seed.
type logger struct{}

func (logger) Debug(...any)            {}
func (logger) Debugf(string, ...any)   {}
func (logger) Info(...any)             {}
func (logger) Infof(string, ...any)    {}
func (logger) Warning(...any)          {}
func (logger) Warningf(string, ...any) {}
func (logger) Error(...any)            {}
func (logger) Errorf(string, ...any)   {}

func (logger) Fatal(v ...any)                 { panic(fmt.Sprint(v...)) }
func (logger) Fatalf(format string, v ...any) { panic(fmt.Sprintf(format, v...)) }
func (logger) Panic(v ...any)                 { panic(fmt.Sprint(v...)) }
func (logger) Panicf(format string, v ...any) { panic(fmt.Sprintf(format, v...)) }
