/*
 * numbers.pml - one number of a registry and two servers that may hold it; one "ID" per timestamp, so "the same ts
 * used twice" == "duplicate ID". What makes a horizon durable is the matter of lease.pml: here it simply is.
 *
 * True time t; clock of server n is t+off[n], off anything in 0..OMAX, also over time.
 *
 * Registry : R, own (incarnation of the owner), olife, taken (R when the owner took it), past (its lease is)
 * Wires    : call n is the one that n waits for: executed any number of times, its answers lost or late; call
 *            LATE(n) is the one before: may still be executed, once
 * Durable  : wf[n] = H, acc[n], prop[n] (incarnations accepted and proposed)
 * Volatile : life[n], held[n], ending[n], cap[n], hor[n] (R as answered), tkn[n] (R when taken), cur[n] (next ts)
 *
 * Left by a crash, with -DLEFT: top[n] (above every ts of its own), and all that is volatile but cap and cur. The server goes on as
 * the same life, also where an older copy of its disk was put in its place.
 *
 * Server 1 begins once, while server 0 lives on: promoted with a part of the records and another identity, or as
 * a copy of the disk with the same one.
 *
 * Weakenings (-D...):
 *  NOCAP      IDs below H alone, not below R
 *  NOCAS      an extension compares neither owner nor R
 *  NOLIFE     the owner is known by its incarnation, not by its life
 *  NOFLOOR    a number that was claimed goes on at the server's own floor, not at R
 *  PAGEONLY   a server that goes on after a crash begins at H of its page, which may be an older one (with LEFT)
 *  ENDED      it goes on with a number whose stop it had called (with LEFT)
 *  EARLYSTOP  R is lowered before issue has ended
 *  OPENED     issue is open as soon as the number is claimed, up to a window above R, before any extension
 */
#ifndef W
#define W 2             /* windows of H */
#endif
#ifndef RW
#define RW 2            /* windows of R */
#endif
#ifndef DD
#define DD 1            /* how far ahead of its own clock a server may issue */
#endif
#ifndef TMAX
#define TMAX 1
#endif
#ifndef OMAX
#define OMAX 2
#endif
#ifndef NSTEP
#define NSTEP 1         /* clock steps */
#endif
#ifndef NCRASH
#define NCRASH 1
#endif
#ifndef NSTOP
#define NSTOP 1
#endif
#ifndef NPAST
#define NPAST 1         /* leases that end, or are released */
#endif
#ifndef NINC
#define NINC 3          /* incarnations in all */
#endif
#ifndef NEXTEND
#define NEXTEND 2        /* extensions in all */
#endif

#define CLAIM 1
#define EXTEND 2
#define STOP 3
#define LATE(n) (2 + (n))

byte t, off[2], steps, crashes, stops, pasts, incs, lives = 1, extends;
byte R, own, olife, taken; bool past;
byte kind[4], c_acc[4], c_prop[4], c_life[4], c_from[4], c_to[4];   /* calls: those waited for, then the late ones */
bool answered[2], granted[2]; byte answerR[2];
byte wf[2], top[2], acc[2], prop[2];
byte life[2], cap[2], hor[2], tkn[2], cur[2]; bool up[2], held[2], ending[2];
int used = 0; bool ok;

#define C(n)     (t + off[n])
#define MAX(a,b) ((a) > (b) -> (a) : (b))
#define MIN(a,b) ((a) < (b) -> (a) : (b))
#define NEXT(n)  (MAX(cur[n], C(n)))
#ifdef NOCAP
#define BELOW(n) (wf[n])
#else
#define BELOW(n) (MIN(wf[n], cap[n]))
#endif
#ifdef NOLIFE
#define HOLDS(c) (own != 0 && own == c_acc[c])
#else
#define HOLDS(c) (own != 0 && own == c_acc[c] && olife == c_life[c])
#endif

inline execute(c) {
  ok = false;
  if
  :: kind[c] == CLAIM ->
     if
     :: own == 0 || past || own == c_acc[c] || own == c_prop[c] ->
        own = c_prop[c]; olife = c_life[c]; taken = R; past = false; ok = true
     :: else -> skip
     fi
  :: kind[c] == EXTEND ->
#ifdef NOCAS
     if :: own != 0 -> R = c_to[c]; past = false; ok = true :: else -> skip fi
#else
     if
     :: HOLDS(c) && (R == c_from[c] || (R == c_to[c] && taken <= c_from[c])) ->
        R = MAX(R, c_to[c]); past = false; ok = true
     :: else -> skip
     fi
#endif
  :: kind[c] == STOP ->
     if
     :: HOLDS(c) && (R == c_from[c] || R == MAX(c_to[c], taken)) ->
        R = MAX(c_to[c], taken); own = 0; olife = 0; ok = true
     :: else -> skip
     fi
  fi
}

inline forget(c) { kind[c] = 0; c_acc[c] = 0; c_prop[c] = 0; c_life[c] = 0; c_from[c] = 0; c_to[c] = 0 }
inline outlive(n) {      /* the call that n waited for is still on its way */
  kind[LATE(n)] = kind[n]; c_acc[LATE(n)] = c_acc[n]; c_prop[LATE(n)] = c_prop[n]; c_life[LATE(n)] = c_life[n];
  c_from[LATE(n)] = c_from[n]; c_to[LATE(n)] = c_to[n];
  forget(n); answered[n] = false; granted[n] = false; answerR[n] = 0
}
inline drop(n) { held[n] = false; cap[n] = 0; hor[n] = 0; tkn[n] = 0; ending[n] = false }
inline begin(n) { up[n] = true; drop(n); lives++; life[n] = lives; cur[n] = wf[n] }
#define SEND(n, k, a, p, f, x) \
  kind[n] = k; c_acc[n] = a; c_prop[n] = p; c_life[n] = life[n]; c_from[n] = f; c_to[n] = x

