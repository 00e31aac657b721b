// What the gateway adds to gRPC: the same client directly at the node and through the gateway, through a @grpc/grpc-js
// proxy that does not decode either, and through a bare TCP pipe. All take turns within one run.
import { type Contender, listen, roundValues, startClient, measureInTurns } from './fixtures/grpc-run.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { measuresOf } from './fixtures/report/comparison.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'
import { serve } from './fixtures/gateway-process.ts'

const client = '@fairlead/grpc'
const paces = {
  batched: 'Updates of 1.1 KB, many in one write',
  single: 'Updates of 1.1 KB, one in each write',
  unary: 'Calls of GetSlot, 64 at a time',
}

const flags = readFlags(import.meta.filename, {
  ...reportFlags,
  seconds: { type: 'string', default: '0.4', description: 'length of a window' },
})
const report = await startReport(import.meta.filename, {
  flags,
  rounds: 4,
  software: { packages: ['@grpc/grpc-js'] },
})
const node = await listen('grpc-node.ts')
const pipe = await listen('grpc-peer.ts', 'pipe', node.url)
const grpcJs = await listen('grpc-peer.ts', 'proxy', node.url)
const environment = { FAIRLEAD_LOG_LEVEL: 'error', FAIRLEAD_GRPC_UPSTREAM: node.url }
const gateway = await serve(environment)
// Buffers are outside the heap. With space for many small objects, only a full heap collection frees them.
const smallHeapFlag = '--max-semi-space-size=4'
const smallHeapGateway = await serve({ ...environment, NODE_OPTIONS: smallHeapFlag })
const roles = {
  direct: 'alternative',
  'TCP pipe': 'alternative',
  gateway: 'fairlead',
  [`gateway, ${smallHeapFlag}`]: 'variant',
  'grpc-js proxy': 'alternative',
} as const
const targets: readonly { name: string; url: string; between: number; token?: string | undefined }[] = [
  { name: 'direct', url: node.url, between: node.processId },
  { name: 'TCP pipe', url: pipe.url, between: pipe.processId },
  { name: 'gateway', url: gateway.url, between: gateway.processId, token: gateway.xToken },
  {
    name: `gateway, ${smallHeapFlag}`,
    url: smallHeapGateway.url,
    between: smallHeapGateway.processId,
    token: smallHeapGateway.xToken,
  },
  { name: 'grpc-js proxy', url: grpcJs.url, between: grpcJs.processId },
]
for (const [pace, title] of Object.entries(paces)) {
  const contenders: Contender[] = []
  for (const { name, url, between, token } of targets) {
    contenders.push({
      name,
      client: await startClient(client, url, token),
      pace,
      processIds: [between],
    })
  }
  const runMs = Number(flags.seconds) * 1_000
  const samples = await measureInTurns(contenders, { rounds: report.rounds, runMs })
  const unit = pace === 'unary' ? 'call' : 'update'
  const measures = measuresOf(samples, [
    {
      name: `${unit}s per second`,
      unit: `${unit}s/s`,
      better: 'higher',
      baseline: 'direct',
      value: roundValues.perSecond,
    },
    {
      name: `CPU time of the client per ${unit}`,
      unit: 'µs',
      better: 'lower',
      baseline: 'direct',
      value: roundValues.clientUs,
    },
    {
      // The pipe adds so little that its time is a few ticks of the clock, so it is no baseline.
      name: `CPU time added per ${unit}`,
      unit: 'µs',
      better: 'lower',
      baseline: 'gateway',
      value: (round, name) => (name === 'direct' ? undefined : roundValues.processUs(round)),
    },
  ])
  report.add({ title, roles, measures, errors: 0 })
  for (const each of contenders) each.client.stop()
}
await report.finish()
await Promise.all([gateway.stop(), smallHeapGateway.stop()])
for (const process of [node, pipe, grpcJs]) process.stop()
