import { callPlatform, type PlatformAnswer } from './platform-calls.ts'
import type { RunningService } from './restarted-service.ts'

/** What was acknowledged so far. */
export interface Acknowledged {
  readonly projects: string[]
  readonly nodes: string[]
  /** With the nodes that they open. */
  readonly credentials: { readonly id: string; readonly node: string }[]
  /** The highest version of the project that is changed all the time. */
  version: number
}

/** What the writers write to. */
export interface Target {
  readonly project: string
  readonly node: string
  /** Address of an upstream. */
  readonly upstream: string
}

/** Writes of all kinds at once until the service is gone; whatever is acknowledged is noted. */
export async function writeUntilGone(
  service: RunningService,
  { project, node, upstream }: Target,
  acknowledged: Acknowledged,
): Promise<void> {
  const send = (method: string, path: string, body: unknown) => callPlatform(service, method, path, body)
  const credentials = `/v2/nodes/${node}/credentials/`
  await Promise.all([
    repeat(async () => {
      const { body } = await accepted(send('POST', '/v2/projects/', { name: 'Written' }))
      acknowledged.projects.push(body.id)
    }),
    repeat(async () => {
      const upstreams = { evm: upstream }
      const asked = { project, name: 'Written', chain: 'ethereum', network: 'mainnet', upstreams }
      const { body } = await accepted(send('POST', '/v2/nodes/', asked))
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

async function repeat(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await work()
    } catch (error) {
      // What fetch throws when the connection breaks.
      if (error instanceof TypeError) return
      throw error
    }
  }
}

/** Throws when a write is refused. */
async function accepted(answering: Promise<PlatformAnswer>): Promise<PlatformAnswer> {
  const answer = await answering
  if (answer.status < 300) return answer
  throw new Error(`A write was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}