inline hear(n) {
  if
  :: kind[n] == CLAIM && granted[n] ->
     acc[n] = prop[n]; prop[n] = 0; held[n] = true; hor[n] = answerR[n]; tkn[n] = answerR[n];
#ifndef NOFLOOR
     cur[n] = MAX(cur[n], answerR[n]);
#endif
#ifdef OPENED
     cap[n] = answerR[n] + RW;
#endif
  :: kind[n] == EXTEND && granted[n] ->
     hor[n] = c_to[n];
     if :: !ending[n] -> cap[n] = c_to[n] :: else -> skip fi
  :: kind[n] == EXTEND && !granted[n] -> drop(n)
  :: kind[n] == STOP -> drop(n); lives++; life[n] = lives
  :: else -> acc[n] = 0; prop[n] = 0
  fi;
  outlive(n)
}

inline issue(n) {
  assert(!((used >> NEXT(n)) & 1));
  used = used | (1 << NEXT(n)); cur[n] = NEXT(n) + 1
}

#define IDLE(n)     (up[n] && kind[n] == 0)
#define TARGET(n)   (MAX(hor[n], C(n) + RW))
#define LOWERED(n)  (MAX(MIN(cur[n], hor[n]), tkn[n]))

#ifdef PAGEONLY
#define ABOVE(n, h) (MAX(h, tkn[n]))
#else
#define ABOVE(n, h) (MAX(h, MAX(tkn[n], MIN(top[n], hor[n]))))
#endif
#ifdef ENDED
#define GOES_ON(n) (up[n] && held[n])
#else
#define GOES_ON(n) (up[n] && held[n] && !ending[n])
#endif
/* A crash that leaves the memory; H of the page is h then. */
inline go_on(n, h) { wf[n] = h; cur[n] = ABOVE(n, h); cap[n] = hor[n]; ending[n] = false; answered[n] = false; granted[n] = false; answerR[n] = 0 }

#define SERVER(n) \
  :: atomic { IDLE(n) && !held[n] && (prop[n] != 0 || incs < NINC) -> \
       if :: prop[n] == 0 -> incs++; prop[n] = incs :: else -> skip fi; \
       SEND(n, CLAIM, acc[n], prop[n], 0, 0) } \
  :: atomic { IDLE(n) && held[n] && !ending[n] && extends < NEXTEND && (TARGET(n) > hor[n] || cap[n] == 0) -> \
       extends++; SEND(n, EXTEND, acc[n], 0, hor[n], TARGET(n)) } \
  :: atomic { up[n] && held[n] && !ending[n] && stops < NSTOP -> stops++; ending[n] = true; END(n) } \
  :: atomic { IDLE(n) && held[n] && ending[n] -> SEND(n, STOP, acc[n], 0, hor[n], LOWERED(n)) } \
  :: d_step { kind[n] != 0 -> execute(n); answered[n] = true; granted[n] = ok; answerR[n] = R; ok = false } \
  :: d_step { kind[n] != 0 && !answered[n] -> execute(n); ok = false } \
  :: d_step { kind[LATE(n)] != 0 -> execute(LATE(n)); ok = false; forget(LATE(n)) } \
  :: d_step { answered[n] -> hear(n) } \
  :: d_step { up[n] && held[n] && NEXT(n) >= wf[n] && NEXT(n) <= C(n) + DD -> wf[n] = NEXT(n) + W; top[n] = MAX(top[n], wf[n]) } \
  :: d_step { up[n] && held[n] && NEXT(n) < BELOW(n) && NEXT(n) <= C(n) + DD -> issue(n) } \
  :: d_step { up[n] && crashes < NCRASH -> crashes++; outlive(n); begin(n) } \
  LEFT_BY(n) \
  :: d_step { steps < NSTEP && off[n] < OMAX -> steps++; off[n] = OMAX } \
  :: d_step { steps < NSTEP && off[n] > 0 -> steps++; off[n] = 0 }

#ifdef LEFT
#define LEFT_BY(n) \
  :: d_step { GOES_ON(n) && crashes < NCRASH -> crashes++; go_on(n, wf[n]) } \
  :: d_step { GOES_ON(n) && crashes < NCRASH -> crashes++; go_on(n, 0) }
#else
#define LEFT_BY(n)
#endif

#ifdef EARLYSTOP
#define END(n) skip
#else
#define END(n) cap[n] = 0
#endif

active proctype sys() {
  up[0] = true; life[0] = 1; off[0] = 1; off[1] = 1;
  do
  :: d_step { t < TMAX -> t++ }
  SERVER(0)
  SERVER(1)
  /* the lease of the owner is past, by whatever clock; or somebody releases the number */
  :: d_step { pasts < NPAST && own != 0 && !past -> pasts++; past = true }
  :: d_step { pasts < NPAST && own != 0 -> pasts++; own = 0; olife = 0 }
  /* promoted, with all or none of the records */
  :: d_step { !up[1] -> begin(1) }
  :: d_step { !up[1] -> wf[1] = wf[0]; begin(1) }
  /* a copy of the disk */
  :: d_step { !up[1] && (acc[0] != 0 || prop[0] != 0) -> wf[1] = wf[0]; acc[1] = acc[0]; prop[1] = prop[0]; begin(1) }
  od
}
