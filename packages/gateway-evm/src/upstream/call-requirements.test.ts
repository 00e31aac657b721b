import { Cancellation } from '@fairlead/runtime'
import { describe, expect, it } from 'vitest'
import { callRequirements } from './call-requirements.ts'
import { ownCall } from './own-call.ts'
import type { CallRequirements } from '@fairlead/gateway-core/upstream/select-upstream'

const chain = { head: 1_000, archiveDepth: 128 }
const [call, account] = [{}, '0x00000000000000000000000000000000000000aa']
const hash = `0x${'ab'.repeat(32)}`

describe('callRequirements', () => {
  it.each<[string, unknown[], CallRequirements]>([
    ['eth_chainId', [], { role: 'full', block: undefined }],
    ['eth_call', [call, 'latest'], { role: 'full', block: undefined }],
    ['eth_call', [call, '0x368'], { role: 'full', block: 872 }],
    ['eth_call', [call, '0x367'], { role: 'archive', block: 871 }],
    ['eth_call', [call, { blockNumber: '0x1' }], { role: 'archive', block: 1 }],
    ['eth_call', [call, { blockHash: hash }], { role: 'full', block: undefined }],
    ['eth_getBalance', [account, 'earliest'], { role: 'archive', block: 0 }],
    ['eth_getStorageAt', [account, '0x0', '0x1'], { role: 'archive', block: 1 }],
    ['eth_getProof', [account, [], '0x1'], { role: 'archive', block: 1 }],
    ['eth_getBlockByNumber', ['0x1', false], { role: 'full', block: 1 }],
    ['eth_feeHistory', ['0x1', '0x1', []], { role: 'full', block: 1 }],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }], { role: 'archive', block: 1, blocks: 1_000 }],
    ['eth_getLogs', [{ fromBlock: '0x3e7' }], { role: 'full', block: 999, blocks: 2 }],
    ['eth_getLogs', [{ blockHash: hash }], { role: 'full', block: undefined }],
    ['eth_getLogs', [{ fromBlock: '0x5', toBlock: '0x4' }], { role: 'archive', block: 5, blocks: 1 }],
    ['eth_getLogs', ['nonsense'], { role: 'full', block: undefined, blocks: 1 }],
    ['trace_filter', [{ fromBlock: 'earliest', toBlock: 9 }], { role: 'trace', block: 0, blocks: 10 }],
    ['debug_traceBlockByNumber', ['0x1'], { role: 'debug', block: 1 }],
    ['debug_traceTransaction', [hash], { role: 'debug', block: undefined }],
    ['trace_block', ['latest'], { role: 'trace', block: undefined }],
    ['ots_getBlockDetails', [7], { role: 'trace', block: 7 }],
    ['unknown', ['0x1'], { role: 'full', block: undefined }],
  ])('%s %j', (method, params, needs) => {
    expect(callRequirements(ownCall(method, params, new Cancellation()), chain)).toEqual(needs)
  })

  it('treats no block number as historical while the chain head is unknown', () => {
    const needs = callRequirements(ownCall('eth_call', [call, '0x1'], new Cancellation()), {
      ...chain,
      head: undefined,
    })
    expect(needs).toEqual({ role: 'full', block: 1 })
    const logs = ownCall('eth_getLogs', [{ fromBlock: '0x1' }], new Cancellation())
    expect(callRequirements(logs, { ...chain, head: undefined })).toEqual({ role: 'full', block: 1 })
  })
})
