import { hash, verify } from '@node-rs/argon2'

/** Hashes and checks passwords, never in the thread that answers requests. */
export interface Passwords {
  hash(password: string): Promise<string>
  /**
   * Whether a password is the one that was hashed. Without a hash the answer is no, after the same work: the time does not
   * tell whether a user exists.
   */
  matches(hash: string | null | undefined, password: string): Promise<boolean>
  /** How many passwords were checked so far. */
  checked(): number
}

// The first choice of OWASP's Password Storage Cheat Sheet: Argon2id, 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
// The hash of random bytes that nobody kept, made at this cost.
const ofNobody =
  '$argon2id$v=19$m=19456,t=2,p=1$56uSdc/zTTuvTkOnJnO2dw$CGmJD2WDVNFUai2DYL8PbSXnndIIFottfC55TAO2O24'
// Each takes a core and its memory; more at once would only make all of them late.
const mostAtOnce = 2

/** Makes what hashes and checks passwords, a few at a time. */
export function createPasswords(): Passwords {
  let running = 0
  let checked = 0
  const waiting: (() => void)[] = []
  const inTurn = async <result>(work: () => Promise<result>): Promise<result> => {
    if (running < mostAtOnce) running += 1
    else await new Promise<void>((start) => waiting.push(start))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
  return {
    hash: (password) => inTurn(() => hash(normalized(password), cost)),
    matches: (stored, password) =>
      inTurn(async () => {
        checked += 1
        const isRight = await verify(stored ?? ofNobody, normalized(password))
        return isRight && typeof stored === 'string'
      }),
    checked: () => checked,
  }
}

// One password may be typed as different code points on different machines (NIST SP 800-63B, 5.1.1.2).
function normalized(password: string): string {
  return password.normalize('NFKC')
}
