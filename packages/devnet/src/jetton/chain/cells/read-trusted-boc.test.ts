import {
  Address,
  beginCell,
  Cell,
  convertToMerkleProof,
  Dictionary,
  loadShardAccount,
  loadTransaction,
  type Slice,
} from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeAccountState } from '../account-state.ts'
import { createJettonChain } from '../create-jetton-chain.ts'
import type { JettonChain } from '../jetton-chain.ts'
import { readTrustedBoc } from './read-trusted-boc.ts'

let chain: JettonChain
beforeAll(async () => {
  chain = await createJettonChain({ secondsPerBlock: 0 })
})
afterAll(() => chain.stop())

/** Returns a value without functions and without the fields that only one of the two readers sets. */
function plain(value: unknown): unknown {
  if (value instanceof Cell) return value.toString()
  if (value instanceof Dictionary) return [value.keys(), value.values()].map(plain)
  if (Buffer.isBuffer(value)) return value.toString('hex')
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Address || typeof value !== 'object' || value === null) return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]))
}

function bothRead(boc: Buffer, load: (slice: Slice) => unknown): void {
  const [actual, library] = [readTrustedBoc(boc), Cell.fromBase64(boc.toString('base64'))]
  expect(actual).toBeInstanceOf(Cell)
  expect(plain(load(actual.beginParse()))).toEqual(plain(load(library.beginParse())))
  expect(actual.hash()).toEqual(library.hash())
  expect([actual.depth(), actual.level(), actual.isExotic]).toEqual([library.depth(), library.level(), false])
  expect(actual.toBoc()).toEqual(library.toBoc())
}

test('reads transactions and accounts like the library', async () => {
  for (const { boc } of chain.transactions) bothRead(boc, loadTransaction)
  for (const account of chain.accounts()) {
    const state = writeAccountState(await chain.account(Address.parseRaw(account)))
    bothRead(Buffer.from(state, 'base64'), loadShardAccount)
  }
})

test('reads data of every length at every bit offset', () => {
  for (let length = 0; length <= 1_023; length += 31) {
    const builder = beginCell()
    for (let bit = 0; bit < length; bit++) builder.storeBit(bit % 3 === 0 || bit % 7 === 0)
    const boc = builder.endCell().toBoc({ idx: length % 2 === 0 })
    bothRead(boc, (slice) => {
      const read: unknown[] = []
      while (slice.remainingBits >= 169) {
        const [bit, small, large] = [slice.loadBit(), slice.preloadUint(29), slice.preloadUintBig(99)]
        const [bytes, signed] = [slice.preloadBuffer(9), slice.preloadInt(17)]
        read.push(
          bit,
          small,
          large,
          bytes,
          signed,
          slice.loadUint(21),
          slice.loadBuffer(3),
          slice.loadCoins(),
        )
      }
      read.push(slice.clone().asCell(), slice.clone().asCell().hash())
      expect(() => slice.loadUint(slice.remainingBits + 1)).toThrow()
      expect(() => slice.loadBuffer(200)).toThrow()
      return read
    })
  }
})

test('reads addresses of every kind', () => {
  const cell = beginCell()
    .storeAddress(new Address(-1, Buffer.alloc(32, 0xa5)))
    .storeAddress(null)
    .storeUint(5, 3)
    .storeAddress(Address.parse(chain.example.wallet))
    .endCell()
  bothRead(cell.toBoc(), (slice) => [
    slice.loadAddress().toRawString(),
    slice.loadMaybeAddress(),
    slice.loadUint(3),
    slice.loadMaybeAddress()?.toRawString(),
  ])
})

test('reads bags with exotic cells', () => {
  const proof = beginCell()
    .storeRef(convertToMerkleProof(beginCell().storeUint(1, 8).endCell()))
    .endCell()
  expect(readTrustedBoc(proof.toBoc()).hash()).toEqual(proof.hash())
})
