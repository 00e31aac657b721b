import { readFileSync } from 'node:fs'
import { createFairlead, unwrap } from '@fairlead/sdk'

const dev = JSON.parse(readFileSync('.fairlead/dev.json', 'utf8'))
const fairlead = createFairlead({ baseUrl: dev.base_url, apiKey: dev.api_key })

const organization = await unwrap(fairlead.platform.GET('/v1/organization/'))
console.log('organization  ', organization.name)
for await (const project of fairlead.platform.projects({ order_by: '-name' })) {
  console.log('project       ', project.name)
}

const [node] = dev.nodes
const { beacon, evm } = fairlead.node({ url: node.node_url, auth: { kind: 'token', token: node.token } })
const { finalized_checkpoint } = await unwrap(beacon.GET('/eth/v1/debug/fork_choice'))
console.log('beacon chain  ', Number(finalized_checkpoint.epoch) > 0 ? 'finalizes' : 'does not finalize')
const latest = await evm.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
if (!latest?.hash) throw new Error('the chain has no block yet')
const block = await evm.request({ method: 'eth_getBlockByHash', params: [latest.hash, true] })
console.log('latest block  ', Number(block?.number), 'with', block?.transactions.length, 'transaction(s)')

const [trace] = await evm.request({
  method: 'debug_traceCallMany',
  params: [
    [{ transactions: [{ to: '0x0000000000000000000000000000000000000004', data: '0xfa17' }] }],
    { blockNumber: latest.number ?? '0x0', transactionIndex: -1 },
  ],
})
console.log('traced bundle ', trace?.failed ? 'failed' : 'succeeded', 'with', trace?.gasUsed, 'gas')
