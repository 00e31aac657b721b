import { describe, expect, it } from 'vitest'
import type { FamilyReport } from '../compare-specs.ts'
import { markdownReport } from './markdown.ts'

const report: FamilyReport = {
  family: 'ships',
  package: '@fairlead/ships',
  directory: 'packages/ships',
  bump: 'major',
  documents: [
    {
      name: 'ships',
      entry: 'ships/openapi.yaml',
      bump: 'major',
      version: { base: '1.2.0', head: '2.0.0' },
      changes: [
        {
          category: 'added',
          bump: 'minor',
          affected: 'nobody',
          place: 'Mast',
          pointer: '#/components/schemas/Mast',
          what: '`Mast` was added.',
        },
        {
          category: 'breaking',
          bump: 'major',
          affected: 'both',
          place: 'GET /ships (listShips)',
          pointer: '#/paths/~1ships/get/parameters/0/schema/default',
          what: '`default` of `order` changed.',
          before: 'a|b',
          after: '`b`',
        },
        {
          category: 'words',
          bump: 'patch',
          affected: 'nobody',
          place: 'Ship',
          pointer: '#/components/schemas/Ship/description',
          what: '`description` of `Ship` changed.',
        },
      ],
    },
  ],
}

describe('the report', () => {
  it('reports that nothing changed', () => {
    expect(markdownReport([])).toBe('# Specification changes\n\nNo specification changed.\n')
    expect(markdownReport([{ ...report, bump: 'none', documents: [] }])).toContain(
      'No specification changed.',
    )
  })

  it('has a heading per family and a table per kind of change', () => {
    expect(markdownReport([report])).toBe(`# Specification changes

## ships: **major**

\`specs/ships/openapi.yaml\`, version 1.2.0 to 2.0.0

**Breaking**

| where | what | affects |
| --- | --- | --- |
| GET /ships (listShips)<br>\`#/paths/~1ships/get/parameters/0/schema/default\` | \`default\` of \`order\` changed. \`a\\|b\` → \`'b'\` | both |

New components: \`Mast\`.

Words, examples and tags changed in one place.
`)
  })
})
