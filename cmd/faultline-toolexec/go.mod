module github.com/hmdsefi/faultline/cmd/faultline-toolexec

go 1.26.0

require (
	github.com/hmdsefi/faultline v0.2.0
	github.com/hmdsefi/faultline/rewrite v0.2.0
	github.com/rogpeppe/go-internal v1.16.0
)
