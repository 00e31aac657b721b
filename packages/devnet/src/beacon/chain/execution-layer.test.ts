import { ssz, type deneb } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import { beforeEach, describe, expect, it } from 'vitest'
import { ExecutionLayer, type PayloadAttributes } from './execution-layer.ts'

const genesisTime = 1_700_000_000
const executionRequests = ssz.electra.ExecutionRequests.defaultValue()

function attributes(number: number): PayloadAttributes {
  return {
    timestamp: genesisTime + number * 2,
    prevRandao: new Uint8Array(32).fill(number),
    suggestedFeeRecipient: `0x${'fe'.repeat(20)}`,
    withdrawals: [
      { index: number, validatorIndex: 3, address: new Uint8Array(20).fill(number % 4), amount: 1_000n },
    ],
    parentBeaconBlockRoot: new Uint8Array(32).fill(number),
  }
}

describe('ExecutionLayer', () => {
  let execution: ExecutionLayer

  beforeEach(async () => {
    execution = await ExecutionLayer.create({ genesisTime, chainId: 1337 })
  })

  function build(parent: deneb.ExecutionPayload, number: number): Promise<deneb.ExecutionPayload> {
    return execution.build(toRootHex(parent.blockHash), attributes(number))
  }

  function accept(payload: deneb.ExecutionPayload, number: number): Promise<void> {
    return execution.accept({
      payload,
      parentBeaconBlockRoot: attributes(number).parentBeaconBlockRoot,
      executionRequests,
    })
  }

  it('builds blocks with withdrawals that it can execute again', async () => {
    const first = await build(execution.genesis, 1)
    const second = await build(first, 2)
    expect(second).toMatchObject({ blockNumber: 2, timestamp: genesisTime + 4, parentHash: first.blockHash })
    expect(second.withdrawals).toEqual(attributes(2).withdrawals)
    expect(toRootHex(second.stateRoot)).not.toBe(toRootHex(first.stateRoot))
    await accept(first, 1)
    await accept(second, 2)
    expect(await execution.execute(toRootHex(first.blockHash))).toBe(true)
    expect(await execution.execute(toRootHex(second.blockHash))).toBe(true)
  })

  it('builds on several branches at the same time', async () => {
    const first = await build(execution.genesis, 1)
    const other = await build(execution.genesis, 2)
    const [onFirst, onOther] = [await build(first, 3), await build(other, 3)]
    expect(onFirst.blockNumber).toBe(2)
    expect(toRootHex(onFirst.stateRoot)).not.toBe(toRootHex(onOther.stateRoot))
    expect(await execution.execute(toRootHex(onFirst.blockHash))).toBe(true)
  })

  it('rejects a payload with a wrong hash', async () => {
    const payload = await build(execution.genesis, 1)
    await expect(accept({ ...payload, gasUsed: 1 }, 1)).rejects.toThrow('Invalid blockHash')
    await expect(accept(payload, 2)).rejects.toThrow('Invalid blockHash')
  })

  it('accepts a corrupted payload and reports it as invalid after execution', async () => {
    const payload = await build(execution.genesis, 1)
    const corrupted = execution.corrupt(toRootHex(payload.blockHash))
    expect(toRootHex(corrupted.parentHash)).toBe(toRootHex(payload.parentHash))
    await accept(corrupted, 1)
    expect(await execution.execute(toRootHex(corrupted.blockHash))).toBe(false)
    expect(await execution.execute(toRootHex(payload.blockHash))).toBe(true)
  })

  it('removes blocks and states that are not retained', async () => {
    let payload = execution.genesis
    for (let number = 1; number <= 20; number++) payload = await build(payload, number)
    const before = execution.size
    await execution.prune(new Set([toRootHex(payload.blockHash)]))
    expect(execution.size.blocks).toBe(1)
    expect(execution.size.nodes).toBeLessThan(before.nodes / 3)
    const next = await build(payload, 21)
    expect(await execution.execute(toRootHex(next.blockHash))).toBe(true)
  })
})
