TEXT ·add(SB), $0
	LDAXR (R0), R1
	RET
