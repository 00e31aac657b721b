import { nonIdempotentMethods } from '../generated/index.ts'

// Methods outside the specification that change state: of development nodes, wallets, node operators, and transaction
// pools.
const stateChanging =
  /^(admin|anvil|engine|evm|hardhat|miner|personal|wallet)_|_(send|set|sign|submit|subscribe|unsubscribe)/

/** Returns whether sending a call of this method twice has the same effect as sending it once. */
export function isIdempotent(method: string): boolean {
  return !nonIdempotentMethods.includes(method) && !stateChanging.test(method)
}
