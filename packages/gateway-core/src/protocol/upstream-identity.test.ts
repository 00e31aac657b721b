import { describe, expect, it } from 'vitest'
import { type Change, type Identity, UpstreamIdentities } from './upstream-identity.ts'

const geth = { text: 'geth' }
const erigon = { text: 'erigon' }

function observer() {
  let now = 0
  const identities = new UpstreamIdentities(() => now)
  return {
    see: (identity: Identity) => identities.observe('node', 'http://a', [identity]),
    pass: (ms: number) => (now += ms),
  }
}

describe('the identity of an upstream', () => {
  it('changes with the version or the namespaces', () => {
    const { see } = observer()
    expect([geth, geth, erigon, erigon, geth].map(see)).toEqual([
      'same',
      'same',
      'changed',
      'same',
      'changed',
    ])
  })

  it('changes after a disconnection, regardless of the reported version', () => {
    const { see, pass } = observer()
    expect((['away', geth, 'away', 'away', geth, geth] as const).map(see)).toEqual([
      'same',
      'same',
      'away',
      'same',
      'changed',
      'same',
    ] satisfies readonly Change[])
    // Not each time when the connection breaks repeatedly.
    expect((['away', geth] as const).map(see)).toEqual(['away', 'same'])
    pass(600_000)
    expect((['away', geth] as const).map(see)).toEqual(['away', 'changed'])
  })

  it('does not change when the version request is rejected', () => {
    const { see } = observer()
    expect(([geth, 'unknown', geth] as const).map(see)).toEqual(['same', 'same', 'same'])
  })

  it('stops changing when several servers respond alternately', () => {
    const { see, pass } = observer()
    const seen = Array.from({ length: 12 }, (_, at) => see(at % 2 === 0 ? geth : erigon))
    expect(seen.filter((change) => change === 'changed')).toHaveLength(3)
    expect(see({ text: 'geth 2' })).toBe('changed')
    pass(3_600_000)
    expect(see(geth)).toBe('changed')
  })

  it('is deleted with the text of the upstreams', () => {
    const identities = new UpstreamIdentities()
    expect(identities.observe('node', 'http://a', [geth])).toBe('same')
    expect(identities.observe('node', 'http://a http://b', [erigon, geth])).toBe('same')
    expect(identities.observe('node', 'http://a http://b', [erigon, erigon])).toBe('changed')
    identities.keepOnly(new Set())
    expect(identities.observe('node', 'http://a http://b', [geth, geth])).toBe('same')
  })
})
