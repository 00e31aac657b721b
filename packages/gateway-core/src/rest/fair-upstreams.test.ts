import { expect, it, onTestFinished } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { startTestNode } from '../testing/serve.ts'
import { createRestUpstream } from './rest-upstream.ts'

/** Number of connections that one organization may use alone: 7/8 of those that are not for short calls. */
const alone = 220

it.each([1, 60, 150])('%i credentials delay no REST call of another organization', async (credentials) => {
  const received: string[] = []
  const url = await startTestNode((request) => {
    received.push(request.url ?? '')
  })
  const format = { headerPrefix: 'x-', writeError: () => '' }
  const upstream = createRestUpstream(url, 20_000, format)
  onTestFinished(() => upstream.close())
  const call = (organizationId: string, at: number) => {
    const tenant = { organizationId, projectId: `${at % 7}`, credentialId: `${at % credentials}` }
    const { signal } = new AbortController()
    const get = { method: 'GET', target: `/${organizationId}`, headers: {}, tenant, signal } as const
    void upstream.request(get).catch(() => undefined)
  }
  const of = (organizationId: string) => received.filter((target) => target === `/${organizationId}`).length
  for (let at = 0; at < 400; at += 1) call('a', at)
  await waitFor(() => of('a') === alone)
  for (let at = 0; at < 4; at += 1) call('b', at)
  await waitFor(() => of('b') === 4)
  expect(of('a')).toBe(alone)
})
