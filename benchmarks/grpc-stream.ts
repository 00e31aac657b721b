// Account updates of about 1 KB from one server that sends as fast as they are read: what a client reads per second,
// and its cost per update. All clients take turns within one run.
import { type Contender, listen, startClient, measureInTurns } from './fixtures/grpc-run.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { grpcMeasures, rolesOfClients } from './fixtures/report/grpc-measures.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'

const ours = '@fairlead/grpc'
const names = [
  'node:http2, bytes',
  ours,
  '@fairlead/grpc/solana',
  '@grpc/grpc-js',
  'nice-grpc',
  '@connectrpc/connect-node',
  '@triton-one/yellowstone-grpc',
]

const report = await startReport(import.meta.filename, {
  flags: readFlags(import.meta.filename, reportFlags),
  rounds: 7,
  software: { packages: names.filter((name) => name.startsWith('@') && !name.startsWith(ours)) },
})
const node = await listen('grpc-node.ts')
const grpcJs = await listen('grpc-peer.ts', 'server')
const contenders: Contender[] = []
for (const client of names) await add(client, client, node)
for (const client of [ours, '@grpc/grpc-js']) await add(`${client} from a grpc-js server`, client, grpcJs)

const samples = await measureInTurns(contenders, report)
report.add({
  title: 'Updates of 1.1 KB',
  roles: rolesOfClients(contenders.map(({ name }) => name)),
  measures: grpcMeasures(samples, { unit: 'update', baseline: ours }),
  errors: 0,
})
await report.finish()
for (const { client } of contenders) client.stop()
node.stop()
grpcJs.stop()

async function add(name: string, client: string, { url, processId }: typeof node): Promise<void> {
  contenders.push({
    name,
    client: await startClient(client, url),
    pace: 'batched',
    processIds: [processId],
  })
}
