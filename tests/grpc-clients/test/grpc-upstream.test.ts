import { inspect } from 'node:util'
import { createGrpcClient, FairleadError } from '@fairlead/grpc'
import { createGrpcServer, GrpcError, type GrpcServer, implement, Status } from '@fairlead/grpc-transport'
import { HealthCheckResponse_ServingStatus as ServingStatus, HealthDefinition } from '@fairlead/grpc/health'
import { createGrpcJsTransport } from '@fairlead/grpc/grpc-js'
import { createGrpcWebClient } from '@fairlead/grpc/web'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { reservePort } from '@fairlead/vitest/reserved-port'
import { type ServerProcess, startProcess, temporaryFolder } from '@fairlead/e2e-tests/gateway'

// A node that requires its own token, and includes it in its errors, as careless nodes do.
const secret = 'canary-upstream-5d2f/@:%'
let accepted = secret
const receivedTokens: unknown[] = []
async function startNode(port?: number): Promise<GrpcServer> {
  const server = createGrpcServer({
    implementations: [
      implement(HealthDefinition, {
        check: (_, { metadata }) => {
          receivedTokens.push(metadata)
          const receivedToken = metadata['x-token']
          if (receivedToken !== accepted)
            throw new GrpcError(Status.UNAUTHENTICATED, `no such token: ${secret}`)
          return { status: ServingStatus.SERVING }
        },
        async *watch(_, { signal }) {
          yield { status: ServingStatus.SERVING }
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          throw new GrpcError(Status.UNAVAILABLE, `${secret} goes`)
        },
      }),
    ],
  })
  await server.listen({ port: port ?? (await reservePort()) })
  return server
}

let node: GrpcServer
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gateway: ServerProcess
let url: string
let token: string
beforeAll(async () => {
  node = await startNode()
  folder = await temporaryFolder()
  gateway = await startProcess('serve', folder.path, {
    FAIRLEAD_LOG_LEVEL: 'debug',
    FAIRLEAD_GRPC_UPSTREAM: node.url.replace('://', `://x-token:${encodeURIComponent(secret)}@`),
  })
  // The token is printed once, at the first start.
  await vi.waitUntil(() => /x-token +\S+\n/.test(gateway.output()), 20_000)
  ;[, url = ''] = /running at (\S+)/.exec(gateway.output()) ?? []
  ;[, token = ''] = /x-token +(\S+)/.exec(gateway.output()) ?? []
})
afterAll(async () => {
  await gateway.end('SIGTERM')
  await node.stop()
  await folder.remove()
})

it('reveals neither the token of the client nor that of the node', async () => {
  const texts: string[] = []
  const channel = createGrpcJsTransport(url)
  const outcome = async (call: Promise<{ readonly status: number }>): Promise<string> => {
    try {
      return `serving ${(await call).status}`
    } catch (error) {
      const { stack = '', cause } = error as Error
      texts.push(String(error), stack, JSON.stringify(error), inspect(error, { depth: 12, showHidden: true }))
      texts.push(inspect(cause, { depth: 12 }))
      return FairleadError.is(error, 'GRPC_STATUS') ? (error.details.statusName ?? '') : String(error)
    }
  }
  const wrongToken = 'canary-wrong-5d2f'
  /** Returns the outcome of a call over each transport. */
  const outcomes = async (xToken: string) => {
    const auth = { kind: 'x-token', token: xToken } as const
    const clients = [
      createGrpcClient(HealthDefinition, { url, auth, retries: 0 }),
      createGrpcClient(HealthDefinition, { transport: channel, auth, retries: 0 }),
      createGrpcWebClient(HealthDefinition, { url, auth, retries: 0 }),
      createGrpcWebClient(HealthDefinition, { url, auth, retries: 0, format: 'text' }),
    ]
    texts.push(inspect(clients, { depth: 12, showHidden: true }))
    const statusesReceived = await Promise.all(
      clients.map((client) => outcome(client.check({ service: xToken }))),
    )
    await Promise.all(clients.map((client) => client.close()))
    return [...new Set(statusesReceived)]
  }

  expect(await outcomes(token)).toEqual(['serving 1'])
  expect(inspect(receivedTokens, { depth: 5 })).not.toContain(token)
  expect(await outcomes(wrongToken)).toEqual(['UNAUTHENTICATED'])
  // In this case, the rejected token is not that of the client.
  accepted = 'another one'
  expect(await outcomes(token)).toEqual(['UNAVAILABLE'])
  accepted = secret

  const watcher = createGrpcClient(HealthDefinition, { url, auth: { kind: 'x-token', token } })
  const statuses = watcher.watch({})[Symbol.asyncIterator]()
  expect((await statuses.next()).value).toEqual({ status: ServingStatus.SERVING })
  const { port } = new URL(node.url)
  const host = new URL(node.url).host
  await node.stop()
  const lastStatus = statuses.next().then(({ value }) => value ?? { status: -1 })
  expect(await outcome(lastStatus)).toBe('UNAVAILABLE')
  expect(await outcomes(token)).toEqual(['UNAVAILABLE'])
  node = await startNode(Number(port))
  await vi.waitFor(async () => expect(await outcomes(token)).toEqual(['serving 1']), 20_000)
  await watcher.close()
  await channel.close()

  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toContain('method="/grpc.health.v1.Health/Check",status="UNAVAILABLE"')
  expect(gateway.output()).toContain('"node request"')
  const output = [...texts, metrics, gateway.output()].join('\n')
  const secrets = [secret, encodeURIComponent(secret), 'canary-upstream', wrongToken, host]
  expect(secrets.filter((canarySecret) => output.includes(canarySecret))).toEqual([])
  expect(output.split(token).length, 'how often the token is printed, plus 1').toBe(2)
})
