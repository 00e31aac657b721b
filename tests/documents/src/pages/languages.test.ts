import { expect, it } from 'vitest'
import { allFences, type Fence, placeOf } from './fence.ts'

/** How a fence is checked, by language. Each language must be listed. */
const treatments: Readonly<Record<string, (fence: Fence) => string>> = {
  ts: ({ attributes }) => (attributes.includes('run') ? 'type-checked and run' : 'type-checked'),
  sh: ({ attributes }) => (attributes.includes('run') ? 'commands looked up and run' : 'commands looked up'),
  text: (fence) => (isPrinted(fence) ? 'compared with what is printed' : 'read by people alone'),
  json: () => 'parsed',
  yaml: ({ attributes }) => (attributes.includes('fairlead.yaml') ? 'parsed as a configuration' : 'parsed'),
  env: () => 'parsed as a configuration',
  ini: () => 'parsed as a unit',
  nginx: () => 'parsed, and by nginx where it is there',
  http: () => 'parsed as a request',
  mermaid: () => 'drawn',
}

const attributesOf: Readonly<Record<string, readonly string[]>> = {
  ts: ['run'],
  sh: ['run'],
  text: ['gateway'],
  yaml: ['fairlead.yaml'],
}

function isPrinted(fence: Fence): boolean {
  const before = allFences[allFences.indexOf(fence) - 1]
  const isBehind = before?.page === fence.page && before.attributes.includes('run')
  return isBehind || fence.attributes.includes('gateway') || fence.page === 'README.md'
}

it('every fence is of a language that is checked, and has attributes that mean something', () => {
  const unknown = allFences.filter(
    ({ language, attributes }) =>
      !Object.hasOwn(treatments, language) ||
      attributes.some((attribute) => !attributesOf[language]?.includes(attribute)),
  )
  expect(unknown.map((fence) => `${placeOf(fence)} ${fence.language} ${fence.attributes.join(' ')}`)).toEqual(
    [],
  )
})

it('no fence is left out', () => {
  const counts = new Map<string, number>()
  for (const fence of allFences) {
    const treatment = `${fence.language}: ${treatments[fence.language]?.(fence)}`
    counts.set(treatment, (counts.get(treatment) ?? 0) + 1)
  }
  const lines = [...counts].map(([treatment, count]) => `${String(count).padStart(5)} ${treatment}`)
  process.stdout.write(`${lines.toSorted().join('\n')}\n`)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  expect(total).toBe(allFences.length)
  expect(total).toBeGreaterThan(100)
})
