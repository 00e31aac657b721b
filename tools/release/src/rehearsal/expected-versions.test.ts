import { describe, expect, it } from 'vitest'
import type { SpecChange } from './changes.ts'
import { expectedVersions, versionTable } from './expected-versions.ts'

const change = (bump: SpecChange['bump'], bumps: SpecChange['bumps']) =>
  ({ package: 'family', bump, bumps, dependents: ['facade', 'service'] }) as unknown as SpecChange
const versions = (family: string) =>
  new Map(Object.entries({ family, facade: '1.4.2', service: '0.3.1', other: '2.0.0' }))

describe('the versions after a release', () => {
  it.each([
    ['0.2.3', 'patch', '0.2.4 1.4.2 0.3.1 2.0.0'],
    ['0.2.3', 'minor', '0.3.0 1.4.3 0.3.2 2.0.0'],
    ['0.2.3', 'major', '0.3.0 1.4.3 0.3.2 2.0.0'],
    ['1.2.3', 'minor', '1.3.0 1.4.2 0.3.1 2.0.0'],
    ['1.2.3', 'major', '2.0.0 1.4.3 0.3.2 2.0.0'],
  ] as const)('of %s and a %s are those that the ranges require', (version, bump, expected) => {
    expect([...expectedVersions(versions(version), change(bump, { family: bump })).values()].join(' ')).toBe(
      expected,
    )
  })

  it('apply the bump of a package in addition to its range', () => {
    const actual = expectedVersions(versions('0.2.3'), change('major', { family: 'major', facade: 'major' }))
    expect([...actual.values()]).toEqual(['0.3.0', '2.0.0', '0.3.2', '2.0.0'])
  })

  it('are marked in a table if they differ', () => {
    const [before, after] = [new Map([['family', '0.1.0']]), new Map([['family', '0.2.0']])]
    expect(versionTable(before, after, before)).toBe(
      'package  before  after  expected\nfamily   0.1.0   0.2.0  0.1.0     WRONG',
    )
  })
})
