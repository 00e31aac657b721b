import { nonIdempotentMethods } from '../generated/index.ts'

// Methods outside the specification that act: of development nodes, of wallets, of node operators, and of pools.
const acting =
  /^(admin|anvil|engine|evm|hardhat|miner|personal|wallet)_|_(send|set|sign|submit|subscribe|unsubscribe)/

/** Tells whether sending a call of this method twice has no other effect than sending it once. */
export function isIdempotent(method: string): boolean {
  return !nonIdempotentMethods.includes(method) && !acting.test(method)
}
