module github.com/hmdsefi/faultline/rewrite

go 1.26.0

require (
	github.com/dave/dst v0.28.0
	github.com/hmdsefi/faultline v0.2.0
)
