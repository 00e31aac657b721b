// Account updates of about 1 KB from one server that sends as fast as they are read: what a client reads per second,
// and its cost per update. All clients take turns within one run.
import { type Contender, figure, listen, print, startClient, takeTurns } from './fixtures/grpc-run.ts'

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

const node = await listen('grpc-node.ts')
const grpcJs = await listen('grpc-peer.ts', 'server')
const contenders: Contender[] = []
for (const client of names) await add(client, client, node)
for (const client of [ours, '@grpc/grpc-js']) await add(`${client} from a grpc-js server`, client, grpcJs)

const results = await takeTurns(contenders)
const base = results.get(ours)
console.log(`updates of 1.1 KB, medians; in brackets the ratio to ${ours}`)
print(
  ['client', 'updates/s', 'client us each', 'server us each'],
  [...results].map(([name, { perSecond, clientUs, watchedUs }]) => [
    name,
    figure(perSecond, base?.perSecond),
    figure(clientUs, base?.clientUs),
    figure(watchedUs[0], base?.watchedUs[0]),
  ]),
)
for (const { client } of contenders) client.stop()
node.stop()
grpcJs.stop()

async function add(name: string, client: string, { url, processId }: typeof node): Promise<void> {
  contenders.push({
    name,
    client: await startClient(client, url),
    pace: 'batched',
    watched: [processId],
  })
}
