import { hash, verify } from '@node-rs/argon2'

/** Hashes and checks passwords, never on the event loop's thread. */
export interface Passwords {
  hash(password: string): Promise<string>
  /**
   * Whether a password matches a hash. Without a hash, the result is false after the same work, so that the duration
   * does not reveal whether a user exists.
   */
  matches(hash: string | null | undefined, password: string): Promise<boolean>
  /** Number of passwords checked so far. */
  checked(): number
}

// The first recommendation of OWASP's Password Storage Cheat Sheet: Argon2id, 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
// The hash of discarded random bytes, computed at this cost.
const decoyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$56uSdc/zTTuvTkOnJnO2dw$CGmJD2WDVNFUai2DYL8PbSXnndIIFottfC55TAO2O24'
// Each hash uses a CPU core and its memory; more at once would only delay all of them.
const maxConcurrent = 2

/** Creates the password hasher with a concurrency limit. */
export function createPasswords(): Passwords {
  let running = 0
  let checked = 0
  const queue: (() => void)[] = []
  const withSlot = async <result>(work: () => Promise<result>): Promise<result> => {
    if (running < maxConcurrent) running += 1
    else await new Promise<void>((start) => queue.push(start))
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
  return {
    hash: (password) => withSlot(() => hash(normalized(password), cost)),
    matches: (stored, password) =>
      withSlot(async () => {
        checked += 1
        const isCorrect = await verify(stored ?? decoyHash, normalized(password))
        return isCorrect && typeof stored === 'string'
      }),
    checked: () => checked,
  }
}

// The same password may be typed as different code points on different machines (NIST SP 800-63B, 5.1.1.2).
function normalized(password: string): string {
  return password.normalize('NFKC')
}
