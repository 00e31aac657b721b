import { AccountState, missingAccount } from './account-state.ts'

/** The accounts that exist, by their raw addresses. */
export class Accounts {
  readonly #states = new Map<string, AccountState>()

  state(account: string): AccountState {
    return this.#states.get(account) ?? missingAccount
  }

  /**
   * Stores a new state.
   *
   * @param boc `ShardAccount` as a bag of cells in base64; empty for a deleted account.
   * @param state The same state, if it is already parsed.
   */
  set(account: string, boc: string, state = new AccountState(boc)): void {
    if (boc === '') this.#states.delete(account)
    else this.#states.set(account, state)
  }

  names(): Iterable<string> {
    return this.#states.keys()
  }

  /** Iterates over all accounts, as bags of cells in base64. */
  *bocs(): Iterable<readonly [string, string]> {
    for (const [account, { boc }] of this.#states) yield [account, boc]
  }
}
