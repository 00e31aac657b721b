import { expect, it } from 'vitest'
import { parseUpstreams } from '@fairlead/gateway-core/grants/parse-upstreams'
import { PoolMember } from '@fairlead/gateway-core/upstream/pool-member'
import { UpstreamRegistry } from '@fairlead/gateway-core/upstream/upstream-registry'
import { ChainSelection } from './chain-selection.ts'
import type { ConnectedUpstream, PooledUpstream } from './types.ts'

/** Opens the lists of upstreams of a node, one after the other. */
function node() {
  const registry = new UpstreamRegistry<ConnectedUpstream>({
    field: 'evm',
    open: () => ({ lastBytesAt: -Infinity, mismatchedResponses: 0 }) as ConnectedUpstream,
  })
  let previous: ChainSelection | undefined
  return (text: string) => {
    const members: PooledUpstream[] = parseUpstreams(text).map(
      (record, position) => new PoolMember({ record, position, upstream: registry.of(record) }, 'evm', 3),
    )
    const selection = new ChainSelection(members, undefined, previous)
    previous = selection
    const member = (position: number) => members[position] as PooledUpstream
    const report = (position: number, id: string) => {
      member(position).upstream.chain = { id, at: performance.now() }
      return selection.update()
    }
    return { selection, member, report, used: () => members.map(({ isInUse }) => isInUse) }
  }
}

const [a, b, c, d] = ['http://a', 'http://b', 'http://c', 'http://d']

it('is that of most upstreams, and the present one on a tie', () => {
  const { report, selection, used } = node()(`${a} ${b} ${c} ${d}`)
  expect(report(0, '0x5')).toBe(false)
  expect([selection.chainId, used()]).toEqual(['0x5', [true, false, false, false]])
  expect(report(1, '0x1')).toBe(false)
  expect(selection.chainId).toBe('0x5')
  expect(report(2, '0x1')).toBe(true)
  expect([selection.chainId, used()]).toEqual(['0x1', [false, true, true, false]])
  report(3, '0x5')
  expect([selection.chainId, used()]).toEqual(['0x1', [false, true, true, false]])
})

it('stays the same after a change of the list while an upstream in use reported it', () => {
  const open = node()
  open(`${a} ${b}#cordoned`).report(0, '0x1')
  const changed = open(`${b} ${c} ${a}#rps=5`)
  expect([changed.selection.chainId, changed.used()]).toEqual(['0x1', [false, false, true]])
  changed.report(0, '0x5')
  changed.report(1, '0x5')
  expect([changed.selection.chainId, changed.used()]).toEqual(['0x1', [false, false, true]])
  // Now no upstream reports the previous chain.
  changed.report(2, '0x5')
  expect([changed.selection.chainId, changed.used()]).toEqual(['0x5', [true, true, true]])
  changed.report(0, '0x1')
  expect(changed.selection.chainId).toBe('0x5')
})

it('is that of the remaining upstreams after the others are cordoned', () => {
  const open = node()
  const first = open(`${a} ${b}`)
  first.report(0, '0x5')
  first.report(1, '0x1')
  expect(open(`${a}#cordoned ${b}`).selection.chainId).toBe('0x1')
  expect(open(`${a} ${b}#cordoned`).selection.chainId).toBe('0x5')
})

it('is that of the upstreams before a change of the list, even if they report it later', () => {
  const open = node()
  open(a)
  open(`${a} ${b}`)
  const { report, selection, used, member } = open(`${b} ${a}#weight=2 ${c}`)
  expect(report(0, '0x5')).toBe(false)
  expect([selection.isKnown, used()]).toEqual([false, [false, true, false]])
  // Until then, the others determine it.
  selection.recordFailure(member(1))
  selection.update()
  expect([selection.chainId, used()]).toEqual(['0x5', [true, false, false]])
  expect(report(1, '0x1')).toBe(true)
  expect([selection.chainId, used()]).toEqual(['0x1', [false, true, false]])
})

it('does not wait for an upstream before a change of the list that has a rate limit', () => {
  const open = node()
  open(a)
  const { report, selection, member } = open(`${a} ${b}`)
  member(0).upstream.rate.recordRejection(60_000)
  report(1, '0x5')
  expect(selection.chainId).toBe('0x5')
})

it('is current when a responsive upstream was identified recently or used before', () => {
  const open = node()
  const first = open(a)
  expect(first.selection.isCurrent(0)).toBe(false)
  const second = open(`${a} ${b}`)
  expect(second.selection.isCurrent(0)).toBe(true)
  second.report(0, '0x1')
  expect(second.selection.isCurrent(0)).toBe(true)
  expect(second.selection.isCurrent(performance.now() + 1)).toBe(false)
  second.member(0).upstream.breaker.fail(true)
  expect(second.selection.isCurrent(0)).toBe(false)
})
