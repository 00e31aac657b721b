import type { Address, Message } from '@ton/core'
import { AccountState, writeAccountState } from './account-state.ts'
import { readSeqno, WalletV4 } from './wallet-v4.ts'

// Public, like everything on a development chain: any client may request coins.
const wallet = new WalletV4(Buffer.from('fairlead development coin faucet'))
const allCoins = 5_000_000_000n * 1_000_000_000n
const validSeconds = 60

/** Raw address of the account that holds all coins of a new chain. */
export const faucetAccount = wallet.address.toRawString()

/**
 * The state of that account at the beginning of the chain.
 *
 * @param now Unix seconds.
 */
export function faucetAtGenesis(now: number): AccountState {
  return new AccountState(
    writeAccountState({
      account: {
        addr: wallet.address,
        storage: {
          lastTransLt: 0n,
          balance: { coins: allCoins },
          state: { type: 'active', state: wallet.init },
        },
        storageStats: { used: { cells: 0n, bits: 0n }, storageExtra: null, lastPaid: now, duePayment: null },
      },
      lastTransactionHash: 0n,
      lastTransactionLt: 0n,
    }),
  )
}

/**
 * Creates the external message that sends coins to an account.
 *
 * @param state The current state of the faucet.
 * @param now Unix seconds.
 * @param to The receiver of the coins, deployed or not.
 * @param value Nanocoins.
 */
export function sendCoins(state: AccountState, now: number, to: Address, value: bigint): Message {
  return wallet.transfer(readSeqno(state), now + validSeconds, [{ to, value, bounce: false }])
}
