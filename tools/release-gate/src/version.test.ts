import { describe, expect, it } from 'vitest'
import { bumpBetween, isAtLeast, raiseVersion, scaleBump } from './version.ts'

describe('a version', () => {
  it('below 1.0 is raised by its second number when something breaks', () => {
    expect(scaleBump('major', '0.3.1')).toBe('minor')
    expect(scaleBump('minor', '0.3.1')).toBe('minor')
    expect(scaleBump('patch', '0.3.1')).toBe('patch')
    expect(scaleBump('major', '1.0.0')).toBe('major')
  })

  it('is raised by a bump', () => {
    expect((['major', 'minor', 'patch', 'none'] as const).map((bump) => raiseVersion('1.2.3', bump))).toEqual(
      ['2.0.0', '1.3.0', '1.2.4', '1.2.3'],
    )
  })

  it('is compared by number', () => {
    expect(isAtLeast('0.10.0', '0.9.9')).toBe(true)
    expect(isAtLeast('1.0.0', '1.0.0')).toBe(true)
    expect(isAtLeast('0.9.9', '0.10.0')).toBe(false)
  })

  it('has a bump to a higher version', () => {
    expect(bumpBetween('0.1.0', '0.2.0')).toBe('minor')
    expect(bumpBetween('0.1.9', '1.0.0')).toBe('major')
    expect(bumpBetween('0.1.0', '0.1.1')).toBe('patch')
    expect(bumpBetween('0.2.0', '0.1.0')).toBe('none')
    expect(bumpBetween('0.2.0', '0.2.0')).toBe('none')
  })

  it('must be valid', () => {
    expect(() => raiseVersion('next', 'minor')).toThrow('a version must be three numbers separated by dots')
  })
})
