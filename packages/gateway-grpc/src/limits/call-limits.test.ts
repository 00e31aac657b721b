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

it('lets the calls pass that the rules let pass', async () => {
  const node = await grpcNode()
  const rules = rulesOf('/test.Test/Join=deny /test.Test/One=2/s /test.Test/Echo=1')
  const gateway = await grpcInFrontOf(node.url, { rules })
  const client = grpcJs(gateway.url)
  expect((await client.join(['a'])).status).toMatchObject({
    code: status.PERMISSION_DENIED,
    details: 'This service does not let this method be called.',
  })

  expect((await client.one('a')).status.code).toBe(0)
  expect((await client.one('a')).status.code).toBe(0)
  const { status: end } = await client.one('a')
  expect(end).toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
    details: 'The credential may begin 2 calls of this kind per second.',
  })
  expect(end.metadata.get('grpc-retry-pushback-ms')).toEqual(['500'])
  await waitFor(async () => expect((await client.one('a')).status.code).toBe(0))

  const first = client.echo()
  first.call.write('a')
  await waitFor(() => first.messages.length === 1)
  expect((await client.echo().ended).status).toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
    details: 'The credential may have 1 calls of this kind open at a time.',
  })
  first.call.end()
  await first.ended
  const { call, ended } = client.echo()
  call.end()
  expect((await ended).status.code).toBe(0)
})

it('lets a credential have so many calls open and no more', async () => {
  const node = await grpcNode()
  const gateway = await grpcInFrontOf(node.url, { maxOpenCalls: 3 })
  const client = grpcJs(gateway.url)
  const open = [client.echo(), client.echo(), client.echo()]
  await waitFor(() => expect(node.openCalls).toBe(3))
  expect((await client.one('a')).status.code).toBe(status.RESOURCE_EXHAUSTED)
  open[0]?.call.cancel()
  await waitFor(async () => expect((await client.one('a')).status.code).toBe(0))
})

it('counts for each credential by itself, and forgets those that are gone', () => {
  const limits = createCallLimits(rulesOf('/a.B/*=1/s'), 10)
  const leave = limits.enter('one', '/a.B/C')
  expect(() => limits.enter('one', '/a.B/D')).toThrow('RESOURCE_EXHAUSTED')
  expect(() => limits.enter('other', '/a.B/C')).not.toThrow()
  limits.forget((id) => id === 'one')
  expect(() => limits.enter('one', '/a.B/C')).toThrow('RESOURCE_EXHAUSTED')
  // Open calls are not forgotten, so that no client gains from it.
  limits.forget(() => false)
  expect(() => limits.enter('one', '/a.B/C')).toThrow('RESOURCE_EXHAUSTED')
  leave()
  limits.forget(() => false)
  expect(() => limits.enter('one', '/a.B/C')).not.toThrow()
})

it('takes other rules over, with the calls that are open', () => {
  const limits = createCallLimits(rulesOf('/a.B/*=1/s'), 10)
  const leave = limits.enter('one', '/a.B/C')
  expect(() => limits.enter('one', '/a.B/C')).toThrow('RESOURCE_EXHAUSTED')
  limits.change(rulesOf('/a.B/*=100/s,1'), 10)
  expect(() => limits.enter('one', '/a.B/C')).toThrow('1 calls of this kind open')
  leave()
  const leaveAgain = limits.enter('one', '/a.B/C')
  limits.change([], 1)
  expect(() => limits.enter('one', '/a.B/C')).toThrow('1 calls of this kind open')
  leaveAgain()
  expect(() => limits.enter('one', '/a.B/C')).not.toThrow()
  limits.change(rulesOf('/a.B/C=deny'), 10)
  expect(() => limits.enter('one', '/a.B/C')).toThrow('PERMISSION_DENIED')
})
