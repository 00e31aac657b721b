import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it.each(['geyser', 'sui', 'health', 'reflection', 'contract', 'descriptors'])(
  'the entry %s contains only generated code, for servers too',
  (entry) => {
    const source = readFileSync(new URL(`${entry}.ts`, import.meta.url), 'utf8')
    const sources = [...source.matchAll(/ from '(.+)'$/gm)].map(([, from]) => from)
    expect(sources).not.toEqual([])
    expect(sources.filter((from) => !from?.startsWith('./generated/'))).toEqual([])
  },
)
