import { createHash, randomBytes } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import { EmbeddedSolanaChain } from './embedded-solana-chain.ts'
import type { ChainJournal, ChainSnapshot } from './chain-record.ts'
import { ChainState } from './chain-state.ts'
import { Engine, type AccountState } from './engine.ts'
import type { LedgerLimits } from './ledger.ts'
import { exampleOf, seedChain } from './sample-data.ts'
import { sampleKeys } from './sample-keys.ts'
import type { Signer } from './signer.ts'
import type { SlotContent } from './solana-chain.ts'
import { createTraffic } from './traffic.ts'

const faucetLamports = 500_000_000_000_000_000n
const leaderLamports = 1_000_000_000n

/**
 * Creates a chain with sample data.
 *
 * @param limits Limits of the stored history.
 * @returns The chain after enough slots that the sample data is final.
 */
export async function makeFreshChain(limits: LedgerLimits): Promise<ChainSnapshot> {
  const seed = Uint8Array.from(randomBytes(32))
  const keys = sampleKeys(seed)
  const accounts = [walletOf(keys.faucet, faucetLamports), walletOf(keys.leader, leaderLamports)]
  const engine = await Engine.start(accounts)
  const genesisHash = getBase58Decoder().decode(createHash('sha256').update(seed).update('genesis').digest())
  let snapshot: ChainSnapshot = {
    seed,
    genesisHash,
    example: exampleOf(keys),
    accounts,
    writeVersion: 0n,
    newestSlot: 0n,
    slots: [genesisSlot(genesisHash)],
    blockhashes: [[genesisHash, 0n]],
    statuses: [],
    waiting: [],
  }
  // Takes a snapshot after each slot; the last one is the result.
  const journal: ChainJournal = {
    isLong: true,
    append: () => undefined,
    begin: (next) => void (snapshot = next),
    close: async () => undefined,
  }
  const state = new ChainState(limits, snapshot)
  const chain = new EmbeddedSolanaChain({
    engine,
    state,
    journal,
    keys,
    origin: snapshot,
    plannedOutcomeOf: () => undefined,
  })
  await seedChain(chain, keys, createTraffic(chain, keys), limits.finalityBlocks)
  return snapshot
}

function walletOf({ publicKey }: Signer, lamports: bigint): AccountState {
  const state = { lamports, owner: new Uint8Array(32), executable: false, rentEpoch: 2n ** 64n - 1n }
  return { pubkey: publicKey, ...state, data: new Uint8Array() }
}

function genesisSlot(blockhash: string): SlotContent {
  const meta: SlotContent['meta'] = {
    slot: 0n,
    blockhash,
    rewards: undefined,
    blockTime: { timestamp: BigInt(Math.floor(Date.now() / 1_000)) },
    blockHeight: { blockHeight: 0n },
    parentSlot: 0n,
    parentBlockhash: '11111111111111111111111111111111',
    executedTransactionCount: 0n,
    entriesCount: 0n,
  }
  return { slot: 0n, parent: 0n, accounts: [], transactions: [], entries: [], meta }
}
