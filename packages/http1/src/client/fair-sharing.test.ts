import type { Tenant } from '@fairlead/runtime'
import { describe, expect, it } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { connectionsTo, plain, post, scriptedUpstream } from '../testing/scripted-upstream.ts'

/** The credential with this name, such as `organization/project/credential`. */
function tenant(name: string): Tenant {
  const [organizationId = '', projectId = 'project', credentialId = 'credential'] = name.split('/')
  return { organizationId, projectId, credentialId }
}

/** The names of credentials of organization `a`, over seven projects. */
function credentials(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `a/${at % 7}/${at}`)
}

/** An upstream that responds when the test requests it; 4 of the 36 connections are for short calls. */
async function scriptedCalls(maxConnections = 36) {
  const pending: { readonly body: string; respond(): void }[] = []
  const upstream = await scriptedUpstream(({ socket, body }) => {
    pending.push({ body, respond: () => socket.write(plain(body)) })
  })
  const connections = connectionsTo(upstream.url, { maxConnections })
  const call = (name: string | undefined) => {
    const options = name === undefined ? {} : { tenant: tenant(name) }
    void connections.request(post(name ?? 'none', options)).catch(() => undefined)
  }
  /** Number of calls that the upstream has received of an organization, a project or a credential. */
  const at = (name: string) => pending.filter(({ body }) => `${body}/`.startsWith(`${name}/`)).length
  return { pending, call, at }
}

describe('calls with exclusive connections', () => {
  it('of one organization leave connections for a later one', async () => {
    const { call, at } = await scriptedCalls()
    for (let count = 0; count < 200; count += 1) call('greedy')
    await waitFor(() => at('greedy') === 28)
    call('other')
    await waitFor(() => at('other') === 1)
    expect(at('greedy')).toBe(28)
  })

  it('use half of what other organizations leave', async () => {
    const { pending, call, at } = await scriptedCalls()
    call('other')
    for (let count = 0; count < 200; count += 1) call('greedy')
    await waitFor(() => at('greedy') === 15)
    for (let count = 0; count < 8; count += 1) call('other')
    await waitFor(() => at('other') === 8)
    // Connections that become free beyond that share go to the other organization.
    for (const { body, respond } of pending.splice(0)) if (body === 'greedy') respond()
    await waitFor(() => at('greedy') === 11)
    expect(at('other')).toBe(1)
  })

  it.each([1, 60, 150])('of %i credentials delay no call of another organization', async (count) => {
    const { pending, call, at } = await scriptedCalls(128)
    const names = credentials(count)
    for (let round = 0; round < 4; round += 1) for (const name of names) call(name)
    if (count === 1) for (let extra = 0; extra < 150; extra += 1) call(names[0])
    await waitFor(() => at('a') === 108)
    for (let bystanders = 0; bystanders < 4; bystanders += 1) call('b')
    await waitFor(() => at('b') === 4)
    expect(at('a')).toBe(108)
    // Further connections go to the bystander until the shares are equal.
    for (let more = 0; more < 40; more += 1) call('b')
    for (const { respond } of pending.slice(0, 108)) respond()
    await waitFor(() => at('b') > 4)
    const [next] = pending.slice(112)
    expect(next?.body).toBe('b')
  })

  it('are limited for a project and a credential by the others of the organization', async () => {
    const { call, at } = await scriptedCalls()
    for (let count = 0; count < 200; count += 1) call('a/one/x')
    await waitFor(() => at('a') === 28)
    const second = await scriptedCalls()
    second.call('a/two/y')
    second.call('a/one/z')
    for (let count = 0; count < 200; count += 1) second.call('a/one/x')
    // Half of what the other project leaves, and of that half of what the other credential leaves.
    await waitFor(() => second.at('a/one/x') === 7)
    for (let count = 0; count < 20; count += 1) second.call('a/two/y')
    await waitFor(() => second.at('a/two') === 12)
  })

  it('are not limited for calls of the gateway itself', async () => {
    const { call, at } = await scriptedCalls()
    for (let count = 0; count < 40; count += 1) call(undefined)
    await waitFor(() => at('none') === 32)
  })

  it('are scheduled round-robin by organization when all connections are in use', async () => {
    const { pending, call, at } = await scriptedCalls()
    for (const name of ['a', 'b', 'c']) for (let count = 0; count < 50; count += 1) call(name)
    await waitFor(() => pending.length === 32)
    expect([at('a'), at('b'), at('c')]).toEqual([28, 4, 0])
    for (const { respond } of pending.slice(0, 12)) respond()
    // Each organization uses half of what the others leave.
    await waitFor(() => pending.length === 38)
    expect([at('a'), at('b'), at('c')]).toEqual([28, 5, 5])
    for (const { respond } of pending.slice(12, 28)) respond()
    await waitFor(() => pending.length === 52)
    expect([at('a') - 28, at('b'), at('c')]).toEqual([8, 8, 8])
  })
})

describe('short calls', () => {
  it.each([1, 60, 150])('of %i credentials do not delay those of another organization', async (count) => {
    const responded: string[] = []
    const pending: (() => void)[] = []
    const { url } = await scriptedUpstream(({ socket, body }) =>
      pending.push(() => socket.write(plain(body))),
    )
    const connections = connectionsTo(url, { maxConnections: 1 })
    const call = (name: string) => {
      const quick = post(name, { tenant: tenant(name), latencyClass: 'short' })
      void connections.request(quick).then(
        () => responded.push(name),
        () => undefined,
      )
    }
    const names = credentials(count)
    for (let at = 0; at < 150; at += 1) call(names[at % count] as string)
    await waitFor(() => pending.length > 0)
    call('other')
    await waitFor(() => {
      pending.shift()?.()
      return responded.includes('other')
    })
    expect(responded.length).toBeLessThan(60)
  })
})
