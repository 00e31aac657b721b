/** State that a simulation uses in place of the chain's state, by account address. */
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

/** State changes of one transaction, as the prestate tracer reports them in diff mode. */
export interface PrestateDiff {
  readonly pre: Readonly<Record<string, TracedAccount>>
  readonly post: Readonly<Record<string, TracedAccount>>
}

const zeroSlot = `0x${'0'.repeat(64)}`

/** Applies overrides on top of earlier ones. Addresses and slots are compared case-insensitively. */
export function foldOverrides(earlier: AccountOverrides, later: AccountOverrides): AccountOverrides {
  const merged: Record<string, AccountOverride> = { ...earlier }
  for (const [key, override] of Object.entries(later)) {
    const address = key.toLowerCase()
    merged[address] = foldAccount(merged[address] ?? {}, override)
  }
  return merged
}

/**
 * Authorization of an account to run other code, as a transaction contains it. Lists only the members that are used
 * here.
 */
export interface Authorization {
  readonly address: string
  readonly nonce: string
}

/**
 * Applies the changes of a transaction to the overrides that it ran on.
 *
 * @param overrides - overrides that the transaction ran on
 * @param diff - changes of the transaction
 * @param authorizations - authorizations in the transaction
 */
export function foldDiff(
  overrides: AccountOverrides,
  { pre, post }: PrestateDiff,
  authorizations: readonly Authorization[] = [],
): AccountOverrides {
  const changes: Record<string, AccountOverride> = {}
  for (const [address, before] of Object.entries(pre)) {
    const after = post[address]
    if (!after) {
      // A missing account: it was created and self-destructed in the transaction.
      changes[address] = { balance: '0x0', nonce: '0x0', code: '0x', state: {} }
      continue
    }
    // A slot that was read before and is missing afterwards became zero.
    const cleared = Object.keys(before.storage ?? {}).map((slot) => [slot, zeroSlot])
    const change = accountChange(after, Object.fromEntries(cleared))
    changes[address] = isUndelegated(before, after, authorizations) ? { ...change, code: '0x' } : change
  }
  for (const [address, after] of Object.entries(post)) changes[address] ??= accountChange(after, {})
  return foldOverrides(overrides, changes)
}

const zeroAddress = `0x${'0'.repeat(40)}`

/**
 * Whether an account removed its code delegation. The tracer reports removed code in the same way as unchanged code, so
 * the removal is derived from the authorization whose nonce the account has used.
 *
 * @see EIP-7702
 */
function isUndelegated(
  before: TracedAccount,
  after: TracedAccount,
  authorizations: readonly Authorization[],
): boolean {
  if (after.code !== undefined || !before.code?.startsWith('0xef0100') || after.nonce === undefined)
    return false
  const { nonce: first = 0 } = before
  const last = after.nonce
  return authorizations.some(
    ({ address, nonce }) => address === zeroAddress && Number(nonce) >= first && Number(nonce) < last,
  )
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

// An upstream accepts either `state` or `stateDiff` for an account, so a change to a replaced storage is merged into
// `state`.
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
