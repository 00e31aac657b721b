import { describe, expect, it } from 'vitest'
import { canariesOf, publishesSomething } from './publish-plan.ts'

const pending = { name: 'ships', kind: 'publish', version: '0.3.0', tag: 'latest' }
const canary = { name: 'ports', kind: 'publish', version: '0.4.0-canary-20260731-abc', tag: 'latest' }
const noted = { name: 'docks', kind: 'tag-only', version: '0.1.0' }

describe('a plan of what to publish', () => {
  it('publishes something, unless all of it is only tagged', () => {
    expect(publishesSomething({ version: 1, plan: [[noted], [pending]] })).toBe(true)
    expect(publishesSomething({ version: 1, plan: [[noted]] })).toBe(false)
  })

  it('has canaries, which go to those who ask', () => {
    expect(canariesOf({ version: 1, plan: [[pending, noted], [canary]] })).toEqual({
      version: 1,
      plan: [[{ ...canary, tag: 'canary' }]],
    })
  })
})
