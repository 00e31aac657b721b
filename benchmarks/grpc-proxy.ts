// What the gateway adds to gRPC: the same client directly at the node and through the gateway, through a @grpc/grpc-js
// proxy that does not decode either, and through a bare TCP pipe. All take turns within one run.
import { type Contender, figure, listen, print, startClient, takeTurns } from './fixtures/grpc-run.ts'
import { serve } from './fixtures/service.ts'

const client = '@fairlead/grpc'
const paces = {
  batched: 'updates of 1.1 KB, as many in a write as there are',
  single: 'updates of 1.1 KB, each in a write of its own',
  unary: 'GetSlot, 64 at a time',
}

const node = await listen('grpc-node.ts')
const pipe = await listen('grpc-peer.ts', 'pipe', node.url)
const grpcJs = await listen('grpc-peer.ts', 'proxy', node.url)
const environment = { FAIRLEAD_LOG_LEVEL: 'error', FAIRLEAD_GRPC_UPSTREAM: node.url }
const gateway = await serve(environment)
// Buffers are outside the heap. With space for many small objects, only a full heap collection frees them.
const sparing = '--max-semi-space-size=4'
const sparingGateway = await serve({ ...environment, NODE_OPTIONS: sparing })
const ways: readonly { name: string; url: string; between: number; token?: string | undefined }[] = [
  { name: 'direct', url: node.url, between: node.processId },
  { name: 'TCP pipe', url: pipe.url, between: pipe.processId },
  { name: 'gateway', url: gateway.url, between: gateway.processId, token: gateway.xToken },
  {
    name: `gateway, ${sparing}`,
    url: sparingGateway.url,
    between: sparingGateway.processId,
    token: sparingGateway.xToken,
  },
  { name: 'grpc-js proxy', url: grpcJs.url, between: grpcJs.processId },
]
for (const [pace, title] of Object.entries(paces)) {
  const contenders: Contender[] = []
  for (const { name, url, between, token } of ways) {
    contenders.push({
      name,
      client: await startClient(client, url, token),
      pace,
      watched: [between],
    })
  }
  const results = await takeTurns(contenders, { rounds: 4, warmUpMs: 150, runMs: 400 })
  const direct = results.get('direct')
  const floor = results.get('TCP pipe')
  console.log(`\n${title}, medians; in brackets the ratio to direct, of what is added that to the pipe`)
  print(
    ['way', 'per second', 'client us each', 'added us each'],
    [...results].map(([name, { perSecond, clientUs, watchedUs }]) => [
      name,
      figure(perSecond, direct?.perSecond),
      figure(clientUs, direct?.clientUs),
      name === 'direct' ? '' : figure(watchedUs[0], floor?.watchedUs[0]),
    ]),
  )
  for (const each of contenders) each.client.stop()
}
await Promise.all([gateway.stop(), sparingGateway.stop()])
for (const process of [node, pipe, grpcJs]) process.stop()
