// A small call, 64 at a time over one connection: calls per second, and the cost of each call for client and server.
// All clients take turns within one run.
import { type Contender, figure, listen, print, startClient, takeTurns } from './fixtures/grpc-run.ts'

const ours = '@fairlead/grpc'
const names = [
  'node:http2, bytes',
  ours,
  '@grpc/grpc-js',
  'nice-grpc',
  '@connectrpc/connect-node',
  '@triton-one/yellowstone-grpc',
]

const node = await listen('grpc-node.ts')
const contenders: Contender[] = []
for (const name of names) {
  const client = await startClient(name, node.url)
  contenders.push({ name, client, pace: 'unary', watched: [node.processId] })
}
const results = await takeTurns(contenders)
const base = results.get(ours)
console.log(`GetSlot, 64 at a time, medians; in brackets the ratio to ${ours}`)
print(
  ['client', 'calls/s', 'client us each', 'server us each'],
  [...results].map(([name, { perSecond, clientUs, watchedUs }]) => [
    name,
    figure(perSecond, base?.perSecond),
    figure(clientUs, base?.clientUs, 0),
    figure(watchedUs[0], base?.watchedUs[0], 0),
  ]),
)
for (const { client } of contenders) client.stop()
node.stop()
