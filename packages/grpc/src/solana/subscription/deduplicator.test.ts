import { describe, expect, it } from 'vitest'
import { type SubscribeUpdate, SubscribeUpdate as UpdateMessage } from '../../generated/geyser.ts'
import { bytesOf, slotUpdates } from '../testing/chain.ts'
import { createDeduplicator } from './deduplicator.ts'

function account(fields: {
  seed?: number
  signature?: number
  data?: Uint8Array
  writeVersion?: bigint
}): SubscribeUpdate {
  const { seed = 1, signature, data = new Uint8Array(200), writeVersion = 1n } = fields
  const txnSignature = signature === undefined ? undefined : bytesOf(signature, 64)
  const content = { pubkey: bytesOf(seed, 32), lamports: 5n, data, writeVersion, txnSignature }
  return UpdateMessage.fromPartial({
    updateOneof: { $case: 'account', value: { slot: 1n, account: content } },
  })
}

const changed = new Uint8Array(200)
changed[150] = 1

describe('createDeduplicator', () => {
  it('detects recorded updates, also in large numbers', () => {
    const deduplicator = createDeduplicator()
    const updates = Array.from({ length: 500 }, (_, slot) => slotUpdates(BigInt(slot + 1))).flat()
    const distinct = updates.filter(({ updateOneof }) => updateOneof?.$case === 'transaction')
    for (const update of distinct) deduplicator.append(update)
    expect(deduplicator.size).toBe(distinct.length)
    expect(distinct.filter((update) => deduplicator.add(update))).toEqual([])
    expect(deduplicator.add(account({}))).toBe(true)
    expect(deduplicator.add(account({}))).toBe(false)
  })

  it('counts recorded updates consistently', () => {
    const deduplicator = createDeduplicator()
    for (let time = 0; time < 3; time++) deduplicator.append(account({}))
    expect(deduplicator.size).toBe(3)
    expect(deduplicator.add(account({}))).toBe(false)
    expect(deduplicator.add(account({ seed: 2 }))).toBe(true)
    expect(deduplicator.size).toBe(4)
  })

  it.each([
    ['another address', account({ seed: 2 }), true],
    ['a transaction', account({ signature: 3 }), true],
    ['one more byte of data', account({ data: new Uint8Array(201) }), true],
    ['another byte of data', account({ data: changed }), true],
    ['the count of another node', account({ writeVersion: 9n }), false],
  ])('distinguishes accounts by %s', (_, update, isNew) => {
    const deduplicator = createDeduplicator()
    deduplicator.append(account({}))
    expect(deduplicator.add(update)).toBe(isNew)
  })

  it('accepts updates that exceed the key size', () => {
    const deduplicator = createDeduplicator()
    const filters = Array.from({ length: 20 }, (_, index) => `${'n'.repeat(100)}${index}`)
    const block = UpdateMessage.fromPartial({ filters, updateOneof: { $case: 'block', value: { slot: 1n } } })
    const strange = UpdateMessage.fromPartial({
      updateOneof: {
        $case: 'transaction',
        value: { slot: 1n, transaction: { signature: new Uint8Array(5_000) } },
      },
    })
    for (let round = 0; round < 50; round++) {
      deduplicator.append(block)
      deduplicator.append(strange)
    }
    expect([block, strange].filter((update) => deduplicator.add(update))).toEqual([])
  })
})
