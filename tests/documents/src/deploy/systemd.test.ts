import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allFences } from '../pages/fence.ts'
import { repository } from '../pages/page.ts'
import { parseUnit } from './unit.ts'

const file = join(repository, 'deploy/systemd/fairlead.service')
const unit = parseUnit(readFileSync(file, 'utf8'))
const ofPages = allFences.filter(({ language }) => language === 'ini').flatMap(({ text }) => parseUnit(text))

// `systemd --dump-configuration-items` of version 252, without the items of other kinds of units.
const known = new Map(
  readFileSync(join(import.meta.dirname, '../../fixtures/systemd-252.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(': ') as [string, string])
    .map(([section, keys]) => [section, new Set(keys.split(' '))]),
)

describe('the unit of systemd', () => {
  it('has keys that there are, in the sections that they belong to', () => {
    const unknown = [...unit, ...ofPages].filter(({ section, key }) => !known.get(section)?.has(key))
    expect(unknown).toEqual([])
    expect(unit.length).toBeGreaterThan(30)
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
  it.skipIf(!hasSystemd)('is taken by systemd', () => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    })
    // systemd-analyze reports problems on stderr, and exits with 0 for those it ignores, such as an unknown key.
    expect(stdout + stderr).toBe('')
    expect(status).toBe(0)
  })
})
