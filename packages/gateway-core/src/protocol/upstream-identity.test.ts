import { describe, expect, it } from 'vitest'
import { type Change, type Identity, UpstreamIdentities } from './upstream-identity.ts'

const geth = { text: 'geth' }
const erigon = { text: 'erigon' }

function observer() {
  let now = 0
  const identities = new UpstreamIdentities(() => now)
  return {
    observe: (identity: Identity) => identities.observe('node', 'http://a', [identity]),
    pass: (ms: number) => (now += ms),
  }
}

describe('the identity of an upstream', () => {
  it('changes with the version or the namespaces', () => {
    const { observe } = observer()
    expect([geth, geth, erigon, erigon, geth].map(observe)).toEqual([
      'same',
      'same',
      'changed',
      'same',
      'changed',
    ])
  })

  it('changes after a disconnection, regardless of the reported version', () => {
    const { observe, pass } = observer()
    expect((['unreachable', geth, 'unreachable', 'unreachable', geth, geth] as const).map(observe)).toEqual([
      'same',
      'same',
      'unreachable',
      'same',
      'changed',
      'same',
    ] satisfies readonly Change[])
    // Not each time when the connection breaks repeatedly.
    expect((['unreachable', geth] as const).map(observe)).toEqual(['unreachable', 'same'])
    pass(600_000)
    expect((['unreachable', geth] as const).map(observe)).toEqual(['unreachable', 'changed'])
  })

  it('does not change when the version request is rejected', () => {
    const { observe } = observer()
    expect(([geth, 'unknown', geth] as const).map(observe)).toEqual(['same', 'same', 'same'])
  })

  it('stops changing when several servers respond alternately', () => {
    const { observe, pass } = observer()
    const changes = Array.from({ length: 12 }, (_, at) => observe(at % 2 === 0 ? geth : erigon))
    expect(changes.filter((change) => change === 'changed')).toHaveLength(3)
    expect(observe({ text: 'geth 2' })).toBe('changed')
    pass(3_600_000)
    expect(observe(geth)).toBe('changed')
  })

  it('is deleted with the text of the upstreams', () => {
    const identities = new UpstreamIdentities()
    expect(identities.observe('node', 'http://a', [geth])).toBe('same')
    expect(identities.observe('node', 'http://a http://b', [erigon, geth])).toBe('same')
    expect(identities.observe('node', 'http://a http://b', [erigon, erigon])).toBe('changed')
    identities.removeExcept(new Set())
    expect(identities.observe('node', 'http://a http://b', [geth, geth])).toBe('same')
  })
})
