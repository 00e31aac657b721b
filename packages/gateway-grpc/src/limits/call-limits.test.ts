import { status } from '@grpc/grpc-js'
import { expect, it } from 'vitest'
import { waitFor } from '@fairlead/vitest/wait-for'
import { grpcInFrontOf } from '../testing/grpc-fixture.ts'
import { grpcJs } from '../testing/grpc-js-client.ts'
import { grpcNode } from '../testing/grpc-node.ts'
import { createCallLimits } from './call-limits.ts'
import { parseCallRules } from './call-rules.ts'

const rulesOf = (text: string) => {
  const rules = parseCallRules(text)
  if (typeof rules === 'string') throw new Error(rules)
  return rules
}

it('enforces the rules', async () => {
  const node = await grpcNode()
  const rules = rulesOf('/test.Test/Join=deny /test.Test/One=2/s /test.Test/Echo=1')
  const gateway = await grpcInFrontOf(node.url, { rules })
  const client = grpcJs(gateway.url)
  expect((await client.join(['a'])).status).toMatchObject({
    code: status.PERMISSION_DENIED,
    details: 'The gRPC rules of the gateway do not allow this method.',
  })

  expect((await client.one('a')).status.code).toBe(0)
  expect((await client.one('a')).status.code).toBe(0)
  const { status: end } = await client.one('a')
  expect(end).toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
    details: 'The credential can start at most 2 calls of this kind per second.',
  })
  expect(end.metadata.get('grpc-retry-pushback-ms')).toEqual(['500'])
  await waitFor(async () => expect((await client.one('a')).status.code).toBe(0))

  const first = client.echo()
  first.call.write('a')
  await waitFor(() => first.messages.length === 1)
  expect((await client.echo().ended).status).toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
    details: 'The credential can have at most 1 open calls of this kind.',
  })
  first.call.end()
  await first.ended
  const { call, ended } = client.echo()
  call.end()
  expect((await ended).status.code).toBe(0)
})

it('limits the open calls of a credential', async () => {
  const node = await grpcNode()
  const gateway = await grpcInFrontOf(node.url, { maxOpenCalls: 3 })
  const client = grpcJs(gateway.url)
  const open = [client.echo(), client.echo(), client.echo()]
  await waitFor(() => expect(node.openCalls).toBe(3))
  expect((await client.one('a')).status.code).toBe(status.RESOURCE_EXHAUSTED)
  open[0]?.call.cancel()
  await waitFor(async () => expect((await client.one('a')).status.code).toBe(0))
})

it('counts each credential separately and removes credentials that are no longer valid', () => {
  const limits = createCallLimits(rulesOf('/a.B/*=1/s'), 10)
  const release = limits.acquire('one', '/a.B/C')
  expect(() => limits.acquire('one', '/a.B/D')).toThrow('RESOURCE_EXHAUSTED')
  expect(() => limits.acquire('other', '/a.B/C')).not.toThrow()
  limits.prune((id) => id === 'one')
  expect(() => limits.acquire('one', '/a.B/C')).toThrow('RESOURCE_EXHAUSTED')
  // Open calls are not forgotten, so that no client gains from it.
  limits.prune(() => false)
  expect(() => limits.acquire('one', '/a.B/C')).toThrow('RESOURCE_EXHAUSTED')
  release()
  limits.prune(() => false)
  expect(() => limits.acquire('one', '/a.B/C')).not.toThrow()
})

it('applies new rules and still counts open calls', () => {
  const limits = createCallLimits(rulesOf('/a.B/*=1/s'), 10)
  const release = limits.acquire('one', '/a.B/C')
  expect(() => limits.acquire('one', '/a.B/C')).toThrow('RESOURCE_EXHAUSTED')
  limits.change(rulesOf('/a.B/*=100/s,1'), 10)
  expect(() => limits.acquire('one', '/a.B/C')).toThrow('at most 1 open calls of this kind')
  release()
  const releaseAgain = limits.acquire('one', '/a.B/C')
  limits.change([], 1)
  expect(() => limits.acquire('one', '/a.B/C')).toThrow('at most 1 open calls of this kind')
  releaseAgain()
  expect(() => limits.acquire('one', '/a.B/C')).not.toThrow()
  limits.change(rulesOf('/a.B/C=deny'), 10)
  expect(() => limits.acquire('one', '/a.B/C')).toThrow('PERMISSION_DENIED')
})
