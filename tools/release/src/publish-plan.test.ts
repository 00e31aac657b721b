import { describe, expect, it } from 'vitest'
import { canariesOf, hasPublications } from './publish-plan.ts'

const pending = { name: 'ships', kind: 'publish', version: '0.3.0', tag: 'latest' }
const canary = { name: 'ports', kind: 'publish', version: '0.4.0-canary-20260731-abc', tag: 'latest' }
const tagOnly = { name: 'docks', kind: 'tag-only', version: '0.1.0' }

describe('a publish plan', () => {
  it('has publications unless all packages are only tagged', () => {
    expect(hasPublications({ version: 1, plan: [[tagOnly], [pending]] })).toBe(true)
    expect(hasPublications({ version: 1, plan: [[tagOnly]] })).toBe(false)
  })

  it('publishes canaries under their own dist-tag', () => {
    expect(canariesOf({ version: 1, plan: [[pending, tagOnly], [canary]] })).toEqual({
      version: 1,
      plan: [[{ ...canary, tag: 'canary' }]],
    })
  })
})
