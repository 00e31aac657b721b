import { callPlatform, type PlatformResponse } from './platform-calls.ts'
import type { RunningGateway } from './restarted-gateway.ts'

/** The acknowledged changes so far. */
export interface Acknowledged {
  readonly projects: string[]
  readonly nodes: string[]
  /** Credentials, each with its node. */
  readonly credentials: { readonly id: string; readonly node: string }[]
  /** The highest version of the project that is changed continuously. */
  version: number
}

/** The gateway and the objects to which the writers write. */
export interface Target {
  readonly project: string
  readonly node: string
  /** URL of an upstream. */
  readonly upstream: string
}

/** Concurrently makes writes of all kinds until the gateway is killed, and records the acknowledged ones. */
export async function writeUntilKilled(
  gateway: RunningGateway,
  { project, node, upstream }: Target,
  acknowledged: Acknowledged,
): Promise<void> {
  const send = (method: string, path: string, body: unknown) => callPlatform(gateway, method, path, body)
  const credentials = `/v2/nodes/${node}/credentials/`
  await Promise.all([
    repeat(async () => {
      const { body } = await accepted(send('POST', '/v2/projects/', { name: 'Written' }))
      acknowledged.projects.push(body.id)
    }),
    repeat(async () => {
      const upstreams = { evm: upstream }
      const nodeBody = { project, name: 'Written', chain: 'ethereum', network: 'mainnet', upstreams }
      const { body } = await accepted(send('POST', '/v2/nodes/', nodeBody))
      acknowledged.nodes.push(body.id)
      for (const { id } of body['credentials'] as readonly { readonly id: string }[]) {
        acknowledged.credentials.push({ id, node: body.id })
      }
    }),
    repeat(async () => {
      const made = await accepted(send('POST', credentials, { kind: 'token', label: 'Written' }))
      acknowledged.credentials.push({ id: made.body.id, node })
      const { body } = await accepted(send('POST', `${credentials}${made.body.id}/rotate/`, {}))
      acknowledged.credentials.push({ id: body.id, node })
    }),
    ...[1, 2].map((writer) => {
      let round = 0
      return repeat(async () => {
        const description = `${writer} ${(round += 1)} ${Date.now()}`
        const { etag } = await accepted(send('PATCH', `/v2/projects/${project}/`, { description }))
        acknowledged.version = Math.max(acknowledged.version, Number(etag?.slice(1, -1)))
      })
    }),
  ])
}

async function repeat(write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await write()
    } catch (error) {
      // fetch throws this when the connection breaks.
      if (error instanceof TypeError) return
      throw error
    }
  }
}

/** Throws when a write is rejected. */
async function accepted(pending: Promise<PlatformResponse>): Promise<PlatformResponse> {
  const response = await pending
  if (response.status < 300) return response
  throw new Error(`A write returned ${response.status}: ${JSON.stringify(response.body)}`)
}
