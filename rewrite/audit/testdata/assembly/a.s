#include "textflag.h"

// func add(p *int64)
TEXT ·add(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	LOCK; XADDQ CX, (AX)
	RET

TEXT ·sum(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), AX // LOCK
	RET

TEXT example∕assembly·other(SB), NOSPLIT, $0
	MFENCE
	RET
