module github.com/hmdsefi/faultline/cmd/faultline-toolexec

go 1.26.0

require (
	github.com/hmdsefi/faultline v0.2.0
	github.com/hmdsefi/faultline/rewrite v0.2.0
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/mod v0.41.0
	golang.org/x/tools v0.50.0
)

require (
	github.com/dave/dst v0.28.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
)
