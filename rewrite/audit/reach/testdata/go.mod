module github.com/hmdsefi/faultline

go 1.26
