import { describe, expect, it } from 'vitest'
import changelog from './changelog.ts'

const changeset = { id: 'a', releases: [] }

describe('an entry of a changelog', () => {
  it('is the text of the changeset', async () => {
    const line = await changelog.getReleaseLine(
      { ...changeset, summary: 'Added `a`.\n\nMore.', commit: '0123456789' },
      'minor',
      null,
    )
    expect(line).toBe('- 0123456: Added `a`.\n\n  More.')
  })

  it('has a section for the specification if the changeset has one', async () => {
    const summary = 'Added ships.\n\n#### Specification\n\n- Added: GET /ships\n- Changed: GET /boats'
    expect(await changelog.getReleaseLine({ ...changeset, summary }, 'minor', null)).toBe(
      '- Added ships.\n\n  **Specification**\n\n  - Added: GET /ships\n  - Changed: GET /boats',
    )
  })

  it('lists the raised dependencies', async () => {
    const dependency = {
      name: '@fairlead/core',
      newVersion: '0.2.0',
      oldVersion: '0.1.0',
      type: 'minor' as const,
      changesets: [],
      packageJson: { name: '@fairlead/core', version: '0.1.0' },
      dir: '',
    }
    expect(await changelog.getDependencyReleaseLine([], [dependency], null)).toBe(
      '- Updated dependencies:\n\n  - @fairlead/core@0.2.0',
    )
    expect(await changelog.getDependencyReleaseLine([], [], null)).toBe('')
  })
})
