module github.com/hmdsefi/faultline

go 1.26.0

require github.com/hmdsefi/gograph v0.7.0
