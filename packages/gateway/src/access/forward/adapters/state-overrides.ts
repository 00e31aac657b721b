/** State that a simulation starts from instead of the chain's, by address. */
export type AccountOverrides = Readonly<Record<string, AccountOverride>>

export interface AccountOverride {
  readonly balance?: string
  readonly nonce?: string
  readonly code?: string
  /** Replaces the whole storage. */
  readonly state?: Readonly<Record<string, string>>
  /** Replaces single slots. */
  readonly stateDiff?: Readonly<Record<string, string>>
}

interface TracedAccount {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

/** What one transaction changed, as the prestate tracer reports it in diff mode. */
export interface PrestateDiff {
  readonly pre: Readonly<Record<string, TracedAccount>>
  readonly post: Readonly<Record<string, TracedAccount>>
}

const zeroSlot = `0x${'0'.repeat(64)}`

/** Lays overrides over earlier ones; addresses and slots are compared without regard to case. */
export function foldOverrides(earlier: AccountOverrides, later: AccountOverrides): AccountOverrides {
  const merged: Record<string, AccountOverride> = { ...earlier }
  for (const [key, override] of Object.entries(later)) {
    const address = key.toLowerCase()
    merged[address] = foldAccount(merged[address] ?? {}, override)
  }
  return merged
}

/** Lays the changes of a transaction over the overrides that it ran on. */
export function foldDiff(overrides: AccountOverrides, { pre, post }: PrestateDiff): AccountOverrides {
  const changes: Record<string, AccountOverride> = {}
  for (const [address, before] of Object.entries(pre)) {
    const after = post[address]
    if (!after) {
      // An account that is gone: self-destructed in the transaction that made it.
      changes[address] = { balance: '0x0', nonce: '0x0', code: '0x', state: {} }
      continue
    }
    // A slot that was read before and is missing afterwards became zero.
    const cleared = Object.keys(before.storage ?? {}).map((slot) => [slot, zeroSlot])
    changes[address] = accountChange(after, Object.fromEntries(cleared))
  }
  for (const [address, after] of Object.entries(post)) changes[address] ??= accountChange(after, {})
  return foldOverrides(overrides, changes)
}

function accountChange(after: TracedAccount, cleared: Readonly<Record<string, string>>): AccountOverride {
  const slots = { ...cleared, ...after.storage }
  return {
    ...(after.balance !== undefined && { balance: after.balance }),
    ...(after.nonce !== undefined && { nonce: `0x${after.nonce.toString(16)}` }),
    ...(after.code !== undefined && { code: after.code }),
    ...(Object.keys(slots).length > 0 && { stateDiff: slots }),
  }
}

// A node accepts either `state` or `stateDiff` for an account, so a change to a replaced storage goes into it.
function foldAccount(earlier: AccountOverride, later: AccountOverride): AccountOverride {
  const { state: replaced, stateDiff: changed, ...before } = earlier
  const { state, stateDiff, ...after } = later
  const rest = { ...before, ...after }
  if (state) return { ...rest, state: lowerCase(state) }
  if (replaced) return { ...rest, state: { ...replaced, ...lowerCase(stateDiff) } }
  const slots = { ...changed, ...lowerCase(stateDiff) }
  return Object.keys(slots).length > 0 ? { ...rest, stateDiff: slots } : rest
}

function lowerCase(slots: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(slots).map(([slot, value]) => [slot.toLowerCase(), value]))
}
