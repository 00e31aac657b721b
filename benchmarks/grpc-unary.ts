// A small call, 64 at a time over one connection: calls per second, and the cost of each call for client and server.
// All clients take turns within one run.
import { type Contender, listen, startClient, measureInTurns } from './fixtures/grpc-run.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { grpcMeasures, rolesOfClients } from './fixtures/report/grpc-measures.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'

const ours = '@fairlead/grpc'
const names = [
  'node:http2, bytes',
  ours,
  '@grpc/grpc-js',
  'nice-grpc',
  '@connectrpc/connect-node',
  '@triton-one/yellowstone-grpc',
]

const report = await startReport(import.meta.filename, {
  flags: readFlags(import.meta.filename, reportFlags),
  rounds: 7,
  software: { packages: names.filter((name) => name.startsWith('@') && name !== ours) },
})
const node = await listen('grpc-node.ts')
const contenders: Contender[] = []
for (const name of names) {
  const client = await startClient(name, node.url)
  contenders.push({ name, client, pace: 'unary', processIds: [node.processId] })
}
const samples = await measureInTurns(contenders, report)
report.add({
  title: 'Calls of GetSlot, 64 at a time',
  roles: rolesOfClients(names),
  measures: grpcMeasures(samples, { unit: 'call', baseline: ours }),
  errors: 0,
})
await report.finish()
for (const { client } of contenders) client.stop()
node.stop()
