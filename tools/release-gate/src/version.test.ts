import { describe, expect, it } from 'vitest'
import { bumpBetween, isAtLeast, raised, scaled } from './version.ts'

describe('a version', () => {
  it('below 1.0 is raised by its second number when something breaks', () => {
    expect(scaled('major', '0.3.1')).toBe('minor')
    expect(scaled('minor', '0.3.1')).toBe('minor')
    expect(scaled('patch', '0.3.1')).toBe('patch')
    expect(scaled('major', '1.0.0')).toBe('major')
  })

  it('is raised by what a bump says', () => {
    expect((['major', 'minor', 'patch', 'none'] as const).map((bump) => raised('1.2.3', bump))).toEqual([
      '2.0.0',
      '1.3.0',
      '1.2.4',
      '1.2.3',
    ])
  })

  it('is compared by number', () => {
    expect(isAtLeast('0.10.0', '0.9.9')).toBe(true)
    expect(isAtLeast('1.0.0', '1.0.0')).toBe(true)
    expect(isAtLeast('0.9.9', '0.10.0')).toBe(false)
  })

  it('tells how far it was raised', () => {
    expect(bumpBetween('0.1.0', '0.2.0')).toBe('minor')
    expect(bumpBetween('0.1.9', '1.0.0')).toBe('major')
    expect(bumpBetween('0.1.0', '0.1.1')).toBe('patch')
    expect(bumpBetween('0.2.0', '0.1.0')).toBe('none')
    expect(bumpBetween('0.2.0', '0.2.0')).toBe('none')
  })

  it('must be one', () => {
    expect(() => raised('next', 'minor')).toThrow('a version must be three numbers with dots between')
  })
})
