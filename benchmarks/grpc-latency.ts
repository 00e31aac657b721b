// A node at a round-trip time of 50 ms: what each client reads per second with its own defaults, and what the Fairlead
// client reads through the gateway with the delay on either side of it. A relay that holds bytes for 25 ms in each
// direction adds the delay.
import { type Contender, listen, startClient, measureInTurns } from './fixtures/grpc-run.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { grpcMeasures, rolesOfClients } from './fixtures/report/grpc-measures.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'
import { serve } from './fixtures/gateway-process.ts'

const ours = '@fairlead/grpc'
const names = [
  ours,
  '@fairlead/grpc/solana',
  '@grpc/grpc-js',
  'nice-grpc',
  '@connectrpc/connect-node',
  '@triton-one/yellowstone-grpc',
]
const oneWayMs = '25'

const report = await startReport(import.meta.filename, {
  flags: readFlags(import.meta.filename, reportFlags),
  rounds: 3,
  software: { packages: names.filter((name) => name.startsWith('@') && !name.startsWith(ours)) },
})
const node = await listen('grpc-node.ts')
const farNode = await listen('grpc-peer.ts', 'pipe', node.url, oneWayMs)
const gateway = await serve({ FAIRLEAD_LOG_LEVEL: 'error', FAIRLEAD_GRPC_UPSTREAM: node.url })
const farGateway = await listen('grpc-peer.ts', 'pipe', gateway.url, oneWayMs)
const gatewayOfFarNode = await serve({ FAIRLEAD_LOG_LEVEL: 'error', FAIRLEAD_GRPC_UPSTREAM: farNode.url })
const contenders: Contender[] = []
for (const name of names) await add(name, name, farNode.url)
await add(`${ours}, far from the gateway`, ours, farGateway.url, gateway.xToken)
await add(`${ours}, gateway far from the node`, ours, gatewayOfFarNode.url, gatewayOfFarNode.xToken)

const samples = await measureInTurns(contenders, { rounds: report.rounds, warmUpMs: 500, runMs: 600 })
report.add({
  title: 'Updates of 1.1 KB over a round trip of 50 ms',
  roles: rolesOfClients(contenders.map(({ name }) => name)),
  measures: grpcMeasures(samples, { unit: 'update', baseline: ours }),
  errors: 0,
})
await report.finish()
for (const { client } of contenders) client.stop()
await Promise.all([gateway.stop(), gatewayOfFarNode.stop()])
for (const process of [node, farNode, farGateway]) process.stop()

async function add(name: string, client: string, url: string, token?: string): Promise<void> {
  contenders.push({ name, client: await startClient(client, url, token), pace: 'batched', processIds: [] })
}
