module github.com/hmdsefi/faultline/conformance

go 1.26.0

require (
	github.com/hmdsefi/faultline v0.2.0
	golang.org/x/net v0.62.0
	pgregory.net/rapid v1.3.0
)
